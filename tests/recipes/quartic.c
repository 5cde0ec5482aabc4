/* A sample term, for the recipe "A term" of the guide: the potential V = k x^4 / 4 of one
 * coordinate. Its discrete derivative is k/4 (x0 + x1) (x0^2 + x1^2). */
#include "base/error.h"
#include "system/model/build.h"

enum { STIFFNESS, PARAMETERS };

static int value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  for (int i = 0; i < batch->count; i++) {
    const double x = at->q[batch->index[i]];
    *lagrangian -= 0.25 * batch->parameter[i] * x * x * x * x;
  }
  return VIDA_SUCCESS;
}

static int gradient(const vida_term_batch* batch, const vida_place* at, double* l_q, double* l_v) {
  (void)l_v;
  for (int i = 0; i < batch->count; i++) {
    const double x = at->q[batch->index[i]];
    l_q[batch->index[i]] -= batch->parameter[i] * x * x * x;
  }
  return VIDA_SUCCESS;
}

static int hessian(const vida_term_batch* batch, const vida_place* at, vida_hessian_weights weights,
                   double* matrix) {
  for (int i = 0; i < batch->count; i++) {
    const double x = at->q[batch->index[i]];
    matrix[batch->slot[i]] -= weights.qq * 3.0 * batch->parameter[i] * x * x;
  }
  return VIDA_SUCCESS;
}

static int discrete_gradient(const vida_term_batch* batch, const vida_interval* between,
                             double* d_v) {
  for (int i = 0; i < batch->count; i++) {
    const int k = batch->index[i];
    const double x0 = between->q0[k], x1 = between->q1[k];
    d_v[k] += 0.25 * batch->parameter[i] * (x0 + x1) * (x0 * x0 + x1 * x1);
  }
  return VIDA_SUCCESS;
}

static int discrete_hessian(const vida_term_batch* batch, const vida_interval* between,
                            double weight, double* matrix) {
  for (int i = 0; i < batch->count; i++) {
    const int k = batch->index[i];
    const double x0 = between->q0[k], x1 = between->q1[k];
    matrix[batch->slot[i]] +=
        weight * 0.25 * batch->parameter[i] * (x0 * x0 + 2.0 * x0 * x1 + 3.0 * x1 * x1);
  }
  return VIDA_SUCCESS;
}

static const vida_term_kernel quartic = {.kind = "quartic",
                                         .is_potential = true,
                                         .value = value,
                                         .gradient = gradient,
                                         .hessian = hessian,
                                         .discrete_gradient = discrete_gradient,
                                         .discrete_hessian = discrete_hessian};

int VidaSystem_AddQuartic(VidaSystem* system, const char* name, int coordinate, double stiffness,
                          VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__check_addition(system, "quartic", name, error);
  code = code ? code : vida__check_finite_value("quartic", name, "stiffness", stiffness, error);
  if (code) {
    return code;
  }
  if (coordinate < 0 || coordinate >= system->coordinate_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "quartic '%s': there is no coordinate %d", name,
                      coordinate);
  }
  const vida_term_batch like = {
      .kernel = &quartic, .dimension = 1, .width = 1, .parameters = PARAMETERS};
  vida_term_batch* batch = vida__find_term_batch(system, &like);
  return batch && !vida__append_term(batch, &coordinate, &stiffness) ? VIDA_SUCCESS
                                                                     : vida__fail_memory(error);
}
