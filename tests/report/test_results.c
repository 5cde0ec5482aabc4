/* Reading results back: CSV as RFC 4180 has it, and what is wrong with a file. Expected values are
 * what was written into the files by hand. */
#include <CUnit/CUnit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "base/string_table.h"
#include "report/output/results.h"
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

/* A method has one colour in all comparisons, but where another one is there that has it, too; more
 * methods than colours have different numbers. */
static void test_colours(void) {
  enum { MOST = 100 };
  static char all[MOST][VIDA_NAME_SIZE], few[3][VIDA_NAME_SIZE], other[2][VIDA_NAME_SIZE];
  int numbers[MOST], few_numbers[3], other_numbers[2], uses[VIDA_COLOURS] = {0};
  const int count = Vida_MethodCount() < MOST ? Vida_MethodCount() : MOST;
  VidaError error;
  for (int i = 0; i < count; i++) {
    snprintf(all[i], sizeof all[i], "%s", Vida_MethodInfo(i)->name);
  }
  REQUIRE_OK(vida__choose_colours(count, all, numbers, &error), &error);
  for (int i = 0; i < count; i++) {
    uses[numbers[i] % VIDA_COLOURS]++;
    for (int k = 0; k < i; k++) {
      EXPECT(numbers[i] != numbers[k], "%s and %s are both %d", all[i], all[k], numbers[i]);
    }
  }
  for (int i = 0; i < VIDA_COLOURS; i++) {
    EXPECT(uses[i] == count / VIDA_COLOURS || uses[i] == count / VIDA_COLOURS + 1,
           "%d of %d methods have colour %d", uses[i], count, i);
  }
  snprintf(few[0], sizeof few[0], "%s", all[5]);
  snprintf(few[1], sizeof few[1], "%s", all[5 + VIDA_COLOURS]); /* wishes for the same colour */
  snprintf(few[2], sizeof few[2], "%s", all[3]);
  snprintf(other[0], sizeof other[0], "%s", all[3]);
  snprintf(other[1], sizeof other[1], "%s", "a method from elsewhere");
  REQUIRE_OK(vida__choose_colours(3, few, few_numbers, &error), &error);
  REQUIRE_OK(vida__choose_colours(2, other, other_numbers, &error), &error);
  EXPECT(few_numbers[0] != few_numbers[1] && few_numbers[1] != few_numbers[2], "colours %d, %d, %d",
         few_numbers[0], few_numbers[1], few_numbers[2]);
  EXPECT(few_numbers[2] == other_numbers[0], "%s is %d or %d", few[2], few_numbers[2],
         other_numbers[0]);
  EXPECT(other_numbers[0] != other_numbers[1], "both are %d", other_numbers[0]);
}

/* CIELAB of "#rrggbb" (sRGB, D65; CIE 15:2004). */
static void find_lab(const char* text, double lab[3]) {
  static const double matrix[3][3] = {
      {0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}};
  static const double white[3] = {0.9505, 1.0, 1.089};
  unsigned parts[3];
  double linear[3], f[3];
  CU_ASSERT_EQUAL_FATAL(sscanf(text, "#%2x%2x%2x", &parts[0], &parts[1], &parts[2]), 3);
  for (int i = 0; i < 3; i++) {
    const double c = parts[i] / 255.0;
    linear[i] = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
  }
  for (int i = 0; i < 3; i++) {
    double x = 0.0;
    for (int k = 0; k < 3; k++) {
      x += matrix[i][k] * linear[k] / white[i];
    }
    f[i] = x > 216.0 / 24389.0 ? cbrt(x) : (24389.0 / 27.0 * x + 16.0) / 116.0;
  }
  lab[0] = 116.0 * f[1] - 16.0;
  lab[1] = 500.0 * (f[0] - f[1]);
  lab[2] = 200.0 * (f[1] - f[2]);
}

/* Colours are ten times as far apart as what can just be told (a distance of 2.3 in CIELAB: Mahy,
 * van Eycken and Oosterlinck 1994). */
static void test_palette(void) {
  for (int theme = 0; theme < 2; theme++) {
    double lab[VIDA_COLOURS][3];
    for (int i = 0; i < VIDA_COLOURS; i++) {
      find_lab(theme ? vida__colour(i)->dark : vida__colour(i)->light, lab[i]);
      for (int k = 0; k < i; k++) {
        const double distance =
            hypot(lab[i][0] - lab[k][0], hypot(lab[i][1] - lab[k][1], lab[i][2] - lab[k][2]));
        EXPECT(distance > 23.0, "colours %d and %d are %.3g apart", i, k, distance);
      }
    }
  }
}

static void test_string_table(void) {
  enum { COUNT = 1000 };
  vida_string_table known = {0};
  char text[32];
  EXPECT(vida__find_string(&known, "0") < 0, "an empty table has a string");
  for (int i = 0; i < 2 * COUNT; i++) {
    snprintf(text, sizeof text, "%d", i % COUNT);
    const int number = vida__add_string(&known, text);
    EXPECT(number == i % COUNT, "text %s has number %d", text, number);
  }
  EXPECT(known.count == COUNT, "there are %d texts", known.count);
  EXPECT(vida__find_string(&known, "7") == 7, "7 is not found");
  EXPECT(vida__find_string(&known, "x") < 0, "x is found");
  vida__free_strings(&known);
  EXPECT(known.count == 0 && vida__find_string(&known, "7") < 0, "7 is still there");
  /* The caller's own strings, which are not copied. */
  static const char* const own[] = {"a", "b", "c"};
  EXPECT(vida__reserve_strings(&known, 3) == VIDA_SUCCESS, "no memory");
  for (int i = 0; i < 3; i++) {
    vida__add_callers_string(&known, own[i]);
  }
  EXPECT(vida__find_string(&known, "c") == 2 && known.texts[2] == own[2], "c is copied");
  vida__free_strings(&known);
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

/* gnuplot is found where the shell finds it. */
static void test_gnuplot(void) {
  const bool is_there = system("command -v gnuplot >/dev/null 2>&1") == 0;
  EXPECT(VidaReport_HasGnuplot() == is_there, "gnuplot is %s", is_there ? "there" : "not there");
}

int main(void) {
  static const CheckTest tests[] = {{"fields", test_fields},
                                    {"bad files", test_bad_files},
                                    {"names of runs", test_names_of_runs},
                                    {"spread", test_spread},
                                    {"colours", test_colours},
                                    {"palette", test_palette},
                                    {"string table", test_string_table},
                                    {"bad arguments", test_bad_arguments},
                                    {"gnuplot", test_gnuplot},
                                    {NULL, NULL}};
  return check_main("results", tests);
}
