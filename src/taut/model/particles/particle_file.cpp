#include <taut/model/particles/file_readers.hpp>

namespace taut {

namespace {

// Finds a control character. They have no place in these formats, and a checkpoint that holds the file
// would grow by them.
std::optional<Span> control_character(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) return Span{i, i + 1};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ParticleFile> read_particle_file(const SourceText& source, const FileChoice& choice,
                                               std::vector<ModelError>& errors) {
  FileLines lines(source, errors);
  if (const auto at = control_character(source.text()))
    return lines.wrong(*at, "there is a control character here", "the file must be text");
  switch (choice.format) {
    case ParticleFormat::xyz:
      return read_xyz(lines, choice);
    case ParticleFormat::pdb:
      return read_pdb(lines, choice);
    case ParticleFormat::lammps:
      break;
  }
  return read_lammps(lines, choice);
}

}  // namespace taut
