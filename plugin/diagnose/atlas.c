#include "diagnose/atlas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/study.h>

#include "base/memory.h"
#include "base/text.h"

/* Costs are compared as logarithms of cost / cost of the best one on the same system. A method that
 * a system of the atlas refuses, or that did not reach the error there, counts as so many times the
 * best. */
static const double refused = 8.0, unreached = 30.0;

/* A variant of a method: the first row that has it. */
typedef struct variant {
  int row;
  bool is_out;                     /* its method is not known, or the judge refused it */
  double score[VIDA_ATLAS_ERRORS]; /* expected logarithm of its cost, relative to the best */
} variant;

typedef struct atlas_work {
  const VidaAdvice* advice;
  double* distance; /* from every system of the atlas */
  double* weight;   /* of its evidence */
  double* best;     /* systems x errors: the least cost */
  variant* variants;
  int* variant_of; /* rows */
  int variant_count;
  void* block;
} atlas_work;

static const double feature_weights[] = {
#define WEIGHT(NAME, name, weight, text) weight,
    VIDA_FEATURE_LIST(WEIGHT)
#undef WEIGHT
};

static bool is_same_variant(const vida_atlas_row* a, const vida_atlas_row* b) {
  return a->adaptive == b->adaptive && strcmp(a->method, b->method) == 0 &&
         strcmp(a->options, b->options) == 0;
}

static double distance_from(const vida_atlas_system* system, const double* features) {
  double sum = 0.0;
  for (int i = 0; i < VIDA_FEATURES; i++) {
    const double difference = features[i] - system->features[i];
    sum += feature_weights[i] * difference * difference;
  }
  return sqrt(sum);
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Evidence fades with the fourth power of the distance: a near system outweighs several far ones.
 */
static void weigh_systems(atlas_work* work) {
  for (int s = 0; s < vida__atlas_system_count; s++) {
    work->distance[s] = distance_from(&vida__atlas_systems[s], work->advice->features);
    const double squared = work->distance[s] * work->distance[s] + 0.02;
    work->weight[s] = 1.0 / (squared * squared);
  }
}

static void find_variants(atlas_work* work) {
  for (int r = 0; r < vida__atlas_row_count; r++) {
    int v = 0;
    while (v < work->variant_count &&
           !is_same_variant(&vida__atlas_rows[work->variants[v].row], &vida__atlas_rows[r])) {
      v++;
    }
    if (v == work->variant_count) {
      work->variants[work->variant_count++] =
          (variant){.row = r, .is_out = !Vida_FindMethod(vida__atlas_rows[r].method)};
    }
    work->variant_of[r] = v;
  }
}

static void find_best(atlas_work* work) {
  for (int r = 0; r < vida__atlas_row_count; r++) {
    const vida_atlas_row* row = &vida__atlas_rows[r];
    double* best = work->best + row->system * VIDA_ATLAS_ERRORS;
    for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
      if (row->seconds[e] > 0.0 && !(best[e] > 0.0 && best[e] <= row->seconds[e])) {
        best[e] = row->seconds[e];
      }
    }
  }
}

/* Begins with what refusal costs on every system, and replaces it where there is a row. */
static void find_scores(atlas_work* work) {
  double sum = 0.0;
  for (int s = 0; s < vida__atlas_system_count; s++) {
    sum += work->weight[s];
  }
  for (int v = 0; v < work->variant_count; v++) {
    for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
      work->variants[v].score[e] = log(refused);
    }
  }
  for (int r = 0; r < vida__atlas_row_count; r++) {
    const vida_atlas_row* row = &vida__atlas_rows[r];
    const double part = work->weight[row->system] / sum;
    const double* best = work->best + row->system * VIDA_ATLAS_ERRORS;
    for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
      const double ratio =
          row->seconds[e] > 0.0 ? fmin(row->seconds[e] / best[e], unreached) : unreached;
      work->variants[work->variant_of[r]].score[e] += part * (log(ratio) - log(refused));
    }
  }
}

/* ---- recommendations ------------------------------------------------------------------------- */

/* The claims of a method; a composition, with an option base=NAME, keeps what its base keeps. */
static unsigned claims_of(const vida_atlas_row* row) {
  const char* word = strstr(row->options, "base=");
  const VidaMethodInfo* method = Vida_FindMethod(row->method);
  if (word) {
    char name[VIDA_NAME_SIZE] = "";
    vida__append(name, sizeof name, "%.*s", (int)strcspn(word + 5, " "), word + 5);
    method = Vida_FindMethod(name);
  }
  return method ? method->capabilities : 0U;
}

/* Methods that let constraints drift are cheap in the short runs of the atlas, and no advice. */
static bool keeps(const atlas_work* work, int v, VidaKeep keep) {
  const VidaAdvice* advice = work->advice;
  unsigned wanted = keep == VIDA_KEEP_SYMPLECTIC ? (unsigned)VIDA_CAN_SYMPLECTIC
                    : keep == VIDA_KEEP_ENERGY   ? (unsigned)VIDA_CAN_ENERGY
                                                 : 0U;
  if (advice->rows > advice->nonholonomic) {
    wanted |= (unsigned)VIDA_CAN_POSITION_LEVEL;
  }
  return (claims_of(&vida__atlas_rows[work->variants[v].row]) & wanted) == wanted;
}

/* The exact motion keeps no symplectic form under forces and nonholonomic constraints, and no
 * energy under dampers and drives; methods keep no symplectic form across impacts and events. */
static bool is_kept_by_motion(const VidaAdvice* advice, VidaKeep keep) {
  const bool is_conservative = !advice->damped && !advice->driven;
  const bool has_events = advice->contacts + advice->couplings + advice->events > 0;
  return keep == VIDA_KEEP_ANYTHING ||
         (is_conservative &&
          (keep == VIDA_KEEP_ENERGY || (advice->nonholonomic == 0 && !has_events)));
}

/* The row of this variant on the nearest system where it reached the error; NULL: none. */
static const vida_atlas_row* nearest_row(const atlas_work* work, int v, int e) {
  const vida_atlas_row* nearest = NULL;
  for (int r = 0; r < vida__atlas_row_count; r++) {
    const vida_atlas_row* row = &vida__atlas_rows[r];
    if (work->variant_of[r] == v && row->seconds[e] > 0.0 &&
        (!nearest || work->distance[row->system] < work->distance[nearest->system])) {
      nearest = row;
    }
  }
  return nearest;
}

static VidaMeasured measured(const vida_atlas_row* row, int e) {
  return (VidaMeasured){Vida_FindMethod(row->method), row->options, row->adaptive, row->seconds[e],
                        row->setting[e]};
}

/* Adds the cheapest other methods on the system of the recommendation, each method once. */
static void add_rivals(const atlas_work* work, const vida_atlas_row* of, int e, VidaKeep keep,
                       VidaRecommendation* made) {
  while (made->rival_count < VIDA_MOST_RIVALS) {
    const vida_atlas_row* next = NULL;
    for (int r = 0; r < vida__atlas_row_count; r++) {
      const vida_atlas_row* row = &vida__atlas_rows[r];
      const int v = work->variant_of[r];
      bool is_new = row->system == of->system && row->seconds[e] > 0.0 &&
                    !work->variants[v].is_out && keeps(work, v, keep) &&
                    strcmp(row->method, of->method) != 0;
      for (int k = 0; k < made->rival_count; k++) {
        is_new = is_new && strcmp(row->method, made->rivals[k].method->name) != 0;
      }
      if (is_new && (!next || row->seconds[e] < next->seconds[e])) {
        next = row;
      }
    }
    if (!next) {
      return;
    }
    made->rivals[made->rival_count++] = measured(next, e);
  }
}

/* A tolerance means the same on every system, a step so many steps per period. */
static double setting_here(const atlas_work* work, const vida_atlas_row* row, int e) {
  const double there = vida__atlas_systems[row->system].rate, here = work->advice->rates.largest;
  if (row->adaptive) {
    return row->setting[e];
  }
  return there > 0.0 && here > 0.0 ? row->setting[e] * there / here : 0.0;
}

static int best_variant(const atlas_work* work, int e, VidaKeep keep) {
  int best = -1;
  for (int v = 0; v < work->variant_count; v++) {
    const variant* of = &work->variants[v];
    if (!of->is_out && keeps(work, v, keep) && nearest_row(work, v, e) &&
        (best < 0 || of->score[e] < work->variants[best].score[e])) {
      best = v;
    }
  }
  return best;
}

static void recommend(atlas_work* work, int e, VidaKeep keep, vida_atlas_judge judge, void* data,
                      VidaRecommendation* made) {
  *made = (VidaRecommendation){.error = vida__atlas_errors[e]};
  for (int v; is_kept_by_motion(work->advice, keep) && (v = best_variant(work, e, keep)) >= 0;) {
    const vida_atlas_row* row = nearest_row(work, v, e);
    const double setting = setting_here(work, row, e);
    if (judge(data, row, setting)) {
      made->system = vida__atlas_systems[row->system].name;
      made->distance = work->distance[row->system];
      made->best = measured(row, e);
      made->setting = setting;
      add_rivals(work, row, e, keep, made);
      return;
    }
    work->variants[v].is_out = true;
  }
}

static bool is_measured(const char* name) {
  for (int i = 0; i < vida__atlas_method_count; i++) {
    if (strcmp(vida__atlas_methods[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static const char* nearest_system(const atlas_work* work) {
  int nearest = -1;
  for (int s = 0; s < vida__atlas_system_count; s++) {
    if (nearest < 0 || work->distance[s] < work->distance[nearest]) {
      nearest = s;
    }
  }
  return nearest >= 0 ? vida__atlas_systems[nearest].name : NULL;
}

static int allocate(atlas_work* work) {
  const size_t systems = (size_t)vida__atlas_system_count, rows = (size_t)vida__atlas_row_count;
  const vida_array arrays[] = {{&work->distance, systems},
                               {&work->weight, systems},
                               {&work->best, systems * VIDA_ATLAS_ERRORS}};
  work->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  work->variants = vida__allocate(rows, sizeof *work->variants);
  work->variant_of = vida__allocate(rows, sizeof *work->variant_of);
  return work->block && work->variants && work->variant_of ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

int vida__recommend(VidaAdvice* advice, vida_atlas_judge judge, void* data) {
  atlas_work work = {.advice = advice};
  for (int i = 0; i < advice->trial_count; i++) {
    advice->trials[i].in_atlas = is_measured(advice->trials[i].method->name);
  }
  const int code = allocate(&work);
  if (!code) {
    weigh_systems(&work);
    find_variants(&work);
    find_best(&work);
    find_scores(&work);
    advice->nearest = nearest_system(&work);
    for (int keep = 0; keep < VIDA_KEEPS; keep++) {
      for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
        recommend(&work, e, (VidaKeep)keep, judge, data, &advice->recommended[keep][e]);
      }
    }
  }
  free(work.variant_of);
  free(work.variants);
  free(work.block);
  return code;
}
