// Where eight clusters have their members (particles, rods) in an array. Those that stand in order are read and written with whole registers.
#pragma once

#include <taut/scalar/apart.hpp>

#include <array>
#include <vector>

namespace taut {

using EightPlaces = std::array<int, batch_size>;

// At most `most` members; how many there are, their owner knows.
template <int most>
class ClusterStand {
 public:
  using S = Batch<double>;
  ClusterStand() = default;

  // at[j][lane], of which the first `lanes` are to be written. Places that follow no order are kept in `lists`. `blocks`: their number is known to the
  // compiler wherever they are loaded.
  ClusterStand(std::vector<int>& lists, const EightPlaces* at, int count, int lanes, bool blocks) {
    bool runs = lanes == batch_size, block = runs && blocks;
    for (int j = 0; j < count; ++j)
      for (int lane = 0; lane < batch_size; ++lane) {
        runs = runs && at[j][lane] == at[j][0] + lane;
        block = block && at[j][lane] == at[0][0] + count * lane + j;
      }
    order_ = runs ? Order::runs : block ? Order::block : Order::none;
    for (int j = 0; j < count; ++j) {
      first_[j] = ordered() ? at[j][0] : static_cast<int>(lists.size());
      if (!ordered()) lists.insert(lists.end(), at[j].begin(), at[j].end());
    }
  }

  // Of a copy that `gather` makes.
  static ClusterStand of_copy() {
    ClusterStand copy;
    copy.order_ = Order::runs;
    for (int j = 0; j < most; ++j) copy.first_[j] = j * batch_size;
    return copy;
  }

  bool ordered() const { return order_ != Order::none; }

  // x[j] ← member j of the eight, which stand in order
  template <class Count>
  void load(Count count, const double* from, S* x) const {
    if constexpr (is_known<Count>)
      if (order_ == Order::block) return load_apart<Count::value>(from + first_[0], x);
    each(Known<0>{}, count, [&](auto j) { x[j] = load_batch(from + first_[j]); });
  }
  template <class Count>
  void store(Count count, const S* x, double* to) const {
    if constexpr (is_known<Count>)
      if (order_ == Order::block) return store_apart<Count::value>(to + first_[0], x);
    each(Known<0>{}, count, [&](auto j) { store_batch(to + first_[j], x[j]); });
  }

  // member j of the eight, wherever they stand
  S one(const std::vector<int>& lists, int count, int j, const double* from) const {
    if (order_ == Order::runs) return load_batch(from + first_[j]);
    alignas(64) double copy[batch_size];
    for (int i = 0; i < batch_size; ++i) copy[i] = from[place(lists, count, j, i)];
    return load_batch(copy);
  }
  // copy[j * 8 + lane] ← member j, wherever they stand, and back
  void gather(const std::vector<int>& lists, int count, const double* from, double* copy) const {
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < batch_size; ++i) copy[j * batch_size + i] = from[place(lists, count, j, i)];
  }
  void scatter(const std::vector<int>& lists, int count, const double* copy, double* to, int lanes) const {
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < lanes; ++i) to[place(lists, count, j, i)] = copy[j * batch_size + i];
  }

 private:
  // runs: those of the eight follow each other, for each member. block: the members of a cluster do, and cluster follows cluster.
  enum class Order { runs, block, none };

  int place(const std::vector<int>& lists, int count, int j, int lane) const {
    if (order_ == Order::runs) return first_[j] + lane;
    if (order_ == Order::block) return first_[0] + count * lane + j;
    return lists[static_cast<std::size_t>(first_[j]) + static_cast<std::size_t>(lane)];
  }

  Order order_ = Order::none;
  std::array<int, most> first_{};  // place in lane 0, or of a list of eight
};

}  // namespace taut
