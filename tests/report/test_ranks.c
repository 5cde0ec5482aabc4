/* Processes that share a sweep must be alike: another version of VIDA or of SUNDIALS, and other
 * choices, are refused with the number of the process and what differs. The messages between the
 * processes are passed by hand. */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/vida.h>

#include "support/bob.h"
#include "support/check.h"

enum { STARTS = 2000 };

/* The first message of process 1, and what it receives. */
typedef struct post {
  unsigned char* hello; /* of process 1 */
  size_t size;
  int kind;
  bool is_given;     /* to process 0 */
  char refusal[512]; /* that process 0 has sent */
} post;

static int start(void* data, long index, double* q, double* v, char label[VIDA_OPTIONS_SIZE],
                 VidaError* error) {
  (void)data, (void)error;
  q[0] = 0.6;
  q[1] = -0.8;
  v[0] = 0.08 * (double)index;
  v[1] = 0.06 * (double)index;
  label[0] = '\0';
  return 0;
}

static VidaStudy* make_sweep(const VidaSystem* system, double time) {
  VidaError error;
  VidaOptions* options = NULL;
  VidaStudy* study = NULL;
  const VidaStarts starts = {.count = STARTS, .start = start};
  REQUIRE_OK(VidaStudy_CreateOptions(&options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "time", time, &error), &error);
  REQUIRE_OK(VidaStudy_Create(system, options, &study, &error), &error);
  VidaOptions_Destroy(&options);
  REQUIRE_OK(VidaStudy_SetStarts(study, &starts, &error), &error);
  REQUIRE_OK(VidaOptions_Create("rattle", &options, &error), &error);
  REQUIRE_OK(VidaOptions_SetReal(options, "h", 0.1, &error), &error);
  REQUIRE_OK(VidaStudy_AddRun(study, options, &error), &error);
  VidaOptions_Destroy(&options);
  return study;
}

static VidaSystem* make_system(void) {
  VidaError error;
  VidaSystem* system = NULL;
  REQUIRE_OK(bob_system(0.0, 0.0, 0.0, true, &system, &error), &error);
  REQUIRE_OK(VidaSystem_Complete(system, &error), &error);
  return system;
}

static int keep_hello(void* data, int to, int kind, const void* bytes, size_t size,
                      VidaError* error) {
  post* self = data;
  (void)to, (void)error;
  self->hello = malloc(size);
  CU_ASSERT_FATAL(self->hello != NULL);
  memcpy(self->hello, bytes, size);
  self->size = size;
  self->kind = kind;
  return 0;
}

static int lose(void* data, bool waits, int* from, int* kind, void** bytes, size_t* size,
                VidaError* error) {
  (void)data, (void)waits, (void)from, (void)kind, (void)bytes, (void)size;
  *error = (VidaError){.code = VIDA_INPUT_OUTPUT};
  return VIDA_INPUT_OUTPUT;
}

static int keep_refusal(void* data, int to, int kind, const void* bytes, size_t size,
                        VidaError* error) {
  post* self = data;
  (void)kind, (void)error;
  EXPECT(to == 1, "sent to %d", to);
  for (size_t i = 0, used = 0; i < size && used + 1 < sizeof self->refusal; i++) {
    const char c = ((const char*)bytes)[i];
    self->refusal[used] = c;
    used += c >= ' ';
  }
  return 0;
}

static int give_hello(void* data, bool waits, int* from, int* kind, void** bytes, size_t* size,
                      VidaError* error) {
  post* self = data;
  (void)waits, (void)error;
  *from = self->is_given ? -1 : 1;
  *kind = self->kind;
  *bytes = NULL;
  *size = self->is_given ? 0 : self->size;
  if (!self->is_given) {
    *bytes = malloc(self->size);
    CU_ASSERT_FATAL(*bytes != NULL);
    memcpy(*bytes, self->hello, self->size);
  }
  self->is_given = true;
  return 0;
}

/* Returns the message of process 1, which has this duration. */
static post make_hello(const VidaSystem* system, double time) {
  VidaError error;
  post self = {.hello = NULL};
  VidaStudy* study = make_sweep(system, time);
  const VidaRanks ranks = {1, 2, 1, keep_hello, lose, &self};
  const VidaSweepScope scope = {.count = 1, .studies = &study, .ranks = &ranks};
  EXPECT(VidaSweep_Run(&scope, false, NULL, &error) == VIDA_INPUT_OUTPUT, "process 1 went on");
  CU_ASSERT_FATAL(self.hello != NULL);
  VidaStudy_Destroy(&study);
  return self;
}

static void expect_refusal(const VidaSystem* system, post* self, const char* why) {
  VidaError error = {0};
  VidaStudy* study = make_sweep(system, 1.0);
  const VidaRanks ranks = {0, 2, 1, keep_refusal, give_hello, self};
  const VidaSweepScope scope = {.count = 1, .studies = &study, .ranks = &ranks};
  const int code = VidaSweep_Run(&scope, false, NULL, &error);
  EXPECT(code == VIDA_INPUT_OUTPUT && strcmp(error.flag, "CHANGED") == 0, "%d: %s", code,
         error.message);
  EXPECT(strstr(error.message, why) != NULL, "not '%s': %s", why, error.message);
  EXPECT(strstr(self->refusal, why) != NULL, "process 1 was told: %s", self->refusal);
  VidaStudy_Destroy(&study);
  free(self->hello);
}

/* Replaces the last character of a text in the message. */
static void change_text(post* self, const char* text) {
  const size_t length = strlen(text);
  bool is_found = false;
  for (size_t i = 0; i + length <= self->size && !is_found; i++) {
    is_found = memcmp(self->hello + i, text, length) == 0;
    self->hello[i + length - 1] = is_found ? 'x' : self->hello[i + length - 1];
  }
  EXPECT(is_found, "the message has no text '%s'", text);
}

static void test_versions(void) {
  VidaSystem* system = make_system();
  post self = make_hello(system, 1.0);
  change_text(&self, Vida_Version());
  expect_refusal(system, &self, "rank 1 of the processes has another version of VIDA, ");
  self = make_hello(system, 1.0);
  change_text(&self, Vida_SundialsVersion());
  expect_refusal(system, &self, "rank 1 of the processes has another version of SUNDIALS, ");
  VidaSystem_Destroy(&system);
}

static void test_choices(void) {
  VidaSystem* system = make_system();
  post self = make_hello(system, 2.0);
  expect_refusal(system, &self,
                 "rank 1 of the processes has another value of time, 2 instead of 1");
  VidaSystem_Destroy(&system);
}

/* Each process asks for half of the starts before the first run, and both must have the same: the
 * last numbers of the message are checksums of the starts 2, 4, ... Process 1 has two chunks of
 * four starts, and process 0 makes the third one, in which start 10 differs. */
static void test_starts(void) {
  VidaError error = {0};
  VidaSystem* system = make_system();
  post self = make_hello(system, 1.0);
  self.hello[self.size - 8 * (STARTS / 2 - 4)] ^= 1;
  VidaStudy* study = make_sweep(system, 1.0);
  const VidaRanks ranks = {0, 2, 1, keep_refusal, give_hello, &self};
  const VidaSweepScope scope = {.count = 1, .studies = &study, .ranks = &ranks};
  const int code = VidaSweep_Run(&scope, false, NULL, &error);
  EXPECT(code == VIDA_BAD_ARGUMENT, "%d: %s", code, error.message);
  EXPECT(strstr(error.message, "start 10 of the sweep is not the same") != NULL, "%s",
         error.message);
  VidaStudy_Destroy(&study);
  free(self.hello);
  VidaSystem_Destroy(&system);
}

int main(void) {
  static const CheckTest tests[] = {{"another version is refused", test_versions},
                                    {"another choice is refused", test_choices},
                                    {"other starts are refused", test_starts},
                                    {NULL, NULL}};
  return check_main("ranks", tests);
}
