#include <taut/backend/backend.hpp>
#include <taut/backend/ends_compilers.hpp>
#include <taut/ensemble/ensemble.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/model/lane_constants.hpp>
#include <taut/model/particles/particle_model.hpp>
#include <taut/model/text/tree.hpp>
#include <taut/run/model_of_tree.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_set>
#include <utility>

namespace taut {

namespace {

// Returns the place of a coordinate or a momentum in (q, p); nothing if the name is that of a parameter.
std::optional<std::size_t> place_in_start(const ModelRun& run, const std::string& name) {
  if (run.model.particles) return std::nullopt;
  const std::vector<std::string> names = run.columns();
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<std::size_t>(at - names.begin());
}

bool is_velocity(const Model& model, const std::string& name) {
  const auto has_name = [&](const NamedFormula& x) { return x.name == name; };
  return name.starts_with("v_") && contains(model.coordinates, name.substr(2)) &&
         !contains(model.coordinates, name) && !contains(model.free_coordinates, name) &&
         std::none_of(model.parameters.begin(), model.parameters.end(), has_name);
}

// Returns the name of a velocity or of a momentum, by its first letters, to which [initial] gives a value.
std::string given_at_start(const Model& model, const std::string& letters) {
  for (const std::string& x : model.coordinates)
    if (model.places.contains("initial." + letters + x)) return letters + x;
  return {};
}
// Does the same for names that vary.
std::string varies_at_start(const Ensemble& e, const std::string& letters) {
  const std::vector<std::string>& q = e.run.model.coordinates;
  for (const std::string& name : e.variations.names())
    if (name.starts_with(letters) && contains(q, name.substr(letters.size())) && !contains(q, name))
      return name;
  return {};
}
bool all_momenta_vary(const Ensemble& e) {
  const std::vector<std::string>&q = e.run.model.coordinates, &names = e.variations.names();
  const std::unordered_set<std::string> vary(names.begin(), names.end());
  return std::all_of(q.begin(), q.end() - (e.run.model.dynamics.timed ? 1 : 0),
                     [&](const std::string& x) { return vary.contains("p_" + x); });
}

// A start is given by momenta or by velocities. Momenta that all vary replace the velocities of the model.
void check_start_names(const Ensemble& e) {
  const std::string v = varies_at_start(e, "v_"), p = varies_at_start(e, "p_"),
                    model_v = given_at_start(e.run.model, "v_"), model_p = given_at_start(e.run.model, "p_");
  if (!v.empty() && !p.empty())
    throw InputError(fmt::format("{} and {} vary, a velocity and a momentum: give one or the other.",
                                 ticked(v), ticked(p)));
  if (!v.empty() && !model_p.empty())
    throw InputError(fmt::format(
        "{} varies, and the start of the model has the momentum {}: let momenta vary, or give the "
        "start velocities.",
        ticked(v), ticked(model_p)));
  if (!p.empty() && !model_v.empty() && !all_momenta_vary(e))
    throw InputError(
        fmt::format("{} varies, and the start of the model has the velocity {}: let velocities vary, or all "
                    "momenta.",
                    ticked(p), ticked(model_v)));
}

// Asks whether numbers of the start are computed from others that vary: momenta from velocities, which a
// coordinate may change too, or coordinates from those of a parametrisation.
bool start_is_computed(const Ensemble& e) {
  const bool of_velocities = !varies_at_start(e, "v_").empty() || !given_at_start(e.run.model, "v_").empty();
  return e.run.model.parametrisation || (of_velocities && !all_momenta_vary(e));
}

void put_names(Ensemble& e) {
  const std::vector<std::string> state = e.run.columns();
  const std::vector<std::string> more = e.run.quantities().columns(e.run.coordinates());
  e.columns = state;
  for (const char* name : {"t", "H0", "H", "max|H-H0|", "max|g|", "max|G H_p|", "moved q", "moved p"})
    e.columns.emplace_back(name);
  e.columns.insert(e.columns.end(), more.begin(), more.end());
  for (std::size_t k = 0; k < e.is_start.size(); ++k)
    e.columns.push_back(e.variations.names()[k] + (e.is_start[k] ? "(0)" : ""));
  if (!e.samples) return;
  e.sample_columns = {"t"};
  e.sample_columns.insert(e.sample_columns.end(), state.begin(), state.end());
  for (const char* name : {"H", "|g|", "|G H_p|"}) e.sample_columns.emplace_back(name);
  e.sample_columns.insert(e.sample_columns.end(), more.begin(), more.end());
}

void check_request(const ModelRun& run) {
  for (const EventRule& event : run.model.dynamics.events)
    if (event.action != EventRule::Action::record)
      throw InputError(
          fmt::format("an ensemble does not stop or reflect at events, and the model has one, `{}`. Leave "
                      "the event out, or use "
                      "`taut run`.",
                      event.name));
  if (run.model.particles && run.model.particles->thermostat)
    throw InputError(
        "the trajectories of an ensemble would all have the same random forces, and the model has a "
        "[thermostat]. Use `taut run` with another thermostat.seed for each.");
  const RunRequest& request = run.request;
  if (request.precision != Precision::double_precision)
    throw InputError(fmt::format(
        "ensembles are computed in double precision, not in {}.\n  `taut run` has the other precisions.",
        name_of(request.precision)));
  if (run.shows_stage_multiplier() || run.shows_local_error())
    throw InputError(
        "ensembles show the multiplier of the continuous equations, and no estimates of the local error.\n  "
        "`--set output.lambda=continuous --set output.local-error=none` leaves aside what the model says.");
}

std::unique_ptr<const Mechanism> mechanism_of(const ModelRun& run) {
  if (run.system) return make_mechanism(run.system);
  return make_mechanism(run.model.particles, run.model.run.least_squares);
}

// Reads the model with the values of one trajectory: those of its start too if `with_start`. Throws what
// model_run throws.
std::shared_ptr<const ModelRun> model_with(const Ensemble& e, const std::vector<double>& values,
                                           bool with_start) {
  std::vector<std::string> set = e.run.set;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (with_start || !e.is_start[k]) set.push_back(fmt::format("{}={}", e.variations.names()[k], values[k]));
  return std::make_shared<const ModelRun>(model_run(*e.tree, e.run.asked, set, stored_files(*e.files)));
}

// Keeps what reading the model again and again need not find again. The table of starts may be long, and is
// not asked for once the variations have been made.
void prepare_to_read(Ensemble& e) {
  e.tree = source_tree(e.run.name, e.run.text);
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : e.run.model.files)
    files[path] = path == e.run.model.ensemble.table ? "" : text->text();
  e.files = std::make_shared<const std::map<std::string, std::string>>(std::move(files));
}

// Returns the model of one of a few trajectories, whose formulas have the shape of most of them. The model as
// it is written may have another shape: a parameter that is 1 there, and no other number in the trajectories.
std::shared_ptr<const ModelRun> typical_model(const Ensemble& e) {
  std::vector<std::shared_ptr<const ModelRun>> found;
  std::vector<double> values(e.variations.names().size());
  for (const std::int64_t index : {e.size() / 2, e.size() / 3, std::int64_t{0}, e.size() - 1}) {
    e.variations.values(index, values);
    try {
      found.push_back(model_with(e, values, e.start_is_computed));
    } catch (const InputError&) {  // it will be refused when its turn comes
      continue;
    }
  }
  std::shared_ptr<const ModelRun> best;
  std::ptrdiff_t most = 0;
  for (const auto& one : found) {
    const auto alike = std::count_if(found.begin(), found.end(), [&](const auto& other) {
      return one->system && other->system && same_shape(*one->system, *other->system);
    });
    if (best && alike <= most) continue;
    best = one;
    most = alike;
  }
  return best;
}

// Asks whether one trajectory as long as all of them together would have its step specialised, and these have
// not, because each of them is short.
bool gains_by_another_backend(const Ensemble& e) {
  constexpr std::int64_t most = std::int64_t{1} << 60;
  const std::int64_t each = std::max<std::int64_t>(1, e.schedule.steps);
  const std::int64_t steps = e.size() > most / each ? most : e.size() * each;
  return e.run.system && e.run.request.backend == Backend::automatic &&
         e.machines->used().backend != Backend::specialise &&
         worth_while(*e.run.system, e.method.choice, steps) == Backend::specialise;
}

}  // namespace

int Ensemble::samples_each() const {
  if (!samples) return 0;
  return static_cast<int>(1 + schedule.steps / schedule.every + (schedule.steps % schedule.every != 0));
}

Ensemble make_ensemble(ModelRun run, const VaryRequest& vary, const EnsembleOptions& options) {
  check_request(run);
  Variations variations(run.model, vary);
  Ensemble e{.run = std::move(run),
             .variations = std::move(variations),
             .schedule = {},
             .method = {},
             .typical = {},
             .machines = {},
             .tree = {},
             .files = {},
             .note = {},
             .samples = options.samples,
             .claims_no_drift = false,
             .is_start = {},
             .start_is_computed = false,
             .columns = {},
             .sample_columns = {}};
  e.schedule = schedule_of(e.run.request);
  if (e.schedule.varies)
    throw InputError(
        "the trajectories of an ensemble take steps of one size, and those of adaptive(M) and of a time "
        "transform differ. Choose another method, and leave the transform out.");
  for (const std::string& name : e.variations.names())
    e.is_start.push_back(place_in_start(e.run, name).has_value() || is_velocity(e.run.model, name));
  check_start_names(e);
  e.start_is_computed = start_is_computed(e);
  try {
    e.method.choice = chosen_method(*e.run.mechanism, e.run.name, e.run.request);
    e.claims_no_drift =
        claims_no_drift(claims_of(e.method.choice, *e.run.mechanism), e.run.mechanism->constraints());
    e.method.options = solve_options(e.run.request);
    e.method.request = e.run.request;
    e.method.step = e.schedule.step;
    e.method.steps = e.schedule.steps;
    e.method.other_parameters = std::find(e.is_start.begin(), e.is_start.end(), false) != e.is_start.end();
    e.method.lanes = options.lanes;
    e.method.device = options.device;
    if (e.reads_models()) prepare_to_read(e);
    if (e.method.other_parameters) e.typical = typical_model(e);
    const ModelRun& base = e.typical ? *e.typical : e.run;
    const EndsCompilers stops([&] { return options.wants_to_stop && options.wants_to_stop(); });
    MadeEnsembleMachines made = ensemble_machines({&base.model, base.system, base.mechanism.get()},
                                                  base.mechanism->start(), e.method);
    e.machines = std::move(made.machines);
    e.note = std::move(made.note);
    if (e.note.empty() && gains_by_another_backend(e))
      e.note =
          "the length of one trajectory decides how steps are made, so that an ensemble that grows keeps its "
          "digits. For so many, --backend specialise is faster, and agrees to rounding.";
  } catch (const ChoiceError& error) {
    e.run.refuse(error);
  }
  put_names(e);
  return e;
}

Trajectories::Trajectories(const Ensemble& ensemble)
    : ensemble_(ensemble), mechanism_(mechanism_of(ensemble.run)), quantities_(ensemble.run.quantities()) {
  for (const std::string& name : ensemble.variations.names())
    places_.push_back(place_in_start(ensemble.run, name));
}

ReadyTrajectory Trajectories::ready(std::int64_t index) {
  const Ensemble& e = ensemble_;
  ReadyTrajectory t{.index = index};
  t.values.resize(e.variations.names().size());
  e.variations.values(index, t.values);
  t.start = mechanism_->start();  // if the model cannot be read
  try {
    if (e.reads_models()) {
      read(t);
    } else {
      t.model = {&e.run.model, e.run.system, mechanism_.get()};
      t.constants = e.machines->constants(t.model);
    }
    if (!e.start_is_computed) place(t);
    ReadyStart start = ready_start(*t.model.mechanism, e.run.name, e.method.choice,
                                   e.run.request.project_start, t.start, e.run.request.precision);
    t.start = std::move(start.x);
    t.moved = start.moved;
  } catch (const InputError& error) {
    t.refusal = error.what();
  }
  return t;
}

// A run reads -0 as 0.
void Trajectories::place(ReadyTrajectory& t) const {
  const auto n = static_cast<std::size_t>(mechanism_->coordinates());
  for (std::size_t k = 0; k < t.values.size(); ++k)
    if (const auto at = places_[k])
      (*at < n ? t.start.q[*at] : t.start.p[*at - n]) = t.values[k] == 0 ? 0 : t.values[k];
}

void Trajectories::read(ReadyTrajectory& t) {
  const Known known = model_of(t.values);
  t.own = known.run;
  if (t.own->mechanism->coordinates() != mechanism_->coordinates())
    throw InputError("the trajectory has another number of coordinates than the model as it is written.");
  t.model = {&t.own->model, t.own->system, t.own->mechanism.get()};
  t.constants = known.constants;
  t.start = t.own->mechanism->start();
}

Trajectories::Known Trajectories::model_of(const std::vector<double>& values) {
  constexpr std::size_t most_known = 256;
  const bool with_start = ensemble_.start_is_computed;
  std::vector<std::int64_t> key;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (with_start || !ensemble_.is_start[k]) key.push_back(std::bit_cast<std::int64_t>(values[k]));
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  Known made;
  try {
    made.run = model_with(ensemble_, values, with_start);
  } catch (const InputError&) {
    // With these parameters the start of the model as it is written may be no start.
    if (with_start) throw;
    made.run = model_with(ensemble_, values, true);
    key.clear();
  }
  made.constants =
      ensemble_.machines->constants({&made.run->model, made.run->system, made.run->mechanism.get()});
  if (key.empty()) return made;
  if (known_.size() == most_known) known_.clear();
  return known_.emplace(std::move(key), made).first->second;
}

}  // namespace taut
