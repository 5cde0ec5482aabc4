/* Checks of a model before integration: derivatives against difference quotients, sizes and
 * sparsity, rank and degrees of freedom, the start, symmetries, and conserved quantities. */
#ifndef VIDA_CHECK_H
#define VIDA_CHECK_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/study.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a check. */
typedef struct VidaCheck VidaCheck;

/* Severities of findings. */
typedef enum VidaSeverity {
  VIDA_SEVERITY_NOTE,    /* worth knowing */
  VIDA_SEVERITY_WARNING, /* allowed, but perhaps not meant */
  VIDA_SEVERITY_ERROR    /* wrong: runs would give wrong results or not start */
} VidaSeverity;

/* A finding about the model. */
typedef struct VidaFinding {
  VidaSeverity severity;           /* its severity */
  char subject[128];               /* the term, constraint or momentum; "start" or "constraints" */
  char message[VIDA_MESSAGE_SIZE]; /* one sentence */
} VidaFinding;

/* Sizes of a model. */
typedef struct VidaCheckNumbers {
  int coordinates, constraints, nonholonomic; /* rows; the last ones are among the constraints */
  long jacobian_entries;                      /* of G */
  long matrix_entries;                        /* of the KKT pattern */
  long factor_entries;                        /* of its factors; -1: not known */
  int rank, degrees_of_freedom;               /* of G at the start; -1: not known */
  double energy;                              /* v L_v - L at the start; NaN: not known */
  bool energy_is_constant;                    /* no force, drive or explicit time changes it */
} VidaCheckNumbers;

/* Measurements of a term, a constraint or a force: the largest over all its instances. */
typedef struct VidaCheckPart {
  const char* name; /* of the first instance */
  const char* kind; /* "spring", "potential", "constraint", ... */
  int instances;    /* how many there are */
  int width;        /* coordinates of an instance */
  /* largest error of first derivatives relative to the largest of them; NaN: not measured */
  double first;
  double second;   /* largest relative error of second derivatives; NaN: not measured */
  double discrete; /* |D f dq - (f1 - f0)|, relative; NaN: there is no discrete derivative */
  /* largest relative defect of D f under translations and rotations that leave f invariant; NaN:
   * there are none */
  double equivariance;
} VidaCheckPart;

/* Checks a completed system at its start, at the time t (s) with the options of VidaSystem_Start
 * (NULL for the defaults). Errors of the model are findings; the return value is nonzero only if
 * the check itself failed. In small systems the derivatives of all instances are compared, in large
 * ones those of some instances of each kind. The caller owns *check and frees it with
 * VidaCheck_Destroy, before the system. */
int VidaCheck_Create(const VidaSystem* system, double t, const VidaStartOptions* options,
                     VidaCheck** check, VidaError* error);
/* Checks the system of a comparison at the start of the comparison, before or after it has run. The
 * caller owns *check and frees it with VidaCheck_Destroy, before the system. */
int VidaStudy_Check(const VidaStudy* study, VidaCheck** check, VidaError* error);
/* Frees the result of a check and sets *check to NULL; NULL is allowed. */
void VidaCheck_Destroy(VidaCheck** check);

/* The sizes of the model. */
VidaCheckNumbers VidaCheck_Numbers(const VidaCheck* check);

/* The notes of VidaSystem_Start about the initial values. */
const char* VidaCheck_Notes(const VidaCheck* check);
/* The number of findings, and one of them by its index, in the order of the checks. */
int VidaCheck_FindingCount(const VidaCheck* check);
const VidaFinding* VidaCheck_Finding(const VidaCheck* check, int index); /* NULL: none */
/* The highest severity of all findings; VIDA_SEVERITY_NOTE without findings. */
VidaSeverity VidaCheck_Worst(const VidaCheck* check);
/* The number of measured parts of the model, and one of them by its index. */
int VidaCheck_PartCount(const VidaCheck* check);
const VidaCheckPart* VidaCheck_Part(const VidaCheck* check, int index); /* NULL: none */
/* The value of a momentum map at the start, by its index (VidaSystem_MomentumCount). */
double VidaCheck_Momentum(const VidaCheck* check, int index);

#ifdef __cplusplus
}
#endif
#endif
