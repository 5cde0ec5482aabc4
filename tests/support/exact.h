/* Systems with exact solutions: their construction, and their state at a time. */
#ifndef VIDA_TEST_EXACT_H
#define VIDA_TEST_EXACT_H

#include <vida/vida.h>

#include "support/model.h"

/* Each pair: the completed system, and q and v at time t from its own start. */

/* The two-body problem with all constants 1 on an ellipse of eccentricity 0.6, period 2 pi */
VidaSystem* make_kepler(void);
void exact_kepler(double t, double* q, double* v);
/* The harmonic oscillator x'' = -16 x */
VidaSystem* make_oscillator(void);
void exact_oscillator(double t, double* q, double* v);
/* An isotropic oscillator in polar coordinates */
VidaSystem* make_polar(void);
void exact_polar(double t, double* q, double* v);
/* A charge in a magnetic field with drag, driven by a wave */
VidaSystem* make_charge(void);
void exact_charge(double t, double* q, double* v);
/* A pendulum of 0.8 m, from the angle 1 with the rate 0.5; then with its pivot in (0, 1.5) and in
 * polar coordinates around the origin; then with a pivot that is accelerated sideways */
#define PENDULUM_LENGTH 0.8
#define PIVOT 1.5
VidaSystem* make_pendulum(void);
void exact_pendulum(double t, double* q, double* v);
VidaSystem* make_bead(void);
void exact_bead(double t, double* q, double* v);
VidaSystem* make_pulled(void);
void exact_pulled(double t, double* q, double* v);
/* (r, theta) and rates of a point in the plane */
void polar_of(const double* point, const double* velocity, double* q, double* v);
/* Wendlandt and Marsden 1997, section 5.2; by an extrapolation method of order 12 */
VidaSystem* make_double_pendulum(void);
void exact_double_pendulum(double t, double* q, double* v);
/* The heavy top of Bruels and Cardona (2010) as a unit quaternion. `along`: the inertia of the
 * quaternion along itself, where nothing moves */
VidaSystem* make_top_with(double along);
/* A free body of inertia (1, 1, 2) with the body rates (1, 0, 5) as a unit quaternion: it turns
 * with sqrt(101) about its momentum, and with -5 about its axis */
VidaSystem* make_precession(void);
void exact_precession(double t, double* q);
/* The pendulum with a drag -c v: no closed form */
VidaSystem* make_dragged(void);

#endif
