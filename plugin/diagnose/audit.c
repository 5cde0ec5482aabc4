/* The audit: every method on every system of the table, and the verdicts on its claims. */
#include "diagnose/audit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <vida/contact.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "stepper/frame.h"
#include "stepper/hybrid/hybrid.h"

enum { DEFAULT_STEPS = 4000, EVENT_STEPS = 2000, THOROUGH_STEPS = 100000, MOST_CASES = 32 };

#define ALL_SYSTEMS "all systems"
#define ORDER_OFF 0.2   /* tolerance of a measured order */
#define ORDER_BLUR 0.35 /* half of the confidence interval of an order that was measured */
#define LEAST_ORDER 0.5 /* of what converges in the step */
/* Of what converges in the tolerance. Backward differentiation of order k takes steps h ~
 * rtol^(1/(k+1)) and leaves velocities and multipliers of index 3 with errors of rtol / h and rtol
 * / h^2: where it stays at low order, in short or loose runs, the latter is rtol^(1/3). */
#define LEAST_POWER 0.3
#define ORDER_MORE 0.5 /* what every system has above a claim that is too modest */

struct VidaAudit {
  bool thorough;
  bool selected[MOST_CASES];
  bool has_selection;
  int (*ask)(void* data); /* returns whether to stop; nullable */
  void* data;
  vida_subject* subjects[MOST_CASES];
  size_t row_capacity;
  int row_count;
  VidaAuditRow* rows;
};

/* ---- the object ------------------------------------------------------------------------------ */

int VidaAudit_Create(bool thorough, VidaAudit** audit, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit)) {
    return VIDA_BAD_ARGUMENT;
  }
  *audit = vida__allocate(1, sizeof **audit);
  if (!*audit) {
    return vida__fail_memory(error);
  }
  (*audit)->thorough = thorough;
  return VIDA_SUCCESS;
}

void VidaAudit_Destroy(VidaAudit** audit) {
  VidaAudit* old = audit ? *audit : NULL;
  if (!old) {
    return;
  }
  for (int i = 0; i < MOST_CASES; i++) {
    vida__destroy_subject(&old->subjects[i]);
  }
  free(old->rows);
  free(old);
  *audit = NULL;
}

int VidaAudit_SystemCount(void) {
  const int count = vida__audit_case_count();
  return count < MOST_CASES ? count : MOST_CASES;
}

const char* VidaAudit_SystemName(int index) {
  return index >= 0 && index < VidaAudit_SystemCount() ? vida__audit_cases[index].name : NULL;
}

static const char* system_name(const void* list, int index) {
  (void)list;
  return VidaAudit_SystemName(index);
}

int VidaAudit_SelectSystem(VidaAudit* audit, const char* name, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, name)) {
    return VIDA_BAD_ARGUMENT;
  }
  for (int i = 0; i < VidaAudit_SystemCount(); i++) {
    if (strcmp(name, VidaAudit_SystemName(i)) == 0) {
      audit->selected[i] = true;
      audit->has_selection = true;
      return VIDA_SUCCESS;
    }
  }
  const int nearest = Vida_NearestName(name, VidaAudit_SystemCount(), system_name, NULL);
  return nearest >= 0
             ? vida__fail(error, VIDA_UNKNOWN_NAME, "unknown system '%s'; did you mean '%s'?", name,
                          VidaAudit_SystemName(nearest))
             : vida__fail(error, VIDA_UNKNOWN_NAME, "unknown system '%s'", name);
}

int VidaAudit_RowCount(const VidaAudit* audit) {
  return audit ? audit->row_count : 0;
}

const VidaAuditRow* VidaAudit_Row(const VidaAudit* audit, int row) {
  return audit && row >= 0 && row < audit->row_count ? &audit->rows[row] : NULL;
}

bool VidaAudit_IsSummary(const VidaAuditRow* row) {
  return row && strcmp(row->system, ALL_SYSTEMS) == 0;
}

int VidaAudit_FalseClaims(const VidaAudit* audit) {
  int count = 0;
  for (int i = 0; audit && i < audit->row_count; i++) {
    count += audit->rows[i].false_claims;
  }
  return count;
}

const VidaAuditColumn* VidaAudit_Column(VidaAuditProperty property) {
#define AUDIT_COLUMN(name, word, title, text) {word, title, text},
  static const VidaAuditColumn columns[] = {VIDA_AUDIT_LIST(AUDIT_COLUMN)};
#undef AUDIT_COLUMN
  const int index = (int)property;
  return index >= 0 && index < VIDA_AUDIT_PROPERTIES ? &columns[index] : NULL;
}

static void clear_measurements(VidaAuditRow* row) {
  for (int i = 0; i < VIDA_AUDIT_PROPERTIES; i++) {
    row->measurement[i] =
        (VidaAuditMeasurement){NAN, NAN, NAN, VIDA_AUDIT_NO_CLAIM, VIDA_AUDIT_DOES_NOT_APPLY};
  }
}

static VidaAuditRow* add_row(VidaAudit* audit, const char* method, const VidaOptions* options,
                             const char* system, VidaError* error) {
  void* rows = audit->rows;
  if (vida__reserve(&rows, &audit->row_capacity, (size_t)audit->row_count + 1,
                    sizeof *audit->rows)) {
    vida__fail_memory(error);
    return NULL;
  }
  audit->rows = rows;
  VidaAuditRow* row = &audit->rows[audit->row_count++];
  *row = (VidaAuditRow){.status = VIDA_AUDIT_MEASURED, .h = NAN};
  vida__append(row->method, sizeof row->method, "%s", method);
  if (options) {
    VidaOptions_Describe(options, row->options, sizeof row->options);
  }
  vida__append(row->system, sizeof row->system, "%s", system);
  clear_measurements(row);
  return row;
}

/* ---- claims ---------------------------------------------------------------------------------- */

static bool can(const VidaMethodInfo* claims, VidaCapability capability) {
  return (claims->capabilities & (unsigned)capability) != 0;
}

static void report_false_claim(VidaAuditRow* row, const char* format, const char* what,
                               const char* got) {
  row->false_claims++;
  vida__append(row->message, sizeof row->message, "%s", row->message[0] ? "; " : "");
  vida__append(row->message, sizeof row->message, format, what, got);
}

/* Tells that the measurement says nothing about a claim, and withdraws its number. */
static void leave_open(VidaAuditRow* row, VidaAuditProperty property, const char* reason) {
  VidaAuditMeasurement* measured = &row->measurement[property];
  measured->verdict = VIDA_AUDIT_OPEN;
  measured->value = measured->interval = NAN;
  vida__append(row->message, sizeof row->message, "%s%s is not measured: %s",
               row->message[0] ? "; " : "", VidaAudit_Column(property)->text, reason);
}

/* Claims of preservation, and the largest value that counts as preserved: rounding of some thousand
 * steps, and for the symplectic form that of central differences. */
typedef struct kept_claim {
  VidaCapability capability;
  VidaAuditProperty property;
  double largest;
} kept_claim;

static const kept_claim kept_claims[] = {
    {VIDA_CAN_ENERGY, VIDA_AUDIT_ENERGY, 1e-11},
    {VIDA_CAN_MOMENTUM, VIDA_AUDIT_MOMENTUM, 1e-12},
    {VIDA_CAN_SYMPLECTIC, VIDA_AUDIT_SYMPLECTIC, 1e-8},
    {VIDA_CAN_REVERSIBLE, VIDA_AUDIT_REVERSIBLE, 1e-11},
    {VIDA_CAN_POSITION_LEVEL, VIDA_AUDIT_POSITION_LEVEL, 1e-13},
    {VIDA_CAN_VELOCITY_LEVEL, VIDA_AUDIT_VELOCITY_LEVEL, 1e-13},
    {VIDA_CAN_TWO_POINT_START, VIDA_AUDIT_TWO_POINT_START, 1e-12},
};

/* Returns whether the system has such a property. Through events the map of a method is not a
 * symplectic one, no motion starts from two points, and the work of a step is not that of a method.
 */
static bool is_measurable(const vida_subject* subject, VidaAuditProperty property) {
  const VidaSystem* system = subject->system;
  const bool has_events = vida__subject_has_events(subject);
  bool holonomic = false;
  for (int r = 0; r < subject->m; r++) {
    holonomic = holonomic || !VidaSystem_ConstraintIsNonholonomic(system, r);
  }
  switch (property) {
    case VIDA_AUDIT_ENERGY:
    case VIDA_AUDIT_DRIFT:
      return subject->of->conservative;
    case VIDA_AUDIT_MOMENTUM: /* under nonholonomic rows they are not kept */
      return !system->nonholonomic && VidaSystem_MomentumCount(system) > 0;
    case VIDA_AUDIT_SHADOW:
    case VIDA_AUDIT_SYMPLECTIC:
      return subject->of->conservative && !system->nonholonomic && !has_events;
    case VIDA_AUDIT_REVERSIBLE:
      return subject->of->reversible;
    case VIDA_AUDIT_POSITION_LEVEL:
    case VIDA_AUDIT_POSITION_GROWTH:
      return holonomic;
    case VIDA_AUDIT_MULTIPLIER_ORDER:
    case VIDA_AUDIT_VELOCITY_LEVEL:
    case VIDA_AUDIT_VELOCITY_GROWTH:
      return subject->m > 0;
    case VIDA_AUDIT_DISSIPATION:
      return !subject->of->conservative && !system->time_dependent;
    case VIDA_AUDIT_TWO_POINT_START:
    case VIDA_AUDIT_COST:
      return !has_events;
    default:
      return true;
  }
}

/* Returns whether the method claims less here. */
static bool is_one_sided(const vida_subject* subject, const VidaMethodInfo* claims) {
  const VidaSystem* system = subject->system;
  return can(claims, VIDA_LIMIT_ONE_SIDED) && (!system->separable || system->nonholonomic);
}

static void judge_kept(const vida_subject* subject, const VidaMethodInfo* claims,
                       VidaAuditRow* row) {
  const bool one_sided = is_one_sided(subject, claims);
  const bool restarts = can(claims, VIDA_LIMIT_RESTARTED) && vida__subject_has_events(subject) &&
                        !subject->system->separable;
  for (size_t i = 0; i < sizeof kept_claims / sizeof kept_claims[0]; i++) {
    const kept_claim* claim = &kept_claims[i];
    VidaAuditMeasurement* measured = &row->measurement[claim->property];
    char number[VIDA_REAL_TEXT_SIZE];
    const bool other_mass = can(claims, VIDA_CAN_GENERAL_MASS) && !subject->system->constant_mass;
    const bool is_lost = restarts && (claim->capability == VIDA_CAN_ENERGY ||
                                      claim->capability == VIDA_CAN_MOMENTUM);
    if (!can(claims, claim->capability) || !is_measurable(subject, claim->property) || is_lost ||
        (claim->capability == VIDA_CAN_MOMENTUM && row->momentum_count == 0) ||
        (other_mass && claim->capability == VIDA_CAN_MOMENTUM) ||
        (one_sided && claim->capability == VIDA_CAN_REVERSIBLE)) {
      continue;
    }
    measured->claimed = claim->largest;
    if (isnan(measured->value) && claim->property != VIDA_AUDIT_TWO_POINT_START) {
      leave_open(row, claim->property, "the runs gave no value");
      continue;
    }
    const bool kept = claim->capability == VIDA_CAN_ENERGY ? row->energy == VIDA_AUDIT_ENERGY_EXACT
                                                           : measured->value <= claim->largest;
    measured->verdict = kept ? VIDA_AUDIT_TRUE : VIDA_AUDIT_FALSE;
    if (measured->verdict == VIDA_AUDIT_FALSE) {
      report_false_claim(row, "%s: %s", VidaAudit_Column(claim->property)->text,
                         vida__real_text(number, measured->value, 2));
    }
  }
}

/* Judges the claim that the order is at least `least`. A line that fits badly says nothing about
 * it. Others confirm it if their slope is that large, and is so, too, if it changes once more as it
 * did; they contradict it if no slope within the interval, nor one of nearby lines, is that large.
 */
static VidaAuditVerdict judge_slope(const VidaAuditRow* row, const vida_order_evidence* evidence,
                                    double least) {
  const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
  if (isinf(order->value)) {
    return VIDA_AUDIT_TRUE; /* exact */
  }
  if (isnan(order->value) && !evidence->falls_to_rounding) {
    return VIDA_AUDIT_FALSE; /* no errors that fall, down to the smallest steps */
  }
  if (!(order->interval <= ORDER_BLUR) || isnan(evidence->trend)) {
    return VIDA_AUDIT_OPEN;
  }
  const double most = order->value + order->interval;
  /* Through events the interval is wider, and what lies in it confirms the claim. */
  const double value = row->has_events ? most : order->value;
  if (fmin(value, value + evidence->trend) >= least) {
    return VIDA_AUDIT_TRUE;
  }
  return fmax(fmax(most, most + evidence->trend), evidence->highest) < least ? VIDA_AUDIT_FALSE
                                                                             : VIDA_AUDIT_OPEN;
}

/* Writes why a slope says nothing about the order. */
static void explain_slope(const VidaAuditRow* row, const vida_order_evidence* evidence, char* text,
                          size_t size) {
  const VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
  const char* of = row->adaptive ? "tolerances" : "step sizes";
  char slope[VIDA_REAL_TEXT_SIZE], other[VIDA_REAL_TEXT_SIZE];
  vida__real_text(slope, order->value, 3);
  if (isnan(order->value)) {
    vida__append(text, size, "errors are above rounding at %d %s, and a line needs %d in a row",
                 evidence->above, of, VIDA_ORDER_STEPS);
  } else if (!(order->interval <= ORDER_BLUR) || evidence->highest == 0.0) {
    vida__append(text, size, "a line through errors above rounding has the slope %s +- %s", slope,
                 vida__real_text(other, order->interval, 2));
  } else if (isnan(evidence->trend)) {
    vida__append(text, size,
                 "errors are above rounding at %d %s, too few to tell whether the slope %s is that "
                 "of smaller ones",
                 evidence->above, of, slope);
  } else {
    vida__append(text, size, "the slope is %s +- %s, and still changes where errors reach rounding",
                 slope, vida__real_text(other, order->interval, 2));
  }
}

static void judge_order(const vida_subject* subject, const VidaMethodInfo* claims,
                        const vida_order_evidence* evidence, VidaAuditRow* row) {
  VidaAuditMeasurement* order = &row->measurement[VIDA_AUDIT_POSITION_ORDER];
  const bool one_sided = is_one_sided(subject, claims);
  char text[VIDA_MESSAGE_SIZE / 2] = "", number[VIDA_REAL_TEXT_SIZE];
  const int claimed = VidaSystem_ContactCount(subject->system) > 0
                          ? Vida_OrderAcrossImpacts(claims, claims->order)
                          : claims->order;
  order->claimed = row->adaptive ? LEAST_POWER : one_sided ? 1.0 : claimed;
  order->verdict = judge_slope(row, evidence, order->claimed - (row->adaptive ? 0.0 : ORDER_OFF));
  if (order->verdict == VIDA_AUDIT_OPEN) {
    explain_slope(row, evidence, text, sizeof text);
    leave_open(row, VIDA_AUDIT_POSITION_ORDER, text);
    row->measurement[VIDA_AUDIT_LEAST_ERROR].value = NAN;
  } else if (order->verdict == VIDA_AUDIT_FALSE) {
    vida__append(text, sizeof text, "%s +- ", vida__real_text(number, order->value, 3));
    vida__append(text, sizeof text, "%s", vida__real_text(number, order->interval, 2));
    report_false_claim(row, "%s: %s",
                       row->adaptive ? "order of positions in the tolerance" : "order of positions",
                       isnan(order->value) ? "fewer than five steps with comparable errors" : text);
  }
}

/* No order of velocities and multipliers is claimed, but they must converge. */
static void judge_convergence(VidaAuditRow* row) {
  const double least = row->adaptive ? LEAST_POWER : LEAST_ORDER;
  for (int i = VIDA_AUDIT_VELOCITY_ORDER; i <= VIDA_AUDIT_MULTIPLIER_ORDER; i++) {
    VidaAuditMeasurement* order = &row->measurement[i];
    char number[VIDA_REAL_TEXT_SIZE];
    if (order->interval <= ORDER_BLUR && order->value < least) {
      order->claimed = least;
      order->verdict = VIDA_AUDIT_FALSE;
      report_false_claim(row, "no convergence, %s: %s",
                         VidaAudit_Column((VidaAuditProperty)i)->text,
                         vida__real_text(number, order->value, 3));
    }
  }
}

/* Returns whether the energy of a method must not drift: that of a symplectic one; through events,
 * whose steps have other lengths, only that of a reversible one. */
static bool must_not_drift(const vida_subject* subject, const VidaMethodInfo* claims) {
  const bool is_reversible = can(claims, VIDA_CAN_REVERSIBLE) && !is_one_sided(subject, claims);
  return can(claims, VIDA_CAN_SYMPLECTIC) &&
         (is_measurable(subject, VIDA_AUDIT_SYMPLECTIC) ||
          (vida__subject_has_events(subject) && subject->of->conservative && is_reversible));
}

/* Judges the energy: a symplectic method has no drift, and a damper does not add energy. */
static void judge_energy(const vida_subject* subject, const VidaMethodInfo* claims,
                         VidaAuditRow* row) {
  VidaAuditMeasurement* drift = &row->measurement[VIDA_AUDIT_DRIFT];
  VidaAuditMeasurement* rise = &row->measurement[VIDA_AUDIT_DISSIPATION];
  const VidaAuditMeasurement* shadow = &row->measurement[VIDA_AUDIT_SHADOW];
  char number[VIDA_REAL_TEXT_SIZE];
  if (must_not_drift(subject, claims)) {
    drift->claimed = 0.0;
    drift->verdict = row->energy == VIDA_AUDIT_ENERGY_DRIFTING ? VIDA_AUDIT_FALSE : VIDA_AUDIT_TRUE;
    if (drift->verdict == VIDA_AUDIT_FALSE) {
      report_false_claim(row, "%s: %s", "a symplectic method whose energy drifts, per second",
                         vida__real_text(number, drift->value, 2));
    }
  }
  if (shadow->verdict == VIDA_AUDIT_FALSE) {
    report_false_claim(row, "%s: %s", "a symplectic method whose shadow energy drifts, per second",
                       vida__real_text(number, shadow->value, 2));
  }
  if (!isnan(rise->value)) {
    rise->claimed = 0.01;
    rise->verdict = rise->value <= rise->claimed ? VIDA_AUDIT_TRUE : VIDA_AUDIT_FALSE;
    if (rise->verdict == VIDA_AUDIT_FALSE) {
      report_false_claim(row, "%s: %s", "the energy of a damped system rises",
                         vida__real_text(number, rise->value, 2));
    }
  }
}

/* Finds the reasons for missing values. Momentum maps that always vanish do not count. */
static void explain_absence(const vida_subject* subject, VidaAuditRow* row) {
  const bool taken = row->status != VIDA_AUDIT_REFUSED;
  for (int i = 0; i < VIDA_AUDIT_PROPERTIES; i++) {
    VidaAuditMeasurement* at = &row->measurement[i];
    /* A method that counts no evaluations has no cost, and one without actions no shadow energy. */
    const bool vanishes = i == VIDA_AUDIT_COST || i == VIDA_AUDIT_SHADOW ||
                          i == VIDA_AUDIT_LEAST_ERROR ||
                          (i == VIDA_AUDIT_MOMENTUM && taken && row->momentum_count == 0);
    if (!isnan(at->value)) {
      at->availability = VIDA_AUDIT_AVAILABLE;
    } else if (vanishes || !is_measurable(subject, (VidaAuditProperty)i)) {
      at->availability = VIDA_AUDIT_DOES_NOT_APPLY;
    } else {
      at->availability = taken ? VIDA_AUDIT_NOT_MEASURED : VIDA_AUDIT_NOT_ACCEPTED;
    }
  }
}

/* ---- one method on one system ---------------------------------------------------------------- */

/* Finds out whether the method accepts the system; otherwise the row has the reason. *given_up
 * receives the capabilities that the method does not have with its options. */
static int ask(const vida_subject* subject, VidaAuditRow* row, unsigned* given_up,
               VidaError* error) {
  VidaStepper* stepper = NULL;
  VidaError refusal = {0};
  int code = vida__audit_stepper(subject, row->method, subject->of->h, &stepper, &refusal);
  code = code ? code : vida__check_modes(stepper, &refusal);
  if (!code) {
    *given_up = stepper->self.given_up;
    /* Some faults appear only when a motion starts, such as a chart that does not fit. */
    code = VidaStepper_Start(stepper, 0.0, subject->q0, subject->v0, &refusal);
  }
  VidaStepper_Destroy(&stepper);
  if (code == VIDA_OUT_OF_MEMORY || code == VIDA_UNKNOWN_NAME) {
    return vida__fail(error, code, "%s", refusal.message);
  }
  if (code) {
    row->status = code == VIDA_NOT_SUPPORTED ? VIDA_AUDIT_REFUSED : VIDA_AUDIT_BROKEN;
    memcpy(row->message, refusal.message, sizeof row->message);
  }
  return VIDA_SUCCESS;
}

static int audit_one(const VidaAudit* audit, vida_subject* subject, const VidaMethodInfo* claims,
                     VidaAuditRow* row, VidaError* error) {
  VidaMethodInfo kept = *claims;
  vida_order_evidence evidence = {0};
  unsigned given_up = 0;
  /* Without a conserved energy long runs give no information, and the time loses digits. */
  const bool thorough = audit->thorough && subject->of->conservative;
  const long some = vida__subject_has_events(subject) ? EVENT_STEPS : DEFAULT_STEPS;
  const long steps = thorough ? THOROUGH_STEPS : some;
  int code = ask(subject, row, &given_up, error);
  kept.capabilities &= ~given_up;
  row->general = !subject->system->separable;
  row->has_events = vida__subject_has_events(subject);
  row->adaptive = vida__audit_is_adaptive(row->method, subject->options);
  if (!code && row->status == VIDA_AUDIT_MEASURED) {
    code = vida__measure_invariants(subject, steps, row, error);
  }
  if (!code && row->status == VIDA_AUDIT_MEASURED) {
    code = vida__measure_orders(subject, claims->order, audit->thorough, row, &evidence, error);
    if (!row->adaptive) { /* whose map is not a smooth one */
      code = code || row->has_events ? code : vida__measure_symplecticity(subject, row, error);
      code = code ? code : vida__measure_reversal(subject, row, error);
    }
    code = code || row->has_events ? code : vida__measure_two_points(subject, row, error);
  }
  if (code) {
    return code;
  }
  if (row->status == VIDA_AUDIT_MEASURED) {
    judge_order(subject, &kept, &evidence, row);
    judge_convergence(row);
    judge_kept(subject, &kept, row);
    judge_energy(subject, &kept, row);
  }
  explain_absence(subject, row);
  row->false_claims += row->status == VIDA_AUDIT_BROKEN;
  return VIDA_SUCCESS;
}

/* ---- all systems ----------------------------------------------------------------------------- */

/* The summary has the lowest orders, and the largest values of all other properties. */
static void gather(VidaAuditRow* summary, const VidaAuditRow* row) {
  for (int i = 0; i < VIDA_AUDIT_PROPERTIES; i++) {
    const VidaAuditMeasurement* from = &row->measurement[i];
    VidaAuditMeasurement* to = &summary->measurement[i];
    const bool order = i <= VIDA_AUDIT_MULTIPLIER_ORDER;
    const double old = order ? -to->value : fabs(to->value);
    const double value = order ? -from->value : fabs(from->value);
    to->availability =
        from->availability < to->availability ? from->availability : to->availability;
    if (!isnan(value) && (isnan(old) || value > old)) {
      to->value = from->value;
      to->interval = from->interval;
    }
    if (from->verdict != VIDA_AUDIT_NO_CLAIM) {
      to->claimed = isnan(to->claimed) ? from->claimed : fmin(to->claimed, from->claimed);
      to->verdict = from->verdict > to->verdict ? from->verdict : to->verdict;
    }
  }
  summary->energy = row->energy > summary->energy ? row->energy : summary->energy;
  summary->steps = row->steps > summary->steps ? row->steps : summary->steps;
}

/* A property that is claimed on some systems only, and does not hold on the others, has no mark in
 * the summary. */
static void withdraw_marks(VidaAuditRow* summary) {
  for (int i = VIDA_AUDIT_ENERGY; i < VIDA_AUDIT_PROPERTIES; i++) {
    VidaAuditMeasurement* at = &summary->measurement[i];
    if (at->verdict == VIDA_AUDIT_TRUE && i != VIDA_AUDIT_DRIFT && !(at->value <= at->claimed)) {
      at->verdict = VIDA_AUDIT_NO_CLAIM;
    }
  }
}

void vida__gather_audit(const VidaAudit* audit, const VidaAuditRow* summary, bool has_events,
                        VidaAuditRow* gathered) {
  *gathered = *summary;
  gathered->energy = VIDA_AUDIT_ENERGY_NONE;
  gathered->steps = 0;
  gathered->has_events = has_events;
  clear_measurements(gathered);
  for (int i = 0; i < audit->row_count; i++) {
    const VidaAuditRow* row = &audit->rows[i];
    if (!VidaAudit_IsSummary(row) && row->has_events == has_events &&
        strcmp(row->method, summary->method) == 0 && strcmp(row->options, summary->options) == 0) {
      gather(gathered, row);
    }
  }
  withdraw_marks(gathered);
}

typedef struct taken {
  int systems, general, nonholonomic, time_dependent, reactive, impacts;
  double impact_order; /* the lowest one */
} taken;

static void count_taken(const vida_subject* subject, const VidaAuditRow* row, taken* count) {
  const VidaSystem* system = subject->system;
  const double order = row->measurement[VIDA_AUDIT_POSITION_ORDER].value;
  count->systems++;
  if (VidaSystem_ContactCount(system) > 0 && subject->of->conservative) {
    count->impact_order = fmin(count->impacts++ > 0 ? count->impact_order : order, order);
  }
  for (int c = 0; c < VidaSystem_ContactCount(system); c++) {
    count->reactive += VidaSystem_ContactFriction(system, c) > 0.0;
  }
  count->general += !system->separable && subject->of->conservative && !system->nonholonomic;
  count->nonholonomic += system->nonholonomic;
  count->time_dependent += system->time_dependent;
}

/* A method must have accepted the systems that it claims to accept. A method that accepts no
 * system, and an order that is higher on all systems, are false claims, too. */
static void judge_summary(const taken* count, const VidaMethodInfo* claims, VidaAuditRow* summary) {
  const double order = summary->measurement[VIDA_AUDIT_POSITION_ORDER].value;
  if (count->systems == 0) {
    report_false_claim(summary, "%s%s", "it takes none of the systems", "");
  }
  const bool general =
      can(claims, VIDA_CAN_GENERAL_LAGRANGIAN) || can(claims, VIDA_CAN_GENERAL_MASS);
  if (general && count->general == 0) {
    report_false_claim(summary, "%s%s", "it takes no system with a general Lagrangian", "");
  }
  if (can(claims, VIDA_CAN_NONHOLONOMIC) && count->nonholonomic == 0) {
    report_false_claim(summary, "%s%s", "it takes no nonholonomic system", "");
  }
  if (can(claims, VIDA_CAN_TIME_DEPENDENT) && count->time_dependent == 0) {
    report_false_claim(summary, "%s%s", "it takes no constraints that depend on time", "");
  }
  if (can(claims, VIDA_CAN_REACTIVE_FORCES) && count->reactive == 0) {
    report_false_claim(summary, "%s%s", "it takes no system with friction", "");
  }
  if (can(claims, VIDA_LIMIT_STEPPED_IMPACTS) && !summary->adaptive && count->impacts > 0 &&
      count->impact_order > 1.0 + ORDER_MORE) {
    report_false_claim(summary, "%s%s", "its order across impacts is higher", "");
  }
  if (count->systems > 2 && isfinite(order) && !summary->adaptive &&
      order > claims->order + ORDER_MORE) {
    report_false_claim(summary, "%s%s", "its order is higher on every system", "");
  }
}

int VidaAudit_SetInterrupt(VidaAudit* audit, int (*is_over)(void* data), void* data,
                           VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit)) {
    return VIDA_BAD_ARGUMENT;
  }
  audit->ask = is_over;
  audit->data = data;
  return VIDA_SUCCESS;
}

/* Audits a method with these options; NULL: the default ones. */
static int audit_method(VidaAudit* audit, const VidaMethodInfo* claims, const VidaOptions* options,
                        VidaError* error) {
  taken count = {0};
  const int first = audit->row_count;
  for (int i = 0; i < VidaAudit_SystemCount(); i++) {
    int code = VIDA_SUCCESS;
    if (audit->has_selection && !audit->selected[i]) {
      continue;
    }
    if (audit->ask && audit->ask(audit->data)) {
      return vida__fail(error, VIDA_STOPPED, "stopped before %s on %s", claims->name,
                        vida__audit_cases[i].name);
    }
    if (!audit->subjects[i]) {
      code = vida__create_subject(&vida__audit_cases[i], &audit->subjects[i], error);
    }
    VidaAuditRow* row =
        code ? NULL : add_row(audit, claims->name, options, vida__audit_cases[i].name, error);
    if (!row) {
      return code ? code : VIDA_OUT_OF_MEMORY;
    }
    audit->subjects[i]->options = options;
    code = audit_one(audit, audit->subjects[i], claims, row, error);
    audit->subjects[i]->options = NULL;
    if (code) {
      return code;
    }
    if (row->status != VIDA_AUDIT_REFUSED) {
      count_taken(audit->subjects[i], row, &count);
    }
  }
  VidaAuditRow* summary = add_row(audit, claims->name, options, ALL_SYSTEMS, error);
  if (!summary) {
    return VIDA_OUT_OF_MEMORY;
  }
  summary->adaptive = vida__audit_is_adaptive(claims->name, options);
  for (int i = first; i < audit->row_count - 1; i++) {
    gather(summary, &audit->rows[i]);
  }
  withdraw_marks(summary);
  /* With given options a method may accept less. */
  if (!audit->has_selection && !options) {
    judge_summary(&count, claims, summary);
  }
  return VIDA_SUCCESS;
}

int VidaAudit_Method(VidaAudit* audit, const VidaMethodInfo* claims, VidaError* error) {
  return VIDA_REFUSE_NULL(error, audit, claims) ? VIDA_BAD_ARGUMENT
                                                : audit_method(audit, claims, NULL, error);
}

int VidaAudit_Options(VidaAudit* audit, const VidaOptions* options, VidaError* error) {
  if (VIDA_REFUSE_NULL(error, audit, options)) {
    return VIDA_BAD_ARGUMENT;
  }
  const VidaMethodInfo* info = Vida_FindMethod(VidaOptions_Method(options));
  if (!info) {
    return vida__fail(error, VIDA_BAD_ARGUMENT,
                      "an audit needs the options of a method, not of a %s",
                      VidaOptions_Method(options));
  }
  static const char* const own[] = {"h", "rtol"};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    if (VidaOptions_IsSet(options, own[i])) {
      return vida__fail(error, VIDA_BAD_ARGUMENT, "%s: the audit chooses %s itself", info->name,
                        own[i]);
    }
  }
  VidaMethodInfo claims = *info;
  claims.order = Vida_MethodOrder(options);
  return audit_method(audit, &claims, options, error);
}
