// Newton's iteration for small sets of rods that are alike, water molecules say, one set in each lane: the whole iteration of eight of them goes
// on in the nearest cache. The equations are those of rod_chains.hpp, with a full matrix of m × m numbers.
#pragma once

#include <taut/scalar/batch.hpp>
#include <taut/solve/elimination.hpp>
#include <taut/solve/rods.hpp>

#include <array>
#include <vector>

namespace taut {

inline constexpr int largest_cluster = 6;  // rods; beyond, fronts (front_factor.hpp) do less work

// Clusters of m rods, in batches.
template <int dimension, int m>
class RodClusters {
 public:
  // clusters[c][k]: rod k of cluster c. All have the same graph in this numbering.
  RodClusters(const RodList& rods, const RodEntries& entries, const std::vector<std::vector<int>>& clusters) {
    const int count = static_cast<int>(clusters.size());
    batches_.resize((count + batch_size - 1) / batch_size);
    for (std::size_t n = 0; n < batches_.size(); ++n) {
      Batch8& batch = batches_[n];
      batch.lanes = std::min(batch_size, count - static_cast<int>(n) * batch_size);
      for (int lane = 0; lane < batch_size; ++lane) {
        // lanes without a cluster repeat the first
        const auto& rows = clusters[n * batch_size + static_cast<std::size_t>(lane < batch.lanes ? lane : 0)];
        for (int k = 0; k < m; ++k) {
          const int row = rows[k];
          batch.row[k][lane] = row;
          batch.first[k][lane] = rods.first[row];
          batch.second[k][lane] = rods.second[row];
          batch.entry[k][lane] = entries.first[row];
          batch.stride[k] = entries.stride[row];
          batch.length2[k][lane] = rods.length[row] * rods.length[row];
          for (int l = 0; l < m; ++l) batch.coupling[k][l][lane] = rods.coupling(row, rows[l]);
        }
      }
      batch.find_runs();
    }
    particles_ = rods.particles;
  }

  int batches() const { return static_cast<int>(batches_.size()); }

  // δ of the rods of one batch, by at most `limit` corrections.
  [[gnu::noinline, gnu::flatten]] RodSolve newton(int number, const RodStart& from, RodProgress progress,
                                                  int limit, double scale, double* to) const {
    const Batch8& batch = batches_[number];
    std::array<V, m> b, r;
    std::array<S, m> mu;
    for (int k = 0; k < m; ++k) {
      for (int a = 0; a < dimension; ++a) {
        b[k].v[a] = gather(from.b + a * batch.stride[k], batch.entry_run[k], batch.entry[k]);
        r[k].v[a] = gather(from.q + a * particles_, batch.first_run[k], batch.first[k]) -
                    gather(from.q + a * particles_, batch.second_run[k], batch.second[k]);
      }
      mu[k] = S(0);
    }
    RodSolve result;
    for (;;) {
      std::array<S, m> x;
      S largest(0);
      for (int k = 0; k < m; ++k) {
        x[k] = (r[k].dot(r[k]) - load_batch(batch.length2[k])) * S(0.5);
        largest = larger(largest, magnitude(x[k]));
      }
      double worst = 0;
      for (int i = 0; i < batch_size; ++i) worst = std::max(worst, largest[i]);
      ++result.corrections;
      const bool last = progress.last_after(worst);
      result.sound = solve(batch, r, b, x) && result.sound;
      for (int k = 0; k < m; ++k) mu[k] += x[k];
      if (last || result.corrections == limit || !result.sound) {
        result.sound = result.sound && last;
        break;
      }
      std::array<V, m> moved;
      for (int k = 0; k < m; ++k) moved[k] = b[k] * x[k];
      for (int k = 0; k < m; ++k)
        for (int l = 0; l < m; ++l) r[k] = r[k] - moved[l] * load_batch(batch.coupling[k][l]);
    }
    put(batch, mu, scale, to);
    return result;
  }

  // K(b, b) x = demand
  [[gnu::noinline, gnu::flatten]] bool solve_once(int number, const RodStart& from, double* to) const {
    const Batch8& batch = batches_[number];
    std::array<V, m> b;
    std::array<S, m> x;
    for (int k = 0; k < m; ++k) {
      for (int a = 0; a < dimension; ++a)
        b[k].v[a] = gather(from.b + a * batch.stride[k], batch.entry_run[k], batch.entry[k]);
      x[k] = gather(from.demand, batch.row_run[k], batch.row[k]);
    }
    const bool sound = solve(batch, b, b, x);
    put(batch, x, 1, to);
    return sound;
  }

 private:
  using S = Batch<double>;
  using V = RodVectors<dimension>;
  using Numbers = int[batch_size];

  struct alignas(64) Batch8 {
    double coupling[m][m][batch_size], length2[m][batch_size];
    Numbers row[m], first[m], second[m], entry[m];
    int row_run[m], first_run[m], second_run[m], entry_run[m];  // the first of consecutive ones, else -1
    int stride[m];
    int lanes;

    void find_runs() {
      for (int k = 0; k < m; ++k) {
        row_run[k] = run(row[k]);
        first_run[k] = run(first[k]);
        second_run[k] = run(second[k]);
        entry_run[k] = run(entry[k]);
      }
    }
    static int run(const Numbers& at) {
      for (int i = 1; i < batch_size; ++i)
        if (at[i] != at[0] + i) return -1;
      return at[0];
    }
  };

  static S gather(const double* from, int run, const Numbers& at) {
    if (run >= 0) return load_batch(from + run);
    S x;
    for (int i = 0; i < batch_size; ++i) x.set(i, from[at[i]]);
    return x;
  }
  static void put(const Batch8& batch, const std::array<S, m>& x, double scale, double* to) {
    for (int k = 0; k < m; ++k) {
      const S y = x[k] * S(scale);
      if (batch.row_run[k] >= 0)
        store_batch(to + batch.row_run[k], y);
      else
        for (int i = 0; i < batch.lanes; ++i) to[batch.row[k][i]] = y[i];
    }
  }

  // x ← K⁻¹ x by elimination without pivoting, K(k, l) = C(k, l) r_k·b_l; false where a pivot vanished.
  static bool solve(const Batch8& batch, const std::array<V, m>& r, const std::array<V, m>& b,
                    std::array<S, m>& x) {
    std::array<std::array<S, m>, m> K;
    for (int k = 0; k < m; ++k)
      for (int l = 0; l < m; ++l) K[k][l] = load_batch(batch.coupling[k][l]) * r[k].dot(b[l]);
    Mask<S> sound(true);
    std::array<S, m> inverse;
    for (int k = 0; k < m; ++k) {
      inverse[k] = S(1) / K[k][k];
      sound = sound && !pivot_vanished(inverse[k], S(load_batch(batch.coupling[k][k]) * r[k].dot(b[k])));
      for (int l = k + 1; l < m; ++l) {
        const S f = K[l][k] * inverse[k];
        for (int j = k + 1; j < m; ++j) K[l][j] -= f * K[k][j];
        x[l] -= f * x[k];
      }
    }
    for (int k = m - 1; k >= 0; --k) {
      for (int j = k + 1; j < m; ++j) x[k] -= K[k][j] * x[j];
      x[k] *= inverse[k];
    }
    return all(sound);
  }

  std::vector<Batch8> batches_;
  int particles_ = 0;
};

}  // namespace taut
