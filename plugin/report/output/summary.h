/* The summary of a comparison, made from its rows: what each method preserved, the cost of an
 * error, and what failed. */
#ifndef VIDA_REPORT_OUTPUT_SUMMARY_H
#define VIDA_REPORT_OUTPUT_SUMMARY_H

#include <stdio.h>
#include <vida/study.h>

/* The verdict on a quantity that should be constant, from good to bad. */
typedef enum vida_verdict {
  VIDA_VERDICT_ROUNDING, /* changes by no more than the rounding of its terms */
  VIDA_VERDICT_STEADY, /* changes by more, without a drift in runs that are long enough to show one
                        */
  VIDA_VERDICT_UNTOLD, /* changes by more, in runs that are too short to show a drift */
  VIDA_VERDICT_OFF,    /* changes by more; drifts were not measured */
  VIDA_VERDICT_DRIFT,  /* drifts */
  VIDA_VERDICTS
} vida_verdict;

/* The methods with the same verdict on a quantity. */
typedef struct vida_summary_line {
  const char* topic;    /* "energy", "energy balance" */
  vida_verdict verdict; /* worst verdict on the finished runs of each method */
  char verdict_text[128];
  char* names; /* "rattle, del-endpoint" */
  char* text;  /* the names with numbers and steps, one method per line */
} vida_summary_line;

/* The fastest run among those with a position error of at most `error`; there are none in a study
 * with several starts. */
typedef struct vida_summary_cost {
  double error, least_error; /* it is the fastest for errors from `error` down to `least_error` */
  int run, next;             /* next: the fastest run of another method; -1: none */
} vida_summary_cost;

/* Runs with the same failure. */
typedef struct vida_summary_failure {
  char* names;
  char status[VIDA_FLAG_SIZE];
  char* text; /* time, reason, and what to try */
} vida_summary_failure;

/* The summary of a comparison. */
typedef struct vida_summary {
  int runs, finished, failed; /* the other runs were not made */
  int methods, methods_finished;
  vida_summary_line* lines;
  int line_count;
  vida_summary_cost* prices;
  int cost_count;
  vida_summary_failure* failures;
  int failure_count;
} vida_summary;

/* Summarizes a study after VidaStudy_Run. Fails only with VIDA_OUT_OF_MEMORY. The caller frees
 * *summary with vida__free_summary, also after a failure. */
int vida__summarize(const VidaStudy* study, vida_summary* summary);
/* Frees a summary. */
void vida__free_summary(vida_summary* summary);

/* Writes the summary below a table of this width if the study has at least three methods; with
 * fewer methods the table itself is clear. */
int vida__write_summary(const VidaStudy* study, int width, FILE* file);

#endif
