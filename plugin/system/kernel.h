/* Kernels: functions of a few local coordinates, evaluated in batches over their instances.
 *
 * A built-in kernel is one static record below its functions; C callbacks come in through records
 * of the same kind (callback.c). Every function adds to its output and returns 0, > 0 (recoverable)
 * or < 0. Local coordinate j of instance i is q[batch->index[i * width + j]]. */
#ifndef VIDA_SYSTEM_KERNEL_H
#define VIDA_SYSTEM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

/* Where a kernel is evaluated; `error` is filled by a callback that fails. */
typedef struct vida_place {
  double t;
  const double* q;
  const double* v;
  double* scratch; /* for callbacks, each time anew */
  double* tapes;   /* where every tape has a place of its own */
  VidaError* error;
} vida_place;

/* Two configurations between which discrete derivatives are taken. */
typedef struct vida_interval {
  const double *q0, *q1;
  const double* dq; /* q1 - q0, exact where q1 is rounded: differences of points taken from it lose
                       no digits to where in space they are */
  double* tapes;
  VidaError* error;
} vida_interval;

/* Coefficients of the second derivatives of L that a Newton matrix asks for: entry (i, j) of the
 * matrix receives qq L_qi_qj + qv L_qi_vj + vq L_vi_qj + vv L_vi_vj. */
typedef struct vida_hessian_weights {
  double qq, qv, vq, vv;
} vida_hessian_weights;

/* What a batch with functions of its own (callbacks, tapes) owns: the beginning of a larger struct.
 */
typedef struct vida_functions vida_functions;
struct vida_functions {
  char* name; /* of the term, for messages */
  void (*destroy)(vida_functions* functions);
  /* Readies a new evaluator's tapes; NULL where there is nothing to do. */
  void (*prepare)(const vida_functions* functions, double* tapes);
};

/* Which second derivatives of an instance are not structurally zero, as pairs of local coordinates.
 * Without lists: all width x width of them, row by row. */
typedef struct vida_block {
  int entries; /* of the lists */
  const int *row, *column;
} vida_block;

typedef struct vida_term_batch vida_term_batch;
typedef struct vida_constraint_batch vida_constraint_batch;

/* A term of the Lagrangian. */
typedef struct vida_term_kernel {
  const char* kind;
  bool is_potential; /* L = -V(q) */
  int (*value)(const vida_term_batch* batch, const vida_place* at, double* lagrangian);
  int (*gradient)(const vida_term_batch* batch, const vida_place* at, double* l_q, double* l_v);
  int (*hessian)(const vida_term_batch* batch, const vida_place* at, vida_hessian_weights weights,
                 double* matrix);
  /* Equivariant discrete derivative D V(q0,q1) of a potential (paper 003, eq. 15-17), and
   * `weight` times its derivative with respect to q1. NULL where there is none. */
  int (*discrete_gradient)(const vida_term_batch* batch, const vida_interval* between, double* d_v);
  int (*discrete_hessian)(const vida_term_batch* batch, const vida_interval* between, double weight,
                          double* matrix);
} vida_term_kernel;

struct vida_term_batch {
  const vida_term_kernel* kernel;
  int dimension; /* of space, for kernels that are made of points */
  int width;     /* local coordinates of an instance */
  int parameters;
  int count;
  size_t index_capacity, parameter_capacity;
  int* index;        /* count x width */
  double* parameter; /* count x parameters */
  vida_block block;
  int* slot;                 /* count x entries of the block: places in the KKT matrix */
  vida_functions* functions; /* owned; NULL for built-in kernels */
};

typedef struct vida_constraint_kernel {
  const char* kind;
  /* g += ... at q + q_low, q_low (nullable) being the low part of compensated positions. */
  int (*value)(const vida_constraint_batch* batch, const vida_place* at, const double* q_low,
               double* g);
  /* The entries of G, rows x width per instance, row by row. */
  int (*jacobian)(const vida_constraint_batch* batch, const vida_place* at, double* entries);
  /* weight * sum_r lambda_r g_qq */
  int (*curvature)(const vida_constraint_batch* batch, const vida_place* at, double weight,
                   const double* lambda, double* matrix);
  /* g_t. NULL: does not depend on time. */
  int (*rate)(const vida_constraint_batch* batch, const vida_place* at, double* rate);
  /* Discrete derivative Dg(q0,q1), entries like those of G, with Dg dq = g(q1) - g(q0), and
   * weight * sum_r lambda_r times its derivative with respect to q1. NULL where there is none. */
  int (*discrete_jacobian)(const vida_constraint_batch* batch, const vida_interval* between,
                           double* entries);
  int (*discrete_curvature)(const vida_constraint_batch* batch, const vida_interval* between,
                            double weight, const double* lambda, double* matrix);
} vida_constraint_kernel;

struct vida_constraint_batch {
  const vida_constraint_kernel* kernel;
  int dimension;
  int width;
  int rows; /* of an instance */
  int parameters;
  int count;
  size_t index_capacity, parameter_capacity, row_capacity;
  int* index;        /* count x width */
  double* parameter; /* count x parameters */
  int* row;          /* count: the first row of each instance */
  int first_entry;   /* of its entries in the Jacobian; count x rows x width follow */
  vida_block block;
  int* slot; /* count x entries of the block */
  vida_functions* functions;
};

/* Springs and distances: point to point (width 2 x dimension) or point to a fixed place. */
extern const vida_term_kernel vida__linear_spring, vida__squared_spring;
extern const vida_constraint_kernel vida__distance;
/* Parameters of a spring: k, k3, l, anchor (3). Of a distance: l, anchor (3). */
enum { VIDA_SPRING_PARAMETERS = 6, VIDA_DISTANCE_PARAMETERS = 4 };

extern const vida_term_kernel vida__callback_lagrangian;
extern const vida_constraint_kernel vida__callback_constraint;

#endif
