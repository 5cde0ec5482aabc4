/* The drawing of a system: its points as functions of the coordinates, and the lines between them
 * (drawing/drawing.c). */
#ifndef VIDA_SYSTEM_MODEL_DRAWING_H
#define VIDA_SYSTEM_MODEL_DRAWING_H

#include <vida/drawing.h>

#include "system/model/model.h"

/* A point. Large systems have many of them, so they are small: after the derivation of a formula,
 * given.formula[k] is its component k: 2 i for coordinate i, 2 b + 1 for batch b of the drawing, -1
 * for the constant in given.place[k]. */
typedef struct vida_drawn_point {
  VidaDrawnPoint given;
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

#endif
