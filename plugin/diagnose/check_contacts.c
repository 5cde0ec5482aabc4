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
  if (gap < -rounding_of(check)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, name, "its gap is negative at the start: %s m",
                     vida__real_text(numbers[0], gap, 6));
  } else if (contact < MOST_LISTED) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, name,
                     "contact: gap %s m, restitution %s, friction %s",
                     vida__real_text(numbers[0], gap, 6), vida__real_text(numbers[1], e, 6),
                     vida__real_text(numbers[2], mu, 6));
  }
}

/* Computes all gaps at the start. */
static int find_gaps(VidaCheck* check, const VidaSystem* closed, double* gap, VidaError* error) {
  vida_evaluator evaluator;
  int code = vida__evaluator_create(closed, &evaluator, error);
  if (code) {
    return code;
  }
  if (vida__constraints(&evaluator, check->t, check->q, NULL, gap)) {
    vida__check_find(check, VIDA_SEVERITY_ERROR, "contacts", "the gaps cannot be evaluated: %s",
                     evaluator.error.message);
    for (int r = 0; r < closed->row_count; r++) {
      gap[r] = (double)NAN;
    }
  }
  vida__evaluator_destroy(&evaluator);
  return VIDA_SUCCESS;
}

int vida__check_contacts(VidaCheck* check, VidaError* error) {
  const int count = VidaSystem_ContactCount(check->system);
  if (count == 0) {
    return VIDA_SUCCESS;
  }
  VidaSystem* closed = NULL;
  unsigned char* flags = vida__allocate((size_t)count, sizeof *flags);
  int* row = vida__allocate((size_t)count, sizeof *row);
  int code = flags && row ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int i = 0; i < count && !code; i++) {
    flags[i] = VIDA_CONTACT_NORMAL;
  }
  code = code ? code : vida__variant_create(check->system, flags, &closed, row, error);
  double* gap = code ? NULL : vida__allocate((size_t)closed->row_count, sizeof *gap);
  if (!code) {
    code = gap ? find_gaps(check, closed, gap, error) : vida__fail_memory(error);
  }
  for (int i = 0; i < count && !code; i++) {
    describe(check, i, gap[row[i]]);
  }
  if (count > MOST_LISTED && !code) {
    vida__check_find(check, VIDA_SEVERITY_NOTE, "contacts", "%d contacts in all", count);
  }
  free(gap);
  free(flags);
  free(row);
  VidaSystem_Destroy(&closed);
  return code;
}
