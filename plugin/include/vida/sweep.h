/* Sweeps without limits: runs from any number of starts, of which only totals stay in memory. A
 * sweep makes its runs in chunks. The rows of a complete chunk go to a file, and their numbers into
 * counts, moments, extremes, quantiles and a map over two swept values. Afterwards the study has
 * ordinary runs from a few starts, of which VidaStudy_Run makes rows, trajectories and recordings:
 * some as a sample, those with the largest errors, and one for each failure. */
#ifndef VIDA_SWEEP_H
#define VIDA_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- starts ---------------------------------------------------------------------------------- */

/* Where the starts of a sweep come from. */
typedef struct VidaStarts {
  long count; /* number of starts */
  /* Writes start number `index`, 0 .. count - 1: q and v (n each), NaN on entry, where NaN keeps
   * the value of the system, and its label (VIDA_OPTIONS_SIZE bytes, "" on entry). It gives the
   * same start whenever it is asked, and is called in the thread of VidaSweep_Run. Returns 0, or
   * another code after filling `error`. */
  int (*start)(void* data, long index, double* q, double* v, char* label, VidaError* error);
  void* data; /* argument of `start`; must live as long as the study */
} VidaStarts;

/* Makes the study a sweep over many starts (copied), before its first run: from then on
 * VidaStudy_AddRun adds a method, of which there is a run from each start. VidaSweep_Run makes
 * these runs; VidaStudy_Run comes after it. Fails with VIDA_WRONG_ORDER for a study with runs, and
 * with VIDA_BAD_ARGUMENT for a study whose reference is a known solution, which belongs to one
 * start. */
VIDA_API int VidaStudy_SetStarts(VidaStudy* study, const VidaStarts* starts, VidaError* error);

/* The runs of a sweep. */
typedef struct VidaSweepCounts {
  long starts;   /* number of starts; 0: the study is no such sweep */
  long made;     /* number of starts from which all methods have made their runs */
  long runs;     /* number of runs in all */
  long finished; /* number of made runs that reached their end */
  long failed;   /* number of those that did not */
} VidaSweepCounts;
/* Returns the numbers of runs of a sweep; zeros for another study. */
VIDA_API VidaSweepCounts VidaStudy_SweepCounts(const VidaStudy* study);

/* The runs of one method that ended with one status. */
typedef struct VidaSweepStatus {
  const char* status; /* "ok"; "OTHERS" stands for more than can be counted apart */
  long count;         /* number of runs */
  long first;         /* index of the first start with it */
} VidaSweepStatus;
/* Writes the status number `index` of a method, in the order of their first starts, to *status. Its
 * text belongs to the study. Returns false for an unknown index. */
VIDA_API bool VidaStudy_SweepStatus(const VidaStudy* study, int method, int index,
                                    VidaSweepStatus* status);

/* Mean and extremes of a column over the finished runs of a spread. */
typedef struct VidaMoments {
  long count;                   /* number of runs with a value; if 0, the numbers are NaN */
  double mean, deviation;       /* mean, and standard deviation of the sample */
  long smallest_at, largest_at; /* start of a sweep (otherwise run) with the extreme value */
} VidaMoments;
/* Computes the moments of a column over the runs of a spread (VidaStudy_Spread). Fails as
 * VidaStudy_Quantiles does. */
VIDA_API int VidaStudy_Moments(const VidaStudy* study, int spread, const VidaColumn* column,
                               VidaMoments* moments, VidaError* error);

/* ---- running --------------------------------------------------------------------------------- */

/* The processes among which a sweep is distributed. Messages between two processes stay in their
 * order. */
typedef struct VidaRanks {
  int rank, count; /* number of this process, 0 .. count - 1 */
  int processors;  /* that each process of a machine can have; 0: as many as there are */
  /* Sends a message of `size` bytes and a kind >= 0 to a process. Returns 0, or a code after
   * filling `error`. */
  int (*send)(void* data, int to, int kind, const void* bytes, size_t size, VidaError* error);
  /* Receives a message of any process; the caller frees *bytes with free(). If it `waits`, it does
   * so for about a tenth of a second. *from is -1 where there is no message. Returns 0, or a code
   * after filling `error`. */
  int (*receive)(void* data, bool waits, int* from, int* kind, void** bytes, size_t* size,
                 VidaError* error);
  void* data; /* argument of both */
} VidaRanks;

/* The studies of a folder; all must live as long as the sweep. Those that are no sweeps are left
 * alone. */
typedef struct VidaSweepScope {
  const char* directory;      /* with the state of unfinished sweeps; NULL: nothing is written */
  int count;                  /* number of studies */
  VidaStudy* const* studies;  /* count */
  const char* const* folders; /* count, for the files of each study; NULL without a directory */
  const VidaRanks* ranks;     /* nullable: there is one process */
} VidaSweepScope;

/* What happens during a sweep. */
typedef struct VidaSweepObserver {
  /* Called about ten times a second in process 0 with the number of starts that are done and the
   * completed fraction of the sweep. Any value but 0 stops it. Nullable. */
  int (*progress)(void* data, int study, long made, double fraction);
  void* data; /* argument of `progress` */
} VidaSweepObserver;

/* Makes all runs of the sweeps in the scope. The rows go to FOLDER/rows.csv, in the order of starts
 * and methods and without wall times, so that the same sweep makes the same bytes however it is
 * made; statistics.csv and map-METHOD.svg follow at the end. The state of unfinished sweeps is kept
 * in DIRECTORY/sweep.state, about every second; with `resume` they go on from there.
 * `observer` is nullable. Afterwards each study has the runs that VidaStudy_Run makes. Processes
 * other than 0 make runs for that one, and write nothing.
 *
 * Fails with VIDA_STOPPED when it is stopped, with VIDA_WALL_LIMIT after the option
 * study_wall_limit, with VIDA_INPUT_OUTPUT (flag CHANGED) if the state belongs to other sweeps or
 * if a process has other sweeps or another version, (flag DAMAGED) if the state or rows.csv is
 * damaged, and with the code of `start`. */
VIDA_API int VidaSweep_Run(const VidaSweepScope* scope, bool resume,
                           const VidaSweepObserver* observer, VidaError* error);
/* Returns the number of starts that a new sweep in `directory` would lose, of all its sweeps: those
 * in the totals of the state; 0 without a state, and -1 for one that is damaged. */
VIDA_API long VidaSweep_StoredStarts(const char* directory);
/* Removes the state, when all other results are written. */
VIDA_API void VidaSweep_RemoveState(const char* directory);

#ifdef __cplusplus
}
#endif
#endif
