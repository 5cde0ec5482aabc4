/* The columns of comparison.csv and comparison.json for the initial values of the runs of a sweep.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/output.h"

enum { NAME = sizeof(*((vida_start_columns*)0)->name) };

/* "start b.x", "start d b.x/dt"; place: in q, then v. */
static void name_column(const VidaSystem* system, int place, char name[NAME]) {
  const int n = VidaSystem_CoordinateCount(system);
  const bool rate = place >= n;
  name[0] = '\0';
  vida__append(name, NAME, "start %s%s%s", rate ? "d " : "",
               VidaSystem_CoordinateName(system, rate ? place - n : place), rate ? "/dt" : "");
}

static int find_column(const vida_start_columns* starts, const char* name) {
  for (int i = 0; i < starts->count; i++) {
    if (strcmp(starts->name[i], name) == 0) {
      return i;
    }
  }
  return -1;
}

static int add_columns(const VidaStudy* study, size_t* capacity, vida_start_columns* starts) {
  const VidaSystem* system = VidaStudy_System(study);
  const int n = VidaSystem_CoordinateCount(system);
  for (int place = 0; place < 2 * n; place++) {
    char name[NAME];
    if (!VidaStudy_StartVaries(study, place % n, place >= n)) {
      continue;
    }
    name_column(system, place, name);
    if (find_column(starts, name) >= 0) {
      continue;
    }
    void* names = starts->name;
    const int code = vida__reserve(&names, capacity, (size_t)starts->count + 1, NAME);
    starts->name = names;
    if (code) {
      return code;
    }
    memcpy(starts->name[starts->count++], name, NAME);
  }
  return VIDA_SUCCESS;
}

int vida__find_start_columns(const VidaStudy* const* studies, int count, vida_start_columns* starts,
                             VidaError* error) {
  size_t capacity = 0;
  int code = VIDA_SUCCESS;
  *starts = (vida_start_columns){0};
  for (int s = 0; s < count && !code; s++) {
    code = add_columns(studies[s], &capacity, starts);
  }
  starts->place = vida__allocate((size_t)starts->count + 1, sizeof *starts->place);
  return code || !starts->place ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int vida__name_start_columns(const VidaStudy* study, const bool* varies, vida_start_columns* starts,
                             VidaError* error) {
  const VidaSystem* system = VidaStudy_System(study);
  const int places = 2 * VidaSystem_CoordinateCount(system);
  *starts = (vida_start_columns){.name = vida__allocate((size_t)places, NAME),
                                 .place = vida__allocate((size_t)places, sizeof *starts->place)};
  if (!starts->name || !starts->place) {
    vida__free_start_columns(starts);
    return vida__fail_memory(error);
  }
  for (int place = 0; place < places; place++) {
    if (varies[place]) {
      starts->place[starts->count] = place;
      name_column(system, place, starts->name[starts->count++]);
    }
  }
  return VIDA_SUCCESS;
}

void vida__free_start_columns(vida_start_columns* starts) {
  free(starts->name);
  free(starts->place);
  *starts = (vida_start_columns){0};
}

void vida__place_start_columns(const VidaStudy* study, vida_start_columns* starts) {
  const VidaSystem* system = VidaStudy_System(study);
  const int n = VidaSystem_CoordinateCount(system);
  for (int i = 0; i < starts->count; i++) {
    starts->place[i] = -1;
  }
  for (int place = 0; place < 2 * n && starts->count > 0; place++) {
    char name[NAME];
    name_column(system, place, name);
    const int column = find_column(starts, name);
    if (column >= 0) {
      starts->place[column] = place;
    }
  }
}

void vida__start_text(const VidaStudy* study, int run, const vida_start_columns* starts, int column,
                      char text[VIDA_REAL_TEXT_SIZE]) {
  const int n = VidaSystem_CoordinateCount(VidaStudy_System(study));
  const int place = starts->place[column];
  const double *q, *v;
  text[0] = '\0';
  if (place >= 0 && VidaStudy_RunStart(study, run, &q, &v)) {
    vida__real_text(text, place < n ? q[place] : v[place - n], 17);
  }
}
