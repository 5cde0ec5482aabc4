/* One-step methods of VIDA's own as integrators of the driver of ode.h. one_step.c has the nodes,
 * the loop over attempts with smaller steps, what a rejected end means, and states between nodes,
 * which are the ends of shorter steps; a method has the formulas of one step.
 *
 * The state y has 2 n components, (q, v). */
#ifndef VIDA_METHODS_REFERENCE_ONE_STEP_H
#define VIDA_METHODS_REFERENCE_ONE_STEP_H

#include "solve/integrator.h"

/* The formulas of a method. Functions that return int return a VidaCode of the equations. */
typedef struct vida_one_step_class {
  /* Called before the first attempt of a step from ode->node. NULL: nothing to do. */
  int (*prepare)(vida_ode* ode);
  /* Makes the step of length h from ode->node to own->end. */
  int (*make)(vida_ode* ode, double h);
  /* Tries the step of length own->h from ode->node to own->end with the weights of ode->weight.
   * Sets *is_accepted if its error is small enough, and own->h to the length of the next attempt or
   * step. was_rejected: an attempt of this step was not accepted. */
  int (*attempt)(vida_ode* ode, bool was_rejected, bool* is_accepted);
  /* Called when own->end, after `settle`, has become the new node (t,y), before ode->node changes.
   * NULL: nothing to do. */
  void (*keep)(vida_ode* ode, double t, const double* y);
  /* Makes a step of length h, shorter than the last one, from ode->previous to own->end, with what
   * the last step used. */
  int (*make_again)(vida_ode* ode, double h);
} vida_one_step_class;

/* The first member of the memory of such an integrator, vida_ode.memory. */
typedef struct vida_one_step {
  const vida_one_step_class* class;
  double* end; /* 2 n: the end of the step, which the method allocates */
  double h;    /* the next step */
} vida_one_step;

/* The factor by which an attempt shrinks a step at most. */
extern const double vida__largest_shrink;

/* Functions of vida_integrator_class. */
int vida__one_step_begin(vida_ode* ode, double t, double step, double stop);
int vida__one_step_step(vida_ode* ode, double towards);
bool vida__one_step_is_refused(int flag);
int vida__one_step_interpolate(vida_ode* ode, double t);
void vida__one_step_count(vida_ode* ode);
const char* vida__one_step_flag_name(int flag);

/* The members of vida_integrator_class that these functions fill, but for `begin`. */
#define VIDA_ONE_STEP_FUNCTIONS                                                                \
  .package = VIDA_ERKSTEP, .flag_name = vida__one_step_flag_name, .step = vida__one_step_step, \
  .is_refused = vida__one_step_is_refused, .interpolate = vida__one_step_interpolate,          \
  .count = vida__one_step_count

#endif
