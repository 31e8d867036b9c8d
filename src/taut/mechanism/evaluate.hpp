// Evaluates H, g, their derivatives and λ at given states, for those who ask for values and not for a run.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <limits>

namespace taut {

// place(j) says where coordinate j of the problem stands in the vectors of the caller.
template <Hamiltonian P, class Place>
class EvaluationOf {
 public:
  using Vec = typename P::Vec;
  EvaluationOf(const P& problem, Place place)
      : problem_(problem),
        place_(std::move(place)),
        n_(problem.coordinates()),
        m_(problem.constraints()),
        q_(zero_vector(problem)),
        p_(q_),
        v_(q_),
        g_(zero_multiplier(problem)),
        G_(problem.make_jacobian()) {}

  bool at(Evaluated what, const StatesToEvaluate& x, double* out) {
    if (what == Evaluated::V && !is_natural(problem_)) return false;
    for (std::int64_t k = 0; k < x.count; ++k) {
      take(x.q + k * x.q_stride, q_);
      if (x.p != nullptr) take(x.p + k * x.p_stride, p_);
      out += put(what, out);
    }
    return true;
  }

 private:
  void take(const double* from, Vec& to) const {
    for (int j = 0; j < n_; ++j) to[j] = from[place_(j)];
  }
  std::int64_t put_vector(double* out) const {
    for (int j = 0; j < n_; ++j) out[place_(j)] = v_[j];
    return n_;
  }
  std::int64_t put(Evaluated what, double* out) {
    switch (what) {
      case Evaluated::H:
        *out = H(problem_, q_, p_);
        return 1;
      case Evaluated::V:
        *out = by_tier(
            problem_, [&](const auto& natural) -> double { return natural.V(q_); },
            [](const auto&) -> double { return std::numeric_limits<double>::quiet_NaN(); });
        return 1;
      case Evaluated::H_q:
        H_q(problem_, q_, p_, v_);
        return put_vector(out);
      case Evaluated::H_p:
        H_p(problem_, q_, p_, v_);
        return put_vector(out);
      case Evaluated::g:
        problem_.g(q_, g_);
        std::copy(g_.begin(), g_.end(), out);
        return m_;
      case Evaluated::G: {
        problem_.G(q_, G_);
        const std::int64_t size = static_cast<std::int64_t>(m_) * n_;
        std::fill(out, out + size, 0.0);
        G_.for_each(
            [&](int i, int j, double entry) { out[static_cast<std::int64_t>(i) * n_ + place_(j)] += entry; });
        return size;
      }
      case Evaluated::GHp:
        problem_.G(q_, G_);
        H_p(problem_, q_, p_, v_);
        G_.times(v_, g_);
        std::copy(g_.begin(), g_.end(), out);
        return m_;
      case Evaluated::lambda: {
        const auto lambda = multiplier(problem_, q_, p_);
        for (int i = 0; i < m_; ++i)
          out[i] = lambda ? (*lambda)[i] : std::numeric_limits<double>::quiet_NaN();
        return m_;
      }
    }
    return 0;
  }

  const P& problem_;
  Place place_;
  int n_, m_;
  Vec q_, p_, v_;
  typename P::Multiplier g_;
  typename P::Jacobian G_;
};

}  // namespace taut
