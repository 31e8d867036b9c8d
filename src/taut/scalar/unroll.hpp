// Loops that the compiler must unroll, because their indices decide at compile time which work there is.
#pragma once

#include <utility>

namespace taut {

template <int count, class Body>
constexpr void unroll(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (body.template operator()<i>(), ...);
  }(std::make_integer_sequence<int, count>{});
}

}  // namespace taut
