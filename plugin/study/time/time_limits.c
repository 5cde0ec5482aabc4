#include "study/time/time_limits.h"

#include <time.h>

#include "base/text.h"

double vida__read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static vida_deadline limit_from(const VidaStudy* study, const char* option, double begin) {
  const double seconds = VidaOptions_Get(study->options, option);
  return (vida_deadline){begin + seconds, option, seconds};
}

vida_deadline vida__set_deadline(const VidaStudy* study) {
  const vida_deadline own = limit_from(study, "wall_limit", vida__read_clock());
  const vida_deadline all = limit_from(study, "study_wall_limit", study->began);
  return own.end <= all.end ? own : all;
}

bool vida__is_over(const VidaStudy* study) {
  return vida__read_clock() >= limit_from(study, "study_wall_limit", study->began).end;
}

char* vida__describe_limit(const vida_deadline* deadline, char text[VIDA_NAME_SIZE]) {
  char seconds[VIDA_REAL_TEXT_SIZE];
  text[0] = '\0';
  vida__append(text, VIDA_NAME_SIZE, "%s = %s s", deadline->option,
               vida__real_text(seconds, deadline->seconds, 6));
  return text;
}
