/* Quaternions, rotation matrices and principal axes. */
#include "system/mechanics/rotation.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <vida/bodies.h>

double vida__dot(const double* a, const double* b, int count) {
  double sum = a[0] * b[0];
  for (int i = 1; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

double vida__norm(const double* a, int count) {
  return sqrt(vida__dot(a, a, count));
}

void vida__cross(const double a[3], const double b[3], double product[3]) {
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    const int last = (i + 2) % 3;
    product[i] = a[next] * b[last] - a[last] * b[next];
  }
}

bool vida__normalize(double* a, int count) {
  double largest = 0.0;
  if (fabs(vida__norm(a, count) - 1.0) <= 4.0 * DBL_EPSILON) {
    return true;
  }
  for (int i = 0; i < count; i++) {
    largest = isfinite(a[i]) ? fmax(largest, fabs(a[i])) : INFINITY;
  }
  if (!(largest > 0.0 && largest <= DBL_MAX)) {
    return false;
  }
  for (int i = 0; i < count; i++) {
    a[i] /= largest;
  }
  const double length = vida__norm(a, count);
  for (int i = 0; i < count; i++) {
    a[i] /= length;
  }
  return true;
}

void vida__multiply_quaternions(const double p[4], const double q[4], double product[4]) {
  product[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  product[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2];
  product[2] = p[0] * q[2] + p[2] * q[0] + p[3] * q[1] - p[1] * q[3];
  product[3] = p[0] * q[3] + p[3] * q[0] + p[1] * q[2] - p[2] * q[1];
}

void vida__rotate(const double q[4], const double a[3], double turned[3]) {
  double across[3];
  const double* u = q + 1;
  const double along = vida__dot(u, a, 3);
  const double factor = q[0] * q[0] - q[1] * q[1] - q[2] * q[2] - q[3] * q[3];
  vida__cross(u, a, across);
  for (int i = 0; i < 3; i++) {
    turned[i] = factor * a[i] + 2.0 * (along * u[i] + q[0] * across[i]);
  }
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Computes the largest component first, because the others are divided by it. */
void Vida_QuaternionOfMatrix(const double m[3][3], double quaternion[4]) {
  if (!m || !quaternion) {
    return;
  }
  const double trace = m[0][0] + m[1][1] + m[2][2];
  double largest = trace;
  int at = -1;
  for (int i = 0; i < 3; i++) {
    if (m[i][i] > largest) {
      largest = m[i][i];
      at = i;
    }
  }
  if (at < 0) {
    const double w = sqrt(1.0 + trace) / 2.0;
    quaternion[0] = w;
    quaternion[1] = (m[2][1] - m[1][2]) / (4.0 * w);
    quaternion[2] = (m[0][2] - m[2][0]) / (4.0 * w);
    quaternion[3] = (m[1][0] - m[0][1]) / (4.0 * w);
  } else {
    const int i = at;
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const double u = sqrt(1.0 + m[i][i] - m[j][j] - m[k][k]) / 2.0;
    quaternion[1 + i] = u;
    quaternion[0] = (m[k][j] - m[j][k]) / (4.0 * u);
    quaternion[1 + j] = (m[i][j] + m[j][i]) / (4.0 * u);
    quaternion[1 + k] = (m[i][k] + m[k][i]) / (4.0 * u);
  }
  const double length = vida__norm(quaternion, 4);
  for (int i = 0; i < 4; i++) {
    quaternion[i] /= length;
  }
}

void Vida_DirectionAcross(const double axis[3], double across[3]) {
  double other[3] = {0.0, 0.0, 0.0};
  if (!axis || !across) {
    return;
  }
  int smallest = 0;
  for (int i = 1; i < 3; i++) {
    smallest = fabs(axis[i]) < fabs(axis[smallest]) ? i : smallest;
  }
  other[smallest] = 1.0;
  vida__cross(axis, other, across);
  const double length = vida__norm(across, 3);
  for (int i = 0; i < 3; i++) {
    across[i] /= length;
  }
}

/* ---- principal axes -------------------------------------------------------------------------- */

static void rotate_values(double* first, double* second, double c, double s) {
  const double old_first = *first;
  const double old_second = *second;
  *first = c * old_first - s * old_second;
  *second = s * old_first + c * old_second;
}

/* Makes one Jacobi rotation, after which entry (i, j) of the symmetric matrix is zero. */
static void rotate_pair(double a[3][3], double axes[3][3], int i, int j) {
  if (a[i][j] == 0.0) {
    return;
  }
  const double theta = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
  const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0);
  const double s = t * c;
  for (int k = 0; k < 3; k++) {
    rotate_values(&a[k][i], &a[k][j], c, s);
  }
  for (int k = 0; k < 3; k++) {
    rotate_values(&a[i][k], &a[j][k], c, s);
    rotate_values(&axes[k][i], &axes[k][j], c, s);
  }
}

void Vida_PrincipalAxes(const double matrix[3][3], double moments[3], double axes[3][3]) {
  enum { SWEEPS = 12 }; /* convergence is quadratic: 6 sweeps reach rounding */
  double a[3][3];
  if (!matrix || !moments || !axes) {
    return;
  }
  memcpy(a, matrix, sizeof a);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      axes[i][k] = i == k ? 1.0 : 0.0;
    }
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    rotate_pair(a, axes, 0, 1);
    rotate_pair(a, axes, 0, 2);
    rotate_pair(a, axes, 1, 2);
  }
  for (int i = 0; i < 3; i++) {
    moments[i] = a[i][i];
  }
}
