/* Symmetries: the combinations of translations and rotations whose momentum is conserved.
 *
 * A generator xi is a symmetry if dL(q,v) (xi(q), xi(v)) = 0 in every state, and f xi(q) = 0, G
 * xi(q) = 0 and A xi(q) = 0 in every state that satisfies the constraints. For dissipation, f xi =
 * 0 means that v + xi(q) leaves R(q,v) unchanged. All these conditions are linear in xi, so each
 * state gives rows of a small linear system, whose null space contains the symmetries. Since the
 * states are arbitrary, a false symmetry would have to hold in all of them by accident.
 *
 * States differ from the start by the own sizes of the coordinates (own_sizes.h) in an own time of
 * the system, and rotations are about the middle of its points if the origin of space is far from
 * it. So neither units nor the place of the system make a difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/constraints/manifold.h"
#include "system/constraints/rank.h"
#include "system/evaluate/evaluate.h"
#include "system/evaluate/own_sizes.h"
#include "system/model/build.h"
#include "system/symmetry.h"
#include "system/symmetry_space.h"

enum { LARGEST = VIDA_LARGEST_MOMENTUM_COUNT, SAMPLES = 3 };

/* Rounding error of a row that vanishes, relative to the size of its terms. */
static const double vanishing = 1e-9;

static int count_motions(const VidaSystem* system) {
  return system->particle_count + system->motion_count;
}

/* Returns how a particle, or declared coordinates, move with space. */
static vida_motion get_motion(const VidaSystem* system, int i) {
  if (i >= system->particle_count) {
    return system->motions[i - system->particle_count];
  }
  const int first = system->particles[i].coordinate;
  const vida_motion motion = {VIDA_MOTION_POINT, {first, first + 1, first + 2, -1}};
  return motion;
}

static int motion_size(VidaMotion kind, int dimension) {
  return kind == VIDA_MOTION_QUATERNION ? 4 : kind == VIDA_MOTION_ANGLE ? 1 : dimension;
}

/* Returns component `axis` of (0, e) * q / 2 for the quaternion q = x, scalar first. */
static double turn_quaternion(const double x[4], int e, int axis) {
  const int a = (e + 1) % 3;
  const int b = (e + 2) % 3;
  return 0.5 * (axis == 0       ? -x[1 + e]
                : axis == 1 + e ? x[0]
                : axis == 1 + b ? x[1 + a]
                                : -x[1 + b]);
}

/* Returns component `axis` of generator k at the position x or, if `lifted`, at the velocity x. */
static double generate(VidaMotion kind, int dimension, int k, const double* x, int axis,
                       bool lifted) {
  if (k < dimension) {
    return kind == VIDA_MOTION_POINT && axis == k && !lifted ? 1.0 : 0.0;
  }
  if (kind == VIDA_MOTION_QUATERNION) {
    return turn_quaternion(x, k - dimension, axis);
  }
  if (kind == VIDA_MOTION_ANGLE) {
    return lifted ? 0.0 : 1.0;
  }
  int a, b;
  vida__find_plane(dimension, k - dimension, &a, &b);
  return axis == b ? x[a] : axis == a ? -x[b] : 0.0;
}

/* Adds p . xi_k at the point x of space, or `lifted` at its velocity, in the order of the axes. */
static inline void add_point(int d, const double* x, const double* p, bool lifted, double* value,
                             double* size) {
  for (int k = 0; k < d && !lifted; k++) {
    value[k] += p[k];
    size[k] += fabs(p[k]);
  }
  for (int k = 0; k < vida__count_rotations(d); k++) {
    int a, b;
    vida__find_plane(d, k, &a, &b);
    const double by_a = -x[b] * p[a], by_b = x[a] * p[b];
    value[d + k] += a < b ? by_a : by_b;
    value[d + k] += a < b ? by_b : by_a;
    size[d + k] += a < b ? fabs(by_a) : fabs(by_b);
    size[d + k] += a < b ? fabs(by_b) : fabs(by_a);
  }
}

/* Computes p . xi_k(q) for every generator k, and the sum of the sizes of its terms. */
static void apply_generators(const VidaSystem* system, const double* q, const double* p,
                             bool lifted, double* value, double* size) {
  const int d = system->dimension;
  const int generators = d + vida__count_rotations(d);
  for (int k = 0; k < generators; k++) {
    value[k] = size[k] = 0.0;
  }
  for (int i = 0; i < system->particle_count; i++) {
    const int first = system->particles[i].coordinate;
    add_point(d, q + first, p + first, lifted, value, size);
  }
  for (int i = system->particle_count; i < count_motions(system); i++) {
    const vida_motion motion = get_motion(system, i);
    const int count = motion_size(motion.kind, d);
    double x[4];
    for (int axis = 0; axis < count; axis++) {
      x[axis] = q[motion.coordinate[axis]];
    }
    for (int k = 0; k < generators; k++) {
      for (int axis = 0; axis < count; axis++) {
        const double part =
            generate(motion.kind, d, k, x, axis, lifted) * p[motion.coordinate[axis]];
        value[k] += part;
        size[k] += fabs(part);
      }
    }
  }
}

void VidaSystem_Momentum(const VidaSystem* system, const double* q, const double* p,
                         double* values) {
  double generator[LARGEST] = {0.0};
  double size[LARGEST];
  if (!system || !q || !p || !values || system->momentum_count == 0) {
    return;
  }
  apply_generators(system, q, p, false, generator, size);
  for (int m = 0; m < system->momentum_count; m++) {
    values[m] = 0.0;
    for (int k = 0; k < LARGEST; k++) {
      values[m] += system->momenta[m].weight[k] * generator[k];
    }
  }
}

int VidaSystem_MomentumCount(const VidaSystem* system) {
  return system ? system->momentum_count : 0;
}

const char* VidaSystem_MomentumName(const VidaSystem* system, int index) {
  return system && index >= 0 && index < system->momentum_count ? system->momenta[index].name
                                                                : NULL;
}

/* Returns a pseudo-random number in -1 .. 1; the sequence is the same in every run. */
static double next_number(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* The motion that a coordinate belongs to (-1: none), and the index of the component. */
typedef struct owner {
  int motion, axis;
} owner;

/* Fails for a coordinate with two motions. */
static int find_owners(const VidaSystem* system, owner* owners, VidaError* error) {
  for (int i = 0; i < system->coordinate_count; i++) {
    owners[i] = (owner){-1, 0};
  }
  for (int i = 0; i < count_motions(system); i++) {
    const vida_motion motion = get_motion(system, i);
    for (int axis = 0; axis < motion_size(motion.kind, system->dimension); axis++) {
      owner* own = &owners[motion.coordinate[axis]];
      if (own->motion >= 0) {
        return vida__fail(error, VIDA_BAD_ARGUMENT,
                          "the motion of coordinate '%s' with space is declared twice",
                          system->coordinates[motion.coordinate[axis]].name);
      }
      *own = (owner){i, axis};
    }
  }
  return VIDA_SUCCESS;
}

/* Adds the terms of one component of a covector, at coordinate i, to the sums of apply_generators.
 * It is for long lists of short rows. */
static void apply_to_entry(const VidaSystem* system, const double* q, owner of, double component,
                           double* value, double* size) {
  const int d = system->dimension;
  const vida_motion motion = get_motion(system, of.motion);
  double x[4];
  for (int axis = 0; axis < motion_size(motion.kind, d); axis++) {
    x[axis] = q[motion.coordinate[axis]];
  }
  for (int k = 0; k < d + vida__count_rotations(d); k++) {
    const double part = generate(motion.kind, d, k, x, of.axis, false) * component;
    value[k] += part;
    size[k] += fabs(part);
  }
}

/* ---- samples --------------------------------------------------------------------------------- */

/* The state in which the system is evaluated. */
typedef struct sampler {
  vida_symmetry_space* rows;
  vida_evaluator* evaluator;
  vida_manifold* manifold; /* NULL: no constraints, or too many for a search */
  const owner* owners;
  const bool* is_free; /* by batches of constraints: is_free_distance of all instances */
  vida_extent extent;
  double time; /* an own time of the system: a power of two, so that it adds no rounding */
  unsigned long long seed;
  double t;
  double *start, *q, *v; /* n each */
  double* placed;        /* n: q, with points measured from the center */
  double* size;          /* n: own sizes of the coordinates */
  double *l_q, *l_v;     /* n each */
  double* entries;       /* of G */
} sampler;

/* Returns the number of entries of G up to the end of a batch. */
static int batch_end(const vida_constraint_batch* batch) {
  return batch->first_entry + batch->count * batch->rows * batch->width;
}

/* Returns whether all instances of a batch are distances of two points that move with space, which
 * no generator changes. */
static bool is_free_distance(const VidaSystem* system, const owner* owners,
                             const vida_constraint_batch* batch) {
  const int d = batch->dimension;
  const int count = batch->count * batch->width;
  bool is_free =
      batch->kernel == &vida__distance && batch->width == 2 * d && d == system->dimension;
  for (int j = 0; j < count && is_free; j++) {
    const owner of = owners[batch->index[j]];
    const owner first = owners[batch->index[j - j % d]];
    is_free = of.motion >= 0 && of.motion == first.motion && of.axis == j % d &&
              get_motion(system, of.motion).kind == VIDA_MOTION_POINT;
  }
  return is_free;
}

/* Processes the rows of G xi, constraint by constraint; if `decided`, only those of constraints
 * whose invariance any state shows. Returns whether some row breaks a symmetry found so far; adds
 * such rows if `adds`. */
static bool look_at_constraints(sampler* at, bool decided, bool adds) {
  const VidaSystem* system = at->evaluator->system;
  const vida_constraint_batch* batch = system->constraint_batches;
  bool breaks = false;
  for (int e = 0, end;
       e < system->entry_count && at->rows->rank < at->rows->size && (adds || !breaks); e = end) {
    double value[LARGEST] = {0.0}, size[LARGEST] = {0.0};
    while (e >= batch_end(batch)) {
      batch++;
    }
    end = e + batch->width;
    /* Only a distance shows its invariance in any state, and not only on the manifold. */
    if (at->is_free[batch - system->constraint_batches] ||
        (decided && batch->kernel != &vida__distance)) {
      end = batch_end(batch);
      continue;
    }
    for (int k = e; k < end; k++) {
      const int i = system->entries[k].coordinate;
      if (at->owners[i].motion >= 0) {
        apply_to_entry(system, at->placed, at->owners[i], at->entries[k], value, size);
      }
    }
    breaks = vida__symmetry_row(at->rows, value, size, adds) || breaks;
  }
  return breaks;
}

/* Adds the row of one part of L, whose derivatives are in l_q and l_v; those that are zero need not
 * be there. */
static void add_part(sampler* at, bool has_q, bool has_v) {
  const int dimension = at->evaluator->system->dimension;
  double value[LARGEST] = {0.0}, size[LARGEST] = {0.0};
  double value_v[LARGEST] = {0.0}, size_v[LARGEST] = {0.0};
  if (has_q) {
    apply_generators(at->evaluator->system, at->placed, at->l_q, false, value, size);
  }
  if (has_v) {
    apply_generators(at->evaluator->system, at->v, at->l_v, true, value_v, size_v);
  }
  for (int k = dimension; k < at->rows->size; k++) {
    value[k] += value_v[k];
    size[k] += size_v[k];
  }
  vida__symmetry_row(at->rows, value, size, true);
}

/* Computes f xi of a force. Returns false if it cannot be evaluated. */
static bool apply_to_force(sampler* at, const vida_term_batch* batch, double* value, double* size) {
  const VidaSystem* system = at->evaluator->system;
  const vida_place place = vida__place(at->evaluator, at->t, at->q, at->v);
  memset(at->l_q, 0, (size_t)system->coordinate_count * sizeof *at->l_q);
  if (batch->kernel->gradient(batch, &place, at->l_q, at->l_v)) {
    return false;
  }
  apply_generators(system, at->placed, at->l_q, false, value, size);
  return true;
}

/* Processes the rows of forces, one by one, except for generators whose momentum all forces
 * together preserve, since a force and its reaction may be two terms. Returns and adds as
 * look_at_constraints does. */
static bool look_at_forces(sampler* at, bool adds) {
  static const double balanced = 1e-12;
  const VidaSystem* system = at->evaluator->system;
  double sum[LARGEST] = {0.0}, sizes[LARGEST] = {0.0};
  bool breaks = false;
  for (int pass = 0; pass < 2 && system->has_forces; pass++) {
    for (int part = 0; part < system->term_batch_count; part++) {
      const vida_term_batch* batch = &system->term_batches[part];
      double value[LARGEST], size[LARGEST];
      if (!batch->kernel->is_force || !apply_to_force(at, batch, value, size)) {
        continue;
      }
      for (int k = 0; k < at->rows->size; k++) {
        sum[k] += pass == 0 ? value[k] : 0.0;
        sizes[k] += pass == 0 ? size[k] : 0.0;
        value[k] = fabs(sum[k]) <= balanced * sizes[k] ? 0.0 : value[k];
      }
      if (pass == 1) {
        breaks = vida__symmetry_row(at->rows, value, size, adds) || breaks;
      }
    }
  }
  return breaks;
}

/* Adds gravity, masses and Lagrangians, term by term, so that a stiff spring does not hide that
 * gravity breaks a symmetry. Returns false if a term cannot be evaluated. */
static bool add_lagrangian(sampler* at) {
  const VidaSystem* system = at->evaluator->system;
  const size_t bytes = (size_t)system->coordinate_count * sizeof *at->l_q;
  memcpy(at->l_q, system->uniform_force, bytes);
  add_part(at, true, false);
  for (int i = 0; i < system->coordinate_count; i++) {
    at->l_v[i] = system->mass[i] * at->v[i];
  }
  add_part(at, false, true);
  for (int part = 0; part < system->term_batch_count; part++) {
    const vida_term_batch* batch = &system->term_batches[part];
    const vida_place place = vida__place(at->evaluator, at->t, at->q, at->v);
    memset(at->l_q, 0, bytes);
    memset(at->l_v, 0, bytes);
    if (batch->kernel->is_force) {
      continue;
    }
    if (batch->kernel->gradient(batch, &place, at->l_q, at->l_v)) {
      return false;
    }
    add_part(at, true, !batch->kernel->is_potential);
  }
  return true;
}

/* Prepares the state that is in q. */
static void place_state(sampler* at) {
  vida__measure_from_center(at->evaluator->system, &at->extent, at->q, at->placed);
}

static void choose_state(sampler* at) {
  for (int i = 0; i < at->evaluator->system->coordinate_count; i++) {
    at->q[i] = at->start[i] + at->size[i] * next_number(&at->seed);
    at->v[i] = at->size[i] / at->time * next_number(&at->seed);
  }
  place_state(at);
}

static bool can_evaluate(sampler* at, double t) {
  at->t = t;
  return !vida__gradient(at->evaluator, at->t, at->q, at->v, at->l_q, at->l_v) &&
         !vida__jacobian(at->evaluator, at->t, at->q, at->entries);
}

/* Processes an arbitrary state. Returns whether it could be evaluated; otherwise it is not evidence
 * of symmetry. A constraint or force that breaks a symmetry in this state must also break it on the
 * constraint manifold; if no state on the manifold is found, this state decides. */
static bool sample_state(sampler* at, double t) {
  choose_state(at);
  /* Terms may not be defined at all times. */
  if (!(can_evaluate(at, t * at->time) || can_evaluate(at, t) || can_evaluate(at, 0.0)) ||
      !add_lagrangian(at)) {
    return false;
  }
  look_at_constraints(at, true, true);
  if (at->manifold && (look_at_constraints(at, false, false) || look_at_forces(at, false)) &&
      vida__manifold_find(at->manifold, at->t, at->start, at->q, at->v) &&
      vida__jacobian(at->evaluator, at->t, at->q, at->entries)) {
    return false;
  }
  place_state(at);
  look_at_constraints(at, false, true);
  look_at_forces(at, true);
  return true;
}

static void sample(sampler* at, VidaSystem* system) {
  /* For terms that depend on time, the time zero, where many functions vanish, is not
   * representative. */
  static const double times[] = {0.0, 0.37, 2.9, 0.0, 0.83, 7.1, 0.0, 0.19, 4.3};
  enum { TIMES = sizeof times / sizeof times[0] };
  const int size = at->rows->size;
  int evaluated = 0;
  /* Gravity alone gives one new row per state, so at most as many more states as generators are
   * needed. */
  for (int s = 0; s < SAMPLES + size && at->rows->rank < size; s++) {
    evaluated += sample_state(at, times[s % TIMES]);
  }
  if (evaluated >= size) {
    vida__take_null_space(system, at->rows, &at->extent);
  }
}

/* Finds a time in which forces move the coordinates by their sizes, or, without forces, in which
 * the given rates do. Potentials and masses may be parts of one term, and neither may be lost
 * beside the other. */
static int find_time(sampler* at, VidaError* error) {
  const VidaSystem* system = at->evaluator->system;
  const int n = system->coordinate_count;
  at->time = 1.0;
  if (system->only_potentials) {
    return VIDA_SUCCESS; /* masses are terms of their own */
  }
  double* matrix = vida__allocate((size_t)system->pattern.entries, sizeof *matrix);
  double* mass = vida__allocate((size_t)n, sizeof *mass);
  const unsigned long long seed = at->seed;
  double inertia = 0.0, work = 0.0, rate = 0.0;
  if (!matrix || !mass) {
    free(matrix);
    free(mass);
    return vida__fail_memory(error);
  }
  choose_state(at);
  at->seed = seed;
  memset(at->v, 0, (size_t)n * sizeof *at->v);
  if (!vida__find_masses(at->evaluator, 0.0, at->q, at->v, matrix, mass) &&
      !vida__gradient(at->evaluator, 0.0, at->q, at->v, at->l_q, at->l_v)) {
    for (int i = 0; i < n; i++) {
      const double given = system->coordinates[i].velocity.value;
      inertia += mass[i] * at->size[i] * at->size[i];
      work += fabs(at->l_q[i]) * at->size[i];
      rate = isfinite(given) ? fmax(rate, fabs(given) / at->size[i]) : rate;
    }
  }
  const double own = work > 0.0 ? sqrt(inertia / work) : 1.0 / rate;
  if (own > 0.0 && isfinite(own)) {
    at->time = exp2(round(log2(own)));
  }
  free(matrix);
  free(mass);
  return VIDA_SUCCESS;
}

int vida__find_symmetries(VidaSystem* system, VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  vida_symmetry_space rows = {.size = system->dimension + vida__count_rotations(system->dimension),
                              .dimension = system->dimension};
  vida_evaluator evaluator;
  sampler at = {.rows = &rows, .evaluator = &evaluator, .seed = 20250101};
  system->momentum_count = 0;
  if (count_motions(system) == 0) {
    return VIDA_SUCCESS;
  }
  double* work = vida__allocate(7 * n, sizeof *work);
  owner* owners = vida__allocate(n, sizeof *owners);
  bool* is_free = vida__allocate((size_t)system->constraint_batch_count, sizeof *is_free);
  at.entries = vida__allocate((size_t)system->entry_count, sizeof *at.entries);
  int code = vida__evaluator_create(system, &evaluator, error);
  evaluator.multipliers = evaluator.trial;
  if (!code && (!work || !at.entries || !owners || !is_free)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : find_owners(system, owners, error);
  code = code ? code : vida__manifold_create(system, &at.manifold, error);
  if (!code) {
    for (int b = 0; b < system->constraint_batch_count; b++) {
      is_free[b] = is_free_distance(system, owners, &system->constraint_batches[b]);
    }
    at.owners = owners;
    at.is_free = is_free;
    at.start = work;
    at.q = work + n;
    at.v = at.q + n;
    at.l_q = at.v + n;
    at.l_v = at.l_q + n;
    at.placed = at.l_v + n;
    at.size = at.placed + n;
    for (size_t i = 0; i < n; i++) {
      const double start = system->coordinates[i].position.value;
      at.start[i] = isfinite(start) ? start : 0.0;
    }
    vida__find_start_sizes(&evaluator, at.entries, at.q, at.size, &at.extent);
    rows.length = at.extent.length;
    rows.tolerance = fmax(vanishing, at.extent.rounding);
    code = find_time(&at, error);
  }
  if (!code) {
    sample(&at, system);
  }
  vida__manifold_destroy(&at.manifold);
  vida__evaluator_destroy(&evaluator);
  free(work);
  free(at.entries);
  free(owners);
  free(is_free);
  return code;
}

/* ---- declaring ------------------------------------------------------------------------------- */

int VidaSystem_AddMotion(VidaSystem* system, VidaMotion kind, const int* coordinates,
                         VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, coordinates)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_motion added = {kind, {-1, -1, -1, -1}};
  int code = vida__check_addition(system, "motion", "motion", error);
  code = code ? code
              : vida__check_kind("system", system->name, "motion", (int)kind, VIDA_MOTION_ANGLE,
                                 error);
  if (code) {
    return code;
  }
  if ((kind == VIDA_MOTION_QUATERNION && system->dimension != 3) ||
      (kind == VIDA_MOTION_ANGLE && system->dimension != 2)) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "quaternions move in space, angles in the plane; the dimension of system '%s' is %d",
        system->name, system->dimension);
  }
  for (int axis = 0; axis < motion_size(kind, system->dimension); axis++) {
    const int i = coordinates[axis];
    if (i < 0 || i >= system->coordinate_count) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "system '%s': a motion: there is no coordinate number %d", system->name, i);
    }
    added.coordinate[axis] = i;
  }
  if (vida__reserve((void**)&system->motions, &system->motion_capacity,
                    (size_t)system->motion_count + 1, sizeof *system->motions)) {
    return vida__fail_memory(error);
  }
  system->motions[system->motion_count++] = added;
  return VIDA_SUCCESS;
}

/* ---- for the start --------------------------------------------------------------------------- */

void vida__scale_quaternion_rates(const VidaSystem* system, const double* q, double* v,
                                  char* notes) {
  for (int i = 0; i < system->motion_count; i++) {
    const int* at = system->motions[i].coordinate;
    double before = 0.0, after = 0.0;
    char factor[VIDA_REAL_TEXT_SIZE];
    if (system->motions[i].kind != VIDA_MOTION_QUATERNION) {
      continue;
    }
    for (int k = 0; k < 4; k++) {
      const VidaInitial given = system->coordinates[at[k]].position;
      before += given.free ? (double)NAN : given.value * given.value;
      after += q[at[k]] * q[at[k]];
    }
    const double scale = sqrt(after / before);
    if (!(fabs(scale - 1.0) > vanishing) || !isfinite(scale)) {
      continue; /* not scaled, or computed from the constraints */
    }
    for (int k = 0; k < 4; k++) {
      v[at[k]] *= scale;
    }
    vida__append(notes, VIDA_NOTES_SIZE,
                 "adjusted: the rates of the quaternion from '%s' were scaled with it, by %s\n",
                 system->coordinates[at[0]].name, vida__real_text(factor, scale, 10));
  }
}

/* ---- for checks ------------------------------------------------------------------------------ */

int vida__generator_count(const VidaSystem* system) {
  return count_motions(system) > 0 ? system->dimension + vida__count_rotations(system->dimension)
                                   : 0;
}

const char* vida__generator_name(const VidaSystem* system, int generator) {
  static const char* const translations[3] = {"L_x", "L_y", "L_z"};
  static const char* const rotations[3] = {"J_x", "J_y", "J_z"};
  const int d = system->dimension;
  return generator < d ? translations[generator] : rotations[d == 3 ? generator - d : 2];
}

void vida__apply_generators(const VidaSystem* system, const double* q, const double* p, bool lifted,
                            double* value, double* size) {
  apply_generators(system, q, p, lifted, value, size);
}
