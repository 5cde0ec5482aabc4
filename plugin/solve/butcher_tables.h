/* The formulas that a user can choose by the option `integrator`: the Butcher tables of ARKODE and
 * of VIDA, and the multistep formulas of CVODE. These lists are the only ones. The choices of the
 * option and its help, messages, the guide and tests/solve/test_ode.c follow from them.
 *
 * FIRST is for the first row of a list, X for the others:
 *   X(NAME, name, class, order, embedded, table, note)
 *   class     the package: its class without the prefix (vida__erkstep, integrator.h)
 *   order     order of the formula, for multistep formulas the highest one
 *   embedded  order of the embedded formula, which estimates the error; 0: there is none, so steps
 *             are fixed
 *   table     number of its table in ARKODE; VIDA_OWN_TABLE: its coefficients are in
 *             butcher_tables.c; VIDA_NO_TABLE: it is a multistep formula
 *   note      for the help, beside the order: "" or "; note" */
#ifndef VIDA_SOLVE_BUTCHER_TABLES_H
#define VIDA_SOLVE_BUTCHER_TABLES_H

#include <stdbool.h>

/* Explicit tables, for ERKStep. */
#define VIDA_EXPLICIT_TABLE_LIST(FIRST, X)                                                  \
  FIRST(EULER, "euler", erkstep, 1, 0, VIDA_OWN_TABLE, "")                                  \
  X(HEUN, "heun", erkstep, 2, 1, ARKODE_HEUN_EULER_2_1_2, "")                               \
  X(MIDPOINT, "midpoint", erkstep, 2, 0, VIDA_OWN_TABLE, "")                                \
  X(BOGACKI_SHAMPINE, "bogacki-shampine", erkstep, 3, 2, ARKODE_BOGACKI_SHAMPINE_4_2_3, "") \
  X(RK4, "rk4", erkstep, 4, 0, VIDA_OWN_TABLE, "")                                          \
  X(ZONNEVELD, "zonneveld", erkstep, 4, 3, ARKODE_ZONNEVELD_5_3_4, "")                      \
  X(CASH_KARP, "cash-karp", erkstep, 5, 4, ARKODE_CASH_KARP_6_4_5, "")                      \
  X(DORMAND_PRINCE, "dormand-prince", erkstep, 5, 4, ARKODE_DORMAND_PRINCE_7_4_5, "")       \
  X(VERNER, "verner", erkstep, 6, 5, ARKODE_VERNER_8_5_6, "")                               \
  X(FEHLBERG, "fehlberg", erkstep, 8, 7, ARKODE_FEHLBERG_13_7_8,                            \
    "; its error estimate is zero for forces of time alone")

/* Multistep formulas, for CVODE. */
#define VIDA_MULTISTEP_LIST(FIRST, X)                     \
  FIRST(ADAMS, "adams", cvode, 12, 11, VIDA_NO_TABLE, "") \
  X(BDF, "bdf", cvode, 5, 4, VIDA_NO_TABLE, "")

/* Implicit tables, for ARKStep. Those of order 3 to 5 are the implicit parts of the pairs of
 * Kennedy and Carpenter, Applied Numerical Mathematics 44 (2003). */
#define VIDA_IMPLICIT_TABLE_LIST(FIRST, X)                                                       \
  FIRST(SDIRK2, "sdirk2", arkstep, 2, 1, ARKODE_SDIRK_2_1_2, "; SDIRK-2-1-2")                    \
  X(ESDIRK3, "esdirk3", arkstep, 3, 2, ARKODE_ARK324L2SA_DIRK_4_2_3, "; that of ARK3(2)4L[2]SA") \
  X(ESDIRK4, "esdirk4", arkstep, 4, 3, ARKODE_ARK436L2SA_DIRK_6_3_4, "; that of ARK4(3)6L[2]SA") \
  X(ESDIRK5, "esdirk5", arkstep, 5, 4, ARKODE_ARK548L2SA_DIRK_8_4_5,                             \
    "; that of ARK5(4)8L[2]SA; Kennedy and Carpenter 2003")

#define VIDA_INTEGRATOR_LIST(FIRST, X) \
  VIDA_EXPLICIT_TABLE_LIST(FIRST, X)   \
  VIDA_MULTISTEP_LIST(X, X)            \
  VIDA_IMPLICIT_TABLE_LIST(X, X)

#define VIDA_INTEGRATOR_ENUMERATOR(name, text, class, order, embedded, table, note) \
  VIDA_INTEGRATOR_##name,
typedef enum vida_integrator {
  VIDA_INTEGRATOR_LIST(VIDA_INTEGRATOR_ENUMERATOR, VIDA_INTEGRATOR_ENUMERATOR) VIDA_INTEGRATOR_COUNT
} vida_integrator;
#undef VIDA_INTEGRATOR_ENUMERATOR

/* The names as choices of an option, "euler|heun|...", in the order of vida_integrator. */
#define VIDA_INTEGRATOR_NAME(name, text, class, order, embedded, table, note) text
#define VIDA_INTEGRATOR_CHOICE(name, text, class, order, embedded, table, note) "|" text
#define VIDA_INTEGRATOR_CHOICES VIDA_INTEGRATOR_LIST(VIDA_INTEGRATOR_NAME, VIDA_INTEGRATOR_CHOICE)

/* The help of this option: the names by kinds, with their orders. */
#define VIDA_INTEGRATOR_ORDER(name, text, class, order, embedded, table, note) \
  text " (" #order note ")"
#define VIDA_INTEGRATOR_NEXT(name, text, class, order, embedded, table, note) \
  ", " text " (" #order note ")"
#define VIDA_INTEGRATOR_ORDERS(LIST) LIST(VIDA_INTEGRATOR_ORDER, VIDA_INTEGRATOR_NEXT)
#define VIDA_INTEGRATOR_HELP \
  "Explicit Runge-Kutta table of ERKStep, with its order: " VIDA_INTEGRATOR_ORDERS(       \
      VIDA_EXPLICIT_TABLE_LIST) "; multistep method of CVODE, which always takes rtol: "  \
  VIDA_INTEGRATOR_ORDERS(VIDA_MULTISTEP_LIST) "; or implicit table of ARKStep, which "    \
  "steps over stiff springs and dampers: " VIDA_INTEGRATOR_ORDERS(                        \
      VIDA_IMPLICIT_TABLE_LIST) "."

/* Returns the name of an integrator. */
const char* vida__integrator_name(vida_integrator integrator);
/* Returns the order of an integrator, for multistep methods the highest one. */
int vida__integrator_order(vida_integrator integrator);
/* Returns the order of the embedded formula, which estimates errors; 0: there is none. */
int vida__integrator_embedded_order(vida_integrator integrator);
/* Returns whether an integrator is a multistep method. */
bool vida__integrator_is_multistep(vida_integrator integrator);
/* Returns whether an integrator is a table of ARKStep, whose steps solve equations by Newton's
 * method. */
bool vida__integrator_is_implicit(vida_integrator integrator);
/* Returns whether an integrator can choose its own steps. */
bool vida__integrator_is_adaptive(vida_integrator integrator);

/* Returns the table of a one-step method, an ARKodeButcherTable; NULL without memory. The caller
 * frees it with ARKodeButcherTable_Free. */
struct ARKodeButcherTableMem* vida__butcher_table(vida_integrator integrator);

#endif
