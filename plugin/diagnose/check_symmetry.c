/* Discrete derivatives, and which part breaks which symmetry.
 *
 * D f(q0,q1) has to satisfy D f (q1 - q0) = f(q1) - f(q0); and where f is left as it is by a
 * translation or rotation xi, D f xi((q0 + q1)/2) = 0 (Gonzalez 1999, eq. 17), or momenta would
 * change. A formula that is invariant without being written through invariants fails the second.
 *
 * What breaks a symmetry is looked for as symmetries are (symmetry.c): forces and constraints in
 * states that satisfy the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "diagnose/check.h"
#include "system/constraints/manifold.h"
#include "system/symmetry.h"

enum { LARGEST = VIDA_LARGEST_MOMENTUM_COUNT, SAMPLES = 3, MOST_BREAKERS = 4 };
static const double vanishing = 1e-9;

typedef struct samples {
  VidaCheck* check;
  int generators;
  double *q[2], *v, *dq, *middle; /* n each: two states, and the state in between */
  double *q_on, *v_on;            /* n each: a state near them that satisfies the constraints */
  vida_manifold* manifold;        /* NULL: it is not known */
  double* covector;               /* 2 n: L_q and L_v, or G^T lambda */
  double* discrete;               /* n */
  double* placed;                 /* n: a state with points measured from the center */
  double tolerance; /* `vanishing`, or the rounding of positions far from the origin */
  double *entries, *lambda, *rows;
  unsigned long long seed;
  /* The largest relative defects of every generator for the current part. */
  double defect[LARGEST], discrete_defect[LARGEST], breach[LARGEST];
  bool involved[LARGEST];
  double direction;
  bool turns;         /* the part is one of quaternions */
  int turning;        /* of such parts, those without an equivariant discrete derivative */
  const char* turned; /* the first of them */
} samples;

static void choose_states(samples* at) {
  const VidaCheck* check = at->check;
  for (int i = 0; i < check->system->coordinate_count; i++) {
    at->q[0][i] = check->q[i] + 0.1 * check->scale[i] * vida__check_number(&at->seed);
    at->dq[i] = 0.1 * check->scale[i] * vida__check_number(&at->seed);
    at->q[1][i] = at->q[0][i] + at->dq[i];
    at->dq[i] = at->q[1][i] - at->q[0][i];
    at->middle[i] = 0.5 * (at->q[0][i] + at->q[1][i]);
    at->v[i] = check->v_near[i] + 0.1 * check->scale[i] * vida__check_number(&at->seed);
    at->q_on[i] = at->q[0][i];
    at->v_on[i] = at->v[i];
  }
  if (at->manifold) {
    vida__manifold_find(at->manifold, check->t, check->q, at->q_on, at->v_on);
  }
}

static vida_interval between_of(samples* at) {
  vida_interval between = vida__interval(&at->check->evaluator, at->q[0], at->q[1], at->dq);
  between.t = at->check->t;
  between.v = at->v;
  return between;
}

/* Adds the defects of the generators in one state; `lifted` if the covector includes L_v. */
static void judge_invariance(samples* at, const double* q, bool lifted, double defect[LARGEST]) {
  const VidaSystem* system = at->check->system;
  const int n = system->coordinate_count;
  double value[LARGEST], size[LARGEST], value_v[LARGEST], size_v[LARGEST];
  vida__measure_from_center(system, &at->check->extent, q, at->placed);
  vida__apply_generators(system, at->placed, at->covector, false, value, size);
  vida__apply_generators(system, at->v, at->covector + n, true, value_v, size_v);
  for (int k = 0; k < at->generators; k++) {
    const double sum = value[k] + (lifted ? value_v[k] : 0.0);
    const double total = size[k] + (lifted ? size_v[k] : 0.0);
    at->involved[k] = at->involved[k] || total > 0.0;
    defect[k] = total > 0.0 ? fmax(defect[k], fabs(sum) / total) : defect[k];
  }
}

static void judge_discrete(samples* at, double along, double change, double size) {
  double value[LARGEST], sizes[LARGEST];
  at->direction = fmax(isnan(at->direction) ? 0.0 : at->direction,
                       size > 0.0 ? fabs(along - change) / size : 0.0);
  vida__measure_from_center(at->check->system, &at->check->extent, at->middle, at->placed);
  vida__apply_generators(at->check->system, at->placed, at->discrete, false, value, sizes);
  for (int k = 0; k < at->generators; k++) {
    at->discrete_defect[k] = sizes[k] > 0.0
                                 ? fmax(at->discrete_defect[k], fabs(value[k]) / sizes[k])
                                 : at->discrete_defect[k];
  }
}

/* sum of x_i y_i, and of its sizes. */
static double dot(const double* x, const double* y, int count, double* size) {
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    sum += x[i] * y[i];
    *size += fabs(x[i] * y[i]);
  }
  return sum;
}

/* ---- one state of one part ------------------------------------------------------------------- */

/* Computes the covector G^T lambda of a constraint at q. */
static bool find_reaction(samples* at, const vida_constraint_batch* batch, const double* q) {
  const VidaSystem* system = at->check->system;
  const int first = batch->first_entry;
  const int last = first + batch->count * batch->rows * batch->width;
  const vida_place place = vida__place(&at->check->evaluator, at->check->t, q, at->v);
  memset(at->covector, 0, 2 * (size_t)system->coordinate_count * sizeof(double));
  if (batch->kernel->jacobian(batch, &place, at->entries + first)) {
    return false;
  }
  for (int e = first; e < last; e++) {
    at->covector[system->entries[e].coordinate] +=
        at->lambda[system->entries[e].row] * at->entries[e];
  }
  return true;
}

static bool sample_term(samples* at, const vida_term_batch* batch) {
  const VidaSystem* system = at->check->system;
  const int n = system->coordinate_count;
  const vida_place first = vida__place(&at->check->evaluator, at->check->t, at->q[0], at->v);
  const vida_place second = vida__place(&at->check->evaluator, at->check->t, at->q[1], at->v);
  const vida_place on = vida__place(&at->check->evaluator, at->check->t, at->q_on, at->v_on);
  const vida_interval between = between_of(at);
  const bool is_force = batch->kernel->is_force;
  double value[2] = {0.0, 0.0};
  memset(at->covector, 0, 2 * (size_t)n * sizeof(double));
  memset(at->discrete, 0, (size_t)n * sizeof(double));
  if (batch->kernel->gradient(batch, is_force ? &on : &first, at->covector, at->covector + n)) {
    return false;
  }
  judge_invariance(at, is_force ? at->q_on : at->q[0], true, at->breach);
  memcpy(at->defect, at->breach, sizeof at->defect);
  if (!batch->kernel->discrete_gradient) {
    return true;
  }
  if (batch->kernel->value(batch, &first, &value[0]) ||
      batch->kernel->value(batch, &second, &value[1]) ||
      batch->kernel->discrete_gradient(batch, &between, at->discrete)) {
    return false;
  }
  double size = fabs(value[0]) + fabs(value[1]);
  const double along = dot(at->discrete, at->dq, n, &size);
  judge_discrete(at, along, value[0] - value[1], size); /* L = -V */
  return true;
}

static bool sample_constraint(samples* at, const vida_constraint_batch* batch) {
  const VidaSystem* system = at->check->system;
  const int n = system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  const int first = batch->first_entry;
  const int last = first + batch->count * batch->rows * batch->width;
  const vida_place start = vida__place(&at->check->evaluator, at->check->t, at->q[0], at->v);
  const vida_place end = vida__place(&at->check->evaluator, at->check->t, at->q[1], at->v);
  const vida_interval between = between_of(at);
  memset(at->discrete, 0, (size_t)n * sizeof(double));
  if (!find_reaction(at, batch, at->q_on)) {
    return false;
  }
  judge_invariance(at, at->q_on, false, at->breach);
  if (!find_reaction(at, batch, at->q[0])) {
    return false;
  }
  judge_invariance(at, at->q[0], false, at->defect);
  if (!batch->kernel->discrete_jacobian) {
    return true;
  }
  memset(at->rows, 0, 2 * m * sizeof(double));
  if (batch->kernel->value(batch, &start, NULL, at->rows) ||
      batch->kernel->value(batch, &end, NULL, at->rows + m) ||
      batch->kernel->discrete_jacobian(batch, &between, at->entries + first)) {
    return false;
  }
  for (int e = first; e < last; e++) {
    at->discrete[system->entries[e].coordinate] +=
        at->lambda[system->entries[e].row] * at->entries[e];
  }
  double size = 0.0;
  const double along = dot(at->discrete, at->dq, n, &size);
  const double change =
      dot(at->lambda, at->rows + m, (int)m, &size) - dot(at->lambda, at->rows, (int)m, &size);
  judge_discrete(at, along, change, size);
  return true;
}

/* ---- what it means --------------------------------------------------------------------------- */

/* Returns whether an instance has components of a quaternion, for which distances are not used. */
static bool has_quaternion(const VidaSystem* system, const int* index, int width) {
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    for (int a = 0; a < width && motion->kind == VIDA_MOTION_QUATERNION; a++) {
      if (index[a] == motion->coordinate[0] || index[a] == motion->coordinate[1]) {
        return true;
      }
    }
  }
  return false;
}

/* One finding for all rows of joints between quaternions, which the user does not write. */
static void report_turning(const samples* at) {
  if (at->turning > 0) {
    vida__check_find(at->check, VIDA_SEVERITY_NOTE, at->turned,
                     "energy-momentum would not keep angular momenta with this part%s of "
                     "quaternions; with bodies as = \"directors\" it does",
                     at->turning > 1 ? ", and others," : "");
  }
}

static void judge_part(samples* at, VidaCheckPart* part) {
  const VidaSystem* system = at->check->system;
  char names[64] = "";
  char number[VIDA_REAL_TEXT_SIZE];
  double worst = 0.0;
  part->discrete = at->direction;
  if (isnan(at->direction)) {
    return;
  }
  if (at->direction > at->tolerance) {
    vida__check_find(at->check, VIDA_SEVERITY_ERROR, part->name,
                     "its discrete derivative times q1 - q0 differs from its change by %s of it: "
                     "energy-momentum would not keep the energy",
                     vida__real_text(number, at->direction, 3));
  }
  for (int k = 0; k < at->generators; k++) {
    if (!at->involved[k] || at->defect[k] > at->tolerance) {
      continue;
    }
    part->equivariance =
        fmax(isnan(part->equivariance) ? 0.0 : part->equivariance, at->discrete_defect[k]);
    if (at->discrete_defect[k] > at->tolerance) {
      worst = fmax(worst, at->discrete_defect[k]);
      vida__append(names, sizeof names, "%s%s", names[0] ? ", " : "",
                   vida__generator_name(system, k));
    }
  }
  if (names[0] && at->turns) {
    at->turned = at->turning++ ? at->turned : part->name;
  } else if (names[0]) {
    vida__check_find(at->check, VIDA_SEVERITY_WARNING, part->name,
                     "it is invariant, but its discrete derivative is not equivariant (%s, by %s): "
                     "energy-momentum would not keep these momenta; write it through distances and "
                     "dot products",
                     names, vida__real_text(number, worst, 3));
  }
}

typedef struct breakers {
  int count;
  char names[VIDA_MESSAGE_SIZE / 2];
} breakers;

static void add_breaker(breakers* of, const char* name) {
  if (of->count < MOST_BREAKERS) {
    vida__append(of->names, sizeof of->names, "%s'%s'", of->count ? ", " : "", name);
  }
  of->count++;
}

/* Returns whether a momentum map is this generator's alone: what breaks it then does so with
 * another, as a force and its reaction. */
static bool is_kept(const VidaSystem* system, int generator) {
  for (int i = 0; i < system->momentum_count; i++) {
    bool alone = system->momenta[i].weight[generator] != 0.0;
    for (int k = 0; k < LARGEST; k++) {
      alone = alone && (k == generator || system->momenta[i].weight[k] == 0.0);
    }
    if (alone) {
      return true;
    }
  }
  return false;
}

static void report_breakers(samples* at, const breakers* broken) {
  for (int k = 0; k < at->generators; k++) {
    if (is_kept(at->check->system, k)) {
      continue;
    }
    if (broken[k].count > MOST_BREAKERS) {
      vida__check_find(at->check, VIDA_SEVERITY_NOTE, vida__generator_name(at->check->system, k),
                       "not conserved: %s and %d more depend on where or how the system stands",
                       broken[k].names, broken[k].count - MOST_BREAKERS);
    } else if (broken[k].count > 0) {
      vida__check_find(at->check, VIDA_SEVERITY_NOTE, vida__generator_name(at->check->system, k),
                       "not conserved: %s depend%s on where or how the system stands",
                       broken[k].names, broken[k].count > 1 ? "" : "s");
    }
  }
}

static void begin_part(samples* at) {
  at->direction = (double)NAN;
  at->seed = 20250501;
  for (int k = 0; k < LARGEST; k++) {
    at->defect[k] = at->discrete_defect[k] = at->breach[k] = 0.0;
    at->involved[k] = false;
  }
}

static void check_gravity(samples* at, breakers* broken) {
  const VidaSystem* system = at->check->system;
  begin_part(at);
  memset(at->covector, 0, 2 * (size_t)system->coordinate_count * sizeof(double));
  memcpy(at->covector, system->uniform_force, (size_t)system->coordinate_count * sizeof(double));
  for (int s = 0; s < SAMPLES; s++) {
    choose_states(at);
    judge_invariance(at, at->q[0], false, at->breach);
  }
  for (int k = 0; k < at->generators; k++) {
    if (at->breach[k] > at->tolerance) {
      add_breaker(&broken[k], "gravity");
    }
  }
}

static void check_parts(samples* at, breakers* broken) {
  VidaCheck* check = at->check;
  const VidaSystem* system = check->system;
  for (int b = 0; b < check->part_count; b++) {
    VidaCheckPart* part = &check->parts[b];
    const int constraint = b - system->term_batch_count;
    int evaluated = 0;
    begin_part(at);
    if (part->instances == 0 || (constraint < 0 && system->term_batches[b].kernel->mass)) {
      continue;
    }
    for (int s = 0; s < SAMPLES; s++) {
      choose_states(at);
      evaluated += constraint < 0 ? sample_term(at, &system->term_batches[b])
                                  : sample_constraint(at, &system->constraint_batches[constraint]);
    }
    if (evaluated == 0) {
      continue;
    }
    at->turns =
        constraint < 0
            ? has_quaternion(system, system->term_batches[b].index, part->width)
            : has_quaternion(system, system->constraint_batches[constraint].index, part->width);
    judge_part(at, part);
    for (int k = 0; k < at->generators; k++) {
      if (at->breach[k] > at->tolerance) {
        add_breaker(&broken[k], part->name);
      }
    }
  }
}

/* Checks quantities that the user declares conserved: their rate along the motion at the start,
 * compared with the sizes of its terms. */
static int check_observables(VidaCheck* check, VidaError* error) {
  enum { MOST_COORDINATES = 2000 };
  const VidaSystem* system = check->system;
  const size_t n = (size_t)system->coordinate_count;
  const size_t count = (size_t)system->observable_count;
  if (count == 0 || n > MOST_COORDINATES) {
    return VIDA_SUCCESS;
  }
  double* a = vida__allocate(n + (size_t)system->row_count + 5 * count, sizeof *a);
  if (!a) {
    return vida__fail_memory(error);
  }
  double* lambda = a + n;
  double* values[4];
  for (int k = 0; k < 4; k++) {
    values[k] = lambda + system->row_count + (size_t)k * count;
  }
  double* upper = values[2];
  double* lower = values[3];
  bool good = !VidaSystem_Accelerations(system, check->t, check->q, check->v, a, lambda, NULL);
  for (size_t i = 0; i < 2 * n && good; i++) {
    double* variable = i < n ? &check->q[i] : &check->v[i - n];
    const double rate = i < n ? check->v[i] : a[i - n];
    const double kept = *variable;
    const double step = 1e-5 * fmax(check->scale[i % n], fabs(kept));
    *variable = kept + step;
    good = !vida__observables(&check->evaluator, check->t, check->q, check->v, upper);
    *variable = kept - step;
    good = good && !vida__observables(&check->evaluator, check->t, check->q, check->v, lower);
    *variable = kept;
    for (size_t k = 0; k < count && good; k++) {
      const double part = (upper[k] - lower[k]) / (2.0 * step) * rate;
      values[0][k] += part;
      values[1][k] += fabs(part);
    }
  }
  for (size_t k = 0; k < count && good; k++) {
    char number[VIDA_REAL_TEXT_SIZE];
    if (system->observables[k].conserved && fabs(values[0][k]) > 1e-6 * values[1][k]) {
      vida__check_find(check, VIDA_SEVERITY_WARNING, system->observables[k].name,
                       "it is declared conserved, but changes by %s per second at the start",
                       vida__real_text(number, values[0][k], 6));
    }
  }
  free(a);
  return VIDA_SUCCESS;
}

int vida__check_symmetry(VidaCheck* check, VidaError* error) {
  const VidaSystem* system = check->system;
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  samples at = {.check = check, .generators = vida__generator_count(system), .seed = 20250501};
  breakers broken[LARGEST];
  memset(broken, 0, sizeof broken);
  double* block = vida__allocate(11 * n + 3 * m + (size_t)system->entry_count, sizeof *block);
  if (!block) {
    return vida__fail_memory(error);
  }
  at.q[0] = block;
  at.q[1] = block + n;
  at.v = block + 2 * n;
  at.dq = block + 3 * n;
  at.middle = block + 4 * n;
  at.covector = block + 5 * n;
  at.discrete = block + 7 * n;
  at.q_on = block + 8 * n;
  at.v_on = block + 9 * n;
  at.placed = block + 10 * n;
  at.lambda = block + 11 * n;
  at.rows = at.lambda + m;
  at.entries = at.rows + 2 * m;
  at.tolerance = fmax(vanishing, check->extent.rounding);
  for (size_t r = 0; r < m; r++) {
    at.lambda[r] = 1.0 + 0.5 * vida__check_number(&at.seed);
  }
  int code = vida__manifold_create(system, &at.manifold, error);
  if (!code) {
    check_gravity(&at, broken);
    check_parts(&at, broken);
    report_turning(&at);
    report_breakers(&at, broken);
  }
  vida__manifold_destroy(&at.manifold);
  free(block);
  return code ? code : check_observables(check, error);
}
