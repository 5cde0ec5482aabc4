/* The drawing of a system: its points as functions of the coordinates, and the lines between them.
 */
#ifndef VIDA_SYSTEM_MODEL_DRAWING_H
#define VIDA_SYSTEM_MODEL_DRAWING_H

#include <vida/drawing.h>

#include "system/evaluate/evaluate.h"

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

/* All points and lines: those of particles, of the built-in springs and rods, then those of the
 * drawing. */
typedef struct vida_wireframe {
  const VidaSystem* system;
  int dimension; /* 2 or 3 */
  int particles; /* the number of points that are particles */
  int point_count, line_count;
  size_t point_capacity, line_capacity;
  vida_drawn_point* points;
  vida_drawn_line* lines; /* names are not owned; points of a line follow each other */
  bool is_cut;            /* points were omitted */
} vida_wireframe;

/* Creates the wireframe of a completed system, with at most `most` points. The caller frees it with
 * vida__wireframe_destroy. */
int vida__wireframe_create(const VidaSystem* system, int most, vida_wireframe* wireframe,
                           VidaError* error);
/* Frees a wireframe. */
void vida__wireframe_destroy(vida_wireframe* wireframe);
/* Computes the positions of the points, xyz (3 x point_count); NaN for a formula without a value.
 */
void vida__wireframe_points(const vida_wireframe* wireframe, vida_evaluator* evaluator, double t,
                            const double* q, const double* v, double* xyz);

#endif
