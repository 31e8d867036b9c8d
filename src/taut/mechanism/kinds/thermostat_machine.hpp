// g-BAOAB for systems of particles (Leimkuhler and Matthews 2016): half a kick, geodesic steps over half of
// the time, momenta forget a part, geodesic steps, half a kick. Labels: docs/theory/thermostat.md.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/gauge.hpp>
#include <taut/mechanism/machine.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/particles/particles.hpp>
#include <taut/random/draws.hpp>
#include <taut/scalar/elementary.hpp>

#include <cmath>
#include <memory>
#include <utility>

namespace taut {

// Random numbers are functions of the seed, the step and the coordinate, so that a run that is resumed has
// the same bits, whatever the number of threads.
class ThermostatMachine final : public Machine {
 public:
  using P = ParticleProblem<double>;
  using X = CompensatedState<double, dynamic>;
  using Vec = P::Vec;

  ThermostatMachine(const P& problem, const P& without_forces, const Thermostat& thermostat, const X& start,
                    const SolveOptions& options)
      : problem_(problem),
        thermostat_(thermostat),
        options_(options),
        geodesics_(taut::bind(Rattle{}, without_forces, start, options)),
        projection_(problem_),
        x_(start),
        mesh_(start),
        gauge_(problem_),
        G_(problem_.make_jacobian()),
        nu_(zero_multiplier(problem_)),
        grad_(zero_vector(problem_)) {
    problem_.grad_V(x_.q, grad_);
  }

  void advance(double h, std::int64_t count, Tally& tally) override {
    const std::int64_t before = problem_.gradients();
    for (; count > 0; --count) {
      const auto made = step(h);
      if (!made) {
        tally.failure = made.error();
        begin_again();
        break;
      }
      if (!tally.add(gauge_.read(problem_, x_.q, x_.p), *made)) {
        begin_again();
        break;
      }
      mesh_ = x_;
      ++steps_;
    }
    tally.gradients += problem_.gradients() - before;
  }
  // Parts of a step would draw other numbers: the failure stands.
  void advance_by_halves(double, Tally&) override {}

  std::span<const double> q() const override { return {mesh_.q.data(), size()}; }
  std::span<const double> p() const override { return {mesh_.p.data(), size()}; }
  Reading read() override { return gauge_.read(problem_, mesh_.q, mesh_.p); }
  std::vector<double> multiplier() const override {
    return multiplier_in_doubles(problem_, mesh_.q, mesh_.p);
  }
  std::vector<double> constraint_force() const override {
    return taut::constraint_force(problem_, mesh_.q, mesh_.p);
  }
  double kinetic_energy() const override {
    Vec v = zero_vector(problem_);
    H_p(problem_, mesh_.q, mesh_.p, v);
    return mesh_.p.dot(v) / 2;
  }
  std::vector<double> last_multiplier(double) const override { return {}; }
  ProjectionCount projections() const override { return {}; }

  std::string save() override {
    Carry c;
    carry(c);
    geodesics_->carry(c);
    return c.bytes();
  }
  bool restore(std::string_view bytes) override {
    Carry c(bytes);
    carry(c);
    geodesics_->restart(x_);
    geodesics_->carry(c);
    problem_.grad_V(x_.q, grad_);
    return c.complete();
  }

 private:
  static constexpr std::uint32_t stream = stream_of("thermostat");

  std::size_t size() const { return static_cast<std::size_t>(mesh_.q.size()); }
  void carry(Carry& c) {
    c(x_);
    c(mesh_);
    c(steps_);
  }
  void begin_again() {
    x_ = mesh_;
    geodesics_->restart(x_);
    problem_.grad_V(x_.q, grad_);
  }

  Expected<int> step(double h) {
    int corrections = 0;
    const auto all = {+[](ThermostatMachine& at, double t) { return at.kick(t / 2); },         // (TH1)
                      +[](ThermostatMachine& at, double t) { return at.drift(t / 2); },        // (TH2)
                      +[](ThermostatMachine& at, double t) { return at.forget(t); },           // (TH3)
                      +[](ThermostatMachine& at, double t) { return at.drift(t / 2); },        // (TH2)
                      +[](ThermostatMachine& at, double t) { return at.kick_there(t / 2); }};  // (TH1)
    for (const auto part : all) {
      const auto made = part(*this, h);
      if (!made) return made;
      corrections += *made;
    }
    return corrections;
  }
  Expected<int> kick(double time) {
    taut::kick(x_, -time * grad_);
    return project();
  }
  Expected<int> kick_there(double time) {
    problem_.grad_V(x_.q, grad_);
    return kick(time);
  }
  Expected<int> drift(double time) {
    geodesics_->restart(x_);
    int corrections = 0;
    for (int k = 0; k < thermostat_.parts; ++k) {
      const auto made = geodesics_->step(x_, time / thermostat_.parts);
      if (!made) return made;
      corrections += *made;
    }
    return corrections;
  }
  Expected<int> forget(double time) {
    const double kept = elementary::exp(-thermostat_.friction * time);
    const double fresh = std::sqrt((1 - kept * kept) * thermostat_.temperature);
    const Vec& inverse_mass = problem_.W().inverse;
    const auto step = static_cast<std::uint64_t>(steps_);
    each_coordinate(x_.p, [&](int j) {
      const double xi = normal({thermostat_.seed, step, stream, static_cast<std::uint32_t>(j)}) /
                        std::sqrt(inverse_mass[j]);
      x_.p[j] = kept * x_.p[j] + fresh * xi;
      x_.p_low[j] = 0;
    });
    return project();
  }
  Expected<int> project() {
    if (problem_.constraints() == 0) return 0;
    problem_.G(x_.q, G_);
    return projection_.project(problem_, options_, x_, G_, nu_);  // (TH4)
  }

  P problem_;
  Thermostat thermostat_;
  SolveOptions options_;
  std::unique_ptr<Stepper<P, X>> geodesics_;
  SolverOf<P> projection_;
  X x_, mesh_;  // in a step; at the last good mesh point
  Gauge<P> gauge_;
  P::Jacobian G_;
  P::Multiplier nu_;
  Vec grad_;
  std::int64_t steps_ = 0;
};

}  // namespace taut
