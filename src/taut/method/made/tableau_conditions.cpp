#include <taut/method/tableau_conditions.hpp>

namespace taut {

std::vector<TableauCondition> conditions_of(const Tableau<Float128>& t) {
  using namespace tableau_conditions;
  const int s = t.stages();
  Float128 last_column = 0, first_row = 0, sum = -1;
  for (int j = 0; j < s; ++j) {
    last_column = larger(last_column, magnitude(t.A_hat(j, s - 1)));
    first_row = larger(first_row, magnitude(t.A(0, j)));
    sum += t.b[j];
  }
  const auto within = [](std::string name, std::string asks, Float128 defect) {
    return TableauCondition{std::move(name), std::move(asks), true, vanishes(defect),
                            static_cast<double>(magnitude(defect))};
  };
  const auto degree_of = [](std::string name, int k) {
    return TableauCondition{name + "(" + std::to_string(k) + ")", "simplifying assumption", false, true, 0};
  };
  PivotedLU<double, dynamic> lu(s - 1);
  lu.a = stage_product(t);
  const bool determined = lu.factor() < 0;
  return {within("B(1)", "the weights b sum to 1", sum),
          within("(3.10)", "the last column of A^ is zero", last_column),  // (T4)
          within("(3.12)", "the first row of A is zero", first_row),       // (T5)
          within("(2.3)", "b = b^ and b_i a^_ij + b^_j a_ji = b_i b^_j: the pair is symplectic",
                 symplectic_defect(t)),
          {"hypothesis H", "b_s is not zero", true, !vanishes(t.b[s - 1]), 0},
          {"(3.14)", "A0 A^0 is invertible, so that the stages are determined", true, determined, 0},
          degree_of("B", degree(t, B_holds)),
          degree_of("C", degree(t, C_holds)),
          degree_of("D", degree(t, D_holds)),
          degree_of("CC^", degree(t, CC_holds))};
}

}  // namespace taut
