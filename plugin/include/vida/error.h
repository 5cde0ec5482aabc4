/* Error codes and error messages, and the conventions of all functions.
 *
 * Every function that can fail returns an int: 0 on success; > 0 for a recoverable failure of a
 * step, which a smaller step may avoid; < 0 for a failure that a repetition does not avoid.
 * Callbacks given to VIDA follow this convention as well. The library never prints and never exits.
 *
 * A pointer may be NULL only where the comment of its function says so ("nullable"); VidaError* may
 * always be NULL. A function that can fail refuses other NULL pointers with VIDA_BAD_ARGUMENT
 * ("VidaSystem_Start: q is NULL"). A function that only returns a value then returns its value for
 * "nothing": 0, -1 for an index, false, NaN, "" or NULL. */
#ifndef VIDA_ERROR_H
#define VIDA_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, value, text): the only list of codes; the enumeration and the texts come from it. */
#define VIDA_CODE_LIST(X)                                                       \
  X(SUCCESS, 0, "success")                                                      \
  X(STEP_NOT_CONVERGED, 1, "the equations of the step could not be solved")     \
  X(STEP_SINGULAR, 2, "the matrix of the step is singular")                     \
  X(CALLBACK_RECOVERABLE, 3, "a callback could not be evaluated at this state") \
  X(NOT_FINITE, 4, "a quantity is not a finite number")                         \
  X(OUT_OF_MEMORY, -1, "out of memory")                                         \
  X(BAD_ARGUMENT, -2, "a value is not allowed")                                 \
  X(UNKNOWN_NAME, -3, "an unknown name")                                        \
  X(WRONG_ORDER, -4, "a function was called too early or too late")             \
  X(INCONSISTENT_START, -5, "the initial values violate a constraint")          \
  X(NOT_SUPPORTED, -6, "the method cannot do what is asked")                    \
  X(CALLBACK_FAILED, -7, "a callback failed")                                   \
  X(STEP_DOES_NOT_FIT, -8, "the step does not divide the time")                 \
  X(INPUT_OUTPUT, -9, "a file could not be read or written")                    \
  X(SOLVER_FAILED, -10, "a solver of SUNDIALS failed")                          \
  X(STOPPED, -11, "stopped on request")                                         \
  X(WALL_LIMIT, -12, "the wall time limit was exceeded")

/* Return values of functions; VIDA_SUCCESS is 0. */
#define VIDA_CODE_ENUMERATOR(name, value, text) VIDA_##name = (value),
typedef enum VidaCode { VIDA_CODE_LIST(VIDA_CODE_ENUMERATOR) } VidaCode;
#undef VIDA_CODE_ENUMERATOR

#define VIDA_MESSAGE_SIZE 512 /* bytes of a message, its NUL among them */
#define VIDA_FLAG_SIZE 32     /* bytes of the name of a flag */

/* An error with a message for the user. Every function that can fail takes a VidaError* as its last
 * argument (nullable) and fills it on failure only. */
typedef struct VidaError {
  int code;                        /* a VidaCode */
  char flag[VIDA_FLAG_SIZE];       /* the solver's own flag by name (KIN_MAXITER_REACHED), or "" */
  char message[VIDA_MESSAGE_SIZE]; /* one sentence that names the joint, coordinate or option */
} VidaError;

/* The name of a code ("STEP_SINGULAR") and its general text; "UNKNOWN_CODE" for other numbers. */
const char* Vida_CodeName(int code);
const char* Vida_CodeText(int code);

/* Returns the index of the name, of `count`, that is nearest to `name` in the sense of typing
 * errors (letters omitted, added, exchanged), for messages such as "did you mean 'rattle'?"; -1
 * when none is near. get(list, i) returns name i. */
int Vida_NearestName(const char* name, int count, const char* (*get)(const void* list, int index),
                     const void* list);

/* The version of the library ("0.1.0"), and that of the SUNDIALS it was compiled against ("6.4.1").
 */
const char* Vida_Version(void);
const char* Vida_SundialsVersion(void);

#ifdef __cplusplus
}
#endif
#endif
