/* The systems of the tests, each described once: built through the public API for the library, and
 * integrated by code of our own for the values that are expected of it. */
#ifndef VIDA_TEST_MODEL_H
#define VIDA_TEST_MODEL_H

#include <vida/vida.h>

enum { MODEL_PARTICLES = 12, MODEL_LINKS = 12, MODEL_COORDINATES = 3 * MODEL_PARTICLES };

/* Charts: angles of the rods, which hang from fixed points or from particles before them, as said;
 * in the plane from + l (sin a, -cos a). Particles without a rod have their positions. */
typedef enum ModelChart {
  MODEL_NO_CHART,
  MODEL_CHART_VERTICAL, /* l (sin a cos b, sin a sin b, -cos a): poles on the z axis */
  MODEL_CHART_SIDEWAYS  /* l (cos b sin a, sin b, -cos b cos a): poles on the y axis */
} ModelChart;

typedef struct Model {
  const char* name;
  int dimension, particles, springs, rods;
  double gravity[3];
  VidaParticle particle[MODEL_PARTICLES];
  VidaSpring spring[MODEL_LINKS];
  VidaDistance rod[MODEL_LINKS];
  double length, speed; /* what counts as large here, for relative tolerances */
  ModelChart chart;
  double near; /* of all angles a */
} Model;

#define MODEL_GRAVITY 9.81

/* Plane pendulum, in 2D or in a vertical plane of 3D; angle from the downward vertical, y or z up
 */
Model model_pendulum(int dimension, double mass, double length, double angle, double rate);
/* Wendlandt and Marsden 1997, section 5.2: z and its rate left to the constraints */
Model model_double_spherical_pendulum(void);
/* Gonzalez 1999, section 4 */
Model model_four_particles(void);
/* Two unit masses and a bond of 0.74 along x; velocities as given (3 each) */
Model model_dumbbell(const double* v1, const double* v2);
/* Mass on a linear spring on a line, at rest length 0: x'' = -(k/m) x */
Model model_oscillator(double mass, double stiffness, double x, double v);
/* Two masses on linear springs with rest lengths, one of them with a cubic part, under gravity:
 * every kind of term that the other models lack */
Model model_springs(void);
Model model_free_particle(int dimension, double mass, const double* x, const double* v);
/* Particles of 1 kg on rods of 1 m, stretched out in a plane `angle` below the horizontal, at rest
 */
Model model_chain(int links, double angle);

/* The system through the public API, completed; a failure ends the test. */
VidaSystem* model_system(const Model* model);
/* The same model without its chart, before VidaSystem_Complete. */
VidaSystem* model_open_system(const Model* model);

/* Kinetic plus potential energy, and the total momenta: L (3) and J about the origin (3). */
double model_energy(const Model* model, const double* q, const double* v);
void model_momenta(const Model* model, const double* q, const double* v, double* linear,
                   double* angular);
/* Largest | |d| - l | and |d . d'| / l over the rods. */
double model_stretch(const Model* model, const double* q);
double model_stretch_rate(const Model* model, const double* q, const double* v);

/* The motion after time t from consistent q, v (in place), by Gragg's extrapolated midpoint rule of
 * order 12 on the index-1 form in `steps` steps; forces of the rods (nullable) at the end. */
void model_reference(const Model* model, double t, int steps, double* q, double* v, double* forces);

#endif
