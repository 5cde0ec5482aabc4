/* Contacts of a motion with events: their gaps and forces, impacts, and the modes that follow.
 *
 * An open contact is a gap that is watched. A closed one is a constraint of the mode; the sign of
 * its force is watched. At an impact, impulses of all contacts with a vanishing gap change the
 * velocities; the constraints of the system remain satisfied. */
#ifndef VIDA_STEPPER_HYBRID_CONTACTS_H
#define VIDA_STEPPER_HYBRID_CONTACTS_H

#include <float.h>

#include "stepper/hybrid/hybrid.h"
#include "system/contacts/contacts.h"

/* The largest number of rows of contacts that take part in one impact. */
enum { VIDA_IMPACT_ROWS = 256 };
/* The largest number of contacts that a message names. */
enum { VIDA_CONTACTS_NAMED = 3 };

/* Relative to the terms of a rate: a smaller rate is rounding. */
#define VIDA_ROUNDED_RATE (64.0 * DBL_EPSILON)
/* Relative to the accelerations without forces of contacts: a smaller acceleration is none. */
#define VIDA_NO_ACCELERATION 1e-9

/* The flag of a motion that has more modes than `max_modes`. */
#define VIDA_TOO_MANY_MODES "TOO_MANY_MODES"

/* What becomes of a contact after an impact. */
typedef enum vida_touching_state {
  VIDA_TOUCHING_OPEN,
  VIDA_TOUCHING_RESTS, /* closed, without friction */
  VIDA_TOUCHING_STICKS,
  VIDA_TOUCHING_SLIDES
} vida_touching_state;

/* A contact that takes part in an impact. */
typedef struct vida_touching {
  int contact;
  int row;         /* its normal row among the columns; the slip rows follow */
  int slip_count;  /* 0 without friction */
  bool is_hit;     /* it has received an impulse */
  bool is_carried; /* it has received none, and those of other contacts move it out of its gap */
  bool must_open;  /* its force has become negative */
  bool is_fired;   /* its gap has vanished in the motion, not only to rounding */
  bool must_stick; /* its slip velocity has vanished */
  bool must_slide; /* its friction has reached its largest value */
  vida_touching_state state;
  double direction[VIDA_SLIP_MOST]; /* of sliding */
  bool is_incipient;                /* it slides from rest */
  bool was_slowed;                  /* it would have slid backwards */
  bool is_candidate;                /* it may receive an impulse or force */
} vida_touching;

/* The choices of the option `impact_law`, in their order. */
typedef enum vida_impact_law {
  VIDA_IMPACT_WAVE,
  VIDA_IMPACT_NEWTON,
  VIDA_IMPACT_POISSON
} vida_impact_law;

typedef struct vida_touching_problem vida_touching_problem; /* touching_problem.h */

struct vida_hybrid_contacts {
  int count;
  const vida_contact* list;
  /* The system that has only the rows of all contacts. */
  VidaSystem* all;
  vida_evaluator evaluator;
  int* first_row;                           /* count: the normal row of each contact in `all` */
  double *g, *rate, *bias, *entries, *size; /* rows and entries of `all`; sizes of the terms of g */
  double* multipliers;   /* of the mode at the last sample; work space of rows of `all` at events */
  double* accelerations; /* n */
  double* reach;         /* count: largest size of the terms of the gap so far */
  /* count: the normal force of closed contacts, and what is left of the friction of those that
   * stick, or of the strength of couplings */
  double *normal, *margin;
  double* creep; /* count: slip velocities that are too small for contacts that begin to slide */
  double* graze; /* count: gaps that are too small for bodies that move side by side */
  double* departure; /* count: rates of gaps that have opened with a rate; otherwise 0 */
  double* flight;    /* 6 n: stages of the step over a flight (flight.c) */
  double* speed; /* rows of `all`: largest sums of |G| |v| so far, to which rounding is compared */
  /* As the arrays without `node`, at the last node of the caller. */
  double *node_place, *node_reach, *node_graze, *node_creep, *node_departure, *node_speed;
  double* place;           /* count x VIDA_SLIP_MOST: displacements of contacts that stick */
  unsigned char* flags;    /* count: those of the current mode */
  unsigned char* wanted;   /* count: those of the next one */
  vida_touching* touching; /* count */
  int touching_count, row_count;
  int node_base;    /* that at the last node of the caller */
  int base;         /* the mode in which only couplings are engaged */
  bool is_switched; /* couplings have changed at this event */
  /* Of the rows of touching contacts: the change of velocities by a unit impulse, the matrix of
   * their effect on the rates of the rows (Delassus), and these rates. */
  double* columns;                     /* VIDA_IMPACT_ROWS x n */
  double* delassus;                    /* VIDA_IMPACT_ROWS x VIDA_IMPACT_ROWS */
  double *w, *w_size, *impulse, *work; /* VIDA_IMPACT_ROWS */
  double* w_before;                    /* w before the impact */
  double residual;                     /* m/s: the largest one of the impulses that were solved */
  vida_impact_law law;
  vida_touching_problem* problem;
  double* base_rate;                  /* of the constraints of the system: G v + g_t */
  double *matrix, *force;             /* of the closed contacts among them */
  int *unknown_contact, *unknown_row; /* VIDA_IMPACT_ROWS: of the forces that are not known */
  double* right_side;                 /* n + rows */
  double* block;                      /* memory of the arrays of numbers */
};

/* The flags of a mode in which a contact sticks. */
enum { VIDA_CONTACT_STICKS = VIDA_CONTACT_STICK | VIDA_CONTACT_PLACE };

/* Creates hybrid->contacts, for a system with contacts. */
int vida__contacts_create(vida_hybrid* hybrid, VidaError* error);
/* Frees the state and sets *contacts to NULL; NULL is allowed. */
void vida__hybrid_contacts_destroy(vida_hybrid_contacts** contacts);
/* Adds the functions of the contacts to the list, which has room. */
void vida__watch_contacts(vida_hybrid* hybrid);
/* Fills the functions of contacts in a sample. */
int vida__sample_contacts(vida_hybrid* hybrid, vida_sample* sample, VidaError* error);
/* Closes the contacts that are closed at the start, hybrid->at, and refuses gaps that are negative;
 * *is_changed receives whether an impact has changed the velocities. */
int vida__start_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error);
/* Engages or releases a coupling at hybrid->tried. */
int vida__switch_coupling(vida_hybrid* hybrid, int coupling, bool engages, VidaError* error);
/* Hits, closes and opens the contacts whose functions are marked, at hybrid->tried. */
int vida__process_contacts(vida_hybrid* hybrid, bool* is_changed, VidaError* error);

/* Lets a stepper of the current mode compare violations of closed contacts with the sizes that
 * their gaps have had. Returns false, and does nothing, if the stepper is not one of the mode. */
bool vida__set_reach(const vida_hybrid* hybrid, VidaStepper* stepper);

/* Keeps which contacts are closed, where they stick, and the sizes of gaps and rates so far;
 * `back`: restores it in the current mode. */
void vida__keep_contacts(vida_hybrid* hybrid, bool back);

/* Copies the displacements and values that closed contacts keep in a mode that has closed ones to
 * `places` (VIDA_SLIP_MOST per contact), or sets them. */
void vida__visit_places(const vida_hybrid* hybrid, const vida_mode* mode, bool reads,
                        double* places);

/* Returns the end of a part, not after `end`, in which an open contact flies and lands and which an
 * adaptive method does not resolve; NaN if there is none (flight.c). */
double vida__find_flight(vida_hybrid* hybrid, double end);
/* Computes q and v (n each) after `way` (s) of such a part, with the equations of motion of `self`.
 * Returns false if they have no solution (flight.c). */
bool vida__fly(const vida_hybrid* hybrid, VidaIntegration* self, double way, double* q, double* v);

/* ---- internal ---- */

/* Evaluates gaps, rates and entries of all contacts at a sample (contacts.c). */
int vida__evaluate_contacts(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Returns the row in `all` of row k of the touching contacts (impact.c). */
int vida__row_of_touching(const vida_hybrid_contacts* own, int k);
/* Computes G x for all rows of `all`; x: n. The result is valid until the next call and the next
 * sample (impact.c). */
const double* vida__apply_contact_rows(vida_hybrid_contacts* own, const double* x);
/* Returns the length of a slip velocity (impact.c). */
double vida__slip_length(const double* x, int count);
/* Lists the contacts whose gap vanishes, and computes their columns and matrix (impact.c). */
int vida__find_touching(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Adds the impulse p along row k of the touching contacts to the velocities and to the rates of all
 * rows (impact.c). */
void vida__add_impulse(vida_hybrid* hybrid, vida_sample* at, int k, double p);
/* Applies impulses until no contact approaches; *any receives whether there were any. Fails if they
 * bring more energy than they take (impact.c). */
int vida__apply_impulses(vida_hybrid* hybrid, vida_sample* at, bool* any, VidaError* error);
/* Appends the names of touching contacts that are meant: "'a', 'b' and 3 more" (impact.c). */
void vida__append_contacts(const vida_hybrid_contacts* own, bool (*is_meant)(const vida_touching*),
                           char* text, size_t size);
/* Hits the touching contacts that approach with this rate, but for rounding, together, by Newton's
 * law. Returns false, and does nothing, where there are not at least two of them, or their impulses
 * would bring energy. */
bool vida__hit_tied(vida_hybrid* hybrid, vida_sample* at, double rate);
/* Hits all touching contacts at once: with the law of Newton or Poisson, or, for that of a wave,
 * without restitution (laws.c). */
int vida__hit_together(vida_hybrid* hybrid, vida_sample* at, vida_impact_law law, VidaError* error);
/* Computes the columns and the matrix of the touching contacts, and their rates (impact.c). */
int vida__prepare_touching(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Computes the accelerations of the rows of touching contacts without their forces, into own->work
 * (rest.c). */
int vida__find_free_accelerations(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Where the forces of closed contacts are not unique: sets own->normal and own->margin to 1 for
 * contacts that can stay in their states at a sample, to -1 for those that leave them
 * (closed_forces.c). */
int vida__choose_forces(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Chooses the states of the touching contacts after the impact (rest.c). */
int vida__choose_closed(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);

#endif
