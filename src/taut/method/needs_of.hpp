// What a method needs of a problem, found by showing it problems of which each lacks something. A method
// says no more of itself than fits<P>, yes or no.
#pragma once

#include <taut/problem/missing_member.hpp>

namespace taut {

// Declarations alone: nobody calls them.
namespace sample_problem {

struct WithConstraints : Shape<double, 1, 1> {
  int coordinates() const;
  int constraints() const;
  Jacobian make_jacobian() const;
  void g(const Vec&, Multiplier&) const;
  void G(const Vec&, Jacobian&) const;
};
struct WithH : WithConstraints {
  double H(const Vec&, const Vec&) const;
  void H_q(const Vec&, const Vec&, Vec&) const;
  void H_p(const Vec&, const Vec&, Vec&) const;
  void H_pp_times(const Vec&, const Vec&, const Vec&, Vec&) const;
};
struct WithV : WithConstraints {
  double V(const Vec&) const;
  void grad_V(const Vec&, Vec&) const;
  const ScalarMass<double>& W() const;
};
struct WithParts : WithV {
  double V_fast(const Vec&) const;
  void grad_V_fast(const Vec&, Vec&) const;
  void grad_V_slow(const Vec&, Vec&) const;
};
template <class P>
struct WithCast : P {
  template <class U>
  WithCast cast() const;
};

}  // namespace sample_problem

template <class Method>
constexpr Needs needs_of() {
  using namespace sample_problem;
  constexpr bool takes_H = Method::template fits<WithCast<WithH>>;
  return {.V = !takes_H || Method::template fits<WithCast<WithV>>,
          .H = takes_H,
          .split = Method::template fits<WithCast<WithParts>> && !Method::template fits<WithCast<WithV>>,
          .cast = !Method::template fits<WithParts> && !Method::template fits<WithH>};
}

}  // namespace taut
