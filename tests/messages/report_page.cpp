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
  static Json open(const std::string& arguments, const std::string& before = {}) {
    const std::string page = (*folder_ / "report.html").string();
    const Ran ran = run_taut(arguments + " --report " + page, "/", before);
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

 protected:
  static OwnFolder* folder_;

 private:
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
  EXPECT_EQ(titles,
            (std::vector<std::string>{
                "Energy error", "Residuals", "Over time", "y1 over x1", "x1 and its momentum",
                "y1 and its momentum", "x2 and its momentum", "y2 and its momentum", "Energy error", "Motion",
                "Error against step size", "Gradients and precision", "Work and precision"}));
  // The maximum over every step, as the summary has it, is in the plot: thinning lost no extreme.
  const double most = browser().evaluate("Math.max(..." + energy + ".series[0].y.map(Math.abs))");
  EXPECT_EQ(most, run["energy"]["max_error"].get<double>());
  EXPECT_EQ(browser().evaluate(scene + ".data.links.length"), 2);
  EXPECT_EQ(browser().evaluate("document.title"), run["model"]);
  no_complaints();
}

// The page of the papers has contents that stay in sight, rows of the overview that lead to their study, and
// for each row what would have been accepted and the second computation.
TEST_F(ReportPage, ThePapersCanBeFoundOnTheirPage) {
  const OwnFolder folder;
  const Ran ran = run_taut("reproduce --report " + folder.string());
  EXPECT_EQ(ran.status, 0) << ran.err;
  browser().open((folder / "report.html").string());
  EXPECT_TRUE(browser().wait_for("document.readyState === 'complete' && window.taut !== undefined"));
  const std::string facts = browser().evaluate("document.getElementById('facts').innerText");
  EXPECT_NE(facts.find("statements of the papers"), std::string::npos) << facts;
  EXPECT_NE(facts.find("numbers of the papers"), std::string::npos) << facts;
  const std::string columns = browser().evaluate("document.querySelector('#section-2 thead').innerText");
  for (const char* column : {"published", "measured", "accepted", "second computation", "verdict"})
    EXPECT_NE(columns.find(column), std::string::npos) << columns;
  EXPECT_EQ(
      browser().evaluate("[...document.querySelectorAll('table')].every(t => [...t.querySelectorAll('tr')]"
                         ".every(r => r.children.length === t.rows[0].children.length))"),
      true);
  const std::string bar = "document.getElementById('contents').getBoundingClientRect()";
  browser().evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})");
  EXPECT_TRUE(
      browser().wait_for("[...document.querySelectorAll('#contents a')].pop().ariaCurrent === 'true'"));
  EXPECT_EQ(browser().evaluate(bar + ".top"), 0);
  // The second row of the overview leads to the third section, whose heading is below the contents.
  click("document.querySelectorAll('#section-1 tbody a')[1]");
  const std::string section = "document.getElementById('section-3').getBoundingClientRect().top";
  EXPECT_TRUE(browser().wait_for("Math.abs(" + section + " - " + bar + ".bottom) < 40"));
  EXPECT_TRUE(
      browser().wait_for("document.querySelector('#contents a[aria-current]').textContent ==="
                         " document.querySelectorAll('#section-1 tbody a')[1].textContent"));
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

TEST_F(ReportPage, AnyColumnIsPlottedAndOneZoomMovesAllPlotsOverTime) {
  open("run spherical-pendulum --set output.quantities='[\"energies\"]'");
  const std::string courses = "taut.columns[0].courses", paths = "taut.columns[0].paths";
  EXPECT_EQ(
      browser().evaluate("taut.columns[0].data.names"),
      (Json{"x", "y", "z", "p_x", "p_y", "p_z", "kinetic_energy", "potential_energy", "lambda_1", "H − H₀"}));
  EXPECT_EQ(browser().evaluate(courses + ".series.map(s => s.name)"), (Json{"x", "y", "z"}));
  EXPECT_EQ(browser().evaluate(paths + ".figure.title"), "y over x");
  // λ of the start, from the equations: with |q| = 1 and g = (q² - 1)/2, λ = v² - q·∇V = 0.81 + 0.8.
  click("[...document.querySelectorAll('.chips button')].find(b => b.textContent === 'lambda_1')");
  EXPECT_EQ(browser().evaluate(courses + ".series.map(s => s.name)"), (Json{"x", "y", "z", "lambda_1"}));
  EXPECT_NEAR(browser().evaluate(courses + ".series[3].y[0]").get<double>(), 1.61, 1e-12);
  browser().evaluate(
      "(() => { const s = document.querySelectorAll('.chips select')[0]; s.value = '5'; "
      "s.dispatchEvent(new Event('change')); })()");
  EXPECT_EQ(browser().evaluate(paths + ".figure.title"), "p_z over x");
  browser().evaluate(scene + ".pause()");
  const At area = at(courses + ".plot.over");
  browser().drag(area.x - 0.25 * area.width, area.y, area.x, area.y + 2);
  EXPECT_NEAR(browser().evaluate(courses + ".plot.scales.x.max").get<double>(), 500, 5);
  EXPECT_EQ(browser().evaluate("[...new Set(taut.plots.filter(p => p.label.x === 't').map(p => "
                               "p.plot.scales.x.max))].length"),
            1);
  // All curves are read off at once.
  browser().point_at(area.x, area.y);
  EXPECT_TRUE(browser().wait_for("['x = ', 'y = ', 'z = ', 'lambda_1 = '].every(t => " + courses +
                                 ".readout.textContent.includes(t))"))
      << browser().evaluate(courses + ".readout.textContent");
  no_complaints();
}

TEST_F(ReportPage, PhasePortraitsAreThoseOfWhatMoves) {
  const OwnFolder folder;
  std::ofstream(folder / "m.toml") << R"(title = "A rail"
[system]
coordinates = ["z", "x", "y"]
mass = 1
potential = "y + z"
constraints = ["z - 3", "(x^2 + y^2 - 1)/2"]
[initial]
z = 3
x = 1
)";
  open("run '" + (folder / "m.toml").string() + "' --steps 500");
  EXPECT_EQ(browser().evaluate("taut.plots.map(p => p.figure.title).filter(t => t.includes('momentum'))"),
            (Json{"x and its momentum", "y and its momentum"}));
  EXPECT_TRUE(browser().evaluate("document.body.innerText.includes('Without those that stay constant: z.')"));
  EXPECT_EQ(browser().evaluate("taut.columns[0].courses.series.map(s => s.name)"), (Json{"x", "y"}));
}

TEST_F(ReportPage, FitsThePhone) {
  for (const char* run : {"run spherical-pendulum --steps 300", "run rigid-water --steps 50",
                          "compare pendulum --methods 'rattle,lobatto(3)' --until 10"})
    for (const int width : {400, 360}) {
      open(run);
      browser().open((*folder_ / "report.html").string(), width, 800);
      EXPECT_TRUE(browser().wait_for("window.taut !== undefined"));
      EXPECT_LE(browser().evaluate("document.documentElement.scrollWidth"), width) << run;
      EXPECT_EQ(browser().evaluate("[...document.querySelectorAll('canvas')].some(c => "
                                   "getComputedStyle(c).touchAction === 'none')"),
                false)
          << run << ": a finger on this canvas cannot scroll the page";
      // A number in a table stays on one line.
      EXPECT_EQ(browser().evaluate("[...document.querySelectorAll('td.short')].every(c => "
                                   "getComputedStyle(c).whiteSpace === 'nowrap')"),
                true);
    }
}

// Tables with sentences are lists on a phone: nothing of them is beside the screen.
TEST_F(ReportPage, TheReproductionIsReadOnAPhone) {
  ASSERT_EQ(run_taut("reproduce jay/example1 --report " + folder_->string()).status, 0);
  browser().open((*folder_ / "report.html").string(), 360, 800);
  EXPECT_TRUE(browser().wait_for("window.taut !== undefined"));
  EXPECT_LE(browser().evaluate("document.documentElement.scrollWidth"), 360);
  EXPECT_GT(browser().evaluate("document.querySelectorAll('table.sentences td').length"), 100);
  EXPECT_EQ(browser().evaluate("[...document.querySelectorAll('table.sentences td')].filter(c => "
                               "c.getBoundingClientRect().right > 360).map(c => c.innerText)"),
            Json::array());
  browser().open((*folder_ / "report.html").string(), 1200, 800);
  EXPECT_TRUE(browser().wait_for("window.taut !== undefined"));
  EXPECT_EQ(browser().evaluate("getComputedStyle(document.querySelector('table.sentences')).display"),
            "table");
}

TEST_F(ReportPage, MassesAtRestAreOnNoSphereAndTheAnimationLoops) {
  open("run net --steps 40");
  EXPECT_EQ(browser().evaluate(scene + ".data.spheres"), Json::array());
  EXPECT_GT(browser().evaluate(scene + ".data.links.length"), 700);
  // 1× is one unit of time a second.
  browser().evaluate("(() => { const s = " + scene +
                     "; s.pause(); s.speed.value = 1; s.setTime(s.end); s.again.click(); s.start(); })()");
  EXPECT_TRUE(browser().wait_for(scene + ".time > 0.1 && " + scene + ".time < " + scene + ".end"));
  // The latest time that was seen; a page that is asked seldom may be near the beginning every time.
  EXPECT_TRUE(browser().wait_for("(window.latest = Math.max(window.latest ?\? 0, " + scene + ".time)) > " +
                                 scene + ".time"));
  EXPECT_TRUE(browser().evaluate(scene + ".playing"));
  no_complaints();
}

TEST_F(ReportPage, SaysWhatWasComputed) {
  open("run spherical-pendulum --set gravity=9.81 --method rattle --steps 20",
       "export SOURCE_DATE_EPOCH=86400; ");
  const std::string text = browser().evaluate("document.getElementById('computed').innerText");
  for (const char* part :
       {"V = m*gravity*z", "0 = (x^2 + y^2 + z^2 - L^2)/2", "gravity = 9.81", "z = -0.8*L = -0.8", "rattle",
        "step 0.1, 20 steps to t = 2", "taut run spherical-pendulum --set gravity=9.81 --method rattle"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in:\n" << text;
  EXPECT_EQ(browser().evaluate("document.getElementById('program').textContent.replace(/taut [^ ]+/, '')"),
            " · 1970-01-02 00:00 UTC");
  EXPECT_EQ(browser().evaluate("taut.report.computed.files[0].text"),
            run_taut("show spherical-pendulum").out);
  EXPECT_EQ(browser().evaluate("taut.report.computed.files[0].name"), "spherical-pendulum.toml");
  EXPECT_EQ(browser().evaluate("document.querySelector('#computed .files a').textContent"), "download model");
  no_complaints();
  open("compare pendulum --methods 'rattle,lobatto(3)' --until 5");
  const std::string both = browser().evaluate("document.getElementById('computed').innerText");
  for (const char* part :
       {"0 = (x^2 + y^2 - L^2)/2", "rattle", "lobatto(3)", "taut compare pendulum --methods"})
    EXPECT_NE(both.find(part), std::string::npos) << part << " is not in:\n" << both;
}

TEST_F(ReportPage, ADateThatIsNoneIsRefusedBeforeTheRun) {
  const Ran ran = run_taut("run pendulum --report /tmp/never.html", "/", "export SOURCE_DATE_EPOCH=noon; ");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err.find("taut: the environment has SOURCE_DATE_EPOCH=noon, which is not a number"), 0U)
      << ran.err;
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
