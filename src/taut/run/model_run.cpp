#include <taut/backend/backend.hpp>
#include <taut/backend/ends_compilers.hpp>
#include <taut/contract/driven_step.hpp>
#include <taut/contract/reading_time.hpp>
#include <taut/contract/step_count.hpp>
#include <taut/contract/time_transform.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/method/methods.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/run/adaptive_machine.hpp>
#include <taut/run/asked/run_options.hpp>
#include <taut/run/bundled.hpp>
#include <taut/run/events/event_watch.hpp>
#include <taut/run/model_of_tree.hpp>
#include <taut/run/model_run.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/run/schedule.hpp>
#include <taut/run/stage_multipliers.hpp>
#include <taut/run/transformed_machine.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>

namespace taut {

namespace {

// Writes the request in the words of --set, so that it acts before anything of the file is
// evaluated and checked.
std::vector<std::string> assignments(const RunRequest& request, const std::vector<std::string>& set) {
  std::vector<std::string> all = set;
  const auto put = [&all](std::string_view key, const auto& value) {
    all.push_back(fmt::format("run.{}={}", key, value));
  };
  if (!request.method.empty()) put("method", request.method);
  if (!request.formulation.empty()) put("formulation", request.formulation);
  if (!request.projection.empty()) put("projection.kind", request.projection);
  if (request.projection_tolerance) put("projection.tolerance", *request.projection_tolerance);
  if (request.step) put("step", *request.step);
  if (request.steps) put("steps", *request.steps);
  if (request.until) put("until", *request.until);
  if (request.every > 0) put("every", request.every);
  if (const auto sigma = time_transform_of(request.step_function))
    put("time-transform", *sigma);
  else if (!request.step_function.empty())
    put("step-function", request.step_function);
  if (request.shortest_step) put("shortest-step", *request.shortest_step);
  if (request.longest_step) put("longest-step", *request.longest_step);
  if (request.interval) put("interval", *request.interval);
  if (request.threads > 0) put("threads", request.threads);
  if (request.precision != Precision::double_precision) put("precision", name_of(request.precision));
  return all;
}

// Asks whether the steps differ in size.
bool steps_vary(const RunRequest& request) {
  return base_of_adaptive(request.method) || time_transform_of(request.step_function);
}

// Asks whether the request says something about a key of [run].
bool is_asked(const RunRequest& request, const std::string& key) {
  const std::string text = "run." + key;
  for (const std::string& one : assignments(request, {}))
    if (one.starts_with(text) && one.size() > text.size() &&
        (one[text.size()] == '=' || one[text.size()] == '.'))
      return true;
  return false;
}

// Returns "--step" for "run.step=0.1", "--projection-tolerance" for "run.projection.tolerance=1".
std::string option_of(std::string_view assignment) {
  const std::string_view key = assignment.substr(4, assignment.find('=') - 4);
  if (key == "projection.kind") return "--projection";
  if (key == "projection.tolerance") return "--projection-tolerance";
  return "--" + std::string(key);
}

std::string without_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// Puts the definitions of the model's own methods into the text of a method: mine becomes
// mine=composition(…). A definition may use those before it.
std::string with_definitions(const std::vector<OwnMethod>& own, const std::string& text) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  std::string whole;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end == i) {
      whole += text[i++];
      continue;
    }
    const std::string name = text.substr(i, end - i);
    const auto at = std::find_if(own.begin(), own.end(), [&](const OwnMethod& m) { return m.name == name; });
    whole += name;
    if (at != own.end()) whole += "=" + with_definitions({own.begin(), at}, at->text);
    i = end;
  }
  return whole;
}

// Adds what is wrong with the model's own methods, which can be told only where methods are known.
void add_method_errors(const Model& model, std::vector<ModelError>& errors) {
  std::vector<OwnMethod> before;
  for (const OwnMethod& method : model.methods) {
    const std::string key = "methods." + method.name;
    before.push_back(method);
    if (named_method(method.name).why_not.empty())
      errors.push_back(
          model.error_at(key, "there is a method " + method.name + " already", "choose another name"));
    else if (const std::string why_not = named_method(with_definitions(before, method.name)).why_not;
             !why_not.empty())
      errors.push_back(model.error_at(key + "." + method.key, why_not));
  }
}

// Fills in what the file says if the command line is silent: `asked` went into the settings, so that they
// have it all.
RunRequest request_of(const Model& model, const RunSettings& run, const RunRequest& asked) {
  RunRequest request = asked;
  request.method = with_definitions(model.methods, run.method.value_or(""));
  // The file's formulation belongs to the file's method: if another method does not take it, it is ignored.
  const bool leave_aside =
      !asked.method.empty() && !takes_formulation(asked.method, run.formulation.value_or("")) &&
      asked.formulation.empty() && asked.projection.empty() && !asked.projection_tolerance;
  if (!leave_aside) {
    request.formulation = run.formulation.value_or("");
    if (run.projection) {
      request.projection = run.projection->kind;
      request.projection_tolerance = run.projection->tolerance;
    }
  }
  if (run.first_guess)
    request.first_guess = choice_named<FirstGuess>(*run.first_guess).value_or(FirstGuess::zero);
  if (run.stop_rule) request.stop = choice_named<StopRule>(*run.stop_rule).value_or(StopRule::residual);
  request.error_tolerance = run.error_tolerance;
  request.step = run.step;
  request.steps = run.steps;
  request.until = run.until;
  request.every = run.every.value_or(0);
  request.step_function = run.step_function.value_or("");
  request.shortest_step = run.shortest_step;
  request.longest_step = run.longest_step;
  request.interval = run.interval;
  // What the file says of steps that differ belongs to the file's method.
  if (!steps_vary(request) && !asked.interval) request.interval.reset();
  request.threads = static_cast<int>(run.threads.value_or(0));
  if (run.precision)
    request.precision = choice_named<Precision>(*run.precision).value_or(Precision::double_precision);
  if (request.out.empty()) request.out = model.output_directory.value_or("");
  if (request.format == SampleFormat::automatic && model.output_format)
    request.format = choice_named<SampleFormat>(*model.output_format).value_or(SampleFormat::automatic);
  return request;
}

// Puts what is asked into the settings of a model, as reading it does.
RunSettings settings_with(RunSettings run, const RunRequest& asked) {
  if (!asked.method.empty()) run.method = asked.method;
  if (!asked.formulation.empty()) run.formulation = asked.formulation;
  if (!asked.projection.empty() || asked.projection_tolerance) {
    if (!run.projection) run.projection = RunSettings::Projection{.kind = "none"};
    if (!asked.projection.empty()) run.projection->kind = asked.projection;
    if (asked.projection_tolerance) run.projection->tolerance = *asked.projection_tolerance;
  }
  if (asked.step) run.step = asked.step;
  if (asked.steps || asked.until) {
    run.steps = asked.steps;
    run.until = asked.until;
  }
  if (asked.every > 0) run.every = asked.every;
  if (asked.every > 0) run.interval.reset();
  if (asked.shortest_step) run.shortest_step = asked.shortest_step;
  if (asked.longest_step) run.longest_step = asked.longest_step;
  if (asked.interval) {
    run.interval = asked.interval;
    run.every.reset();
  }
  if (asked.threads > 0) run.threads = asked.threads;
  return run;
}

// The key of the file that a wrong choice stands at.
std::string place_of(const ChoiceError& error) {
  const bool of_output = error.key == "lambda" || error.key == "local-error";
  return (of_output ? "output." : "run.") + error.key;
}

// Turns a wrong choice into an error of the file, at its key: the sentence above the line, what
// follows it below.
ModelError placed_error(const Model& model, const ChoiceError& error) {
  const std::string text = error.what();
  const std::size_t end = text.find('\n');
  std::string sentence = text.substr(0, end);
  if (sentence.ends_with('.')) sentence.pop_back();
  ModelError placed = model.error_at(place_of(error), sentence);
  if (end != std::string::npos) placed.more = text.substr(end + 1) + "\n";
  return placed;
}

// Adds what is wrong with [run] to what is wrong with the formulas, as far as that can be told without them.
void add_choice_error(ReadModel& read, const RunRequest& asked) {
  if (!read.draft.run.method) return;
  try {
    const RunRequest request = request_of(read.draft, read.draft.run, asked);
    if (request.method.find('=') != std::string::npos) return;  // said where the model defines it
    ode_choice(request.method, request);
  } catch (const ChoiceError& error) {
    ModelError placed = placed_error(read.draft, error);
    const std::string typed = "run." + error.key;
    const auto same_place = [&](const ModelError& other) {
      if (other.line != placed.line || other.origin != placed.origin) return false;
      return placed.line == 0 ? other.excerpt.starts_with(typed) : other.column == placed.column;
    };
    if (std::any_of(read.errors.begin(), read.errors.end(), same_place)) return;  // it was said already
    read.errors.push_back(std::move(placed));
    put_in_order(read.errors);
  }
}

// Gives errors of what was typed as an option the name of the option.
void name_options(const std::vector<std::string>& typed, std::vector<ModelError>& errors) {
  for (ModelError& error : errors)
    if (error.line == 0 && std::find(typed.begin(), typed.end(), error.excerpt) != typed.end())
      error.origin = option_of(error.excerpt);
}

constexpr std::size_t largest_file = 256U << 20U;  // bytes of a file that a model names: checkpoints hold it

// Finds files; a path is relative to the folder of the model.
Surroundings files_beside(const std::string& model) {
  return {
      .file = [folder = std::filesystem::path(model).parent_path()](const std::string& path) -> FoundText {
        const std::string name = (folder / path).string();
        std::error_code error;
        const std::filesystem::file_status there = std::filesystem::status(name, error);
        if (error && there.type() != std::filesystem::file_type::not_found)
          return {{}, name, error.message()};
        if (!std::filesystem::is_regular_file(there)) return {{}, name, "there is no such file"};
        const std::uintmax_t size = std::filesystem::file_size(name, error);
        if (error) return {{}, name, error.message()};
        if (size > largest_file)
          return {{}, name, fmt::format("it has {} bytes, and at most {} are read", size, largest_file)};
        try {
          return {text_of_file(name, largest_file), name};
        } catch (const InputError& unreadable) {
          return {{}, name, unreadable.what()};
        }
      }};
}

}  // namespace

Surroundings files_in(const std::string& folder) { return files_beside(folder + "/model.toml"); }

namespace {

Surroundings bundled_files() {
  return {.file = [](const std::string& path) -> FoundText {
    const auto text = bundled_file(path);
    if (!text) return {{}, path, "it is not inside the program"};
    return {std::string(*text), path};
  }};
}

// Makes the error for lack of memory.
MemoryError out_of_memory(const std::string& name, const std::string& text) {
  std::string sentence = fmt::format("{}: there is not enough memory.", name);
  if (text.find("[[pairs]]") != std::string::npos)
    sentence +=
        " The list of all pairs closer than cutoff + skin takes the most of it, as a rule: a shorter cutoff "
        "needs less.";
  return MemoryError(sentence);
}

std::string no_stage_multiplier(const MethodChoice& choice) {
  return fmt::format(
      "{} has no multiplier of its own for the end of a step; lobatto(s), radau(s) and gauss-projected(s) "
      "have "
      "one. Leave out `lambda = \"stage\"`, or use one of them.",
      choice.label());
}

// Returns how many seconds a model may take to be read: a minute, or what the environment says.
double reading_seconds() {
  constexpr double usual = 60;
  const char* const asked = std::getenv("TAUT_READING_SECONDS");
  if (asked == nullptr) return usual;
  const std::string_view text(asked);
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0) || !std::isfinite(seconds))
    throw InputError(fmt::format(
        "the environment has TAUT_READING_SECONDS={}, which is not a positive number of seconds.\n"
        "  Leave it out for {:g} s, or give such a number.",
        harmless(text), usual));
  return seconds;
}

bool watches_events(const Model& model) {
  return !model.dynamics.events.empty() || !model.dynamics.at.empty();
}
bool reflects(const Model& model) {
  return std::any_of(model.dynamics.events.begin(), model.dynamics.events.end(),
                     [](const EventRule& e) { return e.action == EventRule::Action::reflect; });
}

std::string no_local_error(const MethodChoice& choice) {
  return fmt::format(
      "{} has no estimate of its error; lobatto(s), dopri5, dop853 and bdf-variable(k) have one. Leave out "
      "`local-error`, or use one of them; `taut compare` measures errors against a reference.",
      choice.label());
}

// Asks whether this is a path; the name of a bundled model has neither ending nor slash.
bool is_path(const std::string& problem) {
  return problem.ends_with(".toml") || problem.find('/') != std::string::npos;
}

}  // namespace

std::string text_of_file(const std::string& path, std::size_t most) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw InputError(fmt::format("{} is a folder, not a model file.", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  std::string text;
  for (std::vector<char> part(1U << 16U); file;) {
    file.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > most)
      throw InputError(fmt::format("{} has more than {} bytes, and is not read further.", path, most));
  }
  if (file.bad()) throw InputError(fmt::format("cannot read {}: {}.", path, std::strerror(errno)));
  return text;
}

std::string ModelRun::title() const {
  return model.title == name ? std::filesystem::path(name).filename().string() : model.title;
}

std::vector<std::string> ModelRun::coordinates() const {
  std::vector<std::string> names = model.coordinates;
  if (model.particles)  // x0, y0, z0, x1, …
    for (int i = 0; i < model.particles->count; ++i)
      for (int a = 0; a < model.particles->dimension; ++a) names.push_back(fmt::format("{}{}", "xyz"[a], i));
  return names;
}

std::vector<std::string> ModelRun::columns() const {
  std::vector<std::string> names = coordinates();
  const std::size_t count = names.size();
  for (std::size_t j = 0; j < count; ++j) names.push_back("p_" + names[j]);
  return names;
}

Quantities ModelRun::quantities() const {
  Quantities quantities(
      model.output_quantities, model.particles ? model.particles->dimension : 0, mechanism->constraints(),
      model.particles ? std::make_shared<const ParticlePotentials>(model.particles) : nullptr);
  if (shows_local_error()) quantities.show_local_error();
  if (steps_vary(request)) quantities.show_step_size();
  if (!model.quantities.empty()) quantities.set_formulas(std::make_shared<const FormulaQuantities>(model));
  return quantities;
}

std::string ModelRun::method_text(const std::string& method) const {
  return with_definitions(model.methods, method);
}

bool ModelRun::shows_stage_multiplier() const {
  return model.output_lambda && *model.output_lambda == name_of(MultiplierShown::stage);
}

bool ModelRun::shows_local_error() const {
  return model.output_local_error && *model.output_local_error == name_of(LocalErrorShown::estimate);
}

Quantities ModelRun::watched() const {
  return request.watch_multipliers ? quantities().watching_multipliers() : quantities();
}

ModelFileError::ModelFileError(std::vector<ModelError> all)
    : InputError(without_end(text_of(all))), errors(std::move(all)) {}

RunRequest ModelRun::requested(const RunRequest& wanted) const {
  return request_of(model, settings_with(model.run, wanted), wanted);
}

namespace {

void refuse_with_adaptive(const RunRequest& request, bool of_particles, bool stage_multiplier) {
  if (of_particles)
    throw ChoiceError("method", "adaptive(M) is for models of formulas, and this is a system of particles.");
  if (request.precision != Precision::double_precision)
    throw ChoiceError("precision", "adaptive(M) runs in double precision alone. Leave the precision out.");
  if (request.halve_on_failure)
    throw InputError(
        "--on-failure halve would take a step of adaptive(M) in parts, which is not reversible. "
        "Leave it out.");
  if (stage_multiplier)
    throw ChoiceError("lambda",
                      "adaptive(M) shows the multiplier λ(q, p) alone. Leave out `lambda = \"stage\"`.");
}

}  // namespace

std::unique_ptr<StepFunction> ModelRun::step_function(const PlainState& start) const {
  const bool automatic = request.step_function.empty() || request.step_function == "auto";
  auto function = automatic ? automatic_step_function(*mechanism, start) : formula_step_function(model);
  const double sigma = function->sigma(start.q, start.p);
  if (!(sigma > 0) || !std::isfinite(sigma))
    throw ChoiceError(
        "step-function",
        fmt::format("the step function is {} at the start: it must be positive, since a step has "
                    "about its value times --step.",
                    sigma));
  return function;
}

// If the steps are like the first one, there are so many of them.
std::int64_t ModelRun::likely_steps(const PlainState& start, std::int64_t most) const {
  const Schedule schedule = schedule_of(request);
  if (!schedule.end || model.particles) return most;
  const double h = schedule.step * step_function(start)->sigma(start.q, start.p);
  return static_cast<std::int64_t>(std::min(static_cast<double>(most), steps_until(*schedule.end, h)));
}

std::unique_ptr<Machine> ModelRun::adaptive(std::unique_ptr<Machine> steps, std::unique_ptr<Machine> between,
                                            const PlainState& start) const {
  return std::make_unique<AdaptiveMachine>(
      std::move(steps), std::move(between), step_function(start),
      StepLimits{.shortest = request.shortest_step.value_or(0),
                 .longest = request.longest_step.value_or(std::numeric_limits<double>::infinity())});
}

MadeMachine ModelRun::adaptive_machine(const MethodChoice& choice, const PlainState& start,
                                       std::int64_t steps,
                                       const std::function<void(const std::string&)>& note) const {
  refuse_with_adaptive(request, model.particles != nullptr, shows_stage_multiplier());
  if (!model.dynamics.events.empty() || !model.dynamics.at.empty())
    throw ChoiceError(
        "method",
        "adaptive(M) does not look for events between its steps. Leave out [[events]] and `at`, or "
        "take " +
            base_of_adaptive(choice.method).value() + " with a step of one size.");
  const MethodChoice base{.method = *base_of_adaptive(choice.method)};
  const std::int64_t likely = likely_steps(start, steps);
  MadeMachine made = machine(base, start, likely, note);
  MadeMachine second = machine(base, start, likely, [](const std::string&) {});
  if (!made.machine) return made;
  made.machine = adaptive(std::move(made.machine), std::move(second.machine), start);
  return made;
}

namespace {

MadeMachine machine_of_equal_steps(const ModelRun& run, const MethodChoice& choice, const PlainState& start,
                                   std::int64_t steps, const std::function<void(const std::string&)>& note) {
  // After a reflection a machine goes on from a state of its interpreted twin.
  RunRequest asked_for = run.request;
  if (reflects(run.model) && asked_for.backend == Backend::automatic) asked_for.backend = Backend::interpret;
  BackedMachine made =
      backed_machine(run.model, run.system, *run.mechanism, choice, start, solve_options(run.request),
                     asked_for, schedule_of(run.request).step, steps);
  if (!made.note.empty()) note(made.note);
  if (!run.model.particles && run.request.threads > 1)
    note("only systems of particles share a step among threads: this one runs on one.");
  if (made.machine && run.shows_stage_multiplier()) {
    const double h = schedule_of(run.request).step;
    if (made.machine->last_multiplier(h).empty()) throw ChoiceError("lambda", no_stage_multiplier(choice));
    made.machine = std::make_unique<StageMultipliers>(std::move(made.machine), h);
  }
  if (made.machine && run.shows_local_error() && !made.machine->watch_local_error())
    throw ChoiceError("local-error", no_local_error(choice));
  return MadeMachine{std::move(made.machine), made.used, made.moved};
}

void refuse_with_transform(const ModelRun& run, const MethodChoice& choice, const PlainState& start) {
  const auto refuse = [](const std::string& what) { throw ChoiceError("time-transform", what); };
  const MethodFacts facts = named_method(choice.method).facts;
  if (choice.ode || facts.past > 0 || !facts.symmetric)
    refuse(
        fmt::format("{} takes no time transform: it is for symmetric one-step methods, whose step back is as "
                    "good as one forth. Take lobatto(s), midpoint or dirac-gauss(s).",
                    choice.label()));
  if (run.request.precision != Precision::double_precision)
    refuse("a time transform runs in double precision alone. Leave the precision out.");
  if (run.request.halve_on_failure)
    refuse("--on-failure halve would take a step in parts, which is not symplectic. Leave it out.");
  if (run.shows_stage_multiplier() || run.shows_local_error())
    refuse(
        "a time transform shows the multiplier λ(q, p), and no local error. Leave `lambda` and "
        "`local-error` out.");
  if (run.request.shortest_step || run.request.longest_step)
    refuse("limits on the sizes of steps are for adaptive(M). Leave --shortest-step and --longest-step out.");
  if (!run.model.dynamics.events.empty() || !run.model.dynamics.at.empty())
    refuse("events are not looked for between the steps of a time transform. Leave out [[events]] and `at`.");
  const PlainState expected = run.mechanism->start();
  if (start.q != expected.q || start.p != expected.p)
    refuse(
        "a time transform takes its E₀ from [initial], and this start is another one: write it there, on "
        "the constraints.");
}

}  // namespace

MadeMachine ModelRun::machine(const MethodChoice& choice, const PlainState& start, std::int64_t steps,
                              const std::function<void(const std::string&)>& note) const {
  if (base_of_adaptive(choice.method)) return adaptive_machine(choice, start, steps, note);
  if (!steps_vary(request) && !asked.step_function.empty())
    throw ChoiceError("step-function",
                      fmt::format("{} takes steps of one size: a step function is for adaptive(M), such as "
                                  "--method 'adaptive({})'.",
                                  choice.label(), choice.method));
  if (!steps_vary(request) && (asked.shortest_step || asked.longest_step))
    throw ChoiceError(asked.shortest_step ? "shortest-step" : "longest-step",
                      fmt::format("{} takes steps of one size, and no step is too short or too long for it. "
                                  "Leave the limit out, or take adaptive(M).",
                                  choice.label()));
  if (!time_transform_of(request.step_function))
    return machine_of_equal_steps(*this, choice, start, steps, note);
  refuse_with_transform(*this, choice, start);
  const std::int64_t likely = likely_steps(start, steps);
  MadeMachine made = machine_of_equal_steps(*this, choice, start, likely, note);
  MadeMachine second = machine_of_equal_steps(*this, choice, start, likely, [](const std::string&) {});
  if (!made.machine) return made;
  made.machine = std::make_unique<TransformedMachine>(std::move(made.machine), std::move(second.machine),
                                                      step_function(start));
  return made;
}

void ModelRun::check_events() const {
  if (request.halve_on_failure && model.particles && model.particles->driving)
    throw InputError(
        "--on-failure halve does not go with [[forces]] and [damping] of particles. Leave it out.");
  if (!watches_events(model)) return;
  if (request.precision != Precision::double_precision)
    throw InputError(
        "events and times of `at` are found in double precision: leave out the precision, or the events.");
  if (reflects(model) && request.backend == Backend::specialise)
    throw InputError("an event that reflects needs a step that is not specialised: use --backend interpret.");
}

namespace {

// Says which times of `at` the run does not come to.
void say_missed_times(const ModelRun& run, const std::function<void(const std::string&)>& note) {
  const Schedule schedule = schedule_of(run.request);
  if (schedule.varies) return;
  const auto steps = static_cast<double>(schedule.steps);
  std::vector<double> missed;
  for (const double time : run.model.dynamics.at)
    if (const double place = place_of_time(time, schedule.step); place < 0 || place > steps)
      missed.push_back(time);
  if (missed.empty()) return;
  note(fmt::format("the run goes from t = 0 to {}: there is no state at t = {}, which `at` asks for.",
                   steps * schedule.step, fmt::join(missed, ", ")));
}

const Thermostat* thermostat_of(const Model& model) {
  return model.particles && model.particles->thermostat ? &*model.particles->thermostat : nullptr;
}

// The energy of a run at a temperature goes up and down, and what is concluded from it is left out.
void check_thermostat(RunRequest& request) {
  if (request.halve_on_failure)
    throw InputError(
        "--on-failure halve would draw other random numbers than [thermostat] does. Leave it out.");
  if (schedule_of(request).step < 0)
    throw InputError("a thermostat does not run backwards: the step is negative.");
  request.warn_at_jumps = true;
}
void say_thermostat(const Thermostat& t, RunSummary& summary) {
  summary.definition = fmt::format(
      "g-baoab({}) at kT = {:g}, friction {:g}, seed {}; its geodesics are drawn by rattle. H is not "
      "conserved",
      t.parts, t.temperature, t.friction, t.seed);
  summary.trend.reset();
  summary.energy_lost = summary.energy_stays_lost = false;
}

}  // namespace

RunSummary ModelRun::run(RunObserver& observer, std::string_view last_good, const Snapshot* from) const {
  std::vector<std::string> warnings;
  const auto note = [&](const std::string& sentence) {
    warnings.push_back(sentence);
    observer.note(sentence);
  };
  try {
    const auto make = [&](const MethodChoice& choice, const PlainState& start, std::int64_t steps) {
      if (system && !reflects(model)) {
        MethodChoice steps_of = choice;
        steps_of.method = base_of_adaptive(choice.method).value_or(choice.method);
        const Backend backend = request.backend == Backend::automatic
                                    ? worth_while(*system, steps_of, likely_steps(start, steps))
                                    : request.backend;
        if (backend != Backend::interpret)
          observer.waits_for(backend == Backend::specialise ? "compiling the step"
                                                            : "compiling the formulas");
      }
      return machine(choice, start, steps, note);
    };
    const EndsCompilers stops([&observer] { return !observer.stop_reason().empty(); });
    check_events();
    if (from == nullptr) say_missed_times(*this, note);
    PoleWatch poles(model);
    const Thermostat* const thermostat = thermostat_of(model);
    RunRequest wanted = request;
    if (thermostat != nullptr) check_thermostat(wanted);
    RunSummary summary =
        run_mechanism(*mechanism, make, name, wanted, watched(), poles.watches() ? &poles : nullptr,
                      watches_events(model) ? &model : nullptr, observer, last_good, from);
    if (const auto with_time = name_with_time(*mechanism, request.method))
      note(fmt::format("with the time as one more coordinate, {} is called {}.", request.method, *with_time));
    for (const std::string& sentence : summary.warnings) note(sentence);
    summary.model = title();
    summary.options = repeating_options_of(*this).to_text();
    summary.stage_multiplier = shows_stage_multiplier();
    if (!shows_local_error()) summary.local_error.reset();
    summary.warnings = std::move(warnings);
    if (thermostat != nullptr) say_thermostat(*thermostat, summary);
    if (model.particles && model.particles->driving) summary.definition = driven_step;
    return summary;
  } catch (const ChoiceError& error) {
    refuse(error);
  } catch (const std::bad_alloc&) {
    throw out_of_memory(name, text);
  }
}

void ModelRun::check_precision() const {
  try {
    taut::check_precision(request, system.get(), chosen_method(*mechanism, name, request));
  } catch (const ChoiceError& error) {
    refuse(error);
  }
}

void ModelRun::refuse(const ChoiceError& error) const {
  const ModelError placed = placed_error(model, error);
  // What was typed needs no place.
  if (!model.places.contains(place_of(error)) || placed.line == 0 || is_asked(asked, error.key))
    throw ChoiceError(error);
  throw ModelFileError(placed);
}

namespace {

// `read_it` reads the model with what is set and what it may name.
template <class Read>
ModelRun run_of_text(std::string text, const std::string& name, const RunRequest& request,
                     const std::vector<std::string>& set, const Surroundings& around, Read read_it) {
  const std::vector<std::string> all = assignments(request, set);
  Surroundings known = around;
  static const std::vector<std::string> formulations = formulation_names();
  known.formulations = formulations;
  ReadModel read = read_it(all, known);
  const std::size_t wrong = read.errors.size();
  add_method_errors(read.model ? *read.model : read.draft, read.errors);
  if (read.model && read.errors.size() > wrong) {
    read.draft = std::move(*read.model);
    read.model.reset();
  }
  put_in_order(read.errors);
  if (!read.model) {
    add_choice_error(read, request);
    name_options({all.begin() + static_cast<std::ptrdiff_t>(set.size()), all.end()}, read.errors);
    throw ModelFileError(std::move(read.errors));
  }
  ModelRun run{.name = name,
               .model = std::move(*read.model),
               .request = {},
               .text = std::move(text),
               .asked = request,
               .set = set,
               .system = {},
               .mechanism = {}};
  run.request = request_of(run.model, run.model.run, request);
  if (run.model.particles) {
    run.mechanism = make_mechanism(run.model.particles, run.model.run.least_squares);
    return run;
  }
  run.system = compile(run.model);
  run.mechanism = make_mechanism(run.system);
  if (run.quantities().has("energies") && run.mechanism->tier() == Tier::hamiltonian)
    throw ModelFileError(run.model.error_at("output.quantities",
                                            "a kinetic energy of a Hamiltonian that is not ½ pᵀWp + V(q)",
                                            "leave out `energies`; the samples have H"));
  return run;
}

}  // namespace

namespace {

// Makes a run within the time that a model may take to be read.
template <class Make>
ModelRun made_in_time(const std::string& name, Make make) {
  const double seconds = reading_seconds();
  const ReadingTime limit(seconds);
  try {
    return make();
  } catch (const ReadingTimeError&) {
    throw InputError(fmt::format(
        "{}: reading the model took longer than {:g} s, and was ended.\n"
        "  Formulas with many names in common have many derivatives: write the sums shorter, or allow more "
        "time with TAUT_READING_SECONDS={:g}.",
        name, seconds, 10 * seconds));
  }
}

}  // namespace

ModelRun model_run(std::string text, const std::string& name, const RunRequest& request,
                   const std::vector<std::string>& set, const Surroundings& around) {
  return made_in_time(name, [&] {
    return run_of_text(text, name, request, set, around,
                       [&](const std::vector<std::string>& all, const Surroundings& known) {
                         return read_model(text, name, all, known);
                       });
  });
}

ModelRun model_run(const SourceTree& tree, const RunRequest& request, const std::vector<std::string>& set,
                   const Surroundings& around) {
  const SourceText& file = *tree.source;
  return made_in_time(file.name(), [&] {
    return run_of_text(file.text(), file.name(), request, set, around,
                       [&](const std::vector<std::string>& all, const Surroundings& known) {
                         return read_model(tree, all, known);
                       });
  });
}

Surroundings stored_files(const std::map<std::string, std::string>& files) {
  return {.file = [&files](const std::string& path) -> FoundText {
    const auto at = files.find(path);
    if (at == files.end()) return {{}, path, "the run has no such file"};
    return {at->second, path};
  }};
}

FoundModel find_model(const std::string& problem) {
  if (is_path(problem)) return {text_of_file(problem), files_beside(problem)};
  return {std::string(bundled_model(problem).text), bundled_files()};
}

ModelRun read_model_run(const std::string& problem, const RunRequest& request,
                        const std::vector<std::string>& set) {
  const FoundModel found = find_model(problem);
  try {
    return model_run(found.text, problem, request, set, found.around);
  } catch (const std::bad_alloc&) {
    throw out_of_memory(problem, found.text);
  }
}

}  // namespace taut
