/* Contacts of spook (Lacoursiere 2007, sections 4 and 5): unilateral rows, and dry friction.
 *
 * A closed gap has the row of a relaxed constraint, which may only push. With the rate u0 = G v +
 * g_t of the last step and u = G w + g_t of the next one, u - psi u0 + 4 psi g0 / h + 4 psi e P /
 * h^2 >= 0,   P >= 0,   and one of them vanishes, psi = 1 / (1 + 4 tau / h). A gap that is open at
 * the node and would close in the step has u + g0 / h >= 0 instead: it may close, and becomes
 * negative by the curvature of the gap in the step only. With restitution, u + c u0 >= 0, too.
 * Friction is that of Coulomb, on the cone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "methods/regularized/regularized.h"

typedef struct vida_spook_contacts {
  vida_closed_contacts* closed;
  double compliance, damping_time; /* damping_time NaN: 2 h */
  double* guess;                   /* impulses from which those of the next step were found */
  double* kept_guess;
  double* gap;                 /* contacts: at the node */
  double* w;                   /* n */
  double next_gain, kept_gain; /* energy that impacts bring in the next step; before this one */
} vida_spook_contacts;

static vida_spook_contacts* contacts_of(const VidaIntegration* self) {
  return ((const vida_regularized_state*)self->state)->contacts;
}

static size_t row_bytes(const vida_spook_contacts* own) {
  return (size_t)own->closed->rows->row_count * sizeof(double);
}

int vida__spook_contacts_create(VidaIntegration* self, VidaError* error) {
  const vida_contacts* contacts = self->model.system->contacts;
  if (!contacts) {
    return VIDA_SUCCESS;
  }
  const size_t rows = (size_t)contacts->set.row_count;
  const size_t numbers = 2 * rows + (size_t)contacts->count + (size_t)self->model.n;
  vida_spook_contacts* own = vida__allocate(1, sizeof *own + numbers * sizeof(double));
  ((vida_regularized_state*)self->state)->contacts = own;
  if (!own) {
    return vida__fail_memory(error);
  }
  const vida_array arrays[] = {{&own->guess, rows},
                               {&own->kept_guess, rows},
                               {&own->gap, (size_t)contacts->count},
                               {&own->w, (size_t)self->model.n}};
  vida__place_arrays(arrays, sizeof arrays / sizeof arrays[0], (double*)(own + 1));
  const int code =
      vida__closed_create(self->model.system, &self->model.system->pattern, &own->closed, error);
  if (!code) {
    vida__closed_take_options(own->closed, self->options);
  }
  return code;
}

void vida__spook_contacts_destroy(VidaIntegration* self) {
  vida_spook_contacts* own = self->state ? contacts_of(self) : NULL;
  if (own) {
    vida__closed_destroy(&own->closed);
    free(own);
  }
}

/* Returns the value of an option that has two names. */
static double read_option(const VidaOptions* options, const char* name, const char* other,
                          double factor) {
  return VidaOptions_IsSet(options, other) ? factor * VidaOptions_Get(options, other)
                                           : VidaOptions_Get(options, name);
}

int vida__spook_contacts_start(VidaIntegration* self, VidaError* error) {
  vida_spook_contacts* own = contacts_of(self);
  if (!own) {
    return VIDA_SUCCESS;
  }
  const double h = self->node.h;
  own->compliance = read_option(self->options, "compliance", "epsilon", 1.0);
  own->next_gain = 0.0;
  own->damping_time = read_option(self->options, "damping_time", "tau_over_h", h);
  own->damping_time = isnan(own->damping_time) ? 2.0 * h : own->damping_time;
  return self->continues ? VIDA_SUCCESS
                         : vida__closed_start(own->closed, self->node.t0, self->node.q, error);
}

/* Chooses the contacts whose gap is not positive at the node, or would not be after the step with
 * own->w. */
static int choose(VidaIntegration* self) {
  vida_spook_contacts* own = contacts_of(self);
  vida_closed_contacts* closed = own->closed;
  const vida_regularized_state* state = self->state;
  const int count = self->model.system->contacts->count;
  const double t = vida__node_time(self);
  closed->count = 0;
  int code = vida__closed_gaps(closed, t, self->node.q);
  memcpy(own->gap, closed->gap, (size_t)count * sizeof *own->gap);
  vida__find_place(self, own->w, 1.0, self->work.place);
  code = code ? code : vida__closed_gaps(closed, vida__next_time(self), self->work.place);
  for (int c = 0; c < count && !code; c++) {
    if (!(own->gap[c] > 0.0 && closed->gap[c] > 0.0)) {
      closed->chosen[closed->count++] = c;
    }
  }
  return closed->count > 0 && !code ? vida__closed_rows(closed, t, self->node.q, state->v) : code;
}

static void set_rows(const VidaIntegration* self) {
  const vida_spook_contacts* own = contacts_of(self);
  vida_closed_contacts* closed = own->closed;
  const vida_contacts* contacts = self->model.system->contacts;
  const double h = self->node.h, psi = 1.0 / (1.0 + 4.0 * own->damping_time / h);
  for (int k = 0; k < closed->count; k++) {
    const int first = closed->problem.first[k];
    const double gap = own->gap[closed->chosen[k]], before = closed->before[first];
    const double c = contacts->list[closed->chosen[k]].restitution;
    for (int r = first; r < closed->problem.first[k + 1]; r++) {
      closed->bias[r] = closed->rate[r];
    }
    const double least = gap > 0.0 ? -gap / h : psi * before - 4.0 * psi * gap / h;
    closed->bias[first] -= before < 0.0 && c > 0.0 ? fmax(least, -c * before) : least;
    closed->softness[first] = 4.0 * psi * own->compliance / (h * h);
  }
}

int vida__spook_contacts_find(VidaIntegration* self, double* right, VidaError* error) {
  char name[VIDA_STEP_NAME_SIZE];
  vida_regularized_state* state = self->state;
  vida_spook_contacts* own = state->contacts;
  vida_closed_contacts* closed = own->closed;
  vida__follow_segment(self, &closed->evaluator);
  own->next_gain = 0.0;
  memcpy(own->guess, closed->last, row_bytes(own));
  for (int i = 0; i < self->model.n; i++) {
    own->w[i] = state->v[i] + state->next[i];
  }
  int code = choose(self);
  if (code) {
    self->model.evaluator.error = closed->evaluator.error;
    return code;
  }
  if (closed->count == 0) {
    memset(closed->last, 0, row_bytes(own));
    return VIDA_SUCCESS;
  }
  code = vida__closed_columns(closed, self->model.node_matrix, NULL);
  if (code) {
    return code;
  }
  set_rows(self);
  if (!vida__closed_solve(closed, own->w)) {
    return vida__closed_fail(closed, vida__name_step(self, name), error);
  }
  own->next_gain = vida__closed_gain(closed, own->w);
  vida__closed_add_impulses(closed, right);
  return vida__linear_solve(self->model.node_matrix, right, state->next);
}

void vida__spook_contacts_add(const VidaIntegration* self, double* change) {
  const vida_spook_contacts* own = contacts_of(self);
  if (own->closed->count > 0) {
    vida__closed_add_impulses(own->closed, change);
  }
}

void vida__spook_contacts_keep(VidaIntegration* self) {
  vida_spook_contacts* own = contacts_of(self);
  if (own) {
    memcpy(own->kept_guess, own->guess, row_bytes(own));
    self->impact_gain = own->kept_gain = own->next_gain;
  }
}

void vida__spook_contacts_undo(VidaIntegration* self) {
  vida_spook_contacts* own = contacts_of(self);
  if (own) {
    memcpy(own->closed->last, own->kept_guess, row_bytes(own));
    own->next_gain = own->kept_gain;
  }
}

void vida__spook_contacts_record(VidaIntegration* self, VidaRecord* record) {
  vida_spook_contacts* own = contacts_of(self);
  if (own) {
    vida__closed_record(own->closed, record);
    VidaRecord_Reals(record, own->guess, (size_t)own->closed->rows->row_count);
    VidaRecord_Reals(record, &own->next_gain, 1);
  }
}
