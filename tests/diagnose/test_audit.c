/* The audit of the methods: every claim of every registered method is measured true, claims that
 * are not true are found, and what the audit measures against is right. */
#include <math.h>
#include <string.h>
#include <vida/audit.h>

#include "diagnose/audit.h"
#include "support/check.h"
#include "support/elliptic.h"
#include "support/motion.h"

#define PI 3.14159265358979323846

/* ---- what is measured against ---------------------------------------------------------------- */

static const vida_audit_case* find_case(const char* name) {
  for (int i = 0; i < vida__audit_case_count(); i++) {
    if (strcmp(vida__audit_cases[i].name, name) == 0) {
      return &vida__audit_cases[i];
    }
  }
  EXPECT(false, "no system '%s'", name);
  return &vida__audit_cases[0];
}

/* The pendulum of SciML/ModelingToolkit.jl#988, 1 m released at the horizontal: its period and its
 * places after 10 s and 100 s. The closed form begins 0.2 s after the lowest point. */
static void test_pendulum(void) {
  const double period = 2.36784194757624;
  const double right[2][3] = {{10.0, 0.2750874625761, -0.9614192050991},
                              {100.0, 0.181513351427, -0.9833884803341}};
  const vida_audit_case* pendulum = find_case("pendulum");
  const double omega = sqrt(MODEL_GRAVITY);
  double q[2], v[2], angle, rate;
  EXPECT_NEAR(pendulum_period(omega, 0.5 * PI, 0.0), period, 1e-14, "period");
  for (int i = 0; i < 2; i++) {
    pendulum->exact(0.25 * period - 0.2 + right[i][0], q, v);
    EXPECT_NEAR(q[0], right[i][1], 3e-12 * right[i][0], "x at %g s", right[i][0]);
    EXPECT_NEAR(q[1], right[i][2], 3e-12 * right[i][0], "y at %g s", right[i][0]);
  }
  /* and against the elliptic functions by Carlson's integrals */
  pendulum_motion(omega, 0.0, sqrt(2.0) * omega, 0.9, &angle, &rate);
  pendulum->exact(0.7, q, v);
  EXPECT_NEAR(q[0], sin(angle), 1e-14, "x after 0.9 s");
  EXPECT_NEAR(v[0], rate * cos(angle), 1e-13, "speed after 0.9 s");
}

/* Once round in 2 pi, with the vis-viva energy -1/2 and the angular momentum sqrt(1 - e^2). */
static void test_kepler(void) {
  const vida_audit_case* kepler = find_case("kepler");
  double q[2], v[2], start[2], start_v[2];
  kepler->exact(0.0, start, start_v);
  kepler->exact(2.0 * PI, q, v);
  EXPECT_BELOW(largest_difference(2, q, start), 1e-14, "after one turn");
  kepler->exact(2.5, q, v);
  EXPECT_NEAR(0.5 * (v[0] * v[0] + v[1] * v[1]) - 1.0 / hypot(q[0], q[1]), -0.5, 1e-15, "energy");
  EXPECT_NEAR(q[0] * v[1] - q[1] * v[0], 0.8, 1e-15, "angular momentum");
}

/* Closed forms without events against the extrapolation method, which integrates the equations of
 * motion of the system as it was built. */
static void test_references(void) {
  for (int i = 0; i < vida__audit_smooth_count(); i++) {
    const vida_audit_case* given = &vida__audit_cases[i];
    vida_audit_case integrated = *given;
    vida_subject* subject = NULL;
    VidaError error = {0};
    double q[MODEL_COORDINATES], v[MODEL_COORDINATES];
    integrated.exact = NULL;
    REQUIRE_OK(vida__create_subject(&integrated, &subject, &error), &error);
    EXPECT_BELOW(subject->reference_error, 1e-12, "estimated error of %s", given->name);
    if (given->exact) {
      given->exact(given->time, q, v);
      EXPECT_BELOW(largest_difference(subject->n, q, subject->q_end), 1e-12, "positions of %s",
                   given->name);
      EXPECT_BELOW(largest_difference(subject->n, v, subject->v_end), 1e-11, "velocities of %s",
                   given->name);
    }
    /* from the end back to the start */
    REQUIRE_OK(vida__subject_at(subject, 0.0, q, v, NULL, &error), &error);
    EXPECT_BELOW(largest_difference(subject->n, q, subject->q0), 1e-11, "%s, back", given->name);
    vida__destroy_subject(&subject);
  }
}

/* Closed forms with events against a method of order 5 with a small tolerance, which integrates the
 * equations of motion between the events and finds these itself. */
static void test_references_with_events(void) {
  int count = 0;
  for (int i = 0; i < vida__audit_case_count(); i++) {
    const vida_audit_case* of = &vida__audit_cases[i];
    vida_subject* subject = NULL;
    VidaStepper* stepper = NULL;
    VidaError error = {0};
    double v[MODEL_COORDINATES];
    REQUIRE_OK(vida__create_subject(of, &subject, &error), &error);
    EXPECT(vida__subject_has_events(subject) == (i >= vida__audit_smooth_count()), "%s", of->name);
    if (vida__subject_has_events(subject)) {
      REQUIRE_OK(
          vida__audit_adaptive_stepper(subject, "radau", of->time / 8.0, 1e-12, &stepper, &error),
          &error);
      REQUIRE_OK(VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &error), &error);
      for (int k = 0; k < 8; k++) {
        REQUIRE_OK(VidaStepper_Step(stepper, &error), &error);
      }
      REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
      EXPECT_BELOW(largest_difference(subject->n, VidaStepper_Positions(stepper), subject->q_end),
                   1e-10, "positions of %s", of->name);
      EXPECT_BELOW(largest_difference(subject->n, v, subject->v_end), 1e-9, "velocities of %s",
                   of->name);
      count++;
    }
    VidaStepper_Destroy(&stepper);
    vida__destroy_subject(&subject);
  }
  EXPECT(count == 5, "%d systems with events", count);
}

/* Slope 8/10, residuals 3.6 in 3 degrees of freedom, quantile 3.182 */
static void test_line(void) {
  const double x[5] = {1.0, 2.0, 3.0, 4.0, 5.0};
  const double y[5] = {1.0, 3.0, 2.0, 5.0, 4.0};
  double interval;
  EXPECT_NEAR(vida__fit_line(5, x, y, &interval), 0.8, 1e-15, "slope");
  EXPECT_NEAR(interval, 3.182 * sqrt(1.2 / 10.0), 1e-14, "interval");
}

static void test_projection(void) {
  vida_subject* subject = NULL;
  VidaError error = {0};
  double q[6], v[6];
  REQUIRE_OK(vida__create_subject(find_case("double spherical pendulum"), &subject, &error),
             &error);
  for (int i = 0; i < 6; i++) {
    q[i] = subject->q0[i] + 0.3 * sin(1.0 + i);
    v[i] = subject->v0[i] + cos(2.0 * i);
  }
  REQUIRE_OK(vida__project_to_constraints(subject, q, v, &error), &error);
  EXPECT_NEAR(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), 4.0, 1e-14, "upper rod");
  EXPECT_NEAR(hypot(hypot(q[3] - q[0], q[4] - q[1]), q[5] - q[2]), 3.0, 1e-14, "lower rod");
  EXPECT_NEAR(q[0] * v[0] + q[1] * v[1] + q[2] * v[2], 0.0, 1e-13, "rate of the upper rod");
  EXPECT(largest_difference(6, q, subject->q0) > 0.05, "nothing has moved");
  vida__destroy_subject(&subject);
}

/* ---- the registry ---------------------------------------------------------------------------- */

static void tell_false_claims(const VidaAudit* audit) {
  for (int i = 0; i < VidaAudit_RowCount(audit); i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    EXPECT(row->false_claims == 0, "%s on %s: %s", row->method, row->system, row->message);
    EXPECT(row->status == VIDA_AUDIT_MEASURED || row->message[0], "%s on %s does not say why",
           row->method, row->system);
    if (row->status == VIDA_AUDIT_MEASURED && !VidaAudit_IsSummary(row)) {
      EXPECT(row->steps >= 1000, "%s on %s was watched for %ld steps", row->method, row->system,
             row->steps);
    }
  }
}

/* The summary of a method, its last row, has the most steps of its systems. */
static void expect_most_steps(const VidaAudit* audit, int systems) {
  for (int last = systems; last < VidaAudit_RowCount(audit); last += systems + 1) {
    long most = 0;
    for (int i = last - systems; i < last; i++) {
      const long steps = VidaAudit_Row(audit, i)->steps;
      most = steps > most ? steps : most;
    }
    const VidaAuditRow* summary = VidaAudit_Row(audit, last);
    EXPECT(VidaAudit_IsSummary(summary) && summary->steps == most, "%s: %ld steps, not %ld",
           summary->method, summary->steps, most);
  }
}

static void test_all_methods(void) {
  VidaAudit* audit = NULL;
  VidaError error = {0};
  /* Under sanitizers two of the systems. */
  static const char* const some[] = {"pendulum", "knife edge"};
  const int systems = CHECK_SANITIZED ? 2 : VidaAudit_SystemCount();
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  for (int i = 0; i < 2 && CHECK_SANITIZED; i++) {
    REQUIRE_OK(VidaAudit_SelectSystem(audit, some[i], &error), &error);
  }
  for (int i = 0; i < Vida_MethodCount(); i++) {
    REQUIRE_OK(VidaAudit_Method(audit, Vida_MethodInfo(i), &error), &error);
  }
  EXPECT(VidaAudit_RowCount(audit) == Vida_MethodCount() * (systems + 1), "%d rows",
         VidaAudit_RowCount(audit));
  expect_most_steps(audit, systems);
  tell_false_claims(audit);
  EXPECT(VidaAudit_FalseClaims(audit) == 0, "%d false claims", VidaAudit_FalseClaims(audit));
  VidaAudit_Destroy(&audit);
}

/* ---- orders down to rounding -------------------------------------------------------------------
 */

/* Methods of high order, with the order of their publications: a thorough audit follows their
 * errors down to rounding, on a pendulum with a closed form, and those of half-explicit methods,
 * whose part of order 5 happens to be small there, on a driven pendulum. */
static const struct {
  const char *method, *option, *value;
  int order;
  const char* system;
} high[] = {{"symmetric-multistep", "order", "4", 4, "pendulum"},
            {"symmetric-multistep", "order", "6", 6, "pendulum"},
            {"symmetric-multistep", "order", "8", 8, "pendulum"},
            {"energy-collocation", "stages", "2", 4, "pendulum"},
            {"energy-collocation", "stages", "4", 8, "pendulum"},
            {"half-explicit", "scheme", "hedop5", 5, "driven pendulum"},
            {"half-explicit", "scheme", "phem56", 5, "driven pendulum"},
            {"half-explicit", "scheme", "hem4", 4, "pendulum"},
            {"extrapolation", "columns", "3", 6, "pendulum"},
            {"spark-nonholonomic", "stages", "3", 4, "pendulum"},
            {"spark-nonholonomic", "stages", "4", 6, "pendulum"},
            {"compose", "scheme", "kahan-li8", 8, "pendulum"}};

static void check_high_order(int i) {
  VidaAudit* audit = NULL;
  VidaError error = {0};
  VidaOptions* options = NULL;
  const char *method = high[i].method, *value = high[i].value;
  REQUIRE_OK(VidaAudit_Create(true, &audit, &error), &error);
  REQUIRE_OK(VidaAudit_SelectSystem(audit, high[i].system, &error), &error);
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetText(options, high[i].option, value, &error), &error);
  REQUIRE_OK(VidaAudit_Options(audit, options, &error), &error);
  VidaOptions_Destroy(&options);
  const VidaAuditRow* row = VidaAudit_Row(audit, 0);
  const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
  EXPECT_NEAR(order->value, high[i].order, 0.2, "%s %s", method, value);
  EXPECT(order->interval < 0.1, "%s %s: +- %g", method, value, order->interval);
  EXPECT_BELOW(row->measurement[VIDA_AUDIT_LEAST_ERROR].value, 2e-12, "%s %s", method, value);
  tell_false_claims(audit);
  VidaAudit_Destroy(&audit);
}

static void test_high_orders(void) {
  for (int i = 0; i < (int)(sizeof high / sizeof high[0]); i++) {
    if (!CHECK_LEAVES_OUT(i, 0, 6)) {
      check_high_order(i);
    }
  }
}

/* ---- false claims ---------------------------------------------------------------------------- */

typedef struct Plant {
  const char* method;
  int order;               /* added to that of the method */
  unsigned more, less;     /* capabilities */
  const char* system;      /* NULL: all */
  VidaAuditProperty found; /* where the verdict is; VIDA_AUDIT_PROPERTIES: in the message */
  const char* message;
} Plant;

static const Plant plants[] = {
    {"rattle", 1, 0, 0, "pendulum", VIDA_AUDIT_POSITION_ORDER, "order of positions"},
    {"rattle", 2, 0, 0, "double spherical pendulum", VIDA_AUDIT_POSITION_ORDER, "order"},
    {"rattle", -1, 0, 0, NULL, VIDA_AUDIT_PROPERTIES, "its order is higher on every system"},
    {"rattle", 0, VIDA_CAN_ENERGY, 0, "pendulum", VIDA_AUDIT_ENERGY, "energy"},
    {"rattle", 0, VIDA_CAN_NONHOLONOMIC, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "it takes no nonholonomic system"},
    {"energy-momentum", 0, VIDA_CAN_SYMPLECTIC, 0, "kepler", VIDA_AUDIT_SYMPLECTIC,
     "symplectic form"},
    {"energy-momentum", 0, VIDA_CAN_SYMPLECTIC, 0, "four particles", VIDA_AUDIT_SYMPLECTIC,
     "symplectic form"},
    {"energy-momentum", 0, VIDA_CAN_VELOCITY_LEVEL, 0, "pendulum", VIDA_AUDIT_VELOCITY_LEVEL,
     "G v"},
    {"energy-momentum", 0, VIDA_CAN_TWO_POINT_START, 0, "pendulum", VIDA_AUDIT_TWO_POINT_START,
     "two-point start"},
    {"energy-momentum-projected", 0, VIDA_CAN_TIME_DEPENDENT, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "it takes no constraints that depend on time"},
    {"energy-momentum-projected", 0, VIDA_CAN_GENERAL_LAGRANGIAN, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "it takes no system with a general Lagrangian"},
    {"energy-momentum-projected", 0, VIDA_CAN_GENERAL_MASS, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "it takes no system with a general Lagrangian"},
    {"energy-momentum", 0, 0, VIDA_CAN_GENERAL_MASS, "rigid body", VIDA_AUDIT_MOMENTUM,
     "momentum map"},
    {"del-endpoint", 0, 0, VIDA_LIMIT_ONE_SIDED, "two-link arm", VIDA_AUDIT_REVERSIBLE,
     "steps forward and back"},
    {"del-endpoint", 0, 0, VIDA_LIMIT_ONE_SIDED, "heavy top", VIDA_AUDIT_POSITION_ORDER,
     "order of positions"},
    {"compose", 0, VIDA_CAN_ENERGY, 0, "spring pendulum", VIDA_AUDIT_ENERGY, "energy"},
    {"galerkin-gauss", 0, VIDA_CAN_ENERGY, 0, "spring pendulum", VIDA_AUDIT_ENERGY, "energy"},
    {"lie-trotter", 0, VIDA_CAN_REVERSIBLE, 0, "kepler", VIDA_AUDIT_REVERSIBLE,
     "steps forward and back"},
    {"lie-trotter", 1, 0, 0, "spring pendulum", VIDA_AUDIT_POSITION_ORDER, "order of positions"},
    {"spook", 0, VIDA_CAN_SYMPLECTIC, 0, "pendulum", VIDA_AUDIT_DRIFT, "energy drifts"},
    {"spook", 0, VIDA_CAN_MOMENTUM, 0, "heavy top", VIDA_AUDIT_MOMENTUM, "momentum map"},
    {"spook", 0, VIDA_CAN_POSITION_LEVEL, 0, "pendulum", VIDA_AUDIT_POSITION_LEVEL, "g = 0"},
    {"moreau-jean", 0, 0, VIDA_LIMIT_STEPPED_IMPACTS, "pendulum with a stop",
     VIDA_AUDIT_POSITION_ORDER, "order of positions"},
    {"rattle", 0, VIDA_LIMIT_STEPPED_IMPACTS, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "its order across impacts is higher"},
    {"verlet", 1, 0, 0, "colliding discs", VIDA_AUDIT_POSITION_ORDER, "order of positions"},
    {"rattle", 1, 0, 0, "clutch", VIDA_AUDIT_POSITION_ORDER, "order of positions"},
    {"rattle", 0, VIDA_CAN_ENERGY, 0, "pendulum with a stop", VIDA_AUDIT_ENERGY, "energy"},
    {"generalized-alpha", 0, VIDA_CAN_MOMENTUM, 0, "colliding discs", VIDA_AUDIT_MOMENTUM,
     "momentum map"},
    {"energy-momentum-livens", 0, 0, VIDA_LIMIT_RESTARTED, "body with a stop", VIDA_AUDIT_ENERGY,
     "energy"},
    {"symplectic-euler", 0, VIDA_CAN_REVERSIBLE, 0, "colliding discs", VIDA_AUDIT_DRIFT,
     "energy drifts"},
    {"gni", 0, VIDA_CAN_REACTIVE_FORCES, 0, NULL, VIDA_AUDIT_PROPERTIES,
     "it takes no system with friction"},
};

/* The table has a text behind a mark: " false: " for a false claim below its row. */
static void expect_in_table(const VidaAudit* audit, const char* mark, const char* text) {
  char table[16384] = "";
  VidaError error = {0};
  FILE* file = tmpfile();
  REQUIRE_OK(file ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY, NULL);
  REQUIRE_OK(VidaReport_AuditTable(audit, file, &error), &error);
  rewind(file);
  table[fread(table, 1, sizeof table - 1, file)] = '\0';
  fclose(file);
  const char* told = strstr(table, mark);
  EXPECT(told && strstr(told, text), "the table does not say '%s': %s", text, table);
}

static void try_plant(const Plant* plant) {
  VidaMethodInfo claims = *Vida_FindMethod(plant->method);
  VidaAudit* audit = NULL;
  VidaError error = {0};
  claims.order += plant->order;
  claims.capabilities = (claims.capabilities | plant->more) & ~plant->less;
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  if (plant->system) {
    REQUIRE_OK(VidaAudit_SelectSystem(audit, plant->system, &error), &error);
  }
  REQUIRE_OK(VidaAudit_Method(audit, &claims, &error), &error);
  EXPECT(VidaAudit_FalseClaims(audit) > 0, "%s with a false claim (%s) passes", plant->method,
         plant->message);
  /* with one system it is in its row, else in the summary */
  const int last = VidaAudit_RowCount(audit) - 1;
  const VidaAuditRow* row = VidaAudit_Row(audit, plant->system ? 0 : last);
  EXPECT(strstr(row->message, plant->message) != NULL, "%s on %s says '%s', not '%s'", row->method,
         row->system, row->message, plant->message);
  expect_in_table(audit, " false: ", plant->message);
  if (plant->found != VIDA_AUDIT_PROPERTIES) {
    EXPECT(row->measurement[plant->found].verdict == VIDA_AUDIT_FALSE, "%s: no verdict on '%s'",
           plant->method, plant->message);
    EXPECT(VidaAudit_Row(audit, last)->measurement[plant->found].verdict == VIDA_AUDIT_FALSE,
           "%s: the summary does not show it", plant->method);
  }
  VidaAudit_Destroy(&audit);
}

static void test_planted_claims(void) {
  for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
    EXPECT(Vida_FindMethod(plants[i].method) != NULL, "there is no %s", plants[i].method);
    if (!CHECK_LEAVES_OUT((int)i, 0, 4)) {
      try_plant(&plants[i]);
    }
  }
}

/* Verlet's method with momenta that lose a part of 1e-11 in each step, which changes the symplectic
 * form less than differences show, and the energy far less than it oscillates: only the shadow
 * energy shows the loss, 2e-11 of the kinetic energy in each step of 0.01 s. */
extern const VidaMethod vida__verlet;

static int leaking_step(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  const int code = vida__verlet.step(integration, error);
  for (int i = 0; i < VidaSystem_CoordinateCount(VidaIntegration_System(integration)); i++) {
    node->p[i] -= 1e-11 * node->p[i];
  }
  return code;
}

static void test_planted_drift(void) {
  static VidaMethod leaking;
  VidaAudit* audit = NULL;
  VidaError error = {0};
  leaking = vida__verlet;
  leaking.info.name = "leaking-verlet";
  leaking.info.capabilities &= ~(unsigned)VIDA_CAN_REVERSIBLE;
  leaking.step = leaking_step;
  REQUIRE_OK(Vida_RegisterMethod(&leaking, &error), &error);
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  REQUIRE_OK(VidaAudit_SelectSystem(audit, "duffing oscillator", &error), &error);
  REQUIRE_OK(VidaAudit_Method(audit, Vida_FindMethod("leaking-verlet"), &error), &error);
  const VidaAuditRow* row = VidaAudit_Row(audit, 0);
  const VidaAuditMeasurement* found = &row->measurement[VIDA_AUDIT_SHADOW];
  EXPECT(found->verdict == VIDA_AUDIT_FALSE && found->value < -1e-10 && found->value > -2e-9, "%g",
         found->value);
  EXPECT(row->false_claims == 1 && strstr(row->message, "shadow energy drifts"), "%s",
         row->message);
  VidaAudit_Destroy(&audit);
}

/* ---- orders whose errors soon reach rounding ------------------------------------------------- */

/* Audits a method with so many columns, on one system or on all of them. */
static VidaAudit* audit_columns(const char* method, const char* columns, const char* system) {
  VidaAudit* audit = NULL;
  VidaError error = {0};
  VidaOptions* options = NULL;
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  if (system) {
    REQUIRE_OK(VidaAudit_SelectSystem(audit, system, &error), &error);
  }
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetText(options, "columns", columns, &error), &error);
  REQUIRE_OK(VidaAudit_Options(audit, options, &error), &error);
  VidaOptions_Destroy(&options);
  return audit;
}

/* The midpoint rule gains an order of two with each column: 8 with four columns, 10 with five
 * (Hairer, Lubich and Roche 1989). No claim is false; on some systems the errors tell it. */
static void test_columns(void) {
  static const struct {
    const char *columns, *system;
    double order;
  } known[] = {{"4", "pendulum", 8},
               {"4", "heavy top", 8},
               {"4", "kepler", 8},
               {"5", "heavy top", 10},
               {"5", "rigid body", 10}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    VidaAudit* audit = audit_columns("extrapolation", known[i].columns, known[i].system);
    const VidaAuditRow* row = VidaAudit_Row(audit, 0);
    const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
    EXPECT_NEAR(order->value, known[i].order, 0.2, "%s columns on %s", known[i].columns,
                known[i].system);
    EXPECT(order->verdict == VIDA_AUDIT_TRUE, "%s columns on %s", known[i].columns,
           known[i].system);
    VidaAudit_Destroy(&audit);
  }
  for (int columns = 4; columns <= 5 && !CHECK_SANITIZED; columns++) {
    VidaAudit* audit = audit_columns("extrapolation", columns == 4 ? "4" : "5", NULL);
    tell_false_claims(audit);
    EXPECT(VidaAudit_FalseClaims(audit) == 0, "%d false claims", VidaAudit_FalseClaims(audit));
    VidaAudit_Destroy(&audit);
  }
}

/* On the knife edge fewer than five of these steps have errors above rounding: the closed form has
 * |x| < 1, and h^10 of a step that divides 1 s is below 1e-13 from the fifth on but for a constant.
 */
static void test_open_claim(void) {
  VidaAudit* audit = audit_columns("extrapolation", "5", "knife edge");
  for (int i = 0; i < 2; i++) {
    const VidaAuditRow* row = VidaAudit_Row(audit, i);
    const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
    EXPECT(order->verdict == VIDA_AUDIT_OPEN && isnan(order->value) && isnan(order->interval),
           "%s: %g +- %g", row->system, order->value, order->interval);
    EXPECT(order->claimed == 10.0 && order->availability == VIDA_AUDIT_NOT_MEASURED, "%s",
           row->system);
    EXPECT(row->false_claims == 0, "%s", row->message);
  }
  expect_in_table(audit, "knife edge",
                  "order of positions is not measured: errors are above rounding at");
  expect_in_table(audit, "all systems",
                  "all claims that were measured are true; 1 could not be measured");
  VidaAudit_Destroy(&audit);
}

/* Extrapolation that claims an order of two more than its columns have. */
extern const VidaMethod vida__extrapolation;

static int order_above(const VidaOptions* options) {
  return vida__extrapolation.order(options) + 2;
}

static void test_planted_high_orders(void) {
  static const char* const columns[] = {"3", "4"};
  static const char* const systems[] = {"pendulum", "heavy top", "rigid body", "kepler",
                                        "damped oscillator"};
  static VidaMethod boasting;
  VidaError error = {0};
  boasting = vida__extrapolation;
  boasting.info.name = "boasting-extrapolation";
  boasting.info.order += 2;
  boasting.order = order_above;
  REQUIRE_OK(Vida_RegisterMethod(&boasting, &error), &error);
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
    for (size_t k = 0; k < sizeof systems / sizeof systems[0]; k++) {
      VidaAudit* audit = audit_columns("boasting-extrapolation", columns[i], systems[k]);
      const VidaAuditRow* row = VidaAudit_Row(audit, 0);
      EXPECT(row->measurement[VIDA_AUDIT_POSITION_ORDER].verdict == VIDA_AUDIT_FALSE &&
                 row->false_claims == 1 && strstr(row->message, "order of positions"),
             "%s columns on %s: '%s'", columns[i], systems[k], row->message);
      VidaAudit_Destroy(&audit);
    }
  }
}

/* Every component of the momenta is listed, and found again by name. */
static void test_components(void) {
  VidaAudit* audit = NULL;
  VidaError error = {0};
  static const char* const names[] = {"L_x", "L_y", "L_z", "J_x", "J_y", "J_z"};
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  REQUIRE_OK(VidaAudit_SelectSystem(audit, "four particles", &error), &error);
  REQUIRE_OK(VidaAudit_SelectSystem(audit, "heavy top", &error), &error);
  REQUIRE_OK(VidaAudit_Method(audit, Vida_FindMethod("rattle"), &error), &error);
  const VidaAuditRow* particles = VidaAudit_Row(audit, 0);
  const VidaAuditRow* top = VidaAudit_Row(audit, 1);
  EXPECT(particles->momentum_count == 6, "%d components", particles->momentum_count);
  for (int k = 0; k < particles->momentum_count; k++) {
    EXPECT(strcmp(particles->momentum[k].name, names[k]) == 0, "component %d is %s", k,
           particles->momentum[k].name);
    EXPECT_BELOW(particles->momentum[k].value, 1e-12, "%s", names[k]);
  }
  /* nothing of the top translates, and it turns freely about the vertical */
  EXPECT(top->momentum_count == 1, "%d components", top->momentum_count);
  EXPECT(strcmp(top->momentum[0].name, "J_z") == 0, "component %s", top->momentum[0].name);
  VidaAudit_Destroy(&audit);
}

static void test_refusals(void) {
  VidaAudit* audit = NULL;
  VidaError error = {0};
  VidaMethodInfo unknown = *Vida_FindMethod("rattle");
  unknown.name = "rattel";
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  EXPECT_ERROR(VidaAudit_SelectSystem(audit, "keppler", &error), &error, VIDA_UNKNOWN_NAME,
               "did you mean 'kepler'?");
  REQUIRE_OK(VidaAudit_SelectSystem(audit, "knife edge", &error), &error);
  EXPECT_ERROR(VidaAudit_Method(audit, &unknown, &error), &error, VIDA_UNKNOWN_NAME,
               "did you mean 'rattle'?");
  VidaAudit_Destroy(&audit);
  REQUIRE_OK(VidaAudit_Create(false, &audit, &error), &error);
  REQUIRE_OK(VidaAudit_SelectSystem(audit, "knife edge", &error), &error);
  REQUIRE_OK(VidaAudit_Method(audit, Vida_FindMethod("rattle"), &error), &error);
  const VidaAuditRow* row = VidaAudit_Row(audit, 0);
  EXPECT(row->status == VIDA_AUDIT_REFUSED && strstr(row->message, "nonholonomic"), "'%s'",
         row->message);
  EXPECT(VidaAudit_FalseClaims(audit) == 0, "a refusal is no false claim");
  FILE* file = tmpfile();
  char text[4096];
  REQUIRE_OK(VidaReport_AuditMarkdown(audit, file, &error), &error);
  rewind(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  EXPECT(text[0] == '|' && strstr(text, "rattle"), "no Markdown table: %s", text);
  EXPECT(
      !VidaAudit_Column((VidaAuditProperty)-1) && VidaAudit_Column((VidaAuditProperty)0)->word[0],
      "the names of a property");
  EXPECT(!VidaAudit_Row(audit, -1) && !VidaAudit_Row(audit, 2), "rows outside");
  EXPECT(!VidaAudit_SystemName(-1) && !VidaAudit_SystemName(VidaAudit_SystemCount()), "outside");
  VidaAudit_Destroy(&audit);
  VidaAudit_Destroy(&audit);
}

int main(void) {
  static const CheckTest tests[] = {{"pendulum", test_pendulum},
                                    {"kepler", test_kepler},
                                    {"references", test_references},
                                    {"references with events", test_references_with_events},
                                    {"lines", test_line},
                                    {"projection", test_projection},
                                    {"all methods", test_all_methods},
                                    {"high orders", test_high_orders},
                                    {"planted claims", test_planted_claims},
                                    {"planted drift", test_planted_drift},
                                    {"columns", test_columns},
                                    {"open claim", test_open_claim},
                                    {"planted high orders", test_planted_high_orders},
                                    {"momentum components", test_components},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("audit", tests);
}
