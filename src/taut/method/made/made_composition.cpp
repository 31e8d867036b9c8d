#include <taut/method/made/composition_order.hpp>
#include <taut/method/made/made_composition.hpp>
#include <taut/method/made/number_list.hpp>

#include <optional>

namespace taut {

namespace {

constexpr std::string_view own_name = "composition";

// Says whether the name before a bracket is that of coefficients of one's own: "composition" or
// "NAME=composition".
bool is_own(std::string_view name) {
  return name == own_name || (name.ends_with(own_name) && name.size() > own_name.size() + 1 &&
                              name[name.size() - own_name.size() - 1] == '=');
}

std::optional<std::string> read_own(std::string_view name, std::string_view inside, CompositionText& read,
                                    std::string_view& rest) {
  CompositionHead head;
  const std::size_t split = inside.find(';');
  if (auto why_not = read_numbers(inside.substr(0, split), "a coefficient of a composition", head.own))
    return why_not;
  if (head.own.size() > most_own)
    return "composition(...) takes at most " + std::to_string(most_own) + " coefficients";
  head.text = std::string(own_name) + "(";
  for (std::size_t i = 0; i < head.own.size(); ++i) head.text += (i > 0 ? ", " : "") + quad_text(head.own[i]);
  head.text += ")";
  rest = split == std::string_view::npos ? std::string_view{} : trimmed(inside.substr(split + 1));
  if (name == own_name)
    head.name = head.text.substr(0, head.text.size() - 1) +
                (rest.empty() ? "" : std::string("; ").append(rest)) + ")";
  else
    head.name = std::string(name.substr(0, name.size() - own_name.size() - 1));
  read.heads.push_back(std::move(head));
  return std::nullopt;
}

}  // namespace

bool is_composition_text(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('('));
  return find_composition(name) != nullptr || is_own(name);
}

CompositionText read_composition(std::string_view text) {
  CompositionText read;
  for (std::string_view rest = trimmed(text); is_composition_text(rest);) {
    const std::size_t open = rest.find('(');
    const std::string_view name = rest.substr(0, open);
    const bool has_inside = open != std::string_view::npos;
    if (has_inside && !rest.ends_with(')')) {
      read.why_not = "'" + std::string(text) + "' has a bracket that is not closed";
      return read;
    }
    const std::string_view inside =
        has_inside ? trimmed(rest.substr(open + 1, rest.size() - open - 2)) : std::string_view{};
    if (is_own(name)) {
      if (auto why_not = read_own(name, inside, read, rest)) {
        read.why_not = *why_not;
        return read;
      }
    } else {
      const CompositionScheme* table = find_composition(name);
      read.heads.push_back({table, {}, std::string(name), std::string(table->name)});
      if (has_inside && inside.empty()) {
        read.why_not = std::string(name) + "() names no base";
        return read;
      }
      rest = inside;
    }
    read.base = std::string(rest);
  }
  return read;
}

bool is_palindrome(const std::vector<Float128>& gamma) {
  for (std::size_t i = 0; i < gamma.size(); ++i)
    if (magnitude(gamma[i] - gamma[gamma.size() - 1 - i]) > Float128(1e-15) * magnitude(gamma[i]))
      return false;
  return true;
}

namespace {

// The jumps of Yoshida and Suzuki lead from any even order ν to ν + 2: 2k substeps γ around 1 - 2kγ, with
// γ = 1/(2k - (2k)^{1/(ν+1)}), so that Σγᵢ^{ν+1} = 0: (Y4).
bool is_jump(const CompositionScheme& scheme) {
  return scheme.name == "yoshida4" || scheme.name == "suzuki4";
}
Float128 root(Float128 x, int degree) {  // x ≥ 1, by Newton's iteration from above
  Float128 y = x;
  for (int k = 0; k < 200; ++k) {
    Float128 power = 1;
    for (int i = 1; i < degree; ++i) power *= y;
    const Float128 next = y - (y * power - x) / (degree * power);
    if (!(next < y)) break;
    y = next;
  }
  return y;
}
std::vector<Float128> jump(const CompositionScheme& scheme, int order) {
  const int outer = scheme.stages - 1;
  const Float128 gamma = 1 / (outer - root(Float128(outer), order + 1));
  std::vector<Float128> all(scheme.size(), gamma);
  all[static_cast<std::size_t>(outer) / 2] = 1 - outer * gamma;
  return all;
}

// The scheme with what its spans and views look at.
struct Made {
  std::vector<Float128> gamma = {};
  int order = 0;
  bool palindromic = true;
  std::string name = {}, base_text = {}, source = {};
  CompositionScheme scheme{};
  std::string why_not = {};
};

std::string in_brackets(const std::string& name, const std::string& inside) {
  return inside.empty() ? name : name + "(" + inside + ")";
}

// Puts one more scheme around what was made. Returns why that cannot be done, if it cannot.
std::optional<std::string> put_around(const CompositionHead& head, const std::string& around, Made& made) {
  if (!made.palindromic)
    return head.name + " needs a symmetric base, and " + around +
           " is not: its coefficients are not the same backwards";
  std::vector<Float128> gamma = head.own;
  int order = made.order + 2;
  if (head.table != nullptr) {
    const bool leads_on = is_jump(*head.table);
    gamma = leads_on && made.order != 2 ? jump(*head.table, made.order) : coefficients<Float128>(*head.table);
    if (!leads_on) order = made.order == 2 ? head.table->order : composition_order(gamma, made.order).order;
    if (order <= made.order)
      return head.name + " is made for a base of order 2 and gains nothing on " + around + ", of order " +
             std::to_string(made.order) + ". Use yoshida4(" + around + ") or suzuki4(" + around +
             "), which lead to order " + std::to_string(made.order + 2);
  } else {
    Float128 sum = 0, size = 0;
    for (const Float128 c : gamma) {
      sum += c;
      size += magnitude(c);
    }
    if (magnitude(sum - 1) > Float128(1e-13) * size)
      return "the coefficients of " + head.name + " sum to " + few_digits(sum) +
             "; a composition that follows the equations needs the sum 1";
    order = composition_order(gamma, made.order).order;
    made.palindromic = is_palindrome(gamma);
  }
  if (gamma.size() * made.gamma.size() > most_substeps)
    return head.name + " of " + around + " has " + std::to_string(gamma.size() * made.gamma.size()) +
           " substeps, and at most " + std::to_string(most_substeps) + " are offered";
  std::vector<Float128> products;
  for (const Float128 outer : gamma)
    for (const Float128 inner : made.gamma) products.push_back(outer * inner);
  made.gamma = std::move(products);
  made.order = order;
  return std::nullopt;
}

std::unique_ptr<Made> make(const CompositionText& text, const MethodFacts& base) {
  auto made = std::make_unique<Made>();
  const auto& heads = text.heads;
  const bool alternates = heads.back().table != nullptr && heads.back().table->alternates;
  std::string around = label(base);
  std::string shown = around == "rattle" || alternates ? std::string() : around;
  made->gamma = {1};
  made->order = base.order;
  if (!base.symmetric && !alternates) {
    made->why_not = heads.back().name + " needs a symmetric base, and " + around + " is not symmetric";
    return made;
  }
  for (std::size_t i = heads.size(); i-- > 0;) {
    const CompositionHead& head = heads[i];
    if (i + 1 == heads.size() && alternates) {
      made->gamma = coefficients<Float128>(*head.table);
      made->order = head.table->order;
    } else if (head.table != nullptr && head.table->alternates) {
      made->why_not = head.name + " alternates symplectic-euler with its adjoint; it takes no other base";
      return made;
    } else if (auto why_not = put_around(head, around, *made)) {
      made->why_not = *why_not;
      return made;
    }
    made->name = head.table != nullptr ? std::string(head.table->name) : head.name;
    made->base_text = head.table != nullptr ? shown : std::string();
    around = shown = in_brackets(made->name, made->base_text);
  }
  const CompositionHead& outermost = heads.front();
  made->source = outermost.table == nullptr  ? "a model's or a user's own coefficients"
                 : is_jump(*outermost.table) ? "Reich, Theorem 3.3; " + std::string(outermost.table->source)
                                             : std::string(outermost.table->source);
  made->scheme = {.name = made->name,
                  .order = made->order,
                  .stages = static_cast<int>(made->gamma.size()) / (alternates ? 2 : 1),
                  .half = {},
                  .source = made->source,
                  .alternates = alternates,
                  .made = made->gamma,
                  .palindromic = made->palindromic,
                  .base_text = made->base_text};
  return made;
}

}  // namespace

FoundComposition made_composition(const CompositionText& text, const MethodFacts& base) {
  if (!text.why_not.empty()) return {nullptr, text.why_not};
  const CompositionScheme* table = text.heads.front().table;
  if (text.heads.size() == 1 && table != nullptr &&
      (table->alternates || (base.order == 2 && base.symmetric)))
    return {table, {}};
  std::string key = label(base) + "|" + std::to_string(base.order) + (base.symmetric ? "" : "|");
  for (const CompositionHead& head : text.heads) key += "|" + head.name + "|" + head.text;
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Made>, std::less<>> known;
  const std::scoped_lock lock(mutex);
  auto& made = known[key];
  if (!made) made = make(text, base);
  return {made->why_not.empty() ? &made->scheme : nullptr, made->why_not};
}

const CompositionScheme* made_composition(std::string_view heads, const MethodFacts& base) {
  return made_composition(read_composition(heads), base).scheme;
}

}  // namespace taut
