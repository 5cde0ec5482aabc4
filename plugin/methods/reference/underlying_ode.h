/* What methods on the underlying ODE have in common: accelerations and multipliers from one solve
 * of the equations of motion, and an integrator of SUNDIALS for q' = v, v' = a.
 *
 * The state is y = (q, v), 2 n; a method may have another one of at most that size
 * (partitioning.c). Velocities are its own: what they violate of the hidden constraints is seen. */
#ifndef VIDA_METHODS_REFERENCE_UNDERLYING_ODE_H
#define VIDA_METHODS_REFERENCE_UNDERLYING_ODE_H

#include "methods/reference/projector.h"
#include "solve/ode.h"
#include "stepper/integration.h"
#include "system/evaluate/equations.h"

typedef struct underlying_ode underlying_ode;
struct underlying_ode {
  VidaIntegration* self;
  vida_equations* equations;
  vida_projector* projector; /* NULL of methods that do not project */
  vida_ode* ode;
  vida_ode_functions functions;
  int size; /* of y */
  /* q and v (2 n) that belong to y; NULL: y itself. */
  int (*find_state)(underlying_ode* own, double t, const double* y, double* state);
  double alpha1, alpha0; /* Baumgarte's, or 0 */
  double gamma;          /* of the stabilized ODE */
  double alpha;          /* the share of a correction */
  double accuracy;       /* of a projection, relative */
  int variant;           /* of the method, its own enumeration */
  bool at_stage;         /* where a correction is decomposed */
  long iterations;       /* of Newton's method in projections */
  void* extra;           /* what else a method has, freed by it */
  double* block;
  double* y;         /* 2 n: at the node */
  double* state;     /* 2 n: q and v at the node */
  double* found;     /* 2 n: those of the next one, or after a step of the last one */
  double* next;      /* 2 n: y, likewise */
  double* rate;      /* 2 n: work */
  double* lambda;    /* m: of the last rate */
  double* side;      /* n + m: work, right sides and solutions */
  double* n_work;    /* n */
  double* g;         /* m: g and G v + g_t */
  double* g_rate;    /* m */
  double* dq;        /* n: what a projection takes off */
  double* dv;        /* n */
  double* tolerance; /* 2 n: of q and v */
  double* position;  /* n: sizes of positions and velocities, from the start */
  double* velocity;  /* n */
};

/* The options that they share: h, rtol, atol, max_steps, linear_solver. */
extern const VidaOptionRow vida__ode_options[];

#define VIDA_INTEGRATOR_ROW(choices, index)                                                      \
  {                                                                                              \
    "integrator", VIDA_OPTION_CHOICE, "", (index), 0.0, VIDA_INTEGRATOR_COUNT - 1.0, false,      \
        choices,                                                                                 \
        "Explicit Runge-Kutta table of ERKStep (orders 1, 2, 2, 3, 4, 4, 5, 5, 6, 8; the error " \
        "estimate of fehlberg is zero for forces of time alone); a "                             \
        "multistep method of CVODE, which always takes rtol; or an implicit table of ARKStep, "  \
        "which steps over stiff springs and dampers: sdirk2 (SDIRK-2-1-2), esdirk3, esdirk4, "   \
        "esdirk5 (those of ARK3(2)4L[2]SA, ARK4(3)6L[2]SA, ARK5(4)8L[2]SA; Kennedy and "         \
        "Carpenter 2003)."                                                                       \
  }

/* In a method's `create`: the state above, equations and driver. */
int vida__underlying_create(VidaIntegration* self, vida_ode_functions functions, VidaError* error);
/* The driver again, for another size of y; in a method's `start`. */
int vida__underlying_resize(underlying_ode* own, int size, VidaError* error);
/* What vida__underlying_create leaves of it, in a method's `destroy`. */
void vida__underlying_destroy(VidaIntegration* self);
/* `accept` of the functions, for the q (n) that belongs to y: whether it is on the same branch of
 * the constraints. Without another one it is this for the q of y. */
int vida__underlying_accept(underlying_ode* own, double t, const double* q, bool is_end);
/* The rate at which the motion of the start changes: the largest velocity over position. */
double vida__underlying_pace(const underlying_ode* own);
/* `start`, `step`, `undo`, `velocities` and `order` of a method. */
int vida__underlying_start(VidaIntegration* self, VidaError* error);
int vida__underlying_step(VidaIntegration* self, VidaError* error);
void vida__underlying_undo(VidaIntegration* self);
int vida__underlying_velocities(VidaIntegration* self, double* v, VidaError* error);
int vida__underlying_order(const VidaOptions* options);
/* `rate` of the functions: v, and a(t,q,v) with Baumgarte's terms, into (2 n); lambda is left. */
int vida__underlying_rate(void* data, double t, const double* y, double* rate);
/* The same for q and v anywhere: a (n). */
int vida__underlying_find(underlying_ode* own, double t, const double* q, const double* v,
                          double* a);
/* The message of a failure whose code is positive or negative, in words. */
int vida__underlying_failed(underlying_ode* own, int code, VidaError* error);
/* Refuses implicit integrators: VIDA_NOT_SUPPORTED with the reason `why`, which ends the sentence.
 */
int vida__refuse_implicit(VidaIntegration* self, const char* why, VidaError* error);
/* Refuses, with the reason, integrators for which there is no `settle`: multistep methods. */
int vida__refuse_multistep(VidaIntegration* self, const char* why, VidaError* error);

#endif
