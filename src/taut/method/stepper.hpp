// A method bound to a problem, its type hidden: one virtual call per step. What the time loop and the theorem tests hold.
#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/projection_count.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>

#include <memory>

namespace taut {

template <Constrained P, class X>
class Stepper {
 public:
  static constexpr bool short_step = false;
  virtual ~Stepper() = default;
  virtual Expected<int> step(X& x, const typename P::Scalar& h) = 0;
  // Makes x, a copy of the state between steps, the state at the mesh point: on M where the method is.
  virtual Expected<int> output(X& x, const typename P::Scalar& h) = 0;
  virtual bool has_output() const = 0;   // false: output leaves x as it is
  virtual void restart(const X& x) = 0;  // forget everything but x
  // What does not follow from x, saved or, after a restart(x), filled: the steps that follow are then the same to the last bit.
  virtual void carry(Carry& c) = 0;
  virtual ProjectionCount projections() const { return {}; }
  // The method's own multiplier at the end of the last step, which was of size h; empty where it has none.
  virtual Vector<typename P::Scalar, dynamic> last_multiplier(const typename P::Scalar&) const { return {}; }
};

template <class Method, Constrained P, class X>
class BoundStepper final : public Stepper<P, X> {
 public:
  // The method says of itself that its step is short: worth compiling into the loop over steps of a small problem.
  static constexpr bool short_step = fixed_size<P> && requires { Method::steps_are_short; };
  BoundStepper(const Method& method, const P& problem, const X& x)
      : method_(method), problem_(problem), memory_(make_memory(method_, problem_, x)) {}

  Expected<int> step(X& x, const typename P::Scalar& h) override {
    return method_.step(problem_, x, memory_, h);
  }
  Expected<int> output(X& x, const typename P::Scalar& h) override {
    if constexpr (puts_out)
      return method_.output(problem_, x, memory_, h);
    else
      return 0;
  }
  bool has_output() const override { return puts_out; }
  // Built in place: a memory holds room that is not initialised, and is not copied. What a memory refuses, it has refused before; a throw for want of space would leave
  // no memory to go on with, and ends the program.
  void restart(const X& x) noexcept override {  // NOLINT(bugprone-exception-escape)
    std::destroy_at(&memory_);
    ::new (static_cast<void*>(&memory_)) Memory(make_memory(method_, problem_, x));
  }
  void carry(Carry& c) override {
    if constexpr (requires { memory_.carry(c); }) memory_.carry(c);
  }
  ProjectionCount projections() const override {
    if constexpr (requires { memory_.projections(); })
      return memory_.projections();
    else
      return {};
  }
  Vector<typename P::Scalar, dynamic> last_multiplier(const typename P::Scalar& h) const override {
    if constexpr (requires { memory_.last_multiplier(h); })
      return memory_.last_multiplier(h);
    else
      return {};
  }

 private:
  using Memory = typename Method::template Memory<P, X>;
  static constexpr bool puts_out = requires(const Method& method, const P& s, X& x, Memory& memory,
                                            const typename P::Scalar& h) { method.output(s, x, memory, h); };
  Method method_;
  P problem_;
  Memory memory_;
};

// Sets how a method solves its constraints, wherever in it the options sit.
template <class Method>
Method with_options(Method method, const SolveOptions& options) {
  if constexpr (requires { method.base; })
    method.base.solve = options;
  else if constexpr (requires { method.solve; })
    method.solve = options;
  return method;
}

inline namespace TAUT_STEPS {  // flatten.hpp

// True if the method can be bound to this problem. The type decides; if the problem's tier is data, that counts too.
template <class Method, Constrained P>
bool fits(const Method& method, const P& problem) {
  if constexpr (!Method::template fits<P>)
    return false;
  else if constexpr (Graded<P>)
    return covers(problem.tier(), facts_of(method).tier);
  else
    return true;
}

// Null if the method does not fit the problem.
template <class Method, Constrained P, class X>
std::unique_ptr<Stepper<P, X>> bind(const Method& method, const P& problem, const X& x,
                                    const SolveOptions& options = {}) {
  if constexpr (Method::template fits<P>) {
    if (!fits(method, problem)) return nullptr;
    const auto bound = [&](const auto& m) -> std::unique_ptr<Stepper<P, X>> {
      using Bound = BoundStepper<std::remove_cvref_t<decltype(m)>, P, X>;
      return std::make_unique<Bound>(with_options(m, options), problem, x);
    };
    if constexpr (flattened && fixed_size<P> && requires { method.with_stages_known(bound); })
      return method.with_stages_known(bound);
    else
      return bound(method);
  } else {
    return nullptr;
  }
}

}  // namespace TAUT_STEPS

}  // namespace taut
