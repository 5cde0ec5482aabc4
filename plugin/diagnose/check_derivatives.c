/* Comparison of derivatives with difference quotients of order four, with decreasing steps until
 * they agree or certainly disagree. The error of a derivative is compared with its size, with the
 * largest derivative of its kind, and with the rounding of the differences. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "diagnose/check.h"
#include "system/terms/time_side.h"
#include "system/terms/traced.h"

enum { SMALL = 64 }; /* number of coordinates of a part that are checked */
static const double steps[] = {1e-3, 1e-4, 1e-5, 1e-6};
enum { STEPS = sizeof steps / sizeof steps[0] };
static const double relative = 1e-6;
static const double beside_largest = 1e-9;
static const double noise = 64.0 * DBL_EPSILON;

/* A part of the model: a batch of terms or of constraints. */
typedef struct probe {
  VidaCheck* check;
  const vida_term_batch* term;
  const vida_constraint_batch* constraint;
  double t;
  double *q, *v;    /* n each: point of the evaluation */
  double* lambda;   /* m */
  double* entries;  /* of G */
  double* matrix;   /* of the KKT pattern */
  double* analytic; /* of the length of a sample: as all below */
  double* sample[4];
  double* difference;
  double* ratio;
  /* Size of the part (an energy), and of what outputs are derivatives with respect to (n; NULL:
   * they are none): parts that cancel inside of a formula leave rounding of this over that. */
  double magnitude;
  const double* output_scale;
  double* rate_scale; /* n */
  bool* looked_at;    /* n: coordinates whose derivatives are compared */
} probe;

/* Writes a function of (t, q, v) at the probe's place. */
typedef int (*sampler)(probe* at, double* out);

/* The worst comparison of one kind. */
typedef struct verdict {
  double ratio;           /* ratio of the error to the allowed error; wrong above one */
  double error, largest;  /* for the report: errors and derivatives by size */
  double value, expected; /* at the worst point: the derivative, and the difference quotient */
  int variable, output;
  bool of_rate; /* the variable is a rate */
  bool measured;
} verdict;

static vida_place place_of(const probe* at) {
  return vida__place(&at->check->evaluator, at->t, at->q, at->v);
}

static size_t sample_length(const VidaSystem* system) {
  return 2 * (size_t)system->coordinate_count + (size_t)system->row_count + 1;
}

/* ---- what is sampled ------------------------------------------------------------------------- */

static int sample_value(probe* at, double* out) {
  const vida_place place = place_of(at);
  out[0] = 0.0;
  return at->term->kernel->value(at->term, &place, out);
}

/* Computes L_q, then L_v; for forces, f in place of L_q. */
static int sample_gradient(probe* at, double* out) {
  const int n = at->check->system->coordinate_count;
  const vida_place place = place_of(at);
  memset(out, 0, 2 * (size_t)n * sizeof *out);
  return at->term->kernel->gradient(at->term, &place, out, out + n);
}

static int sample_rows(probe* at, double* out) {
  const vida_place place = place_of(at);
  memset(out, 0, (size_t)at->check->system->row_count * sizeof *out);
  return at->constraint->kernel->value(at->constraint, &place, NULL, out);
}

/* Whether the rows' entries are the batch's own. */
static void own_entries(const vida_constraint_batch* batch, int* first, int* count) {
  *first = batch->first_entry;
  *count = batch->count * batch->rows * batch->width;
}

/* G^T lambda of these rows alone */
static int sample_reaction(probe* at, double* out) {
  const VidaSystem* system = at->check->system;
  const vida_place place = place_of(at);
  int first, count;
  own_entries(at->constraint, &first, &count);
  memset(out, 0, (size_t)system->coordinate_count * sizeof *out);
  const int code = at->constraint->kernel->jacobian(at->constraint, &place, at->entries + first);
  for (int e = first; e < first + count && !code; e++) {
    out[system->entries[e].coordinate] += at->entries[e] * at->lambda[system->entries[e].row];
  }
  return code;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Computes differences with one step into at->difference; returns false if the function cannot be
 * evaluated. */
static bool take_differences(probe* at, double* variable, double step, sampler sample, int length,
                             double* size) {
  static const double place[4] = {1.0, -1.0, 2.0, -2.0};
  const double kept = *variable;
  bool good = true;
  *size = 0.0;
  for (int k = 0; k < 4 && good; k++) {
    *variable = kept + place[k] * step;
    good = sample(at, at->sample[k]) == 0;
  }
  *variable = kept;
  for (int i = 0; i < length && good; i++) {
    const double near = at->sample[0][i] - at->sample[1][i];
    const double far = at->sample[2][i] - at->sample[3][i];
    at->difference[i] = (8.0 * near - far) / (12.0 * step);
    *size = fmax(*size, fabs(at->sample[0][i]));
    good = isfinite(at->difference[i]);
  }
  return good;
}

/* Returns the size of terms that may have cancelled in output i. */
static double hidden_size(const probe* at, int i) {
  return at->output_scale ? at->magnitude / at->output_scale[i] : 0.0;
}

static double largest_of(const double* values, int count) {
  double largest = 0.0;
  for (int i = 0; i < count; i++) {
    largest = fmax(largest, fabs(values[i]));
  }
  return largest;
}

/* Compares at->analytic with differences along *variable; the verdict keeps the largest error. Far
 * from the origin, differences have the rounding of positions. */
static void compare(probe* at, double* variable, double scale, sampler sample, int length,
                    int number, bool of_rate, verdict* so_far) {
  const double largest = largest_of(at->analytic, length);
  double worst = INFINITY;
  for (int k = 0; k < STEPS && worst > 1.0; k++) {
    const double step = steps[k] * scale;
    double size;
    double here = 0.0;
    int output = 0;
    if (!take_differences(at, variable, step, sample, length, &size)) {
      continue;
    }
    double error = 0.0;
    for (int i = 0; i < length; i++) {
      const double own = fabs(at->difference[i] - at->analytic[i]);
      const double allowed = relative * fmax(fabs(at->difference[i]), fabs(at->analytic[i])) +
                             beside_largest * largest +
                             at->check->extent.rounding / steps[k] * largest +
                             noise * fmax(size, hidden_size(at, i)) / step;
      const double ratio = own > 0.0 ? own / fmax(allowed, DBL_MIN) : 0.0;
      error = fmax(error, own);
      if (ratio > here) {
        here = ratio;
        output = i;
      }
    }
    if (here < worst) {
      worst = here;
      at->ratio[0] = error;
      at->ratio[1] = at->analytic[output];
      at->ratio[2] = at->difference[output];
      at->ratio[3] = output;
    }
  }
  if (!isfinite(worst)) {
    return; /* nowhere to be evaluated */
  }
  so_far->measured = true;
  so_far->error = fmax(so_far->error, at->ratio[0]);
  so_far->largest = fmax(so_far->largest, fmax(largest, fabs(at->ratio[2])));
  so_far->largest = fmax(so_far->largest, hidden_size(at, (int)at->ratio[3]) / scale);
  if (worst > so_far->ratio) {
    so_far->ratio = worst;
    so_far->value = at->ratio[1];
    so_far->expected = at->ratio[2];
    so_far->output = (int)at->ratio[3];
    so_far->variable = number;
    so_far->of_rate = of_rate;
  }
}

static double relative_error(const verdict* of) {
  return !of->measured ? (double)NAN : of->largest > 0.0 ? of->error / of->largest : of->error;
}

/* Some instances of a large batch, all of a small one; of wide instances some coordinates. */
static void choose_coordinates(probe* at, const int* index, int count, int width) {
  const size_t total = (size_t)count * (size_t)width;
  const size_t stride = total / SMALL;
  const int instances = stride > (size_t)width ? (int)(stride / (size_t)width) : 1;
  const int coordinates = width > SMALL ? width / SMALL : 1;
  memset(at->looked_at, 0, (size_t)at->check->system->coordinate_count * sizeof(bool));
  for (int i = 0; i < count; i += instances) {
    for (int j = 0; j < width; j += coordinates) {
      at->looked_at[index[(size_t)i * (size_t)width + (size_t)j]] = true;
    }
  }
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void name_variable(const VidaSystem* system, int i, bool of_rate, char text[160]) {
  text[0] = '\0';
  vida__append(text, 160, "%s%s%s", of_rate ? "d " : "", system->coordinates[i].name,
               of_rate ? "/dt" : "");
}

static void report_first(probe* at, const char* name, const char* what, const verdict* of) {
  char variable[160], value[VIDA_REAL_TEXT_SIZE], expected[VIDA_REAL_TEXT_SIZE];
  if (!(of->ratio > 1.0)) {
    return;
  }
  name_variable(at->check->system, of->variable, of->of_rate, variable);
  vida__check_find(at->check, VIDA_SEVERITY_ERROR, name,
                   "its %s with respect to %s is %s, but differences of its value give %s", what,
                   variable, vida__real_text(value, of->value, 8),
                   vida__real_text(expected, of->expected, 8));
}

static void report_second(probe* at, const char* name, const char* what, const verdict* of,
                          bool output_is_rate) {
  char variable[160], other[160], value[VIDA_REAL_TEXT_SIZE], expected[VIDA_REAL_TEXT_SIZE];
  if (!(of->ratio > 1.0)) {
    return;
  }
  name_variable(at->check->system, of->variable, of->of_rate, variable);
  name_variable(at->check->system, of->output, output_is_rate, other);
  vida__check_find(at->check, VIDA_SEVERITY_ERROR, name,
                   "its %s with respect to %s and %s is %s, but differences of the first "
                   "derivative give %s",
                   what, other, variable, vida__real_text(value, of->value, 8),
                   vida__real_text(expected, of->expected, 8));
}

/* at->magnitude from a gradient, L_q then L_v. */
static void measure_magnitude(probe* at, const double* gradient) {
  const int n = at->check->system->coordinate_count;
  at->magnitude = 0.0;
  for (int i = 0; i < n; i++) {
    at->magnitude = fmax(at->magnitude, fabs(gradient[i]) * at->check->scale[i]);
    at->magnitude = fmax(at->magnitude, fabs(gradient[n + i]) * at->rate_scale[i]);
  }
}

static int check_gradient(probe* at, VidaCheckPart* part) {
  const VidaSystem* system = at->check->system;
  const int n = system->coordinate_count;
  double* gradient = at->sample[0];
  verdict of = {0};
  double* kept = at->difference + 1; /* sample_value needs one place only */
  const int code = sample_gradient(at, gradient);
  memcpy(kept, gradient, 2 * (size_t)n * sizeof *kept);
  for (int i = 0; i < n && !code; i++) {
    if (!at->looked_at[i]) {
      continue;
    }
    at->analytic[0] = kept[i];
    compare(at, &at->q[i], at->check->scale[i], sample_value, 1, i, false, &of);
    if (!at->term->kernel->is_potential) {
      at->analytic[0] = kept[n + i];
      compare(at, &at->v[i], at->rate_scale[i], sample_value, 1, i, true, &of);
    }
  }
  part->first = relative_error(&of);
  report_first(at, part->name, "derivative", &of);
  return code;
}

/* Checks column j of a matrix of second derivatives; only rows of coordinates count. */
static void take_column(const probe* at, int j, double* column) {
  const VidaSystem* system = at->check->system;
  const vida_pattern* pattern = &system->pattern;
  memset(column, 0, (size_t)system->coordinate_count * sizeof *column);
  for (sunindextype k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
    if (pattern->row[k] < system->coordinate_count) {
      column[pattern->row[k]] = at->matrix[k];
    }
  }
}

static int sample_rates_gradient(probe* at, double* out) {
  const int n = at->check->system->coordinate_count;
  double* both = at->sample[3] + n; /* behind what is compared */
  const vida_place place = place_of(at);
  memset(both, 0, (size_t)n * sizeof *both);
  memset(out, 0, (size_t)n * sizeof *out);
  return at->term->kernel->gradient(at->term, &place, both, out);
}

static int sample_positions_gradient(probe* at, double* out) {
  const int n = at->check->system->coordinate_count;
  double* both = at->sample[3] + n;
  const vida_place place = place_of(at);
  memset(both, 0, (size_t)n * sizeof *both);
  memset(out, 0, (size_t)n * sizeof *out);
  return at->term->kernel->gradient(at->term, &place, out, both);
}

static int check_hessian(probe* at, VidaCheckPart* part) {
  /* entry (i, j): of L_qi or L_vi, with respect to q_j or v_j */
  static const struct {
    vida_hessian_weights weights;
    bool of_rates, by_rates;
  } kinds[4] = {{{1.0, 0.0, 0.0, 0.0}, false, false},
                {{0.0, 1.0, 0.0, 0.0}, false, true},
                {{0.0, 0.0, 1.0, 0.0}, true, false},
                {{0.0, 0.0, 0.0, 1.0}, true, true}};
  const VidaSystem* system = at->check->system;
  const vida_place place = place_of(at);
  const int n = system->coordinate_count;
  double worst = (double)NAN;
  for (int k = 0; k < (at->term->kernel->is_potential ? 1 : 4); k++) {
    verdict of = {0};
    memset(at->matrix, 0, (size_t)system->pattern.entries * sizeof(double));
    const int code = at->term->kernel->hessian(at->term, &place, kinds[k].weights, at->matrix);
    if (code) {
      return code;
    }
    for (int j = 0; j < n; j++) {
      if (!at->looked_at[j]) {
        continue;
      }
      double* variable = kinds[k].by_rates ? &at->v[j] : &at->q[j];
      const double scale = kinds[k].by_rates ? at->rate_scale[j] : at->check->scale[j];
      take_column(at, j, at->analytic);
      at->output_scale = kinds[k].of_rates ? at->rate_scale : at->check->scale;
      compare(at, variable, scale,
              kinds[k].of_rates ? sample_rates_gradient : sample_positions_gradient, n, j,
              kinds[k].by_rates, &of);
    }
    worst = of.measured ? fmax(isnan(worst) ? 0.0 : worst, relative_error(&of)) : worst;
    report_second(at, part->name, "second derivative", &of, kinds[k].of_rates);
  }
  at->output_scale = NULL;
  part->second = worst;
  return VIDA_SUCCESS;
}

/* The derivatives of a force with respect to multipliers. */
static int check_by_multipliers(probe* at, VidaCheckPart* part) {
  const VidaSystem* system = at->check->system;
  const vida_place place = place_of(at);
  const vida_reactive_target target = {.weight = 1.0, .matrix = at->matrix};
  char value[VIDA_REAL_TEXT_SIZE], expected[VIDA_REAL_TEXT_SIZE];
  memset(at->matrix, 0, (size_t)system->pattern.entries * sizeof(double));
  const int code = at->term->kernel->by_multipliers(at->term, &place, &target);
  for (int k = 0; k < system->reaction_count && !code; k++) {
    verdict of = {0};
    const int r = system->reaction_rows[k];
    take_column(at, system->coordinate_count + r, at->analytic);
    compare(at, &at->check->evaluator.trial[r], 1.0, sample_positions_gradient,
            system->coordinate_count, 0, false, &of);
    part->second = fmax(isnan(part->second) ? 0.0 : part->second, relative_error(&of));
    if (of.ratio > 1.0) {
      vida__check_find(
          at->check, VIDA_SEVERITY_ERROR, part->name,
          "its derivative with respect to the multiplier of '%s' is %s, but differences "
          "of its value give %s",
          system->rows[r].name, vida__real_text(value, of.value, 8),
          vida__real_text(expected, of.expected, 8));
    }
  }
  return code;
}

static int check_term(probe* at, const vida_term_batch* batch, VidaCheckPart* part) {
  at->term = batch;
  if (batch->kernel->mass || batch->count == 0) {
    return VIDA_SUCCESS; /* a constant, which the start has used */
  }
  choose_coordinates(at, batch->index, batch->count, batch->width);
  if (sample_gradient(at, at->sample[0])) {
    return VIDA_NOT_FINITE;
  }
  measure_magnitude(at, at->sample[0]);
  if (batch->kernel->is_force) {
    const int code = check_hessian(at, part);
    return code || !batch->kernel->is_reactive ? code : check_by_multipliers(at, part);
  }
  if (sample_value(at, at->sample[0])) {
    return VIDA_NOT_FINITE;
  }
  if (!isfinite(at->sample[0][0])) {
    return vida__fail(&at->check->evaluator.error, VIDA_NOT_FINITE,
                      "its value is not a finite number");
  }
  const int code = check_gradient(at, part);
  return code ? code : check_hessian(at, part);
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* Column of coordinate j in the entries, by rows. */
static void take_entries(const probe* at, int j, double* rows) {
  const VidaSystem* system = at->check->system;
  int first, count;
  own_entries(at->constraint, &first, &count);
  memset(rows, 0, (size_t)system->row_count * sizeof *rows);
  for (int e = first; e < first + count; e++) {
    if (system->entries[e].coordinate == j) {
      rows[system->entries[e].row] += at->entries[e];
    }
  }
}

/* The Jacobian, and of nonholonomic rows the derivatives of their value with respect to positions.
 */
static int check_jacobian(probe* at, bool of_value, VidaCheckPart* part) {
  const VidaSystem* system = at->check->system;
  const vida_constraint_kernel* kernel = at->constraint->kernel;
  const vida_place place = place_of(at);
  const bool by_rates = kernel->is_nonholonomic && !of_value;
  verdict of = {0};
  const int code = of_value ? kernel->value_gradient(at->constraint, &place,
                                                     at->entries + at->constraint->first_entry)
                            : kernel->jacobian(at->constraint, &place,
                                               at->entries + at->constraint->first_entry);
  for (int j = 0; j < system->coordinate_count && !code; j++) {
    if (!at->looked_at[j]) {
      continue;
    }
    take_entries(at, j, at->analytic);
    compare(at, by_rates ? &at->v[j] : &at->q[j],
            by_rates ? at->rate_scale[j] : at->check->scale[j], sample_rows, system->row_count, j,
            by_rates, &of);
  }
  part->first =
      of.measured ? fmax(isnan(part->first) ? 0.0 : part->first, relative_error(&of)) : part->first;
  report_first(at, system->rows[of.output < system->row_count ? of.output : 0].name, "gradient",
               &of);
  return code;
}

/* Returns a time from which no difference reaches over a declared jump, next to that of the place.
 */
static double time_beside_jumps(const vida_place* place, double scale) {
  return vida__time_quotient(place, steps[0] * scale, 5).t[2];
}

static int check_rate(probe* at) {
  const VidaSystem* system = at->check->system;
  const double kept = at->t;
  const double scale = kept != 0.0 ? fabs(kept) : 1.0;
  vida_place place = place_of(at);
  const vida_constraint_kernel* kernel = at->constraint->kernel;
  char value[VIDA_REAL_TEXT_SIZE], expected[VIDA_REAL_TEXT_SIZE];
  verdict of = {0};
  if (kernel->is_nonholonomic) {
    return VIDA_SUCCESS; /* b is part of the value */
  }
  at->t = place.t = time_beside_jumps(&place, scale);
  memset(at->analytic, 0, (size_t)system->row_count * sizeof(double));
  const int code = kernel->rate ? kernel->rate(at->constraint, &place, at->analytic) : VIDA_SUCCESS;
  if (!code) {
    compare(at, &at->t, scale, sample_rows, system->row_count, 0, false, &of);
  }
  at->t = kept;
  if (of.ratio > 1.0) {
    vida__check_find(at->check, VIDA_SEVERITY_ERROR, system->rows[of.output].name,
                     "its derivative with respect to time is %s, but differences of its value give "
                     "%s",
                     vida__real_text(value, of.value, 8),
                     vida__real_text(expected, of.expected, 8));
  }
  return code;
}

static int check_curvature(probe* at, VidaCheckPart* part) {
  const VidaSystem* system = at->check->system;
  const vida_place place = place_of(at);
  const int n = system->coordinate_count;
  verdict of = {0};
  memset(at->matrix, 0, (size_t)system->pattern.entries * sizeof(double));
  const int code =
      at->constraint->kernel->curvature(at->constraint, &place, 1.0, at->lambda, at->matrix);
  for (int j = 0; j < n && !code; j++) {
    if (at->looked_at[j]) {
      take_column(at, j, at->analytic);
      compare(at, &at->q[j], at->check->scale[j], sample_reaction, n, j, false, &of);
    }
  }
  part->second = relative_error(&of);
  report_second(at, part->name, "second derivative", &of, false);
  return code;
}

static int check_constraint(probe* at, const vida_constraint_batch* batch, VidaCheckPart* part) {
  at->constraint = batch;
  if (batch->count == 0) {
    return VIDA_SUCCESS;
  }
  choose_coordinates(at, batch->index, batch->count, batch->width);
  int code = check_jacobian(at, false, part);
  code = !code && batch->kernel->is_nonholonomic ? check_jacobian(at, true, part) : code;
  code = code ? code : check_rate(at);
  return code ? code : check_curvature(at, part);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int create_probe(VidaCheck* check, probe* at, VidaError* error) {
  const VidaSystem* system = check->system;
  const size_t n = (size_t)system->coordinate_count;
  const size_t length = sample_length(system);
  unsigned long long seed = 20250401;
  *at = (probe){.check = check, .t = check->t};
  at->q = vida__allocate(3 * n, sizeof(double));
  at->lambda = vida__allocate((size_t)system->row_count, sizeof(double));
  at->entries = vida__allocate((size_t)system->entry_count, sizeof(double));
  at->matrix = vida__allocate((size_t)system->pattern.entries, sizeof(double));
  at->analytic = vida__allocate(6 * length + 4, sizeof(double));
  at->looked_at = vida__allocate(n, sizeof(bool));
  if (!at->q || !at->lambda || !at->entries || !at->matrix || !at->analytic || !at->looked_at) {
    return vida__fail_memory(error);
  }
  at->v = at->q + n;
  at->rate_scale = at->v + n;
  for (size_t i = 0; i < n; i++) {
    at->rate_scale[i] = fmax(fabs(check->v_near[i]), check->scale[i]);
  }
  for (int k = 0; k < 4; k++) {
    at->sample[k] = at->analytic + (size_t)(k + 1) * length;
  }
  at->difference = at->analytic + 5 * length;
  at->ratio = at->analytic + 6 * length;
  memcpy(at->q, check->q_near, n * sizeof(double));
  memcpy(at->v, check->v_near, n * sizeof(double));
  for (int r = 0; r < system->row_count; r++) {
    at->lambda[r] = 1.0 + 0.5 * vida__check_number(&seed);
  }
  return VIDA_SUCCESS;
}

int vida__check_derivatives(VidaCheck* check, VidaError* error) {
  const VidaSystem* system = check->system;
  probe at;
  const int code = create_probe(check, &at, error);
  for (int b = 0; b < check->part_count && !code; b++) {
    VidaCheckPart* part = &check->parts[b];
    const int constraint = b - system->term_batch_count;
    check->evaluator.error.message[0] = '\0';
    if (constraint < 0 ? check_term(&at, &system->term_batches[b], part)
                       : check_constraint(&at, &system->constraint_batches[constraint], part)) {
      vida__check_find(check, VIDA_SEVERITY_ERROR, part->name, "it could not be evaluated: %s",
                       check->evaluator.error.message);
    }
  }
  free(at.q);
  free(at.lambda);
  free(at.entries);
  free(at.matrix);
  free(at.analytic);
  free(at.looked_at);
  return code;
}
