/* Slip velocities of contacts with friction, where the gap shows what they must be.
 *
 * The contact pushes a particle or the centre of a body with the force lambda n, n being the
 * gradient of the gap with respect to its position, and rubs on it with mu_k a_k, a_k being that of
 * the slip velocity with respect to its velocity, wherever its point of contact is. Friction is
 * along the tangent if n and a_k are orthogonal, and at most mu times the normal force if they have
 * the same length. Nothing is said about coordinates of other kinds, and where n or all a_k vanish:
 * a belt, a guide or a clutch. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "diagnose/check.h"
#include "system/contacts/contacts.h"

enum { MOST_POINTS = 8, MOST_CONTACTS = 200, GAP_STEPS = 8 };
static const double exact = 1e-6; /* relative: what a gap beside 0 and roundings leave */

/* A particle or the centre of a body in a contact. */
typedef struct point {
  int first; /* coordinate */
  double n[3], a[VIDA_SLIP_MOST][3];
} point;

typedef struct slips {
  VidaCheck* check;
  VidaSystem* rows; /* of all contacts */
  vida_evaluator evaluator;
  int *first_of, *axis_of; /* n: of the point that a coordinate belongs to; -1: of none */
  double *q, *g, *entries;
  int point_count;
  point points[MOST_POINTS];
} slips;

static void mark_point(slips* at, const int* coordinate) {
  for (int k = 0; k < at->check->system->dimension; k++) {
    at->first_of[coordinate[k]] = coordinate[0];
    at->axis_of[coordinate[k]] = k;
  }
}

static void mark_points(slips* at) {
  const VidaSystem* system = at->check->system;
  for (int i = 0; i < system->coordinate_count; i++) {
    at->first_of[i] = -1;
  }
  for (int p = 0; p < system->particle_count; p++) {
    const int first = system->particles[p].coordinate;
    mark_point(at, (int[]){first, first + 1, first + 2});
  }
  for (int k = 0; k < system->motion_count; k++) {
    if (system->motions[k].kind == VIDA_MOTION_POINT) {
      mark_point(at, system->motions[k].coordinate);
    }
  }
}

/* Returns the point of a coordinate; NULL: it has none, or there are too many. */
static point* find_point(slips* at, int coordinate) {
  const int first = at->first_of[coordinate];
  for (int p = 0; p < at->point_count; p++) {
    if (at->points[p].first == first) {
      return &at->points[p];
    }
  }
  if (first < 0 || at->point_count == MOST_POINTS) {
    return NULL;
  }
  at->points[at->point_count] = (point){.first = first};
  return &at->points[at->point_count++];
}

/* Finds n and a of all points of a contact at at->q. */
static bool find_blocks(slips* at, const vida_contact* contact) {
  const VidaSystem* rows = at->rows;
  at->point_count = 0;
  if (vida__constraints(&at->evaluator, at->check->t, at->q, NULL, at->g) ||
      vida__jacobian(&at->evaluator, at->check->t, at->q, at->entries)) {
    return false;
  }
  for (int e = 0; e < rows->entry_count; e++) {
    const int k = rows->entries[e].row - contact->first_row;
    point* of =
        k >= 0 && k <= contact->slip_count ? find_point(at, rows->entries[e].coordinate) : NULL;
    if (of) {
      double* block = k == 0 ? of->n : of->a[k - 1];
      block[at->axis_of[rows->entries[e].coordinate]] += at->entries[e];
    }
  }
  return true;
}

static double dot(const double* x, const double* y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Moves the points along their normals until the gap vanishes; the slip velocity of a curved body
 * may be that of the contact only there. */
static bool close_gap(slips* at, const vida_contact* contact) {
  const size_t n = (size_t)at->check->system->coordinate_count;
  memcpy(at->q, at->check->q, n * sizeof *at->q);
  for (int step = 0; step < GAP_STEPS; step++) {
    double square = 0.0;
    if (!find_blocks(at, contact)) {
      return false;
    }
    for (int p = 0; p < at->point_count; p++) {
      square += dot(at->points[p].n, at->points[p].n);
    }
    const double part = square > 0.0 ? at->g[contact->first_row] / square : 0.0;
    for (int p = 0; p < at->point_count && isfinite(part); p++) {
      for (int k = 0; k < at->check->system->dimension; k++) {
        at->q[at->points[p].first + k] -= part * at->points[p].n[k];
      }
    }
  }
  return find_blocks(at, contact);
}

static const char* name_of(const slips* at, const point* of) {
  const VidaSystem* system = at->check->system;
  for (int p = 0; p < system->particle_count; p++) {
    if (system->particles[p].coordinate == of->first) {
      return system->particles[p].name;
    }
  }
  return system->coordinates[of->first].name;
}

/* Reports a slip velocity that is not the one along the tangent. Returns whether there was one. */
static bool judge(const slips* at, const vida_contact* contact, const point* of, int k) {
  char number[VIDA_REAL_TEXT_SIZE];
  const double normal = sqrt(dot(of->n, of->n)), slip = sqrt(dot(of->a[k], of->a[k]));
  if (!(normal > 0.0) || !(slip > 0.0)) {
    return false;
  }
  const double along = dot(of->n, of->a[k]) / (normal * slip);
  if (!(fabs(along) <= exact)) {
    vida__check_find(at->check, VIDA_SEVERITY_ERROR, contact->name,
                     "its slip velocity is not along the tangent: a motion of '%s' along the "
                     "gradient of the gap slips with %s of its speed, and friction would push "
                     "along it",
                     name_of(at, of), vida__real_text(number, fabs(along) * slip / normal, 3));
    return true;
  }
  if (!(fabs(slip / normal - 1.0) <= exact)) {
    vida__check_find(at->check, VIDA_SEVERITY_WARNING, contact->name,
                     "its slip velocity is %s times what the gap has per unit of '%s': friction is "
                     "at most so many times 'friction' times the normal force",
                     vida__real_text(number, slip / normal, 4), name_of(at, of));
    return true;
  }
  return false;
}

static bool judge_both(const slips* at, const vida_contact* contact, const point* of) {
  const double size = sqrt(dot(of->a[0], of->a[0]) * dot(of->a[1], of->a[1]));
  if (contact->slip_count < 2 || !(fabs(dot(of->a[0], of->a[1])) > exact * size)) {
    return false;
  }
  vida__check_find(at->check, VIDA_SEVERITY_WARNING, contact->name,
                   "the two components of its slip velocity are not orthogonal (for '%s'): their "
                   "root of squares is no speed",
                   name_of(at, of));
  return true;
}

static void check_contact(slips* at, const vida_contact* contact) {
  if (!close_gap(at, contact)) {
    return;
  }
  for (int p = 0; p < at->point_count; p++) {
    const point* of = &at->points[p];
    for (int k = 0; k < contact->slip_count; k++) {
      if (judge(at, contact, of, k)) {
        return; /* one message is enough */
      }
    }
    if (judge_both(at, contact, of)) {
      return;
    }
  }
}

int vida__check_slips(VidaCheck* check, VidaSystem* rows, VidaError* error) {
  const vida_contacts* contacts = check->system->contacts;
  const size_t n = (size_t)check->system->coordinate_count;
  slips at = {.check = check, .rows = rows};
  int code = vida__build_pattern(rows, error); /* which lists the entries */
  code = code ? code : vida__evaluator_create(rows, &at.evaluator, error);
  if (code) {
    return code;
  }
  const size_t count = n + (size_t)rows->row_count + (size_t)rows->entry_count;
  at.q = vida__allocate(count, sizeof *at.q);
  at.first_of = vida__allocate(2 * n, sizeof *at.first_of);
  if (at.q && at.first_of) {
    at.axis_of = at.first_of + n;
    at.g = at.q + n;
    at.entries = at.g + rows->row_count;
    mark_points(&at);
  } else {
    code = vida__fail_memory(error);
  }
  for (int c = 0; c < contacts->count && c < MOST_CONTACTS && !code; c++) {
    const vida_contact* contact = &contacts->list[c];
    /* Those of shapes are derived. */
    if (contact->friction > 0.0 && contact->sliding[0].functions) {
      check_contact(&at, contact);
    }
  }
  free(at.q);
  free(at.first_of);
  vida__evaluator_destroy(&at.evaluator);
  return code;
}
