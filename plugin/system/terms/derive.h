/* From expressions to what batches evaluate: derivatives are found on the graph and compiled. */
#ifndef VIDA_SYSTEM_TERMS_DERIVE_H
#define VIDA_SYSTEM_TERMS_DERIVE_H

#include <vida/expression.h>

#include "system/model/model.h"
#include "system/terms/dependence.h"
#include "system/terms/traced.h"

typedef enum vida_traced_kind {
  VIDA_TRACED_LAGRANGIAN,
  VIDA_TRACED_POTENTIAL, /* L = -V(q) */
  /* A kinetic energy of constant, diagonal mass: VIDA_NOT_SUPPORTED when it is none. */
  VIDA_TRACED_MASS,
  /* The same with a matrix that is not diagonal. */
  VIDA_TRACED_KINETIC,
  VIDA_TRACED_FORCE,
  VIDA_TRACED_CONSTRAINT,
  VIDA_TRACED_NONHOLONOMIC,
  VIDA_TRACED_VALUE /* an observable */
} vida_traced_kind;

/* Derives a term of the system's expressions: one of them, or of forces `count`, each acting on
 * coordinates[i] (else NULL). *traced has one reference, the caller's. */
int vida__derive_term(const VidaSystem* system, vida_traced_kind kind, const char* name, int count,
                      const int* coordinates, const VidaExpression* expressions,
                      vida_traced** traced, VidaError* error);

#endif
