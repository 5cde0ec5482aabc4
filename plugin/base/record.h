/* Records of bytes for files: numbers in a stated byte order, texts with their lengths, checksums.
 * A record is either written or read; a failure (no memory, or fewer bytes than expected) is kept
 * in it, so that callers check once, at the end. */
#ifndef VIDA_BASE_RECORD_H
#define VIDA_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A record, empty if zero-initialized. */
typedef struct vida_record {
  unsigned char* bytes; /* capacity */
  size_t size;          /* bytes written, or that can be read */
  size_t capacity;
  size_t at;      /* bytes read so far */
  bool no_memory; /* a part could not be written */
  bool too_short; /* a part could not be read, or was longer than its place */
} vida_record;

/* Frees the bytes and empties the record. */
void vida__free_record(vida_record* record);
/* Empties the record for further use of its memory. */
void vida__clear_record(vida_record* record);

/* Appends bytes, integers and doubles with the lowest byte first, and texts with their lengths. */
void vida__put_bytes(vida_record* record, const void* bytes, size_t size);
void vida__put_integer(vida_record* record, int64_t value);
void vida__put_real(vida_record* record, double value);
void vida__put_reals(vida_record* record, size_t count, const double* values);
void vida__put_text(vida_record* record, const char* text);

/* Read the next part. A part that is missing reads as 0 or "". */
int64_t vida__get_integer(vida_record* record);
/* Reads a count or an index. One above 2^53 in size, which nobody has counted, is damaged: the
 * record is then too_short, and the result 0. */
long vida__get_count(vida_record* record);
double vida__get_real(vida_record* record);
void vida__get_reals(vida_record* record, size_t count, double* values);
/* Reads a text with its NUL into `size` bytes; one that does not fit is an error. */
void vida__get_text(vida_record* record, char* text, size_t size);
/* Returns whether everything was read, and nothing was missing. */
bool vida__is_read(const vida_record* record);

/* The beginning of a checksum. */
#define VIDA_CHECKSUM_START UINT64_C(0xcbf29ce484222325)
/* Continues a checksum (FNV-1a, 64 bits): every change of a single byte changes it. */
uint64_t vida__checksum(uint64_t sum, const void* bytes, size_t size);
/* Continues the checksum *sum of the first *size bytes of a file up to `end` bytes, and *size with
 * it. Returns false if the file cannot be read so far. */
bool vida__checksum_file(const char* path, long long* size, long long end, uint64_t* sum);

#endif
