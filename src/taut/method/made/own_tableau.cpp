#include <taut/method/made/number_list.hpp>
#include <taut/method/made/own_tableau.hpp>
#include <taut/method/made/tree_order.hpp>
#include <taut/method/tableau_conditions.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace taut {

namespace {

constexpr std::string_view dirac_word = "dirac-tableau", word = "tableau";

// Returns the kind that stands before the bracket, after a name and `=` if there is one; empty for others.
std::string_view kind_of(std::string_view text) {
  std::string_view head = text.substr(0, text.find('('));
  if (const std::size_t equals = head.find('='); equals != std::string_view::npos && equals > 0)
    head.remove_prefix(equals + 1);
  return head == word || head == dirac_word ? head : std::string_view{};
}

// Writes the text anew, numbers and punctuation alone: a compiler may read it.
std::string written(std::string_view kind, const std::vector<std::vector<Float128>>& lists) {
  std::string text = std::string(kind) + "(";
  for (std::size_t k = 0; k < lists.size(); ++k)
    for (std::size_t i = 0; i < lists[k].size(); ++i)
      text += (i > 0 ? ", " : k > 0 ? "; " : "") + quad_text(lists[k][i]);
  return text + ")";
}

std::string why_not_dirac(const Tableau<Float128>& t) {
  Float128 sum = -1;
  for (int j = 0; j < t.stages(); ++j) sum += t.b[j];
  if (!tableau_conditions::vanishes(sum))
    return "B(1) is violated: the weights b must sum to 1; it is missed by " + few_digits(sum);
  if (const Float128 defect = tableau_conditions::symplectic_defect(t); !tableau_conditions::vanishes(defect))
    return "the method is not symplectic: b_i a_ij + b_j a_ji = b_i b_j is missed by " + few_digits(defect);
  return {};
}

std::unique_ptr<OwnTableau> read(std::string_view text) {
  auto own = std::make_unique<OwnTableau>();
  own->on_dirac = kind_of(text) == dirac_word;
  const std::size_t open = text.find('('), equals = text.substr(0, open).find('=');
  own->name = std::string(text.substr(0, equals));
  const auto refused = [&](std::string why) {
    own->why_not = std::move(why);
    return std::move(own);
  };
  if (open == std::string_view::npos || !text.ends_with(')'))
    return refused(std::string(kind_of(text)) + " needs its coefficients in brackets: (c; b; A)");
  std::vector<std::vector<Float128>> lists(1);
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  for (std::size_t split = rest.find(';');; split = rest.find(';')) {
    if (auto why_not = read_numbers(rest.substr(0, split), "a coefficient of a tableau", lists.back()))
      return refused(*why_not);
    if (split == std::string_view::npos) break;
    rest.remove_prefix(split + 1);
    lists.emplace_back();
  }
  own->text = written(own->on_dirac ? dirac_word : word, lists);
  if (equals == std::string_view::npos) own->name = own->text;
  const std::size_t s = lists.front().size();
  const bool has_partner = lists.size() == 4 && !own->on_dirac;
  if (s > 32) return refused("a tableau has at most 32 stages, not " + std::to_string(s));
  if ((lists.size() != 3 && !has_partner) || lists[1].size() != s || lists[2].size() != s * s ||
      (has_partner && lists[3].size() != s * s))
    return refused("a tableau of s stages has s nodes c, s weights b and s x s coefficients A" +
                   std::string(own->on_dirac ? "" : ", and A_hat likewise if it is given"));
  const auto n = static_cast<Eigen::Index>(s);
  const auto matrix = [&](const std::vector<Float128>& all) {
    Matrix<Float128, dynamic, dynamic> a(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) a(i, j) = all[static_cast<std::size_t>(i * n + j)];
    return a;
  };
  Tableau<Float128>& t = own->t;
  t.c = Eigen::Map<const Vector<Float128, dynamic>>(lists[0].data(), n);
  t.b = t.b_hat = Eigen::Map<const Vector<Float128, dynamic>>(lists[1].data(), n);
  t.A = t.A_hat = matrix(lists[2]);
  if (own->on_dirac) {
    own->order = tree_order(t);
    return refused(why_not_dirac(t));
  }
  if (has_partner) {
    t.A_hat = matrix(lists[3]);
  } else {
    for (const Float128 b : lists[1])
      if (tableau_conditions::vanishes(b))
        return refused("the partner of Theorem 2.2 divides by every b_i, and one of them is 0");
    t = with_partner(t);
  }
  own->order = order_of(t);
  return refused(violated_condition(t).value_or(""));
}

}  // namespace

bool is_tableau_text(std::string_view text) { return !kind_of(text).empty(); }

// Returns the tableau of that text; it lives as long as the program.
const OwnTableau& own_tableau(std::string_view text) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<OwnTableau>, std::less<>> known;
  const std::scoped_lock lock(mutex);
  auto& own = known[std::string(text)];
  if (!own) own = read(text);
  return *own;
}

}  // namespace taut
