/* Interrupts: VIDA calls the user's function, also within a step, to decide whether to continue. */
#include "base/error.h"
#include "base/text.h"
#include "stepper/frame.h"

int VidaStepper_SetInterrupt(VidaStepper* stepper, int (*ask)(void* data), void* data,
                             VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper)) {
    return VIDA_BAD_ARGUMENT;
  }
  stepper->interrupt.ask = ask;
  stepper->interrupt.data = data;
  return VIDA_SUCCESS;
}

void vida__begin_interruptible(VidaStepper* stepper) {
  stepper->interrupt.is_active = true;
  stepper->interrupt.code = VIDA_SUCCESS;
}

bool vida__end_interruptible(VidaStepper* stepper) {
  stepper->interrupt.is_active = false;
  return stepper->interrupt.code != VIDA_SUCCESS;
}

int vida__interrupted(VidaIntegration* self, double reached) {
  VidaStepper* stepper = vida__frame_of(self);
  while (stepper->outer) {
    /* The times of stages of a composition go forwards and backwards. */
    reached = stepper->stages > 0 ? vida__node_time(&stepper->outer->self) : reached;
    stepper = stepper->outer;
  }
  vida_interrupt* interrupt = &stepper->interrupt;
  if (interrupt->code || !interrupt->ask || !interrupt->is_active) {
    return interrupt->code;
  }
  const int code = interrupt->ask(interrupt->data);
  if (code) {
    /* After a positive code a method would try a smaller step. */
    interrupt->code = code < 0 ? code : VIDA_STOPPED;
    interrupt->reached = reached;
  }
  return interrupt->code;
}

int vida__fail_interrupted(const VidaStepper* stepper, VidaError* error) {
  const double node = VidaStepper_Time(stepper), reached = stepper->interrupt.reached;
  char at[VIDA_REAL_TEXT_SIZE], kept[VIDA_REAL_TEXT_SIZE];
  const int code = stepper->interrupt.code;
  if (!(reached > node)) {
    return vida__fail(error, code, "%s at t = %s", Vida_CodeText(code),
                      vida__real_text(at, node, 12));
  }
  return vida__fail(error, code, "%s at t = %s, within the step from t = %s", Vida_CodeText(code),
                    vida__real_text(at, reached, 12), vida__real_text(kept, node, 12));
}
