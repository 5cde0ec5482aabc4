/* The colours of methods, in pictures and on pages. */
#include <stdlib.h>
#include <string.h>
#include <vida/stepper.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/output/output.h"

/* On white: the colours of Okabe and Ito without yellow, then colours that are as far from these as
 * these are from each other; on black: lighter ones. */
static const vida_colour colours[VIDA_COLOURS] = {
    {"#0072b2", "#4da3ff"}, {"#d55e00", "#ff7f3f"}, {"#009e73", "#2fd08f"}, {"#cc79a7", "#ff9ad5"},
    {"#56b4e9", "#9be7ff"}, {"#e69f00", "#ffc53d"}, {"#000000", "#ffffff"}, {"#882255", "#e0436f"},
    {"#999933", "#b9b94a"}, {"#332288", "#7a6cff"}, {"#a040ff", "#cf6bff"}, {"#888888", "#949494"}};

const vida_colour* vida__colour(int number) {
  return &colours[number % VIDA_COLOURS];
}

/* Returns the index in the registry; for an unknown method, a number computed from its name. */
static int place_of(const char* name) {
  for (int i = 0; i < Vida_MethodCount(); i++) {
    if (strcmp(Vida_MethodInfo(i)->name, name) == 0) {
      return i;
    }
  }
  unsigned sum = 0;
  for (const char* c = name; *c; c++) {
    sum = 31 * sum + (unsigned char)*c;
  }
  return Vida_MethodCount() + (int)(sum % 1000);
}

/* Returns the colour that the fewest methods have, beginning with the preferred one. */
static int find_free(int wished, const int uses[VIDA_COLOURS]) {
  int best = wished;
  for (int k = 1; k < VIDA_COLOURS; k++) {
    const int colour = (wished + k) % VIDA_COLOURS;
    best = uses[colour] < uses[best] ? colour : best;
  }
  return best;
}

/* Returns the next method in the order of the registry, independent of the order of the runs; -1 if
 * there is none. */
static int find_next(int count, char (*names)[VIDA_NAME_SIZE], const int* place,
                     const int* numbers) {
  int next = -1;
  for (int i = 0; i < count; i++) {
    if (numbers[i] < 0 && (next < 0 || place[i] < place[next] ||
                           (place[i] == place[next] && strcmp(names[i], names[next]) < 0))) {
      next = i;
    }
  }
  return next;
}

int vida__choose_colours(int count, char (*names)[VIDA_NAME_SIZE], int* numbers, VidaError* error) {
  int uses[VIDA_COLOURS] = {0}, owner[VIDA_COLOURS];
  int* place = vida__allocate((size_t)count, sizeof *place);
  if (!place) {
    return vida__fail_memory(error);
  }
  memset(owner, -1, sizeof owner);
  for (int i = 0; i < count; i++) {
    place[i] = place_of(names[i]);
    numbers[i] = -1;
    const int first = owner[place[i] % VIDA_COLOURS];
    if (first < 0 || place[i] < place[first] ||
        (place[i] == place[first] && strcmp(names[i], names[first]) < 0)) {
      owner[place[i] % VIDA_COLOURS] = i;
    }
  }
  for (int k = 0; k < VIDA_COLOURS; k++) { /* those that get their preferred colour */
    if (owner[k] >= 0) {
      numbers[owner[k]] = k;
      uses[k]++;
    }
  }
  for (int i = find_next(count, names, place, numbers); i >= 0;
       i = find_next(count, names, place, numbers)) {
    const int colour = find_free(place[i] % VIDA_COLOURS, uses);
    numbers[i] = colour + VIDA_COLOURS * uses[colour]++;
  }
  free(place);
  return VIDA_SUCCESS;
}
