/* One method at work, as methods of the library see it, and what they have in common.
 *
 * Methods read the model and fill the node; what is their own hangs on `state`. They do not see the
 * frame (frame.h): clock of the run, watches, interrupts, jumps in time, history of the checks. */
#ifndef VIDA_STEPPER_INTEGRATION_H
#define VIDA_STEPPER_INTEGRATION_H

#include <vida/method.h>

#include "base/linear.h"
#include "solve/map.h"
#include "system/constraints/rank.h"
#include "system/evaluate/equations.h"
#include "system/evaluate/evaluate.h"

enum { VIDA_HISTORY = 3 };

/* The system, ready to be evaluated, and its sizes at the start. Methods read it. */
typedef struct vida_model {
  const VidaSystem* system;
  vida_evaluator evaluator;
  SUNContext context;
  int n, m;
  bool has_increments; /* g(q1) - g(q0) comes from discrete derivatives, without cancellation */
  double* atol;        /* n: absolute tolerances of positions; NaN where none was set */
  /* Sizes for scaling: square roots of the masses, |G| M^(-1/2) by rows, forces of the start. */
  double* root_mass;     /* n */
  double* inverse_root;  /* n: 1 / root_mass */
  double* row_stiffness; /* m */
  /* Sizes for matrices that are to be factored (light_masses.c): no mass is below a small part of
   * those that constraints join it to. */
  double* matrix_root;      /* n */
  double* matrix_stiffness; /* m */
  double* force_size;       /* n */
  double tension;           /* largest multiplier at the start, times the stiffness of its row */
  double* value_size;       /* m: sizes by which rounding of g is measured */
  double* reach; /* m: sizes by which a violation is measured, those of what g compares */
  vida_linear* node_matrix; /* for projections of the momentum at a node */
  /* The factors of a constant mass matrix that is not diagonal (the diagonal of the constraints is
   * 1); else NULL. */
  vida_linear* mass_matrix;
  bool has_singular_mass; /* mass_matrix could not be factored */
  /* Rows that depend on others at the start: multipliers are then of least norm. */
  vida_rank* rank;    /* NULL: too many constraints meet for it to be found */
  double* redundancy; /* m: what regularizes the diagonal of constraint rows */
  double* least_norm; /* m: work */
  bool redundant;
} vida_model;

/* The implicit equations of a step in increments, u = (w, mu), w = (q1 - q0)/h, mu = h lambda. */
typedef struct vida_implicit {
  /* The rows of the map and what makes them ready for a step: those of the KKT pattern and
   * vida__prepare_step, unless the method's `create` has others. */
  vida_map_rows rows;
  int (*prepare)(VidaIntegration* self, VidaError* error);
  vida_map* map;                 /* NULL of methods without implicit equations */
  double tolerance;              /* of the scaled residual */
  double scaled_for;             /* the size of motion that the scales were set for; 0: not yet */
  double* unknown;               /* n + m */
  double* history[VIDA_HISTORY]; /* the last unknowns, newest first */
  int history_count;
  int last_turn;  /* how far constraints have turned in the last step (implicit_step.c) */
  double* g0;     /* m: g at the node */
  double* g_node; /* m: g at the node as the frame has found it, where has_g_node */
  bool has_g_node;
  double* g_tracked; /* m: g at the node from the increments of the last step */
  bool has_tracked;
  double* entries0;       /* of G at the node */
  double* entries_before; /* of G at the node before; meaningful from the second step on */
} vida_implicit;

/* Work space; nothing in it outlives a call. */
typedef struct vida_workspace {
  double* entries;         /* of G */
  double* q1;              /* n: where the step leads */
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

/* A refusal because of what the system has, whatever the options are: what was asked for the
 * stepper adds which methods can take it. */
#define VIDA_SYSTEM_REFUSED "SYSTEM_REFUSED"
#define VIDA_REFUSE_SYSTEM(error, ...) \
  vida__fail_flag(error, VIDA_NOT_SUPPORTED, VIDA_SYSTEM_REFUSED, __VA_ARGS__)

struct VidaIntegration {
  const VidaMethod* method;
  const VidaOptions* options;
  void* state; /* the method's own, freed with free() after `destroy` */
  vida_model model;
  VidaNode node;
  vida_implicit implicit;
  vida_workspace work;
  VidaStatistics statistics;
  bool adaptive;       /* the method chooses its own steps within h, and counts them itself */
  unsigned given_up;   /* of its capabilities: those that it has not with these options */
  int ahead;           /* 1 while the step after the one asked for is found */
  bool one_step;       /* a stage of a composition: begins and ends on both levels of constraints */
  bool reports_motion; /* the method reports steps of its own between nodes (vida__follow_motion) */
  bool reacts_between; /* constraint forces are not along G at the node that the step starts from */
  bool gives_way;      /* some position constraint is relaxed */
  const double* softness; /* m: less on the diagonal of its constraints; NULL: nothing */
  const double* yielding; /* m: by how much constraints give way to their forces; NULL: nothing */
};

/* Rows that several of the tables below have. */
#define VIDA_LINEAR_SOLVER_ROW                                                           \
  {                                                                                      \
    "linear_solver", VIDA_OPTION_CHOICE, "", 0.0, 0.0, 2.0, false, "auto|dense|klu",     \
        "Linear solver inside Newton's method; auto takes KLU for large sparse systems." \
  }
#define VIDA_MAX_STEPS_ROW                                              \
  {                                                                     \
    "max_steps", VIDA_OPTION_INTEGER, "1", 1e6, 1.0, 1e12, false, NULL, \
        "Largest number of steps between two output states."            \
  }
/* Of methods that take rtol; what they ask is self->model.atol. */
#define VIDA_ATOL_ROW(by_default)                                                                 \
  {                                                                                               \
    "atol", VIDA_OPTION_BY_COORDINATE, "", NAN, 0.0, INFINITY, true, NULL,                        \
        "Absolute tolerance of positions, in their unit; by default " by_default                  \
        ". For single coordinates { theta = 1e-8 }, with a value for all others { 1e-6, theta = " \
        "1e-8 }. Tolerances of velocities are proportional to it."                                \
  }
/* Of an implicit map. */
#define VIDA_MAP_ROWS                                                                            \
  {"tolerance",                                                                                  \
   VIDA_OPTION_REAL,                                                                             \
   "1",                                                                                          \
   1e-14,                                                                                        \
   1e-15,                                                                                        \
   1e-3,                                                                                         \
   false,                                                                                        \
   NULL,                                                                                         \
   "Largest residual of the step equations, relative to the momenta and impulses of the step."}, \
      {"max_iterations",                                                                         \
       VIDA_OPTION_INTEGER,                                                                      \
       "1",                                                                                      \
       20.0,                                                                                     \
       1.0,                                                                                      \
       1000.0,                                                                                   \
       false,                                                                                    \
       NULL,                                                                                     \
       "Largest number of Newton iterations of a step before a line search."},                   \
      VIDA_LINEAR_SOLVER_ROW

/* Rows that all KINSOL-solved methods share, and rows that methods share which always choose their
 * own steps (`rtol` has a default there). */
extern const VidaOptionRow vida__common_options[];
extern const VidaOptionRow vida__adaptive_options[];
/* What the option `linear_solver` says (stepper.c). */
vida_solver vida__solver_of(const VidaOptions* options);
/* The flag and the message of a step that ends on another branch of the constraints. */
#define VIDA_OTHER_BRANCH "OTHER_BRANCH"
#define VIDA_OTHER_BRANCH_TEXT                                                 \
  "the solution of the step lies on another branch of the constraints, which " \
  "cannot be reached without passing a singular place"

/* ---- interrupts (interrupt.c) ---- */

/* Asks whether to go on: 0, or a negative code that the step must end with as soon as it can; the
 * frame puts the state back and writes the message. To be called between own steps of a method;
 * Newton's method of a map asks by itself. `reached`: the time of the newest own state. */
int vida__interrupted(VidaIntegration* self, double reached);
/* Whether the motion gets from the last place that was reported to q (n) at the time t on the same
 * branch of the constraints: vida__check_branch looks at the end of a step; methods with steps of
 * their own report each of them by vida__follow_motion, or look at a place on the way by
 * vida__look_at_motion, which reports nothing (branch_watch.c). Fail with OTHER_BRANCH. */
int vida__check_branch(VidaIntegration* self, const double* q, VidaError* error);
int vida__follow_motion(VidaIntegration* self, double t, const double* q, VidaError* error);
int vida__look_at_motion(VidaIntegration* self, double t, const double* q, VidaError* error);
/* Lets an evaluator, or one of equations (NULL: none), that a method has made for itself evaluate
 * formulas on the same side of jumps in time as the integration does (jumps.c). */
void vida__follow_segment(const VidaIntegration* self, vida_evaluator* evaluator);
void vida__follow_equations(const VidaIntegration* self, vida_equations* equations);

/* Flags of steps that leave a constraint: one that the method does not keep, one that it does. */
#define VIDA_UNBOUNDED "UNBOUNDED"
#define VIDA_CONSTRAINT_VIOLATED "CONSTRAINT_VIOLATED"
/* Flags of a step on whose way a constraint, or the force of a potential, is not continuous. */
#define VIDA_CONSTRAINT_JUMPS "CONSTRAINT_JUMPS"
#define VIDA_ANGLE_WRAPS "ANGLE_WRAPS"
/* ---- tools for methods (implicit_step.c) ---- */

#define VIDA_STEP_NAME_SIZE 160
/* "step 3 from t = 0.2", of the stepper that was asked for it, and where in it; returns `text`. */
char* vida__name_step(const VidaIntegration* self, char text[VIDA_STEP_NAME_SIZE]);
/* h of that stepper. */
double vida__asked_step_size(const VidaIntegration* self);
double vida__node_time(const VidaIntegration* self); /* t0 + k h */
double vida__next_time(const VidaIntegration* self); /* t0 + (k + 1) h */
/* sum += increment, keeping in `low` what rounding loses: as if with twice the digits, so that
 * equal and opposite increments leave nothing in a total even after millions of steps. */
void vida__add_compensated(double* sum, double* low, double increment);
/* place = q + c h w, and its time. */
void vida__find_place(const VidaIntegration* self, const double* w, double c, double* place);
double vida__place_time(const VidaIntegration* self, double c);
/* q += h w */
void vida__advance_positions(VidaIntegration* self, const double* w);
/* p += weight G^T mu, term by term: equal and opposite impulses leave nothing in the total, however
 * many act on one particle. */
void vida__add_impulses(VidaIntegration* self, const double* entries, double weight,
                        const double* mu);
/* Appends what masses and constraints of the node leave open, see vida__append_singular. */
bool vida__append_open(VidaIntegration* self, char* text, size_t size);
/* self->model.matrix_root and matrix_stiffness, from masses and G at the start in
 * self->work.entries. */
void vida__measure_light(VidaIntegration* self);
/* Of systems with coordinates without mass, or so light: VIDA_STEP_SINGULAR with their names where
 * neither constraints nor forces of positions say how they move. */
int vida__check_massless(VidaIntegration* self, VidaError* error);
/* Appends to the message of a step that failed which coordinates are so light; nothing where there
 * are none. */
void vida__explain_light(const VidaIntegration* self, VidaError* error);
/* Whether a coordinate is so light beside those that constraints join it to that the rounding of
 * their forces is no force for it: its velocity is one that constraints determine, not p / m. */
bool vida__is_light(const VidaIntegration* self, int i);
/* Sizes that scaling needs, from the start values; fails for a coordinate without mass. */
int vida__measure_sizes(VidaIntegration* self, VidaError* error);
/* strength (n): the forces of each coordinate before they cancel, those of the multipliers lambda
 * (m) among them, and what the forces that a row meets make of its multiplier's rounding. entries:
 * of G. */
void vida__measure_strength(VidaIntegration* self, const double* entries, const double* lambda,
                            double* strength);
/* Gives components of one point or direction the largest size among them (size: n). */
void vida__share_sizes(const VidaSystem* system, double* size);
/* The `sizes` of a map: |p| + |M w| + h |force| + |G^T mu| by particles, and for constraints what G
 * makes of the velocities. */
void vida__step_sizes(void* data, const double* u, double* size);
/* The `second_guess` of a map: a flight without constraints. From mu = 0 Newton's method finds the
 * nearest solution; from far away it may find another, in which a rod has turned over. */
void vida__guess_free_flight(void* data, double* u);
/* p = M v, for systems of constant mass; and v = M^-1 p, v may be p. */
int vida__apply_mass(VidaIntegration* self, const double* v, double* p);
int vida__solve_mass(VidaIntegration* self, const double* p, double* v);
/* The square root of twice an energy per coordinate: the largest of |p|, h |force| and impulses of
 * the constraints, each over the root of its mass. Rows and unknowns are measured by it, so that
 * tolerances do not depend on units. */
double vida__measure_motion(const VidaIntegration* self);
/* The size of a constraint's row, g/h at the end of a step, in such a motion. */
double vida__constraint_size(const VidaIntegration* self, int row, double motion);
/* g and G at the node, into g0 and entries0. */
int vida__prepare_node(VidaIntegration* self, VidaError* error);
/* How far the gradients of constraints turn from one place (entries of G) to another: the largest
 * square of a change, relative to that of the gradient; or (sizes: m, nullable) to the largest so
 * far, which is kept there, so that one that vanishes does not turn. */
double vida__largest_turn(const VidaSystem* system, const double* before, const double* after,
                          double* sizes);
/* Returns how many rows depend on others at the start, and sets *rows (nullable) to their numbers,
 * which the integration owns. */
int vida__dependent_rows(const VidaIntegration* self, const int** rows);
/* Whether it makes the steps of a method that is made of others (nested.h). */
bool vida__is_nested(const VidaIntegration* self);
/* Finds the rows that depend on others at the start, for values in self->work.entries. */
int vida__find_redundancy(VidaIntegration* self, VidaError* error);
/* Before a solve: g and G at the node, the guess, the scales. */
int vida__prepare_step(VidaIntegration* self, VidaError* error);
/* Solves for self->implicit.unknown; on success the history is extended. Failures say step, time
 * and what to try. */
int vida__solve_step(VidaIntegration* self, VidaError* error);
/* Exchanges the last unknowns, from which guesses are made, for others (VIDA_HISTORY of n + m) of
 * which there are *count. */
void vida__swap_history(VidaIntegration* self, double** history, int* count);
/* Multiplies the impulses of the last unknowns, for steps of another length. */
void vida__scale_history(VidaIntegration* self, double ratio);
/* Copies the last unknowns, and g at the node as they have left it. */
void vida__copy_history(const VidaIntegration* from, VidaIntegration* to);
/* Forgets the last unknowns; or g at the node as they have left it. */
void vida__forget_history(VidaIntegration* self);
void vida__forget_constraints(VidaIntegration* self);
/* *v: the velocities at the node, found once a node. */
int vida__node_velocities(VidaIntegration* self, const double** v, VidaError* error);
/* Sets self->model.reach for the start, whose sizes and G (self->work.entries) are known. */
void vida__measure_reach(VidaIntegration* self);
/* Passes on what an evaluation reported. */
int vida__evaluation_failed(VidaIntegration* self, int code, VidaError* error);
/* self->node.lambda: the multipliers of the equations of motion at the node: `multipliers` of
 * methods whose steps do not have them (node.c). */
int vida__node_multipliers(VidaIntegration* self, VidaError* error);
/* Accelerations (n) and multipliers (m) that the equations of motion give at (t, q, v) (node.c);
 * self->work.entries receives G there. */
int vida__accelerations(VidaIntegration* self, double t, const double* q, const double* v,
                        double* a, double* lambda);
/* self->model.tension, from the equations of motion at the start; 0 where they have no solution. */
void vida__measure_tension(VidaIntegration* self);
/* Sizes of energies (node.c): of the motion at the node, by its velocities where they are known and
 * else by the masses of the start, and of the potentials there, by forces times places, wherever
 * potentials are zero. */
double vida__kinetic_size(const VidaIntegration* self);
double vida__potential_size(const VidaIntegration* self);
/* The least energy that is a motion in a stretch of time (s): that of going a small part of where
 * the coordinates are, of angles a small part of 1 rad; 0 where all is at the origin. */
double vida__rest_energy(const VidaIntegration* self, double time);
/* The energy at the node, with its velocities: `energy` of most methods (node.c). */
int vida__node_energy(VidaIntegration* self, double* value, double* t, VidaError* error);
/* Factors the matrix of the projection below at the node, so that the first one allocates nothing.
 */
int vida__factor_node_matrix(VidaIntegration* self, const double* entries, const double* v);
/* The same elsewhere. */
int vida__factor_matrix_at(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* v);
/* Multipliers with the same forces G^T mu, but of least norm, into self->model.least_norm; the node
 * matrix has been factored for these entries. */
int vida__find_least_norm(VidaIntegration* self, const double* entries, const double* mu);
/* v with L_v(q,v,t) + G^T nu = p and G v + g_t = 0 at (q,t), whose G is in `entries`. v holds a
 * guess and receives the solution, nu (m, nullable) the impulse. */
int vida__project_velocity(VidaIntegration* self, double t, const double* q, const double* entries,
                           const double* p, double* v, double* nu, VidaError* error);

#endif
