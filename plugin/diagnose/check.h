/* Inside a VidaCheck. */
#ifndef VIDA_DIAGNOSE_CHECK_H
#define VIDA_DIAGNOSE_CHECK_H

#include <vida/check.h>

#include "base/error.h"
#include "system/evaluate/evaluate.h"

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
  bool out_of_memory; /* some finding was lost */

  vida_evaluator evaluator;
  double t;
  double *q, *v;           /* n each: the start, or what was given of it */
  double *q_near, *v_near; /* n each: a state near it, where nothing vanishes by accident */
  double* scale;           /* n: sizes of positions, by units */
};

void vida__check_find(VidaCheck* check, VidaSeverity severity, const char* subject,
                      const char* format, ...) VIDA_PRINTF_LIKE(4, 5);
/* First and second derivatives of every part against differences (check_derivatives.c). */
int vida__check_derivatives(VidaCheck* check, VidaError* error);
/* Discrete derivatives, and what breaks which symmetry (check_symmetry.c). */
int vida__check_symmetry(VidaCheck* check, VidaError* error);
/* Rows of velocities that are integrable (check_rows.c). */
int vida__check_rows(VidaCheck* check, VidaError* error);

/* The same numbers in -1 .. 1 in every run. */
double vida__check_number(unsigned long long* seed);

#endif
