/* The processes that mpirun or srun has started together. */
#ifndef VIDA_CLI_RANKS_H
#define VIDA_CLI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/sweep.h>

/* What vida_mpi.so is: a module that is linked with MPI, of the same build. */
typedef struct CliMpi {
  const char* version; /* of VIDA */
  /* Begins MPI. Returns 0, or 1 after writing the reason. */
  int (*begin)(VidaRanks* ranks, char* reason, size_t size);
  /* Ends MPI; if the work has `failed`, ends all processes with this exit code at once. */
  void (*end)(bool failed, int exit_code);
} CliMpi;
#define CLI_MPI_SYMBOL "vida_mpi_module"

/* Returns the processes, NULL if this is the only one. Fails, and prints why, if there are several
 * but no MPI. */
bool cli_begin_ranks(const char* command, const VidaRanks** ranks);
/* Ends what cli_begin_ranks has begun. */
void cli_end_ranks(bool failed, int exit_code);

#endif
