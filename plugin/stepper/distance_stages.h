/* Calm stages of compositions: calm steps (distance_steps.h) of a nested stepper, each with the
 * history of the same stage in the last steps. */
#ifndef VIDA_STEPPER_DISTANCE_STAGES_H
#define VIDA_STEPPER_DISTANCE_STAGES_H

#include "stepper/distance_state.h"

/* What a stage keeps of the last steps. */
typedef struct vida_stage {
  vida_history history;                     /* of the unknowns of stages that are not calm */
  vida_step_unknowns past[VIDA_PAST_STEPS]; /* of calm stages, if there are any */
  bool is_current;                          /* past[] are the last unknowns */
  bool is_ahead;                            /* some of them are not yet in `history` */
  long waits, patience; /* steps before a calm stage is tried again, now and after a failure */
} vida_stage;

typedef struct vida_calm_stages vida_calm_stages;

/* Creates what calm stages of `base` need. *calm remains NULL if its system or method has no calm
 * steps. The caller frees it with vida__calm_stages_destroy, also after a failure. */
int vida__calm_stages_create(const VidaIntegration* base, vida_stage* stage, int count,
                             vida_calm_stages** calm, VidaError* error);
/* Frees it and sets *calm to NULL; NULL is allowed. */
void vida__calm_stages_destroy(vida_calm_stages** calm);
/* Deletes the history of calm stages. */
void vida__forget_calm_stage(vida_stage* stage);
/* Prepares a step. `continues`: the node is where the last stage has ended. */
void vida__begin_calm_stages(vida_calm_stages* calm, bool continues);
/* Makes a stage of length base->node.h from the node of `base`. Returns whether it was calm; if
 * not, the state is unchanged. */
bool vida__make_calm_stage(VidaIntegration* base, vida_calm_stages* calm, vida_stage* stage);
/* Passes the history of a stage and of its predecessor on to the method, which makes this stage. */
void vida__leave_calm_stages(VidaIntegration* base, vida_calm_stages* calm, vida_stage* stage);

/* Visits what calm stages keep. */
void vida__calm_stages_record(const VidaIntegration* base, vida_calm_stages* calm,
                              vida_stage* stage, VidaRecord* record);

#endif
