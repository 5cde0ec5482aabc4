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

enum { KEY_SIZE = 480, NAME_SIZE = 32 };

/* ---- lists of a system ----------------------------------------------------------------------- */

struct vida_mechanics* vida__mechanics(VidaSystem* system) {
  if (!system->mechanics) {
    system->mechanics = vida__allocate(1, sizeof *system->mechanics);
  }
  return system->mechanics;
}

static void destroy_record(vida_pattern_record* record) {
  VidaSystem_Destroy(&record->element);
  vida__free_strings(&record->names);
  for (int i = 0; i < record->name_count; i++) {
    free(record->name_list[i]);
  }
  free(record->name_list);
  free(record->key);
}

void vida__mechanics_destroy(struct vida_mechanics** mechanics) {
  struct vida_mechanics* old = *mechanics;
  if (!old) {
    return;
  }
  for (int i = 0; i < old->pattern_count; i++) {
    destroy_record(&old->patterns[i]);
  }
  for (int i = 0; i < old->body_count; i++) {
    free(old->bodies[i].name);
  }
  free(old->patterns);
  free(old->bodies);
  free(old);
  *mechanics = NULL;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Entries are sorted by name: the order of parameters does not depend on that of the caller. */
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

/* The entry of this name and the place of its first parameter; NULL: none. */
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
  char name[NAME_SIZE] = "q";
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
  char name[NAME_SIZE];
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

static int write_pattern(VidaSystem* pattern, const vida_instance* instance,
                         const vida_equations* equations, VidaError* error) {
  vida_trace trace = {.system = pattern};
  int code = trace_coordinates(&trace, instance, error);
  code = code ? code : trace_parameters(&trace, instance, error);
  trace.graph = pattern->graph;
  code = code ? code
              : trace_part(&trace, instance, equations->kinetic, false,
                           VidaSystem_AddExpressionLagrangian, error);
  code = code ? code
              : trace_part(&trace, instance, equations->potential, true,
                           VidaSystem_AddExpressionLagrangian, error);
  code = code ? code
              : trace_part(&trace, instance, equations->rayleigh, false,
                           VidaSystem_AddExpressionRayleigh, error);
  code = code ? code
              : trace_rows(&trace, instance, equations->constraint,
                           VidaSystem_AddExpressionConstraint, error);
  return code ? code
              : trace_rows(&trace, instance, equations->nonholonomic,
                           VidaSystem_AddExpressionNonholonomic, error);
}

/* ---- instances ------------------------------------------------------------------------------- */

static void make_key(const vida_instance* instance, char key[KEY_SIZE]) {
  key[0] = '\0';
  vida__append(key, KEY_SIZE, "%s", instance->key);
  for (int f = 0; f < instance->frame_count; f++) {
    vida__append(key, KEY_SIZE, "|%d.%d", (int)instance->frame[f].kind,
                 instance->frame[f].dimension);
  }
  vida__append(key, KEY_SIZE, "|%d", instance->extra_count);
  for (int e = 0; e < instance->entry_count; e++) {
    vida__append(key, KEY_SIZE, "|%s%d", instance->entries[e].name, instance->entries[e].count);
  }
}

/* The pattern of this key, written where there is none yet. */
static int find_pattern(VidaSystem* system, const vida_instance* instance,
                        const vida_equations* equations, vida_pattern_record** found,
                        VidaError* error) {
  char key[KEY_SIZE];
  struct vida_mechanics* own = vida__mechanics(system);
  make_key(instance, key);
  for (int i = 0; own && i < own->pattern_count; i++) {
    if (strcmp(own->patterns[i].key, key) == 0) {
      *found = &own->patterns[i];
      return VIDA_SUCCESS;
    }
  }
  vida_pattern_record record = {.key = own ? vida__copy_text(key) : NULL};
  int code = record.key ? VIDA_SUCCESS : vida__fail_memory(error);
  if (!code && vida__reserve((void**)&own->patterns, &own->pattern_capacity,
                             (size_t)own->pattern_count + 1, sizeof *own->patterns)) {
    code = vida__fail_memory(error);
  }
  code = code ? code : VidaSystem_Create(instance->title, 3, &record.element, error);
  code = code ? code : write_pattern(record.element, instance, equations, error);
  if (code) {
    destroy_record(&record);
    return code;
  }
  own->patterns[own->pattern_count] = record;
  *found = &own->patterns[own->pattern_count++];
  return VIDA_SUCCESS;
}

static int keep_name(vida_pattern_record* record, const char* name, VidaError* error) {
  char* copy = vida__copy_text(name);
  if (!copy || vida__reserve_strings(&record->names, 1) ||
      vida__reserve((void**)&record->name_list, &record->name_capacity,
                    (size_t)record->name_count + 1, sizeof *record->name_list)) {
    free(copy);
    return vida__fail_memory(error);
  }
  record->name_list[record->name_count++] = copy;
  vida__keep_string(&record->names, copy);
  return VIDA_SUCCESS;
}

static int add_to_pattern(VidaSystem* system, const vida_instance* instance,
                          const vida_equations* equations, const int* coordinates,
                          const double* values, const int* links, VidaError* error) {
  vida_pattern_record* record = NULL;
  int code = find_pattern(system, instance, equations, &record, error);
  if (code) {
    return code;
  }
  if (vida__find_string(&record->names, instance->name) >= 0) {
    return vida__fail(error, VIDA_BAD_ARGUMENT, "%s '%s': there is one of this name already",
                      instance->title, instance->name);
  }
  code = VidaSystem_AddElement(system, record->element, instance->name, coordinates, values, links,
                               error);
  return code ? code : keep_name(record, instance->name, error);
}

int vida__add_instance(VidaSystem* system, vida_instance* instance, const vida_equations* equations,
                       VidaError* error) {
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
                      "%s '%s': everything it acts on is fixed, so that there is nothing to move",
                      instance->title, instance->name);
  }
  for (int e = 0; e < instance->entry_count; e++) {
    for (int i = 0; i < width_of(&instance->entries[e]); i++) {
      values[count] = instance->entries[e].value[i];
      links[count++] = instance->entries[e].link - 1;
    }
  }
  return code ? code
              : add_to_pattern(system, instance, equations, coordinates, values, links, error);
}
