/* vida check SCENARIO.lua: looks at the model of a scenario before anything is integrated. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "inspect.h"

enum { NAME_WIDTH = 24, KIND_WIDTH = 14, MOST_PARTS = 60 };

/* ---- the report ------------------------------------------------------------------------------ */

static const char* plural(long count) {
  return count == 1 ? "" : "s";
}

static void print_sizes(const VidaSystem* system, VidaCheckNumbers numbers) {
  printf("%s: %d coordinate%s, %d constraint row%s", VidaSystem_Name(system), numbers.coordinates,
         plural(numbers.coordinates), numbers.constraints, plural(numbers.constraints));
  if (numbers.nonholonomic > 0) {
    printf(" (%d nonholonomic)", numbers.nonholonomic);
  }
  if (numbers.rank < 0) {
    printf("\n  degrees of freedom: not known\n");
  } else {
    printf("\n  degrees of freedom: %d = %d coordinates - rank %d of the constraint Jacobian\n",
           numbers.degrees_of_freedom, numbers.coordinates, numbers.rank);
  }
  printf("  entries: %ld in the constraint Jacobian, %ld in the Newton matrix",
         numbers.jacobian_entries, numbers.matrix_entries);
  if (numbers.factor_entries >= 0) {
    char fill[VIDA_REAL_TEXT_SIZE];
    printf(
        ", %ld in its factors (%s times)", numbers.factor_entries,
        vida__real_text(fill, (double)numbers.factor_entries / (double)numbers.matrix_entries, 3));
  }
  printf("\n");
  if (numbers.plan.name) {
    printf("  plan of rattle: %s, %d unknown%s, %ld %s in the Newton matrix\n", numbers.plan.name,
           numbers.plan.unknowns, plural(numbers.plan.unknowns), numbers.plan.entries,
           numbers.plan.entries == 1 ? "entry" : "entries");
  }
}

static void print_constants(const VidaSystem* system, const VidaCheck* check) {
  char number[VIDA_REAL_TEXT_SIZE];
  const VidaCheckNumbers numbers = VidaCheck_Numbers(check);
  bool any = false;
  if (!isnan(numbers.energy) && !numbers.energy_is_constant) {
    printf(
        "  energy at the start: %s; forces, dampers, drives, explicit time or events change it\n",
        vida__real_text(number, numbers.energy, 10));
  }
  printf("  constants at the start:");
  if (!isnan(numbers.energy) && numbers.energy_is_constant) {
    printf(" energy = %s", vida__real_text(number, numbers.energy, 10));
    any = true;
  }
  for (int k = 0; k < VidaSystem_MomentumCount(system); k++) {
    const double value = VidaCheck_Momentum(check, k);
    if (!isnan(value)) {
      printf("%s%s = %s", any ? ", " : " ", VidaSystem_MomentumName(system, k),
             vida__real_text(number, value, 10));
      any = true;
    }
  }
  printf("%s\n", any ? "" : " none");
}

/* Prints the notes of VidaSystem_Start, line by line. */
static void print_notes(const char* notes) {
  while (*notes) {
    const size_t length = strcspn(notes, "\n");
    char line[VIDA_NOTES_SIZE];
    snprintf(line, sizeof line, "%.*s", (int)length, notes);
    printf("  ");
    cli_print_wrapped(stdout, 2, line);
    notes += length + (notes[length] == '\n');
  }
}

static const char* measure_text(char text[VIDA_REAL_TEXT_SIZE], double value) {
  return isnan(value) ? "-" : vida__real_text(text, value, 2);
}

static void print_parts(const VidaCheck* check) {
  const int count = VidaCheck_PartCount(check);
  if (count == 0) {
    return;
  }
  printf("\n%-*s %-*s %9s %6s %9s %9s %9s %9s\n", NAME_WIDTH, "part", KIND_WIDTH, "kind",
         "instances", "width", "1st", "2nd", "discrete", "invariant");
  for (int i = 0; i < count && i < MOST_PARTS; i++) {
    char text[4][VIDA_REAL_TEXT_SIZE];
    const VidaCheckPart* part = VidaCheck_Part(check, i);
    printf("%-*.*s %-*.*s %9d %6d %9s %9s %9s %9s\n", NAME_WIDTH, NAME_WIDTH, part->name,
           KIND_WIDTH, KIND_WIDTH, part->kind, part->instances, part->width,
           measure_text(text[0], part->first), measure_text(text[1], part->second),
           measure_text(text[2], part->discrete), measure_text(text[3], part->equivariance));
  }
  if (count > MOST_PARTS) {
    printf("and %d more\n", count - MOST_PARTS);
  }
  printf(
      "(relative errors: first and second derivatives against difference quotients; "
      "discrete\nderivatives: the discrete chain rule and equivariance; -: nothing to measure)\n");
}

static void print_findings(const VidaCheck* check) {
  static const char* const words[] = {"note", "warning", "error"};
  int count[3] = {0, 0, 0};
  printf("\n");
  for (int severity = VIDA_SEVERITY_ERROR; severity >= VIDA_SEVERITY_NOTE; severity--) {
    for (int i = 0; i < VidaCheck_FindingCount(check); i++) {
      const VidaFinding* finding = VidaCheck_Finding(check, i);
      char line[sizeof finding->subject + sizeof finding->message + 16];
      if ((int)finding->severity != severity) {
        continue;
      }
      count[severity]++;
      snprintf(line, sizeof line, "%s: %s: %s", words[severity], finding->subject,
               finding->message);
      cli_print_wrapped(stdout, 2, line);
    }
  }
  const int errors = count[VIDA_SEVERITY_ERROR];
  const int warnings = count[VIDA_SEVERITY_WARNING];
  printf("%d error%s, %d warning%s\n", errors, plural(errors), warnings, plural(warnings));
}

static bool print_report(const VidaStudy* study, bool* wrong, VidaError* error) {
  VidaCheck* check = NULL;
  const VidaSystem* system = VidaStudy_System(study);
  if (VidaStudy_Check(study, &check, error)) {
    return false;
  }
  print_sizes(system, VidaCheck_Numbers(check));
  print_constants(system, check);
  print_notes(VidaCheck_Notes(check));
  print_parts(check);
  print_findings(check);
  *wrong = *wrong || VidaCheck_Worst(check) == VIDA_SEVERITY_ERROR;
  VidaCheck_Destroy(&check);
  return true;
}

/* ---- the sub-command ------------------------------------------------------------------------- */

static int check_command(const CliCommand* command, int count, char** texts) {
  static const CliInspection inspection = {
      .look = print_report, .defers_start = true, .between = "\n"};
  return cli_inspect(command, count, texts, &inspection);
}

const CliCommand cli_check_command = {
    .name = "check",
    .operand = CLI_VALUE("SCENARIO.lua", CLI_SCRIPT),
    .summary = "Check the model of a scenario: derivatives, degrees of freedom, start.",
    .details =
        "\n"
        "Makes no runs. Compares the derivatives of terms and constraints with difference\n"
        "quotients, computes the rank of the constraints and finds the rows that depend\n"
        "on others, makes the initial values consistent, looks for a method that can start\n"
        "there, tests the symmetries of each term, and compares the slip velocities of\n"
        "contacts with their gaps.\n"
        "The script runs in a sandbox; --trust runs it without.\n"
        "Exit code: 0 no errors (there may be warnings), 1 errors in the model or the\n"
        "script, 2 wrong usage.\n",
    .examples =
        "  vida check scenarios/double_spherical_pendulum.lua\n"
        "  vida check scenarios/chain.lua --set links=100\n",
    .options = cli_inspection_options,
    .take_operand = cli_take_inspected,
    .run = check_command,
};
