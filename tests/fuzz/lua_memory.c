/* A pool of blocks of some sizes, in pages that have blocks of one size each. */
#include "lua_memory.h"

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
