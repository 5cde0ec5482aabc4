#include "study/measure/energy.h"

#include <math.h>

/* Of the largest kinetic energy of the motion, which is what is exchanged in it: the damping of a
 * method and the oscillations of symplectic ones stay below, a motion that has lost its energy or
 * lives on energy of the method does not. Steps that are chosen for an error leave less. */
static const double large_part = 0.5;
static const double large_part_by_rtol = 0.1;
/* Of the energy of the start, and of what moves now: a fall through a singular point, after which
 * the kinetic energy was larger for a moment than all that is wrong. */
static const double far_more = 10.0;
static const double part_of_motion = 0.25;
/* Of the energies at the start and of the motion: rounding, and what a method that claims to keep
 * the energy leaves in long runs. */
static const double rounding = 1e-10;
static const double exact_part = 1e-6;

void vida__begin_energy(vida_energy_verdict* verdict, double start, double rest, double rtol,
                        bool is_exact) {
  *verdict = (vida_energy_verdict){.start = start,
                                   .rest = rest,
                                   .least = fmax(rounding, rtol),
                                   .large = rtol > 0.0 ? large_part_by_rtol : large_part,
                                   .is_exact = is_exact};
}

static bool is_large(const vida_energy_verdict* verdict, double defect) {
  const double size = fabs(defect);
  return (size > verdict->large * verdict->motion && size > verdict->least * verdict->start &&
          size > verdict->rest) ||
         (verdict->is_exact && size > exact_part * (verdict->start + verdict->motion));
}

void vida__judge_energy(vida_energy_verdict* verdict, double t, double defect, double kinetic) {
  verdict->motion = fmax(verdict->motion, kinetic - fmax(defect, 0.0));
  if (verdict->is_far) {
    return;
  }
  const bool is_far = verdict->start > verdict->rest && defect > far_more * verdict->start &&
                      defect > part_of_motion * kinetic;
  /* At the start of a motion hardly anything moves yet: what is large then may not be later. */
  if (is_far || (is_large(verdict, defect) && !vida__energy_is_off(verdict))) {
    verdict->t = t;
    verdict->defect = defect;
    verdict->is_far = is_far;
  }
}

bool vida__energy_is_off(const vida_energy_verdict* verdict) {
  return verdict->defect != 0.0 && (verdict->is_far || is_large(verdict, verdict->defect));
}
