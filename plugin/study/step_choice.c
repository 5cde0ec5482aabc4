#include "study/step_choice.h"

#include <math.h>

vida_step_choice vida__step_choice(double h, double rtol) {
  return isnan(h) ? (vida_step_choice){true, "rtol", "", rtol}
                  : (vida_step_choice){false, "h", " s", h};
}

vida_step_choice vida__step_choice_of(const VidaRow* row) {
  return vida__step_choice(row->h, row->rtol);
}

bool vida__is_adaptive(const VidaRow* row) {
  return vida__step_choice_of(row).is_adaptive;
}

double vida__step_or_tolerance(const VidaRow* row) {
  return vida__step_choice_of(row).value;
}

bool vida__is_same_choice(const VidaRow* a, const VidaRow* b) {
  return vida__is_adaptive(a) == vida__is_adaptive(b) &&
         vida__step_or_tolerance(a) == vida__step_or_tolerance(b);
}
