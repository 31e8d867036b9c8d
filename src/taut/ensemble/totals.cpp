#include <taut/ensemble/totals.hpp>

#include <bit>
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

void EnsembleTotals::add(const Unit& unit) {
  ++added_;
  trajectories_ += unit.count;
  std::vector<double> states;
  for (int k = 0; k < unit.count; ++k) {
    const Ending& ending = unit.endings[static_cast<std::size_t>(k)];
    steps_ += ending.steps;
    ++count_[static_cast<std::size_t>(ending.kind)];
    if (ending.failed() && (!first_failed_ || unit.first() + k < first_failed_->trajectory))
      first_failed_ = Failed{unit.first() + k, ending};
    const auto row = unit.rows.begin() + static_cast<std::ptrdiff_t>(k) * unit.columns;
    states.insert(states.end(), row, row + std::ptrdiff_t{2} * coordinates_);
  }
  early_.emplace(unit.index, std::move(states));
  for (auto at = early_.find(next_); at != early_.end(); at = early_.find(next_)) {
    hash(at->second);
    early_.erase(at);
    ++next_;
  }
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
