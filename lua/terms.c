/*** Terms of a system from expressions: Lagrangians, constraints, forces, observables.
 * @classmod system
 */
#include <string.h>

#include "binding.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns the expression at `index`, which must belong to the system at 1. */
static VidaExpression check_expression(lua_State* L, int index, const char* place,
                                       const char* field) {
  VidaExpression node = -1;
  index = lua_absindex(L, index);
  if (!vidalua_to_node(L, index, &node)) {
    if (vidalua_is_vector(L, index)) {
      const char* path = vidalua_push_path(L, place, field);
      vidalua_error(L, "%s: expected an expression, got a vector; take a component or vida.dot",
                    path);
    }
    vidalua_expected(L, place, field, "an expression", index);
  }
  vidalua_check_owner(L, index, 1, place);
  return node;
}

/* Returns the expression or number at `index` as an expression of the system at 1. */
VidaExpression vidalua_check_value(lua_State* L, int index, const char* place, const char* field) {
  VidaError error;
  VidaExpression node = -1;
  if (!vidalua_is_number(L, index)) {
    return check_expression(L, index, place, field);
  }
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  if (VidaSystem_Constant(box->system, lua_tonumber(L, index), &node, &error)) {
    vidalua_raise(L, place, field, &error);
  }
  return node;
}

/*** Formulas
 * @section formulas
 */

/* ---- parts of the Lagrangian, and dissipation ------------------------------------------------ */

typedef int Adder(VidaSystem* system, const char* name, VidaExpression node, VidaError* error);

/* A kind of term that system:method(expression) or system:method { "name", expression } adds. */
typedef struct Part {
  const char* method;
  const char* kind; /* names those without a name: "Lagrangian", "Lagrangian 2", ... */
  bool negative;
  bool is_named_so; /* by the messages of `add` */
  Adder* add;
} Part;

/* Pushes the name of the next one without a name: "kind", "kind 2", ... */
static const char* push_default_name(lua_State* L, const char* kind, int unnamed) {
  return unnamed > 0 ? lua_pushfstring(L, "%s %d", kind, unnamed + 1) : lua_pushstring(L, kind);
}

/* Refuses arguments after the last one that a method accepts. */
static void check_last(lua_State* L, const char* method, const char* expected, int last) {
  if (lua_gettop(L) > last) {
    vidalua_error(L, "%s: expected %s, got %d more argument%s", method, expected,
                  lua_gettop(L) - last, lua_gettop(L) - last > 1 ? "s" : "");
  }
}

static int add_part(lua_State* L, const Part* part, int* unnamed) {
  static const char* const keys[] = {NULL};
  VidaError error;
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  const char* name = NULL;
  check_last(L, part->method, "one expression", 2);
  lua_settop(L, 2);
  if (lua_istable(L, 2) && !vidalua_is_vector(L, 2)) {
    name = vidalua_check_name(L, 2, part->method);
    vidalua_check_keys(L, 2, lua_pushfstring(L, "%s '%s'", part->kind, name), "key", 2,
                       vidalua_names(keys));
    lua_rawgeti(L, 2, 2);
  } else if (!luaL_testudata(L, 2, VIDALUA_EXPRESSION)) {
    vidalua_expected(L, "", part->method, "an expression or { \"name\", expression }", 2);
  } else {
    name = push_default_name(L, part->kind, *unnamed);
    lua_pushvalue(L, 2);
  }
  const int at = lua_gettop(L);
  const char* place = lua_pushfstring(L, "%s '%s'", part->kind, name);
  VidaExpression node = check_expression(L, at, place, "second entry");
  if ((part->negative && VidaSystem_Apply(box->system, "-", 1, &node, &node, &error)) ||
      part->add(box->system, name, node, &error)) {
    return vidalua_raise(L, part->is_named_so ? "" : place, NULL, &error);
  }
  *unnamed += !lua_istable(L, 2);
  return 0;
}

/*** Adds a term of the Lagrangian L(q,v,t).
 * @function lagrangian
 * @tparam expression|table given the expression (J), or a table
 * @tparam string given.1 its name; by default "Lagrangian", "Lagrangian 2", ...
 * @tparam expression given.2 of coordinates, rates, parameters and time
 * @usage
 * local r, rdot = s:coordinate { "r", unit = "m", value = 1.3 }
 * s:lagrangian(0.5 * rdot ^ 2 - 20 * (r - 1) ^ 2)
 */
int vidalua_lagrangian(lua_State* L) {
  static const Part part = {"lagrangian", "Lagrangian", false, true,
                            VidaSystem_AddExpressionLagrangian};
  return add_part(L, &part, &vidalua_check_open_system(L, 1)->unnamed.lagrangians);
}

/*** Adds a kinetic energy T, a term of L.
 * @function kinetic
 * @tparam expression|table given as for `system:lagrangian`
 * @usage
 * local x, v = s:coordinate { "x", unit = "m", value = 0 }
 * s:kinetic { "cart", 0.5 * 3 * v ^ 2 }
 */
int vidalua_kinetic(lua_State* L) {
  static const Part part = {"kinetic", "kinetic energy", false, false,
                            VidaSystem_AddExpressionLagrangian};
  return add_part(L, &part, &vidalua_check_open_system(L, 1)->unnamed.kinetic);
}

/*** Adds a potential energy V: the term -V of L.
 * @function potential
 * @tparam expression|table given as for `system:lagrangian`
 * @usage
 * s:potential { "magnet", 1 / vida.dot(upper.position, upper.position) }
 */
int vidalua_potential(lua_State* L) {
  static const Part part = {"potential", "potential energy", true, false,
                            VidaSystem_AddExpressionLagrangian};
  return add_part(L, &part, &vidalua_check_open_system(L, 1)->unnamed.potentials);
}

/*** Adds a dissipation function R(q,v,t). Its forces are -dR/dv.
 * @function rayleigh
 * @tparam expression|table given as for `system:lagrangian`, W
 * @usage
 * s:rayleigh(0.5 * 0.1 * vida.dot(upper.velocity, upper.velocity))
 */
int vidalua_rayleigh(lua_State* L) {
  static const Part part = {"rayleigh", "dissipation", false, true,
                            VidaSystem_AddExpressionRayleigh};
  return add_part(L, &part, &vidalua_check_open_system(L, 1)->unnamed.dissipations);
}

/* ---- rows and observables -------------------------------------------------------------------- */

typedef int RowAdder(VidaSystem* system, const char* name, const char* unit, VidaExpression node,
                     VidaError* error);

/* A kind of row or observable that system:method { "name", expression, unit = "m" } adds; for a
 * vector one for each component, "name: x" with the separator `joint`. */
typedef struct Row {
  const char* method; /* and kind */
  const char* example;
  const char* joint;
  bool numbers; /* a number will do */
  RowAdder* add;
} Row;

static void add_row(lua_State* L, const Row* row, const char* name, const char* unit, int index,
                    const char* field) {
  VidaError error;
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  const char* place = lua_pushfstring(L, "%s '%s'", row->method, name);
  const VidaExpression node = row->numbers ? vidalua_check_value(L, index, place, field)
                                           : check_expression(L, index, place, field);
  if (row->add(box->system, name, unit, node, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  lua_pop(L, 1);
}

static int add_rows(lua_State* L, const Row* row) {
  static const char* const keys[] = {"unit", NULL};
  check_last(L, row->method, row->example, 2);
  lua_settop(L, 2);
  vidalua_check_open_system(L, 1);
  if (vidalua_is_vector(L, 2)) {
    vidalua_expected(L, "", row->method, row->example, 2);
  }
  vidalua_check_table(L, 2, row->method, row->example);
  const char* name = vidalua_check_name(L, 2, row->method);
  const char* place = lua_pushfstring(L, "%s '%s'", row->method, name);
  vidalua_check_keys(L, 2, place, "key", 2, vidalua_names(keys));
  const char* unit = vidalua_optional_text(L, 2, place, "unit");
  unit = unit ? unit : "";
  lua_rawgeti(L, 2, 2);
  const int value = lua_gettop(L);
  if (!vidalua_is_vector(L, value)) {
    add_row(L, row, name, unit, value, "second entry");
    return 0;
  }
  const int count = vidalua_push_values(L, value, place);
  for (int i = 1; i <= count; i++) {
    const char* full = count <= 3 ? lua_pushfstring(L, "%s%s%c", name, row->joint, "xyz"[i - 1])
                                  : lua_pushfstring(L, "%s%s%d", name, row->joint, i);
    lua_rawgeti(L, value + 1, i);
    add_row(L, row, full, unit, lua_gettop(L), "second entry");
    lua_pop(L, 2);
  }
  return 0;
}

/*** Adds a holonomic constraint g(q,t) = 0. If g is a length, its multiplier is a force.
 * @function constraint
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam expression|vector given.2 g, without rates; each component of a vector is a row, "name:
 *   x", "name: y", ...
 * @tparam[opt=""] string given.unit unit of g
 * @raise if g depends on no coordinate, or on a rate
 * @usage
 * s:constraint { "wire", upper.z - 0.5 * upper.x ^ 2 + 0.5, unit = "m" }
 */
int vidalua_constraint(lua_State* L) {
  static const Row row = {"constraint", "{ \"name\", expression, unit = \"m\" }", ": ", false,
                          VidaSystem_AddExpressionConstraint};
  return add_rows(L, &row);
}

/*** Adds a nonholonomic constraint A(q,t) v + b(q,t) = 0.
 * @function nonholonomic
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam expression|vector given.2 the row, linear in rates
 * @tparam[opt=""] string given.unit unit of the row
 * @raise if the row is not linear in the rates, or contains none
 * @usage
 * s:nonholonomic { "blade", upper.vy - 0.3 * upper.vx, unit = "m/s" }
 */
int vidalua_nonholonomic(lua_State* L) {
  static const Row row = {"nonholonomic", "{ \"name\", expression, unit = \"m/s\" }", ": ", false,
                          VidaSystem_AddExpressionNonholonomic};
  return add_rows(L, &row);
}

/* Reads the components of the slip velocity in the field "slip" of the table at 2. */
static void check_slip(lua_State* L, const char* place, VidaContact* contact) {
  if (vidalua_field(L, 2, "slip") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  const int at = lua_gettop(L);
  if (luaL_testudata(L, at, VIDALUA_EXPRESSION)) {
    contact->slip_count = 1;
    contact->slip[0] = check_expression(L, at, place, "slip");
    return;
  }
  if (!lua_istable(L, at)) {
    vidalua_expected(L, place, "slip", "an expression or a list of one or two", at);
  }
  const int count = vidalua_push_values(L, at, place);
  if (count < 1 || count > VIDA_SLIP_MOST) {
    vidalua_error(L, "%s: slip: expected one or two expressions, got %d", place, count);
  }
  for (int i = 0; i < count; i++) {
    lua_rawgeti(L, at + 1, i + 1);
    contact->slip[i] = check_expression(L, lua_gettop(L), place, "slip");
    lua_pop(L, 1);
  }
  contact->slip_count = count;
}

/*** Adds a contact: a gap g(q,t) >= 0 that closes and opens, with restitution and Coulomb friction.
 * It is not a constraint. Methods that do not solve the laws of contact in their steps stop at
 * impacts and where contacts close, open, stick or slide.
 * @function contact
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam expression given.gap the gap, without rates, m
 * @tparam[opt=0] number given.restitution Newton's e, 0 to 1: the rate of the gap after an impact
 * is -e times the one before
 * @tparam[opt=0] number given.friction Coulomb's mu
 * @tparam[opt] expression|vector given.slip the slip velocity, linear in rates, m/s: one or two
 *   components along orthonormal directions; needed with friction
 * @raise if the gap depends on a rate or on no position, if the slip velocity is not linear in the
 *   rates, or if there is friction without it
 * @usage
 * s:contact { "floor", gap = upper.z, restitution = 0.8, friction = 0.3, slip = { upper.vx,
 * upper.vy } }
 */
int vidalua_contact(lua_State* L) {
  static const char* const keys[] = {"gap", "restitution", "friction", "slip", NULL};
  static const char example[] = "{ \"floor\", gap = expression, restitution = 0.8 }";
  VidaError error;
  VidaContact contact = {0};
  check_last(L, "contact", example, 2);
  vidalua_check_open_system(L, 1);
  const char* place = vidalua_check_definition(L, "contact", example, 1, keys, &contact.name);
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  vidalua_field(L, 2, "gap");
  contact.gap = check_expression(L, lua_gettop(L), place, "gap");
  contact.restitution = vidalua_optional_real(L, 2, place, "restitution", 0.0);
  contact.friction = vidalua_optional_real(L, 2, place, "friction", 0.0);
  check_slip(L, place, &contact);
  if (VidaSystem_AddContact(box->system, &contact, NULL, &error)) {
    vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

static int add_conserved(VidaSystem* system, const char* name, const char* unit,
                         VidaExpression node, VidaError* error) {
  return VidaSystem_AddObservable(system, name, unit, true, node, error);
}

static int add_observable(VidaSystem* system, const char* name, const char* unit,
                          VidaExpression node, VidaError* error) {
  return VidaSystem_AddObservable(system, name, unit, false, node, error);
}

/*** Adds a conserved quantity: a column of trajectories that is part of the momentum error. The
 * momenta of translations and rotations need not be added; VIDA finds them.
 * @function momentum
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number|expression|vector given.2 the quantity; for a vector each component, "name.x",
 *   "name.y", ...
 * @tparam[opt=""] string given.unit its unit
 * @usage
 * s:momentum { "spin", upper.x * upper.vy - upper.y * upper.vx, unit = "m^2/s" }
 */
int vidalua_momentum(lua_State* L) {
  static const Row row = {"momentum", "{ \"name\", expression, unit = \"kg m^2/s\" }", ".", true,
                          add_conserved};
  return add_rows(L, &row);
}

/*** Adds an observable: a column of trajectories.
 * @function observe
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number|expression|vector given.2 the quantity; for a vector each component, "name.x",
 *   "name.y", ...
 * @tparam[opt=""] string given.unit its unit
 * @usage
 * s:observe { "height", upper.z, unit = "m" }
 */
int vidalua_observe(lua_State* L) {
  static const Row row = {"observe", "{ \"name\", expression, unit = \"m\" }", ".", true,
                          add_observable};
  return add_rows(L, &row);
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* The coordinates, or functions of coordinates, along which a force acts, and its components. The
 * memory belongs to the Lua value at `index`. */
typedef struct Components {
  int count, room;
  bool functions;   /* some of `along` is no coordinate */
  int* coordinates; /* -1 for a function */
  VidaExpression *along, *nodes;
} Components;

static Components push_components(lua_State* L, int room) {
  Components components = {.room = room};
  const size_t size = (size_t)room + 1;
  components.coordinates = lua_newuserdatauv(L, size * sizeof(int), 0);
  components.along = lua_newuserdatauv(L, 2 * size * sizeof(VidaExpression), 0);
  components.nodes = components.along + size;
  return components;
}

static int refuse_target(lua_State* L, int index, const char* place, const char* field) {
  if (luaL_testudata(L, index, VIDALUA_EXPRESSION)) {
    return vidalua_error(L,
                         "%s: expected a coordinate, got the rate of one; a force acts on the "
                         "coordinate itself",
                         vidalua_push_path(L, place, field));
  }
  return vidalua_expected(
      L, place, field, "a coordinate, a particle, a point of a body or a function of coordinates",
      index);
}

/* Adds the force at `value` along the coordinate or function at `target`. */
static void add_scalar(lua_State* L, Components* components, int target, int value,
                       const char* place, const char* first, const char* second) {
  VidaExpression along = -1;
  const int coordinate = vidalua_to_input(L, target, 1, VIDALUA_COORDINATE);
  if (vidalua_to_input(L, target, 1, VIDALUA_RATE) >= 0 || !vidalua_to_node(L, target, &along)) {
    refuse_target(L, target, place, first);
  }
  vidalua_check_owner(L, target, 1, place);
  components->functions = components->functions || coordinate < 0;
  components->nodes[components->count] = vidalua_check_value(L, value, place, second);
  components->along[components->count] = along;
  components->coordinates[components->count++] = coordinate;
}

/* Pushes the components of a force at `value`, as many as expected. */
static void push_force(lua_State* L, int value, int expected, const char* path) {
  const int count = vidalua_push_values(L, value, path);
  if (count != expected) {
    vidalua_error(L, "%s: expected a force of %d components, got %d", path, expected, count);
  }
}

static void add_particle(lua_State* L, Components* components, int target, int value,
                         const char* place, const char* first, const char* second) {
  const VidaSystem* system = vidalua_check_system(L, 1)->system;
  const VidaPoint point = vidalua_check_point(L, target, 1, place, first);
  VidaError error;
  if (point.particle == VIDA_GROUND) {
    vidalua_error(L, "%s: a fixed point does not move under a force",
                  vidalua_push_path(L, place, first));
  }
  push_force(L, value, VidaSystem_Dimension(system), vidalua_push_path(L, place, second));
  for (int i = 0; i < VidaSystem_Dimension(system); i++) {
    const int coordinate = VidaSystem_ParticleCoordinate(system, point.particle) + i;
    const int k = components->count++;
    lua_rawgeti(L, -1, i + 1);
    components->nodes[k] = vidalua_check_value(L, lua_gettop(L), place, second);
    components->coordinates[k] = coordinate;
    if (VidaSystem_Position(vidalua_check_system(L, 1)->system, coordinate, &components->along[k],
                            &error)) {
      vidalua_raise(L, place, first, &error);
    }
    lua_pop(L, 1);
  }
}

/* Adds the force at index `value` on the target at index `target`: a coordinate, a particle, a
 * function of coordinates, or a vector of functions (the point at which the force acts). */
static void add_component(lua_State* L, Components* components, int target, int value,
                          const char* place, const char* first, const char* second) {
  const int top = lua_gettop(L);
  if (luaL_testudata(L, target, VIDALUA_POINT)) {
    add_particle(L, components, target, value, place, first, second);
  } else if (vidalua_is_vector(L, target)) {
    const int count = vidalua_push_values(L, target, place);
    if (components->count + count > components->room) {
      vidalua_error(L, "%s: expected at most 3 components, got %d",
                    vidalua_push_path(L, place, first), count);
    }
    push_force(L, value, count, vidalua_push_path(L, place, second));
    const int forces = lua_gettop(L);
    for (int i = 1; i <= count; i++) {
      lua_rawgeti(L, top + 1, i);
      lua_rawgeti(L, forces, i);
      add_scalar(L, components, forces + 1, forces + 2, place, first, second);
      lua_settop(L, forces);
    }
  } else {
    add_scalar(L, components, target, value, place, first, second);
  }
  lua_settop(L, top);
}

/* Reads { { x, fx }, { y, fy } } at index `list`. */
static Components check_pairs(lua_State* L, int list, const char* place) {
  enum { DIMENSION_MOST = 3 };
  const int count = vidalua_check_list(L, list, place, "second entry");
  Components components = push_components(L, DIMENSION_MOST * count);
  if (count == 0) {
    vidalua_error(L,
                  "%s: expected a list of pairs such as { { x, fx }, { y, fy } }, got an empty "
                  "one",
                  place);
  }
  for (int i = 1; i <= count; i++) {
    const char* entry = lua_pushfstring(L, "pair %d", i);
    const char* first = lua_pushfstring(L, "entry 1 of pair %d", i);
    const char* second = lua_pushfstring(L, "entry 2 of pair %d", i);
    lua_rawgeti(L, list, i);
    const int pair = lua_gettop(L);
    if (lua_type(L, pair) != LUA_TTABLE || vidalua_is_vector(L, pair) || lua_rawlen(L, pair) != 2) {
      vidalua_expected(L, place, entry, "a pair such as { x, fx }", pair);
    }
    lua_rawgeti(L, pair, 1);
    lua_rawgeti(L, pair, 2);
    add_component(L, &components, pair + 1, pair + 2, place, first, second);
    lua_settop(L, pair - 4);
  }
  return components;
}

/*** Adds a force f(q,v,t) without a potential.
 * With a name: `s:force { "name", x, f }` or `s:force { "name", { { x, fx }, { y, fy } } }`. The
 * default names are "force", "force 2", ...
 * @function force
 * @tparam expression|point|vector|body target a coordinate, a particle, a body (its centre of
 *   mass), a point of a body, a function s(q,t) of positions, or a vector of such functions; a
 *   force f along s is the generalized force f ds/dq
 * @tparam number|expression|vector force the force, N (for angles N m)
 * @raise if the target is a rate, or does not move
 * @usage
 * s:force(upper, { 0, 0, 2 * vida.sin(s.time) })
 * s:force { "jet", trunk:point { 0.5, 0, 0 }, { 0, 1, 0 } }
 */
int vidalua_force(lua_State* L) {
  static const char* const keys[] = {NULL};
  VidaError error;
  VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const char* name = NULL;
  const bool is_table = lua_gettop(L) == 2 && lua_istable(L, 2) && !vidalua_is_vector(L, 2);
  check_last(L, "force", "a target and a force", 3);
  lua_settop(L, 3);
  if (is_table) {
    name = vidalua_check_name(L, 2, "force");
    vidalua_check_keys(L, 2, lua_pushfstring(L, "force '%s'", name), "key", 3, vidalua_names(keys));
    lua_rawgeti(L, 2, 2);
    lua_rawgeti(L, 2, 3);
  } else {
    name = push_default_name(L, "force", box->unnamed.forces);
    lua_pushvalue(L, 2);
    lua_pushvalue(L, 3);
  }
  const int value = lua_gettop(L);
  const int target = value - 1;
  const char* place = lua_pushfstring(L, "force '%s'", name);
  Components components;
  if (is_table && lua_istable(L, target) && lua_isnil(L, value)) {
    components = check_pairs(L, target, place);
  } else {
    components = push_components(L, 3);
    add_component(L, &components, target, value, place, is_table ? "second entry" : "argument 1",
                  is_table ? "third entry" : "argument 2");
  }
  const int code =
      components.functions
          ? VidaSystem_AddExpressionForceAlong(box->system, name, components.count,
                                               components.along, components.nodes, &error)
          : VidaSystem_AddExpressionForce(box->system, name, components.count,
                                          components.coordinates, components.nodes, &error);
  if (code) {
    return vidalua_raise(L, "", NULL, &error);
  }
  box->unnamed.forces += !is_table;
  return 0;
}

/* ---- multipliers ----------------------------------------------------------------------------- */

static const char* row_name(const void* system, int index) {
  return VidaSystem_ConstraintName(system, index);
}

/* Pushes the multiplier of a row of the system at 1. */
static void push_multiplier(lua_State* L, VidaSystem* system, int row) {
  VidaError error;
  VidaExpression node = -1;
  if (VidaSystem_MultiplierExpression(system, row, &node, &error)) {
    vidalua_raise(L, "multiplier", NULL, &error);
  }
  vidalua_push_formula(L, 1, node);
}

/*** Returns the multiplier of a constraint row, for forces that depend on it: dry friction in a
 * guide, creep of a wheel. Its sign is that of the equations of motion, in which the constraint
 * causes the generalized force -G^T lambda; its unit is that of a force per gradient of the row.
 * Only forces and torques may depend on it.
 * @function multiplier
 * @tparam string row the name of the row: that of its constraint or, if this has several rows,
 *   "name: row", as in reports
 * @treturn expression
 * @raise if there is no such row; the message suggests the nearest name
 * @usage
 * s:constraint { "track", upper.z - 0.3 * upper.x, unit = "m" }
 * local pressed = vida.abs(s:multiplier "track") * vida.sqrt(1 + 0.3 ^ 2)
 * s:force { "friction", upper.x, -0.2 * pressed * vida.tanh(upper.vx / 1e-3) }
 */
int vidalua_multiplier(lua_State* L) {
  check_last(L, "multiplier", "the name of a constraint row", 2);
  lua_settop(L, 2);
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const char* name = vidalua_plain_text(L, 2);
  if (!name) {
    vidalua_expected(L, "", "multiplier", "the name of a constraint row", 2);
  }
  const int row = VidaSystem_ConstraintIndex(box->system, name);
  if (row < 0) {
    const VidaLuaNames names = {VidaSystem_ConstraintCount(box->system), row_name, box->system};
    const char* nearest = vidalua_nearest_name(name, names);
    vidalua_error(L, "system '%s' has no constraint row '%s'%s%s%s", VidaSystem_Name(box->system),
                  name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                  nearest ? "'?" : "");
  }
  push_multiplier(L, box->system, row);
  return 1;
}

int vidalua_row_count(lua_State* L) {
  lua_pushinteger(L, VidaSystem_ConstraintCount(vidalua_check_system(L, 1)->system));
  return 1;
}

int vidalua_row_multiplier(lua_State* L) {
  push_multiplier(L, vidalua_check_open_system(L, 1)->system, (int)luaL_checkinteger(L, 2));
  return 1;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/*** Adds a parameter: a constant in formulas whose value can be changed later.
 * @function parameter
 * @tparam table given
 * @tparam string given.1 its name
 * @tparam number given.2 its value
 * @treturn expression
 * @usage
 * local k = s:parameter { "k", 40 }
 * s:potential(0.5 * k * upper.x ^ 2)
 */
int vidalua_parameter(lua_State* L) {
  static const char* const keys[] = {NULL};
  VidaError error;
  int index = 0;
  const VidaLuaBox* box = vidalua_check_open_system(L, 1);
  const char* name;
  const char* place = vidalua_check_definition(L, "parameter", "{ \"g\", 9.81 }", 2, keys, &name);
  lua_rawgeti(L, 2, 2);
  vidalua_check_finite(L, lua_gettop(L), place, "second entry");
  if (VidaSystem_AddParameter(box->system, name, lua_tonumber(L, -1), &index, &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  vidalua_push_parameter(L, 1, index);
  return 1;
}

static const char* parameter_name(const void* system, int index) {
  return VidaSystem_ParameterName(system, index);
}

/* Returns the index of the parameter in argument 2, which is its name or its expression. */
static int check_parameter(lua_State* L, const VidaSystem* system, const char* method) {
  int index = vidalua_to_input(L, 2, 1, VIDALUA_PARAMETER);
  if (index >= 0) {
    return index;
  }
  const char* name = vidalua_plain_text(L, 2);
  if (!name) {
    vidalua_expected(L, method, "[1]", "the name of a parameter", 2);
  }
  index = VidaSystem_ParameterIndex(system, name);
  if (index < 0) {
    const VidaLuaNames names = {VidaSystem_ParameterCount(system), parameter_name, system};
    const char* nearest = vidalua_nearest_name(name, names);
    vidalua_error(L, "system '%s' has no parameter '%s'%s%s%s", VidaSystem_Name(system), name,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  return index;
}

/*** Changes the value of a parameter, also in a complete system. Start steppers again afterwards.
 * @function set_parameter
 * @tparam string|expression parameter its name or its expression
 * @tparam number value its new value
 * @raise if there is no such parameter; the message suggests the nearest name
 * @usage
 * local g = s:parameter { "g", 9.81 }
 * s:set_parameter("g", 1.6)
 */
int vidalua_set_parameter(lua_State* L) {
  VidaError error;
  lua_settop(L, 3);
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  const int index = check_parameter(L, box->system, "set_parameter");
  const char* name = VidaSystem_ParameterName(box->system, index);
  const char* place = lua_pushfstring(L, "parameter '%s'", name);
  vidalua_check_finite(L, 3, place, "value");
  if (VidaSystem_SetParameter(box->system, index, lua_tonumber(L, 3), &error)) {
    return vidalua_raise(L, "", NULL, &error);
  }
  return 0;
}

/*** Returns the value of a parameter.
 * @function get_parameter
 * @tparam string|expression parameter its name or its expression
 * @treturn number
 * @raise if there is no such parameter; the message suggests the nearest name
 * @usage
 * local g = s:parameter { "g", 9.81 }
 * print(s:get_parameter("g"))
 */
int vidalua_get_parameter(lua_State* L) {
  lua_settop(L, 2);
  const VidaLuaBox* box = vidalua_check_system(L, 1);
  const int index = check_parameter(L, box->system, "get_parameter");
  lua_pushnumber(L, VidaSystem_ParameterValue(box->system, index));
  return 1;
}
