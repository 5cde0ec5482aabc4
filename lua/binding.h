/* The Lua module "vida": what its files and the command share.
 *
 * Lua reports an error by longjmp, so the rules are: every C object is owned by a Lua object that
 * exists before it (and whose __gc frees it), and no Lua function is called while a function of the
 * library is at work. Functions that take a lua_State may raise a Lua error unless they say not. */
#ifndef VIDA_LUA_BINDING_H
#define VIDA_LUA_BINDING_H

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <vida/vida.h>

/* ---- for the command ------------------------------------------------------------------------- */

/* The module itself: luaL_requiref(L, "vida", luaopen_vida, 0) or package.preload. */
VIDA_API int luaopen_vida(lua_State* L);

/* Values from outside a script (`--set name=text`): vida.setting and the options of vida.compare
 * read them. */
void vidalua_set_setting(lua_State* L, const char* name, const char* text);
/* Sets the word with which messages about these values begin; without it, "--set". */
void vidalua_name_settings(lua_State* L, const char* word);
/* Comparisons keep only runs of the methods that were named so; none named: all. */
void vidalua_select_method(lua_State* L, const char* method);
/* Comparisons do not look at the start when they are written: whoever runs the script does. */
void vidalua_defer_start(lua_State* L);
/* Whether the last error of the script was that of a value given by vidalua_set_setting. */
bool vidalua_is_setting_at_fault(lua_State* L);
/* Whether a given setting is left that neither a vida.setting nor a comparison has used; then a
 * message that names it and the nearest known one is pushed. */
bool vidalua_push_unused_setting(lua_State* L);

/* What a script has done by itself: it made steps, ran comparisons or asked for accelerations; and
 * whether a comparison was made that was never run. */
typedef struct VidaLuaWork {
  bool done, waiting;
} VidaLuaWork;
VidaLuaWork vidalua_script_work(lua_State* L);

/* A value that the script reads with vida.setting. */
typedef struct VidaLuaSetting {
  const char* name;
  const char* kind;        /* "number", "text", "true|false" */
  const char* value;       /* its default, as it would be given */
  const char *unit, *text; /* "": none */
} VidaLuaSetting;
/* Hands over all of them in the order in which they were read; nobody keeps the texts. */
void vidalua_list_settings(lua_State* L, void (*show)(void* data, const VidaLuaSetting* setting),
                           void* data);

/* The study behind the comparison at `index`; NULL for any other value. It lives as long as the Lua
 * object. */
VidaStudy* vidalua_to_study(lua_State* L, int index);
/* Whether the value at `index` is the result of a comparison that was run. */
bool vidalua_is_result(lua_State* L, int index);

/* ---- scripts (script.c) -----------------------------------------------------------------------
 */

/* A scenario: a script that returns a comparison or a list of them. */
typedef struct VidaLuaScenario {
  const char* script;  /* its file */
  bool may_work_alone; /* it may return nothing (count = 0), if it does all work itself */
  VidaStudy** studies; /* count: its comparisons, owned by the Lua state */
  int count;           /* number of comparisons */
  bool blames_setting; /* the failure is that of a value given by vidalua_set_setting */
} VidaLuaScenario;

/* What a script may do. Zeros: nothing but read files of its folder, within generous limits. */
typedef struct VidaLuaSandbox {
  bool trusted;        /* everything that Lua can do, without limits */
  const char* out;     /* the folder into which it may write; NULL: nowhere */
  double instructions; /* that it may make; 0: vidalua_default_instructions */
  double memory;       /* MiB of its values; 0: vidalua_default_memory */
  const char* advice;  /* ends refusals; NULL: the option of the command */
} VidaLuaSandbox;
extern const double vidalua_default_instructions, vidalua_default_memory;

/* Creates a state for a script; NULL without memory. Texts of *sandbox must outlive it. */
lua_State* vidalua_new_state(const VidaLuaSandbox* sandbox);
void vidalua_close_state(lua_State* L);
/* What the script may do; NULL: everything. */
const VidaLuaSandbox* vidalua_sandbox(lua_State* L);
/* Raises an error that a sandboxed script cannot catch. */
void vidalua_stop_script(lua_State* L);
/* Refuses a file or a folder into which the script may not write; `what` is who wants it. */
void vidalua_check_writable(lua_State* L, const char* what, const char* path);
/* The same for a file, whose name has to end so: ".html". */
void vidalua_check_file(lua_State* L, const char* what, const char* path, const char* ending);
/* Refuses a file that the script may not read. */
void vidalua_check_readable(lua_State* L, const char* what, const char* path);

/* Opens the standard libraries and `require "vida"`, in a state of vidalua_new_state. `require`
 * also finds scripts in the folder of `path`. print and io.write go to stderr. */
void vidalua_open_libraries(lua_State* L, const char* path);
/* Runs the script and fills the last three members. On success the comparisons stay on the stack,
 * which keeps them alive; on failure returns false with a message on top of it. */
bool vidalua_load_scenario(lua_State* L, VidaLuaScenario* scenario);

/* ---- running and writing, without Lua (output.c) --------------------------------------------- */

typedef struct VidaLuaRun {
  const char* directory;              /* where trajectories go; NULL: nowhere */
  bool show_progress;                 /* on stderr, which then should be a terminal */
  bool (*is_interrupted)(void* data); /* asked about ten times a second; nullable */
  void* data;
  VidaRecording* recording; /* nullable */
  VidaJournal* journal;     /* nullable */
  int study;                /* index of the study in the journal */
  int studies;              /* number of studies */
  const char* progress;     /* folder for the file with the progress; NULL: none */
  /* Keeps what has finished: called after runs, but at most every second; nullable. */
  int (*save)(void* saved, VidaError* error);
  void* saved;
} VidaLuaRun;

/* Pushes an object that owns a recording of this study. */
VidaRecording* vidalua_new_recording(lua_State* L, const VidaStudy* study);
/* Does the same, but returns NULL after filling `error` instead of raising it. */
VidaRecording* vidalua_try_new_recording(lua_State* L, const VidaStudy* study, VidaError* error);
/* What pages say besides the results. */
extern const VidaPageFacts vidalua_page_facts;
/* The recording of the object at `index`. */
VidaRecording* vidalua_to_recording(lua_State* L, int index);

/* VidaStudy_Run with these wishes; VIDA_STOPPED when it was interrupted. */
int vidalua_run_study(VidaStudy* study, const VidaLuaRun* wishes, VidaError* error);
/* VidaSweep_Run with these wishes (stream.c). */
int vidalua_run_sweeps(const VidaSweepScope* scope, const VidaLuaRun* wishes, bool resume,
                       VidaError* error);
/* Whether all runs have been made although it failed: only the reference did. */
bool vidalua_has_rows(const VidaStudy* study, int code);

/* A host such as lua5.4 answers Ctrl-C by a hook that raises an error in the next Lua function.
 * These notice it while the library is at work and no Lua function runs. `data` is the watch. */
typedef struct VidaLuaWatch {
  lua_State* main;
  lua_Hook hook; /* what was there before */
} VidaLuaWatch;

VidaLuaWatch vidalua_begin_interrupt_checks(lua_State* L);
bool vidalua_is_interrupted(void* watch); /* never raises an error */

/* ---- progress (progress.c) ------------------------------------------------------------------- */

double vidalua_clock(void); /* s, monotonic */

typedef struct VidaLuaProgress {
  const VidaStudy* study;
  double began; /* s, of a monotonic clock */
  double done;  /* of the whole study; runs that are made again do not set it back */
  bool drawn;   /* a line is on the screen */
} VidaLuaProgress;

void vidalua_progress_begin(VidaLuaProgress* progress, const VidaStudy* study);
void vidalua_progress_draw(VidaLuaProgress* progress, int run, const char* what, double fraction);
void vidalua_progress_draw_sweep(VidaLuaProgress* progress, const char* what, double fraction);
void vidalua_progress_end(VidaLuaProgress* progress);
/* Writes "1 h 02 min", "3 min 10 s" or "7 s". */
void vidalua_describe_seconds(char* text, size_t size, double seconds);
bool vidalua_progress_has_terminal(void);

/* ---- the part of the module that is written in Lua (library.c) ---------------------------------
 */

/* How the sources of its chunks begin: their lines are no lines of a script. */
#define VIDALUA_LIBRARY_SOURCE "=vida:"
/* Whether a function (lua_getinfo "Sl") is one of a script, at a line of it. */
bool vidalua_is_script(const lua_Debug* frame);

/* ---- checking values of scripts (check.c) ---------------------------------------------------- */

/* A "place" says where a table stands, for messages: "particle 'upper'" or "methods[2]"; a field of
 * it is written "place.field", "field" when the place is "". */

typedef struct VidaLuaNames {
  int count;
  const char* (*get)(const void* list, int index);
  const void* list;
} VidaLuaNames;

VidaLuaNames vidalua_names(const char* const* list); /* of a list that ends with NULL */
/* The name most like `name`, NULL when none is near. Never raises an error. */
const char* vidalua_nearest_name(const char* name, VidaLuaNames names);

/* A message handler: leaves texts as they are, and replaces any other error value by a text that
 * begins with the line of the script. */
int vidalua_describe_error(lua_State* L);
/* luaL_error, but the line is the script's, also when functions of lua/library/ are between. */
int vidalua_error(lua_State* L, const char* format, ...);
/* Raises "place.field: expected what, got value", with the script's line; `index` is the value. */
int vidalua_expected(lua_State* L, const char* place, const char* field, const char* what,
                     int index);
/* Raises an error of the library, its message after "place.field: " (field nullable). */
int vidalua_raise(lua_State* L, const char* place, const char* field, const VidaError* error);
/* Sorts a list of texts and pushes them as one, with commas. */
const char* vidalua_push_sorted(lua_State* L, int list);
/* Pushes "place.field". */
const char* vidalua_push_path(lua_State* L, const char* place, const char* field);

/* Refuses keys of the table that are neither 1 .. positional nor among the names. `what` is what
 * they would be: "key of a particle". */
void vidalua_check_keys(lua_State* L, int table, const char* place, const char* what,
                        int positional, VidaLuaNames names);
/* Refuses keys that are neither 1 nor an option of the method `owner`. */
void vidalua_check_options(lua_State* L, int table, const char* place, const char* owner,
                           VidaLuaNames names);
void vidalua_check_table(lua_State* L, int index, const char* place, const char* example);
/* The length of a table that must be a list: keys 1 .. n and no others. */
int vidalua_check_list(lua_State* L, int table, const char* place, const char* field);

/* Pushes a field of a table as it is (no metamethods, so that the table keeps it) and returns its
 * type. */
int vidalua_field(lua_State* L, int table, const char* field);
/* Lets the userdata on top of the stack, when it is collected, remove the value that the registry
 * has under its address. */
void vidalua_release_value(lua_State* L);
/* Set a field of the table on top of the stack; a real number that is NaN is left out. */
void vidalua_set_text(lua_State* L, const char* key, const char* text);
void vidalua_set_real(lua_State* L, const char* key, double value);
void vidalua_set_integer(lua_State* L, const char* key, lua_Integer value);
/* Text at entry [1] of the table, which is its name; it stays alive with the table. */
const char* vidalua_check_name(lua_State* L, int table, const char* what);
/* Checks the table at 2 that defines a `what`: { "name", ..., key = value }, with `positional`
 * entries and these keys (ended by NULL). Pushes and returns its place, "what 'name'"; *name is
 * held by the table. `example` is for messages. */
const char* vidalua_check_definition(lua_State* L, const char* what, const char* example,
                                     int positional, const char* const* keys, const char** name);
double vidalua_required_real(lua_State* L, int table, const char* place, const char* field);
double vidalua_optional_real(lua_State* L, int table, const char* place, const char* field,
                             double fallback);
bool vidalua_optional_boolean(lua_State* L, int table, const char* place, const char* field,
                              bool fallback);
/* Texts go to terminals: these replace control characters, except \n and \t, and refuse them. */
void vidalua_show_controls(char* text);
void vidalua_check_controls(lua_State* L, const char* place, const char* field, const char* text);
/* NULL when the field is not there. */
const char* vidalua_optional_text(lua_State* L, int table, const char* place, const char* field);
/* The value at `index` must be a finite number. */
void vidalua_check_finite(lua_State* L, int index, const char* place, const char* field);
/* A number of steps, rows or the like at `index`; `place` is who wants it. */
lua_Integer vidalua_check_count(lua_State* L, int index, const char* place, const char* what,
                                lua_Integer least, lua_Integer fallback);
/* A list of exactly `count` numbers. */
void vidalua_check_vector(lua_State* L, int index, const char* place, const char* field, int count,
                          double* vector);
/* The number itself: strings are not numbers. */
bool vidalua_is_number(lua_State* L, int index);
/* A text without a zero byte inside. */
const char* vidalua_plain_text(lua_State* L, int index);

/* ---- classes (check.c) ----------------------------------------------------------------------- */

/* Makes the table on top of the stack, the module, refuse names that are like one of its own. */
void vidalua_suggest_names(lua_State* L);
/* Registers a class of full userdata: obj:method() and obj.property (a function of the object that
 * is called on reading; one named VIDALUA_ELEMENT is called with the object and a number for
 * obj[number]). Unknown fields raise an error with the nearest known one. Lists end with {NULL,
 * NULL}; `properties` is nullable. */
#define VIDALUA_ELEMENT "[number]"
/* The field of its metatable that holds the name of the class; Lua's own errors take "__name". */
#define VIDALUA_CLASS "__class"
void vidalua_new_class(lua_State* L, const char* name, const luaL_Reg* metamethods,
                       const luaL_Reg* methods, const luaL_Reg* properties);
/* Argument 1 of a method of this class; refuses anything else, which is what a dot in place of the
 * colon hands over. */
void* vidalua_check_self(lua_State* L, const char* name);
/* Pushes the table of methods of a class, to which more may be added. */
void vidalua_push_methods(lua_State* L, const char* name);

/* ---- systems (system.c) ---------------------------------------------------------------------- */

#define VIDALUA_SYSTEM "vida.system"

/* Lua finalises objects in no useful order, but a system has to outlive its steppers and studies:
 * each of them holds a reference, and the last one frees it. */
typedef struct VidaLuaBox {
  VidaSystem* system;
  long references;
  bool complete;
  struct {
    int lagrangians, kinetic, potentials, dissipations, forces;
  } unnamed; /* parts without a name so far */
} VidaLuaBox;

VidaLuaBox* vidalua_retain_box(VidaLuaBox* box);
void vidalua_release_box(VidaLuaBox** box); /* sets *box to NULL; NULL is allowed */

/* The system at `index` (raises an error when it is something else or closed). */
VidaLuaBox* vidalua_check_system(lua_State* L, int index);
/* The same, when something is about to be added to it. */
VidaLuaBox* vidalua_check_open_system(lua_State* L, int index);
/* Completes it if that has not been done. */
void vidalua_complete_system(lua_State* L, VidaLuaBox* box);
/* Keeps a text of the system at `index` for messages about a start that violates constraints; the
 * first one counts. */
void vidalua_advise_start(lua_State* L, int index, const char* text);
/* vidalua_raise for the start of that system, with this advice. */
int vidalua_raise_start(lua_State* L, int index, const char* place, const VidaError* error);
void vidalua_open_system(lua_State* L); /* registers the class and pushes vida.system */

/* For vidalua_script_work (module.c): something was done; so many comparisons more wait to be run.
 */
void vidalua_mark_work_done(lua_State* L);
void vidalua_count_pending(lua_State* L, int more);

/* ---- particles, fixed points and free values (point.c) --------------------------------------- */

#define VIDALUA_POINT "vida.point"
#define VIDALUA_FREE "vida.free"

/* Pushes a point of the system at index `system`; `name` is NULL for a fixed point. */
void vidalua_push_point(lua_State* L, int system, VidaPoint point, const char* name);
/* Keeps where the particle at `index` starts, as far as that is given, for messages. */
void vidalua_keep_start(lua_State* L, int index, const VidaInitial* position, int dimension);
/* Pushes where the particle at `index` starts, as a vector; false: nobody has said it. */
bool vidalua_push_start(lua_State* L, int index);
/* Pushes a fixed point of a pattern, whose components are parameters from `parameter` on. */
void vidalua_push_parameter_point(lua_State* L, int system, int parameter, const char* name);
/* The point at `index`, which must belong to the system at index `system`. */
VidaPoint vidalua_check_point(lua_State* L, int index, int system, const char* place,
                              const char* field);
/* Whether the value at `index` is a particle of the system at index `system`. */
bool vidalua_is_particle(lua_State* L, int index, int system, VidaPoint* point);
/* Refuses the value at `index` where a point was expected, with what was meant perhaps. */
int vidalua_refuse_point(lua_State* L, const char* place, const char* field, const char* what,
                         int index);
/* A list of `dimension` numbers or vida.free(); absent and not required: zeros. */
void vidalua_check_initial(lua_State* L, int table, const char* place, const char* field,
                           int dimension, bool required, VidaInitial* initial);
/* One number or vida.free(); absent and not required: zero. */
VidaInitial vidalua_check_initial_value(lua_State* L, int table, const char* place,
                                        const char* field, bool required);
/* Pushes the position of the point at `index` as a vector, or its velocity; returns its length. */
int vidalua_push_position(lua_State* L, int index, bool rate);
void vidalua_open_point(lua_State* L); /* registers the classes and pushes vida.free */

/* ---- expressions (expression.c) -------------------------------------------------------------- */

#define VIDALUA_EXPRESSION "vida.expression"

/* Pushes the position of a coordinate of the system at index `system`, or its rate. */
void vidalua_push_coordinate(lua_State* L, int system, int coordinate, bool rate);
/* Pushes an expression of the system at index `system`, of its node. */
void vidalua_push_formula(lua_State* L, int system, VidaExpression node);
/* Pushes the expression that stands for a parameter. */
void vidalua_push_parameter(lua_State* L, int system, int parameter);
/* What an expression is when nothing has been done to it. */
typedef enum VidaLuaKind {
  VIDALUA_FORMULA,
  VIDALUA_COORDINATE,
  VIDALUA_RATE,
  VIDALUA_TIME,
  VIDALUA_PARAMETER
} VidaLuaKind;
/* The number of the coordinate or parameter of the system at index `system` that the value is, -1
 * when it is anything else. */
int vidalua_to_input(lua_State* L, int index, int system, VidaLuaKind kind);
int vidalua_time(lua_State* L);        /* the property system.time */
int vidalua_switch(lua_State* L);      /* library.switch */
int vidalua_coordinate(lua_State* L);  /* the method system:coordinate { ... } */
int vidalua_coordinates(lua_State* L); /* library.coordinates */
/* The node of the expression at `index`; false for anything else. */
bool vidalua_to_node(lua_State* L, int index, VidaExpression* node);
/* The expression at `index` must belong to the system at index `system`. */
void vidalua_check_owner(lua_State* L, int index, int system, const char* place);

/* The operators of Lua, and what else vectors need. */
typedef enum VidaLuaOperation {
  VIDALUA_ADD,
  VIDALUA_SUBTRACT,
  VIDALUA_MULTIPLY,
  VIDALUA_DIVIDE,
  VIDALUA_POWER,
  VIDALUA_NEGATE,
  VIDALUA_SQRT
} VidaLuaOperation;
const char* vidalua_operation_name(VidaLuaOperation operation);
/* Replaces the operands on top of the stack, numbers and expressions, by the result. */
void vidalua_operate(lua_State* L, VidaLuaOperation operation);

/* Registers the class and sets vida.sin, ... in the table on top of the stack. */
void vidalua_open_expression(lua_State* L);

/* ---- what systems make of expressions (terms.c) ---------------------------------------------- */

/* Returns the expression or number at `index` as an expression of the system at 1. */
VidaExpression vidalua_check_value(lua_State* L, int index, const char* place, const char* field);
/* Methods of systems. */
int vidalua_lagrangian(lua_State* L);
int vidalua_kinetic(lua_State* L);
int vidalua_potential(lua_State* L);
int vidalua_rayleigh(lua_State* L);
int vidalua_constraint(lua_State* L);
int vidalua_nonholonomic(lua_State* L);
int vidalua_contact(lua_State* L);
int vidalua_force(lua_State* L);
int vidalua_multiplier(lua_State* L);
/* For lua/library/rows.lua: the number of rows, and the multiplier of one (from 0). */
int vidalua_row_count(lua_State* L);
int vidalua_row_multiplier(lua_State* L);
int vidalua_momentum(lua_State* L);
int vidalua_event(lua_State* L); /* event.c */
int vidalua_coupling(lua_State* L);
int vidalua_observe(lua_State* L);
int vidalua_parameter(lua_State* L);
int vidalua_set_parameter(lua_State* L);
int vidalua_get_parameter(lua_State* L);

/* ---- vectors (vector.c) ---------------------------------------------------------------------- */

/* A vector is a list of numbers and expressions with this metatable. */
#define VIDALUA_VECTOR "vida.vector"

/* Gives the list on top of the stack the metatable of vectors. */
void vidalua_make_vector(lua_State* L);
/* Whether the value is a vector or a point: what an expression or a number then combines with. */
bool vidalua_is_vector(lua_State* L, int index);
/* An operator on arguments 1 and 2, one of them a vector or a point; pushes the result. */
void vidalua_combine_vectors(lua_State* L, VidaLuaOperation operation);
/* Sets the operators of vectors in the metatable on top of the stack. */
void vidalua_set_vector_operators(lua_State* L);
/* Pushes a list of the values at `index`: the list or the vector itself, the position of a point;
 * returns its length. */
int vidalua_push_values(lua_State* L, int index, const char* place);
/* Pushes a copy of the list or vector of finite numbers at `index` as a vector, if it has `count`
 * components (0: any number but none). Returns false, and pushes nothing, for anything else. */
bool vidalua_copy_numbers(lua_State* L, int index, int count);
/* Registers the class and sets vida.vector, vida.dot, ... in the table on top of the stack. */
void vidalua_open_vector(lua_State* L);

/* ---- the part of the binding that is written in Lua (library.c, lua/library/) ---------------- */

/* Files of lua/library/, which the build puts into C arrays; the last one has no name. */
typedef struct VidaLuaFile {
  const char* name;
  const unsigned char* text;
  size_t size;
} VidaLuaFile;
extern const VidaLuaFile vidalua_library[];

/* Runs them with the module on top of the stack, as chunks of (vida, system_methods, library). */
void vidalua_open_library(lua_State* L);
/* library.add_line(system, name, style, points) (drawing.c) */
int vidalua_add_line(lua_State* L);
int vidalua_hide_lines(lua_State* L);
int vidalua_draw_ends(lua_State* L);
/* library.read_trajectory(place): its titles and rows; "" for numbers that were not measured
 * (trajectory.c) */
int vidalua_read_trajectory(lua_State* L);

/* ---- bodies and their points as objects (body.c) --------------------------------------------- */

#define VIDALUA_BODY "vida.body"
#define VIDALUA_BODY_POINT "vida.body_point"
#define VIDALUA_BODY_DIRECTION "vida.body_direction"

enum { VIDALUA_COORDINATES_MOST = 12 }; /* of a body */

/* Whether the value is a body, a point or a direction of one. */
bool vidalua_is_object(lua_State* L, int index);
/* Makes the nodes of the positions of new coordinates, which follow each other; returns the first
 * one. */
VidaExpression vidalua_first_node(lua_State* L, VidaSystem* system, int first, int count);
/* Functions of the library. */
int vidalua_object_class(lua_State* L);
int vidalua_new_object(lua_State* L);
int vidalua_object_state(lua_State* L);
int vidalua_new_body(lua_State* L);
int vidalua_frames_of_bodies(lua_State* L);
int vidalua_new_body_point(lua_State* L);
int vidalua_body_point(lua_State* L);
int vidalua_point_method(lua_State* L);
int vidalua_add_plain_body(lua_State* L);
int vidalua_join_points(lua_State* L);

/* ---- bodies, joints and forces (mechanics.c): functions of the library ----------------------- */

/* Reads the list at field `field` of a table into `values`, at most `most` numbers; false where
 * there is none. */
bool vidalua_read_numbers(lua_State* L, int table, const char* field, int most, double* values);
/* The end whose frame is entry i of the list at `frames`: { body = number } or { point = particle
 * }, else the ground; its place is the list `field` of the table `values`. */
VidaEnd vidalua_read_end(lua_State* L, int frames, int i, int values, const char* field);
/* The drive of the arguments (system, what, name, frames, values), without its rate. */
VidaDrive vidalua_read_drive(lua_State* L);
int vidalua_add_fixed_body(lua_State* L);
int vidalua_add_rod(lua_State* L);
int vidalua_add_plane_body(lua_State* L);
int vidalua_add_rigid_body(lua_State* L);
int vidalua_add_joint(lua_State* L);
int vidalua_add_link(lua_State* L);
int vidalua_add_drive(lua_State* L);
int vidalua_add_angle(lua_State* L);
int vidalua_add_guide(lua_State* L);
int vidalua_add_spring(lua_State* L);
int vidalua_add_damper(lua_State* L);
int vidalua_add_torsion(lua_State* L);
int vidalua_add_rolling_disk(lua_State* L);
int vidalua_add_plane_contact(lua_State* L);
int vidalua_add_sphere_contact(lua_State* L);
int vidalua_add_knife_edge(lua_State* L);
int vidalua_end_position(lua_State* L); /* and those below: kinematics.c */
int vidalua_end_velocity(lua_State* L);
int vidalua_end_direction(lua_State* L);
int vidalua_angular_velocity(lua_State* L);
int vidalua_body_angle(lua_State* L);
int vidalua_end_start(lua_State* L);
int vidalua_place_at(lua_State* L);
int vidalua_direction_at(lua_State* L);
int vidalua_direction_start(lua_State* L);
int vidalua_add_variable_link(lua_State* L);
int vidalua_add_angle_drive(lua_State* L);
int vidalua_add_prescribed_value(lua_State* L);
int vidalua_curve_point(lua_State* L);
int vidalua_add_curve(lua_State* L);
int vidalua_add_curve_contact(lua_State* L);
int vidalua_add_parametric_curve(lua_State* L);
int vidalua_add_torque(lua_State* L);
int vidalua_principal_axes(lua_State* L);
int vidalua_from_matrix(lua_State* L);
int vidalua_across(lua_State* L);

/* ---- charts (chart.c) ------------------------------------------------------------------------ */

int vidalua_chart(lua_State* L); /* system:chart { coordinates = ..., embedding = ... } */

/* ---- options (options.c) --------------------------------------------------------------------- */

/* Pushes an object that owns the options which *the result will point to. */
VidaOptions** vidalua_new_options(lua_State* L);
void vidalua_open_options(lua_State* L);
VidaLuaNames vidalua_option_names(const VidaOptions* options);
/* Sets an option from the value at `index`; messages begin with "place.field". */
void vidalua_set_option(lua_State* L, VidaOptions* options, const VidaOptionRow* row, int index,
                        const char* place, const char* field);
/* The state that is the table on top of the stack: positions, velocities, multipliers by names or
 * as lists, or "values" with the columns of a trajectory. What is not there is NaN. (state.c) */
void vidalua_read_state(lua_State* L, const VidaSystem* system, const char* place, double* q,
                        double* v, double* lambda);
/* { label =, values = { x = 1, ["d x/dt"] = 2 } } on top of the stack; returns the label, or NULL.
 */
const char* vidalua_read_start(lua_State* L, const VidaSystem* system, const char* place, double* q,
                               double* v);

/* Sets the reference of a study from what the script says at `index`: "auto", a method, a function
 * of time or { exact = function }, { states = list }. What it needs is kept in user value 1 of the
 * comparison. (reference.c) */
void vidalua_read_reference(lua_State* L, VidaStudy* study, int comparison, int index);
/* Reads the starts at `index`: a list, or { count = N, at = function }. What they need is kept in
 * user value 2 of the comparison. Their errors have places, "starts[3].values". (starts.c) */
VidaStarts vidalua_read_starts(lua_State* L, const VidaSystem* system, int comparison, int index);
/* Whether a function of a script that is a reference runs, in the middle of a comparison: what it
 * works with must not be freed, and no other comparison can begin. */
bool vidalua_is_reference_at_work(lua_State* L);
/* Reads { "rattle", h = 0.01, ... } and visits it; with `lists`, options may be lists, and every
 * combination of their values is visited. */
typedef void VidaLuaVisitor(lua_State* L, const VidaOptions* options, const char* place,
                            void* data);
void vidalua_read_method(lua_State* L, int index, const char* place, bool lists,
                         VidaLuaVisitor* visit, void* data);
int vidalua_methods(lua_State* L);            /* vida.methods */
int vidalua_plugin(lua_State* L);             /* vida.plugin */
int vidalua_comparison_options(lua_State* L); /* vida.comparison_options */

/* ---- the other classes ----------------------------------------------------------------------- */

#define VIDALUA_COMPARISON "vida.comparison"
#define VIDALUA_RESULT "vida.result"
#define VIDALUA_STEPPER "vida.stepper"

/* Registers the class and pushes vida.compare, vida.work_precision and vida.drift. */
void vidalua_open_comparison(lua_State* L);
void vidalua_open_result(lua_State* L);
/* Pushes the result of the comparison at `index`, which has run and was watched by the recording at
 * `recording`; its files are in `folder` (nullable). */
void vidalua_push_result(lua_State* L, int index, int recording, const char* folder);
/* The study of the comparison at `index`; raises an error when it is closed. */
VidaStudy* vidalua_check_study(lua_State* L, int index);
void vidalua_open_stepper(lua_State* L);
int vidalua_new_stepper(lua_State* L);  /* the method system:stepper */
int vidalua_load_stepper(lua_State* L); /* vida.load */

int vidalua_setting(lua_State* L); /* vida.setting */
int vidalua_seed(lua_State* L);    /* library.given_seed */
/* Sets options of a comparison that were given from outside and that no vida.setting has read. */
void vidalua_apply_settings(lua_State* L, VidaOptions* options);
/* Whether runs of this method are wanted. */
bool vidalua_is_selected(lua_State* L, const char* method);

#endif
