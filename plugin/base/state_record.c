#include "base/state_record.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/record.h"

/* The header: the mark, the format, the number of bytes in all blocks, and a checksum. */
static const char mark[8] = {'V', 'I', 'D', 'A', 's', 't', 'a', 't'};
enum { FORMAT = 1, HEADER = 32, BLOCK = 4096, CHECK = 8 };

struct VidaRecord {
  bool is_loading;
  const char* source;
  vida_record bytes; /* without header and checksums */
  const char* part;
  bool restarts;
  VidaError error; /* the first failure */
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static int allocate(VidaRecord** record, VidaError* error) {
  *record = vida__allocate(1, sizeof **record);
  if (!*record) {
    return vida__fail_memory(error);
  }
  (*record)->part = "begin";
  return VIDA_SUCCESS;
}

int vida__state_create(VidaRecord** record, VidaError* error) {
  return allocate(record, error);
}

void vida__state_destroy(VidaRecord** record) {
  if (*record) {
    vida__free_record(&(*record)->bytes);
    free(*record);
    *record = NULL;
  }
}

static size_t block_count(size_t size) {
  return size / BLOCK + (size % BLOCK ? 1 : 0);
}

/* Blocks have different first values, so that exchanged ones are found, too. */
static int64_t check_block(size_t index, const unsigned char* bytes, size_t size) {
  return (int64_t)vida__checksum(VIDA_CHECKSUM_START + index, bytes, size);
}

static size_t block_size(size_t size, size_t index) {
  const size_t left = size - index * BLOCK;
  return left < BLOCK ? left : BLOCK;
}

int vida__state_bytes(const VidaRecord* record, unsigned char** bytes, size_t* size,
                      VidaError* error) {
  const vida_record* from = &record->bytes;
  vida_record to = {0};
  vida__put_bytes(&to, mark, sizeof mark);
  vida__put_integer(&to, FORMAT);
  vida__put_integer(&to, (int64_t)from->size);
  vida__put_integer(&to, (int64_t)vida__checksum(VIDA_CHECKSUM_START, to.bytes, to.size));
  for (size_t k = 0; k < block_count(from->size); k++) {
    const unsigned char* block = from->bytes + k * BLOCK;
    const size_t count = block_size(from->size, k);
    vida__put_bytes(&to, block, count);
    vida__put_integer(&to, check_block(k, block, count));
  }
  *bytes = to.bytes;
  *size = to.size;
  if (to.no_memory) {
    vida__free_record(&to);
    *bytes = NULL;
    return vida__fail_memory(error);
  }
  return VIDA_SUCCESS;
}

/* Returns the integer at a place. */
static int64_t integer_at(const unsigned char* bytes) {
  vida_record record = {.bytes = (unsigned char*)bytes, .size = 8};
  return vida__get_integer(&record);
}

static int check_header(const char* source, const unsigned char* bytes, size_t size,
                        VidaError* error) {
  if (size < sizeof mark || memcmp(bytes, mark, sizeof mark) != 0) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "%s is not a checkpoint of VIDA", source);
  }
  if (size < HEADER) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      "%s is truncated: it ends after %zu of the %d bytes of its header", source,
                      size, HEADER);
  }
  if ((uint64_t)integer_at(bytes + 24) != vida__checksum(VIDA_CHECKSUM_START, bytes, 24)) {
    return vida__fail(error, VIDA_INPUT_OUTPUT, "%s is damaged in its first %d bytes", source,
                      HEADER);
  }
  if (integer_at(bytes + 8) != FORMAT) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      "%s has format %lld of checkpoints; VIDA %s reads format %d", source,
                      (long long)integer_at(bytes + 8), Vida_Version(), FORMAT);
  }
  const uint64_t body = (uint64_t)integer_at(bytes + 16);
  const uint64_t whole =
      body > SIZE_MAX / 2 ? SIZE_MAX : HEADER + body + block_count((size_t)body) * CHECK;
  if (size != whole) {
    return vida__fail(error, VIDA_INPUT_OUTPUT,
                      size < whole ? "%s is truncated: it has %zu of %llu bytes"
                                   : "%s is damaged: it has %zu bytes instead of %llu",
                      source, size, (unsigned long long)whole);
  }
  return VIDA_SUCCESS;
}

static int read_blocks(VidaRecord* record, const unsigned char* bytes, size_t size,
                       VidaError* error) {
  const unsigned char* next = bytes + HEADER;
  for (size_t k = 0; k < block_count(size); k++) {
    const size_t count = block_size(size, k);
    if (integer_at(next + count) != check_block(k, next, count)) {
      return vida__fail(error, VIDA_INPUT_OUTPUT,
                        "%s is damaged: at least one of the %zu bytes from byte %zu on is wrong",
                        record->source, count + CHECK, (size_t)(next - bytes));
    }
    vida__put_bytes(&record->bytes, next, count);
    next += count + CHECK;
  }
  return record->bytes.no_memory ? vida__fail_memory(error) : VIDA_SUCCESS;
}

int vida__state_open(const char* source, const unsigned char* bytes, size_t size,
                     VidaRecord** record, VidaError* error) {
  *record = NULL;
  int code = check_header(source, bytes, size, error);
  code = code ? code : allocate(record, error);
  if (code) {
    return code;
  }
  (*record)->is_loading = true;
  (*record)->source = source;
  code = read_blocks(*record, bytes, (size_t)integer_at(bytes + 16), error);
  if (code) {
    vida__state_destroy(record);
  }
  return code;
}

int vida__record_failure(const VidaRecord* record, VidaError* error) {
  if (record->error.code && error) {
    *error = record->error;
  }
  return record->error.code;
}

void vida__record_fail(VidaRecord* record, int code, const char* format, ...) {
  char message[VIDA_MESSAGE_SIZE];
  if (record->error.code) {
    return;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  vida__fail(&record->error, code, "%s", message);
}

void vida__record_fail_memory(VidaRecord* record) {
  vida__record_fail(record, VIDA_OUT_OF_MEMORY, "%s", Vida_CodeText(VIDA_OUT_OF_MEMORY));
}

void vida__record_restart(VidaRecord* record) {
  record->restarts = true;
}

bool vida__record_restarts(const VidaRecord* record) {
  return record->restarts;
}

bool vida__record_is_read(const VidaRecord* record) {
  return vida__is_read(&record->bytes);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* An item is its kind, its count and its values. A record of the same system and options has the
 * same items in the same order. */

static void refuse_item(VidaRecord* record) {
  vida__record_fail(record, VIDA_INPUT_OUTPUT,
                    "%s does not fit: its part '%s' has other contents than this VIDA expects",
                    record->source, record->part);
}

/* Begins an item. Returns false after a failure. */
static bool begin(VidaRecord* record, char kind, size_t count) {
  vida_record* bytes = &record->bytes;
  if (!record->error.code && record->is_loading) {
    const int64_t there = vida__get_integer(bytes);
    if (there != kind || vida__get_integer(bytes) != (int64_t)count) {
      refuse_item(record);
    }
  } else if (!record->error.code) {
    vida__put_integer(bytes, kind);
    vida__put_integer(bytes, (int64_t)count);
  }
  return !record->error.code;
}

static bool end(VidaRecord* record) {
  if (record->bytes.no_memory) {
    vida__record_fail_memory(record);
  }
  if (record->bytes.too_short) {
    refuse_item(record);
  }
  return !record->error.code;
}

bool VidaRecord_IsLoading(const VidaRecord* record) {
  return record && record->is_loading;
}

void VidaRecord_Reals(VidaRecord* record, double* values, size_t count) {
  if (!record || (!values && count > 0) || !begin(record, 'R', count)) {
    return;
  }
  if (record->is_loading) {
    vida__get_reals(&record->bytes, count, values);
  } else {
    vida__put_reals(&record->bytes, count, values);
  }
  end(record);
}

void VidaRecord_Integer(VidaRecord* record, long* value, long least, long most) {
  if (!record || !value || !begin(record, 'I', 1)) {
    return;
  }
  if (!record->is_loading) {
    vida__put_integer(&record->bytes, *value);
    end(record);
    return;
  }
  const int64_t wide = vida__get_integer(&record->bytes);
  if (wide < least || wide > most) {
    refuse_item(record);
  }
  *value = end(record) ? (long)wide : *value;
}

void VidaRecord_Flag(VidaRecord* record, bool* value) {
  if (record && value) {
    vida__record_flags(record, value, 1);
  }
}

void vida__record_flags(VidaRecord* record, bool* values, size_t count) {
  vida_record* bytes = &record->bytes;
  if (!begin(record, 'F', count)) {
    return;
  }
  bytes->too_short = record->is_loading && count > bytes->size - bytes->at;
  for (size_t i = 0; i < count && end(record); i++) {
    const unsigned char byte = values[i] ? 1 : 0;
    if (!record->is_loading) {
      vida__put_bytes(bytes, &byte, 1);
    } else if (bytes->bytes[bytes->at] > 1) {
      refuse_item(record);
    } else {
      values[i] = bytes->bytes[bytes->at++] == 1;
    }
  }
  end(record);
}

void vida__record_integers(VidaRecord* record, int* values, size_t count, int least, int most) {
  for (size_t i = 0; i < count; i++) {
    long value = values[i];
    VidaRecord_Integer(record, &value, least, most);
    values[i] = (int)value;
  }
}

void vida__record_arrays(VidaRecord* record, const vida_array* arrays, size_t count) {
  for (size_t i = 0; i < count; i++) {
    VidaRecord_Reals(record, *arrays[i].start, arrays[i].count);
  }
}

void vida__record_same(VidaRecord* record, const char* what, int count, const int* values) {
  vida__record_part(record, what);
  for (int i = 0; i < count; i++) {
    long value = values[i];
    VidaRecord_Integer(record, &value, value, value);
  }
}

void vida__record_text(VidaRecord* record, char* text, size_t size) {
  if (record->error.code) {
    return;
  }
  if (record->is_loading) {
    vida__get_text(&record->bytes, text, size);
  } else {
    vida__put_text(&record->bytes, text);
  }
  end(record);
}

void vida__record_part(VidaRecord* record, const char* name) {
  char there[64];
  record->part = name;
  snprintf(there, sizeof there, "%s", name);
  vida__record_text(record, there, sizeof there);
  if (!record->error.code && strncmp(there, name, sizeof there - 1) != 0) {
    refuse_item(record);
  }
}
