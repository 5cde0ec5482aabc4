/* Time limits of runs and studies. */
#ifndef VIDA_STUDY_TIME_TIME_LIMITS_H
#define VIDA_STUDY_TIME_TIME_LIMITS_H

#include "study/study.h"

/* A deadline, and the option that sets it. */
typedef struct vida_deadline {
  double end; /* clock reading, s; infinity: no limit */
  const char* option;
  double seconds;
} vida_deadline;

/* Returns the reading (s) of a monotonic clock. */
double vida__read_clock(void);
/* Returns the deadline of a run, or of the reference, that begins now: its own limit or the
 * remaining time of the study, whichever is earlier. */
vida_deadline vida__set_deadline(const VidaStudy* study);
/* Returns whether the study has used its time. */
bool vida__is_over(const VidaStudy* study);
/* Writes "wall_limit = 10 s" to text. Returns text. */
char* vida__describe_limit(const vida_deadline* deadline, char text[VIDA_NAME_SIZE]);

#endif
