#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

/* ---- creating -----------------------------------------------------------------------------------
 */

int vida__create_file(const char* path) {
  unlink(path);
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

FILE* vida__create_stream(const char* path) {
  const int file = vida__create_file(path);
  FILE* stream = file >= 0 ? fdopen(file, "wb") : NULL;
  if (file >= 0 && !stream) {
    close(file);
  }
  return stream;
}

/* ---- reading and replacing ----------------------------------------------------------------------
 */

static int read_all(FILE* file, const char* path, unsigned char** bytes, size_t* size,
                    VidaError* error) {
  enum { PIECE = 65536 };
  size_t capacity = 0, got = PIECE;
  *size = 0;
  while (got == PIECE) { /* memory follows what is there, whatever the file says of itself */
    void* all = *bytes;
    const int failed = vida__reserve(&all, &capacity, *size + PIECE, 1);
    *bytes = all;
    if (failed) {
      return vida__fail_memory(error);
    }
    got = fread(*bytes + *size, 1, PIECE, file);
    *size += got;
  }
  return ferror(file) ? vida__fail(error, VIDA_INPUT_OUTPUT, "file '%s' cannot be read: %s", path,
                                   strerror(errno))
                      : VIDA_SUCCESS;
}

int vida__read_file(const char* path, unsigned char** bytes, size_t* size, VidaError* error) {
  *bytes = NULL;
  FILE* file = fopen(path, "rb");
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "file '%s' cannot be opened: %s", path,
                      strerror(errno));
  }
  const int code = read_all(file, path, bytes, size, error);
  fclose(file);
  if (code) {
    free(*bytes);
    *bytes = NULL;
  }
  return code;
}

static bool reach_disk(FILE* file) {
#if defined(_WIN32)
  return fflush(file) == 0 && _commit(_fileno(file)) == 0;
#else
  return fflush(file) == 0 && fsync(fileno(file)) == 0;
#endif
}

void vida__keep_name(const char* path) {
#if !defined(_WIN32)
  char directory[4096] = ".";
  const char* end = strrchr(path, '/');
  const size_t length = end ? (size_t)(end - path) + 1 : 0;
  if (length >= sizeof directory) {
    return;
  }
  if (end) {
    memcpy(directory, path, length);
    directory[length] = '\0';
  }
  const int folder = open(directory, O_RDONLY);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
#else
  (void)path;
#endif
}

static bool rename_over(const char* from, const char* to) {
#if defined(_WIN32)
  remove(to);
#endif
  return rename(from, to) == 0;
}

int vida__replace_file(const char* path, const unsigned char* bytes, size_t size,
                       VidaError* error) {
  const size_t length = strlen(path) + sizeof ".partial";
  char* partial = vida__allocate(length, 1);
  if (!partial) {
    return vida__fail_memory(error);
  }
  snprintf(partial, length, "%s.partial", path);
  FILE* file = vida__create_stream(partial);
  bool is_written = file && fwrite(bytes, 1, size, file) == size && reach_disk(file);
  is_written = file && fclose(file) == 0 && is_written;
  is_written = is_written && rename_over(partial, path);
  const int reason = errno;
  if (is_written) {
    vida__keep_name(path);
  } else if (file) {
    remove(partial);
  }
  free(partial);
  return is_written ? VIDA_SUCCESS
                    : vida__fail(error, VIDA_INPUT_OUTPUT, "file '%s' cannot be written: %s", path,
                                 strerror(reason));
}
