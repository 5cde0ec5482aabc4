/* Checks of a model before integration: derivatives against difference quotients, sizes and
 * sparsity, rank and degrees of freedom, initial values, symmetries, and conserved quantities. */
#ifndef VIDA_CHECK_H
#define VIDA_CHECK_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/stepper.h>
#include <vida/study.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a check. */
typedef struct VidaCheck VidaCheck;

/* Severities of findings. */
typedef enum VidaSeverity {
  VIDA_SEVERITY_NOTE,    /* information */
  VIDA_SEVERITY_WARNING, /* allowed, but perhaps a mistake */
  VIDA_SEVERITY_ERROR    /* a mistake: runs would fail or give wrong results */
} VidaSeverity;

/* A finding about the model. */
typedef struct VidaFinding {
  VidaSeverity severity;           /* its severity */
  char subject[128];               /* a term, constraint or momentum; "start" or "constraints" */
  char message[VIDA_MESSAGE_SIZE]; /* one sentence */
} VidaFinding;

/* Sizes of a model. */
typedef struct VidaCheckNumbers {
  int coordinates;         /* n */
  int constraints;         /* m: all constraint rows */
  int nonholonomic;        /* nonholonomic rows among them */
  long jacobian_entries;   /* nonzero entries of G */
  long matrix_entries;     /* nonzero entries of the KKT matrix */
  long factor_entries;     /* nonzero entries of its factors; -1: not known */
  int rank;                /* rank of G at the start; -1: not known */
  int degrees_of_freedom;  /* n - rank; -1: not known */
  double energy;           /* v L_v - L at the start, J; NaN: not known */
  bool energy_is_constant; /* no force, drive, explicit time or event changes it */
  VidaStepPlan plan;       /* of steps of rattle; name NULL: rattle does not accept the system */
} VidaCheckNumbers;

/* Errors of the derivatives of a term, a constraint or a force: the largest of its instances. */
typedef struct VidaCheckPart {
  const char* name; /* name of the first instance */
  const char* kind; /* "spring", "potential", "constraint", ... */
  int instances;    /* number of instances */
  int width;        /* number of coordinates of an instance */
  /* largest error of first derivatives relative to the largest derivative; NaN: not measured */
  double first;
  double second;   /* largest relative error of second derivatives; NaN: not measured */
  double discrete; /* |D f dq - (f1 - f0)|, relative; NaN: there is no discrete derivative */
  /* largest relative defect of D f under translations and rotations that leave f invariant; NaN:
   * there are none */
  double equivariance;
} VidaCheckPart;

/* Checks a completed system at its start, at the time t (s) with the options of VidaSystem_Start
 * (NULL for the defaults). Mistakes in the model are findings; the return value is nonzero only if
 * the check itself fails. In small systems the check compares the derivatives of all instances, in
 * large systems those of some instances of each kind. The caller owns *check and frees it with
 * VidaCheck_Destroy, before the system. */
VIDA_API int VidaCheck_Create(const VidaSystem* system, double t, const VidaStartOptions* options,
                              VidaCheck** check, VidaError* error);
/* Checks the system of a comparison at the start of the comparison, before or after VidaStudy_Run.
 * The caller owns *check and frees it with VidaCheck_Destroy, before the system. */
VIDA_API int VidaStudy_Check(const VidaStudy* study, VidaCheck** check, VidaError* error);
/* Frees the result of a check and sets *check to NULL; NULL is allowed. */
VIDA_API void VidaCheck_Destroy(VidaCheck** check);

/* Returns the sizes of the model. */
VIDA_API VidaCheckNumbers VidaCheck_Numbers(const VidaCheck* check);

/* Returns the notes of VidaSystem_Start about the initial values. */
VIDA_API const char* VidaCheck_Notes(const VidaCheck* check);
/* Returns the number of findings. */
VIDA_API int VidaCheck_FindingCount(const VidaCheck* check);
/* Returns the finding with this index, in the order of the checks; NULL for an unknown index. It
 * belongs to the check. */
VIDA_API const VidaFinding* VidaCheck_Finding(const VidaCheck* check, int index);
/* Returns the highest severity of all findings; VIDA_SEVERITY_NOTE without findings. */
VIDA_API VidaSeverity VidaCheck_Worst(const VidaCheck* check);
/* Returns the number of terms, constraints and forces whose derivatives were measured. */
VIDA_API int VidaCheck_PartCount(const VidaCheck* check);
/* Returns the measurements with this index; NULL for an unknown index. They belong to the check. */
VIDA_API const VidaCheckPart* VidaCheck_Part(const VidaCheck* check, int index);
/* Returns the value at the start of the momentum map with this index (VidaSystem_MomentumCount);
 * NaN for an unknown index. */
VIDA_API double VidaCheck_Momentum(const VidaCheck* check, int index);

#ifdef __cplusplus
}
#endif
#endif
