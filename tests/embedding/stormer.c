/* A method of one's own, written with the public headers alone: Stormer's rule with multipliers.
 *
 * It keeps q(n+1) - 2 q(n) + q(n-1) = h^2 M^-1 (f - G^T lambda) with
 * g(q(n+1)) = 0 (Ryckaert, Ciccotti and Berendsen 1977), written with momenta:
 *
 *     p(n+1/2) = p(n) + h/2 (f(q(n)) - G(q(n))^T lambda),  q(n+1) = q(n) + h M^-1 p(n+1/2),
 *     p(n+1) = p(n+1/2) + h/2 f(q(n+1)), brought onto G M^-1 p = 0.
 *
 * The program registers it and compares it with rattle, which makes the same steps, on a double
 * pendulum. The mass matrix has to be constant and diagonal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

/* ---- the method ------------------------------------------------------------------------------ */

enum { MOST_ITERATIONS = 30 };

typedef struct State {
  int n, m;
  double* mass;           /* n */
  double *l_q, *l_v;      /* n */
  double *before, *after; /* G at both ends, m x n */
  double *half, *q;       /* n: p(n+1/2) without multipliers, and q(n+1) */
  double *lambda, *g;     /* m */
  double* matrix;         /* m x m, and n x n for the mass matrix */
  double data[];
} State;

/* Solves a x = b by Gaussian elimination with partial pivoting; x takes the place of b. Returns
 * false where the matrix is singular. */
static int solve(int size, double* a, double* b) {
  for (int k = 0; k < size; k++) {
    int pivot = k;
    for (int i = k + 1; i < size; i++) {
      pivot = fabs(a[i * size + k]) > fabs(a[pivot * size + k]) ? i : pivot;
    }
    if (a[pivot * size + k] == 0.0) {
      return 0;
    }
    for (int j = 0; j < size; j++) {
      const double kept = a[k * size + j];
      a[k * size + j] = a[pivot * size + j];
      a[pivot * size + j] = kept;
    }
    const double kept = b[k];
    b[k] = b[pivot];
    b[pivot] = kept;
    for (int i = k + 1; i < size; i++) {
      const double factor = a[i * size + k] / a[k * size + k];
      for (int j = k; j < size; j++) {
        a[i * size + j] -= factor * a[k * size + j];
      }
      b[i] -= factor * b[k];
    }
  }
  for (int k = size - 1; k >= 0; k--) {
    for (int j = k + 1; j < size; j++) {
      b[k] -= a[k * size + j] * b[j];
    }
    b[k] /= a[k * size + k];
  }
  return 1;
}

static int fail(int code, const char* why, VidaError* error) {
  if (error) {
    error->code = code;
    snprintf(error->flag, sizeof error->flag, "%s", Vida_CodeName(code));
    snprintf(error->message, sizeof error->message, "stormer: %s", why);
  }
  return code;
}

static int create(VidaIntegration* integration, VidaError* error) {
  const VidaSystem* system = VidaIntegration_System(integration);
  const size_t n = (size_t)VidaSystem_CoordinateCount(system);
  const size_t m = (size_t)VidaSystem_ConstraintCount(system);
  const size_t matrix = m * m > n * n ? m * m : n * n;
  State* own = calloc(1, sizeof *own + (5 * n + 2 * m * n + 2 * m + matrix) * sizeof(double));
  if (!own) {
    return fail(VIDA_OUT_OF_MEMORY, "out of memory", error);
  }
  own->n = (int)n;
  own->m = (int)m;
  own->mass = own->data;
  own->l_q = own->mass + n;
  own->l_v = own->l_q + n;
  own->half = own->l_v + n;
  own->q = own->half + n;
  own->before = own->q + n;
  own->after = own->before + m * n;
  own->lambda = own->after + m * n;
  own->g = own->lambda + m;
  own->matrix = own->g + m;
  VidaIntegration_SetState(integration, own);
  return VIDA_SUCCESS;
}

static int start(VidaIntegration* integration, VidaError* error) {
  State* own = VidaIntegration_State(integration);
  VidaNode* node = VidaIntegration_Node(integration);
  const int n = own->n;
  int code =
      VidaIntegration_MassMatrix(integration, node->t0, node->q, node->v, own->matrix, error);
  for (int i = 0; i < n && !code; i++) {
    own->mass[i] = own->matrix[i * n + i];
    for (int j = 0; j < n; j++) {
      if (j != i && own->matrix[i * n + j] != 0.0) {
        return fail(VIDA_NOT_SUPPORTED, "the mass matrix is not diagonal", error);
      }
    }
  }
  code = code ? code
              : VidaIntegration_Gradient(integration, node->t0, node->q, node->v, own->l_q, node->p,
                                         error);
  return code;
}

/* lambda with g(q(n+1)) = 0, by Newton's method; q(n+1) is left in own->q. */
static int find_multipliers(VidaIntegration* integration, State* own, const VidaNode* node,
                            double t, VidaError* error) {
  const int n = own->n, m = own->m;
  const double h = node->h;
  double size = 0.0;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    for (int i = 0; i < n; i++) {
      double p = own->half[i];
      for (int r = 0; r < m; r++) {
        p -= 0.5 * h * own->before[r * n + i] * own->lambda[r];
      }
      own->q[i] = node->q[i] + h * p / own->mass[i];
    }
    int code = VidaIntegration_Constraints(integration, t, own->q, own->g, error);
    code =
        code ? code : VidaIntegration_ConstraintJacobian(integration, t, own->q, own->after, error);
    if (code) {
      return code;
    }
    for (int r = 0; r < m; r++) {
      for (int s = 0; s < m; s++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
          sum += own->after[r * n + i] * own->before[s * n + i] / own->mass[i];
        }
        own->matrix[r * m + s] = 0.5 * h * h * sum;
      }
    }
    const double previous = size;
    size = 0.0;
    for (int r = 0; r < m; r++) {
      size = fmax(size, fabs(own->g[r]));
    }
    if (size == 0.0 || (k > 2 && size >= previous)) {
      return VIDA_SUCCESS; /* rounding is reached */
    }
    if (!solve(m, own->matrix, own->g)) {
      return fail(VIDA_STEP_SINGULAR, "constraints depend on each other", error);
    }
    for (int r = 0; r < m; r++) {
      own->lambda[r] += own->g[r];
    }
  }
  return fail(VIDA_STEP_NOT_CONVERGED, "the multipliers were not found; try a smaller step", error);
}

static int step(VidaIntegration* integration, VidaError* error) {
  State* own = VidaIntegration_State(integration);
  VidaNode* node = VidaIntegration_Node(integration);
  const double t = VidaIntegration_Time(integration), next = t + node->h;
  int code = VidaIntegration_Gradient(integration, t, node->q, node->v, own->l_q, own->l_v, error);
  code =
      code ? code : VidaIntegration_ConstraintJacobian(integration, t, node->q, own->before, error);
  for (int i = 0; i < own->n; i++) {
    own->half[i] = node->p[i] + 0.5 * node->h * own->l_q[i];
  }
  code = code ? code : find_multipliers(integration, own, node, next, error);
  if (code) {
    return code;
  }
  memcpy(node->lambda, own->lambda, (size_t)own->m * sizeof *node->lambda);
  node->lambda_t = t;
  for (int i = 0; i < own->n; i++) {
    node->p[i] = (own->q[i] - node->q[i]) / node->h * own->mass[i];
  }
  memcpy(node->q, own->q, (size_t)own->n * sizeof *node->q);
  code = VidaIntegration_Gradient(integration, next, node->q, node->v, own->l_q, own->l_v, error);
  for (int i = 0; i < own->n && !code; i++) {
    node->p[i] += 0.5 * node->h * own->l_q[i];
  }
  code = code ? code
              : VidaIntegration_ProjectVelocities(integration, next, node->q, node->p, node->v,
                                                  NULL, error);
  for (int i = 0; i < own->n && !code; i++) {
    node->p[i] = own->mass[i] * node->v[i];
  }
  return code;
}

static int velocities(VidaIntegration* integration, double* v, VidaError* error) {
  const State* own = VidaIntegration_State(integration);
  (void)error;
  memcpy(v, VidaIntegration_Node(integration)->v, (size_t)own->n * sizeof *v);
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, 0, NULL, NULL}};

static const VidaMethod stormer = {
    .size = sizeof(VidaMethod),
    .info = {"stormer", "Stormer's rule with multipliers", "Ryckaert, Ciccotti and Berendsen 1977",
             "Constant, diagonal mass matrix; independent constraints.", 2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .options = options,
    .create = create,
    .start = start,
    .step = step,
    .velocities = velocities,
    .energy = VidaIntegration_NodeEnergy};

/* ---- the program -------------------------------------------------------------------------------
 */

static void check(int code, const VidaError* error) {
  if (code) {
    fprintf(stderr, "stormer: %s\n", error->message);
    exit(EXIT_FAILURE);
  }
}

/* A double pendulum in the plane, of particles on rods without mass. */
static VidaSystem* make_system(VidaError* error) {
  const VidaParticle particles[2] = {{"upper",
                                      1.0,
                                      {VidaInitial_Given(0.6), VidaInitial_Given(-0.8)},
                                      {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}},
                                     {"lower",
                                      2.0,
                                      {VidaInitial_Given(1.4), VidaInitial_Given(-1.4)},
                                      {VidaInitial_Given(0.0), VidaInitial_Given(0.0)}}};
  const double gravity[2] = {0.0, -9.81};
  VidaSystem* system = NULL;
  int index[2];
  check(VidaSystem_Create("double pendulum", 2, &system, error), error);
  check(VidaSystem_AddGravity(system, gravity, error), error);
  for (int k = 0; k < 2; k++) {
    check(VidaSystem_AddParticle(system, &particles[k], &index[k], error), error);
  }
  const VidaDistance rods[2] = {
      {"upper rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(index[0]), 1.0},
      {"lower rod", VidaPoint_Particle(index[0]), VidaPoint_Particle(index[1]), 1.0}};
  for (int k = 0; k < 2; k++) {
    check(VidaSystem_AddDistance(system, &rods[k], error), error);
  }
  check(VidaSystem_Complete(system, error), error);
  return system;
}

enum { COORDINATES = 4, STEPS = 400 };

/* Integrates 2 s with a method; q receives the positions at the end, *drift the change of the
 * energy. */
static void run(const VidaSystem* system, const char* method, double* q, double* drift,
                VidaError* error) {
  VidaOptions* settings = NULL;
  VidaStepper* stepper = NULL;
  double v[COORDINATES], before, after;
  check(VidaSystem_Start(system, 0.0, NULL, q, v, NULL, error), error);
  check(VidaOptions_Create(method, &settings, error), error);
  check(VidaOptions_SetReal(settings, "h", 2.0 / STEPS, error), error);
  check(VidaStepper_Create(system, settings, &stepper, error), error);
  check(VidaStepper_Start(stepper, 0.0, q, v, error), error);
  check(VidaStepper_Energy(stepper, &before, NULL, error), error);
  for (int k = 0; k < STEPS; k++) {
    check(VidaStepper_Step(stepper, error), error);
  }
  check(VidaStepper_Energy(stepper, &after, NULL, error), error);
  memcpy(q, VidaStepper_Positions(stepper), COORDINATES * sizeof *q);
  *drift = after - before;
  VidaStepper_Destroy(&stepper);
  VidaOptions_Destroy(&settings);
}

int main(void) {
  VidaError error = {0};
  double q[2][COORDINATES], drift[2], difference = 0.0;
  check(Vida_RegisterMethod(&stormer, &error), &error);
  if (Vida_RegisterMethod(&stormer, &error) != VIDA_BAD_ARGUMENT) {
    fprintf(stderr, "stormer: its name was taken twice\n");
    return EXIT_FAILURE;
  }
  VidaSystem* system = make_system(&error);
  run(system, "stormer", q[0], &drift[0], &error);
  run(system, "rattle", q[1], &drift[1], &error);
  VidaSystem_Destroy(&system);
  for (int i = 0; i < COORDINATES; i++) {
    difference = fmax(difference, fabs(q[0][i] - q[1][i]));
  }
  printf("stormer and rattle differ by %.1e m after 2 s; energy %.1e and %.1e J\n", difference,
         drift[0], drift[1]);
  return difference < 1e-10 ? EXIT_SUCCESS : EXIT_FAILURE;
}
