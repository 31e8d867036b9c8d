// A composition of whole steps of a symmetric method that is not one of Reich's projected maps: each substep
// ends on M by the method's own projection. Labels: docs/theory/composition.md.
#pragma once

#include <taut/method/made/made_composition.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/spelling.hpp>
#include <taut/solve/failure.hpp>

namespace taut {

template <class Base_>
struct ComposedSteps {
  const CompositionScheme* scheme = nullptr;
  Base_ base{};

  template <class P>
  static constexpr bool fits = Base_::template fits<P>;

  MethodFacts facts() const { return composition_facts(*scheme, facts_of(base)); }
  Spelling spelling() const {
    return composition_spelling("ComposedSteps", "made/composed_steps.hpp", *scheme, base.spelling());
  }

  template <class P, class X>
  struct Memory {
    Memory(const P& s, const X& x, const ComposedSteps& method)
        : inner(make_memory(method.base, s, x)), start(x) {
      for (const Float128& c : coefficients<Float128>(*method.scheme))
        gamma.push_back(coefficient<typename P::Scalar>(c));
    }
    typename Base_::template Memory<P, X> inner;
    std::vector<typename P::Scalar> gamma;
    X start;
  };

  template <class P, class X>
  Expected<int> step(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    at.start = x;
    int iterations = 0;
    for (const auto& gamma : at.gamma) {
      const auto solved = base.step(s, x, at.inner, typename P::Scalar(gamma * h));  // (Y6)
      if (!solved) {
        x = at.start;
        at.inner.refresh(s, x.q);
        return solved;
      }
      iterations += *solved;
    }
    return iterations;
  }
};

}  // namespace taut
