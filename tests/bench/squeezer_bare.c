/* A bare IDA program for the squeezer: the stabilized index-2 form (Gear, Gupta, Leimkuhler) in
 * (q, v, lambda, mu), residual and Jacobian written by hand, dense. */
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/sundials.h"
#include "squeezer.h"

enum { N = SQUEEZER_ANGLES, M = SQUEEZER_LOOPS, V = N, L = 2 * N, MU = 2 * N + M };
enum { SIZE = 2 * N + 2 * M };
enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON };

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                    m7 = .05498;
static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                    i6 = 5.667e-7, i7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072;
static const double c0 = 4530.0, l0 = .07785, torque = .033;
static const double d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5,
                    ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5,
                    tb = 916e-5, u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2,
                    fa = 1421e-5;

const double squeezer_start[N] = {
    -0.0617138900142764496358948458001, 0.0,
    0.455279819163070380255912382449,   0.222668390165885884674473185609,
    0.487364979543842550225598953530,   -0.222668390165885884674473185609,
    1.23054744454982119249735015568};
const double squeezer_end[N] = {1.5810771195153707097e+01, -1.5756371058411839470e+01,
                                4.0822240119645804858e-02, -5.3473011634207959377e-01,
                                5.2440996587995406937e-01, 5.3473011634207959377e-01,
                                1.0480807410419378731e+00};

/* Sines and cosines of all that turns. */
typedef struct Trigonometry {
  double sb, cb, st, ct, sg, cg, sp, cp, sd, cd, so, co, se, ce;
  double sbt, cbt, spd, cpd, soe, coe;
} Trigonometry;

static Trigonometry turn(const double* q) {
  Trigonometry s;
  s.sb = sin(q[BETA]), s.cb = cos(q[BETA]);
  s.st = sin(q[THETA]), s.ct = cos(q[THETA]);
  s.sg = sin(q[GAMMA]), s.cg = cos(q[GAMMA]);
  s.sp = sin(q[PHI]), s.cp = cos(q[PHI]);
  s.sd = sin(q[DELTA]), s.cd = cos(q[DELTA]);
  s.so = sin(q[OMEGA]), s.co = cos(q[OMEGA]);
  s.se = sin(q[EPSILON]), s.ce = cos(q[EPSILON]);
  s.sbt = s.sb * s.ct + s.cb * s.st, s.cbt = s.cb * s.ct - s.sb * s.st;
  s.spd = s.sp * s.cd + s.cp * s.sd, s.cpd = s.cp * s.cd - s.sp * s.sd;
  s.soe = s.so * s.ce + s.co * s.se, s.coe = s.co * s.ce - s.so * s.se;
  return s;
}

/* The mass matrix: entries that are not zero. */
typedef struct Mass {
  double m11, m21, m22, m33, m44, m54, m55, m66, m76, m77;
} Mass;

static Mass masses(const Trigonometry* s) {
  Mass m;
  m.m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * s->ct + da * da) + i1 + i2;
  m.m21 = m2 * (da * da - da * rr * s->ct) + i2;
  m.m22 = m2 * da * da + i2;
  m.m33 = m3 * (sa * sa + sb * sb) + i3;
  m.m44 = m4 * (e - ea) * (e - ea) + i4;
  m.m54 = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * s->sp) + i4;
  m.m55 = m4 * (zt * zt + 2 * zt * (e - ea) * s->sp + (e - ea) * (e - ea)) +
          m5 * (ta * ta + tb * tb) + i4 + i5;
  m.m66 = m6 * (zf - fa) * (zf - fa) + i6;
  m.m76 = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * s->so) + i6;
  m.m77 = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * s->so + u * u) +
          m7 * (ua * ua + ub * ub) + i6 + i7;
  return m;
}

/* The spring's torque on gamma, and its derivative. */
static double spring(const Trigonometry* s, double* slope) {
  const double x = sd * s->cg + sc * s->sg + xb - xc, y = sd * s->sg - sc * s->cg + yb - yc;
  const double dx = -sd * s->sg + sc * s->cg, dy = sd * s->cg + sc * s->sg;
  const double length = sqrt(x * x + y * y);
  const double along = x * dx + y * dy;
  const double bend = dx * dx + dy * dy - x * (x - (xb - xc)) - y * (y - (yb - yc));
  const double factor = -c0 * (length - l0) / length;
  if (slope) {
    *slope = factor * bend - c0 * l0 * along * along / (length * length * length);
  }
  return factor * along;
}

static void forces(const Trigonometry* s, const double* v, double* f) {
  f[0] = torque - m2 * da * rr * v[THETA] * (v[THETA] + 2 * v[BETA]) * s->st;
  f[1] = m2 * da * rr * v[BETA] * v[BETA] * s->st;
  f[2] = spring(s, NULL);
  f[3] = m4 * zt * (e - ea) * v[DELTA] * v[DELTA] * s->cp;
  f[4] = -m4 * zt * (e - ea) * v[PHI] * (v[PHI] + 2 * v[DELTA]) * s->cp;
  f[5] = -m6 * u * (zf - fa) * v[EPSILON] * v[EPSILON] * s->co;
  f[6] = m6 * u * (zf - fa) * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * s->co;
}

/* G, 6 x 7. */
static void loops(const Trigonometry* s, double G[M][N]) {
  memset(G, 0, M * sizeof G[0]);
  for (int k = 0; k < M; k += 2) {
    G[k][BETA] = -rr * s->sb + d * s->sbt;
    G[k][THETA] = d * s->sbt;
    G[k + 1][BETA] = rr * s->cb - d * s->cbt;
    G[k + 1][THETA] = -d * s->cbt;
  }
  G[0][GAMMA] = -ss * s->cg;
  G[1][GAMMA] = -ss * s->sg;
  G[2][PHI] = -e * s->cpd;
  G[2][DELTA] = -e * s->cpd + zt * s->sd;
  G[3][PHI] = -e * s->spd;
  G[3][DELTA] = -e * s->spd - zt * s->cd;
  G[4][OMEGA] = zf * s->soe;
  G[4][EPSILON] = zf * s->soe - u * s->ce;
  G[5][OMEGA] = -zf * s->coe;
  G[5][EPSILON] = -zf * s->coe - u * s->se;
}

static void gaps(const Trigonometry* s, double* g) {
  const double x = rr * s->cb - d * s->cbt, y = rr * s->sb - d * s->sbt;
  g[0] = x - ss * s->sg - xb;
  g[1] = y + ss * s->cg - yb;
  g[2] = x - e * s->spd - zt * s->cd - xa;
  g[3] = y + e * s->cpd - zt * s->sd - ya;
  g[4] = x - zf * s->coe - u * s->se - xa;
  g[5] = y - zf * s->soe + u * s->ce - ya;
}

static int residual(double t, N_Vector vector, N_Vector rates, N_Vector result, void* data) {
  const double *y = N_VGetArrayPointer(vector), *dy = N_VGetArrayPointer(rates);
  const double *v = y + V, *dv = dy + V;
  double *r = N_VGetArrayPointer(result), f[N], G[M][N];
  (void)t, (void)data;
  const Trigonometry s = turn(y);
  const Mass m = masses(&s);
  forces(&s, v, f);
  loops(&s, G);
  r[V] = m.m11 * dv[0] + m.m21 * dv[1];
  r[V + 1] = m.m21 * dv[0] + m.m22 * dv[1];
  r[V + 2] = m.m33 * dv[2];
  r[V + 3] = m.m44 * dv[3] + m.m54 * dv[4];
  r[V + 4] = m.m54 * dv[3] + m.m55 * dv[4];
  r[V + 5] = m.m66 * dv[5] + m.m76 * dv[6];
  r[V + 6] = m.m76 * dv[5] + m.m77 * dv[6];
  for (int i = 0; i < N; i++) {
    double reaction = -f[i], projection = 0.0;
    for (int k = 0; k < M; k++) {
      reaction += G[k][i] * y[L + k];
      projection += G[k][i] * y[MU + k];
    }
    r[V + i] += reaction;
    r[i] = dy[i] - v[i] + projection;
  }
  for (int k = 0; k < M; k++) {
    r[L + k] = 0.0;
    for (int i = 0; i < N; i++) {
      r[L + k] += G[k][i] * v[i];
    }
  }
  gaps(&s, r + MU);
  return 0;
}

/* result += sum over k of w[k] g_k,qq: what both multipliers bend with. */
static void add_bends(const Trigonometry* s, const double* w, double H[N][N]) {
  const double x = w[0] + w[2] + w[4], y = w[1] + w[3] + w[5];
  const double rod = d * (x * s->cbt + y * s->sbt);
  H[BETA][BETA] += -rr * (x * s->cb + y * s->sb) + rod;
  H[BETA][THETA] += rod, H[THETA][BETA] += rod, H[THETA][THETA] += rod;
  H[GAMMA][GAMMA] += ss * (w[0] * s->sg - w[1] * s->cg);
  const double upper = e * (w[2] * s->spd - w[3] * s->cpd);
  H[PHI][PHI] += upper, H[PHI][DELTA] += upper, H[DELTA][PHI] += upper;
  H[DELTA][DELTA] += upper + zt * (w[2] * s->cd + w[3] * s->sd);
  const double lower = zf * (w[4] * s->coe + w[5] * s->soe);
  H[OMEGA][OMEGA] += lower, H[OMEGA][EPSILON] += lower, H[EPSILON][OMEGA] += lower;
  H[EPSILON][EPSILON] += lower + u * (w[4] * s->se - w[5] * s->ce);
}

/* (G v)_q, 6 x 7. */
static void loop_slopes(const Trigonometry* s, const double* v, double G[M][N]) {
  memset(G, 0, M * sizeof G[0]);
  for (int k = 0; k < M; k++) {
    double w[M] = {0.0}, H[N][N] = {{0.0}};
    w[k] = 1.0;
    add_bends(s, w, H);
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) {
        G[k][i] += H[i][j] * v[j];
      }
    }
  }
}

#define ENTRY(i, j) SM_ELEMENT_D(matrix, i, j)

/* M v' - f by q, and f by v. */
static void add_motion(const Trigonometry* s, const double* v, const double* dv, SUNMatrix matrix) {
  const double a = m2 * da * rr, b = m4 * zt * (e - ea), c = m6 * u * (zf - fa);
  double slope;
  spring(s, &slope);
  ENTRY(V, THETA) +=
      a * s->st * (2 * dv[0] + dv[1]) + a * v[THETA] * (v[THETA] + 2 * v[BETA]) * s->ct;
  ENTRY(V + 1, THETA) += a * s->st * dv[0] - a * v[BETA] * v[BETA] * s->ct;
  ENTRY(V + 2, GAMMA) -= slope;
  ENTRY(V + 3, PHI) += b * s->cp * dv[4] + b * v[DELTA] * v[DELTA] * s->sp;
  ENTRY(V + 4, PHI) +=
      b * s->cp * (dv[3] + 2 * dv[4]) - b * v[PHI] * (v[PHI] + 2 * v[DELTA]) * s->sp;
  ENTRY(V + 5, OMEGA) += -c * s->co * dv[6] - c * v[EPSILON] * v[EPSILON] * s->so;
  ENTRY(V + 6, OMEGA) +=
      -c * s->co * (dv[5] + 2 * dv[6]) + c * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * s->so;
  ENTRY(V, V + BETA) += 2 * a * v[THETA] * s->st;
  ENTRY(V, V + THETA) += 2 * a * (v[THETA] + v[BETA]) * s->st;
  ENTRY(V + 1, V + BETA) -= 2 * a * v[BETA] * s->st;
  ENTRY(V + 3, V + DELTA) -= 2 * b * v[DELTA] * s->cp;
  ENTRY(V + 4, V + PHI) += 2 * b * (v[PHI] + v[DELTA]) * s->cp;
  ENTRY(V + 4, V + DELTA) += 2 * b * v[PHI] * s->cp;
  ENTRY(V + 5, V + EPSILON) += 2 * c * v[EPSILON] * s->co;
  ENTRY(V + 6, V + OMEGA) -= 2 * c * (v[OMEGA] + v[EPSILON]) * s->co;
  ENTRY(V + 6, V + EPSILON) -= 2 * c * v[OMEGA] * s->co;
}

static void add_masses(const Mass* m, double c, SUNMatrix matrix) {
  ENTRY(V, V) += c * m->m11, ENTRY(V, V + 1) += c * m->m21, ENTRY(V + 1, V) += c * m->m21;
  ENTRY(V + 1, V + 1) += c * m->m22, ENTRY(V + 2, V + 2) += c * m->m33;
  ENTRY(V + 3, V + 3) += c * m->m44, ENTRY(V + 3, V + 4) += c * m->m54;
  ENTRY(V + 4, V + 3) += c * m->m54, ENTRY(V + 4, V + 4) += c * m->m55;
  ENTRY(V + 5, V + 5) += c * m->m66, ENTRY(V + 5, V + 6) += c * m->m76;
  ENTRY(V + 6, V + 5) += c * m->m76, ENTRY(V + 6, V + 6) += c * m->m77;
}

static int jacobian(double t, double c, N_Vector vector, N_Vector rates, N_Vector r,
                    SUNMatrix matrix, void* data, N_Vector w1, N_Vector w2, N_Vector w3) {
  const double *y = N_VGetArrayPointer(vector), *dy = N_VGetArrayPointer(rates);
  double G[M][N], slopes[M][N], H[N][N] = {{0.0}}, P[N][N] = {{0.0}};
  (void)t, (void)r, (void)data, (void)w1, (void)w2, (void)w3;
  const Trigonometry s = turn(y);
  const Mass m = masses(&s);
  loops(&s, G);
  loop_slopes(&s, y + V, slopes);
  add_bends(&s, y + L, H);
  add_bends(&s, y + MU, P);
  for (int i = 0; i < N; i++) {
    ENTRY(i, i) += c;
    ENTRY(i, V + i) -= 1.0;
    for (int j = 0; j < N; j++) {
      ENTRY(V + i, j) += H[i][j];
      ENTRY(i, j) += P[i][j];
    }
    for (int k = 0; k < M; k++) {
      ENTRY(V + i, L + k) += G[k][i];
      ENTRY(i, MU + k) += G[k][i];
      ENTRY(L + k, i) += slopes[k][i];
      ENTRY(L + k, V + i) += G[k][i];
      ENTRY(MU + k, i) += G[k][i];
    }
  }
  add_motion(&s, y + V, dy + V, matrix);
  add_masses(&m, c, matrix);
  return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

typedef struct Bare {
  SUNContext context;
  N_Vector y, dy, id, atol;
  SUNMatrix matrix;
  SUNLinearSolver solver;
  void* ida;
  vida_sink sink;
} Bare;

static void start(Bare* bare) {
  double *y = N_VGetArrayPointer(bare->y), *dy = N_VGetArrayPointer(bare->dy);
  N_VConst(0.0, bare->y);
  N_VConst(0.0, bare->dy);
  memcpy(y, squeezer_start, sizeof squeezer_start);
  y[L] = 98.5668703962410896057654982170;
  y[L + 1] = -6.12268834425566265503114393122;
  dy[V] = 14222.4439199541138705911625887;
  dy[V + 1] = -10666.8329399655854029433719415;
}

static int create(void** self) {
  Bare* bare = calloc(1, sizeof *bare);
  *self = bare;
  if (!bare || vida__context_create(&bare->context)) {
    return 1;
  }
  bare->y = N_VNew_Serial(SIZE, bare->context);
  bare->dy = N_VNew_Serial(SIZE, bare->context);
  bare->id = N_VNew_Serial(SIZE, bare->context);
  bare->atol = N_VNew_Serial(SIZE, bare->context);
  bare->matrix = SUNDenseMatrix(SIZE, SIZE, bare->context);
  bare->solver = SUNLinSol_Dense(bare->y, bare->matrix, bare->context);
  bare->ida = IDACreate(bare->context);
  start(bare);
  N_VConst(0.0, bare->id);
  for (int i = 0; i < 2 * N; i++) {
    NV_Ith_S(bare->id, i) = 1.0;
  }
  return vida__redirect_messages(VIDA_IDA, bare->ida, bare->context, &bare->sink) ||
         IDAInit(bare->ida, residual, 0.0, bare->y, bare->dy) ||
         IDASetLinearSolver(bare->ida, bare->solver, bare->matrix) ||
         IDASetJacFn(bare->ida, jacobian) || IDASetId(bare->ida, bare->id) ||
         IDASetSuppressAlg(bare->ida, 1) || IDASetMaxNumSteps(bare->ida, 100000);
}

/* What works: IDA's own first step and tight tolerances of the multipliers do not. */
static long run(void* self, double tolerance, double* q) {
  Bare* bare = self;
  double t;
  long residuals = 0;
  start(bare);
  N_VConst(1e6 * tolerance, bare->atol);
  for (int i = 0; i < 2 * N; i++) {
    NV_Ith_S(bare->atol, i) = tolerance;
  }
  if (IDAReInit(bare->ida, 0.0, bare->y, bare->dy) ||
      IDASVtolerances(bare->ida, tolerance, bare->atol) || IDASetInitStep(bare->ida, 1e-6) ||
      IDASolve(bare->ida, squeezer_time, &t, bare->y, bare->dy, IDA_NORMAL) < 0) {
    return -1;
  }
  IDAGetNumResEvals(bare->ida, &residuals);
  memcpy(q, N_VGetArrayPointer(bare->y), N * sizeof *q);
  return residuals;
}

static void destroy(void* self) {
  Bare* bare = self;
  IDAFree(&bare->ida);
  SUNLinSolFree(bare->solver);
  SUNMatDestroy(bare->matrix);
  N_VDestroy(bare->y);
  N_VDestroy(bare->dy);
  N_VDestroy(bare->id);
  N_VDestroy(bare->atol);
  SUNContext_Free(&bare->context);
  free(bare);
}

const SqueezerContender squeezer_bare = {"bare IDA, by hand", create, run, destroy};
