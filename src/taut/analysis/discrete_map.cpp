#include <taut/analysis/discrete_map.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/run/prepare.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/run/schedule.hpp>
#include <taut/solve/dense_systems.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace taut {

namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::abs(x));
  return most;
}

void subtract(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

// The formula of fourth order for f'(0) from f at ±ε and ±2ε.
constexpr std::array<std::pair<int, double>, 4> stencil = {
    std::pair{1, 2.0 / 3}, {-1, -2.0 / 3}, {2, -1.0 / 12}, {-2, 1.0 / 12}};
// The truncation, ε⁴, and the rounding, 1e-16/ε, are both near 1e-13 for smooth maps.
constexpr double difference = 0x1p-10;

// The size of the first n numbers, and not less than 1.
double size_of(const std::vector<double>& a, std::size_t n) {
  double most = 1;
  for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(a[i]));
  return most;
}

// Returns an orthonormal basis of the vectors that all rows of G send to 0.
std::vector<std::vector<double>> null_space(std::vector<std::vector<double>> rows, std::size_t n) {
  const std::size_t m = rows.size();
  std::vector<std::vector<double>> basis;
  const auto clear = [&](std::vector<double>& v) {
    for (int twice = 0; twice < 2; ++twice)
      for (const auto& u : basis) subtract(v, dot(u, v), u);
  };
  const auto add = [&](std::vector<double> v) {
    clear(v);
    const double length = std::sqrt(dot(v, v));
    for (double& x : v) x /= length;
    basis.push_back(std::move(v));
  };
  for (auto& row : rows) add(std::move(row));
  while (basis.size() < n) {  // the coordinate that is farthest from what is spanned so far
    std::vector<double> best;
    double most = -1;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> v(n, 0.0);
      v[i] = 1;
      clear(v);
      if (const double size = dot(v, v); size > most + 1e-9) {
        most = size;
        best = v;
      }
    }
    add(best);
  }
  return {basis.begin() + static_cast<std::ptrdiff_t>(m), basis.end()};
}

// Returns which of the rows make up the others, those of which most is left first; a row that is zero beside
// the others but for rounding is none of them.
std::vector<std::size_t> independent(std::vector<std::vector<double>> rows) {
  constexpr double zero_row = 1e-12, nothing_left = 3e-5;  // as in PivotedGram
  double most = 0;
  for (const auto& row : rows) most = std::max(most, largest(row));
  for (auto& row : rows) {
    const double size = largest(row) > zero_row * most ? std::sqrt(dot(row, row)) : 0;
    for (double& x : row) x = size > 0 ? x / size : 0;
  }
  std::vector<std::size_t> chosen;
  for (;;) {
    std::size_t best = rows.size();
    double left = nothing_left;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const double size = std::sqrt(dot(rows[i], rows[i])); size > left) {
        left = size;
        best = i;
      }
    if (best == rows.size()) break;
    chosen.push_back(best);
    std::vector<double> unit = rows[best];
    for (double& x : unit) x /= left;
    for (auto& row : rows)
      for (int twice = 0; twice < 2; ++twice) subtract(row, dot(unit, row), unit);
    rows[best].assign(unit.size(), 0.0);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

double dot(const PlainState& a, const PlainState& b) { return dot(a.q, b.q) + dot(a.p, b.p); }

}  // namespace

PlainState Frame::vector(const Coordinates& c) const {
  const std::size_t d = N.size(), n = symplectic() ? N.front().size() : orthonormal.front().q.size();
  PlainState out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (std::size_t k = 0; k < orthonormal.size(); ++k) {
    subtract(out.q, -c[k], orthonormal[k].q);
    subtract(out.p, -c[k], orthonormal[k].p);
  }
  for (std::size_t i = 0; symplectic() && i < d; ++i) {
    subtract(out.q, -c[i], N[i]);
    subtract(out.p, -c[i], psi[i]);
    subtract(out.p, -c[2 * d - 1 - i], phi[i]);
  }
  return out;
}

// a_i = ω(ξ, f_i) and b_i = ω(e_i, ξ), with ω(ξ, η) = ξ_q·η_p - ξ_p·η_q.                              (LY3)
Coordinates Frame::of(const PlainState& x) const {
  const std::size_t d = N.size();
  Coordinates c(size());
  for (std::size_t k = 0; k < orthonormal.size(); ++k) c[k] = dot(x, orthonormal[k]);
  for (std::size_t i = 0; symplectic() && i < d; ++i) {
    c[i] = dot(x.q, phi[i]);
    c[2 * d - 1 - i] = dot(N[i], x.p) - dot(psi[i], x.q);
  }
  return c;
}

DiscreteMap::DiscreteMap(const ModelRun& run, Telling telling)
    : mechanism_(*run.mechanism),
      redundant_(!run.model.particles && run.model.run.least_squares),
      telling_(std::move(telling)),
      choice_(chosen_method(mechanism_, run.name, run.request)),
      request_(run.request),
      options_(solve_options(run.request)),
      plain_updates_(run.request.plain_updates) {
  if (run.model.particles && run.model.particles->thermostat)
    throw InputError("the steps of a [thermostat] are random, and no map: leave it out for this analysis.");
  if (run.model.particles && run.model.particles->has_timed_forces())
    throw InputError(
        "[[forces]] of this model have t in them, and its states have no time: this analysis needs a motion "
        "that goes on from its state alone. Leave t out of the forces.");
  if (run.request.precision != Precision::double_precision)
    throw InputError("this analysis is made in double precision: leave out the precision.");
  for (const EventRule& event : run.model.dynamics.events) {
    if (event.action == EventRule::Action::reflect)
      throw InputError("the derivative of a run with reflections is not offered: leave out the event.");
    if (event.action == EventRule::Action::stop)
      throw InputError(fmt::format(
          "this analysis does not stop at events, and the model has one, {}. Leave the event out, and end "
          "the run with --until.",
          ticked(event.name)));
  }
  if (mechanism_.coordinates() > 200)
    throw InputError(
        "this analysis follows whole bases of tangent vectors: at most 200 coordinates are taken.");
  const Schedule schedule = schedule_of(run.request);
  if (schedule.varies)
    throw InputError(
        "this analysis takes steps of one size in t: leave out the time transform, or adaptive(M).");
  step_ = schedule.step;
  steps_ = schedule.steps;
  ReadyStart start = ready_start(mechanism_, run.name, choice_, run.request.project_start);
  start_ = std::move(start.x);
  rounding_ = std::move(start.warning);
  moving_ = start_.q.size() - (mechanism_.timed() ? 1 : 0);
  size_q_ = size_of(start_.q, moving_);
}

WatchedMotion::WatchedMotion(const DiscreteMap& map, const ModelRun& run, const PlainState& x, double h,
                             std::int64_t steps)
    : map_(map),
      h_(h),
      machine_(map.machine(x)),
      tally_(machine_->read(), steps),
      poles_(run.model),
      corners_(run.model) {
  corners_.look(x);
  if (!poles_.watches()) return;
  guard_.emplace(poles_, *machine_, tally_, h);
  guard_->begin();
}

void WatchedMotion::advance(std::int64_t steps) {
  map_.advance(*machine_, h_, steps, tally_);
  if (guard_ && !tally_.failed()) guard_->look();
  if (!tally_.failed()) {
    corners_.look(state());
    return;
  }
  const std::string pole = guard_ ? guard_->pole() : std::string();
  throw AnalysisError(map_.why(tally_, *machine_, h_, pole));
}

void WatchedMotion::carry(Carry& c) {
  Carry counted;
  tally_.carry(counted);
  std::string machine = machine_->save(), tally = counted.bytes();
  const std::string machine_before = machine, tally_before = tally;
  carry_any(c, machine);
  carry_any(c, tally);
  corners_.carry(c);
  if (machine == machine_before && tally == tally_before) return;
  Carry back(tally);
  tally_.carry(back);
  if (!machine_->restore(machine) || !back.complete())
    throw InputError("what was kept is not of this analysis");
  if (guard_) guard_->begin();
}

PlainState WatchedMotion::state() const {
  return {{machine_->q().begin(), machine_->q().end()}, {machine_->p().begin(), machine_->p().end()}};
}

std::vector<std::string> WatchedMotion::doubts() {
  std::vector<std::string> all = doubts_of_energy();
  if (!map_.rounding_of_start().empty()) all.push_back(map_.rounding_of_start());
  if (const std::string& corner = corners_.crossed(); !corner.empty())
    all.push_back(fmt::format(
        "the motion goes across the corner of `{}`. If a force jumps there, the derivative of the "
        "steps is not that of the motion, however short they are, and what is measured by it means "
        "nothing. Make it round, as sqrt(u^2 + a^2) is for |u|, and the steps much shorter than a.",
        corner));
  return all;
}

std::vector<std::string> WatchedMotion::doubts_of_energy() {
  const double now = tally_.now.energy, first = tally_.first.energy;
  if (tally_.is_unstable(machine_->kinetic_energy()))
    return {fmt::format(
        "the run is unstable: the energy grew without end, from H = {:.6g} to {:.2g}. What was measured is "
        "what the method makes of the motion in steps that are too long: try --step {:.3g}.",
        first, now, h_ / 2)};
  const Mechanism& mechanism = map_.mechanism_;
  if (claims_no_drift(claims_of(map_.choice_, mechanism), mechanism.constraints()) &&
      has_lost_energy(*machine_, tally_, h_))
    return {fmt::format(
        "the energy is lost: H = {:.6g} at the start, and was off by {:.2g} on average over a part of the "
        "run. "
        "This is not the motion that was started: try --step {:.3g}.",
        first, tally_.energy_off_for_a_while(), h_ / 2)};
  return {};
}

std::unique_ptr<Machine> DiscreteMap::machine(const PlainState& x) const {
  auto made = mechanism_.bind(choice_, x, options_, plain_updates_);
  if (!made) throw InputError("this method has no plain updates.");
  return made;
}

void DiscreteMap::advance(Machine& machine, double h, std::int64_t steps, Tally& tally) const {
  constexpr std::int64_t most = 1 << 13;  // steps after which somebody who waits is told
  const std::int64_t end = tally.steps + steps;
  do {
    tell(telling_, unknown_part);
    machine.advance(h, std::min(most, end - tally.steps), tally);
  } while (tally.steps < end && !tally.failed());
}

PlainState DiscreteMap::go(const PlainState& x, double h, std::int64_t steps) const {
  const auto made = machine(x);
  Tally tally(made->read(), steps);
  tally.stops_at_jumps = false;
  advance(*made, h, steps, tally);
  if (tally.failed()) throw AnalysisError("in a motion beside that of the run, " + why(tally, *made, h, ""));
  return {{made->q().begin(), made->q().end()}, {made->p().begin(), made->p().end()}};
}

std::string DiscreteMap::why(const Tally& tally, const Machine& machine, double h,
                             const std::string& pole) const {
  return sentence_of(tally, mechanism_, machine, choice_, request_, h, pole, "not kept");
}

std::vector<double> DiscreteMap::evaluated(Evaluated what, const PlainState& x, std::size_t size) const {
  std::vector<double> out(size);
  mechanism_.evaluate(what, {.count = 1, .q = x.q.data(), .p = x.p.data()}, out.data());
  return out;
}

double DiscreteMap::energy(const PlainState& x) const { return evaluated(Evaluated::H, x, 1).front(); }

// Returns H_pp u.
std::vector<double> DiscreteMap::response(const PlainState& x, const std::vector<double>& u) const {
  std::vector<double> sum(u.size(), 0.0);
  const double size = largest(u);
  if (size == 0) return sum;
  const double by = difference * size_of(x.p, moving_) / size;
  for (const auto& [k, weight] : stencil) {
    PlainState there = x;
    subtract(there.p, -k * by, u);
    subtract(sum, -weight / by, evaluated(Evaluated::H_p, there, u.size()));
  }
  return sum;
}

// With N a basis of ker G, φ = N - Gᵀ K⁻¹ G H_pp N and ψ = -Gᵀ K⁻¹ ∂(G H_p)/∂q N, K = G H_pp Gᵀ: the vectors
// are tangent, Nᵀφ = 1 and Nᵀψ = 0. Rows that follow from others say nothing new.           (LY1), (LY2)
Frame DiscreteMap::frame(const PlainState& x) const {
  const std::size_t n = x.q.size();
  const auto all = static_cast<std::size_t>(mechanism_.constraints());
  const std::size_t holonomic = all - static_cast<std::size_t>(mechanism_.velocity_constraints());
  const std::vector<double> G = evaluated(Evaluated::G, x, all * n);
  std::vector<std::vector<double>> row;
  for (std::size_t i = 0; i < all; ++i) row.emplace_back(G.data() + i * n, G.data() + (i + 1) * n);
  std::vector<std::vector<double>> positions(row.begin(),
                                             row.begin() + static_cast<std::ptrdiff_t>(holonomic));
  std::vector<std::size_t> used(all);
  std::iota(used.begin(), used.end(), std::size_t{0});
  if (redundant_) {
    const auto only = [](const std::vector<std::vector<double>>& of, const std::vector<std::size_t>& chosen) {
      std::vector<std::vector<double>> out;
      out.reserve(chosen.size());
      for (const std::size_t i : chosen) out.push_back(of[i]);
      return out;
    };
    used = independent(row);
    row = only(row, used);
    positions = only(positions, independent(positions));
  }
  const std::size_t rows = row.size();
  const int m = static_cast<int>(rows);
  Frame out{.N = null_space(positions, n), .phi = {}, .psi = {}};
  DenseMatrix K(m, m);
  for (int j = 0; j < m; ++j) {
    const std::vector<double> column = response(x, row[static_cast<std::size_t>(j)]);
    for (int i = 0; i < m; ++i) K(i, j) = dot(row[static_cast<std::size_t>(i)], column);
  }
  const auto along_rows = [&](const std::vector<double>& right, std::vector<double>& v) {
    if (m == 0) return;
    const auto mu = least_squares(K, right, 1e-14);
    if (!mu) throw AnalysisError("the constraints are dependent on the way.");
    for (std::size_t i = 0; i < rows; ++i) subtract(v, (*mu)[i], row[i]);
  };
  for (const std::vector<double>& N : out.N) {
    const std::vector<double> WN = response(x, N);
    std::vector<double> right(rows), turn(rows, 0.0), phi = N, psi(n, 0.0);
    for (std::size_t i = 0; i < rows; ++i) right[i] = dot(row[i], WN);
    along_rows(right, phi);
    const double by = difference * size_q_;
    for (const auto& [k, weight] : stencil) {
      PlainState there = x;
      subtract(there.q, -k * by, N);
      const std::vector<double> hidden = evaluated(Evaluated::GHp, there, all);
      for (std::size_t i = 0; i < rows; ++i) turn[i] += weight / by * hidden[used[i]];
    }
    along_rows(turn, psi);
    out.phi.push_back(std::move(phi));
    out.psi.push_back(std::move(psi));
  }
  return symplectic() ? out : orthonormal(x, std::move(out), row);
}

// With constraints on velocities the tangent vectors are (N, ψ) and (0, φ) with G H_pp φ = 0, where G has the
// rows of both kinds and N those on positions alone: no longer as many of the one as of the other.    (LY14)
Frame DiscreteMap::orthonormal(const PlainState& x, Frame frame,
                               const std::vector<std::vector<double>>& row) const {
  const std::size_t n = x.q.size();
  std::vector<PlainState> basis;
  const auto add = [&](PlainState v) {
    for (int twice = 0; twice < 2; ++twice)
      for (const PlainState& u : basis) {
        const double part = dot(u, v);
        subtract(v.q, part, u.q);
        subtract(v.p, part, u.p);
      }
    const double length = std::sqrt(dot(v, v));
    for (auto* half : {&v.q, &v.p})
      for (double& y : *half) y /= length;
    basis.push_back(std::move(v));
  };
  for (std::size_t i = 0; i < frame.N.size(); ++i) add({frame.N[i], frame.psi[i]});
  std::vector<std::vector<double>> responses;
  responses.reserve(row.size());
  for (const auto& one : row) responses.push_back(response(x, one));
  for (const std::vector<double>& phi : null_space(responses, n)) add({std::vector<double>(n, 0.0), phi});
  frame.orthonormal = std::move(basis);
  return frame;
}

PlainState DiscreteMap::moved(const PlainState& x, const PlainState& along, double by) const {
  PlainState there = x;
  subtract(there.q, -by, along.q);
  subtract(there.p, -by, along.p);
  if (mechanism_.constraints() > 0 && !mechanism_.project(there))
    throw AnalysisError("no point of the manifold was found beside the trajectory.");
  return there;
}

PlainState DiscreteMap::image(const PlainState& x, const Frame& frame, const Coordinates& along, double h,
                              std::int64_t steps) const {
  return image(x, frame.vector(along), h, steps);
}

PlainState DiscreteMap::image(const PlainState& x, const PlainState& v, double h, std::int64_t steps,
                              double reach) const {
  const double by =
      reach * difference / std::max(largest(v.q) / size_q_, largest(v.p) / size_of(x.p, moving_));
  PlainState sum{std::vector<double>(x.q.size(), 0.0), std::vector<double>(x.q.size(), 0.0)};
  for (const auto& [k, weight] : stencil) {
    const PlainState end = go(moved(x, v, k * by), h, steps);
    subtract(sum.q, -weight / by, end.q);
    subtract(sum.p, -weight / by, end.p);
  }
  return sum;
}

}  // namespace taut
