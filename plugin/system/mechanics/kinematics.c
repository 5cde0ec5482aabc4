/* Positions, directions and rates of ends as expressions of the system. */
#include <vida/kinematics.h>

#include "base/error.h"
#include "system/mechanics/live_view.h"
#include "system/model/build.h"

int vida__live_view(VidaSystem* system, const VidaEnd* end, vida_view* view, double place[3],
                    VidaError* error) {
  VidaExpression unused;
  int code = VidaSystem_Constant(system, 0.0, &unused, error); /* creates the graph */
  code = code ? code
              : vida__end_frame(system, "system", system->name, "end", end, &view->frame, place,
                                error);
  const int count = code ? 0 : vida__frame_count(&view->frame);
  for (int i = 0; i < count && !code; i++) {
    code = VidaSystem_Position(system, view->frame.first + i, &view->c[i], error);
  }
  for (int i = 0; i < count && !code; i++) {
    code = VidaSystem_Rate(system, view->frame.first + i, &view->v[i], error);
  }
  if (!code) {
    view->graph = system->graph;
    vida__view_begin(view);
  }
  return code;
}

vida_vector vida__constant_vector(vida_graph* graph, int count, const double* values) {
  vida_vector vector = {.count = count};
  for (int i = 0; i < count; i++) {
    vector.x[i] = vida__graph_constant(graph, values[i]);
  }
  return vector;
}

/* Writes the components of a vector to `components`. Fails if one of them is a code. */
static int give_vector(vida_vector vector, VidaExpression* components, VidaError* error) {
  for (int i = 0; i < vector.count; i++) {
    if (vector.x[i] < 0) {
      return vida__fail(error, vector.x[i], "an expression could not be built: %s",
                        Vida_CodeText(vector.x[i]));
    }
    components[i] = vector.x[i];
  }
  return VIDA_SUCCESS;
}

static vida_vector place_vector(const vida_view* view, const double* place) {
  return vida__constant_vector(view->graph, vida__frame_place_count(&view->frame), place);
}

int VidaSystem_EndPosition(VidaSystem* system, const VidaEnd* end, VidaExpression* position,
                           VidaError* error) {
  vida_view view = {0};
  double place[3];
  int code = VIDA_REFUSE_NULL(error, system, end, position);
  code = code ? code : vida__live_view(system, end, &view, place, error);
  return code ? code
              : give_vector(vida__view_point(&view, place_vector(&view, place)), position, error);
}

int VidaSystem_EndVelocity(VidaSystem* system, const VidaEnd* end, VidaExpression* velocity,
                           VidaError* error) {
  vida_view view = {0};
  double place[3];
  int code = VIDA_REFUSE_NULL(error, system, end, velocity);
  code = code ? code : vida__live_view(system, end, &view, place, error);
  return code ? code
              : give_vector(vida__view_point_rate(&view, place_vector(&view, place)), velocity,
                            error);
}

int VidaSystem_EndDirection(VidaSystem* system, const VidaEnd* end, const double* direction,
                            VidaExpression* vector, VidaError* error) {
  vida_view view = {0};
  double place[3];
  double given[3] = {0.0, 0.0, 0.0};
  double turned[3];
  int code = VIDA_REFUSE_NULL(error, system, end, direction, vector);
  code = code ? code : vida__live_view(system, end, &view, place, error);
  if (code) {
    return code;
  }
  const int count = vida__frame_turn_count(&view.frame);
  if (count == 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "particle '%s' has no orientation",
                      vida__end_name(system, end));
  }
  for (int i = 0; i < count; i++) {
    code = vida__check_finite_value("system", system->name, "direction", direction[i], error);
    if (code) {
      return code;
    }
    given[i] = direction[i];
  }
  vida__end_direction(system, end, given, turned);
  const vida_vector components = vida__constant_vector(view.graph, count, turned);
  return give_vector(vida__view_turn(&view, components), vector, error);
}

int VidaSystem_BodyAngularVelocity(VidaSystem* system, int body, VidaExpression* angular_velocity,
                                   VidaError* error) {
  const VidaEnd end = VidaEnd_Body(body, 0.0, 0.0, 0.0);
  vida_view view = {0};
  double place[3];
  int code = VIDA_REFUSE_NULL(error, system, angular_velocity);
  code = code ? code : vida__live_view(system, &end, &view, place, error);
  return code ? code : give_vector(vida__view_spin(&view), angular_velocity, error);
}

int VidaSystem_BodyAngle(VidaSystem* system, int body, VidaExpression* angle, VidaError* error) {
  const VidaEnd end = VidaEnd_Body(body, 0.0, 0.0, 0.0);
  vida_view view = {0};
  double place[3];
  int code = VIDA_REFUSE_NULL(error, system, angle);
  code = code ? code : vida__live_view(system, &end, &view, place, error);
  if (code) {
    return code;
  }
  vida_graph* graph = view.graph;
  vida_vector result = {.count = 1};
  if (view.frame.dimension != 2) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "body '%s': only bodies in the plane have an angle",
                      vida__end_name(system, &end));
  }
  if (view.frame.kind == VIDA_FRAME_ROD) {
    result.x[0] = vida__graph_apply(graph, VIDA_OP_ATAN2, view.d[0].x[1], view.d[0].x[0], -1);
  } else if (view.frame.kind == VIDA_FRAME_GROUND) {
    result.x[0] = vida__graph_constant(graph, vida__fixed_angle(system, body));
  } else {
    result.x[0] = vida__view_angle(&view);
  }
  return give_vector(result, angle, error);
}
