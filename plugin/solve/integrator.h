/* The interface between the driver of ordinary differential equations (ode.c) and the SUNDIALS
 * integrators in erkstep.c, arkstep.c and cvode.c.
 *
 * A method may bring an integrator of its own (vida_ode_settings.class). To add one of SUNDIALS:
 * write a file that defines a vida_integrator_class, declare the class below, and add the names of
 * its formulas to butcher_tables.h. */
#ifndef VIDA_SOLVE_INTEGRATOR_H
#define VIDA_SOLVE_INTEGRATOR_H

#include "base/sundials.h"
#include "solve/ode.h"
#include "solve/work_forecast.h"

/* Flags that all integrators of SUNDIALS share. */
enum {
  VIDA_FLAG_SUCCESS = 0,
  VIDA_FLAG_TOO_MUCH_WORK = -1,
  VIDA_FLAG_ERROR_TEST = -3,
  VIDA_FLAG_NOT_CONVERGED = -4,
  VIDA_FLAG_RATE = -8
};

/* An integrator. Functions that return int return a flag of the package, negative on failure,
 * except where a comment says otherwise. */
typedef struct vida_integrator_class {
  const char* name; /* name of the SUNDIALS package, for messages */
  vida_package package;
  const char* (*flag_name)(int flag); /* NULL: that of the package */
  bool is_multistep; /* keeps a history of steps, and cannot make a step of a given size */
  bool is_implicit;  /* solves equations by Newton's method in each step */
  /* Creates the memory of the package with its solvers. Returns a VidaCode: 0, VIDA_OUT_OF_MEMORY
   * or VIDA_SOLVER_FAILED. The driver calls `destroy` in either case. */
  int (*create)(vida_ode* ode);
  /* Restarts at t from ode->y. `step` is the size of all steps of a method with fixed steps; for an
   * adaptive method, the first step to try (0: chosen by the package). No step passes the time
   * `stop` (INFINITY: no limit). */
  int (*begin)(vida_ode* ode, double t, double step, double stop);
  /* Makes one step towards the time `towards`. ode->y is then the state at ode->node_t;
   * ode->reached is the time at which the step ended or failed. */
  int (*step)(vida_ode* ode, double towards);
  /* Returns whether this flag of `step` means that a rate or the end of the step was rejected and
   * the package has not tried a smaller step. NULL: the package always tries one. */
  bool (*is_refused)(int flag);
  /* Writes the state at t, within the last step or at its end, to ode->there. */
  int (*interpolate)(vida_ode* ode, double t);
  /* Writes the size of the last step to *step, and the estimate of its error in each component to
   * ode->y. NULL for integrators that cannot stop at a given time. */
  int (*last_error)(vida_ode* ode, double* step);
  /* Updates ode->counts; ode->before has the counts before the last `begin`. */
  void (*count)(vida_ode* ode);
  /* Visits what the next step depends on besides the members of vida_ode. A package whose history
   * is not accessible restarts when it is loaded (vida__ode_restart). NULL: nothing. */
  void (*record)(vida_ode* ode, VidaRecord* record);
  void (*destroy)(vida_ode* ode);
} vida_integrator_class;

extern const vida_integrator_class vida__erkstep, vida__arkstep, vida__cvode;

/* Returns the class of an integrator. */
const vida_integrator_class* vida__integrator_class(vida_integrator integrator);

/* The state that the driver and the integrators share. */
struct vida_ode {
  int size;
  vida_ode_functions functions;
  void* data;
  vida_ode_settings settings;
  const vida_integrator_class* class;
  void* memory; /* memory of the class, from `create` to `destroy` */
  SUNContext context;
  N_Vector y, tolerance, weight;
  vida_sink sink;
  double* block; /* memory of the arrays below */
  bool
      is_warming; /* making a step of y' = 0, in which the package allocates its remaining memory */
  bool fresh;     /* the next advance restarts the integrator */
  double next_step; /* first step to try; 0: estimated */
  /* y after the last step, changed by `settle`, and after the step before; `there` is the state at
   * nodes between them. */
  double *node, *previous, *there;
  double node_t, previous_t; /* times of `node` and `previous` */
  double reached;            /* time at which the last step ended or failed */
  vida_work_forecast work;   /* of the present advance */
  bool is_between;
  int failure;      /* code that `rate` or another function returned */
  double refused_t; /* end of the step that was rejected */
  /* The last rate, and the point at which the rate before it was evaluated. */
  bool has_rate;
  bool ends_with_stage; /* the last stage of the table is at the end of the step, or close to it */
  double rate_t, stage_t;
  double *rate_y, *rate, *stage_y; /* size */
  vida_ode_counts counts;
  vida_ode_counts before; /* counts before the last `begin` */
};

/* Callbacks with the signatures of SUNDIALS; `data` is the vida_ode. */

/* Computes the right-hand side: an ARKRhsFn or CVRhsFn. */
int vida__ode_evaluate(double t, N_Vector y, N_Vector rate, void* data);
/* Computes the weights of a norm from the current tolerances: 1 / (rtol |y| + tolerance). */
int vida__ode_weigh(N_Vector y, N_Vector weight, void* data);

/* Functions for integrators. */

/* Calls the functions `settle` and `accept` at the end of a step, or at a node between steps
 * (is_between); y (size) may change. Returns 0 or their code, which is also stored in ode->failure.
 */
int vida__ode_finish_step(vida_ode* ode, double t, double* y);
/* Computes the Jacobian of the right-hand side at (t,y) by difference quotients, into a dense
 * matrix (size x size). `rate` is the right-hand side at (t,y), least_change (size, > 0) the
 * smallest change of each component; place and there (size each) are work space. Returns 0 or the
 * code of the rate. The changes have the direction of the motion, so that mirrored motions have
 * mirrored Jacobians. (SUNDIALS' own difference quotients allocate memory in each call.) */
int vida__ode_differentiate(vida_ode* ode, double t, const double* y, const double* rate,
                            const double* least_change, double* place, double* there,
                            SUNMatrix jacobian);
/* Returns whether there is memory for another dense matrix (size x size) and its data. CVODE and
 * ARKODE copy their matrix in the first step with SUNMatClone, which crashes without memory. */
bool vida__ode_can_copy_matrix(const vida_ode* ode);
/* The control of step sizes that all one-step methods use, as in DOPRI5 (Hairer and Wanner, Solving
 * Ordinary Differential Equations II, section IV.2): step * safety * error^(-now/(p+1)) * (previous
 * error)^(past/(p+1)) with the order p of the embedded formula, and the largest factor by which a
 * step grows. The defaults of SUNDIALS depend on its version. */
typedef struct vida_step_control {
  double now, past, safety, largest_growth;
} vida_step_control;
extern const vida_step_control vida__step_control;

/* Returns the root mean square of values (size), weighted by ode->weight. */
double vida__ode_norm(const vida_ode* ode, const double* values);

#endif
