/* Events: their times against closed forms, and every rule of vida/event.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vida/sundials.h>
#include <vida/vida.h>

#include "support/check.h"
#include "support/elliptic.h"

static const double g = 9.81;

/* ---- systems --------------------------------------------------------------------------------- */

/* A mass on a vertical line, at the height y with the speed v. */
typedef struct Ball {
  VidaSystem* system;
  VidaExpression y, v;
} Ball;

static VidaExpression constant(VidaSystem* system, double value) {
  VidaExpression made = 0;
  VidaError error;
  REQUIRE_OK(VidaSystem_Constant(system, value, &made, &error), &error);
  return made;
}

static VidaExpression apply(VidaSystem* system, const char* operation, int count, VidaExpression a,
                            VidaExpression b) {
  VidaExpression made = 0;
  VidaError error;
  REQUIRE_OK(VidaSystem_Apply(system, operation, count, (VidaExpression[]){a, b}, &made, &error),
             &error);
  return made;
}

static Ball throw_ball(double height, double speed) {
  const double gravity = -g;
  Ball ball = {NULL, 0, 0};
  VidaError error;
  int y = 0;
  REQUIRE_OK(VidaSystem_Create("ball", 1, &ball.system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(ball.system, &gravity, &error), &error);
  const VidaParticle particle = {.name = "ball",
                                 .mass = 2.0,
                                 .position = {VidaInitial_Given(height)},
                                 .velocity = {VidaInitial_Given(speed)}};
  REQUIRE_OK(VidaSystem_AddParticle(ball.system, &particle, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_Position(ball.system, y, &ball.y, &error), &error);
  REQUIRE_OK(VidaSystem_Rate(ball.system, y, &ball.v, &error), &error);
  return ball;
}

/* y - height */
static VidaExpression above(const Ball* ball, double height) {
  return apply(ball->system, "-", 2, ball->y, constant(ball->system, height));
}

static void add_event(const Ball* ball, const char* name, VidaExpression function,
                      VidaDirection direction, VidaEventAction action) {
  VidaError error;
  const VidaEvent event = {
      .name = name, .function = function, .direction = direction, .action = action};
  REQUIRE_OK(VidaSystem_AddEvent(ball->system, &event, NULL, &error), &error);
}

/* The floor at y = 0, which returns the speed times e. */
static void add_floor(const Ball* ball, double e) {
  const int coordinate = 0;
  VidaError error;
  const VidaExpression back = apply(ball->system, "*", 2, ball->v, constant(ball->system, -e));
  const VidaEvent event = {.name = "floor",
                           .function = ball->y,
                           .direction = VIDA_DIRECTION_FALLING,
                           .action = VIDA_EVENT_SET,
                           .count = 1,
                           .coordinates = &coordinate,
                           .velocities = &back};
  REQUIRE_OK(VidaSystem_AddEvent(ball->system, &event, NULL, &error), &error);
}

/* ---- records --------------------------------------------------------------------------------- */

enum { MOST = 2000 };

typedef struct Log {
  int count;
  const char* name[MOST];
  double t[MOST];
  int answer; /* of the observer */
} Log;

static int note(const VidaEventRecord* record, void* data) {
  Log* log = data;
  if (log->count < MOST) {
    log->name[log->count] = record->name;
    log->t[log->count++] = record->t;
  }
  return log->answer;
}

static VidaStepper* start(VidaSystem* system, const char* method, const char* choice, double value,
                          Log* log) {
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  VidaError error;
  double q[4], v[4];
  REQUIRE_OK(VidaOptions_Create(method, &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, choice, value, &error), &error);
  if (strcmp(choice, "h") != 0) {
    REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.05, &error), &error);
  }
  VidaOptions_SetText(options, "solver", "kinsol", &error); /* where there is a choice */
  REQUIRE_OK(VidaStepper_Create(system, options, &stepper, &error), &error);
  REQUIRE_OK(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, &error), &error);
  memset(log, 0, sizeof *log);
  REQUIRE_OK(VidaStepper_SetEventObserver(stepper, note, log, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 0.0, q, v, &error), &error);
  VidaOptions_Destroy(&options);
  return stepper;
}

/* Makes all steps, which must succeed. */
static void run(VidaSystem* system, const char* method, const char* choice, double value,
                long steps, Log* log) {
  VidaStepper* stepper = start(system, method, choice, value, log);
  VidaError error;
  REQUIRE_OK(VidaStepper_Steps(stepper, steps, NULL, &error), &error);
  VidaStepper_Destroy(&stepper);
}

static void complete(VidaSystem* system) {
  VidaError error;
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Falls from the height H: impacts at t0 (1 + 2 (e + ... + e^k)), t0 = sqrt(2 H / g), and a top in
 * the middle between two. */
static void test_bounces(void) {
  static const struct {
    const char *method, *choice;
    double value, tolerance; /* relative */
  } cases[] = {{"rattle", "h", 0.05, 1e-12},          {"rattle", "h", 0.013, 1e-12},
               {"del-midpoint", "h", 0.05, 1e-12},    {"energy-momentum", "h", 0.05, 1e-12},
               {"radau", "h", 0.05, 1e-12},           {"verlet", "h", 0.05, 1e-12},
               {"radau", "rtol", 1e-9, 1e-8},         {"ida-index2", "rtol", 1e-8, 1e-5},
               {"ida-ggl", "rtol", 1e-8, 1e-5},       {"cvode-projected", "rtol", 1e-8, 1e-5},
               {"post-stabilized", "h", 0.05, 1e-11}, {"half-explicit", "h", 0.05, 1e-11}};
  const double e = 0.9, height = 1.25;
  Ball ball = throw_ball(height, 0.0);
  add_floor(&ball, e);
  add_event(&ball, "top", ball.v, VIDA_DIRECTION_FALLING, VIDA_EVENT_RECORD);
  complete(ball.system);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    Log log;
    const double h = strcmp(cases[k].choice, "h") == 0 ? cases[k].value : 0.05;
    run(ball.system, cases[k].method, cases[k].choice, cases[k].value, lround(4.0 / h), &log);
    const double fall = sqrt(2.0 * height / g);
    double expected = fall, part = 1.0;
    int count = 0;
    for (; expected < 4.0 - 0.01; count++) {
      EXPECT(count < log.count, "%s: event %d is missing", cases[k].method, count);
      EXPECT_NEAR(log.t[count], expected, cases[k].tolerance * expected, "%s: event %d",
                  cases[k].method, count);
      part *= count % 2 == 0 ? e : 1.0; /* up, and down again */
      expected += part * fall;
    }
    EXPECT(log.count == count, "%s: %d events", cases[k].method, log.count);
  }
  VidaSystem_Destroy(&ball.system);
}

/* Twice through the same height within one step. */
static void test_two_in_a_step(void) {
  const double speed = 2.0, height = 0.2;
  const double root = sqrt(speed * speed - 2.0 * g * height);
  Ball ball = throw_ball(0.0, speed);
  Log log;
  add_event(&ball, "height", above(&ball, height), VIDA_DIRECTION_EITHER, VIDA_EVENT_RECORD);
  complete(ball.system);
  run(ball.system, "rattle", "h", 0.5, 1, &log);
  EXPECT(log.count == 2, "%d events", log.count);
  EXPECT_NEAR(log.t[0], (speed - root) / g, 1e-14, "up");
  EXPECT_NEAR(log.t[1], (speed + root) / g, 1e-14, "down");
  VidaSystem_Destroy(&ball.system);
}

/* A zero without a change of sign, a zero at the start, and directions. */
static void test_signs(void) {
  const double speed = 2.0;
  Ball ball = throw_ball(0.0, speed);
  Log log;
  const VidaExpression height = above(&ball, 0.1);
  add_event(&ball, "touched", apply(ball.system, "*", 2, height, height), VIDA_DIRECTION_EITHER,
            VIDA_EVENT_RECORD);
  add_event(&ball, "start", ball.y, VIDA_DIRECTION_EITHER, VIDA_EVENT_RECORD);
  add_event(&ball, "rising", height, VIDA_DIRECTION_RISING, VIDA_EVENT_RECORD);
  add_event(&ball, "falling", height, VIDA_DIRECTION_FALLING, VIDA_EVENT_RECORD);
  complete(ball.system);
  run(ball.system, "rattle", "h", 0.01, 60, &log);
  EXPECT(log.count == 3, "%d events", log.count);
  const double root = sqrt(speed * speed - 2.0 * g * 0.1);
  EXPECT(strcmp(log.name[0], "rising") == 0 && strcmp(log.name[1], "falling") == 0 &&
             strcmp(log.name[2], "start") == 0,
         "%s, %s, %s", log.name[0], log.name[1], log.name[2]);
  EXPECT_NEAR(log.t[0], (speed - root) / g, 1e-14, "rising");
  EXPECT_NEAR(log.t[1], (speed + root) / g, 1e-14, "falling");
  EXPECT_NEAR(log.t[2], 2.0 * speed / g, 1e-14, "back at the start");
  VidaSystem_Destroy(&ball.system);
}

/* Several at one time: in the order of their addition, with a floor among them. */
static void test_order(void) {
  static const char* const names[] = {"c", "floor", "a", "b"};
  Ball ball = throw_ball(1.0, 0.0);
  Log log;
  add_event(&ball, "c", ball.y, VIDA_DIRECTION_EITHER, VIDA_EVENT_RECORD);
  add_floor(&ball, 1.0);
  add_event(&ball, "a", ball.y, VIDA_DIRECTION_EITHER, VIDA_EVENT_RECORD);
  add_event(&ball, "b", ball.y, VIDA_DIRECTION_FALLING, VIDA_EVENT_RECORD);
  complete(ball.system);
  EXPECT(VidaSystem_EventCount(ball.system) == 4, "%d", VidaSystem_EventCount(ball.system));
  run(ball.system, "rattle", "h", 0.1, 5, &log);
  EXPECT(log.count >= 4, "%d events", log.count);
  for (int i = 0; i < 4; i++) {
    EXPECT(strcmp(log.name[i], names[i]) == 0, "%d: %s", i, log.name[i]);
    EXPECT(strcmp(VidaSystem_EventName(ball.system, i), names[i]) == 0, "%d", i);
    EXPECT_NEAR(log.t[i], sqrt(2.0 / g), 1e-14, "%s", log.name[i]);
  }
  VidaSystem_Destroy(&ball.system);
}

/* ---- a constraint ---------------------------------------------------------------------------- */

/* A pendulum of length 1 from rest at an angle, with or without the event of its lowest point. */
static VidaSystem* pendulum(double angle, bool with_event) {
  static const double gravity[] = {0.0, -9.81};
  VidaSystem* system = NULL;
  VidaExpression x;
  VidaError error;
  int bob = 0;
  REQUIRE_OK(VidaSystem_Create("pendulum", 2, &system, &error), &error);
  REQUIRE_OK(VidaSystem_AddGravity(system, gravity, &error), &error);
  const VidaParticle particle = {
      .name = "bob",
      .mass = 1.0,
      .position = {VidaInitial_Given(sin(angle)), VidaInitial_Given(-cos(angle))}};
  REQUIRE_OK(VidaSystem_AddParticle(system, &particle, &bob, &error), &error);
  const VidaDistance rod = {
      .name = "rod", .from = {VIDA_GROUND, {0.0}}, .to = {bob, {0.0}}, .length = 1.0};
  REQUIRE_OK(VidaSystem_AddDistance(system, &rod, &error), &error);
  if (with_event) {
    REQUIRE_OK(VidaSystem_Position(system, 0, &x, &error), &error);
    const VidaEvent event = {.name = "lowest", .function = x};
    REQUIRE_OK(VidaSystem_AddEvent(system, &event, NULL, &error), &error);
  }
  complete(system);
  return system;
}

static void test_pendulum(void) {
  static const struct {
    const char *method, *choice;
    double value, tolerance;
  } cases[] = {{"radau", "rtol", 1e-11, 1e-9},
               {"ida-ggl", "rtol", 1e-8, 1e-5},
               {"cvode-projected", "rtol", 1e-9, 1e-6},
               {"rattle", "h", 5e-4, 1e-5},
               {"energy-momentum", "h", 5e-4, 1e-5}};
  const double angle = 2.0, period = pendulum_period(sqrt(9.81), angle, 0.0);
  VidaSystem* system = pendulum(angle, true);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    Log log;
    const double h = strcmp(cases[k].choice, "h") == 0 ? cases[k].value : 0.05;
    run(system, cases[k].method, cases[k].choice, cases[k].value, lround(4.0 / h), &log);
    EXPECT(log.count == (int)(4.0 / period * 2.0 + 0.5), "%s: %d", cases[k].method, log.count);
    for (int i = 0; i < log.count; i++) {
      EXPECT_NEAR(log.t[i], period * (0.25 + 0.5 * i), cases[k].tolerance, "%s: passage %d",
                  cases[k].method, i);
    }
  }
  VidaSystem_Destroy(&system);
}

/* A recorded event does not change a bit of a motion with fixed steps. Fast paths for calm steps,
 * which round differently, are for systems without events: KINSOL solves here, and rattle is not in
 * the list. */
static void test_same_motion(void) {
  static const char* const methods[] = {"del-midpoint", "energy-momentum", "radau",
                                        "spook",        "half-explicit",   "post-stabilized"};
  VidaSystem *with = pendulum(1.0, true), *without = pendulum(1.0, false);
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    Log log, none;
    double v[2], w[2];
    VidaError error;
    VidaStepper *one = start(with, methods[k], "h", 0.02, &log),
                *other = start(without, methods[k], "h", 0.02, &none);
    REQUIRE_OK(VidaStepper_Steps(one, 200, NULL, &error), &error);
    REQUIRE_OK(VidaStepper_Steps(other, 200, NULL, &error), &error);
    EXPECT(log.count >= 3 && none.count == 0, "%s: %d, %d", methods[k], log.count, none.count);
    REQUIRE_OK(VidaStepper_Velocities(one, v, &error), &error);
    REQUIRE_OK(VidaStepper_Velocities(other, w, &error), &error);
    EXPECT(!memcmp(VidaStepper_Positions(one), VidaStepper_Positions(other), sizeof v) &&
               !memcmp(v, w, sizeof v),
           "%s: %g %g", methods[k], VidaStepper_Positions(one)[0] - VidaStepper_Positions(other)[0],
           v[0] - w[0]);
    VidaStepper_Destroy(&one);
    VidaStepper_Destroy(&other);
  }
  VidaSystem_Destroy(&with);
  VidaSystem_Destroy(&without);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void test_stop(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log log;
  VidaError error;
  long made = 0;
  double q[1], v[1];
  add_event(&ball, "ground", ball.y, VIDA_DIRECTION_FALLING, VIDA_EVENT_STOP);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &log);
  REQUIRE_OK(VidaStepper_Steps(stepper, 100, &made, &error), &error);
  EXPECT(VidaStepper_HasEnded(stepper) && made == 5, "%ld steps", made);
  EXPECT_NEAR(VidaStepper_Time(stepper), sqrt(2.0 / g), 1e-15, "time");
  EXPECT(VidaStepper_Time(stepper) == log.t[0] && log.count == 1, "%d events", log.count);
  EXPECT_BELOW(VidaStepper_Positions(stepper)[0], 1e-15, "height");
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  EXPECT_NEAR(v[0], -sqrt(2.0 * g), 1e-14, "speed");
  EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_WRONG_ORDER, "ended the motion");
  REQUIRE_OK(VidaSystem_Start(ball.system, 0.0, NULL, q, v, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Start(stepper, 3.0, q, v, &error), &error);
  EXPECT(!VidaStepper_HasEnded(stepper), "started again");
  REQUIRE_OK(VidaStepper_Steps(stepper, 100, NULL, &error), &error);
  EXPECT_NEAR(VidaStepper_Time(stepper), 3.0 + sqrt(2.0 / g), 1e-14, "time");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

/* With e = 1/2 the impacts have the limit 3 t0. */
static void test_endless(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log log;
  VidaError error;
  add_floor(&ball, 0.5);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &log);
  EXPECT_ERROR(VidaStepper_Steps(stepper, 20, NULL, &error), &error, VIDA_STEP_NOT_CONVERGED,
               "'floor'");
  EXPECT_NEAR(log.t[30], 3.0 * sqrt(2.0 / g), 1e-8, "the 31st impact");
  EXPECT(VidaStepper_Time(stepper) <= 3.0 * sqrt(2.0 / g), "at %g", VidaStepper_Time(stepper));
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

static void test_not_finite(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log log;
  VidaError error;
  add_event(&ball, "depth", apply(ball.system, "sqrt", 1, ball.y, 0), VIDA_DIRECTION_EITHER,
            VIDA_EVENT_RECORD);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &log);
  const int code = VidaStepper_Steps(stepper, 20, NULL, &error);
  EXPECT(code != 0 && strstr(error.message, "'depth'"), "%d: %s", code, error.message);
  EXPECT(VidaStepper_Positions(stepper)[0] > 0.0, "y = %g", VidaStepper_Positions(stepper)[0]);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct Answer {
  int count, code;
} Answer;

/* Throws the ball back with its old speed, and stops at the second impact. */
static int bounce(VidaEventState* state, void* data) {
  Answer* answer = data;
  VidaError error;
  const double speed = VidaEventState_Velocities(state)[0];
  EXPECT_BELOW(VidaEventState_Positions(state)[0], 1e-14, "height at %g",
               VidaEventState_Time(state));
  EXPECT_ERROR(VidaEventState_SetVelocity(state, 1, 0.0, &error), &error, VIDA_BAD_ARGUMENT,
               "coordinate");
  EXPECT_ERROR(VidaEventState_SetVelocity(state, 0, INFINITY, &error), &error, VIDA_BAD_ARGUMENT,
               "finite");
  REQUIRE_OK(VidaEventState_SetVelocity(state, 0, -speed, &error), &error);
  EXPECT(VidaEventState_Velocities(state)[0] == -speed, "%g", speed);
  EXPECT(strcmp(VidaSystem_Name(VidaEventState_System(state)), "ball") == 0, "system");
  if (++answer->count == 2) {
    VidaEventState_Stop(state);
  }
  return answer->code;
}

static void test_call(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Answer answer = {0, 0};
  Log log;
  VidaError error;
  double v[1];
  const VidaEvent event = {.name = "racket",
                           .function = ball.y,
                           .direction = VIDA_DIRECTION_FALLING,
                           .action = VIDA_EVENT_CALL,
                           .call = bounce,
                           .user_data = &answer};
  REQUIRE_OK(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "energy-momentum", "h", 0.1, &log);
  REQUIRE_OK(VidaStepper_Steps(stepper, 100, NULL, &error), &error);
  EXPECT(answer.count == 2 && VidaStepper_HasEnded(stepper), "%d calls", answer.count);
  EXPECT_NEAR(VidaStepper_Time(stepper), 3.0 * sqrt(2.0 / g), 1e-14, "time");
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  EXPECT_NEAR(v[0], sqrt(2.0 * g), 1e-13, "speed after the last impact");
  VidaStepper_Destroy(&stepper);
  answer = (Answer){0, VIDA_NOT_SUPPORTED};
  stepper = start(ball.system, "energy-momentum", "h", 0.1, &log);
  EXPECT_ERROR(VidaStepper_Steps(stepper, 100, NULL, &error), &error, VIDA_NOT_SUPPORTED,
               "'racket'");
  EXPECT_NEAR(VidaStepper_Time(stepper), 0.4, 1e-15, "the step has not been made");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

/* ---- failures -------------------------------------------------------------------------------- */

static int stop_at_once(void* data) {
  return *(const bool*)data ? VIDA_STOPPED : 0;
}

/* After a step that an observer or the user has ended, the next one gives the same motion. */
/* Throws the ball far away at the first event, once. */
static int throw_away(VidaEventState* state, void* data) {
  VidaError error;
  return *(int*)data ? VidaEventState_SetVelocity(state, 0, 1e7, &error) : VIDA_SUCCESS;
}

/* Fails once, far away. */
static int fail_once(VidaEventState* state, void* data) {
  (void)state;
  const int code = *(int*)data ? VIDA_CALLBACK_FAILED : VIDA_SUCCESS;
  *(int*)data = 0;
  return code;
}

/* A step that has failed leaves no trace in what the motion takes for rounding, on which the time
 * of rest depends; the next one begins anew at the node, and differs by rounding. */
static void test_failed_step(void) {
  VidaError error;
  double rest[2];
  Log log;
  for (int k = 0; k < 2; k++) {
    int is_armed = k;
    Ball ball = throw_ball(1.0, 0.0);
    const VidaContact floor = {.name = "floor", .gap = ball.y, .restitution = 0.7};
    const VidaEvent thrown = {.name = "thrown",
                              .function = above(&ball, 0.3),
                              .direction = VIDA_DIRECTION_FALLING,
                              .action = VIDA_EVENT_CALL,
                              .call = throw_away,
                              .user_data = &is_armed};
    const VidaEvent far = {.name = "far",
                           .function = above(&ball, 1e5),
                           .action = VIDA_EVENT_CALL,
                           .call = fail_once,
                           .user_data = &is_armed};
    REQUIRE_OK(VidaSystem_AddContact(ball.system, &floor, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddEvent(ball.system, &thrown, NULL, &error), &error);
    REQUIRE_OK(VidaSystem_AddEvent(ball.system, &far, NULL, &error), &error);
    complete(ball.system);
    VidaStepper* stepper = start(ball.system, "rattle", "h", 0.05, &log);
    REQUIRE_OK(VidaStepper_Steps(stepper, 7, NULL, &error), &error);
    if (k == 1) {
      EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_CALLBACK_FAILED, "'far'");
      EXPECT_NEAR(VidaStepper_Time(stepper), 0.35, 1e-15, "time");
    }
    REQUIRE_OK(VidaStepper_Steps(stepper, 93, NULL, &error), &error);
    EXPECT(strcmp(log.name[log.count - 1], "floor") == 0, "%s", log.name[log.count - 1]);
    rest[k] = log.t[log.count - 1];
    VidaStepper_Destroy(&stepper);
    VidaSystem_Destroy(&ball.system);
  }
  EXPECT_NEAR(rest[0], rest[1], 1e-13, "time of rest");
}

static void test_failures(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log log, other;
  VidaError error;
  bool is_stopped = false;
  double v[2];
  add_floor(&ball, 0.9);
  complete(ball.system);
  VidaStepper* plain = start(ball.system, "rattle", "h", 0.1, &other);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &log);
  REQUIRE_OK(VidaStepper_Steps(plain, 9, NULL, &error), &error);
  log.answer = 3;
  EXPECT_ERROR(VidaStepper_Steps(stepper, 9, NULL, &error), &error, VIDA_CALLBACK_FAILED,
               "event 'floor': its observer returned 3");
  log.answer = -1; /* a number of the program, not one of VIDA's codes */
  EXPECT_ERROR(VidaStepper_Steps(stepper, 9, NULL, &error), &error, VIDA_CALLBACK_FAILED,
               "event 'floor': its observer returned -1");
  EXPECT_NEAR(VidaStepper_Time(stepper), 0.4, 1e-15, "after the observer has failed");
  log.answer = 0;
  is_stopped = true;
  REQUIRE_OK(VidaStepper_SetInterrupt(stepper, stop_at_once, &is_stopped, &error), &error);
  EXPECT_ERROR(VidaStepper_Step(stepper, &error), &error, VIDA_STOPPED, "");
  EXPECT_NEAR(VidaStepper_Time(stepper), 0.4, 1e-15, "after an interruption");
  is_stopped = false;
  REQUIRE_OK(VidaStepper_Steps(stepper, 5, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Velocities(stepper, v, &error), &error);
  REQUIRE_OK(VidaStepper_Velocities(plain, v + 1, &error), &error);
  EXPECT_NEAR(VidaStepper_Positions(stepper)[0], VidaStepper_Positions(plain)[0], 1e-14, "y");
  EXPECT_NEAR(v[0], v[1], 1e-14, "v");
  REQUIRE_OK(VidaStepper_SetEventObserver(stepper, NULL, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(stepper, 5, NULL, &error), &error);
  VidaStepper_Destroy(&plain);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

/* Declarations that say nothing. */
static void test_declarations(void) {
  Ball ball = throw_ball(1.0, 0.0);
  VidaError error;
  const int twice[] = {0, 0}, unknown = 1;
  const VidaExpression values[] = {ball.v, ball.v};
  VidaEvent event = {.name = "e", .function = constant(ball.system, 1.0)};
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'e'");
  event.function = ball.y;
  event.action = VIDA_EVENT_CALL;
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'e'");
  event = (VidaEvent){.name = "e",
                      .function = ball.y,
                      .action = VIDA_EVENT_SET,
                      .count = 2,
                      .coordinates = twice,
                      .velocities = values};
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'e'");
  event.count = 1;
  event.coordinates = &unknown;
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'e'");
  /* A contact is no coupling, and a coupling is switched once. */
  const VidaContact wall = {.name = "wall", .gap = ball.y};
  const VidaCoupling hook = {
      .name = "hook", .unit = "m", .function = ball.y, .strength = (double)INFINITY};
  const int contact[] = {0}, couplings[] = {1, 1};
  const bool engages[] = {true, false};
  REQUIRE_OK(VidaSystem_AddContact(ball.system, &wall, NULL, &error), &error);
  REQUIRE_OK(VidaSystem_AddCoupling(ball.system, &hook, NULL, &error), &error);
  event = (VidaEvent){.name = "e",
                      .function = ball.y,
                      .coupling_count = 1,
                      .couplings = contact,
                      .engages = engages};
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "event 'e': there is no coupling 'wall', only a contact of that name");
  event.couplings = couplings;
  event.coupling_count = 2;
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "event 'e' switches coupling 'hook' twice");
  EXPECT(VidaSystem_EventCount(ball.system) == 0, "failed additions leave an event");
  add_floor(&ball, 1.0);
  event = (VidaEvent){.name = "floor", .function = ball.y};
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_BAD_ARGUMENT,
               "'floor'");
  complete(ball.system);
  event.name = "late";
  EXPECT_ERROR(VidaSystem_AddEvent(ball.system, &event, NULL, &error), &error, VIDA_WRONG_ORDER,
               "");
  EXPECT(strcmp(Vida_EventKindName(VIDA_EVENT_IMPACT), "impact") == 0 &&
             Vida_EventKindName(-1)[0] == '\0',
         "kinds");
  VidaSystem_Destroy(&ball.system);
}

/* A stepper that is loaded meets the same events as the saved one. */
static void test_checkpoint(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log one, other;
  VidaError error;
  VidaStepper* loaded = NULL;
  unsigned char* bytes = NULL;
  size_t size = 0;
  add_floor(&ball, 0.9);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &one);
  REQUIRE_OK(VidaStepper_Steps(stepper, 12, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_SaveBytes(stepper, &bytes, &size, &error), &error);
  REQUIRE_OK(VidaStepper_LoadBytes(ball.system, NULL, bytes, size, &loaded, &error), &error);
  memset(&one, 0, sizeof one);
  memset(&other, 0, sizeof other);
  REQUIRE_OK(VidaStepper_SetEventObserver(loaded, note, &other, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(stepper, 30, NULL, &error), &error);
  REQUIRE_OK(VidaStepper_Steps(loaded, 30, NULL, &error), &error);
  EXPECT(one.count >= 3 && one.count == other.count, "%d and %d events", one.count, other.count);
  EXPECT(!memcmp(one.t, other.t, (size_t)one.count * sizeof *one.t), "times differ");
  for (size_t k = 0; k < size; k += 7) { /* damaged bytes are refused */
    VidaStepper* none = NULL;
    bytes[k] ^= 0x55;
    EXPECT(VidaStepper_LoadBytes(ball.system, NULL, bytes, size, &none, &error), "byte %zu", k);
    bytes[k] ^= 0x55;
  }
  free(bytes);
  VidaStepper_Destroy(&loaded);
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

/* Functions that interpolate between nodes refuse systems with events by name. */
static void test_refusals(void) {
  Ball ball = throw_ball(1.0, 0.0);
  Log log;
  VidaError error;
  add_floor(&ball, 1.0);
  complete(ball.system);
  VidaStepper* stepper = start(ball.system, "rattle", "h", 0.1, &log);
  EXPECT_ERROR(VidaStepper_SetStopTime(stepper, 1.0, &error), &error, VIDA_NOT_SUPPORTED, "'ball'");
  const double q[] = {1.0};
  EXPECT_ERROR(VidaStepper_StartTwoPoints(stepper, 0.0, q, q, &error), &error, VIDA_NOT_SUPPORTED,
               "'ball'");
  VidaStepper_Destroy(&stepper);
  VidaSystem_Destroy(&ball.system);
}

int main(void) {
  static const CheckTest tests[] = {{"bounces", test_bounces},
                                    {"two in a step", test_two_in_a_step},
                                    {"signs", test_signs},
                                    {"order", test_order},
                                    {"pendulum", test_pendulum},
                                    {"same motion", test_same_motion},
                                    {"stop", test_stop},
                                    {"endless", test_endless},
                                    {"not finite", test_not_finite},
                                    {"call", test_call},
                                    {"failures", test_failures},
                                    {"failed step", test_failed_step},
                                    {"declarations", test_declarations},
                                    {"checkpoint", test_checkpoint},
                                    {"refusals", test_refusals},
                                    {NULL, NULL}};
  return check_main("events", tests);
}
