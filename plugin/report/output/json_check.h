/* Whether a text is strict JSON (RFC 8259). */
#ifndef VIDA_REPORT_OUTPUT_JSON_CHECK_H
#define VIDA_REPORT_OUTPUT_JSON_CHECK_H

#include <stddef.h>

/* What is wrong with the text in words, and where: line and column (in bytes) from 1 on; NULL when
 * it is one value of JSON and nothing else. Nesting is limited to some hundred levels. */
const char* vida__find_json_fault(const char* text, size_t size, long* line, long* column);

#endif
