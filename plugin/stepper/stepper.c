/* Steppers: creation, start, steps, and access to the state. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/contact.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "stepper/branch_watch.h"
#include "stepper/condensed_step.h"
#include "stepper/distance_steps.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/jumps.h"
#include "stepper/method_calls.h"
#include "stepper/method_options.h"
#include "stepper/reduction.h"
#include "stepper/registry.h"
#include "system/contacts/contacts.h"

/* The order of the first six is that of the state. Their addresses are constant for methods, and
 * written only by the allocation. */
void vida__list_arrays(VidaStepper* stepper, vida_array arrays[VIDA_FRAME_ARRAYS]) {
  const size_t n = (size_t)stepper->self.model.n;
  const size_t m = (size_t)stepper->self.model.m;
  const size_t entries = (size_t)stepper->self.model.system->entry_count;
  const vida_array list[VIDA_FRAME_ARRAYS] = {
      {(double**)&stepper->self.node.q, n},
      {(double**)&stepper->self.node.q_low, n},
      {(double**)&stepper->self.node.p, n},
      {(double**)&stepper->self.node.p_low, n},
      {(double**)&stepper->self.node.v, n},
      {(double**)&stepper->self.node.lambda, m},
      {&stepper->kept, 5 * n + m},
      {&stepper->kept_guess, VIDA_HISTORY * (n + m) + m},
      {&stepper->self.implicit.unknown, n + m},
      {&stepper->self.implicit.history.difference[0], n + m},
      {&stepper->self.implicit.history.difference[1], n + m},
      {&stepper->self.implicit.history.difference[2], n + m},
      {&stepper->self.implicit.history.difference[3], n + m},
      {&stepper->self.implicit.history.difference[4], n + m},
      {&stepper->self.implicit.history.difference[5], n + m},
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
      {&stepper->self.implicit.entries_next, entries},
      {&stepper->self.work.entries, entries},
      {&stepper->self.work.q1, n},
      {&stepper->self.work.dq, n},
      {&stepper->self.work.place, n},
      {&stepper->self.work.l_q, n},
      {&stepper->self.work.l_v, n},
      {&stepper->self.work.g_work, m},
      {&stepper->self.work.node_step, n + m},
      {&stepper->node_velocity, n},
      {&stepper->values.rate, m},
      {&stepper->self.work.constraint_work, m},
      {&stepper->self.work.mass_work, n + m},
      {&stepper->self.model.redundancy, m},
      {&stepper->self.model.least_norm, m},
      {&stepper->first.q, n},
      {&stepper->first.v, n},
      {&stepper->self.model.extent, n},
      {&stepper->last.q, n},
      {&stepper->last.v, n}};
  memcpy(arrays, list, sizeof list);
}

/* Allocates one block for all arrays. */
static int allocate_arrays(VidaStepper* stepper) {
  vida_array arrays[VIDA_FRAME_ARRAYS];
  vida__list_arrays(stepper, arrays);
  stepper->block = vida__allocate_arrays(arrays, VIDA_FRAME_ARRAYS);
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

static int interrupted(void* data) {
  VidaIntegration* self = data;
  return vida__interrupted(self, vida__node_time(self));
}

static int create_solvers(VidaStepper* stepper, VidaError* error) {
  stepper->self.implicit.tolerance = VidaOptions_Get(stepper->self.options, "tolerance");
  const vida_map_options options = {
      stepper->self.implicit.tolerance,
      (int)VidaOptions_Get(stepper->self.options, "max_iterations"),
      vida__solver_of(stepper->self.options),
      vida__is_kinsol(stepper->self.options),
      vida__is_reduced(stepper->self.options) ? stepper->self.model.n : 0,
      stepper->self.services};
  if (vida__take_context(stepper->self.services, &stepper->self.model.context)) {
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
                            stepper->self.method->equations, &stepper->self, options,
                            &stepper->self.implicit.map, error);
    code = code ? code : vida__condensed_create(&stepper->self, options, error);
    code = code ? code : vida__distance_steps_create(&stepper->self, error);
    if (!code) {
      vida__map_set_interrupt(stepper->self.implicit.map, interrupted);
    }
    if (!code && stepper->self.implicit.condensed) {
      vida__map_set_interrupt(vida__condensed_map(&stepper->self), interrupted);
    }
  }
  return code;
}

static int check_capabilities(const VidaSystem* system, const VidaMethod* method,
                              VidaError* error) {
  const char* const name = method->info.name;
  if (system->row_count > 0 && (method->info.capabilities & VIDA_LIMIT_UNCONSTRAINED)) {
    return VIDA_REFUSE_SYSTEM(
        error, "%s accepts only systems without constraints, not '%s' of system '%s'", name,
        system->rows[0].name, system->name);
  }
  const char* coupling = vida__first_coupling(system);
  if (coupling && (method->info.capabilities & VIDA_CAN_CONTACTS)) {
    return VIDA_REFUSE_SYSTEM(error, "%s does not accept coupling '%s' of system '%s'", name,
                              coupling, system->name);
  }
  const char* rough = vida__first_rough_shape(system);
  if (rough && !(method->info.capabilities & VIDA_CAN_CONTACTS)) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s does not accept the friction of contact '%s', which is one of "
                              "shapes; methods of time stepping do, and others if its gap and slip "
                              "velocity are given as expressions",
                              name, rough);
  }
  /* Methods of the last three kinds check the system themselves. */
  const unsigned not_separable = VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_POSITION_FORCES |
                                 VIDA_CAN_RIGID_BODIES | VIDA_CAN_JOINTED_BODIES;
  if (system->constant_mass && !system->separable &&
      !(method->info.capabilities & (not_separable | VIDA_CAN_CONSTANT_MASS))) {
    return VIDA_REFUSE_SYSTEM(
        error, "%s does not accept system '%s', which has %s", name, system->name,
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
    return VIDA_REFUSE_SYSTEM(
        error,
        "%s needs a constant mass matrix and a potential without time, and does "
        "not accept the general Lagrangian '%s' of system '%s'",
        name, term ? term : "", system->name);
  }
  if (system->has_reactive_forces && !(method->info.capabilities & VIDA_CAN_REACTIVE_FORCES)) {
    const char* row = "";
    const char* force = vida__reactive_name(system, &row);
    return VIDA_REFUSE_SYSTEM(
        error,
        "%s does not accept the force '%s' of system '%s', which depends on the multiplier "
        "of '%s'",
        name, force, system->name, row);
  }
  if (system->time_dependent && !(method->info.capabilities & VIDA_CAN_TIME_DEPENDENT)) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s cannot integrate system '%s', whose constraints depend on time",
                              name, system->name);
  }
  if (system->nonholonomic && !(method->info.capabilities & VIDA_CAN_NONHOLONOMIC)) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s does not accept the nonholonomic constraints of system '%s'",
                              name, system->name);
  }
  return VIDA_SUCCESS;
}

bool vida__accepts(const VidaSystem* system, const char* method) {
  const VidaMethod* found = vida__find_method(method);
  return found && !check_capabilities(system, found, NULL);
}

static const char* coordinate_name(const void* list, int index) {
  return ((const VidaSystem*)list)->coordinates[index].name;
}

/* Checks the names in options by coordinate, which are unknown before the system. */
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

/* Refuses a nonlinear solver where neither the method nor one that makes its steps has equations
 * for it. */
static int check_solver(const VidaIntegration* self, VidaError* error) {
  const char* asked = vida__asked_solver(self->options);
  if (!asked || self->method->equations.residual || self->implicit.is_nesting) {
    return VIDA_SUCCESS;
  }
  return vida__fail(
      error, VIDA_NOT_SUPPORTED,
      "%s: solver = %s does not fit, since its steps are explicit, or solve equations "
      "of a form of their own; leave the option out",
      self->method->info.name, asked);
}

int vida__create_stepper(const VidaSystem* system, const VidaOptions* options,
                         vida_services* services, VidaStepper** stepper, VidaError* error) {
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
  created->self.services = services;
  created->self.model.system = system;
  created->self.adaptive = Vida_IsAdaptive(options);
  created->self.model.n = system->coordinate_count;
  created->self.model.m = system->row_count;
  created->self.model.has_increments = has_increments(system);
  code = vida__evaluator_create(system, &created->self.model.evaluator, error);
  code = code ? code : vida__jumps_create(created, error);
  if (!code && vida__reactions_create(system, &created->self.model.reactions)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : VidaOptions_Copy(options, &created->options, error);
  created->self.options = created->options;
  created->full_step = VidaOptions_Get(options, "h");
  if (!code && allocate_arrays(created)) {
    code = vida__fail_memory(error);
  }
  if (!code && vida__rank_create(system, &created->self.model.rank, error) == VIDA_OUT_OF_MEMORY) {
    code = VIDA_OUT_OF_MEMORY;
  }
  code = code ? code : take_tolerances(created, error);
  created->self.implicit.rows = vida__map_rows_of(&created->self.model.evaluator);
  created->self.implicit.prepare = vida__prepare_step;
  code = code ? code : vida__call_create(&created->self, error);
  code = code ? code : vida__allocate_own(created, error);
  code = code ? code : check_solver(&created->self, error);
  code = code ? code : vida__check_reduction(&created->self, error);
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
  int code = vida__create_stepper(system, options, NULL, stepper, error);
  code = code ? code : vida__hybrid_create(*stepper, error);
  if (code) {
    VidaStepper_Destroy(stepper);
  }
  return vida__name_alternatives(system, options, code, error);
}

void VidaStepper_Destroy(VidaStepper** stepper) {
  VidaStepper* old = stepper ? *stepper : NULL;
  if (!old) {
    return;
  }
  vida__hybrid_destroy(&old->hybrid);
  vida__condensed_destroy(&old->self.implicit.condensed);
  vida__distance_steps_destroy(&old->self.implicit.distances);
  vida__map_destroy(&old->self.implicit.map);
  if (old->self.method->destroy) {
    old->self.method->destroy(&old->self);
  }
  vida__rank_destroy(&old->self.model.rank);
  vida__reactions_destroy(&old->self.model.reactions);
  vida__watch_destroy(&old->watch);
  vida__jumps_destroy(&old->jumps);
  free(old->self.state);
  vida__linear_destroy(&old->self.model.node_matrix);
  vida__linear_destroy(&old->self.model.mass_matrix);
  vida__leave_context(old->self.services, &old->self.model.context);
  free(old->services);
  free(old->block);
  free(old->kept_own);
  free(old->evolution);
  VidaOptions_Destroy(&old->options);
  vida__evaluator_destroy(&old->self.model.evaluator);
  free(old);
  *stepper = NULL;
}

/* ---- start and step -------------------------------------------------------------------------- */

int vida__start_stepper(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                        VidaError* error) {
  stepper->before = (VidaStatistics){0};
  int code = stepper->jumps ? vida__jumps_begin(stepper, t0, h, error) : VIDA_SUCCESS;
  code = code ? code : vida__start_motion(stepper, t0, h, q, v, false, error);
  if (!code && stepper->hybrid) {
    code = vida__hybrid_start(stepper, t0, h, q, v, error);
    stepper->started = !code;
  }
  return code;
}

int VidaStepper_StartWithStep(VidaStepper* stepper, double t0, double h, const double* q,
                              const double* v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, q, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = vida__start_stepper(stepper, t0, h, q, v, error);
  stepper->full_step = code ? stepper->full_step : h;
  return vida__name_alternatives(stepper->self.model.system, stepper->self.options, code, error);
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
  if (stepper->hybrid) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "system '%s' has events, and cannot start from two points",
                      stepper->self.model.system->name);
  }
  if (!stepper->self.method->start_two_points) {
    return vida__fail(error, VIDA_NOT_SUPPORTED, "%s cannot start from two points",
                      stepper->self.method->info.name);
  }
  stepper->full_step = h;
  stepper->before = (VidaStatistics){0};
  int code = stepper->jumps ? vida__jumps_begin(stepper, t0, h, error) : VIDA_SUCCESS;
  code = code ? code : vida__start_motion_two_points(stepper, t0, h, q0, q1, error);
  if (!code && stepper->jumps) {
    stepper->jumps->step = stepper->self.node.step;
  }
  return vida__name_alternatives(stepper->self.model.system, stepper->self.options, code, error);
}

int VidaStepper_Step(VidaStepper* stepper, VidaError* error) {
  const int code = VIDA_REFUSE_NULL(error, stepper);
  return code ? code : VidaStepper_Steps(stepper, 1, NULL, error);
}

int VidaStepper_Steps(VidaStepper* stepper, long count, long* made, VidaError* error) {
  long done = 0;
  int code = VIDA_REFUSE_NULL(error, stepper);
  code = code ? code : vida__require_start(stepper, error);
  while (!code && done < count) {
    long more = 1;
    code = stepper->hybrid  ? vida__hybrid_steps(stepper, count - done, &more, error)
           : stepper->jumps ? vida__jumps_step(stepper, error)
                            : vida__make_steps(stepper, count - done, &more, error);
    done += code && !stepper->hybrid ? 0 : more;
    if (VidaStepper_HasEnded(stepper)) {
      break;
    }
  }
  if (made) {
    *made = done;
  }
  return code;
}
