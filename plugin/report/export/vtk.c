/* Polygonal data of VTK in its XML format ("VTK File Formats", The VTK User's Guide), as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/export/formats.h"

enum { MOST_STATES = 1000 };

/* A point: the columns of its coordinates, z = -1 in the plane. */
typedef struct point {
  int axis[3];
  int line; /* number of its drawn line; 0: it is a particle */
} point;

typedef struct points {
  const vida_table* table;
  point* point;
  int count, capacity;
} points;

/* ---- which columns are points ---------------------------------------------------------------- */

/* Takes the column for the coordinate x of a point, "NAME.x", whose other coordinates are the next
 * columns. Of a line "drawn 3 NAME.1.x" the number is 3. */
static bool take_point(points* all, int column) {
  const vida_table* table = all->table;
  char name[VIDA_NAME_SIZE], other[VIDA_NAME_SIZE], unit[VIDA_NAME_SIZE];
  point* to = &all->point[all->count];
  vida__split_title(vida__table_title(table, column), name, unit);
  const size_t length = strlen(name);
  if (length < 3 || strcmp(name + length - 2, ".x") != 0) {
    return false;
  }
  *to = (point){.axis = {column, -1, -1}};
  for (int k = 1; k < 3 && column + k < table->columns; k++) {
    name[length - 1] = "xyz"[k];
    vida__split_title(vida__table_title(table, column + k), other, unit);
    if (strcmp(name, other) != 0) {
      break;
    }
    to->axis[k] = column + k;
  }
  if (strncmp(name, "drawn ", 6) == 0) {
    const long line = strtol(name + 6, NULL, 10);
    to->line = line > 0 && line < 1000000 ? (int)line : 0;
  }
  return to->axis[1] >= 0;
}

static int find_points(points* all, VidaError* error) {
  all->point = vida__allocate((size_t)all->table->columns + 1, sizeof *all->point);
  if (!all->point) {
    return vida__fail_memory(error);
  }
  for (int i = 1; i < all->table->columns; i++) {
    all->count += take_point(all, i);
  }
  return all->count > 0
             ? VIDA_SUCCESS
             : vida__fail_flag(error, VIDA_NOT_SUPPORTED, "NO_DATA",
                               "the trajectories have no columns NAME.x and NAME.y of points; "
                               "run the scenario with --columns all,drawing");
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Points without a value are drawn at the origin: the format has no other way. */
static void write_number(FILE* file, double value) {
  char text[VIDA_REAL_TEXT_SIZE];
  fputs(isfinite(value) ? vida__shortest_text(text, value) : "0", file);
}

static void write_position(FILE* file, const points* all, const point* at, long row) {
  for (int k = 0; k < 3; k++) {
    write_number(file, at->axis[k] < 0 ? 0.0 : vida__table_real(all->table, row, at->axis[k]));
    fputc(k < 2 ? ' ' : '\n', file);
  }
}

static void begin_file(FILE* file, long point_count, int verts, int lines) {
  fprintf(file,
          "<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n<PolyData>\n"
          "<Piece NumberOfPoints=\"%ld\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
          "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
          point_count, verts, lines);
}

static void begin_array(FILE* file, const char* type, const char* name, int components) {
  fprintf(file, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n",
          type, name, components);
}

static void end_array(FILE* file) {
  fputs("</DataArray>\n", file);
}

static void end_file(FILE* file) {
  fputs("</Piece>\n</PolyData>\n</VTKFile>\n", file);
}

/* ---- one state ------------------------------------------------------------------------------- */

/* Index behind the last point of the same line, or of a particle alone. */
static int end_of_line(const points* all, int first) {
  int end = first + 1;
  while (all->point[first].line > 0 && end < all->count &&
         all->point[end].line == all->point[first].line) {
    end++;
  }
  return end;
}

/* Cells of one kind: particles, or lines. */
static int count_cells(const points* all, bool lines) {
  int count = 0;
  for (int i = 0; i < all->count; i = end_of_line(all, i)) {
    count += (all->point[i].line > 0) == lines;
  }
  return count;
}

static void write_cells(FILE* file, const points* all, bool lines) {
  fprintf(file, "<%s>\n", lines ? "Lines" : "Verts");
  begin_array(file, "Int64", "connectivity", 1);
  for (int i = 0; i < all->count; i++) {
    if ((all->point[i].line > 0) == lines) {
      fprintf(file, "%d\n", i);
    }
  }
  end_array(file);
  begin_array(file, "Int64", "offsets", 1);
  int offset = 0;
  for (int i = 0, end; i < all->count; i = end) {
    end = end_of_line(all, i);
    if ((all->point[i].line > 0) == lines) {
      offset += end - i;
      fprintf(file, "%d\n", offset);
    }
  }
  end_array(file);
  fprintf(file, "</%s>\n", lines ? "Lines" : "Verts");
}

static int write_state(const points* all, long row, const char* folder, const char* name,
                       VidaError* error) {
  char path[VIDA_PATH_SIZE];
  FILE* file = vida__open_export(path, folder, name, error);
  if (!file) {
    return VIDA_INPUT_OUTPUT;
  }
  begin_file(file, all->count, count_cells(all, false), count_cells(all, true));
  fputs("<PointData>\n", file);
  begin_array(file, "Int32", "line", 1);
  for (int i = 0; i < all->count; i++) {
    fprintf(file, "%d\n", all->point[i].line);
  }
  end_array(file);
  fputs("</PointData>\n<Points>\n", file);
  begin_array(file, "Float64", "Points", 3);
  for (int i = 0; i < all->count; i++) {
    write_position(file, all, &all->point[i], row);
  }
  end_array(file);
  fputs("</Points>\n", file);
  write_cells(file, all, false);
  write_cells(file, all, true);
  end_file(file);
  return vida__close_export(file, path, error);
}

/* ---- all states ------------------------------------------------------------------------------ */

static int write_series(const points* all, const char* folder, const char* name, VidaError* error) {
  char path[VIDA_PATH_SIZE], states[VIDA_PATH_SIZE] = "", file_name[VIDA_FILE_NAME_SIZE + 40] = "";
  const long every = (all->table->rows + MOST_STATES - 1) / MOST_STATES;
  long number = 0;
  vida__append(states, sizeof states, "%s/%s", folder, name);
  vida__append(file_name, sizeof file_name, "%s.pvd", name);
  int code = vida__make_directory(states, error);
  FILE* file = code ? NULL : vida__open_export(path, folder, file_name, error);
  if (!file) {
    return code ? code : VIDA_INPUT_OUTPUT;
  }
  fputs(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
      file);
  for (long row = 0; row < all->table->rows && !code; row += every) {
    char state[40];
    snprintf(state, sizeof state, "%06ld.vtp", number++);
    fputs("<DataSet timestep=\"", file);
    write_number(file, vida__table_real(all->table, row, 0));
    fprintf(file, "\" group=\"\" part=\"0\" file=\"%s/%s\"/>\n", name, state);
    code = write_state(all, row, states, state, error);
  }
  fputs("</Collection>\n</VTKFile>\n", file);
  const int closed = vida__close_export(file, path, code ? NULL : error);
  return code ? code : closed;
}

/* Each particle's path, with the time at its points. */
static int write_paths(const points* all, const char* folder, const char* name, VidaError* error) {
  char path[VIDA_PATH_SIZE], file_name[VIDA_FILE_NAME_SIZE + 40] = "";
  const long rows = all->table->rows;
  int particles = count_cells(all, false);
  vida__append(file_name, sizeof file_name, "%s-paths.vtp", name);
  FILE* file = vida__open_export(path, folder, file_name, error);
  if (!file) {
    return VIDA_INPUT_OUTPUT;
  }
  begin_file(file, particles * rows, 0, particles);
  fputs("<PointData Scalars=\"t\">\n", file);
  begin_array(file, "Float64", "t", 1);
  for (int i = 0; i < particles; i++) {
    for (long row = 0; row < rows; row++) {
      write_number(file, vida__table_real(all->table, row, 0));
      fputc('\n', file);
    }
  }
  end_array(file);
  fputs("</PointData>\n<Points>\n", file);
  begin_array(file, "Float64", "Points", 3);
  for (int i = 0; i < all->count; i++) {
    for (long row = 0; row < rows && all->point[i].line == 0; row++) {
      write_position(file, all, &all->point[i], row);
    }
  }
  end_array(file);
  fputs("</Points>\n<Lines>\n", file);
  begin_array(file, "Int64", "connectivity", 1);
  for (long i = 0; i < particles * rows; i++) {
    fprintf(file, "%ld\n", i);
  }
  end_array(file);
  begin_array(file, "Int64", "offsets", 1);
  for (long i = 1; i <= particles; i++) {
    fprintf(file, "%ld\n", i * rows);
  }
  end_array(file);
  fputs("</Lines>\n", file);
  end_file(file);
  return vida__close_export(file, path, error);
}

int vida__export_vtk(const vida_table* table, const char* folder, const char* name,
                     VidaError* error) {
  points all = {.table = table};
  int code = find_points(&all, error);
  code = code ? code : write_series(&all, folder, name, error);
  if (!code && count_cells(&all, false) > 0) {
    code = write_paths(&all, folder, name, error);
  }
  free(all.point);
  return code;
}
