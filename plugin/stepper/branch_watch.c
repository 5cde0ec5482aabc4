#include "stepper/branch_watch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/hybrid/hybrid.h"
#include "stepper/jumps.h"
#include "system/evaluate/sizes.h"
#include "system/terms/traced.h"

/* Relative to the largest singular value so far: below this value a passage is certain; otherwise a
 * smaller value is searched for between two points, ... */
static const double certainly_near = 0.01;
static const double dip = 0.25;
/* ... and a value below this one is zero within the precision of the motion. */
static const double at_singular = 1e-4;
/* Relative to the largest square root of a mass with the same unit. A smaller bound would make a
 * coordinate without motion dominate. */
static const double least_root = 0.3;

/* ---- creation -------------------------------------------------------------------------------- */

enum { ARRAYS = 26 };

static void list_arrays(vida_watch* watch, vida_array arrays[ARRAYS]) {
  const size_t n = (size_t)watch->stepper->self.model.n;
  const size_t m = (size_t)watch->stepper->self.model.m;
  const size_t entries = (size_t)watch->stepper->self.model.system->entry_count;
  const vida_array list[ARRAYS] = {{&watch->root, n},
                                   {&watch->inverse, n},
                                   {&watch->q, n},
                                   {&watch->q_next, n},
                                   {&watch->entries, entries},
                                   {&watch->ahead, entries},
                                   {&watch->size, m},
                                   {&watch->length, m},
                                   {&watch->dependence, m},
                                   {&watch->measured, n},
                                   {&watch->between, entries},
                                   {&watch->x, n},
                                   {&watch->y, n},
                                   {&watch->step, n},
                                   {&watch->g_from, m},
                                   {&watch->g_to, m},
                                   {&watch->rows, m},
                                   {&watch->side, n + m},
                                   {&watch->normal, m <= VIDA_FEW_ROWS ? m * (m + n) : 0},
                                   {&watch->g, m},
                                   {&watch->g_next, m},
                                   {&watch->rate, m},
                                   {&watch->rate_next, m},
                                   {&watch->difference, entries},
                                   {&watch->dependence_before, m},
                                   {&watch->seen, n}};
  memcpy(arrays, list, sizeof list);
}

static int allocate(vida_watch* watch) {
  const size_t m = (size_t)watch->stepper->self.model.m;
  const size_t entries = (size_t)watch->stepper->self.model.system->entry_count;
  vida_array arrays[ARRAYS];
  list_arrays(watch, arrays);
  watch->block = vida__allocate_arrays(arrays, ARRAYS);
  watch->is_in = vida__allocate(m, sizeof *watch->is_in);
  watch->run_row = vida__allocate(entries, sizeof *watch->run_row);
  watch->run_end = vida__allocate(entries, sizeof *watch->run_end);
  const bool has_all = watch->block && watch->is_in && watch->run_row && watch->run_end;
  return has_all ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static void find_runs(vida_watch* watch) {
  const VidaSystem* system = watch->stepper->self.model.system;
  for (int e = 0; e < system->entry_count; e++) {
    const int row = system->entries[e].row;
    if (e == 0 || row != system->entries[e - 1].row) {
      watch->run_row[watch->run_count++] = row;
    }
    watch->run_end[watch->run_count - 1] = e + 1;
  }
}

/* Quadratic and entire constraints without time do not jump. */
static bool has_smooth_rows(const VidaSystem* system) {
  bool is_smooth = !system->time_dependent;
  for (int b = 0; b < system->constraint_batch_count && is_smooth; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    is_smooth = batch->kernel->is_quadratic || vida__traced_is_entire(batch);
  }
  return is_smooth;
}

/* A jump does not turn the gradients, so nothing else shows that a step goes across it. */
static bool has_broken_rows(const VidaSystem* system) {
  bool is_broken = false;
  for (int b = 0; b < system->constraint_batch_count && !is_broken; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    is_broken = !batch->kernel->is_nonholonomic &&
                (batch->kernel == &vida__callback_constraint || vida__traced_may_jump(batch));
  }
  return is_broken;
}

int vida__watch_create(VidaStepper* stepper, vida_watch** watch, VidaError* error) {
  bool is_holonomic = false;
  for (int r = 0; r < stepper->self.model.m; r++) {
    is_holonomic = is_holonomic || !stepper->self.model.system->rows[r].is_nonholonomic;
  }
  *watch = NULL;
  if (!is_holonomic) {
    return VIDA_SUCCESS;
  }
  vida_watch* made = vida__allocate(1, sizeof *made);
  *watch = made;
  if (!made) {
    return vida__fail_memory(error);
  }
  made->stepper = stepper;
  made->is_smooth = has_smooth_rows(stepper->self.model.system);
  made->is_broken = has_broken_rows(stepper->self.model.system);
  made->is_blind = true;
  made->jump.row = -1;
  int code = vida__evaluator_create(stepper->self.model.system, &made->evaluator, error);
  vida__follow_segment(&stepper->self, &made->evaluator);
  if (!code && allocate(made)) {
    code = vida__fail_memory(error);
  }
  if (code) {
    vida__watch_destroy(watch);
    return code;
  }
  find_runs(made);
  return VIDA_SUCCESS;
}

void vida__watch_destroy(vida_watch** watch) {
  vida_watch* old = *watch;
  if (!old) {
    return;
  }
  vida__evaluator_destroy(&old->evaluator);
  free(old->block);
  free(old->is_in);
  free(old->run_row);
  free(old->run_end);
  free(old);
  *watch = NULL;
}

/* ---- singular configurations ----------------------------------------------------------------- */

static int find_row(const vida_watch* watch) {
  int row = 0;
  for (int r = 0; r < watch->stepper->self.model.m; r++) {
    row = fabs(watch->dependence[r]) > fabs(watch->dependence[row]) ? r : row;
  }
  return row;
}

/* Computes w = B^T z (n) for B of these entries of G. */
static void combine_rows(const vida_watch* watch, const double* entries, const double* z,
                         double* w) {
  const vida_jacobian_entry* entry = watch->stepper->self.model.system->entries;
  memset(w, 0, (size_t)watch->stepper->self.model.n * sizeof *w);
  for (int k = 0, e = 0; k < watch->run_count; e = watch->run_end[k++]) {
    const int row = watch->run_row[k];
    const double factor = watch->is_in[row] ? z[row] / watch->length[row] : 0.0;
    for (; e < watch->run_end[k] && factor != 0.0; e++) {
      const int i = entry[e].coordinate;
      w[i] += factor * entries[e] * watch->inverse[i];
    }
  }
}

static double find_product(const vida_watch* watch, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < watch->stepper->self.model.n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* One place of a line: its fraction, and there |B^T z| and its slope along the line. */
typedef struct dip_place {
  double share, value, slope;
} dip_place;

/* The place with these entries of G and this z. `difference` has the change of the entries along
 * the whole line. */
static dip_place find_place(vida_watch* watch, double share, const double* entries,
                            const double* z) {
  combine_rows(watch, entries, z, watch->side);
  combine_rows(watch, watch->difference, z, watch->step);
  const double value = sqrt(find_product(watch, watch->side, watch->side));
  const double product = find_product(watch, watch->side, watch->step);
  return (dip_place){share, value, value > 0.0 ? product / value : 0.0};
}

/* Evaluates G at a fraction of the line from the last measured point to (t,q). */
static bool evaluate_on_line(vida_watch* watch, double share, double t, const double* q,
                             double* entries) {
  const vida_singularity* at = &watch->singularity;
  for (int i = 0; i < watch->stepper->self.model.n; i++) {
    watch->y[i] = watch->measured[i] + share * (q[i] - watch->measured[i]);
  }
  return !vida__jacobian(&watch->evaluator, at->t + share * (t - at->t), watch->y, entries);
}

/* Evaluates G at both ends of the line, its difference, and the places there. */
static bool find_ends(vida_watch* watch, double t, const double* q, dip_place* low,
                      dip_place* high) {
  const int count = watch->stepper->self.model.system->entry_count;
  if (!evaluate_on_line(watch, 0.0, t, q, watch->difference) ||
      !evaluate_on_line(watch, 1.0, t, q, watch->between)) {
    return false;
  }
  for (int e = 0; e < count; e++) {
    watch->difference[e] = watch->between[e] - watch->difference[e];
  }
  *high = find_place(watch, 1.0, watch->between, watch->dependence);
  for (int e = 0; e < count; e++) {
    watch->between[e] -= watch->difference[e];
  }
  *low = find_place(watch, 0.0, watch->between, watch->dependence_before);
  return true;
}

/* A lower bound of the value between two places at which it falls and rises: |B^T z| is convex on
 * the line for the same z, for it is the length of a vector that changes linearly, and so it is not
 * below its tangents. */
static double bound_between(const dip_place* low, const dip_place* high) {
  const double width = high->share - low->share;
  const double meet = (high->value - low->value - high->slope * width) / (low->slope - high->slope);
  return low->value + low->slope * meet;
}

/* Returns whether G loses rank on the straight line from the last measured point to q: whether the
 * singular value is a small fraction of its values at both ends. Bisects the line by the slope of
 * the value, until its tangents show that it does not become so small. */
static bool has_dip(vida_watch* watch, double t, const double* q, double value) {
  enum { PLACES = 11 };
  const double wanted = dip * fmin(watch->singularity.value, value);
  dip_place low, high;
  if (!find_ends(watch, t, q, &low, &high)) {
    return false;
  }
  for (int k = 0; k < PLACES; k++) {
    const double share = 0.5 * (low.share + high.share);
    if (!evaluate_on_line(watch, share, t, q, watch->between)) {
      return false;
    }
    if (vida__watch_prepare_value(watch, watch->between) || vida__watch_value(watch) < wanted) {
      return true;
    }
    const dip_place middle = find_place(watch, share, watch->between, watch->dependence);
    *(middle.slope < 0.0 ? &low : &high) = middle;
    if (low.slope >= 0.0 || high.slope <= 0.0 || bound_between(&low, &high) > wanted) {
      return false;
    }
  }
  return false;
}

static void note_passage(vida_watch* watch, double t) {
  vida_singularity* at = &watch->singularity;
  if (at->passages == 0) {
    at->first_t = t;
    at->first_row = find_row(watch);
  }
  at->passages++;
  at->is_passing = true;
}

/* At a singular configuration the singular value changes linearly, with a change of sign that it
 * does not show. If its extrapolation becomes negative before the value rises again, the step has
 * passed the configuration without seeing it. A configuration that the steps resolve is detected by
 * its value. */
bool vida__watch_measure(vida_watch* watch, double t, const double* q, bool is_singular) {
  vida_singularity* at = &watch->singularity;
  memcpy(watch->dependence_before, watch->dependence,
         (size_t)watch->stepper->self.model.m * sizeof *watch->dependence);
  const double value = is_singular ? 0.0 : vida__watch_value(watch);
  const double slope = (at->value - at->value_before) / (at->t - at->t_before);
  const double expected = at->value + slope * (t - at->t);
  const bool has_slope = at->count >= 2;
  bool is_searched = false;
  at->largest = fmax(at->largest, value);
  if (at->is_passing) {
    at->is_passing = !(value > VIDA_NEAR_SINGULAR * at->largest);
  } else if (has_slope && vida__is_near_singular(at) && expected < -0.25 * value) {
    is_searched = fmin(at->value, value) > certainly_near * at->largest;
    if (!is_searched || has_dip(watch, t, q, value)) {
      const double sum = at->value + value;
      note_passage(watch, sum > 0.0 ? at->t + (t - at->t) * at->value / sum : at->t);
    }
  } else if (has_slope && at->value < at_singular * at->largest && slope <= 0.0 &&
             value > at->value) {
    note_passage(watch, at->t);
  }
  at->value_before = at->value;
  at->t_before = at->t;
  at->value = value;
  at->t = t;
  at->count++;
  memcpy(watch->measured, q, (size_t)watch->stepper->self.model.n * sizeof *q);
  return is_searched;
}

/* Returns whether the motion is certainly still near the configuration that it passed last. |B^T z|
 * is an upper bound of the smallest singular value for each unit vector z, here for that of the
 * last measurement. While the motion passes, nothing but the end of the passage is searched for,
 * and the next two measurements do not use this one: the motion is not near at the first one. */
static bool is_still_passing(vida_watch* watch, double t, const double* entries) {
  vida_singularity* at = &watch->singularity;
  if (!at->is_passing || at->count == 0) {
    return false;
  }
  vida__watch_lengths(watch, entries);
  combine_rows(watch, entries, watch->dependence, watch->side);
  const double bound = VIDA_NEAR_SINGULAR * at->largest;
  if (!(find_product(watch, watch->side, watch->side) < bound * bound)) {
    return false;
  }
  at->t = t;
  return true;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void choose_rows(vida_watch* watch) {
  const VidaStepper* stepper = watch->stepper;
  const int* dependent = NULL;
  const int count = VidaStepper_DependentRows(stepper, &dependent);
  for (int r = 0; r < stepper->self.model.m; r++) {
    watch->is_in[r] = !stepper->self.model.system->rows[r].is_nonholonomic;
  }
  for (int k = 0; k < count; k++) {
    watch->is_in[dependent[k]] = false;
  }
  watch->row_count = 0;
  for (int r = 0; r < stepper->self.model.m; r++) {
    watch->row_count += watch->is_in[r] ? 1 : 0;
  }
}

static void set_masses(vida_watch* watch) {
  const VidaStepper* stepper = watch->stepper;
  const vida_coordinate* coordinates = stepper->self.model.system->coordinates;
  vida_unit_sizes sizes = {0};
  bool is_new;
  for (int i = 0; i < stepper->self.model.n; i++) {
    double* largest = &sizes.largest[vida__unit_slot(&sizes, coordinates[i].unit, &is_new)];
    *largest = fmax(*largest, stepper->self.model.root_mass[i]);
  }
  for (int i = 0; i < stepper->self.model.n; i++) {
    const double largest = sizes.largest[vida__unit_slot(&sizes, coordinates[i].unit, &is_new)];
    watch->root[i] = fmax(stepper->self.model.root_mass[i], least_root * largest);
  }
  vida__share_sizes(stepper->self.model.system, watch->root);
  for (int i = 0; i < stepper->self.model.n; i++) {
    watch->inverse[i] = 1.0 / watch->root[i];
  }
}

/* As vida__largest_turn, with the sizes of the watch. */
static double find_turn(vida_watch* watch, const double* restrict before,
                        const double* restrict after) {
  double largest = 0.0;
  for (int k = 0, e = 0; k < watch->run_count; k++) {
    double change = 0.0, square = 0.0;
    for (; e < watch->run_end[k]; e++) {
      const double difference = after[e] - before[e];
      change += difference * difference;
      square += after[e] * after[e];
    }
    double* size = &watch->size[watch->run_row[k]];
    *size = square > *size ? square : *size;
    largest = change > largest * *size ? change / *size : largest;
  }
  return largest;
}

/* Evaluates G and, if constraints can jump, g and g_t at a point. */
static int evaluate(vida_watch* watch, double t, const double* q, double* entries, double* g,
                    double* rate) {
  int code = vida__jacobian(&watch->evaluator, t, q, entries);
  if (!code && !watch->is_smooth) {
    code = vida__constraints(&watch->evaluator, t, q, NULL, g);
  }
  if (!code && watch->stepper->self.model.system->time_dependent) {
    code = vida__constraint_rate(&watch->evaluator, t, q, rate);
  }
  return code;
}

/* Notes a look at q, to which gradients have turned this far from the last point. */
static void set_seen(vida_watch* watch, const double* q, double turn) {
  const double left = 1.0 - sqrt(turn / VIDA_HARDLY_TURNED);
  memcpy(watch->seen, q, (size_t)watch->stepper->self.model.n * sizeof *q);
  watch->room = left > 0.0 ? left * left : 0.0;
}

void vida__watch_return(vida_watch* watch, double t, const double* q) {
  if (!watch) {
    return;
  }
  watch->t = t;
  memcpy(watch->q, q, (size_t)watch->stepper->self.model.n * sizeof *q);
  set_seen(watch, q, 0.0);
  watch->singularity.count = 0;
  watch->last_way = 0.0;
  watch->jump.row = -1;
  watch->is_blind =
      watch->row_count == 0 || evaluate(watch, t, q, watch->entries, watch->g, watch->rate);
  if (!watch->is_blind) { /* sizes of what may vanish at the next place */
    find_turn(watch, watch->entries, watch->entries);
    vida__watch_lengths(watch, watch->entries);
  }
}

void vida__watch_keep(vida_watch* watch) {
  if (watch) {
    watch->kept = watch->singularity;
  }
}

/* Without the measurements, a passage near the node would not be noticed. */
void vida__watch_take_back(vida_watch* watch, double t, const double* q) {
  vida__watch_return(watch, t, q);
  if (watch) {
    watch->singularity = watch->kept;
  }
}

void vida__watch_start(vida_watch* watch, double t, const double* q) {
  if (!watch) {
    return;
  }
  watch->singularity = (vida_singularity){0};
  watch->bend = 0.0;
  watch->may_jump = watch->stepper->self.is_relaxed_row;
  memset(watch->size, 0, (size_t)watch->stepper->self.model.m * sizeof *watch->size);
  memset(watch->length, 0, (size_t)watch->stepper->self.model.m * sizeof *watch->length);
  set_masses(watch);
  choose_rows(watch);
  vida__watch_return(watch, t, q);
}

static void go_on(vida_watch* watch, double t) {
  watch->t = t;
  vida__exchange(&watch->q, &watch->q_next);
  vida__exchange(&watch->entries, &watch->ahead);
  vida__exchange(&watch->g, &watch->g_next);
  vida__exchange(&watch->rate, &watch->rate_next);
}

/* Takes G and g at the node that a step has reached from the step, which needs them again. A step
 * with relaxed constraints has prepared the next one, with G and g at the node. */
static int take_from_step(vida_watch* watch, VidaIntegration* step, double t) {
  const bool is_relaxed = step->softness;
  const double* entries = step->implicit.entries0;
  const int code = is_relaxed ? VIDA_SUCCESS : vida__jacobian_after_step(step, t, &entries);
  if (!code) {
    memcpy(watch->ahead, entries, (size_t)step->model.system->entry_count * sizeof *entries);
  }
  if (!code && !watch->is_smooth) {
    memcpy(watch->g_next, is_relaxed ? step->implicit.g0 : step->implicit.g_node,
           (size_t)step->model.m * sizeof *entries);
  }
  return code;
}

static int evaluate_ahead(vida_watch* watch, VidaIntegration* step, double t, const double* q) {
  return step && !step->model.system->time_dependent
             ? take_from_step(watch, step, t)
             : evaluate(watch, t, q, watch->ahead, watch->g_next, watch->rate_next);
}

/* Checks a point: *turn receives the turn of the gradients, and the result is whether the point can
 * be reached. Only distant points may not be reachable. */
static int look_at(vida_watch* watch, VidaIntegration* step, double t, const double* q,
                   double* turn, VidaError* error) {
  *turn = 0.0;
  if (!watch || watch->is_blind || evaluate_ahead(watch, step, t, q)) {
    return VIDA_SUCCESS;
  }
  const vida_singularity before = watch->singularity;
  memcpy(watch->q_next, q, (size_t)watch->stepper->self.model.n * sizeof *q);
  *turn = find_turn(watch, watch->entries, watch->ahead);
  if (vida__watch_finds_jump(watch, t)) {
    return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_CONSTRAINT_JUMPS,
                           "constraint '%s' jumps during the step",
                           watch->stepper->self.model.system->rows[watch->jump.row].name);
  }
  const double way = vida__watch_way(watch, watch->q, q, watch->stepper->self.model.n);
  watch->bend = way > 0.0 ? fmax(watch->bend, *turn / way) : watch->bend;
  if (*turn <= VIDA_FAR_TURNED || watch->may_jump || vida__watch_can_reach(watch, t, *turn)) {
    return VIDA_SUCCESS;
  }
  watch->singularity = before;
  return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, VIDA_OTHER_BRANCH, VIDA_OTHER_BRANCH_TEXT);
}

bool vida__watch_probe_jump(vida_watch* watch, double t, const double* q) {
  if (!watch || watch->is_blind ||
      evaluate(watch, t, q, watch->ahead, watch->g_next, watch->rate_next)) {
    return false;
  }
  memcpy(watch->q_next, q, (size_t)watch->stepper->self.model.n * sizeof *q);
  return vida__watch_finds_jump(watch, t);
}

const vida_discontinuity* vida__watch_jump(const vida_watch* watch) {
  return watch && watch->jump.row >= 0 ? &watch->jump : NULL;
}

int vida__watch_check(vida_watch* watch, double t, const double* q, VidaError* error) {
  const vida_singularity before = watch ? watch->singularity : (vida_singularity){0};
  double turn;
  const int code = look_at(watch, NULL, t, q, &turn, error);
  if (watch) {
    watch->singularity = before;
  }
  return code;
}

static void measure_ahead(vida_watch* watch, double t, const double* q) {
  vida_linear* matrix = watch->stepper->self.model.node_matrix;
  vida__linear_make_rough(matrix, true);
  const bool is_singular = vida__watch_prepare_value(watch, watch->ahead);
  vida__watch_measure(watch, t, q, is_singular);
  vida__linear_make_rough(matrix, false);
}

/* step (nullable): the step that has led to q, if it has evaluated g there. */
static int follow(vida_watch* watch, VidaIntegration* step, double t, const double* q,
                  VidaError* error) {
  /* The last looks before a turn would be at almost every step. */
  static const double enough = 0.64; /* 0.8 of the angle */
  double turn;
  if (!watch) {
    return VIDA_SUCCESS;
  }
  watch->jump.row = -1;
  if (vida__watch_is_at_hand(watch, q, watch->stepper->self.model.n)) {
    return VIDA_SUCCESS;
  }
  watch->last_way =
      fmax(watch->last_way, vida__watch_way(watch, watch->seen, q, watch->stepper->self.model.n));
  const int code = look_at(watch, step, t, q, &turn, error);
  if (code || turn == 0.0 ||
      (turn < enough * VIDA_HARDLY_TURNED && !vida__is_near_singular(&watch->singularity))) {
    if (!code) {
      set_seen(watch, q, turn);
    }
    return code;
  }
  if (!is_still_passing(watch, t, watch->ahead)) {
    measure_ahead(watch, t, q);
  }
  go_on(watch, t);
  set_seen(watch, q, 0.0);
  return VIDA_SUCCESS;
}

int vida__watch_follow(vida_watch* watch, double t, const double* q, VidaError* error) {
  return follow(watch, NULL, t, q, error);
}

bool vida__watch_passes(vida_watch* watch, double t, const double* q, const double* p) {
  VidaError unused;
  return !vida__watch_looks_always(watch) && vida__is_energy_usual(watch->stepper, p) &&
         !follow(watch, NULL, t, q, &unused) && !vida__watch_looks_always(watch);
}

bool vida__passes_node(VidaIntegration* self, const double* q) {
  vida_watch* watch = vida__frame_of(self)->watch;
  return !watch || vida__watch_is_at_hand(watch, q, self->model.n) ||
         vida__watch_passes(watch, vida__node_time(self), q, self->node.p);
}

int vida__check_branch(VidaIntegration* self, const double* q, VidaError* error) {
  VidaStepper* stepper = vida__frame_of(self);
  vida_watch* watch = vida__is_stage(stepper) ? stepper->outer->watch : stepper->watch;
  VidaError local;
  char step[VIDA_STEP_NAME_SIZE];
  const bool has_node = self->implicit.has_g_node || self->softness;
  const bool is_evaluated = q == self->node.q && has_node && !stepper->jumps;
  const int code =
      follow(watch, is_evaluated ? self : NULL, vida__next_time(&stepper->self), q, &local);
  if (!code) {
    return VIDA_SUCCESS;
  }
  /* The data of this step are not a guess for another step. */
  stepper->self.implicit.has_tracked = false;
  stepper->self.implicit.history.count = 0;
  return vida__fail_flag(error, code, local.flag, "%s: %s", vida__name_step(&stepper->self, step),
                         local.message);
}

/* ---- what was found -------------------------------------------------------------------------- */

long vida__watch_passages(const vida_watch* watch, double* t, const char** name) {
  if (!watch || watch->singularity.passages == 0) {
    return 0;
  }
  if (t) {
    *t = watch->singularity.first_t;
  }
  if (name) {
    *name = watch->stepper->self.model.system->rows[watch->singularity.first_row].name;
  }
  return watch->singularity.passages;
}

const char* vida__watch_singular(const vida_watch* watch, double* t) {
  if (!watch || !vida__is_near_singular(&watch->singularity)) {
    return NULL;
  }
  *t = watch->singularity.t;
  return watch->stepper->self.model.system->rows[find_row(watch)].name;
}

int vida__follow_motion(VidaIntegration* self, double t, const double* q, const double* v,
                        VidaError* error) {
  VidaStepper* stepper = vida__frame_of(self);
  const int code = vida__watch_follow(stepper->watch, t, q, error);
  return code || !stepper->outer ? code : vida__hybrid_follow(stepper, t, q, v, error);
}

int vida__check_motion(VidaIntegration* self, double t, const double* q, VidaError* error) {
  return vida__watch_check(vida__frame_of(self)->watch, t, q, error);
}

/* ---- records --------------------------------------------------------------------------------- */

static void record_singularity(vida_watch* watch, VidaRecord* record) {
  vida_singularity* at = &watch->singularity;
  double* reals[] = {&at->t,       &at->value,  &at->t_before, &at->value_before,
                     &at->largest, &at->first_t};
  const int m = watch->stepper->self.model.m;
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  vida__record_integers(record, &at->count, 1, 0, INT_MAX);
  vida__record_integers(record, &at->first_row, 1, 0, m - 1);
  VidaRecord_Integer(record, &at->passages, 0, LONG_MAX);
  VidaRecord_Flag(record, &at->is_passing);
}

void vida__watch_record(vida_watch* watch, VidaRecord* record) {
  if (!watch) {
    return;
  }
  const int m = watch->stepper->self.model.m;
  double* reals[] = {&watch->t,    &watch->bend,   &watch->last_way,
                     &watch->room, &watch->jump.t, &watch->jump.size};
  vida_array arrays[ARRAYS];
  list_arrays(watch, arrays);
  vida__record_part(record, "watch of branches");
  vida__record_arrays(record, arrays, ARRAYS);
  vida__record_flags(record, watch->is_in, (size_t)m);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  vida__record_integers(record, &watch->row_count, 1, 0, m);
  vida__record_integers(record, &watch->jump.row, 1, -1, m - 1);
  VidaRecord_Flag(record, &watch->is_blind);
  VidaRecord_Flag(record, &watch->may_jump);
  VidaRecord_Flag(record, &watch->is_normal);
  record_singularity(watch, record);
}
