/* How many processors this process may use. */
#ifndef VIDA_BASE_PROCESSORS_H
#define VIDA_BASE_PROCESSORS_H

/* The processors of its affinity mask, or fewer where a control group limits its share of them; at
 * least 1. A share of one and a half processors counts as two. */
int vida__count_processors(void);
/* The limit of the control groups that the file `membership` (/proc/self/cgroup) names, of version
 * 1 and 2, below the folder `mount` (/sys/fs/cgroup), all above them included: processors, or
 * infinity.
 */
double vida__find_share(const char* membership, const char* mount);

#endif
