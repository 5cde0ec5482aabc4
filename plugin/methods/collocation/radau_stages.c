/* The equations of a step of Radau IIA, and their Newton matrix by blocks of stages. */
#include <math.h>
#include <string.h>

#include "methods/collocation/radau.h"
#include "system/constraints/rank.h"

#define ROOT_6 2.4494897427831780981972840747059

const double vida__radau_c[VIDA_RADAU_STAGES] = {(4.0 - ROOT_6) / 10.0, (4.0 + ROOT_6) / 10.0, 1.0};
/* Hairer and Wanner, Solving Ordinary Differential Equations II, Table IV.5.6 */
const double vida__radau_a[VIDA_RADAU_STAGES][VIDA_RADAU_STAGES] = {
    {(88.0 - 7.0 * ROOT_6) / 360.0, (296.0 - 169.0 * ROOT_6) / 1800.0,
     (-2.0 + 3.0 * ROOT_6) / 225.0},
    {(296.0 + 169.0 * ROOT_6) / 1800.0, (88.0 + 7.0 * ROOT_6) / 360.0,
     (-2.0 - 3.0 * ROOT_6) / 225.0},
    {(16.0 - ROOT_6) / 36.0, (16.0 + ROOT_6) / 36.0, 1.0 / 9.0}};

static double stage_time(const vida_radau* own, int stage) {
  return stage == VIDA_RADAU_STAGES - 1 ? own->t_next : own->t + vida__radau_c[stage] * own->h;
}

/* Unknowns of a stage: X (n), V (n), mu (m), eta (m). */
static const double* stage_of(const vida_radau* own, const double* u, int stage) {
  return u + stage * own->block;
}

static double* entries_of(const VidaIntegration* self, int stage) {
  const vida_radau* own = self->state;
  return own->entries + (size_t)stage * (size_t)self->model.system->entry_count;
}

/* ---- M ----------------------------------------------------------------------------------------
 */

/* A quaternion has no mass along itself, which after half a turn is across the constraint. The
 * added mass must be small, because the matrices of the simplified Newton method do not contain it.
 */
static const double mass_along_quaternion = 1e-3;

static void add_masses_of_quaternions(const VidaIntegration* self) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  for (int i = 0; i < system->motion_count; i++) {
    const vida_motion* motion = &system->motions[i];
    double largest = 0.0;
    for (int k = 0; k < 4 && motion->kind == VIDA_MOTION_QUATERNION; k++) {
      largest = fmax(largest, own->metric[system->mass_slot[motion->coordinate[k]]]);
    }
    for (int k = 0; k < 4 && motion->kind == VIDA_MOTION_QUATERNION; k++) {
      const double q = self->node.q[motion->coordinate[k]];
      own->metric[system->mass_slot[motion->coordinate[k]]] +=
          mass_along_quaternion * largest * q * q;
    }
  }
}

int vida__radau_find_metric(VidaIntegration* self) {
  vida_radau* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  memset(own->metric, 0, (size_t)self->model.system->pattern.entries * sizeof *own->metric);
  const int code = vida__add_hessian(&self->model.evaluator, own->t, self->node.q, self->node.v,
                                     mass_only, own->metric);
  add_masses_of_quaternions(self);
  return code;
}

void vida__radau_apply_metric(const VidaIntegration* self, const double* x, double* y) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const vida_pattern* pattern = &system->pattern;
  for (int k = 0; k < self->model.n; k++) {
    y[k] = own->metric[system->mass_slot[k]] * x[k];
  }
  for (int j = 0; j < self->model.n && !system->separable; j++) {
    for (sunindextype e = pattern->column_start[j];
         e < pattern->column_start[j + 1] && pattern->row[e] < self->model.n; e++) {
      y[pattern->row[e]] += pattern->row[e] == j ? 0.0 : own->metric[e] * x[j];
    }
  }
}

/* ---- residual -------------------------------------------------------------------------------- */

static void find_places(VidaIntegration* self, const double* u) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    for (int k = 0; k < n; k++) {
      double mean = 0.0;
      for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
        mean += vida__radau_a[i][j] * stage_of(own, u, j)[k];
      }
      own->mean[i * n + k] = mean;
      own->change[i * n + k] = own->h * mean;
      own->place[i * n + k] = self->node.q[k] + own->h * mean;
    }
  }
}

static int evaluate_stage(VidaIntegration* self, int i, const double* stage) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const double t = stage_time(own, i);
  double* push = own->push + i * n;
  vida__begin_reactions(self, stage + 2 * n, own->h);
  int code = vida__gradient(&self->model.evaluator, t, own->place + i * n, stage + n, push,
                            own->l_v + i * n);
  vida__end_reactions(self);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, t, own->place + i * n, entries_of(self, i));
  for (int k = 0; k < n; k++) {
    push[k] *= own->h;
  }
  vida__add_reaction(self->model.system, entries_of(self, i), -1.0, stage + 2 * n, push);
  return code;
}

/* The results of the last evaluation are kept, because the matrix and the end of a step need them
 * again. */
int vida__radau_evaluate(VidaIntegration* self, const double* u) {
  vida_radau* own = self->state;
  const size_t bytes = (size_t)(VIDA_RADAU_STAGES * own->block) * sizeof *u;
  if (own->is_evaluated && memcmp(own->evaluated, u, bytes) == 0) {
    return VIDA_SUCCESS;
  }
  own->is_evaluated = false;
  find_places(self, u);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const int code = evaluate_stage(self, i, stage_of(own, u, i));
    if (code) {
      return code;
    }
  }
  memcpy(own->evaluated, u, bytes);
  own->is_evaluated = true;
  return VIDA_SUCCESS;
}

/* Copies eta to own->eta, with 0 for nonholonomic rows. */
static void take_eta(VidaIntegration* self, const double* eta) {
  vida_radau* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    own->eta[r] = self->model.system->rows[r].is_nonholonomic ? 0.0 : eta[r];
  }
}

static int constraint_rows(VidaIntegration* self, int i, const double* stage, double* velocity,
                           double* position) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const double t = stage_time(own, i);
  const double* place = own->place + i * n;
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, place, own->change + i * n);
  int code = vida__constraint_rate(&self->model.evaluator, t, place, velocity);
  vida__add_constraint_velocity(self->model.system, entries_of(self, i), 1.0, stage + n, velocity);
  code = code ? code
              : vida__constraint_increment(&self->model.evaluator, t, &between, own->mean + i * n,
                                           own->h, self->implicit.g0, self->work.entries, position);
  for (int r = 0; r < self->model.m; r++) {
    const double stiffness = self->model.row_stiffness[r];
    position[r] = self->model.system->rows[r].is_nonholonomic
                      ? stiffness * stiffness * stage[2 * n + self->model.m + r]
                      : position[r] + self->implicit.g0[r] / own->h;
  }
  return code;
}

int vida__radau_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  vida_radau* own = self->state;
  const int n = self->model.n;
  int code = vida__radau_evaluate(self, u);
  for (int i = 0; i < VIDA_RADAU_STAGES && !code; i++) {
    const double* stage = stage_of(own, u, i);
    double* row = r + i * own->block;
    for (int k = 0; k < n; k++) {
      self->work.dq[k] = stage[k] - stage[n + k];
    }
    vida__radau_apply_metric(self, self->work.dq, row);
    for (int k = 0; k < n; k++) {
      row[n + k] = own->l_v[i * n + k] - own->base[k];
      for (int j = 0; j < VIDA_RADAU_STAGES; j++) {
        row[n + k] -= vida__radau_a[i][j] * own->push[j * n + k];
      }
    }
    take_eta(self, stage + 2 * n + self->model.m);
    vida__add_reaction(self->model.system, entries_of(self, i), 1.0, own->eta, row);
    if (self->model.m > 0) {
      code = constraint_rows(self, i, stage, row + 2 * n, row + 2 * n + self->model.m);
    }
  }
  return code;
}

void vida__radau_sizes(void* data, const double* u, double* size) {
  VidaIntegration* self = data;
  vida_radau* own = self->state;
  const int n = self->model.n;
  const int m = self->model.m;
  double* stage = own->stage_size;
  double* result = own->stage_size + n + m;
  memset(stage + n, 0, (size_t)m * sizeof *stage);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const double* mu = stage_of(own, u, i) + 2 * n;
    for (int r = 0; r < m; r++) {
      stage[n + r] = fmax(stage[n + r], fmax(fabs(mu[r]), fabs(mu[m + r])));
    }
  }
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const double* x = stage_of(own, u, i);
    double* row = size + i * own->block;
    for (int k = 0; k < n; k++) {
      stage[k] = fmax(fabs(x[k]), fabs(x[n + k]));
    }
    vida__step_sizes(self, stage, result);
    memcpy(row, result, (size_t)n * sizeof *row);
    memcpy(row + n, result, (size_t)n * sizeof *row);
    memcpy(row + 2 * n, result + n, (size_t)m * sizeof *row);
    memcpy(row + 2 * n + m, result + n, (size_t)m * sizeof *row);
  }
}

/* ---- what the matrix is made of -------------------------------------------------------------- */

/* Computes the blocks of a stage at (t,q,v) with mu = h lambda, eta (NULL: without `bend`) and G.
 */
static int fill_blocks(VidaIntegration* self, double t, const double* q, const double* v,
                       const double* mu, const double* eta, const double* entries,
                       vida_stage_blocks* blocks) {
  vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  vida_evaluator* evaluator = &self->model.evaluator;
  const vida_hessian_weights qq = {1.0, 0.0, 0.0, 0.0};
  const vida_hessian_weights qv = {0.0, 1.0, 0.0, 0.0};
  const vida_hessian_weights vq = {0.0, 0.0, 1.0, 0.0};
  const vida_hessian_weights vv = {0.0, 0.0, 0.0, 1.0};
  /* The arrays follow each other in memory. */
  memset(blocks->inner, 0, (eta ? 5 : 4) * (size_t)system->pattern.entries * sizeof *blocks->inner);
  vida__begin_reactions(self, mu, own->h);
  int code = vida__add_hessian(evaluator, t, q, v, vv, blocks->inner);
  code = code ? code : vida__add_hessian(evaluator, t, q, v, qq, blocks->outer);
  if (!code && !system->separable) {
    code = vida__add_hessian(evaluator, t, q, v, vq, blocks->mixed_vq);
    code = code ? code : vida__add_hessian(evaluator, t, q, v, qv, blocks->mixed_qv);
  }
  if (!code && self->model.reactions) {
    code = vida__add_reactive_columns(evaluator, t, q, v, -1.0, blocks->outer);
  }
  vida__end_reactions(self);
  if (code || self->model.m == 0) {
    return code;
  }
  code = vida__add_curvature(evaluator, t, q, -1.0 / own->h, mu, blocks->outer);
  if (!code && eta) {
    take_eta(self, eta);
    code = vida__add_curvature(evaluator, t, q, 1.0, own->eta, blocks->bend);
  }
  code = code ? code : vida__velocity_gradient(evaluator, t, q, v, own->turn);
  vida__add_columns(system, entries, 1.0, blocks->inner);
  vida__add_rows(system, entries, 1.0, blocks->inner);
  vida__add_rows(system, own->turn, 1.0, blocks->mixed_vq);
  return code;
}

static bool is_nonholonomic(const VidaSystem* system, sunindextype e) {
  return system->rows[system->pattern.row[e] - system->coordinate_count].is_nonholonomic;
}

/* Fills in the column of coordinate j of X_k, in the rows of all stages. */
static double* put_rate(const VidaIntegration* self, int k, int j, double* next) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const sunindextype from = system->pattern.column_start[j];
  const sunindextype end = system->pattern.column_start[j + 1];
  const sunindextype middle = vida__first_constraint_entry(system, j);
  const double h = own->h;
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const vida_stage_blocks* block = &own->blocks[i];
    const double a = vida__radau_a[i][k];
    for (sunindextype e = from; e < middle; e++) {
      *next++ = h * a * block->bend[e] + (i == k ? own->metric[e] : 0.0);
    }
    for (sunindextype e = from; e < middle; e++) {
      double sum = h * a * block->mixed_vq[e];
      for (int l = 0; l < VIDA_RADAU_STAGES; l++) {
        sum -= h * h * vida__radau_a[i][l] * vida__radau_a[l][k] * own->blocks[l].outer[e];
      }
      *next++ = sum;
    }
    for (sunindextype e = middle; e < end; e++) {
      *next++ = h * a * block->mixed_vq[e];
    }
    for (sunindextype e = middle; e < end; e++) {
      *next++ = is_nonholonomic(system, e) ? 0.0 : a * block->inner[e];
    }
  }
  return next;
}

/* Fills in the column of coordinate j of V_k. */
static double* put_velocity(const VidaIntegration* self, int k, int j, double* next) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const sunindextype from = system->pattern.column_start[j];
  const sunindextype end = system->pattern.column_start[j + 1];
  const sunindextype middle = vida__first_constraint_entry(system, j);
  const vida_stage_blocks* block = &own->blocks[k];
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    for (sunindextype e = from; e < middle && i == k; e++) {
      *next++ = -own->metric[e];
    }
    for (sunindextype e = from; e < middle && (i == k || !system->separable); e++) {
      *next++ =
          (i == k ? block->inner[e] : 0.0) - own->h * vida__radau_a[i][k] * block->mixed_qv[e];
    }
    for (sunindextype e = middle; e < end && i == k; e++) {
      *next++ = block->inner[e];
    }
  }
  return next;
}

/* Fills in the columns of mu_k and eta_k. Each also has a diagonal entry, which is nonzero only for
 * dependent rows, and for eta of nonholonomic rows. */
static double* put_multiplier(const VidaIntegration* self, int k, int row, double* next) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const int column = self->model.n + row;
  const sunindextype from = system->pattern.column_start[column];
  const sunindextype middle = vida__first_constraint_entry(system, column);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    for (sunindextype e = from; e < middle; e++) {
      *next++ = vida__radau_a[i][k] * (own->blocks[k].inner[e] + own->blocks[k].outer[e]);
    }
    if (i == k) {
      *next++ = self->model.redundant ? -self->model.redundancy[row] : 0.0;
    }
  }
  return next;
}

static double* put_stabilizer(const VidaIntegration* self, int k, int row, double* next) {
  const vida_radau* own = self->state;
  const VidaSystem* system = self->model.system;
  const int column = self->model.n + row;
  const bool is_unused = system->rows[row].is_nonholonomic;
  const sunindextype middle = vida__first_constraint_entry(system, column);
  const double stiffness = self->model.row_stiffness[row];
  for (sunindextype e = system->pattern.column_start[column]; e < middle; e++) {
    *next++ = is_unused ? 0.0 : own->blocks[k].inner[e];
  }
  *next++ = is_unused               ? stiffness * stiffness
            : self->model.redundant ? -self->model.redundancy[row]
                                    : 0.0;
  return next;
}

/* The entries are in the order of vida__radau_pattern. */
static void put_matrix(const VidaIntegration* self, double* next) {
  for (int k = 0; k < VIDA_RADAU_STAGES; k++) {
    for (int j = 0; j < self->model.n; j++) {
      next = put_rate(self, k, j, next);
    }
    for (int j = 0; j < self->model.n; j++) {
      next = put_velocity(self, k, j, next);
    }
    for (int r = 0; r < self->model.m; r++) {
      next = put_multiplier(self, k, r, next);
    }
    for (int r = 0; r < self->model.m; r++) {
      next = put_stabilizer(self, k, r, next);
    }
  }
}

int vida__radau_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  vida_radau* own = self->state;
  const int n = self->model.n;
  int code = vida__radau_evaluate(self, u);
  for (int i = 0; i < VIDA_RADAU_STAGES && !code; i++) {
    const double* stage = stage_of(own, u, i);
    code = fill_blocks(self, stage_time(own, i), own->place + i * n, stage + n, stage + 2 * n,
                       stage + 2 * n + self->model.m, entries_of(self, i), &own->blocks[i]);
  }
  if (!code) {
    put_matrix(self, matrix);
  }
  return code;
}

static void keep_entries(const VidaIntegration* self, const double* entries) {
  const vida_radau* own = self->state;
  memcpy(own->frozen_entries, entries,
         (size_t)self->model.system->entry_count * sizeof *own->frozen_entries);
}

int vida__radau_freeze_stage(VidaIntegration* self, const double* u, int i) {
  vida_radau* own = self->state;
  const int n = self->model.n;
  const double* stage = stage_of(own, u, i);
  const int code = vida__radau_evaluate(self, u);
  keep_entries(self, entries_of(self, i));
  return code ? code
              : fill_blocks(self, stage_time(own, i), own->place + i * n, stage + n, stage + 2 * n,
                            NULL, own->frozen_entries, &own->frozen);
}

/* The multipliers need not be exact here: uses those of the last stage. */
int vida__radau_freeze_node(VidaIntegration* self) {
  vida_radau* own = self->state;
  const double* mu = stage_of(own, own->unknown, VIDA_RADAU_STAGES - 1) + 2 * self->model.n;
  keep_entries(self, self->implicit.entries0);
  return fill_blocks(self, own->t, self->node.q, self->node.v, mu, NULL, own->frozen_entries,
                     &own->frozen);
}

/* ---- its pattern ----------------------------------------------------------------------------- */

typedef struct listing {
  size_t count;
  sunindextype* row; /* NULL: entries are counted only */
} listing;

static void add_row(listing* list, int row) {
  if (list->row) {
    list->row[list->count] = row;
  }
  list->count++;
}

/* Appends the rows of the system's pattern from entry `from`, as rows from `offset`. */
static void add_rows(listing* list, const VidaSystem* system, sunindextype from, sunindextype end,
                     int offset) {
  for (sunindextype e = from; e < end; e++) {
    add_row(list, offset + (int)system->pattern.row[e]);
  }
}

static void add_column(listing* list, const VidaSystem* system, int k, int column) {
  const int n = system->coordinate_count;
  const int m = system->row_count;
  const int block = 2 * (n + m);
  const int kind = column < n ? 0 : column < 2 * n ? 1 : column < 2 * n + m ? 2 : 3;
  const int own = kind == 0 ? column : kind == 3 ? column - n - m : column - n;
  const sunindextype from = system->pattern.column_start[own];
  const sunindextype end = system->pattern.column_start[own + 1];
  const sunindextype middle = vida__first_constraint_entry(system, own);
  for (int i = 0; i < VIDA_RADAU_STAGES; i++) {
    const int first = i * block;
    const bool is_own = i == k;
    if (kind == 0) {
      add_rows(list, system, from, middle, first);
      add_rows(list, system, from, middle, first + n);
      add_rows(list, system, middle, end, first + n);
      add_rows(list, system, middle, end, first + n + m);
    } else if (kind == 1) {
      add_rows(list, system, from, is_own ? middle : from, first);
      add_rows(list, system, from, is_own || !system->separable ? middle : from, first + n);
      add_rows(list, system, middle, is_own ? end : middle, first + n);
    } else if (kind == 2) {
      add_rows(list, system, from, middle, first + n);
      if (is_own) {
        add_row(list, first + n + own);
      }
    } else if (is_own) {
      add_rows(list, system, from, middle, first);
      add_row(list, first + n + m + own);
    }
  }
}

size_t vida__radau_pattern(const VidaSystem* system, vida_pattern* pattern) {
  const int block = 2 * (system->coordinate_count + system->row_count);
  listing list = {0, pattern ? pattern->row : NULL};
  for (int k = 0; k < VIDA_RADAU_STAGES; k++) {
    for (int column = 0; column < block; column++) {
      if (pattern) {
        pattern->column_start[k * block + column] = (sunindextype)list.count;
      }
      add_column(&list, system, k, column);
    }
  }
  if (pattern) {
    pattern->column_start[VIDA_RADAU_STAGES * block] = (sunindextype)list.count;
    pattern->size = VIDA_RADAU_STAGES * block;
    pattern->entries = (int)list.count;
  }
  return list.count;
}
