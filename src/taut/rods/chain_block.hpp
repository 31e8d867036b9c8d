// The rods of a block of a chain, and how they are set up for Newton's iteration: b, the rods at the start of
// the step, and d, the rods at its end for μ = 0. Eight pieces of the chain stand side by side, one in each
// lane.
#pragma once

#include <taut/rods/chain_path.hpp>
#include <taut/rods/rod_vectors.hpp>
#include <taut/scalar/flatten.hpp>

#include <algorithm>
#include <array>
#include <memory>

namespace taut {

template <int dimension>
struct alignas(64) RodRecord {
  double number[2 * dimension][batch_size];  // b, then d
  const double (*b() const)[batch_size] { return number; }
  const double (*d() const)[batch_size] { return number + dimension; }

  // Fills a place that holds no rod: there g = 0 and K = 1.
  void put_no_rod(int lane) {
    for (auto& x : number) x[lane] = 0;
    number[0][lane] = number[dimension][lane] = 1;
  }
};

// What the pieces of a block know of their neighbours, and what their separators need of the rods before
// them.
template <int dimension>
struct alignas(64) PieceEnds {
  double left_b[dimension][batch_size], right_b[dimension][batch_size];
  double left_coupling[batch_size];
  int first_couplings;
  bool alike;  // all rods of the block are coupled alike
  RodRecord<dimension> before, last;
  EliminatedRows eliminated;  // those of the rods before the separators
};

// What a visit to a block works on.
template <int dimension>
struct BlockWork {
  int block;
  RodRecord<dimension>* records;
  EliminatedRows* solution;
  PieceEnds<dimension>* ends;
  // In a window this is an array that is read beside q, to be prefetched for the block before this one.
  // Otherwise it is null.
  const double* prefetched = nullptr;
};

template <int dimension>
class BlockSetUp {
 public:
  using Work = BlockWork<dimension>;

  explicit BlockSetUp(std::shared_ptr<const ChainPath> path) : path_(std::move(path)) {}

  // Forms b at the start of a step without impulse and d at its end. What the particles move by is added to
  // b, so that the rounding of d does not depend on how far the rod is from the origin.
  void of_step(const Work& work, const RodStep& step) const {
    step.q.from_low ? records_of_step<true>(work, step) : records_of_step<false>(work, step);
  }
  // Forms b from the positions q0 and d from the positions q1.
  TAUT_KERNEL void of_positions(const Work& work, const double* q0, const double* q1) const {
    records<false>(work, q0, [&](int, int j, int count) { return repeated(q1 + j, count); });
  }

  // Asks memory for what a piece of the block before this one will read, because that block comes next and
  // the processor cannot predict accesses to so many places at once. Half of it is asked for while rods are
  // formed, half during the sweep after it: memory answers no faster.
  template <int components>
  void prefetch(int block, int t, int lane, const double* x) const {
    if (const int i = path_->particle + path_->place(block - 1, lane, t); i >= 0)
      for (int a = 0; a < components; ++a) __builtin_prefetch(x + a * path_->rods.particles + i);
  }

 private:
  using S = Batch<double>;

  template <bool with_low_parts>
  TAUT_KERNEL void records_of_step(const Work& work, const RodStep& given) const {
    const RodStep step = given;
    const double* weight = path_->rods.weight.data();
    const S h(step.h);
    records<true>(work, step.q.from, [&](int i, int j, int count) {
      const S hw = h * load_batch(weight + i, count);
      S moved = hw * load_batch(step.p.from + j, count);
      if constexpr (with_low_parts)
        moved += load_batch(step.q.from_low + j, count) + hw * load_batch(step.p.from_low + j, count);
      return moved;
    });
  }

  // Fills the records of a block. end(i, j, count) gives the end positions for the coordinates j … of the
  // particles i …; if `relative`, it gives what they have moved by.
  template <bool relative, class End>
  void records(const Work& work, const double* q, End&& end) const {
    put_neighbours(work, q);
    const int length = path_->cut.length;
    // Eight particles in a row have seven rods between them.
    for (int from = 0; from < length; from += batch_size - 1) {
      const int t = std::min(from, length - (batch_size - 1));
      if (work.prefetched != nullptr)
        for (int lane = 0; lane < batch_size; ++lane) prefetch<dimension>(work.block, t, lane, q);
      if (path_->place(work.block, batch_size - 1, t) + batch_size - 1 <= path_->cut.rows)
        seven_rods<relative, true>(work, t, q, end);
      else
        seven_rods<relative, false>(work, t, q, end);
    }
  }
  void put_neighbours(const Work& work, const double* q) const {
    const auto b = [&](int a, int place) {
      if (!path_->has(place)) return 0.0;
      const double* x = q + a * path_->rods.particles + path_->particle + place;
      return x[0] - x[1];
    };
    for (int a = 0; a < dimension; ++a)
      for (int lane = 0; lane < batch_size; ++lane) {
        const int begin = path_->place(work.block, lane, 0);
        work.ends->left_b[a][lane] = b(a, begin - 1);
        work.ends->right_b[a][lane] = b(a, begin + path_->cut.length);
      }
  }
  // Loads `count` numbers, and the last of them again: b = 0 between particles that are not there.
  static S repeated(const double* from, int count) {
    if (count >= batch_size) return load_batch(from);
    double x[batch_size] = {};
    for (int k = 0; k < batch_size && count > 0; ++k) x[k] = from[std::min(k, count - 1)];
    return load_batch(x);
  }
  // Forms seven rods of each piece, from place t on. whole: all pieces have that many rods left.
  template <bool relative, bool whole, class End>
  void seven_rods(const Work& work, int t, const double* q, const End& end) const {
    const auto particles = [&](int lane) {
      return whole ? batch_size
                   : std::clamp(path_->cut.rows + 1 - path_->place(work.block, lane, t), 0, batch_size);
    };
    for (int a = 0; a < dimension; ++a) {
      std::array<S, batch_size> x, y;
      for (int lane = 0; lane < batch_size; ++lane) {
        const int i = path_->particle + path_->place(work.block, lane, t), count = particles(lane),
                  j = a * path_->rods.particles + i;
        x[lane] = whole ? load_batch(q + j) : repeated(q + j, count);
        y[lane] = end(i, j, count);
      }
      transpose(x);
      transpose(y);
      for (int k = 0; k < batch_size - 1; ++k) {
        double(*number)[batch_size] = work.records[t + k].number;
        const S b = x[k] - x[k + 1], d = y[k] - y[k + 1];
        store_batch(number[a], b);
        store_batch(number[dimension + a], relative ? S(b + d) : d);
      }
    }
    for (int lane = 0; lane < batch_size; ++lane)
      for (int k = std::max(particles(lane) - 1, 0); k < batch_size - 1; ++k)
        work.records[t + k].put_no_rod(lane);
  }

  std::shared_ptr<const ChainPath> path_;
};

}  // namespace taut
