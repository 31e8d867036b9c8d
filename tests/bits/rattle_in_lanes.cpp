// Prints the bits of a few RATTLE steps of a pendulum and of a bead on a wire of sines and exponentials, as
// a scalar run and in packs of 4, 8 and 16 lanes, and fails if a lane differs from the scalar run.
// tests/bits/run compiles it with the registers of libstdc++ and with those of the compiler, and for several
// processors.
#include <taut/measure/flow.hpp>
#include <taut/method/rattle.hpp>
#include <taut/model/text/lane_functions.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/pack.hpp>

#include <cstdio>

namespace {

using namespace taut;

// A bead under gravity on the wire y = sin(2x) exp(-x/4), with a force along x whose potential is cos(x)/5.
template <class T = double>
struct BeadOnWire : Shape<T, 2, 1, PatternJacobian<T, FullPattern<1, 2>>> {
  using Of = Shape<T, 2, 1, PatternJacobian<T, FullPattern<1, 2>>>;
  using typename Of::Jacobian;
  using typename Of::Multiplier;
  using typename Of::Vec;
  ScalarMass<T> inverse_mass{};

  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }

  T V(const Vec& q) const { return q[1] + taut::cos(q[0]) / 5; }
  void grad_V(const Vec& q, Vec& f) const {
    f[0] = -taut::sin(q[0]) / 5;
    f[1] = T(1);
  }
  const ScalarMass<T>& W() const { return inverse_mass; }
  static T height(const T& x) { return taut::sin(2 * x) * taut::exp(-x / 4); }
  static T slope(const T& x) { return (2 * taut::cos(2 * x) - taut::sin(2 * x) / 4) * taut::exp(-x / 4); }
  void g(const Vec& q, Multiplier& g) const { g[0] = q[1] - height(q[0]); }
  void G(const Vec& q, Jacobian& G) const {
    G.entries[0] = -slope(q[0]);
    G.entries[1] = T(1);
  }
  template <class U>
  BeadOnWire<U> cast() const {
    return {{}, inverse_mass.template cast<U>()};
  }
};

State<double, 2> start_of(const PlanarPendulum<>&, int i) {
  const double angle = 0.3 * i, speed = 0.2 * i - 1, c = taut::cos(angle), s = taut::sin(angle);
  return {{c, s}, {-speed * s, speed * c}};
}
State<double, 2> start_of(const BeadOnWire<>& s, int i) {
  const double x = 0.3 * i - 2, speed = 0.1 * i - 0.7;
  return {{x, s.height(x)}, {speed, speed * s.slope(x)}};
}

template <class P, class X, class T>
bool take(const P& s, X& x, T h) {
  const auto stepper = bind(Rattle{}, s, x);
  return static_cast<bool>(take_steps(*stepper, x, h, 200));
}

template <int lanes, class P>
bool lanes_agree(const char* name, const P& s) {
  using T = Pack<lanes>;
  State<T, 2> x;
  for (int i = 0; i < lanes; ++i)
    for (int k = 0; k < 2; ++k) {
      x.q[k].set(i, start_of(s, i).q[k]);
      x.p[k].set(i, start_of(s, i).p[k]);
    }
  if (!take(s.template cast<T>(), x, T(0.05))) return false;
  bool agree = true;
  for (int i = 0; i < lanes; ++i) {
    State<double, 2> alone = start_of(s, i);
    if (!take(s, alone, 0.05)) return false;
    for (int k = 0; k < 2; ++k) agree = agree && x.q[k][i] == alone.q[k] && x.p[k][i] == alone.p[k];
    std::printf("%s %d %d %a %a %a %a\n", name, lanes, i, x.q[0][i], x.q[1][i], x.p[0][i], x.p[1][i]);
  }
  return agree;
}

template <class P>
bool all_agree(const char* name, const P& s) {
  return lanes_agree<4>(name, s) & lanes_agree<8>(name, s) & lanes_agree<16>(name, s);
}

}  // namespace

int main() {
  const bool agree = all_agree("pendulum", PlanarPendulum<>{}) & all_agree("bead on a wire", BeadOnWire<>{});
  if (!agree) std::fprintf(stderr, "a lane differs from the scalar run, or a step failed\n");
  return agree ? 0 : 1;
}
