/* simo-wong: rigid bodies with exact energy and exact angular momentum (Simo and Wong 1991), with
 * potentials by their discrete derivatives.
 *
 * A body turns about the mean of its rates at both ends, w = J^-1 (Pi0 + Pi1)/2 in the body, while
 * its angular momentum in space changes by a moment, pi1 = pi0 + h m with Pi = R^T pi. For the axis
 * of the turn is the same in both frames, R1 w = R0 w, its kinetic energy changes by
 *     w . (Pi1 - Pi0) = h (R0 w) . m,
 * whatever the angle of the turn is as a function of h |w|. In the paper it is h |w|; here it is
 * that of Cayley's map, tan(angle/2) = h |w|/2, for which Euler's equations go by the midpoint
 * rule. What follows for m is in simo_wong_forces.c. Other coordinates go by the midpoint rule.
 *
 * Unknowns are w of bodies and the mean rates of other coordinates. Turns are written by
 * s = tan(angle/4) in the direction of the axis: the quaternion of the turn is (k - 1, k s) with
 * k = 2/(1 + s s). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/given_solver.h"
#include "base/memory.h"
#include "methods/rigid/simo_wong.h"

typedef vida_simo_state simo_state;

static const vida_lie_state* lie_of(const VidaIntegration* self) {
  return self->state;
}

static simo_state* simo_of(const VidaIntegration* self) {
  return lie_of(self)->more;
}

/* ---- the equations --------------------------------------------------------------------------- */

/* Computes the angular momentum at the end in the frame of the start. */
static void find_pushed(const VidaIntegration* self, int b, const double s[3], double pushed[3]) {
  vida__simo_moment(self, b, s, pushed);
  for (int i = 0; i < 3; i++) {
    pushed[i] = simo_of(self)->spin[3 * b + i] + self->node.h * pushed[i];
  }
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const vida_lie_state* lie = lie_of(self);
  const simo_state* own = simo_of(self);
  const int code = vida__simo_forces(self, u);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    const double* w = u + part->first;
    double s[3], pushed[3], end[3];
    if (part->width == 1) {
      const int i = part->coordinate[0];
      r[part->first] = lie->mass[i] * w[0] - (self->node.p[i] + self->node.p_low[i]) -
                       0.5 * self->node.h * lie->force[i];
      continue;
    }
    const double k = vida__simo_turn(self, w, s);
    const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
    find_pushed(self, b, s, pushed);
    vida__lie_turn_to_body(turn, pushed, end);
    vida__lie_multiply(lie->body[b].inertia, w, r + part->first);
    for (int i = 0; i < 3; i++) {
      r[part->first + i] -= 0.5 * (own->spin[3 * b + i] + end[i]);
    }
  }
  return code;
}

/* y = d(F^T)/d s_j x */
static void turn_slope(const double s[3], double k, int j, const double x[3], double y[3]) {
  double axis[3], axis_slope[3], once[3], once_slope[3], twice[3], mixed[3];
  for (int i = 0; i < 3; i++) {
    axis[i] = -k * s[i];
    axis_slope[i] = k * k * s[j] * s[i] - (i == j ? k : 0.0);
  }
  vida__lie_cross(axis, x, once);
  vida__lie_cross(axis_slope, x, once_slope);
  vida__lie_cross(axis_slope, once, mixed);
  vida__lie_cross(axis, once_slope, twice);
  for (int i = 0; i < 3; i++) {
    y[i] = 2.0 * (-k * k * s[j] * once[i] + (k - 1.0) * once_slope[i] + mixed[i] + twice[i]);
  }
}

/* ds/dw */
static void find_turn_slopes(const VidaIntegration* self, const double* w, double slopes[3][3]) {
  const double half = 0.5 * self->node.h;
  const double c[3] = {half * w[0], half * w[1], half * w[2]};
  const double root = sqrt(1.0 + vida__lie_dot(c, c));
  const double share = 1.0 / (1.0 + root);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      slopes[i][j] = half * share * ((i == j ? 1.0 : 0.0) - share * c[i] * c[j] / root);
    }
  }
}

/* Computes the derivatives of a body's rows with respect to its own s, at constant forces. */
static void find_own_block(VidaIntegration* self, int b, const double s[3], double k,
                           double block[3][3]) {
  const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
  double pushed[3];
  find_pushed(self, b, s, pushed);
  for (int j = 0; j < 3; j++) {
    double slope[3], push[3], turned[3];
    turn_slope(s, k, j, pushed, slope);
    vida__simo_moment_slope(self, b, s, j, push);
    vida__lie_turn_to_body(turn, push, turned);
    for (int i = 0; i < 3; i++) {
      block[i][j] = -0.5 * (slope[i] + self->node.h * turned[i]);
    }
  }
}

/* Computes the derivatives with respect to w, and the coupling of a body to others. */
static void add_body(VidaIntegration* self, int b, const double* w, double* matrix) {
  const vida_lie_body* body = &lie_of(self)->body[b];
  simo_state* own = simo_of(self);
  vida_simo_group* part = &own->group[b];
  double s[3], slopes[3][3], block[3][3], change[4][3];
  const double k = vida__simo_turn(self, w, s);
  const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
  find_turn_slopes(self, w, slopes);
  find_own_block(self, b, s, k, block);
  vida__simo_chain(self, b, s, part, change);
  for (int j = 0; j < 3; j++) {
    const int place = vida__pattern_slot(&own->pattern, part->first, part->first + j);
    for (int i = 0; i < 3; i++) {
      matrix[place + i] += body->inertia[3 * i + j] + block[i][0] * slopes[0][j] +
                           block[i][1] * slopes[1][j] + block[i][2] * slopes[2][j];
    }
    for (int a = 0; a < 4; a++) {
      part->right[a][j] =
          change[a][0] * slopes[0][j] + change[a][1] * slopes[1][j] + change[a][2] * slopes[2][j];
    }
  }
  for (int a = 0; a < 4; a++) {
    for (int kind = 0; kind < 2; kind++) {
      const double column[3] = {part->left[kind][0][a], part->left[kind][1][a],
                                part->left[kind][2][a]};
      double turned[3];
      vida__lie_turn_to_body(turn, column, turned);
      for (int i = 0; i < 3; i++) {
        part->left[kind][i][a] = -0.5 * self->node.h * turned[i];
      }
    }
  }
}

/* Adds the derivatives of the forces with respect to q1, between groups. */
static void add_blocks(const VidaIntegration* self, double* matrix) {
  const simo_state* own = simo_of(self);
  const vida_pattern* from = &self->model.system->pattern;
  for (int j = 0; j < self->model.n; j++) {
    const vida_simo_group* right = &own->group[own->group_of[j]];
    const double sign = right->width == 3 ? -1.0 : 1.0; /* of q1 in the second derivative */
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      const int i = from->row[e] < self->model.n ? (int)from->row[e] : -1;
      if (i < 0 || (own->slopes[0][e] == 0.0 && own->slopes[1][e] == 0.0)) {
        continue;
      }
      const vida_simo_group* left = &own->group[own->group_of[i]];
      const int a = own->part_of[i];
      for (int l = 0; l < right->width; l++) {
        const double change = right->right[own->part_of[j]][l];
        double* column = matrix + own->pattern.column_start[right->first + l] + own->offset[e];
        for (int k = 0; k < left->width; k++) {
          column[k] += change * (left->left[0][k][a] * own->slopes[0][e] +
                                 sign * left->left[1][k][a] * own->slopes[1][e]);
        }
      }
    }
  }
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  simo_state* own = simo_of(self);
  int code = vida__simo_forces(self, u);
  code = code ? code : vida__simo_force_slopes(self, u);
  if (code) {
    return code;
  }
  for (int b = 0; b < own->groups; b++) {
    vida_simo_group* part = &own->group[b];
    if (part->width == 3) {
      add_body(self, b, u + part->first, matrix);
      continue;
    }
    part->left[0][0][0] = -0.5 * self->node.h;
    part->left[1][0][0] = 0.0;
    part->right[0][0] = self->node.h;
    matrix[vida__pattern_slot(&own->pattern, part->first, part->first)] +=
        lie_of(self)->mass[part->coordinate[0]];
  }
  add_blocks(self, matrix);
  return VIDA_SUCCESS;
}

/* ---- sizes and guesses ----------------------------------------------------------------------- */

static double length(const double* x, int count) {
  double square = 0.0;
  for (int i = 0; i < count; i++) {
    square += x[i] * x[i];
  }
  return sqrt(square);
}

static double force_size(const VidaIntegration* self, const vida_simo_group* part) {
  double size = 0.0;
  for (int a = 0; a < part->count; a++) {
    size += simo_of(self)->torque[part->coordinate[a]];
  }
  return fabs(self->node.h) * size;
}

static double momentum_size(const VidaIntegration* self, int b) {
  const simo_state* own = simo_of(self);
  return own->group[b].width == 1 ? fabs(self->node.p[own->group[b].coordinate[0]])
                                  : length(own->spin + 3 * b, 3);
}

static double mass_of(const VidaIntegration* self, int b, int i) {
  const vida_simo_group* part = &simo_of(self)->group[b];
  return part->width == 1 ? lie_of(self)->mass[part->coordinate[0]]
                          : lie_of(self)->body[b].inertia[4 * i];
}

static void sizes(void* data, const double* u, double* size) {
  VidaIntegration* self = data;
  const simo_state* own = simo_of(self);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    double moving = momentum_size(self, b) + force_size(self, part);
    for (int i = 0; i < part->width; i++) {
      moving += mass_of(self, b, i) * fabs(u[part->first + i]);
    }
    for (int i = 0; i < part->width; i++) {
      size[part->first + i] = moving; /* a turn mixes them */
    }
  }
}

/* Computes the rates at the node. */
static void guess_rates(void* data, double* u) {
  VidaIntegration* self = data;
  const vida_lie_state* lie = lie_of(self);
  const simo_state* own = simo_of(self);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    if (part->width == 1) {
      u[part->first] = self->node.p[part->coordinate[0]] / lie->mass[part->coordinate[0]];
    } else {
      vida__lie_multiply(lie->body[b].factors, own->spin + 3 * b, u + part->first);
    }
  }
}

static void guess_unknown(VidaIntegration* self) {
  if (self->implicit.history.count < 2) {
    guess_rates(self, self->implicit.unknown);
  } else {
    vida__extrapolate_unknown(self);
  }
}

/* Prepares the solution by the map. */
static void prepare_map(VidaIntegration* self) {
  const vida_lie_state* lie = lie_of(self);
  simo_state* own = simo_of(self);
  double motion = 0.0;
  for (int b = 0; b < lie->bodies; b++) {
    double q[4];
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    vida__lie_spin(self, &lie->body[b], q, own->spin + 3 * b);
  }
  guess_unknown(self);
  for (int b = 0; b < own->groups; b++) {
    const vida_simo_group* part = &own->group[b];
    const double moving = momentum_size(self, b) + force_size(self, part);
    for (int i = 0; i < part->width; i++) {
      motion = fmax(motion, moving / sqrt(mass_of(self, b, i)));
    }
  }
  motion = motion > 0.0 ? motion : 1.0;
  for (int b = 0; b < own->groups; b++) {
    for (int i = 0; i < own->group[b].width; i++) {
      const double root = sqrt(mass_of(self, b, i));
      vida__map_set_size(self->implicit.map, own->group[b].first + i, motion * root, motion / root);
    }
  }
}

static bool uses_map(const VidaIntegration* self) {
  return !simo_of(self)->is_free || simo_of(self)->turns_far;
}

/* Before the first step the map allocates its memory. */
static int prepare(VidaIntegration* self, VidaError* error) {
  (void)error;
  if (uses_map(self) || self->node.step == 0) {
    prepare_map(self);
  }
  return VIDA_SUCCESS;
}

/* ---- start and step -------------------------------------------------------------------------- */

static void remember_forces(VidaIntegration* self, const double* force) {
  for (int i = 0; i < self->model.n; i++) {
    simo_of(self)->torque[i] = fabs(force[i]);
  }
}

static int start(VidaIntegration* self, VidaError* error) {
  simo_of(self)->turns_far = false;
  simo_of(self)->beside = (VidaStatistics){0};
  int code = vida__lie_start(self, error);
  if (code) {
    return code;
  }
  code = vida__gradient(&self->model.evaluator, self->node.t0, self->node.q, lie_of(self)->rest,
                        self->work.l_q, self->work.l_v);
  remember_forces(self, self->work.l_q);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Without moments, w = J^-1 (Pi0 + Pi1)/2 with Pi1 = F^T Pi0 by Cayley's map is
 *     J c + c x J c = h/2 Pi0,   c = h w / 2 = tan(angle/2) times the axis. */
static int turn_freely(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  int code = VIDA_SUCCESS;
  for (int b = 0; b < lie->bodies && !code; b++) {
    code = vida__lie_find_turn(self, &lie->body[b], 0.0);
  }
  for (int b = 0; b < lie->bodies && !code; b++) {
    vida__lie_rotate(self, &lie->body[b]);
  }
  return code;
}

/* Other coordinates have constant forces. */
static void fly_freely(VidaIntegration* self) {
  const vida_lie_state* lie = lie_of(self);
  for (int j = 0; j < lie->others; j++) {
    const int i = lie->other[j];
    const double kick = self->node.h * self->model.system->uniform_force[i];
    const double w = (self->node.p[i] + self->node.p_low[i] + 0.5 * kick) / lie->mass[i];
    vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->node.h * w);
    if (kick != 0.0) {
      vida__add_compensated(&self->node.p[i], &self->node.p_low[i], kick);
    }
  }
}

static int step_by_map(VidaIntegration* self, VidaError* error) {
  const vida_lie_state* lie = lie_of(self);
  const simo_state* own = simo_of(self);
  int code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  code = vida__simo_forces(self, self->implicit.unknown);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  remember_forces(self, lie->force);
  for (int b = 0; b < own->groups; b++) {
    double s[3], moment[3], in_space[3], q[4], change[4];
    const int i = own->group[b].coordinate[0];
    if (own->group[b].width == 1) {
      vida__add_compensated(&self->node.p[i], &self->node.p_low[i], self->node.h * lie->force[i]);
      vida__add_compensated(&self->node.q[i], &self->node.q_low[i], self->work.dq[i]);
      continue;
    }
    vida__simo_turn(self, self->implicit.unknown + own->group[b].first, s);
    vida__simo_moment(self, b, s, moment);
    vida__lie_body_components(&lie->body[b], self->node.q, q);
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    vida__lie_turn_to_body(back, moment, in_space);
    for (int a = 0; a < 3; a++) {
      const int c = lie->body[b].coordinate[a];
      vida__add_compensated(&self->node.v[c], &self->node.p_low[c], self->node.h * in_space[a]);
    }
    vida__lie_body_components(&lie->body[b], self->work.dq, change);
    vida__lie_advance(self, &lie->body[b], change);
  }
  vida__lie_set_momenta(self);
  return VIDA_SUCCESS;
}

/* Makes a step by the map, which counts only its own iterations. */
static int step_and_count(VidaIntegration* self, VidaError* error) {
  const VidaStatistics* beside = &simo_of(self)->beside;
  const int code = step_by_map(self, error);
  self->statistics.newton_iterations += beside->newton_iterations;
  self->statistics.residual_evaluations += beside->residual_evaluations;
  self->statistics.jacobian_evaluations += beside->jacobian_evaluations;
  return code;
}

static int step(VidaIntegration* self, VidaError* error) {
  simo_state* own = simo_of(self);
  if (uses_map(self)) {
    return step_and_count(self, error);
  }
  if (!turn_freely(self)) {
    fly_freely(self);
    vida__lie_set_momenta(self);
    return VIDA_SUCCESS;
  }
  /* A turn beyond a right angle: the map finds it, or fails with a reason, and continues from its
   * own history. */
  own->turns_far = true;
  own->beside = self->statistics;
  prepare_map(self);
  return step_and_count(self, error);
}

static int step_in_series(VidaIntegration* self) {
  const int code = turn_freely(self);
  if (!code) {
    fly_freely(self);
  }
  return code;
}

/* The first step of a motion prepares the map. */
static long make_series(VidaIntegration* self, long most, bool* is_broken) {
  *is_broken = false;
  if (uses_map(self) || self->node.step == 0) {
    return 0;
  }
  const long made = vida__make_series(self, most, step_in_series, is_broken);
  vida__lie_set_momenta(self);
  return made;
}

/* ---- creation -------------------------------------------------------------------------------- */

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaIntegration* self = list;
  const vida_lie_state* lie = lie_of(self);
  const int other = row - 3 * lie->bodies;
  *kind = other < 0 ? "the turn of the body of" : "coordinate";
  const int coordinate = other < 0 ? lie->body[row / 3].coordinate[0] : lie->other[other];
  return self->model.system->coordinates[coordinate].name;
}

/* Finds the groups that are coupled to one group in the system's pattern: `meets`, by groups. */
static void find_neighbours(const VidaIntegration* self, int column, bool* meets) {
  const simo_state* own = simo_of(self);
  const vida_pattern* from = &self->model.system->pattern;
  memset(meets, 0, (size_t)own->groups * sizeof *meets);
  meets[column] = true;
  for (int a = 0; a < own->group[column].count; a++) {
    const int j = own->group[column].coordinate[a];
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      if (from->row[e] < self->model.n) {
        meets[own->group_of[from->row[e]]] = true;
      }
    }
  }
}

/* Computes the offsets of the blocks of a column of groups, into own->offset. */
static void set_offsets(const VidaIntegration* self, int column, const int* begins) {
  const simo_state* own = simo_of(self);
  const vida_pattern* from = &self->model.system->pattern;
  for (int a = 0; a < own->group[column].count; a++) {
    const int j = own->group[column].coordinate[a];
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      own->offset[e] = from->row[e] < self->model.n ? begins[own->group_of[from->row[e]]] : 0;
    }
  }
}

/* Counts the entries of the pattern, and fills them in if there is memory for them. */
static void fill_pattern(VidaIntegration* self, bool* meets, int* begins) {
  simo_state* own = simo_of(self);
  vida_pattern* pattern = &own->pattern;
  pattern->entries = 0;
  for (int c = 0; c < own->groups; c++) {
    find_neighbours(self, c, meets);
    for (int l = 0; l < own->group[c].width; l++) {
      int count = 0;
      pattern->column_start[own->group[c].first + l] = pattern->entries;
      for (int b = 0; b < own->groups; b++) {
        begins[b] = count;
        for (int k = 0; k < own->group[b].width && meets[b]; k++, count++) {
          if (pattern->row) {
            pattern->row[pattern->entries + count] = own->group[b].first + k;
          }
        }
      }
      pattern->entries += count;
    }
    set_offsets(self, c, begins);
  }
  pattern->column_start[pattern->size] = pattern->entries;
}

static void list_groups(VidaIntegration* self) {
  const vida_lie_state* lie = lie_of(self);
  simo_state* own = simo_of(self);
  int first = 0;
  for (int b = 0; b < own->groups; b++) {
    vida_simo_group* part = &own->group[b];
    const bool is_body = b < lie->bodies;
    part->first = first;
    part->width = is_body ? 3 : 1;
    part->count = is_body ? 4 : 1;
    for (int a = 0; a < part->count; a++) {
      const int i = is_body ? lie->body[b].coordinate[a] : lie->other[b - lie->bodies];
      part->coordinate[a] = i;
      own->group_of[i] = b;
      own->part_of[i] = a;
    }
    first += part->width;
  }
  own->pattern.size = first;
}

static int allocate_state(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  const size_t n = (size_t)self->model.n;
  const size_t groups = (size_t)(lie->bodies + lie->others);
  const size_t entries = (size_t)self->model.system->pattern.entries;
  const size_t numbers = 3 * (size_t)lie->bodies + 4 * n + 2 * entries;
  simo_state* own =
      vida__allocate(1, sizeof *own + groups * sizeof(vida_simo_group) + numbers * sizeof(double) +
                            (n + 1) * sizeof(sunindextype) + (2 * n + entries) * sizeof(int));
  if (!own) {
    return VIDA_OUT_OF_MEMORY;
  }
  lie->more = own;
  own->groups = (int)groups;
  own->group = (vida_simo_group*)(own + 1);
  own->spin = (double*)(own->group + groups);
  own->torque = own->spin + 3 * lie->bodies;
  own->flipped_force = own->torque + n;
  own->flipped = own->flipped_force + n;
  own->flipped_change = own->flipped + n;
  own->slopes[0] = own->flipped_change + n;
  own->slopes[1] = own->slopes[0] + entries;
  own->pattern.column_start = (sunindextype*)(own->slopes[1] + entries);
  own->group_of = (int*)(own->pattern.column_start + n + 1);
  own->part_of = own->group_of + n;
  own->offset = own->part_of + n;
  return VIDA_SUCCESS;
}

static int make_pattern(VidaIntegration* self) {
  simo_state* own = simo_of(self);
  bool* meets = vida__allocate((size_t)own->groups, sizeof *meets);
  int* begins = vida__allocate((size_t)own->groups, sizeof *begins);
  int code = meets && begins ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  if (!code) {
    fill_pattern(self, meets, begins);
    own->pattern.row = vida__allocate((size_t)own->pattern.entries, sizeof *own->pattern.row);
    code = own->pattern.row ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  if (!code) {
    fill_pattern(self, meets, begins);
  }
  free(meets);
  free(begins);
  return code;
}

static int create(VidaIntegration* self, VidaError* error) {
  int code = vida__lie_create(self, false, error);
  if (code) {
    return code;
  }
  if (allocate_state(self)) {
    return vida__fail_memory(error);
  }
  list_groups(self);
  code = vida__simo_check(self, error);
  if (code) {
    return code;
  }
  if (make_pattern(self)) {
    return vida__fail_memory(error);
  }
  simo_of(self)->is_free = !vida__gives_solver(self->services) && vida__simo_is_free(self);
  const vida_map_rows rows = {&simo_of(self)->pattern, &self->model.evaluator, name_of_row, self};
  self->implicit.rows = rows;
  self->implicit.prepare = prepare;
  if (simo_of(self)->is_free) {
    self->series = (vida_step_series){make_series, vida__lie_keep_turns, vida__lie_take_back_turns};
  }
  return VIDA_SUCCESS;
}

static void destroy(VidaIntegration* self) {
  vida_lie_state* lie = self->state;
  simo_state* own = lie ? lie->more : NULL;
  if (own) {
    free(own->pattern.row);
    free(own);
  }
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  const vida_lie_state* lie = self->state;
  simo_state* own = lie->more;
  const size_t entries = (size_t)self->model.system->pattern.entries;
  vida__lie_state_record(self, record);
  VidaRecord_Flag(record, &own->turns_far);
  vida__record_statistics(&own->beside, record);
  VidaRecord_Reals(record, own->spin,
                   3 * (size_t)lie->bodies + 4 * (size_t)self->model.n + 2 * entries);
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__simo_wong = {
    .size = sizeof(VidaMethod),
    .info = {"simo-wong", "rigid bodies with exact energy and angular momentum",
             "Simo and Wong 1991; Gonzalez 1999, eq. 15-17",
             "Rigid bodies in space as unit quaternions about their centre of mass or a fixed "
             "point, without joints; potentials of positions with discrete derivatives, and forces "
             "of positions and time, which change the energy by their work. Energy and the angular "
             "momentum in space are exact; that of a symmetric top about its own axis, in a "
             "potential, is accurate to second order only. Stability does not limit the step, but "
             "for steps in which bodies turn by more than about 2 rad in a potential the solver "
             "may find no solution.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_RIGID_BODIES},
    .options = options,
    .equations = {residual, jacobian, sizes, guess_rates},
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .undo = vida__lie_forget_turns,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
