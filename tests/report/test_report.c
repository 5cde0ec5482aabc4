/* Outputs: table, CSV, JSON and trajectories, read back by small readers of our own. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vida/vida.h>

#include "base/text.h"
#include "report/output/json_check.h"
#include "report/output/output.h"
#include "report/output/results.h"
#include "study/remarks.h"
#include "study/study.h"
#include "support/check.h"
#include "support/comparison.h"
#include "support/model.h"

/* ---- studies and what they write ------------------------------------------------------------ */

/* Two unit masses that turn about each other: no step above 0.368163760378 has a solution. */
static VidaSystem* dumbbell(const char* name) {
  const double v1[3] = {0.1, -1.0, 0.0}, v2[3] = {0.1, 1.0, 0.2};
  Model model = model_dumbbell(v1, v2);
  model.name = name;
  return model_system(&model);
}

/* One good run, one that fails, one below the reference's own error. */
static VidaStudy* finished_study(const VidaSystem* system) {
  static const char* const runs[] = {"rattle h=0.1", "rattle h=0.4 energy=midpoint",
                                     "energy-momentum h=0.05"};
  VidaError error = {0};
  VidaStudy* study = comparison_study(system, "time=4");
  comparison_add(study, "energy-momentum h=0.05", runs, 3);
  REQUIRE_OK(VidaStudy_Run(study, NULL, &error), &error);
  return study;
}

static char* file_text(FILE* file) {
  static char text[65536];
  rewind(file);
  const size_t size = fread(text, 1, sizeof text - 1, file);
  text[size] = '\0';
  return text;
}

typedef enum Kind { CSV, JSON, TABLE } Kind;

static int write_output(Kind kind, const VidaStudy* study, int copies, FILE* file,
                        VidaError* error) {
  const VidaStudy* studies[2] = {study, study};
  switch (kind) {
    case CSV:
      return VidaReport_Csv(studies, copies, file, error);
    case JSON:
      return VidaReport_Json(studies, copies, file, error);
    case TABLE:
    default:
      return VidaReport_Table(study, file, 100, error);
  }
}

static char* output_text(Kind kind, const VidaStudy* study, int copies) {
  VidaError error = {0};
  FILE* file = tmpfile();
  EXPECT(file != NULL, "no temporary file");
  REQUIRE_OK(write_output(kind, study, copies, file, &error), &error);
  char* text = file_text(file);
  fclose(file);
  return text;
}

/* ---- a strict reader of JSON (RFC 8259) ----------------------------------------------------- */

typedef struct Reader {
  const char* at;
  bool bad;
  int objects, members, nulls;
} Reader;

static void read_value(Reader* reader);

static void skip_space(Reader* reader) {
  while (*reader->at && strchr(" \t\n\r", *reader->at)) {
    reader->at++;
  }
}

static bool take(Reader* reader, const char* text) {
  const size_t length = strlen(text);
  if (strncmp(reader->at, text, length) != 0) {
    return false;
  }
  reader->at += length;
  return true;
}

static void read_string(Reader* reader) {
  reader->bad = reader->bad || !take(reader, "\"");
  while (!reader->bad && *reader->at != '"') {
    if ((unsigned char)*reader->at < 0x20) {
      reader->bad = true; /* the end, or a bare control character */
    } else if (*reader->at == '\\') {
      reader->at++;
      reader->bad = !*reader->at || !strchr("\"\\/bfnrtu", *reader->at);
      const size_t digits = *reader->at == 'u' ? 4 : 0;
      reader->bad = reader->bad || strspn(reader->at + 1, "0123456789abcdefABCDEF") < digits;
      reader->at += reader->bad ? 0 : digits + 1;
    } else {
      reader->at++;
    }
  }
  reader->bad = reader->bad || !take(reader, "\"");
}

static size_t take_digits(Reader* reader) {
  const size_t count = strspn(reader->at, "0123456789");
  reader->at += count;
  return count;
}

static void read_number(Reader* reader) {
  take(reader, "-");
  const bool zero = *reader->at == '0';
  const size_t whole = take_digits(reader);
  reader->bad = whole == 0 || (zero && whole > 1);
  if (!reader->bad && take(reader, ".")) {
    reader->bad = take_digits(reader) == 0;
  }
  if (!reader->bad && (take(reader, "e") || take(reader, "E"))) {
    if (!take(reader, "+")) {
      take(reader, "-");
    }
    reader->bad = take_digits(reader) == 0;
  }
}

static void read_members(Reader* reader, const char* closing, bool named) {
  skip_space(reader);
  if (take(reader, closing)) {
    return;
  }
  do {
    skip_space(reader);
    if (named) {
      read_string(reader);
      skip_space(reader);
      reader->bad = reader->bad || !take(reader, ":");
      reader->members++;
    }
    if (!reader->bad) {
      read_value(reader);
    }
    skip_space(reader);
  } while (!reader->bad && take(reader, ","));
  reader->bad = reader->bad || !take(reader, closing);
}

static void read_value(Reader* reader) {
  skip_space(reader);
  if (take(reader, "{")) {
    reader->objects++;
    read_members(reader, "}", true);
  } else if (take(reader, "[")) {
    read_members(reader, "]", false);
  } else if (*reader->at == '"') {
    read_string(reader);
  } else if (take(reader, "null")) {
    reader->nulls++;
  } else if (!take(reader, "true") && !take(reader, "false")) {
    read_number(reader);
  }
}

static Reader read_json(const char* text) {
  Reader reader = {.at = text};
  read_value(&reader);
  skip_space(&reader);
  reader.bad = reader.bad || *reader.at;
  return reader;
}

/* ---- CSV ------------------------------------------------------------------------------------ */

/* Splits the next line (which may go on inside quotes) into fields in place; *text moves behind
 * it. */
static int read_csv_line(char** text, char** fields, int most) {
  int count = 0;
  char* from = *text;
  char ending = ',';
  while (ending == ',' && count < most) {
    char* to = from;
    const bool quoted = *from == '"';
    fields[count++] = to;
    from += quoted ? 1 : 0;
    while (*from && (quoted || (*from != ',' && *from != '\n'))) {
      if (quoted && *from == '"' && *++from != '"') {
        break;
      }
      *to++ = *from++;
    }
    ending = *from;
    from += ending ? 1 : 0;
    *to = '\0';
  }
  *text = from;
  return count;
}

static void test_csv(void) {
  VidaSystem* system = dumbbell("a \"dumbbell\", on one line");
  VidaStudy* study = finished_study(system);
  char* text = output_text(CSV, study, 2);
  char* fields[VIDA_COLUMNS + 1];
  static const char header[] =
      "system,method,options,h,rtol,status,t_end,steps,newton_iterations,residual_evaluations,"
      "jacobian_evaluations,wall_s,position_error,velocity_error,multiplier_error,energy_error,"
      "energy_drift,momentum_error,constraint_position,constraint_velocity,symplectic_defect,"
      "message,energy_change,work,work_error,constraint_integral\n";
  EXPECT(strncmp(text, header, strlen(header)) == 0, "%.300s", text);
  read_csv_line(&text, fields, VIDA_COLUMNS + 1);
  for (int i = 0; i < 6; i++) {
    const VidaRow* row = VidaStudy_Row(study, i % 3);
    const int count = read_csv_line(&text, fields, VIDA_COLUMNS + 1);
    double value = 0.0;
    EXPECT(count == VIDA_COLUMNS, "%d fields", count);
    if (count != VIDA_COLUMNS) {
      break;
    }
    EXPECT(strcmp(fields[0], row->system) == 0, "'%s'", fields[0]);
    EXPECT(strcmp(fields[5], row->status) == 0, "'%s'", fields[5]);
    EXPECT(strcmp(fields[21], row->message) == 0, "'%s'", fields[21]);
    EXPECT(vida__read_real(fields[3], &value) && value == row->h, "'%s'", fields[3]);
    EXPECT(fields[4][0] == '\0' && fields[20][0] == '\0', "not measured: '%s'", fields[4]);
    if (isnan(row->position_error)) {
      EXPECT(fields[12][0] == '\0', "'%s'", fields[12]);
    } else {
      EXPECT(vida__read_real(fields[12], &value) && value == row->position_error, "'%s'",
             fields[12]);
    }
  }
  EXPECT(*text == '\0', "nothing behind: '%.50s'", text);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void test_json_reader(void) {
  EXPECT(!read_json("[{\"a\": -1.5e-3, \"b\": null}]").bad, "good");
  static const char* const bad[] = {"[1,]",     "[01]", "[nan]", "[1.]",  "{\"a\" 1}",
                                    "[\"\n\"]", "[1",   "[1]x",  "[1,5e]"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    EXPECT(read_json(bad[i]).bad, "%s", bad[i]);
  }
}

/* The checker of stored data, beside this file's own reader. */
static void test_json_check(void) {
  static const struct {
    const char* text;
    long column; /* of the fault in its only line; 0: there is none */
  } cases[] = {{"{\"a\": [1, -2.5e-3, null, true, \"\\u00e9 \xC3\xA9\"]}\n", 0},
               {"[]", 0},
               {" 0 ", 0},
               {"[{}, []]", 0},
               {"", 1},
               {"[1, 2", 6},
               {"[1 2]", 4},
               {"[01]", 4},
               {"[1.]", 4},
               {"[nan]", 2},
               {"[1,]", 4},
               {"{\"a\" 1}", 6},
               {"{\"a\": 1,}", 9},
               {"{a: 1}", 2},
               {"[1]x", 4},
               {"[1}", 3},
               {"[\"\\x\"]", 4},
               {"[\"\xFF\"]", 3},
               {"[\"\xED\xA0\x80\"]", 3},
               {"[\"a\x01\"]", 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    long line = 0, column = 0;
    const char* text = cases[i].text;
    const char* fault = vida__find_json_fault(text, strlen(text), &line, &column);
    EXPECT((fault != NULL) == (cases[i].column > 0), "'%s': %s", text, fault ? fault : "no fault");
    EXPECT(!fault || column == cases[i].column, "'%s': column %ld: %s", text, column,
           fault ? fault : "");
  }
  /* Nothing behind the end is looked at, and no depth exhausts the stack. */
  long line = 0, column = 0;
  EXPECT(vida__find_json_fault("[1]]", 3, &line, &column) == NULL, "behind the end");
  static char deep[100000];
  memset(deep, '[', sizeof deep);
  EXPECT(vida__find_json_fault(deep, sizeof deep, &line, &column) != NULL, "deep");
}

/* Marks of a style stand around the title and what is said of runs that have not finished; without
 * them it is the plain table. */
static void test_style(void) {
  static const VidaTableStyle style = {"<t>", "<f>", "<n>", "</>"};
  static const char* const marks[] = {"<t>", "<f>", "<n>", "</>"};
  VidaError error;
  VidaSystem* system = dumbbell("styled");
  VidaStudy* study = finished_study(system);
  strcpy(study->runs[0].row.status, "UNBOUNDED");
  vida__add_remark(&study->runs[0].row, (VidaRemark){.kind = VIDA_REMARK_FAILURE}, "it flew off");
  strcpy(study->runs[1].row.status, "NOT_RUN");
  FILE* file = tmpfile();
  REQUIRE_OK(VidaReport_StyledTable(study, file, 100, &style, &error), &error);
  char* text = strdup(file_text(file));
  fclose(file);
  EXPECT(strncmp(text, "<t>styled, t = 0", 16) == 0, "'%.40s'", text);
  EXPECT(strstr(text, "\n<f>") && strstr(text, "\n<n>"), "%s", text);
  const char* failure = strstr(text, "it flew off</>\n");
  EXPECT(failure != NULL, "%s", text);
  for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
    for (char* at = strstr(text, marks[k]); at; at = strstr(at, marks[k])) {
      memmove(at, at + 3, strlen(at + 3) + 1);
    }
  }
  const char* plain = output_text(TABLE, study, 1);
  EXPECT(strcmp(text, plain) == 0, "'%s' instead of '%s'", text, plain);
  free(text);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_json(void) {
  /* Names have no such bytes, but messages of a file system may. */
  static const char odd[] = "a \"b\\c\" \xC3\xBC \xFF \xED\xA0\x80 \xF0\x9F\x98\x80";
  VidaSystem* system = dumbbell("odd");
  VidaStudy* study = finished_study(system);
  strcpy(study->runs[0].row.message, odd);
  const char* text = output_text(JSON, study, 2);
  const Reader reader = read_json(text);
  EXPECT(!reader.bad, "at '%.60s'", reader.at);
  EXPECT(reader.objects == 6 && reader.members == 6 * VIDA_COLUMNS, "%d objects, %d members",
         reader.objects, reader.members);
  EXPECT(reader.nulls > 0, "not measured");
  /* The lone byte and the surrogate's three become marks, characters of Unicode pass. */
  EXPECT(strstr(text,
                "\"a \\\"b\\\\c\\\" \xC3\xBC \\ufffd \\ufffd\\ufffd\\ufffd "
                "\xF0\x9F\x98\x80\""),
         "%.200s", text);
  const char* at = text;
  for (int i = 0; i < VIDA_COLUMNS && at; i++) {
    char key[VIDA_NAME_SIZE];
    snprintf(key, sizeof key, "\"%s\": ", Vida_Column(i)->name);
    at = strstr(at, key);
    EXPECT(at != NULL, "%s in its place", key);
  }
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* What spreadsheets take for a formula, and what looks as if it had been guarded already, come back
 * as they were. */
static void test_formulas(void) {
  static const char* const texts[][2] = {{"=1+1", "'=1+1"}, {"+1", "'+1"},        {"-x", "'-x"},
                                         {"@sum", "'@sum"}, {"'=1", "''=1"},      {"''", "'''"},
                                         {"'a", "'a"},      {"a=1", "a=1"},       {"'", "'"},
                                         {"", ""},          {"-x,y", "\"'-x,y\""}};
  char path[] = "/tmp/vida-formulas-XXXXXX";
  FILE* file = fdopen(mkstemp(path), "w");
  EXPECT(file != NULL, "no temporary file");
  enum { COUNT = sizeof texts / sizeof texts[0] };
  char expected[512] = "";
  for (int i = 0; i < COUNT && file; i++) {
    fputs(i > 0 ? "," : "", file);
    vida__write_csv_field(file, texts[i][0]);
    vida__append(expected, sizeof expected, "%s%s", i > 0 ? "," : "", texts[i][1]);
  }
  fputc('\n', file);
  fclose(file);
  VidaError error = {0};
  vida_csv csv;
  REQUIRE_OK(vida__read_csv(path, &csv, &error), &error);
  for (int i = 0; i < COUNT; i++) {
    EXPECT(strcmp(vida__csv_cell(&csv, -1, i), texts[i][0]) == 0, "'%s' came back as '%s'",
           texts[i][0], vida__csv_cell(&csv, -1, i));
  }
  vida__free_csv(&csv);
  file = fopen(path, "r");
  char line[512] = "";
  EXPECT(file && fgets(line, sizeof line, file), "nothing was written");
  line[strcspn(line, "\n")] = '\0';
  EXPECT(strcmp(line, expected) == 0, "%s, expected %s", line, expected);
  fclose(file);
  remove(path);
}

/* Cut texts end with a whole character: of 2, 3 and 4 bytes. */
static void test_cut_texts(void) {
  static const char* const letters[] = {"\xC3\xA9", "\xE6\x97\xA5", "\xF0\x9F\x98\x80"};
  for (size_t size = 2; size < 20; size++) {
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
      char text[20] = "", all[128] = "";
      for (int k = 0; k < 20; k++) {
        vida__append(all, sizeof all, "%s", letters[i]);
      }
      vida__append(text, size, "%s", all);
      const size_t length = strlen(text), whole = (size - 1) / strlen(letters[i]);
      EXPECT(length == whole * strlen(letters[i]), "%zu bytes of %zu", length, size);
      EXPECT(!vida__find_invalid_utf8(text), "cut in a character at %zu", size);
      EXPECT(vida__text_width(text) == (int)whole, "%d characters", vida__text_width(text));
    }
  }
}

/* Messages may hold what names may not: line breaks and control characters. */
static void test_special_characters(void) {
  static const char text[] = "one, \"two\"\nthree\t\x01";
  static const struct {
    void (*write)(FILE* file, const char* text);
    const char* expected;
  } outputs[] = {{vida__write_csv_field, "\"one, \"\"two\"\"\nthree\t\x01\""},
                 {vida__write_json_string, "\"one, \\\"two\\\"\\nthree\\t\\u0001\""}};
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; i++) {
    FILE* file = tmpfile();
    outputs[i].write(file, text);
    const char* got = file_text(file);
    EXPECT(strcmp(got, outputs[i].expected) == 0, "%s", got);
    fclose(file);
  }
}

static void test_no_rows(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = comparison_study(system, "time=1");
  EXPECT(strcmp(output_text(JSON, study, 1), "[]\n") == 0, "%s", output_text(JSON, study, 1));
  EXPECT(strstr(output_text(TABLE, study, 1), "dumbbell, t = 0 .. 1 s"), "title");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* ---- table ---------------------------------------------------------------------------------- */

static int longest_line(const char* text) {
  int longest = 0, length = 0;
  for (; *text; text++) {
    length = *text == '\n' ? 0 : length + (((unsigned char)*text & 0xC0) != 0x80 ? 1 : 0);
    longest = length > longest ? length : longest;
  }
  return longest;
}

static void test_table(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = finished_study(system);
  VidaError error = {0};
  FILE* file = tmpfile();
  REQUIRE_OK(VidaReport_Table(study, file, 250, &error), &error); /* no sentence is broken */
  const char* text = file_text(file);
  fclose(file);
  static const char* const parts[] = {
      "dumbbell, t = 0 .. 4 s; errors: mean over steps (absolute) against energy-momentum",
      "h = 0.05 s (own error about ",
      "\nmethod ",
      "position",
      "energy",
      "momentum",
      "\nrattle, h = 0.4 s, energy=midpoint: ",
      " at t = ",
      "\n~ smaller than the reference's own estimated error",
      "  ok  "};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    EXPECT(strstr(text, parts[i]), "'%s' in\n%s", parts[i], text);
  }
  EXPECT(!strstr(text, "nan") && !strstr(text, "rtol"), "%s", text);
  for (int width = 60; width <= 160; width += 12) {
    file = tmpfile();
    REQUIRE_OK(VidaReport_Table(study, file, width, &error), &error);
    const char* fitted = file_text(file);
    fclose(file);
    EXPECT(longest_line(fitted) <= width, "%d wide, asked for %d:\n%s", longest_line(fitted), width,
           fitted);
    EXPECT(strstr(fitted, "method") && strstr(fitted, "position"), "%s", fitted);
    EXPECT(strstr(fitted, VidaStudy_Row(study, 1)->status), "%s", fitted);
    EXPECT(!strstr(fitted, " \n"), "no spaces at the end of lines:\n%s", fitted);
  }
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* The flag of the second run is longer than what is left beside the errors: it is cut, they stay.
 */
static void test_narrow_table(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = finished_study(system);
  VidaError error = {0};
  const char* status = VidaStudy_Row(study, 1)->status;
  char cut[16];
  EXPECT(strlen(status) > 15, "the status is '%s'", status);
  for (int width = 40; width <= 56; width += 4) {
    FILE* file = tmpfile();
    REQUIRE_OK(VidaReport_Table(study, file, width, &error), &error);
    const char* text = file_text(file);
    fclose(file);
    snprintf(cut, sizeof cut, " %.6s..", status);
    EXPECT(strstr(text, " position"), "%d wide:\n%s", width, text);
    EXPECT(width == 40 || strstr(text, cut), "%d wide:\n%s", width, text);
  }
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* ---- locale and numbers --------------------------------------------------------------------- */

static void test_locale(void) {
  static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  const char* found = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++) {
    found = setlocale(LC_ALL, names[i]);
  }
  if (!found) {
    printf("(no locale with a decimal comma here) ");
  }
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = finished_study(system);
  EXPECT(!read_json(output_text(JSON, study, 1)).bad, "%s", output_text(JSON, study, 1));
  EXPECT(strstr(output_text(CSV, study, 1), ",0.10000000000000001,"), "%s",
         output_text(CSV, study, 1));
  EXPECT(strstr(output_text(TABLE, study, 1), " 0.1 "), "%s", output_text(TABLE, study, 1));
  EXPECT(!strstr(output_text(TABLE, study, 1), "0,"), "%s", output_text(TABLE, study, 1));
  setlocale(LC_ALL, "C");
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_shortest_real(void) {
  static const struct {
    double value;
    const char* text;
  } cases[] = {{0.1, "0.1"}, {1e-4, "0.0001"}, {1.0 / 3.0, "0.3333333333333333"}, {2.5, "2.5"}};
  char text[VIDA_REAL_TEXT_SIZE];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    vida__shortest_text(text, cases[i].value);
    EXPECT(strcmp(text, cases[i].text) == 0, "%s", text);
  }
}

static void test_file_names(void) {
  VidaRow row = {
      .system = "../a b/\xC3\xBC", .method = "rattle", .options = "start=two-point x=1", .h = 0.1};
  char name[VIDA_FILE_NAME_SIZE];
  vida__run_file_name(&row, 1, name);
  EXPECT(strcmp(name, "_._a_b___-rattle-start_two-point_x_1-h_0.1") == 0, "%s", name);
  vida__run_file_name(&row, 2, name);
  EXPECT(strcmp(name, "_._a_b___-rattle-start_two-point_x_1-h_0.1-2") == 0, "%s", name);
  memset(row.options, 'o', sizeof row.options - 1);
  vida__run_file_name(&row, 12, name);
  const size_t length = strlen(name);
  EXPECT(length < VIDA_FILE_NAME_SIZE && strcmp(name + length - 9, "-h_0.1-12") == 0, "%s", name);
}

/* ---- trajectories --------------------------------------------------------------------------- */

static char folder[64];

static void make_folder(void) {
  strcpy(folder, "/tmp/vida_test_XXXXXX");
  EXPECT(mkdtemp(folder) != NULL, "%s", strerror(errno));
}

static char* path_of(const char* name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool exists(const char* name) {
  struct stat status;
  return stat(path_of(name), &status) == 0;
}

static char* read_file(const char* name) {
  FILE* file = fopen(path_of(name), "r");
  EXPECT(file != NULL, "%s: %s", name, strerror(errno));
  char* text = file ? file_text(file) : NULL;
  if (file) {
    fclose(file);
  }
  return text;
}

static int run_with_trajectories(VidaStudy* study, const char* directory, VidaError* error) {
  VidaTrajectories* trajectories = NULL;
  int code = VidaTrajectories_Create(study, directory, &trajectories, error);
  if (code == 0) {
    const VidaObserver observer = VidaTrajectories_Observer(trajectories);
    code = VidaStudy_Run(study, &observer, error);
  }
  VidaTrajectories_Destroy(&trajectories);
  return code;
}

#define GOOD_RUN "dumbbell-rattle-h_0.1.csv"
#define SAME_RUN "dumbbell-rattle-h_0.1-2.csv"
#define FAILED_RUN "dumbbell-rattle-h_0.4.incomplete.csv"

static void check_header(char* text) {
  static const char* const expected[] = {"t [s]",
                                         "one.x [m]",
                                         "one.y [m]",
                                         "one.z [m]",
                                         "two.x [m]",
                                         "two.y [m]",
                                         "two.z [m]",
                                         "d one.x/dt [m/s]",
                                         "d one.y/dt [m/s]",
                                         "d one.z/dt [m/s]",
                                         "d two.x/dt [m/s]",
                                         "d two.y/dt [m/s]",
                                         "d two.z/dt [m/s]",
                                         "lambda bond [N]",
                                         "t of multipliers [s]",
                                         "energy [J]",
                                         "L_x [kg m/s]",
                                         "L_y [kg m/s]",
                                         "L_z [kg m/s]",
                                         "J_x [kg m^2/s]",
                                         "J_y [kg m^2/s]",
                                         "J_z [kg m^2/s]",
                                         "g bond [m]",
                                         "dg bond/dt [m/s]"};
  enum { FIELDS = sizeof expected / sizeof expected[0] };
  char* fields[FIELDS + 1];
  double t = -1.0, value = 0.0;
  int count = read_csv_line(&text, fields, FIELDS + 1);
  EXPECT(count == FIELDS, "%d columns", count);
  for (int i = 0; i < count && i < FIELDS; i++) {
    EXPECT(strcmp(fields[i], expected[i]) == 0, "column %d is '%s'", i, fields[i]);
  }
  int rows = 0;
  while (*text) {
    count = read_csv_line(&text, fields, FIELDS + 1);
    EXPECT(count == FIELDS && vida__read_real(fields[0], &t) && t == rows * 0.1, "row %d: %s", rows,
           fields[0]);
    /* the kinetic energy of the start, which nothing changes (to second order in h) */
    EXPECT(vida__read_real(fields[15], &value) && fabs(value - 1.03) < 0.05, "energy '%s'",
           fields[15]);
    EXPECT((fields[13][0] == '\0') == (rows == 0), "multiplier in row %d: '%s'", rows, fields[13]);
    rows++;
  }
  EXPECT(rows == 41 && t == 4.0, "%d rows up to %g", rows, t);
}

static void test_trajectories(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = comparison_study(system, "time=4");
  static const char* const runs[] = {"rattle h=0.1", "rattle h=0.4", "rattle h=0.1"};
  VidaError error = {0};
  comparison_add(study, NULL, runs, 3);
  make_folder();
  /* remains of an earlier run must not pass for this one's */
  FILE* stale = fopen(path_of("dumbbell-rattle-h_0.4.csv"), "w");
  EXPECT(stale != NULL, "%s", strerror(errno));
  fclose(stale);
  REQUIRE_OK(run_with_trajectories(study, folder, &error), &error);
  EXPECT(!exists("dumbbell-rattle-h_0.4.csv"), "the failed run has no complete file");
  EXPECT(!exists("dumbbell-rattle-h_0.1.csv.partial"), "renamed");
  EXPECT(exists(SAME_RUN), "two equal runs have two files");
  char* text = read_file(GOOD_RUN);
  if (text) {
    check_header(text);
  }
  text = read_file(FAILED_RUN);
  EXPECT(text && strstr(text, "\n0,"), "the start of the failed run: %s", text ? text : "");
  remove(path_of(GOOD_RUN));
  remove(path_of(SAME_RUN));
  remove(path_of(FAILED_RUN));
  EXPECT(rmdir(folder) == 0, "nothing else was left: %s", strerror(errno));
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* ---- disks that do not take it -------------------------------------------------------------- */

static void test_full_disk(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = finished_study(system);
  for (int kind = CSV; kind <= TABLE; kind++) {
    VidaError error = {0};
    FILE* file = fopen("/dev/full", "w");
    if (!file) {
      printf("(no /dev/full here) ");
      break;
    }
    EXPECT_ERROR(write_output((Kind)kind, study, 1, file, &error), &error, VIDA_INPUT_OUTPUT,
                 strerror(ENOSPC));
    fclose(file);
  }
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

static void test_bad_folders(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = comparison_study(system, "time=4");
  static const char* const runs[] = {"rattle h=0.1"};
  VidaError error = {0};
  comparison_add(study, NULL, runs, 1);
  make_folder();
  FILE* file = fopen(path_of("plain"), "w");
  EXPECT(file != NULL, "%s", strerror(errno));
  fclose(file);
  EXPECT_ERROR(run_with_trajectories(study, path_of("plain"), &error), &error, VIDA_INPUT_OUTPUT,
               "plain': a file of this name exists");
  EXPECT_ERROR(run_with_trajectories(study, path_of("plain/below"), &error), &error,
               VIDA_INPUT_OUTPUT, "plain' is not a folder");
  REQUIRE_OK(run_with_trajectories(study, path_of("a/b"), &error), &error); /* with those above */
  EXPECT(remove(path_of("a/b/" GOOD_RUN)) == 0, "no trajectory: %s", strerror(errno));
  rmdir(path_of("a/b"));
  rmdir(path_of("a"));
  EXPECT_ERROR(run_with_trajectories(study, "", &error), &error, VIDA_BAD_ARGUMENT, "no name");
  /* A folder in the place of the file cannot be written. */
  REQUIRE_OK(mkdir(path_of(GOOD_RUN ".partial"), 0777), &error);
  EXPECT_ERROR(run_with_trajectories(study, folder, &error), &error, VIDA_INPUT_OUTPUT,
               GOOD_RUN ".partial");
  rmdir(path_of(GOOD_RUN ".partial"));
  remove(path_of("plain"));
  EXPECT(rmdir(folder) == 0, "nothing else was left: %s", strerror(errno));
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

/* A form has the size 1: what is uncertain by more than that is not measured. */
static void test_unmeasurable_defect(void) {
  VidaSystem* system = dumbbell("dumbbell");
  VidaStudy* study = finished_study(system);
  study->runs[0].row.symplectic_defect = 2.9e3;
  study->runs[0].row.symplectic_noise = 1e3;
  study->runs[2].row.symplectic_defect = 3e-9;
  study->runs[2].row.symplectic_noise = 1e-9;
  const char* table = output_text(TABLE, study, 1);
  EXPECT(!strstr(table, "2.900e+03"), "an unmeasurable defect is shown: %s", table);
  EXPECT(strstr(table, "? not measurable: "), "it is not said what ? is: %s", table);
  EXPECT(strstr(table, "<3.000e-09"), "a defect of rounding is not marked: %s", table);
  VidaStudy_Destroy(&study);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"CSV", test_csv},
                                    {"reader of JSON", test_json_reader},
                                    {"JSON", test_json},
                                    {"style", test_style},
                                    {"checker of JSON", test_json_check},
                                    {"no rows", test_no_rows},
                                    {"table", test_table},
                                    {"narrow table", test_narrow_table},
                                    {"unmeasurable defect", test_unmeasurable_defect},
                                    {"special characters", test_special_characters},
                                    {"formulas", test_formulas},
                                    {"cut texts", test_cut_texts},
                                    {"locale", test_locale},
                                    {"shortest numbers", test_shortest_real},
                                    {"file names", test_file_names},
                                    {"trajectories", test_trajectories},
                                    {"full disk", test_full_disk},
                                    {"bad folders", test_bad_folders},
                                    {NULL, NULL}};
  return check_main("report", tests);
}
