/* A pool of blocks of some sizes, in pages that have blocks of one size each. */
#include "lua_memory.h"

#include <lauxlib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "binding.h"
#include "fuzz.h"

enum { UNIT = 16, LARGEST = 512, CLASSES = LARGEST / UNIT, PAGE = 1 << 16, PAGES = 1024 };

static _Alignas(16) unsigned char arena[(size_t)PAGE * PAGES];
static unsigned char class_of_page[PAGES];
static int pages;

typedef struct free_block {
  struct free_block* next;
} free_block;
static free_block* unused[CLASSES];

static bool is_pooled(const void* block) {
  return (uintptr_t)block - (uintptr_t)arena < sizeof arena;
}

static int class_for(size_t size) {
  return (int)((size + UNIT - 1) / UNIT) - 1;
}

static size_t size_of_class(int class) {
  return (size_t)(class + 1) * UNIT;
}

/* Divides a new page into blocks. Returns false if there is none. */
static bool add_page(int class) {
  if (pages == PAGES) {
    return false;
  }
  class_of_page[pages] = (unsigned char)class;
  unsigned char* page = arena + (size_t)PAGE * (size_t)pages++;
  const size_t size = size_of_class(class);
  for (size_t at = 0; at + size <= PAGE; at += size) {
    free_block* block = (free_block*)(void*)(page + at);
    block->next = unused[class];
    unused[class] = block;
  }
  return true;
}

static void* take(size_t size) {
  const int class = class_for(size);
  if (size > LARGEST || (!unused[class] && !add_page(class))) {
    return malloc(size);
  }
  free_block* block = unused[class];
  unused[class] = block->next;
  return block;
}

static int class_of(const void* block) {
  return class_of_page[((uintptr_t)block - (uintptr_t)arena) / PAGE];
}

void fuzz_free(void* block) {
  if (!is_pooled(block)) {
    free(block);
    return;
  }
  const int class = class_of(block);
  free_block* freed = block;
  freed->next = unused[class];
  unused[class] = freed;
}

void* fuzz_realloc(void* block, size_t old_size, size_t size) {
  if (!block) {
    return old_size == LUA_TUSERDATA ? malloc(size) : take(size);
  }
  if (!is_pooled(block)) { /* a large one remains watched when it becomes smaller */
    return realloc(block, size);
  }
  if (size <= size_of_class(class_of(block))) {
    return block;
  }
  void* moved = take(size);
  if (moved) {
    memcpy(moved, block, old_size);
    fuzz_free(block);
  }
  return moved;
}

/* ---- the library -------------------------------------------------------------------------------
 */

#if defined(VIDA_FUZZ_WRAPS)

/* Each script has a Lua state of its own, and in it the library of VIDA, whose files are compiled
 * once and then loaded as bytecode: the linker puts this in place of luaL_loadbufferx (--wrap). */
int __real_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode);
int __wrap_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode);

typedef struct compiled {
  const char* text; /* a constant of the library */
  char* code;
  size_t size, capacity;
} compiled;

static int add_code(lua_State* L, const void* part, size_t size, void* data) {
  compiled* to = data;
  (void)L;
  if (to->size + size > to->capacity) {
    to->capacity = 2 * (to->size + size);
    to->code = realloc(to->code, to->capacity);
    if (!to->code) {
      fuzz_fail("out of memory");
    }
  }
  memcpy(to->code + to->size, part, size);
  to->size += size;
  return 0;
}

int __wrap_luaL_loadbufferx(lua_State* L, const char* text, size_t size, const char* name,
                            const char* mode) {
  enum { MOST_FILES = 64, LARGE = 2000 };
  static compiled files[MOST_FILES];
  static int count;
  if (size < LARGE || !name ||
      strncmp(name, VIDALUA_LIBRARY_SOURCE, strlen(VIDALUA_LIBRARY_SOURCE)) != 0) {
    return __real_luaL_loadbufferx(L, text, size, name, mode);
  }
  for (int i = 0; i < count; i++) {
    if (files[i].text == text) {
      return __real_luaL_loadbufferx(L, files[i].code, files[i].size, name, "b");
    }
  }
  const int code = __real_luaL_loadbufferx(L, text, size, name, mode);
  if (code == LUA_OK && count < MOST_FILES) {
    files[count] = (compiled){.text = text};
    lua_dump(L, add_code, &files[count], 0);
    count++;
  }
  return code;
}

#endif
