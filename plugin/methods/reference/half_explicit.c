/* half-explicit: the tableaux of half_explicit.h as a one-step method of one_step.h. The projection
 * onto g = 0 after a step takes the factors of the last stage. */
#include "methods/reference/half_explicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "methods/reference/one_step.h"
#include "methods/reference/underlying_ode.h"
#include "stepper/method_options.h"

enum { STAGES = VIDA_HALF_EXPLICIT_STAGES };
enum { FROM_EQUATIONS, FROM_SCHEME }; /* the first stage of a step */
enum { LEVEL_VELOCITY, LEVEL_BOTH };

/* The integrator and its method: vida_ode.memory and underlying_ode.extra. */
typedef struct half_explicit {
  vida_one_step base;
  const vida_half_explicit* scheme;
  bool by_scheme;        /* the additional stage is that of the scheme */
  bool is_nearby;        /* projections take the factors of the last stage */
  double c[STAGES];      /* of stages, and */
  double at[STAGES];     /* of points */
  bool is_point[STAGES]; /* the stage is at the point of the stage before it */
  double* block;
  double* v[STAGES];            /* n: V_i */
  double* a[STAGES];            /* n: A_i */
  double *stage, *point, *rate; /* n: Q_i, R_i, and the velocities at R_i without A_i */
  double* rows[2];  /* entries of G at the point of this stage, and of the one before it */
  double* side;     /* n + m */
  double* work;     /* n + m */
  double* first;    /* n: A of the first stage at the node, for the state */
  double* first_at; /* 2 n */
  double first_t;
  bool has_first;
  double* previous_first; /* n: the same of the step before */
  double before;          /* the error of the last step; 0: none */
} half_explicit;

static underlying_ode* method_of(const vida_ode* ode) {
  return ode->data;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Computes to (n) = from + h sum_{j < count} weight_j x_j. */
static void combine(int n, const double* from, double h, const double* weight, int count,
                    double* const* x, double* to) {
  memcpy(to, from, (size_t)n * sizeof *to);
  for (int j = 0; j < count; j++) {
    const double factor = h * weight[j];
    for (int i = 0; i < n && factor != 0.0; i++) {
      to[i] += factor * x[j][i];
    }
  }
}

/* Computes R_i, and into `side` the right-hand side of the second line of stage k. */
static int find_point(const vida_ode* ode, half_explicit* own, double t, double h, const double* y,
                      int k) {
  underlying_ode* method = method_of(ode);
  vida_evaluator* evaluator = vida__equations_evaluator(method->equations);
  const int n = method->self->model.n, m = method->self->model.m;
  const double* weight = own->scheme->points[k];
  const double there = t + own->at[k] * h;
  double* bound = own->side + n;
  vida__exchange(&own->rows[0], &own->rows[1]);
  combine(n, y, h, weight, k + 1, own->v, own->point);
  combine(n, y + n, h, weight, k, own->a, own->rate);
  int code = vida__jacobian(evaluator, there, own->point, own->rows[0]);
  code =
      code ? code
           : vida__velocity_residual(evaluator, there, own->point, own->rows[0], own->rate, bound);
  for (int r = 0; r < m; r++) {
    bound[r] /= -(h * weight[k]);
  }
  return code;
}

/* Computes A_k into `a` from the stage at q, whose V_k is known, and its point. */
static int solve_stage(const vida_ode* ode, half_explicit* own, double t, const double* q, int k,
                       const double* columns, double* a) {
  underlying_ode* method = method_of(ode);
  const int n = method->self->model.n;
  vida_equations* equations = method->equations;
  int code = vida__equations_factor_rows(equations, t, q, own->v[k], columns, own->rows[0]);
  code =
      code ? code : vida__equations_motion_force(equations, t, q, own->v[k], own->side, own->work);
  code = code ? code : vida__equations_solve_motion(equations, t, q, own->v[k], own->side);
  memcpy(a, own->side, (size_t)n * sizeof *a);
  return code;
}

/* Computes V_k and A_k of a step of length h from y (2 n) at t. */
static int make_stage(vida_ode* ode, double t, double h, const double* y, int k) {
  half_explicit* own = ode->memory;
  const int n = method_of(ode)->self->model.n;
  const double* weight = own->scheme->a[k];
  combine(n, y + n, h, weight, k, own->a, own->v[k]);
  combine(n, y, h, weight, k, own->v, own->stage);
  ode->counts.rates++;
  const int code = find_point(ode, own, t, h, y, k);
  return code ? code
              : solve_stage(ode, own, t + own->c[k] * h, own->stage, k,
                            own->is_point[k] ? own->rows[1] : NULL, own->a[k]);
}

/* Computes the end of a step of length h from y at t: the point of its last stage. The first stage
 * of a scheme with an explicit one has A_0 = first (n). */
static int make_stages(vida_ode* ode, double t, double h, const double* y, const double* first) {
  half_explicit* own = ode->memory;
  const int n = method_of(ode)->self->model.n, last = own->scheme->stages - 1;
  const size_t bytes = (size_t)n * sizeof *y;
  int code = VIDA_SUCCESS, k = 0;
  if (own->scheme->has_explicit_stage) {
    memcpy(own->v[0], y + n, bytes);
    memcpy(own->a[0], first, bytes);
    k = 1;
  }
  for (; k <= last && !code; k++) {
    code = make_stage(ode, t, h, y, k);
  }
  memcpy(own->base.end, own->point, bytes);
  const double* weight = own->scheme->points[last];
  for (int i = 0; i < n && !code; i++) {
    own->base.end[n + i] = own->rate[i] + h * weight[last] * own->a[last][i];
  }
  return code ? code : vida__are_finite(own->base.end, 2 * n) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

/* Computes V and A of the additional stage, at the end of the step. */
static int make_additional_stage(vida_ode* ode, double t, double h, const double* y) {
  half_explicit* own = ode->memory;
  underlying_ode* method = method_of(ode);
  const int n = method->self->model.n, k = own->scheme->stages;
  ode->counts.rates++;
  memcpy(own->v[k], own->base.end + n, (size_t)n * sizeof *y);
  if (!own->by_scheme) {
    return vida__underlying_find(method, t + h, own->base.end, own->base.end + n, own->a[k]);
  }
  const int code = find_point(ode, own, t, h, y, k);
  return code ? code : solve_stage(ode, own, t + h, own->base.end, k, own->rows[1], own->a[k]);
}

/* ---- the error ------------------------------------------------------------------------------- */

/* Computes the norm of the error of the step of length h: the difference of both formulas, without
 * the part of the velocities along M^-1 G^T. There the multipliers of the stages have errors of low
 * order, which the last stage takes away. */
static int estimate_error(const vida_ode* ode, double h, double* norm) {
  half_explicit* own = ode->memory;
  underlying_ode* method = method_of(ode);
  const int n = method->self->model.n, m = method->self->model.m;
  const int count = own->scheme->stages + (own->scheme->has_explicit_stage ? 1 : 0);
  double *error = N_VGetArrayPointer(ode->y), *across = own->side;
  int code = VIDA_SUCCESS;
  memset(error, 0, 2 * (size_t)n * sizeof *error);
  combine(n, error, h, own->scheme->error, count, own->v, error);
  combine(n, error + n, h, own->scheme->error, count, own->a, error + n);
  if (m > 0) {
    memset(across, 0, (size_t)m * sizeof *across);
    vida__add_constraint_velocity(method->self->model.system,
                                  vida__equations_jacobian(method->equations), 1.0, error + n,
                                  across);
    code = vida__equations_correct(method->equations, across, own->work);
  }
  for (int i = 0; i < n && m > 0 && !code; i++) {
    error[n + i] -= own->work[i];
  }
  *norm = vida__ode_norm(ode, error);
  return code ? code : isfinite(*norm) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Keeps the acceleration of the first stage of the next step, at the state y (2 n). */
static void keep_first(const vida_ode* ode, double t, const double* y, const double* a) {
  half_explicit* own = ode->memory;
  memcpy(own->first, a, (size_t)ode->size / 2 * sizeof *a);
  memcpy(own->first_at, y, (size_t)ode->size * sizeof *y);
  own->first_t = t;
  own->has_first = true;
}

/* Computes it, unless it is known. */
static int require_first(vida_ode* ode) {
  half_explicit* own = ode->memory;
  const double* y = ode->node;
  const size_t bytes = (size_t)ode->size * sizeof *y;
  if (!own->scheme->has_explicit_stage ||
      (own->has_first && own->first_t == ode->node_t && memcmp(y, own->first_at, bytes) == 0)) {
    return VIDA_SUCCESS;
  }
  double* rate = ode->there;
  const int code = vida__ode_rate(ode, ode->node_t, y, rate);
  if (!code) {
    keep_first(ode, ode->node_t, y, rate + ode->size / 2);
  }
  return code;
}

/* Makes the step from the node to base.end, and finds the acceleration there. */
static int make(vida_ode* ode, double h) {
  half_explicit* own = ode->memory;
  const int code = make_stages(ode, ode->node_t, h, ode->node, own->first);
  return code || !own->scheme->has_explicit_stage
             ? code
             : make_additional_stage(ode, ode->node_t, h, ode->node);
}

static int make_again(vida_ode* ode, double h) {
  const half_explicit* own = ode->memory;
  return make_stages(ode, ode->previous_t, h, ode->previous, own->previous_first);
}

static void keep(vida_ode* ode, double t, const double* y) {
  half_explicit* own = ode->memory;
  vida__exchange(&own->first, &own->previous_first);
  if (own->scheme->has_explicit_stage) {
    keep_first(ode, t, y, own->a[own->scheme->stages]);
  }
}

/* Sets the next step by the error of this one (vida_step_control). */
static void choose_next(half_explicit* own, double h, double error, bool was_rejected) {
  const vida_step_control* control = &vida__step_control;
  const double power = 1.0 / (own->scheme->embedded + 1);
  const double now = fmax(error, 1e-10);
  const double past = own->before > 0.0 ? own->before : 1.0;
  const double growth =
      control->safety * pow(now, -control->now * power) * pow(past, control->past * power);
  own->base.h =
      h * fmin(fmax(growth, vida__largest_shrink), was_rejected ? 1.0 : control->largest_growth);
  own->before = now;
}

static int attempt(vida_ode* ode, bool was_rejected, bool* is_accepted) {
  half_explicit* own = ode->memory;
  const double h = own->base.h;
  double error = 0.0;
  int code = make(ode, h);
  code = code ? code : estimate_error(ode, h, &error);
  *is_accepted = error <= 1.0;
  if (!code && *is_accepted) {
    choose_next(own, h, error, was_rejected);
  } else if (!code) {
    const double factor =
        vida__step_control.safety * pow(error, -1.0 / (own->scheme->embedded + 1));
    own->base.h = h * fmax(factor, vida__largest_shrink);
  }
  return code;
}

static const vida_one_step_class formulas = {.prepare = require_first,
                                             .make = make,
                                             .attempt = attempt,
                                             .keep = keep,
                                             .make_again = make_again};

/* ---- the integrator -------------------------------------------------------------------------- */

static void set_scheme(half_explicit* own, const vida_half_explicit* scheme) {
  own->scheme = scheme;
  for (int k = 0; k < STAGES; k++) {
    /* There is no point before the second stage if the first one is explicit. */
    own->is_point[k] = k > (scheme->has_explicit_stage ? 1 : 0);
    for (int j = 0; j < STAGES; j++) {
      own->c[k] += scheme->a[k][j];
      own->at[k] += scheme->points[k][j];
      own->is_point[k] = own->is_point[k] && scheme->a[k][j] == scheme->points[k - 1][j];
    }
  }
}

enum { ARRAYS = 11 + 2 * STAGES };

static void list_arrays(half_explicit* own, const vida_model* model, vida_array arrays[ARRAYS]) {
  const size_t n = (size_t)model->n, m = (size_t)model->m;
  const size_t entries = (size_t)model->system->entry_count;
  const vida_array list[11] = {
      {&own->stage, n},         {&own->point, n},         {&own->rate, n},
      {&own->rows[0], entries}, {&own->rows[1], entries}, {&own->side, n + m},
      {&own->work, n + m},      {&own->base.end, 2 * n},  {&own->first, n},
      {&own->first_at, 2 * n},  {&own->previous_first, n}};
  memcpy(arrays, list, sizeof list);
  for (int k = 0; k < STAGES; k++) {
    arrays[11 + 2 * k] = (vida_array){&own->v[k], n};
    arrays[12 + 2 * k] = (vida_array){&own->a[k], n};
  }
}

static int allocate(half_explicit* own, const vida_model* model) {
  vida_array arrays[ARRAYS];
  list_arrays(own, model, arrays);
  own->block = vida__allocate_arrays(arrays, ARRAYS);
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int create_integrator(vida_ode* ode) {
  underlying_ode* method = method_of(ode);
  const VidaOptions* options = method->self->options;
  half_explicit* own = vida__allocate(1, sizeof *own);
  ode->memory = method->extra = own;
  if (!own) {
    return VIDA_OUT_OF_MEMORY;
  }
  own->base.class = &formulas;
  set_scheme(own, vida__half_explicit_scheme((int)VidaOptions_Get(options, "scheme")));
  own->by_scheme = (int)VidaOptions_Get(options, "first_stage") == FROM_SCHEME;
  own->is_nearby = VidaOptions_HasChoice(options, "metric", "mass");
  return allocate(own, &method->self->model);
}

static void record_integrator(vida_ode* ode, VidaRecord* record) {
  half_explicit* own = ode->memory;
  vida_array arrays[ARRAYS];
  list_arrays(own, &method_of(ode)->self->model, arrays);
  vida__record_arrays(record, arrays, ARRAYS);
  VidaRecord_Reals(record, &own->base.h, 1);
  VidaRecord_Reals(record, &own->first_t, 1);
  VidaRecord_Reals(record, &own->before, 1);
  VidaRecord_Flag(record, &own->has_first);
}

static void destroy_integrator(vida_ode* ode) {
  half_explicit* own = ode->memory;
  if (own) {
    free(own->block);
    free(own);
  }
}

static int begin(vida_ode* ode, double t, double step, double stop) {
  half_explicit* own = ode->memory;
  if (ode->fresh) {
    own->has_first = false;
    own->before = 0.0;
  }
  return vida__one_step_begin(ode, t, step, stop);
}

static const vida_integrator_class integrator = {.name = "half-explicit",
                                                 .create = create_integrator,
                                                 .begin = begin,
                                                 .record = record_integrator,
                                                 .destroy = destroy_integrator,
                                                 VIDA_ONE_STEP_FUNCTIONS};

/* ---- the method ------------------------------------------------------------------------------ */

static int settle(void* data, double t, double* y) {
  underlying_ode* method = data;
  const half_explicit* own = method->extra;
  double* v = y + method->self->model.n;
  if (method->self->model.m == 0 || method->variant == LEVEL_VELOCITY) {
    return VIDA_SUCCESS;
  }
  vida_state_projection projection = vida__underlying_projection(method);
  int code = own->is_nearby ? vida__project_nearby(&projection, t, y, v)
                            : vida__project_position(&projection, t, y, v);
  method->iterations += projection.iterations;
  method->corrections += projection.corrections;
  if (!code && !own->is_nearby) {
    code = vida__project_velocity_level(&projection, t, y, v);
  }
  return vida__underlying_pass_on(method, code);
}

/* Fails for an option that is set and changes nothing. */
static int refuse_idle(const VidaOptions* options, const char* name, const char* why,
                       VidaError* error) {
  return VidaOptions_IsSet(options, name)
             ? vida__fail(error, VIDA_BAD_ARGUMENT, "half-explicit: %s has no effect %s", name, why)
             : VIDA_SUCCESS;
}

static int check(const VidaOptions* options, VidaError* error) {
  int code = VIDA_SUCCESS;
  if (VidaOptions_HasChoice(options, "scheme", "hem4")) {
    code = refuse_idle(options, "first_stage", "with scheme = hem4, which has one kind", error);
  }
  if (!code && VidaOptions_HasChoice(options, "level", "velocity")) {
    code = refuse_idle(options, "metric", "with level = velocity, which projects nothing", error);
    code = code ? code
                : refuse_idle(options, "projection_tolerance",
                              "with level = velocity, which projects nothing", error);
  }
  return code;
}

static int create(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate, .settle = settle};
  const int code = vida__underlying_create_projected(self, functions, &integrator, error);
  if (!code) {
    underlying_ode* own = self->state;
    own->variant = (int)VidaOptions_Get(self->options, "level");
    self->given_up = own->variant == LEVEL_VELOCITY ? VIDA_CAN_POSITION_LEVEL : 0;
  }
  return code;
}

static int order(const VidaOptions* options) {
  return vida__half_explicit_scheme((int)VidaOptions_Get(options, "scheme"))->order;
}

static const VidaOptionRow options[] = {
    {"scheme", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, VIDA_HALF_EXPLICIT_CHOICES,
     "hedop5: order 5, the formulas of Dormand and Prince with explicit stages (Arnold 1998); "
     "phem56: order 5, with the same formulas and constraints at other points than those of the "
     "stages (Murua 1997); hem4: order 4 (Brasey and Hairer 1993), with an embedded formula of "
     "order 3 of VIDA's own."},
    {"level", VIDA_OPTION_CHOICE, "", LEVEL_BOTH, 0.0, 1.0, false, "velocity|both",
     "velocity: the scheme alone, whose positions drift off g = 0; both: positions are projected "
     "onto g = 0 after each step, then velocities again."},
    VIDA_METRIC_ROW,
    VIDA_PROJECTION_TOLERANCE_ROW,
    {"first_stage", VIDA_OPTION_CHOICE, "", FROM_EQUATIONS, 0.0, 1.0, false, "equations|scheme",
     "The accelerations of the first stage of hedop5 and phem56: from the equations of motion at "
     "the end of the last step, or from an additional stage of the scheme, with multipliers of "
     "order 4. Both solve one linear system."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__half_explicit = {
    .size = sizeof(VidaMethod),
    .info =
        {"half-explicit",
         "half-explicit Runge-Kutta methods of order 4 and 5 for constraints of velocities: one "
         "linear system per stage",
         "Arnold 1998; Murua 1997; Brasey and Hairer 1993",
         "Explicit: stable for steps below a fraction of the shortest period. The scheme keeps "
         "G v + g_t = 0; a projection after each step keeps g = 0, to rounding.",
         5, VIDA_UNDERLYING_CAPABILITIES | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .remedy = {.option = "level", .value = "both"},
    .common = vida__ode_options,
    .options = options,
    .check = check,
    .create = create,
    .start = vida__underlying_start,
    .multipliers = vida__node_multipliers,
    .order = order,
    VIDA_UNDERLYING_FUNCTIONS};
