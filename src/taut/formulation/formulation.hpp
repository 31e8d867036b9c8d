// A formulation turns q' = H_p, p' = -H_q - Gᵀλ, 0 = g into an ordinary differential equation that has the
// same solutions on M. It is a type with `facts` and `fits<P>`, and its Field<P> is the vector field:
//
//   Field(const P&)                    makes what it needs to work in, for that problem
//   bool operator()(s, q, p, q', p')   writes the slopes at (q, p); false if they are undefined,
//                                      for example if G H_pp Gᵀ is singular
//
// A field in coordinates of its own, such as a chart, says so by `reduced` and goes in and out by enter() and
// leave(): state_space.hpp.
#pragma once

#include <taut/formulation/facts.hpp>
#include <taut/problem/tiers.hpp>

#include <optional>
#include <string>
#include <utility>

namespace taut {

// The problem in another scalar type.
template <class P, class U>
using Cast = decltype(std::declval<const P&>().template cast<U>());

template <class P>
concept Smooth = Hamiltonian<P> && Castable<P>;  // derivatives of G H_p come from dual numbers

// True if numbers can be compared one by one, as a choice of pivots needs.
template <class P>
inline constexpr bool one_trajectory = ScalarTraits<typename P::Scalar>::lanes == 1;

inline std::string needs_natural_system(std::string_view formulation) {
  return "the formulation '" + std::string(formulation) +
         "' needs a natural system, H = p'Wp/2 + V(q). Use dirac-weak";
}

// Says why a formulation does not fit a problem of this type, with an alternative; says nothing if it fits.
template <class Formulation, class P>
std::optional<std::string> refusal_by_type() {
  if constexpr (Formulation::template fits<P>) {
    return std::nullopt;
  } else {
    const std::string name(Formulation::facts.name);
    if constexpr (!Hamiltonian<P>)
      return "the formulation '" + name +
             "' needs H(q, p) with H_q, H_p and H_pp v, or V, grad_V and W; this problem gives neither. "
             "Write them as docs/guide/writing-a-problem.md shows";
    else if constexpr (!Castable<P>)
      return "the formulation '" + name +
             "' needs derivatives of G(q) H_p(q, p), which come from dual numbers; this problem has no "
             "cast<U>(). Add it, or use lobatto(s), which needs no more than the problem gives";
    else if constexpr (!one_trajectory<P>)
      return "the formulation '" + name +
             "' chooses pivots, which the lanes of a pack cannot do each for itself. Use dirac-weak, which "
             "has "
             "the same solutions, or one trajectory at a time";
    else if constexpr (Formulation::facts.parametrised)
      return "the formulation '" + name +
             "' needs a parametrisation q = phi(delta) of g = 0, and this problem gives none: write "
             "has_parametrisation() and parametrisation(), or use state-space, which finds charts by itself";
    else
      return needs_natural_system(name);
  }
}

}  // namespace taut
