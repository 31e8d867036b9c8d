// The places of the rods of a chain: in the lists of the system, and in the pieces into which
// chain_factor.hpp cuts it.
#pragma once

#include <taut/rods/plan.hpp>
#include <taut/solve/matrix/chain_factor.hpp>

#include <vector>

namespace taut {

struct ChainPath {
  ChainCut cut;
  const RodList& rods;
  int first, particle;  // the first rod, and the first particle

  ChainPath(const RodList& list, const ChainPlace& place)
      : cut(place.rods), rods(list), first(place.first_rod), particle(place.first_particle) {}

  // Gives the number of a batch among all of them: it has the rods at place t of the eight pieces of a block.
  int batch(int block, int t) const { return block * cut.length + t; }
  // Gives the place in the chain of the rod at place t of a piece.
  int place(int block, int lane, int t) const { return (block * batch_size + lane) * cut.length + t; }

  int end() const { return first + cut.rows; }                 // one past the last rod
  int lower(int rod) const { return particle + rod - first; }  // the rod joins this particle and the next one
  bool has(int place) const { return place >= 0 && place < cut.rows; }
  int first_rod(int block) const { return first + place(block, 0, 0); }
  // Gives one past the rods whose lower particles belong to a block; the last block has the end of the chain,
  // too.
  int end_rod(int block) const { return block + 1 < cut.blocks ? first_rod(block + 1) : end() + 1; }

  // These give C(k, k) and C(k, k+1) of the rods at places k and k+1 of the chain. A place without a rod is
  // coupled to nothing.
  double own_coupling(int k) const { return has(k) ? weight(k) + weight(k + 1) : 1.0; }
  double next_coupling(int k) const { return has(k) && has(k + 1) ? -weight(k + 1) : 0.0; }

 private:
  double weight(int k) const { return rods.weight[particle + k]; }
};

// What elimination leaves of eight rows, divided by their pivots: δ_t = z - w δ(left separator) - v δ_{t+1}.
struct alignas(64) EliminatedRows {
  double v[batch_size], w[batch_size], z[batch_size];
};

// The influence of a cut is not felt if it has been multiplied by this or less. (Z5)
inline constexpr double not_felt = epsilon<double>() / 256;

// A number for each piece, read and written eight at a time.
using PieceNumbers = std::vector<double>;
inline void put_pieces(PieceNumbers& list, int piece, const Batch<double>& x) {
  store_batch(list.data() + piece, x);
}
// Reads list[from … from + 7], with 0 before the first number.
inline Batch<double> pieces_from(const PieceNumbers& list, int from) {
  if (from >= 0) return load_batch(list.data() + from);
  Batch<double> x(0);
  for (int i = 1; i < batch_size; ++i) x.set(i, list[i - 1]);
  return x;
}

}  // namespace taut
