/* Discrete Euler-Lagrange equations in generalized coordinates (paper 000, eq. 4.12).
 *
 * With a chart q = phi(x) of the constraint manifold and the midpoint discrete Lagrangian of the
 * ambient coordinates, the discrete Lagrangian of the chart is Ld(phi(x0), phi(x1)), so that the
 * steps are those of del-midpoint (Theorem 1) without constraints or multipliers. A step solves
 *     J(x0)^T [L_v - h/2 L_q - p0] (q0 + h/2 w, w) = 0,   w = (phi(x1) - phi(x0)) / h,  x1 = x0 + h
 * s for s; its matrix J(x0)^T H J(x1) needs no second derivatives of phi. The ambient momenta are
 * carried on, p1 = p0 + h L_q - G^T nu: nu, what the bracket has across the manifold, is the
 * impulse of the constraints, and this form keeps momentum maps where the equations are solved to
 * rounding only. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/cholesky.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/method.h"
#include "system/chart.h"

/* A column of J that has shrunk to this part of its size moves nothing any more; columns of which
 * one is a combination of the others up to the root of the second number are dependent. */
static const double vanished = 1e-7;
static const double dependent = 1e-13;
/* What counts as lying on the manifold, relative to the sizes of what is compared. */
static const double on_manifold = 1e-8;
static const double rounding = 1e-13;
enum { MOST_SEARCH_STEPS = 200, MOST_HALVINGS = 40, MOST_RATE_STEPS = 8 };

typedef struct chart_state {
  const vida_chart* chart;
  vida_chart_work tapes;
  int d;
  vida_pattern pattern; /* dense, d x d */
  bool midpoint_energy, has_step, has_position;
  double kappa; /* the first step starts with half an impulse */
  double *x, *x_low;
  double *x1, *trial;              /* d: work */
  double* entries;                 /* of J at the node */
  double* entries1;                /* work: elsewhere */
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
  double* node_p;                  /* n: work */
  double*
      mass; /* n: those of the start, whatever the Lagrangian: how far a column of J moves things */
  double* position; /* n: work */
  double* weight;   /* n: of coordinates in the search for the start, 1 / size^2 */
  int* order;       /* d: of pivots */
  double* row_gram; /* m x m: G M^-1 G^T, factored */
  double* row_size; /* m: its scales */
  double* impulse;  /* m: nu */
  double* row_work; /* m */
  int* row_order;   /* m: of its pivots */
  int row_rank;
  bool turned; /* the last step has turned J so far that going on as before is no guess */
} chart_state;

/* ---- matrices of the chart ------------------------------------------------------------------- */

/* product (n x d) = H J, H being the upper left block of the KKT matrix in `matrix`. */
static void multiply_block(const VidaStepper* stepper, const double* matrix, const double* entries,
                           double* product) {
  const chart_state* own = stepper->own;
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const vida_pattern* pattern = &stepper->system->pattern;
  const int d = own->d;
  memset(product, 0, (size_t)stepper->n * (size_t)d * sizeof *product);
  for (int e = 0; e < jacobian->count; e++) {
    const int j = jacobian->row[e];
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < stepper->n) {
        product[(int)pattern->row[k] * d + jacobian->column[e]] += matrix[k] * entries[e];
      }
    }
  }
}

/* result (d x d, row by row) = J^T product */
static void pull_product(const chart_state* own, const double* entries, const double* product,
                         double* result) {
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const int d = own->d;
  memset(result, 0, (size_t)d * (size_t)d * sizeof *result);
  for (int e = 0; e < jacobian->count; e++) {
    const double* from = product + jacobian->row[e] * d;
    double* to = result + jacobian->column[e] * d;
    for (int k = 0; k < d; k++) {
      to[k] += entries[e] * from[k];
    }
  }
}

/* gram = J^T W J with weights of the coordinates. */
static void fill_gram(const VidaStepper* stepper, const double* weight, const double* entries) {
  const chart_state* own = stepper->own;
  const vida_chart_matrix* jacobian = &own->chart->jacobian;
  const int d = own->d;
  memset(own->product, 0, (size_t)stepper->n * (size_t)d * sizeof(double));
  for (int e = 0; e < jacobian->count; e++) {
    const int i = jacobian->row[e];
    own->product[i * d + jacobian->column[e]] += weight[i] * entries[e];
  }
  pull_product(own, entries, own->product, own->gram);
}

/* Scales the matrix to a diagonal of ones by the roots of it, which go to `size`, and factors it;
 * rows without a diagonal count as dependent. Returns the rank. */
static int factor_gram(chart_state* own, double* size) {
  const int d = own->d;
  for (int k = 0; k < d; k++) {
    const double diagonal = own->gram[k * d + k];
    size[k] = diagonal > 0.0 ? sqrt(diagonal) : 0.0;
  }
  for (int k = 0; k < d; k++) {
    for (int j = 0; j < d; j++) {
      const double scale = size[k] * size[j];
      own->gram[k * d + j] = scale > 0.0 ? own->gram[k * d + j] / scale : 0.0;
    }
  }
  return vida__cholesky_factor(d, own->gram, own->order, dependent);
}

/* solution with gram solution = right, by the factors above. */
static void solve_gram(chart_state* own, int rank, const double* size) {
  for (int k = 0; k < own->d; k++) {
    own->right[k] = size[k] > 0.0 ? own->right[k] / size[k] : 0.0;
  }
  vida__cholesky_solve(own->d, rank, own->gram, own->order, own->right, own->work, own->solution);
  for (int k = 0; k < own->d; k++) {
    own->solution[k] = size[k] > 0.0 ? own->solution[k] / size[k] : 0.0;
  }
}

/* The chart coordinate whose column of J is smallest beside what it has been, and that ratio. */
static int find_weakest(const chart_state* own, double* ratio) {
  int weakest = 0;
  *ratio = INFINITY;
  for (int k = 0; k < own->d; k++) {
    const double own_ratio =
        own->largest_size[k] > 0.0 ? own->column_size[k] / own->largest_size[k] : 0.0;
    if (own_ratio < *ratio) {
      *ratio = own_ratio;
      weakest = k;
    }
  }
  return weakest;
}

/* Sizes of the columns of J at a node, with the coordinate at which the chart is singular in
 * *singular, -1 where it is regular. */
static void measure_columns(VidaStepper* stepper, const double* entries, int* singular) {
  chart_state* own = stepper->own;
  double ratio;
  fill_gram(stepper, own->mass, entries);
  const int rank = factor_gram(own, own->column_size);
  for (int k = 0; k < own->d; k++) {
    own->largest_size[k] = fmax(own->largest_size[k], own->column_size[k]);
  }
  const int weakest = find_weakest(own, &ratio);
  *singular = ratio <= vanished ? weakest : rank < own->d ? own->order[rank] : -1;
}

static int fail_singular(const VidaStepper* stepper, double time, int coordinate, const char* what,
                         VidaError* error) {
  const chart_state* own = stepper->own;
  char t[VIDA_REAL_TEXT_SIZE];
  return vida__fail(
      error, VIDA_STEP_SINGULAR,
      "at t = %s the chart of system '%s' %s: there its coordinate '%s' moves nothing "
      "that the others do not move; choose coordinates whose poles are far from the "
      "motion",
      vida__real_text(t, time, 10), stepper->system->name, what,
      own->chart->coordinates[coordinate].name);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* w, the middle of the step and the Lagrangian's gradient there; bracket = L_v - h/2 L_q - p0 */
static int evaluate_bracket(VidaStepper* stepper, const double* s) {
  chart_state* own = stepper->own;
  const double h = stepper->h;
  for (int k = 0; k < own->d; k++) {
    own->x1[k] = own->x[k] + h * s[k];
  }
  int code = vida__chart_increment(&own->tapes, own->x, own->x1, s, h, stepper->q, own->w_work,
                                   &stepper->evaluator.error);
  if (code) {
    return code;
  }
  for (int i = 0; i < stepper->n; i++) {
    stepper->place[i] = stepper->q[i] + 0.5 * h * own->w_work[i];
  }
  code = vida__gradient(&stepper->evaluator, vida__node_time(stepper) + 0.5 * h, stepper->place,
                        own->w_work, stepper->l_q, stepper->l_v);
  for (int i = 0; i < stepper->n; i++) {
    own->bracket[i] = stepper->l_v[i] - 0.5 * h * stepper->l_q[i] - own->base[i];
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const chart_state* own = stepper->own;
  const int code = evaluate_bracket(stepper, u);
  vida__chart_pull(own->chart, own->entries, own->bracket, r);
  return code;
}

/* dw/ds = J(x1), whichever way w was computed. */
static int jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  chart_state* own = stepper->own;
  const double h = stepper->h;
  const vida_hessian_weights weights = {-0.25 * h * h, -0.5 * h, 0.5 * h, 1.0};
  double* hessian = stepper->node_matrix->values;
  int code = evaluate_bracket(stepper, u);
  code = code
             ? code
             : vida__chart_jacobian(&own->tapes, own->x1, own->entries1, &stepper->evaluator.error);
  vida__linear_clear(stepper->node_matrix);
  code = code ? code
              : vida__add_hessian(&stepper->evaluator, vida__node_time(stepper) + 0.5 * h,
                                  stepper->place, own->w_work, weights, hessian);
  if (code) {
    return code;
  }
  multiply_block(stepper, hessian, own->entries1, own->product);
  pull_product(own, own->entries, own->product, own->gram);
  for (int row = 0; row < own->d; row++) {
    for (int column = 0; column < own->d; column++) {
      matrix[column * own->d + row] = own->gram[row * own->d + column];
    }
  }
  return VIDA_SUCCESS;
}

/* Sizes of what is added up in J^T [...]. */
static void sizes(void* data, const double* u, double* size) {
  const VidaStepper* stepper = data;
  const chart_state* own = stepper->own;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  (void)u; /* own->w_work belongs to it */
  memset(size, 0, (size_t)own->d * sizeof *size);
  for (int e = 0; e < matrix->count; e++) {
    const int i = matrix->row[e];
    const double mass = stepper->root_mass[i] * stepper->root_mass[i];
    size[matrix->column[e]] +=
        fabs(own->entries[e]) *
        (fabs(stepper->p[i]) + mass * fabs(own->w_work[i]) + stepper->h * stepper->force_size[i]);
  }
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* Solves J^T [L_v(q, J rate) - p] = 0 at the node for own->rate, from the rate it has. */
static int find_rate(VidaStepper* stepper, double t, const double* p) {
  chart_state* own = stepper->own;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* v = own->w_work;
  double previous = INFINITY;
  for (int i = 0; i < MOST_RATE_STEPS; i++) {
    double largest = 0.0;
    vida__chart_push(own->chart, own->entries, own->rate, v);
    int code = vida__gradient(&stepper->evaluator, t, stepper->q, v, stepper->l_q, stepper->l_v);
    if (code) {
      return code;
    }
    for (int j = 0; j < stepper->n; j++) {
      own->bracket[j] = p[j] - stepper->l_v[j];
    }
    vida__chart_pull(own->chart, own->entries, own->bracket, own->right);
    sizes(stepper, NULL, own->trial);
    for (int k = 0; k < own->d; k++) {
      if (fabs(own->right[k]) > largest * own->trial[k]) {
        largest = fabs(own->right[k]) / own->trial[k];
      }
    }
    if (largest <= 2.0 * DBL_EPSILON || (largest < 1e-12 && largest >= previous)) {
      return VIDA_SUCCESS;
    }
    previous = largest;
    vida__linear_clear(stepper->node_matrix);
    code = vida__add_hessian(&stepper->evaluator, t, stepper->q, v, mass_only,
                             stepper->node_matrix->values);
    if (code) {
      return code;
    }
    multiply_block(stepper, stepper->node_matrix->values, own->entries, own->product);
    pull_product(own, own->entries, own->product, own->gram);
    const int rank = factor_gram(own, own->x1);
    if (rank < own->d) {
      return VIDA_STEP_SINGULAR;
    }
    solve_gram(own, rank, own->x1);
    for (int k = 0; k < own->d; k++) {
      own->rate[k] += own->solution[k];
    }
  }
  return previous < 1e-9 ? VIDA_SUCCESS : VIDA_STEP_NOT_CONVERGED;
}

/* ---- impulses of the constraints ------------------------------------------------------------- */

/* Factors G M^-1 G^T, scaled to ones on its diagonal; dependent rows are left out of it. G is that
 * of the node, in stepper->entries0. */
static void factor_rows(VidaStepper* stepper) {
  chart_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const double* g = stepper->entries0;
  const int m = stepper->m;
  memset(own->row_gram, 0, (size_t)m * (size_t)m * sizeof(double));
  for (int a = 0; a < system->entry_count; a++) {
    const vida_jacobian_entry* one = &system->entries[a];
    const double inverse = stepper->inverse_root[one->coordinate];
    for (int b = 0; b < system->entry_count; b++) {
      const vida_jacobian_entry* other = &system->entries[b];
      if (one->coordinate == other->coordinate && other->row <= one->row) {
        own->row_gram[one->row * m + other->row] += g[a] * g[b] * inverse * inverse;
      }
    }
  }
  for (int r = 0; r < m; r++) {
    const double diagonal = own->row_gram[r * m + r];
    own->row_size[r] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
  }
  for (int r = 0; r < m; r++) {
    for (int c = 0; c <= r; c++) {
      own->row_gram[r * m + c] *= own->row_size[r] * own->row_size[c];
    }
  }
  own->row_rank = vida__cholesky_factor(m, own->row_gram, own->row_order, dependent);
}

/* The impulse nu with a = G^T nu + M y, G y = 0; sum = G^T nu. Returns the largest M y, relative to
 * the motion. */
static double find_impulse(VidaStepper* stepper, const double* a, double motion, double* sum) {
  chart_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  const int m = stepper->m;
  double* right = stepper->g_work;
  double largest = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    sum[i] = a[i] * stepper->inverse_root[i] * stepper->inverse_root[i];
  }
  memset(right, 0, (size_t)m * sizeof *right);
  vida__add_constraint_velocity(system, stepper->entries0, 1.0, sum, right);
  for (int r = 0; r < m; r++) {
    right[r] *= own->row_size[r];
  }
  vida__cholesky_solve(m, own->row_rank, own->row_gram, own->row_order, right, own->row_work,
                       own->impulse);
  for (int r = 0; r < m; r++) {
    own->impulse[r] *= own->row_size[r];
  }
  memset(sum, 0, (size_t)stepper->n * sizeof *sum);
  vida__add_reaction(system, stepper->entries0, 1.0, own->impulse, sum);
  for (int i = 0; i < stepper->n; i++) {
    largest = fmax(largest, fabs(a[i] - sum[i]) * stepper->inverse_root[i]);
  }
  return largest / motion;
}

/* ---- before a step --------------------------------------------------------------------------- */

/* The largest of |p| and h |force|, each over the root of its mass; 1 where nothing moves. */
static double measure_motion(const VidaStepper* stepper) {
  double motion = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    const double size = fabs(stepper->p[i]) + stepper->h * stepper->force_size[i];
    motion = fmax(motion, size * stepper->inverse_root[i]);
  }
  return motion > 0.0 ? motion : 1.0;
}

/* Extrapolation of the last unknowns, or the rate at the node, which is right to first order. */
static void guess_unknown(VidaStepper* stepper) {
  chart_state* own = stepper->own;
  double** past = stepper->history;
  const size_t bytes = (size_t)own->d * sizeof(double);
  if (stepper->history_count < 2 || own->turned) {
    if (stepper->history_count) {
      memcpy(own->rate, past[0], bytes);
      if (find_rate(stepper, vida__node_time(stepper), stepper->p)) {
        memcpy(own->rate, past[0], bytes);
      }
    }
    memcpy(stepper->unknown, own->rate, bytes);
    return;
  }
  for (int k = 0; k < own->d; k++) {
    stepper->unknown[k] = stepper->history_count == 2
                              ? 2.0 * past[0][k] - past[1][k]
                              : 3.0 * (past[0][k] - past[1][k]) + past[2][k];
  }
}

/* Where the line search starts: the rate at the node. */
static void guess_rate(void* data, double* u) {
  VidaStepper* stepper = data;
  chart_state* own = stepper->own;
  const size_t bytes = (size_t)own->d * sizeof *u;
  if (stepper->history_count) {
    memcpy(own->rate, stepper->history[0], bytes);
  }
  if (find_rate(stepper, vida__node_time(stepper), stepper->p) && stepper->history_count) {
    memcpy(own->rate, stepper->history[0], bytes);
  }
  memcpy(u, own->rate, bytes);
}

static int prepare(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  const int code =
      vida__jacobian(&stepper->evaluator, vida__node_time(stepper), stepper->q, stepper->entries0);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    own->base[i] = stepper->p[i] + stepper->p_low[i];
  }
  own->kappa = stepper->step == 0 ? 0.5 : 1.0;
  guess_unknown(stepper);
  const double motion = measure_motion(stepper);
  for (int k = 0; k < own->d; k++) {
    vida__map_set_size(stepper->map, k, motion * own->column_size[k], motion / own->column_size[k]);
  }
  return VIDA_SUCCESS;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* What the solver said, and the pole that is near, if one is. */
static int pass_failure(const VidaStepper* stepper, const VidaError* reason, VidaError* error) {
  const chart_state* own = stepper->own;
  double ratio;
  const int weakest = find_weakest(own, &ratio);
  char text[VIDA_REAL_TEXT_SIZE];
  if (ratio > 0.2) {
    return vida__fail_flag(error, reason->code, reason->flag, "%s", reason->message);
  }
  return vida__fail_flag(error, reason->code, reason->flag,
                         "%s; the chart is near a pole of its coordinate '%s', which moves things "
                         "by %s of what it did before",
                         reason->message, own->chart->coordinates[weakest].name,
                         vida__real_text(text, ratio, 2));
}

/* An embedding that does not solve the constraints is the user's mistake, and would go unseen. */
static int check_constraints(VidaStepper* stepper, double t, const double* q, VidaError* error) {
  const VidaSystem* system = stepper->system;
  const chart_state* own = stepper->own;
  char text[VIDA_REAL_TEXT_SIZE];
  const int code = vida__constraints(&stepper->evaluator, t, q, NULL, stepper->g_work);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int r = 0; r < stepper->m; r++) {
    if (fabs(stepper->g_work[r]) > on_manifold * stepper->value_size[r]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "the embedding of the chart violates constraint '%s' by %s (first chart "
                        "coordinate: '%s')",
                        system->rows[r].name, vida__real_text(text, stepper->g_work[r], 3),
                        own->chart->coordinates[0].name);
    }
  }
  return VIDA_SUCCESS;
}

/* From the solution s: x1 with its low part, q1 = phi(x1), J(x1); all of them work. */
static int find_next(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  VidaError* reason = &stepper->evaluator.error;
  int singular;
  memcpy(own->x1, own->x, (size_t)own->d * sizeof(double));
  memcpy(own->trial, own->x_low, (size_t)own->d * sizeof(double));
  for (int k = 0; k < own->d; k++) {
    vida__add_compensated(&own->x1[k], &own->trial[k], stepper->h * stepper->unknown[k]);
  }
  int code = vida__chart_value(&own->tapes, own->x1, own->position, reason);
  code = code ? code : vida__chart_jacobian(&own->tapes, own->x1, own->entries1, reason);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  measure_columns(stepper, own->entries1, &singular);
  if (singular >= 0) {
    return fail_singular(stepper, vida__next_time(stepper), singular, "ends", error);
  }
  return check_constraints(stepper, vida__next_time(stepper), own->position, error);
}

/* p += h L_q - G^T nu, and the multipliers. */
static int advance_momenta(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  double* reaction = stepper->node_step;
  for (int i = 0; i < stepper->n; i++) {
    own->bracket[i] = -own->bracket[i];
  }
  factor_rows(stepper);
  if (find_impulse(stepper, own->bracket, measure_motion(stepper), reaction) > on_manifold) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the chart of system '%s' does not cover its constraint manifold: there are "
                      "motions that the constraints allow and the chart does not (%d chart "
                      "coordinates, %d degrees of freedom)",
                      stepper->system->name, own->d, stepper->n - own->row_rank);
  }
  for (int i = 0; i < stepper->n; i++) {
    vida__add_compensated(&stepper->p[i], &stepper->p_low[i],
                          stepper->h * stepper->l_q[i] - reaction[i]);
  }
  for (int r = 0; r < stepper->m; r++) {
    stepper->lambda[r] = own->impulse[r] / (own->kappa * stepper->h);
  }
  stepper->lambda_t = vida__node_time(stepper);
  return VIDA_SUCCESS;
}

/* Whether a column of J has turned by more than about 0.3 rad. */
static bool turns_much(chart_state* own) {
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* change = own->right;
  double* size = own->work;
  memset(change, 0, (size_t)own->d * sizeof *change);
  memset(size, 0, (size_t)own->d * sizeof *size);
  for (int e = 0; e < matrix->count; e++) {
    const double difference = own->entries1[e] - own->entries[e];
    change[matrix->column[e]] += difference * difference;
    size[matrix->column[e]] += own->entries[e] * own->entries[e];
  }
  for (int k = 0; k < own->d; k++) {
    if (change[k] > 0.1 * size[k]) {
      return true;
    }
  }
  return false;
}

static int step(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  const size_t of_d = (size_t)own->d * sizeof(double);
  const size_t of_n = (size_t)stepper->n * sizeof(double);
  VidaError reason;
  int code = vida__solve_step(stepper, &reason);
  if (code) {
    return pass_failure(stepper, &reason, error);
  }
  code = evaluate_bracket(stepper, stepper->unknown);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  code = find_next(stepper, error);
  code = code ? code : advance_momenta(stepper, error);
  if (code) {
    return code;
  }
  own->turned = turns_much(own);
  memcpy(own->x, own->x1, of_d);
  memcpy(own->x_low, own->trial, of_d);
  memcpy(own->w, own->w_work, of_n);
  memcpy(stepper->q, own->position, of_n);
  double* before = own->entries;
  own->entries = own->entries1;
  own->entries1 = before;
  own->has_step = true;
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* bracket = target - phi(x); its weighted square, infinite where phi is not defined. */
static double measure_miss(VidaStepper* stepper, const double* x, const double* target) {
  chart_state* own = stepper->own;
  double sum = 0.0;
  if (vida__chart_value(&own->tapes, x, own->position, &stepper->evaluator.error)) {
    return INFINITY;
  }
  for (int i = 0; i < stepper->n; i++) {
    own->bracket[i] = target[i] - own->position[i];
    sum += own->weight[i] * own->bracket[i] * own->bracket[i];
  }
  return sum;
}

/* Coordinates count by their sizes at the target and where the search begins, not by masses: a
 * start is a start of the lightest part, too. */
static bool measure_weights(VidaStepper* stepper, const double* target) {
  chart_state* own = stepper->own;
  double largest = 0.0;
  if (vida__chart_value(&own->tapes, own->trial, own->position, &stepper->evaluator.error)) {
    return false;
  }
  for (int i = 0; i < stepper->n; i++) {
    own->weight[i] = fabs(target[i]) + fabs(own->position[i]);
    largest = fmax(largest, own->weight[i]);
  }
  for (int i = 0; i < stepper->n; i++) {
    const double size = own->weight[i] > 0.0 ? own->weight[i] : largest;
    own->weight[i] = size > 0.0 ? 1.0 / (size * size) : 1.0;
  }
  return true;
}

/* The direction of Gauss and Newton in `solution`, with J in entries1; a chart coordinate without
 * effect here keeps its place. */
static void find_direction(VidaStepper* stepper) {
  chart_state* own = stepper->own;
  fill_gram(stepper, own->weight, own->entries1);
  const int rank = factor_gram(own, own->rate);
  for (int i = 0; i < stepper->n; i++) {
    own->w_work[i] = own->bracket[i] * own->weight[i];
  }
  vida__chart_pull(own->chart, own->entries1, own->w_work, own->right);
  solve_gram(own, rank, own->rate);
}

/* Gauss-Newton with halving from own->trial for phi(x) = target, until nothing improves. Returns
 * what is left, relative to the sizes of the coordinates. */
static double search_position(VidaStepper* stepper, const double* target) {
  chart_state* own = stepper->own;
  bool improves = measure_weights(stepper, target);
  double left = improves ? measure_miss(stepper, own->trial, target) : INFINITY;
  for (int k = 0; k < MOST_SEARCH_STEPS && improves && left > 0.0; k++) {
    if (vida__chart_jacobian(&own->tapes, own->trial, own->entries1, &stepper->evaluator.error)) {
      return INFINITY;
    }
    find_direction(stepper);
    improves = false;
    double part = 1.0;
    for (int i = 0; i < MOST_HALVINGS && !improves; i++, part *= 0.5) {
      for (int j = 0; j < own->d; j++) {
        own->x1[j] = own->trial[j] + part * own->solution[j];
      }
      const double miss = measure_miss(stepper, own->x1, target);
      improves = miss < left;
      left = improves ? miss : left;
    }
    if (improves) {
      memcpy(own->trial, own->x1, (size_t)own->d * sizeof(double));
    }
    /* `bracket` is that of own->trial again */
    measure_miss(stepper, own->trial, target);
  }
  return sqrt(left);
}

/* x with phi(x) = q: from `near`, or from where the chart was before. */
static int find_position(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  const size_t bytes = (size_t)own->d * sizeof(double);
  int worst = 0;
  char miss[VIDA_REAL_TEXT_SIZE];
  for (int k = 0; k < own->d; k++) {
    own->trial[k] = own->chart->coordinates[k].near;
  }
  double left = search_position(stepper, stepper->q);
  if (!(left <= on_manifold) && own->has_position) {
    memcpy(own->trial, own->x, bytes);
    left = search_position(stepper, stepper->q);
  }
  if (!isfinite(left)) {
    return vida__fail(error, VIDA_INCONSISTENT_START,
                      "the chart of system '%s' is not defined where the search for its start "
                      "begins: %s",
                      stepper->system->name, stepper->evaluator.error.message);
  }
  measure_miss(stepper, own->trial, stepper->q);
  for (int i = 0; i < stepper->n; i++) {
    worst = fabs(own->bracket[i]) > fabs(own->bracket[worst]) ? i : worst;
  }
  if (!(left <= on_manifold)) {
    return vida__fail(
        error, VIDA_INCONSISTENT_START,
        "the chart of system '%s' does not reach the start: at the nearest point that "
        "was found, coordinate '%s' misses its position by %s; give `near` closer to "
        "it",
        stepper->system->name, stepper->system->coordinates[worst].name,
        vida__real_text(miss, own->bracket[worst], 3));
  }
  memcpy(own->x, own->trial, bytes);
  memset(own->x_low, 0, bytes);
  memcpy(stepper->q, own->position, (size_t)stepper->n * sizeof(double));
  own->has_position = true;
  return VIDA_SUCCESS;
}

/* G J = 0, column by column. */
static int check_tangents(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  const VidaSystem* system = stepper->system;
  double* direction = own->trial;
  double* size = own->row_work;
  for (int k = 0; k < own->d; k++) {
    memset(direction, 0, (size_t)own->d * sizeof *direction);
    memset(size, 0, (size_t)stepper->m * sizeof *size);
    memset(stepper->g_work, 0, (size_t)stepper->m * sizeof(double));
    direction[k] = 1.0;
    vida__chart_push(own->chart, own->entries, direction, own->w_work);
    vida__add_constraint_velocity(system, stepper->entries0, 1.0, own->w_work, stepper->g_work);
    for (int e = 0; e < system->entry_count; e++) {
      size[system->entries[e].row] +=
          fabs(stepper->entries0[e] * own->w_work[system->entries[e].coordinate]);
    }
    for (int r = 0; r < stepper->m; r++) {
      if (fabs(stepper->g_work[r]) > on_manifold * size[r]) {
        return vida__fail(
            error, VIDA_BAD_ARGUMENT,
            "the embedding of the chart does not solve constraint '%s', which changes "
            "with chart coordinate '%s'",
            system->rows[r].name, own->chart->coordinates[k].name);
      }
    }
  }
  return VIDA_SUCCESS;
}

/* A chart coordinate that moves no coordinate by more than rounding of what others move it by; -1:
 * none. There is no earlier size to compare it with. */
static int find_vanished(VidaStepper* stepper) {
  chart_state* own = stepper->own;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* largest = own->w_work;
  bool moves = false;
  memset(largest, 0, (size_t)stepper->n * sizeof *largest);
  for (int e = 0; e < matrix->count; e++) {
    largest[matrix->row[e]] = fmax(largest[matrix->row[e]], fabs(own->entries[e]));
  }
  for (int k = 0; k < own->d; k++, moves = false) {
    for (int e = 0; e < matrix->count; e++) {
      moves = moves || (matrix->column[e] == k &&
                        fabs(own->entries[e]) > rounding * largest[matrix->row[e]]);
    }
    if (!moves) {
      return k;
    }
  }
  return -1;
}

/* Rank of J, G J = 0, and as many chart coordinates as degrees of freedom. */
static int check_chart(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  int singular;
  measure_columns(stepper, own->entries, &singular);
  if (singular < 0) {
    singular = find_vanished(stepper);
  }
  if (singular >= 0) {
    return fail_singular(stepper, stepper->t0, singular, "is singular", error);
  }
  const int code = check_tangents(stepper, error);
  if (code) {
    return code;
  }
  factor_rows(stepper);
  if (own->d + own->row_rank != stepper->n) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d degrees of freedom, but its chart has %d coordinates",
                      stepper->system->name, stepper->n - own->row_rank, own->d);
  }
  return VIDA_SUCCESS;
}

/* The rate with J rate = v0. Uses the factors that measure_columns has left. */
static int find_start_rate(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* size = own->bracket;
  double speed = 0.0;
  char miss[VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < stepper->n; i++) {
    own->w_work[i] = stepper->v0[i] * own->mass[i];
    size[i] = fabs(stepper->v0[i]);
    speed = fmax(speed, size[i]);
  }
  vida__chart_pull(own->chart, own->entries, own->w_work, own->right);
  solve_gram(own, own->d, own->column_size);
  memcpy(own->rate, own->solution, (size_t)own->d * sizeof(double));
  vida__chart_push(own->chart, own->entries, own->rate, own->w_work);
  for (int e = 0; e < matrix->count; e++) {
    size[matrix->row[e]] += fabs(own->entries[e] * own->rate[matrix->column[e]]);
  }
  for (int i = 0; i < stepper->n; i++) {
    const double left = stepper->v0[i] - own->w_work[i];
    if (fabs(left) > on_manifold * size[i] + rounding * speed) {
      return vida__fail(error, VIDA_INCONSISTENT_START,
                        "the initial velocity of '%s' is not one of the chart: %s of it has no "
                        "chart rate",
                        stepper->system->coordinates[i].name, vida__real_text(miss, left, 3));
    }
  }
  memcpy(stepper->v0, own->w_work, (size_t)stepper->n * sizeof(double));
  return VIDA_SUCCESS;
}

static int start(VidaStepper* stepper, VidaError* error) {
  chart_state* own = stepper->own;
  own->has_step = false;
  own->turned = false;
  memset(own->largest_size, 0, (size_t)own->d * sizeof(double));
  for (int i = 0; i < stepper->n; i++) {
    own->mass[i] = stepper->root_mass[i] * stepper->root_mass[i];
  }
  int code = find_position(stepper, error);
  if (code) {
    return code;
  }
  code = vida__chart_jacobian(&own->tapes, own->x, own->entries, &stepper->evaluator.error);
  code =
      code ? code : vida__jacobian(&stepper->evaluator, stepper->t0, stepper->q, stepper->entries0);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  code = check_chart(stepper, error);
  code = code ? code : check_constraints(stepper, stepper->t0, stepper->q, error);
  code = code ? code : find_start_rate(stepper, error);
  if (code) {
    return code;
  }
  code = vida__gradient(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0, stepper->l_q,
                        stepper->l_v);
  memcpy(stepper->p, stepper->l_v, (size_t)stepper->n * sizeof(double));
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* ---- what can be asked ----------------------------------------------------------------------- */

/* The velocity at the node is that of the projection of del-midpoint: L_v - p has no part along the
 * manifold. */
static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  chart_state* own = stepper->own;
  if (stepper->step == 0) {
    memcpy(v, stepper->v0, (size_t)stepper->n * sizeof *v);
    return VIDA_SUCCESS;
  }
  memcpy(own->rate, stepper->history[0], (size_t)own->d * sizeof(double));
  const int code = find_rate(stepper, vida__node_time(stepper), stepper->p);
  if (code == VIDA_STEP_SINGULAR || code == VIDA_STEP_NOT_CONVERGED) {
    return vida__fail(
        error, code,
        "the velocities at a node could not be found from the momenta: the mass matrix "
        "of the chart is singular, or nearly so");
  }
  vida__chart_push(own->chart, own->entries, own->rate, v);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

static int energy(VidaStepper* stepper, double* value, double* t, VidaError* error) {
  const chart_state* own = stepper->own;
  const double* q = stepper->q;
  const double* v = own->w;
  int code = VIDA_SUCCESS;
  *t = vida__node_time(stepper);
  if (own->midpoint_energy && own->has_step) {
    for (int i = 0; i < stepper->n; i++) {
      stepper->place[i] = stepper->q[i] - 0.5 * stepper->h * own->w[i];
    }
    q = stepper->place;
    *t -= 0.5 * stepper->h;
  } else {
    code = vida__node_velocities(stepper, &v, error);
    if (code) {
      return code;
    }
  }
  code = vida__energy(&stepper->evaluator, *t, q, v, stepper->l_q, stepper->l_v, value);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static const char* name_of_row(const void* list, int row, const char** kind) {
  const vida_chart* chart = list;
  *kind = "chart coordinate";
  return chart->coordinates[row].name;
}

static int check_system(const VidaSystem* system, VidaError* error) {
  const vida_chart* chart = vida__chart_of(system);
  if (!chart) {
    return vida__fail(
        error, VIDA_NOT_SUPPORTED,
        "del-chart needs a chart, and system '%s' has none: give coordinates of its "
        "constraint manifold and the embedding, in Lua with system:chart { coordinates "
        "= { { \"theta\", near = 0.5 } }, embedding = function(theta) return { [bob] = "
        "{ ... } } end }, in C with VidaSystem_AddChart",
        system->name);
  }
  if (chart->rows != system->coordinate_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d coordinates, but its chart was given when it had %d: add "
                      "the chart last",
                      system->name, system->coordinate_count, chart->rows);
  }
  if (chart->count < system->coordinate_count - system->row_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d degrees of freedom (%d coordinates, %d constraints), but "
                      "its chart has %d coordinates",
                      system->name, system->coordinate_count - system->row_count,
                      system->coordinate_count, system->row_count, chart->count);
  }
  for (int r = 0; r < system->row_count; r++) {
    if (system->rows[r].is_nonholonomic) {
      return vida__fail(error, VIDA_NOT_SUPPORTED,
                        "del-chart takes holonomic constraints only, but '%s' is nonholonomic",
                        system->rows[r].name);
    }
  }
  return VIDA_SUCCESS;
}

static void fill_pattern(vida_pattern* pattern) {
  for (int column = 0; column < pattern->size; column++) {
    pattern->column_start[column] = (sunindextype)column * pattern->size;
    for (int row = 0; row < pattern->size; row++) {
      pattern->row[column * pattern->size + row] = row;
    }
  }
  pattern->column_start[pattern->size] = pattern->entries;
}

/* One block: the state, its arrays of numbers, then those of integers. */
static chart_state* allocate_state(const VidaStepper* stepper, const vida_chart* chart) {
  const size_t n = (size_t)stepper->n;
  const size_t d = (size_t)chart->count;
  const size_t entries = (size_t)chart->jacobian.count;
  const size_t tapes = vida__chart_work_size(chart);
  const size_t m = (size_t)stepper->m;
  const size_t numbers = tapes + 10 * d + 2 * entries + 7 * n + n * d + d * d + m * m + 3 * m;
  const size_t indices = d + 1 + d * d;
  chart_state* own = vida__allocate(1, sizeof *own + numbers * sizeof(double) +
                                           indices * sizeof(sunindextype) + (d + m) * sizeof(int));
  if (!own) {
    return NULL;
  }
  double* next = (double*)(own + 1);
  double** const of_d[] = {&own->x,     &own->x_low,       &own->x1,   &own->trial,
                           &own->right, &own->solution,    &own->work, &own->column_size,
                           &own->rate,  &own->largest_size};
  double** const of_n[] = {&own->base,   &own->w,    &own->w_work,  &own->bracket,
                           &own->weight, &own->mass, &own->position};
  for (size_t i = 0; i < sizeof of_d / sizeof of_d[0]; i++, next += d) {
    *of_d[i] = next;
  }
  for (size_t i = 0; i < sizeof of_n / sizeof of_n[0]; i++, next += n) {
    *of_n[i] = next;
  }
  own->entries = next;
  own->entries1 = own->entries + entries;
  own->product = own->entries1 + entries;
  own->row_gram = own->product + n * d;
  own->row_size = own->row_gram + m * m;
  own->impulse = own->row_size + m;
  own->row_work = own->impulse + m;
  own->gram = own->row_work + m;
  vida__chart_work_begin(chart, own->gram + d * d, &own->tapes);
  own->pattern.column_start = (sunindextype*)(own->gram + d * d + tapes);
  own->pattern.row = own->pattern.column_start + d + 1;
  own->order = (int*)(own->pattern.row + d * d);
  own->row_order = own->order + d;
  return own;
}

static int create(VidaStepper* stepper, VidaError* error) {
  const VidaSystem* system = stepper->system;
  const int code = check_system(system, error);
  if (code) {
    return code;
  }
  const vida_chart* chart = vida__chart_of(system);
  chart_state* own = allocate_state(stepper, chart);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->chart = chart;
  own->d = chart->count;
  own->pattern.size = chart->count;
  own->pattern.entries = chart->count * chart->count;
  fill_pattern(&own->pattern);
  own->midpoint_energy = VidaOptions_HasChoice(stepper->options, "energy", "midpoint");
  const vida_map_rows rows = {&own->pattern, &stepper->evaluator, name_of_row, chart};
  stepper->rows = rows;
  stepper->prepare = prepare;
  stepper->own = own;
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {"energy", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "nodal|midpoint",
     "Which energy is reported: at nodes with the nodal velocity, or in the middle of a step with "
     "(q1 - q0)/h (as in the papers)."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__del_chart = {
    {"del-chart", "discrete Euler-Lagrange equations in generalized coordinates",
     "Wendlandt and Marsden 1997, eq. 4.12",
     "Needs a chart of the constraint manifold. The steps are those of del-midpoint; the motion "
     "must "
     "stay away from the poles of the chart, and no chart coordinate may turn much in a step.",
     2,
     VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
         VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_GENERAL_LAGRANGIAN},
    options,
    {residual, jacobian, sizes, guess_rate},
    create,
    start,
    NULL,
    step,
    velocities,
    energy};
