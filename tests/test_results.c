/* Reading results back: CSV as RFC 4180 has it, and what is wrong with a file. Expected values are
 * what was written into the files by hand. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vida/vida.h>

#include "base/register.h"
#include "report/results.h"
#include "support/check.h"

#define PATH "test_results.csv.tmp"

static int read_text(const char* text, vida_csv* csv, VidaError* error) {
  FILE* file = fopen(PATH, "wb");
  CU_ASSERT_FATAL(file != NULL);
  fputs(text, file);
  fclose(file);
  const int code = vida__read_csv(PATH, csv, error);
  remove(PATH);
  return code;
}

static void test_fields(void) {
  VidaError error;
  vida_csv csv;
  CU_ASSERT_EQUAL(read_text("t [s],\"a, \"\"b\"\" [m] [m/s]\",energy [J]\r\n0,\"1.5\",\r\n"
                            "0.1,\"two\nlines\",-2e-3",
                            &csv, &error),
                  VIDA_SUCCESS);
  CU_ASSERT_EQUAL(csv.rows, 2);
  CU_ASSERT_EQUAL(csv.columns, 3);
  CU_ASSERT_STRING_EQUAL(vida__csv_cell(&csv, -1, 1), "a, \"b\" [m] [m/s]");
  CU_ASSERT_EQUAL(vida__csv_column(&csv, "a, \"b\" [m]"), 1); /* the last brackets are the unit */
  CU_ASSERT_EQUAL(vida__csv_column(&csv, "energy"), 2);
  CU_ASSERT_EQUAL(vida__csv_column(&csv, "energy [J]"), 2);
  CU_ASSERT_EQUAL(vida__csv_column(&csv, "power"), -1);
  CU_ASSERT_EQUAL(vida__csv_real(&csv, 0, 1), 1.5);
  CU_ASSERT(isnan(vida__csv_real(&csv, 0, 2)));
  CU_ASSERT(isnan(vida__csv_real(&csv, 1, 1)));
  CU_ASSERT_STRING_EQUAL(vida__csv_cell(&csv, 1, 1), "two\nlines");
  CU_ASSERT_EQUAL(vida__csv_real(&csv, 1, 2), -2e-3);
  vida__free_csv(&csv);
}

static void test_bad_files(void) {
  static const struct {
    const char *text, *message;
  } bad[] = {{"", "is empty"},
             {"a,b\n1\n", "record 2 has 1 fields, expected 2"},
             {"a,b\n1,2,3\n", "record 2 has 3 fields, expected 2"},
             {"a,b\n\"1,2\n", "quotes do not match in record 2"},
             {"a,b\n\"1\"x,2\n", "quotes do not match in record 2"}};
  VidaError error;
  vida_csv csv;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    CU_ASSERT_EQUAL(read_text(bad[i].text, &csv, &error), VIDA_INPUT_OUTPUT);
    CU_ASSERT(strstr(error.message, bad[i].message) != NULL);
    CU_ASSERT(csv.text == NULL && csv.cells == NULL);
  }
  CU_ASSERT_EQUAL(vida__read_csv("no/such/file", &csv, &error), VIDA_INPUT_OUTPUT);
  CU_ASSERT_EQUAL(vida__read_csv(".", &csv, &error), VIDA_INPUT_OUTPUT);
}

static const VidaRow* row_of_list(const void* list, int i) {
  return (const VidaRow*)list + i;
}

/* Some file systems ignore case; numbers of equal names must not meet names that have numbers. */
static void test_names_of_runs(void) {
  static const VidaRow rows[] = {
      {.system = "s", .method = "m", .options = "k=1", .h = 0.1},
      {.system = "S", .method = "m", .options = "k=1", .h = 0.1},
      {.system = "s", .method = "m", .options = "k=1", .h = 0.1},
      {.system = "s", .method = "m", .options = "k 1", .h = 0.1},
      {.system = "s", .method = "m", .options = "k=1", .h = NAN, .rtol = 0.1}};
  static const char* const expected[] = {"s-m-k_1-h_0.1", "S-m-k_1-h_0.1-2", "s-m-k_1-h_0.1-3",
                                         "s-m-k_1-h_0.1-4", "s-m-k_1-rtol_0.1"};
  enum { COUNT = sizeof rows / sizeof rows[0] };
  char names[COUNT][VIDA_FILE_NAME_SIZE];
  VidaError error;
  REQUIRE_OK(vida__name_runs(rows, row_of_list, COUNT, names, &error), &error);
  for (int i = 0; i < COUNT; i++) {
    CU_ASSERT_STRING_EQUAL(names[i], expected[i]);
  }
}

/* As many of each group as there is room for, evenly over each: counted by hand. */
static void test_spread(void) {
  enum { COUNT = 100, MOST = 60 };
  static const struct {
    int size[3]; /* of the groups, one after the other */
    int chosen[3];
  } cases[] = {{{30, 30, 30}, {20, 20, 20}},
               {{90, 4, 6}, {50, 4, 6}},
               {{50, 20, 30}, {20, 20, 20}},
               {{25, 25, 11}, {25, 24, 11}},
               {{10, 20, 30}, {10, 20, 30}}};
  for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
    int group[COUNT], count = 0, got[3] = {0}, longest = 0, gap = 0;
    bool chosen[COUNT];
    VidaError error;
    for (int g = 0; g < 3; g++) {
      for (int i = 0; i < cases[c].size[g]; i++) {
        group[count++] = g;
      }
    }
    REQUIRE_OK(vida__spread_runs(count, group, MOST, chosen, &error), &error);
    for (int i = 0; i < count; i++) {
      got[group[i]] += chosen[i];
      gap = chosen[i] ? 0 : gap + 1;
      longest = gap > longest ? gap : longest;
    }
    for (int g = 0; g < 3; g++) {
      EXPECT(got[g] == cases[c].chosen[g], "case %zu: %d of group %d", c, got[g], g);
    }
    EXPECT(longest <= 2, "case %zu: %d in a row are left out", c, longest);
  }
  const int none[] = {-1, 0, -1};
  bool chosen[3];
  VidaError error;
  REQUIRE_OK(vida__spread_runs(3, none, MOST, chosen, &error), &error);
  EXPECT(!chosen[0] && chosen[1] && !chosen[2], "runs of no group are chosen");
}

static void test_register(void) {
  enum { COUNT = 1000 };
  vida_register known = {0};
  char text[32];
  EXPECT(vida__find_text(&known, "0") < 0, "an empty register has a text");
  for (int i = 0; i < 2 * COUNT; i++) {
    snprintf(text, sizeof text, "%d", i % COUNT);
    const int number = vida__register_text(&known, text);
    EXPECT(number == i % COUNT, "text %s has number %d", text, number);
  }
  EXPECT(known.count == COUNT, "there are %d texts", known.count);
  EXPECT(vida__find_text(&known, "7") == 7, "7 is not found");
  EXPECT(vida__find_text(&known, "x") < 0, "x is found");
  vida__free_register(&known);
}

static void test_bad_arguments(void) {
  VidaError error;
  VidaPlot plot = {.kind = "energy"};
  CU_ASSERT_EQUAL(VidaReport_Plot(NULL, &plot, &error), VIDA_BAD_ARGUMENT);
  CU_ASSERT_EQUAL(VidaReport_Plot(".", NULL, &error), VIDA_BAD_ARGUMENT);
  CU_ASSERT_EQUAL(VidaReport_StudyCount(NULL, &error), 0);
  CU_ASSERT_EQUAL(VidaReport_StudyCount("no/such/folder", &error), 0);
  CU_ASSERT_EQUAL(error.code, VIDA_INPUT_OUTPUT);
  plot.kind = NULL;
  CU_ASSERT_EQUAL(VidaReport_Plot(".", &plot, &error), VIDA_BAD_ARGUMENT);
  plot.kind = "enrgy";
  CU_ASSERT_EQUAL(VidaReport_Plot(".", &plot, &error), VIDA_UNKNOWN_NAME);
  CU_ASSERT(strstr(error.message, "did you mean 'energy'?") != NULL);
  plot = (VidaPlot){.kind = "energy", .name = "a/b"};
  CU_ASSERT_EQUAL(VidaReport_Plot(".", &plot, &error), VIDA_BAD_ARGUMENT);
  CU_ASSERT(Vida_PlotKind(-1) == NULL && Vida_PlotKind(1000) == NULL);
}

int main(void) {
  static const CheckTest tests[] = {{"fields", test_fields},
                                    {"bad files", test_bad_files},
                                    {"names of runs", test_names_of_runs},
                                    {"spread", test_spread},
                                    {"register", test_register},
                                    {"bad arguments", test_bad_arguments},
                                    {NULL, NULL}};
  return check_main("results", tests);
}
