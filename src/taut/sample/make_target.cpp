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
#include <cmath>
#include <map>
#include <numeric>

namespace taut {

namespace {

// Determinants of masses are formulas, and so are their gradients: their number goes with the third power.
constexpr int most_eliminated = 40;

class TargetMaker {
 public:
  TargetMaker(const Model& model, const TargetOptions& options)
      : model_(model), options_(options), s_(model.derived ? *model.derived : derive(model)) {
    out_.n = s_.n - (model.dynamics.timed ? 1 : 0);
    for (int k = 0; k < out_.n; ++k)
      nodes_[model.coordinates[static_cast<std::size_t>(k)]] = s_.graph.input(k);
    for (const NamedFormula& a : model.parameters) nodes_[a.name] = s_.graph.constant(a.value);
  }

  TargetCode make() {
    out_.free_m = s_.m;
    out_.coordinates.assign(model_.coordinates.begin(), model_.coordinates.begin() + out_.n);
    for (int k = 0; k < out_.n; ++k)
      out_.start.push_back(static_cast<double>(model_.q[static_cast<std::size_t>(k)].value));
    refuse_time(s_.g, "a constraint");
    take_measure();
    int U = minus_log_density();
    if (out_.measure == Measure::rigid) U = with_masses(U);
    refuse_time({U}, "the density");
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
    out_.measure_of_U = out_.measure;
  }

  // If something depends on t, the time is the last coordinate of the system; it is not sampled.
  void refuse_time(const std::vector<int>& nodes, const char* what) {
    if (!model_.dynamics.timed) return;
    for (const int f : nodes)
      for (const int input : s_.graph.inputs_of(f))
        if (input == out_.n)
          throw InputError(
              fmt::format("{}: {} depends on t, and a distribution belongs to one moment.\n  Write a "
                          "parameter in its place.",
                          shown(model_.name), what));
  }

  // Returns U with what the momenta leave when they are integrated out. A diagonal, constant mass becomes
  // the metric of the measure, and nothing is added. Otherwise the density is made an ambient one,
  // ρ det(M)^{1/2} det(G W Gᵀ)^{1/2} with W = M⁻¹, by elimination in the graph.                        (SM10)
  int with_masses(int U) {
    if (s_.kind != System::Kind::hamiltonian && s_.inverse_mass.size() == static_cast<std::size_t>(s_.n)) {
      for (const Float128 w : s_.inverse_mass) out_.mass_metric.push_back(static_cast<double>(w));
      return U;
    }
    find_kinetic();
    if (s_.m > most_eliminated)
      throw InputError(
          fmt::format("the measure `rigid` with masses that are a matrix or depend on the coordinates is "
                      "known for at most "
                      "{} constraints, and there are {}.",
                      most_eliminated, s_.m));
    out_.measure_of_U = Measure::conditioned;
    Graph& graph = s_.graph;
    const auto m = static_cast<std::size_t>(s_.m);
    std::vector<int> S(m * m, graph.constant(0));
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (int e = s_.begin[i]; e < s_.begin[i + 1]; ++e)
          for (int f = s_.begin[j]; f < s_.begin[j + 1]; ++f)
            S[i * m + j] = plus(
                S[i * m + j],
                times(times(s_.G[static_cast<std::size_t>(e)], s_.G[static_cast<std::size_t>(f)]),
                      W_at(s_.column[static_cast<std::size_t>(e)], s_.column[static_cast<std::size_t>(f)])));
    eliminate(S, m);
    const int half = graph.constant(Float128(1) / 2);
    const auto n = static_cast<std::size_t>(out_.n);
    for (std::size_t k = 0; k < n; ++k)
      if (!graph.is_constant(W_[k * n + k])) U = plus(U, times(half, graph.make(Op::log, W_[k * n + k])));
    for (std::size_t k = 0; k < m; ++k)
      U = graph.make(Op::subtract, U, times(half, graph.make(Op::log, S[k * m + k])));
    return U;
  }

  // Finds H = V + b·p + ½ pᵀWp, of which W_ keeps W = L D Lᵀ: D on the diagonal, L D below it. V_ is what is
  // least over all momenta, V - ½ bᵀW⁻¹b.
  void find_kinetic() {
    if (V_ >= 0) return;
    Graph& graph = s_.graph;
    const auto n = static_cast<std::size_t>(out_.n);
    if (s_.kind != System::Kind::hamiltonian) {
      V_ = s_.V;
      for (const Float128 w : s_.inverse_mass) W_.push_back(graph.constant(w));
      kept_W_ = W_;
      eliminate(W_, n);
      return;
    }
    const auto is_momentum = [&](int input) { return input >= s_.n && input < 2 * s_.n; };
    const auto at_rest = [&](int f) {
      return graph.replace(f, [&](int k) { return is_momentum(k) ? graph.constant(0) : -1; });
    };
    const auto depends_on_p = [&](int f) {
      const std::vector<int> inputs = graph.inputs_of(f);
      return std::any_of(inputs.begin(), inputs.end(), is_momentum);
    };
    std::vector<int> p(n), b;
    std::iota(p.begin(), p.end(), s_.n);
    bool quadratic = true;
    for (const int k : graph.below({s_.H}))  // a derivative passes over a sign as if it were a number
      quadratic = quadratic && !(graph[k].op == Op::sign && depends_on_p(k));
    for (std::size_t i = 0; i < n; ++i) {
      for (const int w : graph.gradient(s_.H_p[i], p)) {
        quadratic = quadratic && !depends_on_p(w);
        W_.push_back(w);
      }
      b.push_back(at_rest(s_.H_p[i]));
    }
    if (!quadratic)
      throw InputError(
          "momenta are integrated out of a Hamiltonian that is quadratic in them, and this one is not.\n  "
          "Give the "
          "density in [sampling], with the measure `surface` or `conditioned`.");
    if (n > most_eliminated)
      throw InputError(
          fmt::format("masses that depend on the coordinates are integrated out for at most {} coordinates, "
                      "and there are "
                      "{}.",
                      most_eliminated, n));
    V_ = at_rest(s_.H);
    kept_W_ = W_;
    eliminate(W_, n);
    for (std::size_t i = 0; i < n; ++i) {  // b becomes L⁻¹ b
      for (std::size_t j = 0; j < i; ++j)
        b[i] =
            graph.make(Op::subtract, b[i], times(b[j], graph.make(Op::divide, W_[i * n + j], W_[j * n + j])));
      const int square = times(b[i], b[i]);
      if (!graph.is_constant(square, 0))
        V_ = graph.make(Op::subtract, V_,
                        graph.make(Op::divide, square, times(graph.constant(2), W_[i * n + i])));
    }
  }

  int plus(int a, int b) { return s_.graph.make(Op::add, a, b); }
  int times(int a, int b) {
    if (s_.graph.is_constant(a, 0)) return a;
    return s_.graph.is_constant(b, 0) ? b : s_.graph.make(Op::multiply, a, b);
  }
  int W_at(int i, int j) const {
    return kept_W_[static_cast<std::size_t>(i) * static_cast<std::size_t>(out_.n) +
                   static_cast<std::size_t>(j)];
  }
  // Replaces the lower triangle of a symmetric A = L D Lᵀ by L D, with D on the diagonal. A is positive
  // definite, so that no pivot is chosen.
  void eliminate(std::vector<int>& A, std::size_t n) {
    Graph& graph = s_.graph;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j + 1; i < n; ++i) {
        if (graph.is_constant(A[i * n + j], 0)) continue;
        const int l = graph.make(Op::divide, A[i * n + j], A[j * n + j]);
        for (std::size_t k = j + 1; k <= i; ++k)
          if (!graph.is_constant(A[k * n + j], 0))
            A[i * n + k] = graph.make(Op::subtract, A[i * n + k], times(l, A[k * n + j]));
      }
  }

  // (SM1): the formula with another sign, or V/kT.
  int minus_log_density() {
    Graph& graph = s_.graph;
    const std::optional<double> temperature =
        options_.temperature ? options_.temperature : model_.sampling.temperature;
    if (temperature) out_.kT = *temperature;
    if (!std::isfinite(out_.kT)) throw InputError("the temperature kT is a finite number.");
    if (model_.sampling.density && !options_.temperature)
      return graph.make(Op::negate, node(*model_.sampling.density));
    if (!temperature)
      throw InputError(fmt::format(
          "{}: the model does not say what is to be sampled.\n  Write density = \"log density\" or "
          "temperature = "
          "kT into [sampling], or --temperature; with a temperature the\n  density is exp(-V/kT).",
          shown(model_.name)));
    if (s_.kind != System::Kind::hamiltonian)
      return graph.make(Op::divide, s_.V, graph.constant(Float128(*temperature)));
    if (!model_.dynamics.forces.empty())
      throw InputError(
          "a temperature needs a system whose forces have a potential, and this one has [[forces]] or "
          "damping "
          "beside it.\n  Give the density in [sampling] instead.");
    find_kinetic();
    const bool are_constant =
        std::all_of(kept_W_.begin(), kept_W_.end(), [&](int w) { return graph.inputs_of(w).empty(); });
    if (s_.m == 0 && !are_constant && !options_.measure && !model_.sampling.measure)
      throw InputError(fmt::format(
          "{}: the masses depend on the coordinates, and the model does not say what that means for the "
          "density.\n  Write measure = \"rigid\" into [sampling], or --measure, for what is left of "
          "exp(-H/kT) when momenta are\n  integrated out, and \"surface\" for exp(-V/kT) as it stands.",
          shown(model_.name)));
    return graph.make(Op::divide, V_, graph.constant(Float128(*temperature)));
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
    out_.pattern = std::make_shared<const GramPattern>(out_.m, out_.n, s_.begin, s_.column);
    out_.free_pattern = out_.pattern;
    if (out_.m == out_.free_m) return;
    std::vector<int> begin = s_.begin, column = s_.column;
    begin.pop_back();
    column.resize(static_cast<std::size_t>(begin.back()));
    out_.free_pattern = std::make_shared<const GramPattern>(out_.free_m, out_.n, begin, column);
  }

  std::vector<int> by_q(int f) {
    std::vector<int> q(static_cast<std::size_t>(out_.n));
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
    out_.all = code(joined(joined({U}, slope), s_.G), out_.n);
    out_.value = code(joined({U}, s_.G), out_.n);
    out_.g = code(s_.g, out_.n);
    out_.g_and_G = code(joined(s_.g, s_.G), out_.n);
    int sum = graph.constant(0);
    for (std::size_t e = 0; e < s_.G.size(); ++e)
      sum = graph.make(Op::add, sum,
                       graph.make(Op::multiply, s_.G[e], graph.input(out_.n + static_cast<int>(e))));
    out_.bend = code(by_q(sum), out_.n + static_cast<int>(s_.G.size()));
    if (options_.held.empty()) return;
    out_.turn = code(
        graph.along(s_.G, [&](int input) { return input < out_.n ? graph.input(2 * out_.n + input) : -1; }),
        out_.n);
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
    out_.quantities = code(outputs, out_.n);
  }

  const Model& model_;
  const TargetOptions& options_;
  System s_;
  std::map<std::string, int> nodes_;
  int V_ = -1;                   // find_kinetic
  std::vector<int> W_, kept_W_;  // row by row
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
