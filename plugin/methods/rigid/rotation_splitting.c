/* rotation-splitting: explicit steps of rigid bodies, whose kinetic energy is split into parts with
 * rotations for motions (Reich 1994; Touma and Wisdom 1994; Fasso 2003).
 *
 * With the moments J1, J2, J3, J1 between the others, and the momentum Pi in the body,
 *
 *     T = Pi^2 / (2 J1) + (1/J2 - 1/J1) Pi2^2 / 2 + (1/J3 - 1/J1) Pi3^2 / 2.
 *
 * The first part rotates about the momentum in space, and commutes with the others. They rotate
 * about the axes 2 and 3 of the body, and are made as 2, 3, 2, the former for half the step each.
 * So the free motion of a body with two equal moments is exact. */
#include <math.h>

#include "base/error.h"
#include "methods/rigid/lie.h"
#include "stepper/method_options.h"

/* The largest product of the angles about both axes (rad^2), by which the error of a step grows.
 */
static const double largest_product = 0.25;

/* Computes y = exp(angle x / 2) - 1 as a quaternion, for an axis x (not normalized) with the length
 * `length`. */
static void find_turn(const double x[3], double length, double angle, double y[4]) {
  const double quarter = sin(0.25 * angle);
  const double sine = length > 0.0 ? sin(0.5 * angle) / length : 0.0;
  y[0] = -2.0 * quarter * quarter;
  y[1] = sine * x[0];
  y[2] = sine * x[1];
  y[3] = sine * x[2];
}

/* Computes the product z = x y of quaternions. */
static void multiply(const double x[4], const double y[4], double z[4]) {
  double cross[3];
  vida__lie_cross(x + 1, y + 1, cross);
  z[0] = x[0] * y[0] - vida__lie_dot(x + 1, y + 1);
  for (int i = 1; i < 4; i++) {
    z[i] = x[0] * y[i] + y[0] * x[i] + cross[i - 1];
  }
}

/* Computes x = (1 + x) (1 + y) - 1. */
static void follow(double x[4], const double y[4]) {
  double product[4];
  multiply(x, y, product);
  for (int i = 0; i < 4; i++) {
    x[i] += y[i] + product[i];
  }
}

/* Rotates about a principal axis for the time h: appends the rotation to `turn`, and turns the
 * momentum in the body back. Returns the angle. */
static double rotate_about(const vida_lie_body* body, int axis, int middle, double h,
                           double momentum[3], double turn[4]) {
  const int k = (axis + 1) % 3, l = (axis + 2) % 3;
  const double rate = (1.0 / body->moment[axis] - 1.0 / body->moment[middle]) * momentum[axis];
  const double angle = h * rate, c = cos(angle), s = sin(angle);
  const double along[3] = {axis == 0, axis == 1, axis == 2};
  const double old = momentum[k];
  double y[4];
  find_turn(along, 1.0, angle, y);
  follow(turn, y);
  momentum[k] = c * old + s * momentum[l];
  momentum[l] = c * momentum[l] - s * old;
  return angle;
}

static int find_middle(const double moment[3]) {
  for (int i = 0; i < 3; i++) {
    const double below = moment[(i + 1) % 3] - moment[i], above = moment[(i + 2) % 3] - moment[i];
    if (below * above <= 0.0) {
      return i;
    }
  }
  return 0;
}

/* Computes the turn of a body in a step, less 1, in its principal axes, from the momentum there.
 * Returns whether it is not too far. */
static bool find_flight(const vida_lie_body* body, double h, double momentum[3], double turn[4]) {
  const int middle = find_middle(body->moment);
  const int second = (middle + 1) % 3, third = (middle + 2) % 3;
  const double size = sqrt(vida__lie_dot(momentum, momentum));
  find_turn(momentum, size, h * size / body->moment[middle], turn);
  const double first = rotate_about(body, second, middle, 0.5 * h, momentum, turn);
  const double other = rotate_about(body, third, middle, h, momentum, turn);
  const double last = rotate_about(body, second, middle, 0.5 * h, momentum, turn);
  return fabs((first + last) * other) <= largest_product;
}

static int fly(VidaIntegration* self, VidaError* error) {
  const vida_lie_state* own = self->state;
  for (int b = 0; b < own->bodies; b++) {
    const vida_lie_body* body = &own->body[b];
    double q[4], in_body[3], momentum[3], turn[4], change[4];
    vida__lie_body_components(body, self->node.q, q);
    vida__lie_spin(self, body, q, in_body);
    vida__lie_turn_to_axes(body, in_body, momentum);
    if (!find_flight(body, self->node.h, momentum, turn)) {
      return vida__lie_fail_turn(self, body, error);
    }
    const double in_axes[3] = {turn[1], turn[2], turn[3]};
    vida__lie_multiply(body->axes, in_axes, turn + 1);
    multiply(q, turn, change); /* q (1 + turn) - q */
    vida__lie_advance(self, body, change);
  }
  return VIDA_SUCCESS;
}

static int create(VidaIntegration* self, VidaError* error) {
  return vida__lie_create_kicked(self, fly, error);
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, false, NULL, NULL}};

const VidaMethod vida__rotation_splitting = {
    .size = sizeof(VidaMethod),
    .info =
        {"rotation-splitting", "explicit splitting of the motion of rigid bodies into rotations",
         "Reich 1994; Touma and Wisdom 1994; Fasso 2003",
         VIDA_LIE_KICKED_LIMITS
         "The step must be below 2 over the largest frequency of the potential. The free motion "
         "of a body with two equal moments is exact; another one must turn by less than about "
         "half a radian per step about two of its axes. " VIDA_LIE_NORM_LIMITS,
         2, VIDA_LIE_KICKED_CAPABILITIES},
    .common = vida__linear_options,
    .options = options,
    .create = create,
    VIDA_LIE_KICKED_FUNCTIONS};
