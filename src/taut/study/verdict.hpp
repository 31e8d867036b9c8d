// Decides whether a measured value agrees with what was published. The digits of a printed number say how
// exactly it must be met.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace taut {

enum class StudyVerdict { reproduced, under_reading, not_reproduced };

inline constexpr std::array<std::string_view, 3> verdict_names = {"reproduced", "reproduced-under-reading",
                                                                  "not-reproduced"};

inline std::string_view name(StudyVerdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

inline std::optional<StudyVerdict> verdict_named(std::string_view name) {
  for (std::size_t i = 0; i < verdict_names.size(); ++i)
    if (verdict_names[i] == name) return static_cast<StudyVerdict>(i);
  return std::nullopt;
}

// What a row is. Statements and numbers of the paper are counted, each in a tally of its own. The other rows
// are not: nobody published a control, a rejected reading is one that the paper's own text excludes, and a
// structural value is what it is by construction.
enum class RowKind { statement, number, control, rejected_reading, structural };

inline constexpr std::array<std::string_view, 5> row_kind_names = {"statement", "number", "control",
                                                                   "rejected-reading", "structural"};

inline std::string_view name(RowKind kind) { return row_kind_names[static_cast<std::size_t>(kind)]; }

inline std::optional<RowKind> row_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < row_kind_names.size(); ++i)
    if (row_kind_names[i] == name) return static_cast<RowKind>(i);
  return std::nullopt;
}

// Returns the verdict; a reading that had to be chosen is part of it.
inline StudyVerdict verdict(bool agrees, bool under_a_reading) {
  if (!agrees) return StudyVerdict::not_reproduced;
  return under_a_reading ? StudyVerdict::under_reading : StudyVerdict::reproduced;
}

// A number as it was printed: ".77e-1" is 0.077, and its last digit is worth 0.001.
struct Printed {
  double value = 0, unit = 0;
};

inline std::optional<Printed> as_printed(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  Printed printed;
  const auto [stop, error] = std::from_chars(text.data(), end, printed.value);
  if (error != std::errc{} || stop != end || !std::isfinite(printed.value)) return std::nullopt;
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  int exponent = 0;
  if (e < text.size()) std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = digits.find('.');
  const int decimals = point == std::string_view::npos ? 0 : static_cast<int>(digits.size() - point - 1);
  printed.unit = std::pow(10.0, exponent - decimals);
  return printed;
}

// Asks whether the two are the same when rounded to the printed digits. The ends of the interval belong to
// it, up to the rounding of the numbers themselves.
inline bool rounds_to(double measured, const Printed& printed) {
  return std::abs(measured - printed.value) <= printed.unit / 2 * (1 + 1e-9);
}

// Asks the same if digits were cut off and not rounded.
inline bool cut_to(double measured, const Printed& printed) {
  const double beyond = std::abs(measured) - std::abs(printed.value);
  return std::signbit(measured) == std::signbit(printed.value) && beyond >= 0 && beyond < printed.unit;
}

}  // namespace taut
