// What is said about an ensemble as a whole. All of it follows from the trajectories in the order of their
// indices, in whatever order the units come.
#pragma once

#include <taut/bytes/sha256.hpp>
#include <taut/ensemble/unit.hpp>

#include <array>
#include <functional>
#include <limits>
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
  // Final states wait for the units before theirs, because the digest takes them in the order of their
  // indices. Where units are kept, and can be read again, no more than this wait: then `catch_up` reads them.
  static constexpr std::size_t most_waiting = std::size_t{1} << 20U;  // bytes
  void keep_no_more_than(std::size_t bytes) { most_waiting_ = bytes; }
  std::size_t waiting() const { return waiting_; }  // bytes

  void add(const Unit& unit);
  // Takes what was not kept into the digest. `read` returns the unit with an index, which has come before.
  // An ensemble that is not complete has no digest, and reads nothing.
  void catch_up(const std::function<Unit(std::int64_t)>& read);
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
  // failed trajectory counts with its last good state. Only a complete ensemble has one; throws
  // std::logic_error if there is none, or if it has not caught up.
  std::string sha256() const;

 private:
  std::vector<double> states_of(const Unit& unit) const;
  void hash(const std::vector<double>& states);

  int coordinates_;
  std::int64_t units_, added_ = 0, trajectories_ = 0, steps_ = 0;
  std::array<std::int64_t, ended_count> count_{};
  std::optional<Failed> first_failed_;
  Sha256 sum_;
  std::int64_t next_ = 0;                              // the unit that the digest waits for
  std::map<std::int64_t, std::vector<double>> early_;  // final states of units after it
  std::size_t waiting_ = 0, most_waiting_ = std::numeric_limits<std::size_t>::max();
  bool reads_again_ = false;  // no states are kept from now on
};

}  // namespace taut
