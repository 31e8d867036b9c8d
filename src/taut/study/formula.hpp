// A formula of a study, ready to be evaluated many times on a list of named values.
#pragma once

#include <taut/model/code/evaluator.hpp>
#include <taut/study/history.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

class StudyFormula {
 public:
  StudyFormula(const Study& study, const Expression& expression, const std::vector<std::string>& names)
      : used_(names.size(), false) {
    Graph graph;
    const int root = graph.add(expression.formula, [&](std::string_view name) {
      const auto at = std::find(names.begin(), names.end(), name);
      if (at == names.end())
        refuse(study, expression.place, "unknown name `" + shown(name) + "`",
               known_names("known here:", name, names));
      const auto k = static_cast<std::size_t>(at - names.begin());
      used_[k] = true;
      return graph.input(static_cast<int>(k));
    });
    const auto size = std::max<std::size_t>(1, names.size());
    program_ =
        Evaluator<double>(std::make_shared<const Program>(linearise(graph, {root}, static_cast<int>(size))));
  }

  bool uses(std::size_t k) const { return used_[k]; }
  double operator()(const std::vector<double>& values) const {
    double result = 0;
    program_(values.data(), nullptr, nullptr, &result);
    return result;
  }

 private:
  std::vector<bool> used_;
  Evaluator<double> program_;
};

}  // namespace taut
