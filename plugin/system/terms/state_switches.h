/* Jumps of forces and momenta at switches of positions or rates, which steps do not locate.
 *
 * Switches are compared from node to node. If some have changed, the point of the change is located
 * on the straight line between the nodes, and the term is evaluated there with the switches of both
 * sides: a kink, as that of |x|, is not a jump. */
#ifndef VIDA_SYSTEM_TERMS_STATE_SWITCHES_H
#define VIDA_SYSTEM_TERMS_STATE_SWITCHES_H

#include "system/evaluate/evaluate.h"
#include "system/terms/traced.h"

/* Compiles the tapes SWITCHES and SWITCHED of `output` (count nodes), with coordinates by their
 * indices in `local`; none if there are no switches. */
int vida__derive_switches(vida_graph* graph, int count, const int* output, const int* local,
                          vida_traced* traced);

/* A term that has jumped. */
typedef struct vida_switched_term {
  int batch;      /* of terms */
  int instance;   /* of the first place, */
  bool wraps;     /* at the wrap of an angle in a potential */
  long count;     /* of steps in which an instance jumped */
  double first_t; /* of the first place */
} vida_switched_term;

typedef struct vida_switch_watch {
  vida_evaluator evaluator;
  int count; /* of terms that may jump; 0: everything else is empty */
  vida_switched_term* terms;
  bool is_known;                   /* the switches of the last node */
  double t, *q, *v;                /* the last node */
  double t_next, *q_next, *v_next; /* the next one */
  double *q_between, *v_between;
  double *left, *right;  /* switches at both, of all terms and instances */
  double *low, *high;    /* beside a place, of one instance */
  double *value, *other; /* of the gradient of one instance */
  double* memory;
} vida_switch_watch;

/* May be destroyed after a failed Create, or when zeroed. */
int vida__create_switch_watch(const VidaSystem* system, vida_switch_watch* watch, VidaError* error);
void vida__destroy_switch_watch(vida_switch_watch* watch);
/* The first node of a run. */
void vida__begin_switch_watch(vida_switch_watch* watch, double t, const double* q, const double* v);
/* The node after a step. */
void vida__follow_switches(vida_switch_watch* watch, double t, const double* q, const double* v);
/* Appends the term: "force 'dry'". */
void vida__name_switched_term(const vida_switch_watch* watch, int term, char* text, size_t size);

#endif
