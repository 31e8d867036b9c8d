// The coefficients of the symmetric multistep methods. studies/multistep/search.py found them; the compiler
// checks their order here. Labels: docs/theory/multistep.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace taut {

// An explicit symmetric formula of k steps and order k for M q'' = F, with l = k/2:
//     ρ(ζ) = (ζ - 1)² Π (ζ² + 2aᵢζ + 1),   σ(ζ) = Σ βⱼ ζʲ, j = 1 … k-1, βⱼ = β_{k-j}.               (CL1)
// All numbers are quotients of integers, so that every precision has its own roundings of them.
struct MultistepTable {
  int steps = 0;                            // k
  std::span<const std::int64_t> a = {};     // tenths: l - 1 numbers
  std::span<const std::int64_t> beta = {};  // β_l, β_{l+1}, …, β_{k-1}: l numbers
  std::int64_t divisor = 1;                 // every β is divided by it
  double longest = 0;                       // ρ + (hω)²σ has its roots on the unit circle for hω up to this
};

namespace multistep_digits {
inline constexpr std::array<std::int64_t, 1> a4 = {1};
inline constexpr std::array<std::int64_t, 2> beta4 = {-10, 71};
inline constexpr std::array<std::int64_t, 2> a6 = {-3, 7};
inline constexpr std::array<std::int64_t, 3> beta6 = {15886, -1944, 8281};
inline constexpr std::array<std::int64_t, 3> a8 = {-7, -4, 7};
inline constexpr std::array<std::int64_t, 4> beta8 = {-2185244, 2140371, -1124226, 590557};
inline constexpr std::array<std::int64_t, 4> a10 = {-8, -6, -4, 9};
inline constexpr std::array<std::int64_t, 5> beta10 = {207090850, -178148396, 121564108, -55764308, 17421571};
}  // namespace multistep_digits

inline constexpr std::array multistep_tables = {
    MultistepTable{4, multistep_digits::a4, multistep_digits::beta4, 60, 1.68},
    MultistepTable{6, multistep_digits::a6, multistep_digits::beta6, 6000, 1.00},
    MultistepTable{8, multistep_digits::a8, multistep_digits::beta8, 420000, 0.90},
    MultistepTable{10, multistep_digits::a10, multistep_digits::beta10, 11812500, 0.56}};

constexpr const MultistepTable& multistep_table(int steps) {
  for (const MultistepTable& table : multistep_tables)
    if (table.steps == steps) return table;
  return multistep_tables.front();
}

inline constexpr int most_multistep = 10;

// Returns the coefficients of Π (ζ² + 2aᵢζ + 1), which is ρ without its double root 1, from ζ⁰ on; what is
// beyond their degree is 0. T is a float; the divisions are the only roundings.
template <class T>
constexpr std::array<T, most_multistep - 1> parasitic(const MultistepTable& table) {
  std::array<std::int64_t, most_multistep - 1> product = {1};
  std::int64_t divisor = 1;
  for (const std::int64_t a : table.a) {  // (5 + aζ + 5ζ²)/5, with a in tenths
    for (std::size_t j = product.size(); j-- > 0;)
      product[j] = 5 * product[j] + (j > 0 ? a * product[j - 1] : 0) + (j > 1 ? 5 * product[j - 2] : 0);
    divisor *= 5;
  }
  std::array<T, most_multistep - 1> all = {};
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<T>(product[j]) / static_cast<T>(divisor);
  return all;
}

namespace multistep_check {

// Returns the coefficient of z^{2i+2} in ρ(e^z)e^{-lz} - z² σ(e^z)e^{-lz}, relative to its largest term.
// Order k means that it is zero for i < l.
constexpr double defect(const MultistepTable& table, int i) {
  const int l = table.steps / 2;
  const auto bar = parasitic<double>(table);  // degree k-2, centre l-1
  double sum = 0, largest = 0;
  const auto power = [](double x, int n) {
    double y = 1;
    for (; n > 0; --n) y *= x;
    return y;
  };
  const auto add = [&](double term) {
    sum += term;
    largest = term > largest ? term : -term > largest ? -term : largest;
  };
  for (int j = 0; j <= table.steps - 2; ++j)
    for (int d = -1; d <= 1; ++d)  // (ζ - 1)² = ζ² - 2ζ + 1
      add((d == 0 ? -2 : 1) * bar[static_cast<std::size_t>(j)] * power(j + 1 + d - l, 2 * i + 2));
  for (int j = 0; j < l; ++j)
    add(-(2.0 * i + 2) * (2 * i + 1) * (j == 0 ? 1 : 2) *
        static_cast<double>(table.beta[static_cast<std::size_t>(j)]) / static_cast<double>(table.divisor) *
        power(j, 2 * i));
  return sum / largest;
}
constexpr bool has_its_order(const MultistepTable& table) {
  for (int i = 0; i < table.steps / 2; ++i)
    if (const double d = defect(table, i); d > 1e-12 || d < -1e-12) return false;
  const double next = defect(table, table.steps / 2);
  return next > 1e-6 || next < -1e-6;
}
static_assert(has_its_order(multistep_tables[0]) && has_its_order(multistep_tables[1]) &&
                  has_its_order(multistep_tables[2]) && has_its_order(multistep_tables[3]),
              "the order of k steps is k, and no more");

}  // namespace multistep_check

}  // namespace taut
