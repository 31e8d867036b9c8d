#include "typed_analysis.hpp"

#include <taut/report/computed.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>

#include "../origin.hpp"

namespace taut::cli {

ModelRun TypedAnalysis::read_with(const std::vector<std::string>& more) const {
  std::vector<std::string> set = model.set;
  set.insert(set.end(), more.begin(), more.end());
  return read_model_run(model.problem, model.request(), set);
}

void TypedAnalysis::add(Command& command) {
  model.add_problem(command);
  model.add_method(command);
  model.add_length(command);
  model.add_set(command);
  command.add(flag("--json", json, "print one JSON object"));
  report.add(command);
}

void TypedAnalysis::write_page(const ModelRun& run, const std::string& method, Report page) const {
  const auto wanted = report.wanted();
  if (!wanted) return;
  check_wanted(*wanted, "", run);
  RunSummary summary;
  summary.method = method;
  page.computed = computed_by({&run}, {summary}, origin_of_report());
  write_wanted(*wanted, nullptr, page);
}

std::vector<std::string> Settings::of(std::size_t k) const {
  std::vector<std::string> set;
  for (std::size_t i = 0; i < names.size(); ++i)
    set.push_back(fmt::format("{}={:.17g}", names[i], values[k][i]));
  return set;
}

Settings settings_of(const ModelRun& run, const std::vector<std::string>& vary) {
  const Variations variations(run.model, {.vary = vary, .grid = true});
  constexpr std::int64_t most = 1'000'000;
  if (variations.size() > most)
    throw InputError(
        fmt::format("--vary makes {} starts, and at most {} are taken.", variations.size(), most));
  Settings out{variations.names(), {}};
  for (std::int64_t k = 0; k < variations.size(); ++k) {
    out.values.emplace_back(out.names.size());
    variations.values(k, out.values.back());
  }
  return out;
}

int analysed(const std::function<void()>& make) {
  try {
    make();
  } catch (const AnalysisError& error) {
    fmt::print(stderr, "taut: {}\n", harmless_lines(error.what()));
    return 1;
  }
  return finish_output();
}

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& sentence : warnings) fmt::print(stderr, "taut: {}\n", harmless_lines(sentence));
}

std::vector<std::string> between_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; !text.empty() && from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string part = text.substr(from, comma - from);
    while (part.starts_with(' ')) part.erase(0, 1);
    while (part.ends_with(' ')) part.pop_back();
    parts.push_back(std::move(part));
    from = comma + 1;
  }
  return parts;
}

Option whole_option(std::string name, std::string value_name, std::int64_t& into, std::int64_t most,
                    std::string help) {
  const auto take = [&into, name, most](const std::string& text) {
    into = count_of(text, name);
    if (into < 1 || into > most) throw InputError(fmt::format("{}: from 1 to {}.", name, most));
  };
  return option(std::move(name), std::move(value_name), take, std::move(help));
}

}  // namespace taut::cli
