/* Jumps of forces and momenta at switches of positions or rates, which steps do not locate.
 *
 * The watch compares the switches from node to node. If one has changed, it locates the change on
 * the straight line between the nodes and evaluates the term there with the switches of both sides.
 * A kink, such as that of |x|, is not a jump. */
#ifndef VIDA_SYSTEM_EVALUATE_SWITCH_WATCH_H
#define VIDA_SYSTEM_EVALUATE_SWITCH_WATCH_H

#include "base/state_record.h"
#include "system/evaluate/evaluate.h"

/* A term that has jumped. */
typedef struct vida_switched_term {
  int batch;      /* of terms */
  int instance;   /* the instance that jumped first */
  bool wraps;     /* a potential with an angle that wraps */
  long count;     /* number of steps in which an instance jumped */
  double first_t; /* time of the first jump, s */
} vida_switched_term;

typedef struct vida_switch_watch {
  vida_evaluator evaluator;
  int count; /* number of terms that may jump; 0: all other members are empty */
  vida_switched_term* terms;
  bool is_known;                   /* the switches of the last node are known */
  double t, *q, *v;                /* the last node */
  double t_next, *q_next, *v_next; /* the next one */
  double *q_between, *v_between;
  double *left, *right;  /* switches at both nodes, of all terms and instances */
  double *low, *high;    /* switches of one instance before and after a change */
  double *value, *other; /* gradient of one instance, with both sets of switches */
  double* memory;
} vida_switch_watch;

/* Creates a watch. The caller frees it with vida__destroy_switch_watch, also after a failure. */
int vida__create_switch_watch(const VidaSystem* system, vida_switch_watch* watch, VidaError* error);
/* Frees a watch; it may be zero-initialized. */
void vida__destroy_switch_watch(vida_switch_watch* watch);
/* Starts at the first node of a run. */
void vida__begin_switch_watch(vida_switch_watch* watch, double t, const double* q, const double* v);
/* Checks the step to the next node. */
void vida__follow_switches(vida_switch_watch* watch, double t, const double* q, const double* v);
/* Visits the last node and the jumps of a watch that has been started. */
void vida__switch_watch_record(vida_switch_watch* watch, VidaRecord* record);
/* Appends the kind and the name of a term, "force 'dry'", to text. */
void vida__name_switched_term(const vida_switch_watch* watch, int term, char* text, size_t size);

#endif
