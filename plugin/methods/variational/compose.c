/* Compositions of a symmetric method: a step is several steps of it, forwards and backwards, of
 * lengths gamma_i h that cancel its leading errors (Yoshida 1990, Suzuki 1990, Kahan and Li 1997;
 * coefficients as in Hairer, Lubich and Wanner, Geometric Numerical Integration, V.3).
 *
 * The base method runs in a stepper of its own, as a one-step map of positions and momenta that
 * begin and end on both levels of the constraints. What it keeps exactly (momentum, energy, the
 * symplectic form) the composition keeps, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/nested.h"
#include "stepper/stages.h"

enum { MOST_STAGES = 17, SCHEMES = 5 };

/* The first half of a symmetric list of stages, and the middle stage. */
typedef struct scheme {
  const char* name;
  int order, stages;
  double gamma[(MOST_STAGES + 1) / 2];
} scheme;

static const scheme schemes[SCHEMES] = {
    {"suzuki4", 4, 5, {0.41449077179437573714, 0.41449077179437573714, -0.65796308717750294857}},
    {"yoshida4", 4, 3, {1.3512071919596576340, -1.7024143839193152681}},
    {"yoshida6",
     6,
     7,
     {0.78451361047755726381949763, 0.23557321335935813368479318, -1.17767998417887100694641568,
      1.31518632068391121888424973}},
    {"kahan-li6",
     6,
     9,
     {0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
      0.08221359629355080023149045, 0.79854399093482996339895035}},
    {"kahan-li8",
     8,
     17,
     {0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
      0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
      0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108}}};

#define SCHEME_NAMES "suzuki4|yoshida4|yoshida6|kahan-li6|kahan-li8"
/* The symmetric methods whose steps depend on positions and momenta alone. */
#define BASE_NAMES                                                             \
  "rattle|del-midpoint|energy-momentum|lgvi|verlet|energy-momentum-projected|" \
  "spark-lobatto|galerkin-gauss|implicit-midpoint|symplectic-implicit|"        \
  "average-vector-field|itoh-abe|chorin|del-nonholonomic|simo-wong|rattlie|rotation-splitting"
enum { BASES = 17 };

typedef struct compose_state {
  VidaStepper* base;
  vida_stages* stages;
  double gamma[MOST_STAGES];
} compose_state;

static const scheme* find_scheme(const VidaOptions* options) {
  for (int i = 0; i < SCHEMES; i++) {
    if (VidaOptions_HasChoice(options, "scheme", schemes[i].name)) {
      return &schemes[i];
    }
  }
  return &schemes[0];
}

static void destroy(VidaIntegration* self) {
  compose_state* own = self->state;
  if (own) {
    vida__stages_destroy(&own->stages);
    VidaStepper_Destroy(&own->base);
  }
}

/* Checks that the base satisfies the hidden constraints: velocities with an error of second order
 * are not suitable starts for the next stage, which has another length. */
static int check_base(const VidaIntegration* self, const VidaMethodInfo* base, int order,
                      VidaError* error) {
  if (self->model.m == 0 || order <= 4 ||
      (base->capabilities & (VIDA_CAN_VELOCITY_LEVEL | VIDA_LIMIT_UNCONSTRAINED))) {
    return VIDA_SUCCESS; /* the latter say it themselves */
  }
  return vida__fail(
      error, VIDA_NOT_SUPPORTED,
      "compose: base: %s does not satisfy the hidden constraints, so that its compositions on "
      "constrained systems have at most order 4; take a scheme of order 4, or another base",
      base->name);
}

/* Gives up the claims that the base does not make, for instance G v = 0 of energy-momentum. */
static void take_claims(VidaIntegration* self, const VidaIntegration* base) {
  const unsigned inherited = VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                             VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL;
  self->given_up = inherited & ~(base->method->info.capabilities & ~base->given_up);
}

/* The composition refuses every system that the base refuses. */
static int create_base(VidaIntegration* self, const char* name, VidaStepper** base,
                       VidaError* error) {
  VidaError refusal = {0};
  const int code = vida__nested_create(self, name, base, &refusal);
  return code ? vida__fail_flag(error, code, refusal.flag, "compose: %s", refusal.message) : code;
}

static int create(VidaIntegration* self, VidaError* error) {
  const scheme* chosen = find_scheme(self->options);
  compose_state* own = vida__allocate(1, sizeof *own);
  if (!own) {
    return vida__fail_memory(error);
  }
  self->state = own;
  for (int i = 0; i < chosen->stages; i++) {
    const int mirrored = chosen->stages - 1 - i;
    own->gamma[i] = chosen->gamma[i < mirrored ? i : mirrored];
  }
  if (self->model.system->jump_time_count > 0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "compose: its stages leave the step, and would evaluate the C functions of "
                      "system '%s' on the other side of a declared jump in time",
                      self->model.system->name);
  }
  char name[32];
  VidaOptions_Text(self->options, "base", name, sizeof name);
  int code = check_base(self, Vida_FindMethod(name), chosen->order, error);
  code = code ? code : create_base(self, name, &own->base, error);
  if (code) {
    return code;
  }
  take_claims(self, vida__nested_integration(own->base));
  return vida__stages_create(own->base, own->gamma, chosen->stages, &own->stages, error);
}

static int start(VidaIntegration* self, VidaError* error) {
  compose_state* own = self->state;
  const int code = vida__nested_start(own->base, self, self->node.h, error);
  if (!code) {
    vida__copy_node(vida__nested_integration(own->base), self);
    vida__stages_forget(own->stages);
  }
  return code;
}

static int step(VidaIntegration* self, VidaError* error) {
  const compose_state* own = self->state;
  return vida__stages_make(own->stages, self, error);
}

static void undo(VidaIntegration* self) {
  const compose_state* own = self->state;
  vida__stages_return(own->stages);
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  compose_state* own = self->state;
  vida__nested_record(own->base, record);
  vida__stages_record(own->stages, record);
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  compose_state* own = self->state;
  const double* found;
  const int code = vida__nested_velocities(own->base, &found, error);
  if (!code) {
    memcpy(v, found, (size_t)self->model.n * sizeof *v);
  }
  return code;
}

static int action(VidaIntegration* self, double t, double* value, VidaError* error) {
  const compose_state* own = self->state;
  (void)t;
  return vida__stages_action(own->stages, value, error);
}

/* The order of the base if that is higher. */
static int order(const VidaOptions* options) {
  char name[32];
  VidaOptions_Text(options, "base", name, sizeof name);
  const int of_base = Vida_FindMethod(name)->order;
  const int of_scheme = find_scheme(options)->order;
  return of_base > of_scheme ? of_base : of_scheme;
}

static const VidaOptionRow options[] = {
    {"scheme", VIDA_OPTION_CHOICE, "", 0.0, 0.0, (double)(SCHEMES - 1), false, SCHEME_NAMES,
     "The composition; the number is its order. More stages give smaller errors."},
    {"base", VIDA_OPTION_CHOICE, "", 0.0, 0.0, (double)(BASES - 1), false, BASE_NAMES,
     "The symmetric method that is composed. Its compositions accept the systems that it accepts."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__compose = {
    .size = sizeof(VidaMethod),
    .info = {"compose", "compositions of order 4, 6 and 8 of a symmetric method",
             "Yoshida 1990; Suzuki 1990; Kahan and Li 1997",
             "Each stage must be a step that the base method can make; the longest one is 0.61 h "
             "(kahan-li8), 0.66 h (suzuki4), 0.80 h (kahan-li6), 1.32 h (yoshida6) or 1.70 h "
             "(yoshida4), forwards or backwards. With rattle and verlet, whose own stability limit "
             "is 2, oscillations of frequency w grow from h w = 3.10, 2.72, 2.53, 2.27 and 1.57 "
             "on, in this order. Velocities keep the order of the base if it does not satisfy the "
             "hidden constraints. Backward steps amplify dissipation.",
             4,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN |
                 VIDA_CAN_TIME_DEPENDENT},
    .options = options,
    .is_composed = true,
    .create = create,
    .start = start,
    .step = step,
    .undo = undo,
    .state = record_state,
    .velocities = velocities,
    .energy = vida__node_energy,
    /* The multipliers of the stages contain errors that cancel over the step. */
    .multipliers = vida__node_multipliers,
    .action = action,
    .order = order,
    .destroy = destroy};
