/* The wireframe of a system: all points and lines that are drawn, and where the points are. */
#ifndef VIDA_SYSTEM_DRAWING_WIREFRAME_H
#define VIDA_SYSTEM_DRAWING_WIREFRAME_H

#include "system/evaluate/evaluate.h"
#include "system/model/drawing.h"

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
