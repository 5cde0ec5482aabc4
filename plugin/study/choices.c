/* What a user chooses in a comparison, as texts: which choice has changed, where the checksums of
 * fingerprint.c say that one has. */
#include <string.h>

#include "base/text.h"
#include "study/reference/reference.h"
#include "study/study.h"
#include "study/time/time_loop.h"

enum { MOST_RUNS = 200 }; /* with texts */

static void option_value(const VidaOptions* options, int index, char text[VIDA_MESSAGE_SIZE]) {
  text[0] = '\0';
  VidaOptions_Text(options, VidaOptions_Row(options, index)->name, text, VIDA_MESSAGE_SIZE);
}

static void describe_run(const vida_run* run, char text[VIDA_MESSAGE_SIZE]) {
  const char* bare = vida__bare_options(run);
  vida__describe_steps(run->options, text, VIDA_MESSAGE_SIZE);
  vida__append(text, VIDA_MESSAGE_SIZE, "%s%s", bare[0] ? ", " : "", bare);
  if (run->label[0]) {
    vida__append(text, VIDA_MESSAGE_SIZE, " (%s)", run->label);
  }
}

/* The parts of the columns of trajectories; single columns are counted. */
static void describe_columns(const VidaStudy* study, char text[VIDA_MESSAGE_SIZE]) {
  const vida_column_choice* columns = &study->columns;
  for (int part = 0; part < VIDA_PARTS; part++) {
    if (columns->parts & 1U << part) {
      vida__append(text, VIDA_MESSAGE_SIZE, "%s%s", text[0] ? "," : "",
                   Vida_TrajectoryPart(part)->name);
    }
  }
  if (columns->count > 0) {
    vida__append(text, VIDA_MESSAGE_SIZE, "%s%d single", text[0] ? "," : "", columns->count);
  }
}

static void describe_coordinates(const VidaStudy* study, char text[VIDA_MESSAGE_SIZE]) {
  for (int i = 0; i < study->selected; i++) {
    vida__append(text, VIDA_MESSAGE_SIZE, "%s%s", text[0] ? "," : "",
                 VidaSystem_CoordinateName(study->system, study->selection[i]));
  }
}

/* Choice number `index` of a study. Returns false after the last one. */
static bool describe(const VidaStudy* study, int index, char what[VIDA_NAME_SIZE],
                     char text[VIDA_MESSAGE_SIZE]) {
  const int options = VidaOptions_Count(study->options);
  const int runs = study->count < MOST_RUNS ? study->count : MOST_RUNS;
  what[0] = text[0] = '\0';
  if (index < options) {
    if (!vida__is_free_option(VidaOptions_Row(study->options, index)->name)) {
      vida__append(what, VIDA_NAME_SIZE, "%s", VidaOptions_Row(study->options, index)->name);
      option_value(study->options, index, text);
    }
  } else if (index == options) {
    vida__append(what, VIDA_NAME_SIZE, "the label");
    vida__append(text, VIDA_MESSAGE_SIZE, "%s", study->label);
  } else if (index == options + 1) {
    vida__append(what, VIDA_NAME_SIZE, "the reference");
    vida__append(text, VIDA_MESSAGE_SIZE, "%s",
                 !study->reference                  ? "none"
                 : study->reference->candidate >= 0 ? "automatic"
                                                    : study->reference->text);
  } else if (index == options + 2) {
    vida__append(what, VIDA_NAME_SIZE, "the number of runs");
    vida__append(text, VIDA_MESSAGE_SIZE, "%d", study->count);
  } else if (index == options + 3) {
    vida__append(what, VIDA_NAME_SIZE, "the choice of columns");
    describe_columns(study, text);
  } else if (index == options + 4) {
    vida__append(what, VIDA_NAME_SIZE, "the choice of coordinates");
    describe_coordinates(study, text);
  } else if (index - options - 5 < runs) {
    vida__append(what, VIDA_NAME_SIZE, "run %d", index - options - 4);
    describe_run(&study->runs[index - options - 5], text);
  } else {
    return false;
  }
  return true;
}

void vida__put_choices(const VidaStudy* study, vida_record* record) {
  char what[VIDA_NAME_SIZE], text[VIDA_MESSAGE_SIZE];
  int count = 0;
  while (describe(study, count, what, text)) {
    count++;
  }
  vida__put_integer(record, count);
  for (int i = 0; i < count; i++) {
    describe(study, i, what, text);
    vida__put_text(record, what);
    vida__put_text(record, text);
  }
}

bool vida__find_changed_choice(const VidaStudy* study, vida_record* record,
                               vida_changed_choice* changed) {
  char what[VIDA_NAME_SIZE], text[VIDA_MESSAGE_SIZE];
  char there[VIDA_NAME_SIZE], then[VIDA_MESSAGE_SIZE];
  const int64_t count = vida__get_integer(record);
  bool is_found = false;
  for (int64_t i = 0; i < count && !record->too_short; i++) {
    vida__get_text(record, there, sizeof there);
    vida__get_text(record, then, sizeof then);
    const bool is_here = i < MOST_RUNS + 1000 && describe(study, (int)i, what, text);
    if (!is_found && is_here && !record->too_short && strcmp(there, what) == 0 &&
        strcmp(then, text) != 0) {
      is_found = true;
      *changed = (vida_changed_choice){.what = ""};
      vida__append(changed->what, sizeof changed->what, "%s", what);
      vida__append(changed->then, sizeof changed->then, "%.160s", then[0] ? then : "none");
      vida__append(changed->now, sizeof changed->now, "%.160s", text[0] ? text : "none");
    }
  }
  return is_found;
}
