/* Calls of public functions that must refuse a NULL pointer. */
#ifndef VIDA_TEST_REFUSED_H
#define VIDA_TEST_REFUSED_H

#include <vida/error.h>

/* REFUSED("q", VidaSystem_Start(s, 0.0, NULL, NULL, x, NULL, &error)): the call fails with
 * VIDA_BAD_ARGUMENT and the message "VidaSystem_Start: q is NULL". `error` is in scope. */
#define REFUSED(argument, call) check_refused(#call, argument, (call), &error)

/* Clears the error, for the next call. */
void check_refused(const char* call, const char* argument, int code, VidaError* error);

#endif
