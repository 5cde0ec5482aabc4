/* Rotations as numbers, for the start of bodies. Quaternions have the scalar first. */
#ifndef VIDA_SYSTEM_MECHANICS_ROTATION_H
#define VIDA_SYSTEM_MECHANICS_ROTATION_H

#include <stdbool.h>

/* The scalar product, the length and the vector product. */
double vida__dot(const double* a, const double* b, int count);
double vida__norm(const double* a, int count);
void vida__cross(const double a[3], const double b[3], double product[3]);
/* Divides a vector by its length, even if the squares of its components underflow. Does not change
 * a vector whose length is 1 within rounding. Returns false for a vector of length 0 or with
 * components that are not finite. */
bool vida__normalize(double* a, int count);
/* The quaternion product p q, and the vector part of q (0, a) q*. */
void vida__multiply_quaternions(const double p[4], const double q[4], double product[4]);
void vida__rotate(const double q[4], const double a[3], double turned[3]);

#endif
