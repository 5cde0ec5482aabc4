#include "system/terms/instances.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

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

void vida__describe_traced(const vida_functions* functions, vida_record* record) {
  const vida_traced* traced = (const vida_traced*)functions;
  for (int k = 0; k < VIDA_TAPE_KINDS; k++) {
    vida__put_integer(record, traced->tape[k] != NULL);
    if (traced->tape[k]) {
      vida__tape_describe(traced->tape[k], record);
    }
  }
}

/* ---- evaluating a tape for every instance ---------------------------------------------------- */

/* The members of a batch of terms or of constraints, which have equal names. */
#define LIST_INSTANCES(batch)                                                  \
  {                                                                            \
    .traced = (const vida_traced*)(batch)->functions, .place = &(batch)->tape, \
    .index = (batch)->index, .width = (batch)->width, .count = (batch)->count  \
  }

static vida_instances list_at(vida_instances list, const vida_place* at) {
  list.system = at->system;
  list.t = at->t;
  list.segment = at->segment;
  list.q = at->q;
  list.v = at->v;
  list.multipliers = at->multipliers;
  list.tapes = at->tapes;
  list.error = at->error;
  return list;
}

static vida_instances list_between(vida_instances list, const vida_interval* interval) {
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

vida_instances vida__instances_of_term(const vida_term_batch* batch, const vida_place* at) {
  const vida_instances list = LIST_INSTANCES(batch);
  return list_at(list, at);
}

vida_instances vida__instances_of_constraint(const vida_constraint_batch* batch,
                                             const vida_place* at) {
  const vida_instances list = LIST_INSTANCES(batch);
  return list_at(list, at);
}

vida_instances vida__term_instances_between(const vida_term_batch* batch,
                                            const vida_interval* interval) {
  const vida_instances list = LIST_INSTANCES(batch);
  return list_between(list, interval);
}

vida_instances vida__constraint_instances_between(const vida_constraint_batch* batch,
                                                  const vida_interval* interval) {
  const vida_instances list = LIST_INSTANCES(batch);
  return list_between(list, interval);
}

int vida__count_switches(const vida_instances* list) {
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

static void gather_turns(const vida_instances* list, const int* index, int part, int count,
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

/* Returns the value of a multiplier; NaN if it is not known here. */
static double find_multiplier(const vida_instances* list, int number) {
  const int row = list->system->multiplier_rows[number];
  return row < 0 ? 0.0 : list->multipliers ? list->multipliers[row] : (double)NAN;
}

static void gather_input(const vida_instances* list, vida_tape_input input, int first, int count,
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
        gather_strided(list->switches + first * vida__count_switches(list) + input.index,
                       vida__count_switches(list), count, work);
        break;
      }
      fill(0.0, count, work);
      break;
    case VIDA_INPUT_MULTIPLIER: /* an index of multiplier_rows, not of a local coordinate */
      fill(find_multiplier(list, input.index), count, work);
      break;
    default:
      fill(0.0, count, work);
  }
}

/* The array of the coordinates of a kind of inputs; NULL for other kinds. */
static const double* find_array(const vida_instances* list, vida_input kind) {
  return kind == VIDA_INPUT_POSITION          ? list->q
         : kind == VIDA_INPUT_VELOCITY        ? list->v
         : kind == VIDA_INPUT_SECOND_POSITION ? list->q1
                                              : NULL;
}

/* Collects the inputs of the tape for the last instances, from the instance `first` on, of which
 * there are fewer than lanes: lanes after the last one repeat it. */
static void gather_rest(const vida_instances* list, const vida_tape* tape, int first,
                        double* restrict work) {
  const int count = list->count - first;
  const int* index[VIDA_LANES];
  const double* parameters[VIDA_LANES];
  for (int lane = 0; lane < VIDA_LANES; lane++) {
    const int i = first + (lane < count ? lane : count - 1);
    index[lane] = list->index + (size_t)i * (size_t)list->width;
    parameters[lane] = list->place->parameters + i * list->place->stride;
  }
  for (int k = 0; k < tape->input_count; k++, work += VIDA_LANES) {
    const vida_tape_input input = tape->inputs[k];
    const double* from = find_array(list, input.kind);
    if (from) { /* the usual kinds without calls */
      for (int lane = 0; lane < VIDA_LANES; lane++) {
        work[lane] = from[index[lane][input.index]];
      }
    } else if (input.kind == VIDA_INPUT_PARAMETER) {
      for (int lane = 0; lane < VIDA_LANES; lane++) {
        work[lane] = parameters[lane][input.index];
      }
    } else {
      gather_input(list, input, first, count, work);
      for (int lane = count; lane < VIDA_LANES; lane++) {
        work[lane] = work[count - 1];
      }
    }
  }
}

/* Collects the inputs of the tape for a full set of lanes from the instance `first` on. */
static void gather(const vida_instances* list, const vida_tape* tape, int first, double* work) {
  const int* index = list->index + (size_t)first * (size_t)list->width;
  for (int k = 0; k < tape->input_count; k++, work += VIDA_LANES) {
    const vida_tape_input input = tape->inputs[k];
    const double* from = find_array(list, input.kind);
    if (from) { /* the usual kinds without calls */
      gather_coordinates(from, index + input.index, list->width, VIDA_LANES, work);
    } else if (input.kind == VIDA_INPUT_PARAMETER) {
      gather_strided(list->place->parameters + first * list->place->stride + input.index,
                     list->place->stride, VIDA_LANES, work);
    } else {
      gather_input(list, input, first, VIDA_LANES, work);
    }
  }
}

/* As gather, for a single instance: the usual kinds without calls. */
static void gather_one(const vida_instances* list, const vida_tape* tape, int i, double* work) {
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
static void describe_fault(const vida_instances* list, int i, const vida_fault* fault, char* text,
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
  } else if (kind == VIDA_INPUT_MULTIPLIER) {
    const int row = list->system->multiplier_rows[fault->input.index];
    vida__append(
        text, size, "the multiplier of '%s' is not %s", row < 0 ? "" : list->system->rows[row].name,
        list->multipliers ? "a finite number, for example because the iterations of a step "
                            "diverge"
                          : "known here");
  } else {
    vida__append(text, size, "%s", fault->reason);
  }
}

static int report_fault(const vida_instances* list, int first, const vida_fault* fault) {
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

int vida__for_each_instance(const vida_instances* list, enum vida_tape_kind kind, vida_scatter take,
                            void* target) {
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
    if (in_lanes && list->count - first >= lanes) {
      gather(list, tape, first, work);
    } else if (in_lanes) {
      gather_rest(list, tape, first, work);
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
