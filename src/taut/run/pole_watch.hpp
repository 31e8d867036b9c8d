// Looks for poles that a run of formulas steps across without a trace in its energy. Wherever a formula
// divides (a/b, b^-2, tan, log), what it divides by cannot change its sign on a continuous way unless it
// passes zero; if H has no bound there, no motion passes, and the step has hopped. Label:
// docs/theory/manifold.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace taut {

struct Model;  // model/model.hpp

class PoleWatch {
 public:
  explicit PoleWatch(const Model& model);
  ~PoleWatch();
  PoleWatch(const PoleWatch&) = delete;
  PoleWatch& operator=(const PoleWatch&) = delete;

  bool watches() const;  // something is divided by that is no constant
  // Takes the signs of all divisors at a state.
  void begin(std::span<const double> q, std::span<const double> p);
  // Asks whether a divisor has another sign at this state.
  bool changed(std::span<const double> q, std::span<const double> p) const;
  // Returns after how many more steps a divisor may at the earliest be zero, if it changes no faster than it
  // did. Called after changed() at the same state, `steps` after the last time.
  std::int64_t steps_ahead(std::int64_t steps);
  // Returns in words the pole on the straight way from the state at which the signs were taken to another
  // one; nothing if there is none. A divisor at whose zero its formula has a bound, as x has in sin(x)/x, is
  // not looked at again.                                                                            (W8)
  std::string between(std::span<const double> q0, std::span<const double> p0, std::span<const double> q1,
                      std::span<const double> p1);

 private:
  struct Divisors;
  std::unique_ptr<Divisors> divisors_;
};

}  // namespace taut
