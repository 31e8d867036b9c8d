#include <taut/mechanism/formula_steppers.hpp>
#include <taut/method/baselines/dae_form_method.hpp>
#include <taut/method/methods.hpp>

namespace taut {

FormulaStepper<FormulaState> dae_form_stepper(const FormulaProblem<>& problem, const std::string& method,
                                              const OdeChoice& ode, const FormulaState& x,
                                              const SolveOptions& options) {
  const auto on_form = dae_form_method(named_method(method).facts, ode.formulation);
  if (!on_form) return nullptr;
  return try_bind(*on_form, problem, x, options);
}

}  // namespace taut
