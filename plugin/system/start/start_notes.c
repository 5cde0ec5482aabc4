#include <math.h>

#include "system/start/found.h"
#include "system/start/start_work.h"

const char* vida__residual_text(const VidaSystem* system, vida_start_level which, int row,
                                double value, char text[2 * VIDA_REAL_TEXT_SIZE]) {
  char number[VIDA_REAL_TEXT_SIZE];
  const char* unit = system->rows[row].unit;
  const bool is_rate = which == VIDA_VELOCITIES && !system->rows[row].is_nonholonomic;
  const double l = which == VIDA_POSITIONS ? system->rows[row].length : 0.0;
  const double d = sqrt(fmax(0.0, l * l + 2.0 * l * value));
  value = l > 0.0 ? 2.0 * l * value / (d + l) : value;
  text[0] = '\0';
  vida__append(text, 2 * VIDA_REAL_TEXT_SIZE, "%s%s%s%s", vida__real_text(number, fabs(value), 4),
               *unit || is_rate ? " " : "", is_rate && !*unit ? "1" : unit, is_rate ? "/s" : "");
  return text;
}

typedef struct level_of_start {
  const vida_start_work* work;
  vida_start_level which;
} level_of_start;

static VidaInitial initial_at(const void* data, int i) {
  const level_of_start* of = data;
  return vida__initial_of(of->work, of->which, i);
}

void vida__note_free(const vida_start_work* work, vida_start_level which, const double* x,
                     char* notes) {
  const level_of_start of = {work, which};
  vida__note_found(work->system, which == VIDA_VELOCITIES, initial_at, &of, x, notes);
}

void vida__note_undetermined(const vida_start_work* work, vida_start_level which, int rank,
                             const bool* held, char* notes) {
  int count = 0;
  for (int i = 0; i < work->system->coordinate_count; i++) {
    count += !held[i] && !vida__initial_of(work, which, i).is_default;
  }
  if (rank >= 0 && rank < count) {
    vida__append(notes, VIDA_NOTES_SIZE,
                 "undetermined: the constraints leave %d of %d free %s open; those nearest to the "
                 "guess were taken\n",
                 count - rank, count, which == VIDA_POSITIONS ? "positions" : "velocities");
  }
}
