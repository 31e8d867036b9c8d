// Reads PDB: ATOM, HETATM, CONECT, CRYST1, MODEL, all in fixed columns. Other records are skipped.
#include <taut/model/particles/file_readers.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/wording.hpp>

#include <charconv>
#include <map>
#include <set>

namespace taut {

namespace {

constexpr int twice = -1;  // in place of a particle, if several have that serial number

class PdbReader {
 public:
  PdbReader(FileLines& lines, const FileChoice& choice) : lines_(lines), choice_(choice) {}

  std::optional<ParticleFile> read() {
    while (lines_.next())
      if (!read_record()) return std::nullopt;
    if (file_.count == 0)
      return lines_.wrong(lines_.end(),
                          choice_.frame == 0 ? "the file has no ATOM and no HETATM"
                                             : "the file has no model " + std::to_string(choice_.frame),
                          choice_.frame == 0 ? "" : "models are counted from 0");
    for (const Bond& bond : conect_)
      if (!add_bond(bond)) return std::nullopt;
    return std::move(file_);
  }

 private:
  struct Bond {
    Span from, to;
  };

  bool read_record() {
    const std::string_view record = lines_.text(lines_.columns(1, 6));
    if (record == "ATOM" || record == "HETATM") {
      inside_ = true;
      return model_ != choice_.frame || read_atom();
    }
    if (record == "CONECT") keep_conect();
    if (record == "CRYST1") return read_box();
    if ((record == "ENDMDL" || record == "END") && inside_) {
      ++model_;
      inside_ = false;
    }
    return true;
  }

  bool read_atom() {
    if (file_.count >= choice_.most_particles) return complain(lines_.line(), "these are too many particles");
    const Span other = lines_.columns(17, 17);
    if (other.end > other.begin)
      return complain(other, "the place of this atom is one of several (column 17)",
                      "keep one of them in the file");
    for (const std::size_t first : {31U, 39U, 47U}) {
      const Span at = lines_.columns(first, first + 7);
      if (at.begin == at.end)
        return complain(lines_.line(), "the line has no coordinates",
                        "x is in columns 31 to 38, y in 39 to 46, z in 47 to 54");
      const auto x = lines_.number(at, "a coordinate");
      if (!x) return false;
      file_.position.push_back(*x);
    }
    file_.species.push_back(element());
    if (const auto serial = serial_of(lines_.columns(7, 11))) {
      const auto [at, is_new] = index_.emplace(*serial, file_.count);
      if (!is_new) at->second = twice;
    }
    ++file_.count;
    return true;
  }

  // Returns columns 77 and 78. If they are empty, the element comes from the name, in which it
  // ends in column 14.
  std::string element() const {
    const Span said = lines_.columns(77, 78);
    if (said.end > said.begin) return std::string(lines_.text(said));
    const std::string_view name = lines_.text(lines_.columns(13, 16));
    const Span first = lines_.columns(13, 13);
    const bool letter =
        first.end > first.begin && (lines_.text(first)[0] < '0' || lines_.text(first)[0] > '9');
    if (!letter) return std::string(lines_.text(lines_.columns(14, 14)));
    if (name.size() == 4 && name[0] == 'H') return "H";
    return std::string(lines_.text(lines_.columns(13, 14)));
  }

  std::optional<long> serial_of(Span at) const {
    const std::string_view word = lines_.text(at);
    long serial = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), serial);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return serial;
  }

  void keep_conect() {
    const Span from = lines_.columns(7, 11);
    for (const std::size_t first : {12U, 17U, 22U, 27U}) {
      const Span to = lines_.columns(first, first + 4);
      if (to.end > to.begin) conect_.push_back({from, to});
    }
  }
  std::optional<int> atom(Span at) {
    const auto serial = serial_of(at);
    if (!serial)
      return lines_.wrong(at, "the number of an atom is expected here, not " + ticked(lines_.text(at)));
    const auto found = index_.find(*serial);
    if (found == index_.end()) return lines_.wrong(at, "there is no atom " + std::to_string(*serial));
    if (found->second == twice) return lines_.wrong(at, "there are several atoms " + std::to_string(*serial));
    return found->second;
  }
  bool add_bond(const Bond& bond) {
    const auto i = atom(bond.from), j = i ? atom(bond.to) : std::nullopt;
    if (!i || !j) return false;
    if (*i == *j) return complain(bond.to, "an atom is bonded to itself");
    // Each bond is listed from both ends, and a double bond twice.
    if (bonded_.insert({std::min(*i, *j), std::max(*i, *j)}).second)
      file_.bonds.push_back({0, {std::min(*i, *j), std::max(*i, *j)}});
    return true;
  }

  bool read_box() {
    std::array<double, 3> edge{};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto length = lines_.number(lines_.columns(7 + 9 * a, 15 + 9 * a), "an edge of the cell");
      const auto angle = lines_.number(lines_.columns(34 + 7 * a, 40 + 7 * a), "an angle of the cell");
      if (!length || !angle) return false;
      if (*angle != 90)
        return complain(lines_.columns(34 + 7 * a, 40 + 7 * a), "the cell is oblique",
                        "boxes here have right angles");
      if (!(*length > 0))
        return complain(lines_.columns(7 + 9 * a, 15 + 9 * a), "an edge of the cell is not positive");
      edge[a] = *length;
    }
    // Edges of 1 mean that the structure is not that of a crystal.
    if (edge != std::array<double, 3>{1, 1, 1}) file_.box = edge;
    return true;
  }

  bool complain(Span at, std::string sentence, std::string note = {}) {
    lines_.wrong(at, std::move(sentence), std::move(note));
    return false;
  }

  FileLines& lines_;
  const FileChoice& choice_;
  ParticleFile file_;
  int model_ = 0;
  bool inside_ = false;
  std::map<long, int> index_;
  std::vector<Bond> conect_;
  std::set<std::pair<int, int>> bonded_;
};

}  // namespace

std::optional<ParticleFile> read_pdb(FileLines& lines, const FileChoice& choice) {
  return PdbReader(lines, choice).read();
}

}  // namespace taut
