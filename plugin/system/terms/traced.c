#include "system/terms/traced.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "system/model/model.h"

/* ---- work space: the slots of each tape, then the results of the largest one ----------------- */

static size_t lanes_of(bool in_lanes) {
  return in_lanes ? VIDA_LANES : 1;
}

void vida__lay_out_traced(vida_traced* traced) {
  size_t offset = 0;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    traced->work_offset[k] = offset;
    offset += traced->tape[k] ? vida__tape_work_size(traced->tape[k]) : 0;
  }
  traced->work_offset[VIDA_TAPE_KINDS] = offset;
}

size_t vida__traced_work_size(const vida_functions* functions, bool in_lanes) {
  const vida_traced* traced = (const vida_traced*)functions;
  int most = 0;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    const vida_tape* tape = traced->tape[k];
    most = tape && tape->output_count > most ? tape->output_count : most;
  }
  return (traced->work_offset[VIDA_TAPE_KINDS] + (size_t)most) * lanes_of(in_lanes);
}

static double* find_work(const vida_traced* traced, enum vida_tape_kind kind, bool in_lanes,
                         double* work) {
  return work + traced->work_offset[kind] * lanes_of(in_lanes);
}

void vida__prepare_traced(const vida_functions* functions, bool in_lanes, double* work) {
  const vida_traced* traced = (const vida_traced*)functions;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    if (traced->tape[k] && in_lanes) {
      vida__tape_prepare_lanes(traced->tape[k],
                               find_work(traced, (enum vida_tape_kind)k, true, work));
    } else if (traced->tape[k]) {
      vida__tape_prepare(traced->tape[k], find_work(traced, (enum vida_tape_kind)k, false, work));
    }
  }
}

/* ---- evaluating a tape for every instance ---------------------------------------------------- */

/* The instances of a batch, and the point at which they are evaluated. */
typedef struct instances {
  const vida_traced* traced;
  const vida_tape_place* place;
  const int* index;
  int width, count;
  const VidaSystem* system;
  double t;
  const vida_segment* segment;
  const double *q, *v, *q1, *v1;
  const double* switches; /* inputs of the tape SWITCHED, for all instances */
  double* tapes;
  VidaError* error;
} instances;

/* The members of a batch of terms or of constraints, which have equal names. */
#define LIST_INSTANCES(batch)                                                  \
  {                                                                            \
    .traced = (const vida_traced*)(batch)->functions, .place = &(batch)->tape, \
    .index = (batch)->index, .width = (batch)->width, .count = (batch)->count  \
  }

static instances list_at(instances list, const vida_place* at) {
  list.system = at->system;
  list.t = at->t;
  list.segment = at->segment;
  list.q = at->q;
  list.v = at->v;
  list.tapes = at->tapes;
  list.error = at->error;
  return list;
}

static instances list_between(instances list, const vida_interval* interval) {
  list.system = interval->system;
  list.t = interval->t;
  list.segment = interval->segment;
  list.v = interval->v;
  list.q = interval->q0;
  list.q1 = interval->q1;
  list.v1 = interval->v1;
  list.tapes = interval->tapes;
  list.error = interval->error;
  return list;
}

static instances of_term(const vida_term_batch* batch, const vida_place* at) {
  const instances list = LIST_INSTANCES(batch);
  return list_at(list, at);
}

static instances of_constraint(const vida_constraint_batch* batch, const vida_place* at) {
  const instances list = LIST_INSTANCES(batch);
  return list_at(list, at);
}

static instances term_between(const vida_term_batch* batch, const vida_interval* interval) {
  const instances list = LIST_INSTANCES(batch);
  return list_between(list, interval);
}

static instances constraint_between(const vida_constraint_batch* batch,
                                    const vida_interval* interval) {
  const instances list = LIST_INSTANCES(batch);
  return list_between(list, interval);
}

static int count_switches(const instances* list) {
  return list->traced->tape[VIDA_TAPE_SWITCHES]->output_count;
}

void vida__prepare_turns(const VidaSystem* system, double* tapes) {
  double* turn = tapes + system->turn_place;
  for (int i = 0; i < system->coordinate_count; i++, turn += 3) {
    turn[0] = 0.0;
    turn[1] = 0.0;
    turn[2] = 1.0;
  }
}

/* The inputs of one kind, for `count` instances. */

static void gather_coordinates(const double* restrict from, const int* restrict index, int width,
                               int count, double* restrict work) {
  for (int lane = 0; lane < count; lane++) {
    work[lane] = from[index[lane * width]];
  }
}

static void gather_turns(const instances* list, const int* index, int part, int count,
                         double* work) {
  double* turns = list->tapes + list->system->turn_place;
  for (int lane = 0; lane < count; lane++) {
    work[lane] = vida__find_turn(turns, list->q, index[lane * list->width])[part];
  }
}

static void gather_strided(const double* restrict from, int stride, int count,
                           double* restrict work) {
  for (int lane = 0; lane < count; lane++) {
    work[lane] = from[lane * stride];
  }
}

static void fill(double value, int count, double* work) {
  for (int lane = 0; lane < count; lane++) {
    work[lane] = value;
  }
}

static void gather_input(const instances* list, vida_tape_input input, int first, int count,
                         double* work) {
  const int* index = list->index + (size_t)first * (size_t)list->width + input.index;
  switch (input.kind) {
    case VIDA_INPUT_POSITION:
      gather_coordinates(list->q, index, list->width, count, work);
      break;
    case VIDA_INPUT_VELOCITY:
      gather_coordinates(list->v, index, list->width, count, work);
      break;
    case VIDA_INPUT_SECOND_POSITION:
      gather_coordinates(list->q1, index, list->width, count, work);
      break;
    case VIDA_INPUT_SECOND_VELOCITY:
      gather_coordinates(list->v1, index, list->width, count, work);
      break;
    case VIDA_INPUT_SINE:
      gather_turns(list, index, 0, count, work);
      break;
    case VIDA_INPUT_COSINE:
      gather_turns(list, index, 1, count, work);
      break;
    case VIDA_INPUT_TIME:
      fill(list->t, count, work);
      break;
    case VIDA_INPUT_MOMENT:
      fill(list->segment ? list->segment->moment : list->t, count, work);
      break;
    case VIDA_INPUT_PARAMETER:
      gather_strided(list->place->parameters + first * list->place->stride + input.index,
                     list->place->stride, count, work);
      break;
    case VIDA_INPUT_AUXILIARY: /* without switches: the rates of a nonholonomic row at rest */
      if (list->switches) {
        gather_strided(list->switches + first * count_switches(list) + input.index,
                       count_switches(list), count, work);
        break;
      }
      fill(0.0, count, work);
      break;
    default:
      fill(0.0, count, work);
  }
}

/* The array of the coordinates of a kind of inputs; NULL for other kinds. */
static const double* find_array(const instances* list, vida_input kind) {
  return kind == VIDA_INPUT_POSITION          ? list->q
         : kind == VIDA_INPUT_VELOCITY        ? list->v
         : kind == VIDA_INPUT_SECOND_POSITION ? list->q1
                                              : NULL;
}

/* Collects the inputs of the tape for a full set of lanes from the instance `first` on. Lanes after
 * the last instance repeat it. */
static void gather(const instances* list, const vida_tape* tape, int first, double* work) {
  const int count = list->count - first < VIDA_LANES ? list->count - first : VIDA_LANES;
  const int* index = list->index + (size_t)first * (size_t)list->width;
  for (int k = 0; k < tape->input_count; k++, work += VIDA_LANES) {
    const vida_tape_input input = tape->inputs[k];
    const double* from = count == VIDA_LANES ? find_array(list, input.kind) : NULL;
    if (from) { /* the usual kinds without calls */
      gather_coordinates(from, index + input.index, list->width, VIDA_LANES, work);
      continue;
    }
    gather_input(list, input, first, count, work);
    for (int lane = count; lane < VIDA_LANES; lane++) {
      work[lane] = work[count - 1];
    }
  }
}

/* As gather, for a single instance: the usual kinds without calls. */
static void gather_one(const instances* list, const vida_tape* tape, int i, double* work) {
  const int* index = list->index + (size_t)i * (size_t)list->width;
  double* turns = list->tapes + list->system->turn_place;
  for (int k = 0; k < tape->input_count; k++) {
    const vida_tape_input input = tape->inputs[k];
    const bool is_cosine = input.kind == VIDA_INPUT_COSINE;
    switch (input.kind) {
      case VIDA_INPUT_POSITION:
        work[k] = list->q[index[input.index]];
        break;
      case VIDA_INPUT_VELOCITY:
        work[k] = list->v[index[input.index]];
        break;
      case VIDA_INPUT_SECOND_POSITION:
        work[k] = list->q1[index[input.index]];
        break;
      case VIDA_INPUT_SINE:
      case VIDA_INPUT_COSINE:
        work[k] = vida__find_turn(turns, list->q, index[input.index])[is_cosine];
        break;
      case VIDA_INPUT_PARAMETER:
        work[k] = list->place->parameters[i * list->place->stride + input.index];
        break;
      default:
        gather_input(list, input, i, 1, &work[k]);
    }
  }
}

/* Writes the reason of a failure: "division by zero", or the input of instance i that is not
 * finite, in which case the formula is not the cause. */
static void describe_fault(const instances* list, int i, const vida_fault* fault, char* text,
                           size_t size) {
  const int* index = list->index + (size_t)i * (size_t)list->width;
  const vida_input kind = fault->operation == VIDA_OP_INPUT ? fault->input.kind : VIDA_INPUT_KINDS;
  const bool is_rate = kind == VIDA_INPUT_VELOCITY || kind == VIDA_INPUT_SECOND_VELOCITY;
  if (is_rate || kind == VIDA_INPUT_POSITION || kind == VIDA_INPUT_SECOND_POSITION ||
      kind == VIDA_INPUT_SINE || kind == VIDA_INPUT_COSINE) {
    vida__append(text, size,
                 "the %s of '%s' is not a finite number, for example because the iterations of a "
                 "step diverge",
                 is_rate ? "velocity" : "position",
                 list->system->coordinates[index[fault->input.index]].name);
  } else {
    vida__append(text, size, "%s", fault->reason);
  }
}

static int report_fault(const instances* list, int first, const vida_fault* fault) {
  const int i = first + fault->lane < list->count ? first + fault->lane : list->count - 1;
  char reason[VIDA_MESSAGE_SIZE / 2] = "";
  describe_fault(list, i, fault, reason, sizeof reason);
  const char* name = list->traced->base.name;
  const char* advice = fault->may_be_unchosen ? " (where evaluates both branches: each must stay "
                                                "in its domain, as sqrt(max(x, 1e-9)) does)"
                                              : "";
  if (list->count == 1) {
    return vida__fail(list->error, VIDA_NOT_FINITE, "'%s': %s%s", name, reason, advice);
  }
  const int* index = list->index + (size_t)i * (size_t)list->width;
  return vida__fail(list->error, VIDA_NOT_FINITE, "'%s' (instance %d, from '%s' to '%s'): %s%s",
                    name, i + 1, list->system->coordinates[index[0]].name,
                    list->system->coordinates[index[list->width - 1]].name, reason, advice);
}

/* Processes the results of `count` instances: output k of the first one is out[k * step], and those
 * of the next one follow behind it. */
typedef void (*scatter)(const instances* list, int first, int count, const double* out, int step,
                        void* target);

/* Defines a scatter by the function for one instance. */
#define FOR_ALL(name, one)                                                                   \
  static void name(const instances* list, int first, int count, const double* out, int step, \
                   void* target) {                                                           \
    for (int lane = 0; lane < count; lane++) {                                               \
      one(list, first + lane, out + lane, step, target);                                     \
    }                                                                                        \
  }

static int for_each(const instances* list, enum vida_tape_kind kind, scatter take, void* target) {
  const vida_tape* tape = list->traced->tape[kind];
  const bool in_lanes = list->place->in_lanes;
  const int lanes = in_lanes ? VIDA_LANES : 1;
  vida_fault fault;
  if (!tape) {
    return VIDA_SUCCESS;
  }
  double* base = list->tapes + list->place->work;
  double* work = find_work(list->traced, kind, in_lanes, base);
  double* out = find_work(list->traced, VIDA_TAPE_KINDS, in_lanes, base);
  for (int first = 0; first < list->count; first += lanes) {
    if (in_lanes) {
      gather(list, tape, first, work);
    } else {
      gather_one(list, tape, first, work);
    }
    if (in_lanes ? vida__tape_run_lanes(tape, work, out, &fault)
                 : vida__tape_run(tape, work, out, &fault)) {
      return report_fault(list, first, &fault);
    }
    const int end = list->count - first < lanes ? list->count - first : lanes;
    take(list, first, end, out, lanes, target);
  }
  return VIDA_SUCCESS;
}

/* ---- scatters -------------------------------------------------------------------------------- */

static inline void scatter_value(const instances* list, int i, const double* out, int step,
                                 void* target) {
  (void)list, (void)i, (void)step;
  *(double*)target += out[0];
}
FOR_ALL(take_value, scatter_value)

typedef struct gradient_target {
  double *l_q, *l_v;
} gradient_target;

static inline void scatter_gradient(const instances* list, int i, const double* out, int step,
                                    void* target) {
  const gradient_target* to = target;
  const int* index = list->index + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to->l_q[index[j]] += out[j * step];
    to->l_v[index[j]] += out[(list->width + j) * step];
  }
}
FOR_ALL(take_gradient, scatter_gradient)

static inline void scatter_positions(const instances* list, int i, const double* out, int step,
                                     void* target) {
  double* to = target;
  const int* index = list->index + (size_t)i * (size_t)list->width;
  for (int j = 0; j < list->width; j++) {
    to[index[j]] += out[j * step];
  }
}
FOR_ALL(take_positions, scatter_positions)

static inline void scatter_negative(const instances* list, int i, const double* out, int step,
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

static inline void scatter_second(const instances* list, int i, const double* out, int step,
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

static inline void scatter_mass(const instances* list, int i, const double* out, int step,
                                void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  for (int k = 0; k < traced->mass_count; k++) {
    to->matrix[slot[traced->mass_place[k]]] += to->weight[VIDA_SECOND_VV] * out[k * step];
  }
}
FOR_ALL(take_mass, scatter_mass)

static inline void scatter_curvature(const instances* list, int i, const double* out, int step,
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

static inline void scatter_discrete_second(const instances* list, int i, const double* out,
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

static inline void scatter_slopes(const instances* list, int i, const double* out, int step,
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

static inline void scatter_joint_slopes(const instances* list, int i, const double* out, int step,
                                        void* target) {
  const second_target* to = target;
  const vida_traced* traced = list->traced;
  const int* slot = to->slot + (size_t)i * (size_t)traced->block_count;
  const int count = traced->tape[VIDA_TAPE_JOINT_SECOND]->output_count;
  for (int k = 0; k < count; k++) {
    to->matrix[slot[traced->joint_place[k]]] += to->weight[traced->joint_kind[k]] * out[k * step];
  }
}
FOR_ALL(take_joint_slopes, scatter_joint_slopes)

typedef struct row_target {
  const int* row;
  double* rows;
} row_target;

static inline void scatter_row(const instances* list, int i, const double* out, int step,
                               void* target) {
  const row_target* to = target;
  (void)list, (void)step;
  to->rows[to->row[i]] += out[0];
}
FOR_ALL(take_row, scatter_row)

static inline void scatter_entries(const instances* list, int i, const double* out, int step,
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

static inline void scatter_hidden(const instances* list, int i, const double* out, int step,
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
  const instances list = of_term(batch, at);
  return for_each(&list, VIDA_TAPE_VALUE, take_value, lagrangian);
}

static int no_value(const vida_term_batch* batch, const vida_place* at, double* lagrangian) {
  (void)batch, (void)at, (void)lagrangian;
  return VIDA_SUCCESS;
}

static int lagrangian_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                               double* l_v) {
  const instances list = of_term(batch, at);
  gradient_target to = {l_q, l_v};
  return for_each(&list, VIDA_TAPE_GRADIENT, take_gradient, &to);
}

static int position_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                             double* l_v) {
  const instances list = of_term(batch, at);
  (void)l_v;
  return for_each(&list, VIDA_TAPE_GRADIENT, take_positions, l_q);
}

static int no_gradient(const vida_term_batch* batch, const vida_place* at, double* l_q,
                       double* l_v) {
  (void)batch, (void)at, (void)l_q, (void)l_v;
  return VIDA_SUCCESS;
}

static int term_hessian(const vida_term_batch* batch, const vida_place* at,
                        vida_hessian_weights weights, double* matrix) {
  const instances list = of_term(batch, at);
  second_target to = {
      batch->slot, {weights.qq, weights.qv, weights.vq, weights.vv}, NULL, NULL, matrix};
  const bool is_mass = weights.qq == 0.0 && weights.qv == 0.0 && weights.vq == 0.0;
  if (is_mass && list.traced->mass_count == 0) {
    return VIDA_SUCCESS;
  }
  return is_mass && list.traced->tape[VIDA_TAPE_MASS_BLOCK]
             ? for_each(&list, VIDA_TAPE_MASS_BLOCK, take_mass, &to)
             : for_each(&list, VIDA_TAPE_SECOND, take_second, &to);
}

static int no_hessian(const vida_term_batch* batch, const vida_place* at,
                      vida_hessian_weights weights, double* matrix) {
  (void)batch, (void)at, (void)weights, (void)matrix;
  return VIDA_SUCCESS;
}

/* V = -L, so D V = -D L. */
static int discrete_gradient(const vida_term_batch* batch, const vida_interval* interval,
                             double* d_v) {
  const instances list = term_between(batch, interval);
  return for_each(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_negative, d_v);
}

static int discrete_hessian(const vida_term_batch* batch, const vida_interval* interval,
                            double weight, double* matrix) {
  const instances list = term_between(batch, interval);
  second_target to = {batch->slot, {-weight, 0.0, 0.0, 0.0}, NULL, NULL, matrix};
  return for_each(&list, VIDA_TAPE_DISCRETE_SECOND, take_discrete_second, &to);
}

static int discrete_force(const vida_term_batch* batch, const vida_interval* interval,
                          double* force) {
  const instances list = term_between(batch, interval);
  return for_each(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_positions, force);
}

static int discrete_slopes(const vida_term_batch* batch, const vida_interval* interval,
                           double by_q1, double by_v, double* matrix) {
  const instances list = term_between(batch, interval);
  second_target to = {batch->slot, {by_q1, by_v, 0.0, 0.0}, NULL, NULL, matrix};
  return for_each(&list, VIDA_TAPE_DISCRETE_SECOND, take_slopes, &to);
}

static int joint_gradient(const vida_term_batch* batch, const vida_interval* interval, double* l_q,
                          double* l_v) {
  const instances list = term_between(batch, interval);
  gradient_target to = {l_q, l_v};
  return for_each(&list, VIDA_TAPE_JOINT_GRADIENT, take_gradient, &to);
}

static int joint_slopes(const vida_term_batch* batch, const vida_interval* interval,
                        vida_hessian_weights weights, double* matrix) {
  const instances list = term_between(batch, interval);
  second_target to = {
      batch->slot, {weights.qq, weights.qv, weights.vq, weights.vv}, NULL, NULL, matrix};
  return for_each(&list, VIDA_TAPE_JOINT_SECOND, take_joint_slopes, &to);
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
  const instances list = of_term(batch, at);
  return for_each(&list, VIDA_TAPE_BIAS, take_positions, force);
}

static int no_bias(const vida_term_batch* batch, const vida_place* at, double* force) {
  (void)batch, (void)at, (void)force;
  return VIDA_SUCCESS;
}

static int term_rate(const vida_term_batch* batch, const vida_place* at, double* l_t) {
  const instances list = of_term(batch, at);
  return for_each(&list, VIDA_TAPE_RATE, take_value, l_t);
}

static int term_mass(const vida_term_batch* batch, const vida_place* at, double* mass) {
  const instances list = of_term(batch, at);
  return for_each(&list, VIDA_TAPE_MASS, take_positions, mass);
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

static inline void scatter_outputs(const instances* list, int i, const double* out, int step,
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
  instances list = of_term(batch, at);
  vida_tape_place place = batch->tape;
  outputs to = {list.traced->tape[kind]->output_count, values};
  if (i >= 0) {
    place.parameters = place.parameters ? place.parameters + i * place.stride : NULL;
    list.index += i * list.width;
    list.count = 1;
  }
  list.place = &place;
  list.switches = switches;
  return for_each(&list, kind, take_outputs, &to);
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
  const instances list = of_constraint(batch, at);
  row_target to = {batch->row, g};
  (void)q_low; /* tapes take one number per coordinate */
  return for_each(&list, VIDA_TAPE_VALUE, take_row, &to);
}

static int constraint_jacobian(const vida_constraint_batch* batch, const vida_place* at,
                               double* entries) {
  const instances list = of_constraint(batch, at);
  return for_each(&list, VIDA_TAPE_GRADIENT, take_entries, entries);
}

static int value_gradient(const vida_constraint_batch* batch, const vida_place* at,
                          double* entries) {
  const instances list = of_constraint(batch, at);
  return for_each(&list, VIDA_TAPE_VALUE_GRADIENT, take_entries, entries);
}

static int constraint_curvature(const vida_constraint_batch* batch, const vida_place* at,
                                double weight, const double* lambda, double* matrix) {
  const instances list = of_constraint(batch, at);
  second_target to = {batch->slot, {weight, 0.0, 0.0, 0.0}, lambda, batch->row, matrix};
  return for_each(&list, VIDA_TAPE_SECOND, take_curvature, &to);
}

static int constraint_rate(const vida_constraint_batch* batch, const vida_place* at, double* rate) {
  const instances list = of_constraint(batch, at);
  row_target to = {batch->row, rate};
  return for_each(&list, VIDA_TAPE_RATE, take_row, &to);
}

static int constraint_bias(const vida_constraint_batch* batch, const vida_place* at, double* bias) {
  const instances list = of_constraint(batch, at);
  row_target to = {batch->row, bias};
  return for_each(&list, VIDA_TAPE_BIAS, take_row, &to);
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

static int discrete_jacobian(const vida_constraint_batch* batch, const vida_interval* interval,
                             double* entries) {
  const instances list = constraint_between(batch, interval);
  return for_each(&list, VIDA_TAPE_DISCRETE_GRADIENT, take_entries, entries);
}

static int discrete_curvature(const vida_constraint_batch* batch, const vida_interval* interval,
                              double weight, const double* lambda, double* matrix) {
  const instances list = constraint_between(batch, interval);
  second_target to = {batch->slot, {weight, 0.0, 0.0, 0.0}, lambda, batch->row, matrix};
  return for_each(&list, VIDA_TAPE_DISCRETE_SECOND, take_discrete_second, &to);
}

static int hidden_gradient(const vida_constraint_batch* batch, const vida_interval* interval,
                           double* by_positions, double* by_rates) {
  const instances list = constraint_between(batch, interval);
  hidden_target to = {by_positions, by_rates};
  return for_each(&list, VIDA_TAPE_JOINT_GRADIENT, take_hidden, &to);
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
