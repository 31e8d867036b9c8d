#include <taut/contract/request.hpp>
#include <taut/store/name_list.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace taut {

namespace {

constexpr std::int64_t least_fold = 8;           // shorter runs of names are read more easily as they are
constexpr std::size_t most_stems = 64;           // a fold has at most these, so that the search is linear
constexpr std::int64_t most_names = 10'000'000;  // bounds the memory that a forged file can ask for

struct Numbered {
  std::string_view stem;
  std::int64_t number;
};

// Splits "p_x17" into p_x and 17. Returns nothing if the number would not be printed like that again.
std::optional<Numbered> numbered(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t at = last == std::string_view::npos ? 0 : last + 1;
  const std::string_view digits = name.substr(at);
  if (digits.empty() || digits.size() > 9 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  Numbered parts{name.substr(0, at), 0};
  std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
  return parts;
}

// Names from `begin` on that follow the rule: the stems that share the first number, then the same with the
// next, and so on.
struct Run {
  std::vector<std::string_view> each;
  std::int64_t from = 0, count = 0;
};

Run run_at(const std::vector<std::string>& names, std::size_t begin) {
  Run run;
  const auto first = numbered(names[begin]);
  if (!first) return run;
  run.from = first->number;
  const auto is_next = [&](std::size_t i, std::string_view stem, std::int64_t number) {
    const auto parts = i < names.size() ? numbered(names[i]) : std::nullopt;
    return parts && parts->number == number && (stem.empty() || parts->stem == stem);
  };
  std::size_t i = begin;
  for (; run.each.size() <= most_stems && is_next(i, "", run.from) && !numbered(names[i])->stem.empty(); ++i)
    run.each.push_back(numbered(names[i])->stem);
  if (run.each.empty() || run.each.size() > most_stems) return run;
  const auto block_follows = [&] {
    for (std::size_t e = 0; e < run.each.size(); ++e)
      if (!is_next(i + e, run.each[e], run.from + run.count)) return false;
    return true;
  };
  for (run.count = 1; block_follows(); ++run.count) i += run.each.size();
  return run;
}

}  // namespace

Json folded(const std::vector<std::string>& names) {
  if (names.size() > most_names)
    throw WriteError(fmt::format("a run of {} columns of a kind is too wide to be kept: {} are the most.",
                                 names.size(), most_names));
  Json list = Json::list();
  for (std::size_t i = 0; i < names.size();) {
    const Run run = run_at(names, i);
    if (run.count < least_fold) {
      list.push_back(names[i++]);
      continue;
    }
    list.push_back(Json::object({{"each", run.each}, {"from", run.from}, {"count", run.count}}));
    i += run.each.size() * static_cast<std::size_t>(run.count);
  }
  return list;
}

std::vector<std::string> unfolded(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : list.items()) {
    if (item.is_text()) {
      names.push_back(item.text());
      continue;
    }
    const auto each = item.at("each").texts();
    const auto from = item.at("from").whole<std::int64_t>(), count = item.at("count").whole<std::int64_t>();
    const std::int64_t room = most_names - static_cast<std::int64_t>(names.size());
    if (each.empty() && count > 0) throw InputError("a list of names counts names that it does not give");
    if (from < 0 || from > most_names || count < 0 || count > room ||
        static_cast<std::int64_t>(each.size()) > room / std::max<std::int64_t>(count, 1))
      throw InputError("a list of names is longer than any");
    for (std::int64_t k = from; k < from + count; ++k)
      for (const std::string& stem : each) names.push_back(stem + std::to_string(k));
  }
  return names;
}

}  // namespace taut
