/* What the parts of the fuzzer share. */
#ifndef VIDA_TESTS_FUZZ_FUZZ_H
#define VIDA_TESTS_FUZZ_FUZZ_H

#include <lua.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { FUZZ_SECONDS = 10 /* of CPU for one input */, FUZZ_SIZE = 1 << 22 /* of a file */ };

/* stderr of the process; the command writes its messages elsewhere. */
extern FILE* fuzz_report;
/* A small comparison. */
extern const char fuzz_script[];

/* Ends a fuzzer that does not work. */
void fuzz_fail(const char* what);
/* Ends the process after this time; 0: no longer. */
void fuzz_limit_time(int seconds);
/* Returns a random number below `count`, the same for the same input. */
uint64_t fuzz_draw(uint64_t count);
void fuzz_write_file(const char* path, const char* text, size_t size);
/* Returns at most FUZZ_SIZE bytes of a file, to be freed. */
char* fuzz_read_file(const char* path, size_t* size);
/* Calls the command with these words, after noting them in "current". */
void fuzz_call(int count, const char* const* words);
#define FUZZ_CALL(...)                                                   \
  fuzz_call((int)(sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*)), \
            (const char* const[]){__VA_ARGS__})

/* A kind of inputs: what is made once, and what is done with one input. */
typedef struct fuzz_kind {
  const char* name;
  void (*prepare)(void); /* nullable */
  void (*attempt)(lua_State* L, uint64_t seed);
} fuzz_kind;
/* Damaged files of results, HDF5, journals and checkpoints (damaged.c), records of methods
 * (records.c). */
extern const fuzz_kind fuzz_results, fuzz_hdf5, fuzz_journal, fuzz_checkpoint, fuzz_record;

#endif
