/* The complementarity problem of touching contacts: of their impulses and rates, or of their forces
 * and accelerations. Its unknowns are those of the rows of touching contacts, H = 1 and W = D. */
#include "stepper/hybrid/touching_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

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
                               {&problem->dense, vida__contact_work((int)rows, (int)rows)}};
  made->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof *arrays);
  made->touching = vida__allocate(2 * rows, sizeof *made->touching);
  problem->first = vida__allocate(rows + 1, sizeof *problem->first);
  problem->h.start = vida__allocate(2 * (rows + 1), sizeof *problem->h.start);
  problem->h.index = vida__allocate(rows, sizeof *problem->h.index);
  problem->w.index = vida__allocate(rows * rows, sizeof *problem->w.index);
  problem->pivot = vida__allocate(VIDA_HELD_ROWS, sizeof *problem->pivot);
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

double vida__effect_on(const vida_hybrid_contacts* own, int k, const vida_touching* at, int row) {
  const double* d = own->delassus + (size_t)k * VIDA_IMPACT_ROWS;
  double sum = d[row];
  for (int s = 0; at->state == VIDA_TOUCHING_SLIDES && s < at->slip_count; s++) {
    sum -= own->list[at->contact].friction * at->direction[s] * d[at->row + 1 + s];
  }
  return sum;
}

/* Lists the contacts and rows of the problem. */
static void list_rows(vida_hybrid_contacts* own) {
  vida_touching_problem* posed = own->problem;
  vida_contact_problem* problem = &posed->problem;
  int rows = 0;
  problem->contacts = 0;
  for (int i = 0; i < own->touching_count; i++) {
    const vida_touching* at = &own->touching[i];
    const bool slides = at->state == VIDA_TOUCHING_SLIDES;
    if (!at->is_candidate || !(own->delassus[at->row * VIDA_IMPACT_ROWS + at->row] > 0.0)) {
      continue;
    }
    posed->touching[problem->contacts] = i;
    problem->friction[problem->contacts] = slides ? 0.0 : own->list[at->contact].friction;
    problem->first[problem->contacts++] = rows;
    for (int k = 0; k <= (slides ? 0 : at->slip_count); k++) {
      posed->row[rows++] = at->row + k;
    }
  }
  problem->first[problem->contacts] = rows;
  problem->size = rows;
}

void vida__pose_touching(vida_hybrid_contacts* own) {
  vida_touching_problem* posed = own->problem;
  vida_contact_problem* problem = &posed->problem;
  list_rows(own);
  const int rows = problem->size;
  problem->least = NULL;
  memset(posed->bias, 0, (size_t)rows * sizeof *posed->bias);
  for (int r = 0; r <= rows; r++) {
    problem->h.start[r] = r;
    problem->w.start[r] = r * rows;
  }
  for (int c = 0; c < problem->contacts; c++) {
    const vida_touching* at = &own->touching[posed->touching[c]];
    for (int r = problem->first[c]; r < problem->first[c + 1]; r++) {
      problem->h.index[r] = r;
      problem->h.value[r] = 1.0;
      for (int s = 0; s < rows; s++) {
        problem->w.index[r * rows + s] = s;
        problem->w.value[r * rows + s] = vida__effect_on(own, posed->row[s], at, posed->row[r]);
      }
    }
  }
}

double vida__free_size(const vida_hybrid_contacts* own) {
  double size = 0.0;
  for (int r = 0; r < own->problem->problem.size; r++) {
    size = fmax(size, fabs(own->work[own->problem->row[r]]));
  }
  return size;
}

bool vida__solve_touching(vida_touching_problem* posed, const double* rates, double enough) {
  enum { FEW_SWEEPS = 20, MOST_SWEEPS = 20000 };
  static const double finest = 1e-15;
  vida_contact_problem* problem = &posed->problem;
  for (double accuracy = finest; accuracy < 10.0 * enough; accuracy *= 10.0) {
    problem->accuracy = fmin(accuracy, enough);
    problem->sweeps = accuracy < enough ? FEW_SWEEPS : MOST_SWEEPS;
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

static bool is_candidate(const vida_touching* at) {
  return at->is_candidate;
}

int vida__fail_touching(const vida_hybrid* hybrid, const char* what, const char* unit,
                        VidaError* error) {
  const vida_hybrid_contacts* own = hybrid->contacts;
  char names[VIDA_MESSAGE_SIZE / 2] = "", t[VIDA_REAL_TEXT_SIZE], left[VIDA_REAL_TEXT_SIZE];
  char more[VIDA_METHODS_SIZE] = "";
  const bool is_wave = own->law == VIDA_IMPACT_WAVE;
  vida__append_contacts(own, is_candidate, names, sizeof names);
  vida__append_stepping(hybrid->frame->self.model.system, is_wave ? ", or try " : ", ", "or", "",
                        more, sizeof more);
  return vida__fail(error, VIDA_STEP_NOT_CONVERGED,
                    "no %s were found that end the approach of %s at t = %s, %s %s are left: the "
                    "contacts may contradict each other; change them%s%s",
                    what, names, vida__real_text(t, hybrid->tried.t, 10),
                    vida__real_text(left, own->problem->problem.residual, 3), unit,
                    is_wave ? "" : ", or try impact_law = wave", more);
}
