/* What changes the energy of a system, v L_v - L: along the equations of motion
 *
 *     dE/dt = f v - R_v v - L_t + lambda g_t + alpha b,
 *
 * the power of forces and dampers, of what depends on time, and of constraints that move. */
#ifndef VIDA_SYSTEM_EVALUATE_POWER_H
#define VIDA_SYSTEM_EVALUATE_POWER_H

#include "system/evaluate/equations.h"

/* The sources of energy exchange of a system; values are added. */
enum {
  VIDA_EXCHANGE_FORCES =
      1, /* forces that do work in some motion: not those orthogonal to all velocities */
  VIDA_EXCHANGE_TIME = 2,  /* a Lagrangian that depends on time */
  VIDA_EXCHANGE_DRIVES = 4 /* constraints with g_t, nonholonomic rows with b */
};

/* Finds the sources of a system whose pattern is known and whose parameters have their values: from
 * formulas, and, for forces and rows of velocities given as C functions, from arbitrary states. */
int vida__find_exchange(VidaSystem* system, VidaError* error);

typedef struct vida_power vida_power;

/* The system must outlive it. */
int vida__power_create(const VidaSystem* system, vida_power** power, VidaError* error);
void vida__power_destroy(vida_power** power);
/* Finds the rows that depend on others at the start, as vida__equations_mark. */
int vida__power_mark(vida_power* power, double t, const double* q, const double* v);
/* Writes dE/dt at a state to *watts, with multipliers from the equations of motion there. a (n,
 * nullable): the accelerations; NaN if constraints and masses do not determine them and the power
 * does not need them. Returns 0, or the code of the failure. */
int vida__power_find(vida_power* power, double t, const double* q, const double* v, double* watts,
                     double* a);
/* *energy: v L_v - L at a state. 0, or why it has no value. */
int vida__power_energy(vida_power* power, double t, const double* q, const double* v,
                       double* energy);

#endif
