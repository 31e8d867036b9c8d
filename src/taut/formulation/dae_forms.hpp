// Forms of the constrained equations that keep multipliers as unknowns. The equations as they stand, with g =
// 0, have index 3; here are two of index 2. Labels: docs/theory/dae-forms.md.
#pragma once

#include <taut/formulation/facts.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/solve/residual_size.hpp>

namespace taut {

struct Index2 {
  static constexpr FormulationFacts facts{
      .name = "index-2",
      .what = "0 = G H_p in place of 0 = g, with lambda as an unknown: g drifts. For bdf(k), radau(s)",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Seiler 7",
      .theory = "dae-forms",
      .constrained = true};
};

struct GearGuptaLeimkuhler {
  static constexpr FormulationFacts facts{
      .name = "ggl",
      .what =
          "q' = H_p - G'mu with 0 = g and 0 = G H_p, lambda and mu unknown: keeps M. For bdf(k), radau(s)",
      .hypothesis = "G of full row rank, H_pp positive definite",
      .source = "Gear, Gupta and Leimkuhler 1985",
      .theory = "dae-forms",
      .constrained = true};
};

// The equations and unknowns of a form, as data.
struct DaeForm {
  bool position = false;                  // 0 = g, with μ as the unknown that goes with it
  static constexpr bool momentum = true;  // 0 = G H_p, with λ
  int kinds() const { return position ? 2 : 1; }
};

// Calls visit(formulation, form) for every row, in the order in which they are listed to people.
template <class Visit>
void for_each_dae_form(Visit&& visit) {
  visit(Index2{}, DaeForm{});
  visit(GearGuptaLeimkuhler{}, DaeForm{.position = true});
}

// The functions of a form at one point, in any scalar type: the slopes times h, and the constraints.
template <Hamiltonian P>
struct DaeFormValues {
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  using Multiplier = typename P::Multiplier;

  explicit DaeFormValues(const P& s)
      : q(zero_vector(s)),
        p(q),
        v(q),
        f(q),
        L(zero_multiplier(s)),
        M(L),
        psi(L),
        g(L),
        G(s.make_jacobian()),
        minus_(L) {}

  Vec q, p, v, f;           // the point; h q' and -h p'
  Multiplier L, M, psi, g;  // hλ, hμ; G H_p and g
  typename P::Jacobian G;
  T speed{0};  // max |H_p|

  void evaluate(const P& s, const T& h, const DaeForm& form) {
    s.G(q, G);
    H_p(s, q, p, v);
    G.times(v, psi);  // (DX3)
    if constexpr (is_float<T>) speed = largest_entry(v);
    v *= h;
    H_q(s, q, p, f);
    f *= h;
    minus_ = -L;
    G.subtract_transpose(minus_, f);  // (DX2)
    if (!form.position) return;
    G.subtract_transpose(M, v);  // (DX1)
    s.g(q, g);                   // (DX4)
  }

 private:
  Multiplier minus_;
};

}  // namespace taut
