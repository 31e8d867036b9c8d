// A vector for each of eight rods or particles, one in each lane.
#pragma once

#include <taut/scalar/batch.hpp>

#include <array>

namespace taut {

template <int dimension>
struct RodVectors {
  using S = Batch<double>;
  std::array<S, dimension> v;

  static RodVectors load(const double (*from)[batch_size]) {
    RodVectors x;
    unroll<dimension>([&]<int a>() { x.v[a] = load_batch(from[a]); });
    return x;
  }
  void store(double (*to)[batch_size]) const {
    unroll<dimension>([&]<int a>() { store_batch(to[a], v[a]); });
  }
  S dot(const RodVectors& y) const {
    S sum = v[0] * y.v[0];
    unroll<dimension - 1>([&]<int a>() { sum += v[a + 1] * y.v[a + 1]; });
    return sum;
  }
  // Σ |vₐ|
  S extent() const {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(v[a]); });
    return sum;
  }
  // Σ |vₐ| sizeₐ
  S reach(const RodVectors& size) const {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(v[a]) * size.v[a]; });
    return sum;
  }
  friend RodVectors operator*(const RodVectors& x, const S& c) {
    RodVectors y;
    unroll<dimension>([&]<int a>() { y.v[a] = x.v[a] * c; });
    return y;
  }
  friend RodVectors operator+(const RodVectors& x, const RodVectors& y) {
    RodVectors z;
    unroll<dimension>([&]<int a>() { z.v[a] = x.v[a] + y.v[a]; });
    return z;
  }
  friend RodVectors operator-(const RodVectors& x, const RodVectors& y) {
    RodVectors z;
    unroll<dimension>([&]<int a>() { z.v[a] = x.v[a] - y.v[a]; });
    return z;
  }
};

}  // namespace taut
