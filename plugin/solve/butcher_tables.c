/* The integrators by name, and the coefficients of the tables that are not in every version of
 * ARKODE. */
#include "solve/butcher_tables.h"

/* These headers declare the numbers of tables in all versions of ARKODE. */
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_erkstep.h>
#include <string.h>

#include "solve/integrator.h"

/* ---- integrators ----------------------------------------------------------------------------- */

/* Numbers that ARKODE gives to no table. */
enum { VIDA_NO_TABLE = -1, VIDA_OWN_TABLE = -2 };

typedef struct integrator_facts {
  const char* name;
  const vida_integrator_class* class;
  int order, embedded;
  int table; /* ARKODE's number of it, or one of the above */
} integrator_facts;

#define FACTS(name, text, class, order, embedded, table, note) \
  {(text), &vida__##class, (order), (embedded), (table)},
static const integrator_facts facts[] = {VIDA_INTEGRATOR_LIST(FACTS, FACTS)};
#undef FACTS

const vida_integrator_class* vida__integrator_class(vida_integrator integrator) {
  return facts[integrator].class;
}

const char* vida__integrator_name(vida_integrator integrator) {
  return facts[integrator].name;
}

int vida__integrator_order(vida_integrator integrator) {
  return facts[integrator].order;
}

bool vida__integrator_is_multistep(vida_integrator integrator) {
  return facts[integrator].class->is_multistep;
}

bool vida__integrator_is_implicit(vida_integrator integrator) {
  return facts[integrator].class->is_implicit;
}

bool vida__integrator_is_adaptive(vida_integrator integrator) {
  return facts[integrator].embedded > 0;
}

int vida__integrator_embedded_order(vida_integrator integrator) {
  return facts[integrator].embedded;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static ARKodeButcherTable load_table(const integrator_facts* fact) {
  if (fact->table == VIDA_NO_TABLE) {
    return NULL;
  }
  return fact->class->is_implicit ? ARKodeButcherTable_LoadDIRK((ARKODE_DIRKTableID)fact->table)
                                  : ARKodeButcherTable_LoadERK((ARKODE_ERKTableID)fact->table);
}

struct ARKodeButcherTableMem* vida__butcher_table(vida_integrator integrator) {
  static const double euler[] = {0.0};
  static const double euler_weights[] = {1.0};
  static const double midpoint_nodes[] = {0.0, 0.5};
  static const double midpoint[] = {0.0, 0.0, 0.5, 0.0};
  static const double midpoint_weights[] = {0.0, 1.0};
  static const double rk4_nodes[] = {0.0, 0.5, 0.5, 1.0};
  static const double rk4[] = {0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0,
                               0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0};
  static const double rk4_weights[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  static const struct {
    int stages;
    const double *nodes, *matrix, *weights;
  } own[VIDA_INTEGRATOR_COUNT] = {
      [VIDA_INTEGRATOR_EULER] = {1, euler, euler, euler_weights},
      [VIDA_INTEGRATOR_MIDPOINT] = {2, midpoint_nodes, midpoint, midpoint_weights},
      [VIDA_INTEGRATOR_RK4] = {4, rk4_nodes, rk4, rk4_weights}};
  const int stages = own[integrator].stages;
  double nodes[4], matrix[16], weights[4];
  if (facts[integrator].table != VIDA_OWN_TABLE) {
    return load_table(&facts[integrator]);
  }
  memcpy(nodes, own[integrator].nodes, (size_t)stages * sizeof *nodes);
  memcpy(matrix, own[integrator].matrix, (size_t)(stages * stages) * sizeof *matrix);
  memcpy(weights, own[integrator].weights, (size_t)stages * sizeof *weights);
  return ARKodeButcherTable_Create(stages, facts[integrator].order, 0, nodes, matrix, weights,
                                   NULL);
}
