/* lgvi: the Lie group variational integrator of rigid bodies (Moser and Veselov 1991; Lee, Leok and
 * McClamroch 2007), without multipliers.
 *
 * The discrete Lagrangian takes R0^T (R1 - R0)/h for the rates, and potentials at both ends, half
 * each. A step is a kick of half the force at q0, a free flight, and a kick of half the force at
 * q1. In the flight the angular momentum in space stays, and each body turns by F = R0^T R1 with h
 * hat(Pi) = F Jd - Jd F^T,  Jd = tr(J)/2 - J,  Pi = R0^T pi. For the turn by the quaternion (1,
 * c)/sqrt(1 + c c), these are the three equations J c + c x J c = h/2 (1 + c c) Pi. Other
 * coordinates fly straight. */
#include "methods/rigid/lie.h"

#include "base/error.h"
#include "base/text.h"

/* ---- flight ---------------------------------------------------------------------------------- */

static int fail_turn(const VidaIntegration* self, const vida_lie_body* body, VidaError* error) {
  char step[VIDA_STEP_NAME_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "%s: the body of '%s' turns too far in a step; the step is "
                    "too large: try less than h = %s",
                    vida__name_step(self, step),
                    self->model.system->coordinates[body->coordinate[0]].name,
                    vida__real_text(h, vida__requested_step_size(self), 6));
}

static int fly(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    if (vida__lie_find_turn(self, &own->body[b], 1.0)) {
      return fail_turn(self, &own->body[b], error);
    }
    vida__lie_rotate(self, &own->body[b]);
  }
  for (int j = 0; j < own->others; j++) {
    const int i = own->other[j];
    const double w = (self->node.p[i] + self->node.p_low[i]) / own->mass[i];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->node.h * w);
  }
  return VIDA_SUCCESS;
}

/* ---- start and step -------------------------------------------------------------------------- */

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

static int create(VidaIntegration* self, VidaError* error) {
  self->implicit.prepare = vida__lie_prepare;
  self->series = (vida_step_series){make_series, vida__lie_keep_turns, vida__lie_take_back_turns};
  return vida__lie_create(self, false, error);
}

static int start(VidaIntegration* self, VidaError* error) {
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
  code = fly(self, error);
  if (code) {
    vida__lie_forget_turns(self);
    return code;
  }
  code = vida__lie_find_force(self, vida__next_time(self));
  if (code) {
    vida__lie_forget_turns(self);
    return vida__evaluation_failed(self, code, error);
  }
  own->has_force = true;
  vida__lie_kick(self);
  return VIDA_SUCCESS;
}

static int step(VidaIntegration* self, VidaError* error) {
  const int code = make_step(self, error);
  if (!code) {
    vida__lie_set_momenta(self);
  }
  return code;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__lgvi = {
    .size = sizeof(VidaMethod),
    .info = {"lgvi", "Lie group variational integrator of rigid bodies (discrete Moser-Veselov)",
             "Moser and Veselov 1991; Lee, Leok and McClamroch 2007",
             "Rigid bodies in space as unit quaternions about their centre of mass or a fixed "
             "point, without joints; potentials and forces of positions and time. A body must turn "
             "by less than about 1 rad per step, and the step must be below 2 over the largest "
             "frequency of the potential. The unit norm needs no constraint force; its multiplier "
             "is that of the equations of motion.",
             2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_RIGID_BODIES},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .undo = vida__lie_forget_turns,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers};
