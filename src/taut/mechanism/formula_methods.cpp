#include <taut/mechanism/formula_steppers.hpp>
#include <taut/method/catalogue.hpp>

namespace taut {

namespace {

struct Answer {
  bool fits = false;
  FormulaStepper<FormulaState> compensated;
  FormulaStepper<FormulaPoint> plain;
};

// Constraints on velocities have one method, with its compositions, and that one is for them alone.
template <class Method>
constexpr bool is_nonholonomic = false;
template <>
constexpr bool is_nonholonomic<Nonholonomic> = true;
template <>
constexpr bool is_nonholonomic<ComposedSteps<Nonholonomic>> = true;

// [damping] has one that takes it apart from the other forces.
template <class Method>
constexpr bool is_conformal = false;
template <>
constexpr bool is_conformal<Conformal> = true;
template <>
constexpr bool is_conformal<ComposedSteps<Conformal>> = true;

template <class Method>
bool takes(const Method& method, const FormulaProblem<>& problem) {
  const bool rolls = problem.holonomic() < problem.constraints();
  return fits(method, problem) && rolls == is_nonholonomic<Method> &&
         (!is_conformal<Method> || !problem.damping().empty());
}

// Says whether the method of that name fits, and binds it to the starts that are given. One function answers
// all of this, because each way through the catalogue is compiled for every method.
Answer ask(const FormulaProblem<>& problem, const std::string& method, const FormulaState* compensated,
           const FormulaPoint* plain, const SolveOptions& options) {
  Answer answer;
  with_method(method, [&](const auto& m) {
    answer.fits = takes(m, problem);
    if (!answer.fits) return;
    if (compensated != nullptr) answer.compensated = try_bind(m, problem, *compensated, options);
    if constexpr (OffersPlainUpdates<std::remove_cvref_t<decltype(m)>>)
      if (plain != nullptr) answer.plain = try_bind(m, problem, *plain, options);
  });
  return answer;
}

}  // namespace

FormulaStepper<FormulaState> method_stepper(const FormulaProblem<>& problem, const std::string& method,
                                            const FormulaState& x, const SolveOptions& options) {
  return ask(problem, method, &x, nullptr, options).compensated;
}

FormulaStepper<FormulaPoint> plain_stepper(const FormulaProblem<>& problem, const std::string& method,
                                           const FormulaPoint& x, const SolveOptions& options) {
  return ask(problem, method, nullptr, &x, options).plain;
}

bool method_fits(const FormulaProblem<>& problem, const std::string& method) {
  return ask(problem, method, nullptr, nullptr, {}).fits;
}

std::vector<std::string> fitting_methods(const FormulaProblem<>& problem) {
  std::vector<std::string> names;
  for_each_method([&](const auto& m) {
    if (takes(m, problem)) names.push_back(label(facts_of(m)));
  });
  return names;
}

}  // namespace taut
