/* Options that several methods have. */
#ifndef VIDA_STEPPER_METHOD_OPTIONS_H
#define VIDA_STEPPER_METHOD_OPTIONS_H

#include <vida/method.h>

#include "base/linear.h"

#define VIDA_LINEAR_SOLVER_HELP(place)                                                      \
  "Linear solver " place                                                                    \
  "; auto eliminates in a fixed order and, where a pivot is too small for that, takes KLU " \
  "for large sparse systems, dense LU for others."
#define VIDA_LINEAR_SOLVER_ROW                                                       \
  {                                                                                  \
    "linear_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|dense|klu", \
        VIDA_LINEAR_SOLVER_HELP("inside Newton's method")                            \
  }
#define VIDA_MAX_STEPS_ROW                                              \
  {                                                                     \
    "max_steps", VIDA_OPTION_INTEGER, "1", 1e6, 1.0, 1e12, false, NULL, \
        "Largest number of steps between two output states."            \
  }
/* For methods with rtol; the values are in self->model.atol. */
#define VIDA_ATOL_ROW(by_default)                                                                 \
  {                                                                                               \
    "atol", VIDA_OPTION_BY_COORDINATE, "", NAN, 0.0, INFINITY, true, NULL,                        \
        "Absolute tolerance of positions, in their unit; by default " by_default                  \
        ". For single coordinates { theta = 1e-8 }, with a value for all others { 1e-6, theta = " \
        "1e-8 }. Tolerances of velocities are proportional to it."                                \
  }
/* The nonlinear solver; implicit_map.h. */
#define VIDA_NONLINEAR_ROW                                                                        \
  {                                                                                               \
    "solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|newton|kinsol",                 \
        "Nonlinear solver of the equations of a step: newton iterates itself, with a simplified " \
        "matrix where the plan has one; kinsol leaves all iterations to KINSOL. Both solve the "  \
        "same equations to rounding, and take KINSOL's line search where Newton's method "        \
        "fails. auto takes newton."                                                               \
  }
/* For methods with an implicit map. */
#define VIDA_MAP_ROWS                                                                            \
  {"tolerance",                                                                                  \
   VIDA_OPTION_REAL,                                                                             \
   "1",                                                                                          \
   1e-14,                                                                                        \
   1e-15,                                                                                        \
   1e-3,                                                                                         \
   false,                                                                                        \
   NULL,                                                                                         \
   "Largest residual of the step equations, relative to the momenta and impulses of the step."}, \
      {"max_iterations",                                                                         \
       VIDA_OPTION_INTEGER,                                                                      \
       "1",                                                                                      \
       20.0,                                                                                     \
       1.0,                                                                                      \
       1000.0,                                                                                   \
       false,                                                                                    \
       NULL,                                                                                     \
       "Largest number of Newton iterations of a step before a line search."},                   \
      VIDA_LINEAR_SOLVER_ROW, VIDA_NONLINEAR_ROW

/* For methods whose step equations can be condensed (condensed_step.h). */
#define VIDA_PLAN_ROW                                                                       \
  {                                                                                         \
    "plan", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "auto|general",                   \
        "Unknowns of Newton's method: auto solves for the multipliers only where constant " \
        "masses and forces allow it (condensed), otherwise for positions and multipliers; " \
        "general always does the latter."                                                   \
  }

/* For methods with multipliers in their step equations (reduction.h). */
#define VIDA_REDUCTION_ROW                                                                        \
  {                                                                                               \
    "reduction", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "none|null-space",                 \
        "Linear systems of Newton's method: null-space projects them on the null space of the "   \
        "constraints, which leaves as many equations as coordinates, and finds the multipliers "  \
        "afterwards. The steps are the same to rounding. For constraints of constant rank; with " \
        "dense matrices, in place of `plan` and `linear_solver`."                                 \
  }

/* Option rows that all methods with an implicit map share. */
extern const VidaOptionRow vida__common_options[];
/* Option rows of methods that solve linear equations only, such as those of masses, or that iterate
 * themselves. */
extern const VidaOptionRow vida__linear_options[];
/* Option rows that all methods share that always choose their own steps; `rtol` has a default
 * value. */
extern const VidaOptionRow vida__adaptive_options[];
/* Option rows of contacts at events, of all methods without VIDA_CAN_CONTACTS. */
extern const VidaOptionRow vida__event_options[];
/* Returns the value of the option `linear_solver`. */
vida_solver vida__solver_of(const VidaOptions* options);
/* Returns whether the option `solver` asks for KINSOL. */
bool vida__is_kinsol(const VidaOptions* options);
/* Returns whether steps are solved in the null space of the constraints (null_space_solver.h). */
bool vida__is_reduced(const VidaOptions* options);
/* Returns the value of the option `solver` that was asked for, "newton" or "kinsol"; NULL: none. */
const char* vida__asked_solver(const VidaOptions* options);
enum { VIDA_OPTION_TEXT_SIZE = 320 };
/* Writes "name=value" of the option of this index; "" if it is not set, and for h and rtol. */
void vida__option_text(const VidaOptions* options, int index, char* text, size_t size);

#endif
