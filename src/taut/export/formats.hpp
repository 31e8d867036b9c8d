// One writer for each format; export_samples chooses.
#pragma once

#include <taut/export/frames.hpp>
#include <taut/store/output_file.hpp>
#include <taut/store/sample_reader.hpp>
#include <taut/store/samples.hpp>

namespace taut {

void export_csv(SampleReader& reader, OutputFile& out);
void export_npy(SampleReader& reader, OutputFile& out);
void export_xyz(SampleReader& reader, const Points& points, OutputFile& out);
// What the format cannot say and a user should know; empty: nothing.
std::string export_dcd(SampleReader& reader, const Points& points, OutputFile& out);
// `samples` of them are in the trajectory.
void export_h5md(SampleReader& reader, const Points& points, std::uint64_t samples, OutputFile& out);

}  // namespace taut
