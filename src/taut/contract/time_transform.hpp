// How a request and the settings of a model say that the model is rewritten to a fictitious time: where other
// step functions stand, by this word and σ behind it. Theory: docs/theory/adaptive.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace taut {

inline constexpr std::string_view time_transform_word = "time-transform ";

inline std::string as_time_transform(std::string_view sigma) {
  return std::string(time_transform_word) + std::string(sigma);
}

// Returns σ, if that is what a step function says.
inline std::optional<std::string> time_transform_of(std::string_view step_function) {
  if (!step_function.starts_with(time_transform_word)) return std::nullopt;
  return std::string(step_function.substr(time_transform_word.size()));
}

}  // namespace taut
