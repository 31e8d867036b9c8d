// One chain: its draws are a function of the target, the options, the seed and its number alone. What the
// next draw depends on can be saved and restored at any iteration.
#pragma once

#include <taut/sample/adaptation.hpp>
#include <taut/sample/kernel.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct SamplingOptions {
  KernelOptions kernel = {};
  std::int64_t draws = 1000, warmup = 1000, thin = 1;
  int chains = 4;
  std::uint64_t seed = 1;
  std::optional<double> step = {};    // fixes the step size
  std::optional<double> accept = {};  // the acceptance that adaptation looks for
  bool adapt_metric = false;
  double spread = 0;  // starts are scattered about the model's by normal numbers of this size
  // If positive: so many draws are a part of a chain, and each part begins at another of the target's
  // starts. Such a chain is not saved.
  std::int64_t part = 0;
};

// Returns the acceptance that is looked for if nothing else is asked.
double usual_acceptance(KernelKind kind);

// The columns of a draw that come before the coordinates, as CmdStan names them.
const std::vector<std::string>& statistic_names();

class Chain {
 public:
  Chain(std::shared_ptr<const TargetCode> code, const SamplingOptions& options, int number);

  // Finds the start and the first step size. Throws InputError if there is no start.
  void start();
  // Makes one iteration. After warm-up row() is the new draw.
  void advance();
  std::int64_t iteration() const { return iteration_; }
  bool is_warm() const { return iteration_ >= options_.warmup; }
  const std::vector<double>& row();  // statistics, coordinates, quantities
  double step() const { return step_; }
  const std::vector<double>& metric() const { return target_.metric(); }
  const OutcomeCounts& counts() const { return kernel_->counts(); }
  std::int64_t gradients() const { return earlier_gradients_ + target_.gradients() - first_gradients_; }
  Target& target() { return target_; }
  const Phase& phase() const { return x_; }
  int number() const { return number_; }
  bool has_points() const { return has_points_; }

  std::vector<double> save();
  bool restore(std::span<const double> state);  // false if the numbers are not those of such a chain
  double seconds[2] = {0, 0};                   // CPU time for warm-up and for draws; kept with the state

 private:
  template <class Visit>
  void each(Visit&& visit);
  void place_start(Randomness& random);
  double spread_of_try(int k) const;
  [[noreturn]] void refuse_start(const std::vector<double>& given);
  void find_first_step();
  void begin_part();
  void learn(const Transition& did);
  void take_metric(const std::vector<double>& W);

  std::shared_ptr<const TargetCode> code_;
  SamplingOptions options_;
  int number_;
  Target target_;
  std::unique_ptr<Kernel> kernel_;
  Randomness random_;
  Phase x_;
  std::int64_t iteration_ = 0, first_gradients_ = 0, earlier_gradients_ = 0;
  double step_ = 0;
  Windows windows_;
  DualAveraging averaging_;
  Variances variances_;
  Transition did_;
  std::vector<double> row_, W_;
  // The coordinate that is held leaves points, and each draw is a start.
  bool has_points_ = false;
};

}  // namespace taut
