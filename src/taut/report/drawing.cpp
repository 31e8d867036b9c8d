#include <taut/model/particles/particle_model.hpp>
#include <taut/report/drawing.hpp>
#include <taut/solve/dense_systems.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace taut {

namespace {

using BodyPlace = DrawTable::Place;
using Frames = std::vector<std::vector<double>>;

// The allowed relative spread of a distance. Methods that drift off the manifold are drawn with
// their rods too.
constexpr double rigid = 1e-5;
constexpr std::size_t most_bodies = 2000;

bool is_axis(char c) { return c == 'x' || c == 'y' || c == 'z'; }

// Splits a name: "x1" is x of body 1, "ax" is x of body a. If both readings are possible, the axis is
// the first letter.
std::optional<std::pair<std::string, int>> body_and_axis(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (is_axis(name.front())) return std::pair(name.substr(1), name.front() - 'x');
  if (is_axis(name.back())) return std::pair(name.substr(0, name.size() - 1), name.back() - 'x');
  return std::nullopt;
}

BodyPlace place_of(int x, int y, int z) { return {DrawTable::Number{x, 0}, {y, 0}, {z, 0}}; }

struct Bodies {
  int dimension = 2;
  std::vector<BodyPlace> places;
  std::vector<std::string> names;
};

Bodies bodies_by_name(const std::vector<std::string>& coordinates) {
  std::vector<std::string> order;
  std::map<std::string, std::array<int, 3>> found;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const auto part = body_and_axis(coordinates[k]);
    if (!part) continue;
    const auto [at, fresh] = found.try_emplace(part->first, std::array<int, 3>{-1, -1, -1});
    if (fresh) order.push_back(part->first);
    at->second[static_cast<std::size_t>(part->second)] = static_cast<int>(k);
  }
  Bodies bodies;
  for (const std::string& name : order) {
    const auto& axes = found[name];
    const auto given = 3 - std::count(axes.begin(), axes.end(), -1);
    if (given < 2) continue;
    if (axes[2] >= 0) bodies.dimension = 3;
    bodies.places.push_back(place_of(axes[0], axes[1], axes[2]));
    bodies.names.push_back(name.empty() ? "mass" : name);
  }
  // A plane other than x, y is turned to x, y.
  if (bodies.dimension == 3 &&
      std::all_of(bodies.places.begin(), bodies.places.end(),
                  [](const BodyPlace& p) { return (p[0].coordinate < 0) != (p[1].coordinate < 0); })) {
    for (BodyPlace& p : bodies.places) p = {p[0].coordinate < 0 ? p[1] : p[0], p[2], {}};
    bodies.dimension = 2;
  }
  return bodies;
}

double value(const DrawTable::Number& number, std::span<const double> q) {
  return number.coordinate < 0 ? number.value : q[static_cast<std::size_t>(number.coordinate)];
}

Point point(const BodyPlace& place, std::span<const double> q) {
  return {value(place[0], q), value(place[1], q), value(place[2], q)};
}

double dot(const Point& a, const Point& b) { return a[0] * b[0] + (a[1] * b[1] + a[2] * b[2]); }

double distance(const Point& a, const Point& b) {
  const Point between = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return std::sqrt(dot(between, between));
}

bool keeps_distance(const BodyPlace& a, const BodyPlace& b, const Frames& frames) {
  double low = HUGE_VAL, high = 0;
  for (const auto& q : frames) {
    const double d = distance(point(a, q), point(b, q));
    low = std::min(low, d);
    high = std::max(high, d);
  }
  return high > 0 && high - low < rigid * high;
}

double way(const BodyPlace& a, const Frames& frames) {
  double most = 0;
  for (const auto& q : frames) most = std::max(most, distance(point(a, q), point(a, frames.front())));
  return most;
}

BodyPlace fixed_at(const Point& c) { return {DrawTable::Number{-1, c[0]}, {-1, c[1]}, {-1, c[2]}}; }

// Finds the point from which a body keeps its distance: the origin if it does so from there, otherwise the
// centre of the circle or sphere through its path, from the linear equations 2 x·c + (r² - c²) = x². Gives
// nothing if the path is no such curve or does not determine one.
std::optional<Point> pivot(const BodyPlace& body, int dimension, const Frames& frames) {
  // A body at rest keeps its distance from every point; rounding may move it.
  const Point start = point(body, frames.front());
  if (!(way(body, frames) > 1e-9 * std::max(1.0, std::sqrt(dot(start, start))))) return std::nullopt;
  if (keeps_distance(body, fixed_at({}), frames)) return Point{};
  DenseMatrix A(static_cast<int>(frames.size()), dimension + 1);
  std::vector<double> b;
  for (int i = 0; i < A.rows; ++i) {
    const Point x = point(body, frames[static_cast<std::size_t>(i)]);
    for (int k = 0; k < dimension; ++k) A(i, k) = 2 * x[static_cast<std::size_t>(k)];
    A(i, dimension) = 1;
    b.push_back(dot(x, x));
  }
  const auto found = least_squares(A, b, 1e-6);
  if (!found) return std::nullopt;
  Point c = {};
  const double rounding = 1e-9 * *std::max_element(b.begin(), b.end());
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimension); ++k)
    if (std::abs((*found)[k]) >= rounding) c[k] = (*found)[k];
  if (!keeps_distance(body, fixed_at(c), frames)) return std::nullopt;
  return c;
}

// Asks whether a path in space lies in a plane: then it is a circle, and not a curve on a sphere.
bool is_flat(const BodyPlace& body, const Frames& frames) {
  const Point from = point(body, frames.front());
  const auto off = [&](const std::vector<double>& q) {
    const Point x = point(body, q);
    return Point{x[0] - from[0], x[1] - from[1], x[2] - from[2]};
  };
  const auto cross = [](const Point& a, const Point& b) {
    return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  Point far = {}, normal = {};
  for (const auto& q : frames)
    if (dot(off(q), off(q)) > dot(far, far)) far = off(q);
  for (const auto& q : frames)
    if (const Point n = cross(far, off(q)); dot(n, n) > dot(normal, normal)) normal = n;
  const double size = std::sqrt(dot(normal, normal) * dot(far, far));
  return std::all_of(frames.begin(), frames.end(),
                     [&](const auto& q) { return std::abs(dot(normal, off(q))) <= 1e-6 * size; });
}

class Finder {
 public:
  Finder(const DrawingHints& hints, const Frames& frames, Drawing& drawing)
      : hints_(hints), frames_(frames), drawing_(drawing) {
    for (std::size_t b = 0; b < drawing.places.size(); ++b)
      for (const auto& number : drawing.places[b])
        if (number.coordinate >= 0) body_of_[number.coordinate] = b;
  }

  void links() {
    for (const auto& coordinates : hints_.constraints) {
      const std::set<std::size_t> touched = bodies_of(coordinates);
      if (touched.size() == 1) hold(*touched.begin());
      if (touched.size() == 2) join(*touched.begin(), *touched.rbegin());
    }
  }

 private:
  // Returns none if a coordinate belongs to no body.
  std::set<std::size_t> bodies_of(const std::vector<int>& coordinates) const {
    std::set<std::size_t> touched;
    for (const int k : coordinates) {
      const auto body = body_of_.find(k);
      if (body == body_of_.end()) return {};
      touched.insert(body->second);
    }
    return touched;
  }

  void join(std::size_t a, std::size_t b) {
    if (!keeps_distance(drawing_.places[a], drawing_.places[b], frames_)) return;
    const std::pair link(static_cast<int>(a), static_cast<int>(b));
    auto& links = drawing_.picture.links;
    if (std::find(links.begin(), links.end(), link) == links.end()) links.push_back(link);
  }

  // Draws a rod to the pivot in the plane, also if that lies in space. Otherwise the body moves on a sphere,
  // and nothing says that there is a rod.
  void hold(std::size_t body) {
    const auto centre = pivot(drawing_.places[body], drawing_.dimension, frames_);
    if (!centre) return;
    Animation& picture = drawing_.picture;
    const Point& at = *centre;
    if (drawing_.dimension == 3 && !is_flat(drawing_.places[body], frames_)) {
      const double radius = distance(point(drawing_.places[body], frames_.front()), at);
      for (const auto& sphere : picture.spheres)
        if (sphere.centre == at && std::abs(sphere.radius - radius) < rigid * radius) return;
      picture.spheres.push_back({at, radius});
      return;
    }
    auto known = std::find(picture.anchors.begin(), picture.anchors.end(), at);
    if (known == picture.anchors.end()) known = picture.anchors.insert(known, at);
    const std::pair link(static_cast<int>(body), static_cast<int>(drawing_.places.size()) +
                                                     static_cast<int>(known - picture.anchors.begin()));
    if (std::find(picture.links.begin(), picture.links.end(), link) == picture.links.end())
      picture.links.push_back(link);
  }

  const DrawingHints& hints_;
  const Frames& frames_;
  Drawing& drawing_;
  std::map<int, std::size_t> body_of_;
};

// Asks whether the nine coordinates are an orthonormal matrix, column by column, in every frame.
bool is_rotation(const Frames& frames) {
  if (frames.empty() || frames.front().size() != 9) return false;
  return std::all_of(frames.begin(), frames.end(), [](const std::vector<double>& q) {
    const auto column = [&](std::size_t k) { return Point{q[3 * k], q[3 * k + 1], q[3 * k + 2]}; };
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        if (!(std::abs(dot(column(i), column(j)) - (i == j ? 1 : 0)) < 1e-3)) return false;
    return true;
  });
}

Drawing rotating_axes(const DrawingHints& hints) {
  Drawing drawing{.dimension = 3};
  for (int k = 0; k < 3; ++k) {
    const std::string& name = hints.coordinates[3 * static_cast<std::size_t>(k)];
    const auto part = body_and_axis(name);
    drawing.places.push_back(place_of(3 * k, 3 * k + 1, 3 * k + 2));
    drawing.picture.bodies.push_back(
        {.name = part && !part->first.empty() ? part->first : fmt::format("e{}", k + 1),
         .disc = false,
         .trail = k == 2});
    drawing.picture.links.emplace_back(k, 3);
  }
  drawing.picture.anchors = {Point{}};
  drawing.picture.spheres = {{Point{}, 1.0}};
  drawing.picture.note =
      "The nine coordinates are a rotation: shown are the axes of the body, and the path of the third on the "
      "unit sphere.";
  return drawing;
}

Drawing from_table(const DrawTable& table) {
  Drawing drawing{.dimension = table.dimension, .places = table.bodies};
  for (std::size_t b = 0; b < table.bodies.size(); ++b)
    drawing.picture.bodies.push_back({.name = std::to_string(b + 1)});
  drawing.picture.anchors = table.anchors;
  drawing.picture.links = table.links;
  if (!table.formulas.empty()) drawing.table = table;
  return drawing;
}

std::vector<double> values_of_formulas(const DrawTable& table, std::span<const double> q) {
  std::map<std::string_view, double> of;
  for (std::size_t k = 0; k < table.coordinates.size(); ++k) of[table.coordinates[k]] = q[k];
  std::vector<double> values;
  for (const Formula& f : table.formulas) {
    const auto parts = evaluate(f, [&](std::string_view name) { return Float128(of.at(name)); });
    values.push_back(static_cast<double>(parts.back()));
  }
  return values;
}

Drawing phase_plane(const DrawingHints& hints) {
  Drawing drawing;
  const std::string& x = hints.coordinates.front();
  drawing.picture.bodies = {{.name = x}};
  drawing.picture.note = fmt::format(
      "The names of the coordinates do not tell where the bodies are, so the point moves in the phase plane "
      "of "
      "{}, its momentum upwards. A [draw] table in the model file says what to draw.",
      x);
  return drawing;
}

}  // namespace

void Drawing::put(std::span<const double> q, std::span<const double> p, std::vector<float>& out) const {
  if (places.empty()) {
    out.push_back(static_cast<float>(q[0]));
    out.push_back(static_cast<float>(p[0]));
  }
  const std::vector<double> formulas = table ? values_of_formulas(*table, q) : std::vector<double>{};
  for (const BodyPlace& place : places)
    for (int k = 0; k < dimension; ++k) {
      const DrawTable::Number& number = place[static_cast<std::size_t>(k)];
      out.push_back(static_cast<float>(
          number.formula < 0 ? value(number, q) : formulas[static_cast<std::size_t>(number.formula)]));
    }
}

namespace {

// Names the coordinates x0, y0, z0, x1, …, particle by particle, as samples have them. Constraints between
// two of the drawn particles may be rods.
DrawingHints particle_hints(const ParticleModel& particles) {
  DrawingHints hints;
  const int d = particles.dimension;
  for (int i = 0; i < particles.count; ++i)
    for (int a = 0; a < d; ++a) hints.coordinates.push_back(fmt::format("{}{}", "xyz"[a], i));
  for (const auto& group : particles.constraints) {
    if (group->places() > 2) continue;
    for (int k = 0; k < group->size(); ++k) {
      std::vector<int> touched;
      for (int place = 0; place < group->places(); ++place)
        for (int a = 0; a < d; ++a) touched.push_back(d * group->particle[place][k] + a);
      if (*std::max_element(touched.begin(), touched.end()) < d * static_cast<int>(most_bodies))
        hints.constraints.push_back(std::move(touched));
    }
  }
  return hints;
}

}  // namespace

DrawingHints drawing_hints(const Model& model) {
  if (model.particles) return particle_hints(*model.particles);
  DrawingHints hints{.coordinates = model.coordinates, .table = model.draw};
  std::map<std::string_view, int> place;
  for (std::size_t k = 0; k < model.coordinates.size(); ++k)
    place[model.coordinates[k]] = static_cast<int>(k);
  for (const Formula& constraint : model.constraints) {
    std::set<int> touched;
    for (const FormulaNode& node : constraint.nodes) {
      if (node.op != Op::input) continue;
      if (const auto at = place.find(constraint.part(node.span)); at != place.end())
        touched.insert(at->second);
    }
    hints.constraints.emplace_back(touched.begin(), touched.end());
  }
  return hints;
}

Drawing find_drawing(const DrawingHints& hints, const Frames& frames) {
  Drawing drawing;
  if (hints.table) {
    drawing = from_table(*hints.table);
  } else if (is_rotation(frames)) {
    drawing = rotating_axes(hints);
  } else {
    Bodies bodies = bodies_by_name(hints.coordinates);
    const std::size_t all = bodies.places.size();
    if (all > most_bodies) {
      bodies.places.resize(most_bodies);
      bodies.names.resize(most_bodies);
    }
    drawing.dimension = bodies.dimension;
    drawing.places = bodies.places;
    for (const std::string& name : bodies.names)
      drawing.picture.bodies.push_back({.name = name, .trail = all <= 12});
    if (all == 0) drawing = phase_plane(hints);
    if (all > 0) Finder(hints, frames, drawing).links();
    if (all > most_bodies) drawing.picture.note = fmt::format("The first {} of {} bodies.", most_bodies, all);
  }
  drawing.picture.dimension = drawing.dimension;
  return drawing;
}

}  // namespace taut
