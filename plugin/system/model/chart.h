/* Charts: coordinates x of the constraint manifold, and the embedding q = phi(x).
 *
 * The tapes of a chart take x in place of positions. A chart is immutable; each caller evaluates it
 * in its own work space. */
#ifndef VIDA_SYSTEM_MODEL_CHART_H
#define VIDA_SYSTEM_MODEL_CHART_H

#include "expr/tape.h"
#include "system/model/model.h"

typedef struct vida_chart_coordinate {
  char* name;
  double near; /* initial guess for the start */
} vida_chart_coordinate;

/* A sparse n x d matrix as a list of entries, with ascending rows. */
typedef struct vida_chart_matrix {
  vida_tape* tape;
  int count;
  int* row;
  int* column;
} vida_chart_matrix;

struct vida_chart {
  int count; /* d */
  size_t capacity;
  vida_chart_coordinate* coordinates;
  int rows;                   /* n; 0 without an embedding */
  vida_tape* value;           /* phi */
  vida_chart_matrix jacobian; /* J = phi_x */
  vida_chart_matrix discrete; /* D phi (x0, x1); without a tape if phi has none */
};

typedef struct vida_chart vida_chart;

/* Frees a chart and sets *chart to NULL; NULL is allowed. */
void vida__chart_destroy(vida_chart** chart);
/* Returns the chart of a system; NULL without an embedding. */
const vida_chart* vida__chart_of(const VidaSystem* system);

/* ---- evaluation: returns 0, or VIDA_NOT_FINITE with `error` filled ---- */

typedef struct vida_chart_work {
  const vida_chart* chart;
  const double* parameters;
  double* value;
  double* jacobian;
  double* discrete;
  double* entries; /* of D phi */
} vida_chart_work;

/* Returns the number of doubles of work space. */
size_t vida__chart_work_size(const vida_chart* chart);
/* Prepares the work space of a complete system. */
void vida__chart_work_begin(const VidaSystem* system, double* memory, vida_chart_work* work);

/* Computes q (n) = phi(x). */
int vida__chart_value(const vida_chart_work* work, const double* x, double* q, VidaError* error);
/* Computes the entries (jacobian.count) of J at x. */
int vida__chart_jacobian(const vida_chart_work* work, const double* x, double* entries,
                         VidaError* error);
/* Computes w (n) = (phi(x1) - phi(x0)) / h for x1 = x0 + h s; q0 = phi(x0). The discrete derivative
 * avoids cancellation. */
int vida__chart_increment(const vida_chart_work* work, const double* x0, const double* x1,
                          const double* s, double h, const double* q0, double* w, VidaError* error);

/* ---- sums with the entries of J ---- */

/* Computes v (n) = J s. */
void vida__chart_push(const vida_chart* chart, const double* entries, const double* s, double* v);
/* Computes r (d) = J^T a. */
void vida__chart_pull(const vida_chart* chart, const double* entries, const double* a, double* r);

#endif
