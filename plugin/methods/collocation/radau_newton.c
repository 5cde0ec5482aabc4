/* Newton's method for a step of radau, simplified: one evaluation of the derivatives serves all
 * stages, iterations and steps while they converge. With the eigenvectors of the inverse of the
 * coefficients, A^-1 = T diag(gamma, alpha +- i beta) T^-1, the stages then fall apart (Hairer and
 * Wanner, section IV.8). For each eigenvalue l, and with W = A X, V = l W + P:
 *
 *     [ K  G^T ] [ W           ]   [ -l (r2 + r1) ]        K = l^2 L_vv + l h (L_vq - L_qv) - h^2
 * L_qq [ G  0   ] [ mu + l eta  ] = [ -r4          ]
 *
 *     [ L_vv  G^T ] [ P    ]   [ r1                                  ]
 *     [ G     0   ] [ -eta ] = [ -r3 - h (G v)_q W + l r4            ]
 *
 * all in the pattern of the system: a real and a complex matrix for W, and one for P of all three.
 * What K leaves out is small: h L_qv P, and the derivatives with eta. Nonholonomic rows take their
 * velocity level in the first matrix, and have no part in the second. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "methods/collocation/radau.h"
#include "stepper/method_options.h"

/* From the code radau5 of Hairer and Wanner, where they are named T, TI, U1, ALPH and BETA. The
 * second and third columns of T, and rows of its inverse, are the real and imaginary parts of an
 * eigenvector. */
const double vida__radau_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1.0, 0.0}};
const double vida__radau_inverse_t[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};
const double vida__radau_gamma = 3.6378342527444957322;
const double vida__radau_alpha = 2.6810828736277521339;
const double vida__radau_beta = 3.0504301992474105695;

enum { MOST_ITERATIONS = 40, MIDDLE = 1 };
/* Residuals relative to the terms of their rows: rounding, close to rounding, and not a solution.
 */
static const double rounded = DBL_EPSILON;
static const double rounded_of_redundant = 0.1 * DBL_EPSILON; /* whose rows count by the motion */
static const double at_rounding = 16.0 * DBL_EPSILON;
static const double near_rounding = 1e-12;
static const double unsolved = 1e-7;
/* Rows whose terms vanish compared with the motion are measured with at least this fraction of it;
 * rounding then leaves less than `near_motion`. */
static const double beside_motion = 1e-3;
static const double near_motion = 1e-12;
/* A correction that leaves more than this fraction of the error is useless: for errors near
 * rounding, and for others. */
static const double useless_at_rounding = 0.7;
static const double useless = 0.9;
/* The number of iterations that cost as much as new factors. */
static const int cost_of_factors = 4;
/* After a failure with old factors this many steps begin with new factors, twice as many after each
 * further failure; after a failure with new factors, this many steps use the full Newton method. */
enum { LONGEST_PAUSE = 32 };

/* ---- matrices -------------------------------------------------------------------------------- */

typedef struct pair {
  double re, im;
} pair;

static pair times(pair a, pair b) {
  return (pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static pair over(double a, pair b) {
  const double square = b.re * b.re + b.im * b.im;
  return (pair){a * b.re / square, -a * b.im / square};
}

/* Returns entry e of the first matrix for the eigenvalue l; `row` and `column` are its indices. */
static pair first_entry(const VidaIntegration* self, pair l, sunindextype e, int row, int column) {
  const vida_radau* own = self->state;
  const vida_stage_blocks* block = &own->frozen;
  const int n = self->model.n;
  const double h = own->h;
  if (row < n && column < n) {
    const pair square = times(l, l);
    const double mixed = h * (block->mixed_vq[e] - block->mixed_qv[e]);
    return (pair){square.re * block->inner[e] + l.re * mixed - h * h * block->outer[e],
                  square.im * block->inner[e] + l.im * mixed};
  }
  if (row >= n && column < n) {
    const bool is_nonholonomic = self->model.system->rows[row - n].is_nonholonomic;
    const pair part = over(is_nonholonomic ? h * block->mixed_vq[e] : 0.0, l);
    return (pair){block->inner[e] + part.re, part.im};
  }
  if (row < n) {
    return (pair){block->inner[e] + block->outer[e], 0.0};
  }
  return row == column && self->model.redundant
             ? over(-self->model.redundancy[row - n], times(l, l))
             : (pair){0.0, 0.0};
}

/* Returns entry e of the second matrix. */
static double second_entry(const VidaIntegration* self, sunindextype e, int row, int column) {
  const vida_radau* own = self->state;
  const int n = self->model.n;
  if (row < n && column < n) {
    return own->frozen.inner[e];
  }
  const int constraint = row < n ? column - n : row - n;
  const bool is_unused = self->model.system->rows[constraint].is_nonholonomic;
  if (row >= n && column >= n) {
    const double stiffness = self->model.row_stiffness[constraint];
    return row != column           ? 0.0
           : is_unused             ? stiffness * stiffness
           : self->model.redundant ? -self->model.redundancy[constraint]
                                   : 0.0;
  }
  return is_unused ? 0.0 : own->frozen.inner[e];
}

/* Assembles the real matrices for the eigenvalue gamma, and the complex one (nullable), from the
 * frozen derivatives. */
static int factor(VidaIntegration* self, vida_linear* first, vida_linear* second,
                  vida_complex_linear* complex_first) {
  vida_radau* own = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  const pair gamma = {vida__radau_gamma, 0.0};
  const pair alpha = {vida__radau_alpha, vida__radau_beta};
  double* complex_values = complex_first ? vida__complex_values(complex_first) : NULL;
  for (int column = 0; column < pattern->size; column++) {
    for (sunindextype e = pattern->column_start[column]; e < pattern->column_start[column + 1];
         e++) {
      const int row = (int)pattern->row[e];
      first->values[e] = first_entry(self, gamma, e, row, column).re;
      second->values[e] = second_entry(self, e, row, column);
      if (complex_values) {
        const pair value = first_entry(self, alpha, e, row, column);
        complex_values[2 * e] = value.re;
        complex_values[2 * e + 1] = value.im;
      }
    }
  }
  own->factorizations++;
  int code = vida__linear_factor(first);
  code = code ? code : vida__linear_factor(second);
  return code || !complex_first ? code : vida__complex_factor(complex_first);
}

/* Makes the matrices of the step own->h from the derivatives in its middle, at the guess u. */
static int renew(VidaIntegration* self, const double* u) {
  vida_radau* own = self->state;
  own->factored_h = 0.0;
  own->spent = 0;
  own->is_fresh = true;
  own->jacobians++;
  int code = vida__radau_freeze_stage(self, u, MIDDLE);
  code = code ? code : factor(self, own->real_matrix, own->metric_matrix, own->complex_matrix);
  own->factored_h = code ? 0.0 : own->h;
  return code;
}

int vida__radau_prepare_filter(VidaIntegration* self) {
  vida_radau* own = self->state;
  own->jacobians++;
  const int code = vida__radau_freeze_node(self);
  return code ? code : factor(self, own->filter_matrix, own->filter_metric, NULL);
}

/* ---- one correction -------------------------------------------------------------------------- */

/* The data of one eigenvalue, real or with real and imaginary parts. */
typedef struct component {
  pair eigenvalue;
  int parts;
  vida_linear *first_matrix, *second_matrix; /* of the real one only; of both */
  double* values[2]; /* of each part: r1, r2, r3, r4, which become corrections X, V, mu, eta */
  double* first[2];  /* n + m, of each part: right side and solution of the first matrix, */
  double* second[2]; /* and of the second one */
} component;

static pair value_at(const component* one, double* const values[2], int i) {
  return (pair){values[0][i], one->parts > 1 ? values[1][i] : 0.0};
}

static void put_value(const component* one, double* const values[2], int i, pair value) {
  values[0][i] = value.re;
  if (one->parts > 1) {
    values[1][i] = value.im;
  }
}

static bool is_nonholonomic(const VidaIntegration* self, int row) {
  return self->model.system->rows[row].is_nonholonomic;
}

/* Computes x = A^-1 x with a real matrix whose constraints have `less` times the redundancy on
 * their diagonal. The dependence of rows differs between stages, and the part of a right-hand side
 * that contradicts the dependence here would cause huge multipliers: a first solution determines
 * this part, and the second solution is without it. */
static int solve_real(VidaIntegration* self, vida_linear* matrix, double less, double* x) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  int code = VIDA_SUCCESS;
  if (self->model.redundant) {
    code = vida__linear_solve(matrix, x, own->pairs);
    for (int r = 0; r < self->model.m; r++) {
      x[n + r] += less * self->model.redundancy[r] * own->pairs[n + r];
    }
  }
  return code ? code : vida__linear_solve(matrix, x, x);
}

/* Computes x = A^-1 x with the complex matrix, for own->pairs. */
static int solve_complex(VidaIntegration* self, pair less) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  double* x = own->pairs;
  int code = VIDA_SUCCESS;
  if (self->model.redundant) {
    double* trial = own->trial;
    memcpy(trial, x, 2 * (size_t)(n + self->model.m) * sizeof *x);
    code = vida__complex_solve(own->complex_matrix, trial);
    for (int r = 0; r < self->model.m; r++) {
      const int i = 2 * (n + r);
      const pair part = times(less, (pair){trial[i], trial[i + 1]});
      x[i] += self->model.redundancy[r] * part.re;
      x[i + 1] += self->model.redundancy[r] * part.im;
    }
  }
  return code ? code : vida__complex_solve(own->complex_matrix, x);
}

/* Computes P and -eta, after W is known. */
static int solve_second(VidaIntegration* self, const component* one, bool has_first) {
  const vida_radau* own = self->state;
  const int n = self->model.n;
  const int m = self->model.m;
  for (int r = 0; r < m; r++) {
    const pair turned = times(one->eigenvalue, value_at(one, one->values, 2 * n + m + r));
    const pair r3 = value_at(one, one->values, 2 * n + r);
    put_value(one, one->second, n + r, (pair){turned.re - r3.re, turned.im - r3.im});
  }
  int code = VIDA_SUCCESS;
  for (int part = 0; part < one->parts && !code; part++) {
    double* x = one->second[part];
    memcpy(x, one->values[part], (size_t)n * sizeof *x);
    if (has_first) {
      vida__add_constraint_velocity(self->model.system, own->turn, -own->h, one->first[part],
                                    x + n);
    }
    for (int r = 0; r < m; r++) {
      x[n + r] = is_nonholonomic(self, r) ? 0.0 : x[n + r];
    }
    code = solve_real(self, one->second_matrix, 1.0, x);
  }
  return code;
}

static int set_first(VidaIntegration* self, const component* one) {
  const vida_radau* own = self->state;
  const int n = self->model.n;
  const int m = self->model.m;
  int code = VIDA_SUCCESS;
  if (self->model.system->nonholonomic) {
    code = solve_second(self, one, false);
  }
  for (int part = 0; part < one->parts; part++) {
    double* along = one->first[part] + n; /* what rows make of P */
    memset(along, 0, (size_t)m * sizeof *along);
    if (self->model.system->nonholonomic) {
      vida__add_constraint_velocity(self->model.system, own->frozen_entries, 1.0, one->second[part],
                                    along);
    }
  }
  for (int i = 0; i < n; i++) {
    const pair r1 = value_at(one, one->values, i);
    const pair r2 = value_at(one, one->values, n + i);
    const pair sum = times(one->eigenvalue, (pair){r1.re + r2.re, r1.im + r2.im});
    put_value(one, one->first, i, (pair){-sum.re, -sum.im});
  }
  for (int r = 0; r < m; r++) {
    pair right = value_at(one, one->values, 2 * n + m + r);
    if (is_nonholonomic(self, r)) {
      const pair along = value_at(one, one->first, n + r);
      const pair r3 = value_at(one, one->values, 2 * n + r);
      right = times((pair){r3.re + along.re, r3.im + along.im}, over(1.0, one->eigenvalue));
    }
    put_value(one, one->first, n + r, (pair){-right.re, -right.im});
  }
  return code;
}

static int solve_first(VidaIntegration* self, const component* one) {
  const vida_radau* own = self->state;
  const int size = self->model.n + self->model.m;
  const pair less = over(1.0, times(one->eigenvalue, one->eigenvalue));
  if (one->parts == 1) {
    return solve_real(self, one->first_matrix, less.re, one->first[0]);
  }
  double* pairs = own->pairs;
  for (int i = 0; i < size; i++) {
    pairs[2 * i] = one->first[0][i];
    pairs[2 * i + 1] = one->first[1][i];
  }
  const int code = solve_complex(self, less);
  for (int i = 0; i < size; i++) {
    one->first[0][i] = pairs[2 * i];
    one->first[1][i] = pairs[2 * i + 1];
  }
  return code;
}

/* The unknown of the first matrix is mu + l eta, since both have the columns G^T. Where forces
 * depend on multipliers, they take mu alone: adds l F (-eta) to the right-hand side, F being their
 * derivatives and -eta that of the last solution. */
static void correct_reactions(VidaIntegration* self, const component* one) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n;
  for (int k = 0; k < system->reaction_count; k++) {
    const int r = system->reaction_rows[k], column = n + r;
    const pair eta = {own->trial[r], one->parts > 1 ? own->trial[self->model.m + r] : 0.0};
    const pair turned = times(one->eigenvalue, eta);
    for (sunindextype e = system->pattern.column_start[column];
         e < system->pattern.column_start[column + 1] && system->pattern.row[e] < n; e++) {
      const int i = (int)system->pattern.row[e];
      const pair side = value_at(one, one->first, i);
      put_value(one, one->first, i,
                (pair){side.re - own->frozen.outer[e] * turned.re,
                       side.im - own->frozen.outer[e] * turned.im});
    }
  }
}

/* Solves for W, mu + l eta, P and -eta. With forces that depend on multipliers, twice: -eta depends
 * on W by the turn of the constraints in a step, which is small. */
static int solve_both(VidaIntegration* self, const component* one) {
  const int n = self->model.n, m = self->model.m;
  int code = set_first(self, one);
  code = code ? code : solve_first(self, one);
  code = code ? code : solve_second(self, one, true);
  if (code || !self->model.reactions) {
    return code;
  }
  for (int part = 0; part < one->parts; part++) {
    const vida_radau* own = self->state;
    memcpy(own->trial + part * m, one->second[part] + n, (size_t)m * sizeof *own->trial);
  }
  code = set_first(self, one);
  correct_reactions(self, one);
  code = code ? code : solve_first(self, one);
  return code ? code : solve_second(self, one, true);
}

/* Converts one->values from residuals to corrections. */
static int solve_component(VidaIntegration* self, const component* one) {
  const int n = self->model.n;
  const int m = self->model.m;
  int code = solve_both(self, one);
  for (int i = 0; i < n && !code; i++) {
    const pair x = times(one->eigenvalue, value_at(one, one->first, i));
    const pair p = value_at(one, one->second, i);
    put_value(one, one->values, i, x);
    put_value(one, one->values, n + i, (pair){x.re + p.re, x.im + p.im});
  }
  for (int r = 0; r < m && !code; r++) {
    const double stiffness = self->model.row_stiffness[r];
    const pair r4 = value_at(one, one->values, 2 * n + m + r);
    pair eta = value_at(one, one->second, n + r);
    pair mu = value_at(one, one->first, n + r);
    if (is_nonholonomic(self, r)) {
      eta = over(-1.0, (pair){stiffness * stiffness, 0.0});
      eta = times(eta, r4);
    } else {
      const pair part = times(one->eigenvalue, eta); /* is -eta as yet */
      mu = (pair){mu.re + part.re, mu.im + part.im};
      eta = (pair){-eta.re, -eta.im};
    }
    put_value(one, one->values, 2 * n + r, mu);
    put_value(one, one->values, 2 * n + m + r, eta);
  }
  return code;
}

static component component_of(const VidaIntegration* self, int k) {
  const vida_radau* own = self->state;
  const int size = self->model.n + self->model.m;
  component one = {.eigenvalue = {vida__radau_gamma, 0.0},
                   .parts = 1,
                   .first_matrix = own->real_matrix,
                   .second_matrix = own->metric_matrix};
  if (k > 0) {
    one.eigenvalue = (pair){vida__radau_alpha, vida__radau_beta};
    one.parts = 2;
  }
  for (int part = 0; part < one.parts; part++) {
    one.values[part] = own->mixed + (k + part) * own->block;
    one.first[part] = own->first + part * size;
    one.second[part] = own->second + part * size;
  }
  return one;
}

/* Adds the correction for the residual r to u. */
static int correct(VidaIntegration* self, const double* r, double* u) {
  vida_radau* own = self->state;
  const int block = own->block;
  double* mixed = own->mixed;
  for (int k = 0; k < VIDA_RADAU_STAGES; k++) {
    const double* row = vida__radau_inverse_t[k];
    for (int i = 0; i < block; i++) {
      mixed[k * block + i] = row[0] * r[i] + row[1] * r[block + i] + row[2] * r[2 * block + i];
    }
  }
  const component real = component_of(self, 0);
  const component complex = component_of(self, 1);
  int code = solve_component(self, &real);
  code = code ? code : solve_component(self, &complex);
  for (int k = 0; k < VIDA_RADAU_STAGES && !code; k++) {
    const double* row = vida__radau_t[k];
    for (int i = 0; i < block; i++) {
      u[k * block + i] +=
          row[0] * mixed[i] + row[1] * mixed[block + i] + row[2] * mixed[2 * block + i];
    }
  }
  return code;
}

int vida__radau_filter(VidaIntegration* self, double* defect) {
  const vida_radau* own = self->state;
  component real = component_of(self, 0);
  real.first_matrix = own->filter_matrix;
  real.second_matrix = own->filter_metric;
  for (int i = 0; i < own->block; i++) {
    real.values[0][i] = -defect[i];
  }
  const int code = solve_component(self, &real);
  memcpy(defect, real.values[0], (size_t)own->block * sizeof *defect);
  return code;
}

/* ---- iterations ------------------------------------------------------------------------------ */

/* Of a residual: the largest relative to the terms of its row, the same where rows are no less than
 * parts of the motion, and the largest violation relative to what its constraint compares, which
 * may be far less than the way of a large step. */
typedef struct rest {
  double relative, beside, violation;
} rest;

static rest measure(const VidaIntegration* self, double part) {
  const vida_radau* own = self->state;
  rest found = {0.0, 0.0, 0.0};
  for (int i = 0; i < VIDA_RADAU_STAGES * own->block; i++) {
    const double size = own->row_size[i];
    const double least = size + part * own->row_scale[i];
    const double r = fabs(own->residual[i]);
    if (!(r <= found.relative * size)) {
      found.relative = size > 0.0 ? r / size : INFINITY;
    }
    if (!(r <= found.beside * least)) {
      found.beside = least > 0.0 ? r / least : INFINITY;
    }
  }
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const double* g = own->residual + (i + 1) * own->block - self->model.m;
    for (int r = 0; r < self->model.m; r++) {
      const double size = is_nonholonomic(self, r) ? INFINITY : self->model.reach[r];
      const double violation = fabs(g[r]) * own->h;
      found.violation = violation > found.violation * size ? violation / size : found.violation;
    }
  }
  return found;
}

static int evaluate(VidaIntegration* self, const double* u, bool has_sizes, rest* found) {
  vida_radau* own = self->state;
  own->residuals++;
  const int code = vida__radau_residual(self, u, own->residual);
  if (!code) {
    if (!has_sizes) {
      vida__radau_sizes(self, u, own->row_size);
    }
    *found = measure(self, beside_motion);
  }
  return code ? code : isfinite(found->beside) ? VIDA_SUCCESS : VIDA_STEP_NOT_CONVERGED;
}

static bool is_solved(const VidaIntegration* self, rest left) {
  return (left.relative <= near_rounding || left.beside <= near_motion) &&
         (left.relative <= unsolved || measure(self, DBL_EPSILON).beside <= unsolved);
}

/* Returns whether the corrections after `earlier`, one or two of them, were useful. */
static bool is_useful(rest earlier, rest now) {
  const double part = earlier.relative <= at_rounding ? useless_at_rounding : useless;
  return now.relative < part * earlier.relative || now.beside < part * earlier.beside ||
         now.violation < part * earlier.violation;
}

/* The solution from the guess u, with the factors that there are, in `most` iterations. An error of
 * positions becomes one of multipliers before it vanishes, so that every other correction alone may
 * seem to be of no use. Sizes of rows hardly change once the first correction is made. */
static int iterate(VidaIntegration* self, int most, double* u) {
  vida_radau* own = self->state;
  const size_t bytes = (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *u;
  const double enough = self->model.redundant ? rounded_of_redundant : rounded;
  rest left, before = {INFINITY, INFINITY, INFINITY};
  int code = evaluate(self, u, false, &left);
  bool is_done = false;
  own->count = 0;
  for (int k = 0; k < most && !is_done && !code; k++) {
    rest next;
    memcpy(own->kept, u, bytes);
    own->iterations++;
    own->count++;
    code = correct(self, own->residual, u);
    code = code ? code : evaluate(self, u, k > 0, &next);
    if (code) {
      break;
    }
    const bool stands = !is_useful(left, next) &&
                        (left.relative <= at_rounding || (k > 0 && !is_useful(before, next)));
    is_done = (next.relative <= enough && next.violation <= rounded) || stands;
    if (stands && next.relative >= left.relative && next.violation >= left.violation) {
      memcpy(u, own->kept, bytes);
    } else {
      before = left;
      left = next;
    }
  }
  return code ? code : is_done && is_solved(self, left) ? VIDA_SUCCESS : VIDA_STEP_NOT_CONVERGED;
}

/* Decides from the iterations of a step whether its factors are still useful: if they have cost
 * more than new ones, the next step makes new ones. */
static void follow_count(vida_radau* own) {
  if (own->is_fresh) {
    own->fresh_count = own->count;
  } else if (own->count > own->fresh_count) {
    own->spent += own->count - own->fresh_count;
  }
  own->is_fresh = false;
  own->pause = own->pause_length = 0;
}

static int longer(int pause) {
  return pause == 0 ? 1 : 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
}

/* Uses the factors of an earlier step if they are likely to converge. */
static int try_old_factors(VidaIntegration* self, double* u) {
  vida_radau* own = self->state;
  if (own->factored_h != own->h || own->spent >= cost_of_factors) {
    return VIDA_STEP_NOT_CONVERGED;
  }
  if (own->renewals > 0) {
    own->renewals--;
    return VIDA_STEP_NOT_CONVERGED;
  }
  const int code = iterate(self, own->fresh_count + 2 * cost_of_factors, u);
  own->renewals = own->renewals_length = code ? longer(own->renewals_length) : 0;
  return code;
}

int vida__radau_newton(VidaIntegration* self, double* u) {
  vida_radau* own = self->state;
  const size_t bytes = (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *u;
  if (own->pause > 0) {
    own->pause--;
    own->factored_h = 0.0;
    return VIDA_STEP_NOT_CONVERGED;
  }
  memcpy(own->guess, u, bytes);
  int code = try_old_factors(self, u);
  if (code > 0) {
    memcpy(u, own->guess, bytes);
    code = renew(self, u);
    code = code ? code : iterate(self, MOST_ITERATIONS, u);
  }
  if (code) {
    own->factored_h = 0.0;
    own->pause = own->pause_length = longer(own->pause_length);
    memcpy(u, own->guess, bytes);
  } else {
    follow_count(own);
  }
  return code;
}

/* ---- creation -------------------------------------------------------------------------------- */

int vida__radau_create_newton(VidaIntegration* self, VidaError* error) {
  vida_radau* own = self->state;
  const vida_solver solver = vida__solver_of(self->options);
  const vida_pattern* pattern = &self->model.system->pattern;
  int code =
      vida__take_context(self->services, &own->context) ? vida__fail_memory(error) : VIDA_SUCCESS;
  code = code ? code : vida__linear_create(own->context, pattern, solver, &own->real_matrix, error);
  code =
      code ? code : vida__linear_create(own->context, pattern, solver, &own->metric_matrix, error);
  code = code ? code : vida__complex_create(pattern, solver, &own->complex_matrix, error);
  if (self->adaptive) {
    code = code ? code
                : vida__linear_create(own->context, pattern, solver, &own->filter_matrix, error);
    code = code ? code
                : vida__linear_create(own->context, pattern, solver, &own->filter_metric, error);
  }
  return code;
}

void vida__radau_destroy_newton(VidaIntegration* self) {
  vida_radau* own = self->state;
  vida__linear_destroy(&own->real_matrix);
  vida__linear_destroy(&own->metric_matrix);
  vida__linear_destroy(&own->filter_matrix);
  vida__linear_destroy(&own->filter_metric);
  vida__complex_destroy(&own->complex_matrix);
  vida__leave_context(self->services, &own->context);
}

void vida__radau_start_newton(VidaIntegration* self, const double* u) {
  vida_radau* own = self->state;
  own->count = own->fresh_count = own->pause = own->pause_length = 0;
  own->renewals = own->renewals_length = 0;
  renew(self, u);
  own->factored_h = 0.0; /* the first step makes its own */
  if (self->adaptive) {
    vida__radau_prepare_filter(self);
  }
  own->iterations = own->residuals = own->jacobians = own->factorizations = 0;
}
