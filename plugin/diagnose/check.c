/* A check: the start, sizes, rank and constants. Derivatives and symmetries have separate files. */
#include "diagnose/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/constraints/equations.h"

enum {
  MOST_EXPLAINED = 20, /* dependent rows that are listed individually */
  MOST_PARTNERS = 5    /* of those that one depends on */
};

void vida__check_find(VidaCheck* check, VidaSeverity severity, const char* subject,
                      const char* format, ...) {
  void* findings = check->findings;
  const int code = vida__reserve(&findings, &check->finding_capacity,
                                 (size_t)check->finding_count + 1, sizeof *check->findings);
  check->findings = findings;
  if (code) {
    check->out_of_memory = true;
    return;
  }
  VidaFinding* finding = &check->findings[check->finding_count++];
  va_list list;
  memset(finding, 0, sizeof *finding);
  finding->severity = severity;
  vida__append(finding->subject, sizeof finding->subject, "%s", subject);
  va_start(list, format);
  if (vsnprintf(finding->message, sizeof finding->message, format, list) >=
      (int)sizeof finding->message) {
    vida__truncate_at_word(finding->message, sizeof finding->message);
  }
  va_end(list);
}

double vida__check_number(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

/* ---- the start ------------------------------------------------------------------------------- */

/* Without a consistent start, derivatives can still be checked at the given values. */
static void take_given_values(VidaCheck* check) {
  const VidaSystem* system = check->system;
  for (int i = 0; i < system->coordinate_count; i++) {
    const double q = system->coordinates[i].position.value;
    const double v = system->coordinates[i].velocity.value;
    check->q[i] = isfinite(q) ? q : 0.0;
    check->v[i] = isfinite(v) ? v : 0.0;
  }
}

/* `work` (2 n) and `entries` are work space. */
static void find_scales(VidaCheck* check, double* work, double* entries) {
  const VidaSystem* system = check->system;
  vida__find_start_sizes(&check->evaluator, entries, work, check->scale, &check->extent);
  if (check->extent.away > 0.0) {
    return; /* positions say where the system is, and not how large */
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    check->scale[i] = 0.0;
    double* largest = &check->scale[system->coordinates[i].alike];
    *largest = fmax(*largest, fabs(check->q[i]));
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const double largest = check->scale[system->coordinates[i].alike];
    check->scale[i] = largest > 0.0 ? largest : 1.0;
  }
}

static bool can_evaluate(VidaCheck* check, const double* q, const double* v, double* work,
                         double* entries) {
  const VidaSystem* system = check->system;
  const int n = system->coordinate_count;
  if (vida__gradient(&check->evaluator, check->t, q, v, work, work + n) ||
      vida__jacobian(&check->evaluator, check->t, q, entries)) {
    return false;
  }
  return vida__are_finite(work, 2 * n);
}

/* A state near the start, as far away as it can be evaluated. */
static bool find_near(VidaCheck* check, double* work, double* entries) {
  static const double distance[] = {0.03, 1e-3, 0.0};
  const int n = check->system->coordinate_count;
  for (size_t k = 0; k < sizeof distance / sizeof distance[0]; k++) {
    unsigned long long seed = 20250301;
    for (int i = 0; i < n; i++) {
      const double away = distance[k] * check->scale[i];
      check->q_near[i] = check->q[i] + away * vida__check_number(&seed);
      check->v_near[i] = check->v[i] + (10.0 * away + 0.1 * distance[k] * fabs(check->v[i])) *
                                           vida__check_number(&seed);
    }
    if (can_evaluate(check, check->q_near, check->v_near, work, entries)) {
      return true;
    }
  }
  return false;
}

/* ---- sizes and rank -------------------------------------------------------------------------- */

static void find_dependent_rows(VidaCheck* check, vida_rank* rank, double* weight) {
  const VidaSystem* system = check->system;
  const size_t m = (size_t)system->row_count;
  const int count = vida__rank_dependent_count(rank);
  for (int k = 0; k < count && k < MOST_EXPLAINED; k++) {
    const int row = vida__rank_dependent(rank)[k];
    char others[VIDA_MESSAGE_SIZE / 2] = "";
    vida_name_list names = {others, sizeof others, MOST_PARTNERS, 0};
    vida__rank_combination(rank, k, weight, weight + m);
    for (int r = 0; r < system->row_count; r++) {
      if (r != row && weight[m + (size_t)r] > 1e-6) {
        vida__list_name(&names, system->rows[r].name);
      }
    }
    vida__end_list(&names);
    if (names.count == 0) {
      vida__check_find(check, VIDA_SEVERITY_ERROR, system->rows[row].name,
                       "its gradient vanishes at the start");
    } else {
      vida__check_find(check, VIDA_SEVERITY_WARNING, system->rows[row].name,
                       "this row depends on %s: it is redundant, and multipliers are not unique",
                       others);
    }
  }
  if (count > MOST_EXPLAINED) {
    char others[VIDA_MESSAGE_SIZE / 2] = "";
    vida__append_rows(system, vida__rank_dependent(rank) + MOST_EXPLAINED, count - MOST_EXPLAINED,
                      others, sizeof others);
    vida__check_find(check, VIDA_SEVERITY_WARNING, "constraints",
                     "%d of %d rows depend on others; besides those above %s", count,
                     system->row_count, others);
  }
}

static void find_near_row(VidaCheck* check, const vida_rank* rank) {
  double distance;
  char number[VIDA_REAL_TEXT_SIZE];
  const int row = vida__rank_near_row(rank, &distance);
  if (row >= 0) {
    vida__check_find(check, VIDA_SEVERITY_WARNING, check->system->rows[row].name,
                     "this row nearly depends on others, but for %s of its gradient: methods may "
                     "take it as dependent or as a constraint of its own, and then move "
                     "differently; make it exact, or remove it",
                     vida__real_text(number, distance, 2));
  }
}

static void judge_rank(VidaCheck* check, vida_rank* rank, double* weight) {
  const VidaSystem* system = check->system;
  check->numbers.rank = system->row_count - (rank ? vida__rank_dependent_count(rank) : 0);
  check->numbers.degrees_of_freedom = system->coordinate_count - check->numbers.rank;
  if (rank) {
    find_dependent_rows(check, rank, weight);
    find_near_row(check, rank);
  }
}

/* With constraints, the matrix of a step can be regular although the accelerations are not
 * determined; this is then only a warning. */
static void report_singular(VidaCheck* check, const char* open) {
  if (check->system->row_count == 0) {
    vida__check_find(
        check, VIDA_SEVERITY_ERROR, "mass matrix",
        "it is singular at the start: some combination of rates has no kinetic energy%s", open);
  } else {
    vida__check_find(
        check, VIDA_SEVERITY_WARNING, "mass matrix",
        "mass matrix and constraints do not determine the accelerations at the start%s", open);
  }
}

/* Finds the rank of G at the start, whether the matrix of the equations of motion is regular, and
 * the number of entries of its factors. */
static int find_rank(VidaCheck* check, VidaError* error) {
  const VidaSystem* system = check->system;
  vida_equations* equations = NULL;
  VidaError problem = {0};
  double* weight = vida__allocate(2 * (size_t)system->row_count, sizeof *weight);
  int code = weight ? vida__equations_create(system, VIDA_SOLVER_AUTO, &equations, &problem)
                    : vida__fail_memory(&problem);
  if (code) {
    free(weight);
    return vida__fail(error, code, "%s", problem.message);
  }
  vida_rank* rank = vida__equations_rank(equations);
  if (system->row_count > 0 && !rank) {
    vida__check_find(check, VIDA_SEVERITY_WARNING, "constraints", "%s", problem.message);
  }
  code = vida__equations_mark(equations, check->t, check->q, check->v);
  if (!code && (rank || system->row_count == 0)) {
    judge_rank(check, rank, weight);
  }
  code = code ? code : vida__equations_factor(equations, check->t, check->q, check->v);
  /* A matrix that is singular within rounding has factors. */
  char open[VIDA_MESSAGE_SIZE / 2] = "";
  const bool may_be_open =
      code == VIDA_STEP_SINGULAR || (!code && !vida__equations_is_redundant(equations));
  const bool is_open =
      may_be_open && vida__equations_append_undetermined(equations, open, sizeof open);
  if (code == VIDA_STEP_SINGULAR || is_open) {
    report_singular(check, open);
  } else if (!code) {
    check->numbers.factor_entries = vida__equations_factor_entries(equations);
  }
  vida__equations_destroy(&equations);
  free(weight);
  return VIDA_SUCCESS; /* what cannot be evaluated has been found before */
}

static void count_sizes(VidaCheck* check) {
  const VidaSystem* system = check->system;
  VidaCheckNumbers* numbers = &check->numbers;
  numbers->coordinates = system->coordinate_count;
  numbers->constraints = system->row_count;
  for (int r = 0; r < system->row_count; r++) {
    numbers->nonholonomic += system->rows[r].is_nonholonomic;
  }
  numbers->jacobian_entries = system->entry_count;
  numbers->matrix_entries = system->pattern.entries;
  numbers->factor_entries = -1;
  numbers->rank = numbers->degrees_of_freedom = -1;
  numbers->energy = (double)NAN;
  numbers->energy_is_constant = !vida__has_energy_sources(system);
}

static void find_constants(VidaCheck* check, double* work) {
  const VidaSystem* system = check->system;
  const int n = system->coordinate_count;
  double energy = 0.0;
  if (!vida__energy(&check->evaluator, check->t, check->q, check->v, work, work + n, &energy) &&
      isfinite(energy)) {
    check->numbers.energy = energy;
  }
  for (int k = 0; k < VIDA_LARGEST_MOMENTUM_COUNT; k++) {
    check->momenta[k] = (double)NAN;
  }
  if (!vida__gradient(&check->evaluator, check->t, check->q, check->v, work, work + n)) {
    VidaSystem_Momentum(system, check->q, work + n, check->momenta);
  }
}

/* Finds the plan of steps of rattle. What it refuses is no finding. */
static int find_plan(VidaCheck* check, VidaError* error) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  int code = VidaOptions_Create("rattle", &options, NULL);
  code = code ? code : VidaOptions_SetReal(options, "h", 1e-3, NULL);
  code = code ? code : VidaStepper_Create(check->system, options, &stepper, NULL);
  code = code ? code : VidaStepper_Start(stepper, check->t, check->q, check->v, NULL);
  code = code ? code : VidaStepper_Plan(stepper, &check->numbers.plan, NULL);
  if (code) {
    check->numbers.plan = (VidaStepPlan){.factor_entries = -1};
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return code == VIDA_OUT_OF_MEMORY ? vida__fail_memory(error) : VIDA_SUCCESS;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* Starts a stepper of a method. */
static int try_start(const VidaCheck* check, const char* method, VidaError* error) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  int code = VidaOptions_Create(method, &options, error);
  code = code ? code : VidaOptions_SetReal(options, "h", fmax(1e-3, 1e-9 * fabs(check->t)), error);
  code = code ? code : VidaStepper_Create(check->system, options, &stepper, error);
  code = code ? code : VidaStepper_Start(stepper, check->t, check->q, check->v, error);
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return code;
}

/* A system that no method can start is one without a motion from there, as that of a straight
 * molecule whose rods depend on each other. The first method that accepts the system says why. */
static int check_methods(VidaCheck* check, VidaError* error) {
  static const char* const usual[] = {"rattle", "radau", "ida-ggl"};
  const char* told = NULL;
  VidaError reason = {0};
  const int first = (int)(sizeof usual / sizeof *usual);
  for (int i = 0; i < first + Vida_MethodCount(); i++) {
    const char* method = i < first ? usual[i] : Vida_MethodInfo(i - first)->name;
    const int code = try_start(check, method, NULL);
    if (!code) {
      return VIDA_SUCCESS;
    }
    if (code == VIDA_OUT_OF_MEMORY) {
      return vida__fail_memory(error);
    }
    told = told || code == VIDA_NOT_SUPPORTED ? told : method;
  }
  told = told ? told : usual[0];
  if (try_start(check, told, &reason)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "start", "no method can start there; %s: %s", told,
                     reason.message);
  }
  return VIDA_SUCCESS;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int make_parts(VidaCheck* check, VidaError* error) {
  const VidaSystem* system = check->system;
  const int count = system->term_batch_count + system->constraint_batch_count;
  check->parts = vida__allocate((size_t)count, sizeof *check->parts);
  if (!check->parts) {
    return vida__fail_memory(error);
  }
  check->part_count = count;
  for (int b = 0; b < count; b++) {
    VidaCheckPart* part = &check->parts[b];
    const vida_functions* functions;
    part->first = part->second = part->discrete = part->equivariance = (double)NAN;
    if (b < system->term_batch_count) {
      const vida_term_batch* batch = &system->term_batches[b];
      functions = batch->functions;
      part->kind = batch->kernel->kind;
      part->instances = batch->count;
      part->width = batch->width;
    } else {
      const vida_constraint_batch* batch =
          &system->constraint_batches[b - system->term_batch_count];
      functions = batch->functions;
      part->kind = batch->kernel->kind;
      part->instances = batch->count;
      part->width = batch->width;
      /* Names of joints, with which the names of their rows begin: "hinge: x". */
      if (functions || batch->count == 1) {
        part->name = system->rows[batch->row[0]].name;
        continue;
      }
    }
    part->name = functions ? functions->name : part->kind;
  }
  return VIDA_SUCCESS;
}

/* A drive, which moves parts without degrees of freedom. */
static bool has_timed_constraint(const VidaCheck* check) {
  bool timed = check->system->time_dependent;
  for (int b = 0; b < check->system->constraint_batch_count; b++) {
    const vida_functions* functions = check->system->constraint_batches[b].functions;
    timed = timed || (functions && functions->timed);
  }
  return timed;
}

static int carry_out(VidaCheck* check, const VidaStartOptions* options, double* work,
                     double* entries, VidaError* error) {
  const VidaSystem* system = check->system;
  VidaError problem = {0};
  const int start =
      VidaSystem_Start(system, check->t, options, check->q, check->v, check->notes, &problem);
  if (start == VIDA_OUT_OF_MEMORY) {
    return vida__fail_memory(error);
  }
  if (start) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "start", "%s", problem.message);
    take_given_values(check);
  }
  check->evaluator.error.message[0] = '\0';
  if (!start && !can_evaluate(check, check->q, check->v, work, entries)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "start", "forces have no finite value there%s%s",
                     *check->evaluator.error.message ? ": " : "", check->evaluator.error.message);
  }
  find_scales(check, work, entries);
  int code = VIDA_SUCCESS;
  if (!find_near(check, work, entries)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "start", "the model cannot be evaluated there: %s",
                     check->evaluator.error.message);
  } else {
    code = vida__check_derivatives(check, error);
    code = code ? code : vida__check_symmetry(check, error);
    code = code ? code : vida__check_rows(check, error);
    vida__check_events(check);
    code = code ? code : vida__check_contacts(check, error);
    code = code ? code : find_rank(check, error);
    code = code ? code : find_plan(check, error);
    const bool has_started = check->numbers.plan.name != NULL; /* rattle has */
    code = code || start || has_started ? code : check_methods(check, error);
  }
  find_constants(check, work);
  if (check->numbers.degrees_of_freedom == 0 && has_timed_constraint(check)) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, "constraints",
                     "they leave no degree of freedom: the constraints prescribe the motion");
  } else if (check->numbers.degrees_of_freedom == 0) {
    vida__check_find(check, VIDA_SEVERITY_WARNING, "constraints",
                     "they leave no degree of freedom: nothing can move");
  }
  return code;
}

int VidaCheck_Create(const VidaSystem* system, double t, const VidaStartOptions* options,
                     VidaCheck** check, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, check)) {
    return VIDA_BAD_ARGUMENT;
  }
  *check = NULL;
  if (VIDA_REFUSE_NULL(error, system)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  const size_t n = (size_t)system->coordinate_count;
  VidaCheck* created = vida__allocate(1, sizeof *created);
  double* work = vida__allocate(2 * n, sizeof *work);
  double* entries = vida__allocate((size_t)system->entry_count, sizeof *entries);
  int code = created && work && entries ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code) {
    created->system = system;
    created->t = t;
    created->q = vida__allocate(5 * n, sizeof(double));
    code = created->q ? VIDA_SUCCESS : vida__fail_memory(error);
  }
  if (!code) {
    created->v = created->q + n;
    created->q_near = created->v + n;
    created->v_near = created->q_near + n;
    created->scale = created->v_near + n;
    count_sizes(created);
    code = vida__evaluator_create(system, &created->evaluator, error);
    created->evaluator.multipliers = created->evaluator.trial;
  }
  code = code ? code : make_parts(created, error);
  code = code ? code : carry_out(created, options, work, entries, error);
  if (!code && created->out_of_memory) {
    code = vida__fail_memory(error);
  }
  free(work);
  free(entries);
  if (code) {
    VidaCheck_Destroy(&created);
  }
  *check = created;
  return code;
}

void VidaCheck_Destroy(VidaCheck** check) {
  VidaCheck* old = check ? *check : NULL;
  if (!old) {
    return;
  }
  vida__evaluator_destroy(&old->evaluator);
  free(old->findings);
  free(old->parts);
  free(old->q);
  free(old);
  *check = NULL;
}

VidaCheckNumbers VidaCheck_Numbers(const VidaCheck* check) {
  const VidaCheckNumbers unknown = {.factor_entries = -1,
                                    .rank = -1,
                                    .degrees_of_freedom = -1,
                                    .energy = (double)NAN,
                                    .plan = {.factor_entries = -1}};
  return check ? check->numbers : unknown;
}

const char* VidaCheck_Notes(const VidaCheck* check) {
  return check ? check->notes : "";
}

int VidaCheck_FindingCount(const VidaCheck* check) {
  return check ? check->finding_count : 0;
}

const VidaFinding* VidaCheck_Finding(const VidaCheck* check, int index) {
  return check && index >= 0 && index < check->finding_count ? &check->findings[index] : NULL;
}

VidaSeverity VidaCheck_Worst(const VidaCheck* check) {
  VidaSeverity worst = VIDA_SEVERITY_NOTE;
  for (int i = 0; check && i < check->finding_count; i++) {
    const VidaSeverity own = check->findings[i].severity;
    worst = own > worst ? own : worst;
  }
  return worst;
}

int VidaCheck_PartCount(const VidaCheck* check) {
  return check ? check->part_count : 0;
}

const VidaCheckPart* VidaCheck_Part(const VidaCheck* check, int index) {
  return check && index >= 0 && index < check->part_count ? &check->parts[index] : NULL;
}

double VidaCheck_Momentum(const VidaCheck* check, int index) {
  return check && index >= 0 && index < check->system->momentum_count ? check->momenta[index]
                                                                      : (double)NAN;
}
