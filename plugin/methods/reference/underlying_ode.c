#include "methods/reference/underlying_ode.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/integration.h"
#include "stepper/method_options.h"

const VidaOptionRow vida__ode_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "Step size, or with rtol the interval between output states."},
    {"rtol", VIDA_OPTION_REAL, "1", NAN, 1e-15, 1.0, false, NULL,
     "Relative tolerance of the local error, for adaptive steps; not set: fixed steps h."},
    VIDA_ATOL_ROW("rtol times their size"),
    {"max_steps", VIDA_OPTION_INTEGER, "1", 1e6, 1.0, 1e9, false, NULL,
     "Largest number of steps between two output states."},
    {"linear_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|dense|klu",
     VIDA_LINEAR_SOLVER_HELP("of the equations of motion")},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

/* ---- creation -------------------------------------------------------------------------------- */

static vida_integrator find_integrator(const VidaOptions* options) {
  const double value = VidaOptions_Get(options, "integrator");
  /* Methods without this option use BDF. */
  return isfinite(value) ? (vida_integrator)value : VIDA_INTEGRATOR_BDF;
}

int vida__underlying_order(const VidaOptions* options) {
  return vida__integrator_order(find_integrator(options));
}

/* Lists the one-step methods with an error estimate: "heun, bogacki-shampine, ... and esdirk5". */
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

int vida__underlying_check(const VidaOptions* options, VidaError* error) {
  const vida_integrator integrator = find_integrator(options);
  const char* name = vida__integrator_name(integrator);
  if (Vida_IsAdaptive(options) && !vida__integrator_is_adaptive(integrator)) {
    char others[VIDA_MESSAGE_SIZE];
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: integrator '%s' has no error estimate and cannot choose its steps for "
                      "rtol; %s can",
                      VidaOptions_Method(options), name, list_adaptive(others, sizeof others));
  }
  if (!Vida_IsAdaptive(options) && vida__integrator_is_multistep(integrator)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: integrator '%s' always chooses its own steps: the tolerance rtol is "
                      "missing",
                      VidaOptions_Method(options), name);
  }
  return VIDA_SUCCESS;
}

int vida__refuse_implicit(const VidaOptions* options, const char* why, VidaError* error) {
  const vida_integrator integrator = find_integrator(options);
  if (!vida__integrator_is_implicit(integrator)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_NOT_SUPPORTED, "%s: integrator '%s' is implicit, %s",
                    VidaOptions_Method(options), vida__integrator_name(integrator), why);
}

int vida__refuse_multistep(const VidaOptions* options, const char* why, VidaError* error) {
  const vida_integrator integrator = find_integrator(options);
  if (!vida__integrator_is_multistep(integrator)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_NOT_SUPPORTED,
                    "%s: integrator '%s' keeps a history of past steps, %s; cvode-projected, "
                    "baumgarte and stabilized-ode can take it",
                    VidaOptions_Method(options), vida__integrator_name(integrator), why);
}

enum { ARRAYS = 15 };

static void list_arrays(underlying_ode* own, vida_array arrays[ARRAYS]) {
  const size_t n = (size_t)own->self->model.n, m = (size_t)own->self->model.m;
  const vida_array list[ARRAYS] = {
      {&own->y, 2 * n},    {&own->state, 2 * n}, {&own->found, 2 * n},    {&own->next, 2 * n},
      {&own->rate, 2 * n}, {&own->lambda, m},    {&own->side, n + m},     {&own->n_work, n},
      {&own->g, m},        {&own->g_rate, m},    {&own->dq, n},           {&own->dv, n},
      {&own->position, n}, {&own->velocity, n},  {&own->tolerance, 2 * n}};
  memcpy(arrays, list, sizeof list);
}

static int allocate_own(underlying_ode* own) {
  vida_array arrays[ARRAYS];
  list_arrays(own, arrays);
  own->block = vida__allocate_arrays(arrays, ARRAYS);
  return own->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int prepare_nothing(VidaIntegration* self, VidaError* error) {
  (void)self;
  (void)error;
  return VIDA_SUCCESS;
}

int vida__underlying_accept(underlying_ode* own, double t, const double* state, bool is_end) {
  VidaError* told = &vida__equations_evaluator(own->equations)->error;
  return is_end ? vida__follow_motion(own->self, t, state, state + own->self->model.n, told)
                : vida__check_motion(own->self, t, state, told);
}

static int accept(void* data, double t, const double* y, bool is_end) {
  return vida__underlying_accept(data, t, y, is_end);
}

static int interrupted(void* data, double reached) {
  const underlying_ode* own = data;
  return vida__interrupted(own->self, reached);
}

int vida__underlying_create(VidaIntegration* self, vida_ode_functions functions, VidaError* error) {
  const int code = vida__underlying_check(self->options, error);
  return code ? code : vida__underlying_create_own(self, functions, NULL, error);
}

int vida__underlying_create_own(VidaIntegration* self, vida_ode_functions functions,
                                const vida_integrator_class* class, VidaError* error) {
  underlying_ode* own = vida__allocate(1, sizeof *own);
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  self->implicit.prepare = prepare_nothing;
  self->reports_motion = true;
  own->self = self;
  own->class = class;
  own->functions = functions;
  own->functions.accept = functions.accept ? functions.accept : accept;
  own->functions.interrupted = interrupted;
  if (allocate_own(own)) {
    return vida__fail_memory(error);
  }
  int code = vida__equations_create(self->model.system, vida__solver_of(self->options),
                                    &own->equations, error);
  vida__follow_equations(self, own->equations);
  code = code ? code : vida__equations_join(own->equations, error);
  if (!code && vida__solver_of(self->options) == VIDA_SOLVER_AUTO) {
    code = vida__equations_condense(own->equations, error);
  }
  return code ? code : vida__underlying_resize(own, 2 * self->model.n, error);
}

int vida__underlying_resize(underlying_ode* own, int size, VidaError* error) {
  const VidaOptions* options = own->self->options;
  const vida_ode_settings settings = {.integrator = find_integrator(options),
                                      .class = own->class,
                                      .adaptive = own->self->adaptive,
                                      .ends_at_nodes = own->find_state != NULL,
                                      .rtol = VidaOptions_Get(options, "rtol"),
                                      .max_steps = VidaOptions_Get(options, "max_steps"),
                                      .services = own->self->services};
  if (own->ode && own->size == size) {
    return VIDA_SUCCESS;
  }
  vida__ode_destroy(&own->ode);
  own->size = size;
  return vida__ode_create(size, own->functions, own, settings, &own->ode, error);
}

void vida__underlying_destroy(VidaIntegration* self) {
  underlying_ode* own = self->state;
  if (!own) {
    return;
  }
  vida__ode_destroy(&own->ode);
  vida__projector_destroy(&own->projector);
  vida__equations_destroy(&own->equations);
  free(own->block);
}

void vida__underlying_state(VidaIntegration* self, VidaRecord* record) {
  underlying_ode* own = self->state;
  double* const reals[] = {&own->alpha1, &own->alpha0, &own->gamma, &own->alpha};
  vida_array arrays[ARRAYS];
  list_arrays(own, arrays);
  vida__record_arrays(record, arrays, ARRAYS);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  VidaRecord_Integer(record, &own->iterations, 0, LONG_MAX);
  VidaRecord_Integer(record, &own->corrections, 0, LONG_MAX);
  vida__equations_record(own->equations, record);
  vida__projector_record(own->projector, record);
  vida__ode_record(own->ode, record);
}

/* ---- the ODE --------------------------------------------------------------------------------- */

/* Holonomic rows: g'' = -alpha1 g' - alpha0 g (Ascher, Chin, Petzold and Reich 1995, eq. 2.1);
 * nonholonomic ones, which have one derivative less: a' = -alpha1/2 a, the mean of the two rates.
 * Subtracted from `side`. */
static int add_baumgarte(underlying_ode* own, double t, const double* q, const double* v,
                         double* side) {
  const VidaSystem* system = own->self->model.system;
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
  const int n = own->self->model.n, m = own->self->model.m;
  double* side = own->side;
  int code = vida__equations_factor(own->equations, t, q, v);
  code = code ? code
              : vida__equations_motion_bias(own->equations, t, q, v, side, side + n, own->n_work);
  for (int r = 0; r < m; r++) {
    side[n + r] = -side[n + r];
  }
  if (!code && m > 0 && (own->alpha1 > 0.0 || own->alpha0 > 0.0)) {
    code = add_baumgarte(own, t, q, v, side + n);
  }
  code = code ? code : vida__equations_solve_motion(own->equations, t, q, v, side);
  if (!code) {
    memcpy(a, side, (size_t)n * sizeof *a);
    memcpy(own->lambda, side + n, (size_t)m * sizeof *own->lambda);
  }
  return code;
}

int vida__underlying_rate(void* data, double t, const double* y, double* rate) {
  underlying_ode* own = data;
  const int n = own->self->model.n;
  memcpy(rate, y + n, (size_t)n * sizeof *rate);
  return vida__underlying_find(own, t, y, y + n, rate + n);
}

int vida__underlying_failed(underlying_ode* own, int code, VidaError* error) {
  const char* detail = vida__equations_evaluator(own->equations)->error.message;
  const bool is_open = code == VIDA_STEP_SINGULAR && !*detail;
  const char* general = is_open ? "mass matrix and constraints do not determine the accelerations"
                                : Vida_CodeText(code);
  vida__fail(error, code, "at t = %g: %s", vida__node_time(own->self), *detail ? detail : general);
  if (error && is_open) {
    vida__equations_append_undetermined(own->equations, error->message, VIDA_MESSAGE_SIZE);
  }
  return code;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Relative to values of the same unit, or, in the mass norm, to those of all units. */
static const double rounding = 1e-12;

/* Computes the largest values of each unit (n), at its first coordinate. A unit whose values are
 * rounding beside those of others, as the velocities of the centre of a body that only spins, has
 * the largest value 0. */
static void find_largest(const VidaIntegration* self, const double* value, double* largest) {
  const vida_coordinate* coordinates = self->model.system->coordinates;
  double* heaviest = self->work.place;
  double moved = 0.0;
  memset(largest, 0, (size_t)self->model.n * sizeof *largest);
  memset(heaviest, 0, (size_t)self->model.n * sizeof *heaviest);
  for (int i = 0; i < self->model.n; i++) {
    const int unit = coordinates[i].alike;
    largest[unit] = fmax(largest[unit], value[i]);
    heaviest[unit] = fmax(heaviest[unit], self->model.root_mass[i]);
    moved = fmax(moved, self->model.root_mass[i] * value[i]);
  }
  for (int i = 0; i < self->model.n; i++) {
    const bool is_moved = largest[i] * heaviest[i] > rounding * moved || !(heaviest[i] > 0.0);
    largest[i] = is_moved || !isfinite(moved) ? largest[i] : 0.0;
  }
}

/* Sizes that are zero, or nearly so, become the largest size of the same unit, or, if all of them
 * are zero or rounding, `otherwise`. */
static void complete_sizes(const VidaIntegration* self, const double* otherwise, double* size) {
  static const double nothing = 1e-8;
  const VidaSystem* system = self->model.system;
  vida__share_sizes(system, size);
  double* largest = self->work.speed;
  find_largest(self, size, largest);
  for (int i = 0; i < self->model.n; i++) {
    const double own = largest[system->coordinates[i].alike];
    size[i] = !(own > 0.0) ? otherwise[i] : size[i] > nothing * own ? size[i] : own;
  }
}

/* Sets values to zero that are rounding. */
static void drop_rounding(const VidaIntegration* self, double* value) {
  double* largest = self->work.speed;
  find_largest(self, value, largest);
  for (int i = 0; i < self->model.n; i++) {
    const double own = largest[self->model.system->coordinates[i].alike];
    value[i] = own > 0.0 && value[i] > rounding * own ? value[i] : 0.0;
  }
}

/* Writes the sizes of velocities to `speed` (n), and sets them and the accelerations to zero for
 * all coordinates of a unit if they are rounding beside the forces that cancel in the system, as in
 * one that constraints hold at rest: they are sizes of nothing. Returns the force, in the metric of
 * the masses, that is rounding. */
static double drop_cancelled(underlying_ode* own, double* acceleration, double* speed) {
  const VidaIntegration* self = own->self;
  const vida_coordinate* coordinates = self->model.system->coordinates;
  double *strength = own->side,
         *moves = self->work.speed; /* at the first coordinate of each unit */
  double force = 0.0, way = 0.0;
  memset(strength, 0, (size_t)self->model.n * sizeof *strength);
  memset(moves, 0, (size_t)self->model.n * sizeof *moves);
  if (self->model.m > 0 && self->adaptive) { /* fixed steps have no test of errors */
    vida__measure_uncancelled_forces(own->self, vida__equations_jacobian(own->equations),
                                     own->lambda, strength);
  }
  for (int i = 0; i < self->model.n; i++) {
    force = fmax(force, strength[i] * self->model.inverse_root[i]);
    way = fmax(way, self->model.root_mass[i] * own->position[i]);
  }
  for (int i = 0; i < self->model.n; i++) {
    const double root = self->model.root_mass[i];
    speed[i] = fabs(self->node.v[i]);
    if (root * acceleration[i] > rounding * force ||
        root * speed[i] > rounding * sqrt(force * way)) {
      moves[coordinates[i].alike] = 1.0;
    }
  }
  for (int i = 0; i < self->model.n; i++) {
    const double kept = moves[coordinates[i].alike];
    acceleration[i] *= kept;
    speed[i] *= kept;
  }
  return rounding * force;
}

/* Computes sizes: of positions from their values at the start; of velocities from their values, or
 * from the accelerations over distances of that size, or, for a balanced system at rest, from the
 * forces. */
static void measure_sizes(underlying_ode* own, const double* a) {
  const VidaIntegration* self = own->self;
  double way = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    own->position[i] = vida__position_size(self, i);
    way = fmax(way, self->model.root_mass[i] * own->position[i]);
  }
  for (int i = 0; i < self->model.n; i++) {
    const double moved = fabs(self->node.v[i]) * self->node.h;
    own->side[i] = way > 0.0 ? way / self->model.root_mass[i] : moved > 0.0 ? moved : 1.0;
  }
  complete_sizes(self, own->side, own->position);
  for (int i = 0; i < self->model.n; i++) {
    own->velocity[i] = fabs(a[i]);
  }
  drop_rounding(self, own->velocity);
  const double no_force = drop_cancelled(own, own->velocity, own->n_work);
  for (int i = 0; i < self->model.n; i++) {
    const double reached = sqrt(own->velocity[i] * own->position[i]);
    const double force = self->model.force_size[i] * self->model.inverse_root[i];
    const double balanced =
        sqrt(self->model.force_size[i] * own->position[i]) * self->model.inverse_root[i];
    own->velocity[i] = fmax(own->n_work[i], reached);
    own->side[i] = force > no_force ? balanced : own->position[i] / self->node.h;
  }
  complete_sizes(self, own->side, own->velocity);
}

double vida__underlying_largest_rate(const underlying_ode* own) {
  double rate = 0.0;
  for (int i = 0; i < own->self->model.n; i++) {
    rate = fmax(rate, own->velocity[i] / own->position[i]);
  }
  return rate;
}

static void set_tolerances(underlying_ode* own) {
  const VidaIntegration* self = own->self;
  const double rtol = VidaOptions_Get(self->options, "rtol");
  for (int i = 0; i < self->model.n; i++) {
    const double position =
        isfinite(self->model.atol[i]) ? self->model.atol[i] : rtol * own->position[i];
    /* With fixed steps they are sizes. */
    own->tolerance[i] = self->adaptive ? position : own->position[i];
    own->tolerance[self->model.n + i] =
        self->adaptive ? position / own->position[i] * own->velocity[i] : own->velocity[i];
  }
  if (!own->find_state) {
    memcpy(vida__ode_tolerances(own->ode), own->tolerance,
           2 * (size_t)self->model.n * sizeof *own->tolerance);
  }
}

/* Computes p = L_v at the node, and the corresponding state. */
static int set_state(VidaIntegration* self, double t, const double* y, VidaError* error) {
  const int n = self->model.n;
  const int code =
      vida__momenta(&self->model.evaluator, t, y, y + n, self->work.l_q, self->work.l_v);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int i = 0; i < n; i++) {
    if (!isfinite(y[i]) || !isfinite(y[n + i]) || !isfinite(self->work.l_v[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "coordinate '%s' has overflowed",
                        self->model.system->coordinates[i].name);
    }
  }
  memcpy(self->node.q, y, (size_t)n * sizeof *y);
  memcpy(self->node.p, self->work.l_v, (size_t)n * sizeof *y);
  return VIDA_SUCCESS;
}

/* The frame has found the rank of G at the start. */
static int mark_equations(VidaIntegration* self) {
  const underlying_ode* own = self->state;
  const VidaNode* node = &self->node;
  return self->model.rank && !self->model.redundant
             ? vida__equations_mark_independent(own->equations, node->t0, node->q)
             : vida__equations_mark(own->equations, node->t0, node->q, node->v);
}

int vida__underlying_start(VidaIntegration* self, VidaError* error) {
  underlying_ode* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  memcpy(own->state, self->node.q, bytes);
  memcpy(own->state + self->model.n, self->node.v, bytes);
  memcpy(own->y, own->state, 2 * bytes);
  vida__ode_restart(own->ode, 0.0);
  int code = mark_equations(self);
  if (!code && own->projector) {
    code = vida__projector_mark(own->projector, self->node.t0, self->node.q, self->node.v);
  }
  /* KLU allocates its memory here, and in the matrices that the common part of the start factors.
   */
  code = code ? code
              : vida__underlying_find(own, self->node.t0, self->node.q, self->node.v, own->rate);
  memcpy(self->implicit.entries0, vida__equations_jacobian(own->equations),
         (size_t)self->model.system->entry_count * sizeof *self->implicit.entries0);
  if (!code) {
    measure_sizes(own, own->rate);
    set_tolerances(own);
  }
  if (!code && own->projector) {
    code = vida__projector_factor(own->projector, self->node.t0, self->node.q, self->node.v, false);
  }
  vida__ode_reset_counts(own->ode);
  own->iterations = own->corrections = 0;
  return code ? vida__underlying_failed(own, code, error)
              : set_state(self, self->node.t0, own->state, error);
}

/* ---- step ------------------------------------------------------------------------------------ */

static void copy_counts(VidaIntegration* self) {
  const underlying_ode* own = self->state;
  const vida_ode_counts counts = vida__ode_count(own->ode);
  VidaStatistics* statistics = &self->statistics;
  statistics->rejected_steps = counts.rejected;
  /* Each iteration of a projection evaluates and factors G, and evaluates g; a correction needs no
   * factors. */
  const long iterations = own->iterations + own->corrections;
  statistics->residual_evaluations = counts.rates + iterations;
  statistics->jacobian_evaluations = counts.jacobians + iterations;
  statistics->newton_iterations = counts.newton_iterations + iterations;
  statistics->factorizations = counts.rates + own->iterations;
  if (self->adaptive) {
    statistics->steps = counts.steps;
    /* One step ends at each node, where the state is computed again. */
    const long nodes = self->node.step + 1;
    statistics->forced_steps = !own->find_state ? 0 : nodes < counts.steps ? nodes : counts.steps;
  }
}

/* If an evaluation has failed, `cause` has no message; the evaluator may have one with the reason.
 */
static int explain(VidaIntegration* self, const VidaError* cause, double reached,
                   VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE], to[VIDA_REAL_TEXT_SIZE], h[VIDA_REAL_TEXT_SIZE];
  underlying_ode* own = self->state;
  const VidaError* told = &vida__equations_evaluator(own->equations)->error;
  const char* detail = told->message;
  const bool has_detail = *detail && !*cause->message;
  const char* reason = has_detail        ? detail
                       : *cause->message ? cause->message
                                         : Vida_CodeText(cause->code);
  const char* flag = has_detail && *told->flag ? told->flag : cause->flag;
  /* A matrix that is singular at the node is singular for every step. */
  const bool curable = cause->code > 0 && strcmp(flag, VIDA_OTHER_BRANCH) != 0 &&
                       !(has_detail && cause->code == VIDA_STEP_SINGULAR);
  const bool smaller = !self->adaptive && curable;
  return vida__fail_flag(error, cause->code, flag, "%s, at t = %s: %s%s%s",
                         vida__name_step(self, step), vida__real_text(to, reached, 10), reason,
                         smaller ? "; try a step of less than h = "
                         : curable && cause->code != VIDA_NOT_FINITE && !self->model.redundant
                             ? "; try another rtol, or ida-ggl"
                             : "",
                         smaller ? vida__real_text(h, self->node.h, 6) : "");
}

/* Computes q, v and the multipliers for the new y. */
static int find_node(underlying_ode* own, double t, VidaError* error) {
  const size_t bytes = 2 * (size_t)own->self->model.n * sizeof *own->y;
  int code = own->is_asked ? VIDA_SUCCESS : vida__ode_rate(own->ode, t, own->next, own->rate);
  if (!code && own->find_state) {
    code = own->find_state(own, t, own->next, own->found);
  } else {
    memcpy(own->found, own->next, bytes);
  }
  return code ? vida__fail(error, code, "%s", "") : set_state(own->self, t, own->found, error);
}

/* Exchanges the state of the node and that of the next one. */
static void exchange_states(underlying_ode* own) {
  vida__exchange(&own->y, &own->next);
  vida__exchange(&own->state, &own->found);
}

void vida__underlying_undo(VidaIntegration* self) {
  underlying_ode* own = self->state;
  exchange_states(own);
  vida__ode_restart(own->ode, 0.0);
}

int vida__underlying_step(VidaIntegration* self, VidaError* error) {
  underlying_ode* own = self->state;
  const size_t bytes = 2 * (size_t)self->model.n * sizeof *own->y;
  const double t = vida__node_time(self);
  const double next = vida__next_time(self);
  double reached = t;
  VidaError cause;
  vida__equations_evaluator(own->equations)->error = (VidaError){0};
  memcpy(own->next, own->y, bytes);
  int code = vida__ode_advance(own->ode, t, next, own->next, &reached, &cause);
  if (!code) {
    code = find_node(own, next, &cause);
  }
  copy_counts(self);
  if (code) {
    vida__ode_restart(own->ode, 0.0);
    return explain(self, &cause, reached, error);
  }
  exchange_states(own);
  if (!own->is_asked) {
    memcpy(self->node.lambda, own->lambda, (size_t)self->model.m * sizeof *own->lambda);
    self->node.lambda_t = next;
  }
  return VIDA_SUCCESS;
}

int vida__underlying_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const underlying_ode* own = self->state;
  (void)error;
  memcpy(v, own->state + self->model.n, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- projection ------------------------------------------------------------------------------ */

int vida__underlying_create_projector(VidaIntegration* self, vida_projection kind,
                                      VidaError* error) {
  underlying_ode* own = self->state;
  const int code = vida__projector_create(self->model.system, kind, vida__solver_of(self->options),
                                          own->equations, &own->projector, error);
  if (!code) {
    vida__follow_segment(self, vida__projector_evaluator(own->projector));
    vida__follow_equations(self, vida__projector_equations(own->projector));
  }
  return code;
}

int vida__underlying_create_metric_projector(VidaIntegration* self, VidaError* error) {
  const bool by_mass = VidaOptions_HasChoice(self->options, "metric", "mass");
  return vida__underlying_create_projector(
      self, by_mass ? VIDA_PROJECTION_MASS : VIDA_PROJECTION_IDENTITY, error);
}

int vida__underlying_create_projected(VidaIntegration* self, vida_ode_functions functions,
                                      const vida_integrator_class* class, VidaError* error) {
  int code = vida__underlying_create_own(self, functions, class, error);
  code = code ? code : vida__underlying_create_metric_projector(self, error);
  if (!code) {
    underlying_ode* own = self->state;
    own->accuracy = VidaOptions_Get(self->options, "projection_tolerance");
    own->is_asked = true;
  }
  return code;
}

int vida__underlying_pass_on(underlying_ode* own, int code) {
  if (code) {
    const VidaError* cause = &vida__projector_evaluator(own->projector)->error;
    VidaError* told = &vida__equations_evaluator(own->equations)->error;
    if (*cause->message) {
      *told = *cause;
    } else if (code == VIDA_STEP_SINGULAR) {
      vida__fail(
          told, code,
          "the constraints are singular, so that the projection onto them is not determined");
    }
  }
  return code;
}

vida_state_projection vida__underlying_projection(underlying_ode* own) {
  return (vida_state_projection){.system = own->self->model.system,
                                 .projector = own->projector,
                                 .accuracy = own->accuracy,
                                 .value_size = own->self->model.value_size,
                                 .given = own->n_work,
                                 .dq = own->dq,
                                 .dv = own->dv,
                                 .g = own->g,
                                 .rate = own->g_rate};
}

int vida__underlying_project(void* data, double t, double* y) {
  underlying_ode* own = data;
  double* v = y + own->self->model.n;
  if (own->self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  vida_state_projection projection = vida__underlying_projection(own);
  int code = own->variant == VIDA_PROJECT_VELOCITY ? VIDA_SUCCESS
                                                   : vida__project_position(&projection, t, y, v);
  own->iterations += projection.iterations;
  if (!code && own->variant != VIDA_PROJECT_POSITION) {
    code = vida__project_velocity_level(&projection, t, y, v);
  }
  return vida__underlying_pass_on(own, code);
}

/* ---- baumgarte ------------------------------------------------------------------------------- */

static int check_baumgarte(const VidaOptions* options, VidaError* error) {
  const bool by_alpha =
      VidaOptions_IsSet(options, "alpha1") || VidaOptions_IsSet(options, "alpha0");
  const bool by_gamma = VidaOptions_IsSet(options, "gamma");
  const bool by_step = VidaOptions_IsSet(options, "gamma_h");
  if (by_alpha + by_gamma + by_step > 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "baumgarte takes either alpha1 and alpha0, or gamma, or gamma_h");
  }
  if (by_step && Vida_IsAdaptive(options)) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "baumgarte: gamma_h is gamma times the step, which varies with rtol: set gamma");
  }
  return vida__underlying_check(options, error);
}

static int create_baumgarte(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate};
  return vida__underlying_create(self, functions, error);
}

static int start_baumgarte(VidaIntegration* self, VidaError* error) {
  const VidaOptions* options = self->options;
  underlying_ode* own = self->state;
  const double by_step = VidaOptions_Get(options, "gamma_h");
  const double gamma = by_step > 0.0 ? by_step / self->node.h : VidaOptions_Get(options, "gamma");
  own->alpha1 = gamma > 0.0 ? 2.0 * gamma : VidaOptions_Get(options, "alpha1");
  own->alpha0 = gamma > 0.0 ? gamma * gamma : VidaOptions_Get(options, "alpha0");
  return vida__underlying_start(self, error);
}

static const VidaOptionRow baumgarte_options[] = {
    VIDA_INTEGRATOR_ROW,
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
    .size = sizeof(VidaMethod),
    .info = {"baumgarte",
             "the underlying ODE, with Baumgarte's stabilization or none: constraints of "
             "accelerations, g'' = -alpha1 g' - alpha0 g",
             "Baumgarte 1972; Ascher, Chin, Petzold, Reich 1995, eq. 1.5, 2.1",
             "Explicit integrators: stable for steps below a fraction of the shortest period and "
             "of 1/gamma. Solutions drift off the constraints, without stabilization at a growing "
             "rate. bdf and the implicit tables use a dense matrix of 2 n rows.",
             5,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC |
                 VIDA_CAN_ADAPTIVE | VIDA_CAN_REACTIVE_FORCES},
    .remedy = {"gamma_h", "1", "coordinate-projection"},
    .common = vida__ode_options,
    .options = baumgarte_options,
    .check = check_baumgarte,
    .create = create_baumgarte,
    .state = vida__underlying_state,
    .start = start_baumgarte,
    .step = vida__underlying_step,
    .undo = vida__underlying_undo,
    .velocities = vida__underlying_velocities,
    .energy = vida__node_energy,
    .order = vida__underlying_order,
    .destroy = vida__underlying_destroy};
