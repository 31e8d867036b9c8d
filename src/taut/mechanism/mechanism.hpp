// A problem with its type hidden. It says which methods fit it and whether a start is on its manifold, and
// makes the machines that run it.
#pragma once

#include <taut/contract/plain_state.hpp>
#include <taut/formulation/start_check.hpp>
#include <taut/mechanism/machine.hpp>
#include <taut/mechanism/ode_choice.hpp>
#include <taut/method/facts.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

struct MethodChoice {
  std::string method;
  std::optional<OdeChoice> ode = {};  // if the method integrates a formulation
  std::string label() const { return ode ? method + " on " + ode->written() : short_name(method); }
};

// What can be evaluated at any state: numbers (H, V), vectors of n (H_q, H_p) or m numbers (g, G H_p, λ),
// and G row by row.
enum class Evaluated { H, V, H_q, H_p, g, G, GHp, lambda };
constexpr std::array<std::string_view, 8> names_of(Evaluated) {
  return {"H", "V", "H_q", "H_p", "g", "G", "GHp", "lambda"};
}

// States one after the other; the strides are counted in numbers. p may be null if nothing depends on it.
struct StatesToEvaluate {
  std::int64_t count = 0;
  const double* q = nullptr;
  std::int64_t q_stride = 0;
  const double* p = nullptr;
  std::int64_t p_stride = 0;
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;
  virtual int coordinates() const = 0;
  virtual int constraints() const = 0;
  virtual Tier tier() const = 0;                       // the most it offers: hamiltonian, natural or split
  virtual bool of_particles() const { return false; }  // fewer methods, redundant constraints on request
  virtual bool parametrised() const { return false; }  // the model gives q = φ(δ)
  // The last coordinate is the time, and its momentum is minus the work; forces that are no gradient act.
  virtual bool timed() const { return false; }
  virtual bool forced() const { return false; }
  // What [damping] says: nothing, or rates that are all the same, or different ones.
  enum class Damping { none, equal, different };
  virtual Damping damping() const { return Damping::none; }
  virtual int velocity_constraints() const { return 0; }  // so many of the constraints, the last ones
  virtual std::string constraint_name(int k) const = 0;
  virtual PlainState start() const = 0;  // as the model gives it

  virtual bool fits(const std::string& method) const = 0;  // a name that exists
  virtual std::vector<std::string> fitting() const = 0;    // rows of the catalogue
  // Says in a sentence why the formulation does not fit this problem at this start; nothing if it fits.
  virtual std::optional<std::string> refusal(const OdeChoice& ode, const PlainState& start) const = 0;

  virtual StartCheck check(const PlainState& x) const = 0;
  virtual Expected<Move> project(PlainState& x) const = 0;
  // Evaluates at each state; the results stand one after the other. λ is NaN if the constraints are dependent
  // there. Returns false if the problem has no such thing: V of a Hamiltonian of its own.
  virtual bool evaluate(Evaluated what, const StatesToEvaluate& x, double* out) const = 0;
  // Lists the constraints whose gradients depend on each other at x.
  virtual std::vector<int> dependent(const PlainState& x) const = 0;
  // Lists the constraints whose gradients are 0 at x, as those of squares.
  virtual std::vector<int> without_gradient(const PlainState&) const { return {}; }
  // Says how a constraint is connected to others at that state.
  virtual Connection connection(const PlainState&, int) const { return {}; }

  // Binds a method. Gives null if plain updates are asked for and the method does not offer them.
  virtual std::unique_ptr<Machine> bind(const MethodChoice& choice, const PlainState& start,
                                        const SolveOptions& options, bool plain_updates) const = 0;
};

}  // namespace taut
