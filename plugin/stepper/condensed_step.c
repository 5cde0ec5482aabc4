#include "stepper/condensed_step.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "system/constraints/multiplier_matrix.h"

struct vida_condensed {
  vida_multiplier_matrix matrix;
  vida_map* map;
  vida_linear* projection; /* G M^-1 G^T */
  bool is_used;            /* by the steps of this motion */
  int sizes_age;           /* steps since the sizes of the rows were measured; < 0: never */
  bool has_measured;       /* the row sizes have been used in this step */
  bool is_at_guess;        /* the next residual is that of the guess of the step */
  bool has_guess_entries;  /* `entries` are those at the guess, for the next matrix */
  bool has_end;            /* w, dq and q1 are those of the multipliers `known` */
  double* known;           /* m */
  double* inverse;         /* n: 1 / mass */
  double* factor;          /* n: a multiple of it */
  double* unconstrained;   /* n: w without constraint forces, -M^-1 base */
  double* w;               /* n: (q1 - q0) / h */
  double* dq;              /* n: q1 - q0 */
  double* q1;              /* n: positions at the end of the step */
  double* guess;           /* m: multipliers before the solution */
  double* size;            /* m: sizes of the rows */
  double* entries;         /* of G at q1 */
  double* columns; /* entries: weight M^-1 G^T in the pattern of G; kappa and G0 in a step, 1 and G
                      at the node in a projection */
  double data[];   /* memory of the arrays above */
};

/* ---- equations ------------------------------------------------------------------------------- */

/* Computes columns = weight M^-1 G^T. */
static void find_columns(VidaIntegration* self, const double* entries, double weight) {
  vida_condensed* own = self->implicit.condensed;
  for (int i = 0; i < self->model.n; i++) {
    own->factor[i] = weight * own->inverse[i];
  }
  vida__scale_runs(&own->matrix.runs, entries, own->factor, own->columns);
}

/* Computes the parts of the equations that do not depend on the multipliers. */
static void prepare(VidaIntegration* self) {
  vida_condensed* own = self->implicit.condensed;
  const vida_step_form* form = &self->implicit.form;
  for (int i = 0; i < self->model.n; i++) {
    own->unconstrained[i] = -own->inverse[i] * form->base[i];
  }
  find_columns(self, self->implicit.entries0, *form->kappa);
  own->has_measured = own->has_end = own->has_guess_entries = false;
  own->is_at_guess = true;
  own->sizes_age += own->sizes_age >= 0 ? 1 : 0;
}

/* Computes w(mu). */
static void find_velocities(const VidaIntegration* self, const double* mu) {
  const vida_condensed* own = self->implicit.condensed;
  memcpy(own->w, own->unconstrained, (size_t)self->model.n * sizeof *own->w);
  vida__subtract_runs(&own->matrix.runs, own->columns, mu, own->w);
}

/* Computes dq and q1 for the velocities w (n) of the step. */
static void find_end(const VidaIntegration* self, const double* w) {
  const double h = self->node.h;
  const double* restrict q = self->node.q;
  double* restrict dq = self->implicit.condensed->dq;
  double* restrict q1 = self->implicit.condensed->q1;
  for (int i = 0; i < self->model.n; i++) {
    dq[i] = h * w[i];
    q1[i] = q[i] + dq[i];
  }
}

/* Computes w, dq and q1, unless they are those of these multipliers. */
static void move_to(VidaIntegration* self, const double* mu) {
  vida_condensed* own = self->implicit.condensed;
  bool is_known = own->has_end;
  for (int r = 0; r < self->model.m && is_known; r++) {
    is_known = mu[r] == own->known[r];
  }
  if (!is_known) {
    find_velocities(self, mu);
    find_end(self, own->w);
    memcpy(own->known, mu, (size_t)self->model.m * sizeof *mu);
    own->has_end = true;
  }
}

/* Computes g / h at q1, which is the end of a step with the velocities w (n). */
static int find_constraints(VidaIntegration* self, const double* w, double* r) {
  const vida_condensed* own = self->implicit.condensed;
  const double h = self->node.h;
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, own->q1, own->dq);
  const int code =
      vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between, w, h,
                                 self->implicit.g0, self->work.entries, r);
  for (int k = 0; k < self->model.m; k++) {
    r[k] += self->implicit.g0[k] / h;
  }
  return code;
}

static int find_entries(VidaIntegration* self) {
  vida_condensed* own = self->implicit.condensed;
  return vida__jacobian(&self->model.evaluator, vida__next_time(self), own->q1, own->entries);
}

/* Evaluates the constraints at the extrapolated w of self->implicit.unknown instead of w(mu), and
 * adds G1 (w(mu) - w). The first iterate is then that of Newton's method with all unknowns, and so
 * are the later ones: extrapolated multipliers may lead to another branch of the constraints than
 * extrapolated positions. */
static int guess_residual(VidaIntegration* self, const double* mu, double* r) {
  vida_condensed* own = self->implicit.condensed;
  const double* w = self->implicit.unknown;
  find_end(self, w);
  int code = find_constraints(self, w, r);
  code = code ? code : find_entries(self);
  find_velocities(self, mu);
  for (int i = 0; i < self->model.n; i++) {
    own->dq[i] = own->w[i] - w[i];
  }
  for (int k = 0; k < self->model.m; k++) {
    r[k] = -r[k];
  }
  vida__multiply_runs(&own->matrix.runs, own->entries, own->dq, r, r);
  own->is_at_guess = false;
  own->has_guess_entries = !code;
  return code;
}

static int residual(void* data, const double* mu, double* r) {
  VidaIntegration* self = data;
  vida_condensed* own = self->implicit.condensed;
  if (own->is_at_guess) {
    return guess_residual(self, mu, r);
  }
  own->has_guess_entries = false;
  move_to(self, mu);
  return find_constraints(self, own->w, r);
}

static int jacobian(void* data, const double* mu, double* values) {
  VidaIntegration* self = data;
  vida_condensed* own = self->implicit.condensed;
  int code = VIDA_SUCCESS;
  if (!own->has_guess_entries) {
    move_to(self, mu);
    code = find_entries(self);
  }
  own->has_guess_entries = false;
  vida__add_entry_products(&own->matrix, own->entries, own->columns, values);
  for (int k = 0; k < own->matrix.pattern.entries; k++) {
    values[k] = -values[k];
  }
  return code;
}

/* Sizes need not be precise. A step first uses sizes of one of the last steps; if the solution does
 * not pass and is measured again, they are computed anew. */
static void row_sizes(void* data, const double* mu, double* size) {
  enum { OLDEST = 16 };
  VidaIntegration* self = data;
  vida_condensed* own = self->implicit.condensed;
  const bool is_old = own->sizes_age < 0 || own->sizes_age >= OLDEST;
  const bool is_again = own->has_measured && own->sizes_age > 0;
  (void)mu;
  if (is_old || is_again) {
    vida__constraint_row_sizes(self, own->w, own->size);
    own->sizes_age = 0;
  }
  own->has_measured = true;
  memcpy(size, own->size, (size_t)self->model.m * sizeof *size);
}

static void guess_none(void* data, double* mu) {
  const VidaIntegration* self = data;
  memset(mu, 0, (size_t)self->model.m * sizeof *mu);
}

static const char* name_of_row(const void* list, int row, const char** kind) {
  *kind = "constraint";
  return ((const VidaSystem*)list)->rows[row].name;
}

/* ---- creation -------------------------------------------------------------------------------- */

static size_t count_numbers(const VidaIntegration* self) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  return 6 * n + 3 * m + 2 * (size_t)self->model.system->entry_count;
}

static int allocate(VidaIntegration* self) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  vida_condensed* made =
      vida__allocate(1, sizeof *made + count_numbers(self) * sizeof made->data[0]);
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->inverse = made->data;
  made->factor = made->inverse + n;
  made->unconstrained = made->factor + n;
  made->w = made->unconstrained + n;
  made->dq = made->w + n;
  made->q1 = made->dq + n;
  made->guess = made->q1 + n;
  made->size = made->guess + m;
  made->known = made->size + m;
  made->columns = made->known + m;
  made->entries = made->columns + entries;
  self->implicit.condensed = made;
  return VIDA_SUCCESS;
}

/* From a good guess Newton's method needs one to three iterations. A step that needs more is solved
 * with all unknowns: it may be near a singular configuration, beyond which lies another branch. */
enum { MOST_ITERATIONS = 3 };

static bool may_condense(const VidaIntegration* self, vida_map_options options) {
  const VidaSystem* system = self->model.system;
  return self->implicit.form.base && system->separable && system->row_count > 0 &&
         !system->nonholonomic && !vida__gives_solver(options.services) && options.reduced == 0 &&
         !VidaOptions_HasChoice(self->options, "plan", "general");
}

int vida__condensed_create(VidaIntegration* self, vida_map_options options, VidaError* error) {
  static const VidaStepEquations equations = {residual, jacobian, row_sizes, guess_none};
  if (!may_condense(self, options)) {
    return VIDA_SUCCESS;
  }
  int code = allocate(self);
  vida_condensed* own = self->implicit.condensed;
  code = code ? code : vida__find_multiplier_matrix(self->model.system, &own->matrix);
  if (code) {
    return vida__fail_memory(error); /* the caller frees what was created */
  }
  if (own->matrix.pattern.size == 0) {
    vida__condensed_destroy(&self->implicit.condensed);
    return VIDA_SUCCESS;
  }
  const vida_map_rows rows = {&own->matrix.pattern, &self->model.evaluator, name_of_row,
                              self->model.system};
  options.max_iterations =
      options.max_iterations < MOST_ITERATIONS ? options.max_iterations : MOST_ITERATIONS;
  code = vida__map_create(self->model.context, rows, equations, self, options, &own->map, error);
  if (code) {
    return code;
  }
  return vida__linear_create(self->model.context, &own->matrix.pattern, options.solver,
                             &own->projection, error);
}

void vida__condensed_destroy(vida_condensed** condensed) {
  vida_condensed* old = *condensed;
  if (!old) {
    return;
  }
  vida__map_destroy(&old->map);
  vida__linear_destroy(&old->projection);
  vida__free_multiplier_matrix(&old->matrix);
  free(old);
  *condensed = NULL;
}

/* ---- use ------------------------------------------------------------------------------------- */

void vida__condensed_start(VidaIntegration* self) {
  vida_condensed* own = self->implicit.condensed;
  if (!own) {
    return;
  }
  own->is_used = !self->model.redundant && !vida__has_light_coordinates(self);
  own->sizes_age = -1;
  for (int i = 0; i < self->model.n; i++) { /* parameters may have changed the masses */
    own->inverse[i] = 1.0 / self->model.system->mass[i];
  }
}

bool vida__is_condensed(const VidaIntegration* self) {
  return self->implicit.condensed && self->implicit.condensed->is_used;
}

const vida_pattern* vida__condensed_pattern(const VidaIntegration* self) {
  return &self->implicit.condensed->matrix.pattern;
}

vida_map* vida__condensed_map(const VidaIntegration* self) {
  return self->implicit.condensed->map;
}

bool vida__condensed_solve(VidaIntegration* self) {
  vida_condensed* own = self->implicit.condensed;
  const size_t bytes = (size_t)self->model.m * sizeof *own->guess;
  double* mu = self->implicit.unknown + self->model.n;
  memcpy(own->guess, mu, bytes);
  prepare(self);
  if (!vida__map_attempt(own->map, mu)) {
    memcpy(mu, own->guess, bytes);
    return false;
  }
  move_to(self, mu);
  memcpy(self->implicit.unknown, own->w, (size_t)self->model.n * sizeof *own->w);
  return true;
}

/* ---- projection ------------------------------------------------------------------------------ */

/* Returns the largest component of x relative to the sizes; NaN if one is NaN. */
static double find_largest_ratio(int count, const double* x, const double* size) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fabs(x[i]) <= largest * size[i] ? largest : fabs(x[i]) / size[i];
  }
  return largest;
}

/* Computes r = G v + g_t, and its largest row relative to a motion of this size. */
static int find_rates(VidaIntegration* self, double t, const double* q, const double* entries,
                      const double* v, double motion, double* r, double* largest) {
  const int code = vida__velocity_residual(&self->model.evaluator, t, q, entries, v, r);
  *largest = find_largest_ratio(self->model.m, r, self->model.row_stiffness);
  *largest = motion > 0.0 ? *largest / motion : *largest;
  return code;
}

static int factor_projection(VidaIntegration* self, const double* entries) {
  vida_condensed* own = self->implicit.condensed;
  own->has_end = false; /* the columns are those of the projection now */
  find_columns(self, entries, 1.0);
  vida__linear_clear(own->projection);
  vida__add_entry_products(&own->matrix, entries, own->columns, own->projection->values);
  return vida__linear_factor(own->projection);
}

bool vida__condensed_project(VidaIntegration* self, double t, const double* q,
                             const double* entries, const double* p, double* v, double* nu) {
  enum { MOST_CORRECTIONS = 4 };
  vida_condensed* own = self->implicit.condensed;
  double* r = own->known; /* not needed any more */
  const double motion = find_largest_ratio(self->model.n, p, self->model.root_mass);
  double largest, before = INFINITY;
  memset(nu, 0, (size_t)self->model.m * sizeof *nu);
  for (int i = 0; i < self->model.n; i++) {
    v[i] = own->inverse[i] * p[i];
  }
  int code = factor_projection(self, entries);
  for (int k = 0; k <= MOST_CORRECTIONS && !code; k++) {
    code = find_rates(self, t, q, entries, v, motion, r, &largest);
    /* Not at k = 0: relative to a heavy and fast part, the violations of other parts look like
     * rounding before the first correction. */
    const bool is_rounding =
        k > 0 && (largest <= 2.0 * DBL_EPSILON || (largest < 1e-12 && largest >= before));
    if (code || is_rounding) {
      break;
    }
    before = largest;
    code = vida__linear_solve(own->projection, r, r);
    vida__subtract_runs(&own->matrix.runs, own->columns, r, v);
    for (int i = 0; i < self->model.m; i++) {
      nu[i] += r[i];
    }
  }
  return !code && largest < 1e-12;
}

void vida__condensed_prepare(VidaIntegration* self) {
  prepare(self);
  vida__map_prepare(self->implicit.condensed->map, self->implicit.unknown + self->model.n);
  factor_projection(self, self->implicit.entries0);
  vida__map_reset_counts(self->implicit.condensed->map);
}

void vida__condensed_record(VidaIntegration* self, VidaRecord* record) {
  vida_condensed* own = self->implicit.condensed;
  if (!own) {
    return;
  }
  bool* flags[] = {&own->is_used, &own->has_measured, &own->is_at_guess, &own->has_end,
                   &own->has_guess_entries};
  vida__record_part(record, "condensed steps");
  VidaRecord_Reals(record, own->data, count_numbers(self));
  vida__record_integers(record, &own->sizes_age, 1, -1, INT_MAX - 1);
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  vida__map_record(own->map, record);
  vida__linear_record(own->projection, record);
}
