// The implicit midpoint rule for any H(q, p), and its mixture with kicks for a
// stiff part of the potential: algebraically stable maps for scheme (24).
// Labels: docs/theory/implicit-midpoint.md.
#pragma once

#include <taut/formulation/constraint_matrix.hpp>
#include <taut/method/damped_landing.hpp>
#include <taut/method/envelope_midpoint.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/solve/drive_to_zero.hpp>
#include <taut/solve/pivoted_lu.hpp>

#include <optional>

namespace taut {

// The matrix A = I - (h/2) J H'', dense.
template <class P>
class DenseMidpointMatrix {
 public:
  using T = typename P::Scalar;
  using B = Base<T>;
  using Tangent = Dual<B, 1>;
  using Cast = decltype(std::declval<const P&>().template cast<Tangent>());
  static constexpr int size2 = P::n == dynamic ? dynamic : 2 * P::n;

  explicit DenseMidpointMatrix(const P& s)
      : n_(s.coordinates()),
        tangent_(s.template cast<Tangent>()),
        lu_(2 * n_),
        q_(zero_vector(tangent_)),
        p_(q_),
        column_q_(q_),
        column_p_(q_) {}

  // Forms and factors A at x.
  template <class X>
  Expected<int> prepare(const X& x, const T& h) {
    const B half = base(h) / 2;
    for (int i = 0; i < n_; ++i) {
      q_[i] = Tangent(base(x.q[i]));
      p_[i] = Tangent(base(x.p[i]));
    }
    for (int j = 0; j < 2 * n_; ++j) {
      Tangent& seed = j < n_ ? q_[j] : p_[j - n_];
      seed.tangent[0] = B(1);
      H_p(tangent_, q_, p_, column_q_);
      H_q(tangent_, q_, p_, column_p_);
      seed.tangent[0] = B(0);
      for (int i = 0; i < n_; ++i) {
        lu_.a(i, j) = B(i == j ? 1 : 0) - half * column_q_[i].tangent[0];
        lu_.a(n_ + i, j) = B(n_ + i == j ? 1 : 0) + half * column_p_[i].tangent[0];
      }
    }
    if (!all(all_finite(lu_.a.reshaped())))
      return Failure{.kind = FailureKind::not_finite, .stage = SolveStage::inner};
    if (const int pivot = lu_.factor(); pivot >= 0)
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    return 0;
  }

  // Solves r ← A⁻¹ r.
  void solve(Vector<T, size2>& r) const { lu_.solve(r); }

  // Forms K from (∂q₁/∂p₀) Gᵀ: z₁ = 2z - z₀ and A dz = dz₀.
  template <class Jacobian, class Matrix>
  void response(const Jacobian& G, Matrix& K) const {
    K.right([&](auto& R) {
      Vector<B, size2> column = Vector<B, size2>::Zero(2 * n_);
      R.setZero();
      G.for_each([&](int i, int j, const T& entry) { R(j, i) = entry; });
      for (int k = 0; k < R.cols(); ++k) {
        for (int i = 0; i < n_; ++i) {
          column[i] = B(0);
          column[n_ + i] = base(R(i, k));
        }
        lu_.solve(column);
        for (int i = 0; i < n_; ++i) R(i, k) = T(B(2) * column[i]);
      }
    });
  }

 private:
  int n_;
  Cast tangent_;  // the same problem on dual numbers
  PivotedLU<B, size2> lu_;
  typename Cast::Vec q_, p_, column_q_, column_p_;
};

// The matrices for a problem that gives V'' entry by entry: all that is
// factored is then sparse. They are defined in sparse_midpoint.hpp, which must
// be included to solve such a problem.
template <class P>
class SparseMidpointMatrix;
template <class P>
class MidpointConstraintMatrix;

template <class P>
inline constexpr bool has_curvature =
    requires(const P& s, const typename P::Vec& q) { s.curvature(q, [](int, int, double) {}); };

// The matrix of a problem whose kind is data: sparse if that is less work. A step at which the sparse one has
// no pivot, which exchanges no rows, is left to the dense one.
template <class P>
class EitherMidpointMatrix {
 public:
  using T = typename P::Scalar;
  static constexpr int most_dense_coordinates = 600;

  explicit EitherMidpointMatrix(const P& s) : problem_(s) {
    if (EnvelopeMidpointMatrix<P>::pays(s))
      sparse_.emplace(s);
    else
      dense_.emplace(s);
  }

  template <class X>
  Expected<int> prepare(const X& x, const T& h) {
    is_sparse_ = sparse_.has_value();
    if (!is_sparse_) return dense_->prepare(x, h);
    const auto ready = sparse_->prepare(x, h);
    if (ready || ready.error().kind != FailureKind::singular) return ready;
    if (problem_.coordinates() > most_dense_coordinates) return ready;
    is_sparse_ = false;
    if (!dense_) dense_.emplace(problem_);
    return dense_->prepare(x, h);
  }
  void solve(Vector<T, dynamic>& r) const { is_sparse_ ? sparse_->solve(r) : dense_->solve(r); }
  template <class Jacobian, class Matrix>
  void response(const Jacobian& G, Matrix& K) const {
    is_sparse_ ? sparse_->response(G, K) : dense_->response(G, K);
  }

 private:
  P problem_;
  std::optional<EnvelopeMidpointMatrix<P>> sparse_;
  std::optional<DenseMidpointMatrix<P>> dense_;
  bool is_sparse_ = false;
};

template <class P>
constexpr auto pick_midpoint_matrix() {
  if constexpr (has_curvature<P>)
    return std::type_identity<SparseMidpointMatrix<P>>{};
  else if constexpr (has_force_pattern<P>)
    return std::type_identity<EitherMidpointMatrix<P>>{};
  else
    return std::type_identity<DenseMidpointMatrix<P>>{};
}
template <class P>
using MidpointMatrix = typename decltype(pick_midpoint_matrix<P>())::type;

// Solves z = z₀ + (h/2) J∇H(z), z = (Q, P), by a simplified Newton iteration.
// H'' is formed once per step, by dual numbers; the fixed-point iteration would
// need h ω < 2. If H'' changes so much in a step that this does not contract,
// approach() finds the solution, and the same iteration ends there.
template <class P, class X, class LandingMatrix>
  requires(Hamiltonian<P> && Castable<P>)
class MidpointSolve {
 public:
  using T = typename P::Scalar;
  static constexpr int size2 = P::n == dynamic ? dynamic : 2 * P::n;

  MidpointSolve(const P& s, const X& x)
      : n_(s.coordinates()),
        matrix_(s),
        middle_(x),
        velocity_(zero_vector(s)),
        force_(velocity_),
        residual_(Vector<T, size2>::Zero(2 * n_)),
        unit_(Vector<Real<T>, size2>::Zero(2 * n_)) {}

  Expected<int> prepare(const X& x, const T& h) {
    near_ = false;
    return matrix_.prepare(x, h);
  }

  // Prepares the following steps from x, which are to land on g = 0, in another
  // way: see DampedLanding. It starts at x, for the branch of solutions that h
  // → 0 leads to.
  [[gnu::cold, gnu::noinline]] Expected<int> approach(const P& s, const X& x, const typename P::Jacobian& G0,
                                                      typename P::Multiplier& mu, const T& h) {
    if (!damped_) damped_.emplace(s, 1);
    middle_ = x;
    Stage stage{*this, s, x, h, middle_, zero_vector(s)};
    auto found = damped_->approach(s, stage, x.q, x.p, G0, h, mu);
    if (!found) found = follow(s, x, G0, mu, h, found.error());
    near_ = static_cast<bool>(found);
    return found;
  }

  Expected<int> step(const P& s, X& x, const T& h) {
    if (!near_) middle_ = x;
    const auto solved = drive_to_zero(
        ToRounding{{.max_iterations = 200}}, residual_, unit_,
        [&] {
          slopes(s);
          for (int i = 0; i < n_; ++i) {
            residual_[i] = middle_.q[i] - x.q[i] - h / 2 * velocity_[i];    // (N1)
            residual_[n_ + i] = middle_.p[i] - x.p[i] + h / 2 * force_[i];  // (N2)
          }
        },
        [&](auto& unit) {
          // Components mix in A⁻¹, so the largest one sets the rounding level
          // of its kind.
          Real<T> q_size(0), p_size(0);
          for (int i = 0; i < n_; ++i) {
            q_size = larger(q_size, magnitude(x.q[i]) + magnitude(h * velocity_[i]));
            p_size = larger(p_size, magnitude(x.p[i]) + magnitude(h * force_[i]));
          }
          unit.head(n_).setConstant(q_size);
          unit.tail(n_).setConstant(p_size);
          unit *= Real<T>(epsilon<T>() / 2);
        },
        [&](const Mask<T>& active) {
          matrix_.solve(residual_);
          for (int i = 0; i < n_; ++i) {
            middle_.q[i] = select(active, T(middle_.q[i] - residual_[i]), middle_.q[i]);
            middle_.p[i] = select(active, T(middle_.p[i] - residual_[n_ + i]), middle_.p[i]);
          }
          return -1;
        },
        SeenRateOrLost<T>(stage_noise));
    if (!solved) {
      Failure failure = solved.error();
      failure.stage = SolveStage::inner;
      failure.constraint = -1;
      return failure;
    }
    slopes(s);
    drift(x, h * velocity_);  // (N3)
    kick(x, -h * force_);     // (N4)
    return solved;
  }

  template <class Jacobian, class Matrix>
  void response(const Jacobian& G, Matrix& K) const {
    matrix_.response(G, K);
  }

 private:
  // Follows the solution from the step 0, at which it is x, to h.                                       (N7)
  Expected<int> follow(const P& s, const X& x, const typename P::Jacobian& G0, typename P::Multiplier& mu,
                       const T& h, const Failure& failure) {
    middle_ = x;
    set_zero(mu);
    const int made = follow_from_rest([&](double part) {
      const X last = middle_;
      const typename P::Multiplier mu_last = mu;
      const T shorter = T(part) * h;
      Stage stage{*this, s, x, shorter, middle_, zero_vector(s)};
      const auto found = damped_->approach_from(s, stage, x.q, x.p, G0, shorter, mu);
      if (found) return *found;
      middle_ = last;
      mu = mu_last;
      return -1;
    });
    if (made < 0) return failure;
    return failure.iterations + made;
  }

  // What DampedLanding asks of the one stage.
  struct Stage {
    MidpointSolve& at;
    const P& s;
    const X& x;
    const T& h;
    X kept;
    typename P::Vec q1;

    void look(const typename P::Vec& impulse) {
      at.slopes(s);
      for (int i = 0; i < at.n_; ++i) {
        at.residual_[i] = at.middle_.q[i] - x.q[i] - h / 2 * at.velocity_[i];                    // (N1)
        at.residual_[at.n_ + i] = at.middle_.p[i] - x.p[i] - impulse[i] + h / 2 * at.force_[i];  // (N2)
        q1[i] = at.middle_.q[i] + (at.middle_.q[i] - x.q[i]);
      }
    }
    const auto& residual() const { return at.residual_; }
    const auto& end() const { return q1; }
    Expected<int> linearise() { return at.matrix_.prepare(at.middle_, h); }
    void solve(Vector<T, size2>& v) const { at.matrix_.solve(v); }
    void shift(const Vector<T, size2>& v, typename P::Vec& d) const { d = T(2) * v.head(at.n_); }
    template <class Jacobian, class Matrix>
    void response(const Jacobian& G, Matrix& K) const {
      at.matrix_.response(G, K);
    }
    void keep() { kept = at.middle_; }
    void go(const Vector<T, size2>& v) {
      at.middle_.q = kept.q + v.head(at.n_);
      at.middle_.p = kept.p + v.tail(at.n_);
    }
  };

  void slopes(const P& s) {
    H_p(s, middle_.q, middle_.p, velocity_);
    H_q(s, middle_.q, middle_.p, force_);
  }

  int n_;
  MidpointMatrix<P> matrix_;
  X middle_;           // (Q, P)
  bool near_ = false;  // the middle is near the solution already
  std::optional<DampedLanding<P, LandingMatrix, size2>> damped_;
  typename P::Vec velocity_, force_;
  Vector<T, size2> residual_;
  Vector<Real<T>, size2> unit_;
};

struct ImplicitMidpoint {
  static constexpr MethodFacts facts{.name = "midpoint",
                                     .what =
                                         "implicit midpoint rule under the projection, any H(q, p); "
                                         "algebraically stable",
                                     .source = "Reich 3.1 (24)",
                                     .theory = "implicit-midpoint",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true,
                                     .tier = Tier::hamiltonian,
                                     .work = 4,
                                     .solve_limit = most_linear_corrections + most_damped_corrections};
  static constexpr bool offers_plain_updates = true;
  static Spelling spelling() { return spelled("implicit_midpoint.hpp", "ImplicitMidpoint"); }

  template <class P>
  static constexpr bool fits = Hamiltonian<P> && Castable<P>;
  template <class P>
  using ResponseMatrix =
      std::conditional_t<has_force_pattern<P>, MidpointLanding<P>, DenseConstraintMatrix<P>>;
  template <class P, class X>
  struct Memory {
    Memory(const P& s, const X& x) : middle(s, x) {}
    MidpointSolve<P, X, ResponseMatrix<P>> middle;
  };

  template <class P, class X>
  Expected<int> prepare(const P&, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return at.middle.prepare(x, h);
  }
  template <class P, class X>
  bool may_approach(const Memory<P, X>&) const {
    return true;
  }
  template <class P, class X>
  Expected<int> approach(const P& s, const X& x, const typename P::Jacobian& G0, typename P::Multiplier& mu,
                         Memory<P, X>& at, const typename P::Scalar& h) const {
    return at.middle.approach(s, x, G0, mu, h);
  }
  template <class P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return at.middle.step(s, x, h);
  }
  template <class P, class X, class J, class Matrix>
  void response(const P&, const Memory<P, X>& at, const J& G, Matrix& K) const {
    at.middle.response(G, K);
  }
};

// The natural system whose potential is the fast part alone.
template <Split P>
struct FastPart : P {
  explicit FastPart(const P& s) : P(s) {}
  typename P::Scalar V(const typename P::Vec& q) const { return P::V_fast(q); }
  void grad_V(const typename P::Vec& q, typename P::Vec& out) const { P::grad_V_fast(q, out); }
  template <class Entry>
    requires requires(const P& s, const typename P::Vec& q, Entry& entry) { s.curvature_fast(q, entry); }
  void curvature(const typename P::Vec& q, Entry&& entry) const {
    P::curvature_fast(q, entry);
  }
  auto coordinates_in_force() const
    requires requires(const P& s) { s.coordinates_in_fast_force(); }
  {
    return P::coordinates_in_fast_force();
  }
  template <class U>
  auto cast() const {
    return FastPart<decltype(P::template cast<U>())>(P::template cast<U>());
  }
};

struct MixedMidpoint {
  static constexpr MethodFacts facts{.name = "mixed-midpoint",
                                     .what = "fast force by the midpoint rule, slow force in kicks",
                                     .source = "Reich 6",
                                     .theory = "implicit-midpoint",
                                     .order = 2,
                                     .symmetric = true,
                                     .symplectic = true,
                                     .tier = Tier::split,
                                     .work = 4,
                                     .solve_limit = most_linear_corrections + most_damped_corrections};
  static Spelling spelling() { return spelled("implicit_midpoint.hpp", "MixedMidpoint"); }

  template <class P>
  static constexpr bool fits = Split<P> && Castable<P>;
  template <class P>
  using ResponseMatrix = std::conditional_t<
      has_curvature<FastPart<P>>, MidpointConstraintMatrix<P>,
      std::conditional_t<has_force_pattern<FastPart<P>>, MidpointLanding<P>, DenseConstraintMatrix<P>>>;
  template <class P, class X>
  struct Memory {
    Memory(const P& s, const X& x) : fast(s), middle(fast, x), grad(zero_vector(s)) {}
    FastPart<P> fast;
    MidpointSolve<FastPart<P>, X, ResponseMatrix<P>> middle;
    typename P::Vec grad;
  };

  template <class P, class X>
  Expected<int> prepare(const P&, const X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    return at.middle.prepare(x, h);
  }
  template <class P, class X>
  bool may_approach(const Memory<P, X>&) const {
    return true;
  }
  template <class P, class X>
  Expected<int> approach(const P& s, const X& x, const typename P::Jacobian& G0, typename P::Multiplier& mu,
                         Memory<P, X>& at, const typename P::Scalar& h) const {
    X kicked = x;
    s.grad_V_slow(kicked.q, at.grad);
    kick(kicked, -h / 2 * at.grad);  // (X1)
    return at.middle.approach(at.fast, kicked, G0, mu, h);
  }
  template <class P, class X>
  Expected<int> map(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    s.grad_V_slow(x.q, at.grad);
    kick(x, -h / 2 * at.grad);                          // (X1)
    const auto solved = at.middle.step(at.fast, x, h);  // (X2)
    if (!solved) return solved;
    s.grad_V_slow(x.q, at.grad);
    kick(x, -h / 2 * at.grad);  // (X3)
    return solved;
  }
  template <class P, class X, class J, class Matrix>
  void response(const P&, const Memory<P, X>& at, const J& G, Matrix& K) const {
    at.middle.response(G, K);
  }
};

}  // namespace taut
