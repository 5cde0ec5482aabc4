/* What the equations of motion say at a node, from its positions and velocities alone. */
#include <string.h>

#include "methods/method.h"

int vida__node_multipliers(VidaStepper* stepper, double t, const double* v, VidaError* error) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const VidaSystem* system = stepper->system;
  const double* q = stepper->q;
  double* matrix = stepper->node_matrix->values;
  double* right_side = stepper->node_step;
  double* bias = right_side + stepper->n;
  if (stepper->m == 0) {
    return VIDA_SUCCESS;
  }
  int code = vida__motion_bias(&stepper->evaluator, t, q, v, right_side, bias, stepper->l_v);
  code = code ? code : vida__jacobian(&stepper->evaluator, t, q, stepper->entries);
  vida__linear_clear(stepper->node_matrix);
  code = code ? code : vida__add_hessian(&stepper->evaluator, t, q, v, mass_only, matrix);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int r = 0; r < stepper->m; r++) {
    bias[r] = -bias[r];
  }
  vida__add_columns(system, stepper->entries, 1.0, matrix);
  vida__add_rows(system, stepper->entries, 1.0, matrix);
  for (int r = 0; r < stepper->m && stepper->redundant; r++) {
    matrix[vida__constraint_diagonal(system, r)] -= stepper->redundancy[r];
  }
  code = vida__linear_factor(stepper->node_matrix);
  code = code ? code : vida__linear_solve(stepper->node_matrix, right_side, right_side);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  memcpy(stepper->lambda, bias, (size_t)stepper->m * sizeof *bias);
  return VIDA_SUCCESS;
}

int vida__node_energy(VidaStepper* stepper, double* value, double* t, VidaError* error) {
  const double* v;
  *t = vida__node_time(stepper);
  int code = vida__node_velocities(stepper, &v, error);
  if (code) {
    return code;
  }
  code = vida__energy(&stepper->evaluator, *t, stepper->q, v, stepper->l_q, stepper->l_v, value);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}
