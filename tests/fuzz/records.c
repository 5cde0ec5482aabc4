/* Inputs that are records of methods, as plug-ins have them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <vida/method.h>
#include <vida/vida.h>

#include "fuzz.h"
#include "support/bob.h"

static int accept(VidaIntegration* integration, VidaError* error) {
  (void)integration, (void)error;
  return VIDA_SUCCESS;
}

static int write_velocities(VidaIntegration* integration, double* v, VidaError* error) {
  (void)error;
  v[0] = VidaIntegration_Node(integration)->p[0];
  return VIDA_SUCCESS;
}

/* Makes a record in which some members are wrong; a registered one lives as long as the program. */
static void try_record(lua_State* L, uint64_t seed) {
  static const char* const texts[] = {NULL,   "",  "rattle", "Ä", "a b", "x\n", "0",
                                      "free", "h", "auto|",  "|", "a|b", "\x1b"};
  (void)L, (void)seed;
  VidaMethod* method = calloc(1, sizeof *method);
  VidaOptionRow* rows = calloc(4, sizeof *rows);
  char* name = malloc(16);
  VidaError error = {0};
  if (!method || !rows || !name) {
    fuzz_fail("out of memory");
  }
  snprintf(name, 16, "m%llu", (unsigned long long)fuzz_draw(1000000000));
  *method = (VidaMethod){.size = sizeof *method,
                         .info = {name, "title", "source", "none", 1, VIDA_LIMIT_UNCONSTRAINED},
                         .options = rows,
                         .create = accept,
                         .start = accept,
                         .step = accept,
                         .velocities = write_velocities,
                         .energy = VidaIntegration_NodeEnergy};
  const int count = (int)fuzz_draw(4);
  for (int i = 0; i < count; i++) {
    rows[i] = (VidaOptionRow){
        texts[fuzz_draw(13)],       (VidaOptionType)fuzz_draw(7), texts[fuzz_draw(13)],
        (double)fuzz_draw(5) - 2.0, (double)fuzz_draw(5) - 2.0,   (double)fuzz_draw(5) - 2.0,
        fuzz_draw(2) == 0,          texts[fuzz_draw(13)],         texts[fuzz_draw(13)]};
  }
  unsigned char* bytes = (unsigned char*)method;
  for (uint64_t changes = fuzz_draw(3); changes > 0; changes--) {
    switch (fuzz_draw(6)) {
      case 0:
        method->size = fuzz_draw(2) ? fuzz_draw(2 * sizeof *method) : (size_t)-1;
        break;
      case 1:
        ((const char**)&method->info)[fuzz_draw(4)] = texts[fuzz_draw(13)];
        break;
      case 2:
        method->info.order = (int)fuzz_draw(2000) - 1000;
        break;
      case 3:
        method->info.capabilities = (unsigned)fuzz_draw(UINT32_MAX);
        break;
      case 4:
        method->options = NULL;
        break;
      default: { /* a function that is not there */
        const size_t first = offsetof(VidaMethod, create) / sizeof(void*);
        const size_t at = first + fuzz_draw(sizeof *method / sizeof(void*) - first);
        memset(bytes + at * sizeof(void*), 0, sizeof(void*));
        break;
      }
    }
  }
  if (Vida_RegisterMethod(method, &error) || Vida_MethodCount() == 0) {
    free(method);
    free(rows);
    free(name);
    return;
  }
  VidaSystem* system = NULL;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  int code = bob_system(0.1, 0.0, 0.0, false, &system, &error);
  code = code ? code : VidaSystem_Complete(system, &error);
  code = code ? code : VidaOptions_Create(method->info.name, &options, &error);
  if (!code) {
    VidaOptions_SetReal(options, "h", 0.1, &error);
    code = VidaStepper_Create(system, options, &stepper, &error);
  }
  for (int i = 0; i < 3 && !code; i++) {
    code = VidaStepper_Step(stepper, &error);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  VidaSystem_Destroy(&system);
}

const fuzz_kind fuzz_record = {"record", NULL, try_record};
