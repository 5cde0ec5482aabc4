/* What the monitors of a run measure at a node, in lanes: g, its rate, energy and momentum maps,
 * with the operations of terms/points.c, evaluate.c and symmetry.c in their order. */
#include "base/exact_sum.h"
#include "base/inline.h"
#include "stepper/ensemble_state.h"
#include "system/model/kernel.h"
#include "system/model/model.h"

#if VIDA_HAS_LANES

/* Computes g in twice the working precision (terms/points.c). */
VIDA_ALWAYS_INLINE void measure_constraints(const vida_step_lanes* own, lane_node* to,
                                            int dimension) {
  const VidaIntegration* self = own->self;
  const vida_distance_row* at = self->implicit.distances->rows;
  for (int r = 0; r < self->model.m; r++, at++) {
    const double l = own->rod[r][VIDA_DISTANCE_LENGTH];
    const double* anchor = own->rod[r] + VIDA_DISTANCE_ANCHOR;
    const bool is_pair = at->first < self->model.n;
    double square_low;
    const double square_l = vida__square_exactly(l, &square_low);
    lanes sum = {0.0}, low = {0.0};
    sum = sum - square_l;
    low = low - square_low;
    for (int k = 0; k < dimension; k++) {
      const lanes second = own->q[at->second + k];
      lanes d, d_low, error, next;
      if (is_pair) {
        const lanes first = -own->q[at->first + k];
        ADD_EXACTLY(second, first, d, d_low);
        d_low += own->q_low[at->second + k] - own->q_low[at->first + k];
      } else {
        const double first = -anchor[k];
        ADD_EXACTLY(second, first, d, d_low);
        d_low += own->q_low[at->second + k];
      }
      const lanes split = 134217729.0 * d, high = split - (split - d), rest = d - high,
                  square = d * d;
      error = ((high * high - square) + 2.0 * high * rest) + rest * rest;
      low += error + 2.0 * d * d_low;
      ADD_EXACTLY(sum, square, next, error);
      sum = next;
      low += error;
    }
    to->g[r] = 0.0 + (sum + low) / (2.0 * l);
  }
}

/* Computes G v, in the order of the entries of G. */
VIDA_ALWAYS_INLINE void measure_rates(vida_step_lanes* own, lane_node* to, int dimension) {
  const VidaIntegration* self = own->self;
  const VidaSystem* system = self->model.system;
  const vida_distance_row* rows = self->implicit.distances->rows;
  for (int r = 0; r < self->model.m; r++) {
    const vida_distance_row* at = &rows[r];
    for (int k = 0; k < dimension; k++) {
      own->difference[r * dimension + k] =
          at->first < self->model.n
              ? own->q[at->second + k] - own->q[at->first + k]
              : own->q[at->second + k] - own->rod[r][VIDA_DISTANCE_ANCHOR + k];
    }
    to->rate[r] = (lanes){0.0};
  }
  for (int e = 0; e < system->entry_count; e++) {
    const int r = system->entries[e].row, i = system->entries[e].coordinate;
    const double factor = 1.0 / own->rod[r][VIDA_DISTANCE_LENGTH];
    const int k = i - rows[r].second;
    const bool is_second = k >= 0 && k < dimension;
    const lanes entry = (is_second ? factor : -factor) *
                        own->difference[r * dimension + (is_second ? k : i - rows[r].first)];
    to->rate[r] += entry * own->v[i];
  }
}

VIDA_ALWAYS_INLINE void measure_energy(const vida_step_lanes* own, lane_node* to) {
  const VidaSystem* system = own->self->model.system;
  lanes sum = {0.0};
  for (int i = 0; i < system->coordinate_count; i++) {
    sum += 0.5 * system->mass[i] * own->v[i] * own->v[i] - system->uniform_force[i] * own->q[i];
  }
  *to->energy = sum - 0.0;
}

/* Computes the largest magnitude; NaN is left out, as in state.c. */
VIDA_ALWAYS_INLINE void measure_largest(const lanes* values, int count, lanes* largest) {
  lanes most = {0.0};
  for (int r = 0; r < count; r++) {
    const lanes size = MAGNITUDE(values[r]);
    most = SELECT(IS(size > most), size, most);
  }
  *largest = most;
}

/* Computes the kinetic energy as vida__kinetic_size does, and 0 for positions that are finite. */
VIDA_ALWAYS_INLINE void measure_sizes(const vida_step_lanes* own, lane_node* to) {
  const VidaSystem* system = own->self->model.system;
  lanes kinetic = {0.0}, finite = {0.0};
  for (int i = 0; i < system->coordinate_count; i++) {
    kinetic += system->mass[i] * own->v[i] * own->v[i];
    finite += 0.0 * own->q[i];
  }
  *to->kinetic = 0.5 * kinetic;
  *to->finite = finite;
  measure_largest(to->g, own->self->model.m, to->largest_g);
  measure_largest(to->rate, own->self->model.m, to->largest_rate);
}

/* Computes the momentum maps, which are sums of those of the particles (symmetry.c). */
VIDA_ALWAYS_INLINE void measure_momenta(const vida_step_lanes* own, lane_node* to) {
  const VidaSystem* system = own->self->model.system;
  const int d = system->dimension, rotations = d == 3 ? 3 : d - 1;
  lanes generator[VIDA_LARGEST_MOMENTUM_COUNT] = {{0.0}};
  for (int i = 0; i < system->particle_count; i++) {
    const lanes *x = own->q + system->particles[i].coordinate,
                *p = own->p + system->particles[i].coordinate;
    for (int k = 0; k < d; k++) {
      generator[k] += p[k];
    }
    for (int k = 0; k < rotations; k++) {
      const int a = d == 3 ? (k + 1) % 3 : 0, b = d == 3 ? (k + 2) % 3 : 1;
      const lanes by_a = -x[b] * p[a], by_b = x[a] * p[b];
      generator[d + k] += a < b ? by_a : by_b;
      generator[d + k] += a < b ? by_b : by_a;
    }
  }
  for (int m = 0; m < system->momentum_count; m++) {
    lanes sum = {0.0};
    for (int k = 0; k < VIDA_LARGEST_MOMENTUM_COUNT; k++) {
      sum += system->momenta[m].weight[k] * generator[k];
    }
    to->momenta[m] = sum;
  }
}

VIDA_ALWAYS_INLINE void measure_node(vida_step_lanes* own, lane_node* to, int dimension) {
  measure_constraints(own, to, dimension);
  measure_rates(own, to, dimension);
  measure_energy(own, to);
  measure_momenta(own, to);
  measure_sizes(own, to);
}

VIDA_ALWAYS_INLINE void measure_node_of(vida_step_lanes* own, lane_node* to) {
  switch (own->self->implicit.distances->distances.dimension) {
    case 1:
      measure_node(own, to, 1);
      break;
    case 2:
      measure_node(own, to, 2);
      break;
    default:
      measure_node(own, to, 3);
  }
}

/* Both compute the same numbers. */
__attribute__((target("avx"))) static void measure_wide(vida_step_lanes* own, lane_node* to) {
  measure_node_of(own, to);
}

static void measure_narrow(vida_step_lanes* own, lane_node* to) {
  measure_node_of(own, to);
}

void vida__lanes_measure(vida_step_lanes* own, lane_node* to) {
  if (own->measures && __builtin_cpu_supports("avx")) {
    measure_wide(own, to);
  } else if (own->measures) {
    measure_narrow(own, to);
  }
}

#endif
