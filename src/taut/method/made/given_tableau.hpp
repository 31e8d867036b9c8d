// A tableau as C++ text and back, for a unit that is compiled for one method.
#pragma once

#include <taut/method/tableau.hpp>
#include <taut/scalar/quad_text.hpp>

#include <initializer_list>
#include <string>

namespace taut {

// Makes a tableau of s stages from the numbers c, b, A and Â, the matrices row by row. It lives as long as
// the program.
inline const Tableau<Float128>* given_tableau(int s, std::initializer_list<const char*> numbers) {
  auto* t = new Tableau<Float128>{Matrix<Float128, dynamic, dynamic>(s, s),
                                  Matrix<Float128, dynamic, dynamic>(s, s), Vector<Float128, dynamic>(s),
                                  Vector<Float128, dynamic>(s), Vector<Float128, dynamic>(s)};
  const char* const* next = numbers.begin();
  const auto number = [&] { return strtoflt128(*next++, nullptr); };
  for (int i = 0; i < s; ++i) t->c[i] = number();
  for (int i = 0; i < s; ++i) t->b[i] = t->b_hat[i] = number();
  for (auto* matrix : {&t->A, &t->A_hat})
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) (*matrix)(i, j) = number();
  return t;
}

inline std::string given_text(const Tableau<Float128>& t) {
  std::string text = "given_tableau(" + std::to_string(t.stages()) + ", {";
  const auto add = [&](Float128 x) { text += "\"" + quad_text(x) + "\", "; };
  for (int i = 0; i < t.stages(); ++i) add(t.c[i]);
  for (int i = 0; i < t.stages(); ++i) add(t.b[i]);
  for (const auto* matrix : {&t.A, &t.A_hat})
    for (int i = 0; i < t.stages(); ++i)
      for (int j = 0; j < t.stages(); ++j) add((*matrix)(i, j));
  return text + "})";
}

}  // namespace taut
