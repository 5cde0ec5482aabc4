#include "system/evaluate/switch_watch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/terms/traced.h"

enum { MOST_HALVES = 100 };
/* A difference is a jump if it exceeds this fraction of the largest value of the term at both nodes
 * and at the change, with the switches of both sides. */
static const double jump_of_term = 1e-7;

/* ---- making a watch -------------------------------------------------------------------------- */

static const vida_traced* find_traced(const vida_term_batch* batch) {
  const bool is_traced = batch->functions && !batch->kernel->is_callback;
  const vida_traced* traced = is_traced ? (const vida_traced*)batch->functions : NULL;
  return traced && batch->count > 0 && traced->tape[VIDA_TAPE_SWITCHES] ? traced : NULL;
}

static int count_switches(const vida_term_batch* batch) {
  return find_traced(batch)->tape[VIDA_TAPE_SWITCHES]->output_count;
}

static int count_values(const vida_term_batch* batch) {
  return find_traced(batch)->tape[VIDA_TAPE_SWITCHED]->output_count;
}

static const vida_term_batch* find_batch(const vida_switch_watch* watch, int term) {
  return &watch->evaluator.system->term_batches[watch->terms[term].batch];
}

static int allocate(vida_switch_watch* watch, const VidaSystem* system) {
  const size_t n = (size_t)system->coordinate_count;
  size_t all = 0, most = 0, values = 0;
  for (int k = 0; k < watch->count; k++) {
    const vida_term_batch* batch = find_batch(watch, k);
    const size_t switches = (size_t)count_switches(batch), outputs = (size_t)count_values(batch);
    all += (size_t)batch->count * switches;
    most = switches > most ? switches : most;
    values = outputs > values ? outputs : values;
  }
  watch->memory = vida__allocate(6 * n + 2 * (all + most + values), sizeof *watch->memory);
  if (!watch->memory) {
    return VIDA_OUT_OF_MEMORY;
  }
  watch->q = watch->memory;
  watch->v = watch->q + n;
  watch->q_next = watch->v + n;
  watch->v_next = watch->q_next + n;
  watch->q_between = watch->v_next + n;
  watch->v_between = watch->q_between + n;
  watch->left = watch->v_between + n;
  watch->right = watch->left + all;
  watch->low = watch->right + all;
  watch->high = watch->low + most;
  watch->value = watch->high + most;
  watch->other = watch->value + values;
  return VIDA_SUCCESS;
}

int vida__create_switch_watch(const VidaSystem* system, vida_switch_watch* watch,
                              VidaError* error) {
  int count = 0;
  *watch = (vida_switch_watch){.count = 0};
  for (int b = 0; b < system->term_batch_count; b++) {
    count += find_traced(&system->term_batches[b]) != NULL;
  }
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  const int code = vida__evaluator_create(system, &watch->evaluator, error);
  if (code) {
    return code;
  }
  watch->evaluator.multipliers = watch->evaluator.trial; /* all of them jump, or none */
  watch->terms = vida__allocate((size_t)count, sizeof *watch->terms);
  for (int b = 0; b < system->term_batch_count && watch->terms; b++) {
    if (find_traced(&system->term_batches[b])) {
      watch->terms[watch->count++].batch = b;
    }
  }
  return watch->terms && !allocate(watch, system) ? VIDA_SUCCESS : vida__fail_memory(error);
}

void vida__destroy_switch_watch(vida_switch_watch* watch) {
  if (watch->evaluator.system) {
    vida__evaluator_destroy(&watch->evaluator);
  }
  free(watch->terms);
  free(watch->memory);
  *watch = (vida_switch_watch){.count = 0};
}

/* ---- watching -------------------------------------------------------------------------------- */

/* Evaluates all switches. Returns false if one cannot be evaluated. */
static bool read_switches(vida_switch_watch* watch, double t, const double* q, const double* v,
                          double* switches) {
  const vida_place at = vida__place(&watch->evaluator, t, q, v);
  for (int k = 0; k < watch->count; k++) {
    const vida_term_batch* batch = find_batch(watch, k);
    if (vida__traced_switches(batch, -1, &at, switches)) {
      return false;
    }
    switches += batch->count * count_switches(batch);
  }
  return true;
}

static bool differ(const double* a, const double* b, int count) {
  for (int i = 0; i < count; i++) {
    if (a[i] != b[i]) {
      return true;
    }
  }
  return false;
}

/* Computes the point at a fraction of the line between the nodes. */
static vida_place go_between(vida_switch_watch* watch, double share) {
  for (int i = 0; i < watch->evaluator.system->coordinate_count; i++) {
    watch->q_between[i] = watch->q[i] + share * (watch->q_next[i] - watch->q[i]);
    watch->v_between[i] = watch->v[i] + share * (watch->v_next[i] - watch->v[i]);
  }
  return vida__place(&watch->evaluator, watch->t + share * (watch->t_next - watch->t),
                     watch->q_between, watch->v_between);
}

/* Returns the fraction of the line at which the switches of an instance first differ from those at
 * the left end; negative if they have no values. watch->low and high receive the switches before
 * and after the change. */
static double find_change(vida_switch_watch* watch, const vida_term_batch* batch, int i,
                          const double* left, const double* right) {
  const size_t bytes = (size_t)count_switches(batch) * sizeof *left;
  double low = 0.0, high = 1.0;
  memcpy(watch->low, left, bytes);
  memcpy(watch->high, right, bytes);
  for (int k = 0; k < MOST_HALVES; k++) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) {
      break;
    }
    const vida_place at = go_between(watch, middle);
    if (vida__traced_switches(batch, i, &at, watch->other)) {
      return -1.0;
    }
    if (differ(watch->other, left, count_switches(batch))) {
      high = middle;
      memcpy(watch->high, watch->other, bytes);
    } else {
      low = middle;
    }
  }
  return high;
}

/* Returns the difference between the values of an instance with the switches after and before the
 * change, at a fraction of the line; NaN without values. Raises *most to the largest of these
 * values. */
static double find_difference(vida_switch_watch* watch, const vida_term_batch* batch, int i,
                              double share, double* most) {
  const vida_place at = go_between(watch, share);
  double difference = 0.0;
  if (vida__traced_switched(batch, i, &at, watch->low, watch->value) ||
      vida__traced_switched(batch, i, &at, watch->high, watch->other)) {
    return (double)NAN;
  }
  for (int k = 0; k < count_values(batch); k++) {
    *most = fmax(*most, fmax(fabs(watch->value[k]), fabs(watch->other[k])));
    difference = fmax(difference, fabs(watch->other[k] - watch->value[k]));
  }
  return difference;
}

/* Returns whether an instance jumps at the first change of its switches. *t receives the time. At a
 * kink the difference is zero and grows with the distance from it. */
static bool jumps(vida_switch_watch* watch, const vida_term_batch* batch, int i, const double* left,
                  const double* right, double* t) {
  const double share = find_change(watch, batch, i, left, right);
  double most = 0.0;
  if (share < 0.0) {
    return false;
  }
  const double difference = find_difference(watch, batch, i, share, &most);
  find_difference(watch, batch, i, 0.0, &most);
  find_difference(watch, batch, i, 1.0, &most);
  *t = watch->t + share * (watch->t_next - watch->t);
  return difference > jump_of_term * most;
}

/* Returns whether the changed switch is the branch of an angle. */
static bool has_wrapped(const vida_switch_watch* watch, const vida_term_batch* batch) {
  const bool* wraps = find_traced(batch)->wraps;
  for (int k = 0; k < count_switches(batch); k++) {
    if (wraps[k] && watch->low[k] != watch->high[k]) {
      return true;
    }
  }
  return false;
}

static void compare_switches(vida_switch_watch* watch) {
  const double *left = watch->left, *right = watch->right;
  for (int k = 0; k < watch->count; k++) {
    vida_switched_term* term = &watch->terms[k];
    const vida_term_batch* batch = find_batch(watch, k);
    const int count = count_switches(batch);
    double first = INFINITY, t;
    for (int i = 0; i < batch->count; i++, left += count, right += count) {
      if (!differ(left, right, count) || !jumps(watch, batch, i, left, right, &t)) {
        continue;
      }
      if (term->count == 0 && t < first) {
        term->instance = i;
        term->first_t = t;
      }
      first = fmin(first, t);
      term->wraps = term->wraps || (batch->kernel->is_potential && has_wrapped(watch, batch));
    }
    term->count += first < INFINITY;
  }
}

void vida__name_switched_term(const vida_switch_watch* watch, int term, char* text, size_t size) {
  const vida_coordinate* coordinates = watch->evaluator.system->coordinates;
  const vida_term_batch* batch = find_batch(watch, term);
  const int* index = batch->index + (size_t)watch->terms[term].instance * (size_t)batch->width;
  vida__append(text, size, "%s '%s'", batch->kernel->kind, batch->functions->name);
  if (batch->tape.stride > 0 || batch->count > 1) { /* of an element; this is its name */
    vida__append(text, size, " (from '%s' to '%s')", coordinates[index[0]].name,
                 coordinates[index[batch->width - 1]].name);
  }
}

static void take_node(vida_switch_watch* watch, double t, const double* q, const double* v) {
  const size_t bytes = (size_t)watch->evaluator.system->coordinate_count * sizeof *q;
  watch->t_next = t;
  memcpy(watch->q_next, q, bytes);
  memcpy(watch->v_next, v, bytes);
}

static void go_on(vida_switch_watch* watch, bool is_known) {
  watch->is_known = is_known;
  watch->t = watch->t_next;
  vida__exchange(&watch->q, &watch->q_next);
  vida__exchange(&watch->v, &watch->v_next);
  vida__exchange(&watch->left, &watch->right);
}

void vida__begin_switch_watch(vida_switch_watch* watch, double t, const double* q,
                              const double* v) {
  if (watch->count > 0) {
    take_node(watch, t, q, v);
    go_on(watch, read_switches(watch, t, q, v, watch->right));
  }
}

void vida__follow_switches(vida_switch_watch* watch, double t, const double* q, const double* v) {
  if (watch->count > 0) {
    take_node(watch, t, q, v);
    const bool is_known = read_switches(watch, t, q, v, watch->right);
    if (is_known && watch->is_known) {
      compare_switches(watch);
    }
    go_on(watch, is_known);
  }
}

void vida__switch_watch_record(vida_switch_watch* watch, VidaRecord* record) {
  size_t switches = 0;
  vida__record_same(record, "switches", 1, &watch->count);
  for (int k = 0; k < watch->count; k++) {
    const vida_term_batch* batch = find_batch(watch, k);
    vida_switched_term* term = &watch->terms[k];
    switches += (size_t)batch->count * (size_t)count_switches(batch);
    vida__record_integers(record, &term->instance, 1, 0, batch->count - 1);
    VidaRecord_Flag(record, &term->wraps);
    VidaRecord_Integer(record, &term->count, 0, LONG_MAX / 64);
    VidaRecord_Reals(record, &term->first_t, 1);
  }
  if (watch->count > 0) {
    const size_t n = (size_t)watch->evaluator.system->coordinate_count;
    double* const arrays[] = {watch->q, watch->v, watch->q_next, watch->v_next};
    VidaRecord_Flag(record, &watch->is_known);
    VidaRecord_Reals(record, &watch->t, 1);
    VidaRecord_Reals(record, &watch->t_next, 1);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
      VidaRecord_Reals(record, arrays[k], n);
    }
    VidaRecord_Reals(record, watch->left, switches);
    VidaRecord_Reals(record, watch->right, switches);
  }
}
