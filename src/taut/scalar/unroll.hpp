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

// body(i) for the indices of a vector. One whose size is known and small is unrolled here: objects indexed by a loop counter stay in
// memory, and with them everything in the same structure.
template <class V, class Body>
constexpr void each_index(const V& v, Body&& body) {
  constexpr int size = V::SizeAtCompileTime;
  if constexpr (size > 0 && size <= 24)
    unroll<size>([&]<int i>() { body(i); });
  else
    for (int i = 0; i < static_cast<int>(v.size()); ++i) body(i);
}

// v = 0. (Eigen's setZero fills by a loop over pointers.)
template <class V>
constexpr void set_zero(V& v) {
  each_index(v, [&](int i) { v[i] = typename V::Scalar(0); });
}

}  // namespace taut
