/* Drawings of systems: lines through points that move with the system, for animations.
 *
 * Particles, and the built-in springs and distances between them, are drawn automatically. Lines
 * add other shapes: bodies, links, wheels. They do not affect the motion. */
#ifndef VIDA_DRAWING_H
#define VIDA_DRAWING_H

#include <vida/error.h>
#include <vida/expression.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the position of a point follows from the coordinates. */
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

/* A point of a line. The members that count depend on `frame`. */
typedef struct VidaDrawnPoint {
  VidaDrawnFrame frame;      /* how its position is computed */
  int centre;                /* first of `dimension` coordinates in a row, or -1: the origin */
  int turn;                  /* first coordinate of the orientation */
  int directions;            /* how many vectors: 1, 2 or 3 */
  double place[3];           /* m, in the axes of the frame */
  int components;            /* of the formula: 2 or 3 */
  VidaExpression formula[3]; /* m, in space */
} VidaDrawnPoint;

/* Adds a polygonal line through `count` points (>= 1; a single point is drawn as a dot). `name` is
 * that of the drawn object ("arm 1"); several lines may share it. `style` is "body", "rod",
 * "spring", "damper" or "line". To be called before VidaSystem_Complete. Fails with
 * VIDA_BAD_ARGUMENT for coordinates or expressions that the system does not have, and for formulas
 * that mix two and three components. */
int VidaSystem_AddLine(VidaSystem* system, const char* name, const char* style, int count,
                       const VidaDrawnPoint* points, VidaError* error);

/* Hides all lines so far that have the name of a body, joint, rod, spring or line; lines that are
 * added afterwards are drawn. To be called before VidaSystem_Complete. Fails with VIDA_BAD_ARGUMENT
 * if nothing has this name. */
int VidaSystem_HideLines(VidaSystem* system, const char* name, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
