/* Two threads with steppers of their own on one system give bit for bit what serial runs give. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "support/check.h"
#include "support/motion.h"

enum { THREADS = 4 };

typedef struct Job {
  const VidaSystem* system;
  const char* method;
  const char* linear_solver;
  long steps;
  int code;
  double q[MODEL_COORDINATES], v[MODEL_COORDINATES], energy;
} Job;

/* Creates a stepper, runs it and destroys it; fails quietly, for assertions are of one thread. */
static void* work(void* data) {
  Job* job = data;
  VidaOptions* options = NULL;
  VidaStepper* stepper = NULL;
  job->code = VidaOptions_Create(job->method, &options, NULL) ||
              VidaOptions_SetReal(options, "h", 0.01, NULL) ||
              (!isnan(VidaOptions_Get(options, "linear_solver")) && /* explicit methods have none */
               VidaOptions_SetText(options, "linear_solver", job->linear_solver, NULL)) ||
              VidaStepper_Create(job->system, options, &stepper, NULL) ||
              VidaSystem_Start(job->system, 0.0, NULL, job->q, job->v, NULL, NULL) ||
              VidaStepper_Start(stepper, 0.0, job->q, job->v, NULL);
  for (long i = 0; i < job->steps && !job->code; i++) {
    job->code = VidaStepper_Step(stepper, NULL);
  }
  if (!job->code) {
    const int n = VidaSystem_CoordinateCount(job->system);
    memcpy(job->q, VidaStepper_Positions(stepper), (size_t)n * sizeof(double));
    job->code = VidaStepper_Velocities(stepper, job->v, NULL) ||
                VidaStepper_Energy(stepper, &job->energy, NULL, NULL);
  }
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&options);
  return NULL;
}

static void compare(const Model* model, const char* method, const char* linear_solver) {
  VidaSystem* system = model_system(model);
  Job serial[THREADS], parallel[THREADS];
  pthread_t threads[THREADS];
  int started = 0;
  memset(serial, 0, sizeof serial);
  for (int i = 0; i < THREADS; i++) {
    serial[i].system = system;
    serial[i].method = method;
    serial[i].linear_solver = linear_solver;
    serial[i].steps = 400 + 100L * i;
  }
  memcpy(parallel, serial, sizeof parallel);
  for (int i = 0; i < THREADS; i++) {
    work(&serial[i]);
    EXPECT(!serial[i].code, "%s on %s, alone: %d", method, model->name, serial[i].code);
  }
  while (started < THREADS && !pthread_create(&threads[started], NULL, work, &parallel[started])) {
    started++;
  }
  EXPECT(started == THREADS, "%d threads", started);
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
    EXPECT(!parallel[i].code, "%s on %s, in a thread: %d", method, model->name, parallel[i].code);
    EXPECT(!memcmp(serial[i].q, parallel[i].q, sizeof serial[i].q) &&
               !memcmp(serial[i].v, parallel[i].v, sizeof serial[i].v) &&
               serial[i].energy == parallel[i].energy,
           "%s with %s on %s differs by %g", method, linear_solver, model->name,
           largest_difference(MODEL_COORDINATES, serial[i].q, parallel[i].q));
  }
  VidaSystem_Destroy(&system);
}

static void test_threads(void) {
  const Model pendulum = model_double_spherical_pendulum();
  const Model chain = model_chain(8, 0.3);
  for (int i = 0; i < Vida_MethodCount(); i++) {
    const char* method = Vida_MethodInfo(i)->name;
    Motion motion = motion_start(&pendulum, method, 0.01, "auto");
    const bool able = motion.stepper != NULL;
    motion_end(&motion);
    if (able) {
      compare(&pendulum, method, "dense");
      compare(&chain, method, "klu");
    }
  }
}

int main(void) {
  static const CheckTest tests[] = {{"threads", test_threads}, {NULL, NULL}};
  return check_main("threads", tests);
}
