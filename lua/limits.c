/* The limits of sandboxed scripts, against accidents: memory by the allocator of the Lua state, and
 * instructions by a hook of every thread.
 */
#include <stdlib.h>
#include <string.h>

#include "sandbox.h"

enum {
  INTERVAL = 1000,     /* instructions between two calls of the hook */
  MOST_REFUSED = 100,  /* attempts to get memory: each collects all garbage */
  BYTES_PER_COST = 16, /* what is allocated has to be filled */
  MEBIBYTE = 1 << 20
};

const double vidalua_default_instructions = 1e11;
const double vidalua_default_memory = 1024.0;

typedef enum Reason { NONE, INSTRUCTIONS, MEMORY, STOPPED } Reason;

/* Belongs to the allocator of a state. */
typedef struct Limits {
  VidaLuaSandbox sandbox;
  lua_State* main;
  size_t used, most; /* bytes */
  double left;       /* instructions */
  int refused;
  Reason reason; /* why no function of the script may go on */
} Limits;

static void* allocate(void* data, void* block, size_t old_size, size_t size) {
  Limits* limits = data;
  const size_t old = block ? old_size : 0; /* else it is a kind of object */
  if (size == 0) {
    free(block);
    limits->used -= old;
    return NULL;
  }
  if (size > old && (size - old > limits->most || limits->used > limits->most - (size - old))) {
    limits->refused++;
    if (limits->refused >= MOST_REFUSED && limits->reason == NONE) {
      limits->reason = MEMORY;
    }
    return NULL;
  }
  void* moved = realloc(block, size);
  if (moved) {
    limits->used += size - old;
    limits->left -= size > old ? (double)(size - old) / BYTES_PER_COST : 0.0;
  }
  return moved;
}

static Limits* limits_of(lua_State* L) {
  void* data = NULL;
  return lua_getallocf(L, &data) == allocate ? data : NULL;
}

const VidaLuaSandbox* vidalua_sandbox(lua_State* L) {
  const Limits* limits = limits_of(L);
  return limits ? &limits->sandbox : NULL;
}

lua_State* vidalua_new_state(const VidaLuaSandbox* sandbox) {
  if (sandbox->trusted) {
    return luaL_newstate();
  }
  Limits* limits = calloc(1, sizeof *limits);
  if (!limits) {
    return NULL;
  }
  const double memory = sandbox->memory > 0.0 ? sandbox->memory : vidalua_default_memory;
  limits->sandbox = *sandbox;
  limits->most = memory < 1e9 ? (size_t)(memory * MEBIBYTE) : (size_t)-1 / 2;
  limits->left = sandbox->instructions > 0.0 ? sandbox->instructions : vidalua_default_instructions;
  limits->main = lua_newstate(allocate, limits);
  if (!limits->main) {
    free(limits);
    return NULL;
  }
  return limits->main;
}

void vidalua_close_state(lua_State* L) {
  Limits* limits = limits_of(L);
  lua_close(L);
  free(limits);
}

/* ---- messages -------------------------------------------------------------------------------- */

static const char* advice_of(const Limits* limits) {
  return limits->sandbox.advice ? limits->sandbox.advice
                                : "run with --trust if you trust the author";
}

int vidalua_refuse(lua_State* L, const char* what) {
  return vidalua_error(L, "%s is not available in a sandboxed scenario; %s", what,
                       advice_of(limits_of(L)));
}

/* Pushes a number as %g writes it: lua_pushfstring writes 1e+11 with all its zeros. */
static const char* push_number(lua_State* L, double number) {
  char text[32];
  snprintf(text, sizeof text, "%g", number);
  return lua_pushstring(L, text);
}

static const char* push_reason(lua_State* L, const Limits* limits) {
  const VidaLuaSandbox* sandbox = &limits->sandbox;
  const char* more = sandbox->advice ? "" : "; --script-";
  switch (limits->reason) {
    case INSTRUCTIONS:
      push_number(
          L, sandbox->instructions > 0.0 ? sandbox->instructions : vidalua_default_instructions);
      return lua_pushfstring(L, "the script needs more than %s instructions%s%s",
                             lua_tostring(L, -1), more,
                             sandbox->advice ? "" : "instructions N allows N");
    case MEMORY:
      push_number(L, (double)limits->most / MEBIBYTE);
      return lua_pushfstring(L, "the script needs more than %s MiB of memory%s%s",
                             lua_tostring(L, -1), more,
                             sandbox->advice ? "" : "memory MIB allows more");
    case STOPPED:
    case NONE:
    default:
      return lua_pushstring(L, "stopped on request");
  }
}

/* Raises the error with the line at which the script is: level 0 may be a function of it. */
static int raise_reason(lua_State* L, const Limits* limits) {
  lua_Debug frame;
  lua_sethook(L, lua_gethook(L), LUA_MASKCOUNT, 1); /* whoever catches the error fails as well */
  push_reason(L, limits);
  for (int level = 0; lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (vidalua_is_script(&frame)) {
      lua_pushfstring(L, "%s:%d: %s", frame.short_src, frame.currentline, lua_tostring(L, -1));
      break;
    }
  }
  return lua_error(L);
}

/* From a coroutine it comes as a text. */
static bool is_memory_error(lua_State* L, int status) {
  const char* message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
  return status == LUA_ERRMEM ||
         (status != LUA_OK && strncmp(message, "not enough memory", 17) == 0);
}

void vidalua_explain_limit(lua_State* L, int status) {
  Limits* limits = limits_of(L);
  if (limits && limits->refused > 0 && is_memory_error(L, status)) {
    limits->reason = MEMORY;
    push_reason(L, limits); /* in place of "not enough memory" */
  }
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void count_instructions(lua_State* L, lua_Debug* frame) {
  (void)frame;
  Limits* limits = limits_of(L);
  limits->left -= lua_gethookcount(L);
  if (limits->left < 0.0 && limits->reason == NONE) {
    limits->reason = INSTRUCTIONS;
  }
  const lua_Hook main_hook = lua_gethook(limits->main);
  if (main_hook && main_hook != count_instructions) {
    limits->reason = STOPPED; /* Ctrl-C while a coroutine runs */
  }
  if (limits->reason != NONE) {
    raise_reason(L, limits);
  }
}

void vidalua_count_instructions(lua_State* L) {
  lua_sethook(L, count_instructions, LUA_MASKCOUNT, INTERVAL);
}

bool vidalua_is_counting(lua_State* L) {
  return lua_gethook(L) == count_instructions;
}

void vidalua_charge(lua_State* L, double cost) {
  Limits* limits = limits_of(L);
  limits->left -= cost;
  if (limits->left < 0.0 && limits->reason == NONE) {
    limits->reason = INSTRUCTIONS;
  }
  if (limits->reason != NONE) {
    vidalua_count_instructions(L);
    raise_reason(L, limits);
  }
}

bool vidalua_is_ending(lua_State* L) {
  return limits_of(L)->reason != NONE;
}

void vidalua_stop_script(lua_State* L) {
  Limits* limits = limits_of(L);
  if (limits) {
    limits->reason = STOPPED;
    vidalua_count_instructions(L);
    lua_sethook(L, count_instructions, LUA_MASKCOUNT, 1);
  } else {
    lua_sethook(L, NULL, 0, 0);
  }
  luaL_error(L, "stopped on request");
}
