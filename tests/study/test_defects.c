/* Symplectic and reversibility defects of runs, against closed forms for x'' = -w^2 x. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"

#define OMEGA 2.0
#define X0 0.3
#define V0 0.7
#define H 0.1

static const char both[] = "time=20 symplectic=true reversibility=true";

typedef struct Work {
  VidaSystem* system;
  VidaStudy* study;
} Work;

/* Takes the system over. */
static Work run_on(VidaSystem* system, const char* options, const char* const* methods, int count) {
  VidaError error = {0};
  Work work = {system, comparison_study(system, options)};
  comparison_add(work.study, NULL, methods, count);
  REQUIRE_OK(VidaStudy_Run(work.study, NULL, &error), &error);
  for (int i = 0; i < count; i++) {
    const VidaRow* row = VidaStudy_Row(work.study, i);
    EXPECT(strcmp(row->status, "ok") == 0, "%s: %s", methods[i], row->message);
  }
  return work;
}

static VidaSystem* oscillator(void) {
  const Model model = model_oscillator(1.0, OMEGA * OMEGA, X0, V0);
  return model_system(&model);
}

static void end(Work* work) {
  VidaStudy_Destroy(&work->study);
  VidaSystem_Destroy(&work->system);
}

/* With one coordinate the form is the area: the classical Runge-Kutta method changes it by
 * det = |R(i w h)|^2 = 1 - z^6/72 + z^8/576 in each step. */
static void test_area(void) {
  static const char* const methods[] = {"baumgarte integrator=rk4 h=0.1", "symplectic-euler h=0.1",
                                        "rattle h=0.1"};
  const double z2 = OMEGA * H * OMEGA * H;
  const double ratio = 1.0 - z2 * z2 * z2 / 72.0 + z2 * z2 * z2 * z2 / 576.0;
  for (int steps = 1; steps <= 50; steps += 49) {
    char options[128];
    snprintf(options, sizeof options, "%s defect_steps=%d", both, steps);
    Work work = run_on(oscillator(), options, methods, 3);
    const VidaRow* row = VidaStudy_Row(work.study, 0);
    EXPECT_NEAR(row->symplectic_defect, 1.0 - pow(ratio, steps), 1e-11, "%d steps", steps);
    EXPECT_BELOW(row->symplectic_noise, 1e-11, "%d steps", steps);
    for (int i = 1; i < 3; i++) {
      EXPECT_BELOW(VidaStudy_Row(work.study, i)->symplectic_defect, 1e-11, "%s", methods[i]);
    }
    end(&work);
  }
}

/* A flight, then a kick by the force at its end. */
static void euler_steps(int steps, double* x, double* v, double* far) {
  const double start = *x;
  for (int i = 0; i < steps; i++) {
    *x += H * *v;
    *v -= H * OMEGA * OMEGA * *x;
    *far = fmax(*far, fabs(*x - start));
  }
}

static void test_there_and_back(void) {
  static const char* const methods[] = {"symplectic-euler h=0.1", "verlet h=0.1"};
  enum { STEPS = 50 };
  double x = X0, v = V0, far = 0.0, unused = 0.0;
  euler_steps(STEPS, &x, &v, &far);
  const double fast = fmax(fmax(V0, fabs(v)), far / (STEPS * H));
  v = -v;
  euler_steps(STEPS, &x, &v, &unused);
  Work work = run_on(oscillator(), both, methods, 2);
  const double expected = fmax(fabs(x - X0) / far, fabs(-v - V0) / fast);
  EXPECT_NEAR(VidaStudy_Row(work.study, 0)->reversibility_defect, expected, 1e-12, "Euler");
  EXPECT(expected > 0.01, "the test should see something: %g", expected);
  EXPECT_BELOW(VidaStudy_Row(work.study, 1)->reversibility_defect, 1e-13, "Verlet");
  end(&work);
}

/* Lengths in millimetres, a mass of 5 t and slow swings change nothing: defects have no unit. */
static void test_scales(void) {
  static const char* const methods[] = {"energy-momentum h=0.05", "rattle h=0.05"};
  static const char* const slow[] = {"energy-momentum h=50", "rattle h=50"};
  const Model model = model_double_spherical_pendulum();
  Model small = model;
  for (int i = 0; i < small.particles; i++) {
    for (int k = 0; k < 3; k++) {
      small.particle[i].position[k].value *= 1e-3;
      small.particle[i].velocity[k].value *= 1e-6;
    }
    small.particle[i].mass *= 1e3;
  }
  for (int i = 0; i < 3; i++) {
    small.gravity[i] *= 1e-9;
  }
  for (int i = 0; i < small.rods; i++) {
    small.rod[i].length *= 1e-3;
  }
  Work work = run_on(model_system(&model),
                     "time=5 symplectic=true reversibility=true defect_steps=20", methods, 2);
  Work other = run_on(model_system(&small),
                      "time=5000 symplectic=true reversibility=true defect_steps=20", slow, 2);
  for (int i = 0; i < 2; i++) {
    const VidaRow *a = VidaStudy_Row(work.study, i), *b = VidaStudy_Row(other.study, i);
    EXPECT_NEAR(b->symplectic_defect, a->symplectic_defect,
                a->symplectic_noise + b->symplectic_noise, "%s", methods[i]);
    EXPECT_BELOW(a->reversibility_defect, 1e-11, "%s", methods[i]);
    EXPECT_BELOW(b->reversibility_defect, 1e-11, "%s", methods[i]);
  }
  EXPECT(VidaStudy_Row(work.study, 0)->symplectic_defect > 1e-6,
         "energy-momentum is not symplectic");
  EXPECT_BELOW(VidaStudy_Row(work.study, 1)->symplectic_defect, 1e-8, "RATTLE is");
  end(&work);
  end(&other);
}

/* From rest at an angle of a mixed system, and a start of the run's own. */
static void test_from_rest(void) {
  static const char* const methods[] = {"rattle h=0.02", "baumgarte integrator=rk4 h=0.1"};
  const Model model = model_pendulum(2, 2.0, 1.5, 1.2, 0.0);
  Work work = run_on(model_system(&model), both, methods, 2);
  EXPECT_BELOW(VidaStudy_Row(work.study, 0)->symplectic_defect, 1e-8, "RATTLE");
  EXPECT_BELOW(VidaStudy_Row(work.study, 0)->reversibility_defect, 1e-12, "RATTLE");
  EXPECT(VidaStudy_Row(work.study, 1)->symplectic_defect > 1e-5, "%g",
         VidaStudy_Row(work.study, 1)->symplectic_defect);
  end(&work);
}

/* At rest in equilibrium there is no motion to be beside. */
static void test_equilibrium(void) {
  static const char* const methods[] = {"verlet h=0.1"};
  const Model model = model_oscillator(1.0, 4.0, 0.0, 0.0);
  Work work = run_on(model_system(&model), both, methods, 1);
  const VidaRow* row = VidaStudy_Row(work.study, 0);
  EXPECT(isnan(row->symplectic_defect) && isnan(row->reversibility_defect), "%g, %g",
         row->symplectic_defect, row->reversibility_defect);
  end(&work);
}

/* A method that chooses its steps comes back with an error of the size of its tolerance, and its
 * map is not smooth enough for differences, as the noise tells. */
static void test_adaptive(void) {
  static const char* const methods[] = {"ida-ggl rtol=1e-6"};
  const Model model = model_pendulum(2, 2.0, 1.5, 1.2, 0.0);
  Work work = run_on(model_system(&model), both, methods, 1);
  const VidaRow* row = VidaStudy_Row(work.study, 0);
  EXPECT(row->reversibility_defect > 1e-8 && row->reversibility_defect < 1e-2, "%g",
         row->reversibility_defect);
  EXPECT(row->symplectic_noise > 1e-8, "%g", row->symplectic_noise);
  end(&work);
}

/* ---- stopping -------------------------------------------------------------------------------- */

static int stop_at_defects(void* data, int run, const char* what, double fraction) {
  (void)run;
  (void)fraction;
  *(bool*)data = *(bool*)data || strstr(what, "defects");
  return *(bool*)data;
}

/* Defects of many steps take long: they can be stopped, and the run keeps what it has. */
static void test_stopped(void) {
  static const char* const methods[] = {"rattle h=0.001"};
  const Model model = model_double_spherical_pendulum();
  bool stopped = false;
  const VidaObserver observer = {.progress = stop_at_defects, .data = &stopped};
  VidaError error = {0};
  Work work = {model_system(&model), NULL};
  work.study = comparison_study(work.system, "time=100 symplectic=true defect_steps=100000");
  comparison_add(work.study, NULL, methods, 1);
  EXPECT_ERROR(VidaStudy_Run(work.study, &observer, &error), &error, VIDA_STOPPED, "stopped");
  EXPECT(stopped, "nobody was asked");
  EXPECT(strcmp(VidaStudy_Row(work.study, 0)->status, "ok") == 0 &&
             isnan(VidaStudy_Row(work.study, 0)->symplectic_defect),
         "%s", VidaStudy_Row(work.study, 0)->status);
  end(&work);
}

int main(void) {
  static const CheckTest tests[] = {{"area", test_area},
                                    {"there and back", test_there_and_back},
                                    {"scales", test_scales},
                                    {"from rest", test_from_rest},
                                    {"equilibrium", test_equilibrium},
                                    {"adaptive", test_adaptive},
                                    {"stopped", test_stopped},
                                    {NULL, NULL}};
  return check_main("defects", tests);
}
