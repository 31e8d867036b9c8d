#include <taut/mechanism/any_formulation.hpp>
#include <taut/mechanism/formula_steppers.hpp>
#include <taut/solve/decompositions.hpp>

namespace taut {

FormulaStepper<FormulaState> ode_stepper(const FormulaProblem<>& problem, const std::string& method,
                                         const OdeChoice& ode, const FormulaState& x,
                                         const SolveOptions& options) {
  FormulaStepper<FormulaState> stepper;
  ode_names::with_scheme(method, [&](const auto& scheme) {
    using Scheme = std::remove_cvref_t<decltype(scheme)>;
    const auto on = [&](const auto& formulation) {
      stepper = try_bind(
          OdeMethod<Scheme, std::remove_cvref_t<decltype(formulation)>>{
              .scheme = scheme, .formulation = formulation, .projection = ode.projection},
          problem, x, options);
    };
    if (ode.formulation == Charts::facts.name)
      on(Charts{ode.charts});
    else
      on(AnyFormulation{ode.formulation});
  });
  return stepper;
}

std::optional<std::string> ode_refusal(const FormulaProblem<>& problem, const OdeChoice& ode,
                                       const FormulaPoint& start) {
  std::optional<std::string> reason;
  for_each_formulation([&](const auto& row) {
    if (row.facts.name != ode.formulation) return;
    if (const auto why = formulation_refusal(row, problem, start)) reason = *why + ".";
  });
  return reason;
}

}  // namespace taut
