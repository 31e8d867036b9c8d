#include <taut/export/export.hpp>
#include <taut/export/formats.hpp>
#include <taut/store/run_files.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace taut {

namespace {

namespace fs = std::filesystem;

std::uint64_t count_of(const std::string& samples) {
  const auto reader = open_samples(samples);
  while (reader->next()) {
  }
  return reader->samples();
}

// Refuses files of the run: what is exported would be lost, or the run could not continue.
void refuse_own_files(const std::string& samples, const std::string& to) {
  std::error_code ignored;
  if (fs::equivalent(samples, to, ignored))
    throw InputError(fmt::format("{} is a file of the run itself: choose another name for --out.", to));
  refuse_run_files(fs::path(samples).parent_path().string(), to, "--out");
}

}  // namespace

Exported export_samples(const std::string& from, const ExportFormat& format, const std::string& to) {
  const std::string samples = samples_in(from);
  const auto reader = open_samples(samples);
  // Everything that may be refused comes before a file is made.
  const Points points = format.wants_points ? points_of(reader->identity()) : Points{};
  if (format.wants_file && to.empty())
    throw InputError("this format goes into a file: say which with --out.");
  if (!to.empty()) refuse_own_files(samples, to);
  OutputFile out(to);
  const std::string note = format.write({.reader = *reader,
                                         .out = out,
                                         .points = points,
                                         .samples = format.wants_count ? count_of(samples) : 0});
  out.close();
  return {reader->samples(), reader->damage(), note};
}

}  // namespace taut
