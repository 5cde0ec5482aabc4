/* Formulations for the integrators of a program: creation and matrices. */
#include "embed/formulation.h"

#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <vida/contact.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sundials.h"

/* ---- creation -------------------------------------------------------------------------------- */

static vida_formulation form_of(VidaFormulationKind kind) {
  switch (kind) {
    case VIDA_FORMULATION_INDEX_3:
    case VIDA_FORMULATION_POSITIONS:
      return (vida_formulation){.level = VIDA_AT_POSITION};
    case VIDA_FORMULATION_INDEX_2:
      return (vida_formulation){.level = VIDA_AT_VELOCITY};
    case VIDA_FORMULATION_GGL:
      return (vida_formulation){.level = VIDA_AT_VELOCITY, .projects = true};
    case VIDA_FORMULATION_INDEX_1:
    case VIDA_FORMULATION_ODE:
    default:
      return (vida_formulation){.level = VIDA_AT_ACCELERATION};
  }
}

/* The Jacobian of (v, a): the diagonal, q' by v, and full rows of a. */
static int build_ode_pattern(vida_pattern* pattern, int n) {
  int entries = 0;
  pattern->size = 2 * n;
  pattern->column_start = vida__allocate(2 * (size_t)n + 1, sizeof *pattern->column_start);
  pattern->row = vida__allocate(2 * (size_t)n * ((size_t)n + 1), sizeof *pattern->row);
  if (!pattern->column_start || !pattern->row) {
    return VIDA_OUT_OF_MEMORY;
  }
  for (int j = 0; j < 2 * n; j++) {
    pattern->row[entries++] = j % n;
    for (int i = n; i < 2 * n; i++) {
      pattern->row[entries++] = i;
    }
    pattern->column_start[j + 1] = entries;
  }
  pattern->entries = entries;
  return VIDA_SUCCESS;
}

static int allocate_values(VidaFormulation* made) {
  const size_t n = (size_t)made->n;
  const size_t m = (size_t)made->m;
  const bool is_ode = made->kind == VIDA_FORMULATION_ODE;
  const bool is_position = made->kind == VIDA_FORMULATION_POSITIONS;
  const vida_array arrays[] = {{&made->position_size, n},
                               {&made->speed_size, n},
                               {&made->multiplier_size, m},
                               {&made->value_size, m},
                               {&made->rate_size, m},
                               {&made->q, n},
                               {&made->v, n},
                               {&made->a, n},
                               {&made->lambda, m},
                               {&made->step, n + m},
                               {&made->given, n},
                               {&made->dq, n},
                               {&made->dv, n},
                               {&made->g, m},
                               {&made->rate, m},
                               {&made->state, 2 * n + m},
                               {&made->motion, 2 * n + 2 * m},
                               {&made->columns, is_ode ? (size_t)made->form.pattern.entries : 0},
                               {&made->mass, is_position ? (size_t)made->pattern.entries : 0},
                               {&made->values, (size_t)made->pattern.entries}};
  made->block = vida__allocate_arrays(arrays, sizeof arrays / sizeof arrays[0]);
  made->unit_group = vida__allocate(n, sizeof *made->unit_group);
  made->row_group = vida__allocate(m, sizeof *made->row_group);
  return made->block && made->unit_group && made->row_group ? VIDA_SUCCESS : VIDA_OUT_OF_MEMORY;
}

static void take_groups(VidaFormulation* made) {
  for (int i = 0; i < made->n; i++) {
    made->unit_group[i] = made->system->coordinates[i].alike;
  }
  for (int r = 0; r < made->m; r++) {
    made->row_group[r] = made->system->rows[r].alike;
  }
}

static void set_projection(VidaFormulation* made) {
  made->projection = (vida_state_projection){.system = made->system,
                                             .projector = made->projector,
                                             .accuracy = 0.0,
                                             .value_size = made->value_size,
                                             .given = made->given,
                                             .dq = made->dq,
                                             .dv = made->dv,
                                             .g = made->g,
                                             .rate = made->rate};
}

static int create_ode(VidaFormulation* made, VidaError* error) {
  int code = build_ode_pattern(&made->pattern, made->n) ? vida__fail_memory(error) : VIDA_SUCCESS;
  code = code ? code : vida__equations_condense(made->equations, error);
  if (!code && made->m > 0) {
    code = vida__projector_create(made->system, VIDA_PROJECTION_MASS, VIDA_SOLVER_AUTO,
                                  made->equations, &made->projector, error);
  }
  return code;
}

static int create_dae(VidaFormulation* made, VidaError* error) {
  const bool is_position = made->kind == VIDA_FORMULATION_POSITIONS;
  made->pattern = is_position ? made->system->pattern : made->form.pattern;
  if (vida__context_create(&made->own_context)) {
    return vida__fail_memory(error);
  }
  return vida__linear_create(made->own_context, &made->system->pattern, VIDA_SOLVER_AUTO,
                             &made->linear, error);
}

static int create(VidaFormulation* made, VidaError* error) {
  const bool is_ode = made->kind == VIDA_FORMULATION_ODE;
  int code = vida__evaluator_create(made->system, &made->evaluator, error);
  code = code ? code : vida__formulation_create(made->system, &made->evaluator, &made->form, error);
  code =
      code ? code : vida__equations_create(made->system, VIDA_SOLVER_AUTO, &made->equations, error);
  code = code ? code : is_ode ? create_ode(made, error) : create_dae(made, error);
  if (!code && allocate_values(made)) {
    code = vida__fail_memory(error);
  }
  if (!code) {
    made->size = made->pattern.size;
    take_groups(made);
    set_projection(made);
  }
  return code;
}

int VidaFormulation_Create(const VidaSystem* system, VidaFormulationKind kind, SUNContext context,
                           VidaFormulation** formulation, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, formulation)) {
    return VIDA_BAD_ARGUMENT;
  }
  *formulation = NULL;
  if (VIDA_REFUSE_NULL(error, system, context)) {
    return VIDA_BAD_ARGUMENT;
  }
  if ((int)kind < VIDA_FORMULATION_INDEX_3 || kind > VIDA_FORMULATION_POSITIONS) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there is no formulation number %d", (int)kind);
  }
  if (!system->complete) {
    return vida__fail(error, VIDA_WRONG_ORDER, "system '%s' is not complete yet", system->name);
  }
  if (VidaSystem_ContactCount(system) > 0) {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "a formulation has no contacts, and system '%s' has '%s'", system->name,
                      VidaSystem_ContactName(system, 0));
  }
  VidaFormulation* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return vida__fail_memory(error);
  }
  made->kind = kind;
  made->system = system;
  made->context = context;
  made->n = system->coordinate_count;
  made->m = system->row_count;
  made->form = form_of(kind);
  const int code = create(made, error);
  if (code) {
    VidaFormulation_Destroy(&made);
    return code;
  }
  *formulation = made;
  return VIDA_SUCCESS;
}

void VidaFormulation_Destroy(VidaFormulation** formulation) {
  VidaFormulation* old = formulation ? *formulation : NULL;
  if (!old) {
    return;
  }
  vida__projector_destroy(&old->projector);
  vida__equations_destroy(&old->equations);
  vida__linear_destroy(&old->linear);
  if (old->own_context) {
    SUNContext_Free(&old->own_context);
  }
  if (old->kind == VIDA_FORMULATION_ODE) {
    free(old->pattern.column_start);
    free(old->pattern.row);
  }
  vida__formulation_release(&old->form);
  vida__evaluator_destroy(&old->evaluator);
  free(old->unit_group);
  free(old->row_group);
  free(old->block);
  free(old);
  *formulation = NULL;
}

sunindextype VidaFormulation_Size(const VidaFormulation* formulation) {
  return formulation ? formulation->size : 0;
}

const VidaSystem* VidaFormulation_System(const VidaFormulation* formulation) {
  return formulation ? formulation->system : NULL;
}

/* ---- failures -------------------------------------------------------------------------------- */

const VidaError* VidaFormulation_LastError(const VidaFormulation* formulation) {
  return formulation ? &formulation->last : NULL;
}

int vida__note_failure(VidaFormulation* formulation, const vida_evaluator* evaluator, int code) {
  if (!code) {
    formulation->last.code = VIDA_SUCCESS;
    formulation->last.message[0] = '\0';
    return code;
  }
  const char* message = evaluator->error.code == code ? evaluator->error.message : "";
  return vida__fail(&formulation->last, code, "%s", *message ? message : Vida_CodeText(code));
}

int vida__note_bad_argument(VidaFormulation* formulation, const char* message) {
  return vida__fail(&formulation->last, VIDA_BAD_ARGUMENT, "%s", message);
}

/* ---- vectors and matrices -------------------------------------------------------------------- */

int VidaFormulation_CreateVector(VidaFormulation* formulation, N_Vector* vector, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, formulation, vector)) {
    return VIDA_BAD_ARGUMENT;
  }
  *vector = vida__new_vector(formulation->size, formulation->context);
  if (!*vector) {
    return vida__fail_memory(error);
  }
  N_VConst(0.0, *vector);
  return VIDA_SUCCESS;
}

static void store_sparse(const VidaFormulation* formulation, SUNMatrix matrix) {
  const vida_pattern* pattern = &formulation->pattern;
  memcpy(SM_INDEXPTRS_S(matrix), pattern->column_start,
         ((size_t)pattern->size + 1) * sizeof *pattern->column_start);
  memcpy(SM_INDEXVALS_S(matrix), pattern->row, (size_t)pattern->entries * sizeof *pattern->row);
  memcpy(SM_DATA_S(matrix), formulation->values,
         (size_t)pattern->entries * sizeof *formulation->values);
}

static void store_dense(const VidaFormulation* formulation, SUNMatrix matrix) {
  const vida_pattern* pattern = &formulation->pattern;
  for (sunindextype j = 0; j < pattern->size; j++) {
    double* column = SM_COLUMN_D(matrix, j);
    memset(column, 0, (size_t)pattern->size * sizeof *column);
    for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
      column[pattern->row[k]] = formulation->values[k];
    }
  }
}

int vida__store_matrix(VidaFormulation* formulation, SUNMatrix matrix) {
  const sunindextype size = formulation->size;
  const bool has_kind = matrix && matrix->ops && matrix->ops->getid;
  switch (has_kind ? SUNMatGetID(matrix) : SUNMATRIX_CUSTOM) {
    case SUNMATRIX_DENSE:
      if (SM_ROWS_D(matrix) != size || SM_COLUMNS_D(matrix) != size) {
        return vida__note_bad_argument(formulation, "the matrix has another size");
      }
      store_dense(formulation, matrix);
      return VIDA_SUCCESS;
    case SUNMATRIX_SPARSE:
      if (SM_ROWS_S(matrix) != size || SM_COLUMNS_S(matrix) != size) {
        return vida__note_bad_argument(formulation, "the matrix has another size");
      }
      if (SM_SPARSETYPE_S(matrix) != CSC_MAT || SM_NNZ_S(matrix) < formulation->pattern.entries) {
        return vida__note_bad_argument(
            formulation,
            "the sparse matrix is not by columns (CSC_MAT), or lacks room for the "
            "entries of VidaFormulation_CreateMatrix");
      }
      store_sparse(formulation, matrix);
      return VIDA_SUCCESS;
    default:
      return vida__note_bad_argument(formulation, "the matrix is neither dense nor sparse");
  }
}

int VidaFormulation_CreateMatrix(VidaFormulation* formulation, SUNMatrix_ID kind, SUNMatrix* matrix,
                                 VidaError* error) {
  if (VIDA_REFUSE_NULL(error, formulation, matrix)) {
    return VIDA_BAD_ARGUMENT;
  }
  const sunindextype size = formulation->size;
  *matrix = NULL;
  if (kind == SUNMATRIX_DENSE) {
    *matrix = vida__new_dense_matrix(size, formulation->context);
  } else if (kind == SUNMATRIX_SPARSE) {
    *matrix = vida__new_sparse_matrix(size, formulation->pattern.entries, formulation->context);
  } else {
    return vida__fail(error, VIDA_NOT_SUPPORTED,
                      "a formulation has dense and sparse matrices, not those of SUNMatrix_ID %d",
                      (int)kind);
  }
  if (!*matrix) {
    return vida__fail_memory(error);
  }
  memset(formulation->values, 0, (size_t)formulation->pattern.entries * sizeof(double));
  return vida__store_matrix(formulation, *matrix);
}
