/* The chunks of a sweep, distributed among processes: process 0 hands them out to those that ask,
 * so that none waits, and keeps results until their turn comes. How far results may be ahead is
 * limited, and so is the memory for them. */
#ifndef VIDA_REPORT_SWEEP_DISTRIBUTION_H
#define VIDA_REPORT_SWEEP_DISTRIBUTION_H

#include <stdbool.h>
#include <vida/sweep.h>

#include "base/record.h"
#include "report/sweep/files.h"
#include "study/study.h"

typedef struct vida_distribution vida_distribution;

/* A chunk of a sweep: the runs from some of its starts. */
typedef struct vida_chunk {
  long index;        /* in the order of chunks of this process; -1: none */
  long first, count; /* its starts */
} vida_chunk;

/* Makes the runs of a chunk of the sweep, and appends the result to a record: the chunk, the
 * seconds that it has taken, and its rows (sweep.c). `ranks` is nullable; `began`: the clock
 * reading at the beginning of the study, for its time limit. */
int vida__make_chunk(const VidaRanks* ranks, VidaStudy* study, const vida_row_columns* columns,
                     vida_chunk chunk, double began, const VidaObserver* observer,
                     vida_record* record, VidaError* error);

/* Asks for all starts of the sweeps, a share in each process, after comparing what the processes
 * must agree upon (`prints`, one for each study). */
int vida__survey_together(const VidaSweepScope* scope, const vida_fingerprint* prints,
                          VidaError* error);

/* Begins to distribute the starts of a study from `first` on among processes. */
int vida__create_distribution(const VidaRanks* ranks, const VidaStudy* study, long first,
                              vida_distribution** distribution, VidaError* error);
void vida__destroy_distribution(vida_distribution** distribution);
/* Receives the messages that are there, or, if it `waits`, at least one, and answers them. */
int vida__serve_ranks(vida_distribution* distribution, bool waits, VidaError* error);
/* Ends the distribution if all results were taken: tells the other processes. *is_over receives
 * whether it has ended. */
int vida__try_to_end(vida_distribution* distribution, bool* is_over, VidaError* error);
/* Waits until all other processes have no more sweeps. */
int vida__dismiss_ranks(const VidaRanks* ranks, VidaError* error);
/* Returns the result whose turn it is; NULL while it is not there. vida__drop_result ends its turn.
 */
vida_record* vida__next_result(vida_distribution* distribution);
void vida__drop_result(vida_distribution* distribution);
/* Takes a chunk for this process; its index is -1 if there is none. Its result goes to
 * vida__own_result. */
vida_chunk vida__take_own_chunk(vida_distribution* distribution);
vida_record* vida__own_result(vida_distribution* distribution, long chunk);
void vida__store_own_result(vida_distribution* distribution, long chunk);
/* Notes how long a chunk has taken, of which the result was added. */
void vida__note_result(vida_distribution* distribution, long count, double seconds);

/* What the other processes do: the runs of the chunks that they are sent, study by study. */
int vida__work_for_rank_0(const VidaSweepScope* scope, VidaError* error);

#endif
