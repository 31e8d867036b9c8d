// Particles in the plane or in space with rigid rods and springs between them, the graph known at run time:
// g_k = (|r_i - r_j|² - L_k²)/2, V = Σ ½ κ |r_i - r_j|² + gravity along the last axis, downwards. All masses
// are equal. A rod or spring end `anchor` is the origin.
#pragma once

#include <taut/problem/ready_made/rods.hpp>

#include <vector>

namespace taut {

template <class T>
struct Spring {
  int i, j;
  T stiffness;
};

template <class T>
struct RodNetwork : Shape<T, dynamic, dynamic, SparseJacobian<T>> {
  using Base = Shape<T, dynamic, dynamic, SparseJacobian<T>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;
  int dimension = 2, particles = 0;
  std::vector<Rod> rods;
  std::vector<T> length;  // one for each rod
  std::vector<Spring<T>> springs;
  T gravity = T(0);
  ScalarMass<T> inverse_mass{};

  int coordinates() const { return dimension * particles; }
  int constraints() const { return static_cast<int>(rods.size()); }
  Jacobian make_jacobian() const {
    std::vector<int> begin{0}, column;
    for (const Rod& r : rods) {
      for (const int end : {r.i, r.j})
        for (int a = 0; end != anchor && a < dimension; ++a) column.push_back(dimension * end + a);
      begin.push_back(static_cast<int>(column.size()));
    }
    return {std::move(begin), std::move(column)};
  }

  T V(const Vec& q) const {
    T sum(0);
    for (const Spring<T>& s : springs) sum += s.stiffness / 2 * distance2(q, s.i, s.j);
    for (int i = 0; i < particles; ++i) sum += weight() * q[height(i)];
    return sum;
  }
  void grad_V(const Vec& q, Vec& f) const {
    f.setZero();
    for (int i = 0; i < particles; ++i) f[height(i)] = weight();
    for (const Spring<T>& s : springs)
      for (int a = 0; a < dimension; ++a) {
        const T pull = s.stiffness * difference(q, s.i, s.j, a);
        if (s.i != anchor) f[dimension * s.i + a] += pull;
        if (s.j != anchor) f[dimension * s.j + a] -= pull;
      }
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    for (std::size_t k = 0; k < rods.size(); ++k)
      g[static_cast<int>(k)] = (distance2(q, rods[k].i, rods[k].j) - length[k] * length[k]) / 2;
  }
  void G(const Vec& q, Jacobian& G) const {
    std::size_t e = 0;
    for (const Rod& r : rods) {
      for (int a = 0; r.i != anchor && a < dimension; ++a) G.entries[e++] = difference(q, r.i, r.j, a);
      for (int a = 0; r.j != anchor && a < dimension; ++a) G.entries[e++] = difference(q, r.j, r.i, a);
    }
  }

  template <class U>
  RodNetwork<U> cast() const {
    RodNetwork<U> y{{}, dimension, particles,           rods,
                    {}, {},        convert<U>(gravity), inverse_mass.template cast<U>()};
    for (const T& l : length) y.length.push_back(convert<U>(l));
    for (const Spring<T>& s : springs) y.springs.push_back({s.i, s.j, convert<U>(s.stiffness)});
    return y;
  }

  std::string constraint_name(int k) const {
    const auto end = [](int i) { return i == anchor ? std::string("anchor") : std::to_string(i + 1); };
    const Rod& r = rods[static_cast<std::size_t>(k)];
    return "rod " + end(r.i) + "-" + end(r.j);
  }

 private:
  int height(int i) const { return dimension * i + dimension - 1; }
  T weight() const { return gravity * inverse_mass.mass; }
  T difference(const Vec& q, int i, int j, int a) const {  // component a of r_i - r_j
    if (i == anchor) return -q[dimension * j + a];
    if (j == anchor) return q[dimension * i + a];
    return q[dimension * i + a] - q[dimension * j + a];
  }
  T distance2(const Vec& q, int i, int j) const {
    T sum(0);
    for (int a = 0; a < dimension; ++a) {
      const T r = difference(q, i, j, a);
      sum += r * r;
    }
    return sum;
  }
};

}  // namespace taut
