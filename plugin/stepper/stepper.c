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
  const size_t n = (size_t)stepper->self.model.n;
  const size_t m = (size_t)stepper->self.model.m;
  const size_t entries = (size_t)stepper->self.model.system->entry_count;
  const struct {
    double** array;
    size_t count;
  } arrays[] = {{&stepper->self.node.q, n},
                {&stepper->self.node.q_low, n},
                {&stepper->self.node.p, n},
                {&stepper->self.node.p_low, n},
                {&stepper->self.node.v, n},
                {&stepper->self.node.lambda, m},
                {&stepper->kept, 5 * n + m},
                {&stepper->self.implicit.unknown, n + m},
                {&stepper->self.implicit.history[0], n + m},
                {&stepper->self.implicit.history[1], n + m},
                {&stepper->self.implicit.history[2], n + m},
                {&stepper->self.model.root_mass, n},
                {&stepper->self.model.inverse_root, n},
                {&stepper->self.model.row_stiffness, m},
                {&stepper->self.model.matrix_root, n},
                {&stepper->self.model.matrix_stiffness, m},
                {&stepper->self.model.force_size, n},
                {&stepper->self.model.value_size, m},
                {&stepper->self.model.reach, m},
                {&stepper->self.work.speed, n},
                {&stepper->self.model.atol, n},
                {&stepper->self.implicit.g0, m},
                {&stepper->self.implicit.g_tracked, m},
                {&stepper->self.implicit.g_node, m},
                {&stepper->self.implicit.entries0, entries},
                {&stepper->self.implicit.entries_before, entries},
                {&stepper->self.work.entries, entries},
                {&stepper->self.work.q1, n},
                {&stepper->self.work.dq, n},
                {&stepper->self.work.place, n},
                {&stepper->self.work.l_q, n},
                {&stepper->self.work.l_v, n},
                {&stepper->self.work.g_work, m},
                {&stepper->self.work.node_step, n + m},
                {&stepper->node_velocity, n},
                {&stepper->self.work.constraint_work, m},
                {&stepper->self.work.mass_work, n + m},
                {&stepper->self.model.redundancy, m},
                {&stepper->self.model.least_norm, m}};
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
  return vida__interrupted(&stepper->self, vida__node_time(&stepper->self));
}

static int create_solvers(VidaStepper* stepper, VidaError* error) {
  stepper->self.implicit.tolerance = VidaOptions_Get(stepper->self.options, "tolerance");
  const vida_map_options options = {stepper->self.implicit.tolerance,
                                    (int)VidaOptions_Get(stepper->self.options, "max_iterations"),
                                    vida__solver_of(stepper->self.options)};
  if (vida__context_create(&stepper->self.model.context)) {
    return vida__fail_memory(error);
  }
  int code = vida__linear_create(stepper->self.model.context, &stepper->self.model.system->pattern,
                                 options.solver, &stepper->self.model.node_matrix, error);
  if (!code && stepper->self.model.system->constant_mass &&
      stepper->self.model.system->has_coupled_mass) {
    code = vida__linear_create(stepper->self.model.context, &stepper->self.model.system->pattern,
                               options.solver, &stepper->self.model.mass_matrix, error);
  }
  if (!code && stepper->self.method->equations.residual) {
    code = vida__map_create(stepper->self.model.context, stepper->self.implicit.rows,
                            stepper->self.method->equations, stepper, options,
                            &stepper->self.implicit.map, error);
    if (!code) {
      vida__map_set_interrupt(stepper->self.implicit.map, interrupted);
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
  const VidaSystem* system = stepper->self.model.system;
  const char *name, *option = NULL;
  for (int k = 0; (name = vida__options_coordinate(stepper->self.options, k, &option)); k++) {
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
  for (int i = 0; i < stepper->self.model.n; i++) {
    stepper->self.model.atol[i] = VidaOptions_GetOf(stepper->self.options, "atol",
                                                    coordinate_name(stepper->self.model.system, i));
    is_asked = is_asked || isfinite(stepper->self.model.atol[i]);
  }
  const int code = check_coordinates(stepper, error);
  if (!code && is_asked && !stepper->self.adaptive) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: atol has no meaning for fixed steps h; set rtol as well",
                      stepper->self.method->info.name);
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
  int code = method->is_composed ? VIDA_SUCCESS : check_capabilities(system, method, error);
  if (code) {
    return code;
  }
  VidaStepper* created = vida__allocate(1, sizeof *created);
  if (!created) {
    return vida__fail_memory(error);
  }
  created->self.method = method;
  created->self.model.system = system;
  created->self.adaptive = Vida_IsAdaptive(options);
  created->self.model.n = system->coordinate_count;
  created->self.model.m = system->row_count;
  created->self.model.has_increments = has_increments(system);
  code = vida__evaluator_create(system, &created->self.model.evaluator, error);
  code = code ? code : vida__jumps_create(created, error);
  code = code ? code : VidaOptions_Copy(options, &created->options, error);
  created->self.options = created->options;
  if (!code && allocate_arrays(created)) {
    code = vida__fail_memory(error);
  }
  if (!code && vida__rank_create(system, &created->self.model.rank, error) == VIDA_OUT_OF_MEMORY) {
    code = VIDA_OUT_OF_MEMORY;
  }
  code = code ? code : take_tolerances(created, error);
  created->self.implicit.rows = vida__map_rows_of(&created->self.model.evaluator);
  created->self.implicit.prepare = vida__prepare_step;
  code = code ? code : method->create(&created->self, error);
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
  vida__map_destroy(&old->self.implicit.map);
  if (old->self.method->destroy) {
    old->self.method->destroy(&old->self);
  }
  vida__rank_destroy(&old->self.model.rank);
  vida__watch_destroy(&old->watch);
  vida__jumps_destroy(&old->jumps);
  free(old->self.state);
  vida__linear_destroy(&old->self.model.node_matrix);
  vida__linear_destroy(&old->self.model.mass_matrix);
  if (old->self.model.context) {
    SUNContext_Free(&old->self.model.context);
  }
  free(old->block);
  VidaOptions_Destroy(&old->options);
  vida__evaluator_destroy(&old->self.model.evaluator);
  free(old);
  *stepper = NULL;
}

/* ---- start ----------------------------------------------------------------------------------- */

static int check_values(const VidaStepper* stepper, const char* what, const double* values,
                        VidaError* error) {
  for (int i = 0; i < stepper->self.model.n; i++) {
    if (!isfinite(values[i])) {
      return vida__fail(error, VIDA_NOT_FINITE, "the initial %s of '%s' is not a finite number",
                        what, stepper->self.model.system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

static int factor_mass(VidaStepper* stepper, VidaError* error) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  vida_linear* mass = stepper->self.model.mass_matrix;
  if (!mass) {
    return VIDA_SUCCESS;
  }
  vida__linear_clear(mass);
  int code =
      vida__add_hessian_of(&stepper->self.model.evaluator, VIDA_PART_KINETIC, stepper->self.node.t0,
                           stepper->self.node.q, stepper->self.node.v, mass_only, mass->values);
  if (code) {
    return vida__evaluation_failed(&stepper->self, code, error);
  }
  for (int r = 0; r < stepper->self.model.m; r++) {
    mass->values[vida__pattern_slot(mass->pattern, stepper->self.model.n + r,
                                    stepper->self.model.n + r)] = 1.0;
  }
  code = vida__linear_factor(mass);
  /* A method that solves with the mass matrix alone asks whether it could be factored. */
  stepper->self.model.has_singular_mass = code != VIDA_SUCCESS;
  return VIDA_SUCCESS;
}

static void set_unknown_multipliers(VidaStepper* stepper) {
  stepper->self.node.lambda_t = vida__node_time(&stepper->self);
  for (int r = 0; r < stepper->self.model.m; r++) {
    stepper->self.node.lambda[r] = (double)NAN;
  }
}

static int reset(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                 bool again, VidaError* error) {
  const size_t bytes = (size_t)stepper->self.model.n * sizeof *q;
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
  stepper->self.node.t0 = t0;
  stepper->self.node.h = h;
  stepper->self.node.step = 0;
  stepper->self.implicit.history_count = 0;
  stepper->has_node_velocity = false;
  stepper->has_node_multipliers = false;
  stepper->self.implicit.has_g_node = false;
  stepper->self.implicit.scaled_for = 0.0;
  stepper->self.model.tension = 0.0;
  stepper->self.implicit.has_tracked = false;
  memcpy(stepper->self.node.q, q, bytes);
  memcpy(stepper->self.node.v, v, bytes);
  memset(stepper->self.node.q_low, 0, bytes);
  memset(stepper->self.node.p, 0, bytes);
  memset(stepper->self.node.p_low, 0, bytes);
  memset(&stepper->self.statistics, 0, sizeof stepper->self.statistics);
  if (stepper->self.implicit.map) {
    vida__map_reset_counts(stepper->self.implicit.map);
  }
  set_unknown_multipliers(stepper);
  int measured = vida__measure_sizes(&stepper->self, error);
  if (measured) {
    return measured;
  }
  if (!again) { /* sizes of constraints are those of the motion's start, not of any place in it */
    vida__measure_reach(&stepper->self);
  }
  measured = vida__find_redundancy(&stepper->self, error);
  return measured ? measured : factor_mass(stepper, error);
}

/* The matrix of the first step is factored now: what KLU allocates is allocated here. */
static int warm_up(VidaStepper* stepper, VidaError* error) {
  const int code = stepper->self.implicit.prepare(&stepper->self, error);
  if (!code) {
    if (stepper->self.implicit.map) {
      vida__map_prepare(stepper->self.implicit.map, stepper->self.implicit.unknown);
      vida__map_reset_counts(stepper->self.implicit.map);
    }
    if (vida__factor_node_matrix(&stepper->self, stepper->self.implicit.entries0,
                                 stepper->self.node.v) == VIDA_STEP_SINGULAR &&
        stepper->self.model.m == 0) {
      vida__fail(error, VIDA_BAD_ARGUMENT,
                 "the mass matrix of system '%s' is singular at the start: some combination "
                 "of rates has no kinetic energy",
                 stepper->self.model.system->name);
      if (error) {
        vida__append_open(&stepper->self, error->message, VIDA_MESSAGE_SIZE);
      }
      return VIDA_BAD_ARGUMENT;
    }
  }
  return code;
}

/* Unknowns that are impulses of constraints, which are then not known before the first step. */
static bool has_multipliers_to_scale(const VidaStepper* stepper) {
  return stepper->self.implicit.map && stepper->self.model.m > 0 &&
         (stepper->self.method->info.capabilities & VIDA_CAN_POSITION_LEVEL);
}

int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error) {
  int code = check_values(stepper, "velocity", v, error);
  code = code ? code : reset(stepper, t0, h, q, v, again, error);
  code = code ? code : vida__check_massless(&stepper->self, error);
  code = code ? code : stepper->self.method->start(&stepper->self, error);
  if (!code && has_multipliers_to_scale(stepper)) {
    vida__measure_tension(&stepper->self);
  }
  code = code ? code : vida__judge_start(stepper, error);
  code = code ? code : warm_up(stepper, error);
  if (!code && again) {
    vida__watch_return(stepper->watch, stepper->self.node.t0, stepper->self.node.q);
  } else if (!code) {
    vida__watch_start(stepper->watch, stepper->self.node.t0, stepper->self.node.q);
    stepper->start_energy =
        vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self);
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
  return vida__name_able(stepper->self.model.system, stepper->self.options,
                         vida__start_stepper(stepper, t0, h, q, v, error), error);
}

int VidaStepper_Start(VidaStepper* stepper, double t0, const double* q, const double* v,
                      VidaError* error) {
  const int code = VIDA_REFUSE_NULL(error, stepper, q, v);
  return code ? code
              : VidaStepper_StartWithStep(stepper, t0, VidaOptions_Get(stepper->self.options, "h"),
                                          q, v, error);
}

int VidaStepper_StartTwoPoints(VidaStepper* stepper, double t0, const double* q0, const double* q1,
                               VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, q0, q1)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double h = VidaOptions_Get(stepper->self.options, "h");
  if (!stepper->self.method->start_two_points) {
    return vida__fail(error, VIDA_NOT_SUPPORTED, "%s cannot start from two points",
                      stepper->self.method->info.name);
  }
  int code = check_values(stepper, "position", q0, error);
  code = code ? code : check_values(stepper, "second position", q1, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < stepper->self.model.n; i++) {
    stepper->node_velocity[i] = (q1[i] - q0[i]) / h;
  }
  code = stepper->jumps ? vida__jumps_begin(stepper, t0, h, error) : VIDA_SUCCESS;
  code = code ? code : reset(stepper, t0, h, q0, stepper->node_velocity, false, error);
  code = code ? code : stepper->self.method->start_two_points(&stepper->self, q1, error);
  code = code ? code : warm_up(stepper, error);
  if (!code) {
    vida__watch_start(stepper->watch, vida__node_time(&stepper->self), stepper->self.node.q);
    if (stepper->jumps) {
      stepper->jumps->step = stepper->self.node.step;
    }
    stepper->start_energy =
        vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self);
  }
  stepper->started = !code;
  return vida__name_able(stepper->self.model.system, stepper->self.options, code, error);
}

/* ---- step and state -------------------------------------------------------------------------- */

static int require_start(const VidaStepper* stepper, VidaError* error) {
  return stepper->started
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_WRONG_ORDER, "%s has not been started on system '%s'",
                          stepper->self.method->info.name, stepper->self.model.system->name);
}

/* Motion far outside all bounds ends here, not in an output. */
static int check_state(const VidaStepper* stepper, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  double sum = 0.0;
  for (int i = 0; i < stepper->self.model.n; i++) {
    sum += 0.0 * stepper->self.node.q[i] +
           0.0 * stepper->self.node.p[i]; /* NaN as soon as one is not finite */
  }
  return sum == 0.0 ? VIDA_SUCCESS
                    : vida__fail(error, VIDA_NOT_FINITE,
                                 "%s leads to positions or momenta that are not finite numbers",
                                 vida__name_step(&stepper->self, step));
}

/* The last step leaves nothing behind that guesses could be made from. */
static void take_back(VidaStepper* stepper) {
  stepper->has_node_velocity = false;
  stepper->self.implicit.has_g_node = false;
  stepper->self.implicit.has_tracked = false;
  stepper->self.implicit.history_count = 0;
  if (stepper->self.method->undo) {
    stepper->self.method->undo(&stepper->self);
  }
}

/* The state that the step has led to becomes that of the node, or is refused. */
static int arrive(VidaStepper* stepper, VidaError* error) {
  int code = check_state(stepper, error);
  code = code || stepper->self.reports_motion
             ? code
             : vida__check_branch(&stepper->self, stepper->self.node.q, error);
  stepper->has_node_velocity = false;
  stepper->has_node_multipliers = false;
  code = code ? code : vida__judge_step(stepper, error);
  if (!code) {
    stepper->self.node.step++;
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
  int code = vida__interrupted(&stepper->self, vida__node_time(&stepper->self));
  code = code ? code : stepper->self.implicit.prepare(&stepper->self, error);
  stepper->self.implicit.has_g_node = false;
  code = code ? code : stepper->self.method->step(&stepper->self, error);
  if (!stepper->outer && vida__end_interruptible(stepper)) {
    if (!code) { /* it ended all the same, perhaps with less accuracy than it would have had */
      take_back(stepper);
    }
    return vida__fail_interrupted(stepper, error);
  }
  return code ? code : arrive(stepper, error);
}

int vida__make_step(VidaStepper* stepper, VidaError* error) {
  const size_t bytes = (size_t)(5 * stepper->self.model.n + stepper->self.model.m) * sizeof(double);
  const double lambda_t = stepper->self.node.lambda_t;
  memcpy(stepper->kept, stepper->self.node.q, bytes);
  /* g of the judgement is that of the node, unless state, time or formulas have been exchanged. */
  stepper->self.implicit.has_g_node =
      stepper->self.implicit.has_g_node && !stepper->outer && !stepper->jumps;
  const int code = try_step(stepper, error);
  if (code) {
    memcpy(stepper->self.node.q, stepper->kept, bytes);
    stepper->self.node.lambda_t = lambda_t;
    if (!stepper->interrupt.code) {
      vida__explain_failure(stepper, error);
      if (code > 0 && !stepper->outer) {
        vida__explain_light(&stepper->self, error);
      }
    }
    vida__watch_return(stepper->watch, vida__node_time(&stepper->self), stepper->self.node.q);
    return code;
  }
  stepper->self.statistics.steps += stepper->self.adaptive ? 0 : 1;
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
  return stepper ? vida__node_time(&stepper->self) : (double)NAN;
}

double VidaStepper_StepSize(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->h : stepper ? stepper->self.node.h : (double)NAN;
}

long VidaStepper_StepCount(const VidaStepper* stepper) {
  const vida_jumps* jumps = stepper ? stepper->jumps : NULL;
  return jumps ? jumps->step : stepper ? stepper->self.node.step : 0;
}

const VidaSystem* VidaStepper_System(const VidaStepper* stepper) {
  return stepper ? stepper->self.model.system : NULL;
}

const double* VidaStepper_Positions(const VidaStepper* stepper) {
  return stepper ? stepper->self.node.q : NULL;
}

const double* VidaStepper_Momenta(const VidaStepper* stepper) {
  return stepper ? stepper->self.node.p : NULL;
}

VidaStepper* vida__frame_of(VidaIntegration* self) {
  return (VidaStepper*)self; /* its first member */
}

bool vida__is_nested(const VidaIntegration* self) {
  return ((const VidaStepper*)self)->outer != NULL;
}

int vida__node_velocities(VidaIntegration* self, const double** v, VidaError* error) {
  VidaStepper* stepper = vida__frame_of(self);
  *v = stepper->node_velocity;
  if (stepper->has_node_velocity) {
    return VIDA_SUCCESS;
  }
  const int code = stepper->self.method->velocities(&stepper->self, stepper->node_velocity, error);
  stepper->has_node_velocity = !code;
  return code;
}

int VidaStepper_Velocities(VidaStepper* stepper, double* v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* found;
  int code = require_start(stepper, error);
  code = code ? code : vida__node_velocities(&stepper->self, &found, error);
  if (!code) {
    memcpy(v, found, (size_t)stepper->self.model.n * sizeof *v);
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
  if (stepper->self.method->multipliers && stepper->self.node.step > 0 &&
      !stepper->has_node_multipliers) {
    VidaError unused;
    if (stepper->self.method->multipliers(&stepper->self, &unused)) {
      set_unknown_multipliers(stepper);
    }
    stepper->has_node_multipliers = true;
  }
  if (t) {
    *t = stepper->self.node.lambda_t;
  }
  return stepper->self.node.lambda;
}

bool VidaStepper_MultipliersAreUnique(const VidaStepper* stepper) {
  return stepper && !stepper->self.model.redundant;
}

int vida__dependent_rows(const VidaIntegration* self, const int** rows) {
  return VidaStepper_DependentRows((const VidaStepper*)self, rows);
}

int VidaStepper_DependentRows(const VidaStepper* stepper, const int** rows) {
  if (rows) {
    *rows =
        stepper && stepper->self.model.rank ? vida__rank_dependent(stepper->self.model.rank) : NULL;
  }
  return stepper && stepper->self.model.redundant
             ? vida__rank_dependent_count(stepper->self.model.rank)
             : 0;
}

int VidaStepper_Energy(VidaStepper* stepper, double* energy, double* t, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, energy)) {
    return VIDA_BAD_ARGUMENT;
  }
  double unused;
  const int code = require_start(stepper, error);
  return code ? code : stepper->self.method->energy(&stepper->self, energy, t ? t : &unused, error);
}

int VidaStepper_Constraints(VidaStepper* stepper, double* position, double* velocity,
                            VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double t = vida__node_time(&stepper->self);
  const double* v;
  int code = require_start(stepper, error);
  if (code) {
    return code;
  }
  if (position && stepper->self.implicit.has_g_node) {
    memcpy(position, stepper->self.implicit.g_node,
           (size_t)stepper->self.model.m * sizeof *position);
  } else if (position) {
    code = vida__constraints(&stepper->self.model.evaluator, t, stepper->self.node.q,
                             stepper->self.node.q_low, position);
  }
  if (velocity && !code) {
    code = vida__node_velocities(&stepper->self, &v, error);
    if (code) {
      return code;
    }
    code = vida__jacobian(&stepper->self.model.evaluator, t, stepper->self.node.q,
                          stepper->self.work.entries);
    code = code ? code
                : vida__constraint_rate(&stepper->self.model.evaluator, t, stepper->self.node.q,
                                        velocity);
    vida__add_constraint_velocity(stepper->self.model.system, stepper->self.work.entries, 1.0, v,
                                  velocity);
  }
  return code ? vida__evaluation_failed(&stepper->self, code, error) : VIDA_SUCCESS;
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
  double* rows = stepper->self.work.constraint_work;
  int code = VIDA_SUCCESS;
  if (position) {
    code = VidaStepper_Constraints(stepper, rows, NULL, error);
    *position = largest_of(rows, stepper->self.model.m);
  }
  if (velocity && !code) {
    code = VidaStepper_Constraints(stepper, NULL, rows, error);
    *velocity = largest_of(rows, stepper->self.model.m);
  }
  return code;
}

int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, values)) {
    return VIDA_BAD_ARGUMENT;
  }
  const double* v;
  int code = require_start(stepper, error);
  code = code ? code : vida__node_velocities(&stepper->self, &v, error);
  if (code) {
    return code;
  }
  /* Their own conditions are no jumps of the motion: they are looked at where the state is. */
  const vida_segment* segment = stepper->self.model.evaluator.segment;
  const bool is_at_jump = stepper->jumps && stepper->jumps->is_at_jump;
  stepper->self.model.evaluator.segment = is_at_jump ? &stepper->jumps->edge : NULL;
  code = vida__observables(&stepper->self.model.evaluator, vida__node_time(&stepper->self),
                           stepper->self.node.q, v, values);
  stepper->self.model.evaluator.segment = segment;
  return code ? vida__evaluation_failed(&stepper->self, code, error) : VIDA_SUCCESS;
}

long VidaStepper_SingularPassages(const VidaStepper* stepper, double* t, const char** constraint) {
  return stepper ? vida__watch_passages(stepper->watch, t, constraint) : 0;
}

VidaStatistics VidaStepper_Statistics(const VidaStepper* stepper) {
  VidaStatistics statistics = {0};
  if (stepper) {
    statistics = stepper->self.statistics;
    if (stepper->jumps) {
      vida__add_statistics(&statistics, stepper->jumps->before);
    }
    statistics.singular_passages = vida__watch_passages(stepper->watch, NULL, NULL);
  }
  return statistics;
}
