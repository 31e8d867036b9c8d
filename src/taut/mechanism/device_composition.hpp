// The compositions of RATTLE as a thread of a device makes them: the substeps of method/composition.hpp,
// with the coefficients and the weights of the guesses as numbers of the unit. Labels:
// docs/theory/composition.md.
#pragma once

#include <taut/method/impulse_guess.hpp>
#include <taut/method/rattle.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace taut {

// A Scheme has the numbers gamma[i] and the rows weights[i], as GuessWeights makes them.
template <class Scheme>
struct DeviceComposition {
  Rattle base{};

  template <Natural P, class X>
  using Memory = Rattle::Memory<P, X>;

  // Makes a step if nothing about it is in doubt; otherwise it returns false, and x is lost.
  template <Natural P, class X>
  bool step_if_clear(const P& s, X& x, Memory<P, X>& at, const typename P::Scalar& h) const {
    Guess<P> guess;
    return base.advance_if_clear(s, x, at, h, std::span<const typename P::Scalar>(Scheme::gamma), guess);
  }

 private:
  template <class P>
  struct Guess {
    using Multiplier = typename P::Multiplier;
    std::array<Multiplier, GuessWeights::reach> past;

    static constexpr bool is_damped() { return false; }
    void offer(std::size_t i, Multiplier& mu) const {
      set_zero(mu);
      add_guess(Scheme::weights[i], past, i, mu);  // (Y3)
    }
    void keep(std::size_t i, const Multiplier& mu) { past[i % GuessWeights::reach] = mu; }
  };
};

}  // namespace taut
