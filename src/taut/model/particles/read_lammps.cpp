// Reads LAMMPS data: a comment, a header (how many of what, the box), then sections in any order.
// Coefficients of force fields are skipped: another file says what they mean.
#include <taut/model/particles/file_readers.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>
#include <array>
#include <map>

namespace taut {

const std::vector<std::string>& lammps_styles() {
  static const std::vector<std::string> names{"angle", "atomic", "bond", "charge", "full", "molecular"};
  return names;
}

namespace {

constexpr std::int64_t largest_id = std::int64_t{1} << 62;
constexpr int most_types = 1'000'000;

// Sections that are skipped.
const std::vector<std::string> other_sections{"Angle Coeffs",
                                              "Angle Type Labels",
                                              "AngleAngle Coeffs",
                                              "AngleAngleTorsion Coeffs",
                                              "AngleTorsion Coeffs",
                                              "Atom Type Labels",
                                              "Bodies",
                                              "Bond Coeffs",
                                              "Bond Type Labels",
                                              "BondAngle Coeffs",
                                              "BondBond Coeffs",
                                              "BondBond13 Coeffs",
                                              "Dihedral Coeffs",
                                              "Dihedral Type Labels",
                                              "Ellipsoids",
                                              "EndBondTorsion Coeffs",
                                              "Improper Coeffs",
                                              "Improper Type Labels",
                                              "Impropers",
                                              "Lines",
                                              "MiddleBondTorsion Coeffs",
                                              "Pair Coeffs",
                                              "PairIJ Coeffs",
                                              "Triangles"};
const std::vector<std::string> own_sections{"Angles", "Atoms", "Bonds", "Dihedrals", "Masses", "Velocities"};

bool begins_a_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class LammpsReader {
 public:
  LammpsReader(FileLines& lines, const FileChoice& choice) : lines_(lines), choice_(choice) {}

  std::optional<ParticleFile> read() {
    lines_.next();  // the first line says nothing
    if (!read_header()) return std::nullopt;
    while (!lines_.ended())
      if (!read_section()) return std::nullopt;
    if (file_.count == 0) return lines_.wrong(lines_.end(), "the file has no section Atoms");
    if (!everything_came()) return std::nullopt;
    add_masses();
    return std::move(file_);
  }

 private:
  struct Axis {
    double low = 0, length = 0;
  };

  bool complain(Span at, std::string sentence, std::string note = {}) {
    lines_.wrong(at, std::move(sentence), std::move(note));
    return false;
  }
  std::string rest_of(const std::vector<Span>& words, std::size_t from) const {
    std::string text;
    for (std::size_t k = from; k < words.size(); ++k) {
      if (k > from) text.push_back(' ');
      text.append(lines_.text(words[k]));
    }
    return text;
  }

  // Reads up to the first line that begins with a letter, where a section begins; that line is then
  // the present one.
  bool read_header() {
    while (next_line()) {
      if (begins_a_word(lines_.text(words_[0])[0])) break;
      if (!read_header_line()) return false;
    }
    if (!count_.contains("atoms"))
      return complain(lines_.line(), "the header does not say how many atoms there are", "as in 100 atoms");
    for (std::size_t a = 0; a < 3; ++a)
      if (!(axis_[a].length > 0))
        return complain(lines_.line(), std::string("the header does not say the box in ") + "xyz"[a],
                        std::string("as in 0.0 10.0 ") + "xyz"[a] + "lo " + "xyz"[a] + "hi");
    return true;
  }
  bool next_line() {
    while (lines_.next()) {
      words_ = lines_.words('#');
      if (!words_.empty()) return true;
    }
    words_.clear();
    return false;
  }
  bool read_header_line() {
    static const std::array<std::string, 3> box{"xlo xhi", "ylo yhi", "zlo zhi"};
    for (std::size_t a = 0; a < 3; ++a)
      if (rest_of(words_, 2) == box[a]) return read_axis(a);
    if (rest_of(words_, 3) == "xy xz yz") return read_tilt();
    static const std::vector<std::string> counts{"angle types",    "angles",   "atom types",     "atoms",
                                                 "bond types",     "bonds",    "dihedral types", "dihedrals",
                                                 "improper types", "impropers"};
    const std::string what = rest_of(words_, 1);
    if (!contains(counts, what)) {
      // The lines extra … per atom, bodies, ellipsoids, … make room for data that is not read here.
      static const std::vector<std::string> rest{"bodies", "ellipsoids", "lines", "triangles"};
      if (contains(rest, what) || what.starts_with("extra ")) return true;
      return complain(lines_.line(), "this is no line of a header", known_names("known here:", what, counts));
    }
    const bool types = what.ends_with(" types");
    const auto n =
        lines_.whole(words_[0], "the number of " + what, 0, types ? most_types : choice_.most_particles);
    if (n) count_[what] = *n;
    return n.has_value();
  }
  bool read_axis(std::size_t a) {
    const auto low = lines_.number(words_[0], "an end of the box"),
               high = lines_.number(words_[1], "an end of the box");
    if (!low || !high) return false;
    axis_[a] = {*low, *high - *low};
    file_.box[a] = axis_[a].length;
    return axis_[a].length > 0 || complain(lines_.line(), "the box has no extent here");
  }
  bool read_tilt() {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto tilt = lines_.number(words_[k], "a tilt of the box");
      if (!tilt) return false;
      if (*tilt != 0) return complain(words_[k], "the box is oblique", "boxes here have right angles");
    }
    return true;
  }

  bool read_section() {
    const std::string name = rest_of(words_, 0);
    if (contains(other_sections, name)) {
      while (next_line() && !begins_a_word(lines_.text(words_[0])[0])) {
      }
      return true;
    }
    if (contains(own_sections, name) && !read_.emplace(name, lines_.line()).second)
      return complain(lines_.line(), "a second section " + name);
    if (name == "Masses") return entries(name, "atom types", &LammpsReader::read_mass);
    if (name == "Atoms")
      return choose_style() && entries(name, "atoms", &LammpsReader::read_atom) && number_atoms();
    if (name == "Velocities")
      return after_atoms(name) && entries(name, "atoms", &LammpsReader::read_velocity);
    if (name == "Bonds") return after_atoms(name) && entries(name, "bonds", &LammpsReader::read_bond);
    if (name == "Angles") return after_atoms(name) && entries(name, "angles", &LammpsReader::read_angle);
    if (name == "Dihedrals")
      return after_atoms(name) && entries(name, "dihedrals", &LammpsReader::read_dihedral);
    return complain(lines_.line(), "there is no section " + ticked(name),
                    known_names("those that are read:", name, own_sections));
  }
  bool after_atoms(const std::string& name) {
    return file_.count > 0 || complain(lines_.line(), "the section " + name + " must come after Atoms");
  }
  // Reads as many lines as the header says; the line after them is then the present one.
  bool entries(const std::string& section, const std::string& what, bool (LammpsReader::*take)()) {
    const auto said = count_.find(what);
    const std::int64_t count = said == count_.end() ? 0 : said->second;
    for (std::int64_t k = 0; k < count; ++k) {
      const bool there = next_line();
      if (!there || begins_a_word(lines_.text(words_[0])[0]))
        return complain(there ? lines_.line() : lines_.end(), section + " has " + std::to_string(k) +
                                                                  " lines, and the header says " +
                                                                  std::to_string(count) + " " + what);
      if (!(this->*take)()) return false;
    }
    if (next_line() && !begins_a_word(lines_.text(words_[0])[0]))
      return complain(lines_.line(), section + " has more lines than the header says: " +
                                         std::to_string(count) + " " + what);
    return true;
  }
  bool has_words(std::size_t least, std::size_t most, const std::string& expected) {
    if (words_.size() >= least && words_.size() <= most) return true;
    return complain(lines_.line(), "this line has " + counted(words_.size(), "word"),
                    "expected: " + expected);
  }

  bool read_mass() {
    if (!has_words(2, 2, "type mass")) return false;
    const auto type = type_of(words_[0], "atom types");
    const auto mass = type ? lines_.number(words_[1], "a mass") : std::nullopt;
    if (!mass) return false;
    if (!(*mass > 0)) return complain(words_[1], "a mass must be positive");
    mass_[*type] = *mass;
    return true;
  }
  std::optional<int> type_of(Span at, const std::string& of) {
    const auto types = count_.find(of);
    if (types == count_.end())
      return lines_.wrong(at, "a type, and the header does not say how many " + of + " there are");
    const auto type = lines_.whole(at, "a type", 1, std::max<std::int64_t>(1, types->second));
    return type ? std::optional(static_cast<int>(*type)) : std::nullopt;
  }

  // Reads the style from "Atoms # full"; otherwise takes the one that the model gives.
  bool choose_style() {
    const std::string_view line = lines_.text(lines_.line());
    const std::size_t hash = line.find('#');
    if (hash != std::string_view::npos) {
      const std::size_t begin = std::min(line.find_first_not_of("# \t", hash), line.size());
      style_ = line.substr(begin, std::min(line.find_first_of(" \t\r/", begin), line.size()) - begin);
    }
    if (style_.empty()) style_ = choice_.style;
    if (style_.empty())
      return complain(lines_.line(), "the file does not say the style of its atoms",
                      "as in `Atoms # full`, or with style = \"full\" in [particles]");
    if (!contains(lammps_styles(), style_))
      return complain(lines_.line(), "the style " + ticked(style_) + " is not read",
                      known_names("known here:", style_, lammps_styles()));
    return true;
  }
  bool read_atom() {
    const bool molecule = style_ != "atomic" && style_ != "charge",
               charge = style_ == "full" || style_ == "charge";
    const std::size_t type_at = molecule ? 2 : 1, x_at = type_at + (charge ? 2 : 1);
    const std::string expected = std::string("id ") + (molecule ? "molecule " : "") + "type " +
                                 (charge ? "charge " : "") + "x y z, and three image flags or none";
    if (!has_words(x_at + 3, x_at + 6, expected)) return false;
    if (words_.size() != x_at + 3 && words_.size() != x_at + 6) return has_words(0, 0, expected);
    const auto id = lines_.whole(words_[0], "the number of an atom", 0, largest_id);
    const auto type = id ? type_of(words_[type_at], "atom types") : std::nullopt;
    if (!type) return false;
    Atom atom{*id, *type, {}, words_[0]};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto x = lines_.number(words_[x_at + a], "a coordinate");
      if (!x) return false;
      atom.x[a] = *x;
      if (words_.size() == x_at + 3) continue;
      const auto image = lines_.whole(words_[x_at + 3 + a], "an image flag", -1000000000, 1000000000);
      if (!image) return false;
      atom.x[a] += static_cast<double>(*image) * axis_[a].length;
    }
    atoms_.push_back(atom);
    return true;
  }
  // Puts the atoms in the order of their numbers.
  bool number_atoms() {
    std::sort(atoms_.begin(), atoms_.end(), [](const Atom& a, const Atom& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (i > 0 && atoms_[i].id == atoms_[i - 1].id)
        return complain(atoms_[i].at, "there are two atoms " + std::to_string(atoms_[i].id));
      file_.species.push_back(std::to_string(atoms_[i].type));
      file_.position.insert(file_.position.end(), atoms_[i].x.begin(), atoms_[i].x.end());
    }
    file_.count = static_cast<int>(atoms_.size());
    file_.of_types = true;
    return true;
  }
  std::optional<int> atom(Span at) {
    const auto id = lines_.whole(at, "the number of an atom", 0, largest_id);
    if (!id) return std::nullopt;
    const auto found = std::lower_bound(atoms_.begin(), atoms_.end(), *id,
                                        [](const Atom& a, std::int64_t b) { return a.id < b; });
    if (found == atoms_.end() || found->id != *id)
      return lines_.wrong(at, "there is no atom " + std::to_string(*id));
    return static_cast<int>(found - atoms_.begin());
  }

  bool read_velocity() {
    if (!has_words(4, 4, "id vx vy vz")) return false;
    const auto i = atom(words_[0]);
    if (!i) return false;
    file_.velocity.resize(file_.position.size(), 0);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto v = lines_.number(words_[a + 1], "a velocity");
      if (!v) return false;
      file_.velocity[3 * static_cast<std::size_t>(*i) + a] = *v;
    }
    return true;
  }
  bool read_bond() { return read_term(2, "bond types", file_.bonds); }
  bool read_angle() { return read_term(3, "angle types", file_.angles); }
  bool read_dihedral() { return read_term(4, "dihedral types", file_.dihedrals); }
  bool read_term(std::size_t size, const std::string& types, std::vector<FileTerm>& to) {
    if (!has_words(size + 2, size + 2, "id type and " + std::to_string(size) + " atoms")) return false;
    const auto type = type_of(words_[1], types);
    if (!type) return false;
    FileTerm term{*type, {}};
    for (std::size_t k = 0; k < size; ++k) {
      const auto i = atom(words_[k + 2]);
      if (!i) return false;
      for (std::size_t other = 0; other < k; ++other)
        if (term.particle[other] == *i) return complain(words_[k + 2], "the same atom twice");
      term.particle[k] = *i;
    }
    to.push_back(term);
    return true;
  }

  bool everything_came() {
    const std::array<std::pair<const char*, const char*>, 3> sections{
        {{"bonds", "Bonds"}, {"angles", "Angles"}, {"dihedrals", "Dihedrals"}}};
    for (const auto& [what, section] : sections)
      if (count_.contains(what) && count_[what] > 0 && !read_.contains(section))
        return complain(lines_.end(), "the header says " + std::to_string(count_[what]) + " " + what +
                                          ", and the file has no section " + section);
    if (read_.contains("Masses")) {
      for (const Atom& a : atoms_)
        if (!mass_.contains(a.type))
          return complain(read_.at("Masses"), "Masses has none of type " + std::to_string(a.type));
    }
    return true;
  }
  void add_masses() {
    if (mass_.empty()) return;
    for (const Atom& a : atoms_) file_.mass.push_back(mass_.at(a.type));
  }

  struct Atom {
    std::int64_t id;
    int type;
    std::array<double, 3> x;
    Span at;
  };

  FileLines& lines_;
  const FileChoice& choice_;
  ParticleFile file_;
  std::vector<Span> words_;  // those of the line
  std::map<std::string, std::int64_t> count_;
  std::map<std::string, Span> read_;  // sections, and where they begin
  std::array<Axis, 3> axis_{};
  std::map<int, double> mass_;
  std::string style_;
  std::vector<Atom> atoms_;
};

}  // namespace

std::optional<ParticleFile> read_lammps(FileLines& lines, const FileChoice& choice) {
  return LammpsReader(lines, choice).read();
}

}  // namespace taut
