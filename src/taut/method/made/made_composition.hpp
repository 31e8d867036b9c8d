// Compositions that no table holds: a composition composed again (Reich, Theorem 3.3, second part), a triple
// jump over a base of higher order, and coefficients of one's own. They are made from their text at run time:
// a composition of compositions over the same base is one list of coefficients, the products. Labels:
// docs/theory/composition.md.
//
// The text is `scheme`, `scheme(base)` or `scheme(scheme(… (base)))`. A scheme is a name of the table or
//     composition(γ₁, …, γ_s)   composition(γ₁, …, γ_s; base)   name=composition(…)
// with plain numbers; `name` is what people call it.
#pragma once

#include <taut/method/composition_table.hpp>
#include <taut/method/facts.hpp>
#include <taut/method/spelling.hpp>
#include <taut/scalar/quad_text.hpp>

#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace taut {

inline constexpr std::size_t most_substeps = 5000;
inline constexpr std::size_t most_own = 200;  // coefficients of one's own: their conditions are looked at

// One scheme of a text.
struct CompositionHead {
  const CompositionScheme* table = nullptr;
  std::vector<Float128> own = {};  // if there is no table
  std::string name = {};           // what people call it
  std::string text = {};           // what it is, without a name that a user chose
};

// A text taken apart: the schemes from the outermost to the innermost, and the base, empty if none is named.
struct CompositionText {
  std::vector<CompositionHead> heads = {};
  std::string base = {};
  std::string why_not = {};  // why the text could not be read
};

struct FoundComposition {
  const CompositionScheme* scheme = nullptr;
  std::string why_not = {};
};

// Asks whether a text begins with a scheme.
bool is_composition_text(std::string_view text);

// Takes the text of a composition apart.
CompositionText read_composition(std::string_view text);

// Finds the scheme of a text over a base with these facts; it lives as long as the program.
FoundComposition made_composition(const CompositionText& text, const MethodFacts& base);

// The same for a text without a base; null if there is no such scheme.
const CompositionScheme* made_composition(std::string_view heads, const MethodFacts& base);

// Asks whether coefficients are the same backwards, to 15 digits.
bool is_palindrome(const std::vector<Float128>& gamma);

namespace made_compositions {

// Returns a text that lives as long as the program, for the rows of facts.
inline std::string_view kept(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const std::string>, std::less<>> texts;
  const std::scoped_lock lock(mutex);
  auto& place = texts[text];
  if (!place) place = std::make_unique<const std::string>(text);
  return *place;
}

}  // namespace made_compositions

// Returns a scheme with these coefficients, given as text; it lives as long as the program. A specialised
// unit, which has no reader of texts, takes its scheme from here. The unit's facts are not looked at.
inline const CompositionScheme* given_composition(std::initializer_list<const char*> gamma, bool alternates) {
  struct Given {
    std::vector<Float128> all;
    CompositionScheme scheme;
  };
  auto* given = new Given{
      {},
      {.name = "composition", .order = 0, .stages = 0, .half = {}, .source = {}, .alternates = alternates}};
  for (const char* text : gamma) given->all.push_back(strtoflt128(text, nullptr));
  given->scheme.made = given->all;
  return &given->scheme;
}

// Returns the row of a composition over a base with this row.
inline MethodFacts composition_facts(const CompositionScheme& scheme, const MethodFacts& base) {
  const std::string shown = label(base);
  const std::string_view usual =
      scheme.alternates || shown == "rattle" ? std::string_view{} : made_compositions::kept(shown);
  return {.name = scheme.name,
          .base = scheme.made.empty() ? usual : scheme.base_text,
          .what = scheme.alternates     ? "symmetric composition of a first-order step and its adjoint"
                  : !scheme.palindromic ? "composition that is not symmetric, of symmetric steps"
                  : base.order == 2     ? "symmetric composition of second-order steps"
                                        : "symmetric composition of symmetric steps",
          .source = scheme.source,
          .theory = "composition",
          .order = scheme.order,
          .symmetric = scheme.palindromic,
          .symplectic = base.symplectic,
          .tier = base.tier,
          .work = base.work * static_cast<int>(scheme.size()),
          .solve_limit = base.solve_limit,
          .solves = static_cast<int>(scheme.size())};
}

// Spells a scheme that was made at run time by its coefficients.
inline std::string given_text(const CompositionScheme& scheme) {
  std::string text = "given_composition({";
  for (const Float128 c : scheme.made) text += "\"" + quad_text(c) + "\", ";
  return text + "}, " + (scheme.alternates ? "true" : "false") + ")";
}

// Spells the scheme and the base of a composition of that type.
inline Spelling composition_spelling(std::string_view type, std::string_view header,
                                     const CompositionScheme& scheme, Spelling base) {
  base.headers.emplace_back(header);
  const std::string value = base.value;
  base.type = std::string(type) + "<" + base.type + ">";
  base.value =
      base.type + "{.scheme = " +
      (scheme.made.empty() ? "find_composition(\"" + std::string(scheme.name) + "\")" : given_text(scheme)) +
      ", .base = " + value + "}";
  return base;
}

}  // namespace taut
