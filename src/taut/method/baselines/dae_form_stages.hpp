// The stages of a Runge-Kutta method on a form of the constrained equations that has multipliers as unknowns
// (dae_forms.hpp). Which equations there are is data, so that one text serves every form. The matrix of
// Newton's iteration comes from dual numbers, with nothing left out, and is dense: these are baselines for
// small systems. Labels: docs/theory/dae-forms.md.
#pragma once

#include <taut/formulation/dae_forms.hpp>
#include <taut/formulation/formulation.hpp>
#include <taut/method/stage_newton.hpp>
#include <taut/method/stage_solve.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/scaled_lu.hpp>

#include <vector>

namespace taut {

// The places of Zᵢ, Yᵢ, Lᵢ, Mᵢ in one vector, and of their equations alike.
struct DaeFormLayout {
  int n, m, stages, kinds;
  int width() const { return 2 * n + kinds * m; }
  int Z(int i) const { return i * width(); }
  int Y(int i) const { return Z(i) + n; }
  int L(int i) const { return Z(i) + 2 * n; }
  int M(int i) const { return L(i) + m; }
  int size() const { return stages * width(); }
};

template <Smooth P>
class DaeFormStages {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Tangent = Dual<T, 1>;
  using Lifted = Cast<P, Tangent>;

  DaeFormStages(const P& s, const Tableau<Float128>& tableau, const DaeForm& form)
      : at_{s.coordinates(), s.constraints(), tableau.stages(), form.kinds()},
        form_(form),
        values_(static_cast<std::size_t>(tableau.stages()), DaeFormValues<P>(s)),
        lifted_(s.template cast<Tangent>()),
        along_(lifted_),
        lu_(at_.size()),
        unknowns_(Vector<T, dynamic>::Zero(at_.size())),
        residual_(unknowns_),
        unit_(unknowns_),
        reach_(Vector<T, P::n>::Zero(s.coordinates())),
        bound_(Vector<T, P::m>::Zero(s.constraints())) {
    for (int i = 0; i < tableau.stages(); ++i)
      for (int j = 0; j < tableau.stages(); ++j) a_.push_back(coefficient<T>(tableau.A(i, j)));
    for (int i = 0; i < tableau.stages(); ++i) c_.push_back(coefficient<T>(tableau.c[i]));
  }

  // Solves for the stages from (q0, p0). Afterwards the last one has the end of a step if its row of the
  // tableau has the weights.
  Expected<int> solve(const P& s, const Vec& q0, const Vec& p0, const T& h, const SolveOptions& options) {
    Equations equations{*this, s, q0, p0, h, options.tolerance};
    Failure last;
    int before = 0;
    for (const DampedBy damped_by : {DampedBy::next_correction, DampedBy::residual}) {
      guess(s, q0, p0, h);
      const int limit = options.max_iterations > 0 ? options.max_iterations : stage_newton_limit;
      const auto solved = damped_newton<T>(equations, damped_by, limit, stage_noise);
      if (solved) return before + *solved;
      before += solved.error().iterations;
      last = solved.error();
    }
    last.iterations = before;
    last.stage = SolveStage::inner;
    last.corrections = Corrections::damped_newton;
    return last;
  }

  auto last_Z() const { return unknowns_.segment(at_.Z(at_.stages - 1), at_.n); }
  auto last_Y() const { return unknowns_.segment(at_.Y(at_.stages - 1), at_.n); }
  const DaeFormValues<P>& last() const { return values_.back(); }

 private:
  struct Equations {
    DaeFormStages& stage;
    const P& s;
    const Vec &q0, &p0;
    const T& h;
    double tolerance;
    Vector<T, dynamic> kept{};

    void evaluate() { stage.evaluate(s, q0, p0, h); }
    void residual(Vector<T, dynamic>& r) const { r = stage.residual_; }
    int form_matrix() { return stage.form_matrix(h); }
    void solve(Vector<T, dynamic>& r) const { stage.lu_.solve(r); }
    void keep() { kept = stage.unknowns_; }
    void move(const Vector<T, dynamic>& d, const T& t) { stage.unknowns_ = kept + t * d; }
    void set_units() { stage.set_units(q0, p0); }
    // Multipliers follow from positions and momenta, and have no unit of their own.
    Real<T> in_units(const Vector<T, dynamic>& d) const { return stage.largest_in_units(d, false); }
    Real<T> residual_in_units() const { return stage.largest_in_units(stage.residual_, true); }
    bool solved() const { return tolerance > 0 && all_within(stage.residual_, tolerance); }
    bool is_sharp() const { return stage.constraints_in_units() <= Real<T>(most_units_left); }
    bool sound() const { return all_finite(stage.residual_); }
    Failure failure(FailureKind kind, int corrections) const {
      Failure found = describe(kind, stage.residual_, corrections, true);
      found.constraint = -1;
      return found;
    }
  };

  // Makes a guess from (q0, p0) alone, so that the step is a function of the state.
  void guess(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    DaeFormValues<P>& x = values_.front();
    x.q = q0;
    x.p = p0;
    x.L.setZero();
    x.M.setZero();
    x.evaluate(s, h, form_);
    speed_before_ = x.speed;
    unknowns_.setZero();
    for (int i = 0; i < at_.stages; ++i) {
      unknowns_.segment(at_.Z(i), at_.n) = c_[static_cast<std::size_t>(i)] * x.v;
      unknowns_.segment(at_.Y(i), at_.n) = -c_[static_cast<std::size_t>(i)] * x.f;
    }
  }

  template <class Values, class U>
  void take(Values& x, int j, const Vec& q0, const Vec& p0) const {
    for (int k = 0; k < at_.n; ++k) {
      x.q[k] = U(q0[k] + unknowns_[at_.Z(j) + k]);
      x.p[k] = U(p0[k] + unknowns_[at_.Y(j) + k]);
    }
    for (int k = 0; k < at_.m; ++k) {
      x.L[k] = U(unknowns_[at_.L(j) + k]);
      if (form_.position) x.M[k] = U(unknowns_[at_.M(j) + k]);
    }
  }

  void evaluate(const P& s, const Vec& q0, const Vec& p0, const T& h) {
    q0_ = &q0;
    p0_ = &p0;
    residual_ = unknowns_;
    for (int j = 0; j < at_.stages; ++j) {
      DaeFormValues<P>& x = values_[static_cast<std::size_t>(j)];
      take<DaeFormValues<P>, T>(x, j, q0, p0);
      x.evaluate(s, h, form_);
      for (int i = 0; i < at_.stages; ++i) {
        residual_.segment(at_.Z(i), at_.n) -= a(i, j) * x.v;  // (DX5)
        residual_.segment(at_.Y(i), at_.n) += a(i, j) * x.f;  // (DX6)
      }
    }
    for (int j = 0; j < at_.stages; ++j) {
      const DaeFormValues<P>& x = values_[static_cast<std::size_t>(j)];
      residual_.segment(at_.L(j), at_.m) = x.psi;                    // (DX3) = 0
      if (form_.position) residual_.segment(at_.M(j), at_.m) = x.g;  // (DX4) = 0
    }
  }

  int form_matrix(const T& h) {
    auto& matrix = lu_.a();
    matrix.setZero();
    for (int j = 0; j < at_.stages; ++j) {
      take<DaeFormValues<Lifted>, Tangent>(along_, j, *q0_, *p0_);
      for (int k = 0; k < at_.width(); ++k) {
        Tangent& moved = unknown(k);
        moved.tangent[0] = T(1);
        along_.evaluate(lifted_, Tangent(h), form_);
        moved.tangent[0] = T(0);
        add_column(j, at_.Z(j) + k);
      }
    }
    for (int i = 0; i < at_.stages; ++i)
      for (int k = 0; k < 2 * at_.n; ++k) matrix(at_.Z(i) + k, at_.Z(i) + k) += T(1);
    return lu_.factor();
  }
  Tangent& unknown(int k) {
    if (k < at_.n) return along_.q[k];
    if (k < 2 * at_.n) return along_.p[k - at_.n];
    if (k < 2 * at_.n + at_.m) return along_.L[k - 2 * at_.n];
    return along_.M[k - 2 * at_.n - at_.m];
  }
  void add_column(int j, int column) {
    auto& matrix = lu_.a();
    for (int k = 0; k < at_.n; ++k)
      for (int i = 0; i < at_.stages; ++i) {
        matrix(at_.Z(i) + k, column) -= a(i, j) * along_.v[k].tangent[0];
        matrix(at_.Y(i) + k, column) += a(i, j) * along_.f[k].tangent[0];
      }
    for (int k = 0; k < at_.m; ++k) {
      matrix(at_.L(j) + k, column) = along_.psi[k].tangent[0];
      if (form_.position) matrix(at_.M(j) + k, column) = along_.g[k].tangent[0];
    }
  }

  // What rounding alone gives to each residual.
  void set_units(const Vec& q0, const Vec& p0) {
    const T half(epsilon<T>() / 2), tiny(0x1p-1000);
    const T q_size = largest_entry(q0) + largest_entry(values_.back().q);
    const T p_size = largest_entry(p0) + largest_entry(values_.back().p);
    for (int i = 0; i < at_.stages; ++i) {
      const DaeFormValues<P>& x = values_[static_cast<std::size_t>(i)];
      unit_.segment(at_.Z(i), at_.n).setConstant(larger(half * q_size, tiny));
      unit_.segment(at_.Y(i), at_.n).setConstant(larger(half * p_size, tiny));
      reach_.setConstant(speed_before_ + x.speed);  // p is p0 + Y, and may vanish where p0 does not
      x.G.row_bounds(reach_, bound_);
      for (int k = 0; k < at_.m; ++k) unit_[at_.L(i) + k] = larger(half * bound_[k], tiny);
      if (!form_.position) continue;
      reach_.setConstant(q_size);
      x.G.row_bounds(reach_, bound_);
      for (int k = 0; k < at_.m; ++k) unit_[at_.M(i) + k] = larger(half * bound_[k], tiny);
    }
  }

  Real<T> largest_in_units(const Vector<T, dynamic>& d, bool constraints_too) const {
    Real<T> largest(0);
    for (int i = 0; i < at_.stages; ++i)
      for (int k = 0; k < (constraints_too ? at_.width() : 2 * at_.n); ++k)
        largest = larger(largest, Real<T>(magnitude(d[at_.Z(i) + k]) / unit_[at_.Z(i) + k]));
    return largest;
  }
  Real<T> constraints_in_units() const {
    Real<T> largest(0);
    for (int i = 0; i < at_.stages; ++i)
      for (int k = at_.L(i); k < at_.Z(i) + at_.width(); ++k)
        largest = larger(largest, Real<T>(magnitude(residual_[k]) / unit_[k]));
    return largest;
  }

  const T& a(int i, int j) const { return a_[static_cast<std::size_t>(i * at_.stages + j)]; }

  DaeFormLayout at_;
  DaeForm form_;
  std::vector<T> a_, c_;
  std::vector<DaeFormValues<P>> values_;
  Lifted lifted_;
  DaeFormValues<Lifted> along_;
  ScaledLU<T> lu_;
  Vector<T, dynamic> unknowns_, residual_, unit_;
  Vector<T, P::n> reach_;
  Vector<T, P::m> bound_;
  T speed_before_{0};                        // max |H_p| at (q0, p0)
  const Vec *q0_ = nullptr, *p0_ = nullptr;  // those of the last evaluation
};

}  // namespace taut
