// Explicit Runge-Kutta methods on the field of a formulation, from the table. Labels:
// docs/theory/explicit-runge-kutta.md.
#pragma once

#include <taut/method/memory.hpp>
#include <taut/method/ordinary/explicit_tableau.hpp>
#include <taut/method/ordinary/ode_scheme.hpp>
#include <taut/solve/options.hpp>
#include <taut/solve/residual_size.hpp>

#include <cmath>
#include <vector>

namespace taut {

struct ExplicitRungeKutta {
  const ExplicitScheme* scheme = &explicit_schemes[2];
  static constexpr bool is_explicit = true;

  SchemeFacts facts() const {
    return {.name = scheme->name,
            .what = scheme->what,
            .source = scheme->source,
            .theory = "explicit-runge-kutta",
            .order = scheme->order};
  }

  template <class Field, class P>
  struct Memory {
    using T = typename P::Scalar;
    using Vec = typename Field::Vec;
    Memory(const ExplicitRungeKutta& method, const P&, int size)
        : dy(Vec::Zero(size)),
          dz(dy),
          error_y(dy),
          error_z(dy),
          error3_y(dy),
          error3_z(dy),
          Y(dy),
          Z(dy),
          slope_y(static_cast<std::size_t>(method.scheme->stages), dy),
          slope_z(slope_y) {
      const ExplicitTableau t = explicit_tableau(*method.scheme);
      for (int i = 0; i < t.stages(); ++i)
        for (int j = 0; j < i; ++j) a.push_back(coefficient<T>(t.A(i, j)));
      const auto convert_row = [](const Vector<Float128, dynamic>& row, std::vector<T>& out) {
        for (const Float128& x : row) out.push_back(coefficient<T>(x));
      };
      convert_row(t.b, b);
      convert_row(t.error, e);
      convert_row(t.error3, e3);
    }
    Vec dy, dz;                                // the step
    Vec error_y, error_z, error3_y, error3_z;  // estimates of its error; zero if the method has none
    Vec Y, Z;
    std::vector<Vec> slope_y, slope_z;
    std::vector<T> a, b, e, e3;

    // Returns the size of the error of the last step, as step controls use it; for dop853 the two estimates
    // combined, of order 7.
    double estimate() const {
      const double first = size(error_y, error_z), third = size(error3_y, error3_z);
      if (e3.empty() || first == 0) return first;
      return first * first / std::sqrt(first * first + third * third / 100);  // (EX4)
    }

   private:
    static double size(const Vec& x, const Vec& y) {
      double sum = 0;
      for (Eigen::Index i = 0; i < x.size(); ++i)
        sum += std::pow(lane(x[i], 0), 2) + std::pow(lane(y[i], 0), 2);
      return std::sqrt(sum);
    }
  };

  template <class P, class Field>
  Expected<int> increments(const P& s, Field& field, const typename Field::Vec& y,
                           const typename Field::Vec& z, Memory<Field, P>& at, const typename P::Scalar& h,
                           const SolveOptions&) const {
    std::size_t next = 0;
    const auto stages = at.slope_y.size();
    for (std::size_t i = 0; i < stages; ++i) {
      at.Y = y;
      at.Z = z;
      for (std::size_t j = 0; j < i; ++j, ++next) {
        at.Y += (h * at.a[next]) * at.slope_y[j];  // (EX1)
        at.Z += (h * at.a[next]) * at.slope_z[j];
      }
      if (!field(s, at.Y, at.Z, at.slope_y[i], at.slope_z[i]))
        return Failure{.kind = FailureKind::singular, .stage = SolveStage::inner};
    }
    combine(at.b, h, at, at.dy, at.dz);                               // (EX2)
    if (!at.e.empty()) combine(at.e, h, at, at.error_y, at.error_z);  // (EX3)
    if (!at.e3.empty()) combine(at.e3, h, at, at.error3_y, at.error3_z);
    if (!all(all_finite(at.dy)) || !all(all_finite(at.dz)))
      return Failure{.kind = FailureKind::not_finite, .stage = SolveStage::inner};
    return 0;
  }

 private:
  template <class Field, class P>
  static void combine(const std::vector<typename P::Scalar>& weight, const typename P::Scalar& h,
                      const Memory<Field, P>& at, typename Field::Vec& dy, typename Field::Vec& dz) {
    dy.setZero();
    dz.setZero();
    for (std::size_t i = 0; i < weight.size(); ++i) {
      dy += (h * weight[i]) * at.slope_y[i];
      dz += (h * weight[i]) * at.slope_z[i];
    }
  }
};

}  // namespace taut
