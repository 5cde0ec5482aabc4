/* Kinematics of bodies as expressions, for constraints, forces and observables that are formulas
 * (<vida/expression.h>).
 *
 * Vectors have `dimension` components in the axes of space, unless stated otherwise. Functions fail
 * with VIDA_BAD_ARGUMENT for an end or a body that does not exist, and with VIDA_WRONG_ORDER for a
 * complete system. */
#ifndef VIDA_KINEMATICS_H
#define VIDA_KINEMATICS_H

#include <vida/bodies.h>
#include <vida/export.h>
#include <vida/expression.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the expressions of the position of an end (m): a point of a body, a particle, or a point
 * fixed in space. */
VIDA_API int VidaSystem_EndPosition(VidaSystem* system, const VidaEnd* end,
                                    VidaExpression* position, VidaError* error);
/* Makes the expressions of the velocity of an end (m/s). */
VIDA_API int VidaSystem_EndVelocity(VidaSystem* system, const VidaEnd* end,
                                    VidaExpression* velocity, VidaError* error);
/* Makes the expressions of a direction that is fixed in an end. `direction` (dimension) has its
 * components in the axes of the end; for a rod in space only direction[0], along the rod, is used.
 * Fails with VIDA_BAD_ARGUMENT for a particle. */
VIDA_API int VidaSystem_EndDirection(VidaSystem* system, const VidaEnd* end,
                                     const double* direction, VidaExpression* vector,
                                     VidaError* error);
/* Makes the expressions of the angular velocity of a body (rad/s): three in space, one in the
 * plane. The angular velocity of a rod in space has no component along the rod. */
VIDA_API int VidaSystem_BodyAngularVelocity(VidaSystem* system, int body,
                                            VidaExpression* angular_velocity, VidaError* error);
/* Makes the expression of the angle of a body in the plane (rad), from the x axis of space to that
 * of the body. The angle of a rod lies between -pi and pi. Fails with VIDA_BAD_ARGUMENT in space.
 */
VIDA_API int VidaSystem_BodyAngle(VidaSystem* system, int body, VidaExpression* angle,
                                  VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
