/* Rolling disks and knife edges: velocity rows. */
#include <math.h>
#include <vida/forces.h>

#include "base/error.h"
#include "base/text.h"
#include "system/mechanics/pair.h"
#include "system/mechanics/rotation.h"
#include "system/model/build.h"

/* Finds the frame of the body on which a contact acts. Its directions must have at least
 * `turn_count` components. */
static int resolve_body(const VidaSystem* system, const char* kind, const char* name,
                        const VidaEnd* end, int turn_count, vida_instance* instance,
                        double place[3], VidaError* error) {
  vida_frame* frame = &instance->frame[0];
  int code = vida__check_addition(system, kind, name, error);
  instance->key = instance->title = kind;
  instance->name = name;
  instance->frame_count = 1;
  code = code ? code : vida__end_frame(system, kind, name, "body", end, frame, place, error);
  if (!code && frame->kind == VIDA_FRAME_GROUND) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': the ground does not move; expected a body", kind, name);
  }
  if (!code && vida__frame_turn_count(frame) < turn_count) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': '%s' has no such orientation; expected a rigid body", kind, name,
                      vida__end_name(system, end));
  }
  return code;
}

static int check_unit(const vida_instance* instance, const char* key, const double* vector,
                      int count, VidaError* error) {
  return vida__check_unit_vector(instance->title, instance->name, key, vector, count, error);
}

/* ---- rolling --------------------------------------------------------------------------------- */

/* Returns n . r minus the height. */
static int height_of_centre(vida_trace* trace, vida_vector normal) {
  const int along = vida__vector_dot(trace->graph, normal, trace->view[0].origin);
  return vida__node_subtract(trace->graph, along, vida__trace_number(trace, "height"));
}

/* Returns sqrt(1 - c^2). */
static int sine_of(vida_graph* graph, int cosine) {
  const int square = vida__node_square(graph, cosine);
  return vida__node_sqrt(graph,
                         vida__node_subtract(graph, vida__graph_constant(graph, 1.0), square));
}

/* The lowest point of a thin disk of radius r is at r e from its centre, with e = -(n - (n.a) a) /
 * sqrt(1 - (n.a)^2), the axis a of the disk and the normal n of the plane. */
static int contact_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_vector normal = vida__trace_vector(trace, "normal");
  int depth = vida__trace_number(trace, "radius");
  if (trace->view[0].frame.dimension == 3) {
    const vida_vector axis = vida__view_turn(&trace->view[0], vida__trace_vector(trace, "axis"));
    const int cosine = vida__vector_dot(graph, normal, axis);
    const int height = height_of_centre(trace, normal);
    depth = vida__node_multiply(graph, depth, sine_of(graph, cosine));
    rows[0] = (vida_trace_row){"contact", "m", vida__node_subtract(graph, height, depth)};
    return 1;
  }
  const int height = height_of_centre(trace, normal);
  rows[0] = (vida_trace_row){"contact", "m", vida__node_subtract(graph, height, depth)};
  return 1;
}

/* The velocity of the material of the disk at its lowest point is zero. */
static int rolling_rows_in_space(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_view* view = &trace->view[0];
  const vida_vector normal = vida__trace_vector(trace, "normal");
  const vida_vector axis = vida__view_turn(view, vida__trace_vector(trace, "axis"));
  const int cosine = vida__vector_dot(graph, normal, axis);
  const vida_vector along = vida__vector_scale(graph, cosine, axis);
  vida_vector lowest = vida__vector_subtract(graph, along, normal);
  const int sine = sine_of(graph, cosine);
  for (int i = 0; i < 3; i++) {
    lowest.x[i] = vida__node_divide(graph, lowest.x[i], sine);
  }
  const vida_vector turning = vida__vector_cross(graph, vida__view_spin(view), lowest);
  const vida_vector scaled =
      vida__vector_scale(graph, vida__trace_number(trace, "radius"), turning);
  const vida_vector slip = vida__vector_add(graph, view->origin_rate, scaled);
  const int first = vida__vector_dot(graph, vida__trace_vector(trace, "tangent1"), slip);
  const int second = vida__vector_dot(graph, vida__trace_vector(trace, "tangent2"), slip);
  rows[0] = (vida_trace_row){"rolling 1", "m/s", first};
  rows[1] = (vida_trace_row){"rolling 2", "m/s", second};
  return 2;
}

static int rolling_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_view* view = &trace->view[0];
  if (view->frame.dimension == 3) {
    return rolling_rows_in_space(trace, rows);
  }
  const vida_vector normal = vida__trace_vector(trace, "normal");
  const vida_vector across = {.count = 2,
                              .x = {normal.x[1], vida__node_negate(graph, normal.x[0])}};
  const int along = vida__vector_dot(graph, across, view->origin_rate);
  const int radius = vida__trace_number(trace, "radius");
  const int turning = vida__node_multiply(graph, radius, vida__view_spin(view).x[0]);
  rows[0] = (vida_trace_row){"rolling", "m/s", vida__node_add(graph, along, turning)};
  return 1;
}

int VidaSystem_AddRollingDisk(VidaSystem* system, const VidaRollingDisk* disk, VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = contact_rows,
                                                 .nonholonomic = rolling_rows};
  char text[VIDA_REAL_TEXT_SIZE];
  double place[3], tangent[2][3];
  vida_instance instance = {0};
  if (VIDA_REFUSE_NULL(error, system, disk)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int n = system->dimension;
  int code = resolve_body(system, "rolling disk", disk->name, &disk->body, n > 1 ? n : 2, &instance,
                          place, error);
  if (!code && !(disk->radius > 0.0 && isfinite(disk->radius))) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "rolling disk '%s': radius: expected a positive number, got %s", disk->name,
                      vida__shortest_text(text, disk->radius));
  }
  code = code ? code : check_unit(&instance, "normal", disk->normal, n, error);
  code = code ? code
              : vida__check_finite_value(instance.title, disk->name, "height", disk->height, error);
  if (!code && n == 3) {
    code = check_unit(&instance, "axis", disk->axis, n, error);
  }
  if (code) {
    return code;
  }
  vida__instance_number(&instance, "radius", disk->radius, 0);
  vida__instance_number(&instance, "height", disk->height, 0);
  vida__instance_vector(&instance, "normal", n, disk->normal);
  if (n == 3) {
    double axis[3];
    vida__end_direction(system, &disk->body, disk->axis, axis);
    Vida_DirectionAcross(disk->normal, tangent[0]);
    vida__cross(disk->normal, tangent[0], tangent[1]);
    vida__instance_vector(&instance, "axis", 3, axis);
    vida__instance_vector(&instance, "tangent1", 3, tangent[0]);
    vida__instance_vector(&instance, "tangent2", 3, tangent[1]);
  }
  return vida__add_instance(system, &instance, &formulas, error);
}

/* ---- knife edges ----------------------------------------------------------------------------- */

static int knife_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_view* view = &trace->view[0];
  const vida_vector blade = vida__view_turn(view, vida__trace_vector(trace, "blade"));
  const vida_vector across =
      vida__trace_has(trace, "normal")
          ? vida__vector_cross(graph, vida__trace_vector(trace, "normal"), blade)
          : vida__vector_perpendicular(graph, blade);
  const vida_vector rate = vida__view_point_rate(view, vida__trace_vector(trace, "place"));
  rows[0] = (vida_trace_row){NULL, "m/s", vida__vector_dot(graph, across, rate)};
  return 1;
}

int VidaSystem_AddKnifeEdge(VidaSystem* system, const VidaKnifeEdge* edge, VidaError* error) {
  static const vida_pattern_formulas formulas = {.nonholonomic = knife_rows};
  double place[3], blade[3];
  vida_instance instance = {0};
  if (VIDA_REFUSE_NULL(error, system, edge)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int n = system->dimension;
  int code = resolve_body(system, "knife edge", edge->name, &edge->end, n == 3 ? 1 : 2, &instance,
                          place, error);
  const int count = code ? 0 : vida__frame_turn_count(&instance.frame[0]);
  code = code ? code : check_unit(&instance, "blade", edge->blade, count, error);
  if (!code && n == 3) {
    code = check_unit(&instance, "normal", edge->normal, n, error);
  }
  if (code) {
    return code;
  }
  vida__end_direction(system, &edge->end, edge->blade, blade);
  vida__instance_vector(&instance, "place", vida__frame_place_count(&instance.frame[0]), place);
  vida__instance_vector(&instance, "blade", count, blade);
  if (n == 3) {
    vida__instance_vector(&instance, "normal", 3, edge->normal);
  }
  return vida__add_instance(system, &instance, &formulas, error);
}
