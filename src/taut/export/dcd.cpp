// DCD as CHARMM and NAMD write it: records with their length before and after them, positions as 32-bit
// numbers, and a unit cell before each frame if the box is periodic.
#include <taut/export/formats.hpp>
#include <taut/version.hpp>

#include <fmt/format.h>

#include <algorithm>
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

void put_title(std::string& bytes, std::string_view text) {
  constexpr std::size_t length = 80;
  bytes += text.substr(0, length);
  bytes.append(length - std::min(length, text.size()), ' ');
}

std::int32_t bounded(std::int64_t x) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(x, INT32_MIN, INT32_MAX));
}

// The file has the step of its first frame and the number of steps between two frames, but no times: a reader
// cannot see that a frame lies elsewhere.
struct Frames {
  std::int64_t count = 0, first = 0;    // `first` is the step of the first frame
  std::int64_t odd = -1, odd_step = 0;  // the first frame that lies elsewhere, and its step; -1: none

  void add(std::int64_t step, std::int64_t every) {
    if (count == 0) first = step;
    if (odd < 0 && step != first + count * every) {
      odd = count;
      odd_step = step;
    }
    ++count;
  }
};

std::string header(const RunIdentity& identity, const Points& points, const Frames& frames) {
  std::string control = "CORD";
  std::array<std::int32_t, 20> number{};
  number[0] = bounded(frames.count);
  number[1] = bounded(frames.first);
  number[2] = bounded(identity.schedule.every);
  number[3] = bounded(identity.schedule.steps);
  const auto step = static_cast<float>(identity.schedule.step);
  std::memcpy(&number[9], &step, sizeof step);
  number[10] = points.is_periodic() ? 1 : 0;
  number[19] = 24;  // the version of CHARMM whose layout this is
  for (const std::int32_t x : number) put(control, x);
  std::string titles;
  put(titles, std::int32_t{2});
  put_title(titles, identity.title);
  put_title(titles, fmt::format("written by taut {}", version));
  std::string count;
  put(count, static_cast<std::int32_t>(points.all.size()));
  return record(control) + record(titles) + record(count);
}

// Returns edges and the cosines between them, in the order of the format.
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

std::string export_dcd(const ExportJob& job) {
  SampleReader& reader = job.reader;
  OutputFile& out = job.out;
  const Points& points = job.points;
  if (points.all.size() > std::size_t{INT32_MAX} / 4)
    throw InputError("these are more points than a record of DCD can hold.");
  const Schedule& schedule = reader.identity().schedule;
  Frames frames;
  out.write(header(reader.identity(), points, frames));
  while (const auto rows = reader.next())
    for (std::size_t i = 0; i < rows->size(); i += reader.columns()) {
      const auto row = std::span(*rows).subspan(i, reader.columns());
      frames.add(step_of(row[0], schedule), schedule.every);
      out.write(frame(points, row));
    }
  out.write_at(0, header(reader.identity(), points, frames));  // now they are known
  if (frames.odd < 0) return "";
  return fmt::format(
      "frame {} is of step {}, not {} steps after the one before it as in the rest: DCD has no place for its "
      "time, {}, and "
      "readers will take it for another. Leave it out, or export --xyz or --h5md.",
      frames.odd + 1, frames.odd_step, schedule.every, static_cast<double>(frames.odd_step) * schedule.step);
}

}  // namespace taut
