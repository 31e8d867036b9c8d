// Checks that a problem's `bend` is what g and G leave to it: g(q + d) = g(q) + G(q) d + bend(d). A method
// that uses it does not evaluate g again, so a wrong one would leave every step off the constraint without a
// word. The check is made once, when the memory of such a method is made.
#pragma once

#include <taut/problem/scattered.hpp>
#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

namespace taut {

inline std::string to_digits(double x, int digits) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, digits).ptr};
}

[[noreturn, gnu::cold]] inline void refuse_bend(const std::string& constraint, double size, double left,
                                                double bend, double apart, double rounding) {
  throw std::invalid_argument("bend does not fit g and G in " + constraint + ": with |d| up to " +
                              to_digits(size, 2) + ", g(q + d) - g(q) - G(q) d = " + to_digits(left, 6) +
                              " and bend(d) = " + to_digits(bend, 6) + ", " + to_digits(apart, 2) +
                              " apart where rounding explains " + to_digits(rounding, 2) +
                              ". Steps would end off the constraint. Mend bend or G, or leave bend out: all "
                              "that it saves is a look at g.");
}

// Returns how large a d to ask with. The identity holds for all d, and one far larger than q makes the second
// part outweigh the constants of g (lengths, anchors), whose rounding is not known here.
template <class Vec>
double size_of_bend_check(const Vec& q) {
  double size = 1;
  for (Eigen::Index j = 0; j < q.size(); ++j)
    for (int i = 0; i < ScalarTraits<typename Vec::Scalar>::lanes; ++i)
      size = std::max(size, lane(magnitude(q[j]), i));
  return 0x1p20 * size;
}

// Returns d = q plus numbers without a pattern between -size and size, the same at every call. If q is of
// dual numbers, d has the tangents of q.
template <class Vec>
Vec scattered(const Vec& q, double size) {
  Vec d = q;
  Scattered random(1);
  for (Eigen::Index j = 0; j < q.size(); ++j) d[j] += typename Vec::Scalar(size * random.next());
  return d;
}

// Asks at one place, with a d of this size. If g is not finite it says nothing: the step will.
template <Quadratic P>
[[gnu::cold, gnu::noinline]]
void check_bend_at(const P& s, const typename P::Vec& q, double size) {
  using T = typename P::Scalar;
  const typename P::Vec d = scattered(q, size), moved = q + d;
  Vector<Real<T>, P::n> reach = Vector<Real<T>, P::n>::Zero(s.coordinates());
  for (Eigen::Index j = 0; j < q.size(); ++j) reach[j] = magnitude(q[j]) + magnitude(d[j]);
  typename P::Multiplier here = zero_multiplier(s), there = here, along = here, bend = here;
  Vector<Real<T>, P::m> terms_here = Vector<Real<T>, P::m>::Zero(s.constraints()), terms_there = terms_here;
  typename P::Jacobian G = s.make_jacobian();
  s.g(moved, there);
  s.G(moved, G);
  G.row_bounds(reach, terms_there);
  s.g(q, here);
  s.G(q, G);
  G.row_bounds(reach, terms_here);
  G.times(d, along);
  s.bend(d, bend);
  // A sum of n terms is wrong by n half units of rounding at most; g, G and bend are a few such sums.
  const double sums = 16.0 * (s.coordinates() + 4) * epsilon<T>();
  for (int k = 0; k < s.constraints(); ++k) {
    const T left = there[k] - here[k] - along[k];
    const Real<T> off = magnitude(T(left - bend[k]));
    const Real<T> terms = terms_here[k] + terms_there[k] + magnitude(here[k]) + magnitude(there[k]);
    for (int i = 0; i < ScalarTraits<T>::lanes; ++i) {
      const double apart = lane(off, i), rounding = sums * lane(terms, i);
      if (finite(lane(magnitude(left), i)) && !(apart <= rounding))
        refuse_bend(constraint_name(s, k), size, lane(left, i), lane(bend[k], i), apart, rounding);
    }
  }
}

// Throws std::invalid_argument if the check fails at q or far from it. At q itself a wrong entry of G may
// vanish, as those of a pendulum do that hangs straight down or points to the side.
template <Quadratic P>
[[gnu::cold, gnu::noinline]]
void check_bend(const P& s, const typename P::Vec& q) {
  const double size = size_of_bend_check(q);
  check_bend_at(s, q, size);
  check_bend_at(s, scattered(q, size), size);
}

}  // namespace taut
