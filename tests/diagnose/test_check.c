/* Checking a model: faults that are planted have to be found, and what is right must stay quiet. */
#include <math.h>
#include <string.h>

#include <vida/check.h>

#include "support/check.h"
#include "support/formula.h"
#include "support/mechanism.h"
#include "support/model.h"

static VidaCheck* check_of(const VidaSystem* system) {
  VidaError error;
  VidaCheck* check = NULL;
  REQUIRE_OK(VidaCheck_Create(system, 0.0, NULL, &check, &error), &error);
  return check;
}

/* The first finding of this severity about this subject; NULL: none. */
static const VidaFinding* find(const VidaCheck* check, VidaSeverity severity, const char* subject) {
  for (int i = 0; i < VidaCheck_FindingCount(check); i++) {
    const VidaFinding* finding = VidaCheck_Finding(check, i);
    if (finding->severity == severity && strcmp(finding->subject, subject) == 0) {
      return finding;
    }
  }
  return NULL;
}

static void expect_quiet(const VidaCheck* check, const char* name) {
  for (int i = 0; i < VidaCheck_FindingCount(check); i++) {
    const VidaFinding* finding = VidaCheck_Finding(check, i);
    EXPECT(finding->severity == VIDA_SEVERITY_NOTE, "%s: %s: %s", name, finding->subject,
           finding->message);
  }
}

static void expect_finding(const VidaCheck* check, VidaSeverity severity, const char* subject,
                           const char* text) {
  const VidaFinding* finding = find(check, severity, subject);
  EXPECT(finding != NULL, "nothing about '%s'", subject);
  if (finding) {
    EXPECT(strstr(finding->message, text) != NULL, "'%s' is not in \"%s\"", text, finding->message);
  }
}

/* ---- what is right --------------------------------------------------------------------------- */

static void test_models(void) {
  const double zero[3] = {0.0, 0.0, 0.0};
  const Model models[] = {model_double_spherical_pendulum(),
                          model_four_particles(),
                          model_oscillator(1e-6, 1e6, 1e-3, 0.0),
                          model_springs(),
                          model_chain(5, 0.3),
                          model_free_particle(3, 1.0, zero, zero)};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    VidaSystem* system = model_system(&models[k]);
    VidaCheck* check = check_of(system);
    const VidaCheckNumbers numbers = VidaCheck_Numbers(check);
    expect_quiet(check, models[k].name);
    EXPECT(VidaCheck_Worst(check) == VIDA_SEVERITY_NOTE, "%s", models[k].name);
    EXPECT(numbers.degrees_of_freedom ==
               VidaSystem_CoordinateCount(system) - VidaSystem_ConstraintCount(system),
           "%s: %d degrees of freedom", models[k].name, numbers.degrees_of_freedom);
    EXPECT(numbers.factor_entries > 0, "%s: %ld", models[k].name, numbers.factor_entries);
    for (int p = 0; p < VidaCheck_PartCount(check); p++) {
      const VidaCheckPart* part = VidaCheck_Part(check, p);
      EXPECT_BELOW(part->first, 1e-8, "%s: first derivatives of %s", models[k].name, part->name);
      EXPECT_BELOW(part->second, 1e-8, "%s: second derivatives of %s", models[k].name, part->name);
      EXPECT_BELOW(part->discrete, 1e-12, "%s: sum of %s", models[k].name, part->name);
      EXPECT(!(part->equivariance > 1e-12), "%s: %g of %s", models[k].name, part->equivariance,
             part->name);
    }
    EXPECT(!VidaCheck_Part(check, -1) && !VidaCheck_Finding(check, -1), "what is not there");
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&system);
  }
}

/* Energy and momenta of the start against sums over the particles. */
static void test_constants(void) {
  const Model model = model_four_particles();
  VidaSystem* system = model_system(&model);
  VidaCheck* check = check_of(system);
  VidaError error;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES], linear[3], angular[3];
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  model_momenta(&model, q, v, linear, angular);
  EXPECT_NEAR(VidaCheck_Numbers(check).energy, model_energy(&model, q, v), 1e-13, "energy");
  for (int k = 0; k < 6; k++) {
    EXPECT_NEAR(VidaCheck_Momentum(check, k), k < 3 ? linear[k] : angular[k - 3], 1e-14,
                "momentum %d", k);
  }
  EXPECT(isnan(VidaCheck_Momentum(check, 6)), "a momentum that is not there");
  VidaCheck_Destroy(&check);
  VidaSystem_Destroy(&system);
}

/* ---- a callback with a wrong derivative -------------------------------------------------------
 */

/* L = (v0^2 + v1^2) / 2 - q0^2 q1: one derivative at a time is wrong by one part in a thousand. */
typedef struct Fault {
  int where; /* 0: none; 1: L_q0; 2: L_v1; 3: L_q0q1; 4: g_1; 5: curvature; 6: g_t; 7: L is NaN */
} Fault;

static double factor(const Fault* fault, int where) {
  return fault->where == where ? 1.001 : 1.0;
}

static int value(double t, const double* q, const double* v, double* l, void* data) {
  (void)t;
  if (((const Fault*)data)->where == 7) {
    *l = (double)NAN;
    return 0;
  }
  *l = 0.5 * (v[0] * v[0] + v[1] * v[1]) - q[0] * q[0] * q[1];
  return 0;
}

static int gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                    void* data) {
  (void)t;
  l_q[0] = -2.0 * q[0] * q[1] * factor(data, 1);
  l_q[1] = -q[0] * q[0];
  l_v[0] = v[0];
  l_v[1] = v[1] * factor(data, 2);
  return 0;
}

static int hessian(double t, const double* q, const double* v, double* l_qq, double* l_qv,
                   double* l_vv, void* data) {
  (void)t, (void)v, (void)l_qv;
  l_qq[0] = -2.0 * q[1];
  l_qq[1] = l_qq[2] = -2.0 * q[0] * factor(data, 3);
  l_vv[0] = l_vv[3] = 1.0;
  return 0;
}

/* g = q0 q1 - 0.12 (1 + t) */
static int row(double t, const double* q, double* g, void* data) {
  (void)data;
  g[0] = q[0] * q[1] - 0.12 * (1.0 + t);
  return 0;
}

static int row_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t;
  jacobian[0] = q[1];
  jacobian[1] = q[0] * factor(data, 4);
  return 0;
}

static int row_curvature(double t, const double* q, const double* lambda, double* curvature,
                         void* data) {
  (void)t, (void)q;
  curvature[1] = curvature[2] = lambda[0] * factor(data, 5);
  return 0;
}

static int row_rate(double t, const double* q, double* rate, void* data) {
  (void)t, (void)q;
  rate[0] = -0.12 * factor(data, 6);
  return 0;
}

static VidaSystem* faulty_system(Fault* fault) {
  static const int both[2] = {0, 1};
  VidaError error;
  VidaSystem* system = NULL;
  const VidaLagrangian lagrangian = {value, gradient, hessian};
  const VidaConstraint constraint = {row, row_jacobian, row_curvature, row_rate};
  REQUIRE_OK(VidaSystem_Create("callbacks", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(0.3),
                                      VidaInitial_Free(0.0), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "y", "m", VidaInitial_Given(0.4),
                                      VidaInitial_Given(0.0), NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddLagrangian(system, "well", 2, both, &lagrangian, fault, &error), &error);
  REQUIRE_OK(VidaSystem_AddConstraint(system, "hyperbola", 1, 2, both, &constraint, fault, &error),
             &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_wrong_derivatives(void) {
  static const struct {
    const char* subject;
    const char* text;
  } expected[] = {{NULL, NULL},
                  {"well", "derivative with respect to x is"},
                  {"well", "derivative with respect to d y/dt is"},
                  {"well", "second derivative with respect to"},
                  {"hyperbola", "gradient with respect to y is"},
                  {"hyperbola", "second derivative with respect to"},
                  {"hyperbola", "derivative with respect to time is"},
                  {"well", "the Lagrangian returned a value that is not finite"}};
  for (int where = 0; where <= 7; where++) {
    Fault fault = {where};
    VidaSystem* system = faulty_system(&fault);
    VidaCheck* check = check_of(system);
    if (where == 0) {
      expect_quiet(check, "no fault");
    } else {
      expect_finding(check, VIDA_SEVERITY_ERROR, expected[where].subject, expected[where].text);
      EXPECT(VidaCheck_Worst(check) == VIDA_SEVERITY_ERROR, "fault %d", where);
    }
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&system);
  }
}

/* ---- constraints and start ------------------------------------------------------------------- */

static void test_redundant_rows(void) {
  const Door door = {.hinges = 2, .opened = 1.0};
  VidaSystem* system = mechanism_door(&door);
  VidaCheck* check = check_of(system);
  const VidaCheckNumbers numbers = VidaCheck_Numbers(check);
  EXPECT(numbers.rank == 11 && numbers.degrees_of_freedom == 1, "rank %d, freedom %d", numbers.rank,
         numbers.degrees_of_freedom);
  expect_finding(check, VIDA_SEVERITY_WARNING, "upper hinge z", "depends on");
  expect_finding(check, VIDA_SEVERITY_WARNING, "upper hinge axis 1", "'lower hinge axis 1'");
  EXPECT(VidaCheck_Worst(check) == VIDA_SEVERITY_WARNING, "worst is %d", VidaCheck_Worst(check));
  VidaCheck_Destroy(&check);
  VidaSystem_Destroy(&system);
}

static void test_inconsistent_start(void) {
  Model model = model_pendulum(2, 1.0, 1.0, 0.5, 0.0);
  model.particle[0].position[0].value += 0.1;
  VidaSystem* system = model_system(&model);
  VidaCheck* check = check_of(system);
  expect_finding(check, VIDA_SEVERITY_ERROR, "start", "'rod'");
  EXPECT(VidaCheck_Numbers(check).rank == 1, "the rest is looked at all the same");
  VidaCheck_Destroy(&check);
  VidaSystem_Destroy(&system);
}

/* ---- symmetries ------------------------------------------------------------------------------ */

static VidaExpression sum_of(VidaSystem* system, VidaExpression a, VidaExpression b) {
  return apply(system, "+", a, b);
}

static VidaExpression product_of(VidaSystem* system, double factor, VidaExpression a,
                                 VidaExpression b) {
  return times(system, factor, apply(system, "*", a, b));
}

/* L = (dx/dt + 0.1 dy/dt)^2 / 2, whose mass matrix [1 0.1; 0.1 0.01] is singular: alone, with the
 * row x = 0, which leaves y as the only one to move, and with 10 x = y, where M + G^T G is regular
 * as well. Only with x + 0.1 y = 0 do mass matrix and row say the same. */
static void test_singular_mass(void) {
  static const struct {
    double a, b; /* of the row a x + b y = 0; zeros: there is none */
    bool is_open;
  } cases[] = {{0.0, 0.0, true}, {0.0, 1.0, false}, {10.0, -1.0, false}, {1.0, 0.1, true}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    VidaError error;
    VidaSystem* system = NULL;
    VidaExpression part[2], row_part[2];
    const double weights[2] = {1.0, 0.1};
    REQUIRE_OK(VidaSystem_Create("one rate", 2, &system, &error), &error);
    for (int i = 0; i < 2; i++) {
      const VidaInitial at = VidaInitial_Given(0.0);
      REQUIRE_OK(VidaSystem_AddCoordinate(system, i ? "y" : "x", "m", at, at, NULL, &error),
                 &error);
      part[i] = apply(system, "*", number(system, weights[i]), rate(system, i));
      row_part[i] =
          apply(system, "*", number(system, i ? cases[k].b : cases[k].a), position(system, i));
    }
    const VidaExpression rate = sum_of(system, part[0], part[1]);
    REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "T", product_of(system, 0.5, rate, rate),
                                                  &error),
               &error);
    if (cases[k].b != 0.0) {
      REQUIRE_OK(VidaSystem_AddExpressionConstraint(
                     system, "line", "m", sum_of(system, row_part[0], row_part[1]), &error),
                 &error);
    }
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    VidaCheck* check = check_of(system);
    if (!cases[k].is_open) {
      EXPECT(find(check, VIDA_SEVERITY_WARNING, "mass matrix") == NULL, "case %zu", k);
    } else if (cases[k].b == 0.0) {
      expect_finding(check, VIDA_SEVERITY_ERROR, "mass matrix", "singular");
    } else {
      expect_finding(check, VIDA_SEVERITY_WARNING, "mass matrix", "do not determine");
    }
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&system);
  }
}

/* A particle in a potential of x, y: |r|^6 through r.r, the same written out as
 * x^6 + 3 x^4 y^2 + 3 x^2 y^4 + y^6, and one that is not invariant. */
static VidaSystem* well_system(int kind) {
  VidaError error;
  VidaSystem* system = NULL;
  VidaParticle particle = {.name = "p", .mass = 1.0};
  for (int i = 0; i < 2; i++) {
    particle.position[i] = VidaInitial_Given(0.5 + i);
    particle.velocity[i] = VidaInitial_Given(0.2 - i);
  }
  REQUIRE_OK(VidaSystem_Create("well", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
  VidaExpression power[2][7];
  for (int i = 0; i < 2; i++) {
    for (int k = 2; k <= 6; k += 2) {
      power[i][k] = apply(system, "^", position(system, i), number(system, (double)k));
    }
  }
  const VidaExpression square = sum_of(system, power[0][2], power[1][2]);
  const VidaExpression pure = sum_of(system, power[0][6], power[1][6]);
  const VidaExpression mixed = sum_of(system, product_of(system, 3.0, power[0][4], power[1][2]),
                                      product_of(system, 3.0, power[0][2], power[1][4]));
  const VidaExpression wells[3] = {apply(system, "^", square, number(system, 3.0)),
                                   sum_of(system, pure, mixed),
                                   sum_of(system, power[0][4], power[1][2])};
  const VidaExpression l = apply(system, "*", number(system, -0.25), wells[kind]);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "bowl", l, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void test_equivariance(void) {
  for (int kind = 0; kind < 3; kind++) {
    VidaSystem* system = well_system(kind);
    VidaCheck* check = check_of(system);
    if (kind == 1) {
      expect_finding(check, VIDA_SEVERITY_WARNING, "bowl", "not equivariant (J_z");
    } else {
      expect_quiet(check, "well");
    }
    EXPECT((find(check, VIDA_SEVERITY_NOTE, "J_z") != NULL) == (kind == 2), "J_z, kind %d", kind);
    expect_finding(check, VIDA_SEVERITY_NOTE, "L_x", "'bowl'");
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&system);
  }
}

/* Momentum claimed where there is none: x vy - y vx in a well that is no bowl of revolution; in one
 * that is, the same claim is true. */
static void test_claimed_momentum(void) {
  for (int kind = 0; kind < 3; kind += 2) {
    VidaError error;
    VidaSystem* other = NULL;
    VidaParticle particle = {.name = "p", .mass = 1.0};
    for (int i = 0; i < 2; i++) {
      particle.position[i] = VidaInitial_Given(0.5 + i);
      particle.velocity[i] = VidaInitial_Given(0.2 - i);
    }
    REQUIRE_OK(VidaSystem_Create("claim", 2, &other, &error), &error);
    REQUIRE_OK(VidaSystem_AddParticle(other, &particle, NULL, &error), &error);
    VidaExpression well =
        apply(other, "+", apply(other, "*", position(other, 0), position(other, 0)),
              apply(other, "*", apply(other, "*", position(other, 1), position(other, 1)),
                    number(other, kind ? 2.0 : 1.0)));
    well = apply(other, "-", well, -1);
    REQUIRE_OK(VidaSystem_AddExpressionLagrangian(other, "bowl", well, &error), &error);
    const VidaExpression momentum =
        apply(other, "-", apply(other, "*", position(other, 0), rate(other, 1)),
              apply(other, "*", position(other, 1), rate(other, 0)));
    REQUIRE_OK(VidaSystem_AddObservable(other, "spin", "kg m^2/s", true, momentum, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(other, &error), &error);
    VidaCheck* check = check_of(other);
    if (kind == 0) {
      expect_quiet(check, "spin");
    } else {
      /* d/dt = x (-4 y) - y (-2 x) = -2 x y = -1.5 */
      expect_finding(check, VIDA_SEVERITY_WARNING, "spin", "changes by -1.5 per second");
    }
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&other);
  }
}

static void test_not_complete(void) {
  VidaError error;
  VidaSystem* system = NULL;
  VidaCheck* check = NULL;
  REQUIRE_OK(VidaSystem_Create("open", 2, &system, &error), &error);
  EXPECT_ERROR(VidaCheck_Create(system, 0.0, NULL, &check, &error), &error, VIDA_WRONG_ORDER,
               "open");
  EXPECT(!check, "there is a check");
  VidaSystem_Destroy(&system);
}

/* ---- a jump in time -------------------------------------------------------------------------- */

static int idle(double t, const double* q, const double* v, double* lagrangian, void* data) {
  (void)t, (void)q, (void)data;
  *lagrangian = 0.5 * v[0] * v[0];
  return 0;
}

static int idle_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                         void* data) {
  (void)t, (void)q, (void)data;
  l_q[0] = 0.0;
  l_v[0] = v[0];
  return 0;
}

/* x = 1 + t, and from the time 0 on x = 1 + 2 t. */
static double rate_at(double t) {
  return t < 0.0 ? 1.0 : 2.0;
}

static int kink(double t, const double* q, double* g, void* data) {
  (void)data;
  g[0] = q[0] - 1.0 - rate_at(t) * t;
  return 0;
}

static int kink_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t, (void)q, (void)data;
  jacobian[0] = 1.0;
  return 0;
}

static int kink_rate(double t, const double* q, double* rate, void* data) {
  (void)q;
  rate[0] = -rate_at(t) + *(const double*)data;
  return 0;
}

/* Differences of g across the declared time would give a rate of -1.5. */
static void test_declared_jump(void) {
  static const double times[] = {0.0, 0.0, 1e-3, -1e-3};
  const VidaLagrangian lagrangian = {idle, idle_gradient, NULL};
  const VidaConstraint constraint = {kink, kink_jacobian, NULL, kink_rate};
  double faults[] = {0.0, 0.01, 0.0, 0.0}; /* of the rate */
  for (int k = 0; k < 4; k++) {
    double* fault = &faults[k];
    VidaSystem* system = NULL;
    VidaCheck* check = NULL;
    VidaError error;
    int x;
    REQUIRE_OK(VidaSystem_Create("kinked", 1, &system, &error), &error);
    REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Free(0.0),
                                        VidaInitial_Free(0.0), &x, &error),
               &error);
    REQUIRE_OK(VidaSystem_AddLagrangian(system, "L", 1, &x, &lagrangian, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddConstraint(system, "kink", 1, 1, &x, &constraint, fault, &error),
               &error);
    REQUIRE_OK(VidaSystem_AddJumpTime(system, 0.0, &error), &error);
    REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
    REQUIRE_OK(VidaCheck_Create(system, times[k], NULL, &check, &error), &error);
    if (*fault == 0.0) {
      expect_quiet(check, "kink");
    } else {
      expect_finding(check, VIDA_SEVERITY_ERROR, "kink", "derivative with respect to time");
    }
    VidaCheck_Destroy(&check);
    VidaSystem_Destroy(&system);
  }
}

int main(void) {
  const CheckTest tests[] = {{"models", test_models},
                             {"constants", test_constants},
                             {"wrong derivatives", test_wrong_derivatives},
                             {"redundant rows", test_redundant_rows},
                             {"inconsistent start", test_inconsistent_start},
                             {"singular mass", test_singular_mass},
                             {"equivariance", test_equivariance},
                             {"claimed momentum", test_claimed_momentum},
                             {"not complete", test_not_complete},
                             {"a declared jump in time", test_declared_jump},
                             {NULL, NULL}};
  return check_main("check", tests);
}
