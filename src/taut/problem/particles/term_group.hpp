// Many terms of one kind: the same small function of a few particles' coordinates and of a few numbers, for a
// list of terms. Terms are worked on in batches. Coordinates lie component by component: q[a * particles + i]
// is component a of particle i.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/problem/particles/particle_system.hpp>
#include <taut/scalar/batch.hpp>

#include <array>
#include <memory>
#include <vector>

namespace taut {

// A group on one scalar. The evaluator keeps its registers: one per thread.
template <class T, class Kernel>
class TermEvaluator {
 public:
  using Code = typename Kernel::Code;
  using S = Batch<T>;

  TermEvaluator(std::shared_ptr<const TermGroup<Code>> group, int dimension, int particles)
      : group_(std::move(group)), d_(dimension), n_(particles) {
    if (group_->value) value_ = Evaluator(group_->value);
    if (group_->gradient) gradient_ = Evaluator(group_->gradient);
  }

  const TermGroup<Code>& group() const { return *group_; }

  // Calls use(k, f) for the batch of terms that begins at k. If `shared`, all threads take part, each with
  // its own batches.
  template <bool shared = false, class Use>
  void values(const T* q, Use&& use) const {
    each_range<shared>([&](int from, int to) {
      const Own value(value_, to - from < group_->size());
      std::array<S, most_term_coordinates> x;
      std::array<S, most_term_numbers> c;
      for (int k = from; k < to; k += batch_lanes<T>) {
        if (group_->rods) {
          use(k, rod(q, k));
          continue;
        }
        load(q, k, x.data(), c.data());
        S f;
        value(x.data(), c.data(), &f);
        use(k, f);
      }
    });
  }
  // Calls use(k, slopes); entry place * dimension + a is component a at that place.
  template <bool shared = false, class Use>
  void gradients(const T* q, Use&& use) const {
    each_range<shared>([&](int from, int to) {
      const Own gradient(gradient_, to - from < group_->size());
      std::array<S, most_term_coordinates> x, slope;
      std::array<S, most_term_numbers> c;
      for (int k = from; k < to; k += batch_lanes<T>) {
        if (group_->rods) {
          rod_slopes(q, k, slope.data());
        } else {
          load(q, k, x.data(), c.data());
          gradient(x.data(), c.data(), slope.data());
        }
        use(k, slope.data());
      }
    });
  }
  // Calls use(k, place, slopes) for term k, with the derivative by component a of the particle at that place
  // as tangent a. It is for dual numbers.
  template <class Use>
  void curvatures(const T* q, Use&& use) const {
    std::array<S, most_term_coordinates> x, slope;
    std::array<S, most_term_numbers> c;
    for (int k = 0; k < group_->size(); ++k) {
      load(q, k, x.data(), c.data());
      for (int place = 0; place < group_->places(); ++place) {
        for (int a = 0; a < d_; ++a) x[place * d_ + a].tangent[a] = 1;
        gradient_(x.data(), c.data(), nullptr, slope.data());
        for (int a = 0; a < d_; ++a) x[place * d_ + a].tangent[a] = 0;
        use(k, place, slope.data());
      }
    }
  }

 private:
  using Evaluator = typename Kernel::template On<S>;

  // An evaluator for one thread, because it keeps registers.
  struct Own {
    Own(const Evaluator& all, bool part) : copy(part ? all : Evaluator()), use(part ? copy : all) {}
    void operator()(const S* x, const S* c, S* out) const { use(x, c, nullptr, out); }
    Evaluator copy;
    const Evaluator& use;
  };
  template <bool shared, class F>
  void each_range(F&& f) const {
    if (shared)
      in_ranges(group_->size(), batch_size, worth_a_thread / 2, f);
    else
      f(0, group_->size());
  }

  S number(std::size_t which, int k) const {
    const double* from = group_->number[which].data() + k;
    if constexpr (batch_lanes<T> == 1)
      return S(*from);
    else
      return load_batch(from);
  }
  void load(const T* q, int k, S* x, S* c) const {
    for (const Places& p : group_->particle)
      for (int a = 0; a < d_; ++a) *x++ = p.gather(q + a * n_, k);
    for (std::size_t j = 0; j < group_->number.size(); ++j) *c++ = number(j, k);
  }
  S difference(const T* q, int a, int k) const {
    return group_->particle[0].gather(q + a * n_, k) - group_->particle[1].gather(q + a * n_, k);
  }
  S rod(const T* q, int k) const {
    S sum(0);
    for (int a = 0; a < d_; ++a) {
      const S r = difference(q, a, k);
      sum += r * r;
    }
    const S length = number(0, k);
    return (sum - length * length) / S(2);
  }
  void rod_slopes(const T* q, int k, S* slope) const {
    for (int a = 0; a < d_; ++a) {
      slope[a] = difference(q, a, k);
      slope[d_ + a] = -slope[a];
    }
  }

  std::shared_ptr<const TermGroup<Code>> group_;
  int d_, n_;
  Evaluator value_, gradient_;
};

}  // namespace taut
