/* Rotations as numbers, for the start of bodies. Quaternions have the scalar first. */
#ifndef VIDA_SYSTEM_MECHANICS_ROTATION_H
#define VIDA_SYSTEM_MECHANICS_ROTATION_H

#include <stdbool.h>

double vida__dot(const double* a, const double* b, int count);
double vida__norm(const double* a, int count);
void vida__cross(const double a[3], const double b[3], double product[3]);
/* Divides a vector by its length, also where squares of its components would underflow; false for
 * zero. One of norm 1 within rounding is left as it is. */
bool vida__normalize(double* a, int count);
void vida__multiply_quaternions(const double p[4], const double q[4], double product[4]);
void vida__rotate(const double q[4], const double a[3], double turned[3]);

#endif
