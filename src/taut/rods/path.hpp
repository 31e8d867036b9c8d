// Where the rods of a chain stand: cut into pieces as in chain_factor.hpp, and in the lists of the system.
#pragma once

#include <taut/rods/rods.hpp>
#include <taut/solve/matrix/chain_factor.hpp>

#include <algorithm>
#include <vector>

namespace taut {

struct RodPath {
  ChainCut cut;
  const RodList& rods;
  const RodEntries& entries;
  int first, particle;   // the first rod, and the lower of its particles
  bool in_order;         // rods, their entries and particles follow each other in every list
  std::vector<int> row;  // of each slot; -1: none

  // path[k]: the rod at place k of the chain
  RodPath(const RodList& list, const RodEntries& where, const std::vector<int>& path)
      : cut(static_cast<int>(path.size())),
        rods(list),
        entries(where),
        first(path.front()),
        particle(std::min(list.first[first], list.second[first])),
        in_order(lies_in_order(path)),
        row(cut.slots(), -1) {
    for (int k = 0; k < cut.rows; ++k) row[cut.slot(k)] = path[k];
  }

  int at(int block, int t) const { return block * cut.length + t; }
  int place(int block, int lane, int t) const { return (block * batch_size + lane) * cut.length + t; }

  // For chains in order.
  int end() const { return first + cut.rows; }  // one past the last rod
  int lower(int rod) const { return particle + rod - first; }
  int first_row(int block) const { return first + place(block, 0, 0); }
  // One past the last of its particles: the last block has the end of the chain, too.
  int end_row(int block) const { return block + 1 < cut.blocks ? first_row(block + 1) : end() + 1; }

 private:
  bool lies_in_order(const std::vector<int>& path) const {
    for (int k = 0; k < cut.rows; ++k) {
      const int rod = path[k];
      if (rod != first + k || entries.first[rod] != entries.first[first] + k ||
          entries.stride[rod] != entries.stride[first] || rods.first[rod] != rods.first[first] + k ||
          rods.second[rod] != rods.second[first] + k)
        return false;
    }
    return true;
  }
};

// What elimination leaves of eight rows, divided by their pivots: δ_t = z - w δ(left separator) - v δ_{t+1}.
struct alignas(64) EliminatedRows {
  double v[batch_size], w[batch_size], z[batch_size];
};

// What is multiplied by this in the rods between is below rounding. (Z5)
inline constexpr double not_felt = epsilon<double>() / 256;

// Numbers of the pieces, read and written eight at a time.
using PieceNumbers = std::vector<double>;
inline void put_pieces(PieceNumbers& list, int piece, const Batch<double>& x) {
  store_batch(list.data() + piece, x);
}
// list[from … from + 7], 0 before the first
inline Batch<double> pieces_from(const PieceNumbers& list, int from) {
  if (from >= 0) return load_batch(list.data() + from);
  Batch<double> x(0);
  for (int i = 1; i < batch_size; ++i) x.set(i, list[i - 1]);
  return x;
}

}  // namespace taut
