// The rods of a block of a chain, and how they are set up for Newton's iteration: b, those at the start of the step, and d, those at its end for μ = 0, eight pieces side by side.
#pragma once

#include <taut/rods/path.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/flatten.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

namespace taut {

template <int dimension>
struct alignas(64) RodRecord {
  double number[2 * dimension][batch_size];  // b, then d
  const double (*b() const)[batch_size] { return number; }
  const double (*d() const)[batch_size] { return number + dimension; }

  // Places that hold no rod: g = 0, K = 1.
  void put_no_rod(int lane) {
    for (auto& x : number) x[lane] = 0;
    number[0][lane] = number[dimension][lane] = 1;
  }
};

// What a piece knows of its neighbours, and what its separator needs of the rods before it.
template <int dimension>
struct alignas(64) RodEnds {
  double left_b[dimension][batch_size], right_b[dimension][batch_size];
  double left_coupling[batch_size];
  int left_row[batch_size], right_row[batch_size];
  int first_couplings;
  bool alike;
  RodRecord<dimension> before, last;
  EliminatedRows eliminated;  // of the rod before
};

// What a visit to a block works on.
template <int dimension>
struct RodRoom {
  int block;
  RodRecord<dimension>* records;
  EliminatedRows* solution;
  RodEnds<dimension>* ends;
  const double* other =
      nullptr;  // of a window: what it reads beside q, to be fetched for the block before this one
};

// Rods t … t+7 of all pieces of a block, t = 0, 8, …. eight(t, row): of the first piece from this row on, of the others each `length` rows further: where rods lie in order.
// Else one(slot, row), row = -1 where there is none. Some rods may come twice.
template <class Eight, class One>
void each_rod(const RodPath& path, int block, Eight&& eight, One&& one) {
  const int length = path.cut.length;
  for (int from = 0; from < length; from += batch_size) {
    const int t = std::max(0, std::min(from, length - batch_size));
    if (path.in_order && path.place(block, batch_size - 1, t + batch_size) <= path.cut.rows) {
      eight(t, path.first + path.place(block, 0, t));
      continue;
    }
    for (int lane = 0; lane < batch_size; ++lane)
      for (int k = t; k < std::min(t + batch_size, length); ++k) {
        const int slot = path.at(block, k) * batch_size + lane;
        one(slot, path.row[slot]);
      }
  }
}

template <int dimension>
class RodDeparture {
 public:
  using Record = RodRecord<dimension>;
  using Room = RodRoom<dimension>;

  explicit RodDeparture(std::shared_ptr<const RodPath> path) : path_(std::move(path)) {}

  // b by the entries of G, d from the positions.
  [[gnu::noinline]] void begin(const Room& room, const RodStart& from) const {
    const RodEntries& entries = path_->entries;
    const RodList& rods = path_->rods;
    for (int lane = 0; lane < batch_size; ++lane)
      for (int a = 0; a < dimension; ++a) {
        const auto entry = [&](int row) {
          return row < 0 ? 0.0 : from.b[entries.first[row] + a * entries.stride[row]];
        };
        room.ends->left_b[a][lane] = entry(room.ends->left_row[lane]);
        room.ends->right_b[a][lane] = entry(room.ends->right_row[lane]);
      }
    for (int a = 0; a < dimension; ++a) {
      fill(room, a, [&]<class X>(X, int row) {
        return get<X>(from.b + entries.first[row] + a * entries.stride[row]);
      });
      const double* q = from.q + a * rods.particles;
      fill(room, dimension + a, [&]<class X>(X, int row) {
        return X(get<X>(q + rods.first[row]) - get<X>(q + rods.second[row]));
      });
    }
  }
  // For a flight without impulse of a chain in order: b at its start, d at its end. Where the rod stands does not round d: what the particles move by is added to b.
  void depart(const Room& room, const RodFlight& flight) const {
    flight.q.from_low ? depart_from<true>(room, flight) : depart_from<false>(room, flight);
  }

  // Asks memory for what a piece of the block before this one will read, since that comes next: the processor foresees nothing in so many places at once. Half of it
  // while rods are formed, half during the sweep after it: memory answers no faster.
  template <int components>
  void foresee(int block, int t, int lane, const double* x) const {
    if (const int i = path_->particle + path_->place(block - 1, lane, t); i >= 0)
      for (int a = 0; a < components; ++a) __builtin_prefetch(x + a * path_->rods.particles + i);
  }

 private:
  using S = Batch<double>;

  // One number, or eight in a row.
  template <class X>
  static X get(const double* from) {
    if constexpr (std::is_same_v<X, S>)
      return load_batch(from);
    else
      return *from;
  }
  // Number n of the records; value(X(), row): of one rod, X = double, or of eight in a row, X = S.
  template <class Value>
  void fill(const Room& room, int n, Value&& value) const {
    each_rod(
        *path_, room.block,
        [&](int t, int row) {
          std::array<S, batch_size> x;
          for (int i = 0; i < batch_size; ++i) x[i] = value(S(), row + i * path_->cut.length);
          transpose(x);
          for (int k = 0; k < batch_size; ++k) store_batch(room.records[t + k].number[n], x[k]);
        },
        [&](int slot, int row) {
          Record& record = room.records[slot / batch_size - path_->at(room.block, 0)];
          const int lane = slot % batch_size;
          if (row < 0)
            record.put_no_rod(lane);
          else
            record.number[n][lane] = value(double(), row);
        });
  }

  template <bool compensated>
  TAUT_KERNEL void depart_from(const Room& room, const RodFlight& of) const {
    const RodFlight flight = of;
    const int length = path_->cut.length;
    const double* q = flight.q.from;
    const auto b_of = [&](int a, int row) {
      if (row < 0) return 0.0;
      const double* x = q + a * path_->rods.particles + path_->lower(row);
      return x[0] - x[1];
    };
    for (int a = 0; a < dimension; ++a)
      for (int lane = 0; lane < batch_size; ++lane) {
        room.ends->left_b[a][lane] = b_of(a, room.ends->left_row[lane]);
        room.ends->right_b[a][lane] = b_of(a, room.ends->right_row[lane]);
      }
    // Eight particles in a row have seven rods between them.
    for (int from = 0; from < length; from += batch_size - 1) {
      const int t = std::min(from, length - (batch_size - 1));
      if (room.other != nullptr)
        for (int lane = 0; lane < batch_size; ++lane) foresee<dimension>(room.block, t, lane, q);
      if (path_->place(room.block, batch_size - 1, t) + batch_size - 1 <= path_->cut.rows)
        seven_rods<compensated, true>(room, t, flight);
      else
        seven_rods<compensated, false>(room, t, flight);
    }
  }
  // `count` numbers, and the last of them again.
  static S repeated(const double* from, int count) {
    double x[batch_size] = {};
    for (int k = 0; k < batch_size && count > 0; ++k) x[k] = from[std::min(k, count - 1)];
    return load_batch(x);
  }
  // whole: there are so many in all pieces.
  template <bool compensated, bool whole>
  void seven_rods(const Room& room, int t, const RodFlight& flight) const {
    const auto particles = [&](int lane) {
      return whole ? batch_size
                   : std::clamp(path_->cut.rows + 1 - path_->place(room.block, lane, t), 0, batch_size);
    };
    const S h(flight.h);
    for (int a = 0; a < dimension; ++a) {
      std::array<S, batch_size> x, moved;
      for (int lane = 0; lane < batch_size; ++lane) {
        const int i = path_->particle + path_->place(room.block, lane, t), count = particles(lane),
                  j = a * path_->rods.particles + i;
        x[lane] = whole ? load_batch(flight.q.from + j)
                        : repeated(flight.q.from + j, count);  // b = 0 where there are no rods
        moved[lane] =
            (h * load_batch(path_->rods.weight.data() + i, count)) * load_batch(flight.p.from + j, count);
        if constexpr (compensated) moved[lane] += load_batch(flight.q.from_low + j, count);
      }
      transpose(x);
      transpose(moved);
      for (int k = 0; k < batch_size - 1; ++k) {
        double(*number)[batch_size] = room.records[t + k].number;
        const S b = x[k] - x[k + 1];
        store_batch(number[a], b);
        store_batch(number[dimension + a], S(b + (moved[k] - moved[k + 1])));
      }
    }
    for (int lane = 0; lane < batch_size; ++lane)
      for (int k = std::max(particles(lane) - 1, 0); k < batch_size - 1; ++k)
        room.records[t + k].put_no_rod(lane);
  }

  std::shared_ptr<const RodPath> path_;
};

}  // namespace taut
