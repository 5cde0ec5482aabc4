/* Checkpoints: a loaded stepper goes on as the saved one does, and what does not fit is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "diagnose/audit.h"
#include "support/check.h"

enum { MOST = 64 };

/* One system with its consistent start. */
typedef struct Subject {
  VidaSystem* system;
  int n, m;
  double q[MOST], v[MOST];
} Subject;

static Subject subject_of(const vida_audit_case* of) {
  Subject subject = {0};
  VidaError error;
  int code = VidaSystem_Create(of->name, of->dimension, &subject.system, &error);
  code = code ? code : of->build(subject.system, &error);
  code = code ? code : VidaSystem_Complete(subject.system, &error);
  code =
      code ? code : VidaSystem_Start(subject.system, 0.0, NULL, subject.q, subject.v, NULL, &error);
  REQUIRE_OK(code, &error);
  subject.n = VidaSystem_CoordinateCount(subject.system);
  subject.m = VidaSystem_ConstraintCount(subject.system);
  EXPECT(subject.n <= MOST, "room for %s", of->name);
  return subject;
}

/* NULL: the method or the options do not accept the system. */
static VidaStepper* start(const Subject* subject, const char* method, const char* settings,
                          double h) {
  VidaStepper* stepper = NULL;
  VidaOptions* options = NULL;
  char name[32], value[32];
  int code = VidaOptions_Create(method, &options, NULL);
  code = code ? code : VidaOptions_SetReal(options, "h", h, NULL);
  for (const char* next = settings; *next && !code; next += strcspn(next, ",") + 1) {
    code = sscanf(next, "%31[^=]=%31[^,]", name, value) != 2 ||
           VidaOptions_SetText(options, name, value, NULL);
    if (!strchr(next, ',')) {
      break;
    }
  }
  code = code || VidaStepper_Create(subject->system, options, &stepper, NULL) ||
         VidaStepper_Start(stepper, 0.0, subject->q, subject->v, NULL);
  VidaOptions_Destroy(&options);
  if (code) {
    VidaStepper_Destroy(&stepper);
  }
  return stepper;
}

/* Both steppers make the same steps and give the same answers, to the last bit. */
static int go_on(VidaStepper* a, VidaStepper* b, int n, long steps, bool in_series) {
  long made_a = 0, made_b = 0;
  double va[MOST], vb[MOST], ea = 0.0, eb = 0.0;
  int code_a = 0, code_b = 0;
  if (in_series) {
    code_a = VidaStepper_Steps(a, steps, &made_a, NULL);
    code_b = VidaStepper_Steps(b, steps, &made_b, NULL);
  } else {
    for (; made_a < steps && !code_a && !code_b; made_a++, made_b++) {
      code_a = VidaStepper_Step(a, NULL);
      code_b = VidaStepper_Step(b, NULL);
    }
  }
  if (code_a != code_b || made_a != made_b) {
    return -1;
  }
  const size_t bytes = (size_t)n * sizeof(double);
  const bool is_same =
      !memcmp(VidaStepper_Positions(a), VidaStepper_Positions(b), bytes) &&
      !memcmp(VidaStepper_Momenta(a), VidaStepper_Momenta(b), bytes) &&
      VidaStepper_Velocities(a, va, NULL) == VidaStepper_Velocities(b, vb, NULL) &&
      !memcmp(va, vb, bytes) &&
      VidaStepper_Energy(a, &ea, NULL, NULL) == VidaStepper_Energy(b, &eb, NULL, NULL) &&
      !memcmp(&ea, &eb, sizeof ea);
  const VidaStatistics sa = VidaStepper_Statistics(a), sb = VidaStepper_Statistics(b);
  return is_same && !memcmp(&sa, &sb, sizeof sa) ? code_a : -2;
}

/* Returns the first byte in which both records differ; -1: none. */
static long difference(const VidaStepper* a, const VidaStepper* b) {
  unsigned char *bytes_a = NULL, *bytes_b = NULL;
  size_t size_a = 0, size_b = 0;
  long at = -1;
  int code = VidaStepper_SaveBytes(a, &bytes_a, &size_a, NULL);
  code = code ? code : VidaStepper_SaveBytes(b, &bytes_b, &size_b, NULL);
  if (code || size_a != size_b) {
    at = -2;
  } else {
    for (size_t k = 0; k < size_a && at < 0; k++) {
      at = bytes_a[k] != bytes_b[k] ? (long)k : -1;
    }
  }
  free(bytes_a);
  free(bytes_b);
  return at;
}

static void compare(const Subject* subject, const char* system, const char* method,
                    const char* settings, double h, long before, bool in_series) {
  VidaStepper* stepper = start(subject, method, settings, h);
  VidaStepper* loaded = NULL;
  unsigned char* bytes = NULL;
  size_t size = 0;
  VidaError error = {0};
  if (!stepper) {
    return;
  }
  int code = 0;
  for (long k = 0; k < before && !code && !in_series; k++) {
    code = VidaStepper_Step(stepper, NULL);
  }
  code = in_series ? VidaStepper_Steps(stepper, before, NULL, NULL) : code;
  if (!code) {
    code = VidaStepper_SaveBytes(stepper, &bytes, &size, &error);
    EXPECT(code == 0, "%s on %s, %s: saves: %s", method, system, settings, error.message);
    code = code ? code : VidaStepper_LoadBytes(subject->system, NULL, bytes, size, &loaded, &error);
    EXPECT(code == 0, "%s on %s, %s: loads: %s", method, system, settings, error.message);
  }
  if (loaded) {
    EXPECT(difference(stepper, loaded) == -1,
           "%s on %s, %s: byte %ld of %zu differs when it is loaded", method, system, settings,
           difference(stepper, loaded), size);
    const int one = go_on(stepper, loaded, subject->n, 3, false);
    const int more = one ? one : go_on(stepper, loaded, subject->n, 40, in_series);
    EXPECT(one >= 0 && more >= 0, "%s on %s, %s after %ld steps: goes on (%d, %d)", method, system,
           settings, before, one, more);
    EXPECT(difference(stepper, loaded) == -1, "%s on %s, %s: byte %ld of %zu differs later", method,
           system, settings, difference(stepper, loaded), size);
  }
  free(bytes);
  VidaStepper_Destroy(&loaded);
  VidaStepper_Destroy(&stepper);
}

/* The package of SUNDIALS gives its history to nobody, and restarts from the node. */
static bool restarts(const char* method, const char* settings) {
  static const char* const by_arkode[] = {"baumgarte", "stabilized-ode", "post-stabilized",
                                          "coordinate-projection"};
  bool does = strncmp(method, "ida-", 4) == 0 || strcmp(method, "cvode-projected") == 0;
  for (size_t k = 0; k < sizeof by_arkode / sizeof *by_arkode; k++) {
    does = does || (strcmp(method, by_arkode[k]) == 0 && strstr(settings, "rtol"));
  }
  return does;
}

static void test_methods(void) {
  for (int s = 0; s < vida__audit_smooth_count(); s++) {
    const vida_audit_case* of = &vida__audit_cases[s];
    Subject subject = subject_of(of);
    for (int k = 0; k < Vida_MethodCount(); k++) {
      const char* method = Vida_MethodInfo(k)->name;
      if (!restarts(method, "")) {
        compare(&subject, of->name, method, "", of->h, 1, false);
        compare(&subject, of->name, method, "", of->h, 21, true);
      }
    }
    VidaSystem_Destroy(&subject.system);
  }
}

/* Saving leaves no trace in the stepper. */
static void check_unsaved(const Subject* subject, const char* method, double h) {
  enum { STEPS = 30 };
  VidaStepper* saved = start(subject, method, "", h);
  VidaStepper* plain = start(subject, method, "", h);
  const size_t bytes = (size_t)subject->n * sizeof(double);
  int code = 0;
  for (int k = 0; k < STEPS && saved && !code; k++) {
    unsigned char* record = NULL;
    size_t size;
    EXPECT(!VidaStepper_SaveBytes(saved, &record, &size, NULL), "%s saves", method);
    free(record);
    code = VidaStepper_Step(saved, NULL);
    EXPECT(VidaStepper_Step(plain, NULL) == code, "%s: another end", method);
  }
  EXPECT(!saved || (!memcmp(VidaStepper_Positions(saved), VidaStepper_Positions(plain), bytes) &&
                    !memcmp(VidaStepper_Momenta(saved), VidaStepper_Momenta(plain), bytes)),
         "%s: saving changes the motion", method);
  VidaStepper_Destroy(&saved);
  VidaStepper_Destroy(&plain);
}

static void test_unsaved(void) {
  for (int s = 1; s < vida__audit_smooth_count(); s += 4) {
    Subject subject = subject_of(&vida__audit_cases[s]);
    for (int k = 0; k < Vida_MethodCount(); k++) {
      check_unsaved(&subject, Vida_MethodInfo(k)->name, vida__audit_cases[s].h);
    }
    VidaSystem_Destroy(&subject.system);
  }
}

/* Options that change how steps are made. Those that a method does not have are left out. */
static void test_options(void) {
  static const char* const all[] = {"plan=general",
                                    "solver=kinsol",
                                    "solver=newton",
                                    "reduction=null-space",
                                    "linear_solver=klu",
                                    "linear_solver=dense",
                                    "rtol=1e-6",
                                    "order=4",
                                    "order=6",
                                    "stages=3",
                                    "base=rattle,scheme=kahan-li8",
                                    "base=del-midpoint",
                                    "base=energy-momentum",
                                    "density=energy",
                                    "scheme=hem4",
                                    "scheme=euler",
                                    "scheme=phem56,first_stage=scheme",
                                    "first_stage=scheme",
                                    "level=velocity",
                                    "projection=velocity",
                                    "metric=identity",
                                    "integrator=sdirk",
                                    "integrator=rk4",
                                    "condition_bound=10",
                                    "coordinates=pivoting",
                                    "energy=midpoint",
                                    "tau=0.1",
                                    "compliance=1e-6,damping_time=0.1"};
  for (int s = 0; s < vida__audit_smooth_count(); s += CHECK_SANITIZED ? 4 : 3) {
    const vida_audit_case* of = &vida__audit_cases[s];
    Subject subject = subject_of(of);
    for (int k = 0; k < Vida_MethodCount(); k++) {
      const char* method = Vida_MethodInfo(k)->name;
      for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!restarts(method, all[i]) && !CHECK_LEAVES_OUT(k, (int)i + s, 3)) {
          compare(&subject, of->name, method, all[i], of->h, 9, i % 2 == 0);
        }
      }
    }
    VidaSystem_Destroy(&subject.system);
  }
}

/* Methods that restart stay within their tolerance of the motion that was not stopped. */
static void test_restarts(void) {
  static const struct {
    const char *method, *settings;
  } cases[] = {{"ida-index3", "rtol=1e-8"},
               {"ida-index2", "rtol=1e-8"},
               {"ida-ggl", "rtol=1e-8"},
               {"ida-index1", "rtol=1e-8"},
               {"ida-projected", "rtol=1e-8"},
               {"cvode-projected", "rtol=1e-8"},
               {"baumgarte", "rtol=1e-8"},
               {"coordinate-projection", "rtol=1e-8"},
               {"post-stabilized", "rtol=1e-8"},
               {"stabilized-ode", "rtol=1e-8"},
               {"baumgarte", "rtol=1e-8,integrator=adams"}};
  for (int s = 0; s < vida__audit_smooth_count(); s += CHECK_SANITIZED ? 4 : 2) {
    const vida_audit_case* of = &vida__audit_cases[s];
    Subject subject = subject_of(of);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
      VidaStepper* stepper = start(&subject, cases[k].method, cases[k].settings, of->h);
      VidaStepper* loaded = NULL;
      unsigned char* bytes = NULL;
      size_t size = 0;
      VidaError error = {0};
      if (!stepper) {
        continue;
      }
      REQUIRE_OK(VidaStepper_Steps(stepper, 9, NULL, &error), &error);
      REQUIRE_OK(VidaStepper_SaveBytes(stepper, &bytes, &size, &error), &error);
      REQUIRE_OK(VidaStepper_LoadBytes(subject.system, NULL, bytes, size, &loaded, &error), &error);
      REQUIRE_OK(VidaStepper_Steps(stepper, 20, NULL, &error), &error);
      REQUIRE_OK(VidaStepper_Steps(loaded, 20, NULL, &error), &error);
      for (int i = 0; i < subject.n; i++) {
        const double q = VidaStepper_Positions(stepper)[i];
        EXPECT_NEAR(VidaStepper_Positions(loaded)[i], q, 1e-5 * (1.0 + fabs(q)), "%s %s on %s",
                    cases[k].method, cases[k].settings, of->name);
      }
      EXPECT(VidaStepper_Time(stepper) == VidaStepper_Time(loaded), "%s: another time",
             cases[k].method);
      free(bytes);
      VidaStepper_Destroy(&loaded);
      VidaStepper_Destroy(&stepper);
    }
    VidaSystem_Destroy(&subject.system);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"methods", test_methods},
                                    {"unsaved", test_unsaved},
                                    {"options", test_options},
                                    {"restarts", test_restarts},
                                    {NULL, NULL}};
  return check_main("checkpoint", tests);
}
