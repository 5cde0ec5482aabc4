/*** Vectors of numbers and expressions, and quaternions, which are vectors of four components,
 * scalar first. Vectors can be added and subtracted, and multiplied and divided by numbers and
 * expressions. A point (its position) or a list can be used in place of a vector. The components
 * are `v[1]`, `v[2]`, ...; `#v` is their number.
 *
 * @classmod vector
 * @usage
 * local vida = require "vida"
 * local s = vida.system "vectors"
 * local a = s:particle { "a", mass = 1, position = { 1, 0, 0 } }
 * local b = s:particle { "b", mass = 1, position = { 0, 1, 0 } }
 */
#include <math.h>
#include <string.h>

#include "binding.h"

/* ---- values ---------------------------------------------------------------------------------- */

void vidalua_make_vector(lua_State* L) {
  luaL_setmetatable(L, VIDALUA_VECTOR);
}

static bool is_own_vector(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index)) {
    return false;
  }
  luaL_getmetatable(L, VIDALUA_VECTOR);
  const bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same;
}

bool vidalua_is_vector(lua_State* L, int index) {
  return is_own_vector(L, index) || luaL_testudata(L, index, VIDALUA_POINT);
}

static bool is_scalar(lua_State* L, int index) {
  return vidalua_is_number(L, index) || luaL_testudata(L, index, VIDALUA_EXPRESSION);
}

int vidalua_push_values(lua_State* L, int index, const char* place) {
  index = lua_absindex(L, index);
  if (luaL_testudata(L, index, VIDALUA_POINT)) {
    return vidalua_push_position(L, index, false);
  }
  const bool is_other = !is_own_vector(L, index) && luaL_getmetafield(L, index, "__name");
  if (is_other || lua_type(L, index) != LUA_TTABLE) {
    vidalua_expected(L, "", place, "a vector, a point or a list of numbers or expressions", index);
  }
  const int length = vidalua_check_list(L, index, "", place);
  for (int i = 1; i <= length; i++) {
    lua_rawgeti(L, index, i);
    if (!is_scalar(L, -1)) {
      const char* entry = lua_pushfstring(L, "%s: [%d]", place, i);
      vidalua_expected(L, "", entry, "a number or an expression", -2);
    }
    lua_pop(L, 1);
  }
  lua_pushvalue(L, index);
  return length;
}

/* Replaces argument `index` of a function of the module by a list; if `count` > 0, it must have
 * this length. */
static int check_argument(lua_State* L, const char* function, int index, int count) {
  const char* place = lua_pushfstring(L, "argument %d of vida.%s", index, function);
  const int length = vidalua_push_values(L, index, place);
  if (count > 0 && length != count) {
    vidalua_error(L, "%s: expected a list of %d components, got %d", place, count, length);
  }
  lua_replace(L, index);
  lua_pop(L, 1);
  return length;
}

static void check_count(lua_State* L, const char* function, int expected) {
  const int got = lua_gettop(L);
  if (got != expected) {
    vidalua_error(L, "vida.%s: expected %d argument%s, got %d", function, expected,
                  expected == 1 ? "" : "s", got);
  }
}

/* ---- operators ------------------------------------------------------------------------------- */

static void check_length(lua_State* L, VidaLuaOperation operation, int first, int second) {
  if (first != second) {
    vidalua_error(L, "'%s' of vectors: expected two vectors of the same length, got %d and %d",
                  vidalua_operation_name(operation), first, second);
  }
}

/* Pushes entry i of the list at `list`; if list is 0, the scalar. */
static void push_entry(lua_State* L, int list, int scalar, int i) {
  if (list) {
    lua_rawgeti(L, list, i);
  } else {
    lua_pushvalue(L, scalar);
  }
}

static int push_operand(lua_State* L, VidaLuaOperation operation, int index) {
  const char* name = vidalua_operation_name(operation);
  const char* place = lua_pushfstring(L, "operand %d of '%s'", index, name);
  if (is_scalar(L, index)) {
    vidalua_expected(L, "", place, "a vector", index);
  }
  const int length = vidalua_push_values(L, index, place);
  lua_remove(L, -2);
  return length;
}

static void push_negative(lua_State* L) {
  const int length = push_operand(L, VIDALUA_NEGATE, 1);
  const int list = lua_gettop(L);
  lua_createtable(L, length, 0);
  for (int i = 1; i <= length; i++) {
    lua_rawgeti(L, list, i);
    vidalua_operate(L, VIDALUA_NEGATE);
    lua_rawseti(L, -2, i);
  }
  vidalua_make_vector(L);
}

static void refuse_operation(lua_State* L, VidaLuaOperation operation) {
  switch (operation) {
    case VIDALUA_MULTIPLY:
      vidalua_error(L,
                    "two vectors have no '*'; use vida.dot(a, b) or vida.cross(a, b), and "
                    "vida.quaternion_product(p, q) for quaternions");
      break;
    case VIDALUA_DIVIDE:
      vidalua_error(L, "nothing can be divided by a vector; vida.norm(v) is its length");
      break;
    default:
      vidalua_error(L, "a vector has no '%s'; its square is vida.dot(v, v)",
                    vidalua_operation_name(operation));
      break;
  }
}

void vidalua_combine_vectors(lua_State* L, VidaLuaOperation operation) {
  if (operation == VIDALUA_NEGATE) {
    push_negative(L);
    return;
  }
  const bool is_sum = operation == VIDALUA_ADD || operation == VIDALUA_SUBTRACT;
  const bool scalar[] = {!is_sum && is_scalar(L, 1), !is_sum && is_scalar(L, 2)};
  if (!is_sum && (!(scalar[0] || scalar[1]) || operation == VIDALUA_POWER ||
                  (operation == VIDALUA_DIVIDE && !scalar[1]))) {
    refuse_operation(L, operation);
  }
  int list[2] = {0, 0};
  int length[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    if (!scalar[i]) {
      length[i] = push_operand(L, operation, i + 1);
      list[i] = lua_gettop(L);
    }
  }
  if (is_sum) {
    check_length(L, operation, length[0], length[1]);
  }
  const int count = list[0] ? length[0] : length[1];
  lua_createtable(L, count, 0);
  for (int i = 1; i <= count; i++) {
    push_entry(L, list[0], 1, i);
    push_entry(L, list[1], 2, i);
    vidalua_operate(L, operation);
    lua_rawseti(L, -2, i);
  }
  vidalua_make_vector(L);
}

static int vector_operator(lua_State* L) {
  lua_settop(L, 2);
  vidalua_combine_vectors(L, (VidaLuaOperation)lua_tointeger(L, lua_upvalueindex(1)));
  return 1;
}

static int vector_compare(lua_State* L) {
  return vidalua_error(L, "vectors cannot be compared; compare numbers such as vida.norm(v)");
}

static int vector_concat(lua_State* L) {
  return vidalua_error(L, "a vector is not a text; to print it, use tostring(vector)");
}

static int vector_no_integer(lua_State* L) {
  return vidalua_error(L, "vectors have no '//' and no '%%'");
}

void vidalua_set_vector_operators(lua_State* L) {
  static const luaL_Reg others[] = {{"__lt", vector_compare},     {"__le", vector_compare},
                                    {"__concat", vector_concat},  {"__idiv", vector_no_integer},
                                    {"__mod", vector_no_integer}, {NULL, NULL}};
  static const char* const names[] = {
      [VIDALUA_ADD] = "__add",    [VIDALUA_SUBTRACT] = "__sub", [VIDALUA_MULTIPLY] = "__mul",
      [VIDALUA_DIVIDE] = "__div", [VIDALUA_POWER] = "__pow",    [VIDALUA_NEGATE] = "__unm"};
  for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++) {
    lua_pushinteger(L, i);
    lua_pushcclosure(L, vector_operator, 1);
    lua_setfield(L, -2, names[i]);
  }
  luaL_setfuncs(L, others, 0);
}

bool vidalua_copy_numbers(lua_State* L, int index, int count) {
  const int length = (int)lua_rawlen(L, index);
  if (lua_type(L, index) != LUA_TTABLE || length == 0 || (count > 0 && length != count)) {
    return false;
  }
  if (lua_getmetatable(L, index)) {
    lua_pop(L, 1);
    if (!is_own_vector(L, index)) {
      return false;
    }
  }
  const int top = lua_gettop(L);
  int keys = 0;
  lua_createtable(L, length, 0);
  lua_pushnil(L);
  for (; lua_next(L, index); keys++) {
    const lua_Integer i = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (i < 1 || i > length || !vidalua_is_number(L, -1) || !isfinite(lua_tonumber(L, -1))) {
      lua_settop(L, top);
      return false;
    }
    lua_rawseti(L, top + 1, i);
  }
  if (keys != length) {
    lua_settop(L, top);
    return false;
  }
  vidalua_make_vector(L);
  return true;
}

/* ---- the class ------------------------------------------------------------------------------- */

/*** The first component, which is `v[1]`.
 * @tfield number|expression x
 */

/*** The second component, which is `v[2]`.
 * @tfield number|expression y
 */

/*** The third component, which is `v[3]`.
 * @tfield number|expression z
 */

/*** Makes a vector.
 * @function vida.vector
 * @tparam {number|expression,...}|point components at least one
 * @treturn vector
 * @usage
 * local v = 2 * vida.vector { 1, 2, a.x } - b.position
 */
static int new_vector(lua_State* L) {
  check_count(L, "vector", 1);
  if (vidalua_copy_numbers(L, 1, 0)) {
    return 1;
  }
  const int length = check_argument(L, "vector", 1, 0);
  if (length == 0) {
    return vidalua_error(L, "vida.vector: expected at least one component, got an empty list");
  }
  lua_createtable(L, length, 0);
  for (int i = 1; i <= length; i++) {
    lua_rawgeti(L, 1, i);
    lua_rawseti(L, -2, i);
  }
  vidalua_make_vector(L);
  return 1;
}

/* Returns the index of a component from its key "x", "y", "z" or its index; 0 for other keys. */
static lua_Integer component(lua_State* L, int key) {
  const char* name = lua_type(L, key) == LUA_TSTRING ? lua_tostring(L, key) : "";
  if (lua_isinteger(L, key)) {
    return lua_tointeger(L, key);
  }
  return strlen(name) == 1 && name[0] >= 'x' && name[0] <= 'z' ? name[0] - 'x' + 1 : 0;
}

static int refuse_component(lua_State* L) {
  const char* key = luaL_tolstring(L, 2, NULL);
  const int length = (int)lua_rawlen(L, 1);
  if (strcmp(key, "velocity") == 0 || strcmp(key, "position") == 0) {
    return vidalua_error(L, "a vector has no '%s'; particles and points have", key);
  }
  return vidalua_error(L, "a vector of %d components has no '%s'", length, key);
}

static int vector_index(lua_State* L) {
  const lua_Integer wanted = component(L, 2);
  const lua_Integer length = (lua_Integer)lua_rawlen(L, 1);
  /* ipairs stops at the index after the last component. */
  if (wanted < 1 || wanted > length + (lua_isinteger(L, 2) ? 1 : 0)) {
    return refuse_component(L);
  }
  lua_rawgeti(L, 1, wanted);
  return 1;
}

static int vector_newindex(lua_State* L) {
  const lua_Integer wanted = component(L, 2);
  if (wanted < 1 || wanted > (lua_Integer)lua_rawlen(L, 1)) {
    return refuse_component(L);
  }
  if (!is_scalar(L, 3)) {
    return vidalua_expected(L, "vector", lua_pushfstring(L, "[%d]", (int)wanted),
                            "a number or an expression", 3);
  }
  lua_rawseti(L, 1, wanted);
  return 0;
}

static int vector_tostring(lua_State* L) {
  luaL_Buffer text;
  const int length = (int)lua_rawlen(L, 1);
  luaL_buffinit(L, &text);
  luaL_addstring(&text, "vector (");
  for (int i = 1; i <= length; i++) {
    luaL_addstring(&text, i > 1 ? ", " : "");
    lua_rawgeti(L, 1, i);
    luaL_tolstring(L, -1, NULL);
    lua_remove(L, -2);
    luaL_addvalue(&text);
  }
  luaL_addstring(&text, ")");
  luaL_pushresult(&text);
  return 1;
}

/* ---- products -------------------------------------------------------------------------------- */

/* Pushes the product of entry i of the list at `a` and entry j of the list at `b`. */
static void push_product(lua_State* L, int a, int i, int b, int j) {
  lua_rawgeti(L, a, i);
  lua_rawgeti(L, b, j);
  vidalua_operate(L, VIDALUA_MULTIPLY);
}

static void push_dot(lua_State* L, int a, int b, int length) {
  if (length == 0) {
    lua_pushnumber(L, 0.0);
  }
  for (int i = 1; i <= length; i++) {
    push_product(L, a, i, b, i);
    if (i > 1) {
      vidalua_operate(L, VIDALUA_ADD);
    }
  }
}

/*** The scalar product.
 * @function vida.dot
 * @tparam vector a
 * @tparam vector b of the same length
 * @treturn number|expression
 * @usage
 * local squared = vida.dot(a - b, a - b)
 */
static int call_dot(lua_State* L) {
  check_count(L, "dot", 2);
  const int first = check_argument(L, "dot", 1, 0);
  const int second = check_argument(L, "dot", 2, 0);
  if (first != second) {
    return vidalua_error(L, "vida.dot: expected two vectors of the same length, got %d and %d",
                         first, second);
  }
  push_dot(L, 1, 2, first);
  return 1;
}

/*** The length of a vector.
 * @function vida.norm
 * @tparam vector v
 * @treturn number|expression
 * @usage
 * s:potential(0.5 * 40 * (vida.norm(a - b) - 1) ^ 2)
 */
static int call_norm(lua_State* L) {
  check_count(L, "norm", 1);
  push_dot(L, 1, 1, check_argument(L, "norm", 1, 0));
  vidalua_operate(L, VIDALUA_SQRT);
  return 1;
}

static void push_cross(lua_State* L, int a, int b) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3 + 1;
    const int last = (i + 2) % 3 + 1;
    push_product(L, a, next, b, last);
    push_product(L, a, last, b, next);
    vidalua_operate(L, VIDALUA_SUBTRACT);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
}

/*** The vector product.
 * @function vida.cross
 * @tparam vector a of three components
 * @tparam vector b of three components
 * @treturn vector
 * @usage
 * local momentum = vida.cross(a.position, 2 * a.velocity)
 */
static int call_cross(lua_State* L) {
  check_count(L, "cross", 2);
  const int first = check_argument(L, "cross", 1, 0);
  const int second = check_argument(L, "cross", 2, 0);
  if (first != 3 || second != 3) {
    return vidalua_error(L, "vida.cross: expected two vectors of three components, got %d and %d",
                         first, second);
  }
  push_cross(L, 1, 2);
  return 1;
}

/* ---- quaternions, scalar first --------------------------------------------------------------- */

/* A bilinear form of two lists: the sum of sign a[i] b[j]. */
typedef struct Product {
  int i, j;
  bool minus;
} Product;

static void push_form(lua_State* L, const Product* product, int count, int a, int b) {
  for (int k = 0; k < count; k++) {
    push_product(L, a, product[k].i, b, product[k].j);
    if (k > 0) {
      vidalua_operate(L, product[k].minus ? VIDALUA_SUBTRACT : VIDALUA_ADD);
    }
  }
}

/*** The product of two quaternions: the rotation by q, then the rotation by p.
 * @function vida.quaternion_product
 * @tparam vector p of four components
 * @tparam vector q of four components
 * @treturn vector
 * @usage
 * local half = vida.quaternion_product({ 0, 1, 0, 0 }, { 0, 0, 1, 0 })
 */
static int call_quaternion_product(lua_State* L) {
  static const Product rows[4][4] = {{{1, 1, 0}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}},
                                     {{1, 2, 0}, {2, 1, 0}, {3, 4, 0}, {4, 3, 1}},
                                     {{1, 3, 0}, {3, 1, 0}, {4, 2, 0}, {2, 4, 1}},
                                     {{1, 4, 0}, {4, 1, 0}, {2, 3, 0}, {3, 2, 1}}};
  check_count(L, "quaternion_product", 2);
  check_argument(L, "quaternion_product", 1, 4);
  check_argument(L, "quaternion_product", 2, 4);
  lua_createtable(L, 4, 0);
  for (int i = 0; i < 4; i++) {
    push_form(L, rows[i], 4, 1, 2);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
  return 1;
}

/* Pushes 2 (q[i] q[j] +- q[k] q[l]). */
static void push_mixed(lua_State* L, int q, int i, int j, int k, int l, bool minus) {
  const Product form[] = {{i, j, false}, {k, l, minus}};
  lua_pushnumber(L, 2.0);
  push_form(L, form, 2, q, q);
  vidalua_operate(L, VIDALUA_MULTIPLY);
}

/*** The matrix of a quaternion, from body to space. It is quadratic in q: for all quaternions the
 * matrix of a product is the product of the matrices. If q has norm 1, it is a rotation.
 * @function vida.rotation
 * @tparam vector q of four components
 * @treturn {vector,vector,vector} its rows
 * @usage
 * local rows = vida.rotation { 1, 0, 0, 0 }
 * print(rows[1][1])
 */
static int call_rotation(lua_State* L) {
  check_count(L, "rotation", 1);
  check_argument(L, "rotation", 1, 4);
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    lua_createtable(L, 3, 0);
    for (int j = 0; j < 3; j++) {
      const int a = i + 2;
      const int b = j + 2;
      const int third = 9 - a - b;
      if (i == j) {
        const int next = (i + 1) % 3 + 2;
        const int last = (i + 2) % 3 + 2;
        const Product squares[] = {{1, 1, 0}, {a, a, 0}, {next, next, 1}, {last, last, 1}};
        push_form(L, squares, 4, 1, 1);
      } else {
        push_mixed(L, 1, a, b, 1, third, (j - i + 3) % 3 == 1);
      }
      lua_rawseti(L, -2, j + 1);
    }
    vidalua_make_vector(L);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/*** A vector rotated by a quaternion: the product of `vida.rotation` and the vector.
 * @function vida.rotate
 * @tparam vector q of four components
 * @tparam vector v of three components
 * @treturn vector
 * @usage
 * local turned = vida.rotate({ 0, 0, 0, 1 }, { 1, 0, 0 })
 */
static int call_rotate(lua_State* L) {
  enum { QUATERNION = 1, VECTOR, PART, ALONG, ACROSS };
  static const Product scale[] = {{1, 1, 0}, {2, 2, 1}, {3, 3, 1}, {4, 4, 1}};
  check_count(L, "rotate", 2);
  check_argument(L, "rotate", 1, 4);
  check_argument(L, "rotate", 2, 3);
  lua_createtable(L, 3, 0); /* u */
  for (int i = 1; i <= 3; i++) {
    lua_rawgeti(L, QUATERNION, i + 1);
    lua_rawseti(L, PART, i);
  }
  push_dot(L, PART, VECTOR, 3);
  push_cross(L, PART, VECTOR);
  lua_createtable(L, 3, 0);
  for (int i = 1; i <= 3; i++) {
    push_form(L, scale, 4, QUATERNION, QUATERNION);
    lua_rawgeti(L, VECTOR, i);
    vidalua_operate(L, VIDALUA_MULTIPLY);
    lua_pushnumber(L, 2.0);
    lua_pushvalue(L, ALONG);
    lua_rawgeti(L, PART, i);
    vidalua_operate(L, VIDALUA_MULTIPLY);
    push_product(L, QUATERNION, 1, ACROSS, i);
    vidalua_operate(L, VIDALUA_ADD);
    vidalua_operate(L, VIDALUA_MULTIPLY);
    vidalua_operate(L, VIDALUA_ADD);
    lua_rawseti(L, -2, i);
  }
  vidalua_make_vector(L);
  return 1;
}

void vidalua_open_vector(lua_State* L) {
  static const luaL_Reg meta[] = {{"__index", vector_index},
                                  {"__newindex", vector_newindex},
                                  {"__tostring", vector_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg functions[] = {{"vector", new_vector},
                                       {"dot", call_dot},
                                       {"norm", call_norm},
                                       {"cross", call_cross},
                                       {"quaternion_product", call_quaternion_product},
                                       {"rotation", call_rotation},
                                       {"rotate", call_rotate},
                                       {NULL, NULL}};
  luaL_newmetatable(L, VIDALUA_VECTOR);
  luaL_setfuncs(L, meta, 0);
  vidalua_set_vector_operators(L);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
}
