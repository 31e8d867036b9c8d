// A method bound to a problem, with the types hidden: one virtual call per step. Time loops and theorem
// tests hold one.
#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/memory.hpp>
#include <taut/method/needs_of.hpp>
#include <taut/method/projection_count.hpp>
#include <taut/problem/tiers.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/solve/failure.hpp>
#include <taut/solve/options.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace taut {

// What a method promises about the constraints at the end of a step: which of them hold, and to what
// tolerance; 0: to rounding.
struct StepPromise {
  Keeps keeps = Keeps::nothing;
  double tolerance = 0;
};

template <Constrained P, class X>
class Stepper {
 public:
  static constexpr bool short_step = false;
  virtual ~Stepper() = default;
  virtual Expected<int> step(X& x, const typename P::Scalar& h) = 0;
  // x is a copy of the state between steps, and becomes the state at the mesh point: on M if the method
  // stays there.
  virtual Expected<int> output(X& x, const typename P::Scalar& h) = 0;
  virtual bool has_output() const = 0;   // false: output leaves x as it is
  virtual void restart(const X& x) = 0;  // forget everything but x
  // Saves what does not follow from x, or, after a restart(x), fills it: the steps that follow then have the
  // same bits.
  virtual void carry(Carry& c) = 0;
  virtual StepPromise promise() const { return {}; }
  virtual ProjectionCount projections() const { return {}; }
  virtual std::int64_t gradients() const { return 0; }  // evaluations of grad V or of H_q, if it is counted
  // The method's own multiplier at the end of the last step, which had the size h; empty if the method has
  // none.
  virtual Vector<typename P::Scalar, dynamic> last_multiplier(const typename P::Scalar&) const { return {}; }
  // The method's own estimate of the error that the last step made, if it has one.
  virtual std::optional<double> local_error(const typename P::Scalar&) const { return std::nullopt; }
};

template <class Method, Constrained P, class X>
class BoundStepper final : public Stepper<P, X> {
 public:
  // The method says of itself that its step is short: for a small problem it is worth compiling into the
  // loop over steps.
  static constexpr bool short_step = fixed_size<P> && requires { Method::steps_are_short; };
  BoundStepper(const Method& method, const P& problem, const X& x)
      : method_(method), problem_(problem), memory_(make_memory(method_, problem_, x)) {}
  BoundStepper(const BoundStepper&) = delete;
  BoundStepper& operator=(const BoundStepper&) = delete;
  ~BoundStepper() override {
    if (has_memory_) std::destroy_at(&memory_);
  }

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
  // Rebuilds the memory in place, because a memory contains uninitialised buffers and cannot be copied. Its
  // constructor cannot refuse the problem here: it would have refused it when this stepper was made. If
  // allocation fails, this throws, and the stepper must not make a step before another restart succeeds.
  void restart(const X& x) override {
    if (std::exchange(has_memory_, false)) std::destroy_at(&memory_);
    ::new (static_cast<void*>(&memory_)) Memory(make_memory(method_, problem_, x));
    has_memory_ = true;
  }
  void carry(Carry& c) override {
    if constexpr (requires { memory_.carry(c); }) {
      if (has_memory_) memory_.carry(c);
    }
  }
  StepPromise promise() const override {
    const Keeps keeps = facts_of(method_).keeps;
    if constexpr (requires { method_.projection; })
      return {};  // it projects as the user says
    else if constexpr (requires { method_.base.solve; })
      return {keeps, method_.base.solve.tolerance};
    else if constexpr (requires { method_.solve; })
      return {keeps, method_.solve.tolerance};
    else
      return {keeps, 0};
  }
  ProjectionCount projections() const override {
    if constexpr (requires { memory_.projections(); })
      return memory_.projections();
    else
      return {};
  }
  std::int64_t gradients() const override {
    if constexpr (requires { problem_.gradients(); })
      return problem_.gradients();
    else
      return 0;
  }
  Vector<typename P::Scalar, dynamic> last_multiplier(const typename P::Scalar& h) const override {
    if constexpr (requires { memory_.last_multiplier(h); })
      return memory_.last_multiplier(h);
    else
      return {};
  }
  std::optional<double> local_error(const typename P::Scalar& h) const override {
    if constexpr (requires { memory_.local_error(h); })
      return memory_.local_error(h);
    else
      return std::nullopt;
  }

 private:
  using Memory = typename Method::template Memory<P, X>;
  static constexpr bool puts_out = requires(const Method& method, const P& s, X& x, Memory& memory,
                                            const typename P::Scalar& h) { method.output(s, x, memory, h); };
  Method method_;
  P problem_;
  bool has_memory_ = true;  // false after a restart that failed
  union {
    Memory memory_;
  };
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

// Returns true if the method can be bound to this problem. The type decides; if the problem's tier is data,
// the tier counts too.
template <class Method, Constrained P>
bool fits(const Method& method, const P& problem) {
  if constexpr (!Method::template fits<P>)
    return false;
  else if constexpr (Graded<P>)
    return covers(problem.tier(), facts_of(method).tier);
  else
    return true;
}

// Makes a stepper of this method for this problem, from x on, or gives null if the method does not fit the
// problem. It is for code that goes through the catalogue; all other code calls bind.
template <class Method, Constrained P, class X>
std::unique_ptr<Stepper<P, X>> try_bind(const Method& method, const P& problem, const X& x,
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

// What bind gives after it has said why there is no stepper: it takes every call, so that the compiler says
// no more.
struct NoStepper {
  template <class... Arguments>
  Expected<int> step(Arguments&&...);
  template <class... Arguments>
  Expected<int> output(Arguments&&...);
  template <class... Arguments>
  void restart(Arguments&&...);
};

// Makes a stepper of this method for this problem, from x on. If the problem lacks a member that the method
// needs, the program does not compile, and the compiler's message names the member. Method::fits<P> tells
// beforehand. If the tier of the problem is data and does not suffice, bind gives null.
template <class Method, class P, class X>
auto bind(const Method& method, const P& problem, const X& x, const SolveOptions& options = {}) {
  constexpr bool fits = [] {
    if constexpr (Constrained<P>)
      return Method::template fits<P>;
    else
      return false;
  }();
  if constexpr (fits) {
    return try_bind(method, problem, x, options);
  } else {
    constexpr bool nothing_missing = name_missing_members<P, needs_of<Method>()>();
    static_assert(
        !nothing_missing,
        "taut: this problem has all members that the method needs, but does not meet a condition of the "
        "method's own: see fits<P> in the method's header.");
    return std::unique_ptr<NoStepper>();
  }
}

}  // namespace TAUT_STEPS

}  // namespace taut
