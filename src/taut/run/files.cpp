#include <taut/run/files.hpp>
#include <taut/run/whole_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace taut {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw WriteError(fmt::format("cannot write {}: {}", path, why));
}

}  // namespace

SamplesFile::SamplesFile(const std::string& folder, const std::vector<std::string>& columns)
    : path_((std::filesystem::path(folder) / "samples.csv").string()) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw WriteError(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  file_ = std::fopen(path_.c_str(), "w");
  if (file_ == nullptr) fail(path_, std::strerror(errno));
  std::string header = "t";
  for (const std::string& name : columns) header += "," + name;
  write(header + ",energy,position_residual,momentum_residual\n");
}

SamplesFile::~SamplesFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void SamplesFile::add(double time, std::span<const double> q, std::span<const double> p,
                      const Reading& reading) {
  // fmt's shortest form that reads back as the same bits: 17 digits where they are needed.
  fmt::memory_buffer row;
  const auto out = std::back_inserter(row);
  fmt::format_to(out, "{}", time);
  for (const double x : q) fmt::format_to(out, ",{}", x);
  for (const double x : p) fmt::format_to(out, ",{}", x);
  fmt::format_to(out, ",{},{},{}\n", reading.energy, reading.position, reading.momentum);
  write(fmt::to_string(row));
}

void SamplesFile::close() {
  std::FILE* file = file_;
  file_ = nullptr;
  if (file != nullptr && std::fclose(file) != 0) fail(path_, std::strerror(errno));
}

void SamplesFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(path_, std::strerror(errno));
}

void write_summary(const std::string& folder, const RunSummary& summary) {
  write_whole_file((std::filesystem::path(folder) / "summary.json").string(), to_json(summary) + "\n");
}

}  // namespace taut
