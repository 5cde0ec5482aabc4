/* Remarks about runs, and their texts. */
#ifndef VIDA_STUDY_REMARKS_H
#define VIDA_STUDY_REMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <vida/study.h>

/* Adds a remark with a copy of `name` (nullable) to a row, and updates row->message. */
void vida__add_remark(VidaRow* row, VidaRemark remark, const char* name);
/* Removes all remarks, and clears row->message. */
void vida__clear_remarks(VidaRow* row);

/* Returns the name in a remark of this row; "" if it has none. */
const char* vida__remark_name(const VidaRow* row, const VidaRemark* remark);
/* Returns whether the row has a remark of this kind. */
bool vida__has_remark(const VidaRow* row, VidaRemarkKind kind);
/* Returns whether both rows have the same remarks, with the same names and numbers. */
bool vida__same_remarks(const VidaRow* one, const VidaRow* other);

/* Sets of places for vida__remarks_text, with the bit 1 << VidaRemarkPlace for each place. */
#define VIDA_REMARKS_EVERYWHERE (~0U)
#define VIDA_REMARKS_OF_RUNS (1U << VIDA_REMARK_BELOW_ROWS)

/* Writes the texts of the remarks at these places, separated by "; ", with those at
 * VIDA_REMARK_AS_MARK last. Truncated to `size` bytes including the NUL. */
void vida__remarks_text(const VidaRow* row, unsigned places, char* text, size_t size);

#endif
