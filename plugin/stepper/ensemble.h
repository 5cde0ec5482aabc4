/* Calm steps (distance_steps.h) of several motions of one system at once.
 *
 * Each number of a step becomes a vector with one lane for each motion, and each lane makes the
 * operations of a step alone, in the same order. The states are therefore those of the motions
 * alone, bit for bit. A motion whose step is not calm, or whose checks fail, makes it alone. */
#ifndef VIDA_STEPPER_ENSEMBLE_H
#define VIDA_STEPPER_ENSEMBLE_H

#include <vida/stepper.h>

#include "system/model/model.h"

enum { VIDA_LANES = 4 };

typedef struct vida_ensemble vida_ensemble;

/* What became of the steps of a motion. */
typedef enum vida_lane_result {
  VIDA_LANE_LEFT,    /* nothing; the motion makes the next one alone */
  VIDA_LANE_MADE,    /* they were made and accepted */
  VIDA_LANE_REJECTED /* the checks have rejected one; the method makes it (vida__make_step) */
} vida_lane_result;

/* Creates an ensemble for motions with steppers like this one: of the same system, with the same
 * options. *ensemble remains NULL if their steps have another form, or the compiler has no vectors.
 * The caller frees it with vida__ensemble_destroy. */
int vida__ensemble_create(const VidaStepper* stepper, vida_ensemble** ensemble, VidaError* error);
/* Frees an ensemble and sets it to NULL; NULL is allowed. */
void vida__ensemble_destroy(vida_ensemble** ensemble);
/* Makes up to `most` steps of each of `count` <= VIDA_LANES started motions, where that is
 * possible, and returns their number. */
long vida__ensemble_steps(vida_ensemble* ensemble, VidaStepper* const* steppers, int count,
                          long most, vida_lane_result* results);
/* What the monitors of a run measure at a node. */
typedef struct vida_joint_node {
  double t;                  /* s */
  double energy, kinetic;    /* J; the kinetic energy as vida__kinetic_size does */
  double position, velocity; /* the largest |g| and |G v + g_t| */
  double momenta[VIDA_LARGEST_MOMENTUM_COUNT];
} vida_joint_node;
/* Reads a node without moving the motion there: that of motion k after the step with this index,
 * from 0. Returns false if it is not known, or the positions are not finite. */
bool vida__ensemble_read(const vida_ensemble* ensemble, int k, long step,
                         const VidaStepper* stepper, vida_joint_node* node);
/* Moves motion k, whose steps were made, to the node after the step with this index, from 0. After
 * the last index the motion can continue, after another one with vida__ensemble_end only end. */
void vida__ensemble_show(vida_ensemble* ensemble, int k, long step, VidaStepper* stepper);
/* Ends motion k at the node that has been shown last: the steps after it do not count. */
void vida__ensemble_end(vida_ensemble* ensemble, int k, long step, VidaStepper* stepper);

#endif
