#include <taut/method/composition_numbers.hpp>
#include <taut/method/composition_table.hpp>
#include <taut/method/impulse_guess.hpp>
#include <taut/method/memory.hpp>

namespace taut {

std::optional<CompositionNumbers> composition_numbers(const std::string& name) {
  const CompositionScheme* scheme = find_composition(name);
  if (scheme == nullptr || scheme->alternates) return std::nullopt;
  CompositionNumbers numbers;
  for (const Float128& c : coefficients<Float128>(*scheme)) numbers.gamma.push_back(coefficient<double>(c));
  for (const GuessWeights::Row& row : GuessWeights(coefficients<double>(*scheme)).rows)
    numbers.weights.emplace_back(row.begin(), row.end());
  return numbers;
}

}  // namespace taut
