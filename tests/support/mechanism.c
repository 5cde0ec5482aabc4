#include "support/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/formula.h"

static const double pi = 3.14159265358979323846;

static VidaExpression add(VidaSystem* system, VidaExpression a, VidaExpression b) {
  return apply(system, "+", a, b);
}

static VidaExpression multiply(VidaSystem* system, VidaExpression a, VidaExpression b) {
  return apply(system, "*", a, b);
}

static void add_constraint(VidaSystem* system, const char* name, const char* unit,
                           VidaExpression g) {
  VidaError error;
  REQUIRE_OK(VidaSystem_AddExpressionConstraint(system, name, unit, g, &error), &error);
}

static void add_coordinate(VidaSystem* system, const char* body, const char* part, const char* unit,
                           VidaInitial position) {
  char name[64];
  VidaError error;
  snprintf(name, sizeof name, "%s.%s", body, part);
  REQUIRE_OK(
      VidaSystem_AddCoordinate(system, name, unit, position, VidaInitial_Given(0.0), NULL, &error),
      &error);
}

/* half * sum of the squares of `count` rates from `first` on */
static VidaExpression kinetic(VidaSystem* system, double mass, int first, int count) {
  VidaExpression sum = number(system, 0.0);
  for (int i = first; i < first + count; i++) {
    sum = add(system, sum, times(system, 0.5 * mass, square(system, rate(system, i))));
  }
  return sum;
}

/* ---- door ------------------------------------------------------------------------------------ */

enum { CENTRE = 0, D1 = 3, D2 = 6, D3 = 9 };
static const double door_mass = 20.0;
static const double door_width = 1.0;
static const double door_heights[2] = {-0.6, 0.7}; /* of the hinges, from the centre */

/* The hinges' axis z' is tilted about y: x' is the horizontal-most direction across it that points
 * down, where the door hangs at its lowest. */
static void door_frame(double x[3], double y[3], double z[3]) {
  const double tilt = 10.0 * pi / 180.0;
  const double frame[3][3] = {
      {cos(tilt), 0.0, -sin(tilt)}, {0.0, 1.0, 0.0}, {sin(tilt), 0.0, cos(tilt)}};
  memcpy(x, frame[0], sizeof frame[0]);
  memcpy(y, frame[1], sizeof frame[1]);
  memcpy(z, frame[2], sizeof frame[2]);
}

static VidaExpression dot(VidaSystem* system, int a, int b) {
  VidaExpression sum = number(system, 0.0);
  for (int i = 0; i < 3; i++) {
    sum = add(system, sum, multiply(system, position(system, a + i), position(system, b + i)));
  }
  return sum;
}

static void add_directors(VidaSystem* system) {
  static const int first[6] = {D1, D2, D3, D1, D2, D3};
  static const int second[6] = {D1, D2, D3, D2, D3, D1};
  static const char* const names[6] = {"|d1|", "|d2|", "|d3|", "d1.d2", "d2.d3", "d3.d1"};
  for (int k = 0; k < 6; k++) {
    const VidaExpression product = dot(system, first[k], second[k]);
    const VidaExpression one = number(system, -1.0);
    add_constraint(system, names[k], "",
                   k < 3 ? times(system, 0.5, add(system, product, one)) : product);
  }
}

static void add_hinge(VidaSystem* system, const char* name, double height, const double* shift) {
  static const char* const axes[3] = {"x", "y", "z"};
  char row[64];
  double frame[3][3];
  door_frame(frame[0], frame[1], frame[2]);
  for (int i = 0; i < 3; i++) {
    double place = height * frame[2][i];
    for (int k = 0; k < 3; k++) {
      place += shift[k] * frame[k][i];
    }
    VidaExpression g = add(system, position(system, CENTRE + i),
                           add(system, times(system, -0.5 * door_width, position(system, D1 + i)),
                               times(system, height, position(system, D3 + i))));
    g = add(system, g, number(system, -place));
    snprintf(row, sizeof row, "%s %s", name, axes[i]);
    add_constraint(system, row, "m", g);
  }
  for (int k = 0; k < 2; k++) {
    VidaExpression g = number(system, 0.0);
    for (int i = 0; i < 3; i++) {
      g = add(system, g, times(system, frame[2][i], position(system, (k ? D2 : D1) + i)));
    }
    snprintf(row, sizeof row, "%s axis %d", name, k + 1);
    add_constraint(system, row, "", g);
  }
}

static void add_hinges(VidaSystem* system, const Door* door) {
  static const double none[3] = {0.0, 0.0, 0.0};
  add_hinge(system, "lower hinge", door_heights[0], none);
  if (door->hinges > 1) {
    add_hinge(system, "upper hinge", door_heights[1], door->shift);
  }
}

/* Directors are particles without weight here: only the centre has a potential. */
static void add_vector(VidaSystem* system, const char* name, double mass, const double* value) {
  VidaError error;
  VidaParticle particle = {.name = name, .mass = mass};
  for (int i = 0; i < 3; i++) {
    particle.position[i] = VidaInitial_Given(value[i]);
    particle.velocity[i] = VidaInitial_Given(0.0);
  }
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, NULL, &error), &error);
}

VidaSystem* mechanism_door(const Door* door) {
  VidaError error;
  VidaSystem* system = NULL;
  double x[3], y[3], z[3];
  double centre[3], d1[3], d2[3];
  /* About its centre the plate has m w^2 / 12 = E1 + E2 around d3. */
  const double across = door_mass * door_width * door_width / 24.0;
  door_frame(x, y, z);
  for (int i = 0; i < 3; i++) {
    d1[i] = cos(door->opened) * x[i] + sin(door->opened) * y[i];
    d2[i] = -sin(door->opened) * x[i] + cos(door->opened) * y[i];
    centre[i] = 0.5 * door_width * d1[i];
  }
  REQUIRE_OK(VidaSystem_Create("door", 3, &system, &error), &error);
  add_vector(system, "door", door_mass, centre);
  add_vector(system, "d1", across, d1);
  add_vector(system, "d2", across, d2);
  add_vector(system, "d3", door_mass * 4.0 / 12.0, z);
  const VidaExpression height = position(system, CENTRE + 2);
  REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, "weight",
                                                times(system, -door_mass * 9.81, height), &error),
             &error);
  if (door->hinges_first) {
    add_hinges(system, door);
  }
  add_directors(system);
  if (!door->hinges_first) {
    add_hinges(system, door);
  }
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static void door_components(const double* d, double* along, double* across) {
  double x[3], y[3], z[3];
  door_frame(x, y, z);
  *along = d[0] * x[0] + d[1] * x[1] + d[2] * x[2];
  *across = d[0] * y[0] + d[1] * y[1] + d[2] * y[2];
}

double mechanism_door_angle(const double* q) {
  double along, across;
  door_components(q + D1, &along, &across);
  return atan2(across, along);
}

double mechanism_door_rate(const double* q, const double* v) {
  double along, across, along_rate, across_rate;
  door_components(q + D1, &along, &across);
  door_components(v + D1, &along_rate, &across_rate);
  return along * across_rate - across * along_rate;
}

/* ---- four-bar -------------------------------------------------------------------------------- */

static const double bar_length[3] = {0.5, 1.2, 0.8};

/* Axis k of body b: a column of Rz(c) Ry(b) Rx(a). */
static void body_axis(VidaSystem* system, int body, int k, VidaExpression axis[3]) {
  VidaExpression c[3], s[3];
  for (int i = 0; i < 3; i++) {
    const VidaExpression angle = position(system, 6 * body + 3 + i);
    c[i] = apply(system, "cos", angle, -1);
    s[i] = apply(system, "sin", angle, -1);
  }
  const VidaExpression tilted = k == 1 ? s[0] : c[0];
  const VidaExpression rest = k == 1 ? c[0] : s[0];
  const double sign = k == 1 ? -1.0 : 1.0;
  if (k == 0) {
    axis[0] = multiply(system, c[2], c[1]);
    axis[1] = multiply(system, s[2], c[1]);
    axis[2] = times(system, -1.0, s[1]);
    return;
  }
  axis[0] = add(system, multiply(system, multiply(system, c[2], s[1]), tilted),
                times(system, sign, multiply(system, s[2], rest)));
  axis[1] = add(system, multiply(system, multiply(system, s[2], s[1]), tilted),
                times(system, -sign, multiply(system, c[2], rest)));
  axis[2] = multiply(system, c[1], tilted);
}

/* Component i of the end of a bar: its centre plus side * length / 2 along its first axis. */
static VidaExpression bar_end(VidaSystem* system, int body, double side, int i) {
  VidaExpression axis[3];
  body_axis(system, body, 0, axis);
  return add(system, position(system, 6 * body + i),
             times(system, 0.5 * side * bar_length[body], axis[i]));
}

static bool is_skipped(const int skip[3], int row) {
  return row == skip[0] || row == skip[1] || row == skip[2];
}

/* A hinge between the end of a bar and the end of another or a fixed place. */
static void add_revolute(VidaSystem* system, const char* name, int body, double side, int other,
                         double other_side, const double* place, int first, const int skip[3]) {
  static const char* const parts[5] = {"x", "y", "z", "axis 1", "axis 2"};
  VidaExpression own[3], axes[2][3];
  char row[64];
  body_axis(system, body, 2, own);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < 3; i++) {
      axes[k][i] = number(system, i == k ? 1.0 : 0.0);
    }
    if (other >= 0) {
      body_axis(system, other, k, axes[k]);
    }
  }
  for (int r = 0; r < 5; r++) {
    VidaExpression g;
    if (r < 3) {
      const VidaExpression there =
          other >= 0 ? bar_end(system, other, other_side, r) : number(system, place[r]);
      g = add(system, bar_end(system, body, side, r), times(system, -1.0, there));
    } else {
      g = number(system, 0.0);
      for (int i = 0; i < 3; i++) {
        g = add(system, g, multiply(system, own[i], axes[r - 3][i]));
      }
    }
    snprintf(row, sizeof row, "%s %s", name, parts[r]);
    if (!is_skipped(skip, first + r)) {
      add_constraint(system, row, r < 3 ? "m" : "", g);
    }
  }
}

static void add_bar(VidaSystem* system, const char* name, double x, double y, double angle,
                    bool held) {
  static const char* const parts[6] = {"x", "y", "z", "tilt 1", "tilt 2", "angle"};
  const double value[6] = {x, y, 0.0, 0.0, 0.0, angle};
  for (int i = 0; i < 6; i++) {
    const VidaInitial free_one = {.value = value[i], .free = true, .branch = 0.0};
    add_coordinate(system, name, parts[i], i < 3 ? "m" : "rad",
                   i == 5 && held ? VidaInitial_Given(angle) : free_one);
  }
}

VidaSystem* mechanism_four_bar(const double angle[3], const int skip[3]) {
  static const char* const names[3] = {"crank", "coupler", "rocker"};
  static const double a[3] = {0.0, 0.0, 0.0};
  static const double d[3] = {1.0, 0.0, 0.0};
  VidaError error;
  VidaSystem* system = NULL;
  const double bx = bar_length[0] * cos(angle[0]);
  const double by = bar_length[0] * sin(angle[0]);
  const double from[3][2] = {{0.0, 0.0}, {bx, by}, {1.0, 0.0}};
  REQUIRE_OK(VidaSystem_Create("four-bar", 3, &system, &error), &error);
  for (int k = 0; k < 3; k++) {
    const double half = 0.5 * bar_length[k];
    add_bar(system, names[k], from[k][0] + half * cos(angle[k]), from[k][1] + half * sin(angle[k]),
            angle[k], k == 0);
  }
  for (int k = 0; k < 3; k++) {
    const double mass = bar_length[k];
    const VidaExpression l =
        add(system, kinetic(system, mass, 6 * k, 3),
            kinetic(system, mass * bar_length[k] * bar_length[k] / 12.0, 6 * k + 3, 3));
    REQUIRE_OK(VidaSystem_AddExpressionLagrangian(system, names[k], l, &error), &error);
  }
  add_revolute(system, "A", 0, -1.0, -1, 0.0, a, 0, skip);
  add_revolute(system, "B", 1, -1.0, 0, 1.0, NULL, 5, skip);
  add_revolute(system, "C", 2, 1.0, 1, 1.0, NULL, 10, skip);
  add_revolute(system, "D", 2, -1.0, -1, 0.0, d, 15, skip);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}
