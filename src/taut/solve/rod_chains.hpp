// Newton's iteration for chains of rigid rods, in the space of the rods: with r the rods at the end of the step, b those at its start and
// C(k, l) the inverse masses that rods k and l share,
//     r_k = d_k - Σ_l C(k, l) μ_l b_l,   g = (|r|² - L²)/2,   K(k, l) = C(k, l) r_k·b_l,   μ ← μ + K⁻¹ g,
// where d is r for μ = 0. One sweep from left to right forms r, g and K and eliminates; one from right to left changes μ. Rods are cut as in chain_factor.hpp,
// a block of eight pieces is all that a sweep touches at a time, and blocks are shared out to the threads. Separators alone look into the next piece, so
// that a block goes back and forward again at one visit. Labels: docs/theory/sparse-solve.md.
#pragma once

#include <taut/parallel/in_ranges.hpp>
#include <taut/scalar/batch.hpp>
#include <taut/scalar/compensated_sum.hpp>
#include <taut/solve/chain_factor.hpp>
#include <taut/solve/rods.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

namespace taut {

template <int dimension>
class RodChain {
 private:
  struct alignas(64) Record {
    double number[2 * dimension][batch_size];  // b, then d, or the demand
    const double (*b() const)[batch_size] { return number; }
    const double (*d() const)[batch_size] { return number + dimension; }
  };
  // What elimination leaves of a row, divided by its pivot: δ_t = z - w δ(left separator) - v δ_{t+1}.
  struct alignas(64) Solution {
    double v[batch_size], w[batch_size], z[batch_size];
  };
  struct Ends;

 public:
  // What a visit to a block works on.
  struct Room {
    int block;
    Record* records;
    Solution* solution;
    Ends* ends;
    const double* other =
        nullptr;  // of a window: what it reads beside q, to be fetched for the block before this one
  };

  // Blocks and rods of a chain that goes through all its corrections in the second cache.
  static constexpr int cached_blocks = 2;
  static constexpr int cached_rods = cached_blocks * batch_size * ChainCut::aim - 1;
  // Memory lent to such a chain for one solve.
  struct Desk {
    std::array<Record, cached_blocks * ChainCut::aim> records;
    std::array<Solution, cached_blocks * ChainCut::aim> solution;
    std::array<double, batch_size * cached_blocks * ChainCut::aim> mu, along;  // by slots; by rods
  };

  // path[k]: the rod at place k of the chain
  RodChain(const RodList& rods, const RodEntries& entries, const std::vector<int>& path)
      : RodChain(rods, entries, path, ChainCut(static_cast<int>(path.size())).slots()) {}
  // The same for a chain that is to work at a desk.
  static RodChain without_memory(const RodList& rods, const RodEntries& entries,
                                 const std::vector<int>& path) {
    return RodChain(rods, entries, path, 0);
  }
  RodChain(RodChain&&) = default;

  void sit_down(Desk& desk) {
    records_ = desk.records.data();
    solution_ = desk.solution.data();
    rods_mu_ = desk.mu.data();
  }
  void stand_up() {
    records_ = nullptr;
    solution_ = nullptr;
    rods_mu_ = nullptr;
  }

 private:
  RodChain(const RodList& rods, const RodEntries& entries, const std::vector<int>& path, int own_slots)
      : cut_(static_cast<int>(path.size())),
        rods_(rods),
        entries_(entries),
        start_(path.front()),
        end_(std::min(rods.first[start_], rods.second[start_])),
        in_order_(lies_in_order(path)),
        row_(cut_.slots(), -1),
        length2_(cut_.slots(), 1.0),
        own_mu_(own_slots, 0.0),
        own_records_(own_slots / batch_size),
        own_solution_(own_records_.size()),
        rods_mu_(own_mu_.data()),
        records_(own_records_.data()),
        solution_(own_solution_.data()),
        ends_(cut_.blocks) {
    std::vector<Couplings> all(cut_.slots() / batch_size, no_couplings());
    for (int k = 0; k < cut_.rows; ++k) {
      const int slot = cut_.slot(k), row = path[k];
      row_[slot] = row;
      length2_[slot] = rods.length[row] * rods.length[row];
      const int lane = slot % batch_size;
      Couplings& couplings = all[slot / batch_size];
      couplings.own[lane] = rods.coupling(row, row);
      couplings.next[lane] = k + 1 < cut_.rows ? rods.coupling(row, path[k + 1]) : 0.0;
    }
    keep_couplings(all);
    for (int b = 0; b < cut_.blocks; ++b)
      for (int lane = 0; lane < batch_size; ++lane) {
        const int first = place(b, lane, 0), last = first + cut_.length - 1;
        ends_[b].left_row[lane] = first > 0 && first <= cut_.rows ? path[first - 1] : -1;
        ends_[b].right_row[lane] = last + 1 < cut_.rows ? path[last + 1] : -1;
        ends_[b].left_coupling[lane] =
            first > 0 && first < cut_.rows ? rods.coupling(path[first - 1], path[first]) : 0.0;
      }
    const std::size_t pieces = static_cast<std::size_t>(cut_.pieces()) + 1;
    for (auto* list : {&d_, &s_, &rho_, &y_, &left_d_, &left_y_, &across_, &x_, &mu_})
      list->assign(pieces, 0.0);
  }

 public:
  int blocks() const { return cut_.blocks; }

  // The first visit to a block: begin(room) sets its records up, and a sweep goes from left to right. `other`: see Room.
  template <bool linear, class Begin>
  RodSweep start(int block, Begin&& begin, const double* other = nullptr) {
    Scratch scratch;
    const Room room{block, linear ? scratch.data() : &records_[at(block, 0)], &solution_[at(block, 0)],
                    &ends_[block], other};
    begin(room);
    return forward<true, linear>(room);
  }
  // Another one: μ changes, and the next sweep goes on with the new one. first: the μ before was 0.
  template <bool first>
  RodSweep go_on(int block) {
    finish<first>(block);
    return forward<false, false>({block, &records_[at(block, 0)], &solution_[at(block, 0)], &ends_[block]});
  }
  // The last one. first: μ = δ, else μ += δ.
  template <bool first>
  [[gnu::noinline, gnu::flatten]] void finish(int block) {
    const int piece = block * batch_size, last = cut_.length - 1;
    const S left = shifted(x_, piece - 1);
    S x = load_batch(x_.data() + piece);
    double* mu = mu_at(block, last);
    store_batch(mu, load_batch(mu_.data() + piece));
    for (const Solution* here = &solution_[at(block, last)]; mu != mu_at(block, 0);) {
      --here;
      mu -= batch_size;
      x = load_batch(here->z) - load_batch(here->w) * left - load_batch(here->v) * x;
      store_batch(mu, first ? x : S(load_batch(mu) + x));
    }
  }

  // b of the rods, and d, or the demand.
  [[gnu::noinline]] void begin(const Room& room, const RodStart& from) const {
    for (int lane = 0; lane < batch_size; ++lane)
      for (int a = 0; a < dimension; ++a) {
        const auto entry = [&](int row) {
          return row < 0 ? 0.0 : from.b[entries_.first[row] + a * entries_.stride[row]];
        };
        room.ends->left_b[a][lane] = entry(room.ends->left_row[lane]);
        room.ends->right_b[a][lane] = entry(room.ends->right_row[lane]);
      }
    for (int a = 0; a < dimension; ++a)
      fill(room, a, [&]<class X>(X, int row) {
        return get<X>(from.b + entries_.first[row] + a * entries_.stride[row]);
      });
    if (from.q == nullptr)
      return fill(room, dimension, [&]<class X>(X, int row) { return get<X>(from.demand + row); });
    for (int a = 0; a < dimension; ++a) {
      const double* q = from.q + a * rods_.particles;
      fill(room, dimension + a, [&]<class X>(X, int row) {
        return X(get<X>(q + rods_.first[row]) - get<X>(q + rods_.second[row]));
      });
    }
  }

  // The rows of the separators, and the tridiagonal system that is left of them: all pieces have gone forward. Left of piece c stands separator c-1,
  // coupled to the piece by across_[c-1] and through rho, which is per unit of that coupling.
  template <bool first, bool linear>
  [[gnu::noinline]] RodSweep separators() {
    RodSweep result;
    for (int block = 0; block < cut_.blocks; ++block)
      result.largest = std::max(result.largest, separator_rows<first, linear>(block));
    const int pieces = cut_.pieces();
    for (int c = 0; c < pieces; ++c) {
      const double own = d_[c];
      d_[c] += across_[c] * left_d_[c + 1];
      y_[c] += across_[c] * left_y_[c + 1];
      if (c > 0) {
        const double up = rho_[c] * across_[c - 1], low = s_[c] * d_[c - 1];
        d_[c] -= low * up;
        y_[c] -= low * y_[c - 1];
      }
      d_[c] = 1 / d_[c];
      result.sound = result.sound && !pivot_vanished(d_[c], own);
    }
    for (int c = pieces - 1; c >= 0; --c) {
      x_[c] = c + 1 < pieces ? (y_[c] - rho_[c + 1] * across_[c] * x_[c + 1]) * d_[c] : y_[c] * d_[c];
      mu_[c] = first ? x_[c] : mu_[c] + x_[c];
    }
    return result;
  }

  // scale · μ of rod `row` in to[row - base].
  [[gnu::noinline]] void take(int block, double scale, double* to, int base = 0) const {
    each_rod(
        block,
        [&](int t, int row) {
          std::array<S, batch_size> x;
          for (int k = 0; k < batch_size; ++k) x[k] = load_batch(mu_at(block, t + k)) * S(scale);
          transpose(x);
          for (int i = 0; i < batch_size; ++i) store_batch(to + (row - base) + i * cut_.length, x[i]);
        },
        [&](int slot, int row) {
          if (row >= 0) to[row - base] = scale * rods_mu_[slot];
        });
  }

  // Rods and the particles at their ends follow each other in every list: the chain goes through a flight or a projection by itself, and
  // rods here point from the lower particle to the next, which changes no μ.
  bool in_order() const { return in_order_; }

  // As begin, for a flight without impulse: b at its start, d at its end. Where the rod stands does not round d: what the particles move by is added to b.
  void depart(const Room& room, const RodFlight& flight) const {
    flight.q.from_low ? depart_from<true>(room, flight) : depart_from<false>(room, flight);
  }
  // Its end: μ of the rods, and the particles moved, and a look at all rods inside the block.
  template <bool to_rounding>
  RodLook arrive(int block, const RodFlight& flight) const {
    take(block, 1 / flight.h, flight.mu);
    const int begin = first_row(block);
    return fly<to_rounding>(begin, end_row(block), 1 / flight.h * mu_before(block), flight.mu + begin,
                            flight);
  }
  // The same for the particles at the lower ends of the rods begin … end - 1, with `before` the impulse along rod begin - 1, and along[k] that of
  // rod begin + k. What is looked at are the rods between them.
  template <bool to_rounding>
  [[gnu::noinline, gnu::flatten]] RodLook fly(int begin, int end, double before, const double* along,
                                              const RodFlight& flight) const {
    const S h(flight.h);
    return each_impulse<to_rounding>(
        begin, end, before, along, flight.q.from,
        [&](int a, int i, int count, const S& dp, const S&) {
          const int j = a * rods_.particles + i;
          const S p = add(flight.p, j, count, dp);
          const S q = add(flight.q, j, count, (h * load_batch(rods_.weight.data() + i, count)) * p);
          return Moved{q, magnitude(q)};
        },
        [&](const V&, const V& r, const V& size, int row, int count) {
          const S length = load_batch(rods_.length.data() + row, count), length2 = length * length;
          const S g = magnitude((r.dot(r) - length2) * S(0.5));
          if constexpr (!to_rounding) return g;
          return S(g - S(epsilon<double>()) * (reach(r, size) + S(length_terms) * length2));
        });
  }
  // The same for the rods from one block to the next, when all have arrived.
  template <bool to_rounding>
  RodLook arrived(const RodFlight& flight) const {
    return between_blocks([&](int row) { return length_of<to_rounding>(row, flight.q.to); });
  }
  // A look at one rod, where it arrived.
  template <bool to_rounding>
  RodLook length_of(int row, const double* q) const {
    double sum = 0, moved = 0;
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * rods_.particles + lower(row);
      const double r = x[0] - x[1];
      sum += r * r;
      moved += std::abs(r) * (std::abs(x[0]) + std::abs(x[1]));
    }
    const double length2 = rods_.length[row] * rods_.length[row], g = std::abs(sum - length2) / 2;
    return {or_beyond(to_rounding ? g - epsilon<double>() * (moved + length_terms * length2) : g), 0};
  }

  // As begin, for a projection: the demand is G W p.
  [[gnu::noinline]] void meet(const Room& room, const double* q, const double* p) const {
    begin_between(
        room, q,
        [&](const S&, int a, int i, int count) {
          return S(load_batch(rods_.weight.data() + i, count) *
                   load_batch(p + a * rods_.particles + i, count));
        },
        [&](int a, const S& b, const S& dv, double* record) {
          double* demand = record + dimension * batch_size;
          store_batch(demand, a == 0 ? S(b * dv) : S(load_batch(demand) + b * dv));
        });
  }
  // Its end: the momenta of the particles for the ν of the rods, and a look at G W p of all rods inside the block.
  template <bool to_rounding>
  RodLook part(int block, const double* q, const RodSums& p, const double* nu) const {
    return part<to_rounding>(first_row(block), end_row(block), q, p, nu);
  }
  // The same for the particles at the lower ends of the rods begin … end - 1, and the rods between them.
  template <bool to_rounding>
  [[gnu::noinline, gnu::flatten]] RodLook part(int begin, int end, const double* q, const RodSums& p,
                                               const double* nu) const {
    S fastest(0);
    RodLook look = each_impulse<to_rounding>(
        begin, end, begin > start_ ? nu[begin - 1] : 0.0, nu + begin, q,
        [&](int a, int i, int count, const S& dp, const S& strain) {
          const S weight = load_batch(rods_.weight.data() + i, count);
          const S v = weight * add(p, a * rods_.particles + i, count, dp);
          return Moved{v, magnitude(v) + weight * strain};
        },
        [&](const V& b, const V& dv, const V& size, int, int) {
          const S product = magnitude(b.dot(dv));
          if constexpr (!to_rounding) return product;
          unroll<dimension>([&]<int a>() { fastest = larger(fastest, size.v[a]); });
          return S(product - S(velocity_slack * epsilon<double>() / 2) * reach(b, size));
        });
    look.speed = largest_lane(fastest);
    return look;
  }
  template <bool to_rounding>
  RodLook parted(const double* q, const double* p, const double* nu) const {
    return between_blocks([&](int row) { return velocity_along<to_rounding>(row, q, p, nu); });
  }
  // A look at one rod; nu: what has changed the momenta, if anything has.
  template <bool to_rounding>
  RodLook velocity_along(int row, const double* q, const double* p, const double* nu) const {
    const auto strain = [&](int k, const double* x) {
      if (nu == nullptr || k < start_ || k >= start_ + cut_.rows) return 0.0;
      return std::abs(nu[k] * (x[lower(k)] - x[lower(k) + 1]));
    };
    double sum = 0, size = 0;
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * rods_.particles;
      double v[2];
      for (int end = 0; end < 2; ++end) {
        const int i = lower(row) + end;
        v[end] = rods_.weight[i] * p[a * rods_.particles + i];
        const double strained = rods_.weight[i] * (strain(row + end - 1, x) + strain(row + end, x));
        size += std::abs(x[lower(row)] - x[lower(row) + 1]) * (std::abs(v[end]) + strained);
      }
      sum += (x[lower(row)] - x[lower(row) + 1]) * (v[0] - v[1]);
    }
    const double unit = to_rounding ? velocity_slack * epsilon<double>() / 2 * size : 0;
    return {or_beyond(std::abs(sum) - unit), 0};
  }
  // Is G W p within the tolerance, or at rounding, for all rods?
  template <bool to_rounding>
  bool rests(const double* q, const double* p, double tolerance) const {
    bool all = true;
    for (int row = start_; all && row < start_ + cut_.rows; ++row)
      all = velocity_along<to_rounding>(row, q, p, nullptr).excess <= tolerance;
    return all;
  }

  int rows() const { return cut_.rows; }
  int first() const { return start_; }
  // Does what happens at the other end of `count` rods at an end of the chain die away in them, to below rounding? A rod feels -v of what the next one does. (Z5)
  bool fades_at_start(int count) const {
    return fades(count, [](int k) { return k; });
  }
  bool fades_at_end(int count) const {  // the last rod has no next one
    return fades(count - 1, [&](int k) { return cut_.rows - 2 - k; });
  }
  // The same before anything is solved, for r = b: would windows that end `count` rods beyond rod `row`, and before it, feel their ends there?
  bool fades_about(int row, int count, const double* q) const {
    return fades_from(row - count, 1, count, q) && fades_from(row + count - 1, -1, count, q);
  }
  void foresee_about(int row, int count, const double* q) const {
    for (int a = 0; a < dimension; ++a)
      for (int i = lower(row - count); i < lower(row + count); i += batch_size)
        __builtin_prefetch(q + a * rods_.particles + i);
  }

  void clear(double* mu) const { std::fill_n(mu + start_, cut_.rows, 0.0); }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  struct alignas(64) Couplings {
    double own[batch_size], next[batch_size];  // C(t, t), C(t, t+1)
    bool operator==(const Couplings&) const = default;
  };
  // What a piece knows of its neighbours, and what its separator needs of the rods before it.
  struct alignas(64) Ends {
    double left_b[dimension][batch_size], right_b[dimension][batch_size];
    double left_coupling[batch_size];
    int left_row[batch_size], right_row[batch_size];
    int first_couplings;
    bool alike;
    Record before, last;
    Solution eliminated;  // of the rod before
  };
  // b and μ b of the rods t-1, t, t+1.
  struct Three {
    V before, here, after, moved_before, moved_here, moved_after;

    template <bool first>
    void go_on() {
      before = here;
      here = after;
      if constexpr (!first) {
        moved_before = moved_here;
        moved_here = moved_after;
      }
    }
  };
  struct Row {
    S g, diagonal, lower, upper;  // of K
  };
  // c = C(t-1, t)
  template <bool first, bool linear>
  static Row row_of(const Record& record, const double* length2, const Three& near,
                    const Couplings& couplings, const S& c) {
    const S own = load_batch(couplings.own), next = load_batch(couplings.next);
    V r = linear ? near.here : V::load(record.d());
    if constexpr (!first) r = r - near.moved_here * own - near.moved_before * c - near.moved_after * next;
    return {linear ? load_batch(record.d()[0]) : (r.dot(r) - load_batch(length2)) * S(0.5),
            own * r.dot(near.here), c * r.dot(near.before), next * r.dot(near.after)};
  }

  // Of one block; returns max |g|.
  template <bool first, bool linear>
  double separator_rows(int block) {
    const Ends& ends = ends_[block];
    const int piece = block * batch_size, last = cut_.length - 1;
    const Couplings* couplings = couplings_.data() + ends.first_couplings + (ends.alike ? 0 : last);
    Three near;
    near.before = V::load(ends.before.b());
    near.here = V::load(ends.last.b());
    near.after = V::load(ends.right_b);
    if constexpr (!first) {
      S right_mu(0);  // of the first rods of the next pieces
      for (int i = 0; i < batch_size && piece + i + 1 < cut_.pieces(); ++i)
        right_mu.set(i, mu_at((piece + i + 1) / batch_size, 0)[(i + 1) % batch_size]);
      near.moved_before = near.before * load_batch(mu_at(block, last - 1));
      near.moved_here = near.here * load_batch(mu_at(block, last));
      near.moved_after = near.after * right_mu;
    }
    const Row row = row_of<first, linear>(ends.last, length2_.data() + at(block, last) * batch_size, near,
                                          *couplings, load_batch(couplings[ends.alike ? 0 : -1].next));
    store(d_, piece, S(row.diagonal - row.lower * load_batch(ends.eliminated.v)));
    store(s_, piece, S(-(row.lower * load_batch(ends.eliminated.w))));
    store(y_, piece, S(row.g - row.lower * load_batch(ends.eliminated.z)));
    store(across_, piece, row.upper);
    return linear ? 0 : largest_lane(magnitude(row.g));
  }

  using Scratch = std::array<Record, ChainCut::aim>;  // a linear solve needs its records once

  // From left to right, up to the separators. first: μ = 0. linear: one solve with r = b for what was placed.
  template <bool first, bool linear>
  [[gnu::noinline, gnu::flatten]] RodSweep forward(const Room& room) {
    Ends& ends = *room.ends;
    const int piece = room.block * batch_size, last = cut_.length - 1;
    const Record* record = room.records;
    const Couplings* couplings = couplings_.data() + ends.first_couplings;
    const double *length2 = length2_.data() + at(room.block, 0) * batch_size, *mu = mu_at(room.block, 0);
    Solution* solution = room.solution;
    Three near;
    near.before = V::load(ends.left_b);
    near.here = V::load(record->b());
    S c = load_batch(ends.left_coupling);  // C(t-1, t)
    if constexpr (!first) {
      near.moved_before = near.before * shifted(mu_, piece - 1);
      near.moved_here = near.here * load_batch(mu);
    }
    S v(0), w(0), z(0), rho(1), left_d(0), left_y(0), largest(0);
    Mask<S> sound(true);
    for (int t = 0; t < last; ++t, ++record, ++solution, couplings += ends.alike ? 0 : 1,
             length2 += batch_size, mu += batch_size) {
      if constexpr (first)
        if (room.other != nullptr) {
          foresee<dimension>(room.block, t - t % batch_size, t % batch_size, room.other);
          foresee<1>(room.block, t - t % batch_size, t % batch_size, rods_.weight.data());
        }
      near.after = V::load(record[1].b());
      if constexpr (!first) near.moved_after = near.after * load_batch(mu + batch_size);
      const Row row = row_of<first, linear>(*record, length2, near, *couplings, c);
      if constexpr (!linear) largest = larger(largest, magnitude(row.g));
      S d = row.diagonal, s = row.lower, y = row.g;
      if (t > 0) {
        d = row.diagonal - row.lower * v;
        s = -(row.lower * w);
        y = row.g - row.lower * z;
        rho = -(v * rho);
      }
      const S pivot = S(1) / d;
      sound = sound && !pivot_vanished(pivot, row.diagonal);
      v = row.upper * pivot;
      w = s * pivot;
      z = y * pivot;
      left_d -= rho * w;
      left_y -= rho * z;
      store_batch(solution->v, v);
      store_batch(solution->w, w);
      store_batch(solution->z, z);
      near.template go_on<first>();
      c = load_batch(couplings->next);
    }
    ends.before = record[-1];
    ends.last = *record;
    ends.eliminated = solution[-1];
    store(rho_, piece, S(-(v * rho)));
    store(left_d_, piece, left_d);
    store(left_y_, piece, left_y);
    return {largest_lane(largest), all(sound)};
  }

  // Places that hold no rod: g = 0, K = 1.
  static void put_no_rod(Record& record, int lane) {
    for (auto& number : record.number) number[lane] = 0;
    record.number[0][lane] = record.number[dimension][lane] = 1;
  }
  static Couplings no_couplings() {
    Couplings couplings{};
    for (double& own : couplings.own) own = 1;
    return couplings;
  }

  // A block whose rods are all coupled alike keeps their couplings once.
  void keep_couplings(const std::vector<Couplings>& all) {
    for (int b = 0; b < cut_.blocks; ++b) {
      const auto from = all.begin() + at(b, 0), to = from + cut_.length;
      const bool alike = std::all_of(from, to, [&](const Couplings& c) { return c == *from; });
      ends_[b].first_couplings = static_cast<int>(couplings_.size());
      ends_[b].alike = alike;
      couplings_.insert(couplings_.end(), from, alike ? from + 1 : to);
    }
  }

  // Do the rods follow each other in every list?
  bool lies_in_order(const std::vector<int>& path) const {
    for (int k = 0; k < cut_.rows; ++k) {
      const int row = path[k];
      if (row != start_ + k || entries_.first[row] != entries_.first[start_] + k ||
          entries_.stride[row] != entries_.stride[start_] || rods_.first[row] != rods_.first[start_] + k ||
          rods_.second[row] != rods_.second[start_] + k)
        return false;
    }
    return true;
  }

  int at(int block, int t) const { return block * cut_.length + t; }
  double* mu_at(int block, int t) { return rods_mu_ + at(block, t) * batch_size; }
  const double* mu_at(int block, int t) const { return rods_mu_ + at(block, t) * batch_size; }
  int place(int block, int lane, int t) const { return (block * batch_size + lane) * cut_.length + t; }

  // eight(t, row): rods t … t+7 of all pieces of the block, of the first piece from this row on, of the others each `length` rows further: where rods lie in order.
  // Else one(slot, row), row = -1 where there is none. Some rods may come twice.
  template <class Eight, class One>
  void each_rod(int block, Eight&& eight, One&& one) const {
    for (int from = 0; from < cut_.length; from += batch_size) {
      const int t = std::max(0, std::min(from, cut_.length - batch_size));
      if (in_order_ && place(block, batch_size - 1, t + batch_size) <= cut_.rows) {
        eight(t, start_ + place(block, 0, t));
        continue;
      }
      for (int lane = 0; lane < batch_size; ++lane)
        for (int k = t; k < std::min(t + batch_size, cut_.length); ++k) {
          const int slot = at(block, k) * batch_size + lane;
          one(slot, row_[slot]);
        }
    }
  }
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
        room.block,
        [&](int t, int row) {
          std::array<S, batch_size> x;
          for (int i = 0; i < batch_size; ++i) x[i] = value(S(), row + i * cut_.length);
          transpose(x);
          for (int k = 0; k < batch_size; ++k) store_batch(room.records[t + k].number[n], x[k]);
        },
        [&](int slot, int row) {
          Record& record = room.records[slot / batch_size - at(room.block, 0)];
          const int lane = slot % batch_size;
          if (row < 0)
            put_no_rod(record, lane);
          else
            record.number[n][lane] = value(double(), row);
        });
  }

  // What follows is for chains in order.
  int lower(int row) const { return end_ + row - start_; }  // the lower particle of a rod
  int first_row(int block) const { return start_ + place(block, 0, 0); }
  // μ along the last rod before a block, which may not be taken yet.
  double mu_before(int block) const { return block > 0 ? mu_[block * batch_size - 1] : 0.0; }
  // One past the last of its particles: the last block has the end of the chain, too.
  int end_row(int block) const {
    return block + 1 < cut_.blocks ? first_row(block + 1) : start_ + cut_.rows + 1;
  }

  template <bool compensated>
  [[gnu::noinline]] void depart_from(const Room& room, const RodFlight& flight) const {
    const double *p = flight.p.from, *low = flight.q.from_low, *weight = rods_.weight.data();
    const S h(flight.h);
    begin_between(
        room, flight.q.from,
        [&](const S&, int a, int i, int count) {
          const int j = a * rods_.particles + i;
          const S moved = (h * load_batch(weight + i, count)) * load_batch(p + j, count);
          if constexpr (compensated) return S(moved + load_batch(low + j, count));
          return moved;
        },
        [&](int a, const S& b, const S& moved, double* record) {
          store_batch(record + (dimension + a) * batch_size, S(b + moved));
        });
  }
  // b = q_lower - q_next of the rods, and the like of a second number of the particles, second(q, a, i). use(a, b, e, record): component a of both.
  template <class Second, class Use>
  void begin_between(const Room& room, const double* q, Second&& second, Use&& use) const {
    const auto b_of = [&](int a, int row) {
      if (row < 0) return 0.0;
      const double* x = q + a * rods_.particles + lower(row);
      return x[0] - x[1];
    };
    for (int a = 0; a < dimension; ++a)
      for (int lane = 0; lane < batch_size; ++lane) {
        room.ends->left_b[a][lane] = b_of(a, room.ends->left_row[lane]);
        room.ends->right_b[a][lane] = b_of(a, room.ends->right_row[lane]);
      }
    // Eight particles in a row have seven rods between them.
    for (int from = 0; from < cut_.length; from += batch_size - 1) {
      const int t = std::min(from, cut_.length - (batch_size - 1));
      if (room.other != nullptr)
        for (int lane = 0; lane < batch_size; ++lane) foresee<dimension>(room.block, t, lane, q);
      if (place(room.block, batch_size - 1, t) + batch_size - 1 <= cut_.rows)
        seven_rods<true>(room, t, q, second, use);
      else
        seven_rods<false>(room, t, q, second, use);
    }
  }
  // Asks memory for what a piece of the block before this one will read, since that comes next: the processor foresees nothing in so many places at once. Half of it
  // while rods are formed, half during the sweep after it: memory answers no faster.
  template <int components>
  void foresee(int block, int t, int lane, const double* x) const {
    if (const int i = end_ + place(block - 1, lane, t); i >= 0)
      for (int a = 0; a < components; ++a) __builtin_prefetch(x + a * rods_.particles + i);
  }
  // `count` numbers, and the last of them again.
  static S repeated(const double* from, int count) {
    double x[batch_size] = {};
    for (int k = 0; k < batch_size && count > 0; ++k) x[k] = from[std::min(k, count - 1)];
    return load_batch(x);
  }
  // whole: there are so many in all pieces.
  template <bool whole, class Second, class Use>
  void seven_rods(const Room& room, int t, const double* q, Second&& second, Use&& use) const {
    const auto particles = [&](int lane) {
      return whole ? batch_size : std::clamp(cut_.rows + 1 - place(room.block, lane, t), 0, batch_size);
    };
    for (int a = 0; a < dimension; ++a) {
      std::array<S, batch_size> x, y;
      for (int lane = 0; lane < batch_size; ++lane) {
        const int i = end_ + place(room.block, lane, t), count = particles(lane);
        const double* at = q + a * rods_.particles + i;
        x[lane] = whole ? load_batch(at) : repeated(at, count);  // b = 0 where there are no rods
        y[lane] = second(x[lane], a, i, count);
      }
      transpose(x);
      transpose(y);
      for (int k = 0; k < batch_size - 1; ++k) {
        double* record = room.records[t + k].number[0];
        const S b = x[k] - x[k + 1];
        store_batch(record + a * batch_size, b);
        use(a, b, S(y[k] - y[k + 1]), record);
      }
    }
    for (int lane = 0; lane < batch_size; ++lane)
      for (int k = std::max(particles(lane) - 1, 0); k < batch_size - 1; ++k)
        put_no_rod(room.records[t + k], lane);
  }

  // Σ |r| size
  static S reach(const V& r, const V& size) {
    S sum(0);
    unroll<dimension>([&]<int a>() { sum += magnitude(r.v[a]) * size.v[a]; });
    return sum;
  }
  // A number of eight particles, and the size of the terms that were added up for it.
  struct Moved {
    S value, size;
  };
  struct MovedVectors {
    V value, size;
  };

  // What impulses along the rods do to the particles at the lower ends of the rods begin … end - 1, eight at a time: move(a, i, count, dp, strain) changes component a
  // of the particles i … by impulses that come to dp, in size to `strain`, and gives what their rods are to be looked at for: excess(b, differences of that, sums of
  // sizes, row, count). l[k]: the impulse along rod begin + k; before: that along the rod before them.
  template <bool to_rounding, class Move, class Excess>
  RodLook each_impulse(int begin, int end, double before, const double* l, const double* q, Move&& move,
                       Excess&& excess) const {
    const int rows = start_ + cut_.rows;
    V impulse_before, b_before{};
    MovedVectors moved_before{};
    for (int a = 0; a < dimension; ++a) {
      const double* x = q + a * rods_.particles + lower(begin);
      impulse_before.v[a] = S(begin > start_ ? before * (x[-1] - x[0]) : 0.0);
    }
    S largest(-1e300);
    Mask<S> numbers(true);
    const auto of_batch = [&](const V& b, const MovedVectors& here, const MovedVectors& after, int row,
                              int count) {
      V r, size;
      for (int a = 0; a < dimension; ++a) {
        r.v[a] = here.value.v[a] - before_first(here.value.v[a], after.value.v[a]);
        if constexpr (to_rounding) size.v[a] = here.size.v[a] + before_first(here.size.v[a], after.size.v[a]);
      }
      return excess(b, r, size, row, count);
    };
    const auto eight = [&](int row, int count) {
      const int i = lower(row), joined = std::min(count, rows - row);
      const S along = load_batch(l + (row - begin), joined);
      V b;
      MovedVectors moved;
      for (int a = 0; a < dimension; ++a) {
        const double* x = q + a * rods_.particles + i;
        b.v[a] = load_batch(x, count) - load_batch(x + 1, joined);
        const S impulse = along * b.v[a], other = after_last(impulse_before.v[a], impulse);
        const Moved one = move(a, i, count, S(other - impulse), S(magnitude(other) + magnitude(impulse)));
        moved.value.v[a] = one.value;
        if constexpr (to_rounding) moved.size.v[a] = one.size;
        impulse_before.v[a] = impulse;
      }
      if (row > begin) {
        const S x = of_batch(b_before, moved_before, moved, row - batch_size, batch_size);
        largest = larger(largest, x);
        numbers = numbers && x <= S(1e300);
      }
      b_before = b;
      moved_before.value = moved.value;
      if constexpr (to_rounding) moved_before.size = moved.size;
    };
    int row = begin;
    for (; row + batch_size < end; row += batch_size) eight(row, batch_size);
    eight(row, end - row);
    RodLook look{all(numbers) ? largest_lane(largest) : 2e300, 0};
    const S last = of_batch(b_before, moved_before, moved_before, row, end - 1 - row);
    for (int i = 0; i < end - 1 - row; ++i) look.excess = std::max(look.excess, or_beyond(last[i]));
    return look;
  }
  // Batches of a sum; compensated where it is kept so.
  static S add(const RodSums& sum, int j, int count, const S& d) {
    const S before = load_batch(sum.from + j, count);
    S after;
    if (sum.from_low == nullptr) {
      after = before + d;
    } else {
      const CompensatedSum<S> t(before, load_batch(sum.from_low + j, count), d);
      after = t.sum;
      store_batch(sum.to_low + j, t.low, count);
    }
    store_batch(sum.to + j, after, count);
    return after;
  }

  static constexpr double nothing = epsilon<double>() / 256;
  template <class Place>
  bool fades(int count, Place&& place_of) const {
    double felt = 1;
    for (int k = 0; k < count && !(felt <= nothing); ++k) {
      const int slot = cut_.slot(place_of(k)), t = slot / batch_size % cut_.length;
      if (t < cut_.length - 1) felt *= std::abs(solution_[slot / batch_size].v[slot % batch_size]);
    }
    return felt <= nothing;
  }

  // From the rod at an end of `count` rods, one after the other in the direction `step`.
  bool fades_from(int row, int step, int count, const double* q) const {
    const auto product = [&](int k, int l) {
      double sum = 0;
      for (int a = 0; a < dimension; ++a) {
        const double* x = q + a * rods_.particles;
        sum += (x[lower(k)] - x[lower(k) + 1]) * (x[lower(l)] - x[lower(l) + 1]);
      }
      return rods_.coupling(k, l) * sum;
    };
    double felt = 1, d = product(row, row);
    for (int k = 0; k < count && !(felt <= nothing); ++k, row += step) {
      const double across = product(row, row + step), v = across / d;
      felt *= std::abs(v);
      d = product(row + step, row + step) - across * v;
    }
    return felt <= nothing;
  }

  template <class Look>
  RodLook between_blocks(Look&& look) const {
    RodLook all;
    for (int block = 1; block < cut_.blocks; ++block) all = worse(all, look(first_row(block) - 1));
    return all;
  }

  static void store(std::vector<double>& list, int piece, const S& x) { store_batch(list.data() + piece, x); }
  // list[from … from + 7], 0 before the first
  static S shifted(const std::vector<double>& list, int from) {
    if (from >= 0) return load_batch(list.data() + from);
    S x(0);
    for (int i = 1; i < batch_size; ++i) x.set(i, list[i - 1]);
    return x;
  }

  ChainCut cut_;
  const RodList& rods_;
  const RodEntries& entries_;
  int start_, end_;                       // the first rod, and the lower of its particles
  bool in_order_;                         // rods, their entries and particles follow each other
  std::vector<int> row_;                  // of each slot; -1: none
  std::vector<double> length2_, own_mu_;  // L² and μ of each slot
  std::vector<Couplings> couplings_;
  std::vector<Record> own_records_;
  std::vector<Solution> own_solution_;
  double* rods_mu_;  // what is its own, or lent
  Record* records_;
  Solution* solution_;
  std::vector<Ends> ends_;
  // Of the pieces: diagonal, spike, unit spike, right-hand side at the separator; what they leave on the separator before, per unit of
  // across; K(separator, first of the next piece); δ and μ of the separator.
  std::vector<double> d_, s_, rho_, y_, left_d_, left_y_, across_, x_, mu_;
};

}  // namespace taut
