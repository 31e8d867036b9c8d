#include <taut/model/code/evaluator.hpp>
#include <taut/model/code/velocity_nodes.hpp>
#include <taut/model/model.hpp>
#include <taut/run/events/event_formulas.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace taut {

struct EventFormulas::Compiled {
  Evaluator<double> values;
  std::vector<Evaluator<double>> rates, gradients;
  std::vector<bool> of_position;  // no momenta in the formula
};

// The inputs of the programs are q, p, and a vector that begins with the time.
EventFormulas::EventFormulas(const Model& model)
    : count_(model.dynamics.events.size()), coordinates_(model.coordinates.size()) {
  const int n = static_cast<int>(coordinates_), clock = 2 * n;
  Graph graph;
  std::vector<int> velocity;
  const std::function<int(std::string_view)> state = [&](std::string_view name) {
    for (int k = 0; k < n; ++k) {
      const std::string& x = model.coordinates[static_cast<std::size_t>(k)];
      if (name == x) return graph.input(k);
      if (name == "p_" + x) return graph.input(n + k);
    }
    for (const NamedFormula& a : model.parameters)
      if (name == a.name) return graph.constant(a.value);
    return -1;
  };
  velocity = velocity_nodes(graph, model, state, n);
  const auto node_of = [&](std::string_view name) {
    if (const int known = state(name); known >= 0) return known;
    if (name == "t") return graph.input(clock);
    return velocity[static_cast<std::size_t>(velocity_number(model, name))];
  };
  const auto program = [&](const std::vector<int>& outputs) {
    return Evaluator<double>(std::make_shared<const Program>(linearise(graph, outputs, n)));
  };
  std::vector<int> outputs, inputs(static_cast<std::size_t>(n) + 1);
  std::iota(inputs.begin(), inputs.end(), 0);
  inputs.back() = clock;
  compiled_ = std::make_unique<Compiled>();
  for (const EventRule& event : model.dynamics.events) {
    const int s = graph.add(event.when, node_of);
    outputs.push_back(s);
    std::vector<int> slope = graph.gradient(s, inputs);
    int rate = slope.back();
    slope.pop_back();
    for (std::size_t i = 0; i < slope.size(); ++i)
      rate = graph.make(Op::add, rate, graph.make(Op::multiply, slope[i], velocity[i]));
    const std::vector<int> used = graph.inputs_of(s);
    compiled_->of_position.push_back(
        std::none_of(used.begin(), used.end(), [&](int k) { return k >= n && k < clock; }));
    compiled_->rates.push_back(program({rate}));
    compiled_->gradients.push_back(program(slope));
  }
  compiled_->values = program(outputs);
}

EventFormulas::~EventFormulas() = default;

void EventFormulas::values(const double* q, const double* p, double time, double* out) const {
  compiled_->values(q, p, &time, out);
}

double EventFormulas::rate(std::size_t k, const double* q, const double* p, double time) const {
  double out = std::numeric_limits<double>::quiet_NaN();
  if (compiled_->of_position[k]) compiled_->rates[k](q, p, &time, &out);
  return out;
}

std::vector<double> EventFormulas::gradient(std::size_t k, const double* q, const double* p,
                                            double time) const {
  std::vector<double> out(coordinates_);
  compiled_->gradients[k](q, p, &time, out.data());
  return out;
}

}  // namespace taut
