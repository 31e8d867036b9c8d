// A pendulum and a chain of six nodes by RATTLE, as people write such kernels by hand: plain sums, Newton's
// iteration to 1e-12 from the impulse of the last step, fused multiply-adds, no look at any step. gpu/prepare
// compiles it, and gpu/verify compares its rate with that of taut's kernel, which solves to rounding and
// judges each step.

using Real = double;

namespace {

// H = p²/2 + y, g = (x² + y² - 1)/2.
struct Pendulum {
  Real x, y, px, py, mu = 0;

  void step(Real h) {
    const Real x0 = x, y0 = y;
    py -= h / 2;
    for (int k = 0; k < 20; ++k) {
      x = x0 + h * (px - x0 * mu);
      y = y0 + h * (py - y0 * mu);
      const Real g = (x * x + y * y - 1) / 2;
      if (__builtin_fabs(g) <= 1e-12) break;
      mu += g / (h * (x * x0 + y * y0));
    }
    px -= x0 * mu;
    py -= y0 * mu + h / 2;
    const Real nu = (x * px + y * py) / (x * x + y * y);
    px -= x * nu;
    py -= y * nu;
  }
};

// Six unit masses on five unit rods, with springs between next-nearest nodes; all loops are unrolled.
struct Chain {
  static constexpr int nodes = 6, rods = 5;
  Real q[nodes][2], p[nodes][2], mu[rods] = {};

  using Rods = Real[rods][2];
  static void rods_at(const Real (&x)[nodes][2], Rods& d) {
#pragma unroll
    for (int i = 0; i < rods; ++i) {
      d[i][0] = x[i][0] - x[i + 1][0];
      d[i][1] = x[i][1] - x[i + 1][1];
    }
  }
  static Real dot(const Real (&a)[2], const Real (&b)[2]) { return a[0] * b[0] + a[1] * b[1]; }
  void kick(Real h) {
#pragma unroll
    for (int i = 0; i + 2 < nodes; ++i)
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const Real pull = 5 * h * (q[i][k] - q[i + 2][k]);
        p[i][k] -= pull;
        p[i + 2][k] += pull;
      }
  }
  static void along(const Rods& d, const Real (&by)[rods], Real (&x)[nodes][2]) {
#pragma unroll
    for (int i = 0; i < rods; ++i)
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        x[i][k] -= d[i][k] * by[i];
        x[i + 1][k] += d[i][k] * by[i];
      }
  }
  // Solves the tridiagonal system of the rods a, moved along the rods b, for the right side r.
  static void solve(const Rods& a, const Rods& b, Real (&r)[rods]) {
    Real upper[rods];
#pragma unroll
    for (int i = 0; i < rods; ++i) {
      const Real lower = i > 0 ? -dot(a[i], b[i > 0 ? i - 1 : 0]) : 0;
      const Real pivot = 1 / (2 * dot(a[i], b[i]) - (i > 0 ? lower * upper[i > 0 ? i - 1 : 0] : 0));
      upper[i] = i + 1 < rods ? -dot(a[i], b[i + 1 < rods ? i + 1 : i]) * pivot : 0;
      r[i] = (r[i] - (i > 0 ? lower * r[i > 0 ? i - 1 : 0] : 0)) * pivot;
    }
#pragma unroll
    for (int i = rods - 1; i-- > 0;) r[i] -= upper[i] * r[i + 1];
  }

  void step(Real h) {
    Rods before, now;
    rods_at(q, before);
    kick(h / 2);
    Real start[nodes][2], moved[nodes][2], r[rods];
#pragma unroll
    for (int i = 0; i < nodes; ++i)
#pragma unroll
      for (int k = 0; k < 2; ++k) start[i][k] = q[i][k];
    for (int tries = 0; tries < 20; ++tries) {
#pragma unroll
      for (int i = 0; i < nodes; ++i)
#pragma unroll
        for (int k = 0; k < 2; ++k) moved[i][k] = p[i][k];
      along(before, mu, moved);
#pragma unroll
      for (int i = 0; i < nodes; ++i)
#pragma unroll
        for (int k = 0; k < 2; ++k) q[i][k] = start[i][k] + h * moved[i][k];
      rods_at(q, now);
      Real worst = 0;
#pragma unroll
      for (int i = 0; i < rods; ++i) {
        r[i] = (dot(now[i], now[i]) - 1) / 2;
        worst = __builtin_fmax(worst, __builtin_fabs(r[i]));
      }
      if (worst <= 1e-12) break;
      solve(now, before, r);
#pragma unroll
      for (int i = 0; i < rods; ++i) mu[i] += r[i] / h;
    }
    along(before, mu, p);
    kick(h / 2);
#pragma unroll
    for (int i = 0; i < rods; ++i) {
      const Real v[2] = {p[i][0] - p[i + 1][0], p[i][1] - p[i + 1][1]};
      r[i] = dot(now[i], v);
    }
    solve(now, now, r);
    along(now, r, p);
  }
};

long index() {
  return static_cast<long>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

}  // namespace

extern "C" [[clang::nvptx_kernel]] void pendulum(double* state, long slots, long steps, double h) {
  const long i = index();
  if (i >= slots) return;
  Pendulum at{state[i], state[slots + i], state[2 * slots + i], state[3 * slots + i]};
  for (long k = 0; k < steps; ++k) at.step(h);
  state[i] = at.x;
  state[slots + i] = at.y;
  state[2 * slots + i] = at.px;
  state[3 * slots + i] = at.py;
}

extern "C" [[clang::nvptx_kernel]] void chain(double* state, long slots, long steps, double h) {
  const long i = index();
  if (i >= slots) return;
  Chain at;
#pragma unroll
  for (int n = 0; n < Chain::nodes; ++n)
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      at.q[n][k] = state[(2 * n + k) * slots + i];
      at.p[n][k] = state[(12 + 2 * n + k) * slots + i];
    }
  for (long k = 0; k < steps; ++k) at.step(h);
#pragma unroll
  for (int n = 0; n < Chain::nodes; ++n)
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      state[(2 * n + k) * slots + i] = at.q[n][k];
      state[(12 + 2 * n + k) * slots + i] = at.p[n][k];
    }
}
