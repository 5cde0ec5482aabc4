/* One tape for what the equations of motion need at a place: the masses L_vv, the forces without
 * accelerations, G and the terms of g'' without G a.
 *
 * The tapes of all terms and constraints given as expressions are joined. What they have in common,
 * such as the sines of sums of angles, is computed once, and inputs are collected once. Results are
 * those of the tapes, to the last bit. */
#ifndef VIDA_SYSTEM_TERMS_MOTION_TAPE_H
#define VIDA_SYSTEM_TERMS_MOTION_TAPE_H

#include "system/terms/traced.h"

typedef struct vida_motion_tape vida_motion_tape;

/* Joins the tapes of a completed system, which must outlive the result. *motion is NULL if nothing
 * is to be gained: without expressions, or with so many instances that lanes are faster. The caller
 * frees *motion with vida__motion_tape_destroy. Fails only without memory. */
int vida__motion_tape_create(const VidaSystem* system, vida_motion_tape** motion);
/* Frees the tape and sets *motion to NULL; NULL is allowed. */
void vida__motion_tape_destroy(vida_motion_tape** motion);

/* Evaluates the tape. Returns 0, or VIDA_NOT_FINITE, in which case the kernels find the reason. */
int vida__motion_tape_run(vida_motion_tape* motion, const vida_place* at);
/* Adds the masses at the place of the last evaluation to the KKT matrix. Kernels that the tape does
 * not contain are evaluated by this function and the following ones. */
int vida__motion_tape_add_masses(const vida_motion_tape* motion, const vida_place* at,
                                 double* matrix);
/* Stores the entries of G. */
int vida__motion_tape_jacobian(const vida_motion_tape* motion, const vida_place* at,
                               double* entries);
/* Computes force (n) and bias (m) as vida__motion_bias does; `work` (n) is work space. */
int vida__motion_tape_bias(const vida_motion_tape* motion, const vida_place* at, double* force,
                           double* bias, double* work);

#endif
