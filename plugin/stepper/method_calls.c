#include "stepper/method_calls.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"

/* The results that a function of the method fills in. */
static VidaError* empty(VidaError* reason) {
  reason->code = VIDA_SUCCESS;
  reason->flag[0] = '\0';
  reason->message[0] = '\0';
  return reason;
}

/* Replaces an unknown code of a function of the method by a known one, and adds a message if there
 * is none. */
static int settle(const VidaIntegration* self, const char* function, int code,
                  const VidaError* reason, VidaError* error) {
  if (code == VIDA_SUCCESS) {
    return VIDA_SUCCESS;
  }
  if (!vida__is_code(code)) {
    code = code < 0 ? VIDA_CALLBACK_FAILED : VIDA_CALLBACK_RECOVERABLE;
  }
  if (!reason->message[0]) {
    return vida__fail(error, code, "%s: its function '%s' failed without a reason: %s",
                      self->method->info.name, function, Vida_CodeText(code));
  }
  if (error) {
    *error = *reason;
    error->code = code;
  }
  return code;
}

static int refuse_numbers(const VidaIntegration* self, const char* what, VidaError* error) {
  return vida__fail(error, VIDA_NOT_FINITE, "%s: %s not finite numbers", self->method->info.name,
                    what);
}

int vida__call_create(VidaIntegration* self, VidaError* error) {
  VidaError reason;
  const int code = VidaOptions_Check(self->options, empty(&reason));
  return settle(self, "create", code ? code : self->method->create(self, &reason), &reason, error);
}

static int check_start(const VidaIntegration* self, int code, VidaError* error) {
  const VidaNode* node = &self->node;
  if (!code &&
      !(vida__are_finite(node->q, self->model.n) && vida__are_finite(node->p, self->model.n))) {
    return refuse_numbers(self, "positions or momenta at the start are", error);
  }
  return code;
}

int vida__call_start(VidaIntegration* self, VidaError* error) {
  VidaError reason;
  const int code = settle(self, "start", self->method->start(self, empty(&reason)), &reason, error);
  return check_start(self, code, error);
}

int vida__call_start_two_points(VidaIntegration* self, const double* q1, VidaError* error) {
  VidaError reason;
  const int code = settle(self, "start_two_points",
                          self->method->start_two_points(self, q1, empty(&reason)), &reason, error);
  return check_start(self, code, error);
}

int vida__call_step(VidaIntegration* self, VidaError* error) {
  VidaNode* node = &self->node;
  const double t0 = node->t0, h = node->h;
  const long step = node->step;
  VidaError reason;
  const int code = settle(self, "step", self->method->step(self, empty(&reason)), &reason, error);
  node->t0 = t0;
  node->h = h;
  node->step = step;
  return code;
}

int vida__call_velocities(VidaIntegration* self, double* v, VidaError* error) {
  VidaError reason;
  const int code =
      settle(self, "velocities", self->method->velocities(self, v, empty(&reason)), &reason, error);
  return code || vida__are_finite(v, self->model.n) ? code
                                                    : refuse_numbers(self, "velocities are", error);
}

int vida__call_energy(VidaIntegration* self, double* energy, double* t, VidaError* error) {
  VidaError reason;
  const int code =
      settle(self, "energy", self->method->energy(self, energy, t, empty(&reason)), &reason, error);
  return code || (isfinite(*energy) && isfinite(*t))
             ? code
             : refuse_numbers(self, "the energy and its time are", error);
}
