/* The functions for methods outside the library (vida/method.h), with dense matrices and plain
 * arrays. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stepper/frame.h"

const VidaSystem* VidaIntegration_System(const VidaIntegration* integration) {
  return integration ? integration->model.system : NULL;
}

const VidaOptions* VidaIntegration_Options(const VidaIntegration* integration) {
  return integration ? integration->options : NULL;
}

VidaNode* VidaIntegration_Node(VidaIntegration* integration) {
  return integration ? &integration->node : NULL;
}

void* VidaIntegration_State(VidaIntegration* integration) {
  return integration ? integration->state : NULL;
}

void VidaIntegration_SetState(VidaIntegration* integration, void* state) {
  if (integration) {
    integration->state = state;
  }
}

double VidaIntegration_Time(const VidaIntegration* integration) {
  return integration ? vida__node_time(integration) : (double)NAN;
}

/* The result of an evaluation, with its message. */
static int finish(VidaIntegration* integration, int code, VidaError* error) {
  return code ? vida__evaluation_failed(integration, code, error) : VIDA_SUCCESS;
}

int VidaIntegration_Gradient(VidaIntegration* integration, double t, const double* q,
                             const double* v, double* l_q, double* l_v, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, v, l_q, l_v)) {
    return VIDA_BAD_ARGUMENT;
  }
  return finish(integration, vida__gradient(&integration->model.evaluator, t, q, v, l_q, l_v),
                error);
}

int VidaIntegration_MassMatrix(VidaIntegration* integration, double t, const double* q,
                               const double* v, double* mass, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, v, mass)) {
    return VIDA_BAD_ARGUMENT;
  }
  const vida_model* model = &integration->model;
  const vida_pattern* pattern = &model->system->pattern;
  const vida_hessian_weights mass_only = {0.0, 0.0, 0.0, 1.0};
  const int n = model->n;
  vida__linear_clear(model->node_matrix);
  const int code = vida__add_hessian(&integration->model.evaluator, t, q, v, mass_only,
                                     model->node_matrix->values);
  memset(mass, 0, (size_t)n * (size_t)n * sizeof *mass);
  for (int j = 0; j < n && !code; j++) {
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      if (pattern->row[k] < n) {
        mass[(size_t)pattern->row[k] * (size_t)n + (size_t)j] = model->node_matrix->values[k];
      }
    }
  }
  return finish(integration, code, error);
}

int VidaIntegration_Constraints(VidaIntegration* integration, double t, const double* q, double* g,
                                VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, g)) {
    return VIDA_BAD_ARGUMENT;
  }
  return finish(integration, vida__constraints(&integration->model.evaluator, t, q, NULL, g),
                error);
}

int VidaIntegration_ConstraintJacobian(VidaIntegration* integration, double t, const double* q,
                                       double* jacobian, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, jacobian)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaSystem* system = integration->model.system;
  const size_t n = (size_t)integration->model.n;
  const int code = vida__jacobian(&integration->model.evaluator, t, q, integration->work.entries);
  memset(jacobian, 0, (size_t)integration->model.m * n * sizeof *jacobian);
  for (int e = 0; e < system->entry_count && !code; e++) {
    const vida_jacobian_entry* entry = &system->entries[e];
    jacobian[(size_t)entry->row * n + (size_t)entry->coordinate] += integration->work.entries[e];
  }
  return finish(integration, code, error);
}

int VidaIntegration_Accelerations(VidaIntegration* integration, double t, const double* q,
                                  const double* v, double* a, double* lambda, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, v, a, lambda)) {
    return VIDA_BAD_ARGUMENT;
  }
  return finish(integration, vida__accelerations(integration, t, q, v, a, lambda), error);
}

int VidaIntegration_ProjectVelocities(VidaIntegration* integration, double t, const double* q,
                                      const double* p, double* v, double* nu, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, q, p, v)) {
    return VIDA_BAD_ARGUMENT;
  }
  double* entries = integration->work.entries;
  const int code = vida__jacobian(&integration->model.evaluator, t, q, entries);
  return code ? vida__evaluation_failed(integration, code, error)
              : vida__project_velocity(integration, t, q, entries, p, v, nu, error);
}

int VidaIntegration_NodeEnergy(VidaIntegration* integration, double* energy, double* t,
                               VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration, energy, t)) {
    return VIDA_BAD_ARGUMENT;
  }
  return vida__node_energy(integration, energy, t, error);
}

int VidaIntegration_NodeMultipliers(VidaIntegration* integration, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, integration)) {
    return VIDA_BAD_ARGUMENT;
  }
  return vida__node_multipliers(integration, error);
}
