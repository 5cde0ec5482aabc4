/* Options of methods and comparisons. Each method, and the comparison, has one static table of
 * VidaOptionRow. The C setters, the checks of Lua keys, the command line, the help texts and the
 * documents all use this table. */
#ifndef VIDA_OPTIONS_H
#define VIDA_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/error.h>
#include <vida/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of options. */
typedef enum VidaOptionType {
  VIDA_OPTION_REAL,         /* a number */
  VIDA_OPTION_INTEGER,      /* a whole number */
  VIDA_OPTION_BOOLEAN,      /* true or false */
  VIDA_OPTION_CHOICE,       /* one of a list of words */
  VIDA_OPTION_BY_COORDINATE /* one number for all coordinates, and exceptions */
} VidaOptionType;

/* The description of an option. */
typedef struct VidaOptionRow {
  const char* name;     /* "h" */
  VidaOptionType type;  /* type of the value */
  const char* unit;     /* shown in help and messages: "s", "1"; "": no unit */
  double default_value; /* a number, 0 or 1, or the index of a choice; NaN: no default */
  double minimum;       /* lower bound */
  double maximum;       /* upper bound, which is an allowed value */
  bool open;            /* the lower bound is not an allowed value */
  const char* choices;  /* "auto|dense|klu"; NULL for other types */
  const char* text;     /* one sentence for help and documents */
} VidaOptionRow;

/* Values for the options of one method or of a comparison. */
typedef struct VidaOptions VidaOptions;

/* Creates the options of a method ("rattle") with their default values. Fails with
 * VIDA_UNKNOWN_NAME for an unknown method; the message suggests the nearest name. The caller owns
 * *options and frees it with VidaOptions_Destroy. */
VIDA_API int VidaOptions_Create(const char* method, VidaOptions** options, VidaError* error);
/* Creates a copy of options and their values. The caller owns *copy and frees it with
 * VidaOptions_Destroy. */
VIDA_API int VidaOptions_Copy(const VidaOptions* options, VidaOptions** copy, VidaError* error);
/* Frees options and sets *options to NULL; NULL is allowed. */
VIDA_API void VidaOptions_Destroy(VidaOptions** options);

/* Returns the name of the method to which the options belong ("rattle"), or "comparison". */
VIDA_API const char* VidaOptions_Method(const VidaOptions* options);

/* Returns the number of options. */
VIDA_API int VidaOptions_Count(const VidaOptions* options);
/* Returns the description of an option; NULL if index is outside 0 .. VidaOptions_Count - 1. */
VIDA_API const VidaOptionRow* VidaOptions_Row(const VidaOptions* options, int index);

/* Sets an option to a number; for the type BY_COORDINATE, sets it for all coordinates. Fails with
 * VIDA_UNKNOWN_NAME for an unknown option (the message suggests the nearest name), and with
 * VIDA_BAD_ARGUMENT for a value that is not finite, outside the allowed range or, for the type
 * INTEGER, not a whole number, and for an option of another type. */
VIDA_API int VidaOptions_SetReal(VidaOptions* options, const char* name, double value,
                                 VidaError* error);
/* Sets an option of the type BOOLEAN. Fails with VIDA_UNKNOWN_NAME for an unknown option (the
 * message suggests the nearest name), and with VIDA_BAD_ARGUMENT for an option of another type. */
VIDA_API int VidaOptions_SetBoolean(VidaOptions* options, const char* name, bool value,
                                    VidaError* error);
/* Sets an option to a value written as on the command line: a number, "true" or "false", the name
 * of a choice, or, for the type BY_COORDINATE, "1e-6,theta=1e-8". Fails with VIDA_UNKNOWN_NAME for
 * an unknown option (the message suggests the nearest name), and with VIDA_BAD_ARGUMENT for a text
 * that cannot be read or a value outside the allowed range. */
VIDA_API int VidaOptions_SetText(VidaOptions* options, const char* name, const char* text,
                                 VidaError* error);
/* Sets an option of the type BY_COORDINATE for one coordinate ("theta", "upper.x"; copied). The
 * other coordinates keep the value of VidaOptions_SetReal. Fails with VIDA_UNKNOWN_NAME for an
 * unknown option, and with VIDA_BAD_ARGUMENT for a value that is not finite or outside the allowed
 * range, and for an option of another type. VidaStepper_Create checks the name of the coordinate
 * and fails with VIDA_UNKNOWN_NAME if the system has no such coordinate. */
VIDA_API int VidaOptions_SetOf(VidaOptions* options, const char* name, const char* coordinate,
                               double value, VidaError* error);

/* Returns the value of an option: a number, 0 or 1 for a boolean, or the index of a choice. Returns
 * NaN for an unknown name. */
VIDA_API double VidaOptions_Get(const VidaOptions* options, const char* name);
/* Returns the value of an option of the type BY_COORDINATE for one coordinate: the value set by
 * VidaOptions_SetOf, or else the value for all coordinates. Returns NaN for an unknown option. */
VIDA_API double VidaOptions_GetOf(const VidaOptions* options, const char* name,
                                  const char* coordinate);
/* Returns whether the option `name`, of the type CHOICE, has the value `choice`. */
VIDA_API bool VidaOptions_HasChoice(const VidaOptions* options, const char* name,
                                    const char* choice);
/* Writes the value of an option to `text` ("0.01", "true", "two-point"), truncated to `size` bytes
 * including the NUL; "" for an unknown name. */
VIDA_API void VidaOptions_Text(const VidaOptions* options, const char* name, char* text,
                               size_t size);
/* Returns whether an option was set, even to its default value. */
VIDA_API bool VidaOptions_IsSet(const VidaOptions* options, const char* name);

/* Checks that the values of all options go together, without a system: each is in its range when it
 * is set. VidaStepper_Create and the Lua module call it. Fails with VIDA_BAD_ARGUMENT or
 * VIDA_NOT_SUPPORTED; the message names the options. */
VIDA_API int VidaOptions_Check(const VidaOptions* options, VidaError* error);

/* Writes the options that were set to `text`, as "key=value key=value", truncated to `size` bytes
 * including the NUL. Leaves out `h` and `rtol`, which have their own columns in tables. */
VIDA_API void VidaOptions_Describe(const VidaOptions* options, char* text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
