#include "methods/rigid/lie_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "stepper/method_options.h"

/* An entry of the matrix of the coordinates, and where its products with the frames of both bodies
 * go: the slots of the first row in each column. Body -1: another coordinate. */
typedef struct source {
  int from;
  int row_body, row_part, column_body, column_part;
  int target[3];
} source;

/* How the quaternion of a body moves: dq = rise d(theta), and for a change of w, the changes of
 * position and of velocities, weighted as in the equations. */
typedef struct frame {
  double rise[4][3], by_place[4][3], by_rate[4][3];
  double tangent[9]; /* of the exponential map, by rows */
} frame;

struct vida_lie_matrix {
  vida_pattern pattern;
  vida_linear* linear;
  int rates, source_count;
  source* sources;
  int* body_slot;             /* 3 by bodies: of the first row of each column of its own block */
  int* other_slot;            /* others: of their diagonal */
  int* row_slot;              /* entries of B: slots in the rows of constraints */
  int* column_slot;           /* entries of B: slots in their columns */
  int* diagonal;              /* rows */
  frame* frames;              /* bodies */
  double *by_place, *by_rate; /* in the pattern of the system */
};

/* ---- pattern --------------------------------------------------------------------------------- */

typedef struct pair {
  int row, column;
} pair;

static int compare_pairs(const void* a, const void* b) {
  const pair *x = a, *y = b;
  return x->column != y->column ? (x->column < y->column ? -1 : 1)
                                : (x->row > y->row) - (x->row < y->row);
}

/* Work space: where the coordinates are among the components of u, and all entries. */
typedef struct builder {
  int *body, *part, *component; /* n: body or -1, component of its quaternion; that of u */
  pair* pairs;
  size_t count;
} builder;

static void add_pair(builder* made, int row, int column) {
  made->pairs[made->count++] = (pair){row, column};
}

static void place_coordinates(const VidaIntegration* self, const vida_lie_joints* joints,
                              builder* made) {
  const vida_lie_state* lie = self->state;
  for (int b = 0; b < lie->bodies; b++) {
    for (int a = 0; a < 4; a++) {
      const int i = lie->body[b].coordinate[a];
      made->body[i] = b;
      made->part[i] = a;
      made->component[i] = joints->of_body[b];
    }
  }
  for (int j = 0; j < lie->others; j++) {
    made->body[lie->other[j]] = -1;
    made->component[lie->other[j]] = joints->of_other[j];
  }
}

static void add_block(builder* made, int row, int rows, int column, int columns) {
  for (int c = 0; c < columns; c++) {
    for (int r = 0; r < rows; r++) {
      add_pair(made, row + r, column + c);
    }
  }
}

/* Adds the entries between coordinates: those of the system, and the masses. */
static void add_coordinates(const VidaIntegration* self, const vida_lie_joints* joints,
                            vida_lie_matrix* matrix, builder* made) {
  const vida_lie_state* lie = self->state;
  const vida_pattern* pattern = &self->model.system->pattern;
  for (int j = 0; j < self->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      const int i = (int)pattern->row[k];
      if (i < self->model.n) {
        matrix->sources[matrix->source_count++] =
            (source){(int)k, made->body[i], made->part[i], made->body[j], made->part[j], {i, j, 0}};
        add_block(made, made->component[i], made->body[i] < 0 ? 1 : 3, made->component[j],
                  made->body[j] < 0 ? 1 : 3);
      }
    }
  }
  for (int b = 0; b < lie->bodies; b++) {
    add_block(made, joints->of_body[b], 3, joints->of_body[b], 3);
  }
  for (int j = 0; j < lie->others; j++) {
    add_pair(made, joints->of_other[j], joints->of_other[j]);
  }
}

/* Calls `visit` for each entry of B. */
static void visit_joints(const vida_lie_joints* joints, void* data,
                         void (*visit)(void* data, int entry, int row, int component)) {
  const vida_entry_runs* runs = &joints->matrix.runs;
  for (int r = 0, k = 0, e = 0; joints->rows > 0 && r < runs->row_count; r++) {
    for (; k < runs->row_end[r]; k++) {
      for (int i = 0; i < runs->count[k]; i++) {
        visit(data, e++, runs->row[r], runs->coordinate[k] + i);
      }
    }
  }
}

typedef struct joint_visit {
  builder* made;
  vida_lie_matrix* matrix;
} joint_visit;

static void add_joint(void* data, int entry, int row, int component) {
  const joint_visit* visit = data;
  (void)entry;
  add_pair(visit->made, visit->matrix->rates + row, component);
  add_pair(visit->made, component, visit->matrix->rates + row);
}

static void find_joint_slots(void* data, int entry, int row, int component) {
  vida_lie_matrix* matrix = ((const joint_visit*)data)->matrix;
  matrix->row_slot[entry] = vida__pattern_slot(&matrix->pattern, matrix->rates + row, component);
  matrix->column_slot[entry] = vida__pattern_slot(&matrix->pattern, component, matrix->rates + row);
}

/* Sorts the entries into the pattern, each once. */
static int store_pattern(builder* made, vida_lie_matrix* matrix) {
  vida_pattern* pattern = &matrix->pattern;
  qsort(made->pairs, made->count, sizeof *made->pairs, compare_pairs);
  pattern->column_start =
      vida__allocate((size_t)pattern->size + 1 + made->count, sizeof *pattern->column_start);
  if (!pattern->column_start) {
    return VIDA_OUT_OF_MEMORY;
  }
  pattern->row = pattern->column_start + pattern->size + 1;
  for (size_t k = 0; k < made->count; k++) {
    if (k == 0 || compare_pairs(&made->pairs[k - 1], &made->pairs[k]) != 0) {
      pattern->row[pattern->entries++] = made->pairs[k].row;
      pattern->column_start[made->pairs[k].column + 1] = pattern->entries;
    }
  }
  return VIDA_SUCCESS;
}

static void find_slots(const VidaIntegration* self, const vida_lie_joints* joints,
                       const builder* made, vida_lie_matrix* matrix) {
  const vida_lie_state* lie = self->state;
  const vida_pattern* pattern = &matrix->pattern;
  for (int k = 0; k < matrix->source_count; k++) {
    source* from = &matrix->sources[k];
    const int row = made->component[from->target[0]], column = made->component[from->target[1]];
    for (int c = 0; c < (from->column_body < 0 ? 1 : 3); c++) {
      from->target[c] = vida__pattern_slot(pattern, row, column + c);
    }
  }
  for (int b = 0; b < lie->bodies; b++) {
    for (int c = 0; c < 3; c++) {
      matrix->body_slot[3 * b + c] =
          vida__pattern_slot(pattern, joints->of_body[b], joints->of_body[b] + c);
    }
  }
  for (int j = 0; j < lie->others; j++) {
    matrix->other_slot[j] = vida__pattern_slot(pattern, joints->of_other[j], joints->of_other[j]);
  }
  for (int k = 0; k < joints->rows; k++) {
    matrix->diagonal[k] = vida__pattern_slot(pattern, matrix->rates + k, matrix->rates + k);
  }
}

static int allocate(const VidaIntegration* self, const vida_lie_joints* joints,
                    vida_lie_matrix* matrix) {
  const vida_lie_state* lie = self->state;
  const size_t entries = (size_t)self->model.system->pattern.entries;
  const size_t slots = 3 * (size_t)lie->bodies + (size_t)lie->others + 2 * (size_t)joints->entries +
                       (size_t)joints->rows;
  matrix->sources = vida__allocate(entries + 1, sizeof *matrix->sources);
  matrix->frames = vida__allocate((size_t)lie->bodies + 1, sizeof *matrix->frames);
  matrix->by_place = vida__allocate(2 * entries + 1, sizeof *matrix->by_place);
  matrix->body_slot = vida__allocate(slots + 1, sizeof *matrix->body_slot);
  if (!matrix->sources || !matrix->frames || !matrix->by_place || !matrix->body_slot) {
    return VIDA_OUT_OF_MEMORY;
  }
  matrix->by_rate = matrix->by_place + entries;
  matrix->other_slot = matrix->body_slot + 3 * lie->bodies;
  matrix->row_slot = matrix->other_slot + lie->others;
  matrix->column_slot = matrix->row_slot + joints->entries;
  matrix->diagonal = matrix->column_slot + joints->entries;
  return VIDA_SUCCESS;
}

static int find_pattern(VidaIntegration* self, const vida_lie_joints* joints,
                        vida_lie_matrix* matrix) {
  const size_t n = (size_t)self->model.n;
  const size_t most = 9 * ((size_t)self->model.system->pattern.entries + n) +
                      2 * (size_t)joints->entries + (size_t)joints->rows;
  builder made = {.body = vida__allocate(3 * n + 1, sizeof(int)),
                  .pairs = vida__allocate(most + 1, sizeof(pair))};
  joint_visit visit = {&made, matrix};
  int code = made.body && made.pairs ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  if (!code) {
    made.part = made.body + n;
    made.component = made.part + n;
    place_coordinates(self, joints, &made);
    add_coordinates(self, joints, matrix, &made);
    visit_joints(joints, &visit, add_joint);
    for (int k = 0; k < joints->rows; k++) {
      add_pair(&made, matrix->rates + k, matrix->rates + k);
    }
    code = store_pattern(&made, matrix);
  }
  if (!code) {
    find_slots(self, joints, &made, matrix);
    visit_joints(joints, &visit, find_joint_slots);
  }
  free(made.body);
  free(made.pairs);
  return code;
}

int vida__lie_matrix_create(VidaIntegration* self, const vida_lie_joints* joints,
                            vida_lie_matrix** matrix, VidaError* error) {
  vida_lie_matrix* made = vida__allocate(1, sizeof *made);
  *matrix = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->rates = joints->rates;
  made->pattern.size = joints->rates + joints->rows;
  return allocate(self, joints, made) || find_pattern(self, joints, made) ? vida__fail_memory(error)
                                                                          : VIDA_SUCCESS;
}

int vida__lie_matrix_start(VidaIntegration* self, vida_lie_matrix* matrix, VidaError* error) {
  return matrix->linear || matrix->pattern.size == 0
             ? VIDA_SUCCESS
             : vida__linear_create(self->model.context, &matrix->pattern,
                                   vida__solver_of(self->options), &matrix->linear, error);
}

void vida__lie_matrix_destroy(vida_lie_matrix** matrix) {
  vida_lie_matrix* old = *matrix;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->linear);
  free(old->pattern.column_start);
  free(old->sources);
  free(old->frames);
  free(old->by_place);
  free(old->body_slot);
  free(old);
  *matrix = NULL;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

/* Computes the derivatives of the forces with respect to q and v. */
static int find_slopes(VidaIntegration* self, vida_lie_matrix* matrix, const vida_lie_point* at) {
  static const vida_hessian_weights of_place = {1.0, 0.0, 0.0, 0.0}, taken = {-1.0, 0.0, 0.0, 0.0},
                                    of_rate = {0.0, 1.0, 0.0, 0.0};
  const vida_lie_state* lie = self->state;
  vida_evaluator* evaluator = &self->model.evaluator;
  const bool has_forces = self->model.system->has_forces;
  int code = VIDA_SUCCESS;
  memset(matrix->by_place, 0,
         2 * (size_t)self->model.system->pattern.entries * sizeof *matrix->by_place);
  if (at->turn && !lie->is_free) {
    code = vida__add_hessian(evaluator, at->t, at->q, lie->rest, of_place, matrix->by_place);
  }
  if (at->turn && has_forces && !code) {
    code = vida__add_hessian_of(evaluator, VIDA_PART_FORCE, at->t, at->q, lie->rest, taken,
                                matrix->by_place);
    code = code ? code
                : vida__add_hessian_of(evaluator, VIDA_PART_FORCE, at->t, at->q, at->v, of_place,
                                       matrix->by_place);
  }
  if (at->turn && !code) {
    code = vida__add_curvature(evaluator, at->t, at->q, -1.0 / at->h, at->mu, matrix->by_place);
  }
  return code || !has_forces ? code
                             : vida__add_hessian_of(evaluator, VIDA_PART_FORCE, at->t, at->q, at->v,
                                                    of_rate, matrix->by_rate);
}

/* Computes T with q exp(x + T^-1 d) = q exp(x) exp(d) to first order, for the rotation vector x:
 * 1 - a [x] + b [x]^2, a = (1 - cos)/angle^2, b = (angle - sin)/angle^3. */
static void find_tangent(const double x[3], double tangent[9]) {
  const double square = vida__lie_dot(x, x);
  double a = 0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square / 40320.0));
  double b = 1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square / 362880.0));
  if (square > 0.04) {
    const double angle = sqrt(square);
    a = (1.0 - cos(angle)) / square;
    b = (angle - sin(angle)) / (square * angle);
  }
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    double once[3], twice[3];
    vida__lie_cross(x, axis, once);
    vida__lie_cross(x, once, twice);
    for (int i = 0; i < 3; i++) {
      tangent[3 * i + k] = axis[i] - a * once[i] + b * twice[i];
    }
  }
}

/* For a change d of w, the body turns by h T d, and its angular velocity u changes by ratio d; so
 * the rates of its quaternion change by ratio E d + E [h T d] u / 2, but for a part along it. */
static void find_frame(const vida_lie_point* at, const double q[4], int first, frame* made) {
  const double *u = at->u + first, weight = at->share * at->h;
  const double still[3] = {0.0, 0.0, 0.0};
  find_tangent(at->turn ? at->turn + first : still, made->tangent);
  for (int k = 0; k < 3; k++) {
    const double axis[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    const double h = at->turn ? at->h : 0.0;
    const double turned[3] = {h * made->tangent[k], h * made->tangent[3 + k],
                              h * made->tangent[6 + k]};
    double rise[4], place[4], rate[4], change[3];
    vida__lie_cross(turned, u, change);
    for (int i = 0; i < 3; i++) {
      change[i] = 0.5 * change[i] + at->ratio * axis[i];
    }
    vida__lie_quaternion_rate(q, axis, rise);
    vida__lie_quaternion_rate(q, turned, place);
    vida__lie_quaternion_rate(q, change, rate);
    for (int a = 0; a < 4; a++) {
      made->rise[a][k] = rise[a];
      made->by_place[a][k] = weight * place[a];
      made->by_rate[a][k] = weight * rate[a];
    }
  }
}

/* Subtracts the derivatives of the forces. */
static void add_slopes(const vida_lie_matrix* matrix, const vida_lie_point* at, double* values) {
  const double weight = at->share * at->h;
  const double of_place = at->turn ? weight * at->h : 0.0, of_rate = weight * at->ratio;
  for (int k = 0; k < matrix->source_count; k++) {
    const source* from = &matrix->sources[k];
    const double place = matrix->by_place[from->from], rate = matrix->by_rate[from->from];
    if (place == 0.0 && rate == 0.0) {
      continue;
    }
    const frame* column = &matrix->frames[from->column_body < 0 ? 0 : from->column_body];
    for (int c = 0; c < (from->column_body < 0 ? 1 : 3); c++) {
      const double x = from->column_body < 0 ? place * of_place + rate * of_rate
                                             : place * column->by_place[from->column_part][c] +
                                                   rate * column->by_rate[from->column_part][c];
      if (from->row_body < 0) {
        values[from->target[c]] -= x;
        continue;
      }
      for (int a = 0; a < 3; a++) {
        values[from->target[c] + a] -= matrix->frames[from->row_body].rise[from->row_part][a] * x;
      }
    }
  }
}

/* Adds the block of a body: M and the derivatives of J u x u, and of E^T f by the turn of E: (F x
 * d)/2 - (f.q) d / 4, with F = E^T f. */
static void add_body(const vida_lie_body* body, const vida_lie_point* at, int first,
                     const frame* of, const int slot[3], double* values) {
  const double *u = at->u + first, weight = at->share * at->h;
  double q[4], f[4], moment[3], spin[3];
  vida__lie_body_components(body, at->q, q);
  vida__lie_body_components(body, at->force, f);
  vida__lie_drop(q, f, moment);
  vida__lie_multiply(body->inertia, u, spin);
  const double along = 0.25 * (f[0] * q[0] + f[1] * q[1] + f[2] * q[2] + f[3] * q[3]);
  for (int c = 0; c < 3; c++) {
    const double axis[3] = {c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0, c == 2 ? 1.0 : 0.0};
    const double h = at->turn ? at->h : 0.0;
    const double turned[3] = {h * of->tangent[c], h * of->tangent[3 + c], h * of->tangent[6 + c]};
    double column[3], first_part[3], second_part[3], third_part[3];
    vida__lie_multiply(body->inertia, axis, column);
    vida__lie_cross(column, u, first_part);
    vida__lie_cross(spin, axis, second_part);
    vida__lie_cross(moment, turned, third_part);
    for (int i = 0; i < 3; i++) {
      values[slot[c] + i] += at->ratio * (column[i] - weight * (first_part[i] + second_part[i])) -
                             weight * (0.5 * third_part[i] - along * turned[i]);
    }
  }
}

static void add_joints(VidaIntegration* self, const vida_lie_joints* joints,
                       const vida_lie_matrix* matrix, const vida_lie_point* at, double* values) {
  for (int e = 0; e < joints->entries; e++) {
    values[matrix->column_slot[e]] += at->share * at->gradient[e];
  }
  for (int k = 0; k < joints->single_count; k++) {
    const int e = joints->single[k].entry;
    values[matrix->row_slot[e]] += at->gradient[e];
  }
  for (int k = 0; k < joints->block_count; k++) {
    const vida_lie_block* block = &joints->block[k];
    const double *b = at->gradient + block->first, *t = matrix->frames[block->body].tangent;
    for (int c = 0; c < 3; c++) {
      values[matrix->row_slot[block->first + c]] += b[0] * t[c] + b[1] * t[3 + c] + b[2] * t[6 + c];
    }
  }
  for (int k = 0; k < joints->rows && self->model.redundant; k++) {
    values[matrix->diagonal[k]] -= self->model.redundancy[joints->row[k]];
  }
}

int vida__lie_matrix_factor(VidaIntegration* self, const vida_lie_joints* joints,
                            vida_lie_matrix* matrix, const vida_lie_point* at) {
  const vida_lie_state* lie = self->state;
  double* values = matrix->linear ? matrix->linear->values : NULL;
  const int code = values ? find_slopes(self, matrix, at) : VIDA_SUCCESS;
  if (code || !values) {
    return code;
  }
  vida__linear_clear(matrix->linear);
  for (int b = 0; b < lie->bodies; b++) {
    double q[4];
    vida__lie_body_components(&lie->body[b], at->q, q);
    find_frame(at, q, joints->of_body[b], &matrix->frames[b]);
    add_body(&lie->body[b], at, joints->of_body[b], &matrix->frames[b], matrix->body_slot + 3 * b,
             values);
  }
  for (int j = 0; j < lie->others; j++) {
    values[matrix->other_slot[j]] += at->ratio * lie->mass[lie->other[j]];
  }
  add_slopes(matrix, at, values);
  add_joints(self, joints, matrix, at, values);
  self->statistics.factorizations++;
  return vida__linear_factor(matrix->linear);
}

int vida__lie_matrix_solve(vida_lie_matrix* matrix, const double* r, double* x) {
  return matrix->linear ? vida__linear_solve(matrix->linear, r, x) : VIDA_SUCCESS;
}

void vida__lie_matrix_record(vida_lie_matrix* matrix, VidaRecord* record) {
  vida__linear_record(matrix->linear, record);
}
