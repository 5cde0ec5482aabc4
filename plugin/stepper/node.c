/* What the equations of motion say at a node, from its positions and velocities alone. */
#include <math.h>
#include <string.h>

#include "stepper/method.h"

int vida__accelerations(VidaStepper* stepper, double t, const double* q, const double* v, double* a,
                        double* lambda) {
  double* right_side = stepper->node_step;
  double* bias = right_side + stepper->n;
  int code = vida__jacobian(&stepper->evaluator, t, q, stepper->entries);
  code = code ? code : vida__factor_matrix_at(stepper, t, q, stepper->entries, v);
  code =
      code ? code : vida__motion_bias(&stepper->evaluator, t, q, v, right_side, bias, stepper->l_v);
  for (int r = 0; r < stepper->m; r++) {
    bias[r] = -bias[r];
  }
  code = code ? code : vida__linear_solve(stepper->node_matrix, right_side, right_side);
  if (!code) {
    memcpy(a, right_side, (size_t)stepper->n * sizeof *a);
    memcpy(lambda, bias, (size_t)stepper->m * sizeof *lambda);
  }
  return code;
}

int vida__node_multipliers(VidaStepper* stepper, VidaError* error) {
  const double t = vida__node_time(stepper);
  const double* v;
  int code = vida__node_velocities(stepper, &v, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(stepper, t, stepper->q, v, stepper->place, stepper->lambda);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  stepper->lambda_t = t;
  return VIDA_SUCCESS;
}

void vida__measure_tension(VidaStepper* stepper) {
  double* lambda = stepper->constraint_work;
  const double t = vida__node_time(stepper);
  stepper->tension = 0.0;
  if (stepper->m == 0 ||
      vida__accelerations(stepper, t, stepper->q, stepper->v0, stepper->place, lambda)) {
    return;
  }
  for (int r = 0; r < stepper->m; r++) {
    const double size = fabs(lambda[r]) * stepper->row_stiffness[r];
    stepper->tension = isfinite(size) ? fmax(stepper->tension, size) : stepper->tension;
  }
}

double vida__kinetic_size(const VidaStepper* stepper) {
  double sum = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    const double scaled = stepper->p[i] * stepper->inverse_root[i];
    sum += scaled * scaled;
  }
  return 0.5 * sum;
}

double vida__potential_size(const VidaStepper* stepper) {
  double* place = stepper->speed;
  double sum = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    place[i] = fabs(stepper->q[i]);
  }
  vida__share_sizes(stepper->system, place);
  for (int i = 0; i < stepper->n; i++) {
    sum += stepper->force_size[i] * place[i];
  }
  return sum;
}

double vida__rest_energy(const VidaStepper* stepper, double time) {
  static const double part = 1e-8; /* about the square root of rounding */
  double size = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    const bool is_angle = strcmp(stepper->system->coordinates[i].unit, "rad") == 0;
    const double place = fmax(fabs(stepper->q[i]), is_angle ? 1.0 : 0.0);
    size = fmax(size, stepper->root_mass[i] * place);
  }
  const double speed = time > 0.0 ? part * size / time : 0.0;
  return 0.5 * speed * speed;
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
