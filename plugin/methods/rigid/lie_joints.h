/* The constraints of joints as seen by rotations: gradients B with respect to the rotation of each
 * body, in the body, and to the other coordinates, without the rows of unit norm.
 *
 * With v = E(q) omega the rows are g' = G v + g_t = B u + g_t, B = G E, where u has the angular
 * velocity of each body, in the body, and the velocities of the other coordinates. The mass matrix
 * of u is constant, with a block J for each body. */
#ifndef VIDA_METHODS_RIGID_LIE_JOINTS_H
#define VIDA_METHODS_RIGID_LIE_JOINTS_H

#include "methods/rigid/lie.h"
#include "system/constraints/multiplier_matrix.h"

/* The entries of B in one row at the rotation of a body, three consecutive ones, and those of G at
 * its quaternion that they follow from; -1: always zero. */
typedef struct vida_lie_block {
  int body, first;
  int row, rate; /* the row of B, and the first of the three components of u */
  int from[4];
} vida_lie_block;

/* An entry of B at another coordinate, and the equal one of G. */
typedef struct vida_lie_single {
  int coordinate, entry, from;
  int row, rate; /* the row of B, and the component of u */
} vida_lie_single;

/* B is extrapolated from the values at that many nodes at most. */
enum { VIDA_LIE_NODES = 6 };

typedef struct vida_lie_joints {
  int rows, entries, rates; /* number of rows of B, of its entries, and of components of u */
  int block_count, single_count;
  int* row;      /* rows: their indices among those of the system */
  int* of_other; /* others: the components of u, and */
  int* of_body;  /* bodies: the first of three */
  vida_lie_block* block;
  vida_lie_single* single;
  vida_multiplier_matrix matrix; /* the pattern of equations for multipliers */
  vida_linear* node;             /* B M^-1 B^T at a node */
  vida_linear* step;             /* that of the end of a step with the multipliers at its start */
  double* gradient;              /* entries: B at the node */
  double* past[VIDA_LIE_NODES - 1]; /* entries: B at the nodes before, the last one first */
  double* next;                     /* entries: B at the end of the step */
  double* columns;                  /* entries: work space */
  double* numbers;                  /* memory of these arrays */
} vida_lie_joints;

/* Finds the rows and the pattern of the system: for VidaMethod.create. The caller frees *joints
 * with vida__lie_joints_destroy, also after a failure. */
int vida__lie_joints_create(VidaIntegration* self, vida_lie_joints** joints, VidaError* error);
/* Creates the solvers, unless they exist: for VidaMethod.start. */
int vida__lie_joints_start(VidaIntegration* self, vida_lie_joints* joints, VidaError* error);
/* Frees the joints and sets *joints to NULL; NULL is allowed. */
void vida__lie_joints_destroy(vida_lie_joints** joints);

/* Computes B (entries) at the positions q (n) from the entries of G there. */
void vida__lie_joint_gradients(const VidaIntegration* self, const vida_lie_joints* joints,
                               const double* q, const double* entries, double* gradient);
/* Keeps joints->gradient as the first of joints->past before the next one is computed. */
void vida__lie_swap_gradients(vida_lie_joints* joints);
/* Computes a guess of joints->next by the polynomial through `nodes` <= VIDA_LIE_NODES nodes, this
 * one and the last ones, for a step as long as those between them; or, with two nodes, of `ratio`
 * times the length of the last one. */
void vida__lie_predict_gradients(vida_lie_joints* joints, int nodes, double ratio);
/* Returns the norm of the error of the guess in joints->next, relative to that of the change of B
 * in the step that has led to the node; infinity if B has not changed. */
double vida__lie_missed_gradients(const vida_lie_joints* joints);
/* Computes y = M u, or M^-1 u (rates each); y may not be u. */
void vida__lie_apply_mass(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* u, bool is_inverse, double* y);
/* Computes the rates v (n) of the coordinates q for u. */
void vida__lie_lift_rates(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* q, const double* u, double* v);
/* Computes u for rates v of the coordinates q, or their derivatives for those of v. */
void vida__lie_drop_rates(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* q, const double* v, double* u);
/* Factors B M^-1 B^T for joints->gradient, symmetric. Returns 0, VIDA_STEP_SINGULAR or
 * VIDA_OUT_OF_MEMORY. */
int vida__lie_factor_node(VidaIntegration* self, vida_lie_joints* joints);
/* Factors B1 C B0^T, where B1 = joints->next, B0 = joints->gradient, and C, which replaces M^-1,
 * has the block response[b] (9, by rows) for body b. Returns as vida__lie_factor_node. */
int vida__lie_factor_step(VidaIntegration* self, vida_lie_joints* joints, const double* response);
/* Computes rows = B1 C B0^T mu (rows) with the matrices of vida__lie_factor_step. `rates` (rates)
 * is work space. */
void vida__lie_apply_step(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* response, const double* mu, double* rates, double* rows);
/* Computes the impulses mu (rows) whose B^T mu is nearest to x (rates) in the norm of M^-1, with
 * the factors of vida__lie_factor_node: what constraints do not determine of them does not depend
 * on x. `rates` (rates) is work space. Returns as vida__linear_solve. */
int vida__lie_fit_impulses(const VidaIntegration* self, const vida_lie_joints* joints,
                           const double* x, double* rates, double* mu);
/* Computes rows = B u (rows), for the entries `gradient` of B and u (rates). */
void vida__lie_multiply_joints(const vida_lie_joints* joints, const double* gradient,
                               const double* u, double* rows);
/* Computes rows = B u (rows), for B = joints->gradient and u (rates), and sizes = |B| |u|. */
void vida__lie_joint_rates(const vida_lie_joints* joints, const double* u, double* rows,
                           double* sizes);
/* Computes sizes (rows) = |B| |u|. */
void vida__lie_row_sizes(const vida_lie_joints* joints, const double* u, double* sizes);
/* Raises the sizes of rows (rows; those of velocities, or of displacements) to that of a motion,
 * the root of a mass times a velocity: linear equations are solved to the rounding of all that
 * moves. Rows that depend on each other round in common: `is_common` shares the largest of their
 * sizes. */
void vida__lie_share_row_sizes(const VidaIntegration* self, const vida_lie_joints* joints,
                               double motion, bool is_common, double* sizes);
/* Adds |B^T| |mu| to x (rates). */
void vida__lie_add_impulse_sizes(const vida_lie_joints* joints, const double* mu, double* x);
/* Subtracts B^T mu from x (rates), for B = joints->gradient and mu (rows). */
void vida__lie_subtract_impulses(const vida_lie_joints* joints, const double* mu, double* x);

/* Visits what is known of the joints at the node. */
void vida__lie_joints_record(const VidaIntegration* self, vida_lie_joints* joints,
                             VidaRecord* record);

#endif
