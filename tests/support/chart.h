/* Charts of the test systems: angles of their rods. */
#ifndef VIDA_TEST_CHART_H
#define VIDA_TEST_CHART_H

#include "support/model.h"

/* Expressions; a failure ends the test. */
VidaExpression chart_number(VidaSystem* system, double value);
VidaExpression chart_apply(VidaSystem* system, const char* operation, VidaExpression a,
                           VidaExpression b); /* b < 0: none */

/* Adds the chart that the model asks for to its open system. */
void model_add_chart(const Model* model, VidaSystem* system);

#endif
