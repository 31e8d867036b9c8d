#include <taut/ensemble/gathering.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace taut {

void Gathering::open(std::int64_t index) {
  now_ = index * ensemble_.unit();
  end_ = std::min(now_ + ensemble_.unit(), ensemble_.size());
  const auto count = static_cast<std::size_t>(end_ - now_);
  Unit unit{.index = index,
            .size = ensemble_.unit(),
            .count = static_cast<int>(count),
            .columns = static_cast<int>(ensemble_.columns.size()),
            .rows = {},
            .samples = ensemble_.samples_each(),
            .sample_columns = static_cast<int>(ensemble_.sample_columns.size()),
            .sampled = {},
            .endings = {}};
  unit.rows.resize(count * ensemble_.columns.size());
  unit.sampled.assign(count * static_cast<std::size_t>(unit.samples) * ensemble_.sample_columns.size(),
                      std::numeric_limits<double>::quiet_NaN());
  unit.endings.resize(count);
  open_.emplace(index, Open{std::move(unit), static_cast<int>(count)});
}

std::optional<std::int64_t> Gathering::next_trajectory() {
  const std::lock_guard lock(mutex_);
  if (now_ == end_) {
    const auto unit = next_();
    if (!unit) return std::nullopt;
    open(*unit);
  }
  return now_++;
}

void Gathering::put(const EndedTrajectory& t) {
  std::optional<Unit> whole;
  {
    const std::lock_guard lock(mutex_);
    const auto at = open_.find(t.index / ensemble_.unit());
    Unit& unit = at->second.unit;
    const auto k = static_cast<std::size_t>(t.index - unit.first());
    std::copy(t.row.begin(), t.row.end(), unit.rows.data() + k * t.row.size());
    const std::size_t room = unit.sampled.size() / unit.endings.size();
    std::copy(t.sampled.begin(), t.sampled.end(), unit.sampled.data() + k * room);
    unit.endings[k] = t.ending;
    ended.fetch_add(1, std::memory_order_relaxed);
    if (t.ending.failed()) failed.fetch_add(1, std::memory_order_relaxed);
    if (--at->second.missing == 0) {
      whole = std::move(unit);
      open_.erase(at);
    }
  }
  if (!whole) return;
  const std::lock_guard lock(taking_);
  take_(*whole);
}

}  // namespace taut
