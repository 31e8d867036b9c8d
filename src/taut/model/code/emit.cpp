#include <taut/model/code/emit.hpp>
#include <taut/model/text/function_name.hpp>
#include <taut/model/text/letters.hpp>

#include <taut/model/code/program_source.hpp>
#include <taut/model/code/system.hpp>
#include <taut/problem/jacobian.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace taut {

namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Puts the author's text inside a comment: one line, without a backslash that could join the next line to it.
// Greek letters are written as words.
std::string comment(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && at < most) {
    const char c = text[at];
    const std::size_t bytes = std::max<std::size_t>(1, letter_at(text, at));
    if (bytes > 1)
      out += latex_of_letter(text.substr(at, bytes)).substr(1);
    else
      out += c >= 0x20 && c < 0x7F && c != '\\' ? c : (c == '\n' ? ' ' : '?');
    at += bytes;
  }
  return at < text.size() ? out + "..." : out;
}

// Writes the nearest double, and the rest if that is not the number: 106 bits for the scalars that have them,
// and all 113 if `all`.
std::string number(Float128 x, bool all) {
  const auto text = [](double y) {
    return finite(y) ? fmt::format("T({})", y) : fmt::format("T({})", cpp_number(y));
  };
  const double high = static_cast<double>(x);
  const Float128 rest = x - high;
  if (const Float128 last = rest - static_cast<double>(rest); all && last != 0 && finite(last))
    return fmt::format("({} + {} + {})", text(high), text(static_cast<double>(rest)),
                       text(static_cast<double>(last)));
  if (rest != 0 && finite(rest)) return fmt::format("({} + {})", text(high), text(static_cast<double>(rest)));
  return text(high);
}

class Emitter {
 public:
  // The last one is as `compiler`, with the numbers of the formulas as data of the problem.
  enum class For { people, compiler, lanes };
  Emitter(const Model& model, std::string type, For reader, bool all_digits = false)
      : model_(model),
        type_(std::move(type)),
        reader_(reader),
        all_digits_(all_digits),
        s_(derive(model, reader == For::people ? Parameters::symbols : Parameters::numbers)),
        symbols_(reader == For::people) {
    if (!symbols_) return;
    // A system that is natural only for these values of the parameters is written with the values in it.
    const System with_values = derive(model);
    if (with_values.kind == s_.kind && with_values.column == s_.column) return;
    s_ = with_values;
    symbols_ = false;
  }

  // The numbers in the order of the table, if they are data of the problem.
  const std::vector<double>& numbers() const { return numbers_; }
  bool has_full_mass() const { return s_.kind != System::Kind::hamiltonian && mass_kind() == Mass::full; }

  std::string emit() {
    find_sources();
    head();
    line("template <class T = double>");
    line("struct {} : Shape<T, {}, {}, {}>{} {{", type_, s_.n, s_.m, jacobian(),
         reader_ == For::people ? "" : ", GradientCount");
    line("  using Base = Shape<T, {}, {}, {}>;", s_.n, s_.m, jacobian());
    line(
        "  using typename Base::Jacobian;\n  using typename Base::Multiplier;\n  using typename "
        "Base::Vec;\n");
    members();
    line("  int coordinates() const {{ return {}; }}\n  int constraints() const {{ return {}; }}", s_.n,
         s_.m);
    if (const int rolling = model_.dynamics.velocity_constraints; rolling > 0)
      line("  static constexpr int holonomic() {{ return {}; }}", s_.m - rolling);
    line("  Jacobian make_jacobian() const {{ return {{}}; }}\n");
    if (s_.kind == System::Kind::hamiltonian) {
      value("H", "const Vec& q, const Vec& p", s_.H);
      vector("H_q", "const Vec& q, const Vec& p, Vec& out", "out", s_.H_q);
      vector("H_p", "const Vec& q, const Vec& p, Vec& out", "out", s_.H_p);
      vector("H_pp_times", "const Vec& q, const Vec& p, const Vec& v, Vec& out", "out", s_.H_pp_v);
    } else {
      value("V", "const Vec& q", s_.V);
      vector("grad_V", "const Vec& q, Vec& out", "out", s_.grad_V);
      if (mass_is_member())
        line("  const {}& W() const {{ return inverse_mass; }}", mass_type());
      else
        line("  {} W() const {{ return mass_of_parameters(); }}", mass_type());
    }
    if (s_.kind == System::Kind::split) {
      value("V_fast", "const Vec& q", s_.V_fast);
      vector("grad_V_fast", "const Vec& q, Vec& out", "out", s_.grad_V_fast);
      vector("grad_V_slow", "const Vec& q, Vec& out", "out", s_.grad_V_slow);
    }
    vector("g", "const Vec& q, Multiplier& out", "out", s_.g);
    vector("G", "const Vec& q, Jacobian& G", "G.entries", kept_);
    if (const std::vector<int> bend = derive_bend(s_, model_); !bend.empty())
      vector("bend", "const Vec& v, Multiplier& out", "out", bend);
    tail();
    return out_;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::string jacobian() const { return fmt::format("PatternJacobian<T, {}Pattern>", type_); }

  void head() {
    if (reader_ == For::people) title();
    line(
        "#pragma once\n\n#include <taut/model/text/{}functions.hpp>\n#include "
        "<taut/problem/{}.hpp>\n\n#include "
        "<array>\n{}#include <string>\n\nnamespace taut {{\n",
        reader_ == For::compiler ? "" : "lane_",
        reader_ == For::people ? "tiers" : "gradient_count.hpp>\n#include <taut/problem/tiers",
        reader_ == For::lanes ? "#include <span>\n" : "");
    line("struct {}Pattern {{", type_);
    line("  static constexpr int rows = {}, columns = {};", s_.m, s_.n);
    line("  static constexpr std::array<Place, {}> places{{{{", s_.column.size());
    for (int i = 0; i < s_.m; ++i) {
      std::string row = "     ";
      for (int k = s_.begin[static_cast<std::size_t>(i)]; k < s_.begin[static_cast<std::size_t>(i) + 1]; ++k)
        row += fmt::format(" {{{}, {}}},", i, s_.column[static_cast<std::size_t>(k)]);
      line("{}", row);
    }
    line("  }}}};");
    if (kept_.size() < s_.G.size()) sources();
    line("}};\n");
  }

  // Writes which entry of G stands at each place. Equal numbers are kept once, and so are those that differ
  // in sign alone, such as the two ends of a rod.
  void sources() {
    line("  static constexpr std::array<Source, {}> sources{{{{", sources_.size());
    for (int i = 0; i < s_.m; ++i) {
      std::string row = "     ";
      for (int k = s_.begin[static_cast<std::size_t>(i)]; k < s_.begin[static_cast<std::size_t>(i) + 1];
           ++k) {
        const Source& at = sources_[static_cast<std::size_t>(k)];
        row += fmt::format(" {{{}, {}}},", at.entry, at.minus);
      }
      line("{}", row);
    }
    line("  }}}};");
  }

  void find_sources() {
    std::unordered_map<int, int> entry_of;
    for (const int node : s_.G) {
      const auto same = entry_of.find(node), opposite = entry_of.find(s_.graph.make(Op::negate, node));
      if (same != entry_of.end()) {
        sources_.push_back({same->second, false});
      } else if (opposite != entry_of.end()) {
        sources_.push_back({opposite->second, true});
      } else {
        const int entry = static_cast<int>(kept_.size());
        entry_of.emplace(node, entry);
        kept_.push_back(node);
        sources_.push_back({entry, false});
      }
    }
  }

  void title() {
    line("// {}", comment(model_.title));
    line("// Made from a model file. Coordinates:");
    for (int i = 0; i < s_.n; ++i)
      line("//   q[{}]  {}", i, comment(model_.coordinates[static_cast<std::size_t>(i)]));
    line("// Constraints, each = 0:");
    for (int k = 0; k < s_.m; ++k)
      line("//   g[{}]  {}", k, comment(model_.constraints[static_cast<std::size_t>(k)].text));
  }

  // Writes a number of the formulas: as it is, or as its place in the table.
  std::string constant(int node) const {
    const Float128 value = s_.graph.value(node);
    if (reader_ != For::lanes) return number(value, all_digits_);
    const auto [at, is_new] = place_of_.try_emplace(node, numbers_.size());
    if (is_new) numbers_.push_back(static_cast<double>(value));
    return fmt::format("c[{}]", at->second);
  }

  // Names the parameters a0, a1, …
  std::string parameter(std::size_t k) const { return fmt::format("a{}", k); }

  void members() {
    if (symbols_)
      for (std::size_t k = 0; k < model_.parameters.size(); ++k)
        line("  T {} = {};  // {} = {}", parameter(k), number(model_.parameters[k].value, all_digits_),
             comment(model_.parameters[k].name), comment(model_.parameters[k].formula.text));
    if (mass_is_member()) line("  {} inverse_mass = mass_of_parameters();", mass_type());
    line("");
  }

  enum class Mass { scalar, diagonal, full };
  Mass mass_kind() const {
    const std::vector<int>& entries = s_.W.empty() ? s_.M : s_.W;
    const auto n = static_cast<std::size_t>(s_.n);
    if (entries.size() > n)
      for (std::size_t k = 0; k < n * n; ++k)
        if (k / n != k % n && !s_.graph.is_constant(entries[k], 0)) return Mass::full;
    const std::size_t stride = entries.size() > n ? n + 1 : 1;
    for (std::size_t i = 0; i < n; ++i)
      if (entries[i * stride] != entries[0]) return Mass::diagonal;
    return Mass::scalar;
  }
  std::string mass_type() const {
    const Mass kind = mass_kind();
    if (kind == Mass::scalar) return "ScalarMass<T>";
    return fmt::format("{}Mass<T, {}>", kind == Mass::diagonal ? "Diagonal" : "Full", s_.n);
  }

  // Numbers that nobody changes are left to the compiler; a full matrix is inverted once.
  bool mass_is_member() const {
    return s_.kind != System::Kind::hamiltonian && (reader_ == For::people || mass_kind() == Mass::full);
  }

  // Writes the table, and what LaneMachineOf asks of it.
  void table() {
    line("  std::array<T, {}> c{{}};", numbers_.size());
    line("  void take_constants(int lane, std::span<const double> from) {{");
    line("    for (std::size_t k = 0; k < c.size(); ++k) set_lane(c[k], lane, from[k]);\n  }}");
    line("  void copy_constants(int lane, int other) {{");
    line("    for (T& x : c) set_lane(x, lane, taut::lane(x, other));\n  }}");
    line("  template <class U>\n  {}<U> cast() const {{\n    {}<U> to;", type_, type_);
    line("    for (std::size_t k = 0; k < c.size(); ++k) to.c[k] = convert<U>(c[k]);\n    return to;\n  }}");
  }

  void tail() {
    if (s_.kind != System::Kind::hamiltonian) mass_function();
    if (reader_ == For::people) start_function();
    if (reader_ == For::lanes) {
      table();
      end();
      return;
    }
    line("  template <class U>\n  {}<U> cast() const {{", type_);
    std::string list = reader_ == For::people ? "{}" : "{}, {}";
    if (symbols_)
      for (std::size_t k = 0; k < model_.parameters.size(); ++k)
        list += fmt::format(", convert<U>({})", parameter(k));
    if (mass_is_member()) list += ", inverse_mass.template cast<U>()";
    line("    return {{{}}};\n  }}", list);
    end();
  }
  void end() {
    line(
        "  static std::string constraint_name(int k) {{ return \"constraint \" + std::to_string(k + 1); "
        "}}\n}};\n\n}}  // namespace taut");
  }

  void mass_function() {
    const bool inverse = !s_.W.empty();
    const std::vector<int>& entries = inverse ? s_.W : s_.M;
    const Mass kind = mass_kind();
    line("  // W = M^-1 for the parameters as they stand; call it again after changing them.");
    line("  {} mass_of_parameters() const {{", mass_type());
    if (kind == Mass::full && all_digits_) {
      full_mass_in_numbers();
    } else if (kind == Mass::full) {
      Block block(*this, entries);
      out_ += block.text;
      line("    Matrix<T, {}, {}> A;", s_.n, s_.n);
      for (int i = 0; i < s_.n; ++i)
        for (int j = 0; j < s_.n; ++j)
          line("    A({}, {}) = {};", i, j, block.of(entries[static_cast<std::size_t>(i) * s_.n + j]));
      line("    const FullMass<T, {}> made = *FullMass<T, {}>::from_mass(A);", s_.n, s_.n);
      line("    return {};", inverse ? "{made.mass, made.inverse}" : "made");
    } else {
      std::vector<int> diagonal;
      for (int i = 0; i < (kind == Mass::scalar ? 1 : s_.n); ++i) {
        const std::size_t stride = entries.size() > static_cast<std::size_t>(s_.n) ? s_.n + 1 : 1;
        const int entry = entries[i * stride];
        diagonal.push_back(inverse ? entry : s_.graph.make(Op::divide, s_.graph.constant(1), entry));
      }
      Block block(*this, diagonal);
      out_ += block.text;
      if (kind == Mass::scalar) {
        line("    return {{{}}};", block.of(diagonal[0]));
      } else {
        line("    DiagonalMass<T, {}> W;", s_.n);
        for (int i = 0; i < s_.n; ++i)
          line("    W.inverse[{}] = {};", i, block.of(diagonal[static_cast<std::size_t>(i)]));
        line("    return W;");
      }
    }
    line("  }}\n");
  }

  // Eigen has no square root of 128-bit floats, and the system has the inverse already.
  void full_mass_in_numbers() {
    line("    FullMass<T, {}> W;", s_.n);
    for (int i = 0; i < s_.n; ++i)
      for (int j = 0; j < s_.n; ++j) {
        const std::size_t k = static_cast<std::size_t>(i) * static_cast<std::size_t>(s_.n) + j;
        line("    W.inverse({}, {}) = {};", i, j, number(s_.inverse_mass[k], true));
        line("    W.mass({}, {}) = {};", i, j, number(s_.mass[k], true));
      }
    line("    return W;");
  }

  void start_function() {
    std::vector<int> nodes;
    const auto node_of = [&](std::string_view name) {
      for (std::size_t k = 0; k < model_.parameters.size(); ++k)
        if (model_.parameters[k].name == name)
          return symbols_ ? s_.graph.input(3 * s_.n + static_cast<int>(k))
                          : s_.graph.constant(model_.parameters[k].value);
      return s_.graph.constant(0);
    };
    for (const auto* side : {&model_.q, &model_.p})
      for (const NamedFormula& x : *side) nodes.push_back(s_.graph.add(x.formula, node_of));
    line("  State<T, {}> start() const {{", s_.n);
    Block block(*this, nodes);
    out_ += block.text;
    line("    State<T, {}> x;", s_.n);
    for (int i = 0; i < 2 * s_.n; ++i)
      line("    x.{}[{}] = {};", i < s_.n ? "q" : "p", i % s_.n,
           block.of(nodes[static_cast<std::size_t>(i)]));
    line("    return x;\n  }}\n");
  }

  void value(std::string_view name, std::string_view arguments, int node) {
    Block block(*this, {node});
    line("  T {}({}) const {{\n{}    return {};\n  }}", name, unnamed(arguments, {node}), block.text,
         block.of(node));
  }
  void vector(std::string_view name, std::string_view arguments, std::string_view out,
              const std::vector<int>& nodes) {
    Block block(*this, nodes);
    const bool counted = reader_ != For::people && (name == "H_q" || name.starts_with("grad_V"));
    line("  void {}({}) const {{\n{}{}", name, unnamed(arguments, nodes),
         counted ? "    this->count_gradient();\n" : "", block.text);
    out_.pop_back();
    for (std::size_t i = 0; i < nodes.size(); ++i) line("    {}[{}] = {};", out, i, block.of(nodes[i]));
    line("  }}");
  }

  // Removes the names of arguments that a function does not use, so that no compiler warns.
  std::string unnamed(std::string_view arguments, const std::vector<int>& nodes) const {
    std::array<bool, 3> used{};
    for (const int k : s_.graph.below(nodes))
      if (s_.graph[k].op == Op::input && s_.graph[k].a < 3 * s_.n)
        used[static_cast<std::size_t>(s_.graph[k].a / s_.n)] = true;
    std::string text(arguments);
    for (std::size_t block = 0; block < 3; ++block) {
      const std::string argument = std::string("Vec& ") + "qpv"[block];
      const std::size_t at = text.find(argument);
      if (at != std::string::npos && !used[block]) text.erase(at + 4, 2);
    }
    return text;
  }

  // The statements that compute `roots`. A value that is used more than once, or that would make an
  // expression too deep, becomes a local.
  class Block {
   public:
    Block(const Emitter& emitter, const std::vector<int>& roots) : e_(emitter) {
      const Graph& graph = e_.s_.graph;
      const std::vector<int> nodes = graph.below(roots);
      std::unordered_map<int, int> uses;
      for (const int k : nodes) {
        if (graph[k].op == Op::constant || graph[k].op == Op::input) continue;
        ++uses[graph[k].a];
        if (graph[k].b >= 0) ++uses[graph[k].b];
      }
      for (const int k : roots) ++uses[k];
      for (const int k : nodes) {
        const Graph::Node& node = graph[k];
        if (node.op == Op::constant) {
          put(k, {e_.constant(k), 3, 0});
        } else if (node.op == Op::input) {
          const int block = node.a / e_.s_.n;
          put(k, {block < 3 ? fmt::format("{}[{}]", "qpv"[block], node.a % e_.s_.n)
                            : e_.parameter(static_cast<std::size_t>(node.a - 3 * e_.s_.n)),
                  3, 0});
        } else {
          Term term = make(node);
          if (uses[k] > 1 || term.depth > deepest) {
            const std::string name = fmt::format("t{}", count_++);
            text += fmt::format("    const T {} = {};\n", name, term.text);
            term = {name, 3, 0};
          }
          put(k, std::move(term));
        }
      }
    }

    const std::string& of(int node) const { return terms_.at(node).text; }
    std::string text;

   private:
    static constexpr int deepest = 6;
    struct Term {
      std::string text;
      int binds;  // 1: a sum, 2: a product, 3: anything that needs no parentheses
      int depth;
    };
    void put(int node, Term term) { terms_.insert_or_assign(node, std::move(term)); }

    std::string in(const Term& t, int least) const {
      return t.binds < least ? fmt::format("({})", t.text) : t.text;
    }

    Term make(const Graph::Node& node) const {
      const Term& a = terms_.at(node.a);
      const Term& b = terms_.at(node.b < 0 ? node.a : node.b);
      const int depth = 1 + std::max(a.depth, b.depth);
      const auto call = [&](std::string_view f) { return Term{fmt::format("{}({})", f, a.text), 3, depth}; };
      switch (node.op) {
        // The right operand keeps its parentheses: the order of the sums is that of the graph.
        case Op::add:
          return {in(a, 1) + " + " + in(b, 2), 1, depth};
        case Op::subtract:
          return {in(a, 1) + " - " + in(b, 2), 1, depth};
        case Op::multiply:
          return {in(a, 2) + " * " + in(b, 3), 2, depth};
        case Op::divide:
          return {in(a, 2) + " / " + in(b, 3), 2, depth};
        case Op::negate:
          return {fmt::format("-{}", in(a, 3)), 1, depth};
        case Op::absolute:
          return call("absolute");
        case Op::sign:
          return call("sign");
        case Op::atan2:
          return {fmt::format("atan2({}, {})", a.text, b.text), 3, depth};
        case Op::power:
          return {fmt::format("power({}, {})", a.text, b.text), 3, depth};
        case Op::constant:
        case Op::input:
          return {};
        default:  // a function of one argument
          return call(function_name(node.op));
      }
    }

    const Emitter& e_;
    std::unordered_map<int, Term> terms_;
    int count_ = 0;
  };

  const Model& model_;
  std::string type_, out_;
  For reader_;
  bool all_digits_;  // numbers have 113 bits
  System s_;
  std::vector<int> kept_;        // the nodes of G that are evaluated
  std::vector<Source> sources_;  // for each place, one of them
  // The places of constants in the table, and their values.
  mutable std::unordered_map<int, std::size_t> place_of_;
  mutable std::vector<double> numbers_;
  bool symbols_;  // parameters are members; otherwise the formulas contain their values
};

}  // namespace

std::string emit_cpp(const Model& model, const std::string& type) {
  const bool usable = is_name(type) && type[0] >= 'A' && type[0] <= 'Z' && is_ascii(type);
  return Emitter(model, usable ? type : "FormulaModel", Emitter::For::people).emit();
}

std::string emit_bare_cpp(const Model& model, const std::string& type, bool all_digits) {
  return Emitter(model, type, Emitter::For::compiler, all_digits).emit();
}

std::optional<EmittedTable> emit_table_cpp(const Model& model, const std::string& type) {
  Emitter emitter(model, type, Emitter::For::lanes);
  if (emitter.has_full_mass()) return std::nullopt;
  std::string text = emitter.emit();
  return EmittedTable{std::move(text), emitter.numbers()};
}

}  // namespace taut
