/* Announced in the headers, not there yet. */
#include <math.h>
#include <vida/expression.h>
#include <vida/stepper.h>

#include "base/error.h"

#define NOT_YET vida__fail(error, VIDA_NOT_SUPPORTED, "not there yet")

int VidaSystem_ParameterExpression(VidaSystem* system, int parameter, VidaExpression* expression,
                                   VidaError* error) {
  (void)system, (void)parameter, (void)expression;
  return NOT_YET;
}

int VidaSystem_AddExpressionNonholonomic(VidaSystem* system, const char* name, const char* unit,
                                         VidaExpression row, VidaError* error) {
  (void)system, (void)name, (void)unit, (void)row;
  return NOT_YET;
}

int VidaSystem_AddExpressionForce(VidaSystem* system, const char* name, int count,
                                  const int* coordinates, const VidaExpression* force,
                                  VidaError* error) {
  (void)system, (void)name, (void)count, (void)coordinates, (void)force;
  return NOT_YET;
}

int VidaSystem_AddExpressionRayleigh(VidaSystem* system, const char* name,
                                     VidaExpression dissipation, VidaError* error) {
  (void)system, (void)name, (void)dissipation;
  return NOT_YET;
}

int VidaSystem_AddObservable(VidaSystem* system, const char* name, const char* unit, bool conserved,
                             VidaExpression value, VidaError* error) {
  (void)system, (void)name, (void)unit, (void)conserved, (void)value;
  return NOT_YET;
}

int VidaSystem_AddElement(VidaSystem* system, const VidaSystem* element, const char* name,
                          const int* coordinates, const double* parameters, const int* links,
                          VidaError* error) {
  (void)system, (void)element, (void)name, (void)coordinates, (void)parameters, (void)links;
  return NOT_YET;
}

int VidaSystem_AddMotion(VidaSystem* system, VidaMotion kind, const int* coordinates,
                         VidaError* error) {
  (void)system, (void)kind, (void)coordinates;
  return NOT_YET;
}

int VidaSystem_AddParameter(VidaSystem* system, const char* name, double value, int* index,
                            VidaError* error) {
  (void)system, (void)name, (void)value, (void)index;
  return NOT_YET;
}

int VidaSystem_SetParameter(VidaSystem* system, int parameter, double value, VidaError* error) {
  (void)system, (void)parameter, (void)value;
  return NOT_YET;
}

int VidaSystem_ParameterCount(const VidaSystem* system) {
  (void)system;
  return 0;
}

const char* VidaSystem_ParameterName(const VidaSystem* system, int parameter) {
  (void)system, (void)parameter;
  return NULL;
}

double VidaSystem_ParameterValue(const VidaSystem* system, int parameter) {
  (void)system, (void)parameter;
  return (double)NAN;
}

int VidaSystem_ParameterIndex(const VidaSystem* system, const char* name) {
  (void)system, (void)name;
  return -1;
}

int VidaSystem_ObservableCount(const VidaSystem* system) {
  (void)system;
  return 0;
}

const char* VidaSystem_ObservableName(const VidaSystem* system, int index) {
  (void)system, (void)index;
  return NULL;
}

const char* VidaSystem_ObservableUnit(const VidaSystem* system, int index) {
  (void)system, (void)index;
  return NULL;
}

bool VidaSystem_ObservableIsConserved(const VidaSystem* system, int index) {
  (void)system, (void)index;
  return false;
}

bool VidaSystem_ConstraintIsNonholonomic(const VidaSystem* system, int row) {
  (void)system, (void)row;
  return false;
}

int VidaSystem_Accelerations(const VidaSystem* system, double t, const double* q, const double* v,
                             double* a, double* lambda, VidaError* error) {
  (void)system, (void)t, (void)q, (void)v, (void)a, (void)lambda;
  return NOT_YET;
}

int VidaStepper_Observables(VidaStepper* stepper, double* values, VidaError* error) {
  (void)stepper, (void)values, (void)error;
  return VIDA_SUCCESS;
}
