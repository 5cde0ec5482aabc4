/* Coefficients of half-explicit Runge-Kutta methods. tests/methods/test_half_explicit.c checks
 * their order conditions. */
#include "methods/reference/half_explicit.h"

#include <stddef.h>

/* The formulas of Dormand and Prince. The rows of a and, below, the weights of order 5. */
#define DORMAND_PRINCE_STAGES                                                              \
  {0}, {1.0 / 5.0}, {3.0 / 40.0, 9.0 / 40.0}, {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},     \
      {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},             \
      {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0}, \
      DORMAND_PRINCE_WEIGHTS
#define DORMAND_PRINCE_WEIGHTS \
  { 35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0 }
/* The weights of order 5 less those of order 4. */
#define DORMAND_PRINCE_ERROR                                                                \
  {                                                                                         \
    71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, \
        -1.0 / 40.0                                                                         \
  }

/* The root of 6. */
#define ROOT 2.4494897427831780982

static const vida_half_explicit tables[] = {
    /* M. Arnold, Half-explicit Runge-Kutta methods with explicit stages for differential-algebraic
     * systems of index 2, BIT 38 (1998) 415-438. */
    {.name = "hedop5",
     .order = 5,
     .embedded = 4,
     .stages = 6,
     .has_explicit_stage = true,
     .a = {DORMAND_PRINCE_STAGES},
     .points = {{0},
                {3.0 / 40.0, 9.0 / 40.0},
                {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
                {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
                {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
                DORMAND_PRINCE_WEIGHTS,
                {-18611506045861.0 / 19738176307200.0, 59332529.0 / 14479296.0,
                 -2509441598627.0 / 893904224850.0, 2763523204159.0 / 3289696051200.0,
                 -41262869588913.0 / 116235927142400.0, 46310205821.0 / 287848404480.0,
                 -3280.0 / 75413.0}},
     .error = DORMAND_PRINCE_ERROR},
    /* A. Murua, Partitioned half-explicit Runge-Kutta methods for differential-algebraic systems of
     * index 2, Computing 59 (1997) 43-61. */
    {.name = "phem56",
     .order = 5,
     .embedded = 4,
     .stages = 6,
     .has_explicit_stage = true,
     .a = {DORMAND_PRINCE_STAGES},
     .points = {{0},
                {3.0 / 40.0, 9.0 / 40.0},
                {21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0},
                {19235.0 / 98784.0, -225.0 / 392.0, 6235.0 / 6174.0, 2755.0 / 32928.0},
                {-293.0 / 1152.0, 85.0 / 48.0, -2275.0 / 1908.0, 35.0 / 32.0, -2835.0 / 6784.0},
                DORMAND_PRINCE_WEIGHTS,
                {10752038939.0 / 66307507200.0, -19259.0 / 50160.0, 19581770468.0 / 24023520675.0,
                 9941999.0 / 650073600.0, 180060831.0 / 4820710400.0, -11331659.0 / 439538400.0,
                 1.0 / 76.0}},
     .error = DORMAND_PRINCE_ERROR},
    /* V. Brasey and E. Hairer, Half-explicit Runge-Kutta methods for differential-algebraic systems
     * of index 2, SIAM J. Numer. Anal. 30 (1993) 538-552. It has no embedded formula: the weights
     * of `error` are the multiple 1/20 of those with which all conditions of order 3 hold that the
     * stages allow, except that of the part of the velocities along M^-1 G^T. */
    {.name = "hem4",
     .order = 4,
     .embedded = 3,
     .stages = 5,
     .a = {{0},
           {3.0 / 10.0},
           {(1.0 + ROOT) / 30.0, (11.0 - 4.0 * ROOT) / 30.0},
           {(-79.0 - 31.0 * ROOT) / 150.0, (-1.0 - 4.0 * ROOT) / 30.0, (24.0 + 11.0 * ROOT) / 25.0},
           {(14.0 + 5.0 * ROOT) / 6.0, (-8.0 + 7.0 * ROOT) / 6.0, (-9.0 - 7.0 * ROOT) / 4.0,
            (9.0 - ROOT) / 4.0}},
     .points = {{3.0 / 10.0},
                {(1.0 + ROOT) / 30.0, (11.0 - 4.0 * ROOT) / 30.0},
                {(-79.0 - 31.0 * ROOT) / 150.0, (-1.0 - 4.0 * ROOT) / 30.0,
                 (24.0 + 11.0 * ROOT) / 25.0},
                {(14.0 + 5.0 * ROOT) / 6.0, (-8.0 + 7.0 * ROOT) / 6.0, (-9.0 - 7.0 * ROOT) / 4.0,
                 (9.0 - ROOT) / 4.0},
                {0.0, 0.0, (16.0 - ROOT) / 36.0, (16.0 + ROOT) / 36.0, 1.0 / 9.0}},
     .error = {-3.0 / 20.0, 0.0, (1.0 + 1.5 * ROOT) / 20.0, (1.0 - 1.5 * ROOT) / 20.0,
               1.0 / 20.0}}};

const vida_half_explicit* vida__half_explicit_scheme(int index) {
  return index >= 0 && index < (int)(sizeof tables / sizeof *tables) ? &tables[index] : NULL;
}
