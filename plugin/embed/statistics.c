/* The statistics of a stepper in the formats of SUNDIALS. */
#include <vida/sundials.h>

#include "base/error.h"
#include "base/text.h"

enum { NAME_WIDTH = 29 }; /* of tables, as in SUNDIALS */

static void print_text(FILE* file, SUNOutputFormat format, bool is_first, const char* name,
                       const char* value) {
  if (format == SUN_OUTPUTFORMAT_TABLE) {
    fprintf(file, "%-*s = %s\n", NAME_WIDTH, name, value);
  } else {
    fprintf(file, "%s%s,%s", is_first ? "" : ",", name, value);
  }
}

static void print_count(FILE* file, SUNOutputFormat format, const char* name, long value) {
  char text[32];
  snprintf(text, sizeof text, "%ld", value);
  print_text(file, format, false, name, text);
}

int VidaStepper_PrintAllStats(VidaStepper* stepper, FILE* file, SUNOutputFormat format,
                              VidaError* error) {
  if (VIDA_REFUSE_NULL(error, stepper, file)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (format != SUN_OUTPUTFORMAT_TABLE && format != SUN_OUTPUTFORMAT_CSV) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "format %d is neither a table nor CSV",
                      (int)format);
  }
  const VidaStatistics counts = VidaStepper_Statistics(stepper);
  char text[VIDA_REAL_TEXT_SIZE];
  print_text(file, format, true, "Current time",
             vida__real_text(text, VidaStepper_Time(stepper), 17));
  print_text(file, format, false, "Step size",
             vida__real_text(text, VidaStepper_StepSize(stepper), 17));
  print_count(file, format, "Steps", counts.steps);
  print_count(file, format, "Rejected steps", counts.rejected_steps);
  print_count(file, format, "Forced steps", counts.forced_steps);
  print_count(file, format, "Nonlinear iterations", counts.newton_iterations);
  print_count(file, format, "Residual evaluations", counts.residual_evaluations);
  print_count(file, format, "Jacobian evaluations", counts.jacobian_evaluations);
  print_count(file, format, "Matrix factorizations", counts.factorizations);
  print_count(file, format, "Singular passages", counts.singular_passages);
  if (format == SUN_OUTPUTFORMAT_CSV) {
    fprintf(file, "\n");
  }
  return ferror(file) ? vida__fail(error, VIDA_INPUT_OUTPUT, "the statistics cannot be written")
                      : VIDA_SUCCESS;
}
