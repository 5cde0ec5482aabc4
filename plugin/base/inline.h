/* Hints for the compiler.
 *
 * Functions that are compiled anew at each call, so that loops over an argument that is constant
 * there have a known length. Without optimization and under sanitizers there is no use in that: it
 * would take minutes to compile and yield the same results. */
#ifndef VIDA_BASE_INLINE_H
#define VIDA_BASE_INLINE_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define VIDA_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define VIDA_ALWAYS_INLINE static inline
#endif

/* Before a loop whose iterations are independent: they may be made at once without comparing the
 * addresses of all arrays first. */
#if defined(__clang__)
#define VIDA_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define VIDA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define VIDA_INDEPENDENT
#endif

#endif
