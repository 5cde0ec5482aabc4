/* Contacts of points with curves and surfaces that are given by a formula. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "expr/derivative.h"
#include "system/contacts/contacts.h"
#include "system/mechanics/live_view.h"
#include "system/mechanics/pair.h"

static const char* const title = "contact";

/* ---- formulas of the point in the axes of the curve ------------------------------------------ */

/* Returns the sum of the squares of all second derivatives of a function with this gradient. */
static int find_curvature(vida_graph* graph, int count, const int* point, const int* gradient) {
  vida_entries lower = {0};
  int sum = vida__derive_hessian(graph, count, point, gradient, &lower);
  sum = sum ? sum : vida__graph_constant(graph, 0.0);
  for (int i = 0; i < lower.count && sum >= 0; i++) {
    const int square = vida__node_square(graph, lower.node[i]);
    sum = vida__node_add(graph, sum, square);
    if (lower.row[i] != lower.column[i]) { /* twice in the matrix */
      sum = vida__node_add(graph, sum, square);
    }
  }
  vida__entries_free(&lower);
  return sum;
}

/* Returns the length (|f'|^4 + |f''|^2 f^2)^(1/4) that f is divided by. On the curve it is |f'|, so
 * that the gradient of the gap is the unit normal, whatever the formula, and its multiplier the
 * normal force. Far from the curve f'' keeps it positive where f' vanishes, as in the centre of a
 * circle. */
static int find_length(vida_graph* graph, const int* point, int f, vida_vector gradient) {
  const int steep = vida__vector_dot(graph, gradient, gradient);
  const int curved = find_curvature(graph, gradient.count, point, gradient.x);
  if (curved >= 0 && vida__graph_is(graph, curved, 0.0)) {
    return vida__node_sqrt(graph, steep);
  }
  const int bend = vida__node_multiply(graph, curved, vida__node_square(graph, f));
  const int fourth = vida__node_add(graph, vida__node_square(graph, steep), bend);
  return vida__node_sqrt(graph, vida__node_sqrt(graph, fourth));
}

/* Writes the gap and, for a contact with friction, the components of the unit tangents. Returns the
 * number of nodes, or a negative code. */
static int find_formulas(const VidaSystem* system, int f, int tangent_count, int* nodes) {
  vida_graph* graph = system->graph;
  const int n = system->dimension;
  int point[3];
  int count = 0;
  vida_vector normal = {.count = n}, tangents[VIDA_SLIP_MOST];
  for (int i = 0; i < n; i++) {
    point[i] = vida__curve_input(graph, i);
  }
  const int code = vida__derive_gradient(graph, f, n, point, normal.x);
  if (code) {
    return code;
  }
  const int length = find_length(graph, point, f, normal);
  nodes[count++] = vida__node_divide(graph, f, length);
  for (int i = 0; i < n; i++) {
    normal.x[i] = vida__node_divide(graph, normal.x[i], length);
  }
  if (tangent_count > 0) {
    vida__find_tangents(graph, normal, tangents);
  }
  for (int k = 0; k < tangent_count && k < VIDA_SLIP_MOST; k++) {
    for (int i = 0; i < n; i++) {
      nodes[count++] = tangents[k].x[i];
    }
  }
  for (int i = 0; i < count; i++) {
    if (nodes[i] < 0) {
      return nodes[i];
    }
  }
  return count;
}

/* ---- in expressions of the system ------------------------------------------------------------ */

/* Replaces the point of the curve by its components. */
typedef struct placing {
  vida_graph* graph;
  int count;
  int point[3], component[3];
  int* copy;
} placing;

static int place_node(void* data, int i) {
  const placing* work = data;
  int operand[3] = {-1, -1, -1};
  for (int k = 0; k < work->count; k++) {
    if (i == work->point[k]) {
      return work->component[k];
    }
  }
  const vida_node* node = &work->graph->nodes[i];
  const int arity = vida__operations[node->operation].arity;
  if (arity == 0) {
    return i;
  }
  for (int k = 0; k < arity; k++) {
    operand[k] = work->copy[node->operand[k]];
  }
  return vida__graph_rebuild(work->graph, i, operand);
}

static int place_formulas(VidaSystem* system, vida_vector component, int count, int* nodes) {
  placing work = {.graph = system->graph, .count = system->dimension};
  for (int i = 0; i < work.count; i++) {
    work.point[i] = vida__curve_input(system->graph, i);
    work.component[i] = component.x[i];
  }
  const int size = system->graph->count;
  bool* used = vida__allocate((size_t)size, sizeof *used);
  work.copy = vida__allocate((size_t)size, sizeof *work.copy);
  const int code = used && work.copy ? vida__graph_rewrite(system->graph, place_node, &work, size,
                                                           used, work.copy, count, nodes, nodes)
                                     : VIDA_OUT_OF_MEMORY;
  free(work.copy);
  free(used);
  return code;
}

/* Returns the components of the point in the axes of the first end, from its place. */
static vida_vector find_components(const VidaSystem* system, const VidaEnd* first,
                                   const vida_view views[2], double places[2][3]) {
  vida_graph* graph = system->graph;
  vida_vector place[2], component = {.count = system->dimension};
  for (int i = 0; i < 2; i++) {
    place[i] = vida__constant_vector(graph, vida__frame_place_count(&views[i].frame), places[i]);
  }
  const vida_vector gap = vida__vector_subtract(graph, vida__view_point(&views[1], place[1]),
                                                vida__view_point(&views[0], place[0]));
  for (int i = 0; i < component.count; i++) {
    const double unit[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    double turned[3];
    vida__end_direction(system, first, unit, turned);
    const vida_vector axis =
        vida__view_turn(&views[0], vida__constant_vector(graph, component.count, turned));
    component.x[i] = vida__vector_dot(graph, axis, gap);
  }
  return component;
}

/* Writes the rates of the components: the velocity of the point relative to the curve. */
static int find_rates(vida_graph* graph, vida_vector component, const vida_view views[2],
                      int* rates) {
  int variable[2 * VIDA_FRAME_MOST], direction[2 * VIDA_FRAME_MOST];
  int count = 0;
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < vida__frame_count(&views[i].frame); k++) {
      variable[count] = views[i].c[k];
      direction[count++] = views[i].v[k];
    }
  }
  for (int i = 0; i < component.count; i++) {
    if (component.x[i] < 0) {
      return component.x[i];
    }
  }
  return vida__derive_product(graph, component.count, component.x, count, variable, direction,
                              rates);
}

/* Writes the gap and the slip velocities of the contact. */
static int write_contact(VidaSystem* system, const VidaCurveContact* curve, VidaContact* contact,
                         VidaError* error) {
  const int n = system->dimension;
  vida_view views[2] = {{0}, {0}};
  double places[2][3];
  int nodes[1 + 3 * VIDA_SLIP_MOST], rates[3];
  int code = VIDA_SUCCESS;
  for (int i = 0; i < 2 && !code; i++) {
    code = vida__live_view(system, &curve->ends[i], &views[i], places[i], error);
  }
  if (code) {
    return code;
  }
  const vida_vector component = find_components(system, &curve->ends[0], views, places);
  code = find_rates(system->graph, component, views, rates);
  const int count = code ? code : find_formulas(system, curve->formula, contact->slip_count, nodes);
  code = count < 0 ? count : place_formulas(system, component, count, nodes);
  contact->gap = nodes[0];
  for (int k = 0; k < contact->slip_count && !code; k++) {
    int sum = vida__graph_constant(system->graph, 0.0);
    for (int i = 0; i < n; i++) {
      const int part = vida__node_multiply(system->graph, nodes[1 + n * k + i], rates[i]);
      sum = vida__node_add(system->graph, sum, part);
    }
    contact->slip[k] = sum;
    code = sum < 0 ? sum : VIDA_SUCCESS;
  }
  return code ? vida__fail(error, code, "contact '%s': %s", curve->name, Vida_CodeText(code))
              : VIDA_SUCCESS;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_ends(const VidaSystem* system, const VidaCurveContact* curve, VidaError* error) {
  vida_instance instance = {0};
  int code =
      vida__resolve_ends(system, title, curve->name, curve->ends, 0, false, &instance, error);
  if (!code && vida__frame_turn_count(&instance.frame[0]) < system->dimension) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': '%s' has no such orientation; expected a rigid body or the "
                      "ground",
                      curve->name, vida__end_name(system, &curve->ends[0]));
  }
  return code;
}

/* Refuses a formula that does not exist, that depends on rates, or not on the point. */
static int check_formula(const VidaSystem* system, const VidaCurveContact* curve,
                         VidaError* error) {
  const vida_graph* graph = system->graph;
  const int f = curve->formula;
  if (!graph || f < 0 || f >= graph->count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': formula: this expression does not belong to system '%s'",
                      curve->name, system->name);
  }
  bool* used = vida__allocate((size_t)f + 1, sizeof *used);
  if (!used) {
    return vida__fail_memory(error);
  }
  used[f] = true;
  vida__graph_mark_used(graph, f + 1, used);
  bool has_point = false, has_rate = false;
  for (int i = 0; i <= f; i++) {
    const vida_node* node = &graph->nodes[i];
    const bool is_input = used[i] && node->operation == VIDA_OP_INPUT;
    has_point = has_point || (is_input && node->number == VIDA_INPUT_AUXILIARY);
    has_rate = has_rate || (is_input && node->number == VIDA_INPUT_VELOCITY);
  }
  free(used);
  if (!has_point || has_rate) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "contact '%s': formula: expected a function of the point, got one that %s",
                      curve->name, has_rate ? "depends on a rate" : "does not depend on it");
  }
  return VIDA_SUCCESS;
}

int VidaSystem_AddCurveContact(VidaSystem* system, const VidaCurveContact* contact, int* index,
                               VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, contact)) {
    return VIDA_BAD_ARGUMENT;
  }
  VidaContact common = {.name = contact->name,
                        .restitution = contact->restitution,
                        .friction = contact->friction,
                        .slip_count = contact->friction != 0.0 ? system->dimension - 1 : 0};
  int code = vida__check_contact_dimension(system, contact->name, error);
  code = code ? code : vida__check_contact(system, &common, error);
  code = code ? code : check_ends(system, contact, error);
  code = code ? code : check_formula(system, contact, error);
  code = code ? code : write_contact(system, contact, &common, error);
  return code ? code : VidaSystem_AddContact(system, &common, index, error);
}
