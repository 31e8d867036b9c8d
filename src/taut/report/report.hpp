// A report as plain data, and the one page it becomes: HTML with everything inside, which needs no network
// and opens from disk.
//
//   Report report{.title = "Reich 1996", .facts = {{"step", "0.05"}}};
//   Section& s = report.sections.emplace_back(
//       Section{.title = "Table 1", .text = "Published beside measured."});
//   s.panels.push_back(figure);              // Figure, Table or Animation, in the order of the page
//   write_report("out/report.html", report);
//   write_figures("out/figures", report);    // each Figure as SVG, named by its section and title
#pragma once

#include <taut/report/figure.hpp>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace taut {

// The page colours the cell and also says the verdict in words, because print loses colour.
enum class Verdict { none, good, fair, bad };

struct Cell {
  Cell(std::string shown, Verdict judged = Verdict::none) : text(std::move(shown)), verdict(judged) {}
  Cell(const char* shown, Verdict judged = Verdict::none) : text(shown), verdict(judged) {}
  std::string text;
  Verdict verdict;
  int section = 0;  // the text leads to this section of the page, counted from 1; 0: nowhere
};

struct Table {
  std::string title = {};
  std::string note = {};
  std::vector<std::string> columns = {};
  std::vector<std::vector<Cell>> rows = {};  // each as long as `columns`
};

using Point = std::array<double, 3>;  // the third is 0 in the plane

// A motion, frame by frame. Figures of the same section whose x axis is labelled "t" show its time and set
// it. Several runs share the picture and the times, one colour each.
struct Animation {
  struct Run {
    std::string name = {};
    // Places of all bodies in all frames: frame by frame, body by body, x y or x y z. A run that ended early
    // has fewer frames.
    std::vector<float> places = {};
    double energy = 0;  // at the start
    // H - H₀, max |g| and max |G H_p| of each frame.
    std::vector<double> energy_error = {}, position = {}, momentum = {};
  };
  std::string title = {};
  std::string note = {};  // what is shown, and what is not
  int dimension = 2;
  struct Body {
    std::string name = {};
    bool disc = true;   // otherwise a point with its name, such as the tip of an axis
    bool trail = true;  // shows where it has been
  };
  std::vector<Body> bodies = {};
  std::vector<Point> anchors = {};  // points that do not move
  // Rods between bodies (0, 1, …) and anchors (bodies.size(), …).
  std::vector<std::pair<int, int>> links = {};
  struct Sphere {
    Point centre = {};
    double radius = 0;
  };
  std::vector<Sphere> spheres = {};  // surfaces on which bodies stay, drawn as nets; in space only
  std::vector<double> times = {};
  std::vector<Run> runs = {};
};

// Columns of a run from which the reader chooses: any of them over time, and any over another. Several runs
// have the same columns.
struct Columns {
  struct Run {
    std::string name = {};
    std::vector<std::vector<double>> times = {}, values = {};  // over the whole run, one list for each column
    // Each column at the same times, close enough for paths and, at the beginning of a long run, for waves.
    std::vector<double> frame_times = {};
    std::vector<std::vector<float>> frames = {};
  };
  std::string title = {};
  std::string note = {};
  std::vector<std::string> names = {};
  std::vector<int> over_time = {};  // those that are shown first
  std::pair<int, int> path = {};    // and the first pair, x and y
  std::vector<Run> runs = {};
};

// A map of cells over two axes, each coloured by its value.
struct HeatMap {
  std::string title = {};
  std::string note = {};
  std::string x_label = {}, y_label = {};
  std::vector<double> x = {}, y = {};  // the middles of the cells
  std::vector<double> values = {};     // row by row of y; NaN: an empty cell
  bool logarithmic = false;
  std::vector<std::string> kinds = {};  // if there are any, the values are places in this list
};

// The figures that the page shows first.
std::vector<Figure> figures_of(const Columns& columns);

using Panel = std::variant<Figure, Table, Animation, Columns, HeatMap>;

struct Section {
  std::string title = {};
  // Plain text; an empty line begins a new paragraph, and a paragraph that begins with "!" warns.
  std::string text = {};
  std::vector<Panel> panels = {};
};

struct Fact {
  std::string name, value;
};

// What was computed, for a reader who was not there.
struct Statement {
  std::string title;
  std::vector<std::string> lines;  // formulas and numbers, as written
};
struct SourceFile {
  std::string name, text;
};
struct Computed {
  std::vector<Statement> statements = {};
  std::string command = {};            // The command that made the report.
  std::string date = {};               // The day and time.
  std::vector<SourceFile> files = {};  // The model and the files it names, to download.
};

struct Report {
  std::string title = {};
  std::string text = {};
  Computed computed = {};
  std::vector<Fact> facts = {};  // in a row under the title
  std::vector<Section> sections = {};
};

// Returns the data of the page. Numbers are base64 of little-endian floats, so that long series stay
// short and exact.
std::string to_json(const Report& report);

std::string to_html(const Report& report);

// Writes one file of a report completely or not at all, and makes its folder. Throws WriteError if it cannot.
using WriteFile = std::function<void(const std::string& path, const std::string& text)>;
void write_to_path(const std::string& path, const std::string& text);

void write_report(const std::string& path, const Report& report, const WriteFile& write = write_to_path);

// Writes every figure as FOLDER/SECTION-TITLE.svg and returns the names, in the order of the page.
std::vector<std::string> write_figures(const std::string& folder, const Report& report,
                                       const WriteFile& write = write_to_path);

}  // namespace taut
