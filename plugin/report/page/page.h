/* The page: its files, which the build puts into C arrays, and its data. */
#ifndef VIDA_REPORT_PAGE_PAGE_H
#define VIDA_REPORT_PAGE_PAGE_H

#include <stddef.h>
#include <stdio.h>
#include <vida/report.h>

/* Files of report/page/; the last one has no name. */
typedef struct vida_page_file {
  const char* name;
  const unsigned char* text;
  size_t size;
} vida_page_file;
extern const vida_page_file vida__page_files[];

/* How the data begin, by which they are told from other JSON. */
#define VIDA_PAGE_DATA_BEGIN "{\"vida_page\": 2,"
/* Everything that the page shows, as strict JSON; fails when there is no memory (page_data.c). */
int vida__write_page_data(const VidaRecording* const* recordings, int count,
                          const VidaPageFacts* facts, FILE* file);

#endif
