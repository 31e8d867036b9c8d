#include <taut/backend/compiled_object.hpp>
#include <taut/backend/make_specialised.hpp>
#include <taut/backend/specialised.hpp>
#include <taut/backend/trajectory_start.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/mechanism/wide_start.hpp>
#include <taut/method/composition_numbers.hpp>
#include <taut/method/method_source.hpp>
#include <taut/model/code/emit.hpp>

#include <dlfcn.h>

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace taut {

namespace {

namespace fs = std::filesystem;

bool holds_taut(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "taut/backend/specialised_unit.hpp", ignored);
}

// Returns the file that holds this code: the program, or the shared library that another program has loaded.
fs::path own_file() {
  Dl_info found{};
  if (dladdr(reinterpret_cast<const void*>(&holds_taut), &found) == 0 || found.dli_fname == nullptr)
    return {};
  std::error_code error;
  fs::path file = fs::canonical(found.dli_fname, error);
  return error ? fs::read_symlink("/proc/self/exe", error) : file;
}

// Returns the folder of taut's headers: the one that $TAUT_INCLUDE names, the nearest `include` beside or
// above the installed program or library, or the one from which it was built. Libraries may stand deep below
// the prefix, in folders of their architecture and of a level of processors. Whoever may write above a
// library may replace the library, too.
std::optional<fs::path> include_folder() {
  if (const char* wanted = std::getenv("TAUT_INCLUDE"); wanted != nullptr)
    return holds_taut(wanted) ? std::optional<fs::path>(fs::absolute(wanted)) : std::nullopt;
  constexpr int deepest = 6;  // PREFIX/lib/ARCHITECTURE/taut/glibc-hwcaps/LEVEL
  fs::path above = own_file().parent_path();
  for (int k = 0; k < deepest && above.has_relative_path(); ++k) {
    above = above.parent_path();
    if (holds_taut(above / "include")) return above / "include";
  }
  if (holds_taut(TAUT_BUILT_FROM)) return fs::path(TAUT_BUILT_FROM);
  return std::nullopt;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// Asks whether both sides declare alike what crosses the border between the program and a unit.
bool same_border(const fs::path& headers) {
  std::istringstream border(TAUT_BORDER);
  for (std::string header, sum; border >> header >> sum;)
    if (sha256(bytes_of(headers / "taut" / header)) != sum) return false;
  return true;
}

// Returns a digest of every header that a unit may include: a changed header makes another object.
std::string digest(const fs::path& taut_headers) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(taut_headers / "taut"))
    if (entry.path().extension() == ".hpp") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  // Contains the version of Eigen, which need not be there if the unit was made elsewhere.
  if (level_of_units().empty()) files.push_back(fs::path(TAUT_EIGEN) / "Eigen/src/Core/util/Macros.h");
  Sha256 sum;
  for (const fs::path& file : files) {
    const std::string text = bytes_of(file);
    sum.add(fmt::format("{}:{}:", file.filename().string(), text.size())).add(text);
  }
  return sum.hex();
}

// Returns the function of a unit that makes its machine.
std::string maker_in_double(const std::string& state, const std::string& method) {
  return fmt::format(
      R"(#include <taut/backend/specialised_unit.hpp>
#include <taut/backend/trajectory_start.hpp>

using namespace taut;

extern "C" __attribute__((visibility("default")))
Machine* taut_make_machine(const double* q, const double* p, const SolveOptions* options) {{
  using P = SpecialisedModel<double>;
  using X = {}<double, P::n>;
  return make_specialised<P, X>({}, q, p, *options);
}}
)",
      state, method);
}
std::string maker_in(std::string_view scalar, const std::string& state, const std::string& method) {
  return fmt::format(
      R"(#include <taut/mechanism/wide_machine.hpp>

using namespace taut;

extern "C" __attribute__((visibility("default")))
Machine* taut_make_wide_machine(WideStart* start) {{
  using P = SpecialisedModel<{}>;
  using X = {}<{}, P::n>;
  return make_wide<P, X>({}, *start);
}}
)",
      scalar, state, scalar, method);
}

// Returns the same for a method that integrates a formulation. All words in it are names of taut's own lists.
std::string maker_of_formulation_in(std::string_view scalar, const std::string& state,
                                    const MethodChoice& choice) {
  const std::size_t open = choice.method.find('(');
  const std::string name = choice.method.substr(0, open);
  const std::string number =
      open == std::string::npos ? "0" : choice.method.substr(open + 1, choice.method.size() - open - 2);
  const OdeChoice& ode = *choice.ode;
  const Projection& projection = ode.projection;
  return fmt::format(
      R"(#include <taut/mechanism/wide_ode_machine.hpp>

using namespace taut;

struct Chosen {{
  static constexpr std::string_view formulation = "{}", method = "{}";
  static constexpr int number = {};
  static constexpr std::array<double, 2> numbers = {{{:.17g}, {:.17g}}};
  static constexpr Projection projection = {{ProjectionKind({}), {:.17g}, ProjectionMetric({}), ProjectionAlong({})}};
  static constexpr ChartRule charts = {{ChartKind({}), ChartSwitch({}), {:.17g}}};
}};

extern "C" __attribute__((visibility("default")))
Machine* taut_make_wide_machine(WideStart* start) {{
  using P = SpecialisedModel<{}>;
  return make_wide_ode<Chosen, P, {}<{}, P::n>>(*start);
}}
)",
      ode.formulation, name, number, ode.numbers[0], ode.numbers[1], static_cast<int>(projection.kind),
      projection.tolerance, static_cast<int>(projection.metric), static_cast<int>(projection.along),
      static_cast<int>(ode.charts.kind), static_cast<int>(ode.charts.change), ode.charts.threshold, scalar,
      state, scalar);
}

// Returns the functions of a unit that make machines of single trajectories and of several side by side.
std::string makers_of_trajectories(const std::string& state, const std::string& method, int lanes) {
  return fmt::format(
      R"(#include <taut/backend/specialised_lanes_unit.hpp>

using namespace taut;

extern "C" __attribute__((visibility("default")))
Machine* taut_make_trajectory(const TrajectoryStart* start) {{
  using P = SpecialisedModel<double>;
  return make_trajectory<P, {}>({}, *start);
}}
extern "C" __attribute__((visibility("default")))
LaneMachine* taut_make_lanes(const TrajectoryStart* start) {{
  using P = SpecialisedModel<Pack<{}>>;
  return make_lanes<P, {}>({}, *start);
}}
)",
      state, method, lanes, state, method);
}

// Returns the function of a unit that makes the steps of all slots: a kernel, or a loop.
std::string kernel_text(const std::string& state, const std::string& method, bool device,
                        bool own_constants) {
  const std::string take =
      own_constants ? "take_own<SpecialisedModel<double>>(s, job, index);" : "take_shared(s, constants);";
  const std::string steps = fmt::format(
      "  using P = SpecialisedModel<double>;\n  OnDevice<P> s;\n  {}\n"
      "  advance_slot<{}>({}, s, job, index);\n",
      take, state, method);
  const std::string begin = R"(#include <taut/mechanism/device_unit.hpp>

using namespace taut;

)";
  if (device)
    return begin + fmt::format(R"(extern "C" [[clang::nvptx_kernel]]
void taut_make_steps(DeviceJob job, SharedConstants<SpecialisedModel<double>> constants) {{
  const std::int64_t index =
      static_cast<std::int64_t>(__nvvm_read_ptx_sreg_ctaid_x()) * __nvvm_read_ptx_sreg_ntid_x() +
      __nvvm_read_ptx_sreg_tid_x();
  if (index >= job.slots) return;
{}}}
)",
                               steps);
  return begin + fmt::format(R"(static void make_step(const DeviceJob& job,
    const SharedConstants<SpecialisedModel<double>>& constants, std::int64_t index) {{
{}}}
extern "C" __attribute__((visibility("default")))
void taut_make_steps(const DeviceJob* job, const double* constants) {{
  SharedConstants<SpecialisedModel<double>> shared{{}};
  for (std::size_t k = 0; k < shared.count; ++k) shared.number[k] = constants[k];
  for (std::int64_t index = 0; index < job->slots; ++index) make_step(*job, shared, index);
}}
)",
                             steps);
}

Wide widened(Float128 x) {
  Wide parts{.high = static_cast<double>(x)};
  parts.middle = static_cast<double>(x - parts.high);
  parts.low = static_cast<double>(x - parts.high - parts.middle);
  return parts;
}

std::vector<Wide> widened(const std::vector<NamedFormula>& values) {
  std::vector<Wide> all;
  for (const NamedFormula& x : values) all.push_back(widened(x.value));
  return all;
}

// Returns the step with the digits that the model gives it, or those of the shortest decimal that is the
// nearest to the double.
Wide whole_step(const Model& model, double step) {
  if (static_cast<double>(model.run.whole_step) == step) return widened(model.run.whole_step);
  return widened(decimal(fmt::format("{}", std::abs(step))).value_or(std::abs(step)) * (step < 0 ? -1 : 1));
}

}  // namespace

UnitOfHeaders unit_of_headers(const std::string& text, std::vector<std::string> options) {
  const auto missing = [](std::string why) { return UnitOfHeaders{.missing = std::move(why)}; };
  if (text.empty()) return missing("this method is not specialised");
  const auto headers = include_folder();
  if (!headers)
    return missing("taut's headers are not found (set TAUT_INCLUDE to the folder that holds taut/)");
  if (!same_border(*headers))
    return missing(fmt::format("the headers in {} are not those of this program", headers->string()));
  options.insert(options.end(),
                 {"-std=c++20", "-DNDEBUG", "-DEIGEN_DONT_VECTORIZE", "-DEIGEN_MAX_ALIGN_BYTES=128"});
  return {.unit = {.text = text,
                   .options = std::move(options),
                   .folders = {"-I", headers->string(), "-isystem", TAUT_EIGEN},
                   .depends = digest(*headers)}};
}

namespace {

// Compiles a unit of taut's headers, or says why there is none.
CompiledObject compiled_unit(const std::string& text, const std::vector<std::string>& options) {
  const UnitOfHeaders made = unit_of_headers(text, options);
  if (!made.missing.empty()) return {.missing = made.missing};
  SourceUnit unit = made.unit;
  unit.options.emplace_back("-fno-tree-slp-vectorize");
  // clang flattens what a function calls, and not what this calls in turn: a step of lobatto(3) on the double
  // pendulum would take four times as long.
  unit.for_clang = {"-mllvm", "-inline-threshold=20000"};
  unit.libraries = {"-lquadmath"};
  return compiled_object(unit);
}

// Returns what a unit says before its model: the stop rule and the iteration of its runs and no other.
std::string rules_of(const SolveOptions& options, bool flattens) {
  std::string text =
      fmt::format("#define TAUT_SOLVES_BY taut::By<taut::{}, *taut::choice_named<taut::Iteration>(\"{}\")>\n",
                  options.tolerance > 0 ? "ToTolerance" : "ToRounding", name_of(options.iteration));
  if (!flattens) text += "#define TAUT_NO_FLATTEN\n";
  return text;
}
std::string method_headers(const MethodSource& source) {
  std::string text;
  for (const std::string& header : source.headers) text += fmt::format("#include <taut/method/{}>\n", header);
  return text;
}
std::string state_of(bool plain_updates) { return plain_updates ? "State" : "CompensatedState"; }

// The emitted text of a model has no second problem without its damping.
bool is_for_the_interpreter(const std::string& method) {
  return method.find("conformal") != std::string::npos;
}
constexpr const char* conformal_is_not = "the step of conformal is not specialised";
constexpr const char* redundant_are_not = "redundant constraints are solved by the interpreter's step";
constexpr const char* formulations_are_not = "methods that integrate a formulation are not specialised";

}  // namespace

std::string specialised_source(const Model& model, const std::string& method, const SolveOptions& options,
                               bool plain_updates, Precision precision) {
  const auto source = method_source(method);
  if (!source) return {};
  const bool wide = precision != Precision::double_precision;
  // The loop is flattened all the same. Long operations gain nothing by it.
  std::string text = rules_of(options, !source->short_steps && !wide);
  text += emit_bare_cpp(model, "SpecialisedModel", precision == Precision::quadruple);
  text += method_headers(*source);
  const std::string state = state_of(plain_updates);
  if (!wide) return text + maker_in_double(state, source->value);
  return text +
         maker_in(precision == Precision::quadruple ? "Float128" : "long double", state, source->value);
}

namespace {

std::string formulation_source(const Model& model, const MethodChoice& choice, const SolveOptions& options,
                               bool plain_updates, Precision precision) {
  const bool quadruple = precision == Precision::quadruple;
  return rules_of(options, false) + emit_bare_cpp(model, "SpecialisedModel", quadruple) +
         maker_of_formulation_in(quadruple ? "Float128" : "long double", state_of(plain_updates), choice);
}

}  // namespace

namespace {

struct UnitOfRun {
  std::string missing = {};  // why there is none, as a part of a sentence
  std::string object = {};
  void* make = nullptr;
};
UnitOfRun unit_of_run(const Model& model, const MethodChoice& choice, const SolveOptions& options,
                      bool plain_updates) {
  if (choice.ode) return {formulations_are_not};
  if (is_for_the_interpreter(choice.method)) return {conformal_is_not};
  if (model.run.least_squares) return {redundant_are_not};
  // These are the options with which CMakeLists.txt compiles our own programs, for the same reasons.
  const CompiledObject object =
      compiled_unit(specialised_source(model, choice.method, options, plain_updates), {"-O3"});
  if (object.handle == nullptr) return {object.missing};
  void* make = object.symbol("taut_make_machine");
  if (make == nullptr) return {"the compiled object does not make machines"};
  return {{}, object.key, make};
}
std::unique_ptr<Machine> machine_by(void* make, const PlainState& start, const SolveOptions& options) {
  return std::unique_ptr<Machine>(
      std::bit_cast<MakeSpecialised>(make)(start.q.data(), start.p.data(), &options));
}

}  // namespace

Specialised specialised_machine(const Model& model, const MethodChoice& choice, const PlainState& start,
                                const SolveOptions& options, bool plain_updates) try {
  UnitOfRun unit = unit_of_run(model, choice, options, plain_updates);
  if (!unit.missing.empty()) return {nullptr, std::move(unit.missing)};
  return {machine_by(unit.make, start, options), {}, std::move(unit.object)};
} catch (const fs::filesystem_error& error) {
  return {nullptr, error.what()};
}

SpecialisedTrajectories specialised_trajectories(const Model& model, const MethodChoice& choice,
                                                 const SolveOptions& options, bool plain_updates,
                                                 int lanes) try {
  if (choice.ode) return {.missing = formulations_are_not};
  if (is_for_the_interpreter(choice.method)) return {.missing = conformal_is_not};
  if (model.run.least_squares) return {.missing = redundant_are_not};
  const auto source = method_source(choice.method);
  if (!source) return {.missing = "this method is not specialised"};
  const auto one_at_a_time = [&]() -> SpecialisedTrajectories {
    UnitOfRun unit = unit_of_run(model, choice, options, plain_updates);
    return {.missing = std::move(unit.missing), .object = std::move(unit.object), .make_alone = unit.make};
  };
  auto emitted = emit_table_cpp(model, "SpecialisedModel");
  // Side by side, steps of dirac-gauss(s) are more than a compiler gets through within its limit of time.
  // nonholonomic is no method for steps side by side.
  const auto uses = [&](const char* name) { return choice.method.find(name) != std::string::npos; };
  if (!emitted || uses("dirac-gauss") || uses("nonholonomic")) return one_at_a_time();
  const CompiledObject object =
      compiled_unit(rules_of(options, !source->short_steps) + emitted->text + method_headers(*source) +
                        makers_of_trajectories(state_of(plain_updates), source->value, lanes),
                    {"-O3"});
  // The unit of a run is smaller, and may compile where this one does not.
  if (object.handle == nullptr) return one_at_a_time();
  return {.object = object.key,
          .formulas = std::move(emitted->text),
          .numbers = std::move(emitted->numbers),
          .make_machine = object.symbol("taut_make_trajectory"),
          .make_lanes = object.symbol("taut_make_lanes")};
} catch (const fs::filesystem_error& error) {
  return {.missing = error.what()};
}

namespace {

std::string row_of(const std::vector<double>& numbers) {
  std::string row;
  for (const double x : numbers) row += fmt::format("{}{:a}", row.empty() ? "" : ", ", x);
  return row;
}
// Returns the type that a kernel makes the steps of a composition by, with the numbers of its scheme.
std::string composition_on_device(const CompositionNumbers& numbers) {
  std::string rows;
  for (const std::vector<double>& row : numbers.weights) rows += fmt::format("    {{{}}},\n", row_of(row));
  return fmt::format(R"(#include <taut/mechanism/device_composition.hpp>
struct DeviceScheme {{
  static constexpr double gamma[] = {{{}}};
  static constexpr taut::GuessWeights::Row weights[] = {{
{}  }};
}};
)",
                     row_of(numbers.gamma), rows);
}

}  // namespace

std::string device_source(const Model& model, const std::string& method, const SolveOptions& options,
                          bool plain_updates, UnitTarget target, bool own_constants) {
  const auto source = method_source(method);
  auto emitted = emit_table_cpp(model, "SpecialisedModel");
  if (!source || !emitted) return {};
  const bool device = target == UnitTarget::device;
  std::string text = device ? "#include <taut/backend/device_prelude.hpp>\n" : "";
  text += rules_of(options, device || !source->short_steps) + emitted->text;
  const auto numbers = composition_numbers(method);
  text += numbers ? composition_on_device(*numbers) : method_headers(*source);
  const std::string value = numbers ? "DeviceComposition<DeviceScheme>{}" : source->value;
  return text + kernel_text(state_of(plain_updates), value, device, own_constants);
}

std::optional<std::vector<double>> SpecialisedTrajectories::numbers_of(const Model& model) const {
  auto emitted = emit_table_cpp(model, "SpecialisedModel");
  if (!emitted || emitted->text != formulas) return std::nullopt;
  return std::move(emitted->numbers);
}

namespace {

TrajectoryStart trajectory_start(const std::vector<double>& numbers, const PlainState& x,
                                 const SolveOptions& options) {
  return {numbers.data(), x.q.data(), x.p.data(), numbers.size(), &options};
}

}  // namespace

std::unique_ptr<Machine> SpecialisedTrajectories::machine(const std::vector<double>& of,
                                                          const PlainState& start,
                                                          const SolveOptions& options) const {
  if (make_alone != nullptr) return machine_by(make_alone, start, options);
  const TrajectoryStart from = trajectory_start(of, start, options);
  return std::unique_ptr<Machine>(std::bit_cast<MakeTrajectory>(make_machine)(&from));
}

std::unique_ptr<LaneMachine> SpecialisedTrajectories::lanes(const PlainState& start,
                                                            const SolveOptions& options) const {
  if (make_lanes == nullptr) return nullptr;
  const TrajectoryStart from = trajectory_start(numbers, start, options);
  return std::unique_ptr<LaneMachine>(std::bit_cast<MakeLanes>(make_lanes)(&from));
}

WideMachine wide_machine(const Model& model, const MethodChoice& choice, const SolveOptions& options,
                         Precision precision, bool plain_updates, bool project_start, double step) try {
  if (choice.ode && choice.ode->formulation.starts_with("parametrised"))
    return {.missing = "the [parametrisation] of a model is there in double precision only"};
  // The operations of 128-bit floats are calls, which a compiler cannot make faster.
  const CompiledObject object =
      compiled_unit(choice.ode ? formulation_source(model, choice, options, plain_updates, precision)
                               : specialised_source(model, choice.method, options, plain_updates, precision),
                    {precision == Precision::quadruple ? "-O1" : "-O2"});
  if (object.handle == nullptr) return {.missing = object.missing};
  const auto make = std::bit_cast<MakeWide>(object.symbol("taut_make_wide_machine"));
  if (make == nullptr) return {.missing = "the compiled object does not make machines"};
  const std::vector<Wide> q = widened(model.q), p = widened(model.p);
  WideStart start{.q = q.data(),
                  .p = p.data(),
                  .step = whole_step(model, step),
                  .project = project_start,
                  .options = &options};
  WideMachine made{.machine = std::unique_ptr<Machine>(make(&start)), .object = object.key};
  if (!made.machine) made.failure = start.failure;
  if (project_start) made.moved = start.moved;
  return made;
} catch (const fs::filesystem_error& error) {
  return {.missing = error.what()};
}

}  // namespace taut
