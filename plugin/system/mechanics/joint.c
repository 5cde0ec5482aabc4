/* Joints, links, drives and guides: rows of constraints between two frames. */
#include <vida/joints.h>

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "system/mechanics/pair.h"
#include "system/mechanics/rotation.h"
#include "system/model/build.h"

static const char* const axis_names[] = {"x", "y", "z"};

/* ---- rows ------------------------------------------------------------------------------------ */

static int add_gap(vida_trace* trace, vida_trace_row* rows) {
  const vida_vector gap = vida__trace_distance_vector(trace);
  for (int i = 0; i < gap.count; i++) {
    rows[i] = (vida_trace_row){axis_names[i], "m", gap.x[i]};
  }
  return gap.count;
}

/* Returns the component of the gap along a direction of the first frame. */
static int along_first(vida_trace* trace, const char* direction, vida_vector gap) {
  const vida_vector turned = vida__view_turn(&trace->view[0], vida__trace_vector(trace, direction));
  return vida__vector_dot(trace->graph, turned, gap);
}

/* Returns the scalar product of a direction of the first frame and one of the second, as a row. */
static vida_trace_row find_product(vida_trace* trace, const char* name, const char* first,
                                   const char* second) {
  const vida_vector a = vida__view_turn(&trace->view[0], vida__trace_vector(trace, first));
  const vida_vector b = vida__view_turn(&trace->view[1], vida__trace_vector(trace, second));
  return (vida_trace_row){name, "rad", vida__vector_dot(trace->graph, a, b)};
}

static int add_tilt(vida_trace* trace, vida_trace_row* rows) {
  rows[0] = find_product(trace, "tilt 1", "a1", "b3");
  rows[1] = find_product(trace, "tilt 2", "a2", "b3");
  return 2;
}

static int add_turns(vida_trace* trace, vida_trace_row* rows) {
  if (trace->view[0].frame.dimension == 2) {
    rows[0] = find_product(trace, "turn", "a2", "b1");
    return 1;
  }
  rows[0] = find_product(trace, "turn 1", "a3", "b2");
  rows[1] = find_product(trace, "turn 2", "a1", "b3");
  rows[2] = find_product(trace, "turn 3", "a2", "b1");
  return 3;
}

static int add_across(vida_trace* trace, vida_trace_row* rows) {
  const vida_vector gap = vida__trace_distance_vector(trace);
  if (gap.count == 2) {
    rows[0] = (vida_trace_row){"across", "m", along_first(trace, "a2", gap)};
    return 1;
  }
  rows[0] = (vida_trace_row){"across 1", "m", along_first(trace, "a1", gap)};
  rows[1] = (vida_trace_row){"across 2", "m", along_first(trace, "a2", gap)};
  return 2;
}

static int revolute_rows(vida_trace* trace, vida_trace_row* rows) {
  const int count = add_gap(trace, rows);
  return count == 2 ? count : count + add_tilt(trace, rows + count);
}

static int universal_rows(vida_trace* trace, vida_trace_row* rows) {
  const int count = add_gap(trace, rows);
  rows[count] = find_product(trace, "axes", "a", "b");
  return count + 1;
}

static int cylindrical_rows(vida_trace* trace, vida_trace_row* rows) {
  const int count = add_across(trace, rows);
  return count + add_tilt(trace, rows + count);
}

static int prismatic_rows(vida_trace* trace, vida_trace_row* rows) {
  const int count = add_across(trace, rows);
  return count + add_turns(trace, rows + count);
}

static int weld_rows(vida_trace* trace, vida_trace_row* rows) {
  const int count = add_gap(trace, rows);
  return count + add_turns(trace, rows + count);
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* The properties of a kind of joint. */
typedef struct joint_kind {
  const char* title;
  bool in_plane; /* the joint exists in the plane, too */
  vida_pattern_formulas formulas;
} joint_kind;

static const joint_kind joint_kinds[] = {
    [VIDA_JOINT_BALL] = {"ball", true, {.constraint = add_gap}},
    [VIDA_JOINT_REVOLUTE] = {"revolute", true, {.constraint = revolute_rows}},
    [VIDA_JOINT_UNIVERSAL] = {"universal", false, {.constraint = universal_rows}},
    [VIDA_JOINT_CYLINDRICAL] = {"cylindrical", false, {.constraint = cylindrical_rows}},
    [VIDA_JOINT_PRISMATIC] = {"prismatic", true, {.constraint = prismatic_rows}},
    [VIDA_JOINT_WELD] = {"weld", true, {.constraint = weld_rows}}};

static bool is_joint_kind(VidaJointKind kind) {
  return (int)kind >= 0 && (size_t)kind < sizeof joint_kinds / sizeof joint_kinds[0];
}

const char* VidaJoint_KindName(VidaJointKind kind) {
  return is_joint_kind(kind) ? joint_kinds[kind].title : NULL;
}

int VidaSystem_AddJoint(VidaSystem* system, const VidaJoint* joint, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, joint)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int dimension = system->dimension;
  if (!is_joint_kind(joint->kind)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "joint '%s': there is no kind number %d",
                      joint->name ? joint->name : "", (int)joint->kind);
  }
  const joint_kind* kind = &joint_kinds[joint->kind];
  /* In the plane, a revolute joint is a ball joint. */
  const bool is_ball =
      joint->kind == VIDA_JOINT_BALL || (joint->kind == VIDA_JOINT_REVOLUTE && dimension < 3);
  vida_instance instance = {.key = is_ball ? "ball" : kind->title};
  int code = vida__resolve_ends(system, kind->title, joint->name, joint->ends,
                                is_ball ? 0 : dimension, true, &instance, error);
  if (!code && dimension != 3 && !kind->in_plane) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': there is no such joint in dimension %d",
                      kind->title, joint->name, dimension);
  }
  if (code) {
    return code;
  }
  if (joint->kind == VIDA_JOINT_UNIVERSAL) {
    double axes[2][3];
    for (int i = 0; i < 2 && !code; i++) {
      code = vida__check_unit_vector(kind->title, joint->name,
                                     i == 0 ? "axis of the first end" : "axis of the second end",
                                     joint->triads[i].e[2], 3, error);
    }
    for (int i = 0; i < 2; i++) {
      vida__end_direction(system, &joint->ends[i], joint->triads[i].e[2], axes[i]);
      vida__instance_vector(&instance, i == 0 ? "a" : "b", 3, axes[i]);
    }
  } else if (!is_ball) {
    code = vida__check_triads(system, &instance, joint->triads, error);
    vida__instance_triads(system, &instance, joint->ends, joint->triads);
  }
  return code ? code : vida__add_instance(system, &instance, &kind->formulas, error);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* The row (|d|^2 - l^2) / (2 l), whose multiplier is the tension. */
static int link_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_vector gap = vida__trace_distance_vector(trace);
  const int length = trace->instance->expression_count > 0 ? vida__trace_expression(trace, 0)
                                                           : vida__trace_number(trace, "length");
  const int square = vida__vector_dot(graph, gap, gap);
  const int length_square = vida__node_square(graph, length);
  const int excess = vida__node_subtract(graph, square, length_square);
  const int twice = vida__node_multiply(graph, vida__graph_constant(graph, 2.0), length);
  rows[0] = (vida_trace_row){NULL, "m", vida__node_divide(graph, excess, twice)};
  return 1;
}

static VidaPoint point_of(const VidaEnd* end) {
  return end->kind == VIDA_END_PARTICLE
             ? VidaPoint_Particle(end->index)
             : VidaPoint_Fixed(end->place[0], end->place[1], end->place[2]);
}

int VidaSystem_AddLink(VidaSystem* system, const char* name, const VidaEnd ends[2], double length,
                       VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = link_rows};
  char text[VIDA_REAL_TEXT_SIZE];
  vida_instance instance = {.key = "distance"};
  if (VIDA_REFUSE_NULL(error, system, name, ends)) {
    return VIDA_BAD_ARGUMENT;
  }
  for (int i = 0; i < 2; i++) {
    const int code = vida__check_kind("distance", name, i == 0 ? "first end" : "second end",
                                      (int)ends[i].kind, VIDA_END_BODY, error);
    if (code) {
      return code;
    }
  }
  if (ends[0].kind != VIDA_END_BODY && ends[1].kind != VIDA_END_BODY) {
    const VidaDistance distance = {name, point_of(&ends[0]), point_of(&ends[1]), length};
    return VidaSystem_AddDistance(system, &distance, error);
  }
  int code = vida__resolve_ends(system, "distance", name, ends, 0, true, &instance, error);
  if (!code && !(length > 0.0 && isfinite(length))) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "distance '%s': length: expected a positive number, got %s", name,
                      vida__shortest_text(text, length));
  }
  vida__instance_number(&instance, "length", length, 0);
  code = code ? code : vida__add_instance(system, &instance, &formulas, error);
  if (!code) {
    system->rows[system->row_count - 1].length = length;
  }
  return code;
}

int VidaSystem_AddVariableLink(VidaSystem* system, const char* name, const VidaEnd ends[2],
                               VidaExpression length, VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = link_rows};
  vida_instance instance = {.key = "distance"};
  if (VIDA_REFUSE_NULL(error, system, name, ends)) {
    return VIDA_BAD_ARGUMENT;
  }
  int code = vida__resolve_ends(system, "distance", name, ends, 0, true, &instance, error);
  code = code ? code : vida__instance_expression(system, &instance, "length", length, error);
  return code ? code : vida__add_instance(system, &instance, &formulas, error);
}

/* ---- drives ---------------------------------------------------------------------------------- */

/* Returns sin(a - angle), where a is the angle from the first frame to the second. */
static int sine_of_difference(vida_trace* trace, int angle) {
  vida_graph* graph = trace->graph;
  const vida_view* a = &trace->view[0];
  const int sine = vida__node_negate(graph, vida__node_sin(graph, angle));
  const vida_vector first = vida__view_turn(a, vida__trace_vector(trace, "a1"));
  const vida_vector along = vida__vector_scale(graph, sine, first);
  const int cosine = vida__node_cos(graph, angle);
  const vida_vector second = vida__view_turn(a, vida__trace_vector(trace, "a2"));
  const vida_vector across = vida__vector_scale(graph, cosine, second);
  const vida_vector wanted = vida__vector_add(graph, along, across);
  const vida_vector direction = vida__view_turn(&trace->view[1], vida__trace_vector(trace, "b1"));
  return vida__vector_dot(graph, wanted, direction);
}

/* The row of a drive: the difference of angles if both ends have an angle in the plane, otherwise a
 * sine. */
static int drive_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_view* a = &trace->view[0];
  const vida_view* b = &trace->view[1];
  const int angle =
      trace->instance->expression_count > 0
          ? vida__trace_expression(trace, 0)
          : vida__node_multiply(graph, vida__trace_number(trace, "rate"), trace->time);
  rows[0] = (vida_trace_row){NULL, "rad", -1};
  if (vida__view_has_angle(a) && vida__view_has_angle(b) && a->frame.dimension == 2) {
    int row = vida__node_subtract(graph, vida__view_angle(b), vida__view_angle(a));
    row = vida__node_subtract(graph, row, vida__trace_number(trace, "difference"));
    rows[0].node = vida__node_subtract(graph, row, angle);
    return 1;
  }
  rows[0].node = sine_of_difference(trace, angle);
  return 1;
}

static bool has_angle(const vida_frame* frame) {
  return frame->kind == VIDA_FRAME_PLANE || frame->kind == VIDA_FRAME_GROUND;
}

/* Adds the ends of a drive and all its parameters except those of its angle. */
static int resolve_drive(const VidaSystem* system, const VidaDrive* drive, vida_instance* instance,
                         VidaError* error) {
  const int dimension = system->dimension;
  const int code = vida__resolve_ends(system, "drive", drive->name, drive->ends,
                                      dimension == 1 ? 2 : dimension, false, instance, error);
  if (code) {
    return code;
  }
  vida__instance_triads(system, instance, drive->ends, drive->triads);
  if (dimension == 2 && has_angle(&instance->frame[0]) && has_angle(&instance->frame[1])) {
    vida__instance_number(instance, "difference", drive->difference, 0);
    return vida__check_finite_value("drive", drive->name, "difference", drive->difference, error);
  }
  return vida__check_triads(system, instance, drive->triads, error);
}

static const vida_pattern_formulas drive_formulas = {.constraint = drive_rows};

int VidaSystem_AddDrive(VidaSystem* system, const VidaDrive* drive, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, drive)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_instance instance = {.key = "steady drive"};
  int code = resolve_drive(system, drive, &instance, error);
  code =
      code ? code : vida__instance_quantity(system, &instance, "rate", drive->rate, false, error);
  return code ? code : vida__add_instance(system, &instance, &drive_formulas, error);
}

int VidaSystem_AddAngleDrive(VidaSystem* system, const VidaDrive* drive, VidaExpression angle,
                             VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, drive)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_instance instance = {.key = "drive"};
  int code = resolve_drive(system, drive, &instance, error);
  code = code ? code : vida__instance_expression(system, &instance, "angle", angle, error);
  return code ? code : vida__add_instance(system, &instance, &drive_formulas, error);
}

int VidaSystem_AddPrescribedValue(VidaSystem* system, const char* name, const char* unit,
                                  VidaExpression expression, VidaExpression value,
                                  VidaError* error) {
  const VidaExpression operands[2] = {expression, value};
  VidaExpression row = -1;
  int code = VIDA_REFUSE_NULL(error, system, name);
  code = code ? code : vida__check_addition(system, "constraint", name, error);
  code = code ? code : VidaSystem_Apply(system, "-", 2, operands, &row, error);
  return code ? code : VidaSystem_AddExpressionConstraint(system, name, unit, row, error);
}

/* ---- angles ---------------------------------------------------------------------------------- */

static int angle_rows(vida_trace* trace, vida_trace_row* rows) {
  rows[0] = (vida_trace_row){NULL, "rad", sine_of_difference(trace, trace->extra[0])};
  return 1;
}

int VidaSystem_AddAngle(VidaSystem* system, const VidaAngle* angle, VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = angle_rows};
  if (VIDA_REFUSE_NULL(error, system, angle)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int dimension = system->dimension;
  vida_instance instance = {.key = "counted angle", .extra_count = 1, .extra = {angle->coordinate}};
  int code = vida__resolve_ends(system, "angle", angle->name, angle->ends,
                                dimension == 1 ? 2 : dimension, false, &instance, error);
  code = code ? code : vida__check_triads(system, &instance, angle->triads, error);
  if (!code && (angle->coordinate < 0 || angle->coordinate >= system->coordinate_count)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "angle '%s': there is no coordinate number %d",
                      angle->name, angle->coordinate);
  }
  if (code) {
    return code;
  }
  vida__instance_triads(system, &instance, angle->ends, angle->triads);
  return vida__add_instance(system, &instance, &formulas, error);
}

/* ---- guides ---------------------------------------------------------------------------------- */

static int guide_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  if (!vida__trace_has(trace, "n2")) {
    const vida_vector normal = vida__view_turn(&trace->view[0], vida__trace_vector(trace, "n1"));
    const vida_vector gap = vida__trace_distance_vector(trace);
    rows[0] = (vida_trace_row){NULL, "m", vida__vector_dot(graph, normal, gap)};
    return 1;
  }
  const vida_vector gap = vida__trace_distance_vector(trace);
  rows[0] = (vida_trace_row){"across 1", "m", along_first(trace, "n1", gap)};
  rows[1] = (vida_trace_row){"across 2", "m", along_first(trace, "n2", gap)};
  return 2;
}

/* Refuses parallel directions, which define a plane and not a line. */
static int check_not_parallel(const VidaGuide* guide, VidaError* error) {
  const double parallel = 1e-10; /* sine of the angle between the directions, which have length 1 */
  double product[3];
  vida__cross(guide->across[0], guide->across[1], product);
  return vida__norm(product, 3) > parallel
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "point on line '%s': across: the two directions are parallel",
                          guide->name);
}

int VidaSystem_AddGuide(VidaSystem* system, const VidaGuide* guide, VidaError* error) {
  static const vida_pattern_formulas formulas = {.constraint = guide_rows};
  if (VIDA_REFUSE_NULL(error, system, guide)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int dimension = system->dimension;
  const bool is_line = guide->count == dimension - 1;
  const char* title = is_line ? "point on line" : "point on plane";
  vida_instance instance = {.key = title};
  int code = vida__resolve_ends(system, title, guide->name, guide->ends, 0, true, &instance, error);
  const int turning = code ? 0 : vida__frame_turn_count(&instance.frame[0]);
  if (!code && (guide->count < 1 || guide->count > 2 || dimension - guide->count < 1)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': it has no %d directions across it", title,
                      guide->name, guide->count);
  }
  if (!code && turning < (is_line ? dimension : 1)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': '%s' has no such orientation; expected a rigid body or the ground",
                      title, guide->name, vida__end_name(system, &guide->ends[0]));
  }
  for (int i = 0; i < guide->count && !code; i++) {
    code = vida__check_unit_vector(title, guide->name, "across", guide->across[i], turning, error);
  }
  if (!code && guide->count == 2) {
    code = check_not_parallel(guide, error);
  }
  if (code) {
    return code;
  }
  for (int i = 0; i < guide->count; i++) {
    double across[3];
    vida__end_direction(system, &guide->ends[0], guide->across[i], across);
    vida__instance_vector(&instance, i == 0 ? "n1" : "n2", turning, across);
  }
  return vida__add_instance(system, &instance, &formulas, error);
}
