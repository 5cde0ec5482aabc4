#include "system/evaluate/joint.h"

#include <string.h>

static bool is_general(const vida_term_kernel* kernel) {
  return !kernel->is_potential && !kernel->is_kinetic && !kernel->is_force;
}

/* Adds the part of one batch. Potentials add V_q: l_q has the other sign until the end. */
static int add_batch(const vida_term_batch* batch, const vida_interval* between,
                     const vida_place* middle, double* l_q, double* l_v) {
  if (batch->kernel->is_potential) {
    return batch->kernel->discrete_gradient(batch, between, l_q);
  }
  return batch->kernel->is_kinetic ? batch->kernel->gradient(batch, middle, l_q, l_v)
                                   : VIDA_SUCCESS;
}

int vida__joint_gradient(vida_evaluator* evaluator, const vida_interval* between,
                         const double* middle, double* l_q, double* l_v) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, between->t, between->q0, middle);
  int code = VIDA_SUCCESS;
  for (int i = 0; i < system->coordinate_count; i++) {
    l_q[i] = -system->uniform_force[i];
    l_v[i] = system->mass[i] * middle[i];
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    code = add_batch(&system->term_batches[b], between, &at, l_q, l_v);
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    l_q[i] = -l_q[i];
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (is_general(batch->kernel)) {
      code = batch->kernel->joint_gradient(batch, between, l_q, l_v);
    }
  }
  return code;
}

int vida__add_joint_slopes(const VidaSystem* system, const vida_interval* between,
                           vida_hessian_weights weights, double* matrix) {
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (is_general(batch->kernel)) {
      code = batch->kernel->joint_slopes(batch, between, weights, matrix);
    }
  }
  return code;
}

bool vida__has_joint_derivatives(const VidaSystem* system, const char** name) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool is_missing = (batch->kernel->is_potential && !batch->kernel->discrete_gradient) ||
                            (is_general(batch->kernel) && !batch->kernel->joint_gradient);
    if (is_missing) {
      *name = vida__batch_name(batch->functions, batch->kernel->kind);
      return false;
    }
  }
  return vida__has_discrete_jacobians(system, name);
}

int vida__hidden_gradient(vida_evaluator* evaluator, const vida_interval* between,
                          const double* place, const double* middle, double* by_positions,
                          double* by_rates) {
  const VidaSystem* system = evaluator->system;
  const vida_place at = vida__place(evaluator, between->t, place, middle);
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const vida_constraint_kernel* kernel = batch->kernel;
    double* positions = by_positions + batch->first_entry;
    double* rates = by_rates + batch->first_entry;
    if (kernel->is_quadratic) { /* G is affine: the derivative of its bilinear product with v */
      code = kernel->value_gradient(batch, &at, positions);
      code = code ? code : kernel->jacobian(batch, &at, rates);
    } else {
      code = kernel->hidden_gradient(batch, between, positions, rates);
    }
  }
  return code;
}

bool vida__has_hidden_derivatives(const VidaSystem* system, const char** name) {
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (!batch->kernel->is_quadratic && !batch->kernel->hidden_gradient) {
      *name = vida__batch_name(batch->functions, batch->kernel->kind);
      return false;
    }
  }
  return true;
}
