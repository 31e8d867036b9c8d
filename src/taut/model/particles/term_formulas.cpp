// Reads the numbers, formulas and ranges of a table.
#include <taut/contract/reading_time.hpp>
#include <taut/model/code/interpreter.hpp>
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/letters.hpp>
#include <taut/model/text/number_text.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cmath>

namespace taut {

std::optional<int> ParticleReader::formula(Graph& graph, const Value& v, const std::string& what,
                                           const std::vector<std::string>& variables, const Names& node_of,
                                           const std::string& hint) {
  if (v.kind == Value::Kind::number) return graph.constant(v.number);
  if (v.kind != Value::Kind::text) {
    fail(v, what + " must be a number or a formula in quotes, not " + kind_name(v));
    return std::nullopt;
  }
  return formula(graph, v, v.text, 0, what, variables, node_of, hint);
}
std::optional<int> ParticleReader::formula(Graph& graph, const Value& v, const std::string& text,
                                           std::size_t offset, const std::string& what,
                                           const std::vector<std::string>& variables, const Names& node_of,
                                           const std::string& hint) {
  const ParsedFormula parsed = parse_formula(text, what);
  const auto place = [&](Span s) { return v.place({s.begin + offset, s.end + offset}); };
  if (parsed.error) {
    fail(*v.source, place(parsed.error->span), parsed.error->sentence, parsed.error->note);
    return std::nullopt;
  }
  bool fine = true;
  for (const FormulaNode& node : parsed.formula.nodes) {
    if (node.op != Op::input) continue;
    const std::string name(parsed.formula.part(node.span));
    if (contains(variables, name) || parameters_.contains(name)) {
      fine = fine && !bad_.contains(name);
      continue;
    }
    std::string note;
    if (errors_.size() < most_errors_shown) {  // the search for a near name goes through all names
      std::vector<std::string> known = variables;
      for (const auto& [parameter, value] : parameters_) known.push_back(parameter);
      note = known_names("known here:", name, known);
    }
    fail(*v.source, place(node.span), "unknown name " + ticked(name) + " in " + what, note + hint);
    fine = false;
  }
  if (!fine) return std::nullopt;
  return graph.add(parsed.formula, [&](std::string_view name) {
    if (contains(variables, name)) return node_of(graph, name);
    return graph.constant(parameters_.at(std::string(name)));
  });
}

std::optional<double> ParticleReader::number(const Value& v, const std::string& what) {
  Graph graph;
  const auto node = formula(graph, v, what, {}, {});
  return node ? finite_value(graph, *node, v, what) : std::nullopt;
}

std::optional<double> ParticleReader::finite_value(const Graph& graph, int node, const Value& v,
                                                   const std::string& what) {
  const double x = graph.is_constant(node) ? static_cast<double>(graph.value(node)) : std::nan("");
  if (std::isfinite(x)) return x;
  fail(v, what + " is not a finite number");
  return std::nullopt;
}

std::optional<long> ParticleReader::whole(const Value& v, const std::string& what, double least,
                                          double most) {
  const auto x = number(v, what);
  if (!x) return std::nullopt;
  if (*x == std::floor(*x) && *x >= least && *x <= most) return static_cast<long>(*x);
  fail(v, what + " must be a whole number from " + std::to_string(static_cast<long>(least)) + " to " +
              std::to_string(static_cast<long>(most)));
  return std::nullopt;
}

// Returns the value of a formula for every term, computed with the digits of a 128-bit float: large indices
// do not cost digits of a double, and the bits are those of every machine, whatever its long double is.
std::optional<std::vector<double>> ParticleReader::over_terms(const Value& v, const std::string& what,
                                                              const Terms& terms, const std::string& hint) {
  Graph graph;
  std::vector<std::string> names;
  for (const Loop& loop : terms.loops) names.push_back(loop.name);
  const Names input = [&](Graph& g, std::string_view name) {
    return g.input(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
  };
  const auto node = formula(graph, v, what, names, input, hint);
  if (!node) return std::nullopt;
  const Evaluator<Float128> evaluate(std::make_shared<const Program>(
      linearise(graph, {*node}, std::max(1, static_cast<int>(names.size())))));
  std::vector<double> values(terms.count);
  std::vector<Float128> in(names.size());
  for (int k = 0; k < terms.count; ++k) {
    ReadingTime::spend();
    for (std::size_t j = 0; j < in.size(); ++j) in[j] = terms.value[j][k];
    Float128 x = 0;
    evaluate(in.data(), nullptr, nullptr, &x);
    values[k] = static_cast<double>(x);
    if (std::isfinite(values[k])) continue;
    fail(v, what + " is not finite" + term_text(terms, k));
    return std::nullopt;
  }
  return values;
}

std::string ParticleReader::term_text(const Terms& terms, int k) {
  std::string text;
  for (std::size_t j = 0; j < terms.loops.size(); ++j)
    if (terms.loops[j].is_index())
      text.append(text.empty() ? " for " : ", ").append(terms.loops[j].name).append(" = ") +=
          std::to_string(static_cast<long>(terms.value[j][k]));
  return text;
}

std::string ParticleReader::term_text(const Group& g, int k) {
  const std::string text = term_text(g.loops, k);
  return text.empty() ? " (particles " + g.terms.particles_of(k) + ")" : text;
}

double ParticleReader::positive(const Value& v, const std::string& what) {
  const auto x = number(v, what);
  if (x && !(*x > 0)) fail(v, what + " must be positive");
  return x.value_or(1);
}

// A term may need its mass, or its number and its place, beside its indices: four numbers at most.
constexpr std::size_t most_indices = most_term_numbers - 4;

// Reads ranges: "i in 0..N-2", several with commas.
std::optional<ParticleReader::Terms> ParticleReader::loops_of(const Value& v) {
  if (v.kind != Value::Kind::text) {
    fail(v, "`for` must be a range in quotes, not " + kind_name(v), "as in for = \"i in 0..N-2\"");
    return std::nullopt;
  }
  Terms terms;
  double count = 1;
  for (std::size_t from = 0; from <= v.text.size();) {
    const std::size_t to = std::min(v.text.find(',', from), v.text.size());
    const auto loop = loop_of(v, from, to, terms);
    if (!loop) return std::nullopt;
    for (const Loop& other : terms.loops)
      if (other.name == loop->name) {
        fail(v, "the index " + ticked(loop->name) + " runs twice");
        return std::nullopt;
      }
    if (terms.loops.size() == most_indices) {
      fail(*v.source, v.place({from, to}), "`for` has at most " + std::to_string(most_indices) + " indices");
      return std::nullopt;
    }
    terms.loops.push_back(*loop);
    count *= static_cast<double>(std::max(0L, loop->to - loop->from + 1));
    from = to + 1;
  }
  for (const Loop& loop : terms.loops)
    if (loop.ends) return expand_in_turn(v, terms) ? std::optional(std::move(terms)) : std::nullopt;
  if (!members_allowed(v, count)) return std::nullopt;
  expand(terms, static_cast<int>(count));
  return terms;
}

bool ParticleReader::members_allowed(const Value& v, double count) {
  if (count <= around_.most_particles) return true;
  // Beyond 2⁵³ the product is not exact, and is told in powers of ten.
  fail(v, "the ranges have " + number_text(count) + " members",
       "at most " + std::to_string(around_.most_particles));
  return false;
}

// Goes through each range for every term of those before it; the last one runs fastest.
bool ParticleReader::expand_in_turn(const Value& v, Terms& terms) {
  Terms made;
  made.count = 1;
  for (const Loop& loop : terms.loops) {
    Terms next;
    next.loops = made.loops;
    next.loops.push_back({loop.name, 1, 0});
    next.value.resize(next.loops.size());
    double count = 0;
    for (int k = 0; k < made.count; ++k) {
      ReadingTime::spend();
      long first = 0, last = 0;
      if (!ends_of(v, made, loop, static_cast<std::size_t>(k), first, last)) return false;
      if (first > last) continue;
      count += static_cast<double>(last - first + 1);
      if (!members_allowed(v, count)) return false;
      Loop& widest = next.loops.back();
      widest.from = widest.is_index() ? std::min(widest.from, first) : first;
      widest.to = std::max(widest.to, last);
      for (long x = first; x <= last; ++x) {
        for (std::size_t j = 0; j < made.value.size(); ++j)
          next.value[j].push_back(made.value[j][static_cast<std::size_t>(k)]);
        next.value.back().push_back(static_cast<double>(x));
      }
    }
    next.count = static_cast<int>(count);
    made = std::move(next);
  }
  terms = std::move(made);
  return true;
}

bool ParticleReader::ends_of(const Value& v, const Terms& terms, const Loop& loop, std::size_t k, long& first,
                             long& last) {
  first = loop.from;
  last = loop.to;
  if (!loop.ends) return true;
  std::vector<long double> in;
  for (const std::vector<double>& values : terms.value) in.push_back(values[k]);
  long double ends[2] = {0, 0};
  Evaluator<long double>(loop.ends)(in.data(), nullptr, nullptr, ends);
  for (const long double x : ends)
    if (!(x == std::floor(x) && std::abs(x) < 1e15L)) {
      fail(v, "an end of the range of " + ticked(loop.name) + " is not a whole number" +
                  term_text(terms, static_cast<int>(k)));
      return false;
    }
  first = static_cast<long>(ends[0]);
  last = static_cast<long>(ends[1]);
  return true;
}

void ParticleReader::expand(Terms& terms, int count) {
  terms.count = count;
  terms.value.assign(terms.loops.size(), std::vector<double>(count));
  if (count == 0) return;  // a range is empty, and the product of the others may be too large for a number
  long repeat = 1;         // how often each value of the loop comes: the last loop runs fastest
  for (std::size_t j = terms.loops.size(); j-- > 0;) {
    const Loop& loop = terms.loops[j];
    const long length = loop.to - loop.from + 1;
    for (int k = 0; k < count; ++k) terms.value[j][k] = static_cast<double>(loop.from + k / repeat % length);
    repeat *= length;
  }
}

std::optional<ParticleReader::Loop> ParticleReader::loop_of(const Value& v, std::size_t from, std::size_t to,
                                                            const Terms& before) {
  const std::string note = "as in for = \"i in 0..N-2\", both ends included";
  const std::string_view text = std::string_view(v.text).substr(from, to - from);
  const std::size_t in = text.find(" in "), dots = text.find("..");
  if (in == std::string_view::npos || dots == std::string_view::npos || dots < in) {
    fail(*v.source, v.place({from, to}), "this is not a range", note);
    return std::nullopt;
  }
  const std::size_t begin = std::min(text.find_first_not_of(' '), in);
  const std::string name(text.substr(begin, in - begin));
  if (!is_name(name) || is_reserved(name) || parameters_.contains(name) ||
      (name != "i" && is_particle_variable(name))) {
    const std::string twin = look_alike(name);
    std::string_view why = twin.empty() ? what_names_are : twin;
    if (is_reserved(name)) why = "formulas know it as a function or a constant";
    if (is_particle_variable(name)) why = taken_names.substr(3);  // an index may be called i
    if (parameters_.contains(name)) why = "it is a parameter";
    fail(*v.source, v.place({from + begin, from + in}), ticked(name) + " cannot be the name of an index",
         std::string(why));
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (const Loop& loop : before.loops) names.push_back(loop.name);
  const Names input = [&](Graph& g, std::string_view index) {
    return g.input(static_cast<int>(std::find(names.begin(), names.end(), index) - names.begin()));
  };
  Graph graph;
  const std::string what = "the end of the range";
  const std::size_t place[2][2] = {{from + in + 4, from + dots}, {from + dots + 2, to}};
  Loop loop{name, 0, 0};
  std::vector<int> ends;
  bool fixed = true;
  for (const auto& [begins, stops] : place) {
    const auto node = formula(graph, v, v.text.substr(begins, stops - begins), begins, what, names, input);
    if (!node) continue;
    ends.push_back(*node);
    fixed = fixed && graph.inputs_of(*node).empty();
  }
  if (ends.size() < 2) return std::nullopt;
  if (!fixed) {
    loop.ends = std::make_shared<const Program>(linearise(graph, ends, static_cast<int>(names.size())));
    return loop;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const double x = graph.is_constant(ends[k]) ? static_cast<double>(graph.value(ends[k])) : std::nan("");
    if (!(x == std::floor(x) && std::abs(x) < 1e15)) {
      fail(*v.source, v.place({place[k][0], place[k][1]}), what + " is not a whole number");
      fixed = false;
    } else {
      (k == 0 ? loop.from : loop.to) = static_cast<long>(x);
    }
  }
  return fixed ? std::optional(loop) : std::nullopt;
}

}  // namespace taut
