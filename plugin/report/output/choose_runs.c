/* Chooses which of very many runs are shown: the same number for each method. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/output/output.h"

static int least(int a, int b) {
  return a < b ? a : b;
}

/* Returns the number of runs per group: the same for all groups, except smaller ones. */
static int find_level(int groups, const int* size, int most) {
  int level = 0, taken = 0;
  while (level < most) {
    int next = 0;
    for (int g = 0; g < groups; g++) {
      next += least(size[g], level + 1);
    }
    if (next > most || next == taken) {
      break;
    }
    taken = next;
    level++;
  }
  return level;
}

/* The remaining places, one for each of the first larger groups. */
static int find_spare(int groups, const int* size, int level, int most) {
  for (int g = 0; g < groups; g++) {
    most -= least(size[g], level);
  }
  return most;
}

int vida__spread_runs(int count, const int* group, int most, bool* chosen, VidaError* error) {
  int* size = vida__allocate((size_t)count, sizeof *size);
  int* room = vida__allocate((size_t)count, sizeof *room);
  int* before = vida__allocate((size_t)count, sizeof *before);
  int code = size && room && before ? VIDA_SUCCESS : vida__fail_memory(error);
  for (int i = 0; i < count && !code; i++) {
    size[group[i] >= 0 ? group[i] : 0] += group[i] >= 0;
  }
  const int level = code ? 0 : find_level(count, size, most);
  int spare = code ? 0 : find_spare(count, size, level, most);
  for (int g = 0; g < count && !code; g++) {
    const bool more = size[g] > level && spare > 0;
    room[g] = least(size[g], level) + more;
    spare -= more;
  }
  for (int i = 0; i < count && !code; i++) { /* evenly, the first one among them */
    const int g = group[i];
    chosen[i] = g >= 0 && (long long)before[g]++ * room[g] % size[g] < room[g];
  }
  free(size);
  free(room);
  free(before);
  return code;
}
