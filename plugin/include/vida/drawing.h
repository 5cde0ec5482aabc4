/* Drawings of systems for animations: lines through points that move with the system.
 *
 * Particles, the built-in springs and rods between them, and bodies are drawn automatically: rods
 * as lines, other bodies as the square or cuboid that has their mass and moments of inertia. Lines
 * add other shapes, such as links and wheels. They do not affect the motion. */
#ifndef VIDA_DRAWING_H
#define VIDA_DRAWING_H

#include <vida/error.h>
#include <vida/export.h>
#include <vida/expression.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The frame of a drawn point, which determines how its position depends on the coordinates. */
typedef enum VidaDrawnFrame {
  VIDA_DRAWN_SPACE,      /* fixed at `place` */
  VIDA_DRAWN_CENTRE,     /* at `centre` */
  VIDA_DRAWN_ANGLE,      /* in the plane at centre + R(angle) place; the angle is at `turn` */
  VIDA_DRAWN_QUATERNION, /* at centre + q place q* / |q|^2; q, scalar first, is at `turn` */
  /* at centre + sum of place[i] d_i; the `directions` vectors d_i are at `turn`. For two vectors in
   * space, the third is d_1 x d_2. */
  VIDA_DRAWN_DIRECTIONS,
  VIDA_DRAWN_FORMULA /* at `formula` */
} VidaDrawnFrame;

/* A point of a line. `frame` determines which of the other members are used. */
typedef struct VidaDrawnPoint {
  VidaDrawnFrame frame;      /* how its position is computed */
  int centre;                /* index of the first of `dimension` coordinates; -1: the origin */
  int turn;                  /* index of the first coordinate of the orientation */
  int directions;            /* number of vectors: 1, 2 or 3 */
  double place[3];           /* position in the axes of the frame, m */
  int components;            /* number of components of the formula: 2 or 3 */
  VidaExpression formula[3]; /* position in space, m */
} VidaDrawnPoint;

/* Adds a polygonal line through `count` points (>= 1; a single point is drawn as a dot). `name` is
 * the name of the drawn object ("arm 1"), which may have several lines. `style` is "body", "rod",
 * "spring", "damper" or "line". Fails with VIDA_BAD_ARGUMENT for coordinates or expressions that
 * the system does not have, and for formulas that mix two and three components; with
 * VIDA_WRONG_ORDER after VidaSystem_Complete. */
VIDA_API int VidaSystem_AddLine(VidaSystem* system, const char* name, const char* style, int count,
                                const VidaDrawnPoint* points, VidaError* error);

/* Hides the existing lines of the body, joint, rod, spring or line with this name; lines that are
 * added later are drawn. Fails with VIDA_BAD_ARGUMENT if nothing has this name; with
 * VIDA_WRONG_ORDER after VidaSystem_Complete. */
VIDA_API int VidaSystem_HideLines(VidaSystem* system, const char* name, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
