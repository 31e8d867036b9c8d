// Local charts Aq = δ of g = 0, which are chosen and changed without the user: Leimkuhler-Reich (7)-(11), for
// any H(q, p). A is constant in a chart. How well a chart suits a point is σ(A, q) = σ_min(A Z), with Z an
// orthonormal basis of ker G(q) and A with orthonormal rows: σ = 1 if A spans ker G, and 0 if R = [A; G] is
// singular. Labels: docs/theory/charts.md.
#pragma once

#include <taut/formulation/chart_rule.hpp>
#include <taut/formulation/state_space.hpp>
#include <taut/solve/drive_to_zero.hpp>

#include <Eigen/QR>

#include <vector>

namespace taut {

template <Smooth P>
class ChartField {
 public:
  using T = typename P::Scalar;
  static constexpr bool reduced = true;
  static constexpr int k = free_coordinates<P>;
  using Vec = Vector<T, k>;
  using Position = typename P::Vec;
  using Lifted = Cast<P, Dual<T, 1>>;

  explicit ChartField(const P& s, const ChartRule& by = {})
      : rule(by),
        n_(s.coordinates()),
        m_(s.constraints()),
        A(Eigen::MatrixXd::Zero(n_ - m_, n_)),
        guess_(zero_vector(s)),
        velocity_(guess_),
        force_(guess_),
        q_at_(guess_),
        p_at_(guess_),
        system_(n_),
        residual_(zero_vector(s)),
        unit_(Vector<Real<T>, P::n>::Zero(n_)),
        reach_(unit_),
        bound_(Vector<Real<T>, P::m>::Zero(m_)),
        g_(zero_multiplier(s)),
        G_(s.make_jacobian()),
        solver_(s),
        nu_(g_),
        lifted_(s.template cast<Dual<T, 1>>()),
        G1_(lifted_.make_jacobian()),
        q1_(zero_vector(lifted_)),
        v1_(q1_),
        l1_(zero_multiplier(lifted_)) {}

  ChartRule rule;

 private:
  int n_, m_;

 public:
  Eigen::MatrixXd A;
  int charts = 0;  // how many were chosen so far
  int parameters() const { return n_ - m_; }
  template <class Carry>
  void carry(Carry& c) {
    c(A);
    c(charts);
  }

  // Returns σ: how well the present chart suits q.
  double suits(const P& s, const Position& q) const { return smallest_cosine(A, kernel(s, q)); }

  bool is_worn_out(const P& s, const Position& q) const { return suits(s, q) < rule.threshold; }
  bool changes_before_the_step() const { return rule.change == ChartSwitch::before; }

  // Chooses a new chart at q. Returns false if G has lost rank, or if the best choice of coordinates is the
  // present one.
  bool choose(const P& s, const Position& q) {
    const Eigen::MatrixXd Z = kernel(s, q);
    if (!Z.allFinite()) return false;
    const Eigen::MatrixXd next =
        rule.kind == ChartKind::tangent ? Eigen::MatrixXd(Z.transpose()) : best_coordinates(Z);
    if (charts > 0 && (next - A).lpNorm<Eigen::Infinity>() == 0) return false;
    A = next;
    ++charts;
    return true;
  }

  // Enters the chart: δ = Aq; θ = φ'ᵀp, the first part of R⁻ᵀp.
  Expected<int> enter(const P& s, const Position& q, const Position& p, Vec& delta, Vec& theta) {
    if (charts == 0 && !choose(s, q))
      return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    guess_ = q;
    multiply(q, delta);  // (CH1)
    s.G(q, G_);
    if (!factor_transposed()) return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    residual_ = p;
    system_.solve(residual_);
    theta = residual_.head(parameters());  // (CH2)
    return 0;
  }

  // Finds q from (7)-(8) by Newton's iteration, which starts from the q of the last enter(), and then p = Aᵀθ
  // + GᵀΘ with G H_p = 0.
  Expected<int> leave(const P& s, const Vec& delta, const Vec& theta, Position& q, Position& p) {
    State<T, P::n> x{guess_, guess_};
    const auto landed = drive_to_zero(
        ToRounding{}, residual_, unit_,
        [&] {
          multiply(x.q, work_);
          residual_.head(parameters()) = work_ - delta;  // (CH1)
          s.g(x.q, g_);
          residual_.tail(m_) = g_;  // (CH3)
        },
        [&](auto& unit) {
          for (int i = 0; i < n_; ++i) reach_[i] = magnitude(x.q[i]);
          raise_vanishing(reach_);
          s.G(x.q, G_);
          G_.row_bounds(reach_, bound_);
          unit.head(parameters()).setConstant(largest_entry(reach_) * Real<T>(epsilon<T>()));
          unit.tail(m_) = bound_ * Real<T>(epsilon<T>());
        },
        [&](const auto&) {
          s.G(x.q, G_);
          if (const int pivot = factor(); pivot >= 0) return pivot;
          system_.solve(residual_);
          x.q -= residual_;
          return -1;
        });
    if (!landed) return landed;
    multiply_transposed(theta, x.p);
    s.G(x.q, G_);
    const auto tangent = solver_.project(s, ToRounding{}, x, G_, nu_);  // (CH4), Θ = -ν
    if (!tangent) return tangent;
    q = x.q;
    p = x.p;
    return landed;
  }

  bool operator()(const P& s, const Vec& delta, const Vec& theta, Vec& delta_dot, Vec& theta_dot) {
    if (!leave(s, delta, theta, q_at_, p_at_)) return false;
    H_p(s, q_at_, p_at_, velocity_);
    H_q(s, q_at_, p_at_, force_);
    multiply(velocity_, delta_dot);  // (CH5)
    for (int i = 0; i < n_; ++i) {
      q1_[i] = Dual<T, 1>(q_at_[i]);
      q1_[i].tangent[0] = velocity_[i];
    }
    lifted_.G(q1_, G1_);
    for (int i = 0; i < m_; ++i) l1_[i] = Dual<T, 1>(nu_[i]);
    v1_.setZero();
    G1_.subtract_transpose(l1_, v1_);  // its tangent: the derivative of G along H_p, transposed, times Θ
    for (int i = 0; i < n_; ++i) residual_[i] = force_[i] + v1_[i].tangent[0];
    if (!factor_transposed()) return false;
    system_.solve(residual_);
    theta_dot = -residual_.head(parameters());  // (CH6)
    return true;
  }

 private:
  Eigen::MatrixXd kernel(const P& s, const Position& q) const {
    typename P::Jacobian G = s.make_jacobian();
    s.G(q, G);
    Eigen::MatrixXd transposed = Eigen::MatrixXd::Zero(n_, m_);
    G.for_each([&](int i, int j, const T& entry) { transposed(j, i) += lane(entry, 0); });
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(transposed);
    const Eigen::MatrixXd basis = qr.householderQ();
    return basis.rightCols(n_ - m_);
  }
  static double smallest_cosine(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& Z) {
    return (rows * Z).jacobiSvd().singularValues().minCoeff();
  }
  // Picks rows of Z by elimination with column pivoting on Zᵀ: the coordinates that move most independently.
  static Eigen::MatrixXd best_coordinates(const Eigen::MatrixXd& Z) {
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Z.transpose());
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(Z.cols(), Z.rows());
    for (Eigen::Index i = 0; i < Z.cols(); ++i) rows(i, qr.colsPermutation().indices()[i]) = 1;
    return rows;
  }

  template <class Out>
  void multiply(const Position& q, Out& out) const {
    out.setZero(parameters());
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_ - m_; ++i)
        if (A(i, j) != 0) out[i] += T(A(i, j)) * q[j];
  }
  void multiply_transposed(const Vec& theta, Position& out) const {
    out.setZero();
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_ - m_; ++i)
        if (A(i, j) != 0) out[j] += T(A(i, j)) * theta[i];
  }
  int factor() {  // R = [A; G]
    system_.a.setZero();
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_ - m_; ++i) system_.a(i, j) = T(A(i, j));
    G_.for_each([&](int i, int j, const T& entry) { system_.a(n_ - m_ + i, j) += entry; });
    return system_.factor();
  }
  bool factor_transposed() {
    system_.a.setZero();
    for (int j = 0; j < n_; ++j)
      for (int i = 0; i < n_ - m_; ++i) system_.a(j, i) = T(A(i, j));
    G_.for_each([&](int i, int j, const T& entry) { system_.a(j, n_ - m_ + i) += entry; });
    return system_.factor() < 0;
  }

  Position guess_, velocity_, force_, q_at_, p_at_;
  PivotedLU<T, P::n> system_;
  Position residual_;
  Vector<Real<T>, P::n> unit_, reach_;
  Vector<Real<T>, P::m> bound_;
  typename P::Multiplier g_;
  Vec work_;
  typename P::Jacobian G_;
  SolverOf<P> solver_;
  typename P::Multiplier nu_;
  Lifted lifted_;
  typename Lifted::Jacobian G1_;
  typename Lifted::Vec q1_, v1_;
  typename Lifted::Multiplier l1_;
};

struct Charts {
  ChartRule rule{};
  static constexpr FormulationFacts facts{.name = "state-space",
                                          .what =
                                              "Hamilton's equations in local charts Aq = delta, changed "
                                              "automatically: keeps M, the energy drifts with the changes",
                                          .hypothesis = "G of full row rank, H_pp positive definite",
                                          .source = "Leimkuhler-Reich (7)-(11)",
                                          .theory = "charts",
                                          .hamiltonian = true};
  template <class P>
  static constexpr bool fits = Smooth<P> && one_trajectory<P>;
  template <class P>
  using Field = ChartField<P>;

  template <class P>
  Field<P> make_field(const P& s) const {
    return Field<P>(s, rule);
  }
};

}  // namespace taut
