// Carries out the runs of a study and keeps every mesh point that was asked for, and what the
// steps added up to.
#pragma once

#include <taut/method/projection_count.hpp>
#include <taut/run/model_run.hpp>
#include <taut/study/study.hpp>

#include <span>

namespace taut {

// The constants of a study, by name, and the values of formulas of them.
class StudyConstants {
 public:
  explicit StudyConstants(const Study& study);
  double value(const Expression& expression) const { return static_cast<double>(exact(expression)); }
  const std::vector<std::pair<std::string, Float128>>& all() const { return all_; }

 private:
  Float128 exact(const Expression& expression) const;

  const Study* study_;
  std::vector<std::pair<std::string, Float128>> all_;
};

struct History {
  std::vector<std::string> names;                          // coordinates, then momenta
  std::vector<std::pair<std::string, double>> parameters;  // those of the model
  double step = 0;
  std::vector<double> time, energy, position, momentum;
  std::vector<double> states;           // sample by sample, in the order of `names`
  std::vector<double> lambda;           // λ(q, p) at the end
  std::vector<double> last_multiplier;  // the method's own at the end; empty if it has none
  std::int64_t steps = 0;               // steps done
  bool failed = false;                  // at the step after those
  double iterations_mean = 0;
  int iterations_max = 0;
  double gradients_mean = 0;  // evaluations of grad V or of H_q in a step
  ProjectionCount projections = {};

  std::size_t samples() const { return time.size(); }
  std::span<const double> state(std::size_t k) const {
    return std::span(states).subspan(k * names.size(), names.size());
  }
};

// Throws an error in a study that only shows when it is carried out: file:line:column and the sentence.
[[noreturn]] void refuse(const Study& study, Span at, const std::string& sentence,
                         const std::string& note = {});

// Returns what member `k` of a family asks for.
RunRequest run_request(const Study& study, const StudyRun& run, std::size_t k);

// Makes the model of a run, with what the run sets.
ModelRun model_run(const Study& study, const StudyRun& run, const RunRequest& request = {});

// Carries out member `k` of the family; a run that fails on the way is a result like any other.
History carry_out(const Study& study, const StudyRun& run, std::size_t k);

}  // namespace taut
