/* vida advise SCENARIO.lua: which methods suit a system, and which step to begin with. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "commands.h"
#include "inspect.h"
#include "terminal.h"

static void print_heading(const char* text) {
  printf("\n%s%s%s\n", cli_colour(stdout, CLI_BOLD), text, cli_colour(stdout, CLI_PLAIN));
}

static void print_line(const char* format, const char* first, const char* second) {
  char line[VIDA_MESSAGE_SIZE] = "";
  vida__append(line, sizeof line, format, first, second);
  printf("  ");
  cli_print_wrapped(stdout, 4, line);
}

/* ---- the system ------------------------------------------------------------------------------ */

static void print_counts(const VidaSystem* system, const VidaAdvice* advice) {
  char line[VIDA_MESSAGE_SIZE] = "";
  vida__append(line, sizeof line, "%s: %d coordinate%s, %d constraint row%s",
               VidaSystem_Name(system), advice->coordinates, vida__plural(advice->coordinates),
               advice->rows, vida__plural(advice->rows));
  if (advice->degrees_of_freedom >= 0) {
    vida__append(line, sizeof line, ", %d degree%s of freedom", advice->degrees_of_freedom,
                 vida__plural(advice->degrees_of_freedom));
  }
  printf("%s%s%s\n", cli_colour(stdout, CLI_BOLD), line, cli_colour(stdout, CLI_PLAIN));
}

static void print_equations(const VidaAdvice* advice) {
  const int holonomic = advice->rows - advice->nonholonomic;
  const char* kind = holonomic > 0 ? "differential-algebraic, index 3: positions are constrained"
                     : advice->rows > 0
                         ? "differential-algebraic, index 2: only velocities are constrained"
                         : "ordinary differential equations, no constraints";
  print_line("equations: %s%s", kind,
             holonomic > 0 && advice->nonholonomic > 0 ? ", and also velocities" : "");
  if (advice->rows > 0) {
    char number[32] = "";
    vida__append(number, sizeof number, "%d of the rows depend", advice->dependent);
    print_line(
        "constraints: %s%s", advice->dependent > 0 ? number : "independent at the start",
        advice->dependent > 0 ? " on others: the motion is unique, the multipliers are not" : "");
  }
}

static void print_terms(const VidaAdvice* advice) {
  static const char* const dependences[] = {
      "constant near the start, in a general Lagrangian", /* no bit is set */
      "depends on positions, M(q)",
      "depends on rates, M(v)",
      "depends on positions and rates, M(q,v)",
      "depends on time, M(t)",
      "depends on positions and time, M(q,t)",
      "depends on rates and time, M(v,t)",
      "depends on positions, rates and time, M(q,v,t)"};
  const int depends = (advice->moving_mass ? 1 : 0) + (advice->mass_of_rates ? 2 : 0) +
                      (advice->mass_of_time ? 4 : 0);
  const char* mass = !advice->constant_mass  ? dependences[depends]
                     : advice->diagonal_mass ? "constant, diagonal"
                                             : "constant, not diagonal";
  print_line("mass matrix: %s%s", mass,
             advice->singular_mass ? ", singular: some rates have no kinetic energy" : "");
  if (advice->general) {
    print_line("general Lagrangian: '%s'%s", advice->general, "");
  }
  print_line("forces: %s%s", advice->forces ? "generalized forces" : "from the Lagrangian only",
             advice->damped ? ", which depend on velocities: the energy is not conserved" : "");
  if (advice->driven) {
    print_line("time: %s%s", "constraints depend on time, which also limits the step", "");
  }
}

/* ---- contacts and events --------------------------------------------------------------------- */

static bool is_good(const VidaTrial* trial) {
  return trial && trial->accepted && trial->code == VIDA_SUCCESS;
}

static void append_count(char* text, size_t size, int count, const char* name) {
  if (count > 0) {
    vida__append(text, size, "%s%d %s%s", text[0] ? ", " : "", count, name, vida__plural(count));
  }
}

static void print_time_stepping(const VidaAdvice* advice) {
  char text[VIDA_MESSAGE_SIZE] = "";
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    if (is_good(trial) && trial->time_stepping) {
      vida__append(text, sizeof text, "%s%s (order %d)", text[0] ? ", " : "", trial->method->name,
                   trial->order);
    }
  }
  if (text[0]) {
    print_line("time stepping, for any number of impacts in a step: %s%s", text, "");
  }
}

static void print_contacts(const VidaAdvice* advice) {
  char text[VIDA_MESSAGE_SIZE] = "", number[64] = "";
  int count = 0, most = 0, steps = 0;
  append_count(text, sizeof text, advice->contacts, "contact");
  append_count(text, sizeof text, advice->couplings, "coupling");
  append_count(text, sizeof text, advice->events, "declared event");
  if (!text[0]) {
    return;
  }
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    const bool is_event_driven = is_good(trial) && !trial->time_stepping;
    count += is_event_driven;
    if (is_event_driven && trial->events >= most) {
      most = trial->events;
      steps = trial->steps;
    }
  }
  print_heading("contacts and events");
  print_line("%s%s", text, "");
  vida__append(number, sizeof number, "%d method%s", count, vida__plural(count));
  print_line("event-driven: %s, which end a step at each event and keep their order across it%s",
             number, "");
  if (advice->contacts > 0) {
    print_time_stepping(advice);
  }
  if (steps > 1) {
    text[0] = '\0';
    vida__append(text, sizeof text, "%d step%s: %d event%s", steps, vida__plural(steps), most,
                 vida__plural(most));
    print_line("%s%s", text, "");
  }
  if (advice->contacts > 0 && (count > 0 || advice->prefers_time_stepping)) {
    print_line(
        "prefer %s%s", advice->prefers_time_stepping ? "time stepping: " : "events: ",
        !advice->prefers_time_stepping
            ? "with as many steps their errors are smaller, and elastic impacts keep the energy"
        : count > 0 ? "most steps have events, each of which costs as much as many steps"
                    : "no event-driven method has taken it");
  }
}

/* ---- rates ----------------------------------------------------------------------------------- */

static void print_rate(const char* name, double rate, const char* remark, const char* coordinate) {
  char number[VIDA_REAL_TEXT_SIZE], text[128] = "";
  if (rate > 0.0) {
    vida__append(text, sizeof text, "%s: %s /s", name, vida__real_text(number, rate, 3));
    print_line("%s%s", text, "");
    if (remark[0] || coordinate[0]) {
      printf("    ");
      char line[VIDA_MESSAGE_SIZE] = "";
      vida__append(line, sizeof line, "%s%s%s", remark, remark[0] && coordinate[0] ? ", " : "",
                   coordinate);
      cli_print_wrapped(stdout, 4, line);
    }
  }
}

static void print_rates(const VidaSystem* system, const VidaAdvice* advice) {
  const VidaRates* rates = &advice->rates;
  char coordinate[VIDA_NAME_SIZE + 16] = "", text[VIDA_MESSAGE_SIZE] = "";
  char number[4][VIDA_REAL_TEXT_SIZE];
  if (rates->coordinate >= 0) {
    vida__append(coordinate, sizeof coordinate, "most of it in '%s'",
                 VidaSystem_CoordinateName(system, rates->coordinate));
  }
  print_heading("rates of motion at the start");
  print_rate(rates->growing ? "growing" : "oscillation", rates->stiffness,
             rates->growing ? "neighbouring motions diverge at this rate" : "the stiffest one",
             coordinate);
  print_rate("damping", rates->damping, "", "");
  print_rate("rotation", rates->rotation, "velocity over radius", "");
  print_rate("rotation from rest", rates->rotation_from_rest, "of the motion after a release", "");
  print_rate("angles", rates->angles, "", "");
  if (!(rates->largest > 0.0)) {
    print_line("%s%s", "not known: the suggested step is a fraction of the time", "");
  }
  print_heading("suggested step");
  vida__append(text, sizeof text, "h = %s s", vida__shortest_text(number[0], advice->step));
  if (rates->largest > 0.0) {
    const double period = 6.283185307179586 / rates->largest;
    vida__append(text, sizeof text, ": %s steps to 2 pi / %s = %s s",
                 vida__real_text(number[1], period / advice->step, 3),
                 vida__real_text(number[2], rates->largest, 3),
                 vida__real_text(number[3], period, 3));
  }
  print_line("%s%s", text,
             "; halve it until the results do not change. Faster motion later in the run needs a "
             "smaller step");
}

/* ---- methods --------------------------------------------------------------------------------- */

typedef struct Purpose {
  const char* text;
  const char* methods[8]; /* the first that took the step; ends with NULL */
} Purpose;

/* Backed by what 'vida audit' measures: what each keeps, and its order. */
enum { PURPOSE_LONG, PURPOSE_ENERGY, PURPOSE_DIGITS, PURPOSE_TOLERANCE, PURPOSES };
static const Purpose purposes[PURPOSES] = {
    {"long times (symplectic form and momenta preserved, energy bounded)",
     {"verlet", "rattle", "lgvi", "del-nonholonomic", "del-midpoint", "implicit-midpoint", NULL}},
    {"the energy exactly",
     {"energy-momentum-ggl", "energy-momentum", "simo-wong", "average-vector-field", NULL}},
    {"many digits",
     {"spark-lobatto", "spark-nonholonomic", "galerkin-gauss", "compose", "radau", NULL}},
    {"a tolerance instead of a step", {"radau", "ida-ggl", "ida-index1", "stabilized-ode", NULL}},
};

/* Motion that is damped faster than anything else moves needs methods with damping. */
static const Purpose stiff_purpose = {"stiff damping", {"radau", "ida-ggl", "ida-index1", NULL}};

static const Purpose stepping_purpose = {"many contacts", {"moreau-jean", "spook", NULL}};

static const VidaTrial* find_trial(const VidaAdvice* advice, const char* name) {
  for (int i = 0; i < advice->trial_count; i++) {
    if (strcmp(advice->trials[i].method->name, name) == 0) {
      return &advice->trials[i];
    }
  }
  return NULL;
}

static void print_purpose(const VidaAdvice* advice, const Purpose* purpose) {
  for (int i = 0; purpose->methods[i]; i++) {
    if (is_good(find_trial(advice, purpose->methods[i]))) {
      print_line("%s: %s", purpose->text, purpose->methods[i]);
      return;
    }
  }
}

/* Returns whether motion is damped faster than anything else moves. */
static bool is_stiffly_damped(const VidaRates* rates) {
  return rates->damping >
         20.0 * fmax(fmax(rates->stiffness, rates->rotation), rates->rotation_from_rest);
}

static void print_suggestions(const VidaAdvice* advice) {
  print_heading("suggestions");
  if (advice->prefers_time_stepping) {
    print_purpose(advice, &stepping_purpose);
  }
  if (is_stiffly_damped(&advice->rates)) {
    print_purpose(advice, &stiff_purpose);
  }
  const VidaMethodInfo* digits = advice->recommended[VIDA_KEEP_ANYTHING][2].best.method;
  for (int i = 0; i < PURPOSES; i++) {
    if (i == PURPOSE_DIGITS && digits && !is_stiffly_damped(&advice->rates)) {
      print_line("%s: %s, judged by similar systems", purposes[i].text, digits->name);
    } else if (i != PURPOSE_ENERGY || !(advice->damped || advice->driven)) {
      print_purpose(advice, &purposes[i]);
    } /* a system that does not conserve its energy has no method for the exact energy */
  }
}

/* ---- the atlas ------------------------------------------------------------------------------- */

/* "compose scheme=kahan-li8". */
static void append_measured(char* text, size_t size, const VidaMeasured* measured) {
  vida__append(text, size, "%s%s%s%s", measured->method->name, measured->options[0] ? " " : "",
               measured->options, measured->adaptive ? " with rtol" : "");
}

/* The method, what to begin with, and the evidence: its run on a system of the atlas, and those of
 * the next methods there. */
static void print_recommendation(const char* heading, const VidaRecommendation* given) {
  char item[64] = "", text[VIDA_MESSAGE_SIZE] = "", number[VIDA_REAL_TEXT_SIZE];
  vida__append(item, sizeof item, heading, vida__real_text(number, given->error, 1));
  append_measured(text, sizeof text, &given->best);
  if (given->setting > 0.0) {
    vida__append(text, sizeof text, "%s = %s%s", given->best.adaptive ? "" : " with h",
                 vida__real_text(number, given->setting, 1), given->best.adaptive ? "" : " s");
  }
  vida__append(text, sizeof text, "; on '%s' it took %s ms", given->system,
               vida__real_text(number, 1e3 * given->best.seconds, 2));
  for (int i = 0; i < given->rival_count; i++) {
    vida__append(text, sizeof text, i ? ", " : "; others: ");
    append_measured(text, sizeof text, &given->rivals[i]);
    vida__append(text, sizeof text, " (%s)",
                 vida__real_text(number, 1e3 * given->rivals[i].seconds, 2));
  }
  print_line("%s: %s", item, text);
}

static void print_unmeasured(const VidaAdvice* advice) {
  char text[VIDA_MESSAGE_SIZE] = "";
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    if (is_good(trial) && !trial->in_atlas) {
      vida__append(text, sizeof text, "%s%s", text[0] ? ", " : "", trial->method->name);
    }
  }
  if (text[0]) {
    print_line("not measured yet: %s%s", text, " (scenarios/atlas/measure.lua measures them)");
  }
}

static void print_recommendations(const VidaAdvice* advice) {
  static const char* const headings[VIDA_KEEPS] = {"error %s", "error %s with the symplectic form",
                                                   "error %s with the exact energy"};
  const VidaRecommendation* first = &advice->recommended[VIDA_KEEP_ANYTHING][0];
  if (!first->best.method || is_stiffly_damped(&advice->rates)) {
    return; /* no system of the atlas is like it */
  }
  char heading[VIDA_MESSAGE_SIZE] = "";
  vida__append(heading, sizeof heading,
               "cheapest in the mean of similar systems (the atlas of the guide); nearest: '%s'",
               advice->nearest);
  print_heading(heading);
  for (int keep = 0; keep < VIDA_KEEPS; keep++) {
    for (int e = 0; e < VIDA_ATLAS_ERRORS; e++) {
      const VidaRecommendation* given = &advice->recommended[keep][e];
      if (given->best.method && (keep == VIDA_KEEP_ANYTHING || e == 1)) {
        print_recommendation(headings[keep], given);
      }
    }
  }
  print_unmeasured(advice);
  print_line(
      "%s%s", "errors are relative to the largest displacement, times CPU times of whole runs ",
      "on the machine of the atlas: only their ratios matter. On a single system another method "
      "may be cheaper. See the page of the atlas in the guide");
}

static void print_methods(const VidaAdvice* advice) {
  char heading[128] = "", number[VIDA_REAL_TEXT_SIZE];
  if (advice->tried) {
    vida__append(heading, sizeof heading, "methods that accept it, tried with steps of %s s",
                 vida__shortest_text(number, advice->step));
  } else {
    vida__append(heading, sizeof heading,
                 "methods that accept it (not tried: the system is too large)");
  }
  print_heading(heading);
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    if (trial->accepted) {
      char text[2 * VIDA_MESSAGE_SIZE] = "";
      if (trial->code) {
        vida__append(text, sizeof text, "the step failed: %s", trial->error.message);
      } else if (trial->adaptive) {
        vida__append(text, sizeof text, "chooses its own steps");
      } else {
        vida__append(text, sizeof text, "order %d", trial->order);
      }
      if (!trial->code && advice->contacts > 0) {
        vida__append(text, sizeof text, "%s",
                     trial->time_stepping ? ", by time stepping" : ", by events");
      }
      cli_print_item(stdout, trial->method->name, text);
    }
  }
  print_heading("methods that do not accept it, and why");
  for (int i = 0; i < advice->trial_count; i++) {
    const VidaTrial* trial = &advice->trials[i];
    if (!trial->accepted) {
      cli_print_item(stdout, trial->method->name, trial->error.message);
    }
  }
}

static bool print_advice(const VidaStudy* study, bool* wrong, VidaError* error) {
  (void)wrong; /* advice finds no faults */
  VidaAdvice* advice = NULL;
  const VidaSystem* system = VidaStudy_System(study);
  if (VidaStudy_Advise(study, &advice, error)) {
    return false;
  }
  print_counts(system, advice);
  print_equations(advice);
  print_terms(advice);
  print_rates(system, advice);
  print_contacts(advice);
  print_suggestions(advice);
  print_recommendations(advice);
  print_methods(advice);
  VidaAdvice_Destroy(&advice);
  return true;
}

/* ---- the sub-command ------------------------------------------------------------------------- */

static int advise_command(const CliCommand* command, int count, char** texts) {
  static const CliInspection inspection = {.look = print_advice, .between = "\n\n"};
  return cli_inspect(command, count, texts, &inspection);
}

const CliCommand cli_advise_command = {
    .name = "advise",
    .operand = CLI_VALUE("SCENARIO.lua", CLI_SCRIPT),
    .summary = "List the methods that suit the system of a scenario, and suggest a step.",
    .details =
        "Examines the equations (index, redundancy, mass matrix, forces) and the rates of\n"
        "motion at the start: the stiffest oscillation along the constraints, damping,\n"
        "and the rate at which constraints turn. Suggests a step of one fiftieth of the\n"
        "shortest period. Names the methods that reach errors of 1e-3, 1e-6 and 1e-9 for\n"
        "the least work on similar systems of the atlas, with the evidence. In systems of\n"
        "up to 500 unknowns every method makes one such step, or 100 in small systems with\n"
        "contacts or events; methods that do not accept the system, a contact at rest,\n"
        "sliding or sticking, or a coupling are listed with the reason.\n"
        "The script runs in a sandbox; --trust runs it without.\n"
        "Exit code: 0 success, 1 the script failed, 2 wrong usage.\n",
    .examples =
        "  vida advise scenarios/double_spherical_pendulum.lua\n"
        "  vida advise scenarios/chain.lua --set links=20\n",
    .options = cli_inspection_options,
    .take_operand = cli_take_inspected,
    .run = advise_command,
};
