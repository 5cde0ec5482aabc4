/* Accelerations, multipliers and energies at a node, from its positions and velocities alone, and
 * states near it. */
#include <math.h>
#include <string.h>

#include "stepper/frame.h"

void vida__take_reactions(VidaIntegration* self, const double* mu, double h) {
  double* lambda = vida__reactions_work(self->model.reactions);
  for (int r = 0; r < self->model.m; r++) {
    lambda[r] = mu[r] / h;
  }
  self->model.evaluator.multipliers = lambda;
}

static int solve_with_node_matrix(void* self, double* x) {
  return vida__linear_solve(((VidaIntegration*)self)->model.node_matrix, x, x);
}

/* Solves the equations of motion with the factors of the node matrix. */
static int solve_motion(VidaIntegration* self, double t, const double* q, const double* v,
                        double* x) {
  if (!self->model.reactions) {
    return vida__linear_solve(self->model.node_matrix, x, x);
  }
  return self->model.has_open_reactions
             ? vida__fail_dependent_reactions(self->model.system, &self->model.evaluator.error)
             : vida__reactions_solve(self->model.reactions, &self->model.evaluator, t, q, v,
                                     solve_with_node_matrix, self, x);
}

int vida__accelerations(VidaIntegration* self, double t, const double* q, const double* v,
                        double* a, double* lambda) {
  double* right_side = self->work.node_step;
  double* bias = right_side + self->model.n;
  const double* kept = self->model.evaluator.multipliers;
  if (self->model.reactions) {
    vida__reactions_forget(self->model.reactions);
    self->model.evaluator.multipliers = vida__reactions_guess(self->model.reactions);
  }
  int code = vida__jacobian(&self->model.evaluator, t, q, self->work.entries);
  code = code ? code : vida__factor_matrix_at(self, t, q, self->work.entries, v);
  code = code
             ? code
             : vida__motion_bias(&self->model.evaluator, t, q, v, right_side, bias, self->work.l_v);
  self->model.evaluator.multipliers = kept;
  for (int r = 0; r < self->model.m; r++) {
    bias[r] = -bias[r];
  }
  code = code ? code : solve_motion(self, t, q, v, right_side);
  if (!code) {
    memcpy(a, right_side, (size_t)self->model.n * sizeof *a);
    memcpy(lambda, bias, (size_t)self->model.m * sizeof *lambda);
  }
  return code;
}

bool vida__advance_shortly(VidaIntegration* self, double t, double way, double* q, double* v) {
  double* a = self->work.place;
  if (vida__accelerations(self, t, q, v, a, self->model.least_norm)) {
    return false;
  }
  for (int i = 0; i < self->model.n; i++) {
    q[i] += way * (v[i] + 0.5 * way * a[i]);
    v[i] += way * a[i];
  }
  return true;
}

int vida__copy_state(VidaIntegration* self, double* q, double* v, VidaError* error) {
  const double* found;
  const size_t bytes = (size_t)self->model.n * sizeof *q;
  const int code = vida__node_velocities(self, &found, error);
  if (!code) {
    memcpy(q, self->node.q, bytes);
    memcpy(v, found, bytes);
  }
  return code;
}

int vida__node_multipliers(VidaIntegration* self, VidaError* error) {
  const double t = vida__node_time(self);
  const double* v;
  int code = vida__node_velocities(self, &v, error);
  if (code) {
    return code;
  }
  code = vida__accelerations(self, t, self->node.q, v, self->work.place, self->node.lambda);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  self->node.lambda_t = t;
  return VIDA_SUCCESS;
}

void vida__measure_tension(VidaIntegration* self) {
  double* lambda = self->work.constraint_work;
  const double t = vida__node_time(self);
  self->model.tension = 0.0;
  if (self->model.m == 0 ||
      vida__accelerations(self, t, self->node.q, self->node.v, self->work.place, lambda)) {
    return;
  }
  for (int r = 0; r < self->model.m; r++) {
    const double size = fabs(lambda[r]) * self->model.row_stiffness[r];
    self->model.tension = isfinite(size) ? fmax(self->model.tension, size) : self->model.tension;
  }
}

/* Returns the velocities at the node if they are known without further work; otherwise NULL. */
static const double* find_known_velocities(const VidaIntegration* self) {
  const VidaStepper* stepper = (const VidaStepper*)self;
  return stepper->has_node_velocity ? stepper->node_velocity
         : self->node.step == 0     ? self->node.v
                                    : NULL;
}

double vida__kinetic_size(const VidaIntegration* self) {
  const double* v = find_known_velocities(self);
  const bool has_masses = self->model.system->separable;
  double sum = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const double scaled = self->node.p[i] * self->model.inverse_root[i];
    if (!v) {
      sum += scaled * scaled;
    } else if (has_masses) { /* the discrete momenta of some methods are not M v */
      sum += self->model.system->mass[i] * v[i] * v[i];
    } else { /* the masses at the start do not apply to quaternions that have rotated */
      sum += fabs(self->node.p[i] * v[i]);
    }
  }
  return 0.5 * sum;
}

double vida__potential_size(const VidaIntegration* self) {
  double* place = self->work.speed;
  double sum = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    place[i] = fabs(self->node.q[i]);
  }
  vida__share_sizes(self->model.system, place);
  for (int i = 0; i < self->model.n; i++) {
    sum += self->model.force_size[i] * place[i];
  }
  return sum;
}

double vida__rest_energy(const VidaIntegration* self, double time) {
  static const double part = 1e-8; /* about the square root of rounding */
  double size = 0.0;
  for (int i = 0; i < self->model.n; i++) {
    const bool is_angle = strcmp(self->model.system->coordinates[i].unit, "rad") == 0;
    const double place = fmax(fabs(self->node.q[i]), is_angle ? 1.0 : 0.0);
    size = fmax(size, self->model.root_mass[i] * place);
  }
  const double speed = time > 0.0 ? part * size / time : 0.0;
  return 0.5 * speed * speed;
}

int vida__midpoint_energy(VidaIntegration* self, const double* w, double* value, double* t,
                          VidaError* error) {
  *t = vida__node_time(self) - 0.5 * self->node.h;
  vida__find_place(self, w, -0.5, self->work.place);
  const int code = vida__energy(&self->model.evaluator, *t, self->work.place, w, self->work.l_q,
                                self->work.l_v, value);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

int vida__line_action(VidaIntegration* self, const vida_line_rule* rule, double t, const double* w,
                      double* action, VidaError* error) {
  const double h = self->node.h;
  *action = 0.0;
  for (int k = 0; k < rule->places; k++) {
    double lagrangian = 0.0;
    vida__find_place(self, w, rule->c[k] - 1.0, self->work.place);
    const int code = vida__lagrangian(&self->model.evaluator, t + rule->c[k] * h, self->work.place,
                                      w, &lagrangian);
    if (code) {
      return vida__evaluation_failed(self, code, error);
    }
    *action += rule->b[k] * h * lagrangian;
  }
  return VIDA_SUCCESS;
}

int vida__node_energy(VidaIntegration* self, double* value, double* t, VidaError* error) {
  const double* v;
  const vida_node_values* known = &((const VidaStepper*)self)->values;
  *t = vida__node_time(self);
  if (known->is_known) {
    *value = known->energy;
    return VIDA_SUCCESS;
  }
  int code = vida__node_velocities(self, &v, error);
  if (code) {
    return code;
  }
  code = vida__energy(&self->model.evaluator, *t, self->node.q, v, self->work.l_q, self->work.l_v,
                      value);
  return code ? vida__evaluation_failed(self, code, error) : VIDA_SUCCESS;
}

int vida__project_rates(VidaIntegration* self, double t, const double* q, double* v,
                        VidaError* error) {
  const int code = vida__momenta(&self->model.evaluator, t, q, v, self->work.l_q, self->node.p);
  return code
             ? vida__evaluation_failed(self, code, error)
             : vida__project_velocity(self, t, q, self->work.entries, self->node.p, v, NULL, error);
}

int vida__project_node(VidaIntegration* self, double t, double* nu, VidaError* error) {
  const double* entries;
  int code = vida__jacobian_after_step(self, t, &entries);
  if (code) {
    return vida__evaluation_failed(self, code, error);
  }
  code =
      vida__project_velocity(self, t, self->node.q, entries, self->node.p, self->node.v, nu, error);
  if (!code) {
    vida__add_impulses(self, entries, -1.0, nu);
  }
  return code;
}
