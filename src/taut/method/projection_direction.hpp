// Projections in another direction than the usual one: orthogonal in the scalar product of the coordinates
// instead of that of the kinetic energy, or with G taken at the point where the projection ends. Labels:
// docs/theory/projection.md.
#pragma once

#include <taut/method/projection_kind.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/pivoted_lu.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

template <Hamiltonian P>
class DirectedProjection {
 public:
  using T = typename P::Scalar;

  explicit DirectedProjection(const P& s)
      : G_(s.make_jacobian()),
        G_end_(G_),
        lu_(s.constraints()),
        g_(zero_multiplier(s)),
        mu_(g_),
        unit_(g_),
        end_(zero_vector(s)),
        next_(end_),
        along_(end_),
        turned_(end_) {}

  // q ← q - D Gᵀμ with g = 0, D = H_pp or 1, and G at the point before or at the end.                   (PJ3)
  template <class X>
  Expected<int> position(const P& s, X& x, const Projection& projection, const SolveOptions& options) {
    const bool by_mass = projection.metric == ProjectionMetric::mass;
    end_ = x.q;
    mu_.setZero();
    s.G(x.q, G_);
    const auto evaluate = [&] {
      s.g(end_, g_);
      s.G(end_, G_end_);
      if (projection.along == ProjectionAlong::after) G_ = G_end_;
    };
    // The equation g + G (q before - q) = 0 is linear in μ; its direction may change between corrections.
    const auto correct = [&] {
      if (const int pivot = form(s, x, by_mass, false); pivot >= 0) return pivot;
      along_ = x.q - end_;
      G_end_.times(along_, mu_);
      mu_ += g_;
      lu_.solve(mu_);
      move(s, x, mu_, by_mass, next_);
      next_ += x.q;
      return -1;
    };
    const auto solved = iterate(options, x.q, evaluate, correct);
    if (!solved) return solved;
    drift(x, typename P::Vec(end_ - x.q));
    return solved;
  }

  // p ← p - H_pp Gᵀν with G H_p = 0: orthogonal in the scalar product of the coordinates.               (PJ4)
  template <class X>
  Expected<int> momentum(const P& s, X& x, const SolveOptions& options) {
    const X from = x;
    end_ = x.p;
    s.G(x.q, G_);
    G_end_ = G_;
    const auto evaluate = [&] {
      H_p(s, x.q, end_, turned_);
      G_.times(turned_, g_);
    };
    const auto correct = [&] {
      if (const int pivot = form(s, x, true, true); pivot >= 0) return pivot;
      mu_ = g_;
      lu_.solve(mu_);
      move(s, x, mu_, true, next_);
      next_ += end_;
      return -1;
    };
    const auto solved = iterate(options, x.p, evaluate, correct);
    if (!solved) return solved;
    kick(x, typename P::Vec(end_ - from.p));
    return solved;
  }

 private:
  // Corrects until the corrections are rounding, or g (or G H_p) is within the stated tolerance.
  template <class Vec, class Evaluate, class Correct>
  Expected<int> iterate(const SolveOptions& options, const Vec& from, Evaluate&& evaluate,
                        Correct&& correct) {
    const Real<T> least = larger(largest_entry(from), Real<T>(0x1p-1000)) * Real<T>(16 * epsilon<T>());
    for (int k = 0; k <= options.limit(); ++k) {
      evaluate();
      if (!all(Mask<T>(all_finite(g_)))) return describe(FailureKind::not_finite, g_, k, Mask<T>(true));
      if (options.tolerance > 0 && all(Mask<T>(all_within(g_, options.tolerance)))) return k;
      if (const int pivot = correct(); pivot >= 0)
        return Failure{.kind = FailureKind::singular, .stage = SolveStage::position, .constraint = pivot};
      along_ = next_ - end_;
      end_ = next_;
      if (!any(Mask<T>(largest_entry(along_) > least))) return k + 1;
    }
    return describe(FailureKind::not_converged, g_, options.limit(), Mask<T>(true));
  }

  // out = -D Gᵀl
  template <class X>
  void move(const P& s, const X& x, const typename P::Multiplier& l, bool by_mass, typename P::Vec& out) {
    out.setZero();
    G_.subtract_transpose(l, out);
    if (!by_mass) return;
    turned_ = out;
    H_pp_times(s, x.q, x.p, turned_, out);
  }
  // Forms and factors G D Gᵀ, the left G at the end, or G H_pp D Gᵀ. Returns -1, or a column without a pivot.
  template <class X>
  int form(const P& s, const X& x, bool by_mass, bool of_momenta) {
    for (int k = 0; k < s.constraints(); ++k) {
      unit_.setZero();
      unit_[k] = T(-1);
      move(s, x, unit_, by_mass, along_);
      if (of_momenta) {
        turned_ = along_;
        H_pp_times(s, x.q, x.p, turned_, along_);
      }
      G_end_.times(along_, unit_);
      for (int i = 0; i < s.constraints(); ++i) lu_.a(i, k) = base(unit_[i]);
    }
    return lu_.factor();
  }

  typename P::Jacobian G_, G_end_;  // in the direction, and where the constraints are
  PivotedLU<Base<T>, P::m> lu_;
  typename P::Multiplier g_, mu_, unit_;
  typename P::Vec end_, next_, along_, turned_;
};

}  // namespace taut
