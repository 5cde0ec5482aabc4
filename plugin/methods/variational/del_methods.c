/* The discrete Euler-Lagrange methods del-midpoint, del-endpoint, del-trapezoidal and
 * del-nonholonomic: their discrete Lagrangians and records. */
#include <math.h>

#include "methods/variational/del_step.h"
#include "stepper/method_options.h"

static const vida_discrete_lagrangian midpoint = {{1, {1.0, 0.0}, {0.5, 0.0}}, 0.0, false, false};
static const vida_discrete_lagrangian endpoint = {{1, {1.0, 0.0}, {1.0, 0.0}}, 0.5, false, false};
static const vida_discrete_lagrangian trapezoidal = {
    {2, {0.5, 0.5}, {0.0, 1.0}}, 0.0, false, false};

static int create_midpoint(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &midpoint, error);
}

static int create_trapezoidal(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &trapezoidal, error);
}

static int create_endpoint(VidaIntegration* self, VidaError* error) {
  return vida__del_create(self, &endpoint, error);
}

static int create_nonholonomic(VidaIntegration* self, VidaError* error) {
  const int code = vida__del_create(self, &midpoint, error);
  if (!code && VidaOptions_HasChoice(self->options, "rows", "endpoint")) {
    vida_variational_state* own = self->state;
    own->row_place = 1.0;
  }
  return code;
}

#define DEL_ROWS                                                                                 \
  {"start",                                                                                      \
   VIDA_OPTION_CHOICE,                                                                           \
   "",                                                                                           \
   0.0,                                                                                          \
   0.0,                                                                                          \
   1.0,                                                                                          \
   false,                                                                                        \
   "velocity|two-point",                                                                         \
   "Start of the first step: from the initial velocity, or from a second point, taken from the " \
   "reference run (as in the papers)."},                                                         \
  {                                                                                              \
    "energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",                    \
        "The reported energy: at nodes with the projected velocity, or in the middle of a step " \
        "with (q1 - q0)/h (as in the papers)."                                                   \
  }

const VidaOptionRow vida__del_options[] = {
    DEL_ROWS,
    VIDA_PLAN_ROW,
    VIDA_REDUCTION_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

/* The potential in the middle of a step depends on w, so the equations cannot be condensed. */
static const VidaOptionRow midpoint_options[] = {
    DEL_ROWS, VIDA_REDUCTION_ROW, {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow nonholonomic_options[] = {
    {"rows", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "midpoint|endpoint",
     "Where A w + b = 0 holds: in the middle of a step (symmetric, second order), or at its end "
     "(as in the paper, first order)."},
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",
     "The reported energy: at nodes with the projected velocity, or in the middle of a step with "
     "(q1 - q0)/h."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__del_midpoint = {
    .size = sizeof(VidaMethod),
    .info = {"del-midpoint", "discrete Euler-Lagrange equations, midpoint discrete Lagrangian",
             "Wendlandt and Marsden 1997, eq. 4.6 and 4.8",
             "A rod must turn by less than a right angle per step. The potential is implicit: "
             "stiff ones do not limit the step, but their oscillations are not resolved.",
             2, VIDA_DEL_CAPABILITIES},
    .create = create_midpoint,
    .state = vida__del_state,
    .options = midpoint_options,
    VIDA_DEL_HOLONOMIC,
    .step = vida__del_step,
    VIDA_DEL_FUNCTIONS};

const VidaMethod vida__del_endpoint = {
    .size = sizeof(VidaMethod),
    .info =
        {"del-endpoint", "discrete Euler-Lagrange equations, endpoint discrete Lagrangian (SHAKE)",
         "Wendlandt and Marsden 1997, eq. 4.16",
         "Stable for steps below 2 over the largest frequency of the potential; second order and "
         "reversible for constant mass matrices, first order for other Lagrangians and with "
         "forces.",
         2, VIDA_DEL_CAPABILITIES | VIDA_LIMIT_ONE_SIDED | VIDA_LIMIT_RESTARTED},
    .create = create_endpoint,
    .state = vida__del_state,
    .options = vida__del_options,
    VIDA_DEL_HOLONOMIC,
    .step = vida__del_step,
    VIDA_DEL_FUNCTIONS};

const VidaMethod vida__del_trapezoidal = {
    .size = sizeof(VidaMethod),
    .info = {"del-trapezoidal",
             "discrete Euler-Lagrange equations, trapezoidal discrete Lagrangian",
             "Marsden and Wendlandt 1997; Hairer, Lubich and Wanner, VI.6",
             "Stable for steps below 2 over the largest frequency of the potential; a rod must "
             "turn by less than a right angle per step.",
             2, VIDA_DEL_CAPABILITIES},
    .create = create_trapezoidal,
    .state = vida__del_state,
    .options = vida__del_options,
    VIDA_DEL_HOLONOMIC,
    .step = vida__del_step,
    VIDA_DEL_FUNCTIONS};

const VidaMethod vida__del_nonholonomic = {
    .size = sizeof(VidaMethod),
    .info = {"del-nonholonomic",
             "discrete Lagrange-d'Alembert equations, midpoint discrete Lagrangian",
             "Lacoursiere 2007, eq. 13; Cortes and Martinez 2001",
             "The limits of del-midpoint. (q1 - q0)/h satisfies the nonholonomic rows; the energy "
             "is not preserved exactly.",
             2,
             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_REVERSIBLE | VIDA_CAN_NONHOLONOMIC},
    .options = nonholonomic_options,
    .create = create_nonholonomic,
    .state = vida__del_state,
    .step = vida__del_step,
    VIDA_DEL_FUNCTIONS};
