/* The arguments of vida run. */
#ifndef VIDA_CLI_RUN_ARGUMENTS_H
#define VIDA_CLI_RUN_ARGUMENTS_H

#include "arguments.h"
#include "plot.h"
#include "scenario.h"

typedef enum RunFormat { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_HDF5 } RunFormat;

typedef struct RunArguments {
  CliSandbox sandbox; /* first member */
  const char* script;
  const char* out; /* NULL: nothing is written */
  bool report;
  bool resume, overwrite;
  RunFormat format;
  bool quiet;
  bool plot;
  bool trajectories, hdf5; /* are wished for, in this format */
  const char* columns;     /* of trajectories; NULL: as the script says */
  bool settings_only;
  CliPictures pictures;
  TextList settings;                       /* "name=value" */
  char jobs[32], seed[40], wall_limit[64]; /* three of them */
  TextList only;
} RunArguments;

extern const CliOption cli_run_options[]; /* of RunArguments */
/* Takes SCENARIO.lua. */
bool cli_take_run_script(void* data, const char* value);
/* Returns whether the next argument belongs to this option, whose value is optional. */
bool cli_run_takes_next(const CliOption* option, const char* next);
/* Prints what --columns accepts. Returns the exit code. */
int cli_list_parts(void);
/* Checks that there is what options of trajectories need, and sets the option of comparisons. */
bool cli_check_trajectories(RunArguments* arguments);

#endif
