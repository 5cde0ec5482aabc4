/* Functions that fill a VidaError. */
#ifndef VIDA_BASE_ERROR_H
#define VIDA_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

#if defined(__GNUC__)
#define VIDA_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define VIDA_PRINTF_LIKE(text, first)
#endif

/* Writes code and message to `error` (nullable), clears the flag, and returns `code`: return
 * vida__fail(error, VIDA_BAD_ARGUMENT, "...", ...). Numbers that must not depend on the locale are
 * formatted with %s and vida__real_text. */
int vida__fail(VidaError* error, int code, const char* format, ...) VIDA_PRINTF_LIKE(3, 4);
/* Writes code, flag and message to `error` (nullable), and returns `code`. */
int vida__fail_flag(VidaError* error, int code, const char* flag, const char* format, ...)
    VIDA_PRINTF_LIKE(4, 5);
/* Fails with VIDA_OUT_OF_MEMORY. */
int vida__fail_memory(VidaError* error);
/* Returns whether `code` is one of VIDA_CODE_LIST. */
bool vida__is_code(int code);

/* Refuses NULL pointers: VIDA_REFUSE_NULL(error, system, q) is 0, or VIDA_BAD_ARGUMENT with the
 * message "VidaSystem_Start: q is NULL". Public functions begin with it. */
#define VIDA_REFUSE_NULL(error, ...)                                                 \
  (vida__has_null(sizeof(const void*[]){__VA_ARGS__} / sizeof(const void*),          \
                  (const void* const[]){__VA_ARGS__})                                \
       ? vida__refuse_null(error, __func__, #__VA_ARGS__,                            \
                           sizeof(const void*[]){__VA_ARGS__} / sizeof(const void*), \
                           (const void* const[]){__VA_ARGS__})                       \
       : VIDA_SUCCESS)
/* Returns whether one of `count` pointers is NULL; inline, since most are not. */
static inline bool vida__has_null(size_t count, const void* const* pointers) {
  bool has_null = false;
  for (size_t i = 0; i < count; i++) {
    has_null = has_null || !pointers[i];
  }
  return has_null;
}
/* Implements VIDA_REFUSE_NULL: `names` is a list separated by ", "; `count` is the number of names
 * and pointers. */
int vida__refuse_null(VidaError* error, const char* function, const char* names, size_t count,
                      const void* const* pointers);

#endif
