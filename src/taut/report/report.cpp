#include <taut/bytes/json.hpp>
#include <taut/files/whole_file.hpp>
#include <taut/report/markup.hpp>
#include <taut/report/report.hpp>
#include <taut/report/report_page.hpp>
#include <taut/store/thinned.hpp>
#include <taut/version.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <filesystem>
#include <set>
#include <span>

namespace taut {

namespace {

constexpr std::size_t page_buckets = 1500;  // buckets of a series: more than a screen has columns

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (i + j < bytes.size() ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += i + j <= bytes.size() ? letters[group >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

template <class Float>
Json packed(const std::vector<Float>& values) {
  static_assert(std::endian::native == std::endian::little, "the page reads little-endian floats");
  const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
  return Json::object({{sizeof(Float) == 4 ? "f32" : "f64", base64({bytes, values.size() * sizeof(Float)})}});
}

Json json_of(const Axis& axis) {
  return Json::object({{"label", axis.label}, {"log", axis.kind == Axis::logarithmic}});
}

Json json_of(const Figure& figure) {
  Json series = Json::list();
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    const Series& s = figure.series[k];
    const SeriesPoints points = thinned(s.x, s.y, page_buckets);
    series.push_back(Json::object({{"name", s.name},
                                   {"colour", colour_of(figure, k)},
                                   {"line", s.mark != Mark::points},
                                   {"points", s.mark != Mark::line},
                                   {"dashed", s.dashed},
                                   {"count", s.x.size()},
                                   {"x", packed(points.x)},
                                   {"y", packed(points.y)}}));
  }
  return Json::object({{"kind", "figure"},
                       {"title", figure.title},
                       {"note", figure.note},
                       {"x", json_of(figure.x)},
                       {"y", json_of(figure.y)},
                       {"equal", figure.equal_scales},
                       {"series", std::move(series)}});
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "good";
    case Verdict::fair:
      return "fair";
    case Verdict::bad:
      return "bad";
    case Verdict::none:
      break;
  }
  return "";
}

Json json_of(const Table& table) {
  Json rows = Json::list();
  for (const auto& row : table.rows) {
    Json cells = Json::list();
    for (const Cell& cell : row)
      cells.push_back(
          Json::object({{"text", cell.text}, {"verdict", name_of(cell.verdict)}, {"section", cell.section}}));
    rows.push_back(std::move(cells));
  }
  return Json::object({{"kind", "table"},
                       {"title", table.title},
                       {"note", table.note},
                       {"columns", table.columns},
                       {"rows", std::move(rows)}});
}

Json json_of(const Animation& a) {
  Json runs = Json::list(), spheres = Json::list(), bodies = Json::list(), links = Json::list();
  for (const Animation::Run& run : a.runs)
    runs.push_back(Json::object({{"name", run.name},
                                 {"places", packed(run.places)},
                                 {"energy", run.energy},
                                 {"energyError", packed(run.energy_error)},
                                 {"position", packed(run.position)},
                                 {"momentum", packed(run.momentum)}}));
  for (const auto& body : a.bodies)
    bodies.push_back(Json::object({{"name", body.name}, {"disc", body.disc}, {"trail", body.trail}}));
  for (const auto& [from, to] : a.links) links.push_back(std::array{from, to});
  for (const auto& sphere : a.spheres)
    spheres.push_back(Json::object({{"centre", sphere.centre}, {"radius", sphere.radius}}));
  return Json::object({{"kind", "animation"},
                       {"title", a.title},
                       {"note", a.note},
                       {"dimension", a.dimension},
                       {"bodies", std::move(bodies)},
                       {"anchors", a.anchors},
                       {"links", std::move(links)},
                       {"spheres", std::move(spheres)},
                       {"times", packed(a.times)},
                       {"runs", std::move(runs)}});
}

Json json_of(const Computed& computed) {
  Json statements = Json::list(), files = Json::list();
  for (const Statement& s : computed.statements)
    statements.push_back(Json::object({{"title", s.title}, {"lines", s.lines}}));
  for (const SourceFile& f : computed.files)
    files.push_back(Json::object({{"name", f.name}, {"text", f.text}}));
  return Json::object({{"statements", std::move(statements)},
                       {"command", computed.command},
                       {"date", computed.date},
                       {"files", std::move(files)}});
}

Json json_of(const Columns& columns) {
  Json runs = Json::list();
  for (const Columns::Run& run : columns.runs) {
    Json series = Json::list(), frames = Json::list();
    for (std::size_t k = 0; k < columns.names.size(); ++k) {
      series.push_back(Json::object({{"x", packed(run.times[k])}, {"y", packed(run.values[k])}}));
      frames.push_back(packed(run.frames[k]));
    }
    runs.push_back(Json::object({{"name", run.name},
                                 {"series", std::move(series)},
                                 {"times", packed(run.frame_times)},
                                 {"frames", std::move(frames)}}));
  }
  return Json::object({{"kind", "columns"},
                       {"title", columns.title},
                       {"note", columns.note},
                       {"names", columns.names},
                       {"overTime", columns.over_time},
                       {"path", std::array{columns.path.first, columns.path.second}},
                       {"runs", std::move(runs)}});
}

Json json_of(const HeatMap& map) {
  return Json::object({{"kind", "map"},
                       {"title", map.title},
                       {"note", map.note},
                       {"xLabel", map.x_label},
                       {"yLabel", map.y_label},
                       {"x", packed(map.x)},
                       {"y", packed(map.y)},
                       {"values", packed(map.values)},
                       {"log", map.logarithmic},
                       {"kinds", map.kinds}});
}

// Returns lower-case letters, digits and single dashes.
std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z', plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain)
      out += static_cast<char>(upper ? c - 'A' + 'a' : c);
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

struct PageMark {
  std::string_view name, by;
};

// Replaces each mark of the page. A mark that stands in what was put there, as in the title of a model, is
// text.
std::string filled_in(std::string_view page, std::span<const PageMark> marks) {
  std::string out;
  while (!page.empty()) {
    std::size_t next = page.npos;
    const PageMark* first = nullptr;
    for (const PageMark& mark : marks)
      if (const std::size_t at = page.find(mark.name); at < next) {
        next = at;
        first = &mark;
      }
    out += page.substr(0, next);
    if (first == nullptr) break;
    out += first->by;
    page.remove_prefix(next + first->name.size());
  }
  return out;
}

}  // namespace

std::vector<Figure> figures_of(const Columns& columns) {
  const auto label = [&columns](const Columns::Run& run, int k) {
    const std::string& name = columns.names[static_cast<std::size_t>(k)];
    return columns.runs.size() == 1 ? name : run.name + ": " + name;
  };
  const auto doubles = [](const std::vector<float>& v) { return std::vector<double>(v.begin(), v.end()); };
  Figure over_time{.title = "Over time", .x = {.label = "t"}};
  const auto [x, y] = columns.path;
  Figure path{.title = "One over another",
              .x = {.label = columns.names[static_cast<std::size_t>(x)]},
              .y = {.label = columns.names[static_cast<std::size_t>(y)]}};
  for (const Columns::Run& run : columns.runs) {
    for (const int k : columns.over_time)
      over_time.series.push_back({.name = label(run, k),
                                  .x = run.times[static_cast<std::size_t>(k)],
                                  .y = run.values[static_cast<std::size_t>(k)]});
    path.series.push_back({.name = columns.runs.size() == 1 ? "" : run.name,
                           .x = doubles(run.frames[static_cast<std::size_t>(x)]),
                           .y = doubles(run.frames[static_cast<std::size_t>(y)])});
  }
  return {std::move(over_time), std::move(path)};
}

std::string to_json(const Report& report) {
  Json facts = Json::list(), sections = Json::list();
  for (const Fact& fact : report.facts)
    facts.push_back(Json::object({{"name", fact.name}, {"value", fact.value}}));
  for (const Section& section : report.sections) {
    Json panels = Json::list();
    for (const Panel& panel : section.panels)
      panels.push_back(std::visit([](const auto& p) { return json_of(p); }, panel));
    sections.push_back(
        Json::object({{"title", section.title}, {"text", section.text}, {"panels", std::move(panels)}}));
  }
  const Json all = Json::object({{"title", report.title},
                                 {"text", report.text},
                                 {"program", fmt::format("taut {}", version)},
                                 {"computed", json_of(report.computed)},
                                 {"facts", std::move(facts)},
                                 {"sections", std::move(sections)}});
  return all.to_text();
}

std::string to_html(const Report& report) {
  // A reader of JSON sees the same strings; a reader of HTML sees no </script> or <!--.
  std::string data;
  for (const char c : to_json(report)) {
    if (c == '<')
      data += "\\u003c";
    else
      data += c;
  }
  const std::string title = escaped(harmless(report.title)),
                    style = fmt::format("{}\n{}", report_page::plot_css, report_page::css);
  const std::array<PageMark, 5> marks = {{{"<!--title-->", title},
                                          {"/*style*/", style},
                                          {"<!--data-->", data},
                                          {"/*plot*/", report_page::plot_js},
                                          {"/*script*/", report_page::js}}};
  return filled_in(report_page::html, marks);
}

void write_to_path(const std::string& path, const std::string& text) { write_whole_file(path, text); }

void write_report(const std::string& path, const Report& report, const WriteFile& write) {
  write(path, to_html(report));
}

std::vector<std::string> write_figures(const std::string& folder, const Report& report,
                                       const WriteFile& write) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Section& section : report.sections)
    for (const Panel& panel : section.panels) {
      std::vector<Figure> figures;
      if (const auto* figure = std::get_if<Figure>(&panel)) figures = {*figure};
      if (const auto* columns = std::get_if<Columns>(&panel)) figures = figures_of(*columns);
      for (const Figure& figure : figures) {
        const std::string stem = slug(section.title + "-" + figure.title);
        std::string name = stem;
        for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}-{}", stem, k);
        names.push_back((std::filesystem::path(folder) / (name + ".svg")).string());
        write(names.back(), to_svg(figure));
      }
    }
  return names;
}

}  // namespace taut
