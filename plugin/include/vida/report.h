/* Output of results: terminal table, CSV, strict JSON, trajectories, pictures, HTML page. Files
 * have numbers in the format %.17g of the C locale. A value that was not measured (NaN) is an empty
 * field in CSV and null in JSON. */
#ifndef VIDA_REPORT_H
#define VIDA_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/export.h>
#include <vida/study.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a table for a terminal of `width` characters (0: 100): a title, notes, one line per run,
 * and the remarks and messages of the runs. Shows only columns that have values. */
VIDA_API int VidaReport_Table(const VidaStudy* study, FILE* file, int width, VidaError* error);

/* The style of a table: escape sequences of a terminal, or "". */
typedef struct VidaTableStyle {
  const char* title;   /* before the title */
  const char* failed;  /* before the line and the message of a failed run */
  const char* not_run; /* before the line of a run that did not begin */
  const char* plain;   /* after each of these parts */
} VidaTableStyle;
/* Writes a table as VidaReport_Table does, with a style (nullable). */
VIDA_API int VidaReport_StyledTable(const VidaStudy* study, FILE* file, int width,
                                    const VidaTableStyle* style, VidaError* error);

/* Writes the rows of `count` studies to a file as one CSV table, with the columns of
 * VIDA_COLUMN_LIST that the studies have. */
VIDA_API int VidaReport_Csv(const VidaStudy* const* studies, int count, FILE* file,
                            VidaError* error);
/* Writes the rows of `count` studies to a file as one JSON array, with the columns of
 * VIDA_COLUMN_LIST that the studies have. */
VIDA_API int VidaReport_Json(const VidaStudy* const* studies, int count, FILE* file,
                             VidaError* error);

/* Prepares a folder for results before a long computation: creates it with its parents, checks that
 * it can be written to, and removes the results of an earlier run (rows, page, pictures, and the
 * trajectories that the rows name). Other files stay. */
VIDA_API int VidaReport_PrepareFolder(const char* directory, VidaError* error);
/* Returns the number of incomplete trajectories in a folder, whose runs are still writing them or
 * were killed; 0 if the folder cannot be read. */
VIDA_API int VidaReport_CountPartial(const char* directory);
/* A folder that this process has locked for its results. */
typedef struct VidaFolder VidaFolder;
/* Locks a folder against other processes and prepares it as VidaReport_PrepareFolder does. The lock
 * ends with the process at the latest. Fails with the flag "IN_USE" if another process has locked
 * the folder. The caller owns *folder and frees it with VidaReport_ReleaseFolder, even if the
 * output fails. */
VIDA_API int VidaReport_HoldFolder(const char* directory, VidaFolder** folder, VidaError* error);
/* Locks a folder as VidaReport_HoldFolder does, but keeps the results in it, for
 * VidaJournal_Resume. Fails with the flag "NOTHING_UNFINISHED" if it holds no unfinished study. The
 * caller owns *folder and frees it with VidaReport_ReleaseFolder. */
VIDA_API int VidaReport_ReopenFolder(const char* directory, VidaFolder** folder, VidaError* error);
/* Returns whether a folder holds a study that has not ended, or whose process was killed. */
VIDA_API bool VidaReport_IsUnfinished(const char* directory);
/* Returns whether it has a journal, for VidaJournal_Resume. An unfinished sweep (VidaSweep_Run) has
 * none yet. */
VIDA_API bool VidaReport_HasJournal(const char* directory);
/* Unlocks a folder, frees it and sets *folder to NULL; NULL is allowed. */
VIDA_API void VidaReport_ReleaseFolder(VidaFolder** folder);
/* Writes the results of `count` studies to DIRECTORY/comparison.csv and comparison.json. For a
 * single study, also writes study.txt with further data for pictures (units, norm, pattern of the
 * KKT matrix); for several studies, also writes each study to DIRECTORY/1, DIRECTORY/2, ... Files
 * appear when they are complete. */
VIDA_API int VidaReport_Write(const VidaStudy* const* studies, int count, const char* directory,
                              VidaError* error);

/* Returns the version of the library libhdf5 for trajectories; "" if VIDA was built without it or
 * if it cannot be loaded. */
VIDA_API const char* VidaReport_Hdf5Version(char version[VIDA_NAME_SIZE]);

/* An observer that writes the trajectory of every run. */
typedef struct VidaTrajectories VidaTrajectories;
/* Creates an observer for VidaStudy_Run that writes the trajectories of a study, in the format of
 * its option `trajectories` and with the columns of VidaStudy_SelectColumns:
 *   csv   DIRECTORY/<run>.csv for every run; the file is <run>.csv.partial during the run, and
 *         <run>.incomplete.csv if the run fails.
 *   hdf5  DIRECTORY/trajectories.h5 with a group <run> for every run, which has the data set
 *         "samples" (rows x columns). During a run its file is <run>.h5.partial, then <run>.h5;
 *         VidaTrajectories_Finish joins these files. A killed process leaves files that can be
 *         read, that of its last run without its last rows, fewer than 512.
 *   none  nothing.
 * Creates the directory if necessary. The caller owns *trajectories and frees it with
 * VidaTrajectories_Destroy. Fails with VIDA_NOT_SUPPORTED and the flag "NO_HDF5" if VIDA was built
 * without HDF5. */
VIDA_API int VidaTrajectories_Create(const VidaStudy* study, const char* directory,
                                     VidaTrajectories** trajectories, VidaError* error);
/* Completes the files after VidaStudy_Run, whatever it returned. */
VIDA_API int VidaTrajectories_Finish(VidaTrajectories* trajectories, VidaError* error);
/* Completes the files if that was not done, frees the observer and sets *trajectories to NULL; NULL
 * is allowed. */
VIDA_API void VidaTrajectories_Destroy(VidaTrajectories** trajectories);
/* Returns the callbacks for VidaStudy_Run. */
VIDA_API VidaObserver VidaTrajectories_Observer(VidaTrajectories* trajectories);

/* ---- trajectories that were written ---------------------------------------------------------- */

/* A trajectory that was read. */
typedef struct VidaTrajectory VidaTrajectory;
/* Reads a trajectory: "DIR/<run>.csv", or "DIR/trajectories.h5:<run>"; without ":<run>" an HDF5
 * file must have one run. The caller owns *trajectory and frees it with VidaTrajectory_Destroy.
 * Fails with VIDA_INPUT_OUTPUT if the file cannot be read or is damaged, and with
 * VIDA_NOT_SUPPORTED and the flag "NO_HDF5" for an HDF5 file if VIDA was built without HDF5. */
VIDA_API int VidaTrajectory_Read(const char* place, VidaTrajectory** trajectory, VidaError* error);
/* Frees a trajectory and sets *trajectory to NULL; NULL is allowed. */
VIDA_API void VidaTrajectory_Destroy(VidaTrajectory** trajectory);
/* Returns the number of rows. */
VIDA_API long VidaTrajectory_RowCount(const VidaTrajectory* trajectory);
/* Returns the number of columns. */
VIDA_API int VidaTrajectory_ColumnCount(const VidaTrajectory* trajectory);
/* Returns the title of the column with this index, "energy [J]"; NULL for an unknown index. */
VIDA_API const char* VidaTrajectory_Title(const VidaTrajectory* trajectory, int column);
/* Returns a number; NaN if it was not measured, and for an unknown row or column. */
VIDA_API double VidaTrajectory_Value(const VidaTrajectory* trajectory, long row, int column);

/* The export of trajectories for other programs. */
typedef struct VidaExport {
  /* "numpy": <run>.npy, a structured array with a field for each column; "vtk": <run>.pvd and
   * <run>-paths.vtp for ParaView */
  const char* format;
  int study;          /* index of the comparison in the folder, from 0 */
  int run;            /* number of the run, from 1; 0: all that have trajectories */
  const char* folder; /* folder for the files; NULL: `numpy` or `vtk` in that of the comparison */
} VidaExport;
/* Exports trajectories of the results in `directory`; *written receives their number. Fails with
 * VIDA_UNKNOWN_NAME for an unknown format, with VIDA_NOT_SUPPORTED and the flag "NO_DATA" if there
 * is no trajectory, or none with the coordinates of points, and with VIDA_INPUT_OUTPUT if a file
 * cannot be read or written. */
VIDA_API int VidaReport_Export(const char* directory, const VidaExport* wishes, int* written,
                               VidaError* error);

/* ---- comparison of files --------------------------------------------------------------------- */

/* Options for the comparison of files. Two numbers differ if their difference exceeds both
 * tolerances. */
typedef struct VidaTolerance {
  /* relative tolerance: relative to the larger of both numbers; in trajectories, to the largest
   * number of the column */
  double rtol;
  double atol; /* absolute tolerance */
  bool all;    /* list every cell that differs, not only the first ones */
  bool common; /* ignore rows and columns that only one file has */
} VidaTolerance;

/* Compares two files comparison.csv, or two trajectories. Rows of comparisons are matched by
 * system, method, options, h and rtol, and the columns wall_s and message are ignored; rows of
 * trajectories are matched by t. Writes the cells that differ and the largest difference of each
 * column to `file`; *same receives whether the files agree. Fails with VIDA_INPUT_OUTPUT if a file
 * cannot be read, with VIDA_BAD_ARGUMENT for files of different kinds. */
VIDA_API int VidaReport_Compare(const char* first, const char* second,
                                const VidaTolerance* tolerance, FILE* file, bool* same,
                                VidaError* error);

/* ---- pictures -------------------------------------------------------------------------------- */

/* Pictures are drawn from the results in a folder by gnuplot, which must be in PATH. */

/* A kind of picture. */
typedef struct VidaPlotKind {
  const char* name; /* "energy" */
  const char* text; /* description */
  bool automatic;   /* drawn if the user selects no kind */
} VidaPlotKind;
/* Returns the kind of picture with this index, in the order of drawing; NULL for an unknown index.
 */
VIDA_API const VidaPlotKind* Vida_PlotKind(int index);

/* The description of a picture; all members except `kind` may be zero. */
typedef struct VidaPlot {
  const char* kind;   /* "energy" */
  int study;          /* index of the comparison in the folder, from 0 */
  const char* folder; /* folder for the picture; NULL: `plots` in the folder of the comparison */
  const char* name;   /* name of its files without extension; NULL: the kind */
  const char* title;  /* title; NULL: system and kind */
  bool svg, png;      /* formats; neither: svg */
  const char* const* methods; /* names of the methods to draw, with NULL at the end; NULL: all */
  const double* steps;        /* steps h or tolerances rtol to draw (step_count) */
  int step_count;             /* number of `steps`; 0: all */
  /* names of the columns to draw, with NULL at the end: columns of trajectories, or errors of
   * comparison.csv */
  const char* const* columns;
  double from, to; /* range of time, s; both 0: all */
} VidaPlot;

/* Draws one picture of the results in `directory`. Writes NAME.svg or NAME.png, the gnuplot script
 * NAME.gp, which can be edited and run again, and its data NAME.dat. A method has the same colour
 * in all pictures of a folder. Fails with VIDA_NOT_SUPPORTED and the flag "NO_DATA" if the results
 * have no data for the picture, or the flag "NO_GNUPLOT" without gnuplot; with VIDA_UNKNOWN_NAME
 * for an unknown kind, method or column; with VIDA_INPUT_OUTPUT if a file cannot be read or
 * written, or if gnuplot fails (the message is that of gnuplot). */
VIDA_API int VidaReport_Plot(const char* directory, const VidaPlot* plot, VidaError* error);
/* Returns the number of comparisons in a folder of results; 0 with `error` filled if there are
 * none. */
VIDA_API int VidaReport_StudyCount(const char* directory, VidaError* error);
/* Returns whether gnuplot is installed. */
VIDA_API bool VidaReport_HasGnuplot(void);

/* ---- the page -------------------------------------------------------------------------------- */

/* An observer that records states for the page. */
typedef struct VidaRecording VidaRecording;
/* Creates an observer for VidaStudy_Run that records a few hundred evenly spaced states of each
 * run, and the points of the drawing of the system. For very large systems it records only the
 * first coordinates, rows and points; for very many runs, the same number of runs of each method.
 * The page reports what was left out. The caller owns *recording and frees it with
 * VidaRecording_Destroy, before the study. */
VIDA_API int VidaRecording_Create(const VidaStudy* study, VidaRecording** recording,
                                  VidaError* error);
/* Frees a recording and sets *recording to NULL; NULL is allowed. */
VIDA_API void VidaRecording_Destroy(VidaRecording** recording);
/* Returns the callbacks for VidaStudy_Run. */
VIDA_API VidaObserver VidaRecording_Observer(VidaRecording* recording);

/* Information for the page that only the caller has; every member is nullable. */
typedef struct VidaPageFacts {
  const char* scenario; /* path of the script: "scenarios/pendulum.lua" */
  const char* software; /* versions of software besides VIDA and SUNDIALS: "Lua 5.4.6" */
} VidaPageFacts;

/* Prepares the output of a page before a long computation: checks that the file can be written, and
 * removes an old one. */
VIDA_API int VidaReport_PreparePage(const char* path, VidaError* error);
/* Writes one self-contained HTML page about `count` completed studies, with a description of the
 * runs, the table, plots and an animation. `facts` is nullable. The file appears when it is
 * complete. */
VIDA_API int VidaReport_Page(const VidaRecording* const* recordings, int count,
                             const VidaPageFacts* facts, const char* path, VidaError* error);
/* Writes the data of the page about `count` completed studies to a file as strict JSON. `facts` is
 * nullable. */
VIDA_API int VidaReport_PageData(const VidaRecording* const* recordings, int count,
                                 const VidaPageFacts* facts, const char* path, VidaError* error);
/* Writes an HTML page to `path` from a file of VidaReport_PageData at `data_path`. */
VIDA_API int VidaReport_PageFromData(const char* data_path, const char* path, VidaError* error);

/* ---- unfinished studies ---------------------------------------------------------------------- */

/* A journal: the results of the runs that have ended, in DIRECTORY/study.journal. Each is appended
 * at the end of its run, so that another process can go on after the first one was killed. */
typedef struct VidaJournal VidaJournal;

/* What a journal belongs to. */
typedef struct VidaJournalScope {
  const char* directory;           /* its folder, which exists and is locked */
  int count;                       /* number of studies */
  VidaStudy* const* studies;       /* count: complete with their runs */
  VidaRecording* const* recording; /* count, each nullable; NULL: there are none */
  const char* const* directories;  /* count: folders of the trajectories; NULL: there are none */
} VidaJournalScope;

/* Begins a journal; an earlier one is replaced. The contents of `scope` must outlive the journal.
 * The caller owns *journal and frees it with VidaJournal_Destroy. */
VIDA_API int VidaJournal_Create(const VidaJournalScope* scope, VidaJournal** journal,
                                VidaError* error);
/* Continues the journal of an earlier process: writes the results in it to the rows of the studies
 * and to the recordings, and the next VidaStudy_Run of each study makes the other runs only. Runs
 * whose trajectory is missing are made again, too, and so are runs in a damaged end of the journal.
 * Fails with VIDA_INPUT_OUTPUT, and changes nothing, if the file is not a journal, or one of
 * another version of VIDA or SUNDIALS, another system, other options or other runs; the message
 * says which. The caller owns *journal and frees it with VidaJournal_Destroy. */
VIDA_API int VidaJournal_Resume(const VidaJournalScope* scope, VidaJournal** journal,
                                VidaError* error);
/* Returns the number of runs that a new study in `directory` would lose: those that its journal has
 * as finished, and those of which a state is kept; 0 without a journal, and with one that is
 * damaged from the beginning. */
VIDA_API int VidaJournal_StoredRuns(const char* directory);
/* Returns the number of runs that VidaJournal_Resume has found finished. */
VIDA_API int VidaJournal_KeptRuns(const VidaJournal* journal);
/* Returns the number of runs of which VidaJournal_Resume has found a state, from which they go on.
 */
VIDA_API int VidaJournal_BegunRuns(const VidaJournal* journal);
/* Returns the number of bytes at the end of the journal that VidaJournal_Resume could not read,
 * because they were incomplete or damaged. */
VIDA_API long long VidaJournal_LostBytes(const VidaJournal* journal);
/* Returns callbacks for VidaStudy_Run that append the results of the study with this index. Their
 * calls must follow those of the recording and of the trajectories (nullable), which must live as
 * long as these callbacks are used. The next VidaStudy_Run also keeps a state of each long run in
 * the folder of the study, from which the next process goes on (option `checkpoint`). */
VIDA_API VidaObserver VidaJournal_Observer(VidaJournal* journal, int study,
                                           VidaTrajectories* trajectories);
/* Removes the file if all runs of all studies have ended, and other files have their results.
 * Returns whether it was removed. */
VIDA_API bool VidaJournal_RemoveComplete(VidaJournal* journal);
/* Frees the journal, not its file, and sets *journal to NULL; NULL is allowed. */
VIDA_API void VidaJournal_Destroy(VidaJournal** journal);

/* ---- progress -------------------------------------------------------------------------------- */

/* How far a study is. */
typedef struct VidaProgress {
  int study, studies;        /* the number of the study, from 1, and of all studies */
  int runs, finished;        /* number of runs of this study, and of those that have ended */
  char what[VIDA_NAME_SIZE]; /* what is being done, one line: "rattle, h = 0.01 s" */
  double fraction;           /* completed fraction of this study, 0 .. 1; NaN: not known */
  double elapsed, left;      /* seconds since this study began, and until its end; NaN: not known */
  double rate;               /* runs that ended per second in this process; NaN: not known */
  long process;              /* its process; VidaReport_WriteProgress writes that of the caller */
  double age;                /* seconds since this was written; only read */
} VidaProgress;
/* Writes the progress to DIRECTORY/progress.txt, which is replaced as a whole. */
VIDA_API int VidaReport_WriteProgress(const char* directory, const VidaProgress* progress,
                                      VidaError* error);
/* Reads the progress of another process. Fails with the flag "NOT_RUNNING" if there is none. */
VIDA_API int VidaReport_ReadProgress(const char* directory, VidaProgress* progress,
                                     VidaError* error);
/* Removes the file at the end of the last study; `directory` may be NULL. */
VIDA_API void VidaReport_RemoveProgress(const char* directory);

#ifdef __cplusplus
}
#endif
#endif
