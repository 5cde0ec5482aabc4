/* What has been written of a run in progress, with which another process goes on. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/record.h"
#include "report/output/trajectories.h"

static int put_csv(VidaTrajectories* trajectories, vida_open_run* run, vida_record* record,
                   VidaError* error) {
  const int code = vida__finish_output(run->file, trajectories->partial, error);
  const off_t size = code ? 0 : ftello(run->file);
  if (code) {
    return code;
  }
  if (size < 0 || fsync(fileno(run->file)) != 0 ||
      !vida__checksum_file(trajectories->partial, &run->size, (long long)size, &run->sum)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot keep %s", trajectories->partial);
  }
  vida__put_integer(record, run->rows);
  vida__put_integer(record, run->size);
  vida__put_integer(record, (int64_t)run->sum);
  return VIDA_SUCCESS;
}

static void put_hdf5(const VidaTrajectories* trajectories, const vida_open_run* run,
                     vida_record* record) {
  const size_t columns = (size_t)trajectories->list.count + 1;
  int waiting;
  const double* buffer;
  vida__put_integer(record, vida__hdf5_written(run->writer, &waiting, &buffer));
  vida__put_integer(record, waiting);
  vida__put_reals(record, (size_t)waiting * columns, buffer);
}

int vida__put_trajectory(VidaTrajectories* trajectories, int index, vida_record* record,
                         VidaError* error) {
  vida_open_run* run = &trajectories->open[index];
  vida__set_paths(trajectories, index);
  if (run->file) {
    return put_csv(trajectories, run, record, error);
  }
  if (run->writer) {
    put_hdf5(trajectories, run, record);
  }
  return VIDA_SUCCESS;
}

/* The file of a run that was killed has its partial name, that of one that was stopped another. If
 * the process was killed while it wrote the rows again, they are where it took them from. */
static const char* find_earlier(const VidaTrajectories* trajectories) {
  return access(trajectories->earlier, F_OK) == 0   ? trajectories->earlier
         : access(trajectories->partial, F_OK) == 0 ? trajectories->partial
                                                    : trajectories->incomplete;
}

static bool get_csv(VidaTrajectories* trajectories, vida_open_run* run, vida_record* record) {
  const char* path = find_earlier(trajectories);
  const int64_t rows = vida__get_integer(record), size = vida__get_integer(record);
  const uint64_t sum = (uint64_t)vida__get_integer(record);
  run->size = 0;
  run->sum = VIDA_CHECKSUM_START;
  run->rows = (long)rows;
  return !record->too_short && rows >= 0 && size >= 0 &&
         vida__checksum_file(path, &run->size, size, &run->sum) && run->sum == sum &&
         (path == trajectories->partial || rename(path, trajectories->partial) == 0);
}

/* The rows are written again, as they were: a file that a process has left is not written to. */
static bool get_hdf5(VidaTrajectories* trajectories, vida_open_run* run, int index,
                     vida_record* record) {
  const size_t columns = (size_t)trajectories->list.count + 1;
  const char* path = find_earlier(trajectories);
  const int64_t rows = vida__get_integer(record), waiting = vida__get_integer(record);
  const size_t room = (record->size - record->at) / (columns * sizeof(double));
  vida_hdf5_table table = {0};
  bool good = !record->too_short && rows >= 0 && waiting >= 0 && (uint64_t)waiting <= room &&
              (rows == 0 || (!vida__read_hdf5(path, trajectories->names[index], &table, NULL) &&
                             table.rows >= rows && (size_t)table.columns == columns));
  const size_t all = good ? (size_t)rows + (size_t)waiting : 0;
  run->earlier = good ? vida__allocate(all * columns + 1, sizeof *run->earlier) : NULL;
  good = run->earlier != NULL;
  if (good && rows > 0) {
    memcpy(run->earlier, table.values, (size_t)rows * columns * sizeof *run->earlier);
    good = path == trajectories->earlier || rename(path, trajectories->earlier) == 0;
  }
  if (good) {
    vida__get_reals(record, (size_t)waiting * columns, run->earlier + (size_t)rows * columns);
    run->rows = (long)all;
  }
  vida__free_hdf5_table(&table);
  return good;
}

bool vida__get_trajectory(VidaTrajectories* trajectories, int index, vida_record* record) {
  vida_open_run* run = &trajectories->open[index];
  vida__set_paths(trajectories, index);
  run->goes_on =
      trajectories->format == VIDA_FORMAT_NONE ||
      (trajectories->format == VIDA_FORMAT_CSV ? get_csv(trajectories, run, record)
                                               : get_hdf5(trajectories, run, index, record));
  return run->goes_on;
}

void vida__drop_trajectory(VidaTrajectories* trajectories, int index) {
  vida_open_run* run = &trajectories->open[index];
  free(run->earlier);
  run->earlier = NULL;
  run->goes_on = false;
}

int vida__go_on_with_csv(VidaTrajectories* trajectories, vida_open_run* run, VidaError* error) {
  const int file = open(trajectories->partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  const bool is_cut = file >= 0 && ftruncate(file, (off_t)run->size) == 0 &&
                      lseek(file, 0, SEEK_END) == (off_t)run->size;
  run->file = is_cut ? fdopen(file, "r+b") : NULL;
  if (run->file) {
    return VIDA_SUCCESS;
  }
  const int reason = errno;
  if (file >= 0) {
    close(file);
  }
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s: %s", trajectories->partial,
                    strerror(reason));
}

int vida__write_earlier(VidaTrajectories* trajectories, vida_open_run* run, VidaError* error) {
  const size_t columns = (size_t)trajectories->list.count + 1;
  int code = VIDA_SUCCESS;
  for (long row = 0; row < run->rows && !code; row++) {
    code = vida__hdf5_append(run->writer, run->earlier + (size_t)row * columns, error);
  }
  if (!code) {
    remove(trajectories->earlier);
  }
  free(run->earlier);
  run->earlier = NULL;
  return code;
}
