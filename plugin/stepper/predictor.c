/* Predictions of the unknowns of a step from those of the last steps.
 *
 * Extrapolation by k values is the sum of their backward differences of order 0 to k - 1, and its
 * error is the difference of order k of the solution. */
#include <string.h>

#include "stepper/integration.h"

/* Extrapolations take this number of values, and more as long as each further one would have halved
 * the error of the last step: where the motion changes faster, long extrapolations lead far away,
 * even to another solution. */
enum { USUAL_TERMS = 3 };
static const double least_gain = 0.25; /* of squared errors */

void vida__extrapolate_unknown(VidaIntegration* self) {
  const vida_history* history = &self->implicit.history;
  const int size = self->model.n + self->model.m;
  double* restrict u = self->implicit.unknown;
  memcpy(u, history->difference[0], (size_t)size * sizeof *u);
  for (int k = 1; k < history->terms; k++) {
    const double* restrict difference = history->difference[k];
    for (int i = 0; i < size; i++) {
      u[i] += difference[i];
    }
  }
}

/* Computes the differences that the new unknowns lead to, and the squares of their sizes for orders
 * 3 to 5, with the scales of the unknowns. Written out, since it is made in each step. */
static void update_differences(double* const* difference, const double* restrict u, int first,
                               int count, const double* restrict scale, double square[3]) {
  double* restrict d0 = difference[0] + first;
  double* restrict d1 = difference[1] + first;
  double* restrict d2 = difference[2] + first;
  double* restrict d3 = difference[3] + first;
  double* restrict d4 = difference[4] + first;
  double* restrict d5 = difference[5] + first;
  for (int i = 0; i < count; i++) {
    const double order1 = u[first + i] - d0[i], order2 = order1 - d1[i], order3 = order2 - d2[i],
                 order4 = order3 - d3[i], order5 = order4 - d4[i], s = scale[i] * scale[i];
    d0[i] = u[first + i];
    d1[i] = order1;
    d2[i] = order2;
    d3[i] = order3;
    d4[i] = order4;
    d5[i] = order5;
    square[0] += s * (order3 * order3);
    square[1] += s * (order4 * order4);
    square[2] += s * (order5 * order5);
  }
}

void vida__remember_unknown(VidaIntegration* self) {
  vida_history* history = &self->implicit.history;
  const int highest = history->count; /* order of the difference of all values */
  double square[VIDA_HISTORY - USUAL_TERMS] = {0.0};
  update_differences(history->difference, self->implicit.unknown, 0, self->model.n,
                     self->model.matrix_root, square);
  update_differences(history->difference, self->implicit.unknown, self->model.n, self->model.m,
                     self->model.matrix_stiffness, square);
  history->count += history->count < VIDA_HISTORY - 1 ? 1 : 0;
  history->terms = highest < USUAL_TERMS ? highest + 1 : USUAL_TERMS;
  for (int more = 1; USUAL_TERMS + more <= highest && square[more] < least_gain * square[more - 1];
       more++) {
    history->terms = USUAL_TERMS + more;
  }
}

void vida__return_unknown(VidaIntegration* self) {
  vida_history* history = &self->implicit.history;
  const int count = history->count - 1, size = self->model.n + self->model.m;
  double sum = 0.0;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < size; i++) {
      history->difference[k][i] -= history->difference[k + 1][i];
      sum += 0.0 * history->difference[k][i]; /* NaN as soon as one is not finite */
    }
  }
  history->count = count > 0 && sum == 0.0 ? count : 0;
  history->terms = history->count < USUAL_TERMS ? history->count : USUAL_TERMS;
}

void vida__swap_history(VidaIntegration* self, vida_history* history) {
  const vida_history kept = self->implicit.history;
  self->implicit.history = *history;
  *history = kept;
}

void vida__scale_history(VidaIntegration* self, double ratio) {
  for (int k = 0; k < VIDA_HISTORY; k++) {
    for (int r = 0; r < self->model.m; r++) {
      self->implicit.history.difference[k][self->model.n + r] *= ratio;
    }
  }
}

void vida__copy_history(const VidaIntegration* from, VidaIntegration* to) {
  const vida_history* source = &from->implicit.history;
  vida_history* target = &to->implicit.history;
  for (int k = 0; k < VIDA_HISTORY; k++) {
    memcpy(target->difference[k], source->difference[k],
           (size_t)(from->model.n + from->model.m) * sizeof(double));
  }
  target->count = source->count;
  target->terms = source->terms;
  memcpy(to->implicit.g_tracked, from->implicit.g_tracked, (size_t)from->model.m * sizeof(double));
  to->implicit.has_tracked = from->implicit.has_tracked;
}

void vida__forget_history(VidaIntegration* self) {
  self->implicit.history.count = 0;
}

void vida__record_history(vida_history* history, size_t size, VidaRecord* record) {
  for (int k = 0; k < VIDA_HISTORY; k++) {
    VidaRecord_Reals(record, history->difference[k], size);
  }
  vida__record_integers(record, &history->count, 1, 0, VIDA_HISTORY - 1);
  vida__record_integers(record, &history->terms, 1, 0, VIDA_HISTORY);
}
