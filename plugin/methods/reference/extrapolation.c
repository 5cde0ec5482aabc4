/* extrapolation: sequences of steps without iterations, extrapolated to step 0, on the constraints
 * of velocities (index 2): q' = v, M v' = f - G^T lambda, G v + g_t = 0.
 *
 * euler, the half-explicit Euler method of MEXX (Lubich, Nowak, Poehle and Engstler 1992), for i =
 * 0, 1, ..., with steps s = H / N, N = 1, 2, 3, ...; its errors have an expansion in powers of s:
 *
 *     q_i+1 = q_i + s v_i,
 *     M(q_i+1) (v_i+1 - v_i) + s G(q_i+1)^T lambda = s f(q_i+1, v_i),   G(q_i+1) v_i+1 + g_t = 0.
 *
 * midpoint, a half-explicit midpoint rule (after Lubich 1989), N = 2, 4, 6, ...:
 *
 *     q_i+1 = q_i-1 + 2 s v_i,
 *     M(q_i) (v_i+1 - v_i-1) + 2 s G(q_i)^T lambda = 2 s f(q_i, v_i),
 *     G(q_i+1) v_i+1 + g_t = G(q_i-1) v_i-1 + g_t.
 *
 * Its first step, VIDA's own, is Euler's with the lambda for which the steps of length s and -s end
 * with the same residual of the constraints. So the map of the pairs of an even and an odd point is
 * symmetric, and the errors at even points have an expansion in powers of s^2. (With a residual of
 * 0 at the first odd point they would not.)
 *
 * The order and the length of adaptive steps are those with the least work per time (Hairer,
 * Norsett and Wanner, Solving Ordinary Differential Equations I, section II.9). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "methods/reference/one_step.h"
#include "methods/reference/underlying_ode.h"
#include "stepper/method_options.h"

enum { EULER, MIDPOINT };
enum { LEVEL_VELOCITY, LEVEL_BOTH };
enum { COLUMNS = 8, DEFAULT_COLUMNS = 3 };

/* The integrator and its method: vida_ode.memory and underlying_ode.extra. */
typedef struct extrapolation {
  vida_one_step base;
  int scheme;
  int columns; /* of fixed steps, and the largest number of adaptive ones */
  int target;  /* columns after which the next adaptive step should be accepted */
  int used;    /* columns of the last step */
  double* block;
  double* table[COLUMNS];   /* 2 n: increments of (q, v), the last computed line of the table */
  double *old, *now, *next; /* 2 n: increments of (q, v) at i - 1, i, i + 1 */
  double *q, *v;            /* n: at i */
  double* there;            /* n: q_i+1 */
  double *rows, *rows_here; /* entries of G at i + 1, and at i */
  double* residual;         /* m: of the constraints at odd points */
  double* side;             /* n + m */
  double* work;             /* n + m */
  double error;             /* of the last line */
  double step[COLUMNS + 1], work_per_time[COLUMNS + 1];
} extrapolation;

static underlying_ode* method_of(const vida_ode* ode) {
  return ode->data;
}

static int columns_of(const VidaOptions* options) {
  const double columns = VidaOptions_Get(options, "columns");
  return isfinite(columns) ? (int)columns : Vida_IsAdaptive(options) ? COLUMNS : DEFAULT_COLUMNS;
}

/* The number of steps of a line of the table, 1, 2, ... */
static int steps_of_line(const extrapolation* own, int line) {
  return own->scheme == EULER ? line : 2 * line;
}

/* The power of the step with which the error falls from column to column. */
static int powers(const extrapolation* own) {
  return own->scheme == EULER ? 1 : 2;
}

/* Returns the number of linear systems of all lines up to this one. */
static int systems_up_to(const extrapolation* own, int line) {
  return line * (line + 1) / 2 * powers(own);
}

static double square(double x) {
  return x * x;
}

/* ---- the sequences --------------------------------------------------------------------------- */

static void add(int n, const double* x, const double* y, double* to) {
  for (int i = 0; i < n; i++) {
    to[i] = x[i] + y[i];
  }
}

/* Solves M a + G^T lambda = f with the last factors; own->side + n has the right-hand side of the
 * constraints, and a (n) is then at own->side. */
static int solve(const vida_ode* ode, extrapolation* own, double t, const double* q,
                 const double* v) {
  vida_equations* equations = method_of(ode)->equations;
  const int code = vida__equations_motion_force(equations, t, q, v, own->side, own->work);
  return code ? code : vida__equations_solve_motion(equations, t, q, v, own->side);
}

/* Makes step i of the sequence from y (2 n) at t in steps s: from own->now to itself. */
static int step_by_euler(const vida_ode* ode, extrapolation* own, double t, double s, int i,
                         const double* y) {
  underlying_ode* method = method_of(ode);
  const int n = method->self->model.n, m = method->self->model.m;
  const double then = t + (i + 1) * s;
  double *q = own->now, *v = own->now + n, *bound = own->side + n;
  for (int k = 0; k < n; k++) {
    own->v[k] = y[n + k] + v[k];
    q[k] += s * own->v[k];
    own->q[k] = y[k] + q[k];
  }
  int code = vida__equations_factor(method->equations, then, own->q, own->v);
  code = code ? code
              : vida__velocity_residual(vida__equations_evaluator(method->equations), then, own->q,
                                        vida__equations_jacobian(method->equations), own->v, bound);
  for (int r = 0; r < m; r++) {
    bound[r] /= -s;
  }
  code = code ? code : solve(ode, own, then, own->q, own->v);
  for (int k = 0; k < n; k++) {
    v[k] += s * own->side[k];
  }
  return code;
}

/* Computes own->rows, the mean of G at both ends of the steps s and -s from y at t, and into the
 * right-hand side the condition that their residuals are equal. own->residual is work space. */
static int begin_symmetrically(const vida_ode* ode, extrapolation* own, double t, double s,
                               const double* y) {
  underlying_ode* method = method_of(ode);
  vida_evaluator* evaluator = vida__equations_evaluator(method->equations);
  const int n = method->self->model.n, m = method->self->model.m;
  const int entries = method->self->model.system->entry_count;
  double* bound = own->side + n;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < n; k++) {
    own->there[k] = y[k] - s * y[n + k];
  }
  code = vida__jacobian(evaluator, t - s, own->there, own->rows_here);
  code = code ? code
              : vida__velocity_residual(evaluator, t - s, own->there, own->rows_here, y + n,
                                        own->residual);
  for (int k = 0; k < n; k++) {
    own->there[k] = y[k] + s * y[n + k];
  }
  code = code ? code : vida__jacobian(evaluator, t + s, own->there, own->rows);
  code =
      code ? code : vida__velocity_residual(evaluator, t + s, own->there, own->rows, y + n, bound);
  for (int r = 0; r < m; r++) {
    bound[r] = (own->residual[r] - bound[r]) / (2.0 * s);
  }
  for (int k = 0; k < entries; k++) {
    own->rows[k] = 0.5 * (own->rows[k] + own->rows_here[k]);
  }
  return code;
}

/* The first step of the midpoint rule, from y (2 n) at t to own->next. */
static int begin_midpoint(const vida_ode* ode, extrapolation* own, double t, double s,
                          const double* y) {
  underlying_ode* method = method_of(ode);
  vida_evaluator* evaluator = vida__equations_evaluator(method->equations);
  const int n = method->self->model.n;
  double *q = own->next, *v = own->next + n;
  int code = begin_symmetrically(ode, own, t, s, y);
  code = code ? code : vida__equations_factor_rows(method->equations, t, y, y + n, NULL, own->rows);
  code = code ? code : solve(ode, own, t, y, y + n);
  for (int k = 0; k < n; k++) {
    q[k] = s * y[n + k];
    v[k] = s * own->side[k];
  }
  /* The residual of all odd points. */
  add(n, y, q, own->q);
  add(n, y + n, v, own->v);
  code = code ? code : vida__jacobian(evaluator, t + s, own->q, own->rows);
  return code ? code
              : vida__velocity_residual(evaluator, t + s, own->q, own->rows, own->v, own->residual);
}

/* Step i > 0 of the midpoint rule, to own->next from own->old, with rates at own->now, whose rows
 * are in own->rows_here. */
static int step_by_midpoint(const vida_ode* ode, extrapolation* own, double t, double s, int i,
                            const double* y) {
  underlying_ode* method = method_of(ode);
  vida_evaluator* evaluator = vida__equations_evaluator(method->equations);
  const int n = method->self->model.n, m = method->self->model.m;
  const double here = t + i * s, then = t + (i + 1) * s;
  double* bound = own->side + n;
  add(n, y, own->now, own->q);
  add(n, y + n, own->now + n, own->v);
  for (int k = 0; k < n; k++) {
    own->next[k] = own->old[k] + 2.0 * s * own->v[k];
    own->there[k] = y[k] + own->next[k];
  }
  add(n, y + n, own->old + n, own->work);
  int code = vida__jacobian(evaluator, then, own->there, own->rows);
  code = code ? code
              : vida__velocity_residual(evaluator, then, own->there, own->rows, own->work, bound);
  for (int r = 0; r < m; r++) {
    bound[r] = ((i % 2 == 0 ? own->residual[r] : 0.0) - bound[r]) / (2.0 * s);
  }
  code = code ? code
              : vida__equations_factor_rows(method->equations, here, own->q, own->v, own->rows_here,
                                            own->rows);
  code = code ? code : solve(ode, own, here, own->q, own->v);
  for (int k = 0; k < n; k++) {
    own->next[n + k] = own->old[n + k] + 2.0 * s * own->side[k];
  }
  return code;
}

/* Computes into own->now the increment of y (2 n) at t over H, in `count` steps. */
static int make_sequence(vida_ode* ode, double t, double h, int count, const double* y) {
  extrapolation* own = ode->memory;
  const double s = h / count;
  int code = VIDA_SUCCESS;
  memset(own->now, 0, (size_t)ode->size * sizeof *y);
  ode->counts.rates += count;
  for (int i = 0; i < count && !code; i++) {
    if (own->scheme == EULER) {
      code = step_by_euler(ode, own, t, s, i, y);
      continue;
    }
    code = i == 0 ? begin_midpoint(ode, own, t, s, y) : step_by_midpoint(ode, own, t, s, i, y);
    double* kept = own->old;
    own->old = own->now;
    own->now = own->next;
    own->next = kept;
    vida__exchange(&own->rows, &own->rows_here);
  }
  return code ? code : vida__are_finite(own->now, ode->size) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Computes the next line of the table of Aitken and Neville. own->table[k - 1] has T_line,k; `last`
 * (2 n, nullable) receives T_line,line - T_line,line-1. */
static int add_line(vida_ode* ode, double t, double h, int line, const double* y, double* last) {
  extrapolation* own = ode->memory;
  const int count = steps_of_line(own, line);
  const int code = make_sequence(ode, t, h, count, y);
  /* T_line,k replaces T_line-1,k, which the next column needs once more. */
  for (int i = 0; i < ode->size && !code; i++) {
    double value = own->now[i], change = 0.0;
    for (int k = 1; k < line; k++) {
      const double above = own->table[k - 1][i];
      own->table[k - 1][i] = value;
      const double ratio = (double)count / steps_of_line(own, line - k);
      change = (value - above) / ((powers(own) == 1 ? ratio : square(ratio)) - 1.0);
      value += change;
    }
    own->table[line - 1][i] = value;
    if (last) {
      last[i] = change;
    }
  }
  return code;
}

static void set_end(const vida_ode* ode, const double* y, int columns) {
  const extrapolation* own = ode->memory;
  add(ode->size, y, own->table[columns - 1], own->base.end);
}

static int make_step(vida_ode* ode, double t, double h, int columns, const double* y) {
  int code = VIDA_SUCCESS;
  for (int line = 1; line <= columns && !code; line++) {
    code = add_line(ode, t, h, line, y, NULL);
  }
  set_end(ode, y, columns);
  return code;
}

static int make(vida_ode* ode, double h) {
  const extrapolation* own = ode->memory;
  return make_step(ode, ode->node_t, h, own->columns, ode->node);
}

static int make_again(vida_ode* ode, double h) {
  const extrapolation* own = ode->memory;
  return make_step(ode, ode->previous_t, h, ode->settings.adaptive ? own->used : own->columns,
                   ode->previous);
}

/* ---- adaptive steps -------------------------------------------------------------------------- */

/* Computes the error of a line, the best step with its order, and the work per time. */
static int measure_line(const vida_ode* ode, extrapolation* own, double h, int line,
                        const double* last) {
  const double power = 1.0 / (powers(own) * (line - 1) + 1);
  const double smallest = pow(0.02, power);
  const double error = vida__ode_norm(ode, last);
  own->error = error;
  const double factor = 0.94 * pow(0.65 / fmax(error, 1e-10), power);
  own->step[line] = h * fmin(fmax(factor, smallest / 4.0), 1.0 / smallest);
  own->work_per_time[line] = systems_up_to(own, line) / own->step[line];
  return isfinite(error) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

/* Returns whether the lines up to the target and the one after it will not make the error small
 * enough, if each line divides it by the square of its number of steps. */
static bool is_hopeless(const extrapolation* own, int line) {
  double fall = 1.0;
  for (int next = line + 1; next <= own->target + 1; next++) {
    fall *= square((double)steps_of_line(own, next) / steps_of_line(own, 1));
  }
  return own->error > fall;
}

/* The length of a step with the next line, which costs as much per time as this one if its order is
 * of no use. */
static double step_of_next(const extrapolation* own, int line) {
  return own->step[line] * systems_up_to(own, line + 1) / systems_up_to(own, line);
}

/* Chooses the columns and the length of the next step after an accepted one with these lines. */
static void choose_next(extrapolation* own, int line, bool may_grow) {
  const double ratio = line > 2 ? own->work_per_time[line] / own->work_per_time[line - 1] : 0.0;
  own->target = ratio > 1.0 / 0.9 ? line - 1 : line;
  own->base.h = own->step[own->target];
  if (may_grow && ratio < 0.9 && line < own->columns) {
    own->target = line + 1;
    own->base.h = step_of_next(own, line);
  }
}

/* Chooses the length of the next attempt after one that was rejected with these lines. */
static void shrink(extrapolation* own, int line) {
  const double h = own->base.h;
  const double next = line < own->target ? step_of_next(own, line) : own->step[own->target];
  own->base.h = h * fmin(fmax(next / h, vida__largest_shrink), 0.5);
}

static int attempt(vida_ode* ode, bool was_rejected, bool* is_accepted) {
  extrapolation* own = ode->memory;
  const double h = own->base.h, *y = ode->node;
  double* last = N_VGetArrayPointer(ode->y);
  const int target = own->target;
  int line = 1;
  int code = add_line(ode, ode->node_t, h, line, y, NULL);
  for (;;) {
    line++;
    code = code ? code : add_line(ode, ode->node_t, h, line, y, last);
    code = code ? code : measure_line(ode, own, h, line, last);
    if (code) {
      return code;
    }
    *is_accepted = line >= target - 1 && own->error <= 1.0;
    if (*is_accepted || line > target || line == own->columns ||
        (line >= target - 1 && is_hopeless(own, line))) {
      break;
    }
  }
  if (!*is_accepted) {
    shrink(own, line);
    return VIDA_SUCCESS;
  }
  choose_next(own, line, !was_rejected);
  if (was_rejected) {
    own->base.h = fmin(own->base.h, h);
  }
  own->used = line;
  set_end(ode, y, line);
  return VIDA_SUCCESS;
}

static const vida_one_step_class formulas = {
    .make = make, .attempt = attempt, .make_again = make_again};

/* ---- the integrator -------------------------------------------------------------------------- */

enum { ARRAYS = 12 };

/* Returns the number of arrays. */
static size_t list_arrays(extrapolation* own, const vida_model* model,
                          vida_array arrays[ARRAYS + COLUMNS]) {
  const size_t n = (size_t)model->n, m = (size_t)model->m;
  const size_t entries = (size_t)model->system->entry_count;
  const vida_array list[ARRAYS] = {
      {&own->old, 2 * n},  {&own->now, 2 * n},  {&own->next, 2 * n},   {&own->q, n},
      {&own->v, n},        {&own->there, n},    {&own->rows, entries}, {&own->rows_here, entries},
      {&own->residual, m}, {&own->side, n + m}, {&own->work, n + m},   {&own->base.end, 2 * n}};
  memcpy(arrays, list, sizeof list);
  for (int k = 0; k < own->columns; k++) {
    arrays[ARRAYS + k] = (vida_array){&own->table[k], 2 * n};
  }
  return (size_t)(ARRAYS + own->columns);
}

static int allocate(extrapolation* own, const vida_model* model) {
  vida_array arrays[ARRAYS + COLUMNS];
  const size_t count = list_arrays(own, model, arrays);
  own->block = vida__allocate_arrays(arrays, count);
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int create_integrator(vida_ode* ode) {
  underlying_ode* method = method_of(ode);
  const VidaOptions* options = method->self->options;
  extrapolation* own = vida__allocate(1, sizeof *own);
  ode->memory = method->extra = own;
  if (!own) {
    return VIDA_OUT_OF_MEMORY;
  }
  own->base.class = &formulas;
  own->scheme = (int)VidaOptions_Get(options, "scheme");
  own->columns = columns_of(options);
  return allocate(own, &method->self->model);
}

static void record_integrator(vida_ode* ode, VidaRecord* record) {
  extrapolation* own = ode->memory;
  vida_array arrays[ARRAYS + COLUMNS];
  const size_t count = list_arrays(own, &method_of(ode)->self->model, arrays);
  vida__record_arrays(record, arrays, count);
  VidaRecord_Reals(record, &own->base.h, 1);
  VidaRecord_Reals(record, &own->error, 1);
  VidaRecord_Reals(record, own->step, COLUMNS + 1);
  VidaRecord_Reals(record, own->work_per_time, COLUMNS + 1);
  vida__record_integers(record, &own->target, 1, 0, own->columns - 1);
  vida__record_integers(record, &own->used, 1, 0, own->columns - 1);
}

static void destroy_integrator(vida_ode* ode) {
  extrapolation* own = ode->memory;
  if (own) {
    free(own->block);
    free(own);
  }
}

/* The target of the first step, from the digits of the tolerance. */
static int first_target(const extrapolation* own, double rtol) {
  const int target = (int)(0.3 * powers(own) * -log10(rtol) + 1.5);
  const int most = own->columns - 1;
  return target < 2 ? 2 : target > most ? most : target;
}

static int begin(vida_ode* ode, double t, double step, double stop) {
  extrapolation* own = ode->memory;
  if (ode->fresh && ode->settings.adaptive) {
    own->target = first_target(own, ode->settings.rtol);
  }
  return vida__one_step_begin(ode, t, step, stop);
}

static const vida_integrator_class integrator = {.name = "extrapolation",
                                                 .create = create_integrator,
                                                 .begin = begin,
                                                 .record = record_integrator,
                                                 .destroy = destroy_integrator,
                                                 VIDA_ONE_STEP_FUNCTIONS};

/* ---- the method ------------------------------------------------------------------------------ */

static int check(const VidaOptions* options, VidaError* error) {
  if (Vida_IsAdaptive(options) && columns_of(options) < 3) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "extrapolation: rtol needs columns of 3 or more, to choose the order");
  }
  return VIDA_SUCCESS;
}

static int create(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate,
                                        .settle = vida__underlying_project};
  const int code = vida__underlying_create_projected(self, functions, &integrator, error);
  if (!code) {
    underlying_ode* own = self->state;
    const int level = (int)VidaOptions_Get(self->options, "level");
    own->variant = level == LEVEL_BOTH ? VIDA_PROJECT_BOTH : VIDA_PROJECT_VELOCITY;
    self->given_up = level == LEVEL_VELOCITY ? VIDA_CAN_POSITION_LEVEL : 0;
  }
  return code;
}

static int order(const VidaOptions* options) {
  return columns_of(options) * ((int)VidaOptions_Get(options, "scheme") == EULER ? 1 : 2);
}

static const VidaOptionRow options[] = {
    {"scheme", VIDA_OPTION_CHOICE, "", MIDPOINT, 0.0, 1.0, false, "euler|midpoint",
     "euler: the half-explicit Euler method, in 1, 2, 3, ... steps (MEXX, Lubich et al. 1992); "
     "each "
     "column of the table adds 1 to the order; midpoint: a half-explicit midpoint rule, in 2, 4, "
     "6, ... steps, with an expansion of its errors in even powers (after Lubich 1989); each "
     "column "
     "adds 2."},
    {"columns", VIDA_OPTION_INTEGER, "1", NAN, 1.0, COLUMNS, false, NULL,
     "Columns of the table of extrapolation: with fixed steps their number, by default 4; with "
     "rtol "
     "the largest number, by default 8, at least 3."},
    {"level", VIDA_OPTION_CHOICE, "", LEVEL_BOTH, 0.0, 1.0, false, "velocity|both",
     "The projection after each step: velocities onto G v + g_t = 0, so that positions drift off "
     "g = 0; or first positions onto g = 0."},
    VIDA_METRIC_ROW,
    VIDA_PROJECTION_TOLERANCE_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__extrapolation = {
    .size = sizeof(VidaMethod),
    .info =
        {"extrapolation",
         "extrapolated half-explicit Euler and midpoint methods, of any order, for constraints of "
         "velocities: one linear system per step of a sequence",
         "Lubich, Nowak, Poehle and Engstler 1992 (MEXX); Lubich 1989",
         "Explicit: stable for steps below a fraction of the shortest period. Adaptive steps may "
         "span "
         "many output intervals; each output state within one costs another, shorter step.",
         6, VIDA_UNDERLYING_CAPABILITIES | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .remedy = {.option = "level", .value = "both"},
    .common = vida__ode_options,
    .options = options,
    .check = check,
    .create = create,
    .start = vida__underlying_start,
    .multipliers = vida__node_multipliers,
    .order = order,
    VIDA_UNDERLYING_FUNCTIONS};
