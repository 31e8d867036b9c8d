#include <taut/analysis/orbit.hpp>
#include <taut/bytes/json.hpp>
#include <taut/solve/dense_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

PlainState minus(const PlainState& a, const PlainState& b) {
  PlainState out = a;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    out.q[i] -= b.q[i];
    out.p[i] -= b.p[i];
  }
  return out;
}

double largest(const PlainState& x) {
  double most = 0;
  for (const auto* part : {&x.q, &x.p})
    for (const double y : *part) most = std::max(most, std::abs(y));
  return most;
}

// Everything that a correction needs at x, for a period in so many steps.
struct Linearised {
  Frame frame;
  DenseMatrix monodromy;
  PlainState end;
  Coordinates flow;  // the derivative of the end by the period
};

Linearised linearised(const DiscreteMap& map, const PlainState& x, double period, std::int64_t steps) {
  const double h = period / static_cast<double>(steps);
  Frame frame = map.frame(x);
  const auto size = static_cast<int>(2 * frame.degrees());
  Linearised out{std::move(frame), DenseMatrix(size, size), map.go(x, h, steps), {}};
  for (int j = 0; j < size; ++j) {
    Coordinates unit(static_cast<std::size_t>(size), 0.0);
    unit[static_cast<std::size_t>(j)] = 1;
    const Coordinates image = out.frame.of(map.image(x, out.frame, unit, h, steps));
    std::copy(image.begin(), image.end(), out.monodromy.column(j));
  }
  const double change = 1e-4 * period;
  PlainState slope = minus(map.go(x, (period + change) / static_cast<double>(steps), steps),
                           map.go(x, (period - change) / static_cast<double>(steps), steps));
  for (auto* part : {&slope.q, &slope.p})
    for (double& y : *part) y /= 2 * change;
  out.flow = out.frame.of(slope);
  return out;
}

// Solves for a change of x in its frame, and of the period, by the equations (LY6): closure, no shift along
// the orbit, the energy of the start.
std::optional<std::vector<double>> correction(const Linearised& at, const PlainState& x, double energy_off) {
  const int size = at.monodromy.rows, d = size / 2;
  DenseMatrix A(size + 2, size + 1), M = at.monodromy;
  std::vector<double> right = at.frame.of(minus(at.end, x));
  for (double& y : right) y = -y;
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) A(i, j) = M(i, j) - (i == j ? 1 : 0);
  for (int i = 0; i < size; ++i) A(i, size) = at.flow[static_cast<std::size_t>(i)];
  for (int i = 0; i < d; ++i) {
    const int b = size - 1 - i;
    A(size, i) = at.flow[static_cast<std::size_t>(i)];
    A(size, b) = at.flow[static_cast<std::size_t>(b)];
    A(size + 1, b) = at.flow[static_cast<std::size_t>(i)];  // dH(c) = ω(ẋ, c)
    A(size + 1, i) = -at.flow[static_cast<std::size_t>(b)];
  }
  right.push_back(0);
  right.push_back(-energy_off);
  return least_squares(A, right, 1e-12);
}

double reciprocal_defect(const std::vector<std::complex<double>>& all) {
  double most = 0;
  for (const auto& mu : all) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& other : all) best = std::min(best, std::abs(mu * other - 1.0));
    most = std::max(most, best);
  }
  return most;
}

}  // namespace

Orbit periodic_orbit(const ModelRun& run, double period, const Telling& telling) {
  const DiscreteMap map(run, telling);
  if (run.mechanism->timed())
    throw InputError("periodic orbits are looked for in models without t and without forces.");
  if (!(std::abs(period) > 0) || period * map.step() < 0)
    throw InputError(fmt::format("a period of {} cannot be made of steps of {}.", period, map.step()));
  const auto steps = std::max<std::int64_t>(1, std::llround(period / map.step()));
  const double near = period;
  PlainState x = map.start();
  const double energy = map.energy(x);
  const double scale = std::max(1.0, largest(x));
  constexpr int most = 40;
  const auto off = [&](const PlainState& at, double T) {
    return largest(minus(map.go(at, T / static_cast<double>(steps), steps), at)) +
           std::abs(map.energy(at) - energy);
  };
  double now = off(x, period);
  int corrections = 0;
  for (; corrections < most; ++corrections) {
    const Linearised at = linearised(map, x, period, steps);
    const auto change = correction(at, x, map.energy(x) - energy);
    if (!change)
      throw AnalysisError("the equations of the orbit are singular: it is an equilibrium, or a bifurcation.");
    const Coordinates c(change->begin(), change->end() - 1);
    const PlainState along = at.frame.vector(c);
    bool better = false;
    for (double part = 1; part > 1e-3 && !better; part /= 2) {
      const double T = period + part * change->back();
      // A period of 0 closes every orbit.
      if (!(T / near > 0.5 && T / near < 2)) continue;
      const PlainState there = map.moved(x, along, part);
      const double next = off(there, T);
      if (next < now) {
        better = true;
        x = there;
        period = T;
        now = next;
      }
    }
    if (!better) break;
  }
  if (now > 1e-9 * scale)
    throw AnalysisError(
        fmt::format("no periodic orbit was found near the start: after {} corrections it is open by {:.1e}, "
                    "with a period of "
                    "{:.6g}. Begin nearer to it, with a better --period.",
                    corrections, now, period));
  const Linearised at = linearised(map, x, period, steps);
  Orbit out{.model = run.title(), .method = chosen_method(*run.mechanism, run.name, run.request).label()};
  out.period = period;
  out.steps = steps;
  out.step = period / static_cast<double>(steps);
  out.x = x;
  out.energy = map.energy(x);
  out.multipliers = eigenvalues(at.monodromy);
  std::sort(out.multipliers.begin(), out.multipliers.end(), [](const auto& a, const auto& b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  out.reciprocal_defect = reciprocal_defect(out.multipliers);
  out.closure = largest(minus(at.end, x));
  out.corrections = corrections;
  return out;
}

std::string to_json(const Orbit& o) {
  Json multipliers = Json::list();
  for (const auto& mu : o.multipliers) multipliers.push_back(Json(std::vector<double>{mu.real(), mu.imag()}));
  return Json::object({{"model", o.model},
                       {"method", o.method},
                       {"period", o.period},
                       {"step", o.step},
                       {"steps", o.steps},
                       {"q", o.x.q},
                       {"p", o.x.p},
                       {"energy", o.energy},
                       {"multipliers", std::move(multipliers)},
                       {"reciprocal_defect", o.reciprocal_defect},
                       {"closure", o.closure},
                       {"corrections", o.corrections}})
      .to_text(2);
}

}  // namespace taut
