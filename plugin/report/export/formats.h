/* Formats of other programs for a trajectory that was read. */
#ifndef VIDA_REPORT_EXPORT_FORMATS_H
#define VIDA_REPORT_EXPORT_FORMATS_H

#include "report/output/results.h"

/* Writes FOLDER/NAME.npy: a structured array of NumPy with a field for each column (npy.c). */
int vida__export_npy(const vida_table* table, const char* folder, const char* name,
                     VidaError* error);
/* Writes FOLDER/NAME.pvd, a series of polygonal data for ParaView with the points and drawn lines
 * of at most 1000 states in FOLDER/NAME/, and FOLDER/NAME-paths.vtp with the paths of the points.
 * Fails with VIDA_NOT_SUPPORTED and the flag "NO_DATA" if no columns are coordinates of points
 * (vtk.c). */
int vida__export_vtk(const vida_table* table, const char* folder, const char* name,
                     VidaError* error);

/* Opens FOLDER/NAME for writing; NULL after a failure. `path` receives the path. */
FILE* vida__open_export(char path[VIDA_PATH_SIZE], const char* folder, const char* name,
                        VidaError* error);
/* Closes a file, and fails if it could not be written (export.c). */
int vida__close_export(FILE* file, const char* path, VidaError* error);

#endif
