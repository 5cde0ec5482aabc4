/* Files: created anew, read and replaced as a whole. */
#ifndef VIDA_BASE_FILE_H
#define VIDA_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <vida/error.h>

/* Creates a file that nothing else has: what has this name is removed, and a symbolic link is not
 * followed. Returns its descriptor, or -1 with errno. */
int vida__create_file(const char* path);
/* Does the same for a stream; NULL with errno. */
FILE* vida__create_stream(const char* path);
/* Reads a file as a whole. The caller frees *bytes with free(). */
int vida__read_file(const char* path, unsigned char** bytes, size_t* size, VidaError* error);
/* Replaces a file by these bytes at once: after a crash it has its old or its new contents. */
int vida__replace_file(const char* path, const unsigned char* bytes, size_t size, VidaError* error);

/* Makes the name of a new file reach the disk, which it does with its directory. Not every file
 * system can do that, and none mixes old and new contents if it cannot. */
void vida__keep_name(const char* path);

#endif
