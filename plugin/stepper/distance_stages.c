#include "stepper/distance_stages.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/condensed_step.h"

/* The largest number of steps without a try, reached after a few failures in a row. */
enum { MOST_PATIENCE = 8 };

struct vida_calm_stages {
  int count;
  bool is_tracked;    /* the sums of increments have been corrected in this step */
  bool is_after_calm; /* the last stage was calm: own->d and d_before are those of the last nodes */
  double* kept;       /* 5 n + m: the node before a stage; m: g there */
  double* block;      /* memory of the unknowns */
};

int vida__calm_stages_create(const VidaIntegration* base, vida_stage* stage, int count,
                             vida_calm_stages** calm, VidaError* error) {
  const vida_distance_steps* own = base->implicit.distances;
  if (!own || base->implicit.form.is_mean) {
    return VIDA_SUCCESS;
  }
  const size_t n = (size_t)base->model.n, m = (size_t)base->model.m;
  const size_t places = (size_t)own->distances.dimension, unknowns = n + places + m;
  vida_calm_stages* made = *calm = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->count = count;
  made->kept = vida__allocate(5 * n + 2 * m, sizeof *made->kept);
  made->block = vida__allocate((size_t)(count * VIDA_PAST_STEPS) * unknowns, sizeof *made->block);
  if (!made->kept || !made->block) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < VIDA_PAST_STEPS; k++) {
      stage[i].past[k].w = made->block + (size_t)(i * VIDA_PAST_STEPS + k) * unknowns;
      stage[i].past[k].mu = stage[i].past[k].w + n + places;
    }
  }
  return VIDA_SUCCESS;
}

void vida__calm_stages_destroy(vida_calm_stages** calm) {
  vida_calm_stages* old = *calm;
  if (!old) {
    return;
  }
  free(old->kept);
  free(old->block);
  free(old);
  *calm = NULL;
}

void vida__forget_calm_stage(vida_stage* stage) {
  stage->is_current = stage->is_ahead = false;
  stage->waits = 0;
  stage->patience = 1;
}

void vida__begin_calm_stages(vida_calm_stages* calm, bool continues) {
  calm->is_tracked = false;
  calm->is_after_calm = calm->is_after_calm && continues;
}

/* Exchanges the past unknowns of the stepper for those of the stage. */
static void swap_past(VidaIntegration* base, vida_stage* stage) {
  vida_distance_steps* own = base->implicit.distances;
  for (int k = 0; k < VIDA_PAST_STEPS; k++) {
    const vida_step_unknowns other = own->past[k];
    own->past[k] = stage->past[k];
    stage->past[k] = other;
  }
}

/* Copies the node and g there to calm->kept, or back. */
static void copy_node(VidaIntegration* base, vida_calm_stages* calm, bool is_back) {
  const size_t count = (size_t)(5 * base->model.n + base->model.m);
  const size_t m = (size_t)base->model.m;
  double *node = base->node.q, *g = base->implicit.g_tracked;
  memcpy(is_back ? node : calm->kept, is_back ? calm->kept : node, count * sizeof *node);
  memcpy(is_back ? g : calm->kept + count, is_back ? calm->kept + count : g, m * sizeof *g);
}

/* Evaluates what stages have in common at the node, unless the last stage has left it. Corrects the
 * sums of increments of g once per step, which is no less than the method does in each stage. */
static bool prepare(VidaIntegration* base, vida_calm_stages* calm) {
  vida_distance_steps* own = base->implicit.distances;
  const double t = vida__node_time(base);
  if (!calm->is_tracked) {
    if (vida__constraints(&base->model.evaluator, t, base->node.q, base->node.q_low,
                          base->implicit.g0)) {
      return false;
    }
    vida__take_tracked_constraints(base, calm->count, base->implicit.g0);
    memcpy(base->implicit.g_tracked, base->implicit.g0,
           (size_t)base->model.m * sizeof *base->implicit.g0);
    calm->is_tracked = true;
    own->has_sizes = false;
  }
  if (calm->is_after_calm) {
    return true;
  }
  vida__find_distance_vectors(base);
  return own->has_uniform_force || !vida__gradient(&base->model.evaluator, t, base->node.q,
                                                   base->node.v, own->force, base->work.l_v);
}

/* Makes the stage with the past unknowns in their places. */
static bool make(VidaIntegration* base, vida_calm_stages* calm, vida_stage* stage) {
  vida_distance_steps* own = base->implicit.distances;
  bool is_broken = false;
  if (!stage->is_current) {
    vida__swap_history(base, &stage->history);
    vida__take_calm_history(base);
    vida__swap_history(base, &stage->history);
    stage->is_current = true;
  }
  const bool is_made = vida__make_distance_steps(base, 1, &is_broken) == 1;
  base->node.step = 0;
  if (is_broken) {
    copy_node(base, calm, true);
    calm->is_after_calm = false;
  }
  if (is_made) {
    memcpy(base->node.v, own->v, (size_t)base->model.n * sizeof *own->v);
    if (base->needs_action) {
      memcpy(base->implicit.form.w, own->past[0].w, (size_t)base->model.n * sizeof *own->v);
    }
    base->implicit.has_entries_next = false;
  }
  return is_made;
}

bool vida__make_calm_stage(VidaIntegration* base, vida_calm_stages* calm, vida_stage* stage) {
  const vida_distance_steps* own = base->implicit.distances;
  const bool is_known = stage->is_current || stage->history.count >= VIDA_PAST_STEPS;
  if (!own->is_used || !base->implicit.has_tracked || !is_known) {
    return false;
  }
  if (stage->waits > 0) {
    stage->waits--;
    return false;
  }
  if (!prepare(base, calm)) {
    base->model.evaluator.error = (VidaError){0};
    return false;
  }
  copy_node(base, calm, false);
  swap_past(base, stage);
  const bool is_made = make(base, calm, stage);
  swap_past(base, stage);
  if (is_made) {
    calm->is_after_calm = stage->is_ahead = true;
    stage->patience = 1;
  } else {
    stage->waits = stage->patience;
    stage->patience = stage->patience < MOST_PATIENCE ? 2 * stage->patience : MOST_PATIENCE;
  }
  return is_made;
}

void vida__leave_calm_stages(VidaIntegration* base, vida_calm_stages* calm, vida_stage* stage) {
  if (calm->is_after_calm) {
    vida__give_calm_entries(base);
    base->implicit.has_entries_next = false;
  }
  if (stage->is_ahead) {
    swap_past(base, stage);
    vida__swap_history(base, &stage->history);
    vida__give_calm_history(base);
    vida__swap_history(base, &stage->history);
    swap_past(base, stage);
  }
  stage->is_ahead = stage->is_current = calm->is_after_calm = false;
}

void vida__calm_stages_record(const VidaIntegration* base, vida_calm_stages* calm,
                              vida_stage* stage, VidaRecord* record) {
  const vida_distance_steps* own = base->implicit.distances;
  const size_t unknowns = (size_t)(base->model.n + own->distances.dimension + base->model.m);
  VidaRecord_Flag(record, &calm->is_tracked);
  VidaRecord_Flag(record, &calm->is_after_calm);
  for (int i = 0; i < calm->count; i++) {
    for (int k = 0; k < VIDA_PAST_STEPS; k++) {
      VidaRecord_Reals(record, stage[i].past[k].w, unknowns); /* and mu behind it */
    }
    VidaRecord_Flag(record, &stage[i].is_current);
    VidaRecord_Flag(record, &stage[i].is_ahead);
    VidaRecord_Integer(record, &stage[i].waits, 0, LONG_MAX);
    VidaRecord_Integer(record, &stage[i].patience, 0, LONG_MAX);
  }
}
