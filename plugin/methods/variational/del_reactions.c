/* Forces that depend on multipliers in discrete Euler-Lagrange steps.
 *
 * Such a force acts at the nodes, where the impulses of the constraints act, and with their
 * weights: the momentum after a node is p - kappa (G^T mu - h f(q,v,mu/h)), where v is the mean of
 * the velocities w on both sides of the node. Methods that project have a half impulse on each
 * side, and take w of the step on that side. Both are symmetric, and of second order. */
#include <string.h>

#include "methods/variational/del_step.h"

/* Returns the rates of the forces at the node at which a step starts, and how much of w is in them.
 */
static const double* find_rates(VidaIntegration* self, const double* w, double* share) {
  const vida_variational_state* own = self->state;
  const bool is_one_sided =
      own->rule->projects || self->one_step || self->node.step == 0 || !own->has_step;
  *share = is_one_sided ? 1.0 : 0.5;
  for (int i = 0; i < self->model.n && !is_one_sided; i++) {
    own->rates[i] = 0.5 * (own->w[i] + w[i]);
  }
  return is_one_sided ? w : own->rates;
}

int vida__del_find_reactive_force(VidaIntegration* self, const double* w, const double* mu,
                                  double* force) {
  double share = 1.0;
  const double* rates = find_rates(self, w, &share);
  vida__begin_reactions(self, mu, self->node.h);
  const int code = vida__reactive_force(&self->model.evaluator, vida__node_time(self), self->node.q,
                                        rates, force, self->work.l_v);
  vida__end_reactions(self);
  return code;
}

int vida__del_add_reactive_slopes(VidaIntegration* self, const double* w, const double* mu,
                                  double* matrix) {
  const vida_variational_state* own = self->state;
  double share = 1.0;
  const double t = vida__node_time(self);
  const double* rates = find_rates(self, w, &share);
  vida__begin_reactions(self, mu, self->node.h);
  int code = vida__add_reactive_columns(&self->model.evaluator, t, self->node.q, rates, -own->kappa,
                                        matrix);
  const vida_hessian_weights by_rates = {0.0, -own->kappa * self->node.h * share, 0.0, 0.0};
  code = code ? code
              : vida__add_hessian_of(&self->model.evaluator, VIDA_PART_REACTIVE, t, self->node.q,
                                     rates, by_rates, matrix);
  vida__end_reactions(self);
  return code;
}

static int solve_with_node_matrix(void* self, double* x) {
  return vida__linear_solve(((VidaIntegration*)self)->model.node_matrix, x, x);
}

/* With x = (2 (v - v0) / h, 2 nu / h), where v0 and nu0 are those without f:
 *     M x_v + G^T x_nu = G^T 2 nu0 / h + f(x_nu),   G x_v = 0. */
int vida__del_project_reactive(VidaIntegration* self, double t, const double* entries, double* v,
                               double* nu, double* force) {
  const vida_variational_state* own = self->state;
  const int n = self->model.n, m = self->model.m;
  const double scale = 2.0 / self->node.h;
  double *x = self->work.node_step, *guess = vida__reactions_guess(self->model.reactions);
  vida_evaluator* evaluator = &self->model.evaluator;
  for (int r = 0; r < m; r++) {
    guess[r] = x[n + r] = scale * nu[r];
  }
  evaluator->multipliers = guess;
  int code = vida__reactive_force(evaluator, t, self->node.q, own->w, x, self->work.l_v);
  vida__add_reaction(self->model.system, entries, 1.0, x + n, x);
  memset(x + n, 0, (size_t)m * sizeof *x);
  code = code ? code
              : vida__reactions_solve(self->model.reactions, evaluator, t, self->node.q, own->w,
                                      solve_with_node_matrix, self, x);
  code =
      code ? code : vida__reactive_force(evaluator, t, self->node.q, own->w, force, self->work.l_v);
  evaluator->multipliers = NULL;
  for (int i = 0; i < n && !code; i++) {
    v[i] += x[i] / scale;
    force[i] /= scale;
  }
  for (int r = 0; r < m && !code; r++) {
    nu[r] = x[n + r] / scale;
  }
  return code;
}
