/* Charts of the test systems: angles of their rods. */
#ifndef VIDA_TEST_CHART_H
#define VIDA_TEST_CHART_H

#include "support/model.h"

/* Adds the chart that the model asks for to its open system. */
void model_add_chart(const Model* model, VidaSystem* system);

#endif
