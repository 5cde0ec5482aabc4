#include <math.h>
#include "expr/operations.h"
double vida__divided(int operation, double u0, double u1, double p) {
  (void)operation;
  (void)u0;
  (void)u1;
  (void)p;
  return NAN;
}
double vida__divided_twice(int operation, double u0, double u1, double p) {
  (void)operation;
  (void)u0;
  (void)u1;
  (void)p;
  return NAN;
}
double vida__angle_ratio(double y, double x) {
  (void)y;
  (void)x;
  return NAN;
}
double vida__angle_slope(double y, double x) {
  (void)y;
  (void)x;
  return NAN;
}
