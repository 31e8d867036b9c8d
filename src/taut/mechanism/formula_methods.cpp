#include <taut/mechanism/formula_steppers.hpp>
#include <taut/mechanism/one_of.hpp>
#include <taut/method/catalogue.hpp>

namespace taut {

namespace {

// Plain sums show what compensated ones buy. These methods show it; the others would only take longer to compile.
template <class Method>
inline constexpr bool offers_plain_updates =
    is_one_of<Method, Rattle, Shake, Composition<Rattle>, Projected<ImplicitMidpoint>>;

}  // namespace

FormulaStepper<FormulaState> method_stepper(const FormulaProblem<>& problem, const std::string& method,
                                            const FormulaState& x, const SolveOptions& options) {
  FormulaStepper<FormulaState> stepper;
  with_method(method, [&](const auto& m) { stepper = bind(m, problem, x, options); });
  return stepper;
}

FormulaStepper<PlainState> plain_stepper(const FormulaProblem<>& problem, const std::string& method,
                                         const PlainState& x, const SolveOptions& options) {
  FormulaStepper<PlainState> stepper;
  with_method(method, [&](const auto& m) {
    if constexpr (offers_plain_updates<std::remove_cvref_t<decltype(m)>>)
      stepper = bind(m, problem, x, options);
  });
  return stepper;
}

bool method_fits(const FormulaProblem<>& problem, const std::string& method) {
  bool fitting = false;
  with_method(method, [&](const auto& m) { fitting = fits(m, problem); });
  return fitting;
}

std::vector<std::string> fitting_methods(const FormulaProblem<>& problem) {
  std::vector<std::string> names;
  for_each_method([&](const auto& m) {
    if (fits(m, problem)) names.push_back(label(facts_of(m)));
  });
  return names;
}

}  // namespace taut
