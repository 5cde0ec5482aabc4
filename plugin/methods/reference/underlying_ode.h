/* The state and the functions of methods on the underlying ODE: accelerations and multipliers from
 * the equations of motion, and a SUNDIALS integrator for q' = v, v' = a.
 *
 * The state is y = (q, v), 2 n; a method may have another state of at most that size
 * (partitioning.c). Velocities are integrated, so that violations of the hidden constraints are
 * visible. */
#ifndef VIDA_METHODS_REFERENCE_UNDERLYING_ODE_H
#define VIDA_METHODS_REFERENCE_UNDERLYING_ODE_H

#include "solve/integrator.h"
#include "stepper/integration.h"
#include "system/constraints/equations.h"
#include "system/constraints/state_projection.h"

typedef struct underlying_ode underlying_ode;
/* The state of a method on the underlying ODE. */
struct underlying_ode {
  VidaIntegration* self;
  vida_equations* equations;
  vida_projector* projector; /* NULL for methods that do not project */
  vida_ode* ode;
  vida_ode_functions functions;
  int size; /* size of y */
  /* Computes q and v (2 n) from y; NULL: y itself. */
  int (*find_state)(underlying_ode* own, double t, const double* y, double* state);
  double alpha1, alpha0; /* Baumgarte's coefficients, or 0 */
  double gamma;          /* of the stabilized ODE */
  double alpha;          /* fraction of a correction */
  double accuracy;       /* relative accuracy of a projection */
  int variant;           /* value of the method's own enumeration */
  bool at_stage;         /* corrections are factored at the last stage */
  bool is_asked;         /* multipliers at nodes are computed on request (VidaMethod.multipliers) */
  const vida_integrator_class* class; /* NULL: that of the option `integrator` */
  long iterations;                    /* Newton iterations in projections */
  long corrections;                   /* in projections, with factors that were there */
  void* extra;                        /* data of one method, which frees it */
  double* block;
  double* y;         /* 2 n: at the node */
  double* state;     /* 2 n: q and v at the node */
  double* found;     /* 2 n: q and v of the next node, or, after a step, of the last one */
  double* next;      /* 2 n: y of the next node, or, after a step, of the last one */
  double* rate;      /* 2 n: work */
  double* lambda;    /* m: of the last rate */
  double* side;      /* n + m: work space, right-hand sides and solutions */
  double* n_work;    /* n */
  double* g;         /* m: g and G v + g_t */
  double* g_rate;    /* m */
  double* dq;        /* n: correction of positions in a projection */
  double* dv;        /* n: correction of velocities in a projection */
  double* tolerance; /* 2 n: of q and v */
  double* position;  /* n: sizes of positions, from the start */
  double* velocity;  /* n: sizes of velocities, from the start */
};

/* Capabilities that all of these methods have. */
#define VIDA_UNDERLYING_CAPABILITIES                                               \
  (VIDA_CAN_GENERAL_LAGRANGIAN | VIDA_CAN_TIME_DEPENDENT | VIDA_CAN_NONHOLONOMIC | \
   VIDA_CAN_ADAPTIVE | VIDA_CAN_REACTIVE_FORCES)
/* Functions of VidaMethod that most of them have. */
#define VIDA_UNDERLYING_FUNCTIONS                                                                \
  .step = vida__underlying_step, .undo = vida__underlying_undo, .state = vida__underlying_state, \
  .velocities = vida__underlying_velocities, .energy = vida__node_energy,                        \
  .destroy = vida__underlying_destroy

/* Option rows that these methods share: h, rtol, atol, max_steps, linear_solver. */
extern const VidaOptionRow vida__ode_options[];

/* The option row `integrator`: a formula of butcher_tables.h. */
#define VIDA_INTEGRATOR_ROW                                                               \
  {                                                                                       \
    "integrator", VIDA_OPTION_CHOICE, "", VIDA_INTEGRATOR_DORMAND_PRINCE, 0.0,            \
        VIDA_INTEGRATOR_COUNT - 1.0, false, VIDA_INTEGRATOR_CHOICES, VIDA_INTEGRATOR_HELP \
  }

#define VIDA_METRIC_ROW                                                                        \
  {                                                                                            \
    "metric", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 1.0, false, "mass|identity",                   \
        "Projects along M^-1 G^T, which does not depend on units, or along G^T, which allows " \
        "larger "                                                                              \
        "steps where masses have different sizes."                                             \
  }
#define VIDA_PROJECTION_TOLERANCE_ROW                                                       \
  {                                                                                         \
    "projection_tolerance", VIDA_OPTION_REAL, "1", 1e-15, 0.0, 1e-3, false, NULL,           \
        "Largest |g| after the projection, relative to the terms of g; not below rounding." \
  }

/* Checks that the integrator can choose its steps, or make fixed ones, as asked: for
 * VidaMethod.check. */
int vida__underlying_check(const VidaOptions* options, VidaError* error);
/* Creates the state, the equations and the driver: for VidaMethod.create. */
int vida__underlying_create(VidaIntegration* self, vida_ode_functions functions, VidaError* error);
/* The same with an integrator of the method's own instead of one of butcher_tables.h. `data` of its
 * functions is that of the vida_ode, this state. */
int vida__underlying_create_own(VidaIntegration* self, vida_ode_functions functions,
                                const vida_integrator_class* class, VidaError* error);
/* The same for a method that projects with the options `metric` and `projection_tolerance`, and
 * computes multipliers on request. */
int vida__underlying_create_projected(VidaIntegration* self, vida_ode_functions functions,
                                      const vida_integrator_class* class, VidaError* error);
/* Creates the driver again for another size of y: for VidaMethod.start. */
int vida__underlying_resize(underlying_ode* own, int size, VidaError* error);
/* Frees what vida__underlying_create has created: for VidaMethod.destroy. */
void vida__underlying_destroy(VidaIntegration* self);
/* Checks whether q (n), which belongs to y, is on the same branch of the constraints: for
 * vida_ode_functions.accept. A method without such a function checks the q of y. */
int vida__underlying_accept(underlying_ode* own, double t, const double* state, bool is_end);
/* Returns the largest ratio of velocity to position at the start (1/s). */
double vida__underlying_largest_rate(const underlying_ode* own);
/* VidaMethod.start of these methods. */
int vida__underlying_start(VidaIntegration* self, VidaError* error);
/* VidaMethod.step of these methods. */
int vida__underlying_step(VidaIntegration* self, VidaError* error);
/* VidaMethod.undo of these methods. */
void vida__underlying_undo(VidaIntegration* self);
/* VidaMethod.state of these methods. */
void vida__underlying_state(VidaIntegration* self, VidaRecord* record);
/* VidaMethod.velocities of these methods. */
int vida__underlying_velocities(VidaIntegration* self, double* v, VidaError* error);
/* VidaMethod.order of these methods. */
int vida__underlying_order(const VidaOptions* options);
/* Computes v and a(t,q,v) with Baumgarte's terms into rate (2 n), and own->lambda: for
 * vida_ode_functions.rate. */
int vida__underlying_rate(void* data, double t, const double* y, double* rate);
/* Computes a (n) with Baumgarte's terms at (t,q,v). */
int vida__underlying_find(underlying_ode* own, double t, const double* q, const double* v,
                          double* a);
/* Fills `error` with the meaning of a code, positive or negative. */
int vida__underlying_failed(underlying_ode* own, int code, VidaError* error);
/* Refuses implicit integrators with VIDA_NOT_SUPPORTED. `why` is the reason, which ends the
 * sentence. */
int vida__refuse_implicit(const VidaOptions* options, const char* why, VidaError* error);
/* Refuses multistep methods, which cannot use `settle`, with VIDA_NOT_SUPPORTED. `why` is the
 * reason, which ends the sentence. */
int vida__refuse_multistep(const VidaOptions* options, const char* why, VidaError* error);
/* Creates own->projector, which shares the equations where it can. */
int vida__underlying_create_projector(VidaIntegration* self, vida_projection kind,
                                      VidaError* error);
/* Creates the projector of the option `metric` (VIDA_METRIC_ROW). */
int vida__underlying_create_metric_projector(VidaIntegration* self, VidaError* error);
/* Returns the code of a projection, and tells the equations, which all of these methods have, the
 * reason of its failure. */
int vida__underlying_pass_on(underlying_ode* own, int code);
/* Values of `variant` for vida__underlying_project. */
enum { VIDA_PROJECT_POSITION, VIDA_PROJECT_VELOCITY, VIDA_PROJECT_BOTH };
/* Projects y onto g = 0, G v + g_t = 0, or both, with own->accuracy: for
 * vida_ode_functions.settle. `data` is the state. */
int vida__underlying_project(void* data, double t, double* y);
/* Returns the projection with the arrays of the method. */
vida_state_projection vida__underlying_projection(underlying_ode* own);

#endif
