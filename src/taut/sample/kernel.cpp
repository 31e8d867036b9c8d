#include <taut/sample/kernel.hpp>

#include <taut/contract/request.hpp>
#include <taut/random/draws.hpp>
#include <taut/scalar/elementary.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace taut {

namespace {

constexpr std::uint32_t normal_stream = stream_of("sample.normal"),
                        uniform_stream = stream_of("sample.uniform");

// Hamiltonian steps with Metropolis' decision: hmc(L), and with L = 1 and no force the walk of Zappa,
// Holmes-Cerfon and Goodman, whose acceptance ratio is the same number.
class Hmc final : public Kernel {
 public:
  Hmc(Target& target, const KernelOptions& options, int steps, bool force)
      : Kernel(target, options), steps_(steps), force_(force), next_(target.code()) {}

  Transition next(Phase& x, double h, Randomness& random) override {
    refresh_momentum(x, random);
    const double before = energy(x);
    Transition did{.energy = before};
    next_ = x;
    for (int k = 0; k < steps_; ++k) {
      ++did.steps;
      const Outcome outcome = mover_.step(next_, h, force_, force_ ? Need::gradient : Need::value);
      if (outcome != Outcome::done) {
        count(outcome);
        return did;
      }
      if (!(energy(next_) - before < divergence_limit)) {
        count(Outcome::divergence);
        did.divergent = true;
        return did;
      }
    }
    const double gain = before - energy(next_);
    did.accept = gain >= 0 ? 1 : elementary::exp(gain);
    if (random.uniform() < did.accept) {
      std::swap(x, next_);
      did.energy = energy(x);
      count(Outcome::done);
    } else {
      count(Outcome::refused);
    }
    return did;
  }

 private:
  int steps_;
  bool force_;
  Phase next_;
};

// Constrained Langevin dynamics, each step decided by Metropolis: Lelièvre, Rousset and Stoltz 2012.
class Ghmc final : public Kernel {
 public:
  Ghmc(Target& target, const KernelOptions& options)
      : Kernel(target, options), friction_(options.friction), next_(target.code()) {}
  bool keeps_momentum() const override { return true; }

  Transition next(Phase& x, double h, Randomness& random) override {
    partly_refresh(x, friction_, h / 2, random);
    const double before = energy(x);
    Transition did{.energy = before, .steps = 1};
    next_ = x;
    Outcome outcome = mover_.step(next_, h, true);
    if (outcome == Outcome::done) {
      const double gain = before - energy(next_);
      if (!(gain > -divergence_limit)) outcome = Outcome::divergence;
      did.accept = gain >= 0 ? 1 : elementary::exp(gain);
      if (outcome == Outcome::done && !(random.uniform() < did.accept)) outcome = Outcome::refused;
    }
    did.divergent = outcome == Outcome::divergence;
    count(outcome);
    if (outcome == Outcome::done) {
      std::swap(x, next_);
      did.energy = energy(x);
    } else {
      for (double& p : x.p) p = -p;  // what makes the refusal reversible
    }
    partly_refresh(x, friction_, h / 2, random);
    return did;
  }

 private:
  double friction_;
  Phase next_;
};

// g-BAOAB of Leimkuhler and Matthews 2016: half a kick, k geodesic steps of h/2k, a new part of the momentum,
// the geodesic steps again, half a kick. Nothing is decided, and the bias is of order h².
class Baoab final : public Kernel {
 public:
  Baoab(Target& target, const KernelOptions& options)
      : Kernel(target, options),
        friction_(options.friction),
        parts_(options.kernel.count),
        next_(target.code()) {}
  bool keeps_momentum() const override { return true; }

  Transition next(Phase& x, double h, Randomness& random) override {
    Transition did{.accept = 1, .energy = energy(x), .steps = 1};
    next_ = x;
    kick(next_, h / 2);
    bool made = drift(next_, h / 2, Need::geometry);
    if (made) {
      partly_refresh(next_, friction_, h, random);
      made = drift(next_, h / 2, Need::gradient);
    }
    if (!made) {  // it stays, and goes the other way
      did.accept = 0;
      for (double& p : x.p) p = -p;
      return did;
    }
    kick(next_, h / 2);
    std::swap(x, next_);
    did.energy = energy(x);
    count(Outcome::done);
    return did;
  }

 private:
  void kick(Phase& x, double time) {
    for (std::size_t j = 0; j < x.p.size(); ++j) x.p[j] -= time * x.gradient[j];
    target_.project(x);
  }
  bool drift(Phase& x, double time, Need last) {
    for (int k = 0; k < parts_; ++k) {
      const Outcome outcome = mover_.step(x, time / parts_, false, k + 1 == parts_ ? last : Need::geometry);
      if (outcome == Outcome::done) continue;
      count(outcome);
      return false;
    }
    return true;
  }

  double friction_;
  int parts_;
  Phase next_;
};

int number_in(const std::string& text, const std::string& name) {
  const std::size_t begin = name.size() + 1;
  int number = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + begin, end, number);
  if (error != std::errc() || stop != end || number < 1 || number > 100000)
    throw InputError(fmt::format("kernel {}: the number in brackets is a whole number from 1 on.", text));
  return number;
}

}  // namespace

std::string KernelChoice::text() const {
  switch (kind) {
    case KernelKind::nuts:
      return "nuts";
    case KernelKind::hmc:
      return fmt::format("hmc({})", count);
    case KernelKind::ghmc:
      return "ghmc";
    case KernelKind::g_baoab:
      return fmt::format("g-baoab({})", count);
    case KernelKind::random_walk:
      return "random-walk";
  }
  return {};
}

std::vector<std::string> kernel_names() { return {"nuts", "hmc(L)", "ghmc", "g-baoab(k)", "random-walk"}; }

KernelChoice kernel_named(const std::string& text) {
  if (text == "nuts") return {KernelKind::nuts, 0};
  if (text == "ghmc") return {KernelKind::ghmc, 0};
  if (text == "random-walk") return {KernelKind::random_walk, 0};
  if (text == "g-baoab") return {KernelKind::g_baoab, 1};
  for (const auto& [name, kind] : {std::pair{"hmc", KernelKind::hmc}, {"g-baoab", KernelKind::g_baoab}})
    if (text.starts_with(std::string(name) + "(") && text.ends_with(")"))
      return {kind, number_in(text, name)};
  throw InputError(
      fmt::format("there is no kernel {}.{}\n  There are nuts, hmc(L), ghmc, g-baoab(k) and "
                  "random-walk.",
                  text, did_you_mean(text, kernel_names())));
}

std::uint64_t Randomness::place() const {
  return static_cast<std::uint64_t>(chain_) << 40U | static_cast<std::uint64_t>(iteration_);
}
double Randomness::normal() { return taut::normal({seed_, place(), normal_stream, normals_++}); }
double Randomness::uniform() { return taut::uniform({seed_, place(), uniform_stream, uniforms_++}); }

void Kernel::refresh_momentum(Phase& x, Randomness& random) const {
  const std::vector<double>& W = target_.metric();
  for (std::size_t j = 0; j < x.p.size(); ++j) x.p[j] = random.normal() / std::sqrt(W[j]);
  target_.project(x);
}

void Kernel::partly_refresh(Phase& x, double friction, double time, Randomness& random) {
  const double c = elementary::exp(-friction * time), s = std::sqrt(1 - c * c);
  kept_ = x.p;
  refresh_momentum(x, random);
  for (std::size_t j = 0; j < x.p.size(); ++j) x.p[j] = c * kept_[j] + s * x.p[j];
}

double Kernel::gain_of_one_step(const Phase& x, double h, bool force) {
  Phase to = x;
  const double before = energy(x);
  if (mover_.step(to, h, force, force ? Need::gradient : Need::value) != Outcome::done)
    return -std::numeric_limits<double>::infinity();
  const double gain = before - energy(to);
  return std::isfinite(gain) ? gain : -std::numeric_limits<double>::infinity();
}

std::unique_ptr<Kernel> make_kernel(Target& target, const KernelOptions& options) {
  switch (options.kernel.kind) {
    case KernelKind::nuts:
      return make_nuts(target, options);
    case KernelKind::hmc:
      return std::make_unique<Hmc>(target, options, options.kernel.count, true);
    case KernelKind::ghmc:
      return std::make_unique<Ghmc>(target, options);
    case KernelKind::g_baoab:
      return std::make_unique<Baoab>(target, options);
    case KernelKind::random_walk:
      return std::make_unique<Hmc>(target, options, 1, false);
  }
  return nullptr;
}

}  // namespace taut
