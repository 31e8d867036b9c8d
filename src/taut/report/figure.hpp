// A figure as plain data: two axes and curves. The report page draws it so that one can zoom and read values
// off; to_svg draws it for papers.
//
//   Figure f{.title = "Error at t = 10", .x = {"h", Axis::logarithmic}, .y = {"error", Axis::logarithmic}};
//   f.series.push_back({.name = "rattle", .x = h, .y = error, .mark = Mark::line_and_points});
//   if (auto line = fitted_line(f.series.back())) f.series.push_back(*line);
//       // "rattle: slope 2.00 ± 0.01", dashed, in the same colour
//   write_svg("out/error.svg", f);
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace taut {

enum class Mark { line, points, line_and_points };

// The line has a gap at points that a logarithmic axis cannot show (zero, negative) and at values that
// are not finite.
struct Series {
  std::string name = {};  // for the legend; empty: not in it
  std::vector<double> x = {}, y = {};
  Mark mark = Mark::line;
  bool dashed = false;
  // A place in the list of colours. Without it, the next free one; a dashed line takes that of the
  // series before it.
  std::optional<int> colour = {};
};

struct Axis {
  enum Kind { linear, logarithmic };
  std::string label = {};
  Kind kind = linear;
};

struct Figure {
  std::string title = {};
  std::string note = {};  // a sentence or two under the title
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  bool equal_scales = false;  // one unit is as long on both axes: paths in the plane
};

// Fits the power law y = c x^slope to a series of errors, by least squares in the logarithms. If three points
// or more show one, the name contains the 95 % interval of the slope. Returns nothing if fewer than two
// points have logarithms.
std::optional<Series> fitted_line(const Series& series);

// Returns the colour of series k, by the rule above.
int colour_of(const Figure& figure, std::size_t k);

struct SvgSize {
  int width = 640, height = 420;
};

// Returns one complete <svg> element: no script, no outside font or file. Long series are thinned without
// losing extremes (thinned.hpp).
std::string to_svg(const Figure& figure, const SvgSize& size = {});

// Writes the file completely or not at all; makes the folder. Throws WriteError if it cannot.
void write_svg(const std::string& path, const Figure& figure, const SvgSize& size = {});

}  // namespace taut
