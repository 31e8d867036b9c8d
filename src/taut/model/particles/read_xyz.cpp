// Reads XYZ: the number of particles, a comment, then a name and three numbers for each. Extended
// XYZ has key=value pairs in the comment: Lattice, pbc, and Properties=species:S:1:pos:R:3:…, the
// columns of the lines.
#include <taut/model/particles/file_readers.hpp>
#include <taut/model/text/source.hpp>
#include <taut/words/wording.hpp>

#include <array>
#include <set>

namespace taut {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

struct Columns {
  std::size_t count = 4, species = 0, position = 1, velocity = none, mass = none;
};

struct Comment {
  std::optional<Span> properties, lattice, pbc;
};

// Reads key=value and key="several words"; the case of the key does not matter. Anything else is skipped.
Comment comment_of(const FileLines& lines) {
  Comment found;
  const Span line = lines.line();
  const std::string_view text = lines.text(line);
  std::size_t after = 0;  // the last value
  for (std::size_t equals = text.find('='); equals != std::string_view::npos;
       equals = text.find('=', equals + 1)) {
    const std::size_t before = text.substr(after, equals - after).find_last_of(" \t");
    const std::size_t key = before == std::string_view::npos ? after : after + before + 1;
    const bool quoted = equals + 1 < text.size() && text[equals + 1] == '"';
    const std::size_t begin = equals + 1 + (quoted ? 1 : 0);
    const std::size_t end =
        std::min(quoted ? text.find('"', begin) : text.find_first_of(" \t\r", begin), text.size());
    const Span value{line.begin + begin, line.begin + end};
    std::string name(text.substr(key, equals - key));
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (name == "properties") found.properties = value;
    if (name == "lattice") found.lattice = value;
    if (name == "pbc") found.pbc = value;
    equals = end >= text.size() ? text.size() - 1 : end;
    after = std::min(end + (quoted ? 1 : 0), text.size());
  }
  return found;
}

std::vector<Span> parts_of(const FileLines& lines, Span at, std::string_view between) {
  std::vector<Span> parts;
  const std::string_view text = lines.text(at);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
    if (end > begin || between == ":") parts.push_back({at.begin + begin, at.begin + end});
    begin = end + 1;
  }
  return parts;
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  for (const std::string_view other : names)
    if (name == other) return true;
  return false;
}

std::optional<Columns> columns_of(FileLines& lines, Span properties) {
  const std::string note = "as in Properties=species:S:1:pos:R:3:velo:R:3";
  const std::vector<Span> parts = parts_of(lines, properties, ":");
  if (parts.size() % 3 != 0)
    return lines.wrong(properties, "Properties must have a name, a type and a number of columns for each",
                       note);
  Columns c{.count = 0, .species = none, .position = none};
  std::set<std::string_view> met;
  for (std::size_t k = 0; k < parts.size(); k += 3) {
    const std::string_view name = lines.text(parts[k]), type = lines.text(parts[k + 1]);
    if (!met.insert(name).second) return lines.wrong(parts[k], "Properties has " + ticked(name) + " twice");
    if (!is_one_of(type, {"S", "R", "I", "L"}))
      return lines.wrong(parts[k + 1], "a type of Properties must be S, R, I or L, not " + ticked(type),
                         note);
    const auto width = lines.whole(parts[k + 2], "a number of columns", 1, 1000);
    if (!width) return std::nullopt;
    const auto wants = [&](std::size_t& column, std::int64_t size, bool number) {
      if (*width != size || (number && type != "R" && type != "I"))
        lines.wrong(parts[k],
                    ticked(name) + " must have " + counted(static_cast<std::size_t>(size), "column") +
                        (number ? " of numbers" : ""),
                    note);
      column = c.count;
      return *width == size && (!number || type == "R" || type == "I");
    };
    bool fine = true;
    if (is_one_of(name, {"species", "Z"})) fine = wants(c.species, 1, false);
    if (name == "pos") fine = wants(c.position, 3, true);
    if (is_one_of(name, {"velo", "vel", "velocity", "velocities"})) fine = wants(c.velocity, 3, true);
    if (is_one_of(name, {"mass", "masses"})) fine = wants(c.mass, 1, true);
    if (!fine) return std::nullopt;
    c.count += static_cast<std::size_t>(*width);
  }
  if (c.position == none) return lines.wrong(properties, "Properties has no pos", note);
  return c;
}

bool read_lattice(FileLines& lines, const Comment& comment, ParticleFile& file) {
  if (!comment.lattice) return true;
  const std::vector<Span> words = parts_of(lines, *comment.lattice, " \t");
  if (words.size() != 9) {
    lines.wrong(*comment.lattice, "Lattice must have nine numbers, the three edges of the box");
    return false;
  }
  for (std::size_t k = 0; k < 9; ++k) {
    const auto x = lines.number(words[k], "an edge of the Lattice");
    if (!x) return false;
    if (k % 4 != 0 && *x != 0) {
      lines.wrong(words[k], "the Lattice is oblique",
                  "boxes here have right angles: all but x of the first edge, "
                  "y of the second and z of the third must be 0");
      return false;
    }
    if (k % 4 == 0 && !(*x > 0)) {
      lines.wrong(words[k], "an edge of the Lattice is not positive");
      return false;
    }
    if (k % 4 == 0) file.box[k / 4] = *x;
  }
  if (!comment.pbc) return true;
  const std::vector<Span> periodic = parts_of(lines, *comment.pbc, " \t");
  for (std::size_t a = 0; a < periodic.size(); ++a) {
    const std::string_view word = lines.text(periodic[a]);
    if (periodic.size() != 3 || !is_one_of(word, {"T", "F", "1", "0", "True", "False"})) {
      lines.wrong(*comment.pbc, "pbc must be T or F three times", "as in pbc=\"T T F\"");
      return false;
    }
    if (is_one_of(word, {"F", "0", "False"})) file.box[a] = 0;
  }
  return true;
}

bool read_line(FileLines& lines, const Columns& c, ParticleFile& file) {
  const std::vector<Span> words = lines.words();
  if (words.size() != c.count) {
    lines.wrong(lines.line(),
                "a line of a particle has " + counted(words.size(), "word") + " where " +
                    std::to_string(c.count) + " are expected",
                c.count == 4 ? "a name and x, y, z; more columns need Properties in the second line"
                             : "as Properties says");
    return false;
  }
  file.species.emplace_back(c.species == none ? "X" : lines.text(words[c.species]));
  const auto take = [&](std::size_t column, std::size_t count, const char* what, std::vector<double>& to) {
    for (std::size_t k = 0; k < count && column != none; ++k) {
      const auto x = lines.number(words[column + k], what);
      if (!x) return false;
      to.push_back(*x);
    }
    return true;
  };
  if (!take(c.position, 3, "a coordinate", file.position)) return false;
  if (!take(c.velocity, 3, "a velocity", file.velocity)) return false;
  return take(c.mass, 1, "a mass", file.mass);
}

// Reads the first line of a frame. At the end of the file, reports that the frame asked for is missing.
std::optional<std::int64_t> count_of(FileLines& lines, int frame, const FileChoice& choice) {
  if (!lines.next_with_words())
    return lines.wrong(
        lines.end(),
        frame == 0 ? "the file is empty"
                   : "the file has no frame " + std::to_string(choice.frame) + ": it has " +
                         counted(static_cast<std::size_t>(frame), "frame"),
        frame == 0 ? "the first line is the number of particles" : "frames are counted from 0");
  const std::vector<Span> words = lines.words();
  if (words.size() != 1)
    return lines.wrong(lines.line(),
                       "the first line of a frame is the number of particles, and nothing else");
  return lines.whole(words[0], "the number of particles", 1, choice.most_particles);
}

}  // namespace

std::optional<ParticleFile> read_xyz(FileLines& lines, const FileChoice& choice) {
  for (int frame = 0;; ++frame) {
    const auto count = count_of(lines, frame, choice);
    if (!count) return std::nullopt;
    const auto ends_early = [&](std::int64_t read) {
      return lines.wrong(lines.end(), "the file ends after " +
                                          counted(static_cast<std::size_t>(read), "particle") +
                                          " of a frame of " + std::to_string(*count));
    };
    if (!lines.next()) return ends_early(0);
    ParticleFile file;
    Columns columns;
    if (frame == choice.frame) {
      const Comment comment = comment_of(lines);
      if (comment.properties) {
        const auto said = columns_of(lines, *comment.properties);
        if (!said) return std::nullopt;
        columns = *said;
      }
      if (!read_lattice(lines, comment, file)) return std::nullopt;
    }
    for (std::int64_t i = 0; i < *count; ++i) {
      if (!lines.next()) return ends_early(i);
      if (frame == choice.frame && !read_line(lines, columns, file)) return std::nullopt;
    }
    if (frame < choice.frame) continue;
    // A wrong number shows where the next frame should begin.
    if (lines.next_with_words() && lines.words().size() != 1)
      return lines.wrong(lines.line(),
                         "something follows after the " +
                             counted(static_cast<std::size_t>(*count), "particle") + " of the frame",
                         "is their number right?");
    file.count = static_cast<int>(*count);
    return file;
  }
}

}  // namespace taut
