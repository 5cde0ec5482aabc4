#include "support/bob.h"

int bob_system(double vx, double vy, double gravity, bool has_rod, VidaSystem** system,
               VidaError* error) {
  const double down[] = {0.0, -gravity};
  const VidaParticle bob = {"bob",
                            1.0,
                            {VidaInitial_Given(0.6), VidaInitial_Given(-0.8)},
                            {VidaInitial_Given(vx), VidaInitial_Given(vy)}};
  const VidaDistance rod = {"rod", VidaPoint_Fixed(0.0, 0.0, 0.0), VidaPoint_Particle(0), 1.0};
  int code = VidaSystem_Create("pendulum", 2, system, error);
  code = code ? code : VidaSystem_AddParticle(*system, &bob, NULL, error);
  if (!code && gravity != 0.0) {
    code = VidaSystem_AddGravity(*system, down, error);
  }
  return code || !has_rod ? code : VidaSystem_AddDistance(*system, &rod, error);
}
