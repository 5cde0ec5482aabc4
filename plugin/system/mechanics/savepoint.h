/* Savepoints: if a later part of an addition fails, the earlier parts are removed. */
#ifndef VIDA_SYSTEM_MECHANICS_SAVEPOINT_H
#define VIDA_SYSTEM_MECHANICS_SAVEPOINT_H

#include "system/model/model.h"

/* The contents of a system at some point of its construction. */
typedef struct vida_savepoint {
  int coordinates, particles, motions, rows, links, instances, lines, points;
  bool only_potentials, nonholonomic, time_dependent;
} vida_savepoint;

vida_savepoint vida__savepoint(const VidaSystem* system);
/* Removes the coordinates, particles and motions that were added since, the terms and rows that act
 * on these coordinates, and the lines of the drawing. Terms of older coordinates stay. */
void vida__return_to(VidaSystem* system, const vida_savepoint* savepoint);

#endif
