// (Y5) word by word.
#include <taut/method/made/composition_order.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace taut {

namespace {

struct Word {
  std::vector<int> letters;
  int degree = 0;
  std::size_t prefix = 0;  // the place of the word without its last letter
};

// Returns all words of degree at most `top` in the letters 1, first, first + 2, …; a prefix stands before
// its word.
std::vector<Word> words_up_to(int top, int first) {
  std::vector<Word> words{Word{}};
  for (std::size_t i = 0; i < words.size(); ++i)
    for (int letter = 1; words[i].degree + letter <= top; letter = letter == 1 ? first : letter + 2) {
      Word longer{words[i].letters, words[i].degree + letter, i};
      longer.letters.push_back(letter);
      words.push_back(std::move(longer));
    }
  return words;
}

// Multiplies the series by the exponential of one substep: a word takes its last n letters from it, which
// contribute γ to the power of their degree, over n!.
void times_substep(const std::vector<Word>& words, Float128 gamma, std::vector<Float128>& series) {
  std::vector<Float128> power{1};
  for (int k = 1; k <= words.back().degree || static_cast<std::size_t>(k) < 64; ++k)
    power.push_back(power.back() * gamma);
  for (std::size_t i = words.size(); i-- > 0;) {  // longer words first: prefixes are still the old ones
    Float128 sum = 0, factor = 1;
    int n = 1;
    for (std::size_t at = i;; ++n) {
      sum += factor * series[at];
      if (at == 0) break;
      factor *= power[static_cast<std::size_t>(words[at].letters.back())] / n;
      at = words[at].prefix;
    }
    series[i] = sum;
  }
}

}  // namespace

CompositionOrder composition_order(std::span<const Float128> gamma, int base_order, double tolerance) {
  for (int order = 1; order <= most_order; ++order) {
    const std::vector<Word> words = words_up_to(order, base_order + 1);
    std::vector<Float128> value(words.size(), 0), bound(words.size(), 0);
    value[0] = bound[0] = 1;
    for (const Float128 c : gamma) {
      times_substep(words, c, value);
      times_substep(words, magnitude(c), bound);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].degree != order) continue;
      Float128 wanted = 1;  // 1/k! for the word 1 … 1 of k letters, otherwise 0
      for (std::size_t k = 0; k < words[i].letters.size(); ++k)
        wanted = words[i].letters[k] == 1 ? wanted / static_cast<int>(k + 1) : Float128(0);
      const Float128 defect = value[i] - wanted;
      if (magnitude(defect) <= Float128(tolerance) * bound[i]) continue;
      std::string word;
      for (const int letter : words[i].letters) word += (word.empty() ? "" : " ") + std::to_string(letter);
      return {order - 1, word, static_cast<double>(defect)};
    }
  }
  return {most_order, {}, 0};
}

}  // namespace taut
