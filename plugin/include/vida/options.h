/* Options of methods and comparisons. One static table of VidaOptionRow per method (or comparison)
 * drives the C setters, the checks of Lua keys, the command line, the help texts and the documents.
 */
#ifndef VIDA_OPTIONS_H
#define VIDA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the value of an option is. */
typedef enum VidaOptionType {
  VIDA_OPTION_REAL,         /* a number */
  VIDA_OPTION_INTEGER,      /* a whole number */
  VIDA_OPTION_BOOLEAN,      /* true or false */
  VIDA_OPTION_CHOICE,       /* one of a list of words */
  VIDA_OPTION_BY_COORDINATE /* a number for all coordinates, or for each its own */
} VidaOptionType;

/* One option: what it is called, what it takes and what it does. */
typedef struct VidaOptionRow {
  const char* name;     /* "h" */
  VidaOptionType type;  /* of its value */
  const char* unit;     /* "s", "1", ... shown in help and messages; "" when there is none */
  double default_value; /* a number, 0/1, or the index of a choice; NaN: there is no default */
  double minimum;       /* smallest allowed value; with `open` the value itself is not allowed */
  double maximum;       /* largest allowed value */
  bool open;            /* the smallest value is not allowed itself */
  const char* choices;  /* "auto|dense|klu"; NULL unless the type is a choice */
  const char* text;     /* one sentence for help and documents */
} VidaOptionRow;

/* Settings for one method (or one comparison): which rows exist comes from its tables. */
typedef struct VidaOptions VidaOptions;

/* Options of the method `method`, all at their defaults. Fails with VIDA_UNKNOWN_NAME and the
 * nearest name. The caller owns *options and frees it with VidaOptions_Destroy. */
int VidaOptions_Create(const char* method, VidaOptions** options, VidaError* error);
/* Another one that is set alike, to be freed likewise. */
int VidaOptions_Copy(const VidaOptions* options, VidaOptions** copy, VidaError* error);
/* Frees them and sets *options to NULL; NULL is allowed. */
void VidaOptions_Destroy(VidaOptions** options);

/* The method these options belong to ("rattle"); "comparison" for those of a comparison. */
const char* VidaOptions_Method(const VidaOptions* options);

/* The rows in order: the option table itself, for help texts and for checking foreign keys. */
int VidaOptions_Count(const VidaOptions* options);
const VidaOptionRow* VidaOptions_Row(const VidaOptions* options, int index);

/* Set one option. Unknown names fail with VIDA_UNKNOWN_NAME and the nearest known name, values
 * outside the row's range (or NaN) with VIDA_BAD_ARGUMENT and what was expected. SetText reads the
 * value as the command line does: a number, true / false, or the name of a choice. */
int VidaOptions_SetReal(VidaOptions* options, const char* name, double value, VidaError* error);
int VidaOptions_SetBoolean(VidaOptions* options, const char* name, bool value, VidaError* error);
int VidaOptions_SetText(VidaOptions* options, const char* name, const char* text, VidaError* error);
/* Of an option of the type BY_COORDINATE, the value of one coordinate by its name ("theta",
 * "upper.x"), copied; whatever SetReal says then holds for the others. As text: "1e-6,theta=1e-8".
 * Fails like SetReal, and with VIDA_BAD_ARGUMENT for options of other types. Which coordinates
 * there are only the system knows: VidaStepper_Create refuses names that it does not have, with
 * VIDA_UNKNOWN_NAME and the nearest one. */
int VidaOptions_SetOf(VidaOptions* options, const char* name, const char* coordinate, double value,
                      VidaError* error);

/* Value of an option that is known to exist (numbers, 0/1, index of the choice); NaN otherwise. */
double VidaOptions_Get(const VidaOptions* options, const char* name);
/* Of an option of the type BY_COORDINATE, the value of this coordinate: its own, or that of all. */
double VidaOptions_GetOf(const VidaOptions* options, const char* name, const char* coordinate);
/* Whether the choice option `name` stands at `choice`. */
bool VidaOptions_HasChoice(const VidaOptions* options, const char* name, const char* choice);
/* The value as text ("0.01", "true", "two-point"); "" for an unknown name. */
void VidaOptions_Text(const VidaOptions* options, const char* name, char* text, size_t size);
/* Whether the user has set it. */
bool VidaOptions_IsSet(const VidaOptions* options, const char* name);

/* Writes "key=value key=value" of what was set, `h` and `rtol` left out (they have columns of their
 * own); always ends with NUL, cut to size. */
void VidaOptions_Describe(const VidaOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
