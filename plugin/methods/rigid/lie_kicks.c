/* Steps of free rigid bodies: a kick of half the force at q0, a flight, in which the angular
 * momenta in space stay, and a kick of half the force at q1. Methods differ in the turns of the
 * flight; other coordinates fly straight. */
#include "base/error.h"
#include "base/text.h"
#include "methods/rigid/lie.h"

int vida__lie_fail_turn(const VidaIntegration* self, const vida_lie_body* body, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "%s: the body of '%s' turns too far in a step; the step is "
                    "too large: try less than h = %s",
                    vida__name_step(self, step),
                    self->model.system->coordinates[body->coordinate[0]].name,
                    vida__real_text(h, vida__requested_step_size(self), 6));
}

static void fly_straight(VidaIntegration* self) {
  const vida_lie_state* own = self->state;
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double w = (self->node.p[i] + self->node.p_low[i]) / own->mass[i];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->node.h * w);
  }
}

static int make_step(VidaIntegration* self, VidaError* error);

static int step_in_series(VidaIntegration* self) {
  VidaError unused;
  return make_step(self, &unused);
}

static long make_series(VidaIntegration* self, long most, bool* is_broken) {
  const long made = vida__make_series(self, most, step_in_series, is_broken);
  vida__lie_set_momenta(self);
  return made;
}

int vida__lie_create_kicked(VidaIntegration* self,
                            int (*fly)(VidaIntegration* self, VidaError* error), VidaError* error) {
  self->implicit.prepare = vida__lie_prepare;
  self->series = (vida_step_series){make_series, vida__lie_keep_turns, vida__lie_take_back_turns};
  const int code = vida__lie_create(self, 0, error);
  if (!code) {
    ((vida_lie_state*)self->state)->fly = fly;
  }
  return code;
}

int vida__lie_start_kicked(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = vida__lie_start(self, error);
  if (code) {
    return code;
  }
  own->has_force = false;
  code = vida__lie_find_force(self, self->node.t0);
  own->has_force = !code;
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Makes a step, but for the momenta of the bodies, which follow from the other numbers. */
static int make_step(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  int code = own->has_force ? 0 : vida__lie_find_force(self, vida__node_time(self));
  own->has_force = false;
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__lie_kick(self);
  code = own->fly(self, error);
  if (code) {
    vida__lie_forget_turns(self);
    return code;
  }
  fly_straight(self);
  code = vida__lie_find_force(self, vida__next_time(self));
  if (code) {
    vida__lie_forget_turns(self);
    return vida__evaluation_failed(self, code, error);
  }
  own->has_force = true;
  vida__lie_kick(self);
  return VIDA_SUCCESS;
}

int vida__lie_step_kicked(VidaIntegration* self, VidaError* error) {
  const int code = make_step(self, error);
  if (!code) {
    vida__lie_set_momenta(self);
  }
  return code;
}
