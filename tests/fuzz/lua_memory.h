/* Memory of the Lua states of the fuzzer: lua/limits.c is compiled with these in place of realloc
 * and free. Tables, strings and functions of Lua come from a pool, which is several times as fast
 * as memory that the sanitizers watch; userdata, in which VIDA has its numbers, are watched. */
#ifndef VIDA_TESTS_FUZZ_LUA_MEMORY_H
#define VIDA_TESTS_FUZZ_LUA_MEMORY_H

#include <stdlib.h>

/* `old_size` is that of the block, or of a new one (NULL) the kind of object, as for a lua_Alloc.
 */
void* fuzz_realloc(void* block, size_t old_size, size_t size);
void fuzz_free(void* block);

#if defined(VIDA_FUZZ_LIMITS)
#define realloc(block, size) fuzz_realloc(block, old_size, size)
#define free(block) fuzz_free(block)
#endif

#endif
