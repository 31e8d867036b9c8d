// Decides what to draw of a mechanism: which coordinates are the place of a body, which bodies a rod joins,
// and to which fixed points. A model's [draw] table says it. Otherwise bodies are found by the names of
// coordinates (x1, y1 or ax, ay, az), and rods as constraints between two bodies, or a body and a fixed
// point, that keep a distance along the run.
#pragma once

#include <taut/model/model.hpp>
#include <taut/report/report.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taut {

struct DrawingHints {
  std::vector<std::string> coordinates = {};       // their names
  std::vector<std::vector<int>> constraints = {};  // the coordinates on which each depends
  std::optional<DrawTable> table = {};             // from the model file
};
DrawingHints drawing_hints(const Model& model);

struct Drawing {
  int dimension = 2;
  std::vector<DrawTable::Place> places = {};  // for the bodies; if empty, the phase plane is drawn
  std::optional<DrawTable> table = {};        // if places are formulas of coordinates
  Animation picture = {};                     // bodies, anchors, links, spheres and note, but no frames
  // Adds the places of all bodies at (q, p).
  void put(std::span<const double> q, std::span<const double> p, std::vector<float>& out) const;
};

// Finds the drawing. `frames` holds q at some times of the run: a distance that is the same in all of
// them is a rod.
Drawing find_drawing(const DrawingHints& hints, const std::vector<std::vector<double>>& frames);

}  // namespace taut
