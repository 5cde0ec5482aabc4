/* Mechanisms in space whose hinges say more than is needed, built from expressions. */
#ifndef VIDA_TEST_MECHANISM_H
#define VIDA_TEST_MECHANISM_H

#include <vida/expression.h>
#include <vida/vida.h>

/* A door: a plate of 20 kg and width 1 m on hinges whose axis is tilted by 10 degrees from the
 * vertical, opened by 60 degrees from its lowest place, at rest. 12 coordinates: its centre and
 * three directors (d1 across, d3 along the axis), 6 rows that keep those orthonormal and 5 rows
 * for each hinge. */
typedef struct Door {
  int hinges;        /* 1 or 2 */
  double shift[3];   /* of the second hinge on the frame: along d1, d2 and the axis */
  double opened;     /* rad */
  bool hinges_first; /* rows of the hinges before those of the directors */
} Door;

enum { DOOR_COORDINATES = 12, DOOR_ROWS = 16 };
VidaSystem* mechanism_door(const Door* door);
/* Angle from the lowest place and its rate. */
double mechanism_door_angle(const double* q);
double mechanism_door_rate(const double* q, const double* v);

/* A planar four-bar of three bodies in space (crank, coupler, rocker; ground 1.0, crank 0.5,
 * coupler 1.2, rocker 0.8 m) on four hinges of 5 rows each, in weightlessness. 18 coordinates: the
 * centre and Cardan angles of each body. `skip` rows are left out, by number (-1: none). The
 * bodies' places are free but for the crank's angle, with guesses from crank, coupler and rocker
 * angles. */
enum { FOUR_BAR_COORDINATES = 18, FOUR_BAR_ROWS = 20 };
VidaSystem* mechanism_four_bar(const double angle[3], const int skip[3]);

#endif
