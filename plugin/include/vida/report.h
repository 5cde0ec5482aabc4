/* Writing results: terminal table, CSV, strict JSON, trajectories. Numbers are written with %.17g
 * whatever the locale; NaN ("not measured") is an empty field in CSV and null in JSON. */
#ifndef VIDA_REPORT_H
#define VIDA_REPORT_H

#include <stdio.h>
#include <vida/error.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table for people: title, notes, one line per run, failures in words below. `width` is that of
 * the terminal in characters (0: 100). Only columns that hold something are shown. */
int VidaReport_Table(const VidaStudy* study, FILE* file, int width, VidaError* error);

/* Rows of several studies in one document, all VIDA_COLUMNS columns. */
int VidaReport_Csv(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);
int VidaReport_Json(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);

/* Creates the folder (one level) and makes sure that files can be written there: to be asked before
 * a long computation. */
int VidaReport_PrepareFolder(const char* directory, VidaError* error);
/* Writes DIRECTORY/comparison.csv and comparison.json; neither appears unless it is complete. */
int VidaReport_Write(const VidaStudy* const* studies, int count, const char* directory,
                     VidaError* error);

/* An observer that writes DIRECTORY/<run>.csv for every run, by way of <run>.csv.partial, which is
 * renamed when the run has ended well; a failed run leaves <run>.incomplete.csv. The directory is
 * created (one level) if need be. Put VidaTrajectories_Observer into VidaStudy_Run. */
typedef struct VidaTrajectories VidaTrajectories;
int VidaTrajectories_Create(const VidaStudy* study, const char* directory,
                            VidaTrajectories** trajectories, VidaError* error);
void VidaTrajectories_Destroy(VidaTrajectories** trajectories);
VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories);

#ifdef __cplusplus
}
#endif
#endif
