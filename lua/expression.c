/*** Expressions: formulas of coordinates, rates, particles, parameters and time.
 * They support `+ - * / ^` and the functions of this page, which also accept numbers (and then
 * return numbers). VIDA differentiates formulas. An expression belongs to one system, and must be
 * made before the system is complete.
 *
 * Two operations of Lua do not work with formulas: `==` between expressions is always false (use
 * `vida.equal`), and `if` cannot depend on an expression (use `vida.where`).
 *
 * @classmod expression
 * @usage
 * local vida = require "vida"
 * local s = vida.system "formulas"
 * local x, v = s:coordinate { "x", unit = "m", value = 0.5 }
 * local y = s:coordinate { "y", unit = "m", value = 2 }
 */
#include <math.h>
#include <string.h>

#include "binding.h"

/* User value 1 is the system, so that an expression keeps it alive. */
enum { EXPRESSION_SYSTEM = 1, EXPRESSION_VALUES = EXPRESSION_SYSTEM };

/* ---- operations ------------------------------------------------------------------------------ */

static double add(double a, double b) {
  return a + b;
}

static double subtract(double a, double b) {
  return a - b;
}

static double multiply(double a, double b) {
  return a * b;
}

static double divide(double a, double b) {
  return a / b;
}

static double negate(double a) {
  return -a;
}

static double less(double a, double b) {
  return a < b ? 1.0 : 0.0;
}

static double less_equal(double a, double b) {
  return a <= b ? 1.0 : 0.0;
}

static double equal(double a, double b) {
  return a == b ? 1.0 : 0.0;
}

/* An operation: its metamethod or function in the module, its name in the library, and its function
 * for numbers. */
typedef struct Operation {
  const char* lua;
  const char* name;
  int arity;
  double (*one)(double);
  double (*two)(double, double);
} Operation;

enum { OPERATORS = VIDALUA_SQRT, MIN = VIDALUA_SQRT + 1, MAX };

static const Operation operations[] = {
    [VIDALUA_ADD] = {"__add", "+", 2, NULL, add},
    [VIDALUA_SUBTRACT] = {"__sub", "-", 2, NULL, subtract},
    [VIDALUA_MULTIPLY] = {"__mul", "*", 2, NULL, multiply},
    [VIDALUA_DIVIDE] = {"__div", "/", 2, NULL, divide},
    [VIDALUA_POWER] = {"__pow", "^", 2, NULL, pow},
    [VIDALUA_NEGATE] = {"__unm", "-", 1, negate, NULL},
    [VIDALUA_SQRT] = {"sqrt", "sqrt", 1, sqrt, NULL},
    [MIN] = {"min", "min", 2, NULL, fmin},
    [MAX] = {"max", "max", 2, NULL, fmax},
    {"exp", "exp", 1, exp, NULL},
    {"log", "log", 1, log, NULL},
    {"sin", "sin", 1, sin, NULL},
    {"cos", "cos", 1, cos, NULL},
    {"tan", "tan", 1, tan, NULL},
    {"asin", "asin", 1, asin, NULL},
    {"acos", "acos", 1, acos, NULL},
    {"atan", "atan", 1, atan, NULL},
    {"atan2", "atan2", 2, NULL, atan2},
    {"sinh", "sinh", 1, sinh, NULL},
    {"cosh", "cosh", 1, cosh, NULL},
    {"tanh", "tanh", 1, tanh, NULL},
    {"abs", "abs", 1, fabs, NULL},
    {"less", "<", 2, NULL, less},
    {"less_equal", "<=", 2, NULL, less_equal},
    {"equal", "==", 2, NULL, equal},
};

static const Operation where_operation = {"where", "where", 3, NULL, NULL};

enum { OPERATION_COUNT = sizeof operations / sizeof operations[0], OPERANDS_MOST = 3 };

/* ---- values ---------------------------------------------------------------------------------- */

typedef struct ExpressionHandle {
  VidaExpression node;
  VidaLuaKind kind;
  int number; /* of the coordinate or parameter */
} ExpressionHandle;

static void push_expression(lua_State* L, int system, VidaExpression node, VidaLuaKind kind,
                            int number) {
  system = lua_absindex(L, system);
  ExpressionHandle* created = lua_newuserdatauv(L, sizeof *created, EXPRESSION_VALUES);
  *created = (ExpressionHandle){node, kind, number};
  lua_pushvalue(L, system);
  lua_setiuservalue(L, -2, EXPRESSION_SYSTEM);
  luaL_setmetatable(L, VIDALUA_EXPRESSION);
}

void vidalua_push_formula(lua_State* L, int system, VidaExpression node) {
  push_expression(L, system, node, VIDALUA_FORMULA, -1);
}

static const ExpressionHandle* to_expression(lua_State* L, int index) {
  return luaL_testudata(L, index, VIDALUA_EXPRESSION);
}

bool vidalua_to_node(lua_State* L, int index, VidaExpression* node) {
  const ExpressionHandle* expression = to_expression(L, index);
  *node = expression ? expression->node : -1;
  return expression != NULL;
}

void vidalua_check_owner(lua_State* L, int index, int system, const char* place) {
  const VidaLuaBox* box = vidalua_check_system(L, system);
  lua_getiuservalue(L, index, EXPRESSION_SYSTEM);
  const VidaLuaBox* other = vidalua_check_system(L, -1);
  if (box != other) {
    const char* name = VidaSystem_Name(other->system);
    if (strcmp(name, VidaSystem_Name(box->system)) == 0) {
      vidalua_error(L, "%s: this expression belongs to another system with the same name '%s'",
                    place, name);
    }
    vidalua_error(L, "%s: this expression belongs to system '%s', not to system '%s'", place, name,
                  VidaSystem_Name(box->system));
  }
  lua_pop(L, 1);
}

int vidalua_to_input(lua_State* L, int index, int system, VidaLuaKind kind) {
  const ExpressionHandle* expression = to_expression(L, index);
  if (!expression || expression->kind != kind) {
    return -1;
  }
  system = lua_absindex(L, system);
  lua_getiuservalue(L, index, EXPRESSION_SYSTEM);
  const bool own = lua_rawequal(L, -1, system);
  lua_pop(L, 1);
  return own ? expression->number : -1;
}

/* "operand 2 of '+'" or "argument 1 of vida.sin" */
static const char* push_operand_name(lua_State* L, const Operation* operation, int operand) {
  return operation->lua[0] == '_'
             ? lua_pushfstring(L, "operand %d of '%s'", operand + 1, operation->name)
             : lua_pushfstring(L, "argument %d of vida.%s", operand + 1, operation->lua);
}

/* Pushes the system of the expressions among the operands; nil if all operands are numbers. */
static void push_common_system(lua_State* L, const Operation* operation, const int* operand) {
  VidaLuaBox* box = NULL;
  lua_pushnil(L);
  for (int i = 0; i < operation->arity; i++) {
    if (to_expression(L, operand[i])) {
      lua_getiuservalue(L, operand[i], EXPRESSION_SYSTEM);
      VidaLuaBox* other = vidalua_check_open_system(L, -1);
      if (box && box != other) {
        vidalua_error(
            L,
            "an expression of system '%s' and one of system '%s' in one formula; a formula "
            "belongs to one system",
            VidaSystem_Name(box->system), VidaSystem_Name(other->system));
      }
      box = other;
      lua_replace(L, -2);
    } else if (!vidalua_is_number(L, operand[i])) {
      const char* name = push_operand_name(L, operation, i);
      if (vidalua_is_vector(L, operand[i])) {
        vidalua_error(
            L, "%s: expected a number or an expression, got a vector; take its components", name);
      }
      if (lua_istable(L, operand[i])) {
        vidalua_error(L,
                      "%s: expected a number or an expression, got a table; vida.vector { ... } "
                      "makes a vector of a list, and vectors can be added and scaled",
                      name);
      }
      vidalua_expected(L, "", name, "a number or an expression", operand[i]);
    }
  }
}

static void push_number(lua_State* L, const Operation* operation, const int* operand) {
  const double first = lua_tonumber(L, operand[0]);
  lua_pushnumber(L, operation->one ? operation->one(first)
                                   : operation->two(first, lua_tonumber(L, operand[1])));
}

/* Pushes the result of an operation on values at the indices `operand`, which are absolute. */
static void push_result(lua_State* L, const Operation* operation, const int* operand) {
  VidaError error;
  VidaExpression node[OPERANDS_MOST];
  VidaExpression result = -1;
  luaL_checkstack(L, 8, NULL);
  push_common_system(L, operation, operand);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    push_number(L, operation, operand);
    return;
  }
  const VidaLuaBox* box = vidalua_check_open_system(L, -1);
  for (int i = 0; i < operation->arity; i++) {
    const ExpressionHandle* expression = to_expression(L, operand[i]);
    if (expression) {
      node[i] = expression->node;
    } else if (VidaSystem_Constant(box->system, lua_tonumber(L, operand[i]), &node[i], &error)) {
      vidalua_raise(L, "", push_operand_name(L, operation, i), &error);
    }
  }
  if (VidaSystem_Apply(box->system, operation->name, operation->arity, node, &result, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  push_expression(L, -1, result, VIDALUA_FORMULA, -1);
  lua_remove(L, -2);
}

/* ---- metamethods ----------------------------------------------------------------------------- */

static const Operation* this_operation(lua_State* L) {
  return &operations[lua_tointeger(L, lua_upvalueindex(1))];
}

static int expression_operator(lua_State* L) {
  static const int operand[] = {1, 2};
  const Operation* operation = this_operation(L);
  if (operation->arity == 2 && (vidalua_is_vector(L, 1) || vidalua_is_vector(L, 2))) {
    vidalua_combine_vectors(L, (VidaLuaOperation)(operation - operations));
  } else {
    push_result(L, operation, operand);
  }
  return 1;
}

static int expression_compare(lua_State* L) {
  return vidalua_error(L,
                       "cannot branch on a symbolic value; use vida.where(condition, a, b), with a "
                       "condition such as vida.less(x, y)");
}

static int expression_concat(lua_State* L) {
  return vidalua_error(L, "an expression is not a text; to print it, use tostring(expression)");
}

static int expression_idiv(lua_State* L) {
  return vidalua_error(L, "expressions have no '//'; use '/'");
}

static int expression_mod(lua_State* L) {
  return vidalua_error(L,
                       "expressions have no '%%'; an angle needs none, vida.sin and vida.cos are "
                       "periodic");
}

static int expression_tostring(lua_State* L) {
  const ExpressionHandle* expression = luaL_checkudata(L, 1, VIDALUA_EXPRESSION);
  lua_getiuservalue(L, 1, EXPRESSION_SYSTEM);
  const char* system = luaL_tolstring(L, -1, NULL);
  lua_pushfstring(L, "expression %d of %s", expression->node, system);
  return 1;
}

/* ---- functions of the module ----------------------------------------------------------------- */

/*** The square root. It has no derivative at 0.
 * @function vida.sqrt
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.sqrt(y)
 */

/*** The exponential function.
 * @function vida.exp
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.exp(x)
 */

/*** The natural logarithm.
 * @function vida.log
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.log(y)
 */

/*** The sine.
 * @function vida.sin
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.sin(x)
 */

/*** The cosine.
 * @function vida.cos
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.cos(x)
 */

/*** The tangent.
 * @function vida.tan
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.tan(x)
 */

/*** The arc sine, between -pi/2 and pi/2.
 * @function vida.asin
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.asin(x)
 */

/*** The arc cosine, between 0 and pi.
 * @function vida.acos
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.acos(x)
 */

/*** The arc tangent of one number, between -pi/2 and pi/2.
 * @function vida.atan
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.atan(x)
 */

/*** The hyperbolic sine.
 * @function vida.sinh
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.sinh(x)
 */

/*** The hyperbolic cosine.
 * @function vida.cosh
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.cosh(x)
 */

/*** The hyperbolic tangent.
 * @function vida.tanh
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.tanh(x)
 */

/*** The absolute value.
 * @function vida.abs
 * @tparam number|expression x
 * @treturn number|expression
 * @usage
 * local f = vida.abs(x)
 */

/*** The angle of the point (x, y) from the x axis, between -pi and pi.
 * @function vida.atan2
 * @tparam number|expression y
 * @tparam number|expression x
 * @treturn number|expression rad
 * @usage
 * local angle = vida.atan2(y, x)
 */

/*** The smallest of two or more numbers.
 * @function vida.min
 * @tparam number|expression ...
 * @treturn number|expression
 * @usage
 * local f = vida.min(x, y, 1)
 */

/*** The largest of two or more numbers.
 * @function vida.max
 * @tparam number|expression ...
 * @treturn number|expression
 * @usage
 * local f = vida.max(x, y, 1)
 */

/*** 1 if a < b, otherwise 0: a condition for `vida.where`.
 * @function vida.less
 * @tparam number|expression a
 * @tparam number|expression b
 * @treturn number|expression
 * @usage
 * local f = vida.where(vida.less(x, y), x, y)
 */

/*** 1 if a <= b, otherwise 0: a condition for `vida.where`.
 * @function vida.less_equal
 * @tparam number|expression a
 * @tparam number|expression b
 * @treturn number|expression
 * @usage
 * local f = vida.where(vida.less_equal(x, y), x, y)
 */

/*** 1 if a = b, otherwise 0: a condition for `vida.where`.
 * @function vida.equal
 * @tparam number|expression a
 * @tparam number|expression b
 * @treturn number|expression
 * @usage
 * local f = vida.where(vida.equal(x, y), x, y)
 */

static void check_count(lua_State* L, const char* name, int expected) {
  const int got = lua_gettop(L);
  if (got == 2 && strcmp(name, "atan") == 0) {
    vidalua_error(
        L, "vida.atan: expected 1 argument, got 2; for the angle of y and x use vida.atan2(y, x)");
  }
  if (got != expected) {
    vidalua_error(L, "vida.%s: expected %d argument%s, got %d", name, expected,
                  expected == 1 ? "" : "s", got);
  }
}

static int call_operation(lua_State* L) {
  static const int operand[] = {1, 2};
  const Operation* operation = this_operation(L);
  check_count(L, operation->lua, operation->arity);
  push_result(L, operation, operand);
  return 1;
}

/* vida.min(a, b, ...) and vida.max */
static int call_extremum(lua_State* L) {
  const Operation* operation = this_operation(L);
  const int count = lua_gettop(L);
  if (count < 2) {
    return vidalua_error(L, "vida.%s: expected at least 2 arguments, got %d", operation->lua,
                         count);
  }
  for (int i = 2; i <= count; i++) {
    const int operand[] = {1, i};
    push_result(L, operation, operand);
    lua_replace(L, 1);
  }
  lua_settop(L, 1);
  return 1;
}

/*** Selects one of two values. A condition that is a number or a boolean selects immediately.
 * Otherwise both branches and their derivatives are evaluated at every state, and a branch that
 * leaves its domain fails even if it is not selected: write `vida.sqrt(vida.max(x, 1e-9))`.
 * @function vida.where
 * @tparam boolean|number|expression condition true if it is not 0
 * @tparam number|expression a the value if it is true
 * @tparam number|expression b the value otherwise
 * @treturn number|expression
 * @usage
 * s:potential(vida.where(vida.less(x, 0), 50 * x ^ 2, 0))
 */
static int call_where(lua_State* L) {
  static const int operand[] = {1, 2, 3};
  check_count(L, where_operation.lua, where_operation.arity);
  if (lua_isboolean(L, 1) || vidalua_is_number(L, 1)) {
    const bool holds = lua_isboolean(L, 1) ? lua_toboolean(L, 1) : lua_tonumber(L, 1) != 0.0;
    lua_pushvalue(L, holds ? 2 : 3);
    return 1;
  }
  push_result(L, &where_operation, operand);
  return 1;
}

/* Returns the node of the number or expression in entry `i` of the list `field` at index `list`. */
static VidaExpression switch_entry(lua_State* L, int system, int list, const char* field, int i) {
  VidaError error;
  VidaExpression node = -1;
  const char* entry = lua_pushfstring(L, "%s[%d]", field, i);
  lua_rawgeti(L, list, i);
  if (vidalua_to_node(L, -1, &node)) {
    vidalua_check_owner(L, lua_gettop(L), system, "switch");
  } else if (!vidalua_is_number(L, -1)) {
    vidalua_expected(L, "switch", entry, "a number or an expression", -1);
  } else if (VidaSystem_Constant(vidalua_check_open_system(L, system)->system, lua_tonumber(L, -1),
                                 &node, &error)) {
    vidalua_raise(L, "switch", entry, &error);
  }
  lua_pop(L, 2);
  return node;
}

/* library.switch(of, at, values): `values` has one entry more than `at` */
int vidalua_switch(lua_State* L) {
  enum { OF = 1, AT, VALUES, SYSTEM };
  VidaError error;
  VidaExpression of = -1, result = -1;
  lua_settop(L, VALUES);
  vidalua_to_node(L, OF, &of);
  lua_getiuservalue(L, OF, EXPRESSION_SYSTEM);
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  const int count = (int)lua_rawlen(L, AT);
  const size_t size = 2 * (size_t)count + 1;
  VidaExpression* at = lua_newuserdatauv(L, size * sizeof *at, 0);
  VidaExpression* values = at + count;
  for (int i = 0; i < count; i++) {
    at[i] = switch_entry(L, SYSTEM, AT, "at", i + 1);
  }
  for (int i = 0; i <= count; i++) {
    values[i] = switch_entry(L, SYSTEM, VALUES, "values", i + 1);
  }
  if (VidaSystem_Switch(box->system, of, count, at, values, &result, &error)) {
    return vidalua_raise(L, "switch", NULL, &error);
  }
  vidalua_push_formula(L, SYSTEM, result);
  return 1;
}

/* ---- what vectors are made of ---------------------------------------------------------------- */

const char* vidalua_operation_name(VidaLuaOperation operation) {
  return operations[operation].name;
}

void vidalua_operate(lua_State* L, VidaLuaOperation operation) {
  const int first = lua_gettop(L) - operations[operation].arity + 1;
  const int operand[] = {first, first + 1};
  push_result(L, &operations[operation], operand);
  lua_replace(L, first);
  lua_settop(L, first);
}

/* ---- coordinates and time -------------------------------------------------------------------- */

void vidalua_push_coordinate(lua_State* L, int system, int coordinate, bool rate) {
  VidaError error;
  VidaExpression node = -1;
  const VidaLuaBox* box = vidalua_check_open_system(L, system);
  if (rate ? VidaSystem_Rate(box->system, coordinate, &node, &error)
           : VidaSystem_Position(box->system, coordinate, &node, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  push_expression(L, system, node, rate ? VIDALUA_RATE : VIDALUA_COORDINATE, coordinate);
}

/* library.coordinates(system, first, node, count): the positions of coordinates, whose nodes exist
 * and follow each other, as expressions */
int vidalua_coordinates(lua_State* L) {
  vidalua_check_system(L, 1);
  const int first = (int)luaL_checkinteger(L, 2);
  const VidaExpression node = (VidaExpression)luaL_checkinteger(L, 3);
  const int count = (int)luaL_checkinteger(L, 4);
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    push_expression(L, 1, node + i, VIDALUA_COORDINATE, first + i);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void vidalua_push_parameter(lua_State* L, int system, int parameter) {
  VidaError error;
  VidaExpression node = -1;
  const VidaLuaBox* box = vidalua_check_open_system(L, system);
  if (VidaSystem_ParameterExpression(box->system, parameter, &node, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  push_expression(L, system, node, VIDALUA_PARAMETER, parameter);
}

/*** The time (s) as an expression.
 * @tfield expression system.time
 */
int vidalua_time(lua_State* L) {
  VidaError error;
  VidaExpression node = -1;
  if (VidaSystem_Time(vidalua_check_open_system(L, 1)->system, &node, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  push_expression(L, 1, node, VIDALUA_TIME, -1);
  return 1;
}

/* Checks that a given value is finite. The message of the library would name it a position or a
 * velocity. */
static void check_given(lua_State* L, VidaInitial initial, const char* place, const char* field) {
  if (!initial.free) {
    lua_pushnumber(L, initial.value);
    vidalua_check_finite(L, lua_gettop(L), place, field);
    lua_pop(L, 1);
  }
}

/*** Adds a coordinate. Formulas of the coordinate determine its motion.
 * @function system:coordinate
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number given.value initial value; may be `vida.free`
 * @tparam[opt=0] number given.rate initial rate; may be `vida.free`
 * @tparam[opt=""] string given.unit its unit: "rad", "m"
 * @treturn expression the coordinate
 * @treturn expression its rate
 * @usage
 * local theta, omega = s:coordinate { "theta", unit = "rad", value = 0.8, rate = 0 }
 */
int vidalua_coordinate(lua_State* L) {
  static const char* const keys[] = {"unit", "value", "rate", NULL};
  VidaError error;
  int index = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const char* name;
  const char* place = vidalua_check_definition(
      L, "coordinate", "{ \"theta\", unit = \"rad\", value = 0.5, rate = 0 }", 1, keys, &name);
  const char* unit = vidalua_optional_text(L, 2, place, "unit");
  const VidaInitial value = vidalua_check_initial_value(L, 2, place, "value", true);
  const VidaInitial rate = vidalua_check_initial_value(L, 2, place, "rate", false);
  check_given(L, value, place, "value");
  check_given(L, rate, place, "rate");
  if (VidaSystem_AddCoordinate(box->system, name, unit ? unit : "", value, rate, &index, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  vidalua_push_coordinate(L, 1, index, false);
  vidalua_push_coordinate(L, 1, index, true);
  return 2;
}

/* ---- the class ------------------------------------------------------------------------------- */

/* Sets an operation as a field of the table on top of the stack. */
static void set_operation(lua_State* L, int operation, lua_CFunction function) {
  lua_pushinteger(L, operation);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, operations[operation].lua);
}

/*** The rate of a coordinate; the rate of a parameter is 0.
 * @tfield expression rate
 * @raise if the expression is a formula
 * @usage
 * print(x.rate == v) -- false: expressions are compared by vida.equal
 */
static int expression_rate(lua_State* L) {
  const ExpressionHandle* expression = luaL_checkudata(L, 1, VIDALUA_EXPRESSION);
  if (expression->kind == VIDALUA_PARAMETER) {
    lua_pushnumber(L, 0.0);
    return 1;
  }
  if (expression->kind != VIDALUA_COORDINATE) {
    return vidalua_error(L, "only a coordinate has a rate, not a formula of coordinates");
  }
  lua_getiuservalue(L, 1, EXPRESSION_SYSTEM);
  vidalua_push_coordinate(L, lua_gettop(L), expression->number, true);
  return 1;
}

void vidalua_open_expression(lua_State* L) {
  static const luaL_Reg no_methods[] = {{NULL, NULL}};
  static const luaL_Reg properties[] = {{"rate", expression_rate}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__lt", expression_compare},
                                  {"__le", expression_compare},
                                  {"__concat", expression_concat},
                                  {"__idiv", expression_idiv},
                                  {"__mod", expression_mod},
                                  {"__tostring", expression_tostring},
                                  {NULL, NULL}};
  static const luaL_Reg functions[] = {{"where", call_where}, {NULL, NULL}};
  vidalua_new_class(L, VIDALUA_EXPRESSION, meta, no_methods, properties);
  luaL_getmetatable(L, VIDALUA_EXPRESSION);
  /* Lua names it in errors of its own libraries: "number expected, got ..." of math.sin. */
  lua_pushliteral(L, VIDALUA_EXPRESSION " (write vida.sin instead of math.sin, and so on)");
  lua_setfield(L, -2, "__name");
  for (int i = 0; i < OPERATORS; i++) {
    set_operation(L, i, expression_operator);
  }
  lua_pop(L, 1);
  luaL_setfuncs(L, functions, 0);
  for (int i = OPERATORS; i < OPERATION_COUNT; i++) {
    set_operation(L, i, i == MIN || i == MAX ? call_extremum : call_operation);
  }
}
