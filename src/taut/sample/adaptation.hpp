// Adaptation during warm-up, in the windows of Stan: the step size by dual averaging (Hoffman and Gelman
// 2014), the diagonal metric by the variances of draws. Nothing changes after warm-up.
#pragma once

#include <cstdint>
#include <vector>

namespace taut {

class DualAveraging {
 public:
  void restart(double step);                   // looks about ten times this step
  double learn(double accept, double wanted);  // returns the next step
  double settled() const;                      // the step after warm-up
  template <class Visit>
  void each(Visit&& visit) {
    for (double* x : {&mu_, &count_, &mean_error_, &mean_log_}) visit(*x);
  }

 private:
  double mu_ = 0, count_ = 0, mean_error_ = 0, mean_log_ = 0;
};

// Means and variances of all coordinates, by Welford's update.
class Variances {
 public:
  explicit Variances(std::size_t n) : mean_(n), sum_(n) {}
  void add(const std::vector<double>& q);
  // Stan's estimate, which is drawn towards a small number while draws are few.
  std::vector<double> estimate() const;
  void clear();
  template <class Visit>
  void each(Visit&& visit) {
    visit(count_);
    for (double& x : mean_) visit(x);
    for (double& x : sum_) visit(x);
  }

 private:
  double count_ = 0;
  std::vector<double> mean_, sum_;
};

// The windows: a first part for the step alone, windows of doubling length for the metric, a last part for
// the step alone.
class Windows {
 public:
  explicit Windows(std::int64_t warmup);
  bool learns_metric(std::int64_t iteration) const;
  bool ends(std::int64_t iteration) const;  // a window for the metric

 private:
  std::int64_t first_, last_;
  std::vector<std::int64_t> ends_;
};

}  // namespace taut
