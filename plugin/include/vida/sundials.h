/* VIDA in a program that uses SUNDIALS.
 *
 * A VidaFormulation provides the equations of motion of a VidaSystem for the program's own IDA,
 * CVODE, ARKODE or KINSOL: functions of the types that these packages take, consistent initial
 * values, matrices and tolerances. The program creates the integrator, sets it up, calls it and
 * frees it.
 *
 * VidaStepper_CreateInContext creates a VidaStepper in the program's SUNContext, with the program's
 * linear solver. VidaStepper_Evolve and related functions advance it on N_Vectors in the manner of
 * CVODE. From SUNDIALS 7.2 on, VidaStepper_CreateSUNStepper makes it a SUNStepper.
 *
 * No other public header includes headers of SUNDIALS, and <vida/vida.h> does not include this one.
 * It needs SUNDIALS 6.4 or later in double precision.
 *
 * N_Vectors may be of any kind whose N_VGetArrayPointer gives all elements as one array in host
 * memory (serial, OpenMP, Pthreads). Functions fail with VIDA_BAD_ARGUMENT for a vector without
 * such an array or of another length. They cannot check whether the array holds all elements, or
 * agrees with a copy on a device; the caller must ensure this. */
#ifndef VIDA_SUNDIALS_H
#define VIDA_SUNDIALS_H

#include <stddef.h>
#include <stdio.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>
#include <sundials/sundials_types.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/stepper.h>
#include <vida/system.h>

/* Whether this version of SUNDIALS has SUNStepper, which came with 7.2. */
#define VIDA_HAS_SUNSTEPPER \
  (SUNDIALS_VERSION_MAJOR > 7 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR >= 2))
#if VIDA_HAS_SUNSTEPPER
#include <sundials/sundials_stepper.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a formulation --------------------------------------------------------------------------- */

/* Formulations of the equations of motion with n positions q, n velocities v, m multipliers lambda
 * in units of force, and G = g_q:
 *
 *   VIDA_FORMULATION_INDEX_3    y = (q, v, lambda)      q' = v, M v' = f - G^T lambda, g = 0
 *   VIDA_FORMULATION_INDEX_2    y = (q, v, lambda)      with G v + g_t = 0 instead of g = 0
 *   VIDA_FORMULATION_GGL        y = (q, v, lambda, mu)  q' = v - W G^T mu, with both constraints
 *   VIDA_FORMULATION_INDEX_1    y = (q, v, lambda)      with the derivative of G v + g_t = 0
 *   VIDA_FORMULATION_ODE        y = (q, v)              q' = v, v' = a(q, v, t)
 *   VIDA_FORMULATION_POSITIONS  y = (q, mu)             M (q - q0) + G^T mu = 0, g = 0
 *
 * Here f contains all terms of the equations of motion without accelerations and multipliers. GGL
 * is the stabilized index 2 formulation of Gear, Gupta and Leimkuhler (SIAM J. Sci. Stat. Comput. 6
 * (1985) 691-699). Its mu (m) vanish in the exact solution, and W is diagonal with the squares of
 * the sizes of the positions at the start. In INDEX_2 positions drift off g = 0. In INDEX_1 and ODE
 * positions and velocities drift off the constraints; VidaFormulation_Project prevents this for
 * ODE. POSITIONS is for KINSOL: its solution is the position nearest to q0 in the mass norm that
 * satisfies the constraints. In INDEX_3 nonholonomic rows remain A v + b = 0. */
typedef enum VidaFormulationKind {
  VIDA_FORMULATION_INDEX_3,
  VIDA_FORMULATION_INDEX_2,
  VIDA_FORMULATION_GGL,
  VIDA_FORMULATION_INDEX_1,
  VIDA_FORMULATION_ODE,
  VIDA_FORMULATION_POSITIONS
} VidaFormulationKind;

/* The equations of motion of one system in one formulation, with work space. Only one thread at a
 * time may use it. */
typedef struct VidaFormulation VidaFormulation;

/* Creates a formulation of a completed system. The formulation creates its vectors and matrices in
 * the program's SUNContext `context`; the system and the context must outlive it. The caller owns
 * *formulation and frees it with VidaFormulation_Destroy. Fails with VIDA_WRONG_ORDER if the system
 * is not complete, and with VIDA_BAD_ARGUMENT for an unknown kind. */
VIDA_API int VidaFormulation_Create(const VidaSystem* system, VidaFormulationKind kind,
                                    SUNContext context, VidaFormulation** formulation,
                                    VidaError* error);
/* Frees a formulation and sets *formulation to NULL; NULL is allowed. Afterwards do not call
 * the integrator that used it. */
VIDA_API void VidaFormulation_Destroy(VidaFormulation** formulation);

/* Returns the number of elements of y; 0 for NULL. */
VIDA_API sunindextype VidaFormulation_Size(const VidaFormulation* formulation);
/* Returns the system of a formulation; NULL for NULL. */
VIDA_API const VidaSystem* VidaFormulation_System(const VidaFormulation* formulation);
/* Returns the error of the last function of the formulation that an integrator called; its code is
 * 0 if the function succeeded. The record belongs to the formulation and changes with the next
 * call. Returns NULL for NULL. */
VIDA_API const VidaError* VidaFormulation_LastError(const VidaFormulation* formulation);

/* Creates a serial N_Vector of the length of y, zeroed, in the context of the formulation. The
 * caller owns *vector and frees it with N_VDestroy. */
VIDA_API int VidaFormulation_CreateVector(VidaFormulation* formulation, N_Vector* vector,
                                          VidaError* error);
/* Creates a matrix for VidaFormulation_Jacobian or VidaFormulation_RateJacobian: SUNMATRIX_DENSE,
 * or SUNMATRIX_SPARSE by columns (CSC_MAT) with the pattern filled in and a full diagonal. The
 * caller owns *matrix and frees it with SUNMatDestroy. Fails with VIDA_NOT_SUPPORTED for other
 * kinds of matrices. */
VIDA_API int VidaFormulation_CreateMatrix(VidaFormulation* formulation, SUNMatrix_ID kind,
                                          SUNMatrix* matrix, VidaError* error);

/* ---- before the integration ------------------------------------------------------------------ */

/* Fills y and y' with values at the time t (s) that satisfy the equations and all hidden
 * constraints, so that IDACalcIC is not needed. Also finds the rows that depend on others, and the
 * sizes on which W and the tolerances are based. Call it before the integration, and again after
 * every discontinuity.
 *   q, v  consistent positions and velocities (n each), or both NULL: those of VidaSystem_Start.
 *         For POSITIONS q is q0, which need not satisfy the constraints, and v is not used
 *   dy    receives y'; nullable, because CVODE and ARKODE do not need it
 * In y the multipliers of rows that depend on others are zero. Fails with the codes of
 * VidaSystem_Start and VidaSystem_Accelerations, with VIDA_BAD_ARGUMENT for vectors of another
 * context and if y and dy are the same vector, and with VIDA_NOT_FINITE for t, q or v that are not
 * finite. */
VIDA_API int VidaFormulation_Start(VidaFormulation* formulation, double t, const double* q,
                                   const double* v, N_Vector y, N_Vector dy, VidaError* error);
/* Fills the vector for IDASetId, for use with IDASetSuppressAlg: 0 for the variables that the error
 * test should exclude, and 1 for all others. The test should exclude the multipliers and, in
 * INDEX_3, the velocities, because their errors do not decrease with the step as the test expects.
 * Fails with VIDA_NOT_SUPPORTED for POSITIONS. */
VIDA_API int VidaFormulation_FillId(const VidaFormulation* formulation, N_Vector id,
                                    VidaError* error);
/* Fills the vector for IDASetConstraints, CVodeSetConstraints or KINSetConstraints with zeros: VIDA
 * needs no sign condition. The program may then set elements for its own conditions. */
VIDA_API int VidaFormulation_FillConstraints(const VidaFormulation* formulation,
                                             N_Vector constraints, VidaError* error);
/* Fills absolute tolerances for IDASVtolerances, CVodeSVtolerances or ARKStepSVtolerances, for use
 * with the relative tolerance rtol > 0. The tolerances of positions and velocities are rtol times
 * the sizes found by VidaFormulation_Start; coordinates with the same unit have the same size.
 * Those of the multipliers in INDEX_3, INDEX_2 and GGL are a tenth of the size of the multipliers,
 * so that they do not limit Newton's method; exclude the multipliers from the error test with
 * VidaFormulation_FillId. Fails with VIDA_WRONG_ORDER before VidaFormulation_Start, and with
 * VIDA_NOT_SUPPORTED for POSITIONS. */
VIDA_API int VidaFormulation_FillTolerances(const VidaFormulation* formulation, double rtol,
                                            N_Vector atol, VidaError* error);

/* Returns a first step (s) for IDASetInitStep: sqrt(rtol) / 2 times the time in which the motion
 * changes by its size. If nothing moves, returns 0, for which the integrator chooses the step.
 * IDA's own first step is often too large for INDEX_3, INDEX_2 and GGL with small tolerances.
 * Returns NaN for NULL and before VidaFormulation_Start. */
VIDA_API double VidaFormulation_FirstStep(const VidaFormulation* formulation, double rtol);

/* ---- functions for IDA ----------------------------------------------------------------------- */

/* The user data of these functions, and of those for CVODE, ARKODE and KINSOL, is the formulation.
 * A program with its own user data passes wrapper functions. The functions return 0, a positive
 * number if a smaller step may help, or a negative number; VidaFormulation_LastError has the
 * reason. They return VIDA_WRONG_ORDER before VidaFormulation_Start, VIDA_BAD_ARGUMENT if two of
 * their vectors are the same vector, and VIDA_NOT_FINITE instead of results that are not finite.
 * They do not allocate memory, except that KLU may allocate inside VidaFormulation_Rate. */

/* Computes the residual F(t, y, y') of INDEX_3, INDEX_2, GGL or INDEX_1. An IDAResFn. */
VIDA_API int VidaFormulation_Residual(sunrealtype t, N_Vector y, N_Vector dy, N_Vector residual,
                                      void* formulation);
/* Computes the matrix dF/dy + c dF/dy' of INDEX_3, INDEX_2, GGL or INDEX_1. An IDALsJacFn. `matrix`
 * is dense, or sparse by columns with room for the entries of VidaFormulation_CreateMatrix. Two
 * parts are central differences along the motion over +-0.01/c: the rate of change of a mass matrix
 * that is not constant and, in INDEX_1, that of G. All other parts are exact. */
VIDA_API int VidaFormulation_Jacobian(sunrealtype t, sunrealtype c, N_Vector y, N_Vector dy,
                                      N_Vector residual, SUNMatrix matrix, void* formulation,
                                      N_Vector work1, N_Vector work2, N_Vector work3);

/* ---- functions for CVODE and ARKODE ---------------------------------------------------------- */

/* Computes the right-hand side (v, a) of ODE. A CVRhsFn and ARKRhsFn. */
VIDA_API int VidaFormulation_Rate(sunrealtype t, N_Vector y, N_Vector rate, void* formulation);
/* Computes the Jacobian of the right-hand side of ODE from the derivatives of the equations of
 * motion. A CVLsJacFn and ARKLsJacFn. `matrix` is dense, or sparse by columns; its rows of v' are
 * full. */
VIDA_API int VidaFormulation_RateJacobian(sunrealtype t, N_Vector y, N_Vector rate,
                                          SUNMatrix matrix, void* formulation, N_Vector work1,
                                          N_Vector work2, N_Vector work3);
/* Projects a state of ODE onto g = 0 and G v + g_t = 0, to rounding and in the mass norm. A
 * CVProjFn: `correction` receives the change of y, `epsilon` is not used, and the components that
 * leave the constraints are removed from `error` (nullable). CVODE projects only with BDF. */
VIDA_API int VidaFormulation_Project(sunrealtype t, N_Vector y, N_Vector correction,
                                     sunrealtype epsilon, N_Vector error, void* formulation);
/* Projects a state of ODE in place, as VidaFormulation_Project does. An ARKPostProcessFn for
 * ERKStepSetPostprocessStepFn, ARKStepSetPostprocessStepFn or, from 7.1 on,
 * ARKodeSetPostprocessStepFn. */
VIDA_API int VidaFormulation_ProjectStep(sunrealtype t, N_Vector y, void* formulation);

/* ---- functions for KINSOL -------------------------------------------------------------------- */

/* VidaSystem_Start computes consistent positions and velocities without KINSOL, and handles free
 * components, branches and rows that depend on others. The functions below are for programs that
 * choose the solver themselves. The rows must be independent at the solution; otherwise the
 * Jacobian is singular there. */

/* Computes the residual of POSITIONS at the time of VidaFormulation_Start. A KINSysFn. */
VIDA_API int VidaFormulation_PositionResidual(N_Vector y, N_Vector residual, void* formulation);
/* Computes the Jacobian of POSITIONS, dense or sparse by columns. A KINLsJacFn. */
VIDA_API int VidaFormulation_PositionJacobian(N_Vector y, N_Vector residual, SUNMatrix matrix,
                                              void* formulation, N_Vector work1, N_Vector work2);

/* ---- results --------------------------------------------------------------------------------- */

/* These functions fail with VIDA_NOT_FINITE instead of writing results that are not finite. */

/* Writes the multipliers lambda (m, in units of force) of the state y at t (s). They are elements
 * of y; for ODE they are computed from the equations of motion. Fails with VIDA_NOT_SUPPORTED for
 * POSITIONS, and with VIDA_WRONG_ORDER before VidaFormulation_Start. */
VIDA_API int VidaFormulation_Multipliers(VidaFormulation* formulation, double t, N_Vector y,
                                         double* lambda, VidaError* error);
/* Computes the energy v L_v - L (J) of the state y at t (s). Fails with VIDA_NOT_SUPPORTED for
 * POSITIONS. */
VIDA_API int VidaFormulation_Energy(VidaFormulation* formulation, double t, N_Vector y,
                                    double* energy, VidaError* error);
/* Computes the largest |g| and the largest |G v + g_t| (each nullable) of the state y at t (s).
 * Fails with VIDA_NOT_SUPPORTED for POSITIONS. */
VIDA_API int VidaFormulation_ConstraintErrors(VidaFormulation* formulation, double t, N_Vector y,
                                              double* position, double* velocity, VidaError* error);

/* ---- a stepper in the SUNContext of a program ------------------------------------------------ */

/* The sparsity pattern of the Newton matrix of a step, as VidaSundialsServices.create_solver sees
 * it. It is valid during that call only. */
typedef struct VidaNewtonPattern VidaNewtonPattern;

/* Returns the number of rows and columns; 0 for NULL. */
VIDA_API sunindextype VidaNewtonPattern_Size(const VidaNewtonPattern* pattern);
/* Returns the number of entries; 0 for NULL. */
VIDA_API sunindextype VidaNewtonPattern_EntryCount(const VidaNewtonPattern* pattern);
/* Creates a Newton matrix: SUNMATRIX_DENSE, or SUNMATRIX_SPARSE by columns (CSC_MAT) with the
 * pattern filled in. The caller owns *matrix; create_solver hands it on to VIDA. Fails with
 * VIDA_NOT_SUPPORTED for other kinds of matrices. */
VIDA_API int VidaNewtonPattern_CreateMatrix(const VidaNewtonPattern* pattern, SUNMatrix_ID kind,
                                            SUNMatrix* matrix, VidaError* error);

/* What a program provides for a stepper. Set all members that are not used to 0. */
typedef struct VidaSundialsServices {
  size_t size; /* sizeof(VidaSundialsServices), which identifies the version of this record */
  /* The objects of SUNDIALS of the stepper (KINSOL, IDA, CVODE, ARKODE, vectors, matrices) live in
   * this context and use its logger, profiler and error handlers. It must outlive the stepper. */
  SUNContext context;
  /* Creates the linear solver of the Newton step and its matrix, in `context`. Nullable: VIDA uses
   * its own solvers. Called once for each nonlinear system: methods that consist of other methods
   * have several, and each call must create new objects. radau uses it only where its own
   * iteration, on smaller matrices, fails.
   *   data     the member `data`
   *   pattern  the pattern of the matrix
   *   shape    a vector of the size of the unknowns, for functions that create linear solvers
   *   matrix   receives a dense matrix, or one by columns with room for the pattern
   *   solver   receives a solver of type SUNLINEARSOLVER_DIRECT
   *   error    may receive the reason of a failure
   * VIDA owns what *matrix and *solver receive, also after a failure, and frees both with
   * SUNMatDestroy and SUNLinSolFree when the stepper is destroyed. It initializes the solver once
   * and writes all values of the matrix before each setup. Returns 0 or a code. A positive result
   * of the solver's setup or solve means that a smaller step may help, a negative one ends the
   * step. */
  int (*create_solver)(void* data, const VidaNewtonPattern* pattern, N_Vector shape,
                       SUNMatrix* matrix, SUNLinearSolver* solver, VidaError* error);
  void* data; /* for create_solver */
} VidaSundialsServices;

/* Creates a stepper as VidaStepper_Create does, in the context of the program. `services` is
 * copied. Messages of SUNDIALS go to the logger and the handlers of the context; `error` describes
 * failures as well. Steps allocate memory only if the context logs them or the given solver
 * allocates. The option linear_solver has no effect on a given solver.
 *
 * Small matrices outside the Newton step (projections, ranks, start values) stay with VIDA's own
 * solvers. Fails with VIDA_BAD_ARGUMENT for a record of another size, for a context that is NULL,
 * and for a matrix or a solver of another size or context; with VIDA_NOT_SUPPORTED for matrices and
 * solvers of other kinds than those of create_solver, and if create_solver is set for a method
 * whose steps VIDA's Newton method does not solve; and with the code of create_solver if that is
 * negative, or VIDA_CALLBACK_FAILED if it is positive. A step whose linear solver fails returns
 * VIDA_SOLVER_FAILED, or VIDA_CALLBACK_RECOVERABLE if a smaller step may help. */
VIDA_API int VidaStepper_CreateInContext(const VidaSystem* system, const VidaOptions* options,
                                         const VidaSundialsServices* services,
                                         VidaStepper** stepper, VidaError* error);

/* ---- a stepper on N_Vectors ------------------------------------------------------------------ */

/* States of a stepper are vectors y = (q, v) of 2 n elements, in any SUNContext. */

/* Starts a stepper at t0 (s) from consistent positions and velocities, as VidaStepper_Start does,
 * and removes its stop time. The first call for a stepper allocates memory for the state before the
 * last step. */
VIDA_API int VidaStepper_StartVector(VidaStepper* stepper, sunrealtype t0, N_Vector y,
                                     VidaError* error);
/* Writes the positions and velocities after the last step to y. */
VIDA_API int VidaStepper_GetVector(VidaStepper* stepper, N_Vector y, VidaError* error);

/* What VidaStepper_Evolve does; the values are those of CV_NORMAL and CV_ONE_STEP. */
typedef enum VidaEvolveMode {
  VIDA_NORMAL = 1,  /* make steps until tout, and return the state at tout */
  VIDA_ONE_STEP = 2 /* make one step, and return the state at its end; tout is not used */
} VidaEvolveMode;

/* Advances a stepper, which may have been started by any of its start functions.
 *   y  receives the state
 *   t  receives its time: tout, the end of a step, or the stop time if that comes first
 * At the ends of steps y is the state of the method. Inside a step y is interpolated and the steps
 * do not change: positions are the cubic Hermite polynomial through both ends of the step, and
 * velocities are its derivative. For smooth motions their errors are O(h^4) and O(h^3), larger in a
 * step with a jump in time. Interpolated states satisfy the constraints only to this accuracy. On
 * failure y and t are those of the last completed step. Fails with the codes of VidaStepper_Step,
 * and with VIDA_BAD_ARGUMENT for a tout before the beginning of the last step. */
VIDA_API int VidaStepper_Evolve(VidaStepper* stepper, sunrealtype tout, N_Vector y, sunrealtype* t,
                                VidaEvolveMode mode, VidaError* error);
/* Sets a time (s) at which a step ends and VidaStepper_Evolve returns; INFINITY removes it. A stop
 * time that was reached is removed. If the distance to the stop time is not a multiple of h, the
 * stepper restarts from the current state with equal steps, at most h, that end there, and returns
 * to h afterwards. A restart does not reset the statistics, but VidaStepper_StepCount begins at 0.
 */
VIDA_API int VidaStepper_SetStopTime(VidaStepper* stepper, sunrealtype stop, VidaError* error);
/* Writes the statistics to `file` in the formats of CVodePrintAllStats: a table, or one line of CSV
 * with names and values. Fails with VIDA_INPUT_OUTPUT if the file cannot be written. */
VIDA_API int VidaStepper_PrintAllStats(VidaStepper* stepper, FILE* file, SUNOutputFormat format,
                                       VidaError* error);

#if VIDA_HAS_SUNSTEPPER
/* Creates a SUNStepper that evolves `stepper`, for example for SplittingStep or ForcingStep. Its
 * vectors are y = (q, v). Its steps are those of the stepper, shortened as VidaStepper_SetStopTime
 * describes. SUNStepper_FullRhs computes (v, a) of the equations of motion. Steps are forward only:
 * SUNStepper_SetStepDirection fails for a negative direction, so splitting methods with negative
 * coefficients fail. SUNStepper_GetLastFlag returns the VidaCode of the last failure. The caller
 * owns *created and frees it with SUNStepper_Destroy; `stepper` still belongs to the caller and
 * must outlive *created. */
VIDA_API int VidaStepper_CreateSUNStepper(VidaStepper* stepper, SUNContext context,
                                          SUNStepper* created, VidaError* error);
#endif

#ifdef __cplusplus
}
#endif
#endif
