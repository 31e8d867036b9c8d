#include <taut/sample/adaptation.hpp>

#include <taut/scalar/elementary.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

namespace {

constexpr double gamma_ = 0.05, t0 = 10, kappa = 0.75;  // Hoffman and Gelman's constants
constexpr std::int64_t first_part = 75, first_window = 25, last_part = 50, least_warmup = 20;

}  // namespace

void DualAveraging::restart(double step) {
  mu_ = elementary::log(10 * step);
  count_ = mean_error_ = mean_log_ = 0;
}

double DualAveraging::learn(double accept, double wanted) {
  count_ += 1;
  const double eta = 1 / (count_ + t0);
  mean_error_ = (1 - eta) * mean_error_ + eta * (wanted - std::min(accept, 1.0));
  const double log_step = mu_ - mean_error_ * std::sqrt(count_) / gamma_;
  const double weight = elementary::exp(-kappa * elementary::log(count_));
  mean_log_ = (1 - weight) * mean_log_ + weight * log_step;
  return elementary::exp(log_step);
}

double DualAveraging::settled() const { return elementary::exp(mean_log_); }

void Variances::add(const std::vector<double>& q) {
  count_ += 1;
  for (std::size_t j = 0; j < q.size(); ++j) {
    const double from_old = q[j] - mean_[j];
    mean_[j] += from_old / count_;
    sum_[j] += from_old * (q[j] - mean_[j]);
  }
}

std::vector<double> Variances::estimate() const {
  std::vector<double> variances;
  const double more = 5, small = 1e-3;
  for (const double sum : sum_)
    variances.push_back(count_ / (count_ + more) * (sum / (count_ - 1)) + small * more / (count_ + more));
  return variances;
}

void Variances::clear() {
  count_ = 0;
  std::fill(mean_.begin(), mean_.end(), 0.0);
  std::fill(sum_.begin(), sum_.end(), 0.0);
}

Windows::Windows(std::int64_t warmup) : first_(warmup), last_(warmup) {
  if (warmup < least_warmup) return;
  std::int64_t first = first_part, window = first_window, last = last_part;
  if (first + window + last > warmup) {
    first = warmup * 15 / 100;
    last = warmup / 10;
    window = warmup - first - last;
  }
  first_ = first;
  last_ = warmup - last;
  std::int64_t begin = first;
  while (begin < last_) {
    // A window takes the rest if the next one, twice as long, would not fit behind it.
    if (begin + window + 2 * window > last_) window = last_ - begin;
    begin += window;
    ends_.push_back(begin - 1);
    window *= 2;
  }
}

bool Windows::learns_metric(std::int64_t iteration) const { return iteration >= first_ && iteration < last_; }
bool Windows::ends(std::int64_t iteration) const {
  return std::find(ends_.begin(), ends_.end(), iteration) != ends_.end();
}

}  // namespace taut
