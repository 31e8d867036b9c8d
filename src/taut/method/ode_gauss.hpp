// Gauss' methods on the field of a formulation; with one stage this is the implicit midpoint rule. They are
// symplectic if the formulation is Hamiltonian, and keep quadratic first integrals of the field. Labels:
// docs/theory/ode-gauss.md.
#pragma once

#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/ode_scheme.hpp>
#include <taut/method/tableau.hpp>
#include <taut/solve/drive_to_zero.hpp>

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
    std::vector<T> a, b;
  };

  // Makes the step by fixed-point iteration, because the slopes of a formulation have no cheap derivative. It
  // starts from the state alone.
  template <class P, class Field>
  Expected<int> increments(const P& problem, Field& field, const typename Field::Vec& y,
                           const typename Field::Vec& z, Memory<Field, P>& at, const typename P::Scalar& h,
                           const SolveOptions& options) const {
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
        at.residual, at.unit,
        [&] {
          for (std::size_t j = 0; j < stages() && regular; ++j) {
            at.Y = y + at.stage_y[j];
            at.Z = z + at.stage_z[j];
            regular = field(problem, at.Y, at.Z, at.slope_y[j], at.slope_z[j]);
          }
          if (!regular) {
            at.residual.setConstant(T(std::numeric_limits<double>::quiet_NaN()));
            return;
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
        },
        [&](auto& unit) {
          const Real<T> half(epsilon<T>() / 2);
          using Vec = typename Field::Vec;
          const Real<T> y_size = larger(largest_entry(y), largest_entry(Vec(h * at.slope_y[0])));
          const Real<T> z_size = larger(largest_entry(z), largest_entry(Vec(h * at.slope_z[0])));
          for (std::size_t i = 0; i < stages(); ++i) {
            unit.segment(static_cast<Eigen::Index>(2 * i) * n, n).setConstant(half * y_size);
            unit.segment(static_cast<Eigen::Index>(2 * i + 1) * n, n).setConstant(half * z_size);
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
    at.dy.setZero();
    at.dz.setZero();
    for (std::size_t i = 0; i < stages(); ++i) {
      at.dy += (h * at.b[i]) * at.slope_y[i];  // (OG2)
      at.dz += (h * at.b[i]) * at.slope_z[i];
    }
    return solved;
  }

 private:
  std::size_t stages() const { return static_cast<std::size_t>(s); }
};

}  // namespace taut
