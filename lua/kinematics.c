/* Functions for lua/library/ that make or take expressions: positions, velocities and directions of
 * ends (<vida/kinematics.h>), and the joints and forces with expressions of <vida/joints.h> and
 * <vida/forces.h>. lua/library/ has checked keys and values. */
#include <string.h>

#include "binding.h"

enum { SYSTEM = 1, WHAT, NAME, FRAMES, VALUES };

/* Returns the expression of the number or expression at `index`. */
static VidaExpression to_expression(lua_State* L, int index) {
  VidaError error;
  VidaExpression node = -1;
  if (vidalua_to_node(L, index, &node)) {
    vidalua_check_owner(L, index, SYSTEM, luaL_checkstring(L, NAME));
  } else if (VidaSystem_Constant(vidalua_check_open_system(L, SYSTEM)->system,
                                 luaL_checknumber(L, index), &node, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  return node;
}

/* Returns the expression at field `field` of the values. */
static VidaExpression read_expression(lua_State* L, const char* field) {
  vidalua_field(L, VALUES, field);
  const VidaExpression node = to_expression(L, lua_gettop(L));
  lua_pop(L, 1);
  return node;
}

/* Reads the list of at most `most` expressions at field `field` of the values; returns its length.
 */
static int read_expressions(lua_State* L, const char* field, int most, VidaExpression* nodes) {
  vidalua_field(L, VALUES, field);
  luaL_checktype(L, -1, LUA_TTABLE);
  const int count = (int)lua_rawlen(L, -1);
  for (int i = 0; i < count && i < most; i++) {
    lua_rawgeti(L, -1, i + 1);
    nodes[i] = to_expression(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return count < most ? count : most;
}

/* Pushes a list of expressions as a vector. */
static int push_expressions(lua_State* L, int count, const VidaExpression* nodes) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    vidalua_push_formula(L, SYSTEM, nodes[i]);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
  return 1;
}

/* ---- ends ------------------------------------------------------------------------------------ */

typedef int EndFunction(VidaSystem* system, const VidaEnd* end, VidaExpression* components,
                        VidaError* error);

static int push_of_end(lua_State* L, EndFunction* function) {
  VidaError error;
  VidaExpression nodes[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  if (function(box->system, &end, nodes, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_expressions(L, VidaSystem_Dimension(box->system), nodes);
}

/* library.end_position(system, what, name, { frame }, { place = }) */
int vidalua_end_position(lua_State* L) {
  return push_of_end(L, VidaSystem_EndPosition);
}

/* library.end_velocity(system, what, name, { frame }, { place = }) */
int vidalua_end_velocity(lua_State* L) {
  return push_of_end(L, VidaSystem_EndVelocity);
}

/* library.end_direction(system, what, name, { frame }, { direction = }) */
int vidalua_end_direction(lua_State* L) {
  VidaError error;
  VidaExpression nodes[3];
  double direction[3] = {0.0, 0.0, 0.0};
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  vidalua_read_numbers(L, VALUES, "direction", 3, direction);
  if (VidaSystem_EndDirection(box->system, &end, direction, nodes, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_expressions(L, VidaSystem_Dimension(box->system), nodes);
}

/* library.angular_velocity(system, body): a vector, in the plane an expression */
int vidalua_angular_velocity(lua_State* L) {
  VidaError error;
  VidaExpression nodes[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  const int body = (int)luaL_checkinteger(L, 2);
  if (VidaSystem_BodyAngularVelocity(box->system, body, nodes, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  if (VidaSystem_Dimension(box->system) == 3) {
    return push_expressions(L, 3, nodes);
  }
  vidalua_push_formula(L, SYSTEM, nodes[0]);
  return 1;
}

/* library.body_angle(system, body) */
int vidalua_body_angle(lua_State* L) {
  VidaError error;
  VidaExpression angle = -1;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  if (VidaSystem_BodyAngle(box->system, (int)luaL_checkinteger(L, 2), &angle, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  vidalua_push_formula(L, SYSTEM, angle);
  return 1;
}

/* ---- at the start ---------------------------------------------------------------------------- */

static int push_numbers(lua_State* L, int count, const double* values) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, values[i]);
    lua_rawseti(L, -2, i + 1);
  }
  vidalua_make_vector(L);
  return 1;
}

/* library.end_start(system, what, name, { frame }, { place = }) */
int vidalua_end_start(lua_State* L) {
  VidaError error;
  double position[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  return VidaSystem_EndStart(box->system, &end, position, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : push_numbers(L, VidaSystem_Dimension(box->system), position);
}

/* library.place_at(system, count, name, { frame }, { place = }): the place in the frame of the
 * position `place` in space, as a vector of `count` numbers */
int vidalua_place_at(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const int count = (int)luaL_checkinteger(L, WHAT);
  VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  double at[3];
  memcpy(at, end.place, sizeof at);
  if (end.kind == VIDA_END_BODY && VidaSystem_EndAt(box->system, end.index, at, &end, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_numbers(L, count, end.place);
}

/* library.direction_at(system, count, name, { frame }, { direction = }): the components in the
 * frame of a direction in space, as a vector of `count` numbers */
int vidalua_direction_at(lua_State* L) {
  VidaError error;
  double direction[3] = {0.0, 0.0, 0.0};
  double components[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const int count = (int)luaL_checkinteger(L, WHAT);
  const VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  vidalua_read_numbers(L, VALUES, "direction", 3, direction);
  return VidaSystem_DirectionAt(box->system, &end, direction, components, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : push_numbers(L, count, components);
}

/* library.direction_start(system, what, name, { frame }, { direction = }): the components in space
 * of a direction of the frame, at the start */
int vidalua_direction_start(lua_State* L) {
  VidaError error;
  double components[3] = {0.0, 0.0, 0.0};
  double direction[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const VidaEnd end = vidalua_read_end(L, FRAMES, 1, VALUES, "place");
  vidalua_read_numbers(L, VALUES, "direction", 3, components);
  return VidaSystem_DirectionStart(box->system, &end, components, direction, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : push_numbers(L, VidaSystem_Dimension(box->system), direction);
}

/* ---- rows of expressions --------------------------------------------------------------------- */

/* library.add_variable_link(system, "distance", name, frames, values): places, and `length` as an
 * expression */
int vidalua_add_variable_link(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const char* name = luaL_checkstring(L, NAME);
  const VidaEnd ends[2] = {vidalua_read_end(L, FRAMES, 1, VALUES, "first"),
                           vidalua_read_end(L, FRAMES, 2, VALUES, "second")};
  const VidaExpression length = read_expression(L, "length");
  return VidaSystem_AddVariableLink(box->system, name, ends, length, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* library.add_angle_drive(system, "drive", name, frames, values): directions, `difference`, and
 * `angle` as an expression */
int vidalua_add_angle_drive(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const VidaDrive drive = vidalua_read_drive(L);
  const VidaExpression angle = read_expression(L, "angle");
  return VidaSystem_AddAngleDrive(box->system, &drive, angle, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* library.add_prescribed_value(system, "prescribe", name, unit, { expression =, value = }) */
int vidalua_add_prescribed_value(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const char* name = luaL_checkstring(L, NAME);
  const char* unit = luaL_checkstring(L, FRAMES);
  const VidaExpression expression = read_expression(L, "expression");
  const VidaExpression value = read_expression(L, "value");
  return VidaSystem_AddPrescribedValue(box->system, name, unit, expression, value, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* library.curve_point(system): the components of a point on a curve, as a vector */
int vidalua_curve_point(lua_State* L) {
  VidaError error;
  VidaExpression components[3];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  if (VidaSystem_CurvePoint(box->system, components, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_expressions(L, VidaSystem_Dimension(box->system), components);
}

/* Reads both ends of a curve. Its formulas refer to the user's axes of the first end, not to its
 * principal axes. */
static void read_curve_ends(lua_State* L, VidaEnd ends[2]) {
  ends[0] = vidalua_read_end(L, FRAMES, 1, VALUES, "first");
  ends[1] = vidalua_read_end(L, FRAMES, 2, VALUES, "second");
  ends[0].principal = false;
}

/* library.add_curve(system, "curve", name, frames, values): places, `formulas` as a list of
 * expressions of the curve's point, and `unit` */
int vidalua_add_curve(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaCurve curve = {.name = luaL_checkstring(L, NAME)};
  read_curve_ends(L, curve.ends);
  curve.count = read_expressions(L, "formulas", 2, curve.formulas);
  curve.unit = vidalua_optional_text(L, VALUES, "", "unit");
  return VidaSystem_AddCurve(box->system, &curve, &error) ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* library.add_curve_contact(system, "contact", name, frames, values): places, `formulas` as a list
 * of one expression of the curve's point, `restitution` and `friction` */
int vidalua_add_curve_contact(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaCurveContact contact = {.name = luaL_checkstring(L, NAME), .formula = -1};
  read_curve_ends(L, contact.ends);
  read_expressions(L, "formulas", 1, &contact.formula);
  vidalua_field(L, VALUES, "restitution");
  contact.restitution = luaL_checknumber(L, -1);
  vidalua_field(L, VALUES, "friction");
  contact.friction = luaL_checknumber(L, -1);
  return VidaSystem_AddCurveContact(box->system, &contact, NULL, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* library.add_parametric_curve(system, "curve", name, frames, values): places, and `place` as a
 * list of expressions */
int vidalua_add_parametric_curve(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaParametricCurve curve = {.name = luaL_checkstring(L, NAME)};
  read_curve_ends(L, curve.ends);
  read_expressions(L, "place", 3, curve.place);
  return VidaSystem_AddParametricCurve(box->system, &curve, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* ---- torques --------------------------------------------------------------------------------- */

static void read_ends(lua_State* L, VidaEnd ends[2]) {
  ends[0] = vidalua_read_end(L, FRAMES, 1, VALUES, "first");
  ends[1] = vidalua_read_end(L, FRAMES, 2, VALUES, "second");
}

/* library.add_torque(system, "space", "first" or "second", name, frames, values): `moment` as a
 * list of expressions, and `axis`, both in the axes of space or of that end */
int vidalua_add_torque(lua_State* L) {
  static const char* const axes[] = {[VIDA_TORQUE_SPACE] = "space",
                                     [VIDA_TORQUE_FIRST] = "first",
                                     [VIDA_TORQUE_SECOND] = "second",
                                     [VIDA_TORQUE_SECOND + 1] = NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaTorque torque = {.name = luaL_checkstring(L, NAME),
                       .axes = (VidaTorqueAxes)luaL_checkoption(L, WHAT, NULL, axes)};
  read_ends(L, torque.ends);
  torque.has_axis = vidalua_read_numbers(L, VALUES, "axis", 3, torque.axis);
  read_expressions(L, "moment", 3, torque.moment);
  return VidaSystem_AddTorque(box->system, &torque, &error) ? vidalua_raise(L, "", NULL, &error)
                                                            : 0;
}
