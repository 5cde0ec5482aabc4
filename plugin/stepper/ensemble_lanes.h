/* The equations of calm steps in lanes: those of distance_equations.c, operation by operation. */
#ifndef VIDA_STEPPER_ENSEMBLE_LANES_H
#define VIDA_STEPPER_ENSEMBLE_LANES_H

#include "stepper/distance_state.h"
#include "stepper/ensemble.h"
#include "stepper/frame.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define VIDA_HAS_LANES 1
#else
#define VIDA_HAS_LANES 0
#endif

typedef struct vida_step_lanes vida_step_lanes;

/* Allocates the lanes of systems like that of the integration, with a tridiagonal matrix; NULL
 * without memory. The caller frees them with vida__lanes_destroy. */
vida_step_lanes* vida__lanes_create(const VidaIntegration* self);
/* Frees lanes; NULL is allowed. */
void vida__lanes_destroy(vida_step_lanes* lanes);
/* Computes up to `most` <= VIDA_CALM_STEPS calm steps of `count` <= VIDA_LANES integrations,
 * without changing them, and returns their number. Ends after a step that the watch of one of them
 * must look at. is_made[k]: the steps of k are calm. */
long vida__lanes_steps(vida_step_lanes* lanes, VidaIntegration* const* of, int count, long most,
                       bool* is_made);
/* Writes the state after the `made` steps, and the counts, to the integration `self`, number
 * `lane`, but for what vida__end_lane_steps writes. */
void vida__lanes_take(const vida_step_lanes* lanes, int lane, long made, VidaIntegration* self);
/* Writes positions, momenta, velocities, multipliers and what the method keeps of the step to the
 * integration, as they were after the step with the index `step`, from 0. */
void vida__lanes_show(const vida_step_lanes* lanes, int lane, long step, VidaIntegration* self);
/* Writes what the monitors of a run measure at this node, and g (m). Returns false if the lanes do
 * not measure it. */
bool vida__lanes_measured(const vida_step_lanes* lanes, int lane, long step, vida_node_values* to,
                          double* g);
/* Writes what monitors measure at this node, but for its time. Returns false if the lanes do not
 * measure it, or the positions are not finite. */
bool vida__lanes_read(const vida_step_lanes* lanes, int lane, long step, vida_joint_node* node);
/* Takes the counts of the steps after this one back. */
void vida__lanes_uncount(const vida_step_lanes* lanes, int lane, long step, long made,
                         VidaIntegration* self);

#endif
