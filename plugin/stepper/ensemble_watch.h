/* The watches of motions whose steps are made in lanes. Included by ensemble_lanes.c only. */
#ifndef VIDA_STEPPER_ENSEMBLE_WATCH_H
#define VIDA_STEPPER_ENSEMBLE_WATCH_H

#include "base/inline.h"
#include "stepper/branch_watch.h"
#include "stepper/ensemble_state.h"

#if VIDA_HAS_LANES

/* Lets the watch of lane k look at the node, which is `made` steps after that of the motion. */
VIDA_ALWAYS_INLINE bool passes(vida_step_lanes* own, int k, const VidaIntegration* of, long made,
                               vida_shape shape) {
  vida_watch* watch = vida__frame_of((VidaIntegration*)of)->watch;
  const double t = of->node.t0 + (double)(of->node.step + made) * of->node.h;
  for (int i = 0; i < shape.n; i++) {
    own->point[i] = own->q[i][k];
    own->point[shape.n + i] = own->p[i][k];
  }
  if (!vida__watch_passes(watch, t, own->point, own->point + shape.n)) {
    return false;
  }
  for (int i = 0; i < shape.n; i++) {
    own->seen[i][k] = watch->seen[i];
  }
  return true;
}

/* Whether the next step may follow before the frames have checked the nodes. */
VIDA_ALWAYS_INLINE bool all_pass(vida_step_lanes* own, const lane_mask* is_in,
                                 VidaIntegration* const of[VIDA_LANES], long made,
                                 vida_shape shape) {
  lanes even = {0.0}, odd = {0.0}, last = {0.0};
  bool are_passed = true;
  for (int i = 0; i + 1 < shape.n; i += 2) {
    const lanes first = own->root[i] * (own->q[i] - own->seen[i]);
    const lanes second = own->root[i + 1] * (own->q[i + 1] - own->seen[i + 1]);
    even += first * first;
    odd += second * second;
  }
  if (shape.n % 2 == 1) {
    last = own->root[shape.n - 1] * (own->q[shape.n - 1] - own->seen[shape.n - 1]);
  }
  const lanes way = even + odd + last * last;
  for (int k = 0; k < VIDA_LANES; k++) {
    vida_watch* watch = vida__frame_of(of[k])->watch;
    if ((*is_in)[k] && watch) {
      const bool is_at_hand = !vida__watch_looks_always(watch) && vida__watch_allows(watch, way[k]);
      are_passed = (is_at_hand || passes(own, k, of[k], made, shape)) && are_passed;
    }
  }
  return are_passed;
}

/* Returns the watches to the nodes of motions that make the next step alone. */
VIDA_ALWAYS_INLINE void return_watches(const lane_mask* is_in,
                                       VidaIntegration* const of[VIDA_LANES]) {
  for (int k = 0; k < VIDA_LANES; k++) {
    if ((*is_in)[k]) {
      vida__watch_take_back(vida__frame_of(of[k])->watch, vida__node_time(of[k]), of[k]->node.q);
    }
  }
}

/* Without a watch, there is nothing to be seen. */
VIDA_ALWAYS_INLINE void load_watches(vida_step_lanes* own, VidaIntegration* const of[VIDA_LANES],
                                     vida_shape shape) {
  for (int k = 0; k < VIDA_LANES; k++) {
    const vida_watch* watch = vida__frame_of(of[k])->watch;
    for (int i = 0; i < shape.n; i++) {
      own->seen[i][k] = watch ? watch->seen[i] : 0.0;
      own->root[i][k] = watch ? watch->root[i] : 0.0;
    }
  }
}

#endif

#endif
