#include <taut/random/draws.hpp>
#include <taut/random/philox.hpp>
#include <taut/scalar/elementary/logarithm.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace taut {

namespace {

// All logarithms of this folder's random numbers are taken here.
double log_of(double x) { return elementary::log(x); }

__extension__ using TwoWords = unsigned __int128;

using Coefficients = std::array<double, 8>;  // those of 1, x, x², …

double polynomial(const Coefficients& c, double x) {
  double sum = c[7];
  for (int k = 6; k >= 0; --k) sum = sum * x + c[static_cast<std::size_t>(k)];
  return sum;
}

// Wichura, The percentage points of the normal distribution (Applied Statistics 37, 1988), algorithm AS 241,
// PPND16: a quotient of polynomials in the middle, near it, and in the tails.
constexpr Coefficients middle_above = {
    3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
    4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients middle_below = {1.0,
                                       4.2313330701600911252e+1,
                                       6.8718700749205790830e+2,
                                       5.3941960214247511077e+3,
                                       2.1213794301586595867e+4,
                                       3.9307895800092710610e+4,
                                       2.8729085735721942674e+4,
                                       5.2264952788528545610e+3};
constexpr Coefficients near_above = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                     5.76949722146069140550e0,  3.64784832476320460504e0,
                                     1.27045825245236838258e0,  2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients near_below = {1.0,
                                     2.05319162663775882187e0,
                                     1.67638483018380384940e0,
                                     6.89767334985100004550e-1,
                                     1.48103976427480074590e-1,
                                     1.51986665636164571966e-2,
                                     5.47593808499534494600e-4,
                                     1.05075007164441684324e-9};
constexpr Coefficients tail_above = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                     1.78482653991729133580e0,  2.96560571828504891230e-1,
                                     2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                     2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients tail_below = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};
// The pieces meet at this |p - 1/2| and this sqrt(-log p).
constexpr double middle = 0.425, middle_squared = 0.180625, near_end = 5;

}  // namespace

std::uint64_t random_bits(const Draw& d) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const PhiloxCounter words =
      philox({low(d.trajectory), high(d.trajectory), d.stream, d.number}, {low(d.seed), high(d.seed)});
  return std::uint64_t{words[1]} << 32 | words[0];
}

double uniform(const Draw& draw) {
  return std::max(static_cast<double>(random_bits(draw) >> 11), 0.5) * 0x1p-53;
}

double normal(const Draw& draw) {
  const std::uint64_t bits = random_bits(draw) >> 11;
  const double tail = (2 * static_cast<double>(bits >> 1) + 1) * 0x1p-54;  // exact, below 1/2
  const double z = normal_quantile(tail);
  return (bits & 1) != 0 ? -z : z;
}

std::uint64_t one_of(const Draw& draw, std::uint64_t count) {
  // The high half of the product: every number is as likely as the others up to count / 2⁶⁴.
  return static_cast<std::uint64_t>(TwoWords{random_bits(draw)} * count >> 64);
}

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= middle) {
    const double r = middle_squared - q * q;
    return q * polynomial(middle_above, r) / polynomial(middle_below, r);
  }
  const double r = std::sqrt(-log_of(q < 0 ? p : 1 - p));
  const double z = r <= near_end ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                                 : polynomial(tail_above, r - 5) / polynomial(tail_below, r - 5);
  return q < 0 ? -z : z;
}

}  // namespace taut
