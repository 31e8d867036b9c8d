#include <taut/measure/manifold_stability.hpp>
#include <taut/method/ode_catalogue.hpp>
#include <taut/model/formula_problem.hpp>
#include <taut/study/measure.hpp>

#include <algorithm>

namespace taut {

namespace {

// Returns the stability at the start. It is compiled for natural systems with a diagonal mass only, which are
// those of the papers: all kinds of model would take a minute more to compile.
std::optional<ManifoldStability> stability_at_start(const std::string& formulation, const Model& model) {
  const auto system = compile(model);
  if (system->kind != System::Kind::natural || !system->diagonal_mass) return std::nullopt;
  const NaturalFormulaProblem<> problem(system);
  std::optional<ManifoldStability> found;
  for_each_formulation([&](const auto& row) {
    using Formulation = std::remove_cvref_t<decltype(row)>;
    if constexpr (!Formulation::template Field<NaturalFormulaProblem<>>::reduced)
      if (row.facts.name == formulation)
        if (const auto matrix = residual_matrix(row, problem, problem.start())) found = character_of(*matrix);
  });
  return found;
}

}  // namespace

// Measures how residuals near M behave under the formulation of the run, at its start: the character, or the
// largest real or imaginary part of an eigenvalue.
Measured StudyMeasurement::stability(const StudyQuantity& quantity) const {
  const auto run = std::find_if(study_.runs.begin(), study_.runs.end(),
                                [&](const StudyRun& r) { return r.name == quantity.run; });
  const auto found = stability_at_start(run->formulation, model_run(study_, *run).model);
  if (!found)
    refuse(study_, quantity.place,
           "stability of M is there for natural systems with a diagonal mass, under a formulation in the "
           "model's own coordinates");
  if (quantity.part == "character") return std::string(name(found->character));
  double real = 0, imaginary = 0;
  for (const auto& value : found->eigenvalues) {
    real = std::max(real, value.real());
    imaginary = std::max(imaginary, value.imag());
  }
  if (quantity.part == "real") return real;
  if (quantity.part == "imaginary") return imaginary;
  refuse(study_, quantity.place, "`part` is character, real or imaginary");
}

}  // namespace taut
