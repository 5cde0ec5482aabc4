/* Vectors whose components are nodes of an expression graph.
 *
 * Functions add nodes component by component, in the order of the components. A negative node is a
 * VidaCode. Operations on it return it, so that one check at the end of a formula is enough. */
#ifndef VIDA_SYSTEM_MECHANICS_VECTOR_H
#define VIDA_SYSTEM_MECHANICS_VECTOR_H

#include "expr/graph.h"

enum { VIDA_VECTOR_MOST = 4 };

/* A vector of 1 to 4 components. A quaternion has four, scalar first. */
typedef struct vida_vector {
  int count;
  int x[VIDA_VECTOR_MOST];
} vida_vector;

/* Operations on scalars. */
int vida__node_add(vida_graph* graph, int a, int b);
int vida__node_subtract(vida_graph* graph, int a, int b);
int vida__node_multiply(vida_graph* graph, int a, int b);
int vida__node_divide(vida_graph* graph, int a, int b);
int vida__node_negate(vida_graph* graph, int a);
int vida__node_square(vida_graph* graph, int a);
int vida__node_sqrt(vida_graph* graph, int a);
int vida__node_sin(vida_graph* graph, int a);
int vida__node_cos(vida_graph* graph, int a);

/* The zero vector of `count` components. */
vida_vector vida__vector_zero(vida_graph* graph, int count);
/* a + b, a - b, s a for a scalar s, and -a. */
vida_vector vida__vector_add(vida_graph* graph, vida_vector a, vida_vector b);
vida_vector vida__vector_subtract(vida_graph* graph, vida_vector a, vida_vector b);
vida_vector vida__vector_scale(vida_graph* graph, int s, vida_vector a);
vida_vector vida__vector_negate(vida_graph* graph, vida_vector a);
/* The scalar product a . b. */
int vida__vector_dot(vida_graph* graph, vida_vector a, vida_vector b);
/* The length of a. */
int vida__vector_norm(vida_graph* graph, vida_vector a);
/* The vector product a x b, in space. */
vida_vector vida__vector_cross(vida_graph* graph, vida_vector a, vida_vector b);
/* A vector in the plane, turned anticlockwise by a right angle: (-a_y, a_x). */
vida_vector vida__vector_perpendicular(vida_graph* graph, vida_vector a);
/* The quaternion product p q, and the conjugate of q. */
vida_vector vida__quaternion_multiply(vida_graph* graph, vida_vector p, vida_vector q);
vida_vector vida__quaternion_conjugate(vida_graph* graph, vida_vector q);
/* The vector part of q (0, a) q*: quadratic in q, and a rotation of a if |q| = 1. */
vida_vector vida__quaternion_rotate(vida_graph* graph, vida_vector q, vida_vector a);
/* The components first, ..., first + count - 1 of a. */
vida_vector vida__vector_slice(vida_vector a, int first, int count);

#endif
