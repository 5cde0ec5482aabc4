/* Remarks of rows: how they are added, and put into words. */
#ifndef VIDA_STUDY_REMARKS_H
#define VIDA_STUDY_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/study.h>

/* Adds a remark with a copy of `name` (nullable), and writes all remarks into row->message. */
void vida__add_remark(VidaRow* row, VidaRemark remark, const char* name);
/* Takes all remarks away, and empties row->message. */
void vida__clear_remarks(VidaRow* row);

/* The name of a remark of this row; "" where it has none. */
const char* vida__remark_name(const VidaRow* row, const VidaRemark* remark);
/* Whether the row has a remark of this kind. */
bool vida__has_remark(const VidaRow* row, VidaRemarkKind kind);
/* Whether both rows have the same remarks, with the same names and numbers. */
bool vida__same_remarks(const VidaRow* one, const VidaRow* other);

/* Sets of places, for vida__remarks_text: bit 1 << VidaRemarkPlace. */
#define VIDA_REMARKS_EVERYWHERE (~0U)
#define VIDA_REMARKS_OF_RUNS (1U << VIDA_REMARK_BELOW_ROWS)

/* Writes the remarks that are told at these places, with "; " between; those that are marks come
 * last. */
void vida__remarks_text(const VidaRow* row, unsigned places, char* text, size_t size);

#endif
