/* What a system looks like: lines through points that move with it, for pictures and animations.
 *
 * Particles, and built-in springs and distances between them, are drawn without being told; lines
 * say what else there is to see: bodies, links, wheels. They have no part in the motion. */
#ifndef VIDA_DRAWING_H
#define VIDA_DRAWING_H

#include <vida/error.h>
#include <vida/expression.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a point is found from the coordinates. */
typedef enum VidaDrawnFrame {
  VIDA_DRAWN_SPACE,      /* fixed at `place` */
  VIDA_DRAWN_CENTRE,     /* at `centre` */
  VIDA_DRAWN_ANGLE,      /* at centre + R(angle) place, in the plane; the angle is `turn` */
  VIDA_DRAWN_QUATERNION, /* at centre + q place q* / |q|^2; q, scalar first, begins at `turn` */
  /* at centre + sum of place[i] d_i, `directions` vectors d_i from `turn` on; of two in space the
   * third is d_1 x d_2 */
  VIDA_DRAWN_DIRECTIONS,
  VIDA_DRAWN_FORMULA /* at `formula` */
} VidaDrawnFrame;

/* A point of a line. */
typedef struct VidaDrawnPoint {
  VidaDrawnFrame frame;      /* which of the following count */
  int centre;                /* first of `dimension` coordinates in a row, or -1: the origin */
  int turn;                  /* first coordinate of the orientation */
  int directions;            /* how many vectors: 1, 2 or 3 */
  double place[3];           /* m, in the axes of the frame */
  int components;            /* of the formula: 2 or 3 */
  VidaExpression formula[3]; /* m, in space */
} VidaDrawnPoint;

/* Adds a line through `count` points (>= 1; one point alone is drawn as a dot), straight between
 * them. name: what it is ("arm 1"); several lines may share it. style: "body", "rod", "spring",
 * "damper", or "line". Before VidaSystem_Complete. Fails with VIDA_BAD_ARGUMENT for coordinates or
 * expressions that the system does not have, and for formulas that mix the plane with space. */
int VidaSystem_AddLine(VidaSystem* system, const char* name, const char* style, int count,
                       const VidaDrawnPoint* points, VidaError* error);

/* Leaves out what is drawn so far under the name of a body, joint, rod, spring or line; lines that
 * are added afterwards are seen. Before VidaSystem_Complete. Fails with VIDA_BAD_ARGUMENT where
 * nothing has this name. */
int VidaSystem_HideLines(VidaSystem* system, const char* name, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
