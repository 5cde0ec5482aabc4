/* The start of del-chart: finds the chart coordinates of the initial state, and checks the chart.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/variational/chart.h"

/* Bounds for rounding errors of values that are exactly zero. */
static const double rounding = 1e-13;
enum { MOST_SEARCH_STEPS = 200, MOST_HALVINGS = 40, MOST_PLACES = 30 };

/* Computes bracket = target - phi(x), and its weighted square, infinite if phi is not defined. */
static double measure_miss(VidaIntegration* self, const double* x, const double* target) {
  vida_chart_state* own = self->state;
  double sum = 0.0;
  if (vida__chart_value(&own->tapes, x, own->position, &self->model.evaluator.error)) {
    return INFINITY;
  }
  for (int i = 0; i < self->model.n; i++) {
    own->bracket[i] = target[i] - own->position[i];
    sum += own->weight[i] * own->bracket[i] * own->bracket[i];
  }
  return sum;
}

/* Relative to the largest coordinate. */
static const double least_size = 1e-12;

/* The weights of coordinates follow from their sizes at the target and at the first guess, not from
 * masses: the lightest part must start correctly, too. */
static bool measure_weights(VidaIntegration* self, const double* target) {
  vida_chart_state* own = self->state;
  double largest = 0.0;
  if (vida__chart_value(&own->tapes, own->trial, own->position, &self->model.evaluator.error)) {
    return false;
  }
  for (int i = 0; i < self->model.n; i++) {
    own->weight[i] = fabs(target[i]) + fabs(own->position[i]);
    largest = fmax(largest, own->weight[i]);
  }
  /* A coordinate that passes through zero has no significant size there, only rounding. */
  for (int i = 0; i < self->model.n; i++) {
    const double size = own->weight[i] > least_size * largest ? own->weight[i] : largest;
    own->weight[i] = size > 0.0 ? 1.0 / (size * size) : 1.0;
  }
  return true;
}

/* Computes the Gauss-Newton direction in `solution`, with J in entries1. A chart coordinate without
 * effect here does not change. */
static void find_direction(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  vida__chart_fill_gram(self, own->weight, own->entries1);
  const int rank = vida__chart_factor_gram(own, own->rate);
  for (int i = 0; i < self->model.n; i++) {
    own->w_work[i] = own->bracket[i] * own->weight[i];
  }
  vida__chart_pull(own->chart, own->entries1, own->w_work, own->right);
  vida__chart_solve_gram(own, rank, own->rate);
}

/* Gauss-Newton iteration with step halving from own->trial for phi(x) = target, until nothing
 * improves. Returns the remaining error relative to the sizes of the coordinates. */
static double search_position(VidaIntegration* self, const double* target) {
  vida_chart_state* own = self->state;
  bool improves = measure_weights(self, target);
  double left = improves ? measure_miss(self, own->trial, target) : INFINITY;
  for (int k = 0; k < MOST_SEARCH_STEPS && improves && left > 0.0; k++) {
    if (vida__chart_jacobian(&own->tapes, own->trial, own->entries1,
                             &self->model.evaluator.error)) {
      return INFINITY;
    }
    find_direction(self);
    improves = false;
    double part = 1.0;
    for (int i = 0; i < MOST_HALVINGS && !improves; i++, part *= 0.5) {
      for (int j = 0; j < own->d; j++) {
        own->x1[j] = own->trial[j] + part * own->solution[j];
      }
      const double miss = measure_miss(self, own->x1, target);
      improves = miss < left;
      left = improves ? miss : left;
    }
    if (improves) {
      memcpy(own->trial, own->x1, (size_t)own->d * sizeof(double));
    }
    /* `bracket` is that of own->trial again */
    measure_miss(self, own->trial, target);
  }
  return sqrt(left);
}

/* Computes the sizes of the columns of J at `near`, which determine the other starting points. */
static void measure_near(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  for (int k = 0; k < own->d; k++) {
    own->trial[k] = own->chart->coordinates[k].near;
    own->largest_size[k] = 0.0;
  }
  if (measure_weights(self, self->node.q) &&
      !vida__chart_jacobian(&own->tapes, own->trial, own->entries1, &self->model.evaluator.error)) {
    vida__chart_fill_gram(self, own->weight, own->entries1);
    vida__chart_factor_gram(own, own->largest_size);
  }
}

/* Sets own->trial to `near`, with every chart coordinate changed so that the system moves by up to
 * three times its size; a coordinate without effect there (an angle about a pole) changes by as
 * many units. The points are the same in every run. */
static void move_start(vida_chart_state* own, unsigned* random) {
  for (int k = 0; k < own->d; k++) {
    *random = *random * 1664525u + 1013904223u;
    const double part = 6.0 * ((double)(*random >> 8) / (double)(1u << 24) - 0.5);
    const double size = own->largest_size[k] > 0.0 ? own->largest_size[k] : 1.0;
    own->trial[k] = own->chart->coordinates[k].near + part / size;
  }
}

/* Searches from `near`, from the previous position of the chart, and from points around `near`.
 * From the point opposite to the start, for example, Gauss-Newton does not converge. */
static double search_everywhere(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  unsigned random = 1;
  measure_near(self);
  double left = search_position(self, self->node.q);
  if (!(left <= VIDA_ON_MANIFOLD) && own->has_position) {
    memcpy(own->trial, own->x, (size_t)own->d * sizeof(double));
    left = search_position(self, self->node.q);
  }
  for (int i = 0; i < MOST_PLACES && !(left <= VIDA_ON_MANIFOLD); i++) {
    move_start(own, &random);
    left = search_position(self, self->node.q);
  }
  return left;
}

/* Finds x with phi(x) = q. */
static int find_position(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  const size_t bytes = (size_t)own->d * sizeof(double);
  int worst = 0;
  char miss[VIDA_REAL_TEXT_SIZE];
  double left = search_everywhere(self);
  if (!(left <=
        VIDA_ON_MANIFOLD)) { /* the message is about the point that the search from `near` found */
    measure_near(self);
    left = search_position(self, self->node.q);
  }
  if (!isfinite(left)) {
    return vida__fail(error, VIDA_INCONSISTENT_START,
                      "the chart of system '%s' is not defined where the search for its start "
                      "begins: %s",
                      self->model.system->name, self->model.evaluator.error.message);
  }
  measure_miss(self, own->trial, self->node.q);
  for (int i = 0; i < self->model.n; i++) {
    worst = fabs(own->bracket[i]) > fabs(own->bracket[worst]) ? i : worst;
  }
  if (!(left <= VIDA_ON_MANIFOLD)) {
    return vida__fail(error, VIDA_INCONSISTENT_START,
                      "the chart of system '%s' does not reach the start: at the nearest point "
                      "found, the error of coordinate '%s' is %s; give `near` closer to the start",
                      self->model.system->name, self->model.system->coordinates[worst].name,
                      vida__real_text(miss, own->bracket[worst], 3));
  }
  memcpy(own->x, own->trial, bytes);
  memset(own->x_low, 0, bytes);
  memcpy(self->node.q, own->position, (size_t)self->model.n * sizeof(double));
  own->has_position = true;
  return VIDA_SUCCESS;
}

/* Checks G J = 0 by columns. */
static int check_tangents(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  const VidaSystem* system = self->model.system;
  double* direction = own->trial;
  double* size = own->row_work;
  for (int k = 0; k < own->d; k++) {
    memset(direction, 0, (size_t)own->d * sizeof *direction);
    memset(size, 0, (size_t)self->model.m * sizeof *size);
    memset(self->work.g_work, 0, (size_t)self->model.m * sizeof(double));
    direction[k] = 1.0;
    vida__chart_push(own->chart, own->entries, direction, own->w_work);
    vida__add_constraint_velocity(system, self->implicit.entries0, 1.0, own->w_work,
                                  self->work.g_work);
    for (int e = 0; e < system->entry_count; e++) {
      size[system->entries[e].row] +=
          fabs(self->implicit.entries0[e] * own->w_work[system->entries[e].coordinate]);
    }
    for (int r = 0; r < self->model.m; r++) {
      if (fabs(self->work.g_work[r]) > VIDA_ON_MANIFOLD * size[r]) {
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

/* Returns a chart coordinate whose effect on every coordinate is below the rounding of the others;
 * -1 if there is none. There is no earlier size to compare it with. */
static int find_vanished(VidaIntegration* self) {
  vida_chart_state* own = self->state;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* largest = own->w_work;
  bool moves = false;
  memset(largest, 0, (size_t)self->model.n * sizeof *largest);
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

/* Checks the rank of J, G J = 0, and that there are as many chart coordinates as degrees of
 * freedom. */
static int check_chart(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  int singular;
  vida__chart_measure(self, own->entries, &singular);
  if (singular < 0) {
    singular = find_vanished(self);
  }
  if (singular >= 0) {
    return vida__chart_fail_singular(self, self->node.t0, singular, "is singular", error);
  }
  const int code = check_tangents(self, error);
  if (code) {
    return code;
  }
  vida__chart_factor_rows(self);
  if (own->d + own->row_rank != self->model.n) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "system '%s' has %d degrees of freedom, but its chart has %d coordinates",
                      self->model.system->name, self->model.n - own->row_rank, own->d);
  }
  return VIDA_SUCCESS;
}

/* Computes the rate with J rate = v0, with the factors of vida__chart_measure. */
static int find_start_rate(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  const vida_chart_matrix* matrix = &own->chart->jacobian;
  double* size = own->bracket;
  double speed = 0.0;
  char miss[VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < self->model.n; i++) {
    own->w_work[i] = self->node.v[i] * own->mass[i];
    size[i] = fabs(self->node.v[i]);
    speed = fmax(speed, size[i]);
  }
  vida__chart_pull(own->chart, own->entries, own->w_work, own->right);
  vida__chart_solve_gram(own, own->d, own->column_size);
  memcpy(own->rate, own->solution, (size_t)own->d * sizeof(double));
  vida__chart_push(own->chart, own->entries, own->rate, own->w_work);
  for (int e = 0; e < matrix->count; e++) {
    size[matrix->row[e]] += fabs(own->entries[e] * own->rate[matrix->column[e]]);
  }
  for (int i = 0; i < self->model.n; i++) {
    const double left = self->node.v[i] - own->w_work[i];
    if (fabs(left) > VIDA_ON_MANIFOLD * size[i] + rounding * speed) {
      return vida__fail(
          error, VIDA_INCONSISTENT_START,
          "the initial velocity of '%s' is not a velocity of the chart: %s of it has no chart rate",
          self->model.system->coordinates[i].name, vida__real_text(miss, left, 3));
    }
  }
  memcpy(self->node.v, own->w_work, (size_t)self->model.n * sizeof(double));
  return VIDA_SUCCESS;
}

int vida__chart_start(VidaIntegration* self, VidaError* error) {
  vida_chart_state* own = self->state;
  own->has_step = false;
  own->turned = false;
  for (int i = 0; i < self->model.n; i++) {
    own->mass[i] = self->model.root_mass[i] * self->model.root_mass[i];
  }
  int code = find_position(self, error);
  if (code) {
    return code;
  }
  memset(own->largest_size, 0, (size_t)own->d * sizeof(double));
  code = vida__chart_jacobian(&own->tapes, own->x, own->entries, &self->model.evaluator.error);
  code = code ? code
              : vida__jacobian(&self->model.evaluator, self->node.t0, self->node.q,
                               self->implicit.entries0);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = check_chart(self, error);
  code = code ? code : vida__chart_check_constraints(self, self->node.t0, self->node.q, error);
  code = code ? code : find_start_rate(self, error);
  if (code) {
    return code;
  }
  code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                        self->work.l_q, self->work.l_v);
  memcpy(self->node.p, self->work.l_v, (size_t)self->model.n * sizeof(double));
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}
