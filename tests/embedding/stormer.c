/* A plug-in, written with the public headers alone: Stormer's rule with multipliers.
 *
 * It keeps q(n+1) - 2 q(n) + q(n-1) = h^2 M^-1 (f - G^T lambda) with
 * g(q(n+1)) = 0 (Ryckaert, Ciccotti and Berendsen 1977), written with momenta:
 *
 *     p(n+1/2) = p(n) + h/2 (f(q(n)) - G(q(n))^T lambda),  q(n+1) = q(n) + h M^-1 p(n+1/2),
 *     p(n+1) = p(n+1/2) + h/2 f(q(n+1)), brought onto G M^-1 p = 0.
 *
 * Its positions are those of rattle. The mass matrix has to be constant and diagonal.
 *
 *     cc -shared -fPIC $(pkg-config --cflags vida) -o libstormer.so stormer.c -lm
 *     vida methods stormer --plugin ./libstormer.so
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/method.h>

/* ---- the method ------------------------------------------------------------------------------ */

enum { MOST_ITERATIONS = 30 };

typedef struct State {
  int n, m;
  double* mass;           /* n */
  double *l_q, *l_v;      /* n */
  double *before, *after; /* G at both ends, m x n */
  double *half, *q;       /* n: p(n+1/2) without multipliers, and q(n+1) */
  double *lambda, *g;     /* m */
  double* nu;             /* m: impulses of the projection at the end of the last step */
  int has_nu;
  double* matrix; /* m x m, and n x n for the mass matrix */
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
  State* own = calloc(1, sizeof *own + (5 * n + 2 * m * n + 3 * m + matrix) * sizeof(double));
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
  own->nu = own->g + m;
  own->matrix = own->nu + m;
  VidaIntegration_SetState(integration, own);
  return VIDA_SUCCESS;
}

static int start(VidaIntegration* integration, VidaError* error) {
  State* own = VidaIntegration_State(integration);
  VidaNode* node = VidaIntegration_Node(integration);
  const int n = own->n;
  own->has_nu = 0;
  memset(own->lambda, 0, (size_t)own->m * sizeof *own->lambda);
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
  /* Half of it comes from the step before, by its projection. */
  for (int r = 0; r < own->m; r++) {
    node->lambda[r] = own->has_nu ? 0.5 * own->lambda[r] + own->nu[r] / node->h : own->lambda[r];
  }
  node->lambda_t = t;
  for (int i = 0; i < own->n; i++) {
    node->p[i] = own->half[i];
    for (int r = 0; r < own->m; r++) {
      node->p[i] -= 0.5 * node->h * own->before[r * own->n + i] * own->lambda[r];
    }
  }
  memcpy(node->q, own->q, (size_t)own->n * sizeof *node->q);
  code = VidaIntegration_Gradient(integration, next, node->q, node->v, own->l_q, own->l_v, error);
  for (int i = 0; i < own->n && !code; i++) {
    node->p[i] += 0.5 * node->h * own->l_q[i];
  }
  code = code ? code
              : VidaIntegration_ProjectVelocities(integration, next, node->q, node->p, node->v,
                                                  own->nu, error);
  own->has_nu = !code;
  for (int i = 0; i < own->n && !code; i++) {
    node->p[i] = own->mass[i] * node->v[i];
  }
  return code;
}

/* The step was refused: nu is that of a node that does not exist. */
static void undo(VidaIntegration* integration) {
  State* own = VidaIntegration_State(integration);
  own->has_nu = 0;
}

/* For checkpoints: what a step leaves for the next one. All other numbers are work space. */
static void state(VidaIntegration* integration, VidaRecord* record) {
  State* own = VidaIntegration_State(integration);
  long has_nu = own->has_nu;
  VidaRecord_Reals(record, own->lambda, (size_t)own->m); /* where Newton's method begins */
  VidaRecord_Reals(record, own->nu, (size_t)own->m);
  VidaRecord_Integer(record, &has_nu, 0, 1);
  own->has_nu = (int)has_nu;
}

static int velocities(VidaIntegration* integration, double* v, VidaError* error) {
  const State* own = VidaIntegration_State(integration);
  (void)error;
  memcpy(v, VidaIntegration_Node(integration)->v, (size_t)own->n * sizeof *v);
  return VIDA_SUCCESS;
}

static const VidaOptionRow options[] = {
    {"h", VIDA_OPTION_REAL, "s", NAN, 0.0, INFINITY, 1, NULL, "Step size; required."},
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, 0, NULL, NULL}};
static const VidaOptionRow no_more_options[] = {
    {NULL, VIDA_OPTION_REAL, NULL, 0.0, 0.0, 0.0, 0, NULL, NULL}};

static const VidaMethod stormer = {
    .size = sizeof(VidaMethod),
    .info = {"stormer", "Stormer's rule with multipliers", "Ryckaert, Ciccotti and Berendsen 1977",
             "Constant, diagonal mass matrix; independent constraints.", 2,
             VIDA_CAN_SYMPLECTIC | VIDA_CAN_MOMENTUM | VIDA_CAN_REVERSIBLE |
                 VIDA_CAN_POSITION_LEVEL | VIDA_CAN_VELOCITY_LEVEL},
    .common = options,
    .options = no_more_options,
    .create = create,
    .start = start,
    .state = state,
    .step = step,
    .undo = undo,
    .velocities = velocities,
    .energy = VidaIntegration_NodeEnergy};

/* ---- the plug-in ------------------------------------------------------------------------------
 */

VIDA_PLUGIN_EXPORT const int vida_plugin_interface = VIDA_PLUGIN_INTERFACE;

VIDA_PLUGIN_EXPORT int vida_plugin_register(VidaError* error) {
  return Vida_RegisterMethod(&stormer, error);
}
