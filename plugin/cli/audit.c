/* vida audit [METHOD]: measures the claims of methods. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <vida/audit.h>
#include <vida/vida.h>

#include "binding.h"
#include "commands.h"

enum { MOST_SYSTEMS = 32, MOST_OPTIONS = 32 };

typedef int (*AuditReport)(const VidaAudit* audit, FILE* file, VidaError* error);
static const char* const format_names[] = {"table", "csv", "json", "markdown", NULL};
static const AuditReport reports[] = {VidaReport_AuditTable, VidaReport_AuditCsv,
                                      VidaReport_AuditJson, VidaReport_AuditMarkdown};

typedef struct AuditArguments {
  const VidaMethodInfo* method; /* NULL: all */
  const char* systems[MOST_SYSTEMS + 1];
  int system_count;
  const char* options[MOST_OPTIONS]; /* "NAME=VALUE" */
  int option_count;
  bool thorough;
  int format;
} AuditArguments;

static bool take_method(void* data, const char* value) {
  AuditArguments* arguments = data;
  if (arguments->method) {
    return cli_usage_error("audit", "expected one method, got '%s' and '%s'",
                           arguments->method->name, value);
  }
  arguments->method = Vida_FindMethod(value);
  return arguments->method ? true : cli_unknown_method_error("audit", value);
}

static bool take_system(void* data, const char* value) {
  AuditArguments* arguments = data;
  const char* names[MOST_SYSTEMS + 1];
  char suggestion[80];
  int count = 0;
  for (; count < MOST_SYSTEMS && VidaAudit_SystemName(count); count++) {
    names[count] = VidaAudit_SystemName(count);
    if (strcmp(names[count], value) == 0) {
      if (arguments->system_count < MOST_SYSTEMS) {
        arguments->systems[arguments->system_count++] = value;
      }
      return true;
    }
  }
  names[count] = NULL;
  return cli_usage_error("audit", "unknown system '%s'%s", value,
                         cli_suggestion(suggestion, sizeof suggestion, value, names));
}

static bool take_option(void* data, const char* value) {
  AuditArguments* arguments = data;
  const char* equals = strchr(value, '=');
  if (!equals || equals == value || equals - value >= VIDA_NAME_SIZE) {
    return cli_usage_error("audit", "--option: expected NAME=VALUE, got '%s'", value);
  }
  if (arguments->option_count == MOST_OPTIONS) {
    return cli_usage_error("audit", "--option: at most %d", MOST_OPTIONS);
  }
  arguments->options[arguments->option_count++] = value;
  return true;
}

static bool take_long(void* data, const char* value) {
  (void)value;
  ((AuditArguments*)data)->thorough = true;
  return true;
}

static bool take_format(void* data, const char* value) {
  return cli_take_choice("audit", "--format: ", value, format_names,
                         &((AuditArguments*)data)->format);
}

/* ---- interruption ---------------------------------------------------------------------------- */

static volatile sig_atomic_t received;

/* The next one ends the program at once. */
static void on_signal(int signal_number) {
  received = signal_number;
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
}

static int ask(void* data) {
  (void)data;
  return received;
}

/* Sets the options of --option. */
static int set_options(const AuditArguments* wishes, VidaOptions* options, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < wishes->option_count && !code; i++) {
    char name[VIDA_NAME_SIZE];
    const char* equals = strchr(wishes->options[i], '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - wishes->options[i]), wishes->options[i]);
    code = VidaOptions_SetText(options, name, equals + 1, error);
  }
  return code ? code : VidaOptions_Check(options, error);
}

/* Audits a method with the options of --option. *is_taken tells whether it has them; of all methods
 * those that do not are left out. */
static int audit_method(const AuditArguments* wishes, const VidaMethodInfo* method,
                        VidaAudit* audit, bool* is_taken, VidaError* error) {
  VidaOptions* options = NULL;
  *is_taken = true;
  if (wishes->option_count == 0) {
    return VidaAudit_Method(audit, method, error);
  }
  int code = VidaOptions_Create(method->name, &options, error);
  const int wrong = code ? code : set_options(wishes, options, error);
  *is_taken = !wrong;
  code = wrong ? wrong : VidaAudit_Options(audit, options, error);
  VidaOptions_Destroy(&options);
  return code;
}

static int make_audit(const AuditArguments* wishes, VidaAudit* audit, VidaError* error) {
  int code = VidaAudit_SetInterrupt(audit, ask, NULL, error);
  signal(SIGINT, on_signal);
  signal(SIGTERM, on_signal);
  for (int i = 0; i < wishes->system_count && !code; i++) {
    code = VidaAudit_SelectSystem(audit, wishes->systems[i], error);
  }
  int refused = VIDA_SUCCESS;
  int taken = 0;
  for (int i = 0; i < Vida_MethodCount() && !code; i++) {
    const VidaMethodInfo* method = Vida_MethodInfo(i);
    bool is_taken = false;
    if (!wishes->method || wishes->method == method) {
      code = audit_method(wishes, method, audit, &is_taken, error);
      taken += is_taken;
    }
    if (code && !is_taken) {
      refused = code;
      code = VIDA_SUCCESS;
    }
  }
  if (taken == 0 && refused) {
    code = refused;
    if (!wishes->method) {
      snprintf(error->message, sizeof error->message, "no method has the options of --option");
    }
  }
  if (code && code != VIDA_STOPPED) {
    return code;
  }
  VidaError problem;
  const int printed = reports[wishes->format](audit, stdout, &problem);
  if (printed) {
    *error = problem;
  }
  return printed ? printed : code;
}

static int run_audit(const CliCommand* command, int count, char** arguments) {
  AuditArguments wishes = {0};
  VidaAudit* audit = NULL;
  VidaError error = {0};
  const CliParsed parsed = cli_parse(command, count, arguments, &wishes);
  if (parsed != CLI_GO_ON) {
    return parsed == CLI_WRONG ? EXIT_USAGE : EXIT_OK;
  }
  int code = VidaAudit_Create(wishes.thorough, &audit, &error);
  code = code ? code : make_audit(&wishes, audit, &error);
  if (code) {
    fprintf(stderr, "vida: %s\n", error.message);
  }
  const int exit_code = code == VIDA_STOPPED                       ? EXIT_SIGNAL + received
                        : code || VidaAudit_FalseClaims(audit) > 0 ? EXIT_FAILED
                                                                   : EXIT_OK;
  VidaAudit_Destroy(&audit);
  return exit_code;
}

static const CliOption audit_options[] = {
    {"--system", CLI_VALUE("NAME", CLI_OTHER), "audit only on this system; may be repeated",
     take_system},
    {"--option", CLI_VALUE("NAME=VALUE", CLI_OTHER),
     "set an option of the method, or audit all methods that have it; may be repeated",
     take_option},
    {"--long", NULL,
     "monitor conserved quantities over 100000 steps instead of 4000, and follow errors of high "
     "orders down to rounding",
     take_long},
    {"--format", CLI_CHOICE("table|csv|json|markdown", format_names),
     "format of the results, by default a table", take_format},
    {NULL, NULL, NULL, NULL}};

const CliCommand cli_audit_command = {
    .name = "audit",
    .operand = CLI_VALUE("[METHOD]", CLI_METHOD | CLI_OPTIONAL),
    .summary = "Measure what methods claim: order, energy, momenta, symplectic form, constraints.",
    .details =
        "Runs each method, or only the named one, with its default options or those of\n"
        "--option on each system of a table: pendulum, double spherical pendulum, four\n"
        "particles, heavy top, rigid body, two-link arm, spring pendulum,\n"
        "duffing oscillator, kepler, knife edge, damped oscillator, driven pendulum, and,\n"
        "with events, pendulum with a stop, colliding discs, body with a stop, clutch,\n"
        "block with friction. Fits orders, with 95 % confidence, to errors against a\n"
        "closed form or an extrapolation method of order 12. If a measurement contradicts\n"
        "a claim (see 'vida methods NAME'), the exit code is 1. A claim that errors neither\n"
        "confirm nor contradict is listed as not measured, with the reason, and so are\n"
        "methods that do not accept a system, a contact of it that closes, or a coupling.\n",
    .examples =
        "  vida audit\n"
        "  vida audit rattle --system 'double spherical pendulum' --long\n"
        "  vida audit energy-collocation --option stages=4\n"
        "  vida audit --option plan=general\n"
        "  vida audit --format markdown\n",
    .options = audit_options,
    .take_operand = take_method,
    .run = run_audit,
};
