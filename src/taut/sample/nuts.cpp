// The no-U-turn sampler with multinomial choice along the trajectory (Betancourt 2017) and the criterion on
// sums of momenta, on a manifold: momenta are cotangent vectors, and W p their velocities. A step that is
// refused ends the trajectory as a divergence does: the subtree in which it lies is not used.
#include <taut/sample/kernel.hpp>
#include <taut/scalar/elementary.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taut {

namespace {

using Vec = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

double log_sum_exp(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  if (low == -infinity) return high;
  return high + elementary::log(1 + elementary::exp(low - high));
}

class Nuts final : public Kernel {
 public:
  Nuts(Target& target, const KernelOptions& options)
      : Kernel(target, options),
        max_depth_(options.max_depth),
        forward_(target.code()),
        backward_(target.code()),
        z_(target.code()),
        proposal_(target.code()),
        rho_(n()),
        rho_forward_(n()),
        rho_backward_(n()),
        sum_(n()) {
    for (End* end : {&first_, &last_, &inner_first_, &inner_last_}) end->make(n());
    for (int k = 0; k < max_depth_; ++k) levels_.emplace_back(target.code(), n());
  }

  Transition next(Phase& x, double h, Randomness& random) override {
    refresh_momentum(x, random);
    random_ = &random;
    h_ = h;
    start_energy_ = energy(x);
    tally_ = {};
    forward_ = x;
    backward_ = x;
    set(first_, x);
    set(last_, x);
    rho_ = x.p;
    double log_weight = 0, chosen_energy = start_energy_;
    while (tally_.depth < max_depth_) {
      const double before = log_weight;
      double grown = -infinity;
      const bool ahead = random.uniform() > 0.5;
      const bool valid = ahead ? extend_forward(grown) : extend_backward(grown);
      if (!valid) break;
      ++tally_.depth;
      if (grown > before || random.uniform() < elementary::exp(grown - before)) {
        std::swap(x, proposal_);
        chosen_energy = proposal_energy_;
      }
      log_weight = log_sum_exp(before, grown);
      for (std::size_t j = 0; j < rho_.size(); ++j) rho_[j] = rho_backward_[j] + rho_forward_[j];
      if (!goes_on()) break;
    }
    Transition did = tally_;
    did.accept = did.steps > 0 ? metropolis_ / did.steps : 0;
    metropolis_ = 0;
    did.energy = chosen_energy;
    return did;
  }

 private:
  // One end of a trajectory: its momentum and its velocity.
  struct End {
    Vec p, v;
    void make(std::size_t n) {
      p.resize(n);
      v.resize(n);
    }
  };
  // What a subtree of one depth needs while its halves are built.
  struct Level {
    Level(const TargetCode& code, std::size_t n) : other(code), rho_init(n), rho_final(n) {
      init_end.make(n);
      final_begin.make(n);
    }
    Phase other;
    double other_energy = 0;
    Vec rho_init, rho_final;
    End init_end, final_begin;
  };

  std::size_t n() const { return static_cast<std::size_t>(target_.code().n); }
  void set(End& end, const Phase& x) const {
    const Vec& W = target_.metric();
    for (std::size_t j = 0; j < x.p.size(); ++j) {
      end.p[j] = x.p[j];
      end.v[j] = W[j] * x.p[j];
    }
  }
  static double dot(const Vec& a, const Vec& b) {
    double sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
    return sum;
  }
  static bool apart(const End& a, const End& b, const Vec& rho) {
    return dot(a.v, rho) > 0 && dot(b.v, rho) > 0;
  }
  bool apart(const End& a, const End& b, const Vec& rho, const Vec& more) {
    for (std::size_t j = 0; j < rho.size(); ++j) sum_[j] = rho[j] + more[j];
    return apart(a, b, sum_);
  }

  // The whole trajectory goes from first_ to last_; inner_last_ and inner_first_ are where its two parts
  // meet.
  bool goes_on() {
    return apart(first_, last_, rho_) && apart(first_, inner_first_, rho_backward_, inner_first_.p) &&
           apart(inner_last_, last_, rho_forward_, inner_last_.p);
  }

  bool extend_forward(double& grown) {
    std::swap(z_, forward_);
    rho_backward_ = rho_;
    inner_last_ = last_;
    std::fill(rho_forward_.begin(), rho_forward_.end(), 0.0);
    direction_ = 1;
    const bool valid =
        build(tally_.depth, proposal_, proposal_energy_, inner_first_, last_, rho_forward_, grown);
    std::swap(z_, forward_);
    return valid;
  }
  bool extend_backward(double& grown) {
    std::swap(z_, backward_);
    rho_forward_ = rho_;
    inner_first_ = first_;
    std::fill(rho_backward_.begin(), rho_backward_.end(), 0.0);
    direction_ = -1;
    const bool valid =
        build(tally_.depth, proposal_, proposal_energy_, inner_last_, first_, rho_backward_, grown);
    std::swap(z_, backward_);
    return valid;
  }

  bool leaf(Phase& proposal, double& proposal_energy, End& begin, End& end, Vec& rho, double& log_weight) {
    ++tally_.steps;
    if (const Outcome outcome = mover_.step(z_, direction_ * h_, true); outcome != Outcome::done) {
      count(outcome);
      return false;
    }
    proposal_energy = energy(z_);
    const double gain = start_energy_ - proposal_energy;
    metropolis_ += gain >= 0 ? 1 : elementary::exp(std::max(gain, -700.0));
    if (!(gain > -divergence_limit)) {
      count(Outcome::divergence);
      tally_.divergent = true;
      return false;
    }
    count(Outcome::done);
    log_weight = log_sum_exp(log_weight, gain);
    proposal = z_;
    set(begin, z_);
    end = begin;
    for (std::size_t j = 0; j < rho.size(); ++j) rho[j] += z_.p[j];
    return true;
  }

  // Builds a subtree of 2^depth steps from z_. `begin` is its end next to the trajectory, `end` the other
  // one.
  bool build(int depth, Phase& proposal, double& proposal_energy, End& begin, End& end, Vec& rho,
             double& log_weight) {
    if (depth == 0) return leaf(proposal, proposal_energy, begin, end, rho, log_weight);
    Level& at = levels_[static_cast<std::size_t>(depth - 1)];
    std::fill(at.rho_init.begin(), at.rho_init.end(), 0.0);
    double init = -infinity;
    if (!build(depth - 1, proposal, proposal_energy, begin, at.init_end, at.rho_init, init)) return false;
    std::fill(at.rho_final.begin(), at.rho_final.end(), 0.0);
    double final = -infinity;
    if (!build(depth - 1, at.other, at.other_energy, at.final_begin, end, at.rho_final, final)) return false;
    const double both = log_sum_exp(init, final);
    log_weight = log_sum_exp(log_weight, both);
    if (random_->uniform() < elementary::exp(final - both)) {
      std::swap(proposal, at.other);
      proposal_energy = at.other_energy;
    }
    for (std::size_t j = 0; j < rho.size(); ++j) {
      sum_[j] = at.rho_init[j] + at.rho_final[j];
      rho[j] += sum_[j];
    }
    return apart(begin, end, sum_) && apart(begin, at.final_begin, at.rho_init, at.final_begin.p) &&
           apart(at.init_end, end, at.rho_final, at.init_end.p);
  }

  int max_depth_;
  double h_ = 0, direction_ = 1, start_energy_ = 0, metropolis_ = 0, proposal_energy_ = 0;
  Randomness* random_ = nullptr;
  Transition tally_;
  Phase forward_, backward_, z_, proposal_;
  Vec rho_, rho_forward_, rho_backward_, sum_;
  End first_, last_, inner_first_, inner_last_;
  std::vector<Level> levels_;
};

}  // namespace

std::unique_ptr<Kernel> make_nuts(Target& target, const KernelOptions& options) {
  return std::make_unique<Nuts>(target, options);
}

}  // namespace taut
