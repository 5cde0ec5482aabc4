/* Patterns: the equations of a kind of joint, force or body, derived once for all its instances. A
 * pattern is an element (VidaSystem_AddElement) whose coordinates are those of its frames.
 *
 * An instance may contain expressions of its system, such as the angle of a drive as a function of
 * time. Its pattern then contains copies of them, and only instances with these expressions share
 * it. */
#ifndef VIDA_SYSTEM_MECHANICS_PATTERN_H
#define VIDA_SYSTEM_MECHANICS_PATTERN_H

#include "system/mechanics/frame.h"
#include "system/model/model.h"

enum {
  VIDA_PATTERN_FRAMES = 2,
  VIDA_PATTERN_ENTRIES = 32,
  VIDA_PATTERN_ROWS = 6,
  VIDA_PATTERN_EXPRESSIONS = 3,
  VIDA_PATTERN_NAME_SIZE = 32
};

/* A parameter of a pattern with its value in an instance. */
typedef struct vida_entry {
  const char* name;
  int count; /* number of components; 0: a number */
  double value[3];
  int link; /* a number follows the parameter link - 1 of the system; 0: none */
} vida_entry;

typedef struct vida_instance vida_instance;

/* A pattern while its equations are derived. */
typedef struct vida_trace {
  VidaSystem* system;
  const VidaSystem* source; /* the system of the instance */
  const vida_instance* instance;
  vida_graph* graph;
  vida_view view[VIDA_PATTERN_FRAMES];
  int extra[VIDA_FRAME_MOST], extra_rate[VIDA_FRAME_MOST]; /* nodes of other coordinates */
  int extra_count;
  int entry_count;
  const vida_entry* entries;
  int parameter[3 * VIDA_PATTERN_ENTRIES]; /* nodes, entry by entry */
  int time;
  vida_vector curve_point; /* replaces vida__curve_input; without components: nothing */
} vida_trace;

/* A row. If `name` is NULL, it has the name of the instance. */
typedef struct vida_trace_row {
  const char* name;
  const char* unit;
  int node;
} vida_trace_row;

/* The formulas of a pattern. The functions return the node of an energy or a dissipation, or write
 * rows and return their number. NULL: the pattern has no such part. */
typedef struct vida_pattern_formulas {
  int (*kinetic)(vida_trace* trace);
  int (*potential)(vida_trace* trace);
  int (*rayleigh)(vida_trace* trace);
  int (*constraint)(vida_trace* trace, vida_trace_row* rows);
  int (*nonholonomic)(vida_trace* trace, vida_trace_row* rows);
} vida_pattern_formulas;

/* An instance to be added. */
struct vida_instance {
  const char* key;   /* identifies the formulas */
  const char* title; /* of the pattern, in messages: "revolute" */
  const char* name;
  int frame_count;
  vida_frame frame[VIDA_PATTERN_FRAMES];
  int extra_count;
  int extra[VIDA_FRAME_MOST]; /* other coordinates of the system on which it depends */
  int entry_count;
  vida_entry entries[VIDA_PATTERN_ENTRIES];
  int expression_count;
  int expressions[VIDA_PATTERN_EXPRESSIONS]; /* of the system */
  char parameter_names[VIDA_PATTERN_ENTRIES + 1]
                      [VIDA_PATTERN_NAME_SIZE]; /* of those in expressions */
  int parameter_name_count;
  const char* unit; /* unit of the rows, if the caller chooses it; otherwise NULL */
};

/* Return the vector or the number of a parameter, and whether the instance has it. Without the
 * parameter, the vector has no components. */
vida_vector vida__trace_vector(const vida_trace* trace, const char* name);
int vida__trace_number(const vida_trace* trace, const char* name);
bool vida__trace_has(const vida_trace* trace, const char* name);

/* Add a parameter to an instance: a vector of `count` components, or a number. `link` is that of
 * vida_entry. */
void vida__instance_vector(vida_instance* instance, const char* name, int count,
                           const double* value);
void vida__instance_number(vida_instance* instance, const char* name, double value, int link);
/* Adds an expression of the system to an instance whose frames are known. The parameters on which
 * it depends become entries; the coordinates that no frame has become `extra`. Fails with
 * VIDA_BAD_ARGUMENT, and names the key, for an expression that does not exist, and for one that
 * depends on too many parameters or coordinates. */
int vida__instance_expression(const VidaSystem* system, vida_instance* instance, const char* key,
                              int expression, VidaError* error);
/* Copies expression number `i` of the instance to the pattern and returns its node. */
int vida__trace_expression(vida_trace* trace, int i);
/* Returns the input of a graph that stands for component `i` of the point on a curve
 * (VidaSystem_CurvePoint). */
int vida__curve_input(vida_graph* graph, int i);

/* Adds an instance to the system. Derives its pattern if no earlier instance has. */
int vida__add_instance(VidaSystem* system, vida_instance* instance,
                       const vida_pattern_formulas* formulas, VidaError* error);

typedef struct vida_pattern_record {
  VidaSystem* element;
  char* key;
} vida_pattern_record;

/* Patterns, which systems may share. */
typedef struct vida_pattern_set {
  int references;
  int count;
  size_t capacity;
  vida_pattern_record* records;
} vida_pattern_set;

/* Patterns and bodies of a system. */
struct vida_mechanics {
  vida_pattern_set* patterns;       /* NULL until the first one */
  vida_pattern_set* own_patterns;   /* those with expressions of this system; never shared */
  vida_string_table instance_names; /* "title: name", each once */
  vida_string_table fixed_names;    /* of bodies that do not move, which have no particle */
  int body_count;
  size_t body_capacity;
  vida_body* bodies;
};
/* Returns the patterns and bodies of a system, and creates them in the first call; NULL without
 * memory. */
struct vida_mechanics* vida__mechanics(VidaSystem* system);
/* Frees patterns and bodies and sets *mechanics to NULL; NULL is allowed. */
void vida__mechanics_destroy(struct vida_mechanics** mechanics);

#endif
