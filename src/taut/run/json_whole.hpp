#pragma once

#include <taut/run/request.hpp>

#include <nlohmann/json.hpp>

namespace taut {

// A whole number of a JSON text; InputError for any other. The library itself turns 1e300 into an integer by an undefined conversion.
template <class T>
T whole(const nlohmann::ordered_json& value) {
  if (!value.is_number_integer()) throw InputError("a number that should be whole is not");
  return value.get<T>();
}

}  // namespace taut
