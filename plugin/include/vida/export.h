/* The mark of public functions. */
#ifndef VIDA_EXPORT_H
#define VIDA_EXPORT_H

/* The prefix of each public function. The library is compiled with hidden visibility: only
 * functions with this mark leave it. On Windows, programs that link the static library define
 * VIDA_STATIC. */
#if defined(_WIN32) && defined(VIDA_STATIC)
#define VIDA_API
#elif defined(_WIN32) && defined(VIDA_BUILDING)
#define VIDA_API __declspec(dllexport)
#elif defined(_WIN32)
#define VIDA_API __declspec(dllimport)
#elif defined(__GNUC__)
#define VIDA_API __attribute__((visibility("default")))
#else
#define VIDA_API
#endif

#endif
