/* Views of ends in the expression graph of the system itself. */
#ifndef VIDA_SYSTEM_MECHANICS_LIVE_VIEW_H
#define VIDA_SYSTEM_MECHANICS_LIVE_VIEW_H

#include "system/mechanics/pattern.h"

/* Makes the view of an end in expressions of the system. `place` receives the place of the end in
 * the axes of the frame. */
int vida__live_view(VidaSystem* system, const VidaEnd* end, vida_view* view, double place[3],
                    VidaError* error);
/* Returns the vector of `count` constants. */
vida_vector vida__constant_vector(vida_graph* graph, int count, const double* values);

#endif
