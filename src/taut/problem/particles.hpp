// Point masses in one to three dimensions, any number of them, with groups of constraints and of potentials (term_group.hpp), pair potentials with
// a cutoff (pair_potential.hpp), and G grouped as the constraints are. H = Σ |pᵢ|²/2mᵢ + V(q). Coordinates lie component by component, as do
// momenta: q[a * count + i] is component a of particle i.
#pragma once

#include <taut/problem/grouped_jacobian.hpp>
#include <taut/problem/pair_potential.hpp>
#include <taut/problem/term_group.hpp>
#include <taut/problem/tiers.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace taut {

// What all copies and casts of a problem share.
template <class Code>
struct ParticleSystem {
  int dimension = 3, count = 0;
  std::vector<double> mass;  // of each particle
  std::vector<std::shared_ptr<const TermGroup<Code>>> constraints, potentials;
  std::vector<std::shared_ptr<const PairGroup<Code>>> pairs;
  std::vector<double> q, p;  // the start
  std::shared_ptr<const GroupedRows> rows;

  int coordinates() const { return dimension * count; }

  // After the constraints are there.
  void make_rows() {
    auto made = std::make_shared<GroupedRows>();
    for (const auto& group : constraints) {
      std::vector<std::vector<int>> column;
      for (const Places& particle : group->particle)
        for (int a = 0; a < dimension; ++a) {
          column.emplace_back(group->size());
          for (int k = 0; k < group->size(); ++k) column.back()[k] = a * count + particle[k];
        }
      made->add(column, group->rods);
    }
    rows = std::move(made);
  }
};

template <class T, class Kernel>
class Particles : public Shape<T, dynamic, dynamic, GroupedJacobian<T>> {
 public:
  using Base = Shape<T, dynamic, dynamic, GroupedJacobian<T>>;
  using typename Base::Jacobian;
  using typename Base::Multiplier;
  using typename Base::Point;
  using typename Base::Vec;
  using System = ParticleSystem<typename Kernel::Code>;

  // least_squares: constraints that depend on others are left to them, and of all multipliers the shortest are taken.
  explicit Particles(std::shared_ptr<const System> system, bool least_squares = false)
      : system_(std::move(system)), mass_{Vec(system_->coordinates())}, least_squares_(least_squares) {
    for (int a = 0; a < system_->dimension; ++a)
      for (int i = 0; i < system_->count; ++i)
        mass_.inverse[a * system_->count + i] = T(1) / T(system_->mass[i]);
    for (const auto& group : system_->constraints)
      constraints_.emplace_back(group, system_->dimension, system_->count);
    for (const auto& group : system_->potentials)
      potentials_.emplace_back(group, system_->dimension, system_->count);
    for (const auto& group : system_->pairs) pairs_.emplace_back(group, system_->dimension, system_->count);
  }

  int coordinates() const { return system_->coordinates(); }
  bool least_squares() const { return least_squares_; }
  int dimension() const { return system_->dimension; }
  int constraints() const { return system_->rows->rows; }
  // Of all constraints; empty where one of them is no rod.
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

  // V in two parts: what is not called slow is fast.
  bool split() const {
    const auto slow = [](const auto& group) { return group->slow; };
    return std::any_of(system_->potentials.begin(), system_->potentials.end(), slow) ||
           std::any_of(system_->pairs.begin(), system_->pairs.end(), slow);
  }

  T V(const Vec& q) const { return value(q, true, true); }
  T V_fast(const Vec& q) const { return value(q, true, false); }
  void grad_V(const Vec& q, Vec& out) const { gradient(q, out, true, true); }
  void grad_V_fast(const Vec& q, Vec& out) const { gradient(q, out, true, false); }
  void grad_V_slow(const Vec& q, Vec& out) const { gradient(q, out, false, true); }

  // Out of line: see sparse_gram.hpp.
  [[gnu::noinline]] void g(const Vec& q, Multiplier& out) const {
    T* to = out.data();
    for (const auto& terms : constraints_) {
      const int size = terms.group().size();
      terms.template values<true>(q.data(),
                                  [&](int k, const Batch<T>& f) { store_batch(to + k, f, size - k); });
      to += size;
    }
  }
  [[gnu::noinline]] void G(const Vec& q, Jacobian& out) const {
    std::size_t which = 0;
    for (const auto& terms : constraints_) {
      const RowGroup& rows = out.groups()[which++];
      terms.template gradients<true>(q.data(), [&](int k, const Batch<T>* slope) {
        T* to = out.entries.data() + rows.first_entry + k;
        for (int e = 0; e < rows.size; ++e) store_batch(to + e * rows.stride, slope[e], rows.rows - k);
      });
    }
  }

  Point start() const {
    Point x{Vec(coordinates()), Vec(coordinates())};
    for (int j = 0; j < coordinates(); ++j) {
      x.q[j] = T(system_->q[j]);
      x.p[j] = T(system_->p[j]);
    }
    return x;
  }

  // "rod 4-5": particles are counted from 0, as in a model file.
  std::string constraint_name(int k) const {
    for (const auto& group : system_->constraints) {
      if (k >= group->size()) {
        k -= group->size();
        continue;
      }
      std::string name = group->what + " ";
      for (const Places& particle : group->particle) {
        if (&particle != &group->particle.front()) name += "-";
        name += std::to_string(particle[k]);
      }
      return name;
    }
    return "constraint " + std::to_string(k + 1);
  }

  template <class U>
  Particles<U, Kernel> cast() const {
    return Particles<U, Kernel>(system_, least_squares_);
  }

 private:
  [[gnu::noinline]] T value(const Vec& q, bool fast, bool slow) const {
    T sum(0);
    for (const auto& terms : potentials_)
      if (terms.group().slow ? slow : fast)
        terms.values(q.data(), [&](int k, const Batch<T>& f) {
          for (int i = 0; i < terms.group().particle.front().template lanes<T>(k); ++i) sum += lane_of(f, i);
        });
    for (const auto& pair : pairs_)
      if (pair.group().slow ? slow : fast) sum += pair.value(q.data());
    return sum;
  }
  [[gnu::noinline]] void gradient(const Vec& q, Vec& out, bool fast, bool slow) const {
    out.setZero();
    for (const auto& terms : potentials_)
      if (terms.group().slow ? slow : fast)
        terms.gradients(q.data(), [&](int k, const Batch<T>* slope) {
          for (const Places& particle : terms.group().particle)
            for (int a = 0; a < system_->dimension; ++a)
              particle.add(out.data() + a * system_->count, k, *slope++);
        });
    for (const auto& pair : pairs_)
      if (pair.group().slow ? slow : fast) pair.add_gradient(q.data(), out.data());
  }

  std::shared_ptr<const System> system_;
  DiagonalMass<T, dynamic> mass_;
  bool least_squares_;
  std::vector<TermEvaluator<T, Kernel>> constraints_, potentials_;
  std::vector<PairEvaluator<T, Kernel>> pairs_;
};

}  // namespace taut
