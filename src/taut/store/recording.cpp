#include <taut/bytes/json.hpp>
#include <taut/store/csv_samples.hpp>
#include <taut/store/recording.hpp>
#include <taut/store/trajectory.hpp>
#include <taut/version.hpp>
#include <taut/words/shell_word.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_wait{1};  // longest time before a sample is handed over

bool is_there(const Folder& folder, const std::string& name) { return folder.kind(name) != EntryKind::none; }

std::optional<Checkpoint> readable(const Folder& folder, const char* name, std::string& why_not) {
  try {
    return read_checkpoint(folder, name);
  } catch (const InputError& error) {
    why_not = error.what();
    return std::nullopt;
  }
}

// Returns the last checkpoint. If it is useless, throws with what there is instead.
Checkpoint last_or_advice(const Folder& folder) {
  std::string why_not, nor_before;
  if (auto last = readable(folder, checkpoint_name, why_not)) return std::move(*last);
  if (const auto before = readable(folder, previous_checkpoint_name, nor_before))
    throw InputError(fmt::format(
        "{}.\n  The one before it, of step {}, is good: `taut resume {} --previous` goes on from there.",
        why_not, before->snapshot.steps, shell_word(folder.path())));
  throw InputError(fmt::format("{}.\n  Nor can the one before it be used: {}.", why_not, nor_before));
}

// Says how a run that is not finished can continue; says nothing if it cannot.
std::string way_on(const Folder& folder, const Checkpoint& c) {
  const bool failed = c.snapshot.status == RunStatus::failed;
  if (failed && c.identity.asked.halve_on_failure) return "";
  return fmt::format("`taut resume {}{}` continues it; ", shell_word(folder.path()),
                     failed ? " --on-failure halve" : "");
}

// Asks whether a trajectory holds more than the start of a run that did not come to its end.
bool is_part_of_a_run(OpenFile file) {
  try {
    TrajectoryReader reader(std::move(file));
    while (reader.next()) {
    }
    return !reader.is_finished() && reader.samples() > 1;
  } catch (
      const InputError& error) {  // a run that was killed at once leaves an empty file, or a part of HEAD
    const std::string why = error.what();
    return why.find("empty") == why.npos && why.find("ends inside") == why.npos;
  }
}

// Asks whether the text of samples holds more than the start of a run, and no summary says that the run came
// to its end.
bool is_text_of_a_part(const Folder& folder) {
  const std::string text = text_of(folder, csv_name);
  if (std::count(text.begin(), text.end(), '\n') <= 2) return false;
  try {
    return Json::parse(text_of(folder, summary_name)).find("error") != nullptr;
  } catch (const std::runtime_error&) {
    return true;
  }
}

// Throws InputError if the folder holds samples of a run whose checkpoints are gone: they may be all that is
// left of it.
void refuse_samples_alone(const Folder& folder) {
  const auto refuse = [&folder](const char* name) {
    throw InputError(
        fmt::format("{} holds samples of a run that may not be finished, and no checkpoint of it.\n  Choose "
                    "another folder, or --overwrite them.",
                    folder.path_of(name)));
  };
  if (is_there(folder, trajectory_name) && is_part_of_a_run(opened(folder, trajectory_name)))
    refuse(trajectory_name);
  if (is_there(folder, csv_name) && is_text_of_a_part(folder)) refuse(csv_name);
}

// Throws InputError if the folder holds a run that is not finished, or if that cannot be known.
void refuse_unfinished(const Folder& folder) {
  const bool has_last = is_there(folder, checkpoint_name);
  if (!has_last && !is_there(folder, previous_checkpoint_name)) return refuse_samples_alone(folder);
  std::string why_not, nor_before;
  if (const auto old = readable(folder, has_last ? checkpoint_name : previous_checkpoint_name, why_not)) {
    if (old->snapshot.status == RunStatus::finished) return;
    throw InputError(fmt::format("{} holds a run that {} (step {} of {}).\n  {}--overwrite begins anew.",
                                 folder.path(),
                                 old->snapshot.status == RunStatus::failed ? "failed" : "is not finished",
                                 old->snapshot.steps, old->identity.schedule.steps, way_on(folder, *old)));
  }
  const auto good = has_last ? readable(folder, previous_checkpoint_name, nor_before) : std::nullopt;
  throw InputError(fmt::format("{} holds a run that may not be finished: {}.\n  {}--overwrite begins anew.",
                               folder.path(), why_not,
                               good ? fmt::format("`taut resume {} --previous` continues it from step {}; ",
                                                  shell_word(folder.path()), good->snapshot.steps)
                                    : ""));
}

// Removes what an earlier run left in the folder, so that nothing of it is taken for this one's.
// `makes_page`: this run will write the page there.
void clear(const Folder& folder, bool overwrite, bool makes_page) {
  if (!overwrite) {
    refuse_foreign(folder, makes_page);
    refuse_unfinished(folder);
  }
  std::string unreadable;
  const auto old = readable(folder, checkpoint_name, unreadable);
  std::vector<std::string> names;
  for (const RunFile& file : run_files())
    if (file.name != checkpoint_name) names.emplace_back(file.name);
  if (old && old->report && old->report->wanted.page && old->report->wanted.path.empty())
    names.emplace_back(page_name);
  // If not all can be removed, the last checkpoint still says that the old run was finished, and the next try
  // goes on here.
  names.emplace_back(checkpoint_name);
  for (const std::string& name : names)
    if (!folder.remove(name))
      throw WriteError(fmt::format("cannot write {}: {}", folder.path_of(name), std::strerror(errno)));
  remove_leftovers(folder);
}

// Renames a file to the first free name: FILE.old, FILE.old.2, …
void put_aside(const Folder& folder, const std::string& name) {
  if (!is_there(folder, name)) return;
  std::string to = name + ".old";
  for (int k = 2; is_there(folder, to); ++k) to = fmt::format("{}.old.{}", name, k);
  if (!folder.rename(name, to))
    throw WriteError(fmt::format("cannot rename {} to {}: {}", folder.path_of(name), folder.path_of(to),
                                 std::strerror(errno)));
}

// Asks whether the page, or the figures if only they are asked for, were written after the summary. Older
// ones belong to an earlier part of the run.
bool made_after_summary(const Folder& folder, const ReportWanted& wanted) {
  const auto written = [](const std::string& path, std::error_code& error) {
    return fs::last_write_time(path, error);
  };
  std::error_code no_summary, no_report, nor_inside;
  const auto summary = written(folder.path_of(summary_name), no_summary);
  const auto report =
      written(wanted.page ? wanted.page_path(folder.path()) : wanted.figures_path(folder.path()), no_report);
  const auto inside = written(folder.path_of(page_name), nor_inside);
  return !no_summary && ((!no_report && report >= summary) || (!nor_inside && inside >= summary));
}

// Asks whether the summary was written after the last checkpoint. A run may be killed between the two, or
// find no room, and then an older summary is of an earlier part of the run.
bool has_its_summary(const Folder& folder) {
  const auto written = [&folder](const char* name) -> std::optional<timespec> {
    struct stat info{};
    if (::fstatat(folder.descriptor(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    return info.st_mtim;
  };
  const auto summary = written(summary_name), checkpoint = written(checkpoint_name);
  if (!summary || !checkpoint) return summary.has_value();
  return std::pair(summary->tv_sec, summary->tv_nsec) >= std::pair(checkpoint->tv_sec, checkpoint->tv_nsec);
}

bool has_samples(const Folder& folder, const SampleMark& mark) {
  const Descriptor file = folder.file(mark.file, O_RDONLY);
  struct stat info{};
  return file && ::fstat(file.number(), &info) == 0 && static_cast<std::uint64_t>(info.st_size) >= mark.bytes;
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
  identity.asked.precision = run.request.precision;
  for (const auto& [name, source] : run.model.files) identity.files[name] = source->text();
  for (const NamedFormula& parameter : run.model.parameters)
    identity.parameters[parameter.name] = static_cast<double>(parameter.value);
  return identity;
}

Recording::Recording(const ModelRun& run, const Schedule& schedule, bool overwrite,
                     std::shared_ptr<ReportSoFar> report)
    : run_(run), schedule_(schedule), overwrite_(overwrite), report_(std::move(report)) {}

Recording::Recording(FoundRun& found, bool restart)
    : run_(found.run),
      schedule_(found.checkpoint.identity.schedule),
      identity_(identity_of(found.run, schedule_)),
      report_(found.checkpoint.report),
      folder_(std::move(found.folder)),
      saved_(found.checkpoint.snapshot.steps) {
  const Checkpoint& from = found.checkpoint;
  remove_leftovers(*folder_);
  if (restart) {
    for (const char* name : {trajectory_name, csv_name}) put_aside(*folder_, name);
    samples_ = new_samples(*folder_, identity_);
    const std::size_t columns = identity_.width() * samples_->parts();
    for (std::size_t i = 0; i < from.mark.waiting.size(); i += columns)
      samples_->add(std::span(from.mark.waiting).subspan(i, columns));
    return;
  }
  try {
    // Samples after the mark are computed again, and another backend may give them other digits.
    samples_ = old_samples(*folder_, identity_, from.mark, !found.run.request.change_backend);
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("{}\n  The state of step {} is good: `taut resume {} --new-samples` goes on from it with "
                    "a new file of samples.",
                    error.what(), from.snapshot.steps, shell_word(folder_->path())));
  }
}

void Recording::begin() {
  folder_.emplace(made_folder(run_.request.out));
  lock(*folder_);
  clear(*folder_, overwrite_, report_ && report_->wanted.page && report_->wanted.path.empty());
  identity_ = identity_of(run_, schedule_);
  samples_ = new_samples(*folder_, identity_);
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
  noting_failure([&] {
    samples_->add(time, q, p, reading, more.first(identity_.quantities.size()), wide_ ? &*wide_ : nullptr);
  });
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
  write_checkpoint(*folder_, {identity_, snapshot, mark_, report_});
  saved_ = snapshot.steps;
  flushed_ = checkpointed_ = Clock::now();
}

Kept Recording::kept() const {
  for (const bool previous : {false, true}) {
    std::string why_not;
    const auto c = readable(*folder_, previous ? previous_checkpoint_name : checkpoint_name, why_not);
    if (c && c->snapshot.steps == saved_ && c->identity.digest() == identity_.digest())
      return {true, has_samples(*folder_, c->mark), previous, c->snapshot.status};
  }
  return {};
}

void change(FoundRun& found, const GoingOn& how) {
  for (RunRequest* request : {&found.run.request, &found.run.asked}) {
    if (how.checkpoint_every) request->checkpoint_every = *how.checkpoint_every;
    if (how.halves) request->halve_on_failure = *how.halves;
    if (how.warns) request->warn_at_jumps = *how.warns;
    if (how.threads > 0) request->threads = how.threads;
  }
  if (how.backend == Backend::automatic) return;
  found.run.request.backend = how.backend;
  found.run.request.change_backend = true;
}

FoundRun find_run(const std::string& path, bool previous) {
  auto folder = Folder::open(path);
  if (!folder && errno != ENOENT && errno != ENOTDIR)
    throw InputError(fmt::format("cannot open {}: {}.", path, std::strerror(errno)));
  if (!folder) throw InputError(fmt::format("{} holds no checkpoint of a run.", path));
  // A checkpoint that is read before the lock is held may be older than the one of a run that ends meanwhile.
  lock(*folder);
  const bool has_last = is_there(*folder, checkpoint_name);
  if (!has_last && !is_there(*folder, previous_checkpoint_name))
    throw InputError(fmt::format("{} holds no checkpoint of a run.", path));
  std::string note;
  if (!previous && !has_last) {
    note = fmt::format("{} is not there; going on from the one before it.", folder->path_of(checkpoint_name));
    previous = true;
  }
  Checkpoint checkpoint =
      previous ? read_checkpoint(*folder, previous_checkpoint_name) : last_or_advice(*folder);
  RunRequest asked = checkpoint.identity.asked;
  asked.out = path;
  ModelRun run = model_run(checkpoint.identity.text, checkpoint.identity.model, asked,
                           checkpoint.identity.set, stored_files(checkpoint.identity.files));
  const Schedule now = schedule_of(run.request), then = checkpoint.identity.schedule;
  if (now.step != then.step || now.steps != then.steps || now.every != then.every || now.end != then.end ||
      now.interval != then.interval)
    throw InputError(
        fmt::format("this version of taut ({}) reads the model otherwise than the one that began the run "
                    "({}): go on with that one.",
                    version, checkpoint.identity.version));
  // What was used goes on, even if something else was asked for and could not be had.
  if (!checkpoint.snapshot.backends.empty())
    run.request.backend = checkpoint.snapshot.backends.back().backend;
  const bool due = checkpoint.report && !made_after_summary(*folder, checkpoint.report->wanted);
  const bool has_summary = has_its_summary(*folder), has_page = is_there(*folder, page_name);
  return {std::move(checkpoint), std::move(run), note, has_summary, has_page, due, std::move(folder)};
}

}  // namespace taut
