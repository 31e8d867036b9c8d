// Measures the runs of a study: series of values along a run, and the numbers that follow from them.
#pragma once

#include <taut/study/history.hpp>

#include <map>
#include <string>
#include <variant>

namespace taut {

// The runs of one study, member by member.
struct StudyRuns {
  std::map<std::string, std::vector<History>> by_name;
};

using Measured = std::variant<double, std::string>;

class StudyMeasurement {
 public:
  StudyMeasurement(const Study& study, const StudyRuns& runs)
      : study_(study), runs_(runs), constants_(study) {}

  Measured measure(const StudyQuantity& quantity, const std::map<std::string, double>& before) const;
  // Asks whether it agrees with what was published.
  bool agrees(const StudyQuantity& quantity, const Measured& measured) const;
  // Says what would have been accepted, in numbers: "0.0765 .. 0.0775", "< 0.25", "0.5 ± 1e-07".
  std::string accepted(const StudyQuantity& quantity) const;

  // Returns `of` at every sample of the run. The names it may use: docs/guide/reproduce.md.
  std::vector<double> series(const History& history, const Expression& of,
                             const std::string& reference) const {
    return series(history, of, reference, 0, history.samples());
  }
  // Returns it at the end of the run only: the reference need not have the times before it.
  double last(const History& history, const Expression& of, const std::string& reference) const {
    return series(history, of, reference, history.samples() - 1, history.samples()).back();
  }
  // Returns the values at t = 0, Δt, 2Δt, …
  std::vector<double> every(const History& history, const Expression& of, double interval) const;
  const std::vector<History>& members(const std::string& run) const { return runs_.by_name.at(run); }
  double constant(const Expression& expression) const { return constants_.value(expression); }

 private:
  struct Window {
    std::vector<double> time, value;
  };
  std::vector<double> series(const History& history, const Expression& of, const std::string& reference,
                             std::size_t begin, std::size_t end) const;
  const History& member(const StudyQuantity& quantity) const;
  std::pair<const StudyRun&, const std::vector<History>&> family(const History& history) const;
  const History& member_beside(const History& history, const std::string& run) const;
  Window window(const StudyQuantity& quantity) const;
  double reduced(const StudyQuantity& quantity) const;
  double spectral(const StudyQuantity& quantity) const;
  double order(const StudyQuantity& quantity) const;
  double coefficient(const StudyQuantity& quantity) const;
  double value(const StudyQuantity& quantity, const std::map<std::string, double>& before) const;
  Measured stability(const StudyQuantity& quantity) const;
  double tableau(const StudyQuantity& quantity) const;
  double trial(const StudyQuantity& quantity) const;
  double published(const StudyQuantity& quantity) const;
  double tolerance(const StudyQuantity& quantity) const;

  const Study& study_;
  const StudyRuns& runs_;
  StudyConstants constants_;
};

}  // namespace taut
