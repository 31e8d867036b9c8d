// State-space forms: Hamilton's equations in n - m coordinates δ with q = φ(δ), g(φ(δ)) = 0, and their
// momenta θ = φ'ᵀp. They are canonical on M by Proposition 2.1 of Leimkuhler-Reich, here for any H(q, p). The
// user gives φ; charts.hpp finds one by itself. Labels: docs/theory/state-space.md.
//
// A parametrisation is a type with
//   int parameters() const                                     n - m
//   void operator()(const Vector<U, k>& δ, Vector<U, n>& q)    φ, in every scalar type U
//   Vector<double, k> near(const Vector<double, n>& q)         δ with φ(δ) = q, to a few digits: an iteration
//                                                              finds the rest
// One that must look for δ has also
//   void remember(const Vector<T, k>& δ)                       where the trajectory is; near() starts there
//   bool search(const Vector<double, n>& q)                    lets near() propose another δ; false: no more
//   void carry(c)                                              what it remembers
//
// A field in coordinates of its own has
//   using Vec                                                   δ, θ and their slopes
//   int parameters() const                                      how many δ there are
//   Expected<int> enter(s, q, p, δ, θ)                          the coordinates of a point of M
//   Expected<int> leave(s, δ, θ, q, p)                          the point
#pragma once

#include <taut/formulation/formulation.hpp>
#include <taut/formulation/manifold.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/drive_to_zero.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <Eigen/SVD>

#include <algorithm>
#include <string>

namespace taut {

template <class P>
inline constexpr int free_coordinates = P::n == dynamic || P::m == dynamic ? dynamic : P::n - P::m;

template <Smooth P, class Phi>
class StateSpaceField {
 public:
  using T = typename P::Scalar;
  static constexpr bool reduced = true;
  static constexpr int k = free_coordinates<P>;
  using Vec = Vector<T, k>;
  using Position = typename P::Vec;

  StateSpaceField(const P& s, const Phi& map)
      : phi(map),
        q_(zero_vector(s)),
        p_(q_),
        velocity_(q_),
        force_(q_),
        slope_(Matrix<T, P::n, k>::Zero(s.coordinates(), map.parameters())),
        gram_(map.parameters()),
        w_(Vec::Zero(map.parameters())),
        G_(s.make_jacobian()),
        solver_(s),
        nu_(zero_multiplier(s)) {}

  Phi phi;
  int parameters() const { return phi.parameters(); }

  template <class Carry>
  void carry(Carry& c) {
    if constexpr (requires { phi.carry(c); }) phi.carry(c);
  }

  Expected<int> enter(const P&, const Position& q, const Position& p, Vec& delta, Vec& theta) {
    const auto found = find(q, delta);
    if (!found) return found;
    differentiate(delta);
    theta = slope_.transpose().lazyProduct(p);  // (SS2)
    return found;
  }

 protected:
  // Solves φ(δ) = q to rounding, or finds that q is not in the image of φ.
  Expected<int> find(const Position& q, Vec& delta) {
    Vector<double, P::n> here(q.size());
    for (Eigen::Index i = 0; i < q.size(); ++i) here[i] = lane(q[i], 0);
    const auto from_near = [&] {
      const Vector<double, k> guess = phi.near(here);
      for (Eigen::Index i = 0; i < delta.size(); ++i) delta[i] = T(guess[i]);
      return find_from(q, delta);
    };
    auto found = from_near();
    if constexpr (requires { phi.search(here); }) {
      while (!found && phi.search(here)) found = from_near();
      if (found) phi.remember(delta);
    }
    return found;
  }
  // Does so by Gauss-Newton from the present δ.
  Expected<int> find_from(const Position& q, Vec& delta) {
    Position off = q;
    Vector<Real<T>, P::n> unit = Vector<Real<T>, P::n>::Zero(q.size());
    const auto solved = drive_to_zero(
        ToRounding{}, off, unit,
        [&] {
          phi(delta, q_);
          off = q - q_;
        },
        [&](auto& u) { u.setConstant(larger(largest_entry(q), Real<T>(1)) * Real<T>(epsilon<T>())); },
        [&](const auto&) {
          if (const int pivot = factor(delta); pivot >= 0) return pivot;
          w_ = slope_.transpose().lazyProduct(off);
          gram_.solve(w_);
          delta += w_;  // (SS1)
          return -1;
        });
    return solved;
  }

 public:
  Expected<int> leave(const P& s, const Vec& delta, const Vec& theta, Position& q, Position& p) {
    if (const int pivot = factor(delta); pivot >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    phi(delta, q_);
    State<T, P::n> x{q_, p};
    w_ = theta;
    gram_.solve(w_);
    x.p = slope_.lazyProduct(w_);  // φ'ᵀp = θ, which a move along Gᵀ keeps
    s.G(q_, G_);
    const auto tangent = solver_.project(s, ToRounding{}, x, G_, nu_);  // (SS3)
    if (!tangent) return tangent;
    q = q_;
    p = x.p;
    if constexpr (requires { phi.remember(delta); }) phi.remember(delta);
    return tangent;
  }

  bool operator()(const P& s, const Vec& delta, const Vec& theta, Vec& delta_dot, Vec& theta_dot) {
    Position& p = p_;
    if (!leave(s, delta, theta, q_at_, p)) return false;
    H_p(s, q_at_, p, velocity_);
    H_q(s, q_at_, p, force_);
    delta_dot = slope_.transpose().lazyProduct(velocity_);
    gram_.solve(delta_dot);  // (SS4)
    theta_dot = -(slope_.transpose().lazyProduct(force_)).eval();
    add_curvature(delta, delta_dot, theta_dot);  // (SS5)
    return true;
  }

 protected:
  void differentiate(const Vec& delta) {  // φ', column by column
    using Along = Dual<T, 1>;
    Vector<Along, k> d = delta.template cast<Along>();
    Vector<Along, P::n> q = q_.template cast<Along>();
    for (Eigen::Index j = 0; j < delta.size(); ++j) {
      d[j].tangent[0] = T(1);
      phi(d, q);
      d[j].tangent[0] = T(0);
      for (Eigen::Index i = 0; i < q.size(); ++i) slope_(i, j) = q[i].tangent[0];
    }
  }
  int factor(const Vec& delta) {  // φ'ᵀφ'
    differentiate(delta);
    gram_.a = slope_.transpose().lazyProduct(slope_);
    return gram_.factor();
  }
  // Adds ∂/∂δ (pᵀφ'(δ)w) to θ', with p and w held fixed.
  void add_curvature(const Vec& delta, const Vec& w, Vec& theta_dot) {
    using Along = Dual<T, 1>;
    using Twice = Dual<Along, 1>;
    Vector<Twice, k> d(delta.size());
    Vector<Twice, P::n> q = Vector<Twice, P::n>::Zero(q_.size());
    for (Eigen::Index j = 0; j < delta.size(); ++j) {
      for (Eigen::Index i = 0; i < delta.size(); ++i) {
        d[i] = Twice(Along(delta[i]));
        d[i].value.tangent[0] = i == j ? T(1) : T(0);
        d[i].tangent[0] = Along(w[i]);
      }
      phi(d, q);
      for (Eigen::Index i = 0; i < q.size(); ++i) theta_dot[j] += p_[i] * q[i].tangent[0].tangent[0];
    }
  }

  Position q_, p_, velocity_, force_, q_at_ = q_;
  Matrix<T, P::n, k> slope_;  // φ'
  PivotedLU<T, k> gram_;      // φ'ᵀφ'
  Vec w_;
  typename P::Jacobian G_;
  SolverOf<P> solver_;
  typename P::Multiplier nu_;
};

template <class Phi>
struct StateSpace {
  Phi phi{};
  static constexpr FormulationFacts facts{
      .name = "state-space",
      .what = "Hamilton's equations in n - m coordinates of a given parametrisation of g = 0",
      .hypothesis = "g(phi(delta)) = 0, phi' of full column rank, H_pp positive definite",
      .source = "Leimkuhler-Reich, Proposition 2.1",
      .theory = "state-space",
      .hamiltonian = true};
  template <class P>
  static constexpr bool fits = Smooth<P> && one_trajectory<P>;
  template <class P>
  using Field = StateSpaceField<P, Phi>;

  template <class P>
  Field<P> make_field(const P& s) const {
    return {s, phi};
  }

  // Says why φ is no parametrisation of g = 0 near the start; says nothing if it is one.
  template <Smooth P>
  std::optional<std::string> refusal(const P& s, const StateOf<P>& x) const {
    using T = typename P::Scalar;
    if (phi.parameters() != s.coordinates() - s.constraints())
      return "the parametrisation has " + std::to_string(phi.parameters()) + " parameters; " +
             std::to_string(s.coordinates()) + " coordinates under " + std::to_string(s.constraints()) +
             " constraints leave " + std::to_string(s.coordinates() - s.constraints()) + " free";
    Vector<double, P::n> here(x.q.size());
    for (Eigen::Index i = 0; i < x.q.size(); ++i) here[i] = lane(x.q[i], 0);
    const Vector<double, free_coordinates<P>> near = phi.near(here);
    // It is tried at the start and a little beside it: a map that meets g = 0 in one point only is no
    // parametrisation.
    for (const double beside : {0.0, 0.01, -0.02}) {
      Vector<T, free_coordinates<P>> delta = near.template cast<T>();
      for (Eigen::Index i = 0; i < delta.size(); ++i) delta[i] += T(beside * static_cast<double>(i + 1));
      typename P::Vec q = zero_vector(s);
      phi(delta, q);
      if (const double g = lane(position_residual(s, q), 0);
          !(g <= consistency * std::max(1.0, lane(largest_entry(q), 0))))
        return "the parametrisation does not satisfy the constraints: |g(phi(delta))| = " +
               std::to_string(g) +
               " near the start. Correct it, or use the formulation 'state-space' without one, which finds "
               "its own charts";
      if (rank_is_lost(s, delta))
        return "the parametrisation has lost rank near the start: phi' has dependent columns there. Use "
               "another one, or the "
               "formulation 'state-space' without one, which changes its charts by itself";
    }
    return std::nullopt;
  }

 private:
  // Asks whether φ' is singular to half the digits, as it is close to the poles of spherical coordinates.
  template <class P, class Delta>
  bool rank_is_lost(const P& s, const Delta& delta) const {
    using T = typename P::Scalar;
    using Along = Dual<T, 1>;
    Eigen::MatrixXd slope(s.coordinates(), delta.size());
    Vector<Along, free_coordinates<P>> d = delta.template cast<Along>();
    Vector<Along, P::n> q = Vector<Along, P::n>::Zero(s.coordinates());
    for (Eigen::Index j = 0; j < delta.size(); ++j) {
      d[j].tangent[0] = T(1);
      phi(d, q);
      d[j].tangent[0] = T(0);
      for (Eigen::Index i = 0; i < q.size(); ++i) slope(i, j) = lane(q[i].tangent[0], 0);
    }
    const auto singular = slope.jacobiSvd().singularValues();
    return !(singular.minCoeff() > 1e-8 * singular.maxCoeff());
  }
};

}  // namespace taut
