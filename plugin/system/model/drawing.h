/* The drawing of a system: its points as functions of the coordinates, and the lines between them.
 */
#ifndef VIDA_SYSTEM_MODEL_DRAWING_H
#define VIDA_SYSTEM_MODEL_DRAWING_H

#include <vida/drawing.h>

#include "system/evaluate/evaluate.h"

/* One component of a formula. */
typedef struct vida_drawn_component {
  int coordinate; /* index of the coordinate, if it is nothing else; otherwise -1 */
  int batch;      /* of the drawing's batches; -1: the constant in `place` */
} vida_drawn_component;

typedef struct vida_drawn_point {
  VidaDrawnPoint given;
  vida_drawn_component component[3]; /* of a formula */
} vida_drawn_point;

typedef struct vida_drawn_line {
  char *name, *style;
  int first, count; /* of its points */
} vida_drawn_line;

/* The lines of a system. */
typedef struct vida_drawing {
  int point_count, line_count, batch_count, hidden_count;
  size_t point_capacity, line_capacity, batch_capacity, hidden_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines;
  vida_drawn_line*
      hidden; /* hidden names: no line with such a name and a number below `first` is drawn */
  vida_term_batch* batches; /* of components of formulas; only their values are used */
} vida_drawing;

void vida__drawing_destroy(vida_drawing** drawing); /* NULL is allowed */

/* All points and lines: particles, then what connects them, then the lines of the user. */
typedef struct vida_picture {
  const VidaSystem* system;
  int dimension; /* 2 or 3 */
  int particles; /* as many of the points */
  int point_count, line_count;
  size_t point_capacity, line_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines; /* names are not owned; points of a line follow each other */
  bool is_cut;            /* points were omitted */
} vida_picture;

/* Creates the drawing of a completed system, with at most `most` points. Free it with
 * vida__picture_destroy. */
int vida__picture_create(const VidaSystem* system, int most, vida_picture* picture,
                         VidaError* error);
void vida__picture_destroy(vida_picture* picture);
/* Writes the positions of the points, xyz (3 x point_count); NaN where a formula has no value. */
void vida__picture_points(const vida_picture* picture, vida_evaluator* evaluator, double t,
                          const double* q, const double* v, double* xyz);

#endif
