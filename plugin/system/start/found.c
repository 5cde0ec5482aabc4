#include "system/start/found.h"

#include <math.h>

#include "base/text.h"

enum { MOST_NAMED = 20, FEW_FREE = 6 };

/* If there are few free values, all are reported; otherwise those that are not 0. */
static bool is_reported(VidaInitial initial, double x, int total) {
  const double guess = initial.value;
  if (initial.is_default) {
    return x != guess;
  }
  return total <= FEW_FREE || x != 0.0 || (isfinite(guess) && guess != x);
}

void vida__note_found(const VidaSystem* system, bool is_rate, vida_initial_getter* get,
                      const void* data, const double* x, char* notes) {
  char number[VIDA_REAL_TEXT_SIZE];
  int named = 0, told = 0, total = 0, defaults = 0;
  for (int i = 0; i < system->coordinate_count; i++) {
    const VidaInitial initial = get(data, i);
    total += initial.free && !initial.is_default;
  }
  for (int i = 0; i < system->coordinate_count; i++) {
    const VidaInitial initial = get(data, i);
    if (!initial.free || !is_reported(initial, x[i], total)) {
      continue;
    }
    told++;
    defaults += initial.is_default;
    if (named < MOST_NAMED) {
      const double guess = initial.value;
      vida__append(notes, VIDA_NOTES_SIZE, "%s%s%s%s = %s",
                   named ? ", " : "found: ", is_rate ? "d " : "", system->coordinates[i].name,
                   is_rate ? "/dt" : "", vida__real_text(number, x[i], 10));
      if (initial.is_default) {
        vida__append(notes, VIDA_NOTES_SIZE, " (not given)");
      } else if (isfinite(guess) && guess != x[i]) {
        vida__append(notes, VIDA_NOTES_SIZE, " (near %s)", vida__real_text(number, guess, 6));
      }
      named++;
    }
  }
  if (told > named) {
    vida__append(notes, VIDA_NOTES_SIZE, " and %d more", told - named);
  }
  const int zeros = total - (told - defaults);
  if (zeros > 0) {
    vida__append(notes, VIDA_NOTES_SIZE, "%s%d %s%s of 0", told > 0 ? "; and " : "found: ", zeros,
                 is_rate ? "rate" : "value", vida__plural(zeros));
  }
  if (told + zeros > 0) {
    vida__append(notes, VIDA_NOTES_SIZE, "\n");
  }
}
