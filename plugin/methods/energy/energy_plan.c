#include "methods/energy/energy_plan.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elimination.h"
#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "methods/energy/energy.h"
#include "stepper/method_options.h"
#include "system/constraints/multiplier_matrix.h"

/* Residuals by rows, relative to the terms of the row: a smaller one is that of rounding. */
static const double rounded = 0.5 * DBL_EPSILON;
/* A residual that no longer decreases, by more than the ratio, must be smaller than the bound. */
static const double stagnating = 0.1;
static const double near_rounding = 1e-13;
/* A correction is the last one, and what it leaves is not measured, if it begins with a residual
 * below the first bound and will leave less than the second. */
static const double nearly_solved = 1e-12;
static const double certainly_rounded = 0.1 * DBL_EPSILON;
enum { MOST_CORRECTIONS = 4, USUAL_CORRECTIONS = 2, OLDEST_SIZES = 16, MOST_FAILURES = 8 };

struct vida_energy_plan {
  vida_step_plan base;
  const vida_discrete_rule* rule;
  bool is_condensed;
  bool has_same_force; /* f - D V does not depend on the unknowns */
  vida_multiplier_matrix matrix;
  vida_linear* linear; /* condensed: of the multipliers; otherwise NULL, for that of the map */
  bool has_factors;    /* condensed: of this step; otherwise of one of the last steps */
  bool is_solved;      /* the plan has solved the last step */
  int sizes_age;       /* steps since the sizes of rows were computed; < 0: never */
  int filter;          /* see improve_guess */
  int filter_age;      /* steps since it was chosen; < 0: differences are not known yet */
  int failures, skips; /* consecutive failures; next steps without a trial */
  long iterations, residuals, matrices; /* of this step */
  double* inverse;                      /* n: 1 / mass */
  double* factor;                       /* n: 1 / (2 mass) */
  double* force;                        /* n: f - D V */
  double* residual;                     /* n + m */
  double* correction;                   /* n + m */
  double* guess;                        /* n + m */
  double* size;                         /* n + m: of the terms of rows */
  double* entries;                      /* of Dg */
  double* end_entries; /* of G at the end, as it was when the matrix was factored, and */
  double* columns;     /* M^-1 Dg^T / 2 in the pattern of G */
  double* block;
  size_t numbers; /* in `block` */
};

/* ---- residual -------------------------------------------------------------------------------- */

/* Computes f - D V. */
static int evaluate_force(VidaIntegration* self, const vida_interval* between,
                          vida_energy_plan* own) {
  const int n = self->model.n;
  double* restrict force = own->force;
  int code = own->rule->potential(self, between, force);
  if (!code && self->model.system->has_forces) {
    code = vida__middle_forces(self, self->implicit.unknown, self->work.l_q);
    for (int i = 0; i < n; i++) {
      force[i] -= self->work.l_q[i];
    }
  }
  for (int i = 0; i < n; i++) {
    force[i] = -force[i];
  }
  return code;
}

/* Computes Dg and the rows of the constraints. */
static int evaluate_constraints(VidaIntegration* self, const vida_interval* between,
                                vida_energy_plan* own) {
  const double h = self->node.h;
  double* rows = own->residual + self->model.n;
  const int code = vida__discrete_constraints(self->model.system, between, self->implicit.unknown,
                                              own->entries, rows);
  for (int k = 0; k < self->model.m; k++) {
    rows[k] += self->implicit.g0[k] / h;
  }
  return code;
}

/* Computes the rows of the momenta. */
static int evaluate_momenta(VidaIntegration* self, vida_energy_plan* own) {
  const int n = self->model.n;
  const double half = 0.5 * self->node.h;
  const double* u = self->implicit.unknown;
  const double* restrict p = self->node.p, * restrict p_low = self->node.p_low;
  double* restrict r = own->residual, *impulse = own->correction + n;
  const double* restrict force = own->force;
  int code = VIDA_SUCCESS;
  if (self->model.system->has_coupled_mass) {
    code = vida__apply_mass(self, u, r);
    for (int i = 0; i < n; i++) {
      r[i] -= p[i] + p_low[i] + half * force[i];
    }
  } else {
    const double* restrict mass = self->model.system->mass;
    for (int i = 0; i < n; i++) {
      r[i] = mass[i] * u[i] - (p[i] + p_low[i] + half * force[i]);
    }
  }
  for (int k = 0; k < self->model.m; k++) {
    impulse[k] = -0.5 * u[n + k];
  }
  if (own->is_condensed) {
    vida__subtract_runs(&own->matrix.runs, own->entries, impulse, r);
  } else {
    vida__add_reaction(self->model.system, own->entries, -1.0, impulse, r);
  }
  return code;
}

/* Computes f - D V, Dg and the residual at the unknowns; of the last one, whose size is known, only
 * the rows of the constraints. Forces that do not depend on the unknowns are computed once a step.
 */
static int evaluate(VidaIntegration* self, vida_energy_plan* own, bool is_last) {
  const vida_interval between = vida__next_interval(self, self->implicit.unknown);
  const bool has_force = own->has_same_force && own->residuals > 0;
  int code = has_force ? VIDA_SUCCESS : evaluate_force(self, &between, own);
  code = code ? code : evaluate_constraints(self, &between, own);
  code = code || is_last ? code : evaluate_momenta(self, own);
  own->residuals++;
  return code;
}

/* Returns the largest residual relative to the size of its row; NaN if one is not finite. */
static double measure(const VidaIntegration* self, const vida_energy_plan* own) {
  const double* restrict r = own->residual, * restrict size = own->size;
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < self->model.n + self->model.m; i++) {
    const double residual = fabs(r[i]);
    sum += 0.0 * residual;
    if (residual > largest * size[i]) { /* without a division in most rows */
      largest = size[i] > 0.0 ? residual / size[i] : INFINITY;
    }
  }
  return largest + sum;
}

static double measure_anew(VidaIntegration* self, vida_energy_plan* own) {
  vida__step_sizes(self, self->implicit.unknown, own->size);
  own->sizes_age = 0;
  return measure(self, own);
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* G at the end is 2 Dg - G0, exactly for constraints of second degree. */
static int factor_condensed(const VidaIntegration* self, vida_energy_plan* own) {
  for (int e = 0; e < self->model.system->entry_count; e++) {
    own->end_entries[e] = 2.0 * own->entries[e] - self->implicit.entries0[e];
  }
  vida__scale_runs(&own->matrix.runs, own->entries, own->factor, own->columns);
  vida__linear_clear(own->linear);
  vida__add_entry_products(&own->matrix, own->end_entries, own->columns, own->linear->values);
  return vida__linear_factor(own->linear);
}

static int factor(VidaIntegration* self, vida_energy_plan* own) {
  own->matrices += own->is_condensed ? 1 : 0; /* the map counts its own */
  const int code = own->is_condensed
                       ? factor_condensed(self, own)
                       : vida__map_prepare(self->implicit.map, self->implicit.unknown);
  own->has_factors = !code;
  return code;
}

/* Solves for multipliers without a refinement: the next residual shows what is left. */
static int solve_multipliers(vida_linear* linear, double* x) {
  if (!linear->last_elimination) {
    return vida__linear_solve(linear, x, x);
  }
  vida__elimination_solve(linear->last_elimination, x, x);
  return VIDA_SUCCESS;
}

/* Solves M dw + Dg^T dmu / 2 = r, G1 dw = r' for the correction (dw, dmu). */
static int solve_condensed(const VidaIntegration* self, vida_energy_plan* own) {
  const int n = self->model.n;
  double *dw = own->correction, *dmu = own->correction + n;
  for (int i = 0; i < n; i++) {
    dw[i] = own->inverse[i] * own->residual[i];
  }
  vida__multiply_runs(&own->matrix.runs, own->end_entries, dw, own->residual + n, dmu);
  const int code = solve_multipliers(own->linear, dmu);
  vida__subtract_runs(&own->matrix.runs, own->columns, dmu, dw);
  return code;
}

static int correct(VidaIntegration* self, vida_energy_plan* own) {
  const int size = self->model.n + self->model.m;
  double* u = self->implicit.unknown;
  const int code = own->is_condensed
                       ? solve_condensed(self, own)
                       : vida__map_correction(self->implicit.map, own->residual, own->correction);
  for (int i = 0; i < size && !code; i++) {
    u[i] -= own->correction[i];
  }
  return code;
}

/* ---- guess ----------------------------------------------------------------------------------- */

/* Velocities and multipliers of energy-momentum contain a part that changes its sign from step to
 * step, since only the mean w of the velocities at both nodes satisfies the constraints. It
 * dominates differences of higher order. An extrapolation that is exact for polynomials and for
 * such a part takes -d for the next difference of order k, where d is the last one; its error in
 * the last step was 2 d - e, with the last difference e of order k + 1. */
static double find_error(const VidaIntegration* self, int order, double of_order, double of_next) {
  const double* low = self->implicit.history.difference[order];
  const double* high = self->implicit.history.difference[order + 1];
  const int n = self->model.n;
  double sum = 0.0;
  for (int i = 0; i < n + self->model.m; i++) {
    const double scale = i < n ? self->model.matrix_root[i] : self->model.matrix_stiffness[i - n];
    const double error = scale * (of_order * low[i] + of_next * high[i]);
    sum += error * error;
  }
  return sum;
}

/* Chooses the order k of the filter; 0: none. */
static int choose_filter(const VidaIntegration* self) {
  const int terms = self->implicit.history.terms;
  if (terms > VIDA_HISTORY - 2) {
    return 0; /* long extrapolations are accurate */
  }
  double least = find_error(self, terms, 1.0, 0.0);
  int filter = 0;
  for (int order = terms; order <= VIDA_HISTORY - 2; order++) {
    const double error = find_error(self, order, 2.0, -1.0);
    if (error < 0.25 * least) {
      least = error;
      filter = order;
    }
  }
  return filter;
}

/* Adds the filtered differences to the extrapolation in self->implicit.unknown. */
static void improve_guess(VidaIntegration* self, vida_energy_plan* own) {
  enum { OLDEST = 16 };
  const vida_history* history = &self->implicit.history;
  double* restrict u = self->implicit.unknown;
  if (history->count < VIDA_HISTORY - 1) {
    own->filter_age = -2; /* the highest difference will be known after one more step */
    return;
  }
  own->filter_age++;
  if (own->filter_age == 0 || own->filter_age >= OLDEST) {
    own->filter = choose_filter(self);
    own->filter_age = 0;
  }
  if (own->filter_age < 0 || own->filter < history->terms) {
    return;
  }
  for (int k = history->terms; k <= own->filter; k++) {
    const double* restrict difference = history->difference[k];
    const double weight = k < own->filter ? 1.0 : -1.0;
    for (int i = 0; i < self->model.n + self->model.m; i++) {
      u[i] += weight * difference[i];
    }
  }
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Returns whether new factors may help an iteration that converges slowly. */
static bool can_renew(vida_energy_plan* own, bool* is_renewed) {
  const bool can = !own->is_condensed && !*is_renewed;
  own->has_factors = own->has_factors && !can;
  *is_renewed = true;
  return can;
}

/* Returns whether corrections that each leave this ratio of the residual reach rounding. */
static bool will_converge(double left, double ratio, int corrections) {
  for (int k = 0; k < corrections; k++) {
    left *= ratio;
  }
  return left <= rounded;
}

/* Factors of an earlier step with which a step needs many corrections are renewed in the next one.
 */
static void judge_factors(vida_energy_plan* own, int corrections, bool is_renewed) {
  own->has_factors = own->has_factors && (is_renewed || corrections <= USUAL_CORRECTIONS);
}

/* Measures the residual before correction k. Sizes of an earlier step usually suffice. */
static double measure_before(VidaIntegration* self, vida_energy_plan* own, int k, double before) {
  const bool is_old = own->sizes_age < 0 || (k == 0 && own->sizes_age >= OLDEST_SIZES);
  const double left = is_old ? measure_anew(self, own) : measure(self, own);
  const bool is_decreasing = left <= rounded || left < stagnating * before;
  return is_decreasing || own->sizes_age == 0 ? left : measure_anew(self, own);
}

/* Iterates from the guess in self->implicit.unknown. Returns whether the residual is at rounding.
 */
static bool iterate(VidaIntegration* self, vida_energy_plan* own) {
  double before = INFINITY;
  bool is_renewed = !own->has_factors;
  for (int k = 0; k <= MOST_CORRECTIONS; k++) {
    /* The step has asked just before the first evaluation. */
    if ((k > 0 && vida__interrupted(self, vida__node_time(self))) || evaluate(self, own, false)) {
      return false;
    }
    const double left = measure_before(self, own, k, before);
    const double ratio = left / before;
    if (left <= rounded || (!(ratio < stagnating) && before <= near_rounding)) {
      judge_factors(own, k, is_renewed);
      return left <= near_rounding;
    }
    const bool is_slow = k > 0 && !will_converge(left, ratio, MOST_CORRECTIONS - k);
    const bool is_last = k > 0 && left <= nearly_solved && left * ratio <= certainly_rounded;
    if ((is_slow && !can_renew(own, &is_renewed)) || (!own->has_factors && factor(self, own)) ||
        correct(self, own)) {
      return false;
    }
    own->iterations++;
    if (is_last) {
      judge_factors(own, k + 1, is_renewed);
      return !evaluate(self, own, true);
    }
    before = left;
  }
  return false;
}

/* Where the iteration has failed several times in a row, it is tried less and less often: after k
 * failures once in 2^k steps. */
static void count_failures(vida_energy_plan* own) {
  own->failures = own->is_solved                  ? 0
                  : own->failures < MOST_FAILURES ? own->failures + 1
                                                  : MOST_FAILURES;
  own->skips = (1 << own->failures) - 1;
}

static bool solve(VidaIntegration* self) {
  vida_energy_plan* own = ((vida_energy_state*)self->state)->plan;
  const size_t bytes = (size_t)(self->model.n + self->model.m) * sizeof(double);
  double* u = self->implicit.unknown;
  if (own->skips > 0) {
    own->skips--;
    return false;
  }
  memcpy(own->guess, u, bytes);
  improve_guess(self, own);
  own->has_factors = own->has_factors && !own->is_condensed;
  own->sizes_age += own->sizes_age >= 0 ? 1 : 0;
  own->iterations = own->residuals = own->matrices = 0;
  own->is_solved = iterate(self, own);
  vida__map_count(self->implicit.map, own->iterations, own->residuals, own->matrices);
  count_failures(own);
  if (own->is_solved) {
    vida__map_accept(self->implicit.map, u, own->residual);
  } else {
    memcpy(u, own->guess, bytes);
    own->has_factors = false;
  }
  return own->is_solved;
}

/* ---- creation -------------------------------------------------------------------------------- */

static bool is_possible(const VidaIntegration* self) {
  return self->model.system->constant_mass && self->model.has_increments &&
         !self->model.reactions && !vida__gives_solver(self->services) &&
         !vida__is_kinsol(self->options) && !vida__is_reduced(self->options) &&
         !VidaOptions_HasChoice(self->options, "plan", "general");
}

static int allocate(const VidaIntegration* self, vida_energy_plan* own) {
  const size_t n = (size_t)self->model.n, size = n + (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t condensed = own->is_condensed ? entries : 0;
  const vida_array arrays[] = {{&own->inverse, n},         {&own->factor, n},
                               {&own->force, n},           {&own->residual, size},
                               {&own->correction, size},   {&own->guess, size},
                               {&own->size, size},         {&own->entries, entries},
                               {&own->columns, condensed}, {&own->end_entries, condensed}};
  own->numbers = vida__count_arrays(arrays, sizeof arrays / sizeof *arrays);
  own->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__energy_plan_create(VidaIntegration* self, const vida_discrete_rule* rule,
                             vida_energy_plan** plan, VidaError* error) {
  if (!is_possible(self)) {
    return VIDA_SUCCESS;
  }
  vida_energy_plan* made = vida__allocate(1, sizeof *made);
  *plan = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->rule = rule;
  made->base.solve = solve;
  made->has_same_force = rule == &vida__equivariant_rule && !self->model.system->has_forces &&
                         vida__has_linear_potentials(self->model.system);
  int code = VIDA_SUCCESS;
  if (self->model.system->separable && self->model.m > 0) {
    code = vida__find_multiplier_matrix(self->model.system, &made->matrix);
    made->is_condensed = made->matrix.pattern.size > 0;
  }
  made->base.name = made->is_condensed ? "condensed" : "simplified";
  code = code ? code : allocate(self, made);
  if (!code && made->is_condensed && rule == &vida__equivariant_rule) {
    static const double one = 1.0;
    self->implicit.form = (vida_step_form){.kappa = &one,
                                           .start_force = 0.5,
                                           .end_force = 0.5,
                                           .is_mean = true,
                                           .pattern = &made->matrix.pattern};
  }
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

void vida__energy_plan_destroy(vida_energy_plan** plan) {
  vida_energy_plan* old = *plan;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->linear);
  vida__free_multiplier_matrix(&old->matrix);
  free(old->block);
  free(old);
  *plan = NULL;
}

/* Factors a matrix at rest, so that steps allocate nothing. */
static int prepare_condensed(VidaIntegration* self, vida_energy_plan* own, VidaError* error) {
  int code = own->linear ? VIDA_SUCCESS
                         : vida__linear_create(self->model.context, &own->matrix.pattern,
                                               vida__solver_of(self->options), &own->linear, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    own->inverse[i] = 1.0 / self->model.system->mass[i];
    own->factor[i] = 0.5 * own->inverse[i];
  }
  if (!vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q, own->entries)) {
    vida__scale_runs(&own->matrix.runs, own->entries, own->factor, own->columns);
    vida__linear_clear(own->linear);
    vida__add_entry_products(&own->matrix, own->entries, own->columns, own->linear->values);
    vida__linear_factor(own->linear);
  }
  return VIDA_SUCCESS;
}

int vida__energy_plan_start(VidaIntegration* self, vida_energy_plan* own, VidaError* error) {
  const bool is_used = !self->model.redundant && !vida__has_light_coordinates(self);
  own->has_factors = own->is_solved = false;
  own->sizes_age = -1;
  own->filter_age = -2;
  own->failures = own->skips = 0;
  self->implicit.plan = is_used ? &own->base : NULL;
  const int code =
      is_used && own->is_condensed ? prepare_condensed(self, own, error) : VIDA_SUCCESS;
  own->base.linear = own->is_condensed ? own->linear : vida__map_linear(self->implicit.map);
  return code;
}

const double* vida__energy_plan_force(const vida_energy_plan* plan) {
  return plan->force;
}

const double* vida__energy_plan_entries(const vida_energy_plan* plan) {
  return plan->entries;
}

void vida__energy_plan_record(vida_energy_plan* plan, VidaRecord* record) {
  if (!plan) {
    return;
  }
  VidaRecord_Reals(record, plan->block, plan->numbers);
  vida__record_integers(record, &plan->sizes_age, 1, -1, INT_MAX - 1);
  vida__record_integers(record, &plan->filter, 1, 0, VIDA_HISTORY - 1);
  vida__record_integers(record, &plan->filter_age, 1, -2, INT_MAX - 1);
  vida__record_integers(record, &plan->failures, 1, 0, 30);
  vida__record_integers(record, &plan->skips, 1, 0, INT_MAX);
  VidaRecord_Flag(record, &plan->has_factors);
  VidaRecord_Flag(record, &plan->is_solved);
  vida__linear_record(plan->linear, record);
}
