#pragma once

#include <taut/bytes/carry.hpp>
#include <taut/measure/gauge.hpp>
#include <taut/measure/watch.hpp>
#include <taut/mechanism/lane_machine.hpp>
#include <taut/method/projection_count.hpp>
#include <taut/method/stepper.hpp>
#include <taut/scalar/flatten.hpp>
#include <taut/scalar/pack.hpp>

#include <array>
#include <memory>
#include <optional>
#include <utility>

namespace taut {

// What a tally adds up at every step, in all lanes at once.
template <class T>
struct LaneTallies {
  T first, now;  // energies
  T energy_error, change_max, position_max, momentum_max, block_sum;
};

// P is the problem on packs, Point the state (plain or compensated), S a stepper of both whose memory follows
// from the state. `Bind` makes the stepper anew for other constants. If `in_registers`, the step is compiled
// into the loop over steps: an interpreter would gain nothing by it.
template <Hamiltonian P, template <class, int> class Point, class S, class Bind, bool in_registers>
class LaneMachineOf final : public LaneMachine {
 public:
  using T = typename P::Scalar;
  using X = Point<T, P::n>;
  using Single = Point<double, P::n>;
  static constexpr int width = ScalarTraits<T>::lanes;

  // `start` is any state on M: it fills the lanes until trajectories come.
  LaneMachineOf(const P& problem, const PlainState& start, Bind bind)
      : problem_(problem),
        bind_(std::move(bind)),
        x_(spread(start)),
        before_(x_),
        stepper_(bind_(problem_, x_)),
        gauge_(problem_),
        velocity_(zero_vector(problem_)) {
    sums_ = {T(0), T(0), T(0), T(0), T(0), T(0), T(0)};
  }

  int lanes() const override { return width; }
  // Asks whether all that the next step depends on is the state.
  bool follows_from_state() const {
    Carry kept;
    stepper_->carry(kept);
    return !stepper_->has_output() && kept.bytes().empty();
  }

  bool fill(int lane, std::string_view saved, const Tally& tally,
            std::span<const double> constants) override {
    Single x = single(x_, lane), mesh = x;
    ProjectionCount projected;
    Carry c(saved);
    c(x);
    c(mesh);
    c(projected);
    if (!c.complete()) return false;
    put(x, lane);
    tally_[lane] = tally;
    put(tally, lane);
    if (!constants.empty()) {
      problem_.take_constants(lane, constants);
      constants_changed_ = has_constants_ = true;
    }
    is_new_ = true;
    return true;
  }
  void clear(int lane) override { tally_[lane].reset(); }

  std::int64_t advance(double h, std::int64_t count) override {
    behind_ = 0;
    if (std::exchange(is_new_, false)) begin_anew();
    std::int64_t made = 0;
    while (made < count && behind_ == 0) {
      const std::int64_t ordinary = std::min(count - made, to_next_event());
      if constexpr (S::short_step && in_registers)
        made += ordinary_steps_in_registers(T(h), ordinary);
      else
        made += ordinary_steps(T(h), ordinary);
    }
    return made;
  }
  std::uint64_t behind() const override { return behind_; }

  std::string save(int lane) const override {
    Single x = single(x_, lane), mesh = x;
    ProjectionCount projected;
    Carry c;
    c(x);
    c(mesh);
    c(projected);
    return c.bytes();
  }
  Tally tally(int lane) const override {
    Tally t = *tally_[lane];
    const auto now = gauge_.measure(problem_, x_.q, x_.p);
    t.now = {taut::lane(now.energy, lane), taut::lane(now.position, lane), taut::lane(now.momentum, lane)};
    t.energy_error = taut::lane(sums_.energy_error, lane);
    t.change_max = taut::lane(sums_.change_max, lane);
    t.position_max = taut::lane(sums_.position_max, lane);
    t.momentum_max = taut::lane(sums_.momentum_max, lane);
    return t;
  }
  void read(int lane, PlainState& x) const override {
    const auto n = static_cast<std::size_t>(x_.q.size());
    x.q.resize(n);
    x.p.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      x.q[i] = taut::lane(x_.q[static_cast<Eigen::Index>(i)], lane);
      x.p[i] = taut::lane(x_.p[static_cast<Eigen::Index>(i)], lane);
    }
  }

 private:
  bool runs(int lane) const { return tally_[lane].has_value(); }

  X spread(const PlainState& start) const {
    State<T, P::n> x{zero_vector(problem_), zero_vector(problem_)};
    for (Eigen::Index i = 0; i < x.q.size(); ++i) {
      x.q[i] = T(start.q[static_cast<std::size_t>(i)]);
      x.p[i] = T(start.p[static_cast<std::size_t>(i)]);
    }
    return X(x);
  }

  // Calls f with each vector of two states.
  template <class A, class B, class F>
  static void each_vector(A& a, B& b, F&& f) {
    f(a.q, b.q);
    f(a.p, b.p);
    if constexpr (compensated<X>) {
      f(a.q_low, b.q_low);
      f(a.p_low, b.p_low);
    }
  }
  static Single single(const X& x, int lane) {
    const Vector<double, P::n> zero = Vector<double, P::n>::Zero(x.q.size());
    Single one(State<double, P::n>{zero, zero});
    each_vector(one, x, [&](auto& to, const auto& from) {
      for (Eigen::Index i = 0; i < from.size(); ++i) to[i] = taut::lane(from[i], lane);
    });
    return one;
  }
  void put(const Single& x, int lane) {
    each_vector(x_, x, [&](auto& to, const auto& from) {
      for (Eigen::Index i = 0; i < from.size(); ++i) to[i].set(lane, from[i]);
    });
  }
  void copy_lane(X& to, int lane, const X& from, int other) {
    each_vector(to, from, [&](auto& y, const auto& x) {
      for (Eigen::Index i = 0; i < x.size(); ++i) y[i].set(lane, taut::lane(x[i], other));
    });
  }
  void put(const Tally& t, int lane) {
    sums_.first.set(lane, t.first.energy);
    sums_.now.set(lane, t.now.energy);
    sums_.energy_error.set(lane, t.energy_error);
    sums_.change_max.set(lane, t.change_max);
    sums_.position_max.set(lane, t.position_max);
    sums_.momentum_max.set(lane, t.momentum_max);
    sums_.block_sum.set(lane, t.blocks.open_sum());
  }

  // Empty lanes do what the first of the others does, with its constants.
  void begin_anew() {
    int other = 0;
    while (other < width - 1 && !runs(other)) ++other;
    for (int l = 0; l < width; ++l)
      if (!runs(l)) idle_like(l, other);
    before_ = x_;
    if (std::exchange(constants_changed_, false))
      stepper_ = bind_(problem_, x_);
    else
      stepper_->restart(x_);
  }
  void idle_like(int lane, int other) {
    copy_lane(x_, lane, x_, other);
    if (!has_constants_) return;
    problem_.copy_constants(lane, other);
    constants_changed_ = true;
  }

  // Returns the number of steps up to the next one at which a lane is looked at, or fills a block of its
  // averages. A look is at the first step of such a series.
  std::int64_t to_next_event() const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const auto& t : tally_) {
      if (!t) continue;
      least = std::min(least, steps_between_looks - t->steps % steps_between_looks);
      if (const auto left = t->blocks.left_in_block()) least = std::min(least, *left);
    }
    return least;
  }

  TAUT_KERNEL std::int64_t ordinary_steps_in_registers(T h, std::int64_t count) {
    return ordinary_steps(h, count);
  }

  // Makes steps, and ends after one in which a lane fell behind.
  std::int64_t ordinary_steps(T h, std::int64_t count) {
    std::int64_t made = 0;
    Mask<T> out(false);
    while (made < count) {
      before_ = x_;
      const auto solved = stepper_->step(x_, h);
      if (!solved) [[unlikely]]
        out = step_where_possible(h, solved.error().lane);
      out = add(out, made == 0);
      ++made;
      if (any(out)) break;
    }
    end_steps(made, out);
    return made;
  }

  // Adds the step that ended at x_ to the tallies. It is not added in the lanes that are returned: those of
  // `out`, and those in which the step stands out, or H has no value.
  Mask<T> add(Mask<T> out, bool is_first) {
    const auto now = gauge_.measure(problem_, x_.q, x_.p);
    LaneTallies<T>& t = sums_;
    const T error = now.energy - t.first, change = magnitude(T(now.energy - t.now));
    out = out || now.position > t.position_max || now.momentum > t.momentum_max ||
          change > T(more_than_ever) * t.change_max || !finite(error);
    if (is_first) out = out || looked_at(out, error, change);
    const T largest_error = larger(t.energy_error, magnitude(error)),
            largest_change = larger(t.change_max, change);
    if (!any(out)) [[likely]] {
      t.now = now.energy;
      t.energy_error = largest_error;
      t.change_max = largest_change;
      t.block_sum = t.block_sum + error;
    } else {
      t.now = select(out, t.now, now.energy);
      t.energy_error = select(out, t.energy_error, largest_error);
      t.change_max = select(out, t.change_max, largest_change);
      t.block_sum = select(out, t.block_sum, T(t.block_sum + error));
    }
    return out;
  }

  // Looks at the kinetic energy in the lanes for which it is time, except those of `out`, as judged() does.
  // Returns those in which the error of H is large beside it.
  Mask<T> looked_at(const Mask<T>& out, const T& error, const T& change) {
    T large(0);
    bool is_known = false;
    T kinetic(0);
    for (int l = 0; l < width; ++l) {
      if (!runs(l) || lane(out, l) || !is_time_for_a_look(*tally_[l])) continue;
      if (!std::exchange(is_known, true)) {
        H_p(problem_, x_.q, x_.p, velocity_);
        kinetic = magnitude(T(x_.p.dot(velocity_))) / T(2);
      }
      Tally& t = *tally_[l];
      const double most = std::max(t.kinetic_max, lane(kinetic, l));
      if (std::abs(lane(error, l)) > Tally::part_lost * most ||
          lane(change, l) > Tally::part_in_a_step * most)
        large.set(l, 1);
      else
        t.see_kinetic(lane(kinetic, l), lane(error, l));
    }
    return large > T(0);
  }

  // Makes the step in the lanes in which it can be made, and returns the others. A lane that fails does what
  // another does, until the step succeeds.
  [[gnu::cold, gnu::noinline]] Mask<T> step_where_possible(const T& h, int lane) {
    const P whole_problem = problem_;
    const X whole = before_;
    T failed(0);
    for (int tries = 0; tries < width; ++tries) {
      failed.set(lane, 1);
      int other = 0;
      while (other < width && failed[other] != 0) ++other;
      if (other == width) break;
      x_ = before_;
      for (int l = 0; l < width; ++l)
        if (failed[l] != 0) idle_like(l, other);
      stepper_ = bind_(problem_, x_);
      const auto solved = stepper_->step(x_, h);
      if (solved) break;
      lane = solved.error().lane;
    }
    for (int l = 0; l < width; ++l)
      if (failed[l] != 0) copy_lane(x_, l, whole, l);
    problem_ = whole_problem;
    constants_changed_ = true;
    return failed > T(0);
  }

  // Brings the numbers of steps and the blocks up to date. Lanes of `out` go back by a step.
  void end_steps(std::int64_t made, const Mask<T>& out) {
    for (int l = 0; l < width; ++l) {
      if (!runs(l)) continue;
      Tally& t = *tally_[l];
      const std::int64_t more = made - (lane(out, l) ? 1 : 0);
      t.steps += more;
      t.blocks.set_open(lane(sums_.block_sum, l), more);
      sums_.block_sum.set(l, t.blocks.open_sum());
      if (!lane(out, l)) continue;
      behind_ |= std::uint64_t{1} << static_cast<unsigned>(l);
      copy_lane(x_, l, before_, l);
    }
    is_new_ = is_new_ || any(out);
  }

  P problem_;
  Bind bind_;
  X x_, before_;
  std::unique_ptr<S> stepper_;
  mutable Gauge<P> gauge_;
  typename P::Vec velocity_;
  LaneTallies<T> sums_;
  std::array<std::optional<Tally>, width> tally_;
  bool is_new_ = true, constants_changed_ = false, has_constants_ = false;
  std::uint64_t behind_ = 0;
};

}  // namespace taut
