/* The names of steps in messages: by the step that the user requested. */
#include <math.h>

#include "base/text.h"
#include "stepper/jumps.h"

static const VidaStepper* find_outermost(const VidaStepper* stepper) {
  while (stepper->outer) {
    stepper = stepper->outer;
  }
  return stepper;
}

/* Returns whether the stepper of a mode makes the step that the user requested. */
static bool is_whole(const VidaStepper* stepper, const VidaStepper* asked) {
  const double h = asked->self.node.h;
  const double t = vida__node_time(&stepper->self) - (double)stepper->self.ahead * h;
  return stepper->outer->hybrid && stepper->self.node.h == h &&
         fabs(t - vida__node_time(&asked->self)) < 0.5 * h;
}

char* vida__name_step(const VidaIntegration* self, char text[VIDA_STEP_NAME_SIZE]) {
  char number[VIDA_REAL_TEXT_SIZE];
  const VidaStepper* stepper = (const VidaStepper*)self;
  const VidaStepper* asked = find_outermost(stepper);
  const long step = asked->self.node.step - asked->self.ahead;
  const long before = asked->jumps ? asked->jumps->step - asked->self.node.step : 0;
  text[0] = '\0';
  vida__append(
      text, VIDA_STEP_NAME_SIZE, "step %ld from t = %s", asked->earlier + before + step + 1,
      vida__real_text(number, asked->self.node.t0 + (double)step * asked->self.node.h, 10));
  if (stepper->outer && stepper->stages > 0) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", in stage %d of %d, which is %s long", stepper->stage,
                 stepper->stages, vida__real_text(number, self->node.h, 6));
  } else if (stepper->outer && !is_whole(stepper, asked)) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", at t = %s",
                 vida__real_text(number, vida__node_time(self), 10));
    vida__append(text, VIDA_STEP_NAME_SIZE, " in a step that is %s long",
                 vida__real_text(number, self->node.h, 6));
  }
  if (self->ahead) {
    vida__append(text, VIDA_STEP_NAME_SIZE, ", in the following step, which its velocity needs");
  }
  return text;
}

void vida__count_earlier(VidaStepper* stepper, long steps) {
  stepper->earlier = steps;
}

double vida__requested_step_size(const VidaIntegration* self) {
  return find_outermost((const VidaStepper*)self)->self.node.h;
}
