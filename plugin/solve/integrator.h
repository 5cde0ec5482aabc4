/* The interface between the driver of ordinary differential equations (ode.c) and SUNDIALS'
 * integrators, which have one file each: erkstep.c, arkstep.c and cvode.c.
 *
 * To add an integrator: write its file, which defines a vida_integrator_class, declare that class
 * below, and give each of its formulas a row of VIDA_INTEGRATOR_LIST (ode.h). */
#ifndef VIDA_SOLVE_INTEGRATOR_H
#define VIDA_SOLVE_INTEGRATOR_H

#include "base/sundials.h"
#include "solve/ode.h"

/* Flags that all integrators of SUNDIALS share. */
enum {
  VIDA_FLAG_SUCCESS = 0,
  VIDA_FLAG_TOO_MUCH_WORK = -1,
  VIDA_FLAG_ERROR_TEST = -3,
  VIDA_FLAG_NOT_CONVERGED = -4,
  VIDA_FLAG_RATE = -8
};

/* The functions of an integrator. Those that return int return a flag of its package, negative on
 * failure, except where a comment says otherwise. */
typedef struct vida_integrator_class {
  const char* name; /* of the SUNDIALS package, for messages */
  vida_package package;
  bool is_multistep; /* keeps a history of steps, and takes none of a given size */
  bool is_implicit;  /* solves equations in each step, by Newton's method */
  /* Makes the package's memory with its solvers. Returns a VidaCode: 0, VIDA_OUT_OF_MEMORY or
   * VIDA_SOLVER_FAILED. `destroy` follows in either case. */
  int (*create)(vida_ode* ode);
  /* Begins anew at t from ode->y. `step`: the size of all steps of a method that is not adaptive;
   * else that of the first step to try, and 0 leaves it to the package. `stop`: a time that no step
   * leads beyond, or INFINITY. */
  int (*begin)(vida_ode* ode, double t, double step, double stop);
  /* Makes one step towards `towards`, after which ode->y is at ode->node_t; ode->reached is where
   * it ended or failed. */
  int (*step)(vida_ode* ode, double towards);
  /* Whether this flag of `step` means that a rate or the end of the step was refused and that the
   * package has not tried a smaller one. NULL: it always has. */
  bool (*is_refused)(int flag);
  /* Finds the state at t, which is in the last step or its end, into ode->there. */
  int (*interpolate)(vida_ode* ode, double t);
  /* The size of the last step, and into ode->y the estimate of its error in each component. NULL of
   * integrators that cannot stop at a given time. */
  int (*last_error)(vida_ode* ode, double* step);
  /* Brings ode->counts up to date: ode->before has what was counted before the last `begin`. */
  void (*count)(vida_ode* ode);
  void (*destroy)(vida_ode* ode);
} vida_integrator_class;

extern const vida_integrator_class vida__erkstep, vida__arkstep, vida__cvode;

const vida_integrator_class* vida__integrator_class(vida_integrator integrator);
/* The order of the formula that errors are estimated by; 0: there is none. */
int vida__integrator_embedded_order(vida_integrator integrator);

/* What the driver and the integrators share. */
struct vida_ode {
  int size;
  vida_ode_functions functions;
  void* data;
  vida_ode_settings settings;
  const vida_integrator_class* class;
  void* memory; /* of the class: made by its `create`, freed by its `destroy` */
  SUNContext context;
  N_Vector y, tolerance, weight;
  vida_sink sink;
  double* block;    /* where the arrays below live */
  bool is_warming;  /* a step of y' = 0, in which the packages allocate what they do at first */
  bool fresh;       /* the next Advance begins anew */
  double next_step; /* 0: estimated */
  /* y after the last step, as the next one goes on from it, and after the one before; their times.
   * `there` is what nodes between them have. */
  double *node, *previous, *there;
  double node_t, previous_t;
  double reached; /* where the last step ended or failed */
  bool is_between;
  int failure;      /* what `rate` and others returned */
  double refused_t; /* where the step led that was not accepted */
  /* The last rate, and where the one before it was. */
  bool has_rate;
  bool ends_with_stage; /* the end of a step is the last stage of the table, or nearly */
  double rate_t, stage_t;
  double *rate_y, *rate, *stage_y; /* size */
  vida_ode_counts counts;
  vida_ode_counts before; /* counts before the last `begin` */
};

/* Callbacks with the signatures of SUNDIALS; `data` is the vida_ode. */

/* The right-hand side. */
int vida__ode_evaluate(double t, N_Vector y, N_Vector rate, void* data);
/* The weights of a norm that follows the tolerances as they are now: 1 / (rtol |y| + tolerance). */
int vida__ode_weigh(N_Vector y, N_Vector weight, void* data);

/* Parts of an integrator. */

/* Calls the functions `settle` and `accept` at the end of a step, or at a node between
 * (is_between): returns 0 or their code, which it leaves in ode->failure. y (size) may change. */
int vida__ode_finish_step(vida_ode* ode, double t, double* y);
/* The Jacobian of the right-hand side at (t,y) by difference quotients, into a dense matrix (size x
 * size). `rate` is the right-hand side there, least_change (size, > 0) the least change of each
 * component; place and there (size) are work. Returns 0 or the code of the rate. SUNDIALS' own
 * differences allocate in each call. They go in the direction of the motion, so that mirrored
 * motions have mirrored Jacobians. */
int vida__ode_differentiate(vida_ode* ode, double t, const double* y, const double* rate,
                            const double* least_change, double* place, double* there,
                            SUNMatrix jacobian);
/* Whether there is memory for another dense matrix (size x size) and what goes with it. CVODE and
 * ARKODE copy theirs in the first step, by SUNMatClone, which crashes where there is none. */
bool vida__ode_can_copy_matrix(const vida_ode* ode);
/* The choice of step sizes that all one-step methods have, which is that of DOPRI5 (Hairer,
 * Norsett, Wanner, section IV.2 of the second volume): with the order p of the embedded formula,
 * step * safety * error^(-now/(p+1)) * (error before)^(past/(p+1)), and the largest factor by which
 * a step grows. Defaults would change with SUNDIALS' version. */
typedef struct vida_step_control {
  double now, past, safety, largest_growth;
} vida_step_control;
extern const vida_step_control vida__step_control;

/* The root mean square of values (size), weighted by ode->weight. */
double vida__ode_norm(const vida_ode* ode, const double* values);

#endif
