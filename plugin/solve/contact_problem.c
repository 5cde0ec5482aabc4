#include "solve/contact_problem.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/finite.h"

enum {
  FIRST_SWEEPS = 20,
  MORE_SWEEPS = 200,
  MANY_SWEEPS = 2000,
  NEWTON_STEPS = 30,
  CHECKED_EVERY = 4
};

/* ---- rows ------------------------------------------------------------------------------------ */

static int row_count(const vida_contact_problem* problem) {
  return problem->first[problem->contacts];
}

/* Returns the softness of a row, with that which holds its impulse. */
static double softness_of(const vida_contact_problem* problem, int r) {
  return problem->softness[r] + problem->hold * problem->diagonal[r];
}

/* Returns u of a row. */
static double slip_of(const vida_contact_problem* problem, int r) {
  const vida_sparse_rows* h = &problem->h;
  double sum = problem->bias[r] + problem->softness[r] * problem->impulse[r];
  if (problem->hold > 0.0) {
    sum += problem->hold * problem->diagonal[r] * (problem->impulse[r] - problem->centre[r]);
  }
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
  double u[3] = {0.0}, to[3];
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
  const size_t most = (size_t)(rows < VIDA_HELD_ROWS ? rows : VIDA_HELD_ROWS);
  return most * (2 * most + 3) + (size_t)size;
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
  at->matrix[(size_t)r * size + (size_t)r] += factor * softness_of(at->problem, r) + own;
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
      at->matrix[column * size + (size_t)r] += turn * softness_of(problem, first + j);
    }
    if (radius > 0.0) {
      at->matrix[(size_t)first * size + (size_t)r] -= d * problem->friction[c] * z[k] / length;
    }
  }
}

/* Writes -F and F' at the current impulses. The diagonal grows by `shift` times that of D. */
static void derive(const direct* at, double shift) {
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

/* Computes Newton's step; returns whether it is finite. */
static bool find_step(const direct* at, double shift) {
  derive(at, shift);
  if (vida__factor_dense(at->matrix, at->rows, at->problem->pivot)) {
    return false;
  }
  vida__substitute_dense(at->matrix, at->rows, at->problem->pivot, at->step);
  return vida__are_finite(at->step, at->rows);
}

/* Adds `part` of the step to the impulses, and returns the residual there. */
static double take_step(const direct* at, double part) {
  for (int r = 0; r < at->rows; r++) {
    push(at->problem, r, part * at->step[r]);
  }
  return vida__contact_residual(at->problem);
}

/* Makes whole steps. The shift takes part in no solution, but makes matrices regular where contacts
 * depend on each other. */
static bool make_whole_steps(const direct* at, double enough) {
  static const double shift = 1e-11;
  double before = (double)INFINITY;
  for (int i = 0, worse = 0; i < NEWTON_STEPS && worse < 4 && find_step(at, shift); i++) {
    at->problem->residual = take_step(at, 1.0);
    if (at->problem->residual <= enough) {
      return true;
    }
    worse += !(at->problem->residual < before);
    before = at->problem->residual;
  }
  return false;
}

/* Makes steps of which each is halved while it does not make the residual smaller. */
static bool make_damped_steps(const direct* at, double enough) {
  enum { STEPS = 12, HALVES = 6 };
  static const double shift = 1e-14;
  double now = vida__contact_residual(at->problem);
  for (int i = 0; i < STEPS && find_step(at, shift); i++) {
    double part = 1.0, next = take_step(at, 1.0);
    for (int k = 0; k < HALVES && !(next < now); k++) {
      part *= 0.5;
      next = take_step(at, -part);
    }
    at->problem->residual = now = next;
    if (now <= enough) {
      return true;
    }
  }
  return false;
}

static direct prepare(vida_contact_problem* problem) {
  const int rows = row_count(problem);
  const size_t count = (size_t)rows;
  direct at = {.problem = problem, .rows = rows, .delassus = problem->dense};
  at.matrix = at.delassus + count * count;
  at.step = at.matrix + count * count;
  at.kept = at.step + count;
  problem->centre = at.kept + count;
  form_delassus(problem, rows, at.delassus, problem->centre + count);
  return at;
}

static void keep(const direct* at, double* to) {
  memcpy(to, at->problem->impulse, (size_t)at->rows * sizeof *to);
}

static void restore(const direct* at, const double* from) {
  for (int r = 0; r < at->rows; r++) {
    push(at->problem, r, from[r] - at->problem->impulse[r]);
    at->problem->impulse[r] = from[r];
  }
}

/* Makes Newton's steps from the impulses now. If they do not converge, restores these. */
static bool solve_directly(vida_contact_problem* problem, double enough) {
  direct at = prepare(problem);
  keep(&at, at.kept);
  if (make_whole_steps(&at, enough)) {
    return true;
  }
  restore(&at, at.kept);
  return false;
}

/* Solves the problem in which impulses are held at the centre, from the impulses now. */
static bool solve_regular(const direct* at, double enough) {
  vida_contact_problem* problem = at->problem;
  if (sweep(problem, FIRST_SWEEPS, enough)) {
    return true;
  }
  keep(at, at->kept);
  if (make_whole_steps(at, enough)) {
    return true;
  }
  restore(at, at->kept);
  return make_damped_steps(at, enough);
}

/* Where contacts depend on each other, as those at the corners of a box do, the laws do not
 * determine all impulses, and neither sweeps nor Newton's steps find where the next contact opens
 * or slides. So impulses are held where they are by a softness (the proximal point algorithm,
 * Rockafellar 1976), less and less: each of these problems is regular, and begins near its
 * solution. One that is not solved was released too fast. */
static bool solve_held(vida_contact_problem* problem, double enough) {
  enum { HOLDS = 100 };
  static const double most = 0.1, part = 0.1, tighter = 10.0, slower = 0.3;
  direct at = prepare(problem);
  double hold = most, release = 0.1;
  for (int k = 0; k < HOLDS && problem->made < problem->sweeps; k++) {
    keep(&at, problem->centre);
    problem->hold = hold;
    const bool is_solved = solve_regular(&at, part * enough);
    problem->hold = 0.0;
    problem->residual = vida__contact_residual(problem);
    if (problem->residual <= enough) {
      return true;
    }
    if (is_solved) {
      hold *= release;
      continue;
    }
    restore(&at, problem->centre);
    hold = fmin(hold * tighter, most);
    release = slower;
  }
  return false;
}

/* ---- both ------------------------------------------------------------------------------------ */

bool vida__solve_contacts(vida_contact_problem* problem) {
  const int rows = row_count(problem);
  double size = 0.0;
  problem->made = 0;
  problem->hold = 0.0;
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
  const bool is_direct = problem->is_direct && problem->dense;
  if (is_direct && rows <= VIDA_DIRECT_ROWS && solve_directly(problem, enough)) {
    return true;
  }
  if (is_direct && rows <= VIDA_HELD_ROWS) {
    const int most = rows <= VIDA_DIRECT_ROWS ? MORE_SWEEPS : MANY_SWEEPS;
    const int left = problem->sweeps - problem->made;
    if (sweep(problem, most < left ? most : left, enough) || solve_held(problem, enough)) {
      return true;
    }
  }
  return sweep(problem, problem->sweeps - problem->made, enough);
}

/* ---- displacements --------------------------------------------------------------------------- */

/* Returns H x of a row. */
static double shift_of(const vida_contact_problem* problem, int r) {
  const vida_sparse_rows* h = &problem->h;
  double sum = 0.0;
  for (int k = h->start[r]; k < h->start[r + 1]; k++) {
    sum += h->value[k] * problem->v[h->index[k]];
  }
  return sum;
}

void vida__push_apart(vida_contact_problem* problem, const double* need, int sweeps,
                      double enough) {
  memset(problem->v, 0, (size_t)problem->size * sizeof *problem->v);
  memset(problem->impulse, 0, (size_t)row_count(problem) * sizeof *problem->impulse);
  double most = (double)INFINITY;
  for (int i = 0; i < sweeps && most > enough; i++) {
    most = 0.0;
    for (int k = 0; k < problem->contacts; k++) {
      const int c = i % 2 ? problem->contacts - 1 - k : k, r = problem->first[c];
      const double now = problem->impulse[r], lack = need[c] - shift_of(problem, r);
      if (problem->diagonal[r] > 0.0) {
        const double wanted = fmax(0.0, now + lack / problem->diagonal[r]);
        most = fmax(most, fabs(wanted - now) * problem->diagonal[r]);
        push(problem, r, wanted - now);
      }
    }
  }
}
