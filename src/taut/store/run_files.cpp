#include <taut/contract/request.hpp>
#include <taut/files/kept_files.hpp>
#include <taut/files/open_file.hpp>
#include <taut/store/chunk_file.hpp>
#include <taut/store/run_files.hpp>

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace taut {

namespace {

constexpr std::size_t look_at_most = 1U << 16U;  // bytes at the beginning of a file

bool begins_a_checkpoint(std::string_view bytes) {
  return bytes.starts_with(file_signature(FileKind::checkpoint).substr(0, 8));
}
bool begins_samples(std::string_view bytes) {
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  const bool cut = line.size() == bytes.size();  // a system may have more names than are looked at
  return bytes.starts_with("t,") &&
         (cut || line.find(",energy,position_residual,momentum_residual") != line.npos);
}
bool begins_a_summary(std::string_view bytes) { return bytes.starts_with("{\n  \"model\": "); }
bool begins_a_page(std::string_view bytes) { return bytes.starts_with("<!doctype html>"); }

constexpr std::array<RunFile, 5> kept_files = {{{checkpoint_name, begins_a_checkpoint},
                                                {previous_checkpoint_name, begins_a_checkpoint},
                                                {trajectory_name, begins_a_checkpoint},
                                                {csv_name, begins_samples},
                                                {summary_name, begins_a_summary}}};
constexpr RunFile page_file = {page_name, begins_a_page};

// Says what has the name of a file of the run and is none; nothing if it is one, or if there is nothing.
std::string what_it_is(const Folder& folder, const RunFile& file) {
  const std::string name(file.name);
  switch (folder.kind(name)) {
    case EntryKind::none:
      return "";
    case EntryKind::link:
      return "is a link, and a run follows none";
    case EntryKind::folder:
    case EntryKind::other:
      return "is not a plain file";
    case EntryKind::file:
      break;
  }
  const std::string path = folder.path_of(name);
  const Descriptor there = folder.file(name, O_RDONLY);
  if (!there) throw InputError(fmt::format("cannot read {}: {}.", path, why_not_opened()));
  const std::string bytes = first_bytes(there, look_at_most, path);
  return bytes.empty() || file.is_ours(bytes) ? "" : "is not of a run of taut";
}

// Asks whether a file is replaced as a whole, written beside its name. Samples grow in their place.
bool is_replaced(const RunFile& file) { return file.name != trajectory_name && file.name != csv_name; }

// Asks whether this is the name of a part of the file: FILE.part, FILE.part.2, …
bool is_part_of(const RunFile& file, std::string_view name) {
  const std::string part = std::string(file.name) + ".part";
  if (name == part) return true;
  return name.starts_with(part + ".") && name.find_first_not_of("0123456789", part.size() + 1) == name.npos;
}

}  // namespace

std::span<const RunFile> run_files() { return kept_files; }

bool is_run_file(std::string_view name) {
  return std::any_of(kept_files.begin(), kept_files.end(),
                     [&](const RunFile& file) { return file.name == name; });
}

void refuse_foreign(const Folder& folder, bool with_page) {
  const auto check = [&](const RunFile& file) {
    if (const std::string what = what_it_is(folder, file); !what.empty())
      throw InputError(
          fmt::format("{} {}, and this run would replace it.\n  Choose another folder, or --overwrite it.",
                      folder.path_of(file.name), what));
  };
  std::for_each(kept_files.begin(), kept_files.end(), check);
  if (with_page) check(page_file);
}

void remove_leftovers(const Folder& folder) {
  for (const std::string& name : folder.names())
    for (const RunFile& file : kept_files) {
      if (!is_replaced(file) || !is_part_of(file, name)) continue;
      const Descriptor left = folder.file(name, O_RDONLY);
      if (left && file.is_ours(first_bytes(left, look_at_most, folder.path_of(name)))) folder.remove(name);
    }
}

void refuse_run_files(const std::string& folder, const std::string& path, std::string_view option) {
  refuse_kept_files(folder, path, option, "the run", is_run_file);
}

}  // namespace taut
