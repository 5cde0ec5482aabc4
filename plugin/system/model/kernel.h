/* Kernels: functions of a few local coordinates, evaluated in batches over their instances.
 *
 * A kernel is one static record: of a built-in term (points.c,
 * unit_quaternion.c), of C callbacks (callback.c) or of
 * expressions (traced.c). Functions add to their output, those of Jacobians store it; they return
 * 0, a positive (recoverable) code or a negative one. Local coordinate j of instance i is
 * q[batch->index[i * width + j]]. */
#ifndef VIDA_SYSTEM_MODEL_KERNEL_H
#define VIDA_SYSTEM_MODEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/system.h>

#include "base/record.h"

/* An interval of time without jumps (time_jumps.h). */
typedef struct vida_segment {
  double from, to; /* its ends, which do not belong to the interval */
  double moment;   /* a time in the interval, at which conditions of time are evaluated */
} vida_segment;

/* The point at which a kernel is evaluated; a kernel that fails fills `error`. */
typedef struct vida_place {
  const VidaSystem* system; /* for names in messages */
  double t;
  const vida_segment* segment; /* the segment of t; NULL: no jumps */
  const double* q;
  const double* v;           /* NULL if only positions are needed */
  const double* multipliers; /* m: for forces that depend on them; NULL: not known */
  double* scratch;           /* work space of callbacks, undefined on entry */
  double* tapes;             /* work space, with a part for every batch of tapes */
  VidaError* error;
} vida_place;

/* The two configurations of a discrete derivative. */
typedef struct vida_interval {
  const VidaSystem* system;
  const double *q0, *q1;
  const double* dq; /* q1 - q0, without the rounding of q1: differences of points lose no digits far
                       from the origin */
  double* tapes;
  VidaError* error;
  const double* q_low;         /* nullable: rounding error of q0 (and q1), for built-in terms */
  double t;                    /* the time, held fixed, of terms that depend on it */
  const vida_segment* segment; /* as in vida_place */
  const double* v;  /* the rates, held fixed, of general Lagrangians; NULL if there are none */
  const double* v1; /* the rates at q1, where those at q0, `v`, do not stay fixed; otherwise NULL */
} vida_interval;

/* Coefficients of the second derivatives of L in a Newton matrix: entry (i, j) of the matrix
 * receives qq L_qi_qj + qv L_qi_vj + vq L_vi_qj + vv L_vi_vj. */
typedef struct vida_hessian_weights {
  double qq, qv, vq, vv;
} vida_hessian_weights;

/* The functions of a batch (callbacks, tapes): the first member of a larger structure, which the
 * batches of an element and of the systems that use it share. */
typedef struct vida_functions vida_functions;
struct vida_functions {
  char* name; /* of the term, for messages */
  bool timed; /* depends on time; false for callbacks, for which it is not known */
  /* Has a kink or a jump where a function of rates changes its sign, which derivatives need not
   * show; false for callbacks, for which it is not known. */
  bool bends_with_rates;
  bool takes_turns; /* uses the sines and cosines of positions in the work space (traced.h) */
  /* The derivatives of a force with respect to multipliers that are not structurally zero: local
   * coordinates, and numbers of multipliers (VidaSystem.multiplier_rows). */
  int multiplier_count;
  int *multiplier_place, *multiplier_number;
  bool bends_with_multipliers; /* these derivatives depend on multipliers, or have kinks */
  bool rests; /* a Lagrangian whose L_q vanishes at rest for all positions and times, by its form */
  int references;
  void (*destroy)(vida_functions* functions); /* called with the last reference */
  /* Doubles of work space of a batch in an evaluator, for one instance at a time or for lanes of
   * instances, and the function that prepares it; NULL if nothing is to be done. */
  size_t (*work_size)(const vida_functions* functions, bool in_lanes);
  void (*prepare)(const vida_functions* functions, bool in_lanes, double* work);
  /* Appends what determines their values; NULL for callbacks, for which it is not known. */
  void (*describe)(const vida_functions* functions, vida_record* record);
};

/* The work space and the parameters of a batch of tapes, assigned when the system is completed. */
typedef struct vida_tape_place {
  size_t work; /* in an evaluator's tapes */
  bool in_lanes;
  const double* parameters; /* of the first instance */
  int stride; /* distance to the parameters of the next instance; 0: all instances share those of
                 the system */
} vida_tape_place;

/* The second derivatives of an instance that are not structurally zero, as pairs of local
 * coordinates. If there are no lists, these are all width x width pairs, row by row. */
typedef struct vida_block {
  bool is_list;
  int entries; /* length of the lists */
  const int *row, *column;
} vida_block;

/* Where derivatives of forces with respect to multipliers are added. */
typedef struct vida_reactive_target {
  double weight;
  double* matrix;  /* of the KKT pattern; NULL: */
  double* columns; /* that of reaction_rows[k] begins at columns + k * stride */
  size_t stride;
} vida_reactive_target;

typedef struct vida_term_batch vida_term_batch;
typedef struct vida_constraint_batch vida_constraint_batch;

/* A term of the Lagrangian. */
typedef struct vida_term_kernel {
  const char* kind;
  bool is_potential; /* L = -V(q) */
  bool is_kinetic;   /* L = v^T M v / 2 with constant M that is not in the masses of the system */
  bool is_force;     /* a force, added to L_q, that is not part of L */
  bool is_reactive;  /* a force that depends on multipliers */
  bool is_callback;  /* C functions of the user, about which nothing else is known */
  int (*value)(const vida_term_batch* batch, const vida_place* at, double* lagrangian);
  int (*gradient)(const vida_term_batch* batch, const vida_place* at, double* l_q, double* l_v);
  int (*hessian)(const vida_term_batch* batch, const vida_place* at, vida_hessian_weights weights,
                 double* matrix);
  /* Equivariant discrete derivative D V(q0,q1) of a potential (Gonzalez 1999, eq. 15-17), and
   * `weight` times its derivative with respect to q1. NULL if there is none. */
  int (*discrete_gradient)(const vida_term_batch* batch, const vida_interval* between, double* d_v);
  int (*discrete_hessian)(const vida_term_batch* batch, const vida_interval* between, double weight,
                          double* matrix);
  /* The discrete derivative D L(q0,q1) of a general Lagrangian that is at most quadratic in the
   * rates, with rates and time held fixed at those of the interval, and `by_q1` and `by_v` times
   * its derivatives with respect to q1 and to these rates. NULL if there is none. */
  int (*discrete_force)(const vida_term_batch* batch, const vida_interval* between, double* force);
  int (*discrete_slopes)(const vida_term_batch* batch, const vida_interval* between, double by_q1,
                         double by_v, double* matrix);
  /* The discrete derivative of L between (q0,v) and (q1,v1), D_q and D_v, at the time of the
   * interval, and its weighted derivatives with respect to (q1,v1). NULL if there is none. */
  int (*joint_gradient)(const vida_term_batch* batch, const vida_interval* between, double* l_q,
                        double* l_v);
  int (*joint_slopes)(const vida_term_batch* batch, const vida_interval* between,
                      vida_hessian_weights weights, double* matrix);
  /* The part of the equations of motion without accelerations, L_q + f - L_vq v - L_vt. NULL: only
   * L_q, of `gradient`. */
  int (*bias)(const vida_term_batch* batch, const vida_place* at, double* force);
  /* Adds the derivatives of a reactive force with respect to multipliers. Otherwise NULL. */
  int (*by_multipliers)(const vida_term_batch* batch, const vida_place* at,
                        const vida_reactive_target* target);
  /* The constant diagonal of L_vv, for terms that consist of v^T M v / 2 only. Their other
   * functions do nothing, since the masses of the system contain them. Otherwise NULL. */
  int (*mass)(const vida_term_batch* batch, const vida_place* at, double* mass);
  /* Adds dL/dt at fixed positions and rates to *l_t. NULL: L does not depend on time. */
  int (*rate)(const vida_term_batch* batch, const vida_place* at, double* l_t);
} vida_term_kernel;

/* A batch: instances of a term with the same kernel and functions. */
struct vida_term_batch {
  const vida_term_kernel* kernel;
  int dimension; /* dimension of space, for kernels of points */
  int width;     /* local coordinates of an instance */
  int parameters;
  int count;
  size_t index_capacity, parameter_capacity;
  int* index;        /* count x width */
  double* parameter; /* count x parameters */
  vida_block block;
  int* slot;                 /* count x entries of the block: indices in the KKT matrix */
  int* multiplier_slot;      /* multiplier_count: those of (coordinate, n + row); -1: no row */
  int* multiplier_column;    /* multiplier_count: indices in reaction_rows; -1: no row */
  vida_functions* functions; /* a reference; NULL for built-in kernels */
  vida_tape_place tape;
};

/* A constraint. For nonholonomic rows a(q,v,t) = A v + b, `value` is a (it needs v), `jacobian` A,
 * `curvature` the derivative of A^T lambda with respect to q, and `rate` b. */
typedef struct vida_constraint_kernel {
  const char* kind;
  bool is_nonholonomic;
  bool is_quadratic; /* g is at most quadratic, so its second derivatives are constant */
  bool is_driven;    /* depends on time: Dg dq is not the whole change of g */
  bool is_precise;   /* `value` has twice the working precision and uses q_low */
  /* Adds g at q + q_low. q_low (nullable) is the rounding error of compensated positions. */
  int (*value)(const vida_constraint_batch* batch, const vida_place* at, const double* q_low,
               double* g);
  /* Stores the entries of G, rows x width for each instance, row by row. */
  int (*jacobian)(const vida_constraint_batch* batch, const vida_place* at, double* entries);
  /* Adds weight * sum_r lambda_r g_qq. */
  int (*curvature)(const vida_constraint_batch* batch, const vida_place* at, double weight,
                   const double* lambda, double* matrix);
  /* Adds g_t. NULL: g does not depend on time. */
  int (*rate)(const vida_constraint_batch* batch, const vida_place* at, double* rate);
  /* Discrete derivative Dg(q0,q1), entries like those of G, with Dg dq = g(q1) - g(q0), both at the
   * time of the interval, and weight * sum_r lambda_r times its derivative with respect to q1. NULL
   * if there is none. */
  int (*discrete_jacobian)(const vida_constraint_batch* batch, const vida_interval* between,
                           double* entries);
  int (*discrete_curvature)(const vida_constraint_batch* batch, const vida_interval* between,
                            double weight, const double* lambda, double* matrix);
  /* Adds Dg w, the increment of g per time for dq = h w, more precisely than from the entries of
   * Dg, which it also stores if `entries` is not NULL. NULL: Dg w is computed from
   * `discrete_jacobian`. */
  int (*increment)(const vida_constraint_batch* batch, const vida_interval* between,
                   const double* w, double* entries, double* increment);
  /* Adds v^T g_qq v + 2 g_qt v + g_tt; for nonholonomic rows a_q v + a_t. With G times the
   * accelerations, this is the second (or first) time derivative of the row. */
  int (*bias)(const vida_constraint_batch* batch, const vida_place* at, double* bias);
  /* The derivative of the row of velocities, G v + g_t or of nonholonomic rows a, with respect to
   * q; entries like those of the Jacobian. */
  int (*value_gradient)(const vida_constraint_batch* batch, const vida_place* at, double* entries);
  /* Stores the discrete derivative of G(q) v between (q0,v) and (q1,v1), with respect to positions
   * and to rates. NULL if there is none, or if the constraint is quadratic: then these are the
   * derivatives in the middle. */
  int (*hidden_gradient)(const vida_constraint_batch* batch, const vida_interval* between,
                         double* by_positions, double* by_rates);
} vida_constraint_kernel;

/* A batch: instances of a constraint with the same kernel and functions. */
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
  int first_entry;   /* the first of its entries in the Jacobian; count x rows x width follow */
  vida_block block;
  int* slot; /* count x entries of the block */
  vida_functions* functions;
  vida_tape_place tape;
};

/* The kernels of springs and rods: between two points (width 2 x dimension), or between a point and
 * a fixed point. */
extern const vida_term_kernel vida__linear_spring, vida__squared_spring;
extern const vida_constraint_kernel vida__distance;
/* The kernel of unit quaternions: four coordinates, without parameters (unit_quaternion.c). */
extern const vida_constraint_kernel vida__unit_quaternion;
/* Parameters of a spring, and of a distance. */
enum {
  VIDA_SPRING_STIFFNESS,
  VIDA_SPRING_CUBIC,
  VIDA_SPRING_LENGTH,
  VIDA_SPRING_NUMBER, /* index in the springs of the system: its name */
  VIDA_SPRING_ANCHOR, /* 3 */
  VIDA_SPRING_PARAMETERS = VIDA_SPRING_ANCHOR + 3
};
enum {
  VIDA_DISTANCE_LENGTH,
  VIDA_DISTANCE_ANCHOR, /* 3 */
  VIDA_DISTANCE_PARAMETERS = VIDA_DISTANCE_ANCHOR + 3
};

extern const vida_term_kernel vida__callback_lagrangian, vida__callback_force;
extern const vida_constraint_kernel vida__callback_constraint;

#endif
