#include "system/model/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "expr/discrete.h"
#include "system/model/build.h"

/* ---- ownership ------------------------------------------------------------------------------- */

static void free_matrix(vida_chart_matrix* matrix) {
  vida__tape_destroy(&matrix->tape);
  free(matrix->row);
  free(matrix->column);
  memset(matrix, 0, sizeof *matrix);
}

static void free_embedding(vida_chart* chart) {
  vida__tape_destroy(&chart->value);
  free_matrix(&chart->jacobian);
  free_matrix(&chart->discrete);
  chart->rows = 0;
}

void vida__chart_destroy(vida_chart** chart) {
  vida_chart* old = *chart;
  if (!old) {
    return;
  }
  free_embedding(old);
  for (int k = 0; k < old->count; k++) {
    free(old->coordinates[k].name);
  }
  free(old->coordinates);
  free(old);
  *chart = NULL;
}

const vida_chart* vida__chart_of(const VidaSystem* system) {
  return system && system->chart && system->chart->rows ? system->chart : NULL;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

static int check_coordinate(const VidaSystem* system, const char* name, double near,
                            VidaError* error) {
  const vida_chart* chart = system->chart;
  char got[VIDA_REAL_TEXT_SIZE];
  const int code = vida__check_addition(system, "chart coordinate", name, error);
  if (code) {
    return code;
  }
  if (!isfinite(near)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "chart coordinate '%s': near: expected a finite number, got %s", name,
                      vida__shortest_text(got, near));
  }
  if (chart && chart->rows) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "system '%s' already has a chart: the chart coordinate '%s' cannot be added",
                      system->name, name);
  }
  for (int k = 0; chart && k < chart->count; k++) {
    if (strcmp(chart->coordinates[k].name, name) == 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "there are two chart coordinates named '%s'",
                        name);
    }
  }
  return VIDA_SUCCESS;
}

int VidaSystem_AddChartCoordinate(VidaSystem* system, const char* name, double near,
                                  VidaExpression* expression, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, expression)) {
    return VIDA_BAD_ARGUMENT;
  }
  *expression = -1;
  int code = VIDA_REFUSE_NULL(error, system, name);
  code = code ? code : check_coordinate(system, name, near, error);
  if (code) {
    return code;
  }
  system->graph = system->graph ? system->graph : vida__graph_create();
  system->chart = system->chart ? system->chart : vida__allocate(1, sizeof *system->chart);
  vida_chart* chart = system->chart;
  if (!system->graph || !chart ||
      vida__reserve((void**)&chart->coordinates, &chart->capacity, (size_t)chart->count + 1,
                    sizeof *chart->coordinates)) {
    return vida__fail_memory(error);
  }
  const int node = vida__graph_input(system->graph, VIDA_INPUT_AUXILIARY, chart->count);
  vida_chart_coordinate* added = &chart->coordinates[chart->count];
  added->name = vida__copy_text(name);
  if (node < 0 || !added->name) {
    free(added->name);
    added->name = NULL;
    return vida__fail_memory(error);
  }
  added->near = near;
  chart->count++;
  *expression = node;
  return VIDA_SUCCESS;
}

/* ---- the embedding --------------------------------------------------------------------------- */

/* Data for the derivation of an embedding. Comments give the lengths of lists. */
typedef struct embedding_work {
  VidaSystem* system;
  int count;     /* n */
  int* phi;      /* n: nodes by coordinate, first as given, then of POSITION inputs; -1: none */
  int* variable; /* d: nodes of the chart coordinates as POSITION inputs */
  bool* used;    /* number of nodes: whether the embedding needs the node */
  int* map;      /* number of nodes: copy of the node */
} embedding_work;

static void release(embedding_work* work) {
  free(work->phi);
  free(work->variable);
  free(work->used);
  free(work->map);
}

static const char* name_of_input(vida_input kind) {
  switch (kind) {
    case VIDA_INPUT_POSITION:
      return "the position of a coordinate of the system";
    case VIDA_INPUT_VELOCITY:
      return "a rate";
    case VIDA_INPUT_TIME:
      return "the time";
    default:
      return "something that is not a chart coordinate";
  }
}

/* Sorts the expressions by coordinate. Each coordinate must have exactly one. */
static int collect(embedding_work* work, const int* coordinates, const VidaExpression* expressions,
                   int count, VidaError* error) {
  const VidaSystem* system = work->system;
  for (int i = 0; i < work->count; i++) {
    work->phi[i] = -1;
  }
  for (int i = 0; i < count; i++) {
    const int at = coordinates[i];
    if (at < 0 || at >= work->count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "chart of system '%s': there is no coordinate "
                        "number %d",
                        system->name, at);
    }
    if (work->phi[at] >= 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "chart of system '%s': coordinate '%s' is given "
                        "twice",
                        system->name, system->coordinates[at].name);
    }
    if (expressions[i] < 0 || expressions[i] >= system->graph->count) {
      return vida__fail(
          error, VIDA_BAD_ARGUMENT,
          "chart of system '%s': the expression for coordinate '%s' does not belong to this system",
          system->name, system->coordinates[at].name);
    }
    work->phi[at] = expressions[i];
  }
  for (int i = 0; i < work->count; i++) {
    if (work->phi[i] < 0) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "chart of system '%s': coordinate '%s' is missing; an embedding gives "
                        "every coordinate as a function of the chart coordinates",
                        system->name, system->coordinates[i].name);
    }
  }
  return VIDA_SUCCESS;
}

/* Refuses inputs other than chart coordinates and parameters, and unused chart coordinates. */
static int check_inputs(embedding_work* work, VidaError* error) {
  const VidaSystem* system = work->system;
  const vida_graph* graph = system->graph;
  for (int i = 0; i < work->count; i++) {
    memset(work->used, 0, (size_t)graph->count * sizeof *work->used);
    work->used[work->phi[i]] = true;
    vida__graph_mark_used(graph, work->phi[i] + 1, work->used);
    for (int node = work->phi[i]; node >= 0; node--) {
      const vida_node* at = &graph->nodes[node];
      if (!work->used[node] || at->operation != VIDA_OP_INPUT) {
        continue;
      }
      if (at->number == VIDA_INPUT_AUXILIARY && at->operand[0] < system->chart->count) {
        work->map[at->operand[0]] = 1;
      } else if (at->number != VIDA_INPUT_PARAMETER) {
        return vida__fail(error, VIDA_BAD_ARGUMENT,
                          "chart of system '%s': '%s' depends on %s; an embedding is a function of "
                          "chart coordinates and parameters",
                          system->name, system->coordinates[i].name,
                          name_of_input((vida_input)at->number));
      }
    }
  }
  for (int k = 0; k < system->chart->count; k++) {
    if (work->map[k] != 1) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "chart of system '%s': nothing depends on its coordinate '%s'",
                        system->name, system->chart->coordinates[k].name);
    }
  }
  return VIDA_SUCCESS;
}

/* Replaces chart coordinates by positions, the inputs of discrete derivatives. */
static int replace_inputs(embedding_work* work) {
  vida_graph* graph = work->system->graph;
  const int size = graph->count;
  for (int i = 0; i < size; i++) {
    work->map[i] = -1;
  }
  for (int i = 0; i < work->count; i++) {
    work->phi[i] = vida__graph_replace(graph, work->phi[i], VIDA_INPUT_AUXILIARY,
                                       VIDA_INPUT_POSITION, size, work->map);
    if (work->phi[i] < 0) {
      return work->phi[i];
    }
  }
  for (int k = 0; k < work->system->chart->count; k++) {
    work->variable[k] = vida__graph_input(graph, VIDA_INPUT_POSITION, k);
    if (work->variable[k] < 0) {
      return work->variable[k];
    }
  }
  return VIDA_SUCCESS;
}

/* Compiles the matrix and takes over its lists. */
static int take_matrix(const vida_graph* graph, vida_entries* entries, vida_chart_matrix* matrix) {
  const int code = vida__tape_compile(graph, entries->count, entries->node, &matrix->tape);
  if (code) {
    return code;
  }
  matrix->count = entries->count;
  matrix->row = entries->row;
  matrix->column = entries->column;
  entries->row = entries->column = NULL;
  return VIDA_SUCCESS;
}

static int derive(embedding_work* work) {
  vida_graph* graph = work->system->graph;
  vida_chart* chart = work->system->chart;
  vida_entries entries = {0};
  vida_entries discrete = {0};
  int code = vida__tape_compile(graph, work->count, work->phi, &chart->value);
  code = code ? code
              : vida__derive_jacobian(graph, work->count, work->phi, chart->count, work->variable,
                                      &entries);
  code = code ? code : take_matrix(graph, &entries, &chart->jacobian);
  if (!code) {
    /* If phi has no discrete derivative (because it compares), differences are used instead. */
    code = vida__discrete_rows(graph, work->count, work->phi, chart->count, work->variable,
                               &discrete, NULL);
    code = code ? code : take_matrix(graph, &discrete, &chart->discrete);
    code = code == VIDA_NOT_SUPPORTED ? VIDA_SUCCESS : code;
  }
  vida__entries_free(&entries);
  vida__entries_free(&discrete);
  return code;
}

static int allocate(embedding_work* work) {
  /* check_inputs also uses the map, by chart coordinate; each of them is a node. */
  const size_t nodes = (size_t)work->system->graph->count;
  work->phi = vida__allocate((size_t)work->count, sizeof *work->phi);
  work->variable = vida__allocate((size_t)work->system->chart->count, sizeof *work->variable);
  work->used = vida__allocate(nodes, sizeof *work->used);
  work->map = vida__allocate(nodes, sizeof *work->map);
  return work->phi && work->variable && work->used && work->map ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int VidaSystem_AddChart(VidaSystem* system, int count, const int* coordinates,
                        const VidaExpression* embedding, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, coordinates, embedding)) {
    return VIDA_BAD_ARGUMENT;
  }
  embedding_work work = {.system = system, .count = system->coordinate_count};
  int code = vida__check_addition(system, "chart", "chart", error);
  if (code) {
    return code;
  }
  if (!system->chart || system->chart->count == 0) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "chart of system '%s': it has no coordinates yet (AddChartCoordinate)",
                      system->name);
  }
  if (system->chart->rows) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' already has a chart", system->name);
  }
  if (system->chart->count > work.count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "chart of system '%s': it has %d coordinates, more than the %d of the system",
                      system->name, system->chart->count, work.count);
  }
  code = allocate(&work);
  if (code) {
    release(&work);
    return vida__fail_memory(error);
  }
  code = collect(&work, coordinates, embedding, count, error);
  code = code ? code : check_inputs(&work, error);
  if (!code) {
    code = replace_inputs(&work);
    code = code ? code : derive(&work);
    if (code) {
      code = code == VIDA_OUT_OF_MEMORY
                 ? vida__fail_memory(error)
                 : vida__fail(error, code,
                              "chart of system '%s': its derivatives could not be formed: %s",
                              system->name, Vida_CodeText(code));
    }
  }
  release(&work);
  if (code) {
    free_embedding(system->chart);
    return code;
  }
  system->chart->rows = system->coordinate_count;
  return VIDA_SUCCESS;
}

int VidaSystem_ChartCoordinateCount(const VidaSystem* system) {
  const vida_chart* chart = vida__chart_of(system);
  return chart ? chart->count : 0;
}

const char* VidaSystem_ChartCoordinateName(const VidaSystem* system, int coordinate) {
  const vida_chart* chart = vida__chart_of(system);
  return chart && coordinate >= 0 && coordinate < chart->count ? chart->coordinates[coordinate].name
                                                               : NULL;
}

/* ---- evaluating ------------------------------------------------------------------------------ */

static size_t tape_size(const vida_tape* tape) {
  return tape ? vida__tape_work_size(tape) : 0;
}

size_t vida__chart_work_size(const vida_chart* chart) {
  return tape_size(chart->value) + tape_size(chart->jacobian.tape) +
         tape_size(chart->discrete.tape) + (size_t)chart->discrete.count;
}

static double* begin_tape(const vida_tape* tape, double* memory) {
  if (tape) {
    vida__tape_prepare(tape, memory);
  }
  return memory + tape_size(tape);
}

void vida__chart_work_begin(const VidaSystem* system, double* memory, vida_chart_work* work) {
  const vida_chart* chart = system->chart;
  work->chart = chart;
  work->parameters = system->parameter_values;
  work->value = memory;
  work->jacobian = begin_tape(chart->value, work->value);
  work->discrete = begin_tape(chart->jacobian.tape, work->jacobian);
  work->entries = begin_tape(chart->discrete.tape, work->discrete);
}

static int run_tape(const vida_chart_work* work, const vida_tape* tape, const double* x0,
                    const double* x1, double* memory, double* output, VidaError* error) {
  const double* inputs[VIDA_INPUT_KINDS] = {0};
  vida_fault fault;
  inputs[VIDA_INPUT_POSITION] = x0;
  inputs[VIDA_INPUT_SECOND_POSITION] = x1;
  inputs[VIDA_INPUT_PARAMETER] = work->parameters;
  if (vida__tape_evaluate(tape, inputs, memory, output, &fault)) {
    return vida__fail(error, VIDA_NOT_FINITE, "the embedding of the chart: %s", fault.reason);
  }
  return VIDA_SUCCESS;
}

int vida__chart_value(const vida_chart_work* work, const double* x, double* q, VidaError* error) {
  return run_tape(work, work->chart->value, x, NULL, work->value, q, error);
}

int vida__chart_jacobian(const vida_chart_work* work, const double* x, double* entries,
                         VidaError* error) {
  return run_tape(work, work->chart->jacobian.tape, x, NULL, work->jacobian, entries, error);
}

static void multiply(const vida_chart_matrix* matrix, int rows, const double* entries,
                     const double* s, double* v) {
  memset(v, 0, (size_t)rows * sizeof *v);
  for (int e = 0; e < matrix->count; e++) {
    v[matrix->row[e]] += entries[e] * s[matrix->column[e]];
  }
}

int vida__chart_increment(const vida_chart_work* work, const double* x0, const double* x1,
                          const double* s, double h, const double* q0, double* w,
                          VidaError* error) {
  const vida_chart* chart = work->chart;
  if (chart->discrete.tape) {
    const int code =
        run_tape(work, chart->discrete.tape, x0, x1, work->discrete, work->entries, error);
    if (!code) {
      multiply(&chart->discrete, chart->rows, work->entries, s, w);
    }
    return code;
  }
  const int code = vida__chart_value(work, x1, w, error);
  for (int i = 0; i < chart->rows && !code; i++) {
    w[i] = (w[i] - q0[i]) / h;
  }
  return code;
}

void vida__chart_push(const vida_chart* chart, const double* entries, const double* s, double* v) {
  multiply(&chart->jacobian, chart->rows, entries, s, v);
}

void vida__chart_pull(const vida_chart* chart, const double* entries, const double* a, double* r) {
  const vida_chart_matrix* jacobian = &chart->jacobian;
  memset(r, 0, (size_t)chart->count * sizeof *r);
  for (int e = 0; e < jacobian->count; e++) {
    r[jacobian->column[e]] += entries[e] * a[jacobian->row[e]];
  }
}
