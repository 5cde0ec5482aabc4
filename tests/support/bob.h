/* The small system of tests of files, processes and fuzzing: a bob, with or without its rod. */
#ifndef VIDA_TEST_BOB_H
#define VIDA_TEST_BOB_H

#include <stdbool.h>
#include <vida/vida.h>

/* Creates the system "pendulum" in the plane: "bob" of 1 kg at (0.6, -0.8) with this velocity,
 * under this gravity downwards (0: none), on the "rod" of 1 m from the origin if it `has_rod`. It
 * is not completed. Returns a code. */
int bob_system(double vx, double vy, double gravity, bool has_rod, VidaSystem** system,
               VidaError* error);

#endif
