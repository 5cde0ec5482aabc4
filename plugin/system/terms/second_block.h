/* The block of second derivatives of a traced term: the pairs (i, j) of local coordinates with
 * entries, and the entry to which each output of its tapes belongs. */
#ifndef VIDA_SYSTEM_TERMS_SECOND_BLOCK_H
#define VIDA_SYSTEM_TERMS_SECOND_BLOCK_H

#include "expr/derivative.h"
#include "system/terms/traced.h"

/* Fills the lists of `traced`, which owns them, from the second derivatives and from the
 * derivatives of both kinds of discrete derivatives (nullable). Rows and columns below `width`
 * belong to positions, all others to rates. Fails with VIDA_OUT_OF_MEMORY only. */
int vida__place_second(const vida_entries* second, const vida_entries* discrete,
                       const vida_entries* joint, int width, vida_traced* traced);

/* After that, lists the entries of L_vv in traced->mass_place, and their nodes in `node`
 * (mass_count): one node for each pair of mirrored entries, so that the matrix is symmetric to the
 * last bit. Fails with VIDA_OUT_OF_MEMORY only. */
int vida__place_masses(const vida_entries* second, vida_traced* traced, int* node);

#endif
