/* What all outputs share: numbers as text, columns by index, and noticing that writing failed. */
#ifndef VIDA_REPORT_OUTPUT_OUTPUT_H
#define VIDA_REPORT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <vida/error.h>
#include <vida/report.h>
#include <vida/study.h>

#include "base/text.h"

/* Creates a folder, and those above it, unless it is there (files.c). */
int vida__make_directory(const char* directory, VidaError* error);

/* Removes pictures of earlier results from DIRECTORY/plots; scripts stay (plot.c). */
void vida__remove_pictures(const char* directory);

/* Refuses what a writer cannot write: a list of studies, or one of them, or a file that is NULL. */
int vida__check_studies(const char* function, const VidaStudy* const* studies, int count,
                        FILE* file, VidaError* error);

/* Flushes and looks for any error since the file was opened; what: "the table", or a path. */
int vida__finish_output(FILE* file, const char* what, VidaError* error);

/* The columns of a document: those of all rows, and what its studies add. */
enum { VIDA_MOST_COLUMNS = 64 };
typedef struct vida_columns {
  int count;
  const VidaColumn* column[VIDA_MOST_COLUMNS];
} vida_columns;
vida_columns vida__common_columns(void);
/* All columns, group by group. */
vida_columns vida__grouped_columns(void);
void vida__add_study_columns(const VidaStudy* study, vida_columns* columns);

/* Columns of start values, by the names that the studies' coordinates and rates have, of those in
 * which runs differ (starts.c). */
typedef struct vida_start_columns {
  int count;
  char (*name)[VIDA_NAME_SIZE + 16];
  int* place; /* of the study that is written: in q, then v; -1: it has no such column */
} vida_start_columns;
/* Free it also after a failure. */
int vida__find_start_columns(const VidaStudy* const* studies, int count, vida_start_columns* starts,
                             VidaError* error);
void vida__free_start_columns(vida_start_columns* starts);
/* Goes on to the runs of this study. */
void vida__place_start_columns(const VidaStudy* study, vida_start_columns* starts);
/* A cell as vida__cell_text has it. */
void vida__start_text(const VidaStudy* study, int run, const vida_start_columns* starts, int column,
                      char text[VIDA_REAL_TEXT_SIZE]);

/* Writes lines of at most `width` characters that break at spaces; those after the first are
 * indented. */
void vida__write_paragraph(const char* text, int width, FILE* file);
/* Writes such lines between `begin` and `end`, which have no width. */
void vida__write_styled(const char* text, int width, const char* begin, const char* end,
                        FILE* file);
/* What stands in a style before and behind a run with this outcome. */
const char* vida__style_begin(const VidaTableStyle* style, VidaOutcome outcome);
const char* vida__style_end(const VidaTableStyle* style, VidaOutcome outcome);

/* "rattle, h = 0.01 s, ..." */
void vida__name_run(const VidaRow* row, char* text, size_t size);
/* Failures and remarks of all runs, each once (remarks.c). *any becomes true, *marked where a mark
 * of the table stands for one. VIDA_OUT_OF_MEMORY, or 0. */
int vida__write_remarks(const VidaStudy* study, int width, const VidaTableStyle* style, FILE* file,
                        bool* any, bool* marked);

/* A cell of a row as text: numbers with 17 digits, "" for a number that was not measured. Texts are
 * copied as they are; `size` should be VIDA_MESSAGE_SIZE. */
void vida__cell_text(const VidaRow* row, const VidaColumn* column, char* text, size_t size);

/* The unit of a momentum map of the system; "" where translations and rotations are mixed in it. */
const char* vida__momentum_unit(const VidaSystem* system, int index);

/* The units that all positions, constraints and momentum maps of the study's errors share, "" where
 * they differ (study_facts.c). */
typedef struct vida_units {
  char position[VIDA_NAME_SIZE], constraint[VIDA_NAME_SIZE], multiplier[VIDA_NAME_SIZE],
      momentum[VIDA_NAME_SIZE], integral[VIDA_NAME_SIZE];
} vida_units;
void vida__find_units(const VidaStudy* study, vida_units* units);
/* The unit of a column in a comparison with these units; "" where its values have several, or (of
 * errors that are relative) none. */
void vida__column_unit(const vida_units* units, bool relative, const VidaColumn* column,
                       char unit[VIDA_NAME_SIZE]);

/* The norm of the errors, in words: "mean over steps" (study_facts.c). */
const char* vida__norm_text(const VidaStudy* study);

/* What the column energy_error is measured against where vida__exchanges_energy. */
#define VIDA_ENERGY_BALANCE_TEXT                                                           \
  "against that of the start and the work that forces, dampers, drives and explicit time " \
  "have done since"

/* Writes study.txt, lines "name: value" (study_facts.c). */
int vida__write_facts(const VidaStudy* study, FILE* file, VidaError* error);

/* Writes a text as one field of CSV, in quotes when it holds a comma, a quote or a line break (RFC
 * 4180), and behind an apostrophe where spreadsheets would take it for a formula. Not for numbers,
 * whose sign is one. */
void vida__write_csv_field(FILE* file, const char* text);
/* Whether a field that was read begins with an apostrophe that is not part of the text. */
bool vida__is_guarded(const char* text);

/* Writes a text in quotes, as strict JSON has it (json.c). */
void vida__write_json_string(FILE* file, const char* text);
/* Writes a row as members of an object, one for each of these columns; what was not measured is
 * null (json.c). */
void vida__write_json_row(FILE* file, const VidaRow* row, const vida_columns* columns);

/* The unit of a row's multiplier: lambda g is an energy, of nonholonomic rows lambda (A v) is a
 * power (trajectory.c). */
void vida__multiplier_unit(const VidaSystem* system, int row, char* text, size_t size);

/* The name of the run's files without an ending: system, method, set options and h, in letters that
 * every file system takes. `number` > 1 is added to tell equal ones apart. */
#define VIDA_FILE_NAME_SIZE 224
void vida__run_file_name(const VidaRow* row, int number, char name[VIDA_FILE_NAME_SIZE]);
/* The names of all runs of a comparison, no two of them equal but for case. `row` gives row i. */
int vida__name_runs(const void* list, const VidaRow* (*row)(const void* list, int i), int count,
                    char (*names)[VIDA_FILE_NAME_SIZE], VidaError* error);

/* Colours of methods, on white and on black (colours.c). */
enum { VIDA_COLOURS = 12 };
typedef struct vida_colour {
  const char *light, *dark; /* "#rrggbb" */
} vida_colour;
/* Numbers from VIDA_COLOURS on repeat the colours: dashes must tell them apart. */
const vida_colour* vida__colour(int number);
/* The number of each method's colour, no two of them equal. A method has the same one in all
 * comparisons, unless another that has it, too, is among those of this one. */
int vida__choose_colours(int count, char (*names)[VIDA_NAME_SIZE], int* numbers, VidaError* error);

/* Of `count` runs in groups (0 .. count - 1; below 0: of none) chooses at most `most`: as many of
 * each group as of the others, evenly spread over each (spread.c). */
int vida__spread_runs(int count, const int* group, int most, bool* chosen, VidaError* error);

/* "rattle h=0.01 key=value": names in the tables below (drift.c). */
#define VIDA_SHORT_NAME_SIZE (2 * VIDA_NAME_SIZE + VIDA_OPTIONS_SIZE)
void vida__short_name(const char* method, double h, double rtol, const char* options,
                      char name[VIDA_SHORT_NAME_SIZE]);
/* How wide names are of which the longest has `longest` bytes, where numbers leave `most`. */
int vida__name_width(int longest, int most);
/* A name, cut or filled up to a width, that begins a line of the tables below (precision.c). */
void vida__append_label(const char* name, int width, char* line, size_t size);

/* Slopes with their confidence, and the oscillations about them (drift.c). */
void vida__write_drifts(const VidaStudy* study, int width, FILE* file);

/* Of many starts, how errors are spread over them (spread.c). */
void vida__write_spreads(const VidaStudy* study, int width, FILE* file);

/* Writes a line of a table without the spaces at its end (table.c). */
void vida__write_line(FILE* file, const char* line);

/* Position errors whose costs are told, powers of ten from large to small; returns how many. */
enum { VIDA_MOST_ERRORS = 7 };
int vida__choose_errors(const VidaStudy* study, double errors[VIDA_MOST_ERRORS]);
/* Fitted orders of the study's series, and what errors cost (precision.c). */
void vida__write_precision(const VidaStudy* study, FILE* file);

#endif
