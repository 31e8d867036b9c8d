#include <taut/rods/member_places.hpp>
#include <taut/rods/plan.hpp>
#include <taut/solve/matrix/chain_factor.hpp>

#include <map>
#include <numeric>
#include <span>

namespace taut {

namespace {

// A chain as it is found: its rods and its particles from one end to the other.
struct FoundChain {
  std::vector<int> rods, particles;
};

// Lists for each particle the rods that hold it, in ascending order.
class RodsAt {
 public:
  explicit RodsAt(const RodList& list) : begin_(list.particles + 1, 0), rods_(2 * list.size()) {
    each_end(list, [&](int particle, int) { ++begin_[particle + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    each_end(list, [&](int particle, int rod) { rods_[next[particle]++] = rod; });
  }
  std::span<const int> operator[](int particle) const {
    return std::span(rods_).subspan(begin_[particle], begin_[particle + 1] - begin_[particle]);
  }

 private:
  template <class F>
  static void each_end(const RodList& list, F&& f) {
    for (int k = 0; k < list.size(); ++k) {
      f(list.first[k], k);
      f(list.second[k], k);
    }
  }
  std::vector<int> begin_, rods_;
};

// Finds the connected sets of rods, ordered by their first rod; the rods in each are in ascending order.
std::vector<std::vector<int>> components(const RodList& list, const RodsAt& at) {
  std::vector<std::vector<int>> all;
  std::vector<bool> seen(list.size(), false);
  for (int start = 0; start < list.size(); ++start) {
    if (seen[start]) continue;
    std::vector<int> rods{start};
    seen[start] = true;
    for (std::size_t n = 0; n < rods.size(); ++n)
      for (const int particle : {list.first[rods[n]], list.second[rods[n]]})
        for (const int other : at[particle])
          if (!seen[other]) {
            seen[other] = true;
            rods.push_back(other);
          }
    std::sort(rods.begin(), rods.end());
    all.push_back(std::move(rods));
  }
  return all;
}

// Follows the rods of a component from one end to the other, beginning with the end whose rod comes first in
// the list. The result is empty if the component is no chain.
FoundChain chain_of(const RodList& list, const RodsAt& at, const std::vector<int>& rods) {
  int end = -1, ends = 0;
  for (const int rod : rods)
    for (const int particle : {list.first[rod], list.second[rod]}) {
      if (at[particle].size() > 2) return {};
      if (at[particle].size() == 1) {
        ++ends;
        if (end < 0) end = particle;
      }
    }
  if (ends != 2) return {};
  FoundChain chain{{}, {end}};
  for (int rod = at[end].front();;) {
    const int here = chain.particles.back();
    const int next = list.first[rod] == here ? list.second[rod] : list.first[rod];
    chain.rods.push_back(rod);
    chain.particles.push_back(next);
    if (at[next].size() == 1) return chain;
    rod = at[next][at[next].front() == rod ? 1 : 0];
  }
}

bool consecutive(const std::vector<int>& numbers) {
  for (std::size_t k = 1; k < numbers.size(); ++k)
    if (numbers[k] != numbers[k - 1] + 1) return false;
  return true;
}

class Planner {
 public:
  explicit Planner(RodList rods) { plan_.rods = std::move(rods); }

  std::shared_ptr<const RodPlan> plan() {
    plan_.serves = find_parts();
    if (plan_.serves) {
      if (!particles_lie_in_order()) renumber_particles();
      if (!rods_lie_in_order()) renumber_rods();
      for (const FoundChain& chain : chains_)
        plan_.chains.push_back(
            {chain.rods.front(), chain.particles.front(), static_cast<int>(chain.rods.size())});
      find_free_particles();
      find_lengths();
    }
    return std::make_shared<const RodPlan>(std::move(plan_));
  }

 private:
  using List = std::vector<int>;

  // Returns false if some component is neither a chain nor a cluster.
  bool find_parts() {
    if (plan_.rods.size() == 0 || plan_.rods.dimension < 2 || plan_.rods.dimension > 3) return false;
    const RodsAt at(plan_.rods);
    std::map<List, std::vector<RodCluster>> of_shape;
    for (List& rods : components(plan_.rods, at)) {
      if (static_cast<int>(rods.size()) <= largest_cluster) {
        RodCluster cluster(plan_.rods, std::move(rods));
        auto& alike = of_shape[cluster.shape];
        alike.push_back(std::move(cluster));
        continue;
      }
      if (static_cast<int>(rods.size()) < ChainCut::least_rows) return false;
      chains_.push_back(chain_of(plan_.rods, at, rods));
      if (chains_.back().rods.empty()) return false;
    }
    for (auto& [shape, clusters] : of_shape) {
      std::sort(clusters.begin(), clusters.end(), [](const RodCluster& x, const RodCluster& y) {
        return x.members.front() < y.members.front();
      });
      plan_.clusters.push_back(std::move(clusters));
    }
    return true;
  }

  // Says whether this list of every chain is consecutive, and whether that of eight clusters side by side
  // lies at equal distances.
  bool lie_in_order(List FoundChain::* of_chain, List RodCluster::* of_cluster) const {
    return std::all_of(chains_.begin(), chains_.end(),
                       [&](const FoundChain& chain) { return consecutive(chain.*of_chain); }) &&
           std::all_of(plan_.clusters.begin(), plan_.clusters.end(),
                       [&](const auto& clusters) { return equally_spaced(clusters, of_cluster); });
  }
  bool particles_lie_in_order() const { return lie_in_order(&FoundChain::particles, &RodCluster::members); }
  bool rods_lie_in_order() const { return lie_in_order(&FoundChain::rods, &RodCluster::rods); }

  // Gives the caller's numbers in the order of the solver: chains, then clusters, then those in neither, and
  // changes the lists of chains and clusters accordingly.
  List renumber(int count, List FoundChain::* of_chain, List RodCluster::* of_cluster) {
    List caller, own(count, -1);
    const auto take = [&](List& list) {
      for (int& number : list) {
        own[number] = static_cast<int>(caller.size());
        caller.push_back(number);
        number = own[number];
      }
    };
    for (FoundChain& chain : chains_) take(chain.*of_chain);
    for (auto& clusters : plan_.clusters)
      for (RodCluster& cluster : clusters) take(cluster.*of_cluster);
    for (int number = 0; number < count; ++number)
      if (own[number] < 0) caller.push_back(number);
    return caller;
  }
  template <class T>
  static void permute(std::vector<T>& list, const List& caller) {
    std::vector<T> own(list.size());
    for (std::size_t k = 0; k < list.size(); ++k) own[k] = list[caller[k]];
    list = std::move(own);
  }
  void renumber_particles() {
    plan_.particle_of = renumber(plan_.rods.particles, &FoundChain::particles, &RodCluster::members);
    permute(plan_.rods.weight, plan_.particle_of);
    List own(plan_.particle_of.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[plan_.particle_of[i]] = static_cast<int>(i);
    for (List* ends : {&plan_.rods.first, &plan_.rods.second})
      for (int& particle : *ends) particle = own[particle];
  }
  void renumber_rods() {
    plan_.rod_of = renumber(plan_.rods.size(), &FoundChain::rods, &RodCluster::rods);
    permute(plan_.rods.first, plan_.rod_of);
    permute(plan_.rods.second, plan_.rod_of);
    permute(plan_.rods.length, plan_.rod_of);
  }

  void find_free_particles() {
    std::vector<bool> held(plan_.rods.particles, false);
    for (int k = 0; k < plan_.rods.size(); ++k) held[plan_.rods.first[k]] = held[plan_.rods.second[k]] = true;
    for (int i = 0; i < plan_.rods.particles; ++i) {
      if (held[i]) continue;
      if (i == 0 || held[i - 1]) plan_.free.emplace_back(i, i);
      plan_.free.back().second = i + 1;
    }
  }
  void find_lengths() {
    for (const double length : plan_.rods.length) {
      plan_.shortest = std::min(plan_.shortest, length);
      plan_.longest = std::max(plan_.longest, length);
    }
  }

  RodPlan plan_;
  std::vector<FoundChain> chains_;
};

}  // namespace

std::shared_ptr<const RodPlan> plan_rods(RodList rods) { return Planner(std::move(rods)).plan(); }
bool serves(const RodPlan& plan) { return plan.serves; }

}  // namespace taut
