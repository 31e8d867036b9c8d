// Lets Eigen's vectors hold taut's scalars.
#pragma once

#include <taut/scalar/number.hpp>

#include <Eigen/Core>

namespace taut {

// What Eigen must know about a number that is not its own: `cost` is the price of one operation in flops.
template <class T, int cost>
struct EigenScalar : Eigen::GenericNumTraits<double> {
  using Real = T;
  using NonInteger = T;
  using Nested = T;
  using Literal = double;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
  enum { ReadCost = cost, AddCost = cost, MulCost = cost };
  static T epsilon() { return T(taut::epsilon<T>()); }
  static T dummy_precision() { return T(1e4 * taut::epsilon<T>()); }
};

}  // namespace taut

template <>
struct Eigen::NumTraits<taut::Float128> : taut::EigenScalar<taut::Float128, 20> {};
