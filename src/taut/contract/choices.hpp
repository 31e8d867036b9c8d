// What people choose by a word, one list each: the names are in the order of the enumeration. The command
// line, model files, checkpoints and completions all read these lists.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

// How the constraints of a step are solved.
enum class Iteration {
  full_newton,  // G(q₁) W G(q₀)ᵀ refreshed and factored in each iteration: quadratic
  symmetric,    // G(q₀) W G(q₀)ᵀ factored once per step: linear, rate O(h)
  sweep         // SHAKE's Gauss-Seidel sweep over the constraints: linear, the classical baseline
};
constexpr std::array<std::string_view, 3> names_of(Iteration) { return {"newton", "symmetric", "sweep"}; }

// How samples are kept. automatic means text (csv) up to a million numbers, otherwise binary.
enum class SampleFormat { automatic, csv, binary, compressed };
constexpr std::array<std::string_view, 4> names_of(SampleFormat) {
  return {"automatic", "csv", "binary", "compressed"};
}

// How formulas are evaluated. automatic decides by the length of the run: backend/backend.hpp.
enum class Backend { automatic, interpret, compile, specialise };
constexpr std::array<std::string_view, 4> names_of(Backend) {
  return {"automatic", "interpret", "compile", "specialise"};
}

// What is brought back to the manifold after a step: method/projection.hpp.
enum class ProjectionKind { none, position, momentum, both };
constexpr std::array<std::string_view, 4> names_of(ProjectionKind) {
  return {"none", "position", "momentum", "both"};
}

// The point at which the first solve of a step begins: 0, the multiplier λ(q, p) of the state, or what the
// quadratic polynomial through the last three solutions says.
enum class FirstGuess { zero, multiplier, quadratic };
constexpr std::array<std::string_view, 3> names_of(FirstGuess) { return {"zero", "multiplier", "quadratic"}; }

// What a stated tolerance is held against in a position solve: every |gᵢ|, or the 2-norms of g and of the
// last change of the impulse.
enum class StopRule { residual, change };
constexpr std::array<std::string_view, 2> names_of(StopRule) { return {"residual", "change"}; }

// The multiplier that samples, reports and the summary show: λ(q, p) of the continuous equations, or the one
// that the method itself found for the end of its step.
enum class MultiplierShown { continuous, stage };
constexpr std::array<std::string_view, 2> names_of(MultiplierShown) { return {"continuous", "stage"}; }

// Whether samples and summary show the method's own estimate of the error of each step.
enum class LocalErrorShown { none, estimate };
constexpr std::array<std::string_view, 2> names_of(LocalErrorShown) { return {"none", "estimate"}; }

// The numbers of which a run is made. All but the first need the backend specialise.
enum class Precision { double_precision, long_double, quadruple };
constexpr std::array<std::string_view, 3> names_of(Precision) { return {"double", "long", "quad"}; }

// The scalar product in which a projection is orthogonal: that of the kinetic energy, or of the coordinates.
enum class ProjectionMetric { mass, euclidean };
constexpr std::array<std::string_view, 2> names_of(ProjectionMetric) { return {"mass", "euclidean"}; }

// The point at which the direction of a projection of q is taken: the one before it, or the one it ends at.
enum class ProjectionAlong { before, after };
constexpr std::array<std::string_view, 2> names_of(ProjectionAlong) { return {"old", "new"}; }

// The names as one array that lives as long as the program.
template <class Choice>
inline constexpr auto choice_names = names_of(Choice{});

// People get `automatic` by writing nothing.
inline constexpr std::span<const std::string_view> written_formats =
    std::span(choice_names<SampleFormat>).subspan(1);
inline constexpr std::span<const std::string_view> written_backends =
    std::span(choice_names<Backend>).subspan(1);

template <class Choice>
  requires requires { names_of(Choice{}); }
constexpr std::string_view name_of(Choice choice) {
  return choice_names<Choice>[static_cast<std::size_t>(choice)];
}

// Returns the choice of that name; none if the name is not in the list.
template <class Choice>
constexpr std::optional<Choice> choice_named(std::string_view name) {
  for (std::size_t i = 0; i < choice_names<Choice>.size(); ++i)
    if (choice_names<Choice>[i] == name) return static_cast<Choice>(i);
  return std::nullopt;
}

inline std::vector<std::string> listed(std::span<const std::string_view> names) {
  return {names.begin(), names.end()};
}

// "a, b or c", with `last` = "or".
inline std::string in_words(std::span<const std::string_view> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " " + std::string(last) + " " : ", ";
    text += names[i];
  }
  return text;
}

}  // namespace taut
