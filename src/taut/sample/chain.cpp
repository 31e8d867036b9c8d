#include <taut/sample/chain.hpp>

#include <taut/contract/request.hpp>
#include <taut/scalar/elementary.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr int most_tries = 100;  // for a start that is scattered
constexpr int settling = 8;      // transitions from the start of a part to its first draw
// Iterations of warm-up have numbers from 0 on; what is drawn before them has this one.
constexpr std::int64_t before_all = std::int64_t{1} << 39U;
constexpr double first_acceptance = 0.8, longest_step = 1e7;

}  // namespace

double usual_acceptance(KernelKind kind) {
  switch (kind) {
    case KernelKind::random_walk:
      return 0.5;
    case KernelKind::ghmc:
      return 0.9;
    default:
      return 0.8;
  }
}

const std::vector<std::string>& statistic_names() {
  static const std::vector<std::string> names{"lp__",         "accept_stat__", "stepsize__", "treedepth__",
                                              "n_leapfrog__", "divergent__",   "energy__"};
  return names;
}

Chain::Chain(std::shared_ptr<const TargetCode> code, const SamplingOptions& options, int number)
    : code_(std::move(code)),
      options_(options),
      number_(number),
      target_(code_),
      kernel_(make_kernel(target_, options.kernel)),
      random_(options.seed, number),
      x_(*code_),
      windows_(options.warmup),
      variances_(static_cast<std::size_t>(code_->n)),
      row_(statistic_names().size() + code_->coordinates.size() + code_->quantity_names.size()),
      W_(target_.metric()),
      has_points_(code_->m == code_->n) {
  if (!code_->starts.empty()) x_.q = code_->starts[static_cast<std::size_t>(number) % code_->starts.size()];
}

// If a coordinate is held, a start at which its gradient happens to depend on those of the constraints, such
// as the pole of a sphere for the height, is left for points farther and farther from it.
double Chain::spread_of_try(int k) const {
  constexpr double widening = 0.03;
  return options_.spread > 0 ? options_.spread : code_->m > code_->free_m ? widening * k : 0;
}

void Chain::place_start(Randomness& random) {
  const std::vector<double> given = x_.q;
  for (int k = 0; k < most_tries; ++k) {
    x_.q = given;
    const double spread = spread_of_try(k);
    if (spread > 0)
      for (double& q : x_.q) q += spread * random.normal();
    if (kernel_->mover().land(x_.q) && target_.refresh(x_, Need::gradient)) return;
    if (spread_of_try(1) == 0) refuse_start(given);
  }
  if (options_.spread == 0) refuse_start(given);
  throw InputError(fmt::format(
      "chain {}: none of {} starts scattered by {:g} could be brought onto g = 0 to a point of positive "
      "density.\n  Try a smaller --spread.",
      number_ + 1, most_tries, options_.spread));
}

void Chain::refuse_start(const std::vector<double>& given) {
  Phase look(*code_);
  look.q = given;
  const bool holds = code_->m > code_->free_m;
  if (!target_.refresh(look, Need::geometry))
    throw InputError(
        holds ? "the gradients of the coordinate and of the constraints depend on each other: nothing is "
                "left to be held."
              : "the constraints depend on each other at the start: leave out those that follow from "
                "others.");
  if (!kernel_->mover().land(look.q))
    throw InputError(
        holds
            ? "no point of g = 0 was found that has this value of the coordinate and at which its gradient "
              "and "
              "those of the constraints do not depend on each other.\n  The value may be an end of what the "
              "coordinate reaches, as a pole is for the height on a sphere, or lie beyond it."
            : "the start cannot be brought onto g = 0: Newton's iteration from [initial] does not "
              "converge.\n  "
              "Start nearer to the manifold; `taut check` names constraints that depend on each other.");
  throw InputError(
      "the log density or its gradient is not finite at the start.\n  Start in [initial] where the density "
      "is "
      "positive.");
}

void Chain::start() {
  random_.begin(before_all);
  place_start(random_);
  if (!has_points_) kernel_->refresh_momentum(x_, random_);
  if (options_.step || has_points_) {
    step_ = options_.step.value_or(1);
  } else {
    step_ = 1;
    find_first_step();
  }
  averaging_.restart(step_);
  first_gradients_ = target_.gradients();
}

// Doubles or halves the step until the acceptance of one step crosses 0.8, as Stan does.
void Chain::find_first_step() {
  const bool force = options_.kernel.kernel.kind != KernelKind::random_walk;
  const double threshold = elementary::log(first_acceptance);
  const Phase kept = x_;
  int direction = 0;
  for (;;) {
    x_ = kept;
    kernel_->refresh_momentum(x_, random_);
    const bool longer = kernel_->gain_of_one_step(x_, step_, force) > threshold;
    if (direction == 0) direction = longer ? 1 : -1;
    if (longer != (direction == 1)) break;
    step_ = direction == 1 ? 2 * step_ : step_ / 2;
    if (step_ > longest_step)
      throw InputError(
          "every step is accepted, however long: the density is not one of finite mass. Is something missing "
          "in it?");
    if (step_ < 1 / longest_step)
      throw InputError(
          "no step from the start is accepted, however short: the density is not smooth there, or its "
          "gradient is "
          "wrong.");
  }
  x_ = kept;
}

void Chain::advance() {
  random_.begin(iteration_);
  if (iteration_ == options_.warmup) {
    kernel_->counts() = {};
    earlier_gradients_ = 0;
    first_gradients_ = target_.gradients();
  }
  if (options_.part > 0 && is_warm() && (iteration_ - options_.warmup) % options_.part == 0) begin_part();
  if (has_points_) {
    did_ = {.accept = 1, .energy = x_.U};
    ++iteration_;
    return;
  }
  const std::int64_t times = is_warm() ? options_.thin : 1;
  for (std::int64_t k = 0; k < times; ++k) did_ = kernel_->next(x_, step_, random_);
  if (!is_warm()) learn(did_);
  ++iteration_;
}

// Begins anew at the next start, or goes on if that cannot be brought onto g = 0.
void Chain::begin_part() {
  const auto count = static_cast<std::int64_t>(code_->starts.size());
  const std::int64_t turn = (iteration_ - options_.warmup) / options_.part * options_.chains + number_;
  const Phase kept = x_;
  x_.q = code_->starts[static_cast<std::size_t>(turn % count)];
  if (!kernel_->mover().land(x_.q) || !target_.refresh(x_, Need::gradient)) x_ = kept;
  if (has_points_) return;
  kernel_->refresh_momentum(x_, random_);
  for (int k = 0; k < settling; ++k) kernel_->next(x_, step_, random_);
}

void Chain::learn(const Transition& did) {
  if (!options_.step)
    step_ =
        averaging_.learn(did.accept, options_.accept.value_or(usual_acceptance(options_.kernel.kernel.kind)));
  if (options_.adapt_metric && windows_.learns_metric(iteration_)) {
    variances_.add(x_.q);
    if (windows_.ends(iteration_)) {
      take_metric(variances_.estimate());
      variances_.clear();
      random_.begin(before_all + 1 + iteration_);
      if (!options_.step) find_first_step();
      averaging_.restart(step_);
      kernel_->refresh_momentum(x_, random_);
    }
  }
  if (iteration_ + 1 == options_.warmup && !options_.step) step_ = averaging_.settled();
}

void Chain::take_metric(const std::vector<double>& W) {
  W_ = W;
  target_.set_metric(W_);
  target_.refresh(x_, Need::gradient);
}

const std::vector<double>& Chain::row() {
  double* out = row_.data();
  for (const double value : {0 - x_.base, did_.accept, step_, static_cast<double>(did_.depth),
                             static_cast<double>(did_.steps), did_.divergent ? 1.0 : 0.0, did_.energy})
    *out++ = value;
  out = std::copy(x_.q.begin(), x_.q.end(), out);
  target_.quantities(x_.q.data(), out);
  return row_;
}

template <class Visit>
void Chain::each(Visit&& visit) {
  const auto count = [&](std::int64_t& value) {
    double number = static_cast<double>(value);
    visit(number);
    value = static_cast<std::int64_t>(number);
  };
  count(iteration_);
  earlier_gradients_ = gradients();
  first_gradients_ = target_.gradients();
  count(earlier_gradients_);
  for (std::int64_t& outcome : kernel_->counts()) count(outcome);
  for (double& time : seconds) visit(time);
  visit(step_);
  averaging_.each(visit);
  variances_.each(visit);
  for (std::vector<double>* list : {&x_.q, &x_.p, &W_})
    for (double& value : *list) visit(value);
}

std::vector<double> Chain::save() {
  std::vector<double> state;
  each([&](double& value) { state.push_back(value); });
  return state;
}

bool Chain::restore(std::span<const double> state) {
  std::size_t k = 0;
  if (state.size() != save().size()) return false;
  each([&](double& value) { value = state[k++]; });
  target_.set_metric(W_);
  const bool good = target_.refresh(x_, Need::gradient);
  first_gradients_ = target_.gradients();
  return good;
}

}  // namespace taut
