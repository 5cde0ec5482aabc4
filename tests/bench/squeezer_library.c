/* The squeezer as the library takes it: places of the bodies and where chains meet, the rest is
 * derived. The description is that of scenarios/squeezer.lua. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>
#include <vida/vida.h>

#include "squeezer.h"

/* A vector in the plane and its rate. */
typedef struct Vector {
  VidaExpression x, y, vx, vy;
} Vector;

typedef struct Library {
  VidaSystem* system;
  VidaExpression one;
  VidaError error;
  int failed;
} Library;

static VidaExpression apply(Library* l, const char* operation, VidaExpression a, VidaExpression b) {
  const VidaExpression operands[2] = {a, b};
  VidaExpression result = 0;
  l->failed = l->failed ||
              VidaSystem_Apply(l->system, operation, b < 0 ? 1 : 2, operands, &result, &l->error);
  return result;
}

static VidaExpression number(Library* l, double value) {
  VidaExpression result = 0;
  l->failed = l->failed || VidaSystem_Constant(l->system, value, &result, &l->error);
  return result;
}

static VidaExpression position(Library* l, int i) {
  VidaExpression result = 0;
  l->failed = l->failed || VidaSystem_Position(l->system, i, &result, &l->error);
  return result;
}

static VidaExpression rate(Library* l, int i) {
  VidaExpression result = 0;
  l->failed = l->failed || VidaSystem_Rate(l->system, i, &result, &l->error);
  return result;
}

static VidaExpression times(Library* l, double factor, VidaExpression a) {
  return apply(l, "*", number(l, factor), a);
}

/* `forward` and `left` of a direction at an angle that turns. */
static Vector vector(Library* l, double forward, double left, VidaExpression angle,
                     VidaExpression turning) {
  const VidaExpression c = apply(l, "cos", angle, -1), s = apply(l, "sin", angle, -1);
  Vector r;
  r.x = apply(l, "-", times(l, forward, c), times(l, left, s));
  r.y = apply(l, "+", times(l, forward, s), times(l, left, c));
  r.vx = apply(l, "*", apply(l, "-", r.y, -1), turning);
  r.vy = apply(l, "*", r.x, turning);
  return r;
}

static Vector sum(Library* l, Vector a, Vector b) {
  const Vector r = {apply(l, "+", a.x, b.x), apply(l, "+", a.y, b.y), apply(l, "+", a.vx, b.vx),
                    apply(l, "+", a.vy, b.vy)};
  return r;
}

static Vector fixed(Library* l, double x, double y) {
  const Vector r = {number(l, x), number(l, y), number(l, 0.0), number(l, 0.0)};
  return r;
}

static VidaExpression square(Library* l, VidaExpression a) {
  return apply(l, "*", a, a);
}

static void add_body(Library* l, const char* name, double mass, double inertia, Vector centre,
                     VidaExpression turning) {
  const VidaExpression moving = apply(l, "+", square(l, centre.vx), square(l, centre.vy));
  const VidaExpression kinetic =
      apply(l, "+", times(l, 0.5 * mass, moving), times(l, 0.5 * inertia, square(l, turning)));
  l->failed = l->failed || VidaSystem_AddExpressionLagrangian(l->system, name, kinetic, &l->error);
}

static void join(Library* l, const char* x_name, const char* y_name, Vector a, Vector b) {
  l->failed = l->failed ||
              VidaSystem_AddExpressionConstraint(l->system, x_name, "m", apply(l, "-", a.x, b.x),
                                                 &l->error) ||
              VidaSystem_AddExpressionConstraint(l->system, y_name, "m", apply(l, "-", a.y, b.y),
                                                 &l->error);
}

static void build(Library* l) {
  static const char* const names[] = {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"};
  enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };
  VidaExpression q[SQUEEZER_ANGLES], v[SQUEEZER_ANGLES];
  l->failed = VidaSystem_Create("squeezer", 2, &l->system, &l->error);
  for (int i = 0; i < SQUEEZER_ANGLES && !l->failed; i++) {
    l->failed =
        VidaSystem_AddCoordinate(l->system, names[i], "rad", VidaInitial_Given(squeezer_start[i]),
                                 VidaInitial_Given(0.0), NULL, &l->error);
  }
  for (int i = 0; i < SQUEEZER_ANGLES; i++) {
    q[i] = position(l, i);
    v[i] = rate(l, i);
  }
  const VidaExpression rod = apply(l, "+", q[BETA], q[THETA]);
  const VidaExpression rod_rate = apply(l, "+", v[BETA], v[THETA]);
  const VidaExpression upper = apply(l, "+", q[PHI], q[DELTA]);
  const VidaExpression upper_rate = apply(l, "+", v[PHI], v[DELTA]);
  const VidaExpression lower = apply(l, "+", q[OMEGA], q[EPSILON]);
  const VidaExpression lower_rate = apply(l, "+", v[OMEGA], v[EPSILON]);
  const Vector a = fixed(l, -.06934, -.00227), b = fixed(l, -.03635, .03273);
  const Vector f = vector(l, .007, 0.0, q[BETA], v[BETA]);
  const Vector g = sum(l, a, vector(l, .04, 0.0, q[DELTA], v[DELTA]));
  const Vector h = sum(l, a, vector(l, 0.0, -.04, q[EPSILON], v[EPSILON]));
  add_body(l, "K1", .04325, 2.194e-6, vector(l, .00092, 0.0, q[BETA], v[BETA]), v[BETA]);
  add_body(l, "K2", .00365, 4.410e-7, sum(l, f, vector(l, -.0115, 0.0, rod, rod_rate)), rod_rate);
  add_body(l, "K3", .02373, 5.255e-6, sum(l, b, vector(l, .01043, -.01874, q[GAMMA], v[GAMMA])),
           v[GAMMA]);
  add_body(l, "K4", .00706, 5.667e-7, sum(l, g, vector(l, 0.0, -.00579, upper, upper_rate)),
           upper_rate);
  add_body(l, "K5", .07050, 1.169e-5, sum(l, a, vector(l, .02308, -.00916, q[DELTA], v[DELTA])),
           v[DELTA]);
  add_body(l, "K6", .00706, 5.667e-7, sum(l, h, vector(l, .00579, 0.0, lower, lower_rate)),
           lower_rate);
  add_body(l, "K7", .05498, 1.912e-5, sum(l, a, vector(l, .01228, -.00449, q[EPSILON], v[EPSILON])),
           v[EPSILON]);
  const Vector corner = sum(l, b, vector(l, .02, -.018, q[GAMMA], v[GAMMA]));
  const VidaExpression x = apply(l, "-", corner.x, number(l, .014));
  const VidaExpression y = apply(l, "-", corner.y, number(l, .072));
  const VidaExpression length = apply(l, "sqrt", apply(l, "+", square(l, x), square(l, y)), -1);
  const VidaExpression stretch = apply(l, "-", length, number(l, .07785));
  l->failed =
      l->failed ||
      VidaSystem_AddExpressionLagrangian(l->system, "spring",
                                         times(l, -0.5 * 4530.0, square(l, stretch)), &l->error) ||
      VidaSystem_AddExpressionLagrangian(l->system, "motor", times(l, .033, q[BETA]), &l->error);
  const Vector end = sum(l, f, vector(l, -.028, 0.0, rod, rod_rate));
  join(l, "triangle, x", "triangle, y", end, sum(l, b, vector(l, 0.0, -.035, q[GAMMA], v[GAMMA])));
  join(l, "upper links, x", "upper links, y", end,
       sum(l, g, vector(l, 0.0, -.02, upper, upper_rate)));
  join(l, "lower links, x", "lower links, y", end,
       sum(l, h, vector(l, .02, 0.0, lower, lower_rate)));
  l->failed = l->failed || VidaSystem_Complete(l->system, &l->error);
}

static int create(void** self) {
  Library* l = calloc(1, sizeof *l);
  *self = l;
  if (l) {
    build(l);
    if (l->failed) {
      fprintf(stderr, "squeezer: %s\n", l->error.message);
    }
  }
  return !l || l->failed;
}

static long run(void* self, double tolerance, double* q) {
  Library* l = self;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  const double rest[SQUEEZER_ANGLES] = {0.0};
  long residuals = -1;
  if (!VidaOptions_Create("ida-ggl", &options, &l->error) &&
      !VidaOptions_SetReal(options, "h", squeezer_time, &l->error) &&
      !VidaOptions_SetReal(options, "rtol", tolerance, &l->error) &&
      !VidaStepper_Create(l->system, options, &stepper, &l->error) &&
      !VidaStepper_Start(stepper, 0.0, squeezer_start, rest, &l->error) &&
      !VidaStepper_Step(stepper, &l->error)) {
    residuals = VidaStepper_Statistics(stepper).residual_evaluations;
    memcpy(q, VidaStepper_Positions(stepper), SQUEEZER_ANGLES * sizeof *q);
  } else {
    fprintf(stderr, "squeezer: %s\n", l->error.message);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return residuals;
}

static void destroy(void* self) {
  Library* l = self;
  VidaSystem_Destroy(&l->system);
  free(l);
}

const SqueezerContender squeezer_library = {"ida-ggl, derived", create, run, destroy};
