// Rewrites a model to a fictitious time: H becomes K = σ(q)(H + p_time) + (p_time + E₀)²/2, with the time as
// the last coordinate. Labels: docs/theory/adaptive.md.
#include <taut/contract/time_transform.hpp>
#include <taut/model/code/graph_text.hpp>
#include <taut/model/code/legendre.hpp>
#include <taut/model/read/model_reader.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/words/wording.hpp>

namespace taut {

bool ModelReader::read_time_transform(const Value& t) {
  const Entry* e = t.find("time-transform");
  if (!e) return false;
  RunSettings& run = model_.run;
  if (root_.find("particles")) {
    fail(e->value, "a system of particles has no time transform",
         "write a small one with [system], or take steps of one size");
  } else if (formula(e->value, "the time transform", Use::position, run.step_formula)) {
    run.step_function = as_time_transform(run.step_formula.text);
  }
  return true;
}

// Says why the model cannot be rewritten. Returns false then.
bool ModelReader::may_transform_time(const Entry& e) {
  const std::string name = time_name;
  const auto refuse = [&](const std::string& sentence, const std::string& note) {
    fail(e.value, "a time transform " + sentence, note);
    return false;
  };
  if (model_.run.method && model_.run.method->starts_with("adaptive"))
    return refuse("beside adaptive(M)",
                  "one of them says how long the steps are: take lobatto(s), midpoint or dirac-gauss(s), or "
                  "give adaptive(M) a step function");
  if (model_.dynamics.timed)
    return refuse("in a model that depends on t or has forces", "it is for H(q, p) and g(q) alone");
  if (model_.form == Model::Form::split)
    return refuse("of a potential in two parts", "the methods that take the parts take no transform");
  if (root_.find("parametrisation"))
    return refuse("in a model with [parametrisation]", "coordinates of one's own have no time among them");
  if (root_.find("sampling"))
    return refuse("in a model with [sampling]", "draws have no time; leave one of the two out");
  for (const std::string& taken : {name, "p_" + name})
    if (names_.contains(taken))
      return refuse("makes the time a coordinate, " + ticked(name) + ", and the model has a " +
                        word_of(names_.at(taken)) + " " + ticked(taken),
                    "choose another name for that");
  return true;
}

Float128 ModelReader::value_at_start(const Formula& f) const {
  const auto value = [&](std::string_view text) {
    const std::string name(text);
    const What what = names_.at(name);
    if (what == What::parameter) return values_.at(name);
    if (what == What::coordinate)
      return model_.q[static_cast<std::size_t>(coordinate_number_.at(name))].value;
    return model_.p[static_cast<std::size_t>(coordinate_number_.at(name.substr(2)))].value;
  };
  return evaluate(f, value).back();
}

void ModelReader::transform_time() {
  const Entry* run = root_.find("run");
  const Entry* e = run ? run->value.find("time-transform") : nullptr;
  if (!e || !errors_.empty() || !may_transform_time(*e)) return;
  Formula H = model_.hamiltonian;
  if (model_.form == Model::Form::natural) {
    Legendre legendre(model_);
    legendre.take_mass(model_.mass);
    legendre.subtract_potential(model_.potential);
    H = legendre.hamiltonian();
    model_.dynamics.written_as = "mass";
  }
  const Float128 energy = value_at_start(H), sigma = value_at_start(model_.run.step_formula);
  if (!finite(energy)) return;  // check_start says which part of H has no value
  if (!(sigma > 0) || !finite(sigma)) {
    fail(e->value, "the time transform is " + number_text(static_cast<double>(sigma)) + " at the start",
         "it must be positive: a step has about its value times --step");
    return;
  }
  // E₀ is a double, so that p_time + E₀ is 0 to the last bit in every precision.
  const auto E0 = static_cast<double>(energy);
  const auto n = static_cast<int>(model_.coordinates.size());
  Graph graph;
  std::vector<std::string> inputs;
  const auto node_of = [&](std::string_view name) {
    for (std::size_t k = 0; k < inputs.size(); ++k)
      if (inputs[k] == name) return graph.input(static_cast<int>(k));
    inputs.emplace_back(name);
    return graph.input(static_cast<int>(inputs.size()) - 1);
  };
  const std::string momentum = std::string("p_") + time_name;
  const int p_time = node_of(momentum), off = graph.make(Op::add, p_time, graph.constant(E0));
  const int above = graph.make(Op::add, graph.add(H, node_of), p_time);
  const int K =
      graph.make(Op::add, graph.make(Op::multiply, graph.add(model_.run.step_formula, node_of), above),
                 graph.make(Op::multiply, graph.constant(Float128(1) / 2),
                            graph.make(Op::multiply, off, off)));  // (AD6)
  model_.hamiltonian =
      formula_of_graph(graph, K, [&](int input) { return inputs[static_cast<std::size_t>(input)]; }, H.text);
  model_.form = Model::Form::hamiltonian;
  names_[time_name] = What::coordinate;
  names_[momentum] = What::momentum;
  coordinate_number_[time_name] = n;
  model_.coordinates.emplace_back(time_name);
  model_.q.push_back({time_name, {}, 0});
  model_.p.push_back({momentum, {}, Float128(-E0)});  // (AD7)
}

}  // namespace taut
