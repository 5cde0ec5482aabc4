/* The atlas of work and precision: what every method has cost on systems of different kinds, and
 * what that says about another system. */
#ifndef VIDA_DIAGNOSE_ATLAS_H
#define VIDA_DIAGNOSE_ATLAS_H

#include <vida/advice.h>

/* A system of the atlas. */
typedef struct vida_atlas_system {
  const char* name;
  double time;                    /* of its runs, s */
  double rate;                    /* VidaRates.largest at its start, 1/s */
  double features[VIDA_FEATURES]; /* VIDA_FEATURE_LIST */
} vida_atlas_system;

/* Runs of a method on a system, by errors; 0: it did not reach the error. */
typedef struct vida_atlas_row {
  int system;
  const char *method, *options;
  bool adaptive;
  double seconds[VIDA_ATLAS_ERRORS];
  double setting[VIDA_ATLAS_ERRORS]; /* step in s, or rtol */
} vida_atlas_row;

/* The data: atlas_data.c, which scenarios/atlas/measure.lua writes. */
extern const char* const vida__atlas_methods[]; /* that were measured */
extern const int vida__atlas_method_count;
extern const vida_atlas_system vida__atlas_systems[];
extern const int vida__atlas_system_count;
extern const vida_atlas_row vida__atlas_rows[];
extern const int vida__atlas_row_count;
extern const double vida__atlas_errors[VIDA_ATLAS_ERRORS];

/* Whether a method works on the system that is advised on. */
typedef bool (*vida_atlas_judge)(void* data, const vida_atlas_row* row, double setting);

/* Fills advice->nearest, advice->recommended and in_atlas of the trials from advice->features, with
 * methods that the judge lets pass. Fails only without memory. */
int vida__recommend(VidaAdvice* advice, vida_atlas_judge judge, void* data);

#endif
