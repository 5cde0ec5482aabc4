/* The frame around every method: time, checks of every step, interrupts, jumps in time. */
#ifndef VIDA_STEPPER_FRAME_H
#define VIDA_STEPPER_FRAME_H

#include <vida/event.h>

#include "base/state_record.h"
#include "stepper/integration.h"
#include "system/model/model.h"

typedef struct vida_watch vida_watch;   /* branch_watch.h */
typedef struct vida_jumps vida_jumps;   /* jumps.h */
typedef struct vida_hybrid vida_hybrid; /* hybrid/hybrid.h */

/* The interrupt function of a stepper, and its last result (interrupt.c). */
typedef struct vida_interrupt {
  int (*ask)(void* data); /* nullable */
  void* data;
  bool is_active; /* a step is being made; the function is not called between steps */
  int code;       /* result in the current or the last step; negative after an interrupt */
  double reached; /* time of the method's newest own state at the interrupt, s */
} vida_interrupt;

/* What the checks of the energy have found (verdict.c). */
typedef struct vida_energy_record {
  double bound;       /* a conservative system with so much more energy is unbounded */
  bool is_impossible; /* the energy has exceeded the first bound */
  double judged;      /* kinetic energy above which the energy is computed next */
} vida_energy_record;

/* Quantities at the node that have been computed with the step (ensemble.h). */
typedef struct vida_node_values {
  bool is_known;
  double energy; /* with the velocities at the node */
  double* rate;  /* m: G v + g_t */
  double momenta[VIDA_LARGEST_MOMENTUM_COUNT];
} vida_node_values;

/* How a motion was started, to start it again when it is loaded (checkpoint.c). */
typedef struct vida_start {
  double t0, h;
  double *q, *v; /* n: positions and velocities; if is_two_points, positions at both nodes */
  bool is_two_points;
  bool again; /* it continued a motion, after a jump in time */
  vida_segment segment;
} vida_start;

/* A stepper: the integration that the method sees, and the state of the frame. */
struct VidaStepper {
  VidaIntegration self; /* first member, so that the addresses of both structures are equal */
  VidaOptions* options;
  long earlier; /* steps of the run before this start, for messages */
  bool started;
  double full_step; /* h of the options or of the last start; steps before stop times are shorter */
  /* If this stepper is nested: the stepper whose method makes its steps with this one, and the
   * stage. Messages name the step of the outer stepper. */
  VidaStepper* outer;      /* NULL: this stepper is not nested */
  int stage, stages;       /* stage of `stages`; 0: the nested stepper makes complete steps */
  double* block;           /* memory of all arrays of the integration and the frame */
  double* kept;            /* 5 n + m: the node before the step, from q on */
  double* kept_guess;      /* 6 (n + m) + m: what the guess of the step was made from */
  unsigned char* kept_own; /* parts of the method's own state before the step (self.kept) */
  long careful_steps;      /* of the next steps, each is checked alone */
  double kept_lambda_t;    /* before calm steps */
  double start_energy;     /* size of the kinetic and potential energy at the start */
  double conserved_energy; /* the energy at the start; NaN: of a system that is not conservative */
  vida_energy_record energy;
  vida_energy_record kept_energy; /* before calm steps */
  double* node_velocity;          /* n: v at the node, if has_node_velocity */
  bool has_node_velocity;
  vida_node_values values;
  bool has_node_multipliers; /* for methods that compute multipliers on request */
  vida_watch* watch;         /* watch of the constraints; NULL without constraints */
  vida_jumps* jumps;         /* NULL for systems without jumps, and for steppers with an `outer` */
  vida_hybrid* hybrid;       /* NULL for systems without events, and for steppers with an `outer` */
  vida_segment segment;      /* segment of time that contains the step; used only if `jumps` */
  vida_interrupt interrupt;  /* used only without `outer` */
  vida_start first, last;    /* starts of the motion: without, and with those that continued it */
  VidaStatistics before;     /* counts of the run before the last start of vida__restart_stepper */
  struct vida_evolution* evolution; /* of VidaStepper_Evolve, freed with free(); NULL until then */
  vida_services* services;          /* what self.services points to, if the stepper owns it */
};

/* Returns the stepper of an integration. */
VidaStepper* vida__frame_of(VidaIntegration* self);
/* Returns whether a stepper makes stages of the steps of another one. The stepper of a mode
 * (hybrid/hybrid.h) makes steps of its own instead, with rows of its own. */
static inline bool vida__is_stage(const VidaStepper* stepper) {
  return stepper->outer && !stepper->outer->hybrid;
}

/* Creates a stepper as VidaStepper_Create does, but an error message does not list other methods
 * (stepper.c). `services` (NULL: none) must outlive it. *stepper must be NULL. */
int vida__create_stepper(const VidaSystem* system, const VidaOptions* options,
                         vida_services* services, VidaStepper** stepper, VidaError* error);
/* Starts a stepper as VidaStepper_StartWithStep does, without checking arguments (stepper.c). */
int vida__start_stepper(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                        VidaError* error);
/* Restarts from q and v (n each) at t with the step h during a run, and keeps its statistics
 * (statistics.c). */
int vida__restart_stepper(VidaStepper* stepper, double t, double h, const double* q,
                          const double* v, VidaError* error);
/* Sets an observer of events as VidaStepper_SetEventObserver does, but with its negative codes the
 * step fails as with its own (hybrid/actions.c). */
void vida__observe_events(VidaStepper* stepper,
                          int (*observe)(const VidaEventRecord* record, void* data), void* data);
/* Starts as vida__start_stepper does, but does not search for jumps. `again`: the motion continues,
 * and the watch keeps its records (motion.c). */
int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error);
/* Starts from two points as VidaStepper_StartTwoPoints does, but does not search for jumps
 * (motion.c). */
int vida__start_motion_two_points(VidaStepper* stepper, double t0, double h, const double* q0,
                                  const double* q1, VidaError* error);
/* Makes one step of the method, which contains no jump (motion.c). */
int vida__make_step(VidaStepper* stepper, VidaError* error);
/* Makes one step as vida__make_step does, or up to `most` calm ones (distance_steps.h); *made
 * receives their number. */
int vida__make_steps(VidaStepper* stepper, long most, long* made, VidaError* error);
/* Allocates memory for the parts of the method's own state that its steps change (motion.c). */
int vida__allocate_own(VidaStepper* stepper, VidaError* error);
/* Keeps these parts, and restores them (motion.c). */
void vida__keep_own(VidaStepper* stepper);
void vida__return_own(VidaStepper* stepper);
/* Tries to make one calm step; returns false if vida__make_step must make it, from the same state
 * (motion.c). */
bool vida__try_calm_step(VidaStepper* stepper);
/* Prepares calm steps that are made in a lane (ensemble.h). Returns false if the stepper has to
 * make the next one alone (motion.c). */
bool vida__begin_joint_steps(VidaStepper* stepper);
/* Checks the state after `made` steps in a lane. If the checks reject it, restores the state before
 * them and returns false; the method itself then makes the next step (motion.c). */
bool vida__end_joint_steps(VidaStepper* stepper, long made);
/* Deletes what is known about the node, which has been replaced by an earlier one (motion.c). */
void vida__replace_node(VidaStepper* stepper);
/* If `error` says that the method cannot integrate the system, appends the methods that can with
 * their default options: "; these can: rattle, hht and 3 more". Returns `code` (alternatives.c). */
int vida__name_alternatives(const VidaSystem* system, const VidaOptions* options, int code,
                            VidaError* error);
enum { VIDA_METHODS_SIZE = 256 }; /* room for such a part of a message */
/* Appends `before`, the methods of time stepping that accept the system, joined by `joint` ("and"),
 * and `after`; nothing if there are none. Allocates nothing (alternatives.c). */
void vida__append_stepping(const VidaSystem* system, const char* before, const char* joint,
                           const char* after, char* text, size_t size);
/* Returns whether the method with this name accepts what the system has, apart from what it checks
 * itself. Allocates nothing (stepper.c). */
bool vida__accepts(const VidaSystem* system, const char* method);

/* Lists the arrays of the integration and the frame (stepper.c). */
enum { VIDA_FRAME_ARRAYS = 50 };
void vida__list_arrays(VidaStepper* stepper, vida_array arrays[VIDA_FRAME_ARRAYS]);
/* Remembers a start, before it is made (checkpoint.c). */
void vida__keep_start(VidaStepper* stepper, const vida_start* start);

/* Allows interrupts; called before a step. */
void vida__begin_interruptible(VidaStepper* stepper);
/* Forbids interrupts; called after a step. Returns whether the step was interrupted. */
bool vida__end_interruptible(VidaStepper* stepper);
/* Fills `error` for an interrupted step, and returns the code of the interrupt. */
int vida__fail_interrupted(const VidaStepper* stepper, VidaError* error);
/* Sets the number of steps of the run before a start in the middle of the run. */
void vida__count_earlier(VidaStepper* stepper, long steps);
/* Fails with VIDA_WRONG_ORDER if the stepper has not been started (state.c). */
int vida__require_start(const VidaStepper* stepper, VidaError* error);
/* Sets the multipliers at the node to NaN: not known (state.c). */
void vida__set_unknown_multipliers(VidaStepper* stepper);
/* ---- checks of starts and steps (verdict.c) ---- */
/* Refuses initial values (n) that are not finite; `what` is their name. */
int vida__check_values(const VidaStepper* stepper, const char* what, const double* values,
                       VidaError* error);
/* Refuses a time and a step that are not finite, a step that is not positive, and, at the start of
 * a motion, one that does not change the time. */
int vida__check_clock(const VidaStepper* stepper, double t0, double h, bool again,
                      VidaError* error);
/* Fails with VIDA_INCONSISTENT_START if the method solves g = 0 and the start violates a
 * constraint, unless the motion continues (`again`), and with the flag SINGULAR_START if constraint
 * rows depend on each other at the start and no accelerations satisfy all of them at the initial
 * velocities v (n), which the method may no longer have in the node. */
int vida__check_start(VidaStepper* stepper, const double* v, bool again, VidaError* error);
/* Evaluates g at the node that a step has computed, for the checks of the step and for the next
 * one. */
void vida__evaluate_constraints_after_step(VidaStepper* stepper);
/* Checks the node that a step has computed, before the stepper accepts it. Fails with
 * CONSTRAINT_VIOLATED if a constraint is violated by more than the method claims, and with
 * UNBOUNDED if the method makes no claim and the violation exceeds the size of the terms of the
 * constraint. */
int vida__check_step(VidaStepper* stepper, VidaError* error);
/* Checks whether the step resolves how far constraints have turned in it, if the method has asked
 * for it. Fails with TURN_TOO_FAR (turn_check.c). */
int vida__check_turn(VidaStepper* stepper, VidaError* error);
/* Takes the energy of a conservative system at the start of a part of a motion with events, which
 * may have changed it. */
void vida__take_conserved_energy(VidaStepper* stepper);
/* Prepares vida__check_energy, at the start of a motion. */
void vida__begin_energy_check(VidaStepper* stepper);
/* Checks the energy at the node that a step has computed. Fails with UNBOUNDED if a conservative
 * system has gained a multiple of its energy at the start that only an unstable step produces. */
int vida__check_energy(VidaStepper* stepper, VidaError* error);
/* Returns the energy (J) that relaxed constraints without damping store as springs, g^2 / 2 over
 * their compliance; it is no part of the energy of the system (verdict.c). */
double vida__stored_energy(const VidaStepper* stepper);
/* Checks the energy of a conservative system that a symplectic step has led to or past a singular
 * configuration, where its equations have several solutions. Fails with OTHER_BRANCH if it is far
 * from that of the start. */
int vida__check_passage(VidaStepper* stepper, VidaError* error);
/* Returns whether vida__check_energy accepts momenta p (n) without a look at the energy
 * (verdict.c). */
bool vida__is_energy_usual(const VidaStepper* stepper, const double* p);
/* Makes the stepper able to compute the discrete action of its steps. Returns false if its method
 * does not know it (state.c). */
bool vida__request_action(VidaStepper* stepper);
/* Computes the discrete action (J s) of the last step (state.c). Fails with VIDA_NOT_SUPPORTED if
 * the method does not know it for this system. */
int vida__step_action(VidaStepper* stepper, double* action, VidaError* error);
/* Computes how far velocities v (n) and the forces at the start move the coordinates in a time h
 * (s): x (n) (verdict.c). */
void vida__measure_displacements(const VidaIntegration* self, double h, const double* v, double* x);
/* Checks velocities v (n) at the node. Fails with CONSTRAINT_VIOLATED if the method claims to keep
 * G v + g_t = 0 and v violates it by more than the allowed error. */
int vida__check_velocities(VidaStepper* stepper, const double* v, VidaError* error);
/* Returns the largest |G v + g_t| for which vida__check_velocities accepts any velocities. */
double vida__unsuspicious_velocity(const VidaStepper* stepper);
/* Adds to `error` the known reasons for a failed step: a constraint jumps, the motion was unbounded
 * before, or a singular configuration is near. For a step that ends on another branch, adds what to
 * try (failure.c). */
void vida__explain_failure(VidaStepper* stepper, VidaError* error);
/* A violated constraint that deserves a remark but does not end the step; all zero: none. */
typedef struct vida_violation {
  bool is_found;
  int row;           /* of the constraint */
  double t;          /* time of the node, s */
  double part;       /* the violation exceeds this multiple of its size or length */
  bool is_of_length; /* `part` is a part of the length of the row, not of its size */
  bool is_velocity;  /* velocities violate it by more than its size per step */
  bool is_loose;     /* velocities violate it by more than `part` of the speeds of its row */
  VidaRemedy remedy; /* what to try besides a smaller step or rtol */
} vida_violation;
/* Finds the constraint that is violated most at the node, by positions or else by velocities, if
 * the violation deserves a remark and the method makes no claim on the constraint. */
int vida__find_violation(VidaStepper* stepper, vida_violation* violation, VidaError* error);
/* Finds the constraint whose hidden constraint the velocities v (n) at the node violate most, if
 * the violation is a large part of the speeds in its row and the method makes no claim on it.
 * `speeds` (m, zero before the first call) keeps the largest sum of |G v| of each row so far, so
 * that a violation when the motion turns around is not large beside a speed near zero. */
int vida__find_loose_velocities(VidaStepper* stepper, const double* v, double* speeds,
                                vida_violation* violation, VidaError* error);
/* Returns whether an energy (J) is so far above that of the start that a motion which fails was
 * already unbounded (verdict.c). */
bool vida__is_unbounded(const VidaStepper* stepper, double energy);
/* Fails with UNBOUNDED; `what` is the name of the energy (verdict.c). */
int vida__fail_unbounded(const VidaStepper* stepper, const char* what, double energy,
                         VidaError* error);
/* Appends "step is too large: try less than h = 0.1", or the like with rtol (verdict.c). */
void vida__append_smaller(const VidaStepper* stepper, char* text, size_t size);
/* Appends ", or OPTION = VALUE, or METHOD"; omits parts that the remedy does not have. */
void vida__append_remedy(const VidaRemedy* remedy, char* text, size_t size);

#endif
