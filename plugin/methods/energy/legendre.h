/* Legendre polynomials P_j on [0,1], orthonormal there, and Gauss' rule. */
#ifndef VIDA_METHODS_ENERGY_LEGENDRE_H
#define VIDA_METHODS_ENERGY_LEGENDRE_H

enum { VIDA_MOST_POLYNOMIALS = 4, VIDA_MOST_POINTS = 16 };

/* Computes P_j(t), and its derivative and its integral from 0 to t (both nullable), for j < count.
 */
void vida__legendre(int count, double t, double* value, double* slope, double* integral);
/* Computes the nodes t, in descending order, and the weights w (count each) of Gauss' rule on
 * [0,1]. */
void vida__gauss_points(int count, double* t, double* w);

#endif
