/* Output of results: terminal table, CSV, strict JSON, trajectories, pictures, HTML page. Numbers
 * are written with %.17g in the C locale; NaN ("not measured") is an empty field in CSV, null in
 * JSON. */
#ifndef VIDA_REPORT_H
#define VIDA_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a table for a terminal of `width` characters (0: 100): title, notes, one line per run, and
 * the messages of failed runs below. It shows only columns with values. */
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

/* Prepares a folder for results, before a long computation: creates it with its parents, checks
 * that files can be written there, and removes the results of an earlier run (the rows, the page
 * and the pictures, and the trajectories that the rows name) but no other files. */
int VidaReport_PrepareFolder(const char* directory, VidaError* error);
/* The number of partial trajectories in a folder: those that are being written, or were when their
 * run was killed; 0 if the folder cannot be read. */
int VidaReport_CountPartial(const char* directory);
/* A folder that this process holds for its results. */
typedef struct VidaFolder VidaFolder;
/* Prepares a folder as VidaReport_PrepareFolder does and locks it against other processes. Fails
 * with the flag "IN_USE" if another process holds it; a lock ends with its process. The caller owns
 * *folder and frees it with VidaReport_ReleaseFolder, also after failed output. */
int VidaReport_HoldFolder(const char* directory, VidaFolder** folder, VidaError* error);
/* Unlocks a folder, frees it and sets *folder to NULL; NULL is allowed. */
void VidaReport_ReleaseFolder(VidaFolder** folder);
/* Writes DIRECTORY/comparison.csv and comparison.json, and, for a single study, study.txt, with
 * further data for pictures (units, norm, pattern of the KKT matrix). Files appear when they are
 * complete. The results of several studies are also written to DIRECTORY/1, DIRECTORY/2, ... */
int VidaReport_Write(const VidaStudy* const* studies, int count, const char* directory,
                     VidaError* error);

/* An observer that writes the trajectory of every run. */
typedef struct VidaTrajectories VidaTrajectories;
/* Creates an observer for VidaStudy_Run that writes DIRECTORY/<run>.csv for every run of a study.
 * The file is <run>.csv.partial during the run, and <run>.incomplete.csv if the run fails. Creates
 * the directory if necessary. The caller owns *trajectories and frees it with
 * VidaTrajectories_Destroy. */
int VidaTrajectories_Create(const VidaStudy* study, const char* directory,
                            VidaTrajectories** trajectories, VidaError* error);
/* Frees the observer and sets *trajectories to NULL; NULL is allowed. */
void VidaTrajectories_Destroy(VidaTrajectories** trajectories);
/* The callbacks for VidaStudy_Run. */
VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories);

/* ---- comparison of files --------------------------------------------------------------------- */

/* When two numbers count as different: beyond both tolerances. rtol is relative to the larger value
 * in comparisons, and to the largest value of the column in trajectories. */
typedef struct VidaTolerance {
  double rtol, atol; /* relative and absolute tolerance */
  bool all;          /* list every cell that differs, not only the first ones */
  bool common;       /* ignore rows and columns that only one file has */
} VidaTolerance;

/* Compares two files comparison.csv, with rows matched by system, method, options, h and rtol
 * (without wall_s and message), or two trajectories, with rows matched by t. Writes the cells that
 * differ and the largest difference of each column to `file`, and whether nothing differs to *same.
 * Fails with VIDA_INPUT_OUTPUT if a file cannot be read, with VIDA_BAD_ARGUMENT for files of
 * different kinds. */
int VidaReport_Compare(const char* first, const char* second, const VidaTolerance* tolerance,
                       FILE* file, bool* same, VidaError* error);

/* ---- pictures --------------------------------------------------------------------------------
 * Drawn by gnuplot (found in PATH when it is needed) from the results in a folder. */

/* A kind of picture. */
typedef struct VidaPlotKind {
  const char* name; /* "energy" */
  const char* text; /* description */
  bool automatic;   /* drawn when no kind is selected */
} VidaPlotKind;
/* The kind of picture of an index, in the order of drawing; NULL outside the list. */
const VidaPlotKind* Vida_PlotKind(int index);

/* The description of a picture; members other than `kind` may be zero. */
typedef struct VidaPlot {
  const char* kind;           /* "energy" */
  int study;                  /* index of the comparison in the folder, from 0 */
  const char* folder;         /* for the picture; NULL: `plots` in the folder of the comparison */
  const char* name;           /* of its files, without extension; NULL: the kind */
  const char* title;          /* NULL: system and kind */
  bool svg, png;              /* formats; neither: svg */
  const char* const* methods; /* names of methods to draw, ended by NULL; NULL: all */
  const double* steps;        /* steps h or tolerances rtol to draw (step_count) */
  int step_count;             /* number of `steps`; 0: all */
  /* columns to draw, ended by NULL: of trajectories, or errors of comparison.csv */
  const char* const* columns;
  double from, to; /* s, range of time; both 0: all */
} VidaPlot;

/* Draws one picture of the results in `directory`: NAME.svg or NAME.png, with the script NAME.gp,
 * which can be changed and run again, and the data NAME.dat. A method has one colour in all
 * pictures of a folder. Fails with VIDA_NOT_SUPPORTED and the flag "NO_DATA" if the results have no
 * data for it, or the flag "NO_GNUPLOT" without gnuplot; with VIDA_UNKNOWN_NAME for an unknown
 * kind, method or column; with VIDA_INPUT_OUTPUT if a file cannot be read or written, or with the
 * message of gnuplot. */
int VidaReport_Plot(const char* directory, const VidaPlot* plot, VidaError* error);
/* The number of comparisons in a folder of results; 0 with `error` filled if there are none. */
int VidaReport_StudyCount(const char* directory, VidaError* error);
/* Whether gnuplot is installed. */
bool VidaReport_HasGnuplot(void);

/* ---- the page -------------------------------------------------------------------------------- */

/* An observer that records states for the page. */
typedef struct VidaRecording VidaRecording;
/* Creates an observer for VidaStudy_Run that records some hundred states of each run, evenly
 * spaced, with the points of the drawing of the system. Of very large systems it records the first
 * coordinates, rows and points only, and of very many runs equally many of each method; the page
 * says so. The caller owns *recording and frees it with VidaRecording_Destroy, before the study. */
int VidaRecording_Create(const VidaStudy* study, VidaRecording** recording, VidaError* error);
/* Frees a recording and sets *recording to NULL; NULL is allowed. */
void VidaRecording_Destroy(VidaRecording** recording);
/* The callbacks for VidaStudy_Run. */
VidaObserver VidaRecording_Observer(VidaRecording* recording);

/* Facts for the page that only the caller knows; every member is nullable. */
typedef struct VidaPageFacts {
  const char* scenario; /* the script: "scenarios/pendulum.lua" */
  const char* software; /* versions of other software than VIDA and SUNDIALS: "Lua 5.4.6" */
} VidaPageFacts;

/* Prepares the output of a page, before a long computation: checks that the file can be written,
 * and removes an old one. */
int VidaReport_PreparePage(const char* path, VidaError* error);
/* Writes one self-contained HTML page on `count` completed studies, with a description of the runs,
 * the table, plots and an animation; `facts` is nullable. The file appears when it is complete. */
int VidaReport_Page(const VidaRecording* const* recordings, int count, const VidaPageFacts* facts,
                    const char* path, VidaError* error);
/* Write the data of the page as strict JSON, and make a page from such a file. */
int VidaReport_PageData(const VidaRecording* const* recordings, int count,
                        const VidaPageFacts* facts, const char* path, VidaError* error);
int VidaReport_PageFromData(const char* data_path, const char* path, VidaError* error);

#ifdef __cplusplus
}
#endif
#endif
