/* Patterns: the equations of a joint, a force or a body, derived once for all that are alike in a
 * system. A pattern is an element (VidaSystem_AddElement) of its frames' coordinates and of its
 * parameters. */
#ifndef VIDA_SYSTEM_MECHANICS_PATTERN_H
#define VIDA_SYSTEM_MECHANICS_PATTERN_H

#include "system/mechanics/frame.h"
#include "system/model/model.h"

enum { VIDA_PATTERN_FRAMES = 2, VIDA_PATTERN_ENTRIES = 12, VIDA_PATTERN_ROWS = 6 };

/* A parameter of a pattern with its value in an instance. */
typedef struct vida_entry {
  const char* name;
  int count; /* of components; 0: a number */
  double value[3];
  int link; /* of a number: one more than the parameter of the system that it follows; 0: none */
} vida_entry;

/* The pattern while its equations are written. */
typedef struct vida_trace {
  VidaSystem* system;
  vida_graph* graph;
  vida_view view[VIDA_PATTERN_FRAMES];
  int extra[VIDA_FRAME_MOST], extra_rate[VIDA_FRAME_MOST]; /* coordinates beside the frames' */
  int extra_count;
  int entry_count;
  const vida_entry* entries;
  int parameter[3 * VIDA_PATTERN_ENTRIES]; /* nodes, entry by entry */
  int time;
} vida_trace;

typedef struct vida_trace_row {
  const char* name;
  const char* unit;
  int node;
} vida_trace_row;

/* The equations: an energy or a dissipation as a node, rows as a list of which the count is
 * returned. NULL: there is no such part. */
typedef struct vida_equations {
  int (*kinetic)(vida_trace* trace);
  int (*potential)(vida_trace* trace);
  int (*rayleigh)(vida_trace* trace);
  int (*constraint)(vida_trace* trace, vida_trace_row* rows);
  int (*nonholonomic)(vida_trace* trace, vida_trace_row* rows);
} vida_equations;

/* An instance that is added. */
typedef struct vida_instance {
  const char* key;   /* of the equations: those of one key differ by frames and entries only */
  const char* title; /* of the pattern, in messages: "revolute" */
  const char* name;
  int frame_count;
  vida_frame frame[VIDA_PATTERN_FRAMES];
  int extra_count;
  int extra[VIDA_FRAME_MOST]; /* coordinates of the system */
  int entry_count;
  vida_entry entries[VIDA_PATTERN_ENTRIES];
} vida_instance;

/* The vector, or the number, of a parameter; a vector without components where the instance has no
 * such parameter. */
vida_vector vida__trace_vector(const vida_trace* trace, const char* name);
int vida__trace_number(const vida_trace* trace, const char* name);
bool vida__trace_has(const vida_trace* trace, const char* name);

void vida__instance_vector(vida_instance* instance, const char* name, int count,
                           const double* value);
void vida__instance_number(vida_instance* instance, const char* name, double value, int link);
/* Adds it to the system, with a pattern that is written when the first instance needs it. */
int vida__add_instance(VidaSystem* system, vida_instance* instance, const vida_equations* equations,
                       VidaError* error);

/* A pattern with the names of its instances, no two of which are alike. */
typedef struct vida_pattern_record {
  VidaSystem* element;
  char* key;
  vida_string_table names;
  int name_count;
  size_t name_capacity;
  char** name_list;
} vida_pattern_record;

/* Patterns and bodies of a system. */
struct vida_mechanics {
  int pattern_count, body_count;
  size_t pattern_capacity, body_capacity;
  vida_pattern_record* patterns;
  vida_body* bodies;
};
/* Those of the system, which are made when they are first needed; NULL without memory. */
struct vida_mechanics* vida__mechanics(VidaSystem* system);
void vida__mechanics_destroy(struct vida_mechanics** mechanics);

#endif
