// H5MD 1.1: /particles/all with position, velocity, mass, species, box; /observables with what the columns of
// a sample measure.
#include <taut/export/formats.hpp>
#include <taut/export/hdf5_file.hpp>
#include <taut/version.hpp>

#include <algorithm>
#include <functional>

namespace taut {

namespace {

using Address = Hdf5File::Address;

template <class Number>
std::string bytes_of(
    const std::vector<Number>& values) {  // little-endian, as the machine: see trajectory.cpp
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

// A quantity for which a row of the trajectory gives `size` numbers.
struct Series {
  Address data;
  std::size_t size;
  std::function<void(std::span<const double> row, std::vector<double>& to)> read;
};

class H5mdFile {
 public:
  H5mdFile(const RunIdentity& identity, const Points& points, std::uint64_t samples, OutputFile& out)
      : identity_(identity),
        points_(points),
        samples_(samples),
        out_(out),
        file_(out),
        columns_(identity.columns()) {}

  // Lays out everything except the numbers of the samples.
  void lay_out() {
    const auto n = static_cast<std::size_t>(points_.all.size());
    const std::size_t momenta = identity_.coordinates.size();
    const std::size_t first = 2 * momenta + 1;  // columns that measure
    const int shared = static_cast<int>(columns_.size());
    time_ = file_.dataset(Hdf5Type::real, 8, {samples_}, shared);
    step_ = file_.dataset(Hdf5Type::integer, 8, {samples_}, shared);

    std::vector<Hdf5File::Link> all{{"box", box()}, {"position", vectors(0, false)}};
    if (points_.is_particles) {
      all.push_back({"velocity", vectors(momenta, true)});
      all.push_back({"mass", written(Hdf5Type::real, 8, {n}, bytes_of(points_.mass))});
    }
    all.push_back({"species", species()});
    std::vector<Hdf5File::Link> observables;
    std::size_t multipliers = 0;
    for (std::size_t c = first; c < columns_.size(); ++c) {
      const std::string& name = columns_[c];
      if (name == "f_" + identity_.coordinates.front())
        all.push_back({"constraint_force", vectors(c - 1, false)});
      if (name == "lambda_1") multipliers = c;
      if (name.starts_with("f_") || name.starts_with("lambda_")) continue;
      observables.push_back({name == "energy" ? "total_energy" : name, columns(c, 1)});
    }
    if (multipliers > 0) {
      const auto is_one = [](const std::string& name) { return name.starts_with("lambda_"); };
      const auto count = std::count_if(columns_.begin(), columns_.end(), is_one);
      observables.push_back({"multiplier", columns(multipliers, static_cast<std::size_t>(count))});
    }
    const Address particles = file_.group({{"all", file_.group(all)}});
    file_.finish(file_.group({{"h5md", about()},
                              {"particles", particles},
                              {"observables", file_.group(observables)},
                              {"parameters", file_.group({{"species", species_names()}})}}));
  }

  void add(std::span<const double> rows) {
    const std::size_t width = columns_.size();
    std::vector<double> values;
    for (const Series& s : series_) {
      values.clear();
      for (std::size_t i = 0; i < rows.size(); i += width) s.read(rows.subspan(i, width), values);
      out_.write_at(s.data + done_ * s.size * sizeof(double), bytes_of(values));
    }
    std::vector<double> time;
    std::vector<std::int64_t> step;
    for (std::size_t i = 0; i < rows.size(); i += width) {
      time.push_back(rows[i]);
      step.push_back(step_of(rows[i], identity_.schedule));
    }
    out_.write_at(time_.data + done_ * 8, bytes_of(time));
    out_.write_at(step_.data + done_ * 8, bytes_of(step));
    done_ += time.size();
  }

 private:
  Address written(Hdf5Type type, std::size_t width, const std::vector<std::uint64_t>& shape,
                  const std::string& bytes) {
    const Hdf5File::Dataset made = file_.dataset(type, width, shape);
    if (!bytes.empty()) out_.write_at(made.data, bytes);
    return made.object;
  }
  // Groups value, step and time; the last two are the same for all.
  Address in_time(const Hdf5File::Dataset& value) {
    return file_.group({{"value", value.object}, {"step", step_.object}, {"time", time_.object}});
  }
  Address columns(std::size_t first, std::size_t count) {
    std::vector<std::uint64_t> shape{samples_};
    if (count > 1) shape.push_back(count);
    const Hdf5File::Dataset value = file_.dataset(Hdf5Type::real, 8, shape);
    series_.push_back({value.data, count, [=](std::span<const double> row, std::vector<double>& to) {
                         to.insert(to.end(), row.begin() + static_cast<std::ptrdiff_t>(first),
                                   row.begin() + static_cast<std::ptrdiff_t>(first + count));
                       }});
    return in_time(value);
  }
  // Adds the vectors of all points, from columns `offset` further on than the coordinates.
  Address vectors(std::size_t offset, bool by_mass) {
    const auto d = static_cast<std::size_t>(points_.dimension);
    const Hdf5File::Dataset value = file_.dataset(Hdf5Type::real, 8, {samples_, points_.all.size(), d});
    series_.push_back(
        {value.data, points_.all.size() * d, [=, this](std::span<const double> row, std::vector<double>& to) {
           for (std::size_t i = 0; i < points_.all.size(); ++i) {
             const auto v = vector_of(points_.all[i], row, offset);
             for (std::size_t a = 0; a < d; ++a) to.push_back(by_mass ? v[a] / points_.mass[i] : v[a]);
           }
         }});
    return in_time(value);
  }

  Address box() {
    const auto d = static_cast<std::size_t>(points_.dimension);
    std::string boundary;
    for (std::size_t a = 0; a < d; ++a)
      boundary += points_.box[a] > 0 ? "periodic" : std::string("none\0\0\0\0", 8);
    std::vector<Hdf5File::Link> links;
    if (points_.is_periodic())
      links.push_back({"edges", written(Hdf5Type::real, 8, {d},
                                        bytes_of(std::vector<double>(
                                            points_.box.begin(), points_.box.begin() + points_.dimension)))});
    return file_.group(
        links,
        {{"dimension", Hdf5Type::integer, 8, {}, bytes_of(std::vector<std::int64_t>{points_.dimension})},
         {"boundary", Hdf5Type::text, 8, {d}, boundary}});
  }
  // Writes the numbers of the names in /parameters/species.
  Address species() {
    std::vector<std::int64_t> number;
    for (const std::string& name : points_.species) {
      const auto at = std::find(names_.begin(), names_.end(), name);
      number.push_back(at - names_.begin());
      if (at == names_.end()) names_.push_back(name);
    }
    return written(Hdf5Type::integer, 8, {number.size()}, bytes_of(number));
  }
  Address species_names() {
    std::size_t width = 1;
    for (const std::string& name : names_) width = std::max(width, name.size());
    std::string bytes;
    for (std::string name : names_) {
      name.resize(width, '\0');
      bytes += name;
    }
    return written(Hdf5Type::text, width, {names_.size()}, bytes);
  }
  Address about() {
    const Address author = file_.group({}, {text_attribute("name", "unknown")});
    const Address creator =
        file_.group({}, {text_attribute("name", "taut"), text_attribute("version", std::string(version))});
    return file_.group({{"author", author}, {"creator", creator}},
                       {{"version", Hdf5Type::integer, 8, {2}, bytes_of(std::vector<std::int64_t>{1, 1})}});
  }

  const RunIdentity& identity_;
  const Points& points_;
  std::uint64_t samples_, done_ = 0;
  OutputFile& out_;
  Hdf5File file_;
  std::vector<std::string> columns_, names_;
  Hdf5File::Dataset time_{}, step_{};
  std::vector<Series> series_;
};

}  // namespace

std::string export_h5md(const ExportJob& job) {
  H5mdFile file(job.reader.identity(), job.points, job.samples, job.out);
  file.lay_out();
  while (const auto rows = job.reader.next()) file.add(*rows);
  return {};
}

}  // namespace taut
