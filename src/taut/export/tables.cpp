// The samples as they are: text, or an array for numpy.
#include <taut/export/formats.hpp>

#include <fmt/format.h>

namespace taut {

std::string export_csv(const ExportJob& job) {
  SampleReader& reader = job.reader;
  job.out.write(csv_header(reader.identity()));
  while (const auto rows = reader.next()) {
    std::string lines;
    for (std::size_t i = 0; i < rows->size(); i += reader.columns())
      append_csv(lines, std::span(*rows).subspan(i, reader.columns()));
    job.out.write(lines);
  }
  return {};
}

namespace {

// Returns the header of version 1.0 of the format, 128 bytes long whatever the number of rows.
std::string npy_header(std::uint64_t rows, std::size_t columns) {
  std::string text =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n";
}

}  // namespace

std::string export_npy(const ExportJob& job) {
  SampleReader& reader = job.reader;
  job.out.write(npy_header(0, reader.columns()));
  while (const auto rows = reader.next())
    job.out.write({reinterpret_cast<const char*>(rows->data()), rows->size() * sizeof(double)});
  job.out.write_at(0, npy_header(reader.samples(), reader.columns()));  // now their number is known
  return {};
}

}  // namespace taut
