/* The interface between VIDA and an integration method.
 *
 * A method is one constant record of type VidaMethod. VIDA owns the time, the options, the checks
 * of every step (branches of the constraints, violations, interrupts) and the statistics. The
 * method owns its state and computes one node after the other.
 *
 * Functions return 0 on success, a positive code if a smaller step may help, or a negative code. */
#ifndef VIDA_METHOD_H
#define VIDA_METHOD_H

#include <stddef.h>
#include <vida/export.h>
#include <vida/stepper.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The integration of one system by one method, as the method sees it. */
typedef struct VidaIntegration VidaIntegration;

/* A record of a state, for checkpoints (VidaStepper_Save). */
typedef struct VidaRecord VidaRecord;

/* The state at the time t0 + step h. VidaMethod.step reads the state before the step from the node
 * and writes the state after the step to it. VIDA keeps a copy, and restores the node if the step
 * fails or VIDA rejects its result, for example because q, p or (for methods without `multipliers`)
 * lambda is not finite. The arrays belong to VIDA. */
typedef struct VidaNode {
  double t0, h;        /* start time and step, s; set by VIDA, which undoes changes by a method */
  long step;           /* number of steps since the start; set by VIDA */
  double* const q;     /* n: positions */
  double* const q_low; /* n: rounding error of q; q + q_low is a compensated sum */
  double* const p;     /* n: conjugate momenta */
  double* const p_low; /* n: rounding error of p; p + p_low is a compensated sum */
  double* const v;     /* n: at the start the initial velocities; later for any use by the method */
  double* const lambda; /* m: multipliers, in units of force */
  double lambda_t;      /* s: the time to which lambda belongs */
} VidaNode;

/* The equations of an implicit step, F(u) = 0, which VIDA solves by Newton's method. For the
 * methods of the library only: the pattern of the unknowns is not public, so plug-ins set all
 * members to NULL. */
typedef struct VidaStepEquations {
  /* Computes r = F(u). */
  int (*residual)(void* integration, const double* u, double* r);
  /* Adds F_u to `matrix`, the values in the order of the sparse pattern of the unknowns. They are
   * zero on entry. */
  int (*jacobian)(void* integration, const double* u, double* matrix);
  /* Computes the size of the terms of each row of F at u, which bounds the rounding of the row; 0
   * for a row all of whose terms vanish. */
  void (*sizes)(void* integration, const double* u, double* size);
  /* Replaces u by the initial guess of a line search, after Newton's method has failed. */
  void (*second_guess)(void* integration, double* u);
} VidaStepEquations;

/* A method. A member may be NULL only if its comment says so. */
typedef struct VidaMethod {
  size_t size;         /* sizeof(VidaMethod), which identifies the version of this record */
  VidaMethodInfo info; /* name, title, source, limits, order, claims */
  /* Option rows shared with other methods; NULL: h, tolerance, max_iterations, linear_solver. */
  const VidaOptionRow* common;
  /* The method's own option rows, after the common ones; the last one has a NULL name. */
  const VidaOptionRow* options;
  VidaStepEquations equations; /* all NULL: the method has no implicit equations */
  /* The method composes steps of another method, which determines the systems that it accepts. */
  bool is_composed;
  VidaRemedy remedy; /* what to try if constraint violations grow */
  /* Fails with VIDA_BAD_ARGUMENT, or VIDA_NOT_SUPPORTED, for values of options that do not go
   * together, whatever the system is; VidaOptions_Check calls it. NULL: all values do. */
  int (*check)(const VidaOptions* options, VidaError* error);
  /* Allocates the method's state (VidaIntegration_SetState). Fails with VIDA_NOT_SUPPORTED for a
   * system that the method cannot integrate. */
  int (*create)(VidaIntegration* integration, VidaError* error);
  /* Computes p, and the method's own state, from q and v of the node. */
  int (*start)(VidaIntegration* integration, VidaError* error);
  /* Computes the state after one step from the positions before it, which the node holds, and the
   * positions q1 (n) after it. NULL: the method cannot start from two points. */
  int (*start_two_points)(VidaIntegration* integration, const double* q1, VidaError* error);
  /* Makes one step of length h from the state in the node, and writes the new state to the node. */
  int (*step)(VidaIntegration* integration, VidaError* error);
  /* Undoes the changes of a successful step to the method's own state. VIDA calls it if it rejects
   * the result of the step, and restores the node itself. NULL: steps do not change the method's
   * own state. */
  void (*undo)(VidaIntegration* integration);
  /* Visits all numbers of the method's own state that steps change, or that a start leaves and that
   * do not follow from its arguments, with the functions VidaRecord_... below. VIDA calls it to
   * save a checkpoint, and after `create` and `start` (of the same start) to load one: the same
   * calls then fill these numbers. NULL: the method has no state of its own
   * (VidaIntegration_SetState); VIDA refuses to save one that has. */
  void (*state)(VidaIntegration* integration, VidaRecord* record);
  /* Computes the velocities v (n) at the node. */
  int (*velocities)(VidaIntegration* integration, double* v, VidaError* error);
  /* Computes the energy (J) and the time t (s) to which it belongs. */
  int (*energy)(VidaIntegration* integration, double* energy, double* t, VidaError* error);
  /* Computes lambda at the node, on request. NULL: each step writes lambda to the node. */
  int (*multipliers)(VidaIntegration* integration, VidaError* error);
  /* Computes the discrete action (J s) of the last step, which began at the time t (s) and had the
   * length h of the node: the generating function Ld(q0,q1) of the step, whose derivatives are -p0
   * and p1 up to forces of constraints. NULL: not known, and no shadow energy is measured. */
  int (*action)(VidaIntegration* integration, double t, double* action, VidaError* error);
  /* Returns the energy (J) of the parasitic solutions of a multistep formula at the node.
   * NULL: the method is a one-step method. */
  double (*parasitic_energy)(const VidaIntegration* integration);
  /* Returns the order with these options. NULL: it is always info.order. */
  int (*order)(const VidaOptions* options);
  /* Frees what the state points to; VIDA frees the state itself with free(). Nullable. */
  void (*destroy)(VidaIntegration* integration);
} VidaMethod;

/* ---- functions for methods ------------------------------------------------------------------- */

/* Returns the system that is integrated. */
VIDA_API const VidaSystem* VidaIntegration_System(const VidaIntegration* integration);
/* Returns the options of the method. */
VIDA_API const VidaOptions* VidaIntegration_Options(const VidaIntegration* integration);
/* Returns the node: the state before and after a step. */
VIDA_API VidaNode* VidaIntegration_Node(VidaIntegration* integration);
/* Returns the method's own state; NULL before VidaIntegration_SetState. */
VIDA_API void* VidaIntegration_State(VidaIntegration* integration);
/* Sets the method's own state, allocated with malloc or calloc. VIDA frees it with free(). */
VIDA_API void VidaIntegration_SetState(VidaIntegration* integration, void* state);
/* Returns the time of the node, t0 + step h (s); NaN for NULL. */
VIDA_API double VidaIntegration_Time(const VidaIntegration* integration);

/* Computes the generalized forces and momenta at (q,v,t): l_q (n) receives L_q + f - R_v, l_v (n)
 * receives L_v. */
VIDA_API int VidaIntegration_Gradient(VidaIntegration* integration, double t, const double* q,
                                      const double* v, double* l_q, double* l_v, VidaError* error);
/* Computes the mass matrix L_vv (n x n, by rows) at (q,v,t). */
VIDA_API int VidaIntegration_MassMatrix(VidaIntegration* integration, double t, const double* q,
                                        const double* v, double* mass, VidaError* error);
/* Computes the constraints g (m) at (q,t). */
VIDA_API int VidaIntegration_Constraints(VidaIntegration* integration, double t, const double* q,
                                         double* g, VidaError* error);
/* Computes the constraint Jacobian G (m x n, by rows) at (q,t). */
VIDA_API int VidaIntegration_ConstraintJacobian(VidaIntegration* integration, double t,
                                                const double* q, double* jacobian,
                                                VidaError* error);
/* Computes the accelerations a (n) and multipliers lambda (m) of the equations of motion at
 * (q,v,t). */
VIDA_API int VidaIntegration_Accelerations(VidaIntegration* integration, double t, const double* q,
                                           const double* v, double* a, double* lambda,
                                           VidaError* error);
/* Computes the velocities v (n) with L_v(q,v,t) + G^T nu = p and G v + g_t = 0 at (q,t). v holds a
 * guess on entry. nu (m, nullable) receives the impulse of the constraints. */
VIDA_API int VidaIntegration_ProjectVelocities(VidaIntegration* integration, double t,
                                               const double* q, const double* p, double* v,
                                               double* nu, VidaError* error);
/* Computes the energy v L_v - L (J) at the node with the method's velocities, and its time t (s).
 * Most methods use this function as VidaMethod.energy. */
VIDA_API int VidaIntegration_NodeEnergy(VidaIntegration* integration, double* energy, double* t,
                                        VidaError* error);
/* Computes the multipliers from the equations of motion at the node, and writes them to its lambda.
 * Methods whose steps have no multipliers use this function as VidaMethod.multipliers. */
VIDA_API int VidaIntegration_NodeMultipliers(VidaIntegration* integration, VidaError* error);

/* ---- records of the method's state ----------------------------------------------------------- */

/* These functions save numbers to a record, or load them: one function of the method, which visits
 * its state, does both. A record that does not fit is a failure of the record, after which they do
 * nothing. */

/* Visits `count` real numbers. NULL is allowed if count is 0. */
VIDA_API void VidaRecord_Reals(VidaRecord* record, double* values, size_t count);
/* Visits an integer. If it is loaded and is not from `least` to `most`, the record fails: give the
 * bounds that keep an index in its array. */
VIDA_API void VidaRecord_Integer(VidaRecord* record, long* value, long least, long most);
/* Visits a flag. */
VIDA_API void VidaRecord_Flag(VidaRecord* record, bool* value);
/* Returns whether the record is loaded, for numbers that follow from those that were. */
VIDA_API bool VidaRecord_IsLoading(const VidaRecord* record);

/* ---- registration ---------------------------------------------------------------------------- */

/* Registers a method. VIDA keeps a pointer to the record, which must live as long as the program.
 * Call it before other threads use VIDA. Fails with VIDA_BAD_ARGUMENT for a record of another size;
 * for a record without a name, title, equation, limits, option rows, create, start, step,
 * velocities or energy; for a name that is in use or is not made of lower-case letters, digits and
 * hyphens; for an order below 1; for unknown capabilities; for VIDA_CAN_TWO_POINT_START without
 * start_two_points, or VIDA_CAN_ADAPTIVE without an option `rtol`, or the reverse; and for invalid
 * option rows. At most 64 methods can be registered; more fail with VIDA_OUT_OF_MEMORY. */
VIDA_API int Vida_RegisterMethod(const VidaMethod* method, VidaError* error);

/* ---- plug-ins -------------------------------------------------------------------------------- */

/* The version of the plug-in interface, which consists of this header and the two symbols below. */
#define VIDA_PLUGIN_INTERFACE 1

/* Exports a symbol of a plug-in, even if the compiler hides symbols by default. */
#if defined(_WIN32)
#define VIDA_PLUGIN_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define VIDA_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define VIDA_PLUGIN_EXPORT
#endif

/* A plug-in is a shared library that exports these two symbols:
 *
 *     VIDA_PLUGIN_EXPORT const int vida_plugin_interface = VIDA_PLUGIN_INTERFACE;
 *     VIDA_PLUGIN_EXPORT int vida_plugin_register(VidaError* error) {
 *       return Vida_RegisterMethod(&my_method, error);
 *     }
 *
 * VIDA itself does not define them. vida_plugin_register registers one or more methods. If it
 * fails, VIDA removes the methods that it has registered. */
extern VIDA_PLUGIN_EXPORT const int vida_plugin_interface;
VIDA_PLUGIN_EXPORT int vida_plugin_register(VidaError* error);

/* Loads a plug-in and registers its methods. `path` is a file; a name without a slash is looked up
 * in the working directory and then in the directories of shared libraries. Loading a plug-in a
 * second time does nothing. VIDA never unloads a plug-in. A plug-in may be linked with libvida or
 * leave the functions of VIDA undefined. In both cases it calls the functions of this program,
 * which must export them (link with -rdynamic if the program contains the static library). Call it
 * before other threads use VIDA. A plug-in runs with the rights of the program: load only plug-ins
 * that you trust. Fails with VIDA_INPUT_OUTPUT if the file cannot be loaded, and with
 * VIDA_BAD_ARGUMENT if a symbol is missing, if the plug-in was built for another version of the
 * interface, or if Vida_RegisterMethod rejects a method. Fails with VIDA_OUT_OF_MEMORY after 64
 * plug-ins. */
VIDA_API int Vida_LoadPlugin(const char* path, VidaError* error);

#ifdef __cplusplus
}
#endif

#endif
