/* A sweep over many starts, whose runs are made in chunks: studies of their own, which are
 * destroyed when their rows have been added to the totals. */
#ifndef VIDA_STUDY_SWEEP_SWEEP_H
#define VIDA_STUDY_SWEEP_SWEEP_H

#include <vida/sweep.h>

#include "study/study.h"
#include "study/sweep/totals.h"

/* The method of a sweep. */
typedef struct vida_sweep_method {
  VidaOptions* given;
  char name[VIDA_NAME_SIZE], options[VIDA_OPTIONS_SIZE]; /* as in rows, without labels */
  double h, rtol;
  int first; /* its first run that is kept */
  vida_totals totals;
} vida_sweep_method;

/* The limits of a value that the starts give; NaN if they do not give it. */
typedef struct vida_swept_value {
  double least, largest;
} vida_swept_value;

struct vida_sweep {
  VidaStarts starts;
  vida_sweep_method* methods;
  int method_count;
  size_t method_capacity;
  bool is_surveyed;        /* the next four are known */
  uint64_t* blocks;        /* a checksum of each block of starts */
  vida_swept_value* swept; /* 2 n: of q, then v */
  bool* varies;            /* 2 n: the consistent value differs between starts */
  int axes[2];             /* places of the first two swept values; -1: there is none */
  int map_column;          /* index of the column of the map */
  long made;               /* starts that are in the totals */
};

/* Frees a sweep and sets *sweep to NULL; NULL is allowed. */
void vida__destroy_sweep(struct vida_sweep** sweep);
/* Adds a method, whose options are copied, after checking that it can make a run. */
int vida__add_sweep_method(VidaStudy* study, const VidaOptions* method, VidaError* error);
/* Asks for a start: q and v (2 n in all), and its label. */
int vida__ask_start(const VidaStudy* study, long index, double* q, char label[VIDA_OPTIONS_SIZE],
                    VidaError* error);

/* Returns the number of starts of a block: one, unless there are very many starts (survey.c). */
long vida__block_size(long starts);
/* Returns the number of blocks. */
size_t vida__block_count(long starts);
/* Asks for all starts: their checksums and limits, and which values differ. */
int vida__survey_starts(VidaStudy* study, VidaError* error);
/* The same in two parts, for several processes: asks for the starts of block `part` and of each
 * `parts`th block after it. When the shares of all processes were read, vida__complete_survey finds
 * which values differ. */
int vida__survey_share(VidaStudy* study, int part, int parts, VidaError* error);
int vida__complete_survey(VidaStudy* study, VidaError* error);
/* Appends to a record what is known of the blocks of a share; reads it, and adds it. */
void vida__put_share(const VidaStudy* study, int part, int parts, vida_record* record);
void vida__get_share(VidaStudy* study, int part, int parts, vida_record* record);
/* Compares starts (2 n values each), which begin with number `first`, with those of the survey. */
int vida__check_starts(const VidaStudy* study, long first, long count, const double* starts,
                       char (*labels)[VIDA_OPTIONS_SIZE], VidaError* error);
/* Computes what two processes must agree upon but for the starts, which vida__include_starts adds
 * after the survey. */
int vida__fingerprint_methods(VidaStudy* study, vida_fingerprint* print, VidaError* error);
void vida__include_starts(const VidaStudy* study, vida_fingerprint* print);

/* Empties the totals, and removes the runs that an earlier sweep has left in the study. */
void vida__begin_sweep(VidaStudy* study);
/* Returns the largest number of starts of a chunk. */
long vida__chunk_size(const VidaStudy* study);
/* How many starts the next chunk has: as many as take some seconds, so that a kill loses no more,
 * in whole blocks of the survey, which are compared then. Results do not depend on it. */
typedef struct vida_pace {
  long least, most, next, block;
} vida_pace;
/* Returns the pace of a sweep that begins. */
vida_pace vida__begin_pace(const VidaStudy* study);
/* Notes how long a chunk has taken. */
void vida__note_chunk(vida_pace* pace, long count, double seconds);
/* Returns the number of starts of the next chunk, of those that are `left`. */
long vida__next_chunk(const vida_pace* pace, long left);
/* Returns the number of starts from which the reference has failed. */
long vida__count_unreferenced(const VidaStudy* study);
/* Creates a study of the runs from `count` starts, first those of the first method. */
int vida__create_chunk(const VidaStudy* study, long first, long count, VidaStudy** chunk,
                       VidaError* error);
/* Appends what the totals need of run `index` of a chunk to a record. */
void vida__put_chunk_run(const VidaStudy* study, const VidaStudy* chunk, int index,
                         vida_record* record);
/* Reads what vida__put_chunk_run wrote, and adds it to the totals of a method. What does not fit
 * makes the record too short. */
int vida__add_chunk_run(VidaStudy* study, int method, long start, vida_record* record,
                        VidaError* error);
/* Adds the runs that are kept to the study: those from some starts. */
int vida__keep_some_runs(VidaStudy* study, VidaError* error);
/* Appends the totals to a record, and reads them; what does not fit makes the record too short. */
void vida__put_sweep(const VidaStudy* study, vida_record* record);
void vida__get_sweep(VidaStudy* study, vida_record* record);

/* Notes which runs of a sweep have rows; nothing for another study. */
void vida__note_sweep(VidaStudy* study);

/* Serve VidaStudy_Spread and VidaStudy_Quantiles. */
int vida__sweep_spread(const VidaStudy* study, int index, VidaSpread* spread);
void vida__sweep_quantiles(const VidaStudy* study, int index, int column, VidaQuantiles* quantiles);

#endif
