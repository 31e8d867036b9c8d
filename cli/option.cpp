#include "option.hpp"

#include <taut/contract/request.hpp>
#include <taut/contract/step_count.hpp>

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace taut::cli {

Option flag(std::string name, bool& into, std::string help) {
  return {.name = std::move(name),
          .value_name = {},
          .help = std::move(help),
          .kind = Option::Kind::flag,
          .take = [&into](const std::string&) { into = true; }};
}

Option option(std::string name, std::string value_name, std::function<void(const std::string&)> take,
              std::string help) {
  return {.name = std::move(name),
          .value_name = std::move(value_name),
          .help = std::move(help),
          .take = std::move(take)};
}

Option option(std::string name, std::string value_name, std::string& into, std::string help) {
  return option(
      std::move(name), std::move(value_name), [&into](const std::string& text) { into = text; },
      std::move(help));
}

Option option(std::string name, std::string value_name, std::vector<std::string>& into, std::string help) {
  Option made = option(
      std::move(name), std::move(value_name), [&into](const std::string& text) { into.push_back(text); },
      std::move(help));
  made.kind = Option::Kind::values;
  return made;
}

Option option(std::string name, std::string value_name, std::optional<double>& into, std::string help) {
  return option(
      name, std::move(value_name), [&into, name](const std::string& text) { into = number_of(text, name); },
      std::move(help));
}

Option place(std::string name, std::string& into, std::string help) {
  return option(std::move(name), "", into, std::move(help));
}

Option required(Option option) {
  option.required = true;
  return option;
}

std::size_t choice_of(std::string_view text, std::string_view what, std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return i;
  const std::vector<std::string> all(names.begin(), names.end());
  throw InputError(fmt::format("there is no {0} `{1}`.{2} The {0}{3} are: {4}.", what, text,
                               did_you_mean(text, all), what.ends_with('s') ? "es" : "s", joined(all)));
}

double number_of(const std::string& text, const std::string& what) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range)
    throw InputError(fmt::format("{} is {}, which is too large or too small for a double.", what, text));
  if (error != std::errc{} || stop != end) {
    std::string hint;
    if (what == "--step" && text.find(',') != std::string::npos)
      hint = " `taut compare` takes several steps after --steps-ladder.";
    else if (what == "--step" || what == "--until")
      hint = fmt::format(" A formula goes with --set run.{}.", what.substr(2));
    throw InputError(fmt::format("{} needs a number, not `{}`.{}", what, text, hint));
  }
  return value;
}

std::int64_t count_of(const std::string& text, const std::string& what) {
  const double value = number_of(text, what);
  if (std::abs(value) > most_steps)
    throw InputError(fmt::format("{} is {}; at most {:g} can be counted.", what, text, double(most_steps)));
  if (value != value || value != static_cast<double>(static_cast<std::int64_t>(value)))
    throw InputError(fmt::format("{} needs a whole number, not `{}`.", what, text));
  return static_cast<std::int64_t>(value);
}

double seconds_of(const std::string& text, const std::string& what) {
  const double seconds = number_of(text, what);
  if (!std::isfinite(seconds))
    throw InputError(
        fmt::format("{} {}: give a number of seconds; 1e9 of them are longer than any run, so that only the "
                    "first and the last are left.",
                    what, text));
  if (seconds < 0) throw InputError(fmt::format("{} {}: a time is not negative.", what, text));
  return seconds;
}

}  // namespace taut::cli
