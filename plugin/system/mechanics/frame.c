/* Views of frames, kind by kind. */
#include "system/mechanics/frame.h"

int vida__frame_count(const vida_frame* frame) {
  switch (frame->kind) {
    case VIDA_FRAME_GROUND:
      return 0;
    case VIDA_FRAME_PARTICLE:
      return frame->dimension;
    case VIDA_FRAME_PLANE:
      return 3;
    case VIDA_FRAME_ROD:
      return 2 * frame->dimension;
    case VIDA_FRAME_QUATERNION:
      return 7;
    case VIDA_FRAME_DIRECTORS:
      return 12;
    default:
      return 9;
  }
}

int vida__frame_place_count(const vida_frame* frame) {
  switch (frame->kind) {
    case VIDA_FRAME_PARTICLE:
      return 0;
    case VIDA_FRAME_ROD:
      return 1;
    default:
      return frame->dimension;
  }
}

int vida__frame_turn_count(const vida_frame* frame) {
  switch (frame->kind) {
    case VIDA_FRAME_PARTICLE:
      return 0;
    case VIDA_FRAME_ROD:
      return frame->dimension == 3 ? 1 : 2;
    default:
      return frame->dimension;
  }
}

static vida_vector components(const int* list, int first, int count) {
  vida_vector part = {.count = count};
  for (int i = 0; i < count; i++) {
    part.x[i] = list[first + i];
  }
  return part;
}

static void begin_plane(vida_view* view) {
  vida_graph* graph = view->graph;
  const int cosine = vida__node_cos(graph, view->c[2]);
  const int sine = vida__node_sin(graph, view->c[2]);
  view->d[0] = (vida_vector){.count = 2, .x = {cosine, sine}};
  view->d[1] = vida__vector_perpendicular(graph, view->d[0]);
}

static void begin_directors(vida_view* view, int count) {
  vida_graph* graph = view->graph;
  for (int i = 0; i < count; i++) {
    view->d[i] = components(view->c, 3 + 3 * i, 3);
    view->d_rate[i] = components(view->v, 3 + 3 * i, 3);
  }
  if (count == 2) { /* a flat body: d3 = d1 x d2 */
    view->d[2] = vida__vector_cross(graph, view->d[0], view->d[1]);
    const vida_vector first = vida__vector_cross(graph, view->d_rate[0], view->d[1]);
    const vida_vector second = vida__vector_cross(graph, view->d[0], view->d_rate[1]);
    view->d_rate[2] = vida__vector_add(graph, first, second);
  }
}

void vida__view_begin(vida_view* view) {
  const int dimension = view->frame.dimension;
  if (view->frame.kind == VIDA_FRAME_GROUND) {
    view->origin = view->origin_rate = vida__vector_zero(view->graph, dimension);
    return;
  }
  view->origin = components(view->c, 0, dimension);
  view->origin_rate = components(view->v, 0, dimension);
  switch (view->frame.kind) {
    case VIDA_FRAME_PLANE:
      begin_plane(view);
      break;
    case VIDA_FRAME_ROD:
      view->d[0] = components(view->c, dimension, dimension);
      view->d_rate[0] = components(view->v, dimension, dimension);
      break;
    case VIDA_FRAME_QUATERNION:
      view->d[0] = components(view->c, 3, 4);
      view->d_rate[0] = components(view->v, 3, 4);
      break;
    case VIDA_FRAME_DIRECTORS:
      begin_directors(view, 3);
      break;
    case VIDA_FRAME_FLAT:
      begin_directors(view, 2);
      break;
    default:
      break;
  }
}

/* Returns a[0] first + a[1] second. */
static vida_vector combine(vida_graph* graph, vida_vector a, vida_vector first,
                           vida_vector second) {
  const vida_vector along = vida__vector_scale(graph, a.x[0], first);
  const vida_vector across = vida__vector_scale(graph, a.x[1], second);
  return vida__vector_add(graph, along, across);
}

static vida_vector combine_directors(vida_graph* graph, vida_vector a, const vida_vector* d) {
  const vida_vector sum = combine(graph, a, d[0], d[1]);
  const vida_vector third = vida__vector_scale(graph, a.x[2], d[2]);
  return vida__vector_add(graph, sum, third);
}

/* Returns a direction of a rod: one component is along the rod; in the plane, a second one points
 * to its left. */
static vida_vector turn_rod(vida_graph* graph, vida_vector a, vida_vector u) {
  if (a.count == 1) {
    return vida__vector_scale(graph, a.x[0], u);
  }
  const vida_vector left = vida__vector_perpendicular(graph, u);
  return combine(graph, a, u, left);
}

vida_vector vida__view_turn(const vida_view* view, vida_vector a) {
  vida_graph* graph = view->graph;
  switch (view->frame.kind) {
    case VIDA_FRAME_PLANE:
      return combine(graph, a, view->d[0], view->d[1]);
    case VIDA_FRAME_ROD:
      return turn_rod(graph, a, view->d[0]);
    case VIDA_FRAME_QUATERNION:
      return vida__quaternion_rotate(graph, view->d[0], a);
    case VIDA_FRAME_DIRECTORS:
    case VIDA_FRAME_FLAT:
      return combine_directors(graph, a, view->d);
    default:
      return a;
  }
}

/* Returns d/dt of q (0, a) q*, which is linear in the rates. */
static vida_vector turn_quaternion_rate(const vida_view* view, vida_vector a) {
  vida_graph* graph = view->graph;
  const vida_vector pure = {.count = 4,
                            .x = {vida__graph_constant(graph, 0.0), a.x[0], a.x[1], a.x[2]}};
  const vida_vector half = vida__quaternion_multiply(graph, view->d_rate[0], pure);
  const vida_vector conjugate = vida__quaternion_conjugate(graph, view->d[0]);
  const vida_vector turned = vida__quaternion_multiply(graph, half, conjugate);
  return vida__vector_scale(graph, vida__graph_constant(graph, 2.0),
                            vida__vector_slice(turned, 1, 3));
}

vida_vector vida__view_turn_rate(const vida_view* view, vida_vector a) {
  vida_graph* graph = view->graph;
  switch (view->frame.kind) {
    case VIDA_FRAME_PLANE: {
      const vida_vector back = vida__vector_negate(graph, view->d[0]);
      return vida__vector_scale(graph, view->v[2], combine(graph, a, view->d[1], back));
    }
    case VIDA_FRAME_ROD:
      return turn_rod(graph, a, view->d_rate[0]);
    case VIDA_FRAME_QUATERNION:
      return turn_quaternion_rate(view, a);
    case VIDA_FRAME_DIRECTORS:
    case VIDA_FRAME_FLAT:
      return combine_directors(graph, a, view->d_rate);
    default:
      return vida__vector_zero(graph, view->frame.dimension);
  }
}

vida_vector vida__view_point(const vida_view* view, vida_vector place) {
  return view->frame.kind == VIDA_FRAME_PARTICLE
             ? view->origin
             : vida__vector_add(view->graph, view->origin, vida__view_turn(view, place));
}

vida_vector vida__view_point_rate(const vida_view* view, vida_vector place) {
  return view->frame.kind == VIDA_FRAME_PARTICLE
             ? view->origin_rate
             : vida__vector_add(view->graph, view->origin_rate, vida__view_turn_rate(view, place));
}

/* Returns half the sum of d x d' over three unit vectors. */
static vida_vector spin_of_directors(const vida_view* view) {
  vida_graph* graph = view->graph;
  vida_vector sum = vida__vector_cross(graph, view->d[0], view->d_rate[0]);
  for (int i = 1; i < 3; i++) {
    const vida_vector next = vida__vector_cross(graph, view->d[i], view->d_rate[i]);
    sum = vida__vector_add(graph, sum, next);
  }
  return vida__vector_scale(graph, vida__graph_constant(graph, 0.5), sum);
}

/* Returns u x u' of a rod. */
static vida_vector spin_of_rod(const vida_view* view) {
  vida_graph* graph = view->graph;
  const vida_vector u = view->d[0];
  const vida_vector rate = view->d_rate[0];
  if (view->frame.dimension == 3) {
    return vida__vector_cross(graph, u, rate);
  }
  const int plus = vida__node_multiply(graph, u.x[0], rate.x[1]);
  const int minus = vida__node_multiply(graph, u.x[1], rate.x[0]);
  return (vida_vector){.count = 1, .x = {vida__node_subtract(graph, plus, minus)}};
}

vida_vector vida__view_spin(const vida_view* view) {
  vida_graph* graph = view->graph;
  switch (view->frame.kind) {
    case VIDA_FRAME_PLANE:
      return (vida_vector){.count = 1, .x = {view->v[2]}};
    case VIDA_FRAME_ROD:
      return spin_of_rod(view);
    case VIDA_FRAME_QUATERNION: {
      const vida_vector conjugate = vida__quaternion_conjugate(graph, view->d[0]);
      const vida_vector spin = vida__quaternion_multiply(graph, view->d_rate[0], conjugate);
      return vida__vector_scale(graph, vida__graph_constant(graph, 2.0),
                                vida__vector_slice(spin, 1, 3));
    }
    case VIDA_FRAME_DIRECTORS:
    case VIDA_FRAME_FLAT:
      return spin_of_directors(view);
    default:
      return vida__vector_zero(graph, view->frame.dimension == 3 ? 3 : 1);
  }
}

bool vida__view_has_angle(const vida_view* view) {
  return view->frame.kind == VIDA_FRAME_PLANE || view->frame.kind == VIDA_FRAME_GROUND;
}

int vida__view_angle(const vida_view* view) {
  return view->frame.kind == VIDA_FRAME_PLANE ? view->c[2] : vida__graph_constant(view->graph, 0.0);
}
