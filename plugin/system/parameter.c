/* Parameters and observables of a system. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/model/build.h"
#include "system/power.h"
#include "system/terms/derive.h"

int vida__check_finite_value(const char* kind, const char* name, const char* what, double value,
                             VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  return isfinite(value)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: expected a finite number, got %s",
                          kind, name, what, vida__shortest_text(got, value));
}

int vida__check_kind(const char* kind, const char* name, const char* what, int value, int last,
                     VidaError* error) {
  return value >= 0 && value <= last
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no kind number %d", kind,
                          name, what, value);
}

/* ---- parameters ------------------------------------------------------------------------------ */

int VidaSystem_AddParameter(VidaSystem* system, const char* name, double value, int* index,
                            VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, name);
  code = code ? code : vida__check_addition(system, "parameter", name, error);
  code = code ? code : vida__check_finite_value("parameter", name, "value", value, error);
  if (code) {
    return code;
  }
  if (VidaSystem_ParameterIndex(system, name) >= 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there are two parameters named '%s'", name);
  }
  const size_t count = (size_t)system->parameter_count + 1;
  if (vida__reserve((void**)&system->parameters, &system->parameter_capacity, count,
                    sizeof *system->parameters) ||
      vida__reserve((void**)&system->parameter_values, &system->value_capacity, count,
                    sizeof *system->parameter_values)) {
    return vida__fail_memory(error);
  }
  char* copy = vida__copy_text(name);
  if (!copy) {
    return vida__fail_memory(error);
  }
  if (index) {
    *index = system->parameter_count;
  }
  system->parameter_values[system->parameter_count] = value;
  system->parameters[system->parameter_count++].name = copy;
  return VIDA_SUCCESS;
}

/* Copies the value of a parameter to the instances that follow it. */
static void follow_links(VidaSystem* system, int parameter) {
  for (int i = 0; i < system->link_count; i++) {
    const vida_link* link = &system->links[i];
    if (link->parameter != parameter) {
      continue;
    }
    double* values = link->of_constraint ? system->constraint_batches[link->batch].parameter
                                         : system->term_batches[link->batch].parameter;
    values[link->place] = system->parameter_values[parameter];
  }
}

int VidaSystem_SetParameter(VidaSystem* system, int parameter, double value, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (parameter < 0 || parameter >= system->parameter_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': there is no parameter number %d",
                      system->name, parameter);
  }
  int code = vida__check_finite_value("parameter", system->parameters[parameter].name, "value",
                                      value, error);
  if (code) {
    return code;
  }
  const double before = system->parameter_values[parameter];
  system->parameter_values[parameter] = value;
  follow_links(system, parameter);
  code = system->complete ? vida__fill_masses(system, error) : VIDA_SUCCESS;
  code = code || !system->complete ? code : vida__find_energy_sources(system, error);
  if (code) {
    VidaError unused;
    system->parameter_values[parameter] = before;
    follow_links(system, parameter);
    vida__fill_masses(system, &unused);
  }
  return code;
}

int VidaSystem_ParameterCount(const VidaSystem* system) {
  return system ? system->parameter_count : 0;
}

const char* VidaSystem_ParameterName(const VidaSystem* system, int parameter) {
  return system && parameter >= 0 && parameter < system->parameter_count
             ? system->parameters[parameter].name
             : NULL;
}

double VidaSystem_ParameterValue(const VidaSystem* system, int parameter) {
  return system && parameter >= 0 && parameter < system->parameter_count
             ? system->parameter_values[parameter]
             : (double)NAN;
}

int VidaSystem_ParameterIndex(const VidaSystem* system, const char* name) {
  for (int i = 0; system && name && i < system->parameter_count; i++) {
    if (strcmp(system->parameters[i].name, name) == 0) {
      return i;
    }
  }
  return -1;
}

/* ---- observables ----------------------------------------------------------------------------- */

int VidaSystem_AddObservable(VidaSystem* system, const char* name, const char* unit, bool conserved,
                             VidaExpression value, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_traced* traced = NULL;
  int code = vida__check_addition(system, "observable", name, error);
  code = code ? code : vida__check_unit("observable", name, unit, error);
  for (int i = 0; i < system->observable_count && !code; i++) {
    if (strcmp(system->observables[i].name, name) == 0) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT, "there are two observables named '%s'", name);
    }
  }
  if (!code && (!system->graph || value < 0 || value >= system->graph->count)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "observable '%s': this expression does not belong to system '%s'", name,
                      system->name);
  }
  code = code ? code
              : vida__derive_term(system, VIDA_TRACED_VALUE, name, 1, NULL, &value, &traced, error);
  if (code) {
    return code;
  }
  const size_t count = (size_t)system->observable_count + 1;
  vida_observable added = {vida__copy_text(name), vida__copy_text(unit ? unit : ""), conserved};
  if (!added.name || !added.unit ||
      vida__reserve((void**)&system->observables, &system->observable_capacity, count,
                    sizeof *system->observables) ||
      vida__reserve((void**)&system->observable_batches, &system->observable_batch_capacity, count,
                    sizeof *system->observable_batches)) {
    free(added.name);
    free(added.unit);
    vida__release_functions(&traced->base);
    return vida__fail_memory(error);
  }
  vida_term_batch* batch = &system->observable_batches[count - 1];
  batch->kernel = traced->term;
  batch->width = traced->width;
  batch->functions = &traced->base;
  system->observables[count - 1] = added;
  system->observable_count++;
  return vida__append_term(batch, traced->index, NULL) ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int VidaSystem_ObservableCount(const VidaSystem* system) {
  return system ? system->observable_count : 0;
}

const char* VidaSystem_ObservableName(const VidaSystem* system, int index) {
  return system && index >= 0 && index < system->observable_count ? system->observables[index].name
                                                                  : NULL;
}

const char* VidaSystem_ObservableUnit(const VidaSystem* system, int index) {
  return system && index >= 0 && index < system->observable_count ? system->observables[index].unit
                                                                  : NULL;
}

bool VidaSystem_ObservableIsConserved(const VidaSystem* system, int index) {
  return system && index >= 0 && index < system->observable_count &&
         system->observables[index].conserved;
}
