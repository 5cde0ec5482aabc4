/* The bridge over SUNDIALS 6.4 to 7.x. All differences between versions are in this file and in
 * sundials.c. */
#ifndef VIDA_BASE_SUNDIALS_H
#define VIDA_BASE_SUNDIALS_H

#include <stdbool.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_logger.h>
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

/* The last message of SUNDIALS, which is not printed. */
typedef struct vida_sink {
  char message[256];
  bool is_shared; /* the context is that of a program, and its handlers get the messages */
#if !VIDA_SUNDIALS_AT_LEAST(7, 0)
  SUNLogger logger; /* of a shared context; nullable */
#endif
} vida_sink;

/* Creates a context. Returns 0 or a flag. */
int vida__context_create(SUNContext* context);

/* These functions create a serial vector, a dense matrix and a sparse matrix in compressed columns.
 * They return NULL if memory is lacking, where SUNDIALS 7 returns objects without arrays. */
N_Vector vida__new_vector(sunindextype size, SUNContext context);
SUNMatrix vida__new_dense_matrix(sunindextype size, SUNContext context);
SUNMatrix vida__new_sparse_matrix(sunindextype size, sunindextype entries, SUNContext context);

typedef enum vida_package {
  VIDA_KINSOL,
  VIDA_IDA,
  VIDA_CVODE,
  VIDA_ERKSTEP,
  VIDA_ARKSTEP
} vida_package;

/* VIDA_ARKODE calls a function that ERKStep and ARKStep share, VIDA_ARKSTEP_CALL a function for
 * implicit methods only. From version 7.1 on these functions belong to ARKODE, in earlier versions
 * to the package. A file that uses the macros includes the headers of both packages. */
#if VIDA_SUNDIALS_AT_LEAST(7, 1)
#define VIDA_ARKODE(package, name, ...) ((void)(package), ARKode##name(__VA_ARGS__))
#define VIDA_ARKSTEP_CALL(name, ...) ARKode##name(__VA_ARGS__)
#else
#define VIDA_ARKODE(package, name, ...) \
  ((package) == VIDA_ARKSTEP ? ARKStep##name(__VA_ARGS__) : ERKStep##name(__VA_ARGS__))
#define VIDA_ARKSTEP_CALL(name, ...) ARKStep##name(__VA_ARGS__)
#endif

/* The step size controller, an object since SUNDIALS 6.7; NULL in older versions. */
#if VIDA_SUNDIALS_AT_LEAST(6, 7)
#include <sundials/sundials_adaptcontroller.h>
typedef SUNAdaptController vida_controller;
#else
typedef void* vida_controller;
#endif

/* Makes ERKStep or ARKStep choose steps by the last two errors: h safety error^(-now/(p+1))
 * (previous error)^(past/(p+1)), at most `growth` times h, where p is the order of the embedded
 * formula. The caller frees *controller with vida__destroy_controller after `memory`, also after a
 * failure. Returns 0 or a flag. */
int vida__set_controller(vida_package package, void* memory, SUNContext context, int p, double now,
                         double past, double safety, double growth, vida_controller* controller);
/* Frees a controller; NULL is allowed. */
void vida__destroy_controller(vida_controller controller);

/* Redirects the messages of an integrator or solver (6.x), or of its whole context (7.x), to
 * `sink`. If that is shared, the messages go to the logger (6.x) or to the handlers (7.x) of the
 * context; in 7.x the sink then stays empty. Returns 0 or a flag. */
int vida__redirect_messages(vida_package package, void* memory, SUNContext context,
                            vida_sink* sink);
/* Returns the name of a flag of a package. (The functions of SUNDIALS do not know all flags, and
 * allocate their results.) */
const char* vida__flag_name(vida_package package, int flag);

#endif
