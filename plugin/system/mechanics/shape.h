/* The shapes of bodies in animations, as lines in the drawing of the system. */
#ifndef VIDA_SYSTEM_MECHANICS_SHAPE_H
#define VIDA_SYSTEM_MECHANICS_SHAPE_H

#include "system/mechanics/frame.h"

/* Adds the line of a rod. */
int vida__draw_rod(VidaSystem* system, const char* name, const vida_frame* frame, double length,
                   VidaError* error);
/* Adds the square that has the mass and the moment of inertia of a body in the plane. */
int vida__draw_plane_body(VidaSystem* system, const char* name, const vida_frame* frame,
                          double mass, double inertia, VidaError* error);
/* Adds the edges of the cuboid that has the mass and the principal moments of a body in space. The
 * columns of `principal` are the principal axes, in the axes of the body. */
int vida__draw_space_body(VidaSystem* system, const char* name, const vida_body* body, double mass,
                          const double moments[3], const double principal[3][3], VidaError* error);

#endif
