/* Frames: the common interface of bodies, particles and the ground for joints, forces and contacts.
 * The view of a frame has its points, directions and angular velocity as expressions of its
 * coordinates. */
#ifndef VIDA_SYSTEM_MECHANICS_FRAME_H
#define VIDA_SYSTEM_MECHANICS_FRAME_H

#include <stdbool.h>
#include <vida/bodies.h>

#include "system/mechanics/vector.h"

typedef enum vida_frame_kind {
  VIDA_FRAME_GROUND,   /* no coordinates */
  VIDA_FRAME_PARTICLE, /* a place without orientation */
  VIDA_FRAME_PLANE,    /* x, y, angle */
  VIDA_FRAME_ROD,      /* centre and a unit vector along it */
  VIDA_FRAME_QUATERNION /* centre and a unit quaternion from body to space */,
  VIDA_FRAME_DIRECTORS, /* centre and three unit vectors along principal axes */
  VIDA_FRAME_FLAT /* centre and two unit vectors along principal axes; the third is their product */
} vida_frame_kind;

enum { VIDA_FRAME_MOST = 12 }; /* the largest number of coordinates of a frame */

/* A frame. Its coordinates are consecutive coordinates of the system from `first` on. */
typedef struct vida_frame {
  vida_frame_kind kind;
  int dimension; /* of space */
  int first;
} vida_frame;

/* A body of a system. */
typedef struct vida_body {
  char* name;
  vida_frame frame;
  int particle; /* at its centre of mass; -1: none */
  /* The body does not move: its frame is the ground, and q is its place, then its angle or
   * quaternion. */
  bool is_fixed;
  bool has_start; /* q and v are the initial values; otherwise they are not known yet */
  double q[VIDA_FRAME_MOST], v[VIDA_FRAME_MOST];
  bool has_axes;     /* directors */
  double axes[3][3]; /* column i: principal axis i in the axes of the body */
} vida_body;

/* Return the number of coordinates of a frame, the number of components of the place of a point in
 * it (0: the frame is a point; 1: along a rod in space), and the number of components of a
 * direction in it (0: the frame has no orientation). */
int vida__frame_count(const vida_frame* frame);
int vida__frame_place_count(const vida_frame* frame);
int vida__frame_turn_count(const vida_frame* frame);

/* A frame as expressions of a graph. c are its positions and v its rates (vida__frame_count nodes
 * each). */
typedef struct vida_view {
  vida_graph* graph;
  vida_frame frame;
  int c[VIDA_FRAME_MOST], v[VIDA_FRAME_MOST];
  vida_vector origin, origin_rate;
  vida_vector d[3], d_rate[3]; /* unit vectors of the frame, as many as its kind needs */
} vida_view;

/* Computes the other members of a view from graph, frame, c and v. */
void vida__view_begin(vida_view* view);
/* Return, in the axes of space, a point of the frame, its velocity, a direction of the frame, and
 * its rate. `place` and `a` have components in the axes of the frame. */
vida_vector vida__view_point(const vida_view* view, vida_vector place);
vida_vector vida__view_point_rate(const vida_view* view, vida_vector place);
vida_vector vida__view_turn(const vida_view* view, vida_vector a);
vida_vector vida__view_turn_rate(const vida_view* view, vida_vector a);
/* Returns the angular velocity: three components in space, one in the plane. */
vida_vector vida__view_spin(const vida_view* view);
/* Return whether the frame has an angle that counts turns, and the node of this angle (the constant
 * 0 for the ground). */
bool vida__view_has_angle(const vida_view* view);
int vida__view_angle(const vida_view* view);

/* Computes the axes of a body in space at the start: the row axes[i] is direction i of the frame
 * (vida__frame_turn_count rows with `dimension` components). */
void vida__body_start_axes(const vida_body* body, double axes[3][3]);
/* Finds the frame of an end. `place` receives the place of the end in the axes of the frame. Fails
 * with VIDA_BAD_ARGUMENT for a particle or body that does not exist; `kind`, `name` and `which`
 * describe the end in the message. */
int vida__end_frame(const VidaSystem* system, const char* kind, const char* name, const char* which,
                    const VidaEnd* end, vida_frame* frame, double place[3], VidaError* error);
/* Converts a direction from the axes of the end to those of the frame. */
void vida__end_direction(const VidaSystem* system, const VidaEnd* end, const double* direction,
                         double turned[3]);
/* Converts a vector from the axes of the body to those of the frame, which are the same for most
 * bodies. */
void vida__body_to_frame(const vida_body* body, const double* vector, double* turned);
/* Returns the angle of a fixed body in the plane; 0 for other bodies. */
double vida__fixed_angle(const VidaSystem* system, int body);
/* Returns the name of a body or particle; "ground" for a fixed point. */
const char* vida__end_name(const VidaSystem* system, const VidaEnd* end);

#endif
