/* Plans and solvers: each makes the same steps to rounding, on every system of the audit without
 * events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/audit.h"
#include "support/check.h"

enum { STEPS = 1000, MOST_COORDINATES = 64 };

/* What is compared with the defaults. */
static const struct {
  const char *option, *value;
} variants[] = {{"plan", "general"}, {"solver", "newton"}, {"solver", "kinsol"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static bool has_option(const VidaOptions* options, const char* name) {
  VidaOptions* copy = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaOptions_Copy(options, &copy, &error), &error);
  const bool has = VidaOptions_SetText(copy, name, "auto", NULL) == VIDA_SUCCESS;
  VidaOptions_Destroy(&copy);
  return has;
}

/* Makes the steps, and returns whether the method accepts the system with these options; q (n)
 * receives the positions. */
static bool move(const vida_subject* subject, const VidaOptions* options, double* q) {
  VidaError error = {0};
  VidaStepper* stepper = NULL;
  if (VidaStepper_Create(subject->system, options, &stepper, &error)) {
    return false;
  }
  int code = VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &error);
  for (int k = 0; k < STEPS && !code; k++) {
    code = VidaStepper_Step(stepper, &error);
  }
  REQUIRE_OK(code, &error);
  memcpy(q, VidaStepper_Positions(stepper), (size_t)subject->n * sizeof *q);
  VidaStepper_Destroy(&stepper);
  return true;
}

/* Returns the largest difference between two positions, relative to the largest coordinate. */
static double compare(int n, const double* a, const double* b) {
  double size = 0.0, off = 0.0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(a[i]));
    off = fmax(off, fabs(a[i] - b[i]));
  }
  return off / size;
}

/* Returns the number of comparisons. */
static int compare_variants(const vida_subject* subject, const char* method) {
  VidaError error = {0};
  double q[MOST_COORDINATES], other[MOST_COORDINATES];
  VidaOptions* options = NULL;
  int compared = 0;
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  const bool any = has_option(options, "plan") || has_option(options, "solver");
  if (any && !Vida_IsAdaptive(options)) {
    REQUIRE_OK(VidaOptions_SetReal(options, "h", subject->of->h, &error), &error);
    const bool accepts = move(subject, options, q);
    for (int k = 0; k < VARIANTS && accepts; k++) {
      VidaOptions* varied = NULL;
      REQUIRE_OK(VidaOptions_Copy(options, &varied, &error), &error);
      if (VidaOptions_SetText(varied, variants[k].option, variants[k].value, NULL) ==
              VIDA_SUCCESS &&
          move(subject, varied, other)) {
        EXPECT_BELOW(compare(subject->n, q, other), 1e-13, "%s, %s, %s = %s", subject->of->name,
                     method, variants[k].option, variants[k].value);
        compared++;
      }
      VidaOptions_Destroy(&varied);
    }
  }
  VidaOptions_Destroy(&options);
  return compared;
}

static void test_same_motions(void) {
  int compared = 0;
  /* Through events differences that are rounding grow, and some modes are refused. */
  for (int i = 0; i < vida__audit_smooth_count(); i++) {
    VidaError error = {0};
    vida_subject* subject = NULL;
    REQUIRE_OK(vida__create_subject(&vida__audit_cases[i], &subject, &error), &error);
    for (int m = 0; m < Vida_MethodCount(); m++) {
      compared += compare_variants(subject, Vida_MethodInfo(m)->name);
    }
    vida__destroy_subject(&subject);
  }
  EXPECT(compared > 500, "%d comparisons", compared);
}

int main(void) {
  static const CheckTest tests[] = {{"the same motions", test_same_motions}, {NULL, NULL}};
  return check_main("agreement of plans and solvers", tests);
}
