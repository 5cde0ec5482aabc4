#include "support/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "support/chart.h"
#include "support/check.h"
#include "support/dense.h"

enum { STATE = 2 * MODEL_COORDINATES, COLUMNS = 6 };

/* ---- descriptions --------------------------------------------------------------------------- */

static int add_particle(Model* model, const char* name, double mass, const double* q,
                        const double* v) {
  VidaParticle* particle = &model->particle[model->particles];
  particle->name = name;
  particle->mass = mass;
  for (int k = 0; k < model->dimension; k++) {
    particle->position[k] = VidaInitial_Given(q[k]);
    particle->velocity[k] = VidaInitial_Given(v[k]);
  }
  return model->particles++;
}

static void add_rod(Model* model, const char* name, VidaPoint from, VidaPoint to, double length) {
  VidaDistance* rod = &model->rod[model->rods++];
  rod->name = name;
  rod->from = from;
  rod->to = to;
  rod->length = length;
}

Model model_pendulum(int dimension, double mass, double length, double angle, double rate) {
  Model model = {.name = "pendulum", .dimension = dimension, .length = length};
  double q[3] = {length * sin(angle), 0.0, 0.0};
  double v[3] = {length * rate * cos(angle), 0.0, 0.0};
  q[dimension - 1] = -length * cos(angle);
  v[dimension - 1] = length * rate * sin(angle);
  model.gravity[dimension - 1] = -MODEL_GRAVITY;
  add_particle(&model, "bob", mass, q, v);
  add_rod(&model, "rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), length);
  model.speed = sqrt(MODEL_GRAVITY * length) + fabs(rate) * length;
  model.chart = MODEL_CHART_SIDEWAYS;
  model.near = angle > 0.0 ? 0.5 : -0.5;
  return model;
}

Model model_double_spherical_pendulum(void) {
  Model model = {.name = "double spherical pendulum",
                 .dimension = 3,
                 .gravity = {0.0, 0.0, -MODEL_GRAVITY},
                 .length = 4.0,
                 .speed = 10.0,
                 .chart = MODEL_CHART_VERTICAL,
                 .near = 0.5};
  const double q[2][3] = {{2.820, 0.025, 0.0}, {5.085, 0.105, 0.0}};
  const double v[2][3] = {{3.381, 2.506, 0.0}, {2.497, 10.495, 0.0}};
  add_particle(&model, "upper", 2.0, q[0], v[0]);
  add_particle(&model, "lower", 3.5, q[1], v[1]);
  for (int i = 0; i < 2; i++) {
    model.particle[i].position[2] = VidaInitial_Free(-1.0);
    model.particle[i].velocity[2] = VidaInitial_Free(0.0);
  }
  add_rod(&model, "upper rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 4.0);
  add_rod(&model, "lower rod", VidaPoint_Particle(0), VidaPoint_Particle(1), 3.0);
  return model;
}

Model model_four_particles(void) {
  Model model = {.name = "four particles", .dimension = 3, .length = 1.0, .speed = 1.0};
  static const char* const names[4] = {"q1", "q2", "q3", "q4"};
  const double mass[4] = {1.0, 3.0, 2.3, 1.7};
  const double q[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {1.0, 1.0, 0.0}};
  for (int i = 0; i < 4; i++) {
    const double v[3] = {0.0, 0.0, i == 3 ? 2.0 / mass[3] : 0.0}; /* p4 = (0, 0, 2) */
    add_particle(&model, names[i], mass[i], q[i], v);
  }
  const double stiffness[2] = {100.0, 1000.0};
  for (int i = 0; i < 2; i++) {
    const VidaSpring spring = {.name = i ? "spring 2-4" : "spring 1-3",
                               .from = VidaPoint_Particle(i),
                               .to = VidaPoint_Particle(i + 2),
                               .stiffness = stiffness[i],
                               .length = 1.0,
                               .law = VIDA_SPRING_SQUARED};
    model.spring[model.springs++] = spring;
  }
  add_rod(&model, "bar 1-2", VidaPoint_Particle(0), VidaPoint_Particle(1), 1.0);
  add_rod(&model, "bar 3-4", VidaPoint_Particle(2), VidaPoint_Particle(3), 1.0);
  model.chart = MODEL_CHART_SIDEWAYS;
  model.near = 1.0;
  return model;
}

Model model_dumbbell(const double* v1, const double* v2) {
  Model model = {.name = "dumbbell", .dimension = 3, .length = 0.74, .speed = 1.0};
  const double q[2][3] = {{0.0, 0.0, 0.0}, {0.74, 0.0, 0.0}};
  add_particle(&model, "one", 1.0, q[0], v1);
  add_particle(&model, "two", 1.0, q[1], v2);
  add_rod(&model, "bond", VidaPoint_Particle(0), VidaPoint_Particle(1), 0.74);
  return model;
}

Model model_oscillator(double mass, double stiffness, double x, double v) {
  Model model = {.name = "oscillator", .dimension = 1, .length = fabs(x) + fabs(v)};
  add_particle(&model, "mass", mass, &x, &v);
  const VidaSpring spring = {.name = "spring",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.0),
                             .to = VidaPoint_Particle(0),
                             .stiffness = stiffness};
  model.spring[model.springs++] = spring;
  model.speed = model.length * sqrt(stiffness / mass);
  model.chart = MODEL_CHART_VERTICAL;
  return model;
}

Model model_springs(void) {
  Model model = {.name = "springs",
                 .dimension = 3,
                 .gravity = {0.0, 0.0, -MODEL_GRAVITY},
                 .length = 1.0,
                 .speed = 3.0};
  const double q[2][3] = {{0.7, 0.1, -0.5}, {1.1, 0.4, -1.2}};
  const double v[2][3] = {{0.3, -0.8, 0.2}, {-0.5, 0.6, 0.4}};
  add_particle(&model, "first", 0.8, q[0], v[0]);
  add_particle(&model, "second", 1.7, q[1], v[1]);
  const VidaSpring hanger = {.name = "hanger",
                             .from = VidaPoint_Fixed(0.0, 0.0, 0.2),
                             .to = VidaPoint_Particle(0),
                             .stiffness = 60.0,
                             .cubic = 40.0,
                             .length = 0.6};
  const VidaSpring link = {.name = "link",
                           .from = VidaPoint_Particle(1),
                           .to = VidaPoint_Particle(0),
                           .stiffness = 90.0,
                           .length = 0.7};
  const VidaSpring elastic = {.name = "elastic",
                              .from = VidaPoint_Particle(1),
                              .to = VidaPoint_Fixed(0.0, 0.0, -1.0),
                              .stiffness = 5.0,
                              .cubic = 8.0};
  model.spring[model.springs++] = hanger;
  model.spring[model.springs++] = link;
  model.spring[model.springs++] = elastic;
  model.chart = MODEL_CHART_VERTICAL;
  return model;
}

Model model_free_particle(int dimension, double mass, const double* x, const double* v) {
  Model model = {.name = "free particle", .dimension = dimension, .length = 1.0, .speed = 1.0};
  add_particle(&model, "body", mass, x, v);
  model.chart = MODEL_CHART_VERTICAL;
  return model;
}

Model model_chain(int links, double angle) {
  static const char* const names[MODEL_LINKS] = {"1", "2", "3", "4",  "5",  "6",
                                                 "7", "8", "9", "10", "11", "12"};
  Model model = {.name = "chain",
                 .dimension = 2,
                 .gravity = {0.0, -MODEL_GRAVITY},
                 .length = links,
                 .speed = sqrt(MODEL_GRAVITY * links),
                 .chart = MODEL_CHART_SIDEWAYS,
                 .near = 1.0};
  for (int i = 0; i < links && i < MODEL_LINKS; i++) {
    const double q[2] = {(i + 1) * cos(angle), -(i + 1) * sin(angle)};
    const double v[2] = {0.0, 0.0};
    add_particle(&model, names[i], 1.0, q, v);
    add_rod(&model, names[i], i ? VidaPoint_Particle(i - 1) : VidaPoint_Fixed(0.0, 0.0, 0.0),
            VidaPoint_Particle(i), 1.0);
  }
  return model;
}

VidaSystem* model_open_system(const Model* model) {
  VidaSystem* system = NULL;
  VidaError error = {0};
  bool gravity = false;
  REQUIRE_OK(VidaSystem_Create(model->name, model->dimension, &system, &error), &error);
  for (int i = 0; i < model->particles; i++) {
    REQUIRE_OK(VidaSystem_AddParticle(system, &model->particle[i], NULL, &error), &error);
  }
  for (int k = 0; k < model->dimension; k++) {
    gravity = gravity || model->gravity[k] != 0.0;
  }
  if (gravity) {
    REQUIRE_OK(VidaSystem_AddGravity(system, model->gravity, &error), &error);
  }
  for (int i = 0; i < model->springs; i++) {
    REQUIRE_OK(VidaSystem_AddSpring(system, &model->spring[i], &error), &error);
  }
  for (int i = 0; i < model->rods; i++) {
    REQUIRE_OK(VidaSystem_AddDistance(system, &model->rod[i], &error), &error);
  }
  return system;
}

VidaSystem* model_system(const Model* model) {
  VidaSystem* system = model_open_system(model);
  VidaError error = {0};
  model_add_chart(model, system);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

/* ---- mechanics of our own ------------------------------------------------------------------- */

/* d = to - from, of positions (or of velocities, where fixed points do not move) */
static double span(const Model* model, const VidaPoint* from, const VidaPoint* to, const double* q,
                   bool velocities, double d[3]) {
  double square = 0.0;
  for (int k = 0; k < model->dimension; k++) {
    const double a = from->particle >= 0 ? q[model->dimension * from->particle + k]
                     : velocities        ? 0.0
                                         : from->position[k];
    const double b = to->particle >= 0 ? q[model->dimension * to->particle + k]
                     : velocities      ? 0.0
                                       : to->position[k];
    d[k] = b - a;
    square += d[k] * d[k];
  }
  return square;
}

double model_energy(const Model* model, const double* q, const double* v) {
  double energy = 0.0;
  double d[3];
  for (int i = 0; i < model->particles; i++) {
    for (int k = 0; k < model->dimension; k++) {
      const int c = model->dimension * i + k;
      energy += model->particle[i].mass * (0.5 * v[c] * v[c] - model->gravity[k] * q[c]);
    }
  }
  for (int i = 0; i < model->springs; i++) {
    const VidaSpring* spring = &model->spring[i];
    const double square = span(model, &spring->from, &spring->to, q, false, d);
    if (spring->law == VIDA_SPRING_SQUARED) {
      energy += 0.25 * spring->stiffness * pow(square - spring->length * spring->length, 2);
    } else {
      const double s = sqrt(square) - spring->length;
      energy += 0.5 * spring->stiffness * s * s + 0.25 * spring->cubic * s * s * s * s;
    }
  }
  return energy;
}

void model_momenta(const Model* model, const double* q, const double* v, double* linear,
                   double* angular) {
  memset(linear, 0, 3 * sizeof *linear);
  memset(angular, 0, 3 * sizeof *angular);
  for (int i = 0; i < model->particles; i++) {
    double x[3] = {0.0, 0.0, 0.0};
    double p[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < model->dimension; k++) {
      x[k] = q[model->dimension * i + k];
      p[k] = model->particle[i].mass * v[model->dimension * i + k];
    }
    for (int k = 0; k < 3; k++) {
      const int a = (k + 1) % 3;
      const int b = (k + 2) % 3;
      linear[k] += p[k];
      angular[k] += x[a] * p[b] - x[b] * p[a];
    }
  }
}

double model_stretch(const Model* model, const double* q) {
  double worst = 0.0;
  double d[3];
  for (int i = 0; i < model->rods; i++) {
    const VidaDistance* rod = &model->rod[i];
    const double off = fabs(sqrt(span(model, &rod->from, &rod->to, q, false, d)) - rod->length);
    worst = off > worst || isnan(off) ? off : worst;
  }
  return worst;
}

double model_stretch_rate(const Model* model, const double* q, const double* v) {
  double worst = 0.0;
  double d[3], e[3];
  for (int i = 0; i < model->rods; i++) {
    const VidaDistance* rod = &model->rod[i];
    double rate = 0.0;
    span(model, &rod->from, &rod->to, q, false, d);
    span(model, &rod->from, &rod->to, v, true, e);
    for (int k = 0; k < model->dimension; k++) {
      rate += d[k] * e[k];
    }
    rate = fabs(rate) / rod->length;
    worst = rate > worst || isnan(rate) ? rate : worst;
  }
  return worst;
}

/* f += factor d at `to`, -= at `from` */
static void pull(const Model* model, const VidaPoint* from, const VidaPoint* to, double factor,
                 const double* d, double* f) {
  for (int k = 0; k < model->dimension; k++) {
    if (from->particle >= 0) {
      f[model->dimension * from->particle + k] += factor * d[k];
    }
    if (to->particle >= 0) {
      f[model->dimension * to->particle + k] -= factor * d[k];
    }
  }
}

/* Accelerations (n) and tensions (rods): M a = f - G^T s with g'' = 0 on every rod */
static void accelerate(const Model* model, const double* q, const double* v, double* a,
                       double* tensions) {
  const int n = model->dimension * model->particles;
  double d[MODEL_LINKS][3], e[3], column[MODEL_COORDINATES];
  double matrix[MODEL_LINKS][MODEL_LINKS], right[MODEL_LINKS];
  for (int c = 0; c < n; c++) {
    a[c] = model->particle[c / model->dimension].mass * model->gravity[c % model->dimension];
  }
  for (int i = 0; i < model->springs; i++) {
    const VidaSpring* spring = &model->spring[i];
    const double square = span(model, &spring->from, &spring->to, q, false, e);
    double factor; /* V' / |d| */
    if (spring->law == VIDA_SPRING_SQUARED) {
      factor = spring->stiffness * (square - spring->length * spring->length);
    } else if (spring->length > 0.0) {
      const double s = sqrt(square) - spring->length;
      factor = (spring->stiffness + spring->cubic * s * s) * s / sqrt(square);
    } else {
      factor = spring->stiffness + spring->cubic * square;
    }
    pull(model, &spring->from, &spring->to, factor, e, a);
  }
  for (int c = 0; c < n; c++) {
    a[c] /= model->particle[c / model->dimension].mass;
  }
  for (int i = 0; i < model->rods; i++) {
    span(model, &model->rod[i].from, &model->rod[i].to, q, false, d[i]);
  }
  /* d_i . (relative acceleration) + |relative velocity|^2 = 0 */
  for (int i = 0; i < model->rods; i++) {
    const VidaDistance* rod = &model->rod[i];
    memset(column, 0, sizeof column);
    pull(model, &rod->from, &rod->to, 1.0 / rod->length, d[i], column);
    for (int c = 0; c < n; c++) {
      column[c] /= model->particle[c / model->dimension].mass;
    }
    for (int j = 0; j < model->rods; j++) {
      span(model, &model->rod[j].from, &model->rod[j].to, column, true, e);
      matrix[j][i] = d[j][0] * e[0] + (model->dimension > 1 ? d[j][1] * e[1] : 0.0) +
                     (model->dimension > 2 ? d[j][2] * e[2] : 0.0);
    }
    right[i] = -span(model, &rod->from, &rod->to, v, true, e);
    span(model, &rod->from, &rod->to, a, true, e);
    for (int k = 0; k < model->dimension; k++) {
      right[i] -= d[i][k] * e[k];
    }
  }
  dense_solve(model->rods, MODEL_LINKS, matrix[0], right);
  for (int i = 0; i < model->rods; i++) {
    const VidaDistance* rod = &model->rod[i];
    memset(column, 0, sizeof column);
    pull(model, &rod->from, &rod->to, right[i] / rod->length, d[i], column);
    for (int c = 0; c < n; c++) {
      a[c] += column[c] / model->particle[c / model->dimension].mass;
    }
    if (tensions) {
      tensions[i] = right[i];
    }
  }
}

/* d/dt (q, v) */
static void rate(const Model* model, const double* state, double* result) {
  const int n = model->dimension * model->particles;
  memcpy(result, state + n, (size_t)n * sizeof *result);
  accelerate(model, state, state + n, result + n, NULL);
}

/* One extrapolated step: midpoint rules with 2, 4, ... substeps, Aitken-Neville in h^2 */
static void extrapolated_step(const Model* model, double h, double* state) {
  const int n = 2 * model->dimension * model->particles;
  double table[COLUMNS][STATE], f[STATE], before[STATE], now[STATE];
  for (int j = 0; j < COLUMNS; j++) {
    const int substeps = 2 * (j + 1);
    const double step = h / substeps;
    rate(model, state, f);
    for (int c = 0; c < n; c++) {
      before[c] = state[c];
      now[c] = state[c] + step * f[c];
    }
    for (int i = 1; i < substeps; i++) {
      rate(model, now, f);
      for (int c = 0; c < n; c++) {
        const double next = before[c] + 2.0 * step * f[c];
        before[c] = now[c];
        now[c] = next;
      }
    }
    rate(model, now, f);
    for (int c = 0; c < n; c++) {
      table[j][c] = 0.5 * (now[c] + before[c] + step * f[c]);
    }
    for (int k = j - 1; k >= 0; k--) {
      const double ratio = (double)((j + 1) * (j + 1)) / (double)((k + 1) * (k + 1));
      for (int c = 0; c < n; c++) {
        table[k][c] = table[k + 1][c] + (table[k + 1][c] - table[k][c]) / (ratio - 1.0);
      }
    }
  }
  memcpy(state, table[0], (size_t)n * sizeof *state);
}

void model_reference(const Model* model, double t, int steps, double* q, double* v,
                     double* forces) {
  const int n = model->dimension * model->particles;
  double state[STATE], a[MODEL_COORDINATES];
  memcpy(state, q, (size_t)n * sizeof *q);
  memcpy(state + n, v, (size_t)n * sizeof *v);
  for (int i = 0; i < steps; i++) {
    extrapolated_step(model, t / steps, state);
  }
  memcpy(q, state, (size_t)n * sizeof *q);
  memcpy(v, state + n, (size_t)n * sizeof *v);
  if (forces) {
    accelerate(model, q, v, a, forces);
  }
}
