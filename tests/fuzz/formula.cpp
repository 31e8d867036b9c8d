// Reads any bytes as a formula: parses and evaluates it, and differentiates its graph.
#include <taut/model/code/graph.hpp>
#include <taut/model/text/formula.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const taut::ParsedFormula parsed =
      taut::parse_formula(std::string(reinterpret_cast<const char*>(data), size), "the formula");
  if (parsed.error) {
    if (parsed.error->sentence.empty() || parsed.error->span.end > size + 1) std::abort();
    return 0;
  }
  const auto values = taut::evaluate(
      parsed.formula, [](std::string_view name) { return static_cast<taut::Float128>(name.size()) / 3; });
  if (values.size() != parsed.formula.nodes.size()) std::abort();
  return 0;
}
