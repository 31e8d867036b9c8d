#include <taut/measure/manifold_stability.hpp>
#include <taut/mechanism/stability.hpp>
#include <taut/method/ode_catalogue.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/solve/decompositions.hpp>

namespace taut {

std::optional<ManifoldStability> stability_at_start(const std::shared_ptr<const FormulaSystem>& system,
                                                    const std::string& formulation) {
  if (!system) return std::nullopt;  // a system of particles
  const FormulaProblem<> problem(system);
  const auto x = problem.start();
  std::optional<ManifoldStability> found;
  for_each_formulation([&](const auto& row) {
    using Formulation = std::remove_cvref_t<decltype(row)>;
    if constexpr (!Formulation::template Field<FormulaProblem<>>::reduced)
      if (row.facts.name == formulation && !formulation_refusal(row, problem, x))
        if (const auto matrix = residual_matrix(row, problem, x)) found = character_of(*matrix);
  });
  return found;
}

}  // namespace taut
