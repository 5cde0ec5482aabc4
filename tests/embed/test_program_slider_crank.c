/* SUNDIALS' slider-crank (idaSlCrank_dns) with its physics from bodies and joints and IDA of the
 * program, against the equations of that example in one coordinate, and against its output. */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/program.h"

/* ---- the reference --------------------------------------------------------------------------- */

/* The example's positions, velocities and generalized forces, with a = 1/2, J1 = m2 = k = c = l0 =
 * F = 1 and J2 = 2. The constraints x = cos p + a cos q, 0 = sin p + a sin q leave the angle q. */
static const double half = 0.5;

/* p, x and their first two derivatives by q. */
static void chain(double q, double p[3], double x[3]) {
  const double sine = -half * sin(q), cosine = sqrt(1.0 - sine * sine);
  p[0] = asin(sine);
  p[1] = -half * cos(q) / cosine;
  p[2] = (half * sin(q) + sine * p[1] * p[1]) / cosine;
  x[0] = cosine + half * cos(q);
  x[1] = -sine * p[1] - half * sin(q);
  x[2] = -cosine * p[1] * p[1] - sine * p[2] - half * cos(q);
}

/* The acceleration of q by d'Alembert's principle: the spring and the damper act between the points
 * (a/2) (cos q, sin q) and (x - cos p / 2, -sin p / 2), the force at x + cos p. */
static double acceleration(double q, double w) {
  double p[3], x[3];
  chain(q, p, x);
  const double dx = x[0] - 0.5 * cos(p[0]) - 0.5 * half * cos(q);
  const double dy = -0.5 * sin(p[0]) - 0.5 * half * sin(q);
  const double dx_q = x[1] + 0.5 * sin(p[0]) * p[1] + 0.5 * half * sin(q);
  const double dy_q = -0.5 * cos(p[0]) * p[1] - 0.5 * half * cos(q);
  const double distance = hypot(dx, dy);
  const double by_q = (dx * dx_q + dy * dy_q) / distance;
  const double tension = (distance - 1.0) + by_q * w;
  const double force = -tension * by_q + (x[1] - sin(p[0]) * p[1]);
  const double inertia = 1.0 + x[1] * x[1] + 2.0 * p[1] * p[1];
  return (force - (x[1] * x[2] + 2.0 * p[1] * p[2]) * w * w) / inertia;
}

/* The classical Runge-Kutta method; with these steps its error is below 1e-11. */
static double crank_angle(double t) {
  enum { STEPS = 20000 };
  const double h = t / STEPS;
  double q = acos(0.0), w = 0.0;
  for (int k = 0; k < STEPS; k++) {
    const double w1 = w, a1 = acceleration(q, w);
    const double w2 = w + 0.5 * h * a1, a2 = acceleration(q + 0.5 * h * w1, w2);
    const double w3 = w + 0.5 * h * a2, a3 = acceleration(q + 0.5 * h * w2, w3);
    const double w4 = w + h * a3, a4 = acceleration(q + h * w3, w4);
    q += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    w += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
  }
  return q;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* The reference is the example: its output has five digits (idaSlCrank_dns.out of SUNDIALS). */
static void test_reference(void) {
  static const double printed[][3] = {{2.5, 7.2238e-02, 1.4980},
                                      {5.0, -1.4300, 9.3903e-01},
                                      {7.5, 1.8041e-01, 1.4879},
                                      {10.0, 1.2757, 1.0236}};
  for (int k = 0; k < 4; k++) {
    double p[3], x[3];
    const double q = crank_angle(printed[k][0]);
    chain(q, p, x);
    EXPECT_NEAR(q, printed[k][1], 1.5e-4, "crank angle at %g", printed[k][0]);
    EXPECT_NEAR(x[0], printed[k][2], 1.5e-4, "slider at %g", printed[k][0]);
  }
}

static void compare(VidaFormulationKind kind, SUNMatrix_ID matrix, double rtol, double bound) {
  VidaSystem* system = program_slider_crank();
  Program program = program_with_ida(system, kind, matrix, rtol);
  double p[3], x[3];
  program_solve(&program, 10.0);
  const double q = crank_angle(10.0);
  chain(q, p, x);
  EXPECT_NEAR(NV_Ith_S(program.y, CRANK_ANGLE), q, bound, "crank angle, formulation %d", (int)kind);
  EXPECT_NEAR(NV_Ith_S(program.y, SLIDER), x[0], bound, "slider, formulation %d", (int)kind);
  EXPECT_NEAR(NV_Ith_S(program.y, ROD_ANGLE), p[0], bound, "rod, formulation %d", (int)kind);
  program_free(&program);
  VidaSystem_Destroy(&system);
}

/* 10^4 tolerances after 10 s, of index 3 10^5. */
static void test_formulations(void) {
  for (int is_sparse = 0; is_sparse < 2; is_sparse++) {
    const SUNMatrix_ID matrix = is_sparse ? SUNMATRIX_SPARSE : SUNMATRIX_DENSE;
    compare(VIDA_FORMULATION_INDEX_3, matrix, 1e-8, 1e-3);
    compare(VIDA_FORMULATION_INDEX_2, matrix, 1e-8, 1e-4);
    compare(VIDA_FORMULATION_GGL, matrix, 1e-8, 1e-4);
    compare(VIDA_FORMULATION_INDEX_1, matrix, 1e-8, 1e-4);
  }
}

/* As the example does it, with its tolerances: 222 steps and 874 residuals there, of which those
 * for difference quotients are not needed here. */
static void test_counts(void) {
  VidaSystem* system = program_slider_crank();
  Program program = program_with_ida(system, VIDA_FORMULATION_GGL, SUNMATRIX_DENSE, 1e-6);
  long steps = 0, residuals = 0;
  IDASStolerances(program.memory, 1e-6, 1e-6);
  program_solve(&program, 10.0);
  IDAGetNumSteps(program.memory, &steps);
  IDAGetNumResEvals(program.memory, &residuals);
  EXPECT(steps > 100 && steps < 450, "%ld steps", steps);
  EXPECT(residuals < 1000, "%ld residuals", residuals);
  program_free(&program);
  VidaSystem_Destroy(&system);
}

static const CheckTest tests[] = {{"reference", test_reference},
                                  {"formulations", test_formulations},
                                  {"counts", test_counts},
                                  {NULL, NULL}};

int main(void) {
  return check_main("slider-crank in a program", tests);
}
