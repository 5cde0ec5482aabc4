/* The contents of a check. */
#ifndef VIDA_DIAGNOSE_CHECK_H
#define VIDA_DIAGNOSE_CHECK_H

#include <vida/check.h>

#include "base/error.h"
#include "system/evaluate/own_sizes.h"

struct VidaCheck {
  const VidaSystem* system;
  VidaCheckNumbers numbers;
  char notes[VIDA_NOTES_SIZE];
  int finding_count;
  size_t finding_capacity;
  VidaFinding* findings;
  int part_count; /* terms, then constraints */
  VidaCheckPart* parts;
  double momenta[VIDA_LARGEST_MOMENTUM_COUNT];
  bool out_of_memory; /* a finding was lost */

  vida_evaluator evaluator;
  double t;
  double *q, *v;           /* n each: the initial state; if none was found, the given values */
  double *q_near, *v_near; /* n each: a nearby state in general position */
  double* scale;           /* n: sizes of positions, by units, or own sizes far from the origin */
  vida_extent extent;
};

/* Adds a finding. */
void vida__check_find(VidaCheck* check, VidaSeverity severity, const char* subject,
                      const char* format, ...) VIDA_PRINTF_LIKE(4, 5);
/* Compares first and second derivatives of every part with difference quotients
 * (check_derivatives.c). */
int vida__check_derivatives(VidaCheck* check, VidaError* error);
/* Checks discrete derivatives, and finds the terms that break symmetries (check_symmetry.c). */
int vida__check_symmetry(VidaCheck* check, VidaError* error);
/* Finds nonholonomic rows that are integrable (check_rows.c). */
int vida__check_rows(VidaCheck* check, VidaError* error);
/* Lists events, and finds functions without a value at the start (check_events.c). */
void vida__check_events(VidaCheck* check);
/* Lists contacts, and finds gaps that are negative at the start (check_contacts.c). */
int vida__check_contacts(VidaCheck* check, VidaError* error);

/* Compares slip velocities with gaps; `rows` is the system of the rows of all contacts, whose
 * entries it lists (check_slips.c). */
int vida__check_slips(VidaCheck* check, VidaSystem* rows, VidaError* error);

/* Returns a pseudo-random number in -1 .. 1; the sequence is the same in every run. */
double vida__check_number(unsigned long long* seed);

#endif
