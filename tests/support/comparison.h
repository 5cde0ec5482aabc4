/* Comparisons described by short texts. */
#ifndef VIDA_TEST_COMPARISON_H
#define VIDA_TEST_COMPARISON_H

#include <vida/vida.h>

/* Options as the command line writes them: "del-midpoint h=0.1 start=two-point". */
VidaOptions* comparison_method(const char* text);
/* A study of the system with the options of a comparison ("time=1 norm=max"); a failure ends the
 * test, as in all functions without a return code. */
VidaStudy* comparison_study(const VidaSystem* system, const char* options);
int comparison_reference(VidaStudy* study, const char* method, VidaError* error);
int comparison_run(VidaStudy* study, const char* method, VidaError* error);
/* The same, where a failure ends the test. */
void comparison_add(VidaStudy* study, const char* reference, const char* const* runs, int count);

#endif
