/* The module vida_mpi.so: messages between the processes of a sweep by MPI. It has no state but
 * that of MPI, which a process has once. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <vida/version.h>

#include "ranks.h"

enum { MOST_BYTES = 1 << 30, WAITS = 1000, PAUSE = 100000 /* ns: together a tenth of a second */ };

/* Of the process, as MPI itself is. */
static pthread_t first_thread;
static int threads_allowed;

static int fail(VidaError* error, const char* what) {
  if (error) {
    *error = (VidaError){.code = VIDA_INPUT_OUTPUT};
    snprintf(error->message, sizeof error->message, "MPI cannot %s", what);
  }
  return VIDA_INPUT_OUTPUT;
}

static int send_bytes(void* data, int to, int kind, const void* bytes, size_t size,
                      VidaError* error) {
  (void)data;
  return size > MOST_BYTES || MPI_Send(bytes, (int)size, MPI_BYTE, to, kind, MPI_COMM_WORLD)
             ? fail(error, "send a message")
             : VIDA_SUCCESS;
}

static int receive_message(MPI_Message* message, const MPI_Status* status, void** bytes,
                           size_t* size, VidaError* error) {
  int count = 0;
  MPI_Get_count(status, MPI_BYTE, &count);
  *bytes = malloc(count > 0 ? (size_t)count : 1);
  *size = count > 0 ? (size_t)count : 0;
  if (!*bytes || MPI_Mrecv(*bytes, count, MPI_BYTE, message, MPI_STATUS_IGNORE)) {
    free(*bytes);
    *bytes = NULL;
    return fail(error, "receive a message");
  }
  return VIDA_SUCCESS;
}

static int receive_bytes(void* data, bool waits, int* from, int* kind, void** bytes, size_t* size,
                         VidaError* error) {
  (void)data;
  *from = -1;
  if (threads_allowed < MPI_THREAD_SERIALIZED && !pthread_equal(first_thread, pthread_self())) {
    return VIDA_SUCCESS; /* it is received later, by the first thread */
  }
  for (int i = 0; i == 0 || (waits && i < WAITS); i++) {
    int is_there = 0;
    MPI_Message message;
    MPI_Status status;
    if (i > 0) {
      nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    }
    if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &message, &status)) {
      return fail(error, "look for messages");
    }
    if (is_there) {
      *from = status.MPI_SOURCE;
      *kind = status.MPI_TAG;
      return receive_message(&message, &status, bytes, size, error);
    }
  }
  return VIDA_SUCCESS;
}

/* Processes that are not bound to processors of their own share those of the machine. */
static int share_of_processors(void) {
  MPI_Comm machine;
  int here = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine)) {
    return 1;
  }
  MPI_Comm_size(machine, &here);
  MPI_Comm_free(&machine);
  const long all = sysconf(_SC_NPROCESSORS_ONLN);
  return all > here ? (int)(all / here) : 1;
}

static int begin(VidaRanks* ranks, char* reason, size_t size) {
  *ranks = (VidaRanks){.send = send_bytes, .receive = receive_bytes};
  first_thread = pthread_self();
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads_allowed)) {
    snprintf(reason, size, "MPI does not start");
    return 1;
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
  ranks->processors = share_of_processors();
  return 0;
}

static void end(bool failed, int exit_code) {
  if (failed) {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  MPI_Finalize();
}

extern const CliMpi vida_mpi_module;
__attribute__((visibility("default"))) const CliMpi vida_mpi_module = {VIDA_VERSION, begin, end};
