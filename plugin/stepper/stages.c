#include "stepper/stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/distance_stages.h"

struct vida_stages {
  VidaStepper* nested;
  int count;
  bool is_broken; /* the last step failed half-way, or has been taken back */
  /* The clock of the nested stepper before the step; its node is in `kept` (frame.h). */
  double kept_t0, kept_h, kept_lambda_t;
  long kept_step;
  double action; /* of the stages of the last step, if it is needed */
  const double* gamma;
  double* differences;    /* memory of the general histories */
  vida_stage* stage;      /* count */
  vida_calm_stages* calm; /* NULL: some constraint is not a distance */
};

int vida__stages_create(VidaStepper* nested, const double* gamma, int count, vida_stages** stages,
                        VidaError* error) {
  VidaIntegration* base = vida__nested_integration(nested);
  const size_t size = (size_t)(base->model.n + base->model.m);
  vida_stages* made = *stages = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->nested = nested;
  made->gamma = gamma;
  made->count = count;
  made->stage = vida__allocate((size_t)count, sizeof *made->stage);
  made->differences =
      vida__allocate((size_t)(count * VIDA_HISTORY) * size, sizeof *made->differences);
  if (!made->stage || !made->differences) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < VIDA_HISTORY; k++) {
      made->stage[i].history.difference[k] =
          made->differences + (size_t)(i * VIDA_HISTORY + k) * size;
    }
  }
  vida__nested_set_stages(nested, count);
  return vida__calm_stages_create(base, made->stage, count, &made->calm, error);
}

void vida__stages_destroy(vida_stages** stages) {
  vida_stages* old = *stages;
  if (!old) {
    return;
  }
  vida__calm_stages_destroy(&old->calm);
  free(old->differences);
  free(old->stage);
  free(old);
  *stages = NULL;
}

void vida__stages_forget(vida_stages* stages) {
  for (int i = 0; i < stages->count; i++) {
    stages->stage[i].history.count = 0;
    vida__forget_calm_stage(&stages->stage[i]);
  }
  stages->is_broken = true;
}

/* Keeps the state of the nested stepper at the node of the outer one. */
static void keep_node(vida_stages* stages) {
  const VidaNode* node = &vida__nested_integration(stages->nested)->node;
  stages->kept_t0 = node->t0;
  stages->kept_h = node->h;
  stages->kept_lambda_t = node->lambda_t;
  stages->kept_step = node->step;
  vida__nested_keep(stages->nested);
}

void vida__stages_return(vida_stages* stages) {
  VidaIntegration* base = vida__nested_integration(stages->nested);
  if (base->method->undo) {
    base->method->undo(base);
  }
  vida__nested_return(stages->nested);
  vida__nested_set_clock(stages->nested, stages->kept_t0, stages->kept_h);
  base->node.lambda_t = stages->kept_lambda_t;
  base->node.step = stages->kept_step;
  vida__stages_forget(stages);
}

/* Makes the stage i from the time t. */
static int make_stage(vida_stages* stages, int i, double t, double h, VidaError* error) {
  VidaIntegration* base = vida__nested_integration(stages->nested);
  vida_stage* stage = &stages->stage[i];
  if (stages->calm) {
    vida__nested_set_clock(stages->nested, t, h);
    if (vida__make_calm_stage(base, stages->calm, stage)) {
      return VIDA_SUCCESS;
    }
    vida__leave_calm_stages(base, stages->calm, stage);
  }
  vida__swap_history(base, &stage->history);
  const int code = vida__nested_stage(stages->nested, i + 1, t, h, error);
  vida__swap_history(base, &stage->history);
  return code;
}

/* Adds the action of the stage that began at the time t. */
static int add_action(vida_stages* stages, double t, VidaError* error) {
  VidaIntegration* base = vida__nested_integration(stages->nested);
  double action = 0.0;
  const int code =
      base->needs_action ? base->method->action(base, t, &action, error) : VIDA_SUCCESS;
  stages->action += action;
  return code;
}

int vida__stages_action(const vida_stages* stages, double* action, VidaError* error) {
  const VidaIntegration* base = vida__nested_integration(stages->nested);
  *action = stages->action;
  return base->needs_action ? VIDA_SUCCESS
                            : vida__fail(error, VIDA_NOT_SUPPORTED, "%s does not compute it",
                                         base->method->info.name);
}

/* Prepares the nested stepper for a step from the node of `outer`. */
static void begin(vida_stages* stages, const VidaIntegration* outer) {
  VidaIntegration* base = vida__nested_integration(stages->nested);
  const size_t bytes = (size_t)outer->model.n * sizeof *outer->node.q;
  const bool is_same = !memcmp(outer->node.q, base->node.q, bytes);
  vida__copy_node(outer, base);
  keep_node(stages);
  vida__nested_follow(stages->nested, outer);
  base->needs_action = outer->needs_action && base->method->action;
  stages->action = 0.0;
  if (stages->is_broken) {
    vida__forget_constraints(base);
  }
  if (stages->calm) {
    vida__begin_calm_stages(stages->calm, is_same && !stages->is_broken);
  }
}

int vida__stages_make(vida_stages* stages, VidaIntegration* outer, VidaError* error) {
  VidaIntegration* base = vida__nested_integration(stages->nested);
  const double t = vida__node_time(outer);
  double covered = 0.0;
  int code = VIDA_SUCCESS;
  begin(stages, outer);
  for (int i = 0; i < stages->count && !code; i++) {
    const double from = t + covered * outer->node.h;
    code = make_stage(stages, i, from, stages->gamma[i] * outer->node.h, error);
    code = code ? code : add_action(stages, from, error);
    covered += stages->gamma[i];
  }
  stages->is_broken = false;
  if (stages->calm) {
    vida__count_evaluations(base);
  }
  vida__add_solver_counts(outer, base, NULL);
  if (!code) {
    vida__copy_node(base, outer);
    vida__nested_end_stages(stages->nested);
  } else {
    vida__stages_return(stages);
  }
  return code;
}

void vida__stages_record(vida_stages* stages, VidaRecord* record) {
  const VidaIntegration* base = vida__nested_integration(stages->nested);
  const size_t size = (size_t)(base->model.n + base->model.m);
  vida__record_part(record, "stages");
  VidaRecord_Flag(record, &stages->is_broken);
  VidaRecord_Reals(record, &stages->action, 1);
  for (int i = 0; i < stages->count; i++) {
    vida__record_history(&stages->stage[i].history, size, record);
  }
  if (stages->calm) {
    vida__calm_stages_record(base, stages->calm, stages->stage, record);
  }
}
