/* Impacts: impulses in the metric of the mass matrix, with the constraints of the system. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "stepper/hybrid/contacts.h"
#include "system/evaluate/sizes.h"

/* Relative to the terms of a gap: bodies that are nearer touch in an inelastic collapse. */
static const double crowded_gap = 1e-9;
/* Of a step: contacts whose gaps vanish so shortly after an impact are hit with it. */
static const double same_moment = 1e-9;

/* ---- contacts that touch --------------------------------------------------------------------- */

/* Computes the change of velocities by a unit impulse along a row of the contacts: M x + G^T mu =
 * W^T, G x = 0. *shift receives mu^T (G v + g_t): velocities of some methods do not satisfy G v +
 * g_t = 0 at nodes, and only the rate x^T M v = W v - mu^T G v leads to an impulse that keeps the
 * energy of an elastic impact. */
static int find_column(vida_hybrid* hybrid, int row, double* column, double* shift,
                       VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  VidaIntegration* base = &hybrid->modes[hybrid->contacts->base].probe->self;
  const VidaSystem* all = own->all;
  const size_t n = (size_t)base->model.n;
  double* unit = own->multipliers; /* those of the mode are computed with each sample */
  memset(own->right_side, 0, (n + (size_t)base->model.m) * sizeof *own->right_side);
  memset(unit, 0, (size_t)all->row_count * sizeof *unit);
  unit[row] = 1.0;
  vida__add_reaction(all, own->entries, 1.0, unit, own->right_side);
  const int code = vida__linear_solve(base->model.node_matrix, own->right_side, own->right_side);
  if (code) {
    return vida__fail(error, VIDA_STEP_SINGULAR,
                      "the masses and constraints do not determine the effect of an impulse of "
                      "contact '%s'",
                      all->rows[row].name);
  }
  memcpy(column, own->right_side, n * sizeof *column);
  *shift = 0.0;
  for (int r = 0; r < base->model.m; r++) {
    *shift += own->right_side[n + (size_t)r] * own->base_rate[r];
  }
  return VIDA_SUCCESS;
}

const double* vida__apply_contact_rows(vida_hybrid_contacts* own, const double* x) {
  double* product = own->multipliers; /* those of the mode are computed with each sample */
  memset(product, 0, (size_t)own->all->row_count * sizeof *product);
  vida__add_constraint_velocity(own->all, own->entries, 1.0, x, product);
  return product;
}

int vida__row_of_touching(const vida_hybrid_contacts* own, int k) {
  for (int i = 0; i < own->touching_count; i++) {
    const vida_touching* at = &own->touching[i];
    if (k >= at->row && k <= at->row + at->slip_count) {
      return own->first_row[at->contact] + k - at->row;
    }
  }
  return -1;
}

static int factor_base(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  VidaIntegration* base = &hybrid->modes[hybrid->contacts->base].probe->self;
  int code = vida__jacobian(&base->model.evaluator, at->t, at->q, base->work.entries);
  code = code ? code
              : vida__velocity_residual(&base->model.evaluator, at->t, at->q, base->work.entries,
                                        at->v, hybrid->contacts->base_rate);
  code = code ? code : vida__factor_matrix_at(base, at->t, at->q, base->work.entries, at->v);
  return code ? vida__fail(error, code,
                           "the masses and constraints are singular at an impact of system '%s'",
                           base->model.system->name)
              : VIDA_SUCCESS;
}

static int find_matrix(vida_hybrid* hybrid, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const size_t n = (size_t)hybrid->frame->self.model.n;
  for (int k = 0; k < own->row_count; k++) {
    double* column = own->columns + (size_t)k * n;
    const int code =
        find_column(hybrid, vida__row_of_touching(own, k), column, &own->work[k], error);
    if (code) {
      return code;
    }
    const double* rates = vida__apply_contact_rows(own, column);
    for (int i = 0; i < own->row_count; i++) {
      own->delassus[i * VIDA_IMPACT_ROWS + k] = rates[vida__row_of_touching(own, i)];
    }
  }
  return VIDA_SUCCESS;
}

static int fail_count(const vida_hybrid* hybrid, int contact, double at, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE], more[VIDA_METHODS_SIZE] = "";
  vida__append_stepping(hybrid->frame->self.model.system, "; ", "and",
                        " take any number of contacts", more, sizeof more);
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, "TOO_MANY_CONTACTS",
                         "contact '%s' and others touch at t = %s and have more than %d rows%s",
                         hybrid->contacts->list[contact].name, vida__real_text(t, at, 10),
                         VIDA_IMPACT_ROWS, more);
}

/* Returns the size below which the gap of contact c vanishes at an event. Feet that meet the ground
 * at one time meet it at times that rounding of the positions has made different: a gap that
 * approaches, and would vanish in a moment, has vanished. */
static double find_slack(const vida_hybrid* hybrid, int c, double t) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  const int row = own->first_row[c];
  const double rate = own->rate[row];
  const double rounding = 16.0 * DBL_EPSILON * (own->size[row] + fabs(t * rate));
  const double slack = hybrid->crowd.is_crowded ? crowded_gap * own->reach[c] : rounding;
  const bool comes = rate < -VIDA_ROUNDED_RATE * own->speed[row];
  return comes ? fmax(slack, same_moment * hybrid->h * -rate) : slack;
}

int vida__find_touching(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int code = vida__evaluate_contacts(hybrid, at, error);
  own->touching_count = own->row_count = 0;
  for (int c = 0; c < own->count && !code; c++) {
    const int row = own->first_row[c];
    const bool is_closed = own->flags[c] != 0;
    const vida_watched* watched = &hybrid->watched[hybrid->first_contact + 2 * c];
    const vida_watched* friction = watched + 1;
    if (own->list[c].is_coupling ||
        (!is_closed && !watched->is_fired && own->g[row] > find_slack(hybrid, c, at->t))) {
      continue;
    }
    const int slips = own->list[c].friction > 0.0 ? own->list[c].slip_count : 0;
    if (own->row_count + 1 + slips > VIDA_IMPACT_ROWS) {
      return fail_count(hybrid, c, at->t, error);
    }
    own->touching[own->touching_count++] =
        (vida_touching){.contact = c,
                        .row = own->row_count,
                        .is_candidate = true,
                        .slip_count = slips,
                        .must_open = is_closed && watched->is_fired,
                        .is_fired = !is_closed && watched->is_fired,
                        .must_stick = friction->is_fired && (own->flags[c] & VIDA_CONTACT_SLIDE),
                        .must_slide = friction->is_fired && (own->flags[c] & VIDA_CONTACT_STICKS)};
    own->row_count += 1 + slips;
  }
  return own->touching_count == 0 || code ? code : vida__prepare_touching(hybrid, at, error);
}

int vida__prepare_touching(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  int code = factor_base(hybrid, at, error);
  code = code ? code : find_matrix(hybrid, error);
  for (int k = 0; k < own->row_count && !code; k++) {
    const int row = vida__row_of_touching(own, k);
    own->impulse[k] = 0.0;
    own->w[k] = own->rate[row] - own->work[k];
    own->w_size[k] = own->speed[row];
  }
  return code;
}

/* ---- impulses -------------------------------------------------------------------------------- */

void vida__add_impulse(vida_hybrid* hybrid, vida_sample* at, int k, double p) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const int n = hybrid->frame->self.model.n;
  const double* column = own->columns + (size_t)k * (size_t)n;
  own->impulse[k] += p;
  for (int i = 0; i < n; i++) {
    at->v[i] += p * column[i];
  }
  for (int i = 0; i < own->row_count; i++) {
    own->w[i] += p * own->delassus[i * VIDA_IMPACT_ROWS + k];
  }
}

/* Solves the stick problem of one contact: normal rate `target`, no slip; p has its impulses. */
static bool solve_stick(const vida_hybrid_contacts* own, const vida_touching* at, double target,
                        double p[1 + VIDA_SLIP_MOST]) {
  const int size = 1 + at->slip_count;
  double a[1 + VIDA_SLIP_MOST][2 + VIDA_SLIP_MOST];
  for (int i = 0; i < size; i++) {
    for (int k = 0; k < size; k++) {
      a[i][k] = own->delassus[(at->row + i) * VIDA_IMPACT_ROWS + at->row + k];
    }
    a[i][size] = (i == 0 ? target : 0.0) - own->w[at->row + i];
  }
  for (int i = 0; i < size; i++) { /* positive definite: without pivots */
    if (!(a[i][i] > 0.0)) {
      return false;
    }
    for (int r = i + 1; r < size; r++) {
      const double factor = a[r][i] / a[i][i];
      for (int k = i; k <= size; k++) {
        a[r][k] -= factor * a[i][k];
      }
    }
  }
  for (int i = size - 1; i >= 0; i--) {
    double sum = a[i][size];
    for (int k = i + 1; k < size; k++) {
      sum -= a[i][k] * p[k];
    }
    p[i] = sum / a[i][i];
  }
  return true;
}

double vida__slip_length(const double* x, int count) {
  return count == 1 ? fabs(x[0]) : count == 2 ? hypot(x[0], x[1]) : 0.0;
}

/* Solves the slip problem: the friction mu p_N is opposed to the slip velocity after the impulse.
 * With one component the direction is that of sticking friction; with two, it is iterated. */
static void solve_slip(const vida_hybrid_contacts* own, const vida_touching* at, double target,
                       double mu, double p[1 + VIDA_SLIP_MOST]) {
  enum { MOST_ITERATIONS = 100 };
  const double* d = own->delassus + (size_t)at->row * VIDA_IMPACT_ROWS + at->row;
  double direction[VIDA_SLIP_MOST] = {0.0};
  const double size = vida__slip_length(p + 1, at->slip_count);
  for (int k = 0; k < at->slip_count; k++) {
    direction[k] = p[1 + k] / size;
  }
  for (int pass = 0; pass < MOST_ITERATIONS; pass++) {
    double coupling = d[0], slip[VIDA_SLIP_MOST] = {0.0};
    for (int k = 0; k < at->slip_count; k++) {
      coupling += mu * d[1 + k] * direction[k];
    }
    p[0] = (target - own->w[at->row]) / coupling;
    for (int k = 0; k < at->slip_count; k++) {
      p[1 + k] = mu * p[0] * direction[k];
    }
    if (at->slip_count < 2) {
      return;
    }
    for (int i = 0; i < at->slip_count; i++) {
      slip[i] = own->w[at->row + 1 + i];
      for (int k = 0; k <= at->slip_count; k++) {
        slip[i] += d[(1 + i) * VIDA_IMPACT_ROWS + k] * p[k];
      }
    }
    const double speed = vida__slip_length(slip, at->slip_count);
    double change = 0.0;
    for (int k = 0; k < at->slip_count && speed > 0.0; k++) {
      change += fabs(-slip[k] / speed - direction[k]);
      direction[k] = -slip[k] / speed;
    }
    if (change <= 4.0 * DBL_EPSILON) {
      return;
    }
  }
}

/* Hits one contact: its rate changes to -e times the one before, or to 0 in an inelastic collapse.
 */
static void hit(vida_hybrid* hybrid, vida_sample* at, vida_touching* touching) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const vida_contact* contact = &own->list[touching->contact];
  const double target =
      hybrid->crowd.is_crowded ? 0.0 : -contact->restitution * own->w[touching->row];
  double p[1 + VIDA_SLIP_MOST] = {0.0};
  if (!solve_stick(own, touching, target, p)) { /* constraints determine its gap */
    own->w[touching->row] = 0.0;
    return;
  }
  if (vida__slip_length(p + 1, touching->slip_count) > contact->friction * p[0]) {
    solve_slip(own, touching, target, contact->friction, p);
  }
  for (int k = 0; k <= touching->slip_count; k++) {
    vida__add_impulse(hybrid, at, touching->row + k, p[k]);
  }
  touching->is_hit = true;
}

static bool approaches(const vida_hybrid_contacts* own, const vida_touching* at) {
  return own->w[at->row] < -VIDA_ROUNDED_RATE * own->w_size[at->row];
}

/* Hits contacts one after the other, the fastest one first, as a wave runs through bodies that
 * touch; those that are equally fast, as the feet of a table that falls flat, together. Where that
 * does not end, as with a light body between heavy ones, the rest of the approach is inelastic. */
static int hit_in_turn(vida_hybrid* hybrid, vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const int most = 1000 * own->touching_count;
  for (int k = 0; k < most; k++) {
    vida_touching* worst = NULL;
    for (int i = 0; i < own->touching_count; i++) {
      vida_touching* touching = &own->touching[i];
      if (approaches(own, touching) && (!worst || own->w[touching->row] < own->w[worst->row])) {
        worst = touching;
      }
    }
    if (!worst) {
      return VIDA_SUCCESS;
    }
    if (!vida__hit_tied(hybrid, at, own->w[worst->row])) {
      hit(hybrid, at, worst);
    }
  }
  return vida__hit_together(hybrid, at, VIDA_IMPACT_WAVE, error);
}

void vida__append_contacts(const vida_hybrid_contacts* own, bool (*is_meant)(const vida_touching*),
                           char* text, size_t size) {
  vida_name_list names = {text, size, VIDA_CONTACTS_NAMED, 0};
  for (int i = 0; i < own->touching_count; i++) {
    if (is_meant(&own->touching[i])) {
      vida__list_name(&names, own->list[own->touching[i].contact].name);
    }
  }
  vida__end_list(&names);
}

static bool is_hit(const vida_touching* at) {
  return at->is_hit;
}

/* Refuses impulses that bring energy: P^T (w- + w+) / 2, with the rates of gaps of moving bodies
 * and walls alike, is what contacts do not lose. Restitution of rates with friction may bring
 * energy (Kane and Levinson 1985). */
static int check_energy(const vida_hybrid* hybrid, VidaError* error) {
  static const double rounding = 1e-9;
  const vida_hybrid_contacts* own = hybrid->contacts;
  double gain = 0.0, size = 0.0;
  for (int k = 0; k < own->row_count; k++) {
    gain += 0.5 * own->impulse[k] * (own->w_before[k] + own->w[k]);
    size += 0.5 * fabs(own->impulse[k]) * (fabs(own->w_before[k]) + fabs(own->w[k]));
  }
  if (gain <= rounding * size) {
    return VIDA_SUCCESS;
  }
  char names[VIDA_MESSAGE_SIZE / 2] = "", number[VIDA_REAL_TEXT_SIZE], t[VIDA_REAL_TEXT_SIZE];
  vida__append_contacts(own, is_hit, names, sizeof names);
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, "ENERGY_GAINED",
      "the impact of %s at t = %s would bring an energy of %s J: restitution "
      "and friction do not go together there; try %s, or less restitution or "
      "friction",
      names, vida__real_text(t, hybrid->tried.t, 10), vida__real_text(number, gain, 4),
      own->law == VIDA_IMPACT_POISSON ? "impact_law = wave" : "impact_law = poisson");
}

/* The impulses of several contacts may cancel each other in a slip velocity, of which rounding
 * remains, or the residual of a solution: takes the sizes beside which these are rounding. */
static void take_slip_sizes(vida_hybrid* hybrid) {
  static const double residuals = 8.0; /* a slip velocity may have some of them */
  vida_hybrid_contacts* own = hybrid->contacts;
  const size_t n = (size_t)hybrid->frame->self.model.n;
  double *change = own->right_side, *sizes = own->multipliers; /* as in find_column */
  memset(change, 0, n * sizeof *change);
  memset(sizes, 0, (size_t)own->all->row_count * sizeof *sizes);
  for (int k = 0; k < own->row_count; k++) {
    for (size_t i = 0; i < n; i++) {
      change[i] += fabs(own->impulse[k] * own->columns[(size_t)k * n + i]);
    }
  }
  vida__add_row_sizes(own->all, own->entries, change, sizes);
  const double unsolved = residuals * own->residual / VIDA_ROUNDED_RATE;
  for (int c = 0; c < own->count; c++) {
    for (int s = 1; s <= own->list[c].slip_count; s++) {
      const int row = own->first_row[c] + s;
      const double least = sizes[row] > 0.0 ? fmax(sizes[row], unsolved) : 0.0;
      own->speed[row] = fmax(own->speed[row], least);
    }
  }
  for (int k = 0; k < own->row_count; k++) {
    own->w_size[k] = own->speed[vida__row_of_touching(own, k)];
  }
}

int vida__apply_impulses(vida_hybrid* hybrid, vida_sample* at, bool* any, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  bool approach = false;
  for (int i = 0; i < own->touching_count; i++) {
    approach = approach || approaches(own, &own->touching[i]);
  }
  if (!approach) {
    return VIDA_SUCCESS;
  }
  memcpy(own->w_before, own->w, (size_t)own->row_count * sizeof *own->w_before);
  own->residual = 0.0;
  const int code = own->law == VIDA_IMPACT_WAVE ? hit_in_turn(hybrid, at, error)
                                                : vida__hit_together(hybrid, at, own->law, error);
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* touching = &own->touching[i];
    const int k = touching->row;
    *any = *any || touching->is_hit;
    touching->is_carried =
        !touching->is_hit && own->w[k] - own->w_before[k] > VIDA_ROUNDED_RATE * own->w_size[k];
  }
  take_slip_sizes(hybrid);
  return code ? code : check_energy(hybrid, error);
}
