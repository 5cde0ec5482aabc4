/* Methods that move the solution of the underlying ODE towards the constraints (Ascher, Chin,
 * Petzold and Reich 1995, sections 3.2, 4 and 5): by a term of the ODE, by one or two corrections
 * after each step, or by projection. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/reference/underlying_ode.h"
#include "stepper/method_options.h"
#include "system/constraints/state_projection.h"

#define PROJECTION_ROW(index)                                                                 \
  {                                                                                           \
    "projection", VIDA_OPTION_CHOICE, "", (index), 0.0, 3.0, false,                           \
        "full|triangular|mass|identity",                                                      \
        "The projection onto g = 0, G v + g_t = 0. full: the shortest one in positions and "  \
        "velocities "                                                                         \
        "together (Ascher et al. 1995, eq. 4.4 with D = H^T); triangular: along G^T in both " \
        "levels (4.6); "                                                                      \
        "mass: "                                                                              \
        "along M^-1 G^T in each level separately (5.5); identity: along G^T in each level "   \
        "separately (5.6)."                                                                   \
  }

/* ---- stabilized-ode -------------------------------------------------------------------------- */

/* z' = f(z) - gamma F(z) h(z) */
static int stabilized_rate(void* data, double t, const double* y, double* rate) {
  underlying_ode* own = data;
  const int n = own->self->model.n;
  const double* v = y + n;
  int code = vida__underlying_rate(own, t, y, rate);
  if (code || own->self->model.m == 0) {
    return code;
  }
  code = vida__projector_factor(own->projector, t, y, v, true);
  code = code ? code : vida__projector_rows(own->projector, t, y, v, own->g, own->g_rate);
  code = code ? code : vida__projector_apply(own->projector, own->g, own->g_rate, own->dq, own->dv);
  for (int i = 0; i < n; i++) {
    rate[i] -= own->gamma * own->dq[i];
    rate[n + i] -= own->gamma * own->dv[i];
  }
  return vida__underlying_pass_on(own, code);
}

static int check_stabilized(const VidaOptions* options, VidaError* error) {
  const bool by_gamma = VidaOptions_IsSet(options, "gamma");
  const bool by_step = VidaOptions_IsSet(options, "gamma_h");
  if (by_gamma && by_step) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "stabilized-ode takes gamma or gamma_h, not both");
  }
  if (by_step && Vida_IsAdaptive(options)) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "stabilized-ode: gamma_h is gamma times the step, which varies with rtol: set gamma");
  }
  return vida__underlying_check(options, error);
}

static int create_stabilized(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = stabilized_rate};
  const VidaOptions* options = self->options;
  const int code = vida__underlying_create(self, functions, error);
  return code ? code
              : vida__underlying_create_projector(
                    self, (vida_projection)VidaOptions_Get(options, "projection"), error);
}

static int start_stabilized(VidaIntegration* self, VidaError* error) {
  const VidaOptions* options = self->options;
  underlying_ode* own = self->state;
  const int code = vida__underlying_start(self, error);
  const double gamma = VidaOptions_Get(options, "gamma");
  const double by_step = VidaOptions_Get(options, "gamma_h");
  own->gamma = isfinite(gamma)     ? gamma
               : isfinite(by_step) ? by_step / self->node.h
                                   : vida__underlying_largest_rate(own);
  return code;
}

/* ---- post-stabilized ------------------------------------------------------------------------- */

enum { S_FULL, S_BOTH, S_BOTH2, S_VEL, S_POS };

/* Factors F at z~, where its rows have been evaluated, or at the last stage before it. */
static int decompose(underlying_ode* own, double t, const double* y) {
  const int n = own->self->model.n;
  if (!own->at_stage) {
    return vida__projector_factor_there(own->projector, t, y, y + n);
  }
  const double* place = vida__ode_last_stage(own->ode, &t);
  return vida__projector_factor(own->projector, t, place, place + n, false);
}

/* z = z~ - alpha F h(z~), of s-both2 twice with the same F */
static int post_stabilize(void* data, double t, double* y) {
  underlying_ode* own = data;
  const int n = own->self->model.n;
  double* v = y + n;
  const double* g = own->variant == S_VEL ? NULL : own->g;
  const double* rate = own->variant == S_POS ? NULL : own->g_rate;
  const int passes = own->variant == S_BOTH2 ? 2 : 1;
  if (own->self->model.m == 0) {
    return VIDA_SUCCESS;
  }
  int code = VIDA_SUCCESS;
  for (int pass = 0; pass < passes && !code; pass++) {
    code = vida__projector_rows(own->projector, t, y, v, own->g, own->g_rate);
    code = code || pass > 0 ? code : decompose(own, t, y);
    code = code ? code : vida__projector_apply(own->projector, g, rate, own->dq, own->dv);
    for (int i = 0; i < n && !code; i++) {
      y[i] -= own->alpha * own->dq[i];
      v[i] -= own->alpha * own->dv[i];
    }
  }
  return vida__underlying_pass_on(own, code);
}

static int check_post(const VidaOptions* options, VidaError* error) {
  const vida_projection kind = (vida_projection)VidaOptions_Get(options, "projection");
  if ((int)VidaOptions_Get(options, "variant") == S_FULL &&
      VidaOptions_IsSet(options, "projection") && kind != VIDA_PROJECTION_FULL) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "post-stabilized: s-full always uses the full projection; for another one "
                      "take s-both or s-both2");
  }
  int code =
      vida__refuse_multistep(options, "which a correction after each step would make false", error);
  if (!code && VidaOptions_HasChoice(options, "decomposition", "stage")) {
    code = vida__refuse_implicit(
        options, "and its last stage is the end of the step: take decomposition = end", error);
  }
  return code ? code : vida__underlying_check(options, error);
}

static int create_post(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate, .settle = post_stabilize};
  const VidaOptions* options = self->options;
  const int variant = (int)VidaOptions_Get(options, "variant");
  vida_projection kind = (vida_projection)VidaOptions_Get(options, "projection");
  kind = variant == S_FULL ? VIDA_PROJECTION_FULL : kind;
  int code = vida__underlying_create(self, functions, error);
  code = code ? code : vida__underlying_create_projector(self, kind, error);
  if (!code) {
    underlying_ode* own = self->state;
    own->variant = variant;
    own->alpha = VidaOptions_Get(options, "alpha");
    own->at_stage = VidaOptions_HasChoice(options, "decomposition", "stage");
  }
  return code;
}

/* ---- projection to the end ------------------------------------------------------------------- */

static int check_projection(const VidaOptions* options, VidaError* error) {
  const int code =
      vida__refuse_multistep(options, "which a projection after each step would make false", error);
  return code ? code : vida__underlying_check(options, error);
}

static int create_projection(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate,
                                        .settle = vida__underlying_project};
  const VidaOptions* options = self->options;
  int code = vida__underlying_create(self, functions, error);
  code = code ? code : vida__underlying_create_metric_projector(self, error);
  if (!code) {
    underlying_ode* own = self->state;
    own->variant = (int)VidaOptions_Get(options, "level");
    self->given_up = own->variant == VIDA_PROJECT_VELOCITY   ? VIDA_CAN_POSITION_LEVEL
                     : own->variant == VIDA_PROJECT_POSITION ? VIDA_CAN_VELOCITY_LEVEL
                                                             : 0;
    own->accuracy = VidaOptions_Get(options, "projection_tolerance");
  }
  return code;
}

/* ---- cvode-projected ------------------------------------------------------------------------- */

static int project_cvode(void* data, double t, const double* y, double* correction, double* error,
                         const double* weights, double epsilon) {
  underlying_ode* own = data;
  const int n = own->self->model.n;
  (void)weights; /* the projection goes to rounding, far below epsilon */
  (void)epsilon;
  memcpy(correction, y, 2 * (size_t)n * sizeof *y);
  int code = vida__underlying_project(own, t, correction);
  for (int i = 0; i < 2 * n; i++) {
    correction[i] -= y[i];
  }
  if (!code && error && own->self->model.m > 0) {
    vida_state_projection projection = vida__underlying_projection(own);
    code = vida__project_error(&projection, error);
  }
  return vida__underlying_pass_on(own, code);
}

static int create_cvode(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = vida__underlying_rate, .project = project_cvode};
  const VidaOptions* options = self->options;
  int code = vida__underlying_create(self, functions, error);
  code = code ? code : vida__underlying_create_metric_projector(self, error);
  if (!code) {
    underlying_ode* own = self->state;
    own->variant = VIDA_PROJECT_BOTH;
    own->accuracy = VidaOptions_Get(options, "projection_tolerance");
  }
  return code;
}

/* ---- records --------------------------------------------------------------------------------- */

static const VidaOptionRow stabilized_options[] = {
    VIDA_INTEGRATOR_ROW,
    PROJECTION_ROW(VIDA_PROJECTION_MASS),
    {"gamma", VIDA_OPTION_REAL, "1/s", NAN, 0.0, INFINITY, false, NULL,
     "The rate at which violations decay; by default the largest ratio of velocity to position at "
     "the start."},
    {"gamma_h", VIDA_OPTION_REAL, "1", NAN, 0.0, INFINITY, false, NULL,
     "gamma times h, instead of gamma, for fixed steps; reduces the order of high-order tables to "
     "2."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow post_options[] = {
    VIDA_INTEGRATOR_ROW,
    {"variant", VIDA_OPTION_CHOICE, "", S_BOTH2, 0.0, 4.0, false,
     "s-full|s-both|s-both2|s-vel|s-pos",
     "The correction after a step: both levels by the full projection, both, both twice with the "
     "same projection, velocities only, positions only."},
    PROJECTION_ROW(VIDA_PROJECTION_MASS),
    {"alpha", VIDA_OPTION_REAL, "1", 1.0, 0.0, 2.0, true, NULL,
     "The fraction of the violation that a correction removes; stable below 2."},
    {"decomposition", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "end|stage",
     "Where the projection is factored: at the end of the step, or at the last stage of the "
     "integrator, which violates the constraints more and gives the drifts of Ascher et al. 1995, "
     "tables 6.3 and 6.4."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow projection_options[] = {
    VIDA_INTEGRATOR_ROW,
    {"level", VIDA_OPTION_CHOICE, "", VIDA_PROJECT_BOTH, 0.0, 2.0, false, "position|velocity|both",
     "Projects positions onto g = 0, velocities onto G v + g_t = 0, or both."},
    VIDA_METRIC_ROW,
    VIDA_PROJECTION_TOLERANCE_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static const VidaOptionRow cvode_options[] = {
    VIDA_METRIC_ROW,
    VIDA_PROJECTION_TOLERANCE_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

#define EXPLICIT_LIMITS                                                                       \
  "Explicit integrators: stable for steps below a fraction of the shortest period. Implicit " \
  "tables take a dense matrix of 2 n rows. "

const VidaMethod vida__stabilized_ode = {
    .size = sizeof(VidaMethod),
    .info = {"stabilized-ode",
             "the underlying ODE with a term that makes the constraints attractive, -gamma F h",
             "Ascher, Chin, Petzold, Reich 1995, eq. 4.3",
             "Explicit integrators: stable for steps below a fraction of the shortest period and "
             "of 1/gamma. Violations decay at the rate gamma, but each step adds new ones.",
             5, VIDA_UNDERLYING_CAPABILITIES},
    .remedy = {.method = "coordinate-projection"},
    .common = vida__ode_options,
    .options = stabilized_options,
    .check = check_stabilized,
    .create = create_stabilized,
    .start = start_stabilized,
    .order = vida__underlying_order,
    VIDA_UNDERLYING_FUNCTIONS};

const VidaMethod vida__post_stabilized = {
    .size = sizeof(VidaMethod),
    .info = {"post-stabilized",
             "the underlying ODE, corrected towards the constraints after each step",
             "Ascher, Chin, Petzold, Reich 1995, eq. 5.4",
             EXPLICIT_LIMITS "Violations are of order h^(p+1), with s-both2 of order h^(2p). s-pos "
                             "alone may be unstable.",
             5, VIDA_UNDERLYING_CAPABILITIES},
    .remedy = {.method = "coordinate-projection"},
    .common = vida__ode_options,
    .options = post_options,
    .check = check_post,
    .create = create_post,
    .start = vida__underlying_start,
    .order = vida__underlying_order,
    VIDA_UNDERLYING_FUNCTIONS};

const VidaMethod vida__coordinate_projection = {
    .size = sizeof(VidaMethod),
    .info = {"coordinate-projection",
             "the underlying ODE, projected onto the constraints after each step",
             "Ascher, Chin, Petzold, Reich 1995, eq. 5.3; Eich 1993",
             EXPLICIT_LIMITS "Both levels hold to rounding.", 5,
             VIDA_UNDERLYING_CAPABILITIES | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .remedy = {.option = "level", .value = "both"},
    .common = vida__ode_options,
    .options = projection_options,
    .check = check_projection,
    .create = create_projection,
    .start = vida__underlying_start,
    .order = vida__underlying_order,
    VIDA_UNDERLYING_FUNCTIONS};

const VidaMethod vida__cvode_projected = {
    .size = sizeof(VidaMethod),
    .info = {"cvode-projected",
             "CVODE's BDF on the underlying ODE, whose steps CVODE projects onto the constraints",
             "Eich 1993; SUNDIALS, CVodeSetProjFn",
             "Chooses its own steps for rtol; states between them are interpolated and projected. "
             "Uses a dense matrix of 2 n rows, from 1000 coordinates on GMRES.",
             5, VIDA_UNDERLYING_CAPABILITIES | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .common = vida__adaptive_options,
    .options = cvode_options,
    .check = vida__underlying_check,
    .create = create_cvode,
    .start = vida__underlying_start,
    VIDA_UNDERLYING_FUNCTIONS};
