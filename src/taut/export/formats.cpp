#include <taut/export/export.hpp>
#include <taut/export/formats.hpp>

namespace taut {

std::span<const ExportFormat> export_formats() {
  static constexpr ExportFormat rows[] = {
      {.name = "csv", .what = "text, one line a sample", .write = export_csv},
      {.name = "npy",
       .what = "an array for numpy, one row a sample",
       .wants_file = true,
       .write = export_npy},
      {.name = "xyz",
       .what = "extended XYZ: positions of points, for viewers of molecules",
       .wants_points = true,
       .write = export_xyz},
      {.name = "dcd",
       .what = "the same in 32 bits, as CHARMM and NAMD write it",
       .wants_points = true,
       .wants_file = true,
       .write = export_dcd},
      {.name = "h5md",
       .what = "HDF5 in the layout H5MD: positions, velocities, energies",
       .wants_points = true,
       .wants_file = true,
       .wants_count = true,
       .write = export_h5md},
  };
  return rows;
}

}  // namespace taut
