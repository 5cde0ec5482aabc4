/* Writes tables. Files have a format whose parts have checksums, and no times of their own, so
 * that equal studies make equal files. */
#include "base/error.h"
#include "report/hdf5/tables.h"

#if !VIDA_HAS_HDF5

int vida__hdf5_begin(const char* path, const char* group, int columns,
                     const vida_table_column* column, int facts, const vida_fact* fact,
                     vida_hdf5_writer** writer, VidaError* error) {
  (void)path;
  (void)group;
  (void)columns;
  (void)column;
  (void)facts;
  (void)fact;
  *writer = NULL;
  return vida__find_hdf5(NULL, 0, error);
}

int vida__hdf5_append(vida_hdf5_writer* writer, const double* row, VidaError* error) {
  (void)writer;
  (void)row;
  return vida__find_hdf5(NULL, 0, error);
}

long vida__hdf5_written(const vida_hdf5_writer* writer, int* waiting, const double** buffer) {
  (void)writer;
  *waiting = 0;
  *buffer = NULL;
  return 0;
}

int vida__hdf5_end(vida_hdf5_writer** writer, int facts, const vida_fact* fact, VidaError* error) {
  (void)writer;
  (void)facts;
  (void)fact;
  return vida__find_hdf5(NULL, 0, error);
}

int vida__hdf5_join(const char* path, int count, const char* (*path_of)(const void* list, int i),
                    const char* (*group_of)(const void* list, int i), const void* list, int* copied,
                    VidaError* error) {
  (void)path;
  (void)count;
  (void)path_of;
  (void)group_of;
  (void)list;
  *copied = 0;
  return vida__find_hdf5(NULL, 0, error);
}

#else

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/hdf5/library.h"

enum {
  BLOCK_ROWS = 512,       /* rows that are compressed together, */
  LEAST_ROWS = 16,        /* but fewer of wide tables */
  BLOCK_NUMBERS = 262144, /* so that a block has no more numbers than this */
  COMPRESSION = 6
};

struct vida_hdf5_writer {
  vida_hdf5_library h5;
  char *path, *group;
  hid_t file, samples;
  int columns;
  hsize_t rows;   /* in the file */
  int block;      /* rows of a block */
  int waiting;    /* rows in the buffer */
  double* buffer; /* block x columns */
};

/* The description of the library comes with the reason of the system where there is one. */
static int fail_to_write(const vida_hdf5_library* h5, const char* path, int reason,
                         VidaError* error) {
  char why[256] = "";
  if (reason) {
    vida__append(why, sizeof why, ": %s", strerror(reason));
  } else {
    vida__hdf5_reason(h5, why, sizeof why);
  }
  return vida__fail(error, VIDA_INPUT_OUTPUT, "cannot write %s%s", path, why);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Writes texts of `size` bytes each, one after the other; count 0: a single text. */
static bool write_texts(const vida_hdf5_library* h5, hid_t object, const char* name, int count,
                        size_t size, const char* texts) {
  const hsize_t dimension = (hsize_t)count;
  const hid_t type = h5->H5Tcopy(*h5->H5T_C_S1_g);
  const hid_t space =
      count > 0 ? h5->H5Screate_simple(1, &dimension, NULL) : h5->H5Screate(H5S_SCALAR);
  h5->H5Tset_size(type, size);
  h5->H5Tset_cset(type, H5T_CSET_UTF8);
  const hid_t attribute = h5->H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && h5->H5Awrite(attribute, type, texts) >= 0;
  vida__hdf5_release(h5, attribute);
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, type);
  return good;
}

static bool write_number(const vida_hdf5_library* h5, hid_t object, const char* name,
                         double value) {
  const hid_t space = h5->H5Screate(H5S_SCALAR);
  const hid_t attribute =
      h5->H5Acreate2(object, name, *h5->H5T_IEEE_F64LE_g, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good =
      attribute >= 0 && h5->H5Awrite(attribute, *h5->H5T_NATIVE_DOUBLE_g, &value) >= 0;
  vida__hdf5_release(h5, attribute);
  vida__hdf5_release(h5, space);
  return good;
}

bool vida__hdf5_write_facts(const vida_hdf5_library* h5, hid_t object, int facts,
                            const vida_fact* fact) {
  bool good = true;
  for (int i = 0; i < facts && good; i++) {
    const char* text = fact[i].text;
    good = text ? write_texts(h5, object, fact[i].name, 0, strlen(text) + 1, text)
                : write_number(h5, object, fact[i].name, fact[i].value);
  }
  return good;
}

typedef const char* text_of_column(const vida_table_column* column);

static const char* name_of(const vida_table_column* column) {
  return column->name;
}

static const char* unit_of(const vida_table_column* column) {
  return column->unit;
}

static const char* part_of(const vida_table_column* column) {
  return column->part;
}

/* Texts of one length, that of the longest. */
static bool write_column_texts(const vida_hdf5_library* h5, hid_t samples, const char* name,
                               int columns, const vida_table_column* column, text_of_column* text) {
  size_t size = 1;
  for (int i = 0; i < columns; i++) {
    const size_t length = strlen(text(&column[i])) + 1;
    size = length > size ? length : size;
  }
  char* texts = vida__allocate((size_t)columns, size);
  for (int i = 0; i < columns && texts; i++) {
    memcpy(texts + (size_t)i * size, text(&column[i]), strlen(text(&column[i])));
  }
  const bool good = texts && write_texts(h5, samples, name, columns, size, texts);
  free(texts);
  return good;
}

/* ---- creation -------------------------------------------------------------------------------- */

/* Groups keep the order in which they were created. */
static hid_t create_file(const vida_hdf5_library* h5, const char* path) {
  const vida_fact facts[] = {{"format", VIDA_HDF5_FORMAT, 0.0},
                             {"format_version", NULL, 1.0},
                             {"vida_version", Vida_Version(), 0.0},
                             {"sundials_version", Vida_SundialsVersion(), 0.0}};
  const hid_t access = vida__hdf5_access(h5);
  const hid_t creation = h5->H5Pcreate(*h5->H5P_CLS_FILE_CREATE_ID_g);
  h5->H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  h5->H5Pset_obj_track_times(creation, false);
  hid_t file = h5->H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  if (file >= 0 && !vida__hdf5_write_facts(h5, file, sizeof facts / sizeof facts[0], facts)) {
    h5->H5Fclose(file);
    file = -1;
  }
  vida__hdf5_release(h5, creation);
  vida__hdf5_release(h5, access);
  return file;
}

static bool create_group(vida_hdf5_writer* writer, int facts, const vida_fact* fact) {
  const vida_hdf5_library* h5 = &writer->h5;
  const hid_t creation = h5->H5Pcreate(*h5->H5P_CLS_GROUP_CREATE_ID_g);
  h5->H5Pset_obj_track_times(creation, false);
  const hid_t group =
      h5->H5Gcreate2(writer->file, writer->group, H5P_DEFAULT, creation, H5P_DEFAULT);
  const bool good = group >= 0 && vida__hdf5_write_facts(h5, group, facts, fact);
  vida__hdf5_release(h5, group);
  vida__hdf5_release(h5, creation);
  return good;
}

/* A block has one chunk for each column: numbers of one column are alike, which compresses well,
 * and one column can be read without the others. The names of many columns do not fit into the
 * header of a data set: its attributes are stored elsewhere. */
static hid_t create_samples(const vida_hdf5_writer* writer) {
  const vida_hdf5_library* h5 = &writer->h5;
  const hsize_t size[] = {0, (hsize_t)writer->columns};
  const hsize_t largest[] = {H5S_UNLIMITED, (hsize_t)writer->columns};
  const hsize_t chunk[] = {(hsize_t)writer->block, 1};
  const hid_t space = h5->H5Screate_simple(2, size, largest);
  const hid_t creation = h5->H5Pcreate(*h5->H5P_CLS_DATASET_CREATE_ID_g);
  const hid_t access = h5->H5Pcreate(*h5->H5P_CLS_DATASET_ACCESS_ID_g);
  h5->H5Pset_chunk(creation, 2, chunk);
  h5->H5Pset_shuffle(creation);
  if (h5->H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    h5->H5Pset_deflate(creation, COMPRESSION);
  }
  h5->H5Pset_fletcher32(creation);
  h5->H5Pset_obj_track_times(creation, false);
  h5->H5Pset_attr_phase_change(creation, 0, 0);
  h5->H5Pset_chunk_cache(access, 1, 0, 1.0); /* each chunk is written once */
  char name[512] = "";
  vida__append(name, sizeof name, "%s/" VIDA_HDF5_SAMPLES, writer->group);
  const hid_t samples = h5->H5Dcreate2(writer->file, name, *h5->H5T_IEEE_F64LE_g, space,
                                       H5P_DEFAULT, creation, access);
  vida__hdf5_release(h5, access);
  vida__hdf5_release(h5, creation);
  vida__hdf5_release(h5, space);
  return samples;
}

static void free_writer(vida_hdf5_writer* writer) {
  free(writer->path);
  free(writer->group);
  free(writer->buffer);
  free(writer);
}

static vida_hdf5_writer* allocate_writer(const char* path, const char* group, int columns) {
  vida_hdf5_writer* made = vida__allocate(1, sizeof *made);
  if (!made) {
    return NULL;
  }
  const int affordable = BLOCK_NUMBERS / columns;
  made->block = affordable > BLOCK_ROWS   ? BLOCK_ROWS
                : affordable < LEAST_ROWS ? LEAST_ROWS
                                          : affordable;
  made->columns = columns;
  made->file = made->samples = -1;
  made->path = vida__copy_text(path);
  made->group = vida__copy_text(group);
  made->buffer = vida__allocate((size_t)made->block * (size_t)columns, sizeof *made->buffer);
  if (made->path && made->group && made->buffer) {
    return made;
  }
  free_writer(made);
  return NULL;
}

int vida__hdf5_begin(const char* path, const char* group, int columns,
                     const vida_table_column* column, int facts, const vida_fact* fact,
                     vida_hdf5_writer** writer, VidaError* error) {
  *writer = NULL;
  vida_hdf5_writer* made = allocate_writer(path, group, columns);
  if (!made) {
    return vida__fail_memory(error);
  }
  vida_hdf5_library* h5 = &made->h5;
  int code = vida__enter_hdf5(h5, error);
  if (code) {
    free_writer(made);
    return code;
  }
  errno = 0;
  made->file = create_file(h5, path);
  bool good = made->file >= 0 && create_group(made, facts, fact);
  made->samples = good ? create_samples(made) : -1;
  good = made->samples >= 0 &&
         write_column_texts(h5, made->samples, "columns", columns, column, name_of) &&
         write_column_texts(h5, made->samples, "units", columns, column, unit_of) &&
         write_column_texts(h5, made->samples, "parts", columns, column, part_of) &&
         h5->H5Fstart_swmr_write(made->file) >= 0;
  if (!good) {
    code = fail_to_write(h5, path, errno, error);
    h5->H5Fclose(made->file);
    vida__leave_hdf5(h5);
    remove(path);
    free_writer(made);
    return code;
  }
  vida__leave_hdf5(h5);
  *writer = made;
  return VIDA_SUCCESS;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Writes the rows of the buffer. From then on they can be read whatever happens to the process: the
 * library writes what refers to other parts of the file after them (single writer, many readers).
 */
static int write_block(vida_hdf5_writer* writer, VidaError* error) {
  const vida_hdf5_library* h5 = &writer->h5;
  const hsize_t columns = (hsize_t)writer->columns;
  const hsize_t size[] = {writer->rows + (hsize_t)writer->waiting, columns};
  const hsize_t from[] = {writer->rows, 0}, count[] = {(hsize_t)writer->waiting, columns};
  errno = 0;
  bool good = h5->H5Dset_extent(writer->samples, size) >= 0;
  const hid_t memory = h5->H5Screate_simple(2, count, NULL);
  const hid_t space = h5->H5Dget_space(writer->samples);
  good = good && h5->H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL) >= 0 &&
         h5->H5Dwrite(writer->samples, *h5->H5T_NATIVE_DOUBLE_g, memory, space, H5P_DEFAULT,
                      writer->buffer) >= 0 &&
         h5->H5Dflush(writer->samples) >= 0;
  const int reason = errno;
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, memory);
  if (!good) {
    return fail_to_write(h5, writer->path, reason, error);
  }
  writer->rows += (hsize_t)writer->waiting;
  writer->waiting = 0;
  return VIDA_SUCCESS;
}

int vida__hdf5_append(vida_hdf5_writer* writer, const double* row, VidaError* error) {
  double* to = writer->buffer + (size_t)writer->waiting * (size_t)writer->columns;
  for (int i = 0; i < writer->columns; i++) { /* one bit pattern for what was not measured */
    to[i] = isfinite(row[i]) ? row[i] : (double)NAN;
  }
  if (++writer->waiting < writer->block) {
    return VIDA_SUCCESS;
  }
  vida__reenter_hdf5(&writer->h5);
  const int code = write_block(writer, error);
  vida__leave_hdf5(&writer->h5);
  writer->waiting = 0;
  return code;
}

long vida__hdf5_written(const vida_hdf5_writer* writer, int* waiting, const double** buffer) {
  *waiting = writer->waiting;
  *buffer = writer->buffer;
  return (long)writer->rows;
}

/* A file in the mode for readers takes no attributes: it is opened once more. */
static bool add_facts(const vida_hdf5_writer* writer, int facts, const vida_fact* fact) {
  const vida_hdf5_library* h5 = &writer->h5;
  const hid_t access = vida__hdf5_access(h5);
  const hid_t file = h5->H5Fopen(writer->path, H5F_ACC_RDWR, access);
  const hid_t group = file >= 0 ? h5->H5Gopen2(file, writer->group, H5P_DEFAULT) : -1;
  const bool good = group >= 0 && vida__hdf5_write_facts(h5, group, facts, fact);
  vida__hdf5_release(h5, group);
  vida__hdf5_release(h5, access);
  return file >= 0 && h5->H5Fclose(file) >= 0 && good;
}

int vida__hdf5_end(vida_hdf5_writer** writer, int facts, const vida_fact* fact, VidaError* error) {
  vida_hdf5_writer* self = *writer;
  *writer = NULL;
  vida__reenter_hdf5(&self->h5);
  int code = self->waiting > 0 ? write_block(self, error) : VIDA_SUCCESS;
  errno = 0;
  const bool has_samples = self->h5.H5Dclose(self->samples) >= 0;
  const bool closed = self->h5.H5Fclose(self->file) >= 0 && has_samples; /* in any case */
  if (!code && (!closed || !add_facts(self, facts, fact))) {
    code = fail_to_write(&self->h5, self->path, errno, error);
  }
  vida__leave_hdf5(&self->h5);
  free_writer(self);
  return code;
}

/* ---- joining --------------------------------------------------------------------------------- */

static bool copy_table(const vida_hdf5_library* h5, hid_t to, const char* path, const char* group) {
  const hid_t access = vida__hdf5_access(h5);
  const hid_t from = h5->H5Fopen(path, H5F_ACC_RDONLY, access);
  const bool good = from >= 0 && h5->H5Ocopy(from, group, to, group, H5P_DEFAULT, H5P_DEFAULT) >= 0;
  h5->H5Fclose(from);
  vida__hdf5_release(h5, access);
  return good;
}

int vida__hdf5_join(const char* path, int count, const char* (*path_of)(const void* list, int i),
                    const char* (*group_of)(const void* list, int i), const void* list, int* copied,
                    VidaError* error) {
  vida_hdf5_library h5;
  *copied = 0;
  int code = vida__enter_hdf5(&h5, error);
  if (code) {
    return code;
  }
  errno = 0;
  const hid_t file = create_file(&h5, path);
  code = file < 0 ? fail_to_write(&h5, path, errno, error) : VIDA_SUCCESS;
  for (int i = 0; i < count && !code; i++) {
    const char* part = path_of(list, i);
    if (access(part, F_OK) == 0) {
      errno = 0;
      code = copy_table(&h5, file, part, group_of(list, i))
                 ? VIDA_SUCCESS
                 : fail_to_write(&h5, path, errno, error);
      *copied += code ? 0 : 1;
    }
  }
  errno = 0;
  if (file >= 0 && h5.H5Fclose(file) < 0 && !code) {
    code = fail_to_write(&h5, path, errno, error);
  }
  vida__leave_hdf5(&h5);
  return code;
}

#endif
