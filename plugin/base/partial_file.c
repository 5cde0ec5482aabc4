#include "base/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

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
