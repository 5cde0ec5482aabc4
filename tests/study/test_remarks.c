/* The lists that rows are made of: columns, remarks and statuses. Expected texts are those of the
 * templates, filled by hand. */
#include <CUnit/CUnit.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "study/remarks.h"
#include "study/study.h"
#include "support/check.h"

/* ---- columns --------------------------------------------------------------------------------- */

/* What outputs need of every row of the list. */
static void test_columns(void) {
  VidaOptions* options = NULL;
  VidaError error;
  int always = 0, optional = 0;
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  for (int i = 0; vida__column_at(i); i++) {
    const VidaColumn* column = vida__column_at(i);
    EXPECT(Vida_FindColumn(column->name) == column, "there are two columns '%s'", column->name);
    EXPECT(column->text[0] && column->offset + column->size <= sizeof(VidaRow), "%s", column->name);
    EXPECT(!column->option[0] || !isnan(VidaOptions_Get(options, column->option)),
           "%s: comparisons have no option '%s'", column->name, column->option);
    EXPECT(!column->title[0] == (column->importance == 0), "%s: title '%s', importance %d",
           column->name, column->title, column->importance);
    EXPECT(column->type != VIDA_COLUMN_TEXT || (!column->unit[0] && !column->axis[0]),
           "the text '%s' has a unit or an axis", column->name);
    EXPECT(!(column->traits & (VIDA_COLUMN_DRAWN | VIDA_COLUMN_RELATIVE)) || column->axis[0],
           "%s is drawn without an axis", column->name);
    EXPECT(!(column->traits & VIDA_COLUMN_SPREAD) || column->title[0],
           "%s has quartiles without a title", column->name);
    always += !column->option[0];
    optional += column->option[0] != '\0';
  }
  EXPECT(always == VIDA_COLUMNS && Vida_Column(always - 1) && !Vida_Column(always), "%d columns",
         always);
  EXPECT(Vida_OptionalColumn(optional - 1) && !Vida_OptionalColumn(optional), "%d optional ones",
         optional);
  VidaOptions_Destroy(&options);
}

/* Numbers come out of a row as they went in, and what a run measures can be forgotten. */
static void test_cells(void) {
  VidaRow row = {.h = 0.25, .wall_s = 2.0, .t_end = 3.0, .steps = 7, .energy_error = 1e-3};
  EXPECT(vida__cell_value(&row, Vida_FindColumn("h")) == 0.25, "h");
  EXPECT(vida__cell_value(&row, Vida_FindColumn("steps")) == 7.0, "steps");
  EXPECT(vida__cell_value(&row, Vida_FindColumn("energy_error")) == 1e-3, "energy_error");
  EXPECT(isnan(vida__cell_value(&row, Vida_FindColumn("status"))), "a text is a number");
  vida__forget_measurements(&row);
  EXPECT(row.h == 0.25 && row.wall_s == 2.0 && row.t_end == 3.0 && row.steps == 7,
         "what is no measurement was forgotten");
  for (int i = 0; vida__column_at(i); i++) {
    if (vida__is_measured(vida__column_at(i))) {
      EXPECT(isnan(vida__cell_value(&row, vida__column_at(i))), "%s", vida__column_at(i)->name);
    }
  }
}

/* ---- remarks --------------------------------------------------------------------------------- */

/* Every template has placeholders that there are, and no two kinds have one name. */
static void test_templates(void) {
  for (int kind = 0; kind < VIDA_REMARK_KINDS; kind++) {
    const VidaRemarkInfo* info = Vida_RemarkInfo(kind);
    for (const char* at = strchr(info->text, '%'); at; at = strchr(at + 1, '%')) {
      const char* letter = at + 1 + strspn(at + 1, "0123456789");
      const bool is_number = *letter && strchr("tab", *letter);
      EXPECT(*letter && strchr("nwcsrtab%", *letter), "%s: '%.4s'", info->name, at);
      EXPECT(is_number == (letter > at + 1), "%s: '%.4s' has no digits, or some", info->name, at);
      at = letter;
    }
    for (int other = 0; other < kind; other++) {
      EXPECT(strcmp(info->name, Vida_RemarkInfo(other)->name) != 0, "two kinds are %s", info->name);
    }
  }
  EXPECT(!Vida_RemarkInfo(-1) && !Vida_RemarkInfo(VIDA_REMARK_KINDS), "kinds that there are not");
}

static void expect_text(const VidaRow* row, int index, const char* expected) {
  char text[VIDA_MESSAGE_SIZE];
  VidaRow_RemarkText(row, index, text, sizeof text);
  EXPECT(strcmp(text, expected) == 0, "'%s' instead of '%s'", text, expected);
}

/* Records become words once: the mark comes last, whatever comes after it. */
static void test_words(void) {
  VidaRow row = {.status = "ok"};
  char text[VIDA_MESSAGE_SIZE];
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_SHARED_TIME}, NULL);
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_BELOW_REFERENCE, .a = 1.25e-7}, NULL);
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_ROW_DEPENDS}, "'left'");
  vida__add_remark(&row,
                   (VidaRemark){.kind = VIDA_REMARK_ENERGY_LOST,
                                .word = "step",
                                .t = 0.1234567891234,
                                .a = 2.0 / 3.0,
                                .b = 12.3456},
                   NULL);
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_VELOCITY_JUMP, .t = 0.5}, "right");
  EXPECT(row.remark_count == 5, "%d remarks", row.remark_count);
  expect_text(&row, 1, "position error is below the reference's own estimated error 1.2e-07");
  expect_text(&row, 3,
              "from t = 0.1234567891 on the energy is too low by 0.6667 J, 12.3 % of the largest "
              "kinetic energy of the motion, and no work accounts for it; try a smaller step");
  expect_text(&row, 4,
              "velocities jump at t = 0.5 s, because the rate of constraint 'right' jumps");
  expect_text(&row, 5, "");
  expect_text(&row, -1, "");
  EXPECT(strncmp(row.message,
                 "wall_s was measured while runs were made in parallel; multipliers are", 69) == 0,
         "'%s'", row.message);
  const char* last = strstr(row.message, "; position error is below");
  EXPECT(last && !strchr(last + 1, ';'), "the mark is not the last: '%s'", row.message);
  vida__remarks_text(&row, VIDA_REMARKS_OF_RUNS, text, sizeof text);
  EXPECT(strncmp(text, "multipliers are not unique: 'left' depends on others; from", 58) == 0 &&
             !strstr(text, "position error"),
         "'%s'", text);
  EXPECT(vida__has_remark(&row, VIDA_REMARK_BELOW_REFERENCE), "no mark");
  vida__clear_remarks(&row);
  EXPECT(!row.message[0] && !vida__has_remark(&row, VIDA_REMARK_BELOW_REFERENCE), "still there");
}

/* A violated constraint: what to try is a smaller step, an option and a method, as far as given. */
static void test_violations(void) {
  VidaRow row = {.status = "ok"};
  const VidaRemark violation = {.kind = VIDA_REMARK_VIOLATION_OF_LENGTH,
                                .word = "step",
                                .t = 0.25,
                                .a = 0.01,
                                .remedy = {"level", "both", "rattle"}};
  vida__add_remark(&row, violation, "rod");
  vida__add_remark(&row,
                   (VidaRemark){.kind = VIDA_REMARK_VIOLATION_BY_VELOCITIES,
                                .word = "rtol",
                                .t = 1.0,
                                .a = 1.0,
                                .remedy = {.method = "radau"}},
                   "rod");
  vida__add_remark(
      &row, (VidaRemark){.kind = VIDA_REMARK_VIOLATION, .word = "step", .t = 2.0, .a = 1.0}, "bar");
  expect_text(&row, 0,
              "from t = 0.25 on, constraint 'rod' is violated by more than 0.01 times its own "
              "length; try a smaller step, or level = both, or rattle");
  expect_text(&row, 1,
              "from t = 1 on, velocities violate constraint 'rod' by more than its own size per "
              "step; try a smaller rtol, or radau");
  expect_text(&row, 2,
              "from t = 2 on, constraint 'bar' is violated by more than its own size; try a "
              "smaller step");
  VidaRow other = {.status = "ok"};
  vida__add_remark(&other, violation, "rod");
  row.remark_count = 1;
  EXPECT(vida__same_remarks(&row, &other), "the same");
  other.remarks[0].remedy.method = "radau";
  EXPECT(!vida__same_remarks(&row, &other), "another remedy");
}

/* More remarks than there is room for leave a row that is whole. */
static void test_many(void) {
  VidaRow row = {.status = "ok"};
  char name[300];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  for (int i = 0; i < 2 * VIDA_MOST_REMARKS; i++) {
    vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_FAILURE}, name);
  }
  EXPECT(row.remark_count == VIDA_MOST_REMARKS, "%d remarks", row.remark_count);
  EXPECT(memchr(row.message, '\0', sizeof row.message) != NULL, "the message has no end");
  const char* last = vida__remark_name(&row, &row.remarks[VIDA_MOST_REMARKS - 1]);
  EXPECT(strlen(last) < sizeof row.names, "a name has no end");
}

/* A name that fills the room to its last byte is cut there; a remark after it has no name. */
static void test_full_names(void) {
  VidaRow row = {.status = "ok"};
  char name[2 * VIDA_MESSAGE_SIZE];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_FAILURE}, name);
  EXPECT(strlen(vida__remark_name(&row, &row.remarks[0])) == sizeof row.names - 1, "%zu bytes",
         strlen(vida__remark_name(&row, &row.remarks[0])));
  vida__add_remark(&row, (VidaRemark){.kind = VIDA_REMARK_FAILURE}, "second");
  EXPECT(row.remark_count == 2 && row.remarks[1].name == -1, "the second name is at %d",
         row.remarks[1].name);
}

static void test_same(void) {
  VidaRow a = {.status = "ok"}, b = {.status = "ok"};
  EXPECT(vida__same_remarks(&a, &b), "none");
  vida__add_remark(&a, (VidaRemark){.kind = VIDA_REMARK_VELOCITY_JUMP, .t = 1.0}, "rod");
  EXPECT(!vida__same_remarks(&a, &b) && !vida__same_remarks(&b, &a), "one");
  vida__add_remark(&b, (VidaRemark){.kind = VIDA_REMARK_VELOCITY_JUMP, .t = 1.0}, "rod");
  EXPECT(vida__same_remarks(&a, &b), "the same two");
  b.remarks[0].t = 2.0;
  EXPECT(!vida__same_remarks(&a, &b), "other times");
  vida__clear_remarks(&b);
  vida__add_remark(&b, (VidaRemark){.kind = VIDA_REMARK_VELOCITY_JUMP, .t = 1.0}, "bar");
  EXPECT(!vida__same_remarks(&a, &b), "other names");
}

/* ---- statuses -------------------------------------------------------------------------------- */

static void test_statuses(void) {
  VidaRow row = {.status = "ok"};
  EXPECT(vida__is_finished(&row), "ok");
  strcpy(row.status, "NOT_RUN");
  EXPECT(VidaRow_Outcome(&row) == VIDA_OUTCOME_NOT_RUN, "NOT_RUN");
  strcpy(row.status, "KIN_MAXITER_REACHED"); /* a flag of SUNDIALS */
  EXPECT(VidaRow_Outcome(&row) == VIDA_OUTCOME_FAILED, "KIN_MAXITER_REACHED");
  int count = 0;
  while (Vida_Status(count)) {
    const VidaStatus* status = Vida_Status(count++);
    EXPECT(Vida_FindStatus(status->name) == status, "there are two '%s'", status->name);
    EXPECT(strlen(status->name) < VIDA_FLAG_SIZE && status->text[0], "%s", status->name);
  }
  EXPECT(count > 10 && !Vida_Status(-1), "%d statuses", count);
}

int main(void) {
  static const CheckTest tests[] = {{"columns", test_columns},       {"cells", test_cells},
                                    {"templates", test_templates},   {"words", test_words},
                                    {"violations", test_violations}, {"many remarks", test_many},
                                    {"full names", test_full_names}, {"same remarks", test_same},
                                    {"statuses", test_statuses},     {NULL, NULL}};
  return check_main("remarks", tests);
}
