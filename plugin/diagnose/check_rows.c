/* Integrable rows of velocities: which of them hold a place, as a holonomic constraint does.
 *
 * The rows of velocities are the forms w = A dq + b dt in the space of (q,t). By the theorem of
 * Frobenius some of them are together derivatives of functions, but for factors, where their
 * differentials dw vanish for all pairs of directions that satisfy them (and the holonomic rows).
 * It is tried with arbitrary pairs, in states that satisfy the constraints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "diagnose/check.h"
#include "system/constraints/manifold.h"

enum { SAMPLES = 3, PAIRS = 3, MOST_COORDINATES = 500 };
static const double vanishing =
    1e-7; /* of the sizes of its parts: what differences in time leave */

/* The last component of vectors and forms is that of time. */
typedef struct forms {
  VidaCheck* check;
  int n, m;
  double t, *q;
  double *q0, *v; /* n each */
  double* basis;  /* m x (n + 1): orthonormal forms that vanish on allowed directions */
  int count;      /* of them */
  double* form;   /* m x (n + 1): A, b */
  double* later;  /* the same a little later, and before */
  double* before;
  double *entries, *rate; /* of G; m */
  double *first, *second; /* n + 1 each: directions */
  double* gradient[3];    /* entries each: (A v + b)_q of three velocities */
  double step;            /* in time */
  unsigned long long seed;
} forms;

static double dot(const double* x, const double* y, int count) {
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

/* Computes the forms of all rows at the time t. */
static bool find_forms(forms* at, double t, double* form) {
  const VidaSystem* system = at->check->system;
  vida_evaluator* evaluator = &at->check->evaluator;
  const size_t width = (size_t)at->n + 1;
  if (vida__jacobian(evaluator, t, at->q, at->entries) ||
      vida__constraint_rate(evaluator, t, at->q, at->rate)) {
    return false;
  }
  memset(form, 0, (size_t)at->m * width * sizeof *form);
  for (int e = 0; e < system->entry_count; e++) {
    form[(size_t)system->entries[e].row * width + (size_t)system->entries[e].coordinate] +=
        at->entries[e];
  }
  for (int r = 0; r < at->m; r++) {
    form[(size_t)r * width + width - 1] = at->rate[r];
  }
  return true;
}

/* Makes a vector orthogonal to the basis, twice for rounding; returns the remaining length. */
static double make_orthogonal(const forms* at, double* x) {
  const int width = at->n + 1;
  const double before = sqrt(dot(x, x, width));
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < at->count; k++) {
      const double* base = at->basis + (size_t)k * (size_t)width;
      const double part = dot(x, base, width);
      for (int i = 0; i < width; i++) {
        x[i] -= part * base[i];
      }
    }
  }
  return before > 0.0 ? sqrt(dot(x, x, width)) / before : 0.0;
}

/* Adds a form that vanishes on allowed directions, unless it depends on the others. */
static void add_to_basis(forms* at, const double* form) {
  const size_t width = (size_t)at->n + 1;
  double* base = at->basis + (size_t)at->count * width;
  memcpy(base, form, width * sizeof *base);
  if (make_orthogonal(at, base) > 1e-10) {
    const double length = sqrt(dot(base, base, at->n + 1));
    for (size_t i = 0; i < width; i++) {
      base[i] /= length;
    }
    at->count++;
  }
}

/* Computes dw(first, second) of a row, and the sizes of its terms. */
static double differentiate(const forms* at, int row, double* size) {
  const VidaSystem* system = at->check->system;
  const size_t width = (size_t)at->n + 1, last = width - 1;
  const double *x = at->first, *y = at->second;
  double sum = 0.0;
  for (int e = 0; e < system->entry_count; e++) {
    if (system->entries[e].row != row) {
      continue;
    }
    /* The gradients of A x + b, A y + b and b: those of A x, A y without that of b. */
    const int i = system->entries[e].coordinate;
    const double by_x = at->gradient[0][e] - at->gradient[2][e];
    const double by_y = at->gradient[1][e] - at->gradient[2][e];
    const double parts[] = {by_y * x[i], -by_x * y[i], at->gradient[2][e] * x[i] * y[last],
                            -at->gradient[2][e] * y[i] * x[last]};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
      sum += parts[k];
      *size += fabs(parts[k]);
    }
  }
  for (size_t i = 0; i < last; i++) {
    const size_t place = (size_t)row * width + i;
    const double rate = (at->later[place] - at->before[place]) / (2.0 * at->step);
    const double part = rate * (x[last] * y[i] - y[last] * x[i]);
    sum += part;
    *size += fabs(part);
  }
  return sum;
}

/* The gradients of A x + b for both directions. */
static bool follow_pair(forms* at) {
  const double* const vectors[] = {at->first, at->second};
  for (int k = 0; k < 2; k++) {
    memset(at->gradient[k], 0, (size_t)at->check->system->entry_count * sizeof(double));
    if (vida__nonholonomic_gradient(&at->check->evaluator, at->t, at->q, vectors[k],
                                    at->gradient[k])) {
      return false;
    }
  }
  return true;
}

/* Returns whether dw of the row vanishes for some pairs of directions that satisfy the basis,
 * compared with its values for directions that do not. */
static bool vanishes(forms* at, int row) {
  double* const vectors[] = {at->first, at->second};
  for (int pair = 0; pair < PAIRS; pair++) {
    double size = 0.0, unused = 0.0;
    for (int i = 0; i < 2 * (at->n + 1); i++) {
      const int place = i / 2;
      vectors[i % 2][place] =
          (place < at->n ? at->check->scale[place] : 1.0) * vida__check_number(&at->seed);
    }
    if (!follow_pair(at)) {
      return false;
    }
    differentiate(at, row, &size);
    make_orthogonal(at, at->first);
    make_orthogonal(at, at->second);
    if (!follow_pair(at) || !(fabs(differentiate(at, row, &unused)) <= vanishing * size)) {
      return false;
    }
  }
  return true;
}

/* alone, together (m each): rows that are integrable by themselves, on the holonomic constraints,
 * and with all other rows. */
static bool check_node_state(forms* at, bool* alone, bool* together) {
  const VidaSystem* system = at->check->system;
  const size_t width = (size_t)at->n + 1;
  double* const rest = at->gradient[2];
  memset(at->first, 0, width * sizeof(double));
  memset(rest, 0, (size_t)system->entry_count * sizeof *rest);
  if (!find_forms(at, at->t + at->step, at->later) ||
      !find_forms(at, at->t - at->step, at->before) || !find_forms(at, at->t, at->form) ||
      vida__nonholonomic_gradient(&at->check->evaluator, at->t, at->q, at->first, rest)) {
    return false;
  }
  at->count = 0;
  for (int r = 0; r < at->m; r++) {
    if (!system->rows[r].is_nonholonomic) {
      add_to_basis(at, at->form + (size_t)r * width);
    }
  }
  const int holonomic = at->count;
  for (int r = 0; r < at->m; r++) {
    if (system->rows[r].is_nonholonomic && alone[r]) {
      at->count = holonomic;
      add_to_basis(at, at->form + (size_t)r * width);
      alone[r] = vanishes(at, r);
    }
  }
  for (int r = 0; r < at->m; r++) {
    if (system->rows[r].is_nonholonomic) {
      add_to_basis(at, at->form + (size_t)r * width);
    }
  }
  for (int r = 0; r < at->m; r++) {
    together[r] = together[r] && system->rows[r].is_nonholonomic && vanishes(at, r);
  }
  return true;
}

static void report(VidaCheck* check, const bool* alone, const bool* together) {
  const VidaSystem* system = check->system;
  bool all = true, each = true;
  for (int r = 0; r < system->row_count; r++) {
    if (system->rows[r].is_nonholonomic) {
      all = all && together[r];
      each = each && alone[r];
    }
  }
  for (int r = 0; r < system->row_count; r++) {
    if (system->rows[r].is_nonholonomic && alone[r]) {
      vida__check_find(check, VIDA_SEVERITY_WARNING, system->rows[r].name,
                       "this nonholonomic row is integrable: it is equivalent to a holonomic "
                       "constraint, and methods that satisfy the row let the positions drift "
                       "(constraint_integral); write it as a holonomic constraint");
    }
  }
  if (all && !each) {
    vida__check_find(check, VIDA_SEVERITY_WARNING, "nonholonomic constraints",
                     "together they are integrable: they are equivalent to holonomic constraints, "
                     "and methods that satisfy the rows let the positions drift "
                     "(constraint_integral); write them as holonomic constraints");
  }
}

static double* take(double** next, size_t count) {
  double* taken = *next;
  *next += count;
  return taken;
}

static void lay_out(forms* at, double* memory) {
  const size_t n = (size_t)at->n, m = (size_t)at->m, width = n + 1;
  const size_t entries = (size_t)at->check->system->entry_count;
  at->q = take(&memory, n);
  at->v = take(&memory, n);
  at->q0 = at->check->q;
  at->basis = take(&memory, (m + 1) * width);
  at->form = take(&memory, m * width);
  at->later = take(&memory, m * width);
  at->before = take(&memory, m * width);
  at->entries = take(&memory, entries);
  at->rate = take(&memory, m);
  at->first = take(&memory, width);
  at->second = take(&memory, width);
  for (int k = 0; k < 3; k++) {
    at->gradient[k] = take(&memory, entries);
  }
}

static void choose_state(forms* at, vida_manifold* manifold) {
  const VidaCheck* check = at->check;
  for (int i = 0; i < at->n; i++) {
    at->q[i] = check->q[i] + 0.1 * check->scale[i] * vida__check_number(&at->seed);
    at->v[i] = check->v[i];
  }
  if (manifold && !vida__manifold_find(manifold, at->t, check->q, at->q, at->v)) {
    memcpy(at->q, check->q, (size_t)at->n * sizeof *at->q);
  }
}

int vida__check_rows(VidaCheck* check, VidaError* error) {
  const VidaSystem* system = check->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  if (!system->nonholonomic || n > MOST_COORDINATES) {
    return VIDA_SUCCESS;
  }
  forms at = {.check = check, .n = (int)n, .m = (int)m, .seed = 20250901};
  vida_manifold* manifold = NULL;
  double* memory = vida__allocate(
      2 * n + (4 * m + 3) * (n + 1) + m + 4 * (size_t)system->entry_count + 1, sizeof *memory);
  bool* alone = vida__allocate(2 * m, sizeof *alone);
  int code =
      memory && alone ? vida__manifold_create(system, &manifold, error) : vida__fail_memory(error);
  if (!code) {
    bool* together = alone + m;
    bool looked = false;
    lay_out(&at, memory);
    memset(alone, true, 2 * m * sizeof *alone);
    for (int s = 0; s < SAMPLES; s++) {
      at.t = check->t + 0.37 * s;
      at.step = 1e-5 * fmax(1.0, fabs(at.t));
      choose_state(&at, manifold);
      looked = check_node_state(&at, alone, together) || looked;
    }
    if (looked) {
      report(check, alone, together);
    }
  }
  vida__manifold_destroy(&manifold);
  free(memory);
  free(alone);
  return code;
}
