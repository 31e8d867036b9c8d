// Extended XYZ, one frame a sample.
#include <taut/export/formats.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace taut {

namespace {

class XyzFrames {
 public:
  XyzFrames(const RunIdentity& identity, const Points& points)
      : points_(points), momenta_(identity.coordinates.size()), energy_(2 * momenta_ + 1) {
    const std::vector<std::string> columns = identity.columns();
    const auto force = std::find(columns.begin(), columns.end(), "f_" + identity.coordinates.front());
    if (force != columns.end()) forces_ = static_cast<std::size_t>(force - columns.begin()) - 1;
  }

  void add(std::span<const double> row, std::string& lines) const {
    const auto to = std::back_inserter(lines);
    fmt::format_to(to, "{}\n", points_.all.size());
    if (points_.is_periodic())
      fmt::format_to(to, "Lattice=\"{} 0 0 0 {} 0 0 0 {}\" pbc=\"{}\" ", edge(0), edge(1), edge(2),
                     periodic());
    fmt::format_to(to, "Properties=species:S:1:pos:R:3{}{} Time={} energy={}\n",
                   points_.is_particles ? ":velo:R:3:masses:R:1" : "",
                   forces_ > 0 ? ":constraint_force:R:3" : "", row[0], row[energy_]);
    for (std::size_t i = 0; i < points_.all.size(); ++i) {
      const Point& point = points_.all[i];
      lines += points_.species[i];
      append(vector_of(point, row), 1, lines);
      if (points_.is_particles) {
        append(vector_of(point, row, momenta_), points_.mass[i], lines);
        fmt::format_to(to, " {}", points_.mass[i]);
      }
      if (forces_ > 0) append(vector_of(point, row, forces_), 1, lines);
      lines += '\n';
    }
  }

 private:
  static void append(const std::array<double, 3>& v, double divisor, std::string& lines) {
    for (const double x : v) fmt::format_to(std::back_inserter(lines), " {}", x / divisor);
  }
  // Returns an edge; an open direction still needs one.
  double edge(std::size_t a) const { return points_.box[a] > 0 ? points_.box[a] : 1; }
  std::string periodic() const {
    std::string text;
    for (const double x : points_.box) text.append(text.empty() ? "" : " ").append(x > 0 ? "T" : "F");
    return text;
  }

  const Points& points_;
  // Columns; the first and the last are offsets from the coordinates.
  std::size_t momenta_, energy_, forces_ = 0;
};

}  // namespace

std::string export_xyz(const ExportJob& job) {
  SampleReader& reader = job.reader;
  const XyzFrames frames(reader.identity(), job.points);
  while (const auto rows = reader.next()) {
    std::string lines;
    for (std::size_t i = 0; i < rows->size(); i += reader.columns()) {
      frames.add(std::span(*rows).subspan(i, reader.columns()), lines);
      if (lines.size() < std::size_t{1} << 20) continue;
      job.out.write(lines);
      lines.clear();
    }
    job.out.write(lines);
  }
  return {};
}

}  // namespace taut
