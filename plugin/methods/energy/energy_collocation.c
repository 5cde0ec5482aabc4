/* energy-collocation: the energy exact, both levels of the constraints, of order 2 s.
 *
 * Energy-preserving collocation (Hairer 2010; the limit of Brugnano's and Iavernaro's Hamiltonian
 * boundary value methods) projects the right-hand side of Hamilton's equations on polynomials of
 * degree s - 1. Here it is applied to the function H + lambda g(q) + gamma f(q,v), f = G v, whose
 * multipliers are such polynomials, too. With Legendre polynomials P_j on [0,1], q' = sum_j A_j P_j
 * and h v' = sum_j b_j P_j, the equations for j = 0 .. s - 1 are
 *
 *     M A_j = int P_j (M v - G^T gamma)
 *     M b_j = int P_j (h (L_q - K^T gamma) - G^T mu),    mu = h lambda, K = f_q
 *     int P_j dg = 0,   int P_j df = 0
 *
 * and gamma is opposite in sign to that of H. The products of the first two with v' and q' leave
 * H1 - H0 = - sum of lambda_j int P_j dg and gamma_j int P_j df = 0. By parts, the constraints are
 * g = f = 0 at the end of the step, and, for j > 0, int P_j' g = int P_j' f = 0. Without gamma,
 * which is of the size of the error of a step, the positions would still have order 2 s, but the
 * velocities at nodes only s, and they would leave the hidden constraints.
 *
 * Integrals are sums over the points of Gauss' rule, the end of the step is one more point of
 * weight 0. The pairs (A_j, gamma_j) and (b_j, mu_j) have rows of the KKT pattern. All A_j and b_j
 * come before the multipliers: a column of gamma_j would otherwise find its pivot in the masses of
 * another A. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/energy/energy.h"
#include "methods/energy/legendre.h"

enum { MOST_PLACES = VIDA_MOST_POINTS + 2 + VIDA_MOST_POLYNOMIALS };

/* The polynomials at the points. */
typedef struct collocation_rule {
  int degree; /* s: the number of polynomials */
  int end;    /* the place of the end of the step, after the points of the rule */
  int places; /* with the points for the Newton matrix: s + 1 points suffice */
  double t[MOST_PLACES], w[MOST_PLACES];
  double value[MOST_PLACES][VIDA_MOST_POLYNOMIALS];           /* P_j */
  double integral[MOST_PLACES][VIDA_MOST_POLYNOMIALS];        /* of P_j from 0 */
  double test[MOST_PLACES][VIDA_MOST_POLYNOMIALS];            /* weights of g in int P_j dg */
  double mean[VIDA_MOST_POLYNOMIALS][VIDA_MOST_POLYNOMIALS];  /* int P_j (integral of P_l) */
  double ahead[VIDA_MOST_POLYNOMIALS][VIDA_MOST_POLYNOMIALS]; /* P_l(t + 1) = sum_j ahead P_j */
} collocation_rule;

typedef struct collocation_state {
  const VidaSystem* system;
  collocation_rule rule;
  vida_pattern pattern;
  bool has_last;     /* `unknown` is that of the last step */
  bool is_evaluated; /* the arrays by places belong to the unknowns `evaluated` */
  double* unknown;   /* size */
  double* evaluated; /* size */
  double* v0;        /* n: M^-1 p0 */
  /* By places. */
  double *mean, *change, *place, *v; /* n: (Q - q0) / h, Q - q0, Q, V */
  double* force;                     /* n: h L_q */
  double *gamma, *mu;                /* m */
  double *entries, *turned;          /* entries of G and of K */
  double* work;                      /* 2 (n + m) */
  double* kkt;                       /* values of the KKT pattern */
  size_t numbers;                    /* behind the state */
  int* upper; /* n + m: entries of a column of it above the constraint rows */
} collocation_state;

/* ---- unknowns -------------------------------------------------------------------------------- */

/* Where the unknowns, and the rows, of polynomial j begin. */
typedef struct collocation_offsets {
  int a, gamma, b, mu;
} collocation_offsets;

static collocation_offsets offsets_of(const VidaIntegration* self, int j) {
  const int degree = ((const collocation_state*)self->state)->rule.degree;
  const int n = self->model.n, m = self->model.m, multipliers = 2 * degree * n;
  return (collocation_offsets){.a = j * n,
                               .b = (degree + j) * n,
                               .gamma = multipliers + j * m,
                               .mu = multipliers + (degree + j) * m};
}

static int size_of(const VidaIntegration* self) {
  return ((const collocation_state*)self->state)->pattern.size;
}

static double time_of(const VidaIntegration* self, int place) {
  const collocation_rule* rule = &((const collocation_state*)self->state)->rule;
  return place == rule->end ? vida__next_time(self)
                            : vida__node_time(self) + rule->t[place] * self->node.h;
}

static double* entries_at(const VidaIntegration* self, double* entries, int place) {
  return entries + (size_t)place * (size_t)self->model.system->entry_count;
}

/* Adds weight[j] x_j to sum, for vectors x_j of `count` numbers. */
static void add_polynomials(const collocation_rule* rule, const double* weight, const double* x,
                            int count, double* sum) {
  for (int j = 0; j < rule->degree; j++) {
    for (int i = 0; i < count; i++) {
      sum[i] += weight[j] * x[j * count + i];
    }
  }
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static void find_state(VidaIntegration* self, int place, const double* u) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const collocation_offsets at = offsets_of(self, 0);
  const int n = self->model.n, m = self->model.m;
  double *mean = own->mean + place * n, *v = own->v + place * n;
  memset(mean, 0, (size_t)n * sizeof *mean);
  memcpy(v, own->v0, (size_t)n * sizeof *v);
  memset(own->gamma + place * m, 0, (size_t)m * sizeof *own->gamma);
  memset(own->mu + place * m, 0, (size_t)m * sizeof *own->mu);
  add_polynomials(rule, rule->integral[place], u + at.a, n, mean);
  add_polynomials(rule, rule->integral[place], u + at.b, n, v);
  add_polynomials(rule, rule->value[place], u + at.gamma, m, own->gamma + place * m);
  add_polynomials(rule, rule->value[place], u + at.mu, m, own->mu + place * m);
  for (int i = 0; i < n; i++) {
    own->change[place * n + i] = self->node.h * mean[i];
    own->place[place * n + i] = self->node.q[i] + own->change[place * n + i];
  }
}

/* Computes h L_q, without it at the end of the step. */
static int evaluate_force(VidaIntegration* self, int place) {
  const collocation_state* own = self->state;
  const int n = self->model.n;
  double* force = own->force + place * n;
  if (place >= own->rule.end) {
    return VIDA_SUCCESS;
  }
  const int code =
      vida__gradient(&self->model.evaluator, time_of(self, place), own->place + place * n,
                     own->v + place * n, force, self->work.l_v);
  for (int i = 0; i < n; i++) {
    force[i] *= self->node.h;
  }
  return code;
}

static int evaluate_place(VidaIntegration* self, int place, const double* u) {
  const collocation_state* own = self->state;
  const int n = self->model.n;
  const double t = time_of(self, place);
  const double *q = own->place + place * n, *v = own->v + place * n;
  find_state(self, place, u);
  int code = evaluate_force(self, place);
  if (self->model.m > 0) {
    code =
        code ? code
             : vida__jacobian(&self->model.evaluator, t, q, entries_at(self, own->entries, place));
    code = code ? code
                : vida__velocity_gradient(&self->model.evaluator, t, q, v,
                                          entries_at(self, own->turned, place));
  }
  return code;
}

/* The results of the last evaluation are kept for the matrix and the end of the step. */
static int evaluate(VidaIntegration* self, const double* u) {
  collocation_state* own = self->state;
  const size_t bytes = (size_t)size_of(self) * sizeof *u;
  if (own->is_evaluated && memcmp(own->evaluated, u, bytes) == 0) {
    return VIDA_SUCCESS;
  }
  own->is_evaluated = false;
  for (int place = 0; place <= own->rule.end; place++) {
    const int code = evaluate_place(self, place, u);
    if (code) {
      return code;
    }
  }
  memcpy(own->evaluated, u, bytes);
  own->is_evaluated = true;
  return VIDA_SUCCESS;
}

/* ---- the equations --------------------------------------------------------------------------- */

/* Adds the integrands of the rows of A_j and b_j at a point. */
static void add_integrands(VidaIntegration* self, int place, double* r) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, m = self->model.m;
  const double* entries = entries_at(self, own->entries, place);
  const double* force = own->force + place * n;
  double* reaction = own->work;
  memset(reaction, 0, (size_t)n * sizeof *reaction);
  vida__add_reaction(system, entries, 1.0, own->mu + place * m, reaction);
  vida__add_reaction(system, entries_at(self, own->turned, place), -self->node.h,
                     own->gamma + place * m, reaction);
  for (int j = 0; j < rule->degree; j++) {
    const double weight = rule->w[place] * rule->value[place][j];
    const collocation_offsets at = offsets_of(self, j);
    vida__add_reaction(system, entries, weight, own->gamma + place * m, r + at.a);
    for (int i = 0; i < n; i++) {
      r[at.b + i] += weight * (reaction[i] - force[i]);
    }
  }
}

/* Adds the constraints at a point, g / h and f, to their rows. */
static int add_constraints(VidaIntegration* self, int place, double* r) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const int n = self->model.n, m = self->model.m;
  const double t = time_of(self, place);
  double* rows = own->work;
  const vida_interval between = vida__interval(&self->model.evaluator, self->node.q,
                                               own->place + place * n, own->change + place * n);
  int code = vida__constraint_increment(&self->model.evaluator, t, &between, own->mean + place * n,
                                        self->node.h, self->implicit.g0, self->work.entries, rows);
  for (int j = 0; j < rule->degree; j++) {
    double* of_row = r + offsets_of(self, j).gamma;
    for (int k = 0; k < m; k++) {
      of_row[k] += rule->test[place][j] * (rows[k] + self->implicit.g0[k] / self->node.h);
    }
  }
  code = code ? code
              : vida__velocity_residual(&self->model.evaluator, t, own->place + place * n,
                                        entries_at(self, own->entries, place), own->v + place * n,
                                        rows);
  for (int j = 0; j < rule->degree; j++) {
    double* of_row = r + offsets_of(self, j).mu;
    for (int k = 0; k < m; k++) {
      of_row[k] += rule->test[place][j] * rows[k];
    }
  }
  return code;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const int n = self->model.n, m = self->model.m;
  double* rest = own->work;
  int code = evaluate(self, u);
  memset(r, 0, (size_t)size_of(self) * sizeof *r);
  for (int j = 0; j < rule->degree && !code; j++) {
    const collocation_offsets at = offsets_of(self, j);
    memset(rest, 0, (size_t)n * sizeof *rest);
    add_polynomials(rule, rule->mean[j], u + offsets_of(self, 0).b, n, rest);
    for (int i = 0; i < n; i++) {
      rest[i] = u[at.a + i] - rest[i] - (j == 0 ? own->v0[i] : 0.0);
    }
    code = vida__apply_mass(self, rest, r + at.a);
    code = code ? code : vida__apply_mass(self, u + at.b, r + at.b);
  }
  for (int place = 0; place <= rule->end && !code; place++) {
    if (place < rule->end) {
      add_integrands(self, place, r);
    }
    code = m > 0 ? add_constraints(self, place, r) : VIDA_SUCCESS;
  }
  return code;
}

/* ---- the Newton matrix ----------------------------------------------------------------------- */

/* The block of the rows of polynomial j and the unknowns of polynomial l, in the halves `down` and
 * `right`, and the weights of the three parts of a KKT matrix in it. */
typedef struct collocation_block {
  int j, l, down, right;
  double inner, columns, rows;
} collocation_block;

/* Returns the column of the matrix that has a column of the KKT pattern for the block. */
static int column_of(const VidaIntegration* self, collocation_block block, int column) {
  const int degree = ((const collocation_state*)self->state)->rule.degree;
  const int n = self->model.n, m = self->model.m, pair = block.right * degree + block.l;
  return column < n ? pair * n + column : 2 * degree * n + pair * m + column - n;
}

/* Adds the values of the KKT pattern, with these weights, to the matrix. */
static void add_block(const VidaIntegration* self, collocation_block block, const double* values,
                      double* matrix) {
  const collocation_state* own = self->state;
  const vida_pattern* kkt = &self->model.system->pattern;
  const int pair = block.down * own->rule.degree + block.j;
  for (int column = 0; column < kkt->size; column++) {
    const sunindextype start = kkt->column_start[column];
    const sunindextype middle = own->upper[column];
    const sunindextype length = kkt->column_start[column + 1] - start;
    double* upper = matrix + own->pattern.column_start[column_of(self, block, column)];
    double* lower = upper + 2 * own->rule.degree * middle + pair * (length - middle);
    const double weight = column < self->model.n ? block.inner : block.columns;
    upper += pair * middle;
    for (sunindextype e = 0; e < middle; e++) {
      upper[e] += weight * values[start + e];
    }
    for (sunindextype e = middle; e < length; e++) {
      lower[e - middle] += block.rows * values[start + e];
    }
  }
}

/* Adds the KKT values of a point to the blocks of all pairs of polynomials. `step` multiplies the
 * derivatives of the inner part and of the rows, which belong to positions or velocities. */
static void add_place(const VidaIntegration* self, int place, int down, int right, double step,
                      const double* values, double* matrix) {
  const collocation_rule* rule = &((const collocation_state*)self->state)->rule;
  for (int j = 0; j < rule->degree; j++) {
    for (int l = 0; l < rule->degree; l++) {
      const double weight = rule->w[place] * rule->value[place][j];
      add_block(self,
                (collocation_block){j, l, down, right, weight * step * rule->integral[place][l],
                                    weight * rule->value[place][l],
                                    rule->test[place][j] * rule->integral[place][l]},
                values, matrix);
    }
  }
}

static void clear_kkt(const VidaIntegration* self) {
  const collocation_state* own = self->state;
  memset(own->kkt, 0, (size_t)self->model.system->pattern.entries * sizeof *own->kkt);
}

/* What a point adds to the blocks of two halves: second derivatives of L and of constraints, and
 * entries in the columns of multipliers and in the rows of constraints. */
typedef struct collocation_part {
  int down, right;
  double step; /* factor of derivatives by positions (h) or velocities (1) */
  vida_hessian_weights hessian;
  bool has_hessian;
  const double* multipliers;
  double curvature; /* factor of multipliers . g_qq */
  const double* entries;
  double columns, rows; /* their factors */
} collocation_part;

static int add_part(VidaIntegration* self, int place, collocation_part part, double* matrix) {
  const collocation_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double t = time_of(self, place);
  const double *q = own->place + place * self->model.n, *v = own->v + place * self->model.n;
  const bool has_weight = place != own->rule.end;
  int code = VIDA_SUCCESS;
  clear_kkt(self);
  if (has_weight && part.has_hessian) {
    code = vida__add_hessian(&self->model.evaluator, t, q, v, part.hessian, own->kkt);
  }
  if (!code && has_weight && self->model.m > 0) {
    code = vida__add_curvature(&self->model.evaluator, t, q, part.curvature, part.multipliers,
                               own->kkt);
  }
  vida__add_columns(system, part.entries, part.columns, own->kkt);
  vida__add_rows(system, part.entries, part.rows, own->kkt);
  add_place(self, place, part.down, part.right, part.step, own->kkt, matrix);
  return code;
}

/* Third derivatives of g, times gamma, are left out. */
static int fill_place(VidaIntegration* self, int place, double* matrix) {
  const collocation_state* own = self->state;
  const double h = self->node.h;
  const double* gamma = own->gamma + place * self->model.m;
  const double* mu = own->mu + place * self->model.m;
  const double* entries = entries_at(self, own->entries, place);
  const double* turned = entries_at(self, own->turned, place);
  const collocation_part first = {.step = h,
                                  .multipliers = gamma,
                                  .curvature = 1.0,
                                  .entries = entries,
                                  .columns = 1.0,
                                  .rows = 1.0};
  const collocation_part mixed = {.down = 1,
                                  .step = h,
                                  .hessian = {-h, 0.0, 0.0, 0.0},
                                  .has_hessian = true,
                                  .multipliers = mu,
                                  .curvature = 1.0,
                                  .entries = turned,
                                  .columns = -h,
                                  .rows = h};
  const collocation_part second = {.down = 1,
                                   .right = 1,
                                   .step = 1.0,
                                   .hessian = {0.0, -h, 0.0, 0.0},
                                   .has_hessian = self->model.system->has_forces,
                                   .multipliers = gamma,
                                   .curvature = -h,
                                   .entries = entries,
                                   .columns = 1.0,
                                   .rows = 1.0};
  int code = add_part(self, place, first, matrix);
  code = code ? code : add_part(self, place, mixed, matrix);
  return code ? code : add_part(self, place, second, matrix);
}

/* The masses, and the diagonals of dependent rows. */
static int fill_masses(VidaIntegration* self, double* matrix) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const vida_hessian_weights vv = {0.0, 0.0, 0.0, 1.0};
  clear_kkt(self);
  const int code =
      vida__add_hessian_of(&self->model.evaluator, VIDA_PART_KINETIC, vida__node_time(self),
                           self->node.q, self->node.v, vv, own->kkt);
  for (int j = 0; j < rule->degree; j++) {
    for (int l = 0; l < rule->degree; l++) {
      add_block(self, (collocation_block){j, l, 0, 1, -rule->mean[j][l], 0.0, 0.0}, own->kkt,
                matrix);
    }
  }
  vida__subtract_redundancy(self, own->kkt);
  for (int j = 0; j < rule->degree; j++) {
    add_block(self, (collocation_block){j, j, 0, 0, 1.0, 1.0, 1.0}, own->kkt, matrix);
    add_block(self, (collocation_block){j, j, 1, 1, 1.0, 1.0, 1.0}, own->kkt, matrix);
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const collocation_state* own = self->state;
  int code = evaluate(self, u);
  code = code ? code : fill_masses(self, matrix);
  for (int place = own->rule.end; place < own->rule.places && !code; place++) {
    code = place > own->rule.end ? evaluate_place(self, place, u) : VIDA_SUCCESS;
    code = code ? code : fill_place(self, place, matrix);
  }
  return code;
}

/* ---- sizes and guesses ----------------------------------------------------------------------- */

/* The sizes of rows with the largest multipliers and velocities of all polynomials. */
static void sizes(void* data, const double* u, double* size) {
  VidaIntegration* self = data;
  const collocation_state* own = self->state;
  const int n = self->model.n, m = self->model.m, half = n + m;
  double *largest = own->work, *sizes_of_step = own->work + half;
  memset(largest, 0, (size_t)half * sizeof *largest);
  for (int j = 0; j < own->rule.degree; j++) {
    const collocation_offsets at = offsets_of(self, j);
    for (int i = 0; i < n; i++) {
      largest[i] = fmax(largest[i], fabs(u[at.a + i]));
    }
    for (int k = 0; k < m; k++) {
      largest[n + k] = fmax(largest[n + k], fmax(fabs(u[at.mu + k]), fabs(u[at.gamma + k])));
    }
  }
  vida__step_sizes(self, largest, sizes_of_step);
  for (int k = 0; k < 2 * own->rule.degree; k++) {
    memcpy(size + k * n, sizes_of_step, (size_t)n * sizeof *size);
    memcpy(size + 2 * own->rule.degree * n + k * m, sizes_of_step + n, (size_t)m * sizeof *size);
  }
}

/* The velocities v0 + sum of b_j, without multipliers. */
static void find_velocities(const VidaIntegration* self, double* u) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const int n = self->model.n;
  for (int j = 0; j < rule->degree; j++) {
    double* a = u + offsets_of(self, j).a;
    memset(a, 0, (size_t)n * sizeof *a);
    add_polynomials(rule, rule->mean[j], u + offsets_of(self, 0).b, n, a);
    for (int i = 0; i < n && j == 0; i++) {
      a[i] += own->v0[i];
    }
  }
}

static void guess_free_flight(void* data, double* u) {
  VidaIntegration* self = data;
  memset(u, 0, (size_t)size_of(self) * sizeof *u);
  find_velocities(self, u);
}

/* Extrapolates the polynomials of the last step. */
static void extrapolate(VidaIntegration* self, double* u) {
  collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const collocation_offsets from = offsets_of(self, 0);
  const int n = self->model.n, m = self->model.m;
  memcpy(own->evaluated, u, (size_t)size_of(self) * sizeof *u);
  memset(u, 0, (size_t)size_of(self) * sizeof *u);
  for (int j = 0; j < rule->degree; j++) {
    const collocation_offsets at = offsets_of(self, j);
    add_polynomials(rule, rule->ahead[j], own->evaluated + from.b, n, u + at.b);
    add_polynomials(rule, rule->ahead[j], own->evaluated + from.gamma, m, u + at.gamma);
    add_polynomials(rule, rule->ahead[j], own->evaluated + from.mu, m, u + at.mu);
  }
  find_velocities(self, u);
}

static void set_scales(VidaIntegration* self, double motion) {
  const collocation_state* own = self->state;
  vida_map* map = self->implicit.map;
  for (int j = 0; j < own->rule.degree; j++) {
    const collocation_offsets at = offsets_of(self, j);
    for (int i = 0; i < self->model.n; i++) {
      const double root = self->model.matrix_root[i];
      vida__map_set_size(map, at.a + i, motion * root, motion / root);
      vida__map_set_size(map, at.b + i, motion * root, motion / root);
    }
    for (int k = 0; k < self->model.m; k++) {
      const double stiffness = self->model.matrix_stiffness[k];
      vida__map_set_size(map, at.gamma + k, vida__constraint_size(self, k, motion),
                         motion / stiffness);
      vida__map_set_size(map, at.mu + k, motion * stiffness, motion / stiffness);
    }
  }
}

static int prepare(VidaIntegration* self, VidaError* error) {
  collocation_state* own = self->state;
  int code = vida__prepare_node(self, error);
  if (code) {
    return code;
  }
  for (int i = 0; i < self->model.n; i++) {
    own->v0[i] = self->node.p[i] + self->node.p_low[i];
  }
  code = vida__solve_mass(self, own->v0, own->v0);
  own->is_evaluated = false;
  /* The undetermined part of the multipliers of dependent constraints would grow. */
  if (own->has_last && !self->model.redundant) {
    extrapolate(self, own->unknown);
  } else {
    guess_free_flight(self, own->unknown);
  }
  const double motion = vida__measure_motion(self);
  if (motion >= 2.0 * self->implicit.scaled_for || 2.0 * motion <= self->implicit.scaled_for) {
    self->implicit.scaled_for = motion;
    set_scales(self, motion);
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* ---- a step ---------------------------------------------------------------------------------- */

static int start(VidaIntegration* self, VidaError* error) {
  ((collocation_state*)self->state)->has_last = false;
  return vida__energy_start(self, error);
}

/* Adds the increments of the momenta. Impulses are added term by term, so that equal and opposite
 * ones leave no rounding in the momentum maps. */
static void advance_momenta(VidaIntegration* self) {
  const collocation_state* own = self->state;
  const collocation_rule* rule = &own->rule;
  const int n = self->model.n, m = self->model.m;
  for (int place = 0; place < rule->end; place++) {
    const double weight = rule->w[place];
    double* change = own->work;
    memset(change, 0, (size_t)n * sizeof *change);
    vida__add_reaction(self->model.system, entries_at(self, own->turned, place),
                       weight * self->node.h, own->gamma + place * m, change);
    for (int i = 0; i < n; i++) {
      change[i] += weight * own->force[place * n + i];
      vida__add_compensated(&self->node.p[i], &self->node.p_low[i], change[i]);
    }
    vida__add_impulses(self, entries_at(self, own->entries, place), -weight, own->mu + place * m);
  }
}

static int step(VidaIntegration* self, VidaError* error) {
  collocation_state* own = self->state;
  own->has_last = false;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  code = evaluate(self, own->unknown);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  advance_momenta(self);
  vida__advance_positions(self, own->unknown + offsets_of(self, 0).a);
  vida__forget_constraints(self); /* those of the frame are rows of other maps */
  own->has_last = true;
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static void find_tables(collocation_rule* rule) {
  const int end = rule->end;
  double slope[VIDA_MOST_POLYNOMIALS], later[VIDA_MOST_POLYNOMIALS];
  vida__gauss_points(end, rule->t, rule->w);
  rule->t[end] = 1.0;
  vida__gauss_points(rule->places - end - 1, rule->t + end + 1, rule->w + end + 1);
  for (int place = 0; place < rule->places; place++) {
    const double t = rule->t[place], w = rule->w[place];
    vida__legendre(rule->degree, t, rule->value[place], slope, rule->integral[place]);
    vida__legendre(rule->degree, t + 1.0, later, NULL, NULL);
    for (int j = 0; j < rule->degree; j++) {
      rule->test[place][j] = place == end ? rule->value[place][j] : -w * slope[j];
      for (int l = 0; l < rule->degree && place < end; l++) {
        rule->mean[j][l] += w * rule->value[place][j] * rule->integral[place][l];
        rule->ahead[j][l] += w * rule->value[place][j] * later[l];
      }
    }
  }
}

static const char* name_row(const void* list, int row, const char** kind) {
  const collocation_state* own = list;
  const VidaSystem* system = own->system;
  const int n = system->coordinate_count, m = system->row_count;
  const int first = row - 2 * own->rule.degree * n;
  *kind = first < 0                      ? "coordinate"
          : first < own->rule.degree * m ? "constraint"
                                         : "hidden constraint";
  return first < 0 ? system->coordinates[row % n].name : system->rows[first % m].name;
}

static sunindextype* put_rows(const sunindextype* from, int count, int first, sunindextype* next) {
  for (int e = 0; e < count; e++) {
    *next++ = first + from[e];
  }
  return next;
}

/* Fills the pattern in the order of add_block: in each column, the rows of all A and b, then those
 * of all multipliers. */
static void fill_pattern(const VidaIntegration* self, collocation_state* own) {
  const vida_pattern* kkt = &self->model.system->pattern;
  const int n = self->model.n, m = self->model.m, pairs = 2 * own->rule.degree;
  sunindextype* next = own->pattern.row;
  for (int column = 0; column < own->pattern.size; column++) {
    const int j = column < pairs * n ? column % n : n + (column - pairs * n) % m;
    const sunindextype* rows = kkt->row + kkt->column_start[j];
    const int upper = own->upper[j];
    const int lower = (int)(kkt->column_start[j + 1] - kkt->column_start[j]) - upper;
    own->pattern.column_start[column] = next - own->pattern.row;
    for (int pair = 0; pair < pairs; pair++) {
      next = put_rows(rows, upper, pair * n, next);
    }
    for (int pair = 0; pair < pairs; pair++) {
      next = put_rows(rows + upper, lower, pairs * n + pair * m - n, next);
    }
  }
  own->pattern.column_start[own->pattern.size] = next - own->pattern.row;
}

static collocation_state* allocate_state(const VidaIntegration* self, int places, size_t halves) {
  const VidaSystem* system = self->model.system;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m, count = (size_t)places;
  const size_t size = halves * (n + m), entries = (size_t)system->entry_count;
  const size_t kkt = (size_t)system->pattern.entries, all = halves * halves * kkt;
  const size_t numbers = 2 * size + n + 2 * (n + m) + kkt + count * (5 * n + 2 * m + 2 * entries);
  collocation_state* own =
      vida__allocate(1, sizeof *own + numbers * sizeof(double) +
                            (size + 1 + all) * sizeof(sunindextype) + (n + m) * sizeof(int));
  if (!own) {
    return NULL;
  }
  const vida_array arrays[] = {{&own->unknown, size},
                               {&own->evaluated, size},
                               {&own->v0, n},
                               {&own->work, 2 * (n + m)},
                               {&own->kkt, kkt},
                               {&own->mean, count * n},
                               {&own->change, count * n},
                               {&own->place, count * n},
                               {&own->v, count * n},
                               {&own->force, count * n},
                               {&own->gamma, count * m},
                               {&own->mu, count * m},
                               {&own->entries, count * entries},
                               {&own->turned, count * entries}};
  double* next = vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  own->numbers = numbers;
  own->pattern.column_start = (sunindextype*)next;
  own->pattern.row = own->pattern.column_start + size + 1;
  own->upper = (int*)(own->pattern.row + all);
  for (int column = 0; column < system->pattern.size; column++) {
    own->upper[column] =
        (int)(vida__first_constraint_entry(system, column) - system->pattern.column_start[column]);
  }
  own->pattern.size = (int)size;
  own->pattern.entries = (int)all;
  return own;
}

static int check(const VidaOptions* options, VidaError* error) {
  const int stages = (int)VidaOptions_Get(options, "stages");
  const int points = (int)VidaOptions_Get(options, "points");
  return points >= stages
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT, "%s: points = %d is less than stages = %d",
                          VidaOptions_Method(options), points, stages);
}

static int create(VidaIntegration* self, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const int degree = (int)VidaOptions_Get(self->options, "stages");
  const int points = (int)VidaOptions_Get(self->options, "points");
  const int places = points + 1 + degree + 1;
  const double entries = 4.0 * degree * degree * (double)system->pattern.entries;
  if (entries > (double)INT32_MAX) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "system '%s' is too large for %s with %d stages: the Newton matrix would "
                      "have more than %d entries",
                      system->name, self->method->info.name, degree, INT32_MAX);
  }
  collocation_state* own = allocate_state(self, places, 2 * (size_t)degree);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->system = system;
  own->rule.degree = degree;
  own->rule.end = points;
  own->rule.places = places;
  find_tables(&own->rule);
  fill_pattern(self, own);
  const vida_map_rows rows = {&own->pattern, &self->model.evaluator, name_row, own};
  self->implicit.rows = rows;
  self->implicit.prepare = prepare;
  self->implicit.unknown = own->unknown;
  self->reacts_between = true;
  vida__limit_turns(self, degree);
  self->state = own;
  return VIDA_SUCCESS;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  collocation_state* own = self->state;
  VidaRecord_Reals(record, own->unknown, own->numbers);
  VidaRecord_Flag(record, &own->has_last);
  VidaRecord_Flag(record, &own->is_evaluated);
}

/* ---- the method ------------------------------------------------------------------------------ */

static const VidaOptionRow options[] = {
    {"stages", VIDA_OPTION_INTEGER, "1", 2.0, 1.0, VIDA_MOST_POLYNOMIALS, false, NULL,
     "Number s of polynomials for velocities and multipliers; the order is 2 s."},
    {"points", VIDA_OPTION_INTEGER, "1", 8.0, 1.0, VIDA_MOST_POINTS, false, NULL,
     "Number of points of Gauss' rule for the integrals, at least `stages`. With p points, the "
     "error of the energy is of order 2 p; polynomials of degree 2 p / s are integrated exactly."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

static int order(const VidaOptions* chosen) {
  return 2 * (int)VidaOptions_Get(chosen, "stages");
}

const VidaMethod vida__energy_collocation = {
    .size = sizeof(VidaMethod),
    .info =
        {"energy-collocation", "energy exact, of order 2 s, both levels of the constraints",
         "Hairer 2010; Brugnano and Iavernaro 2012; multipliers as in Kinon, Betsch and "
         "Schneider 2023",
         "Constant mass matrices; constraints that do not depend on time. Linear momenta are "
         "exact, angular momenta of order 2 s. The energy is exact where the integrals are: "
         "steps that meet a narrow potential need more points. A rod should turn by less than "
         "1 rad in a step; steps far above that, which may have other solutions than the motion, "
         "end the run.",
         4,
         VIDA_CAN_ENERGY | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL |
             VIDA_CAN_CONSTANT_MASS},
    .options = options,
    .equations = {residual, jacobian, sizes, guess_free_flight},
    .check = check,
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = vida__energy_velocities,
    .energy = vida__energy_at_node,
    .multipliers = vida__node_multipliers,
    .order = order};
