#include <taut/study/measure.hpp>
#include <taut/study/reference.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace taut {

namespace {

// Names beside those of the model and of the study. From dq on they need a reference: they are distances to
// it, Euclidean unless something else is said.
enum class Extra { t, h, H, H0, max_g, max_f, dq, dp, dx, dmax, dlambda, dstage, dhalf, dprojected, H_ref };
constexpr std::array<const char*, 15> extra_names = {
    "t",          "h",  "H",  "H0",   "max_g",
    "max_f",                           // max |g|, max |G H_p|
    "dq",         "dp", "dx", "dmax",  // in q, p, both; largest component
    "dlambda",                         // in λ, at the end of a run
    "dstage",                          // in the method's own multiplier, there too
    "dhalf",                           // largest component of (q_{n+1} - q_n)/h
    "dprojected",                      // in p, this run's projected to G H_p = 0
    "H_ref"};                          // the energy of the run of the reference

// A mesh point as a list of named values.
class NamedSample {
 public:
  NamedSample(const History& history, const StudyConstants& constants)
      : history_(history), names_(history.names), values_(names_.size()) {
    for (const auto& [name, value] : history.parameters) add(name, value);
    for (const auto& [name, value] : constants.all()) add(name, static_cast<double>(value));
    extra_ = names_.size();
    for (const char* name : extra_names) add(name, std::numeric_limits<double>::quiet_NaN());
    put(Extra::h, history.step);
    put(Extra::H0, history.energy.front());
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<double>& values() const { return values_; }
  std::size_t place(Extra which) const { return extra_ + static_cast<std::size_t>(which); }
  void put(Extra which, double value) { values_[place(which)] = value; }

  void load(std::size_t k) {
    const auto state = history_.state(k);
    std::copy(state.begin(), state.end(), values_.begin());
    put(Extra::t, history_.time[k]);
    put(Extra::H, history_.energy[k]);
    put(Extra::max_g, history_.position[k]);
    put(Extra::max_f, history_.momentum[k]);
  }

 private:
  void add(const std::string& name, double value) {
    names_.push_back(name);
    values_.push_back(value);
  }

  const History& history_;
  std::vector<std::string> names_;
  std::vector<double> values_;
  std::size_t extra_ = 0;
};

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// Puts the distances to a reference that a formula needs into a sample.
class Distances {
 public:
  Distances(const Study& study, const StudyReference& reference, const History* along,
            const StudyConstants& constants, const History& history, const NamedSample& sample,
            const StudyFormula& formula)
      : study_(study),
        reference_(reference),
        along_(along),
        constants_(constants),
        history_(history),
        state_(study, reference, along, constants, history) {
    const auto uses = [&](Extra which) { return formula.uses(sample.place(which)); };
    half_ = uses(Extra::dhalf);
    lambda_ = uses(Extra::dlambda);
    stage_ = uses(Extra::dstage);
    if (uses(Extra::H_ref) && along == nullptr)
      refuse(study, reference.place, "H_ref needs a reference with a run");
  }

  void project_with(const Model& model) { projection_.emplace(model); }

  void add(std::size_t k, NamedSample& sample) {
    const double t = history_.time[k], spacing = std::abs(history_.step);
    const std::size_t n = history_.names.size() / 2;
    const auto here = history_.state(k);
    state_.at(t, spacing, there_);
    const std::span there(there_);
    sample.put(Extra::dq, distance(here.first(n), there.first(n)));
    sample.put(Extra::dp, distance(here.last(n), there.last(n)));
    sample.put(Extra::dx, distance(here, there));
    double largest = 0;
    for (std::size_t i = 0; i < 2 * n; ++i) largest = std::max(largest, std::abs(here[i] - there[i]));
    sample.put(Extra::dmax, largest);
    if (along_ != nullptr) sample.put(Extra::H_ref, state_.energy(t, spacing));
    if (projection_)
      sample.put(Extra::dprojected, distance((*projection_)(here.first(n), here.last(n)), there.last(n)));
    const bool at_end = k + 1 == history_.samples();
    if (half_ && !at_end) sample.put(Extra::dhalf, half_step(k, n) / spacing);
    if (lambda_ && at_end) sample.put(Extra::dlambda, multiplier_error(history_.lambda));
    if (stage_ && at_end) sample.put(Extra::dstage, multiplier_error(history_.last_multiplier));
  }

 private:
  // Returns the distance of the move in q to the next sample.
  double half_step(std::size_t k, std::size_t n) {
    state_.at(history_.time[k + 1], std::abs(history_.step), next_);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i)
      worst = std::max(worst,
                       std::abs((history_.state(k + 1)[i] - history_.state(k)[i]) - (next_[i] - there_[i])));
    return worst;
  }

  double multiplier_error(const std::vector<double>& found) const {
    std::vector<double> wanted;
    for (const Expression& lambda : reference_.lambda) wanted.push_back(constants_.value(lambda));
    if (wanted.empty() && along_ != nullptr) wanted = along_->lambda;
    if (found.empty() || found.size() != wanted.size())
      refuse(study_, reference_.place, "run and reference have no multipliers to compare");
    return distance(found, wanted);
  }

  const Study& study_;
  const StudyReference& reference_;
  const History* along_;
  const StudyConstants& constants_;
  const History& history_;
  ReferenceState state_;
  std::optional<MomentumProjection> projection_;
  bool half_ = false, lambda_ = false, stage_ = false;
  std::vector<double> there_, next_;
};

}  // namespace

// Returns the reference of a member of a family: the same member of a family as large, otherwise
// the only one.
const History& StudyMeasurement::member_beside(const History& history, const std::string& run) const {
  const std::vector<History>& others = members(run);
  const std::vector<History>& own = family(history).second;
  const auto k = static_cast<std::size_t>(&history - own.data());
  return own.size() == others.size() ? others[k] : others.front();
}

std::pair<const StudyRun&, const std::vector<History>&> StudyMeasurement::family(
    const History& history) const {
  for (const StudyRun& run : study_.runs) {
    const std::vector<History>& all = members(run.name);
    if (&history >= all.data() && &history < all.data() + all.size()) return {run, all};
  }
  throw std::logic_error("a history of no run");
}

std::vector<double> StudyMeasurement::series(const History& history, const Expression& of,
                                             const std::string& reference_name, std::size_t begin,
                                             std::size_t end) const {
  NamedSample sample(history, constants_);
  const StudyFormula formula(study_, of, sample.names());
  std::optional<Distances> distances;
  for (std::size_t k = sample.place(Extra::dq); k <= sample.place(Extra::H_ref); ++k) {
    if (!formula.uses(k) || distances) continue;
    const auto reference = std::find_if(study_.references.begin(), study_.references.end(),
                                        [&](const StudyReference& r) { return r.name == reference_name; });
    if (reference == study_.references.end()) refuse(study_, of.place, "this needs a `reference`");
    const History* along = reference->run.empty() ? nullptr : &member_beside(history, reference->run);
    distances.emplace(study_, *reference, along, constants_, history, sample, formula);
  }
  if (formula.uses(sample.place(Extra::dprojected)))
    distances->project_with(model_run(study_, family(history).first).model);
  std::vector<double> result;
  for (std::size_t k = begin; k < end; ++k) {
    sample.load(k);
    if (distances) distances->add(k, sample);
    result.push_back(formula(sample.values()));
  }
  return result;
}

}  // namespace taut
