#include "solve/contact_problem.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/finite.h"

enum { FIRST_SWEEPS = 20, NEWTON_STEPS = 30, CHECKED_EVERY = 4 };

/* ---- rows ------------------------------------------------------------------------------------ */

static int row_count(const vida_contact_problem* problem) {
  return problem->first[problem->contacts];
}

/* Returns u of a row. */
static double slip_of(const vida_contact_problem* problem, int r) {
  const vida_sparse_rows* h = &problem->h;
  double sum = problem->bias[r] + problem->softness[r] * problem->impulse[r];
  for (int k = h->start[r]; k < h->start[r + 1]; k++) {
    sum += h->value[k] * problem->v[h->index[k]];
  }
  return sum;
}

/* Returns the least normal impulse of contact c. */
static double least_of(const vida_contact_problem* problem, int c) {
  return problem->least ? problem->least[c] : 0.0;
}

/* Changes the impulse of a row by `change`, and v with it. */
static void push(vida_contact_problem* problem, int r, double change) {
  const vida_sparse_rows* w = &problem->w;
  for (int k = w->start[r]; k < w->start[r + 1] && change != 0.0; k++) {
    problem->v[w->index[k]] += change * w->value[k];
  }
  problem->impulse[r] += change;
}

/* Computes the diagonal of D. Both slip rows of a contact get the larger element of the two, so
 * that the projection on the disk is isotropic. */
static void find_diagonal(vida_contact_problem* problem) {
  for (int c = 0; c < problem->contacts; c++) {
    const int first = problem->first[c], end = problem->first[c + 1];
    for (int r = first; r < end; r++) {
      double sum = problem->softness[r];
      for (int k = problem->h.start[r]; k < problem->h.start[r + 1]; k++) {
        for (int j = problem->w.start[r]; j < problem->w.start[r + 1]; j++) {
          sum += problem->h.index[k] == problem->w.index[j]
                     ? problem->h.value[k] * problem->w.value[j]
                     : 0.0;
        }
      }
      problem->diagonal[r] = sum;
    }
    if (end - first == 3) {
      const double most = fmax(problem->diagonal[first + 1], problem->diagonal[first + 2]);
      problem->diagonal[first + 1] = problem->diagonal[first + 2] = most;
    }
  }
}

/* ---- the natural map ------------------------------------------------------------------------- */

/* Computes the projected impulse of the rows of contact c from those now and their u. */
static void project(const vida_contact_problem* problem, int c, const double* u, double normal,
                    double* to) {
  const int first = problem->first[c], slips = problem->first[c + 1] - first - 1;
  const double most = problem->friction[c] * fmax(normal, 0.0);
  double length = 0.0;
  for (int k = 1; k <= slips; k++) {
    const double d = problem->diagonal[first + k];
    to[k] = d > 0.0 ? problem->impulse[first + k] - u[k] / d : 0.0;
    length = hypot(length, to[k]);
  }
  for (int k = 1; k <= slips && length > most; k++) {
    to[k] *= most / length;
  }
}

double vida__contact_residual(vida_contact_problem* problem) {
  double most = 0.0;
  problem->worst = -1;
  for (int c = 0; c < problem->contacts; c++) {
    const int first = problem->first[c], slips = problem->first[c + 1] - first - 1;
    double u[3], to[3], own = 0.0;
    for (int k = 0; k <= slips; k++) {
      u[k] = slip_of(problem, first + k);
    }
    const double push_back =
        problem->diagonal[first] * (problem->impulse[first] - least_of(problem, c));
    own = fabs(u[0] - fmax(0.0, u[0] - push_back));
    project(problem, c, u, problem->impulse[first], to);
    for (int k = 1; k <= slips; k++) {
      own = hypot(own, problem->diagonal[first + k] * (problem->impulse[first + k] - to[k]));
    }
    if (!(own <= most)) { /* also a NaN */
      most = own;
      problem->worst = c;
    }
  }
  return most;
}

/* ---- projected Gauss-Seidel ------------------------------------------------------------------ */

static void relax(vida_contact_problem* problem, int c) {
  const int first = problem->first[c], slips = problem->first[c + 1] - first - 1;
  double u[3], to[3];
  if (problem->diagonal[first] > 0.0) {
    const double now = problem->impulse[first];
    const double wanted = now - slip_of(problem, first) / problem->diagonal[first];
    push(problem, first, fmax(least_of(problem, c), wanted) - now);
  }
  if (slips == 0 || (problem->impulse[first] == 0.0 && problem->impulse[first + 1] == 0.0 &&
                     problem->impulse[first + slips] == 0.0)) {
    return;
  }
  for (int k = 1; k <= slips; k++) {
    u[k] = slip_of(problem, first + k);
  }
  project(problem, c, u, problem->impulse[first], to);
  for (int k = 1; k <= slips; k++) {
    push(problem, first + k, to[k] - problem->impulse[first + k]);
  }
}

/* Makes up to `most` sweeps, forwards and backwards in turn; returns whether the accuracy is
 * reached. */
static bool sweep(vida_contact_problem* problem, int most, double enough) {
  for (int i = 0; i < most; i++, problem->made++) {
    for (int k = 0; k < problem->contacts; k++) {
      relax(problem, i % 2 ? problem->contacts - 1 - k : k);
    }
    if (i % CHECKED_EVERY == CHECKED_EVERY - 1 || i == most - 1) {
      problem->residual = vida__contact_residual(problem);
      if (problem->residual <= enough) {
        return true;
      }
    }
  }
  return false;
}

/* ---- the direct algorithm -------------------------------------------------------------------- */

typedef struct direct {
  vida_contact_problem* problem;
  int rows;
  double* delassus; /* rows x rows: D without the softness, by columns */
  double* matrix;   /* rows x rows, by columns */
  double* step;     /* rows */
  double* kept;     /* rows */
} direct;

size_t vida__contact_work(int rows, int size) {
  const size_t most = (size_t)(rows < VIDA_DIRECT_ROWS ? rows : VIDA_DIRECT_ROWS);
  return most * (2 * most + 2) + (size_t)size;
}

/* Forms D = H W, with each column of W written out in `column` (n) for the entries of H. */
static void form_delassus(const vida_contact_problem* problem, int rows, double* delassus,
                          double* column) {
  const vida_sparse_rows *h = &problem->h, *w = &problem->w;
  memset(column, 0, (size_t)problem->size * sizeof *column);
  for (int s = 0; s < rows; s++, delassus += rows) {
    for (int j = w->start[s]; j < w->start[s + 1]; j++) {
      column[w->index[j]] = w->value[j];
    }
    for (int r = 0; r < rows; r++) {
      double sum = 0.0;
      for (int k = h->start[r]; k < h->start[r + 1]; k++) {
        sum += h->value[k] * column[h->index[k]];
      }
      delassus[r] = sum;
    }
    for (int j = w->start[s]; j < w->start[s + 1]; j++) {
      column[w->index[j]] = 0.0;
    }
  }
}

/* Row r of the matrix becomes `factor` times row r of D, with its softness, plus `own` on the
 * diagonal. */
static void take_row(const direct* at, int r, double factor, double own) {
  const size_t size = (size_t)at->rows;
  for (size_t s = 0; s < size; s++) {
    at->matrix[s * size + (size_t)r] = factor * at->delassus[s * size + (size_t)r];
  }
  at->matrix[(size_t)r * size + (size_t)r] += factor * at->problem->softness[r] + own;
}

/* Writes -F of the slip rows of contact c to the step, and its derivative to the matrix. */
static void derive_slips(const direct* at, int c) {
  vida_contact_problem* problem = at->problem;
  const size_t size = (size_t)at->rows;
  const int first = problem->first[c], slips = problem->first[c + 1] - first - 1;
  const double radius = problem->friction[c] * fmax(problem->impulse[first], 0.0);
  double u[3], z[3], length = 0.0;
  for (int k = 1; k <= slips; k++) {
    const int r = first + k;
    u[k] = slip_of(problem, r);
    z[k] = problem->impulse[r] - u[k] / problem->diagonal[r];
    length = hypot(length, z[k]);
  }
  for (int k = 1; k <= slips; k++) {
    const int r = first + k;
    const double d = problem->diagonal[r];
    if (length < radius) { /* sticks: F = u */
      at->step[r] = -u[k];
      take_row(at, r, 1.0, 0.0);
      continue;
    }
    /* slides: F = d (P - radius z / |z|) */
    const double share = length > 0.0 ? radius / length : 0.0;
    at->step[r] = -d * (problem->impulse[r] - share * z[k]);
    take_row(at, r, 0.0, d);
    for (int j = 1; j <= slips && share > 0.0; j++) {
      const double turn =
          share * ((j == k ? 1.0 : 0.0) - z[k] * z[j] / (length * length)); /* dQ/dz */
      const size_t column = (size_t)(first + j);
      at->matrix[column * size + (size_t)r] -= d * turn;
      for (size_t s = 0; s < size; s++) {
        at->matrix[s * size + (size_t)r] += turn * at->delassus[s * size + column];
      }
      at->matrix[column * size + (size_t)r] += turn * problem->softness[column];
    }
    if (radius > 0.0) {
      at->matrix[(size_t)first * size + (size_t)r] -= d * problem->friction[c] * z[k] / length;
    }
  }
}

/* Writes -F and F' at the current impulses. The diagonal grows by a small part of D, which takes
 * part in no solution, but makes matrices regular where contacts depend on each other. */
static void derive(const direct* at) {
  static const double shift = 1e-11;
  vida_contact_problem* problem = at->problem;
  for (int c = 0; c < problem->contacts; c++) {
    const int r = problem->first[c];
    const double d = problem->diagonal[r], u = slip_of(problem, r);
    const double above = problem->impulse[r] - least_of(problem, c);
    const bool is_closed = d * above - u > 0.0;
    at->step[r] = is_closed ? -u : -d * above;
    take_row(at, r, is_closed ? 1.0 : 0.0, is_closed ? shift * d : d);
    if (problem->first[c + 1] > r + 1) {
      derive_slips(at, c);
      for (int s = r + 1; s < problem->first[c + 1]; s++) {
        at->matrix[(size_t)s * (size_t)at->rows + (size_t)s] += shift * problem->diagonal[s];
      }
    }
  }
}

/* Makes Newton's steps from the impulses now. If they do not converge, restores these. */
static bool solve_directly(vida_contact_problem* problem, double enough) {
  const int rows = row_count(problem);
  const size_t size = (size_t)rows;
  direct at = {.problem = problem, .rows = rows, .delassus = problem->dense};
  at.matrix = at.delassus + size * size;
  at.step = at.matrix + size * size;
  at.kept = at.step + size;
  memcpy(at.kept, problem->impulse, size * sizeof *at.kept);
  form_delassus(problem, rows, at.delassus, at.kept + size);
  double before = (double)INFINITY;
  for (int i = 0, worse = 0; i < NEWTON_STEPS && worse < 4; i++) {
    derive(&at);
    if (vida__factor_dense(at.matrix, rows, problem->pivot)) {
      break;
    }
    vida__substitute_dense(at.matrix, rows, problem->pivot, at.step);
    if (!vida__are_finite(at.step, rows)) {
      break;
    }
    for (int r = 0; r < rows; r++) {
      push(problem, r, at.step[r]);
    }
    problem->residual = vida__contact_residual(problem);
    if (problem->residual <= enough) {
      return true;
    }
    worse += !(problem->residual < before);
    before = problem->residual;
  }
  for (int r = 0; r < rows; r++) {
    push(problem, r, at.kept[r] - problem->impulse[r]);
    problem->impulse[r] = at.kept[r];
  }
  return false;
}

/* ---- both ------------------------------------------------------------------------------------ */

bool vida__solve_contacts(vida_contact_problem* problem) {
  const int rows = row_count(problem);
  double size = 0.0;
  problem->made = 0;
  problem->residual = 0.0;
  for (int r = 0; r < rows; r++) {
    const double guess = problem->impulse[r];
    problem->impulse[r] = 0.0;
    size = fmax(size, fabs(slip_of(problem, r)));
    problem->impulse[r] = guess;
  }
  find_diagonal(problem);
  for (int c = 0; c < problem->contacts; c++) {
    size = fmax(size, problem->diagonal[problem->first[c]] * least_of(problem, c));
  }
  for (int r = 0; r < rows; r++) {
    const double guess = problem->impulse[r];
    problem->impulse[r] = 0.0;
    push(problem, r, guess);
  }
  const double enough = problem->accuracy * size;
  if (sweep(problem, problem->sweeps < FIRST_SWEEPS ? problem->sweeps : FIRST_SWEEPS, enough)) {
    return true;
  }
  if (problem->is_direct && problem->dense && rows <= VIDA_DIRECT_ROWS &&
      solve_directly(problem, enough)) {
    return true;
  }
  return sweep(problem, problem->sweeps - FIRST_SWEEPS, enough);
}
