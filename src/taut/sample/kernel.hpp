// The kernels: maps from one draw to the next that leave the target invariant, and g-BAOAB, which does so up
// to the square of its step. Labels: docs/theory/sampling.md.
#pragma once

#include <taut/sample/mover.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace taut {

enum class KernelKind { nuts, hmc, ghmc, g_baoab, random_walk };

struct KernelChoice {
  KernelKind kind = KernelKind::nuts;
  int count = 0;  // steps in hmc(L), parts of a drift in g-baoab(k)
  std::string text() const;
};
// Reads nuts, hmc(L), ghmc, g-baoab(k) or random-walk. Throws InputError.
KernelChoice kernel_named(const std::string& text);
std::vector<std::string> kernel_names();

struct KernelOptions {
  KernelChoice kernel = {};
  double friction = 1;  // momenta of ghmc and g-baoab forget at this rate
  int max_depth = 10;   // a tree of nuts has at most 2^max_depth steps
  MoverOptions mover = {};
};

// Random numbers of one transition: functions of the seed, the chain, the iteration and their place in it.
class Randomness {
 public:
  Randomness(std::uint64_t seed, int chain) : seed_(seed), chain_(chain) {}
  void begin(std::int64_t iteration) {
    iteration_ = iteration;
    normals_ = uniforms_ = 0;
  }
  double normal();
  double uniform();

 private:
  std::uint64_t place() const;
  std::uint64_t seed_;
  int chain_;
  std::int64_t iteration_ = 0;
  std::uint32_t normals_ = 0, uniforms_ = 0;
};

using OutcomeCounts = std::array<std::int64_t, 6>;  // by Outcome

// What one transition did.
struct Transition {
  double accept = 0;  // the acceptance statistic that the step size is adapted by
  double energy = 0;  // H of the draw; for ghmc and g-baoab with its momentum
  int depth = 0, steps = 0;
  bool divergent = false;
};

class Kernel {
 public:
  Kernel(Target& target, const KernelOptions& options) : target_(target), mover_(target, options.mover) {}
  virtual ~Kernel() = default;
  // Moves x, whose value and gradient are known, to the next draw.
  virtual Transition next(Phase& x, double h, Randomness& random) = 0;
  virtual bool keeps_momentum() const { return false; }
  OutcomeCounts& counts() { return counts_; }
  Mover& mover() { return mover_; }
  // Draws a momentum from its distribution on the cotangent space.                                     (SM2)
  void refresh_momentum(Phase& x, Randomness& random) const;
  // H before one step minus H after it; minus infinity if there is no step.
  double gain_of_one_step(const Phase& x, double h, bool force);

 protected:
  double energy(const Phase& x) const { return x.U + target_.kinetic(x); }
  void count(Outcome outcome) { ++counts_[static_cast<std::size_t>(outcome)]; }
  // p ← c p + √(1 - c²) ξ with c = exp(-γ t)
  void partly_refresh(Phase& x, double friction, double time, Randomness& random);

  Target& target_;
  Mover mover_;
  OutcomeCounts counts_{};

 private:
  std::vector<double> kept_;
};

std::unique_ptr<Kernel> make_kernel(Target& target, const KernelOptions& options);
std::unique_ptr<Kernel> make_nuts(Target& target, const KernelOptions& options);

// A difference of energies beyond this ends a trajectory.
inline constexpr double divergence_limit = 1000;

}  // namespace taut
