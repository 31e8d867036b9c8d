#include <taut/contract/time_transform.hpp>
#include <taut/model/text/equation.hpp>
#include <taut/report/computed.hpp>
#include <taut/run/schedule.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

namespace taut {

namespace {

constexpr std::size_t most_lines = 16;  // The lines of one statement; the model file has them all.
constexpr std::size_t most_file_bytes = 1U << 20U;  // The files that a model names, inside a page.

// Cuts a list that would fill the page.
std::vector<std::string> some_of(std::vector<std::string> lines) {
  if (lines.size() <= most_lines) return lines;
  const std::size_t left = lines.size() - most_lines + 1;
  lines.resize(most_lines - 1);
  lines.push_back(fmt::format("… and {} more", left));
  return lines;
}

// Returns "x = 0.6", or "z = sqrt(R^2 - 0.08) = 0.959166…" if it was written as a formula.
std::string value_line(const NamedFormula& a) {
  const std::string value = fmt::format("{:.15g}", static_cast<double>(a.value));
  const bool number = a.formula.nodes.size() <= 1 || a.formula.text.empty();
  const bool plain = number && (a.formula.nodes.empty() || a.formula.nodes.back().op == Op::constant);
  return plain ? fmt::format("{} = {}", a.name, value)
               : fmt::format("{} = {} = {}", a.name, a.formula.text, value);
}

std::vector<std::string> equations(const Model& model) {
  if (model.particles) return {"H = ½ pᵀM⁻¹p + V(q)", "V and the constraints: the tables of the model file"};
  const Dynamics& dynamics = model.dynamics;
  const std::string clock = dynamics.timed ? " + p_time, which is minus the work" : "";
  if (dynamics.written_as == "lagrangian") return {"H = p·v - L" + clock, "L = " + dynamics.written};
  if (dynamics.written_as == "kinetic")
    return {"H = p·v - T + V" + clock, "T = " + dynamics.written, "V = " + model.potential.text};
  if (model.form == Model::Form::hamiltonian && dynamics.written_as.empty())
    return {"H = " + model.hamiltonian.text + clock};
  std::vector<std::string> lines = {"H = ½ pᵀM⁻¹p + V" + (clock.empty() ? "(q)" : clock)}, mass;
  for (const Formula& m : model.mass) mass.push_back(m.text);
  const bool full = mass.size() > 1 && mass.size() > model.coordinates.size();
  if (model.form == Model::Form::split) {
    lines.push_back("V_fast = " + model.potential_fast.text);
    lines.push_back("V_slow = " + model.potential_slow.text);
  } else {
    lines.push_back("V = " + model.potential.text);
  }
  if (!mass.empty()) lines.push_back(fmt::format("M = {}({})", full ? "" : "diag", fmt::join(mass, ", ")));
  return lines;
}

std::vector<std::string> constraints(const ModelRun& run) {
  std::vector<std::string> lines;
  for (const Formula& g : run.model.constraints) lines.push_back(equation_text(g));
  if (run.model.particles)
    lines.push_back(fmt::format("{} coordinates, {} constraints", run.mechanism->coordinates(),
                                run.mechanism->constraints()));
  if (lines.empty()) lines.emplace_back("none");
  return lines;
}

std::vector<std::string> definitions(const Model& model) {
  std::vector<std::string> lines;
  for (const NamedFormula& a : model.definitions) lines.push_back(a.name + " = " + a.formula.text);
  return lines;
}

std::vector<std::string> forces(const Model& model) {
  std::vector<std::string> lines;
  for (const Force& force : model.dynamics.forces) {
    const std::string& x = model.coordinates[static_cast<std::size_t>(force.coordinate)];
    const bool is_damping = force.formula.defined == "p_" + x;  // its text is the rate
    lines.push_back(is_damping ? fmt::format("on {0}: -({1}) p_{0}", x, force.formula.text)
                               : fmt::format("on {}: {}", x, force.formula.text));
  }
  return lines;
}

std::vector<std::string> parameters(const Model& model) {
  std::vector<std::string> lines;
  for (const NamedFormula& a : model.parameters) lines.push_back(value_line(a));
  return lines;
}

std::vector<std::string> start(const Model& model, const RunSummary& summary) {
  std::vector<std::string> lines;
  for (const auto* names : {&model.q, &model.p})
    for (const NamedFormula& a : *names)
      if (static_cast<double>(a.value) != 0) lines.push_back(value_line(a));
  if (lines.size() < model.q.size() + model.p.size()) lines.emplace_back("the others are 0");
  if (model.particles) lines = {"positions and velocities: the table [particles] of the model file"};
  if (summary.moved)
    lines.push_back(fmt::format("then moved onto the manifold: q by {:.1e}, p by {:.1e}", summary.moved->q,
                                summary.moved->p));
  return lines;
}

std::string method_line(const ModelRun& run, const RunSummary& s) {
  std::string line = s.method;
  if (!s.definition.empty()) line += " = " + s.definition;
  if (!s.formulation.empty()) line += " on the formulation " + s.formulation;
  if (!s.projection.empty() && s.projection != "none") line += ", projection " + s.projection;
  if (!s.backends.empty()) line += fmt::format(", backend {}", name_of(s.backends.back().backend));
  if (run.request.plain_updates) line += ", plain updates";
  return line;
}

std::vector<std::string> integration(const std::vector<const ModelRun*>& runs,
                                     const std::vector<RunSummary>& summaries) {
  std::vector<std::string> lines;
  for (std::size_t k = 0; k < runs.size(); ++k) lines.push_back(method_line(*runs[k], summaries[k]));
  const RunRequest& request = runs.front()->request;
  const Schedule schedule = schedule_of(request);
  if (const auto sigma = time_transform_of(request.step_function))
    lines.push_back(fmt::format(
        "step {} of fictitious time, by the Hamiltonian σ (H - E₀) with σ = {}, {} steps to t = {:.10g}",
        schedule.step, *sigma, summaries.front().steps, summaries.front().time));
  else if (schedule.varies)
    lines.push_back(fmt::format("step {} of fictitious time, step function {}, {} steps to t = {:.10g}",
                                schedule.step, request.step_function.empty() ? "auto" : request.step_function,
                                summaries.front().steps, summaries.front().time));
  else
    lines.push_back(fmt::format("step {}, {} steps to t = {:.10g}", schedule.step, schedule.steps,
                                static_cast<double>(schedule.steps) * schedule.step));
  lines.push_back(request.tolerance > 0
                      ? fmt::format("constraints are solved to {:g}", request.tolerance)
                      : std::string("constraints are solved until rounding stops the iteration"));
  return lines;
}

std::vector<SourceFile> files_of(const ModelRun& run) {
  std::string name = std::filesystem::path(run.name).filename().string();
  if (!name.ends_with(".toml")) name += ".toml";
  std::vector<SourceFile> files = {{name, run.text}};
  std::size_t bytes = 0;
  for (const auto& [path, source] : run.model.files) bytes += source->text().size();
  if (bytes > most_file_bytes) return files;
  for (const auto& [path, source] : run.model.files) files.push_back({path, source->text()});
  return files;
}

}  // namespace

Computed computed_by(const std::vector<const ModelRun*>& runs, const std::vector<RunSummary>& summaries,
                     const Origin& origin) {
  const ModelRun& run = *runs.front();
  Computed computed{.command = origin.command, .date = origin.date, .files = files_of(run)};
  const auto state = [&computed](const char* title, std::vector<std::string> lines) {
    if (!lines.empty()) computed.statements.push_back({title, some_of(std::move(lines))});
  };
  state("Hamiltonian", equations(run.model));
  state("Constraints", constraints(run));
  state("Forces", forces(run.model));
  state("Definitions", definitions(run.model));
  state("Parameters", parameters(run.model));
  state("Start", start(run.model, summaries.front()));
  state(runs.size() == 1 ? "Method" : "Methods", integration(runs, summaries));
  return computed;
}

}  // namespace taut
