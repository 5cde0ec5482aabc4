/* Patterns of a system, by key, and their instances. */
#include "system/mechanics/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vida/expression.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "system/model/build.h"

enum { KEY_SIZE = 2048 };

/* ---- lists of a system ----------------------------------------------------------------------- */

struct vida_mechanics* vida__mechanics(VidaSystem* system) {
  if (!system->mechanics) {
    system->mechanics = vida__allocate(1, sizeof *system->mechanics);
  }
  return system->mechanics;
}

static void destroy_record(vida_pattern_record* record) {
  VidaSystem_Destroy(&record->element);
  free(record->key);
}

static vida_pattern_set* find_set(vida_pattern_set** set) {
  if (!*set) {
    *set = vida__allocate(1, sizeof **set);
    if (*set) {
      (*set)->references = 1;
    }
  }
  return *set;
}

static void release_set(vida_pattern_set* set) {
  if (!set || --set->references > 0) {
    return;
  }
  for (int i = 0; i < set->count; i++) {
    destroy_record(&set->records[i]);
  }
  free(set->records);
  free(set);
}

void vida__mechanics_destroy(struct vida_mechanics** mechanics) {
  struct vida_mechanics* old = *mechanics;
  if (!old) {
    return;
  }
  release_set(old->patterns);
  release_set(old->own_patterns);
  vida__free_strings(&old->instance_names);
  vida__free_strings(&old->fixed_names);
  free(old->bodies);
  free(old);
  *mechanics = NULL;
}

int VidaSystem_SharePatterns(VidaSystem* system, VidaSystem* with, VidaError* error) {
  int code = VIDA_REFUSE_NULL(error, system, with);
  code = code ? code : vida__check_addition(system, "pattern", "pattern", error);
  if (code) {
    return code;
  }
  struct vida_mechanics* own = vida__mechanics(system);
  struct vida_mechanics* other = vida__mechanics(with);
  if (!own || !other || !find_set(&other->patterns)) {
    return vida__fail_memory(error);
  }
  if (own->patterns && own->patterns != other->patterns) {
    return vida__fail(error, VIDA_WRONG_ORDER,
                      "system '%s' has bodies, joints or forces already: patterns must be shared "
                      "before the first of them is added",
                      system->name);
  }
  if (!own->patterns) {
    own->patterns = other->patterns;
    own->patterns->references++;
  }
  return VIDA_SUCCESS;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Inserts an entry. Entries are sorted by name, so that the order of parameters does not depend on
 * the caller. */
static void insert_entry(vida_instance* instance, vida_entry entry) {
  int at = instance->entry_count++;
  while (at > 0 && strcmp(instance->entries[at - 1].name, entry.name) > 0) {
    instance->entries[at] = instance->entries[at - 1];
    at--;
  }
  instance->entries[at] = entry;
}

void vida__instance_vector(vida_instance* instance, const char* name, int count,
                           const double* value) {
  vida_entry entry = {.name = name, .count = count};
  if (count > 0) {
    memcpy(entry.value, value, (size_t)count * sizeof *value);
    insert_entry(instance, entry);
  }
}

void vida__instance_number(vida_instance* instance, const char* name, double value, int link) {
  insert_entry(instance, (vida_entry){.name = name, .value = {value}, .link = link});
}

static int width_of(const vida_entry* entry) {
  return entry->count > 0 ? entry->count : 1;
}

/* Returns the entry with this name and the place of its first parameter; NULL if there is none. */
static const vida_entry* find_entry(const vida_trace* trace, const char* name, int* place) {
  *place = 0;
  for (int i = 0; i < trace->entry_count; i++) {
    if (strcmp(trace->entries[i].name, name) == 0) {
      return &trace->entries[i];
    }
    *place += width_of(&trace->entries[i]);
  }
  return NULL;
}

vida_vector vida__trace_vector(const vida_trace* trace, const char* name) {
  int place = 0;
  vida_vector vector = {0};
  const vida_entry* entry = find_entry(trace, name, &place);
  vector.count = entry ? entry->count : 0;
  for (int i = 0; i < vector.count; i++) {
    vector.x[i] = trace->parameter[place + i];
  }
  return vector;
}

int vida__trace_number(const vida_trace* trace, const char* name) {
  int place = 0;
  return find_entry(trace, name, &place) ? trace->parameter[place] : VIDA_BAD_ARGUMENT;
}

bool vida__trace_has(const vida_trace* trace, const char* name) {
  int place = 0;
  return find_entry(trace, name, &place) != NULL;
}

/* ---- writing a pattern ----------------------------------------------------------------------- */

static int trace_coordinate(vida_trace* trace, int total, int number, int* position, int* rate,
                            VidaError* error) {
  char name[VIDA_PATTERN_NAME_SIZE] = "q";
  if (total > 1) {
    snprintf(name, sizeof name, "q%d", number + 1);
  }
  int code = VidaSystem_AddCoordinate(trace->system, name, "", VidaInitial_Given(0.0),
                                      VidaInitial_Default(0.0), NULL, error);
  code = code ? code : VidaSystem_Position(trace->system, number, position, error);
  return code ? code : VidaSystem_Rate(trace->system, number, rate, error);
}

static int trace_coordinates(vida_trace* trace, const vida_instance* instance, VidaError* error) {
  int code = VIDA_SUCCESS;
  int number = 0;
  int total = instance->extra_count;
  for (int f = 0; f < instance->frame_count; f++) {
    total += vida__frame_count(&instance->frame[f]);
  }
  for (int f = 0; f < instance->frame_count; f++) {
    vida_view* view = &trace->view[f];
    view->frame = instance->frame[f];
    for (int i = 0; i < vida__frame_count(&view->frame) && !code; i++) {
      code = trace_coordinate(trace, total, number++, &view->c[i], &view->v[i], error);
    }
  }
  trace->extra_count = instance->extra_count;
  for (int i = 0; i < instance->extra_count && !code; i++) {
    code = trace_coordinate(trace, total, number++, &trace->extra[i], &trace->extra_rate[i], error);
  }
  return code;
}

static int trace_parameters(vida_trace* trace, const vida_instance* instance, VidaError* error) {
  char name[VIDA_PATTERN_NAME_SIZE];
  int number = 0;
  int code = VIDA_SUCCESS;
  trace->entry_count = instance->entry_count;
  trace->entries = instance->entries;
  for (int e = 0; e < instance->entry_count; e++) {
    const vida_entry* entry = &instance->entries[e];
    for (int i = 0; i < width_of(entry) && !code; i++) {
      if (entry->count > 0) {
        snprintf(name, sizeof name, "%s.%d", entry->name, i + 1);
      } else {
        snprintf(name, sizeof name, "%s", entry->name);
      }
      code = VidaSystem_AddParameter(trace->system, name, 1.0, NULL, error);
      code = code ? code
                  : VidaSystem_ParameterExpression(trace->system, number, &trace->parameter[number],
                                                   error);
      number++;
    }
  }
  return code ? code : VidaSystem_Time(trace->system, &trace->time, error);
}

static void begin_views(vida_trace* trace, int count) {
  for (int f = 0; f < count; f++) {
    trace->view[f].graph = trace->graph;
    vida__view_begin(&trace->view[f]);
  }
}

static int fail_node(const vida_instance* instance, int node, VidaError* error) {
  return vida__fail(error, node, "%s '%s': its equations could not be built: %s", instance->title,
                    instance->name, Vida_CodeText(node));
}

typedef int add_part_function(VidaSystem* system, const char* name, VidaExpression part,
                              VidaError* error);

static int trace_part(vida_trace* trace, const vida_instance* instance,
                      int (*part)(vida_trace* trace), bool negative, add_part_function* add,
                      VidaError* error) {
  if (!part) {
    return VIDA_SUCCESS;
  }
  begin_views(trace, instance->frame_count);
  int node = part(trace);
  node = negative ? vida__node_negate(trace->graph, node) : node;
  return node < 0 ? fail_node(instance, node, error)
                  : add(trace->system, instance->title, node, error);
}

typedef int add_row_function(VidaSystem* system, const char* name, const char* unit,
                             VidaExpression row, VidaError* error);

static int trace_rows(vida_trace* trace, const vida_instance* instance,
                      int (*part)(vida_trace* trace, vida_trace_row* rows), add_row_function* add,
                      VidaError* error) {
  vida_trace_row rows[VIDA_PATTERN_ROWS];
  if (!part) {
    return VIDA_SUCCESS;
  }
  begin_views(trace, instance->frame_count);
  const int count = part(trace, rows);
  for (int i = 0; i < count; i++) {
    const vida_trace_row* row = &rows[i];
    const int code = row->node < 0 ? fail_node(instance, row->node, error)
                                   : add(trace->system, row->name ? row->name : instance->title,
                                         row->unit, row->node, error);
    if (code) {
      return code;
    }
  }
  return VIDA_SUCCESS;
}

static int write_pattern(VidaSystem* pattern, const VidaSystem* system,
                         const vida_instance* instance, const vida_pattern_formulas* formulas,
                         VidaError* error) {
  vida_trace trace = {.system = pattern, .source = system, .instance = instance};
  int code = trace_coordinates(&trace, instance, error);
  code = code ? code : trace_parameters(&trace, instance, error);
  trace.graph = pattern->graph;
  code = code ? code
              : trace_part(&trace, instance, formulas->kinetic, false,
                           VidaSystem_AddExpressionLagrangian, error);
  code = code ? code
              : trace_part(&trace, instance, formulas->potential, true,
                           VidaSystem_AddExpressionLagrangian, error);
  code = code ? code
              : trace_part(&trace, instance, formulas->rayleigh, false,
                           VidaSystem_AddExpressionRayleigh, error);
  code = code ? code
              : trace_rows(&trace, instance, formulas->constraint,
                           VidaSystem_AddExpressionConstraint, error);
  return code ? code
              : trace_rows(&trace, instance, formulas->nonholonomic,
                           VidaSystem_AddExpressionNonholonomic, error);
}

/* ---- instances ------------------------------------------------------------------------------- */

/* A key that is written; what does not fit is cut. */
typedef struct key_writer {
  char* end;
  char* limit; /* of the last character */
} key_writer;

static void put_text(key_writer* key, const char* text) {
  while (*text && key->end < key->limit) {
    *key->end++ = *text++;
  }
}

/* A bar, a mark and a number. Every joint has a key, so this must not cost what printf does. */
static void put_number(key_writer* key, const char* mark, int number) {
  char digits[16];
  char* first = digits + sizeof digits - 1;
  *first = '\0';
  for (unsigned left = (unsigned)number; left > 0 || !*first; left /= 10) {
    *--first = (char)('0' + left % 10);
  }
  put_text(key, mark);
  put_text(key, first);
}

static void make_key(const vida_instance* instance, char text[KEY_SIZE]) {
  key_writer key = {text, text + KEY_SIZE - 1};
  put_text(&key, instance->key);
  for (int f = 0; f < instance->frame_count; f++) {
    put_number(&key, "|", (int)instance->frame[f].kind);
    put_number(&key, ".", instance->frame[f].dimension);
  }
  put_number(&key, "|", instance->extra_count);
  for (int e = 0; e < instance->entry_count; e++) {
    put_text(&key, "|");
    put_number(&key, instance->entries[e].name, instance->entries[e].count);
  }
  for (int i = 0; i < instance->expression_count; i++) {
    put_number(&key, "|f", instance->expressions[i]);
  }
  for (int i = 0; i < instance->extra_count && instance->expression_count > 0; i++) {
    put_number(&key, "|q", instance->extra[i]);
  }
  put_text(&key, "|");
  put_text(&key, instance->unit ? instance->unit : "");
  *key.end = '\0';
}

/* Finds the pattern with this key; derives it if there is none yet. */
static int find_pattern(VidaSystem* system, const vida_instance* instance, const char* key,
                        const vida_pattern_formulas* formulas, const VidaSystem** found,
                        VidaError* error) {
  struct vida_mechanics* own = system->mechanics;
  vida_pattern_set* set =
      find_set(instance->expression_count > 0 ? &own->own_patterns : &own->patterns);
  for (int i = 0; set && i < set->count; i++) {
    if (strcmp(set->records[i].key, key) == 0) {
      *found = set->records[i].element;
      return VIDA_SUCCESS;
    }
  }
  vida_pattern_record record = {.key = set ? vida__copy_text(key) : NULL};
  int code = record.key ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code && vida__reserve((void**)&set->records, &set->capacity, (size_t)set->count + 1,
                             sizeof *set->records)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : VidaSystem_Create(instance->title, 3, &record.element, error);
  code = code ? code : write_pattern(record.element, system, instance, formulas, error);
  if (code) {
    destroy_record(&record);
    return code;
  }
  *found = record.element;
  set->records[set->count++] = record;
  return VIDA_SUCCESS;
}

/* Adds the name of an instance to the names in use. Fails if an instance with its title has this
 * name. */
static int keep_name(VidaSystem* system, const vida_instance* instance, VidaError* error) {
  vida_string_table* names = &system->mechanics->instance_names;
  const int count = names->count;
  vida_joined full;
  int code = VIDA_SUCCESS;
  if (vida__join(&full, instance->title, ": ", instance->name) ||
      vida__add_string(names, full.text) < 0) {
    code = vida__fail_memory(error);
  } else if (names->count == count) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': this name is already in use",
                      instance->title, instance->name);
  }
  vida__free_joined(&full);
  return code;
}

static int add_to_pattern(VidaSystem* system, const vida_instance* instance,
                          const vida_pattern_formulas* formulas, const int* coordinates,
                          const double* values, const int* links, VidaError* error) {
  char key[KEY_SIZE];
  const VidaSystem* element = NULL;
  if (!vida__mechanics(system)) {
    return vida__fail_memory(error);
  }
  const int names = system->mechanics->instance_names.count;
  make_key(instance, key);
  int code = find_pattern(system, instance, key, formulas, &element, error);
  code = code ? code : keep_name(system, instance, error);
  code = code ? code
              : VidaSystem_AddElement(system, element, instance->name, coordinates, values, links,
                                      error);
  if (code) {
    vida__drop_strings(&system->mechanics->instance_names, names);
  }
  return code;
}

int vida__add_instance(VidaSystem* system, vida_instance* instance,
                       const vida_pattern_formulas* formulas, VidaError* error) {
  enum { MOST = VIDA_PATTERN_FRAMES * VIDA_FRAME_MOST + VIDA_FRAME_MOST };
  int coordinates[MOST] = {0};
  int links[3 * VIDA_PATTERN_ENTRIES];
  double values[3 * VIDA_PATTERN_ENTRIES];
  int n = 0;
  int count = 0;
  int code = vida__check_addition(system, instance->title, instance->name, error);
  for (int f = 0; f < instance->frame_count; f++) {
    for (int i = 0; i < vida__frame_count(&instance->frame[f]); i++) {
      coordinates[n++] = instance->frame[f].first + i;
    }
  }
  for (int i = 0; i < instance->extra_count; i++) {
    coordinates[n++] = instance->extra[i];
  }
  if (!code && n == 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "%s '%s': all its ends are fixed; at least one must move", instance->title,
                      instance->name);
  }
  for (int e = 0; e < instance->entry_count; e++) {
    for (int i = 0; i < width_of(&instance->entries[e]); i++) {
      values[count] = instance->entries[e].value[i];
      links[count++] = instance->entries[e].link - 1;
    }
  }
  return code ? code
              : add_to_pattern(system, instance, formulas, coordinates, values, links, error);
}
