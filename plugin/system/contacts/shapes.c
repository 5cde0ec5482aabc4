/* Contacts of spheres, discs and points with planes and with each other. */
#include <math.h>

#include "base/error.h"
#include "base/text.h"
#include "expr/graph.h"
#include "system/contacts/contacts.h"
#include "system/mechanics/pair.h"
#include "system/model/build.h"

/* ---- formulas -------------------------------------------------------------------------------- */

/* Returns the velocity of the material of the end at `depth` n from its centre. */
static vida_vector velocity_at(vida_trace* trace, int end, const char* place, int depth,
                               vida_vector n) {
  vida_graph* graph = trace->graph;
  const vida_view* view = &trace->view[end];
  const vida_vector rate = vida__view_point_rate(view, vida__trace_vector(trace, place));
  if (vida__frame_turn_count(&view->frame) == 0 || view->frame.kind == VIDA_FRAME_GROUND) {
    return rate;
  }
  const vida_vector spin = vida__view_spin(view);
  const vida_vector turn =
      view->frame.dimension == 3
          ? vida__vector_cross(graph, spin, n)
          : vida__vector_scale(graph, spin.x[0], vida__vector_perpendicular(graph, n));
  return vida__vector_add(graph, rate, vida__vector_scale(graph, depth, turn));
}

void vida__find_tangents(vida_graph* graph, vida_vector n, vida_vector tangent[2]) {
  if (n.count == 2) {
    tangent[0] = (vida_vector){2, {n.x[1], vida__node_negate(graph, n.x[0])}};
    return;
  }
  const int one = vida__graph_constant(graph, 1.0), minus = vida__graph_constant(graph, -1.0);
  const int zero = vida__graph_constant(graph, 0.0);
  const int is_below = vida__graph_apply(graph, VIDA_OP_LESS, n.x[2], zero, -1);
  const int sign = vida__graph_apply(graph, VIDA_OP_WHERE, is_below, minus, one);
  const int a = vida__node_divide(graph, minus, vida__node_add(graph, sign, n.x[2]));
  const int b = vida__node_multiply(graph, vida__node_multiply(graph, n.x[0], n.x[1]), a);
  const int x = vida__node_multiply(graph, vida__node_square(graph, n.x[0]), a);
  const int y = vida__node_multiply(graph, vida__node_square(graph, n.x[1]), a);
  tangent[0] = (vida_vector){3,
                             {vida__node_add(graph, one, vida__node_multiply(graph, sign, x)),
                              vida__node_multiply(graph, sign, b),
                              vida__node_negate(graph, vida__node_multiply(graph, sign, n.x[0]))}};
  tangent[1] =
      (vida_vector){3, {b, vida__node_add(graph, sign, y), vida__node_negate(graph, n.x[1])}};
}

/* Writes the components of the slip velocity across n. */
static int write_slips(vida_trace* trace, vida_vector n, vida_vector slip, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  vida_vector tangent[2];
  vida__find_tangents(graph, n, tangent);
  if (n.count == 2) {
    rows[0] = (vida_trace_row){"slip", "m/s", vida__vector_dot(graph, tangent[0], slip)};
    return 1;
  }
  rows[0] = (vida_trace_row){"slip 1", "m/s", vida__vector_dot(graph, tangent[0], slip)};
  rows[1] = (vida_trace_row){"slip 2", "m/s", vida__vector_dot(graph, tangent[1], slip)};
  return 2;
}

static int plane_gap(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_vector centre = vida__view_point(&trace->view[0], vida__trace_vector(trace, "first"));
  const int along = vida__vector_dot(graph, vida__trace_vector(trace, "normal"), centre);
  const int above = vida__node_subtract(graph, along, vida__trace_number(trace, "height"));
  rows[0] = (vida_trace_row){
      "gap", "m", vida__node_subtract(graph, above, vida__trace_number(trace, "radius"))};
  return 1;
}

static int plane_slips(vida_trace* trace, vida_trace_row* rows) {
  const vida_vector n = vida__trace_vector(trace, "normal");
  const int depth = vida__node_negate(trace->graph, vida__trace_number(trace, "radius"));
  return write_slips(trace, n, velocity_at(trace, 0, "first", depth, n), rows);
}

static int sphere_gap(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const int length = vida__vector_norm(graph, vida__trace_distance_vector(trace));
  const int radii = vida__node_add(graph, vida__trace_number(trace, "radius1"),
                                   vida__trace_number(trace, "radius2"));
  rows[0] = (vida_trace_row){"gap", "m", vida__node_subtract(graph, length, radii)};
  return 1;
}

static int sphere_slips(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  vida_vector n = vida__trace_distance_vector(trace);
  const int length = vida__vector_norm(graph, n);
  for (int i = 0; i < n.count; i++) {
    n.x[i] = vida__node_divide(graph, n.x[i], length);
  }
  const int depth = vida__node_negate(graph, vida__trace_number(trace, "radius2"));
  const vida_vector slip = vida__vector_subtract(
      graph, velocity_at(trace, 1, "second", depth, n),
      velocity_at(trace, 0, "first", vida__trace_number(trace, "radius1"), n));
  return write_slips(trace, n, slip, rows);
}

/* ---- additions ------------------------------------------------------------------------------- */

typedef struct shape {
  vida_instance instance;
  const vida_pattern_formulas* formulas;
} shape;

/* Adds the rows of the shape, then its record. */
static int add_shape(VidaSystem* system, const VidaContact* contact, shape* own, int* index,
                     VidaError* error) {
  if (!vida__contacts(system)) {
    return vida__fail_memory(error);
  }
  const int first_row = system->contacts->set.row_count;
  vida__exchange_rows(system);
  int code = vida__add_instance(system, &own->instance, own->formulas, error);
  vida__exchange_rows(system);
  code = code ? code : vida__keep_contact(system, contact, first_row, 0, index, error);
  if (code) {
    vida__drop_contact_rows(system, first_row);
  }
  return code;
}

static int check_radius(const char* name, const char* key, double radius, VidaError* error) {
  char got[VIDA_REAL_TEXT_SIZE];
  return radius >= 0.0 && isfinite(radius)
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "contact '%s': %s: expected a non-negative number, got %s", name, key,
                          vida__shortest_text(got, radius));
}

/* The common part: friction needs the slip rows, and without it there are none. */
static VidaContact contact_of(const VidaSystem* system, const char* name, double restitution,
                              double friction) {
  return (VidaContact){.name = name,
                       .restitution = restitution,
                       .friction = friction,
                       .slip_count = friction != 0.0 ? system->dimension - 1 : 0};
}

int vida__check_contact_dimension(const VidaSystem* system, const char* name, VidaError* error) {
  return system->dimension > 1
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "contact '%s': expected a system of dimension 2 or 3", name ? name : "");
}

int VidaSystem_AddPlaneContact(VidaSystem* system, const VidaPlaneContact* contact, int* index,
                               VidaError* error) {
  static const vida_pattern_formulas smooth = {.constraint = plane_gap};
  static const vida_pattern_formulas rough = {.constraint = plane_gap, .nonholonomic = plane_slips};
  shape own = {.formulas = &smooth};
  double place[3];
  if (VIDA_REFUSE_NULL(error, system, contact)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaContact common =
      contact_of(system, contact->name, contact->restitution, contact->friction);
  int code = vida__check_contact_dimension(system, contact->name, error);
  code = code ? code : vida__check_contact(system, &common, error);
  code = code ? code : check_radius(contact->name, "radius", contact->radius, error);
  code = code
             ? code
             : vida__check_finite_value("contact", contact->name, "height", contact->height, error);
  code = code ? code
              : vida__check_unit_vector("contact", contact->name, "normal", contact->normal,
                                        system->dimension, error);
  own.instance.key = common.slip_count > 0 ? "rough plane contact" : "plane contact";
  own.instance.title = "contact";
  own.instance.name = contact->name;
  own.instance.frame_count = 1;
  code = code ? code
              : vida__end_frame(system, "contact", contact->name, "end", &contact->end,
                                &own.instance.frame[0], place, error);
  if (code) {
    return code;
  }
  own.formulas = common.slip_count > 0 ? &rough : &smooth;
  vida__instance_vector(&own.instance, "first", vida__frame_place_count(&own.instance.frame[0]),
                        place);
  vida__instance_number(&own.instance, "radius", contact->radius, 0);
  vida__instance_number(&own.instance, "height", contact->height, 0);
  vida__instance_vector(&own.instance, "normal", system->dimension, contact->normal);
  return add_shape(system, &common, &own, index, error);
}

int VidaSystem_AddSphereContact(VidaSystem* system, const VidaSphereContact* contact, int* index,
                                VidaError* error) {
  static const vida_pattern_formulas smooth = {.constraint = sphere_gap};
  static const vida_pattern_formulas rough = {.constraint = sphere_gap,
                                              .nonholonomic = sphere_slips};
  shape own = {.formulas = &smooth};
  if (VIDA_REFUSE_NULL(error, system, contact)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaContact common =
      contact_of(system, contact->name, contact->restitution, contact->friction);
  int code = vida__check_contact_dimension(system, contact->name, error);
  code = code ? code : vida__check_contact(system, &common, error);
  code = code ? code : check_radius(contact->name, "first radius", contact->radii[0], error);
  code = code ? code : check_radius(contact->name, "second radius", contact->radii[1], error);
  if (!code && contact->radii[0] + contact->radii[1] == 0.0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "contact '%s': two points have no contact",
                      contact->name);
  }
  code = code ? code
              : vida__resolve_ends(system, "contact", contact->name, contact->ends, 0, true,
                                   &own.instance, error);
  if (code) {
    return code;
  }
  own.instance.key = common.slip_count > 0 ? "rough sphere contact" : "sphere contact";
  own.formulas = common.slip_count > 0 ? &rough : &smooth;
  vida__instance_number(&own.instance, "radius1", contact->radii[0], 0);
  vida__instance_number(&own.instance, "radius2", contact->radii[1], 0);
  return add_shape(system, &common, &own, index, error);
}
