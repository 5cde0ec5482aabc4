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
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "solve/work_forecast.h"
#include "stepper/method_options.h"

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
  double* acceleration;          /* n: at the state of the sequence */
  double* force;                 /* m: work */
  double *before, *after, *here; /* entries: work */
  double* values;                /* of observables: work */
  size_t numbers;                /* in: */
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

static void destroy(VidaIntegration* self) {
  variable_state* own = self->state;
  if (own) {
    VidaStepper_Destroy(&own->main);
    VidaStepper_Destroy(&own->partial);
  }
}

static int check(const VidaOptions* options, VidaError* error) {
  const double least = VidaOptions_Get(options, "least_density");
  const double start = VidaOptions_Get(options, "start_density");
  char least_text[VIDA_REAL_TEXT_SIZE], start_text[VIDA_REAL_TEXT_SIZE];
  return least <= start
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s: least_density, %s, must not be above start_density, %s",
                          VidaOptions_Method(options), vida__real_text(least_text, least, 6),
                          vida__real_text(start_text, start, 6));
}

static int choose_density(const VidaIntegration* self, variable_state* own, VidaError* error) {
  own->nominal = VidaOptions_Get(self->options, "h");
  own->start_density = VidaOptions_Get(self->options, "start_density");
  own->least = VidaOptions_Get(self->options, "least_density");
  own->most_steps = VidaOptions_Get(self->options, "max_steps");
  own->rate_at_start = NAN;
  const bool curvature = VidaOptions_HasChoice(self->options, "density", "curvature");
  own->observable = curvature ? -1 : find_observable(self->model.system);
  if (own->observable < 0 && VidaOptions_HasChoice(self->options, "density", "observable")) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: density: system '%s' has no observable '%s'; give one, or take "
                      "curvature",
                      self->method->info.name, self->model.system->name, density_name);
  }
  return VIDA_SUCCESS;
}

static int create(VidaIntegration* self, VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t entries = (size_t)self->model.system->entry_count;
  const size_t observables = (size_t)self->model.system->observable_count;
  const size_t numbers = 4 * n + (size_t)self->model.m + 3 * entries + observables;
  variable_state* own = vida__allocate(1, sizeof *own + numbers * sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->numbers = numbers;
  self->state = own;
  own->q = own->data;
  own->v = own->q + n;
  own->a = own->v + n;
  own->acceleration = own->a + n;
  own->force = own->acceleration + n;
  own->before = own->force + self->model.m;
  own->after = own->before + entries;
  own->here = own->after + entries;
  own->values = own->here + entries;
  int code = choose_density(self, own, error);
  code = code ? code : vida__nested_create(self, "rattle", &own->main, error);
  return code ? code : vida__nested_create(self, "rattle", &own->partial, error);
}

/* ---- the density ----------------------------------------------------------------------------- */

/* Returns |M^(-1/2) (L - lambda g)_qq M^(-1/2)| in the Frobenius norm: the squared frequency of
 * motions in the potentials and under the constraint forces (small swings of a pendulum). */
static int find_stiffness(const variable_state* own, double t, const double* q, const double* v,
                          double* stiffness) {
  VidaIntegration* main = vida__nested_integration(own->main);
  const vida_hessian_weights positions_only = {1.0, 0.0, 0.0, 0.0};
  const vida_pattern* pattern = &main->model.system->pattern;
  const double* root = main->model.inverse_root;
  double* matrix = main->model.node_matrix->values;
  double sum = 0.0;
  vida__linear_clear(main->model.node_matrix);
  int code = vida__add_hessian(&main->model.evaluator, t, q, v, positions_only, matrix);
  code = code ? code : vida__add_curvature(&main->model.evaluator, t, q, -1.0, own->force, matrix);
  for (int j = 0; j < main->model.n; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < main->model.n) {
        const double scaled = matrix[k] * root[pattern->row[k]] * root[j];
        sum += scaled * scaled;
      }
    }
  }
  *stiffness = sqrt(sum);
  return code;
}

/* Returns how far the gradients of the constraints turn from q - x to q + x: the sum over rows of
 * |G(q + x) - G(q - x)|^2 / |2 G(q)|^2 in the mass metric. G(q) is in own->here. */
static int find_turn(variable_state* own, double t, const double* q, double factor, const double* x,
                     double* turn) {
  VidaIntegration* main = vida__nested_integration(own->main);
  const VidaSystem* system = main->model.system;
  double* place = main->work.place;
  for (int i = 0; i < main->model.n; i++) {
    place[i] = q[i] - factor * x[i];
  }
  int code = vida__jacobian(&main->model.evaluator, t, place, own->before);
  for (int i = 0; i < main->model.n; i++) {
    place[i] = q[i] + factor * x[i];
  }
  code = code ? code : vida__jacobian(&main->model.evaluator, t, place, own->after);
  *turn = 0.0;
  for (int e = 0; e < system->entry_count;) {
    const int row = system->entries[e].row;
    double change = 0.0;
    double size = 0.0;
    for (; e < system->entry_count && system->entries[e].row == row; e++) {
      const double root = main->model.inverse_root[system->entries[e].coordinate];
      const double difference = root * (own->after[e] - own->before[e]);
      change += difference * difference;
      size += root * own->here[e] * root * own->here[e];
    }
    *turn += size > 0.0 ? change / (4.0 * size) : 0.0;
  }
  return code;
}

/* Returns the largest rate (1/s) at which directions change in a state: by forces, and by
 * constraints that turn with velocities or accelerations. */
static int find_rate(variable_state* own, double t, const double* q, const double* v, double* rate,
                     VidaError* error) {
  VidaIntegration* main = vida__nested_integration(own->main);
  /* The turn of the constraints is measured over a small part of a step: long enough for rounding,
   * short enough to resolve what the steps must follow. */
  const double time = 0.1 * own->nominal / own->start_density;
  double stiffness = 0.0;
  double turn = 0.0;
  double bend = 0.0;
  int code = VIDA_SUCCESS;
  if (main->model.m > 0) {
    code = vida__accelerations(main, t, q, v, own->a, own->force);
    code = code ? code : vida__jacobian(&main->model.evaluator, t, q, own->here);
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

/* A rate this small at the start is only rounding. */
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
    /* Repeats the measurement with its own scale of differences. */
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
                            vida__nested_integration(own->main)->model.system->name, density_name);
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
  const int code = vida__observables(&vida__nested_integration(own->main)->model.evaluator, t, q, v,
                                     own->values);
  if (code) {
    return vida__evaluation_failed(vida__nested_integration(own->main), code, error);
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

/* Computes y + delta y' + delta^2/2 y'' for positions, y + delta y' for velocities. */
static int find_density_at(variable_state* own, double delta, const double* a, double* density,
                           VidaError* error) {
  const VidaIntegration* main = vida__nested_integration(own->main);
  for (int i = 0; i < main->model.n; i++) {
    const double change = delta * a[i];
    own->q[i] = main->node.q[i] + delta * (main->node.v[i] + 0.5 * change);
    own->v[i] = main->node.v[i] + change;
  }
  return find_density(own, main->node.t0 + delta, own->q, own->v, density, error);
}

/* Computes own->half = h/2 G at the current state, whose density is *density. */
static int find_change(variable_state* own, double* density, VidaError* error) {
  VidaIntegration* main = vida__nested_integration(own->main);
  double* a = own->acceleration;
  double before = 1.0;
  double after = 1.0;
  int code = find_density(own, main->node.t0, main->node.q, main->node.v, density, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(main, main->node.t0, main->node.q, main->node.v, a, own->force);
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

static int set_advance(variable_state* own, double density, double half, VidaError* error) {
  char t[VIDA_REAL_TEXT_SIZE];
  char h[VIDA_REAL_TEXT_SIZE];
  own->advance = density + half;
  return own->advance > 0.0
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                          "at t = %s the density of steps falls to zero within a "
                          "step; the step is too large: try less than h = %s",
                          vida__real_text(t, vida__nested_integration(own->main)->node.t0, 10),
                          vida__real_text(h, own->nominal, 6));
}

/* Smallest ratio of the integrated density to that of the state. If the density changes too fast
 * for a step, the integrated density has a permanent error. */
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
                          vida__real_text(t, vida__nested_integration(own->main)->node.t0, 10),
                          vida__real_text(size, density, 3), vida__real_text(least, of_state, 3),
                          vida__real_text(h, own->nominal, 6));
}

static int step_sequence(variable_state* own, double t0, VidaError* error) {
  VidaIntegration* main = vida__nested_integration(own->main);
  const double length = own->nominal / own->advance;
  const double old_t = main->node.t0;
  const double old_half = own->half;
  double density = 0.0;
  vida__scale_history(main, length / main->node.h);
  vida__nested_set_clock(own->main, old_t, length);
  int code = vida__nested_step(own->main, error);
  if (code) {
    return code;
  }
  double elapsed = own->elapsed;
  double elapsed_low = own->elapsed_low;
  vida__add_compensated(&elapsed, &elapsed_low, length);
  vida__nested_set_clock(own->main, t0 + elapsed, length);
  const double half_way = own->advance;
  const double old_density = own->density;
  code = find_change(own, &density, error);
  own->density = half_way + own->half;
  code = code ? code : set_advance(own, own->density, own->half, error);
  code = code ? code : check_drift(own, density, error);
  if (code) {
    vida__nested_return(own->main);
    vida__nested_set_clock(own->main, old_t, length);
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

static int start(VidaIntegration* self, VidaError* error) {
  variable_state* own = self->state;
  VidaIntegration* main = vida__nested_integration(own->main);
  /* Neither a jump nor another spacing of nodes starts another motion: the meaning of density 1
   * stays. */
  if (!self->continues && self->node.h == own->nominal) {
    own->rate_at_start = NAN;
    own->bend_time = 0.0;
  }
  int code = vida__nested_start(own->main, self, own->nominal, error);
  code = code ? code : vida__nested_start(own->partial, self, own->nominal, error);
  if (code) {
    return code;
  }
  vida__copy_node(main, self);
  own->elapsed = 0.0;
  own->elapsed_low = 0.0;
  own->steps = 0;
  code = find_change(own, &own->density, error);
  return code ? code : set_advance(own, own->density, own->half, error);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int step_to_node(VidaIntegration* self, double rest, VidaError* error) {
  variable_state* own = self->state;
  const VidaIntegration* main = vida__nested_integration(own->main);
  VidaIntegration* partial = vida__nested_integration(own->partial);
  vida__copy_node(main, partial);
  vida__copy_history(main, partial);
  vida__nested_set_clock(own->partial, main->node.t0, rest);
  vida__scale_history(partial, rest / main->node.h);
  const int code = vida__nested_step(own->partial, error);
  if (!code) {
    vida__copy_node(partial, self);
  }
  return code;
}

static int step(VidaIntegration* self, VidaError* error) {
  variable_state* own = self->state;
  const VidaIntegration* main = vida__nested_integration(own->main);
  const double node = (double)(self->node.step + 1) * self->node.h;
  const double rounding = 8.0 * DBL_EPSILON * fmax(node, self->node.h);
  int code = VIDA_SUCCESS;
  double rest = (node - own->elapsed) - own->elapsed_low;
  vida__nested_follow(own->main, self);
  vida__nested_follow(own->partial, self);
  vida_work_forecast work = vida__expect_work(own->elapsed, node, own->most_steps);
  while (!code && (rest + rounding) * own->advance >= own->nominal) {
    code = vida__may_step(&work, own->elapsed)
               ? step_sequence(own, self->node.t0, error)
               : vida__fail_work(&work, "TOO_MUCH_WORK", &main->node.t0,
                                 "increase max_steps, or reduce the density of steps or h", error);
    rest = (node - own->elapsed) - own->elapsed_low;
  }
  if (!code && fabs(rest) <= rounding) {
    vida__copy_node(main, self); /* the sequence has met the node */
  } else if (!code) {
    code = step_to_node(self, rest, error);
  }
  vida__add_solver_counts(self, main, vida__nested_integration(own->partial));
  return code;
}

static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  (void)error;
  memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* ---- for tests ------------------------------------------------------------------------------- */

vida_sequence_state vida__sequence_state(VidaStepper* stepper) {
  const variable_state* own = vida__nested_integration(stepper)->state;
  const VidaIntegration* main = vida__nested_integration(own->main);
  return (vida_sequence_state){.t = main->node.t0,
                               .density = own->density,
                               .steps = own->steps,
                               .q = main->node.q,
                               .p = main->node.p,
                               .v = main->node.v};
}

int vida__sequence_step(VidaStepper* stepper, VidaError* error) {
  return step_sequence(vida__nested_integration(stepper)->state,
                       vida__nested_integration(stepper)->node.t0, error);
}

void vida__sequence_reverse(VidaStepper* stepper) {
  variable_state* own = vida__nested_integration(stepper)->state;
  VidaIntegration* main = vida__nested_integration(own->main);
  for (int i = 0; i < main->model.n; i++) {
    main->node.v[i] = -main->node.v[i];
    main->node.p[i] = -main->node.p[i];
    main->node.p_low[i] = -main->node.p_low[i];
  }
  vida__forget_history(main);
  own->half = -own->half;
  own->advance = own->density + own->half;
}

/* ---- record ---------------------------------------------------------------------------------- */

static void record_state(VidaIntegration* self, VidaRecord* record) {
  variable_state* own = self->state;
  double* reals[] = {&own->nominal,   &own->start_density, &own->least,       &own->rate_at_start,
                     &own->bend_time, &own->elapsed,       &own->elapsed_low, &own->density,
                     &own->half,      &own->advance,       &own->most_steps};
  VidaRecord_Reals(record, own->data, own->numbers);
  for (size_t k = 0; k < sizeof reals / sizeof *reals; k++) {
    VidaRecord_Reals(record, reals[k], 1);
  }
  VidaRecord_Integer(record, &own->steps, 0, LONG_MAX);
  vida__nested_record(own->main, record);
  vida__nested_record(own->partial, record);
}

static const VidaOptionRow options[] = {
    {"density", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|curvature|observable",
     "The density of steps, which have the length h / density: the rate at which potentials and "
     "constraints turn the motion, or the observable 'step density' of the system; auto: the "
     "observable, if there is one."},
    {"start_density", VIDA_OPTION_REAL, "1", 1.0, 0.0, INFINITY, true, NULL,
     "Density at the start with density = curvature; larger values if the motion starts at its "
     "fastest."},
    {"least_density", VIDA_OPTION_REAL, "1", 0.1, 0.0, INFINITY, true, NULL,
     "Smallest density with density = curvature: steps are at most h divided by it."},
    VIDA_MAX_STEPS_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__rattle_variable = {
    .size = sizeof(VidaMethod),
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
    .check = check,
    .create = create,
    .state = record_state,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .destroy = destroy};
