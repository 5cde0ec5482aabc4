/* Filling a VidaError. */
#ifndef VIDA_BASE_ERROR_H
#define VIDA_BASE_ERROR_H

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

#endif
