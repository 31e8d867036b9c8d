// The input of a writer of one format, and the writers.
#pragma once

#include <taut/export/frames.hpp>
#include <taut/files/output_file.hpp>
#include <taut/store/sample_reader.hpp>
#include <taut/store/samples.hpp>

namespace taut {

struct ExportJob {
  SampleReader& reader;
  OutputFile& out;
  const Points& points;   // none if the format does not want them
  std::uint64_t samples;  // in the trajectory; 0 if the format does not want to know
};

std::string export_csv(const ExportJob& job);
std::string export_npy(const ExportJob& job);
std::string export_xyz(const ExportJob& job);
std::string export_dcd(const ExportJob& job);
std::string export_h5md(const ExportJob& job);

}  // namespace taut
