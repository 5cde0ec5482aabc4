/* How long runs and studies may take. */
#ifndef VIDA_STUDY_RUN_TIME_LIMITS_H
#define VIDA_STUDY_RUN_TIME_LIMITS_H

#include "study/study.h"

/* Until when something may go on, and the option that says so. */
typedef struct vida_deadline {
  double end; /* a reading of the clock; infinity: no limit */
  const char* option;
  double seconds;
} vida_deadline;

/* s, of a clock that is never set back */
double vida__read_clock(void);
/* Of a run, or of the reference, that begins now: its own limit, or what is left of the study's. */
vida_deadline vida__set_deadline(const VidaStudy* study);
/* Whether the study has used up its time. */
bool vida__is_over(const VidaStudy* study);
/* "wall_limit = 10 s"; returns text. */
char* vida__describe_limit(const vida_deadline* deadline, char text[VIDA_NAME_SIZE]);

#endif
