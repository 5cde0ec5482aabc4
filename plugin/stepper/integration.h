/* The integration of one system by one method, as the methods of the library see it, and functions
 * that methods share.
 *
 * Methods read the model and write the node; their own data is in `state`. They do not see the
 * frame (frame.h): the time grid of the run, the watch of branches, interrupts, jumps in time, and
 * the history of the checks. */
#ifndef VIDA_STEPPER_INTEGRATION_H
#define VIDA_STEPPER_INTEGRATION_H

#include <vida/method.h>

#include "base/exact_sum.h"
#include "base/linear.h"
#include "base/state_record.h"
#include "solve/implicit_map.h"
#include "system/constraints/equations.h"
#include "system/constraints/rank.h"
#include "system/constraints/reactions.h"
#include "system/evaluate/evaluate.h"

enum { VIDA_HISTORY = 6 };

/* The unknowns of the last steps (predictor.c). */
typedef struct vida_history {
  double* difference[VIDA_HISTORY]; /* n + m each: backward differences of order 0, 1, ... of the
                                     * unknowns; order 0: those of the last step */
  int count;                        /* of steps since the start, at most VIDA_HISTORY - 1 */
  int terms;                        /* the next extrapolation takes this number of differences */
} vida_history;

/* The system with its evaluator, and its sizes at the start. Methods only read it. */
typedef struct vida_model {
  const VidaSystem* system;
  vida_evaluator evaluator;
  SUNContext context;
  int n, m;
  bool has_increments; /* g(q1) - g(q0) is computed from discrete derivatives, without cancellation
                        */
  double* atol;        /* n: absolute tolerances of positions; NaN: not set */
  /* Sizes for scaling: square roots of the masses, row norms of G M^(-1/2), forces at the start. */
  double* root_mass;     /* n */
  double* inverse_root;  /* n: 1 / root_mass */
  double* row_stiffness; /* m */
  /* Sizes for matrices that are factored (light_masses.c): no mass is smaller than a small fraction
   * of the masses that constraints connect it to. */
  double* matrix_root;      /* n */
  double* matrix_stiffness; /* m */
  double* force_size;       /* n */
  double* extent;           /* n: sizes that positions had in earlier parts of the motion, or 0 */
  double tension;           /* largest multiplier at the start, times the stiffness of its row */
  double* value_size;       /* m: sizes of the terms of g, which bound its rounding */
  double* reach;            /* m: sizes that violations of g are compared with */
  vida_linear* node_matrix; /* matrix of the projection of momenta at a node */
  /* The factors of a constant mass matrix that is not diagonal, with 1 on the diagonal of the
   * constraints; otherwise NULL. */
  vida_linear* mass_matrix;
  bool has_singular_mass; /* mass_matrix could not be factored */
  /* Rows that depend on others at the start, for which multipliers have the least norm. */
  vida_rank* rank;           /* NULL: too many constraints share a coordinate */
  double* redundancy;        /* m: shifts that regularize the diagonal of constraint rows */
  double* least_norm;        /* m: work space */
  bool redundant;            /* some rows depend on others */
  bool has_open_reactions;   /* and a force depends on a multiplier that is not unique */
  vida_reactions* reactions; /* for accelerations; NULL: no force depends on a multiplier */
} vida_model;

/* The parts of step equations M w + base + kappa G0^T mu = 0, g(q1) = 0 in which neither base nor
 * kappa depends on the unknowns: such equations can be condensed (condensed_step.h). */
typedef struct vida_step_form {
  const double* base;  /* n; NULL: the equations have another form */
  const double* kappa; /* for systems with constant diagonal masses */
  /* p1 = p0 + h (start_force f(q0) + end_force f(q1)) - kappa G0^T mu, with -base = p0 + h
   * start_force f(q0); if it projects, - G1^T nu, so that G1 M^-1 p1 = 0. */
  double start_force, end_force;
  bool projects;
  void (*enter)(
      VidaIntegration* self); /* sets kappa for the steps from the node; NULL: no change */
  double* w;                  /* n: where the method keeps w of its last step, and */
  double* impulse;            /* m: nu of its last projection */
  /* For methods whose momenta follow from a history of steps instead. `begin` computes base for the
   * step from the node; it fails for a step of another form. `end` adds the step to the history,
   * from w and G0^T mu (n each); `find_momenta` computes p at the node, where it is needed.
   * `history` is what they change, and what a step that is taken back restores. All NULL: none. */
  int (*begin)(VidaIntegration* self);
  void (*end)(VidaIntegration* self, const double* w, const double* reaction);
  void (*find_momenta)(VidaIntegration* self);
  double* history;
  size_t history_size;
  /* Equations of energy-momentum instead: start_force = end_force = 1/2, kappa = 1, and G^T mu
   * along the mean gradients of both nodes (distance_energy.h). `pattern` is that of the matrix of
   * the multipliers. */
  bool is_mean;
  const vida_pattern* pattern;
  const VidaStatistics* spent; /* evaluations of other steppers of the method; nullable */
} vida_step_form;

typedef struct vida_condensed vida_condensed;           /* condensed_step.h */
typedef struct vida_distance_steps vida_distance_steps; /* distance_steps.h */

/* A method's own way to solve the equations of its steps, tried where the guess is extrapolated and
 * before Newton's method for all unknowns. */
typedef struct vida_step_plan {
  const char* name; /* VidaStepPlan.name */
  const vida_linear* linear;
  /* Solves the equations for self->implicit.unknown, which contains the guess, and tells the map
   * the solution (vida__map_accept). Returns whether that succeeded; if not, the unknowns do not
   * change. */
  bool (*solve)(VidaIntegration* self);
} vida_step_plan;

/* The implicit equations of a step in increments, u = (w, mu), w = (q1 - q0)/h, mu = h lambda. */
typedef struct vida_implicit {
  /* The rows of the map, and the function that prepares a step. By default these are the rows of
   * the KKT pattern and vida__prepare_step; the method's `create` may replace them. */
  vida_map_rows rows;
  bool has_doubled_rows; /* those of the KKT pattern twice (methods/energy/energy_projected.h) */
  int (*prepare)(VidaIntegration* self, VidaError* error);
  vida_map* map;             /* NULL for methods without implicit equations */
  vida_step_form form;       /* set by the method's `create`, if its equations have this form */
  vida_condensed* condensed; /* NULL: the equations are always solved with all unknowns */
  vida_distance_steps* distances; /* NULL: some constraint is not a distance */
  bool is_condensed_step;         /* the condensed equations have solved the last step */
  const vida_step_plan* plan;     /* of this motion, set by the method's `start`; or NULL */
  bool is_planned_step;           /* `plan` has solved the last step */
  bool is_nesting;                /* other steppers make the steps (nested.h) */
  double tolerance;               /* of the scaled residual */
  double scaled_for;              /* size of the motion for which the scales were set; 0: not set */
  double* unknown;                /* n + m */
  vida_history history;
  int last_turn;  /* how far constraint gradients turned in the last step (implicit_step.c) */
  double* g0;     /* m: g at the node */
  double* g_node; /* m: g at the node as computed by the frame, if has_g_node */
  bool has_g_node;
  double* g_tracked; /* m: g at the node as the sum of increments, if has_tracked */
  bool has_tracked;
  /* The entries of G at the node that the step has reached, until the next step is prepared; if
   * has_entries_next. */
  double* entries_next;
  bool has_entries_next;
  double* entries0;       /* entries of G at the node */
  double* entries_before; /* entries of G at the last node; undefined in the first step */
  bool is_repeated;       /* the next step begins at the node of entries0, not at the next one */
} vida_implicit;

/* Steps of a method that need no check in between (motion.c), besides calm ones of distances. All
 * NULL: none. */
typedef struct vida_step_series {
  /* Makes at most `most` steps from the node as the method does, and returns their number; 0 leaves
   * the next one to the method. node.step does not change. Ends as calm steps do (make_series). If
   * *is_broken, the step after them has failed, and the caller takes them back. */
  long (*make)(VidaIntegration* self, long most, bool* is_broken);
  /* Keeps the method's own state before a series, and restores it. */
  void (*keep)(VidaIntegration* self);
  void (*take_back)(VidaIntegration* self);
} vida_step_series;

/* A part of the method's own state that its steps change. */
typedef struct vida_kept_part {
  void* at;
  size_t size; /* bytes */
} vida_kept_part;

enum { VIDA_KEPT_PARTS = 8 };

/* Work space. Its contents are valid only within one call. */
typedef struct vida_workspace {
  double* entries;         /* entries of G */
  double* q1;              /* n: positions at the end of the step */
  double* dq;              /* n: q1 - q0 */
  double* place;           /* n: a point between the nodes */
  double* l_q;             /* n */
  double* l_v;             /* n */
  double* g_work;          /* m */
  double* node_step;       /* n + m */
  double* constraint_work; /* m */
  double* mass_work;       /* n + m */
  double* speed;           /* n: sizes of velocities */
} vida_workspace;

/* Fails with VIDA_NOT_SUPPORTED because of a property of the system, not of the options.
 * VidaStepper_Create then adds the methods that accept the system to the message. */
#define VIDA_SYSTEM_REFUSED "SYSTEM_REFUSED"
#define VIDA_REFUSE_SYSTEM(error, ...) \
  vida__fail_flag(error, VIDA_NOT_SUPPORTED, VIDA_SYSTEM_REFUSED, __VA_ARGS__)

/* The integration of one system by one method. */
struct VidaIntegration {
  const VidaMethod* method;
  const VidaOptions* options;
  vida_services* services; /* of the program, for the stepper and those nested in it; or NULL */
  void* state;             /* the method's own, freed with free() after `destroy` */
  vida_model model;
  VidaNode node;
  vida_implicit implicit;
  vida_step_series series;              /* set by the method's `create` */
  vida_kept_part kept[VIDA_KEPT_PARTS]; /* of vida__keep_in_steps */
  int kept_count;
  vida_workspace work;
  VidaStatistics statistics;
  bool continues;    /* this start continues a motion, after a jump in time */
  bool adaptive;     /* the method chooses its own steps within h, and counts them itself */
  unsigned given_up; /* capabilities that the method does not have with these options */
  int ahead;         /* 1 while the step after the requested one is computed */
  bool one_step; /* a stage of a composition: it satisfies g = 0 and G v + g_t = 0 at both ends */
  bool needs_action;       /* VidaMethod.action will be called: compositions add up their stages' */
  bool corrects_positions; /* the steps solve g = 0, also after a start that violates it */
  bool reports_motion; /* the method reports its own steps between nodes (vida__follow_motion) */
  bool reacts_between; /* constraint forces are not along G at the node where the step starts */
  /* Set by `create` of methods with constant masses and p = M v whose equations have other
   * solutions than the motion where constraints turn far: how much of a turn (rad) the rates at
   * both nodes may leave unexplained in a step (turn_check.c). 0: not checked. */
  double turn_limit;
  bool is_relaxed_row; /* some position constraint is relaxed */
  /* The energy (J) that impacts with restitution have brought in the last step of a method of time
   * stepping (vida__closed_gain); 0 for other methods. */
  double impact_gain;
  const double* softness; /* m: subtracted from the diagonal of constraint rows; NULL: nothing */
  const double* yielding; /* m: deflection of relaxed constraints under load; NULL: nothing */
};

/* The flag and the message of a step that ends on another branch of the constraints. */
#define VIDA_OTHER_BRANCH "OTHER_BRANCH"
#define VIDA_OTHER_BRANCH_TEXT                                                                   \
  "the solution of the step lies on another branch of the constraints, which cannot be reached " \
  "without passing a singular configuration"

/* The flag of a step in which a constraint turns farther than the method resolves. */
#define VIDA_TURN_TOO_FAR "TURN_TOO_FAR"

/* Sets self->turn_limit of a method whose positions are polynomials of this degree in a step, if
 * the check understands the system: its masses are constant (turn_check.c). */
void vida__limit_turns(VidaIntegration* self, int degree);

/* For the method's `create`: lets the frame keep a part of the method's own state before each step,
 * and restore it after one that fails or is rejected (motion.c). The method's `undo` comes before.
 */
void vida__keep_in_steps(VidaIntegration* self, void* at, size_t size);

/* ---- interrupts (interrupt.c) ---- */

/* Asks whether to continue. Returns 0, or a negative code; the method must then end the step with
 * this code as soon as possible. The frame restores the state and writes the message. Methods call
 * it between their own steps; Newton's method of a map calls it by itself. `reached` is the time of
 * the newest own state (s). */
int vida__interrupted(VidaIntegration* self, double reached);
/* Checks whether the motion can reach q (n) at the end of the step on the same branch of the
 * constraints, from the last reported point. Fails with OTHER_BRANCH (branch_watch.c). */
int vida__check_branch(VidaIntegration* self, const double* q, VidaError* error);
/* Reports the state q, v (n each) at the time t (s) after one of the method's own steps. Fails with
 * OTHER_BRANCH if the motion cannot reach it on the same branch of the constraints
 * (branch_watch.c). */
int vida__follow_motion(VidaIntegration* self, double t, const double* q, const double* v,
                        VidaError* error);
/* Returns whether the next step of a series may follow before the frame has checked the node, whose
 * positions are q (n): the watch has looked there, or need not (branch_watch.c). */
bool vida__passes_node(VidaIntegration* self, const double* q);
/* Checks the point q (n) at the time t (s) as vida__follow_motion does, without reporting it. */
int vida__check_motion(VidaIntegration* self, double t, const double* q, VidaError* error);
/* Makes an evaluator that belongs to the method evaluate formulas on the same side of jumps in time
 * as the integration does (jumps.c). */
void vida__follow_segment(const VidaIntegration* self, vida_evaluator* evaluator);
/* Makes equations (NULL is allowed) that belong to the method evaluate formulas on the same side of
 * jumps in time as the integration does (jumps.c). */
void vida__follow_equations(const VidaIntegration* self, vida_equations* equations);

/* Flags of steps that violate a constraint: UNBOUNDED if the method does not claim to keep it,
 * CONSTRAINT_VIOLATED if it does. */
#define VIDA_UNBOUNDED "UNBOUNDED"
#define VIDA_CONSTRAINT_VIOLATED "CONSTRAINT_VIOLATED"
/* Flags of a step during which a constraint, or the force of a potential, is discontinuous. */
#define VIDA_CONSTRAINT_JUMPS "CONSTRAINT_JUMPS"
#define VIDA_ANGLE_WRAPS "ANGLE_WRAPS"
/* ---- functions for methods (implicit_step.c) ---- */

/* Makes steps of a series (vida_step_series) by this function of the method, which returns 0 or a
 * code, without a check in between: at most `most`, up to the next one whose index is a multiple of
 * VIDA_CALM_STEPS or that the watch of branches must look at. Returns their number (motion.c). */
long vida__make_series(VidaIntegration* self, long most, int (*step)(VidaIntegration* self),
                       bool* is_broken);
#define VIDA_STEP_NAME_SIZE 160
/* Writes the name of the step that the caller of the outermost stepper requested, "step 3 from t =
 * 0.2", and the position within it. Returns `text`. */
char* vida__name_step(const VidaIntegration* self, char text[VIDA_STEP_NAME_SIZE]);
/* Returns the step h (s) of the outermost stepper. */
double vida__requested_step_size(const VidaIntegration* self);
/* Returns the time of the node, t0 + k h (s). */
double vida__node_time(const VidaIntegration* self);
/* Returns the time after the step, t0 + (k + 1) h (s). */
double vida__next_time(const VidaIntegration* self);
/* Computes place (n) = q + c h w. */
void vida__find_place(const VidaIntegration* self, const double* w, double c, double* place);
/* Returns the time t0 + (k + c) h (s) of the point of vida__find_place. */
double vida__place_time(const VidaIntegration* self, double c);
/* Adds h w (n) to the positions of the node. */
void vida__advance_positions(VidaIntegration* self, const double* w);
/* Adds weight G^T mu to the momenta of the node, term by term: equal and opposite impulses then
 * cancel exactly, however many act on one particle. `entries` are those of G. */
void vida__add_impulses(VidaIntegration* self, const double* entries, double weight,
                        const double* mu);
/* Appends the unknowns that the masses and constraints at the node do not determine; see
 * vida__append_singular. */
bool vida__append_undetermined(VidaIntegration* self, char* text, size_t size);
/* Fails with VIDA_NOT_SUPPORTED unless the mass matrix is constant and regular, and forces depend
 * on positions and time only: for VIDA_CAN_POSITION_FORCES (position_forces.c). */
int vida__check_position_forces(VidaIntegration* self, VidaError* error);
/* Computes self->model.matrix_root and matrix_stiffness from the masses and from G at the start in
 * self->work.entries. */
void vida__raise_light_masses(VidaIntegration* self);
/* Checks coordinates with no mass or a very small one. Fails with VIDA_STEP_SINGULAR and their
 * names if neither constraints nor forces determine their motion. */
int vida__check_massless(VidaIntegration* self, VidaError* error);
/* Appends to the message of a failed step which coordinates are very light; appends nothing if
 * there are none. */
void vida__append_light_coordinates(const VidaIntegration* self, VidaError* error);
/* Returns whether coordinate i is so light, compared with those that constraints connect it to,
 * that rounding dominates the force on it. Constraints then determine its velocity, instead of p /
 * m. */
bool vida__is_light_coordinate(const VidaIntegration* self, int i);
/* Returns whether some coordinate is so light, or has no mass. */
bool vida__has_light_coordinates(const VidaIntegration* self);
/* Returns the size of position i at a start: its value, or a larger one that it had earlier. */
static inline double vida__position_size(const VidaIntegration* self, int i) {
  const double here = self->node.q[i] < 0.0 ? -self->node.q[i] : self->node.q[i];
  return here > self->model.extent[i] ? here : self->model.extent[i];
}
/* Computes the sizes for scaling from the initial state. Fails for a coordinate without mass. */
int vida__measure_sizes(VidaIntegration* self, VidaError* error);
/* Sets the scaling of the unknowns and rows of the map, for the motion at the node. */
void vida__set_scales(VidaIntegration* self);
/* Returns whether the constraints are among the rows of the map. */
bool vida__has_constraint_rows(const VidaIntegration* self);
/* Computes strength (n): the size of the forces on each coordinate before they cancel, including
 * those of the multipliers lambda (m) and the effect of the rounding of multipliers. `entries` are
 * those of G. */
void vida__measure_uncancelled_forces(VidaIntegration* self, const double* entries,
                                      const double* lambda, double* strength);
/* Gives all components of a point or direction the largest of their sizes; size: n. */
void vida__share_sizes(const VidaSystem* system, double* size);
/* Calls vida__raise_row_sizes with the masses of the start. Overwrites self->work.place. */
void vida__raise_sizes(VidaIntegration* self, const double* entries, const double* x, double part,
                       double* sizes);
/* Computes the sizes of the rows of a map: |p| + |M w| + h |force| + |G^T mu| by particles, and for
 * constraints the product of |G| with the velocities: for VidaStepEquations.sizes. */
void vida__step_sizes(void* data, const double* u, double* size);
/* Computes the sizes (m) of the constraint rows of a map, with the velocities w (n) of the step. */
void vida__constraint_row_sizes(const VidaIntegration* self, const double* w, double* size);
/* Replaces u by a step without constraint forces: for VidaStepEquations.second_guess. From mu = 0
 * Newton's method finds the nearest solution; from a distant guess it may find another one, in
 * which a rod has turned over. */
void vida__guess_free_flight(void* data, double* u);
/* Computes p = M v (n each) for systems with a constant mass matrix. */
int vida__apply_mass(VidaIntegration* self, const double* v, double* p);
/* Computes v = M^-1 p (n each) for systems with a constant mass matrix; v may be p. */
int vida__solve_mass(VidaIntegration* self, const double* p, double* v);
/* Returns the size of the motion, the square root of twice an energy per coordinate: the largest of
 * |p|, h |force| and the constraint impulses, each divided by the square root of its mass. It
 * scales rows and unknowns, so that tolerances do not depend on units. */
double vida__measure_motion(const VidaIntegration* self);
/* Returns the size of a constraint row, g/h at the end of a step, in a motion of this size. */
double vida__constraint_size(const VidaIntegration* self, int row, double motion);
/* Evaluates g and G at the node into g0 and entries0. */
int vida__prepare_node(VidaIntegration* self, VidaError* error);
/* Computes the entries of G at the node that the step has reached, at the time t (s) after it, once
 * per step. *entries points to them until the next step is prepared. */
int vida__jacobian_after_step(VidaIntegration* self, double t, const double** entries);
/* Approximate squared angles by which the gradient of a constraint turns between two points. A turn
 * below the first one is not checked; a turn above the second one may be a jump to another branch
 * (1.8 and 18 degrees). */
#define VIDA_HARDLY_TURNED 1e-3
#define VIDA_FAR_TURNED 0.1
/* Returns how far constraint gradients turn between two points with these entries of G: the largest
 * squared change relative to the squared gradient. With `sizes` (m, nullable), relative to the
 * largest squared gradient so far, which `sizes` holds and the function updates; a vanishing
 * gradient then does not count as a turn. */
double vida__largest_turn(const VidaSystem* system, const double* before, const double* after,
                          double* sizes);
/* Returns the number of rows that depend on others at the start. *rows (nullable) receives their
 * indices, which belong to the integration. */
int vida__dependent_rows(const VidaIntegration* self, const int** rows);
/* Returns whether the integration makes steps for an outer method (nested.h). */
bool vida__is_nested(const VidaIntegration* self);
/* Finds the rows that depend on others, from the values of G in self->work.entries. */
int vida__find_redundancy(VidaIntegration* self, VidaError* error);
/* Prepares the solution of a step: evaluates g and G at the node, and sets the guess and the
 * scales. */
int vida__prepare_step(VidaIntegration* self, VidaError* error);
/* Solves the equations of a step for self->implicit.unknown, and adds the solution to the history.
 * The message of a failure names the step, its time and what to try. */
int vida__solve_step(VidaIntegration* self, VidaError* error);
/* Adds the numbers of iterations and evaluations. */
void vida__add_evaluations(VidaStatistics* to, const VidaStatistics* more);
/* Updates the numbers of iterations and evaluations in the statistics. */
void vida__count_evaluations(VidaIntegration* self);
/* Sets self->implicit.unknown to an extrapolation of the last unknowns, of which there must be one
 * at least. */
void vida__extrapolate_unknown(VidaIntegration* self);
/* Adds self->implicit.unknown to the last unknowns. */
void vida__remember_unknown(VidaIntegration* self);
/* Forgets the unknowns of the last step, which has been taken back; the other ones remain. */
void vida__return_unknown(VidaIntegration* self);
/* Exchanges the last unknowns for another history. */
void vida__swap_history(VidaIntegration* self, vida_history* history);
/* Multiplies the impulses of the last unknowns by `ratio`, for steps of another length. */
void vida__scale_history(VidaIntegration* self, double ratio);
/* Copies the last unknowns, and g at the node that was computed from them. */
void vida__copy_history(const VidaIntegration* from, VidaIntegration* to);
/* Makes a matrix of the KKT pattern regular where constraints depend on each other: subtracts
 * self->model.redundancy from the diagonal of their rows. */
void vida__subtract_redundancy(const VidaIntegration* self, double* matrix);
/* Visits counts (statistics.c). */
void vida__record_statistics(VidaStatistics* statistics, VidaRecord* record);
/* Visits a history of `size` unknowns. */
void vida__record_history(vida_history* history, size_t size, VidaRecord* record);
/* Deletes the last unknowns. */
void vida__forget_history(VidaIntegration* self);
/* Replaces values g (m) at the node, evaluated `steps` steps after the last ones, by the sums of
 * its increments where these have less rounding, corrected by the evaluated ones. */
void vida__take_tracked_constraints(const VidaIntegration* self, int steps, double* g);
/* Deletes g at the node that was computed from the last unknowns. */
void vida__forget_constraints(VidaIntegration* self);
/* Computes the velocities at the node, once per node. *v (n) points to them. */
int vida__node_velocities(VidaIntegration* self, const double** v, VidaError* error);
/* Computes self->model.reach for the start from its sizes and from G in self->work.entries. */
void vida__measure_row_scales(VidaIntegration* self);
/* Copies the failure of an evaluation to `error`, and returns its code. */
int vida__evaluation_failed(VidaIntegration* self, int code, VidaError* error);
/* Computes self->node.lambda from the equations of motion at the node: VidaMethod.multipliers of
 * methods whose steps have no multipliers (node.c). */
int vida__node_multipliers(VidaIntegration* self, VidaError* error);
/* Computes accelerations a (n) and multipliers lambda (m) of the equations of motion at (t,q,v)
 * (node.c). self->work.entries receives G there. */
int vida__accelerations(VidaIntegration* self, double t, const double* q, const double* v,
                        double* a, double* lambda);
/* A part of a step that is shorter than this fraction of the step is replaced by a Taylor
 * polynomial: rounding would dominate the increments of a step there, and the error of the
 * polynomial is of third order in the part. */
#define VIDA_SHORTEST_PART 1e-6
/* Advances q and v (n each) from t by such a part, `way` (s). Returns false, without a change, if
 * the equations of motion have no solution (node.c). */
bool vida__advance_shortly(VidaIntegration* self, double t, double way, double* q, double* v);
/* Copies the positions and velocities at the node to q and v (n each) (node.c). */
int vida__copy_state(VidaIntegration* self, double* q, double* v, VidaError* error);
/* Computes self->model.tension from the equations of motion at the start; 0 if they have no
 * solution. */
void vida__measure_tension(VidaIntegration* self);
/* Returns the size of the kinetic energy (J) at the node, from its velocities if they are known,
 * otherwise from the masses at the start (node.c). */
double vida__kinetic_size(const VidaIntegration* self);
/* Returns the size of the potential energy (J) at the node, the sum of |force| |position|, which
 * does not depend on the zero of the potential (node.c). */
double vida__potential_size(const VidaIntegration* self);
/* Returns the least energy (J) that counts as a motion during `time` (s): the kinetic energy of
 * moving each coordinate by a small fraction of its size, angles by a small fraction of 1 rad; 0 if
 * all coordinates are 0. */
double vida__rest_energy(const VidaIntegration* self, double time);
/* Computes the energy at the node with its velocities: VidaMethod.energy of most methods (node.c).
 */
int vida__node_energy(VidaIntegration* self, double* value, double* t, VidaError* error);
/* Computes the energy in the middle of the last step, at q - h w / 2 with the velocities w (n)
 * (node.c). */
int vida__midpoint_energy(VidaIntegration* self, const double* w, double* value, double* t,
                          VidaError* error);
/* A discrete Lagrangian on the straight line from q0 to q1, h sum_i b_i L(q0 + c_i h w, w). */
typedef struct vida_line_rule {
  int places;
  double b[2], c[2];
} vida_line_rule;

/* Computes it for the last step, which began at t (s), with its velocity w (n): for
 * VidaMethod.action (node.c). */
int vida__line_action(VidaIntegration* self, const vida_line_rule* rule, double t, const double* w,
                      double* action, VidaError* error);
/* Factors the matrix of vida__project_velocity at the node, so that the first projection allocates
 * nothing. */
int vida__factor_node_matrix(VidaIntegration* self, const double* entries, const double* v);
/* Assembles the matrix of vida__project_velocity at (t,q,v), without shifts of constraint rows, in
 * self->model.node_matrix. */
int vida__assemble_matrix_at(VidaIntegration* self, double t, const double* q,
                             const double* entries, const double* v);
/* Factors the matrix of vida__project_velocity at (t,q,v). */
int vida__factor_matrix_at(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* v);
/* For vida__begin_reactions, of systems with forces that depend on multipliers. */
void vida__take_reactions(VidaIntegration* self, const double* mu, double h);
/* From here on, forces that depend on multipliers take mu / h for these (mu has m components; h = 1
 * for multipliers themselves); without such forces, does nothing. */
static inline void vida__begin_reactions(VidaIntegration* self, const double* mu, double h) {
  if (self->model.reactions) {
    vida__take_reactions(self, mu, h);
  }
}
/* From here on, multipliers are not known. */
static inline void vida__end_reactions(VidaIntegration* self) {
  self->model.evaluator.multipliers = NULL;
}
/* Computes the multipliers of least norm with the same forces G^T mu into self->model.least_norm.
 * The node matrix must have been factored for these entries of G. */
int vida__find_least_norm(VidaIntegration* self, const double* entries, const double* mu);
/* Computes v with L_v(q,v,t) + G^T nu = p and G v + g_t = 0 at (q,t), with G in `entries`. v (n)
 * contains a guess on entry and the solution on return; nu (m, nullable) receives the impulse. */
int vida__project_velocity(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* p, double* v, double* nu, VidaError* error);
/* Projects v (n) at (t,q) on G v + g_t = 0 by an impulse of the constraints, with G in
 * self->work.entries; self->node.p receives the momenta before it (node.c). */
int vida__project_rates(VidaIntegration* self, double t, const double* q, double* v,
                        VidaError* error);
/* Projects the momenta of the node that a step has reached, at the time t (s), on G v + g_t = 0,
 * and computes its velocities; nu (m) receives the impulse of the constraints (node.c). */
int vida__project_node(VidaIntegration* self, double t, double* nu, VidaError* error);

#endif
