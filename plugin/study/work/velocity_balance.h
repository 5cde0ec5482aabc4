/* The balance of velocities: whether the velocities of a run follow the accelerations of the
 * equations of motion.
 *
 * An adaptive method evaluates forces only at the ends and stages of its steps, and may step over a
 * short pulse of force. Its motion then satisfies all balances of a motion without the pulse. The
 * balance therefore compares the change of the velocities from node to node with the integral of
 * the accelerations along the interpolated motion, by Lobatto's rule of order six. The difference
 * of this integral to the trapezoidal rule shows how well the nodes resolve the accelerations. */
#ifndef VIDA_STUDY_WORK_VELOCITY_BALANCE_H
#define VIDA_STUDY_WORK_VELOCITY_BALANCE_H

#include "base/compensated_sum.h"
#include "base/state_record.h"
#include "system/model/model.h"

enum { VIDA_NOTED_DEFECTS = 6 };

/* The balance along a run. */
typedef struct vida_velocity_balance {
  int n; /* 0: no balance */
  const double*
      root_mass; /* n, of the stepper: square roots of masses, to compare speeds by energy */
  vida_sum *defect, *change; /* n each: change of velocities minus the integral; the integral */
  double* doubt;             /* n: estimated errors of the integrals */
  double* inner;             /* 2 n: accelerations at both inner points of a step */
  double scale;              /* the largest speed or change so far, in the mass norm */
  double largest;            /* the largest defect so far, less its estimated error */
  /* The newest large defects, each at least twice the one before it, and their times. */
  double t[VIDA_NOTED_DEFECTS], noted[VIDA_NOTED_DEFECTS];
} vida_velocity_balance;

/* Returns whether some force or potential depends on time. C functions count as depending on time.
 */
bool vida__has_timed_forces(const VidaSystem* system);
/* Allocates a balance. The caller frees it with vida__destroy_velocity_balance, also after a
 * failure. */
int vida__create_velocity_balance(const VidaSystem* system, vida_velocity_balance* balance,
                                  VidaError* error);
/* Frees a balance; it may be zero-initialized. */
void vida__destroy_velocity_balance(vida_velocity_balance* balance);
/* Processes a step of size h from the time t, with velocities and accelerations (n each) at both
 * ends and the inner accelerations in balance->inner. */
void vida__balance_velocities(vida_velocity_balance* balance, double t, double h, const double* v,
                              const double* a, const double* v_next, const double* a_next);
/* Visits a balance, which may be empty. */
void vida__velocity_balance_record(vida_velocity_balance* balance, VidaRecord* record);
/* Returns whether the steps missed forces: a defect is large compared with the motion, and its
 * energy exceeds `least` (J). */
bool vida__are_velocities_wrong(const vida_velocity_balance* balance, double least);
/* Returns the time since which the defect has been more than a small fraction of the largest. */
double vida__velocities_wrong_since(const vida_velocity_balance* balance);

#endif
