/* Forces of closed contacts that are not unique: four legs of a table, discs with friction in a
 * box.
 *
 * The motion is the same for all of them, and the methods take those of least norm. A contact opens
 * or slides only where no forces with G^T lambda of the motion satisfy the laws of contact and
 * friction: where the solution of the complementarity problem of forces and accelerations leaves
 * the state. */
#include <math.h>

#include "stepper/hybrid/touching_problem.h"

/* Returns whether the forces satisfy the laws. */
static bool fit(const vida_hybrid_contacts* own) {
  for (int c = 0; c < own->count; c++) {
    const bool sticks = own->flags[c] & VIDA_CONTACT_STICKS;
    if (!own->list[c].is_coupling && own->flags[c] &&
        (own->normal[c] < 0.0 || (sticks && own->margin[c] < 0.0))) {
      return false;
    }
  }
  return true;
}

/* Sets the direction of a contact that slides: of its slip velocity, or of the mode. */
static void set_direction(const vida_hybrid_contacts* own, vida_touching* at) {
  const int flags = own->flags[at->contact];
  const double* slip = own->rate + own->first_row[at->contact] + 1;
  const double size = vida__slip_length(slip, at->slip_count);
  const int axis = flags & VIDA_CONTACT_SECOND ? 1 : 0;
  for (int s = 0; s < at->slip_count; s++) {
    at->direction[s] = at->slip_count > 1 && size > 0.0 ? slip[s] / size : 0.0;
  }
  if (at->slip_count == 1 || !(size > 0.0)) {
    at->direction[axis] = flags & VIDA_CONTACT_BACKWARD ? -1.0 : 1.0;
  }
}

/* Lists the closed contacts as touching ones, in their states. Returns false if they have too many
 * rows. */
static bool list_closed(vida_hybrid_contacts* own) {
  own->touching_count = own->row_count = 0;
  for (int c = 0; c < own->count; c++) {
    if (own->list[c].is_coupling || !own->flags[c]) {
      continue;
    }
    const int slips = own->list[c].friction > 0.0 ? own->list[c].slip_count : 0;
    vida_touching* at = &own->touching[own->touching_count++];
    *at = (vida_touching){
        .contact = c,
        .row = own->row_count,
        .slip_count = slips,
        .is_candidate = true,
        .state = own->flags[c] & VIDA_CONTACT_SLIDE ? VIDA_TOUCHING_SLIDES : VIDA_TOUCHING_RESTS};
    if (at->state == VIDA_TOUCHING_SLIDES) {
      set_direction(own, at);
    }
    own->row_count += 1 + slips;
    if (own->row_count > VIDA_IMPACT_ROWS) {
      return false;
    }
  }
  return true;
}

/* Whether contacts can stay in their states has no measure that vanishes with time: 1 or -1,
 * between which a zero is found by bisection. */
static void set_all(vida_hybrid_contacts* own, double value) {
  for (int c = 0; c < own->count; c++) {
    if (!own->list[c].is_coupling) {
      own->normal[c] = own->margin[c] = value;
    }
  }
}

/* Marks what leaves the state of contact c of the solved problem. */
static void mark(vida_hybrid_contacts* own, int c, double least) {
  const vida_touching_problem* posed = own->problem;
  const int first = posed->problem.first[c], slips = posed->problem.first[c + 1] - first - 1;
  const double* rate = posed->rates + first;
  const int contact = own->touching[posed->touching[c]].contact;
  own->normal[contact] = rate[0] > least ? -1.0 : 1.0;
  own->margin[contact] = vida__slip_length(rate + 1, slips) > least ? -1.0 : 1.0;
}

int vida__choose_forces(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  if (fit(own)) {
    set_all(own, 1.0);
    return VIDA_SUCCESS;
  }
  int code = list_closed(own) ? vida__prepare_touching(hybrid, at, error) : VIDA_SUCCESS;
  if (code || own->row_count > VIDA_IMPACT_ROWS) {
    return code; /* with too many rows, the forces of least norm decide */
  }
  code = vida__find_free_accelerations(hybrid, at, error);
  vida__pose_touching(own);
  if (code || !vida__solve_touching(own->problem, own->work, VIDA_NO_ACCELERATION)) {
    return code;
  }
  const double least = 2.0 * VIDA_NO_ACCELERATION * vida__free_size(own);
  set_all(own, 1.0);
  for (int c = 0; c < own->problem->problem.contacts; c++) {
    mark(own, c, least);
  }
  return VIDA_SUCCESS;
}
