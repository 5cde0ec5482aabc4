/* References other than runs: solutions in closed form, and states from elsewhere. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/reference/reference.h"
#include "system/evaluate/time_jumps.h"

#define SAME_TIME 1e-9 /* of the time between the first and the last state */

int vida__create_known_reference(const VidaKnownSolution* solution, vida_reference** reference,
                                 VidaError* error) {
  *reference = vida__allocate(1, sizeof **reference);
  if (!*reference) {
    return vida__fail_memory(error);
  }
  vida_reference* made = *reference;
  made->candidate = -1;
  made->known = *solution;
  made->known.text = made->text;
  made->position_error = solution->error;
  made->adaptive = made->automatic = true;
  vida__append(made->text, sizeof made->text, "%s", solution->text ? solution->text : "");
  return VIDA_SUCCESS;
}

void vida__choose_signs(const VidaSystem* system, const double* now, double* q, double* v) {
  for (int k = 0; k < system->motion_count; k++) {
    const vida_motion* motion = &system->motions[k];
    double product = 0.0;
    if (motion->kind != VIDA_MOTION_QUATERNION) {
      continue;
    }
    for (int i = 0; i < 4; i++) {
      product += now[motion->coordinate[i]] * q[motion->coordinate[i]];
    }
    for (int i = 0; i < 4 && product < 0.0; i++) {
      q[motion->coordinate[i]] *= -1.0;
      v[motion->coordinate[i]] *= -1.0;
    }
  }
}

/* ---- states at some times -------------------------------------------------------------------- */

typedef struct table {
  int count, n, m;
  bool has_v, has_lambda;
  double *t, *q, *v, *lambda;
  double data[];
} table;

static int find_time(const table* at, double t) {
  const double near = SAME_TIME * (fabs(at->t[at->count - 1] - at->t[0]) + fabs(at->t[0]));
  int low = 0, high = at->count - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (at->t[middle] < t - near) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return fabs(at->t[low] - t) <= near ? low : -1;
}

/* Returns whether the table has two states at the time of this row: on both sides of a jump. */
static bool has_sides(const table* at, int row) {
  return row + 1 < at->count && at->t[row + 1] == at->t[row];
}

bool vida__has_one_sided_states(const vida_reference* reference, double t) {
  const table* from = reference->known_data;
  const int row = from ? find_time(from, t) : -1;
  return !from || (row >= 0 && has_sides(from, row));
}

static int table_state(void* data, double t, double* q, double* v, double* lambda,
                       VidaError* error) {
  const table* from = data;
  const int row = find_time(from, t);
  (void)error;
  if (row < 0) {
    return 1;
  }
  const bool is_later = has_sides(from, row) && t > from->t[row];
  const size_t n = (size_t)from->n, m = (size_t)from->m, at = (size_t)row + (is_later ? 1 : 0);
  memcpy(q, from->q + at * n, n * sizeof *q);
  if (from->has_v) {
    memcpy(v, from->v + at * n, n * sizeof *v);
  }
  if (from->has_lambda && m > 0) {
    memcpy(lambda, from->lambda + at * m, m * sizeof *lambda);
  }
  return VIDA_SUCCESS;
}

/* Two states at one time are the two sides of a jump. */
static bool grows(const VidaSystem* system, const double* t, int i) {
  const bool is_side = vida__has_jumps(system) && t[i] == t[i - 1] && (i < 2 || t[i] > t[i - 2]);
  return is_side || t[i] > t[i - 1];
}

static int check_times(const VidaSystem* system, int count, const double* t, VidaError* error) {
  char number[VIDA_REAL_TEXT_SIZE];
  if (count < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the states of the reference: there are none");
  }
  for (int i = 0; i < count; i++) {
    if (!isfinite(t[i]) || (i > 0 && !grows(system, t, i))) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "the states of the reference: times must grow, got t = %s as number %d",
                        vida__shortest_text(number, t[i]), i + 1);
    }
  }
  return VIDA_SUCCESS;
}

static table* copy_states(const VidaSystem* system, int count, const double* t, const double* q,
                          const double* v, const double* lambda) {
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(system);
  const size_t rows = (size_t)count;
  table* made = malloc(sizeof *made + rows * (1 + 2 * n + m) * sizeof *made->data);
  if (!made) {
    return NULL;
  }
  *made = (table){.count = count, .n = (int)n, .m = (int)m, .has_v = v, .has_lambda = lambda};
  made->t = made->data;
  made->q = made->t + rows;
  made->v = made->q + rows * n;
  made->lambda = made->v + rows * n;
  memcpy(made->t, t, rows * sizeof *t);
  memcpy(made->q, q, rows * n * sizeof *q);
  if (v) {
    memcpy(made->v, v, rows * n * sizeof *v);
  }
  if (lambda && m > 0) {
    memcpy(made->lambda, lambda, rows * m * sizeof *lambda);
  }
  return made;
}

static int set_reference(VidaStudy* study, const VidaKnownSolution* solution, void* own,
                         VidaError* error) {
  vida_reference* reference = NULL;
  int code = vida__create_known_reference(solution, &reference, error);
  if (code) {
    free(own);
    return code;
  }
  reference->known_data = own;
  return vida__set_reference(study, reference, error);
}

int VidaStudy_SetKnownReference(VidaStudy* study, const VidaKnownSolution* solution,
                                VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, solution)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!solution->state) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a known reference needs a function of the state");
  }
  return set_reference(study, solution, NULL, error);
}

int VidaStudy_SetReferenceStates(VidaStudy* study, const char* text, double own_error, int count,
                                 const double* t, const double* q, const double* v,
                                 const double* lambda, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, text, t, q)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int code = check_times(study->system, count, t, error);
  if (code) {
    return code;
  }
  table* states = copy_states(study->system, count, t, q, v, lambda);
  if (!states) {
    return vida__fail_memory(error);
  }
  const VidaKnownSolution solution = {text, table_state, states, own_error};
  return set_reference(study, &solution, states, error);
}
