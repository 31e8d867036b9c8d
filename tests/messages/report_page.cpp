// The report in a real browser: it loads from disk without a complaint, its plots hold the data of the run,
// and a mouse can zoom, read off, play, scrub and turn.

#include <gtest/gtest.h>

#include <cmath>

#include "support/browser.hpp"
#include "support/run_program.hpp"

namespace {

using taut::test::Browser;
using taut::test::OwnFolder;
using taut::test::Ran;
using taut::test::run_taut;
using Json = nlohmann::json;

// One browser for all cases: it takes seconds to start.
class ReportPage : public testing::Test {
 protected:
  static void SetUpTestSuite() { folder_ = new OwnFolder; }
  static void TearDownTestSuite() {
    delete browser_;
    delete folder_;
  }

  // Writes a report and opens it. Returns what the run printed with --json.
  static Json open(const std::string& arguments) {
    const std::string page = (*folder_ / "report.html").string();
    const Ran ran = run_taut(arguments + " --report " + page);
    EXPECT_EQ(ran.status, 0) << ran.err;
    browser().open(page);
    EXPECT_TRUE(browser().wait_for("document.readyState === 'complete' && window.taut !== undefined"));
    return arguments.find("--json") == std::string::npos ? Json() : Json::parse(ran.out);
  }
  // Starts the browser for the first case that needs it: a missing browser fails that case, while a failed
  // set-up would pass for a skipped one.
  static Browser& browser() {
    if (browser_ == nullptr) browser_ = new Browser;
    return *browser_;
  }

  // Scrolls to an element and returns its middle in the window, with its width and height.
  struct At {
    double x, y, width, height;
  };
  static At at(const std::string& element) {
    const Json box =
        browser().evaluate("(() => { const e = " + element +
                           "; e.scrollIntoView({block: 'center', behavior: 'instant'}); const b = "
                           "e.getBoundingClientRect(); return [b.x + b.width/2, b.y + b.height/2, "
                           "b.width, b.height]; })()");
    return {box[0], box[1], box[2], box[3]};
  }
  static void click(const std::string& element, int times = 1) {
    const At place = at(element);
    browser().click(place.x, place.y, times);
  }
  // Returns a text that changes when the picture does.
  static std::string pixels(const std::string& canvas) { return browser().evaluate(canvas + ".toDataURL()"); }

  static void no_complaints() {
    for (const std::string& problem : browser().problems) ADD_FAILURE() << problem;
    for (const std::string& address : browser().requests)
      EXPECT_TRUE(address.starts_with("file://") || address.starts_with("data:")) << address;
  }

 private:
  static OwnFolder* folder_;
  static Browser* browser_;
};
OwnFolder* ReportPage::folder_ = nullptr;
Browser* ReportPage::browser_ = nullptr;

const std::string energy = "taut.plots[0]", scene = "taut.scenes[0]";

TEST_F(ReportPage, LoadsFromDiskWithTheDataOfTheRun) {
  const Json run = open("run double-pendulum --until 40 --json");
  const Json plots = browser().evaluate(
      "taut.plots.map(p => ({title: p.figure.title, points: p.series.map(s => "
      "[...s.y].filter(Number.isFinite)."
      "length), colours: (() => { const c = p.plot.ctx.canvas, d = c.getContext('2d').getImageData(0, 0, "
      "c.width, "
      "c.height).data, set = new Set(); for (let i = 0; i < d.length; i += 4) set.add(d[i] << 16 | d[i+1] << "
      "8 | "
      "d[i+2]); return set.size; })()}))");
  std::vector<std::string> titles;
  for (const Json& plot : plots) {
    titles.push_back(plot["title"]);
    EXPECT_GT(plot["colours"], 10) << titles.back() << " is blank";
    for (const Json& points : plot["points"])
      EXPECT_GT(points, titles.back().starts_with("Error") ? 1 : 5) << titles.back();
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"Energy error", "Residuals", "x1 and its momentum",
                                              "y1 and its momentum", "x2 and its momentum",
                                              "y2 and its momentum", "Energy error", "Motion",
                                              "Error against step size", "Work and precision"}));
  // The maximum over every step, as the summary has it, is in the plot: thinning lost no extreme.
  const double most = browser().evaluate("Math.max(..." + energy + ".series[0].y.map(Math.abs))");
  EXPECT_EQ(most, run["energy"]["max_error"].get<double>());
  EXPECT_EQ(browser().evaluate(scene + ".data.links.length"), 2);
  EXPECT_EQ(browser().evaluate("document.title"), run["model"]);
  no_complaints();
}

TEST_F(ReportPage, AMouseZoomsAndReadsOff) {
  open("run pendulum --until 100");
  const auto range = [](const std::string& plot) {
    return browser().evaluate("[" + plot + ".plot.scales.x.min, " + plot + ".plot.scales.x.max]");
  };
  browser().evaluate(scene + ".pause()");
  const At area = at(energy + ".plot.over");
  const Json before = range(energy);
  EXPECT_NEAR(before[1], 100, 1e-9);
  browser().drag(area.x - 0.25 * area.width, area.y, area.x, area.y + 2);
  const Json zoomed = range(energy);
  EXPECT_NEAR(zoomed[0], 25, 1);
  EXPECT_NEAR(zoomed[1], 50, 1);
  browser().click(area.x, area.y, 2);
  EXPECT_EQ(range(energy), before);
  // Pointing at a point of the curve shows its numbers.
  const Json point = browser().evaluate(
      "(() => { const p = " + energy +
      ", s = p.series[0], i = Math.floor(s.x.length / 3); return [p.plot.valToPos(s.x[i], 'x'), "
      "p.plot.valToPos(s.y[i], 'y')]; })()");
  browser().point_at(area.x - area.width / 2 + point[0].get<double>(),
                     area.y - area.height / 2 + point[1].get<double>());
  EXPECT_TRUE(browser().wait_for(energy + ".readout.textContent.includes('H − H₀ = ')"))
      << browser().evaluate(energy + ".readout.textContent");
  // The axis becomes logarithmic and comes back.
  click("[..." + energy +
        ".box.parentElement.querySelectorAll('button')].find(b => b.textContent === 'log y')");
  EXPECT_EQ(browser().evaluate(energy + ".plot.scales.y.distr"), 3);
  EXPECT_GT(browser().evaluate(energy + ".plot.scales.y.min").get<double>(), 0);
  // A click moves the animation there.
  click(energy + ".plot.over");
  EXPECT_NEAR(browser().evaluate(scene + ".time").get<double>(), 50, 2);
  no_complaints();
}

TEST_F(ReportPage, TheAnimationPlaysPausesScrubsAndTurns) {
  open("run charged-particle --until 60");
  const std::string canvas = scene + ".canvas", play = scene + ".play", slider = scene + ".slider";
  at(canvas);  // seen, it starts by itself
  EXPECT_TRUE(browser().wait_for(scene + ".time > 0.5"));
  const std::string early = pixels(canvas);
  EXPECT_TRUE(browser().wait_for(scene + ".time > 1.5"));
  EXPECT_NE(pixels(canvas), early);

  click(play);
  const Json stopped = browser().evaluate(scene + ".time");
  browser().wait(300);
  EXPECT_EQ(browser().evaluate(scene + ".time"), stopped);

  const At bar = at(slider);
  browser().click(bar.x + 0.25 * bar.width, bar.y);
  EXPECT_NEAR(browser().evaluate(scene + ".time").get<double>(), 45, 2);
  // Beside it stand the values of that moment.
  const Json live = browser().evaluate(
      "(() => { const s = " + scene +
      ", f = s.frame(), k = f.part > 0.5 ? f.index + 1 : f.index, r = s.runs[0]; return "
      "[r.live.energyError.textContent, r.energyError[k], r.live.energy.textContent]; })()");
  EXPECT_NE(live[1].get<double>(), 0);
  EXPECT_NEAR(
      std::abs(
          std::stod(live[0].get<std::string>().substr(live[0].get<std::string>().starts_with("−") ? 3 : 0))),
      std::abs(live[1].get<double>()) / std::pow(10, std::floor(std::log10(std::abs(live[1].get<double>())))),
      0.01);
  EXPECT_NE(live[2], "ended");

  const std::string one_side = pixels(canvas);
  const double yaw = browser().evaluate(scene + ".turn.yaw");
  const At stage = at(canvas);
  browser().drag(stage.x, stage.y, stage.x + 120, stage.y + 30);
  EXPECT_NEAR(browser().evaluate(scene + ".turn.yaw").get<double>() - yaw, 0.96, 0.01);
  EXPECT_NE(pixels(canvas), one_side);

  const Json before = browser().evaluate(scene + ".time");
  browser().evaluate(canvas + ".focus()");
  browser().key("ArrowRight");
  EXPECT_GT(browser().evaluate(scene + ".time"), before);
  no_complaints();
}

TEST_F(ReportPage, IsDarkWhenTheSystemIsAndLightOnPaper) {
  open("run heavy-top --until 20");
  const std::string background = "getComputedStyle(document.body).backgroundColor";
  EXPECT_EQ(browser().evaluate(background), "rgb(246, 246, 243)");
  const std::string light = pixels(energy + ".plot.ctx.canvas");
  browser().media("dark");
  EXPECT_TRUE(browser().wait_for(background + " === 'rgb(20, 23, 26)'"));
  EXPECT_NE(pixels(energy + ".plot.ctx.canvas"), light);
  EXPECT_GT(browser().pdf().size(), 20000U);
  browser().media("light");
  no_complaints();
}

TEST_F(ReportPage, SeveralMethodsAreSideBySide) {
  open("compare pendulum --methods 'rattle,lobatto(3),bdf(2)' --until 50");
  EXPECT_EQ(browser().evaluate(scene + ".runs.map(r => r.name)"), (Json{"rattle", "lobatto(3)", "bdf(2)"}));
  EXPECT_EQ(browser().evaluate("document.querySelectorAll('tbody tr').length"), 3);
  const Json slopes = browser().evaluate(
      "taut.plots.find(p => p.figure.title === 'Error against step size').series.filter(s => s.dashed).map(s "
      "=> "
      "Number(/slope ([0-9.]+)/.exec(s.name)[1]))");
  ASSERT_EQ(slopes.size(), 3U);
  EXPECT_NEAR(slopes[0], 2, 0.15);
  EXPECT_NEAR(slopes[1], 4, 0.15);
  EXPECT_NEAR(slopes[2], 2, 0.15);
  // A name in the legend hides its curve.
  click(energy + ".box.parentElement.querySelector('.legend button')");
  EXPECT_EQ(browser().evaluate(energy + ".plot.series[1].show"), false);
  no_complaints();
}

// The test can fail: a page that throws and asks for something outside is noticed.
TEST_F(ReportPage, ABrokenPageIsNoticed) {
  const OwnFolder folder;
  const std::string page = (folder / "broken.html").string();
  std::ofstream(page) << "<script src='http://localhost:9/x.js'></script><script>nothing.here</script>";
  browser().open(page);
  browser().wait(200);
  EXPECT_GE(browser().problems.size(), 2U);
  EXPECT_EQ(browser().requests.back(), "http://localhost:9/x.js");
}

}  // namespace
