#include "board.hpp"

namespace taut::cli {

std::optional<std::int64_t> Board::next(int rank) {
  const std::lock_guard lock(mutex_);
  if (closed_) return std::nullopt;
  std::optional<std::int64_t> unit;
  if (!left_.empty()) {
    unit = left_.back();
    left_.pop_back();
  } else {
    unit = source_.next_unit();
  }
  if (unit) in_hand_[rank].insert(*unit);
  return unit;
}

void Board::wrote(int rank, std::int64_t unit) {
  const std::lock_guard lock(mutex_);
  in_hand_[rank].erase(unit);
  if (rank != 0) written_.push_back(unit);
}

void Board::reports(int rank, const EnsembleProgress& now) {
  const std::lock_guard lock(mutex_);
  progress_[rank] = now;
}

std::size_t Board::leaves(int rank) {
  const std::lock_guard lock(mutex_);
  const std::set<std::int64_t> units = std::move(in_hand_[rank]);
  in_hand_.erase(rank);
  left_.insert(left_.end(), units.rbegin(), units.rend());
  return units.size();
}

void Board::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

bool Board::has_units_left() const {
  const std::lock_guard lock(mutex_);
  return !closed_ && !left_.empty();
}

EnsembleProgress Board::progress() const {
  const std::lock_guard lock(mutex_);
  EnsembleProgress all;
  double busy_steps = 0;
  for (const auto& [rank, one] : progress_) {
    all.steps += one.steps;
    all.ended += one.ended;
    all.failed += one.failed;
    busy_steps += one.busy * static_cast<double>(one.steps);
  }
  all.busy = all.steps > 0 ? busy_steps / static_cast<double>(all.steps) : 0;
  return all;
}

std::vector<std::int64_t> Board::written() const {
  const std::lock_guard lock(mutex_);
  return written_;
}

}  // namespace taut::cli
