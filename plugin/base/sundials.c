#include "base/sundials.h"

#include <kinsol/kinsol.h>
#include <stdio.h>
#include <string.h>

int vida__context_create(SUNContext* context) {
#if VIDA_SUNDIALS_AT_LEAST(7, 0)
  return SUNContext_Create(SUN_COMM_NULL, context);
#else
  return SUNContext_Create(NULL, context);
#endif
}

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

int vida__silence_kinsol(void* kinsol, SUNContext context, vida_sink* sink) {
  (void)kinsol;
  const int code = SUNContext_ClearErrHandlers(context);
  return code ? code : SUNContext_PushErrHandler(context, handle_error, sink);
}

#else

static void handle_error(int code, const char* module, const char* function, char* message,
                         void* data) {
  (void)code;
  (void)module;
  (void)function;
  keep_message(data, message);
}

int vida__silence_kinsol(void* kinsol, SUNContext context, vida_sink* sink) {
  (void)context;
  return KINSetErrHandlerFn(kinsol, handle_error, sink);
}

#endif

const char* vida__kinsol_flag_name(int flag) {
#define FLAG_NAME(name) \
  { (name), #name }
  static const struct {
    int flag;
    const char* name;
  } names[] = {FLAG_NAME(KIN_SUCCESS),
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
#undef FLAG_NAME
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].flag == flag) {
      return names[i].name;
    }
  }
  return "KIN_UNKNOWN_FLAG";
}
