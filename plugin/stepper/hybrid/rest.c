/* What becomes of contacts that touch: which stay closed, stick or slide in the motion that
 * follows.
 *
 * The choice is a linear complementarity problem of forces and accelerations, which is solved by
 * exchanging one contact after the other: a closed contact that pulls opens, one that accelerates
 * into its gap closes, one whose friction is too large slides, one that would slide backwards
 * sticks. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stepper/hybrid/contacts.h"

/* Relative to the largest friction: a contact whose friction has reached it slides. */
static const double nearly_largest = 1e-6;

/* ---- accelerations without forces of contacts ------------------------------------------------ */

/* Computes the accelerations of the rows of touching contacts without their forces, into own->work.
 */
static int find_free_accelerations(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  VidaIntegration* base = &hybrid->modes[hybrid->contacts->base].probe->self;
  int code =
      vida__accelerations(base, at->t, at->q, at->v, own->accelerations, base->model.least_norm);
  code = code ? code : vida__constraint_bias(&own->evaluator, at->t, at->q, at->v, own->bias);
  if (code) {
    return vida__fail(error, code,
                      "the equations of motion of system '%s' have no solution at a contact",
                      base->model.system->name);
  }
  const double* rates = vida__apply_contact_rows(own, own->accelerations);
  for (int k = 0; k < own->row_count; k++) {
    const int row = vida__row_of_touching(own, k);
    own->work[k] = own->bias[row] + rates[row];
  }
  return VIDA_SUCCESS;
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* The acceleration of row k by unit forces: of a sliding contact, with its friction. */
static double effect_on(const vida_hybrid_contacts* own, int k, const vida_touching* at, int row) {
  const double* d = own->delassus + (size_t)k * VIDA_IMPACT_ROWS;
  double sum = d[row];
  for (int s = 0; at->state == VIDA_TOUCHING_SLIDES && s < at->slip_count; s++) {
    sum -= own->list[at->contact].friction * at->direction[s] * d[at->row + 1 + s];
  }
  return sum;
}

/* Solves a x = b (count) by elimination with row pivots; a has the column b behind it. Unknowns
 * that the equations do not determine are 0. */
static void eliminate(double* a, int count, double* x) {
  const int width = count + 1;
  for (int i = 0; i < count; i++) {
    int best = i;
    for (int r = i + 1; r < count; r++) {
      best = fabs(a[r * width + i]) > fabs(a[best * width + i]) ? r : best;
    }
    for (int k = 0; best != i && k < width; k++) {
      const double kept = a[i * width + k];
      a[i * width + k] = a[best * width + k];
      a[best * width + k] = kept;
    }
    const double pivot = a[i * width + i];
    for (int r = i + 1; r < count && pivot != 0.0; r++) {
      const double factor = a[r * width + i] / pivot;
      for (int k = i; k < width; k++) {
        a[r * width + k] -= factor * a[i * width + k];
      }
    }
  }
  for (int i = count - 1; i >= 0; i--) {
    double sum = a[i * width + count];
    for (int k = i + 1; k < count; k++) {
      sum -= a[i * width + k] * x[k];
    }
    x[i] = a[i * width + i] != 0.0 ? sum / a[i * width + i] : 0.0;
  }
}

/* Lists the rows whose accelerations vanish: of closed contacts and of those that stick. */
static int list_unknowns(vida_hybrid_contacts* own) {
  int count = 0;
  for (int i = 0; i < own->touching_count; i++) {
    const vida_touching* at = &own->touching[i];
    const int rows = at->state == VIDA_TOUCHING_OPEN     ? 0
                     : at->state == VIDA_TOUCHING_STICKS ? 1 + at->slip_count
                                                         : 1;
    for (int k = 0; k < rows; k++) {
      own->unknown_contact[count] = i;
      own->unknown_row[count++] = at->row + k;
    }
  }
  return count;
}

/* Computes the forces of the contacts in their present states, into own->impulse. */
static void find_forces(vida_hybrid_contacts* own) {
  const int count = list_unknowns(own), width = count + 1;
  memset(own->impulse, 0, (size_t)own->row_count * sizeof *own->impulse);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      const vida_touching* at = &own->touching[own->unknown_contact[k]];
      own->matrix[i * width + k] = effect_on(own, own->unknown_row[i], at, own->unknown_row[k]);
    }
    own->matrix[i * width + count] = -own->work[own->unknown_row[i]];
  }
  eliminate(own->matrix, count, own->force);
  for (int i = 0; i < count; i++) {
    const vida_touching* at = &own->touching[own->unknown_contact[i]];
    own->impulse[own->unknown_row[i]] = own->force[i];
    for (int s = 0; at->state == VIDA_TOUCHING_SLIDES && s < at->slip_count; s++) {
      own->impulse[at->row + 1 + s] =
          -own->list[at->contact].friction * at->direction[s] * own->force[i];
    }
  }
}

/* The acceleration of row k with the forces of the contacts. */
static double acceleration_of(const vida_hybrid_contacts* own, int k) {
  double sum = own->work[k];
  for (int i = 0; i < own->row_count; i++) {
    sum += own->delassus[(size_t)k * VIDA_IMPACT_ROWS + (size_t)i] * own->impulse[i];
  }
  return sum;
}

/* ---- choice ---------------------------------------------------------------------------------- */

/* Returns whether a contact with the rate w > 0 and the acceleration a of its gap will close again
 * before its flight can be resolved: by its height, or by its time. */
static bool is_too_short(const vida_hybrid_contacts* own, const vida_touching* at, double a,
                         double t) {
  const double w = own->w[at->row];
  if (!(a < 0.0)) {
    return false;
  }
  const double height = 0.5 * w * w / -a, time = 2.0 * w / -a;
  return height <= 16.0 * DBL_EPSILON * own->size[own->first_row[at->contact]] ||
         time <= 64.0 * DBL_EPSILON * fabs(t);
}

/* Returns whether an open contact may close. A contact whose gap vanishes although it does not
 * approach has flown less far than the method resolves. */
static bool may_close(const vida_hybrid_contacts* own, const vida_touching* at, double a,
                      double t) {
  return at->state == VIDA_TOUCHING_OPEN && !at->must_open && a < 0.0 &&
         (own->w[at->row] <= VIDA_ROUNDED_RATE * own->w_size[at->row] ||
          (at->is_fired && !at->is_hit) || is_too_short(own, at, a, t));
}

static bool is_slipping(const vida_hybrid_contacts* own, const vida_touching* at) {
  for (int s = 1; s <= at->slip_count; s++) {
    if (fabs(own->w[at->row + s]) > VIDA_ROUNDED_RATE * own->w_size[at->row + s] &&
        !at->must_stick) {
      return true;
    }
  }
  return false;
}

/* Sets the direction of sliding to that of the vector x (slip_count). Returns false for 0. */
static bool set_direction(vida_touching* at, const double* x, double sign) {
  const double size = vida__slip_length(x, at->slip_count);
  for (int s = 0; s < at->slip_count && size > 0.0; s++) {
    at->direction[s] = sign * x[s] / size;
  }
  return size > 0.0;
}

static void close_contact(const vida_hybrid_contacts* own, vida_touching* at) {
  if (at->slip_count == 0) {
    at->state = VIDA_TOUCHING_RESTS;
  } else if (is_slipping(own, at) && set_direction(at, own->w + at->row + 1, 1.0)) {
    at->state = VIDA_TOUCHING_SLIDES;
  } else {
    at->state = VIDA_TOUCHING_STICKS;
  }
}

/* Lets a contact slide whose friction is too large. Returns whether that was so. */
static bool release_slip(const vida_hybrid_contacts* own, vida_touching* at) {
  const double* friction = own->impulse + at->row + 1;
  const double most = own->list[at->contact].friction * own->impulse[at->row];
  const double size = vida__slip_length(friction, at->slip_count);
  const bool is_large = size > most * (1.0 + 16.0 * DBL_EPSILON) ||
                        (at->must_slide && size > most * (1.0 - nearly_largest));
  if (at->state != VIDA_TOUCHING_STICKS || at->was_slowed || !is_large ||
      !set_direction(at, friction, -1.0)) {
    return false;
  }
  at->state = VIDA_TOUCHING_SLIDES;
  at->is_incipient = true;
  return true;
}

/* Lets a contact stick that would slide against the direction of its friction. */
static bool stop_slip(const vida_hybrid_contacts* own, vida_touching* at) {
  double along = 0.0;
  if (at->state != VIDA_TOUCHING_SLIDES || !at->is_incipient) {
    return false;
  }
  for (int s = 0; s < at->slip_count; s++) {
    along += at->direction[s] * acceleration_of(own, at->row + 1 + s);
  }
  if (!(along < 0.0)) {
    return false;
  }
  at->state = VIDA_TOUCHING_STICKS;
  at->was_slowed = true; /* rounding decides between the two states */
  return true;
}

/* One exchange. Returns whether there was one. */
static bool improve(vida_hybrid_contacts* own, double t) {
  vida_touching *closes = NULL, *opens = NULL;
  double worst = 0.0, pull = 0.0;
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* at = &own->touching[i];
    const double a = acceleration_of(own, at->row);
    if (at->state != VIDA_TOUCHING_OPEN && own->impulse[at->row] < pull) {
      pull = own->impulse[at->row];
      opens = at;
    } else if (a < worst && may_close(own, at, a, t)) {
      worst = a;
      closes = at;
    }
  }
  if (opens) {
    opens->state = VIDA_TOUCHING_OPEN;
  } else if (closes) {
    close_contact(own, closes);
  }
  for (int i = 0; i < own->touching_count && !opens && !closes; i++) {
    if (release_slip(own, &own->touching[i]) || stop_slip(own, &own->touching[i])) {
      return true;
    }
  }
  return opens || closes;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Adds a force along row k to the accelerations of all rows, a. */
static void add_force(vida_hybrid_contacts* own, int k, double change, double* a) {
  own->impulse[k] += change;
  for (int i = 0; i < own->row_count; i++) {
    a[i] += own->delassus[(size_t)i * VIDA_IMPACT_ROWS + (size_t)k] * change;
  }
}

/* Changes the forces of one contact so that it alone satisfies the laws of contact and friction.
 * Returns the size of the change. */
static double relax_contact(vida_hybrid_contacts* own, const vida_touching* at, double* a) {
  const int n = at->row;
  const double mu = own->list[at->contact].friction, before = own->impulse[n];
  const bool slips = is_slipping(own, at);
  const double d = own->delassus[(size_t)n * VIDA_IMPACT_ROWS + (size_t)n];
  double change = d > 0.0 ? fmax(-a[n] / d, -before) : 0.0, moved = fabs(change);
  add_force(own, n, change, a);
  double wanted[VIDA_SLIP_MOST] = {0.0};
  for (int s = 0; s < at->slip_count; s++) {
    const int k = n + 1 + s;
    const double own_effect = own->delassus[(size_t)k * VIDA_IMPACT_ROWS + (size_t)k];
    wanted[s] = slips              ? -mu * own->impulse[n] * at->direction[s]
                : own_effect > 0.0 ? own->impulse[k] - a[k] / own_effect
                                   : 0.0;
  }
  const double size = vida__slip_length(wanted, at->slip_count), most = mu * own->impulse[n];
  for (int s = 0; s < at->slip_count; s++) {
    change = wanted[s] * (size > most ? most / size : 1.0) - own->impulse[n + 1 + s];
    moved += fabs(change);
    add_force(own, n + 1 + s, change, a);
  }
  return moved;
}

/* Takes the state of a contact from its forces. */
static void classify(const vida_hybrid_contacts* own, vida_touching* at, double largest) {
  static const double none = 1e-9, below = 1e-6;
  const double* friction = own->impulse + at->row + 1;
  const double normal = own->impulse[at->row], most = own->list[at->contact].friction * normal;
  at->state = VIDA_TOUCHING_OPEN;
  at->is_incipient = false;
  if (!(normal > none * largest)) {
    return;
  }
  const bool slips = is_slipping(own, at);
  const bool sticks = !slips && vida__slip_length(friction, at->slip_count) < most * (1.0 - below);
  at->state = at->slip_count == 0 ? VIDA_TOUCHING_RESTS
              : sticks            ? VIDA_TOUCHING_STICKS
                                  : VIDA_TOUCHING_SLIDES;
  if (at->state == VIDA_TOUCHING_SLIDES && !slips) {
    at->is_incipient = set_direction(at, friction, -1.0);
  }
}

/* Chooses the states by sweeps over the contacts (projected Gauss-Seidel), where exchanges repeat
 * themselves. */
static void choose_by_sweeps(vida_hybrid_contacts* own, double t) {
  enum { MOST_SWEEPS = 20000 };
  static const double settled = 1e-13;
  double* a = own->force; /* is computed again afterwards */
  double largest = 0.0, moved = 1.0;
  memset(own->impulse, 0, (size_t)own->row_count * sizeof *own->impulse);
  memcpy(a, own->work, (size_t)own->row_count * sizeof *a);
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* at = &own->touching[i];
    at->state = VIDA_TOUCHING_OPEN;
    at->is_candidate = may_close(own, at, -1.0, t);
    if (at->is_candidate && is_slipping(own, at)) {
      set_direction(at, own->w + at->row + 1, 1.0);
    }
  }
  for (int sweep = 0; sweep < MOST_SWEEPS && moved > settled * largest; sweep++) {
    moved = 0.0;
    for (int i = 0; i < own->touching_count; i++) {
      const vida_touching* at = &own->touching[i];
      moved += at->is_candidate ? relax_contact(own, at, a) : 0.0;
      largest = fmax(largest, own->impulse[at->row]);
    }
  }
  for (int i = 0; i < own->touching_count; i++) {
    classify(own, &own->touching[i], largest);
  }
}

int vida__choose_closed(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const int most = 20 * (own->row_count + 1);
  const int code = find_free_accelerations(hybrid, at, error);
  bool is_chosen = code != VIDA_SUCCESS;
  for (int k = 0; k < most && !is_chosen; k++) {
    find_forces(own);
    is_chosen = !improve(own, at->t);
  }
  if (!is_chosen) {
    choose_by_sweeps(own, at->t);
  }
  return code;
}
