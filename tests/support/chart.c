#include "support/chart.h"

#include <stdio.h>
#include <vida/expression.h>

#include "support/check.h"
#include "support/formula.h"

static VidaExpression coordinate(VidaSystem* system, char letter, int rod, double near) {
  char name[16];
  VidaError error = {0};
  VidaExpression result = -1;
  snprintf(name, sizeof name, "%c%d", letter, rod + 1);
  REQUIRE_OK(VidaSystem_AddChartCoordinate(system, name, near, &result, &error), &error);
  return result;
}

/* The unit vector along a rod, of new chart coordinates. */
static void direction(const Model* model, VidaSystem* system, int rod, VidaExpression* e) {
  const VidaExpression a = coordinate(system, 'a', rod, model->near);
  const VidaExpression sin_a = apply(system, "sin", a, -1);
  const VidaExpression cos_a = apply(system, "cos", a, -1);
  if (model->dimension == 2) {
    e[0] = sin_a;
    e[1] = apply(system, "-", cos_a, -1);
    return;
  }
  const VidaExpression b = coordinate(system, 'b', rod, 0.0);
  const VidaExpression sin_b = apply(system, "sin", b, -1);
  const VidaExpression cos_b = apply(system, "cos", b, -1);
  if (model->chart == MODEL_CHART_VERTICAL) {
    e[0] = apply(system, "*", sin_a, cos_b);
    e[1] = apply(system, "*", sin_a, sin_b);
    e[2] = apply(system, "-", cos_a, -1);
  } else {
    e[0] = apply(system, "*", cos_b, sin_a);
    e[1] = sin_b;
    e[2] = apply(system, "-", apply(system, "*", cos_b, cos_a), -1);
  }
}

/* The rod that hangs this particle on a fixed point or on one before it; NULL: it moves freely. */
static const VidaDistance* rod_of(const Model* model, int particle) {
  for (int i = 0; i < model->rods; i++) {
    if (model->rod[i].to.particle == particle && model->rod[i].from.particle < particle) {
      return &model->rod[i];
    }
  }
  return NULL;
}

void model_add_chart(const Model* model, VidaSystem* system) {
  VidaExpression phi[MODEL_COORDINATES];
  int coordinates[MODEL_COORDINATES];
  VidaError error = {0};
  const int n = model->dimension * model->particles;
  if (model->chart == MODEL_NO_CHART) {
    return;
  }
  for (int p = 0; p < model->particles; p++) {
    const VidaDistance* rod = rod_of(model, p);
    VidaExpression* own = phi + model->dimension * p;
    VidaExpression e[3];
    if (rod) {
      direction(model, system, p, e);
    }
    for (int k = 0; k < model->dimension; k++) {
      if (!rod) {
        own[k] = coordinate(system, "xyz"[k], p, 0.0);
        continue;
      }
      const VidaExpression from = rod->from.particle >= 0
                                      ? phi[model->dimension * rod->from.particle + k]
                                      : number(system, rod->from.position[k]);
      own[k] = apply(system, "+", from, apply(system, "*", number(system, rod->length), e[k]));
    }
  }
  for (int i = 0; i < n; i++) {
    coordinates[i] = i;
  }
  REQUIRE_OK(VidaSystem_AddChart(system, n, coordinates, phi, &error), &error);
}
