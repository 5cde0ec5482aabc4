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

/* ---- the page -------------------------------------------------------------------------------- */

/* An observer that keeps some hundred states of each run in memory, evenly thinned out, with the
 * points of the system's drawing: what a page shows beside the rows. Create it before VidaStudy_Run
 * and free it before the study. Of very large systems it keeps the first coordinates, rows and
 * points, and of very many runs the first ones; the page says so. */
typedef struct VidaRecording VidaRecording;
int VidaRecording_Create(const VidaStudy* study, VidaRecording** recording, VidaError* error);
void VidaRecording_Destroy(VidaRecording** recording); /* NULL is allowed */
VidaObserver VidaRecording_Observer(VidaRecording* recording);

/* What only the caller knows; every member is nullable. */
typedef struct VidaPageFacts {
  const char* scenario; /* where it came from: "scenarios/pendulum.lua" */
  const char* software; /* versions besides those of VIDA and SUNDIALS: "Lua 5.4.6" */
} VidaPageFacts;

/* Makes sure that a page can be written there, and removes what was there: to be asked before a
 * long computation. */
int VidaReport_PreparePage(const char* path, VidaError* error);
/* Writes one self-contained HTML page on the studies, which have been run: what was run, the table,
 * plots and an animation. It needs neither a network nor anything beside it. Appears under its name
 * when it is whole. */
int VidaReport_Page(const VidaRecording* const* recordings, int count, const VidaPageFacts* facts,
                    const char* path, VidaError* error);
/* The data of the page alone, as strict JSON, and a page made of such a file. */
int VidaReport_PageData(const VidaRecording* const* recordings, int count,
                        const VidaPageFacts* facts, const char* path, VidaError* error);
int VidaReport_PageFromData(const char* data_path, const char* path, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
