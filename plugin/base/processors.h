/* The number of processors that this process may use. */
#ifndef VIDA_BASE_PROCESSORS_H
#define VIDA_BASE_PROCESSORS_H

/* Returns the number of processors in the affinity mask of the process, limited by its control
 * groups and rounded up; at least 1. */
int vida__count_processors(void);
/* Returns the number of processors that the control groups (versions 1 and 2) allow, including
 * those of all parents; infinity without a limit. `membership` is the file /proc/self/cgroup,
 * `mount` the folder /sys/fs/cgroup. */
double vida__cgroup_processors(const char* membership, const char* mount);

#endif
