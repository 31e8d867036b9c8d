// Stands in for __float128 where the compiler has none, as g++ for ARM: enough for headers that name the type
// to be read. What is computed in it is not looked at here.
#pragma once

#include <compare>
#include <type_traits>

struct StandIn {
  long double value = 0;

  constexpr StandIn() = default;
  template <class T>
    requires std::is_arithmetic_v<T>
  constexpr StandIn(T x) : value(x) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const {
    return static_cast<T>(value);
  }
  constexpr StandIn operator-() const { return -value; }
  friend constexpr StandIn operator+(const StandIn& a, const StandIn& b) { return a.value + b.value; }
  friend constexpr StandIn operator-(const StandIn& a, const StandIn& b) { return a.value - b.value; }
  friend constexpr StandIn operator*(const StandIn& a, const StandIn& b) { return a.value * b.value; }
  friend constexpr StandIn operator/(const StandIn& a, const StandIn& b) { return a.value / b.value; }
  constexpr StandIn& operator+=(const StandIn& b) { return *this = *this + b; }
  constexpr StandIn& operator-=(const StandIn& b) { return *this = *this - b; }
  constexpr StandIn& operator*=(const StandIn& b) { return *this = *this * b; }
  constexpr StandIn& operator/=(const StandIn& b) { return *this = *this / b; }
  friend constexpr auto operator<=>(const StandIn& a, const StandIn& b) = default;
};
#define __float128 StandIn
