/* Discrete Euler-Lagrange methods with constraints, in position-momentum form.
 *
 * The discrete Lagrangian takes L along the straight line from q0 to q1 = q0 + h w,
 *     Ld(q0,q1) = h sum_i b_i L(q0 + c_i h w, w),
 * with b = {1}, c = {1/2} for del-midpoint (Wendlandt and Marsden 1997, eq. 4.1, 4.6), c = {1} for
 * del-endpoint (4.16: SHAKE, Verlet without constraints) and b = {1/2, 1/2}, c = {0, 1} for
 * del-trapezoidal and rattle. A step solves sum_i b_i [L_v - h (1 - c_i) L_q](q0 + c_i h w, w) - p0
 * + kappa G(q0)^T mu = 0,  g(q1) = 0 for w and mu = h lambda, kappa being 1 between two steps and
 * 1/2 at an end. Then p1 = p0 + h sum_i b_i L_q - kappa G(q0)^T mu, which in this form keeps
 * momentum maps even where the equations are solved to rounding only.
 *
 * Forces f stand where L_q stands (Lacoursiere 2007, eq. 11, with both discrete forces from the
 * places of Ld). Nonholonomic rows act like G(q0)^T and ask for A w + b = 0 on the line: in its
 * middle, which is symmetric, or at q1 (Lacoursiere 2007, eq. 13); or their impulses are given, and
 * the momenta at nodes satisfy the rows (gni.c). */
#include "methods/variational/del_step.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

static bool projects(const VidaIntegration* self) {
  const vida_variational_state* own = self->state;
  return own->rule->projects || self->one_step;
}

static double step_weight(const VidaIntegration* self) {
  return projects(self) || self->node.step == 0 ? 0.5 : 1.0;
}

static void enter(VidaIntegration* self) {
  vida_variational_state* own = self->state;
  own->kappa = step_weight(self);
}

/* At the ends of a step the force of a potential is known or not needed: only M w depends on w. */
static bool is_explicit(const VidaIntegration* self, double c) {
  return self->model.system->separable && (c == 0.0 || c == 1.0);
}

int vida__del_create(VidaIntegration* self, const vida_discrete_lagrangian* rule,
                     VidaError* error) {
  const size_t n = (size_t)self->model.n;
  const size_t m = (size_t)self->model.m;
  const size_t entries =
      self->model.system->nonholonomic ? (size_t)self->model.system->entry_count : 0;
  const size_t reactive = self->model.reactions ? 2 * n : 0;
  const size_t more = reactive + (rule->reflects ? 3 * m : 2 * entries);
  vida_variational_state* own =
      vida__allocate(1, sizeof *own + (2 * n + m + more) * sizeof own->data[0]);
  if (!own) {
    return vida__fail_memory(error);
  }
  own->rule = rule;
  own->numbers = 2 * n + m + more;
  own->base = own->data;
  own->w = own->base + n;
  own->impulse = own->w + n;
  if (rule->reflects) {
    own->given = own->impulse + m;
    own->alpha = own->given + m;
    own->alpha_before = own->alpha + m;
  } else {
    own->rows = own->impulse + m;
    own->slopes = own->rows + entries;
  }
  if (reactive > 0) {
    own->rates = own->data + own->numbers - reactive;
    own->reactive = own->rates + n;
  }
  own->row_place = 0.5;
  own->midpoint_energy = VidaOptions_HasChoice(self->options, "energy", "midpoint");
  self->state = own;
  vida__keep_in_steps(self, own->w, (n + m) * sizeof *own->w); /* and impulse */
  if (own->given) {
    vida__keep_in_steps(self, own->given, 3 * m * sizeof *own->given); /* alpha, alpha_before */
  }
  vida__keep_in_steps(self, &own->kappa, sizeof own->kappa);
  vida__keep_in_steps(self, &own->has_step, sizeof own->has_step);
  vida_step_form form = {.base = own->base,
                         .kappa = &own->kappa,
                         .projects = rule->projects,
                         .enter = enter,
                         .w = own->w,
                         .impulse = own->impulse};
  bool is_linear = true; /* in w, apart from the constraints */
  for (int k = 0; k < rule->line.places; k++) {
    is_linear = is_linear && is_explicit(self, rule->line.c[k]);
    form.start_force += rule->line.c[k] == 0.0 ? rule->line.b[k] : 0.0;
    form.end_force += rule->line.c[k] == 1.0 ? rule->line.b[k] : 0.0;
  }
  if (is_linear) {
    self->implicit.form = form;
  }
  return VIDA_SUCCESS;
}

void vida__del_state(VidaIntegration* self, VidaRecord* record) {
  vida_variational_state* own = self->state;
  VidaRecord_Reals(record, own->data, own->numbers);
  VidaRecord_Reals(record, &own->kappa, 1);
  VidaRecord_Flag(record, &own->has_step);
}

/* ---- the equations of a step ----------------------------------------------------------------- */

/* The weight of a row mu = given, which gives it the size of a constraint row. */
static double given_weight(const VidaIntegration* self, int r) {
  return self->model.matrix_stiffness[r] * self->model.matrix_stiffness[r];
}

static void put_given_rows(const VidaIntegration* self, const double* mu, double* rows) {
  const vida_variational_state* own = self->state;
  for (int r = 0; r < self->model.m; r++) {
    if (self->model.system->rows[r].is_nonholonomic) {
      rows[r] = given_weight(self, r) * (mu[r] - own->given[r]);
    }
  }
}

int vida__del_residual(void* data, const double* u, double* r) {
  VidaIntegration* self = data;
  const vida_variational_state* own = self->state;
  const vida_discrete_lagrangian* rule = own->rule;
  const double* w = u;
  const double* mu = u + self->model.n;
  const double h = self->node.h;
  memcpy(r, own->base, (size_t)self->model.n * sizeof *r);
  vida__add_reaction(self->model.system, self->implicit.entries0, own->kappa, mu, r);
  for (int k = 0; k < rule->line.places; k++) {
    const double b = rule->line.b[k];
    const double c = rule->line.c[k];
    if (is_explicit(self, c)) {
      for (int i = 0; i < self->model.n; i++) {
        r[i] += b * self->model.system->mass[i] * w[i];
      }
      continue;
    }
    vida__find_place(self, w, c, self->work.place);
    const int code = vida__momenta(&self->model.evaluator, vida__place_time(self, c),
                                   self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      r[i] += b * (self->work.l_v[i] - h * (1.0 - c) * self->work.l_q[i]);
    }
  }
  if (own->reactive) {
    const int code = vida__del_find_reactive_force(self, w, mu, own->reactive);
    for (int i = 0; i < self->model.n; i++) {
      r[i] -= own->kappa * h * own->reactive[i];
    }
    if (code) {
      return code;
    }
  }
  double* rows = r + self->model.n;
  for (int i = 0; i < self->model.n; i++) {
    self->work.dq[i] = h * w[i];
    self->work.q1[i] = self->node.q[i] + self->work.dq[i];
  }
  const vida_interval between =
      vida__interval(&self->model.evaluator, self->node.q, self->work.q1, self->work.dq);
  const int code =
      vida__constraint_increment(&self->model.evaluator, vida__next_time(self), &between, w, h,
                                 self->implicit.g0, self->work.entries, rows);
  for (int i = 0; i < self->model.m; i++) {
    rows[i] += self->implicit.g0[i] / h;
  }
  if (code || !self->model.system->nonholonomic) {
    return code;
  }
  if (own->given) {
    put_given_rows(self, mu, rows);
    return VIDA_SUCCESS;
  }
  vida__find_place(self, w, own->row_place, self->work.place);
  return vida__nonholonomic(&self->model.evaluator, vida__place_time(self, own->row_place),
                            self->work.place, w, rows);
}

/* Writes the derivatives of nonholonomic rows with respect to w, A + c h a_q, into the entries of
 * G. */
static int replace_nonholonomic_entries(VidaIntegration* self, const double* w) {
  vida_variational_state* own = self->state;
  const VidaSystem* system = self->model.system;
  const double t = vida__place_time(self, own->row_place);
  vida__find_place(self, w, own->row_place, self->work.place);
  int code = vida__jacobian(&self->model.evaluator, t, self->work.place, own->rows);
  code = code ? code
              : vida__nonholonomic_gradient(&self->model.evaluator, t, self->work.place, w,
                                            own->slopes);
  for (int e = 0; e < system->entry_count && !code; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      self->work.entries[e] = own->rows[e] + own->row_place * self->node.h * own->slopes[e];
    }
  }
  return code;
}

void vida__put_given_entries(VidaIntegration* self, double* matrix) {
  const VidaSystem* system = self->model.system;
  for (int e = 0; e < system->entry_count; e++) {
    if (system->rows[system->entries[e].row].is_nonholonomic) {
      self->work.entries[e] = 0.0;
    }
  }
  for (int r = 0; r < self->model.m; r++) {
    if (system->rows[r].is_nonholonomic) {
      matrix[vida__constraint_diagonal(system, r)] += given_weight(self, r);
    }
  }
}

int vida__del_jacobian(void* data, const double* u, double* matrix) {
  VidaIntegration* self = data;
  const vida_variational_state* own = self->state;
  const vida_discrete_lagrangian* rule = own->rule;
  const double* w = u;
  const double h = self->node.h;
  for (int k = 0; k < rule->line.places; k++) {
    const double b = rule->line.b[k];
    const double c = rule->line.c[k];
    const double rest = h * (1.0 - c);
    const vida_hessian_weights weights = {-b * rest * h * c, -b * rest, b * h * c, b};
    vida__find_place(self, w, c, self->work.place);
    const int code =
        vida__add_hessian_of(&self->model.evaluator, VIDA_PART_ALL & ~VIDA_PART_REACTIVE,
                             vida__place_time(self, c), self->work.place, w, weights, matrix);
    if (code) {
      return code;
    }
  }
  if (own->reactive) {
    const int code = vida__del_add_reactive_slopes(self, w, u + self->model.n, matrix);
    if (code) {
      return code;
    }
  }
  vida__find_place(self, w, 1.0, self->work.q1);
  int code = vida__jacobian(&self->model.evaluator, vida__next_time(self), self->work.q1,
                            self->work.entries);
  if (!code && self->model.system->nonholonomic && own->given) {
    vida__put_given_entries(self, matrix);
  } else if (!code && self->model.system->nonholonomic) {
    code = replace_nonholonomic_entries(self, w);
  }
  vida__add_columns(self->model.system, self->implicit.entries0, own->kappa, matrix);
  vida__add_rows(self->model.system, self->work.entries, 1.0, matrix);
  return code;
}

/* Computes base = -p0 minus the forces at q0 that do not depend on w. */
static int prepare_base(VidaIntegration* self) {
  vida_variational_state* own = self->state;
  const vida_discrete_lagrangian* rule = own->rule;
  for (int i = 0; i < self->model.n; i++) {
    own->base[i] = -(self->node.p[i] + self->node.p_low[i]);
  }
  for (int k = 0; k < rule->line.places; k++) {
    if (rule->line.c[k] != 0.0 || !is_explicit(self, 0.0)) {
      continue;
    }
    const int code = vida__momenta(&self->model.evaluator, vida__node_time(self), self->node.q,
                                   self->node.v, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      own->base[i] -= rule->line.b[k] * self->node.h * self->work.l_q[i];
    }
  }
  return VIDA_SUCCESS;
}

/* ---- after a solve --------------------------------------------------------------------------- */

/* Adds `weight` times own->reactive to p. */
static void add_reactive_impulses(VidaIntegration* self, double weight) {
  const vida_variational_state* own = self->state;
  for (int i = 0; i < self->model.n; i++) {
    vida__add_compensated(&self->node.p[i], &self->node.p_low[i], weight * own->reactive[i]);
  }
}

/* Adds h sum b_i L_q to p, before the positions advance. */
static int advance_momenta(VidaIntegration* self, const double* w) {
  const vida_variational_state* own = self->state;
  const vida_discrete_lagrangian* rule = own->rule;
  double* p_low = self->node.p_low;
  for (int k = 0; k < rule->line.places; k++) {
    const double weight = self->node.h * rule->line.b[k];
    vida__find_place(self, w, rule->line.c[k], self->work.place);
    const int code = vida__momenta(&self->model.evaluator, vida__place_time(self, rule->line.c[k]),
                                   self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return code;
    }
    for (int i = 0; i < self->model.n; i++) {
      vida__add_compensated(&self->node.p[i], &p_low[i], weight * self->work.l_q[i]);
    }
  }
  const double* mu = self->implicit.unknown + self->model.n;
  int code = VIDA_SUCCESS;
  if (own->reactive) {
    code = vida__del_find_reactive_force(self, w, mu, own->reactive);
    add_reactive_impulses(self, own->kappa * self->node.h);
  }
  vida__add_impulses(self, self->implicit.entries0, -own->kappa, mu);
  return code;
}

/* Computes the multiplier at the node at which the step starts; after a projection, from the half
 * impulses on both sides of the node. */
static void take_multipliers(VidaIntegration* self) {
  const vida_variational_state* own = self->state;
  const double* mu = self->implicit.unknown + self->model.n;
  const bool has_halves = projects(self) && own->has_step;
  for (int r = 0; r < self->model.m; r++) {
    const bool is_given = own->given && self->model.system->rows[r].is_nonholonomic;
    const double total = has_halves && !is_given ? 0.5 * mu[r] + own->impulse[r] : mu[r];
    self->node.lambda[r] = total / self->node.h;
  }
  self->node.lambda_t = vida__node_time(self);
}

int vida__del_advance(VidaIntegration* self, VidaError* error) {
  vida_variational_state* own = self->state;
  const double* w = self->implicit.unknown;
  own->kappa = step_weight(self);
  int code = prepare_base(self);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__solve_step(self, error);
  if (code) {
    return code;
  }
  take_multipliers(self);
  code = advance_momenta(self, w);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  vida__advance_positions(self, w);
  memcpy(own->w, w, (size_t)self->model.n * sizeof *w);
  own->has_step = true;
  return VIDA_SUCCESS;
}

/* Projects p with the half impulse of the forces that depend on multipliers. */
static int project_with_reactions(VidaIntegration* self, double t, VidaError* error) {
  const vida_variational_state* own = self->state;
  const double* entries;
  int code = vida__jacobian_after_step(self, t, &entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code = vida__project_velocity(self, t, self->node.q, entries, self->node.p, self->node.v,
                                own->impulse, error);
  if (code) {
    return code;
  }
  code = vida__del_project_reactive(self, t, entries, self->node.v, own->impulse, own->reactive);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  add_reactive_impulses(self, 1.0);
  vida__add_impulses(self, entries, -1.0, own->impulse);
  return VIDA_SUCCESS;
}

int vida__project_momenta(VidaIntegration* self, double t, VidaError* error) {
  const vida_variational_state* own = self->state;
  return own->reactive ? project_with_reactions(self, t, error)
                       : vida__project_node(self, t, own->impulse, error);
}

int vida__del_step(VidaIntegration* self, VidaError* error) {
  const int code = vida__del_advance(self, error);
  return code || !self->one_step ? code : vida__project_momenta(self, vida__next_time(self), error);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Adds weight h L_q at the node to p: the part of the force that the momentum at the node contains.
 */
static int add_force(VidaIntegration* self, double t, const double* v, double weight, double* p) {
  const int code =
      vida__momenta(&self->model.evaluator, t, self->node.q, v, self->work.l_q, self->work.l_v);
  for (int i = 0; i < self->model.n && !code; i++) {
    p[i] += weight * self->node.h * self->work.l_q[i];
  }
  return code;
}

int vida__del_start(VidaIntegration* self, VidaError* error) {
  vida_variational_state* own = self->state;
  own->has_step = false;
  own->kappa = 0.5;
  int code = vida__momenta(&self->model.evaluator, self->node.t0, self->node.q, self->node.v,
                           self->work.l_q, self->work.l_v);
  memcpy(self->node.p, self->work.l_v, (size_t)self->model.n * sizeof(double));
  if (!code && own->rule->lead != 0.0) {
    code = add_force(self, self->node.t0, self->node.v, own->rule->lead, self->node.p);
  }
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

/* Computes p1 = D2 Ld(q0,q1) (Wendlandt and Marsden 1997, eq. 3.1). */
int vida__del_start_two_points(VidaIntegration* self, const double* q1, VidaError* error) {
  vida_variational_state* own = self->state;
  const vida_discrete_lagrangian* rule = own->rule;
  const double* w = self->node.v;
  memcpy(own->w, w, (size_t)self->model.n * sizeof *w);
  for (int k = 0; k < rule->line.places; k++) {
    vida__find_place(self, w, rule->line.c[k], self->work.place);
    const int code = vida__momenta(&self->model.evaluator, vida__place_time(self, rule->line.c[k]),
                                   self->work.place, w, self->work.l_q, self->work.l_v);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
    for (int i = 0; i < self->model.n; i++) {
      self->node.p[i] += rule->line.b[k] *
                         (self->work.l_v[i] + self->node.h * rule->line.c[k] * self->work.l_q[i]);
    }
  }
  memcpy(self->node.q, q1, (size_t)self->model.n * sizeof *q1);
  self->node.step = 1;
  self->statistics.steps = 1;
  own->has_step = true;
  own->kappa = step_weight(self);
  return rule->projects ? vida__project_momenta(self, vida__node_time(self), error) : VIDA_SUCCESS;
}

/* ---- what can be asked ----------------------------------------------------------------------- */

int vida__del_velocities(VidaIntegration* self, double* v, VidaError* error) {
  const vida_variational_state* own = self->state;
  const double t = vida__node_time(self);
  double* p = self->work.place;
  if (self->node.step == 0 || projects(self)) {
    memcpy(v, self->node.v, (size_t)self->model.n * sizeof *v);
    return VIDA_SUCCESS;
  }
  memcpy(p, self->node.p, (size_t)self->model.n * sizeof *p);
  memcpy(v, own->w, (size_t)self->model.n * sizeof *v);
  int code = vida__jacobian(&self->model.evaluator, t, self->node.q, self->work.entries);
  if (!code && own->rule->lead != 0.0) {
    code = add_force(self, t, v, -own->rule->lead, p);
  }
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  double* nu = own->reactive ? own->impulse : NULL;
  code = vida__project_velocity(self, t, self->node.q, self->work.entries, p, v, nu, error);
  if (!code && own->reactive) {
    code = vida__del_project_reactive(self, t, self->work.entries, v, own->impulse, own->reactive);
    return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
  }
  return code;
}

int vida__del_energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const vida_variational_state* own = self->state;
  return own->midpoint_energy && self->node.step > 0
             ? vida__midpoint_energy(self, own->w, value, t, error)
             : vida__node_energy(self, value, t, error);
}

int vida__del_action(VidaIntegration* self, double t, double* action, VidaError* error) {
  const vida_variational_state* own = self->state;
  return vida__line_action(self, &own->rule->line, t, own->w, action, error);
}
