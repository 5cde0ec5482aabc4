/* Impulses of contacts with friction, against the enumeration of all states, and Coulomb's law. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dense.h"
#include "solve/contact_problem.h"
#include "support/check.h"

enum { MOST_CONTACTS = 4, MOST_ROWS = 12, SIZE = 12, MOST_ENTRIES = MOST_ROWS * SIZE };

/* A problem with full rows: H is random, W = A^-1 H^T with A diagonal. */
typedef struct Problem {
  vida_contact_problem base;
  int first[MOST_CONTACTS + 1];
  double friction[MOST_CONTACTS];
  int h_start[MOST_ROWS + 1], w_start[MOST_ROWS + 1], index[MOST_ENTRIES];
  double h[MOST_ENTRIES], w[MOST_ENTRIES];
  double softness[MOST_ROWS], bias[MOST_ROWS], free_v[SIZE], v[SIZE], impulse[MOST_ROWS];
  double diagonal[MOST_ROWS], dense[MOST_ROWS * (2 * MOST_ROWS + 3) + SIZE];
  int pivot[VIDA_HELD_ROWS];
  int rows;
} Problem;

static double next(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1.0;
}

static void fill(Problem* p, int contacts, int slips, double friction, unsigned long long* seed) {
  memset(p, 0, sizeof *p);
  p->rows = contacts * (1 + slips);
  for (int c = 0; c <= contacts; c++) {
    p->first[c] = c * (1 + slips);
  }
  for (int c = 0; c < contacts; c++) {
    p->friction[c] = friction;
  }
  double inverse[SIZE];
  for (int i = 0; i < SIZE; i++) {
    inverse[i] = 1.5 + next(seed);
    p->free_v[i] = p->v[i] = next(seed);
  }
  for (int r = 0; r < p->rows; r++) {
    p->h_start[r + 1] = p->w_start[r + 1] = (r + 1) * SIZE;
    for (int i = 0; i < SIZE; i++) {
      p->index[r * SIZE + i] = i;
      p->h[r * SIZE + i] = next(seed);
      p->w[r * SIZE + i] = inverse[i] * p->h[r * SIZE + i];
    }
    p->bias[r] = 0.2 * next(seed);
  }
  p->base = (vida_contact_problem){.contacts = contacts,
                                   .first = p->first,
                                   .friction = p->friction,
                                   .size = SIZE,
                                   .h = {p->h_start, 0, p->index, p->h},
                                   .w = {p->w_start, 0, p->index, p->w},
                                   .softness = p->softness,
                                   .bias = p->bias,
                                   .v = p->v,
                                   .impulse = p->impulse,
                                   .accuracy = 1e-13,
                                   .sweeps = 100000,
                                   .is_direct = true,
                                   .diagonal = p->diagonal,
                                   .dense = p->dense,
                                   .pivot = p->pivot};
}

/* D P + q of row r, from the data alone. */
static double speed_of(const Problem* p, const double* impulse, int r) {
  double sum = p->bias[r] + p->softness[r] * impulse[r];
  for (int i = 0; i < SIZE; i++) {
    double v = p->free_v[i];
    for (int s = 0; s < p->rows; s++) {
      v += p->w[s * SIZE + i] * impulse[s];
    }
    sum += p->h[r * SIZE + i] * v;
  }
  return sum;
}

/* ---- all states of contacts with at most one slip row ---------------------------------------- */

enum { OPEN, STICKS, SLIDES_DOWN, SLIDES_UP, STATES };

/* Solves the linear equations of the states, and returns whether the inequalities hold. */
static bool try_states(const Problem* p, int slips, const int* state, double* impulse) {
  double matrix[MOST_ROWS * MOST_ROWS] = {0.0};
  int pivot[MOST_ROWS];
  const int rows = p->rows;
  const double zero[MOST_ROWS] = {0.0};
  for (int r = 0; r < rows; r++) {
    const int c = r / (1 + slips), kind = r % (1 + slips), now = state[c];
    if (now == OPEN || (kind == 1 && now != STICKS)) {
      matrix[r * rows + r] = 1.0; /* P = 0, or P_T -+ mu P_N = 0 */
      impulse[r] = 0.0;
      if (now != OPEN) {
        matrix[(r - 1) * rows + r] = now == SLIDES_DOWN ? -p->friction[c] : p->friction[c];
      }
      continue;
    }
    impulse[r] = -speed_of(p, zero, r);
    for (int s = 0; s < rows; s++) {
      for (int i = 0; i < SIZE; i++) {
        matrix[s * rows + r] += p->h[r * SIZE + i] * p->w[s * SIZE + i];
      }
    }
    matrix[r * rows + r] += p->softness[r];
  }
  if (vida__factor_dense(matrix, rows, pivot)) {
    return false;
  }
  vida__substitute_dense(matrix, rows, pivot, impulse);
  bool holds = true;
  for (int c = 0; c < p->base.contacts; c++) {
    const int r = p->first[c];
    holds = holds && (state[c] == OPEN ? speed_of(p, impulse, r) >= 0.0 : impulse[r] >= 0.0);
    if (slips == 1 && state[c] != OPEN) {
      const double u = speed_of(p, impulse, r + 1), most = p->friction[c] * impulse[r];
      holds = holds && (state[c] == STICKS        ? fabs(impulse[r + 1]) <= most
                        : state[c] == SLIDES_DOWN ? u <= 0.0
                                                  : u >= 0.0);
    }
  }
  return holds;
}

/* Finds all solutions; returns their number, and the smallest distance of one from `found`. */
static int enumerate(const Problem* p, int slips, const double* found, double* distance) {
  const int states = slips == 0 ? 2 : STATES;
  int solutions = 0, combinations = 1;
  *distance = (double)INFINITY;
  for (int c = 0; c < p->base.contacts; c++) {
    combinations *= states;
  }
  for (int k = 0; k < combinations; k++) {
    int state[MOST_CONTACTS], left = k;
    double impulse[MOST_ROWS], most = 0.0;
    for (int c = 0; c < p->base.contacts; c++, left /= states) {
      state[c] = left % states;
    }
    if (try_states(p, slips, state, impulse)) {
      solutions++;
      for (int r = 0; r < p->rows; r++) {
        most = fmax(most, fabs(impulse[r] - found[r]));
      }
      *distance = fmin(*distance, most);
    }
  }
  return solutions;
}

/* With friction the solution need not be unique: the one found has to be one of them. */
static void compare(int slips, double friction, bool is_direct, double softness, double tolerance) {
  unsigned long long seed = 20261130;
  Problem p;
  for (int trial = 0; trial < 200; trial++) {
    const int contacts = 1 + trial % (slips == 0 ? 4 : 3);
    double distance;
    fill(&p, contacts, slips, friction, &seed);
    p.base.is_direct = is_direct;
    for (int r = 0; r < p.rows; r++) {
      p.softness[r] = softness;
    }
    const bool solved = vida__solve_contacts(&p.base);
    EXPECT(solved, "trial %d: residual %g after %d sweeps", trial, p.base.residual, p.base.made);
    const int solutions = enumerate(&p, slips, p.impulse, &distance);
    EXPECT(solutions > 0, "trial %d: no solution", trial);
    EXPECT_BELOW(distance, tolerance, "trial %d", trial);
    EXPECT_BELOW(vida__contact_residual(&p.base), 1e-12, "trial %d", trial);
  }
}

/* Least impulses L: without friction P = L + Z, where Z solves the problem with the bias b + D L.
 */
static void test_least(void) {
  unsigned long long seed = 5;
  Problem p, other;
  for (int trial = 0; trial < 100; trial++) {
    const double zero[MOST_ROWS] = {0.0};
    double least[MOST_CONTACTS] = {0.0};
    fill(&p, 1 + trial % 4, 0, 0.0, &seed);
    for (int c = 0; c < p.base.contacts; c++) {
      least[c] = fmax(0.0, next(&seed));
    }
    p.base.least = least;
    other = p;
    other.base.least = NULL;
    other.base.first = other.first;
    other.base.friction = other.friction;
    other.base.h = (vida_sparse_rows){other.h_start, 0, other.index, other.h};
    other.base.w = (vida_sparse_rows){other.w_start, 0, other.index, other.w};
    other.base.softness = other.softness;
    other.base.bias = other.bias;
    other.base.v = other.v;
    other.base.impulse = other.impulse;
    other.base.diagonal = other.diagonal;
    other.base.dense = other.dense;
    other.base.pivot = other.pivot;
    for (int r = 0; r < p.rows; r++) {
      other.bias[r] += speed_of(&p, least, r) - speed_of(&p, zero, r);
    }
    EXPECT(vida__solve_contacts(&p.base) && vida__solve_contacts(&other.base), "trial %d", trial);
    for (int r = 0; r < p.rows; r++) {
      EXPECT_NEAR(p.impulse[r], least[r] + other.impulse[r], 1e-10, "trial %d, row %d", trial, r);
      EXPECT(p.impulse[r] >= least[r], "trial %d, row %d", trial, r);
    }
  }
}

static void test_without_friction(void) {
  compare(0, 0.0, true, 0.0, 1e-11);
  compare(0, 0.0, true, 0.5, 1e-11);
}

static void test_one_slip(void) {
  compare(1, 0.3, true, 0.0, 1e-11);
}

static void test_sweeps(void) {
  compare(0, 0.0, false, 0.0, 1e-9);
  compare(1, 0.3, false, 0.0, 1e-9);
}

/* Coulomb's law of two slip components, from the data: the impulse on the cone, against the slip.
 */
static void check_law(const Problem* p, double tolerance, int trial) {
  for (int c = 0; c < p->base.contacts; c++) {
    const int r = p->first[c];
    const double normal = p->impulse[r], u = speed_of(p, p->impulse, r);
    const double x = p->impulse[r + 1], y = p->impulse[r + 2];
    const double u_x = speed_of(p, p->impulse, r + 1), u_y = speed_of(p, p->impulse, r + 2);
    const double slip = hypot(u_x, u_y), most = p->friction[c] * normal;
    EXPECT(normal >= -tolerance && u >= -tolerance, "trial %d: P %g, u %g", trial, normal, u);
    EXPECT_BELOW(normal * u, tolerance, "trial %d", trial);
    EXPECT(hypot(x, y) <= most + tolerance, "trial %d: %g above %g", trial, hypot(x, y), most);
    /* -u is normal to the disk: u . P = -mu P_N |u|. */
    EXPECT_NEAR(u_x * x + u_y * y, -most * slip, tolerance * (1.0 + slip), "trial %d", trial);
  }
}

static void test_cone(void) {
  unsigned long long seed = 7;
  Problem p;
  for (int trial = 0; trial < 200; trial++) {
    fill(&p, 1 + trial % 4, 2, 0.2 + 0.1 * (trial % 5), &seed);
    p.base.is_direct = trial % 2 == 0;
    const bool solved = vida__solve_contacts(&p.base);
    EXPECT(solved, "trial %d: residual %g after %d sweeps", trial, p.base.residual, p.base.made);
    check_law(&p, 1e-12, trial);
  }
}

/* Four equal rows: the impulses are not unique, the velocity is: it stops. */
static void test_dependent_rows(void) {
  unsigned long long seed = 3;
  Problem p;
  fill(&p, 4, 0, 0.0, &seed);
  double along = 0.0;
  for (int r = 1; r < 4; r++) {
    memcpy(p.h + r * SIZE, p.h, SIZE * sizeof *p.h);
    memcpy(p.w + r * SIZE, p.w, SIZE * sizeof *p.w);
  }
  memset(p.bias, 0, sizeof p.bias);
  for (int i = 0; i < SIZE; i++) {
    p.v[i] = -p.h[i];
  }
  EXPECT(vida__solve_contacts(&p.base), "residual %g", p.base.residual);
  for (int i = 0; i < SIZE; i++) {
    along += p.h[i] * p.v[i];
  }
  EXPECT_BELOW(along, 1e-12, "the rate of the gaps");
}

/* The corners of the lower face of a box with unit mass: 12 rows on 6 velocities. The normal rows
 * do not agree by a little, as those of a box that turns in a step, so not all corners can stay. */
static void fill_corners(Problem* p, double friction, unsigned long long* seed) {
  fill(p, 4, 2, friction, seed);
  const double half[3] = {0.3 + 0.2 * next(seed), 0.3 + 0.2 * next(seed), 0.3 + 0.2 * next(seed)};
  const double inverse[6] = {1.0,
                             1.0,
                             1.0,
                             3.0 / (half[1] * half[1] + half[2] * half[2]),
                             3.0 / (half[0] * half[0] + half[2] * half[2]),
                             3.0 / (half[0] * half[0] + half[1] * half[1])};
  memset(p->h, 0, sizeof p->h);
  memset(p->w, 0, sizeof p->w);
  for (int r = 0; r < p->rows; r++) {
    const int c = r / 3, axis = (r % 3 + 2) % 3; /* z, x, y */
    const double at[3] = {c & 1 ? half[0] : -half[0], c & 2 ? half[1] : -half[1], -half[2]};
    double* row = p->h + r * SIZE;
    row[axis] = 1.0; /* d_axis . (v + w x at) */
    row[3 + (axis + 1) % 3] = at[(axis + 2) % 3];
    row[3 + (axis + 2) % 3] = -at[(axis + 1) % 3];
    for (int i = 0; i < 6; i++) {
      p->w[r * SIZE + i] = inverse[i] * row[i];
    }
    p->bias[r] = axis == 2 ? 1e-6 * next(seed) : 0.0;
  }
  const double size = pow(10.0, -4.0 - 3.0 * next(seed));
  for (int i = 0; i < 6; i++) {
    p->free_v[i] = p->v[i] = (i == 2 ? -0.1 : 0.0) + size * next(seed);
  }
}

static void test_corners(void) {
  unsigned long long seed = 13;
  Problem p;
  for (int trial = 0; trial < 300; trial++) {
    fill_corners(&p, 0.1 + 0.2 * (trial % 5), &seed);
    p.base.accuracy = 1e-9;
    p.base.sweeps = 5000;
    const bool solved = vida__solve_contacts(&p.base);
    EXPECT(solved, "trial %d: residual %g after %d sweeps", trial, p.base.residual, p.base.made);
    check_law(&p, 1e-9, trial);
  }
}

/* Displacements without friction: no row lacks anything, and only rows at their bound push. */
static void test_push_apart(void) {
  unsigned long long seed = 17;
  Problem p;
  for (int trial = 0; trial < 50; trial++) {
    double need[MOST_CONTACTS], most = 0.0;
    fill(&p, 4, trial % 3, 0.3, &seed);
    vida__solve_contacts(&p.base);
    for (int c = 0; c < 4; c++) {
      need[c] = next(&seed);
      most = fmax(most, fabs(need[c]));
    }
    vida__push_apart(&p.base, need, 10000, 1e-13 * most);
    for (int c = 0; c < 4; c++) {
      const int r = p.first[c];
      double moved = 0.0;
      for (int i = 0; i < SIZE; i++) {
        moved += p.h[r * SIZE + i] * p.v[i];
      }
      EXPECT(moved >= need[c] - 1e-11 && p.impulse[r] >= 0.0, "trial %d, contact %d", trial, c);
      EXPECT_BELOW(p.impulse[r] * (moved - need[c]), 1e-11, "trial %d, contact %d", trial, c);
    }
  }
}

static void test_failure(void) {
  unsigned long long seed = 11;
  Problem p;
  fill(&p, 3, 1, 0.5, &seed);
  p.base.is_direct = false;
  p.base.sweeps = 1;
  p.base.accuracy = 1e-14;
  for (int c = 0; c < 3; c++) {
    p.bias[p.first[c]] = -5.0; /* all three close */
  }
  EXPECT(!vida__solve_contacts(&p.base), "one sweep suffices");
  EXPECT(p.base.worst >= 0 && p.base.residual > 0.0, "contact %d", p.base.worst);
}

int main(void) {
  static const CheckTest tests[] = {{"without friction", test_without_friction},
                                    {"least impulses", test_least},
                                    {"one slip row", test_one_slip},
                                    {"sweeps", test_sweeps},
                                    {"the cone", test_cone},
                                    {"dependent rows", test_dependent_rows},
                                    {"corners of a box", test_corners},
                                    {"displacements", test_push_apart},
                                    {"failure", test_failure},
                                    {NULL, NULL}};
  return check_main("contact problem", tests);
}
