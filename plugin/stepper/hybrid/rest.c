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
#include "stepper/hybrid/touching_problem.h"

/* Relative to the largest friction: a contact whose friction has reached it slides. */
static const double nearly_largest = 1e-6;

/* ---- accelerations without forces of contacts ------------------------------------------------ */

int vida__find_free_accelerations(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
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

/* Solves a x = b (count) by elimination with row pivots; a has the column b behind it. Returns
 * false if the equations do not determine all unknowns. */
static bool eliminate(double* a, int count, double* x) {
  static const double singular = 1e-11; /* relative to the largest entry */
  const int width = count + 1;
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      largest = fmax(largest, fabs(a[i * width + k]));
    }
  }
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
    if (!(fabs(pivot) > singular * largest)) {
      return false;
    }
    for (int r = i + 1; r < count; r++) {
      const double factor = a[r * width + i] / pivot;
      for (int k = i; k <= count; k++) {
        a[r * width + k] -= factor * a[i * width + k];
      }
    }
  }
  for (int i = count - 1; i >= 0; i--) {
    double sum = a[i * width + count];
    for (int k = i + 1; k < count; k++) {
      sum -= a[i * width + k] * x[k];
    }
    x[i] = sum / a[i * width + i];
  }
  return true;
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

/* Computes the forces of the contacts in their present states, into own->impulse. Returns false if
 * they are not unique. */
static bool find_forces(vida_hybrid_contacts* own) {
  const int count = list_unknowns(own), width = count + 1;
  memset(own->impulse, 0, (size_t)own->row_count * sizeof *own->impulse);
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      const vida_touching* at = &own->touching[own->unknown_contact[k]];
      own->matrix[i * width + k] =
          vida__effect_on(own, own->unknown_row[i], at, own->unknown_row[k]);
    }
    own->matrix[i * width + count] = -own->work[own->unknown_row[i]];
  }
  if (!eliminate(own->matrix, count, own->force)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    const vida_touching* at = &own->touching[own->unknown_contact[i]];
    own->impulse[own->unknown_row[i]] = own->force[i];
    for (int s = 0; at->state == VIDA_TOUCHING_SLIDES && s < at->slip_count; s++) {
      own->impulse[at->row + 1 + s] =
          -own->list[at->contact].friction * at->direction[s] * own->force[i];
    }
  }
  return true;
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
 * approach has flown less far than the method resolves, unless it leaves with the impulses of
 * others, as the middle foot of three: then it keeps its rate as one that is hit. */
static bool may_close(const vida_hybrid_contacts* own, const vida_touching* at, double a,
                      double t) {
  return at->state == VIDA_TOUCHING_OPEN && !at->must_open && a < 0.0 &&
         (own->w[at->row] <= VIDA_ROUNDED_RATE * own->w_size[at->row] ||
          (at->is_fired && !at->is_hit && !at->is_carried) || is_too_short(own, at, a, t));
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

/* ---- all at once ----------------------------------------------------------------------------- */

/* Returns the slip acceleration of contact c of the solved problem, 0 for rounding. */
static double turn_of(const vida_hybrid_contacts* own, int c) {
  const vida_touching_problem* posed = own->problem;
  const int first = posed->problem.first[c], slips = posed->problem.first[c + 1] - first - 1;
  const double turn = vida__slip_length(posed->rates + first + 1, slips);
  return turn > 2.0 * VIDA_NO_ACCELERATION * vida__free_size(own) ? turn : 0.0;
}

/* Takes the state of contact c of the solved problem; `any`: a contact begins to slide. Otherwise
 * friction has reached its largest value where one must, and slip accelerations are still zero. */
static void classify(vida_hybrid_contacts* own, int c, double largest, bool any, bool must) {
  static const double none = 1e-9;
  const vida_touching_problem* posed = own->problem;
  const int first = posed->problem.first[c], slips = posed->problem.first[c + 1] - first - 1;
  const double *force = posed->problem.impulse + first, *rate = posed->rates + first;
  vida_touching* at = &own->touching[posed->touching[c]];
  if (!(force[0] > none * largest)) {
    at->state = VIDA_TOUCHING_OPEN;
    return;
  }
  if (at->state == VIDA_TOUCHING_SLIDES || slips == 0) {
    at->state = at->slip_count == 0 ? VIDA_TOUCHING_RESTS : VIDA_TOUCHING_SLIDES;
    return;
  }
  const double most = own->list[at->contact].friction * force[0];
  const bool is_largest = vida__slip_length(force + 1, slips) >= most * (1.0 - nearly_largest);
  at->state = VIDA_TOUCHING_STICKS;
  if (any ? turn_of(own, c) > 0.0 && set_direction(at, rate + 1, 1.0)
          : must && is_largest && set_direction(at, force + 1, -1.0)) {
    at->state = VIDA_TOUCHING_SLIDES;
    at->is_incipient = true;
  }
}

/* Chooses the states from a solution of the whole problem, where exchanges repeat themselves or
 * forces are not unique. Returns false if there is none. */
static bool choose_at_once(vida_hybrid_contacts* own, double t) {
  vida_touching_problem* posed = own->problem;
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* at = &own->touching[i];
    at->state = VIDA_TOUCHING_OPEN;
    at->is_incipient = false;
    at->is_candidate = may_close(own, at, -1.0, t);
    if (at->is_candidate && is_slipping(own, at) && set_direction(at, own->w + at->row + 1, 1.0)) {
      at->state = VIDA_TOUCHING_SLIDES;
    }
  }
  vida__pose_touching(own);
  if (!vida__solve_touching(posed, own->work, VIDA_NO_ACCELERATION)) {
    return false;
  }
  double largest = 0.0;
  bool any = false, must = false;
  for (int c = 0; c < posed->problem.contacts; c++) {
    largest = fmax(largest, posed->problem.impulse[posed->problem.first[c]]);
    any = any || turn_of(own, c) > 0.0;
    must = must || own->touching[posed->touching[c]].must_slide;
  }
  for (int c = 0; c < posed->problem.contacts; c++) {
    classify(own, c, largest, any, must);
  }
  return true;
}

int vida__choose_closed(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const int most = 20 * (own->row_count + 1);
  const int code = vida__find_free_accelerations(hybrid, at, error);
  bool is_chosen = code != VIDA_SUCCESS;
  for (int k = 0; k < most && !is_chosen && find_forces(own); k++) {
    is_chosen = !improve(own, at->t);
  }
  if (!is_chosen && !choose_at_once(own, at->t)) {
    return vida__fail_touching(hybrid, "forces", "m/s^2", error);
  }
  return code;
}
