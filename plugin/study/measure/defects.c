#include "study/measure/defects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "system/evaluate/sizes.h"

/* At each start the stretch maps VECTORS tangent vectors of the constraint manifold. */
enum { VECTORS = 4, PAIRS = VECTORS * (VECTORS - 1) / 2, MOST_SHIFTS = 8 };

#define SHIFT 2e-4 /* of the central differences of fourth order, relative */
#define SURE 1e-10 /* noise that asks for no other shift */
#define SMALL 0.1  /* smallest size of positions and velocities, relative to their changes */
#define APART 0.1  /* how far the other starts are, relative */
#define SAME 1e-9  /* accelerations that differ by less are equal, relative */

/* ---- sizes ----------------------------------------------------------------------------------- */

/* NaN stays the largest value. */
static void take_larger(double* largest, double value) {
  if (value > *largest || isnan(value)) {
    *largest = value;
  }
}

double vida__largest(int n, const double* x) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    take_larger(&largest, fabs(x[i]));
  }
  return largest;
}

/* Returns the largest |x_j| of the coordinates with the unit of coordinate i. */
static double largest_of_unit(vida_unit_sizes* sizes, const VidaSystem* system, int i,
                              const double* x) {
  const char* unit = VidaSystem_CoordinateUnit(system, i);
  bool is_new;
  const int at = vida__unit_slot(sizes, unit, &is_new);
  for (int j = 0; is_new && j < VidaSystem_CoordinateCount(system); j++) {
    if (strcmp(VidaSystem_CoordinateUnit(system, j), unit) == 0) {
      take_larger(&sizes->largest[at], fabs(x[j]));
    }
  }
  return sizes->largest[at];
}

static double duration(const vida_segment_runner* stretch) {
  return (double)stretch->steps * stretch->h;
}

int vida__project_to_manifold(const VidaSystem* system, double t, double* q, double* v,
                              VidaError* error) {
  VidaStartOptions options = VidaStartOptions_Default();
  options.adjust = true;
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  double* given = vida__allocate(2 * n, sizeof *given);
  if (!given) {
    return vida__fail_memory(error);
  }
  memcpy(given, q, n * sizeof *q);
  memcpy(given + n, v, n * sizeof *v);
  options.positions = given;
  options.velocities = given + n;
  const int code = VidaSystem_Start(system, t, &options, q, v, NULL, error);
  free(given);
  return code;
}

/* ---- plain steps ----------------------------------------------------------------------------- */

static int start_plain(void* data, const double* q, const double* v, VidaError* error) {
  return VidaStepper_Start(data, 0.0, q, v, error);
}

static int step_plain(void* data, VidaError* error) {
  return VidaStepper_Step(data, error);
}

vida_segment_runner vida__plain_segment(VidaStepper* stepper, double h, long steps) {
  return (vida_segment_runner){stepper, 0.0, h, steps, start_plain, step_plain, stepper};
}

/* ---- the symplectic form --------------------------------------------------------------------- */

/* Returns a pseudo-random number in [-1, 1); the sequence is the same everywhere (Knuth's MMIX). */
static double draw(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct cloud {
  const vida_segment_runner* stretch;
  const VidaSystem* system;
  int n;
  unsigned long long seed;
  double* block;
  double* size;           /* 2n: of positions and velocities */
  double* base;           /* 2n: the state that vectors are tangent at, before its projection */
  double* state;          /* 2n: work */
  double *start, *end;    /* 2n: work, (q, p) */
  double* direction;      /* VECTORS x 2n: directions of the displacements of the base */
  double *before, *after; /* VECTORS x 2n: the vectors, and their images under the map */
} cloud;

static void find_sizes(cloud* c, const double* q, const double* v) {
  const double time = duration(c->stretch);
  const double all = vida__largest(c->n, q);
  vida_unit_sizes places = {0}, rates = {0};
  for (int i = 0; i < c->n; i++) {
    const double place = largest_of_unit(&places, c->system, i, q);
    const double rate = largest_of_unit(&rates, c->system, i, v);
    /* A coordinate that is zero is displaced as far as the others. */
    const double q_size = fmax(place, SMALL * rate * time);
    const double v_size = fmax(rate, SMALL * place / time);
    c->size[i] = q_size > 0.0 ? q_size : all;
    c->size[c->n + i] = v_size > 0.0 ? v_size : SMALL * c->size[i] / time;
  }
}

static int create_cloud(const vida_segment_runner* stretch, const double* q, const double* v,
                        cloud* c, VidaError* error) {
  *c = (cloud){.stretch = stretch, .system = VidaStepper_System(stretch->stepper), .seed = 20111};
  c->n = VidaSystem_CoordinateCount(c->system);
  const size_t pair = 2 * (size_t)c->n;
  const size_t many = VECTORS * pair;
  const vida_array arrays[] = {{&c->size, pair},   {&c->base, pair}, {&c->state, pair},
                               {&c->start, pair},  {&c->end, pair},  {&c->direction, many},
                               {&c->before, many}, {&c->after, many}};
  c->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  if (!c->block) {
    return vida__fail_memory(error);
  }
  find_sizes(c, q, v);
  return VIDA_SUCCESS;
}

static void take_canonical(const cloud* c, double* z) {
  const size_t bytes = (size_t)c->n * sizeof *z;
  memcpy(z, VidaStepper_Positions(c->stretch->stepper), bytes);
  memcpy(z + c->n, VidaStepper_Momenta(c->stretch->stepper), bytes);
}

/* Computes c->start and c->end: (q, p) at the start from the projected c->state, and after the
 * steps. */
static int map_state(cloud* c, VidaError* error) {
  const vida_segment_runner* stretch = c->stretch;
  double *q = c->state, *v = c->state + c->n;
  int code = vida__project_to_manifold(c->system, stretch->t0, q, v, error);
  code = code ? code : stretch->start(stretch->data, q, v, error);
  if (!code) {
    take_canonical(c, c->start);
  }
  for (long i = 0; i < stretch->steps && !code; i++) {
    code = stretch->step(stretch->data, error);
  }
  if (!code) {
    take_canonical(c, c->end);
  }
  return code;
}

/* Computes the derivatives of start and end along vector k, by differences with this shift. */
static int map_vector(cloud* c, int k, double shift, VidaError* error) {
  static const double weight[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
  const int count = 2 * c->n;
  const double* direction = c->direction + k * count;
  double *before = c->before + k * count, *after = c->after + k * count;
  int code = VIDA_SUCCESS;
  memset(before, 0, (size_t)count * sizeof *before);
  memset(after, 0, (size_t)count * sizeof *after);
  for (int j = 0; j < 4 && !code; j++) {
    for (int i = 0; i < count; i++) {
      c->state[i] = c->base[i] + offset[j] * shift * direction[i];
    }
    code = map_state(c, error);
    for (int i = 0; i < count; i++) {
      before[i] += weight[j] / shift * c->start[i];
      after[i] += weight[j] / shift * c->end[i];
    }
  }
  return code;
}

/* Computes dq ^ dp. On tangent vectors of the constraint manifold it does not depend on the
 * components of p along G^T, so p need not be projected. */
static double form(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[n + i] - a[n + i] * b[i];
  }
  return sum;
}

/* Computes the changes of the form on each pair of vectors, relative to the largest value. */
static int find_changes(cloud* c, double shift, double change[PAIRS], VidaError* error) {
  const int count = 2 * c->n;
  double largest = 0.0;
  int pair = 0;
  int code = VIDA_SUCCESS;
  for (int k = 0; k < VECTORS && !code; k++) {
    code = map_vector(c, k, shift, error);
  }
  for (int i = 0; i < VECTORS && !code; i++) {
    for (int j = 0; j < i; j++) {
      const double old = form(c->n, c->before + i * count, c->before + j * count);
      const double mapped = form(c->n, c->after + i * count, c->after + j * count);
      largest = fmax(largest, fabs(old));
      change[pair++] = mapped - old;
    }
  }
  for (int i = 0; i < PAIRS && !code; i++) {
    change[i] /= largest;
  }
  return code;
}

static void draw_start(cloud* c, bool is_first, const double* q, const double* v) {
  const int count = 2 * c->n;
  for (int i = 0; i < count; i++) {
    const double given = i < c->n ? q[i] : v[i - c->n];
    c->base[i] = given + (is_first ? 0.0 : APART * c->size[i] * draw(&c->seed));
  }
  for (int i = 0; i < VECTORS * count; i++) {
    c->direction[i] = c->size[i % count] * draw(&c->seed);
  }
}

static double largest_difference(const double* a, const double* b) {
  double largest = 0.0;
  for (int i = 0; i < PAIRS; i++) {
    take_larger(&largest, fabs(a[i] - b[i]));
  }
  return largest;
}

/* Computes the changes by differences with the most accurate shift: begins with twice SHIFT and
 * divides by four as long as successive results approach each other. A large shift may be too far
 * for the constraints, or for the steps. */
static int find_surest_changes(cloud* c, double change[PAIRS], double* noise, VidaError* error) {
  double shift = 2.0 * SHIFT;
  double before[PAIRS], now[PAIRS] = {0.0};
  bool is_compared = false;
  int code = VIDA_STEP_NOT_CONVERGED;
  for (int k = 0; k < MOST_SHIFTS; k++) {
    const bool has_before = !code;
    memcpy(before, now, sizeof now);
    code = find_changes(c, shift, now, error);
    shift *= k ? 0.25 : 0.5;
    if (code == VIDA_STOPPED || code == VIDA_WALL_LIMIT) {
      return code;
    }
    if (code || !has_before) {
      continue;
    }
    const double apart = largest_difference(before, now);
    if (is_compared && !(apart < *noise)) {
      return VIDA_SUCCESS;
    }
    is_compared = true;
    *noise = apart;
    memcpy(change, now, sizeof now);
    if (!(apart > SURE)) { /* also if there is nothing to compare */
      return VIDA_SUCCESS;
    }
  }
  if (!is_compared && !code) { /* the last one alone */
    *noise = INFINITY;
    memcpy(change, now, sizeof now);
  }
  return is_compared ? VIDA_SUCCESS : code;
}

static int measure_cloud(cloud* c, int starts, const double* q, const double* v, double* defect,
                         double* noise, VidaError* error) {
  double change[PAIRS];
  double largest = 0.0, unsure = 0.0;
  int code = VIDA_SUCCESS;
  for (int s = 0; s < starts && !code; s++) {
    double unsure_here = 0.0;
    draw_start(c, s == 0, q, v);
    code = noise ? find_surest_changes(c, change, &unsure_here, error)
                 : find_changes(c, SHIFT, change, error);
    for (int i = 0; i < PAIRS && !code; i++) {
      take_larger(&largest, fabs(change[i]));
    }
    take_larger(&unsure, unsure_here);
  }
  if (!code) {
    *defect = largest;
    if (noise) {
      *noise = unsure;
    }
  }
  return code;
}

int vida__measure_symplectic_defect(const vida_segment_runner* stretch, const double* q,
                                    const double* v, int starts, double* defect, double* noise,
                                    VidaError* error) {
  cloud c;
  int code = create_cloud(stretch, q, v, &c, error);
  code = code ? code : measure_cloud(&c, starts, q, v, defect, noise, error);
  free(c.block);
  return code;
}

/* ---- there and back -------------------------------------------------------------------------- */

typedef struct journey {
  const vida_segment_runner* stretch;
  const VidaSystem* system;
  int n;
  double* block;
  double *q, *v; /* n: points of reversal and of return */
  double *path,
      *rate;         /* n: how far each coordinate went from its start, and its largest velocity */
  double *a, *other; /* n: accelerations */
  double* lambda;    /* m */
} journey;

static int create_journey(const vida_segment_runner* stretch, journey* way, VidaError* error) {
  *way = (journey){.stretch = stretch, .system = VidaStepper_System(stretch->stepper)};
  way->n = VidaSystem_CoordinateCount(way->system);
  const size_t n = (size_t)way->n, m = (size_t)VidaSystem_ConstraintCount(way->system);
  double** const arrays[] = {&way->q, &way->v, &way->path, &way->rate, &way->a, &way->other};
  double* next = way->block = vida__allocate(6 * n + m, sizeof *next);
  if (!next) {
    return vida__fail_memory(error);
  }
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
    *arrays[i] = next;
    next += n;
  }
  way->lambda = next;
  return VIDA_SUCCESS;
}

static void widen(int n, const double* x, const double* from, double* widest) {
  for (int i = 0; i < n; i++) {
    widest[i] = fmax(widest[i], fabs(from ? x[i] - from[i] : x[i]));
  }
}

/* Makes the stretch from q, v, and measures the motion; way->q and v receive the final state with
 * reversed velocities. */
static int go(journey* way, const double* q, const double* v, bool watched, VidaError* error) {
  const vida_segment_runner* stretch = way->stretch;
  VidaStepper* stepper = stretch->stepper;
  int code = stretch->start(stretch->data, q, v, error);
  for (long i = 0; i < stretch->steps && !code; i++) {
    code = stretch->step(stretch->data, error);
    if (watched && !code) {
      widen(way->n, VidaStepper_Positions(stepper), q, way->path);
    }
  }
  code = code ? code : VidaStepper_Velocities(stepper, way->v, error);
  memcpy(way->q, VidaStepper_Positions(stepper), (size_t)way->n * sizeof *way->q);
  for (int i = 0; i < way->n; i++) {
    way->v[i] = -way->v[i];
  }
  return code;
}

/* Returns the largest |x - y| relative to the largest of its unit in `size`, which is zero for a
 * unit without motion. */
static double relative_distance(const journey* way, const double* x, const double* y,
                                const double* size) {
  double largest = 0.0;
  vida_unit_sizes sizes = {0};
  for (int i = 0; i < way->n; i++) {
    const double off = fabs(x[i] - y[i]);
    const double unit = largest_of_unit(&sizes, way->system, i, size);
    take_larger(&largest, off > 0.0 ? off / unit : off);
  }
  return largest;
}

static bool are_same(const journey* way) {
  vida_unit_sizes sizes = {0}, others = {0};
  for (int i = 0; i < way->n; i++) {
    const double size = fmax(largest_of_unit(&sizes, way->system, i, way->a),
                             largest_of_unit(&others, way->system, i, way->other));
    if (fabs(way->a[i] - way->other[i]) > SAME * size) {
      return false;
    }
  }
  return true;
}

/* Checks the system at the turning point. A system without accelerations there counts as
 * reversible. */
static bool system_turns(journey* way) {
  const double t0 = way->stretch->t0, t1 = t0 + duration(way->stretch);
  VidaError unused;
  if (VidaSystem_Accelerations(way->system, t1, way->q, way->v, way->a, way->lambda, &unused)) {
    return true;
  }
  bool same = true;
  for (int turned = 0; turned < 2 && same; turned++) {
    for (int i = 0; i < way->n; i++) {
      way->v[i] = -way->v[i];
    }
    same = VidaSystem_Accelerations(way->system, t0, way->q, way->v, way->other, way->lambda,
                                    &unused) == VIDA_SUCCESS &&
           are_same(way);
  }
  return same;
}

static int travel(journey* way, const double* q, const double* v, double* defect, bool* own,
                  VidaError* error) {
  int code = go(way, q, v, true, error);
  if (code) {
    return code;
  }
  widen(way->n, v, NULL, way->rate);
  widen(way->n, way->v, NULL, way->rate);
  for (int i = 0; i < way->n; i++) { /* from rest to rest, say */
    way->rate[i] = fmax(way->rate[i], way->path[i] / duration(way->stretch));
  }
  if (own) {
    *own = system_turns(way);
  }
  code = go(way, way->q, way->v, false, error);
  if (!code) {
    *defect = relative_distance(way, way->q, q, way->path);
    take_larger(defect, relative_distance(way, way->v, v, way->rate));
    *defect = vida__largest(way->n, way->path) > 0.0 ? *defect : (double)NAN;
  }
  return code;
}

int vida__measure_reversibility_defect(const vida_segment_runner* stretch, const double* q,
                                       const double* v, double* defect, bool* own,
                                       VidaError* error) {
  journey way;
  int code = create_journey(stretch, &way, error);
  code = code ? code : travel(&way, q, v, defect, own, error);
  free(way.block);
  return code;
}
