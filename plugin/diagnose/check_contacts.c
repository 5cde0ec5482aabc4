/* Contacts at the start: what they are, and gaps that are negative. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "diagnose/check.h"
#include "system/contacts/contacts.h"

enum { MOST_LISTED = 20 }; /* contacts that are listed individually */

/* Returns the size of the rounding of a gap. */
static double rounding_of(const VidaCheck* check) {
  double size = 0.0;
  for (int i = 0; i < check->system->coordinate_count; i++) {
    size = fmax(size, fabs(check->q[i]));
  }
  return 64.0 * DBL_EPSILON * size;
}

static void describe(VidaCheck* check, int contact, double gap) {
  char numbers[3][VIDA_REAL_TEXT_SIZE];
  const VidaSystem* system = check->system;
  const double e = VidaSystem_ContactRestitution(system, contact);
  const double mu = VidaSystem_ContactFriction(system, contact);
  const char* name = VidaSystem_ContactName(system, contact);
  if (system->contacts->list[contact].is_coupling) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, name, "coupling: %s at the start",
                     system->contacts->list[contact].is_engaged ? "engaged" : "released");
  } else if (gap < -rounding_of(check)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, name, "begins with a negative gap, %s %s",
                     vida__real_text(numbers[0], gap, 6), vida__gap_unit(system, contact));
  } else if (contact < MOST_LISTED) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, name,
                     "contact: gap %s %s, restitution %s, friction %s",
                     vida__real_text(numbers[0], gap, 6), vida__gap_unit(system, contact),
                     vida__real_text(numbers[1], e, 6), vida__real_text(numbers[2], mu, 6));
  }
}

/* Computes all gaps at the start. */
static int find_gaps(VidaCheck* check, const VidaSystem* rows, double* gap, VidaError* error) {
  vida_evaluator evaluator;
  int code = vida__evaluator_create(rows, &evaluator, error);
  if (code) {
    return code;
  }
  if (vida__constraints(&evaluator, check->t, check->q, NULL, gap)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "contacts", "the gaps cannot be evaluated: %s",
                     evaluator.error.message);
    for (int r = 0; r < rows->row_count; r++) {
      gap[r] = (double)NAN;
    }
  }
  vida__evaluator_destroy(&evaluator);
  return VIDA_SUCCESS;
}

int vida__check_contacts(VidaCheck* check, VidaError* error) {
  const vida_contacts* contacts = check->system->contacts;
  if (!contacts) {
    return VIDA_SUCCESS;
  }
  VidaSystem* rows = NULL;
  int code = vida__contact_system_create(check->system, &rows, error);
  double* gap = code ? NULL : vida__allocate((size_t)rows->row_count, sizeof *gap);
  if (!code) {
    code = gap ? find_gaps(check, rows, gap, error) : vida__fail_memory(error);
  }
  for (int i = 0; i < contacts->count && !code; i++) {
    describe(check, i, gap[contacts->list[i].first_row]);
  }
  if (contacts->count > MOST_LISTED && !code) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, "contacts", "%d contacts in all", contacts->count);
  }
  code = code ? code : vida__check_slips(check, rows, error);
  free(gap);
  VidaSystem_Destroy(&rows);
  return code;
}
