/* Terms and constraints given by C functions of the user. */
#ifndef VIDA_SYSTEM_CALLBACK_H
#define VIDA_SYSTEM_CALLBACK_H

#include <vida/system.h>

/* What a callback batch owns in `functions`. */
typedef struct vida_callback {
  char* name; /* of the term, for messages */
  VidaLagrangian lagrangian;
  VidaConstraint constraint;
  void* user_data;
} vida_callback;

/* Doubles of scratch that evaluating `rows` rows (0: a Lagrangian) of `count` coordinates needs. */
size_t vida__callback_scratch(int rows, int count);

#endif
