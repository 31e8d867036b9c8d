// A double-logarithmic line plot as one SVG file, for the studies under bench/.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace plot {

struct Curve {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
};

inline constexpr int width = 760, height = 480, left = 80, right = 250, top = 40, bottom = 60;

// Decades that enclose the data.
struct Decades {
  int from = 0, to = 1;
  double place(double value) const { return (std::log10(value) - from) / (to - from); }
};

inline Decades decades(const std::vector<Curve>& curves, std::vector<double> Curve::* axis) {
  double low = 1e300, high = 0;
  for (const Curve& c : curves)
    for (const double v : c.*axis) {
      if (!(v > 0)) continue;
      low = std::min(low, v);
      high = std::max(high, v);
    }
  const int from = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  return {from, std::max(from + 1, static_cast<int>(std::ceil(std::log10(high) - 1e-9)))};
}

inline std::string grid(const Decades& x, const Decades& y) {
  std::string svg;
  for (int d = x.from; d <= x.to; ++d) {
    const double at = left + x.place(std::pow(10, d)) * (width - left - right);
    svg += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#ddd'/>", at, top,
                       height - bottom);
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>1e{}</text>\n", at, height - bottom + 20,
                       d);
  }
  for (int d = y.from; d <= y.to; ++d) {
    const double at = height - bottom - y.place(std::pow(10, d)) * (height - top - bottom);
    svg += fmt::format("<line x1='{1}' x2='{2}' y1='{0:.1f}' y2='{0:.1f}' stroke='#ddd'/>", at, left,
                       width - right);
    svg += fmt::format("<text x='{}' y='{:.1f}' text-anchor='end'>1e{}</text>\n", left - 8, at + 4, d);
  }
  return svg;
}

inline std::string line(const Curve& curve, const Decades& x, const Decades& y, std::string_view colour,
                        int row) {
  std::string points;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!(curve.x[i] > 0) || !(curve.y[i] > 0)) continue;
    points += fmt::format("{:.1f},{:.1f} ", left + x.place(curve.x[i]) * (width - left - right),
                          height - bottom - y.place(curve.y[i]) * (height - top - bottom));
  }
  const std::string dash = curve.dashed ? " stroke-dasharray='6 4'" : "";
  const int at = top + 10 + 20 * row, from = width - right + 15;
  return fmt::format(
      "<polyline fill='none' stroke='{0}' stroke-width='1.8'{1} points='{2}'/>\n"
      "<line x1='{3}' x2='{4}' y1='{5}' y2='{5}' stroke='{0}' stroke-width='1.8'{1}/><text x='{6}' "
      "y='{7}'>{8}</text>\n",
      colour, dash, points, from, from + 22, at, from + 28, at + 4, curve.name);
}

// True when the file was written.
inline bool write_loglog(const std::string& file, const std::string& title, const std::string& x_name,
                         const std::string& y_name, const std::vector<Curve>& curves) {
  constexpr std::string_view colours[] = {"#1b6ca8", "#c8553d", "#2a9d5c", "#8a4fbe",
                                          "#b8860b", "#444444", "#d6408f", "#17a2a2"};
  const Decades x = decades(curves, &Curve::x), y = decades(curves, &Curve::y);
  std::ofstream out(file);
  out << fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' font-family='sans-serif' font-size='12'>"
      "<rect width='{0}' height='{1}' fill='white'/>\n<text x='{2}' y='22' font-size='15'>{3}</text>\n",
      width, height, left, title);
  out << grid(x, y);
  out << fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n", (left + width - right) / 2,
                     height - 18, x_name);
  out << fmt::format("<text transform='translate(20 {}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                     height / 2, y_name);
  for (std::size_t i = 0; i < curves.size(); ++i)
    out << line(curves[i], x, y, colours[i % std::size(colours)], static_cast<int>(i));
  out << "</svg>\n";
  return static_cast<bool>(out.flush());
}

}  // namespace plot
