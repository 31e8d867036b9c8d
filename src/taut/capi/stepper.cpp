// One step at a time.
#include <taut/bytes/carry.hpp>
#include <taut/bytes/sha256.hpp>
#include <taut/mechanism/mechanism.hpp>
#include <taut/run/run_mechanism.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "border.hpp"
#include "open_model.hpp"
#include "views.hpp"

struct taut_stepper {
  taut_stepper(const std::shared_ptr<taut::capi::OpenModel>& open, const taut::capi::Options& options)
      : model(open->reading(options)) {}

  taut::capi::OpenModel::Lease model;
  taut::MethodChoice choice;
  std::unique_ptr<taut::Machine> machine;
  taut::BackendUse used;
  std::optional<taut::Tally> tally;
  double h = 0;
  std::int64_t before = 0;  // steps before the last restart
  std::string key;          // what the steps are a function of
  std::vector<double> q, p;
  std::array<double, 1> t{}, energy{};
  std::array<double, 2> residual{};
};

namespace taut::capi {

namespace {

constexpr std::string_view save_mark = "taut stepper 1\n";
constexpr std::size_t digest_size = 64;
constexpr const char* without_events = "without-events";

// No number of steps is known beforehand: the drift is not looked at.
constexpr std::int64_t any_length = 0;

void show(taut_stepper& s) {
  s.q.assign(s.machine->q().begin(), s.machine->q().end());
  s.p.assign(s.machine->p().begin(), s.machine->p().end());
  s.t[0] = static_cast<double>(s.before + s.tally->steps) * s.h;
  s.energy[0] = s.tally->now.energy;
  s.residual = {s.tally->now.position, s.tally->now.momentum};
}

std::unique_ptr<Machine> machine_at(taut_stepper& s, const PlainState& x, BackendUse* used) {
  const ModelRun& run = *s.model;
  const ReadyStart start = ready_start(*run.mechanism, run.name, s.choice, run.request.project_start, x);
  MadeMachine made = run.machine(s.choice, start.x, 0, [](const std::string&) {});
  if (!made.machine) throw InputError("plain-updates does not work with " + s.choice.label() + ".");
  if (used != nullptr) *used = made.used;
  return std::move(made.machine);
}

void begin(taut_stepper& s, std::unique_ptr<Machine> machine) {
  s.machine = std::move(machine);
  s.tally.emplace(s.machine->read(), any_length);
  s.tally->stops_at_jumps = !s.model->request.warn_at_jumps;
  show(s);
}

// Begins at the last good state, because a step that failed may leave the memory of its method beyond it.
void begin_again(taut_stepper& s) {
  const std::int64_t made = s.before + s.tally->steps;
  begin(s, machine_at(s, {s.q, s.p}, nullptr));
  s.before = made;
  show(s);
}

// Says what the steps are a function of, so that bytes of another stepper are refused.
std::string key_of(const taut_stepper& s, const OpenModel& open) {
  Sha256 sum;
  const auto add = [&sum](std::string_view text) { sum.add(text).add("\n"); };
  add(open.text());
  for (const std::string& one : s.model->set) add(one);
  add(s.choice.method);
  if (s.choice.ode) add(s.choice.ode->written());
  add(fmt::format("{} {} {}", s.h, s.model->request.tolerance, name_of(s.model->request.solver)));
  add(fmt::format("{} {}", s.model->request.plain_updates, name_of(s.model->request.precision)));
  if (s.used.backend == Backend::specialise) add(s.used.object);
  return sum.hex();
}

// Tells whether the caller knows that the model's events are not looked for. Events of the call itself are
// refused all the same.
bool leaves_out_events(const Options& options) {
  bool leaves_out = false;
  for (const JsonMember& other : options.others) leaves_out = truth_at(other.key, other.value);
  return leaves_out;
}

std::unique_ptr<taut_stepper> make_stepper(taut_model* model, const char* options_json) {
  Options options = read_options(options_json, {without_events});
  if (!options.request.out.empty()) throw InputError("a stepper keeps no folder: leave out `out`.");
  // The model's end of a run is none of a stepper's, which may go back.
  if (!options.request.until && !options.request.steps) options.request.steps = any_length;
  auto s = std::make_unique<taut_stepper>(model->open, options);
  const ModelRun& run = *s->model;
  if (leaves_out_events(options))
    refuse_asked_events(options, "a stepper");
  else
    refuse_events(options, run, "a stepper");
  try {
    const Schedule schedule = schedule_of(run.request);
    s->h = schedule.step;
    if (schedule.varies)
      throw InputError(
          "a stepper takes steps of one size, and those of adaptive(M) or a time transform differ: use a "
          "run.");
    s->choice = chosen_method(*run.mechanism, run.name, run.request);
    begin(*s, machine_at(*s, run.request.start.value_or(run.mechanism->start()), &s->used));
  } catch (const ChoiceError& error) {
    run.refuse(error);
  }
  s->key = key_of(*s, *model->open);
  return s;
}

int make_steps(taut_stepper& s, std::int64_t n) {
  if (n < 0) throw CallError(fmt::format("{} steps cannot be made; give a negative step to go back.", n));
  if (s.tally->failed()) begin_again(s);
  Tally& tally = *s.tally;
  const std::int64_t end = tally.steps + n;
  const ModelRun& run = *s.model;
  while (tally.steps < end && !tally.failed()) {
    s.machine->advance(s.h, end - tally.steps, tally);
    if (tally.failed() && run.request.halve_on_failure) s.machine->advance_by_halves(s.h, tally);
  }
  show(s);
  if (!tally.failed()) return TAUT_OK;
  const std::string sentence =
      sentence_of(tally, *run.mechanism, *s.machine, s.choice, run.request, s.h, "", "in the stepper");
  const RunFailure failure = failure_of(tally, *run.mechanism, s.h);
  try {
    begin_again(s);
  } catch (const InputError&) {
    // A function of the caller that fails has no values here either; the next call begins again.
  }
  return remember(TAUT_FAILED, "failed", sentence,
                  Json::object({{"failure", failure.kind},
                                {"residual", failure.residual},
                                {"constraint", failure.constraint},
                                {"time", s.t[0]}}));
}

Json summary_of(const taut_stepper& s) {
  const Tally& tally = *s.tally;
  const double mean =
      tally.steps > 0 ? static_cast<double>(tally.iterations) / static_cast<double>(tally.steps) : 0.0;
  return Json::object(
      {{"method", s.choice.label()},
       {"step", s.h},
       {"steps", s.before + tally.steps},
       {"time", s.t[0]},
       {"backend", name_of(s.used.backend)},
       {"energy", Json::object({{"initial", tally.first.energy},
                                {"final", tally.now.energy},
                                {"max_error", tally.energy_error}})},
       {"residual",
        Json::object({{"position_max", tally.position_max}, {"momentum_max", tally.momentum_max}})},
       {"newton", Json::object({{"iterations_mean", mean}, {"iterations_max", tally.iterations_max}})},
       {"gradients", tally.gradients}});
}

std::string saved(taut_stepper& s) {
  if (s.tally->failed()) begin_again(s);
  Carry c;
  s.tally->carry(c);
  const std::string machine = s.machine->save();
  std::string bytes(save_mark);
  bytes += s.key;
  for (const std::uint64_t number : {static_cast<std::uint64_t>(s.before), std::uint64_t{c.bytes().size()}})
    for (int k = 0; k < 64; k += 8) bytes.push_back(static_cast<char>(number >> k & 0xff));
  bytes += c.bytes();
  bytes += machine;
  return bytes + sha256(bytes);
}

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (int k = 7; k >= 0; --k)
    number = number << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(k)]);
  return number;
}

void restore(taut_stepper& s, std::string_view bytes) {
  constexpr std::size_t head = save_mark.size() + digest_size + 16;
  if (bytes.size() < head + digest_size || !bytes.starts_with(save_mark))
    throw InputError("these are not the bytes of a stepper.");
  const std::string_view body = bytes.substr(0, bytes.size() - digest_size);
  if (sha256(body) != bytes.substr(body.size()))
    throw InputError("the bytes of the stepper are damaged: their checksum is not that of their content.");
  if (body.substr(save_mark.size(), digest_size) != s.key)
    throw InputError(
        "the bytes are those of a stepper of another model, method or step: make one with the same text and "
        "options, and restore that.");
  const auto before = static_cast<std::int64_t>(number_in(body.substr(save_mark.size() + digest_size)));
  const std::uint64_t size = number_in(body.substr(save_mark.size() + digest_size + 8));
  if (size > body.size() - head) throw InputError("the bytes of the stepper do not fit together.");
  Tally tally = *s.tally;
  Carry c(body.substr(head, size));
  tally.carry(c);
  auto machine = machine_at(s, {s.q, s.p}, nullptr);
  if (!c.complete() || !machine->restore(body.substr(head + size)))
    throw InputError("the bytes of the stepper do not fit this model and method.");
  s.machine = std::move(machine);
  *s.tally = tally;
  s.before = before;
  show(s);
}

void view_of(taut_stepper& s, std::string_view name, taut_view& view) {
  if (name == "q") return set_view(view, s.q.data(), s.q.size());
  if (name == "p") return set_view(view, s.p.data(), s.p.size());
  if (name == "t") return set_view(view, s.t.data(), 1);
  if (name == "energy") return set_view(view, s.energy.data(), 1);
  if (name == "residual") return set_view(view, s.residual.data(), 2);
  throw CallError(fmt::format("a stepper has no {}: q, p, t, energy or residual.", ticked(name)));
}

void restart(taut_stepper& s) {
  const PlainState asked{s.q, s.p};
  try {
    auto machine = machine_at(s, asked, nullptr);
    const std::int64_t before = s.before + s.tally->steps;
    begin(s, std::move(machine));
    s.before = before;
    show(s);
  } catch (...) {
    show(s);
    throw;
  }
}

}  // namespace

}  // namespace taut::capi

using namespace taut::capi;

int taut_stepper_new(taut_model* model, const char* options_json, taut_stepper** stepper) {
  return guarded([&] {
    need(stepper, "stepper");
    *stepper = nullptr;
    need(model, "model");
    *stepper = make_stepper(model, options_json).release();
    return TAUT_OK;
  });
}

void taut_stepper_free(taut_stepper* stepper) { delete stepper; }

int taut_stepper_step(taut_stepper* stepper, int64_t n) {
  return guarded([&] {
    need(stepper, "stepper");
    return make_steps(*stepper, n);
  });
}

int taut_stepper_view(taut_stepper* stepper, const char* name, taut_view* view) {
  return guarded([&] {
    need(stepper, "stepper");
    need(name, "name");
    need(view, "view");
    taut::capi::view_of(*stepper, name, *view);
    return TAUT_OK;
  });
}

int taut_stepper_restart(taut_stepper* stepper) {
  return guarded([&] {
    need(stepper, "stepper");
    taut::capi::restart(*stepper);
    return TAUT_OK;
  });
}

int taut_stepper_summary(taut_stepper* stepper, char** json) {
  return guarded([&] {
    need(stepper, "stepper");
    need(json, "json");
    *json = handed_out(taut::capi::summary_of(*stepper).to_text(2));
    return TAUT_OK;
  });
}

int taut_stepper_save(taut_stepper* stepper, char** bytes, size_t* size) {
  return guarded([&] {
    need(stepper, "stepper");
    need(bytes, "bytes");
    need(size, "size");
    const std::string all = taut::capi::saved(*stepper);
    *bytes = handed_out(all);
    *size = all.size();
    return TAUT_OK;
  });
}

int taut_stepper_restore(taut_stepper* stepper, const char* bytes, size_t size) {
  return guarded([&] {
    need(stepper, "stepper");
    need(bytes, "bytes");
    taut::capi::restore(*stepper, {bytes, size});
    return TAUT_OK;
  });
}
