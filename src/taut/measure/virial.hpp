// The share that each table of potentials has in V(q) and in the virial Σ x_a f_b of its forces. The virial
// gives the pressure of particles in a periodic box: scaling all positions and the box by s changes V at the
// rate -Σ x·f. In a box every pair counts with its nearest image, which Σ over particles of x·f would miss.
// Terms of bonded particles count from their first one, so that only fields know an origin.
#pragma once

#include <taut/problem/particles/particles.hpp>

#include <array>
#include <vector>

namespace taut {

template <class T>
struct PotentialPart {
  T energy = T(0);
  std::array<T, 9> virial{};  // entry 3 a + b is Σ x_a f_b
};

namespace virial_detail {

template <class T, class Kernel>
PotentialPart<T> part_of(const TermEvaluator<T, Kernel>& terms, int d, int n, const T* q) {
  PotentialPart<T> part;
  const std::vector<Places>& particle = terms.group().particle;
  terms.values(q, [&](int k, const Batch<T>& u) {
    for (int i = 0; i < particle.front().template lanes<T>(k); ++i) part.energy += lane_of(u, i);
  });
  terms.gradients(q, [&](int k, const Batch<T>* slope) {
    for (std::size_t place = particle.size() > 1 ? 1 : 0; place < particle.size(); ++place)
      for (int a = 0; a < d; ++a) {
        Batch<T> x = particle[place].gather(q + a * n, k);
        if (place > 0) x -= particle[0].gather(q + a * n, k);
        for (int b = 0; b < d; ++b) {
          const Batch<T> product = x * slope[place * d + b];
          for (int i = 0; i < particle.front().template lanes<T>(k); ++i)
            part.virial[3 * a + b] -= lane_of(product, i);
        }
      }
  });
  return part;
}

}  // namespace virial_detail

// Returns first the tables of terms, then those of pairs, each in the order of the system.
template <class T, class Kernel>
std::vector<PotentialPart<T>> parts_of_V(const Particles<T, Kernel>& s,
                                         const typename Particles<T, Kernel>::Vec& q) {
  const auto& system = *s.system();
  std::vector<PotentialPart<T>> parts;
  for (const auto& group : system.potentials)
    parts.push_back(virial_detail::part_of(TermEvaluator<T, Kernel>(group, system.dimension, system.count),
                                           system.dimension, system.count, q.data()));
  for (const PairEvaluator<T, Kernel>& pairs : s.pairs()) {
    parts.emplace_back().energy = pairs.value(q.data());
    pairs.add_virial(q.data(), parts.back().virial);
  }
  return parts;
}

}  // namespace taut
