/* Calm steps of one and two points on rods, against the equations of leapfrog steps with
 * constraints in long double:
 *
 *   M w = p0 + h a f - G(q0)^T mu,   q1 = q0 + h w,   g(q1) = 0,
 *   p1 = p0 + h (a + b) f - G(q0)^T mu, and for rattle a projection on G(q1) M^-1 p1 = 0,
 *
 * with a = 0, b = 1 for del-endpoint and a = b = 1/2 for rattle and del-trapezoidal. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"

typedef long double real;

enum { POINTS = 2, COMPONENTS = 3 };

typedef struct Chain {
  int points, dimension;
  real mass[POINTS], length[POINTS], place[COMPONENTS], force[COMPONENTS]; /* force per mass */
  real q[POINTS][COMPONENTS], p[POINTS][COMPONENTS];
} Chain;

static void find_links(const Chain* chain, real q[POINTS][COMPONENTS], real d[POINTS][COMPONENTS]) {
  for (int r = 0; r < chain->points; r++) {
    for (int k = 0; k < chain->dimension; k++) {
      d[r][k] = q[r][k] - (r > 0 ? q[r - 1][k] : chain->place[k]);
    }
  }
}

static real dot(const Chain* chain, const real* a, const real* b) {
  real sum = 0.0L;
  for (int k = 0; k < chain->dimension; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Adds the impulses of the rods, tension times d, to momenta. */
static void push(const Chain* chain, real d[POINTS][COMPONENTS], const real* tension,
                 real p[POINTS][COMPONENTS]) {
  for (int r = 0; r < chain->points; r++) {
    for (int k = 0; k < chain->dimension; k++) {
      p[r][k] -= tension[r] * d[r][k];
      if (r > 0) {
        p[r - 1][k] += tension[r] * d[r][k];
      }
    }
  }
}

/* Solves L x = b, where L is the matrix of left . (change of the right links by tensions). */
static void solve(const Chain* chain, real left[POINTS][COMPONENTS], real right[POINTS][COMPONENTS],
                  const real* b, real* x) {
  const real first = 1.0L / chain->mass[0];
  const real a00 = first * dot(chain, left[0], right[0]);
  if (chain->points == 1) {
    x[0] = b[0] / a00;
    return;
  }
  const real second = first + 1.0L / chain->mass[1];
  const real a01 = -first * dot(chain, left[0], right[1]);
  const real a10 = -first * dot(chain, left[1], right[0]);
  const real a11 = second * dot(chain, left[1], right[1]);
  const real determinant = a00 * a11 - a01 * a10;
  x[0] = (b[0] * a11 - a01 * b[1]) / determinant;
  x[1] = (a00 * b[1] - a10 * b[0]) / determinant;
}

static void step(Chain* chain, real h, real start, real end, bool projects) {
  real d[POINTS][COMPONENTS], ahead[POINTS][COMPONENTS], q[POINTS][COMPONENTS],
      pushed[POINTS][COMPONENTS];
  real tension[POINTS] = {0.0L}, residual[POINTS], more[POINTS];
  find_links(chain, chain->q, d);
  for (int pass = 0; pass < 40; pass++) {
    memcpy(pushed, chain->p, sizeof pushed);
    push(chain, d, tension, pushed);
    for (int r = 0; r < chain->points; r++) {
      for (int k = 0; k < chain->dimension; k++) {
        const real w = pushed[r][k] / chain->mass[r] + h * start * chain->force[k];
        q[r][k] = chain->q[r][k] + h * w;
      }
    }
    find_links(chain, q, ahead);
    for (int r = 0; r < chain->points; r++) {
      residual[r] =
          (dot(chain, ahead[r], ahead[r]) - chain->length[r] * chain->length[r]) / (2.0L * h);
    }
    solve(chain, ahead, d, residual, more);
    for (int r = 0; r < chain->points; r++) {
      tension[r] += more[r];
    }
  }
  memcpy(chain->q, q, sizeof q);
  for (int r = 0; r < chain->points; r++) {
    for (int k = 0; k < chain->dimension; k++) {
      chain->p[r][k] = pushed[r][k] + h * (start + end) * chain->mass[r] * chain->force[k];
    }
  }
  if (!projects) {
    return;
  }
  for (int r = 0; r < chain->points; r++) {
    real rate[COMPONENTS];
    for (int k = 0; k < chain->dimension; k++) {
      rate[k] = chain->p[r][k] / chain->mass[r] -
                (r > 0 ? chain->p[r - 1][k] / chain->mass[r - 1] : 0.0L);
    }
    residual[r] = dot(chain, ahead[r], rate);
  }
  solve(chain, ahead, ahead, residual, tension);
  push(chain, ahead, tension, chain->p);
}

static Chain chain_of(const Model* model, const VidaStepper* stepper) {
  Chain chain = {.points = model->particles, .dimension = model->dimension};
  for (int k = 0; k < model->dimension; k++) {
    chain.force[k] = model->gravity[k];
    chain.place[k] = 0.0L;
  }
  for (int r = 0; r < model->particles; r++) {
    chain.mass[r] = model->particle[r].mass;
    chain.length[r] = model->rod[r].length;
    for (int k = 0; k < model->dimension; k++) {
      chain.q[r][k] = VidaStepper_Positions(stepper)[r * model->dimension + k];
      chain.p[r][k] = VidaStepper_Momenta(stepper)[r * model->dimension + k];
    }
  }
  return chain;
}

/* Rounding of the library, whose rods hold to some 1e-16, grows by less than a thousand in these
 * times; one wrong operation in a step would leave errors of the order of h^3. */
static void compare(const Model* model, const char* method, double h, long steps) {
  VidaError error = {0};
  Motion motion = motion_start(model, method, h, "auto");
  Chain chain = chain_of(model, motion.stepper);
  const bool is_endpoint = strcmp(method, "del-endpoint") == 0;
  const real start = is_endpoint ? 0.0L : 0.5L, end = is_endpoint ? 1.0L : 0.5L;
  REQUIRE_OK(VidaStepper_Steps(motion.stepper, steps, NULL, &error), &error);
  for (long s = 0; s < steps; s++) {
    step(&chain, h, start, end, strcmp(method, "rattle") == 0);
  }
  const double *q = VidaStepper_Positions(motion.stepper), *p = VidaStepper_Momenta(motion.stepper);
  for (int i = 0; i < motion.n; i++) {
    const int r = i / model->dimension, k = i % model->dimension;
    EXPECT_NEAR(q[i], (double)chain.q[r][k], 1e-11 * model->length, "%s, %s, h = %g: position %d",
                model->name, method, h, i);
    EXPECT_NEAR(p[i], (double)chain.p[r][k], 1e-11 * model->speed * model->particle[r].mass,
                "%s, %s, h = %g: momentum %d", model->name, method, h, i);
  }
  motion_end(&motion);
}

static void test_steps(void) {
  static const char* const methods[] = {"del-endpoint", "del-trapezoidal", "rattle"};
  const Model models[] = {model_pendulum(2, 1.3, 0.7, 1.0, 0.5),
                          model_pendulum(3, 0.9, 1.6, 2.0, 1.0), model_chain(2, 0.4),
                          model_double_spherical_pendulum()};
  for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      compare(&models[k], methods[m], 1e-3, 1000);
      compare(&models[k], methods[m], 1e-2, 100);
    }
  }
}

int main(void) {
  static const CheckTest tests[] = {{"steps", test_steps}, {NULL, NULL}};
  return check_main("short chains", tests);
}
