// Asks whether a map preserves dq ∧ dp on a manifold. It does what symplectic_defect.hpp does, for a map that
// can only be called: the tangent vectors come from differences along curves on the manifold, and the
// accuracy of the differences is measured too.
#pragma once

#include <taut/measure/difference_defect.hpp>
#include <taut/measure/form_change.hpp>
#include <taut/solve/failure.hpp>

#include <array>
#include <limits>
#include <optional>

namespace taut {

namespace differences {

// The central formula of order 8 for f'(0), with f at ±ε … ±4ε.
inline constexpr std::array<double, 4> weights = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

// The sizes ε, from the largest to the smallest, in units of x. The first are good for smooth maps, whose
// differences then lose no digits to rounding. The last are for maps that bend on a scale of 1e-5, such as
// steps of a straight chain of a hundred links.
inline constexpr double largest = 0x1p-5, ratio = 4;
inline constexpr int sizes = 9;

struct Tangents {
  Eigen::MatrixXd before, after;  // ξ and Φ'ξ, a column for each direction
};

template <class Map, class Onto>
Expected<Tangents> tangents(const Map& map, const Onto& onto, const Eigen::VectorXd& x,
                            const Eigen::MatrixXd& directions, double epsilon) {
  Tangents t{Eigen::MatrixXd::Zero(x.size(), directions.cols()),
             Eigen::MatrixXd::Zero(x.size(), directions.cols())};
  for (Eigen::Index j = 0; j < directions.cols(); ++j)
    for (int k = 1; k <= 4; ++k)
      for (const int sign : {1, -1}) {
        const double weight = sign * weights[static_cast<std::size_t>(k - 1)] / epsilon;
        const auto from = onto(Eigen::VectorXd(x + sign * k * epsilon * directions.col(j)));
        if (!from) return from.error();
        const auto to = map(*from);
        if (!to) return to.error();
        t.before.col(j) += weight * *from;
        t.after.col(j) += weight * *to;
      }
  return t;
}

inline double largest_relative_change(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  double largest_change = 0;
  for (Eigen::Index j = 0; j < a.cols(); ++j)
    largest_change = std::max(largest_change, (a.col(j) - b.col(j)).norm() / b.col(j).norm());
  return largest_change;
}

}  // namespace differences

// Measures the defect of the map Φ. `onto` brings a point near the manifold onto it, smoothly; both functions
// take (q, p) as one vector, in units that make its entries of size 1, and return an Expected one. x lies on
// the manifold; directions need not be tangent. The size of the differences is the one at which a change of
// it by `ratio` changes the tangent vectors least; that change, once for each of the two vectors in ω, is the
// noise. If all sizes fail, returns the failure of the smallest differences.
template <class Map, class Onto>
Expected<DifferenceDefect> symplectic_defect_by_differences(const Map& map, const Onto& onto,
                                                            const Eigen::VectorXd& x,
                                                            const Eigen::MatrixXd& directions) {
  DifferenceDefect best;
  std::optional<differences::Tangents> before;
  Failure failure;
  double epsilon = differences::largest;
  for (int k = 0; k < differences::sizes; ++k, epsilon /= differences::ratio) {
    const auto now = differences::tangents(map, onto, x, directions, epsilon);
    if (!now) {
      failure = now.error();
      before.reset();
      continue;
    }
    if (before) {
      const double noise = 2 * std::max(differences::largest_relative_change(before->before, now->before),
                                        differences::largest_relative_change(before->after, now->after));
      if (noise < best.noise) best = {form_change(now->before, now->after), noise};
    }
    before = *now;
  }
  if (best.noise < std::numeric_limits<double>::infinity()) return best;
  return failure;
}

}  // namespace taut
