// Measures how far a state is from M = {g(q) = 0, G(q) H_p(q, p) = 0}, and brings a start onto it. Labels:
// docs/theory/manifold.md.
#pragma once

#include <taut/formulation/constraint_solver.hpp>
#include <taut/formulation/start_check.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/drive_to_zero.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace taut {

template <Constrained P>
auto position_residual(const P& s, const typename P::Vec& q) {  // max |g|
  typename P::Multiplier g = zero_multiplier(s);
  s.g(q, g);
  return largest_entry(g);
}

template <Hamiltonian P>
auto momentum_residual(const P& s, const typename P::Vec& q, const typename P::Vec& p) {  // max |G H_p|
  typename P::Vec v = zero_vector(s);
  typename P::Multiplier f = zero_multiplier(s);
  typename P::Jacobian G = s.make_jacobian();
  s.G(q, G);
  H_p(s, q, p, v);
  G.times(v, f);
  return largest_entry(f);
}

// Below this a start counts as consistent: the distance from g_i = 0 relative to a length that occurs in g_i,
// G H_p relative to the velocities that occur in it. The size of the rest of the system does not count.
inline constexpr double consistency = 1e-8;

// Finds a length for each constraint. It is the one over which g_i bends, |G_i| over the second derivative,
// which is the length of a rod wherever the rod is. It is no more than the largest coordinate in g_i, which
// alone decides if g_i is linear; at the origin it is 1.
template <Constrained P>
Vector<double, P::m> lengths_in(const P& s, const typename P::Vec& q, const typename P::Jacobian& G) {
  using T = typename P::Scalar;
  const int m = s.constraints(), n = s.coordinates();
  const double far = lane(largest_entry(q), 0);
  // One displacement serves all constraints. Its components differ, so that the ends of a rod move apart.
  typename P::Vec beside = q;
  Vector<double, P::n> moved = Vector<double, P::n>::Zero(n);
  for (int j = 0; j < n; ++j) {
    const double size = std::abs(lane(q[j], 0));
    beside[j] += T(0x1p-20 * (size > 0 ? size : far > 0 ? far : 1) * std::cos(1.0 + 2.4 * j));
    moved[j] = lane(beside[j] - q[j], 0);
  }
  typename P::Jacobian G_beside = s.make_jacobian();
  s.G(beside, G_beside);
  Vector<double, P::m> largest = Vector<double, P::m>::Zero(m), gradient = largest, bend = largest,
                       moved_here = largest;
  G.for_each([&](int i, int j, const auto& entry) {
    const double slope = lane(entry, 0);
    if (slope != 0) largest[i] = std::max(largest[i], std::abs(lane(q[j], 0)));
    gradient[i] += slope * slope;
    bend[i] -= slope * moved[j];
  });
  G_beside.for_each([&](int i, int j, const auto& entry) {
    const double slope = lane(entry, 0);
    if (slope != 0) moved_here[i] += moved[j] * moved[j];
    bend[i] += slope * moved[j];
  });
  for (int i = 0; i < m; ++i) {
    if (largest[i] == 0) largest[i] = far > 0 ? far : 1;
    const double over = std::sqrt(gradient[i]) * moved_here[i] / std::abs(bend[i]);
    if (over < largest[i]) largest[i] = over;
  }
  return largest;
}

// What a start may be off by rounding: this many times what is seen in displacements.
inline constexpr double rounding_slack = 8;

// Returns what rounding explains of each gᵢ.
template <Constrained P>
Vector<double, P::m> rounding_of_position(const P& s, const typename P::Vec& q) {
  using T = typename P::Scalar;
  Vector<Real<T>, P::m> noise = Vector<Real<T>, P::m>::Zero(s.constraints());
  noise_of_positions(s, q, noise);
  Vector<double, P::m> explained = Vector<double, P::m>::Zero(s.constraints());
  for (int i = 0; i < s.constraints(); ++i) explained[i] = rounding_slack * lane(noise[i], 0);
  return explained;
}

// Returns what rounding explains of each f = G H_p: how f itself is rounded, as in (W4), and what becomes of
// f if coordinates and momenta are off in their last digit. The derivative of f comes from dual numbers.
//                                                                                                     (A3)
template <Hamiltonian P>
Vector<double, P::m> rounding_of_momentum(const P& s, const StateOf<P>& x) {
  using T = typename P::Scalar;
  Vector<double, P::m> explained = Vector<double, P::m>::Zero(s.constraints());
  if constexpr (Castable<P>) {
    using Tangent = Dual<T, 1>;
    const auto lifted = s.template cast<Tangent>();
    using Lifted = std::remove_cvref_t<decltype(lifted)>;
    const auto sizes = [](const typename P::Vec& of) {
      return typename P::Vec(of.unaryExpr([](const T& entry) { return T(magnitude(entry)); }));
    };
    const typename P::Vec far = sizes(x.q), fast = sizes(x.p);
    typename Lifted::Vec q = zero_vector(lifted), p = q, v = q;
    typename Lifted::Jacobian G = lifted.make_jacobian();
    typename Lifted::Multiplier here = zero_multiplier(lifted), there = here;
    const auto f_at = [&](typename Lifted::Multiplier& f) {
      lifted.G(q, G);
      H_p(lifted, q, p, v);
      G.times(v, f);
    };
    // Displacements are of the length ε^(3/4).
    const double to_last_digit = std::pow(epsilon<T>(), 0.25);
    for (int k = 0; k < noise_probes; ++k) {
      const typename P::Vec dq = displacement(k, x.q, far), dp = displacement(k + noise_probes, x.p, fast);
      for (Eigen::Index j = 0; j < q.size(); ++j) {
        q[j] = Tangent(x.q[j]), q[j].tangent[0] = dq[j];
        p[j] = Tangent(x.p[j]), p[j].tangent[0] = dp[j];
      }
      f_at(here);
      for (Eigen::Index j = 0; j < q.size(); ++j) q[j] = x.q[j] + dq[j], p[j] = x.p[j] + dp[j];
      f_at(there);
      for (int i = 0; i < s.constraints(); ++i) {
        const T by = here[i].tangent[0];
        const double noise = lane(magnitude(T(there[i].value - here[i].value - by)), 0);
        const double digit = to_last_digit * lane(magnitude(by), 0);
        explained[i] = std::max({explained[i], rounding_slack * noise, rounding_slack * digit});
      }
    }
  }
  return explained;
}

template <Hamiltonian P>
StartCheck check_start(const P& s, const StateOf<P>& x) {
  typename P::Vec v = zero_vector(s);
  typename P::Multiplier g = zero_multiplier(s), f = g;
  typename P::Jacobian G = s.make_jacobian();
  s.g(x.q, g);
  s.G(x.q, G);
  H_p(s, x.q, x.p, v);
  G.times(v, f);
  const Vector<double, P::m> length = lengths_in(s, x.q, G);
  Vector<double, P::m> row = Vector<double, P::m>::Zero(s.constraints()), fast = row, rounded = row;
  G.for_each([&](int i, int j, const auto& entry) {
    const double slope = lane(magnitude(entry), 0), speed = lane(magnitude(v[j]), 0);
    row[i] += slope;
    if (slope > 0) fast[i] = std::max(fast[i], speed);
    rounded[i] += 4 * epsilon<double>() * slope * lane(magnitude(x.q[j]), 0);
  });
  StartCheck check;
  check.finite = all(finite(H(s, x.q, x.p))) && all(all_finite(g)) && all(all_finite(f));
  // Rounding is measured only if something is off.
  std::optional<Vector<double, P::m>> rounding_of_g, rounding_of_f;
  for (int i = 0; i < s.constraints(); ++i) {
    const double gi = lane(magnitude(g[i]), 0), fi = lane(magnitude(f[i]), 0);
    // Velocities that are rounding errors of 1, as sin(pi) is, count as none.
    const double along_M = std::max(consistency * fast[i], 4 * epsilon<double>());
    if (check.finite && gi > std::max(consistency * length[i] * row[i], rounded[i])) {
      if (!rounding_of_g) rounding_of_g = rounding_of_position(s, x.q);
      if (!(gi <= (*rounding_of_g)[i])) check.on_position = false;
    }
    if (check.finite && fi > along_M * row[i]) {
      if (!rounding_of_f) rounding_of_f = rounding_of_momentum(s, x);
      if (!(fi <= (*rounding_of_f)[i])) check.on_momentum = false;
    }
    if (gi > check.position) check.position = gi, check.worst_position = i;
    if (fi > check.momentum) check.momentum = fi, check.worst_momentum = i;
  }
  return check;
}

// Returns the failure of a position that is off a constraint by more than its rounding explains.
template <Hamiltonian P>
std::optional<Failure> off_here(const P& s, const typename P::Vec& q) {
  using T = typename P::Scalar;
  return missed_position(s, q, q, zero_vector(s), T(0), zero_multiplier(s), Mask<T>(true));
}

// Brings q along H_pp Gᵀ onto g = 0, then p along Gᵀ onto G H_p = 0. If the system is natural, each
// correction of q is mass-orthogonal.
template <Hamiltonian P>
Expected<Move> project_start(const P& s, StateOf<P>& x, const SolveOptions& options = {}) {
  using T = typename P::Scalar;
  const StateOf<P> before = x;
  StateOf<P> moved = x;
  typename P::Jacobian G = s.make_jacobian();
  typename P::Multiplier g = zero_multiplier(s), delta = g;
  typename P::Vec step = zero_vector(s), along = step;
  Vector<Real<T>, P::m> unit = Vector<Real<T>, P::m>::Zero(s.constraints());
  ConstraintMatrix<P> matrix(s);
  const auto land = [&] {
    return drive_to_zero(
        {.tolerance = options.tolerance, .max_iterations = options.max_iterations}, g, unit,
        [&] { s.g(moved.q, g); },
        [&](auto& u) {
          s.G(moved.q, G);
          G.row_bounds(Vector<Real<T>, P::n>(moved.q.unaryExpr([](const T& c) { return magnitude(c); })), u);
          u *= Real<T>(epsilon<T>());
        },
        [&](const Mask<T>& active) {
          s.G(moved.q, G);
          matrix.right(s, moved.q, x.p, G, T(1));
          matrix.assemble(G);
          if (const int pivot = matrix.factor(); pivot >= 0) return pivot;
          delta = g;
          matrix.solve(delta);
          along.setZero();
          G.subtract_transpose(delta, along);
          H_pp_times(s, moved.q, x.p, along, step);
          for (Eigen::Index j = 0; j < step.size(); ++j) moved.q[j] += select(active, step[j], T(0));  // (A1)
          return -1;
        });
  };
  // The units are those of the position before. If that was far away, they are too large for the one after.
  constexpr int most_landings = 4;
  for (int landings = 1;; ++landings) {
    if (const auto solved = land(); !solved) return solved.error();
    s.G(moved.q, G);
    const auto missed = options.tolerance > 0 ? std::nullopt : off_here(s, moved.q);
    if (!missed) break;
    if (landings == most_landings) return *missed;
  }
  if (const auto projected = SolverOf<P>(s).project(s, options, moved, G, delta); !projected)
    return projected.error();  // (A2)
  x = moved;
  return Move{lane(largest_entry(typename P::Vec(x.q - before.q)), 0),
              lane(largest_entry(typename P::Vec(x.p - before.p)), 0)};
}

}  // namespace taut
