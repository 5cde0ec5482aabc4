#include "system/mechanics/shape.h"

#include <math.h>
#include <string.h>
#include <vida/drawing.h>

static VidaDrawnPoint point_of(const vida_frame* frame, const double place[3]) {
  static const VidaDrawnFrame frames[] = {[VIDA_FRAME_PLANE] = VIDA_DRAWN_ANGLE,
                                          [VIDA_FRAME_ROD] = VIDA_DRAWN_DIRECTIONS,
                                          [VIDA_FRAME_QUATERNION] = VIDA_DRAWN_QUATERNION,
                                          [VIDA_FRAME_DIRECTORS] = VIDA_DRAWN_DIRECTIONS,
                                          [VIDA_FRAME_FLAT] = VIDA_DRAWN_DIRECTIONS};
  static const int directions[] = {
      [VIDA_FRAME_ROD] = 1, [VIDA_FRAME_DIRECTORS] = 3, [VIDA_FRAME_FLAT] = 2};
  VidaDrawnPoint point = {.frame = frames[frame->kind],
                          .centre = frame->first,
                          .turn = frame->first + frame->dimension,
                          .directions = directions[frame->kind]};
  memcpy(point.place, place, sizeof point.place);
  return point;
}

int vida__draw_rod(VidaSystem* system, const char* name, const vida_frame* frame, double length,
                   VidaError* error) {
  const double tail[3] = {-0.5 * length}, head[3] = {0.5 * length};
  const VidaDrawnPoint points[2] = {point_of(frame, tail), point_of(frame, head)};
  return VidaSystem_AddLine(system, name, "body", 2, points, error);
}

/* A square with the side a has the moment m a^2 / 6. Its line begins at the centre, so that a
 * quarter turn is visible. */
int vida__draw_plane_body(VidaSystem* system, const char* name, const vida_frame* frame,
                          double mass, double inertia, VidaError* error) {
  enum { COUNT = 7 };
  static const double corner[COUNT][2] = {{0, 0},   {1, 0},  {1, 1}, {-1, 1},
                                          {-1, -1}, {1, -1}, {1, 0}};
  const double half = 0.5 * sqrt(6.0 * inertia / mass);
  VidaDrawnPoint points[COUNT];
  for (int i = 0; i < COUNT; i++) {
    const double place[3] = {half * corner[i][0], half * corner[i][1]};
    points[i] = point_of(frame, place);
  }
  return VidaSystem_AddLine(system, name, "inertia", COUNT, points, error);
}

/* Converts components to the axes of the frame. For directors, these are the principal axes. */
static void turn_to_frame(const vida_body* body, const double own[3], double place[3]) {
  for (int i = 0; i < 3; i++) {
    place[i] = body->has_axes ? body->axes[0][i] * own[0] + body->axes[1][i] * own[1] +
                                    body->axes[2][i] * own[2]
                              : own[i];
  }
}

/* A cuboid with the sides a, b and c has the moment m (b^2 + c^2) / 12 about the first. Its edges
 * are one line, which begins at the centre and marks the side to which the first axis points. */
int vida__draw_space_body(VidaSystem* system, const char* name, const vida_body* body, double mass,
                          const double moments[3], const double principal[3][3], VidaError* error) {
  enum { COUNT = 19 };
  static const double corner[COUNT][3] = {
      {0.5, 0.5, 0.5}, {1, 0.5, 0.5}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
      {0, 0, 0},       {0, 0, 1},     {1, 0, 1}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {1, 1, 0},
      {1, 1, 1},       {0, 1, 1},     {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
  const double sum = moments[0] + moments[1] + moments[2];
  VidaDrawnPoint points[COUNT];
  for (int i = 0; i < COUNT; i++) {
    double own[3] = {0.0}, place[3];
    for (int k = 0; k < 3; k++) {
      const double half = 0.5 * sqrt(fmax(6.0 * (sum - 2.0 * moments[k]) / mass, 0.0));
      for (int axis = 0; axis < 3; axis++) {
        own[axis] += principal[axis][k] * half * (2.0 * corner[i][k] - 1.0);
      }
    }
    turn_to_frame(body, own, place);
    points[i] = point_of(&body->frame, place);
  }
  return VidaSystem_AddLine(system, name, "inertia", COUNT, points, error);
}
