/* The picture of a system: its points as functions of the coordinates, and what joins them. */
#ifndef VIDA_SYSTEM_MODEL_DRAWING_H
#define VIDA_SYSTEM_MODEL_DRAWING_H

#include <vida/drawing.h>

#include "system/evaluate/evaluate.h"

/* One component of a formula. */
typedef struct vida_drawn_component {
  int coordinate; /* where it is nothing but that; else -1 */
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

/* What lines a system was given. */
typedef struct vida_drawing {
  int point_count, line_count, batch_count, hidden_count;
  size_t point_capacity, line_capacity, batch_capacity, hidden_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines;
  vida_drawn_line* hidden;  /* names of which no line before number `first` is seen */
  vida_term_batch* batches; /* of components of formulas; only their values are used */
} vida_drawing;

void vida__drawing_destroy(vida_drawing** drawing); /* NULL is allowed */

/* All there is to see: particles first, then what joins them, then the lines that were given. */
typedef struct vida_picture {
  const VidaSystem* system;
  int dimension; /* 2 or 3 */
  int particles; /* as many of the points */
  int point_count, line_count;
  size_t point_capacity, line_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines; /* names are not owned; points of a line follow each other */
  bool is_cut;            /* there was more than `most` points */
} vida_picture;

/* A picture of at most `most` points of a completed system. Free with vida__picture_destroy. */
int vida__picture_create(const VidaSystem* system, int most, vida_picture* picture,
                         VidaError* error);
void vida__picture_destroy(vida_picture* picture);
/* xyz (3 x point_count): where the points are; NaN where a formula has no value. */
void vida__picture_points(const vida_picture* picture, vida_evaluator* evaluator, double t,
                          const double* q, const double* v, double* xyz);

#endif
