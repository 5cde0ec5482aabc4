/* What a method is, and what every stepper has.
 *
 * A method is one static const VidaMethod at the end of its file and one line in registry.c. Its
 * functions work on the common state below; what is its own hangs on `own`. */
#ifndef VIDA_STEPPER_METHOD_H
#define VIDA_STEPPER_METHOD_H

#include <vida/stepper.h>

#include "base/linear.h"
#include "solve/map.h"
#include "system/constraints/rank.h"
#include "system/evaluate/evaluate.h"

typedef struct VidaMethod VidaMethod;
typedef struct vida_watch vida_watch; /* branch_watch.h */
typedef struct vida_jumps vida_jumps; /* time_jumps.h */

enum { VIDA_HISTORY = 3 };

/* Whom to ask during a step whether to go on, and what the answer was (interrupt.c). */
typedef struct vida_interrupt {
  int (*ask)(void* data); /* nullable */
  void* data;
  bool is_active; /* during a step; nobody is asked between them */
  int code;       /* of the present or the last step; negative after an interrupt */
  double reached; /* the time that the method's own steps had come to then */
} vida_interrupt;

struct VidaStepper {
  const VidaMethod* method;
  const VidaSystem* system;
  VidaOptions* options;
  vida_evaluator evaluator;
  SUNContext context;
  /* The rows of the map and what makes them ready for a step: those of the KKT pattern and
   * vida__prepare_step, unless the method's `create` has others. */
  vida_map_rows rows;
  int (*prepare)(VidaStepper* stepper, VidaError* error);
  vida_map* map; /* NULL of methods without implicit equations: those whose map has no residual */
  void* own;     /* the method's own state, freed with free() after `destroy` */
  int n, m;

  double t0, h;
  long step;    /* k in t = t0 + k h */
  long earlier; /* steps of the same run before this start: messages count them, too */
  bool started;
  bool adaptive;     /* chooses its own steps within h, and counts them itself */
  unsigned given_up; /* of the method's capabilities: those that it has not with these options */
  /* Of a stage of a composition, or of a method that makes its own steps with this one: whose it
   * is, and which of how many; messages name the step of that. */
  VidaStepper* outer;  /* NULL: none */
  int stage, stages;   /* 0: it makes its own */
  int ahead;           /* 1 while the step after the one asked for is found */
  bool one_step;       /* a stage of a composition: begins and ends on both levels of constraints */
  double tolerance;    /* of the scaled residual */
  double scaled_for;   /* the size of motion that the scales were set for; 0: not yet */
  bool has_increments; /* g(q1) - g(q0) comes from discrete derivatives, without cancellation */
  double* block;       /* where all arrays below live */
  /* The state, in one piece from q on (5 n + m), so that a failed step is put back from `kept`. */
  double* q;      /* n: positions, and what their rounding has left (compensated sums) */
  double* q_low;  /* n */
  double* p;      /* n: conjugate momenta, likewise */
  double* p_low;  /* n */
  double* v0;     /* n: velocities of the start, for the first guess; rattle: those of the node */
  double* lambda; /* m */
  double* kept;   /* 5 n + m */
  double lambda_t;

  double* unknown;               /* n + m: (w, mu), w = (q1 - q0)/h, mu = h lambda */
  double* history[VIDA_HISTORY]; /* the last unknowns, newest first */
  int history_count;
  int last_turn; /* how far constraints have turned in the last step (implicit_step.c) */

  /* Sizes for scaling: square roots of the masses, |G| M^(-1/2) by rows, forces of the start. */
  double* root_mass;     /* n */
  double* inverse_root;  /* n: 1 / root_mass */
  double* row_stiffness; /* m */
  /* The same for matrices that are to be factored (light_masses.c): no mass below a small part of
   * those that constraints join it to. */
  double* matrix_root;      /* n */
  double* matrix_stiffness; /* m */
  double* force_size;       /* n */
  double start_energy;      /* the size of that of the start, of either kind */
  double tension;           /* largest multiplier at the start, times the stiffness of its row */
  double* value_size;       /* m: what rounding of g is measured by */
  double* reach;            /* m: what a violation is measured by, the size of what g compares */
  double* speed;            /* n: work, sizes of velocities */
  double* atol;             /* n: absolute tolerances of positions; NaN where none was set */

  double* g0;        /* m: g at the node */
  double* g_tracked; /* m: the same from the increments of the last step */
  double* g_node;    /* m: g at the node, of positions with q_low, where has_g_node */
  bool has_g_node;
  bool has_tracked;
  double* entries0;       /* of G at the node */
  double* entries_before; /* of G at the node before; meaningful from the second step on */
  double* entries;        /* work */
  double* q1;             /* n: work, where the step leads */
  double* dq;             /* n: work, q1 - q0 */
  double* place;          /* n: work, a point between the nodes */
  double* l_q;            /* n: work */
  double* l_v;            /* n: work */
  double* g_work;         /* m: work */

  vida_linear* node_matrix; /* for projections of the momentum at a node */
  /* The factors of a constant mass matrix that is not diagonal (the diagonal of the constraints is
   * 1); else NULL. */
  vida_linear* mass_matrix;
  bool has_singular_mass; /* and it could not be factored */
  bool gives_way;         /* some position constraint does, to compliance or with damping */
  const double* softness; /* m: less on the diagonal of its constraints; NULL: nothing */
  const double*
      yielding;          /* m: by how much constraints give way to their forces; NULL: by nothing */
  double* node_step;     /* n + m: work */
  double* node_velocity; /* n: v at the node, once it was asked for */
  bool has_node_velocity;
  bool has_node_multipliers; /* of methods that find them when asked */
  double* constraint_work;   /* m: work */
  double* mass_work;         /* n + m: work */

  /* Rows that depend on others at the start: multipliers are then of least norm. */
  vida_rank* rank;    /* NULL: too many constraints meet for it to be found */
  double* redundancy; /* m: what regularizes the diagonal of constraint rows */
  double* least_norm; /* m: work */
  bool redundant;
  bool reacts_between; /* constraint forces are not along G at the node that the step starts from */
  vida_watch* watch;   /* of the motion along its constraints; NULL without any */
  bool tells_watch;    /* the method itself, of steps of its own between nodes */

  vida_jumps* jumps; /* NULL of systems in which nothing jumps, and of steppers with an `outer` */
  vida_segment segment;     /* of time, in which the step lies; meaningful where something jumps */
  vida_interrupt interrupt; /* of a stepper without `outer` */

  VidaStatistics statistics;
};

/* What else than a smaller step, or rtol, helps against violations that grow: an option of the
 * method, at fixed steps or where it has given up a level, and another method. NULL: none. */
typedef struct vida_remedy {
  const char *option, *value;
  const char* method;
} vida_remedy;

struct VidaMethod {
  VidaMethodInfo info;
  const VidaOptionRow* common;  /* rows that it shares with others; NULL: vida__common_options */
  const VidaOptionRow* options; /* its own rows, after the common ones; ends with a NULL name */
  vida_map_functions map;
  bool refers; /* which systems it takes is asked of the method that it is made of, not of `info` */
  vida_remedy remedy;
  /* Refuses systems that it cannot integrate, and allocates `own`; the map is made after it. */
  int (*create)(VidaStepper* stepper, VidaError* error);
  /* From q, v0 to its own p. */
  int (*start)(VidaStepper* stepper, VidaError* error);
  /* From q and q1 to the state after one step; NULL where there is no such start. */
  int (*start_two_points)(VidaStepper* stepper, const double* q1, VidaError* error);
  int (*step)(VidaStepper* stepper, VidaError* error);
  /* Takes back what a successful step has changed in `own`, where its state is refused after all;
   * what all steppers have is put back without it. NULL where that is everything. */
  void (*undo)(VidaStepper* stepper);
  int (*velocities)(VidaStepper* stepper, double* v, VidaError* error);
  int (*energy)(VidaStepper* stepper, double* energy, double* t, VidaError* error);
  /* Finds lambda at the node when it is asked for; NULL where steps leave it there. */
  int (*multipliers)(VidaStepper* stepper, VidaError* error);
  /* The order that it has with these options; NULL: that of `info` with all of them. */
  int (*order)(const VidaOptions* options);
  /* Frees what `own` points to, before `own` itself; NULL where that is nothing. */
  void (*destroy)(VidaStepper* stepper);
};

/* The list of methods, ended by NULL (registry.c). */
extern const VidaMethod* const vida__methods[];
const VidaMethod* vida__find_method(const char* name);
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
/* Of methods that take rtol; what they ask is stepper->atol. */
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
/* A stepper of the method `name` with the common options of this one, for methods that are made of
 * steps of another (compose.c). */
int vida__create_base(const VidaStepper* stepper, const char* name, VidaStepper** base,
                      VidaError* error);

/* A refusal because of what the system has, whatever the options are: what was asked for the
 * stepper adds which methods can take it. */
#define VIDA_SYSTEM_REFUSED "SYSTEM_REFUSED"
#define VIDA_REFUSE_SYSTEM(error, ...) \
  vida__fail_flag(error, VIDA_NOT_SUPPORTED, VIDA_SYSTEM_REFUSED, __VA_ARGS__)
/* VidaStepper_Create without that; *stepper is NULL (stepper.c). */
int vida__create_stepper(const VidaSystem* system, const VidaOptions* options,
                         VidaStepper** stepper, VidaError* error);
/* VidaStepper_StartWithStep without that (stepper.c). */
int vida__start_stepper(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                        VidaError* error);
/* The same without looking for jumps; `again`: the motion goes on, and what the watch has found
 * counts on (stepper.c). */
int vida__start_motion(VidaStepper* stepper, double t0, double h, const double* q, const double* v,
                       bool again, VidaError* error);
/* One step of the method, which meets no jump (stepper.c). */
int vida__make_step(VidaStepper* stepper, VidaError* error);
/* Where `error` holds such a refusal, appends which methods can take the system with their default
 * options: "; these can: rattle, hht and 3 more". Returns `code` (alternatives.c). */
int vida__name_able(const VidaSystem* system, const VidaOptions* options, int code,
                    VidaError* error);

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
int vida__interrupted(VidaStepper* stepper, double reached);
/* Around a step; whether it was interrupted. */
void vida__begin_interruptible(VidaStepper* stepper);
bool vida__end_interruptible(VidaStepper* stepper);
/* The failure of an interrupted step. */
int vida__fail_interrupted(const VidaStepper* stepper, VidaError* error);

/* Flags of steps that leave a constraint: one that the method does not keep, one that it does. */
#define VIDA_UNBOUNDED "UNBOUNDED"
#define VIDA_CONSTRAINT_VIOLATED "CONSTRAINT_VIOLATED"
/* Flags of a step on whose way a constraint, or the force of a potential, is not continuous. */
#define VIDA_CONSTRAINT_JUMPS "CONSTRAINT_JUMPS"
#define VIDA_ANGLE_WRAPS "ANGLE_WRAPS"

/* ---- tools for methods (implicit_step.c) ---- */

#define VIDA_STEP_NAME_SIZE 160
/* "step 3 from t = 0.2", of the stepper that was asked for it, and where in it; returns `text`. */
char* vida__name_step(const VidaStepper* stepper, char text[VIDA_STEP_NAME_SIZE]);
/* After a start in the middle of a run: how many of its steps were made before. */
void vida__count_earlier(VidaStepper* stepper, long steps);
/* h of that stepper. */
double vida__asked_step_size(const VidaStepper* stepper);
double vida__node_time(const VidaStepper* stepper); /* t0 + k h */
double vida__next_time(const VidaStepper* stepper); /* t0 + (k + 1) h */
/* sum += increment, keeping in `low` what rounding loses: as if with twice the digits, so that
 * equal and opposite increments leave nothing in a total even after millions of steps. */
void vida__add_compensated(double* sum, double* low, double increment);
/* place = q + c h w, and its time. */
void vida__find_place(const VidaStepper* stepper, const double* w, double c, double* place);
double vida__place_time(const VidaStepper* stepper, double c);
/* q += h w */
void vida__advance_positions(VidaStepper* stepper, const double* w);
/* p += weight G^T mu, term by term: equal and opposite impulses leave nothing in the total, however
 * many act on one particle. */
void vida__add_impulses(VidaStepper* stepper, const double* entries, double weight,
                        const double* mu);
/* Appends what masses and constraints of the node leave open, see vida__append_singular. */
bool vida__append_open(VidaStepper* stepper, char* text, size_t size);
/* stepper->matrix_root and matrix_stiffness, from masses and G at the start in stepper->entries. */
void vida__measure_light(VidaStepper* stepper);
/* Of systems with coordinates without mass, or so light: VIDA_STEP_SINGULAR with their names where
 * neither constraints nor forces of positions say how they move. */
int vida__check_massless(VidaStepper* stepper, VidaError* error);
/* Appends to the message of a step that failed which coordinates are so light; nothing where there
 * are none. */
void vida__explain_light(const VidaStepper* stepper, VidaError* error);
/* Whether a coordinate is so light beside those that constraints join it to that the rounding of
 * their forces is no force for it: its velocity is one that constraints determine, not p / m. */
bool vida__is_light(const VidaStepper* stepper, int i);
/* Sizes that scaling needs, from the start values; fails for a coordinate without mass. */
int vida__measure_sizes(VidaStepper* stepper, VidaError* error);
/* strength (n): the forces of each coordinate before they cancel, those of the multipliers lambda
 * (m) among them, and what the forces that a row meets make of its multiplier's rounding. entries:
 * of G. */
void vida__measure_strength(VidaStepper* stepper, const double* entries, const double* lambda,
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
int vida__apply_mass(VidaStepper* stepper, const double* v, double* p);
int vida__solve_mass(VidaStepper* stepper, const double* p, double* v);
/* The square root of twice an energy per coordinate: the largest of |p|, h |force| and impulses of
 * the constraints, each over the root of its mass. Rows and unknowns are measured by it, so that
 * tolerances do not depend on units. */
double vida__measure_motion(const VidaStepper* stepper);
/* The size of a constraint's row, g/h at the end of a step, in such a motion. */
double vida__constraint_size(const VidaStepper* stepper, int row, double motion);
/* g and G at the node, into g0 and entries0. */
int vida__prepare_node(VidaStepper* stepper, VidaError* error);
/* How far the gradients of constraints turn from one place (entries of G) to another: the largest
 * square of a change, relative to that of the gradient; or (sizes: m, nullable) to the largest so
 * far, which is kept there, so that one that vanishes does not turn. */
double vida__largest_turn(const VidaSystem* system, const double* before, const double* after,
                          double* sizes);
/* Finds the rows that depend on others at the start, for values in stepper->entries. */
int vida__find_redundancy(VidaStepper* stepper, VidaError* error);
/* Before a solve: g and G at the node, the guess, the scales. */
int vida__prepare_step(VidaStepper* stepper, VidaError* error);
/* Solves for stepper->unknown; on success the history is extended. Failures say step, time and what
 * to try. */
int vida__solve_step(VidaStepper* stepper, VidaError* error);
/* *v: the velocities at the node, found once a node. */
int vida__node_velocities(VidaStepper* stepper, const double** v, VidaError* error);
/* Sets stepper->reach for the start, whose sizes and G (stepper->entries) are known. */
void vida__measure_reach(VidaStepper* stepper);
/* ---- one verdict for all methods (verdict.c) ---- */
/* Fails with SINGULAR_START where rows depend on each other at the start and no accelerations keep
 * them all with its velocities. */
int vida__judge_start(VidaStepper* stepper, VidaError* error);
/* Judges the node that a step has led to, before it is that of the stepper: fails where a
 * constraint is violated by more than the method claims, or where it claims nothing, with
 * UNBOUNDED by more than the size of what it compares. */
int vida__judge_step(VidaStepper* stepper, VidaError* error);
/* Judges velocities v (n) at the node: fails with CONSTRAINT_VIOLATED where they violate a
 * constraint by more than a method that claims to keep G v + g_t = 0 may leave. */
int vida__judge_velocities(VidaStepper* stepper, const double* v, VidaError* error);
/* Says in `error`, of a step that failed and was taken back, what is known of why: that a
 * constraint jumps there, that the motion had gone out of bounds before, that a singular
 * configuration is near; and what to try of steps that end on another branch. */
void vida__explain_failure(VidaStepper* stepper, VidaError* error);
/* At the node: appends to text what is not to be passed over in silence although it ends no step:
 * velocities, and relaxed constraints, as far off; else leaves it as it is. */
int vida__note_violations(VidaStepper* stepper, char* text, size_t size, VidaError* error);
/* Passes on what an evaluation reported. */
int vida__evaluation_failed(VidaStepper* stepper, int code, VidaError* error);
/* stepper->lambda: the multipliers of the equations of motion at the node: `multipliers` of methods
 * whose steps do not have them (node.c). */
int vida__node_multipliers(VidaStepper* stepper, VidaError* error);
/* Accelerations (n) and multipliers (m) that the equations of motion give at (t, q, v) (node.c);
 * stepper->entries receives G there. */
int vida__accelerations(VidaStepper* stepper, double t, const double* q, const double* v, double* a,
                        double* lambda);
/* stepper->tension, from the equations of motion at the start; 0 where they have no solution. */
void vida__measure_tension(VidaStepper* stepper);
/* Sizes of energies (node.c): of the motion at the node, by the masses of the start, and of the
 * potentials there, by forces times places, wherever potentials are zero. */
double vida__kinetic_size(const VidaStepper* stepper);
double vida__potential_size(const VidaStepper* stepper);
/* The least energy that is a motion in a stretch of time (s): that of going a small part of where
 * the coordinates are, of angles a small part of 1 rad; 0 where all is at the origin. */
double vida__rest_energy(const VidaStepper* stepper, double time);
/* The energy at the node, with its velocities: `energy` of most methods (node.c). */
int vida__node_energy(VidaStepper* stepper, double* value, double* t, VidaError* error);
/* Factors the matrix of the projection below at the node, so that the first one allocates nothing.
 */
int vida__factor_node_matrix(VidaStepper* stepper, const double* entries, const double* v);
/* The same elsewhere. */
int vida__factor_matrix_at(VidaStepper* stepper, double t, const double* q, const double* entries,
                           const double* v);
/* Multipliers with the same forces G^T mu, but of least norm, into stepper->least_norm; the node
 * matrix has been factored for these entries. */
int vida__find_least_norm(VidaStepper* stepper, const double* entries, const double* mu);
/* v with L_v(q,v,t) + G^T nu = p and G v + g_t = 0 at (q,t), whose G is in `entries`. v holds a
 * guess and receives the solution, nu (m, nullable) the impulse. */
int vida__project_velocity(VidaStepper* stepper, double t, const double* q, const double* entries,
                           const double* p, double* v, double* nu, VidaError* error);

#endif
