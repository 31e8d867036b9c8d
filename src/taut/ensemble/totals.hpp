// What is said about an ensemble as a whole. All of it follows from the trajectories in the order of their
// indices, in whatever order the units come.
#pragma once

#include <taut/bytes/sha256.hpp>
#include <taut/ensemble/unit.hpp>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// Returns "the solve did not converge" and the like, for messages.
std::string_view words_for(Ended kind);

class EnsembleTotals {
 public:
  // A trajectory has `coordinates` numbers q and as many p, which are the first columns of its row.
  EnsembleTotals(int coordinates, std::int64_t units) : coordinates_(coordinates), units_(units) {}
  void add(const Unit& unit);
  bool is_complete() const { return added_ == units_; }

  std::int64_t trajectories() const { return trajectories_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t failed() const;
  std::int64_t ended(Ended kind) const { return count_[static_cast<std::size_t>(kind)]; }

  struct Failed {
    std::int64_t trajectory = 0;
    Ending ending;
  };
  const std::optional<Failed>& first_failed() const { return first_failed_; }

  // The digest of the final q, then p, of trajectories 0, 1, …, each number as eight little-endian bytes; a
  // failed trajectory counts with its last good state. Only a complete ensemble has one.
  std::string sha256() const { return sum_.hex(); }

 private:
  void hash(const std::vector<double>& states);

  int coordinates_;
  std::int64_t units_, added_ = 0, trajectories_ = 0, steps_ = 0;
  std::array<std::int64_t, ended_count> count_{};
  std::optional<Failed> first_failed_;
  Sha256 sum_;
  std::int64_t next_ = 0;                              // the unit that the digest waits for
  std::map<std::int64_t, std::vector<double>> early_;  // final states of units after it
};

}  // namespace taut
