// Asks whether a method preserves dq ∧ dp on its manifold. The tangent map Φ' of N steps comes from running
// them on dual numbers, exact to rounding; ω(ξ, η) = ξ_q·η_p - ξ_p·η_q of every pair of a basis of the
// tangent space is compared before and after.
#pragma once

#include <taut/measure/flow.hpp>
#include <taut/measure/form_change.hpp>
#include <taut/measure/tangent_space.hpp>

namespace taut {

// There are as many tangents as the larger of the two tangent spaces has dimensions; those that a smaller
// basis does not use stay zero.
template <class P>
inline constexpr int tangents_of = 2 * P::n - P::m;

template <class P>
  requires(P::n != dynamic && P::m != dynamic)
using TangentProblem = decltype(std::declval<const P&>().template cast<Dual<double, tangents_of<P>>>());

template <class Point>
void seed_tangents(const Eigen::MatrixXd& vectors, Point& x) {
  const Eigen::Index n = x.q.size();
  for (Eigen::Index k = 0; k < vectors.cols(); ++k)
    for (Eigen::Index i = 0; i < n; ++i) {
      x.q[i].tangent[static_cast<std::size_t>(k)] = vectors(i, k);
      x.p[i].tangent[static_cast<std::size_t>(k)] = vectors(n + i, k);
    }
}

template <class Point>
Eigen::MatrixXd read_tangents(const Point& x, Eigen::Index count) {
  const Eigen::Index n = x.q.size();
  Eigen::MatrixXd vectors(2 * n, count);
  for (Eigen::Index k = 0; k < count; ++k)
    for (Eigen::Index i = 0; i < n; ++i) {
      vectors(i, k) = x.q[i].tangent[static_cast<std::size_t>(k)];
      vectors(n + i, k) = x.p[i].tangent[static_cast<std::size_t>(k)];
    }
  return vectors;
}

// Returns the defect of `steps` steps from x, which must lie on the manifold that the method keeps.
template <class Method, Hamiltonian P>
  requires(Castable<P> && P::n != dynamic && P::m != dynamic)
Expected<double> symplectic_defect(const Method& method, const P& s, const StateOf<P>& x, double h, int steps,
                                   const SolveOptions& options = {}) {
  using Along = TangentProblem<P>;
  using Tangent = typename Along::Scalar;
  const Along along = s.template cast<Tangent>();
  const Eigen::MatrixXd before = tangent_basis(s, x, facts_of(method).keeps);
  StateOf<Along> y{zero_vector(along), zero_vector(along)};
  for (Eigen::Index i = 0; i < x.q.size(); ++i) {
    y.q[i] = Tangent(x.q[i]);
    y.p[i] = Tangent(x.p[i]);
  }
  seed_tangents(before, y);
  if (const auto moved = flow(method, along, y, Tangent(h), steps, options); !moved) return moved.error();
  return form_change(before, read_tangents(y, before.cols()));
}

}  // namespace taut
