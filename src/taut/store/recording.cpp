#include <taut/store/csv_samples.hpp>
#include <taut/store/recording.hpp>
#include <taut/store/trajectory.hpp>
#include <taut/version.hpp>
#include <taut/words/shell_word.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_wait{1};  // longest time before a sample is handed over

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

// Returns the last checkpoint. If it is useless, throws with what there is instead.
Checkpoint last_or_advice(const std::string& folder) {
  std::string why_not, nor_before;
  if (auto last = readable(in(folder, checkpoint_name), why_not)) return std::move(*last);
  if (const auto before = readable(in(folder, previous_checkpoint_name), nor_before))
    throw InputError(fmt::format(
        "{}.\n  The one before it, of step {}, is good: `taut resume {} --previous` goes on from there.",
        why_not, before->snapshot.steps, shell_word(folder)));
  throw InputError(fmt::format("{}.\n  Nor can the one before it be used: {}.", why_not, nor_before));
}

// Says how a run that is not finished can continue; says nothing if it cannot.
std::string way_on(const std::string& folder, const Checkpoint& c) {
  const bool failed = c.snapshot.status == RunStatus::failed;
  if (failed && c.identity.asked.halve_on_failure) return "";
  return fmt::format("`taut resume {}{}` continues it; ", shell_word(folder),
                     failed ? " --on-failure halve" : "");
}

// Throws InputError if the folder holds a run that is not finished, or if that cannot be known.
void refuse_unfinished(const std::string& folder) {
  const std::string last = in(folder, checkpoint_name), before = in(folder, previous_checkpoint_name);
  const bool has_last = is_there(last);
  if (!has_last && !is_there(before)) return;
  std::string why_not, nor_before;
  if (const auto old = readable(has_last ? last : before, why_not)) {
    if (old->snapshot.status == RunStatus::finished) return;
    throw InputError(fmt::format("{} holds a run that {} (step {} of {}).\n  {}--overwrite begins anew.",
                                 folder,
                                 old->snapshot.status == RunStatus::failed ? "failed" : "is not finished",
                                 old->snapshot.steps, old->identity.schedule.steps, way_on(folder, *old)));
  }
  const auto good = has_last ? readable(before, nor_before) : std::nullopt;
  throw InputError(fmt::format("{} holds a run that may not be finished: {}.\n  {}--overwrite begins anew.",
                               folder, why_not,
                               good ? fmt::format("`taut resume {} --previous` continues it from step {}; ",
                                                  shell_word(folder), good->snapshot.steps)
                                    : ""));
}

// Asks whether a file is foreign: others use the names of samples and summaries too. `begins` is how one of
// taut's own begins.
bool is_foreign(const std::string& path, std::string_view begins, std::string_view first_line_has) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return false;
  std::ifstream file(path, std::ios::binary);
  std::string start(begins.size(), '\0'), line;
  if (!file.read(start.data(), static_cast<std::streamsize>(start.size())) || start != begins) return true;
  return std::getline(file, line) && !file.eof() && line.find(first_line_has) == line.npos;
}

// Throws InputError if a file that no run has written would be lost.
void refuse_foreign(const std::string& folder) {
  const std::string samples = in(folder, csv_name), summary = in(folder, "summary.json");
  for (const std::string& path : {samples, summary})
    if (path == samples ? is_foreign(path, "t,", ",energy,position_residual,momentum_residual")
                        : is_foreign(path, "{\n  \"model\": ", ""))
      throw InputError(
          fmt::format("{} is not of a run of taut, and this run would replace it.\n  Choose another folder, "
                      "or --overwrite it.",
                      path));
}

// Removes what an earlier run left in the folder, so that nothing of it is taken for this one's.
void clear(const std::string& folder, bool overwrite) {
  if (!overwrite) {
    refuse_unfinished(folder);
    refuse_foreign(folder);
  }
  std::string unreadable;
  const auto old = readable(in(folder, checkpoint_name), unreadable);
  std::vector<std::string> names = {checkpoint_name, previous_checkpoint_name, "summary.json"};
  if (old && old->report && old->report->wanted.page && old->report->wanted.path.empty())
    names.emplace_back("report.html");
  for (const std::string& name : names) {
    std::error_code error;
    fs::remove(fs::path(folder) / name, error);
    if (error)
      throw WriteError(fmt::format("cannot write {}: {}", in(folder, name.c_str()), error.message()));
  }
}

// Renames a file to the first free name: FILE.old, FILE.old.2, …
void put_aside(const std::string& path) {
  if (!is_there(path)) return;
  std::string to = path + ".old";
  for (int k = 2; is_there(to); ++k) to = fmt::format("{}.old.{}", path, k);
  std::error_code error;
  fs::rename(path, to, error);
  if (error) throw WriteError(fmt::format("cannot rename {} to {}: {}", path, to, error.message()));
}

// Asks whether the page, or the figures if only they are asked for, were written after the summary. Older
// ones belong to an earlier part of the run.
bool made_after_summary(const std::string& folder, const ReportWanted& wanted) {
  std::error_code no_summary, no_report;
  const auto summary = fs::last_write_time(in(folder, "summary.json"), no_summary);
  const auto report = fs::last_write_time(wanted.page ? wanted.page_path(folder) : wanted.figures, no_report);
  return !no_summary && !no_report && report >= summary;
}

bool has_samples(const std::string& folder, const SampleMark& mark) {
  std::error_code error;
  const auto size = fs::file_size(in(folder, mark.file.c_str()), error);
  return !error && size >= mark.bytes;
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

Recording::Recording(const ModelRun& run, const Schedule& schedule, bool overwrite,
                     std::shared_ptr<ReportSoFar> report)
    : run_(run), schedule_(schedule), overwrite_(overwrite), report_(std::move(report)) {}

Recording::Recording(const ModelRun& run, const Checkpoint& from, bool restart)
    : run_(run),
      schedule_(from.identity.schedule),
      identity_(identity_of(run, schedule_)),
      report_(from.report),
      saved_(from.snapshot.steps) {
  const std::string& folder = run.request.out;
  lock_.emplace(folder);
  if (restart) {
    for (const char* name : {trajectory_name, csv_name}) put_aside(in(folder, name));
    samples_ = new_samples(folder, identity_);
    const std::size_t columns = identity_.width();
    for (std::size_t i = 0; i < from.mark.waiting.size(); i += columns)
      samples_->add(std::span(from.mark.waiting).subspan(i, columns));
    return;
  }
  try {
    samples_ = old_samples(folder, identity_, from.mark);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}\n  The state of step {} is good: `taut resume {} --new-samples` goes on from it with "
                    "a new file of samples.",
                    error.what(), from.snapshot.steps, shell_word(folder)));
  }
}

void Recording::begin() {
  const std::string& folder = run_.request.out;
  lock_.emplace(folder);
  clear(folder, overwrite_);
  identity_ = identity_of(run_, schedule_);
  samples_ = new_samples(folder, identity_);
}

// Remembers a failure: a file of samples that could not be written is not tried again, and the samples that
// wait for it go into the checkpoint.
template <class Write>
auto Recording::noting_failure(Write write) {
  try {
    return write();
  } catch (const WriteError&) {
    samples_fail_ = true;
    throw;
  }
}

void Recording::sample(double time, std::span<const double> q, std::span<const double> p,
                       const Reading& reading, std::span<const double> more) {
  if (!samples_) begin();
  noting_failure([&] { samples_->add(time, q, p, reading, more); });
}

bool Recording::checkpoint_due() {
  const auto now = Clock::now();
  if (now - flushed_ > longest_wait) {
    noting_failure([&] { samples_->flush(); });
    flushed_ = now;
  }
  return std::chrono::duration<double>(now - checkpointed_).count() >= run_.request.checkpoint_every;
}

void Recording::checkpoint(const Snapshot& snapshot) {
  if (!samples_) return;  // not even a first sample: nothing to resume from
  if (samples_fail_)
    mark_ = samples_->held();
  else if (!samples_end_)
    mark_ = noting_failure([&] { return samples_->sync(); });
  if (snapshot.status == RunStatus::finished && !samples_end_) {
    samples_->finish();
    samples_end_ = true;
  }
  write_checkpoint(run_.request.out, {identity_, snapshot, mark_, report_});
  saved_ = snapshot.steps;
  flushed_ = checkpointed_ = Clock::now();
}

bool Recording::has_folder() const { return is_there(run_.request.out); }

Kept Recording::kept() const {
  const std::string& folder = run_.request.out;
  for (const bool previous : {false, true}) {
    std::string why_not;
    const auto c = readable(in(folder, previous ? previous_checkpoint_name : checkpoint_name), why_not);
    if (c && c->snapshot.steps == saved_ && c->identity.digest() == identity_.digest())
      return {true, has_samples(folder, c->mark), previous, c->snapshot.status};
  }
  return {};
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
  const bool due = checkpoint.report && !made_after_summary(folder, checkpoint.report->wanted);
  return {std::move(checkpoint),
          std::move(run),
          note,
          is_there(in(folder, "summary.json")),
          is_there(ReportWanted{}.page_path(folder)),
          due};
}

}  // namespace taut
