/* Steps of an ensemble: which motions share them, and what their steppers do before and after. */
#include "stepper/ensemble.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/ensemble_lanes.h"
#include "stepper/frame.h"

struct vida_ensemble {
  vida_step_lanes* lanes;
  /* Of the last steps: their number, the lane of each motion, and its steps before. */
  long made;
  int lane[VIDA_LANES];
  long before[VIDA_LANES];
};

/* Whether all parts of a step are those of ensemble_lanes.c. */
static bool has_form(const VidaIntegration* self) {
  const vida_distance_steps* own = self->implicit.distances;
  return VIDA_HAS_LANES && own && own->is_used && own->has_uniform_force &&
         own->matrix.is_tridiagonal && !own->kinsol && !self->implicit.form.begin &&
         !self->implicit.form.end && !self->implicit.form.is_mean && !self->one_step;
}

int vida__ensemble_create(const VidaStepper* stepper, vida_ensemble** ensemble, VidaError* error) {
  if (!has_form(&stepper->self)) {
    return VIDA_SUCCESS;
  }
  vida_ensemble* made = vida__allocate(1, sizeof *made);
  *ensemble = made;
  if (made) {
    made->lanes = vida__lanes_create(&stepper->self);
  }
  return made && made->lanes ? VIDA_SUCCESS : vida__fail_memory(error);
}

void vida__ensemble_destroy(vida_ensemble** ensemble) {
  vida_ensemble* old = *ensemble;
  if (old) {
    vida__lanes_destroy(old->lanes);
    free(old);
    *ensemble = NULL;
  }
}

/* Whether a motion has the constants of the first one. */
static bool is_alike(const VidaIntegration* a, const VidaIntegration* b) {
  return a->model.system == b->model.system && a->method == b->method && a->node.h == b->node.h &&
         *a->implicit.form.kappa == *b->implicit.form.kappa;
}

/* Steps before the sizes of the rows are measured anew, and g is evaluated. */
static long count_left(const VidaIntegration* self) {
  return VIDA_CALM_STEPS - self->node.step % VIDA_CALM_STEPS;
}

long vida__ensemble_steps(vida_ensemble* ensemble, VidaStepper* const* steppers, int count,
                          long most, vida_lane_result* results) {
  VidaIntegration* of[VIDA_LANES];
  int index[VIDA_LANES], taking = 0;
  bool is_made[VIDA_LANES];
  for (int k = 0; k < count; k++) {
    results[k] = VIDA_LANE_LEFT;
    VidaIntegration* self = &steppers[k]->self;
    if (has_form(self) && (taking == 0 || is_alike(of[0], self)) &&
        vida__begin_joint_steps(steppers[k])) {
      most = most < count_left(self) ? most : count_left(self);
      ensemble->lane[k] = taking;
      ensemble->before[k] = self->node.step;
      of[taking] = self;
      index[taking++] = k;
    }
  }
  ensemble->made = taking < 2 ? 0 : vida__lanes_steps(ensemble->lanes, of, taking, most, is_made);
  for (int j = 0; j < taking && ensemble->made > 0; j++) {
    if (is_made[j]) {
      VidaStepper* stepper = steppers[index[j]];
      vida__lanes_take(ensemble->lanes, j, ensemble->made, of[j]);
      results[index[j]] = vida__end_joint_steps(stepper, ensemble->made) ? VIDA_LANE_MADE
                          : ensemble->made == 1                          ? VIDA_LANE_REJECTED
                                                                         : VIDA_LANE_LEFT;
    }
  }
  return ensemble->made;
}

bool vida__ensemble_read(const vida_ensemble* ensemble, int k, long step,
                         const VidaStepper* stepper, vida_joint_node* node) {
  const VidaNode* at = &stepper->self.node;
  node->t = at->t0 + (double)(ensemble->before[k] + step + 1) * at->h;
  return vida__lanes_read(ensemble->lanes, ensemble->lane[k], step, node);
}

void vida__ensemble_show(vida_ensemble* ensemble, int k, long step, VidaStepper* stepper) {
  VidaNode* node = &stepper->self.node;
  vida__replace_node(stepper);
  vida__lanes_show(ensemble->lanes, ensemble->lane[k], step, &stepper->self);
  node->step = ensemble->before[k] + step + 1;
  node->lambda_t = node->t0 + (double)(node->step - 1) * node->h;
  stepper->values.is_known = vida__lanes_measured(ensemble->lanes, ensemble->lane[k], step,
                                                  &stepper->values, stepper->self.implicit.g_node);
  if (stepper->values
          .is_known) { /* velocities at the node are part of it where they are projected */
    stepper->self.implicit.has_g_node = stepper->has_node_velocity = true;
    memcpy(stepper->node_velocity, node->v, (size_t)stepper->self.model.n * sizeof *node->v);
  }
}

void vida__ensemble_end(vida_ensemble* ensemble, int k, long step, VidaStepper* stepper) {
  vida__lanes_uncount(ensemble->lanes, ensemble->lane[k], step, ensemble->made, &stepper->self);
  stepper->self.statistics.steps -= ensemble->made - 1 - step;
  vida__count_evaluations(&stepper->self);
}
