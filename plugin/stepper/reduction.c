#include "stepper/reduction.h"

#include "base/error.h"
#include "base/given_solver.h"
#include "stepper/method_options.h"

/* Its matrices are dense: more unknowns cost seconds per step. */
enum { MOST_UNKNOWNS = 1000 };

int vida__check_reduction(const VidaIntegration* self, VidaError* error) {
  const char* method = self->method->info.name;
  const VidaSystem* system = self->model.system;
  if (!vida__is_reduced(self->options)) {
    return VIDA_SUCCESS;
  }
  if (self->model.m == 0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: reduction = null-space does not fit, since system '%s' has no "
                      "constraints; leave the option out",
                      method, system->name);
  }
  if (system->has_reactive_forces) {
    const char* row = "";
    const char* force = vida__reactive_name(system, &row);
    return vida__fail(
        error, VIDA_NOT_SUPPORTED,
        "%s: reduction = null-space does not fit, since the force '%s' depends on the "
        "multiplier of '%s', which it removes; leave the option out",
        method, force, row);
  }
  if (system->pattern.size > MOST_UNKNOWNS) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: reduction = null-space has dense matrices, and is for at most %d "
                      "coordinates and constraints; system '%s' has %d",
                      method, MOST_UNKNOWNS, system->name, system->pattern.size);
  }
  if (vida__gives_solver(self->services)) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s: reduction = null-space has a linear solver of its own, and does not fit "
                      "create_solver",
                      method);
  }
  return VIDA_SUCCESS;
}

int vida__check_reduced_start(const VidaIntegration* self, VidaError* error) {
  const int* rows = NULL;
  if (!vida__is_reduced(self->options) || !self->model.redundant ||
      vida__dependent_rows(self, &rows) == 0) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_NOT_SUPPORTED,
                    "%s: reduction = null-space needs independent constraints, and '%s' of system "
                    "'%s' depends on others at the start; leave the option out",
                    self->method->info.name, self->model.system->rows[rows[0]].name,
                    self->model.system->name);
}
