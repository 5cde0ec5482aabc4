/* Evaluates a tape for every instance of a batch of terms or constraints (traced.c). */
#ifndef VIDA_SYSTEM_TERMS_INSTANCES_H
#define VIDA_SYSTEM_TERMS_INSTANCES_H

#include "system/model/model.h"
#include "system/terms/traced.h"

/* The instances of a batch, and the point at which they are evaluated. */
typedef struct vida_instances {
  const vida_traced* traced;
  const vida_tape_place* place;
  const int* index;
  int width, count;
  const VidaSystem* system;
  double t;
  const vida_segment* segment;
  const double *q, *v, *q1, *v1;
  const double* multipliers; /* see vida_place */
  const double* switches;    /* inputs of the tape SWITCHED, for all instances */
  double* tapes;
  VidaError* error;
} vida_instances;

/* Returns the instances of a batch at a point, or between the two configurations of a step. */
vida_instances vida__instances_of_term(const vida_term_batch* batch, const vida_place* at);
vida_instances vida__instances_of_constraint(const vida_constraint_batch* batch,
                                             const vida_place* at);
vida_instances vida__term_instances_between(const vida_term_batch* batch,
                                            const vida_interval* interval);
vida_instances vida__constraint_instances_between(const vida_constraint_batch* batch,
                                                  const vida_interval* interval);

/* Returns the number of switches of the expression. */
int vida__count_switches(const vida_instances* list);

/* Processes the results of `count` instances: output k of the first one is out[k * step], and those
 * of the next one follow behind it. */
typedef void (*vida_scatter)(const vida_instances* list, int first, int count, const double* out,
                             int step, void* target);
/* Evaluates a tape for all instances, and passes the results to `take` with `target`. Does nothing
 * without such a tape. Fails with VIDA_NOT_FINITE; the message names the instance. */
int vida__for_each_instance(const vida_instances* list, enum vida_tape_kind kind, vida_scatter take,
                            void* target);

#endif
