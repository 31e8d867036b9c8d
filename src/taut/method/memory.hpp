// What a method keeps between steps. It is built for a problem and a state, and from the method's parameters
// if it has any.
#pragma once

#include <taut/scalar/number.hpp>

#include <type_traits>

namespace taut {

template <class Method, class P, class X>
auto make_memory(const Method& method, const P& s, const X& x) {
  using Memory = typename Method::template Memory<P, X>;
  if constexpr (std::is_constructible_v<Memory, const P&, const X&, const Method&>)
    return Memory(s, x, method);
  else
    return Memory(s, x);
}

// Rounds a coefficient given in 128 bits to the digits of T; dual numbers and packs take the float they are
// made of.
template <class T>
T coefficient(const Float128& x) {
  if constexpr (is_float<T>)
    return static_cast<T>(x);
  else
    return T(coefficient<typename ScalarTraits<T>::Element>(x));
}

}  // namespace taut
