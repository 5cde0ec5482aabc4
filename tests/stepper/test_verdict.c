/* The verdict on velocities: those that violate a constraint which the method claims to keep. */
#include <math.h>
#include <string.h>

#include "stepper/frame.h"

#include "support/check.h"
#include "support/model.h"
#include "support/motion.h"
#include "support/run.h"

/* A pendulum at an angle of 0.6 whose velocity is turned by a part of it towards the pivot: G v is
 * then that part of |G| |v|, by hand. */
static void test_claimed_velocities(void) {
  static const struct {
    const char* method;
    double part;
    bool fails;
  } cases[] = {{"rattle", 0.0, false},      {"rattle", 1e-12, false},     {"rattle", 1e-3, true},
               {"rattle", 1.0, true},       {"del-midpoint", 1e-3, true}, {"radau", 1e-3, true},
               {"ida-index3", 1e-3, false}, {"spook", 1e-3, false}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const Model model = model_pendulum(2, 1.5, 2.0, 0.6, 1.0);
    VidaError error = {0};
    Run run = run_start(model_system(&model), motion_method(cases[k].method, 0.01, NULL));
    run_steps(&run, 3);
    const double* v;
    REQUIRE_OK(vida__node_velocities(&run.stepper->self, &v, &error), &error);
    const double along[2] = {run.stepper->node_velocity[0], run.stepper->node_velocity[1]};
    run.stepper->node_velocity[0] -= cases[k].part * along[1];
    run.stepper->node_velocity[1] += cases[k].part * along[0];
    const int code = vida__judge_velocities(run.stepper, v, &error);
    if (cases[k].fails) {
      EXPECT(code > 0 && strcmp(error.flag, "CONSTRAINT_VIOLATED") == 0, "%s, %g: %d %s",
             cases[k].method, cases[k].part, code, error.message);
      EXPECT(strstr(error.message, "velocities violate constraint") != NULL, "%s", error.message);
    } else {
      EXPECT(code == VIDA_SUCCESS, "%s, %g: %s", cases[k].method, cases[k].part, error.message);
    }
    run_end(&run);
  }
}

int main(void) {
  static const CheckTest tests[] = {{"claimed velocities", test_claimed_velocities}, {NULL, NULL}};
  return check_main("verdict", tests);
}
