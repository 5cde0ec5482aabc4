#include "stepper/nested.h"

#include <math.h>
#include <string.h>

#include "stepper/frame.h"
#include "stepper/jumps.h"
#include "stepper/method_options.h"

int vida__nested_create(VidaIntegration* outer, const char* name, VidaStepper** nested,
                        VidaError* error) {
  return vida__nested_create_with(outer, name, NULL, NULL, nested, error);
}

int vida__nested_create_with(VidaIntegration* outer, const char* name, const char* option,
                             const char* value, VidaStepper** nested, VidaError* error) {
  const VidaOptions* given = outer->options;
  const char* const shared[] = {"h", "tolerance", "max_iterations"};
  VidaOptions* options = NULL;
  const char* nonlinear = vida__asked_solver(given);
  char solver[16];
  VidaOptions_Text(given, "linear_solver", solver, sizeof solver);
  int code = VidaOptions_Create(name, &options, error);
  for (size_t i = 0; i < sizeof shared / sizeof shared[0] && !code; i++) {
    if (i == 0 || isfinite(VidaOptions_Get(options, shared[i]))) { /* of some methods only h */
      code = VidaOptions_SetReal(options, shared[i], VidaOptions_Get(given, shared[i]), error);
    }
  }
  if (!code && isfinite(VidaOptions_Get(options, "linear_solver"))) {
    code = VidaOptions_SetText(options, "linear_solver", solver, error);
  }
  if (nonlinear && !code) {
    code = VidaOptions_SetText(options, "solver", nonlinear, error);
  }
  if (option && !code) {
    code = VidaOptions_SetText(options, option, value, error);
  }
  code = code ? code
              : vida__create_stepper(outer->model.system, options, outer->services, nested, error);
  VidaOptions_Destroy(&options);
  outer->implicit.is_nesting = true;
  if (!code) {
    vida__jumps_destroy(&(*nested)->jumps); /* the outer one meets them */
    (*nested)->outer = vida__frame_of(outer);
  }
  return code;
}

void vida__nested_set_stages(VidaStepper* nested, int stages) {
  nested->self.one_step = true;
  nested->stages = stages;
}

VidaIntegration* vida__nested_integration(VidaStepper* nested) {
  return &nested->self;
}

void vida__nested_follow(VidaStepper* nested, const VidaIntegration* outer) {
  nested->segment = ((const VidaStepper*)outer)->segment;
}

int vida__nested_start(VidaStepper* nested, const VidaIntegration* outer, double h,
                       VidaError* error) {
  vida__nested_follow(nested, outer);
  return VidaStepper_StartWithStep(nested, outer->node.t0, h, outer->node.q, outer->node.v, error);
}

void vida__nested_set_clock(VidaStepper* nested, double t0, double h) {
  nested->self.node.t0 = t0;
  nested->self.node.h = h;
  nested->self.node.step = 0;
}

int vida__nested_step(VidaStepper* nested, VidaError* error) {
  return VidaStepper_Step(nested, error);
}

void vida__nested_keep(VidaStepper* nested) {
  const VidaIntegration* self = &nested->self;
  memcpy(nested->kept, self->node.q, (size_t)(5 * self->model.n + self->model.m) * sizeof(double));
  vida__keep_own(nested);
}

void vida__nested_return(VidaStepper* nested) {
  const VidaIntegration* self = &nested->self;
  memcpy(self->node.q, nested->kept, (size_t)(5 * self->model.n + self->model.m) * sizeof(double));
  vida__return_own(nested);
  vida__replace_node(nested);
}

int vida__nested_stage(VidaStepper* nested, int stage, double t, double h, VidaError* error) {
  VidaIntegration* self = &nested->self;
  vida__nested_set_clock(nested, t, h);
  nested->stage = stage;
  int code = self->implicit.prepare(self, error);
  code = code ? code : self->method->step(self, error);
  nested->has_node_velocity = false;
  return code;
}

void vida__nested_end_stages(VidaStepper* nested) {
  nested->self.node.step = 1;
  nested->has_node_velocity = false;
}

int vida__nested_velocities(VidaStepper* nested, const double** v, VidaError* error) {
  return vida__node_velocities(&nested->self, v, error);
}

void vida__copy_node(const VidaIntegration* from, VidaIntegration* to) {
  memcpy(to->node.q, from->node.q,
         (size_t)(5 * from->model.n + from->model.m) * sizeof *to->node.q);
  to->implicit.has_entries_next = false;
}

void vida__add_solver_counts(VidaIntegration* to, const VidaIntegration* a,
                             const VidaIntegration* b) {
  const VidaStatistics none = {0};
  const VidaStatistics* more = b ? &b->statistics : &none;
  to->statistics.newton_iterations = a->statistics.newton_iterations + more->newton_iterations;
  to->statistics.residual_evaluations =
      a->statistics.residual_evaluations + more->residual_evaluations;
  to->statistics.jacobian_evaluations =
      a->statistics.jacobian_evaluations + more->jacobian_evaluations;
}
