#include <taut/ensemble/totals.hpp>

#include <bit>
#include <stdexcept>
#include <utility>

namespace taut {

namespace {

constexpr std::array<std::string_view, ended_count> kind_words{
    "done",
    "the solve did not converge",
    "the constraints became dependent",
    "a number was not finite",
    "a step ended off a constraint",
    "the energy jumped",
    "the energy has no value",
    "the energy was lost",
    "the energy grew without end",
    "the start was refused",
};

}  // namespace

std::string_view words_for(Ended kind) { return kind_words[static_cast<std::size_t>(kind)]; }

std::int64_t EnsembleTotals::failed() const { return trajectories_ - ended(Ended::done); }

std::vector<double> EnsembleTotals::states_of(const Unit& unit) const {
  std::vector<double> states;
  for (int k = 0; k < unit.count; ++k) {
    const auto row = unit.rows.begin() + static_cast<std::ptrdiff_t>(k) * unit.columns;
    states.insert(states.end(), row, row + std::ptrdiff_t{2} * coordinates_);
  }
  return states;
}

void EnsembleTotals::add(const Unit& unit) {
  ++added_;
  trajectories_ += unit.count;
  for (int k = 0; k < unit.count; ++k) {
    const Ending& ending = unit.endings[static_cast<std::size_t>(k)];
    steps_ += ending.steps;
    ++count_[static_cast<std::size_t>(ending.kind)];
    if (ending.failed() && (!first_failed_ || unit.first() + k < first_failed_->trajectory))
      first_failed_ = Failed{unit.first() + k, ending};
  }
  if (reads_again_) return;
  std::vector<double> states = states_of(unit);
  waiting_ += states.size() * sizeof(double);
  early_.emplace(unit.index, std::move(states));
  for (auto at = early_.find(next_); at != early_.end(); at = early_.find(next_)) {
    hash(at->second);
    waiting_ -= at->second.size() * sizeof(double);
    early_.erase(at);
    ++next_;
  }
  if (waiting_ <= most_waiting_) return;
  reads_again_ = true;
  early_.clear();
  waiting_ = 0;
}

void EnsembleTotals::catch_up(const std::function<Unit(std::int64_t)>& read) {
  if (!is_complete()) return;
  for (; next_ < units_; ++next_) hash(states_of(read(next_)));
}

std::string EnsembleTotals::sha256() const {
  if (next_ < units_) throw std::logic_error("the digest of an ensemble lacks units");
  return sum_.hex();
}

void EnsembleTotals::hash(const std::vector<double>& states) {
  for (const double x : states) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    std::array<char, 8> bytes{};
    for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<char>(bits >> (8 * b) & 0xFFU);
    sum_.add({bytes.data(), bytes.size()});
  }
}

}  // namespace taut
