// Order conditions of every scheme of the table, in quadruple precision.
//
// A symmetric method of order 2 is S_h = exp(h X1 + h^3 X3 + h^5 X5 + ...) with vector fields X_k that
// satisfy no relation valid for every problem: letters of a free algebra, of degree k. A method of order 1 is
// chi_h = exp(h X1 + h^2 X2 + h^3 X3 + ...), its adjoint the same with the even letters negated. A
// composition is then a product of exponentials, a series in words, and has order p if and only if that
// series agrees with exp(X1) in degrees 1 ... p. Series of this kind (characters of the shuffle algebra) are
// determined by their coefficients on Lyndon words, so those are all the conditions there are: the
// coefficient of the word 1 is 1, that of every other Lyndon word of degree <= p is 0. In odd degrees 1, 3,
// 5, 7, 9 they are 1, 1, 2, 4, 8 for the first kind and in 1, 3, 5 they are 1, 2, 6 for the second; the even
// ones follow from the symmetry of the coefficients and are checked all the same.

#include "taut/method/composition_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// This belongs to libquadmath, whose header not every compiler has on its path.
extern "C" __float128 strtoflt128(const char* digits, char** end) noexcept;

namespace taut {

// Names the scheme in a failure; the default is a dump of its bytes.
inline void PrintTo(const CompositionScheme& scheme, std::ostream* out) { *out << scheme.name; }

}  // namespace taut

namespace {

using taut::CompositionScheme;
using Quad = __float128;
using Word = std::vector<int>;
using Series = std::map<Word, Quad>;

Quad magnitude(Quad x) { return x < 0 ? -x : x; }

int degree(const Word& word) {
  int sum = 0;
  for (const int letter : word) sum += letter;
  return sum;
}

// Returns all words of degree at most top, in the letters 1, 1 + stride, 1 + 2 stride, ...
std::vector<Word> words_up_to(int top, int stride) {
  std::vector<Word> words = {Word{}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const int room = top - degree(words[i]);
    for (int letter = 1; letter <= room; letter += stride) {
      Word longer = words[i];
      longer.push_back(letter);
      words.push_back(longer);
    }
  }
  return words;
}

// Asks whether a word is strictly smaller than each of its proper suffixes.
bool is_lyndon(const Word& word) {
  for (auto suffix = word.begin() + 1; suffix < word.end(); ++suffix) {
    if (!std::lexicographical_compare(word.begin(), word.end(), suffix, word.end())) return false;
  }
  return !word.empty();
}

// Returns series * exp(sum over letters k of letter[k] X_k): a word takes its last n letters from
// the exponential.
Series times_exponential(const Series& series, const std::vector<Quad>& letter) {
  Series product;
  for (const auto& [word, unused] : series) {
    Quad sum = 0;
    Quad factor = 1;
    Word prefix = word;
    for (int n = 1;; ++n) {
      sum += factor * series.at(prefix);
      if (prefix.empty()) break;
      factor *= letter[static_cast<std::size_t>(prefix.back())] / n;
      prefix.pop_back();
    }
    product[word] = sum;
  }
  return product;
}

// Returns the values h^k of the letters k <= top of one step, with the even ones negated for an adjoint.
std::vector<Quad> letters(Quad h, int top, bool adjoint) {
  std::vector<Quad> value = {1};
  for (int k = 1; k <= top; ++k) value.push_back(value.back() * h);
  for (std::size_t k = 2; adjoint && k < value.size(); k += 2) value[k] = -value[k];
  return value;
}

struct Expansion {
  Series value;
  Series bound;  // the same sum with every term made positive: the scale of its rounding errors
};

Expansion expand(const CompositionScheme& scheme, int top) {
  Series one;
  for (const Word& word : words_up_to(top, scheme.alternates ? 1 : 2)) one[word] = word.empty() ? 1 : 0;
  Expansion e = {one, one};
  bool adjoint = scheme.alternates;
  for (const Quad c : taut::coefficients<Quad>(scheme)) {
    e.value = times_exponential(e.value, letters(c, top, adjoint));
    e.bound = times_exponential(e.bound, letters(magnitude(c), top, false));
    adjoint = scheme.alternates && !adjoint;
  }
  return e;
}

std::string text(const Word& word) {
  std::string digits;
  for (const int letter : word) digits += std::to_string(letter) + ' ';
  return digits;
}

class Composition : public testing::TestWithParam<CompositionScheme> {};

TEST_P(Composition, SatisfiesEveryConditionOfItsOrder) {
  // A term has at most 10 factors, each read to one unit in the last place, 2e-34. The roundings of the sums
  // over the stages come on top, but errors of either sign offset each other: 6e-34 is the largest there is.
  const Quad tolerance = 2e-33;
  const Expansion e = expand(GetParam(), GetParam().order);
  for (const auto& [word, value] : e.value) {
    if (!is_lyndon(word)) continue;
    const Quad error = magnitude(value - (word == Word{1} ? 1 : 0));
    EXPECT_LE(static_cast<double>(error / e.bound.at(word)), static_cast<double>(tolerance)) << text(word);
  }
}

TEST_P(Composition, DoesNotReachTheNextEvenOrder) {
  // The smallest violation in the table, 1e-6, is that of the 35 stages of order 10.
  const int next = GetParam().order + 1;
  Quad violation = 0;
  for (const auto& [word, value] : expand(GetParam(), next).value) {
    if (degree(word) == next && is_lyndon(word)) violation = std::max(violation, magnitude(value));
  }
  EXPECT_GT(static_cast<double>(violation), 1e-7);
}

TEST_P(Composition, IsAPalindrome) {
  const std::vector<Quad> c = taut::coefficients<Quad>(GetParam());
  EXPECT_EQ(c.size(), GetParam().size());
  EXPECT_EQ(GetParam().half.size(), (c.size() + 1) / 2);
  EXPECT_TRUE(std::equal(c.begin(), c.end(), c.rbegin()));
}

// The reference is rounded correctly, so one unit in its last place is a relative error of at most epsilon.
template <class T>
double relative_error(std::string_view digits, T reference) {
  return static_cast<double>(magnitude(taut::parse_decimal<T>(digits) - reference) / magnitude(reference));
}

TEST_P(Composition, DigitsAreReadToOneUnitInTheLastPlace) {
  for (const std::string_view digits : GetParam().half) {
    const std::string copy(digits);
    EXPECT_LE(relative_error(digits, strtoflt128(copy.c_str(), nullptr)), std::ldexp(1.0, -112)) << copy;
    EXPECT_LE(relative_error(digits, std::strtold(copy.c_str(), nullptr)), std::ldexp(1.0, -63)) << copy;
    EXPECT_LE(relative_error(digits, std::strtod(copy.c_str(), nullptr)), std::ldexp(1.0, -52)) << copy;
  }
}

std::string identifier(const testing::TestParamInfo<CompositionScheme>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, Composition, testing::ValuesIn(taut::composition_schemes), identifier);

TEST(CompositionConditions, AreAsManyAsTheTheorySays) {
  std::map<int, int> of_symmetric;
  std::map<int, int> of_first_order;
  for (const Word& word : words_up_to(9, 2)) of_symmetric[degree(word)] += is_lyndon(word);
  for (const Word& word : words_up_to(5, 1)) of_first_order[degree(word)] += is_lyndon(word);
  EXPECT_EQ(of_symmetric[1], 1);
  EXPECT_EQ(of_symmetric[3], 1);
  EXPECT_EQ(of_symmetric[5], 2);
  EXPECT_EQ(of_symmetric[7], 4);
  EXPECT_EQ(of_symmetric[9], 8);
  EXPECT_EQ(of_first_order[1], 1);
  EXPECT_EQ(of_first_order[3], 2);
  EXPECT_EQ(of_first_order[5], 6);
}

TEST(ParseDecimal, ReadsExactValues) {
  static_assert(taut::parse_decimal<double>("0.28") == 0.28);
  static_assert(taut::parse_decimal<double>("-1.5") == -1.5);
  static_assert(taut::parse_decimal<float>("42") == 42.0f);
  static_assert(taut::parse_decimal<long double>("0.000") == 0);
  static_assert(taut::parse_decimal<Quad>("123456789012345678.901234567890123456") * 2 ==
                taut::parse_decimal<Quad>("246913578024691357.802469135780246912"));
}

TEST(ParseDecimal, RefusesWhatItCannotReadExactly) {
  EXPECT_THROW(taut::parse_decimal<double>("1e-3"), std::invalid_argument);
  EXPECT_THROW(taut::parse_decimal<double>("1.2.3"), std::invalid_argument);
  EXPECT_THROW(taut::parse_decimal<double>("--1"), std::invalid_argument);
  EXPECT_THROW(taut::parse_decimal<double>("1." + std::string(36, '1')), std::invalid_argument);
  EXPECT_THROW(taut::parse_decimal<double>("0." + std::string(49, '0')), std::invalid_argument);
}

TEST(CompositionNames, AreUniqueAndAliasesLeadToThem) {
  std::set<std::string_view> names;
  for (const CompositionScheme& s : taut::composition_schemes) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
  }
  for (const auto& [alias, name] : taut::composition_aliases) {
    EXPECT_TRUE(names.insert(alias).second) << alias;
    ASSERT_NE(taut::find_composition(alias), nullptr) << alias;
    EXPECT_EQ(taut::find_composition(alias)->name, name);
  }
  EXPECT_EQ(taut::find_composition("yoshida5"), nullptr);
}

}  // namespace
