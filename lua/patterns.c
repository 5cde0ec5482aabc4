/* string.find, match, gmatch and gsub of sandboxed scripts. A pattern can take longer than the age
 * of the universe, and no hook runs in between: this matcher counts its steps as instructions of
 * the script. Patterns, results and messages are those of Lua 5.4.
 */
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "sandbox.h"

enum {
  MOST_CAPTURES = 32,
  MOST_DEPTH = 200,   /* of calls that match one pattern */
  STEPS_AT_ONCE = 256 /* between two looks at the limits */
};
enum { OPEN = -1, POSITION = -2 }; /* lengths of captures that have none yet, and never */

typedef struct Capture {
  const char* begin;
  ptrdiff_t length;
} Capture;

typedef struct Matcher {
  lua_State* L;
  const char *text, *text_end, *pattern_end;
  int depth, steps, captures;
  Capture capture[MOST_CAPTURES];
} Matcher;

static void begin_matching(Matcher* m, lua_State* L, const char* text, size_t length,
                           const char* pattern, size_t pattern_length) {
  m->L = L;
  m->text = text;
  m->text_end = text + length;
  m->pattern_end = pattern + pattern_length;
  m->steps = 0;
}

static void count_step(Matcher* m) {
  if (++m->steps >= STEPS_AT_ONCE) {
    m->steps = 0;
    vidalua_charge(m->L, STEPS_AT_ONCE);
  }
}

/* ---- one character --------------------------------------------------------------------------- */

/* Returns the end of the class that begins at `p`. */
static const char* class_end(Matcher* m, const char* p) {
  const char first = *p++;
  if (first == '%') {
    if (p == m->pattern_end) {
      luaL_error(m->L, "malformed pattern (ends with '%%')");
    }
    return p + 1;
  }
  if (first == '[') {
    p += p < m->pattern_end && *p == '^';
    do { /* a ] at the beginning is a character */
      if (p == m->pattern_end) {
        luaL_error(m->L, "malformed pattern (missing ']')");
      }
      const bool escapes = *p++ == '%';
      p += escapes && p < m->pattern_end;
    } while (p >= m->pattern_end || *p != ']');
    return p + 1;
  }
  return p;
}

static bool is_in_letter_class(int c, int letter) {
  bool found = false;
  switch (tolower(letter)) {
    case 'a':
      found = isalpha(c);
      break;
    case 'c':
      found = iscntrl(c);
      break;
    case 'd':
      found = isdigit(c);
      break;
    case 'g':
      found = isgraph(c);
      break;
    case 'l':
      found = islower(c);
      break;
    case 'p':
      found = ispunct(c);
      break;
    case 's':
      found = isspace(c);
      break;
    case 'u':
      found = isupper(c);
      break;
    case 'w':
      found = isalnum(c);
      break;
    case 'x':
      found = isxdigit(c);
      break;
    default:
      return letter == c;
  }
  return isupper(letter) ? !found : found;
}

/* `p` is at the [, `last` at the ]. */
static bool is_in_set(Matcher* m, int c, const char* p, const char* last) {
  const bool wanted = p[1] != '^';
  p += wanted ? 0 : 1;
  while (++p < last) {
    count_step(m);
    if (*p == '%') {
      p++;
      if (is_in_letter_class(c, (unsigned char)*p)) {
        return wanted;
      }
    } else if (p[1] == '-' && p + 2 < last) {
      p += 2;
      if ((unsigned char)p[-2] <= c && c <= (unsigned char)*p) {
        return wanted;
      }
    } else if ((unsigned char)*p == c) {
      return wanted;
    }
  }
  return !wanted;
}

/* Whether the character at `s` is one of the class from `p` to `end`. */
static bool is_in_class(Matcher* m, const char* s, const char* p, const char* end) {
  if (s >= m->text_end) {
    return false;
  }
  const int c = (unsigned char)*s;
  switch (*p) {
    case '.':
      return true;
    case '%':
      return is_in_letter_class(c, (unsigned char)p[1]);
    case '[':
      return is_in_set(m, c, p, end - 1);
    default:
      return (unsigned char)*p == c;
  }
}

/* ---- matching -------------------------------------------------------------------------------- */

static const char* match(Matcher* m, const char* s, const char* p);

/* %bxy */
static const char* match_balance(Matcher* m, const char* s, const char* p) {
  if (p >= m->pattern_end - 1) {
    luaL_error(m->L, "malformed pattern (missing arguments to '%%b')");
  }
  if (s >= m->text_end || *s != p[0]) {
    return NULL;
  }
  int open = 1;
  while (++s < m->text_end) {
    count_step(m);
    if (*s == p[1]) {
      if (--open == 0) {
        return s + 1;
      }
    } else if (*s == p[0]) {
      open++;
    }
  }
  return NULL;
}

/* Matches as many as possible, then the rest. */
static const char* match_most(Matcher* m, const char* s, const char* p, const char* end,
                              ptrdiff_t least) {
  ptrdiff_t count = 0;
  while (is_in_class(m, s + count, p, end)) {
    count_step(m);
    count++;
  }
  for (; count >= least; count--) {
    const char* found = match(m, s + count, end + 1);
    if (found) {
      return found;
    }
  }
  return NULL;
}

/* Matches as few as possible, then the rest. */
static const char* match_least(Matcher* m, const char* s, const char* p, const char* end) {
  for (;;) {
    const char* found = match(m, s, end + 1);
    if (found || !is_in_class(m, s, p, end)) {
      return found;
    }
    s++;
  }
}

static const char* begin_capture(Matcher* m, const char* s, const char* p, ptrdiff_t what) {
  if (m->captures >= MOST_CAPTURES) {
    luaL_error(m->L, "too many captures");
  }
  m->capture[m->captures++] = (Capture){s, what};
  const char* found = match(m, s, p);
  m->captures -= found ? 0 : 1;
  return found;
}

static const char* end_capture(Matcher* m, const char* s, const char* p) {
  int last = m->captures - 1;
  while (last >= 0 && m->capture[last].length != OPEN) {
    last--;
  }
  if (last < 0) {
    luaL_error(m->L, "invalid pattern capture");
  }
  m->capture[last].length = s - m->capture[last].begin;
  const char* found = match(m, s, p);
  if (!found) {
    m->capture[last].length = OPEN;
  }
  return found;
}

/* %1 */
static const char* match_capture(Matcher* m, const char* s, int digit) {
  const int k = digit - '1';
  if (k < 0 || k >= m->captures || m->capture[k].length == OPEN) {
    luaL_error(m->L, "invalid capture index %%%d", k + 1);
  }
  const ptrdiff_t length = m->capture[k].length;
  if (length < 0 || m->text_end - s < length) {
    return NULL; /* a position is no text */
  }
  vidalua_charge(m->L, (double)length / 16.0);
  return memcmp(m->capture[k].begin, s, (size_t)length) == 0 ? s + length : NULL;
}

/* %f[set] */
static bool is_frontier(Matcher* m, const char* s, const char* p, const char* end) {
  const int before = s == m->text ? '\0' : (unsigned char)s[-1];
  const int after = s == m->text_end ? '\0' : (unsigned char)*s;
  return !is_in_set(m, before, p, end - 1) && is_in_set(m, after, p, end - 1);
}

/* Matches one item of the pattern; sets *s and *p behind it. Returns false if *found is the end. */
static bool match_class(Matcher* m, const char** s, const char** p, const char** found) {
  const char* end = class_end(m, *p);
  const char suffix = end < m->pattern_end ? *end : '\0';
  *found = NULL;
  if (suffix == '*' || suffix == '+') {
    *found = match_most(m, *s, *p, end, suffix == '+');
    return false;
  }
  if (suffix == '-') {
    *found = match_least(m, *s, *p, end);
    return false;
  }
  const bool is_one = is_in_class(m, *s, *p, end);
  if (suffix == '?') {
    if (is_one && (*found = match(m, *s + 1, end + 1)) != NULL) {
      return false;
    }
    *p = end + 1;
    return true;
  }
  *s += is_one ? 1 : 0;
  *p = end;
  return is_one;
}

/* Matches an item that begins with a %; the same. */
static bool match_escape(Matcher* m, const char** s, const char** p, const char** found) {
  const char kind = *p + 1 < m->pattern_end ? (*p)[1] : '\0';
  *found = NULL;
  if (kind == 'b') {
    *s = match_balance(m, *s, *p + 2);
    *p += 4;
    return *s != NULL;
  }
  if (kind == 'f') {
    *p += 2;
    if (*p >= m->pattern_end || **p != '[') {
      luaL_error(m->L, "missing '[' after '%%f' in pattern");
    }
    const char* end = class_end(m, *p);
    const bool is_there = is_frontier(m, *s, *p, end);
    *p = end;
    return is_there;
  }
  if (isdigit((unsigned char)kind)) {
    *s = match_capture(m, *s, kind);
    *p += 2;
    return *s != NULL;
  }
  return match_class(m, s, p, found);
}

static const char* match_items(Matcher* m, const char* s, const char* p) {
  const char* found = NULL;
  for (bool more = true; more;) {
    count_step(m);
    if (p == m->pattern_end) {
      return s;
    }
    if (*p == '(') {
      const bool is_position = p + 1 < m->pattern_end && p[1] == ')';
      return begin_capture(m, s, p + (is_position ? 2 : 1), is_position ? POSITION : OPEN);
    }
    if (*p == ')') {
      return end_capture(m, s, p + 1);
    }
    if (*p == '$' && p + 1 == m->pattern_end) {
      return s == m->text_end ? s : NULL;
    }
    more = *p == '%' ? match_escape(m, &s, &p, &found) : match_class(m, &s, &p, &found);
  }
  return found;
}

static const char* match(Matcher* m, const char* s, const char* p) {
  if (m->depth++ >= MOST_DEPTH) {
    luaL_error(m->L, "pattern too complex");
  }
  const char* found = match_items(m, s, p);
  m->depth--;
  return found;
}

static const char* match_at(Matcher* m, const char* s, const char* p) {
  m->depth = m->captures = 0;
  return match(m, s, p);
}

/* ---- captures as values ---------------------------------------------------------------------- */

static void push_capture(Matcher* m, int k, const char* begin, const char* end) {
  if (k >= m->captures) {
    if (k > 0) {
      luaL_error(m->L, "invalid capture index %%%d", k + 1);
    }
    lua_pushlstring(m->L, begin, (size_t)(end - begin)); /* the whole match */
    return;
  }
  const Capture* capture = &m->capture[k];
  if (capture->length == OPEN) {
    luaL_error(m->L, "unfinished capture");
  }
  if (capture->length == POSITION) {
    lua_pushinteger(m->L, capture->begin - m->text + 1);
  } else {
    lua_pushlstring(m->L, capture->begin, (size_t)capture->length);
  }
}

/* Pushes all captures; without any, the whole match if `begin` is not NULL. */
static int push_captures(Matcher* m, const char* begin, const char* end) {
  const int count = m->captures == 0 && begin ? 1 : m->captures;
  luaL_checkstack(m->L, count, "too many captures");
  for (int k = 0; k < count; k++) {
    push_capture(m, k, begin, end);
  }
  return count;
}

/* ---- find and match -------------------------------------------------------------------------- */

/* Where to begin, from 0 on; beyond the end: not at all. */
static size_t first_index(lua_Integer position, size_t length) {
  if (position > 0) {
    return (size_t)position - 1;
  }
  if (position == 0 || position < -(lua_Integer)length) {
    return 0;
  }
  return length - (size_t)(-position);
}

static bool has_no_specials(const char* pattern, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (pattern[i] != '\0' && strchr("^$*+?.([%-", pattern[i])) {
      return false;
    }
  }
  return true;
}

static const char* find_plain(lua_State* L, const char* text, size_t length, const char* word,
                              size_t size) {
  for (size_t i = 0; i + size <= length; i++) {
    if (i % STEPS_AT_ONCE == 0) {
      vidalua_charge(L, STEPS_AT_ONCE / 16 + (double)size / 16.0);
    }
    if (size == 0 || (text[i] == word[0] && memcmp(text + i, word, size) == 0)) {
      return text + i;
    }
  }
  return NULL;
}

static int find_or_match(lua_State* L, bool find) {
  size_t length = 0, size = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  const char* pattern = luaL_checklstring(L, 2, &size);
  const size_t first = first_index(luaL_optinteger(L, 3, 1), length);
  if (first > length) {
    luaL_pushfail(L);
    return 1;
  }
  if (find && (lua_toboolean(L, 4) || has_no_specials(pattern, size))) {
    const char* found = find_plain(L, text + first, length - first, pattern, size);
    if (found) {
      lua_pushinteger(L, found - text + 1);
      lua_pushinteger(L, found - text + (ptrdiff_t)size);
      return 2;
    }
    luaL_pushfail(L);
    return 1;
  }
  Matcher m;
  const bool is_anchored = size > 0 && *pattern == '^';
  begin_matching(&m, L, text, length, pattern, size);
  pattern += is_anchored ? 1 : 0;
  for (const char* s = text + first; s <= m.text_end; s++) {
    const char* end = match_at(&m, s, pattern);
    if (end && find) {
      lua_pushinteger(L, s - text + 1);
      lua_pushinteger(L, end - text);
      return 2 + push_captures(&m, NULL, NULL);
    }
    if (end) {
      return push_captures(&m, s, end);
    }
    if (is_anchored) {
      break;
    }
  }
  luaL_pushfail(L);
  return 1;
}

static int pattern_find(lua_State* L) {
  return find_or_match(L, true);
}

static int pattern_match(lua_State* L) {
  return find_or_match(L, false);
}

/* ---- gmatch ---------------------------------------------------------------------------------- */

/* Upvalues: text, pattern, where to begin, where the last match ended (-1: nowhere), both from 0.
 */
enum { GMATCH_TEXT = 1, GMATCH_PATTERN, GMATCH_FROM, GMATCH_LAST };

static int next_match(lua_State* L) {
  size_t length = 0, size = 0;
  Matcher m;
  const char* text = lua_tolstring(L, lua_upvalueindex(GMATCH_TEXT), &length);
  const char* pattern = lua_tolstring(L, lua_upvalueindex(GMATCH_PATTERN), &size);
  const lua_Integer from = lua_tointeger(L, lua_upvalueindex(GMATCH_FROM));
  const lua_Integer last = lua_tointeger(L, lua_upvalueindex(GMATCH_LAST));
  begin_matching(&m, L, text, length, pattern, size);
  for (lua_Integer i = from; i <= (lua_Integer)length; i++) {
    const char* end = match_at(&m, text + i, pattern);
    if (end && end - text != last) {
      lua_pushinteger(L, end - text);
      lua_copy(L, -1, lua_upvalueindex(GMATCH_FROM));
      lua_replace(L, lua_upvalueindex(GMATCH_LAST));
      return push_captures(&m, text + i, end);
    }
  }
  lua_pushinteger(L, (lua_Integer)length + 1);
  lua_replace(L, lua_upvalueindex(GMATCH_FROM));
  return 0;
}

static int pattern_gmatch(lua_State* L) {
  size_t length = 0;
  luaL_checklstring(L, 1, &length);
  luaL_checkstring(L, 2);
  const size_t first = first_index(luaL_optinteger(L, 3, 1), length);
  lua_settop(L, 2);
  lua_pushinteger(L, (lua_Integer)(first > length ? length + 1 : first));
  lua_pushinteger(L, -1);
  lua_pushcclosure(L, next_match, GMATCH_LAST);
  return 1;
}

/* ---- gsub ------------------------------------------------------------------------------------ */

static void add_template(Matcher* m, luaL_Buffer* result, const char* begin, const char* end) {
  lua_State* L = m->L;
  size_t length = 0;
  const char* text = lua_tolstring(L, 3, &length);
  for (const char* stop = text + length; text < stop; text++) {
    count_step(m);
    if (*text != '%') {
      luaL_addchar(result, *text);
      continue;
    }
    text++;
    if (text < stop && *text == '%') {
      luaL_addchar(result, '%');
    } else if (text < stop && *text == '0') {
      luaL_addlstring(result, begin, (size_t)(end - begin));
    } else if (text < stop && isdigit((unsigned char)*text)) {
      const int k = *text - '1';
      if (k >= m->captures && k > 0) {
        luaL_error(L, "invalid capture index %%%d in replacement string", k + 1);
      }
      push_capture(m, k, begin, end);
      luaL_tolstring(L, -1, NULL);
      lua_remove(L, -2);
      luaL_addvalue(result);
    } else {
      luaL_error(L, "invalid use of '%%' in replacement string");
    }
  }
}

/* Adds what replaces a match; returns whether it differs. */
static bool add_replacement(Matcher* m, luaL_Buffer* result, const char* begin, const char* end) {
  lua_State* L = m->L;
  switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
      lua_pushvalue(L, 3);
      lua_call(L, push_captures(m, begin, end), 1);
      break;
    case LUA_TTABLE:
      push_capture(m, 0, begin, end);
      lua_gettable(L, 3);
      break;
    default:
      add_template(m, result, begin, end);
      return true;
  }
  if (!lua_toboolean(L, -1)) {
    lua_pop(L, 1);
    luaL_addlstring(result, begin, (size_t)(end - begin));
    return false;
  }
  if (!lua_isstring(L, -1)) {
    luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
  }
  luaL_addvalue(result);
  return true;
}

static int pattern_gsub(lua_State* L) {
  size_t length = 0, size = 0;
  const char* text = luaL_checklstring(L, 1, &length);
  const char* pattern = luaL_checklstring(L, 2, &size);
  const int type = lua_type(L, 3);
  const lua_Integer most = luaL_optinteger(L, 4, (lua_Integer)length + 1);
  luaL_argexpected(
      L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TFUNCTION || type == LUA_TTABLE,
      3, "string/function/table");
  if (type == LUA_TNUMBER) {
    lua_tostring(L, 3);
  }
  Matcher m;
  luaL_Buffer result;
  const bool is_anchored = size > 0 && *pattern == '^';
  const char *s = text, *last = NULL;
  lua_Integer count = 0;
  bool differs = false;
  begin_matching(&m, L, text, length, pattern, size);
  pattern += is_anchored ? 1 : 0;
  luaL_buffinit(L, &result);
  while (count < most) {
    const char* end = match_at(&m, s, pattern);
    if (end && end != last) {
      count++;
      differs = add_replacement(&m, &result, s, end) || differs;
      s = last = end;
    } else if (s < m.text_end) {
      luaL_addchar(&result, *s);
      s++;
    } else {
      break;
    }
    if (is_anchored) {
      break;
    }
  }
  if (!differs) {
    lua_pushvalue(L, 1);
  } else {
    luaL_addlstring(&result, s, (size_t)(m.text_end - s));
    luaL_pushresult(&result);
  }
  lua_pushinteger(L, count);
  return 2;
}

const luaL_Reg vidalua_pattern_functions[] = {{"find", pattern_find},
                                              {"match", pattern_match},
                                              {"gmatch", pattern_gmatch},
                                              {"gsub", pattern_gsub},
                                              {NULL, NULL}};
