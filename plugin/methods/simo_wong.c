/* simo-wong: rigid bodies with exact energy and exact angular momentum (Simo and Wong 1991), with
 * potentials by their discrete derivatives.
 *
 * A body turns about the mean of its rates at both ends, w = J^-1 (Pi0 + Pi1)/2 in the body, while
 * its angular momentum in space changes by a moment, pi1 = pi0 + h m with Pi = R^T pi. For the axis
 * of the turn is the same in both frames, R1 w = R0 w, its kinetic energy changes by
 *     w . (Pi1 - Pi0) = h (R0 w) . m,
 * whatever the angle of the turn is as a function of h |w|; in the paper it is h |w|. Here its
 * tangent is taken, tan(angle/4) = h |w|/4, since this is
 *     Q1 - Q0 = h E(Q) w,  E(Q) w = Q * (0, w)/2,  Q = (Q0 + Q1)/2
 * of the quaternions. With a discrete derivative D V of the potential and a generator G(Q) e =
 * (0, e) * Q/2 of rotations in space, E(Q) w = G(Q) R0 w, the moment m = -G(Q)^T D V then makes
 *     h (R0 w) . m = -D V . (Q1 - Q0) = -(V1 - V0),
 * and where V is not changed by turning everything about e, D V has no part along G(Q) e: the sum
 * of angular momenta about e stays, of as many bodies and particles as there are. Other coordinates
 * go by the midpoint rule with the same D V. Generalized forces at (Q, middle of the step) add to
 * -D V, and the energy changes by their work.
 *
 * Unknowns are w of bodies and the mean rates of other coordinates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/lie.h"

/* Bodies and other coordinates in one list: `width` unknowns from `first` on, of `count`
 * coordinates. */
typedef struct group {
  int first, width, count;
  int coordinate[4];
  double left[3][4];  /* the rows of the equations by derivatives of the force */
  double right[4][3]; /* derivatives of q1 by the unknowns */
} group;

typedef struct simo_state {
  int groups;     /* bodies first */
  group* group;   /* groups */
  int* group_of;  /* n: the group of a coordinate */
  int* part_of;   /* n: which of its coordinates it is */
  int* offset;    /* of an entry of the system's pattern: of its block within a column of ours */
  double* spin;   /* 3 by bodies: angular momentum in the body at the node */
  double* torque; /* n: sizes of the forces in the last step */
  double* matrix; /* of the system's pattern */
  vida_pattern pattern;
} simo_state;

static const vida_lie_state* lie_of(const VidaStepper* stepper) {
  return stepper->own;
}

static simo_state* simo_of(const VidaStepper* stepper) {
  return lie_of(stepper)->more;
}

/* ---- the equations --------------------------------------------------------------------------- */

/* The turn with tan(angle/4) = |s| by the unit quaternion (k - 1, k s), k = 2/(1 + s s) */
static double turn_of(const VidaStepper* stepper, const double* w, double s[3]) {
  for (int i = 0; i < 3; i++) {
    s[i] = 0.25 * stepper->h * w[i];
  }
  return 2.0 / (1.0 + vida__lie_dot(s, s));
}

/* q * (scalar, x) */
static void multiply(const double q[4], double scalar, const double x[3], double product[4]) {
  vida__lie_lift(q, x, product);
  for (int a = 0; a < 4; a++) {
    product[a] = scalar * q[a] + 2.0 * product[a];
  }
}

/* stepper->dq, q1, and the middle in stepper->place, for unknowns u. */
static vida_interval find_interval(VidaStepper* stepper, const double* u) {
  const simo_state* own = simo_of(stepper);
  for (int b = 0; b < own->groups; b++) {
    const group* part = &own->group[b];
    double s[3], q[4], change[4];
    if (part->width == 1) {
      stepper->dq[part->coordinate[0]] = stepper->h * u[part->first];
      continue;
    }
    const double k = turn_of(stepper, u + part->first, s);
    const double turn[3] = {k * s[0], k * s[1], k * s[2]};
    vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
    multiply(q, -k * vida__lie_dot(s, s), turn, change);
    for (int a = 0; a < 4; a++) {
      stepper->dq[part->coordinate[a]] = change[a];
    }
  }
  for (int i = 0; i < stepper->n; i++) {
    stepper->q1[i] = stepper->q[i] + stepper->dq[i];
    stepper->place[i] = stepper->q[i] + 0.5 * stepper->dq[i];
  }
  vida_interval between = vida__interval(&stepper->evaluator, stepper->q, stepper->q1, stepper->dq);
  between.q_low = stepper->q_low;
  return between;
}

/* -D V and generalized forces, into the state's `force` */
static int find_force(VidaStepper* stepper, const double* u) {
  const vida_lie_state* lie = lie_of(stepper);
  const vida_interval between = find_interval(stepper, u);
  int code = vida__discrete_gradient(stepper->system, &between, lie->force);
  memset(stepper->l_q, 0, (size_t)stepper->n * sizeof *stepper->l_q);
  if (!code && stepper->system->has_forces) {
    code = vida__gradient_of(&stepper->evaluator, VIDA_PART_FORCE,
                             vida__node_time(stepper) + 0.5 * stepper->h, stepper->place, lie->rest,
                             stepper->l_q, stepper->l_v);
  }
  for (int i = 0; i < stepper->n; i++) {
    lie->force[i] = stepper->l_q[i] - lie->force[i];
  }
  return code;
}

/* The moment on a body in space. */
static void find_moment(const VidaStepper* stepper, int b, double moment[3]) {
  double middle[4], f[4];
  vida__lie_gather(&lie_of(stepper)->body[b], stepper->place, middle);
  vida__lie_gather(&lie_of(stepper)->body[b], lie_of(stepper)->force, f);
  vida__lie_moment(middle, f, moment);
}

/* The angular momentum of the end in the frame of the start; x turned by the step is F^T x. */
static void find_pushed(const VidaStepper* stepper, int b, double pushed[3]) {
  double q[4], moment[3];
  vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
  find_moment(stepper, b, moment);
  vida__lie_turn_to_body(q, moment, pushed);
  for (int i = 0; i < 3; i++) {
    pushed[i] = simo_of(stepper)->spin[3 * b + i] + stepper->h * pushed[i];
  }
}

static int residual(void* data, const double* u, double* r) {
  VidaStepper* stepper = data;
  const vida_lie_state* lie = lie_of(stepper);
  const simo_state* own = simo_of(stepper);
  const int code = find_force(stepper, u);
  for (int b = 0; b < own->groups; b++) {
    const group* part = &own->group[b];
    const double* w = u + part->first;
    double s[3], pushed[3], end[3];
    if (part->width == 1) {
      const int i = part->coordinate[0];
      r[part->first] = lie->mass[i] * w[0] - (stepper->p[i] + stepper->p_low[i]) -
                       0.5 * stepper->h * lie->force[i];
      continue;
    }
    const double k = turn_of(stepper, w, s);
    const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
    find_pushed(stepper, b, pushed);
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

/* d Q1/d w, and what forces on Q do in the rows: -h/2 F^T of the moments of (0, e) * (1, s) in the
 * frame of the start, the middle being Q0 * (1, s) k/2. */
static void find_chain(VidaStepper* stepper, int b, const double s[3], double k, group* part) {
  double q[4];
  vida__lie_gather(&lie_of(stepper)->body[b], stepper->q, q);
  const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
  double unturned[3][4];
  for (int j = 0; j < 3; j++) {
    double axis[3] = {0.0, 0.0, 0.0};
    double across[3], product[4];
    axis[j] = 1.0;
    vida__lie_cross(axis, s, across);
    for (int i = 0; i < 3; i++) {
      across[i] += axis[i];
    }
    multiply(q, -s[j], across, product);
    for (int a = 0; a < 4; a++) {
      unturned[j][a] = 0.25 * k * product[a];
    }
    for (int i = 0; i < 3; i++) {
      across[i] = k * axis[i] - k * k * s[j] * s[i];
    }
    multiply(q, -k * k * s[j], across, product);
    for (int a = 0; a < 4; a++) {
      part->right[a][j] = 0.25 * stepper->h * product[a];
    }
  }
  for (int a = 0; a < 4; a++) {
    const double column[3] = {unturned[0][a], unturned[1][a], unturned[2][a]};
    double turned[3];
    vida__lie_turn_to_body(turn, column, turned);
    for (int i = 0; i < 3; i++) {
      part->left[i][a] = -0.5 * stepper->h * turned[i];
    }
  }
}

/* The derivatives of a body's rows by its own turn, its force being held. */
static void add_own_block(VidaStepper* stepper, int b, const double s[3], double k,
                          double* matrix) {
  const vida_lie_body* body = &lie_of(stepper)->body[b];
  const simo_state* own = simo_of(stepper);
  const int first = own->group[b].first;
  const double turn[4] = {k - 1.0, k * s[0], k * s[1], k * s[2]};
  double q[4], f[4], pushed[3], moment[3], in_body[3], along[3];
  vida__lie_gather(body, stepper->q, q);
  vida__lie_gather(body, lie_of(stepper)->force, f);
  find_pushed(stepper, b, pushed);
  find_moment(stepper, b, moment);
  vida__lie_turn_to_body(q, moment, in_body);
  vida__lie_drop(q, f, along); /* half of the vector part of conj(Q0) * f */
  const double scalar = 0.5 * (q[0] * f[0] + q[1] * f[1] + q[2] * f[2] + q[3] * f[3]);
  for (int j = 0; j < 3; j++) {
    double axis[3] = {0.0, 0.0, 0.0};
    double slope[3], push[3], turned[3];
    axis[j] = 1.0;
    turn_slope(s, k, j, pushed, slope);
    /* moment = k/2 (along - scalar s + s x along) */
    vida__lie_cross(axis, along, push);
    for (int i = 0; i < 3; i++) {
      push[i] = 0.5 * k * (push[i] - scalar * axis[i]) - k * s[j] * in_body[i];
    }
    vida__lie_turn_to_body(turn, push, turned);
    const int offset = vida__pattern_slot(&own->pattern, first, first + j);
    for (int i = 0; i < 3; i++) {
      matrix[offset + i] +=
          body->inertia[3 * i + j] - 0.125 * stepper->h * (slope[i] + stepper->h * turned[i]);
    }
  }
}

/* dDV/dq1 between groups */
static void add_blocks(const VidaStepper* stepper, double* matrix) {
  const simo_state* own = simo_of(stepper);
  const vida_pattern* from = &stepper->system->pattern;
  for (int j = 0; j < stepper->n; j++) {
    const group* right = &own->group[own->group_of[j]];
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      const int i = from->row[e] < stepper->n ? (int)from->row[e] : -1;
      if (i < 0 || own->matrix[e] == 0.0) {
        continue;
      }
      const group* left = &own->group[own->group_of[i]];
      for (int l = 0; l < right->width; l++) {
        const double value = own->matrix[e] * right->right[own->part_of[j]][l];
        double* column = matrix + own->pattern.column_start[right->first + l] + own->offset[e];
        for (int k = 0; k < left->width; k++) {
          column[k] += left->left[k][own->part_of[i]] * value;
        }
      }
    }
  }
}

/* The derivatives of the force by q1, into own->matrix */
static int find_force_slopes(VidaStepper* stepper, const double* u) {
  const vida_hessian_weights half = {0.5, 0.0, 0.0, 0.0};
  simo_state* own = simo_of(stepper);
  memset(own->matrix, 0, (size_t)stepper->system->pattern.entries * sizeof *own->matrix);
  const vida_interval between = find_interval(stepper, u);
  const int code = vida__add_discrete_hessian(stepper->system, &between, -1.0, own->matrix);
  if (code || !stepper->system->has_forces) {
    return code;
  }
  return vida__add_hessian_of(&stepper->evaluator, VIDA_PART_FORCE,
                              vida__node_time(stepper) + 0.5 * stepper->h, stepper->place,
                              lie_of(stepper)->rest, half, own->matrix);
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaStepper* stepper = data;
  const vida_lie_state* lie = lie_of(stepper);
  simo_state* own = simo_of(stepper);
  int code = find_force(stepper, u);
  code = code ? code : find_force_slopes(stepper, u);
  if (code) {
    return code;
  }
  for (int b = 0; b < own->groups; b++) {
    group* part = &own->group[b];
    double s[3];
    if (part->width == 1) {
      part->left[0][0] = -0.5 * stepper->h;
      part->right[0][0] = stepper->h;
      matrix[vida__pattern_slot(&own->pattern, part->first, part->first)] +=
          lie->mass[part->coordinate[0]];
      continue;
    }
    const double k = turn_of(stepper, u + part->first, s);
    find_chain(stepper, b, s, k, part);
    add_own_block(stepper, b, s, k, matrix);
  }
  add_blocks(stepper, matrix);
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

static double force_size(const VidaStepper* stepper, const group* part) {
  double size = 0.0;
  for (int a = 0; a < part->count; a++) {
    size += simo_of(stepper)->torque[part->coordinate[a]];
  }
  return stepper->h * size;
}

static double momentum_size(const VidaStepper* stepper, int b) {
  const simo_state* own = simo_of(stepper);
  return own->group[b].width == 1 ? fabs(stepper->p[own->group[b].coordinate[0]])
                                  : length(own->spin + 3 * b, 3);
}

static double mass_of(const VidaStepper* stepper, int b, int i) {
  const group* part = &simo_of(stepper)->group[b];
  return part->width == 1 ? lie_of(stepper)->mass[part->coordinate[0]]
                          : lie_of(stepper)->body[b].inertia[4 * i];
}

static void sizes(void* data, const double* u, double* size) {
  VidaStepper* stepper = data;
  const simo_state* own = simo_of(stepper);
  for (int b = 0; b < own->groups; b++) {
    const group* part = &own->group[b];
    double moving = momentum_size(stepper, b) + force_size(stepper, part);
    for (int i = 0; i < part->width; i++) {
      moving += mass_of(stepper, b, i) * fabs(u[part->first + i]);
    }
    for (int i = 0; i < part->width; i++) {
      size[part->first + i] = moving; /* a turn mixes them */
    }
  }
}

/* The rates at the node, with half of a kick by the last force. */
static void guess_rates(void* data, double* u) {
  VidaStepper* stepper = data;
  const vida_lie_state* lie = lie_of(stepper);
  const simo_state* own = simo_of(stepper);
  for (int b = 0; b < own->groups; b++) {
    const group* part = &own->group[b];
    if (part->width == 1) {
      u[part->first] = stepper->p[part->coordinate[0]] / lie->mass[part->coordinate[0]];
    } else {
      vida__lie_multiply(lie->body[b].factors, own->spin + 3 * b, u + part->first);
    }
  }
}

static void guess_unknown(VidaStepper* stepper) {
  double** past = stepper->history;
  if (stepper->history_count < 2) {
    guess_rates(stepper, stepper->unknown);
    return;
  }
  for (int k = 0; k < simo_of(stepper)->pattern.size; k++) {
    stepper->unknown[k] = stepper->history_count == 2
                              ? 2.0 * past[0][k] - past[1][k]
                              : 3.0 * (past[0][k] - past[1][k]) + past[2][k];
  }
}

static int prepare(VidaStepper* stepper, VidaError* error) {
  const vida_lie_state* lie = lie_of(stepper);
  simo_state* own = simo_of(stepper);
  double motion = 0.0;
  (void)error;
  for (int b = 0; b < lie->bodies; b++) {
    double q[4];
    vida__lie_gather(&lie->body[b], stepper->q, q);
    vida__lie_spin(stepper, &lie->body[b], q, own->spin + 3 * b);
  }
  guess_unknown(stepper);
  for (int b = 0; b < own->groups; b++) {
    const group* part = &own->group[b];
    const double moving = momentum_size(stepper, b) + force_size(stepper, part);
    for (int i = 0; i < part->width; i++) {
      motion = fmax(motion, moving / sqrt(mass_of(stepper, b, i)));
    }
  }
  motion = motion > 0.0 ? motion : 1.0;
  for (int b = 0; b < own->groups; b++) {
    for (int i = 0; i < own->group[b].width; i++) {
      const double root = sqrt(mass_of(stepper, b, i));
      vida__map_set_size(stepper->map, own->group[b].first + i, motion * root, motion / root);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- start and step -------------------------------------------------------------------------- */

static void remember_forces(VidaStepper* stepper, const double* force) {
  for (int i = 0; i < stepper->n; i++) {
    simo_of(stepper)->torque[i] = fabs(force[i]);
  }
}

static int start(VidaStepper* stepper, VidaError* error) {
  int code = vida__lie_start(stepper, error);
  if (code) {
    return code;
  }
  code = vida__gradient(&stepper->evaluator, stepper->t0, stepper->q, lie_of(stepper)->rest,
                        stepper->l_q, stepper->l_v);
  remember_forces(stepper, stepper->l_q);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

static int step(VidaStepper* stepper, VidaError* error) {
  const vida_lie_state* lie = lie_of(stepper);
  const simo_state* own = simo_of(stepper);
  int code = prepare(stepper, error);
  code = code ? code : vida__solve_step(stepper, error);
  if (code) {
    return code;
  }
  code = find_force(stepper, stepper->unknown);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  remember_forces(stepper, lie->force);
  for (int b = 0; b < own->groups; b++) {
    double moment[3], change[4];
    const int i = own->group[b].coordinate[0];
    if (own->group[b].width == 1) {
      vida__add_compensated(&stepper->p[i], &stepper->p_low[i], stepper->h * lie->force[i]);
      vida__add_compensated(&stepper->q[i], &stepper->q_low[i], stepper->dq[i]);
      continue;
    }
    find_moment(stepper, b, moment);
    for (int a = 0; a < 3; a++) {
      const int c = lie->body[b].coordinate[a];
      vida__add_compensated(&stepper->v0[c], &stepper->p_low[c], stepper->h * moment[a]);
    }
    vida__lie_gather(&lie->body[b], stepper->dq, change);
    vida__lie_advance(stepper, &lie->body[b], change);
  }
  vida__lie_set_momenta(stepper);
  return VIDA_SUCCESS;
}

/* ---- creation -------------------------------------------------------------------------------- */

static const char* name_of_row(const void* list, int row, const char** kind) {
  const VidaStepper* stepper = list;
  const vida_lie_state* lie = lie_of(stepper);
  const int other = row - 3 * lie->bodies;
  *kind = other < 0 ? "the turn of the body of" : "coordinate";
  const int coordinate = other < 0 ? lie->body[row / 3].coordinate[0] : lie->other[other];
  return stepper->system->coordinates[coordinate].name;
}

static int refuse(const VidaStepper* stepper, const char* name, const char* reason,
                  VidaError* error) {
  char able[256];
  char general[256];
  vida__list_methods(VIDA_CAN_RIGID_BODIES | VIDA_CAN_SYMPLECTIC, able, sizeof able);
  vida__list_methods(VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_POSITION_LEVEL, general,
                     sizeof general);
  return vida__fail(error, VIDA_NOT_SUPPORTED,
                    "simo-wong keeps the energy by discrete derivatives of potentials: '%s' of "
                    "system '%s' %s; these need none: %s, %s",
                    name, stepper->system->name, reason, able, general);
}

static int check_potentials(const VidaStepper* stepper, VidaError* error) {
  const char* name = "";
  if (!vida__has_discrete_potentials(stepper->system, &name)) {
    return refuse(stepper, name, "has none", error);
  }
  if (lie_of(stepper)->has_other_potential) {
    vida__has_discrete_derivatives(stepper->system, &name);
    return refuse(stepper, name,
                  "has a potential within a general Lagrangian, or one that depends on time (give "
                  "it as a term of positions alone)",
                  error);
  }
  return VIDA_SUCCESS;
}

/* Which groups meet in the system's pattern, in the column of one: `meets` by groups */
static void find_neighbours(const VidaStepper* stepper, int column, bool* meets) {
  const simo_state* own = simo_of(stepper);
  const vida_pattern* from = &stepper->system->pattern;
  memset(meets, 0, (size_t)own->groups * sizeof *meets);
  meets[column] = true;
  for (int a = 0; a < own->group[column].count; a++) {
    const int j = own->group[column].coordinate[a];
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      if (from->row[e] < stepper->n) {
        meets[own->group_of[from->row[e]]] = true;
      }
    }
  }
}

/* Where the blocks of a column of groups begin, into own->offset. */
static void set_offsets(const VidaStepper* stepper, int column, const int* begins) {
  const simo_state* own = simo_of(stepper);
  const vida_pattern* from = &stepper->system->pattern;
  for (int a = 0; a < own->group[column].count; a++) {
    const int j = own->group[column].coordinate[a];
    for (sunindextype e = from->column_start[j]; e < from->column_start[j + 1]; e++) {
      own->offset[e] = from->row[e] < stepper->n ? begins[own->group_of[from->row[e]]] : 0;
    }
  }
}

/* Counts the entries of the pattern, and fills them in when there is place for them. */
static void fill_pattern(VidaStepper* stepper, bool* meets, int* begins) {
  simo_state* own = simo_of(stepper);
  vida_pattern* pattern = &own->pattern;
  pattern->entries = 0;
  for (int c = 0; c < own->groups; c++) {
    find_neighbours(stepper, c, meets);
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
    set_offsets(stepper, c, begins);
  }
  pattern->column_start[pattern->size] = pattern->entries;
}

static void list_groups(VidaStepper* stepper) {
  const vida_lie_state* lie = lie_of(stepper);
  simo_state* own = simo_of(stepper);
  int first = 0;
  for (int b = 0; b < own->groups; b++) {
    group* part = &own->group[b];
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

static int allocate_state(VidaStepper* stepper) {
  vida_lie_state* lie = stepper->own;
  const size_t n = (size_t)stepper->n;
  const size_t groups = (size_t)(lie->bodies + lie->others);
  const size_t entries = (size_t)stepper->system->pattern.entries;
  const size_t numbers = 3 * (size_t)lie->bodies + n + entries;
  simo_state* own =
      vida__allocate(1, sizeof *own + groups * sizeof(group) + numbers * sizeof(double) +
                            (n + 1) * sizeof(sunindextype) + (2 * n + entries) * sizeof(int));
  if (!own) {
    return VIDA_OUT_OF_MEMORY;
  }
  lie->more = own;
  own->groups = (int)groups;
  own->group = (group*)(own + 1);
  own->spin = (double*)(own->group + groups);
  own->torque = own->spin + 3 * lie->bodies;
  own->matrix = own->torque + n;
  own->pattern.column_start = (sunindextype*)(own->matrix + entries);
  own->group_of = (int*)(own->pattern.column_start + n + 1);
  own->part_of = own->group_of + n;
  own->offset = own->part_of + n;
  return VIDA_SUCCESS;
}

static int make_pattern(VidaStepper* stepper) {
  simo_state* own = simo_of(stepper);
  bool* meets = vida__allocate((size_t)own->groups, sizeof *meets);
  int* begins = vida__allocate((size_t)own->groups, sizeof *begins);
  int code = meets && begins ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  if (!code) {
    fill_pattern(stepper, meets, begins);
    own->pattern.row = vida__allocate((size_t)own->pattern.entries, sizeof *own->pattern.row);
    code = own->pattern.row ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
  }
  if (!code) {
    fill_pattern(stepper, meets, begins);
  }
  free(meets);
  free(begins);
  return code;
}

static int create(VidaStepper* stepper, VidaError* error) {
  int code = vida__lie_create(stepper, error);
  code = code ? code : check_potentials(stepper, error);
  if (code) {
    return code;
  }
  if (allocate_state(stepper)) {
    return vida__fail_memory(error);
  }
  list_groups(stepper);
  if (make_pattern(stepper)) {
    return vida__fail_memory(error);
  }
  const vida_map_rows rows = {&simo_of(stepper)->pattern, &stepper->evaluator, name_of_row,
                              stepper};
  stepper->rows = rows;
  stepper->prepare = prepare;
  return VIDA_SUCCESS;
}

static void destroy(VidaStepper* stepper) {
  vida_lie_state* lie = stepper->own;
  simo_state* own = lie ? lie->more : NULL;
  if (own) {
    free(own->pattern.row);
    free(own);
  }
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__simo_wong = {
    .info = {"simo-wong", "rigid bodies with exact energy and angular momentum",
             "Simo and Wong 1991; Gonzalez 1999, eq. 15-17",
             "Rigid bodies in space as unit quaternions about their centre of mass or a fixed "
             "point, without joints; potentials of positions with discrete derivatives, and forces "
             "of positions and time, which change the energy by their work. Energy and the angular "
             "momentum in space are exact; that of a symmetric top about its own axis is in a "
             "potential right to second order only. No limit on the step from stability; angles "
             "are right where a body turns by little in a step.",
             2,
             VIDA_CAN_ENERGY | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE | VIDA_CAN_POSITION_LEVEL |
                 VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_RIGID_BODIES},
    .options = options,
    .map = {residual, jacobian, sizes, guess_rates},
    .create = create,
    .start = start,
    .step = step,
    .velocities = vida__lie_velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
