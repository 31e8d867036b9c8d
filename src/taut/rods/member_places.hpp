// The places in an array at which eight clusters of one shape have their members, particles or rods. They
// lie at equal distances, one cluster after the other. If the members of each cluster also lie side by side,
// whole registers are read and written.
#pragma once

#include <taut/rods/cluster_shape.hpp>
#include <taut/scalar/apart.hpp>

#include <array>
#include <vector>

namespace taut {

// The places of `lanes` clusters, which are eight or the last few. The owner knows how many members each has.
// Lanes without a cluster repeat the first one, and are not written.
template <int most>
class MemberPlaces {
 public:
  using S = Batch<double>;
  MemberPlaces() = default;

  // `members` says which list of the clusters is meant. known: the compiler knows how many members each has.
  MemberPlaces(const RodCluster* clusters, int lanes, std::vector<int> RodCluster::* members, bool known)
      : lanes_(lanes) {
    const std::vector<int>& list = clusters[0].*members;
    const int count = static_cast<int>(list.size());
    stride_ = lanes > 1 ? (clusters[1].*members)[0] - list[0] : 0;
    bool side_by_side = stride_ == count;
    for (int j = 0; j < count; ++j) {
      first_[j] = list[j];
      side_by_side = side_by_side && list[j] == list[0] + j;
    }
    if (lanes == batch_size && stride_ == 1) way_ = Way::member_by_member;
    if (lanes == batch_size && known && side_by_side) way_ = Way::cluster_by_cluster;
  }

  // Reads member j of the eight clusters into x[j].
  template <class Count>
  void load(Count count, const double* from, S* x) const {
    if constexpr (is_known<Count>)
      if (way_ == Way::cluster_by_cluster) return load_apart<Count::value>(from + first_[0], x);
    if (way_ == Way::member_by_member)
      return each(Known<0>{}, count, [&](auto j) { x[j] = load_batch(from + first_[j]); });
    Copy copy{};
    gather(count, from, copy);
    each(Known<0>{}, count, [&](auto j) { x[j] = load_batch(copy.number[j]); });
  }
  template <class Count>
  void store(Count count, const S* x, double* to) const {
    if constexpr (is_known<Count>)
      if (way_ == Way::cluster_by_cluster) return store_apart<Count::value>(to + first_[0], x);
    if (way_ == Way::member_by_member)
      return each(Known<0>{}, count, [&](auto j) { store_batch(to + first_[j], x[j]); });
    Copy copy{};
    each(Known<0>{}, count, [&](auto j) { store_batch(copy.number[j], x[j]); });
    scatter(count, copy, to);
  }

 private:
  enum class Way { member_by_member, cluster_by_cluster, one_by_one };
  struct alignas(64) Copy {
    double number[most][batch_size];
  };
  [[gnu::noinline]] void gather(int count, const double* from, Copy& copy) const {
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < batch_size; ++i)
        copy.number[j][i] = from[first_[j] + (i < lanes_ ? i * stride_ : 0)];
  }
  [[gnu::noinline]] void scatter(int count, const Copy& copy, double* to) const {
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < lanes_; ++i) to[first_[j] + i * stride_] = copy.number[j][i];
  }

  Way way_ = Way::one_by_one;
  int lanes_ = 0, stride_ = 0;
  std::array<int, most> first_{};  // the places of the first cluster's members
};

// Says whether in every eight clusters that are solved side by side this list lies at equal distances.
inline bool equally_spaced(const std::vector<RodCluster>& clusters, std::vector<int> RodCluster::* list) {
  for (std::size_t c = 1; c < clusters.size(); ++c) {
    const std::size_t first = c / batch_size * batch_size;
    if (c == first) continue;
    const auto &here = clusters[c].*list, &before = clusters[c - 1].*list;
    const int stride = (clusters[first + 1].*list)[0] - (clusters[first].*list)[0];
    for (std::size_t j = 0; j < here.size(); ++j)
      if (here[j] != before[j] + stride) return false;
  }
  return true;
}

}  // namespace taut
