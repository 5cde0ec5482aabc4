#include "system/terms/motion_tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "system/model/model.h"

/* With more instructions in all, batches of equal terms are evaluated in lanes instead. */
enum { MOST_INSTRUCTIONS = 4000 };

/* Consecutive outputs of the tape. */
typedef struct output_range {
  int first, count;
} output_range;

/* The outputs of a batch: forces and masses of a term, entries and biases of a constraint. */
typedef struct batch_outputs {
  bool is_joined;
  output_range vector, matrix;
} batch_outputs;

struct vida_motion_tape {
  const VidaSystem* system;
  vida_tape* tape;
  const double** parameters; /* inputs of the kind PARAMETER */
  double *work, *out;
  int* target; /* by output: where it is added or stored */
  batch_outputs *terms, *constraints;
};

/* Data for the creation; `release` frees it. */
typedef struct joiner {
  vida_motion_tape* motion;
  vida_graph* graph;
  int* node; /* of each slot of a tape */
  int* output;
  size_t node_capacity, output_capacity, target_capacity, parameter_capacity;
  int output_count, parameter_count, instruction_count;
} joiner;

/* ---- joining --------------------------------------------------------------------------------- */

static int add_output(joiner* join, int node, int target) {
  vida_motion_tape* motion = join->motion;
  const size_t needed = (size_t)join->output_count + 1;
  if (vida__reserve((void**)&join->output, &join->output_capacity, needed, sizeof *join->output) ||
      vida__reserve((void**)&motion->target, &join->target_capacity, needed,
                    sizeof *motion->target)) {
    return VIDA_OUT_OF_MEMORY;
  }
  join->output[join->output_count] = node;
  motion->target[join->output_count++] = target;
  return VIDA_SUCCESS;
}

/* Returns the node of a parameter, or a negative code. */
static int find_parameter(joiner* join, const double* parameter) {
  vida_motion_tape* motion = join->motion;
  for (int k = 0; k < join->parameter_count; k++) {
    if (motion->parameters[k] == parameter) {
      return vida__graph_input(join->graph, VIDA_INPUT_PARAMETER, k);
    }
  }
  if (vida__reserve((void**)&motion->parameters, &join->parameter_capacity,
                    (size_t)join->parameter_count + 1, sizeof(const double*))) {
    return VIDA_OUT_OF_MEMORY;
  }
  motion->parameters[join->parameter_count] = parameter;
  return vida__graph_input(join->graph, VIDA_INPUT_PARAMETER, join->parameter_count++);
}

/* Returns the node of an input of an instance, or a negative code. */
static int find_input(joiner* join, vida_tape_input input, const int* index,
                      const double* parameters) {
  switch (input.kind) {
    case VIDA_INPUT_POSITION:
    case VIDA_INPUT_VELOCITY:
      return vida__graph_input(join->graph, input.kind, index[input.index]);
    case VIDA_INPUT_SINE:
    case VIDA_INPUT_COSINE:
      return vida__graph_apply(
          join->graph, input.kind == VIDA_INPUT_SINE ? VIDA_OP_SIN : VIDA_OP_COS,
          vida__graph_input(join->graph, VIDA_INPUT_POSITION, index[input.index]), -1, -1);
    case VIDA_INPUT_TIME:
    case VIDA_INPUT_MOMENT:
      return vida__graph_input(join->graph, input.kind, 0);
    case VIDA_INPUT_PARAMETER:
      return find_parameter(join, parameters + input.index);
    default:
      return VIDA_BAD_ARGUMENT;
  }
}

/* Returns the node of an instruction, or a negative code. */
static int follow(const joiner* join, const vida_instruction* at) {
  const int a = join->node[at->operand[0]], b = join->node[at->operand[1]],
            c = join->node[at->operand[2]];
  switch (at->operation) {
    case VIDA_OP_POWER_INTEGER:
      return vida__graph_power(join->graph, a, at->number);
    case VIDA_OP_CONSTANT:
    case VIDA_OP_INPUT:
    case VIDA_OP_DIVIDED:
    case VIDA_OP_DIVIDED_TWICE:
      return VIDA_BAD_ARGUMENT;
    default:
      return vida__graph_apply(join->graph, (vida_operation)at->operation, a, b, c);
  }
}

/* Repeats a tape for an instance with these coordinates and parameters: finds the node of each
 * slot. */
static int repeat(joiner* join, const vida_tape* tape, const int* index, const double* parameters) {
  int node = 0;
  join->instruction_count += tape->instruction_count;
  if (join->instruction_count > MOST_INSTRUCTIONS) {
    return VIDA_BAD_ARGUMENT;
  }
  if (vida__reserve((void**)&join->node, &join->node_capacity, (size_t)tape->slot_count + 1,
                    sizeof *join->node)) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int k = 0; k < tape->input_count && node >= 0; k++) {
    node = join->node[k] = find_input(join, tape->inputs[k], index, parameters);
  }
  for (int k = 0; k < tape->constant_count && node >= 0; k++) {
    node = join->node[tape->input_count + k] =
        vida__graph_constant(join->graph, tape->constants[k]);
  }
  for (int k = 0; k < tape->instruction_count && node >= 0; k++) {
    node = follow(join, &tape->instructions[k]);
    join->node[tape->instructions[k].result] = node;
  }
  return node < 0 ? node : VIDA_SUCCESS;
}

/* A tape for all instances of a batch, its first `count` outputs, and where these go. */
typedef struct part {
  const vida_tape* tape;
  const vida_tape_place* place;
  const int* index;
  int width, instances, count;
  const int* target;   /* of instance i: target[i * stride + place_of[k]] */
  const int* place_of; /* NULL: target[i * stride + k] */
  int stride;
  bool keeps_zeros; /* they are stored, not added */
} part;

static int join_part(joiner* join, const part* from, output_range* range) {
  int code = VIDA_SUCCESS;
  range->first = join->output_count;
  for (int i = 0; i < from->instances && from->tape && !code; i++) {
    const double* parameters =
        from->place->parameters ? from->place->parameters + i * from->place->stride : NULL;
    code = repeat(join, from->tape, from->index + (size_t)i * (size_t)from->width, parameters);
    for (int k = 0; k < from->count && !code; k++) {
      const int node = join->node[from->tape->output_slot[k]];
      const int* target = from->target + (size_t)i * (size_t)from->stride;
      if (from->keeps_zeros || !vida__graph_is(join->graph, node, 0.0)) {
        code = add_output(join, node, target[from->place_of ? from->place_of[k] : k]);
      }
    }
  }
  range->count = join->output_count - range->first;
  return code;
}

static int join_term(joiner* join, const vida_term_batch* batch, batch_outputs* made) {
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const vida_tape* masses = traced->tape[VIDA_TAPE_MASS_BLOCK];
  const part force = {
      .tape = traced->tape[batch->kernel->bias ? VIDA_TAPE_BIAS : VIDA_TAPE_GRADIENT],
      .place = &batch->tape,
      .index = batch->index,
      .width = batch->width,
      .instances = batch->count,
      .count = batch->width,
      .target = batch->index,
      .stride = batch->width};
  part mass = force;
  mass.tape = masses ? masses : traced->mass_count > 0 ? traced->tape[VIDA_TAPE_SECOND] : NULL;
  mass.count = traced->mass_count;
  mass.target = batch->slot;
  mass.place_of = masses ? traced->mass_place : traced->second_place;
  mass.stride = traced->block_count;
  made->is_joined = true;
  const int code = join_part(join, &force, &made->vector);
  return code ? code : join_part(join, &mass, &made->matrix);
}

static int join_constraint(joiner* join, const vida_constraint_batch* batch, const int* numbers,
                           batch_outputs* made) {
  const vida_traced* traced = (const vida_traced*)batch->functions;
  const part entries = {.tape = traced->tape[VIDA_TAPE_GRADIENT],
                        .place = &batch->tape,
                        .index = batch->index,
                        .width = batch->width,
                        .instances = batch->count,
                        .count = batch->width,
                        .target = numbers + batch->first_entry,
                        .stride = batch->width,
                        .keeps_zeros = true};
  part bias = entries;
  bias.tape = traced->tape[VIDA_TAPE_BIAS];
  bias.count = 1;
  bias.target = batch->row;
  bias.stride = 1;
  bias.keeps_zeros = false;
  made->is_joined = true;
  const int code = join_part(join, &entries, &made->matrix);
  return code ? code : join_part(join, &bias, &made->vector);
}

static int join_batches(joiner* join) {
  vida_motion_tape* motion = join->motion;
  const VidaSystem* system = motion->system;
  int* numbers = vida__allocate((size_t)system->entry_count, sizeof *numbers);
  int code = numbers ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  for (int e = 0; e < system->entry_count && !code; e++) {
    numbers[e] = e;
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->functions && !batch->kernel->is_callback && !batch->kernel->is_reactive) {
      code = join_term(join, batch, &motion->terms[b]);
    }
  }
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (batch->functions && batch->kernel != &vida__callback_constraint) {
      code = join_constraint(join, batch, numbers, &motion->constraints[b]);
    }
  }
  free(numbers);
  return code;
}

/* Compiles the joined tapes. */
static int compile(joiner* join) {
  vida_motion_tape* motion = join->motion;
  int code =
      vida__tape_compile_turned(join->graph, join->output_count, join->output, &motion->tape);
  if (!code) {
    motion->work = vida__allocate(vida__tape_work_size(motion->tape), sizeof *motion->work);
    motion->out = vida__allocate((size_t)join->output_count, sizeof *motion->out);
    code = motion->work && motion->out ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  if (!code) {
    vida__tape_prepare(motion->tape, motion->work);
  }
  return code;
}

int vida__motion_tape_create(const VidaSystem* system, vida_motion_tape** motion) {
  joiner join = {0};
  *motion = join.motion = vida__allocate(1, sizeof *join.motion);
  if (!join.motion) {
    return VIDA_OUT_OF_MEMORY;
  }
  join.motion->system = system;
  join.motion->terms = vida__allocate((size_t)system->term_batch_count, sizeof(batch_outputs));
  join.motion->constraints =
      vida__allocate((size_t)system->constraint_batch_count, sizeof(batch_outputs));
  join.graph = vida__graph_create();
  int code = join.motion->terms && join.motion->constraints && join.graph ? VIDA_SUCCESS
                                                                          : VIDA_OUT_OF_MEMORY;
  code = code ? code : join_batches(&join);
  code = code || join.output_count == 0 ? code : compile(&join);
  if (code || join.output_count == 0) {
    vida__motion_tape_destroy(motion);
  }
  vida__graph_destroy(&join.graph);
  free(join.node);
  free(join.output);
  return code == VIDA_OUT_OF_MEMORY ? code : VIDA_SUCCESS;
}

void vida__motion_tape_destroy(vida_motion_tape** motion) {
  vida_motion_tape* old = *motion;
  if (!old) {
    return;
  }
  vida__tape_destroy(&old->tape);
  free(old->parameters);
  free(old->work);
  free(old->out);
  free(old->target);
  free(old->terms);
  free(old->constraints);
  free(old);
  *motion = NULL;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

int vida__motion_tape_run(vida_motion_tape* motion, const vida_place* at) {
  const vida_tape* tape = motion->tape;
  double* turns = at->tapes + motion->system->turn_place;
  double* restrict work = motion->work;
  for (int k = 0; k < tape->input_count; k++) {
    const vida_tape_input input = tape->inputs[k];
    switch (input.kind) {
      case VIDA_INPUT_POSITION:
        work[k] = at->q[input.index];
        break;
      case VIDA_INPUT_VELOCITY:
        work[k] = at->v[input.index];
        break;
      case VIDA_INPUT_SINE:
        work[k] = vida__find_turn(turns, at->q, input.index)[0];
        break;
      case VIDA_INPUT_COSINE:
        work[k] = vida__find_turn(turns, at->q, input.index)[1];
        break;
      case VIDA_INPUT_PARAMETER:
        work[k] = *motion->parameters[input.index];
        break;
      case VIDA_INPUT_MOMENT:
        work[k] = at->segment ? at->segment->moment : at->t;
        break;
      default:
        work[k] = at->t;
        break;
    }
  }
  return vida__tape_run(tape, work, motion->out, NULL);
}

static void add_outputs(const vida_motion_tape* motion, output_range range, double* to) {
  const double* out = motion->out + range.first;
  const int* target = motion->target + range.first;
  for (int k = 0; k < range.count; k++) {
    to[target[k]] += out[k];
  }
}

int vida__motion_tape_add_masses(const vida_motion_tape* motion, const vida_place* at,
                                 double* matrix) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const VidaSystem* system = motion->system;
  int code = VIDA_SUCCESS;
  for (int i = 0; i < system->coordinate_count; i++) {
    matrix[system->mass_slot[i]] += system->mass[i];
  }
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (motion->terms[b].is_joined) {
      add_outputs(motion, motion->terms[b].matrix, matrix);
    } else if (!batch->kernel->is_potential) {
      code = batch->kernel->hessian(batch, at, mass_only, matrix);
    }
  }
  return code;
}

int vida__motion_tape_jacobian(const vida_motion_tape* motion, const vida_place* at,
                               double* entries) {
  const VidaSystem* system = motion->system;
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    const output_range range = motion->constraints[b].matrix;
    if (motion->constraints[b].is_joined) { /* the entries of a batch are consecutive */
      memcpy(entries + batch->first_entry, motion->out + range.first,
             (size_t)range.count * sizeof *entries);
    } else {
      code = batch->kernel->jacobian(batch, at, entries + batch->first_entry);
    }
  }
  return code;
}

int vida__motion_tape_bias(const vida_motion_tape* motion, const vida_place* at, double* force,
                           double* bias, double* work) {
  const VidaSystem* system = motion->system;
  int code = VIDA_SUCCESS;
  memcpy(force, system->uniform_force, (size_t)system->coordinate_count * sizeof *force);
  memset(bias, 0, (size_t)system->row_count * sizeof *bias);
  for (int b = 0; b < system->term_batch_count && !code; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (motion->terms[b].is_joined) {
      add_outputs(motion, motion->terms[b].vector, force);
    } else {
      code = batch->kernel->bias ? batch->kernel->bias(batch, at, force)
                                 : batch->kernel->gradient(batch, at, force, work);
    }
  }
  for (int b = 0; b < system->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    if (motion->constraints[b].is_joined) {
      add_outputs(motion, motion->constraints[b].vector, bias);
    } else {
      code = batch->kernel->bias(batch, at, bias);
    }
  }
  return code;
}
