/* What the equations of motion say at a node, from its positions and velocities alone. */
#include <math.h>
#include <string.h>

#include "methods/method.h"

/* Accelerations, then multipliers, at the node into stepper->node_step. */
static int solve_motion(VidaStepper* stepper, const double* v) {
  const double t = vida__node_time(stepper);
  const double* q = stepper->q;
  double* right_side = stepper->node_step;
  double* bias = right_side + stepper->n;
  int code = vida__jacobian(&stepper->evaluator, t, q, stepper->entries);
  code = code ? code : vida__factor_node_matrix(stepper, stepper->entries, v);
  code =
      code ? code : vida__motion_bias(&stepper->evaluator, t, q, v, right_side, bias, stepper->l_v);
  for (int r = 0; r < stepper->m; r++) {
    bias[r] = -bias[r];
  }
  return code ? code : vida__linear_solve(stepper->node_matrix, right_side, right_side);
}

int vida__node_multipliers(VidaStepper* stepper, VidaError* error) {
  const double* v;
  int code = vida__node_velocities(stepper, &v, error);
  if (code) {
    return code;
  }
  code = solve_motion(stepper, v);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  memcpy(stepper->lambda, stepper->node_step + stepper->n, (size_t)stepper->m * sizeof(double));
  stepper->lambda_t = vida__node_time(stepper);
  return VIDA_SUCCESS;
}

void vida__measure_tension(VidaStepper* stepper) {
  const double* lambda = stepper->node_step + stepper->n;
  stepper->tension = 0.0;
  if (stepper->m == 0 || solve_motion(stepper, stepper->v0)) {
    return;
  }
  for (int r = 0; r < stepper->m; r++) {
    const double size = fabs(lambda[r]) * stepper->row_stiffness[r];
    stepper->tension = isfinite(size) ? fmax(stepper->tension, size) : stepper->tension;
  }
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
