#include <taut/sample/programs.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

Phase::Phase(const TargetCode& code)
    : q(code.start),
      p(q.size(), 0.0),
      gradient(q.size(), 0.0),
      G(code.pattern->column.size(), 0.0),
      factor(*code.pattern) {}

Target::Target(std::shared_ptr<const TargetCode> code)
    : code_(std::move(code)),
      run_(std::make_unique<TargetPrograms>(*code_)),
      free_factor_(*code_->free_pattern) {
  const auto n = static_cast<std::size_t>(code_->n), entries = code_->pattern->column.size();
  reference_ = code_->measure_of_U == Measure::rigid ? code_->mass_metric : std::vector<double>(n, 1.0);
  out_.resize(1 + n + entries);
  multiplier_.resize(static_cast<std::size_t>(code_->m));
  q_and_Y_.resize(n + entries);
  slope_.resize(n);
  direction_.resize(n);
  turned_.resize(entries);
  set_metric(reference_);
}

Target::~Target() = default;

void Target::g(const double* q, double* out) const { run(run_->g, q, out); }
void Target::g_and_G(const double* q, double* out) const { run(run_->g_and_G, q, out); }
void Target::quantities(const double* q, double* out) const { run(run_->quantities, q, out); }

void Target::set_metric(const std::vector<double>& W) {
  W_ = W;
  bool proportional = true;
  for (std::size_t j = 0; j < W_.size(); ++j)
    proportional = proportional && W_[j] * reference_[0] == reference_[j] * W_[0];
  const bool alike = proportional && code_->m == code_->free_m && code_->measure_of_U != Measure::conditioned;
  has_determinant_ = code_->m > 0 && !alike;
  has_reference_ = has_determinant_ && code_->measure_of_U != Measure::conditioned && code_->free_m > 0;
}

bool Target::refresh(Phase& x, Need need) {
  const std::size_t entries = x.G.size();
  double* const out = out_.data();
  if (need == Need::geometry) {
    run(run_->g_and_G, x.q.data(), out);
    std::copy_n(out + code_->m, entries, x.G.data());
  } else if (need == Need::value) {
    run(run_->value, x.q.data(), out);
    std::copy_n(out + 1, entries, x.G.data());
  } else {
    ++gradients_;
    run(run_->all, x.q.data(), out);
    std::copy_n(out + 1, x.gradient.size(), x.gradient.data());
    std::copy_n(out + 1 + x.gradient.size(), entries, x.G.data());
  }
  if (!x.factor.factor(*code_->pattern, x.G.data(), W_.data())) return false;
  if (need == Need::geometry) return true;
  x.base = x.U = out[0];
  if (has_determinant_ && !add_determinants(x, need)) return false;
  if (need == Need::gradient)
    for (const double slope : x.gradient)
      if (!std::isfinite(slope)) return false;
  return std::isfinite(x.U);
}

// (SM4): U = -log ρ + ½ log det(G W Gᵀ) - ½ log det(G W₀ Gᵀ), the last term with the metric of the measure
// and the constraints of the model.
bool Target::add_determinants(Phase& x, Need need) {
  x.U += x.factor.log_det(*code_->pattern) / 2;
  if (has_reference_) {
    if (!factor_reference(x.G.data())) return false;
    x.U -= free_factor_.log_det(*code_->free_pattern) / 2;
  }
  if (need != Need::gradient) return true;
  double* const Y = q_and_Y_.data() + code_->n;
  x.factor.weights(*code_->pattern, x.G.data(), W_.data(), Z_, Y);
  if (has_reference_) {
    free_factor_.weights(*code_->free_pattern, x.G.data(), reference_.data(), Z_, turned_.data());
    for (std::size_t e = 0; e < code_->free_pattern->column.size(); ++e) Y[e] -= turned_[e];
  }
  bend(x.q);
  for (std::size_t j = 0; j < slope_.size(); ++j) x.gradient[j] += slope_[j];
  return true;
}

// The entries of the model's own constraints stand first in G.
bool Target::factor_reference(const double* G) {
  return free_factor_.factor(*code_->free_pattern, G, reference_.data());
}

// slope ← ∇ Σ G_e Y_e                                                                                   (SM5)
void Target::bend(const std::vector<double>& q) {
  std::copy(q.begin(), q.end(), q_and_Y_.begin());
  run(run_->bend, q_and_Y_.data(), slope_.data());
}

void Target::project(Phase& x) const {
  const GramPattern& s = *code_->pattern;
  for (int i = 0; i < s.m; ++i) {
    double sum = 0;
    for (int e = s.begin[static_cast<std::size_t>(i)]; e < s.begin[static_cast<std::size_t>(i) + 1]; ++e) {
      const auto j = static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)]);
      sum += x.G[static_cast<std::size_t>(e)] * W_[j] * x.p[j];
    }
    multiplier_[static_cast<std::size_t>(i)] = sum;
  }
  x.factor.solve(s, multiplier_.data());
  for (int i = 0; i < s.m; ++i)
    for (int e = s.begin[static_cast<std::size_t>(i)]; e < s.begin[static_cast<std::size_t>(i) + 1]; ++e)
      x.p[static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)])] -=
          x.G[static_cast<std::size_t>(e)] * multiplier_[static_cast<std::size_t>(i)];
}

double Target::kinetic(const Phase& x) const {
  double sum = 0;
  for (std::size_t j = 0; j < x.p.size(); ++j) sum += x.p[j] * W_[j] * x.p[j];
  return sum / 2;
}

}  // namespace taut
