#include "system/constraints/reactions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "base/error.h"
#include "base/memory.h"

enum { MOST_ITERATIONS = 40 };

/* A pivot below this part of its row means that lambda is not determined. */
static const double singular = 1e-11;

struct vida_reactions {
  const VidaSystem* system;
  int count;       /* of multipliers on which forces depend */
  double* guess;   /* m */
  double* given;   /* m: work space of steps */
  double* side;    /* n + m: the right-hand side without f */
  double* force;   /* n: f at the guess */
  double* work;    /* n */
  double* columns; /* count x (n + m): F, then the solutions for it */
  double* matrix;  /* count x count */
  double* change;  /* count: d */
  int* pivot;      /* count */
  double* block;
};

int vida__reactions_create(const VidaSystem* system, vida_reactions** reactions) {
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  const size_t count = (size_t)system->reaction_count;
  *reactions = NULL;
  if (!system->has_reactive_forces) {
    return VIDA_SUCCESS;
  }
  vida_reactions* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return VIDA_OUT_OF_MEMORY;
  }
  const vida_array arrays[] = {{&made->guess, m},
                               {&made->given, m},
                               {&made->side, n + m},
                               {&made->force, n},
                               {&made->work, n},
                               {&made->columns, count * (n + m)},
                               {&made->matrix, count * count},
                               {&made->change, count}};
  made->system = system;
  made->count = system->reaction_count;
  made->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  made->pivot = vida__allocate(count, sizeof *made->pivot);
  if (!made->block || !made->pivot) {
    vida__reactions_destroy(&made);
    return VIDA_OUT_OF_MEMORY;
  }
  *reactions = made;
  return VIDA_SUCCESS;
}

void vida__reactions_destroy(vida_reactions** reactions) {
  if (*reactions) {
    free((*reactions)->block);
    free((*reactions)->pivot);
    free(*reactions);
    *reactions = NULL;
  }
}

double* vida__reactions_guess(vida_reactions* reactions) {
  return reactions->guess;
}

double* vida__reactions_work(vida_reactions* reactions) {
  return reactions->given;
}

void vida__reactions_forget(vida_reactions* reactions) {
  memset(reactions->guess, 0, (size_t)reactions->system->row_count * sizeof(double));
}

static bool bends(const VidaSystem* system) {
  for (int b = 0; b < system->term_batch_count; b++) {
    const vida_term_batch* batch = &system->term_batches[b];
    if (batch->kernel->is_reactive && batch->functions->bends_with_multipliers) {
      return true;
    }
  }
  return false;
}

static int fail_singular(const VidaSystem* system, VidaError* error) {
  const char* row = "";
  const char* force = vida__reactive_name(system, &row);
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "the force '%s' depends on the multiplier of '%s', which it leaves "
                    "undetermined: a larger multiplier causes a force that asks for as much more "
                    "(Painleve's paradox); make the force weaker, or the constraint elastic",
                    force, row);
}

int vida__fail_dependent_reactions(const VidaSystem* system, VidaError* error) {
  const char* row = "";
  const char* force = vida__reactive_name(system, &row);
  return vida__fail(error, VIDA_STEP_SINGULAR,
                    "the force '%s' depends on the multiplier of '%s', which is not unique, "
                    "because constraints of system '%s' depend on each other; remove the redundant "
                    "ones",
                    force, row, system->name);
}

/* Makes one step of Newton's method: x has r + f at the guess, and s, and receives the solution. */
static int make_step(vida_reactions* own, vida_evaluator* evaluator, double t, const double* q,
                     const double* v, vida_reactions_solver solve, void* data, double* x) {
  const VidaSystem* system = own->system;
  const int n = system->coordinate_count, size = n + system->row_count, count = own->count;
  memset(own->columns, 0, (size_t)count * (size_t)size * sizeof *own->columns);
  int code = vida__reactive_columns(evaluator, t, q, v, (size_t)size, own->columns);
  code = code ? code : solve(data, x);
  for (int l = 0; l < count && !code; l++) {
    const double* column = own->columns + l * size;
    code = solve(data, own->columns + l * size);
    own->change[l] = x[n + system->reaction_rows[l]] - own->guess[system->reaction_rows[l]];
    for (int k = 0; k < count; k++) {
      own->matrix[l * count + k] = (k == l ? 1.0 : 0.0) - column[n + system->reaction_rows[k]];
    }
  }
  if (code) {
    return code;
  }
  if (vida__factor_dense(own->matrix, count, own->pivot)) {
    return fail_singular(system, &evaluator->error);
  }
  for (int l = 0; l < count; l++) {
    const double largest = fmax(1.0, fabs(own->columns[l * size + n + system->reaction_rows[l]]));
    if (!(fabs(own->matrix[l * count + l]) > singular * largest)) {
      return fail_singular(system, &evaluator->error);
    }
  }
  vida__substitute_dense(own->matrix, count, own->pivot, own->change);
  for (int l = 0; l < count; l++) {
    for (int i = 0; i < size; i++) {
      x[i] += own->columns[l * size + i] * own->change[l];
    }
  }
  return VIDA_SUCCESS;
}

/* Returns the largest change relative to the multipliers. */
static double measure_change(const vida_reactions* own) {
  double largest = 0.0, size = 0.0;
  for (int l = 0; l < own->count; l++) {
    largest = fmax(largest, fabs(own->change[l]));
    size = fmax(size, fabs(own->guess[own->system->reaction_rows[l]]));
  }
  return largest > 0.0 ? largest / fmax(size, largest) : 0.0;
}

static int fail_iterations(const VidaSystem* system, VidaError* error) {
  const char* row = "";
  const char* force = vida__reactive_name(system, &row);
  return vida__fail(
      error, VIDA_STEP_NOT_CONVERGED,
      "no multiplier of '%s' was found that fits the force '%s', which depends on it; "
      "with too much friction there may be none, or several (Painleve's paradox)",
      row, force);
}

static bool is_zero(const vida_reactions* own) {
  for (int l = 0; l < own->count; l++) {
    if (own->guess[own->system->reaction_rows[l]] != 0.0) {
      return false;
    }
  }
  return true;
}

/* Begins from the multipliers without f, because f may have a kink or no derivative at zero. */
static int leave_zero(vida_reactions* own, vida_evaluator* evaluator, double t, const double* q,
                      const double* v, vida_reactions_solver solve, void* data, double* x) {
  const size_t n = (size_t)own->system->coordinate_count;
  const size_t m = (size_t)own->system->row_count;
  memcpy(x, own->side, (n + m) * sizeof *x);
  int code = solve(data, x);
  memcpy(own->guess, x + n, m * sizeof *x);
  code = code ? code : vida__reactive_force(evaluator, t, q, v, own->force, own->work);
  memcpy(x, own->side, (n + m) * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    x[i] += own->force[i];
  }
  return code;
}

static int iterate(vida_reactions* own, vida_evaluator* evaluator, double t, const double* q,
                   const double* v, vida_reactions_solver solve, void* data, double* x) {
  const VidaSystem* system = own->system;
  const size_t n = (size_t)system->coordinate_count, m = (size_t)system->row_count;
  static const double accurate = 1e-14, rounding = 1e-10;
  const bool is_linear = !bends(system);
  double before = INFINITY;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    int code = make_step(own, evaluator, t, q, v, solve, data, x);
    if (code) {
      return code;
    }
    memcpy(own->guess, x + n, m * sizeof *x);
    const double change = measure_change(own);
    if (is_linear || change <= accurate || (change <= rounding && change >= 0.5 * before)) {
      return VIDA_SUCCESS;
    }
    before = change;
    code = vida__reactive_force(evaluator, t, q, v, own->force, own->work);
    if (code) {
      return code;
    }
    memcpy(x, own->side, (n + m) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
      x[i] += own->force[i];
    }
  }
  return fail_iterations(system, &evaluator->error);
}

int vida__reactions_solve(vida_reactions* reactions, vida_evaluator* evaluator, double t,
                          const double* q, const double* v, vida_reactions_solver solve, void* data,
                          double* x) {
  const size_t n = (size_t)reactions->system->coordinate_count;
  const size_t m = (size_t)reactions->system->row_count;
  const double* kept = evaluator->multipliers;
  evaluator->multipliers = reactions->guess;
  int code = vida__reactive_force(evaluator, t, q, v, reactions->force, reactions->work);
  memcpy(reactions->side, x, (n + m) * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    reactions->side[i] -= reactions->force[i];
  }
  if (!code && bends(reactions->system) && is_zero(reactions)) {
    code = leave_zero(reactions, evaluator, t, q, v, solve, data, x);
  }
  code = code ? code : iterate(reactions, evaluator, t, q, v, solve, data, x);
  if (code) {
    vida__reactions_forget(reactions);
  }
  evaluator->multipliers = kept;
  return code;
}

void vida__reactions_record(vida_reactions* reactions, VidaRecord* record) {
  if (reactions) {
    VidaRecord_Reals(record, reactions->guess, (size_t)reactions->system->row_count);
  }
}
