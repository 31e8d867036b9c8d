// taut indicators: is a motion regular or chaotic? taut map: the same over two names.
#include <taut/analysis/indicators.hpp>
#include <taut/bytes/json.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <memory>

#include "kept_analysis.hpp"
#include "typed_analysis.hpp"

namespace taut::cli {

namespace {

struct TypedIndicators {
  TypedAnalysis analysis;
  KeptAnalysis kept;
  std::int64_t vectors = 2, every = 5, seed = 1;

  // What the results depend on beside the run.
  std::vector<std::string> words(const std::string& command) const {
    return {command, std::to_string(vectors), std::to_string(every), std::to_string(seed)};
  }

  IndicatorOptions options() const {
    return {static_cast<int>(vectors), every, static_cast<std::uint64_t>(seed)};
  }
  void add_work(Command& command) {
    command.add(
        whole_option("--block", "R", every, 1'000'000, "steps between two renormalisations; default 5"));
    command.add(whole_option("--seed", "N", seed, std::numeric_limits<std::int64_t>::max(),
                             "of the first directions; default 1"));
    kept.add(command);
  }
};

Report page_of(const Indicators& i) {
  Report report{.title = i.model,
                .facts = {{"method", i.method},
                          {"time", fmt::format("{:.6g}", i.time)},
                          {"verdict", i.verdict},
                          {"MEGNO", fmt::format("{:.6g}", i.megno)},
                          {"SALI", fmt::format("{:.3g}", i.sali)}}};
  const auto curve = [&](const char* title, const std::vector<double>& y, bool logarithmic) {
    Figure f{.title = title, .x = {"t"}, .y = {title, logarithmic ? Axis::logarithmic : Axis::linear}};
    f.series.push_back({.x = i.t, .y = y});
    return f;
  };
  report.sections.push_back({.title = "Regular or chaotic?",
                             .panels = {curve("mean MEGNO", i.megno_at, false),
                                        curve("SALI", i.sali_at, true), curve("FLI", i.fli_at, false)}});
  return report;
}

void indicators(TypedIndicators& typed) {
  const ModelRun run = typed.analysis.read();
  const Keeping keeping = typed.kept.open(run, typed.words("indicators"));
  const Indicators i = indicators_of(run, typed.options(), {}, keeping);
  typed.analysis.write_page(run, i.method, page_of(i));
  warn(i.warnings);
  if (typed.analysis.json) {
    fmt::print("{}\n", to_json(i));
    return;
  }
  fmt::print("{}, {}: {} after t = {:.6g}\n", harmless(i.model), i.method, i.verdict, i.time);
  fmt::print("  MEGNO     {:.6f} (mean over time; 2 if the motion is regular)\n", i.megno);
  fmt::print("  SALI      {:.3e} (below {:.0e} in chaos)\n", i.sali, chaotic_sali);
  for (std::size_t k = 0; k < i.gali.size(); ++k) fmt::print("  GALI({})   {:.3e}\n", k + 2, i.gali[k]);
  fmt::print("  FLI       {:.6f}, largest exponent so far {:.6f}\n", i.fli, i.lyapunov);
}

struct TypedMap {
  TypedIndicators with;
  std::string x, y, indicator = "megno";
};

struct MapCell {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string error = {};
  void carry(Carry& c) {
    c(value);
    carry_any(c, error);
  }
};

HeatMap heat_map(const TypedMap& typed, const Settings& grid, const std::vector<MapCell>& cells) {
  HeatMap map{.title = typed.indicator, .x_label = grid.names[1], .y_label = grid.names[0]};
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const double a = grid.values[k][0], b = grid.values[k][1];
    if (map.y.empty() || a != map.y.back()) map.y.push_back(a);
    if (map.y.size() == 1) map.x.push_back(b);
    map.values.push_back(cells[k].value);
  }
  map.logarithmic = typed.indicator == "sali" || typed.indicator.starts_with("gali");
  map.note = "Empty: the start was refused, or a step failed.";
  return map;
}

std::string json_of(const TypedMap& typed, const Settings& grid, const std::vector<MapCell>& cells,
                    const std::string& model) {
  Json rows = Json::list();
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Json row = Json::object({{grid.names[0], grid.values[k][0]},
                             {grid.names[1], grid.values[k][1]},
                             {typed.indicator, cells[k].value}});
    if (!cells[k].error.empty()) row["error"] = cells[k].error;
    rows.push_back(std::move(row));
  }
  return Json::object({{"model", model}, {"indicator", typed.indicator}, {"cells", std::move(rows)}})
      .to_text(2);
}

int map(TypedMap& typed) {
  const int vectors = vectors_for(typed.indicator);
  if (vectors == 0)
    throw InputError("--indicator: there is no " + ticked(typed.indicator) +
                     "; there are fli, megno, lyapunov, sali, gali2, gali3, …");
  typed.with.vectors = vectors;
  const ModelRun first = typed.with.analysis.read();
  // The second name runs fastest: y first, so that cells come row by row.
  const Settings grid = settings_of(first, {typed.y, typed.x});
  if (grid.names.size() != 2 || grid.names[0] == grid.names[1])
    throw InputError("a map is over two different names: --x 'a = linspace(-1, 1, 20)' and --y 'p_a = …'.");
  std::vector<MapCell> cells(grid.values.size());
  std::size_t failed = 0, doubtful = 0;
  std::string method, last, doubt;
  std::vector<std::string> words = typed.with.words("map");
  words.insert(words.end(), {typed.x, typed.y, typed.indicator});
  const Keeping keeping = typed.with.kept.open(first, words);
  std::size_t done = 0;
  const auto carry = [&](Carry& c) {
    for (std::size_t* number : {&done, &failed, &doubtful}) c(*number);
    for (std::string* text : {&method, &last, &doubt}) carry_any(c, *text);
    for (MapCell& cell : cells) cell.carry(c);
  };
  if (!keeping.from.empty()) {
    take_kept(keeping, carry);
    keeping.resumed(fmt::format("{} of {} cells", done, cells.size()));
  }
  for (std::size_t k = done; k < cells.size(); ++k) {
    try {
      const Indicators one = indicators_of(typed.with.analysis.read_with(grid.of(k)), typed.with.options());
      cells[k].value = value_of(one, typed.indicator);
      method = one.method;
      if (!one.warnings.empty() && doubtful++ == 0) doubt = one.warnings.front();
    } catch (const std::runtime_error& error) {  // a start that is refused, or a step that fails
      cells[k].error = last = error.what();
      ++failed;
    }
    done = k + 1;
    if (done == cells.size() || keeping.is_due()) give_to(keeping, carry);
  }
  if (failed == cells.size())
    throw AnalysisError("no cell of the map has a value. The last one says: " + last);
  Report report{
      .title = first.title(),
      .facts = {
          {"method", method}, {"cells", std::to_string(cells.size())}, {"failed", std::to_string(failed)}}};
  report.sections.push_back({.title = "Map of " + typed.indicator, .panels = {heat_map(typed, grid, cells)}});
  typed.with.analysis.write_page(first, method, std::move(report));
  if (typed.with.analysis.json) {
    fmt::print("{}\n", json_of(typed, grid, cells, first.title()));
  } else {
    fmt::print("{},{},{}\n", grid.names[0], grid.names[1], typed.indicator);
    for (std::size_t k = 0; k < cells.size(); ++k)
      fmt::print("{},{},{}\n", grid.values[k][0], grid.values[k][1], cells[k].value);
  }
  if (failed > 0)
    fmt::print(stderr, "taut: {} of {} cells have no value. The last one says: {}\n", failed, cells.size(),
               harmless_lines(last));
  if (doubtful > 0)
    fmt::print(stderr, "taut: {} of {} cells are in doubt. The first one says: {}\n", doubtful, cells.size(),
               harmless_lines(doubt));
  return 0;
}

}  // namespace

void add_indicators(Program& program) {
  const auto typed = std::make_shared<TypedIndicators>();
  Command command{
      .name = "indicators",
      .what = "Is the motion regular or chaotic? MEGNO, SALI, GALI and FLI",
      .examples = "  taut indicators double-pendulum --until 100\n",
      .notes =
          "\nDeviation vectors are carried by the derivative of the method's own map. Regular: the "
          "mean MEGNO is 2 ± 0.1.\nOtherwise chaotic, if SALI is below 1e-8 and the growth is more than "
          "errors may "
          "feign (not resolved, if it is not);\nand not yet known with a larger SALI.",
      .action = [typed] { return analysed([&] { indicators(*typed); }); }};
  typed->analysis.add(command);
  command.add(whole_option("--vectors", "K", typed->vectors, 400, "for GALI(2) … GALI(K); default 2"));
  typed->add_work(command);
  program.add(std::move(command));
}

void add_map(Program& program) {
  const auto typed = std::make_shared<TypedMap>();
  Command command{
      .name = "map",
      .what = "An indicator of chaos over two parameters or starts, as a heat map",
      .examples =
          "  taut map double-pendulum --x 'm2 = linspace(0.5, 2, 9)' --y 'gravity = linspace(1, 10, 9)' "
          "--until 50 --report\n",
      .notes = "\nEach cell is a run of its own, from the model's start with the two values changed.",
      .action = [typed] { return analysed([&] { map(*typed); }); }};
  typed->with.analysis.add(command);
  command.add(required(option("--x", "NAME = VALUES", typed->x, "'a = linspace(-1, 1, 20)'")));
  command.add(required(option("--y", "NAME = VALUES", typed->y, "'p_a = linspace(-1, 1, 20)'")));
  command.add(
      option("--indicator", "I", typed->indicator, "megno (default), sali, fli, lyapunov, gali2, gali3, …"));
  typed->with.add_work(command);
  program.add(std::move(command));
}

}  // namespace taut::cli
