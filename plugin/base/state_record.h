/* Records of states: the numbers that a stepper needs to go on, as bytes that any machine reads
 * (base/record.h).
 *
 * One function visits the numbers of a part, and saves or loads them by the same calls (VidaRecord,
 * method.h). The bytes are a header, and blocks with a checksum each. */
#ifndef VIDA_BASE_STATE_RECORD_H
#define VIDA_BASE_STATE_RECORD_H

#include <stdbool.h>
#include <vida/method.h>

#include "base/error.h"
#include "base/memory.h"

/* Creates an empty record for saving. The caller frees *record with vida__state_destroy. */
int vida__state_create(VidaRecord** record, VidaError* error);
/* Opens bytes that vida__state_bytes returned for loading. They must outlive *record; `source`
 * (not copied) names them in messages, "file 'a.vida'". Fails with VIDA_INPUT_OUTPUT for bytes that
 * are not a record, of another format, damaged or truncated. */
int vida__state_open(const char* source, const unsigned char* bytes, size_t size,
                     VidaRecord** record, VidaError* error);
/* Frees a record and sets *record to NULL; NULL is allowed. */
void vida__state_destroy(VidaRecord** record);
/* Returns the bytes of a record that was saved without a failure. The caller frees *bytes with
 * free(). */
int vida__state_bytes(const VidaRecord* record, unsigned char** bytes, size_t* size,
                      VidaError* error);
/* Returns the first failure: 0 or a code, with the message in `error`. */
int vida__record_failure(const VidaRecord* record, VidaError* error);
/* Fails with `code`, unless the record has failed before. */
void vida__record_fail(VidaRecord* record, int code, const char* format, ...)
    VIDA_PRINTF_LIKE(3, 4);
/* Fails with VIDA_OUT_OF_MEMORY. */
void vida__record_fail_memory(VidaRecord* record);
/* Notes that what was visited does not determine the next steps to the last bit: an integrator of
 * SUNDIALS restarts from it. */
void vida__record_restart(VidaRecord* record);
/* Returns whether vida__record_restart was called. */
bool vida__record_restarts(const VidaRecord* record);
/* Returns whether everything has been loaded. */
bool vida__record_is_read(const VidaRecord* record);

/* Visits the name of a part (a literal), which must be the same when it is loaded. */
void vida__record_part(VidaRecord* record, const char* name);
/* Visits a text of at most `size` bytes with its NUL. */
void vida__record_text(VidaRecord* record, char* text, size_t size);
/* Visits `count` integers that must be the same when they are loaded, as numbers of unknowns. */
void vida__record_same(VidaRecord* record, const char* what, int count, const int* values);
/* Visits an array of flags. */
void vida__record_flags(VidaRecord* record, bool* values, size_t count);
/* Visits an array of integers from `least` to `most`. */
void vida__record_integers(VidaRecord* record, int* values, size_t count, int least, int most);

/* Visits arrays of numbers, each where it is now. */
void vida__record_arrays(VidaRecord* record, const vida_array* arrays, size_t count);

#endif
