/* Steppers in the SUNContext of a program. */
#include <stdlib.h>
#include <vida/contact.h>
#include <vida/event.h>
#include <vida/sundials.h>

#include "base/error.h"
#include "base/given_solver.h"
#include "base/memory.h"
#include "stepper/frame.h"

static int check_services(const VidaSundialsServices* services, VidaError* error) {
  if (services->size != sizeof *services) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "VidaSundialsServices has %zu bytes instead of %zu: it is of another version, "
        "or its member size is not set",
        services->size, sizeof *services);
  }
  if (!services->context) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the context of VidaSundialsServices is NULL");
  }
  return VIDA_SUCCESS;
}

/* A solver that no step would call is a mistake of the program. */
static int check_use(const VidaStepper* stepper, VidaError* error) {
  const vida_services* services = stepper->services;
  if (services->given.create_solver && services->solver_count == 0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "%s cannot use a given linear solver: its steps are not solved by the Newton "
                      "method of VIDA",
                      stepper->self.method->info.name);
  }
  return VIDA_SUCCESS;
}

int VidaStepper_CreateInContext(const VidaSystem* system, const VidaOptions* options,
                                const VidaSundialsServices* services, VidaStepper** stepper,
                                VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  *stepper = NULL;
  if (VIDA_REFUSE_NULL(error, system, options, services)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = check_services(services, error);
  if (!code && (VidaSystem_EventCount(system) > 0 || VidaSystem_ContactCount(system) > 0)) {
    code = vida__fail(
        error, VIDA_NOT_SUPPORTED,
        "system '%s' has events or contacts, which need steppers with solvers of their own; use "
        "VidaStepper_Create",
        VidaSystem_Name(system));
  }
  if (code) {
    return code;
  }
  vida_services* kept = vida__allocate(1, sizeof *kept);
  if (!kept) {
    return vida__fail_memory(error);
  }
  kept->given = *services;
  code = vida__create_stepper(system, options, kept, stepper, error);
  if (code) {
    free(kept);
    return vida__name_alternatives(system, options, code, error);
  }
  (*stepper)->services = kept;
  code = check_use(*stepper, error);
  if (code) {
    VidaStepper_Destroy(stepper);
  }
  return code;
}
