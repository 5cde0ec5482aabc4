#include "methods/rigid/lie_joints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "stepper/method_options.h"

/* Products per entry of B: about three times the number of rows on one body. More would need more
 * memory than there is. */
static const double most_products = 4096.0;

/* ---- creation -------------------------------------------------------------------------------- */

/* Work space: what the coordinates and rows of the system are for the method. */
typedef struct places {
  int* body;  /* n: the body that a coordinate belongs to, or -1 */
  int* part;  /* n: which component of the quaternion it is */
  int* joint; /* m: index of a row among those of joints; -1: a unit norm */
  int* block; /* bodies: the block of the last row that the body occurs in */
  int memory[];
} places;

static places* find_places(const VidaIntegration* self) {
  const vida_lie_state* own = self->state;
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  places* at = vida__allocate(1, sizeof *at + (2 * n + m + (size_t)own->bodies) * sizeof(int));
  if (!at) {
    return NULL;
  }
  at->body = at->memory;
  at->part = at->body + n;
  at->joint = at->part + n;
  at->block = at->joint + m;
  for (size_t i = 0; i < n; i++) {
    at->body[i] = -1;
  }
  for (int b = 0; b < own->bodies; b++) {
    at->joint[own->body[b].row] = -1;
    at->block[b] = -1;
    for (int a = 0; a < 4; a++) {
      at->body[own->body[b].coordinate[a]] = b;
      at->part[own->body[b].coordinate[a]] = a;
    }
  }
  return at;
}

/* Orders the components of u as the coordinates, so that those of a particle stay together. */
static void order_rates(const VidaIntegration* self, const places* at, vida_lie_joints* joints) {
  const vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    joints->of_body[b] = -1;
  }
  for (int i = 0, other = 0; i < self->model.n; i++) {
    const int b = at->body[i];
    if (b < 0) {
      joints->of_other[other++] = joints->rates++;
    } else if (joints->of_body[b] < 0) {
      joints->of_body[b] = joints->rates;
      joints->rates += 3;
    }
  }
}

static void order_rows(const VidaIntegration* self, places* at, vida_lie_joints* joints) {
  for (int r = 0; r < self->model.m; r++) {
    if (at->joint[r] >= 0) {
      at->joint[r] = joints->rows;
      joints->row[joints->rows++] = r;
    }
  }
}

/* Adds entry e of G to a block of its row. */
static void add_to_block(const VidaIntegration* self, places* at, int e, vida_lie_joints* joints,
                         vida_jacobian_entry* made) {
  const vida_jacobian_entry* entry = &self->model.system->entries[e];
  const int b = at->body[entry->coordinate];
  const int row = at->joint[entry->row];
  const int last = at->block[b];
  if (last < 0 || made[joints->block[last].first].row != row) {
    vida_lie_block* block = &joints->block[joints->block_count];
    *block = (vida_lie_block){b, joints->entries, row, joints->of_body[b], {-1, -1, -1, -1}};
    for (int i = 0; i < 3; i++) {
      made[joints->entries++] = (vida_jacobian_entry){row, joints->of_body[b] + i, 0, 0};
    }
    at->block[b] = joints->block_count++;
  }
  joints->block[at->block[b]].from[at->part[entry->coordinate]] = e;
}

static void find_entries(const VidaIntegration* self, places* at, vida_lie_joints* joints,
                         vida_jacobian_entry* made) {
  const VidaSystem* system = self->model.system;
  const vida_lie_state* own = self->state;
  for (int j = 0; j < own->others; j++) {
    at->part[own->other[j]] = joints->of_other[j];
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const int row = at->joint[system->entries[e].row];
    if (row >= 0 && at->body[i] >= 0) {
      add_to_block(self, at, e, joints, made);
    } else if (row >= 0) {
      joints->single[joints->single_count++] =
          (vida_lie_single){i, joints->entries, e, row, at->part[i]};
      made[joints->entries++] = (vida_jacobian_entry){row, at->part[i], 0, 0};
    }
  }
}

static int find_matrix(const VidaIntegration* self, const vida_jacobian_entry* made,
                       vida_lie_joints* joints, VidaError* error) {
  const vida_entry_table table = {joints->rates, joints->rows, joints->entries, made};
  if (joints->rows == 0) {
    return VIDA_SUCCESS;
  }
  if (vida__find_entry_matrix(&table, most_products, &joints->matrix)) {
    return vida__fail_memory(error);
  }
  return joints->matrix.pattern.size > 0
             ? VIDA_SUCCESS
             : VIDA_REFUSE_SYSTEM(error, "%s: a body of system '%s' has too many constraints",
                                  self->method->info.name, self->model.system->name);
}

static int allocate_joints(const VidaIntegration* self, vida_lie_joints** joints) {
  const vida_lie_state* own = self->state;
  const size_t entries = (size_t)self->model.system->entry_count;
  vida_lie_joints* made = vida__allocate(1, sizeof *made);
  *joints = made;
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->row = vida__allocate((size_t)(self->model.m + own->others + own->bodies), sizeof(int));
  made->block = vida__allocate(entries, sizeof *made->block);
  made->single = vida__allocate(entries, sizeof *made->single);
  /* one of G may need three of B */
  made->numbers = vida__allocate((VIDA_LIE_NODES + 2) * 3 * entries, sizeof(double));
  if (!made->row || !made->block || !made->single || !made->numbers) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->of_other = made->row + self->model.m;
  made->of_body = made->of_other + own->others;
  made->gradient = made->numbers;
  made->next = made->gradient + 3 * entries;
  made->columns = made->next + 3 * entries;
  for (int k = 0; k < VIDA_LIE_NODES - 1; k++) {
    made->past[k] = made->columns + (size_t)(k + 1) * 3 * entries;
  }
  return VIDA_SUCCESS;
}

int vida__lie_joints_create(VidaIntegration* self, vida_lie_joints** joints, VidaError* error) {
  const size_t entries = (size_t)self->model.system->entry_count;
  vida_jacobian_entry* made = vida__allocate(3 * entries, sizeof *made);
  places* at = find_places(self);
  int code = !made || !at || allocate_joints(self, joints) ? vida__fail_memory(error) : 0;
  if (!code) {
    order_rates(self, at, *joints);
    order_rows(self, at, *joints);
    find_entries(self, at, *joints, made);
    code = find_matrix(self, made, *joints, error);
  }
  free(at);
  free(made);
  return code;
}

int vida__lie_joints_start(VidaIntegration* self, vida_lie_joints* joints, VidaError* error) {
  const vida_solver solver = vida__solver_of(self->options);
  const vida_pattern* pattern = &joints->matrix.pattern;
  int code = VIDA_SUCCESS;
  if (joints->rows == 0 || joints->step) {
    return VIDA_SUCCESS;
  }
  vida__linear_destroy(&joints->node); /* of a start without memory for both */
  code = vida__linear_create(self->model.context, pattern, solver, &joints->node, error);
  code =
      code ? code : vida__linear_create(self->model.context, pattern, solver, &joints->step, error);
  if (!code) {
    vida__linear_expect_symmetric(joints->node);
  }
  return code;
}

void vida__lie_joints_destroy(vida_lie_joints** joints) {
  vida_lie_joints* old = *joints;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->node);
  vida__linear_destroy(&old->step);
  vida__free_multiplier_matrix(&old->matrix);
  free(old->row);
  free(old->block);
  free(old->single);
  free(old->numbers);
  free(old);
  *joints = NULL;
}

/* ---- gradients ------------------------------------------------------------------------------- */

void vida__lie_joint_gradients(const VidaIntegration* self, const vida_lie_joints* joints,
                               const double* q, const double* entries, double* gradient) {
  const vida_lie_state* own = self->state;
  for (int k = 0; k < joints->single_count; k++) {
    gradient[joints->single[k].entry] = entries[joints->single[k].from];
  }
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    double of_body[4], f[4];
    vida__lie_body_components(&own->body[block->body], q, of_body);
    for (int a = 0; a < 4; a++) {
      f[a] = block->from[a] >= 0 ? entries[block->from[a]] : 0.0;
    }
    vida__lie_drop(of_body, f, gradient + block->first);
  }
}

/* ---- sums over the entries ------------------------------------------------------------------- */

void vida__lie_joint_rates(const vida_lie_joints* joints, const double* u, double* rows,
                           double* sizes) {
  const vida_entry_runs* runs = &joints->matrix.runs;
  const double* b = joints->gradient;
  memset(rows, 0, (size_t)joints->rows * sizeof *rows);
  memset(sizes, 0, (size_t)joints->rows * sizeof *sizes);
  for (int r = 0, k = 0; r < runs->row_count; r++) {
    double sum = rows[runs->row[r]], size = sizes[runs->row[r]];
    for (const int end = runs->row_end[r]; k < end; k++) {
      const double* own = u + runs->coordinate[k];
      for (const double* last = b + runs->count[k]; b < last; b++, own++) {
        const double term = *b * *own;
        sum += term;
        size += fabs(term);
      }
    }
    rows[runs->row[r]] = sum;
    sizes[runs->row[r]] = size;
  }
}

void vida__lie_row_sizes(const vida_lie_joints* joints, const double* u, double* restrict sizes) {
  const double* gradient = joints->gradient;
  memset(sizes, 0, (size_t)joints->rows * sizeof *sizes);
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    const double *b = gradient + block->first, *of_body = u + block->rate;
    sizes[block->row] +=
        fabs(b[0] * of_body[0]) + fabs(b[1] * of_body[1]) + fabs(b[2] * of_body[2]);
  }
  for (int k = 0; k < joints->single_count; k++) {
    const vida_lie_single* single = &joints->single[k];
    sizes[single->row] += fabs(gradient[single->entry] * u[single->rate]);
  }
}

void vida__lie_share_row_sizes(const VidaIntegration* self, const vida_lie_joints* joints,
                               double motion, bool is_common, double* sizes) {
  const double* stiffness = self->model.row_stiffness;
  double shared = motion;
  for (int k = 0; k < joints->rows && is_common; k++) {
    shared = fmax(shared, sizes[k] / stiffness[joints->row[k]]);
  }
  for (int k = 0; k < joints->rows; k++) {
    sizes[k] = fmax(sizes[k], shared * stiffness[joints->row[k]]);
  }
}

void vida__lie_add_impulse_sizes(const vida_lie_joints* joints, const double* mu, double* x) {
  const vida_entry_runs* runs = &joints->matrix.runs;
  const double* b = joints->gradient;
  for (int r = 0, k = 0; r < runs->row_count; r++) {
    for (; k < runs->row_end[r]; k++) {
      for (int i = 0; i < runs->count[k]; i++, b++) {
        x[runs->coordinate[k] + i] += fabs(*b * mu[runs->row[r]]);
      }
    }
  }
}

void vida__lie_subtract_impulses(const vida_lie_joints* joints, const double* mu,
                                 double* restrict x) {
  const double* gradient = joints->gradient;
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    const double *b = gradient + block->first, impulse = mu[block->row];
    double* of_body = x + block->rate;
    of_body[0] -= b[0] * impulse;
    of_body[1] -= b[1] * impulse;
    of_body[2] -= b[2] * impulse;
  }
  for (int k = 0; k < joints->single_count; k++) {
    const vida_lie_single* single = &joints->single[k];
    x[single->rate] -= gradient[single->entry] * mu[single->row];
  }
}

void vida__lie_multiply_joints(const vida_lie_joints* joints, const double* gradient,
                               const double* u, double* restrict rows) {
  memset(rows, 0, (size_t)joints->rows * sizeof *rows);
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    const double *b = gradient + block->first, *of_body = u + block->rate;
    rows[block->row] += b[0] * of_body[0] + b[1] * of_body[1] + b[2] * of_body[2];
  }
  for (int k = 0; k < joints->single_count; k++) {
    const vida_lie_single* single = &joints->single[k];
    rows[single->row] += gradient[single->entry] * u[single->rate];
  }
}

/* ---- gradients at the end of the step -------------------------------------------------------- */

void vida__lie_swap_gradients(vida_lie_joints* joints) {
  double* oldest = joints->past[VIDA_LIE_NODES - 2];
  for (int k = VIDA_LIE_NODES - 2; k > 0; k--) {
    joints->past[k] = joints->past[k - 1];
  }
  joints->past[0] = joints->gradient;
  joints->gradient = oldest;
}

void vida__lie_predict_gradients(vida_lie_joints* joints, int nodes, double ratio) {
  /* Of the polynomials through the last values. */
  static const double weights[VIDA_LIE_NODES][VIDA_LIE_NODES] = {
      {1.0},
      {2.0, -1.0},
      {3.0, -3.0, 1.0},
      {4.0, -6.0, 4.0, -1.0},
      {5.0, -10.0, 10.0, -5.0, 1.0},
      {6.0, -15.0, 20.0, -15.0, 6.0, -1.0}};
  const double *w = weights[nodes - 1], *at[VIDA_LIE_NODES];
  const double linear[VIDA_LIE_NODES] = {1.0 + ratio, -ratio};
  double* restrict next = joints->next;
  w = nodes == 2 ? linear : w;
  for (int k = 0; k < VIDA_LIE_NODES; k++) { /* those without a weight have no values, perhaps */
    at[k] = k == 0 || k >= nodes ? joints->gradient : joints->past[k - 1];
  }
  for (int e = 0; e < joints->entries; e++) {
    next[e] = w[0] * at[0][e] + w[1] * at[1][e] + w[2] * at[2][e] + w[3] * at[3][e] +
              w[4] * at[4][e] + w[5] * at[5][e];
  }
}

double vida__lie_missed_gradients(const vida_lie_joints* joints) {
  const double *now = joints->gradient, *before = joints->past[0], *guess = joints->next;
  double change[2] = {0.0, 0.0}, miss[2] = {0.0, 0.0}; /* sums of squares, by pairs */
  const int entries = joints->entries;
  for (int e = 0; e + 1 < entries; e += 2) {
    for (int i = 0; i < 2; i++) {
      change[i] += (now[e + i] - before[e + i]) * (now[e + i] - before[e + i]);
      miss[i] += (now[e + i] - guess[e + i]) * (now[e + i] - guess[e + i]);
    }
  }
  if (entries % 2 == 1) {
    const int e = entries - 1;
    change[0] += (now[e] - before[e]) * (now[e] - before[e]);
    miss[0] += (now[e] - guess[e]) * (now[e] - guess[e]);
  }
  const double square = change[0] + change[1];
  return square > 0.0 ? sqrt((miss[0] + miss[1]) / square) : INFINITY;
}

void vida__lie_apply_step(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* response, const double* mu, double* rates, double* rows) {
  const vida_lie_state* own = self->state;
  memset(rates, 0, (size_t)joints->rates * sizeof *rates);
  vida__lie_subtract_impulses(joints, mu, rates);
  for (int b = 0; b < own->bodies; b++) {
    double* of_body = rates + joints->of_body[b];
    const double moment[3] = {-of_body[0], -of_body[1], -of_body[2]};
    vida__lie_multiply(response + 9 * b, moment, of_body);
  }
  for (int j = 0; j < own->others; j++) {
    const double root = own->inverse_root[own->other[j]];
    rates[joints->of_other[j]] *= -root * root;
  }
  vida__lie_multiply_joints(joints, joints->next, rates, rows);
}

/* ---- vectors of u -----------------------------------------------------------------------------
 */

void vida__lie_apply_mass(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* x, bool is_inverse, double* y) {
  const vida_lie_state* lie = self->state;
  for (int b = 0; b < lie->bodies; b++) {
    const vida_lie_body* body = &lie->body[b];
    vida__lie_multiply(is_inverse ? body->factors : body->inertia, x + joints->of_body[b],
                       y + joints->of_body[b]);
  }
  for (int j = 0; j < lie->others; j++) {
    const int c = joints->of_other[j];
    const double mass = lie->mass[lie->other[j]];
    y[c] = is_inverse ? x[c] / mass : x[c] * mass;
  }
}

void vida__lie_lift_rates(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* q, const double* u, double* v) {
  const vida_lie_state* lie = self->state;
  for (int b = 0; b < lie->bodies; b++) {
    double of_body[4], rate[4];
    vida__lie_body_components(&lie->body[b], q, of_body);
    vida__lie_quaternion_rate(of_body, u + joints->of_body[b], rate);
    for (int a = 0; a < 4; a++) {
      v[lie->body[b].coordinate[a]] = rate[a];
    }
  }
  for (int j = 0; j < lie->others; j++) {
    v[lie->other[j]] = u[joints->of_other[j]];
  }
}

void vida__lie_drop_rates(const VidaIntegration* self, const vida_lie_joints* joints,
                          const double* q, const double* v, double* u) {
  const vida_lie_state* lie = self->state;
  for (int b = 0; b < lie->bodies; b++) {
    double of_body[4], rate[4], *to = u + joints->of_body[b];
    vida__lie_body_components(&lie->body[b], q, of_body);
    vida__lie_body_components(&lie->body[b], v, rate);
    vida__lie_drop(of_body, rate, to);
    to[0] *= 4.0;
    to[1] *= 4.0;
    to[2] *= 4.0;
  }
  for (int j = 0; j < lie->others; j++) {
    u[joints->of_other[j]] = v[lie->other[j]];
  }
}

int vida__lie_fit_impulses(const VidaIntegration* self, const vida_lie_joints* joints,
                           const double* x, double* rates, double* mu) {
  vida__lie_apply_mass(self, joints, x, true, rates);
  vida__lie_multiply_joints(joints, joints->gradient, rates, mu);
  return vida__linear_solve(joints->node, mu, mu);
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Rows that depend on others get the shifts that make other matrices regular, too. */
static int factor(VidaIntegration* self, const vida_lie_joints* joints, vida_linear* linear) {
  const vida_pattern* pattern = &joints->matrix.pattern;
  for (int k = 0; k < joints->rows && self->model.redundant; k++) {
    linear->values[vida__pattern_slot(pattern, k, k)] += self->model.redundancy[joints->row[k]];
  }
  self->statistics.factorizations++;
  return vida__linear_factor(linear);
}

/* The columns are B M^-1/2, with the root of J^-1 from the principal axes. */
int vida__lie_factor_node(VidaIntegration* self, vida_lie_joints* joints) {
  const vida_lie_state* own = self->state;
  double* half = joints->columns;
  for (int k = 0; k < joints->single_count; k++) {
    const vida_lie_single* single = &joints->single[k];
    half[single->entry] = joints->gradient[single->entry] * own->inverse_root[single->coordinate];
  }
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    const vida_lie_body* body = &own->body[block->body];
    const double *b = joints->gradient + block->first, *axis = body->axes;
    for (int i = 0; i < 3; i++) {
      half[block->first + i] =
          body->inverse_root[i] * (axis[i] * b[0] + axis[3 + i] * b[1] + axis[6 + i] * b[2]);
    }
  }
  vida__linear_clear(joints->node);
  vida__add_entry_squares(&joints->matrix, half, joints->node->values);
  return factor(self, joints, joints->node);
}

int vida__lie_factor_step(VidaIntegration* self, vida_lie_joints* joints, const double* response) {
  const vida_lie_state* own = self->state;
  double* columns = joints->columns;
  for (int k = 0; k < joints->single_count; k++) {
    const vida_lie_single* single = &joints->single[k];
    const double root = own->inverse_root[single->coordinate];
    columns[single->entry] = root * root * joints->gradient[single->entry];
  }
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    vida__lie_multiply(response + 9 * block->body, joints->gradient + block->first,
                       columns + block->first);
  }
  vida__linear_clear(joints->step);
  vida__add_entry_products(&joints->matrix, joints->next, columns, joints->step->values);
  return factor(self, joints, joints->step);
}

void vida__lie_joints_record(const VidaIntegration* self, vida_lie_joints* joints,
                             VidaRecord* record) {
  const size_t width = 3 * (size_t)self->model.system->entry_count;
  VidaRecord_Reals(record, joints->gradient, width);
  for (int k = 0; k < VIDA_LIE_NODES - 1; k++) {
    VidaRecord_Reals(record, joints->past[k], width);
  }
  VidaRecord_Reals(record, joints->next, width);
  VidaRecord_Reals(record, joints->columns, width);
  vida__linear_record(joints->node, record);
  vida__linear_record(joints->step, record);
}
