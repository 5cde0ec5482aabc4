/* rattle-variable: RATTLE with steps of variable length, reversible in time.
 *
 * Steps are h / rho. The density rho follows a function rho(q,v) > 0 by the integrating controller
 * of Hairer and Soederlind (2005; Hairer, Lubich and Wanner, VIII.3.2), here node by node:
 *     rho_(j+1/2) = rho_j + h/2 G(y_j),  y_(j+1) = RATTLE of length h / rho_(j+1/2),
 *     rho_(j+1) = rho_(j+1/2) + h/2 G(y_(j+1)),
 * with G the derivative of log rho(y) along the motion. It is symmetric, explicit in rho, and
 * reversible because G is odd in the velocities. Only that matters for the long time; G is taken
 * from central differences over a step, h G = rho(y) [log rho(y+) - log rho(y-)], where y+ and y-
 * lie half a step of rho(y) away on the parabola of the motion.
 *
 * This sequence of states knows nothing of the nodes t0 + k h. The state at a node is one RATTLE
 * step of what is left, from the last state of the sequence before it; it is not fed back. */
#include "methods/variational/variable_steps.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static const char density_name[] = "step density";

typedef struct variable_state {
  VidaStepper* main;    /* the sequence; its t0 is the time of its state */
  VidaStepper* partial; /* steps to nodes */
  int observable;       /* of the density; -1: curvature */
  double nominal;       /* the step of density 1 */
  double start_density, least;
  double most_steps;             /* between two nodes */
  double rate_at_start;          /* 0: nothing is curved there; NaN: not measured yet */
  double bend_time;              /* times `time` below: how far accelerations lead */
  double elapsed, elapsed_low;   /* t - t0 of the sequence */
  double density, half, advance; /* rho_j, h/2 G(y_j), rho_(j+1/2) */
  long steps;
  double *q, *v, *a;             /* n: work */
  double* force;                 /* m: work */
  double *before, *after, *here; /* entries: work */
  double* values;                /* of observables: work */
  double data[];
} variable_state;

/* ---- creation -------------------------------------------------------------------------------- */

static int find_observable(const VidaSystem* system) {
  for (int k = 0; k < VidaSystem_ObservableCount(system); k++) {
    if (strcmp(VidaSystem_ObservableName(system, k), density_name) == 0) {
      return k;
    }
  }
  return -1;
}

static void destroy(VidaStepper* stepper) {
  variable_state* own = stepper->own;
  if (own) {
    VidaStepper_Destroy(&own->main);
    VidaStepper_Destroy(&own->partial);
  }
}

static int choose_density(const VidaStepper* stepper, variable_state* own, VidaError* error) {
  char least[VIDA_REAL_TEXT_SIZE];
  char start[VIDA_REAL_TEXT_SIZE];
  own->nominal = VidaOptions_Get(stepper->options, "h");
  own->start_density = VidaOptions_Get(stepper->options, "start_density");
  own->least = VidaOptions_Get(stepper->options, "least_density");
  own->most_steps = VidaOptions_Get(stepper->options, "max_steps");
  own->rate_at_start = NAN;
  if (own->least > own->start_density) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: least_density, %s, must not be above start_density, %s",
                      stepper->method->info.name, vida__real_text(least, own->least, 6),
                      vida__real_text(start, own->start_density, 6));
  }
  const bool curvature = VidaOptions_HasChoice(stepper->options, "density", "curvature");
  own->observable = curvature ? -1 : find_observable(stepper->system);
  if (own->observable < 0 && VidaOptions_HasChoice(stepper->options, "density", "observable")) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: density: system '%s' has no observable '%s'; give one, or take "
                      "curvature",
                      stepper->method->info.name, stepper->system->name, density_name);
  }
  return VIDA_SUCCESS;
}

static int create(VidaStepper* stepper, VidaError* error) {
  const size_t n = (size_t)stepper->n;
  const size_t entries = (size_t)stepper->system->entry_count;
  const size_t observables = (size_t)stepper->system->observable_count;
  variable_state* own =
      vida__allocate(1, sizeof *own + (3 * n + (size_t)stepper->m + 3 * entries + observables) *
                                          sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  stepper->own = own;
  own->q = own->data;
  own->v = own->q + n;
  own->a = own->v + n;
  own->force = own->a + n;
  own->before = own->force + stepper->m;
  own->after = own->before + entries;
  own->here = own->after + entries;
  own->values = own->here + entries;
  int code = choose_density(stepper, own, error);
  code = code ? code : vida__create_base(stepper, "rattle", &own->main, error);
  code = code ? code : vida__create_base(stepper, "rattle", &own->partial, error);
  if (!code) {
    own->main->outer = stepper;
    own->partial->outer = stepper;
  }
  return code;
}

/* ---- the density ----------------------------------------------------------------------------- */

/* |M^(-1/2) (L - lambda g)_qq M^(-1/2)| in the Frobenius norm: the square of a frequency, of
 * potentials and of what constraint forces hold (small swings of a pendulum). */
static int find_stiffness(const variable_state* own, double t, const double* q, const double* v,
                          double* stiffness) {
  VidaStepper* main = own->main;
  const vida_hessian_weights positions_only = {1.0, 0.0, 0.0, 0.0};
  const vida_pattern* pattern = &main->system->pattern;
  const double* root = main->inverse_root;
  double* matrix = main->node_matrix->values;
  double sum = 0.0;
  vida__linear_clear(main->node_matrix);
  int code = vida__add_hessian(&main->evaluator, t, q, v, positions_only, matrix);
  code = code ? code : vida__add_curvature(&main->evaluator, t, q, -1.0, own->force, matrix);
  for (int j = 0; j < main->n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < main->n) {
        const double scaled = matrix[k] * root[pattern->row[k]] * root[j];
        sum += scaled * scaled;
      }
    }
  }
  *stiffness = sqrt(sum);
  return code;
}

/* How far the gradients of the constraints turn from q - x to q + x: the sum over rows of
 * |G(q + x) - G(q - x)|^2 / |2 G(q)|^2, each measured by the masses. G(q) is in own->here. */
static int find_turn(variable_state* own, double t, const double* q, double factor, const double* x,
                     double* turn) {
  VidaStepper* main = own->main;
  const VidaSystem* system = main->system;
  double* place = main->place;
  for (int i = 0; i < main->n; i++) {
    place[i] = q[i] - factor * x[i];
  }
  int code = vida__jacobian(&main->evaluator, t, place, own->before);
  for (int i = 0; i < main->n; i++) {
    place[i] = q[i] + factor * x[i];
  }
  code = code ? code : vida__jacobian(&main->evaluator, t, place, own->after);
  *turn = 0.0;
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    double change = 0.0;
    double size = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double root = main->inverse_root[system->entries[e].coordinate];
      const double difference = root * (own->after[e] - own->before[e]);
      change += difference * difference;
      size += root * own->here[e] * root * own->here[e];
    }
    *turn += size > 0.0 ? change / (4.0 * size) : 0.0;
  }
  return code;
}

/* The fastest that directions change in a state, in 1/s: by forces, and by constraints that
 * velocities or accelerations turn. */
static int find_rate(variable_state* own, double t, const double* q, const double* v, double* rate,
                     VidaError* error) {
  VidaStepper* main = own->main;
  /* Constraints turn over a small part of a step: enough for rounding, little enough not to
   * smooth what steps should follow. */
  const double time = 0.1 * own->nominal / own->start_density;
  double stiffness = 0.0;
  double turn = 0.0;
  double bend = 0.0;
  int code = VIDA_SUCCESS;
  if (main->m > 0) {
    code = vida__accelerations(main, t, q, v, own->a, own->force);
    code = code ? code : vida__jacobian(&main->evaluator, t, q, own->here);
    code = code ? code : find_turn(own, t, q, time, v, &turn);
    if (!code) {
      const double factor = time * fmax(time, own->bend_time);
      code = find_turn(own, t, q, factor, own->a, &bend);
      bend = sqrt(bend) / factor;
    }
  }
  code = code ? code : find_stiffness(own, t, q, v, &stiffness);
  *rate = sqrt(stiffness + turn / (time * time) + bend);
  return code ? vida__evaluation_failed(main, code, error) : VIDA_SUCCESS;
}

/* By rounding alone a start has no such rate. */
static const double no_turn = 1e-6; /* rad a step */

static int find_curvature_density(variable_state* own, double t, const double* q, const double* v,
                                  double* density, VidaError* error) {
  double rate = 0.0;
  const int code = find_rate(own, t, q, v, &rate, error);
  if (code) {
    return code;
  }
  if (isnan(own->rate_at_start)) {
    own->rate_at_start = rate * own->nominal > no_turn ? rate : 0.0;
    /* Once more, with its own scale of differences. */
    own->bend_time = own->rate_at_start > 0.0 ? 0.1 / own->rate_at_start : 0.0;
    const int again = find_rate(own, t, q, v, &rate, error);
    own->rate_at_start = own->rate_at_start > 0.0 ? rate : 0.0;
    if (again) {
      return again;
    }
  }
  if (own->rate_at_start == 0.0) {
    *density = own->start_density;
    return rate * own->nominal <= no_turn
               ? VIDA_SUCCESS
               : vida__fail(error, VIDA_NOT_SUPPORTED,
                            "rattle-variable: at the start of system '%s' neither potentials nor "
                            "constraints are curved, so that the density of steps has no scale; "
                            "give it an observable '%s'",
                            own->main->system->name, density_name);
  }
  const double least = own->least * own->least;
  const double ratio = rate / own->rate_at_start;
  *density = sqrt(least + (own->start_density * own->start_density - least) * ratio * ratio);
  return VIDA_SUCCESS;
}

static int find_density(variable_state* own, double t, const double* q, const double* v,
                        double* density, VidaError* error) {
  char number[VIDA_REAL_TEXT_SIZE];
  char time[VIDA_REAL_TEXT_SIZE];
  if (own->observable < 0) {
    return find_curvature_density(own, t, q, v, density, error);
  }
  const int code = vida__observables(&own->main->evaluator, t, q, v, own->values);
  if (code) {
    return vida__evaluation_failed(own->main, code, error);
  }
  *density = own->values[own->observable];
  return isfinite(*density) && *density > 0.0
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_NOT_FINITE,
                          "rattle-variable: observable '%s' must be positive, and is %s near "
                          "t = %s",
                          density_name, vida__real_text(number, *density, 6),
                          vida__real_text(time, t, 10));
}

/* y + delta y' + delta^2/2 y'' in positions, y + delta y' in velocities */
static int find_density_at(variable_state* own, double delta, const double* a, double* density,
                           VidaError* error) {
  const VidaStepper* main = own->main;
  for (int i = 0; i < main->n; i++) {
    const double change = delta * a[i];
    own->q[i] = main->q[i] + delta * (main->v0[i] + 0.5 * change);
    own->v[i] = main->v0[i] + change;
  }
  return find_density(own, main->t0 + delta, own->q, own->v, density, error);
}

/* own->half = h/2 G at the state of the sequence, whose density is *density. */
static int find_change(variable_state* own, double* density, VidaError* error) {
  VidaStepper* main = own->main;
  double* a = main->node_velocity; /* not asked for between steps of the sequence */
  double before = 1.0;
  double after = 1.0;
  int code = find_density(own, main->t0, main->q, main->v0, density, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(main, main->t0, main->q, main->v0, a, own->force);
  if (code) {
    return vida__evaluation_failed(main, code, error);
  }
  const double delta = 0.5 * own->nominal / *density;
  code = find_density_at(own, -delta, a, &before, error);
  code = code ? code : find_density_at(own, delta, a, &after, error);
  own->half = 0.5 * *density * log(after / before);
  return code;
}

/* ---- the sequence ---------------------------------------------------------------------------- */

/* The state, from q on, is one piece in all steppers. */
static void copy_state(const VidaStepper* from, VidaStepper* to) {
  memcpy(to->q, from->q, (size_t)(5 * from->n + from->m) * sizeof *to->q);
}

static int set_advance(variable_state* own, double density, double half, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  own->advance = density + half;
  return own->advance > 0.0 ? VIDA_SUCCESS
                            : vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                                         "at t = %s the density of steps falls to zero within a "
                                         "step; the step is too large: try less than h = %s",
                                         vida__real_text(t, own->main->t0, 10),
                                         vida__real_text(h, own->nominal, 6));
}

/* Of the density of the state, what the integrated one is at least: where it changes too fast for a
 * step, the integrated density keeps an error that it never loses. */
static const double least_part = 0.25;

static int check_drift(const variable_state* own, double of_state, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  char size[VIDA_REAL_TEXT_SIZE];
  char least[VIDA_REAL_TEXT_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  const double density = fmin(own->density, own->advance);
  return density >= least_part * of_state
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                          "at t = %s the integrated density of steps is %s, but that of the state "
                          "is %s: it changes too fast; the step is too large: try less than h = %s",
                          vida__real_text(t, own->main->t0, 10), vida__real_text(size, density, 3),
                          vida__real_text(least, of_state, 3), vida__real_text(h, own->nominal, 6));
}

/* Impulses of steps of another length are the guess. */
static void scale_history(VidaStepper* stepper, double ratio) {
  for (int k = 0; k < VIDA_HISTORY; k++) {
    for (int r = 0; r < stepper->m; r++) {
      stepper->history[k][stepper->n + r] *= ratio;
    }
  }
}

static int step_sequence(variable_state* own, double t0, VidaError* error) {
  VidaStepper* main = own->main;
  const double length = own->nominal / own->advance;
  const double old_t = main->t0;
  const double old_half = own->half;
  double density = 0.0;
  scale_history(main, length / main->h);
  main->h = length;
  main->step = 0;
  int code = VidaStepper_Step(main, error);
  if (code) {
    return code;
  }
  double elapsed = own->elapsed;
  double elapsed_low = own->elapsed_low;
  vida__add_compensated(&elapsed, &elapsed_low, length);
  main->step = 0;
  main->t0 = t0 + elapsed;
  const double half_way = own->advance;
  const double old_density = own->density;
  code = find_change(own, &density, error);
  own->density = half_way + own->half;
  code = code ? code : set_advance(own, own->density, own->half, error);
  code = code ? code : check_drift(own, density, error);
  if (code) {
    memcpy(main->q, main->kept, (size_t)(5 * main->n + main->m) * sizeof *main->q);
    main->t0 = old_t;
    own->half = old_half;
    own->density = old_density;
    own->advance = half_way;
    return code;
  }
  own->elapsed = elapsed;
  own->elapsed_low = elapsed_low;
  own->steps++;
  return VIDA_SUCCESS;
}

static int start(VidaStepper* stepper, VidaError* error) {
  variable_state* own = stepper->own;
  VidaStepper* main = own->main;
  /* Another spacing of nodes is not another motion: what density 1 means stays. */
  if (stepper->h == own->nominal) {
    own->rate_at_start = NAN;
    own->bend_time = 0.0;
  }
  main->segment = own->partial->segment = stepper->segment;
  int code =
      VidaStepper_StartWithStep(main, stepper->t0, own->nominal, stepper->q, stepper->v0, error);
  code = code ? code
              : VidaStepper_StartWithStep(own->partial, stepper->t0, own->nominal, stepper->q,
                                          stepper->v0, error);
  if (code) {
    return code;
  }
  copy_state(main, stepper);
  own->elapsed = 0.0;
  own->elapsed_low = 0.0;
  own->steps = 0;
  code = find_change(own, &own->density, error);
  return code ? code : set_advance(own, own->density, own->half, error);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int step_to_node(VidaStepper* stepper, double rest, VidaError* error) {
  variable_state* own = stepper->own;
  const VidaStepper* main = own->main;
  VidaStepper* partial = own->partial;
  const size_t bytes = (size_t)(stepper->n + stepper->m) * sizeof(double);
  copy_state(main, partial);
  for (int k = 0; k < VIDA_HISTORY; k++) {
    memcpy(partial->history[k], main->history[k], bytes);
  }
  partial->history_count = main->history_count;
  memcpy(partial->g_tracked, main->g_tracked, (size_t)stepper->m * sizeof(double));
  partial->has_tracked = main->has_tracked;
  partial->t0 = main->t0;
  partial->h = rest;
  partial->step = 0;
  scale_history(partial, rest / main->h);
  const int code = VidaStepper_Step(partial, error);
  if (!code) {
    copy_state(partial, stepper);
  }
  return code;
}

static int fail_long(const variable_state* own, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  char density[VIDA_REAL_TEXT_SIZE];
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, "TOO_MUCH_WORK",
      "after max_steps = %.0f steps between two output states only t = %s was reached, where the "
      "density of steps is %s; reduce the density or h, or increase max_steps",
      own->most_steps, vida__real_text(t, own->main->t0, 12),
      vida__real_text(density, own->density, 6));
}

static int step(VidaStepper* stepper, VidaError* error) {
  variable_state* own = stepper->own;
  const VidaStatistics* main = &own->main->statistics;
  const VidaStatistics* partial = &own->partial->statistics;
  const double node = (double)(stepper->step + 1) * stepper->h;
  const double rounding = 8.0 * DBL_EPSILON * fmax(node, stepper->h);
  int code = VIDA_SUCCESS;
  double rest = (node - own->elapsed) - own->elapsed_low;
  own->main->segment = own->partial->segment = stepper->segment;
  for (double made = 0.0; !code && (rest + rounding) * own->advance >= own->nominal; made++) {
    code = made < own->most_steps ? step_sequence(own, stepper->t0, error) : fail_long(own, error);
    rest = (node - own->elapsed) - own->elapsed_low;
  }
  if (!code && fabs(rest) <= rounding) {
    copy_state(own->main, stepper); /* the sequence has met the node */
  } else if (!code) {
    code = step_to_node(stepper, rest, error);
  }
  VidaStatistics* all = &stepper->statistics;
  all->newton_iterations = main->newton_iterations + partial->newton_iterations;
  all->residual_evaluations = main->residual_evaluations + partial->residual_evaluations;
  all->jacobian_evaluations = main->jacobian_evaluations + partial->jacobian_evaluations;
  return code;
}

static int velocities(VidaStepper* stepper, double* v, VidaError* error) {
  (void)error;
  memcpy(v, stepper->v0, (size_t)stepper->n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- for tests ------------------------------------------------------------------------------- */

vida_sequence_state vida__sequence_state(const VidaStepper* stepper) {
  const variable_state* own = stepper->own;
  const VidaStepper* main = own->main;
  return (vida_sequence_state){.t = main->t0,
                               .density = own->density,
                               .steps = own->steps,
                               .q = main->q,
                               .p = main->p,
                               .v = main->v0};
}

int vida__sequence_step(VidaStepper* stepper, VidaError* error) {
  return step_sequence(stepper->own, stepper->t0, error);
}

void vida__sequence_turn_round(VidaStepper* stepper) {
  variable_state* own = stepper->own;
  VidaStepper* main = own->main;
  for (int i = 0; i < main->n; i++) {
    main->v0[i] = -main->v0[i];
    main->p[i] = -main->p[i];
    main->p_low[i] = -main->p_low[i];
  }
  main->history_count = 0;
  own->half = -own->half;
  own->advance = own->density + own->half;
}

/* ---- record ---------------------------------------------------------------------------------- */

static const VidaOptionRow options[] = {
    {"density", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|curvature|observable",
     "The density of steps, which have the length h / density: the rate at which potentials and "
     "constraints turn the motion, or the observable 'step density' of the system; auto: the "
     "observable, if there is one."},
    {"start_density", VIDA_OPTION_REAL, "1", 1.0, 0.0, INFINITY, true, NULL,
     "Density at the start with density = curvature; larger values if the motion starts at its "
     "fastest."},
    {"least_density", VIDA_OPTION_REAL, "1", 0.1, 0.0, INFINITY, true, NULL,
     "Smallest density with density = curvature, where nothing turns: steps are at most h over "
     "it."},
    VIDA_MAX_STEPS_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__rattle_variable = {
    .info = {"rattle-variable", "RATTLE with steps of variable length, reversible in time",
             "Hairer and Soederlind 2005; Hairer, Lubich and Wanner, VIII.3.2",
             "The limits of rattle, for steps of h over the density, which must not change by more "
             "than a small factor within a step. The method makes a sequence of its own steps and "
             "reaches the nodes from it. For reversible systems the sequence is reversible, so "
             "that the energy of regular motions does not drift; that of chaotic motions wanders "
             "slowly, since the steps are not symplectic.",
             2,
             VIDA_CAN_MOMENTUM | VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL |
                 VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
