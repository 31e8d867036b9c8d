// Makes the programs of a target from the formulas of a model.
#include <taut/backend/compiled_object.hpp>
#include <taut/contract/request.hpp>
#include <taut/model/code/own_functions.hpp>
#include <taut/model/code/program_source.hpp>
#include <taut/model/code/system.hpp>
#include <taut/run/model_run.hpp>
#include <taut/sample/target.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <numeric>

namespace taut {

namespace {

class TargetMaker {
 public:
  TargetMaker(const Model& model, const TargetOptions& options)
      : model_(model), options_(options), s_(model.derived ? *model.derived : derive(model)) {
    for (int k = 0; k < s_.n; ++k) nodes_[model.coordinates[static_cast<std::size_t>(k)]] = s_.graph.input(k);
    for (const NamedFormula& a : model.parameters) nodes_[a.name] = s_.graph.constant(a.value);
  }

  TargetCode make() {
    out_.n = s_.n;
    out_.free_m = s_.m;
    out_.coordinates = model_.coordinates;
    for (const NamedFormula& x : model_.q) out_.start.push_back(static_cast<double>(x.value));
    take_measure();
    const int U = minus_log_density();
    hold();
    out_.m = static_cast<int>(s_.g.size());
    make_patterns();
    make_programs(U);
    make_quantities();
    return std::move(out_);
  }

 private:
  void take_measure() {
    const SamplingSettings& given = model_.sampling;
    if (options_.measure) {
      out_.measure = *options_.measure;
    } else if (given.measure) {
      out_.measure = *choice_named<Measure>(*given.measure);
    } else if (s_.m > 0) {
      throw InputError(fmt::format(
          "{}: the model does not say with respect to which measure the density is one.\n  Write measure = "
          "\"surface\", \"conditioned\" or \"rigid\" into [sampling], or --measure: the area of g = 0, the\n "
          " "
          "ambient density given g = 0, or what is left of exp(-V/kT) when momenta are integrated out.\n  "
          "docs/theory/sampling.md says which one you have.",
          shown(model_.name)));
    }
    if (out_.measure == Measure::rigid) take_mass();
  }

  void take_mass() {
    if (s_.kind == System::Kind::hamiltonian || s_.inverse_mass.size() != static_cast<std::size_t>(s_.n))
      throw InputError(
          "the measure `rigid` is the area in the metric of the masses, and is known here for a diagonal, "
          "constant "
          "mass alone.\n  With another mass M, give the density with respect to the measure `conditioned` "
          "and add "
          "log sqrt(det(G M⁻¹ Gᵀ)) to it.");
    for (const Float128 w : s_.inverse_mass) out_.mass_metric.push_back(static_cast<double>(w));
  }

  // (SM1): the formula with another sign, or V/kT.
  int minus_log_density() {
    Graph& graph = s_.graph;
    const std::optional<double> temperature =
        options_.temperature ? options_.temperature : model_.sampling.temperature;
    if (temperature) out_.kT = *temperature;
    if (model_.sampling.density && !options_.temperature)
      return graph.make(Op::negate, node(*model_.sampling.density));
    if (!temperature)
      throw InputError(fmt::format(
          "{}: the model does not say what is to be sampled.\n  Write density = \"log density\" or "
          "temperature = "
          "kT into [sampling], or --temperature; with a temperature the\n  density is exp(-V/kT).",
          shown(model_.name)));
    if (s_.kind == System::Kind::hamiltonian)
      throw InputError(
          "a temperature needs a system with masses and a potential V, and this one has a Hamiltonian of its "
          "own.\n"
          "  Give the density in [sampling] instead.");
    return graph.make(Op::divide, s_.V, graph.constant(Float128(*temperature)));
  }

  int node(const Formula& f) {
    return s_.graph.add(f, [&](std::string_view name) {
      const auto at = nodes_.find(std::string(name));
      if (at == nodes_.end()) throw InputError(fmt::format("`{}` cannot be used here.", name));
      return at->second;
    });
  }
  bool is_of_q(const Formula& f) const {
    return std::all_of(f.nodes.begin(), f.nodes.end(), [&](const FormulaNode& x) {
      return x.op != Op::input || nodes_.contains(std::string(f.part(x.span)));
    });
  }

  // Adds ξ(q) - z as the last constraint.
  void hold() {
    if (options_.held.empty()) return;
    for (const NamedFormula& quantity : model_.quantities) {
      if (quantity.name != options_.held) continue;
      if (!is_of_q(quantity.formula))
        throw InputError("the coordinate of a free energy is a formula of coordinates and parameters alone.");
      const int held = node(quantity.formula);
      const std::vector<int> inputs = s_.graph.inputs_of(held);
      if (inputs.empty()) throw InputError("the coordinate of a free energy is a constant.");
      s_.g.push_back(s_.graph.make(Op::subtract, held, s_.graph.constant(Float128(options_.held_value))));
      const std::vector<int> row = s_.graph.gradient(held, inputs);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        s_.column.push_back(inputs[k]);
        s_.G.push_back(row[k]);
      }
      s_.begin.push_back(static_cast<int>(s_.column.size()));
      return;
    }
    throw InputError("there is no quantity " + ticked(options_.held) + " to hold.");
  }

  void make_patterns() {
    out_.pattern = std::make_shared<const GramPattern>(out_.m, s_.n, s_.begin, s_.column);
    out_.free_pattern = out_.pattern;
    if (out_.m == out_.free_m) return;
    std::vector<int> begin = s_.begin, column = s_.column;
    begin.pop_back();
    column.resize(static_cast<std::size_t>(begin.back()));
    out_.free_pattern = std::make_shared<const GramPattern>(out_.free_m, s_.n, begin, column);
  }

  std::vector<int> by_q(int f) {
    std::vector<int> q(static_cast<std::size_t>(s_.n));
    std::iota(q.begin(), q.end(), 0);
    return s_.graph.gradient(f, q);
  }
  TargetCode::Code code(const std::vector<int>& nodes, int block) {
    return std::make_shared<const Program>(linearise(s_.graph, nodes, block));
  }
  static std::vector<int> joined(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  void make_programs(int U) {
    Graph& graph = s_.graph;
    const std::vector<int> slope = by_q(U);
    out_.all = code(joined(joined({U}, slope), s_.G), s_.n);
    out_.value = code(joined({U}, s_.G), s_.n);
    out_.g = code(s_.g, s_.n);
    out_.g_and_G = code(joined(s_.g, s_.G), s_.n);
    int sum = graph.constant(0);
    for (std::size_t e = 0; e < s_.G.size(); ++e)
      sum = graph.make(Op::add, sum,
                       graph.make(Op::multiply, s_.G[e], graph.input(s_.n + static_cast<int>(e))));
    out_.bend = code(by_q(sum), s_.n + static_cast<int>(s_.G.size()));
    if (options_.held.empty()) return;
    out_.turn =
        code(graph.along(s_.G, [&](int input) { return input < s_.n ? graph.input(2 * s_.n + input) : -1; }),
             s_.n);
  }

  void make_quantities() {
    std::vector<int> outputs;
    for (const NamedFormula& quantity : model_.quantities) {
      if (quantity.name == options_.held) continue;
      if (!is_of_q(quantity.formula)) {
        out_.left_out.push_back(quantity.name);
        continue;
      }
      outputs.push_back(node(quantity.formula));
      out_.quantity_names.push_back(quantity.name);
    }
    out_.quantities = code(outputs, s_.n);
  }

  const Model& model_;
  const TargetOptions& options_;
  System s_;
  std::map<std::string, int> nodes_;
  TargetCode out_;
};

}  // namespace

TargetCode make_target(const Model& model, const TargetOptions& options) {
  if (model.particles)
    throw InputError(fmt::format(
        "{}: models of formulas are sampled, not systems of particles. Write the system with [system].",
        shown(model.name)));
  return TargetMaker(model, options).make();
}

std::string compile_target(TargetCode& code) {
  const std::array list{&code.all, &code.value, &code.g, &code.g_and_G, &code.bend};
  std::vector<const Program*> programs;
  for (const auto* program : list) programs.push_back(program->get());
  const CompiledObject object = compiled_object({.text = source_of(programs)});
  if (object.handle == nullptr) return object.missing;
  for (const OwnFunction& function : own_functions())
    if (void* const pointer = object.symbol(std::string(function.symbol)); pointer != nullptr)
      std::atomic_ref(*static_cast<void**>(pointer)).store(function.address);
  std::vector<CompiledProgram> compiled;
  for (std::size_t k = 0; k < list.size(); ++k) {
    void* const function = object.symbol(program_symbol(k));
    if (function == nullptr) return "the compiled object has not all of the functions";
    compiled.push_back(std::bit_cast<CompiledProgram>(function));
  }
  for (std::size_t k = 0; k < list.size(); ++k) {
    auto copy = std::make_shared<Program>(**list[k]);
    copy->compiled = compiled[k];
    *list[k] = std::move(copy);
  }
  return {};
}

}  // namespace taut
