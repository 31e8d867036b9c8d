#pragma once

#include <taut/contract/request.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace taut {

// Returns a whole number of a JSON text. Throws InputError for any other, because the library itself turns
// 1e300 into an integer by an undefined conversion.
template <class T>
T whole(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw InputError("a number that should be whole is not");
  return value.get<T>();
}

// Writes a number. JSON has no word for numbers that are not finite; they become the texts "inf",
// "-inf" or "nan".
inline nlohmann::ordered_json json_of(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}
inline double real(const nlohmann::ordered_json& value) {
  if (!value.is_string()) return value.get<double>();
  for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan("")})
    if (value == json_of(x)) return x;
  throw InputError("a number is none");
}

}  // namespace taut
