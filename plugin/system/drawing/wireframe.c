#include "system/drawing/wireframe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- points and lines ------------------------------------------------------------------------ */

/* `line` is -1 for built-in rods and springs, which are before all lines of the user. */
static bool is_hidden(const vida_drawing* drawing, const char* name, int line) {
  for (int i = 0; drawing && i < drawing->hidden_count; i++) {
    if (line < drawing->hidden[i].first && strcmp(drawing->hidden[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

void vida__wireframe_destroy(vida_wireframe* wireframe) {
  free(wireframe->points);
  free(wireframe->lines);
  memset(wireframe, 0, sizeof *wireframe);
}

static int add_points(vida_wireframe* wireframe, int most, int count,
                      const vida_drawn_point* points, const char* name, const char* style,
                      VidaError* error) {
  if (wireframe->point_count + count > most) {
    wireframe->is_cut = true;
    return VIDA_SUCCESS;
  }
  if (vida__reserve((void**)&wireframe->points, &wireframe->point_capacity,
                    (size_t)wireframe->point_count + (size_t)count, sizeof *wireframe->points) ||
      vida__reserve((void**)&wireframe->lines, &wireframe->line_capacity,
                    (size_t)wireframe->line_count + 1, sizeof *wireframe->lines)) {
    return vida__fail_memory(error);
  }
  memcpy(&wireframe->points[wireframe->point_count], points, (size_t)count * sizeof *points);
  if (style) {
    wireframe->lines[wireframe->line_count++] =
        (vida_drawn_line){name, style, wireframe->point_count, count};
  }
  wireframe->point_count += count;
  for (int i = 0; i < count; i++) {
    if (points[i].given.frame == VIDA_DRAWN_FORMULA && points[i].given.components == 3) {
      wireframe->dimension = 3;
    }
  }
  return VIDA_SUCCESS;
}

/* Adds a spring or a distance between two points, of which the first may be fixed. */
static int add_pair(vida_wireframe* wireframe, int most, int dimension, int width, const int* index,
                    const double* anchor, const char* name, const char* style, VidaError* error) {
  vida_drawn_point ends[2];
  memset(ends, 0, sizeof ends);
  for (int i = 0; i < 2; i++) {
    ends[i].given.frame = VIDA_DRAWN_CENTRE;
  }
  if (width > dimension) {
    ends[0].given.centre = index[0];
    ends[1].given.centre = index[dimension];
  } else {
    ends[0].given.frame = VIDA_DRAWN_SPACE;
    memcpy(ends[0].given.place, anchor, (size_t)dimension * sizeof *anchor);
    ends[1].given.centre = index[0];
  }
  return add_points(wireframe, most, 2, ends, name, style, error);
}

static int add_particles(vida_wireframe* wireframe, int most, VidaError* error) {
  const VidaSystem* system = wireframe->system;
  int code = VIDA_SUCCESS;
  for (int i = 0; i < system->particle_count && !code && !wireframe->is_cut; i++) {
    vida_drawn_point point = {.given = {.frame = VIDA_DRAWN_CENTRE}};
    point.given.centre = system->particles[i].coordinate;
    code = add_points(wireframe, most, 1, &point, NULL, NULL, error);
  }
  wireframe->particles = wireframe->point_count;
  return code;
}

static int add_pairs(vida_wireframe* wireframe, int most, VidaError* error) {
  const VidaSystem* system = wireframe->system;
  int code = VIDA_SUCCESS;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    for (int i = 0; batch->kernel == &vida__distance && i < batch->count && !code; i++) {
      if (is_hidden(system->drawing, system->rows[batch->row[i]].name, -1)) {
        continue;
      }
      code =
          add_pair(wireframe, most, batch->dimension, batch->width, batch->index + i * batch->width,
                   batch->parameter + i * VIDA_DISTANCE_PARAMETERS + VIDA_DISTANCE_ANCHOR,
                   system->rows[batch->row[i]].name, "rod", error);
    }
  }
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    const bool is_spring =
        batch->kernel == &vida__linear_spring || batch->kernel == &vida__squared_spring;
    for (int i = 0; is_spring && i < batch->count && !code; i++) {
      const double* parameter = batch->parameter + i * VIDA_SPRING_PARAMETERS;
      if (is_hidden(system->drawing, system->springs[(int)parameter[VIDA_SPRING_NUMBER]], -1)) {
        continue;
      }
      code =
          add_pair(wireframe, most, batch->dimension, batch->width, batch->index + i * batch->width,
                   parameter + VIDA_SPRING_ANCHOR, "spring", "spring", error);
    }
  }
  return code;
}

int vida__wireframe_create(const VidaSystem* system, int most, vida_wireframe* wireframe,
                           VidaError* error) {
  const vida_drawing* drawing = system->drawing;
  memset(wireframe, 0, sizeof *wireframe);
  wireframe->system = system;
  wireframe->dimension = system->particle_count > 0 && system->dimension == 3 ? 3 : 2;
  int code = add_particles(wireframe, most, error);
  code = code ? code : add_pairs(wireframe, most, error);
  for (int i = 0; drawing && i < drawing->line_count && !code; i++) {
    const vida_drawn_line* line = &drawing->lines[i];
    if (is_hidden(drawing, line->name, i)) {
      continue;
    }
    code = add_points(wireframe, most, line->count, &drawing->points[line->first], line->name,
                      line->style, error);
  }
  if (code) {
    vida__wireframe_destroy(wireframe);
  }
  return code;
}

/* ---- positions of points --------------------------------------------------------------------- */

static void turn_by_quaternion(const double* q, const double* a, double* r) {
  const double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  const double* u = q + 1;
  const double t[3] = {2.0 * (u[1] * a[2] - u[2] * a[1]), 2.0 * (u[2] * a[0] - u[0] * a[2]),
                       2.0 * (u[0] * a[1] - u[1] * a[0])};
  const double c[3] = {u[1] * t[2] - u[2] * t[1], u[2] * t[0] - u[0] * t[2],
                       u[0] * t[1] - u[1] * t[0]};
  for (int k = 0; k < 3; k++) {
    r[k] += a[k] + (q[0] * t[k] + c[k]) / size;
  }
}

static void turn_by_directions(const double* d, int dimension, int count, const double* a,
                               double* r) {
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < dimension; k++) {
      r[k] += a[i] * d[i * dimension + k];
    }
  }
  if (dimension == 3 && count == 2) {
    for (int k = 0; k < 3; k++) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      r[k] += a[2] * (d[i] * d[3 + j] - d[j] * d[3 + i]);
    }
  }
  if (dimension == 2 && count == 1) { /* the second direction is orthogonal to the first */
    r[0] -= a[1] * d[1];
    r[1] += a[1] * d[0];
  }
}

static void evaluate_formula(const vida_wireframe* wireframe, const vida_drawn_point* point,
                             const vida_place* at, double* r) {
  for (int k = 0; k < point->given.components; k++) {
    const int component = point->given.formula[k];
    if (component >= 0 && component % 2 == 1) {
      const vida_term_batch* batch = &wireframe->system->drawing->batches[component / 2];
      r[k] = 0.0;
      if (batch->kernel->value(batch, at, &r[k])) {
        r[k] = (double)NAN;
      }
    } else {
      r[k] = component >= 0 ? at->q[component / 2] : point->given.place[k];
    }
  }
}

void vida__wireframe_points(const vida_wireframe* wireframe, vida_evaluator* evaluator, double t,
                            const double* q, const double* v, double* xyz) {
  const int dimension = wireframe->system->dimension;
  const vida_place at = vida__place(evaluator, t, q, v);
  for (int i = 0; i < wireframe->point_count; i++) {
    const vida_drawn_point* point = &wireframe->points[i];
    const VidaDrawnPoint* given = &point->given;
    double* r = xyz + 3 * i;
    r[0] = r[1] = r[2] = 0.0;
    if (given->frame == VIDA_DRAWN_FORMULA) {
      evaluate_formula(wireframe, point, &at, r);
      continue;
    }
    for (int k = 0; k < dimension && given->frame != VIDA_DRAWN_SPACE && given->centre >= 0; k++) {
      r[k] = q[given->centre + k];
    }
    if (given->frame == VIDA_DRAWN_SPACE) {
      memcpy(r, given->place, sizeof given->place);
    } else if (given->frame == VIDA_DRAWN_ANGLE) {
      const double c = cos(q[given->turn]), s = sin(q[given->turn]);
      r[0] += c * given->place[0] - s * given->place[1];
      r[1] += s * given->place[0] + c * given->place[1];
    } else if (given->frame == VIDA_DRAWN_QUATERNION) {
      turn_by_quaternion(q + given->turn, given->place, r);
    } else if (given->frame == VIDA_DRAWN_DIRECTIONS) {
      turn_by_directions(q + given->turn, dimension, given->directions, given->place, r);
    }
  }
}
