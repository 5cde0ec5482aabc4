/* The columns of trajectories: one list for every format, for the choice of the user, and for
 * estimates of sizes. */
#ifndef VIDA_STUDY_TRAJECTORY_COLUMNS_H
#define VIDA_STUDY_TRAJECTORY_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/study.h>

#include "system/drawing/wireframe.h"

#define VIDA_PART_ENUM(name, text, automatic) VIDA_PART_##name,
typedef enum vida_part { VIDA_TRAJECTORY_PART_LIST(VIDA_PART_ENUM) VIDA_PARTS } vida_part;
#undef VIDA_PART_ENUM

/* The columns of trajectories with shadow energies. */
#define VIDA_SHADOW_COLUMN "shadow energy"
#define VIDA_SHADOW_TIME_COLUMN "t of shadow energy"

/* A column: an entry of a part. */
typedef struct vida_part_column {
  vida_part part;
  int index; /* within its part */
} vida_part_column;

/* The columns that the user chose; no parts and no single ones: all automatic parts. */
typedef struct vida_column_choice {
  unsigned parts; /* bit 1 << part of each part that is written as a whole */
  int count;
  vida_part_column* single; /* count: further columns */
} vida_column_choice;

/* All columns of the trajectories of a study but t, in their order. */
typedef struct vida_column_list {
  const VidaSystem* system;
  vida_wireframe wireframe; /* with points only if the part `drawing` is written */
  int count;
  vida_part_column* columns;
} vida_column_list;

/* Lists the columns. The caller frees *list with vida__free_columns, also after a failure. */
int vida__list_columns(const VidaStudy* study, vida_column_list* list, VidaError* error);
/* Frees a list. */
void vida__free_columns(vida_column_list* list);
/* Writes the name of a column without its unit to text, truncated to `size` bytes. */
void vida__part_column_name(const vida_column_list* list, vida_part_column column, char* text,
                            size_t size);
/* Returns the index of the point of the wireframe in a column of the part `drawing`, and its axis.
 */
int vida__drawn_point(const vida_column_list* list, int index, int* axis);
/* Returns whether the user chose columns. */
bool vida__has_column_choice(const VidaStudy* study);
/* Writes the names of the parts that are written as a whole, separated by commas. */
void vida__chosen_parts(const VidaStudy* study, char* text, size_t size);
/* Returns the part with this name of `length` bytes; VIDA_PARTS if there is none. */
vida_part vida__find_part(const char* name, size_t length);

#endif
