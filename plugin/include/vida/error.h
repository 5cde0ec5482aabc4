/* Error codes, error messages, and the conventions of all functions.
 *
 * Every function that can fail returns an int: 0 on success; a positive code for a recoverable
 * failure of a step, which a smaller step may avoid; a negative code for any other failure. User
 * callbacks follow the same convention. The library never prints and never exits.
 *
 * A pointer may be NULL only if the comment of the function says so ("nullable"). VidaError* may
 * always be NULL. For any other NULL pointer, a function that can fail returns VIDA_BAD_ARGUMENT
 * ("VidaSystem_Start: q is NULL"); a function that returns only a value returns 0 (-1 for an
 * index), false, NaN, "" or NULL. */
#ifndef VIDA_ERROR_H
#define VIDA_ERROR_H

#include <vida/export.h>
#include <vida/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All error codes. X(NAME, value, text) */
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

/* Error codes, the return values of functions. */
#define VIDA_CODE_ENUMERATOR(name, value, text) VIDA_##name = (value),
typedef enum VidaCode { VIDA_CODE_LIST(VIDA_CODE_ENUMERATOR) } VidaCode;
#undef VIDA_CODE_ENUMERATOR

#define VIDA_MESSAGE_SIZE 512 /* size of a message in bytes, including the terminating NUL */
#define VIDA_FLAG_SIZE 32     /* size of the name of a flag in bytes, including the NUL */

/* An error with a message for the user. Every function that can fail takes a VidaError* (nullable)
 * as its last argument and fills it only on failure; functions with the signature of a SUNDIALS
 * callback (sundials.h) do not. */
typedef struct VidaError {
  int code;                        /* a VidaCode */
  char flag[VIDA_FLAG_SIZE];       /* the solver's own flag by name (KIN_MAXITER_REACHED), or "" */
  char message[VIDA_MESSAGE_SIZE]; /* one sentence that names the joint, coordinate or option */
  int subject; /* bytes of the prefix of the message that names an option ("h: "); 0: none */
} VidaError;

/* Returns the name of an error code, "STEP_SINGULAR" for example; "UNKNOWN_CODE" for other numbers.
 */
VIDA_API const char* Vida_CodeName(int code);
/* Returns the text of an error code, "the matrix of the step is singular" for example;
 * "an unknown code" for other numbers. */
VIDA_API const char* Vida_CodeText(int code);

/* Finds the name that the user may have meant by a misspelled `name`, for messages such as "did you
 * mean 'rattle'?". Candidates are get(list, i) for 0 <= i < count. Returns the index of the
 * candidate with the smallest edit distance (omitted, added, replaced and swapped letters, in
 * either case), or -1 if none is near. */
VIDA_API int Vida_NearestName(const char* name, int count,
                              const char* (*get)(const void* list, int index), const void* list);

/* Returns the version of the library, "0.1.0" for example. */
VIDA_API const char* Vida_Version(void);
/* Returns the version of SUNDIALS with which the library was compiled, "6.4.1" for example. */
VIDA_API const char* Vida_SundialsVersion(void);

#ifdef __cplusplus
}
#endif
#endif
