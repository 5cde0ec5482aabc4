/* Expressions: the table of operations, graphs, derivatives and tapes. Expected values are closed
 * forms, or evaluations in quadruple precision by code of our own. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/derivative.h"
#include "support/check.h"
#include "support/expression.h"

/* Rounding of doubles, where values of order 1 meet a few hundred times */
static const double accuracy = 1e-12;

static int constant(vida_graph* graph, double value) {
  return vida__graph_constant(graph, value);
}

static int position(vida_graph* graph, int index) {
  return vida__graph_input(graph, VIDA_INPUT_POSITION, index);
}

static int unary(vida_graph* graph, vida_operation operation, int a) {
  return vida__graph_apply(graph, operation, a, -1, -1);
}

static int binary(vida_graph* graph, vida_operation operation, int a, int b) {
  return vida__graph_apply(graph, operation, a, b, -1);
}

/* ---- every operation ------------------------------------------------------------------------ */

/* Where an operation is tried, and the exponent of POWER_INTEGER. */
typedef struct Trial {
  vida_operation operation;
  int number;
  double low, high;     /* of the first operand */
  double low_2, high_2; /* of the second */
} Trial;

static const Trial trials[] = {
    {VIDA_OP_ADD, 0, -9, 9, -9, 9},
    {VIDA_OP_SUBTRACT, 0, -9, 9, -9, 9},
    {VIDA_OP_MULTIPLY, 0, -9, 9, -9, 9},
    {VIDA_OP_DIVIDE, 0, -9, 9, 0.1, 9},
    {VIDA_OP_DIVIDE, 0, -9, 9, -9, -0.1},
    {VIDA_OP_NEGATE, 0, -9, 9, 0, 0},
    {VIDA_OP_POWER_INTEGER, 2, -9, 9, 0, 0},
    {VIDA_OP_POWER_INTEGER, 3, -9, 9, 0, 0},
    {VIDA_OP_POWER_INTEGER, 7, -9, 9, 0, 0},
    {VIDA_OP_POWER_INTEGER, -1, 0.1, 9, 0, 0},
    {VIDA_OP_POWER_INTEGER, -4, -9, -0.1, 0, 0},
    {VIDA_OP_POWER, 0, 0.1, 9, -4, 4},
    {VIDA_OP_SQRT, 0, 0.01, 9, 0, 0},
    {VIDA_OP_EXP, 0, -20, 20, 0, 0},
    {VIDA_OP_LOG, 0, 0.01, 20, 0, 0},
    {VIDA_OP_SIN, 0, -20, 20, 0, 0},
    {VIDA_OP_COS, 0, -20, 20, 0, 0},
    {VIDA_OP_TAN, 0, -1.5, 1.5, 0, 0},
    {VIDA_OP_ASIN, 0, -0.99, 0.99, 0, 0},
    {VIDA_OP_ACOS, 0, -0.99, 0.99, 0, 0},
    {VIDA_OP_ATAN, 0, -20, 20, 0, 0},
    {VIDA_OP_ATAN2, 0, -9, 9, 0.1, 9},
    {VIDA_OP_ATAN2, 0, 0.1, 9, -9, 9},
    {VIDA_OP_SINH, 0, -20, 20, 0, 0},
    {VIDA_OP_COSH, 0, -20, 20, 0, 0},
    {VIDA_OP_TANH, 0, -9, 9, 0, 0},
    {VIDA_OP_ABS, 0, 0.1, 9, 0, 0},
    {VIDA_OP_ABS, 0, -9, -0.1, 0, 0},
    {VIDA_OP_SIGN, 0, 0.1, 9, 0, 0},
    {VIDA_OP_MIN, 0, -9, -0.1, 0.1, 9},
    {VIDA_OP_MIN, 0, 0.1, 9, -9, -0.1},
    {VIDA_OP_MAX, 0, -9, -0.1, 0.1, 9},
    {VIDA_OP_MAX, 0, 0.1, 9, -9, -0.1},
    {VIDA_OP_LESS, 0, -9, -0.1, 0.1, 9},
    {VIDA_OP_LESS_EQUAL, 0, -9, -0.1, 0.1, 9},
    {VIDA_OP_EQUAL, 0, -9, -0.1, 0.1, 9},
    {VIDA_OP_WHERE, 0, 0.1, 9, -9, 9},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static int build_trial(vida_graph* graph, const Trial* trial) {
  const int x = position(graph, 0);
  return trial->operation == VIDA_OP_POWER_INTEGER
             ? vida__graph_power(graph, x, trial->number)
             : vida__graph_apply(graph, trial->operation, x, position(graph, 1),
                                 position(graph, 2));
}

static Inputs sample_trial(const Trial* trial, unsigned long long* state) {
  Inputs inputs = random_inputs(state);
  inputs.value[VIDA_INPUT_POSITION][0] = random_between(state, trial->low, trial->high);
  inputs.value[VIDA_INPUT_POSITION][1] = random_between(state, trial->low_2, trial->high_2);
  return inputs;
}

static void test_table_is_complete(void) {
  bool tried[VIDA_OPERATION_COUNT] = {false};
  for (int i = 0; i < TRIALS; i++) {
    tried[trials[i].operation] = true;
  }
  for (int i = VIDA_OP_ADD; i < VIDA_OPERATION_COUNT; i++) {
    const vida_operation_record* record = &vida__operations[i];
    EXPECT(tried[i] || record->discrete == VIDA_DISCRETE_NONE, "%s is not tried", record->name);
    EXPECT(record->arity >= 1 && record->arity <= 3, "%s", record->name);
    EXPECT(record->spelling[0], "%s is not spelled", record->name);
  }
  EXPECT(vida__find_operation("-", 1) == VIDA_OP_NEGATE, "unary minus");
  EXPECT(vida__find_operation("-", 2) == VIDA_OP_SUBTRACT, "binary minus");
  EXPECT(vida__find_operation("atan2", 2) == VIDA_OP_ATAN2, "atan2");
  EXPECT(vida__find_operation("where", 3) == VIDA_OP_WHERE, "where");
  EXPECT(vida__find_operation("gamma", 1) < 0 && vida__find_operation("", 0) < 0, "unknown ones");
}

static void test_values(void) {
  for (int i = 0; i < TRIALS; i++) {
    unsigned long long state = 1;
    double worst = 0.0;
    vida_graph* graph = vida__graph_create();
    const int node = build_trial(graph, &trials[i]);
    for (int k = 0; k < 200; k++) {
      const Inputs inputs = sample_trial(&trials[i], &state);
      double value;
      evaluate_nodes(graph, 1, &node, &inputs, &value);
      worst = fmax(worst, quad_ulps(value, expression_quad(graph, node, &inputs, NULL)));
    }
    /* x^7 is 4 products of which the last inherits all errors before: 3 ulps; the C library's
     * functions err by up to 2 */
    EXPECT(worst <= 4.0, "%s: %g ulps", vida__operations[trials[i].operation].name, worst);
    vida__graph_destroy(&graph);
  }
}

/* Derivative by a central difference of step 1e-10 in quad: truncation 1e-20, rounding 1e-24, times
 * the size of third derivatives and of the function. */
static Quad quad_difference(const vida_graph* graph, int node, const Inputs* inputs, int index) {
  Shift shift;
  memset(&shift, 0, sizeof shift);
  const Quad step = (Quad)1e-10;
  shift.value[VIDA_INPUT_POSITION][index] = step;
  const Quad high = expression_quad(graph, node, inputs, &shift);
  shift.value[VIDA_INPUT_POSITION][index] = -step;
  return (high - expression_quad(graph, node, inputs, &shift)) / (2 * step);
}

static void check_trial(const Trial* trial, const Inputs* inputs) {
  vida_graph* graph = vida__graph_create();
  const char* name = vida__operations[trial->operation].name;
  int variable[3] = {position(graph, 0), position(graph, 1), position(graph, 2)};
  const int node = build_trial(graph, trial);
  int gradient[3];
  double value[3];
  REQUIRE_OK(vida__derive_gradient(graph, node, 3, variable, gradient), NULL);
  evaluate_nodes(graph, 3, gradient, inputs, value);
  for (int j = 0; j < 3; j++) {
    const double expected = (double)quad_difference(graph, node, inputs, j);
    EXPECT_NEAR(value[j], expected, accuracy * fmax(1.0, fabs(expected)), "d %s / d operand %d",
                name, j);
  }
  vida_entries hessian = {0};
  REQUIRE_OK(vida__derive_hessian(graph, 3, variable, gradient, &hessian), NULL);
  double second[3][3] = {{0.0}};
  for (int k = 0; k < hessian.count; k++) {
    double* entry = &second[hessian.row[k]][hessian.column[k]];
    EXPECT(hessian.column[k] <= hessian.row[k], "%s: upper triangle", name);
    evaluate_nodes(graph, 1, &hessian.node[k], inputs, entry);
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      const double expected = (double)quad_difference(graph, gradient[i], inputs, j);
      EXPECT_NEAR(second[i][j], expected, accuracy * fmax(1.0, fabs(expected)), "d2 %s", name);
    }
  }
  vida__entries_free(&hessian);
  vida__graph_destroy(&graph);
}

static void test_derivatives_of_operations(void) {
  for (int i = 0; i < TRIALS; i++) {
    unsigned long long state = 7;
    for (int k = 0; k < 40; k++) {
      const Inputs inputs = sample_trial(&trials[i], &state);
      check_trial(&trials[i], &inputs);
    }
  }
}

/* Derivatives at kinks are means of both sides. */
static void test_kinks(void) {
  static const struct {
    vida_operation operation;
    double x, y, dx, dy;
  } cases[] = {
      {VIDA_OP_ABS, 0.0, 0.0, 0.0, 0.0},  {VIDA_OP_MIN, 2.0, 2.0, 0.5, 0.5},
      {VIDA_OP_MAX, 2.0, 2.0, 0.5, 0.5},  {VIDA_OP_MIN, 1.0, 2.0, 1.0, 0.0},
      {VIDA_OP_MAX, 1.0, 2.0, 0.0, 1.0},  {VIDA_OP_SIGN, 0.0, 0.0, 0.0, 0.0},
      {VIDA_OP_LESS, 2.0, 2.0, 0.0, 0.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    vida_graph* graph = vida__graph_create();
    const int variable[2] = {position(graph, 0), position(graph, 1)};
    const int node = binary(graph, cases[i].operation, variable[0], variable[1]);
    int gradient[2];
    double value[2];
    Inputs inputs = {{{cases[i].x, cases[i].y}}};
    REQUIRE_OK(vida__derive_gradient(graph, node, 2, variable, gradient), NULL);
    evaluate_nodes(graph, 2, gradient, &inputs, value);
    EXPECT(value[0] == cases[i].dx && value[1] == cases[i].dy, "%s: %g %g",
           vida__operations[cases[i].operation].name, value[0], value[1]);
    vida__graph_destroy(&graph);
  }
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void test_equal_expressions_are_one_node(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0), y = position(graph, 1);
  const int v = vida__graph_input(graph, VIDA_INPUT_VELOCITY, 0);
  EXPECT(x == position(graph, 0) && x != y && x != v, "inputs are (kind, index)");
  EXPECT(constant(graph, 0.1) == constant(graph, 0.1), "constants");
  EXPECT(constant(graph, 0.0) == constant(graph, -0.0), "zeros");
  EXPECT(binary(graph, VIDA_OP_ADD, x, y) == binary(graph, VIDA_OP_ADD, y, x), "x + y");
  EXPECT(binary(graph, VIDA_OP_MULTIPLY, x, y) == binary(graph, VIDA_OP_MULTIPLY, y, x), "x y");
  EXPECT(binary(graph, VIDA_OP_SUBTRACT, x, y) != binary(graph, VIDA_OP_SUBTRACT, y, x), "x - y");
  EXPECT(binary(graph, VIDA_OP_MULTIPLY, x, x) == vida__graph_power(graph, x, 2), "x x");
  EXPECT(unary(graph, VIDA_OP_SIN, x) == unary(graph, VIDA_OP_SIN, x), "sin x");
  const int count = graph->count;
  unsigned long long state = 3, again = 3;
  const int first = random_expression(graph, &state, 8, 3, true);
  const int grown = graph->count;
  EXPECT(first == random_expression(graph, &again, 8, 3, true), "the same expression again");
  EXPECT(graph->count == grown && grown > count, "no node was added");
  for (int i = 0; i < graph->count; i++) {
    for (int k = 0; k < vida__operations[graph->nodes[i].operation].arity; k++) {
      EXPECT(graph->nodes[i].operand[k] < i, "operands come first");
    }
  }
  vida__graph_destroy(&graph);
}

static void test_simplification(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0), y = position(graph, 1), zero = constant(graph, 0.0);
  const int one = constant(graph, 1.0), minus_x = unary(graph, VIDA_OP_NEGATE, x);
  const int difference = binary(graph, VIDA_OP_SUBTRACT, x, y);
  EXPECT(binary(graph, VIDA_OP_ADD, x, zero) == x, "x + 0");
  EXPECT(binary(graph, VIDA_OP_SUBTRACT, x, zero) == x, "x - 0");
  EXPECT(binary(graph, VIDA_OP_SUBTRACT, zero, x) == minus_x, "0 - x");
  EXPECT(binary(graph, VIDA_OP_MULTIPLY, x, one) == x, "x 1");
  EXPECT(binary(graph, VIDA_OP_MULTIPLY, x, zero) == zero, "x 0");
  EXPECT(binary(graph, VIDA_OP_DIVIDE, zero, x) == zero, "0 / x");
  EXPECT(binary(graph, VIDA_OP_DIVIDE, x, one) == x, "x / 1");
  EXPECT(unary(graph, VIDA_OP_NEGATE, minus_x) == x, "--x");
  EXPECT(binary(graph, VIDA_OP_ADD, x, unary(graph, VIDA_OP_NEGATE, y)) == difference, "x + -y");
  EXPECT(binary(graph, VIDA_OP_MULTIPLY, minus_x, unary(graph, VIDA_OP_NEGATE, y)) ==
             binary(graph, VIDA_OP_MULTIPLY, x, y),
         "-x -y");
  EXPECT(binary(graph, VIDA_OP_SUBTRACT, x, x) == zero, "x - x");
  EXPECT(binary(graph, VIDA_OP_POWER, x, constant(graph, 0.5)) == unary(graph, VIDA_OP_SQRT, x),
         "x^0.5");
  EXPECT(binary(graph, VIDA_OP_POWER, x, constant(graph, 3.0)) == vida__graph_power(graph, x, 3),
         "x^3");
  EXPECT(vida__graph_is(graph, vida__graph_power(graph, x, 0), 1.0), "x^0");
  EXPECT(vida__graph_power(graph, x, 1) == x, "x^1");
  EXPECT(vida__graph_is(graph, unary(graph, VIDA_OP_COS, zero), 1.0), "cos 0");
  EXPECT(vida__graph_apply(graph, VIDA_OP_WHERE, one, x, y) == x, "where(1, x, y)");
  /* 1/0 is kept, to be a fault where it is evaluated */
  const int infinite = binary(graph, VIDA_OP_DIVIDE, one, zero);
  EXPECT(infinite >= 0 && graph->nodes[infinite].operation == VIDA_OP_DIVIDE, "1 / 0");
  vida__graph_destroy(&graph);
}

static void test_bad_arguments(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0);
  int gradient;
  EXPECT(constant(graph, NAN) == VIDA_BAD_ARGUMENT, "a constant must be a number");
  EXPECT(constant(graph, HUGE_VAL) == VIDA_BAD_ARGUMENT, "and finite");
  EXPECT(position(graph, -1) == VIDA_BAD_ARGUMENT, "no input -1");
  EXPECT(vida__graph_input(graph, VIDA_INPUT_TIME, 1) == VIDA_BAD_ARGUMENT, "there is one time");
  EXPECT(unary(graph, VIDA_OP_SIN, x + 1) == VIDA_BAD_ARGUMENT, "a node that is not there");
  EXPECT(binary(graph, VIDA_OP_ADD, x, VIDA_OUT_OF_MEMORY) == VIDA_OUT_OF_MEMORY, "handed on");
  EXPECT(vida__graph_power(graph, VIDA_OUT_OF_MEMORY, 0) == VIDA_OUT_OF_MEMORY, "handed on");
  EXPECT(vida__graph_apply(graph, VIDA_OP_INPUT, x, x, x) == VIDA_BAD_ARGUMENT, "not by apply");
  const int sine = unary(graph, VIDA_OP_SIN, x);
  EXPECT(vida__derive_gradient(graph, sine, 1, &sine, &gradient) == VIDA_BAD_ARGUMENT,
         "variables are inputs");
  vida_tape* tape;
  const int missing = graph->count;
  EXPECT(vida__tape_compile(graph, 1, &missing, &tape) == VIDA_BAD_ARGUMENT && !tape, "no node");
  vida__graph_destroy(&graph);
  vida__graph_destroy(&graph);
}

/* ---- derivatives of expressions ------------------------------------------------------------- */

/* f = (x^2 y + sin(x z)) / y, in closed form */
static void test_closed_form(void) {
  vida_graph* graph = vida__graph_create();
  const int q[3] = {position(graph, 0), position(graph, 1), position(graph, 2)};
  const int square = binary(graph, VIDA_OP_MULTIPLY, vida__graph_power(graph, q[0], 2), q[1]);
  const int sine = unary(graph, VIDA_OP_SIN, binary(graph, VIDA_OP_MULTIPLY, q[0], q[2]));
  const int f = binary(graph, VIDA_OP_DIVIDE, binary(graph, VIDA_OP_ADD, square, sine), q[1]);
  const double x = 0.7, y = -1.3, z = 2.1, s = sin(x * z), c = cos(x * z);
  const Inputs inputs = {{{x, y, z}}};
  const double first[3] = {2 * x + z * c / y, -s / (y * y), x * c / y};
  const double second[6] = {2 - z * z * s / y,   -z * c / (y * y), 2 * s / (y * y * y),
                            (c - x * z * s) / y, -x * c / (y * y), -x * x * s / y};
  int gradient[3];
  double value[6];
  vida_entries hessian = {0};
  REQUIRE_OK(vida__derive_gradient(graph, f, 3, q, gradient), NULL);
  REQUIRE_OK(vida__derive_hessian(graph, 3, q, gradient, &hessian), NULL);
  evaluate_nodes(graph, 3, gradient, &inputs, value);
  for (int i = 0; i < 3; i++) {
    EXPECT_NEAR(value[i], first[i], 1e-14, "gradient %d", i);
  }
  EXPECT(hessian.count == 6, "%d entries", hessian.count);
  evaluate_nodes(graph, 6, hessian.node, &inputs, value);
  for (int i = 0; i < 6; i++) {
    EXPECT_NEAR(value[i], second[i], 1e-14, "entry (%d, %d)", hessian.row[i], hessian.column[i]);
  }
  vida__entries_free(&hessian);
  vida__graph_destroy(&graph);
}

/* A chain of springs: its Hessian is tridiagonal, and the work is linear in its length. */
static void test_sparsity(void) {
  enum { LENGTH = 2000 };
  vida_graph* graph = vida__graph_create();
  static int q[LENGTH], gradient[LENGTH];
  int sum = constant(graph, 0.0);
  for (int i = 0; i < LENGTH; i++) {
    q[i] = position(graph, i);
  }
  for (int i = 0; i + 1 < LENGTH; i++) {
    const int stretch = binary(graph, VIDA_OP_SUBTRACT, q[i + 1], q[i]);
    sum = binary(graph, VIDA_OP_ADD, sum, vida__graph_power(graph, stretch, 4));
  }
  vida_entries hessian = {0};
  REQUIRE_OK(vida__derive_gradient(graph, sum, LENGTH, q, gradient), NULL);
  REQUIRE_OK(vida__derive_hessian(graph, LENGTH, q, gradient, &hessian), NULL);
  EXPECT(hessian.count == 2 * LENGTH - 1, "%d entries", hessian.count);
  bool banded = true;
  for (int k = 0; k < hessian.count; k++) {
    banded = banded && hessian.row[k] - hessian.column[k] <= 1;
  }
  EXPECT(banded, "tridiagonal");
  EXPECT(graph->count < 40 * LENGTH, "%d nodes", graph->count);
  vida__entries_free(&hessian);
  vida__graph_destroy(&graph);
}

enum { VARIABLES = 4 };

static double value_of(const vida_graph* graph, int node, const Inputs* inputs) {
  return expression_value(graph, node, inputs);
}

/* Gradient against quad differences; Hessian against those of the gradient, against the square
 * Jacobian of the gradient, and against products. */
static void check_expression(unsigned long long* state) {
  vida_graph* graph = vida__graph_create();
  const int f = random_expression(graph, state, 5, VARIABLES, true);
  const Inputs inputs = random_inputs(state);
  int q[VARIABLES], direction[VARIABLES], gradient[VARIABLES], product[VARIABLES];
  double square[VARIABLES][VARIABLES] = {{0.0}}, lower[VARIABLES][VARIABLES] = {{0.0}};
  for (int i = 0; i < VARIABLES; i++) {
    q[i] = position(graph, i);
    direction[i] = vida__graph_input(graph, VIDA_INPUT_AUXILIARY, i);
  }
  vida_entries hessian = {0}, jacobian = {0};
  REQUIRE_OK(vida__derive_gradient(graph, f, VARIABLES, q, gradient), NULL);
  REQUIRE_OK(vida__derive_hessian(graph, VARIABLES, q, gradient, &hessian), NULL);
  REQUIRE_OK(vida__derive_jacobian(graph, VARIABLES, gradient, VARIABLES, q, &jacobian), NULL);
  REQUIRE_OK(vida__derive_product(graph, VARIABLES, gradient, VARIABLES, q, direction, product),
             NULL);
  double size = 1.0;
  for (int k = 0; k < jacobian.count; k++) {
    square[jacobian.row[k]][jacobian.column[k]] = value_of(graph, jacobian.node[k], &inputs);
    size = fmax(size, fabs(square[jacobian.row[k]][jacobian.column[k]]));
  }
  for (int k = 0; k < hessian.count; k++) {
    lower[hessian.row[k]][hessian.column[k]] = value_of(graph, hessian.node[k], &inputs);
  }
  for (int i = 0; i < VARIABLES; i++) {
    const double slope = (double)quad_difference(graph, f, &inputs, i);
    EXPECT_NEAR(value_of(graph, gradient[i], &inputs), slope, accuracy * fmax(size, fabs(slope)),
                "gradient %d", i);
    double sum = 0.0;
    for (int j = 0; j < VARIABLES; j++) {
      const double expected = (double)quad_difference(graph, gradient[i], &inputs, j);
      EXPECT_NEAR(square[i][j], expected, accuracy * size, "second derivative %d %d", i, j);
      EXPECT_NEAR(square[i][j], square[j][i], accuracy * size, "symmetry %d %d", i, j);
      EXPECT_NEAR(lower[i > j ? i : j][i > j ? j : i], expected, accuracy * size, "%d %d", i, j);
      sum += square[i][j] * inputs.value[VIDA_INPUT_AUXILIARY][j];
    }
    EXPECT_NEAR(value_of(graph, product[i], &inputs), sum, 4 * accuracy * size, "product %d", i);
  }
  vida__entries_free(&hessian);
  vida__entries_free(&jacobian);
  vida__graph_destroy(&graph);
}

static void test_random_expressions(void) {
  unsigned long long state = 11;
  for (int i = 0; i < (CHECK_SANITIZED ? 40 : 200); i++) {
    check_expression(&state);
  }
}

/* ---- tapes ---------------------------------------------------------------------------------- */

static bool is_same_number(double x, double y) {
  return memcmp(&x, &y, sizeof x) == 0;
}

/* A function with its gradient and Hessian, compiled together. */
static vida_tape* compile_all(vida_graph* graph, int f, int* output, int* count) {
  int q[VARIABLES];
  vida_entries hessian = {0};
  vida_tape* tape;
  for (int i = 0; i < VARIABLES; i++) {
    q[i] = position(graph, i);
  }
  output[0] = f;
  REQUIRE_OK(vida__derive_gradient(graph, f, VARIABLES, q, output + 1), NULL);
  REQUIRE_OK(vida__derive_hessian(graph, VARIABLES, q, output + 1, &hessian), NULL);
  if (hessian.count) {
    memcpy(output + 1 + VARIABLES, hessian.node, (size_t)hessian.count * sizeof *output);
  }
  *count = 1 + VARIABLES + hessian.count;
  REQUIRE_OK(vida__tape_compile(graph, *count, output, &tape), NULL);
  vida__entries_free(&hessian);
  return tape;
}

enum { OUTPUTS = 1 + VARIABLES + VARIABLES * (VARIABLES + 1) / 2 };

static void check_tape(unsigned long long* state) {
  vida_graph* graph = vida__graph_create();
  const int f = random_expression(graph, state, 6, VARIABLES, true);
  int output[OUTPUTS], count;
  vida_tape* tape = compile_all(graph, f, output, &count);
  static double lanes[VIDA_INPUT_KINDS][EXPRESSION_INPUTS * VIDA_LANES];
  double value[OUTPUTS], side_by_side[OUTPUTS * VIDA_LANES];
  const double *inputs_of[VIDA_INPUT_KINDS], *lanes_of[VIDA_INPUT_KINDS];
  Inputs inputs[VIDA_LANES];
  for (int lane = 0; lane < VIDA_LANES; lane++) {
    inputs[lane] = random_inputs(state);
    for (int k = 0; k < VIDA_INPUT_KINDS * EXPRESSION_INPUTS; k++) {
      lanes[k / EXPRESSION_INPUTS][k % EXPRESSION_INPUTS * VIDA_LANES + lane] =
          inputs[lane].value[k / EXPRESSION_INPUTS][k % EXPRESSION_INPUTS];
    }
  }
  for (int kind = 0; kind < VIDA_INPUT_KINDS; kind++) {
    lanes_of[kind] = lanes[kind];
  }
  double* work = calloc(vida__tape_work_size(tape) * VIDA_LANES + 1, sizeof *work);
  vida__tape_prepare_lanes(tape, work);
  REQUIRE_OK(vida__tape_evaluate_lanes(tape, lanes_of, work, side_by_side, NULL), NULL);
  vida__tape_prepare(tape, work);
  for (int lane = 0; lane < VIDA_LANES; lane++) {
    for (int kind = 0; kind < VIDA_INPUT_KINDS; kind++) {
      inputs_of[kind] = inputs[lane].value[kind];
    }
    REQUIRE_OK(vida__tape_evaluate(tape, inputs_of, work, value, NULL), NULL);
    for (int i = 0; i < count; i++) {
      const double direct = expression_value(graph, output[i], &inputs[lane]);
      /* integer powers are repeated multiplications, which recursion writes in the same way */
      EXPECT(is_same_number(value[i], direct), "tape %.17g, recursion %.17g", value[i], direct);
      EXPECT(is_same_number(value[i], side_by_side[i * VIDA_LANES + lane]), "lane %d: %.17g, %.17g",
             lane, value[i], side_by_side[i * VIDA_LANES + lane]);
    }
  }
  free(work);
  vida__tape_destroy(&tape);
  vida__graph_destroy(&graph);
}

static void test_tapes_agree(void) {
  unsigned long long state = 5;
  for (int i = 0; i < (CHECK_SANITIZED ? 60 : 300); i++) {
    check_tape(&state);
  }
}

/* Every operation in lanes, for random expressions do not hold all of them. */
static void test_lanes_of_operations(void) {
  unsigned long long state = 9;
  for (int i = 0; i < TRIALS; i++) {
    vida_graph* graph = vida__graph_create();
    const int node = build_trial(graph, &trials[i]);
    vida_tape* tape;
    double values[3 * VIDA_LANES], result[VIDA_LANES];
    double work[16 * VIDA_LANES];
    Inputs inputs[VIDA_LANES];
    const double* pointers[VIDA_INPUT_KINDS] = {values};
    REQUIRE_OK(vida__tape_compile(graph, 1, &node, &tape), NULL);
    EXPECT(vida__tape_work_size(tape) <= 16, "slots");
    for (int lane = 0; lane < VIDA_LANES; lane++) {
      inputs[lane] = sample_trial(&trials[i], &state);
      for (int k = 0; k < 3; k++) {
        values[k * VIDA_LANES + lane] = inputs[lane].value[VIDA_INPUT_POSITION][k];
      }
    }
    vida__tape_prepare_lanes(tape, work);
    REQUIRE_OK(vida__tape_evaluate_lanes(tape, pointers, work, result, NULL), NULL);
    for (int lane = 0; lane < VIDA_LANES; lane++) {
      EXPECT(is_same_number(result[lane], expression_value(graph, node, &inputs[lane])), "%s",
             vida__operations[trials[i].operation].name);
    }
    vida__tape_destroy(&tape);
    vida__graph_destroy(&graph);
  }
}

/* Outputs may be inputs, constants and repeated; slots are used again. */
static void test_slots(void) {
  vida_graph* graph = vida__graph_create();
  int x = position(graph, 0);
  const Inputs inputs = {{{0.3}}};
  int output[4] = {x, constant(graph, 2.5), x, 0};
  double value[4];
  double expected = 0.3;
  for (int i = 0; i < 1000; i++) {
    x = unary(graph, VIDA_OP_SIN, binary(graph, VIDA_OP_ADD, x, constant(graph, 1.0)));
    expected = sin(expected + 1.0);
  }
  output[3] = x;
  evaluate_nodes(graph, 4, output, &inputs, value);
  EXPECT(value[0] == 0.3 && value[1] == 2.5 && value[2] == 0.3, "leaves");
  EXPECT(value[3] == expected, "%.17g, not %.17g", value[3], expected);
  vida_tape* tape;
  REQUIRE_OK(vida__tape_compile(graph, 4, output, &tape), NULL);
  EXPECT(vida__tape_work_size(tape) <= 5, "%d slots", tape->slot_count);
  EXPECT(tape->instruction_count == 2000, "%d instructions", tape->instruction_count);
  vida__tape_destroy(&tape);
  REQUIRE_OK(vida__tape_compile(graph, 0, NULL, &tape), NULL);
  EXPECT(!vida__tape_evaluate(tape, NULL, NULL, NULL, NULL), "an empty tape");
  vida__tape_destroy(&tape);
  vida__graph_destroy(&graph);
}

/* Sines and cosines of positions are inputs of a turned tape; those of anything else are not. */
static void test_turned_tape(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0), y = position(graph, 3);
  const int v = vida__graph_input(graph, VIDA_INPUT_VELOCITY, 0);
  const int sine = unary(graph, VIDA_OP_SIN, x), cosine = unary(graph, VIDA_OP_COS, y);
  const int others = binary(graph, VIDA_OP_ADD, unary(graph, VIDA_OP_SIN, v),
                            unary(graph, VIDA_OP_COS, binary(graph, VIDA_OP_ADD, x, y)));
  const int sum = binary(graph, VIDA_OP_ADD, binary(graph, VIDA_OP_MULTIPLY, sine, cosine),
                         binary(graph, VIDA_OP_ADD, others, sine));
  const int output[] = {sum, sine};
  const Inputs inputs = {{{0.7, 0.0, 0.0, -1.9}, {0.3}}};
  double expected[2], value[2], work[32];
  double at[4] = {0.7, 0.0, 0.0, -1.9}, rate[1] = {0.3}, sines[4] = {0.0}, cosines[4] = {0.0};
  const double* pointers[VIDA_INPUT_KINDS] = {at, rate};
  vida_tape* tape;
  evaluate_nodes(graph, 2, output, &inputs, expected);
  REQUIRE_OK(vida__tape_compile_turned(graph, 2, output, &tape), NULL);
  int turns = 0;
  for (int i = 0; i < tape->input_count; i++) {
    turns += tape->inputs[i].kind == VIDA_INPUT_SINE || tape->inputs[i].kind == VIDA_INPUT_COSINE;
  }
  EXPECT(turns == 2 && tape->input_count == 5, "%d of %d inputs", turns, tape->input_count);
  sines[0] = sin(0.7);
  cosines[3] = cos(-1.9);
  pointers[VIDA_INPUT_SINE] = sines;
  pointers[VIDA_INPUT_COSINE] = cosines;
  vida__tape_prepare(tape, work);
  REQUIRE_OK(vida__tape_evaluate(tape, pointers, work, value, NULL), NULL);
  EXPECT(value[0] == expected[0] && value[1] == expected[1], "%.17g, not %.17g", value[0],
         expected[0]);
  sines[0] = (double)NAN;
  vida_fault fault = {0};
  EXPECT(vida__tape_evaluate(tape, pointers, work, value, &fault) == VIDA_NOT_FINITE, "NaN");
  EXPECT(fault.operation == VIDA_OP_INPUT && fault.input.kind == VIDA_INPUT_SINE &&
             fault.input.index == 0,
         "kind %d", (int)fault.input.kind);
  vida__tape_destroy(&tape);
  vida__graph_destroy(&graph);
}

/* f(x) at a place that is not in its domain: the node at fault and why */
static void check_fault(vida_graph* graph, int whole, int culprit, double x, const char* reason) {
  const Inputs inputs = {{{x}}};
  vida_fault fault = {0};
  const int code = evaluation_code(graph, whole, &inputs, &fault);
  EXPECT(code == VIDA_NOT_FINITE, "code %d instead of \"%s\"", code, reason);
  if (code) {
    EXPECT(fault.node == culprit, "node %d, not %d", fault.node, culprit);
    EXPECT(!strcmp(fault.reason, reason), "\"%s\", not \"%s\"", fault.reason, reason);
  }
}

static void test_faults(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0), one = constant(graph, 1.0);
  static const struct {
    vida_operation operation;
    double x;
    const char* reason;
  } cases[] = {
      {VIDA_OP_SQRT, -1.0, "square root of a negative number"},
      {VIDA_OP_LOG, 0.0, "logarithm of a number that is not positive"},
      {VIDA_OP_LOG, -2.0, "logarithm of a number that is not positive"},
      {VIDA_OP_ASIN, 1.5, "arc sine of a number beyond 1"},
      {VIDA_OP_ACOS, -1.5, "arc cosine of a number beyond 1"},
      {VIDA_OP_EXP, 1000.0, "a result that is not finite"},
      {VIDA_OP_SINH, -1000.0, "a result that is not finite"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const int node = unary(graph, cases[i].operation, x);
    /* what follows must not hide it: atan of infinity is finite, and so are 1/inf and x < inf */
    const int hidden = unary(graph, VIDA_OP_ATAN, node);
    check_fault(graph, node, node, cases[i].x, cases[i].reason);
    check_fault(graph, hidden, node, cases[i].x, cases[i].reason);
    check_fault(graph, binary(graph, VIDA_OP_DIVIDE, one, node), node, cases[i].x, cases[i].reason);
    check_fault(graph, binary(graph, VIDA_OP_LESS, x, node), node, cases[i].x, cases[i].reason);
    check_fault(graph, binary(graph, VIDA_OP_MIN, x, node), node, cases[i].x, cases[i].reason);
    const int where = vida__graph_apply(graph, VIDA_OP_WHERE, one, x, node);
    EXPECT(where == x, "a branch that can never be taken is not evaluated");
    check_fault(graph, vida__graph_apply(graph, VIDA_OP_WHERE, x, node, one), node, cases[i].x,
                cases[i].reason);
  }
  const int inverse = binary(graph, VIDA_OP_DIVIDE, one, x);
  /* log(x) is among the cases: 1/x is also its derivative */
  check_fault(graph, binary(graph, VIDA_OP_DIVIDE, one, inverse), inverse, 0.0,
              "division by zero, as in the derivative of log at 0");
  const int beside = binary(graph, VIDA_OP_DIVIDE, one, binary(graph, VIDA_OP_SUBTRACT, x, one));
  check_fault(graph, beside, beside, 1.0, "division by zero");
  const int power = binary(graph, VIDA_OP_POWER, x, constant(graph, 1.5));
  check_fault(graph, power, power, -1.0, "real power of a number that is not positive");
  const int negative = vida__graph_power(graph, x, -3);
  check_fault(graph, negative, negative, 0.0, "negative power of zero");
  const int angle = binary(graph, VIDA_OP_ATAN2, x, constant(graph, 0.0));
  check_fault(graph, angle, angle, 0.0, "angle of a vector of length zero");
  const int root = unary(graph, VIDA_OP_SQRT, x);
  check_fault(graph, root, x, NAN, "an input that is not finite");
  check_fault(graph, unary(graph, VIDA_OP_EXP, x), x, -HUGE_VAL, "an input that is not finite");
  /* a guarded argument */
  const int positive = binary(graph, VIDA_OP_LESS, constant(graph, 0.0), x);
  const int guarded = vida__graph_apply(graph, VIDA_OP_WHERE, positive, x, one);
  const int safe = vida__graph_apply(graph, VIDA_OP_WHERE, positive,
                                     unary(graph, VIDA_OP_LOG, guarded), constant(graph, 0.0));
  const Inputs outside = {{{-1.0}}};
  double value;
  evaluate_nodes(graph, 1, &safe, &outside, &value);
  EXPECT(value == 0.0, "%g", value);
  vida__graph_destroy(&graph);
}

static void test_faults_in_lanes(void) {
  vida_graph* graph = vida__graph_create();
  const int x = position(graph, 0);
  const int root = unary(graph, VIDA_OP_SQRT, x);
  const int output = unary(graph, VIDA_OP_TANH, unary(graph, VIDA_OP_EXP, root));
  vida_tape* tape;
  REQUIRE_OK(vida__tape_compile(graph, 1, &output, &tape), NULL);
  for (int bad = 0; bad < VIDA_LANES; bad++) {
    double values[VIDA_LANES], result[VIDA_LANES], work[8 * VIDA_LANES];
    const double* pointers[VIDA_INPUT_KINDS] = {values};
    vida_fault fault = {0};
    for (int lane = 0; lane < VIDA_LANES; lane++) {
      values[lane] = lane == bad ? -1.0 : 1.0;
    }
    vida__tape_prepare_lanes(tape, work);
    EXPECT(vida__tape_evaluate_lanes(tape, pointers, work, result, &fault) == VIDA_NOT_FINITE,
           "lane %d", bad);
    EXPECT(fault.lane == bad && fault.node == root && fault.operation == VIDA_OP_SQRT,
           "lane %d, node %d", fault.lane, fault.node);
  }
  vida__tape_destroy(&tape);
  vida__graph_destroy(&graph);
}

int main(void) {
  static const CheckTest tests[] = {
      {"every operation of the table is tried", test_table_is_complete},
      {"derivatives at kinks", test_kinks},
      {"equal expressions are one node", test_equal_expressions_are_one_node},
      {"what is simplified", test_simplification},
      {"bad arguments", test_bad_arguments},
      {"derivatives in closed form", test_closed_form},
      {"a chain has a tridiagonal Hessian", test_sparsity},
      {"scalar tape, lanes and recursion agree to the bit", test_tapes_agree},
      {"lanes of every operation", test_lanes_of_operations},
      {"slots and leaves", test_slots},
      {"sines and cosines of positions as inputs", test_turned_tape},
      {"faults name the node and the reason", test_faults},
      {"faults in lanes", test_faults_in_lanes},
      {QUAD_AVAILABLE ? "values of operations in ulps" : NULL, test_values},
      {"first and second derivatives of operations", test_derivatives_of_operations},
      {"random expressions against quad differences", test_random_expressions},
      {NULL, NULL},
  };
  return check_main("expr", tests);
}
