#include "system/traced.h"

#include "base/error.h"

/* Evaluates one tape; *output points to its results. */
static int run_tape(const vida_functions* functions, enum vida_tape_kind kind,
                    const double* const* inputs, double* tapes, VidaError* error,
                    const double** output) {
  const vida_traced* traced = (const vida_traced*)functions;
  const vida_tape* tape = traced->tape[kind];
  double* results = tapes + traced->output_offset;
  vida_fault fault;
  *output = results;
  /* An expression without second derivatives has no tape for them, and no entries to fill. */
  if (tape &&
      vida__tape_evaluate(tape, inputs, tapes + traced->work_offset[kind], results, &fault)) {
    return vida__fail(error, VIDA_NOT_FINITE, "'%s': %s", traced->base.name, fault.reason);
  }
  return VIDA_SUCCESS;
}

static int evaluate(const vida_functions* functions, enum vida_tape_kind kind, const vida_place* at,
                    const double** output) {
  const double* inputs[VIDA_INPUT_KINDS] = {0};
  inputs[VIDA_INPUT_POSITION] = at->q;
  inputs[VIDA_INPUT_VELOCITY] = at->v;
  inputs[VIDA_INPUT_TIME] = &at->t;
  return run_tape(functions, kind, inputs, at->tapes, at->error, output);
}

static int evaluate_between(const vida_functions* functions, enum vida_tape_kind kind,
                            const vida_interval* between, const double** output) {
  const double* inputs[VIDA_INPUT_KINDS] = {0};
  inputs[VIDA_INPUT_POSITION] = between->q0;
  inputs[VIDA_INPUT_SECOND_POSITION] = between->q1;
  return run_tape(functions, kind, inputs, between->tapes, between->error, output);
}

/* ---- terms ----------------------------------------------------------------------------------- */

static int term_value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  const double* value;
  const int code = evaluate(batch->functions, VIDA_TAPE_VALUE, at, &value);
  *lagrangian += code ? 0.0 : value[0];
  return code;
}

static int lagrangian_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                               double* l_v) {
  const double* gradient;
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, &gradient);
  for (int i = 0; i < batch->width && !code; i++) {
    l_q[batch->index[i]] += gradient[i];
    l_v[batch->index[i]] += gradient[batch->width + i];
  }
  return code;
}

static int lagrangian_hessian(const vida_term_batch* batch, const vida_place* at,
                              vida_hessian_weights weights, double* matrix) {
  const double* entry;
  const int code = evaluate(batch->functions, VIDA_TAPE_HESSIAN, at, &entry);
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
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, &gradient);
  for (int i = 0; i < batch->width && !code; i++) {
    l_q[batch->index[i]] += gradient[i];
  }
  return code;
}

/* V = -L, so D V = -D L. */
static int discrete_gradient(const vida_term_batch* batch, const vida_interval* between,
                             double* d_v) {
  const double* gradient;
  const int code =
      evaluate_between(batch->functions, VIDA_TAPE_DISCRETE_GRADIENT, between, &gradient);
  for (int i = 0; i < batch->width && !code; i++) {
    d_v[batch->index[i]] -= gradient[i];
  }
  return code;
}

static int discrete_hessian(const vida_term_batch* batch, const vida_interval* between,
                            double weight, double* matrix) {
  const double* entry;
  const int code = evaluate_between(batch->functions, VIDA_TAPE_DISCRETE_HESSIAN, between, &entry);
  for (int k = 0; k < batch->block.entries && !code; k++) {
    matrix[batch->slot[k]] -= weight * entry[k];
  }
  return code;
}

const vida_term_kernel vida__traced_lagrangian = {
    "Lagrangian", false, term_value, lagrangian_gradient, lagrangian_hessian, NULL, NULL};
const vida_term_kernel vida__traced_potential = {
    "potential",     true, term_value, potential_gradient, lagrangian_hessian, discrete_gradient,
    discrete_hessian};
const vida_term_kernel vida__traced_plain_potential = {
    "potential", true, term_value, potential_gradient, lagrangian_hessian, NULL, NULL};

/* ---- constraints ----------------------------------------------------------------------------- */

static int constraint_value(const vida_constraint_batch* batch, const vida_place* at,
                            const double* q_low, double* g) {
  const double* value;
  (void)q_low; /* tapes take one number a coordinate */
  const int code = evaluate(batch->functions, VIDA_TAPE_VALUE, at, &value);
  g[batch->row[0]] += code ? 0.0 : value[0];
  return code;
}

static int constraint_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  const double* jacobian;
  const int code = evaluate(batch->functions, VIDA_TAPE_GRADIENT, at, &jacobian);
  for (int i = 0; i < batch->width && !code; i++) {
    entries[i] = jacobian[i];
  }
  return code;
}

static int constraint_curvature(const vida_constraint_batch* batch, const vida_place* at,
                                double weight, const double* lambda, double* matrix) {
  const double* entry;
  const int code = evaluate(batch->functions, VIDA_TAPE_HESSIAN, at, &entry);
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
  const int code = evaluate(batch->functions, VIDA_TAPE_RATE, at, &value);
  rate[batch->row[0]] += code ? 0.0 : value[0];
  return code;
}

static int discrete_jacobian(const vida_constraint_batch* batch, const vida_interval* between,
                             double* entries) {
  const double* jacobian;
  const int code =
      evaluate_between(batch->functions, VIDA_TAPE_DISCRETE_GRADIENT, between, &jacobian);
  for (int i = 0; i < batch->width && !code; i++) {
    entries[i] = jacobian[i];
  }
  return code;
}

static int discrete_curvature(const vida_constraint_batch* batch, const vida_interval* between,
                              double weight, const double* lambda, double* matrix) {
  const double* entry;
  const int code = evaluate_between(batch->functions, VIDA_TAPE_DISCRETE_HESSIAN, between, &entry);
  const double factor = weight * lambda[batch->row[0]];
  for (int k = 0; k < batch->block.entries && !code; k++) {
    matrix[batch->slot[k]] += factor * entry[k];
  }
  return code;
}

const vida_constraint_kernel vida__traced_constraint = {
    "constraint",    constraint_value,  constraint_jacobian, constraint_curvature,
    constraint_rate, discrete_jacobian, discrete_curvature};
const vida_constraint_kernel vida__traced_plain_constraint = {"constraint",
                                                              constraint_value,
                                                              constraint_jacobian,
                                                              constraint_curvature,
                                                              constraint_rate,
                                                              NULL,
                                                              NULL};
