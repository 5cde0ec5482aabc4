#include "study/trajectory_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "study/study.h"
#include "system/model/model.h"

enum { MOST_DRAWN_POINTS = 100000, TITLE_SIZE = 500 };

#define PART_ROW(name, text, automatic) {#name, text, automatic},
static const VidaTrajectoryPart parts[] = {VIDA_TRAJECTORY_PART_LIST(PART_ROW)};
#undef PART_ROW

const VidaTrajectoryPart* Vida_TrajectoryPart(int index) {
  return index >= 0 && index < VIDA_PARTS ? &parts[index] : NULL;
}

vida_part vida__find_part(const char* name, size_t length) {
  int part = 0;
  while (part < VIDA_PARTS &&
         (strlen(parts[part].name) != length || strncmp(parts[part].name, name, length) != 0)) {
    part++;
  }
  return (vida_part)part;
}

static unsigned automatic_parts(void) {
  unsigned bits = 0;
  for (int part = 0; part < VIDA_PARTS; part++) {
    bits |= parts[part].automatic ? 1u << part : 0u;
  }
  return bits;
}

/* ---- sizes and names of parts ---------------------------------------------------------------- */

/* The lines of a wireframe repeat points; each has its own columns. */
static int count_drawn(const vida_wireframe* wireframe) {
  int count = 0;
  for (int i = 0; i < wireframe->line_count; i++) {
    count += wireframe->lines[i].count;
  }
  return count;
}

static int part_size(const VidaStudy* study, const vida_wireframe* wireframe, vida_part part) {
  const VidaSystem* system = study->system;
  const int m = VidaSystem_ConstraintCount(system);
  switch (part) {
    case VIDA_PART_q:
    case VIDA_PART_v:
      return VidaSystem_CoordinateCount(system);
    case VIDA_PART_lambda: /* the last column is their time */
      return m > 0 ? m + 1 : 0;
    case VIDA_PART_energy:
      return 1;
    case VIDA_PART_work:
      return vida__has_energy_sources(system) ? 1 : 0;
    case VIDA_PART_momenta:
      return VidaSystem_MomentumCount(system);
    case VIDA_PART_g:
    case VIDA_PART_dg:
      return m;
    case VIDA_PART_observables:
      return VidaSystem_ObservableCount(system);
    case VIDA_PART_shadow:
      return VidaStudy_HasColumn(study, Vida_FindColumn("shadow_energy_error")) ? 2 : 0;
    case VIDA_PART_drawing:
      return wireframe->dimension * count_drawn(wireframe);
    case VIDA_PARTS:
    default:
      return 0;
  }
}

static int find_drawn(const vida_wireframe* wireframe, int index, int* line, int* axis) {
  int point = index / wireframe->dimension;
  *axis = index % wireframe->dimension;
  *line = 0;
  while (point >= wireframe->lines[*line].count) {
    point -= wireframe->lines[*line].count;
    (*line)++;
  }
  return point;
}

int vida__drawn_point(const vida_column_list* list, int index, int* axis) {
  int line;
  const int point = find_drawn(&list->wireframe, index, &line, axis);
  return list->wireframe.lines[line].first + point;
}

static void drawn_name(const vida_wireframe* wireframe, int index, char* text, size_t size) {
  int line, axis;
  const int point = find_drawn(wireframe, index, &line, &axis);
  const char* name = wireframe->lines[line].name;
  vida__append(text, size, "drawn %d %s.%d.%c", line + 1, name ? name : "", point + 1, "xyz"[axis]);
}

void vida__part_column_name(const vida_column_list* list, vida_part_column column, char* text,
                            size_t size) {
  const VidaSystem* system = list->system;
  const int i = column.index;
  text[0] = '\0';
  switch (column.part) {
    case VIDA_PART_q:
      vida__append(text, size, "%s", VidaSystem_CoordinateName(system, i));
      break;
    case VIDA_PART_v:
      vida__append(text, size, "d %s/dt", VidaSystem_CoordinateName(system, i));
      break;
    case VIDA_PART_lambda:
      if (i == VidaSystem_ConstraintCount(system)) {
        vida__append(text, size, "t of multipliers");
      } else {
        vida__append(text, size, "lambda %s", VidaSystem_ConstraintName(system, i));
      }
      break;
    case VIDA_PART_momenta:
      vida__append(text, size, "%s", VidaSystem_MomentumName(system, i));
      break;
    case VIDA_PART_g:
      vida__append(text, size, "g %s", VidaSystem_ConstraintName(system, i));
      break;
    case VIDA_PART_dg:
      vida__append(text, size, "dg %s/dt", VidaSystem_ConstraintName(system, i));
      break;
    case VIDA_PART_observables:
      vida__append(text, size, "%s", VidaSystem_ObservableName(system, i));
      break;
    case VIDA_PART_shadow:
      vida__append(text, size, "%s", i == 0 ? VIDA_SHADOW_COLUMN : VIDA_SHADOW_TIME_COLUMN);
      break;
    case VIDA_PART_drawing:
      drawn_name(&list->wireframe, i, text, size);
      break;
    case VIDA_PART_energy:
    case VIDA_PART_work:
    case VIDA_PARTS:
    default:
      vida__append(text, size, "%s", parts[column.part].name);
      break;
  }
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Lists the parts of `bits`, then single columns. */
static int list_columns(const VidaStudy* study, unsigned bits, const vida_column_choice* choice,
                        vida_column_list* list, VidaError* error) {
  memset(list, 0, sizeof *list);
  list->system = study->system;
  if (bits & 1u << VIDA_PART_drawing) {
    const int code =
        vida__wireframe_create(study->system, MOST_DRAWN_POINTS, &list->wireframe, error);
    if (code) {
      return code;
    }
  }
  const int singles = choice ? choice->count : 0;
  int count = singles;
  for (int part = 0; part < VIDA_PARTS; part++) {
    count += bits & 1u << part ? part_size(study, &list->wireframe, (vida_part)part) : 0;
  }
  list->columns = vida__allocate((size_t)count, sizeof *list->columns);
  if (!list->columns) {
    return vida__fail_memory(error);
  }
  for (int part = 0; part < VIDA_PARTS; part++) {
    const int size = bits & 1u << part ? part_size(study, &list->wireframe, (vida_part)part) : 0;
    for (int i = 0; i < size; i++) {
      list->columns[list->count++] = (vida_part_column){(vida_part)part, i};
    }
  }
  for (int i = 0; i < singles; i++) {
    list->columns[list->count++] = choice->single[i];
  }
  return VIDA_SUCCESS;
}

bool vida__has_column_choice(const VidaStudy* study) {
  return study->columns.parts != 0 || study->columns.count > 0;
}

int vida__list_columns(const VidaStudy* study, vida_column_list* list, VidaError* error) {
  const unsigned bits = vida__has_column_choice(study) ? study->columns.parts : automatic_parts();
  return list_columns(study, bits, &study->columns, list, error);
}

void vida__free_columns(vida_column_list* list) {
  vida__wireframe_destroy(&list->wireframe);
  free(list->columns);
  memset(list, 0, sizeof *list);
}

void vida__chosen_parts(const VidaStudy* study, char* text, size_t size) {
  text[0] = '\0';
  for (int part = 0; part < VIDA_PARTS; part++) {
    if (study->columns.parts & 1u << part) {
      vida__append(text, size, "%s%s", text[0] ? "," : "", parts[part].name);
    }
  }
}

/* ---- the choice ------------------------------------------------------------------------------ */

typedef struct candidate_names {
  const vida_column_list* list;
  char text[TITLE_SIZE];
} candidate_names;

/* The names of the parts, then those of the columns. */
static const char* candidate(const void* data, int index) {
  candidate_names* names = (candidate_names*)data;
  if (index < VIDA_PARTS) {
    return parts[index].name;
  }
  vida__part_column_name(names->list, names->list->columns[index - VIDA_PARTS], names->text,
                         sizeof names->text);
  return names->text;
}

static int refuse_column(const vida_column_list* list, const char* name, VidaError* error) {
  candidate_names names = {.list = list};
  const int nearest = Vida_NearestName(name, VIDA_PARTS + list->count, candidate, &names);
  char known[VIDA_MESSAGE_SIZE] = "";
  if (nearest >= 0) {
    return vida__fail(error, VIDA_UNKNOWN_NAME,
                      "columns: trajectories of system '%s' have no '%s'; did you mean '%s'?",
                      VidaSystem_Name(list->system), name, candidate(&names, nearest));
  }
  for (int part = 0; part < VIDA_PARTS; part++) {
    vida__append(known, sizeof known, ", %s", parts[part].name);
  }
  return vida__fail(error, VIDA_UNKNOWN_NAME,
                    "columns: trajectories of system '%s' have no '%s'; expected all%s, or names "
                    "of columns such as '%s'",
                    VidaSystem_Name(list->system), name, known,
                    VidaSystem_CoordinateName(list->system, 0));
}

static int add_single(const vida_column_list* list, const char* name, vida_column_choice* choice,
                      VidaError* error) {
  char text[TITLE_SIZE];
  for (int i = 0; i < list->count; i++) {
    vida__part_column_name(list, list->columns[i], text, sizeof text);
    if (strcmp(text, name) != 0) {
      continue;
    }
    size_t capacity = (size_t)choice->count;
    if (vida__reserve((void**)&choice->single, &capacity, (size_t)choice->count + 1,
                      sizeof *choice->single)) {
      return vida__fail_memory(error);
    }
    choice->single[choice->count++] = list->columns[i];
    return VIDA_SUCCESS;
  }
  return strcmp(name, "t") == 0 ? VIDA_SUCCESS : refuse_column(list, name, error);
}

static int add_word(const vida_column_list* list, const char* word, size_t length,
                    vida_column_choice* choice, VidaError* error) {
  char name[TITLE_SIZE] = "";
  const vida_part part = vida__find_part(word, length);
  if (part != VIDA_PARTS) {
    choice->parts |= 1u << part;
    return VIDA_SUCCESS;
  }
  vida__append(name, sizeof name, "%.*s", (int)(length < TITLE_SIZE ? length : TITLE_SIZE - 1),
               word);
  if (strcmp(name, "all") == 0) {
    choice->parts |= automatic_parts();
    return VIDA_SUCCESS;
  }
  return add_single(list, name, choice, error);
}

/* A single column of a part that is written as a whole, or that was named before, is there once. */
static void drop_repeated(vida_column_choice* choice) {
  int kept = 0;
  for (int i = 0; i < choice->count; i++) {
    bool repeated = (choice->parts & 1u << choice->single[i].part) != 0;
    for (int k = 0; k < kept; k++) {
      repeated = repeated || (choice->single[k].part == choice->single[i].part &&
                              choice->single[k].index == choice->single[i].index);
    }
    if (!repeated) {
      choice->single[kept++] = choice->single[i];
    }
  }
  choice->count = kept;
}

int VidaStudy_SelectColumns(VidaStudy* study, const char* columns, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, study, columns)) {
    return VIDA_BAD_ARGUMENT;
  }
  vida_column_list all = {0};
  vida_column_choice choice = {0};
  int code = list_columns(study, automatic_parts(), NULL, &all, error);
  for (const char* word = columns; !code && *word;) {
    const char* end = word + strcspn(word, ",");
    const char* next = *end ? end + 1 : end;
    word += strspn(word, " ");
    while (end > word && end[-1] == ' ') {
      end--;
    }
    code = end > word ? add_word(&all, word, (size_t)(end - word), &choice, error) : VIDA_SUCCESS;
    word = next;
  }
  drop_repeated(&choice);
  if (!code && choice.parts == 0 && choice.count == 0) {
    code = vida__fail(error, VIDA_BAD_ARGUMENT,
                      "columns: expected names separated by commas, such as 'q,v,energy', got '%s'",
                      columns);
  }
  vida__free_columns(&all);
  if (code) {
    free(choice.single);
    return code;
  }
  free(study->columns.single);
  study->columns = choice;
  return VIDA_SUCCESS;
}
