// Systems of particles under [[forces]] and [damping]: half of the damping by its exponential, half a kick by
// the forces, a step of rattle, and the other halves. Labels: docs/theory/time-and-forces.md.
#pragma once

#include <taut/formulation/multiplier.hpp>
#include <taut/measure/gauge.hpp>
#include <taut/mechanism/adds_work.hpp>
#include <taut/mechanism/machine.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/model/particles/particles.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace taut {

// The forces of a model on its particles, for one thread.
class ParticleForces {
 public:
  explicit ParticleForces(const ParticleModel& model) : model_(model) {
    for (const ParticleForce& one : model.driving->forces) force_.emplace_back(one.force);
  }
  bool none() const { return force_.empty(); }

  // Adds F(q, v, t) to `out`. All lie component by component.
  template <class Vec>
  void add(const Vec& q, const Vec& v, double t, Vec& out) const {
    const int d = model_.dimension;
    std::array<double, most_term_coordinates> x{};
    std::array<double, most_term_numbers> c{};
    std::array<double, 3> f{};
    for (std::size_t which = 0; which < force_.size(); ++which) {
      const ParticleForce& one = model_.driving->forces[which];
      for (std::size_t k = 0; k < one.particle.size(); ++k) {
        const auto place = [&](int a) { return a * model_.count + one.particle[k]; };
        for (int a = 0; a < d; ++a) {
          x[static_cast<std::size_t>(a)] = q[place(a)];
          x[static_cast<std::size_t>(d + a)] = v[place(a)];
        }
        x[static_cast<std::size_t>(d) * 2] = t;
        for (std::size_t j = 0; j < one.number.size(); ++j) c[j] = one.number[j][k];
        force_[which](x.data(), c.data(), nullptr, f.data());
        for (int a = 0; a < d; ++a) out[place(a)] += f[static_cast<std::size_t>(a)];
      }
    }
  }

 private:
  const ParticleModel& model_;
  std::vector<Evaluator<double>> force_;
};

class DrivenMachine final : public Machine, public AddsWork {
 public:
  using P = ParticleProblem<double>;
  using X = CompensatedState<double, dynamic>;
  using Vec = P::Vec;

  DrivenMachine(std::shared_ptr<const ParticleModel> model, const P& problem, const X& start,
                const SolveOptions& options)
      : model_(std::move(model)),
        problem_(problem),
        forces_(*model_),
        options_(options),
        inner_(taut::bind(Rattle{}, problem, start, options)),
        projection_(problem_),
        x_(start),
        mesh_(start),
        gauge_(problem_),
        G_(problem_.make_jacobian()),
        nu_(zero_multiplier(problem_)),
        velocity_(zero_vector(problem_)),
        force_(velocity_),
        lost_(velocity_) {}

  void advance(double h, std::int64_t count, Tally& tally) override {
    const std::int64_t before = inner_->gradients();
    for (; count > 0; --count) {
      const auto made = step(h);
      if (!made || !std::isfinite(work_.high)) {
        tally.failure =
            made ? Failure{.kind = FailureKind::not_finite, .stage = SolveStage::inner} : made.error();
        begin_again();
        break;
      }
      Reading now = gauge_.read(problem_, x_.q, x_.p);
      now.energy -= work_.value();
      if (!tally.add(now, *made)) {
        begin_again();
        break;
      }
      mesh_ = x_;
      mesh_work_ = work_;
      ++steps_;
    }
    tally.gradients += inner_->gradients() - before;
  }
  // The time of a part of a step is not known here: the failure stands.
  void advance_by_halves(double, Tally&) override {}

  std::span<const double> q() const override { return {mesh_.q.data(), size()}; }
  std::span<const double> p() const override { return {mesh_.p.data(), size()}; }
  Reading read() override {
    Reading now = gauge_.read(problem_, mesh_.q, mesh_.p);
    now.energy -= mesh_work_.value();
    return now;
  }
  std::vector<double> multiplier() const override {
    return multiplier_in_doubles(problem_, mesh_.q, mesh_.p);
  }
  std::vector<double> constraint_force() const override {
    return taut::constraint_force(problem_, mesh_.q, mesh_.p);
  }
  double kinetic_energy() const override { return kinetic(mesh_); }
  double work() const override { return mesh_work_.value(); }
  std::vector<double> last_multiplier(double) const override { return {}; }
  ProjectionCount projections() const override { return {}; }

  std::string save() override {
    Carry c;
    carry(c);
    inner_->carry(c);
    return c.bytes();
  }
  bool restore(std::string_view bytes) override {
    Carry c(bytes);
    carry(c);
    inner_->restart(x_);
    inner_->carry(c);
    return c.complete();
  }

 private:
  // A sum that keeps what rounding loses.
  struct Sum {
    double high = 0, rest = 0;
    void add(double x) {
      const double y = x - rest, sum = high + y;
      rest = (sum - high) - y;
      high = sum;
    }
    double value() const { return high - rest; }
  };

  std::size_t size() const { return static_cast<std::size_t>(mesh_.q.size()); }
  void carry(Carry& c) {
    c(x_);
    c(mesh_);
    for (Sum* sum : {&work_, &mesh_work_}) {
      c(sum->high);
      c(sum->rest);
    }
    c(steps_);
  }
  void begin_again() {
    x_ = mesh_;
    work_ = mesh_work_;
    inner_->restart(x_);
  }

  double kinetic(const X& x) const {
    Vec v = zero_vector(problem_);
    H_p(problem_, x.q, x.p, v);
    return x.p.dot(v) / 2;
  }

  // What the kinetic energy gains by the halves of damping and forces is their work.  (PD1) to (PD4)
  Expected<int> step(double h) {
    const double before = kinetic(x_), t = static_cast<double>(steps_) * h;
    damp(h);
    if (const auto kicked = kick(h / 2, t, false); !kicked) return kicked;
    work_.add(kinetic(x_) - before);
    const auto made = inner_->step(x_, h);
    if (!made) return made;
    const double there = kinetic(x_);
    if (const auto kicked = kick(h / 2, t + h, true); !kicked) return kicked;
    damp(h);
    work_.add(kinetic(x_) - there);
    return made;
  }

  // p ← e^{-γh/2} p  (PD1)
  void damp(double h) {
    if (known_for_ != h) {
      for (Eigen::Index j = 0; j < lost_.size(); ++j)
        lost_[j] = static_cast<double>(lost_by_damping(
            Float128(model_->driving->rate[static_cast<std::size_t>(j % model_->count)]), Float128(h / 2)));
      known_for_ = h;
    }
    const Vec change = lost_.cwiseProduct(x_.p);
    taut::kick(x_, change);
  }

  // p ← p + time F(q, v, t), and back into the cotangent space. At the start of a step v is that of the p
  // before, at its end, `implicitly`, that of the p that it leaves: so the step is symmetric.  (PD2), (PD3)
  Expected<int> kick(double time, double t, bool implicitly) {
    if (forces_.none()) return 0;
    const X from = x_;
    double last = std::numeric_limits<double>::infinity();
    for (int round = 0; round < most_rounds; ++round) {
      H_p(problem_, x_.q, x_.p, velocity_);
      force_.setZero();
      forces_.add(x_.q, velocity_, t, force_);
      const Vec p = x_.p;
      x_ = from;
      const Vec change = time * force_;
      taut::kick(x_, change);
      if (const auto projected = project(); !projected) return projected;
      if (!implicitly) return 0;
      const double moved = (x_.p - p).cwiseAbs().maxCoeff();
      const double size = x_.p.cwiseAbs().maxCoeff() + change.cwiseAbs().maxCoeff();
      // The rounds end where rounding does not let the momenta come nearer.
      if (moved <= 2 * std::numeric_limits<double>::epsilon() * size) return 0;
      if (round > 4 && moved >= last && moved <= 1e-13 * size) return 0;
      last = moved;
    }
    return Failure{.kind = FailureKind::not_converged,
                   .stage = SolveStage::inner,
                   .residual = last,
                   .iterations = most_rounds};
  }
  Expected<int> project() {
    if (problem_.constraints() == 0) return 0;
    problem_.G(x_.q, G_);
    return projection_.project(problem_, options_, x_, G_, nu_);  // (PD4)
  }

  static constexpr int most_rounds = 100;

  std::shared_ptr<const ParticleModel> model_;
  P problem_;
  ParticleForces forces_;
  SolveOptions options_;
  std::unique_ptr<Stepper<P, X>> inner_;
  SolverOf<P> projection_;
  X x_, mesh_;  // in a step; at the last good mesh point
  Gauge<P> gauge_;
  P::Jacobian G_;
  P::Multiplier nu_;
  Vec velocity_, force_, lost_;  // lost_: e^{-γh/2} - 1
  double known_for_ = 0;         // the h of lost_
  Sum work_, mesh_work_;
  std::int64_t steps_ = 0;
};

}  // namespace taut
