/* Functions of the state whose signs are watched, and where they change. */
#ifndef VIDA_STEPPER_HYBRID_SAMPLE_H
#define VIDA_STEPPER_HYBRID_SAMPLE_H

#include <stdbool.h>

/* What a function is. */
typedef enum vida_watched_kind {
  VIDA_WATCHED_EVENT,   /* the function of an event */
  VIDA_WATCHED_NORMAL,  /* the gap of an open contact, the normal force of a closed one */
  VIDA_WATCHED_FRICTION /* what is left of the friction of a contact that sticks, the slip velocity
                           of one that slides */
} vida_watched_kind;

/* A function of the state. */
typedef struct vida_watched {
  vida_watched_kind kind;
  int index;      /* of the event or contact */
  bool is_record; /* an event that is only recorded: it must not change the motion */
  int side;       /* its sign at the last sample: 1 or -1; 0: not known yet */
  bool is_rising; /* changes from negative to positive values count */
  bool is_falling;
  bool
      is_at_zero; /* it was zero at an event where the search begins; `side` is its sign after it */
  bool is_fired;  /* its sign changes at the event that was found */
  double speed;   /* the largest |rate| of the samples since its last event */
  bool touches;   /* at the event that was found, its rate is rounding beside that */
} vida_watched;

/* The functions at one state of the motion. */
typedef struct vida_sample {
  double t;
  double *q, *v;        /* n */
  double *value, *rate; /* of all functions; a rate that is not known is NaN */
} vida_sample;

/* Returns whether the function changes its sign, in a direction that counts, up to the sample with
 * this value. */
bool vida__is_crossed(const vida_watched* watched, double value);
/* Estimates the first zero between two samples of a function that is crossed at `to`. */
double vida__estimate_zero(const vida_watched* watched, int function, const vida_sample* from,
                           const vida_sample* to, int iteration);
/* Returns whether the function may change its sign twice between two samples, which its rates show,
 * and writes the time of the extremum to *t. */
bool vida__may_dip(const vida_watched* watched, int function, const vida_sample* from,
                   const vida_sample* to, double* t);

#endif
