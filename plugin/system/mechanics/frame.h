/* Frames: what bodies, particles and the ground are to joints, forces and contacts. The view of a
 * frame is its positions, directions and angular velocity as expressions of its coordinates. */
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
  VIDA_FRAME_FLAT       /* centre and two of them; the third is their product */
} vida_frame_kind;

enum { VIDA_FRAME_MOST = 12 }; /* coordinates of a frame */

/* A frame: the first of its coordinates in the system, which follow each other. */
typedef struct vida_frame {
  vida_frame_kind kind;
  int dimension; /* of space */
  int first;
} vida_frame;

/* A body of a system. */
typedef struct vida_body {
  char* name;
  vida_frame frame;
  int particle;   /* at its centre of mass; -1: the body is fixed */
  bool has_start; /* q and v are the start; otherwise it is to be found */
  double q[VIDA_FRAME_MOST], v[VIDA_FRAME_MOST];
  bool has_axes;     /* directors */
  double axes[3][3]; /* column i: principal axis i in the axes of the body */
} vida_body;

/* Numbers of coordinates; of components that say where a point of it is (0: it is a point, 1: along
 * a rod in space); of components of a direction of it (0: it has no orientation). */
int vida__frame_count(const vida_frame* frame);
int vida__frame_place_count(const vida_frame* frame);
int vida__frame_turn_count(const vida_frame* frame);

/* The frame in expressions of a graph: positions c and rates v, vida__frame_count of them each. */
typedef struct vida_view {
  vida_graph* graph;
  vida_frame frame;
  int c[VIDA_FRAME_MOST], v[VIDA_FRAME_MOST];
  vida_vector origin, origin_rate;
  vida_vector d[3], d_rate[3]; /* unit vectors that move with it, as its kind needs them */
} vida_view;

/* Fills in what follows from frame, c and v of the view. */
void vida__view_begin(vida_view* view);
/* In space: a point of the frame, its velocity, a direction of the frame and its rate. Places and
 * directions are components in the axes of the frame. */
vida_vector vida__view_point(const vida_view* view, vida_vector place);
vida_vector vida__view_point_rate(const vida_view* view, vida_vector place);
vida_vector vida__view_turn(const vida_view* view, vida_vector a);
vida_vector vida__view_turn_rate(const vida_view* view, vida_vector a);
/* The angular velocity: three components in space, one in the plane. */
vida_vector vida__view_spin(const vida_view* view);
/* Whether it has an angle that counts turns, and its node (0 of the ground). */
bool vida__view_has_angle(const vida_view* view);
int vida__view_angle(const vida_view* view);

/* The axes of a body in space at the start, as rows: axes[i] is where direction i of the frame
 * points (vida__frame_turn_count of them, `dimension` components each). */
void vida__body_start_axes(const vida_body* body, double axes[3][3]);
/* The frame of an end with what it is called in messages; VIDA_BAD_ARGUMENT where there is no such
 * particle or body. `place` receives the components in the axes of the frame. */
int vida__end_frame(const VidaSystem* system, const char* kind, const char* name, const char* which,
                    const VidaEnd* end, vida_frame* frame, double place[3], VidaError* error);
/* Components in the axes of the frame of a direction that is in those of the end. */
void vida__end_direction(const VidaSystem* system, const VidaEnd* end, const double* direction,
                         double turned[3]);
/* Components in the axes of the frame of a vector in those of the body. */
void vida__body_to_frame(const vida_body* body, const double* vector, double* turned);
/* The name of a body or particle, "ground" for a fixed point. */
const char* vida__end_name(const VidaSystem* system, const VidaEnd* end);

#endif
