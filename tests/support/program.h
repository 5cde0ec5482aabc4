/* Parts of a program on SUNDIALS: a context, and its own IDA. A failure ends the test. */
#ifndef VIDA_TEST_PROGRAM_H
#define VIDA_TEST_PROGRAM_H

#include <sunlinsol/sunlinsol_dense.h>
#include <vida/sundials.h>

SUNContext program_context(void);

/* The slider-crank of SUNDIALS' example idaSlCrank_dns (R. Serban): a crank of half length 1/2, a
 * connecting rod, a spring and a damper between their middles, a constant force. Of bodies and
 * joints. */
VidaSystem* program_slider_crank(void);
/* Indices of its coordinates: crank angle, slider position, angle of the rod. */
enum { CRANK_ANGLE = 2, SLIDER = 3, ROD_ANGLE = 5 };

/* IDA on a formulation, started and set up as a program does it. */
typedef struct Program {
  SUNContext context;
  VidaFormulation* formulation;
  void* memory;
  N_Vector y, dy, id, atol;
  SUNMatrix matrix;
  SUNLinearSolver solver;
} Program;

/* Creates all of it, with the relative tolerance rtol; a sparse matrix goes with KLU. */
Program program_with_ida(const VidaSystem* system, VidaFormulationKind kind, SUNMatrix_ID matrix,
                         double rtol);
/* Calls IDASolve up to t in the mode IDA_NORMAL. */
void program_solve(Program* program, double t);
void program_free(Program* program);

#endif
