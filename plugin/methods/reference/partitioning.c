/* Coordinate partitioning (Ascher, Chin, Petzold and Reich 1995, section 3.1): the ODE of the
 * state-space variables u = R q, where R is constant during a step, with q and v from the
 * constraints on both levels.
 *
 * All computations use x = W q with the square roots of the masses at the start, which makes
 * coordinates of all units comparable. The components of a vector or quaternion have the same
 * weight: the lightest component changes as the body rotates, and would be chosen as dependent even
 * if the constraints hardly determine it. Rows of R are orthonormal: unit vectors, or a basis of
 * the tangent space of the constraints where R was chosen. Dependent rows are left out.
 * Nonholonomic rows have no position level, so the two levels may have different R.
 *
 * A large system needs no R if it is a basis of the tangent space and is chosen anew after each
 * step: u then stands for q itself, up to its part across the constraints at the choice, where
 * R q = u and g = 0 are q = u + M^-1 G_0^T mu with multipliers mu for which g vanishes. The
 * matrices [M, -G_0^T; G, 0] are sparse, and since tables are the same for all bases of a space,
 * so are the steps. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "base/text.h"
#include "methods/reference/underlying_ode.h"

enum { PIVOTING, TANGENT };
enum { MOST_ITERATIONS = 15 };
enum { LEAST_SPARSE = 40 }; /* coordinates from which on the matrices are sparse */

/* One level: [R; G] x = (u, ...), with `rows` rows of G below the n - rows rows of R. */
typedef struct level {
  int rows;
  int* place;     /* m: index of a row of G among them; -1: not among them */
  double* r;      /* (n - rows) x n, row by row */
  double quality; /* when it was chosen: the largest |dx| for |du| = 1, about */
} level;

typedef struct partition {
  level position, velocity;
  vida_pattern pattern; /* n x n, full */
  SUNContext context;
  vida_linear* linear;
  double* entries;          /* of G */
  double* state;            /* 2 n: q and v that were found last: the next guess */
  double* side;             /* n + m: right side, solution */
  double *weight, *inverse; /* n: W, and one by it */
  double* basis;            /* n x n: work of choosing */
  bool* taken;              /* n: work */
  double bound;             /* of how `quality` may grow */
  int choice;
  bool is_sparse; /* there is no R: see above */
  double* base;   /* entries of G where R would have been chosen */
  bool is_stale;  /* R must be chosen again at the node */
} partition;

static partition* partition_of(const underlying_ode* own) {
  return own->extra;
}

/* ---- creation -------------------------------------------------------------------------------- */

static void destroy(VidaIntegration* self) {
  underlying_ode* own = self->state;
  partition* part = own ? own->extra : NULL;
  vida__underlying_destroy(self);
  if (!part) {
    return;
  }
  vida__linear_destroy(&part->linear);
  vida__leave_context(self->services, &part->context);
  free(part->pattern.column_start);
  free(part->pattern.row);
  free(part->position.place);
  free(part->entries);
  free(part->taken);
  free(part);
}

static size_t count_numbers(const partition* part, const VidaIntegration* self) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  return 2 * entries + 5 * n + m + 3 * (part->is_sparse ? 0 : n * n);
}

static void record_level(VidaRecord* record, const VidaIntegration* self, level* at) {
  vida__record_same(record, "independent rows", 1, &at->rows); /* as at the start */
  vida__record_integers(record, at->place, (size_t)self->model.m, -1, self->model.m - 1);
  VidaRecord_Reals(record, &at->quality, 1);
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  underlying_ode* own = self->state;
  partition* part = partition_of(own);
  vida__underlying_state(self, record);
  VidaRecord_Reals(record, part->entries, count_numbers(part, self));
  record_level(record, self, &part->position);
  record_level(record, self, &part->velocity);
  VidaRecord_Flag(record, &part->is_stale);
  vida__linear_record(part->linear, record);
}

static int build_full_pattern(vida_pattern* pattern, int n) {
  pattern->size = n;
  pattern->entries = n * n;
  pattern->column_start = vida__allocate((size_t)n + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate((size_t)n * (size_t)n, sizeof *pattern->row);
  if (!pattern->column_start || !pattern->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int j = 0; j < n; j++) {
    pattern->column_start[j + 1] = (sunindextype)n * (j + 1);
    for (int i = 0; i < n; i++) {
      pattern->row[j * n + i] = i;
    }
  }
  return VIDA_SUCCESS;
}

static int allocate(partition* part, const VidaIntegration* self) {
  const size_t n = (size_t)self->model.n, m = (size_t)self->model.m;
  const size_t entries = (size_t)self->model.system->entry_count;
  part->position.place = vida__allocate(2 * m, sizeof *part->position.place);
  part->entries = vida__allocate(count_numbers(part, self), sizeof *part->entries);
  part->taken = vida__allocate(n, sizeof *part->taken);
  if (!part->position.place || !part->entries || !part->taken ||
      (!part->is_sparse && build_full_pattern(&part->pattern, self->model.n)) ||
      vida__take_context(self->services, &part->context)) {
    return VIDA_OUT_OF_MEMORY;
  }
  part->velocity.place = part->position.place + m;
  part->base = part->entries + entries;
  part->state = part->base + entries;
  part->side = part->state + 2 * n;
  part->weight = part->side + n + m;
  part->inverse = part->weight + n;
  if (part->is_sparse) {
    return VIDA_SUCCESS;
  }
  part->position.r = part->inverse + n;
  part->velocity.r = part->position.r + n * n;
  part->basis = part->velocity.r + n * n;
  return VIDA_SUCCESS;
}

/* Remaining length of unit rows that depend on others within rounding. */
static const double least_part = 16.0 * DBL_EPSILON;

/* ---- R --------------------------------------------------------------------------------------- */

/* Finds the rows of G of a level: the independent ones, for positions only holonomic ones. */
static void choose_rows(const VidaIntegration* self, level* at, bool holonomic_only) {
  const int* dependent = NULL;
  const int count = vida__dependent_rows(self, &dependent);
  at->rows = 0;
  for (int r = 0; r < self->model.m; r++) {
    bool is_in = !(holonomic_only && self->model.system->rows[r].is_nonholonomic);
    for (int k = 0; k < count; k++) {
      is_in = is_in && dependent[k] != r;
    }
    at->place[r] = is_in ? at->rows++ : -1;
  }
}

/* Normalizes a row. Returns its previous length. */
static double scale_to_one(double* row, int n) {
  double square = 0.0;
  for (int j = 0; j < n; j++) {
    square += row[j] * row[j];
  }
  for (int j = 0; j < n && square > 0.0; j++) {
    row[j] /= sqrt(square);
  }
  return sqrt(square);
}

/* Writes the rows of G of the level, in x and normalized, as the rows of `matrix`. */
static void scale_rows(const underlying_ode* own, const level* at, double* matrix) {
  const partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const VidaSystem* system = self->model.system;
  memset(matrix, 0, (size_t)at->rows * (size_t)self->model.n * sizeof *matrix);
  for (int e = 0; e < system->entry_count; e++) {
    const int place = at->place[system->entries[e].row], j = system->entries[e].coordinate;
    if (place >= 0) {
      matrix[(size_t)place * (size_t)self->model.n + (size_t)j] +=
          part->entries[e] * part->inverse[j];
    }
  }
  for (int r = 0; r < at->rows; r++) {
    scale_to_one(matrix + (size_t)r * (size_t)self->model.n, self->model.n);
  }
}

/* Gaussian elimination with complete pivoting: coordinates that are never a pivot are the
 * independent ones. */
static int choose_by_pivots(partition* part, level* at, int n) {
  double* a = part->basis;
  memset(part->taken, 0, (size_t)n * sizeof *part->taken);
  for (int k = 0; k < at->rows; k++) {
    int row = k, column = -1;
    double largest = -1.0;
    for (int i = k; i < at->rows; i++) {
      for (int j = 0; j < n; j++) {
        if (!part->taken[j] && fabs(a[i * n + j]) > largest) {
          largest = fabs(a[i * n + j]);
          row = i;
          column = j;
        }
      }
    }
    if (!(largest > n * least_part)) {
      return VIDA_STEP_SINGULAR;
    }
    part->taken[column] = true;
    for (int j = 0; j < n; j++) {
      const double swapped = a[k * n + j];
      a[k * n + j] = a[row * n + j];
      a[row * n + j] = swapped;
    }
    for (int i = k + 1; i < at->rows; i++) {
      const double factor = a[i * n + column] / a[k * n + column];
      for (int j = 0; j < n; j++) {
        a[i * n + j] -= factor * a[k * n + j];
      }
    }
  }
  memset(at->r, 0, (size_t)n * (size_t)n * sizeof *at->r);
  for (int j = 0, i = 0; j < n; j++) {
    if (!part->taken[j]) {
      at->r[(i++) * n + j] = 1.0;
    }
  }
  return VIDA_SUCCESS;
}

/* Makes a row orthogonal to the first `count` rows of the basis, and normalizes it. Returns its
 * length before normalization. */
static double make_orthonormal(double* basis, int count, int n, double* row) {
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      double product = 0.0;
      for (int j = 0; j < n; j++) {
        product += basis[k * n + j] * row[j];
      }
      for (int j = 0; j < n; j++) {
        row[j] -= product * basis[k * n + j];
      }
    }
  }
  return scale_to_one(row, n);
}

/* Computes R with R G^T = 0: orthonormalizes the rows of G, then adds the unit vectors that are
 * farthest from the space of the basis. */
static int choose_tangent(partition* part, level* at, int n) {
  double* basis = part->basis;
  for (int k = 0; k < at->rows; k++) {
    if (!(make_orthonormal(basis, k, n, basis + k * n) > n * least_part)) {
      return VIDA_STEP_SINGULAR;
    }
  }
  for (int k = at->rows; k < n; k++) {
    int farthest = 0;
    double most = -1.0;
    for (int j = 0; j < n; j++) {
      double rest = 1.0;
      for (int i = 0; i < k; i++) {
        rest -= basis[i * n + j] * basis[i * n + j];
      }
      farthest = rest > most ? j : farthest;
      most = fmax(most, rest);
    }
    double* row = basis + k * n;
    memset(row, 0, (size_t)n * sizeof *row);
    row[farthest] = 1.0;
    make_orthonormal(basis, k, n, row);
    memcpy(at->r + (k - at->rows) * n, row, (size_t)n * sizeof *row);
  }
  return VIDA_SUCCESS;
}

/* Factors [M, -G_0^T; G, 0], where rows that are not among those of the level are left out. */
static int factor_sparse(underlying_ode* own, const level* at) {
  partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const VidaSystem* system = self->model.system;
  double* matrix = part->linear->values;
  vida__linear_clear(part->linear);
  for (int i = 0; i < self->model.n; i++) {
    matrix[system->mass_slot[i]] = part->weight[i] * part->weight[i];
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    if (at->place[entry->row] >= 0) {
      const double stiffness = self->model.matrix_stiffness[entry->row];
      matrix[entry->row_slot] += part->entries[e] / stiffness;
      matrix[entry->column_slot] -= part->base[e] / stiffness;
    }
  }
  for (int r = 0; r < self->model.m; r++) {
    if (at->place[r] < 0) {
      matrix[vida__constraint_diagonal(system, r)] = 1.0;
    }
  }
  return vida__linear_factor(part->linear);
}

/* Factors [R; G] with G in part->entries. */
static int factor(underlying_ode* own, const level* at) {
  partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const VidaSystem* system = self->model.system;
  const int n = self->model.n, free_count = n - at->rows;
  if (part->is_sparse) {
    return factor_sparse(own, at);
  }
  double* matrix = part->linear->values;
  vida__linear_clear(part->linear);
  for (int i = 0; i < free_count; i++) {
    for (int j = 0; j < n; j++) {
      matrix[j * n + i] = at->r[i * n + j];
    }
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int row = system->entries[e].row, j = system->entries[e].coordinate;
    if (at->place[row] >= 0) {
      matrix[j * n + free_count + at->place[row]] +=
          part->entries[e] * part->inverse[j] / self->model.matrix_stiffness[row];
    }
  }
  return vida__linear_factor(part->linear);
}

/* Returns the largest |dx| for unit vectors du with the last factors: the norm of the part of [R;
 * G]^-1 that belongs to R (Ascher, Chin, Petzold and Reich 1995, eq. 3.2). */
static int measure(partition* part, const level* at, int n, double* quality) {
  int code = VIDA_SUCCESS;
  double largest = 1.0;
  for (int k = 0; k < n - at->rows && !code; k++) {
    double square = 0.0;
    memset(part->side, 0, (size_t)n * sizeof *part->side);
    part->side[k] = 1.0;
    code = vida__linear_solve(part->linear, part->side, part->side);
    for (int j = 0; j < n; j++) {
      square += part->side[j] * part->side[j];
    }
    largest = fmax(largest, square);
  }
  *quality = sqrt(largest);
  return code;
}

static int choose_basis(underlying_ode* own, level* at) {
  partition* part = partition_of(own);
  if (part->is_sparse) {
    return factor_sparse(own, at);
  }
  scale_rows(own, at, part->basis);
  return part->choice == PIVOTING ? choose_by_pivots(part, at, own->self->model.n)
                                  : choose_tangent(part, at, own->self->model.n);
}

static int choose(underlying_ode* own, level* at) {
  partition* part = partition_of(own);
  int code = choose_basis(own, at);
  if (code) {
    return vida__fail(&vida__equations_evaluator(own->equations)->error, code,
                      "the constraints have become dependent: a singular configuration, in which "
                      "there are more independent coordinates than before");
  }
  if (part->bound == 1.0) {
    return VIDA_SUCCESS; /* nothing is compared with the quality */
  }
  code = factor(own, at);
  return code ? code : measure(part, at, own->self->model.n, &at->quality);
}

/* Computes u = R x. */
static void reduce(const partition* part, const level* at, const double* q, double* u) {
  const int n = part->pattern.size;
  for (int i = 0; i < n - at->rows; i++) {
    u[i] = 0.0;
    for (int j = 0; j < n; j++) {
      u[i] += at->r[i * n + j] * part->weight[j] * q[j];
    }
  }
}

/* Computes y = (u, u') for q and v, padded with 0 if there are no degrees of freedom. */
static void find_reduced(const underlying_ode* own, const double* q, const double* v, double* y) {
  const partition* part = partition_of(own);
  const size_t n = (size_t)own->self->model.n;
  if (part->is_sparse) {
    memmove(y, q, n * sizeof *q);
    memmove(y + n, v, n * sizeof *v);
    return;
  }
  memset(y, 0, (size_t)own->size * sizeof *y);
  reduce(part, &part->position, q, y);
  reduce(part, &part->velocity, v, y + own->self->model.n - part->position.rows);
}

/* Computes the tolerances of u as |R| times those of x. */
static void set_tolerances(underlying_ode* own) {
  const partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const int n = self->model.n;
  double* tolerance = vida__ode_tolerances(own->ode);
  if (part->is_sparse) {
    memcpy(tolerance, own->tolerance, 2 * (size_t)n * sizeof *tolerance);
    return;
  }
  for (int l = 0; l < 2; l++) {
    const level* at = l == 0 ? &part->position : &part->velocity;
    for (int i = 0; i < n - at->rows; i++) {
      double square = 0.0;
      for (int j = 0; j < n; j++) {
        const double share = at->r[i * n + j] * part->weight[j] * own->tolerance[l * n + j];
        square += share * share;
      }
      *tolerance++ = sqrt(square);
    }
  }
}

/* Chooses R again at q and v, and computes its y. */
static int repartition(underlying_ode* own, double t, const double* state, double* y) {
  partition* part = partition_of(own);
  const int n = own->self->model.n;
  vida_evaluator* evaluator = vida__equations_evaluator(own->equations);
  memmove(part->state, state, 2 * (size_t)n * sizeof *state);
  int code = vida__jacobian(evaluator, t, state, part->entries);
  memcpy(part->base, part->entries,
         (size_t)own->self->model.system->entry_count * sizeof *part->base);
  code = code ? code : choose(own, &part->position);
  code = code ? code : choose(own, &part->velocity);
  if (!code) {
    find_reduced(own, part->state, part->state + n, y);
    set_tolerances(own);
  }
  return code;
}

/* ---- from u back to q ------------------------------------------------------------------------ */

/* Writes the right side of a level: that of R x, with `u` minus `q` (nullable), and that of the
 * rows, `residual`. */
static void fill_side(const underlying_ode* own, const level* at, const double* u, const double* q,
                      const double* residual) {
  const partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const int n = self->model.n;
  const int first = part->is_sparse ? n : n - at->rows;
  if (q && !part->is_sparse) {
    reduce(part, at, q, part->side);
  }
  for (int i = 0; i < first; i++) {
    const double mass = part->is_sparse ? part->weight[i] * part->weight[i] : 1.0;
    const double known = !q ? 0.0 : part->is_sparse ? q[i] : part->side[i];
    part->side[i] = mass * (u[i] - known);
  }
  for (int r = 0; r < self->model.m; r++) {
    if (at->place[r] >= 0) {
      part->side[first + (part->is_sparse ? r : at->place[r])] =
          -residual[r] / self->model.matrix_stiffness[r];
    } else if (part->is_sparse) {
      part->side[first + r] = 0.0;
    }
  }
}

/* Returns the change of coordinate i in the solution of a level. */
static double solved(const partition* part, int i) {
  return part->is_sparse ? part->side[i] : part->side[i] * part->inverse[i];
}

/* Solves R x = u, g(q) = 0 by Newton's method; q contains a guess. */
static int find_positions(underlying_ode* own, double t, const double* u, double* q) {
  partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const level* at = &part->position;
  const int n = self->model.n;
  vida_evaluator* evaluator = vida__equations_evaluator(own->equations);
  /* Convergence is quadratic: after such a small correction the error is rounding. */
  static const double small = 1e-9;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    own->iterations++;
    int code = vida__constraints(evaluator, t, q, NULL, own->g);
    code = code ? code : vida__jacobian(evaluator, t, q, part->entries);
    code = code ? code : factor(own, at);
    fill_side(own, at, u, q, own->g);
    code = code ? code : vida__linear_solve(part->linear, part->side, part->side);
    double largest = 0.0;
    for (int i = 0; i < n && !code; i++) {
      const double step = solved(part, i);
      q[i] += step;
      largest = fmax(largest, fabs(step) / own->position[i]);
      code = isfinite(step) ? VIDA_SUCCESS : VIDA_NOT_FINITE;
    }
    if (code || largest < small) {
      return code;
    }
  }
  return vida__fail(&evaluator->error, VIDA_STEP_NOT_CONVERGED,
                    "the dependent coordinates cannot be computed from the independent ones");
}

/* Solves R x' = u', G v + g_t = 0. */
static int find_velocities(underlying_ode* own, double t, const double* q, const double* rate,
                           double* v) {
  partition* part = partition_of(own);
  const VidaIntegration* self = own->self;
  const level* at = &part->velocity;
  const int n = self->model.n;
  vida_evaluator* evaluator = vida__equations_evaluator(own->equations);
  int code = vida__jacobian(evaluator, t, q, part->entries);
  code = code ? code : vida__constraint_rate(evaluator, t, q, own->g_rate);
  code = code ? code : factor(own, at);
  fill_side(own, at, rate, NULL, own->g_rate);
  code = code ? code : vida__linear_solve(part->linear, part->side, part->side);
  for (int i = 0; i < n && !code; i++) {
    v[i] = solved(part, i);
  }
  return code;
}

/* The last solution is the guess. The first iteration moves it by the change of u. */
static int find_state(underlying_ode* own, double t, const double* y, double* state) {
  const partition* part = partition_of(own);
  const int n = own->self->model.n;
  memcpy(state, part->state, 2 * (size_t)n * sizeof *state);
  int code = find_positions(own, t, y, state);
  const double* rate = part->is_sparse ? y + n : y + n - part->position.rows;
  code = code ? code : find_velocities(own, t, state, rate, state + n);
  return code;
}

static int rate(void* data, double t, const double* y, double* rate) {
  underlying_ode* own = data;
  partition* part = partition_of(own);
  const int n = own->self->model.n;
  const double* v = own->found + n;
  int code = find_state(own, t, y, own->found);
  code = code ? code : vida__underlying_find(own, t, own->found, v, own->dq);
  if (!code) {
    find_reduced(own, v, own->dq, rate);
    memcpy(part->state, own->found, 2 * (size_t)n * sizeof *part->state);
  }
  return code;
}

/* After a step: chooses another R if the current one is no longer suitable. */
static int settle(void* data, double t, double* y) {
  underlying_ode* own = data;
  partition* part = partition_of(own);
  const int n = own->self->model.n;
  double now = 1.0;
  int code = find_state(own, t, y, own->found);
  if (code) {
    return code;
  }
  memcpy(part->state, own->found, 2 * (size_t)n * sizeof *part->state);
  if (part->bound == 1.0) {
    return repartition(own, t, part->state, y);
  }
  code = measure(part, &part->velocity, n, &now);
  bool is_bad = now > part->bound * part->velocity.quality;
  if (!code && part->position.rows != part->velocity.rows && !is_bad) {
    code = factor(own, &part->position);
    code = code ? code : measure(part, &part->position, n, &now);
    is_bad = now > part->bound * part->position.quality;
  }
  return code || !is_bad ? code : repartition(own, t, part->state, y);
}

/* `settle` has computed the state. */
static int accept(void* data, double t, const double* y, bool is_end) {
  underlying_ode* own = data;
  (void)y;
  return vida__underlying_accept(own, t, partition_of(own)->state, is_end);
}

/* ---- rows that were left out ----------------------------------------------------------------- */

/* Returns the largest component of W x, in the current state or at the start. */
static double find_size(const partition* part, const double* x, const double* start, int n) {
  double size = 0.0;
  for (int j = 0; j < n; j++) {
    size = fmax(size, part->weight[j] * fmax(fabs(x[j]), start[j]));
  }
  return size;
}

static double find_row_size(const underlying_ode* own, int row) {
  const partition* part = partition_of(own);
  const VidaSystem* system = own->self->model.system;
  double square = 0.0;
  for (int e = 0; e < system->entry_count; e++) {
    const double entry = part->entries[e] * part->inverse[system->entries[e].coordinate];
    square += system->entries[e].row == row ? entry * entry : 0.0;
  }
  return sqrt(square);
}

/* Checks omitted rows. Rows that depended on others only at the start are soon violated: the other
 * rows hold to rounding, and a row that follows from them nearly so, or within a hundred tolerances
 * if they become dependent again. */
static int check_row(underlying_ode* own, int row, const double* state) {
  const double rtol = own->self->adaptive ? VidaOptions_Get(own->self->options, "rtol") : 0.0;
  const double nearly = fmax(1e-6, 100.0 * rtol);
  const partition* part = partition_of(own);
  const VidaSystem* system = own->self->model.system;
  const int n = own->self->model.n;
  const double row_size = nearly * find_row_size(own, row);
  const bool is_position = !system->rows[row].is_nonholonomic &&
                           fabs(own->g[row]) > row_size * find_size(part, state, own->position, n);
  const bool is_velocity =
      fabs(own->g_rate[row]) > row_size * find_size(part, state + n, own->velocity, n);
  if (!is_position && !is_velocity) {
    return VIDA_SUCCESS;
  }
  char value[VIDA_REAL_TEXT_SIZE];
  vida__real_text(value, is_position ? own->g[row] : own->g_rate[row], 3);
  return vida__fail(
      &vida__equations_evaluator(own->equations)->error, VIDA_STEP_SINGULAR,
      "the other constraints implied '%s' at the start, where it was omitted, but they do not any "
      "more: %s is %s; the start is a singular configuration; try another method or another start",
      system->rows[row].name, is_position ? "its value" : "its rate", value);
}

/* Computes the state at a node: find_state. */
static int find_node_state(underlying_ode* own, double t, const double* y, double* state) {
  const VidaIntegration* self = own->self;
  const partition* part = partition_of(own);
  const int* dependent = NULL;
  const int count = vida__dependent_rows(self, &dependent);
  int code = find_state(own, t, y, state);
  if (code || count == 0) {
    return code;
  }
  code = vida__constraints(vida__equations_evaluator(own->equations), t, state, NULL, own->g);
  vida__add_constraint_velocity(self->model.system, part->entries, 1.0, state + self->model.n,
                                own->g_rate);
  for (int k = 0; k < count && !code; k++) {
    code = check_row(own, dependent[k], state);
  }
  return code;
}

/* ---- method ---------------------------------------------------------------------------------- */

static int check(const VidaOptions* options, VidaError* error) {
  const int code = vida__refuse_multistep(
      options, "which ends with each change of the independent coordinates", error);
  return code ? code : vida__underlying_check(options, error);
}

static int create(VidaIntegration* self, VidaError* error) {
  const vida_ode_functions functions = {.rate = rate, .settle = settle, .accept = accept};
  const int code = vida__underlying_create(self, functions, error);
  if (code) {
    return code;
  }
  /* The start creates the driver, because the size of its state is known there. */
  underlying_ode* own = self->state;
  vida__ode_destroy(&own->ode);
  partition* part = vida__allocate(1, sizeof *part);
  own->extra = part;
  own->find_state = find_node_state;
  if (!part) {
    return vida__fail_memory(error);
  }
  part->bound = VidaOptions_Get(self->options, "condition_bound");
  part->choice = (int)VidaOptions_Get(self->options, "coordinates");
  part->is_sparse = part->choice == TANGENT && part->bound == 1.0 && self->model.n >= LEAST_SPARSE;
  if (allocate(part, self)) {
    return vida__fail_memory(error);
  }
  return vida__linear_create(
      part->context, part->is_sparse ? &self->model.system->pattern : &part->pattern,
      part->is_sparse ? VIDA_SOLVER_AUTO : VIDA_SOLVER_DENSE, &part->linear, error);
}

static void set_weights(partition* part, const VidaIntegration* self) {
  memcpy(part->weight, self->model.matrix_root, (size_t)self->model.n * sizeof *part->weight);
  vida__share_sizes(self->model.system, part->weight);
  for (int i = 0; i < self->model.n; i++) {
    part->inverse[i] = 1.0 / part->weight[i];
  }
}

static int start(VidaIntegration* self, VidaError* error) {
  underlying_ode* own = self->state;
  partition* part = partition_of(own);
  set_weights(part, self);
  choose_rows(self, &part->position, true);
  choose_rows(self, &part->velocity, false);
  const int size = part->is_sparse ? 2 * self->model.n
                                   : 2 * self->model.n - part->position.rows - part->velocity.rows;
  int code = vida__underlying_resize(own, size > 0 ? size : 1, error);
  code = code ? code : vida__underlying_start(self, error);
  if (code) {
    return code;
  }
  part->is_stale = false;
  code = repartition(own, self->node.t0, own->state, own->y);
  return code ? vida__underlying_failed(own, code, error) : VIDA_SUCCESS;
}

/* A step that fails may have changed R. */
static int step(VidaIntegration* self, VidaError* error) {
  underlying_ode* own = self->state;
  partition* part = partition_of(own);
  if (part->is_stale) {
    const int code = repartition(own, vida__node_time(self), own->state, own->y);
    if (code) {
      return vida__underlying_failed(own, code, error);
    }
    part->is_stale = false;
  }
  const int code = vida__underlying_step(self, error);
  part->is_stale = code != VIDA_SUCCESS;
  return code;
}

static void undo(VidaIntegration* self) {
  underlying_ode* own = self->state;
  vida__underlying_undo(self);
  partition_of(own)->is_stale = true;
}

static const VidaOptionRow options[] = {
    VIDA_INTEGRATOR_ROW,
    {"coordinates", VIDA_OPTION_CHOICE, "", TANGENT, 0.0, 1.0, false, "pivoting|tangent",
     "The independent coordinates R q: those that remain after elimination in G with the largest "
     "pivots, or combinations with R G^T = 0 at the configuration of the choice; both in the mass "
     "metric. Combinations have smaller errors."},
    {"condition_bound", VIDA_OPTION_REAL, "1", 1.0, 1.0, INFINITY, false, NULL,
     "They are chosen anew after a step in which the norm of the part of [R; G]^-1 that belongs to "
     "R has grown by this factor; 1: after each step. Larger factors save little time and increase "
     "the errors."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__coordinate_partitioning = {
    .size = sizeof(VidaMethod),
    .info = {"coordinate-partitioning",
             "the ODE of independent coordinates, with the others from the constraints",
             "Wehage and Haug 1982; Ascher, Chin, Petzold, Reich 1995, section 3.1",
             "Explicit: stable for steps below a fraction of the shortest period, in which the "
             "chosen coordinates stay independent. Both levels of constraints hold to rounding. "
             "Factors dense matrices of n rows; from 40 coordinates on, with tangent coordinates "
             "that are chosen after each step, sparse ones.",
             5,
             VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC |
                 VIDA_CAN_ADAPTIVE | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .common = vida__ode_options,
    .options = options,
    .check = check,
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .undo = undo,
    .velocities = vida__underlying_velocities,
    .energy = vida__node_energy,
    .order = vida__underlying_order,
    .destroy = destroy};
