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

/* Types of options. */
typedef enum VidaOptionType {
  VIDA_OPTION_REAL,         /* a number */
  VIDA_OPTION_INTEGER,      /* a whole number */
  VIDA_OPTION_BOOLEAN,      /* true or false */
  VIDA_OPTION_CHOICE,       /* one of a list of words */
  VIDA_OPTION_BY_COORDINATE /* one number for all coordinates, and others for single ones */
} VidaOptionType;

/* The description of an option. */
typedef struct VidaOptionRow {
  const char* name;     /* "h" */
  VidaOptionType type;  /* type of the value */
  const char* unit;     /* "s", "1", ... shown in help and messages; "" when there is none */
  double default_value; /* a number, 0/1, or the index of a choice; NaN: there is no default */
  double minimum;       /* smallest allowed value, or, with `open`, its infimum */
  double maximum;       /* largest allowed value */
  bool open;            /* `minimum` itself is not allowed */
  const char* choices;  /* "auto|dense|klu"; NULL unless the type is a choice */
  const char* text;     /* one sentence for help and documents */
} VidaOptionRow;

/* Values for the options of one method or of a comparison. */
typedef struct VidaOptions VidaOptions;

/* Creates the options of a method ("rattle"), all at their defaults. Fails with VIDA_UNKNOWN_NAME
 * and the nearest name. The caller owns *options and frees it with VidaOptions_Destroy. */
int VidaOptions_Create(const char* method, VidaOptions** options, VidaError* error);
/* Creates a copy of options with their values. The caller owns *copy and frees it with
 * VidaOptions_Destroy. */
int VidaOptions_Copy(const VidaOptions* options, VidaOptions** copy, VidaError* error);
/* Frees options and sets *options to NULL; NULL is allowed. */
void VidaOptions_Destroy(VidaOptions** options);

/* The method these options belong to ("rattle"); "comparison" for those of a comparison. */
const char* VidaOptions_Method(const VidaOptions* options);

/* The number of options, and the description of one of them by its index, for help texts and for
 * checks of keys; NULL outside 0 .. count - 1. */
int VidaOptions_Count(const VidaOptions* options);
const VidaOptionRow* VidaOptions_Row(const VidaOptions* options, int index);

/* Set one option. They fail with VIDA_UNKNOWN_NAME and the nearest name for an unknown name, with
 * VIDA_BAD_ARGUMENT and the expected range for NaN or a value outside the range. SetText reads the
 * value in the form of the command line: a number, true / false, or the name of a choice. */
int VidaOptions_SetReal(VidaOptions* options, const char* name, double value, VidaError* error);
int VidaOptions_SetBoolean(VidaOptions* options, const char* name, bool value, VidaError* error);
int VidaOptions_SetText(VidaOptions* options, const char* name, const char* text, VidaError* error);
/* Sets the value of an option of the type BY_COORDINATE for one coordinate, by its name ("theta",
 * "upper.x"; copied); the value of SetReal holds for the others. SetText takes both:
 * "1e-6,theta=1e-8". Fails as SetReal does, and with VIDA_BAD_ARGUMENT for options of other types.
 * VidaStepper_Create checks the names of coordinates: it fails with VIDA_UNKNOWN_NAME and the
 * nearest name for a name that the system does not have. */
int VidaOptions_SetOf(VidaOptions* options, const char* name, const char* coordinate, double value,
                      VidaError* error);

/* The value of an option: a number, 0 or 1 for a boolean, the index of a choice; NaN for an unknown
 * name. */
double VidaOptions_Get(const VidaOptions* options, const char* name);
/* The value of an option of the type BY_COORDINATE for one coordinate: its own, or else that of all
 * coordinates. */
double VidaOptions_GetOf(const VidaOptions* options, const char* name, const char* coordinate);
/* Whether the value of the option `name`, of the type CHOICE, is `choice`. */
bool VidaOptions_HasChoice(const VidaOptions* options, const char* name, const char* choice);
/* Writes the value as text ("0.01", "true", "two-point"), cut to `size` bytes; "" for an unknown
 * name. */
void VidaOptions_Text(const VidaOptions* options, const char* name, char* text, size_t size);
/* Whether the option was set, to any value. */
bool VidaOptions_IsSet(const VidaOptions* options, const char* name);

/* Writes "key=value key=value" of the options that were set, without `h` and `rtol`, which have
 * columns of their own; cut to `size` bytes, and always terminated. */
void VidaOptions_Describe(const VidaOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
