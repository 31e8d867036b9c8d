// Reads [methods]: methods of one's own, as the text that names them. What a text means and which conditions
// it must meet is known where the methods are.
#include <taut/model/read/model_reader.hpp>
#include <taut/scalar/quad_text.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <cctype>

namespace taut {

namespace {

const std::vector<std::string> method_keys{"composition", "base", "tableau", "on"};
const std::vector<std::string> tableau_keys{"c", "b", "A", "A_hat"};
const std::vector<std::string> families{"lobatto", "dirac-gauss"};

// Names begin with a letter, because the text of a method contains numbers.
bool is_method_name(const std::string& name) {
  const bool begins = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  const bool is_word = name == "composition" || name == "tableau" || name == "dirac-tableau";
  return begins && !is_word && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-';
         });
}

}  // namespace

std::optional<std::string> ModelReader::number_list(const Value& v, const std::string& what,
                                                    std::size_t& count) {
  if (v.kind != Value::Kind::list || v.list.empty()) {
    fail(v, what + " must be a list of numbers or formulas, not " +
                (v.kind == Value::Kind::list ? "an empty one" : kind_name(v)));
    return std::nullopt;
  }
  std::string text;
  bool fine = true;
  for (const Value& entry : v.list) {
    Formula formula;
    Float128 value = 0;
    fine = number(entry, "a coefficient of " + what, formula, value) && fine;
    text += (text.empty() ? "" : ", ") + quad_text(value);
  }
  count = v.list.size();
  return fine ? std::optional(text) : std::nullopt;
}

std::optional<std::string> ModelReader::matrix_rows(const Value& v, const std::string& what,
                                                    std::size_t size) {
  if (v.kind != Value::Kind::list || v.list.size() != size) {
    fail(v, what + " must be a list of " + std::to_string(size) + " rows",
         "the tableau has " + std::to_string(size) + " nodes c");
    return std::nullopt;
  }
  std::string text;
  bool fine = true;
  for (const Value& row : v.list) {
    std::size_t count = 0;
    const auto numbers = number_list(row, "a row of " + what, count);
    if (numbers && count != size)
      fail(row, "a row of " + what + " has " + std::to_string(count) + " numbers",
           "the tableau has " + std::to_string(size) + " nodes c");
    fine = fine && numbers && count == size;
    if (numbers) text += (text.empty() ? "" : ", ") + *numbers;
  }
  return fine ? std::optional(text) : std::nullopt;
}

std::optional<std::string> ModelReader::tableau_text(const Value& v) {
  if (v.kind != Value::Kind::table) {
    fail(v, "the tableau must be a table, not " + kind_name(v),
         "as in tableau = { c = [0, 1], b = [\"1/2\", \"1/2\"], A = [[0, 0], [\"1/2\", \"1/2\"]] }");
    return std::nullopt;
  }
  for (const Entry& e : v.table)
    if (!contains(tableau_keys, e.key))
      fail_key(e, "unknown key " + ticked(e.key) + " in the tableau",
               known_names("known here:", e.key, tableau_keys));
  for (const char* key : {"c", "b", "A"})
    if (!v.find(key)) {
      fail(v, std::string("the tableau has no `") + key + "`", "it needs the nodes c, the weights b and A");
      return std::nullopt;
    }
  std::size_t stages = 0, weights = 0;
  const auto c = number_list(v.find("c")->value, "the nodes c", stages),
             b = number_list(v.find("b")->value, "the weights b", weights);
  if (!c || !b) return std::nullopt;
  if (weights != stages) {
    fail(v.find("b")->value, "there are " + std::to_string(weights) + " weights b",
         "the tableau has " + std::to_string(stages) + " nodes c");
    return std::nullopt;
  }
  const auto A = matrix_rows(v.find("A")->value, "A", stages);
  const Entry* partner = v.find("A_hat");
  const auto A_hat = partner ? matrix_rows(partner->value, "A_hat", stages) : std::optional<std::string>("");
  if (!A || !A_hat) return std::nullopt;
  return *c + "; " + *b + "; " + *A + (partner ? "; " + *A_hat : "");
}

void ModelReader::read_methods() {
  for (const Entry& method : table("methods", nullptr).table) {
    const std::string key = "methods." + method.key;
    if (!is_method_name(method.key)) {
      fail_key(method, ticked(method.key) + " is no name for a method",
               "a letter, then letters, digits, `_` and `-`; not `composition` or `tableau`");
      continue;
    }
    if (method.value.kind != Value::Kind::table) {
      fail_key(method, "a method must be a table, [" + key + "], not " + kind_name(method.value),
               "with composition = [...] or tableau = { ... }");
      continue;
    }
    for (const Entry& e : method.value.table) {
      note_place(key + "." + e.key, e);
      if (!contains(method_keys, e.key))
        fail_key(e, "unknown key " + ticked(e.key) + " in [" + key + "]",
                 known_names("known here:", e.key, method_keys));
    }
    const Entry *composition = method.value.find("composition"), *tableau = method.value.find("tableau"),
                *base = method.value.find("base"), *on = method.value.find("on");
    if ((composition == nullptr) == (tableau == nullptr)) {
      fail_key(method,
               "the method " + ticked(method.key) + " needs a composition or a tableau, and one of them");
      continue;
    }
    if (const Entry* wrong = composition ? on : base) {
      fail_key(*wrong, ticked(wrong->key) + " beside a " + (composition ? "composition" : "tableau"),
               composition ? "a composition has a `base`" : "a tableau is `on` lobatto or dirac-gauss");
      continue;
    }
    if (composition) {
      std::size_t count = 0;
      const auto numbers = number_list(composition->value, "the composition", count);
      const auto of = base ? text_of_entry(*base, "the base") : std::optional<std::string>("");
      if (numbers && of)
        model_.methods.push_back(
            {method.key, "composition", "composition(" + *numbers + (base ? "; " + *of : "") + ")"});
    } else {
      const auto family = on ? text_of_entry(*on, "the family") : families.front();
      if (family && !contains(families, *family))
        fail(on->value, "unknown family " + ticked(*family), known_names("known here:", *family, families));
      const auto text = tableau_text(tableau->value);
      if (text && family)
        model_.methods.push_back(
            {method.key, "tableau",
             (*family == families.front() ? "tableau(" : "dirac-tableau(") + *text + ")"});
    }
  }
}

}  // namespace taut
