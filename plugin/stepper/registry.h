/* The methods of which steppers can be created: those of the library and registered ones. */
#ifndef VIDA_STEPPER_REGISTRY_H
#define VIDA_STEPPER_REGISTRY_H

#include <vida/method.h>

/* The methods of the library (methods/built_in.c). */
extern const VidaMethod* const vida__built_in_methods[];
extern const int vida__built_in_count;

/* Returns the method with this index; NULL outside 0 .. Vida_MethodCount() - 1. */
const VidaMethod* vida__method(int index);
/* Returns the method with this name; NULL for an unknown name. */
const VidaMethod* vida__find_method(const char* name);

/* Removes all methods but the first `count`, because the plug-in that registered them failed. */
void vida__keep_methods(int count);

#endif
