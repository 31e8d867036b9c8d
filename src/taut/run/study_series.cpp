#include <taut/model/formula_problem.hpp>
#include <taut/run/study_formula.hpp>
#include <taut/run/study_measure.hpp>

#include <Eigen/Dense>

#include <cmath>
#include <limits>
#include <optional>

namespace taut {

namespace {

// Names beside those of the model and of the study. From `dq` on they need a reference: distances to it, Euclidean where nothing else is said.
enum Extra { time, step, energy, energy_start, position, momentum, dq, dp, dx, dmax, dlambda, dhalf, dproj, energy_there, dstage };
constexpr std::array<const char*, 15> extra_names = {
    "t",    "h",      "H",        "H0",      "max_g",  // max |g|
    "max_f",                                           // max |G H_p|
    "dq",   "dp",     "dx",                            // in q, in p, in both
    "dmax",                                            // the largest of all components
    "dlambda",                                         // in λ, known at the end of a run only
    "dhalf",                                           // largest component of (q_{n+1} - q_n)/h
    "dprojected",                                      // in p, this run's projected to G H_p = 0 first
    "H_ref",                                           // the energy of the run of the reference
    "dstage",                                          // in the method's own last multiplier, at the end of a run
};

// p less its part along Gᵀ in the metric of the mass: (I - Gᵀ(GWGᵀ)⁻¹GW) p, for natural systems.
class MomentumProjection {
 public:
  explicit MomentumProjection(const Model& model) : system_(compile(model)) {}

  Eigen::VectorXd operator()(std::span<const double> q, std::span<const double> p) const {
    return with_problem(system_, [&](const auto& problem) -> Eigen::VectorXd {
      using P = std::remove_cvref_t<decltype(problem)>;
      const auto n = static_cast<Eigen::Index>(q.size());
      const Eigen::VectorXd at = Eigen::Map<const Eigen::VectorXd>(q.data(), n);
      Eigen::VectorXd result = Eigen::Map<const Eigen::VectorXd>(p.data(), n);
      typename P::Jacobian sparse = problem.make_jacobian();
      problem.G(at, sparse);
      Eigen::MatrixXd G = Eigen::MatrixXd::Zero(problem.constraints(), n), GW = G;
      sparse.for_each([&](int i, int j, double entry) { G(i, j) = entry; });
      Eigen::VectorXd column(n), image(n);
      for (Eigen::Index i = 0; i < G.rows(); ++i) {
        column = G.row(i).transpose();
        if constexpr (Natural<P>)
          problem.W().times(column, image);
        else
          problem.H_pp_times(at, result, column, image);
        GW.row(i) = image.transpose();
      }
      const Eigen::MatrixXd gram = GW * G.transpose();
      const Eigen::VectorXd f = GW * result;
      result -= G.transpose() * gram.ldlt().solve(f);
      return result;
    });
  }

 private:
  std::shared_ptr<const FormulaSystem> system_;
};

// The state an error is taken against, at the times of the run.
class ReferenceState {
 public:
  ReferenceState(const Study& study, const StudyReference& reference, const History* along,
                 const StudyConstants& constants, const History& history)
      : study_(study), reference_(reference), along_(along) {
    std::vector<std::string> names;
    if (along != nullptr) names = along->names;
    for (const auto& [name, value] : constants.all()) {
      names.push_back(name);
      tail_.push_back(static_cast<double>(value));
    }
    names.emplace_back("t");
    for (const std::string& name : history.names) {
      const auto given = std::find_if(reference.state.begin(), reference.state.end(),
                                      [&](const NamedExpression& e) { return e.first == name; });
      if (given != reference.state.end()) {
        formulas_.emplace_back(study, given->second, names);
        continue;
      }
      const auto same = along == nullptr || !reference.state.empty()
                            ? names.end()
                            : std::find(along->names.begin(), along->names.end(), name);
      if (along == nullptr || !reference.state.empty() || same == along->names.end())
        refuse(study, reference.place, "the reference says nothing about `" + name + "`");
      direct_.push_back(static_cast<std::size_t>(same - along->names.begin()));
    }
  }

  // The sample of the reference run at this time. Times are step × index in both: equal up to rounding, or not there.
  std::size_t sample(double t, double spacing) const {
    const std::vector<double>& times = along_->time;
    const double slack = 1e-6 * spacing;
    const auto at = std::find_if(times.begin() + static_cast<std::ptrdiff_t>(hint_), times.end(),
                                 [&](double other) { return std::abs(other - t) <= slack; });
    if (at == times.end())
      refuse(study_, reference_.place,
             "the run of this reference has no sample at t = " + std::to_string(t) + " of the run it is for");
    return hint_ = static_cast<std::size_t>(at - times.begin());
  }

  void at(double t, double spacing, std::vector<double>& state) {
    std::vector<double>& in = values_;
    in.clear();
    if (along_ != nullptr) {
      const auto row = along_->state(sample(t, spacing));
      in.insert(in.end(), row.begin(), row.end());
    }
    state.clear();
    if (formulas_.empty()) {
      for (const std::size_t k : direct_) state.push_back(in[k]);
      return;
    }
    in.insert(in.end(), tail_.begin(), tail_.end());
    in.push_back(t);
    for (const StudyFormula& formula : formulas_) state.push_back(formula(in));
  }

 private:
  const Study& study_;
  const StudyReference& reference_;
  const History* along_;
  mutable std::size_t hint_ = 0;  // times are asked for in order
  std::vector<double> tail_, values_;
  std::vector<StudyFormula> formulas_;
  std::vector<std::size_t> direct_;
};

}  // namespace

// The reference of a member of a family: the same member of a family as large, else the only one.
const History& StudyMeasurement::member_beside(const History& history, const std::string& run) const {
  const std::vector<History>& others = members(run);
  for (const auto& [name, family] : runs_.by_name)
    if (!family.empty() && family.size() == others.size() && &history >= &family.front() &&
        &history <= &family.back())
      return others[static_cast<std::size_t>(&history - &family.front())];
  return others.front();
}

double StudyMeasurement::multiplier_error(const std::vector<double>& found, const StudyReference& reference,
                                          const History* along) const {
  const std::size_t m = reference.lambda.empty() && along != nullptr ? along->lambda.size() : reference.lambda.size();
  if (found.empty() || found.size() != m)
    refuse(study_, reference.place, "run and reference have no multipliers to compare");
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i)
    sum += std::pow(found[i] - (reference.lambda.empty() ? along->lambda[i] : constant(reference.lambda[i])), 2);
  return std::sqrt(sum);
}

std::vector<double> StudyMeasurement::series(const History& history, const Expression& of,
                                             const std::string& reference_name, std::size_t begin,
                                             std::size_t end) const {
  std::vector<std::string> names = history.names;
  std::vector<double> values(names.size());
  const auto fixed = [&](const std::string& name, double value) {
    names.push_back(name);
    values.push_back(value);
  };
  for (const auto& [name, value] : history.parameters) fixed(name, value);
  for (const auto& [name, value] : constants_.all()) fixed(name, static_cast<double>(value));
  const std::size_t extra = names.size(), n = history.names.size() / 2;
  for (const char* name : extra_names) fixed(name, std::numeric_limits<double>::quiet_NaN());
  const StudyFormula formula(study_, of, names);

  bool needs_reference = false;
  for (std::size_t k = dq; k < extra_names.size(); ++k)
    needs_reference = needs_reference || formula.uses(extra + k);
  std::optional<ReferenceState> reference;
  const StudyReference* chosen = nullptr;
  const History* along = nullptr;
  if (needs_reference) {
    for (const StudyReference& r : study_.references)
      if (r.name == reference_name) chosen = &r;
    if (chosen == nullptr) refuse(study_, of.place, "this needs a `reference`");
    if (!chosen->run.empty()) along = &member_beside(history, chosen->run);
    if (along == nullptr && formula.uses(extra + energy_there))
      refuse(study_, of.place, "H_ref needs a reference with a run");
    reference.emplace(study_, *chosen, along, constants_, history);
  }
  std::optional<MomentumProjection> projection;
  if (formula.uses(extra + dproj)) {
    for (const StudyRun& run : study_.runs)
      if (&members(run.name).front() == &history) projection.emplace(model_run(study_, run).model);
  }

  const auto put = [&](Extra which, double value) { values[extra + which] = value; };
  put(step, history.step);
  put(energy_start, history.energy.empty() ? 0 : history.energy.front());
  const double spacing = std::abs(history.step);
  std::vector<double> result, there, next;
  for (std::size_t k = begin; k < end; ++k) {
    const auto here = history.state(k);
    std::copy(here.begin(), here.end(), values.begin());
    put(time, history.time[k]);
    put(energy, history.energy[k]);
    put(position, history.position[k]);
    put(momentum, history.momentum[k]);
    if (reference) {
      reference->at(history.time[k], spacing, there);
      double in_q = 0, in_p = 0, largest = 0;
      for (std::size_t i = 0; i < 2 * n; ++i) {
        const double d = here[i] - there[i];
        (i < n ? in_q : in_p) += d * d;
        largest = std::max(largest, std::abs(d));
      }
      put(dq, std::sqrt(in_q));
      put(dp, std::sqrt(in_p));
      put(dx, std::sqrt(in_q + in_p));
      put(dmax, largest);
      if (along != nullptr) put(energy_there, along->energy[reference->sample(history.time[k], spacing)]);
      if (projection) {
        const Eigen::VectorXd p = (*projection)(here.first(n), here.subspan(n));
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
          sum += std::pow(p[static_cast<Eigen::Index>(i)] - there[n + i], 2);
        put(dproj, std::sqrt(sum));
      }
      if (formula.uses(extra + dhalf) && k + 1 < history.samples()) {
        reference->at(history.time[k + 1], spacing, next);
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i)
          worst = std::max(worst, std::abs((history.state(k + 1)[i] - here[i]) - (next[i] - there[i])));
        put(dhalf, worst / spacing);
      }
      if (k + 1 == history.samples()) {
        if (formula.uses(extra + dlambda)) put(dlambda, multiplier_error(history.lambda, *chosen, along));
        if (formula.uses(extra + dstage)) put(dstage, multiplier_error(history.last_multiplier, *chosen, along));
      }
    }
    result.push_back(formula(values));
  }
  return result;
}

}  // namespace taut
