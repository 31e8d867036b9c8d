// Loops that the compiler must unroll, because their indices decide at compile time which work there is.
#pragma once

#include <type_traits>
#include <utility>

namespace taut {

template <int count, class Body>
constexpr void unroll(Body&& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (body.template operator()<i>(), ...);
  }(std::make_integer_sequence<int, count>{});
}

// A number that the compiler knows, passed as a value.
template <int n>
using Known = std::integral_constant<int, n>;
template <class I>
inline constexpr bool is_known = !std::is_integral_v<I>;

// Calls body(i) for begin <= i < end. If the compiler knows both ends, the loop is unrolled and i is known
// too.
template <class Begin, class End, class Body>
constexpr void each(Begin begin, End end, Body&& body) {
  if constexpr (is_known<Begin> && is_known<End>)
    unroll<End::value - Begin::value>([&]<int i>() { body(Known<Begin::value + i>{}); });
  else
    for (int i = begin; i < end; ++i) body(i);
}
template <class I>
constexpr auto after(I i) {
  if constexpr (is_known<I>)
    return Known<I::value + 1>{};
  else
    return i + 1;
}

// Calls body(i) for the indices of a vector. If the size is known and small, the loop is unrolled here:
// objects indexed by a loop counter stay in memory, and with them everything in the same structure.
template <class V, class Body>
constexpr void each_index(const V& v, Body&& body) {
  constexpr int size = V::SizeAtCompileTime;
  if constexpr (size > 0 && size <= 24)
    unroll<size>([&]<int i>() { body(i); });
  else
    for (int i = 0; i < static_cast<int>(v.size()); ++i) body(i);
}

// Sets v to 0. (Eigen's setZero fills by a loop over pointers.)
template <class V>
constexpr void set_zero(V& v) {
  each_index(v, [&](int i) { v[i] = typename V::Scalar(0); });
}

}  // namespace taut
