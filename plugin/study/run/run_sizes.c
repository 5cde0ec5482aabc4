#include "study/run/run_sizes.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "stepper/frame.h"
#include "system/evaluate/sizes.h"
#include "system/model/model.h"

/* For larger systems the momenta themselves are their sizes: the sizes of their parts would cost as
 * much as many steps. */
enum { MOST_PARTS = 256 };

/* The size of each map is the sum of the sizes of the contributions of all coordinates: a momentum
 * that is zero has the rounding of its contributions. */
static int find_momentum_size(const VidaStepper* stepper, int maps, double* size) {
  const VidaSystem* system = stepper->self.model.system;
  const int n = stepper->self.model.n;
  double* part = vida__allocate((size_t)n + 1, sizeof *part);
  double* map = vida__allocate((size_t)maps + 1, sizeof *map);
  double* sum = vida__allocate((size_t)maps + 1, sizeof *sum);
  double squares = 0.0;
  for (int i = 0; i < n && part && map && sum; i++) {
    part[i] = stepper->self.node.p[i];
    VidaSystem_Momentum(system, stepper->self.node.q, part, map);
    part[i] = 0.0;
    for (int k = 0; k < maps; k++) {
      sum[k] += fabs(map[k]);
    }
  }
  for (int k = 0; k < maps && sum; k++) {
    squares += sum[k] * sum[k];
  }
  const bool has_memory = part && map && sum;
  free(part);
  free(map);
  free(sum);
  *size = sqrt(squares);
  return has_memory ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static double largest(const double* values, int count) {
  double size = 0.0;
  for (int i = 0; i < count; i++) {
    size = fmax(size, values[i]);
  }
  return size;
}

static int find_rate_size(const VidaStepper* stepper, const double* v, double* size) {
  double* rows = vida__allocate((size_t)stepper->self.model.m + 1, sizeof *rows);
  if (!rows) {
    return VIDA_OUT_OF_MEMORY;
  }
  vida__add_row_sizes(stepper->self.model.system, stepper->self.work.entries, v, rows);
  *size = largest(rows, stepper->self.model.m);
  free(rows);
  return VIDA_SUCCESS;
}

/* fmax leaves NaN out. */
static void take(double* size, double value) {
  *size = isfinite(value) ? fmax(*size, value) : *size;
}

int vida__take_sizes(const vida_monitors* monitors, const vida_time_loop* loop, const double* v,
                     vida_run_sizes* sizes, VidaError* error) {
  const VidaStepper* stepper = loop->stepper;
  double momentum = 0.0, rate = 0.0;
  int code = VIDA_SUCCESS;
  const int maps = VidaSystem_MomentumCount(monitors->study->system);
  const double* values = monitors->momenta_start;
  if (!stepper) {
    return VIDA_SUCCESS;
  }
  take(&sizes->energy, monitors->energy_size);
  take(&sizes->energy, vida__kinetic_size(&stepper->self) + vida__potential_size(&stepper->self));
  take(&sizes->momentum, vida__difference_norm(values, NULL, maps + monitors->conserved, NULL));
  if (maps > 0 && stepper->self.model.n <= MOST_PARTS) {
    code = find_momentum_size(stepper, maps, &momentum);
    take(&sizes->momentum, momentum);
  }
  take(&sizes->constraint, largest(stepper->self.model.reach, stepper->self.model.m));
  code = code ? code : find_rate_size(stepper, v, &rate);
  take(&sizes->constraint_rate, rate);
  sizes->energy_start = monitors->energy_start;
  sizes->momentum_start = vida__difference_norm(values, NULL, maps + monitors->conserved, NULL);
  return code ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int vida__finish_sizes(const vida_monitors* monitors, const vida_time_loop* loop,
                       vida_run_sizes* sizes, VidaError* error) {
  const vida_drift_fit energy = vida__fit_drift(&monitors->energy_drift);
  sizes->energy_drift_interval = energy.interval;
  sizes->energy_oscillation = energy.oscillation;
  return vida__take_sizes(monitors, loop, monitors->v, sizes, error);
}
