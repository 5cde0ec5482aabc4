/* The bridge over SUNDIALS 6.4 to 7.x: every difference between versions is here and in sundials.c.
 */
#ifndef VIDA_BASE_SUNDIALS_H
#define VIDA_BASE_SUNDIALS_H

#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_types.h>

#define VIDA_SUNDIALS_AT_LEAST(major, minor) \
  (SUNDIALS_VERSION_MAJOR > (major) ||       \
   (SUNDIALS_VERSION_MAJOR == (major) && SUNDIALS_VERSION_MINOR >= (minor)))

#if !VIDA_SUNDIALS_AT_LEAST(6, 4)
#error "SUNDIALS 6.4 or newer is required"
#endif
#if defined(SUNDIALS_SINGLE_PRECISION) || defined(SUNDIALS_EXTENDED_PRECISION)
#error "SUNDIALS in double precision is required"
#endif

#if VIDA_SUNDIALS_AT_LEAST(7, 0)
#include <sundials/sundials_errors.h>
#else
typedef int SUNErrCode;
#endif

/* Where SUNDIALS' own messages go: the last one is kept, none is printed. */
typedef struct vida_sink {
  char message[256];
} vida_sink;

int vida__context_create(SUNContext* context);

typedef enum vida_package {
  VIDA_KINSOL,
  VIDA_IDA,
  VIDA_CVODE,
  VIDA_ERKSTEP,
  VIDA_ARKSTEP
} vida_package;

/* VIDA_ARKODE calls a function that ERKStep and ARKStep have in common, VIDA_ARKSTEP_CALL one that
 * only implicit methods have: from 7.1 on both are ARKODE's, before they are of the package. A file
 * that uses them includes the headers of both packages. */
#if VIDA_SUNDIALS_AT_LEAST(7, 1)
#define VIDA_ARKODE(package, name, ...) ((void)(package), ARKode##name(__VA_ARGS__))
#define VIDA_ARKSTEP_CALL(name, ...) ARKode##name(__VA_ARGS__)
#else
#define VIDA_ARKODE(package, name, ...) \
  ((package) == VIDA_ARKSTEP ? ARKStep##name(__VA_ARGS__) : ERKStep##name(__VA_ARGS__))
#define VIDA_ARKSTEP_CALL(name, ...) ARKStep##name(__VA_ARGS__)
#endif

/* The object that chooses steps, where ARKODE has it as one; else NULL. */
#if VIDA_SUNDIALS_AT_LEAST(6, 7)
#include <sundials/sundials_adaptcontroller.h>
typedef SUNAdaptController vida_controller;
#else
typedef void* vida_controller;
#endif

/* Makes ERKStep or ARKStep choose steps by their error and that of the step before:
 * h safety error^(-now/(p+1)) (error before)^(past/(p+1)), no more than `growth` times as large,
 * with p the order of the embedded formula. *controller outlives `memory` and is then destroyed by
 * vida__destroy_controller; it may be set on failure, too. Returns 0 or a flag. */
int vida__set_controller(vida_package package, void* memory, SUNContext context, int p, double now,
                         double past, double safety, double growth, vida_controller* controller);
void vida__destroy_controller(vida_controller controller);

/* Sends the messages of an integrator's or solver's memory (6.x), or of its whole context (7.x),
 * into `sink`. */
int vida__silence(vida_package package, void* memory, SUNContext context, vida_sink* sink);
/* Name of a package's flag; SUNDIALS' own functions lack some and want their strings freed. */
const char* vida__flag_name(vida_package package, int flag);

#endif
