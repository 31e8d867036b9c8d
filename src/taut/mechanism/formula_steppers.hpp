// The catalogue compiled for the one problem that every model of formulas is. Its parts are units of their
// own, so that the cores share the work: formula_methods.cpp and formula_ode_methods.cpp.
#pragma once

#include <taut/mechanism/mechanism.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_problem.hpp>

namespace taut {

using FormulaPoint = StateOf<FormulaProblem<>>;
using FormulaState = CompensatedState<double, dynamic>;
template <class X>
using FormulaStepper = std::unique_ptr<Stepper<FormulaProblem<>, X>>;

// Binds a method for the constrained equations by its name. Gives null if there is no such method or if it
// does not fit.
FormulaStepper<FormulaState> method_stepper(const FormulaProblem<>& problem, const std::string& method,
                                            const FormulaState& x, const SolveOptions& options);
// Does the same with plain sums. Also gives null if the method does not offer them.
FormulaStepper<FormulaPoint> plain_stepper(const FormulaProblem<>& problem, const std::string& method,
                                           const FormulaPoint& x, const SolveOptions& options);
bool method_fits(const FormulaProblem<>& problem, const std::string& method);
std::vector<std::string> fitting_methods(const FormulaProblem<>& problem);

// Binds an ordinary method on a formulation.
FormulaStepper<FormulaState> ode_stepper(const FormulaProblem<>& problem, const std::string& method,
                                         const OdeChoice& ode, const FormulaState& x,
                                         const SolveOptions& options);
// Binds a method on a form of the constrained equations with multipliers as unknowns. Gives null if the
// formulation is no such form, or if it would have too many unknowns.
FormulaStepper<FormulaState> dae_form_stepper(const FormulaProblem<>& problem, const std::string& method,
                                              const OdeChoice& ode, const FormulaState& x,
                                              const SolveOptions& options);
// Says in a sentence why the formulation does not fit this problem at this start; nothing if it fits.
std::optional<std::string> ode_refusal(const FormulaProblem<>& problem, const OdeChoice& ode,
                                       const FormulaPoint& start);

}  // namespace taut
