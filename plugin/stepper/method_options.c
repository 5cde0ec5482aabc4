#include "stepper/method_options.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

const VidaOptionRow vida__common_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL, "Step size; required."},
    VIDA_MAP_ROWS,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaOptionRow vida__linear_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL, "Step size; required."},
    {"linear_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|dense|klu",
     VIDA_LINEAR_SOLVER_HELP("of a step")},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaOptionRow vida__adaptive_options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, true, NULL,
     "Interval between output states; by default comparisons choose it. The method chooses its own "
     "steps."},
    {"rtol", VIDA_OPTION_REAL, "1", 1e-6, 1e-15, 1.0, false, NULL,
     "Relative tolerance of the local error."},
    VIDA_ATOL_ROW("rtol times their size"),
    VIDA_MAX_STEPS_ROW,
    VIDA_LINEAR_SOLVER_ROW,
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaOptionRow vida__event_options[] = {
    {"impact_law", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "wave|newton|poisson",
     "Law of contacts that are hit at one time: wave hits one after the other, equally fast ones "
     "together, newton and poisson all at once, with restitution of their rates or of their "
     "impulses."},
    {"max_modes", VIDA_OPTION_INTEGER, "1", 1000.0, 1.0, 1e9, false, NULL,
     "Largest number of sets of contacts that are closed, stick or slide through which a motion "
     "passes; each has memory of its own."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

bool Vida_IsAdaptive(const VidaOptions* options) {
  return isfinite(VidaOptions_Get(options, "rtol"));
}

vida_solver vida__solver_of(const VidaOptions* options) {
  return VidaOptions_HasChoice(options, "linear_solver", "dense") ? VIDA_SOLVER_DENSE
         : VidaOptions_HasChoice(options, "linear_solver", "klu") ? VIDA_SOLVER_KLU
                                                                  : VIDA_SOLVER_AUTO;
}

bool vida__is_reduced(const VidaOptions* options) {
  return VidaOptions_HasChoice(options, "reduction", "null-space");
}

bool vida__is_kinsol(const VidaOptions* options) {
  return VidaOptions_HasChoice(options, "solver", "kinsol");
}

const char* vida__asked_solver(const VidaOptions* options) {
  return vida__is_kinsol(options)                             ? "kinsol"
         : VidaOptions_HasChoice(options, "solver", "newton") ? "newton"
                                                              : NULL;
}

void vida__option_text(const VidaOptions* options, int index, char* text, size_t size) {
  const char* name = VidaOptions_Row(options, index)->name;
  char value[256];
  text[0] = '\0';
  if (VidaOptions_IsSet(options, name) && strcmp(name, "h") != 0 && strcmp(name, "rtol") != 0) {
    VidaOptions_Text(options, name, value, sizeof value);
    vida__append(text, size, "%s=%s", name, value);
  }
}

void VidaOptions_Describe(const VidaOptions* options, char* text, size_t size) {
  if (!text || size == 0) {
    return;
  }
  text[0] = '\0';
  for (int i = 0; i < VidaOptions_Count(options); i++) {
    char option[VIDA_OPTION_TEXT_SIZE];
    vida__option_text(options, i, option, sizeof option);
    vida__append(text, size, "%s%s", text[0] && option[0] ? " " : "", option);
  }
}
