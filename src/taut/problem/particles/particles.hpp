// Point masses in one to three dimensions, any number of them, with groups of constraints and of potentials
// (term_group.hpp), pair potentials with a cutoff (pair_potential.hpp), and G grouped as the constraints are.
// H = Σ |pᵢ|²/2mᵢ + V(q). Coordinates and momenta lie component by component: q[a * count + i] is component a
// of particle i.
#pragma once

#include <taut/problem/gradient_count.hpp>
#include <taut/problem/particles/grouped_jacobian.hpp>
#include <taut/problem/particles/pair_potential.hpp>
#include <taut/problem/particles/particle_system.hpp>
#include <taut/problem/particles/term_group.hpp>
#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace taut {

template <class Code>
std::shared_ptr<const GroupedRows> ParticleSystem<Code>::rows_of(const Groups& groups) const {
  auto made = std::make_shared<GroupedRows>();
  for (const auto& group : groups) {
    std::vector<std::vector<int>> column;
    for (const Places& particle : group->particle)
      for (int a = 0; a < dimension; ++a) {
        column.emplace_back(group->size());
        for (int k = 0; k < group->size(); ++k) column.back()[k] = a * count + particle[k];
      }
    made->add(column, group->rods);
  }
  return made;
}

template <class T, class Kernel>
class Particles : public Shape<T, dynamic, dynamic, GroupedJacobian<T>>, public GradientCount {
 public:
  using Base = Shape<T, dynamic, dynamic, GroupedJacobian<T>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Point;
  using typename Base::Vec;
  using System = ParticleSystem<typename Kernel::Code>;

  // If least_squares is true, constraints that depend on others are left to them, and the shortest
  // multipliers are taken.
  explicit Particles(std::shared_ptr<const System> system, bool least_squares = false)
      : system_(std::move(system)), mass_{Vec(system_->coordinates())}, least_squares_(least_squares) {
    for (int a = 0; a < system_->dimension; ++a)
      for (int i = 0; i < system_->count; ++i)
        mass_.inverse[a * system_->count + i] = T(1) / T(system_->mass[i]);
    constraints_ = evaluators(system_->constraints);
    for (const bool slow : {false, true}) potentials_[slow].terms = evaluators(system_->potentials_of(slow));
    for (const auto& group : system_->pairs) pairs_.emplace_back(group, system_->dimension, system_->count);
  }

  int coordinates() const { return system_->coordinates(); }
  bool least_squares() const { return least_squares_; }
  int dimension() const { return system_->dimension; }
  int constraints() const { return system_->rows->rows; }
  // Returns the lengths of all constraints; none if one of them is not a rod.
  std::vector<double> rod_lengths() const {
    std::vector<double> lengths;
    for (const auto& group : system_->constraints) {
      if (!group->rods) return {};
      lengths.insert(lengths.end(), group->number[0].begin(), group->number[0].begin() + group->size());
    }
    return lengths;
  }
  Jacobian make_jacobian() const { return Jacobian(system_->rows); }
  const DiagonalMass<T, dynamic>& W() const { return mass_; }
  const std::shared_ptr<const System>& system() const { return system_; }

  // Asks whether V has two parts; a term that is not called slow is fast.
  bool split() const {
    const auto slow = [](const auto& group) { return group->slow; };
    return std::any_of(system_->potentials.begin(), system_->potentials.end(), slow) ||
           std::any_of(system_->pairs.begin(), system_->pairs.end(), slow);
  }

  T V(const Vec& q) const { return value(q, true, true); }
  T V_fast(const Vec& q) const { return value(q, true, false); }
  void grad_V(const Vec& q, Vec& out) const {
    count_gradient();
    gradient(q, out, true, true);
  }
  void grad_V_fast(const Vec& q, Vec& out) const {
    count_gradient();
    gradient(q, out, true, false);
  }
  void grad_V_slow(const Vec& q, Vec& out) const {
    count_gradient();
    gradient(q, out, false, true);
  }

  // Calls entry(i, j, x) with second derivatives of V_fast, to be added up. T are dual numbers with a tangent
  // for each direction of space.
  template <class Entry>
  void curvature_fast(const Vec& q, Entry&& entry) const {
    const int d = system_->dimension, count = system_->count;
    for (const auto& terms : potentials_[0].terms)
      terms.curvatures(q.data(), [&](int k, int place, const T* slope) {
        const auto& particle = terms.group().particle;
        for (std::size_t other = 0; other < particle.size(); ++other)
          for (int b = 0; b < d; ++b, ++slope)
            for (int a = 0; a < d; ++a)
              entry(b * count + particle[other][k], a * count + particle[place][k], slope->tangent[a]);
      });
    for (const auto& pair : pairs_)
      if (!pair.group().slow)
        pair.curvatures(q.data(), [&](int i, int j, int a, int b, double x) {
          entry(a * count + i, b * count + i, x);
          entry(a * count + j, b * count + j, x);
          entry(a * count + i, b * count + j, -x);
          entry(a * count + j, b * count + i, -x);
        });
  }

  void g(const Vec& q, Multiplier& out) const { values(constraints_, q, out); }
  void G(const Vec& q, Jacobian& out) const { slopes(constraints_, q, out); }

  Point start() const {
    Point x{Vec(coordinates()), Vec(coordinates())};
    for (int j = 0; j < coordinates(); ++j) {
      x.q[j] = T(system_->q[j]);
      x.p[j] = T(system_->p[j]);
    }
    return x;
  }

  // Returns the pair evaluators in the order of the system; each keeps its list of pairs.
  const std::vector<PairEvaluator<T, Kernel>>& pairs() const { return pairs_; }

  // Returns a name such as "rod 4-5": particles are counted from 0, as in a model file.
  std::string constraint_name(int k) const {
    for (const auto& group : system_->constraints) {
      if (k >= group->size()) {
        k -= group->size();
        continue;
      }
      return group->what + " " + group->particles_of(k);
    }
    return "constraint " + std::to_string(k + 1);
  }

  template <class U>
  Particles<U, Kernel> cast() const {
    return Particles<U, Kernel>(system_, least_squares_);
  }

 private:
  using Terms = std::vector<TermEvaluator<T, Kernel>>;

  // The potentials of one part of V. What they need beside the terms is made when it is first asked for.
  struct Part {
    Terms terms;
    mutable Multiplier value, minus_one;
    mutable std::optional<Jacobian> slope;  // a row for each term
  };

  Terms evaluators(const typename System::Groups& groups) const {
    Terms terms;
    for (const auto& group : groups) terms.emplace_back(group, system_->dimension, system_->count);
    return terms;
  }

  // Stays out of line: see sparse_gram.hpp.
  [[gnu::noinline]] static void values(const Terms& groups, const Vec& q, Multiplier& out) {
    T* to = out.data();
    for (const auto& terms : groups) {
      const int size = terms.group().size();
      terms.template values<true>(q.data(),
                                  [&](int k, const Batch<T>& f) { store_batch(to + k, f, size - k); });
      to += size;
    }
  }
  [[gnu::noinline]] static void slopes(const Terms& groups, const Vec& q, Jacobian& out) {
    std::size_t which = 0;
    for (const auto& terms : groups) {
      const RowGroup& rows = out.groups()[which++];
      terms.template gradients<true>(q.data(), [&](int k, const Batch<T>* slope) {
        T* to = out.entries.data() + rows.first_entry + k;
        for (int e = 0; e < rows.size; ++e) store_batch(to + e * rows.stride, slope[e], rows.rows - k);
      });
    }
  }

  // Sums the terms of V. Threads share the terms; they are added up in their order.
  [[gnu::noinline]] T value(const Vec& q, bool fast, bool slow) const {
    T sum(0);
    for (const bool which : {false, true}) {
      const Part& part = potentials_[which];
      if (!(which ? slow : fast) || part.terms.empty()) continue;
      part.value.resize(system_->slopes[which]->rows);
      values(part.terms, q, part.value);
      for (int k = 0; k < part.value.size(); ++k) sum += part.value[k];
    }
    for (const auto& pair : pairs_)
      if (pair.group().slow ? slow : fast) sum += pair.value(q.data());
    return sum;
  }
  // Writes the gradients of all terms as rows and sums the rows column by column, so that the bits are the
  // same for any number of threads.
  [[gnu::noinline]] void gradient(const Vec& q, Vec& out, bool fast, bool slow) const {
    out.setZero();
    for (const bool which : {false, true}) {
      const Part& part = potentials_[which];
      if (!(which ? slow : fast) || part.terms.empty()) continue;
      if (!part.slope) {
        part.slope.emplace(system_->slopes[which]);
        part.minus_one = Multiplier::Constant(part.slope->rows(), T(-1));
      }
      slopes(part.terms, q, *part.slope);
      part.slope->subtract_transpose(part.minus_one, out);
    }
    for (const auto& pair : pairs_)
      if (pair.group().slow ? slow : fast) pair.add_gradient(q.data(), out.data());
  }

  std::shared_ptr<const System> system_;
  DiagonalMass<T, dynamic> mass_;
  bool least_squares_;
  Terms constraints_;
  Part potentials_[2];  // fast, slow
  std::vector<PairEvaluator<T, Kernel>> pairs_;
};

}  // namespace taut
