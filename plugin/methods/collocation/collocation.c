/* Partitioned Runge-Kutta methods for L(q,v,t) in position-momentum form: the equations of a step,
 * their Newton matrix by blocks of stages, and guesses from the steps before. */
#include "methods/collocation/collocation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/constraints/rank.h"

/* A prediction whose error exceeded this fraction of the motion is not used. */
static const double trusted = 0.3;

int vida__stage_offset(const VidaIntegration* self, int stage) {
  const vida_collocation* own = self->state;
  return (own->rule.stages - 1 - stage) * (self->model.n + self->model.m);
}

int vida__multiplier_offset(const VidaIntegration* self, int stage) {
  return vida__stage_offset(self, stage + 1) + self->model.n;
}

static double stage_time(const VidaIntegration* self, int stage) {
  const vida_collocation* own = self->state;
  const double c = own->rule.c[stage];
  return c == 1.0 ? vida__next_time(self) : vida__node_time(self) + c * self->node.h;
}

/* Returns whether the equations contain the multiplier of a stage. */
static bool has_multiplier(const VidaIntegration* self, int stage) {
  const vida_collocation* own = self->state;
  return self->model.m > 0 && stage < own->rule.stages - 1;
}

static double* entries_of(const VidaIntegration* self, int stage) {
  const vida_collocation* own = self->state;
  return own->entries + (size_t)stage * (size_t)self->model.system->entry_count;
}

/* ---- the equations of a step ----------------------------------------------------------------- */

static void find_places(VidaIntegration* self, const double* u) {
  vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const int n = self->model.n;
  memset(own->mean, 0, (size_t)(rule->stages * n) * sizeof *own->mean);
  for (int i = 0; i < rule->stages; i++) {
    double* mean = own->mean + i * n;
    for (int j = rule->first; j < rule->stages; j++) {
      const double* x = u + vida__stage_offset(self, j);
      const double weight = rule->alpha[i][j];
      for (int k = 0; k < n && weight != 0.0; k++) {
        mean[k] += weight * x[k];
      }
    }
    for (int k = 0; k < n; k++) {
      own->change[i * n + k] = self->node.h * mean[k];
      own->place[i * n + k] = self->node.q[k] + own->change[i * n + k];
    }
  }
}

/* Computes push = h L_q and l_v of one stage, with G in `entries`. */
static int evaluate_gradient(VidaIntegration* self, int stage, const double* u,
                             const double* entries) {
  vida_collocation* own = self->state;
  const double t = stage_time(self, stage);
  const double* place = own->place + stage * self->model.n;
  const double* v = u + vida__stage_offset(self, stage);
  double* push = own->push + stage * self->model.n;
  double* l_v = own->l_v + stage * self->model.n;
  if (stage < own->rule.first) {
    memcpy(push, own->node_push, (size_t)self->model.n * sizeof *push);
    return VIDA_SUCCESS;
  }
  int code = vida__gradient(&self->model.evaluator, t, place, v, push, l_v);
  if (!code && own->has_weights) {
    code = vida__add_weights(self, t, place, v, entries, push, l_v);
  }
  for (int k = 0; k < self->model.n; k++) {
    push[k] *= self->node.h;
  }
  return code;
}

/* Computes push = h L_q - G^T mu of one stage, its l_v and G. */
static int evaluate_stage(VidaIntegration* self, int stage, const double* u) {
  vida_collocation* own = self->state;
  double* entries = entries_of(self, stage);
  int code = VIDA_SUCCESS;
  if (self->model.m > 0 && stage == 0) {
    memcpy(entries, self->implicit.entries0,
           (size_t)self->model.system->entry_count * sizeof *entries);
  } else if (self->model.m > 0) {
    code = vida__jacobian(&self->model.evaluator, stage_time(self, stage),
                          own->place + stage * self->model.n, entries);
  }
  code = code ? code : evaluate_gradient(self, stage, u, entries);
  if (!code && self->model.system->nonholonomic) {
    code = vida__nonholonomic(
        &self->model.evaluator, stage_time(self, stage), own->place + stage * self->model.n,
        u + vida__stage_offset(self, stage), own->rate + stage * self->model.m);
  }
  if (!code && has_multiplier(self, stage)) {
    vida__add_reaction(self->model.system, entries, -1.0, u + vida__multiplier_offset(self, stage),
                       own->push + stage * self->model.n);
  }
  return code;
}

/* The results of the last evaluation are kept, because the matrix and the end of a step need them
 * again. */
static int evaluate_stages(VidaIntegration* self, const double* u) {
  vida_collocation* own = self->state;
  const size_t bytes = (size_t)own->size * sizeof *u;
  if (own->is_evaluated && memcmp(own->evaluated, u, bytes) == 0) {
    return VIDA_SUCCESS;
  }
  own->is_evaluated = false;
  find_places(self, u);
  for (int i = 0; i < own->rule.stages; i++) {
    const int code = evaluate_stage(self, i, u);
    if (code) {
      return code;
    }
  }
  memcpy(own->evaluated, u, bytes);
  own->is_evaluated = true;
  return VIDA_SUCCESS;
}

/* Computes g / h at a stage. */
static int constraint_rows(VidaIntegration* self, int stage, double* rows) {
  vida_collocation* own = self->state;
  const int at = stage * self->model.n;
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, own->place + at, own->change + at);
  const int code = vida__constraint_increment(&self->model.evaluator, stage_time(self, stage),
                                              &between, own->mean + at, self->node.h,
                                              self->implicit.g0, self->work.entries, rows);
  for (int r = 0; r < self->model.m; r++) {
    rows[r] += self->implicit.g0[r] / self->node.h;
  }
  return code;
}

/* Replaces nonholonomic rows by sum_j alpha_ij (A V + b)_j. */
static void put_nonholonomic_rows(const VidaIntegration* self, int stage, double* rows) {
  const vida_collocation* own = self->state;
  const VidaSystem* system = self->model.system;
  for (int r = 0; r < self->model.m && system->nonholonomic; r++) {
    double sum = 0.0;
    for (int j = 0; j < own->rule.stages; j++) {
      sum += own->rule.alpha[stage][j] * own->rate[j * self->model.m + r];
    }
    rows[r] = system->rows[r].is_nonholonomic ? sum : rows[r];
  }
}

int vida__collocation_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const int n = self->model.n;
  int code = evaluate_stages(self, u);
  for (int i = rule->first; i < rule->stages && !code; i++) {
    double* row = r + vida__stage_offset(self, i);
    for (int k = 0; k < n; k++) {
      row[k] = own->l_v[i * n + k] - rule->gamma[i] * own->base[k];
    }
    for (int j = 0; j < rule->stages; j++) {
      const double weight = rule->beta[i][j];
      const double* push = own->push + j * n;
      for (int k = 0; k < n && weight != 0.0; k++) {
        row[k] -= weight * push[k];
      }
    }
    if (self->model.m > 0 && i > 0) {
      code = constraint_rows(self, i, row + n);
      put_nonholonomic_rows(self, i, row + n);
    }
  }
  return code;
}

/* ---- the Newton matrix ----------------------------------------------------------------------- */

static int add_second_derivatives(VidaIntegration* self, int stage, const double* u) {
  vida_collocation* own = self->state;
  const VidaSystem* system = self->model.system;
  const size_t at = (size_t)stage * (size_t)system->pattern.entries;
  const vida_hessian_weights qq = {1.0, 0.0, 0.0, 0.0};
  const vida_hessian_weights qv = {0.0, 1.0, 0.0, 0.0};
  const vida_hessian_weights vq = {0.0, 0.0, 1.0, 0.0};
  const vida_hessian_weights vv = {0.0, 0.0, 0.0, 1.0};
  vida_evaluator* evaluator = &self->model.evaluator;
  const double t = stage_time(self, stage);
  const double* place = own->place + stage * self->model.n;
  const double* v = u + vida__stage_offset(self, stage);
  const bool moves = stage > 0 || !own->rule.starts_at_node;
  int code = vida__add_hessian(evaluator, t, place, v, vv, own->inner + at);
  if (!code && moves) {
    code = vida__add_hessian(evaluator, t, place, v, qq, own->outer + at);
  }
  if (!code && !system->separable) {
    code = vida__add_hessian(evaluator, t, place, v, vq, own->mixed_vq + at);
    code = code ? code : vida__add_hessian(evaluator, t, place, v, qv, own->mixed_qv + at);
  }
  if (!code && own->has_weights) {
    code = vida__add_weight_hessian(self, t, place, v, stage);
  }
  if (!code && moves && has_multiplier(self, stage)) {
    code = vida__add_curvature(evaluator, t, place, -1.0 / self->node.h,
                               u + vida__multiplier_offset(self, stage), own->outer + at);
  }
  return code;
}

/* Adds a_q of nonholonomic rows to the rows of `outer`, where the other rows have nothing. */
static int add_slopes(VidaIntegration* self, int stage, const double* u) {
  vida_collocation* own = self->state;
  const VidaSystem* system = self->model.system;
  memset(own->slopes, 0, (size_t)system->entry_count * sizeof *own->slopes);
  const int code = vida__nonholonomic_gradient(&self->model.evaluator, stage_time(self, stage),
                                               own->place + stage * self->model.n,
                                               u + vida__stage_offset(self, stage), own->slopes);
  vida__add_rows(system, own->slopes, 1.0,
                 own->outer + (size_t)stage * (size_t)system->pattern.entries);
  return code;
}

static int fill_stages(VidaIntegration* self, const double* u) {
  vida_collocation* own = self->state;
  const VidaSystem* system = self->model.system;
  const size_t entries = (size_t)system->pattern.entries;
  const size_t kinds = system->separable ? 2 : 4;
  memset(own->inner, 0, kinds * (size_t)own->rule.stages * entries * sizeof *own->inner);
  for (int i = 0; i < own->rule.stages; i++) {
    int code = i < own->rule.first ? VIDA_SUCCESS : add_second_derivatives(self, i, u);
    code = code || !system->nonholonomic ? code : add_slopes(self, i, u);
    if (code) {
      return code;
    }
    if (self->model.m > 0) {
      double* inner = own->inner + (size_t)i * entries;
      vida__add_columns(system, entries_of(self, i), 1.0, inner);
      vida__add_rows(system, entries_of(self, i), 1.0, inner);
    }
  }
  return VIDA_SUCCESS;
}

/* Adds the derivatives of the momentum rows i with respect to X_k in one column: entries from ..
 * end - 1 of the system's pattern. */
static double* put_column(const VidaIntegration* self, int i, int k, sunindextype from,
                          sunindextype end, double* next) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const size_t entries = (size_t)self->model.system->pattern.entries;
  const double h = self->node.h;
  const double* inner = own->inner + (size_t)i * entries;
  const sunindextype count = end - from;
  for (sunindextype e = 0; e < count; e++) {
    next[e] = i == k ? inner[from + e] : 0.0;
  }
  for (int j = 0; j < rule->stages; j++) {
    const double weight = h * h * rule->beta[i][j] * rule->alpha[j][k];
    const double* outer = own->outer + (size_t)j * entries + from;
    for (sunindextype e = 0; e < count && weight != 0.0; e++) {
      next[e] -= weight * outer[e];
    }
  }
  if (!self->model.system->separable) {
    const double* vq = own->mixed_vq + (size_t)i * entries + from;
    const double* qv = own->mixed_qv + (size_t)k * entries + from;
    for (sunindextype e = 0; e < count; e++) {
      next[e] += h * (rule->alpha[i][k] * vq[e] - rule->beta[i][k] * qv[e]);
    }
  }
  return next + count;
}

/* Returns the derivative of constraint row i with respect to X_k in one column: entry e of the
 * system's pattern. */
static double row_entry(const VidaIntegration* self, int i, int k, sunindextype e) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const VidaSystem* system = self->model.system;
  const size_t entries = (size_t)system->pattern.entries;
  const sunindextype row = system->pattern.row[e] - system->coordinate_count;
  if (!system->nonholonomic || !system->rows[row].is_nonholonomic) {
    return rule->alpha[i][k] * own->inner[(size_t)i * entries + (size_t)e];
  }
  double sum = rule->alpha[i][k] * own->inner[(size_t)k * entries + (size_t)e];
  for (int j = 0; j < rule->stages; j++) {
    sum += self->node.h * rule->alpha[i][j] * rule->alpha[j][k] *
           own->outer[(size_t)j * entries + (size_t)e];
  }
  return sum;
}

/* The columns of X_k: by stages, momentum rows and those of constraints. */
static double* put_velocities(const VidaIntegration* self, int k, double* next) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const vida_pattern* pattern = &self->model.system->pattern;
  for (int column = 0; column < self->model.n; column++) {
    const sunindextype from = pattern->column_start[column];
    const sunindextype middle = vida__first_constraint_entry(self->model.system, column);
    const sunindextype end = pattern->column_start[column + 1];
    for (int i = rule->stages - 1; i >= rule->first; i--) {
      next = put_column(self, i, k, from, middle, next);
      for (sunindextype e = middle; e < end && i > 0; e++) {
        *next++ = row_entry(self, i, k, e);
      }
    }
  }
  return next;
}

/* Fills in the columns of mu_j. Each also has a diagonal entry, which is nonzero only for dependent
 * rows. */
static double* put_multipliers(const VidaIntegration* self, int j, double* next) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const vida_pattern* pattern = &self->model.system->pattern;
  const double* inner = own->inner + (size_t)j * (size_t)pattern->entries;
  for (int column = self->model.n; column < pattern->size; column++) {
    const sunindextype middle = vida__first_constraint_entry(self->model.system, column);
    for (int i = rule->stages - 1; i >= rule->first; i--) {
      for (sunindextype e = pattern->column_start[column]; e < middle; e++) {
        *next++ = rule->beta[i][j] * inner[e];
      }
      if (i == j + 1) {
        *next++ = self->model.redundant ? -self->model.redundancy[column - self->model.n] : 0.0;
      }
    }
  }
  return next;
}

int vida__collocation_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  vida_collocation* own = self->state;
  int code = evaluate_stages(self, u);
  code = code ? code : fill_stages(self, u);
  for (int k = own->rule.stages - 1; k >= own->rule.first && !code; k--) {
    matrix = put_velocities(self, k, matrix);
    if (k > 0 && self->model.m > 0) {
      matrix = put_multipliers(self, k - 1, matrix);
    }
  }
  return code;
}

/* ---- its pattern ----------------------------------------------------------------------------- */

/* Appends the rows of one column of the system's pattern at a stage; with NULL only counts them. */
static size_t put_rows(const VidaSystem* system, sunindextype from, sunindextype end, int offset,
                       size_t count, sunindextype* row) {
  for (sunindextype e = from; e < end; e++, count++) {
    if (row) {
      row[count] = offset + system->pattern.row[e];
    }
  }
  return count;
}

/* Fills in the pattern in the order of vida__collocation_jacobian; if `row` is NULL, only returns
 * the number of entries. */
static size_t fill_pattern(const VidaSystem* system, const vida_stage_rule* rule,
                           sunindextype* start, sunindextype* row) {
  const vida_pattern* pattern = &system->pattern;
  const int block = pattern->size;
  size_t count = 0;
  for (int k = rule->stages - 1; k >= rule->first; k--) {
    const bool has_rows = k > 0;
    for (int column = 0; column < (has_rows ? block : system->coordinate_count); column++) {
      const bool is_multiplier = column >= system->coordinate_count;
      const sunindextype middle = vida__first_constraint_entry(system, column);
      if (row) {
        *start++ = (sunindextype)count;
      }
      for (int i = rule->stages - 1; i >= rule->first; i--) {
        /* Constraint rows go with velocities; with multipliers, their diagonal. */
        const bool all = is_multiplier ? i == k : i > 0;
        const sunindextype end = all ? pattern->column_start[column + 1] : middle;
        count = put_rows(system, pattern->column_start[column], end, (rule->stages - 1 - i) * block,
                         count, row);
      }
    }
  }
  if (row) {
    *start = (sunindextype)count;
  }
  return count;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* The sizes of one step for each stage, with the largest multipliers of all stages. */
void vida__collocation_sizes(void* data, const double* u, double* size) {
  VidaIntegration* self = data;
  vida_collocation* own = self->state;
  const int n = self->model.n;
  double* stage = own->work;
  double* result = own->work + n + self->model.m;
  memset(stage + n, 0, (size_t)self->model.m * sizeof *stage);
  for (int j = 0; j < own->rule.stages - 1 && self->model.m > 0; j++) {
    const double* mu = u + vida__multiplier_offset(self, j);
    for (int r = 0; r < self->model.m; r++) {
      stage[n + r] = fmax(stage[n + r], fabs(mu[r]));
    }
  }
  for (int i = own->rule.first; i < own->rule.stages; i++) {
    const int offset = vida__stage_offset(self, i);
    const int rows = i > 0 ? n + self->model.m : n;
    memcpy(stage, u + offset, (size_t)n * sizeof *stage);
    vida__step_sizes(self, stage, result);
    memcpy(size + offset, result, (size_t)rows * sizeof *size);
  }
}

static void set_stage_scales(VidaIntegration* self, int stage, double motion) {
  const int offset = vida__stage_offset(self, stage);
  for (int i = 0; i < self->model.n; i++) {
    const double root = self->model.matrix_root[i];
    vida__map_set_size(self->implicit.map, offset + i, motion * root, motion / root);
  }
  for (int r = 0; r < self->model.m && stage > 0; r++) {
    const double stiffness = self->model.matrix_stiffness[r];
    vida__map_set_size(self->implicit.map, offset + self->model.n + r,
                       vida__constraint_size(self, r, motion), motion / stiffness);
  }
}

/* ---- guesses --------------------------------------------------------------------------------- */

/* Extrapolates the polynomial of the last step. */
static void extrapolate_stages(const VidaIntegration* self, double* u) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const double* past = own->history[0];
  memset(u, 0, (size_t)own->size * sizeof *u);
  for (int i = rule->first; i < rule->stages; i++) {
    for (int j = rule->first; j < rule->stages; j++) {
      const double* from = past + vida__stage_offset(self, j);
      double* to = u + vida__stage_offset(self, i);
      for (int k = 0; k < self->model.n; k++) {
        to[k] += rule->velocity_ahead[i][j] * from[k];
      }
    }
  }
  for (int i = 0; i < rule->stages - 1 && self->model.m > 0; i++) {
    for (int j = 0; j < rule->stages - 1; j++) {
      const double* from = past + vida__multiplier_offset(self, j);
      double* to = u + vida__multiplier_offset(self, i);
      for (int r = 0; r < self->model.m; r++) {
        to[r] += rule->multiplier_ahead[i][j] * from[r];
      }
    }
  }
}

/* Predictor 0 is the polynomial above; predictor d > 0 extrapolates the last d + 1 steps, each
 * unknown separately. */
static void predict(const VidaIntegration* self, int predictor, double* u) {
  const vida_collocation* own = self->state;
  if (predictor == 0) {
    extrapolate_stages(self, u);
    return;
  }
  double weight = 1.0;
  memset(u, 0, (size_t)own->size * sizeof *u);
  for (int k = 0; k <= predictor; k++) {
    weight *= (double)(predictor + 1 - k) / (double)(k + 1) * (k ? -1.0 : 1.0);
    for (int i = 0; i < own->size; i++) {
      u[i] += weight * own->history[k][i];
    }
  }
}

/* Returns the distance of velocities and multipliers relative to the motion. */
static double find_distance(const VidaIntegration* self, double motion, const double* u,
                            const double* w) {
  const vida_collocation* own = self->state;
  double largest = 0.0;
  for (int i = own->rule.first; i < own->rule.stages; i++) {
    const int offset = vida__stage_offset(self, i);
    for (int k = 0; k < self->model.n; k++) {
      largest = fmax(largest, fabs(u[offset + k] - w[offset + k]) * self->model.root_mass[k]);
    }
    for (int r = 0; r < self->model.m && i > 0; r++) {
      const int k = offset + self->model.n + r;
      largest = fmax(largest, fabs(u[k] - w[k]) * self->model.row_stiffness[r]);
    }
  }
  return largest / motion;
}

/* Stores the unknowns, and which predictor would have been best. */
static void remember(VidaIntegration* self) {
  vida_collocation* own = self->state;
  const double motion = vida__measure_motion(self);
  double nearest = INFINITY;
  own->predictor = 0;
  for (int k = 0; k < own->history_count; k++) {
    predict(self, k, own->evaluated);
    const double distance = find_distance(self, motion, own->evaluated, own->unknown);
    if (distance < nearest) {
      nearest = distance;
      own->predictor = k;
    }
  }
  own->is_evaluated = false;
  own->is_predictable = own->history_count == 0 || nearest < trusted;
  double* oldest = own->history[VIDA_STAGE_HISTORY - 1];
  for (int k = VIDA_STAGE_HISTORY - 1; k > 0; k--) {
    own->history[k] = own->history[k - 1];
  }
  own->history[0] = oldest;
  memcpy(oldest, own->unknown, (size_t)own->size * sizeof *oldest);
  if (own->history_count < VIDA_STAGE_HISTORY) {
    own->history_count++;
  }
}

void vida__collocation_guess(void* data, double* u) {
  VidaIntegration* self = data;
  const vida_collocation* own = self->state;
  const bool knows = self->model.system->separable;
  const double* last = own->history_count ? own->history[0] : self->node.v;
  memset(u, 0, (size_t)own->size * sizeof *u);
  for (int i = own->rule.first; i < own->rule.stages; i++) {
    double* x = u + vida__stage_offset(self, i);
    const double share = own->rule.gamma[i];
    for (int k = 0; k < self->model.n; k++) {
      x[k] = share * (knows ? self->node.p[k] / self->model.system->mass[k] : last[k]);
    }
  }
}

/* The undetermined part of the multipliers of dependent constraints would grow from step to step.
 */
static void clear_open_multipliers(VidaIntegration* self) {
  vida_collocation* own = self->state;
  for (int j = 0; j < own->rule.stages - 1 && self->model.redundant; j++) {
    double* mu = own->unknown + vida__multiplier_offset(self, j);
    memset(mu, 0, (size_t)self->model.m * sizeof *mu);
  }
}

/* Computes h L_q of a stage at the node, which does not depend on the unknowns. */
static int find_node_push(VidaIntegration* self) {
  const vida_collocation* own = self->state;
  const int code = own->rule.first == 0
                       ? VIDA_SUCCESS
                       : vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q,
                                        self->node.v, own->node_push, self->work.l_v);
  for (int k = 0; k < self->model.n; k++) {
    own->node_push[k] *= self->node.h;
  }
  return code;
}

static int prepare(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  int code = vida__prepare_node(self, error);
  if (code) {
    return code;
  }
  code = find_node_push(self);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  own->is_evaluated = false;
  for (int k = 0; k < self->model.n; k++) {
    own->base[k] = self->node.p[k] + self->node.p_low[k];
  }
  if (own->history_count && own->is_predictable) {
    predict(self, own->predictor, own->unknown);
  } else {
    vida__collocation_guess(self, own->unknown);
  }
  clear_open_multipliers(self);
  const double motion = vida__measure_motion(self);
  /* Scales need no precision: they do not change until the size of the motion changes by a factor
   * of two. */
  if (motion >= 2.0 * self->implicit.scaled_for || 2.0 * motion <= self->implicit.scaled_for) {
    self->implicit.scaled_for = motion;
    for (int i = own->rule.first; i < own->rule.stages; i++) {
      set_stage_scales(self, i, motion);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- creation, start and step ---------------------------------------------------------------- */

/* One block: the state, its arrays of numbers, then the pattern. */
static vida_collocation* allocate_state(const VidaIntegration* self, const vida_stage_rule* rule,
                                        size_t size, size_t entries) {
  const VidaSystem* system = self->model.system;
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t stages = (size_t)rule->stages;
  const size_t kinds = system->separable ? 2 : 4;
  const size_t matrix = stages * (size_t)system->pattern.entries;
  const bool may_weigh = !system->separable && m > 0;
  const size_t curvature = may_weigh ? (size_t)system->pattern.entries : 0;
  const size_t slots = may_weigh ? vida__outer_count(system) : 0;
  const size_t rates = system->nonholonomic ? stages * m : 0;
  const size_t slopes = system->nonholonomic ? (size_t)system->entry_count : 0;
  const size_t numbers = curvature + rates + slopes + (2 + VIDA_STAGE_HISTORY) * size +
                         5 * stages * n + stages * (size_t)system->entry_count + kinds * matrix +
                         2 * (n + m) + 4 * n + 3 * m;
  vida_collocation* own =
      vida__allocate(1, sizeof *own + numbers * sizeof(double) +
                            (size + 1 + entries) * sizeof(sunindextype) + slots * sizeof(int));
  if (!own) {
    return NULL;
  }
  const vida_array arrays[] = {{&own->unknown, size},
                               {&own->evaluated, size},
                               {&own->mean, stages * n},
                               {&own->change, stages * n},
                               {&own->place, stages * n},
                               {&own->push, stages * n},
                               {&own->l_v, stages * n},
                               {&own->entries, stages * (size_t)system->entry_count},
                               {&own->rate, rates},
                               {&own->slopes, slopes},
                               {&own->inner, matrix},
                               {&own->outer, matrix},
                               {&own->mixed_vq, kinds == 4 ? matrix : 0},
                               {&own->mixed_qv, kinds == 4 ? matrix : 0},
                               {&own->work, 2 * (n + m)},
                               {&own->base, n},
                               {&own->sum, n},
                               {&own->node_push, n},
                               {&own->impulse, m},
                               {&own->weight, m},
                               {&own->row_rate, m},
                               {&own->curvature, curvature},
                               {&own->turn, n}};
  double* next = vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  own->numbers = (size_t)(next - own->unknown);
  for (int k = 0; k < VIDA_STAGE_HISTORY; k++, next += size) {
    own->history[k] = next;
  }
  own->pattern.column_start = (sunindextype*)next;
  own->pattern.row = own->pattern.column_start + size + 1;
  own->outer_slot = (int*)(own->pattern.row + entries);
  return own;
}

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaSystem* system = list;
  const int place = row % system->pattern.size;
  const bool is_constraint = place >= system->coordinate_count;
  *kind = is_constraint ? "constraint" : "coordinate";
  return is_constraint ? system->rows[place - system->coordinate_count].name
                       : system->coordinates[place].name;
}

int vida__collocation_create(VidaIntegration* self, const vida_stage_rule* rule, VidaError* error) {
  const VidaSystem* system = self->model.system;
  const double size = (double)rule->stages * (double)system->pattern.size;
  const double most = (double)(rule->stages * rule->stages) * (double)system->pattern.entries;
  if (fmax(size, most) > (double)INT32_MAX) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "system '%s' is too large for %s with %d stages: the Newton matrix would "
                      "have more than %d entries",
                      system->name, self->method->info.name, rule->stages, INT32_MAX);
  }
  /* If the first stage has no unknowns, the map has none for it; otherwise it only lacks
   * multipliers. */
  const int unknowns =
      (rule->stages - 1) * system->pattern.size + (rule->first > 0 ? 0 : system->coordinate_count);
  const size_t entries = fill_pattern(system, rule, NULL, NULL);
  vida_collocation* own = allocate_state(self, rule, (size_t)unknowns, entries);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->rule = *rule;
  own->size = unknowns;
  own->pattern.size = unknowns;
  own->pattern.entries = (int)entries;
  fill_pattern(system, rule, own->pattern.column_start, own->pattern.row);
  const vida_map_rows rows = {&own->pattern, &self->model.evaluator, name_of_row, system};
  self->implicit.rows = rows;
  self->implicit.prepare = prepare;
  self->implicit.unknown = own->unknown;
  self->state = own;
  vida__collocation_keep(self);
  return VIDA_SUCCESS;
}

int vida__collocation_start(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  own->has_step = false;
  own->history_count = 0;
  own->predictor = 0;
  own->is_evaluated = false;
  const int code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                                  self->work.l_q, self->node.p);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Computes (q1 - q0) / h and p1 - p0, without the last impulse. */
static void find_increments(VidaIntegration* self, double* w, double* change) {
  const vida_collocation* own = self->state;
  const vida_stage_rule* rule = &own->rule;
  const int n = self->model.n;
  memset(change, 0, (size_t)n * sizeof *change);
  memset(w, 0, (size_t)n * sizeof *w);
  for (int i = 0; i < rule->stages; i++) {
    for (int k = 0; k < n; k++) {
      change[k] += rule->b[i] * own->push[i * n + k];
    }
    for (int k = 0; k < n && !rule->starts_at_node; k++) {
      w[k] += rule->b[i] * own->unknown[vida__stage_offset(self, i) + k];
    }
  }
  if (rule->starts_at_node) {
    memcpy(w, own->mean + (rule->stages - 1) * n, (size_t)n * sizeof *w);
  }
}

int vida__collocation_step(VidaIntegration* self, VidaError* error) {
  vida_collocation* own = self->state;
  double* w = own->work;
  double* change = own->sum;
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  code = evaluate_stages(self, own->unknown);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  find_increments(self, w, change);
  remember(self);
  for (int k = 0; k < self->model.n; k++) {
    vida__add_compensated(&self->node.p[k], &self->node.p_low[k], change[k]);
  }
  vida__advance_positions(self, w);
  return VIDA_SUCCESS;
}

/* Computes V_i of the last step. Where the unknowns are mean velocities, from M V_i = p0 + sum_j
 * a^_ij (h L_q - G^T mu)_j. */
static void find_stage_velocity(const VidaIntegration* self, const vida_stage_rule* plain,
                                int stage, double* v) {
  const vida_collocation* own = self->state;
  const int n = self->model.n;
  if (!own->rule.has_means) {
    memcpy(v, own->history[0] + vida__stage_offset(self, stage), (size_t)n * sizeof *v);
    return;
  }
  for (int k = 0; k < n; k++) {
    double p = own->base[k];
    for (int j = 0; j < plain->stages; j++) {
      p += plain->beta[stage][j] * own->push[j * n + k];
    }
    v[k] = p / self->model.system->mass[k];
  }
}

int vida__collocation_action(VidaIntegration* self, double t, double* action, VidaError* error) {
  const vida_collocation* own = self->state;
  const double h = self->node.h;
  const vida_stage_rule plain =
      own->rule.has_means ? vida__lobatto_rule(own->rule.stages, false) : own->rule;
  *action = 0.0;
  if (own->has_weights) {
    return vida__fail(error, VIDA_NOT_SUPPORTED, "the method adds masses to this system");
  }
  for (int i = 0; i < own->rule.stages; i++) {
    double lagrangian = 0.0;
    find_stage_velocity(self, &plain, i, self->work.place);
    const int code =
        vida__lagrangian(&self->model.evaluator, t + own->rule.c[i] * h,
                         own->place + i * self->model.n, self->work.place, &lagrangian);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
    *action += own->rule.b[i] * h * lagrangian;
  }
  return VIDA_SUCCESS;
}
