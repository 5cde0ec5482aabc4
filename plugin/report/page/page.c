/* Writes the page: its files, with the data in them. */
#include "report/page/page.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/output/json_check.h"
#include "report/output/output.h"

/* ---- the template ---------------------------------------------------------------------------- */

static const vida_page_file* find_file(const char* name, size_t length) {
  const vida_page_file* file = vida__page_files;
  while (file->name && !(strlen(file->name) == length && strncmp(file->name, name, length) == 0)) {
    file++;
  }
  return file->name ? file : NULL;
}

/* Writes the data inside <script>. "<" occurs only in texts, where it is escaped, so that no name
 * can end the element. */
static void write_data(const char* data, size_t size, FILE* to) {
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '<') {
      fputs("\\u003c", to);
    } else {
      fputc(data[i], to);
    }
  }
}

/* Writes page.html with every line "@NAME" replaced by that file, "@data" by the data. */
static void write_page(const char* data, size_t size, FILE* to) {
  const vida_page_file* frame = find_file("page.html", strlen("page.html"));
  const char* line = (const char*)frame->text;
  const char* end = line + frame->size;
  while (line < end) {
    const char* stop = memchr(line, '\n', (size_t)(end - line));
    const size_t length = (size_t)((stop ? stop : end) - line);
    const vida_page_file* part = line[0] == '@' ? find_file(line + 1, length - 1) : NULL;
    if (part) {
      fwrite(part->text, 1, part->size, to);
    } else if (length == strlen("@data") && strncmp(line, "@data", length) == 0) {
      write_data(data, size, to);
    } else {
      fwrite(line, 1, length, to);
      fputc('\n', to);
    }
    line = stop ? stop + 1 : end;
  }
}

/* ---- files ----------------------------------------------------------------------------------- */

static int fail_to_write(const char* path, VidaError* error) {
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write '%s': %s", path, strerror(errno));
}

/* Opens PATH.partial; *name receives its name, which the caller frees also after a failure. */
static int open_partial(const char* path, char** name, FILE** file, VidaError* error) {
  const size_t length = strlen(path) + sizeof ".partial";
  *file = NULL;
  *name = vida__allocate(length, 1);
  if (!*name) {
    return vida__fail_memory(error);
  }
  vida__append(*name, length, "%s.partial", path);
  *file = vida__create_stream(*name);
  return *file ? VIDA_SUCCESS : fail_to_write(path, error);
}

int VidaReport_PreparePage(const char* path, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, path)) {
    return VIDA_BAD_ARGUMENT;
  }
  char* partial;
  FILE* file;
  int code = open_partial(path, &partial, &file, error);
  if (file) {
    fclose(file);
    remove(partial);
    if (remove(path) != 0 && errno != ENOENT) {
      code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot replace '%s': %s", path, strerror(errno));
    }
  }
  free(partial);
  return code;
}

/* Writes PATH.partial first, so that the file is complete when it gets its name. */
static int write_whole(const char* path, bool is_page, const char* data, size_t size,
                       VidaError* error) {
  char* partial;
  FILE* file;
  int code = open_partial(path, &partial, &file, error);
  if (file) {
    if (is_page) {
      write_page(data, size, file);
    } else {
      fwrite(data, 1, size, file);
    }
    code = vida__finish_output(file, path, error);
    if (fclose(file) != 0 && !code) {
      code = fail_to_write(path, error);
    }
    if (!code && rename(partial, path) != 0) {
      code = fail_to_write(path, error);
    }
    if (code) {
      remove(partial);
    }
  }
  free(partial);
  return code;
}

static int check_recordings(const VidaRecording* const* recordings, int count, VidaError* error) {
  if (count < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "a page needs at least one recording, got %d",
                      count);
  }
  for (int i = 0; i < count; i++) {
    if (!recordings[i]) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "recording %d of %d is NULL", i + 1, count);
    }
  }
  return VIDA_SUCCESS;
}

static int write_studies(const VidaRecording* const* recordings, int count,
                         const VidaPageFacts* facts, bool is_page, const char* path,
                         VidaError* error) {
  char* data = NULL;
  size_t size = 0;
  if (check_recordings(recordings, count, error)) {
    return VIDA_BAD_ARGUMENT;
  }
  FILE* memory = open_memstream(&data, &size);
  if (!memory) {
    return vida__fail_memory(error);
  }
  const int written = vida__write_page_data(recordings, count, facts, memory);
  const bool good = !written && !ferror(memory);
  int code = fclose(memory) == 0 && good ? VIDA_SUCCESS : vida__fail_memory(error);
  code = code ? code : write_whole(path, is_page, data, size, error);
  free(data);
  return code;
}

int VidaReport_Page(const VidaRecording* const* recordings, int count, const VidaPageFacts* facts,
                    const char* path, VidaError* error) {
  return VIDA_REFUSE_NULL(error, recordings, path)
             ? VIDA_BAD_ARGUMENT
             : write_studies(recordings, count, facts, true, path, error);
}

int VidaReport_PageData(const VidaRecording* const* recordings, int count,
                        const VidaPageFacts* facts, const char* path, VidaError* error) {
  return VIDA_REFUSE_NULL(error, recordings, path)
             ? VIDA_BAD_ARGUMENT
             : write_studies(recordings, count, facts, false, path, error);
}

/* ---- from stored data ------------------------------------------------------------------------ */

static int read_whole(const char* path, char** data, size_t* size, VidaError* error) {
  size_t capacity = 0;
  FILE* file = fopen(path, "r");
  *data = NULL;
  *size = 0;
  if (!file) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", path, strerror(errno));
  }
  int code = VIDA_SUCCESS;
  while (!code && !feof(file) && !ferror(file)) {
    if (vida__reserve((void**)data, &capacity, *size + (1 << 16), 1)) {
      code = vida__fail_memory(error);
    } else {
      *size += fread(*data + *size, 1, capacity - *size, file);
    }
  }
  if (!code && ferror(file)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", path, strerror(errno));
  }
  fclose(file);
  return code;
}

/* Refuses data that a browser could not read, because a message is possible here. */
static int check_syntax(const char* path, const char* data, size_t size, VidaError* error) {
  long line = 0, column = 0;
  const char* fault = vida__find_json_fault(data, size, &line, &column);
  return !fault ? VIDA_SUCCESS
                : vida__fail(error, VIDA_BAD_ARGUMENT,
                             "'%s' is damaged, line %ld, byte %ld of it: %s; run the scenario "
                             "again with --out",
                             path, line, column, fault);
}

int VidaReport_PageFromData(const char* data_path, const char* path, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, data_path, path)) {
    return VIDA_BAD_ARGUMENT;
  }
  char* data = NULL;
  size_t size = 0;
  int code = read_whole(data_path, &data, &size, error);
  const size_t begin = strlen(VIDA_PAGE_DATA_BEGIN);
  if (!code && (size < begin + 4 || strncmp(data, VIDA_PAGE_DATA_BEGIN, begin) != 0 ||
                strncmp(data + size - 3, "]}\n", 3) != 0)) {
    code = vida__fail(
        error, VIDA_BAD_ARGUMENT,
        "'%s' is not, or not completely, the data of a report that 'vida run --out' writes",
        data_path);
  }
  code = code ? code : check_syntax(data_path, data, size, error);
  code = code ? code : write_whole(path, true, data, size, error);
  free(data);
  return code;
}
