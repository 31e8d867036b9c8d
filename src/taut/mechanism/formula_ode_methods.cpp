#include <taut/formulation/dae_forms.hpp>
#include <taut/mechanism/any_formulation.hpp>
#include <taut/mechanism/formula_steppers.hpp>
#include <taut/solve/decompositions.hpp>

namespace taut {

namespace {
constexpr int most_form_coordinates = 200;  // a factor of a dense matrix costs n³
}

FormulaStepper<FormulaState> ode_stepper(const FormulaProblem<>& problem, const std::string& method,
                                         const OdeChoice& ode, const FormulaState& x,
                                         const SolveOptions& options) {
  FormulaStepper<FormulaState> stepper;
  ode_names::with_scheme(method, [&](const auto& scheme) {
    using Scheme = std::remove_cvref_t<decltype(scheme)>;
    stepper = try_bind(
        OdeMethod<Scheme, AnyFormulation>{
            .scheme = scheme, .formulation = AnyFormulation{.choice = ode}, .projection = ode.projection},
        problem, x, options);
  });
  return stepper;
}

std::optional<std::string> ode_refusal(const FormulaProblem<>& problem, const OdeChoice& ode,
                                       const FormulaPoint& start) {
  std::optional<std::string> reason;
  if (const int n = problem.coordinates(); n > most_form_coordinates)
    for_each_dae_form([&](const auto& row, const DaeForm&) {
      if (row.facts.name == ode.formulation)
        reason = "the formulation " + ode.formulation + " solves dense systems, for at most " +
                 std::to_string(most_form_coordinates) + " coordinates; this model has " + std::to_string(n) +
                 ". Leave it out: the methods have sparse solves on the constrained equations themselves.";
    });
  for_each_formulation([&](const auto& row) {
    if (row.facts.name != ode.formulation) return;
    if (const auto why = formulation_refusal(row, problem, start)) reason = *why + ".";
  });
  return reason;
}

}  // namespace taut
