/* The HTML page: its files, which the build converts to C arrays, and its data. */
#ifndef VIDA_REPORT_PAGE_PAGE_H
#define VIDA_REPORT_PAGE_PAGE_H

#include <stddef.h>
#include <stdio.h>
#include <vida/report.h>

/* The files of report/page/; the last entry has no name. */
typedef struct vida_page_file {
  const char* name;
  const unsigned char* text;
  size_t size;
} vida_page_file;
extern const vida_page_file vida__page_files[];

/* The first characters of the data, which distinguish them from other JSON. */
#define VIDA_PAGE_DATA_BEGIN "{\"vida_page\": 2,"
/* Writes all data of the page as strict JSON. Fails only with VIDA_OUT_OF_MEMORY (page_data.c). */
int vida__write_page_data(const VidaRecording* const* recordings, int count,
                          const VidaPageFacts* facts, FILE* file);

#endif
