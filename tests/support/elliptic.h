/* The plane pendulum in closed form, by Jacobi's elliptic functions: expected values that owe
 * nothing to the library. */
#ifndef VIDA_TEST_ELLIPTIC_H
#define VIDA_TEST_ELLIPTIC_H

/* F(phi | k), |phi| <= pi/2 given by its sine and cosine >= 0, by Carlson's duplication; kc is the
 * complementary modulus sqrt(1 - k^2). K(k) is elliptic_f(1, 0, kc). */
double elliptic_f(double sine, double cosine, double kc);
/* The amplitude am(u | k), by the arithmetic-geometric mean. */
double elliptic_amplitude(double u, double kc);

/* Angle (rad, from the downward vertical) and rate after time t of theta'' = -omega^2 sin theta;
 * angle and *angle_t are not reduced, so full turns are counted. */
void pendulum_motion(double omega, double angle, double rate, double t, double* angle_t,
                     double* rate_t);
/* The period of the motion (back and forth, or once around). */
double pendulum_period(double omega, double angle, double rate);

#endif
