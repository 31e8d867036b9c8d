#include <taut/ensemble/ensemble.hpp>
#include <taut/mechanism/make_mechanism.hpp>
#include <taut/model/formula_system.hpp>
#include <taut/model/lane_constants.hpp>
#include <taut/model/particles/particle_model.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

// Reads the model with the values of one trajectory. Throws what model_run throws.
std::shared_ptr<const ModelRun> model_with(const ModelRun& run, const std::vector<std::string>& names,
                                           const std::vector<double>& values) {
  std::vector<std::string> set = run.set;
  for (std::size_t k = 0; k < values.size(); ++k) set.push_back(fmt::format("{}={}", names[k], values[k]));
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : run.model.files) files[path] = text->text();
  return std::make_shared<const ModelRun>(model_run(run.text, run.name, run.asked, set, stored_files(files)));
}

// Returns the model of one of a few trajectories, whose formulas have the shape of most of them. The model as
// it is written may have another shape: a parameter that is 1 there, and no other number in the trajectories.
std::shared_ptr<const ModelRun> typical_model(const Ensemble& e) {
  std::vector<std::shared_ptr<const ModelRun>> found;
  std::vector<double> values(e.variations.names().size());
  for (const std::int64_t index : {e.size() / 2, e.size() / 3, std::int64_t{0}, e.size() - 1}) {
    e.variations.values(index, values);
    try {
      found.push_back(model_with(e.run, e.variations.names(), values));
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
             .note = {},
             .samples = options.samples,
             .claims_no_drift = false,
             .is_start = {},
             .columns = {},
             .sample_columns = {}};
  e.schedule = schedule_of(e.run.request);
  if (e.schedule.varies)
    throw InputError(
        "the trajectories of an ensemble take steps of one size, and those of adaptive(M) and of a time "
        "transform differ. Choose another method, and leave the transform out.");
  for (const std::string& name : e.variations.names())
    e.is_start.push_back(place_in_start(e.run, name).has_value());
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
    if (e.method.other_parameters) e.typical = typical_model(e);
    const ModelRun& base = e.typical ? *e.typical : e.run;
    MadeEnsembleMachines made = ensemble_machines({&base.model, base.system, base.mechanism.get()},
                                                  base.mechanism->start(), e.method);
    e.machines = std::move(made.machines);
    e.note = std::move(made.note);
  } catch (const ChoiceError& error) {
    e.run.refuse(error);
  }
  put_names(e);
  return e;
}

Trajectories::Trajectories(const Ensemble& ensemble)
    : ensemble_(ensemble), mechanism_(mechanism_of(ensemble.run)), quantities_(ensemble.run.quantities()) {}

ReadyTrajectory Trajectories::ready(std::int64_t index) const {
  const Ensemble& e = ensemble_;
  ReadyTrajectory t{.index = index};
  t.values.resize(e.variations.names().size());
  e.variations.values(index, t.values);
  try {
    if (e.method.other_parameters)
      read(t);
    else
      place(t);
    ReadyStart start =
        ready_start(*t.model.mechanism, e.run.name, e.method.choice, e.run.request.project_start, t.start);
    t.start = std::move(start.x);
    t.moved = start.moved;
  } catch (const InputError& error) {
    t.refusal = error.what();
  }
  return t;
}

void Trajectories::place(ReadyTrajectory& t) const {
  const Ensemble& e = ensemble_;
  t.model = {&e.run.model, e.run.system, mechanism_.get()};
  t.start = mechanism_->start();
  const auto n = static_cast<std::size_t>(mechanism_->coordinates());
  for (std::size_t k = 0; k < t.values.size(); ++k) {
    const std::size_t at = *place_in_start(e.run, e.variations.names()[k]);
    (at < n ? t.start.q[at] : t.start.p[at - n]) = t.values[k];
  }
}

void Trajectories::read(ReadyTrajectory& t) const {
  t.start = mechanism_->start();  // if the model cannot be read
  t.own = model_with(ensemble_.run, ensemble_.variations.names(), t.values);
  if (t.own->mechanism->coordinates() != mechanism_->coordinates())
    throw InputError("the trajectory has another number of coordinates than the model as it is written.");
  t.model = {&t.own->model, t.own->system, t.own->mechanism.get()};
  t.start = t.own->mechanism->start();
}

}  // namespace taut
