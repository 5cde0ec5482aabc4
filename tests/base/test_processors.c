/* Limits of control groups, in folders made as Linux makes them: cpu.max of version 2 ("max
 * 100000", or quota and period in microseconds), cpu.cfs_quota_us and cpu.cfs_period_us of
 * version 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processors.h"
#include "support/check.h"

static char top[] = "/tmp/vida-groups-XXXXXX";

static void write_file(const char* name, const char* text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", top, name);
  for (char* at = strchr(path + strlen(top) + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, 0777);
    *at = '/';
  }
  FILE* file = fopen(path, "w");
  EXPECT(file != NULL, "%s cannot be written", path);
  if (file) {
    fputs(text, file);
    fclose(file);
  }
}

static double share(const char* membership) {
  char path[512];
  write_file("membership", membership);
  snprintf(path, sizeof path, "%s/membership", top);
  return vida__cgroup_processors(path, top);
}

static void test_groups(void) {
  EXPECT(isinf(share("0::/\n")), "no files");
  write_file("a/cpu.max", "max 100000\n");
  EXPECT(isinf(share("0::/a\n")), "no limit");
  write_file("a/b/cpu.max", "150000 100000\n");
  EXPECT(share("0::/a/b\n") == 1.5, "%g", share("0::/a/b\n"));
  EXPECT(share("0::/a/b/c/d\n") == 1.5, "a limit above");
  write_file("a/cpu.max", "50000 100000\n");
  EXPECT(share("0::/a/b\n") == 0.5, "the least of all above");
  EXPECT(isinf(share("0::/elsewhere\n")), "another group");
  write_file("cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
  write_file("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  EXPECT(isinf(share("4:cpu,cpuacct:/x\n")), "version 1 without a limit");
  write_file("cpu,cpuacct/x/cpu.cfs_quota_us", "300000\n");
  EXPECT(share("5:memory:/a\n4:cpu,cpuacct:/x\n0::/\n") == 3.0, "version 1");
  EXPECT(isinf(share("4:cpuset:/x\n")), "another controller");
  EXPECT(isinf(vida__cgroup_processors("/nowhere/at/all", top)), "no membership");
  EXPECT(vida__count_processors() >= 1, "processors");
}

int main(void) {
  static const CheckTest tests[] = {{"control groups", test_groups}, {NULL, NULL}};
  if (!mkdtemp(top)) {
    return 1;
  }
  const int code = check_main("processors", tests);
  char command[600];
  snprintf(command, sizeof command, "rm -rf '%s'", top);
  return system(command) ? 1 : code;
}
