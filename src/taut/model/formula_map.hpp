// The parametrisation q = φ(δ) that a model gives, as formulation/state_space.hpp wants it. It remembers
// where the trajectory is, and looks for δ about the start of the model if that does not help.
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/problem/scattered.hpp>
#include <taut/problem/tiers.hpp>

#include <memory>
#include <utility>

namespace taut {

template <class T>
class FormulaMap {
 public:
  using Along = Dual<T, 1>;
  using Twice = Dual<Along, 1>;

  explicit FormulaMap(const FormulaSystem& system)
      : value_(system.phi),
        first_(system.phi),
        second_(system.phi),
        start_(static_cast<Eigen::Index>(system.delta.size())) {
    for (Eigen::Index i = 0; i < start_.size(); ++i)
      start_[i] = static_cast<double>(system.delta[static_cast<std::size_t>(i)]);
    near_ = start_;
  }

  int parameters() const { return static_cast<int>(start_.size()); }
  void operator()(const Vector<T, dynamic>& delta, Vector<T, dynamic>& q) const { run(value_, delta, q); }
  void operator()(const Vector<Along, dynamic>& delta, Vector<Along, dynamic>& q) const {
    run(first_, delta, q);
  }
  void operator()(const Vector<Twice, dynamic>& delta, Vector<Twice, dynamic>& q) const {
    run(second_, delta, q);
  }

  const Vector<double, dynamic>& near(const Vector<double, dynamic>&) const { return near_; }
  void remember(const Vector<T, dynamic>& delta) {
    for (Eigen::Index i = 0; i < delta.size(); ++i) near_[i] = lane(delta[i], 0);
    searched_ = 0;
  }
  // Proposes another point to begin from: the start of the model, then points about it.
  bool search(const Vector<double, dynamic>&) {
    if (searched_ == most_searched) return false;
    const double distance = searched_ == 0 ? 0 : searched_ % 2 == 1 ? 1 : 3.2;
    Scattered random(static_cast<std::uint32_t>(searched_));
    for (Eigen::Index i = 0; i < near_.size(); ++i) near_[i] = start_[i] + distance * random.next();
    ++searched_;
    return true;
  }
  template <class Carry>
  void carry(Carry& c) {
    c(near_);
  }

 private:
  static constexpr int most_searched = 32;
  template <class U>
  static void run(const Evaluator<U>& f, const Vector<U, dynamic>& delta, Vector<U, dynamic>& q) {
    f(delta.data(), nullptr, nullptr, q.data());
  }

  Evaluator<T> value_;
  Evaluator<Along> first_;
  Evaluator<Twice> second_;
  Vector<double, dynamic> start_, near_;
  int searched_ = 0;
};

}  // namespace taut
