#include <taut/model/text/equation.hpp>

namespace taut {

ParsedFormula parse_equation(std::string text, const std::string& what, const KnownVectors& known) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) return parse_formula(std::move(text), what, known);
  ParsedFormula both = parse_formula(text.substr(0, at), what, known);
  std::vector<FormulaNode>& nodes = both.formula.nodes;
  // Names behind the left side stand behind the whole text now.
  for (FormulaNode& node : nodes)
    if (both.formula.is_defined(node.span))
      node.span = {node.span.begin + text.size() - at, node.span.end + text.size() - at};
  both.formula.text = text;
  if (both.error) return both;
  const ParsedFormula right = parse_formula(std::string(at + 1, ' ') + text.substr(at + 1), what, known);
  both.error = right.error;
  const int first = static_cast<int>(nodes.size());
  const std::size_t shift = both.formula.defined.size();
  for (FormulaNode node : right.formula.nodes) {
    if (node.a >= 0) node.a += first;
    if (node.b >= 0) node.b += first;
    if (right.formula.is_defined(node.span)) node.span = {node.span.begin + shift, node.span.end + shift};
    nodes.push_back(node);
  }
  both.formula.defined += right.formula.defined;
  if (!both.error)
    nodes.push_back(
        {Op::subtract, first - 1, static_cast<int>(nodes.size()) - 1, 0, {0, both.formula.text.size()}});
  return both;
}

std::string equation_text(const Formula& constraint) {
  const bool is_equation = constraint.text.find('=') != std::string::npos;
  return is_equation ? constraint.text : "0 = " + constraint.text;
}

}  // namespace taut
