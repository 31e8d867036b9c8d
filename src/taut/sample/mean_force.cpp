// The mean force of a coordinate that is held. Labels: docs/theory/sampling.md.
#include <taut/sample/programs.hpp>

#include <algorithm>
#include <limits>

namespace taut {

namespace {

// out ← A x for a matrix with the pattern of G.
void times(const GramPattern& s, const double* A, const double* x, double* out) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.m); ++i) {
    out[i] = 0;
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e)
      out[i] += A[e] * x[s.column[static_cast<std::size_t>(e)]];
  }
}
// out ← Aᵀ y
void transpose_times(const GramPattern& s, const double* A, const double* y, std::vector<double>& out) {
  out.assign(static_cast<std::size_t>(s.n), 0.0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(s.m); ++i)
    for (int e = s.begin[i]; e < s.begin[i + 1]; ++e)
      out[static_cast<std::size_t>(s.column[static_cast<std::size_t>(e)])] += A[e] * y[i];
}

}  // namespace

// (SM9): with c = K⁻¹ e_ξ and b = W Gᵀ c, so that G b = e_ξ, the mean of -kT (∇ log ρ̃·b + div b) is dA/dξ.
// The second derivatives come from the program `turn`, one direction at a time.
Target::MeanForce Target::mean_force(const Phase& x) {
  const GramPattern& s = *code_->pattern;
  const auto m = static_cast<std::size_t>(s.m), n = static_cast<std::size_t>(s.n);
  std::vector<double> c(m, 0.0), b, r(m), more(m), y(n), bent(n);
  c.back() = 1;
  x.factor.solve(s, c.data());
  transpose_times(s, x.G.data(), c.data(), b);
  for (std::size_t j = 0; j < n; ++j) b[j] *= W_[j];

  double divergence = 0;
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(direction_.begin(), direction_.end(), 0.0);
    direction_[j] = 1;
    run_->turn(x.q.data(), nullptr, direction_.data(), turned_.data());  // T = ∂G/∂q_j
    std::vector<double> column(m, 0.0);                                  // column j of G, then K⁻¹ times it
    for (std::size_t i = 0; i < m; ++i)
      for (int e = s.begin[i]; e < s.begin[i + 1]; ++e)
        if (s.column[static_cast<std::size_t>(e)] == static_cast<int>(j)) {
          column[i] = x.G[static_cast<std::size_t>(e)];
          divergence += W_[j] * turned_[static_cast<std::size_t>(e)] * c[i];
        }
    x.factor.solve(s, column.data());
    times(s, turned_.data(), b.data(), r.data());
    transpose_times(s, turned_.data(), c.data(), bent);
    for (std::size_t k = 0; k < n; ++k) bent[k] *= W_[k];
    times(s, x.G.data(), bent.data(), more.data());
    for (std::size_t i = 0; i < m; ++i) divergence -= W_[j] * column[i] * (r[i] + more[i]);
  }

  MeanForce force;
  value_gradient(x.q.data(), y);  // y is the gradient of U without determinants
  for (std::size_t j = 0; j < n; ++j) force.raw += code_->kT * y[j] * b[j];
  double reference = 0;
  force.log_weight = x.factor.log_det(s) / 2;
  if (code_->measure_of_U != Measure::conditioned && code_->free_m > 0 && factor_reference(x.G.data())) {
    force.log_weight -= free_factor_.log_det(*code_->free_pattern) / 2;
    double* const Y = q_and_Y_.data() + code_->n;
    std::fill(Y, Y + s.column.size(), 0.0);
    free_factor_.weights(*code_->free_pattern, x.G.data(), reference_.data(), Z_, Y);
    bend(x.q);
    for (std::size_t j = 0; j < n; ++j) reference += slope_[j] * b[j];
  }
  force.corrected = force.raw - code_->kT * (reference + divergence);
  if (code_->measure_of_U != code_->measure) force.raw = std::numeric_limits<double>::quiet_NaN();
  return force;
}

void Target::value_gradient(const double* q, std::vector<double>& out) {
  run(run_->all, q, out_.data());
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = out_[1 + j];
}

}  // namespace taut
