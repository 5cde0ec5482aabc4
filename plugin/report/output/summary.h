/* What a comparison has shown, in words and numbers that are made from its rows: what each method
 * kept, what an error costs, what failed. */
#ifndef VIDA_REPORT_OUTPUT_SUMMARY_H
#define VIDA_REPORT_OUTPUT_SUMMARY_H

#include <stdio.h>
#include <vida/study.h>

/* What became of a quantity that should be kept, from good to bad. */
typedef enum vida_verdict {
  VIDA_VERDICT_ROUNDING, /* it differs by no more than rounding of its parts */
  VIDA_VERDICT_STEADY,   /* by more, and no drift is seen where one would be */
  VIDA_VERDICT_UNTOLD,   /* by more, and the runs are too short to tell a drift */
  VIDA_VERDICT_OFF,      /* by more; drifts were not looked for */
  VIDA_VERDICT_DRIFT,    /* it drifts */
  VIDA_VERDICTS
} vida_verdict;

/* The methods with which the same became of a quantity. */
typedef struct vida_summary_line {
  const char* topic;    /* "energy", "energy balance" */
  vida_verdict verdict; /* the worst of each method's finished runs */
  char verdict_text[128];
  char* names; /* "rattle, del-endpoint" */
  char* text;  /* the same with numbers and their steps, a method on each line */
} vida_summary_line;

/* The run that took the least time among those with a position error of at most `error`. */
typedef struct vida_summary_price {
  double error, least_error; /* the same run is the cheapest from here down to there */
  int run, next;             /* next: the cheapest of another method; -1: there is none */
} vida_summary_price;

/* Runs of which the same is said. */
typedef struct vida_summary_failure {
  char* names;
  char status[VIDA_FLAG_SIZE];
  char* text; /* when, why, and what to try */
} vida_summary_failure;

typedef struct vida_summary {
  int runs, finished, failed; /* the others were not made */
  int methods, methods_finished;
  vida_summary_line* lines;
  int line_count;
  vida_summary_price* prices;
  int price_count;
  vida_summary_failure* failures;
  int failure_count;
} vida_summary;

/* Of a study that was run. Free it also after a failure, which is one of memory. */
int vida__summarize(const VidaStudy* study, vida_summary* summary);
void vida__free_summary(vida_summary* summary);

/* The summary in some lines below a table of this width, where there are at least three methods to
 * tell apart: of fewer the table itself says it. */
int vida__write_summary(const VidaStudy* study, int width, FILE* file);

#endif
