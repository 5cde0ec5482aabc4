/* Accelerations and multipliers of plane nets of rods, with any masses, against a dense solution of
 * (M, G^T; G, 0) in extended precision: by VidaSystem_Accelerations, and by the rates of a
 * formulation, which are condensed to the multipliers where the system allows it. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/sundials.h>
#include <vida/vida.h>

#include "base/sundials.h"
#include "support/check.h"

enum { MOST_PARTICLES = 40, MOST_RODS = 80, MOST = 2 * MOST_PARTICLES + MOST_RODS };

static const double gravity = 9.81, amplitude = 0.3, frequency = 2.0;

/* Rods from and to particles; -1: the origin. A drive holds the first particle on x = 0.3 sin 2t.
 */
typedef struct Net {
  int particles, rods, from[MOST_RODS], to[MOST_RODS];
  double mass[MOST_PARTICLES], place[MOST_PARTICLES][2];
  bool is_driven;
} Net;

static void add_rod(Net* net, int from, int to) {
  net->from[net->rods] = from;
  net->to[net->rods++] = to;
}

/* ---- nets ------------------------------------------------------------------------------------ */

static Net chain(int links) {
  Net net = {.particles = links};
  for (int i = 0; i < links; i++) {
    net.mass[i] = pow(1.9, i % 7);
    net.place[i][0] = 0.8 * (i + 1);
    net.place[i][1] = i % 2 == 0 ? -0.6 : 0.0;
    add_rod(&net, i - 1, i);
  }
  return net;
}

/* A strip of triangles: each particle is held by rods to the two before it. */
static Net strip(int particles, bool is_driven) {
  Net net = {.particles = particles, .is_driven = is_driven};
  for (int i = 0; i < particles; i++) {
    net.mass[i] = 1.0 + 0.5 * (i % 3);
    net.place[i][0] = 0.5 * i;
    net.place[i][1] = i % 2 == 0 ? 0.0 : 0.8;
    if (i > 0) {
      add_rod(&net, i - 1, i);
    }
    if (i > 1) {
      add_rod(&net, i - 2, i);
    }
  }
  return net;
}

static Net light_chain(void) {
  Net net = chain(9);
  net.mass[4] = 1e-10;
  return net;
}

/* ---- with the library ------------------------------------------------------------------------ */

static double length_of(const Net* net, int rod) {
  const double* to = net->place[net->to[rod]];
  const double* from =
      net->from[rod] < 0 ? (const double[2]){0.0, 0.0} : net->place[net->from[rod]];
  return hypot(to[0] - from[0], to[1] - from[1]);
}

static void add_drive(VidaSystem* s) {
  VidaError error = {0};
  VidaExpression x = -1, t = -1, w = -1, a = -1, phase = -1, sine = -1, drive = -1, g = -1;
  REQUIRE_OK(VidaSystem_Position(s, 0, &x, &error), &error);
  REQUIRE_OK(VidaSystem_Time(s, &t, &error), &error);
  REQUIRE_OK(VidaSystem_Constant(s, frequency, &w, &error), &error);
  REQUIRE_OK(VidaSystem_Constant(s, amplitude, &a, &error), &error);
  REQUIRE_OK(VidaSystem_Apply(s, "*", 2, (VidaExpression[]){w, t}, &phase, &error), &error);
  REQUIRE_OK(VidaSystem_Apply(s, "sin", 1, &phase, &sine, &error), &error);
  REQUIRE_OK(VidaSystem_Apply(s, "*", 2, (VidaExpression[]){a, sine}, &drive, &error), &error);
  REQUIRE_OK(VidaSystem_Apply(s, "-", 2, (VidaExpression[]){x, drive}, &g, &error), &error);
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(s, "drive", "m", g, &error), &error);
}

static VidaSystem* build(const Net* net) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  char names[MOST_PARTICLES + MOST_RODS][16];
  REQUIRE_OK(VidaSystem_Create("net", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(s, (double[2]){0.0, -gravity}, &error), &error);
  for (int i = 0; i < net->particles; i++) {
    VidaParticle particle = {.name = names[i], .mass = net->mass[i]};
    snprintf(names[i], sizeof names[i], "p%d", i);
    for (int k = 0; k < 2; k++) {
      particle.position[k] = VidaInitial_Given(net->place[i][k]);
      particle.velocity[k] = VidaInitial_Default(0.0);
    }
    REQUIRE_OK(VidaSystem_AddParticle(s, &particle, NULL, &error), &error);
  }
  for (int r = 0; r < net->rods; r++) {
    char* name = names[MOST_PARTICLES + r];
    snprintf(name, sizeof names[0], "rod %d", r);
    const VidaDistance rod = {.name = name,
                              .from = net->from[r] < 0 ? VidaPoint_Fixed(0.0, 0.0, 0.0)
                                                       : VidaPoint_Particle(net->from[r]),
                              .to = VidaPoint_Particle(net->to[r]),
                              .length = length_of(net, r)};
    REQUIRE_OK(VidaSystem_AddDistance(s, &rod, &error), &error);
  }
  if (net->is_driven) {
    add_drive(s);
  }
  REQUIRE_OK(VidaSystem_Complete(s, &error), &error);
  return s;
}

/* ---- in extended precision ------------------------------------------------------------------- */

static void eliminate(int size, long double a[MOST][MOST + 1], double* x) {
  for (int k = 0; k < size; k++) {
    int best = k;
    for (int i = k + 1; i < size; i++) {
      best = fabsl(a[i][k]) > fabsl(a[best][k]) ? i : best;
    }
    for (int j = k; j <= size && best != k; j++) {
      const long double kept = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = kept;
    }
    for (int i = 0; i < size; i++) {
      const long double factor = i == k ? 0.0L : a[i][k] / a[k][k];
      for (int j = k; j <= size && factor != 0.0L; j++) {
        a[i][j] -= factor * a[k][j];
      }
    }
  }
  for (int k = 0; k < size; k++) {
    x[k] = (double)(a[k][size] / a[k][k]);
  }
}

/* Accelerations and multipliers (2 particles + rows) at t, q, v. */
static void expect_motion(const Net* net, double t, const double* q, const double* v, double* x) {
  static long double a[MOST][MOST + 1];
  const int n = 2 * net->particles;
  const int size = n + net->rods + (net->is_driven ? 1 : 0);
  memset(a, 0, sizeof a);
  for (int i = 0; i < n; i++) {
    a[i][i] = net->mass[i / 2];
    a[i][size] = i % 2 == 1 ? -(long double)gravity * net->mass[i / 2] : 0.0L;
  }
  for (int r = 0; r < net->rods; r++) {
    const long double length = length_of(net, r);
    for (int k = 0; k < 2; k++) {
      const int to = 2 * net->to[r] + k, from = 2 * net->from[r] + k;
      const long double d = (long double)q[to] - (net->from[r] < 0 ? 0.0L : q[from]);
      const long double rate = (long double)v[to] - (net->from[r] < 0 ? 0.0L : v[from]);
      a[n + r][to] = a[to][n + r] = d / length;
      if (net->from[r] >= 0) {
        a[n + r][from] = a[from][n + r] = -d / length;
      }
      a[n + r][size] -= rate * rate / length;
    }
  }
  if (net->is_driven) {
    a[size - 1][0] = a[0][size - 1] = 1.0L;
    a[size - 1][size] = -amplitude * frequency * frequency * sinl((long double)frequency * t);
  }
  eliminate(size, a, x);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void compare(const char* name, const char* what, int count, const double* found,
                    const double* expected, double tolerance) {
  double size = 0.0;
  for (int i = 0; i < count; i++) {
    size = fmax(size, fabs(expected[i]));
  }
  for (int i = 0; i < count; i++) {
    EXPECT_NEAR(found[i], expected[i], tolerance * size, "%s: %s %d", name, what, i);
  }
}

/* Compares at a state with other directions than the start, whose rods need not have their lengths.
 */
static void check_net(const char* name, const Net* net, double away, double tolerance) {
  VidaError error = {0};
  VidaSystem* s = build(net);
  SUNContext context = NULL;
  VidaFormulation* formulation = NULL;
  N_Vector y = NULL, rate = NULL;
  const double t = 0.4;
  const int n = 2 * net->particles, m = net->rods + (net->is_driven ? 1 : 0);
  double expected[MOST], found[MOST], lambda[MOST];
  EXPECT(vida__context_create(&context) == 0, "no context");
  REQUIRE_OK(VidaFormulation_Create(s, VIDA_FORMULATION_ODE, context, &formulation, &error),
             &error);
  REQUIRE_OK(VidaFormulation_CreateVector(formulation, &y, &error), &error);
  REQUIRE_OK(VidaFormulation_CreateVector(formulation, &rate, &error), &error);
  REQUIRE_OK(VidaFormulation_Start(formulation, 0.0, NULL, NULL, y, NULL, &error), &error);
  double* state = N_VGetArrayPointer(y);
  for (int i = 0; i < 2 * n; i++) {
    state[i] += (i < n ? away : 1.0) * sin(1.0 + 3.0 * i);
  }
  expect_motion(net, t, state, state + n, expected);
  REQUIRE_OK(VidaFormulation_Rate(t, y, rate, formulation), VidaFormulation_LastError(formulation));
  REQUIRE_OK(VidaFormulation_Multipliers(formulation, t, y, lambda, &error), &error);
  compare(name, "rate of position", n, N_VGetArrayPointer(rate), state + n, 0.0);
  compare(name, "rate of velocity", n, N_VGetArrayPointer(rate) + n, expected, tolerance);
  compare(name, "multiplier", m, lambda, expected + n, tolerance);
  REQUIRE_OK(VidaSystem_Accelerations(s, t, state, state + n, found, lambda, &error), &error);
  compare(name, "acceleration", n, found, expected, tolerance);
  compare(name, "multiplier of them", m, lambda, expected + n, tolerance);
  N_VDestroy(rate);
  N_VDestroy(y);
  VidaFormulation_Destroy(&formulation);
  VidaSystem_Destroy(&s);
  SUNContext_Free(&context);
}

static void test_nets(void) {
  const Net chains = chain(30), free_strip = strip(14, false), driven_strip = strip(20, true);
  check_net("chain", &chains, 0.05, 1e-13);
  check_net("strip", &free_strip, 0.05, 1e-13);
  check_net("driven strip", &driven_strip, 0.05, 1e-13);
}

static void test_light_mass(void) {
  const Net net = light_chain();
  check_net("light mass", &net, 0.05, 1e-13);
}

/* Two short rods and one along both: three rows that depend on each other if they are straight, so
 * digits are lost near that place. */
static void test_nearly_straight(void) {
  Net net = strip(3, false);
  net.mass[1] = 3.0;
  net.place[1][1] = 1e-2;
  check_net("nearly straight", &net, 0.0, 1e-11);
  net.place[1][1] = 1e-4;
  check_net("nearer", &net, 0.0, 1e-7);
}

static const CheckTest tests[] = {{"nets of rods", test_nets},
                                  {"a light mass", test_light_mass},
                                  {"nearly dependent rows", test_nearly_straight},
                                  {NULL, NULL}};

int main(void) {
  return check_main("rates", tests);
}
