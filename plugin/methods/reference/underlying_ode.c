#include "methods/reference/underlying_ode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/jumps.h"

const VidaOptionRow vida__ode_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "Step size, or with rtol the interval between output states."},
    {"rtol", VIDA_OPTION_REAL, "1", NAN, 1e-15, 1.0, false, NULL,
     "Relative tolerance of the local error, for adaptive steps; not set: fixed steps h."},
    VIDA_ATOL_ROW("rtol times their size"),
    {"max_steps", VIDA_OPTION_INTEGER, "1", 1e6, 1.0, 1e9, false, NULL,
     "Largest number of steps between two output states."},
    {"linear_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|dense|klu",
     "Linear solver of the equations of motion; auto takes KLU for large sparse systems."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

/* ---- creation -------------------------------------------------------------------------------- */

static vida_integrator find_integrator(const VidaOptions* options) {
  const double value = VidaOptions_Get(options, "integrator");
  /* Methods without that option stand on BDF. */
  return isfinite(value) ? (vida_integrator)value : VIDA_INTEGRATOR_BDF;
}

int vida__underlying_order(const VidaOptions* options) {
  return vida__integrator_order(find_integrator(options));
}

/* "heun, bogacki-shampine, ... and esdirk5": one-step methods that estimate their errors. */
static const char* list_adaptive(char* text, size_t size) {
  int last = 0;
  for (int i = 0; i < VIDA_INTEGRATOR_COUNT; i++) {
    const vida_integrator integrator = (vida_integrator)i;
    const bool fits =
        vida__integrator_is_adaptive(integrator) && !vida__integrator_is_multistep(integrator);
    last = fits ? i : last;
  }
  text[0] = '\0';
  for (int i = 0; i <= last; i++) {
    const vida_integrator integrator = (vida_integrator)i;
    if (vida__integrator_is_adaptive(integrator) && !vida__integrator_is_multistep(integrator)) {
      vida__append(text, size, "%s%s",
                   !*text      ? ""
                   : i == last ? " and "
                               : ", ",
                   vida__integrator_name(integrator));
    }
  }
  return text;
}

static int check_integrator(VidaStepper* stepper, VidaError* error) {
  const vida_integrator integrator = find_integrator(stepper->options);
  const char* name = vida__integrator_name(integrator);
  if (stepper->adaptive && !vida__integrator_is_adaptive(integrator)) {
    char others[VIDA_MESSAGE_SIZE];
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: integrator '%s' has no error estimate and cannot choose its steps for "
                      "rtol; %s can",
                      stepper->method->info.name, name, list_adaptive(others, sizeof others));
  }
  if (!stepper->adaptive && vida__integrator_is_multistep(integrator)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: integrator '%s' always chooses its own steps: the tolerance rtol is "
                      "missing",
                      stepper->method->info.name, name);
  }
  return VIDA_SUCCESS;
}

int vida__refuse_implicit(VidaStepper* stepper, const char* why, VidaError* error) {
  const vida_integrator integrator = find_integrator(stepper->options);
  if (!vida__integrator_is_implicit(integrator)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_NOT_SUPPORTED, "%s: integrator '%s' is implicit, %s",
                    stepper->method->info.name, vida__integrator_name(integrator), why);
}

int vida__refuse_multistep(VidaStepper* stepper, const char* why, VidaError* error) {
  const vida_integrator integrator = find_integrator(stepper->options);
  if (!vida__integrator_is_multistep(integrator)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_NOT_SUPPORTED,
                    "%s: integrator '%s' keeps a history of past steps, %s; cvode-projected, "
                    "baumgarte and stabilized-ode can take it",
                    stepper->method->info.name, vida__integrator_name(integrator), why);
}

static int allocate_own(underlying_ode* own, int n, int m) {
  const struct {
    double** array;
    int count;
  } arrays[] = {{&own->y, 2 * n},    {&own->state, 2 * n}, {&own->found, 2 * n},
                {&own->next, 2 * n}, {&own->rate, 2 * n},  {&own->lambda, m},
                {&own->side, n + m}, {&own->n_work, n},    {&own->g, m},
                {&own->g_rate, m},   {&own->dq, n},        {&own->dv, n},
                {&own->position, n}, {&own->velocity, n},  {&own->tolerance, 2 * n}};
  const size_t count = sizeof arrays / sizeof arrays[0];
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    total += (size_t)arrays[i].count;
  }
  own->block = vida__allocate(total, sizeof *own->block);
  double* next = own->block;
  for (size_t i = 0; i < count && next; i++) {
    *arrays[i].array = next;
    next += arrays[i].count;
  }
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int prepare_nothing(VidaStepper* stepper, VidaError* error) {
  (void)stepper;
  (void)error;
  return VIDA_SUCCESS;
}

int vida__underlying_accept(underlying_ode* own, double t, const double* q, bool is_end) {
  VidaError* told = &vida__equations_evaluator(own->equations)->error;
  vida_watch* watch = own->stepper->watch;
  return is_end ? vida__watch_follow(watch, t, q, told) : vida__watch_look(watch, t, q, told);
}

static int accept(void* data, double t, const double* y, bool is_end) {
  return vida__underlying_accept(data, t, y, is_end);
}

static int interrupted(void* data, double reached) {
  const underlying_ode* own = data;
  return vida__interrupted(own->stepper, reached);
}

int vida__underlying_create(VidaStepper* stepper, vida_ode_functions functions, VidaError* error) {
  int code = check_integrator(stepper, error);
  if (code) {
    return code;
  }
  underlying_ode* own = vida__allocate(1, sizeof *own);
  if (!own) {
    return vida__fail_memory(error);
  }
  stepper->own = own;
  stepper->prepare = prepare_nothing;
  stepper->tells_watch = true;
  own->stepper = stepper;
  own->functions = functions;
  own->functions.accept = functions.accept ? functions.accept : accept;
  own->functions.interrupted = interrupted;
  if (allocate_own(own, stepper->n, stepper->m)) {
    return vida__fail_memory(error);
  }
  code = vida__equations_create(stepper->system, vida__solver_of(stepper->options), &own->equations,
                                error);
  vida__follow_equations(stepper, own->equations);
  return code ? code : vida__underlying_resize(own, 2 * stepper->n, error);
}

int vida__underlying_resize(underlying_ode* own, int size, VidaError* error) {
  const VidaOptions* options = own->stepper->options;
  const vida_ode_settings settings = {.integrator = find_integrator(options),
                                      .adaptive = own->stepper->adaptive,
                                      .ends_at_nodes = own->find_state != NULL,
                                      .rtol = VidaOptions_Get(options, "rtol"),
                                      .max_steps = VidaOptions_Get(options, "max_steps")};
  if (own->ode && own->size == size) {
    return VIDA_SUCCESS;
  }
  vida__ode_destroy(&own->ode);
  own->size = size;
  return vida__ode_create(size, own->functions, own, settings, &own->ode, error);
}

void vida__underlying_destroy(VidaStepper* stepper) {
  underlying_ode* own = stepper->own;
  if (!own) {
    return;
  }
  vida__ode_destroy(&own->ode);
  vida__projector_destroy(&own->projector);
  vida__equations_destroy(&own->equations);
  free(own->block);
}

/* ---- the ODE --------------------------------------------------------------------------------- */

/* Holonomic rows: g'' = -alpha1 g' - alpha0 g (paper 002, eq. 2.1); nonholonomic ones, which have
 * one derivative less: a' = -alpha1/2 a, the mean of the two rates. Subtracted from `side`. */
static int add_baumgarte(underlying_ode* own, double t, const double* q, const double* v,
                         double* side) {
  const VidaSystem* system = own->stepper->system;
  vida_evaluator* evaluator = vida__equations_evaluator(own->equations);
  int code = vida__constraints(evaluator, t, q, NULL, own->g);
  code = code ? code : vida__constraint_rate(evaluator, t, q, own->g_rate);
  vida__add_constraint_velocity(system, vida__equations_jacobian(own->equations), 1.0, v,
                                own->g_rate);
  for (int r = 0; r < system->row_count; r++) {
    side[r] -= system->rows[r].is_nonholonomic
                   ? 0.5 * own->alpha1 * own->g_rate[r]
                   : own->alpha1 * own->g_rate[r] + own->alpha0 * own->g[r];
  }
  return code;
}

int vida__underlying_find(underlying_ode* own, double t, const double* q, const double* v,
                          double* a) {
  const int n = own->stepper->n, m = own->stepper->m;
  double* side = own->side;
  vida_evaluator* evaluator = vida__equations_evaluator(own->equations);
  int code = vida__equations_factor(own->equations, t, q, v);
  code = code ? code : vida__motion_bias(evaluator, t, q, v, side, side + n, own->n_work);
  for (int r = 0; r < m; r++) {
    side[n + r] = -side[n + r];
  }
  if (!code && m > 0 && (own->alpha1 > 0.0 || own->alpha0 > 0.0)) {
    code = add_baumgarte(own, t, q, v, side + n);
  }
  code = code ? code : vida__equations_solve(own->equations, side, side);
  if (!code) {
    memcpy(a, side, (size_t)n * sizeof *a);
    memcpy(own->lambda, side + n, (size_t)m * sizeof *own->lambda);
  }
  return code;
}

int vida__underlying_rate(void* data, double t, const double* y, double* rate) {
  underlying_ode* own = data;
  const int n = own->stepper->n;
  memcpy(rate, y + n, (size_t)n * sizeof *rate);
  return vida__underlying_find(own, t, y, y + n, rate + n);
}

int vida__underlying_failed(underlying_ode* own, int code, VidaError* error) {
  const char* detail = vida__equations_evaluator(own->equations)->error.message;
  const bool is_open = code == VIDA_STEP_SINGULAR && !*detail;
  const char* general = is_open ? "mass matrix and constraints do not determine the accelerations"
                                : Vida_CodeText(code);
  vida__fail(error, code, "at t = %g: %s", vida__node_time(own->stepper),
             *detail ? detail : general);
  if (error && is_open) {
    vida__equations_append_open(own->equations, error->message, VIDA_MESSAGE_SIZE);
  }
  return code;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* What is zero, or nearly, is as large as the largest quantity of the same unit; where all of them
 * are, as `otherwise` says. */
static void settle_sizes(const VidaStepper* stepper, const double* otherwise, double* size) {
  static const double nothing = 1e-8;
  const VidaSystem* system = stepper->system;
  vida__share_sizes(system, size);
  double* largest = stepper->speed;
  for (int i = 0; i < stepper->n; i++) {
    largest[i] = 0.0;
    for (int k = 0; k < stepper->n; k++) {
      if (strcmp(system->coordinates[i].unit, system->coordinates[k].unit) == 0) {
        largest[i] = fmax(largest[i], size[k]);
      }
    }
  }
  for (int i = 0; i < stepper->n; i++) {
    size[i] = size[i] > nothing * largest[i] ? size[i]
              : largest[i] > 0.0             ? largest[i]
                                             : otherwise[i];
  }
}

/* Positions by what they are at the start; velocities likewise, or by what the accelerations make
 * on ways of that size; where all is at rest and balanced, by the forces. */
static void measure_sizes(underlying_ode* own, const double* a) {
  const VidaStepper* stepper = own->stepper;
  double way = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    own->position[i] = fabs(stepper->q[i]);
    way = fmax(way, stepper->root_mass[i] * fabs(stepper->q[i]));
  }
  for (int i = 0; i < stepper->n; i++) {
    const double moved = fabs(stepper->v0[i]) * stepper->h;
    own->side[i] = way > 0.0 ? way / stepper->root_mass[i] : moved > 0.0 ? moved : 1.0;
  }
  settle_sizes(stepper, own->side, own->position);
  for (int i = 0; i < stepper->n; i++) {
    const double reached = sqrt(fabs(a[i]) * own->position[i]);
    const double balanced =
        sqrt(stepper->force_size[i] * own->position[i]) * stepper->inverse_root[i];
    own->velocity[i] = fmax(fabs(stepper->v0[i]), reached);
    own->side[i] = balanced > 0.0 ? balanced : own->position[i] / stepper->h;
  }
  settle_sizes(stepper, own->side, own->velocity);
}

double vida__underlying_pace(const underlying_ode* own) {
  double pace = 0.0;
  for (int i = 0; i < own->stepper->n; i++) {
    pace = fmax(pace, own->velocity[i] / own->position[i]);
  }
  return pace;
}

static void set_tolerances(underlying_ode* own) {
  const VidaStepper* stepper = own->stepper;
  const double rtol = VidaOptions_Get(stepper->options, "rtol");
  for (int i = 0; i < stepper->n; i++) {
    const double position = isfinite(stepper->atol[i]) ? stepper->atol[i] : rtol * own->position[i];
    /* At fixed steps they are sizes. */
    own->tolerance[i] = stepper->adaptive ? position : own->position[i];
    own->tolerance[stepper->n + i] =
        stepper->adaptive ? position / own->position[i] * own->velocity[i] : own->velocity[i];
  }
  if (!own->find_state) {
    memcpy(vida__ode_tolerances(own->ode), own->tolerance,
           2 * (size_t)stepper->n * sizeof *own->tolerance);
  }
}

/* p = L_v at the node, and the state that goes with it. */
static int set_state(VidaStepper* stepper, double t, const double* y, VidaError* error) {
  const int n = stepper->n;
  const int code = vida__gradient(&stepper->evaluator, t, y, y + n, stepper->l_q, stepper->l_v);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(y[i]) || !isfinite(y[n + i]) || !isfinite(stepper->l_v[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "coordinate '%s' has overflowed",
                        stepper->system->coordinates[i].name);
    }
  }
  memcpy(stepper->q, y, (size_t)n * sizeof *y);
  memcpy(stepper->p, stepper->l_v, (size_t)n * sizeof *y);
  return VIDA_SUCCESS;
}

int vida__underlying_start(VidaStepper* stepper, VidaError* error) {
  underlying_ode* own = stepper->own;
  const size_t bytes = (size_t)stepper->n * sizeof(double);
  memcpy(own->state, stepper->q, bytes);
  memcpy(own->state + stepper->n, stepper->v0, bytes);
  memcpy(own->y, own->state, 2 * bytes);
  vida__ode_restart(own->ode, 0.0);
  int code = vida__equations_mark(own->equations, stepper->t0, stepper->q, stepper->v0);
  if (!code && own->projector) {
    code = vida__projector_mark(own->projector, stepper->t0, stepper->q, stepper->v0);
  }
  /* What KLU allocates is allocated here, and in what the common part of the start factors. */
  code = code ? code : vida__underlying_find(own, stepper->t0, stepper->q, stepper->v0, own->rate);
  memcpy(stepper->entries0, vida__equations_jacobian(own->equations),
         (size_t)stepper->system->entry_count * sizeof *stepper->entries0);
  if (!code) {
    measure_sizes(own, own->rate);
    set_tolerances(own);
  }
  if (!code && own->projector) {
    code = vida__projector_factor(own->projector, stepper->t0, stepper->q, stepper->v0, false);
  }
  vida__ode_reset_counts(own->ode);
  own->iterations = 0;
  return code ? vida__underlying_failed(own, code, error)
              : set_state(stepper, stepper->t0, own->state, error);
}

/* ---- step ------------------------------------------------------------------------------------ */

static void copy_counts(VidaStepper* stepper) {
  const underlying_ode* own = stepper->own;
  const vida_ode_counts counts = vida__ode_count(own->ode);
  VidaStatistics* statistics = &stepper->statistics;
  statistics->rejected_steps = counts.rejected;
  /* Each iteration of a projection evaluates g and G, and factors. */
  statistics->residual_evaluations = counts.rates + own->iterations;
  statistics->jacobian_evaluations = counts.jacobians + own->iterations;
  statistics->newton_iterations = counts.newton_iterations + own->iterations;
  statistics->factorizations = counts.rates + own->iterations;
  if (stepper->adaptive) {
    statistics->steps = counts.steps;
    /* One of them ends at each node, where the state is found anew. */
    const long nodes = stepper->step + 1;
    statistics->forced_steps = !own->find_state ? 0 : nodes < counts.steps ? nodes : counts.steps;
  }
}

static int explain(VidaStepper* stepper, const VidaError* cause, double reached, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], to[VIDA_REAL_TEXT_SIZE], h[VIDA_REAL_TEXT_SIZE];
  underlying_ode* own = stepper->own;
  const VidaError* told = &vida__equations_evaluator(own->equations)->error;
  const char* detail = told->message;
  /* Evaluations tell more than their code does. */
  const bool has_detail = *detail && strcmp(cause->message, Vida_CodeText(cause->code)) == 0;
  const char* flag = has_detail && *told->flag ? told->flag : cause->flag;
  /* What is singular by itself is so at any step. */
  const bool curable = cause->code > 0 && strcmp(flag, VIDA_OTHER_BRANCH) != 0 &&
                       !(has_detail && cause->code == VIDA_STEP_SINGULAR);
  const bool smaller = !stepper->adaptive && curable;
  return vida__fail_flag(error, cause->code, flag, "%s, at t = %s: %s%s%s",
                         vida__name_step(stepper, step), vida__real_text(to, reached, 10),
                         has_detail ? detail : cause->message,
                         smaller ? "; try a step of less than h = "
                         : curable && cause->code != VIDA_NOT_FINITE && !stepper->redundant
                             ? "; try another rtol, or ida-ggl"
                             : "",
                         smaller ? vida__real_text(h, stepper->h, 6) : "");
}

/* q, v and multipliers that belong to the new y. */
static int find_node(underlying_ode* own, double t, VidaError* error) {
  const size_t bytes = 2 * (size_t)own->stepper->n * sizeof *own->y;
  int code = vida__ode_rate(own->ode, t, own->next, own->rate);
  if (!code && own->find_state) {
    code = own->find_state(own, t, own->next, own->found);
  } else {
    memcpy(own->found, own->next, bytes);
  }
  return code ? vida__fail(error, code, "%s", Vida_CodeText(code))
              : set_state(own->stepper, t, own->found, error);
}

static void exchange(double** a, double** b) {
  double* kept = *a;
  *a = *b;
  *b = kept;
}

/* The state of the node and that of the next one, or back. */
static void exchange_states(underlying_ode* own) {
  exchange(&own->y, &own->next);
  exchange(&own->state, &own->found);
}

void vida__underlying_undo(VidaStepper* stepper) {
  underlying_ode* own = stepper->own;
  exchange_states(own);
  vida__ode_restart(own->ode, 0.0);
}

int vida__underlying_step(VidaStepper* stepper, VidaError* error) {
  underlying_ode* own = stepper->own;
  const size_t bytes = 2 * (size_t)stepper->n * sizeof *own->y;
  const double t = vida__node_time(stepper);
  const double next = vida__next_time(stepper);
  double reached = t;
  VidaError cause;
  vida__equations_evaluator(own->equations)->error = (VidaError){0};
  memcpy(own->next, own->y, bytes);
  int code = vida__ode_advance(own->ode, t, next, own->next, &reached, &cause);
  if (!code) {
    code = find_node(own, next, &cause);
  }
  copy_counts(stepper);
  if (code) {
    vida__ode_restart(own->ode, 0.0);
    return explain(stepper, &cause, reached, error);
  }
  exchange_states(own);
  memcpy(stepper->lambda, own->lambda, (size_t)stepper->m * sizeof *own->lambda);
  stepper->lambda_t = next;
  return VIDA_SUCCESS;
}

int vida__underlying_velocities(VidaStepper* stepper, double* v, VidaError* error) {
  const underlying_ode* own = stepper->own;
  (void)error;
  memcpy(v, own->state + stepper->n, (size_t)stepper->n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- baumgarte ------------------------------------------------------------------------------- */

static int check_baumgarte(const VidaStepper* stepper, VidaError* error) {
  const VidaOptions* options = stepper->options;
  const bool by_alpha =
      VidaOptions_IsSet(options, "alpha1") || VidaOptions_IsSet(options, "alpha0");
  const bool by_gamma = VidaOptions_IsSet(options, "gamma");
  const bool by_step = VidaOptions_IsSet(options, "gamma_h");
  if (by_alpha + by_gamma + by_step > 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "baumgarte takes either alpha1 and alpha0, or gamma, or gamma_h");
  }
  if (by_step && stepper->adaptive) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "baumgarte: gamma_h is gamma times the step, which varies with rtol: set gamma");
  }
  return VIDA_SUCCESS;
}

static int create_baumgarte(VidaStepper* stepper, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate};
  const int code = check_baumgarte(stepper, error);
  return code ? code : vida__underlying_create(stepper, functions, error);
}

static int start_baumgarte(VidaStepper* stepper, VidaError* error) {
  const VidaOptions* options = stepper->options;
  underlying_ode* own = stepper->own;
  const double by_step = VidaOptions_Get(options, "gamma_h");
  const double gamma = by_step > 0.0 ? by_step / stepper->h : VidaOptions_Get(options, "gamma");
  own->alpha1 = gamma > 0.0 ? 2.0 * gamma : VidaOptions_Get(options, "alpha1");
  own->alpha0 = gamma > 0.0 ? gamma * gamma : VidaOptions_Get(options, "alpha0");
  return vida__underlying_start(stepper, error);
}

static const VidaOptionRow baumgarte_options[] = {
    VIDA_INTEGRATOR_ROW(VIDA_INTEGRATORS, VIDA_INTEGRATOR_DORMAND_PRINCE),
    {"alpha1", VIDA_OPTION_REAL, "1/s", 0.0, 0.0, INFINITY, false, NULL,
     "g'' = -alpha1 g' - alpha0 g. Both 0: constraints on acceleration level only, from which "
     "solutions drift."},
    {"alpha0", VIDA_OPTION_REAL, "1/s^2", 0.0, 0.0, INFINITY, false, NULL, "See alpha1."},
    {"gamma", VIDA_OPTION_REAL, "1/s", 0.0, 0.0, INFINITY, false, NULL,
     "alpha1 = 2 gamma, alpha0 = gamma^2."},
    {"gamma_h", VIDA_OPTION_REAL, "1", 0.0, 0.0, INFINITY, false, NULL,
     "gamma = gamma_h / h, instead of gamma, for fixed steps."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__baumgarte = {
    .info = {"baumgarte",
             "the underlying ODE, with Baumgarte's stabilization or none: constraints of "
             "accelerations, g'' = -alpha1 g' - alpha0 g",
             "Baumgarte 1972; Ascher, Chin, Petzold, Reich 1994, eq. 1.5, 2.1",
             "Explicit integrators: stable for steps below a fraction of the shortest period and "
             "of 1/gamma. Solutions drift off the constraints, without stabilization at a growing "
             "rate. bdf and the implicit tables use a dense matrix of 2 n rows.",
             5,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC |
                 VIDA_CAN_ADAPTIVE},
    .remedy = {"gamma_h", "1", "coordinate-projection"},
    .common = vida__ode_options,
    .options = baumgarte_options,
    .create = create_baumgarte,
    .start = start_baumgarte,
    .step = vida__underlying_step,
    .undo = vida__underlying_undo,
    .velocities = vida__underlying_velocities,
    .energy = vida__node_energy,
    .order = vida__underlying_order,
    .destroy = vida__underlying_destroy};
