#include <taut/contract/request.hpp>
#include <taut/ensemble/spacing.hpp>
#include <taut/ensemble/variation.hpp>
#include <taut/random/draws.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace taut {

namespace {

constexpr std::int64_t most_trajectories = 1'000'000'000'000'000;

[[noreturn]] void refuse(const ModelError& error) {
  std::string text = error.text();
  while (text.ends_with('\n')) text.pop_back();
  throw InputError(text);
}

std::string_view between_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

double between(double a, double b, double u) { return std::clamp((1 - u) * a + u * b, a, b); }

std::vector<std::string> coordinates_then_momenta(const Model& model) {
  std::vector<std::string> names = model.coordinates;
  for (const std::string& x : model.coordinates) names.push_back("p_" + x);
  return names;
}

}  // namespace

Json to_json(const VaryRequest& request) {
  Json json = Json::object({{"vary", request.vary}, {"grid", request.grid}});
  if (request.size) json["size"] = *request.size;
  if (request.seed) json["seed"] = *request.seed;
  return json;
}

VaryRequest vary_request(const Json& json) {
  VaryRequest request{.vary = json.at("vary").texts(), .grid = json.at("grid").boolean()};
  if (const Json* size = json.find("size")) request.size = size->whole<std::int64_t>();
  if (const Json* seed = json.find("seed")) request.seed = seed->whole<std::uint64_t>();
  return request;
}

Variations::Variations(const Model& model, const VaryRequest& asked)
    : vary_(model.ensemble.vary),
      seed_(asked.seed.value_or(model.ensemble.seed.value_or(1))),
      grid_(asked.grid || model.ensemble.grid) {
  // The table of the command line replaces that of the model.
  std::optional<TableFile> table = asked.table;
  if (!table && !model.ensemble.table.empty()) {
    const SourceText& file = *model.files.at(model.ensemble.table);
    table = TableFile{std::string(file.name()), std::string(file.text())};
  }
  if (table) table_ = read_table(*table, settable_names(model), coordinates_then_momenta(model));
  for (const std::string& typed : asked.vary) take(model, typed);
  names_ = table_.names;
  for (const Vary& v : vary_) names_.push_back(v.name);
  check_names();
  set_axes(asked.size ? asked.size : model.ensemble.size);
}

// Takes one text of the command line. It replaces what the model says of the same name.
void Variations::take(const Model& model, const std::string& typed) {
  const SourceText source("--vary", typed, false);
  const std::size_t sign = typed.find_first_of("=~");
  if (sign == std::string::npos)
    refuse(source.error({0, typed.size()}, "this is not of the form NAME = VALUES",
                        "as in --vary 'L = linspace(1, 2, 100)' or --vary 'x ~ normal(0.6, 1e-3)'"));
  const std::string name(between_blanks(std::string_view(typed).substr(0, sign)));
  const std::size_t begin = std::min(typed.find_first_not_of(" \t"), sign);
  const Span of_name{begin, begin + name.size()};
  const std::vector<std::string> settable = settable_names(model);
  if (!contains(settable, name))
    refuse(source.error(of_name, "the model has nothing called " + ticked(name) + " that could vary",
                        known_names("known:", name, settable)));
  std::map<std::string, Float128, std::less<>> values;
  std::vector<std::string> parameters;
  for (const NamedFormula& a : model.parameters) {
    values[a.name] = a.value;
    parameters.push_back(a.name);
  }
  ParsedVary parsed = parse_vary(typed.substr(sign + 1), parameters, [&](std::string_view of) {
    const auto at = values.find(of);
    return at == values.end() ? std::nullopt : std::optional<Float128>(at->second);
  });
  if (parsed.error) {
    const Span at = parsed.error->span;
    refuse(
        source.error({at.begin + sign + 1, at.end + sign + 1}, parsed.error->sentence, parsed.error->note));
  }
  parsed.vary.name = name;
  const auto of_model =
      std::find_if(vary_.begin(), vary_.end(), [&](const Vary& v) { return v.name == name; });
  const auto said_here = of_model - vary_.begin() >= static_cast<std::ptrdiff_t>(model.ensemble.vary.size());
  if (of_model == vary_.end())
    vary_.push_back(std::move(parsed.vary));
  else if (!said_here)
    *of_model = std::move(parsed.vary);
  else
    refuse(source.error(of_name, ticked(name) + " varies twice", "leave one of the two out"));
}

void Variations::check_names() const {
  std::map<std::uint32_t, std::string> streams;
  for (const Vary& v : vary_) {
    if (contains(table_.names, v.name))
      throw InputError(
          fmt::format("{} is a column of the table, and varies by {} too: leave one of the two out.",
                      ticked(v.name), text_of(v)));
    if (!v.is_drawn()) continue;
    const auto [at, fresh] = streams.emplace(stream_of(v.name), v.name);
    if (!fresh)
      throw InputError(
          fmt::format("{} and {} would draw the same random numbers, because their names have the same hash: "
                      "rename one of the two.",
                      ticked(at->second), ticked(v.name)));
  }
}

// Finds how many trajectories there are, and which value of each list a trajectory has.
void Variations::set_axes(std::optional<std::int64_t> wanted) {
  struct Length {
    std::string what;
    std::int64_t count;  // 0: as many as there are trajectories
    Axis* axis;
  };
  axes_.resize(vary_.size());
  std::vector<Length> lists;
  if (!table_.names.empty())
    lists.push_back({"the table", static_cast<std::int64_t>(table_.rows()), &table_axis_});
  for (std::size_t k = 0; k < vary_.size(); ++k) {
    const Vary& v = vary_[k];
    const auto written = static_cast<std::int64_t>(v.numbers.size());
    if (!v.is_drawn())
      lists.push_back({ticked(v.name), v.kind == VaryKind::list ? written : v.count, &axes_[k]});
  }
  if (wanted && (*wanted < 1 || *wanted > most_trajectories))
    throw InputError(
        fmt::format("an ensemble has at least 1 and at most {} trajectories, and {} are asked for.",
                    most_trajectories, *wanted));
  std::int64_t product = 1;
  for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
    if (list->count == 0 && (grid_ || (!wanted && lists.size() == 1)))
      throw InputError(fmt::format(
          "how many values has {}? Say it as a third number, as in linspace(1, 2, 100).", list->what));
    if (!grid_ || list->count == 0) continue;
    *list->axis = {list->count, product};
    if (list->count > most_trajectories / product)
      throw InputError(fmt::format("the grid has more than {} trajectories.", most_trajectories));
    product *= list->count;
  }
  if (grid_ && !lists.empty()) {
    if (wanted && *wanted != product)
      throw InputError(
          fmt::format("the lists of the grid make {} trajectories, and {} are asked for: leave --size out.",
                      product, *wanted));
    size_ = product;
    return;
  }
  const Length* said = nullptr;  // the first list that has a length of its own
  for (const Length& list : lists)
    if (said == nullptr && list.count != 0) said = &list;
  if (!wanted && said == nullptr)
    throw InputError(lists.empty()
                         ? "how many trajectories are there? Say it by --size N."
                         : "how many values have the lists? Say it by --size N, or in one of them.");
  size_ = wanted ? *wanted : said->count;
  for (const Length& list : lists) {
    if (list.count != 0 && list.count != size_)
      throw InputError(fmt::format(
          "{} has {}, and {}.{}", list.what,
          counted(static_cast<std::size_t>(list.count), list.axis == &table_axis_ ? "row" : "value"),
          wanted ? fmt::format("{} trajectories are asked for", size_)
                 : fmt::format("{} has {}", said->what, size_),
          lists.size() > 1 ? " For every value of one with every value of the others, say --grid." : ""));
    *list.axis = {size_, 1};
  }
}

double Variations::value(const Vary& v, const Axis& axis, std::int64_t trajectory) const {
  const std::int64_t place = axis.place(trajectory);
  const Draw draw{seed_, static_cast<std::uint64_t>(trajectory), v.is_drawn() ? stream_of(v.name) : 0, 0};
  switch (v.kind) {
    case VaryKind::list:
      return v.numbers[static_cast<std::size_t>(place)];
    case VaryKind::linspace:
      return evenly(v.numbers[0], v.numbers[1], place, axis.length);
    case VaryKind::logspace:
      return geometrically(v.numbers[0], v.numbers[1], place, axis.length);
    case VaryKind::uniform:
      return between(v.numbers[0], v.numbers[1], uniform(draw));
    case VaryKind::normal:
      return v.numbers[0] + v.numbers[1] * normal(draw);
    case VaryKind::choice:
      return v.numbers[one_of(draw, v.numbers.size())];
  }
  return 0;
}

void Variations::values(std::int64_t trajectory, std::span<double> out) const {
  const std::size_t columns = table_.names.size();
  if (columns > 0) {
    const auto row = static_cast<std::size_t>(table_axis_.place(trajectory));
    std::copy_n(&table_.values[row * columns], columns, out.begin());
  }
  for (std::size_t k = 0; k < vary_.size(); ++k) out[columns + k] = value(vary_[k], axes_[k], trajectory);
}

std::string Variations::text() const {
  std::string text = fmt::format("size {}\nseed {}\n", size_, seed_);
  if (grid_) text += "grid\n";
  if (!table_.names.empty())
    text += fmt::format("table {} sha256 {}\n", joined(table_.names), table_.sha256());
  for (const Vary& v : vary_) text += fmt::format("{} {} {}\n", v.name, v.is_drawn() ? "~" : "=", text_of(v));
  return text;
}

}  // namespace taut
