#include <taut/model/code/confirm.hpp>
#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/velocity_nodes.hpp>
#include <taut/model/model.hpp>
#include <taut/run/formula_quantities.hpp>

#include <algorithm>
#include <limits>
#include <map>

namespace taut {

struct FormulaQuantities::Compiled {
  Evaluator<double> evaluate;
  std::vector<Formula> formulas;
  std::vector<std::string> coordinates;
  std::map<std::string, Float128, std::less<>> parameters;
  Graph graph = {};  // with the velocities that formulas use
  std::map<std::string, int, std::less<>> velocities = {};
  int width = 0;
};

// The inputs of the program are three vectors: q, p, and one that holds λ and then the time. It may be longer
// than q; the program reads of each vector what the formulas use.
FormulaQuantities::FormulaQuantities(const Model& model) : multipliers_(model.constraints.size()) {
  const int n = static_cast<int>(model.coordinates.size()), m = static_cast<int>(multipliers_);
  const int width = std::max(n, m + 1);
  Graph graph;
  std::vector<int> velocity;
  std::map<std::string, int, std::less<>> used;
  const std::function<int(std::string_view)> node_of = [&](std::string_view name) {
    for (int k = 0; k < n; ++k) {
      const std::string& x = model.coordinates[static_cast<std::size_t>(k)];
      if (name == x) return graph.input(k);
      if (name == "p_" + x) return graph.input(width + k);
    }
    for (const NamedFormula& a : model.parameters)
      if (name == a.name) return graph.constant(a.value);
    if (name == "t") return graph.input(2 * width + m);
    if (const int k = velocity_number(model, name); k >= 0) {
      if (velocity.empty()) velocity = velocity_nodes(graph, model, node_of, width);
      return used.emplace(name, velocity[static_cast<std::size_t>(k)]).first->second;
    }
    use_multipliers_ = true;
    return graph.input(2 * width + std::stoi(std::string(name.substr(name.find('_') + 1))) - 1);
  };
  std::vector<int> outputs;
  std::vector<Formula> formulas;
  for (const NamedFormula& a : model.quantities) {
    names_.push_back(a.name);
    outputs.push_back(graph.add(a.formula, node_of));
    formulas.push_back(a.formula);
  }
  compiled_ = std::make_unique<Compiled>(
      Compiled{Evaluator<double>(std::make_shared<const Program>(linearise(graph, outputs, width))),
               std::move(formulas),
               model.coordinates,
               {},
               std::move(graph),
               std::move(used),
               width});
  for (const NamedFormula& a : model.parameters) compiled_->parameters.emplace(a.name, a.value);
}

FormulaQuantities::~FormulaQuantities() = default;

// Formulas of the text are evaluated to 113 bits; nothing is compiled for it, because samples are few.
std::vector<Wide> FormulaQuantities::at(const WideState& x) const {
  const auto whole = [](const Wide& y) { return Float128(y.high) + Float128(y.middle) + Float128(y.low); };
  std::map<std::string, Float128, std::less<>> known = compiled_->parameters;
  for (std::size_t k = 0; k < compiled_->coordinates.size(); ++k) {
    known[compiled_->coordinates[k]] = whole(x.q[k]);
    known["p_" + compiled_->coordinates[k]] = whole(x.p[k]);
  }
  known["t"] = whole(x.time);
  for (std::size_t k = 0; k < multipliers_; ++k)
    known["lambda_" + std::to_string(k + 1)] =
        k < x.lambda.size() ? whole(x.lambda[k]) : Float128(std::numeric_limits<double>::quiet_NaN());
  const auto width = static_cast<std::size_t>(compiled_->width);
  for (const auto& [name, node] : compiled_->velocities)
    known[name] = node_values(compiled_->graph, {node}, [&](int input) {
                    const auto k = static_cast<std::size_t>(input);
                    return whole(k < width ? x.q[k] : x.p[k - width]);
                  }).front();
  std::vector<Wide> values;
  for (const Formula& formula : compiled_->formulas) {
    const Float128 value =
        evaluate(formula, [&](std::string_view name) { return known.find(name)->second; }).back();
    Wide parts{.high = static_cast<double>(value)};
    parts.middle = static_cast<double>(value - parts.high);
    parts.low = static_cast<double>(value - parts.high - parts.middle);
    values.push_back(parts);
  }
  return values;
}

void FormulaQuantities::add(std::span<const double> q, std::span<const double> p,
                            std::span<const double> lambda, double time, std::vector<double>& to) const {
  std::vector<double> others(lambda.begin(), lambda.end());
  others.resize(multipliers_, std::numeric_limits<double>::quiet_NaN());
  others.push_back(time);
  const std::size_t before = to.size();
  to.resize(before + names_.size());
  compiled_->evaluate(q.data(), p.data(), others.data(), to.data() + before);
}

}  // namespace taut
