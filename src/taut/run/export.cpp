#include <taut/run/export.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

namespace taut {

namespace {

class Output {
 public:
  explicit Output(const std::string& path) : name_(path.empty() ? "standard output" : path) {
    if (!path.empty()) own_.reset(std::fopen(path.c_str(), "wb"));
    if (!path.empty() && !own_) fail();
    file_ = own_ ? own_.get() : stdout;
  }
  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void write_at_beginning(std::string_view bytes) {
    if (std::fseek(file_, 0, SEEK_SET) != 0) fail();
    write(bytes);
  }
  void close() {
    if (std::fflush(file_) != 0) fail();
  }
  bool is_file() const { return own_ != nullptr; }

 private:
  [[noreturn]] void fail() const {
    throw WriteError(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
  }
  std::string name_;
  OpenFile own_;
  std::FILE* file_ = nullptr;
};

void export_csv(TrajectoryReader& reader, Output& out) {
  out.write(csv_header(reader.identity()));
  while (const auto rows = reader.next()) {
    std::string lines;
    for (std::size_t i = 0; i < rows->size(); i += reader.columns())
      append_csv(lines, std::span(*rows).subspan(i, reader.columns()));
    out.write(lines);
  }
}

// Version 1.0 of the format, 128 bytes long whatever the number of rows.
std::string npy_header(std::uint64_t rows, std::size_t columns) {
  std::string text =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n";
}

void export_npy(TrajectoryReader& reader, Output& out) {
  if (!out.is_file()) throw InputError("an array for numpy goes into a file: say which with --out.");
  out.write(npy_header(0, reader.columns()));
  while (const auto rows = reader.next())
    out.write({reinterpret_cast<const char*>(rows->data()), rows->size() * sizeof(double)});
  out.write_at_beginning(npy_header(reader.samples(), reader.columns()));  // now their number is known
}

// x1, y1, z1, x2, …: an axis and the name of a point. Columns of its coordinates; -1: it has no such coordinate, which is then 0.
struct Point {
  std::string name;
  std::array<int, 3> column = {-1, -1, -1};
};

std::vector<Point> points_of(const RunIdentity& identity) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < identity.coordinates.size(); ++i) {
    const std::string& name = identity.coordinates[i];
    const std::size_t axis = std::string_view("xyz").find(name[0]);
    const std::string whose = name.substr(1);
    const bool is_letter = whose.size() == 1 && std::isalpha(static_cast<unsigned char>(whose[0])) != 0;
    if (axis == std::string::npos ||
        (!is_letter && whose.find_first_not_of("_0123456789") != std::string::npos))
      throw InputError(
          fmt::format("the coordinate {} is not that of a point (x1, y1, z1, …), so that there is nothing to "
                      "show: export --csv or --npy.",
                      name));
    auto at = std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.name == whose; });
    if (at == points.end()) at = points.insert(at, {.name = whose});
    at->column[axis] = static_cast<int>(i) + 1;  // t is column 0
  }
  return points;
}

void export_xyz(TrajectoryReader& reader, Output& out) {
  const std::vector<Point> points = points_of(reader.identity());
  while (const auto rows = reader.next()) {
    std::string lines;
    const auto to = std::back_inserter(lines);
    for (std::size_t i = 0; i < rows->size(); i += reader.columns()) {
      const auto row = std::span(*rows).subspan(i, reader.columns());
      fmt::format_to(to, "{}\nt = {}\n", points.size(), row[0]);
      for (const Point& point : points) {
        lines += "C";
        for (const int c : point.column)
          fmt::format_to(to, " {}", c < 0 ? 0.0 : row[static_cast<std::size_t>(c)]);
        lines += '\n';
      }
    }
    out.write(lines);
  }
}

}  // namespace

std::string trajectory_in(const std::string& path) {
  return std::filesystem::is_directory(path) ? (std::filesystem::path(path) / trajectory_name).string()
                                             : path;
}

void export_samples(TrajectoryReader& reader, ExportFormat format, const std::string& path) {
  if (format == ExportFormat::xyz) points_of(reader.identity());  // before a file is made
  Output out(path);
  switch (format) {
    case ExportFormat::csv:
      export_csv(reader, out);
      break;
    case ExportFormat::xyz:
      export_xyz(reader, out);
      break;
    case ExportFormat::npy:
      export_npy(reader, out);
      break;
  }
  out.close();
}

}  // namespace taut
