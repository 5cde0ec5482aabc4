/* Makes the runs of sweeps, chunk by chunk: in this process, or distributed among several. Process
 * 0 hands out chunks, makes runs itself, and adds the results in the order of the chunks, whoever
 * has made them and when. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/sweep/distribution.h"
#include "report/sweep/files.h"
#include "study/time/time_limits.h"

enum { PATH_SIZE = 4096 };

#define SECONDS_BETWEEN_STATES 1.0
#define SECONDS_BETWEEN_REPORTS 0.1

/* The sweep of one study in process 0. */
typedef struct running_sweep {
  const VidaSweepScope* scope;
  const VidaSweepObserver* observer;
  vida_sweep_state* state;
  int index; /* of the study */
  VidaStudy* study;
  vida_row_columns columns;
  FILE* rows;                      /* NULL: they are not written */
  vida_distribution* distribution; /* NULL: this is the only process */
  double written, told;            /* clock readings of the last state and of the last report, s */
  double began;
  long chunk;        /* number of starts of the chunk that is made here */
  VidaError problem; /* of the distribution, during a chunk */
} running_sweep;

/* ---- rows.csv -------------------------------------------------------------------------------- */

static int fail_to_write(const running_sweep* work, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s/" VIDA_SWEEP_ROWS_NAME "': %s",
                    work->scope->folders[work->index], strerror(errno));
}

static int name_rows(const running_sweep* work, char path[PATH_SIZE], VidaError* error) {
  const char* folder = work->scope->folders[work->index];
  const int length = snprintf(path, PATH_SIZE, "%s/" VIDA_SWEEP_ROWS_NAME, folder);
  errno = ENAMETOOLONG;
  return length > 0 && length < PATH_SIZE ? VIDA_SUCCESS : fail_to_write(work, error);
}

/* Checks that the file still begins with the rows that belong to the totals. */
static int check_rows(const running_sweep* work, const char* path, VidaError* error) {
  const vida_sweep_state* state = work->state;
  long long size = 0;
  uint64_t sum = VIDA_CHECKSUM_START;
  const bool is_whole = vida__checksum_file(path, &size, state->bytes[work->index], &sum);
  if (is_whole && sum == state->sums[work->index]) {
    return VIDA_SUCCESS;
  }
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "DAMAGED",
                         "'%s' %s: the sweep cannot go on; --overwrite (in Lua overwrite = true) "
                         "begins anew",
                         path, is_whole ? "has changed" : "is shorter than it was");
}

/* Opens the file, and cuts off what does not belong to the totals. */
static int open_rows(running_sweep* work, VidaError* error) {
  char path[PATH_SIZE];
  if (!work->scope->directory) {
    return VIDA_SUCCESS;
  }
  const long long size = work->state->bytes[work->index];
  int code = name_rows(work, path, error);
  code = code || size == 0 ? code : check_rows(work, path, error);
  if (code) {
    return code;
  }
  work->rows = size > 0 ? fopen(path, "r+b") : vida__create_stream(path);
  if (!work->rows || ftruncate(fileno(work->rows), (off_t)size) != 0 ||
      fseeko(work->rows, (off_t)size, SEEK_SET) != 0) {
    return fail_to_write(work, error);
  }
  if (size == 0) {
    work->state->sums[work->index] = VIDA_CHECKSUM_START;
    vida__write_row_names(&work->columns, work->rows);
  }
  return VIDA_SUCCESS;
}

/* Writes the state, after the rows that belong to it have reached the disk. */
static int write_state(running_sweep* work, VidaError* error) {
  char path[PATH_SIZE];
  vida_sweep_state* state = work->state;
  work->written = vida__read_clock();
  if (!work->rows) {
    return VIDA_SUCCESS;
  }
  if (fflush(work->rows) != 0 ||
      (fsync(fileno(work->rows)) != 0 && errno != EINVAL && errno != ENOSYS)) {
    return fail_to_write(work, error);
  }
  const long long size = (long long)ftello(work->rows);
  const int code = name_rows(work, path, error);
  if (code ||
      !vida__checksum_file(path, &state->bytes[work->index], size, &state->sums[work->index])) {
    return code ? code : fail_to_write(work, error);
  }
  return vida__write_sweep_state(state, error);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Each chunk has the time that is left for the whole study. */
static int limit_time(VidaStudy* chunk, double began, VidaError* error) {
  const double limit = VidaOptions_Get(chunk->options, "study_wall_limit");
  const double left = limit - (vida__read_clock() - began);
  if (!isfinite(limit)) {
    return VIDA_SUCCESS;
  }
  return left > 0.0 ? VidaOptions_SetReal(chunk->options, "study_wall_limit", left, error)
                    : vida__fail(error, VIDA_WALL_LIMIT, "the time of the study is over");
}

/* jobs = 0 means the processors of this process, which share a machine with others. */
static int limit_processors(VidaStudy* chunk, const VidaRanks* ranks, VidaError* error) {
  const int own = chunk->processors;
  if (!ranks || ranks->processors < 1 || VidaOptions_Get(chunk->options, "jobs") != 0.0) {
    return VIDA_SUCCESS;
  }
  const int jobs = own < ranks->processors ? own : ranks->processors;
  return VidaOptions_SetReal(chunk->options, "jobs", jobs, error);
}

/* A run that was stopped, or not made, has no result. */
static int check_ends(const VidaStudy* chunk, VidaError* error) {
  for (int run = 0; run < chunk->count; run++) {
    const VidaRow* row = &chunk->runs[run].row;
    if (VidaRow_Outcome(row) == VIDA_OUTCOME_NOT_RUN || strcmp(row->status, "STOPPED") == 0) {
      return vida__fail(error, VIDA_WALL_LIMIT, "the time of the study is over");
    }
  }
  return VIDA_SUCCESS;
}

int vida__make_chunk(const VidaRanks* ranks, VidaStudy* study, const vida_row_columns* columns,
                     vida_chunk part, double began, const VidaObserver* observer,
                     vida_record* record, VidaError* error) {
  VidaStudy* chunk = NULL;
  const long first = part.first, count = part.count;
  const double start = vida__read_clock();
  int code = vida__create_chunk(study, first, count, &chunk, error);
  code = code ? code : limit_time(chunk, began, error);
  code = code ? code : limit_processors(chunk, ranks, error);
  code = code ? code : VidaStudy_Run(chunk, observer, error);
  code = code ? code : check_ends(chunk, error);
  vida__put_integer(record, part.index);
  vida__put_integer(record, first);
  vida__put_integer(record, count);
  vida__put_real(record, vida__read_clock() - start);
  for (int run = 0; run < study->sweep->method_count * count && !code; run++) {
    vida__put_chunk_run(study, chunk, run, record);
  }
  code = code ? code : vida__put_rows(chunk, columns, first, count, record, error);
  VidaStudy_Destroy(&chunk);
  return code;
}

/* Adds a result to the totals and the file, whose turn has come. */
static int add_result(running_sweep* work, vida_record* record, VidaError* error) {
  VidaStudy* study = work->study;
  vida__get_integer(record); /* its index */
  const long first = vida__get_count(record), count = vida__get_count(record);
  const double seconds = vida__get_real(record);
  int code = VIDA_SUCCESS;
  if (first != study->sweep->made || count < 1 || count > study->sweep->starts.count - first) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "a result of a sweep is not the one that is next");
  }
  for (int m = 0; m < study->sweep->method_count; m++) {
    for (long i = 0; i < count && !code; i++) {
      code = vida__add_chunk_run(study, m, first + i, record, error);
    }
  }
  const int64_t size = vida__get_integer(record);
  if (!code && (record->too_short || size < 0 || (size_t)size != record->size - record->at)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "a result of a sweep is incomplete");
  }
  if (!code && work->rows &&
      fwrite(record->bytes + record->at, 1, (size_t)size, work->rows) != (size_t)size) {
    code = fail_to_write(work, error);
  }
  if (!code) {
    study->sweep->made = first + count;
  }
  if (!code && work->distribution) {
    vida__note_result(work->distribution, count, seconds);
  }
  const bool is_due = vida__read_clock() - work->written >= SECONDS_BETWEEN_STATES ||
                      count < vida__chunk_size(study); /* the next one may take longer */
  return code || !is_due ? code : write_state(work, error);
}

/* ---- observing ------------------------------------------------------------------------------- */

static int report_progress(running_sweep* work, double of_chunk) {
  const struct vida_sweep* sweep = work->study->sweep;
  const double now = vida__read_clock();
  const VidaSweepObserver* observer = work->observer;
  if (!observer || !observer->progress || now - work->told < SECONDS_BETWEEN_REPORTS) {
    return VIDA_SUCCESS;
  }
  work->told = now;
  const double part = of_chunk * (double)work->chunk;
  const double done = ((double)sweep->made + part) / (double)sweep->starts.count;
  return observer->progress(observer->data, work->index, sweep->made, fmin(done, 1.0));
}

static int watch_progress(void* data, int run, const char* what, double fraction) {
  running_sweep* work = data;
  (void)run, (void)what;
  int code = work->problem.code;
  if (!code && work->distribution) {
    code = vida__serve_ranks(work->distribution, false, &work->problem);
  }
  return code ? code : report_progress(work, work->distribution ? 0.0 : fraction);
}

static int watch_end(void* data, int run, const VidaRow* row, VidaError* error) {
  running_sweep* work = data;
  (void)run, (void)row;
  const int code =
      work->distribution ? vida__serve_ranks(work->distribution, false, error) : VIDA_SUCCESS;
  return code ? code
         : report_progress(work, 0.0)
             ? vida__fail(error, VIDA_STOPPED, "%s", Vida_CodeText(VIDA_STOPPED))
             : VIDA_SUCCESS;
}

/* ---- process 0 ------------------------------------------------------------------------------- */

static int make_own_chunk(running_sweep* work, vida_chunk chunk, vida_record* record,
                          VidaError* error) {
  const VidaObserver observer = {.end = watch_end, .progress = watch_progress, .data = work};
  vida__clear_record(record);
  work->chunk = chunk.count;
  const int code = vida__make_chunk(work->scope->ranks, work->study, &work->columns, chunk,
                                    work->began, &observer, record, error);
  if (code && work->problem.code && error) {
    *error = work->problem;
  }
  return code && work->problem.code ? work->problem.code : code;
}

static int run_alone(running_sweep* work, VidaError* error) {
  const struct vida_sweep* sweep = work->study->sweep;
  vida_pace pace = vida__begin_pace(work->study);
  vida_record record = {0};
  int code = VIDA_SUCCESS;
  while (sweep->made < sweep->starts.count && !code) {
    const double start = vida__read_clock();
    const vida_chunk chunk = {.first = sweep->made,
                              .count = vida__next_chunk(&pace, sweep->starts.count - sweep->made)};
    code = make_own_chunk(work, chunk, &record, error);
    code = code ? code : add_result(work, &record, error);
    vida__note_chunk(&pace, chunk.count, vida__read_clock() - start);
    code = code || !report_progress(work, 0.0)
               ? code
               : vida__fail(error, VIDA_STOPPED, "%s", Vida_CodeText(VIDA_STOPPED));
  }
  vida__free_record(&record);
  return code;
}

/* Makes a chunk when no result waits for its turn; otherwise waits for one. */
static int run_distributed(running_sweep* work, VidaError* error) {
  vida_distribution* distribution = work->distribution;
  bool is_over = false;
  int code = vida__try_to_end(distribution, &is_over, error);
  while (!code && !is_over) {
    vida_record* ready = vida__next_result(distribution);
    const vida_chunk own = ready ? (vida_chunk){.index = -1} : vida__take_own_chunk(distribution);
    if (ready) {
      code = add_result(work, ready, error);
      vida__drop_result(distribution);
    } else if (own.index >= 0) {
      code = make_own_chunk(work, own, vida__own_result(distribution, own.index), error);
      vida__store_own_result(distribution, own.index);
    }
    code = code ? code : vida__serve_ranks(distribution, !ready && own.index < 0, error);
    code = code ? code : vida__try_to_end(distribution, &is_over, error);
    code = code || !report_progress(work, 0.0)
               ? code
               : vida__fail(error, VIDA_STOPPED, "%s", Vida_CodeText(VIDA_STOPPED));
  }
  return code;
}

static int finish_files(const running_sweep* work, VidaError* error) {
  const char* folder = work->scope->directory ? work->scope->folders[work->index] : NULL;
  const int code = folder ? vida__write_sweep_statistics(work->study, folder, error) : VIDA_SUCCESS;
  return code || !folder ? code : vida__write_sweep_maps(work->study, folder, error);
}

static int run_sweep(running_sweep* work, VidaError* error) {
  const VidaRanks* ranks = work->scope->ranks;
  work->began = work->written = vida__read_clock();
  int code = vida__check_parameters(work->study, error);
  code = code ? code : vida__find_row_columns(work->study, &work->columns, error);
  code = code ? code : open_rows(work, error);
  code = code ? code : write_state(work, error);
  if (!code && ranks && ranks->count > 1) {
    code = vida__create_distribution(ranks, work->study, work->study->sweep->made,
                                     &work->distribution, error);
    code = code ? code : run_distributed(work, error);
    vida__destroy_distribution(&work->distribution);
  } else if (!code) {
    code = run_alone(work, error);
  }
  VidaError ignored;
  const bool is_kept = !code || code == VIDA_STOPPED || code == VIDA_WALL_LIMIT;
  const int written = is_kept ? write_state(work, code ? &ignored : error) : VIDA_SUCCESS;
  code = code ? code : written;
  code = code ? code : finish_files(work, error);
  if (work->rows && fclose(work->rows) != 0 && !code) {
    code = fail_to_write(work, error);
  }
  vida__free_row_columns(&work->columns);
  return code;
}

static int run_sweeps(const VidaSweepScope* scope, vida_sweep_state* state,
                      const VidaSweepObserver* observer, VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < scope->count && !code; i++) {
    VidaStudy* study = scope->studies[i];
    running_sweep work = {
        .scope = scope, .observer = observer, .state = state, .index = i, .study = study};
    if (study->sweep) {
      code = run_sweep(&work, error);
    }
  }
  for (int i = 0; i < scope->count && !code; i++) {
    if (scope->studies[i]->sweep) {
      vida__drop_runs(scope->studies[i]);
      code = vida__keep_some_runs(scope->studies[i], error);
    }
  }
  return code;
}

static int check_scope(const VidaSweepScope* scope, VidaError* error) {
  if (scope->count < 1 || !scope->studies || (scope->directory && !scope->folders)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a sweep needs studies, and folders for its files");
  }
  for (int i = 0; i < scope->count; i++) {
    if (!scope->studies[i]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "studies[%d] of the sweep is NULL", i);
    }
  }
  return VIDA_SUCCESS;
}

int VidaSweep_Run(const VidaSweepScope* scope, bool resume, const VidaSweepObserver* observer,
                  VidaError* error) {
  if (VIDA_REFUSE_NULL(error, scope) || check_scope(scope, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  bool any = false;
  for (int i = 0; i < scope->count; i++) {
    any = any || scope->studies[i]->sweep;
    if (scope->studies[i]->sweep) {
      vida__begin_sweep(scope->studies[i]);
    }
  }
  if (!any && !scope->ranks) {
    return VIDA_SUCCESS;
  }
  vida_sweep_state state;
  int code = vida__create_sweep_state(scope, &state, error);
  if (!code && scope->ranks && scope->ranks->rank > 0) {
    code = vida__work_for_rank_0(scope, error);
  } else if (!code) {
    const bool is_there = resume && vida__has_sweep_state(scope->directory);
    code = is_there ? vida__read_sweep_state(&state, error) : VIDA_SUCCESS;
    code = code ? code : run_sweeps(scope, &state, observer, error);
    code = code || !scope->ranks ? code : vida__dismiss_ranks(scope->ranks, error);
  }
  vida__free_sweep_state(&state);
  return code;
}
