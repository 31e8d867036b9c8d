#include <taut/ensemble/spacing.hpp>
#include <taut/model/text/formula.hpp>

namespace taut {

double evenly(double a, double b, std::int64_t i, std::int64_t n) {
  if (i == 0) return a;
  if (i == n - 1) return b;
  const Float128 m = n - 1;
  return static_cast<double>((Float128(a) * (m - i) + Float128(b) * i) / m);
}

double geometrically(double a, double b, std::int64_t i, std::int64_t n) {
  if (i == 0) return a;
  if (i == n - 1) return b;
  const auto log_of = [](Float128 x) { return apply(Op::log, x, 0); };
  const Float128 m = n - 1, sign = a < 0 ? -1 : 1;
  return static_cast<double>(sign *
                             apply(Op::exp, (log_of(sign * a) * (m - i) + log_of(sign * b) * i) / m, 0));
}

}  // namespace taut
