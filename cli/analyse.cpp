// The commands that say what kind of motion a run is: section, lyapunov, orbit, spectrum.
#include <taut/analysis/frequencies.hpp>
#include <taut/analysis/lyapunov.hpp>
#include <taut/analysis/orbit.hpp>
#include <taut/bytes/json.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "commands.hpp"
#include "typed.hpp"

namespace taut::cli {

namespace {

// What all four have.
struct TypedAnalysis {
  TypedModel model;
  bool json = false;

  ModelRun read() const { return read_model_run(model.problem, model.request(), model.set); }
  void add(Command& command) {
    model.add_problem(command);
    model.add_method(command);
    model.add_length(command);
    model.add_set(command);
    command.add(flag("--json", json, "print one JSON object"));
  }
};

// Calls what makes an analysis; a failure inside it is a sentence and the status 1.
int analysed(const std::function<void()>& make) {
  try {
    make();
  } catch (const AnalysisError& error) {
    fmt::print(stderr, "taut: {}\n", harmless_lines(error.what()));
    return 1;
  }
  return finish_output();
}

int section(const TypedAnalysis& typed) {
  const ModelRun run = typed.read();
  if (run.model.dynamics.events.empty())
    throw InputError("a section needs an event: [[events]] in the model, or --event 'when=x, direction=up'.");
  SilentObserver silent;
  const RunSummary summary = run.run(silent, "nowhere");
  const std::string& name = run.model.dynamics.events.back().name;
  std::vector<std::vector<double>> points;
  for (const EventRecord& e : summary.events) {
    if (e.name != name) continue;
    std::vector<double> row{e.time};
    row.insert(row.end(), e.q.begin(), e.q.end());
    row.insert(row.end(), e.p.begin(), e.p.end());
    points.push_back(std::move(row));
  }
  std::vector<std::string> columns = run.columns();
  columns.insert(columns.begin(), "t");
  if (typed.json) {
    Json list = Json::list();
    for (const auto& row : points) list.push_back(Json(row));
    Json object = Json::object({{"model", summary.model},
                                {"method", summary.method},
                                {"section", run.model.dynamics.events.back().when.text},
                                {"columns", columns},
                                {"points", std::move(list)},
                                {"time", summary.time}});
    if (!summary.error.empty()) object["error"] = summary.error;
    fmt::print("{}\n", object.to_text(2));
  } else {
    fmt::print("{}\n", fmt::join(columns, ","));
    for (const auto& row : points) fmt::print("{}\n", fmt::join(row, ","));
  }
  const int written = finish_output();
  if (summary.error.empty()) return written;
  fmt::print(stderr, "taut: {}\n", harmless_lines(summary.error));
  return 1;
}

void print(const Exponents& e) {
  fmt::print("{}, {}: {} Lyapunov exponents over t = {:.6g}\n", harmless(e.model), e.method, e.values.size(),
             e.time);
  for (std::size_t k = 0; k < e.values.size(); ++k)
    fmt::print("  {:12.6f} ± {:.6f}\n", e.values[k], e.errors[k]);
  if (std::isfinite(e.pairing_defect))
    fmt::print("  pairing   max |l_i + l_(2d+1-i)| = {:.1e}{}\n", e.pairing_defect,
               e.forced ? " (forces act: exponents need not come in pairs)" : "");
}

void print(const Orbit& o) {
  fmt::print("{}, {}: periodic orbit, period {:.15g} in {} steps\n", harmless(o.model), o.method, o.period,
             o.steps);
  fmt::print("  start     q = ({})\n            p = ({})\n", fmt::join(o.x.q, ", "), fmt::join(o.x.p, ", "));
  fmt::print("  closed    to {:.1e} after {} corrections; H = {:.10g}\n", o.closure, o.corrections, o.energy);
  for (const auto& mu : o.multipliers)
    fmt::print("  multiplier {:.10g} {} {:.10g} i, |.| = {:.10g}\n", mu.real(), mu.imag() < 0 ? '-' : '+',
               std::abs(mu.imag()), std::abs(mu));
  fmt::print("  pairs     max |mu_i mu_j - 1| = {:.1e}\n", o.reciprocal_defect);
}

// Keeps two columns of the samples of a run: a signal x, or x + i y.
class Listener final : public RunObserver {
 public:
  Listener(const std::vector<std::string>& columns, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const auto at = std::find(columns.begin(), columns.end(), name);
      if (at == columns.end())
        throw InputError(
            fmt::format("there is no column `{}`; there are {}.", harmless(name), fmt::join(columns, ", ")));
      wanted_.push_back(static_cast<std::size_t>(at - columns.begin()));
    }
  }
  void sample(double, std::span<const double> q, std::span<const double> p, const Reading&,
              std::span<const double> more) override {
    double value[2] = {0, 0};
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      const std::size_t at = wanted_[k];
      value[k] = at < q.size() ? q[at] : at < 2 * q.size() ? p[at - q.size()] : more[at - 2 * q.size()];
    }
    signal.emplace_back(value[0], value[1]);
  }
  void progress(std::int64_t, std::int64_t) override {}
  std::vector<std::complex<double>> signal;

 private:
  std::vector<std::size_t> wanted_;
};

struct TypedSpectrum {
  std::string of;
  std::int64_t count = 4, window = 2;
};

void spectrum(const TypedAnalysis& typed, const TypedSpectrum& what) {
  ModelRun run = typed.read();
  if (run.request.every <= 0) run.request.every = 1;
  std::vector<std::string> columns = run.columns(), names;
  for (const std::string& name : run.quantities().columns(run.coordinates())) columns.push_back(name);
  for (std::size_t from = 0; from <= what.of.size();) {
    const std::size_t comma = std::min(what.of.find(',', from), what.of.size());
    names.push_back(what.of.substr(from, comma - from));
    from = comma + 1;
  }
  if (what.of.empty()) names = {columns.front()};
  if (names.size() > 2) throw InputError("--of takes one column, x, or two, x,p_x, for x + i p_x.");
  const Schedule schedule = schedule_of(run.request);
  if (schedule.steps % schedule.every != 0)
    throw InputError("the samples must be equally far apart: --every must divide the number of steps.");
  Listener listener(columns, names);
  const RunSummary summary = run.run(listener, "nowhere");
  if (!summary.error.empty()) throw AnalysisError(summary.error);
  if (static_cast<std::int64_t>(listener.signal.size()) < 8 * what.count)
    throw InputError("there are too few samples for so many frequencies: make the run longer.");
  const Spectrum found = frequencies_of(listener.signal, schedule.step * static_cast<double>(schedule.every),
                                        static_cast<int>(what.count), static_cast<int>(what.window));
  const std::string of = fmt::format("{}", fmt::join(names, " + i "));
  if (typed.json) {
    fmt::print("{}\n", to_json(found, of));
    return;
  }
  fmt::print("{}, {}: frequencies of {} over t = {:.6g}, in radians\n", harmless(summary.model),
             summary.method, of, summary.time);
  for (const Line& line : found.lines)
    fmt::print("  {:20.14g}   amplitude {:.10g}, phase {:.8g}\n", line.frequency, std::abs(line.amplitude),
               std::arg(line.amplitude));
  fmt::print("  left      {:.1e} (root mean square)\n", found.residual);
}

}  // namespace

void add_section(Program& program) {
  const auto typed = std::make_shared<TypedAnalysis>();
  Command command{.name = "section",
                  .what = "Points at which a formula of a run crosses zero: a Poincaré section",
                  .examples = "  taut section double-pendulum --event 'when=x1, direction=up' --until 1000\n",
                  .notes = "\nThe last event is the section. Points lie on the manifold to rounding.",
                  .action = [typed] { return section(*typed); }};
  typed->add(command);
  typed->model.add_events(command);
  program.add(std::move(command));
}

void add_lyapunov(Program& program) {
  const auto typed = std::make_shared<TypedAnalysis>();
  const auto count = std::make_shared<std::int64_t>(0), every = std::make_shared<std::int64_t>(5);
  Command command{
      .name = "lyapunov",
      .what = "Lyapunov exponents on the manifold, from the derivative of the method's own map",
      .examples = "  taut lyapunov double-pendulum --until 200\n",
      .notes =
          "\nThere are twice as many exponents as degrees of freedom. Those of a symplectic map come in "
          "pairs "
          "l, -l;\nthe pairing defect says how exactly. Errors are standard errors, from blocks of the run.",
      .action = [typed, count, every] {
        return analysed([&] {
          const Exponents e = lyapunov_exponents(typed->read(), static_cast<int>(*count), *every);
          if (typed->json)
            fmt::print("{}\n", to_json(e));
          else
            print(e);
        });
      }};
  typed->add(command);
  command.add(option(
      "--exponents", "K", [count](const std::string& text) { *count = count_of(text, "--exponents"); },
      "only the K largest"));
  command.add(option(
      "--block", "R",
      [every](const std::string& text) {
        *every = count_of(text, "--block");
        if (*every < 1) throw InputError("--block: a block has at least one step.");
      },
      "steps between two factorisations; default 5"));
  program.add(std::move(command));
}

void add_orbit(Program& program) {
  const auto typed = std::make_shared<TypedAnalysis>();
  const auto period = std::make_shared<std::optional<double>>();
  Command command{
      .name = "orbit",
      .what = "A periodic orbit near the start, with its Floquet multipliers",
      .examples = "  taut orbit pendulum --period 7.4\n",
      .notes =
          "\nNewton's iteration on the manifold keeps the energy of the start. The period is a whole "
          "number of steps,\nwhose length is changed to fit.",
      .action = [typed, period] {
        return analysed([&] {
          const ModelRun run = typed->read();
          const Schedule schedule = schedule_of(run.request);
          const double near = period->value_or(static_cast<double>(schedule.steps) * schedule.step);
          const Orbit orbit = periodic_orbit(run, near);
          if (typed->json)
            fmt::print("{}\n", to_json(orbit));
          else
            print(orbit);
        });
      }};
  typed->add(command);
  command.add(option("--period", "T", *period, "near the period; default: the length of the run"));
  program.add(std::move(command));
}

void add_spectrum(Program& program) {
  const auto typed = std::make_shared<TypedAnalysis>();
  const auto what = std::make_shared<TypedSpectrum>();
  Command command{.name = "spectrum",
                  .what = "Frequencies of a coordinate or quantity, by Laskar's analysis",
                  .examples = "  taut spectrum spherical-pendulum --of x,p_x --count 4\n",
                  .action = [typed, what] { return analysed([&] { spectrum(*typed, *what); }); }};
  typed->add(command);
  typed->model.add_every(command);
  typed->model.add_quantity(command);
  command.add(
      option("--of", "X[,Y]", what->of, "a column, or two for X + i Y; default: the first coordinate"));
  const auto whole = [](std::int64_t& into, const char* name, std::int64_t most) {
    return [&into, name, most](const std::string& text) {
      into = count_of(text, name);
      if (into < 1 || into > most) throw InputError(fmt::format("{}: from 1 to {}.", name, most));
    };
  };
  command.add(option("--count", "K", whole(what->count, "--count", 100), "how many frequencies; default 4"));
  command.add(
      option("--window", "P", whole(what->window, "--window", 8), "order of the Hann window; default 2"));
  program.add(std::move(command));
}

}  // namespace taut::cli
