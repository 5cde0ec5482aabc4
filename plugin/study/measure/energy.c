#include "study/measure/energy.h"

#include <math.h>

/* Relative to the largest kinetic energy of the motion. The numerical damping of a method and the
 * energy oscillations of symplectic methods are smaller; a motion that loses its energy, or gains
 * it from the method, exceeds the bound. Adaptive methods have smaller errors. */
static const double large_part = 0.5;
static const double large_part_by_rtol = 0.1;
/* Relative to the energy at the start and to the current kinetic energy: after a passage of a
 * singular point the kinetic energy can briefly exceed the whole defect. */
static const double many_times = 10.0;
static const double part_of_motion = 0.25;
/* Relative to the energies at the start and of the motion: rounding, and the errors in long runs of
 * methods that claim to conserve the energy. */
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
  const bool is_far = verdict->start > verdict->rest && defect > many_times * verdict->start &&
                      defect > part_of_motion * kinetic;
  /* Little moves at the start of a motion: a defect that is large then may not be large later. */
  if (is_far || (is_large(verdict, defect) && !vida__is_energy_wrong(verdict))) {
    verdict->t = t;
    verdict->defect = defect;
    verdict->is_far = is_far;
  }
}

bool vida__is_energy_wrong(const vida_energy_verdict* verdict) {
  return verdict->defect != 0.0 && (verdict->is_far || is_large(verdict, verdict->defect));
}

void vida__energy_record(vida_energy_verdict* verdict, VidaRecord* record) {
  VidaRecord_Reals(record, &verdict->motion, 1);
  VidaRecord_Reals(record, &verdict->t, 1);
  VidaRecord_Reals(record, &verdict->defect, 1);
  VidaRecord_Flag(record, &verdict->is_far);
}
