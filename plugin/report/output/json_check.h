/* Whether a text is strict JSON (RFC 8259). */
#ifndef VIDA_REPORT_OUTPUT_JSON_CHECK_H
#define VIDA_REPORT_OUTPUT_JSON_CHECK_H

#include <stddef.h>

/* Checks that a text of `size` bytes is exactly one JSON value. Returns NULL, or a description of
 * the fault; *line and *column (in bytes) then receive its position, counted from 1. Nesting is
 * limited to a few hundred levels. */
const char* vida__find_json_fault(const char* text, size_t size, long* line, long* column);

#endif
