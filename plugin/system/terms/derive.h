/* The derivation of terms from expressions to tapes. */
#ifndef VIDA_SYSTEM_TERMS_DERIVE_H
#define VIDA_SYSTEM_TERMS_DERIVE_H

#include <vida/expression.h>

#include "system/model/model.h"
#include "system/terms/dependence.h"
#include "system/terms/traced.h"

typedef enum vida_traced_kind {
  VIDA_TRACED_LAGRANGIAN,
  VIDA_TRACED_POTENTIAL, /* L = -V(q) */
  /* Adds a kinetic energy with a constant diagonal mass matrix; fails with VIDA_NOT_SUPPORTED if
   * the expression is not one. */
  VIDA_TRACED_MASS,
  /* Adds a kinetic energy with a constant mass matrix that is not diagonal; fails with
   * VIDA_NOT_SUPPORTED if the expression is not one. */
  VIDA_TRACED_KINETIC,
  VIDA_TRACED_FORCE,
  VIDA_TRACED_CONSTRAINT,
  VIDA_TRACED_NONHOLONOMIC,
  VIDA_TRACED_VALUE /* an observable */
} vida_traced_kind;

/* Derives a term given as expressions: a single one, or `count` forces that act on coordinates[i]
 * (otherwise NULL). The caller owns the only reference to *traced. */
int vida__derive_term(const VidaSystem* system, vida_traced_kind kind, const char* name, int count,
                      const int* coordinates, const VidaExpression* expressions,
                      vida_traced** traced, VidaError* error);

#endif
