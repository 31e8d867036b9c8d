#include <taut/mechanism/stability.hpp>
#include <taut/study/measure.hpp>

#include <algorithm>

namespace taut {

// Measures how residuals near M behave under the formulation of the run, at its start: the character, or the
// largest real or imaginary part of an eigenvalue.
Measured StudyMeasurement::stability(const StudyQuantity& quantity) const {
  const auto run = std::find_if(study_.runs.begin(), study_.runs.end(),
                                [&](const StudyRun& r) { return r.name == quantity.run; });
  const auto found = stability_at_start(model_run(study_, *run).system, run->formulation);
  if (!found)
    refuse(
        study_, quantity.place,
        "stability of M is there for models of formulas, under a formulation that fits the model and is in "
        "its own coordinates");
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
