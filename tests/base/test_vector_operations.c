/* Operations of our serial vectors against those of SUNDIALS: they must give the same bits, also
 * where the result is one of the arguments. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

#include "base/sundials.h"
#include "support/check.h"

enum { LENGTH = 11, VECTORS = 6 };

static SUNContext context;
static N_Vector own[VECTORS], theirs[VECTORS];

static void fill(void) {
  for (int k = 0; k < VECTORS; k++) {
    for (int i = 0; i < LENGTH; i++) {
      const double value = sin(1.0 + 12.9898 * k + 78.233 * i) * pow(10.0, i % 5 - 2);
      NV_Ith_S(own[k], i) = value;
      NV_Ith_S(theirs[k], i) = value;
    }
  }
}

static bool are_equal(void) {
  bool is_equal = true;
  for (int k = 0; k < VECTORS; k++) {
    is_equal =
        is_equal && memcmp(NV_DATA_S(own[k]), NV_DATA_S(theirs[k]), LENGTH * sizeof(double)) == 0;
  }
  return is_equal;
}

static void test_sums(void) {
  static const double factors[] = {0.0, 1.0, -1.0, 0.3, -0.3, 2.7};
  enum { FACTORS = sizeof factors / sizeof *factors };
  for (int a = 0; a < FACTORS; a++) {
    for (int b = 0; b < FACTORS; b++) {
      for (int places = 0; places < 27; places++) {
        const int x = places % 3, y = places / 3 % 3, z = places / 9;
        fill();
        N_VLinearSum(factors[a], own[x], factors[b], own[y], own[z]);
        N_VLinearSum(factors[a], theirs[x], factors[b], theirs[y], theirs[z]);
        EXPECT(are_equal(), "%g x[%d] + %g x[%d] to x[%d]", factors[a], x, factors[b], y, z);
      }
    }
  }
}

static void test_combinations(void) {
  double factors[VECTORS] = {0.7, -1.0, 1.0, 0.3, 0.3, -2.1};
  for (int count = 1; count < VECTORS; count++) {
    for (int to = 0; to <= count; to++) {
      N_Vector own_terms[VECTORS], their_terms[VECTORS];
      memcpy(own_terms, own, sizeof own);
      memcpy(their_terms, theirs, sizeof theirs);
      fill();
      N_VLinearCombination(count, factors, own_terms, own[to]);
      N_VLinearCombination(count, factors, their_terms, theirs[to]);
      EXPECT(are_equal(), "%d terms to number %d", count, to);
    }
  }
}

static void test_others(void) {
  static const double factors[] = {0.0, 1.0, -1.0, 0.3};
  for (int to = 0; to < 3; to++) {
    for (int k = 0; k < 4; k++) {
      fill();
      N_VScale(factors[k], own[0], own[to]);
      N_VScale(factors[k], theirs[0], theirs[to]);
      N_VAddConst(own[1], factors[k], own[to]);
      N_VAddConst(theirs[1], factors[k], theirs[to]);
      EXPECT(are_equal(), "scale and add a constant, %d", to);
    }
    fill();
    N_VConst(0.1, own[to]);
    N_VConst(0.1, theirs[to]);
    N_VDiv(own[0], own[1], own[to]);
    N_VDiv(theirs[0], theirs[1], theirs[to]);
    N_VProd(own[2], own[1], own[to]);
    N_VProd(theirs[2], theirs[1], theirs[to]);
    N_VInv(own[to], own[to]);
    N_VInv(theirs[to], theirs[to]);
    N_VAbs(own[1], own[to]);
    N_VAbs(theirs[1], theirs[to]);
    EXPECT(are_equal(), "componentwise, %d", to);
  }
  fill();
  EXPECT(N_VDotProd(own[0], own[1]) == N_VDotProd(theirs[0], theirs[1]), "product");
  EXPECT(N_VMaxNorm(own[0]) == N_VMaxNorm(theirs[0]), "largest");
  EXPECT(N_VWrmsNorm(own[0], own[1]) == N_VWrmsNorm(theirs[0], theirs[1]), "mean norm");
  EXPECT(N_VWL2Norm(own[0], own[1]) == N_VWL2Norm(theirs[0], theirs[1]), "norm");
}

static void test_clones(void) {
  EXPECT(own[1]->ops->nvlinearsum == own[0]->ops->nvlinearsum, "sums of clones");
  EXPECT(own[1]->ops->nvlinearsum != theirs[0]->ops->nvlinearsum, "sums");
}

int main(void) {
  static const CheckTest tests[] = {{"sums", test_sums},
                                    {"combinations", test_combinations},
                                    {"other operations", test_others},
                                    {"clones", test_clones},
                                    {NULL, NULL}};
  if (vida__context_create(&context)) {
    return 1;
  }
  for (int k = 0; k < VECTORS; k++) {
    own[k] = k == 0 ? vida__new_vector(LENGTH, context) : N_VClone(own[0]);
    theirs[k] = N_VNew_Serial(LENGTH, context);
  }
  const int code = check_main("vector operations", tests);
  for (int k = 0; k < VECTORS; k++) {
    N_VDestroy(own[k]);
    N_VDestroy(theirs[k]);
  }
  SUNContext_Free(&context);
  return code;
}
