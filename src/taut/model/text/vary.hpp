// What varies from trajectory to trajectory of an ensemble: the text "linspace(1, 2, 100)" and its meaning.
#pragma once

#include <taut/model/text/formula.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

enum class VaryKind : std::uint8_t { list, linspace, logspace, uniform, normal, choice };

// One name and its values. A list, a linspace and a logspace say every value; the others are drawn.
struct Vary {
  std::string name = {};
  VaryKind kind = VaryKind::list;
  std::vector<double> numbers = {};  // finite; a list and a choice have as many as were written, others two
  std::int64_t count = 0;            // how many values linspace and logspace have; 0: one for each trajectory

  bool is_drawn() const { return kind >= VaryKind::uniform; }
};

struct ParsedVary {
  Vary vary;
  std::optional<FormulaError> error;
};

// Parses "linspace(a, b, n)", "logspace(a, b, n)", "uniform(a, b)", "normal(mean, deviation)",
// "choice(a, b, …)" or "[a, b, …]". The numbers may be formulas; `value(name)` returns the value of a
// parameter, and nothing for a name that `known` does not list.
ParsedVary parse_vary(const std::string& text, const std::vector<std::string>& known,
                      const std::function<std::optional<Float128>(std::string_view)>& value);

// Says in a sentence what is wrong with the numbers of a variation; nothing if they are right.
std::string fault_of(const Vary& vary);

// Returns the text by which parse_vary gives the same again, to the last bit.
std::string text_of(const Vary& vary);

}  // namespace taut
