#include <taut/certificate/trials.hpp>
#include <taut/method/methods.hpp>
#include <taut/study/measure.hpp>

#include <algorithm>
#include <limits>

namespace taut {

// Measures what the certificate measures, from a point that the run reaches after a few steps: how much a
// few steps change dq ∧ dp on the manifold that the method keeps, or how far steps forward and back miss
// their start.
double StudyMeasurement::trial(const StudyQuantity& quantity) const {
  const auto run = std::find_if(study_.runs.begin(), study_.runs.end(),
                                [&](const StudyRun& r) { return r.name == quantity.run; });
  const RunRequest request =
      run_request(study_, *run, static_cast<std::size_t>(std::max(0, quantity.member)));
  const ModelRun ready = model_run(study_, *run, request);
  const MethodChoice choice = chosen_method(*ready.mechanism, run->model, request);
  const MethodFacts facts =
      choice.ode ? facts_on_formulation(choice.method, choice.ode->formulation, choice.ode->projection)
                 : named_method(choice.method).facts;
  const PlainState start = ready_start(*ready.mechanism, run->model, choice, run->project_start).x;
  const Trials trials(*ready.mechanism, choice, solve_options(request), false, facts.keeps, start,
                      schedule_of(request).step);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (quantity.measure == "reversal-defect") {
    const auto defect = trials.reversal_defect();
    return defect ? *defect : unknown;
  }
  const auto defects = trials.symplectic_defects();
  if (!defects) return unknown;
  double largest = 0;
  for (const DifferenceDefect& one : *defects) largest = std::max(largest, one.defect);
  return largest;
}

}  // namespace taut
