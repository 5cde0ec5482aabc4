/* Springs, dampers and torsion elements between two ends. */
#include <vida/forces.h>

#include "base/error.h"
#include "system/mechanics/pair.h"
#include "system/model/build.h"

/* Returns a parameter times a number. */
static int scaled_parameter(vida_trace* trace, double factor, const char* parameter) {
  vida_graph* graph = trace->graph;
  return vida__node_multiply(graph, vida__graph_constant(graph, factor),
                             vida__trace_number(trace, parameter));
}

/* ---- springs --------------------------------------------------------------------------------- */

static int linear_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const int distance = vida__vector_norm(graph, vida__trace_distance_vector(trace));
  const int stretch = vida__node_subtract(graph, distance, vida__trace_number(trace, "length"));
  const int half = scaled_parameter(trace, 0.5, "stiffness");
  const int energy = vida__node_multiply(graph, half, vida__node_square(graph, stretch));
  if (!vida__trace_has(trace, "cubic")) {
    return energy;
  }
  const int quarter = scaled_parameter(trace, 0.25, "cubic");
  const int fourth = vida__graph_power(graph, stretch, 4);
  return vida__node_add(graph, energy, vida__node_multiply(graph, quarter, fourth));
}

static int squared_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const vida_vector gap = vida__trace_distance_vector(trace);
  const int quarter = scaled_parameter(trace, 0.25, "stiffness");
  const int square = vida__vector_dot(graph, gap, gap);
  const int rest = vida__node_square(graph, vida__trace_number(trace, "length"));
  const int excess = vida__node_subtract(graph, square, rest);
  return vida__node_multiply(graph, quarter, vida__node_square(graph, excess));
}

int VidaSystem_AddLinkSpring(VidaSystem* system, const VidaLinkSpring* spring, VidaError* error) {
  static const vida_pattern_formulas linear = {.potential = linear_energy};
  static const vida_pattern_formulas squared = {.potential = squared_energy};
  if (VIDA_REFUSE_NULL(error, system, spring)) {
    return VIDA_BAD_ARGUMENT;
  }
  const bool is_squared = spring->law == VIDA_SPRING_SQUARED;
  const bool has_cubic = spring->cubic.value != 0.0 || spring->cubic.parameter != 0;
  vida_instance instance = {.key = is_squared ? "squared spring" : "spring"};
  int code =
      vida__resolve_ends(system, "spring", spring->name, spring->ends, 0, true, &instance, error);
  code = code ? code
              : vida__check_kind("spring", spring->name, "law", (int)spring->law,
                                 VIDA_SPRING_SQUARED, error);
  code = code ? code : vida__check_new_name(&system->spring_names, "springs", spring->name, error);
  if (!code && is_squared && has_cubic) {
    code =
        vida__fail(error, VIDA_BAD_ARGUMENT,
                   "spring '%s': cubic: only the linear law has a cubic stiffness", spring->name);
  }
  code = code ? code
              : vida__instance_quantity(system, &instance, "stiffness", spring->stiffness, true,
                                        error);
  code = code ? code
              : vida__instance_quantity(system, &instance, "length", spring->length, true, error);
  if (!code && has_cubic) {
    code = vida__instance_quantity(system, &instance, "cubic", spring->cubic, true, error);
  }
  return code ? code
              : vida__add_instance(system, &instance, is_squared ? &squared : &linear, error);
}

/* ---- dampers --------------------------------------------------------------------------------- */

static vida_vector find_gap_rate(vida_trace* trace) {
  const vida_vector second =
      vida__view_point_rate(&trace->view[1], vida__trace_vector(trace, "second"));
  const vida_vector first =
      vida__view_point_rate(&trace->view[0], vida__trace_vector(trace, "first"));
  return vida__vector_subtract(trace->graph, second, first);
}

static int damper_dissipation(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const vida_vector gap = vida__trace_distance_vector(trace);
  const vida_vector rate = find_gap_rate(trace);
  const int half = scaled_parameter(trace, 0.5, "damping");
  const int product = vida__vector_dot(graph, gap, rate);
  const int scaled = vida__node_multiply(graph, half, vida__node_square(graph, product));
  return vida__node_divide(graph, scaled, vida__vector_dot(graph, gap, gap));
}

static int drag_dissipation(vida_trace* trace) {
  const vida_vector rate = find_gap_rate(trace);
  const int half = scaled_parameter(trace, 0.5, "damping");
  return vida__node_multiply(trace->graph, half, vida__vector_dot(trace->graph, rate, rate));
}

int VidaSystem_AddLinkDamper(VidaSystem* system, const VidaLinkDamper* damper, VidaError* error) {
  static const vida_pattern_formulas along_line = {.rayleigh = damper_dissipation};
  static const vida_pattern_formulas of_velocity = {.rayleigh = drag_dissipation};
  if (VIDA_REFUSE_NULL(error, system, damper)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_instance instance = {.key = damper->of_velocity ? "drag" : "damper"};
  int code =
      vida__resolve_ends(system, "damper", damper->name, damper->ends, 0, true, &instance, error);
  code = code ? code
              : vida__instance_quantity(system, &instance, "damping", damper->damping, true, error);
  return code ? code
              : vida__add_instance(system, &instance,
                                   damper->of_velocity ? &of_velocity : &along_line, error);
}

/* ---- about axes ------------------------------------------------------------------------------ */

/* Returns the angle from the first frame to the second. It counts turns for two plane bodies;
 * otherwise it lies between -pi and pi. */
static int relative_angle(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const vida_view* a = &trace->view[0];
  const vida_view* b = &trace->view[1];
  if (vida__view_has_angle(a) && vida__view_has_angle(b)) {
    return vida__node_subtract(graph, vida__view_angle(b), vida__view_angle(a));
  }
  const vida_vector direction = vida__view_turn(b, vida__trace_vector(trace, "b1"));
  const vida_vector second = vida__view_turn(a, vida__trace_vector(trace, "a2"));
  const int sine = vida__vector_dot(graph, second, direction);
  const vida_vector first = vida__view_turn(a, vida__trace_vector(trace, "a1"));
  const int cosine = vida__vector_dot(graph, first, direction);
  return vida__graph_apply(graph, VIDA_OP_ATAN2, sine, cosine, -1);
}

static int torsion_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const int half = scaled_parameter(trace, 0.5, "stiffness");
  const int turned =
      vida__node_subtract(graph, relative_angle(trace), vida__trace_number(trace, "angle"));
  return vida__node_multiply(graph, half, vida__node_square(graph, turned));
}

static int torsion_dissipation(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const vida_vector second = vida__view_spin(&trace->view[1]);
  const vida_vector first = vida__view_spin(&trace->view[0]);
  const vida_vector spin = vida__vector_subtract(graph, second, first);
  int rate = spin.x[0];
  if (vida__trace_has(trace, "a3")) {
    const vida_vector axis = vida__view_turn(&trace->view[0], vida__trace_vector(trace, "a3"));
    rate = vida__vector_dot(graph, axis, spin);
  }
  const int half = scaled_parameter(trace, 0.5, "damping");
  return vida__node_multiply(graph, half, vida__node_square(graph, rate));
}

/* In the plane, the angle needs directions of both bodies if one of them is a rod. */
static void add_directions(const VidaSystem* system, vida_instance* instance,
                           const VidaTorsion* torsion) {
  static const double x[2] = {1.0, 0.0};
  static const double y[2] = {0.0, 1.0};
  if (system->dimension == 3) {
    vida__instance_triads(system, instance, torsion->ends, torsion->triads);
    return;
  }
  vida__instance_vector(instance, "a1", 2, x);
  vida__instance_vector(instance, "a2", 2, y);
  vida__instance_vector(instance, "b1", 2, x);
}

static int resolve_torsion(const VidaSystem* system, const char* kind, const VidaTorsion* torsion,
                           vida_instance* instance, VidaError* error) {
  const int dimension = system->dimension > 1 ? system->dimension : 2;
  int code = vida__resolve_ends(system, kind, torsion->name, torsion->ends, dimension, false,
                                instance, error);
  if (!code && dimension == 3) {
    code = vida__check_triads(system, instance, torsion->triads, error);
  }
  if (!code) {
    add_directions(system, instance, torsion);
  }
  return code;
}

int VidaSystem_AddTorsionSpring(VidaSystem* system, const VidaTorsion* spring, VidaError* error) {
  static const vida_pattern_formulas formulas = {.potential = torsion_energy};
  vida_instance instance = {.key = "torsion spring"};
  if (VIDA_REFUSE_NULL(error, system, spring)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = resolve_torsion(system, "torsion spring", spring, &instance, error);
  code = code
             ? code
             : vida__instance_quantity(system, &instance, "stiffness", spring->factor, true, error);
  code = code ? code
              : vida__instance_quantity(system, &instance, "angle", spring->angle, false, error);
  return code ? code : vida__add_instance(system, &instance, &formulas, error);
}

int VidaSystem_AddTorsionDamper(VidaSystem* system, const VidaTorsion* damper, VidaError* error) {
  static const vida_pattern_formulas formulas = {.rayleigh = torsion_dissipation};
  vida_instance instance = {.key = "torsion damper"};
  if (VIDA_REFUSE_NULL(error, system, damper)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = resolve_torsion(system, "torsion damper", damper, &instance, error);
  code = code ? code
              : vida__instance_quantity(system, &instance, "damping", damper->factor, true, error);
  return code ? code : vida__add_instance(system, &instance, &formulas, error);
}
