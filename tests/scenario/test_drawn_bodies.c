/* Bodies that C adds look like those of a script: the drawings of both systems are equal. */
#include <stdio.h>
#include <string.h>
#include <vida/scenario.h>
#include <vida/vida.h>

#include "support/check.h"
#include "system/drawing/wireframe.h"

static const char script_path[] = "test_drawn_bodies.lua";

static void write_script(const char* text) {
  FILE* file = fopen(script_path, "w");
  if (EXPECT(file != NULL, "the script cannot be written")) {
    fputs(text, file);
    fclose(file);
  }
}

static void compare_lines(const vida_drawing* one, const vida_drawing* other, int line) {
  const vida_drawn_line *a = &one->lines[line], *b = &other->lines[line];
  EXPECT(!strcmp(a->name, b->name) && !strcmp(a->style, b->style) && a->count == b->count,
         "line %d: %s %s %d, not %s %s %d", line, a->name, a->style, a->count, b->name, b->style,
         b->count);
  for (int i = 0; i < a->count && a->count == b->count; i++) {
    const VidaDrawnPoint *p = &one->points[a->first + i].given,
                         *q = &other->points[b->first + i].given;
    EXPECT(p->frame == q->frame && p->centre == q->centre && p->turn == q->turn &&
               p->directions == q->directions && !memcmp(p->place, q->place, sizeof p->place),
           "point %d of line %d (%s) differs", i, line, a->name);
  }
}

/* Compares the system with that of the script, and destroys it. */
static void compare(VidaSystem* system, const char* script, int lines) {
  VidaError error = {0};
  VidaScenario* scenario = NULL;
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  write_script(script);
  REQUIRE_OK(VidaScenario_Load(script_path, NULL, &scenario, &error), &error);
  const vida_drawing* of_script = VidaStudy_System(VidaScenario_Study(scenario, 0))->drawing;
  const vida_drawing* drawing = system->drawing;
  EXPECT(of_script->line_count == lines && drawing->line_count == lines, "%d and %d lines",
         of_script->line_count, drawing->line_count);
  for (int i = 0; i < lines; i++) {
    compare_lines(of_script, drawing, i);
  }
  VidaScenario_Destroy(&scenario);
  VidaSystem_Destroy(&system);
  remove(script_path);
}

static void test_plane(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const VidaPlaneBody bar = {.name = "bar", .mass = 2.0, .inertia = 0.75, .angle = 0.25};
  const VidaRod rod = {.name = "rod",
                       .mass = 1.0,
                       .length = 1.25,
                       .position = {{.value = 0.0}, {.value = 2.0}},
                       .direction = {1.0, 0.0}};
  REQUIRE_OK(VidaSystem_Create("plane", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &bar, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, NULL, &error), &error);
  compare(s,
          "local vida = require 'vida'\n"
          "local s = vida.system { 'plane', dimension = 2 }\n"
          "s:body { 'bar', mass = 2, inertia = 0.75, position = { 0, 0 }, angle = 0.25 }\n"
          "s:rod { 'rod', mass = 1, length = 1.25, centre = { 0, 2 }, angle = 0 }\n"
          "return vida.compare { system = s, time = 1, methods = { { 'rattle', h = 0.5 } } }\n",
          2);
}

static void test_space(void) {
  static const double full[3][3] = {{2.0, 0.1, 0.0}, {0.1, 1.5, 0.2}, {0.0, 0.2, 1.2}};
  static const double flat[3][3] = {{3.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 2.0}};
  VidaError error = {0};
  VidaSystem* s = NULL;
  VidaRigidBody body = {.name = "top", .mass = 2.0, .orientation = {0.8, 0.6}};
  const VidaRod rod = {.name = "rod", .mass = 1.0, .length = 1.25, .direction = {0.0, 0.6, 0.8}};
  memcpy(body.inertia, full, sizeof full);
  REQUIRE_OK(VidaSystem_Create("space", 3, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error);
  body.name = "box";
  body.as = VIDA_ORIENTATION_DIRECTORS;
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error);
  body.name = "plate";
  memcpy(body.inertia, flat, sizeof flat);
  REQUIRE_OK(VidaSystem_AddRigidBody(s, &body, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddRod(s, &rod, NULL, &error), &error);
  compare(s,
          "local vida = require 'vida'\n"
          "local s = vida.system { 'space', dimension = 3 }\n"
          "local full = { { 2, 0.1, 0 }, { 0.1, 1.5, 0.2 }, { 0, 0.2, 1.2 } }\n"
          "local function add(name, inertia, as)\n"
          "  s:body { name, mass = 2, inertia = inertia, position = { 0, 0, 0 }, as = as,\n"
          "    orientation = { 0.8, 0.6, 0, 0 } }\n"
          "end\n"
          "add('top', full)\n"
          "add('box', full, 'directors')\n"
          "add('plate', { 3, 1, 2 }, 'directors')\n"
          "s:rod { 'rod', mass = 1, length = 1.25, centre = { 0, 0, 0 }, direction = { 0, 0.6, 0.8 "
          "} }\n"
          "return vida.compare { system = s, time = 1, methods = { { 'rattle', h = 0.5 } } }\n",
          4);
}

/* A square of mass m and side a has the moment m a^2 / 6 about its centre. */
static void test_square(void) {
  VidaError error = {0};
  VidaSystem* s = NULL;
  const double side = 0.8, mass = 3.0;
  const VidaPlaneBody square = {
      .name = "square", .mass = mass, .inertia = mass * side * side / 6.0};
  REQUIRE_OK(VidaSystem_Create("plane", 2, &s, &error), &error);
  REQUIRE_OK(VidaSystem_AddPlaneBody(s, &square, NULL, &error), &error);
  const double* corner = s->drawing->points[2].given.place;
  EXPECT_NEAR(corner[0], 0.5 * side, 1e-15, "x of a corner");
  EXPECT_NEAR(corner[1], 0.5 * side, 1e-15, "y of a corner");
  /* A body that is refused leaves no line. */
  VidaRod rod = {.name = "square", .mass = 1.0, .length = 1.0, .direction = {1.0}};
  EXPECT(VidaSystem_AddRod(s, &rod, NULL, &error) < 0, "a name twice");
  EXPECT(s->drawing->line_count == 1, "%d lines", s->drawing->line_count);
  VidaSystem_Destroy(&s);
}

static const CheckTest tests[] = {
    {"in the plane", test_plane}, {"in space", test_space}, {"square", test_square}, {NULL, NULL}};

int main(void) {
  return check_main("bodies drawn", tests);
}
