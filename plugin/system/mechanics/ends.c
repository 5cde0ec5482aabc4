/* What is asked of bodies, and the ends of joints and forces. */
#include <math.h>
#include <string.h>
#include <vida/bodies.h>

#include "base/error.h"
#include "system/mechanics/pattern.h"
#include "system/mechanics/rotation.h"

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
  return (VidaEnd){.kind = VIDA_END_PARTICLE, .number = particle};
}

VidaEnd VidaEnd_Body(int body, double x, double y, double z) {
  return (VidaEnd){.kind = VIDA_END_BODY, .number = body, .place = {x, y, z}};
}

const char* vida__end_name(const VidaSystem* system, const VidaEnd* end) {
  const bool is_particle =
      end->kind == VIDA_END_PARTICLE && end->number >= 0 && end->number < system->particle_count;
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->number) : NULL;
  return body ? body->name : is_particle ? system->particles[end->number].name : "ground";
}

void vida__body_to_frame(const vida_body* body, const double* vector, double* turned) {
  for (int i = 0; i < 3; i++) {
    turned[i] =
        body->axes[0][i] * vector[0] + body->axes[1][i] * vector[1] + body->axes[2][i] * vector[2];
  }
}

void vida__end_direction(const VidaSystem* system, const VidaEnd* end, const double* direction,
                         double turned[3]) {
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->number) : NULL;
  memcpy(turned, direction, 3 * sizeof *turned);
  if (body && body->has_axes && !end->principal) {
    vida__body_to_frame(body, direction, turned);
  }
}

int vida__end_frame(const VidaSystem* system, const char* kind, const char* name, const char* which,
                    const VidaEnd* end, vida_frame* frame, double place[3], VidaError* error) {
  const vida_body* body = NULL;
  *frame = (vida_frame){.kind = VIDA_FRAME_GROUND, .dimension = system->dimension};
  memcpy(place, end->place, 3 * sizeof *place);
  switch (end->kind) {
    case VIDA_END_PARTICLE:
      if (end->number < 0 || end->number >= system->particle_count) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no particle number %d",
                          kind, name, which, end->number);
      }
      frame->kind = VIDA_FRAME_PARTICLE;
      frame->first = system->particles[end->number].coordinate;
      break;
    case VIDA_END_BODY:
      body = find_body(system, end->number);
      if (!body) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no body number %d", kind,
                          name, which, end->number);
      }
      *frame = body->frame;
      if (body->has_axes && !end->principal) {
        vida__body_to_frame(body, end->place, place);
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
                    "body '%s': where it starts is to be found from the constraints; use points "
                    "and directions of the body itself",
                    body->name);
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
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there is no body number %d", number);
  }
  if (!body->has_start) {
    return fail_unknown_start(body, error);
  }
  const int n = body->frame.dimension;
  for (int i = 0; i < n; i++) {
    gap[i] = at[i] - body->q[i];
  }
  vida__body_start_axes(body, axes);
  *end = (VidaEnd){.kind = VIDA_END_BODY, .number = number, .principal = body->has_axes};
  for (int i = 0; i < vida__frame_place_count(&body->frame); i++) {
    end->place[i] = vida__dot(axes[i], gap, n);
  }
  return VIDA_SUCCESS;
}

/* Components of a direction of space in the axes of an end; false where its start is unknown. */
static bool to_local(const VidaSystem* system, const VidaEnd* end, const double* direction,
                     double* components) {
  double axes[3][3];
  const vida_body* body = end->kind == VIDA_END_BODY ? find_body(system, end->number) : NULL;
  memcpy(components, direction, (size_t)system->dimension * sizeof *components);
  if (!body) {
    return true;
  }
  vida__body_start_axes(body, axes);
  for (int i = 0; i < vida__frame_turn_count(&body->frame); i++) {
    components[i] = vida__dot(axes[i], direction, body->frame.dimension);
  }
  return body->has_start;
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
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      n == 1 ? "a line has no directions across it" : "an axis cannot be zero");
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
    int code = vida__end_frame(system, "axis", "triad", i == 0 ? "first end" : "second end",
                               &ends[i], &frame, place, error);
    if (!code && vida__frame_turn_count(&frame) < n) {
      code = vida__fail(error, VIDA_BAD_ARGUMENT,
                        "'%s' has no orientation about an axis; expected a body or the ground",
                        vida__end_name(system, &ends[i]));
    }
    const vida_body* body =
        ends[i].kind == VIDA_END_BODY ? find_body(system, ends[i].number) : NULL;
    for (int k = 0; k < n && !code; k++) {
      if (!to_local(system, &ends[i], e[k], triads[i].e[k])) {
        code = fail_unknown_start(body, error);
      }
    }
    if (code) {
      return code;
    }
    if (body && body->has_axes) {
      memcpy(ends[i].place, place, sizeof place);
      ends[i].principal = true;
    }
  }
  return VIDA_SUCCESS;
}
