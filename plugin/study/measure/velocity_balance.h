/* Whether the velocities of a run follow the accelerations of the equations of motion.
 *
 * A method that chooses its steps sees forces at the ends and stages of these only, and steps over
 * an event in time that is shorter. Its motion then keeps all balances of a motion without the
 * event. From node to node the change of the velocities is therefore compared with the integral of
 * the accelerations along the interpolated motion, by Lobatto's rule of order six; the difference
 * of that to the trapezoidal rule says how well the nodes resolve them. */
#ifndef VIDA_STUDY_MEASURE_VELOCITY_BALANCE_H
#define VIDA_STUDY_MEASURE_VELOCITY_BALANCE_H

#include "study/measure/norms.h"
#include "system/model/model.h"

enum { VIDA_NOTED_DEFECTS = 6 };

typedef struct vida_velocity_balance {
  int n;                     /* 0: nothing is compared */
  const double* root_mass;   /* n, of the stepper: speeds count by energy */
  vida_sum *defect, *change; /* n each: of velocities without accelerations, and by these */
  double* doubt;             /* n: of the integrals */
  double* inner;             /* 2 n: accelerations at both places within a step */
  double scale;              /* the largest speed or change so far, in the mass norm */
  double largest;            /* the largest defect so far, less its doubt */
  /* The newest defects that were large, each at least twice the one before it, and their times. */
  double t[VIDA_NOTED_DEFECTS], noted[VIDA_NOTED_DEFECTS];
} vida_velocity_balance;

/* Whether some force or potential depends on time, or may do so: a C function. */
bool vida__has_timed_forces(const VidaSystem* system);
/* May be destroyed whatever has become of Create; a zeroed one too. */
int vida__create_velocity_balance(const VidaSystem* system, vida_velocity_balance* balance,
                                  VidaError* error);
void vida__destroy_velocity_balance(vida_velocity_balance* balance);
/* A step of size h from time t on: velocities (n) and accelerations (n) at both ends; those within
 * are in balance->inner. */
void vida__balance_velocities(vida_velocity_balance* balance, double t, double h, const double* v,
                              const double* a, const double* v_next, const double* a_next);
/* Whether forces were stepped over: a defect that is large beside the motion, and whose energy is
 * more than `least`. */
bool vida__velocities_are_off(const vida_velocity_balance* balance, double least);
/* Since when: as long as the defect was more than a small part of the largest. */
double vida__velocities_off_since(const vida_velocity_balance* balance);

#endif
