/* The power that changes the energy v L_v - L of a system. By the equations of motion
 *
 *     dE/dt = f v - R_v v - L_t + lambda g_t + alpha b,
 *
 * is the power of forces and dampers, of explicit time, and of moving constraints, with the
 * multipliers lambda of holonomic rows and alpha of nonholonomic rows A v + b. */
#ifndef VIDA_SYSTEM_POWER_H
#define VIDA_SYSTEM_POWER_H

#include "system/constraints/equations.h"

/* Flags: the sources of energy of a system. */
enum {
  VIDA_EXCHANGE_FORCES =
      1, /* forces that do work in some motion, unlike those orthogonal to all velocities */
  VIDA_EXCHANGE_TIME = 2,   /* a Lagrangian that depends on time */
  VIDA_EXCHANGE_DRIVES = 4, /* constraints with g_t, nonholonomic rows with b */
  VIDA_EXCHANGE_EVENTS = 8  /* events and contacts, which may change velocities */
};

/* Finds the sources of a system whose pattern is known and whose parameters have their values. For
 * formulas it examines their dependence; for forces and velocity rows given as C functions, it
 * evaluates them at arbitrary states. */
int vida__find_energy_sources(VidaSystem* system, VidaError* error);

typedef struct vida_power vida_power;

/* Creates the power of a system, which must outlive it. The caller frees *power with
 * vida__power_destroy. */
int vida__power_create(const VidaSystem* system, vida_power** power, VidaError* error);
/* Frees the power and sets *power to NULL; NULL is allowed. */
void vida__power_destroy(vida_power** power);
/* Finds the rows that depend on others at (t,q,v), as vida__equations_mark does. */
int vida__power_mark(vida_power* power, double t, const double* q, const double* v);
/* Computes dE/dt (W) at a state, with multipliers from the equations of motion, and writes it to
 * *energy_rate. a (n, nullable) receives the accelerations; NaN if the equations do not determine
 * them and the power does not need them. Returns 0, or the code of the failure. */
int vida__power_find(vida_power* power, double t, const double* q, const double* v,
                     double* energy_rate, double* a);
/* Computes the energy v L_v - L at a state. Returns 0, or the code of the failure. */
int vida__power_energy(vida_power* power, double t, const double* q, const double* v,
                       double* energy);

/* Visits the last factors of the equations and what later ones depend on. */
void vida__power_record(vida_power* power, VidaRecord* record);

#endif
