#include "system/traced.h"

#include "base/error.h"

/* Evaluates one tape; *output points to its results in the scratch. */
static int evaluate(const vida_functions* functions, enum vida_tape_kind kind, const vida_place* at,
                    const double* lambda, const double** output) {
  const vida_traced* traced = (const vida_traced*)functions;
  const double* inputs[VIDA_INPUT_KINDS] = {0};
  vida_fault fault;
  double* results = at->tapes + traced->output_offset;
  inputs[VIDA_INPUT_POSITION] = at->q;
  inputs[VIDA_INPUT_VELOCITY] = at->v;
  inputs[VIDA_INPUT_TIME] = &at->t;
  inputs[VIDA_INPUT_MULTIPLIER] = lambda;
  *output = results;
  if (vida__tape_evaluate(traced->tape[kind], inputs, at->tapes + traced->work_offset[kind],
                          results, &fault)) {
    return vida__fail(at->error, VIDA_NOT_FINITE, "'%s': %s", traced->base.name, fault.reason);
  }
  return VIDA_SUCCESS;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static int term_value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  const double* value;
  const int code = evaluate(batch->functions, VIDA_TAPE_VALUE, at, NULL, &value);
  *lagrangian += code ? 0.0 : value[0];
  return code;
}

static int lagrangian_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                               double* l_v) {
  const double* gradient;
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, NULL, &gradient);
  for (int i = 0; i < batch->width && !code; i++) {
    l_q[batch->index[i]] += gradient[i];
    l_v[batch->index[i]] += gradient[batch->width + i];
  }
  return code;
}

static int lagrangian_hessian(const vida_term_batch* batch, const vida_place* at,
                              vida_hessian_weights weights, double* matrix) {
  const double* entry;
  const int code = evaluate(batch->functions, VIDA_TAPE_HESSIAN, at, NULL, &entry);
  for (int k = 0; k < batch->block.entries && !code; k++, entry += 4) {
    matrix[batch->slot[k]] += weights.qq * entry[0] + weights.qv * entry[1] +
                              weights.vq * entry[2] + weights.vv * entry[3];
  }
  return code;
}

static int potential_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                              double* l_v) {
  const double* gradient;
  (void)l_v;
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, NULL, &gradient);
  for (int i = 0; i < batch->width && !code; i++) {
    l_q[batch->index[i]] += gradient[i];
  }
  return code;
}

const vida_term_kernel vida__traced_lagrangian = {
    "Lagrangian", false, term_value, lagrangian_gradient, lagrangian_hessian, NULL, NULL};
const vida_term_kernel vida__traced_potential = {
    "potential", true, term_value, potential_gradient, lagrangian_hessian, NULL, NULL};

/* ---- constraints ----------------------------------------------------------------------------- */

static int constraint_value(const vida_constraint_batch* batch, const vida_place* at,
                            const double* q_low, double* g) {
  const double* value;
  (void)q_low; /* tapes take one number a coordinate */
  const int code = evaluate(batch->functions, VIDA_TAPE_VALUE, at, NULL, &value);
  g[batch->row[0]] += code ? 0.0 : value[0];
  return code;
}

static int constraint_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  const double* jacobian;
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, NULL, &jacobian);
  for (int i = 0; i < batch->width && !code; i++) {
    entries[i] = jacobian[i];
  }
  return code;
}

static int constraint_curvature(const vida_constraint_batch* batch, const vida_place* at,
                                double weight, const double* lambda, double* matrix) {
  const double* entry;
  const int code = evaluate(batch->functions, VIDA_TAPE_HESSIAN, at, NULL, &entry);
  const double factor = weight * lambda[batch->row[0]];
  for (int k = 0; k < batch->block.entries && !code; k++) {
    matrix[batch->slot[k]] += factor * entry[k];
  }
  return code;
}

static int constraint_rate(const vida_constraint_batch* batch, const vida_place* at, double* rate) {
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const double* value;
  if (!traced->tape[VIDA_TAPE_RATE]) {
    return VIDA_SUCCESS;
  }
  const int code = evaluate(batch->functions, VIDA_TAPE_RATE, at, NULL, &value);
  rate[batch->row[0]] += code ? 0.0 : value[0];
  return code;
}

const vida_constraint_kernel vida__traced_constraint = {"constraint",
                                                        constraint_value,
                                                        constraint_jacobian,
                                                        constraint_curvature,
                                                        constraint_rate,
                                                        NULL,
                                                        NULL};
