/* Bodies and rods: their coordinates, energies and rows. */
#include <vida/bodies.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/mechanics/pattern.h"
#include "system/mechanics/rotation.h"
#include "system/mechanics/savepoint.h"
#include "system/mechanics/shape.h"
#include "system/model/build.h"

/* Relative difference up to which a value in decimal digits counts as symmetric or of norm 1. */
static const double rounding = 1e-12;

enum { TURNING_MOST = 9 };

/* What the name of a quaternion appends to that of its body. */
#define QUATERNION_SUFFIX ": quaternion"

/* The data of a body of any kind while it is added. */
typedef struct body_work {
  const char* kind; /* "body" or "rod" */
  const char* name;
  int dimension;
  double mass;
  const VidaInitial *position, *velocity;
  int turning_count; /* number of coordinates of the orientation, with their values and rates */
  const char* const* suffixes;
  const char* unit;
  double values[TURNING_MOST], rates[TURNING_MOST];
  VidaSpin spin;
  bool guess;
  int first; /* index of the first coordinate of the orientation */
  vida_body body;
} body_work;

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_positive(const body_work* work, const char* key, double value, VidaError* error) {
  char text[VIDA_REAL_TEXT_SIZE];
  if (value > 0.0 && isfinite(value)) {
    return VIDA_SUCCESS;
  }
  return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: expected a positive number, got %s",
                    work->kind, work->name, key, vida__shortest_text(text, value));
}

/* A body that does not move has no particle, so the names of particles do not show its name. */
static int check_body_name(const VidaSystem* system, const char* name, VidaError* error) {
  const struct vida_mechanics* own = system->mechanics;
  return own ? vida__check_new_name(&own->fixed_names, "bodies", name, error) : VIDA_SUCCESS;
}

static int check_spin(const body_work* work, VidaError* error) {
  return vida__check_kind(work->kind, work->name, "spin", (int)work->spin, VIDA_SPIN_FREE, error);
}

static int check_body(const VidaSystem* system, const body_work* work, int dimension,
                      VidaError* error) {
  int code = vida__check_addition(system, work->kind, work->name, error);
  if (!code && system->dimension != dimension) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': it needs a system of dimension %d, this one has dimension %d",
                      work->kind, work->name, dimension, system->dimension);
  }
  code = code ? code : check_body_name(system, work->name, error);
  code = code ? code : check_spin(work, error);
  return code ? code : check_positive(work, "mass", work->mass, error);
}

static int check_finite(const body_work* work, const char* key, const double* values, int count,
                        VidaError* error) {
  for (int i = 0; i < count; i++) {
    const int code = vida__check_finite_value(work->kind, work->name, key, values[i], error);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

/* A default rate that is not zero counts as given. */
static VidaSpin find_spin(VidaSpin spin, const double* angular_velocity, int count) {
  for (int i = 0; i < count; i++) {
    if (spin == VIDA_SPIN_DEFAULT && angular_velocity[i] != 0.0) {
      return VIDA_SPIN_GIVEN;
    }
  }
  return spin;
}

/* ---- parts of a body ------------------------------------------------------------------------- */

static VidaInitial maybe_free(VidaInitial initial, bool guess) {
  if (guess && !initial.free) {
    const double near = initial.value;
    initial = VidaInitial_Free(0.0);
    initial.value = near;
  }
  return initial;
}

static int add_centre(VidaSystem* system, body_work* work, VidaError* error) {
  VidaParticle particle = {.name = work->name, .mass = work->mass};
  for (int i = 0; i < work->dimension; i++) {
    particle.position[i] = maybe_free(work->position[i], work->guess);
    particle.velocity[i] = maybe_free(work->velocity[i], work->guess);
  }
  const int code = VidaSystem_AddParticle(system, &particle, &work->body.particle, error);
  if (!code) {
    work->body.frame.dimension = work->dimension;
    work->body.frame.first = VidaSystem_ParticleCoordinate(system, work->body.particle);
  }
  return code;
}

static int add_turning(VidaSystem* system, body_work* work, VidaError* error) {
  int code = VIDA_SUCCESS;
  work->first = system->coordinate_count;
  for (int i = 0; i < work->turning_count && !code; i++) {
    const bool is_default = work->spin == VIDA_SPIN_DEFAULT && !work->guess;
    const VidaInitial value = maybe_free(VidaInitial_Given(work->values[i]), work->guess);
    const VidaInitial rate = is_default ? VidaInitial_Default(0.0)
                                        : maybe_free(VidaInitial_Given(work->rates[i]),
                                                     work->guess || work->spin == VIDA_SPIN_FREE);
    vida_joined name;
    code = vida__join(&name, work->name, ".", work->suffixes[i])
               ? vida__fail_memory(error)
               : VidaSystem_AddCoordinate(system, name.text, work->unit, value, rate, NULL, error);
    vida__free_joined(&name);
  }
  return code;
}

static bool has_free(const VidaInitial* list, int count) {
  for (int i = 0; i < count; i++) {
    if (list[i].free) {
      return true;
    }
  }
  return false;
}

/* Appends the body to those of the system. */
static int store_body(VidaSystem* system, body_work* work, int* number, VidaError* error) {
  struct vida_mechanics* own = vida__mechanics(system);
  vida_body* body = &work->body;
  body->name = body->is_fixed ? vida__store_text(&system->names, work->name)
                              : system->particles[body->particle].name;
  if (!body->name || !own || vida__reserve_strings(&own->fixed_names, 1) ||
      vida__reserve((void**)&own->bodies, &own->body_capacity, (size_t)own->body_count + 1,
                    sizeof *own->bodies)) {
    return vida__fail_memory(error);
  }
  own->bodies[own->body_count++] = *body;
  if (body->is_fixed) {
    vida__add_callers_string(&own->fixed_names, body->name);
  }
  if (number) {
    *number = own->body_count - 1;
  }
  return VIDA_SUCCESS;
}

/* Stores a body that moves, with its initial values. */
static int keep_body(VidaSystem* system, body_work* work, int* number, VidaError* error) {
  vida_body* body = &work->body;
  const int n = work->dimension;
  const bool rates_known = !has_free(work->velocity, n);
  body->has_start = !work->guess && !has_free(work->position, n);
  for (int i = 0; i < n; i++) {
    body->q[i] = work->position[i].value;
    body->v[i] = rates_known ? work->velocity[i].value : 0.0;
  }
  for (int i = 0; i < work->turning_count; i++) {
    body->q[n + i] = work->values[i];
    body->v[n + i] = work->spin == VIDA_SPIN_GIVEN ? work->rates[i] : 0.0;
  }
  return store_body(system, work, number, error);
}

static int add_motion(VidaSystem* system, const body_work* work, VidaMotion kind, int first,
                      int count, VidaError* error) {
  int coordinates[4] = {0};
  for (int i = 0; i < count; i++) {
    coordinates[i] = work->first + first + i;
  }
  return VidaSystem_AddMotion(system, kind, coordinates, error);
}

/* Adds the energy and the rows of the orientation. Their name is that of the body with `suffix`. */
static int add_orientation(VidaSystem* system, const body_work* work, const char* key,
                           const char* suffix, vida_instance* instance,
                           const vida_pattern_formulas* formulas, VidaError* error) {
  vida_joined name;
  if (vida__join(&name, work->name, suffix, "")) {
    return vida__fail_memory(error);
  }
  instance->key = key;
  instance->title = work->kind;
  instance->name = name.text;
  instance->extra_count = work->turning_count;
  for (int i = 0; i < work->turning_count; i++) {
    instance->extra[i] = work->first + i;
  }
  const int code = vida__add_instance(system, instance, formulas, error);
  vida__free_joined(&name);
  return code;
}

/* ---- in the plane ---------------------------------------------------------------------------- */

/* 0.5 I w^2 */
static int plane_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const int half = vida__node_multiply(graph, vida__graph_constant(graph, 0.5),
                                       vida__trace_number(trace, "inertia"));
  return vida__node_multiply(graph, half, vida__node_square(graph, trace->extra_rate[0]));
}

int VidaSystem_AddPlaneBody(VidaSystem* system, const VidaPlaneBody* given, int* body,
                            VidaError* error) {
  static const char* const suffixes[] = {"angle"};
  static const vida_pattern_formulas formulas = {.kinetic = plane_energy};
  if (VIDA_REFUSE_NULL(error, system, given)) {
    return VIDA_BAD_ARGUMENT;
  }
  body_work work = {.kind = "body",
                    .name = given->name,
                    .dimension = 2,
                    .mass = given->mass,
                    .position = given->position,
                    .velocity = given->velocity,
                    .turning_count = 1,
                    .suffixes = suffixes,
                    .unit = "rad",
                    .values = {given->angle},
                    .rates = {given->angular_velocity},
                    .spin = find_spin(given->spin, &given->angular_velocity, 1),
                    .guess = given->guess,
                    .body = {.frame.kind = VIDA_FRAME_PLANE}};
  vida_instance instance = {0};
  vida__instance_number(&instance, "inertia", given->inertia, 0);
  int code = check_body(system, &work, 2, error);
  code = code ? code : check_positive(&work, "inertia", given->inertia, error);
  code = code ? code : check_finite(&work, "angle", work.values, 1, error);
  code = code ? code : check_finite(&work, "angular_velocity", work.rates, 1, error);
  if (code) {
    return code;
  }
  const vida_savepoint before = vida__savepoint(system);
  code = add_centre(system, &work, error);
  code = code ? code : add_turning(system, &work, error);
  code = code ? code : add_motion(system, &work, VIDA_MOTION_ANGLE, 0, 1, error);
  code = code ? code : add_orientation(system, &work, "body2", "", &instance, &formulas, error);
  code = code ? code
              : vida__draw_plane_body(system, work.name, &work.body.frame, work.mass,
                                      given->inertia, error);
  code = code ? code : keep_body(system, &work, body, error);
  if (code) {
    vida__return_to(system, &before);
  }
  return code;
}

/* ---- rods ------------------------------------------------------------------------------------ */

static int rod_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  int sum = vida__graph_constant(graph, 0.0);
  for (int i = 0; i < trace->extra_count; i++) {
    sum = vida__node_add(graph, sum, vida__node_square(graph, trace->extra_rate[i]));
  }
  const int half = vida__node_multiply(graph, vida__graph_constant(graph, 0.5),
                                       vida__trace_number(trace, "inertia"));
  return vida__node_multiply(graph, half, sum);
}

static vida_vector extra_vector(const vida_trace* trace, int first, int count) {
  vida_vector vector = {.count = count};
  for (int i = 0; i < count; i++) {
    vector.x[i] = trace->extra[first + i];
  }
  return vector;
}

/* The row l (|u|^2 - 1) / 2 is a length, so that its multiplier is a force. */
static int rod_rows(vida_trace* trace, vida_trace_row* rows) {
  vida_graph* graph = trace->graph;
  const vida_vector u = extra_vector(trace, 0, trace->extra_count);
  const int half = vida__node_multiply(graph, vida__graph_constant(graph, 0.5),
                                       vida__trace_number(trace, "length"));
  const int square = vida__vector_dot(graph, u, u);
  const int excess = vida__node_subtract(graph, square, vida__graph_constant(graph, 1.0));
  rows[0] = (vida_trace_row){NULL, "m", vida__node_multiply(graph, half, excess)};
  return 1;
}

/* Computes the rates of the unit vector. An angular velocity along the axis does not turn a rod. */
static void find_rod_rates(body_work* work, const double* spin) {
  const double* u = work->values;
  if (work->dimension == 2) {
    work->rates[0] = spin[0] * -u[1];
    work->rates[1] = spin[0] * u[0];
  } else {
    vida__cross(spin, u, work->rates);
  }
}

int VidaSystem_AddRod(VidaSystem* system, const VidaRod* given, int* body, VidaError* error) {
  static const char* const suffixes[] = {"ux", "uy", "uz"};
  static const vida_pattern_formulas formulas = {.kinetic = rod_energy, .constraint = rod_rows};
  if (VIDA_REFUSE_NULL(error, system, given)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int n = system->dimension;
  const int spin_count = n == 2 ? 1 : 3;
  body_work work = {.kind = "rod",
                    .name = given->name,
                    .dimension = n,
                    .mass = given->mass,
                    .position = given->position,
                    .velocity = given->velocity,
                    .turning_count = n,
                    .suffixes = suffixes,
                    .unit = "",
                    .spin = find_spin(given->spin, given->angular_velocity, spin_count),
                    .guess = given->guess,
                    .body = {.frame.kind = VIDA_FRAME_ROD}};
  const double inertia =
      given->inertia == 0.0 ? given->mass * (given->length * given->length) / 12.0 : given->inertia;
  vida_instance instance = {0};
  vida__instance_number(&instance, "inertia", inertia, 0);
  vida__instance_number(&instance, "length", given->length, 0);
  int code = check_body(system, &work, n == 1 ? 2 : n, error);
  code = code ? code : check_positive(&work, "length", given->length, error);
  code = code ? code : check_positive(&work, "inertia", inertia, error);
  code = code ? code
              : check_finite(&work, "angular_velocity", given->angular_velocity, spin_count, error);
  code = code ? code : check_finite(&work, "direction", given->direction, n, error);
  if (code) {
    return code;
  }
  memcpy(work.values, given->direction, (size_t)n * sizeof *work.values);
  if (!vida__normalize(work.values, n)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "rod '%s': direction: a direction cannot be zero",
                      given->name);
  }
  find_rod_rates(&work, given->angular_velocity);
  const vida_savepoint before = vida__savepoint(system);
  code = add_centre(system, &work, error);
  code = code ? code : add_turning(system, &work, error);
  code = code ? code : add_motion(system, &work, VIDA_MOTION_DIRECTION, 0, n, error);
  code = code ? code
              : add_orientation(system, &work, "rod", ": direction", &instance, &formulas, error);
  code = code ? code : vida__draw_rod(system, work.name, &work.body.frame, given->length, error);
  code = code ? code : keep_body(system, &work, body, error);
  if (code) {
    vida__return_to(system, &before);
  }
  return code;
}

/* ---- bodies in space: quaternions ------------------------------------------------------------ */

/* The rotational energy of Wendlandt and Marsden 1997, eq. 5.3: W.J W / 2 with the body rates
 * W = 2 q* q', on |q| = 1. */
static int quaternion_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const int* rates = trace->extra_rate;
  const vida_vector conjugate = vida__quaternion_conjugate(graph, extra_vector(trace, 0, 4));
  const vida_vector rate = {.count = 4, .x = {rates[0], rates[1], rates[2], rates[3]}};
  const vida_vector product = vida__quaternion_multiply(graph, conjugate, rate);
  const int two = vida__graph_constant(graph, 2.0);
  const vida_vector w = vida__vector_scale(graph, two, product);
  const vida_vector j = vida__trace_vector(trace, "inertia");
  int energy = -1;
  for (int i = 0; i < 3; i++) {
    const int square = vida__node_square(graph, w.x[i + 1]);
    const int part = vida__node_multiply(graph, j.x[i], square);
    energy = i == 0 ? part : vida__node_add(graph, energy, part);
  }
  if (vida__trace_has(trace, "products")) {
    const vida_vector k = vida__trace_vector(trace, "products");
    int sum = -1;
    for (int i = 0; i < 3; i++) {
      static const int factors[3][2] = {{2, 3}, {1, 3}, {1, 2}};
      const int first = vida__node_multiply(graph, k.x[i], w.x[factors[i][0]]);
      const int part = vida__node_multiply(graph, first, w.x[factors[i][1]]);
      sum = i == 0 ? part : vida__node_add(graph, sum, part);
    }
    energy = vida__node_add(graph, energy, vida__node_multiply(graph, two, sum));
  }
  return vida__node_multiply(graph, vida__graph_constant(graph, 0.5), energy);
}

/* (|v|^2 - 1) / 2 */
static int unit_row(vida_graph* graph, vida_vector v) {
  const int square = vida__vector_dot(graph, v, v);
  const int excess = vida__node_subtract(graph, square, vida__graph_constant(graph, 1.0));
  return vida__node_multiply(graph, vida__graph_constant(graph, 0.5), excess);
}

static int add_unit_norm(VidaSystem* system, const body_work* work, VidaError* error) {
  const vida_constraint_batch like = {
      .kernel = &vida__unit_quaternion, .dimension = 3, .width = 4, .rows = 1};
  const int index[4] = {work->first, work->first + 1, work->first + 2, work->first + 3};
  vida_joined name;
  if (vida__join(&name, work->name, QUATERNION_SUFFIX, "")) {
    return vida__fail_memory(error);
  }
  int code = vida__check_row_names(system, name.text, 1, error);
  vida_constraint_batch* batch = code ? NULL : vida__find_constraint_batch(system, &like);
  if (!code) {
    code = batch ? vida__append_constraint(system, batch, index, NULL, name.text, "", 0.0, error)
                 : vida__fail_memory(error);
  }
  vida__free_joined(&name);
  return code;
}

static int add_quaternion(VidaSystem* system, body_work* work, const VidaRigidBody* given,
                          const double* q, const double* spin, VidaError* error) {
  static const char* const suffixes[] = {"q0", "q1", "q2", "q3"};
  static const vida_pattern_formulas formulas = {.kinetic = quaternion_energy};
  const double(*j)[3] = given->inertia;
  const double pure[4] = {0.0, spin[0], spin[1], spin[2]};
  const double diagonal[3] = {j[0][0], j[1][1], j[2][2]};
  const double products[3] = {j[1][2], j[0][2], j[0][1]};
  vida_instance instance = {0};
  work->body.frame.kind = VIDA_FRAME_QUATERNION;
  work->turning_count = 4;
  work->suffixes = suffixes;
  memcpy(work->values, q, 4 * sizeof *q);
  vida__multiply_quaternions(pure, q, work->rates);
  for (int i = 0; i < 4; i++) {
    work->rates[i] *= 0.5;
  }
  vida__instance_vector(&instance, "inertia", 3, diagonal);
  if (products[0] != 0.0 || products[1] != 0.0 || products[2] != 0.0) {
    vida__instance_vector(&instance, "products", 3, products);
  }
  int code = add_turning(system, work, error);
  code = code ? code : add_motion(system, work, VIDA_MOTION_QUATERNION, 0, 4, error);
  code = code ? code
              : add_orientation(system, work, "quaternion", QUATERNION_SUFFIX, &instance, &formulas,
                                error);
  return code ? code : add_unit_norm(system, work, error);
}

/* ---- bodies in space: directors -------------------------------------------------------------- */

/* The kinetic energy is the sum of E_i |d_i'|^2 / 2 over the unit vectors d_i along the principal
 * axes, with the Euler tensor E_i = (sum of the moments) / 2 - J_i = integral of x_i^2 dm. */
static int director_energy(vida_trace* trace) {
  vida_graph* graph = trace->graph;
  const vida_vector euler = vida__trace_vector(trace, "euler");
  int energy = vida__graph_constant(graph, 0.0);
  for (int k = 0; k < trace->extra_count; k++) {
    const int half = vida__node_multiply(graph, vida__graph_constant(graph, 0.5), euler.x[k / 3]);
    const int square = vida__node_square(graph, trace->extra_rate[k]);
    const int part = vida__node_multiply(graph, half, square);
    energy = vida__node_add(graph, energy, part);
  }
  return energy;
}

static int director_rows(vida_trace* trace, vida_trace_row* rows) {
  static const char* const names[3][3] = {
      {"d1.d1", "d1.d2", "d1.d3"}, {NULL, "d2.d2", "d2.d3"}, {NULL, NULL, "d3.d3"}};
  const int count = trace->extra_count / 3;
  int made = 0;
  for (int i = 0; i < count; i++) {
    const int row = unit_row(trace->graph, extra_vector(trace, 3 * i, 3));
    rows[made++] = (vida_trace_row){names[i][i], "", row};
  }
  for (int i = 0; i < count; i++) {
    for (int k = i + 1; k < count; k++) {
      const int row = vida__vector_dot(trace->graph, extra_vector(trace, 3 * i, 3),
                                       extra_vector(trace, 3 * k, 3));
      rows[made++] = (vida_trace_row){names[i][k], "", row};
    }
  }
  return made;
}

/* Computes the Euler tensor in principal axes (the columns of `axes`), and permutes the axes until
 * a vanishing entry is the third. *count receives the number of directors: two for a flat body,
 * which has no mass along its third axis. */
static int find_euler_tensor(const body_work* work, const double* moments, double axes[3][3],
                             double euler[3], int* count, VidaError* error) {
  const double half = (moments[0] + moments[1] + moments[2]) / 2.0;
  int thin = 0;
  for (int i = 0; i < 3; i++) {
    euler[i] = half - moments[i];
    if (euler[i] <= rounding * half) {
      thin++;
      euler[i] = 0.0;
    }
  }
  if (thin > 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': inertia: all its mass is on a line; use system:rod", work->kind,
                      work->name);
  }
  while (thin == 1 && euler[2] != 0.0) {
    const double first = euler[0];
    euler[0] = euler[1];
    euler[1] = euler[2];
    euler[2] = first;
    for (int i = 0; i < 3; i++) {
      const double row = axes[i][0];
      axes[i][0] = axes[i][1];
      axes[i][1] = axes[i][2];
      axes[i][2] = row;
    }
  }
  *count = 3 - thin;
  return VIDA_SUCCESS;
}

static int add_directors(VidaSystem* system, body_work* work, const double* euler, int count,
                         const double* q, const double* spin, VidaError* error) {
  static const char* const suffixes[] = {"d1x", "d1y", "d1z", "d2x", "d2y",
                                         "d2z", "d3x", "d3y", "d3z"};
  static const vida_pattern_formulas formulas = {.kinetic = director_energy,
                                                 .constraint = director_rows};
  vida_instance instance = {0};
  work->body.frame.kind = count == 2 ? VIDA_FRAME_FLAT : VIDA_FRAME_DIRECTORS;
  work->body.has_axes = true;
  work->turning_count = 3 * count;
  work->suffixes = suffixes;
  for (int i = 0; i < count; i++) {
    const double(*axes)[3] = (const double(*)[3])work->body.axes;
    const double axis[3] = {axes[0][i], axes[1][i], axes[2][i]};
    vida__rotate(q, axis, work->values + 3 * i);
    vida__cross(spin, work->values + 3 * i, work->rates + 3 * i);
  }
  vida__instance_vector(&instance, "euler", 3, euler);
  int code = add_turning(system, work, error);
  for (int i = 0; i < count && !code; i++) {
    code = add_motion(system, work, VIDA_MOTION_DIRECTION, 3 * i, 3, error);
  }
  return code ? code : add_orientation(system, work, "directors", "", &instance, &formulas, error);
}

/* ---- bodies in space ------------------------------------------------------------------------- */

static int check_inertia(const body_work* work, const double inertia[3][3], VidaError* error) {
  double largest = 0.0;
  for (int i = 0; i < 3; i++) {
    const int code = check_finite(work, "inertia", inertia[i], 3, error);
    if (code) {
      return code;
    }
    largest = fmax(largest, fabs(inertia[i][i]));
  }
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3;
    if (fabs(inertia[i][k] - inertia[k][i]) > rounding * largest) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': inertia: expected a symmetric matrix, got %g and %g beside the "
                        "diagonal",
                        work->kind, work->name, inertia[i][k], inertia[k][i]);
    }
  }
  return VIDA_SUCCESS;
}

static int check_moments(const body_work* work, const double* moments, VidaError* error) {
  enum { DIGITS = 10 };
  char text[3][VIDA_REAL_TEXT_SIZE];
  const double sum = moments[0] + moments[1] + moments[2];
  for (int i = 0; i < 3; i++) {
    vida__real_text(text[i], moments[i], DIGITS);
  }
  for (int i = 0; i < 3; i++) {
    if (!(moments[i] > 0.0 && isfinite(moments[i]))) {
      /* The other two moments of a rod are equal and positive. */
      const double other = moments[(i + 1) % 3] - moments[(i + 2) % 3];
      const bool is_rod =
          moments[i] >= -rounding * sum && fabs(other) <= rounding * sum && sum > 0.0;
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': inertia: expected positive principal moments, got %s%s",
                        work->kind, work->name, text[i],
                        is_rod ? "; a body whose mass is on a line is a rod: system:rod" : "");
    }
  }
  for (int i = 0; i < 3; i++) {
    if (sum - 2.0 * moments[i] < -rounding * sum) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': inertia: no body has the principal moments %s, %s, %s: "
                        "the largest is more than the sum of the other two",
                        work->kind, work->name, text[0], text[1], text[2]);
    }
  }
  return VIDA_SUCCESS;
}

/* Reads the initial unit quaternion; all 0 means the axes of space. */
static int read_orientation(const body_work* work, const double* given, double q[4],
                            VidaError* error) {
  char text[VIDA_REAL_TEXT_SIZE];
  const double length = vida__norm(given, 4);
  memcpy(q, given, 4 * sizeof *q);
  if (length == 0.0) {
    q[0] = 1.0;
  } else if (!(fabs(length - 1.0) <= rounding)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': orientation: expected a quaternion of norm 1, got the norm %s",
                      work->kind, work->name, vida__shortest_text(text, length));
  }
  return VIDA_SUCCESS;
}

int VidaSystem_AddRigidBody(VidaSystem* system, const VidaRigidBody* given, int* body,
                            VidaError* error) {
  double moments[3], principal[3][3], euler[3], q[4];
  int count = 3;
  if (VIDA_REFUSE_NULL(error, system, given)) {
    return VIDA_BAD_ARGUMENT;
  }
  body_work work = {.kind = "body",
                    .name = given->name,
                    .dimension = 3,
                    .mass = given->mass,
                    .position = given->position,
                    .velocity = given->velocity,
                    .unit = "",
                    .spin = find_spin(given->spin, given->angular_velocity, 3),
                    .guess = given->guess};
  int code = check_body(system, &work, 3, error);
  code = code ? code
              : vida__check_kind(work.kind, work.name, "as", (int)given->as,
                                 VIDA_ORIENTATION_DIRECTORS, error);
  code = code ? code : check_inertia(&work, given->inertia, error);
  if (code) {
    return code;
  }
  Vida_PrincipalAxes(given->inertia, moments, principal);
  memcpy(work.body.axes, principal, sizeof principal);
  code = check_moments(&work, moments, error);
  code = code ? code : read_orientation(&work, given->orientation, q, error);
  code = code ? code : check_finite(&work, "angular_velocity", given->angular_velocity, 3, error);
  const bool is_quaternion = given->as == VIDA_ORIENTATION_QUATERNION;
  if (!code && !is_quaternion) {
    code = find_euler_tensor(&work, moments, work.body.axes, euler, &count, error);
  }
  if (code) {
    return code;
  }
  const vida_savepoint before = vida__savepoint(system);
  code = add_centre(system, &work, error);
  if (!code) {
    code = is_quaternion
               ? add_quaternion(system, &work, given, q, given->angular_velocity, error)
               : add_directors(system, &work, euler, count, q, given->angular_velocity, error);
  }
  code = code ? code
              : vida__draw_space_body(system, work.name, &work.body, work.mass, moments,
                                      (const double(*)[3])principal, error);
  code = code ? code : keep_body(system, &work, body, error);
  if (code) {
    vida__return_to(system, &before);
  }
  return code;
}

/* ---- bodies that do not move ----------------------------------------------------------------- */

int VidaSystem_AddFixedBody(VidaSystem* system, const VidaFixedBody* given, int* number,
                            VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, given)) {
    return VIDA_BAD_ARGUMENT;
  }
  const int n = system->dimension;
  body_work work = {.kind = "body", .name = given->name, .dimension = n};
  vida_body* body = &work.body;
  int code = vida__check_addition(system, work.kind, work.name, error);
  code = code ? code : check_body_name(system, work.name, error);
  code =
      code ? code
           : vida__check_new_name(&system->particle_names, "particles or bodies", work.name, error);
  code = code ? code : check_finite(&work, "position", given->position, n, error);
  code = code ? code : check_finite(&work, "angle", &given->angle, 1, error);
  code = code ? code : check_finite(&work, "orientation", given->orientation, 4, error);
  if (!code && n == 1) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "body '%s': a rigid body needs a system of dimension 2 or 3", given->name);
  }
  body->q[n] = given->angle;
  if (!code && n == 3) {
    code = read_orientation(&work, given->orientation, body->q + n, error);
  }
  if (code) {
    return code;
  }
  memcpy(body->q, given->position, (size_t)n * sizeof *body->q);
  body->frame = (vida_frame){.kind = VIDA_FRAME_GROUND, .dimension = n, .first = -1};
  body->particle = -1;
  body->is_fixed = true;
  body->has_start = true;
  return store_body(system, &work, number, error);
}
