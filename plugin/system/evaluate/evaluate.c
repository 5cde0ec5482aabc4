#include "system/evaluate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/model/drawing.h"
#include "system/model/event.h"
#include "system/terms/traced.h"

static void prepare_functions(const vida_functions* functions, const vida_tape_place* place,
                              double* tapes) {
  if (functions && functions->prepare) {
    functions->prepare(functions, place->in_lanes, tapes + place->work);
  }
}

int vida__evaluator_create(const VidaSystem* system, vida_evaluator* evaluator, VidaError* error) {
  memset(evaluator, 0, sizeof *evaluator);
  evaluator->system = system;
  const size_t scratch = system->tape_scratch + system->shared_scratch;
  const size_t trial = system->has_reactive_forces ? (size_t)system->row_count : 0;
  evaluator->scratch = vida__allocate(scratch + trial, sizeof *evaluator->scratch);
  if (!evaluator->scratch) {
    return vida__fail_memory(error);
  }
  for (size_t r = 0; r < trial; r++) {
    evaluator->trial = evaluator->scratch + scratch;
    evaluator->trial[r] = 1.0 + 0.37 * (double)(r % 7);
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    prepare_functions(batch->functions, &batch->tape, evaluator->scratch);
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    prepare_functions(batch->functions, &batch->tape, evaluator->scratch);
  }
  for (int b = 0; b < system->observable_count; b++) {
    const vida_term_batch* batch = &system->observable_batches[b];
    prepare_functions(batch->functions, &batch->tape, evaluator->scratch);
  }
  for (int b = 0; system->drawing && b < system->drawing->batch_count; b++) {
    const vida_term_batch* batch = &system->drawing->batches[b];
    prepare_functions(batch->functions, &batch->tape, evaluator->scratch);
  }
  for (int i = 0; i < system->event_count; i++) {
    const vida_event* event = &system->events[i];
    prepare_functions(event->value.functions, &event->value.tape, evaluator->scratch);
    prepare_functions(event->rate.functions, &event->rate.tape, evaluator->scratch);
    for (int k = 0; k < event->count; k++) {
      prepare_functions(event->velocities[k].functions, &event->velocities[k].tape,
                        evaluator->scratch);
    }
  }
  if (system->turn_place > 0) {
    vida__prepare_turns(system, evaluator->scratch);
  }
  return VIDA_SUCCESS;
}

void vida__evaluator_destroy(vida_evaluator* evaluator) {
  free(evaluator->scratch);
  evaluator->scratch = NULL;
}

vida_place vida__place(vida_evaluator* evaluator, double t, const double* q, const double* v) {
  const vida_place place = {evaluator->system,
                            t,
                            evaluator->segment,
                            q,
                            v,
                            evaluator->multipliers,
                            evaluator->scratch + evaluator->system->tape_scratch,
                            evaluator->scratch,
                            &evaluator->error};
  return place;
}

/* ---- Lagrangian ------------------------------------------------------------------------------ */

int vida__lagrangian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                     double* lagrangian) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  double sum = 0.0;
  for (int i = 0; i < system->coordinate_count; i++) {
    sum += 0.5 * system->mass[i] * v[i] * v[i] + system->uniform_force[i] * q[i];
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const int code = batch->kernel->value(batch, &at, &sum);
    if (code) {
      return code;
    }
  }
  *lagrangian = sum;
  return VIDA_SUCCESS;
}

static int part_of(const vida_term_kernel* kernel) {
  return kernel->is_potential  ? VIDA_PART_POTENTIAL
         : kernel->is_kinetic  ? VIDA_PART_KINETIC
         : kernel->is_reactive ? VIDA_PART_REACTIVE
         : kernel->is_force    ? VIDA_PART_FORCE
                               : VIDA_PART_GENERAL;
}

int vida__gradient_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                      const double* v, double* l_q, double* l_v) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int i = 0; i < system->coordinate_count; i++) {
    l_q[i] = parts & VIDA_PART_POTENTIAL ? system->uniform_force[i] : 0.0;
    l_v[i] = parts & VIDA_PART_KINETIC ? system->mass[i] * v[i] : 0.0;
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const int code = parts & part_of(batch->kernel) ? batch->kernel->gradient(batch, &at, l_q, l_v)
                                                    : VIDA_SUCCESS;
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

bool vida__has_uniform_force(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    if (!system->term_batches[b].kernel->mass) {
      return false;
    }
  }
  return true;
}

int vida__gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                   double* l_q, double* l_v) {
  return vida__gradient_of(evaluator, VIDA_PART_ALL, t, q, v, l_q, l_v);
}

int vida__momenta(vida_evaluator* evaluator, double t, const double* q, const double* v,
                  double* l_q, double* l_v) {
  return vida__gradient_of(evaluator, VIDA_PART_ALL & ~VIDA_PART_REACTIVE, t, q, v, l_q, l_v);
}

int vida__rest_force(vida_evaluator* evaluator, double t, const double* q, const double* rest,
                     double* l_q, double* l_v) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, rest);
  int code = VIDA_SUCCESS;
  for (int i = 0; i < system->coordinate_count; i++) {
    l_q[i] = system->uniform_force[i];
    l_v[i] = 0.0;
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool rests = batch->functions && batch->functions->rests;
    code = rests ? VIDA_SUCCESS : batch->kernel->gradient(batch, &at, l_q, l_v);
  }
  return code;
}

int vida__add_hessian_of(vida_evaluator* evaluator, int parts, double t, const double* q,
                         const double* v, vida_hessian_weights weights, double* matrix) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int i = 0; i < system->coordinate_count && parts & VIDA_PART_KINETIC; i++) {
    matrix[system->mass_slot[i]] += weights.vv * system->mass[i];
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const int part = part_of(batch->kernel);
    if (!(parts & part) || (part == VIDA_PART_POTENTIAL && weights.qq == 0.0)) {
      continue;
    }
    const int code = batch->kernel->hessian(batch, &at, weights, matrix);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__add_hessian(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      vida_hessian_weights weights, double* matrix) {
  return vida__add_hessian_of(evaluator, VIDA_PART_ALL, t, q, v, weights, matrix);
}

/* ---- forces that depend on multipliers ------------------------------------------------------- */

int vida__reactive_force(vida_evaluator* evaluator, double t, const double* q, const double* v,
                         double* force, double* work) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  int code = VIDA_SUCCESS;
  memset(force, 0, (size_t)system->coordinate_count * sizeof *force);
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    code = batch->kernel->is_reactive ? batch->kernel->gradient(batch, &at, force, work)
                                      : VIDA_SUCCESS;
  }
  return code;
}

static int add_reactive(vida_evaluator* evaluator, double t, const double* q, const double* v,
                        const vida_reactive_target* target) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->term_batch_count && system->reaction_count > 0 && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    code = batch->kernel->is_reactive ? batch->kernel->by_multipliers(batch, &at, target)
                                      : VIDA_SUCCESS;
  }
  return code;
}

int vida__add_reactive_columns(vida_evaluator* evaluator, double t, const double* q,
                               const double* v, double weight, double* matrix) {
  const vida_reactive_target target = {.weight = weight, .matrix = matrix};
  return add_reactive(evaluator, t, q, v, &target);
}

int vida__reactive_columns(vida_evaluator* evaluator, double t, const double* q, const double* v,
                           size_t stride, double* columns) {
  const vida_reactive_target target = {.weight = 1.0, .columns = columns, .stride = stride};
  return add_reactive(evaluator, t, q, v, &target);
}

const char* vida__reactive_name(const VidaSystem* system, const char** row) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const vida_functions* functions = batch->functions;
    for (int k = 0; batch->kernel->is_reactive && k < functions->multiplier_count; k++) {
      const int r = system->multiplier_rows[functions->multiplier_number[k]];
      *row = r >= 0 ? system->rows[r].name : "";
      if (r >= 0 || k == functions->multiplier_count - 1) {
        return functions->name;
      }
    }
  }
  return NULL;
}

int vida__energy(vida_evaluator* evaluator, double t, const double* q, const double* v, double* l_q,
                 double* l_v, double* energy) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  double sum = 0.0;
  double terms = 0.0;
  if (!system->separable) {
    /* v L_v of the general terms is that of all terms minus that of the constant masses. */
    const int code = vida__momenta(evaluator, t, q, v, l_q, l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < system->coordinate_count; i++) {
      sum += v[i] * (l_v[i] - system->mass[i] * v[i]);
    }
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    sum += 0.5 * system->mass[i] * v[i] * v[i] - system->uniform_force[i] * q[i];
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const int code = batch->kernel->value(batch, &at, &terms);
    if (code) {
      return code;
    }
  }
  *energy = sum - terms;
  return VIDA_SUCCESS;
}

int vida__motion_force(vida_evaluator* evaluator, double t, const double* q, const double* v,
                       double* force, double* work) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  memcpy(force, system->uniform_force, (size_t)system->coordinate_count * sizeof *force);
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const int code = batch->kernel->bias ? batch->kernel->bias(batch, &at, force)
                                         : batch->kernel->gradient(batch, &at, force, work);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__motion_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* force, double* bias, double* work) {
  const int code = vida__motion_force(evaluator, t, q, v, force, work);
  return code ? code : vida__constraint_bias(evaluator, t, q, v, bias);
}

int vida__constraint_bias(vida_evaluator* evaluator, double t, const double* q, const double* v,
                          double* bias) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  memset(bias, 0, (size_t)system->row_count * sizeof *bias);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->bias(batch, &at, bias);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__observables(vida_evaluator* evaluator, double t, const double* q, const double* v,
                      double* values) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int b = 0; b < system->observable_count; b++) {
    const vida_term_batch* batch = &system->observable_batches[b];
    values[b] = 0.0;
    const int code = batch->kernel->value(batch, &at, &values[b]);
    /* Only a conserved observable without a value ends the run; any other one is NaN here. */
    if (code && system->observables[b].conserved) {
      return code;
    }
    values[b] = code ? (double)NAN : values[b];
  }
  return VIDA_SUCCESS;
}

int vida__evaluate_event(vida_evaluator* evaluator, int index, double t, const double* q,
                         const double* v, double* value, double* rate) {
  const vida_event* event = &evaluator->system->events[index];
  const vida_place at = vida__place(evaluator, t, q, v);
  *value = 0.0;
  *rate = event->has_rate ? 0.0 : (double)NAN;
  const int code = event->value.kernel->value(&event->value, &at, value);
  if (!code && event->has_rate && event->rate.kernel->value(&event->rate, &at, rate)) {
    *rate = (double)NAN; /* at a kink, for example */
  }
  return code;
}

int vida__evaluate_assignments(vida_evaluator* evaluator, int index, double t, const double* q,
                               const double* v, double* velocities) {
  const vida_event* event = &evaluator->system->events[index];
  const vida_place at = vida__place(evaluator, t, q, v);
  int code = VIDA_SUCCESS;
  for (int i = 0; i < event->count && !code; i++) {
    velocities[event->coordinates[i]] = 0.0;
    code = event->velocities[i].kernel->value(&event->velocities[i], &at,
                                              &velocities[event->coordinates[i]]);
  }
  return code;
}

vida_interval vida__interval(vida_evaluator* evaluator, const double* q0, const double* q1,
                             const double* dq) {
  const vida_interval between = {.system = evaluator->system,
                                 .q0 = q0,
                                 .q1 = q1,
                                 .dq = dq,
                                 .segment = evaluator->segment,
                                 .tapes = evaluator->scratch,
                                 .error = &evaluator->error};
  return between;
}

int vida__discrete_gradient(const VidaSystem* system, const vida_interval* between, double* d_v) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < system->coordinate_count; i++) {
    d_v[i] = -system->uniform_force[i];
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->is_potential) {
      code = batch->kernel->discrete_gradient(batch, between, d_v);
    }
  }
  return code;
}

bool vida__has_linear_potentials(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->is_potential && !vida__traced_is_linear(batch)) {
      return false;
    }
  }
  return true;
}

int vida__add_discrete_hessian(const VidaSystem* system, const vida_interval* between,
                               double weight, double* matrix) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->is_potential) {
      code = batch->kernel->discrete_hessian(batch, between, weight, matrix);
    }
  }
  return code;
}

int vida__discrete_force(const VidaSystem* system, const vida_interval* between, double* force) {
  int code = VIDA_SUCCESS;
  memset(force, 0, (size_t)system->coordinate_count * sizeof *force);
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->discrete_force) {
      code = batch->kernel->discrete_force(batch, between, force);
    }
  }
  return code;
}

int vida__add_discrete_slopes(const VidaSystem* system, const vida_interval* between, double by_q1,
                              double by_v, double* matrix) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->discrete_slopes) {
      code = batch->kernel->discrete_slopes(batch, between, by_q1, by_v, matrix);
    }
  }
  return code;
}

const char* vida__batch_name(const vida_functions* functions, const char* kind) {
  return functions ? functions->name : kind;
}

bool vida__has_discrete_potentials(const VidaSystem* system, const char** name) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->is_potential && !batch->kernel->discrete_gradient) {
      *name = vida__batch_name(batch->functions, batch->kernel->kind);
      return false;
    }
  }
  return true;
}

int vida__find_hidden_potential(vida_evaluator* evaluator, double t, const double* q,
                                const double* rest, double* l_q, double* l_v, const char** name) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, rest);
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (part_of(batch->kernel) != VIDA_PART_GENERAL) {
      continue;
    }
    memset(l_q, 0, (size_t)system->coordinate_count * sizeof *l_q);
    const int code = batch->kernel->gradient(batch, &at, l_q, l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < system->coordinate_count; i++) {
      if (l_q[i] != 0.0) {
        *name = vida__batch_name(batch->functions, batch->kernel->kind);
        return VIDA_SUCCESS;
      }
    }
  }
  return VIDA_SUCCESS;
}

const char* vida__general_term(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (part_of(batch->kernel) == VIDA_PART_GENERAL) {
      return vida__batch_name(batch->functions, batch->kernel->kind);
    }
  }
  return NULL;
}

bool vida__has_discrete_jacobians(const VidaSystem* system, const char** name) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (!batch->kernel->discrete_jacobian) {
      *name = vida__batch_name(batch->functions, batch->kernel->kind);
      return false;
    }
  }
  return true;
}

bool vida__has_discrete_derivatives(const VidaSystem* system, const char** name) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool is_needed = !batch->kernel->is_kinetic && !batch->kernel->is_force;
    if (is_needed && !batch->kernel->discrete_gradient && !batch->kernel->discrete_force) {
      *name = vida__batch_name(batch->functions, batch->kernel->kind);
      return false;
    }
  }
  return vida__has_discrete_jacobians(system, name);
}

/* ---- constraints ----------------------------------------------------------------------------- */

int vida__constraints(vida_evaluator* evaluator, double t, const double* q, const double* q_low,
                      double* g) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, NULL);
  memset(g, 0, (size_t)system->row_count * sizeof *g);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code =
        batch->kernel->is_nonholonomic ? VIDA_SUCCESS : batch->kernel->value(batch, &at, q_low, g);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__jacobian(vida_evaluator* evaluator, double t, const double* q, double* entries) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, NULL);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->jacobian(batch, &at, entries + batch->first_entry);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__constraint_rate(vida_evaluator* evaluator, double t, const double* q, double* rate) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, NULL);
  memset(rate, 0, (size_t)system->row_count * sizeof *rate);
  const bool has_rate = system->time_dependent || system->nonholonomic;
  for (int b = 0; b < system->constraint_batch_count && has_rate; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->rate ? batch->kernel->rate(batch, &at, rate) : VIDA_SUCCESS;
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__velocity_residual(vida_evaluator* evaluator, double t, const double* q,
                            const double* entries, const double* v, double* residual) {
  const int code = vida__constraint_rate(evaluator, t, q, residual);
  if (!code) {
    vida__add_constraint_velocity(evaluator->system, entries, 1.0, v, residual);
  }
  return code;
}

int vida__add_curvature(vida_evaluator* evaluator, double t, const double* q, double weight,
                        const double* lambda, double* matrix) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, NULL);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->curvature(batch, &at, weight, lambda, matrix);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__discrete_jacobian(const VidaSystem* system, const vida_interval* between,
                            double* entries) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    code = batch->kernel->discrete_jacobian(batch, between, entries + batch->first_entry);
  }
  return code;
}

int vida__add_discrete_curvature(const VidaSystem* system, const vida_interval* between,
                                 double weight, const double* lambda, double* matrix) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    code = batch->kernel->discrete_curvature(batch, between, weight, lambda, matrix);
  }
  return code;
}

/* Computes Dg of one batch whose kernel has a discrete derivative, and adds Dg w to the increment.
 */
static int add_discrete_rows(const VidaSystem* system, const vida_constraint_batch* batch,
                             const vida_interval* between, const double* w, double* entries,
                             double* increment) {
  double* own = entries + batch->first_entry;
  if (batch->kernel->increment) {
    return batch->kernel->increment(batch, between, w, own, increment);
  }
  const vida_jacobian_entry* entry = system->entries + batch->first_entry;
  const int count = batch->count * batch->rows * batch->width;
  const int code = batch->kernel->discrete_jacobian(batch, between, own);
  for (int e = 0; e < count; e++) {
    increment[entry[e].row] += own[e] * w[entry[e].coordinate];
  }
  return code;
}

static int add_exact_increment(const VidaSystem* system, const vida_constraint_batch* batch,
                               const vida_interval* between, const double* w, double* entries,
                               double* increment) {
  return batch->kernel->increment
             ? batch->kernel->increment(batch, between, w, NULL, increment)
             : add_discrete_rows(system, batch, between, w, entries, increment);
}

int vida__discrete_constraints(const VidaSystem* system, const vida_interval* between,
                               const double* w, double* entries, double* increment) {
  int code = VIDA_SUCCESS;
  memset(increment, 0, (size_t)system->row_count * sizeof *increment);
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    code =
        add_discrete_rows(system, &system->constraint_batches[b], between, w, entries, increment);
  }
  return code;
}

int vida__constraint_increment(vida_evaluator* evaluator, double t1, const vida_interval* between,
                               const double* w, double h, const double* g0, double* entries,
                               double* increment) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t1, between->q1, NULL);
  memset(increment, 0, (size_t)system->row_count * sizeof *increment);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (batch->kernel->is_nonholonomic) {
      continue;
    }
    const bool is_exact = batch->kernel->discrete_jacobian && !batch->kernel->is_driven;
    const int code = is_exact ? add_exact_increment(system, batch, between, w, entries, increment)
                              : batch->kernel->value(batch, &at, NULL, increment);
    if (code) {
      return code;
    }
    for (int i = 0; i < batch->count && !is_exact; i++) {
      for (int r = batch->row[i]; r < batch->row[i] + batch->rows; r++) {
        increment[r] = (increment[r] - g0[r]) / h;
      }
    }
  }
  return VIDA_SUCCESS;
}

void vida__track_constraints(const VidaSystem* system, double share, const double* tracked,
                             double* g) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (batch->kernel->is_precise || !batch->kernel->discrete_jacobian ||
        batch->kernel->is_driven) {
      continue;
    }
    for (int i = 0; i < batch->count; i++) {
      for (int r = batch->row[i]; r < batch->row[i] + batch->rows; r++) {
        g[r] = tracked[r] + share * (g[r] - tracked[r]);
      }
    }
  }
}

int vida__nonholonomic(vida_evaluator* evaluator, double t, const double* q, const double* v,
                       double* rows) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int r = 0; r < system->row_count && system->nonholonomic; r++) {
    rows[r] = system->rows[r].is_nonholonomic ? 0.0 : rows[r];
  }
  for (int b = 0; b < system->constraint_batch_count && system->nonholonomic; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->is_nonholonomic ? batch->kernel->value(batch, &at, NULL, rows)
                                                    : VIDA_SUCCESS;
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__nonholonomic_gradient(vida_evaluator* evaluator, double t, const double* q,
                                const double* v, double* entries) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int b = 0; b < system->constraint_batch_count && system->nonholonomic; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->is_nonholonomic
                         ? batch->kernel->value_gradient(batch, &at, entries + batch->first_entry)
                         : VIDA_SUCCESS;
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

int vida__velocity_gradient(vida_evaluator* evaluator, double t, const double* q, const double* v,
                            double* entries) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const int code = batch->kernel->value_gradient(batch, &at, entries + batch->first_entry);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

/* ---- sums with the entries of G -------------------------------------------------------------- */

void vida__add_reaction(const VidaSystem* system, const double* entries, double weight,
                        const double* lambda, double* result) {
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0; e < system->entry_count; e++) {
    result[entry[e].coordinate] += weight * entries[e] * lambda[entry[e].row];
  }
}

void vida__add_constraint_velocity(const VidaSystem* system, const double* entries, double weight,
                                   const double* v, double* result) {
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0; e < system->entry_count; e++) {
    result[entry[e].row] += weight * entries[e] * v[entry[e].coordinate];
  }
}

void vida__add_columns(const VidaSystem* system, const double* entries, double weight,
                       double* matrix) {
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0; e < system->entry_count; e++) {
    matrix[entry[e].column_slot] += weight * entries[e];
  }
}

void vida__add_rows(const VidaSystem* system, const double* entries, double weight,
                    double* matrix) {
  const vida_jacobian_entry* entry = system->entries;
  for (int e = 0; e < system->entry_count; e++) {
    matrix[entry[e].row_slot] += weight * entries[e];
  }
}
