/* Filling a VidaError. */
#ifndef VIDA_BASE_ERROR_H
#define VIDA_BASE_ERROR_H

#include <stddef.h>
#include <vida/error.h>

#if defined(__GNUC__)
#define VIDA_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define VIDA_PRINTF_LIKE(text, first)
#endif

/* Writes code and message (error may be NULL), clears the flag and returns `code`, so that a
 * failure is one line: return vida__fail(error, VIDA_BAD_ARGUMENT, "...", ...). Numbers in messages
 * should be formatted with %s and vida__real_text where a locale must not matter. */
int vida__fail(VidaError* error, int code, const char* format, ...) VIDA_PRINTF_LIKE(3, 4);
/* The same for a solver's own flag. */
int vida__fail_flag(VidaError* error, int code, const char* flag, const char* format, ...)
    VIDA_PRINTF_LIKE(4, 5);
int vida__fail_memory(VidaError* error);

/* Refuses pointers that are NULL: VIDA_REFUSE_NULL(error, system, q) is 0, or VIDA_BAD_ARGUMENT
 * with "VidaSystem_Start: q is NULL". For the arguments of public functions only, at their
 * beginning. */
#define VIDA_REFUSE_NULL(error, ...)                                          \
  vida__refuse_null(error, __func__, #__VA_ARGS__,                            \
                    sizeof(const void*[]){__VA_ARGS__} / sizeof(const void*), \
                    (const void* const[]){__VA_ARGS__})
/* `names` is a list with ", " between; count of them and of pointers. */
int vida__refuse_null(VidaError* error, const char* function, const char* names, size_t count,
                      const void* const* pointers);

#endif
