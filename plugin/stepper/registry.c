/* The methods of the library and those that programs register, and the options of each. */
#include "stepper/registry.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"
#include "stepper/method_options.h"

enum { MOST_ADDED = 64, LONGEST_NAME = 63 };

/* Methods that programs have registered, before they used other functions. */
static const VidaMethod* added[MOST_ADDED];
static int added_count;

const VidaMethod* vida__method(int index) {
  if (index < 0 || index >= vida__built_in_count + added_count) {
    return NULL;
  }
  return index < vida__built_in_count ? vida__built_in_methods[index]
                                      : added[index - vida__built_in_count];
}

int Vida_MethodCount(void) {
  return vida__built_in_count + added_count;
}

const VidaMethodInfo* Vida_MethodInfo(int index) {
  const VidaMethod* method = vida__method(index);
  return method ? &method->info : NULL;
}

bool Vida_IsTimeStepping(const VidaMethodInfo* info) {
  return info && (info->capabilities & VIDA_CAN_CONTACTS);
}

int Vida_OrderAcrossImpacts(const VidaMethodInfo* info, int order) {
  return info && (info->capabilities & VIDA_LIMIT_STEPPED_IMPACTS) ? 1 : order;
}

const VidaMethod* vida__find_method(const char* name) {
  for (int i = 0; name && i < Vida_MethodCount(); i++) {
    if (strcmp(vida__method(i)->info.name, name) == 0) {
      return vida__method(i);
    }
  }
  return NULL;
}

/* ---- registration ---------------------------------------------------------------------------- */

/* Whether a name can be used on a command line and in a file name: lower-case letters, digits and
 * `joint` between them. */
static bool is_good_name(const char* name, char joint) {
  bool good = name && islower((unsigned char)name[0]) && strlen(name) <= LONGEST_NAME;
  for (const char* c = name; good && *c; c++) {
    good = islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == joint;
  }
  return good;
}

static bool has_option(const VidaOptionRow* rows, const VidaOptionRow* end, const char* name) {
  for (; rows && rows != end && rows->name; rows++) {
    if (strcmp(rows->name, name) == 0) {
      return true;
    }
  }
  return false;
}

/* The number of choices in "auto|dense|klu"; 0 where one of them is empty. */
static int count_choices(const char* choices) {
  int count = choices && *choices ? 1 : 0;
  for (const char* c = choices; count && *c; c++) {
    if (*c == '|') {
      count = c == choices || c[1] == '|' || c[1] == '\0' ? 0 : count + 1;
    }
  }
  return count;
}

/* Returns the fault of an option row; NULL: none. */
static const char* find_fault(const VidaOptionRow* row) {
  const double value = row->default_value;
  if (!row->text || !row->unit) {
    return "needs a text and a unit (\"\" when there is none)";
  }
  switch (row->type) {
    case VIDA_OPTION_BOOLEAN:
      return value == 0.0 || value == 1.0 ? NULL : "has a default that is neither 0 nor 1";
    case VIDA_OPTION_CHOICE:
      if (count_choices(row->choices) == 0) {
        return "needs a list of choices, as \"auto|dense\"";
      }
      return value >= 0.0 && value < count_choices(row->choices) && value == floor(value)
                 ? NULL
                 : "has a default that is not the index of a choice";
    case VIDA_OPTION_REAL:
    case VIDA_OPTION_INTEGER:
    case VIDA_OPTION_BY_COORDINATE:
      if (!(row->minimum <= row->maximum)) {
        return "has no value between its minimum and its maximum";
      }
      return isnan(value) || (value >= row->minimum && value <= row->maximum &&
                              !(row->open && value == row->minimum))
                 ? NULL
                 : "has a default outside its range";
  }
  return "has an unknown type";
}

static int check_options(const VidaMethod* method, VidaError* error) {
  const VidaOptionRow* common = method->common ? method->common : vida__common_options;
  if (!has_option(common, NULL, "h") && !has_option(method->options, NULL, "h")) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "method '%s' needs an option 'h', its step size",
                      method->info.name);
  }
  const bool has_rtol =
      has_option(common, NULL, "rtol") || has_option(method->options, NULL, "rtol");
  if (has_rtol != ((method->info.capabilities & VIDA_CAN_ADAPTIVE) != 0)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "method '%s' has to have both or neither of an option 'rtol' and the claim "
                      "that it can choose its own steps",
                      method->info.name);
  }
  const bool meets_contacts = !(method->info.capabilities & VIDA_CAN_CONTACTS);
  const VidaOptionRow* const tables[] = {common, method->options};
  for (int table = 0; table < 2; table++) {
    for (const VidaOptionRow* row = tables[table]; row->name; row++) {
      const char* fault = is_good_name(row->name, '_') ? find_fault(row)
                                                       : "has a name other than letters, digits "
                                                         "and underscores";
      if (has_option(tables[table], row, row->name) ||
          (table == 1 && has_option(common, NULL, row->name)) ||
          (meets_contacts && has_option(vida__event_options, NULL, row->name))) {
        fault = "is there twice";
      }
      if (fault) {
        return vida__fail(error, VIDA_BAD_ARGUMENT, "method '%s': option '%s' %s",
                          method->info.name, row->name, fault);
      }
    }
  }
  return VIDA_SUCCESS;
}

#define CAPABILITY_BIT(name, bit, text) | VIDA_##name
static const unsigned all_capabilities = 0U VIDA_CAPABILITY_LIST(CAPABILITY_BIT);
#undef CAPABILITY_BIT

static int check_description(const VidaMethod* method, VidaError* error) {
  const VidaMethodInfo* info = &method->info;
  if (!info->name || !*info->name) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "the record of a method has no name");
  }
  if (!is_good_name(info->name, '-')) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the name '%.100s' of a method must begin with a lower-case letter and "
                      "consist of at most %d lower-case letters, digits and hyphens",
                      info->name, LONGEST_NAME);
  }
  if (!info->title || !info->equation || !info->limits || !method->options || !method->create ||
      !method->start || !method->step || !method->velocities || !method->energy) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "method '%s' needs a title, an equation, limits, option rows, create, start, "
                      "step, velocities and energy",
                      info->name);
  }
  if (info->order < 1) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "method '%s': the order has to be at least 1",
                      info->name);
  }
  if (info->capabilities & ~all_capabilities) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "method '%s' claims capabilities that this version of VIDA does not have",
                      info->name);
  }
  if (((info->capabilities & VIDA_CAN_TWO_POINT_START) != 0) !=
      (method->start_two_points != NULL)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "method '%s' has to have both or neither of start_two_points and the claim "
                      "that it can start from two points",
                      info->name);
  }
  return VIDA_SUCCESS;
}

int Vida_RegisterMethod(const VidaMethod* method, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, method)) {
    return VIDA_BAD_ARGUMENT;
  }
  if (method->size != sizeof *method) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "the record of a method has %zu bytes where this version of VIDA has %zu; "
                      "build it with the headers of this version",
                      method->size, sizeof *method);
  }
  int code = check_description(method, error);
  code = code ? code : check_options(method, error);
  if (code) {
    return code;
  }
  if (vida__find_method(method->info.name)) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "there is already a method '%s'",
                      method->info.name);
  }
  if (added_count == MOST_ADDED) {
    return vida__fail(error, VIDA_OUT_OF_MEMORY, "no more than %d methods can be added",
                      MOST_ADDED);
  }
  added[added_count++] = method;
  return VIDA_SUCCESS;
}

void vida__keep_methods(int count) {
  while (added_count > 0 && vida__built_in_count + added_count > count) {
    added[--added_count] = NULL;
  }
}

/* ---- what there is --------------------------------------------------------------------------- */

const VidaMethodInfo* Vida_FindMethod(const char* name) {
  const VidaMethod* method = vida__find_method(name);
  return method ? &method->info : NULL;
}

int Vida_MethodOrder(const VidaOptions* options) {
  const VidaMethod* method = vida__find_method(VidaOptions_Method(options));
  if (!method) {
    return 0;
  }
  return method->order ? method->order(options) : method->info.order;
}

/* What belongs to steps that a method chooses itself means nothing for fixed ones. */
static int check_tolerances(const VidaMethod* method, const VidaOptions* options,
                            VidaError* error) {
  const char* option = NULL;
  const bool has_atol =
      VidaOptions_IsSet(options, "atol") ||
      (vida__options_coordinate(options, 0, &option) && strcmp(option, "atol") == 0);
  if (!(method->info.capabilities & VIDA_CAN_ADAPTIVE) || Vida_IsAdaptive(options)) {
    return VIDA_SUCCESS;
  }
  if (has_atol || VidaOptions_IsSet(options, "max_steps")) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s: %s has no meaning for fixed steps h; set rtol as well",
                      method->info.name, has_atol ? "atol" : "max_steps");
  }
  return VIDA_SUCCESS;
}

int VidaOptions_Check(const VidaOptions* options, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaMethod* method = vida__find_method(VidaOptions_Method(options));
  const int code = method ? check_tolerances(method, options, error) : VIDA_SUCCESS;
  return code || !method || !method->check ? code : method->check(options, error);
}

static const char* method_name(const void* list, int index) {
  (void)list;
  return vida__method(index)->info.name;
}

int VidaOptions_Create(const char* method, VidaOptions** options, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  *options = NULL;
  if (VIDA_REFUSE_NULL(error, method)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaMethod* found = vida__find_method(method);
  if (!found) {
    const int nearest = Vida_NearestName(method, Vida_MethodCount(), method_name, NULL);
    if (nearest >= 0) {
      return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown method '%s'; did you mean '%s'?", method,
                        vida__method(nearest)->info.name);
    }
    return vida__fail(error, VIDA_UNKNOWN_NAME, "unknown method '%s'", method);
  }
  const VidaOptionRow* const tables[] = {found->common ? found->common : vida__common_options,
                                         found->options, vida__event_options};
  const bool meets_contacts = !(found->info.capabilities & VIDA_CAN_CONTACTS);
  return vida__options_create(found->info.name, meets_contacts ? 3 : 2, tables, options, error);
}
