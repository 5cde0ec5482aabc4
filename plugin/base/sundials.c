#include "base/sundials.h"

#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include "base/vector_operations.h"

int vida__context_create(SUNContext* context) {
#if VIDA_SUNDIALS_AT_LEAST(7, 0)
  /* Removes the logger: up to version 7.5 the default logger of a context copies every remark of
   * KINSOL to new memory, unless SUNDIALS was built without logging. */
  const int code = SUNContext_Create(SUN_COMM_NULL, context);
  return code ? code : SUNContext_SetLogger(*context, NULL);
#else
  return SUNContext_Create(NULL, context);
#endif
}

/* ---- vectors and matrices -------------------------------------------------------------------- */

/* Returns the vector; destroys it and returns NULL if its array could not be allocated. */
static N_Vector check_vector(N_Vector vector, sunindextype size) {
  if (vector && size > 0 && !N_VGetArrayPointer(vector)) {
    N_VDestroy(vector);
    return NULL;
  }
  return vector;
}

/* Integrators allocate their work space by clones, and check only for NULL. */
static N_Vector clone_vector(N_Vector vector) {
  return check_vector(N_VClone_Serial(vector), N_VGetLength(vector));
}

N_Vector vida__new_vector(sunindextype size, SUNContext context) {
  const N_Vector vector = check_vector(N_VNew_Serial(size, context), size);
  if (vector) {
    vector->ops->nvclone = clone_vector;
    vida__replace_vector_operations(vector);
  }
  return vector;
}

static SUNMatrix check_matrix(SUNMatrix matrix, bool is_complete) {
  if (matrix && !is_complete) {
    SUNMatDestroy(matrix);
    return NULL;
  }
  return matrix;
}

SUNMatrix vida__new_dense_matrix(sunindextype size, SUNContext context) {
  const SUNMatrix matrix = SUNDenseMatrix(size, size, context);
  return check_matrix(matrix, matrix && SM_DATA_D(matrix) && SM_COLS_D(matrix));
}

SUNMatrix vida__new_sparse_matrix(sunindextype size, sunindextype entries, SUNContext context) {
  const SUNMatrix matrix = SUNSparseMatrix(size, size, entries, CSC_MAT, context);
  return check_matrix(
      matrix, matrix && SM_DATA_S(matrix) && SM_INDEXVALS_S(matrix) && SM_INDEXPTRS_S(matrix));
}

/* ---- messages -------------------------------------------------------------------------------- */

static void keep_message(vida_sink* sink, const char* message) {
  snprintf(sink->message, sizeof sink->message, "%s", message ? message : "");
}

#if VIDA_SUNDIALS_AT_LEAST(7, 0)

static void handle_error(int line, const char* function, const char* file, const char* message,
                         SUNErrCode code, void* data, SUNContext context) {
  (void)line;
  (void)function;
  (void)file;
  (void)context;
  keep_message(data, message ? message : SUNGetErrMsg(code));
}

int vida__redirect_messages(vida_package package, void* memory, SUNContext context,
                            vida_sink* sink) {
  (void)package;
  (void)memory;
  if (sink->is_shared) {
    return 0;
  }
  const int code = SUNContext_ClearErrHandlers(context);
  return code ? code : SUNContext_PushErrHandler(context, handle_error, sink);
}

#else

static void handle_error(int code, const char* module, const char* function, char* message,
                         void* data) {
  vida_sink* sink = data;
  (void)code;
  keep_message(sink, message);
  if (sink->logger) {
    SUNLogger_QueueMsg(sink->logger, SUN_LOGLEVEL_ERROR, module, function, "%s", sink->message);
  }
}

int vida__redirect_messages(vida_package package, void* memory, SUNContext context,
                            vida_sink* sink) {
  if (sink->is_shared && SUNContext_GetLogger(context, &sink->logger)) {
    return -1;
  }
  switch (package) {
    case VIDA_IDA:
      return IDASetErrHandlerFn(memory, handle_error, sink);
    case VIDA_CVODE:
      return CVodeSetErrHandlerFn(memory, handle_error, sink);
    case VIDA_ERKSTEP:
      return ERKStepSetErrHandlerFn(memory, handle_error, sink);
    case VIDA_ARKSTEP:
      return ARKStepSetErrHandlerFn(memory, handle_error, sink);
    case VIDA_KINSOL:
    default:
      return KINSetErrHandlerFn(memory, handle_error, sink);
  }
}

#endif

/* ---- step sizes of ARKODE -------------------------------------------------------------------- */

#if VIDA_SUNDIALS_AT_LEAST(6, 7)

static int choose_pi(vida_package package, void* memory, SUNContext context, int p, double now,
                     double past, vida_controller* controller) {
  (void)p;
  *controller = SUNAdaptController_PI(context);
  /* Its second exponent counts with the other sign. */
  return !*controller || SUNAdaptController_SetParams_PI(*controller, now, -past) ||
         SUNAdaptController_SetErrorBias(*controller, 1.0) ||
         VIDA_ARKODE(package, SetAdaptController, memory, *controller) ||
         VIDA_ARKODE(package, SetAdaptivityAdjustment, memory, 0);
}

void vida__destroy_controller(vida_controller controller) {
  if (controller) {
    SUNAdaptController_Destroy(controller);
  }
}

#else

static int choose_pi(vida_package package, void* memory, SUNContext context, int p, double now,
                     double past, vida_controller* controller) {
  enum { PI_CONTROLLER = 1 };
  /* It divides the exponents by p. */
  double parameters[] = {now * p / (p + 1.0), past * p / (p + 1.0), 0.0};
  (void)context;
  *controller = NULL;
  return VIDA_ARKODE(package, SetAdaptivityMethod, memory, PI_CONTROLLER, 0, 0, parameters) ||
         VIDA_ARKODE(package, SetErrorBias, memory, 1.0);
}

void vida__destroy_controller(vida_controller controller) {
  (void)controller;
}

#endif

int vida__set_controller(vida_package package, void* memory, SUNContext context, int p, double now,
                         double past, double safety, double growth, vida_controller* controller) {
  return choose_pi(package, memory, context, p, now, past, controller) ||
         VIDA_ARKODE(package, SetSafetyFactor, memory, safety) ||
         VIDA_ARKODE(package, SetMaxGrowth, memory, growth) ||
         VIDA_ARKODE(package, SetFixedStepBounds, memory, 1.0, 1.0);
}

/* ---- names of flags -------------------------------------------------------------------------- */

typedef struct named_flag {
  int flag;
  const char* name;
} named_flag;

#define FLAG_NAME(name) \
  { (name), #name }
static const named_flag kinsol_flags[] = {FLAG_NAME(KIN_SUCCESS),
                                          FLAG_NAME(KIN_INITIAL_GUESS_OK),
                                          FLAG_NAME(KIN_STEP_LT_STPTOL),
                                          FLAG_NAME(KIN_WARNING),
                                          FLAG_NAME(KIN_MEM_NULL),
                                          FLAG_NAME(KIN_ILL_INPUT),
                                          FLAG_NAME(KIN_NO_MALLOC),
                                          FLAG_NAME(KIN_MEM_FAIL),
                                          FLAG_NAME(KIN_LINESEARCH_NONCONV),
                                          FLAG_NAME(KIN_MAXITER_REACHED),
                                          FLAG_NAME(KIN_MXNEWT_5X_EXCEEDED),
                                          FLAG_NAME(KIN_LINESEARCH_BCFAIL),
                                          FLAG_NAME(KIN_LINSOLV_NO_RECOVERY),
                                          FLAG_NAME(KIN_LINIT_FAIL),
                                          FLAG_NAME(KIN_LSETUP_FAIL),
                                          FLAG_NAME(KIN_LSOLVE_FAIL),
                                          FLAG_NAME(KIN_SYSFUNC_FAIL),
                                          FLAG_NAME(KIN_FIRST_SYSFUNC_ERR),
                                          FLAG_NAME(KIN_REPTD_SYSFUNC_ERR),
                                          FLAG_NAME(KIN_VECTOROP_ERR),
                                          FLAG_NAME(KIN_CONTEXT_ERR)};
static const named_flag ida_flags[] = {
    FLAG_NAME(IDA_SUCCESS),        FLAG_NAME(IDA_TSTOP_RETURN),      FLAG_NAME(IDA_ROOT_RETURN),
    FLAG_NAME(IDA_WARNING),        FLAG_NAME(IDA_TOO_MUCH_WORK),     FLAG_NAME(IDA_TOO_MUCH_ACC),
    FLAG_NAME(IDA_ERR_FAIL),       FLAG_NAME(IDA_CONV_FAIL),         FLAG_NAME(IDA_LINIT_FAIL),
    FLAG_NAME(IDA_LSETUP_FAIL),    FLAG_NAME(IDA_LSOLVE_FAIL),       FLAG_NAME(IDA_RES_FAIL),
    FLAG_NAME(IDA_REP_RES_ERR),    FLAG_NAME(IDA_RTFUNC_FAIL),       FLAG_NAME(IDA_CONSTR_FAIL),
    FLAG_NAME(IDA_FIRST_RES_FAIL), FLAG_NAME(IDA_LINESEARCH_FAIL),   FLAG_NAME(IDA_NO_RECOVERY),
    FLAG_NAME(IDA_NLS_INIT_FAIL),  FLAG_NAME(IDA_NLS_SETUP_FAIL),    FLAG_NAME(IDA_NLS_FAIL),
    FLAG_NAME(IDA_MEM_NULL),       FLAG_NAME(IDA_MEM_FAIL),          FLAG_NAME(IDA_ILL_INPUT),
    FLAG_NAME(IDA_NO_MALLOC),      FLAG_NAME(IDA_BAD_EWT),           FLAG_NAME(IDA_BAD_K),
    FLAG_NAME(IDA_BAD_T),          FLAG_NAME(IDA_BAD_DKY),           FLAG_NAME(IDA_VECTOROP_ERR),
    FLAG_NAME(IDA_CONTEXT_ERR),    FLAG_NAME(IDA_UNRECOGNIZED_ERROR)};
static const named_flag cvode_flags[] = {FLAG_NAME(CV_SUCCESS),
                                         FLAG_NAME(CV_TSTOP_RETURN),
                                         FLAG_NAME(CV_ROOT_RETURN),
                                         FLAG_NAME(CV_WARNING),
                                         FLAG_NAME(CV_TOO_MUCH_WORK),
                                         FLAG_NAME(CV_TOO_MUCH_ACC),
                                         FLAG_NAME(CV_ERR_FAILURE),
                                         FLAG_NAME(CV_CONV_FAILURE),
                                         FLAG_NAME(CV_LINIT_FAIL),
                                         FLAG_NAME(CV_LSETUP_FAIL),
                                         FLAG_NAME(CV_LSOLVE_FAIL),
                                         FLAG_NAME(CV_RHSFUNC_FAIL),
                                         FLAG_NAME(CV_FIRST_RHSFUNC_ERR),
                                         FLAG_NAME(CV_REPTD_RHSFUNC_ERR),
                                         FLAG_NAME(CV_UNREC_RHSFUNC_ERR),
                                         FLAG_NAME(CV_RTFUNC_FAIL),
                                         FLAG_NAME(CV_NLS_INIT_FAIL),
                                         FLAG_NAME(CV_NLS_SETUP_FAIL),
                                         FLAG_NAME(CV_CONSTR_FAIL),
                                         FLAG_NAME(CV_NLS_FAIL),
                                         FLAG_NAME(CV_MEM_FAIL),
                                         FLAG_NAME(CV_MEM_NULL),
                                         FLAG_NAME(CV_ILL_INPUT),
                                         FLAG_NAME(CV_NO_MALLOC),
                                         FLAG_NAME(CV_BAD_K),
                                         FLAG_NAME(CV_BAD_T),
                                         FLAG_NAME(CV_BAD_DKY),
                                         FLAG_NAME(CV_TOO_CLOSE),
                                         FLAG_NAME(CV_VECTOROP_ERR),
                                         FLAG_NAME(CV_PROJ_MEM_NULL),
                                         FLAG_NAME(CV_PROJFUNC_FAIL),
                                         FLAG_NAME(CV_REPTD_PROJFUNC_ERR),
                                         FLAG_NAME(CV_CONTEXT_ERR),
                                         FLAG_NAME(CV_UNRECOGNIZED_ERR)};
static const named_flag arkode_flags[] = {FLAG_NAME(ARK_SUCCESS),
                                          FLAG_NAME(ARK_TSTOP_RETURN),
                                          FLAG_NAME(ARK_ROOT_RETURN),
                                          FLAG_NAME(ARK_WARNING),
                                          FLAG_NAME(ARK_TOO_MUCH_WORK),
                                          FLAG_NAME(ARK_TOO_MUCH_ACC),
                                          FLAG_NAME(ARK_ERR_FAILURE),
                                          FLAG_NAME(ARK_CONV_FAILURE),
                                          FLAG_NAME(ARK_LINIT_FAIL),
                                          FLAG_NAME(ARK_LSETUP_FAIL),
                                          FLAG_NAME(ARK_LSOLVE_FAIL),
                                          FLAG_NAME(ARK_RHSFUNC_FAIL),
                                          FLAG_NAME(ARK_FIRST_RHSFUNC_ERR),
                                          FLAG_NAME(ARK_REPTD_RHSFUNC_ERR),
                                          FLAG_NAME(ARK_UNREC_RHSFUNC_ERR),
                                          FLAG_NAME(ARK_RTFUNC_FAIL),
                                          FLAG_NAME(ARK_LFREE_FAIL),
                                          FLAG_NAME(ARK_MASSINIT_FAIL),
                                          FLAG_NAME(ARK_MASSSETUP_FAIL),
                                          FLAG_NAME(ARK_MASSSOLVE_FAIL),
                                          FLAG_NAME(ARK_MASSFREE_FAIL),
                                          FLAG_NAME(ARK_MASSMULT_FAIL),
                                          FLAG_NAME(ARK_CONSTR_FAIL),
                                          FLAG_NAME(ARK_MEM_FAIL),
                                          FLAG_NAME(ARK_MEM_NULL),
                                          FLAG_NAME(ARK_ILL_INPUT),
                                          FLAG_NAME(ARK_NO_MALLOC),
                                          FLAG_NAME(ARK_BAD_K),
                                          FLAG_NAME(ARK_BAD_T),
                                          FLAG_NAME(ARK_BAD_DKY),
                                          FLAG_NAME(ARK_TOO_CLOSE),
                                          FLAG_NAME(ARK_VECTOROP_ERR),
                                          FLAG_NAME(ARK_NLS_INIT_FAIL),
                                          FLAG_NAME(ARK_NLS_SETUP_FAIL),
                                          FLAG_NAME(ARK_NLS_SETUP_RECVR),
                                          FLAG_NAME(ARK_NLS_OP_ERR),
                                          FLAG_NAME(ARK_POSTPROCESS_STEP_FAIL),
                                          FLAG_NAME(ARK_POSTPROCESS_STAGE_FAIL),
                                          FLAG_NAME(ARK_USER_PREDICT_FAIL),
                                          FLAG_NAME(ARK_INTERP_FAIL),
                                          FLAG_NAME(ARK_INVALID_TABLE),
                                          FLAG_NAME(ARK_CONTEXT_ERR),
                                          FLAG_NAME(ARK_UNRECOGNIZED_ERROR)};
#undef FLAG_NAME

const char* vida__flag_name(vida_package package, int flag) {
#define TABLE(flags) \
  { (flags), sizeof(flags) / sizeof *(flags) }
  static const struct {
    const named_flag* flags;
    size_t count;
  } tables[] = {[VIDA_KINSOL] = TABLE(kinsol_flags),
                [VIDA_IDA] = TABLE(ida_flags),
                [VIDA_CVODE] = TABLE(cvode_flags),
                [VIDA_ERKSTEP] = TABLE(arkode_flags),
                [VIDA_ARKSTEP] = TABLE(arkode_flags)};
#undef TABLE
  for (size_t i = 0; i < tables[package].count; i++) {
    if (tables[package].flags[i].flag == flag) {
      return tables[package].flags[i].name;
    }
  }
  return "UNKNOWN_FLAG";
}
