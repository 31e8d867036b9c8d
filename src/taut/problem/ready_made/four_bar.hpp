// A four-bar linkage in the plane, the smallest closed loop: a crank from the pivot (0,0) to joint A, a
// coupler from A to joint B, a rocker from B to the pivot (base, 0). There are point masses in A and B;
// gravity acts along the second axis, downwards. With these lengths (Grashof: 1 + 3 < 2.5 + 2) the crank can
// turn all the way round.
#pragma once

#include <taut/problem/ready_made/rods.hpp>

namespace taut {

inline constexpr std::array<Rod, 3> four_bar_rods{Rod{anchor, 0}, Rod{0, 1}, Rod{1, anchor}};

template <class T = double>
struct FourBar : Shape<T, 4, 3, PatternJacobian<T, RodPattern<2, 2, four_bar_rods>>> {
  using Base = Shape<T, 4, 3, PatternJacobian<T, RodPattern<2, 2, four_bar_rods>>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Vec;
  T base = T(3), crank = T(1), coupler = T(5) / 2, rocker = T(2), gravity = T(1);
  ScalarMass<T> inverse_mass{};

  int coordinates() const { return 4; }
  int constraints() const { return 3; }
  Jacobian make_jacobian() const { return {}; }

  T V(const Vec& q) const { return gravity * inverse_mass.mass * (q[1] + q[3]); }
  void grad_V(const Vec&, Vec& f) const {
    f.setZero();
    f[1] = f[3] = gravity * inverse_mass.mass;
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  void g(const Vec& q, Multiplier& g) const {
    g[0] = (square(q[0], q[1]) - crank * crank) / 2;
    g[1] = (square(q[0] - q[2], q[1] - q[3]) - coupler * coupler) / 2;
    g[2] = (square(q[2] - base, q[3]) - rocker * rocker) / 2;
  }
  void bend(const Vec& d, Multiplier& b) const {
    b[0] = square(d[0], d[1]) / 2;
    b[1] = square(d[0] - d[2], d[1] - d[3]) / 2;
    b[2] = square(d[2], d[3]) / 2;
  }
  void G(const Vec& q, Jacobian& G) const {
    G.entries = {-q[0], -q[1], q[0] - q[2], q[1] - q[3], q[2] - base, q[3]};
  }

  template <class U>
  FourBar<U> cast() const {
    return {{},
            convert<U>(base),
            convert<U>(crank),
            convert<U>(coupler),
            convert<U>(rocker),
            convert<U>(gravity),
            inverse_mass.template cast<U>()};
  }
  static std::string constraint_name(int k) {
    return std::array{"the crank", "the coupler", "the rocker"}[static_cast<std::size_t>(k)];
  }

  // Returns a start with the crank upright and turning at unit rate, and the loop open upwards.
  State<T, 4> start() const {
    // B = A + along (P - A) + across J (P - A), with P the second pivot and J the quarter turn: circles about
    // A and P.
    const T dx = base, dy = -crank, d2 = square(dx, dy), c2 = coupler * coupler;
    const T along = (d2 + c2 - rocker * rocker) / (2 * d2), across = sqrt(c2 / d2 - along * along);
    const T bx = along * dx - across * dy, by = crank + along * dy + across * dx;
    // v_A = J A and v_B = rate J (B - P), with the rate at which the coupler keeps its length.
    const T rx = bx - base, ry = by, cx = bx, cy = by - crank;
    const T rate = -(cx * crank) / (cy * rx - cx * ry);
    const T mass = inverse_mass.mass;
    return {Vec{T(0), crank, bx, by}, Vec{-mass * crank, T(0), -mass * rate * ry, mass * rate * rx}};
  }

 private:
  static T square(const T& x, const T& y) { return x * x + y * y; }
};

}  // namespace taut
