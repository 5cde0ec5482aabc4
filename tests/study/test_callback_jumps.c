/* The work of C functions that jump at a declared time. Expected values are closed forms: the
 * change of the energy along the exact motion. */
#include <math.h>
#include <string.h>
#include <vida/vida.h>

#include "support/check.h"

#define JUMP 0.5
#define END 1.0

enum { ONLY_COORDINATE = 0 };

/* Returns the value on the side of the jump. Functions need not have a value at the jump itself, at
 * which nothing may call them. */
static double beside(double t, double before, double after) {
  return t < JUMP ? before : t > JUMP ? after : (double)NAN;
}

static VidaSystem* new_system(double x, double v) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  REQUIRE_OK(VidaSystem_Create("jumping", 1, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoordinate(system, "x", "m", VidaInitial_Given(x), VidaInitial_Given(v),
                                      NULL, &error),
             &error);
  REQUIRE_OK(VidaSystem_AddJumpTime(system, JUMP, &error), &error);
  return system;
}

static void add_lagrangian(VidaSystem* system, const VidaLagrangian* lagrangian) {
  VidaError error = {0};
  REQUIRE_OK(
      VidaSystem_AddLagrangian(system, "L", 1, (int[]){ONLY_COORDINATE}, lagrangian, NULL, &error),
      &error);
}

/* ---- a Lagrangian: L = v^2/2 - k(t) x^2/2, k = 1, from JUMP on 4 --------------------------------
 */

static int spring_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)data;
  *l = 0.5 * v[0] * v[0] - 0.5 * beside(t, 1.0, 4.0) * q[0] * q[0];
  return 0;
}

static int spring_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                           void* data) {
  (void)data;
  l_q[0] = -beside(t, 1.0, 4.0) * q[0];
  l_v[0] = v[0];
  return 0;
}

/* The energy changes only at the jump, by (4 - 1) x^2/2, where x = cos t + 0.3 sin t. */
static VidaSystem* stiffened_spring(double* change) {
  const VidaLagrangian lagrangian = {spring_value, spring_gradient, NULL};
  const double x = cos(JUMP) + 0.3 * sin(JUMP);
  VidaSystem* system = new_system(1.0, 0.3);
  add_lagrangian(system, &lagrangian);
  *change = 0.5 * (4.0 - 1.0) * x * x;
  return system;
}

/* ---- a Lagrangian with L_t on both sides: L = v^2/2 + f(t) x -----------------------------------
 */

/* f = t^3, from JUMP on 2 - 3 s with s = t - JUMP. */
static double pull(double t) {
  return beside(t, t * t * t, 2.0 - 3.0 * (t - JUMP));
}

static int pull_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)data;
  *l = 0.5 * v[0] * v[0] + pull(t) * q[0];
  return 0;
}

static int pull_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                         void* data) {
  (void)q, (void)data;
  l_q[0] = pull(t);
  l_v[0] = v[0];
  return 0;
}

/* v = 0.3 + t^4/4 and x = 1 + 0.3 t + t^5/20, then v = v1 + 2 s - 3 s^2/2 and
 * x = x1 + v1 s + s^2 - s^3/2. */
static VidaSystem* changing_pull(double* change) {
  const VidaLagrangian lagrangian = {pull_value, pull_gradient, NULL};
  const double s = END - JUMP;
  const double v1 = 0.3 + pow(JUMP, 4) / 4.0, x1 = 1.0 + 0.3 * JUMP + pow(JUMP, 5) / 20.0;
  const double v = v1 + 2.0 * s - 1.5 * s * s, x = x1 + v1 * s + s * s - 0.5 * s * s * s;
  VidaSystem* system = new_system(1.0, 0.3);
  add_lagrangian(system, &lagrangian);
  *change = 0.5 * v * v - (2.0 - 3.0 * s) * x - 0.5 * 0.3 * 0.3;
  return system;
}

/* ---- a force: f = -c(t) v, c = 0.2, from JUMP on 3 ----------------------------------------------
 */

static int free_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)t, (void)q, (void)data;
  *l = 0.5 * v[0] * v[0];
  return 0;
}

static int free_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                         void* data) {
  (void)t, (void)q, (void)data;
  l_q[0] = 0.0;
  l_v[0] = v[0];
  return 0;
}

static int drag(double t, const double* q, const double* v, double* force, void* data) {
  (void)q, (void)data;
  force[0] = -beside(t, 0.2, 3.0) * v[0];
  return 0;
}

/* The energy v^2/2 decays as exp(-2 c t). */
static VidaSystem* stronger_drag(double* change) {
  const VidaLagrangian lagrangian = {free_value, free_gradient, NULL};
  const VidaForce force = {drag, NULL};
  const double v = 2.0 * exp(-0.2 * JUMP - 3.0 * (END - JUMP));
  VidaError error = {0};
  VidaSystem* system = new_system(1.0, 2.0);
  add_lagrangian(system, &lagrangian);
  REQUIRE_OK(VidaSystem_AddForce(system, "drag", 1, (int[]){ONLY_COORDINATE}, &force, NULL, &error),
             &error);
  *change = 0.5 * (v * v - 2.0 * 2.0);
  return system;
}

/* ---- a drive: x = s(t) in a field, L = v^2/2 - 9.81 x
 * -------------------------------------------- */

/* s = 1 + t^2/2, and from JUMP on 9/8 + u + 2 u^2 with u = t - JUMP: its rate jumps from 1/2 to 1
 * and its second derivative from 1 to 4. */
static double driven_place(double t) {
  const double u = t - JUMP;
  return t < JUMP ? 1.0 + 0.5 * t * t : 1.125 + u + 2.0 * u * u;
}

static double driven_rate(double t) {
  return beside(t, t, 1.0 + 4.0 * (t - JUMP));
}

static int heavy_value(double t, const double* q, const double* v, double* l, void* data) {
  (void)t, (void)data;
  *l = 0.5 * v[0] * v[0] - 9.81 * q[0];
  return 0;
}

static int heavy_gradient(double t, const double* q, const double* v, double* l_q, double* l_v,
                          void* data) {
  (void)t, (void)q, (void)data;
  l_q[0] = -9.81;
  l_v[0] = v[0];
  return 0;
}

/* g = (x^2 - s^2)/2, whose second time derivative v^2 - s'^2 - s s'' needs difference quotients. */
static int drive_value(double t, const double* q, double* g, void* data) {
  (void)data;
  g[0] = 0.5 * (q[0] - driven_place(t)) * (q[0] + driven_place(t));
  return 0;
}

static int drive_jacobian(double t, const double* q, double* jacobian, void* data) {
  (void)t, (void)data;
  jacobian[0] = q[0];
  return 0;
}

static int drive_rate(double t, const double* q, double* rate, void* data) {
  (void)q, (void)data;
  rate[0] = -driven_place(t) * driven_rate(t);
  return 0;
}

static VidaSystem* jerked_drive(double* change) {
  const VidaLagrangian lagrangian = {heavy_value, heavy_gradient, NULL};
  const VidaConstraint constraint = {drive_value, drive_jacobian, NULL, drive_rate};
  const double x = driven_place(END), v = driven_rate(END);
  VidaError error = {0};
  VidaSystem* system = new_system(1.0, 0.0);
  add_lagrangian(system, &lagrangian);
  REQUIRE_OK(VidaSystem_AddConstraint(system, "drive", 1, 1, (int[]){ONLY_COORDINATE}, &constraint,
                                      NULL, &error),
             &error);
  *change = 0.5 * v * v + 9.81 * (x - 1.0);
  return system;
}

/* ---- runs --------------------------------------------------------------------------------------
 */

/* Steps that end at the jump or do not, larger and smaller than the difference quotients in time.
 */
static const double step_sizes[] = {END / 33, 0.02, 0.005, 0.0008, END / 1251};

/* The error of the energy is at most `factor` h^order, beside that of difference quotients. */
typedef struct Method {
  const char* name;
  double factor;
  int order;
} Method;

static void add_runs(VidaStudy* study, const Method* method) {
  for (size_t k = 0; k < sizeof step_sizes / sizeof step_sizes[0]; k++) {
    VidaOptions* options = NULL;
    VidaError error = {0};
    REQUIRE_OK(VidaOptions_Create(method->name, &options, &error), &error);
    REQUIRE_OK(VidaOptions_SetReal(options, "h", step_sizes[k], &error), &error);
    REQUIRE_OK(VidaStudy_AddRun(study, options, &error), &error);
    VidaOptions_Destroy(&options);
  }
}

static void expect_work(const VidaRow* row, const Method* method, double change) {
  const double tolerance = method->factor * pow(row->h, method->order) + 1e-9;
  EXPECT(strcmp(row->status, "ok") == 0, "%s, h = %g: %s: %s", row->method, row->h, row->status,
         row->message);
  EXPECT(!strstr(row->message, "energy"), "%s, h = %g: %s", row->method, row->h, row->message);
  EXPECT_NEAR(row->energy_change, change, tolerance, "%s, h = %g", row->method, row->h);
  EXPECT_NEAR(row->work, change, tolerance, "%s, h = %g", row->method, row->h);
}

static void expect_change(VidaSystem* (*make)(double* change), int count, const Method* methods) {
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  VidaError error = {0};
  double change = 0.0;
  VidaSystem* system = make(&change);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", END, &error), &error);
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  for (int i = 0; i < count; i++) {
    add_runs(study, &methods[i]);
  }
  REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);
  const int runs = VidaStudy_RunCount(study) / count;
  for (int i = 0; i < runs * count; i++) {
    expect_work(VidaStudy_Row(study, i), &methods[i / runs], change);
  }
  VidaStudy_Destroy(&study);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

static void test_lagrangian(void) {
  static const Method methods[] = {{"radau", 0.1, 3}, {"rattle", 4.0, 2}, {"del-midpoint", 4.0, 2}};
  expect_change(stiffened_spring, 3, methods);
}

static void test_changing_lagrangian(void) {
  static const Method methods[] = {{"radau", 0.1, 3}, {"post-stabilized", 10.0, 3}};
  expect_change(changing_pull, 2, methods);
}

static void test_force(void) {
  static const Method methods[] = {{"radau", 0.1, 3}, {"rattle", 4.0, 2}};
  expect_change(stronger_drag, 2, methods);
}

static void test_drive(void) {
  static const Method methods[] = {{"radau", 0.1, 3}, {"rattle", 40.0, 2}};
  expect_change(jerked_drive, 2, methods);
}

int main(void) {
  static const CheckTest tests[] = {
      {"a Lagrangian that jumps", test_lagrangian},
      {"a Lagrangian that changes on both sides of its jump", test_changing_lagrangian},
      {"a force that jumps", test_force},
      {"a drive whose rate jumps", test_drive},
      {NULL, NULL}};
  return check_main("jumps of C functions", tests);
}
