/* Plug-ins with one fault each, which the macro FAULT_... selects, for shell/test_plugin.sh. */
#include <math.h>
#include <string.h>
#include <vida/method.h>

static int create(VidaIntegration* integration, VidaError* error) {
  (void)integration, (void)error;
  return VIDA_SUCCESS;
}

static int start(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  double unused[64];
  return VidaIntegration_Gradient(integration, node->t0, node->q, node->v, unused, node->p, error);
}

/* Euler's explicit rule for systems without constraints whose masses are 1: of order 1, and the
 * energy grows. */
static int step(VidaIntegration* integration, VidaError* error) {
  VidaNode* node = VidaIntegration_Node(integration);
  const int n = VidaSystem_CoordinateCount(VidaIntegration_System(integration));
  const double t = VidaIntegration_Time(integration);
  double force[64], velocity[64], unused[64];
  int code =
      VidaIntegration_ProjectVelocities(integration, t, node->q, node->p, velocity, NULL, error);
  code = code ? code
              : VidaIntegration_Gradient(integration, t, node->q, velocity, force, unused, error);
  for (int i = 0; i < n && !code; i++) {
    node->q[i] += node->h * velocity[i];
    node->p[i] += node->h * force[i];
  }
  return code;
}

static int velocities(VidaIntegration* integration, double* v, VidaError* error) {
  const VidaNode* node = VidaIntegration_Node(integration);
  return VidaIntegration_ProjectVelocities(integration, VidaIntegration_Time(integration), node->q,
                                           node->p, v, NULL, error);
}

extern const VidaOptionRow fault_no_options[];
const VidaOptionRow fault_no_options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

#define METHOD(method_name, claims, rows)                                                        \
  {                                                                                              \
    .size = sizeof(VidaMethod),                                                                  \
    .info = {method_name, "Euler's explicit rule", "Euler 1768", "none", 1, (claims)},           \
    .options = (rows), .create = create, .start = start, .step = step, .velocities = velocities, \
    .energy = VidaIntegration_NodeEnergy                                                         \
  }

#if !defined(FAULT_no_interface)
#if defined(FAULT_old_interface)
VIDA_PLUGIN_EXPORT const int vida_plugin_interface = 99;
#else
VIDA_PLUGIN_EXPORT const int vida_plugin_interface = VIDA_PLUGIN_INTERFACE;
#endif
#endif

extern const VidaMethod fault_method;
#if defined(FAULT_boaster)
/* Claims an energy that it does not keep. */
const VidaMethod fault_method =
    METHOD("boaster", VIDA_CAN_ENERGY | VIDA_LIMIT_UNCONSTRAINED, fault_no_options);
#elif defined(FAULT_taken_name)
const VidaMethod fault_method = METHOD("rattle", 0, fault_no_options);
#elif defined(FAULT_bad_option)
static const VidaOptionRow rows[] = {
    {"order", VIDA_OPTION_CHOICE, "", 2.0, 0.0, 0.0, false, "one|two", "Order of the rule."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};
const VidaMethod fault_method = METHOD("chosen", 0, rows);
#elif defined(FAULT_second_bad)
const VidaMethod fault_method = METHOD("first", 0, fault_no_options);
#else
const VidaMethod fault_method = METHOD("euler", 0, fault_no_options);
#endif

#if !defined(FAULT_no_register)
VIDA_PLUGIN_EXPORT int vida_plugin_register(VidaError* error) {
#if defined(FAULT_wrong_size)
  static VidaMethod old;
  old = fault_method;
  old.size = sizeof(VidaMethod) - sizeof(void*);
  return Vida_RegisterMethod(&old, error);
#elif defined(FAULT_failing)
  strcpy(error->message, "the licence has run out");
  return VIDA_NOT_SUPPORTED;
#elif defined(FAULT_silent_failing)
  (void)error;
  return -1000;
#elif defined(FAULT_nothing)
  (void)error;
  return VIDA_SUCCESS;
#elif defined(FAULT_second_bad)
  const int code = Vida_RegisterMethod(&fault_method, error);
  return code ? code : Vida_RegisterMethod(&fault_method, error);
#else
  return Vida_RegisterMethod(&fault_method, error);
#endif
}
#endif
