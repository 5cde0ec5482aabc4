/* The contents of a VidaSystem: coordinates, batches of terms, batches of constraints and their
 * pattern. */
#ifndef VIDA_SYSTEM_MODEL_MODEL_H
#define VIDA_SYSTEM_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/system.h>

#include "base/linear.h"
#include "base/string_table.h"
#include "system/model/kernel.h"

typedef struct vida_coordinate {
  char* name;
  const char* unit; /* among the system's units */
  int alike;        /* the first coordinate with this unit; in complete systems */
  VidaInitial position, velocity;
  double mass; /* constant part of its diagonal entry of L_vv */
} vida_coordinate;

typedef struct vida_particle {
  char* name;
  int coordinate; /* index of its first coordinate */
} vida_particle;

/* Rows of g, in the order they were added. */
typedef struct vida_row {
  char* name;           /* name of the constraint, with "(row 2)" if it has several rows */
  size_t name_length;   /* bytes of `name` that are the name of the constraint */
  const char* unit;     /* among the system's units */
  int alike;            /* the first row with this unit; in complete systems */
  double length;        /* the size of the terms of g (the length of a rod); 0 if unknown */
  bool is_nonholonomic; /* a nonholonomic row, without position level */
  bool has_rate;        /* a holonomic row that depends on time */
  /* For methods that relax constraints; NaN: not set. For nonholonomic rows, compliance is the
   * mobility. */
  double compliance, damping_time;
} vida_row;

/* The indices of an entry in the Jacobian G and in the KKT matrix. */
typedef struct vida_jacobian_entry {
  int row, coordinate;
  int row_slot;    /* of (n + row, coordinate) */
  int column_slot; /* of (coordinate, n + row) */
} vida_jacobian_entry;

/* A parameter of expressions; its value is in parameter_values. */
typedef struct vida_parameter {
  char* name;
} vida_parameter;

/* A link: a parameter of an instance that follows a parameter of the system. */
typedef struct vida_link {
  bool of_constraint; /* the batch is one of constraint_batches, not of term_batches */
  int batch;
  int place; /* index in the parameters of the batch */
  int parameter;
} vida_link;

/* A quantity that is reported beside the state. */
typedef struct vida_observable {
  char* name;
  char* unit;
  bool conserved;
} vida_observable;

/* How coordinates transform under translations and rotations of space. `coordinate` has as many
 * indices as `kind` requires. */
typedef struct vida_motion {
  VidaMotion kind;
  int coordinate[4];
} vida_motion;

enum { VIDA_LARGEST_MOMENTUM_COUNT = 6 };

/* A momentum map: sum over generators (translations, then rotations) of weight times generator. */
typedef struct vida_momentum_map {
  char name[96];
  double weight[VIDA_LARGEST_MOMENTUM_COUNT];
} vida_momentum_map;

struct VidaSystem {
  char* name;
  int dimension;
  bool complete;
  bool has_massless; /* some coordinates have no mass; constraints determine them */

  int coordinate_count;
  size_t coordinate_capacity;
  vida_coordinate* coordinates;

  int particle_count;
  size_t particle_capacity;
  vida_particle* particles;

  int spring_count;
  size_t spring_capacity;
  char** springs; /* names of the built-in springs */

  vida_texts names; /* the names of coordinates, particles, rows and bodies */
  /* Names by kinds. Reports and messages use them, so the names of one kind are unique. */
  vida_string_table coordinate_names, particle_names, row_names, spring_names;

  int motion_count; /* declared motions; coordinates of particles need none */
  size_t motion_capacity;
  vida_motion* motions;

  int parameter_count;
  size_t parameter_capacity, value_capacity;
  vida_parameter* parameters;
  double* parameter_values;
  int link_count;
  size_t link_capacity;
  vida_link* links;

  int jump_time_count; /* number of declared times, which are in ascending order */
  size_t jump_time_capacity;
  double* jump_times;

  vida_string_table units; /* of coordinates and rows */

  double gravity[3];
  double* mass;          /* n: the constant diagonal part of L_vv */
  double* uniform_force; /* n: the constant part of L_q (gravity) */
  bool only_potentials;  /* besides masses, all terms are potentials */
  bool separable;        /* L = v^T M v / 2 - V(q), M constant, diagonal and regular */
  bool constant_mass;    /* L = v^T M v / 2 - V(q) with any constant M, and forces */
  bool has_forces;       /* some term is a generalized force */
  bool has_coupled_mass; /* some kinetic energy of constant mass is not in `mass` */
  bool time_dependent;   /* some holonomic row has a rate */
  bool nonholonomic;     /* some row is nonholonomic */
  int exchange;          /* sources of energy: flags of system/power.h */

  int term_batch_count;
  size_t term_batch_capacity;
  vida_term_batch* term_batches;

  int constraint_batch_count;
  size_t constraint_batch_capacity;
  vida_constraint_batch* constraint_batches;
  int last_term_batch, last_constraint_batch; /* of the last instance; a search begins there */

  int row_count;
  size_t row_capacity;
  vida_row* rows;

  /* Expressions of forces refer to multipliers by numbers. A variant of a system, in which other
   * rows hold, has another list: multiplier_rows[number] is the row, or -1 where the constraint
   * does not hold and its multiplier is zero. */
  int multiplier_count;
  size_t multiplier_capacity;
  int* multiplier_rows;
  bool has_reactive_forces; /* some force depends on a multiplier */
  int reaction_count;       /* number of rows on whose multipliers forces depend, and */
  int* reaction_rows;       /* these, in ascending order; in complete systems */

  int observable_count;
  size_t observable_capacity, observable_batch_capacity;
  vida_observable* observables;
  vida_term_batch* observable_batches; /* one for each; only their values are used */

  int event_count;
  size_t event_capacity;
  struct vida_event* events; /* event.h */

  int entry_count;
  vida_jacobian_entry* entries;

  vida_pattern pattern;             /* of the KKT matrix, size n + m */
  int* mass_slot;                   /* n: indices of the diagonal entries of the upper left block */
  struct vida_graph* graph;         /* of expressions; NULL until the first one */
  struct vida_chart* chart;         /* NULL until its first coordinate (chart.h) */
  struct vida_drawing* drawing;     /* NULL until its first line (drawing.h) */
  struct vida_mechanics* mechanics; /* NULL until its first body or joint (pattern.h) */
  struct vida_contacts* contacts;   /* NULL until the first one (contacts.h) */
  const VidaSystem* base;           /* of a variant; otherwise NULL (contacts.h) */
  int shared_batches;               /* the first constraint batches of a variant, which share the
                                       indices of those of its base */
  size_t tape_scratch;              /* doubles of work space that an evaluator needs for tapes */
  /* Of these, from this place on: an angle, its sine and its cosine for each position (traced.h);
   * 0: no tape takes them. */
  size_t turn_place;
  size_t shared_scratch; /* doubles of work space for callbacks, behind those of the tapes */

  int momentum_count;
  vida_momentum_map momenta[VIDA_LARGEST_MOMENTUM_COUNT];
};

/* Returns whether the energy of the exact motion may change: by forces and dampers that do work, a
 * Lagrangian that depends on time, or moving constraints (power.c). */
bool vida__has_energy_sources(const VidaSystem* system);
/* Returns whether terms add nothing but masses: with constant masses, L_q is uniform_force
 * everywhere (evaluate.c). */
bool vida__has_uniform_force(const VidaSystem* system);

/* Builds the pattern, the slots and the entries (pattern.c). */
int vida__build_pattern(VidaSystem* system, VidaError* error);
/* Finds the symmetries (symmetry.c). */
int vida__find_symmetries(VidaSystem* system, VidaError* error);

#endif
