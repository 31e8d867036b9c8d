#include <taut/model/text/number_text.hpp>

#include <cmath>
#include <cstdint>

namespace taut {

std::string number_text(Float128 x) {
  // Six digits are enough for an author to recognise a number.
  const double d = static_cast<double>(x);
  if (d != d) return "not a number";
  if (std::isinf(d)) return d > 0 ? "infinite" : "minus infinite";
  if (d == std::floor(d) && std::abs(d) < 1e15) return std::to_string(static_cast<std::int64_t>(d));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(d))));
  const bool scientific = exponent < -4 || exponent > 5;
  // The power is a long double, because that of the smallest numbers is beyond a double.
  std::string text =
      std::to_string(static_cast<std::int64_t>(std::llround(std::abs(d) * std::pow(10.0L, 5 - exponent))));
  int point = exponent;
  if (text.size() > 6) ++point;  // rounded up to the next power of ten
  while (text.size() > 1 && text.back() == '0') text.pop_back();
  if (scientific) {
    if (text.size() > 1) text.insert(1, 1, '.');
    text.append("e").append(std::to_string(point));
  } else if (point < 0) {
    text = std::string("0.").append(static_cast<std::size_t>(-point - 1), '0').append(text);
  } else {
    const auto whole = static_cast<std::size_t>(point) + 1;
    if (text.size() < whole) text += std::string(whole - text.size(), '0');
    if (text.size() > whole) text.insert(whole, 1, '.');
  }
  return (d < 0 ? "-" : "") + text;
}

}  // namespace taut
