/* A six-bar linkage of Watt's kind, of bodies and joints, in C: five bars on seven hinges have
 * 5 * 3 - 7 * 2 = 1 degree of freedom (Gruebler). The program lets it fall from rest with three
 * methods, prints the table of the comparison and writes the page six_bar.html:
 *
 *     six_bar [FOLDER]
 *
 * Its exit code says whether what theory promises was seen: one degree of freedom, the energy kept
 * to rounding by energy-momentum, the constraints to a micrometre by all. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

/* ---- the mechanism ------------------------------------------------------------------------------
 */

enum { BARS = 5, HINGES = 7, MOST_POINTS = 3, GROUND = -1 };

/* Where the hinges are at the start, m. */
static const double hinge[HINGES][2] = {{0.0, 0.0}, {0.0, 1.0}, {2.2, 1.6}, {2.0, 0.0},
                                        {3.0, 1.2}, {3.8, 1.9}, {4.2, 0.0}};
static const char* const hinge_names[HINGES] = {"pivot A", "pin A", "pin B",  "pivot B",
                                                "pin C",   "pin D", "pivot D"};
/* What each of them connects. */
static const int connected[HINGES][2] = {{GROUND, 0}, {0, 1}, {1, 2},     {GROUND, 2},
                                         {2, 3},      {3, 4}, {GROUND, 4}};

/* A bar, through the middle of the hinges that it has; its mass is 1 kg for each metre between
 * them, its inertia that of slender bars. */
typedef struct Bar {
  const char* name;
  int hinges[MOST_POINTS], count;
} Bar;

static const Bar bars[BARS] = {{"crank", {0, 1}, 2},
                               {"coupler", {1, 2}, 2},
                               {"rocker", {3, 2, 4}, 3},
                               {"link", {4, 5}, 2},
                               {"follower", {6, 5}, 2}};

static void find_centre(const Bar* bar, double centre[2]) {
  for (int k = 0; k < 2; k++) {
    centre[k] = 0.0;
    for (int i = 0; i < bar->count; i++) {
      centre[k] += hinge[bar->hinges[i]][k] / bar->count;
    }
  }
}

static int add_bar(VidaSystem* system, const Bar* bar, int* body, VidaError* error) {
  double centre[2], length = 0.0;
  find_centre(bar, centre);
  for (int i = 0; i + 1 < bar->count; i++) {
    const double *from = hinge[bar->hinges[i]], *to = hinge[bar->hinges[i + 1]];
    length += hypot(to[0] - from[0], to[1] - from[1]);
  }
  VidaPlaneBody given = {.name = bar->name, .mass = length, .inertia = pow(length, 3) / 12.0};
  for (int k = 0; k < 2; k++) {
    given.position[k] = VidaInitial_Given(centre[k]);
    given.velocity[k] = VidaInitial_Given(0.0);
  }
  return VidaSystem_AddPlaneBody(system, &given, body, error);
}

/* The end of a hinge on a bar, in the axes of the bar, which are those of space at the start. */
static VidaEnd find_end(const int bodies[BARS], int bar, int number) {
  double centre[2];
  if (bar == GROUND) {
    return VidaEnd_Ground(hinge[number][0], hinge[number][1], 0.0);
  }
  find_centre(&bars[bar], centre);
  return VidaEnd_Body(bodies[bar], hinge[number][0] - centre[0], hinge[number][1] - centre[1], 0.0);
}

static int describe(VidaSystem** system, VidaError* error) {
  const double gravity[2] = {0.0, -9.81}; /* m/s^2 */
  int bodies[BARS];
  int code = VidaSystem_Create("six-bar linkage", 2, system, error);
  code = code ? code : VidaSystem_AddGravity(*system, gravity, error);
  for (int i = 0; i < BARS && !code; i++) {
    code = add_bar(*system, &bars[i], &bodies[i], error);
  }
  for (int i = 0; i < HINGES && !code; i++) {
    const VidaJoint joint = {
        .name = hinge_names[i],
        .kind = VIDA_JOINT_REVOLUTE,
        .ends = {find_end(bodies, connected[i][0], i), find_end(bodies, connected[i][1], i)}};
    code = VidaSystem_AddJoint(*system, &joint, error);
  }
  return code ? code : VidaSystem_Complete(*system, error);
}

/* ---- the comparison -----------------------------------------------------------------------------
 */

static int add_run(VidaStudy* study, const char* name, VidaError* error) {
  VidaOptions* method = NULL;
  int code = VidaOptions_Create(name, &method, error);
  code = code ? code : VidaOptions_SetReal(method, "h", 0.005, error);
  code = code ? code : VidaStudy_AddRun(study, method, error);
  VidaOptions_Destroy(&method);
  return code;
}

static int compare(const VidaSystem* system, VidaStudy** study, VidaError* error) {
  static const char* const methods[] = {"rattle", "energy-momentum", "ida-ggl"};
  VidaOptions* wishes = NULL;
  int code = VidaStudy_CreateOptions(&wishes, error);
  code = code ? code : VidaOptions_SetReal(wishes, "time", 2.0, error);
  code = code ? code : VidaStudy_Create(system, wishes, study, error);
  VidaOptions_Destroy(&wishes);
  for (size_t i = 0; i < sizeof methods / sizeof methods[0] && !code; i++) {
    code = add_run(*study, methods[i], error);
  }
  return code;
}

static int report(VidaStudy* study, const char* folder, VidaError* error) {
  VidaRecording* recording = NULL;
  char path[1024];
  int code = VidaRecording_Create(study, &recording, error);
  if (!code) {
    const VidaObserver observer = VidaRecording_Observer(recording);
    code = VidaStudy_Run(study, &observer, error);
  }
  code = code ? code : VidaReport_Table(study, stdout, 100, error);
  if (!code) {
    snprintf(path, sizeof path, "%s/six_bar.html", folder);
    code = VidaReport_Page((const VidaRecording* const*)&recording, 1, NULL, path, error);
  }
  VidaRecording_Destroy(&recording);
  return code;
}

static int is_right(const VidaSystem* system, const VidaStudy* study) {
  int right = VidaSystem_CoordinateCount(system) - VidaSystem_ConstraintCount(system) == 1;
  for (int i = 0; i < VidaStudy_RunCount(study); i++) {
    const VidaRow* row = VidaStudy_Row(study, i);
    right = right && strcmp(row->status, "ok") == 0 && row->constraint_position < 1e-6;
    if (strcmp(row->method, "energy-momentum") == 0) {
      right = right && row->energy_error < 1e-9;
    }
  }
  return right;
}

int main(int count, char** arguments) {
  VidaSystem* system = NULL;
  VidaStudy* study = NULL;
  VidaError error = {0};
  int code = describe(&system, &error);
  code = code ? code : compare(system, &study, &error);
  code = code ? code : report(study, count > 1 ? arguments[1] : ".", &error);
  if (code) {
    fprintf(stderr, "six_bar: %s\n", error.message);
  }
  const int right = !code && is_right(system, study);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
