// Prints the bits of a few RATTLE steps of a pendulum, as a scalar run and in packs of 4, 8 and 16 lanes,
// and fails if a lane differs from the scalar run. tests/bits/run compiles it with the registers of
// libstdc++ and with those of the compiler.
#include <taut/measure/flow.hpp>
#include <taut/method/rattle.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/pack.hpp>

#include <cstdio>

namespace {

using namespace taut;

State<double, 2> start_of(int i) {
  const double angle = 0.3 * i, speed = 0.2 * i - 1, c = taut::cos(angle), s = taut::sin(angle);
  return {{c, s}, {-speed * s, speed * c}};
}

template <class P, class X, class T>
bool take(const P& s, X& x, T h) {
  const auto stepper = bind(Rattle{}, s, x);
  return static_cast<bool>(take_steps(*stepper, x, h, 200));
}

template <int lanes>
bool lanes_agree() {
  using T = Pack<lanes>;
  const PlanarPendulum<> s;
  State<T, 2> x;
  for (int i = 0; i < lanes; ++i)
    for (int k = 0; k < 2; ++k) {
      x.q[k].set(i, start_of(i).q[k]);
      x.p[k].set(i, start_of(i).p[k]);
    }
  if (!take(s.cast<T>(), x, T(0.05))) return false;
  bool agree = true;
  for (int i = 0; i < lanes; ++i) {
    State<double, 2> alone = start_of(i);
    if (!take(s, alone, 0.05)) return false;
    for (int k = 0; k < 2; ++k) agree = agree && x.q[k][i] == alone.q[k] && x.p[k][i] == alone.p[k];
    std::printf("%d %d %a %a %a %a\n", lanes, i, x.q[0][i], x.q[1][i], x.p[0][i], x.p[1][i]);
  }
  return agree;
}

}  // namespace

int main() {
  const bool agree = lanes_agree<4>() & lanes_agree<8>() & lanes_agree<16>();
  if (!agree) std::fprintf(stderr, "a lane differs from the scalar run\n");
  return agree ? 0 : 1;
}
