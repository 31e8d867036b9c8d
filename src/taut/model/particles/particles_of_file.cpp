// Reads `file` in [particles]: the particles of a file replace count and formulas.
#include <taut/model/particles/particle_reader.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

const std::vector<std::string> formats{"xyz", "pdb", "lammps"};

// Tells the format from the ending of the name.
std::optional<ParticleFormat> format_of_name(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t dot = name.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (ending == "xyz" || ending == "extxyz") return ParticleFormat::xyz;
  if (ending == "pdb" || ending == "ent") return ParticleFormat::pdb;
  if (ending == "data" || ending == "lmp" || ending == "lammps") return ParticleFormat::lammps;
  return std::nullopt;
}

}  // namespace

std::optional<ParticleFormat> ParticleReader::format_of(const Table& t, const Value& file) {
  if (const Entry* e = t.find("format")) {
    const auto at = std::find(formats.begin(), formats.end(), e->value.text);
    if (at != formats.end()) return static_cast<ParticleFormat>(at - formats.begin());
    fail(e->value, "the format must be one of " + joined(formats));
    return std::nullopt;
  }
  const auto format = format_of_name(file.text);
  if (!format)
    fail(file, "the name does not say the format of this file",
         "give format = \"xyz\", \"pdb\" or \"lammps\"");
  return format;
}

bool ParticleReader::read_file(const Table& t, Terms& terms) {
  const Entry& e = *t.find("file");
  for (const char* key : {"count", "for", "position"})
    if (const Entry* other = t.find(key)) {
      fail_key(*other, ticked(key) + " beside `file`", "the file says it");
      return false;
    }
  if (e.value.kind != Value::Kind::text || e.value.text.empty()) {
    fail(e.value, "the file must be a path in quotes", "as seen from the folder of the model");
    return false;
  }
  const auto format = format_of(t, e.value);
  FileChoice choice{.most_particles = around_.most_particles};
  if (const Entry* frame = t.find("frame")) {
    const auto number = whole(frame->value, "the frame", 0, 1e9);
    if (!number) return false;
    choice.frame = static_cast<int>(*number);
  }
  if (const Entry* style = t.find("style")) {
    if (!contains(lammps_styles(), style->value.text)) {
      fail(style->value, "the style must be one of " + joined(lammps_styles()));
      return false;
    }
    choice.style = style->value.text;
  }
  if (!format) return false;
  choice.format = *format;
  if (!around_.file) {
    fail(e.value, "a model that is not read from a folder has no files");
    return false;
  }
  FoundText found = around_.file(e.value.text);
  if (!found.text) {
    fail(e.value, "cannot read " + shown(found.name) + ": " + found.why,
         "the path is as seen from the folder of the model");
    return false;
  }
  const auto source = std::make_shared<const SourceText>(found.name, std::move(*found.text));
  files_[e.value.text] = source;
  file_ = read_particle_file(*source, choice, errors_);
  if (!file_) return false;
  terms.loops = {{"i", 0, file_->count - 1}};
  expand(terms, file_->count);
  return true;
}

// Takes positions, velocities and the box. Two-dimensional models leave out z, one-dimensional ones y as
// well, so a number there that is not 0 is an error: it would be lost.
bool ParticleReader::take_file(const Value& file) {
  const auto n = static_cast<std::size_t>(model_->count), d = static_cast<std::size_t>(model_->dimension);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = file_->position[3 * i + a],
                   v = file_->velocity.empty() ? 0 : file_->velocity[3 * i + a];
      if (a < d) {
        model_->q[a * n + i] = x;
        model_->p[a * n + i] = v;
      } else if (x != 0 || v != 0) {
        fail(file,
             "particle " + std::to_string(i) + " of the file moves in more than " + counted(d, "dimension"));
        return false;
      }
    }
  model_->box = file_->box;
  for (std::size_t a = d; a < 3; ++a) model_->box[a] = 0;
  model_->species = file_->species;
  return true;
}

// Takes the masses of the file, or those of the elements that its names stand for.
void ParticleReader::take_masses(const Value& file) {
  std::vector<double> mass = file_->mass;
  for (int i = 0; i < model_->count && file_->mass.empty(); ++i) {
    const auto weight = atomic_weight(model_->species[i]);
    if (!weight || file_->of_types) {
      fail(file,
           "the file gives no masses, and " + ticked(model_->species[i]) + " (particle " + std::to_string(i) +
               ") is no element",
           "give mass in [particles]");
      return;
    }
    mass.push_back(*weight);
  }
  for (int i = 0; i < model_->count; ++i)
    if (const std::string wrong = wrong_mass(mass[i]); !wrong.empty()) {
      fail(file, "the mass of particle " + std::to_string(i) + " in the file" + wrong);
      return;
    }
  model_->mass = std::move(mass);
}

}  // namespace taut
