/* Tables in HDF5 files: what is written is read, equal tables make equal files, a file keeps its
 * blocks when its process ends without closing it, and files that are damaged or come from others
 * are refused by name. The numbers are functions of their row and column. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vida/vida.h>

#include "report/hdf5/tables.h"
#include "support/check.h"

#if VIDA_HAS_HDF5

#include "report/hdf5/library.h"

enum { COLUMNS = 3, BLOCK = 512, ROWS = 2 * BLOCK + 76 };

/* The library forgets some memory when it gives up a damaged file. */
const char* __lsan_default_suppressions(void);
const char* __lsan_default_suppressions(void) {
  return "leak:libhdf5\nleak:argz_add_sep\n";
}

static char folder[] = "/tmp/vida_hdf5_XXXXXX";

static const char* path_of(const char* name) {
  static char paths[4][128];
  static int next = 0;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

/* ---- good files ------------------------------------------------------------------------------ */

static vida_table_column columns[COLUMNS] = {
    {"t", "s", "t"}, {"naïve, \"x\"", "kg m^2/s", "q"}, {"energy", "", "energy"}};

static void fill_row(long row, double values[COLUMNS]) {
  values[0] = 0.25 * (double)row;
  values[1] = row % 7 == 3 ? (double)NAN : sin((double)row);
  values[2] = -1.0 / (double)(row + 1);
}

static void write_table(const char* path, const char* group, long rows) {
  const vida_fact begin[] = {{"method", "rattle", 0.0}, {"h", NULL, 0.01}};
  const vida_fact end[] = {{VIDA_HDF5_STATUS, "ok", 0.0}};
  VidaError error = {0};
  vida_hdf5_writer* writer = NULL;
  double values[COLUMNS];
  REQUIRE_OK(vida__hdf5_begin(path, group, COLUMNS, columns, 2, begin, &writer, &error), &error);
  for (long row = 0; row < rows; row++) {
    fill_row(row, values);
    REQUIRE_OK(vida__hdf5_append(writer, values, &error), &error);
  }
  REQUIRE_OK(vida__hdf5_end(&writer, 1, end, &error), &error);
}

/* Whether the table has the first `rows` rows, bit by bit. */
static bool has_rows(const vida_hdf5_table* table, long rows) {
  double values[COLUMNS];
  bool same = table->rows == rows && table->columns == COLUMNS;
  for (long row = 0; row < rows && same; row++) {
    const double* read = table->values + row * COLUMNS;
    fill_row(row, values);
    for (int i = 0; i < COLUMNS; i++) {
      same = same && (isnan(values[i]) ? isnan(read[i]) : read[i] == values[i]);
    }
  }
  for (int i = 0; i < COLUMNS && same; i++) {
    same = strcmp(table->column[i].name, columns[i].name) == 0 &&
           strcmp(table->column[i].unit, columns[i].unit) == 0;
  }
  return same;
}

static char* read_bytes(const char* path, long* size) {
  FILE* file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char* bytes = malloc((size_t)*size);
  EXPECT(fread(bytes, 1, (size_t)*size, file) == (size_t)*size, "%s", path);
  fclose(file);
  return bytes;
}

static void write_bytes(const char* path, const char* bytes, long size) {
  FILE* file = fopen(path, "wb");
  fwrite(bytes, 1, (size_t)size, file);
  fclose(file);
}

static void test_round_trip(void) {
  VidaError error = {0};
  vida_hdf5_table table;
  vida_hdf5_groups groups;
  long sizes[2];
  write_table(path_of("a.h5"), "run-1", ROWS);
  write_table(path_of("b.h5"), "run-1", ROWS);
  REQUIRE_OK(vida__read_hdf5(path_of("a.h5"), "run-1", &table, &error), &error);
  EXPECT(has_rows(&table, ROWS), "%ld rows", table.rows);
  vida__free_hdf5_table(&table);
  REQUIRE_OK(vida__list_hdf5(path_of("a.h5"), &groups, &error), &error);
  EXPECT(groups.count == 1 && strcmp(groups.names[0], "run-1") == 0, "%d groups", groups.count);
  vida__free_hdf5_groups(&groups);
  EXPECT_ERROR(vida__read_hdf5(path_of("a.h5"), "run-2", &table, &error), &error, VIDA_INPUT_OUTPUT,
               "has no run 'run-2'");
  char *first = read_bytes(path_of("a.h5"), &sizes[0]),
       *second = read_bytes(path_of("b.h5"), &sizes[1]);
  EXPECT(sizes[0] == sizes[1] && memcmp(first, second, (size_t)sizes[0]) == 0, "other bytes");
  free(first);
  free(second);
}

static const char* file_at(const void* list, int i) {
  (void)list;
  return path_of(i == 0 ? "z.h5" : i == 1 ? "missing.h5" : "a.h5");
}

static const char* group_at(const void* list, int i) {
  (void)list;
  return i == 0 ? "z" : "a";
}

/* Tables keep the order in which they were joined. */
static void test_joining(void) {
  VidaError error = {0};
  vida_hdf5_groups groups;
  vida_hdf5_table table;
  int copied = 0;
  write_table(path_of("z.h5"), "z", 3);
  write_table(path_of("a.h5"), "a", ROWS);
  REQUIRE_OK(vida__hdf5_join(path_of("all.h5"), 3, file_at, group_at, NULL, &copied, &error),
             &error);
  REQUIRE_OK(vida__list_hdf5(path_of("all.h5"), &groups, &error), &error);
  EXPECT(copied == 2 && groups.count == 2 && strcmp(groups.names[0], "z") == 0, "%d", copied);
  vida__free_hdf5_groups(&groups);
  REQUIRE_OK(vida__read_hdf5(path_of("all.h5"), "a", &table, &error), &error);
  EXPECT(has_rows(&table, ROWS), "%ld rows", table.rows);
  vida__free_hdf5_table(&table);
}

/* A process that ends without closing the file leaves its complete blocks. */
static void test_killed(void) {
  VidaError error = {0};
  vida_hdf5_table table;
  int status;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    vida_hdf5_writer* writer = NULL;
    double values[COLUMNS];
    int code = vida__hdf5_begin(path_of("cut.h5"), "run", COLUMNS, columns, 0, NULL, &writer, NULL);
    for (long row = 0; row < ROWS && !code; row++) {
      fill_row(row, values);
      code = vida__hdf5_append(writer, values, NULL);
    }
    _exit(code ? 1 : 0);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "the child ended with %d", status);
  REQUIRE_OK(vida__read_hdf5(path_of("cut.h5"), "run", &table, &error), &error);
  EXPECT(has_rows(&table, 2 * BLOCK), "%ld rows", table.rows);
  vida__free_hdf5_table(&table);
}

/* ---- damaged files --------------------------------------------------------------------------- */

/* A changed byte either is refused or changes nothing. */
static void test_flipped_bytes(void) {
  vida_hdf5_table table;
  long size, refused = 0, tried = 0;
  unsigned random = 1;
  write_table(path_of("a.h5"), "run", 100);
  char* bytes = read_bytes(path_of("a.h5"), &size);
  for (long i = 0; i < size; i += CHECK_SANITIZED ? 31 : 11) {
    VidaError error = {0};
    random = random * 1103515245u + 12345u;
    const char before = bytes[i];
    bytes[i] = (char)(bytes[i] ^ (1 << (random >> 16) % 8));
    write_bytes(path_of("bad.h5"), bytes, size);
    bytes[i] = before;
    tried++;
    if (vida__read_hdf5(path_of("bad.h5"), "run", &table, &error)) {
      EXPECT(error.code == VIDA_INPUT_OUTPUT && strstr(error.message, "bad.h5"), "byte %ld: %s", i,
             error.message);
      refused++;
    } else {
      EXPECT(has_rows(&table, 100), "byte %ld changes the numbers unseen", i);
    }
    vida__free_hdf5_table(&table);
  }
  EXPECT(refused > tried / 2, "%ld of %ld were refused", refused, tried);
  for (long i = 0; i < size; i += size / 20 + 1) {
    VidaError error = {0};
    write_bytes(path_of("bad.h5"), bytes, i);
    EXPECT(vida__read_hdf5(path_of("bad.h5"), "run", &table, &error) == VIDA_INPUT_OUTPUT,
           "%ld bytes of it were read", i);
  }
  free(bytes);
}

/* ---- files of others ------------------------------------------------------------------------- */

/* What is wrong with a file. */
typedef enum Oddity {
  NOTHING,
  TEXT_TYPE,
  RANK_1,
  ABSURD_ROWS,
  NO_COLUMNS,
  CONTROL_IN_NAME,
  FIRST_NOT_TIME,
  INFINITE,
  BACKWARDS,
  TIME_UNKNOWN,
  NO_FORMAT,
  NO_SAMPLES,
  SOFT_LINK,
  EXTERNAL_LINK
} Oddity;

static void write_columns(const vida_hdf5_library* h5, hid_t samples, Oddity odd) {
  static const char good[] = "t\0x", control[] = "t\0\1", other[] = "x\0t";
  const char* const names[] = {"columns", "units", "parts"};
  const char* texts = odd == CONTROL_IN_NAME ? control : odd == FIRST_NOT_TIME ? other : good;
  const hsize_t two = 2;
  const hid_t type = h5->H5Tcopy(*h5->H5T_C_S1_g), space = h5->H5Screate_simple(1, &two, NULL);
  h5->H5Tset_size(type, 2);
  for (int i = odd == NO_COLUMNS ? 1 : 0; i < 3; i++) {
    const hid_t attribute =
        h5->H5Acreate2(samples, names[i], type, space, H5P_DEFAULT, H5P_DEFAULT);
    h5->H5Awrite(attribute, type, i == 0 ? texts : good);
    vida__hdf5_release(h5, attribute);
  }
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, type);
}

static void write_samples(const vida_hdf5_library* h5, hid_t group, Oddity odd) {
  const double values[] = {0.0, 1.0,
                           odd == BACKWARDS      ? -1.0
                           : odd == TIME_UNKNOWN ? (double)NAN
                                                 : 1.0,
                           odd == INFINITE ? (double)INFINITY : 2.0};
  const int rank = odd == RANK_1 ? 1 : 2;
  const hsize_t size[] = {odd == ABSURD_ROWS ? (hsize_t)1 << 40 : 2, 2}, chunk[] = {2, 2};
  const hid_t creation = h5->H5Pcreate(*h5->H5P_CLS_DATASET_CREATE_ID_g);
  const hid_t space = h5->H5Screate_simple(rank, size, NULL);
  h5->H5Pset_chunk(creation, rank, chunk);
  const hid_t samples = h5->H5Dcreate2(group, VIDA_HDF5_SAMPLES,
                                       odd == TEXT_TYPE ? *h5->H5T_C_S1_g : *h5->H5T_IEEE_F64LE_g,
                                       space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (odd != ABSURD_ROWS && odd != TEXT_TYPE && odd != RANK_1) {
    h5->H5Dwrite(samples, *h5->H5T_NATIVE_DOUBLE_g, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }
  write_columns(h5, samples, odd);
  vida__hdf5_release(h5, samples);
  vida__hdf5_release(h5, space);
  vida__hdf5_release(h5, creation);
}

typedef herr_t soft_link(const char* target, hid_t place, const char* name, hid_t a, hid_t b);
typedef herr_t external_link(const char* file, const char* target, hid_t place, const char* name,
                             hid_t a, hid_t b);

/* Links to the good file a.h5, which must not be followed. */
static void write_link(hid_t file, bool external) {
  void* library = dlopen(VIDA_HDF5_NAME, RTLD_NOW);
  void* found = dlsym(library, external ? "H5Lcreate_external" : "H5Lcreate_soft");
  soft_link* make_soft;
  external_link* make_external;
  memcpy(&make_soft, &found, sizeof found);
  memcpy(&make_external, &found, sizeof found);
  if (external) {
    make_external("a.h5", "/run", file, "run", H5P_DEFAULT, H5P_DEFAULT);
  } else {
    make_soft("/elsewhere", file, "run", H5P_DEFAULT, H5P_DEFAULT);
  }
}

static void write_odd_file(const char* path, Oddity odd) {
  const vida_fact format = {"format", odd == NO_FORMAT ? "other" : VIDA_HDF5_FORMAT, 0.0};
  VidaError error = {0};
  vida_hdf5_library h5;
  REQUIRE_OK(vida__enter_hdf5(&h5, &error), &error);
  const hid_t access = vida__hdf5_access(&h5);
  const hid_t file = h5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  vida__hdf5_write_facts(&h5, file, 1, &format);
  const bool links = odd == SOFT_LINK || odd == EXTERNAL_LINK;
  const hid_t group =
      h5.H5Gcreate2(file, links ? "elsewhere" : "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (odd != NO_SAMPLES) {
    write_samples(&h5, group, odd);
  }
  if (links) {
    write_link(file, odd == EXTERNAL_LINK);
  }
  vida__hdf5_release(&h5, group);
  vida__hdf5_release(&h5, access);
  EXPECT(h5.H5Fclose(file) >= 0, "%s", path);
  vida__leave_hdf5(&h5);
}

static void test_odd_files(void) {
  static const struct {
    Oddity odd;
    const char* message;
  } cases[] = {{TEXT_TYPE, "is damaged: run: its numbers are not of the type IEEE_F64LE"},
               {RANK_1, "run: it is no table of rows and columns"},
               {ABSURD_ROWS, "run: it has more rows than its bytes can hold"},
               {NO_COLUMNS, "run: the attribute 'columns' of samples"},
               {CONTROL_IN_NAME, "run: text 2 of 'columns'"},
               {FIRST_NOT_TIME, "run: its first column is not t"},
               {INFINITE, "run: row 2 has no possible number in column 'x'"},
               {BACKWARDS, "run: row 2 has no possible number in column 't'"},
               {TIME_UNKNOWN, "run: row 2 has no possible number in column 't'"},
               {NO_FORMAT, "is no file of trajectories"},
               {NO_SAMPLES, "run: it has no data set samples"},
               {SOFT_LINK, "has no run 'run'"},
               {EXTERNAL_LINK, "has no run 'run'"}};
  VidaError error = {0};
  vida_hdf5_table table;
  write_table(path_of("a.h5"), "run", 10);
  write_odd_file(path_of("odd.h5"), NOTHING);
  REQUIRE_OK(vida__read_hdf5(path_of("odd.h5"), "run", &table, &error), &error);
  EXPECT(table.rows == 2 && table.columns == 2, "%ld rows", table.rows);
  vida__free_hdf5_table(&table);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    write_odd_file(path_of("odd.h5"), cases[i].odd);
    EXPECT_ERROR(vida__read_hdf5(path_of("odd.h5"), "run", &table, &error), &error,
                 VIDA_INPUT_OUTPUT, cases[i].message);
  }
  static const char* const names[] = {"", ".", "..", "run/samples", "/run", "ru\nn"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    EXPECT_ERROR(vida__read_hdf5(path_of("a.h5"), names[i], &table, &error), &error,
                 VIDA_INPUT_OUTPUT, "has no run");
  }
  write_bytes(path_of("text.h5"), "t,x\n0,1\n", 8);
  EXPECT_ERROR(vida__read_hdf5(path_of("text.h5"), "run", &table, &error), &error,
               VIDA_INPUT_OUTPUT, "is no HDF5 file");
  write_bytes(path_of("old.h5"), "\x89HDF\r\n\x1a\n\0\0\0\0", 12);
  EXPECT_ERROR(vida__read_hdf5(path_of("old.h5"), "run", &table, &error), &error, VIDA_INPUT_OUTPUT,
               "h5repack");
}

static void test_unwritable(void) {
  VidaError error = {0};
  vida_hdf5_writer* writer = NULL;
  EXPECT_ERROR(
      vida__hdf5_begin("/no/such/folder/x.h5", "run", COLUMNS, columns, 0, NULL, &writer, &error),
      &error, VIDA_INPUT_OUTPUT, "cannot write /no/such/folder/x.h5: No such file");
  EXPECT(!writer, "a writer without a file");
}

int main(void) {
  static const CheckTest tests[] = {{"round trip", test_round_trip},
                                    {"joining", test_joining},
                                    {"killed", test_killed},
                                    {"flipped bytes", test_flipped_bytes},
                                    {"odd files", test_odd_files},
                                    {"unwritable", test_unwritable},
                                    {NULL, NULL}};
  if (!mkdtemp(folder)) {
    return 1;
  }
  const int code = check_main("HDF5 files", tests);
  static const char* const files[] = {"a.h5",   "b.h5",   "z.h5",    "all.h5", "cut.h5",
                                      "bad.h5", "odd.h5", "text.h5", "old.h5"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    remove(path_of(files[i]));
  }
  rmdir(folder);
  return code;
}

#else

/* A build without HDF5 says so whatever is asked of it. */
static void test_without(void) {
  VidaError error = {0};
  vida_hdf5_table table;
  vida_hdf5_groups groups;
  vida_hdf5_writer* writer = NULL;
  int copied;
  char version[VIDA_NAME_SIZE];
  EXPECT_ERROR(vida__read_hdf5("x.h5", "run", &table, &error), &error, VIDA_NOT_SUPPORTED,
               "built without HDF5");
  EXPECT(strcmp(error.flag, "NO_HDF5") == 0, "%s", error.flag);
  EXPECT_ERROR(vida__list_hdf5("x.h5", &groups, &error), &error, VIDA_NOT_SUPPORTED, "libhdf5-dev");
  EXPECT_ERROR(vida__hdf5_begin("x.h5", "run", 0, NULL, 0, NULL, &writer, &error), &error,
               VIDA_NOT_SUPPORTED, "built without HDF5");
  EXPECT_ERROR(vida__hdf5_join("x.h5", 0, NULL, NULL, NULL, &copied, &error), &error,
               VIDA_NOT_SUPPORTED, "built without HDF5");
  EXPECT(VidaReport_Hdf5Version(version)[0] == '\0', "%s", version);
}

int main(void) {
  static const CheckTest tests[] = {{"without HDF5", test_without}, {NULL, NULL}};
  return check_main("HDF5 files", tests);
}

#endif
