// The commands that say what kind of motion a run is: lyapunov, orbit, spectrum.
#include <taut/analysis/frequencies.hpp>
#include <taut/analysis/lyapunov.hpp>
#include <taut/analysis/orbit.hpp>
#include <taut/bytes/json.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "kept_analysis.hpp"
#include "typed_analysis.hpp"

namespace taut::cli {

namespace {

void print(const Exponents& e) {
  fmt::print("{}, {}: {} Lyapunov exponents over t = {:.6g}\n", harmless(e.model), e.method, e.values.size(),
             e.time);
  for (std::size_t k = 0; k < e.values.size(); ++k)
    fmt::print("  {:12.6f} ± {:.6f}{}\n", e.values[k], e.errors[k],
               e.is_null(k) ? "   zero within its error" : "");
  if (!e.null_verdict.empty()) fmt::print("  null      {}\n", e.null_verdict);
  if (std::isfinite(e.pairing_defect))
    fmt::print("  pairing   max |l_i + l_(2d+1-i)| = {:.1e}{}\n", e.pairing_defect,
               e.forced ? " (forces act: exponents need not come in pairs)" : "");
}

Report page_of(const Exponents& e) {
  Report report{.title = e.model,
                .facts = {{"method", e.method},
                          {"time", fmt::format("{:.6g}", e.time)},
                          {"pairing defect", fmt::format("{:.1e}", e.pairing_defect)}}};
  Figure running{.title = "Exponents up to t", .x = {"t"}, .y = {"exponent"}};
  Table table{.columns = {"exponent", "standard error", "judged"}};
  for (std::size_t k = 0; k < e.values.size(); ++k) {
    running.series.push_back({.name = fmt::format("{}", k + 1), .x = e.t, .y = e.running[k]});
    table.rows.push_back({fmt::format("{:.6f}", e.values[k]), fmt::format("{:.6f}", e.errors[k]),
                          e.is_null(k) ? "zero within its error" : ""});
  }
  report.sections.push_back(
      {.title = "Lyapunov exponents", .panels = {std::move(table), std::move(running)}});
  return report;
}

void print(const Orbit& o) {
  warn(o.warnings);
  fmt::print("{}, {}: periodic orbit, period {:.15g} in {} steps\n", harmless(o.model), o.method, o.period,
             o.steps);
  fmt::print("  start     q = ({})\n            p = ({})\n", fmt::join(o.x.q, ", "), fmt::join(o.x.p, ", "));
  fmt::print("  closed    to {:.1e} after {} corrections; H = {:.10g}\n", o.closure, o.corrections, o.energy);
  if (o.turns > 1)
    fmt::print("  turns     {}: it closes after {:.10g} already, and this is a multiple of its period\n",
               o.turns, o.period / o.turns);
  for (const auto& mu : o.multipliers)
    fmt::print("  multiplier {:.10g} {} {:.10g} i, |.| = {:.10g}\n", mu.real(), mu.imag() < 0 ? '-' : '+',
               std::abs(mu.imag()), std::abs(mu));
  fmt::print("  pairs     max |mu_i mu_j - 1| = {:.1e}\n", o.reciprocal_defect);
}

void print(const OrbitFamily& family) {
  const Orbit& first = family.members.front();
  if (!family.values.empty()) {
    fmt::print("{}, {}: {} periodic orbits with H = {:.10g}\n", harmless(first.model), first.method,
               family.members.size(), first.energy);
    fmt::print("  {:>16}           period         largest |multiplier|   closed to\n", family.parameter);
    for (std::size_t k = 0; k < family.members.size(); ++k) {
      const Orbit& o = family.members[k];
      fmt::print("  {:16.10g} {:16.10g} {:18.8g} {:18.1e}\n", family.values[k], o.period,
                 std::abs(o.multipliers.front()), o.closure);
    }
    for (const double value : family.folds)
      fmt::print("  fold      near {} = {:.8g}: it turns, and the family goes on\n", family.parameter, value);
    if (!family.ended.empty()) fmt::print("  ended     {}\n", family.ended);
    return;
  }
  fmt::print("{}, {}: a family of {} periodic orbits\n", harmless(first.model), first.method,
             family.members.size());
  fmt::print("            H              period         largest |multiplier|   closed to\n");
  for (const Orbit& o : family.members)
    fmt::print("  {:18.10g} {:16.10g} {:16.8g} {:18.1e}\n", o.energy, o.period,
               std::abs(o.multipliers.front()), o.closure);
  for (const double energy : family.folds)
    fmt::print("  fold      near H = {:.8g}: the energy turns, and the family goes on\n", energy);
  if (!family.ended.empty()) fmt::print("  ended     {}\n", family.ended);
}

struct TypedOrbit {
  TypedAnalysis analysis;
  std::optional<double> period, arc;
  std::string vary, along;
  std::int64_t family = 0;
  KeptAnalysis kept = {};
};

// Follows an orbit through the values of a parameter: each begins at the one before it, and has its energy.
OrbitFamily orbits_over(const TypedOrbit& typed, const ModelRun& run, double period, const Keeping& keeping) {
  const Settings settings = settings_of(run, {typed.vary});
  if (settings.names.size() != 1) throw InputError("--vary of an orbit takes one name.");
  OrbitFamily family{.parameter = settings.names.front()};
  const auto carry = [&](Carry& c) { carry_any(c, family.members); };
  if (!keeping.from.empty()) {
    take_kept(keeping, carry);
    for (std::size_t k = 0; k < family.members.size(); ++k) {
      family.members[k].model = run.title();
      family.members[k].method = chosen_method(*run.mechanism, run.name, run.request).label();
      family.values.push_back(settings.values.at(k).front());
    }
    keeping.resumed(fmt::format("{} of {} orbits", family.members.size(), settings.values.size()));
  }
  for (std::size_t k = family.members.size(); k < settings.values.size(); ++k) {
    const ModelRun next = typed.analysis.read_with(settings.of(k));
    try {
      family.members.push_back(k == 0 ? periodic_orbit(next, period)
                                      : periodic_orbit_beside(next, family.members.back()));
      family.values.push_back(settings.values[k].front());
      if (k + 1 == settings.values.size() || keeping.is_due()) give_to(keeping, carry);
    } catch (const AnalysisError& error) {
      if (k == 0) throw;
      family.ended =
          fmt::format("at {} = {:.10g}: {}", family.parameter, settings.values[k].front(), error.what());
      break;
    }
  }
  return family;
}

// The parameter that --along names, with the model for each value of it.
OfParameter parameter_of(const TypedOrbit& typed, const ModelRun& run) {
  for (const NamedFormula& one : run.model.parameters)
    if (one.name == typed.along)
      return {typed.along, static_cast<double>(one.value), [&typed](double value) {
                return typed.analysis.read_with({fmt::format("{}={}", typed.along, value)});
              }};
  std::vector<std::string> known;
  for (const NamedFormula& one : run.model.parameters) known.push_back(one.name);
  throw InputError(fmt::format("--along: the model has no parameter {}. {}", ticked(typed.along),
                               known_names("known:", typed.along, known)));
}

struct TypedSpectrum {
  TypedAnalysis analysis;
  std::string of;
  std::int64_t count = 4, window = 2;
};

Report page_of(const SpectrumOfRun& s) {
  Report report{.title = s.model,
                .facts = {{"method", s.method}, {"signal", s.of}, {"time", fmt::format("{:.6g}", s.time)}}};
  Figure lines{
      .title = "Spectrum of " + s.of, .x = {"frequency in radians"}, .y = {"amplitude", Axis::logarithmic}};
  Table table{.columns = {"frequency", "amplitude", "phase"}};
  for (const Line& line : s.spectrum.lines) {
    const double a = std::abs(line.amplitude);
    lines.series.push_back({.x = {line.frequency}, .y = {a}, .mark = Mark::points, .colour = 0});
    table.rows.push_back({fmt::format("{:.14g}", line.frequency), fmt::format("{:.8g}", a),
                          fmt::format("{:.6g}", std::arg(line.amplitude))});
  }
  Figure signal{.title = "The signal", .x = {"t"}, .y = {s.of}};
  Series x{.name = "x", .x = s.t}, y{.name = "y", .x = s.t};
  bool complex = false;
  for (const auto& z : s.signal) {
    x.y.push_back(z.real());
    y.y.push_back(z.imag());
    complex = complex || z.imag() != 0;
  }
  signal.series.push_back(std::move(x));
  if (complex) signal.series.push_back(std::move(y));
  report.sections.push_back(
      {.title = "Frequencies", .panels = {std::move(lines), std::move(table), std::move(signal)}});
  return report;
}

void spectrum(const TypedSpectrum& typed) {
  const ModelRun run = typed.analysis.read();
  const SpectrumOfRun found = spectrum_of(run, between_commas(typed.of), static_cast<int>(typed.count),
                                          static_cast<int>(typed.window));
  typed.analysis.write_page(run, found.method, page_of(found));
  warn(found.warnings);
  if (typed.analysis.json) {
    fmt::print("{}\n", to_json(found));
    return;
  }
  fmt::print("{}, {}: frequencies of {} over t = {:.6g}, in radians\n", harmless(found.model), found.method,
             found.of, found.time);
  for (const Line& line : found.spectrum.lines)
    fmt::print("  {:20.14g}   amplitude {:.10g}, phase {:.8g}\n", line.frequency, std::abs(line.amplitude),
               std::arg(line.amplitude));
  fmt::print("  left      {:.1e} (root mean square)\n", found.spectrum.residual);
}

}  // namespace

void add_lyapunov(Program& program) {
  const auto typed = std::make_shared<TypedAnalysis>();
  const auto count = std::make_shared<std::int64_t>(0), every = std::make_shared<std::int64_t>(5);
  const auto kept = std::make_shared<KeptAnalysis>();
  Command command{
      .name = "lyapunov",
      .what = "Lyapunov exponents on the manifold, from the derivative of the method's own map",
      .examples = "  taut lyapunov double-pendulum --until 200\n",
      .notes =
          "\nThere are twice as many exponents as degrees of freedom. Those of a symplectic map come in "
          "pairs "
          "l, -l;\nthe pairing defect says how exactly. Errors are standard errors, from blocks of the run.",
      .action = [typed, count, every, kept] {
        return analysed([&] {
          const ModelRun run = typed->read();
          const Keeping keeping =
              kept->open(run, {"lyapunov", std::to_string(*count), std::to_string(*every)});
          const Exponents e = lyapunov_exponents(run, static_cast<int>(*count), *every, {}, keeping);
          typed->write_page(run, e.method, page_of(e));
          warn(e.warnings);
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
  kept->add(command);
  program.add(std::move(command));
}

void add_orbit(Program& program) {
  const auto typed = std::make_shared<TypedOrbit>();
  Command command{
      .name = "orbit",
      .what = "A periodic orbit near the start, with its Floquet multipliers",
      .examples =
          "  taut orbit pendulum --period 7.4\n  taut orbit pendulum --period 7.4 --family 20 --arc 0.1\n",
      .notes =
          "\nNewton's iteration on the manifold keeps the energy of the start. The period is a whole "
          "number of steps,\nwhose length is changed to fit. --family follows the orbits beside it, along "
          "which the energy changes, and passes\nfolds. --vary follows the orbit through values of a "
          "parameter "
          "instead.",
      .action = [typed] {
        return analysed([&] {
          const ModelRun run = typed->analysis.read();
          const Schedule schedule = schedule_of(run.request);
          const double near = typed->period.value_or(static_cast<double>(schedule.steps) * schedule.step);
          const auto show = [&](const auto& found) {
            if (typed->analysis.json)
              fmt::print("{}\n", to_json(found));
            else
              print(found);
          };
          if (typed->arc && !(std::abs(*typed->arc) > 0))
            throw InputError("--arc: the length between two orbits of a family is not 0.");
          if (typed->arc && typed->family == 0) throw InputError("--arc belongs to --family: give both.");
          if (!typed->along.empty() && typed->family == 0)
            throw InputError("--along belongs to --family: say how many orbits it is to follow.");
          if (!typed->vary.empty() && typed->family > 0)
            throw InputError("--vary follows an orbit in a parameter, --family in energy: give one of them.");
          if (typed->vary.empty() && typed->family == 0) {
            if (typed->kept.is_asked())
              throw InputError("--out keeps the orbits of --family or --vary: one alone is found at once.");
            show(periodic_orbit(run, near));
            return;
          }
          const double arc = typed->arc.value_or(0.1);
          const int more = static_cast<int>(typed->family);
          const Keeping keeping = typed->kept.open(run, {"orbit", typed->vary, std::to_string(typed->family),
                                                         fmt::format("{} {} {}", near, arc, typed->along)});
          if (!typed->vary.empty())
            show(orbits_over(*typed, run, near, keeping));
          else if (!typed->along.empty())
            show(orbit_family_along(parameter_of(*typed, run), near, more, arc, keeping));
          else
            show(orbit_family(run, near, more, arc, keeping));
        });
      }};
  typed->analysis.add(command);
  typed->kept.add(command);
  command.add(option("--period", "T", typed->period, "near the period; default: the length of the run"));
  command.add(option("--vary", "NAME = VALUES", typed->vary,
                     "follow the orbit through these values, at one energy: 'L = linspace(1, 2, 11)'"));
  command.add(option("--along", "NAME", typed->along,
                     "with --family: in this parameter, at one energy, through folds"));
  command.add(whole_option("--family", "N", typed->family, 10000, "follow the family for N more orbits"));
  command.add(
      option("--arc", "S", typed->arc,
             "between two of them, in phase space and period; default 0.1, and the energy falls at first "
             "if it is negative"));
  program.add(std::move(command));
}

void add_spectrum(Program& program) {
  const auto typed = std::make_shared<TypedSpectrum>();
  Command command{.name = "spectrum",
                  .what = "Frequencies of a coordinate or quantity, by Laskar's analysis",
                  .examples = "  taut spectrum spherical-pendulum --of x,p_x --count 4\n",
                  .action = [typed] { return analysed([&] { spectrum(*typed); }); }};
  typed->analysis.add(command);
  typed->analysis.model.add_every(command);
  typed->analysis.model.add_quantity(command);
  command.add(
      option("--of", "X[,Y]", typed->of, "a column, or two for X + i Y; default: the first coordinate"));
  command.add(whole_option("--count", "K", typed->count, 100, "how many frequencies; default 4"));
  command.add(whole_option("--window", "P", typed->window, 8, "order of the Hann window; default 2"));
  program.add(std::move(command));
}

}  // namespace taut::cli
