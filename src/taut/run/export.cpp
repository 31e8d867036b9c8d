#include <taut/run/export.hpp>
#include <taut/run/export_formats.hpp>

#include <filesystem>

namespace taut {

namespace {

bool shows_points(ExportFormat format) {
  return format == ExportFormat::xyz || format == ExportFormat::dcd || format == ExportFormat::h5md;
}

// Their beginning says how many samples follow.
bool needs_a_file(ExportFormat format) { return format != ExportFormat::csv && format != ExportFormat::xyz; }

std::uint64_t samples_in(const std::string& trajectory) {
  TrajectoryReader reader(trajectory);
  while (reader.next()) {
  }
  return reader.samples();
}

}  // namespace

std::string trajectory_in(const std::string& path) {
  return std::filesystem::is_directory(path) ? (std::filesystem::path(path) / trajectory_name).string()
                                             : path;
}

Exported export_samples(const std::string& trajectory, ExportFormat format, const std::string& to) {
  TrajectoryReader reader(trajectory);
  // What may be refused comes before a file is made.
  const Points points = shows_points(format) ? points_of(reader.identity()) : Points{};
  if (needs_a_file(format) && to.empty())
    throw InputError("this format goes into a file: say which with --out.");
  OutputFile out(to);
  switch (format) {
    case ExportFormat::csv:
      export_csv(reader, out);
      break;
    case ExportFormat::xyz:
      export_xyz(reader, points, out);
      break;
    case ExportFormat::npy:
      export_npy(reader, out);
      break;
    case ExportFormat::dcd:
      export_dcd(reader, points, out);
      break;
    case ExportFormat::h5md:
      export_h5md(reader, points, samples_in(trajectory), out);
      break;
  }
  out.close();
  return {reader.samples(), reader.damage()};
}

}  // namespace taut
