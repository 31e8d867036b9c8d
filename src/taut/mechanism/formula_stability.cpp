#include <taut/measure/manifold_stability.hpp>
#include <taut/mechanism/any_formulation.hpp>
#include <taut/mechanism/formula_steppers.hpp>
#include <taut/mechanism/stability.hpp>
#include <taut/mechanism/typed_state.hpp>
#include <taut/solve/decompositions.hpp>

#include <algorithm>

namespace taut {

namespace {

using Point = StateOf<FormulaProblem<>>;

// A formulation with coordinates of its own has no residuals. The penalty system has no invariant M, so that
// its residuals say nothing about one.
bool has_residuals(const std::string& formulation) {
  bool found = false;
  for_each_formulation([&](const auto& row) {
    using Formulation = std::remove_cvref_t<decltype(row)>;
    if constexpr (!Formulation::template Field<FormulaProblem<>>::reduced && Formulation::facts.exact)
      found = found || row.facts.name == formulation;
  });
  return found;
}

// Returns the formulation as an ordinary method takes it, if it has residuals and fits the model at x.
std::optional<AnyFormulation> with_residuals(const FormulaProblem<>& problem, const std::string& formulation,
                                             const Point& x) {
  if (!has_residuals(formulation.substr(0, formulation.find('(')))) return std::nullopt;
  const auto choice = ode_choice("rk4", RunRequest{.formulation = formulation});
  if (!choice || ode_refusal(problem, *choice, x)) return std::nullopt;
  return AnyFormulation{.choice = *choice};
}

}  // namespace

std::optional<ManifoldStability> stability_at_start(const std::shared_ptr<const FormulaSystem>& system,
                                                    const std::string& formulation) {
  if (!system) return std::nullopt;  // a system of particles
  const FormulaProblem<> problem(system);
  const Point x = problem.start();
  const auto form = with_residuals(problem, formulation, x);
  if (!form) return std::nullopt;
  const auto matrix = residual_matrix(*form, problem, x);
  return matrix ? std::optional(character_of(*matrix)) : std::nullopt;
}

std::optional<PathStability> stability_along(const std::shared_ptr<const FormulaSystem>& system,
                                             const std::string& formulation,
                                             const std::vector<PlainState>& states, double h) {
  if (!system || system->m == 0 || states.empty()) return std::nullopt;
  const FormulaProblem<> problem(system);
  const auto point = [](const PlainState& x) { return typed_state<FormulaProblem<>>(x); };
  const auto form = with_residuals(problem, formulation, point(states.front()));
  if (!form) return std::nullopt;
  const auto path = followed_residuals(
      states.size(), h, [&](std::size_t i) { return residual_matrix(*form, problem, point(states[i])); });
  if (!path) return std::nullopt;
  PathStability found{path->worst, path->growth, 0, static_cast<int>(path->points.size())};
  for (const ManifoldStability& at : path->points)
    for (const auto& value : at.eigenvalues) found.rate = std::max(found.rate, value.real());
  return found;
}

}  // namespace taut
