#include <taut/mechanism/formula_steppers.hpp>
#include <taut/method/catalogue.hpp>

namespace taut {

FormulaStepper<FormulaState> method_stepper(const FormulaProblem<>& problem, const std::string& method,
                                            const FormulaState& x, const SolveOptions& options) {
  FormulaStepper<FormulaState> stepper;
  with_method(method, [&](const auto& m) { stepper = try_bind(m, problem, x, options); });
  return stepper;
}

FormulaStepper<FormulaPoint> plain_stepper(const FormulaProblem<>& problem, const std::string& method,
                                           const FormulaPoint& x, const SolveOptions& options) {
  FormulaStepper<FormulaPoint> stepper;
  with_method(method, [&](const auto& m) {
    if constexpr (OffersPlainUpdates<std::remove_cvref_t<decltype(m)>>)
      stepper = try_bind(m, problem, x, options);
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
