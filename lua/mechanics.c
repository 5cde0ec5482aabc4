/* Bodies, joints and forces for lua/library/: tables become records of <vida/bodies.h>,
 * <vida/joints.h> and <vida/forces.h>. lua/library/ has checked keys and values. */
#include <string.h>

#include "binding.h"

/* ---- numbers --------------------------------------------------------------------------------- */

/* Reads the list at field `field` of a table into `values`, at most `most` numbers; false if there
 * is no list. */
bool vidalua_read_numbers(lua_State* L, int table, const char* field, int most, double* values) {
  const bool is_list = vidalua_field(L, table, field) == LUA_TTABLE;
  const int count = is_list ? (int)lua_rawlen(L, -1) : 0;
  for (int i = 0; i < count && i < most; i++) {
    lua_rawgeti(L, -1, i + 1);
    values[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return is_list;
}

static double read_number(lua_State* L, int table, const char* field) {
  vidalua_field(L, table, field);
  const double number = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return number;
}

static void push_list(lua_State* L, const double* values, int count) {
  lua_createtable(L, count, 0);
  for (int i = 0; i < count; i++) {
    lua_pushnumber(L, values[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Reads three rows of three numbers. */
static void read_matrix(lua_State* L, int index, double matrix[3][3]) {
  luaL_checktype(L, index, LUA_TTABLE);
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(L, index, i + 1);
    for (int k = 0; k < 3; k++) {
      lua_rawgeti(L, -1, k + 1);
      matrix[i][k] = luaL_checknumber(L, -1);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

static void push_matrix(lua_State* L, double matrix[3][3]) {
  lua_createtable(L, 3, 0);
  for (int i = 0; i < 3; i++) {
    push_list(L, matrix[i], 3);
    lua_rawseti(L, -2, i + 1);
  }
}

/* library.principal_axes(rows): moments, and axes as columns of rows */
int vidalua_principal_axes(lua_State* L) {
  double matrix[3][3], moments[3], axes[3][3];
  read_matrix(L, 1, matrix);
  Vida_PrincipalAxes((const double(*)[3])matrix, moments, axes);
  push_list(L, moments, 3);
  push_matrix(L, axes);
  return 2;
}

/* library.from_matrix(rows): the unit quaternion of a rotation, as a vector */
int vidalua_from_matrix(lua_State* L) {
  double matrix[3][3], quaternion[4];
  read_matrix(L, 1, matrix);
  Vida_QuaternionOfMatrix((const double(*)[3])matrix, quaternion);
  push_list(L, quaternion, 4);
  vidalua_make_vector(L);
  return 1;
}

/* library.across(axis): a unit vector orthogonal to a unit vector in space */
int vidalua_across(lua_State* L) {
  double axis[3], across[3];
  luaL_checktype(L, 1, LUA_TTABLE);
  for (int i = 0; i < 3; i++) {
    lua_rawgeti(L, 1, i + 1);
    axis[i] = luaL_checknumber(L, -1);
    lua_pop(L, 1);
  }
  Vida_DirectionAcross(axis, across);
  push_list(L, across, 3);
  vidalua_make_vector(L);
  return 1;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* The members that all kinds of bodies have. */
typedef struct BodyTable {
  const char* name;
  double mass;
  VidaInitial position[3], velocity[3];
  double spin_values[3];
  VidaSpin spin;
  bool guess;
} BodyTable;

static BodyTable read_body(lua_State* L, int table, int dimension) {
  BodyTable body = {.name = vidalua_check_name(L, table, "body"),
                    .mass = read_number(L, table, "mass")};
  const char* place = lua_pushfstring(L, "particle '%s'", body.name);
  vidalua_check_initial(L, table, place, "position", dimension, true, body.position);
  vidalua_check_initial(L, table, place, "velocity", dimension, false, body.velocity);
  lua_pop(L, 1);
  body.spin = vidalua_read_numbers(L, table, "spin", 3, body.spin_values)     ? VIDA_SPIN_GIVEN
              : vidalua_optional_boolean(L, table, "", "spin_is_free", false) ? VIDA_SPIN_FREE
                                                                              : VIDA_SPIN_DEFAULT;
  body.guess = vidalua_optional_boolean(L, table, "", "guess", false);
  return body;
}

/* Keeps the initial position of a body for messages, unless it is free or a guess. */
static void keep_start(lua_State* L, const BodyTable* body, int dimension) {
  VidaInitial position[3];
  memcpy(position, body->position, sizeof position);
  for (int i = 0; i < dimension; i++) {
    position[i].free = position[i].free || body->guess;
  }
  vidalua_keep_start(L, -1, position, dimension);
}

/* Pushes the index of a body, its particle, the index of its first coordinate, the number of
 * coordinates, the node of the first one, and their initial values (nil if they are computed from
 * the constraints). */
static int push_body(lua_State* L, VidaSystem* system, int number, const BodyTable* body) {
  double q[VIDALUA_COORDINATES_MOST], v[VIDALUA_COORDINATES_MOST];
  const int count = VidaSystem_BodyCoordinateCount(system, number);
  const int first = VidaSystem_BodyCoordinate(system, number);
  lua_pushinteger(L, number);
  vidalua_push_point(L, 1, VidaPoint_Particle(VidaSystem_BodyParticle(system, number)), body->name);
  keep_start(L, body, VidaSystem_Dimension(system));
  lua_pushinteger(L, first);
  lua_pushinteger(L, count);
  lua_pushinteger(L, vidalua_first_node(L, system, first, count));
  if (!VidaSystem_BodyStart(system, number, q, v)) {
    return 5;
  }
  push_list(L, q, count);
  return 6;
}

/* library.add_rod(system, { name, mass =, length =, inertia =, position =, velocity =, direction =,
 * spin =, spin_is_free =, guess = }) */
int vidalua_add_rod(lua_State* L) {
  VidaError error;
  int number = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const int dimension = VidaSystem_Dimension(box->system);
  const BodyTable body = read_body(L, 2, dimension);
  VidaRod rod = {.name = body.name,
                 .mass = body.mass,
                 .length = read_number(L, 2, "length"),
                 .inertia = read_number(L, 2, "inertia"),
                 .spin = body.spin,
                 .guess = body.guess};
  memcpy(rod.position, body.position, sizeof rod.position);
  memcpy(rod.velocity, body.velocity, sizeof rod.velocity);
  memcpy(rod.angular_velocity, body.spin_values, sizeof rod.angular_velocity);
  vidalua_read_numbers(L, 2, "direction", 3, rod.direction);
  if (VidaSystem_AddRod(box->system, &rod, &number, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_body(L, box->system, number, &body);
}

/* library.add_plane_body(system, { name, mass =, inertia =, position =, velocity =, angle =, spin
 * =, spin_is_free =, guess = }) */
int vidalua_add_plane_body(lua_State* L) {
  VidaError error;
  int number = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const BodyTable body = read_body(L, 2, 2);
  VidaPlaneBody plane = {.name = body.name,
                         .mass = body.mass,
                         .inertia = read_number(L, 2, "inertia"),
                         .angle = read_number(L, 2, "angle"),
                         .angular_velocity = body.spin_values[0],
                         .spin = body.spin,
                         .guess = body.guess};
  memcpy(plane.position, body.position, sizeof plane.position);
  memcpy(plane.velocity, body.velocity, sizeof plane.velocity);
  if (VidaSystem_AddPlaneBody(box->system, &plane, &number, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return push_body(L, box->system, number, &body);
}

/* library.add_rigid_body(system, { name, mass =, inertia = rows, position =, velocity =,
 * orientation = quaternion, spin =, spin_is_free =, directors =, guess = }): also, last, the axes
 * of its directors */
int vidalua_add_rigid_body(lua_State* L) {
  VidaError error;
  double axes[3][3];
  int number = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const BodyTable body = read_body(L, 2, 3);
  VidaRigidBody rigid = {.name = body.name,
                         .mass = body.mass,
                         .spin = body.spin,
                         .as = vidalua_optional_boolean(L, 2, "", "directors", false)
                                   ? VIDA_ORIENTATION_DIRECTORS
                                   : VIDA_ORIENTATION_QUATERNION,
                         .guess = body.guess};
  memcpy(rigid.position, body.position, sizeof rigid.position);
  memcpy(rigid.velocity, body.velocity, sizeof rigid.velocity);
  memcpy(rigid.angular_velocity, body.spin_values, sizeof rigid.angular_velocity);
  vidalua_read_numbers(L, 2, "orientation", 4, rigid.orientation);
  vidalua_field(L, 2, "inertia");
  read_matrix(L, lua_gettop(L), rigid.inertia);
  if (VidaSystem_AddRigidBody(box->system, &rigid, &number, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_settop(L, 2);
  push_body(L, box->system, number, &body);
  lua_settop(L, 8);
  if (!VidaSystem_BodyAxes(box->system, number, axes)) {
    return 6;
  }
  push_matrix(L, axes);
  return 7;
}

/* library.add_fixed_body(system, { name, position =, angle =, orientation = }): its number */
int vidalua_add_fixed_body(lua_State* L) {
  VidaError error;
  int number = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  VidaFixedBody fixed = {.name = vidalua_check_name(L, 2, "body"),
                         .angle = read_number(L, 2, "angle")};
  vidalua_read_numbers(L, 2, "position", 3, fixed.position);
  vidalua_read_numbers(L, 2, "orientation", 4, fixed.orientation);
  if (VidaSystem_AddFixedBody(box->system, &fixed, &number, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  lua_pushinteger(L, number);
  return 1;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Returns the end whose frame is entry i of the list at `frames`: { body = number },
 * { point = particle } or, without both, the ground. Its place is the list `field` of the table
 * `values`. */
VidaEnd vidalua_read_end(lua_State* L, int frames, int i, int values, const char* field) {
  VidaEnd end = {.kind = VIDA_END_GROUND};
  lua_rawgeti(L, frames, i);
  luaL_checktype(L, -1, LUA_TTABLE);
  if (vidalua_field(L, -1, "body") == LUA_TNUMBER) {
    end.kind = VIDA_END_BODY;
    end.index = (int)lua_tointeger(L, -1);
    end.principal = true;
  } else if (vidalua_field(L, -2, "point") != LUA_TNIL) {
    end.kind = VIDA_END_PARTICLE;
    end.index = vidalua_check_point(L, -1, 1, "", "end").particle;
  }
  lua_settop(L, values);
  vidalua_read_numbers(L, values, field, 3, end.place);
  return end;
}

static void read_triads(lua_State* L, int values, VidaTriad triads[2]) {
  static const char* const names[2][3] = {{"a1", "a2", "a3"}, {"b1", "b2", "b3"}};
  memset(triads, 0, 2 * sizeof *triads);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) {
      vidalua_read_numbers(L, values, names[i][k], 3, triads[i].e[k]);
    }
  }
}

enum { SYSTEM = 1, WHAT, NAME, FRAMES, VALUES };

static void read_ends(lua_State* L, VidaEnd ends[2]) {
  ends[0] = vidalua_read_end(L, FRAMES, 1, VALUES, "first");
  ends[1] = vidalua_read_end(L, FRAMES, 2, VALUES, "second");
}

/* Reads a number or a parameter of the system at field `field` of the values; zero if there is
 * none. */
static VidaQuantity read_quantity(lua_State* L, const char* field) {
  vidalua_field(L, VALUES, field);
  const int parameter = vidalua_to_input(L, -1, SYSTEM, VIDALUA_PARAMETER);
  const VidaQuantity quantity =
      parameter >= 0 ? VidaQuantity_Parameter(parameter) : VidaQuantity_Number(lua_tonumber(L, -1));
  lua_pop(L, 1);
  return quantity;
}

static VidaJointKind check_joint_kind(lua_State* L, int index) {
  const char* wanted = luaL_checkstring(L, index);
  const char* name;
  for (int kind = 0; (name = VidaJoint_KindName((VidaJointKind)kind)) != NULL; kind++) {
    if (strcmp(name, wanted) == 0) {
      return (VidaJointKind)kind;
    }
  }
  return (VidaJointKind)luaL_argerror(L, index, "expected a kind of joint");
}

/* library.add_joint(system, kind, name, frames, values): places `first` and `second`, directions
 * `a1`, ..., `b3` of the frames */
int vidalua_add_joint(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaJoint joint = {.name = luaL_checkstring(L, NAME), .kind = check_joint_kind(L, WHAT)};
  read_ends(L, joint.ends);
  read_triads(L, VALUES, joint.triads);
  if (joint.kind == VIDA_JOINT_UNIVERSAL) {
    vidalua_read_numbers(L, VALUES, "a", 3, joint.triads[0].e[2]);
    vidalua_read_numbers(L, VALUES, "b", 3, joint.triads[1].e[2]);
  }
  return VidaSystem_AddJoint(box->system, &joint, &error) ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* library.add_link(system, "distance", name, frames, values): places and `length` */
int vidalua_add_link(lua_State* L) {
  VidaError error;
  VidaEnd ends[2];
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const char* name = luaL_checkstring(L, NAME);
  read_ends(L, ends);
  const double length = read_number(L, VALUES, "length");
  return VidaSystem_AddLink(box->system, name, ends, length, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

VidaDrive vidalua_read_drive(lua_State* L) {
  VidaDrive drive = {.name = luaL_checkstring(L, NAME),
                     .difference = read_number(L, VALUES, "difference")};
  read_ends(L, drive.ends);
  read_triads(L, VALUES, drive.triads);
  return drive;
}

/* library.add_drive(system, "drive", name, frames, values): directions, `difference`, and `rate`,
 * which may be a parameter of the system */
int vidalua_add_drive(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaDrive drive = vidalua_read_drive(L);
  drive.rate = read_quantity(L, "rate");
  return VidaSystem_AddDrive(box->system, &drive, &error) ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* library.add_angle(system, "angle", name, frames, values, coordinate): directions, and the
 * expression of a coordinate of this system */
int vidalua_add_angle(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  VidaAngle angle = {.name = luaL_checkstring(L, NAME),
                     .coordinate = vidalua_to_input(L, VALUES + 1, SYSTEM, VIDALUA_COORDINATE)};
  lua_settop(L, VALUES);
  read_ends(L, angle.ends);
  read_triads(L, VALUES, angle.triads);
  return VidaSystem_AddAngle(box->system, &angle, &error) ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* library.add_guide(system, what, name, frames, values): places, and directions `n1` and `n2` */
int vidalua_add_guide(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaGuide guide = {.name = luaL_checkstring(L, NAME), .count = 1};
  read_ends(L, guide.ends);
  vidalua_read_numbers(L, VALUES, "n1", 3, guide.across[0]);
  guide.count += vidalua_read_numbers(L, VALUES, "n2", 3, guide.across[1]);
  return VidaSystem_AddGuide(box->system, &guide, &error) ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* library.add_spring(system, "linear" or "squared", name, frames, values): places, `stiffness`,
 * `length` and `cubic` */
int vidalua_add_spring(lua_State* L) {
  static const char* const laws[] = {
      [VIDA_SPRING_LINEAR] = "linear", [VIDA_SPRING_SQUARED] = "squared", NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaLinkSpring spring = {.name = luaL_checkstring(L, NAME),
                           .law = (VidaSpringLaw)luaL_checkoption(L, WHAT, NULL, laws)};
  read_ends(L, spring.ends);
  spring.stiffness = read_quantity(L, "stiffness");
  spring.length = read_quantity(L, "length");
  spring.cubic = read_quantity(L, "cubic");
  return VidaSystem_AddLinkSpring(box->system, &spring, &error) ? vidalua_raise(L, "", NULL, &error)
                                                                : 0;
}

/* library.add_damper(system, "line" or "velocity", name, frames, values): places and `damping` */
int vidalua_add_damper(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaLinkDamper damper = {.name = luaL_checkstring(L, NAME),
                           .of_velocity = strcmp(luaL_checkstring(L, WHAT), "velocity") == 0};
  read_ends(L, damper.ends);
  damper.damping = read_quantity(L, "damping");
  return VidaSystem_AddLinkDamper(box->system, &damper, &error) ? vidalua_raise(L, "", NULL, &error)
                                                                : 0;
}

/* library.add_torsion(system, "spring" or "damper", name, frames, values): directions, and
 * `stiffness` and `angle`, or `damping` */
int vidalua_add_torsion(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  const bool is_spring = strcmp(luaL_checkstring(L, WHAT), "spring") == 0;
  VidaTorsion torsion = {.name = luaL_checkstring(L, NAME)};
  read_ends(L, torsion.ends);
  read_triads(L, VALUES, torsion.triads);
  torsion.factor = read_quantity(L, is_spring ? "stiffness" : "damping");
  torsion.angle = read_quantity(L, "angle");
  const int code = is_spring ? VidaSystem_AddTorsionSpring(box->system, &torsion, &error)
                             : VidaSystem_AddTorsionDamper(box->system, &torsion, &error);
  return code ? vidalua_raise(L, "", NULL, &error) : 0;
}

/* ---- contacts -------------------------------------------------------------------------------- */

/* library.add_rolling_disk(system, "rolling disk", name, frames, values): `radius`, `height`,
 * `normal` and `axis` */
int vidalua_add_rolling_disk(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaRollingDisk disk = {.name = luaL_checkstring(L, NAME),
                          .body = vidalua_read_end(L, FRAMES, 1, VALUES, "place"),
                          .radius = read_number(L, VALUES, "radius"),
                          .height = read_number(L, VALUES, "height")};
  vidalua_read_numbers(L, VALUES, "normal", 3, disk.normal);
  vidalua_read_numbers(L, VALUES, "axis", 3, disk.axis);
  return VidaSystem_AddRollingDisk(box->system, &disk, &error) ? vidalua_raise(L, "", NULL, &error)
                                                               : 0;
}

/* library.add_knife_edge(system, "knife edge", name, frames, values): `place`, `blade` and `normal`
 */
int vidalua_add_knife_edge(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaKnifeEdge edge = {.name = luaL_checkstring(L, NAME),
                        .end = vidalua_read_end(L, FRAMES, 1, VALUES, "place")};
  vidalua_read_numbers(L, VALUES, "blade", 3, edge.blade);
  vidalua_read_numbers(L, VALUES, "normal", 3, edge.normal);
  return VidaSystem_AddKnifeEdge(box->system, &edge, &error) ? vidalua_raise(L, "", NULL, &error)
                                                             : 0;
}

/* library.add_plane_contact(system, "contact", name, frames, values): `place`, `radius`, `normal`,
 * `height`, `restitution` and `friction` */
int vidalua_add_plane_contact(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaPlaneContact contact = {.name = luaL_checkstring(L, NAME),
                              .end = vidalua_read_end(L, FRAMES, 1, VALUES, "place"),
                              .radius = read_number(L, VALUES, "radius"),
                              .height = read_number(L, VALUES, "height"),
                              .restitution = read_number(L, VALUES, "restitution"),
                              .friction = read_number(L, VALUES, "friction")};
  vidalua_read_numbers(L, VALUES, "normal", 3, contact.normal);
  return VidaSystem_AddPlaneContact(box->system, &contact, NULL, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}

/* library.add_sphere_contact(system, "contact", name, frames, values): `first`, `second`, `radii`,
 * `restitution` and `friction` */
int vidalua_add_sphere_contact(lua_State* L) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_open_system(L, SYSTEM);
  lua_settop(L, VALUES);
  VidaSphereContact contact = {.name = luaL_checkstring(L, NAME),
                               .ends = {vidalua_read_end(L, FRAMES, 1, VALUES, "first"),
                                        vidalua_read_end(L, FRAMES, 2, VALUES, "second")},
                               .restitution = read_number(L, VALUES, "restitution"),
                               .friction = read_number(L, VALUES, "friction")};
  vidalua_read_numbers(L, VALUES, "radii", 2, contact.radii);
  return VidaSystem_AddSphereContact(box->system, &contact, NULL, &error)
             ? vidalua_raise(L, "", NULL, &error)
             : 0;
}
