/* Lengths of a system itself, from its start: tests that are to give the same answer in all units
 * and at all places of space compare with these. */
#ifndef VIDA_SYSTEM_EVALUATE_OWN_SIZES_H
#define VIDA_SYSTEM_EVALUATE_OWN_SIZES_H

#include "system/evaluate/evaluate.h"

/* Where the points of a system are. The origin of space counts as one of them, unless it is far
 * away compared with their distances. */
typedef struct vida_extent {
  double length;    /* of the system; > 0 */
  double away;      /* the largest distance from the origin along an axis, if that is far; or 0 */
  double center[3]; /* the middle of the points, if the origin is far; or 0 */
  double rounding;  /* that of positions far from the origin, relative to the length; or 0 */
} vida_extent;

/* Computes size (n): how far coordinates may be moved before the system is another one. Points move
 * by the length of the system; quaternions, directions and angles by 1; others by the largest value
 * with their unit, or, if these are 0, as far as rows with known coordinates allow. `entries`
 * (nullable) are those of G in some state; `work` (n) is work space. */
void vida__find_own_sizes(const VidaSystem* system, const double* entries, double* work,
                          double* size, vida_extent* extent);

/* Computes sizes as vida__find_own_sizes does, with G at the given positions if it can be evaluated
 * there. `entries` and `work` (2 n) are work space. */
void vida__find_start_sizes(vida_evaluator* evaluator, double* entries, double* work, double* size,
                            vida_extent* extent);

/* Copies q (n) to `moved`; there, points are measured from the center. */
void vida__measure_from_center(const VidaSystem* system, const vida_extent* extent, const double* q,
                               double* moved);

#endif
