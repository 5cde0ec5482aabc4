/* Laws of impact for contacts that are hit together (Pfeiffer and Glocker 1996, chapter 8).
 *
 * The rates w of all rows of touching contacts change by the impulses P, w+ = w- + D P, with D in
 * the metric of M^-1 and the constraints of the system. With Newton's law, normal rows satisfy
 *     w+ + e w- >= 0,  P >= 0,  (w+ + e w-) P = 0.
 * With Poisson's law there are two such problems. Compression has e = 0 and the impulses C;
 * expansion begins with its rates and satisfies
 *     w+ >= 0,  P >= e C,  w+ (P - e C) = 0.
 * In both, the impulses of friction obey Coulomb's law with P and the slip velocity at the end. */
#include <math.h>

#include "stepper/hybrid/touching_problem.h"

/* Relative to the largest impulse: a smaller one is rounding. */
static const double no_impulse = 1e-12;

/* Applies the impulses, and sets the rates of rows that hold to those that the law asks for. */
static void apply(vida_hybrid* hybrid, vida_sample* at) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const vida_touching_problem* posed = own->problem;
  const vida_contact_problem* problem = &posed->problem;
  double largest = 0.0;
  own->residual = fmax(own->residual, problem->residual);
  for (int r = 0; r < problem->size; r++) {
    largest = fmax(largest, fabs(problem->impulse[r]));
    vida__add_impulse(hybrid, at, posed->row[r], problem->impulse[r]);
  }
  for (int c = 0; c < problem->contacts; c++) {
    const int first = problem->first[c], slips = problem->first[c + 1] - first - 1;
    const double normal = problem->impulse[first];
    const double least = problem->least ? problem->least[c] : 0.0;
    vida_touching* touching = &own->touching[posed->touching[c]];
    touching->is_hit = touching->is_hit || normal > no_impulse * largest;
    if (normal - least > no_impulse * largest) {
      own->w[posed->row[first]] = -posed->bias[first];
    }
    const bool sticks = vida__slip_length(problem->impulse + first + 1, slips) <
                        problem->friction[c] * normal * (1.0 - no_impulse);
    for (int k = 1; k <= slips && sticks; k++) {
      own->w[posed->row[first + k]] = 0.0;
    }
  }
}

/* ---- laws ------------------------------------------------------------------------------------ */

/* Returns the restitution of contact c of the problem. */
static double restitution_of(const vida_hybrid* hybrid, int c) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  const vida_touching* at = &own->touching[own->problem->touching[c]];
  return hybrid->crowd.is_crowded ? 0.0 : own->list[at->contact].restitution;
}

/* Solves the problem that is posed, and applies its impulses. */
static int make_phase(vida_hybrid* hybrid, vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  static const double enough = 1e-11;
  if (!vida__solve_touching(own->problem, own->w, enough)) {
    return vida__fail_touching(hybrid, "impulses", "m/s", error);
  }
  apply(hybrid, at);
  return VIDA_SUCCESS;
}

/* Lets the contacts return their impulses of compression. */
static int expand(vida_hybrid* hybrid, vida_sample* at, VidaError* error) {
  vida_touching_problem* posed = hybrid->contacts->problem;
  bool any = false;
  for (int c = 0; c < posed->problem.contacts; c++) {
    posed->least[c] = restitution_of(hybrid, c) * posed->problem.impulse[posed->problem.first[c]];
    any = any || posed->least[c] > 0.0;
  }
  posed->problem.least = posed->least;
  return any ? make_phase(hybrid, at, error) : VIDA_SUCCESS;
}

/* Poses the problem of Newton's law. */
static void pose_newton(const vida_hybrid* hybrid) {
  vida_hybrid_contacts* own = hybrid->contacts;
  vida_touching_problem* posed = own->problem;
  vida__pose_touching(own);
  for (int c = 0; c < posed->problem.contacts; c++) {
    const int first = posed->problem.first[c];
    posed->bias[first] = restitution_of(hybrid, c) * fmin(own->w[posed->row[first]], 0.0);
  }
}

/* Returns whether the impulses of the problem bring energy: P^T (w- + w+) / 2. */
static bool brings_energy(const vida_hybrid_contacts* own) {
  static const double rounding = 1e-12;
  const vida_touching_problem* posed = own->problem;
  double gain = 0.0, size = 0.0;
  for (int r = 0; r < posed->problem.size; r++) {
    const double before = own->w[posed->row[r]], impulse = posed->problem.impulse[r];
    gain += 0.5 * impulse * (before + posed->rates[r]);
    size += 0.5 * fabs(impulse) * (fabs(before) + fabs(posed->rates[r]));
  }
  return gain > rounding * size;
}

bool vida__hit_tied(vida_hybrid* hybrid, vida_sample* at, double rate) {
  static const double tied = 1e-9, slow = 1e-9, enough = 1e-11;
  vida_hybrid_contacts* own = hybrid->contacts;
  bool was_candidate[VIDA_IMPACT_ROWS];
  int count = 0;
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* touching = &own->touching[i];
    was_candidate[i] = touching->is_candidate;
    /* Rates of bodies at rest are rounding, and may be equal by chance. */
    touching->is_candidate = was_candidate[i] &&
                             fabs(own->w[touching->row] - rate) <= tied * fabs(rate) &&
                             fabs(rate) > slow * own->w_size[touching->row];
    count += touching->is_candidate;
  }
  bool is_hit = count > 1;
  if (is_hit) {
    pose_newton(hybrid);
    is_hit = own->problem->problem.contacts == count &&
             vida__solve_touching(own->problem, own->w, enough) && !brings_energy(own);
  }
  if (is_hit) {
    apply(hybrid, at);
  }
  for (int i = 0; i < own->touching_count; i++) {
    own->touching[i].is_candidate = was_candidate[i];
  }
  return is_hit;
}

int vida__hit_together(vida_hybrid* hybrid, vida_sample* at, vida_impact_law law,
                       VidaError* error) {
  if (law == VIDA_IMPACT_NEWTON) {
    pose_newton(hybrid);
  } else {
    vida__pose_touching(hybrid->contacts);
  }
  const int code = make_phase(hybrid, at, error);
  return code || law != VIDA_IMPACT_POISSON ? code : expand(hybrid, at, error);
}
