/* What the files of del-chart share: its state, and the small matrices that it is made of. */
#ifndef VIDA_METHODS_VARIATIONAL_CHART_H
#define VIDA_METHODS_VARIATIONAL_CHART_H

#include "stepper/integration.h"
#include "system/model/chart.h"

/* What counts as lying on the manifold, relative to the sizes of what is compared. */
#define VIDA_ON_MANIFOLD 1e-8

typedef struct vida_chart_state {
  const vida_chart* chart;
  vida_chart_work tapes;
  int d;
  vida_pattern pattern; /* dense, d x d */
  bool midpoint_energy, has_step, has_position;
  bool is_evaluated; /* what residuals are made of belongs to `evaluated` */
  double kappa;      /* the first step starts with half an impulse */
  double *x, *x_low;
  double *x1, *trial;              /* d: work */
  double* entries;                 /* of J at the node */
  double* entries1;                /* work: elsewhere */
  double* evaluated;               /* d */
  double* base;                    /* n: p0, and what its rounding has left */
  double* w;                       /* n: velocity of the last step */
  double* w_work;                  /* n */
  double* bracket;                 /* n: work, L_v - h/2 L_q - p0 */
  double* product;                 /* n x d: work, H J */
  double* gram;                    /* d x d: work, symmetric matrices of the chart */
  double *right, *solution, *work; /* d: work */
  double* column_size;             /* d: |M^(1/2) J| by columns, at the node */
  double* largest_size;            /* d: the largest of them so far */
  double* rate;                    /* d: x' at the node */
  double* mass;                    /* n: those of the start, whatever the Lagrangian */
  double* position;                /* n: work */
  double* weight;                  /* n: of coordinates in the search for the start, 1 / size^2 */
  int* order;                      /* d: of pivots */
  double* row_gram;                /* m x m: G M^-1 G^T, factored */
  double* row_size;                /* m: its scales */
  double* impulse;                 /* m: nu */
  double* row_work;                /* m */
  int* row_order;                  /* m: of its pivots */
  int row_rank;
  bool turned; /* the last step has turned J so far that going on as before is no guess */
} vida_chart_state;

/* From q and v0 to x, its rate and p (chart_start.c). */
int vida__chart_start(VidaIntegration* self, VidaError* error);

/* ---- matrices of the chart (chart_matrix.c) -------------------------------------------------- */

/* product (n x d) = H J, H being the upper left block of the KKT matrix in `matrix`. */
void vida__chart_multiply(const VidaIntegration* self, const double* matrix, const double* entries,
                          double* product);
/* result (d x d, row by row) = J^T product */
void vida__chart_pull_product(const vida_chart_state* own, const double* entries,
                              const double* product, double* result);
/* gram = J^T W J with weights of the coordinates. */
void vida__chart_fill_gram(const VidaIntegration* self, const double* weight,
                           const double* entries);
/* Scales gram to a diagonal of ones by the roots of it, which go to `size`, and factors it; rows
 * without a diagonal count as dependent. Returns the rank. */
int vida__chart_factor_gram(vida_chart_state* own, double* size);
/* solution with gram solution = right, by the factors above. */
void vida__chart_solve_gram(vida_chart_state* own, int rank, const double* size);

/* ---- where the chart is singular ---- */

/* The chart coordinate whose column of J is smallest beside what it has been, and that ratio. */
int vida__chart_weakest(const vida_chart_state* own, double* ratio);
/* Sizes of the columns of J at a node, with the coordinate at which the chart is singular in
 * *singular, -1 where it is regular. Leaves J^T M J factored, scaled by column_size. */
void vida__chart_measure(VidaIntegration* self, const double* entries, int* singular);
int vida__chart_fail_singular(const VidaIntegration* self, double time, int coordinate,
                              const char* what, VidaError* error);

/* ---- constraints ---- */

/* An embedding that does not solve the constraints is the user's mistake, and would go unseen. */
int vida__chart_check_constraints(VidaIntegration* self, double t, const double* q,
                                  VidaError* error);
/* Factors G M^-1 G^T, scaled to ones on its diagonal; dependent rows are left out of it. G is that
 * of the node, in self->implicit.entries0. */
void vida__chart_factor_rows(VidaIntegration* self);
/* The impulse nu with a = G^T nu + M y, G y = 0; sum = G^T nu. Returns the largest M y, relative to
 * the motion. */
double vida__chart_impulse(VidaIntegration* self, const double* a, double motion, double* sum);

#endif
