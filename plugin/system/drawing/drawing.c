/* The lines that a user adds to the drawing of a system. */
#include "system/model/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "expr/graph.h"
#include "system/model/build.h"
#include "system/terms/derive.h"

/* ---- lines of the user ----------------------------------------------------------------------- */

void vida__drawing_destroy(vida_drawing** drawing) {
  vida_drawing* old = *drawing;
  if (!old) {
    return;
  }
  vida__free_strings(&old->texts);
  for (size_t b = 0; b < old->batch_capacity; b++) {
    free(old->batches[b].index);
    free(old->batches[b].parameter);
    vida__release_functions(old->batches[b].functions);
  }
  free(old->points);
  free(old->lines);
  free(old->hidden);
  free(old->batches);
  free(old);
  *drawing = NULL;
}

static int check_point(const VidaSystem* system, const char* name, const VidaDrawnPoint* point,
                       VidaError* error) {
  const int n = system->coordinate_count, dimension = system->dimension;
  const int needed[] = {[VIDA_DRAWN_SPACE] = 0,
                        [VIDA_DRAWN_CENTRE] = 0,
                        [VIDA_DRAWN_ANGLE] = 1,
                        [VIDA_DRAWN_QUATERNION] = 4,
                        [VIDA_DRAWN_DIRECTIONS] = point->directions * dimension,
                        [VIDA_DRAWN_FORMULA] = 0};
  bool good = point->frame >= VIDA_DRAWN_SPACE && point->frame <= VIDA_DRAWN_FORMULA;
  if (good && point->frame == VIDA_DRAWN_FORMULA) {
    good = point->components == 2 || point->components == 3;
    for (int k = 0; k < point->components && good; k++) {
      good = system->graph && point->formula[k] >= 0 && point->formula[k] < system->graph->count;
    }
    return good ? VIDA_SUCCESS
                : vida__fail(error, VIDA_BAD_ARGUMENT,
                             "line '%s': expected points of two or three expressions of system "
                             "'%s'",
                             name, system->name);
  }
  for (int k = 0; k < 3 && good; k++) {
    good = isfinite(point->place[k]);
  }
  if (good && point->frame != VIDA_DRAWN_SPACE) {
    const int turn = needed[point->frame];
    good = point->centre >= -1 && point->centre + dimension <= n &&
           (turn == 0 || (point->turn >= 0 && point->turn + turn <= n));
    good = good && (point->frame != VIDA_DRAWN_DIRECTIONS ||
                    (point->directions >= 1 && point->directions <= dimension));
    good = good && (point->frame != VIDA_DRAWN_ANGLE || dimension == 2) &&
           (point->frame != VIDA_DRAWN_QUATERNION || dimension == 3);
  }
  return good ? VIDA_SUCCESS
              : vida__fail(
                    error, VIDA_BAD_ARGUMENT,
                    "line '%s': one of its points is not valid for system '%s' in dimension %d",
                    name, system->name, dimension);
}

/* Derives components that are neither a coordinate nor a number. */
static int add_component(VidaSystem* system, const char* name, vida_drawn_point* point, int k,
                         VidaError* error) {
  vida_drawing* drawing = system->drawing;
  const VidaExpression formula = point->given.formula[k];
  const vida_node* node = &system->graph->nodes[formula];
  vida_traced* traced = NULL;
  if (node->operation == VIDA_OP_CONSTANT) {
    point->given.place[k] = node->constant;
    point->given.formula[k] = -1;
    return VIDA_SUCCESS;
  }
  if (node->operation == VIDA_OP_INPUT && node->number == VIDA_INPUT_POSITION) {
    point->given.formula[k] = 2 * node->operand[0];
    return VIDA_SUCCESS;
  }
  if (vida__reserve((void**)&drawing->batches, &drawing->batch_capacity,
                    (size_t)drawing->batch_count + 1, sizeof *drawing->batches)) {
    return vida__fail_memory(error);
  }
  const int code =
      vida__derive_term(system, VIDA_TRACED_VALUE, name, 1, NULL, &formula, &traced, error);
  if (code) {
    return code;
  }
  vida_term_batch* batch = &drawing->batches[drawing->batch_count];
  batch->kernel = traced->term;
  batch->width = traced->width;
  batch->functions = &traced->base;
  point->given.formula[k] = 2 * drawing->batch_count++ + 1;
  return vida__append_term(batch, traced->index, NULL) ? vida__fail_memory(error) : VIDA_SUCCESS;
}

/* One of the texts of a drawing; NULL without memory. */
static const char* intern(vida_drawing* drawing, const char* text) {
  const int at = drawing ? vida__add_string(&drawing->texts, text) : -1;
  return at < 0 ? NULL : drawing->texts.texts[at];
}

int VidaSystem_AddLine(VidaSystem* system, const char* name, const char* style, int count,
                       const VidaDrawnPoint* points, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name, style) ||
      (count > 0 && VIDA_REFUSE_NULL(error, points))) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__check_addition(system, "line", name, error);
  if (!code && count < 1) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "line '%s': expected at least one point", name);
  }
  for (int i = 0; i < count && !code; i++) {
    code = check_point(system, name, &points[i], error);
  }
  if (code) {
    return code;
  }
  if (!system->drawing) {
    system->drawing = vida__allocate(1, sizeof *system->drawing);
  }
  vida_drawing* drawing = system->drawing;
  vida_drawn_line line = {intern(drawing, name), intern(drawing, style), 0, count};
  if (!line.name || !line.style ||
      vida__reserve((void**)&drawing->lines, &drawing->line_capacity,
                    (size_t)drawing->line_count + 1, sizeof *drawing->lines) ||
      vida__reserve((void**)&drawing->points, &drawing->point_capacity,
                    (size_t)drawing->point_count + (size_t)count, sizeof *drawing->points)) {
    return vida__fail_memory(error);
  }
  line.first = drawing->point_count;
  for (int i = 0; i < count && !code; i++) {
    vida_drawn_point* point = &drawing->points[line.first + i];
    point->given = points[i];
    for (int k = 0; k < points[i].components && points[i].frame == VIDA_DRAWN_FORMULA && !code;
         k++) {
      code = add_component(system, name, point, k, error);
    }
  }
  if (code) {
    return code;
  }
  drawing->lines[drawing->line_count++] = line;
  drawing->point_count += count;
  return VIDA_SUCCESS;
}

/* ---- hidden lines ---------------------------------------------------------------------------- */

static bool has_drawn(const VidaSystem* system, const char* name) {
  const vida_drawing* drawing = system->drawing;
  bool found = false;
  for (int i = 0; drawing && i < drawing->line_count && !found; i++) {
    found = strcmp(drawing->lines[i].name, name) == 0;
  }
  for (int i = 0; i < system->row_count && !found; i++) {
    found = system->rows[i].length > 0.0 && strcmp(system->rows[i].name, name) == 0;
  }
  for (int i = 0; i < system->spring_count && !found; i++) {
    found = strcmp(system->springs[i], name) == 0;
  }
  return found;
}

int VidaSystem_HideLines(VidaSystem* system, const char* name, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = vida__check_addition(system, "line", name, error);
  if (code) {
    return code;
  }
  if (!has_drawn(system, name)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "nothing named '%s' is drawn so far; expected the name of a body, a joint, a "
                      "rod, a spring or a line that was added before",
                      name);
  }
  if (!system->drawing) {
    system->drawing = vida__allocate(1, sizeof *system->drawing);
  }
  vida_drawing* drawing = system->drawing;
  vida_drawn_line hidden = {intern(drawing, name), NULL, 0, 0};
  if (!hidden.name || vida__reserve((void**)&drawing->hidden, &drawing->hidden_capacity,
                                    (size_t)drawing->hidden_count + 1, sizeof *drawing->hidden)) {
    return vida__fail_memory(error);
  }
  hidden.first = drawing->line_count;
  drawing->hidden[drawing->hidden_count++] = hidden;
  return VIDA_SUCCESS;
}
