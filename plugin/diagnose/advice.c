#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/advice.h>
#include <vida/event.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "diagnose/atlas.h"
#include "stepper/frame.h"
#include "stepper/hybrid/hybrid.h"
#include "study/study.h"
#include "system/constraints/distances.h"
#include "system/constraints/equations.h"
#include "system/contacts/contacts.h"

/* The largest number of unknowns for which methods are tried, about a second for all: some use
 * dense matrices, in a time that grows with the third power. */
enum { MOST_TRIED = 500 };
/* In small systems with events each method makes EVENT_STEPS steps. */
enum { EVENT_STEPS = 100, MOST_RUN = 40 };
enum { MOST_ITERATIONS = 300, STEPS_PER_PERIOD = 50, STEPS_AT_LEAST = 100 };
static const double converged = 1e-4;
static const double two_pi = 6.283185307179586476925286766559;

/* The system at its start, and work space. */
typedef struct start_state {
  const VidaSystem* system;
  vida_equations* equations;
  double t;
  double *q, *v, *a, *lambda;                             /* n, n, n, m */
  double *mass, *stiffness, *damping;                     /* values in the KKT pattern */
  double *x, *y, *right_side, *force[3], *bias[3], *work; /* n + m each */
  double* block;
} start_state;

static int allocate(start_state* state) {
  const size_t n = (size_t)state->system->coordinate_count;
  const size_t m = (size_t)state->system->row_count,
               entries = (size_t)state->system->pattern.entries;
  const vida_array arrays[] = {{&state->q, n},
                               {&state->v, n},
                               {&state->a, n},
                               {&state->lambda, m},
                               {&state->mass, entries},
                               {&state->stiffness, entries},
                               {&state->damping, entries},
                               {&state->x, n + m},
                               {&state->y, n + m},
                               {&state->right_side, n + m},
                               {&state->force[0], n},
                               {&state->force[1], n},
                               {&state->force[2], n},
                               {&state->bias[0], m},
                               {&state->bias[1], m},
                               {&state->bias[2], m},
                               {&state->work, n + m}};
  state->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  return state->block ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

/* ---- products with the upper left block of the KKT pattern ----------------------------------- */

static void multiply(const VidaSystem* system, const double* values, const double* x, double* y) {
  const vida_pattern* pattern = &system->pattern;
  const int n = system->coordinate_count;
  memset(y, 0, (size_t)n * sizeof *y);
  for (int column = 0; column < n; column++) {
    for (long k = (long)pattern->column_start[column]; k < (long)pattern->column_start[column + 1];
         k++) {
      if (pattern->row[k] < n) {
        y[pattern->row[k]] += values[k] * x[column];
      }
    }
  }
}

/* Returns x^T M x; a motion without mass (a quaternion along itself) does not count as motion. */
static double mass_norm(start_state* state, const double* x) {
  double sum = 0.0;
  multiply(state->system, state->mass, x, state->work);
  for (int i = 0; i < state->system->coordinate_count; i++) {
    sum += x[i] * state->work[i];
  }
  return sum > 0.0 ? sqrt(sum) : 0.0;
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* The eigenvalue of largest size of M^-1 times the matrix, along the constraints, by power
 * iteration; x is left as its vector. With the sign of the eigenvalue, 0 where the matrix does
 * nothing. */
static int find_eigenvalue(start_state* state, const double* matrix, double* eigenvalue) {
  const int n = state->system->coordinate_count, m = state->system->row_count;
  double before = 0.0;
  *eigenvalue = 0.0;
  unsigned long long seed = 1;
  for (int i = 0; i < n; i++) { /* in no special direction */
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    state->right_side[i] = (double)(seed >> 33) / 4294967296.0 - 0.25;
  }
  multiply(state->system, state->mass, state->right_side, state->y);
  memcpy(state->right_side, state->y, (size_t)n * sizeof(double));
  for (int iteration = 0; iteration <= MOST_ITERATIONS; iteration++) {
    memset(state->right_side + n, 0, (size_t)m * sizeof(double));
    const int code = vida__equations_solve(state->equations, state->right_side, state->y);
    const double size = code ? 0.0 : mass_norm(state, state->y);
    if (code || !(size > 0.0)) {
      return code;
    }
    if (iteration > 0) { /* x had the size one */
      double product = 0.0;
      for (int i = 0; i < n; i++) {
        product += state->x[i] * state->right_side[i];
      }
      *eigenvalue = copysign(size, product);
    }
    for (int i = 0; i < n; i++) {
      state->x[i] = state->y[i] / size;
    }
    if (iteration > 1 && fabs(size - before) <= converged * size) {
      return code;
    }
    before = size;
    multiply(state->system, matrix, state->x, state->right_side);
  }
  return VIDA_SUCCESS;
}

/* Computes the acceleration that compensates the terms quadratic in the velocity u, relative to u:
 * |u| / radius for a circle. */
static int find_rotation(start_state* state, const double* u, double* rate) {
  const int n = state->system->coordinate_count, m = state->system->row_count;
  const double signs[3] = {1.0, -1.0, 0.0};
  vida_evaluator* evaluator = vida__equations_evaluator(state->equations);
  int code = VIDA_SUCCESS;
  *rate = 0.0;
  const double size = mass_norm(state, u);
  for (int k = 0; k < 3 && !code; k++) {
    for (int i = 0; i < n; i++) {
      state->x[i] = signs[k] * u[i];
    }
    code = vida__motion_bias(evaluator, state->t, state->q, state->x, state->force[k],
                             state->bias[k], state->work);
  }
  for (int i = 0; i < n + m && !code; i++) {
    double* const* parts = i < n ? state->force : state->bias;
    const int at = i < n ? i : i - n;
    const double quadratic = 0.5 * (parts[0][at] + parts[1][at]) - parts[2][at];
    state->right_side[i] = i < n ? quadratic : -quadratic;
  }
  code = code ? code : vida__equations_solve(state->equations, state->right_side, state->y);
  if (!code && size > 0.0) {
    *rate = mass_norm(state, state->y) / size;
  }
  return code;
}

static void find_angle_rates(const start_state* state, VidaRates* rates) {
  for (int i = 0; i < state->system->coordinate_count; i++) {
    if (strcmp(VidaSystem_CoordinateUnit(state->system, i), "rad") == 0) {
      rates->angles = fmax(rates->angles, fmax(fabs(state->v[i]), sqrt(fabs(state->a[i]))));
    }
  }
}

static void find_coordinate(const start_state* state, VidaRates* rates) {
  double largest = 0.0;
  for (int i = 0; i < state->system->coordinate_count; i++) {
    if (fabs(state->x[i]) > largest) {
      largest = fabs(state->x[i]);
      rates->coordinate = i;
    }
  }
}

/* Matrices at the start: M, -L_qq - f_q + lambda g_qq, and -f_v. */
static int evaluate(start_state* state) {
  const vida_hessian_weights vv = {0.0, 0.0, 0.0, 1.0}, qq = {-1.0, 0.0, 0.0, 0.0},
                             qv = {0.0, -1.0, 0.0, 0.0};
  vida_evaluator* evaluator = vida__equations_evaluator(state->equations);
  int code = vida__add_hessian(evaluator, state->t, state->q, state->v, vv, state->mass);
  code = code ? code
              : vida__add_hessian(evaluator, state->t, state->q, state->v, qq, state->stiffness);
  code = code ? code
              : vida__add_curvature(evaluator, state->t, state->q, 1.0, state->lambda,
                                    state->stiffness);
  return code ? code
              : vida__add_hessian_of(evaluator, VIDA_PART_FORCE, state->t, state->q, state->v, qv,
                                     state->damping);
}

static int find_rates(start_state* state, VidaRates* rates) {
  double eigenvalue = 0.0, squared = 0.0;
  rates->coordinate = -1;
  int code = evaluate(state);
  code = code ? code : find_eigenvalue(state, state->stiffness, &eigenvalue);
  if (!code && eigenvalue != 0.0) {
    rates->stiffness = sqrt(fabs(eigenvalue));
    rates->growing = eigenvalue < 0.0;
    find_coordinate(state, rates);
  }
  code = code ? code : find_eigenvalue(state, state->damping, &eigenvalue);
  rates->damping = code ? 0.0 : fabs(eigenvalue);
  code = code ? code : find_rotation(state, state->v, &rates->rotation);
  code = code ? code : find_rotation(state, state->a, &squared);
  rates->rotation_from_rest = sqrt(squared);
  find_angle_rates(state, rates);
  rates->largest = fmax(fmax(fmax(rates->stiffness, rates->damping),
                             fmax(rates->rotation, rates->rotation_from_rest)),
                        rates->angles);
  return code;
}

/* ---- the mass matrix ------------------------------------------------------------------------- */

/* Returns whether a solution with the factored mass matrix, in units in which its diagonal is 1, is
 * large beyond all bounds: rounding may leave a small pivot where the exact one is zero. */
static bool has_large_solution(const start_state* state, vida_linear* linear) {
  const VidaSystem* system = state->system;
  double largest = 0.0;
  memset(state->right_side, 0,
         (size_t)(system->coordinate_count + system->row_count) * sizeof(double));
  for (int i = 0; i < system->coordinate_count; i++) {
    const double sign = i % 2 ? -1.0 : 1.0;
    state->right_side[i] = (sign + 0.1 * (i % 7)) * sqrt(fabs(state->mass[system->mass_slot[i]]));
  }
  if (vida__linear_solve(linear, state->right_side, state->y)) {
    return true;
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const double scale = sqrt(fabs(state->mass[system->mass_slot[i]]));
    largest = fmax(largest, fabs(state->y[i]) * scale);
  }
  return largest > 1e12;
}

static bool is_singular(const start_state* state) {
  const VidaSystem* system = state->system;
  SUNContext context = NULL;
  vida_linear* linear = NULL;
  bool singular = false;
  if (vida__context_create(&context) == 0 &&
      vida__linear_create(context, &system->pattern, VIDA_SOLVER_AUTO, &linear, NULL) == 0) {
    vida__linear_clear(linear);
    memcpy(linear->values, state->mass, (size_t)system->pattern.entries * sizeof(double));
    for (int r = 0; r < system->row_count; r++) {
      linear->values[vida__constraint_diagonal(system, r)] = 1.0;
    }
    singular = vida__linear_factor(linear) != 0 || has_large_solution(state, linear);
  }
  vida__linear_destroy(&linear);
  if (context) {
    SUNContext_Free(&context);
  }
  return singular;
}

/* Returns whether M is another one at (t,x,v), relative to its largest entry; false if it cannot be
 * evaluated there. */
static bool is_other_mass(start_state* state, double t, const double* x, const double* v,
                          bool* is_known) {
  const vida_hessian_weights vv = {0.0, 0.0, 0.0, 1.0};
  const VidaSystem* system = state->system;
  double largest = 0.0, change = 0.0;
  memset(state->damping, 0, (size_t)system->pattern.entries * sizeof(double));
  *is_known =
      !vida__add_hessian(vida__equations_evaluator(state->equations), t, x, v, vv, state->damping);
  for (int k = 0; k < system->pattern.entries && *is_known; k++) {
    largest = fmax(largest, fabs(state->mass[k]));
    change = fmax(change, fabs(state->mass[k] - state->damping[k]));
  }
  return *is_known && change > 1e-10 * largest;
}

/* Returns whether M is another one nearby, with the values `from` (q or v of the state) moved by
 * different amounts, to one side or, where it cannot be evaluated there, to the other. */
static bool is_moving(start_state* state, const double* from) {
  bool is_known = false, moves = false;
  for (double side = 1.0; side > -2.0 && !is_known; side -= 2.0) {
    for (int i = 0; i < state->system->coordinate_count; i++) {
      const double size = fmax(fabs(from[i]), 0.1);
      state->x[i] = from[i] + side * 1e-3 * (1.0 + 0.1 * (i % 7)) * size;
    }
    moves = is_other_mass(state, state->t, from == state->q ? state->x : state->q,
                          from == state->v ? state->x : state->v, &is_known);
  }
  return moves;
}

/* Finds what a mass matrix that is not known to be constant depends on. */
static void find_mass_dependence(start_state* state, double time, VidaAdvice* advice) {
  bool unused;
  advice->moving_mass = is_moving(state, state->q);
  advice->mass_of_rates = is_moving(state, state->v);
  advice->mass_of_time = is_other_mass(state, state->t + 1e-3 * time, state->q, state->v, &unused);
}

static bool has_damping(const start_state* state) {
  for (int k = 0; k < state->system->pattern.entries; k++) {
    if (state->damping[k] != 0.0) {
      return true;
    }
  }
  return false;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* What a method has done. */
typedef struct attempt {
  bool accepted;
  int steps, events, busy_steps; /* of these steps, those with events */
} attempt;

static int count_event(const VidaEventRecord* record, void* data) {
  (void)record;
  ((attempt*)data)->events++;
  return 0;
}

/* Returns the number of steps of a trial: with events more than one, to meet some of them. */
static int steps_of_trial(const VidaAdvice* advice) {
  const bool has_events = advice->contacts + advice->couplings + advice->events > 0;
  const double all = nearbyint(advice->time / advice->step);
  return !advice->tried ? 0
         : has_events && advice->coordinates + advice->rows + advice->contacts <= MOST_RUN
             ? (int)fmin(EVENT_STEPS, all)
             : 1;
}

/* Makes the steps of a trial. The modes are those of all contacts and couplings, also of those that
 * the steps do not meet. */
static int make_attempt(const start_state* state, const VidaAdvice* advice,
                        const VidaOptions* options, attempt* made, VidaError* error) {
  VidaStepper* stepper = NULL;
  const int steps = steps_of_trial(advice);
  int code = vida__create_stepper(state->system, options, NULL, &stepper, error);
  code = code ? code : vida__hybrid_create(stepper, error);
  code = code ? code : vida__check_modes(stepper, error);
  if (!code && advice->tried) {
    code = vida__start_stepper(stepper, state->t, advice->step, state->q, state->v, error);
  }
  made->accepted = code == VIDA_SUCCESS;
  code = code ? code : VidaStepper_SetEventObserver(stepper, count_event, made, error);
  while (!code && made->steps < steps && !VidaStepper_HasEnded(stepper)) {
    const int before = made->events;
    code = VidaStepper_Step(stepper, error);
    made->steps += !code;
    made->busy_steps += made->events > before;
  }
  VidaStepper_Destroy(&stepper);
  return code;
}

/* The trials show which other methods accept the system; the error message need not list them. */
static void try_method(const start_state* state, const VidaAdvice* advice, VidaTrial* trial) {
  const VidaMethodInfo* info = trial->method;
  VidaOptions* options = NULL;
  attempt made = {0};
  int code = VidaOptions_Create(info->name, &options, &trial->error);
  code = code ? code : VidaOptions_SetReal(options, "h", advice->step, &trial->error);
  trial->adaptive = !code && Vida_IsAdaptive(options);
  trial->time_stepping = Vida_IsTimeStepping(info);
  trial->order = advice->contacts > 0 ? Vida_OrderAcrossImpacts(info, info->order) : info->order;
  trial->code = code ? code : make_attempt(state, advice, options, &made, &trial->error);
  trial->accepted = made.accepted;
  trial->steps = made.steps;
  trial->events = made.events;
  trial->busy_steps = made.busy_steps;
  if (strcmp(trial->error.flag, VIDA_SYSTEM_REFUSED) == 0) {
    trial->error.flag[0] = '\0'; /* is between methods */
  }
  VidaOptions_Destroy(&options);
}

/* An event costs as much as ten to sixty steps (the page of events in the guide): where most steps
 * have some, time stepping is the cheaper way to errors of its order. The last impacts before a
 * rest fall into one step. */
static bool prefers_time_stepping(const VidaAdvice* advice) {
  bool is_crowded = false, has_stepping = false, has_events = false;
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    const bool is_good = trial->accepted && !trial->code;
    has_stepping = has_stepping || (is_good && trial->time_stepping);
    has_events = has_events || (is_good && !trial->time_stepping);
    is_crowded = is_crowded || (!trial->time_stepping && trial->events > trial->steps &&
                                2 * trial->busy_steps > trial->steps);
  }
  return advice->contacts > 0 && has_stepping && (is_crowded || !has_events);
}

/* Returns 1, 2, 2.5, 4 or 5 times a power of ten that is not above h and divides the time;
 * otherwise a fraction of the time. */
static double round_step(double h, double time) {
  static const double digits[] = {5.0, 4.0, 2.5, 2.0, 1.0};
  const double power = pow(10.0, floor(log10(h)));
  for (int down = 0; down < 2; down++) {
    for (size_t i = 0; i < sizeof digits / sizeof digits[0]; i++) {
      const double step = digits[i] * power * (down ? 0.1 : 1.0), count = time / step;
      if (step <= h && fabs(count - nearbyint(count)) <= 1e-9 * count) {
        return step;
      }
    }
  }
  return time / ceil(time / h);
}

/* ---- features -------------------------------------------------------------------------------- */

/* The part of the rows that is a distance of two points. */
static double lengths_of(const VidaSystem* system) {
  vida_distances distances = {0};
  const bool is_known = system->row_count > 0 && vida__find_distances(system, &distances) == 0;
  const double part = is_known ? (double)distances.count / system->row_count : 0.0;
  vida__free_distances(&distances);
  return part;
}

/* Returns whether forces change with positions, apart from those of constraints. */
static bool has_fields(start_state* state) {
  const vida_hessian_weights qq = {-1.0, 0.0, 0.0, 0.0};
  bool has = false;
  memset(state->damping, 0, (size_t)state->system->pattern.entries * sizeof(double));
  if (vida__add_hessian(vida__equations_evaluator(state->equations), state->t, state->q, state->v,
                        qq, state->damping)) {
    return false;
  }
  for (int k = 0; k < state->system->pattern.entries; k++) {
    has = has || state->damping[k] != 0.0;
  }
  return has;
}

/* Logarithm of the highest rate divided by that of the slow motion. */
static double separation_of(const VidaRates* rates, double time) {
  const double slow = fmax(fmax(rates->rotation, rates->rotation_from_rest), rates->angles);
  return rates->largest > 0.0 ? log10(rates->largest / fmax(slow, 1.0 / time)) : 0.0;
}

static void find_features(start_state* state, VidaAdvice* advice) {
  const VidaSystem* system = state->system;
  const double turns = advice->rates.largest * advice->time / two_pi;
  double* features = advice->features;
  features[VIDA_FEATURE_SIZE] = log10(advice->coordinates);
  features[VIDA_FEATURE_CONSTRAINED] = (double)advice->rows / advice->coordinates;
  features[VIDA_FEATURE_MOVING_MASS] = advice->constant_mass ? 0.0 : 1.0;
  features[VIDA_FEATURE_QUATERNIONS] = !advice->constant_mass && advice->singular_mass ? 1.0 : 0.0;
  features[VIDA_FEATURE_LENGTHS] = lengths_of(system);
  features[VIDA_FEATURE_DAMPED] = advice->damped ? 1.0 : 0.0;
  features[VIDA_FEATURE_DRIVEN] = advice->driven ? 1.0 : 0.0;
  features[VIDA_FEATURE_NONHOLONOMIC] = advice->nonholonomic > 0 ? 1.0 : 0.0;
  features[VIDA_FEATURE_SEPARATION] = separation_of(&advice->rates, advice->time);
  features[VIDA_FEATURE_PERIODS] = turns > 1.0 ? log10(turns) : 0.0;
  features[VIDA_FEATURE_FIELDS] = has_fields(state) ? 1.0 : 0.0;
}

/* ---- the atlas ------------------------------------------------------------------------------- */

static int set_options(VidaOptions* options, const char* text, VidaError* error) {
  char words[VIDA_OPTIONS_SIZE] = "";
  int code = VIDA_SUCCESS;
  vida__append(words, sizeof words, "%s", text);
  for (char *word = words, *next; word[0] && !code; word = next) {
    const size_t length = strcspn(word, " "), name = strcspn(word, "=");
    next = word + length + (word[length] ? 1 : 0);
    word[length] = '\0';
    word[name] = '\0';
    code = VidaOptions_SetText(options, word, name < length ? word + name + 1 : "", error);
  }
  return code;
}

typedef struct trial_data {
  const start_state* state;
  const VidaAdvice* advice;
} trial_data;

/* A method of the atlas with its options makes a step here, unless the system is too large. */
static bool takes_step(void* data, const vida_atlas_row* row, double setting) {
  const trial_data* trial = data;
  const start_state* state = trial->state;
  VidaOptions* options = NULL;
  VidaError error;
  attempt made = {0};
  /* The atlas measures no impacts: across them time stepping does not reach what it reached there.
   */
  if (trial->advice->contacts > 0 && Vida_IsTimeStepping(Vida_FindMethod(row->method))) {
    return false;
  }
  int code = VidaOptions_Create(row->method, &options, &error);
  code = code ? code : set_options(options, row->options, &error);
  code = code ? code : VidaOptions_SetReal(options, "h", trial->advice->step, &error);
  if (!code && row->adaptive) {
    code = VidaOptions_SetReal(options, "rtol", setting, &error);
  }
  code = code ? code : make_attempt(state, trial->advice, options, &made, &error);
  VidaOptions_Destroy(&options);
  return code == VIDA_SUCCESS;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int find_start(const VidaStudy* study, start_state* state, VidaError* error) {
  const VidaStartOptions start = VidaStudy_StartOptions(study->options);
  state->t = study->t0;
  return VidaSystem_Start(study->system, study->t0, &start, state->q, state->v, NULL, error);
}

static void describe(const VidaSystem* system, start_state* state, VidaAdvice* advice) {
  const vida_rank* rank = vida__equations_rank(state->equations);
  advice->coordinates = system->coordinate_count;
  advice->rows = system->row_count;
  for (int r = 0; r < system->row_count; r++) {
    advice->nonholonomic += VidaSystem_ConstraintIsNonholonomic(system, r) ? 1 : 0;
  }
  const bool known = rank || system->row_count == 0;
  advice->dependent = rank ? vida__rank_dependent_count(rank) : 0;
  advice->degrees_of_freedom =
      known ? system->coordinate_count - system->row_count + advice->dependent : -1;
  advice->constant_mass = system->constant_mass;
  advice->diagonal_mass = system->separable || (system->constant_mass && !system->has_coupled_mass);
  advice->forces = system->has_forces;
  advice->driven = system->time_dependent;
  advice->general = vida__general_term(system);
  advice->events = VidaSystem_EventCount(system);
  for (int c = 0; c < VidaSystem_ContactCount(system); c++) {
    advice->couplings += system->contacts->list[c].is_coupling;
  }
  advice->contacts = VidaSystem_ContactCount(system) - advice->couplings;
}

/* Computes the rates and the step. If the equations have no solution, the rates are not known, and
 * the methods report why. */
static void look(const VidaStudy* study, start_state* state, VidaAdvice* advice) {
  const double most = study->time / STEPS_AT_LEAST;
  int code = vida__equations_mark(state->equations, state->t, state->q, state->v);
  code = code ? code
              : vida__equations_find(state->equations, state->t, state->q, state->v, NULL, state->a,
                                     state->lambda);
  code = code ? code : find_rates(state, &advice->rates);
  if (code || !isfinite(advice->rates.largest)) {
    advice->rates = (VidaRates){.coordinate = -1};
  }
  describe(state->system, state, advice);
  advice->tried = advice->coordinates + advice->rows <= MOST_TRIED;
  advice->damped = has_damping(state);
  advice->singular_mass = is_singular(state);
  if (!advice->constant_mass) {
    find_mass_dependence(state, study->time, advice);
  }
  find_features(state, advice);
  const double wanted =
      advice->rates.largest > 0.0 ? two_pi / advice->rates.largest / STEPS_PER_PERIOD : most;
  advice->step = round_step(fmin(wanted, most), study->time);
}

int VidaStudy_Advise(const VidaStudy* study, VidaAdvice** advice, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, advice)) {
    return VIDA_BAD_ARGUMENT;
  }
  *advice = NULL;
  if (VIDA_REFUSE_NULL(error, study)) {
    return VIDA_BAD_ARGUMENT;
  }
  start_state state = {.system = study->system};
  VidaAdvice* made = vida__allocate(1, sizeof *made);
  int code = made ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code) {
    *made = (VidaAdvice){.time = study->time, .trial_count = Vida_MethodCount()};
    made->trials = vida__allocate((size_t)made->trial_count, sizeof *made->trials);
    code = !made->trials || allocate(&state) ? vida__fail_memory(error) : VIDA_SUCCESS;
  }
  code = code ? code : find_start(study, &state, error);
  code =
      code ? code : vida__equations_create(state.system, VIDA_SOLVER_AUTO, &state.equations, error);
  if (!code) {
    look(study, &state, made);
    for (int i = 0; i < made->trial_count; i++) {
      made->trials[i].method = Vida_MethodInfo(i);
      try_method(&state, made, &made->trials[i]);
    }
    made->prefers_time_stepping = prefers_time_stepping(made);
    trial_data trial = {&state, made};
    code = vida__recommend(made, takes_step, &trial) ? vida__fail_memory(error) : VIDA_SUCCESS;
  }
  if (!code) {
    *advice = made;
  } else {
    VidaAdvice_Destroy(&made);
  }
  vida__equations_destroy(&state.equations);
  free(state.block);
  return code;
}

void VidaAdvice_Destroy(VidaAdvice** advice) {
  if (advice && *advice) {
    free((*advice)->trials);
    free(*advice);
    *advice = NULL;
  }
}
