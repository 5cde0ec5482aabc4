/* Checking a model before it is integrated: derivatives against differences, sizes and sparsity,
 * rank and degrees of freedom, the start, symmetries, and what is constant. */
#ifndef VIDA_CHECK_H
#define VIDA_CHECK_H

#include <stdbool.h>
#include <vida/error.h>
#include <vida/study.h>
#include <vida/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What was found out about a model. */
typedef struct VidaCheck VidaCheck;

/* How bad a finding is. */
typedef enum VidaSeverity {
  VIDA_SEVERITY_NOTE,    /* worth knowing */
  VIDA_SEVERITY_WARNING, /* allowed, but perhaps not meant */
  VIDA_SEVERITY_ERROR    /* wrong: runs would be, too, or would not begin */
} VidaSeverity;

/* Something that a person should know. */
typedef struct VidaFinding {
  VidaSeverity severity;           /* how bad it is */
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

/* What was measured of a term, a constraint or a force, all instances together. */
typedef struct VidaCheckPart {
  const char* name; /* of the first of them */
  const char* kind; /* "spring", "potential", "constraint", ... */
  int instances;    /* how many there are */
  int width;        /* coordinates of an instance */
  /* largest error of first derivatives relative to the largest of them; NaN: not measured */
  double first;
  double second;   /* likewise of second derivatives */
  double discrete; /* |D f dq - (f1 - f0)|, relative; NaN: there is no discrete derivative */
  /* largest defect of D f under translations and rotations that leave f as it is, relative; NaN:
   * there are none */
  double equivariance;
} VidaCheckPart;

/* Checks a completed system at its start (t0 and options as for VidaSystem_Start; NULL for the
 * defaults). What is wrong with the model is a finding; the return value is nonzero only when the
 * check itself could not be made. Derivatives are compared for every instance of small systems, for
 * some of each kind in large ones. Free with VidaCheck_Destroy, before the system. */
int VidaCheck_Create(const VidaSystem* system, double t, const VidaStartOptions* options,
                     VidaCheck** check, VidaError* error);
/* The same for the system and the start of a comparison, whether it has run or not. */
int VidaStudy_Check(const VidaStudy* study, VidaCheck** check, VidaError* error);
/* Frees it and sets *check to NULL; NULL is allowed. */
void VidaCheck_Destroy(VidaCheck** check);

/* The sizes. */
VidaCheckNumbers VidaCheck_Numbers(const VidaCheck* check);

/* What was said about the initial values (VidaSystem_Start). */
const char* VidaCheck_Notes(const VidaCheck* check);
/* Findings, in the order in which they were made. */
int VidaCheck_FindingCount(const VidaCheck* check);
const VidaFinding* VidaCheck_Finding(const VidaCheck* check, int index); /* NULL: none */
/* The gravest severity that was found; NOTE when there is nothing. */
VidaSeverity VidaCheck_Worst(const VidaCheck* check);
/* Parts of the model. */
int VidaCheck_PartCount(const VidaCheck* check);
const VidaCheckPart* VidaCheck_Part(const VidaCheck* check, int index); /* NULL: none */
/* The momentum maps of the system (VidaSystem_MomentumCount) at the start. */
double VidaCheck_Momentum(const VidaCheck* check, int index);

#ifdef __cplusplus
}
#endif
#endif
