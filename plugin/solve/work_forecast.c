#include "solve/work_forecast.h"

#include <math.h>

#include "base/error.h"
#include "base/text.h"

/* The largest number of windows, and the least number of steps of one: limits of few steps need no
 * forecast. */
static const double windows = 64.0, shortest_window = 512.0;
/* A forecast above this multiple of the limit ends the advance. Fast vibrations that a method damps
 * need up to twelve times fewer steps than the first windows let expect (ida-index3). */
static const double doubt = 30.0;

vida_work_forecast vida__expect_work(double t, double end, double most) {
  return (vida_work_forecast){.most = most, .end = end, .window_t = t};
}

/* Returns the number n of windows in which `rest` passes, if the last one took the time T and each
 * takes `growth` >= 1 times as long as the one before: T (growth + ... + growth^n) = rest. */
static double count_windows(double rest, double T, double growth) {
  const double slope = growth - 1.0;
  return slope > 0.0 ? log1p(rest / T / growth * slope) / log1p(slope) : rest / T;
}

static void forecast(vida_work_forecast* work, double length, double t) {
  work->previous = work->window;
  work->window = t - work->window_t;
  work->window_t = t;
  if (work->previous > 0.0 && work->window > 0.0) {
    const double growth = fmax(work->window / work->previous, 1.0);
    work->total = work->made + length * count_windows(work->end - t, work->window, growth);
  }
}

bool vida__may_step(vida_work_forecast* work, double t) {
  const double length = fmax(ceil(work->most / windows), shortest_window);
  if (work->made > 0.0 && fmod(work->made, length) == 0.0) {
    forecast(work, length, t);
  }
  if (work->made >= work->most || work->total > doubt * work->most) {
    return false;
  }
  work->made++;
  return true;
}

int vida__fail_work(const vida_work_forecast* work, const char* flag, const double* t,
                    const char* advice, VidaError* error) {
  char text[VIDA_REAL_TEXT_SIZE];
  char when[16 + VIDA_REAL_TEXT_SIZE] = "";
  if (t) {
    vida__append(when, sizeof when, "at t = %s: ", vida__real_text(text, *t, 10));
  }
  if (work->made >= work->most) {
    return vida__fail_flag(error, VIDA_STEP_NOT_CONVERGED, flag,
                           "%smore steps than max_steps = %.0f between two output states; %s", when,
                           work->most, advice);
  }
  return vida__fail_flag(
      error, VIDA_STEP_NOT_CONVERGED, flag,
      "%sthe steps are so small that about %s of them would be needed to reach the next output "
      "state, and max_steps allows %.0f; %s",
      when, vida__real_text(text, work->total, 2), work->most, advice);
}
