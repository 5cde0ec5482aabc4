#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_config.h>

#include "base/text.h"

typedef struct CodeText {
  int code;
  const char* name;
  const char* text;
} CodeText;

#define CODE_TEXT(name, value, text) {(value), #name, (text)},
static const CodeText code_texts[] = {VIDA_CODE_LIST(CODE_TEXT)};
#undef CODE_TEXT

static const CodeText* find_code(int code) {
  for (size_t i = 0; i < sizeof code_texts / sizeof code_texts[0]; i++) {
    if (code_texts[i].code == code) {
      return &code_texts[i];
    }
  }
  return NULL;
}

bool vida__is_code(int code) {
  return find_code(code) != NULL;
}

const char* Vida_CodeName(int code) {
  const CodeText* found = find_code(code);
  return found ? found->name : "UNKNOWN_CODE";
}

const char* Vida_CodeText(int code) {
  const CodeText* found = find_code(code);
  return found ? found->text : "an unknown code";
}

const char* Vida_Version(void) {
  return VIDA_VERSION;
}

const char* Vida_SundialsVersion(void) {
  return SUNDIALS_VERSION;
}

static int fail(VidaError* error, int code, const char* flag, const char* format, va_list list) {
  if (error) {
    error->code = code;
    error->subject = 0;
    snprintf(error->flag, sizeof error->flag, "%s", flag);
    if (vsnprintf(error->message, sizeof error->message, format, list) >=
        (int)sizeof error->message) {
      vida__truncate_at_word(error->message, sizeof error->message);
      vida__drop_partial_character(error->message);
    }
    /* Texts of the user in a message may contain any bytes. */
    int control;
    for (const char* bad; (bad = vida__find_invalid_utf8(error->message));) {
      error->message[bad - error->message] = '?';
    }
    for (char* c = error->message; (c = vida__find_control(c, &control));) {
      c[control >= 0x80 ? 1 : 0] = '?';
      c[0] = '?';
    }
  }
  return code;
}

int vida__fail(VidaError* error, int code, const char* format, ...) {
  va_list list;
  va_start(list, format);
  fail(error, code, "", format, list);
  va_end(list);
  return code;
}

int vida__fail_flag(VidaError* error, int code, const char* flag, const char* format, ...) {
  va_list list;
  va_start(list, format);
  fail(error, code, flag, format, list);
  va_end(list);
  return code;
}

int vida__fail_memory(VidaError* error) {
  return vida__fail(error, VIDA_OUT_OF_MEMORY, "out of memory");
}

int vida__refuse_null(VidaError* error, const char* function, const char* names, size_t count,
                      const void* const* pointers) {
  size_t i = 0;
  while (i < count && pointers[i]) {
    i++;
  }
  if (i == count) {
    return VIDA_SUCCESS;
  }
  for (; i > 0; i--) {
    names = strchr(names, ' ') + 1;
  }
  return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: %.*s is NULL", function,
                    (int)strcspn(names, ","), names);
}
