/* Functions that joints and forces between two ends share. */
#include "system/mechanics/pair.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "system/mechanics/rotation.h"
#include "system/model/build.h"

static const char* const end_names[] = {"first end", "second end"};

static bool is_same_end(const VidaEnd ends[2]) {
  return ends[0].kind == ends[1].kind && ends[0].kind != VIDA_END_GROUND &&
         ends[0].index == ends[1].index;
}

int vida__resolve_ends(const VidaSystem* system, const char* kind, const char* name,
                       const VidaEnd ends[2], int turn_count, bool has_places,
                       vida_instance* instance, VidaError* error) {
  static const char* const place_names[] = {"first", "second"};
  int code = vida__check_addition(system, kind, name, error);
  instance->title = kind;
  instance->name = name;
  instance->frame_count = 2;
  for (int i = 0; i < 2 && !code; i++) {
    double place[3];
    vida_frame* frame = &instance->frame[i];
    code = vida__end_frame(system, kind, name, end_names[i], &ends[i], frame, place, error);
    if (!code && vida__frame_turn_count(frame) < turn_count) {
      code = vida__fail(
          error, VIDA_BAD_ARGUMENT, "%s '%s': %s '%s': %s; expected a rigid body or the ground",
          kind, name, end_names[i], vida__end_name(system, &ends[i]),
          vida__frame_turn_count(frame) == 0 ? "a particle has no orientation"
                                             : "a rod in space has no orientation about its axis");
    }
    if (!code && has_places) {
      vida__instance_vector(instance, place_names[i], vida__frame_place_count(frame), place);
    }
  }
  if (!code && is_same_end(ends)) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': both ends are on '%s'", kind, name,
                      vida__end_name(system, &ends[0]));
  }
  return code;
}

void vida__instance_triads(const VidaSystem* system, vida_instance* instance, const VidaEnd ends[2],
                           const VidaTriad triads[2]) {
  static const char* const names[2][3] = {{"a1", "a2", "a3"}, {"b1", "b2", "b3"}};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < system->dimension; k++) {
      double direction[3];
      vida__end_direction(system, &ends[i], triads[i].e[k], direction);
      vida__instance_vector(instance, names[i][k], system->dimension, direction);
    }
  }
}

/* ---- directions ------------------------------------------------------------------------------ */

/* Allowed error of lengths and products of directions. The norm of an orientation may differ from 1
 * by 1e-12; the directions that it turns then differ by a small multiple of that. */
static const double unit_rounding = 1e-10;

int vida__check_unit_vector(const char* kind, const char* name, const char* key,
                            const double* vector, int count, VidaError* error) {
  char text[VIDA_REAL_TEXT_SIZE];
  for (int i = 0; i < count; i++) {
    const int code = vida__check_finite_value(kind, name, key, vector[i], error);
    if (code) {
      return code;
    }
  }
  const double length = vida__norm(vector, count);
  return fabs(length - 1.0) <= unit_rounding
             ? VIDA_SUCCESS
             : vida__fail(error, VIDA_BAD_ARGUMENT,
                          "%s '%s': %s: expected a direction of length 1, got the length %s", kind,
                          name, key, vida__shortest_text(text, length));
}

/* Returns whether the directions are orthogonal and right-handed. */
static bool is_right_handed(const VidaTriad* triad, int dimension) {
  double third[3], product[3];
  if (dimension == 2) {
    const double left[2] = {-triad->e[0][1], triad->e[0][0]};
    return vida__dot(left, triad->e[1], 2) >= 1.0 - unit_rounding;
  }
  memcpy(third, triad->e[2], sizeof third);
  vida__cross(triad->e[0], triad->e[1], product);
  for (int i = 0; i < 3; i++) {
    if (!(fabs(product[i] - third[i]) <= 4.0 * unit_rounding)) {
      return false;
    }
  }
  return true;
}

int vida__check_triads(const VidaSystem* system, const vida_instance* instance,
                       const VidaTriad triads[2], VidaError* error) {
  static const char* const keys[2] = {"triad of the first end", "triad of the second end"};
  const int n = system->dimension;
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < n; k++) {
      const int code = vida__check_unit_vector(instance->title, instance->name, keys[i],
                                               triads[i].e[k], n, error);
      if (code) {
        return code;
      }
    }
    if (!is_right_handed(&triads[i], n)) {
      return vida__fail(error, VIDA_BAD_ARGUMENT,
                        "%s '%s': %s: expected orthogonal directions of a right-handed system",
                        instance->title, instance->name, keys[i]);
    }
  }
  return VIDA_SUCCESS;
}

vida_vector vida__trace_distance_vector(vida_trace* trace) {
  const vida_vector second = vida__view_point(&trace->view[1], vida__trace_vector(trace, "second"));
  const vida_vector first = vida__view_point(&trace->view[0], vida__trace_vector(trace, "first"));
  return vida__vector_subtract(trace->graph, second, first);
}

/* ---- quantities ------------------------------------------------------------------------------ */

VidaQuantity VidaQuantity_Number(double value) {
  return (VidaQuantity){.value = value};
}

VidaQuantity VidaQuantity_Parameter(int parameter) {
  return (VidaQuantity){.parameter = parameter + 1};
}

int vida__instance_quantity(const VidaSystem* system, vida_instance* instance, const char* key,
                            VidaQuantity quantity, bool is_size, VidaError* error) {
  char text[VIDA_REAL_TEXT_SIZE];
  double value = quantity.value;
  if (quantity.parameter < 0 || quantity.parameter > system->parameter_count) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: there is no parameter number %d",
                      instance->title, instance->name, key, quantity.parameter - 1);
  }
  if (quantity.parameter > 0) {
    value = system->parameter_values[quantity.parameter - 1];
  } else if (!isfinite(value) || (is_size && value < 0.0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': %s: expected a number%s, got %s",
                      instance->title, instance->name, key, is_size ? " that is not negative" : "",
                      vida__shortest_text(text, value));
  }
  vida__instance_number(instance, key, value, quantity.parameter);
  return VIDA_SUCCESS;
}
