#include <taut/bytes/carry_list.hpp>
#include <taut/store/run_record.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace taut {

namespace {

constexpr std::size_t series_buckets = 1500;  // for the thinned series; finer than a screen
constexpr std::size_t column_buckets = 200;   // coarser, because there are many
constexpr std::size_t longest_beginning = 1U << 15U;
constexpr std::size_t most_coordinates = 6000;  // in a frame: two thousand bodies in space
// A share of the extent of the motion: if two frames are farther apart, it no longer looks like a motion.
constexpr double eye = 0.06;

// Returns the number of frames of a page of about a megabyte.
std::size_t frames_for(std::size_t coordinates) {
  return std::clamp<std::size_t>(200000 / std::max<std::size_t>(coordinates, 1), 100, 12000);
}

}  // namespace

RunRecord::RunRecord() : energy_(series_buckets), position_(series_buckets), momentum_(series_buckets) {}

void RunRecord::add(double time, std::span<const double> q, std::span<const double> p, const Reading& reading,
                    std::span<const double> more) {
  if (samples_ == 0) first_ = reading;
  const double error = reading.energy - first_.energy;
  energy_.add(time, error);
  position_.add(time, reading.position);
  momentum_.add(time, reading.momentum);
  add_columns(time, q, p, more);
  if (samples_ == 1) beginning_.spacing = std::abs(time);
  if (samples_ < longest_beginning) {
    beginning_.energy_error.push_back(error);
    beginning_.coordinate.push_back(q[0]);
  }
  if (keeping_ && due()) keep(time, q, p, reading, more);
  ++samples_;
}

void RunRecord::add_columns(double time, std::span<const double> q, std::span<const double> p,
                            std::span<const double> more) {
  if (samples_ == 0) {
    state_columns_ = std::min(q.size(), most_state_columns);
    columns_.assign(2 * state_columns_ + std::min(more.size(), most_more_columns), Thinning(column_buckets));
  }
  for (std::size_t i = 0; i < state_columns_; ++i) {
    columns_[i].add(time, q[i]);
    columns_[state_columns_ + i].add(time, p[i]);
  }
  for (std::size_t i = 0; i < more_columns(); ++i) columns_[2 * state_columns_ + i].add(time, more[i]);
}

void RunRecord::keep(double time, std::span<const double> q, std::span<const double> p,
                     const Reading& reading, std::span<const double> more) {
  const std::size_t n = std::min(q.size(), most_coordinates);
  if (most_frames_ == 0) most_frames_ = frames_for(n);
  if (frames_.times.size() == most_frames_) {
    if (!smooth_with_half()) {
      keeping_ = frames_.whole = false;
      return;
    }
    const auto halve = [](auto& list) {
      for (std::size_t k = 0; 2 * k < list.size(); ++k)
        if (k > 0) list[k] = std::move(list[2 * k]);
      list.resize((list.size() + 1) / 2);
    };
    halve(frames_.times);
    halve(frames_.q);
    halve(frames_.p);
    halve(frames_.more);
    halve(frames_.readings);
    stride_ *= 2;
    if (!due()) return;
  }
  frames_.times.push_back(time);
  frames_.q.emplace_back(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(n));
  frames_.p.emplace_back(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(n));
  frames_.more.emplace_back(more.begin(), more.begin() + static_cast<std::ptrdiff_t>(more_columns()));
  frames_.readings.push_back(reading);
}

// Asks whether every second frame would still look like a motion. Each coordinate is measured by the largest
// extent of any.
bool RunRecord::smooth_with_half() const {
  const auto& q = frames_.q;
  double extent = 0, leap = 0;
  for (std::size_t i = 0; i < q.front().size(); ++i) {
    double low = q[0][i], high = q[0][i];
    for (std::size_t k = 0; k < q.size(); ++k) {
      low = std::min(low, q[k][i]);
      high = std::max(high, q[k][i]);
      if (k >= 2) leap = std::max(leap, std::abs(q[k][i] - q[k - 2][i]));
    }
    extent = std::max(extent, high - low);
  }
  return leap <= eye * extent;
}

void RunRecord::carry(Carry& c, std::size_t coordinates) {
  c(samples_);
  c(first_.energy);
  c(first_.position);
  c(first_.momentum);
  for (Thinning* series : {&energy_, &position_, &momentum_}) series->carry(c);
  carry_columns(c);
  c(beginning_.spacing);
  carry_list(c, beginning_.energy_error, longest_beginning);
  carry_list(c, beginning_.coordinate, longest_beginning);
  carry_frames(c, coordinates);
  if (!makes_sense()) throw InputError("the report in it contradicts itself");
}

void RunRecord::carry_columns(Carry& c) {
  std::uint64_t count = columns_.size();
  c(count);
  c(state_columns_);
  if (count > 2 * most_state_columns + most_more_columns || state_columns_ > most_state_columns ||
      2 * state_columns_ > count)
    throw InputError("the report in it contradicts itself");
  columns_.resize(count, Thinning(column_buckets));
  for (Thinning& column : columns_) column.carry(c);
}

void RunRecord::carry_frames(Carry& c, std::size_t coordinates) {
  const std::size_t n = std::min(coordinates, most_coordinates);
  most_frames_ = frames_for(n);
  c(keeping_);
  c(frames_.whole);
  c(stride_);
  carry_list(c, frames_.times, most_frames_);
  const std::size_t count = frames_.times.size();
  frames_.readings.resize(count);
  std::vector<std::array<double, 3>> readings;
  for (const Reading& r : frames_.readings) readings.push_back({r.energy, r.position, r.momentum});
  c(readings);
  for (std::size_t i = 0; i < count; ++i)
    frames_.readings[i] = {readings[i][0], readings[i][1], readings[i][2]};
  for (auto* vectors : {&frames_.q, &frames_.p, &frames_.more}) {
    vectors->resize(count);
    for (std::vector<double>& vector : *vectors) {
      vector.resize(vectors == &frames_.more ? more_columns() : n);
      for (double& x : vector) c(x);
    }
  }
}

// Asks whether everything for the report is there, and whether more can be added.
bool RunRecord::makes_sense() const {
  const std::size_t begun = std::min(samples_, longest_beginning);
  const auto thinned = {&energy_, &position_, &momentum_};
  return samples_ > 0 && stride_ > 0 && !frames_.times.empty() && beginning_.energy_error.size() == begun &&
         beginning_.coordinate.size() == begun &&
         std::all_of(thinned.begin(), thinned.end(),
                     [this](const Thinning* series) { return series->count() == samples_; }) &&
         std::all_of(columns_.begin(), columns_.end(),
                     [this](const Thinning& column) { return column.count() == samples_; });
}

}  // namespace taut
