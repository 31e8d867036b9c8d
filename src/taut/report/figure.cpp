#include <taut/files/whole_file.hpp>
#include <taut/measure/growth.hpp>
#include <taut/report/figure.hpp>
#include <taut/report/markup.hpp>
#include <taut/store/thinned.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace taut {

namespace {

// The colours are in the order of report/page.css, for white paper.
constexpr std::array<std::string_view, 8> colours = {"#1f6fb4", "#c4501b", "#1a8a5a", "#8a4fbe",
                                                     "#a67c00", "#c2327f", "#14899b", "#555555"};

constexpr std::size_t svg_buckets = 700;  // finer than a page shows
constexpr std::size_t svg_dots = 10000;   // as many dots without a line as are drawn one by one
constexpr double least_width = 400;       // a long legend makes the figure wider, and the axes not narrower

// Returns the width of about as many characters as the reader sees: bytes that continue one are not counted.
double text_width(std::string_view text) {
  return 6.6 * static_cast<double>(
                   std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Maps one axis from data to the unit interval.
class Scale {
 public:
  Scale(const Figure& figure, const Axis& axis, std::vector<double> Series::* values)
      : log_(axis.kind == Axis::logarithmic) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Series& s : figure.series)
      for (const double v : s.*values) {
        if (!shows(v)) continue;
        low = std::min(low, of(v));
        high = std::max(high, of(v));
      }
    if (!(low <= high)) low = 0, high = 1;
    const double pad = high > low ? 0.04 * (high - low) : (log_ ? 0.5 : std::max(1e-12, std::abs(low) / 2));
    from_ = low - pad;
    to_ = high + pad;
  }

  bool shows(double v) const { return std::isfinite(v) && (!log_ || v > 0); }
  double place(double v) const { return (of(v) - from_) / (to_ - from_); }
  double span() const { return to_ - from_; }
  bool is_log() const { return log_; }
  void widen(double factor) {
    const double middle = (from_ + to_) / 2, half = (to_ - from_) / 2 * factor;
    from_ = middle - half;
    to_ = middle + half;
  }

  struct Tick {
    double value;
    std::string label;  // as SVG
  };
  std::vector<Tick> ticks() const { return log_ && span() >= 1 ? decades() : steps(); }

 private:
  double of(double v) const { return log_ ? std::log10(v) : v; }

  std::vector<Tick> decades() const {
    std::vector<Tick> out;
    const int every = std::max(1, static_cast<int>(std::ceil(span() / 8)));
    for (int d = static_cast<int>(std::floor(from_)); d <= static_cast<int>(std::ceil(to_)); ++d)
      for (const int m : {1, 2, 5}) {
        const double value = m * std::pow(10.0, d);
        if (d % every != 0 || of(value) < from_ || of(value) > to_ || (m > 1 && span() > 3)) continue;
        const std::string power = fmt::format("10<tspan dy='-5' font-size='9'>{}</tspan>", minus(d));
        out.push_back({value, m == 1 ? power : fmt::format("{}·{}", m, power)});
      }
    return out;
  }

  std::vector<Tick> steps() const {
    const double low = log_ ? std::pow(10, from_) : from_, high = log_ ? std::pow(10, to_) : to_;
    const double raw = (high - low) / 5, power = std::pow(10, std::floor(std::log10(raw))), m = raw / power;
    const double step = power * (m < 1.5 ? 1 : m < 3.5 ? 2 : m < 7.5 ? 5 : 10);
    // A window that is narrow beside its values needs more digits, or neighbours get the same label.
    const double ratio = std::max(std::abs(low), std::abs(high)) / step;
    const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(ratio))) + 1, 6, 16);
    std::vector<Tick> out;
    for (double k = std::ceil(low / step); k * step <= high; ++k) {
      std::string label = k == 0 ? "0" : fmt::format("{:.{}g}", k * step, digits);
      if (label.starts_with('-')) label = "\u2212" + label.substr(1);
      out.push_back({k * step, std::move(label)});
    }
    return out;
  }

  static std::string minus(int d) { return d < 0 ? fmt::format("\u2212{}", -d) : fmt::format("{}", d); }

  bool log_;
  double from_ = 0, to_ = 1;
};

struct Frame {
  double left, right, top, bottom;  // the edges of the axes, in pixels
  double x(double unit) const { return left + unit * (right - left); }
  double y(double unit) const { return bottom - unit * (bottom - top); }
};

std::string axes(const Figure& figure, const Scale& x, const Scale& y, const Frame& at) {
  std::string svg;
  for (const auto& tick : x.ticks()) {
    const double px = at.x(x.place(tick.value));
    svg += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='{1:.1f}' y2='{2:.1f}' stroke='#e2e2e2'/>", px,
                       at.top, at.bottom);
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", px, at.bottom + 18,
                       tick.label);
  }
  for (const auto& tick : y.ticks()) {
    const double py = at.y(y.place(tick.value));
    svg += fmt::format("<line x1='{1:.1f}' x2='{2:.1f}' y1='{0:.1f}' y2='{0:.1f}' stroke='#e2e2e2'/>", py,
                       at.left, at.right);
    svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end'>{}</text>\n", at.left - 7, py + 4,
                       tick.label);
  }
  svg +=
      fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='none' stroke='#666'/>\n",
                  at.left, at.top, at.right - at.left, at.bottom - at.top);
  svg += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{}</text>\n", (at.left + at.right) / 2,
                     at.bottom + 38, escaped(figure.x.label));
  svg +=
      fmt::format("<text transform='translate({:.1f} {:.1f}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                  16.0, (at.top + at.bottom) / 2, escaped(figure.y.label));
  return svg;
}

std::string curve(const Series& series, std::string_view colour, const Scale& x, const Scale& y,
                  const Frame& at) {
  // Dots without a line between them show a pattern, which a few of each bucket would change.
  const SeriesPoints points =
      thinned(series.x, series.y, series.mark == Mark::points ? svg_dots : svg_buckets);
  const bool many =
      points.x.size() > 400;  // discs would run into each other: drawn as the ends of a thin pen
  std::string path, discs;
  bool pen_down = false;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    if (!x.shows(points.x[i]) || !y.shows(points.y[i])) {
      pen_down = false;
      continue;
    }
    const double px = at.x(x.place(points.x[i])), py = at.y(y.place(points.y[i]));
    if (!pen_down) path += fmt::format("M{:.1f} {:.1f}", px, py);
    path += fmt::format("L{:.1f} {:.1f}", px, py);  // even to itself: a point between two gaps is a dot
    discs += many ? fmt::format("M{:.1f} {:.1f}h0", px, py)
                  : fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.6'/>", px, py);
    pen_down = true;
  }
  std::string svg;
  if (series.mark != Mark::points)
    svg += fmt::format(
        "<path fill='none' stroke='{}' stroke-width='1.6' stroke-linejoin='round' stroke-linecap='round'{} "
        "d='{}'/>\n",
        colour, series.dashed ? " stroke-dasharray='6 4'" : "", path);
  if (series.mark != Mark::line && many)
    svg += fmt::format("<path fill='none' stroke='{}' stroke-width='1.6' stroke-linecap='round' d='{}'/>\n",
                       colour, discs);
  else if (series.mark != Mark::line)
    svg += fmt::format("<g fill='{}'>{}</g>\n", colour, discs);
  return svg;
}

std::string legend_row(const Series& series, std::string_view colour, double x, double y) {
  std::string svg;
  if (series.mark != Mark::points)
    svg += fmt::format(
        "<line x1='{:.1f}' x2='{:.1f}' y1='{:.1f}' y2='{:.1f}' stroke='{}' stroke-width='1.8'{}/>", x, x + 22,
        y, y, colour, series.dashed ? " stroke-dasharray='6 4'" : "");
  if (series.mark != Mark::line)
    svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.6' fill='{}'/>", x + 11, y, colour);
  return svg + fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>\n", x + 28, y + 4, escaped(series.name));
}

}  // namespace

std::optional<Series> fitted_line(const Series& series) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i)
    if (series.x[i] > 0 && std::abs(series.y[i]) > 0 && std::isfinite(series.x[i] * series.y[i])) {
      x.push_back(series.x[i]);
      y.push_back(series.y[i]);
    }
  const auto [least, most] = std::minmax_element(x.begin(), x.end());
  if (x.empty() || !(*least < *most)) return std::nullopt;
  const LineFit fit = growth_exponent(x, y);
  Series line{
      .name = fmt::format("{}{}slope {:.2f}", series.name, series.name.empty() ? "" : ": ", fit.slope),
      .x = {*least, *most},
      .dashed = true,
      .colour = series.colour};
  if (fit.points > 2) line.name += fmt::format(" \u00b1 {:.2f}", fit.confidence());
  for (const double at : line.x) line.y.push_back(std::exp(fit.intercept) * std::pow(at, fit.slope));
  return line;
}

int colour_of(const Figure& figure, std::size_t k) {
  if (figure.series[k].colour) return *figure.series[k].colour;
  // A dashed line without a colour of its own takes that of the series before it.
  if (figure.series[k].dashed && k > 0) return colour_of(figure, k - 1);
  int next = 0;
  for (std::size_t i = 0; i < k; ++i)
    if (!figure.series[i].colour && !(figure.series[i].dashed && i > 0)) ++next;
  return next;
}

std::string to_svg(const Figure& figure, const SvgSize& size) {
  double legend = 0;
  for (const Series& s : figure.series)
    if (!s.name.empty()) legend = std::max(legend, text_width(s.name) + 44);
  Scale x(figure, figure.x, &Series::x), y(figure, figure.y, &Series::y);
  double left = 74;  // more if long labels would reach the name of the axis
  for (const auto& tick : y.ticks())
    if (tick.label.find('<') == std::string::npos) left = std::max(left, text_width(tick.label) + 42);
  const double width = std::max<double>(size.width, left + least_width + 14 + legend);
  const Frame at{.left = left, .right = width - 14 - legend, .top = 40, .bottom = size.height - 54.0};
  if (figure.equal_scales && !x.is_log() && !y.is_log()) {
    const double per_x = x.span() / (at.right - at.left), per_y = y.span() / (at.bottom - at.top);
    (per_x < per_y ? x : y).widen(std::max(per_x, per_y) / std::min(per_x, per_y));
  }
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='Helvetica, Arial, sans-serif' font-size='12' fill='#222'>\n"
      "<rect width='{0}' height='{1}' fill='white'/>\n"
      "<text x='{2:.1f}' y='24' font-size='14' font-weight='bold'>{3}</text>\n",
      width, size.height, at.left, escaped(figure.title));
  svg += axes(figure, x, y, at);
  double row = at.top + 10;
  for (std::size_t k = 0; k < figure.series.size(); ++k) {
    const Series& s = figure.series[k];
    const std::string_view colour = colours[static_cast<std::size_t>(colour_of(figure, k)) % colours.size()];
    svg += curve(s, colour, x, y, at);
    if (s.name.empty()) continue;
    svg += legend_row(s, colour, at.right + 12, row);
    row += 19;
  }
  return svg + "</svg>\n";
}

void write_svg(const std::string& path, const Figure& figure, const SvgSize& size) {
  write_whole_file(path, to_svg(figure, size));
}

}  // namespace taut
