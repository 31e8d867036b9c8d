#include <taut/store/checkpoint.hpp>
#include <taut/store/csv_samples.hpp>
#include <taut/store/describe.hpp>
#include <taut/store/trajectory.hpp>
#include <taut/words/few.hpp>
#include <taut/words/wording.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

std::string run_lines(const RunIdentity& r) {
  const Schedule& s = r.schedule;
  const std::string length = s.end ? fmt::format("until t = {}", *s.end) : fmt::format("{} steps", s.steps);
  const std::string samples =
      s.interval ? fmt::format("samples {} apart", *s.interval) : fmt::format("a sample every {}", s.every);
  std::string text = fmt::format("  run       {}, {}, step {}, {}, {}\n", harmless(r.title),
                                 harmless(r.method), s.step, length, samples);
  text += fmt::format("  written   by taut {}, of {} ({} bytes of model text inside)\n", harmless(r.version),
                      harmless(r.model), r.text.size());
  for (const std::string& set : r.set) text += fmt::format("  set       {}\n", harmless(set));
  text += fmt::format("  columns   {}\n", harmless(few(r.columns(), " ")));
  return text;
}

Description of_trajectory(const std::string& path) {
  TrajectoryReader reader(path);
  double first = 0, last = 0;
  while (const auto rows = reader.next()) {
    if (rows->empty()) continue;
    if (reader.samples() * reader.columns() == rows->size()) first = rows->front();
    last = (*rows)[rows->size() - reader.columns()];
  }
  std::string text = fmt::format("{}: a trajectory\n", path) + run_lines(reader.identity());
  text += fmt::format("  samples   {} from t = {} to t = {}\n", reader.samples(), first, last);
  const bool cut = reader.damage().find("ends inside") != std::string::npos;
  text += reader.damage().empty() || cut
              ? fmt::format("  state     {}\n",
                            reader.is_finished() ? "complete"
                            : cut ? "the run was ended while it wrote; what is counted here is whole"
                                  : "the run had not come to its end")
              : fmt::format("  state     DAMAGED: {}; what is counted here is whole\n", reader.damage());
  return {text, reader.damage().empty()};
}

Description of_checkpoint(const std::string& path) {
  const Checkpoint c = read_checkpoint(path);
  std::string text = fmt::format("{}: a checkpoint\n", path) + run_lines(c.identity);
  const Schedule& s = c.identity.schedule;
  text += fmt::format("  step      {}{}, {}, after {:.1f} s\n", c.snapshot.steps,
                      s.end ? std::string() : fmt::format(" of {}", s.steps), status_name(c.snapshot.status),
                      c.snapshot.seconds);
  text += fmt::format("  samples   {} in {}\n", c.mark.samples, c.mark.file);
  return {text};
}

Description of_file(const std::string& path) {
  try {
    return fs::path(path).filename().string().starts_with("checkpoint") ? of_checkpoint(path)
                                                                        : of_trajectory(path);
  } catch (const InputError& error) {
    const std::string text = error.what();
    return {fmt::format("{}{}\n", harmless_lines(text), text.ends_with('.') ? "" : "."), false};
  }
}

// Returns the damage of a text file, which has no checksums of its own: the checkpoint knows how it was.
std::string damage_of_text(const std::string& folder) {
  for (const char* name : {checkpoint_name, previous_checkpoint_name}) {
    SampleMark mark;
    try {
      mark = read_checkpoint((fs::path(folder) / name).string()).mark;
    } catch (const InputError&) {
      continue;  // reported for that file itself
    }
    try {
      const std::string path = (fs::path(folder) / csv_name).string();
      if (mark.file == csv_name) check_csv(opened(path).get(), path, mark);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  }
  return "";
}

}  // namespace

bool is_there(const std::string& path) { return fs::exists(path); }

Description describe_run(const std::string& path) {
  if (!fs::exists(path)) throw InputError(fmt::format("there is no file or folder {}.", path));
  if (!fs::is_directory(path)) return of_file(path);
  Description all;
  for (const char* name : {trajectory_name, checkpoint_name, previous_checkpoint_name}) {
    const fs::path file = fs::path(path) / name;
    if (!fs::exists(file)) continue;
    const Description one = of_file(file.string());
    all.text += one.text;
    all.whole = all.whole && one.whole;
  }
  for (const char* name : {csv_name, summary_name})
    if (const fs::path file = fs::path(path) / name; fs::exists(file))
      all.text += fs::is_regular_file(file)
                      ? fmt::format("{}: text, {} bytes\n", file.string(), fs::file_size(file))
                      : fmt::format("{}: not a plain file\n", file.string());
  if (const std::string damage = damage_of_text(path); !damage.empty()) {
    all.text += fmt::format("  state     DAMAGED: {}\n", damage);
    all.whole = false;
  }
  if (all.text.empty()) throw InputError(fmt::format("{} holds nothing of a run.", path));
  return all;
}

}  // namespace taut
