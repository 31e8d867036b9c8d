// DCD as CHARMM and NAMD write it: records with their length before and after them, positions as 32-bit numbers, and a unit cell before each frame where
// the box is periodic.
#include <taut/run/export_formats.hpp>
#include <taut/version.hpp>

#include <fmt/format.h>

#include <cstring>

namespace taut {

namespace {

template <class Number>
void put(std::string& bytes, Number x) {
  bytes.append(reinterpret_cast<const char*>(&x),
               sizeof x);  // little-endian, as the machine: see trajectory.cpp
}

std::string record(std::string_view payload) {
  std::string bytes;
  put(bytes, static_cast<std::int32_t>(payload.size()));
  bytes += payload;
  put(bytes, static_cast<std::int32_t>(payload.size()));
  return bytes;
}

std::string title_line(std::string text) {
  text.resize(80, ' ');
  return text;
}

std::string header(const RunIdentity& identity, const Points& points, std::int32_t frames) {
  std::string control = "CORD";
  std::array<std::int32_t, 20> number{};
  number[0] = frames;
  number[1] = 0;  // the step of the first frame
  number[2] = static_cast<std::int32_t>(std::min<std::int64_t>(identity.schedule.every, INT32_MAX));
  number[3] = static_cast<std::int32_t>(std::min<std::int64_t>(identity.schedule.steps, INT32_MAX));
  const auto step = static_cast<float>(identity.schedule.step);
  std::memcpy(&number[9], &step, sizeof step);
  number[10] = points.is_periodic() ? 1 : 0;
  number[19] = 24;  // the version of CHARMM whose layout this is
  for (const std::int32_t x : number) put(control, x);
  std::string titles;
  put(titles, std::int32_t{2});
  titles += title_line(identity.title) + title_line(fmt::format("written by taut {}", version));
  std::string count;
  put(count, static_cast<std::int32_t>(points.all.size()));
  return record(control) + record(titles) + record(count);
}

// Edges and the cosines between them, in the order that the format has.
std::string cell(const Points& points) {
  std::string bytes;
  const std::array<double, 3>& edge = points.box;
  for (const double x : {edge[0], 0.0, edge[1], 0.0, 0.0, edge[2]}) put(bytes, x);
  return record(bytes);
}

std::string frame(const Points& points, std::span<const double> row) {
  std::string bytes = points.is_periodic() ? cell(points) : "";
  std::string axis;
  for (std::size_t a = 0; a < 3; ++a) {
    axis.clear();
    for (const Point& point : points.all) put(axis, static_cast<float>(vector_of(point, row)[a]));
    bytes += record(axis);
  }
  return bytes;
}

}  // namespace

void export_dcd(TrajectoryReader& reader, const Points& points, OutputFile& out) {
  if (points.all.size() > std::size_t{INT32_MAX} / 4)
    throw InputError("these are more points than a record of DCD can hold.");
  out.write(header(reader.identity(), points, 0));
  while (const auto rows = reader.next())
    for (std::size_t i = 0; i < rows->size(); i += reader.columns())
      out.write(frame(points, std::span(*rows).subspan(i, reader.columns())));
  // Now their number is known.
  out.write_at(0, header(reader.identity(), points, static_cast<std::int32_t>(reader.samples())));
}

}  // namespace taut
