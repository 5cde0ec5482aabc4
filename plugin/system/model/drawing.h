/* The drawing of a system: its points as functions of the coordinates, and the lines between them
 * (drawing/drawing.c). */
#ifndef VIDA_SYSTEM_MODEL_DRAWING_H
#define VIDA_SYSTEM_MODEL_DRAWING_H

#include <vida/drawing.h>

#include "system/model/model.h"

/* One component of a formula. */
typedef struct vida_drawn_component {
  int coordinate; /* index, if the component is a single coordinate; otherwise -1 */
  int batch;      /* index in the drawing's batches; -1: the constant in `place` */
} vida_drawn_component;

typedef struct vida_drawn_point {
  VidaDrawnPoint given;
  vida_drawn_component component[3]; /* of a formula */
} vida_drawn_point;

typedef struct vida_drawn_line {
  const char *name, *style; /* among the texts of the drawing */
  int first, count;         /* its points */
} vida_drawn_line;

/* The lines of a system. */
typedef struct vida_drawing {
  vida_string_table texts; /* names and styles */
  int point_count, line_count, batch_count, hidden_count;
  size_t point_capacity, line_capacity, batch_capacity, hidden_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines;
  vida_drawn_line*
      hidden; /* hidden names: lines with such a name and an index below `first` are not drawn */
  vida_term_batch* batches; /* of components of formulas; only their values are used */
} vida_drawing;

/* Frees a drawing and sets *drawing to NULL; NULL is allowed. */
void vida__drawing_destroy(vida_drawing** drawing);

/* Leaves the components of a point without a coordinate and a batch. */
void vida__init_components(vida_drawn_point* point);

#endif
