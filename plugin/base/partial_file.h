/* Files that get their names when they are complete. */
#ifndef VIDA_BASE_PARTIAL_FILE_H
#define VIDA_BASE_PARTIAL_FILE_H

#include <stdio.h>

/* Creates a file that nothing else has: what has this name is removed, and a symbolic link is not
 * followed. Returns its descriptor, or -1 with errno. */
int vida__create_file(const char* path);
/* Does the same for a stream; NULL with errno. */
FILE* vida__create_stream(const char* path);

#endif
