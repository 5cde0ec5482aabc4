/* The version of VIDA. The build reads it from this file. */
#ifndef VIDA_VERSION_H
#define VIDA_VERSION_H

/* The major version: increases with changes that break programs. */
#define VIDA_VERSION_MAJOR 0
/* The minor version: increases with new functions; before 1.0 also with changes that break
 * programs. */
#define VIDA_VERSION_MINOR 1
/* The patch version: increases with corrections. */
#define VIDA_VERSION_PATCH 0

/* The version as text: "0.1.0". */
#define VIDA_VERSION                       \
  VIDA_VERSION_TEXT_OF(VIDA_VERSION_MAJOR) \
  "." VIDA_VERSION_TEXT_OF(VIDA_VERSION_MINOR) "." VIDA_VERSION_TEXT_OF(VIDA_VERSION_PATCH)
/* The value of a macro as text. */
#define VIDA_VERSION_TEXT_OF(number) VIDA_VERSION_TEXT_OF_NUMBER(number)
/* The argument as text, without the expansion of macros. */
#define VIDA_VERSION_TEXT_OF_NUMBER(number) #number

/* The version as a number, for comparisons by the preprocessor: 0.1.0 is 100. */
#define VIDA_VERSION_NUMBER \
  (10000 * VIDA_VERSION_MAJOR + 100 * VIDA_VERSION_MINOR + VIDA_VERSION_PATCH)

#endif
