/* Vectors whose components are nodes of an expression graph.
 *
 * Functions add nodes component by component, in the order of the components. A node below 0 is a
 * VidaCode; operations on it return it, so that a formula is checked once, at its end. */
#ifndef VIDA_SYSTEM_MECHANICS_VECTOR_H
#define VIDA_SYSTEM_MECHANICS_VECTOR_H

#include "expr/graph.h"

enum { VIDA_VECTOR_MOST = 4 };

/* 1 to 4 components; a quaternion has four, the scalar first. */
typedef struct vida_vector {
  int count;
  int x[VIDA_VECTOR_MOST];
} vida_vector;

/* Scalars. */
int vida__node_add(vida_graph* graph, int a, int b);
int vida__node_subtract(vida_graph* graph, int a, int b);
int vida__node_multiply(vida_graph* graph, int a, int b);
int vida__node_divide(vida_graph* graph, int a, int b);
int vida__node_negate(vida_graph* graph, int a);
int vida__node_square(vida_graph* graph, int a);
int vida__node_sqrt(vida_graph* graph, int a);
int vida__node_sin(vida_graph* graph, int a);
int vida__node_cos(vida_graph* graph, int a);

/* a zero vector of `count` components */
vida_vector vida__vector_zero(vida_graph* graph, int count);
/* sums of two vectors of one length, and s a for a scalar s */
vida_vector vida__vector_add(vida_graph* graph, vida_vector a, vida_vector b);
vida_vector vida__vector_subtract(vida_graph* graph, vida_vector a, vida_vector b);
vida_vector vida__vector_scale(vida_graph* graph, int s, vida_vector a);
vida_vector vida__vector_negate(vida_graph* graph, vida_vector a);
/* a b, one node */
int vida__vector_dot(vida_graph* graph, vida_vector a, vida_vector b);
/* the square root of a a, one node */
int vida__vector_norm(vida_graph* graph, vida_vector a);
/* a x b in space */
vida_vector vida__vector_cross(vida_graph* graph, vida_vector a, vida_vector b);
/* a vector of the plane turned by a right angle anticlockwise: (-a_y, a_x) */
vida_vector vida__vector_turn_left(vida_graph* graph, vida_vector a);
/* the quaternion product p q, and the conjugate of q */
vida_vector vida__quaternion_multiply(vida_graph* graph, vida_vector p, vida_vector q);
vida_vector vida__quaternion_conjugate(vida_graph* graph, vida_vector q);
/* q (0, a) q*, written as |q|^2 a + ...: quadratic in q, a rotation where |q| = 1 */
vida_vector vida__quaternion_rotate(vida_graph* graph, vida_vector q, vida_vector a);
/* components first, ..., first + count - 1 */
vida_vector vida__vector_slice(vida_vector a, int first, int count);

#endif
