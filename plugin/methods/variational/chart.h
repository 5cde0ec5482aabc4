/* The state of del-chart, and its small matrices. */
#ifndef VIDA_METHODS_VARIATIONAL_CHART_H
#define VIDA_METHODS_VARIATIONAL_CHART_H

#include "stepper/integration.h"
#include "system/model/chart.h"

/* The largest distance from the manifold that counts as zero, relative to the sizes of the terms.
 */
#define VIDA_ON_MANIFOLD 1e-8

typedef struct vida_chart_state {
  const vida_chart* chart;
  vida_chart_work tapes;
  int d;
  vida_pattern pattern; /* dense, d x d */
  bool midpoint_energy, has_step, has_position;
  bool is_evaluated; /* the data of the residual belong to the unknowns `evaluated` */
  double kappa;      /* factor of the impulse; 1/2 in the first step */
  double *x, *x_low;
  double *x1, *trial;              /* d: work */
  double* entries;                 /* of J at the node */
  double* entries1;                /* of J at another point: work space */
  double* evaluated;               /* d */
  double* base;                    /* n: p0 plus its rounding error */
  double* w;                       /* n: velocity of the last step */
  double* w_work;                  /* n */
  double* bracket;                 /* n: work space, L_v - h/2 L_q - p0 */
  double* product;                 /* n x d: work space, H J */
  double* gram;                    /* d x d: work space, symmetric matrices of the chart */
  double *right, *solution, *work; /* d: work */
  double* column_size;             /* d: column norms of M^(1/2) J at the node */
  double* largest_size;            /* d: largest column_size so far */
  double* rate;                    /* d: x' at the node */
  double* last;                    /* d: the unknowns of the last step */
  double* mass;                    /* n: masses at the start */
  double* position;                /* n: work */
  double* weight;   /* n: weights of coordinates in the search for the start, 1 / size^2 */
  int* order;       /* d: order of the pivots */
  double* row_gram; /* m x m: G M^-1 G^T, factored */
  double* row_size; /* m: scales of row_gram */
  double* impulse;  /* m: nu */
  double* row_work; /* m */
  int* row_order;   /* m: order of the pivots of row_gram */
  int row_rank;
  size_t numbers; /* behind the state */
  bool turned;    /* J turned so much in the last step that extrapolation gives no useful guess */
} vida_chart_state;

/* Computes x, its rate and p from q and v of the node (chart_start.c). */
int vida__chart_start(VidaIntegration* self, VidaError* error);

/* ---- matrices of the chart (chart_matrix.c) -------------------------------------------------- */

/* Computes product (n x d) = H J, where H is the upper left block of the KKT matrix with the values
 * `matrix`. */
void vida__chart_multiply(const VidaIntegration* self, const double* matrix, const double* entries,
                          double* product);
/* Computes result (d x d, by rows) = J^T product. */
void vida__chart_pull_product(const vida_chart_state* own, const double* entries,
                              const double* product, double* result);
/* Computes gram = J^T W J with the weights of the coordinates. */
void vida__chart_fill_gram(const VidaIntegration* self, const double* weight,
                           const double* entries);
/* Scales gram to a diagonal of ones and factors it; `size` receives the square roots of the
 * diagonal. Rows with a zero diagonal count as dependent. Returns the rank. */
int vida__chart_factor_gram(vida_chart_state* own, double* size);
/* Solves gram solution = right with these factors. */
void vida__chart_solve_gram(vida_chart_state* own, int rank, const double* size);

/* ---- singular charts ---- */

/* Returns the chart coordinate whose column of J is smallest relative to its largest size so far;
 * *ratio receives this ratio. */
int vida__chart_least_column(const vida_chart_state* own, double* ratio);
/* Computes the sizes of the columns of J at a node. *singular receives the coordinate at which the
 * chart is singular, -1 if it is regular. J^T M J is then factored, scaled by column_size. */
void vida__chart_measure(VidaIntegration* self, const double* entries, int* singular);
/* Fails because the chart is singular at this coordinate. `what` is the subject of the message. */
int vida__chart_fail_singular(const VidaIntegration* self, double time, int coordinate,
                              const char* what, VidaError* error);

/* ---- constraints ---- */

/* Fails if phi does not satisfy the constraints at q, a mistake of the user that no later check
 * would find. */
int vida__chart_check_constraints(VidaIntegration* self, double t, const double* q,
                                  VidaError* error);
/* Factors G M^-1 G^T, scaled to a diagonal of ones and without dependent rows, for G in
 * self->implicit.entries0. */
void vida__chart_factor_rows(VidaIntegration* self);
/* Computes the impulse nu with a = G^T nu + M y, G y = 0, and sum = G^T nu. Returns the largest
 * component of M y relative to the motion. */
double vida__chart_impulse(VidaIntegration* self, const double* a, double motion, double* sum);

#endif
