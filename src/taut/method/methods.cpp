#include <taut/method/baselines/dae_form_method.hpp>
#include <taut/method/made/composition_order.hpp>
#include <taut/method/methods.hpp>
#include <taut/method/ordinary/ode_catalogue.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace taut {

namespace {

template <class Method>
inline constexpr bool is_composition = false;
template <class Base>
inline constexpr bool is_composition<Composition<Base>> = true;
template <class Base>
inline constexpr bool is_composition<ComposedSteps<Base>> = true;

template <class Scheme>
MethodFacts row_of(const Scheme& scheme) {
  const SchemeFacts f = scheme.facts();
  return {.name = f.name,
          .argument = f.argument,
          .what = f.what,
          .source = f.source,
          .theory = f.theory,
          .order = f.order,
          .symmetric = f.symmetric,
          .symplectic = f.symplectic,
          .keeps = Keeps::nothing,
          .tier = Tier::dirac};
}

}  // namespace

namespace catalogue_names {

std::optional<NameError> read_number(const MethodName& asked, const MethodNumber& range, int& n) {
  const char* end = asked.argument.data() + asked.argument.size();
  const auto [stop, error] = std::from_chars(asked.argument.data(), end, n);
  if (error == std::errc{} && stop == end && n >= range.least && n <= range.most) return std::nullopt;
  return NameError{fmt::format("{0}({1}) needs a whole number {1} of {2} from {3} to {4}, not '{5}'",
                               asked.name, range.letter, range.means, range.least, range.most,
                               asked.argument)};
}

std::optional<MethodName> name_in_catalogue(std::string_view text) {
  bool is_whole_name = false;
  for_each_method([&](const auto& row) { is_whole_name = is_whole_name || facts_of(row).name == text; });
  return is_whole_name ? MethodName{text, {}, false} : parse_method_name(text);
}

NameError no_base(std::string_view head, const std::string& base) {
  constexpr std::string_view bases =
      "rattle, verlet, midpoint, mixed-midpoint, impulse(k), lobatto(s), dirac-gauss(s) or another "
      "composition";
  const std::string_view name = std::string_view(base).substr(0, base.find('('));
  std::string why = " is not one of them";
  for_each_method([&](const auto& row) {
    const MethodFacts facts = facts_of(row);
    if (facts.name == name && !facts.symmetric) why = " is not symmetric";
  });
  return {std::string(head) + " needs a symmetric base: " + std::string(bases) + "; " + base + why};
}

}  // namespace catalogue_names

std::vector<MethodFacts> method_facts() {
  std::vector<MethodFacts> rows;
  for_each_method([&](const auto& method) { rows.push_back(facts_of(method)); });
  for (const MethodFacts& row : ordinary_method_facts()) rows.push_back(row);
  return rows;
}

std::vector<MethodFacts> ordinary_method_facts() {
  std::vector<MethodFacts> rows;
  for_each_ode_scheme([&](const auto& scheme) { rows.push_back(row_of(scheme)); });
  return rows;
}

std::vector<FormulationFacts> formulation_facts() {
  std::vector<FormulationFacts> rows;
  for_each_formulation([&](const auto& row) { rows.push_back(row.facts); });
  for_each_dae_form([&](const auto& row, const DaeForm&) { rows.push_back(row.facts); });
  return rows;
}

std::vector<std::string> formulation_names() {
  std::vector<std::string> names;
  for (const FormulationFacts& row : formulation_facts()) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodFacts& row : method_facts()) names.push_back(label(row));
  for (const CompositionAlias& a : composition_aliases) names.emplace_back(a.alias);
  names.emplace_back("adaptive(rattle)");
  return names;
}

namespace {

// The size of steps may differ from one to the next if a step is a map of (q, p) alone.
std::string no_adaptive_base(const NamedMethod& base, const std::string& text) {
  const std::string needs =
      "adaptive(M) needs a symmetric one-step method M, such as rattle, lobatto(3) or kahan-li8";
  if (!base.why_not.empty()) return base.why_not;
  if (base_of_adaptive(text)) return needs + "; its steps have one size";
  if (base.needs_formulation) return needs + "; " + text + " integrates a formulation";
  if (!base.facts.symmetric) return needs + "; " + text + " is not symmetric";
  if (base.facts.past > 0 || base.facts.name.starts_with("shake"))
    return needs + "; " + text + " remembers points that are one step apart";
  return {};
}

NamedMethod adaptive_method(const std::string& base) {
  NamedMethod found = named_method(base);
  found.why_not = no_adaptive_base(found, base);
  found.is_composition = found.is_composition_of_rattle = found.takes_forms = false;
  found.facts.base = made_compositions::kept(short_name(base));
  found.facts.name = "adaptive";
  found.facts.argument = 0;
  found.facts.what = "reversible steps of different sizes by a step density";
  found.facts.source = "Hairer-Söderlind";
  found.facts.theory = "adaptive";
  found.facts.symplectic = false;
  found.facts.past = 1;  // the density is carried from step to step
  return found;
}

}  // namespace

std::optional<std::string> base_of_adaptive(std::string_view name) {
  constexpr std::string_view head = "adaptive(";
  if (name == "adaptive") return "rattle";
  if (!name.starts_with(head) || !name.ends_with(')')) return std::nullopt;
  return std::string(name.substr(head.size(), name.size() - head.size() - 1));
}

NamedMethod named_method(std::string_view name) {
  if (const auto base = base_of_adaptive(name)) return adaptive_method(*base);
  NamedMethod found{.needs_formulation = is_ode_method(name)};
  std::optional<NameError> error;
  if (found.needs_formulation)
    error = ode_names::with_scheme(name, [&](const auto& scheme) {
      found.facts = row_of(scheme);
      found.solves = !requires { scheme.is_explicit; };
    });
  else
    error = with_method(name, [&](const auto& method) {
      found.facts = facts_of(method);
      using Method = std::remove_cvref_t<decltype(method)>;
      found.is_composition = is_composition<Method>;
      found.is_composition_of_rattle = std::is_same_v<Method, Composition<Rattle>>;
    });
  found.takes_forms =
      !found.needs_formulation && dae_form_method(found.facts, Index2::facts.name).has_value();
  if (error) found.why_not = error->message;
  return found;
}

MethodFacts facts_on_formulation(std::string_view method, std::string_view formulation,
                                 const Projection& projection) {
  MethodFacts facts;
  if (const auto on_form = dae_form_method(named_method(method).facts, formulation)) return on_form->facts();
  with_ode_method(method, formulation, projection, [&](const auto& m) { facts = facts_of(m); });
  return facts;
}

std::string described(std::string_view method) {
  const MethodFacts facts = named_method(method).facts;
  const std::size_t equals = std::min(method.find('='), method.size());
  std::size_t begin = equals, end = method.find('(', equals);
  while (begin > 0 && method[begin - 1] != '(' && method[begin - 1] != ' ') --begin;
  for (int depth = 0; end < method.size(); ++end) {
    if (method[end] == '(') ++depth;
    if (method[end] == ')' && --depth == 0) break;
  }
  std::string text(method.substr(begin, end + 1 - begin));
  if (begin == 0 && equals < method.size()) text.erase(0, equals + 1);
  return fmt::format("{}: order {}, {}symmetric, {}symplectic", text, facts.order,
                     facts.symmetric ? "" : "not ", facts.symplectic ? "" : "not ");
}

std::vector<std::string> conditions_of_own(std::string_view method) {
  std::vector<std::string> lines;
  if (is_tableau_text(method)) {
    const OwnTableau& own = own_tableau(method);
    if (!own.why_not.empty()) return {own.why_not};
    if (own.on_dirac)
      return {fmt::format("symplectic, b_i a_ij + b_j a_ji = b_i b_j, to {:.1e}",
                          static_cast<double>(tableau_conditions::symplectic_defect(own.t))),
              fmt::format("order {} by the conditions of all rooted trees", own.order)};
    for (const TableauCondition& condition : conditions_of(own.t))
      lines.push_back(fmt::format("{:13} holds{}{}", condition.name,
                                  condition.defect > 0 ? fmt::format(" to {:.1e}", condition.defect) : "",
                                  condition.needed ? ": " + condition.asks : ", and not the next"));
    return lines;
  }
  if (!is_composition_text(method)) return {};
  const CompositionText text = read_composition(method);
  if (!text.why_not.empty() || text.heads.front().table != nullptr) return {};
  const std::vector<Float128>& gamma = text.heads.front().own;
  Float128 sum = 0, largest = 0;
  for (const Float128 c : gamma) {
    sum += c;
    largest = larger(largest, magnitude(c));
  }
  const int inner = text.base.empty() ? 2 : named_method(text.base).facts.order;
  const CompositionOrder found = composition_order(gamma, inner);
  lines.push_back(fmt::format("{} coefficients, the largest {:.6g}; their sum is 1 to {:.1e}", gamma.size(),
                              static_cast<double>(largest), static_cast<double>(magnitude(sum - 1))));
  lines.emplace_back(is_palindrome(gamma)
                         ? "the same backwards: symmetric"
                         : "not the same backwards: not symmetric, so it is no base of another composition");
  lines.push_back(
      fmt::format("all conditions up to order {} hold over a base of order {}", found.order, inner));
  if (!found.word.empty())
    lines.push_back(fmt::format("the condition of order {} for the word {} is missed by {:.3g}",
                                found.order + 1, found.word, found.defect));
  return lines;
}

std::string numbered_name(const std::string& method) {
  if (const auto base = base_of_adaptive(method)) return "adaptive(" + numbered_name(*base) + ")";
  const MethodFacts facts = named_method(method).facts;
  return facts.argument == 0 ? method : label(facts);
}

std::string methods_with_plain_updates() {
  std::vector<std::string> names;
  bool compositions = false;
  for_each_method([&](const auto& method) {
    if constexpr (OffersPlainUpdates<std::remove_cvref_t<decltype(method)>>) {
      if constexpr (requires { method.scheme; })
        compositions = true;
      else
        names.emplace_back(facts_of(method).name);
    }
  });
  return joined(names) + (compositions ? " and compositions of rattle" : "");
}

std::string unknown_method_sentence(std::string_view method, const std::string& why) {
  if (is_composition_text(method) || is_tableau_text(method)) return why + ".";
  const auto names = method_names();
  std::vector<std::string> bases;  // without arguments: lobatto(7) errs in the number, not in the name
  for (const std::string& name : names) bases.push_back(name.substr(0, name.find('(')));
  const std::string base(method.substr(0, method.find('(')));
  const bool known = std::find(bases.begin(), bases.end(), base) != bases.end();
  if (known) return why + ".";
  const std::string nearest = nearest_name(base, bases);
  const std::string_view argument = method.substr(base.size());  // as it was typed, with its parentheses
  if (!nearest.empty())
    return fmt::format("{}. Did you mean `{}{}`?\n  `taut methods` lists all of them.", why, nearest,
                       argument);
  return fmt::format("{}.\n  The methods are: {}.", why, joined(names));
}

std::string_view tier_name(Tier tier) {
  switch (tier) {
    case Tier::natural:
      return "natural";
    case Tier::split:
      return "split";
    case Tier::hamiltonian:
      return "hamiltonian";
    case Tier::dirac:
      return "dirac";
  }
  return "";
}

}  // namespace taut
