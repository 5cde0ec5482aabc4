/* Impulses of contacts with Coulomb friction: a complementarity problem in velocities.
 *
 *     v = v_free + W P,    u = H v + S P + b
 *     normal row:      u_N >= 0,  P_N >= L,  u_N (P_N - L) = 0
 *     slip rows:       |P_T| <= mu P_N;  where u_T != 0, P_T = -mu P_N u_T / |u_T|
 *
 * H has the rows of the contacts, W the columns A^-1 H^T of the matrix A of a step, S a softness on
 * the diagonal, and L >= 0 the least normal impulses, which are 0 in most problems. The Delassus
 * matrix D = H W + S is formed only for few rows. Both algorithms solve for the zero of the natural
 * residual, in velocities: the normal row has u_N - max(0, u_N - d (P_N - L)) with its diagonal
 * element d of D, and the slip rows have d (P_T - Q(P_T - u_T / d)) with the projection Q on the
 * disk of radius mu P_N. */
#ifndef VIDA_SOLVE_CONTACT_PROBLEM_H
#define VIDA_SOLVE_CONTACT_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

enum {
  VIDA_DIRECT_ROWS = 120, /* the direct algorithm takes at most this number of rows */
  VIDA_HELD_ROWS = 360    /* and this number where sweeps do not suffice */
};

/* Sparse vectors, one after the other: vector k has the entries start[k] to start[k + 1] - 1. */
typedef struct vida_sparse_rows {
  int* start;
  size_t capacity; /* of index and value */
  int* index;
  double* value;
} vida_sparse_rows;

typedef struct vida_contact_problem {
  int contacts;
  int* first;       /* contacts + 1: the normal row of each; the slip rows follow */
  double* friction; /* contacts */
  int size;         /* n: of v */
  vida_sparse_rows h, w;
  const double* softness; /* rows: S */
  const double* bias;     /* rows: b */
  const double* least;    /* contacts: L; NULL: zeros */
  double* v;              /* n: v_free on entry, v on return */
  double* impulse;        /* rows: P; a guess on entry */
  double accuracy;        /* of the natural residual, relative to the largest |H v_free + b|, d L */
  int sweeps;             /* the largest number of sweeps of Gauss and Seidel */
  bool is_direct;         /* tries the direct algorithm if there are few rows */
  double* diagonal;       /* rows: work space */
  double*
      dense;  /* work space of the direct algorithm: vida__contact_work(rows, n) numbers; or NULL */
  int* pivot; /* VIDA_HELD_ROWS */
  /* While the problem is solved: impulses are held at the centre (rows) by `hold` times d. */
  double hold;
  double* centre;
  /* Results: the largest residual (m/s), the contact that has it, and sweeps that were made. */
  double residual;
  int worst, made;
} vida_contact_problem;

/* Returns the size of the work space of the direct algorithm. */
size_t vida__contact_work(int rows, int size);

/* Solves the problem: by projected Gauss-Seidel sweeps, in which every contact costs the entries of
 * its rows, or by a semismooth Newton method (Alart and Curnier 1991), which in problems without
 * friction or with one slip row per contact is block pivoting: its matrix is that of the rows which
 * hold, and it ends exactly where no row changes its state. Returns whether the residual is within
 * the accuracy. */
bool vida__solve_contacts(vida_contact_problem* problem);
/* Computes the natural residual of v and P, and writes the contact that has it to
 * problem->worst. */
double vida__contact_residual(vida_contact_problem* problem);
/* Finds the combination x = W tau of the columns of normal rows with tau >= 0, H x >= need
 * (contacts), and tau (H x - need) = 0, by up to `sweeps` sweeps of Gauss and Seidel, which end
 * where no row lacks more than `enough`. Writes x to problem->v (n) and tau to the impulses, and
 * uses the diagonal that vida__solve_contacts has found; there is no softness. */
void vida__push_apart(vida_contact_problem* problem, const double* need, int sweeps, double enough);

#endif
