/* Properties of bodies, and the ends of joints and forces. */
#include <math.h>
#include <string.h>
#include <vida/bodies.h>

#include "base/error.h"
#include "system/mechanics/pattern.h"
#include "system/mechanics/rotation.h"
#include "system/model/build.h"

/* ---- bodies by number ------------------------------------------------------------------------ */

static const vida_body* find_body(const VidaSystem* system, int body) {
  const struct vida_mechanics* own = system ? system->mechanics : NULL;
  return own && body >= 0 && body < own->body_count ? &own->bodies[body] : NULL;
}

int VidaSystem_BodyCount(const VidaSystem* system) {
  return system && system->mechanics ? system->mechanics->body_count : 0;
}

const char* VidaSystem_BodyName(const VidaSystem* system, int body) {
  const vida_body* found = find_body(system, body);
  return found ? found->name : NULL;
}

int VidaSystem_BodyParticle(const VidaSystem* system, int body) {
  const vida_body* found = find_body(system, body);
  return found ? found->particle : -1;
}

int VidaSystem_BodyCoordinate(const VidaSystem* system, int body) {
  const vida_body* found = find_body(system, body);
  return found ? found->frame.first : -1;
}

int VidaSystem_BodyCoordinateCount(const VidaSystem* system, int body) {
  const vida_body* found = find_body(system, body);
  return found ? vida__frame_count(&found->frame) : 0;
}

bool VidaSystem_BodyStart(const VidaSystem* system, int body, double* q, double* v) {
  const vida_body* found = find_body(system, body);
  if (!found || !found->has_start || !q || !v) {
    return false;
  }
  const size_t size = (size_t)vida__frame_count(&found->frame) * sizeof *q;
  memcpy(q, found->q, size);
  memcpy(v, found->v, size);
  return true;
}

bool VidaSystem_BodyAxes(const VidaSystem* system, int body, double axes[3][3]) {
  const vida_body* found = find_body(system, body);
  if (!found || !found->has_axes || !axes) {
    return false;
  }
  memcpy(axes, found->axes, sizeof found->axes);
  return true;
}

/* ---- ends ------------------------------------------------------------------------------------ */

VidaEnd VidaEnd_Ground(double x, double y, double z) {
  return (VidaEnd){.kind = VIDA_END_GROUND, .place = {x, y, z}};
}

VidaEnd VidaEnd_Particle(int particle) {
  return (VidaEnd){.kind = VIDA_END_PARTICLE, .index = particle};
}

VidaEnd VidaEnd_Body(int body, double x, double y, double z) {
  return (VidaEnd){.kind = VIDA_END_BODY, .index = body, .place = {x, y, z}};
}

const char* vida__end_name(const VidaSystem* system, const VidaEnd* end) {
  const bool is_particle =
      end->kind == VIDA_END_PARTICLE && end->index >= 0 && end->index < system->particle_count;
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->index) : NULL;
  return body ? body->name : is_particle ? system->particles[end->index].name : "ground";
}

void vida__body_to_frame(const vida_body* body, const double* vector, double* turned) {
  const double* pose = body->q + body->frame.dimension;
  if (body->is_fixed && body->frame.dimension == 3) {
    vida__rotate(pose, vector, turned);
  } else if (body->is_fixed) {
    turned[0] = cos(pose[0]) * vector[0] - sin(pose[0]) * vector[1];
    turned[1] = sin(pose[0]) * vector[0] + cos(pose[0]) * vector[1];
  } else if (body->has_axes) {
    for (int i = 0; i < 3; i++) {
      turned[i] = body->axes[0][i] * vector[0] + body->axes[1][i] * vector[1] +
                  body->axes[2][i] * vector[2];
    }
  } else {
    memcpy(turned, vector, 3 * sizeof *turned);
  }
}

double vida__fixed_angle(const VidaSystem* system, int number) {
  const vida_body* body = find_body(system, number);
  return body && body->is_fixed && body->frame.dimension == 2 ? body->q[2] : 0.0;
}

/* Returns whether the axes or the origin of a body are not those of its frame. */
static bool has_own_axes(const vida_body* body) {
  return body->has_axes || body->is_fixed;
}

void vida__end_direction(const VidaSystem* system, const VidaEnd* end, const double* direction,
                         double turned[3]) {
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->index) : NULL;
  memcpy(turned, direction, 3 * sizeof *turned);
  if (body && has_own_axes(body) && !end->principal) {
    vida__body_to_frame(body, direction, turned);
  }
}

int vida__end_frame(const VidaSystem* system, const char* kind, const char* name, const char* which,
                    const VidaEnd* end, vida_frame* frame, double place[3], VidaError* error) {
  const vida_body* body = NULL;
  const int code = vida__check_kind(kind, name, which, (int)end->kind, VIDA_END_BODY, error);
  if (code) {
    return code;
  }
  *frame = (vida_frame){.kind = VIDA_FRAME_GROUND, .dimension = system->dimension};
  memcpy(place, end->place, 3 * sizeof *place);
  switch (end->kind) {
    case VIDA_END_PARTICLE:
      if (end->index < 0 || end->index >= system->particle_count) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no particle number %d",
                          kind, name, which, end->index);
      }
      frame->kind = VIDA_FRAME_PARTICLE;
      frame->first = system->particles[end->index].coordinate;
      break;
    case VIDA_END_BODY:
      body = find_body(system, end->index);
      if (!body) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no body number %d", kind,
                          name, which, end->index);
      }
      *frame = body->frame;
      if (has_own_axes(body) && !end->principal) {
        vida__body_to_frame(body, end->place, place);
        for (int i = 0; i < frame->dimension && body->is_fixed; i++) {
          place[i] += body->q[i];
        }
      }
      break;
    default:
      break;
  }
  for (int i = 0; i < vida__frame_place_count(frame); i++) {
    if (!isfinite(place[i])) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: a place must be finite", kind, name,
                        which);
    }
  }
  return VIDA_SUCCESS;
}

/* ---- where ends are at the start ------------------------------------------------------------- */

static void copy_columns(const double* d, int count, int length, double axes[3][3]) {
  for (int i = 0; i < count; i++) {
    memcpy(axes[i], d + i * length, (size_t)length * sizeof *d);
  }
}

void vida__body_start_axes(const vida_body* body, double axes[3][3]) {
  const double* u = body->q + body->frame.dimension;
  memset(axes, 0, 9 * sizeof(double));
  switch (body->frame.kind) {
    case VIDA_FRAME_PLANE:
      axes[0][0] = axes[1][1] = cos(u[0]);
      axes[0][1] = sin(u[0]);
      axes[1][0] = -axes[0][1];
      break;
    case VIDA_FRAME_ROD:
      copy_columns(u, 1, body->frame.dimension, axes);
      axes[1][0] = -u[1]; /* to the left, in the plane */
      axes[1][1] = u[0];
      break;
    case VIDA_FRAME_QUATERNION:
      for (int i = 0; i < 3; i++) {
        const double unit[3] = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        vida__rotate(u, unit, axes[i]);
      }
      break;
    case VIDA_FRAME_FLAT:
      copy_columns(u, 2, 3, axes);
      vida__cross(axes[0], axes[1], axes[2]);
      break;
    default:
      copy_columns(u, 3, 3, axes);
      break;
  }
}

static int fail_unknown_start(const vida_body* body, VidaError* error) {
  return vida__fail(error, VIDA_BAD_ARGUMENT,
                    "body '%s': its initial position is computed from the constraints; use points "
                    "and directions of the body itself",
                    body->name);
}

/* Refuses a vector of the caller that is not finite. */
static int check_vector(const VidaSystem* system, const char* key, const double* vector, int count,
                        VidaError* error) {
  int code = VIDA_SUCCESS;
  for (int i = 0; i < count && !code; i++) {
    code = vida__check_finite_value("system", system->name, key, vector[i], error);
  }
  return code;
}

int VidaSystem_EndAt(const VidaSystem* system, int number, const double* at, VidaEnd* end,
                     VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, at, end)) {
    return VIDA_BAD_ARGUMENT;
  }
  double axes[3][3];
  double gap[3] = {0.0, 0.0, 0.0};
  const vida_body* body = find_body(system, number);
  if (!body) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "system '%s': there is no body number %d",
                      system->name, number);
  }
  if (!body->has_start) {
    return fail_unknown_start(body, error);
  }
  const int n = body->frame.dimension;
  const int code = check_vector(system, "at", at, n, error);
  if (code) {
    return code;
  }
  *end = (VidaEnd){.kind = VIDA_END_BODY, .index = number, .principal = has_own_axes(body)};
  if (body->is_fixed) {
    memcpy(end->place, at, (size_t)n * sizeof *at);
    return VIDA_SUCCESS;
  }
  for (int i = 0; i < n; i++) {
    gap[i] = at[i] - body->q[i];
  }
  vida__body_start_axes(body, axes);
  for (int i = 0; i < vida__frame_place_count(&body->frame); i++) {
    end->place[i] = vida__dot(axes[i], gap, n);
  }
  return VIDA_SUCCESS;
}

/* Computes the axes of the frame of an end in space at the start, as rows. */
static int find_start_axes(const VidaSystem* system, const VidaEnd* end, const vida_frame* frame,
                           double axes[3][3], VidaError* error) {
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->index) : NULL;
  if (frame->kind == VIDA_FRAME_GROUND) {
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        axes[i][k] = i == k ? 1.0 : 0.0;
      }
    }
    return VIDA_SUCCESS;
  }
  if (!body) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "particle '%s' has no orientation",
                      vida__end_name(system, end));
  }
  if (!body->has_start) {
    return fail_unknown_start(body, error);
  }
  vida__body_start_axes(body, axes);
  return VIDA_SUCCESS;
}

/* Converts a direction from the axes of space to those of the frame of an end. */
static int find_local(const VidaSystem* system, const VidaEnd* end, const vida_frame* frame,
                      const double* direction, double* components, VidaError* error) {
  double axes[3][3];
  const int code = find_start_axes(system, end, frame, axes, error);
  for (int i = 0; i < vida__frame_turn_count(frame) && !code; i++) {
    components[i] = vida__dot(axes[i], direction, system->dimension);
  }
  return code;
}

/* Converts a vector from the axes of the frame of a body to those of the body. */
static void frame_to_body(const vida_body* body, const double* vector, double* turned) {
  for (int k = 0; k < 3; k++) {
    const double unit[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
    double column[3] = {0.0, 0.0, 0.0}; /* axis k of the body, in the frame */
    vida__body_to_frame(body, unit, column);
    turned[k] = vida__dot(column, vector, body->frame.dimension);
  }
}

int VidaSystem_DirectionAt(const VidaSystem* system, const VidaEnd* end, const double* direction,
                           double* components, VidaError* error) {
  vida_frame frame;
  double place[3];
  double local[3] = {0.0, 0.0, 0.0};
  int code = VIDA_REFUSE_NULL(error, system, end, direction, components);
  code = code ? code
              : vida__end_frame(system, "system", system->name, "end", end, &frame, place, error);
  code = code ? code : check_vector(system, "direction", direction, system->dimension, error);
  code = code ? code : find_local(system, end, &frame, direction, local, error);
  if (code) {
    return code;
  }
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->index) : NULL;
  if (body && has_own_axes(body) && !end->principal) {
    frame_to_body(body, local, components);
  } else {
    memcpy(components, local, sizeof local);
  }
  return VIDA_SUCCESS;
}

/* Converts components in the axes of a frame to a vector in space at the start. */
static void combine_axes(int dimension, int count, double axes[3][3], const double* components,
                         double* vector) {
  for (int k = 0; k < dimension; k++) {
    vector[k] = 0.0;
    for (int i = 0; i < count; i++) {
      vector[k] += components[i] * axes[i][k];
    }
  }
}

int VidaSystem_DirectionStart(const VidaSystem* system, const VidaEnd* end,
                              const double* components, double* direction, VidaError* error) {
  vida_frame frame;
  double place[3], axes[3][3], turned[3];
  double given[3] = {0.0, 0.0, 0.0};
  int code = VIDA_REFUSE_NULL(error, system, end, components, direction);
  code = code ? code
              : vida__end_frame(system, "system", system->name, "end", end, &frame, place, error);
  code = code ? code : find_start_axes(system, end, &frame, axes, error);
  if (code) {
    return code;
  }
  const int count = vida__frame_turn_count(&frame);
  code = check_vector(system, "components", components, count, error);
  if (code) {
    return code;
  }
  memcpy(given, components, (size_t)count * sizeof *given);
  vida__end_direction(system, end, given, turned);
  combine_axes(system->dimension, count, axes, turned, direction);
  return VIDA_SUCCESS;
}

/* Finds the initial position of a particle. */
static int find_particle_start(const VidaSystem* system, const vida_frame* frame, const char* name,
                               double* position, VidaError* error) {
  for (int i = 0; i < system->dimension; i++) {
    const VidaInitial* initial = &system->coordinates[frame->first + i].position;
    if (initial->free) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "particle '%s': its initial position is computed from the constraints",
                        name);
    }
    position[i] = initial->value;
  }
  return VIDA_SUCCESS;
}

int VidaSystem_EndStart(const VidaSystem* system, const VidaEnd* end, double* position,
                        VidaError* error) {
  vida_frame frame;
  double place[3], axes[3][3], arm[3];
  int code = VIDA_REFUSE_NULL(error, system, end, position);
  code = code ? code
              : vida__end_frame(system, "system", system->name, "end", end, &frame, place, error);
  if (!code && frame.kind == VIDA_FRAME_PARTICLE) {
    return find_particle_start(system, &frame, vida__end_name(system, end), position, error);
  }
  code = code ? code : find_start_axes(system, end, &frame, axes, error);
  if (code) {
    return code;
  }
  const vida_body* body = frame.kind == VIDA_FRAME_GROUND ? NULL : find_body(system, end->index);
  combine_axes(system->dimension, vida__frame_place_count(&frame), axes, place, arm);
  for (int i = 0; i < system->dimension; i++) {
    position[i] = (body ? body->q[i] : 0.0) + arm[i];
  }
  return VIDA_SUCCESS;
}

int VidaSystem_TriadsAlong(const VidaSystem* system, VidaEnd ends[2], const double* axis,
                           VidaTriad triads[2], VidaError* error) {
  if (VIDA_REFUSE_NULL(error, system, ends, axis, triads)) {
    return VIDA_BAD_ARGUMENT;
  }
  double e[3][3] = {{0.0}};
  const int n = system->dimension;
  double* main_axis = n == 3 ? e[2] : e[0];
  memcpy(main_axis, axis, (size_t)n * sizeof *axis);
  if (n == 1 || !vida__normalize(main_axis, n)) {
    return vida__fail(
        error, VIDA_BAD_ARGUMENT, "system '%s': %s", system->name,
        n == 1 ? "a line has no directions across it" : "an axis must be finite and not zero");
  }
  if (n == 3) {
    Vida_DirectionAcross(e[2], e[0]);
    vida__cross(e[2], e[0], e[1]);
  } else {
    e[1][0] = -e[0][1];
    e[1][1] = e[0][0];
  }
  for (int i = 0; i < 2; i++) {
    vida_frame frame;
    double place[3];
    int code = vida__end_frame(system, "system", system->name, i == 0 ? "first end" : "second end",
                               &ends[i], &frame, place, error);
    if (!code && vida__frame_turn_count(&frame) < n) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT,
                        "'%s' has no orientation about an axis; expected a body or the ground",
                        vida__end_name(system, &ends[i]));
    }
    const vida_body* body = ends[i].kind == VIDA_END_BODY ? find_body(system, ends[i].index) : NULL;
    for (int k = 0; k < n && !code; k++) {
      code = find_local(system, &ends[i], &frame, e[k], triads[i].e[k], error);
    }
    if (code) {
      return code;
    }
    if (body && has_own_axes(body)) {
      memcpy(ends[i].place, place, sizeof place);
      ends[i].principal = true;
    }
  }
  return VIDA_SUCCESS;
}
