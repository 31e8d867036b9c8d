// taut section: the points at which a formula crosses zero, of one start or of many.
#include <taut/analysis/section.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "typed_analysis.hpp"

namespace taut::cli {

namespace {

struct TypedSection {
  TypedAnalysis analysis;
  std::vector<std::string> vary;
  std::string momentum, axes;
  std::optional<double> after;
};

// Returns the number of the momentum that --energy-by names.
std::size_t momentum_of(const ModelRun& run, const std::string& name) {
  const std::vector<std::string> columns = run.columns();
  const std::size_t n = columns.size() / 2;
  const auto at = std::find(columns.begin() + static_cast<std::ptrdiff_t>(n), columns.end(), name);
  if (at == columns.end())
    throw InputError(
        fmt::format("--energy-by: there is no momentum {}; there are {}.", ticked(name),
                    fmt::join(columns.begin() + static_cast<std::ptrdiff_t>(n), columns.end(), ", ")));
  return static_cast<std::size_t>(at - columns.begin()) - n;
}

// Returns the run of a start whose energy is that of the model: all of its coordinates and momenta are set,
// or its velocities if that is what the model gives.
ModelRun with_energy(const TypedAnalysis& typed, double energy, const std::string& momentum,
                     const std::vector<std::string>& set) {
  const ModelRun run = typed.read_with(set);
  const PlainState x = start_of_energy(run, energy, momentum_of(run, momentum));
  const std::vector<std::string> names = run.coordinates();
  const auto read = [&](const char* prefix, const std::vector<double>& motion) {
    std::vector<std::string> all = set;
    for (std::size_t i = 0; i < names.size(); ++i) {
      all.push_back(fmt::format("{}={:.17g}", names[i], x.q[i]));
      all.push_back(fmt::format("{}{}={:.17g}", prefix, names[i], motion[i]));
    }
    return typed.read_with(all);
  };
  try {
    return read("p_", x.p);
  } catch (const ModelFileError&) {  // its start is in velocities
    return read("v_", velocities_at(run, x));
  }
}

// Leaves out the points before a time, on which the motion has not yet come to what it tends to.
SectionPoints section_after(const ModelRun& run, const TypedSection& typed) {
  SectionPoints points = section_of(run, {}, !typed.axes.empty());
  if (const auto& time = typed.after)
    std::erase_if(points.points, [&](const auto& row) { return row.front() < *time; });
  return points;
}

SectionPoints points_of(const TypedSection& typed, const ModelRun& first) {
  if (typed.vary.empty()) {
    if (!typed.momentum.empty())
      throw InputError("--energy-by is for many starts of one energy: give --vary too.");
    return section_after(first, typed);
  }
  const Settings starts = settings_of(first, typed.vary);
  const double energy = typed.momentum.empty() ? 0 : energy_of_start(first);
  SectionPoints all;
  std::size_t left_out = 0;
  for (std::size_t k = 0; k < starts.values.size(); ++k) {
    std::optional<ModelRun> run;
    try {
      run = typed.momentum.empty() ? typed.analysis.read_with(starts.of(k))
                                   : with_energy(typed.analysis, energy, typed.momentum, starts.of(k));
    } catch (const NoSuchEnergy&) {
      ++left_out;
      continue;
    }
    SectionPoints one = section_after(*run, typed);
    for (std::size_t i = 0; i < starts.names.size() && !typed.axes.empty(); ++i)
      add_column(one, starts.names[i], starts.values[k][i]);
    if (all.columns.empty())
      all = std::move(one);
    else
      append(all, std::move(one));
  }
  if (all.columns.empty())
    throw InputError("no start has the energy of the model's own: vary less, or begin with more energy.");
  if (left_out > 0)
    fmt::print(stderr, "taut: {} of {} starts cannot have the energy {:.10g}, and are left out.\n", left_out,
               starts.values.size(), energy);
  return all;
}

// The page: the points in the plane of two columns, a colour for each start.
Report page_of(const SectionPoints& s, std::string axes) {
  const std::size_t n = s.coordinates;
  if (axes.empty())
    axes = s.columns[std::min<std::size_t>(2, n)] + "," + s.columns[n + std::min<std::size_t>(2, n)];
  const std::vector<std::string> names = between_commas(axes);
  std::vector<std::size_t> place;
  for (const std::string& name : names) {
    const auto at = std::find(s.columns.begin(), s.columns.end(), name);
    if (at == s.columns.end())
      throw InputError(fmt::format("--axes: there is no column {}; there are {}.", ticked(name),
                                   fmt::join(s.columns, ", ")));
    place.push_back(static_cast<std::size_t>(at - s.columns.begin()));
  }
  if (place.size() != 2) throw InputError("--axes takes two columns, as in --axes x,p_x.");
  Figure f{.title = "Section " + s.formula + " = 0", .x = {names[0]}, .y = {names[1]}};
  for (std::size_t k = 0; k < s.begin.size(); ++k) {
    Series one{.mark = Mark::points, .colour = static_cast<int>(k)};
    const std::size_t end = k + 1 < s.begin.size() ? s.begin[k + 1] : s.points.size();
    for (std::size_t i = s.begin[k]; i < end; ++i) {
      one.x.push_back(s.points[i][place[0]]);
      one.y.push_back(s.points[i][place[1]]);
    }
    f.series.push_back(std::move(one));
  }
  Report report{.title = s.model,
                .facts = {{"method", s.method},
                          {"points", std::to_string(s.points.size())},
                          {"starts", std::to_string(s.begin.size())}}};
  report.sections.push_back({.title = "Poincaré section", .panels = {std::move(f)}});
  return report;
}

int section(const TypedSection& typed) {
  const ModelRun first = typed.analysis.read();
  if (first.model.dynamics.events.empty())
    throw InputError("a section needs an event: [[events]] in the model, or --event 'when=x, direction=up'.");
  const SectionPoints found = points_of(typed, first);
  if (typed.analysis.report.wanted())
    typed.analysis.write_page(first, found.method, page_of(found, typed.axes));
  if (typed.analysis.json) {
    fmt::print("{}\n", to_json(found));
  } else {
    fmt::print("{}\n", fmt::join(found.columns, ","));
    for (const auto& row : found.points) fmt::print("{}\n", fmt::join(row, ","));
  }
  const int written = finish_output();
  warn(found.warnings);
  for (const std::string& error : found.errors) fmt::print(stderr, "taut: {}\n", harmless_lines(error));
  return found.errors.empty() ? written : 1;
}

}  // namespace

void add_section(Program& program) {
  const auto typed = std::make_shared<TypedSection>();
  Command command{
      .name = "section",
      .what = "Points at which a formula of a run crosses zero: a Poincaré section",
      .examples = "  taut section double-pendulum --event 'when=x1, direction=up' --until 1000\n",
      .notes =
          "\nThe last event is the section. Points lie on the manifold to rounding. With "
          "--vary there are many starts;\n--energy-by changes one momentum of each so that "
          "all have the energy of the model's own start. Columns of the page may be\ncoordinates, momenta, "
          "quantities of the model and what --vary names.",
      .action = [typed] {
        int status = 0;
        const int ended = analysed([&] { status = section(*typed); });
        return ended != 0 ? ended : status;
      }};
  typed->analysis.add(command);
  typed->analysis.model.add_events(command);
  Option vary = option("--vary", "NAME = VALUES", typed->vary,
                       "many starts, as for `taut ensemble --grid`: 'x = linspace(-1, 1, 20)'");
  command.add(std::move(vary));
  command.add(option("--energy-by", "p_x", typed->momentum,
                     "give every start the energy of the model's own by changing this momentum"));
  command.add(option("--axes", "X,Y", typed->axes, "the two columns that the page shows"));
  command.add(option("--after", "T", typed->after, "leave out points before this time"));
  program.add(std::move(command));
}

}  // namespace taut::cli
