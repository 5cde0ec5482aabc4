#include "system/constraints/equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/linear_record.h"
#include "base/memory.h"
#include "system/constraints/multiplier_equations.h"
#include "system/constraints/reactions.h"
#include "system/constraints/singular.h"
#include "system/terms/motion_tape.h"

/* The norm of a quaternion: a row along whose gradient there is no mass. */
typedef struct vida_norm_row {
  int row, entry; /* its first entry in G */
  int slot[4][4]; /* of products of its entries in the matrix */
  double mass;    /* c of the last factors */
} vida_norm_row;

struct vida_equations {
  const VidaSystem* system;
  vida_evaluator evaluator;
  SUNContext context;
  vida_solver solver;
  vida_linear* linear;                /* NULL: not needed so far */
  double* entries;                    /* of G */
  double* right_side;                 /* n + m */
  double* solution;                   /* n + m */
  double* shift;                      /* m: shifts that regularize dependent rows */
  double* work;                       /* n: masses, then work space */
  vida_rank* rank;                    /* NULL: too many constraints share a coordinate */
  bool redundant, has_open_reactions; /* a force depends on a multiplier that is not unique */
  bool has_identity;                  /* instead of the mass matrix */
  const double* unit;                 /* n: of the coordinates of such equations; NULL: 1 */
  double* scaled;                     /* G in these units */
  /* With a constant diagonal mass matrix the equations are condensed to the multipliers. NULL: not
   * wanted, or not possible. */
  vida_multiplier_equations* condensed;
  bool may_condense;    /* in this motion */
  bool is_condensed;    /* the last factors are those of `condensed` */
  bool is_prepared;     /* the matrix with all unknowns has been factored once */
  vida_norm_row* norms; /* norm_count: the norms of quaternions */
  int norm_count;
  vida_reactions* reactions; /* NULL: no force depends on a multiplier */
  bool has_norm_masses;      /* in the last factors */
  bool is_joined;            /* by vida__equations_join */
  vida_motion_tape* motion;  /* NULL: not wanted, or nothing is to be gained */
  bool has_motion;           /* its outputs are those of the place of this factorization */
};

/* Relative to G M^-1 G^T: small, but large compared with rounding. */
static const double regularization = 1e-10;

/* Creates the matrix of all unknowns, unless there is one. */
static int require_linear(vida_equations* equations, VidaError* error) {
  if (equations->linear) {
    return VIDA_SUCCESS;
  }
  const int code = vida__linear_create(equations->context, &equations->system->pattern,
                                       equations->solver, &equations->linear, error);
  if (!code && equations->is_joined) {
    vida__linear_expect_symmetric(equations->linear);
  }
  return code;
}

/* Whether the matrix of all unknowns, which condensed equations need only where they fail, waits
 * until then, as the memory for factors with pivots does. */
static bool waits_with_all(const vida_equations* equations) {
  return vida__is_prepared_late(&equations->system->pattern);
}

/* Finds the places of c G_r^T G_r for a row r. Returns whether all of them are in the pattern. */
static bool find_norm_slots(const VidaSystem* system, vida_norm_row* norm) {
  bool fits = true;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      norm->slot[i][j] =
          vida__pattern_slot(&system->pattern, system->entries[norm->entry + i].coordinate,
                             system->entries[norm->entry + j].coordinate);
      fits = fits && norm->slot[i][j] >= 0;
    }
  }
  return fits;
}

/* Lists the norms of quaternions. */
static int list_norms(vida_equations* equations, VidaError* error) {
  const VidaSystem* system = equations->system;
  size_t count = 0;
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    count += batch->kernel == &vida__unit_quaternion ? (size_t)batch->count : 0;
  }
  equations->norms = vida__allocate(count, sizeof *equations->norms);
  if (!equations->norms) {
    return vida__fail_memory(error);
  }
  for (int b = 0; b < system->constraint_batch_count; b++) {
    const vida_constraint_batch* batch = &system->constraint_batches[b];
    for (int i = 0; i < batch->count && batch->kernel == &vida__unit_quaternion; i++) {
      vida_norm_row* norm = &equations->norms[equations->norm_count];
      *norm = (vida_norm_row){.row = batch->row[i], .entry = batch->first_entry + 4 * i};
      equations->norm_count += find_norm_slots(system, norm) ? 1 : 0;
    }
  }
  return VIDA_SUCCESS;
}

int vida__equations_create(const VidaSystem* system, vida_solver solver, vida_equations** equations,
                           VidaError* error) {
  const size_t n = (size_t)system->coordinate_count;
  const size_t m = (size_t)system->row_count;
  *equations = NULL;
  vida_equations* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->system = system;
  made->solver = solver;
  made->entries = vida__allocate((size_t)system->entry_count, sizeof *made->entries);
  made->right_side = vida__allocate(n + m, sizeof *made->right_side);
  made->solution = vida__allocate(n + m, sizeof *made->solution);
  made->shift = vida__allocate(m, sizeof *made->shift);
  made->work = vida__allocate(n, sizeof *made->work);
  int code = vida__evaluator_create(system, &made->evaluator, error);
  code = code ? code : vida__reactions_create(system, &made->reactions);
  if (made->reactions) {
    made->evaluator.multipliers = vida__reactions_guess(made->reactions);
  }
  if (!code && (!made->entries || !made->right_side || !made->solution || !made->shift ||
                !made->work || vida__context_create(&made->context))) {
    code = vida__fail_memory(error);
  }
  if (!code && m > 0 && vida__rank_create(system, &made->rank, error) == VIDA_OUT_OF_MEMORY) {
    code = VIDA_OUT_OF_MEMORY;
  }
  code = code ? code : list_norms(made, error);
  if (!code && !waits_with_all(made)) {
    code = require_linear(made, error);
  }
  if (code) {
    vida__equations_destroy(&made);
    return code;
  }
  *equations = made;
  return VIDA_SUCCESS;
}

void vida__equations_destroy(vida_equations** equations) {
  vida_equations* old = *equations;
  if (!old) {
    return;
  }
  vida__linear_destroy(&old->linear);
  if (old->context) {
    SUNContext_Free(&old->context);
  }
  vida__evaluator_destroy(&old->evaluator);
  vida__rank_destroy(&old->rank);
  vida__multiplier_equations_destroy(&old->condensed);
  vida__motion_tape_destroy(&old->motion);
  vida__reactions_destroy(&old->reactions);
  free(old->norms);
  free(old->solution);
  free(old->shift);
  free(old->entries);
  free(old->scaled);
  free(old->right_side);
  free(old->work);
  free(old);
  *equations = NULL;
}

void vida__equations_use_identity(vida_equations* equations) {
  equations->has_identity = true;
}

int vida__equations_use_units(vida_equations* equations, const double* unit) {
  equations->has_identity = true;
  equations->unit = unit;
  equations->scaled =
      vida__allocate((size_t)equations->system->entry_count, sizeof *equations->scaled);
  return equations->scaled ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__equations_condense(vida_equations* equations, VidaError* error) {
  const int code = vida__multiplier_equations_create(equations->system, equations->has_identity,
                                                     &equations->condensed);
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int vida__equations_join(vida_equations* equations, VidaError* error) {
  const int code = vida__motion_tape_create(equations->system, &equations->motion);
  equations->is_joined = true;
  if (equations->linear) {
    vida__linear_expect_symmetric(equations->linear);
  }
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

static void forget_marks(vida_equations* equations) {
  equations->redundant = equations->may_condense = equations->has_open_reactions = false;
  memset(equations->shift, 0, (size_t)equations->system->row_count * sizeof *equations->shift);
}

/* Finds the shifts of dependent rows. */
static int find_shifts(vida_equations* equations, double t, const double* q, const double* v) {
  const VidaSystem* system = equations->system;
  double* mass = equations->work;
  int code = require_linear(equations, &equations->evaluator.error);
  if (code) {
    return code;
  }
  code = vida__find_masses(&equations->evaluator, t, q, v, equations->linear->values, mass);
  for (int i = 0; i < system->coordinate_count && equations->has_identity; i++) {
    mass[i] = equations->unit ? 1.0 / (equations->unit[i] * equations->unit[i]) : 1.0;
  }
  for (int e = 0; e < system->entry_count; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    equations->shift[entry->row] +=
        regularization * equations->entries[e] * equations->entries[e] / mass[entry->coordinate];
  }
  vida__rank_narrow_shift(equations->rank, equations->entries, mass, equations->shift);
  return code;
}

/* For independent rows with the entries of G. */
static void decide_condensing(vida_equations* equations) {
  equations->may_condense = equations->condensed && vida__multiplier_equations_start(
                                                        equations->condensed, equations->entries);
}

int vida__equations_mark(vida_equations* equations, double t, const double* q, const double* v) {
  forget_marks(equations);
  if (!equations->rank) {
    return VIDA_SUCCESS;
  }
  int code = vida__jacobian(&equations->evaluator, t, q, equations->entries);
  code = code ? code
              : vida__rank_find(equations->rank, equations->entries, &equations->evaluator.error);
  equations->redundant = !code && vida__rank_dependent_count(equations->rank) > 0;
  equations->has_open_reactions =
      equations->redundant && equations->system->has_reactive_forces &&
      !vida__rank_determines(equations->rank, equations->system->reaction_rows,
                             equations->system->reaction_count);
  if (equations->redundant) {
    code = find_shifts(equations, t, q, v);
  } else if (!code) {
    decide_condensing(equations);
  }
  return code;
}

int vida__equations_mark_independent(vida_equations* equations, double t, const double* q) {
  forget_marks(equations);
  const int code = vida__jacobian(&equations->evaluator, t, q, equations->entries);
  if (!code) {
    decide_condensing(equations);
  }
  return code;
}

bool vida__equations_is_redundant(const vida_equations* equations) {
  return equations->redundant;
}

vida_rank* vida__equations_rank(vida_equations* equations) {
  return equations->rank;
}

long vida__equations_factor_entries(const vida_equations* equations) {
  return equations->linear ? vida__linear_factor_entries(equations->linear) : -1;
}

static int add_masses(vida_equations* equations, double t, const double* q, const double* v) {
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  double* matrix = equations->linear->values;
  if (equations->has_motion) {
    const vida_place at = vida__place(&equations->evaluator, t, q, v);
    return vida__motion_tape_add_masses(equations->motion, &at, matrix);
  }
  return vida__add_hessian(&equations->evaluator, t, q, v, mass_only, matrix);
}

/* A quaternion has no mass along itself, where its norm determines the motion. So its masses alone
 * are singular, and elimination would fail. Adds c G_r^T G_r for the row r of the norm, with the
 * mean mass of the quaternion for c. The solution x remains the same; c G_r x is taken from the
 * multiplier. */
static void add_norm_masses(vida_equations* equations, const double* rows, double* matrix) {
  for (int k = 0; k < equations->norm_count; k++) {
    vida_norm_row* norm = &equations->norms[k];
    const double *gradient = equations->entries + norm->entry, *row = rows + norm->entry;
    double trace = 0.0, square = 0.0;
    for (int i = 0; i < 4; i++) {
      trace += fabs(matrix[norm->slot[i][i]]);
      square += gradient[i] * gradient[i];
    }
    norm->mass = square > 0.0 ? 0.25 * trace / square : 0.0;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        matrix[norm->slot[i][j]] += norm->mass * (gradient[i] * row[j]);
      }
    }
  }
}

/* Factors the matrix of all unknowns with the entries of G, and `rows` for those of its lower
 * block.
 */
static int factor_all(vida_equations* equations, double t, const double* q, const double* v,
                      const double* rows) {
  const VidaSystem* system = equations->system;
  equations->is_condensed = false;
  int code = require_linear(equations, &equations->evaluator.error);
  if (code) {
    return code;
  }
  double* matrix = equations->linear->values;
  vida__linear_clear(equations->linear);
  if (!equations->has_identity) {
    code = add_masses(equations, t, q, v);
  }
  equations->has_norm_masses = !equations->has_identity && !equations->redundant;
  if (!code && equations->has_norm_masses) {
    add_norm_masses(equations, rows, matrix);
  }
  for (int i = 0; i < system->coordinate_count && equations->has_identity; i++) {
    matrix[system->mass_slot[i]] = 1.0;
  }
  for (int e = 0; e < system->entry_count && equations->unit; e++) {
    equations->scaled[e] = equations->entries[e] * equations->unit[system->entries[e].coordinate];
  }
  vida__add_columns(system, equations->unit ? equations->scaled : equations->entries, 1.0, matrix);
  vida__add_rows(system, equations->unit ? equations->scaled : rows, 1.0, matrix);
  for (int r = 0; r < system->row_count && equations->redundant; r++) {
    matrix[vida__constraint_diagonal(system, r)] -= equations->shift[r];
  }
  code = code ? code : vida__linear_factor(equations->linear);
  equations->is_prepared = equations->is_prepared || !code;
  return code;
}

/* Unless it is large, the matrix of all unknowns is factored at first, too, so that later it
 * allocates nothing where the condensed one fails. */
static int factor(vida_equations* equations, double t, const double* q, const double* v,
                  const double* rows) {
  const double* entries = equations->entries;
  if (!equations->may_condense || !(equations->is_prepared || waits_with_all(equations))) {
    const int code = factor_all(equations, t, q, v, rows);
    if (code || !equations->may_condense) {
      return code;
    }
  }
  equations->is_condensed =
      rows == entries ? vida__multiplier_equations_factor(equations->condensed, entries)
                      : vida__multiplier_equations_factor_rows(equations->condensed, entries, rows);
  return equations->is_condensed ? VIDA_SUCCESS : factor_all(equations, t, q, v, rows);
}

int vida__equations_factor(vida_equations* equations, double t, const double* q, const double* v) {
  const vida_place at = vida__place(&equations->evaluator, t, q, v);
  equations->has_motion = equations->motion && !vida__motion_tape_run(equations->motion, &at);
  const int code = equations->has_motion
                       ? vida__motion_tape_jacobian(equations->motion, &at, equations->entries)
                       : vida__jacobian(&equations->evaluator, t, q, equations->entries);
  return code ? code : factor(equations, t, q, v, equations->entries);
}

int vida__equations_factor_rows(vida_equations* equations, double t, const double* q,
                                const double* v, const double* columns, const double* rows) {
  const size_t bytes = (size_t)equations->system->entry_count * sizeof *columns;
  const vida_place at = vida__place(&equations->evaluator, t, q, v);
  int code = VIDA_SUCCESS;
  equations->has_motion = equations->motion && !vida__motion_tape_run(equations->motion, &at);
  if (columns) {
    memcpy(equations->entries, columns, bytes);
  } else {
    code = equations->has_motion
               ? vida__motion_tape_jacobian(equations->motion, &at, equations->entries)
               : vida__jacobian(&equations->evaluator, t, q, equations->entries);
  }
  return code ? code : factor(equations, t, q, v, rows);
}

int vida__equations_motion_force(vida_equations* equations, double t, const double* q,
                                 const double* v, double* force, double* work) {
  if (equations->has_motion) {
    const vida_place at = vida__place(&equations->evaluator, t, q, v);
    double* bias = work + equations->system->coordinate_count;
    return vida__motion_tape_bias(equations->motion, &at, force, bias, work);
  }
  return vida__motion_force(&equations->evaluator, t, q, v, force, work);
}

int vida__equations_motion_bias(vida_equations* equations, double t, const double* q,
                                const double* v, double* force, double* bias, double* work) {
  if (equations->has_motion) {
    const vida_place at = vida__place(&equations->evaluator, t, q, v);
    return vida__motion_tape_bias(equations->motion, &at, force, bias, work);
  }
  return vida__motion_bias(&equations->evaluator, t, q, v, force, bias, work);
}

int vida__equations_factor_with(vida_equations* equations, double t, const double* q,
                                const double* v, const double* entries) {
  equations->has_motion = false;
  memcpy(equations->entries, entries,
         (size_t)equations->system->entry_count * sizeof *equations->entries);
  return factor(equations, t, q, v, equations->entries);
}

const double* vida__equations_jacobian(const vida_equations* equations) {
  return equations->entries;
}

/* Solves for independent rows, and removes the effect of the masses of norms. */
static int solve_regular(vida_equations* equations, const double* right_side, double* x) {
  const int n = equations->system->coordinate_count;
  double* removed = equations->solution;
  for (int k = 0; k < equations->norm_count; k++) { /* x may be the right-hand side */
    removed[k] = equations->norms[k].mass * right_side[n + equations->norms[k].row];
  }
  const int code = vida__linear_solve(equations->linear, right_side, x);
  for (int k = 0; k < equations->norm_count && equations->has_norm_masses; k++) {
    x[n + equations->norms[k].row] += removed[k];
  }
  return code;
}

/* With dependent rows, further passes remove the effect of the shift. Undetermined components of
 * the multipliers stay zero, so the multipliers have the least norm. */
int vida__equations_solve(vida_equations* equations, const double* right_side, double* x) {
  enum { PASSES = 3 };
  const int n = equations->system->coordinate_count, m = equations->system->row_count;
  const size_t size = (size_t)(n + m) * sizeof *x;
  if (equations->is_condensed) {
    return vida__multiplier_equations_solve(equations->condensed, right_side, x)
               ? VIDA_SUCCESS
               : VIDA_STEP_SINGULAR;
  }
  if (!equations->redundant) {
    return solve_regular(equations, right_side, x);
  }
  int code = VIDA_SUCCESS;
  double* work = equations->solution;
  memset(work, 0, size);
  for (int pass = 0; pass < PASSES && !code; pass++) {
    for (int r = 0; r < m; r++) {
      work[n + r] = right_side[n + r] - equations->shift[r] * work[n + r];
    }
    memcpy(work, right_side, (size_t)n * sizeof *work);
    code = vida__linear_solve(equations->linear, work, work);
  }
  memcpy(x, work, size);
  return code;
}

static int solve_in_place(void* equations, double* x) {
  return vida__equations_solve(equations, x, x);
}

int vida__equations_solve_motion(vida_equations* equations, double t, const double* q,
                                 const double* v, double* x) {
  if (!equations->reactions) {
    return vida__equations_solve(equations, x, x);
  }
  return equations->has_open_reactions
             ? vida__fail_dependent_reactions(equations->system, &equations->evaluator.error)
             : vida__reactions_solve(equations->reactions, &equations->evaluator, t, q, v,
                                     solve_in_place, equations, x);
}

int vida__equations_correct(vida_equations* equations, const double* s, double* x) {
  const size_t n = (size_t)equations->system->coordinate_count;
  const size_t m = (size_t)equations->system->row_count;
  double* side = equations->right_side;
  if (equations->is_condensed) {
    return vida__multiplier_equations_correct(equations->condensed, s, x) ? VIDA_SUCCESS
                                                                          : VIDA_STEP_SINGULAR;
  }
  memset(side, 0, n * sizeof *side);
  memcpy(side + n, s, m * sizeof *s);
  const int code = vida__equations_solve(equations, side, side);
  memcpy(x, side, n * sizeof *x);
  return code;
}

int vida__equations_find(vida_equations* equations, double t, const double* q, const double* v,
                         const double* correction, double* a, double* lambda) {
  const int n = equations->system->coordinate_count, m = equations->system->row_count;
  double* r = equations->right_side;
  int code = vida__equations_factor(equations, t, q, v);
  code = code ? code : vida__equations_motion_bias(equations, t, q, v, r, r + n, equations->work);
  for (int i = 0; i < m; i++) {
    r[n + i] = (correction ? correction[i] : 0.0) - r[n + i];
  }
  code = code ? code : vida__equations_solve_motion(equations, t, q, v, r);
  if (!code) {
    memcpy(a, r, (size_t)n * sizeof *a);
    if (m > 0) {
      memcpy(lambda, r + n, (size_t)m * sizeof *lambda);
    }
  }
  return code;
}

vida_evaluator* vida__equations_evaluator(vida_equations* equations) {
  return &equations->evaluator;
}

bool vida__equations_append_undetermined(const vida_equations* equations, char* text, size_t size) {
  /* Pivots that are not small leave nothing undetermined. */
  return !equations->is_condensed && equations->linear &&
         vida__append_singular(equations->system, equations->linear->values, text, size);
}

int vida__equations_failed(vida_equations* equations, int code, VidaError* error) {
  const bool is_told = equations->reactions && *equations->evaluator.error.message;
  if (code == VIDA_STEP_SINGULAR && !is_told) {
    vida__fail(error, code,
               "system '%s': mass matrix and constraints do not determine the accelerations",
               equations->system->name);
    if (error) {
      vida__equations_append_undetermined(equations, error->message, VIDA_MESSAGE_SIZE);
    }
    return code;
  }
  const char* message = equations->evaluator.error.message;
  return vida__fail(error, code, "%s", *message ? message : Vida_CodeText(code));
}

int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q, const double* v,
                             double* a, double* lambda, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, q, v, a) ||
      (system->row_count > 0 && VIDA_REFUSE_NULL(error, lambda))) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_equations* equations = NULL;
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  int code = vida__equations_create(system, VIDA_SOLVER_AUTO, &equations, error);
  if (code) {
    return code;
  }
  code = vida__equations_mark(equations, t, q, v);
  code = code ? code : vida__equations_find(equations, t, q, v, NULL, a, lambda);
  if (code) {
    vida__equations_failed(equations, code, error);
  }
  vida__equations_destroy(&equations);
  return code;
}

void vida__equations_record(vida_equations* equations, VidaRecord* record) {
  if (!equations) {
    return;
  }
  const size_t n = (size_t)equations->system->coordinate_count;
  const size_t m = (size_t)equations->system->row_count;
  bool has_linear = equations->linear != NULL;
  bool* flags[] = {&equations->redundant,    &equations->has_open_reactions,
                   &equations->may_condense, &equations->is_condensed,
                   &equations->is_prepared,  &equations->has_norm_masses};
  vida__record_part(record, "equations of accelerations");
  for (size_t k = 0; k < sizeof flags / sizeof *flags; k++) {
    VidaRecord_Flag(record, flags[k]);
  }
  VidaRecord_Reals(record, equations->entries, (size_t)equations->system->entry_count);
  VidaRecord_Reals(record, equations->right_side, n + m);
  VidaRecord_Reals(record, equations->solution, n + m);
  VidaRecord_Reals(record, equations->shift, m);
  VidaRecord_Reals(record, equations->work, n);
  VidaRecord_Flag(record, &has_linear);
  VidaError reason;
  if (has_linear && require_linear(equations, &reason)) {
    vida__record_fail_memory(record);
  } else if (has_linear) {
    vida__linear_record(equations->linear, record);
  }
  vida__multiplier_equations_record(equations->condensed, record);
  vida__reactions_record(equations->reactions, record);
  if (VidaRecord_IsLoading(record)) {
    equations->has_motion = false; /* it is used right after a factorization only */
  }
}
