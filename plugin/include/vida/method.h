/* The interface between VIDA and an integration method.
 *
 * A method is one constant record of type VidaMethod. VIDA owns the clock, the options, the checks
 * of every step (branches of the constraints, violations, interrupts) and the statistics. The
 * method owns its state and fills one node after the other.
 *
 * Equation numbers in doc comments refer to the papers named in the guide. Functions return 0, a
 * positive code where a smaller step may help, or a negative one. */
#ifndef VIDA_METHOD_H
#define VIDA_METHOD_H

#include <stddef.h>
#include <vida/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One method at work on one system, as the method sees it. */
typedef struct VidaIntegration VidaIntegration;

/* The state at a time t0 + step h. In VidaMethod.step it holds the state that the step starts from
 * and receives the one to which it leads. VIDA keeps a copy of the former: where the step fails, or
 * its result is refused, the node is put back. */
typedef struct VidaNode {
  double t0, h;    /* s; set by VIDA, not to be changed by a method */
  long step;       /* number of steps since the start; set by VIDA */
  double* q;       /* n: positions */
  double* q_low;   /* n: what rounding has left of q, so that q + q_low is a compensated sum */
  double* p;       /* n: conjugate momenta */
  double* p_low;   /* n: what rounding has left of p */
  double* v;       /* n: at the start its velocities; later at the disposal of the method */
  double* lambda;  /* m: multipliers, in units of force */
  double lambda_t; /* s: the time to which lambda belongs */
} VidaNode;

/* The equations of an implicit step, F(u) = 0, which VIDA solves by KINSOL. */
typedef struct VidaStepEquations {
  /* Computes r = F(u). */
  int (*residual)(void* integration, const double* u, double* r);
  /* Adds F_u to `matrix`, the values of the sparse pattern of the unknowns, which are zero on
   * entry. */
  int (*jacobian)(void* integration, const double* u, double* matrix);
  /* Computes the size of the terms that make up each row of F at u, by which its rounding is
   * judged; 0 where nothing moves. */
  void (*sizes)(void* integration, const double* u, double* size);
  /* Replaces u by the point from which a line search starts when Newton's method has failed. */
  void (*second_guess)(void* integration, double* u);
} VidaStepEquations;

/* Advice against violations that grow, beside a smaller step or rtol: an option with its value, and
 * another method. NULL: none. */
typedef struct VidaRemedy {
  const char* option; /* name of an option of the method */
  const char* value;  /* its value */
  const char* method; /* name of another method */
} VidaRemedy;

/* A method. Functions marked nullable may be NULL. */
typedef struct VidaMethod {
  size_t size;         /* sizeof(VidaMethod), which tells the version of this record */
  VidaMethodInfo info; /* name, title, source, limits, order, claims */
  /* Option rows that it shares with other methods; NULL: h, tolerance, max_iterations,
   * linear_solver. */
  const VidaOptionRow* common;
  /* Its own option rows, after the common ones; the last one has a NULL name. */
  const VidaOptionRow* options;
  VidaStepEquations equations; /* all NULL: the method has no implicit equations */
  bool is_composed;            /* asks the method that it is made of which systems it takes */
  VidaRemedy remedy;           /* against violations that grow */
  /* Refuses systems that the method cannot integrate, and allocates its state
   * (VidaIntegration_SetState). */
  int (*create)(VidaIntegration* integration, VidaError* error);
  /* Computes p (and what the method keeps besides) from q and v of the node. */
  int (*start)(VidaIntegration* integration, VidaError* error);
  /* Computes the state after one step from the node's positions, at the start, and q1 (n), those
   * after it. Nullable: there is no such start. */
  int (*start_two_points)(VidaIntegration* integration, const double* q1, VidaError* error);
  /* Makes one step of length h from the node, and fills the node with the state at its end. */
  int (*step)(VidaIntegration* integration, VidaError* error);
  /* Takes back what a successful step has changed in the method's state, because its result was
   * refused. The node is put back by VIDA. Nullable: there is nothing to take back. */
  void (*undo)(VidaIntegration* integration);
  /* Computes the velocities v (n) at the node. */
  int (*velocities)(VidaIntegration* integration, double* v, VidaError* error);
  /* Computes the energy (J) and the time t to which it belongs. */
  int (*energy)(VidaIntegration* integration, double* energy, double* t, VidaError* error);
  /* Computes lambda at the node when it is asked for. Nullable: steps leave it in the node. */
  int (*multipliers)(VidaIntegration* integration, VidaError* error);
  /* Returns the order with these options. Nullable: it is info.order with all of them. */
  int (*order)(const VidaOptions* options);
  /* Frees what the state points to; VIDA frees the state itself with free(). Nullable. */
  void (*destroy)(VidaIntegration* integration);
} VidaMethod;

/* ---- what a method may ask ------------------------------------------------------------------- */

/* Returns the system that is integrated. */
const VidaSystem* VidaIntegration_System(const VidaIntegration* integration);
/* Returns the options of the method. */
const VidaOptions* VidaIntegration_Options(const VidaIntegration* integration);
/* Returns the node, see VidaNode. */
VidaNode* VidaIntegration_Node(VidaIntegration* integration);
/* Returns the method's own state, NULL before it has been set. */
void* VidaIntegration_State(VidaIntegration* integration);
/* Sets the method's own state, which was allocated by malloc or calloc; VIDA frees it. */
void VidaIntegration_SetState(VidaIntegration* integration, void* state);
/* Returns the time of the node, t0 + step h (s); NaN for NULL. */
double VidaIntegration_Time(const VidaIntegration* integration);

/* Computes the gradient of the Lagrangian and the forces at (q,v,t): l_q (n) receives L_q + f -
 * R_v, l_v (n) receives the momenta L_v. */
int VidaIntegration_Gradient(VidaIntegration* integration, double t, const double* q,
                             const double* v, double* l_q, double* l_v, VidaError* error);
/* Computes the mass matrix L_vv (n x n, by rows) at (q,v,t). */
int VidaIntegration_MassMatrix(VidaIntegration* integration, double t, const double* q,
                               const double* v, double* mass, VidaError* error);
/* Computes the constraints g (m) at (q,t). */
int VidaIntegration_Constraints(VidaIntegration* integration, double t, const double* q, double* g,
                                VidaError* error);
/* Computes the constraint Jacobian G (m x n, by rows) at (q,t). */
int VidaIntegration_ConstraintJacobian(VidaIntegration* integration, double t, const double* q,
                                       double* jacobian, VidaError* error);
/* Computes the accelerations a (n) and multipliers lambda (m) of the equations of motion at
 * (q,v,t). */
int VidaIntegration_Accelerations(VidaIntegration* integration, double t, const double* q,
                                  const double* v, double* a, double* lambda, VidaError* error);
/* Computes the velocities v (n) with L_v(q,v,t) + G^T nu = p and G v + g_t = 0 at (q,t). v holds a
 * guess on entry. nu (m, nullable) receives the impulse of the constraints. */
int VidaIntegration_ProjectVelocities(VidaIntegration* integration, double t, const double* q,
                                      const double* p, double* v, double* nu, VidaError* error);
/* Computes the energy v L_v - L at the node with the method's velocities: VidaMethod.energy of most
 * methods. */
int VidaIntegration_NodeEnergy(VidaIntegration* integration, double* energy, double* t,
                               VidaError* error);
/* Computes the multipliers of the equations of motion at the node into the node's lambda:
 * VidaMethod.multipliers of methods whose steps do not find them. */
int VidaIntegration_NodeMultipliers(VidaIntegration* integration, VidaError* error);

/* ---- registration ---------------------------------------------------------------------------- */

/* Adds a method to those that VIDA knows. The record is kept, not copied: it has to live as long as
 * the program. To be called before other threads use VIDA. Fails with VIDA_BAD_ARGUMENT for a
 * record of another size, one without a name, option rows, create, start, step, velocities or
 * energy, and for a name that another method has; with VIDA_OUT_OF_MEMORY when too many have been
 * added. */
int Vida_RegisterMethod(const VidaMethod* method, VidaError* error);

#ifdef __cplusplus
}
#endif

#endif
