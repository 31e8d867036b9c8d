// The data of a report: nothing that matters is lost on the way to the page or the picture.

#include <taut/contract/request.hpp>
#include <taut/report/markup.hpp>
#include <taut/report/report.hpp>
#include <taut/store/report_so_far.hpp>
#include <taut/store/run_record.hpp>
#include <taut/store/thinned.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "support/run_program.hpp"

namespace {

using namespace taut;

struct Long {
  std::vector<double> x, y;
};

// Makes a slow wave with one spike up and one down, each a single point.
Long spiked(std::size_t n) {
  Long s;
  for (std::size_t i = 0; i < n; ++i) {
    s.x.push_back(static_cast<double>(i));
    s.y.push_back(std::sin(1e-4 * static_cast<double>(i)));
  }
  s.y[n / 3] = 7;
  s.y[n / 2 + 1] = -9;
  return s;
}

TEST(Thinned, KeepsTheExtremesOfEveryBucketAndTheEnds) {
  const Long s = spiked(100003);
  const SeriesPoints few = thinned(s.x, s.y, 100);
  EXPECT_LE(few.x.size(), 2 * 100 * 4U);
  EXPECT_EQ(*std::max_element(few.y.begin(), few.y.end()), 7);
  EXPECT_EQ(*std::min_element(few.y.begin(), few.y.end()), -9);
  EXPECT_EQ(few.x.front(), 0);
  EXPECT_EQ(few.x.back(), 100002);
  EXPECT_TRUE(std::is_sorted(few.x.begin(), few.x.end()));
  // Over any stretch as long as two buckets the thinned series reaches as high and as low.
  const std::size_t stretch = 2 * 1024;
  for (std::size_t from = 0; from + stretch < s.x.size(); from += stretch) {
    const auto begin = s.y.begin() + static_cast<std::ptrdiff_t>(from);
    const auto [low, high] = std::minmax_element(begin, begin + stretch);
    double few_low = 100, few_high = -100;
    for (std::size_t i = 0; i < few.x.size(); ++i) {
      if (few.x[i] < s.x[from] - 1024 || few.x[i] >= s.x[from] + stretch + 1024) continue;
      few_low = std::min(few_low, few.y[i]);
      few_high = std::max(few_high, few.y[i]);
    }
    EXPECT_LE(few_low, *low) << from;
    EXPECT_GE(few_high, *high) << from;
  }
}

TEST(Thinned, EveryPointThatStaysWasThere) {
  const Long s = spiked(50000);
  const SeriesPoints few = thinned(s.x, s.y, 64);
  for (std::size_t i = 0; i < few.x.size(); ++i) EXPECT_EQ(few.y[i], s.y[static_cast<std::size_t>(few.x[i])]);
}

TEST(Thinned, AShortSeriesIsLeftAsItIs) {
  const Long s = spiked(300);
  const SeriesPoints same = thinned(s.x, s.y, 100);
  EXPECT_EQ(same.x, s.x);
  EXPECT_EQ(same.y, s.y);
}

TEST(Thinned, ABrokenLineStaysBrokenAndHidesNoExtreme) {
  Long s = spiked(50000);
  s.y[20000] = std::numeric_limits<double>::quiet_NaN();
  s.y[20001] = 8;
  const SeriesPoints few = thinned(s.x, s.y, 50);
  EXPECT_EQ(std::count_if(few.y.begin(), few.y.end(), [](double v) { return std::isnan(v); }), 1);
  double most = 0;
  for (const double v : few.y) most = std::isnan(v) ? most : std::max(most, v);
  EXPECT_EQ(most, 8);
}

TEST(Thinned, AClosedCurveKeepsItsExtentInBothDirections) {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) {
    x.push_back(3 * std::cos(0.01 * i));
    y.push_back(2 * std::sin(0.01 * i));
  }
  const SeriesPoints few = thinned(x, y, 200);
  EXPECT_EQ(*std::max_element(few.x.begin(), few.x.end()), *std::max_element(x.begin(), x.end()));
  EXPECT_EQ(*std::min_element(few.y.begin(), few.y.end()), *std::min_element(y.begin(), y.end()));
}

Series power_law(double slope) {
  Series s{.name = "method"};
  for (const double h : {0.1, 0.05, 0.025, 0.0125}) {
    s.x.push_back(h);
    s.y.push_back(3 * std::pow(h, slope));
  }
  return s;
}

TEST(Figure, TheFittedLineHasTheSlopeOfThePowerLaw) {
  const auto line = fitted_line(power_law(4));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->name, "method: slope 4.00 ± 0.00");
  EXPECT_TRUE(line->dashed);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(line->y[i], 3 * std::pow(line->x[i], 4), 1e-12 * line->y[i]);
}

TEST(Figure, NoLineGoesThroughOnePoint) {
  EXPECT_FALSE(fitted_line({.name = "one", .x = {0.1, 0.2}, .y = {1e-3, 0}}));
}

TEST(Figure, TheSvgHasAxesCurvesLegendAndEscapedText) {
  Figure figure{.title = "a < b & c", .x = {"h", Axis::logarithmic}, .y = {"error", Axis::logarithmic}};
  figure.series.push_back(power_law(2));
  figure.series.push_back(*fitted_line(figure.series.back()));
  const std::string svg = to_svg(figure);
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_NE(svg.find("method: slope 2.00"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_NE(svg.find("10<tspan"), std::string::npos);  // ticks at powers of ten
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

TEST(Figure, WhatALogarithmCannotShowIsAGap) {
  const Figure figure{.y = {"error", Axis::logarithmic},
                      .series = {{.name = {}, .x = {0, 1, 2, 3, 4}, .y = {1, 2, 0, 3, 4}}}};
  const std::string svg = to_svg(figure);
  const std::string path = svg.substr(svg.find("d='") + 3);
  EXPECT_EQ(std::count(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(path.find('\'')), 'M'), 2);
}

TEST(Figure, ADashedLineHasTheColourOfTheSeriesBeforeIt) {
  Figure figure;
  figure.series = {
      {.name = "a"}, {.name = "a: slope", .dashed = true}, {.name = "b"}, {.name = "own", .colour = 5}};
  EXPECT_EQ(colour_of(figure, 0), 0);
  EXPECT_EQ(colour_of(figure, 1), 0);
  EXPECT_EQ(colour_of(figure, 2), 1);
  EXPECT_EQ(colour_of(figure, 3), 5);
}

// Jay's figure 5.6: the window is a few millionths wide, beside values of 2.6.
TEST(Figure, TicksOfANarrowWindowAreToldApart) {
  Figure figure;
  figure.series = {{.name = "H", .x = {0, 1, 2}, .y = {-2.598083, -2.598067, -2.598076}}};
  const std::string svg = to_svg(figure);
  std::vector<std::string> labels;
  for (std::size_t at = svg.find("text-anchor='end'>"); at != std::string::npos;
       at = svg.find("text-anchor='end'>", at + 1))
    labels.push_back(svg.substr(at + 18, svg.find('<', at + 18) - at - 18));
  EXPECT_GE(labels.size(), 3U);
  EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size()) << svg;
}

TEST(Figure, ALongLegendLeavesTheAxesTheirWidth) {
  Figure figure;
  figure.series = {{.name = std::string(60, 'n'), .x = {0, 1}, .y = {0, 1}}};
  const std::string svg = to_svg(figure);
  const std::size_t frame = svg.find("fill='none' stroke='#666'");
  const std::size_t width = svg.rfind("width='", frame);
  EXPECT_GE(std::stod(svg.substr(width + 7)), 399) << svg.substr(width, 40);
}

// Five thousand mesh points make a pattern in phase space, and none of it is thinned away.
TEST(Figure, DotsWithoutALineAreAllDrawn) {
  Figure figure;
  figure.series = {{.name = "portrait", .mark = Mark::points}};
  for (int i = 0; i < 5000; ++i) {
    figure.series[0].x.push_back(std::cos(2.4 * i) * (1 + i));
    figure.series[0].y.push_back(std::sin(2.4 * i) * (1 + i));
  }
  const std::string svg = to_svg(figure);
  std::size_t dots = 0;
  for (std::size_t at = svg.find("h0"); at != std::string::npos; at = svg.find("h0", at + 1)) ++dots;
  EXPECT_EQ(dots, 5000U);
}

TEST(Figure, AFileThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(write_svg("/proc/no/such/place.svg", Figure{}), WriteError);
}

std::vector<double> unpacked(const nlohmann::json& packed) {
  static const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  int bits = 0;
  unsigned group = 0;
  for (const char c : packed.at("f64").get<std::string>()) {
    if (c == '=') break;
    group = group << 6U | static_cast<unsigned>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> static_cast<unsigned>(bits) & 255U);
  }
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

Report sample() {
  Report report{.title = "</script><b>", .text = "text", .facts = {{"step", "0.1"}}};
  Figure figure{.title = "Energy error", .x = {.label = "t"}, .y = {.label = "H"}};
  figure.series.push_back({.name = "rattle", .x = {0, 0.1, 1.0 / 3}, .y = {1e-17, -2.5, 1e300}});
  Table table{.columns = {"a", "b"}, .rows = {{"1", {"2", Verdict::bad}}}};
  report.sections.push_back({.title = "One", .panels = {figure, table, figure}});
  return report;
}

TEST(Report, NumbersReachThePageToTheLastBit) {
  for (const std::size_t n : {1U, 2U, 3U, 7U}) {
    Report report;
    Series series;
    for (std::size_t i = 0; i < n; ++i) {
      series.x.push_back(1.0 / static_cast<double>(i + 3));
      series.y.push_back(-std::exp(static_cast<double>(i) * 40));
    }
    report.sections.push_back({.panels = {Figure{.series = {series}}}});
    const auto data = nlohmann::json::parse(to_json(report));
    const auto& packed = data["sections"][0]["panels"][0]["series"][0];
    EXPECT_EQ(unpacked(packed["x"]), series.x);
    EXPECT_EQ(unpacked(packed["y"]), series.y);
  }
}

TEST(Report, ThePageIsWholeAndAsksForNothing) {
  const std::string page = to_html(sample());
  // Only the comment in the library contains an address.
  EXPECT_EQ(page.find("http"), page.find("https://github.com/leeoniya/uPlot"));
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_EQ(page.find("<!--data-->"), std::string::npos);
  EXPECT_EQ(page.find("/*script*/"), std::string::npos);
  EXPECT_NE(page.find("uPlot"), std::string::npos);
}

TEST(Report, EachFigureIsAFileOfItsOwn) {
  const taut::test::OwnFolder folder;
  const auto names = write_figures((folder / "new").string(), sample());
  ASSERT_EQ(names.size(), 2U);
  EXPECT_TRUE(names[0].ends_with("/new/one-energy-error.svg"));
  EXPECT_TRUE(names[1].ends_with("/new/one-energy-error-2.svg"));
  for (const std::string& name : names) EXPECT_TRUE(taut::test::read_text(name).starts_with("<svg"));
}

TEST(ReportSoFar, GoesOnFromItsBytes) {
  // The samples have a spike and a gap, and are more than the beginning, the series and the frames hold.
  const auto add = [](RunRecord& record, int i) {
    const std::vector<double> q = {std::cos(1e-4 * i)}, p = {-std::sin(1e-4 * i)};
    record.add(1e-4 * i, q, p,
               {.energy = i == 777 ? std::nan("") : std::cos(1e-2 * i), .position = 1e-16 * (i % 7)});
  };
  constexpr int all = 40000;
  ReportSoFar whole{.wanted = {.page = true, .path = "/a/page.html", .figures = "/a"}};
  std::map<int, std::string> bytes;
  for (int i = 0; i < all; ++i) {
    add(whole.record, i);
    if (i == 0 || i == 1000 || i == 33333) bytes[i] = whole.bytes(1);
  }
  for (const auto& [last, some] : bytes) {
    ReportSoFar again = report_so_far(some, 1);
    EXPECT_EQ(again.wanted.path, "/a/page.html");
    for (int i = last + 1; i < all; ++i) add(again.record, i);
    EXPECT_TRUE(again.bytes(1) == whole.bytes(1)) << last;
  }
  const std::string& good = bytes.at(1000);
  for (std::size_t size = 0; size < good.size(); size += 997)
    EXPECT_THROW(report_so_far(good.substr(0, size), 1), InputError) << size;
  EXPECT_THROW(report_so_far(good + " ", 1), InputError);
  EXPECT_THROW(report_so_far(good, 2), InputError);  // belongs to another system
}

TEST(RunRecord, FramesOfASmoothMotionGoToItsEndAndThoseOfAFastOneStop) {
  for (const double h : {1e-4, 0.5}) {
    RunRecord record;
    for (int i = 0; i <= 300000; ++i) {
      const std::vector<double> q = {std::cos(h * i)}, p = {-std::sin(h * i)};
      record.add(h * i, q, p, {.energy = i == 77777 ? 2.0 : 1.0});
    }
    const RecordedFrames& frames = record.frames();
    EXPECT_LE(frames.times.size(), 12000U);
    EXPECT_EQ(frames.whole, h < 0.01);
    for (std::size_t k = 1; k < frames.times.size(); ++k)
      EXPECT_NEAR(frames.times[k] - frames.times[k - 1], frames.times[1], 1e-9 * frames.times.back());
    // The one sample in which the energy was off is still seen.
    const SeriesPoints error = record.energy_error();
    EXPECT_EQ(*std::max_element(error.y.begin(), error.y.end()), 1);
    EXPECT_EQ(
        error.x[static_cast<std::size_t>(std::max_element(error.y.begin(), error.y.end()) - error.y.begin())],
        h * 77777);
  }
}

// The marks of the page are replaced in the page, not in what was put there.
TEST(Report, ATitleMayHoldTheMarksOfThePage) {
  Report plain, marked;
  plain.title = "A note";
  marked.title = "A note /*plot*/ /*script*/ /*style*/ <!--data--> <!--title-->";
  const std::string page = to_html(marked), title = "<title>" + escaped(marked.title) + "</title>";
  EXPECT_NE(page.find(title), std::string::npos);
  const std::size_t in_data = 2 * std::string("\\u003c").size() - 2;  // each < of the title in the data
  EXPECT_EQ(page.size(), to_html(plain).size() + escaped(marked.title).size() + marked.title.size() +
                             in_data - 2 * plain.title.size());
}

TEST(Report, ATitleHasNoControlCharactersInThePage) {
  Report report;
  report.title = "pend\x1b]0;owned\x07\xC2\x9B";
  EXPECT_NE(to_html(report).find("<title>pend?]0;owned?"
                                 "?</title>"),
            std::string::npos);
}

}  // namespace
