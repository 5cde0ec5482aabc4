/* Records of matrices with their factors, for checkpoints. */
#ifndef VIDA_BASE_LINEAR_RECORD_H
#define VIDA_BASE_LINEAR_RECORD_H

#include "base/linear.h"
#include "base/state_record.h"

/* Visits a matrix, its last factors and the pivots with which it will be factored next; NULL is
 * allowed. Factors of KLU are made again from the same values when they are loaded. Fails with
 * VIDA_NOT_SUPPORTED for the solver of a program. */
void vida__linear_record(vida_linear* linear, VidaRecord* record);

#endif
