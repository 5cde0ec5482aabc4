#include "study/sweep/totals.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "study/study.h"

bool vida__is_summed_up(const VidaColumn* column) {
  return column->type == VIDA_COLUMN_REAL && column->offset != offsetof(VidaRow, h) &&
         column->offset != offsetof(VidaRow, rtol);
}

/* ---- adding ---------------------------------------------------------------------------------- */

void vida__add_moment(vida_column_total* total, double value, long start) {
  const double deviation = value - total->mean;
  if (total->count == 0 || value < total->least) {
    total->least = value;
    total->least_at = start;
  }
  if (total->count == 0 || value > total->largest) {
    total->largest = value;
    total->largest_at = start;
  }
  total->count++;
  total->mean += deviation / (double)total->count;
  total->squares += deviation * (value - total->mean);
}

static int add_value(vida_column_total* total, double value, long start) {
  vida__add_moment(total, value, start);
  return vida__add_to_sketch(&total->sketch, value);
}

/* Counts the status; those that have no place any more count together. */
static void add_status(vida_totals* totals, const char* status, long start) {
  int i = 0;
  while (i < totals->status_count && strcmp(totals->statuses[i].status, status) != 0) {
    i++;
  }
  i = i < VIDA_MOST_STATUSES ? i : VIDA_MOST_STATUSES - 1;
  if (i == totals->status_count) {
    const char* name = i < VIDA_MOST_STATUSES - 1 ? status : "OTHERS";
    totals->status_count++;
    totals->statuses[i].first = start;
    vida__append(totals->statuses[i].status, VIDA_FLAG_SIZE, "%s", name);
  }
  totals->statuses[i].count++;
}

static void add_to_map(vida_map_cell* cell, const VidaRow* row, double value) {
  const bool finished = vida__is_finished(row);
  cell->largest = cell->runs == 0 ? (double)NAN : cell->largest;
  cell->runs++;
  cell->finished += finished;
  if (finished && isfinite(value)) {
    cell->largest = fmax(cell->largest, value); /* fmax leaves NaN out */
  }
}

int vida__add_to_totals(vida_totals* totals, const VidaRow* row, long start, int cell,
                        int map_column) {
  const bool finished = vida__is_finished(row);
  int code = VIDA_SUCCESS;
  totals->runs++;
  totals->finished += finished;
  totals->doubtful += finished && row->doubtful != 0;
  add_status(totals, row->status, start);
  for (int i = 0; vida__column_at(i) && i < VIDA_TOTAL_COLUMNS && finished && !code; i++) {
    const double value = vida__is_summed_up(vida__column_at(i))
                             ? vida__cell_value(row, vida__column_at(i))
                             : (double)NAN;
    code = isfinite(value) ? add_value(&totals->columns[i], value, start) : VIDA_SUCCESS;
  }
  if (cell >= 0 && cell < VIDA_MAP_SIZE * VIDA_MAP_SIZE) {
    const VidaColumn* column = vida__column_at(map_column);
    add_to_map(&totals->map[cell], row, column ? vida__cell_value(row, column) : (double)NAN);
  }
  return code;
}

/* ---- looking --------------------------------------------------------------------------------- */

double vida__total_quantile(const vida_column_total* column, double part) {
  const double place = part * (double)(column->count - 1);
  const int64_t below = (int64_t)place;
  if (column->count == 0) {
    return NAN;
  }
  const double low = vida__value_of_rank(&column->sketch, below);
  const double high =
      below + 1 < column->count ? vida__value_of_rank(&column->sketch, below + 1) : low;
  const double value = low + (place - (double)below) * (high - low);
  return fmin(fmax(value, column->least), column->largest);
}

/* ---- records --------------------------------------------------------------------------------- */

static void put_column(const vida_column_total* column, vida_record* record) {
  vida__put_integer(record, column->count);
  vida__put_reals(record, 4,
                  (const double[]){column->mean, column->squares, column->least, column->largest});
  vida__put_integer(record, column->least_at);
  vida__put_integer(record, column->largest_at);
  vida__put_sketch(&column->sketch, record);
}

static void get_column(vida_column_total* column, vida_record* record) {
  double numbers[4];
  column->count = vida__get_count(record);
  vida__get_reals(record, 4, numbers);
  column->mean = numbers[0];
  column->squares = numbers[1];
  column->least = numbers[2];
  column->largest = numbers[3];
  column->least_at = vida__get_count(record);
  column->largest_at = vida__get_count(record);
  vida__get_sketch(&column->sketch, record);
}

static void put_map(const vida_totals* totals, vida_record* record) {
  for (int i = 0; i < VIDA_MAP_SIZE * VIDA_MAP_SIZE; i++) {
    const vida_map_cell* cell = &totals->map[i];
    if (cell->runs > 0) {
      vida__put_integer(record, i);
      vida__put_integer(record, cell->runs);
      vida__put_integer(record, cell->finished);
      vida__put_real(record, cell->largest);
    }
  }
  vida__put_integer(record, -1);
}

static void get_map(vida_totals* totals, vida_record* record) {
  for (int64_t i = vida__get_integer(record); i >= 0 && !record->too_short;
       i = vida__get_integer(record)) {
    if (i >= VIDA_MAP_SIZE * VIDA_MAP_SIZE) {
      record->too_short = true;
      return;
    }
    vida_map_cell* cell = &totals->map[i];
    cell->runs = vida__get_count(record);
    cell->finished = vida__get_count(record);
    cell->largest = vida__get_real(record);
  }
}

void vida__put_totals(const vida_totals* totals, vida_record* record) {
  vida__put_integer(record, totals->runs);
  vida__put_integer(record, totals->finished);
  vida__put_integer(record, totals->doubtful);
  vida__put_integer(record, totals->unreferenced);
  vida__put_integer(record, totals->first_unreferenced);
  for (int i = 0; i < VIDA_TOTAL_COLUMNS; i++) {
    put_column(&totals->columns[i], record);
  }
  vida__put_integer(record, totals->status_count);
  for (int i = 0; i < totals->status_count; i++) {
    vida__put_text(record, totals->statuses[i].status);
    vida__put_integer(record, totals->statuses[i].count);
    vida__put_integer(record, totals->statuses[i].first);
  }
  put_map(totals, record);
}

void vida__get_totals(vida_totals* totals, vida_record* record) {
  vida__free_totals(totals);
  totals->runs = vida__get_count(record);
  totals->finished = vida__get_count(record);
  totals->doubtful = vida__get_count(record);
  totals->unreferenced = vida__get_count(record);
  totals->first_unreferenced = vida__get_count(record);
  for (int i = 0; i < VIDA_TOTAL_COLUMNS; i++) {
    get_column(&totals->columns[i], record);
  }
  const int64_t statuses = vida__get_integer(record);
  record->too_short = record->too_short || statuses < 0 || statuses > VIDA_MOST_STATUSES;
  totals->status_count = record->too_short ? 0 : (int)statuses;
  for (int i = 0; i < totals->status_count; i++) {
    vida__get_text(record, totals->statuses[i].status, VIDA_FLAG_SIZE);
    totals->statuses[i].count = vida__get_count(record);
    totals->statuses[i].first = vida__get_count(record);
  }
  get_map(totals, record);
}

void vida__free_totals(vida_totals* totals) {
  for (int i = 0; i < VIDA_TOTAL_COLUMNS; i++) {
    vida__free_sketch(&totals->columns[i].sketch);
  }
  memset(totals, 0, sizeof *totals);
}
