/* Functions that all outputs share: numbers as text, columns, names, and checks of written files.
 */
#ifndef VIDA_REPORT_OUTPUT_OUTPUT_H
#define VIDA_REPORT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/report.h>
#include <vida/study.h>

#include "base/record.h"
#include "base/text.h"

/* Creates a folder and its parents if they do not exist (files.c). */
int vida__make_directory(const char* directory, VidaError* error);

/* The file with the results of a study that has not ended (journal.c). */
#define VIDA_JOURNAL_NAME "study.journal"
/* The file with the state of sweeps that have not ended, and the rows of their runs (sweep/). */
#define VIDA_SWEEP_STATE_NAME "sweep.state"
#define VIDA_SWEEP_ROWS_NAME "rows.csv"
#define VIDA_SWEEP_STATISTICS_NAME "statistics.csv"

/* The file with the progress of a study that is running (progress.c). */
#define VIDA_PROGRESS_NAME "progress.txt"

/* Removes the pictures of earlier results from DIRECTORY/plots, but not the scripts (plot.c). */
void vida__remove_pictures(const char* directory);

/* Refuses NULL arguments of a writer: the list of studies, one of the studies, or the file.
 * `function` is the name of the writer for the message. */
int vida__check_studies(const char* function, const VidaStudy* const* studies, int count,
                        FILE* file, VidaError* error);

/* Flushes a file, and fails with VIDA_INPUT_OUTPUT if an error has occurred since it was opened.
 * `what` is "the table" or a path. */
int vida__finish_output(FILE* file, const char* what, VidaError* error);

/* The largest number of columns of an output. */
enum { VIDA_MOST_COLUMNS = 64 };
typedef struct vida_columns {
  int count;
  const VidaColumn* column[VIDA_MOST_COLUMNS];
} vida_columns;
/* Returns the columns that every comparison has. */
vida_columns vida__common_columns(void);
/* Returns all columns, by groups. */
vida_columns vida__grouped_columns(void);
/* Adds the optional columns of a study. */
void vida__add_study_columns(const VidaStudy* study, vida_columns* columns);

/* The columns of initial values: one for each position or velocity in which runs differ, by its
 * name (starts.c). */
typedef struct vida_start_columns {
  int count;
  char (*name)[VIDA_NAME_SIZE + 16];
  int* place; /* index in q, then v, of the current study; -1: not in this study */
} vida_start_columns;
/* Finds the columns of initial values of `count` studies. The caller frees *starts with
 * vida__free_start_columns, also after a failure. */
int vida__find_start_columns(const VidaStudy* const* studies, int count, vida_start_columns* starts,
                             VidaError* error);
/* Names the columns of the values, 2 n of q, then v, that vary in a study, which is the current
 * one.
 */
int vida__name_start_columns(const VidaStudy* study, const bool* varies, vida_start_columns* starts,
                             VidaError* error);
/* Frees the columns. */
void vida__free_start_columns(vida_start_columns* starts);
/* Sets the current study. */
void vida__place_start_columns(const VidaStudy* study, vida_start_columns* starts);
/* Writes the initial value of a run in this column to `text`; "" if the current study does not have
 * the column. */
void vida__start_text(const VidaStudy* study, int run, const vida_start_columns* starts, int column,
                      char text[VIDA_REAL_TEXT_SIZE]);

/* Writes a text in lines of at most `width` characters, broken at spaces; all lines but the first
 * are indented. */
void vida__write_paragraph(const char* text, int width, FILE* file);
/* Writes a paragraph between `begin` and `end`, which have no width on the terminal. */
void vida__write_styled(const char* text, int width, const char* begin, const char* end,
                        FILE* file);
/* Returns the escape sequence before a run with this outcome. */
const char* vida__style_begin(const VidaTableStyle* style, VidaOutcome outcome);
/* Returns the escape sequence after a run with this outcome. */
const char* vida__style_end(const VidaTableStyle* style, VidaOutcome outcome);

/* Writes the name of a run, "rattle, h = 0.01 s, ...", to text. */
void vida__name_run(const VidaRow* row, char* text, size_t size);
/* Writes the failures and remarks of all runs, and equal ones only once (remarks.c). Sets *any if
 * there are any, and *marked if the table marks some of them. Returns 0 or VIDA_OUT_OF_MEMORY. */
int vida__write_remarks(const VidaStudy* study, int width, const VidaTableStyle* style, FILE* file,
                        bool* any, bool* marked);

/* Writes a cell of a row to text: a number with 17 digits, "" for a number that was not measured,
 * or a copy of a text. `size` should be VIDA_MESSAGE_SIZE. */
void vida__cell_text(const VidaRow* row, const VidaColumn* column, char* text, size_t size);

/* Returns the unit of a momentum map; "" for a combination of translations and rotations. */
const char* vida__momentum_unit(const VidaSystem* system, int index);

/* The units that all positions, constraints, multipliers and momentum maps in the errors of a study
 * share; "" if they differ (study_facts.c). */
typedef struct vida_units {
  char position[VIDA_NAME_SIZE], constraint[VIDA_NAME_SIZE], multiplier[VIDA_NAME_SIZE],
      momentum[VIDA_NAME_SIZE], integral[VIDA_NAME_SIZE];
} vida_units;
/* Finds the units of a study. */
void vida__find_units(const VidaStudy* study, vida_units* units);
/* Writes the unit of a column in a comparison with these units; "" if its values have different
 * units, or none because the errors are relative. */
void vida__column_unit(const vida_units* units, bool relative, const VidaColumn* column,
                       char unit[VIDA_NAME_SIZE]);

/* Returns the norm of the errors as text, "mean over steps" for example (study_facts.c). */
const char* vida__norm_text(const VidaStudy* study);

/* Returns whether the outputs of a study list events (events.c). */
bool vida__has_events(const VidaStudy* study);
/* Writes events.csv. */
int vida__write_events_csv(const VidaStudy* study, FILE* file, VidaError* error);

/* Returns the text that says what the column energy_error refers to; "" for a system whose energy
 * is constant (study_facts.c). */
const char* vida__energy_balance_text(const VidaSystem* system);

/* Writes study.txt, with lines "name: value" (study_facts.c). */
int vida__write_facts(const VidaStudy* study, FILE* file, VidaError* error);

/* Writes a text as one CSV field. Quotes it if it contains a comma, a quote or a line break (RFC
 * 4180), and adds an apostrophe before a text that a spreadsheet would read as a formula. Not for
 * numbers, which may have a sign. */
void vida__write_csv_field(FILE* file, const char* text);
/* Returns whether a CSV field begins with an apostrophe that vida__write_csv_field added. */
bool vida__is_guarded(const char* text);

/* Writes a text as a JSON string (json.c). */
void vida__write_json_string(FILE* file, const char* text);
/* Writes a row as members of a JSON object, one for each column; null for a value that was not
 * measured (json.c). */
void vida__write_json_row(FILE* file, const VidaRow* row, const vida_columns* columns);

/* Writes the unit of the multiplier of a row (trajectory.c): lambda g is an energy; for
 * nonholonomic rows, lambda (A v) is a power. */
void vida__multiplier_unit(const VidaSystem* system, int row, char* text, size_t size);

#define VIDA_FILE_NAME_SIZE 224 /* size of a file name in bytes */
/* Writes the name of the files of a run without extension: system, method, options that were set,
 * and h, in characters that every file system accepts. Appends a `number` > 1, which distinguishes
 * equal names. */
void vida__run_file_name(const VidaRow* row, int number, char name[VIDA_FILE_NAME_SIZE]);

#define VIDA_TRAJECTORY_NAME_SIZE (VIDA_FILE_NAME_SIZE + 32) /* with its ending */
/* Returns whether a run has ended for good. A run that was stopped, or ended by a time limit or a
 * full disk, can go on. */
bool vida__has_ended(const VidaRow* row);
/* A file of a trajectory: its name in its folder, "" if there is none. */
typedef struct vida_stored_file {
  char name[VIDA_TRAJECTORY_NAME_SIZE];
  long long size; /* bytes */
  uint64_t sum;   /* of CSV; HDF5 files have checksums of their own */
} vida_stored_file;
/* Finds the trajectory file of a run that has ended (trajectory.c). */
void vida__find_trajectory(VidaTrajectories* trajectories, int run, vida_stored_file* found);
/* Appends what has been written of a run in progress to a record, and makes it safe in its file. */
int vida__put_trajectory(VidaTrajectories* trajectories, int run, vida_record* record,
                         VidaError* error);
/* Reads that in another process. Returns whether the files of the run still have all of it: when
 * the run begins, it goes on with them. */
bool vida__get_trajectory(VidaTrajectories* trajectories, int run, vida_record* record);
/* The run begins anew, whatever vida__get_trajectory has returned. */
void vida__drop_trajectory(VidaTrajectories* trajectories, int run);
/* Returns whether the trajectory that vida__find_trajectory has found is still there, and is the
 * same: a file or, of HDF5, all of the table, in a file of its own or in that of the study
 * (trajectory.c). */
bool vida__has_trajectory(const char* directory, const vida_stored_file* file);

/* Writes the state of a run in progress to its file in a folder, in place of an earlier one
 * (run_states.c). */
int vida__write_run_state(const char* directory, int run, const vida_record* state,
                          VidaError* error);
/* Reads it in another process. Returns false if there is none, or if it is damaged. */
bool vida__read_run_state(const char* directory, int run, vida_record* state);
/* Returns how many runs have a state in a folder, and in its folders 1, 2, ... of several
 * comparisons.
 */
int vida__count_run_states(const char* directory);
/* Removes the state of a run, or those of all runs. */
void vida__remove_run_state(const char* directory, int run);
void vida__remove_run_states(const char* directory);

/* Makes the file names of all runs of a comparison. No two are equal, even if case is ignored.
 * row(list, i) returns row i. */
int vida__name_runs(const void* list, const VidaRow* (*row)(const void* list, int i), int count,
                    char (*names)[VIDA_FILE_NAME_SIZE], VidaError* error);

/* Colours of methods, on white and on black backgrounds (colours.c). */
enum { VIDA_COLOURS = 12 };
typedef struct vida_colour {
  const char *light, *dark; /* "#rrggbb" */
} vida_colour;
/* Returns a colour. Numbers from VIDA_COLOURS on repeat the colours; such curves need different
 * dashes. */
const vida_colour* vida__colour(int number);
/* Chooses a different colour number for each of `count` methods. A method has the same number in
 * all comparisons, unless it conflicts with another method of this comparison. */
int vida__choose_colours(int count, char (*names)[VIDA_NAME_SIZE], int* numbers, VidaError* error);

/* Chooses at most `most` of `count` runs: the same number from each group, evenly spaced. group[i]
 * is the group of run i, 0 .. count - 1, or negative for no group (spread.c). */
int vida__spread_runs(int count, const int* group, int most, bool* chosen, VidaError* error);

#define VIDA_SHORT_NAME_SIZE (2 * VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE) /* bytes */
/* Writes the name of a run in the tables of drifts and spreads: "rattle h=0.01 key=value"
 * (drift.c). */
void vida__short_name(const char* method, double h, double rtol, const char* options,
                      char name[VIDA_SHORT_NAME_SIZE]);
/* Returns the width of the column of names: at most `most`, and enough for `longest` bytes if
 * possible. */
int vida__name_width(int longest, int most);
/* Appends a name, truncated or padded to a width, as the beginning of a line of these tables
 * (precision.c). */
void vida__append_label(const char* name, int width, char* line, size_t size);

/* Writes the table of drifts: slopes with their confidence intervals, and oscillations (drift.c).
 */
void vida__write_drifts(const VidaStudy* study, int width, FILE* file);

/* Writes the table of spreads: the quartiles of errors over many starts (spread.c). */
void vida__write_spreads(const VidaStudy* study, int width, FILE* file);

/* Writes a line of a table without trailing spaces (table.c). */
void vida__write_line(FILE* file, const char* line);

enum { VIDA_MOST_ERRORS = 7 };
/* Chooses the position errors whose costs are reported, powers of ten from large to small. Returns
 * their number. */
int vida__choose_errors(const VidaStudy* study, double errors[VIDA_MOST_ERRORS]);
/* Writes the fitted orders of all series, and the costs of errors (precision.c). */
void vida__write_precision(const VidaStudy* study, FILE* file);

#endif
