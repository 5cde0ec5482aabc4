/* Loads vida_mpi.so under mpirun and srun, and only there. */
#include "ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vida/version.h>

#include "commands.h"

#define MODULE "vida_mpi.so"
#ifndef VIDA_MPI_BELOW
#define VIDA_MPI_BELOW "lib/vida" /* of the installation */
#endif

enum { PATH_SIZE = 4096 };

/* Of the process: MPI can begin only once. */
static const CliMpi* mpi;
static VidaRanks processes;

static long number_in(const char* variable) {
  const char* text = getenv(variable);
  return text ? strtol(text, NULL, 10) : 0;
}

/* Returns the number of processes that were started together, as Open MPI, MPICH and Slurm tell. A
 * job of Slurm that starts a single process has no PMI. */
static long count_processes(void) {
  const long open_mpi = number_in("OMPI_COMM_WORLD_SIZE"), mpich = number_in("PMI_SIZE");
  const bool has_pmi = getenv("PMIX_RANK") || getenv("PMI_RANK");
  const long slurm = has_pmi ? number_in("SLURM_STEP_NUM_TASKS") : 0;
  const long most = open_mpi > mpich ? open_mpi : mpich;
  return most > slurm ? most : slurm;
}

/* The module is beside the command, or where it was installed. */
static void* load_module(char* reason, size_t size) {
  static const char* const places[] = {"", "../" VIDA_MPI_BELOW "/"};
  char path[PATH_SIZE], command[PATH_SIZE];
  const ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
  command[length > 0 ? length : 0] = '\0';
  char* end = strrchr(command, '/');
  void* module = NULL;
  for (size_t i = 0; i < sizeof places / sizeof places[0] && end && !module; i++) {
    end[1] = '\0';
    const int written = snprintf(path, sizeof path, "%s%s" MODULE, command, places[i]);
    if (written > 0 && written < PATH_SIZE && access(path, R_OK) == 0) {
      module = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* MPI loads parts that need its names */
      snprintf(reason, size, "%s", module ? "" : dlerror());
    }
  }
  return module;
}

bool cli_begin_ranks(const char* command, const VidaRanks** ranks) {
  char reason[512] = "this vida was built without MPI";
  const long count = count_processes();
  *ranks = NULL;
  if (count <= 1) {
    return true;
  }
  void* module = load_module(reason, sizeof reason);
  const CliMpi* found = module ? dlsym(module, CLI_MPI_SYMBOL) : NULL;
  if (found && strcmp(found->version, VIDA_VERSION) != 0) {
    snprintf(reason, sizeof reason, MODULE " is of version %s", found->version);
    found = NULL;
  }
  if (!found || found->begin(&processes, reason, sizeof reason)) {
    cli_usage_error(command,
                    "%ld processes were started together, but they cannot work together: %s; start "
                    "one process, or install MPI (Debian: libopenmpi-dev) and build vida again",
                    count, reason);
    return false;
  }
  mpi = found;
  *ranks = processes.count > 1 ? &processes : NULL;
  return true;
}

void cli_end_ranks(bool failed, int exit_code) {
  if (mpi) {
    mpi->end(failed, exit_code);
    mpi = NULL;
  }
}
