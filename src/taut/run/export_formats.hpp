// One writer for each format; export_samples chooses.
#pragma once

#include <taut/run/frames.hpp>
#include <taut/run/output_file.hpp>

namespace taut {

void export_csv(TrajectoryReader& reader, OutputFile& out);
void export_npy(TrajectoryReader& reader, OutputFile& out);
void export_xyz(TrajectoryReader& reader, const Points& points, OutputFile& out);
void export_dcd(TrajectoryReader& reader, const Points& points, OutputFile& out);
// `samples` of them are in the trajectory.
void export_h5md(TrajectoryReader& reader, const Points& points, std::uint64_t samples, OutputFile& out);

}  // namespace taut
