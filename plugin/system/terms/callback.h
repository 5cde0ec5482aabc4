/* Terms and constraints given as C functions of the user. */
#ifndef VIDA_SYSTEM_TERMS_CALLBACK_H
#define VIDA_SYSTEM_TERMS_CALLBACK_H

#include <vida/system.h>

#include "system/model/kernel.h"

/* The `functions` of a callback batch. */
typedef struct vida_callback {
  vida_functions base;
  VidaLagrangian lagrangian;
  VidaConstraint constraint;
  VidaForce force;
  void* user_data;
} vida_callback;

#endif
