#include "solve/closed_contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct vida_closed_work {
  vida_constraint_batch* batches; /* those of `rows`, with the chosen instances only */
  int *batch_of, *instance_of;    /* of each row of contacts */
  double* entries;                /* those of the largest batch */
  double *value, *need;           /* rows: gaps of the chosen contacts, and what they lack */
  /* Components of the pattern: component[i] of coordinate i < n, and the coordinates of each. */
  int *component, *member_start, *member;
  int* stamp;            /* components: the pass or the row that has used it last */
  double *side, *answer; /* size of the pattern */
  bool* is_done;         /* rows */
  size_t dense_size;     /* of problem.dense */
} vida_closed_work;

/* ---- creation -------------------------------------------------------------------------------- */

static int root_of(int* parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

/* Finds the components that the pattern connects, of its first n unknowns. */
static int find_components(vida_closed_work* work, const vida_pattern* pattern, int n) {
  int* parent = vida__allocate((size_t)pattern->size, sizeof *parent);
  int* number = vida__allocate((size_t)pattern->size, sizeof *number); /* + 1 */
  if (!parent || !number) {
    free(parent);
    free(number);
    return VIDA_OUT_OF_MEMORY;
  }
  for (int i = 0; i < pattern->size; i++) {
    parent[i] = i;
  }
  for (int j = 0; j < pattern->size; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      parent[root_of(parent, (int)pattern->row[k])] = root_of(parent, j);
    }
  }
  int count = 0;
  for (int i = 0; i < n; i++) {
    int* own = &number[root_of(parent, i)];
    *own = *own ? *own : ++count;
    work->component[i] = *own - 1;
    work->member_start[*own]++;
  }
  for (int c = 0; c < count; c++) {
    work->member_start[c + 1] += work->member_start[c];
  }
  memset(number, 0, (size_t)pattern->size * sizeof *number);
  for (int i = 0; i < n; i++) {
    const int c = work->component[i];
    work->member[work->member_start[c] + number[c]++] = i;
  }
  free(parent);
  free(number);
  return VIDA_SUCCESS;
}

/* Makes room for the chosen instances of every batch. */
static int create_batches(vida_closed_work* work, const VidaSystem* rows) {
  size_t most = 1;
  work->batches = vida__allocate((size_t)rows->constraint_batch_count, sizeof *work->batches);
  for (int b = 0; work->batches && b < rows->constraint_batch_count; b++) {
    const vida_constraint_batch* from = &rows->constraint_batches[b];
    vida_constraint_batch* batch = &work->batches[b];
    const size_t count = (size_t)from->count;
    *batch = *from;
    batch->slot = NULL;
    batch->index = vida__allocate(count * (size_t)from->width, sizeof *batch->index);
    batch->parameter = vida__allocate(count * (size_t)from->parameters, sizeof *batch->parameter);
    batch->row = vida__allocate(count, sizeof *batch->row);
    if (!batch->index || !batch->parameter || !batch->row) {
      return VIDA_OUT_OF_MEMORY;
    }
    if (from->parameters) {
      batch->tape.parameters = batch->parameter;
    }
    most = count * (size_t)from->width > most ? count * (size_t)from->width : most;
    for (int i = 0; i < from->count; i++) {
      work->batch_of[from->row[i]] = b;
      work->instance_of[from->row[i]] = i;
    }
  }
  work->entries = vida__allocate(most, sizeof *work->entries);
  return work->batches && work->entries ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static int create_work(vida_closed_contacts* made, const vida_pattern* pattern) {
  const size_t n = (size_t)made->system->coordinate_count;
  const size_t rows = (size_t)made->rows->row_count;
  vida_closed_work* work = made->work;
  work->batch_of = vida__allocate(rows, sizeof *work->batch_of);
  work->instance_of = vida__allocate(rows, sizeof *work->instance_of);
  work->component = vida__allocate(n, sizeof *work->component);
  work->member_start = vida__allocate(n + 1, sizeof *work->member_start);
  work->member = vida__allocate(n, sizeof *work->member);
  work->stamp = vida__allocate(n, sizeof *work->stamp);
  work->side = vida__allocate((size_t)pattern->size, sizeof *work->side);
  work->answer = vida__allocate((size_t)pattern->size, sizeof *work->answer);
  work->is_done = vida__allocate(rows, sizeof *work->is_done);
  return work->batch_of && work->instance_of && work->component && work->member_start &&
                 work->member && work->stamp && work->side && work->answer && work->is_done &&
                 !find_components(work, pattern, (int)n)
             ? create_batches(work, made->rows)
             : VIDA_OUT_OF_MEMORY;
}

static int create_arrays(vida_closed_contacts* made) {
  const size_t contacts = (size_t)made->system->contacts->count;
  const size_t rows = (size_t)made->rows->row_count;
  vida_contact_problem* problem = &made->problem;
  /* One block; `gap` is its first array. */
  const vida_array arrays[] = {
      {&made->gap, rows},        {&made->rate, rows},        {&made->before, rows},
      {&made->last, rows},       {&made->softness, rows},    {&made->bias, rows},
      {&problem->impulse, rows}, {&problem->diagonal, rows}, {&made->kept_gap, rows},
      {&made->state, rows},      {&made->work->value, rows}, {&made->work->need, rows}};
  made->gap = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  made->chosen = vida__allocate(contacts, sizeof *made->chosen);
  problem->first = vida__allocate(contacts + 1, sizeof *problem->first);
  problem->friction = vida__allocate(contacts, sizeof *problem->friction);
  problem->softness = made->softness;
  problem->bias = made->bias;
  problem->size = made->system->coordinate_count;
  problem->h.start = vida__allocate(rows + 1, sizeof *problem->h.start);
  problem->w.start = vida__allocate(rows + 1, sizeof *problem->w.start);
  problem->pivot = vida__allocate(VIDA_HELD_ROWS, sizeof *problem->pivot);
  problem->dense =
      vida__allocate(vida__contact_work((int)rows, problem->size), sizeof *problem->dense);
  return made->gap && made->chosen && problem->first && problem->friction && problem->h.start &&
                 problem->w.start && problem->pivot && problem->dense
             ? VIDA_SUCCESS
             : VIDA_OUT_OF_MEMORY;
}

int vida__closed_create(const VidaSystem* system, const vida_pattern* pattern,
                        vida_closed_contacts** closed, VidaError* error) {
  *closed = NULL;
  vida_closed_contacts* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->work = vida__allocate(1, sizeof *made->work);
  int code = made->work ? vida__contact_system_create(system, &made->rows, error)
                        : vida__fail_memory(error);
  code = code ? code : vida__evaluator_create(made->rows, &made->evaluator, error);
  if (!code && (create_arrays(made) || create_work(made, pattern))) {
    code = vida__fail_memory(error);
  }
  if (code) {
    vida__closed_destroy(&made);
    return code;
  }
  *closed = made;
  return VIDA_SUCCESS;
}

static void destroy_work(vida_closed_work* work, int batches) {
  for (int b = 0; work->batches && b < batches; b++) {
    free(work->batches[b].index);
    free(work->batches[b].parameter);
    free(work->batches[b].row);
  }
  free(work->batches);
  free(work->batch_of);
  free(work->instance_of);
  free(work->entries);
  free(work->component);
  free(work->member_start);
  free(work->member);
  free(work->stamp);
  free(work->side);
  free(work->answer);
  free(work->is_done);
  free(work);
}

static void free_rows(vida_sparse_rows* rows) {
  free(rows->start);
  free(rows->index);
  free(rows->value);
}

void vida__closed_destroy(vida_closed_contacts** closed) {
  vida_closed_contacts* old = *closed;
  if (!old) {
    return;
  }
  if (old->work) {
    destroy_work(old->work, old->rows ? old->rows->constraint_batch_count : 0);
  }
  vida__evaluator_destroy(&old->evaluator);
  VidaSystem_Destroy(&old->rows);
  free(old->gap);
  free(old->chosen);
  free(old->problem.first);
  free(old->problem.friction);
  free_rows(&old->problem.h);
  free_rows(&old->problem.w);
  free(old->problem.pivot);
  free(old->problem.dense);
  free(old);
  *closed = NULL;
}

void vida__closed_record(vida_closed_contacts* closed, VidaRecord* record) {
  const size_t contacts = (size_t)closed->system->contacts->count;
  VidaRecord_Reals(record, closed->last, (size_t)closed->rows->row_count);
  VidaRecord_Reals(record, closed->kept_gap, contacts);
  VidaRecord_Reals(record, closed->state, contacts);
}

/* ---- gaps and rows --------------------------------------------------------------------------- */

int vida__closed_gaps(vida_closed_contacts* closed, double t, const double* q) {
  const vida_contacts* contacts = closed->system->contacts;
  const int code = vida__constraints(&closed->evaluator, t, q, NULL, closed->gap);
  for (int c = 0; c < contacts->count && !code; c++) { /* first_row >= c */
    closed->gap[c] = closed->gap[contacts->list[c].first_row];
  }
  return code;
}

/* Grows a list to `count` entries. */
static int reserve(vida_sparse_rows* rows, size_t count) {
  size_t capacity = rows->capacity;
  if (count <= rows->capacity) {
    return VIDA_SUCCESS;
  }
  if (vida__reserve((void**)&rows->index, &capacity, count, sizeof *rows->index)) {
    return VIDA_OUT_OF_MEMORY;
  }
  capacity = rows->capacity;
  if (vida__reserve((void**)&rows->value, &capacity, count, sizeof *rows->value)) {
    return VIDA_OUT_OF_MEMORY;
  }
  rows->capacity = count;
  return VIDA_SUCCESS;
}

/* Copies the instances of the chosen rows to the batches; their rows are those of the problem. */
static int choose_instances(vida_closed_contacts* closed) {
  const vida_contacts* contacts = closed->system->contacts;
  vida_closed_work* work = closed->work;
  int* first = closed->problem.first;
  double* friction = closed->problem.friction;
  int row = 0, entries = 0;
  for (int b = 0; b < closed->rows->constraint_batch_count; b++) {
    work->batches[b].count = 0;
  }
  for (int k = 0; k < closed->count; k++) {
    const vida_contact* contact = &contacts->list[closed->chosen[k]];
    first[k] = row;
    friction[k] = contact->friction;
    for (int s = 0; s <= (contact->friction > 0.0 ? contact->slip_count : 0); s++, row++) {
      const int from_row = contact->first_row + s;
      const size_t i = (size_t)work->instance_of[from_row];
      const vida_constraint_batch* from =
          &closed->rows->constraint_batches[work->batch_of[from_row]];
      vida_constraint_batch* batch = &work->batches[work->batch_of[from_row]];
      const size_t to = (size_t)batch->count++;
      const size_t width = (size_t)from->width, parameters = (size_t)from->parameters;
      memcpy(batch->index + to * width, from->index + i * width, width * sizeof *batch->index);
      if (parameters) {
        memcpy(batch->parameter + to * parameters, from->parameter + i * parameters,
               parameters * sizeof *batch->parameter);
      }
      batch->row[to] = row;
      closed->problem.impulse[row] = closed->last[from_row];
      closed->problem.h.start[row] = entries;
      entries += from->width;
    }
  }
  first[closed->count] = row;
  closed->problem.h.start[row] = entries;
  closed->problem.contacts = closed->count;
  return reserve(&closed->problem.h, (size_t)entries);
}

/* Evaluates the rows of a batch. */
static int evaluate_batch(vida_closed_contacts* closed, const vida_constraint_batch* batch,
                          const vida_place* at) {
  vida_sparse_rows* h = &closed->problem.h;
  int code = batch->kernel->jacobian(batch, at, closed->work->entries);
  code = code || !batch->kernel->rate ? code : batch->kernel->rate(batch, at, closed->rate);
  for (int i = 0; i < batch->count && !code; i++) {
    const int start = h->start[batch->row[i]];
    for (int j = 0; j < batch->width; j++) {
      h->index[start + j] = batch->index[i * batch->width + j];
      h->value[start + j] = closed->work->entries[i * batch->width + j];
    }
  }
  return code;
}

int vida__closed_rows(vida_closed_contacts* closed, double t, const double* q, const double* v) {
  const vida_place at = vida__place(&closed->evaluator, t, q, v);
  int code = choose_instances(closed);
  const int rows = code ? 0 : closed->problem.first[closed->count];
  memset(closed->rate, 0, (size_t)rows * sizeof *closed->rate);
  memset(closed->softness, 0, (size_t)rows * sizeof *closed->softness);
  memset(closed->bias, 0, (size_t)rows * sizeof *closed->bias);
  for (int b = 0; b < closed->rows->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &closed->work->batches[b];
    code = batch->count > 0 ? evaluate_batch(closed, batch, &at) : VIDA_SUCCESS;
  }
  const vida_sparse_rows* h = &closed->problem.h;
  for (int r = 0; r < rows && !code; r++) {
    closed->before[r] = closed->rate[r];
    for (int k = h->start[r]; k < h->start[r + 1]; k++) {
      closed->before[r] += h->value[k] * v[h->index[k]];
    }
  }
  return code;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Returns whether no component of row r has been used in this pass. */
static bool is_free(const vida_closed_contacts* closed, int r, int pass) {
  const vida_sparse_rows* h = &closed->problem.h;
  for (int k = h->start[r]; k < h->start[r + 1]; k++) {
    if (closed->work->stamp[closed->work->component[h->index[k]]] == pass) {
      return false;
    }
  }
  return true;
}

static void use(const vida_closed_contacts* closed, int r, int pass) {
  const vida_sparse_rows* h = &closed->problem.h;
  for (int k = h->start[r]; k < h->start[r + 1]; k++) {
    closed->work->stamp[closed->work->component[h->index[k]]] = pass;
    closed->work->side[h->index[k]] += h->value[k];
  }
}

/* Lays out the columns: the coordinates of the components of each row. */
static int lay_out(vida_closed_contacts* closed) {
  const vida_sparse_rows* h = &closed->problem.h;
  vida_sparse_rows* w = &closed->problem.w;
  vida_closed_work* work = closed->work;
  const int rows = closed->problem.first[closed->count];
  int entries = 0;
  memset(work->stamp, 0, (size_t)closed->system->coordinate_count * sizeof *work->stamp);
  for (int r = 0; r < rows; r++) {
    w->start[r] = entries;
    for (int k = h->start[r]; k < h->start[r + 1]; k++) {
      const int c = work->component[h->index[k]];
      const int size = work->member_start[c + 1] - work->member_start[c];
      if (work->stamp[c] == r + 1) {
        continue;
      }
      work->stamp[c] = r + 1;
      if (reserve(w, (size_t)(entries + size))) {
        return VIDA_OUT_OF_MEMORY;
      }
      memcpy(w->index + entries, work->member + work->member_start[c],
             (size_t)size * sizeof *w->index);
      entries += size;
    }
  }
  w->start[rows] = entries;
  return VIDA_SUCCESS;
}

/* Solves for the columns of all rows that are still open and have no component in common; *left is
 * the number of open rows. */
static int solve_some(vida_closed_contacts* closed, vida_linear* matrix, const double* scale,
                      int pass, int* left) {
  vida_closed_work* work = closed->work;
  vida_sparse_rows* w = &closed->problem.w;
  const int rows = closed->problem.first[closed->count];
  memset(work->side, 0, (size_t)matrix->pattern->size * sizeof *work->side);
  for (int r = 0; r < rows; r++) {
    if (!work->is_done[r] && is_free(closed, r, pass)) {
      use(closed, r, pass);
    }
  }
  for (int i = 0; i < matrix->pattern->size && scale; i++) {
    work->side[i] *= scale[i];
  }
  const int code = vida__linear_solve(matrix, work->side, work->answer);
  for (int i = 0; i < matrix->pattern->size && scale; i++) {
    work->answer[i] *= scale[i];
  }
  /* The same choice once more. */
  for (int r = 0; r < rows && !code; r++) {
    if (!work->is_done[r] && is_free(closed, r, -pass)) {
      use(closed, r, -pass);
      work->is_done[r] = true;
      --*left;
      for (int k = w->start[r]; k < w->start[r + 1]; k++) {
        w->value[k] = work->answer[w->index[k]];
      }
    }
  }
  return code;
}

int vida__closed_columns(vida_closed_contacts* closed, vida_linear* matrix, const double* scale) {
  vida_closed_work* work = closed->work;
  int left = closed->problem.first[closed->count];
  int code = lay_out(closed);
  memset(work->stamp, 0, (size_t)closed->system->coordinate_count * sizeof *work->stamp);
  for (int r = 0; r < left; r++) {
    work->is_done[r] = false;
  }
  for (int pass = 1; left > 0 && !code; pass++) {
    code = solve_some(closed, matrix, scale, pass, &left);
  }
  return code;
}

/* ---- solution -------------------------------------------------------------------------------- */

bool vida__closed_solve(vida_closed_contacts* closed, double* v) {
  const vida_contacts* contacts = closed->system->contacts;
  vida_contact_problem* problem = &closed->problem;
  problem->v = v;
  const bool is_solved = vida__solve_contacts(problem);
  memset(closed->last, 0, (size_t)closed->rows->row_count * sizeof *closed->last);
  for (int k = 0; k < closed->count && is_solved; k++) {
    const int from = contacts->list[closed->chosen[k]].first_row;
    for (int r = problem->first[k]; r < problem->first[k + 1]; r++) {
      closed->last[from + r - problem->first[k]] = problem->impulse[r];
    }
  }
  return is_solved;
}

/* ---- energy ---------------------------------------------------------------------------------- */

/* Returns the rate of row r with the velocities v. */
static double rate_after(const vida_closed_contacts* closed, int r, const double* v) {
  const vida_sparse_rows* h = &closed->problem.h;
  double rate = closed->rate[r];
  for (int k = h->start[r]; k < h->start[r + 1]; k++) {
    rate += h->value[k] * v[h->index[k]];
  }
  return rate;
}

/* Returns whether chosen contact number k approached and leaves with its restitution, or less. What
 * leaves faster is pushed out by its depth. */
static bool is_impact(const vida_closed_contacts* closed, int k, double after) {
  static const double rounding = 1e-6;
  const int c = closed->chosen[k];
  const double returned =
      -closed->system->contacts->list[c].restitution * closed->before[closed->problem.first[k]];
  return !vida__was_pressed(closed, c) && after > 0.0 && after <= (1.0 + rounding) * returned;
}

/* The work of an impulse is P (u0 + u1) / 2. That of contacts which are not hit counts where it
 * takes energy only: what they give they may have stored. */
double vida__closed_gain(const vida_closed_contacts* closed, const double* v) {
  static const double rounding = 1e-9;
  const vida_contact_problem* problem = &closed->problem;
  double gain = 0.0, size = 0.0;
  for (int k = 0; k < closed->count; k++) {
    const int first = problem->first[k];
    const bool is_hit = is_impact(closed, k, rate_after(closed, first, v));
    double work = 0.0;
    for (int r = first; r < problem->first[k + 1]; r++) {
      const double after = rate_after(closed, r, v);
      work += 0.5 * problem->impulse[r] * (closed->before[r] + after);
      size += 0.5 * fabs(problem->impulse[r]) * (fabs(closed->before[r]) + fabs(after));
    }
    gain += is_hit ? work : fmin(work, 0.0);
  }
  return gain > rounding * size ? gain : 0.0;
}

void vida__closed_add_impulses(const vida_closed_contacts* closed, double* force) {
  const vida_sparse_rows* h = &closed->problem.h;
  for (int r = 0; r < closed->problem.first[closed->count]; r++) {
    for (int k = h->start[r]; k < h->start[r + 1]; k++) {
      force[h->index[k]] += h->value[k] * closed->problem.impulse[r];
    }
  }
}

/* ---- gaps that are kept ---------------------------------------------------------------------- */

/* Computes the gaps of the chosen contacts, in work->value at their rows. */
static int find_chosen_gaps(vida_closed_contacts* closed, double t, const double* q) {
  const vida_place at = vida__place(&closed->evaluator, t, q, NULL);
  int code = VIDA_SUCCESS;
  memset(closed->work->value, 0, (size_t)closed->problem.first[closed->count] * sizeof(double));
  for (int b = 0; b < closed->rows->constraint_batch_count && !code; b++) {
    const vida_constraint_batch* batch = &closed->work->batches[b];
    code = batch->count > 0 && !batch->kernel->is_nonholonomic
               ? batch->kernel->value(batch, &at, NULL, closed->work->value)
               : VIDA_SUCCESS;
  }
  return code;
}

/* Returns what counts as rounding of the gap of the chosen contact number k at q, after a step of
 * length h: of the terms of the gap, and of what the impulse moves it by. Where this is 0, as on a
 * plane through the origin, no other size is known. */
static double rounding_of(const vida_closed_contacts* closed, int k, double h, const double* q) {
  static const double rounding = 1e-13, part = 1e-9;
  const vida_sparse_rows* rows = &closed->problem.h;
  const int r = closed->problem.first[k];
  double size = 0.0;
  for (int e = rows->start[r]; e < rows->start[r + 1]; e++) {
    size += fabs(rows->value[e] * q[rows->index[e]]);
  }
  const double impulse = closed->last[closed->system->contacts->list[closed->chosen[k]].first_row];
  return rounding * size + part * h * closed->problem.diagonal[r] * impulse;
}

int vida__closed_lift(vida_closed_contacts* closed, double t, double h, const double* q, double* x,
                      bool* moves) {
  static const double part = 1e-3;
  enum { SWEEPS = 30 };
  double most = 0.0;
  bool stays = false;
  *moves = false;
  for (int k = 0; k < closed->count; k++) {
    stays = stays || closed->state[closed->chosen[k]] != 0.0;
  }
  const int code = stays ? find_chosen_gaps(closed, t, q) : VIDA_SUCCESS;
  for (int k = 0; k < closed->count && stays && !code; k++) {
    const int c = closed->chosen[k], r = closed->problem.first[k];
    const double lack = closed->kept_gap[c] - closed->work->value[r];
    /* Contacts that have closed in this step do not hinder the others. */
    closed->work->need[k] = closed->state[c] != 0.0 ? lack : -(double)INFINITY;
    if (closed->state[c] != 0.0 && lack > rounding_of(closed, k, h, q)) {
      most = fmax(most, lack);
      *moves = true;
    }
  }
  if (*moves) {
    closed->problem.v = x;
    vida__push_apart(&closed->problem, closed->work->need, SWEEPS, part * most);
  }
  return code;
}

int vida__closed_keep(vida_closed_contacts* closed, double t, const double* q) {
  const int contacts = closed->system->contacts->count;
  bool is_new = false;
  for (int k = 0; k < closed->count; k++) {
    is_new = is_new || closed->state[closed->chosen[k]] == 0.0;
  }
  const int code = is_new ? find_chosen_gaps(closed, t, q) : VIDA_SUCCESS;
  for (int c = 0, k = 0; c < contacts && !code; c++) {
    const bool is_chosen = k < closed->count && closed->chosen[k] == c;
    if (is_chosen && closed->state[c] == 0.0) {
      closed->kept_gap[c] = fmin(closed->work->value[closed->problem.first[k]], 0.0);
    }
    const double impulse = closed->last[closed->system->contacts->list[c].first_row];
    closed->state[c] = !is_chosen ? 0.0 : impulse > 0.0 ? 2.0 : 1.0;
    k += is_chosen;
  }
  return code;
}

/* ---- what methods share ---------------------------------------------------------------------- */

/* Returns the first contact with a gap that is negative by more than rounding at the positions q;
 * -1: none. */
static int find_negative(const vida_closed_contacts* closed, const double* q) {
  static const double rounding = 1e-9;
  const vida_contacts* contacts = closed->system->contacts;
  for (int c = 0; c < contacts->count; c++) {
    const int row = contacts->list[c].first_row;
    const vida_constraint_batch* batch =
        &closed->rows->constraint_batches[closed->work->batch_of[row]];
    const int* index = batch->index + closed->work->instance_of[row] * batch->width;
    double size = 0.0;
    for (int j = 0; j < batch->width; j++) {
      size = fmax(size, fabs(q[index[j]]));
    }
    if (!(closed->gap[c] >= -rounding * size)) {
      return c;
    }
  }
  return -1;
}

int vida__closed_start(vida_closed_contacts* closed, double t, const double* q, VidaError* error) {
  const int code = vida__closed_gaps(closed, t, q);
  memset(closed->last, 0, (size_t)closed->rows->row_count * sizeof *closed->last);
  memset(closed->state, 0, (size_t)closed->rows->row_count * sizeof *closed->state);
  if (code) {
    return vida__fail(error, code, "%s", closed->evaluator.error.message);
  }
  const int negative = find_negative(closed, q);
  return negative < 0
             ? VIDA_SUCCESS
             : vida__fail_negative_gap(closed->system, negative, closed->gap[negative], t, error);
}

int vida__closed_fail(const vida_closed_contacts* closed, const char* step, VidaError* error) {
  char left[VIDA_REAL_TEXT_SIZE];
  const int worst = closed->problem.worst;
  return vida__fail(
      error, VIDA_STEP_NOT_CONVERGED,
      "%s: the impulses of %d contacts could not be found: contact '%s' has a residual of %s m/s "
      "after %d sweeps; try a larger accuracy or more sweeps",
      step, closed->count,
      worst >= 0 ? closed->system->contacts->list[closed->chosen[worst]].name : "",
      vida__real_text(left, closed->problem.residual, 3), closed->problem.made);
}

void vida__closed_take_options(vida_closed_contacts* closed, const VidaOptions* options) {
  closed->problem.accuracy = VidaOptions_Get(options, "accuracy");
  closed->problem.sweeps = (int)VidaOptions_Get(options, "sweeps");
  closed->problem.is_direct = !VidaOptions_HasChoice(options, "contact_solver", "gauss-seidel");
}
