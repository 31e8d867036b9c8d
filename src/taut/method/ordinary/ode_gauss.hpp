// Gauss' methods on the field of a formulation; with one stage this is the implicit midpoint rule. They are
// symplectic if the formulation is Hamiltonian, and keep quadratic first integrals of the field. Labels:
// docs/theory/ode-gauss.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/ordinary/ode_scheme.hpp>
#include <taut/method/stage_newton.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/drive_to_zero.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace taut {

struct OdeGauss {
  int s = 2;
  bool is_midpoint = false;  // listed under the name implicit-midpoint

  SchemeFacts facts() const {
    return {.name = is_midpoint ? "implicit-midpoint" : "gauss",
            .argument = is_midpoint ? 0 : s,
            .what = is_midpoint ? "implicit midpoint rule" : "s-stage Gauss",
            .source = "Leimkuhler-Reich 2, 3",
            .theory = "ode-gauss",
            .order = 2 * s,
            .symmetric = true,
            .symplectic = true};
  }

  static constexpr MethodNumber number() { return {"s", "stages", 1, 16}; }
  OdeGauss numbered(int stages) const { return {.s = stages}; }

  template <class Field, class P>
  struct Memory {
    using T = typename P::Scalar;
    using Vec = typename Field::Vec;
    Memory(const OdeGauss& method, const P&, int size)
        : dy(Vec::Zero(size)),
          dz(dy),
          Y(dy),
          Z(dy),
          stage_y(static_cast<std::size_t>(method.s), dy),
          stage_z(stage_y),
          slope_y(stage_y),
          slope_z(stage_y),
          residual(Vector<T, dynamic>::Zero(2 * method.s * size)),
          unit(Vector<Real<T>, dynamic>::Zero(residual.size())) {
      const Tableau<Float128> t = gauss_tableau(method.s);
      for (int i = 0; i < method.s; ++i) {
        b.push_back(coefficient<T>(t.b[i]));
        for (int j = 0; j < method.s; ++j) a.push_back(coefficient<T>(t.A(i, j)));
      }
    }
    Vec dy, dz, Y, Z;
    std::vector<Vec> stage_y, stage_z, slope_y, slope_z;  // increments and slopes at the stages
    Vector<T, dynamic> residual;
    Vector<Real<T>, dynamic> unit;
    Real<T> y_size{0}, z_size{0};  // the sizes that the units are taken from
    std::vector<T> a, b;
  };

  // Makes the step by fixed-point iteration, because the slopes of a formulation have no cheap derivative. It
  // starts from the state alone. If it does not converge, Newton's iteration takes its place.
  template <class P, class Field>
  Expected<int> increments(const P& problem, Field& field, const typename Field::Vec& y,
                           const typename Field::Vec& z, Memory<Field, P>& at, const typename P::Scalar& h,
                           const SolveOptions& options) const {
    auto solved = by_fixed_point(problem, field, y, z, at, h, options);
    if constexpr (is_float<typename P::Scalar>)
      if (!solved && at.residual.size() <= most_stage_rows)
        solved = by_newton(problem, field, y, z, at, h, options, solved.error());
    if (!solved) return solved;
    at.dy.setZero();
    at.dz.setZero();
    for (std::size_t i = 0; i < stages(); ++i) {
      at.dy += (h * at.b[i]) * at.slope_y[i];  // (OG2)
      at.dz += (h * at.b[i]) * at.slope_z[i];
    }
    return solved;
  }

 private:
  template <class P, class Field>
  Expected<int> by_fixed_point(const P& problem, Field& field, const typename Field::Vec& y,
                               const typename Field::Vec& z, Memory<Field, P>& at,
                               const typename P::Scalar& h, const SolveOptions& options) const {
    using R = Real<typename P::Scalar>;
    R least_y(0), least_z(0);
    const auto solved = attempt(problem, field, y, z, at, h, options, least_y, least_z);
    if (solved || solved.error().kind != FailureKind::not_converged) return solved;
    // At rest in the origin the first slopes do not tell how far the stages are from it, and the units would
    // be those of nothing. An iteration that diverges is also far from the state, with a large residual.
    for (std::size_t i = 0; i < stages(); ++i) {
      least_y = larger(least_y, largest_entry(at.stage_y[i]));
      least_z = larger(least_z, largest_entry(at.stage_z[i]));
    }
    const auto raised = [](const R& now, const R& before) { return any(Mask<R>(now > before + before)); };
    if (!raised(least_y, at.y_size) && !raised(least_z, at.z_size)) return solved;
    if (any(Mask<R>(!(R(solved.error().residual) <= R(nearly_solved) * larger(least_y, least_z)))))
      return solved;
    return attempt(problem, field, y, z, at, h, options, least_y, least_z);
  }

  // Solves the stages, with units of rounding for y and z of these sizes at least.
  template <class P, class Field>
  Expected<int> attempt(const P& problem, Field& field, const typename Field::Vec& y,
                        const typename Field::Vec& z, Memory<Field, P>& at, const typename P::Scalar& h,
                        const SolveOptions& options, const Real<typename P::Scalar>& least_y,
                        const Real<typename P::Scalar>& least_z) const {
    using T = typename P::Scalar;
    const Eigen::Index n = y.size();
    for (std::size_t i = 0; i < stages(); ++i) {
      at.stage_y[i].setZero();
      at.stage_z[i].setZero();
    }
    bool regular = true;
    const auto solved = drive_to_zero(
        {.tolerance = options.tolerance,
         .max_iterations = options.max_iterations > 0 ? options.max_iterations : 200},
        at.residual, at.unit, [&] { regular = regular && evaluate(problem, field, y, z, at, h); },
        [&](auto& unit) {
          const Real<T> half(epsilon<T>() / 2);
          using Vec = typename Field::Vec;
          at.y_size = larger(larger(largest_entry(y), largest_entry(Vec(h * at.slope_y[0]))), least_y);
          at.z_size = larger(larger(largest_entry(z), largest_entry(Vec(h * at.slope_z[0]))), least_z);
          for (std::size_t i = 0; i < stages(); ++i) {
            unit.segment(static_cast<Eigen::Index>(2 * i) * n, n).setConstant(half * at.y_size);
            unit.segment(static_cast<Eigen::Index>(2 * i + 1) * n, n).setConstant(half * at.z_size);
          }
        },
        [&](const Mask<T>& active) {
          for (std::size_t i = 0; i < stages(); ++i)
            for (Eigen::Index k = 0; k < n; ++k) {
              at.stage_y[i][k] -= select(active, at.residual[static_cast<Eigen::Index>(2 * i) * n + k], T(0));
              at.stage_z[i][k] -=
                  select(active, at.residual[static_cast<Eigen::Index>(2 * i + 1) * n + k], T(0));
            }
          return -1;
        });
    if (!regular) return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    if (!solved) {
      Failure failure = solved.error();
      failure.stage = SolveStage::inner;
      failure.constraint = -1;
      return failure;
    }
    return solved;
  }

  // Evaluates the slopes and the residual. Returns false if a slope is not defined.
  template <class P, class Field>
  bool evaluate(const P& problem, Field& field, const typename Field::Vec& y, const typename Field::Vec& z,
                Memory<Field, P>& at, const typename P::Scalar& h) const {
    using T = typename P::Scalar;
    const Eigen::Index n = y.size();
    for (std::size_t j = 0; j < stages(); ++j) {
      at.Y = y + at.stage_y[j];
      at.Z = z + at.stage_z[j];
      if (!field(problem, at.Y, at.Z, at.slope_y[j], at.slope_z[j])) {
        at.residual.setConstant(T(std::numeric_limits<double>::quiet_NaN()));
        return false;
      }
    }
    for (std::size_t i = 0; i < stages(); ++i) {
      auto ry = at.residual.segment(static_cast<Eigen::Index>(2 * i) * n, n);
      auto rz = at.residual.segment(static_cast<Eigen::Index>(2 * i + 1) * n, n);
      ry = at.stage_y[i];
      rz = at.stage_z[i];
      for (std::size_t j = 0; j < stages(); ++j) {
        ry -= (h * at.a[i * stages() + j]) * at.slope_y[j];  // (OG1)
        rz -= (h * at.a[i * stages() + j]) * at.slope_z[j];
      }
    }
    return true;
  }

  // The stage equations as damped_newton() asks for them. F' is by differences: it need not be exact.
  template <class P, class Field>
  struct Equations {
    using T = typename P::Scalar;
    using Unknowns = Vector<T, dynamic>;
    const OdeGauss& method;
    const P& problem;
    Field& field;
    const typename Field::Vec &y, &z;
    Memory<Field, P>& at;
    const T& h;
    double tolerance;
    PivotedLU<T, dynamic> lu;
    T y_size{0}, z_size{0};  // how large the state is, or how far the first slopes lead
    Unknowns kept = {};

    void evaluate() { method.evaluate(problem, field, y, z, at, h); }
    // Takes the units from the state and the stages as they are now: the fixed-point iteration may have seen
    // others, far away.
    void set_units() {
      T of_y = largest_entry(y), of_z = largest_entry(z);
      for (std::size_t i = 0; i < method.stages(); ++i) {
        of_y = larger(of_y, largest_entry(at.stage_y[i]));
        of_z = larger(of_z, largest_entry(at.stage_z[i]));
      }
      const Eigen::Index n = y.size();
      const T half(epsilon<T>() / 2), least(0x1p-1000);
      for (Eigen::Index k = 0; k < at.unit.size(); ++k)
        at.unit[k] = T(1) / larger(half * (k / n % 2 == 0 ? of_y : of_z), least);
    }
    void residual(Unknowns& r) const { r = at.residual; }
    void solve(Unknowns& r) const { lu.solve(r); }
    T in_units(const Unknowns& d) const { return largest_in_units(d, at.unit); }
    T residual_in_units() const { return in_units(at.residual); }
    T plain_residual() const { return largest_entry(at.residual); }
    bool is_sharp() const { return true; }
    bool solved() const { return tolerance > 0 && all_within(at.residual, tolerance); }
    bool sound() const { return all_finite(at.residual); }
    Failure failure(FailureKind kind, int corrections) const {
      return describe(kind, at.residual, corrections, true);
    }
    // Asks whether the stages are in reach of the state. Where forces of constraints fade with the distance,
    // equations may have roots very far away, which are not those that lead back to the state as h → 0.
    bool is_near() const {
      for (std::size_t i = 0; i < method.stages(); ++i)
        if (!(largest_entry(at.stage_y[i]) <= T(reach) * y_size &&
              largest_entry(at.stage_z[i]) <= T(reach) * z_size))
          return false;
      return true;
    }
    void keep() {
      kept.resize(at.residual.size());
      each_stage([&](auto part, auto& stage) { part = stage; });
    }
    void move(const Unknowns& d, const T& t) {
      const Unknowns moved = kept + t * d;
      const Eigen::Index n = y.size();
      for (std::size_t i = 0; i < method.stages(); ++i) {
        at.stage_y[i] = moved.segment(static_cast<Eigen::Index>(2 * i) * n, n);
        at.stage_z[i] = moved.segment(static_cast<Eigen::Index>(2 * i + 1) * n, n);
      }
    }
    // Forms 1 - h A ⊗ F' and factors it. Returns -1, or a column.
    int form_matrix() {
      lu.a.setIdentity();
      for (std::size_t j = 0; j < method.stages(); ++j)
        for (Eigen::Index k = 0; k < 2 * y.size(); ++k)
          if (!add_column(j, k)) return static_cast<int>(k);
      return lu.factor();
    }

   private:
    template <class Use>
    void each_stage(Use&& use) {
      const Eigen::Index n = y.size();
      for (std::size_t i = 0; i < method.stages(); ++i) {
        use(kept.segment(static_cast<Eigen::Index>(2 * i) * n, n), at.stage_y[i]);
        use(kept.segment(static_cast<Eigen::Index>(2 * i + 1) * n, n), at.stage_z[i]);
      }
    }
    bool add_column(std::size_t j, Eigen::Index k) {
      const Eigen::Index n = y.size();
      typename Field::Vec Y = y + at.stage_y[j], Z = z + at.stage_z[j], dy = Y, dz = Z, below_y = Y,
                          below_z = Z;
      T& x = k < n ? Y[k] : Z[k - n];
      const T x0 = x;
      const T little = T(std::cbrt(epsilon<T>())) * larger(magnitude(x0), k < n ? y_size : z_size);
      if (!(little > T(0))) return true;  // nothing moves
      x = x0 - little;
      if (!field(problem, Y, Z, below_y, below_z)) return false;
      x = x0 + little;
      if (!field(problem, Y, Z, dy, dz)) return false;
      const Eigen::Index column = static_cast<Eigen::Index>(2 * j) * n + k;
      for (std::size_t i = 0; i < method.stages(); ++i) {
        const T factor = h * at.a[i * method.stages() + j] / (2 * little);
        const Eigen::Index row = static_cast<Eigen::Index>(2 * i) * n;
        lu.a.col(column).segment(row, n) -= factor * (dy - below_y);
        lu.a.col(column).segment(row + n, n) -= factor * (dz - below_z);
      }
      return true;
    }
  };

  // A residual of less than this part of the stages shows that they are found but for rounding.
  static constexpr double nearly_solved = 0x1p-26;
  // A stage moves at most this many times as far as the state is large, or as the first slope leads.
  static constexpr double reach = 16;

  // Solves (OG1) by Newton's iteration. It starts from rest, and from the slopes there.             (OG3)
  template <class P, class Field>
  [[gnu::cold, gnu::noinline]] Expected<int> by_newton(const P& problem, Field& field,
                                                       const typename Field::Vec& y,
                                                       const typename Field::Vec& z, Memory<Field, P>& at,
                                                       const typename P::Scalar& h,
                                                       const SolveOptions& options,
                                                       const Failure& failure) const {
    using T = typename P::Scalar;
    T shorter = h;
    Equations<P, Field> equations{*this,
                                  problem,
                                  field,
                                  y,
                                  z,
                                  at,
                                  shorter,
                                  options.tolerance,
                                  PivotedLU<T, dynamic>(static_cast<int>(at.residual.size()))};
    const auto rest = [&] {
      for (std::size_t i = 0; i < stages(); ++i) {
        at.stage_y[i].setZero();
        at.stage_z[i].setZero();
      }
    };
    rest();
    if (!evaluate(problem, field, y, z, at, h)) return failure;
    equations.y_size = larger(largest_entry(y), T(magnitude(h) * largest_entry(at.slope_y[0])));
    equations.z_size = larger(largest_entry(z), T(magnitude(h) * largest_entry(at.slope_z[0])));
    const Vector<T, dynamic> first = at.residual;  // the slopes of the state lead by -first
    int corrections = failure.iterations;
    for (const DampedBy damped_by : {DampedBy::next_correction, DampedBy::residual, DampedBy::plain_residual})
      for (const double part : {0.0, 1.0, 0.5}) {
        rest();
        equations.keep();
        equations.move(first, T(-part));
        const auto solved = damped_newton<T>(equations, damped_by, damping_limit(damped_by), stage_noise);
        if (solved && equations.is_near()) return corrections + *solved;
        corrections += solved ? *solved : solved.error().iterations;
      }
    rest();
    const int made = follow_from_rest([&](double part) {  // (OG4)
      shorter = T(part) * h;
      equations.keep();
      const Vector<T, dynamic> before = equations.kept;
      for (const DampedBy damped_by : {DampedBy::residual, DampedBy::next_correction}) {
        const auto solved = damped_newton<T>(equations, damped_by, damping_limit(damped_by), stage_noise);
        if (solved && equations.is_near()) return *solved;
        equations.kept = before;
        equations.move(before, T(0));
      }
      return -1;
    });
    if (made >= 0) return corrections + made;
    Failure last = failure;
    last.iterations = corrections;
    return last;
  }

  std::size_t stages() const { return static_cast<std::size_t>(s); }
};

}  // namespace taut
