/* vida watch DIR: the progress of a study that another process is running. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vida/vida.h>

#include "binding.h"
#include "commands.h"
#include "scenario.h"

typedef struct WatchArguments {
  const char* folder;
  bool once;
} WatchArguments;

/* Seconds after which a process that cannot be asked (on another machine) may have died. */
#define SECONDS_OF_SILENCE 60.0

static bool take_folder(void* data, const char* value) {
  WatchArguments* arguments = data;
  if (arguments->folder) {
    return cli_usage_error("watch", "one folder at a time, got '%s' and '%s'", arguments->folder,
                           value);
  }
  arguments->folder = value;
  return value[0] ? true : cli_usage_error("watch", "the name of a folder is empty");
}

static bool take_once(void* data, const char* value) {
  (void)value;
  ((WatchArguments*)data)->once = true;
  return true;
}

static void print_progress(const VidaProgress* at, bool on_terminal) {
  char left[48], line[512], part[64] = "", rest[64] = "", rate[64] = "";
  if (at->studies > 1) {
    snprintf(part, sizeof part, "comparison %d of %d: ", at->study, at->studies);
  }
  if (isfinite(at->left)) {
    vidalua_describe_seconds(left, sizeof left, at->left);
    snprintf(rest, sizeof rest, ", %s left", left);
  }
  if (at->rate > 0.0) {
    snprintf(rate, sizeof rate, ", %.3g runs/s", at->rate);
  }
  snprintf(line, sizeof line, "%s%d of %d runs, %.0f %%%s%s; %s", part, at->finished, at->runs,
           isfinite(at->fraction) ? 100.0 * at->fraction : 0.0, rest, rate, at->what);
  printf(on_terminal ? "\r\033[K%s" : "%s\n", line);
  fflush(stdout);
}

/* Returns whether the process has died; only known on its own machine. */
static bool is_dead(const VidaProgress* at) {
  return kill((pid_t)at->process, 0) != 0 && errno == ESRCH;
}

/* A study that is not running is complete, or can go on. */
static int end_watch(const char* folder, const char* message) {
  if (VidaReport_IsUnfinished(folder)) {
    printf("'%s' holds an unfinished study; 'vida run SCENARIO.lua --out %s --resume' goes on\n",
           folder, folder);
    return EXIT_FAILED;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/comparison.csv", folder);
  if (access(path, F_OK) == 0) {
    printf("'%s' holds the results of a complete study\n", folder);
    return EXIT_OK;
  }
  fprintf(stderr, "vida: %s\n", message);
  return EXIT_FAILED;
}

static int watch(const WatchArguments* arguments) {
  const bool on_terminal = isatty(STDOUT_FILENO) && !arguments->once;
  bool was_running = false;
  for (;;) {
    VidaProgress at;
    VidaError error;
    const int code = VidaReport_ReadProgress(arguments->folder, &at, &error);
    if (code || is_dead(&at)) {
      printf("%s", was_running && on_terminal ? "\r\033[K" : "");
      if (code && strcmp(error.flag, "NOT_RUNNING") != 0) {
        fprintf(stderr, "vida: %s\n", error.message);
        return EXIT_FAILED;
      }
      if (!code) {
        printf("process %ld has ended before its study\n", at.process);
      }
      return end_watch(arguments->folder, code ? error.message : "it left no results");
    }
    print_progress(&at, on_terminal);
    if (at.age > SECONDS_OF_SILENCE) {
      printf("%sno news for %.0f s\n", on_terminal ? "\n" : "", at.age);
    }
    was_running = true;
    if (arguments->once) {
      return EXIT_OK;
    }
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
  }
}

static int watch_command(const CliCommand* command, int count, char** texts) {
  WatchArguments arguments = {0};
  const CliParsed parsed = cli_parse(command, count, texts, &arguments);
  if (parsed == CLI_HELP_SHOWN) {
    return EXIT_OK;
  }
  if (parsed == CLI_GO_ON && arguments.folder) {
    return watch(&arguments);
  }
  if (parsed == CLI_GO_ON) {
    cli_usage_error(command->name, "the name of a folder is missing");
  }
  return EXIT_USAGE;
}

static const CliOption watch_options[] = {
    {"--once", NULL, "print the progress once and end", take_once}, {NULL, NULL, NULL, NULL}};

const CliCommand cli_watch_command = {
    .name = "watch",
    .operand = CLI_VALUE("DIR", CLI_FOLDER),
    .summary = "Show the progress of a 'vida run --out DIR' in another terminal.",
    .details =
        "\nReads DIR/progress.txt every second, until the study ends or its process dies.\n"
        "Exit code: 0 the study is complete (with --once: or running), 1 it is not, 2 wrong\n"
        "usage.\n",
    .examples = "  vida run scenarios/work_precision.lua --out results &\n  vida watch results\n",
    .options = watch_options,
    .take_operand = take_folder,
    .run = watch_command,
};
