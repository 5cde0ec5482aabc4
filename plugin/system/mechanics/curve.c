/* Points on curves and surfaces that are fixed in a body or in space. */
#include <vida/joints.h>

#include "base/error.h"
#include "system/mechanics/pair.h"
#include "system/model/build.h"

static const char* const title = "point on curve";

int VidaSystem_CurvePoint(VidaSystem* system, VidaExpression* components, VidaError* error) {
  VidaExpression unused;
  int code = VIDA_REFUSE_NULL(error, system, components);
  code = code ? code : VidaSystem_Constant(system, 0.0, &unused, error); /* creates the graph */
  for (int i = 0; !code && i < system->dimension; i++) {
    components[i] = vida__curve_input(system->graph, i);
    code = components[i] < 0 ? vida__fail_memory(error) : VIDA_SUCCESS;
  }
  return code;
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Adds the axes of the first end as parameters, unless they are those of its frame. */
static void add_axes(const VidaSystem* system, const VidaEnd* end, vida_instance* instance) {
  static const char* const names[] = {"axis1", "axis2", "axis3"};
  const int n = system->dimension;
  double axes[3][3];
  bool differs = false;
  for (int i = 0; i < n; i++) {
    const double unit[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    vida__end_direction(system, end, unit, axes[i]);
    for (int k = 0; k < n; k++) {
      differs = differs || axes[i][k] != unit[k];
    }
  }
  for (int i = 0; i < n && differs; i++) {
    vida__instance_vector(instance, names[i], n, axes[i]);
  }
}

/* Finds the frames, and adds the place of the point in the second frame and, if it is not zero,
 * that of the origin of the curve in the first frame. */
static int resolve_curve(const VidaSystem* system, const char* name, const VidaEnd ends[2],
                         vida_instance* instance, VidaError* error) {
  double place[3];
  vida_frame frame;
  int code = vida__resolve_ends(system, title, name, ends, 0, false, instance, error);
  if (!code && system->dimension == 1) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': there are no curves in dimension 1",
                      title, name);
  }
  if (!code && vida__frame_turn_count(&instance->frame[0]) < system->dimension) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': '%s' has no such orientation; expected a rigid body or the ground",
                      title, name, vida__end_name(system, &ends[0]));
  }
  code = code ? code
              : vida__end_frame(system, title, name, "first end", &ends[0], &frame, place, error);
  if (code) {
    return code;
  }
  const bool has_origin = place[0] != 0.0 || place[1] != 0.0 ||
                          (vida__frame_place_count(&frame) == 3 && place[2] != 0.0);
  if (has_origin) {
    vida__instance_vector(instance, "first", vida__frame_place_count(&frame), place);
  }
  add_axes(system, &ends[0], instance);
  code = vida__end_frame(system, title, name, "second end", &ends[1], &frame, place, error);
  if (!code) {
    vida__instance_vector(instance, "second", vida__frame_place_count(&frame), place);
  }
  return code;
}

/* Returns axis i of the first end in space. */
static vida_vector find_axis(const vida_trace* trace, int i) {
  static const char* const names[] = {"axis1", "axis2", "axis3"};
  const vida_view* view = &trace->view[0];
  vida_vector axis = vida__trace_vector(trace, names[i]);
  if (axis.count == 0) {
    axis = vida__vector_zero(trace->graph, view->frame.dimension);
    axis.x[i] = vida__graph_constant(trace->graph, 1.0);
  }
  return vida__view_turn(view, axis);
}

static vida_vector find_origin(const vida_trace* trace) {
  return vida__trace_has(trace, "first")
             ? vida__view_point(&trace->view[0], vida__trace_vector(trace, "first"))
             : trace->view[0].origin;
}

/* ---- formulas that vanish -------------------------------------------------------------------- */

static int curve_rows(vida_trace* trace, vida_trace_row* rows) {
  static const char* const names[] = {"1", "2"};
  const vida_vector point = vida__view_point(&trace->view[1], vida__trace_vector(trace, "second"));
  const vida_vector gap = vida__vector_subtract(trace->graph, point, find_origin(trace));
  const int count = trace->instance->expression_count;
  vida_vector components = {.count = gap.count};
  for (int i = 0; i < gap.count; i++) {
    components.x[i] = vida__vector_dot(trace->graph, find_axis(trace, i), gap);
  }
  trace->curve_point = components;
  for (int i = 0; i < count; i++) {
    rows[i] = (vida_trace_row){count > 1 ? names[i] : NULL, trace->instance->unit,
                               vida__trace_expression(trace, i)};
  }
  return count;
}

int VidaSystem_AddCurve(VidaSystem* system, const VidaCurve* curve, VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = curve_rows};
  if (VIDA_REFUSE_NULL(error, system, curve)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_instance instance = {.key = "curve", .unit = curve->unit ? curve->unit : ""};
  int code = resolve_curve(system, curve->name, curve->ends, &instance, error);
  if (!code && (curve->count < 1 || curve->count >= system->dimension)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': expected at most %d formulas, got %d",
                      title, curve->name, system->dimension - 1, curve->count);
  }
  code = code ? code : vida__check_unit(title, curve->name, curve->unit, error);
  for (int i = 0; !code && i < curve->count; i++) {
    code = vida__instance_expression(system, &instance, "formula", curve->formulas[i], error);
  }
  return code ? code : vida__add_instance(system, &instance, &formulas, error);
}

/* ---- places as functions of a coordinate ----------------------------------------------------- */

/* Returns the place of the point of the curve in the axes of the frame. */
static vida_vector find_place(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  vida_vector place = {.count = trace->instance->expression_count};
  for (int i = 0; i < place.count; i++) {
    place.x[i] = vida__trace_expression(trace, i);
  }
  if (!vida__trace_has(trace, "axis1")) {
    return place;
  }
  static const char* const names[] = {"axis1", "axis2", "axis3"};
  vida_vector sum = vida__vector_zero(graph, place.count);
  for (int i = 0; i < place.count; i++) {
    const vida_vector axis = vida__trace_vector(trace, names[i]);
    sum = vida__vector_add(graph, sum, vida__vector_scale(graph, place.x[i], axis));
  }
  return sum;
}

static int parametric_rows(vida_trace* trace, vida_trace_row* rows) {
  static const char* const names[] = {"x", "y", "z"};
  vida_graph* graph = trace->graph;
  const vida_vector place = find_place(trace);
  const vida_vector point = vida__view_point(&trace->view[1], vida__trace_vector(trace, "second"));
  const vida_vector gap = vida__vector_subtract(graph, point, find_origin(trace));
  const vida_vector turned = vida__view_turn(&trace->view[0], place);
  const vida_vector row = vida__vector_subtract(graph, gap, turned);
  for (int i = 0; i < row.count; i++) {
    rows[i] = (vida_trace_row){names[i], "m", row.x[i]};
  }
  return row.count;
}

int VidaSystem_AddParametricCurve(VidaSystem* system, const VidaParametricCurve* curve,
                                  VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = parametric_rows};
  if (VIDA_REFUSE_NULL(error, system, curve)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_instance instance = {.key = "parametric curve"};
  int code = resolve_curve(system, curve->name, curve->ends, &instance, error);
  for (int i = 0; !code && i < system->dimension; i++) {
    code = vida__instance_expression(system, &instance, "place", curve->place[i], error);
  }
  return code ? code : vida__add_instance(system, &instance, &formulas, error);
}
