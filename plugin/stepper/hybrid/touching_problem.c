/* The complementarity problem of touching contacts: of their impulses and rates, or of their forces
 * and accelerations. Its unknowns are those of the rows of touching contacts, H = 1 and W = D. */
#include "stepper/hybrid/touching_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- creation -------------------------------------------------------------------------------- */

static int allocate_problem(vida_touching_problem* made, size_t rows) {
  vida_contact_problem* problem = &made->problem;
  const vida_array arrays[] = {{&made->rates, rows},
                               {&made->bias, rows},
                               {&made->softness, rows},
                               {&made->least, rows},
                               {&problem->friction, rows},
                               {&problem->impulse, rows},
                               {&problem->diagonal, rows},
                               {&problem->h.value, rows},
                               {&problem->w.value, rows * rows},
                               {&problem->dense, vida__contact_work((int)rows)}};
  made->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  made->touching = vida__allocate(2 * rows, sizeof *made->touching);
  problem->first = vida__allocate(rows + 1, sizeof *problem->first);
  problem->h.start = vida__allocate(2 * (rows + 1), sizeof *problem->h.start);
  problem->h.index = vida__allocate(rows, sizeof *problem->h.index);
  problem->w.index = vida__allocate(rows * rows, sizeof *problem->w.index);
  problem->pivot = vida__allocate(VIDA_DIRECT_ROWS, sizeof *problem->pivot);
  if (!made->block || !made->touching || !problem->first || !problem->h.start ||
      !problem->h.index || !problem->w.index || !problem->pivot) {
    return VIDA_OUT_OF_MEMORY;
  }
  made->row = made->touching + rows;
  problem->w.start = problem->h.start + rows + 1;
  problem->v = made->rates;
  problem->bias = made->bias;
  problem->softness = made->softness;
  problem->is_direct = true;
  return VIDA_SUCCESS;
}

int vida__touching_problem_create(int rows, vida_touching_problem** problem) {
  vida_touching_problem* made = vida__allocate(1, sizeof *made);
  *problem = made;
  return made ? allocate_problem(made, rows < VIDA_IMPACT_ROWS ? (size_t)rows : VIDA_IMPACT_ROWS)
              : VIDA_OUT_OF_MEMORY;
}

void vida__touching_problem_destroy(vida_touching_problem** problem) {
  vida_touching_problem* old = *problem;
  if (!old) {
    return;
  }
  free(old->block);
  free(old->touching);
  free(old->problem.first);
  free(old->problem.h.start);
  free(old->problem.h.index);
  free(old->problem.w.index);
  free(old->problem.pivot);
  free(old);
  *problem = NULL;
}

/* ---- the problem ----------------------------------------------------------------------------- */

void vida__pose_touching(vida_hybrid_contacts* own) {
  vida_touching_problem* posed = own->problem;
  vida_contact_problem* problem = &posed->problem;
  int rows = 0;
  problem->contacts = 0;
  for (int i = 0; i < own->touching_count; i++) {
    const vida_touching* at = &own->touching[i];
    if (!(own->delassus[at->row * VIDA_IMPACT_ROWS + at->row] > 0.0)) {
      continue;
    }
    posed->touching[problem->contacts] = i;
    problem->friction[problem->contacts] = own->list[at->contact].friction;
    problem->first[problem->contacts++] = rows;
    for (int k = 0; k <= at->slip_count; k++) {
      posed->row[rows++] = at->row + k;
    }
  }
  problem->first[problem->contacts] = rows;
  problem->size = rows;
  problem->least = NULL;
  memset(posed->bias, 0, (size_t)rows * sizeof *posed->bias);
  for (int r = 0; r <= rows; r++) {
    problem->h.start[r] = r;
    problem->w.start[r] = r * rows;
  }
  for (int r = 0; r < rows; r++) {
    problem->h.index[r] = r;
    problem->h.value[r] = 1.0;
    for (int s = 0; s < rows; s++) {
      problem->w.index[r * rows + s] = s;
      problem->w.value[r * rows + s] =
          own->delassus[posed->row[s] * VIDA_IMPACT_ROWS + posed->row[r]];
    }
  }
}

bool vida__solve_touching(vida_touching_problem* posed, const double* rates) {
  enum { FEW_SWEEPS = 20, MOST_SWEEPS = 20000 };
  static const double finest = 1e-15, coarsest = 1.01e-11;
  vida_contact_problem* problem = &posed->problem;
  for (double accuracy = finest; accuracy < coarsest; accuracy *= 10.0) {
    problem->accuracy = accuracy;
    problem->sweeps = 10.0 * accuracy < coarsest ? FEW_SWEEPS : MOST_SWEEPS;
    for (int r = 0; r < problem->size; r++) {
      posed->rates[r] = rates[posed->row[r]];
      problem->impulse[r] = 0.0;
    }
    if (vida__solve_contacts(problem)) {
      return true;
    }
  }
  return false;
}
