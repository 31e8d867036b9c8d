// The board of rank 0: which units are to be made, who has which in hand, and how far everybody is. It knows
// nothing of MPI, and any number of threads may ask it at a time.
#pragma once

#include <taut/ensemble/run_ensemble.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace taut::cli {

class Board {
 public:
  explicit Board(EnsembleObserver& source) : source_(source) {}

  // Gives a unit to a rank, or nothing if all are handed out. Units that somebody left come first.
  std::optional<std::int64_t> next(int rank);
  void wrote(int rank, std::int64_t unit);
  void reports(int rank, const EnsembleProgress& now);
  // The rank does no more; its units in hand wait for others. Returns how many these are.
  std::size_t leaves(int rank);
  // Nothing is handed out any more.
  void close();

  bool has_units_left() const;  // because somebody left them
  EnsembleProgress progress() const;
  std::vector<std::int64_t> written() const;  // by other ranks than this one

 private:
  mutable std::mutex mutex_;
  EnsembleObserver& source_;
  std::map<int, std::set<std::int64_t>> in_hand_;
  std::map<int, EnsembleProgress> progress_;
  std::vector<std::int64_t> left_, written_;
  bool closed_ = false;
};

}  // namespace taut::cli
