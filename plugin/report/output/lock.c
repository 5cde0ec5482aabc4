/* A folder of results belongs to one run at a time, because two runs would mix their files. It is
 * marked by a lock of the operating system, which ends with the process that holds it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/report.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"

#define LOCK_NAME ".vida.lock"

struct VidaFolder {
  int file;
  char* path;
};

static struct flock whole_file(void) {
  return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/* Returns whether the file at the path is still the one that is open: another run may have removed
 * it between our opening and locking it. */
static bool is_current(const VidaFolder* folder) {
  struct stat opened, named;
  return fstat(folder->file, &opened) == 0 && stat(folder->path, &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static int refuse_used(VidaFolder* folder, const char* directory, VidaError* error) {
  struct flock lock = whole_file();
  char owner[48] = "";
  if (fcntl(folder->file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0) {
    vida__append(owner, sizeof owner, " (process %ld)", (long)lock.l_pid);
  }
  return vida__fail_flag(error, VIDA_INPUT_OUTPUT, "IN_USE",
                         "another run%s is writing into the folder '%s'; wait for it, or give "
                         "another folder",
                         owner, directory);
}

static int lock_file(VidaFolder* folder, const char* directory, VidaError* error) {
  do {
    if (folder->file >= 0) {
      close(folder->file);
    }
    folder->file = open(folder->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (folder->file < 0) {
      return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write into the folder '%s': %s",
                        directory, strerror(errno));
    }
    struct flock lock = whole_file();
    if (fcntl(folder->file, F_SETLK, &lock) != 0) {
      if (errno == EACCES || errno == EAGAIN) {
        return refuse_used(folder, directory, error);
      }
      return VIDA_SUCCESS; /* a file system without locks: nothing can be said */
    }
  } while (!is_current(folder));
  return VIDA_SUCCESS;
}

static void discard(VidaFolder* folder) {
  if (folder->file >= 0) {
    close(folder->file);
  }
  free(folder->path);
  free(folder);
}

/* Locks a folder, which may be new. */
static int hold(const char* directory, VidaFolder** folder, VidaError* error) {
  int code = vida__make_directory(directory, error);
  if (code) {
    return code;
  }
  const size_t size = strlen(directory) + sizeof LOCK_NAME + 1;
  VidaFolder* made = vida__allocate(1, sizeof *made);
  char* path = vida__allocate(size, 1);
  if (!made || !path) {
    free(made);
    free(path);
    return vida__fail_memory(error);
  }
  snprintf(path, size, "%s/%s", directory, LOCK_NAME);
  *made = (VidaFolder){-1, path};
  code = lock_file(made, directory, error);
  if (code) {
    discard(made);
    return code;
  }
  *folder = made;
  return VIDA_SUCCESS;
}

int VidaReport_HoldFolder(const char* directory, VidaFolder** folder, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, folder)) {
    return VIDA_BAD_ARGUMENT;
  }
  *folder = NULL;
  if (VIDA_REFUSE_NULL(error, directory)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = hold(directory, folder, error);
  code = code ? code : VidaReport_PrepareFolder(directory, error);
  if (code) {
    VidaReport_ReleaseFolder(folder);
  }
  return code;
}

static bool has_file(const char* directory, const char* name) {
  char path[4096];
  const int length = directory ? snprintf(path, sizeof path, "%s/%s", directory, name) : -1;
  return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

int VidaReport_ReopenFolder(const char* directory, VidaFolder** folder, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, folder)) {
    return VIDA_BAD_ARGUMENT;
  }
  *folder = NULL;
  if (VIDA_REFUSE_NULL(error, directory)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (!VidaReport_IsUnfinished(directory)) {
    return vida__fail_flag(
        error, VIDA_INPUT_OUTPUT, "NOTHING_UNFINISHED",
        "'%s' holds no unfinished study%s (it has neither " VIDA_JOURNAL_NAME
        " nor " VIDA_SWEEP_STATE_NAME ")",
        directory, has_file(directory, "comparison.csv") ? ": its results are complete" : "");
  }
  return hold(directory, folder, error);
}

bool VidaReport_HasJournal(const char* directory) {
  return has_file(directory, VIDA_JOURNAL_NAME);
}

bool VidaReport_IsUnfinished(const char* directory) {
  return VidaReport_HasJournal(directory) || has_file(directory, VIDA_SWEEP_STATE_NAME);
}

void VidaReport_ReleaseFolder(VidaFolder** folder) {
  if (!folder || !*folder) {
    return;
  }
  unlink((*folder)->path); /* while it is still ours */
  discard(*folder);
  *folder = NULL;
}
