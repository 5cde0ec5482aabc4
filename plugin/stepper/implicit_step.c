/* What methods have in common: sums, sizes, guesses, solving, projecting. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/exact_sum.h"
#include "base/text.h"
#include "stepper/jumps.h"
#include "system/constraints/singular.h"

double vida__node_time(const VidaStepper* stepper) {
  return stepper->t0 + (double)stepper->step * stepper->h;
}

double vida__next_time(const VidaStepper* stepper) {
  return stepper->t0 + (double)(stepper->step + 1) * stepper->h;
}

void vida__add_compensated(double* sum, double* low, double increment) {
  double left;
  const double total = vida__add_exactly(*sum, increment, &left);
  *sum = vida__add_exactly(total, *low + left, low);
}

void vida__advance_positions(VidaStepper* stepper, const double* w) {
  for (int i = 0; i < stepper->n; i++) {
    vida__add_compensated(&stepper->q[i], &stepper->q_low[i], stepper->h * w[i]);
  }
}

void vida__find_place(const VidaStepper* stepper, const double* w, double c, double* place) {
  const double distance = c * stepper->h;
  for (int i = 0; i < stepper->n; i++) {
    place[i] = stepper->q[i] + distance * w[i];
  }
}

double vida__place_time(const VidaStepper* stepper, double c) {
  return vida__node_time(stepper) + c * stepper->h;
}

void vida__add_impulses(VidaStepper* stepper, const double* entries, double weight,
                        const double* mu) {
  const VidaSystem* system = stepper->system;
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    vida__add_compensated(&stepper->p[i], &stepper->p_low[i], weight * mu[entry->row] * entries[e]);
  }
}

/* ---- what failed ----------------------------------------------------------------------------- */

char* vida__name_step(const VidaStepper* stepper, char text[VIDA_STEP_NAME_SIZE]) {
  char number[VIDA_REAL_TEXT_SIZE];
  const VidaStepper* asked = stepper->outer ? stepper->outer : stepper;
  const long step = asked->step - asked->ahead;
  const long before = asked->jumps ? asked->jumps->step - asked->step : 0; /* earlier parts */
  text[0] = '\0';
  vida__append(text, VIDA_STEP_NAME_SIZE, "step %ld from t = %s",
               asked->earlier + before + step + 1,
               vida__real_text(number, asked->t0 + (double)step * asked->h, 10));
  if (stepper->outer && stepper->stages > 0) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", in stage %d of %d, which is %s long", stepper->stage,
                 stepper->stages, vida__real_text(number, stepper->h, 6));
  } else if (stepper->outer) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", at t = %s",
                 vida__real_text(number, vida__node_time(stepper), 10));
    vida__append(text, VIDA_STEP_NAME_SIZE, " in a step that is %s long",
                 vida__real_text(number, stepper->h, 6));
  }
  if (stepper->ahead) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", in the following step, which its velocity needs");
  }
  return text;
}

void vida__count_earlier(VidaStepper* stepper, long steps) {
  stepper->earlier = steps;
}

double vida__asked_step_size(const VidaStepper* stepper) {
  return stepper->outer ? stepper->outer->h : stepper->h;
}

int vida__evaluation_failed(VidaStepper* stepper, int code, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  const char* message = stepper->evaluator.error.message;
  vida__fail(error, code, "at t = %s: %s", vida__real_text(t, vida__node_time(stepper), 10),
             *message ? message : Vida_CodeText(code));
  if (error && code == VIDA_STEP_SINGULAR && !*message) {
    vida__append_open(stepper, error->message, VIDA_MESSAGE_SIZE);
  }
  return code;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Forces of the start by size: |L_q| and |L_qq| |q|, so that springs in balance count, too. */
static int measure_forces(VidaStepper* stepper) {
  const VidaSystem* system = stepper->system;
  const vida_pattern* pattern = &system->pattern;
  const vida_hessian_weights positions_only = {1.0, 0.0, 0.0, 0.0};
  double* matrix = stepper->node_matrix->values;
  int code = vida__gradient(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0, stepper->l_q,
                            stepper->l_v);
  vida__linear_clear(stepper->node_matrix);
  code = code ? code
              : vida__add_hessian(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0,
                                  positions_only, matrix);
  for (int i = 0; i < stepper->n; i++) {
    stepper->force_size[i] = fabs(stepper->l_q[i]) + fabs(system->uniform_force[i]);
  }
  for (int j = 0; j < stepper->n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < stepper->n) {
        stepper->force_size[pattern->row[k]] += fabs(matrix[k] * stepper->q[j]);
      }
    }
  }
  return code;
}

static int measure_masses(VidaStepper* stepper, VidaError* error) {
  double* mass = stepper->root_mass;
  const int code = vida__find_masses(&stepper->evaluator, stepper->t0, stepper->q, stepper->v0,
                                     stepper->node_matrix->values, mass);
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  for (int i = 0; i < stepper->n; i++) {
    stepper->root_mass[i] = sqrt(mass[i]);
    stepper->inverse_root[i] = 1.0 / stepper->root_mass[i];
  }
  return VIDA_SUCCESS;
}

/* ---- sizes of components ----------------------------------------------------------------------
 */

static void share_size(const int* coordinates, int count, double* size) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, size[coordinates[i]]);
  }
  for (int i = 0; i < count; i++) {
    size[coordinates[i]] = largest;
  }
}

/* Components of a unit vector, or of a quaternion, are of one size: where they point to is the
 * user's choice. */
static void share_direction_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    if (motion->kind == VIDA_MOTION_DIRECTION) {
      share_size(motion->coordinate, system->dimension, size);
    } else if (motion->kind == VIDA_MOTION_QUATERNION) {
      share_size(motion->coordinate, 4, size);
    }
  }
}

/* So are those of velocities: along which axes a point moves. */
void vida__share_sizes(const VidaSystem* system, double* size) {
  for (int k = 0; k < system->particle_count; k++) {
    const int first = system->particles[k].coordinate;
    share_size((int[]){first, first + 1, first + 2}, system->dimension, size);
  }
  for (int k = 0; k < system->motion_count; k++) {
    if (system->motions[k].kind == VIDA_MOTION_POINT) {
      share_size(system->motions[k].coordinate, system->dimension, size);
    }
  }
  share_direction_sizes(system, size);
}

static int measure_rows(VidaStepper* stepper) {
  const VidaSystem* system = stepper->system;
  const int code = vida__jacobian(&stepper->evaluator, stepper->t0, stepper->q, stepper->entries);
  memset(stepper->row_stiffness, 0, (size_t)stepper->m * sizeof(double));
  for (int r = 0; r < stepper->m; r++) {
    stepper->value_size[r] = system->rows[r].length;
  }
  double* position = stepper->speed;
  for (int i = 0; i < stepper->n; i++) {
    position[i] = fabs(stepper->q[i]);
  }
  share_direction_sizes(system, position);
  for (int e = 0; e < system->entry_count; e++) {
    const int i = system->entries[e].coordinate;
    const double scaled = stepper->entries[e] / stepper->root_mass[i];
    stepper->row_stiffness[system->entries[e].row] += scaled * scaled;
    stepper->value_size[system->entries[e].row] += fabs(stepper->entries[e]) * position[i];
  }
  for (int r = 0; r < stepper->m; r++) {
    const double stiffness = sqrt(stepper->row_stiffness[r]);
    stepper->row_stiffness[r] = stiffness > 0.0 ? stiffness : 1.0;
  }
  vida__measure_light(stepper);
  return code;
}

int vida__measure_sizes(VidaStepper* stepper, VidaError* error) {
  int code = measure_masses(stepper, error);
  if (code) {
    return code;
  }
  code = measure_forces(stepper);
  code = code ? code : measure_rows(stepper);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

void vida__measure_strength(VidaStepper* stepper, const double* entries, const double* lambda,
                            double* strength) {
  const VidaSystem* system = stepper->system;
  double* row_force = stepper->constraint_work;
  memcpy(strength, stepper->force_size, (size_t)stepper->n * sizeof *strength);
  memset(row_force, 0, (size_t)stepper->m * sizeof *row_force);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] += fabs(entries[e] * lambda[entry->row]);
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const int i = entry->coordinate;
    if (entries[e] != 0.0) {
      row_force[entry->row] = fmax(row_force[entry->row], strength[i] * stepper->inverse_root[i]);
    }
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    strength[entry->coordinate] +=
        fabs(entries[e]) * row_force[entry->row] / stepper->row_stiffness[entry->row];
  }
}

/* Relative to G M^-1 G^T: small beside all that a step needs of it, large beside rounding. */
static const double regularization = 1e-10;

/* Whether the map has the constraints among its rows. */
static bool has_constraint_rows(const VidaStepper* stepper) {
  return stepper->map && stepper->rows.pattern == &stepper->system->pattern;
}

int vida__find_redundancy(VidaStepper* stepper, VidaError* error) {
  stepper->redundant = false;
  if (has_constraint_rows(stepper)) {
    vida__map_set_redundancy(stepper->map, NULL);
  }
  if (!stepper->rank || stepper->m == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__rank_find(stepper->rank, stepper->entries, error);
  stepper->redundant = !code && vida__rank_dependent_count(stepper->rank) > 0;
  double* mass = stepper->speed;
  for (int i = 0; i < stepper->n; i++) {
    mass[i] = stepper->root_mass[i] * stepper->root_mass[i];
  }
  for (int r = 0; r < stepper->m; r++) {
    const double stiffness = stepper->row_stiffness[r];
    stepper->redundancy[r] = regularization * stiffness * stiffness;
  }
  if (stepper->redundant) {
    vida__rank_narrow_shift(stepper->rank, stepper->entries, mass, stepper->redundancy);
  }
  if (stepper->redundant && has_constraint_rows(stepper)) {
    vida__map_set_redundancy(stepper->map, stepper->redundancy);
  }
  return code;
}

double vida__measure_motion(const VidaStepper* stepper) {
  double size = 0.0;
  for (int i = 0; i < stepper->n; i++) {
    const double impulse = fabs(stepper->p[i]) + fabs(stepper->h) * stepper->force_size[i];
    const double scaled = impulse / stepper->matrix_root[i];
    size = scaled > size ? scaled : size;
  }
  if (stepper->history_count) {
    const double* mu = stepper->history[0] + stepper->n;
    for (int r = 0; r < stepper->m; r++) {
      const double scaled = fabs(mu[r]) * stepper->matrix_stiffness[r];
      size = scaled > size ? scaled : size;
    }
  }
  if (!stepper->history_count) {
    size = fmax(size, fabs(stepper->h) * stepper->tension);
  }
  return size > 0.0 ? size : 1.0;
}

/* Whether the rounding of g itself, divided by h, shows in the rows of constraints: where g is not
 * taken by increments, and where rows depend on each other, whose roundings do not. */
static bool has_rounded_rows(const VidaStepper* stepper) {
  return !stepper->has_increments || stepper->redundant;
}

double vida__constraint_size(const VidaStepper* stepper, int row, double motion) {
  const double size = motion * stepper->matrix_stiffness[row];
  if (!has_rounded_rows(stepper)) {
    return size;
  }
  /* No less can be asked for. */
  return fmax(
      size, 4.0 * DBL_EPSILON * stepper->value_size[row] / (fabs(stepper->h) * stepper->tolerance));
}

static void set_scales(VidaStepper* stepper) {
  const double motion = vida__measure_motion(stepper);
  if (!stepper->map) {
    return;
  }
  /* Scales need no precision: they stay until the motion has grown or shrunk by two. */
  if (motion < 2.0 * stepper->scaled_for && 2.0 * motion > stepper->scaled_for) {
    return;
  }
  stepper->scaled_for = motion;
  for (int i = 0; i < stepper->n; i++) {
    const double root = stepper->matrix_root[i];
    vida__map_set_size(stepper->map, i, motion * root, motion / root);
  }
  for (int r = 0; r < stepper->m; r++) {
    vida__map_set_size(stepper->map, stepper->n + r, vida__constraint_size(stepper, r, motion),
                       motion / stepper->matrix_stiffness[r]);
  }
}

void vida__step_sizes(void* data, const double* u, double* size) {
  const VidaStepper* stepper = data;
  const VidaSystem* system = stepper->system;
  const double* mu = u + stepper->n;
  double* rows = size + stepper->n;
  double* speed = stepper->speed;
  for (int i = 0; i < stepper->n; i++) {
    const double mass = stepper->root_mass[i] * stepper->root_mass[i];
    const double moving = fabs(stepper->p[i]) + fabs(stepper->h) * stepper->force_size[i];
    speed[i] = fabs(u[i]) + moving * stepper->inverse_root[i] * stepper->inverse_root[i];
    size[i] = moving + mass * fabs(u[i]);
  }
  for (int r = 0; r < stepper->m; r++) {
    rows[r] = has_rounded_rows(stepper) ? stepper->value_size[r] / fabs(stepper->h) : 0.0;
    /* Rows that depend on each other round in common, also those that nothing moves along. */
    rows[r] += stepper->redundant ? stepper->scaled_for * stepper->row_stiffness[r] : 0.0;
  }
  vida__share_sizes(system, speed);
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    const double gradient = fabs(stepper->entries0[e]);
    size[entry->coordinate] += gradient * fabs(mu[entry->row]);
    rows[entry->row] += gradient * speed[entry->coordinate];
  }
  vida__share_sizes(system, size);
}

/* ---- constant masses --------------------------------------------------------------------------
 */

int vida__apply_mass(VidaStepper* stepper, const double* v, double* p) {
  const VidaSystem* system = stepper->system;
  if (system->has_coupled_mass) {
    return vida__gradient_of(&stepper->evaluator, VIDA_PART_KINETIC, vida__node_time(stepper),
                             stepper->q, v, stepper->mass_work, p);
  }
  for (int i = 0; i < stepper->n; i++) {
    p[i] = system->mass[i] * v[i];
  }
  return VIDA_SUCCESS;
}

int vida__solve_mass(VidaStepper* stepper, const double* p, double* v) {
  const VidaSystem* system = stepper->system;
  if (system->has_coupled_mass) {
    double* side = stepper->mass_work;
    memcpy(side, p, (size_t)stepper->n * sizeof *p);
    memset(side + stepper->n, 0, (size_t)stepper->m * sizeof *side);
    const int code = vida__linear_solve(stepper->mass_matrix, side, side);
    memcpy(v, side, (size_t)stepper->n * sizeof *v);
    return code;
  }
  for (int i = 0; i < stepper->n; i++) {
    v[i] = p[i] / system->mass[i];
  }
  return VIDA_SUCCESS;
}

/* ---- guess and solution ---------------------------------------------------------------------- */

void vida__guess_free_flight(void* data, double* u) {
  VidaStepper* stepper = data;
  const VidaSystem* system = stepper->system;
  const double* w = stepper->history_count ? stepper->history[0] : stepper->v0;
  for (int i = 0; i < stepper->n; i++) {
    u[i] = w[i];
  }
  if (system->separable ||
      (system->constant_mass && stepper->mass_matrix && !stepper->has_singular_mass)) {
    vida__solve_mass(stepper, stepper->p, u);
  }
  memset(u + stepper->n, 0, (size_t)stepper->m * sizeof *u);
}

double vida__largest_turn(const VidaSystem* system, const double* before, const double* after,
                          double* sizes) {
  double largest = 0.0;
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    double change = 0.0;
    double size = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double difference = after[e] - before[e];
      change += difference * difference;
      size += after[e] * after[e];
    }
    if (sizes) {
      size = sizes[row] = fmax(sizes[row], size);
    }
    largest = change > largest * size ? change / size : largest;
  }
  return largest;
}

/* Below about 0.03 rad, below about 0.3 rad, or more. */
typedef enum turn { HARDLY, SOMEWHAT, MUCH } turn;

static turn find_turn(const VidaSystem* system, const double* before, const double* after) {
  const double turned = vida__largest_turn(system, before, after, NULL);
  return turned > 0.1 ? MUCH : turned > 1e-3 ? SOMEWHAT : HARDLY;
}

/* In the last step; one step alone says nothing. */
static turn find_last_turn(const VidaStepper* stepper) {
  return stepper->history_count < 2
             ? MUCH
             : find_turn(stepper->system, stepper->entries_before, stepper->entries0);
}

/* Extrapolation of the last unknowns, quadratic as soon as there are three, where it can be
 * trusted. */
static void guess_unknown(VidaStepper* stepper) {
  const size_t size = (size_t)(stepper->n + stepper->m);
  double* u = stepper->unknown;
  double** past = stepper->history;
  stepper->last_turn = (int)find_last_turn(stepper);
  if (stepper->history_count == 0) {
    memset(u, 0, size * sizeof *u);
    memcpy(u, stepper->v0, (size_t)stepper->n * sizeof *u);
    return;
  }
  /* After a step that has turned far, going on as before is no good guess. */
  if (stepper->last_turn == MUCH) {
    vida__guess_free_flight(stepper, u);
    return;
  }
  for (size_t i = 0; i < size; i++) {
    u[i] = stepper->history_count == 2 ? 2.0 * past[0][i] - past[1][i]
                                       : 3.0 * (past[0][i] - past[1][i]) + past[2][i];
  }
  /* What the equations leave open of the multipliers would grow from step to step. */
  for (int r = 0; r < stepper->m && stepper->redundant; r++) {
    u[stepper->n + r] = 0.0;
  }
}

/* How far g at a node follows its evaluation. Rounding of that would be divided by h and shake the
 * multipliers; what the increments have made of g is free of it, but wanders in many steps. */
static const double evaluated_share = 1e-3;

int vida__prepare_node(VidaStepper* stepper, VidaError* error) {
  const double t = vida__node_time(stepper);
  int code = VIDA_SUCCESS;
  if (stepper->has_g_node) {
    memcpy(stepper->g0, stepper->g_node, (size_t)stepper->m * sizeof *stepper->g0);
  } else {
    code = vida__constraints(&stepper->evaluator, t, stepper->q, stepper->q_low, stepper->g0);
  }
  if (!code && stepper->has_tracked) {
    vida__track_constraints(stepper->system, evaluated_share, stepper->g_tracked, stepper->g0);
  }
  double* before = stepper->entries_before;
  stepper->entries_before = stepper->entries0;
  stepper->entries0 = before;
  code = code ? code : vida__jacobian(&stepper->evaluator, t, stepper->q, stepper->entries0);
  return code ? vida__evaluation_failed(stepper, code, error) : VIDA_SUCCESS;
}

int vida__prepare_step(VidaStepper* stepper, VidaError* error) {
  const int code = vida__prepare_node(stepper, error);
  if (!code) {
    guess_unknown(stepper);
    set_scales(stepper);
  }
  return code;
}

static void remember_unknown(VidaStepper* stepper) {
  double* oldest = stepper->history[VIDA_HISTORY - 1];
  for (int k = VIDA_HISTORY - 1; k > 0; k--) {
    stepper->history[k] = stepper->history[k - 1];
  }
  stepper->history[0] = oldest;
  memcpy(oldest, stepper->unknown, (size_t)(stepper->n + stepper->m) * sizeof(double));
  if (stepper->history_count < VIDA_HISTORY) {
    stepper->history_count++;
  }
}

int vida__factor_matrix_at(VidaStepper* stepper, double t, const double* q, const double* entries,
                           const double* v) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = stepper->node_matrix->values;
  vida__linear_clear(stepper->node_matrix);
  const int code = vida__add_hessian(&stepper->evaluator, t, q, v, mass_only, matrix);
  vida__add_columns(stepper->system, entries, 1.0, matrix);
  vida__add_rows(stepper->system, entries, 1.0, matrix);
  for (int r = 0; r < stepper->m && stepper->redundant; r++) {
    matrix[vida__constraint_diagonal(stepper->system, r)] -= stepper->redundancy[r];
  }
  for (int r = 0; r < stepper->m && stepper->softness && !stepper->redundant; r++) {
    matrix[vida__constraint_diagonal(stepper->system, r)] -= stepper->softness[r];
  }
  return code ? code : vida__linear_factor(stepper->node_matrix);
}

int vida__factor_node_matrix(VidaStepper* stepper, const double* entries, const double* v) {
  return vida__factor_matrix_at(stepper, vida__node_time(stepper), stepper->q, entries, v);
}

/* With the factors of the node matrix for the same entries: (G M^-1 G^T + E) nu = G M^-1 G^T mu,
 * once more for what the small E has left. */
int vida__find_least_norm(VidaStepper* stepper, const double* entries, const double* mu) {
  enum { PASSES = 2 };
  double* step = stepper->node_step;
  double* left = stepper->constraint_work;
  double* nu = stepper->least_norm;
  const size_t bytes = (size_t)stepper->m * sizeof *nu;
  int code = VIDA_SUCCESS;
  memset(nu, 0, bytes);
  for (int pass = 0; pass < PASSES && !code; pass++) {
    memset(step, 0, (size_t)stepper->n * sizeof *step + bytes);
    for (int r = 0; r < stepper->m; r++) {
      left[r] = mu[r] - nu[r];
    }
    vida__add_reaction(stepper->system, entries, 1.0, left, step);
    code = vida__linear_solve(stepper->node_matrix, step, step);
    for (int r = 0; r < stepper->m && !code; r++) {
      nu[r] += step[stepper->n + r];
    }
  }
  return code;
}

static double measure_multipliers(const VidaStepper* stepper, const double* mu) {
  double largest = 0.0;
  for (int r = 0; r < stepper->m; r++) {
    largest = fmax(largest, fabs(mu[r]) * stepper->row_stiffness[r]);
  }
  return largest;
}

/* What the equations leave open of the multipliers is taken out. Where a poor guess had made it so
 * large that its rounding shows in the forces, the step is solved once more without it. */
static int settle_multipliers(VidaStepper* stepper, VidaError* error) {
  enum { MOST_ROUNDS = 3 };
  double* mu = stepper->unknown + stepper->n;
  const size_t bytes = (size_t)stepper->m * sizeof *mu;
  int code = VIDA_SUCCESS;
  for (int round = 0; round < MOST_ROUNDS && !code; round++) {
    code = vida__factor_node_matrix(stepper, stepper->entries0, stepper->v0);
    code = code ? code : vida__find_least_norm(stepper, stepper->entries0, mu);
    if (code) {
      return vida__fail(error, code, "the multipliers of dependent constraints were not found");
    }
    const bool is_large =
        measure_multipliers(stepper, mu) >
        8.0 * fmax(measure_multipliers(stepper, stepper->least_norm), stepper->scaled_for);
    if (is_large || !stepper->reacts_between) {
      memcpy(mu, stepper->least_norm, bytes);
    }
    if (!is_large) {
      break;
    }
    code = vida__map_solve(stepper->map, stepper->unknown, error);
  }
  return code;
}

/* As h grows from zero, where the matrix of a step has n positive and m negative eigenvalues, the
 * solution moves continuously until its determinant vanishes; one with the other sign lies beyond
 * such a fold: a mechanism that has jumped to its other branch, a rod that has turned over. */
static int check_branch(VidaStepper* stepper, VidaError* error) {
  const int expected = stepper->m % 2 == 0 ? 1 : -1;
  if (stepper->m == 0 || !has_constraint_rows(stepper) ||
      !(stepper->method->info.capabilities & VIDA_CAN_POSITION_LEVEL) ||
      stepper->last_turn == HARDLY) {
    return VIDA_SUCCESS;
  }
  for (int i = 0; i < stepper->n; i++) {
    stepper->q1[i] = stepper->q[i] + stepper->h * stepper->unknown[i];
  }
  /* Steps that turn little cannot have gone that far. */
  if (vida__jacobian(&stepper->evaluator, vida__next_time(stepper), stepper->q1,
                     stepper->entries) ||
      find_turn(stepper->system, stepper->entries0, stepper->entries) != MUCH ||
      vida__map_sign(stepper->map) != -expected) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_OTHER_BRANCH, VIDA_OTHER_BRANCH_TEXT);
}

/* What the last step did, or a free flight at the start, where the first guess was a step of its
 * own velocities. */
static void guess_again(VidaStepper* stepper) {
  if (stepper->history_count > 0) {
    memcpy(stepper->unknown, stepper->history[0],
           (size_t)(stepper->n + stepper->m) * sizeof(double));
  } else {
    vida__guess_free_flight(stepper, stepper->unknown);
  }
}

bool vida__append_open(VidaStepper* stepper, char* text, size_t size) {
  const bool was_redundant = stepper->redundant;
  stepper->redundant = false;
  vida__factor_node_matrix(stepper, stepper->entries0, stepper->v0);
  stepper->redundant = was_redundant;
  return vida__append_singular(stepper->system, stepper->node_matrix->values, text, size);
}

/* What the matrix of a step that failed leaves open. Trials of smaller steps have no need of it. */
static bool name_open(VidaStepper* stepper, int code, char* text, size_t size) {
  const bool is_asked = code == VIDA_STEP_SINGULAR ||
                        (code == VIDA_STEP_NOT_CONVERGED && !stepper->outer && !stepper->redundant);
  if (!is_asked) {
    return false;
  }
  return has_constraint_rows(stepper)
             ? vida__append_singular(stepper->system, vida__map_matrix(stepper->map), text, size)
             : vida__append_open(stepper, text, size);
}

int vida__solve_step(VidaStepper* stepper, VidaError* error) {
  VidaError local;
  int code = vida__map_solve(stepper->map, stepper->unknown, &local);
  code = code ? code : check_branch(stepper, &local);
  /* Other unknowns than (w, mu) have guesses of their own. */
  if (code == VIDA_STEP_NOT_CONVERGED && has_constraint_rows(stepper)) {
    guess_again(stepper);
    VidaError second;
    const int again = vida__map_solve(stepper->map, stepper->unknown, &second);
    code = again || check_branch(stepper, &second) ? code : VIDA_SUCCESS;
  }
  if (!code && stepper->redundant && has_constraint_rows(stepper)) {
    code = settle_multipliers(stepper, &local);
  }
  stepper->statistics.newton_iterations = vida__map_iterations(stepper->map);
  stepper->statistics.residual_evaluations = vida__map_residuals(stepper->map);
  stepper->statistics.jacobian_evaluations = vida__map_jacobians(stepper->map);
  if (code) {
    char step[VIDA_STEP_NAME_SIZE];
    char h[VIDA_REAL_TEXT_SIZE];
    char open[VIDA_MESSAGE_SIZE / 2] = "";
    const bool is_open = name_open(stepper, code, open, sizeof open);
    const bool ask_smaller =
        code == VIDA_STEP_NOT_CONVERGED && strcmp(local.flag, VIDA_OTHER_BRANCH) != 0;
    const char* advice = is_open && code == VIDA_STEP_SINGULAR ? ""
                         : code == VIDA_STEP_SINGULAR
                             ? "; the reason may be constraints that depend on each other, or that "
                               "meet at a singular point"
                         : ask_smaller ? "; the step is too large: try less than h = "
                                       : "";
    return vida__fail_flag(
        error, code, local.flag, "%s: %s%s%s%s", vida__name_step(stepper, step), local.message,
        open, advice, ask_smaller ? vida__real_text(h, vida__asked_step_size(stepper), 6) : "");
  }
  remember_unknown(stepper);
  /* Rows of constraints are g at the end over h. */
  const double* rows = vida__map_residual(stepper->map) + stepper->n;
  for (int r = 0; r < stepper->m; r++) {
    stepper->g_tracked[r] = stepper->h * rows[r];
  }
  stepper->has_tracked = true;
  return VIDA_SUCCESS;
}

/* ---- projection ------------------------------------------------------------------------------ */

enum { MOST_PROJECTIONS = 8 };

/* The residual of the projection into node_step; its largest size relative to that of its rows. */
static int project_residual(VidaStepper* stepper, double t, const double* q, const double* entries,
                            const double* p, const double* v, const double* nu, double* largest) {
  const VidaSystem* system = stepper->system;
  const int n = stepper->n;
  double* r = stepper->node_step;
  int code = vida__gradient(&stepper->evaluator, t, q, v, stepper->l_q, stepper->l_v);
  code = code ? code : vida__constraint_rate(&stepper->evaluator, t, q, r + n);
  for (int i = 0; i < n; i++) {
    r[i] = stepper->l_v[i] - p[i];
  }
  vida__add_reaction(system, entries, 1.0, nu, r);
  vida__add_constraint_velocity(system, entries, 1.0, v, r + n);
  double motion = 0.0;
  for (int i = 0; i < n; i++) {
    motion = fmax(motion, fabs(p[i]) / stepper->root_mass[i]);
  }
  *largest = 0.0;
  for (int i = 0; i < n + stepper->m; i++) {
    const double size = i < n ? stepper->root_mass[i] : stepper->row_stiffness[i - n];
    *largest = fmax(*largest, fabs(r[i]) / size);
    r[i] = -r[i];
  }
  *largest = motion > 0.0 ? *largest / motion : *largest;
  return code;
}

int vida__project_velocity(VidaStepper* stepper, double t, const double* q, const double* entries,
                           const double* p, double* v, double* nu, VidaError* error) {
  const int n = stepper->n;
  double* step = stepper->node_step;
  double* impulse = stepper->g_work;
  double residual = 0.0;
  double previous = INFINITY;
  int code = VIDA_SUCCESS;
  memset(impulse, 0, (size_t)stepper->m * sizeof *impulse);
  for (int k = 0; k < MOST_PROJECTIONS && !code; k++) {
    code = project_residual(stepper, t, q, entries, p, v, impulse, &residual);
    /* Rounding is reached when the residual is tiny, or small and no longer falling. Beside what is
     * very heavy and fast it may be tiny at first, and yet not that of the others. */
    if (code ||
        (k > 0 && (residual <= 2.0 * DBL_EPSILON || (residual < 1e-12 && residual >= previous)))) {
      break;
    }
    if (k == 0 || !stepper->system->separable) {
      code = vida__factor_matrix_at(stepper, t, q, entries, v);
    }
    code = code ? code : vida__linear_solve(stepper->node_matrix, step, step);
    for (int i = 0; i < n && !code; i++) {
      v[i] += step[i];
    }
    for (int r = 0; r < stepper->m && !code; r++) {
      impulse[r] += step[n + r];
    }
    previous = residual;
  }
  if (!code && stepper->redundant && isfinite(previous)) {
    code = vida__find_least_norm(stepper, entries, impulse);
    memcpy(impulse, stepper->least_norm, (size_t)stepper->m * sizeof *impulse);
  }
  if (code == VIDA_STEP_SINGULAR) {
    vida__fail(error, code,
               "the mass matrix or the constraints are singular: velocities cannot be projected");
    if (error) {
      vida__append_singular(stepper->system, stepper->node_matrix->values, error->message,
                            VIDA_MESSAGE_SIZE);
    }
    return code;
  }
  if (!code && !(residual < 1e-9)) {
    return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                      "the velocities at a node could not be found from the momenta");
  }
  if (code) {
    return vida__evaluation_failed(stepper, code, error);
  }
  if (nu) {
    memcpy(nu, impulse, (size_t)stepper->m * sizeof *nu);
  }
  return VIDA_SUCCESS;
}
