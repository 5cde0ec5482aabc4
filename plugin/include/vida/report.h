/* Writing results: terminal table, CSV, strict JSON, trajectories. Numbers are written with %.17g
 * whatever the locale; NaN ("not measured") is an empty field in CSV and null in JSON. */
#ifndef VIDA_REPORT_H
#define VIDA_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A table for people: title, notes, one line per run, failures in words below. `width` is that of
 * the terminal in characters (0: 100). Only columns that hold something are shown. */
int VidaReport_Table(const VidaStudy* study, FILE* file, int width, VidaError* error);

/* What stands around parts of a table: escape sequences of a terminal, or "" for nothing. */
typedef struct VidaTableStyle {
  const char* title;   /* before the title */
  const char* failed;  /* before what is said of a run that has failed */
  const char* not_run; /* before the line of a run that was not begun */
  const char* plain;   /* behind each of them */
} VidaTableStyle;
/* VidaReport_Table with a style (nullable). */
int VidaReport_StyledTable(const VidaStudy* study, FILE* file, int width,
                           const VidaTableStyle* style, VidaError* error);

/* Rows of several studies in one document, with the columns of VIDA_COLUMN_LIST that the studies
 * have. */
int VidaReport_Csv(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);
int VidaReport_Json(const VidaStudy* const* studies, int count, FILE* file, VidaError* error);

/* Creates the folder with those above it and makes sure that files can be written there: to be
 * asked before a long computation. Results of an earlier run that it holds are removed: the rows,
 * the page and the pictures, and the trajectories that the rows name; no other files. */
int VidaReport_PrepareFolder(const char* directory, VidaError* error);
/* How many trajectories there are in the folder that are being written, or were when their run was
 * killed; 0 when it cannot be read. */
int VidaReport_CountPartial(const char* directory);
/* The same, and keeps other processes out until it is released, which has to be done also after a
 * failure of what is written. A folder that another process holds is refused with the flag
 * "IN_USE"; one whose holder has died is free. */
typedef struct VidaFolder VidaFolder;
int VidaReport_HoldFolder(const char* directory, VidaFolder** folder, VidaError* error);
void VidaReport_ReleaseFolder(VidaFolder** folder);
/* Writes DIRECTORY/comparison.csv and comparison.json, and of one study study.txt, with what
 * pictures need besides (units, norm, pattern of the KKT matrix); none appears unless it is
 * complete. The results of several studies are in DIRECTORY/1, DIRECTORY/2, ...: each is written
 * there as well. */
int VidaReport_Write(const VidaStudy* const* studies, int count, const char* directory,
                     VidaError* error);

/* An observer that writes DIRECTORY/<run>.csv for every run, by way of <run>.csv.partial, which is
 * renamed when the run has ended well; a failed run leaves <run>.incomplete.csv. The directory is
 * created if need be. Put VidaTrajectories_Observer into VidaStudy_Run. */
typedef struct VidaTrajectories VidaTrajectories;
int VidaTrajectories_Create(const VidaStudy* study, const char* directory,
                            VidaTrajectories** trajectories, VidaError* error);
void VidaTrajectories_Destroy(VidaTrajectories** trajectories);
VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories);

/* ---- files against each other ---------------------------------------------------------------- */

/* When two numbers differ: beyond both tolerances. In comparisons rtol is of the larger value, in
 * trajectories of the largest one in the column. */
typedef struct VidaTolerance {
  double rtol, atol; /* relative and absolute; see above */
  bool all;          /* every cell that differs is shown, not only the first ones */
  bool common;       /* rows and columns that one file only has are no difference */
} VidaTolerance;

/* Compares two comparison.csv, whose rows are matched by system, method, options, h and rtol
 * (wall_s and message are left out), or two trajectories, whose rows are matched by t: the cells
 * that differ, and the largest differences of each column, go to `file`. *same: nothing differs.
 * VIDA_INPUT_OUTPUT: a file that cannot be read; VIDA_BAD_ARGUMENT: files of other kinds. */
int VidaReport_Compare(const char* first, const char* second, const VidaTolerance* tolerance,
                       FILE* file, bool* same, VidaError* error);

/* ---- pictures --------------------------------------------------------------------------------
 * Drawn by gnuplot (found in PATH when it is needed) from the results in a folder. */

/* The kinds of pictures, in the order in which they are drawn; NULL outside. */
typedef struct VidaPlotKind {
  const char* name; /* "energy" */
  const char* text; /* what it shows */
  bool automatic;   /* drawn when no kind is asked for */
} VidaPlotKind;
const VidaPlotKind* Vida_PlotKind(int index);

/* What to draw; all but `kind` may be zero. */
typedef struct VidaPlot {
  const char* kind;           /* "energy" */
  int study;                  /* 0, 1, ...: which comparison of the folder */
  const char* folder;         /* where the picture goes; NULL: `plots` in the comparison's folder */
  const char* name;           /* of its files, without an ending; NULL: the kind */
  const char* title;          /* NULL: the system, and what is shown */
  bool svg, png;              /* which pictures; neither: svg */
  const char* const* methods; /* only these, a list that ends with NULL; NULL: all */
  const double* steps;        /* only runs of these steps h or tolerances rtol (step_count) */
  int step_count;             /* of `steps` */
  /* only these columns (ends with NULL): of trajectories, or the errors of comparison.csv */
  const char* const* columns;
  double from, to; /* in time; both 0: all of it */
} VidaPlot;

/* Draws one picture: NAME.svg and NAME.png beside NAME.gp (gnuplot's script, to be changed and run
 * again) and NAME.dat. A method has one colour in all pictures of a folder. Where the results have
 * nothing of this kind no file is written and VIDA_NOT_SUPPORTED returned with the flag "NO_DATA";
 * without gnuplot with the flag "NO_GNUPLOT". VIDA_UNKNOWN_NAME: no such kind, method or column;
 * VIDA_INPUT_OUTPUT: what cannot be read or written, or gnuplot's own message. */
int VidaReport_Plot(const char* directory, const VidaPlot* plot, VidaError* error);
/* How many comparisons the results in a folder are of; 0, and `error` filled, when it has none. */
int VidaReport_StudyCount(const char* directory, VidaError* error);
/* Whether gnuplot is there. */
bool VidaReport_HasGnuplot(void);

/* ---- the page -------------------------------------------------------------------------------- */

/* An observer that keeps some hundred states of each run in memory, evenly thinned out, with the
 * points of the system's drawing: what a page shows beside the rows. Create it before VidaStudy_Run
 * and free it before the study. Of very large systems it keeps the first coordinates, rows and
 * points, and of very many runs as many of each method as of the others; the page says so. */
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
