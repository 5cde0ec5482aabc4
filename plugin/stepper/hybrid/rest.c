/* Contacts that stay closed: those whose forces push in the motion that follows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "stepper/hybrid/contacts.h"

/* Computes the accelerations of the gaps of touching contacts without their forces, into own->work.
 */
static int find_free_accelerations(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  VidaIntegration* base = &hybrid->modes[0].probe->self;
  int code =
      vida__accelerations(base, at->t, at->q, at->v, own->accelerations, base->model.least_norm);
  code = code ? code : vida__constraint_bias(&own->evaluator, at->t, at->q, at->v, own->bias);
  if (code) {
    return vida__fail(error, code,
                      "the equations of motion of system '%s' have no solution at a "
                      "contact",
                      base->model.system->name);
  }
  for (int i = 0; i < own->touching_count; i++) {
    const int row = own->first_row[own->touching[i].contact];
    double sum = own->bias[row];
    for (int e = 0; e < own->all->entry_count; e++) {
      if (own->all->entries[e].row == row) {
        sum += own->entries[e] * own->accelerations[own->all->entries[e].coordinate];
      }
    }
    own->work[own->touching[i].row] = sum;
  }
  return VIDA_SUCCESS;
}

/* Solves the equations D f = -a of the closed contacts for their forces, by Gaussian elimination
 * with the matrix in `a` (count x (count + 1)). Dependent contacts get no force. */
static void eliminate(double* a, int count, double* x) {
  const int width = count + 1;
  for (int i = 0; i < count; i++) {
    const double pivot = a[i * width + i];
    for (int r = i + 1; r < count && pivot > 0.0; r++) {
      const double factor = a[r * width + i] / pivot;
      for (int k = i; k < width; k++) {
        a[r * width + k] -= factor * a[i * width + k];
      }
    }
  }
  for (int i = count - 1; i >= 0; i--) {
    double sum = a[i * width + count];
    for (int k = i + 1; k < count; k++) {
      sum -= a[i * width + k] * x[k];
    }
    x[i] = a[i * width + i] > 0.0 ? sum / a[i * width + i] : 0.0;
  }
}

/* Computes the normal forces of the closed ones among touching contacts, into own->impulse. */
static void find_forces(vida_hybrid_contacts* own, double* matrix, int* list, double* force) {
  int count = 0;
  for (int i = 0; i < own->touching_count; i++) {
    own->impulse[own->touching[i].row] = 0.0;
    if (own->touching[i].is_closed) {
      list[count++] = own->touching[i].row;
    }
  }
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < count; k++) {
      matrix[i * (count + 1) + k] = own->delassus[list[i] * VIDA_IMPACT_ROWS + list[k]];
    }
    matrix[i * (count + 1) + count] = -own->work[list[i]];
  }
  eliminate(matrix, count, force);
  for (int i = 0; i < count; i++) {
    own->impulse[list[i]] = force[i];
  }
}

/* The acceleration of a gap with the forces of the closed contacts. */
static double acceleration_of(const vida_hybrid_contacts* own, const vida_touching* at) {
  double sum = own->work[at->row];
  for (int i = 0; i < own->touching_count; i++) {
    sum += own->delassus[at->row * VIDA_IMPACT_ROWS + own->touching[i].row] *
           own->impulse[own->touching[i].row];
  }
  return sum;
}

/* Returns whether a contact with the rate w > 0 and the acceleration a of its gap will close again
 * before its flight can be resolved: by its height, or by its time. */
static bool is_too_short(const vida_hybrid_contacts* own, const vida_touching* at, double a,
                         double t) {
  const double w = own->w[at->row];
  if (!(a < 0.0)) {
    return false;
  }
  const double height = 0.5 * w * w / -a, time = 2.0 * w / -a;
  return height <= 16.0 * DBL_EPSILON * own->size[own->first_row[at->contact]] ||
         time <= 64.0 * DBL_EPSILON * fabs(t);
}

/* One pass of the choice: closes the contact that accelerates most into its gap, or opens the one
 * that pulls most. A contact whose gap vanishes although it does not approach has flown less far
 * than the method resolves. Returns whether the choice has changed. */
static bool improve(vida_hybrid_contacts* own, double t) {
  vida_touching *closes = NULL, *opens = NULL;
  double worst = 0.0, pull = 0.0;
  for (int i = 0; i < own->touching_count; i++) {
    vida_touching* at = &own->touching[i];
    const double a = acceleration_of(own, at);
    if (at->is_closed && own->impulse[at->row] < pull) {
      pull = own->impulse[at->row];
      opens = at;
    } else if (!at->is_closed && !at->must_open && a < worst &&
               (own->w[at->row] <= 64.0 * DBL_EPSILON * own->w_size[at->row] ||
                (at->is_fired && !at->is_hit) || is_too_short(own, at, a, t))) {
      worst = a;
      closes = at;
    }
  }
  if (opens) {
    opens->is_closed = false;
  } else if (closes) {
    closes->is_closed = true;
  }
  return opens || closes;
}

int vida__choose_closed(vida_hybrid* hybrid, const vida_sample* at, VidaError* error) {
  vida_hybrid_contacts* own = hybrid->contacts;
  const int most = 10 * (own->touching_count + 1);
  int code = find_free_accelerations(hybrid, at, error);
  for (int k = 0; k < most && !code; k++) {
    find_forces(own, own->matrix, own->rows, own->force);
    if (!improve(own, at->t)) {
      break;
    }
  }
  return code;
}
