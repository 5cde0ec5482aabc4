/* lgvi: the Lie group variational integrator of rigid bodies (Moser and Veselov 1991; Lee, Leok and
 * McClamroch 2007), without multipliers.
 *
 * The discrete Lagrangian takes R0^T (R1 - R0)/h for the rates, and potentials at both ends, half
 * each: kicks and flights (lie_kicks.c). In a flight the angular momentum in space stays, and each
 * body turns by F = R0^T R1 with h hat(Pi) = F Jd - Jd F^T,  Jd = tr(J)/2 - J,  Pi = R0^T pi. For
 * the turn by the quaternion (1, c)/sqrt(1 + c c), these are the three equations J c + c x J c =
 * h/2 (1 + c c) Pi. */
#include "methods/rigid/lie.h"

#include "base/error.h"
#include "stepper/method_options.h"

/* ---- flight ---------------------------------------------------------------------------------- */

static int fly(VidaIntegration* self, VidaError* error) {
  vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    if (vida__lie_find_turn(self, &own->body[b], 1.0)) {
      return vida__lie_fail_turn(self, &own->body[b], error);
    }
    vida__lie_rotate(self, &own->body[b]);
  }
  return VIDA_SUCCESS;
}

/* ---- the method ------------------------------------------------------------------------------ */

static int create(VidaIntegration* self, VidaError* error) {
  return vida__lie_create_kicked(self, fly, error);
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__lgvi = {
    .size = sizeof(VidaMethod),
    .info =
        {"lgvi", "Lie group variational integrator of rigid bodies (discrete Moser-Veselov)",
         "Moser and Veselov 1991; Lee, Leok and McClamroch 2007",
         VIDA_LIE_KICKED_LIMITS
         "A body must turn by less than about 1 rad per step, and the step must be below 2 over "
         "the largest frequency of the potential. " VIDA_LIE_NORM_LIMITS,
         2, VIDA_LIE_KICKED_CAPABILITIES},
    .common = vida__linear_options,
    .options = options,
    .create = create,
    VIDA_LIE_KICKED_FUNCTIONS};
