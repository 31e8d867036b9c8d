#include <taut/contract/request.hpp>
#include <taut/ensemble/export.hpp>
#include <taut/ensemble/npy.hpp>
#include <taut/files/output_file.hpp>
#include <taut/words/nearest_name.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace taut {

namespace {

// Whatever may be refused is refused before the file is made.
void check_asked(const EnsembleFolder& folder, const std::string& path, EnsemblePart part) {
  if (!path.empty()) refuse_ensemble_files(folder.folder().path(), path, "--out");
  if (part == EnsemblePart::samples && folder.manifest().samples == 0)
    throw InputError(
        fmt::format("{} holds no samples: they are kept if --every says how often.", folder.folder().path()));
}

// Returns the missing units, and writes what `text` makes of each, with how many trajectories it has. A unit
// that cannot be read now may be there: a file without it would be wrong.
std::vector<std::int64_t> each_unit_written(
    const EnsembleFolder& folder, OutputFile& file, std::vector<std::string>* damage,
    const std::function<std::string(const std::optional<Unit>&, std::int64_t count)>& text) {
  std::vector<std::int64_t> missing;
  const Manifest& m = folder.manifest();
  for (std::int64_t k = 0; k < m.units(); ++k) {
    const FoundUnit found = folder.read(k);
    if (found.unread) throw InputError(found.damage + ".");
    if (!found.unit) missing.push_back(k);
    if (damage != nullptr && !found.damage.empty()) damage->push_back(found.damage);
    file.write(text(found.unit, std::min(m.unit, m.size - k * m.unit)));
  }
  file.close();
  return missing;
}

void put_row(std::string& text, std::span<const double> row) {
  for (const double x : row) text += fmt::format(",{}", x);
  text += '\n';
}

std::string ends_as_text(const Unit& u) {
  std::string text;
  for (int i = 0; i < u.count; ++i) {
    const Ending& e = u.endings[static_cast<std::size_t>(i)];
    text += fmt::format("{},{},{},{},{},{}", u.first() + i, name_of(e.kind), e.steps, e.time, e.constraint,
                        e.residual);
    const auto columns = static_cast<std::size_t>(u.columns);
    put_row(text, std::span(u.rows).subspan(static_cast<std::size_t>(i) * columns, columns));
  }
  return text;
}

std::string samples_as_text(const Unit& u) {
  std::string text;
  const auto columns = static_cast<std::size_t>(u.sample_columns);
  std::size_t at = 0;
  for (int i = 0; i < u.count; ++i)
    for (int s = 0; s < u.samples; ++s, at += columns) {
      text += fmt::format("{},{}", u.first() + i, s);
      put_row(text, std::span(u.sampled).subspan(at, columns));
    }
  return text;
}

}  // namespace

std::vector<std::int64_t> export_npy(const EnsembleFolder& folder, const std::string& path, EnsemblePart part,
                                     std::vector<std::string>* damage) {
  check_asked(folder, path, part);
  const Manifest& m = folder.manifest();
  const bool ends = part == EnsemblePart::ends;
  const auto width = static_cast<std::int64_t>(ends ? m.columns.size() : m.sample_columns.size());
  const std::int64_t row = ends ? width : width * m.samples;
  OutputFile file(path);
  file.write(ends ? npy_header({m.size, width}) : npy_header({m.size, m.samples, width}));
  return each_unit_written(folder, file, damage, [&](const std::optional<Unit>& u, std::int64_t count) {
    std::string bytes;
    if (!u)
      for (std::int64_t k = 0; k < count * row; ++k) put_number(bytes, std::nan(""));
    else
      for (const double x : ends ? u->rows : u->sampled) put_number(bytes, x);
    return bytes;
  });
}

std::vector<std::int64_t> export_csv(const EnsembleFolder& folder, const std::string& path, EnsemblePart part,
                                     std::vector<std::string>* damage) {
  check_asked(folder, path, part);
  const bool ends = part == EnsemblePart::ends;
  const Manifest& m = folder.manifest();
  OutputFile file(path);
  file.write(
      ends ? fmt::format("trajectory,ended,steps,ended_at,constraint,residual,{}\n", joined(m.columns, ","))
           : fmt::format("trajectory,sample,{}\n", joined(m.sample_columns, ",")));
  return each_unit_written(folder, file, damage, [&](const std::optional<Unit>& u, std::int64_t) {
    return !u ? std::string() : ends ? ends_as_text(*u) : samples_as_text(*u);
  });
}

}  // namespace taut
