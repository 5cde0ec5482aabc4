/* Vector algebra on an expression graph. Each product is a separate statement if the order of nodes
 * could otherwise depend on the compiler, because this order determines the rounding of commutative
 * operations. */
#include "system/mechanics/vector.h"

int vida__node_add(vida_graph* graph, int a, int b) {
  return vida__graph_apply(graph, VIDA_OP_ADD, a, b, -1);
}

int vida__node_subtract(vida_graph* graph, int a, int b) {
  return vida__graph_apply(graph, VIDA_OP_SUBTRACT, a, b, -1);
}

int vida__node_multiply(vida_graph* graph, int a, int b) {
  return vida__graph_apply(graph, VIDA_OP_MULTIPLY, a, b, -1);
}

int vida__node_divide(vida_graph* graph, int a, int b) {
  return vida__graph_apply(graph, VIDA_OP_DIVIDE, a, b, -1);
}

int vida__node_negate(vida_graph* graph, int a) {
  return vida__graph_apply(graph, VIDA_OP_NEGATE, a, -1, -1);
}

int vida__node_square(vida_graph* graph, int a) {
  return vida__graph_apply(graph, VIDA_OP_POWER, a, vida__graph_constant(graph, 2.0), -1);
}

int vida__node_sqrt(vida_graph* graph, int a) {
  return vida__graph_apply(graph, VIDA_OP_SQRT, a, -1, -1);
}

int vida__node_sin(vida_graph* graph, int a) {
  return vida__graph_apply(graph, VIDA_OP_SIN, a, -1, -1);
}

int vida__node_cos(vida_graph* graph, int a) {
  return vida__graph_apply(graph, VIDA_OP_COS, a, -1, -1);
}

vida_vector vida__vector_zero(vida_graph* graph, int count) {
  vida_vector zero = {.count = count};
  for (int i = 0; i < count; i++) {
    zero.x[i] = vida__graph_constant(graph, 0.0);
  }
  return zero;
}

vida_vector vida__vector_add(vida_graph* graph, vida_vector a, vida_vector b) {
  vida_vector sum = {.count = a.count};
  for (int i = 0; i < a.count; i++) {
    sum.x[i] = vida__node_add(graph, a.x[i], b.x[i]);
  }
  return sum;
}

vida_vector vida__vector_subtract(vida_graph* graph, vida_vector a, vida_vector b) {
  vida_vector difference = {.count = a.count};
  for (int i = 0; i < a.count; i++) {
    difference.x[i] = vida__node_subtract(graph, a.x[i], b.x[i]);
  }
  return difference;
}

vida_vector vida__vector_scale(vida_graph* graph, int s, vida_vector a) {
  vida_vector scaled = {.count = a.count};
  for (int i = 0; i < a.count; i++) {
    scaled.x[i] = vida__node_multiply(graph, s, a.x[i]);
  }
  return scaled;
}

vida_vector vida__vector_negate(vida_graph* graph, vida_vector a) {
  vida_vector negative = {.count = a.count};
  for (int i = 0; i < a.count; i++) {
    negative.x[i] = vida__node_negate(graph, a.x[i]);
  }
  return negative;
}

int vida__vector_dot(vida_graph* graph, vida_vector a, vida_vector b) {
  int sum = vida__node_multiply(graph, a.x[0], b.x[0]);
  for (int i = 1; i < a.count; i++) {
    const int product = vida__node_multiply(graph, a.x[i], b.x[i]);
    sum = vida__node_add(graph, sum, product);
  }
  return sum;
}

int vida__vector_norm(vida_graph* graph, vida_vector a) {
  return vida__node_sqrt(graph, vida__vector_dot(graph, a, a));
}

vida_vector vida__vector_cross(vida_graph* graph, vida_vector a, vida_vector b) {
  vida_vector product = {.count = 3};
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    const int last = (i + 2) % 3;
    const int plus = vida__node_multiply(graph, a.x[next], b.x[last]);
    const int minus = vida__node_multiply(graph, a.x[last], b.x[next]);
    product.x[i] = vida__node_subtract(graph, plus, minus);
  }
  return product;
}

vida_vector vida__vector_perpendicular(vida_graph* graph, vida_vector a) {
  return (vida_vector){.count = 2, .x = {vida__node_negate(graph, a.x[1]), a.x[0]}};
}

/* ---- quaternions ----------------------------------------------------------------------------- */

/* One product of a bilinear form of two quaternions: plus or minus a[i] b[j]. */
typedef struct form_product {
  int i, j;
  bool minus;
} form_product;

static int add_form(vida_graph* graph, const form_product* product, int count, vida_vector a,
                    vida_vector b) {
  int sum = -1;
  for (int k = 0; k < count; k++) {
    const int term = vida__node_multiply(graph, a.x[product[k].i], b.x[product[k].j]);
    sum = k == 0             ? term
          : product[k].minus ? vida__node_subtract(graph, sum, term)
                             : vida__node_add(graph, sum, term);
  }
  return sum;
}

vida_vector vida__quaternion_multiply(vida_graph* graph, vida_vector p, vida_vector q) {
  static const form_product rows[4][4] = {{{0, 0, 0}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}},
                                          {{0, 1, 0}, {1, 0, 0}, {2, 3, 0}, {3, 2, 1}},
                                          {{0, 2, 0}, {2, 0, 0}, {3, 1, 0}, {1, 3, 1}},
                                          {{0, 3, 0}, {3, 0, 0}, {1, 2, 0}, {2, 1, 1}}};
  vida_vector product = {.count = 4};
  for (int i = 0; i < 4; i++) {
    product.x[i] = add_form(graph, rows[i], 4, p, q);
  }
  return product;
}

vida_vector vida__quaternion_conjugate(vida_graph* graph, vida_vector q) {
  vida_vector conjugate = {.count = 4, .x = {q.x[0]}};
  for (int i = 1; i < 4; i++) {
    conjugate.x[i] = vida__node_negate(graph, q.x[i]);
  }
  return conjugate;
}

vida_vector vida__quaternion_rotate(vida_graph* graph, vida_vector q, vida_vector a) {
  static const form_product scale[] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 1}, {3, 3, 1}};
  const vida_vector u = vida__vector_slice(q, 1, 3);
  const int along = vida__vector_dot(graph, u, a);
  const vida_vector across = vida__vector_cross(graph, u, a);
  const int two = vida__graph_constant(graph, 2.0);
  vida_vector turned = {.count = 3};
  for (int i = 0; i < 3; i++) {
    const int factor = add_form(graph, scale, 4, q, q);
    const int scaled = vida__node_multiply(graph, factor, a.x[i]);
    const int first = vida__node_multiply(graph, along, u.x[i]);
    const int second = vida__node_multiply(graph, q.x[0], across.x[i]);
    const int sum = vida__node_add(graph, first, second);
    const int twice = vida__node_multiply(graph, two, sum);
    turned.x[i] = vida__node_add(graph, scaled, twice);
  }
  return turned;
}

vida_vector vida__vector_slice(vida_vector a, int first, int count) {
  vida_vector part = {.count = count};
  for (int i = 0; i < count; i++) {
    part.x[i] = a.x[first + i];
  }
  return part;
}
