#include <taut/certificate/state_units.hpp>
#include <taut/certificate/trials.hpp>
#include <taut/measure/modified_energy.hpp>
#include <taut/measure/order.hpp>
#include <taut/measure/symplectic_defect_by_differences.hpp>
#include <taut/mechanism/mesh_point.hpp>
#include <taut/mechanism/typed_state.hpp>

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <tuple>
#include <utility>

namespace taut {

namespace {

constexpr int warm_up = 37;          // steps
constexpr int tangent_steps = 4;     // in the map whose 2-form is measured
constexpr int reversal_steps = 25;   // steps forward, and as many back
constexpr int direction_count = 5;   // ten pairs
constexpr double order_ratio = 1.5;  // between neighbouring step sizes
constexpr std::array<int, 5> order_steps = {16, 24, 36, 54, 81};
constexpr int farthest = 16;    // step sizes tried: h·1.5^±16, a factor of 650
constexpr int most_hidden = 2;  // step sizes at which the error is above rounding and shows no order
// Slopes between neighbours may differ by this and still count as one order, up to order 6; above that,
// in proportion.
constexpr double scatter = 0.4;
// Rounding is seen at points that lie so far from the start, in states of size 1.
constexpr double aside = 0.01;
// An error this large, in states of size 1, stands out of the noise, which is a tenth of it.
constexpr double above_rounding = 100 * std::numeric_limits<double>::epsilon();

using Point = StateUnits::Point;

double largest(const Point::Vec& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

double unit(double size) { return size > 0 && std::isfinite(size) ? size : 1; }

double norm(const Point& x) { return std::sqrt(x.q.squaredNorm() + x.p.squaredNorm()); }

Point point(const PlainState& x) { return {as_vector(x.q), as_vector(x.p)}; }

}  // namespace

// The runs, and the units in which their states are measured.
class Trials::Work {
 public:
  Work(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
       bool plain_updates, Keeps keeps, const PlainState& start, double h, Bind bind);

  Order order(int expected) const;
  Expected<std::vector<DifferenceDefect>> symplectic_defects() const;
  Expected<double> reversal_defect() const;
  Reading rounding() const;
  double kinetic_energy() const { return machine_at(beside(0))->kinetic_energy(); }
  Expected<EnergySwings> energy_swings(int expected, int paths) const;
  Expected<std::vector<PlainState>> trajectory(int steps) const;

 private:
  std::unique_ptr<Machine> machine_at(const Point& x) const {
    if (bind_) return bind_(plain_state(x));
    return mechanism_.bind(choice_, plain_state(x), options_, plain_updates_);
  }
  Expected<Point> after(const Point& x, double h, std::int64_t steps) const;
  Expected<Point> on_M(const Point& x) const;
  // Brings y onto what the method keeps.
  Expected<Eigen::VectorXd> onto(const StateUnits& in, const Eigen::VectorXd& y) const;
  Expected<Eigen::MatrixXd> columns_after(const StateUnits& in, const Eigen::VectorXd& y, int steps) const;
  Order order_at(double h, int expected) const;
  Eigen::MatrixXd directions(Eigen::Index count) const;
  Expected<Point> displaced(const Eigen::VectorXd& direction) const {
    return on_M(sizes_.own.unpacked(sizes_.own.packed(x_) + aside * direction));
  }
  // Returns a point of M close to the start; the start itself if there is none.
  Point beside(Eigen::Index k) const {
    const auto x = displaced(directions(k + 1).col(k));
    return x ? *x : x_;
  }
  Point scaled(const Point& x) const { return {x.q / size_q_, x.p / size_p_}; }

  const Mechanism& mechanism_;
  MethodChoice choice_;
  SolveOptions options_;
  bool plain_updates_;
  Keeps keeps_;
  double h_;
  Bind bind_;
  double time_unit_ =
      1;           // the time that a unit of fictitious time takes at the start, if steps differ in size
  Point reached_;  // by the method itself, a few steps from the start, so that it is no point of symmetry
  Point x_;        // the same brought onto M
  double size_q_ = 1, size_p_ = 1;  // the largest coordinate and momentum
  StateSizes sizes_;
};

Trials::Trials(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
               bool plain_updates, Keeps keeps, const PlainState& start, double h, Bind bind)
    : work_(std::make_unique<Work>(mechanism, choice, options, plain_updates, keeps, start, h,
                                   std::move(bind))) {}
Trials::~Trials() = default;

Trials::Order Trials::order(int expected) const { return work_->order(expected); }
Expected<std::vector<DifferenceDefect>> Trials::symplectic_defects() const {
  return work_->symplectic_defects();
}
Expected<double> Trials::reversal_defect() const { return work_->reversal_defect(); }
Reading Trials::rounding() const { return work_->rounding(); }
double Trials::kinetic_energy() const { return work_->kinetic_energy(); }
Expected<Trials::EnergySwings> Trials::energy_swings(int expected, int paths) const {
  return work_->energy_swings(expected, paths);
}
Expected<std::vector<PlainState>> Trials::trajectory(int steps) const { return work_->trajectory(steps); }

Trials::Work::Work(const Mechanism& mechanism, const MethodChoice& choice, const SolveOptions& options,
                   bool plain_updates, Keeps keeps, const PlainState& start, double h, Bind bind)
    : mechanism_(mechanism),
      choice_(choice),
      options_(options),
      plain_updates_(plain_updates),
      keeps_(keeps),
      h_(h),
      bind_(std::move(bind)),
      reached_(point(start)) {
  const Point began = reached_;
  if (const auto machine = machine_at(began); machine && machine->variable_steps() != nullptr) {
    constexpr double small = 1e-3;
    Tally tally(machine->read(), 1);
    machine->advance(small * h, 1, tally);
    if (!tally.failed()) time_unit_ = machine->variable_steps()->time() / (small * h);
  }
  if (const auto moved = after(began, h, warm_up)) reached_ = *moved;
  const auto landed = on_M(reached_);
  x_ = landed ? *landed : began;
  size_q_ = unit(std::max(largest(began.q), largest(x_.q)));
  size_p_ = unit(std::max(largest(began.p), largest(x_.p)));
  sizes_ = sizes_of(mechanism_, began, x_);
}

Expected<Point> Trials::Work::after(const Point& x, double h, std::int64_t steps) const {
  const auto machine = machine_at(x);
  Tally tally(machine->read(), steps);
  VariableSteps* const variable = machine->variable_steps();
  if (variable == nullptr) {
    machine->advance(h, steps, tally);
  } else {  // states are compared at equal times, which lie in a step
    const double end = h * static_cast<double>(steps) * time_unit_, side = h > 0 ? 1 : -1;
    while (!tally.failed() && side * variable->time() < side * end) machine->advance(h, 1, tally);
    if (!tally.failed() && !variable->show_at(end)) tally.failure = Failure{.kind = FailureKind::not_finite};
  }
  if (tally.failed()) return tally.failure.value_or(Failure{.kind = FailureKind::not_finite});
  return point(mesh_point(*machine));
}

Expected<Point> Trials::Work::on_M(const Point& x) const {
  PlainState moved = plain_state(x);
  if (const auto move = mechanism_.project(moved); !move) return move.error();
  return point(moved);
}

Trials::Order Trials::Work::order(int expected) const {
  using enum Order::Outcome;
  const auto enough = [&](const Order& o) {
    return o.outcome == seen && o.fit.order > expected - order_slack;
  };
  Order order = order_at(h_, expected);
  // Longer steps lift the error above rounding, shorter ones bring it into the asymptotic range.
  const bool longer = order.outcome == at_rounding;
  double h = h_;
  int hidden = 0;
  for (int k = 0; k < farthest && !enough(order); ++k) {
    h *= longer ? order_ratio : 1 / order_ratio;
    Order next = order_at(h, expected);
    if (longer) {
      if (next.outcome == at_rounding) continue;
      if (next.outcome == seen) return next;
      // Just above rounding the noise may still hide the order; farther up, the asymptotic range has ended
      // before the order could be seen.
      if (++hidden > most_hidden) return order;
      continue;
    }
    if (next.outcome == at_rounding) return order.outcome == seen ? order : next;
    if (next.outcome == seen) order = next;  // perhaps too low a power, and shorter steps show the true one
  }
  return order;
}

Trials::Order Trials::Work::order_at(double h, int expected) const {
  const std::span<const int> numbers(order_steps.data(), order_steps.size() - (expected > 6 ? 1 : 0));
  const double time = h * numbers.front();
  const auto fit = measured_order(
      [&](int steps) -> Expected<Point> {
        const auto end = after(x_, time / steps, steps);
        if (!end) return end.error();
        return scaled(*end);
      },
      numbers);
  Order order{.largest = h, .smallest = time / numbers.back()};
  if (!fit || !std::isfinite(fit->order)) return order;
  const std::vector<double>& sizes = fit->sizes;
  if (*std::min_element(sizes.begin(), sizes.end()) < above_rounding * std::max(1.0, norm(scaled(x_)))) {
    order.outcome = Order::Outcome::at_rounding;
    return order;
  }
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::size_t k = 1; k < sizes.size(); ++k) {
    const double slope = std::log(sizes[k - 1] / sizes[k]) / std::log(order_ratio);
    least = std::min(least, slope);
    most = std::max(most, slope);
  }
  if (most - least > scatter * std::max(1.0, most / 6)) return order;
  order.outcome = Order::Outcome::seen;
  order.fit = *fit;
  return order;
}

Expected<Eigen::VectorXd> Trials::Work::onto(const StateUnits& in, const Eigen::VectorXd& y) const {
  if (!keeps_position(keeps_)) return y;  // all of phase space
  const Point x = in.unpacked(y);
  const auto landed = on_M(x);
  if (!landed) return landed.error();
  return in.packed({landed->q, keeps_ == Keeps::position ? x.p : landed->p});
}

// Returns the same directions for every model of a size, so that a check can be repeated to the bit.
Eigen::MatrixXd Trials::Work::directions(Eigen::Index count) const {
  std::mt19937_64 random(20240607);
  Eigen::MatrixXd d(2 * x_.q.size(), count);
  for (Eigen::Index j = 0; j < d.cols(); ++j)
    for (Eigen::Index i = 0; i < d.rows(); ++i)
      d(i, j) = static_cast<double>(random() >> 11U) * 0x1p-52 - 1;  // uniform on [-1, 1)
  return d;
}

Expected<std::vector<DifferenceDefect>> Trials::Work::symplectic_defects() const {
  std::vector<DifferenceDefect> found;
  for (const SizeClass& one : sizes_.classes) {
    const StateUnits& in = one.units;
    const auto map = [&](const Eigen::VectorXd& y) -> Expected<Eigen::VectorXd> {
      const auto end = after(in.unpacked(y), h_, tangent_steps);
      if (!end) return end.error();
      return in.packed(*end);
    };
    const auto defect = symplectic_defect_by_differences(
        map, [&](const Eigen::VectorXd& y) { return onto(in, y); }, in.packed(x_),
        one.members.asDiagonal() * directions(direction_count));
    if (!defect) return defect.error();
    found.push_back(*defect);
  }
  return found;
}

Expected<double> Trials::Work::reversal_defect() const {
  const auto there = after(reached_, h_, reversal_steps);
  if (!there) return there.error();
  const auto back = after(*there, -h_, reversal_steps);
  if (!back) return back.error();
  return phase_distance(scaled(*back), scaled(reached_));
}

Expected<Trials::EnergySwings> Trials::Work::energy_swings(int expected, int paths) const {
  constexpr double longest_path = 0.25;  // in states of size 1: a path is then smooth
  constexpr int longest_run = 100;
  const auto machine = machine_at(x_);
  Tally tally(machine->read(), longest_run);
  double least = tally.now.energy, most = least;
  const SizeClass& smallest = sizes_.classes.back();
  const StateUnits& in = smallest.units;
  std::vector<Eigen::VectorXd> states{in.packed(x_)};
  EnergySwings found;
  while (static_cast<int>(states.size()) <= paths) {
    Eigen::VectorXd next = states.back();
    for (int i = 0; i < longest_run && (next - states.back()).norm() < longest_path; ++i) {
      machine->advance(h_, 1, tally);
      if (tally.failed()) return tally.failure.value_or(Failure{.kind = FailureKind::not_finite});
      least = std::min(least, tally.now.energy);
      most = std::max(most, tally.now.energy);
      next = in.packed(point(mesh_point(*machine)));
      found.time += h_;
    }
    states.push_back(next);
  }
  found.energy = most - least;
  // The longer the step, the more of them a difference must reach over to be exact enough.
  std::vector<std::pair<double, int>> swings;
  for (const int k : {4, 6, 8}) {
    if (2 * k <= expected) continue;
    const auto increments = modified_energy_increments(
        states, k, h_, [&](const Eigen::VectorXd& y) { return columns_after(in, y, 2 * k); },
        [&](const Eigen::VectorXd& y) { return onto(in, y); });
    if (!increments) return increments.error();
    swings.emplace_back(swing_of(*increments) * smallest.form_factor(), 2 * k);  // in units of H
  }
  if (swings.empty()) return found;
  std::sort(swings.begin(), swings.end());
  std::tie(found.modified, found.order) = swings.front();
  found.noise = swings.size() > 1 ? swings[1].first - found.modified : found.modified;
  return found;
}

// Returns y and the states after 1, 2, … steps from it.
Expected<Eigen::MatrixXd> Trials::Work::columns_after(const StateUnits& in, const Eigen::VectorXd& y,
                                                      int steps) const {
  const auto machine = machine_at(in.unpacked(y));
  Tally tally(machine->read(), steps);
  Eigen::MatrixXd all(y.size(), steps + 1);
  all.col(0) = y;
  for (int j = 1; j <= steps; ++j) {
    machine->advance(h_, 1, tally);
    if (tally.failed()) return tally.failure.value_or(Failure{.kind = FailureKind::not_finite});
    all.col(j) = in.packed(point(mesh_point(*machine)));
  }
  return all;
}

Expected<std::vector<PlainState>> Trials::Work::trajectory(int steps) const {
  const auto machine = machine_at(x_);
  Tally tally(machine->read(), steps);
  std::vector<PlainState> states{plain_state(x_)};
  for (int i = 0; i < steps; ++i) {
    machine->advance(h_, 1, tally);
    if (tally.failed()) return tally.failure.value_or(Failure{.kind = FailureKind::not_finite});
    const auto landed = on_M(point(mesh_point(*machine)));
    if (!landed) return landed.error();
    states.push_back(plain_state(*landed));
  }
  return states;
}

Reading Trials::Work::rounding() const {
  constexpr int points = 20;
  Reading level;
  const Eigen::MatrixXd moves = directions(points);
  for (int j = 0; j < points; ++j) {
    const auto x = displaced(moves.col(j));
    if (!x) continue;
    const StartCheck residual = mechanism_.check(plain_state(*x));
    level.position = std::max(level.position, residual.position);
    level.momentum = std::max(level.momentum, residual.momentum);
  }
  const auto energy = [this](const Point& x) { return machine_at(x)->read().energy; };
  const double moving = energy(x_), still = energy({x_.q, 0 * x_.p});
  level.energy = std::max({std::abs(moving), std::abs(still), std::abs(moving - still)});
  return level;
}

}  // namespace taut
