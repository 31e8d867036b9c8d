#include <taut/run/csv_samples.hpp>
#include <taut/run/recording.hpp>
#include <taut/run/trajectory.hpp>
#include <taut/version.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_wait{1};  // of a sample, before it is handed over

std::string in(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::optional<Checkpoint> readable(const std::string& path, std::string& why_not) {
  try {
    return read_checkpoint(path);
  } catch (const InputError& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

// The last checkpoint; where it is of no use, what there is instead.
Checkpoint last_or_advice(const std::string& folder) {
  std::string why_not, nor_before;
  if (auto last = readable(in(folder, checkpoint_name), why_not)) return std::move(*last);
  if (const auto before = readable(in(folder, previous_checkpoint_name), nor_before))
    throw InputError(fmt::format(
        "{}.\n  The one before it, of step {}, is good: `taut resume {} --previous` goes on from there.",
        why_not, before->snapshot.steps, folder));
  throw InputError(fmt::format("{}.\n  Nor can the one before it be used: {}.", why_not, nor_before));
}

// What an earlier run left in the folder, so that nothing of it is taken for this one's.
void clear(const std::string& folder, bool overwrite) {
  const std::string last = in(folder, checkpoint_name);
  if (!overwrite && is_there(last)) {
    std::string of_no_use;
    const auto old = readable(last, of_no_use);
    if (old && (old->snapshot.status == RunStatus::running || old->snapshot.status == RunStatus::stopped))
      throw InputError(
          fmt::format("{} holds a run that is not finished (step {} of {}).\n  `taut resume {}` continues "
                      "it; --overwrite begins anew.",
                      folder, old->snapshot.steps, old->identity.schedule.steps, folder));
  }
  for (const char* name : {checkpoint_name, previous_checkpoint_name, "summary.json"}) {
    std::error_code error;
    fs::remove(fs::path(folder) / name, error);
    if (error) throw WriteError(fmt::format("cannot write {}: {}", in(folder, name), error.message()));
  }
}

}  // namespace

RunIdentity identity_of(const ModelRun& run, const Schedule& schedule) {
  RunIdentity identity{.version = std::string(version),
                       .model = run.name,
                       .title = run.title(),
                       .text = run.text,
                       .set = run.set,
                       .files = {},
                       .asked = run.asked,
                       .method = chosen_method(*run.mechanism, run.name, run.request).label(),
                       .schedule = schedule,
                       .coordinates = run.coordinates(),
                       .quantities = run.quantities().columns(run.coordinates()),
                       .parameters = {}};
  identity.asked.format = run.request.format;
  for (const auto& [name, source] : run.model.files) identity.files[name] = source->text();
  for (const NamedFormula& parameter : run.model.parameters)
    identity.parameters[parameter.name] = static_cast<double>(parameter.value);
  return identity;
}

Recording::Recording(const ModelRun& run, const Schedule& schedule, bool overwrite)
    : run_(run), schedule_(schedule), overwrite_(overwrite) {}

Recording::Recording(const ModelRun& run, const Checkpoint& from, bool restart)
    : run_(run),
      schedule_(from.identity.schedule),
      identity_(identity_of(run, schedule_)),
      saved_(from.snapshot.steps) {
  const std::string& folder = run.request.out;
  lock_.emplace(folder);
  if (restart) {
    const std::string old = in(folder, from.mark.file.c_str());
    std::error_code ignored;
    fs::rename(old, old + ".old", ignored);
    samples_ = new_samples(folder, identity_);
    return;
  }
  try {
    samples_ = old_samples(folder, identity_, from.mark);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}\n  The state of step {} is good: `taut resume {} --new-samples` goes on from it with "
                    "a new file of samples.",
                    error.what(), from.snapshot.steps, folder));
  }
}

void Recording::begin() {
  const std::string& folder = run_.request.out;
  lock_.emplace(folder);
  clear(folder, overwrite_);
  identity_ = identity_of(run_, schedule_);
  samples_ = new_samples(folder, identity_);
}

void Recording::sample(double time, std::span<const double> q, std::span<const double> p,
                       const Reading& reading, std::span<const double> more) {
  if (!samples_) begin();
  samples_->add(time, q, p, reading, more);
}

bool Recording::checkpoint_due() {
  const auto now = Clock::now();
  if (now - flushed_ > longest_wait) {
    samples_->flush();
    flushed_ = now;
  }
  return std::chrono::duration<double>(now - checkpointed_).count() >= run_.request.checkpoint_every;
}

void Recording::checkpoint(const Snapshot& snapshot) {
  const SampleMark mark = samples_->sync();
  if (snapshot.status == RunStatus::finished) samples_->finish();
  write_checkpoint(run_.request.out, {identity_, snapshot, mark});
  saved_ = snapshot.steps;
  flushed_ = checkpointed_ = Clock::now();
}

FoundRun find_run(const std::string& folder, bool previous) {
  const std::string last = in(folder, checkpoint_name), before = in(folder, previous_checkpoint_name);
  if (!is_there(last) && !is_there(before))
    throw InputError(fmt::format("{} holds no checkpoint of a run.", folder));
  std::string note;
  if (!previous && !is_there(last)) {
    note = fmt::format("{} is not there; going on from the one before it.", last);
    previous = true;
  }
  Checkpoint checkpoint = previous ? read_checkpoint(before) : last_or_advice(folder);
  RunRequest asked = checkpoint.identity.asked;
  asked.out = folder;
  ModelRun run = model_run(checkpoint.identity.text, checkpoint.identity.model, asked,
                           checkpoint.identity.set, stored_files(checkpoint.identity.files));
  const Schedule now = schedule_of(run.request), then = checkpoint.identity.schedule;
  if (now.step != then.step || now.steps != then.steps || now.every != then.every)
    throw InputError(
        fmt::format("this version of taut ({}) reads the model otherwise than the one that began the run "
                    "({}): go on with that one.",
                    version, checkpoint.identity.version));
  return {std::move(checkpoint), std::move(run), note, is_there(in(folder, "summary.json"))};
}

}  // namespace taut
