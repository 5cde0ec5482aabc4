/* Steppers: creation, start, one step, and what can be asked of the state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/jumps.h"

/* One block for all arrays; the order of the first six is that of the state. */
static int allocate_arrays(VidaStepper* stepper) {
  const size_t n = (size_t)stepper->n;
  const size_t m = (size_t)stepper->m;
  const size_t entries = (size_t)stepper->system->entry_count;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&stepper->q, n},
                {&stepper->q_low, n},
                {&stepper->p, n},
                {&stepper->p_low, n},
                {&stepper->v0, n},
                {&stepper->lambda, m},
                {&stepper->kept, 5 * n + m},
                {&stepper->unknown, n + m},
                {&stepper->history[0], n + m},
                {&stepper->history[1], n + m},
                {&stepper->history[2], n + m},
                {&stepper->root_mass, n},
                {&stepper->inverse_root, n},
                {&stepper->row_stiffness, m},
                {&stepper->matrix_root, n},
                {&stepper->matrix_stiffness, m},
                {&stepper->force_size, n},
                {&stepper->value_size, m},
                {&stepper->reach, m},
                {&stepper->speed, n},
                {&stepper->atol, n},
                {&stepper->g0, m},
                {&stepper->g_tracked, m},
                {&stepper->g_node, m},
                {&stepper->entries0, entries},
                {&stepper->entries_before, entries},
                {&stepper->entries, entries},
                {&stepper->q1, n},
                {&stepper->dq, n},
                {&stepper->place, n},
                {&stepper->l_q, n},
                {&stepper->l_v, n},
                {&stepper->g_work, m},
                {&stepper->node_step, n + m},
                {&stepper->node_velocity, n},
                {&stepper->constraint_work, m},
                {&stepper->mass_work, n + m},
                {&stepper->redundancy, m},
                {&stepper->least_norm, m}};
  const size_t count = sizeof arrays / sizeof arrays[0];
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    total += arrays[i].count;
  }
  stepper->block = vida__allocate(total, sizeof(double));
  double* next = stepper->block;
  for (size_t i = 0; i < count && next; i++) {
    *arrays[i].array = next;
    next += arrays[i].count;
  }
  return stepper->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static bool has_increments(const VidaSystem* system) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_kernel* kernel = system->constraint_batches[b].kernel;
    if (!kernel->discrete_jacobian || kernel->is_driven) {
      return false;
    }
  }
  return true;
}

vida_solver vida__solver_of(const VidaOptions* options) {
  return VidaOptions_HasChoice(options, "linear_solver", "dense") ? VIDA_SOLVER_DENSE
         : VidaOptions_HasChoice(options, "linear_solver", "klu") ? VIDA_SOLVER_KLU
                                                                  : VIDA_SOLVER_AUTO;
}

static int interrupted(void* data) {
  VidaStepper* stepper = data;
  return vida__interrupted(stepper, vida__node_time(stepper));
}

static int create_solvers(VidaStepper* stepper, VidaError* error) {
  stepper->tolerance = VidaOptions_Get(stepper->options, "tolerance");
  const vida_map_options options = {stepper->tolerance,
                                    (int)VidaOptions_Get(stepper->options, "max_iterations"),
                                    vida__solver_of(stepper->options)};
  if (vida__context_create(&stepper->context)) {
    return vida__fail_memory(error);
  }
  int code = vida__linear_create(stepper->context, &stepper->system->pattern, options.solver,
                                 &stepper->node_matrix, error);
  if (!code && stepper->system->constant_mass && stepper->system->has_coupled_mass) {
    code = vida__linear_create(stepper->context, &stepper->system->pattern, options.solver,
                               &stepper->mass_matrix, error);
  }
  if (!code && stepper->method->map.residual) {
    code = vida__map_create(stepper->context, stepper->rows, stepper->method->map, stepper, options,
                            &stepper->map, error);
    if (!code) {
      vida__map_set_interrupt(stepper->map, interrupted);
    }
  }
  return code;
}

static int check_capabilities(const VidaSystem* system, const VidaMethod* method,
                              VidaError* error) {
  const char* const name = method->info.name;
  if (system->row_count > 0 && (method->info.capabilities & VIDA_LIMIT_UNCONSTRAINED)) {
    return VIDA_REFUSE_SYSTEM(
        error, "%s is for systems without constraints, and cannot take '%s' of system '%s'", name,
        system->rows[0].name, system->name);
  }
  /* Methods of the last two kinds look at the system themselves. */
  const unsigned not_separable =
      VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_POSITION_FORCES | VIDA_CAN_RIGID_BODIES;
  if (system->constant_mass && !system->separable &&
      !(method->info.capabilities & (not_separable | VIDA_CAN_CONSTANT_MASS))) {
    return VIDA_REFUSE_SYSTEM(
        error, "%s cannot take system '%s', which has %s", name, system->name,
        system->has_forces ? "generalized forces" : "a mass matrix that is not diagonal");
  }
  if (!system->constant_mass &&
      !(method->info.capabilities & (not_separable | VIDA_CAN_GENERAL_MASS))) {
    const char* term = vida__general_term(system);
    for (int i = 0; i < system->coordinate_count && !term; i++) {
      if (!(system->mass[i] > 0.0)) {
        return VIDA_REFUSE_SYSTEM(
            error, "%s needs a regular mass matrix, and '%s' of system '%s' has no mass", name,
            system->coordinates[i].name, system->name);
      }
    }
    return VIDA_REFUSE_SYSTEM(error,
                              "%s needs a constant mass matrix and a potential, and cannot take "
                              "the general Lagrangian '%s' of system '%s'",
                              name, term ? term : "", system->name);
  }
  if (system->time_dependent && !(method->info.capabilities & VIDA_CAN_TIME_DEPENDENT)) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s cannot integrate system '%s', whose constraints depend on time",
                              name, system->name);
  }
  if (system->nonholonomic && !(method->info.capabilities & VIDA_CAN_NONHOLONOMIC)) {
    return VIDA_REFUSE_SYSTEM(error, "%s cannot take the nonholonomic constraints of system '%s'",
                              name, system->name);
  }
  return VIDA_SUCCESS;
}

static const char* coordinate_name(const void* list, int index) {
  return ((const VidaSystem*)list)->coordinates[index].name;
}

/* Of options by coordinate the names, which only now can be looked up. */
static int check_coordinates(const VidaStepper* stepper, VidaError* error) {
  const VidaSystem* system = stepper->system;
  const char *name, *option = NULL;
  for (int k = 0; (name = vida__options_coordinate(stepper->options, k, &option)); k++) {
    if (vida__find_string(&system->coordinate_names, name) < 0) {
      const int nearest = Vida_NearestName(name, system->coordinate_count, coordinate_name, system);
      return vida__fail(error, VIDA_UNKNOWN_NAME, "%s: system '%s' has no coordinate '%s'%s%s%s",
                        option, system->name, name, nearest >= 0 ? "; did you mean '" : "",
                        nearest >= 0 ? coordinate_name(system, nearest) : "",
                        nearest >= 0 ? "'?" : "");
    }
  }
  return VIDA_SUCCESS;
}

static int take_tolerances(VidaStepper* stepper, VidaError* error) {
  bool is_asked = false;
  for (int i = 0; i < stepper->n; i++) {
    stepper->atol[i] =
        VidaOptions_GetOf(stepper->options, "atol", coordinate_name(stepper->system, i));
    is_asked = is_asked || isfinite(stepper->atol[i]);
  }
  const int code = check_coordinates(stepper, error);
  if (!code && is_asked && !stepper->adaptive) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: atol has no meaning for fixed steps h; set rtol as well",
                      stepper->method->info.name);
  }
  return code;
}

int vida__create_stepper(const VidaSystem* system, const VidaOptions* options,
                         VidaStepper** stepper, VidaError* error) {
  const VidaMethod* method = vida__find_method(VidaOptions_Method(options));
  if (!method) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the options of a %s are not those of a method",
                      VidaOptions_Method(options));
  }
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  if (!VidaOptions_IsSet(options, "h")) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: the step h is missing", method->info.name);
  }
  int code = method->refers ? VIDA_SUCCESS : check_capabilities(system, method, error);
  if (code) {
    return code;
  }
  VidaStepper* created = vida__allocate(1, sizeof *created);
  if (!created) {
    return vida__fail_memory(error);
  }
  created->method = method;
  created->system = system;
  created->adaptive = Vida_IsAdaptive(options);
  created->n = system->coordinate_count;
  created->m = system->row_count;
  created->has_increments = has_increments(system);
  code = vida__evaluator_create(system, &created->evaluator, error);
  code = code ? code : vida__jumps_create(created, error);
  code = code ? code : VidaOptions_Copy(options, &created->options, error);
  if (!code && allocate_arrays(created)) {
    code = vida__fail_memory(error);
  }
  if (!code && vida__rank_create(system, &created->rank, error) == VIDA_OUT_OF_MEMORY) {
    code = VIDA_OUT_OF_MEMORY;
  }
  code = code ? code : take_tolerances(created, error);
  created->rows = vida__map_rows_of(&created->evaluator);
  created->prepare = vida__prepare_step;
  code = code ? code : method->create(created, error);
  code = code ? code : create_solvers(created, error);
  code = code ? code : vida__watch_create(created, &created->watch, error);
  if (code) {
    VidaStepper_Destroy(&created);
    return code;
  }
  *stepper = created;
  return VIDA_SUCCESS;
}

int VidaStepper_Create(const VidaSystem* system, const VidaOptions* options, VidaStepper** stepper,
                       VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  *stepper = NULL;
  if (VIDA_REFUSE_NULL(error, system, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  return vida__name_able(system, options, vida__create_stepper(system, options, stepper, error),
                         error);
}

void VidaStepper_Destroy(VidaStepper** stepper) {
  VidaStepper* old = stepper ? *stepper : NULL;
  if (!old) {
    return;
  }
  vida__map_destroy(&old->map);
  if (old->method->destroy) {
    old->method->destroy(old);
  }
  vida__rank_destroy(&old->rank);
  vida__watch_destroy(&old->watch);
  vida__jumps_destroy(&old->jumps);
  free(old->own);
  vida__linear_destroy(&old->node_matrix);
  vida__linear_destroy(&old->mass_matrix);
  if (old->context) {
    SUNContext_Free(&old->context);
  }
  free(old->block);
  VidaOptions_Destroy(&old->options);
  vida__evaluator_destroy(&old->evaluator);
  free(old);
  *stepper = NULL;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int check_values(const VidaStepper* stepper, const char* what, const double* values,
                        VidaError* error) {
  for (int i = 0; i < stepper->n; i++) {
    if (!isfinite(values[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the initial %s of '%s' is not a finite number",
                        what, stepper->system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

static int factor_mass(VidaStepper* stepper, VidaError* error) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  vida_linear* mass = stepper->mass_matrix;
  if (!mass) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(mass);
  int code = vida__add_hessian_of(&stepper->evaluator, VIDA_PART_KINETIC, stepper->t0, stepper->q,
                                  stepper->v0, mass_only, mass->values);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int r = 0; r < stepper->m; r++) {
    mass->values[vida__pattern_slot(mass->pattern, stepper->n + r, stepper->n + r)] = 1.0;
  }
  code = vida__linear_factor(mass);
  /* A method that solves with the mass matrix alone asks whether it could be factored. */
  stepper->has_singular_mass = code != VIDA_SUCCESS;
  return VIDA_SUCCESS;
}

static void set_unknown_multipliers(VidaStepper* stepper) {
  stepper->lambda_t = vida__node_time(stepper);
  for (int r = 0; r < stepper->m; r++) {
    stepper->lambda[r] = (double)NAN;
  }
}

static int reset(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                 bool again, VidaError* error) {
  const size_t bytes = (size_t)stepper->n * sizeof *q;
  char got[VIDA_REAL_TEXT_SIZE];
  if (!isfinite(t0) || !isfinite(h) || !(h > 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "a start needs a finite time and a positive step, got h = %s",
                      vida__shortest_text(got, h));
  }
  const int code = check_values(stepper, "position", q, error);
  if (code) {
    return code;
  }
  stepper->started = false;
  stepper->earlier = again ? stepper->earlier : 0;
  stepper->t0 = t0;
  stepper->h = h;
  stepper->step = 0;
  stepper->history_count = 0;
  stepper->has_node_velocity = false;
  stepper->has_node_multipliers = false;
  stepper->has_g_node = false;
  stepper->scaled_for = 0.0;
  stepper->tension = 0.0;
  stepper->has_tracked = false;
  memcpy(stepper->q, q, bytes);
  memcpy(stepper->v0, v, bytes);
  memset(stepper->q_low, 0, bytes);
  memset(stepper->p, 0, bytes);
  memset(stepper->p_low, 0, bytes);
  memset(&stepper->statistics, 0, sizeof stepper->statistics);
  if (stepper->map) {
    vida__map_reset_counts(stepper->map);
  }
  set_unknown_multipliers(stepper);
  int measured = vida__measure_sizes(stepper, error);
  if (measured) {
    return measured;
  }
  if (!again) { /* sizes of constraints are those of the motion's start, not of any place in it */
    vida__measure_reach(stepper);
  }
  measured = vida__find_redundancy(stepper, error);
  return measured ? measured : factor_mass(stepper, error);
}

/* The matrix of the first step is factored now: what KLU allocates is allocated here. */
static int warm_up(VidaStepper* stepper, VidaError* error) {
  const int code = stepper->prepare(stepper, error);
  if (!code) {
    if (stepper->map) {
      vida__map_prepare(stepper->map, stepper->unknown);
      vida__map_reset_counts(stepper->map);
    }
    if (vida__factor_node_matrix(stepper, stepper->entries0, stepper->v0) == VIDA_STEP_SINGULAR &&
        stepper->m == 0) {
      vida__fail(error, VIDA_BAD_ARGUMENT,
                 "the mass matrix of system '%s' is singular at the start: some combination "
                 "of rates has no kinetic energy",
                 stepper->system->name);
      if (error) {
        vida__append_open(stepper, error->message, VIDA_MESSAGE_SIZE);
      }
      return VIDA_BAD_ARGUMENT;
    }
  }
  return code;
}

/* Unknowns that are impulses of constraints, which are then not known before the first step. */
static bool has_multipliers_to_scale(const VidaStepper* stepper) {
  return stepper->map && stepper->m > 0 &&
         (stepper->method->info.capabilities & VIDA_CAN_POSITION_LEVEL);
}

int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error) {
  int code = check_values(stepper, "velocity", v, error);
  code = code ? code : reset(stepper, t0, h, q, v, again, error);
  code = code ? code : vida__check_massless(stepper, error);
  code = code ? code : stepper->method->start(stepper, error);
  if (!code && has_multipliers_to_scale(stepper)) {
    vida__measure_tension(stepper);
  }
  code = code ? code : vida__judge_start(stepper, error);
  code = code ? code : warm_up(stepper, error);
  if (!code && again) {
    vida__watch_return(stepper->watch, stepper->t0, stepper->q);
  } else if (!code) {
    vida__watch_start(stepper->watch, stepper->t0, stepper->q);
    stepper->start_energy = vida__kinetic_size(stepper) + vida__potential_size(stepper);
  }
  stepper->started = !code;
  return code;
}

int vida__start_stepper(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                        VidaError* error) {
  const int code = stepper->jumps ? vida__jumps_begin(stepper, t0, h, error) : VIDA_SUCCESS;
  return code ? code : vida__start_motion(stepper, t0, h, q, v, false, error);
}

int VidaStepper_StartWithStep(VidaStepper* stepper, double t0, double h, const double* q,
                              const double* v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, q, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  return vida__name_able(stepper->system, stepper->options,
                         vida__start_stepper(stepper, t0, h, q, v, error), error);
}

int VidaStepper_Start(VidaStepper* stepper, double t0, const double* q, const double* v,
                      VidaError* error) {
  const int code = VIDA_REFUSE_NULL(error, stepper, q, v);
  return code ? code
              : VidaStepper_StartWithStep(stepper, t0, VidaOptions_Get(stepper->options, "h"), q, v,
                                          error);
}

int VidaStepper_StartTwoPoints(VidaStepper* stepper, double t0, const double* q0, const double* q1,
                               VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, q0, q1)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double h = VidaOptions_Get(stepper->options, "h");
  if (!stepper->method->start_two_points) {
    return vida__fail(error, VIDA_NOT_SUPPORTED, "%s cannot start from two points",
                      stepper->method->info.name);
  }
  int code = check_values(stepper, "position", q0, error);
  code = code ? code : check_values(stepper, "second position", q1, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < stepper->n; i++) {
    stepper->node_velocity[i] = (q1[i] - q0[i]) / h;
  }
  code = stepper->jumps ? vida__jumps_begin(stepper, t0, h, error) : VIDA_SUCCESS;
  code = code ? code : reset(stepper, t0, h, q0, stepper->node_velocity, false, error);
  code = code ? code : stepper->method->start_two_points(stepper, q1, error);
  code = code ? code : warm_up(stepper, error);
  if (!code) {
    vida__watch_start(stepper->watch, vida__node_time(stepper), stepper->q);
    if (stepper->jumps) {
      stepper->jumps->step = stepper->step;
    }
    stepper->start_energy = vida__kinetic_size(stepper) + vida__potential_size(stepper);
  }
  stepper->started = !code;
  return vida__name_able(stepper->system, stepper->options, code, error);
}

/* ---- step and state -------------------------------------------------------------------------- */

static int require_start(const VidaStepper* stepper, VidaError* error) {
  return stepper->started
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_WRONG_ORDER, "%s has not been started on system '%s'",
                          stepper->method->info.name, stepper->system->name);
}

/* Motion far outside all bounds ends here, not in an output. */
static int check_state(const VidaStepper* stepper, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  double sum = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    sum += 0.0 * stepper->q[i] + 0.0 * stepper->p[i]; /* NaN as soon as one is not finite */
  }
  return sum == 0.0 ? VIDA_SUCCESS
                    : vida__fail(error, VIDA_NOT_FINITE,
                                 "%s leads to positions or momenta that are not finite numbers",
                                 vida__name_step(stepper, step));
}

/* The last step leaves nothing behind that guesses could be made from. */
static void take_back(VidaStepper* stepper) {
  stepper->has_node_velocity = false;
  stepper->has_g_node = false;
  stepper->has_tracked = false;
  stepper->history_count = 0;
  if (stepper->method->undo) {
    stepper->method->undo(stepper);
  }
}

/* The state that the step has led to becomes that of the node, or is refused. */
static int arrive(VidaStepper* stepper, VidaError* error) {
  int code = check_state(stepper, error);
  code = code || stepper->tells_watch ? code : vida__check_branch(stepper, stepper->q, error);
  stepper->has_node_velocity = false;
  stepper->has_node_multipliers = false;
  code = code ? code : vida__judge_step(stepper, error);
  if (!code) {
    stepper->step++;
    return VIDA_SUCCESS;
  }
  take_back(stepper);
  return code;
}

/* From the node to the next one, or to the failure of an interrupt. */
static int try_step(VidaStepper* stepper, VidaError* error) {
  if (!stepper->outer) {
    vida__begin_interruptible(stepper);
  }
  int code = vida__interrupted(stepper, vida__node_time(stepper));
  code = code ? code : stepper->prepare(stepper, error);
  stepper->has_g_node = false;
  code = code ? code : stepper->method->step(stepper, error);
  if (!stepper->outer && vida__end_interruptible(stepper)) {
    if (!code) { /* it ended all the same, perhaps with less accuracy than it would have had */
      take_back(stepper);
    }
    return vida__fail_interrupted(stepper, error);
  }
  return code ? code : arrive(stepper, error);
}

int vida__make_step(VidaStepper* stepper, VidaError* error) {
  const size_t bytes = (size_t)(5 * stepper->n + stepper->m) * sizeof(double);
  const double lambda_t = stepper->lambda_t;
  memcpy(stepper->kept, stepper->q, bytes);
  /* g of the judgement is that of the node, unless state, time or formulas have been exchanged. */
  stepper->has_g_node = stepper->has_g_node && !stepper->outer && !stepper->jumps;
  const int code = try_step(stepper, error);
  if (code) {
    memcpy(stepper->q, stepper->kept, bytes);
    stepper->lambda_t = lambda_t;
    if (!stepper->interrupt.code) {
      vida__explain_failure(stepper, error);
      if (code > 0 && !stepper->outer) {
        vida__explain_light(stepper, error);
      }
    }
    vida__watch_return(stepper->watch, vida__node_time(stepper), stepper->q);
    return code;
  }
  stepper->statistics.steps += stepper->adaptive ? 0 : 1;
  return VIDA_SUCCESS;
}

int VidaStepper_Step(VidaStepper* stepper, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = require_start(stepper, error);
  if (code) {
    return code;
  }
  return stepper->jumps ? vida__jumps_step(stepper, error) : vida__make_step(stepper, error);
}

double VidaStepper_Time(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  if (jumps && !jumps->is_inside) {
    return jumps->t0 + (double)jumps->step * jumps->h;
  }
  return stepper ? vida__node_time(stepper) : (double)NAN;
}

double VidaStepper_StepSize(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->h : stepper ? stepper->h : (double)NAN;
}

long VidaStepper_StepCount(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->step : stepper ? stepper->step : 0;
}

const VidaSystem* VidaStepper_System(const VidaStepper* stepper) {
  return stepper ? stepper->system : NULL;
}

const double* VidaStepper_Positions(const VidaStepper* stepper) {
  return stepper ? stepper->q : NULL;
}

const double* VidaStepper_Momenta(const VidaStepper* stepper) {
  return stepper ? stepper->p : NULL;
}

int vida__node_velocities(VidaStepper* stepper, const double** v, VidaError* error) {
  *v = stepper->node_velocity;
  if (stepper->has_node_velocity) {
    return VIDA_SUCCESS;
  }
  const int code = stepper->method->velocities(stepper, stepper->node_velocity, error);
  stepper->has_node_velocity = !code;
  return code;
}

int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* found;
  int code = require_start(stepper, error);
  code = code ? code : vida__node_velocities(stepper, &found, error);
  if (!code) {
    memcpy(v, found, (size_t)stepper->n * sizeof *v);
  }
  return code;
}

const double* VidaStepper_Multipliers(VidaStepper* stepper, double* t) {
  if (!stepper) {
    if (t) {
      *t = (double)NAN;
    }
    return NULL;
  }
  if (stepper->method->multipliers && stepper->step > 0 && !stepper->has_node_multipliers) {
    VidaError unused;
    if (stepper->method->multipliers(stepper, &unused)) {
      set_unknown_multipliers(stepper);
    }
    stepper->has_node_multipliers = true;
  }
  if (t) {
    *t = stepper->lambda_t;
  }
  return stepper->lambda;
}

bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper) {
  return stepper && !stepper->redundant;
}

int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows) {
  if (rows) {
    *rows = stepper && stepper->rank ? vida__rank_dependent(stepper->rank) : NULL;
  }
  return stepper && stepper->redundant ? vida__rank_dependent_count(stepper->rank) : 0;
}

int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, energy)) {
    return VIDA_BAD_ARGUMENT;
  }
  double unused;
  const int code = require_start(stepper, error);
  return code ? code : stepper->method->energy(stepper, energy, t ? t : &unused, error);
}

int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                            VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double t = vida__node_time(stepper);
  const double* v;
  int code = require_start(stepper, error);
  if (code) {
    return code;
  }
  if (position && stepper->has_g_node) {
    memcpy(position, stepper->g_node, (size_t)stepper->m * sizeof *position);
  } else if (position) {
    code = vida__constraints(&stepper->evaluator, t, stepper->q, stepper->q_low, position);
  }
  if (velocity && !code) {
    code = vida__node_velocities(stepper, &v, error);
    if (code) {
      return code;
    }
    code = vida__jacobian(&stepper->evaluator, t, stepper->q, stepper->entries);
    code = code ? code : vida__constraint_rate(&stepper->evaluator, t, stepper->q, velocity);
    vida__add_constraint_velocity(stepper->system, stepper->entries, 1.0, v, velocity);
  }
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

static double largest_of(const double* values, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(values[i]));
  }
  return largest;
}

int VidaStepper_ConstraintErrors(VidaStepper* stepper, double* position, double* velocity,
                                 VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  double* rows = stepper->constraint_work;
  int code = VIDA_SUCCESS;
  if (position) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    *position = largest_of(rows, stepper->m);
  }
  if (velocity && !code) {
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    *velocity = largest_of(rows, stepper->m);
  }
  return code;
}

int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, values)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* v;
  int code = require_start(stepper, error);
  code = code ? code : vida__node_velocities(stepper, &v, error);
  if (code) {
    return code;
  }
  /* Their own conditions are no jumps of the motion: they are looked at where the state is. */
  const vida_segment* segment = stepper->evaluator.segment;
  const bool is_at_jump = stepper->jumps && stepper->jumps->is_at_jump;
  stepper->evaluator.segment = is_at_jump ? &stepper->jumps->edge : NULL;
  code = vida__observables(&stepper->evaluator, vida__node_time(stepper), stepper->q, v, values);
  stepper->evaluator.segment = segment;
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t, const char** constraint) {
  return stepper ? vida__watch_passages(stepper->watch, t, constraint) : 0;
}

VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper) {
  VidaStatistics statistics = {0};
  if (stepper) {
    statistics = stepper->statistics;
    if (stepper->jumps) {
      vida__add_statistics(&statistics, stepper->jumps->before);
    }
    statistics.singular_passages = vida__watch_passages(stepper->watch, NULL, NULL);
  }
  return statistics;
}
