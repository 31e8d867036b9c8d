#include <taut/store/csv_reader.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>

namespace taut {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_at_once = std::size_t{1} << 17;  // doubles

// Returns the newest checkpoint of the folder that can be read.
Checkpoint checkpoint_beside(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  try {
    return read_checkpoint((folder / checkpoint_name).string());
  } catch (const InputError& error) {
    if (fs::exists(folder / previous_checkpoint_name))
      return read_checkpoint((folder / previous_checkpoint_name).string());
    throw InputError(fmt::format("{} does not say what run it is of, and {}.", path, error.what()));
  }
}

}  // namespace

CsvReader::CsvReader(const std::string& path) : file_(opened(path)) {
  Checkpoint beside = checkpoint_beside(path);
  if (beside.mark.file != csv_name)
    throw InputError(
        fmt::format("the run of this folder keeps its samples in {}, not in {}.", beside.mark.file, path));
  check_csv(file_.get(), path, beside.mark);
  std::rewind(file_.get());
  identity_ = std::move(beside.identity);
  columns_ = identity_.width();
  next_line();
  if (line_ + "\n" != csv_header(identity_))
    throw InputError(fmt::format("{}: its first line does not name the columns of the run.", path));
}

std::optional<std::vector<double>> CsvReader::next() {
  std::vector<double> rows;
  while (damage_.empty() && rows.size() < most_at_once && next_line()) {
    if (!whole_)
      damage_ = "the file ends inside a line";
    else if (!add(rows))
      damage_ = fmt::format("line {} is no sample", samples_ + 2);
    else
      ++samples_;
  }
  if (rows.empty()) return std::nullopt;
  return rows;
}

bool CsvReader::next_line() {
  char* line = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&line, &room, file_.get());
  const int reason = errno;
  const std::unique_ptr<char, decltype(&std::free)> room_for_it(line, &std::free);
  if (length < 0 && std::feof(file_.get()) == 0) {
    if (reason == ENOMEM) throw std::bad_alloc();
    throw InputError(fmt::format("the samples cannot be read: {}.", std::strerror(reason)));
  }
  line_.assign(line == nullptr ? "" : line, length > 0 ? static_cast<std::size_t>(length) : 0);
  whole_ = line_.ends_with('\n');
  if (whole_) line_.pop_back();
  return length > 0;
}

bool CsvReader::add(std::vector<double>& rows) {
  const std::size_t before = rows.size();
  const char *at = line_.data(), *const end = line_.data() + line_.size();
  for (std::size_t c = 0; c < columns_; ++c) {
    double x = 0;
    const auto [stop, error] = std::from_chars(at, end, x);
    const bool is_last = c + 1 == columns_;
    if (error != std::errc{} || (is_last ? stop != end : stop == end || *stop != ',')) {
      rows.resize(before);
      return false;
    }
    rows.push_back(x);
    at = stop + 1;
  }
  return true;
}

}  // namespace taut
