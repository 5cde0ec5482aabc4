#include "system/terms/traced.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "system/terms/dependence.h"
#include "system/terms/instances.h"

/* Defines a scatter by the function for one instance. */
#define FOR_ALL(name, one)                                                                        \
  static void name(const vida_instances* list, int first, int count, const double* out, int step, \
                   void* target) {                                                                \
    for (int lane = 0; lane < count; lane++) {                                                    \
      one(list, first + lane, out + lane, step, target);                                          \
    }                                                                                             \
  }

/* ---- scatters -------------------------------------------------------------------------------- */

static inline void scatter_value(const vida_instances* list, int i, const double* out, int step,
                                 void* target) {
  (void)list, (void)i, (void)step;
  *(double*)target += out[0];
}
FOR_ALL(take_value, scatter_value)

typedef struct gradient_target {
  double *l_q, *l_v;
} gradient_target;

static inline void scatter_gradient(const vida_instances* list, int i, const double* out, int step,
                                    void* target) {
  const gradient_target* to = target;
  const int* index = list->index + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to->l_q[index[j]] += out[j * step];
    to->l_v[index[j]] += out[(list->width + j) * step];
  }
}
FOR_ALL(take_gradient, scatter_gradient)

static inline void scatter_positions(const vida_instances* list, int i, const double* out, int step,
                                     void* target) {
  double* to = target;
  const int* index = list->index + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to[index[j]] += out[j * step];
  }
}
FOR_ALL(take_positions, scatter_positions)

static inline void scatter_negative(const vida_instances* list, int i, const double* out, int step,
                                    void* target) {
  double* to = target;
  const int* index = list->index + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to[index[j]] -= out[j * step];
  }
}
FOR_ALL(take_negative, scatter_negative)

/* The target of second derivatives, by entry. */
typedef struct second_target {
  const int* slot;
  double weight[4];     /* by vida_second_kind */
  const double* lambda; /* multipliers, for constraints */
  const int* row;
  double* matrix;
} second_target;

static inline void scatter_second(const vida_instances* list, int i, const double* out, int step,
                                  void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_SECOND]->output_count;
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->second_place[k]]] += to->weight[traced->second_kind[k]] * out[k * step];
  }
}
FOR_ALL(take_second, scatter_second)

static inline void scatter_mass(const vida_instances* list, int i, const double* out, int step,
                                void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  for (int k = 0; k < traced->mass_count; k++) {
    to->matrix[slot[traced->mass_place[k]]] += to->weight[VIDA_SECOND_VV] * out[k * step];
  }
}
FOR_ALL(take_mass, scatter_mass)

static inline void scatter_curvature(const vida_instances* list, int i, const double* out, int step,
                                     void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_SECOND]->output_count;
  const double factor = to->weight[0] * to->lambda[to->row[i]];
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->second_place[k]]] += factor * out[k * step];
  }
}
FOR_ALL(take_curvature, scatter_curvature)

static inline void scatter_discrete_second(const vida_instances* list, int i, const double* out,
                                           int step, void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_DISCRETE_SECOND]->output_count;
  const double factor = to->lambda ? to->weight[0] * to->lambda[to->row[i]] : to->weight[0];
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->discrete_place[k]]] += factor * out[k * step];
  }
}
FOR_ALL(take_discrete_second, scatter_discrete_second)

static inline void scatter_slopes(const vida_instances* list, int i, const double* out, int step,
                                  void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_DISCRETE_SECOND]->output_count;
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->discrete_place[k]]] +=
        to->weight[traced->discrete_kind[k]] * out[k * step];
  }
}
FOR_ALL(take_slopes, scatter_slopes)

static inline void scatter_joint_slopes(const vida_instances* list, int i, const double* out,
                                        int step, void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_JOINT_SECOND]->output_count;
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->joint_place[k]]] += to->weight[traced->joint_kind[k]] * out[k * step];
  }
}
FOR_ALL(take_joint_slopes, scatter_joint_slopes)

/* Where derivatives with respect to multipliers go, and the batch that has the indices. */
typedef struct by_multipliers_target {
  const vida_term_batch* batch;
  const vida_reactive_target* to;
} by_multipliers_target;

static inline void scatter_by_multipliers(const vida_instances* list, int i, const double* out,
                                          int step, void* target) {
  const by_multipliers_target* from = target;
  const vida_functions* functions = from->batch->functions;
  const vida_reactive_target* to = from->to;
  (void)i; /* a reactive force has one instance */
  for (int k = 0; k < functions->multiplier_count; k++) {
    const double slope = to->weight * out[k * step];
    const int column = from->batch->multiplier_column[k];
    if (column >= 0 && to->matrix) {
      to->matrix[from->batch->multiplier_slot[k]] += slope;
    } else if (column >= 0) {
      const size_t start = (size_t)column * to->stride;
      to->columns[start + (size_t)list->index[functions->multiplier_place[k]]] += slope;
    }
  }
}
FOR_ALL(take_by_multipliers, scatter_by_multipliers)

typedef struct row_target {
  const int* row;
  double* rows;
} row_target;

static inline void scatter_row(const vida_instances* list, int i, const double* out, int step,
                               void* target) {
  const row_target* to = target;
  (void)list, (void)step;
  to->rows[to->row[i]] += out[0];
}
FOR_ALL(take_row, scatter_row)

static inline void scatter_entries(const vida_instances* list, int i, const double* out, int step,
                                   void* target) {
  double* to = (double*)target + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to[j] = out[j * step];
  }
}
FOR_ALL(take_entries, scatter_entries)

/* Two sets of entries: of positions, then of rates. */
typedef struct hidden_target {
  double *by_positions, *by_rates;
} hidden_target;

static inline void scatter_hidden(const vida_instances* list, int i, const double* out, int step,
                                  void* target) {
  const hidden_target* to = target;
  const size_t first = (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to->by_positions[first + (size_t)j] = out[j * step];
    to->by_rates[first + (size_t)j] = out[(list->width + j) * step];
  }
}
FOR_ALL(take_hidden, scatter_hidden)

/* ---- terms ----------------------------------------------------------------------------------- */

static int term_value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  const vida_instances list = vida__instances_of_term(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_VALUE, take_value, lagrangian);
}

static int no_value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  (void)batch, (void)at, (void)lagrangian;
  return VIDA_SUCCESS;
}

static int lagrangian_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                               double* l_v) {
  const vida_instances list = vida__instances_of_term(batch, at);
  gradient_target to = {l_q, l_v};
  return vida__for_each_instance(&list, VIDA_TAPE_GRADIENT, take_gradient, &to);
}

static int position_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                             double* l_v) {
  const vida_instances list = vida__instances_of_term(batch, at);
  (void)l_v;
  return vida__for_each_instance(&list, VIDA_TAPE_GRADIENT, take_positions, l_q);
}

static int by_multipliers(const vida_term_batch* batch, const vida_place* at,
                          const vida_reactive_target* target) {
  const vida_instances list = vida__instances_of_term(batch, at);
  by_multipliers_target to = {batch, target};
  return vida__for_each_instance(&list, VIDA_TAPE_BY_MULTIPLIERS, take_by_multipliers, &to);
}

static int no_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                       double* l_v) {
  (void)batch, (void)at, (void)l_q, (void)l_v;
  return VIDA_SUCCESS;
}

static int term_hessian(const vida_term_batch* batch, const vida_place* at,
                        vida_hessian_weights weights, double* matrix) {
  const vida_instances list = vida__instances_of_term(batch, at);
  second_target to = {
      batch->slot, {weights.qq, weights.qv, weights.vq, weights.vv}, NULL, NULL, matrix};
  const bool is_mass = weights.qq == 0.0 && weights.qv == 0.0 && weights.vq == 0.0;
  if (is_mass && list.traced->mass_count == 0) {
    return VIDA_SUCCESS;
  }
  return is_mass && list.traced->tape[VIDA_TAPE_MASS_BLOCK]
             ? vida__for_each_instance(&list, VIDA_TAPE_MASS_BLOCK, take_mass, &to)
             : vida__for_each_instance(&list, VIDA_TAPE_SECOND, take_second, &to);
}

static int no_hessian(const vida_term_batch* batch, const vida_place* at,
                      vida_hessian_weights weights, double* matrix) {
  (void)batch, (void)at, (void)weights, (void)matrix;
  return VIDA_SUCCESS;
}

/* V = -L, so D V = -D L. */
static int discrete_gradient(const vida_term_batch* batch, const vida_interval* interval,
                             double* d_v) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_negative, d_v);
}

static int discrete_hessian(const vida_term_batch* batch, const vida_interval* interval,
                            double weight, double* matrix) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  second_target to = {batch->slot, {-weight, 0.0, 0.0, 0.0}, NULL, NULL, matrix};
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_SECOND, take_discrete_second, &to);
}

static int discrete_force(const vida_term_batch* batch, const vida_interval* interval,
                          double* force) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_positions, force);
}

static int discrete_slopes(const vida_term_batch* batch, const vida_interval* interval,
                           double by_q1, double by_v, double* matrix) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  second_target to = {batch->slot, {by_q1, by_v, 0.0, 0.0}, NULL, NULL, matrix};
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_SECOND, take_slopes, &to);
}

static int joint_gradient(const vida_term_batch* batch, const vida_interval* interval, double* l_q,
                          double* l_v) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  gradient_target to = {l_q, l_v};
  return vida__for_each_instance(&list, VIDA_TAPE_JOINT_GRADIENT, take_gradient, &to);
}

static int joint_slopes(const vida_term_batch* batch, const vida_interval* interval,
                        vida_hessian_weights weights, double* matrix) {
  const vida_instances list = vida__term_instances_between(batch, interval);
  second_target to = {
      batch->slot, {weights.qq, weights.qv, weights.vq, weights.vv}, NULL, NULL, matrix};
  return vida__for_each_instance(&list, VIDA_TAPE_JOINT_SECOND, take_joint_slopes, &to);
}

static int no_discrete_gradient(const vida_term_batch* batch, const vida_interval* interval,
                                double* d_v) {
  (void)batch, (void)interval, (void)d_v;
  return VIDA_SUCCESS;
}

static int no_discrete_hessian(const vida_term_batch* batch, const vida_interval* interval,
                               double weight, double* matrix) {
  (void)batch, (void)interval, (void)weight, (void)matrix;
  return VIDA_SUCCESS;
}

static int term_bias(const vida_term_batch* batch, const vida_place* at, double* force) {
  const vida_instances list = vida__instances_of_term(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_BIAS, take_positions, force);
}

static int no_bias(const vida_term_batch* batch, const vida_place* at, double* force) {
  (void)batch, (void)at, (void)force;
  return VIDA_SUCCESS;
}

static int term_rate(const vida_term_batch* batch, const vida_place* at, double* l_t) {
  const vida_instances list = vida__instances_of_term(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_RATE, take_value, l_t);
}

static int term_mass(const vida_term_batch* batch, const vida_place* at, double* mass) {
  const vida_instances list = vida__instances_of_term(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_MASS, take_positions, mass);
}

const vida_term_kernel vida__traced_lagrangian = {.kind = "Lagrangian",
                                                  .value = term_value,
                                                  .gradient = lagrangian_gradient,
                                                  .hessian = term_hessian,
                                                  .discrete_force = discrete_force,
                                                  .discrete_slopes = discrete_slopes,
                                                  .joint_gradient = joint_gradient,
                                                  .joint_slopes = joint_slopes,
                                                  .bias = term_bias,
                                                  .rate = term_rate};
const vida_term_kernel vida__traced_plain_lagrangian = {.kind = "Lagrangian",
                                                        .value = term_value,
                                                        .gradient = lagrangian_gradient,
                                                        .hessian = term_hessian,
                                                        .bias = term_bias,
                                                        .rate = term_rate};
/* A Lagrangian that is not quadratic in the rates. */
const vida_term_kernel vida__traced_joint_lagrangian = {.kind = "Lagrangian",
                                                        .value = term_value,
                                                        .gradient = lagrangian_gradient,
                                                        .hessian = term_hessian,
                                                        .joint_gradient = joint_gradient,
                                                        .joint_slopes = joint_slopes,
                                                        .bias = term_bias,
                                                        .rate = term_rate};
const vida_term_kernel vida__traced_potential = {.kind = "potential",
                                                 .is_potential = true,
                                                 .value = term_value,
                                                 .gradient = position_gradient,
                                                 .hessian = term_hessian,
                                                 .discrete_gradient = discrete_gradient,
                                                 .discrete_hessian = discrete_hessian,
                                                 .rate = term_rate};
const vida_term_kernel vida__traced_plain_potential = {.kind = "potential",
                                                       .is_potential = true,
                                                       .value = term_value,
                                                       .gradient = position_gradient,
                                                       .hessian = term_hessian,
                                                       .rate = term_rate};
const vida_term_kernel vida__traced_mass = {.kind = "kinetic energy",
                                            .is_potential = true, /* formally, with V = 0 */
                                            .value = no_value,
                                            .gradient = no_gradient,
                                            .hessian = no_hessian,
                                            .discrete_gradient = no_discrete_gradient,
                                            .discrete_hessian = no_discrete_hessian,
                                            .bias = no_bias,
                                            .mass = term_mass};
/* v^T M v / 2 with a constant M that is not diagonal. */
const vida_term_kernel vida__traced_kinetic = {.kind = "kinetic energy",
                                               .is_kinetic = true,
                                               .value = term_value,
                                               .gradient = lagrangian_gradient,
                                               .hessian = term_hessian,
                                               .bias = term_bias};
/* Forces are added to L_q; they are not part of the energy. */
const vida_term_kernel vida__traced_force = {.kind = "force",
                                             .is_force = true,
                                             .value = no_value,
                                             .gradient = position_gradient,
                                             .hessian = term_hessian};
const vida_term_kernel vida__traced_reactive_force = {.kind = "force",
                                                      .is_force = true,
                                                      .is_reactive = true,
                                                      .value = no_value,
                                                      .gradient = position_gradient,
                                                      .hessian = term_hessian,
                                                      .by_multipliers = by_multipliers};
const vida_term_kernel vida__traced_observable = {.kind = "observable", .value = term_value};

static bool uses_parameters_only(const vida_tape* tape) {
  for (int k = 0; k < tape->input_count; k++) {
    if (tape->inputs[k].kind != VIDA_INPUT_PARAMETER) {
      return false;
    }
  }
  return true;
}

bool vida__traced_is_linear(const vida_term_batch* batch) {
  if (batch->kernel == &vida__traced_mass) {
    return true; /* V = 0 */
  }
  return batch->kernel == &vida__traced_potential &&
         uses_parameters_only(
             ((const vida_traced*)batch->functions)->tape[VIDA_TAPE_DISCRETE_GRADIENT]);
}

/* ---- switches -------------------------------------------------------------------------------- */

typedef struct outputs {
  int count;
  double* values;
} outputs;

static inline void scatter_outputs(const vida_instances* list, int i, const double* out, int step,
                                   void* target) {
  const outputs* to = target;
  (void)list;
  for (int k = 0; k < to->count; k++) {
    to->values[i * to->count + k] = out[k * step];
  }
}
FOR_ALL(take_outputs, scatter_outputs)

static int evaluate_switches(const vida_term_batch* batch, int i, const vida_place* at,
                             enum vida_tape_kind kind, const double* switches, double* values) {
  vida_instances list = vida__instances_of_term(batch, at);
  vida_tape_place place = batch->tape;
  outputs to = {list.traced->tape[kind]->output_count, values};
  if (i >= 0) {
    place.parameters = place.parameters ? place.parameters + i * place.stride : NULL;
    list.index += i * list.width;
    list.count = 1;
  }
  list.place = &place;
  list.switches = switches;
  return vida__for_each_instance(&list, kind, take_outputs, &to);
}

int vida__traced_switches(const vida_term_batch* batch, int i, const vida_place* at,
                          double* switches) {
  return evaluate_switches(batch, i, at, VIDA_TAPE_SWITCHES, NULL, switches);
}

int vida__traced_switched(const vida_term_batch* batch, int i, const vida_place* at,
                          const double* switches, double* values) {
  return evaluate_switches(batch, i, at, VIDA_TAPE_SWITCHED, switches, values);
}

/* ---- constraints ----------------------------------------------------------------------------- */

static bool is_entire(const vida_instruction* at) {
  switch (at->operation) {
    case VIDA_OP_CONSTANT:
    case VIDA_OP_INPUT:
    case VIDA_OP_ADD:
    case VIDA_OP_SUBTRACT:
    case VIDA_OP_MULTIPLY:
    case VIDA_OP_NEGATE:
    case VIDA_OP_SIN:
    case VIDA_OP_COS:
      return true;
    case VIDA_OP_POWER_INTEGER:
      return at->number >= 0;
    default:
      return false;
  }
}

static int constraint_value(const vida_constraint_batch* batch, const vida_place* at,
                            const double* q_low, double* g) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  row_target to = {batch->row, g};
  (void)q_low; /* tapes take one number per coordinate */
  return vida__for_each_instance(&list, VIDA_TAPE_VALUE, take_row, &to);
}

static int constraint_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_GRADIENT, take_entries, entries);
}

static int value_gradient(const vida_constraint_batch* batch, const vida_place* at,
                          double* entries) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  return vida__for_each_instance(&list, VIDA_TAPE_VALUE_GRADIENT, take_entries, entries);
}

static int constraint_curvature(const vida_constraint_batch* batch, const vida_place* at,
                                double weight, const double* lambda, double* matrix) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  second_target to = {batch->slot, {weight, 0.0, 0.0, 0.0}, lambda, batch->row, matrix};
  return vida__for_each_instance(&list, VIDA_TAPE_SECOND, take_curvature, &to);
}

static int constraint_rate(const vida_constraint_batch* batch, const vida_place* at, double* rate) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  row_target to = {batch->row, rate};
  return vida__for_each_instance(&list, VIDA_TAPE_RATE, take_row, &to);
}

static int constraint_bias(const vida_constraint_batch* batch, const vida_place* at, double* bias) {
  const vida_instances list = vida__instances_of_constraint(batch, at);
  row_target to = {batch->row, bias};
  return vida__for_each_instance(&list, VIDA_TAPE_BIAS, take_row, &to);
}

bool vida__traced_is_entire(const vida_constraint_batch* batch) {
  if (batch->kernel->value != constraint_value) {
    return false;
  }
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const vida_tape* tape = traced->tape[VIDA_TAPE_VALUE];
  bool result = tape && !traced->conditions;
  for (int i = 0; result && i < tape->instruction_count; i++) {
    result = is_entire(&tape->instructions[i]);
  }
  return result;
}

bool vida__traced_may_jump(const vida_constraint_batch* batch) {
  if (batch->kernel->value != constraint_value) {
    return false;
  }
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const vida_tape* tape = traced->tape[VIDA_TAPE_VALUE];
  bool is_broken = !tape || traced->conditions, divides = false, bounds = false;
  for (int i = 0; !is_broken && i < tape->instruction_count; i++) {
    const vida_operation operation = (vida_operation)tape->instructions[i].operation;
    divides = divides || operation == VIDA_OP_DIVIDE || operation == VIDA_OP_TAN;
    bounds = bounds || operation == VIDA_OP_ATAN || operation == VIDA_OP_TANH;
    is_broken = vida__is_branching(operation) || operation == VIDA_OP_ATAN2;
  }
  return is_broken || (divides && bounds);
}

static int discrete_jacobian(const vida_constraint_batch* batch, const vida_interval* interval,
                             double* entries) {
  const vida_instances list = vida__constraint_instances_between(batch, interval);
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_entries, entries);
}

static int discrete_curvature(const vida_constraint_batch* batch, const vida_interval* interval,
                              double weight, const double* lambda, double* matrix) {
  const vida_instances list = vida__constraint_instances_between(batch, interval);
  second_target to = {batch->slot, {weight, 0.0, 0.0, 0.0}, lambda, batch->row, matrix};
  return vida__for_each_instance(&list, VIDA_TAPE_DISCRETE_SECOND, take_discrete_second, &to);
}

static int hidden_gradient(const vida_constraint_batch* batch, const vida_interval* interval,
                           double* by_positions, double* by_rates) {
  const vida_instances list = vida__constraint_instances_between(batch, interval);
  hidden_target to = {by_positions, by_rates};
  return vida__for_each_instance(&list, VIDA_TAPE_JOINT_GRADIENT, take_hidden, &to);
}

#define VALUES                                                                                   \
  .value = constraint_value, .jacobian = constraint_jacobian, .curvature = constraint_curvature, \
  .rate = constraint_rate, .bias = constraint_bias, .value_gradient = value_gradient
#define DISCRETE .discrete_jacobian = discrete_jacobian, .discrete_curvature = discrete_curvature

const vida_constraint_kernel vida__traced_constraint = {.kind = "constraint", VALUES, DISCRETE};
const vida_constraint_kernel vida__traced_smooth = {
    .kind = "constraint", VALUES, DISCRETE, .hidden_gradient = hidden_gradient};
const vida_constraint_kernel vida__traced_quadratic = {
    .kind = "constraint", .is_quadratic = true, VALUES, DISCRETE};
const vida_constraint_kernel vida__traced_driven = {
    .kind = "constraint", .is_driven = true, VALUES, DISCRETE};
const vida_constraint_kernel vida__traced_plain_constraint = {.kind = "constraint", VALUES};
const vida_constraint_kernel vida__traced_nonholonomic = {
    .kind = "nonholonomic constraint", .is_nonholonomic = true, VALUES};
