/* Motions with events: zeros of functions are found within the steps of a method, and the method
 * restarts where velocities or the set of active constraints change.
 *
 * A stepper of such a system is a frame around others: in each mode (a set of closed contacts) an
 * ordinary stepper of the system with the rows of that mode makes the steps. A second one, the
 * probe, makes steps of other lengths from the same state, which find the time of an event and do
 * not disturb the first one. After each step the frame shows the state of the stepper of the mode.
 * Modes are created when the motion enters them for the first time. */
#ifndef VIDA_STEPPER_HYBRID_HYBRID_H
#define VIDA_STEPPER_HYBRID_HYBRID_H

#include <vida/event.h>

#include "stepper/frame.h"
#include "stepper/hybrid/sample.h"
#include "system/model/event.h"

/* A set of active constraints, with the steppers that make the steps in it. */
typedef struct vida_mode {
  VidaSystem* variant;  /* with the rows of closed contacts; NULL: the system itself */
  unsigned char* flags; /* of each contact (system/contacts/contacts.h) */
  int* first_row;       /* of each contact: its first row in the variant, or -1 */
  int closed_count;     /* number of closed contacts */
  VidaStepper* stepper;
  VidaStepper* probe;
  VidaStepper* recorder; /* the probe of events that are only recorded; NULL: there are none */
  /* VIDA_SLIP_MOST per contact: the displacements and values that closed contacts kept at the first
   * starts of the stepper and of the probes, which are made again when a checkpoint is loaded. */
  double *stepper_places, *probe_places, *recorder_places;
  bool is_fresh; /* its next start does not continue a motion: the energy is another one */
  /* At the last node of the caller: is_fresh, and which of the steppers above had been started. */
  bool node_is_fresh, node_started[3];
} vida_mode;

typedef struct vida_hybrid_contacts vida_hybrid_contacts; /* contacts.h */

/* How events follow each other. */
typedef struct vida_crowd {
  /* Events at one time, to detect endless ones. */
  double event_t;
  long repeats;
  /* The same of events that are only recorded. */
  double record_t;
  long record_repeats;
  /* Impacts that follow each other ever faster between bodies that touch (inelastic collapse): the
   * time of an earlier event, the number of events since, and whether they came too fast. */
  double since;
  int count;
  bool is_crowded;
  long crowds; /* that came too fast, one after the other */
} vida_crowd;

/* A search for zeros. Events that are only recorded have a search of their own, with a probe of
 * their own, so that the motion is the same to the last bit as without them. */
typedef struct vida_search {
  bool is_of_records;
  vida_sample from;          /* where the search for an event begins */
  vida_sample before, after; /* an interval in which a function changes its sign, if is_crossed */
  bool is_crossed;
  const vida_sample* end; /* of a search for records */
} vida_search;

struct vida_hybrid {
  VidaStepper* frame; /* the stepper that has this state */
  vida_mode* modes;
  int mode_count;
  size_t mode_capacity;
  int mode; /* index of the current one */
  /* The time grid of the caller. */
  double t0, h;
  long step;
  /* The state at which the current part of a step begins, and whether the stepper of the mode is
   * there with the whole step h. */
  vida_sample at;
  bool is_aligned;
  bool is_at_node; /* it has been there since the last node of the caller */
  bool has_ended;  /* an event has ended the motion */
  double end;      /* its time */
  /* The functions, and samples of them. */
  vida_watched* watched;
  int watched_count;
  int first_contact;              /* index of the function of the first contact */
  vida_hybrid_contacts* contacts; /* NULL: none, or the method takes them in its steps */
  vida_evaluator evaluator;       /* of the functions */
  vida_search acting, recorded;   /* of events that may change the motion, and of the others */
  vida_search* search;            /* the current one of these two */
  bool has_records;               /* there are events that are only recorded */
  vida_sample tried;              /* of the probe */
  vida_sample acted;              /* the next event that may change the motion */
  vida_sample ended;              /* the end of the part, or of an own step of the method */
  bool is_following;              /* own steps of the method are compared */
  bool was_followed;              /* there were own steps in this part */
  bool is_flying;                 /* the part is a flight (flight.c) */
  double part_end; /* s: own steps that end after it are not compared; the method interpolates */
  vida_crowd crowd;
  long parts; /* of the current step */
  /* The state at the last node of the caller, restored after a failure. */
  vida_sample node;
  int node_mode;
  vida_crowd node_crowd;
  vida_watched* node_watched; /* watched_count */
  double* node_extent;        /* n */
  double* node_lambda;        /* of the mode */
  double node_lambda_t;
  bool node_is_begun;   /* the stepper of the mode had made steps: some methods then know lambda */
  double* v_before;     /* n: the velocities before an event */
  double* extent;       /* n: the largest positions at the begin of a part so far */
  double* block;        /* memory of the samples and of the arrays above */
  VidaStatistics spent; /* of parts before the current one */
  int (*observe)(const VidaEventRecord* record, void* data);
  void* data;
  bool is_own_observer; /* of the library: its codes are those of the step */
};

/* Creates stepper->hybrid; it stays NULL for a system without events. */
int vida__hybrid_create(VidaStepper* stepper, VidaError* error);
/* Fails with VIDA_NOT_SUPPORTED if the method of the stepper does not accept a mode that the motion
 * may enter: a contact that is not elastic at rest, sliding or sticking, or an engaged coupling.
 * Modes of several contacts are not tried. Does nothing for a system without modes (modes_ahead.c).
 */
int vida__check_modes(const VidaStepper* stepper, VidaError* error);
/* Frees the state and sets *hybrid to NULL; NULL is allowed. */
void vida__hybrid_destroy(vida_hybrid** hybrid);
/* Starts the motion, after the frame itself has been started, from q and v (n each). */
int vida__hybrid_start(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       VidaError* error);
/* Makes up to `most` steps as VidaStepper_Step does, and ends after one with an event; *made
 * receives their number, also of those before a failure. */
int vida__hybrid_steps(VidaStepper* stepper, long most, long* made, VidaError* error);
/* Sets the distance h (s) of the next nodes, for a shorter last step. */
void vida__hybrid_space_nodes(VidaStepper* stepper, double h);
/* Returns the stepper that makes the steps: that of the mode, or the stepper itself. */
VidaStepper* vida__active_stepper(const VidaStepper* stepper);
/* Returns the counts of all steppers of the modes. */
VidaStatistics vida__hybrid_statistics(const vida_hybrid* hybrid);

/* Compares an own step of the stepper `active`, which has ended at (t,q,v), if it makes the steps
 * of a motion with events; otherwise does nothing. */
int vida__hybrid_follow(VidaStepper* active, double t, const double* q, const double* v,
                        VidaError* error);

/* ---- internal ---- */

/* Computes the functions of a sample whose time, q and v are set (watch.c). */
int vida__take_sample(vida_hybrid* hybrid, vida_sample* sample, VidaError* error);
/* Copies a sample (watch.c). */
void vida__copy_sample(const vida_hybrid* hybrid, const vida_sample* from, vida_sample* to);
/* Takes the signs with which functions leave an event, from a sample after it: velocities that have
 * changed there may have turned a function back, or changed its value. Returns false if an action
 * has changed velocities, but its function only touches zero before and after it: the last of the
 * events that accumulate at a time is such an event (watch.c). */
bool vida__leave_event(vida_hybrid* hybrid, const vida_sample* from);
/* Returns whether a function that is marked moves away from its zero at hybrid->tried, on the side
 * from which it came (watch.c). */
bool vida__is_turned_back(const vida_hybrid* hybrid);
/* Begins both searches for events at a sample (watch.c). */
void vida__begin_searches(vida_hybrid* hybrid, const vida_sample* from);
/* Compares the next sample of the motion with search->before, and takes its place; sets is_crossed,
 * and the sample as `after`, at the first change of a sign (watch.c). */
void vida__compare_sample(vida_hybrid* hybrid, const vida_sample* next);
/* Compares hybrid->ended with hybrid->at, and takes its place if no function changes its sign
 * between them. Otherwise returns false, and both searches find the same as without this call
 * (watch.c). */
bool vida__pass_quietly(vida_hybrid* hybrid);
/* Looks for two changes of a sign between search->from and `end`, where rates show that a function
 * has an extremum; the same results as vida__compare_sample (watch.c). */
int vida__look_between(vida_hybrid* hybrid, const vida_sample* end, VidaError* error);
/* Finds the first zero between search->before and `after`, and moves hybrid->tried there; marks the
 * functions of the search that change their sign there (watch.c). */
int vida__locate_event(vida_hybrid* hybrid, VidaError* error);
/* Marks the events that are only recorded and vanish together with the event at hybrid->tried
 * (watch.c). */
void vida__mark_records(vida_hybrid* hybrid);
/* Returns the name of the last function of the search that is marked (watch.c). */
const char* vida__fired_name(const vida_hybrid* hybrid);
/* Computes hybrid->tried at the time t by a step of the probe of the search from hybrid->at
 * (hybrid.c). */
int vida__try_time(vida_hybrid* hybrid, double t, VidaError* error);
/* Reports an event at hybrid->tried to the observer (actions.c). */
int vida__report_event(vida_hybrid* hybrid, VidaEventKind kind, int index, const char* name,
                       VidaError* error);
/* Visits the state of a motion with events for a checkpoint (record.c). */
void vida__hybrid_record(vida_hybrid* hybrid, VidaRecord* record);
/* Creates the mode with these flags, which becomes the last one (modes.c). */
int vida__add_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error);
/* Frees what belongs to a mode (modes.c). */
void vida__destroy_mode(vida_mode* mode);
/* Returns the mode of the motion (modes.c). */
vida_mode* vida__current_mode(const vida_hybrid* hybrid);
/* Makes the mode with these flags of contacts the current one, and creates it if it is new; its
 * stepper must be started (modes.c). */
int vida__enter_mode(vida_hybrid* hybrid, const unsigned char* flags, VidaError* error);
/* Starts the probe of a mode that has not been started, at a sample: its sizes and the rows that
 * depend on others must be known before its equations are solved (hybrid.c). */
int vida__ready_probe(vida_hybrid* hybrid, const vida_sample* at, VidaError* error);
/* Moves the positions of hybrid->tried onto the constraints of the mode, which they violate by the
 * error of the method (actions.c). */
int vida__project_positions(vida_hybrid* hybrid, VidaError* error);
/* Projects the velocities of hybrid->tried onto the constraints of the mode by an impulse
 * (actions.c). */
int vida__project_velocities(vida_hybrid* hybrid, VidaError* error);
/* Reports the events that are marked and only recorded, at hybrid->tried (actions.c). */
int vida__report_records(vida_hybrid* hybrid, VidaError* error);
/* Does what belongs to the functions that are marked, at hybrid->tried; *is_changed receives
 * whether the velocities or the mode have changed (actions.c). */
int vida__process_events(vida_hybrid* hybrid, bool* is_changed, VidaError* error);

#endif
