/* Functions that are compiled anew at each call, so that loops over an argument that is constant
 * there have a known length. */
#ifndef VIDA_BASE_INLINE_H
#define VIDA_BASE_INLINE_H

#if defined(__GNUC__)
#define VIDA_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define VIDA_ALWAYS_INLINE static inline
#endif

#endif
