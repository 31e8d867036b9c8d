// Projections after a step: q onto g = 0 along H_pp Gᵀ, p onto G H_p = 0 along Gᵀ, both or neither, at every
// step or when a residual exceeds a tolerance. Seiler, sections 1 and 4. Labels: docs/theory/projection.md.
#pragma once

#include <taut/contract/choices.hpp>
#include <taut/formulation/constraint_solver.hpp>
#include <taut/method/projection_count.hpp>
#include <taut/method/projection_direction.hpp>
#include <taut/method/projection_kind.hpp>

namespace taut {

template <Hamiltonian P>
class Projector {
 public:
  using T = typename P::Scalar;

  explicit Projector(const P& s)
      : solver_(s),
        directed_(s),
        G_(s.make_jacobian()),
        residual_(zero_multiplier(s)),
        impulse_(residual_),
        along_(zero_vector(s)),
        move_(along_),
        end_(along_) {}

  ProjectionCount count;

  // Projects x after a step. Each residual is examined when its turn comes, q first, and only the matching
  // variable moves.
  template <class X>
  Expected<int> operator()(const P& s, X& x, const Projection& projection, const SolveOptions& options) {
    int iterations = 0;
    if (projection.moves_q()) {
      s.g(x.q, residual_);
      if (const Mask<T> due = is_due(projection); any(due)) {
        const auto before = kept_for_lanes(x);
        const auto landed = is_usual(projection) ? project_position(s, x, options)
                                                 : directed_.position(s, x, projection, options);
        if (!landed) return landed;
        restore_others(due, before, x);
        iterations += *landed;
        ++count.position;
      }
    }
    if (projection.moves_p()) {
      s.G(x.q, G_);
      H_p(s, x.q, x.p, along_);
      G_.times(along_, residual_);
      if (const Mask<T> due = is_due(projection); any(due)) {
        const auto before = kept_for_lanes(x);
        const auto landed = projection.metric == ProjectionMetric::mass
                                ? solver_.project(s, options, x, G_, impulse_)  // (PJ2)
                                : directed_.momentum(s, x, options);
        if (!landed) return landed;
        restore_others(due, before, x);
        iterations += *landed;
        ++count.momentum;
      }
    }
    return iterations;
  }

 private:
  static bool is_usual(const Projection& projection) {
    return projection.metric == ProjectionMetric::mass && projection.along == ProjectionAlong::before;
  }
  Mask<T> is_due(const Projection& projection) const {
    return Mask<T>(projection.tolerance == 0) || largest_entry(residual_) > Real<T>(projection.tolerance);
  }

  // Keeps a copy for lanes whose own residual is small: such a lane stays where a run of its own would leave
  // it.
  template <class X>
  static auto kept_for_lanes(const X& x) {
    if constexpr (ScalarTraits<T>::lanes > 1)
      return x;
    else
      return nullptr;  // one trajectory has nothing to go back to
  }
  template <class Kept, class X>
  static void restore_others(const Mask<T>& due, const Kept& before, X& x) {
    if constexpr (ScalarTraits<T>::lanes > 1) taut::restore_others(due, before, x);
  }

  // Takes H_pp and G at the point before the projection.
  template <class X>
  Expected<int> project_position(const P& s, X& x, const SolveOptions& options) {
    s.G(x.q, G_);
    auto move = move_with_gain(s, x.q, x.p, G_, T(1), [&](const auto& mu) -> const auto& {
      along_.setZero();
      G_.subtract_transpose(mu, along_);
      H_pp_times(s, x.q, x.p, along_, move_);
      end_ = x.q + move_;  // (PJ1)
      return end_;
    });
    const auto landed = solver_.land(s, options, x.q, G_, move, impulse_);
    if (landed) drift(x, move_);
    return landed;
  }

  SolverOf<P> solver_;
  DirectedProjection<P> directed_;
  typename P::Jacobian G_;
  typename P::Multiplier residual_, impulse_;
  typename P::Vec along_, move_, end_;
};

}  // namespace taut
