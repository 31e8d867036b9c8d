#include <taut/model/formula_problem.hpp>
#include <taut/study/reference.hpp>

#include <Eigen/Dense>

#include <cmath>

namespace taut {

ReferenceState::ReferenceState(const Study& study, const StudyReference& reference, const History* along,
                               const StudyConstants& constants, const History& history)
    : study_(study), reference_(reference), along_(along) {
  std::vector<std::string> names;
  if (along != nullptr) names = along->names;
  for (const auto& [name, value] : constants.all()) {
    names.push_back(name);
    constants_.push_back(static_cast<double>(value));
  }
  names.emplace_back("t");
  for (const std::string& name : history.names) {
    const auto given = std::find_if(reference.state.begin(), reference.state.end(),
                                    [&](const NamedExpression& e) { return e.first == name; });
    if (given != reference.state.end())
      formulas_.emplace_back(study, given->second, names);
    else
      follow(name);
  }
}

// Follows a variable. Without a state of its own, a reference has the variables of its run.
void ReferenceState::follow(const std::string& name) {
  if (along_ != nullptr && reference_.state.empty()) {
    const auto same = std::find(along_->names.begin(), along_->names.end(), name);
    if (same != along_->names.end())
      return direct_.push_back(static_cast<std::size_t>(same - along_->names.begin()));
  }
  refuse(study_, reference_.place, "the reference says nothing about `" + name + "`");
}

// Finds the sample. Times are step × index in both runs: equal up to rounding, or missing.
std::size_t ReferenceState::sample(double t, double spacing) const {
  const std::vector<double>& times = along_->time;
  const auto at = std::find_if(times.begin() + static_cast<std::ptrdiff_t>(hint_), times.end(),
                               [&](double other) { return std::abs(other - t) <= 1e-6 * spacing; });
  if (at == times.end())
    refuse(study_, reference_.place,
           "the run of this reference has no sample at t = " + std::to_string(t) + " of the run it is for");
  return hint_ = static_cast<std::size_t>(at - times.begin());
}

void ReferenceState::at(double t, double spacing, std::vector<double>& state) {
  values_.clear();
  if (along_ != nullptr) {
    const auto row = along_->state(sample(t, spacing));
    values_.assign(row.begin(), row.end());
  }
  values_.insert(values_.end(), constants_.begin(), constants_.end());
  values_.push_back(t);
  state.clear();
  for (const std::size_t k : direct_) state.push_back(values_[k]);
  for (const StudyFormula& formula : formulas_) state.push_back(formula(values_));
}

MomentumProjection::MomentumProjection(const Model& model) : system_(compile(model)) {}

std::vector<double> MomentumProjection::operator()(std::span<const double> q,
                                                   std::span<const double> p) const {
  const FormulaProblem<> problem(system_);
  const auto n = static_cast<Eigen::Index>(q.size());
  const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(q.data(), n);
  Eigen::VectorXd moved = Eigen::Map<const Eigen::VectorXd>(p.data(), n), column(n), image(n);
  auto sparse = problem.make_jacobian();
  problem.G(at, sparse);
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(problem.constraints(), n), GW = G;
  sparse.for_each([&](int i, int j, double entry) { G(i, j) = entry; });
  for (Eigen::Index i = 0; i < G.rows(); ++i) {
    column = G.row(i).transpose();
    H_pp_times(problem, at, moved, column, image);
    GW.row(i) = image.transpose();
  }
  const Eigen::MatrixXd gram = GW * G.transpose();
  const Eigen::VectorXd f = GW * moved;
  moved -= G.transpose() * gram.ldlt().solve(f);
  return {moved.data(), moved.data() + n};
}

}  // namespace taut
