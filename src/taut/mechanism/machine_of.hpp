#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/gauge.hpp>
#include <taut/measure/watch.hpp>
#include <taut/mechanism/machine.hpp>
#include <taut/method/stepper.hpp>
#include <taut/scalar/flatten.hpp>

namespace taut {

// S is Stepper<P, X>, or a BoundStepper, whose step is then compiled into the loop.
template <Hamiltonian P, class X, class S = Stepper<P, X>>
class MachineOf final : public Machine {
 public:
  using T = typename P::Scalar;
  MachineOf(const P& problem, const X& start, std::unique_ptr<S> stepper)
      : problem_(problem),
        stepper_(std::move(stepper)),
        x_(start),
        mesh_(start),
        next_(start),
        gauge_(problem_) {}

  // Says what the step of the run is with all digits of T; the callers of advance give the nearest double.
  void set_step(const T& h) { step_ = h; }

  void advance(double h, std::int64_t count, Tally& tally) override {
    const std::int64_t before = stepper_->gradients();
    if constexpr (S::short_step)
      advance_in_registers(whole_step(h), count, tally);
    else
      make_steps(whole_step(h), count, tally);
    tally.gradients += stepper_->gradients() - before;
  }

  void advance_by_halves(double h, Tally& tally) override {
    constexpr int most = 1024;
    const std::int64_t before = stepper_->gradients();
    for (int parts = 2; parts <= most; parts *= 2) {
      begin_anew();
      tally.clear_failure();
      if (take_in_parts(parts, T(whole_step(h) / parts), tally)) {
        tally.count_halved(parts);
        break;
      }
    }
    begin_anew();
    tally.gradients += stepper_->gradients() - before;
  }

  std::string save() override {
    Carry c;
    carry(c);
    stepper_->carry(c);
    return c.bytes();
  }
  bool restore(std::string_view bytes) override {
    Carry c(bytes);
    carry(c);
    stepper_->restart(x_);
    stepper_->carry(c);
    return c.complete();
  }

  std::span<const double> q() const override { return as_doubles(mesh_.q, rounded_[0]); }
  std::span<const double> p() const override { return as_doubles(mesh_.p, rounded_[1]); }
  Reading read() override { return gauge_.read(problem_, mesh_.q, mesh_.p); }
  std::optional<WideState> wide(std::int64_t steps) const override {
    if constexpr (is_wide) {
      WideState x{.time = widened(T(steps) * step_), .energy = widened(H(problem_, mesh_.q, mesh_.p))};
      for (const T& number : mesh_.q) x.q.push_back(widened(number));
      for (const T& number : mesh_.p) x.p.push_back(widened(number));
      if (const auto lambda = taut::multiplier(problem_, mesh_.q, mesh_.p))
        for (const T& number : *lambda) x.lambda.push_back(widened(number));
      return x;
    } else {
      return std::nullopt;
    }
  }
  std::vector<double> multiplier() const override {
    return multiplier_in_doubles(problem_, mesh_.q, mesh_.p);
  }
  std::vector<double> constraint_force() const override {
    return taut::constraint_force(problem_, mesh_.q, mesh_.p);
  }
  double kinetic_energy() const override {
    typename P::Vec v = zero_vector(problem_);
    H_p(problem_, mesh_.q, mesh_.p, v);
    return lane(mesh_.p.dot(v) / 2, 0);
  }
  std::vector<double> last_multiplier(double h) const override {
    const auto lambda = stepper_->last_multiplier(whole_step(h));
    return {lambda.begin(), lambda.end()};
  }
  bool watch_local_error() override {
    watches_error_ = stepper_->local_error(T(1)).has_value();
    return watches_error_;
  }
  ProjectionCount projections() const override {
    const ProjectionCount now = stepper_->projections();
    return {projected_.position + now.position, projected_.momentum + now.momentum};
  }

 private:
  static constexpr bool is_wide = is_float<T> && !std::is_same_v<T, double>;

  // Returns the step of which h is the nearest double.
  T whole_step(double h) const {
    if constexpr (is_wide)
      if (lane(step_, 0) == h) return step_;
    return T(h);
  }
  static std::span<const double> as_doubles(const typename P::Vec& x, std::vector<double>& room) {
    if constexpr (is_wide) {
      room.assign(x.begin(), x.end());
      return room;
    } else {
      return {x.data(), static_cast<std::size_t>(x.size())};
    }
  }
  static Wide widened(const T& x) {
    Wide parts{.high = lane(x, 0)};
    if (!finite(parts.high)) return parts;
    parts.middle = lane(T(x - parts.high), 0);
    parts.low = lane(T(x - parts.high - parts.middle), 0);
    return parts;
  }

  // The step is compiled into this loop; TAUT_NO_FLATTEN (flatten.hpp) keeps it from being flattened once
  // more by itself.
  TAUT_KERNEL void advance_in_registers(T h, std::int64_t count, Tally& tally) {
    make_steps(h, count, tally);
  }
  void make_steps(T h, std::int64_t count, Tally& tally) {
    for (; count > 0; --count) {
      const auto solved = stepper_->step(x_, h);
      if (!solved) {
        tally.failure = solved.error();
        return;
      }
      if (!arrive(h, *solved, tally)) return;
    }
  }
  void carry(Carry& c) {
    c(x_);
    c(mesh_);
    c(projected_);
  }
  void begin_anew() {
    projected_ = projections();
    x_ = mesh_;
    stepper_->restart(x_);
  }
  bool take_in_parts(int parts, T h, Tally& tally) {
    int corrections = 0;
    for (int i = 0; i < parts; ++i) {
      const auto solved = stepper_->step(x_, h);
      if (!solved) {
        tally.failure = solved.error();
        return false;
      }
      corrections += *solved;
    }
    return arrive(h, corrections, tally);
  }
  // Ends a step, or the parts of one: the mesh point moves to where x_ is if H has a value there.
  bool arrive(T h, int corrections, Tally& tally) {
    if (!stepper_->has_output()) {
      if (!counts(x_, h, corrections, tally)) return false;
      mesh_ = x_;
      return true;
    }
    next_ = x_;
    if (const auto put_out = stepper_->output(next_, h); !put_out) {
      tally.failure = put_out.error();
      return false;
    }
    if (!counts(next_, h, corrections, tally)) return false;
    std::swap(mesh_, next_);
    return true;
  }
  // Adds the step that ended at x to the tally, unless it has failed after all.
  bool counts(const X& x, T h, int corrections, Tally& tally) {
    const Reading reading = gauge_.read(problem_, x.q, x.p);
    if (worth_a_look<is_wide>(tally, reading, corrections) && std::isfinite(reading.energy))
      if (const auto found = judged<P, X>(problem_, mesh_, x, h, *stepper_, tally, reading))
        if ((found->certain || confirmed_by_halves(x, h, reading, tally)) &&
            !tally.goes_on_after(found->failure)) {
          tally.failure = found->failure;
          return false;
        }
    if (!tally.add<is_wide>(reading, corrections)) return false;
    if (watches_error_) [[unlikely]]
      tally.see_local_error(stepper_->local_error(h).value_or(0));
    return true;
  }

  // Makes the step to x once more, in two halves, and asks whether they end elsewhere. The stepper is left as
  // it was.
  [[gnu::cold, gnu::noinline]] bool confirmed_by_halves(const X& x, T h, const Reading& whole,
                                                        const Tally& tally) {
    const T half = h / 2;
    Carry kept;
    stepper_->carry(kept);
    const ProjectionCount count = stepper_->projections();
    X halves = mesh_;
    stepper_->restart(halves);
    bool made = bool(stepper_->step(halves, half)) && bool(stepper_->step(halves, half));
    if (made && stepper_->has_output()) made = bool(stepper_->output(halves, half));
    const Reading end = made ? gauge_.read(problem_, halves.q, halves.p) : whole;
    const bool elsewhere =
        made && ends_elsewhere(problem_, mesh_, x, halves, h, std::abs(energy_above(whole, tally.now)),
                               std::abs(energy_above(end, tally.now)));
    projected_ = {projected_.position + count.position, projected_.momentum + count.momentum};
    stepper_->restart(x_);
    Carry back(kept.bytes());
    stepper_->carry(back);
    return elsewhere;
  }

  P problem_;
  std::unique_ptr<S> stepper_;
  X x_, mesh_, next_;  // between steps; at the last good mesh point; at the one that is being looked at
  Gauge<P> gauge_;
  bool watches_error_ = false;
  ProjectionCount projected_;               // before the stepper was last begun anew
  T step_ = T(0);                           // with all its digits
  mutable std::vector<double> rounded_[2];  // q and p, if T is no double
};

}  // namespace taut
