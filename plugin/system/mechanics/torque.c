/* Torques: generalized forces of a moment.
 *
 * Methods also evaluate forces at orientations that violate their constraints. There the angular
 * velocity is that of the nearest rotation. The forces on the coordinates then have exactly the
 * given moment, and a torque and its reaction do not change the total angular momentum. */
#include <string.h>
#include <vida/forces.h>

#include "base/error.h"
#include "system/mechanics/live_view.h"
#include "system/mechanics/pair.h"
#include "system/model/build.h"

enum { TURNING_MOST = 9 };

/* ---- forces of a moment on the coordinates of an orientation --------------------------------- */

/* Returns a = (tr(D) I - D)^-1 M, where D is the sum of d d^T over the unit vectors d. The forces a
 * x d on these vectors have the moment M. */
static vida_vector share_moment(vida_graph* graph, int count, const vida_vector* d,
                                vida_vector moment) {
  int trace = vida__graph_constant(graph, 0.0);
  vida_vector s[3], across[3];
  for (int i = 0; i < 3; i++) {
    s[i] = vida__vector_zero(graph, 3);
  }
  for (int n = 0; n < count; n++) {
    trace = vida__node_add(graph, trace, vida__vector_dot(graph, d[n], d[n]));
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        const int product = vida__node_multiply(graph, d[n].x[i], d[n].x[k]);
        s[i].x[k] = vida__node_subtract(graph, s[i].x[k], product);
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    s[i].x[i] = vida__node_add(graph, s[i].x[i], trace);
  }
  for (int i = 0; i < 3; i++) {
    across[i] = vida__vector_cross(graph, s[(i + 1) % 3], s[(i + 2) % 3]);
  }
  vida_vector sum = vida__vector_scale(graph, moment.x[0], across[0]);
  for (int i = 1; i < 3; i++) {
    const vida_vector part = vida__vector_scale(graph, moment.x[i], across[i]);
    sum = vida__vector_add(graph, sum, part);
  }
  const int determinant = vida__vector_dot(graph, s[0], across[0]);
  for (int i = 0; i < 3; i++) {
    sum.x[i] = vida__node_divide(graph, sum.x[i], determinant);
  }
  return sum;
}

static int turn_directors(const vida_view* view, int count, vida_vector moment, int* forces) {
  const vida_vector shared = share_moment(view->graph, count, view->d, moment);
  for (int n = 0; n < count; n++) {
    const vida_vector force = vida__vector_cross(view->graph, shared, view->d[n]);
    for (int i = 0; i < 3; i++) {
      forces[3 * n + i] = force.x[i];
    }
  }
  return 3 * count;
}

/* In the plane the force is M / |u|^2 times the vector u, turned to the left. */
static int turn_rod(const vida_view* view, vida_vector moment, int* forces) {
  vida_graph* graph = view->graph;
  const int square = vida__vector_dot(graph, view->d[0], view->d[0]);
  const int factor = vida__node_divide(graph, moment.x[0], square);
  const vida_vector left = vida__vector_perpendicular(graph, view->d[0]);
  const vida_vector force = vida__vector_scale(graph, factor, left);
  forces[0] = force.x[0];
  forces[1] = force.x[1];
  return 2;
}

/* With w = 2 q' q* / |q|^2 the forces are 2 (0, M) q / |q|^2. */
static int turn_quaternion(const vida_view* view, vida_vector moment, int* forces) {
  vida_graph* graph = view->graph;
  const vida_vector pure = {
      .count = 4, .x = {vida__graph_constant(graph, 0.0), moment.x[0], moment.x[1], moment.x[2]}};
  const vida_vector product = vida__quaternion_multiply(graph, pure, view->d[0]);
  const int square = vida__vector_dot(graph, view->d[0], view->d[0]);
  const int factor = vida__node_divide(graph, vida__graph_constant(graph, 2.0), square);
  const vida_vector force = vida__vector_scale(graph, factor, product);
  for (int i = 0; i < 4; i++) {
    forces[i] = force.x[i];
  }
  return 4;
}

/* Computes the forces on the coordinates of the orientation, and returns their number. */
static int find_forces(const vida_view* view, vida_vector moment, int* forces) {
  switch (view->frame.kind) {
    case VIDA_FRAME_PLANE:
      forces[0] = moment.x[0];
      return 1;
    case VIDA_FRAME_ROD:
      return turn_rod(view, moment, forces);
    case VIDA_FRAME_QUATERNION:
      return turn_quaternion(view, moment, forces);
    case VIDA_FRAME_DIRECTORS:
      return turn_directors(view, 3, moment, forces);
    case VIDA_FRAME_FLAT:
      return turn_directors(view, 2, moment, forces);
    default:
      return 0;
  }
}

/* ---- the moment ------------------------------------------------------------------------------ */

static int check_moment(const VidaSystem* system, const VidaTorque* torque, VidaError* error) {
  const int count = system->dimension == 3 && !torque->has_axis ? 3 : 1;
  for (int i = 0; i < count; i++) {
    if (!system->graph || torque->moment[i] < 0 || torque->moment[i] >= system->graph->count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "torque '%s': moment: this expression does not belong to system '%s'",
                        torque->name, system->name);
    }
  }
  const int code = vida__check_kind("torque", torque->name, "axes", (int)torque->axes,
                                    VIDA_TORQUE_SECOND, error);
  return !code && torque->has_axis && system->dimension == 3
             ? vida__check_unit_vector("torque", torque->name, "axis", torque->axis, 3, error)
             : code;
}

/* Converts a vector from the axes of the torque to the axes of space. */
static vida_vector turn_to_space(const VidaTorque* torque, const vida_view* views,
                                 vida_vector vector) {
  return torque->axes == VIDA_TORQUE_SPACE
             ? vector
             : vida__view_turn(&views[torque->axes == VIDA_TORQUE_SECOND], vector);
}

/* Converts a vector from the axes of the torque to those of the frame. */
static void to_frame(const VidaSystem* system, const VidaTorque* torque, const double* vector,
                     double turned[3]) {
  static const VidaEnd space = {.kind = VIDA_END_GROUND};
  const VidaEnd* end = torque->axes == VIDA_TORQUE_SPACE
                           ? &space
                           : &torque->ends[torque->axes == VIDA_TORQUE_SECOND];
  vida__end_direction(system, end, vector, turned);
}

/* Converts a vector of expressions to the axes of the frame. */
static vida_vector vector_to_frame(const VidaSystem* system, const VidaTorque* torque,
                                   vida_vector vector) {
  vida_graph* graph = system->graph;
  vida_vector sum = {0};
  bool differs = false;
  for (int i = 0; i < 3; i++) {
    const double unit[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
    double axis[3];
    to_frame(system, torque, unit, axis);
    const vida_vector constant = vida__constant_vector(graph, 3, axis);
    const vida_vector part = vida__vector_scale(graph, vector.x[i], constant);
    sum = i == 0 ? part : vida__vector_add(graph, sum, part);
    differs = differs || memcmp(axis, unit, sizeof axis) != 0;
  }
  return differs ? sum : vector;
}

static vida_vector find_moment(const VidaSystem* system, const VidaTorque* torque,
                               const vida_view* views) {
  vida_graph* graph = system->graph;
  const VidaExpression* given = torque->moment;
  if (system->dimension == 2) {
    return (vida_vector){.count = 1, .x = {given[0]}};
  }
  if (torque->has_axis) {
    double axis[3];
    to_frame(system, torque, torque->axis, axis);
    const vida_vector in_space =
        turn_to_space(torque, views, vida__constant_vector(graph, 3, axis));
    return vida__vector_scale(graph, given[0], in_space);
  }
  const vida_vector vector = {.count = 3, .x = {given[0], given[1], given[2]}};
  return turn_to_space(torque, views, vector_to_frame(system, torque, vector));
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int resolve_torque(VidaSystem* system, const VidaTorque* torque, vida_view views[2],
                          VidaError* error) {
  const int n = system->dimension;
  vida_instance instance = {0};
  double place[3];
  int code = vida__resolve_ends(system, "torque", torque->name, torque->ends, n == 1 ? 2 : n, false,
                                &instance, error);
  if (!code && vida__frame_count(&instance.frame[0]) + vida__frame_count(&instance.frame[1]) == 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "torque '%s': all its ends are fixed; at least one must move", torque->name);
  }
  code = code ? code : check_moment(system, torque, error);
  for (int i = 0; i < 2 && !code; i++) {
    views[i].frame = instance.frame[i];
    if (n == 3 || views[i].frame.kind == VIDA_FRAME_ROD) {
      code = vida__live_view(system, &torque->ends[i], &views[i], place, error);
    }
  }
  return code;
}

int VidaSystem_AddTorque(VidaSystem* system, const VidaTorque* torque, VidaError* error) {
  vida_view views[2] = {{0}};
  int coordinates[2 * TURNING_MOST], forces[2 * TURNING_MOST];
  int count = 0;
  if (VIDA_REFUSE_NULL(error, system, torque)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = resolve_torque(system, torque, views, error);
  if (code) {
    return code;
  }
  vida_vector moment = find_moment(system, torque, views);
  for (int end = 0; end < 2; end++) {
    const vida_vector own = end == 0 && vida__frame_count(&views[0].frame) > 0
                                ? vida__vector_negate(system->graph, moment)
                                : moment;
    const int turning = find_forces(&views[end], own, forces + count);
    for (int i = 0; i < turning; i++) {
      coordinates[count + i] = views[end].frame.first + system->dimension + i;
    }
    count += turning;
  }
  for (int i = 0; i < count; i++) {
    if (forces[i] < 0) {
      return vida__fail(error, forces[i], "torque '%s': its forces could not be built: %s",
                        torque->name, Vida_CodeText(forces[i]));
    }
  }
  return VidaSystem_AddExpressionForce(system, torque->name, count, coordinates, forces, error);
}
