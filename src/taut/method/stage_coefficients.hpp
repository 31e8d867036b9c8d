// The coefficients of a Runge-Kutta method as its steps use them: in two parts, so that none of their
// roundings is the same in every step.
#pragma once

#include <taut/method/tableau.hpp>
#include <taut/scalar/unroll.hpp>

namespace taut {

// Coefficients in two parts. The first has few bits: products with it are exact except for one rounding that
// has no bias. The second carries the rest. Rounded to one float, coefficients violate the symplecticity
// conditions by 10⁻¹⁷, the same way in every step (Hairer, McLachlan & Razakarivony, BIT 48, 2008). Here the
// effect is small beside what an iteration stopped early leaves: bench/round_off.cpp.
template <class B, int s, int rows = s>
struct SplitCoefficients {
  Matrix<B, rows, s> high, low, whole;

  explicit SplitCoefficients(const Matrix<Float128, dynamic, dynamic>& a)
      : high(a.rows(), a.cols()), low(a.rows(), a.cols()), whole(a.rows(), a.cols()) {
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      for (Eigen::Index j = 0; j < a.cols(); ++j) {
        const Float128 few_bits = static_cast<Float128>(static_cast<long>(a(i, j) * 1024)) / 1024;
        high(i, j) = coefficient<B>(few_bits);
        low(i, j) = coefficient<B>(a(i, j) - few_bits);
        whole(i, j) = coefficient<B>(a(i, j));
      }
  }

  // Forms out = Σⱼ a(i, j) f[j], j < columns.
  template <class Stages, class Vec>
  [[gnu::always_inline]] void row(int i, int columns, const Stages& f, Vec& out) const {
    using T = typename Vec::Scalar;
    // These are plain loops, which the compiler turns into SIMD.
    if constexpr (Vec::SizeAtCompileTime != dynamic) {
      Vec second;
      for (Eigen::Index k = 0; k < out.size(); ++k) {
        out[k] = T(high(i, 0)) * f[0][k];
        second[k] = T(low(i, 0)) * f[0][k];
      }
      const auto add = [&](int j) __attribute__((always_inline)) {
        const T a(high(i, j)), rest(low(i, j));
        const Vec& v = f[static_cast<std::size_t>(j)];
        for (Eigen::Index k = 0; k < v.size(); ++k) {
          out[k] += a * v[k];
          second[k] += rest * v[k];
        }
      };
      if constexpr (s != dynamic)
        unroll<s>([&]<int j>() {
          if (j > 0 && j < columns) add(j);
        });
      else
        for (int j = 1; j < columns; ++j) add(j);
      out += second;
    } else {
      for (Eigen::Index k = 0; k < out.size(); ++k) {
        T first(0), second(0);
        for (Eigen::Index j = 0; j < columns; ++j) {
          first += T(high(i, j)) * f[static_cast<std::size_t>(j)][k];
          second += T(low(i, j)) * f[static_cast<std::size_t>(j)][k];
        }
        out[k] = first + second;
      }
    }
  }
};

// Forms Σⱼ b(j) f[j] and carries along what the additions lose. A term that is the same in every step, such
// as the weight of a mass, is rounded by the same amount each time it is added to a sum of one binade: a bias
// in p at the end of the step.
template <class B, int s>
struct Weights : SplitCoefficients<B, s, 1> {
  using SplitCoefficients<B, s, 1>::SplitCoefficients;

  template <class Stages, class Vec>
  void sum(int stages, const Stages& f, Vec& out) const {
    using T = typename Vec::Scalar;
    for (Eigen::Index k = 0; k < out.size(); ++k) {
      T first(0), second(0);
      for (int j = 0; j < stages; ++j) {
        const T& v = f[static_cast<std::size_t>(j)][k];
        const T term = T(this->high(0, j)) * v, total = first + term, added = total - first;
        second += T(this->low(0, j)) * v + ((first - (total - added)) + (term - added));  // Knuth's two-sum
        first = total;
      }
      out[k] = first + second;
    }
  }
};

}  // namespace taut
