#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/processors.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PROCESSORS = 1024, PATH_SIZE = 4096, LINE_SIZE = 4096 };

/* Reads the numbers of a file, of which the first may be "max". Returns their number. */
static int read_numbers(const char* path, double number[2]) {
  char text[128] = "";
  FILE* file = fopen(path, "r");
  if (!file) {
    return 0;
  }
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = '\0';
  int count = 0;
  for (char *at = text, *end = text; count < 2; at = end) {
    at += strspn(at, " \n");
    const bool is_max = strncmp(at, "max", 3) == 0;
    const double value = is_max ? (double)INFINITY : strtod(at, &end);
    end = is_max ? at + 3 : end;
    if (end == at) {
      break;
    }
    number[count++] = value;
  }
  return count;
}

/* Version 2: "QUOTA PERIOD" in cpu.max; version 1: a file for each. A quota that is not positive is
 * none. */
static double share_of(const char* folder, bool is_second) {
  char path[PATH_SIZE + 32];
  double number[2] = {INFINITY, 0.0}, period[2] = {0.0, 0.0};
  snprintf(path, sizeof path, "%s/%s", folder, is_second ? "cpu.max" : "cpu.cfs_quota_us");
  if (read_numbers(path, number) == 0) {
    return INFINITY;
  }
  if (!is_second) {
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    read_numbers(path, period);
    number[1] = period[0];
  }
  return number[0] > 0.0 && number[1] > 0.0 ? number[0] / number[1] : INFINITY;
}

/* Returns the smallest share from the group up to `mount`. */
static double least_share(const char* mount, const char* group, bool is_second) {
  char folder[PATH_SIZE];
  double least = share_of(mount, is_second);
  const int length = snprintf(folder, sizeof folder, "%s%s", mount, group);
  if (length < 0 || length >= PATH_SIZE) {
    return least;
  }
  while (strlen(folder) > strlen(mount)) {
    least = fmin(least, share_of(folder, is_second));
    *strrchr(folder, '/') = '\0';
  }
  return least;
}

static bool has_word(const char* list, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

/* Lines are "NUMBER:CONTROLLERS:GROUP"; for version 2 the controllers are empty. */
double vida__cgroup_processors(const char* membership, const char* mount) {
  char line[LINE_SIZE], below[PATH_SIZE];
  double least = INFINITY;
  FILE* file = fopen(membership, "r");
  while (file && fgets(line, sizeof line, file)) {
    char* controllers = strchr(line, ':');
    char* group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group || group[1] != '/') {
      continue;
    }
    controllers++;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (controllers[0] == '\0') {
      least = fmin(least, least_share(mount, group, true));
    } else if (has_word(controllers, "cpu")) {
      static const char* const places[] = {"cpu", "cpu,cpuacct"};
      for (int i = 0; i < 2; i++) {
        snprintf(below, sizeof below, "%.2000s/%s", mount, places[i]);
        least = fmin(least, least_share(below, group, false));
      }
    }
  }
  if (file) {
    fclose(file);
  }
  return least;
}

static int count_affine(void) {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  int count = online > 1 ? (int)(online < MOST_PROCESSORS ? online : MOST_PROCESSORS) : 1;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
    count = CPU_COUNT(&set) < MOST_PROCESSORS ? CPU_COUNT(&set) : MOST_PROCESSORS;
  }
#endif
  return count;
}

int vida__count_processors(void) {
  const int count = count_affine();
  const double share = ceil(vida__cgroup_processors("/proc/self/cgroup", "/sys/fs/cgroup"));
  return share < count ? (share > 1.0 ? (int)share : 1) : count;
}
