/* Reads tables from files that may come from others or be damaged. Only what VIDA itself writes is
 * accepted: a format with checksums, groups and one kind of data set in them, no links to other
 * files, no filters of other libraries, and sizes that fit the size of the file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "report/hdf5/tables.h"

enum { SIGNATURE_SIZE = 8 };

static bool read_signature(const char* path, unsigned char* version) {
  static const unsigned char signature[SIGNATURE_SIZE] = {0x89, 'H',  'D',  'F',
                                                          '\r', '\n', 0x1a, '\n'};
  unsigned char bytes[SIGNATURE_SIZE + 1];
  struct stat status;
  /* What is read from a pipe is gone. */
  FILE* file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
  const bool good = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
                    memcmp(bytes, signature, sizeof signature) == 0;
  if (file) {
    fclose(file);
  }
  *version = good ? bytes[SIGNATURE_SIZE] : 0;
  return good;
}

bool vida__is_hdf5(const char* path) {
  unsigned char version;
  return read_signature(path, &version);
}

void vida__free_hdf5_groups(vida_hdf5_groups* groups) {
  for (int i = 0; i < groups->count && groups->names; i++) {
    free(groups->names[i]);
  }
  free(groups->names);
  memset(groups, 0, sizeof *groups);
}

void vida__free_hdf5_table(vida_hdf5_table* table) {
  for (int i = 0; i < table->columns && table->column; i++) {
    free(table->column[i].name);
    free(table->column[i].unit);
  }
  free(table->column);
  free(table->values);
  memset(table, 0, sizeof *table);
}

bool vida__is_whole_in_hdf5(const char* path, const char* group) {
  vida_hdf5_table table;
  const bool is_whole = vida__read_hdf5(path, group, &table, NULL) == VIDA_SUCCESS;
  vida__free_hdf5_table(&table);
  return is_whole;
}

#if !VIDA_HAS_HDF5

bool vida__is_in_hdf5(const char* path, const char* group) {
  (void)path;
  (void)group;
  return false;
}

int vida__list_hdf5(const char* path, vida_hdf5_groups* groups, VidaError* error) {
  (void)path;
  memset(groups, 0, sizeof *groups);
  return vida__find_hdf5(NULL, 0, error);
}

int vida__read_hdf5(const char* path, const char* group, vida_hdf5_table* table, VidaError* error) {
  (void)path;
  (void)group;
  memset(table, 0, sizeof *table);
  return vida__find_hdf5(NULL, 0, error);
}

#else

#include <math.h>

#include "base/text.h"
#include "report/hdf5/library.h"

enum {
  MOST_TABLES = 10000000,
  MOST_TABLE_COLUMNS = 1000000,
  MOST_TEXT = 4096,      /* bytes of the name of a column */
  MOST_TEXTS = 64 << 20, /* bytes of all of them */
  MOST_CHUNK = 64 << 20, /* bytes of a chunk */
  MOST_SHRINKING = 1100, /* deflate makes nothing smaller by more than this */
  OLDEST_SUPERBLOCK = 2, /* the first one with checksums */
  NAME_SIZE = 512
};

/* A file that is being read. */
typedef struct hdf5_reader {
  vida_hdf5_library h5;
  const char* path;
  hid_t file;
} hdf5_reader;

static int fail_damaged(const hdf5_reader* reader, const char* member, const char* what,
                        VidaError* error) {
  char why[256];
  vida__hdf5_reason(&reader->h5, why, sizeof why);
  return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is damaged: %s%s%s%s", reader->path, member,
                    member[0] ? ": " : "", what, why);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int check_beginning(const char* path, VidaError* error) {
  unsigned char version;
  if (!read_signature(path, &version)) {
    FILE* file = fopen(path, "rb");
    const int reason = errno;
    if (!file) {
      return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot read '%s': %s", path, strerror(reason));
    }
    fclose(file);
    return vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' is no HDF5 file", path);
  }
  if (version < OLDEST_SUPERBLOCK) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      "'%s' has an old format without checksums; 'h5repack -L %s new.h5' "
                      "translates it",
                      path, path);
  }
  return VIDA_SUCCESS;
}

/* A text attribute of an object: `count` texts of *size bytes each, count 0: a single text; NULL
 * after a failure. The caller frees the texts. */
static char* read_texts(const vida_hdf5_library* h5, hid_t object, const char* name, int count,
                        size_t* size) {
  char* texts = NULL;
  hsize_t found = 0;
  if (h5->H5Aexists(object, name) <= 0) {
    return NULL;
  }
  const hid_t attribute = h5->H5Aopen(object, name, H5P_DEFAULT);
  const hid_t type = attribute >= 0 ? h5->H5Aget_type(attribute) : -1;
  const hid_t space = attribute >= 0 ? h5->H5Aget_space(attribute) : -1;
  const int rank = space >= 0 ? h5->H5Sget_simple_extent_ndims(space) : -1;
  const bool fits = rank == 0
                        ? count == 0
                        : rank == 1 && h5->H5Sget_simple_extent_dims(space, &found, NULL) == 1 &&
                              count > 0 && found == (hsize_t)count;
  const bool is_text =
      type >= 0 && h5->H5Tget_class(type) == H5T_STRING && h5->H5Tis_variable_str(type) == 0;
  *size = is_text ? h5->H5Tget_size(type) : 0;
  const size_t all = count > 0 ? (size_t)count : 1;
  if (fits && *size > 0 && *size <= MOST_TEXT && all * *size <= MOST_TEXTS) {
    texts = vida__allocate(all + 1, *size); /* a terminator for the last one */
  }
  if (texts && h5->H5Aread(attribute, type, texts) < 0) {
    free(texts);
    texts = NULL;
  }
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, type);
  vida__hdf5_release(h5, attribute);
  return texts;
}

static bool has_format(const vida_hdf5_library* h5, hid_t file) {
  size_t size;
  char* format = read_texts(h5, file, "format", 0, &size);
  const bool good = format && strcmp(format, VIDA_HDF5_FORMAT) == 0;
  free(format);
  return good;
}

/* A file whose process was killed is still marked as being written; readers may open it all the
 * same. */
static int open_file(hdf5_reader* reader, const char* path, VidaError* error) {
  vida_hdf5_library* h5 = &reader->h5;
  int code = check_beginning(path, error);
  code = code ? code : vida__enter_hdf5(h5, error);
  if (code) {
    return code;
  }
  reader->path = path;
  const hid_t access = vida__hdf5_access(h5);
  reader->file = h5->H5Fopen(path, H5F_ACC_RDONLY, access);
  if (reader->file < 0) {
    reader->file = h5->H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
  }
  if (reader->file < 0) {
    code = fail_damaged(reader, "", "it cannot be opened", error);
  }
  vida__hdf5_release(h5, access);
  if (code) {
    vida__leave_hdf5(h5);
    return code;
  }
  if (!has_format(h5, reader->file)) {
    code = vida__fail(error, VIDA_INPUT_OUTPUT,
                      "'%s' is no file of trajectories: it has no attribute format = '%s'", path,
                      VIDA_HDF5_FORMAT);
    h5->H5Fclose(reader->file);
    vida__leave_hdf5(h5);
  }
  return code;
}

static void close_file(hdf5_reader* reader) {
  reader->h5.H5Fclose(reader->file);
  vida__leave_hdf5(&reader->h5);
}

static bool is_plain_name(const char* name) {
  return name[0] && !strchr(name, '/') && !vida__find_invalid_utf8(name) &&
         !vida__find_control(name, NULL) && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* ---- the list of tables ---------------------------------------------------------------------- */

static H5_index_t order_of(const vida_hdf5_library* h5, hid_t file) {
  const hid_t root = h5->H5Gopen2(file, "/", H5P_DEFAULT);
  const hid_t creation = root >= 0 ? h5->H5Gget_create_plist(root) : -1;
  unsigned flags = 0;
  const bool is_tracked = creation >= 0 && h5->H5Pget_link_creation_order(creation, &flags) >= 0 &&
                          (flags & H5P_CRT_ORDER_TRACKED);
  vida__hdf5_release(h5, creation);
  vida__hdf5_release(h5, root);
  return is_tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
}

static int take_names(hdf5_reader* reader, int count, vida_hdf5_groups* groups, VidaError* error) {
  const vida_hdf5_library* h5 = &reader->h5;
  const H5_index_t order = order_of(h5, reader->file);
  groups->names = vida__allocate((size_t)count + 1, sizeof *groups->names);
  if (!groups->names) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < count; i++) {
    char name[NAME_SIZE] = "";
    const ssize_t length = h5->H5Lget_name_by_idx(reader->file, "/", order, H5_ITER_INC, (hsize_t)i,
                                                  name, sizeof name, H5P_DEFAULT);
    if (length <= 0 || length >= (ssize_t)sizeof name || !is_plain_name(name)) {
      return fail_damaged(reader, "", "the name of a group", error);
    }
    groups->names[groups->count] = vida__copy_text(name);
    if (!groups->names[groups->count]) {
      return vida__fail_memory(error);
    }
    groups->count++;
  }
  return VIDA_SUCCESS;
}

int vida__list_hdf5(const char* path, vida_hdf5_groups* groups, VidaError* error) {
  hdf5_reader reader = {.file = -1};
  H5G_info_t info;
  memset(groups, 0, sizeof *groups);
  int code = open_file(&reader, path, error);
  if (code) {
    return code;
  }
  if (reader.h5.H5Gget_info(reader.file, &info) < 0 || info.nlinks > MOST_TABLES) {
    code = fail_damaged(&reader, "", "the list of its groups", error);
  } else {
    code = take_names(&reader, (int)info.nlinks, groups, error);
  }
  close_file(&reader);
  if (code) {
    vida__free_hdf5_groups(groups);
  }
  return code;
}

/* ---- a table --------------------------------------------------------------------------------- */

/* Opens a member of the file itself of this kind; -1 after a failure. Links to other places are not
 * followed. */
static hid_t open_member(const vida_hdf5_library* h5, hid_t place, const char* name,
                         H5I_type_t kind) {
  vida_link_info info;
  if (h5->H5Lexists(place, name, H5P_DEFAULT) <= 0 ||
      h5->VIDA_LINK_INFO(place, name, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) {
    return -1;
  }
  const hid_t object = h5->H5Oopen(place, name, H5P_DEFAULT);
  if (object >= 0 && h5->H5Iget_type(object) != kind) {
    vida__hdf5_release(h5, object);
    return -1;
  }
  return object;
}

bool vida__is_in_hdf5(const char* path, const char* group) {
  hdf5_reader reader = {.file = -1};
  if (!is_plain_name(group) || open_file(&reader, path, NULL)) {
    return false;
  }
  const hid_t place = open_member(&reader.h5, reader.file, group, H5I_GROUP);
  vida__hdf5_release(&reader.h5, place);
  close_file(&reader);
  return place >= 0;
}

/* How the numbers are stored; NULL, or what is not accepted. */
static const char* find_bad_storage(const vida_hdf5_library* h5, hid_t samples) {
  const char* bad = NULL;
  hsize_t chunk[2] = {0, 0};
  const hid_t creation = h5->H5Dget_create_plist(samples);
  if (creation < 0 || h5->H5Pget_layout(creation) != H5D_CHUNKED ||
      h5->H5Pget_external_count(creation) != 0) {
    bad = "its numbers are not in chunks of this file";
  } else if (h5->H5Pget_chunk(creation, 2, chunk) != 2 || chunk[0] < 1 || chunk[1] < 1 ||
             chunk[0] > MOST_CHUNK / sizeof(double) ||
             chunk[1] > MOST_CHUNK / sizeof(double) / chunk[0]) {
    bad = "the size of its chunks is absurd";
  }
  const int filters = bad ? 0 : h5->H5Pget_nfilters(creation);
  for (int i = 0; i < filters && !bad; i++) {
    unsigned flags, info;
    size_t numbers = 0;
    const H5Z_filter_t filter =
        h5->H5Pget_filter2(creation, (unsigned)i, &flags, &numbers, NULL, 0, NULL, &info);
    if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
        filter != H5Z_FILTER_FLETCHER32) {
      bad = "its filters are others than deflate, shuffle and fletcher32";
    }
  }
  vida__hdf5_release(h5, creation);
  return bad;
}

/* The type, the rank and the sizes; NULL, or what is wrong. */
static const char* find_bad_shape(const vida_hdf5_library* h5, hid_t samples,
                                  vida_hdf5_table* table) {
  hsize_t size[2] = {0, 0};
  const hid_t type = h5->H5Dget_type(samples), space = h5->H5Dget_space(samples);
  const bool is_real = type >= 0 && h5->H5Tequal(type, *h5->H5T_IEEE_F64LE_g) > 0;
  const bool is_table = space >= 0 && h5->H5Sget_simple_extent_ndims(space) == 2 &&
                        h5->H5Sget_simple_extent_dims(space, size, NULL) == 2;
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, type);
  if (!is_real) {
    return "its numbers are not of the type IEEE_F64LE";
  }
  if (!is_table || size[1] < 1 || size[1] > MOST_TABLE_COLUMNS) {
    return "it is no table of rows and columns";
  }
  const char* bad = find_bad_storage(h5, samples);
  if (bad) {
    return bad;
  }
  const hsize_t stored = h5->H5Dget_storage_size(samples);
  if (stored > (hsize_t)1 << 50 || size[0] > stored * MOST_SHRINKING / sizeof(double) / size[1]) {
    return "it has more rows than its bytes can hold";
  }
  table->rows = (long)size[0];
  table->columns = (int)size[1];
  return NULL;
}

static int take_column_texts(hdf5_reader* reader, const char* group, hid_t samples,
                             const char* attribute, bool is_name, vida_hdf5_table* table,
                             VidaError* error) {
  size_t size = 0;
  char* texts = read_texts(&reader->h5, samples, attribute, table->columns, &size);
  char text[MOST_TEXT + 1], what[MOST_TEXT + 64];
  int code = VIDA_SUCCESS;
  if (!texts) {
    snprintf(what, sizeof what, "the attribute '%s' of %s", attribute, VIDA_HDF5_SAMPLES);
    return fail_damaged(reader, group, what, error);
  }
  for (int i = 0; i < table->columns && !code; i++) {
    size_t length = 0;
    while (length < size && texts[(size_t)i * size + length]) {
      length++;
    }
    memcpy(text, texts + (size_t)i * size, length);
    text[length] = '\0';
    if (vida__find_invalid_utf8(text) || vida__find_control(text, NULL) || (is_name && !text[0])) {
      snprintf(what, sizeof what, "text %d of '%s'", i + 1, attribute);
      code = fail_damaged(reader, group, what, error);
    } else {
      char** to = is_name ? &table->column[i].name : &table->column[i].unit;
      *to = vida__copy_text(text);
      code = *to ? VIDA_SUCCESS : vida__fail_memory(error);
    }
  }
  free(texts);
  return code;
}

/* Times are finite and do not decrease; NaN stands for a number that was not measured, and nothing
 * is infinite. */
static int check_values(const hdf5_reader* reader, const char* group, const vida_hdf5_table* table,
                        VidaError* error) {
  double before = -INFINITY;
  char what[256];
  for (long row = 0; row < table->rows; row++) {
    const double* values = table->values + (size_t)row * (size_t)table->columns;
    int bad = -1;
    for (int i = table->columns - 1; i >= 0; i--) {
      bad = isinf(values[i]) || (i == 0 && !(values[0] >= before)) ? i : bad;
    }
    if (bad >= 0) {
      snprintf(what, sizeof what, "row %ld has no possible number in column '%.60s'", row + 1,
               table->column[bad].name);
      return fail_damaged(reader, group, what, error);
    }
    before = values[0];
  }
  return VIDA_SUCCESS;
}

static int read_samples(hdf5_reader* reader, const char* group, hid_t samples,
                        vida_hdf5_table* table, VidaError* error) {
  const vida_hdf5_library* h5 = &reader->h5;
  const char* bad = find_bad_shape(h5, samples, table);
  if (bad) {
    table->rows = table->columns = 0;
    return fail_damaged(reader, group, bad, error);
  }
  table->column = vida__allocate((size_t)table->columns, sizeof *table->column);
  if (!table->column) {
    return vida__fail_memory(error);
  }
  for (int i = 0; i < table->columns; i++) {
    table->column[i].part = "";
  }
  int code = take_column_texts(reader, group, samples, "columns", true, table, error);
  code = code ? code : take_column_texts(reader, group, samples, "units", false, table, error);
  if (!code && strcmp(table->column[0].name, "t") != 0) {
    code = fail_damaged(reader, group, "its first column is not t", error);
  }
  if (code) {
    return code;
  }
  table->values =
      vida__allocate((size_t)table->rows * (size_t)table->columns + 1, sizeof *table->values);
  if (!table->values) {
    return vida__fail_memory(error);
  }
  if (table->rows > 0 && h5->H5Dread(samples, *h5->H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL,
                                     H5P_DEFAULT, table->values) < 0) {
    return fail_damaged(reader, group, "its numbers cannot be read", error);
  }
  return check_values(reader, group, table, error);
}

int vida__read_hdf5(const char* path, const char* group, vida_hdf5_table* table, VidaError* error) {
  hdf5_reader reader = {.file = -1};
  memset(table, 0, sizeof *table);
  int code = open_file(&reader, path, error);
  if (code) {
    return code;
  }
  const vida_hdf5_library* h5 = &reader.h5;
  const hid_t place = is_plain_name(group) ? open_member(h5, reader.file, group, H5I_GROUP) : -1;
  const hid_t samples = place >= 0 ? open_member(h5, place, VIDA_HDF5_SAMPLES, H5I_DATASET) : -1;
  if (samples < 0) {
    code = place < 0 ? vida__fail(error, VIDA_INPUT_OUTPUT, "'%s' has no run '%s'", path, group)
                     : fail_damaged(&reader, group, "it has no data set " VIDA_HDF5_SAMPLES, error);
  } else {
    code = read_samples(&reader, group, samples, table, error);
  }
  vida__hdf5_release(h5, samples);
  vida__hdf5_release(h5, place);
  close_file(&reader);
  if (code) {
    vida__free_hdf5_table(table);
  }
  return code;
}

#endif
