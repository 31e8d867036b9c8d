#include <taut/backend/backend.hpp>
#include <taut/backend/compiled_formulas.hpp>
#include <taut/backend/shared_machine.hpp>
#include <taut/backend/specialised.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/method/methods.hpp>
#include <taut/model/formula_system.hpp>

#include <fmt/format.h>

namespace taut {

namespace {

// Estimates the seconds that the interpreter would take on a machine such as that of bench/backends.cpp. A
// compiler takes about 0.1 s for the formulas and 4 s for a step.
constexpr double compile_from = 1, specialise_from = 20;
double seconds_interpreted(const FormulaSystem& system, const MethodChoice& choice, std::int64_t steps) {
  constexpr double per_step = 1e-6, per_operation = 4e-9;
  constexpr int work_on_a_formulation = 20;
  const int work = choice.ode ? work_on_a_formulation : named_method(choice.method).facts.work;
  return static_cast<double>(steps) * work *
         (per_step + per_operation * static_cast<double>(operations(system)));
}

constexpr std::size_t most_operations = 50000;  // some ten seconds of a compiler's time

// Says what a long run would gain from a compiler, by what bench/backends.cpp measures: interpreted steps
// take 5 times as long as a loop by hand, compiled ones 3 times, specialised ones 1.2 times.
std::string_view gain_of(Backend missed) {
  return missed == Backend::specialise
             ? "With g++ and taut's headers, a run of this length takes about a quarter of the time."
             : "With g++, a run of this length takes about six tenths of the time.";
}

// Makes a machine of more precision than a double.
BackedMachine made_wide(const Model& model, const MethodChoice& choice, const SolveOptions& options,
                        const RunRequest& request, double step) {
  WideMachine made = wide_machine(model, choice, options, request.precision, request.plain_updates,
                                  request.project_start, step);
  if (made.failure)
    throw InputError(fmt::format(
        "{}: the start could not be brought onto the constraints to the rounding of the precision "
        "{}: residual {:.1e} after {} iterations.",
        model.name, name_of(request.precision), made.failure->residual, made.failure->iterations));
  if (!made.machine)
    throw InputError(fmt::format(
        "the precision {} needs a step that is compiled for the run, and there is none: {}.\n  Without it, "
        "the precision double runs everywhere.",
        name_of(request.precision), made.missing));
  BackedMachine backed{std::move(made.machine), {}, {Backend::specialise, made.object}};
  if (made.moved && (made.moved->q > 0 || made.moved->p > 0))
    backed.moved = StartMove{made.moved->q, made.moved->p};
  return backed;
}

}  // namespace

bool is_small(const FormulaSystem& system) {
  return system.n <= 40 && system.m <= 20 && system.column.size() <= 120 && operations(system) <= 5000;
}

Backend worth_while(const FormulaSystem& system, const MethodChoice& choice, std::int64_t steps) {
  const double seconds = seconds_interpreted(system, choice, steps);
  if (seconds < compile_from || operations(system) > most_operations) return Backend::interpret;
  if (seconds < specialise_from || !is_small(system) || choice.ode) return Backend::compile;
  return Backend::specialise;
}

void check_precision(const RunRequest& request, const FormulaSystem* system, const MethodChoice& choice) {
  if (request.precision == Precision::double_precision) return;
  const std::string_view name = name_of(request.precision);
  const auto refuse = [&](const std::string& why, const std::string& what) {
    throw ChoiceError("precision",
                      fmt::format("the precision {} is not there for {}.\n  {}", name, why, what));
  };
  if (system == nullptr)
    refuse("systems of particles",
           "Models of formulas have it, with all formulations but those of a [parametrisation].");
  if (choice.ode && choice.ode->formulation.starts_with("parametrised"))
    refuse("the [parametrisation] of a model",
           "The other formulations have it, and the methods of the constrained equations.");
  if (choice.method.find("conformal") != std::string::npos)
    refuse("conformal", "lobatto(s) has it, with damping as a force.");
  if (system->least_squares) refuse("redundant constraints", "They are solved in double precision.");
  if (!is_small(*system))
    refuse(fmt::format("a model of this size ({} coordinates, {} constraints)", system->n, system->m),
           "Its step is compiled for the run, which is done for at most 40 coordinates and 20 constraints.");
  if (request.backend == Backend::interpret || request.backend == Backend::compile)
    refuse(fmt::format("the backend {}", name_of(request.backend)),
           "The backend specialise has it, and is taken if --backend is left out.");
}

BackedMachine backed_machine(const Model& model, const std::shared_ptr<const FormulaSystem>& system,
                             const Mechanism& interpreted, const MethodChoice& choice,
                             const PlainState& start, const SolveOptions& options, const RunRequest& request,
                             double step, std::int64_t steps) {
  const bool plain = request.plain_updates;
  check_precision(request, system.get(), choice);
  auto machine = interpreted.bind(choice, start, options, plain);
  if (!system) {  // a system of particles: its formulas run in batches
    const int threads = request.threads > 0 ? request.threads : worthwhile_threads(interpreted.coordinates());
    std::string note;
    if (request.backend == Backend::compile || request.backend == Backend::specialise)
      note = "the formulas of a system of particles are interpreted.";
    if (!machine || threads == 1) return {std::move(machine), std::move(note)};
    auto shared = std::make_unique<SharedMachine>(std::move(machine), threads);
    if (!shared->missing_threads().empty())
      note += fmt::format("{}the run goes on with {} of {} threads, and with the same digits: {}.",
                          note.empty() ? "" : " ", shared->threads(), threads, shared->missing_threads());
    return {std::move(shared), std::move(note)};
  }
  if (machine && request.precision != Precision::double_precision)
    return made_wide(model, choice, options, request, step);
  const Backend backend =
      request.backend == Backend::automatic ? worth_while(*system, choice, steps) : request.backend;
  if (!machine || backend == Backend::interpret) return {std::move(machine)};

  std::string not_specialised;
  if (backend == Backend::specialise) {
    Specialised made = is_small(*system) ? specialised_machine(model, choice, start, options, plain)
                                         : Specialised{nullptr, too_large_to_specialise};
    if (made.machine) return {std::move(made.machine), {}, {Backend::specialise, made.object}};
    not_specialised = made.missing;
  }
  const CompiledFormulas formulas = compiled_formulas(system);
  if (!formulas.missing.empty()) {
    std::string note = fmt::format("the formulas are interpreted: {}.", formulas.missing);
    if (request.backend == Backend::automatic) note += fmt::format(" {}", gain_of(backend));
    return {std::move(machine), std::move(note)};
  }
  const auto compiled = make_mechanism(formulas.system);
  return {
      compiled->bind(choice, start, options, plain),
      not_specialised.empty()
          ? ""
          : fmt::format("the formulas are compiled, but the step is not specialised: {}.", not_specialised),
      {Backend::compile, formulas.object}};
}

}  // namespace taut
