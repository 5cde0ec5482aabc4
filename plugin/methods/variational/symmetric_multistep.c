/* Explicit symmetric multistep methods with constraints (Console, Hairer and Lubich 2013):
 *     sum_j alpha_j q_(n+j) = h^2 M^-1 sum_j beta_j (F - G^T lambda)_(n+j),   g(q_(n+k)) = 0,
 * j = 0 .. k. Since beta_k = 0, a step solves for lambda_(n+k-1) only, as SHAKE does.
 *
 * All roots of rho(z) = (z - 1)^2 prod (z^2 + 2 a_i z + 1) lie on the unit circle. A recursion in q
 * would sum up rounding errors twice at the double root 1. Division by (z - 1)^2 leaves one for the
 * changes of P = M (q_(j+1) - q_j) / h, with the coefficients d of prod (z^2 + 2 a_i z + 1):
 *     I_j = P_(j+1) - P_j,   sum_j d_j I_(n+j) = sum_j beta_j J_(n+j),   J = h (F - G^T lambda).
 * P and q are compensated sums of I and h M^-1 P, as the momenta and positions of other methods.
 * The last step, M w = P + I with w = (q_(n+k) - q_(n+k-1)) / h, has the form of the other steps,
 *     M w + base + kappa G^T mu = 0,   g(q_(n+k)) = 0,   kappa = beta_(k-1),   mu = h lambda.
 *
 * The history of the first of these steps lies around the start: k/2 steps after it, which are also
 * the first nodes, and k/2 - 1 steps back in time, which are made when the history is needed. Their
 * compositions of order 8 are much more accurate than the method. */
#include "methods/variational/symmetric_multistep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/inline.h"
#include "base/memory.h"
#include "stepper/method_options.h"
#include "stepper/nested.h"

/* ---- formulas -------------------------------------------------------------------------------- */

/* beta follows from d by the order conditions, the weights of the velocity from the integral of
 * (t - t_(n-1)) a over the last step with a polynomial through the accelerations, and the second
 * difference from its expansion in central differences, 1 + D^2 / 12 - D^4 / 240 + 31 D^6 / 60480.
 *
 * The angles of the roots. Constraints need the roots of sigma on the unit circle as well: the
 * multipliers have waves there. Let x = 2 (1 - cos phi) at z = exp(i phi), and f = -rho / sigma,
 * which is phi^2 but for the error. A wave at phi has an energy with the sign of df/dphi, also at a
 * pole. It is that of the motion (+) or the opposite one (-). Waves exchange energy
 * with the motion, and those of opposite signs among each other, where the motion has overtones at
 * the difference of their angles over h. With f / x = const + sum r_i / (y_i - x), y_i < 4, the
 * order conditions are sum r_i / y_i^(j+1) = 1/12, 1/90, 1/560 for j = 1, 2, 3. Their ratios are
 * less than 1/4, so that from order 6 on not all r_i are positive, whatever the number of steps.
 * Waves have the signs (from the smallest angle on) + for order 4, - + for 6, + - + for 8. A search
 * over all angles, also with one more pair of roots, finds that the least difference (from 0, of
 * neighbours of opposite signs, and of a wave at its mirror image at 2 pi - phi) is at most 1.84,
 * 0.96 and 0.60. Large first angles count more, since overtones fall off exponentially, and small
 * errors. Angles of rho and sigma (with a prime), and the error of the largest term:
 *     order 4:  1.77'+ 2.09+                              0.024 (a = -0.8: 0.204, 0.64+)
 *     order 6:  1.16- 1.20'- 1.81'+ 2.50+                 0.015 (a = -0.8, -0.4: 0.160, 0.64-)
 *     order 8:  0.64'+ 0.64+ 1.16- 1.23'- 1.68'+ 2.35+    0.040
 * Those of order 8 are the paper's; 36 others near them lose at least half as much energy on a
 * double spherical pendulum. The paper's examples of order 4 and 6, in brackets, have larger
 * errors, and waves at smaller angles. */
static const vida_multistep_formula formulas[] = {
    {4, /* a = 0.5 */
     {1.0, 1.0, 1.0},
     {0.0, 5.0 / 4.0, 1.0 / 2.0, 5.0 / 4.0},
     {97.0 / 360.0, 19.0 / 60.0, -13.0 / 120.0, 1.0 / 45.0},
     {0.0, 9.0 / 8.0, -11.0 / 12.0, 7.0 / 24.0},
     {5.0 / 6.0, 1.0 / 12.0},
     -0.5,
     2.4184},
    {6, /* a = -0.4, 0.8 */
     {1.0, 0.8, 0.72, 0.8, 1.0},
     {0.0, 691.0 / 500.0, -46.0 / 125.0, 573.0 / 250.0, -46.0 / 125.0, 691.0 / 500.0},
     {1231.0 / 5040.0, 863.0 / 2016.0, -761.0 / 2520.0, 941.0 / 5040.0, -341.0 / 5040.0,
      107.0 / 10080.0},
     {0.0, 475.0 / 288.0, -247.0 / 90.0, 631.0 / 240.0, -58.0 / 45.0, 367.0 / 1440.0},
     {97.0 / 120.0, 1.0 / 10.0, -1.0 / 240.0},
     0.4,
     21.595},
    {8, /* a = -0.8, -0.4, 0.7 */
     {1.0, -1.0, 0.92, -0.208, 0.92, -1.0, 1.0},
     {0.0, 877487.0 / 630000.0, -100467.0 / 35000.0, 350169.0 / 70000.0, -853261.0 / 157500.0,
      350169.0 / 70000.0, -100467.0 / 35000.0, 877487.0 / 630000.0},
     {416173.0 / 1814400.0, 33953.0 / 64800.0, -341699.0 / 604800.0, 105943.0 / 181440.0,
      -153761.0 / 362880.0, 943.0 / 4725.0, -99359.0 / 1814400.0, 6031.0 / 907200.0},
     {0.0, 36799.0 / 17280.0, -108497.0 / 20160.0, 347233.0 / 40320.0, -255581.0 / 30240.0,
      202261.0 / 40320.0, -33473.0 / 20160.0, 28549.0 / 120960.0},
     {12067.0 / 15120.0, 2171.0 / 20160.0, -73.0 / 10080.0, 31.0 / 60480.0},
     0.8,
     546.303}};

const vida_multistep_formula* vida__multistep_formula(int order) {
  for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
    if (formulas[i].order == order) {
      return &formulas[i];
    }
  }
  return NULL;
}

/* ---- state ----------------------------------------------------------------------------------- */

typedef struct multistep_state multistep_state;

/* Sums over the history of a formula, with its order written out. */
typedef struct history_sums {
  int order;
  /* Computes for the force (n) at the node in a slot: h F, and the parts of the next I and of the
   * equations that do not depend on mu. */
  void (*prepare)(const multistep_state* own, int at, int n, double h, const double* force);
  /* Computes p and its rounding error (n) without force: P of the step in a slot, and shares of J
   * of the nodes before its end. */
  void (*find_momenta)(const multistep_state* own, int at, int n, double* p, double* low);
  /* Adds P, I and J of the step from the node in a slot to the history, for the reaction G^T mu (n)
   * at this node. */
  void (*remember)(const multistep_state* own, int at, int n, const double* reaction);
} history_sums;

/* At node n the history has P and I of the steps before it, and J of the nodes before it. A step
 * adds to the history, and does not read what it has added: a step that is rejected is repeated. */
struct multistep_state {
  const vida_multistep_formula* formula;
  const history_sums* sums;
  double kappa;         /* beta_(k-1) */
  long found;           /* a step, */
  int place;            /* and its slot */
  int last;             /* slot of the last step, since the next one may fail */
  VidaStepper* starter; /* makes the steps around the start */
  VidaStatistics spent; /* by steps back in time */
  int behind;           /* steps before the start, k/2 - 1; 0: they cannot be made */
  bool has_history;
  bool has_uniform_force;
  double *q_start, *v_start; /* n: the state at the start */
  /* n: of step or node j, in the slot of j */
  double *momentum[VIDA_MOST_LAGS], *low[VIDA_MOST_LAGS];   /* P with its rounding error */
  double *change[VIDA_MOST_LAGS], *impulse[VIDA_MOST_LAGS]; /* I, J */
  double* base;                                             /* n: of the equations of a step */
  double* rest; /* n: the part of the next I that does not depend on mu */
  double data[];
};

/* Returns the slot of step or node j, which is not before 1 - k/2. */
static int slot(const multistep_state* own, long j) {
  const int order = own->formula->order;
  return (int)((j + order / 2 - 1) % order);
}

/* Returns the slot of step j, which is mostly the last one or follows it. */
static int find_slot(multistep_state* own, long j) {
  if (j == own->found + 1) {
    own->place = own->place + 1 < own->formula->order ? own->place + 1 : 0;
  } else if (j != own->found) {
    own->place = slot(own, j);
  }
  own->found = j;
  return own->place;
}

/* Returns the slot of j - 1 from that of j; the division in `slot` would be a large part of a step.
 */
static int earlier(const multistep_state* own, int at) {
  return at > 0 ? at - 1 : own->formula->order - 1;
}

/* ---- sums over the history ------------------------------------------------------------------- */

/* The order is a constant where these are called, so that the sums over the history are written
 * out. */
VIDA_ALWAYS_INLINE void prepare(const multistep_state* own, int at, int order, int n, double h,
                                const double* restrict force) {
  const vida_multistep_formula* formula = own->formula;
  const double *impulse[VIDA_MOST_LAGS], *change[VIDA_MOST_LAGS];
  double* restrict push = own->impulse[at];
  double* restrict rest = own->rest;
  double* restrict base = own->base;
  int nearest = earlier(own, at);
  const double *momentum = own->momentum[nearest], *low = own->low[nearest];
  for (int lag = 1; lag <= order - 2; lag++) {
    impulse[lag] = own->impulse[nearest];
    nearest = earlier(own, nearest);
    change[lag] = own->change[nearest];
  }
  VIDA_INDEPENDENT
  for (int i = 0; i < n; i++) {
    push[i] = h * force[i];
    double sum = own->kappa * push[i];
    for (int lag = 1; lag <= order - 2; lag++) {
      sum += formula->beta[lag + 1] * impulse[lag][i] - formula->d[lag] * change[lag][i];
    }
    rest[i] = sum;
    base[i] = -(momentum[i] + (low[i] + sum));
  }
}

/* Computes p (n): P of the step in a slot, shares of J of the nodes before its end, and `start` (n,
 * may be p; NULL: nothing). */
VIDA_ALWAYS_INLINE void find_momenta(const multistep_state* own, int at, int order, int n,
                                     const double* weights, const double* start, double* p) {
  const double *momentum = own->momentum[at], *low = own->low[at], *impulse[VIDA_MOST_LAGS];
  for (int lag = 1; lag < order; lag++, at = earlier(own, at)) {
    impulse[lag] = own->impulse[at];
  }
  VIDA_INDEPENDENT
  for (int i = 0; i < n; i++) {
    double all = start ? start[i] : 0.0;
    for (int lag = 1; lag < order; lag++) {
      all += weights[lag] * impulse[lag][i];
    }
    p[i] = momentum[i] + (low[i] + all);
  }
}

VIDA_ALWAYS_INLINE void remember(const multistep_state* own, int at, int n,
                                 const double* reaction) {
  const int before = earlier(own, at);
  const double kappa = own->kappa, *rest = own->rest;
  const double *momentum = own->momentum[before], *low_before = own->low[before];
  double *next = own->momentum[at], *next_low = own->low[at];
  double *change = own->change[before], *impulse = own->impulse[at];
  VIDA_INDEPENDENT
  for (int i = 0; i < n; i++) {
    double sum = momentum[i], low = low_before[i];
    change[i] = rest[i] - kappa * reaction[i];
    impulse[i] -= reaction[i]; /* it is h F before */
    vida__add_compensated(&sum, &low, change[i]);
    next[i] = sum;
    next_low[i] = low;
  }
}

#define DEFINE_SUMS(name, order, attribute)                                                       \
  attribute static void prepare_##name(const multistep_state* own, int at, int n, double h,       \
                                       const double* force) {                                     \
    prepare(own, at, order, n, h, force);                                                         \
  }                                                                                               \
  attribute static void find_momenta_##name(const multistep_state* own, int at, int n, double* p, \
                                            double* low) {                                        \
    find_momenta(own, at, order, n, own->formula->without_force, NULL, p);                        \
    memset(low, 0, (size_t)n * sizeof *low);                                                      \
  }                                                                                               \
  attribute static void remember_##name(const multistep_state* own, int at, int n,                \
                                        const double* reaction) {                                 \
    remember(own, at, n, reaction);                                                               \
  }
#define LIST_SUMS(name, order) {order, prepare_##name, find_momenta_##name, remember_##name},
#define NO_ATTRIBUTE
DEFINE_SUMS(4, 4, NO_ATTRIBUTE)
DEFINE_SUMS(6, 6, NO_ATTRIBUTE)
DEFINE_SUMS(8, 8, NO_ATTRIBUTE)
static const history_sums plain_sums[] = {LIST_SUMS(4, 4) LIST_SUMS(6, 6) LIST_SUMS(8, 8)};

/* Instructions for four numbers at once round each of them as those for one number do. */
#if defined(__GNUC__) && defined(__x86_64__)
#define WIDE __attribute__((target("avx")))
DEFINE_SUMS(wide_4, 4, WIDE)
DEFINE_SUMS(wide_6, 6, WIDE)
DEFINE_SUMS(wide_8, 8, WIDE)
static const history_sums wide_sums[] = {LIST_SUMS(wide_4, 4) LIST_SUMS(wide_6, 6)
                                             LIST_SUMS(wide_8, 8)};

static const history_sums* all_sums(void) {
  return __builtin_cpu_supports("avx") ? wide_sums : plain_sums;
}
#else
static const history_sums* all_sums(void) {
  return plain_sums;
}
#endif

static const history_sums* find_sums(int order) {
  const history_sums* sums = all_sums();
  while (sums->order != order) {
    sums++;
  }
  return sums;
}

static void destroy(VidaIntegration* self) {
  multistep_state* own = self->state;
  if (own) {
    VidaStepper_Destroy(&own->starter);
  }
}

static int begin_step(VidaIntegration* self);
static void end_step(VidaIntegration* self, const double* w, const double* reaction);
static void find_node_momenta(VidaIntegration* self);

static int allocate(VidaIntegration* self, const vida_multistep_formula* formula,
                    VidaError* error) {
  enum { LISTS = 4, SINGLE = 4 };
  const size_t n = (size_t)self->model.n;
  const size_t arrays = (size_t)(LISTS * formula->order + SINGLE);
  multistep_state* own = vida__allocate(1, sizeof *own + arrays * n * sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->q_start = own->data;
  own->v_start = own->q_start + n;
  own->base = own->v_start + n;
  own->rest = own->base + n;
  double* next = own->rest + n;
  for (int i = 0; i < formula->order; i++, next += LISTS * n) {
    own->momentum[i] = next;
    own->low[i] = next + n;
    own->change[i] = next + 2 * n;
    own->impulse[i] = next + 3 * n;
  }
  own->has_uniform_force =
      self->model.system->separable && vida__has_uniform_force(self->model.system);
  own->formula = formula;
  own->sums = find_sums(formula->order);
  own->kappa = formula->beta[formula->order - 1];
  own->place = slot(own, own->found);
  self->state = own;
  self->implicit.form = (vida_step_form){.base = own->base,
                                         .kappa = &own->kappa,
                                         .begin = begin_step,
                                         .end = end_step,
                                         .find_momenta = find_node_momenta,
                                         .history = own->data,
                                         .history_size = arrays * n,
                                         .spent = &own->spent};
  return VIDA_SUCCESS;
}

static int check(const VidaOptions* options, VidaError* error) {
  const int order = (int)VidaOptions_Get(options, "order");
  return vida__multistep_formula(order)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT, "%s: order: expected 4, 6 or 8, got %d",
                          VidaOptions_Method(options), order);
}

static int create(VidaIntegration* self, VidaError* error) {
  const char* name = self->method->info.name;
  const vida_multistep_formula* formula =
      vida__multistep_formula((int)VidaOptions_Get(self->options, "order"));
  if (self->model.system->jump_time_count > 0) {
    return VIDA_REFUSE_SYSTEM(error,
                              "%s: the stages of its first steps leave the step, and would "
                              "evaluate the C functions of system '%s' on the other side of a "
                              "declared jump in time",
                              name, self->model.system->name);
  }
  int code = vida__check_position_forces(self, error);
  code = code ? code : allocate(self, formula, error);
  multistep_state* own = self->state;
  return code ? code
              : vida__nested_create_with(self, "compose", "scheme", "kahan-li8", &own->starter,
                                         error);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* Computes p = M v (n each); only the mass matrix of a Lagrangian is the same everywhere. */
static int multiply_mass(VidaIntegration* self, const double* v, double* p) {
  const VidaSystem* system = self->model.system;
  if (!system->separable) {
    return vida__gradient(&self->model.evaluator, vida__node_time(self), self->node.q, v,
                          self->work.l_q, p);
  }
  for (int i = 0; i < self->model.n; i++) {
    p[i] = system->mass[i] * v[i];
  }
  return VIDA_SUCCESS;
}

static int residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const multistep_state* own = self->state;
  const double* w = u;
  const double h = self->node.h;
  const int n = self->model.n;
  int code = multiply_mass(self, w, r);
  for (int i = 0; i < n; i++) {
    r[i] += own->base[i];
    self->work.dq[i] = h * w[i];
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
  }
  vida__add_reaction(self->model.system, self->implicit.entries0, own->kappa, u + n, r);
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  code = code ? code
              : vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between,
                                           w, h, self->implicit.g0, self->work.entries, r + n);
  for (int k = 0; k < self->model.m; k++) {
    r[n + k] += self->implicit.g0[k] / h;
  }
  return code;
}

static int jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const multistep_state* own = self->state;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const double t = vida__next_time(self);
  vida__find_place(self, u, 1.0, self->work.q1);
  int code = vida__add_hessian(&self->model.evaluator, t, self->work.q1, u, mass_only, matrix);
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->work.q1, self->work.entries);
  vida__add_columns(self->model.system, self->implicit.entries0, own->kappa, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  return code;
}

/* ---- a step ---------------------------------------------------------------------------------- */

/* Returns the force at the node in *force (n), which may be in `place`. */
static int find_force(VidaIntegration* self, double* place, const double** force) {
  const multistep_state* own = self->state;
  *force = own->has_uniform_force ? self->model.system->uniform_force : place;
  return own->has_uniform_force ? VIDA_SUCCESS
                                : vida__gradient(&self->model.evaluator, vida__node_time(self),
                                                 self->node.q, self->node.v, place, self->work.l_v);
}

/* Computes w and mu. Without constraints and with a diagonal mass matrix, w is explicit. */
static int solve(VidaIntegration* self, VidaError* error) {
  const multistep_state* own = self->state;
  if (self->model.m > 0 || !self->model.system->separable) {
    return vida__solve_step(self, error);
  }
  for (int i = 0; i < self->model.n; i++) {
    self->implicit.unknown[i] = -own->base[i] / self->model.system->mass[i];
  }
  vida__count_evaluations(self);
  return VIDA_SUCCESS;
}

/* Prepares the equations of a step of the formula; vida_step_form.begin. */
static int begin_step(VidaIntegration* self) {
  multistep_state* own = self->state;
  const double* force;
  if (!own->has_history) {
    return VIDA_NOT_SUPPORTED; /* a step of the starter */
  }
  const int code = find_force(self, self->work.place, &force);
  if (!code) {
    own->sums->prepare(own, find_slot(own, self->node.step), self->model.n, self->node.h, force);
  }
  return code;
}

/* Adds the step to the history; vida_step_form.end. */
static void end_step(VidaIntegration* self, const double* w, const double* reaction) {
  multistep_state* own = self->state;
  own->sums->remember(own, own->place, self->model.n, reaction);
  own->last = own->place;
  memcpy(self->node.v, w, (size_t)self->model.n * sizeof *w); /* a guess for the next step */
}

/* Computes p at the end of the last step; vida_step_form.find_momenta. */
static void find_node_momenta(VidaIntegration* self) {
  const multistep_state* own = self->state;
  own->sums->find_momenta(own, own->last, self->model.n, self->node.p, self->node.p_low);
}

static int multistep(VidaIntegration* self, VidaError* error) {
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  const double *w = self->implicit.unknown, *mu = w + self->model.n;
  double* reaction = self->work.place;
  int code = begin_step(self);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = solve(self, error);
  if (code) {
    return code;
  }
  memset(reaction, 0, bytes);
  vida__add_reaction(self->model.system, self->implicit.entries0, 1.0, mu, reaction);
  vida__advance_positions(self, w);
  end_step(self, w, reaction);
  find_node_momenta(self);
  return VIDA_SUCCESS;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Computes J of node j at (t,q,v) from the equations of motion, and the multipliers lambda (m). */
static int find_impulse(VidaIntegration* self, long j, double t, const double* q, const double* v,
                        double* lambda) {
  const multistep_state* own = self->state;
  double* a = self->work.place;
  int code = vida__accelerations(self, t, q, v, a, lambda);
  for (int i = 0; i < self->model.n; i++) {
    a[i] *= self->node.h;
  }
  code = code ? code : multiply_mass(self, a, own->impulse[slot(own, j)]);
  return code;
}

/* Positions as compensated sums, n each. */
typedef struct position {
  const double *q, *low;
} position;

/* Computes w (n) and P of step j. */
static int find_way(VidaIntegration* self, long j, position from, position to, double* w) {
  const multistep_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    w[i] = ((to.q[i] - from.q[i]) + (to.low[i] - from.low[i])) / self->node.h;
    own->low[slot(own, j)][i] = 0.0;
  }
  return multiply_mass(self, w, own->momentum[slot(own, j)]);
}

/* Starts the starter at (t,q,v) and keeps its counts. */
static int restart(VidaIntegration* self, double t, const double* q, const double* v,
                   VidaError* error) {
  multistep_state* own = self->state;
  vida__add_evaluations(&own->spent, &vida__nested_integration(own->starter)->statistics);
  vida__nested_follow(own->starter, self);
  return VidaStepper_StartWithStep(own->starter, t, self->node.h, q, v, error);
}

/* Makes one step of the starter from the time t (s) over h (s), forwards or backwards. */
static int make_stage(VidaIntegration* self, double t, double h, const double** v,
                      VidaError* error) {
  multistep_state* own = self->state;
  vida__nested_follow(own->starter, self);
  const int code = vida__nested_stage(own->starter, 1, t, h, error);
  return code ? code : vida__nested_velocities(own->starter, v, error);
}

/* Makes a step to one of the first nodes. */
static int start_step(VidaIntegration* self, VidaError* error) {
  multistep_state* own = self->state;
  VidaIntegration* starter = vida__nested_integration(own->starter);
  const double t = vida__node_time(self);
  double* mu = self->implicit.unknown + self->model.n;
  const double* v;
  int code = find_impulse(self, self->node.step, t, self->node.q, self->node.v, mu);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  for (int r = 0; r < self->model.m; r++) {
    mu[r] *= self->node.h;
  }
  vida__copy_node(self, starter);
  code = make_stage(self, t, self->node.h, &v, error);
  vida__add_solver_counts(self, starter, NULL);
  vida__add_evaluations(&self->statistics, &own->spent);
  if (code) {
    return code;
  }
  code = find_way(self, self->node.step, (position){self->node.q, self->node.q_low},
                  (position){starter->node.q, starter->node.q_low}, self->implicit.unknown);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__remember_unknown(self);
  vida__copy_node(starter, self);
  memcpy(self->node.v, v, (size_t)self->model.n * sizeof *v);
  return VIDA_SUCCESS;
}

/* Makes the steps back in time from the start. */
static int step_back(VidaIntegration* self, VidaError* error) {
  multistep_state* own = self->state;
  const VidaNode* node = &vida__nested_integration(own->starter)->node;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  const position later = {own->rest, own->base}; /* not needed yet */
  const double* v;
  int code = restart(self, self->node.t0, own->q_start, own->v_start, error);
  for (int j = 1; j <= own->behind && !code; j++) {
    const double t = self->node.t0 - (double)j * self->node.h;
    memcpy(own->rest, node->q, bytes);
    memcpy(own->base, node->q_low, bytes);
    code = make_stage(self, t + self->node.h, -self->node.h, &v, error);
    if (!code) {
      code = find_way(self, -j, (position){node->q, node->q_low}, later, self->work.dq);
      code = code ? code : find_impulse(self, -j, t, node->q, v, self->work.g_work);
    }
  }
  return code;
}

/* Computes I of the steps before the node. */
static void find_changes(VidaIntegration* self) {
  multistep_state* own = self->state;
  for (long j = -own->behind; j < self->node.step - 1; j++) {
    const double* momentum = own->momentum[slot(own, j)];
    const double* next = own->momentum[slot(own, j + 1)];
    for (int i = 0; i < self->model.n; i++) {
      own->change[slot(own, j)][i] = next[i] - momentum[i];
    }
  }
}

/* Completes the history for the first step of the formula. Where the motion cannot be followed back
 * in time (a formula may have no value before the start), the history begins at the start, and the
 * starter must make more steps before the formula can be used. */
static int complete_history(VidaIntegration* self, VidaError* error) {
  multistep_state* own = self->state;
  VidaError unused;
  const int code = own->behind > 0 ? step_back(self, &unused) : VIDA_SUCCESS;
  const int stop = vida__interrupted(self, vida__node_time(self));
  if (stop) {
    return vida__fail(error, stop, "%s", Vida_CodeText(stop));
  }
  if (code) {
    self->model.evaluator.error = (VidaError){0};
    own->behind = 0;
    return restart(self, vida__node_time(self), self->node.q, self->node.v, error);
  }
  vida__add_evaluations(&own->spent, &vida__nested_integration(own->starter)->statistics);
  find_changes(self);
  own->has_history = true;
  return VIDA_SUCCESS;
}

static int start(VidaIntegration* self, VidaError* error) {
  multistep_state* own = self->state;
  const size_t bytes = (size_t)self->model.n * sizeof(double);
  own->behind = own->formula->order / 2 - 1;
  own->has_history = false;
  own->spent = (VidaStatistics){0};
  memcpy(own->q_start, self->node.q, bytes);
  memcpy(own->v_start, self->node.v, bytes);
  const int code = vida__nested_start(own->starter, self, self->node.h, error);
  if (!code) {
    vida__copy_node(vida__nested_integration(own->starter), self);
    memcpy(own->base, self->node.p, bytes); /* for the matrices that the frame prepares */
  }
  return code;
}

/* Returns the first node from which the formula can make a step. */
static long first_node(const multistep_state* own) {
  return own->formula->order - 1 - own->behind;
}

static int step(VidaIntegration* self, VidaError* error) {
  const multistep_state* own = self->state;
  int code = VIDA_SUCCESS;
  if (self->node.step >= first_node(own) && !own->has_history) {
    code = complete_history(self, error);
  }
  if (code) {
    return code;
  }
  return self->node.step < first_node(own) ? start_step(self, error) : multistep(self, error);
}

/* ---- what can be asked ----------------------------------------------------------------------- */

/* The projection finds the part of h M^-1 G^T lambda at the node, which no step has computed yet.
 */
static int velocities(VidaIntegration* self, double* v, VidaError* error) {
  const multistep_state* own = self->state;
  const double t = vida__node_time(self);
  const long node = self->node.step;
  const int n = self->model.n;
  double* p = self->work.place;
  memcpy(v, self->node.v, (size_t)n * sizeof *v);
  if (node <= first_node(own)) {
    return VIDA_SUCCESS; /* those of the starter */
  }
  const double* force;
  int code = find_force(self, p, &force);
  for (int i = 0; i < n && !code; i++) {
    p[i] = self->node.h * force[i] * own->formula->with_force[0];
  }
  if (!code) {
    find_momenta(own, slot(own, node - 1), own->formula->order, n, own->formula->with_force, p, p);
  }
  code = code ? code : vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  return code
             ? vida__evaluation_failed(self, code, error)
             : vida__project_velocity(self, t, self->node.q, self->work.entries, p, v, NULL, error);
}

/* A smooth motion satisfies the formula of the second difference nearly exactly, the parasitic
 * solutions exp(i theta t / h), which change their sign against the force, do not at all. The
 * defect of their momenta P is that of P_j - P_(j-1) over 2 sin(theta / 2), largest for the
 * smallest theta, whose waves grow first. */
static double parasitic_energy(const VidaIntegration* self) {
  const multistep_state* own = self->state;
  const vida_multistep_formula* formula = own->formula;
  const int half = formula->order / 2;
  const double* weights = formula->second_difference;
  const long centre = self->node.step - half;
  const double least = 2.0 * (1.0 - formula->lowest_cosine); /* (2 sin(theta / 2))^2 */
  double sum = 0.0;
  if (!own->has_history) {
    return NAN;
  }
  const double* later = own->momentum[slot(own, centre)];
  const double* before = own->momentum[slot(own, centre - 1)];
  for (int i = 0; i < self->model.n; i++) {
    double impulse = weights[0] * own->impulse[slot(own, centre)][i];
    for (int lag = 1; lag < half; lag++) {
      impulse += weights[lag] * (own->impulse[slot(own, centre - lag)][i] +
                                 own->impulse[slot(own, centre + lag)][i]);
    }
    const double defect = (later[i] - before[i] - impulse) * self->model.inverse_root[i];
    sum += defect * defect;
  }
  return formula->lowest_energy * 0.5 * sum / least;
}

static void record_state(VidaIntegration* self, VidaRecord* record) {
  multistep_state* own = self->state;
  VidaRecord_Reals(record, own->data, self->implicit.form.history_size);
  vida__record_statistics(&own->spent, record);
  vida__record_integers(record, &own->behind, 1, 0, own->formula->order / 2 - 1);
  VidaRecord_Flag(record, &own->has_history);
  vida__nested_record(own->starter, record);
}

static int order(const VidaOptions* chosen) {
  return (int)VidaOptions_Get(chosen, "order");
}

static const VidaOptionRow options[] = {
    {"order", VIDA_OPTION_INTEGER, "1", 8.0, 4.0, 8.0, false, NULL,
     "Order: 4, 6 or 8, which is also the number of steps of the formula. Steps of all orders cost "
     "nearly the same."},
    VIDA_PLAN_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__symmetric_multistep = {
    .size = sizeof(VidaMethod),
    .info =
        {"symmetric-multistep",
         "explicit symmetric multistep methods of order 4, 6 and 8 at the price of SHAKE",
         "Console, Hairer and Lubich 2013; Hairer and Lubich 2004",
         "A constant mass matrix, potentials, and forces of positions and time. Stable for "
         "steps below 1.41 (order 4), 0.88 (6) and 0.93 (8) over the largest frequency of the "
         "potential. Energy and momenta, although not exact, do not drift as long as the motion "
         "has no overtones at the frequencies of the parasitic solutions, 2.1 / h (order 4), "
         "1.2 / h (6) and 0.64 / h (8) the first: runs of 10^7 steps drift where a rod turns by "
         "more than about 0.06 (order 4), 0.045 (6) or 0.023 rad (8) per step, and runs where "
         "the parasitic solutions grow have a warning. The first steps of a start are "
         "compositions (kahan-li8).",
         8,
         VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL | VIDA_CAN_TIME_DEPENDENT |
             VIDA_CAN_POSITION_FORCES},
    .options = options,
    .equations = {residual, jacobian, vida__step_sizes, vida__guess_free_flight},
    .check = check,
    .create = create,
    .start = start,
    .step = step,
    .state = record_state,
    .velocities = velocities,
    .energy = vida__node_energy,
    .multipliers = vida__node_multipliers,
    .parasitic_energy = parasitic_energy,
    .order = order,
    .destroy = destroy};
