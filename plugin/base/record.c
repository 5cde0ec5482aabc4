#include "base/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"

enum { NUMBER_SIZE = 8 };

void vida__free_record(vida_record* record) {
  free(record->bytes);
  *record = (vida_record){0};
}

void vida__clear_record(vida_record* record) {
  record->size = record->at = 0;
  record->no_memory = record->too_short = false;
}

/* ---- writing --------------------------------------------------------------------------------- */

void vida__put_bytes(vida_record* record, const void* bytes, size_t size) {
  void* all = record->bytes;
  record->no_memory =
      record->no_memory || vida__reserve(&all, &record->capacity, record->size + size, 1);
  record->bytes = all;
  if (!record->no_memory && size > 0) {
    memcpy(record->bytes + record->size, bytes, size);
    record->size += size;
  }
}

static void put_word(vida_record* record, uint64_t word) {
  unsigned char bytes[NUMBER_SIZE];
  for (int i = 0; i < NUMBER_SIZE; i++) {
    bytes[i] = (unsigned char)(word >> (8 * i));
  }
  vida__put_bytes(record, bytes, sizeof bytes);
}

void vida__put_integer(vida_record* record, int64_t value) {
  put_word(record, (uint64_t)value);
}

void vida__put_real(vida_record* record, double value) {
  uint64_t word;
  memcpy(&word, &value, sizeof word);
  put_word(record, word);
}

void vida__put_reals(vida_record* record, size_t count, const double* values) {
  for (size_t i = 0; i < count; i++) {
    vida__put_real(record, values[i]);
  }
}

void vida__put_text(vida_record* record, const char* text) {
  const size_t length = strlen(text);
  vida__put_integer(record, (int64_t)length);
  vida__put_bytes(record, text, length);
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint64_t get_word(vida_record* record) {
  uint64_t word = 0;
  record->too_short = record->too_short || record->size - record->at < NUMBER_SIZE;
  for (int i = 0; i < NUMBER_SIZE && !record->too_short; i++) {
    word |= (uint64_t)record->bytes[record->at++] << (8 * i);
  }
  return word;
}

int64_t vida__get_integer(vida_record* record) {
  return (int64_t)get_word(record);
}

long vida__get_count(vida_record* record) {
  const int64_t most = INT64_C(1) << 53;
  const int64_t count = vida__get_integer(record);
  record->too_short = record->too_short || count < -most || count > most;
  return record->too_short ? 0 : (long)count;
}

double vida__get_real(vida_record* record) {
  const uint64_t word = get_word(record);
  double value;
  memcpy(&value, &word, sizeof value);
  return value;
}

void vida__get_reals(vida_record* record, size_t count, double* values) {
  for (size_t i = 0; i < count; i++) {
    values[i] = vida__get_real(record);
  }
}

void vida__get_text(vida_record* record, char* text, size_t size) {
  const uint64_t length = get_word(record);
  text[0] = '\0';
  record->too_short = record->too_short || length >= size || length > record->size - record->at;
  if (!record->too_short) {
    memcpy(text, record->bytes + record->at, (size_t)length);
    text[length] = '\0';
    record->at += (size_t)length;
  }
}

bool vida__is_read(const vida_record* record) {
  return !record->too_short && record->at == record->size;
}

/* ---- checksums ------------------------------------------------------------------------------- */

uint64_t vida__checksum(uint64_t sum, const void* bytes, size_t size) {
  const unsigned char* each = bytes;
  for (size_t i = 0; i < size; i++) {
    sum = (sum ^ each[i]) * UINT64_C(0x100000001b3);
  }
  return sum;
}

bool vida__checksum_file(const char* path, long long* size, long long end, uint64_t* sum) {
  enum { PIECE = 65536 };
  unsigned char bytes[PIECE];
  FILE* file = fopen(path, "rb");
  bool good = file && fseeko(file, (off_t)*size, SEEK_SET) == 0;
  while (good && *size < end) {
    const long long left = end - *size;
    const size_t wanted = left < PIECE ? (size_t)left : PIECE;
    good = fread(bytes, 1, wanted, file) == wanted;
    *sum = vida__checksum(*sum, bytes, good ? wanted : 0);
    *size += good ? (long long)wanted : 0;
  }
  if (file) {
    fclose(file);
  }
  return good;
}
