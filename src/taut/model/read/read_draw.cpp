// Reads [draw]: which parts of a mechanism a report draws.
#include <taut/model/read/model_reader.hpp>
#include <taut/words/nearest_name.hpp>
#include <taut/words/wording.hpp>

#include <algorithm>

namespace taut {

namespace {

const std::vector<std::string> draw_keys{"bodies", "anchors", "links"};

}  // namespace

// Reads [draw]: points are lists of two or three formulas, of coordinates and parameters for bodies and of
// parameters for anchors; links are pairs of bodies and anchors, counted from 0, bodies first.
void ModelReader::read_draw() {
  const Value& t = table("draw", &draw_keys);
  if (t.table.empty()) return;
  DrawTable draw;
  std::size_t size = 0;  // numbers of the first point; all points have as many
  const auto each = [&](const std::string& key, const auto& read) {
    const Entry* e = t.find(key);
    if (!e) return;
    if (e->value.kind != Value::Kind::list) {
      fail(e->value, ticked(key) + " must be a list, not " + kind_name(e->value));
      return;
    }
    for (const Value& v : e->value.list) read(v);
  };
  const auto numbers = [&](const Value& v, const std::string& what, bool moves) {
    DrawTable::Place place;
    const std::size_t given = v.kind == Value::Kind::list ? v.list.size() : 0;
    if (size == 0) size = given;
    if (given != size || given < 2 || given > 3) {
      fail(v, what + " needs two numbers in the plane, three in space, as many for all");
      return place;
    }
    for (std::size_t k = 0; k < given; ++k) {
      const Value& x = v.list[k];
      const auto at = coordinate_number_.find(x.text);
      if (moves && x.kind == Value::Kind::text && at != coordinate_number_.end()) {
        place[k].coordinate = at->second;
        continue;
      }
      Formula f;
      Float128 number_of = 0;
      if (!moves) {
        if (number(x, what, f, number_of)) place[k].value = static_cast<double>(number_of);
        continue;
      }
      if (!formula(x, what, Use::position, f)) continue;
      for (FormulaNode& node : f.nodes)
        if (node.op == Op::input)
          if (const auto value = values_.find(std::string(f.part(node.span))); value != values_.end())
            node = {Op::constant, -1, -1, value->second, node.span};
      place[k].formula = static_cast<int>(draw.formulas.size());
      draw.formulas.push_back(std::move(f));
    }
    return place;
  };
  each("bodies", [&](const Value& v) { draw.bodies.push_back(numbers(v, "a body", true)); });
  each("anchors", [&](const Value& v) {
    const DrawTable::Place place = numbers(v, "an anchor", false);
    draw.anchors.push_back({place[0].value, place[1].value, place[2].value});
  });
  const auto points = static_cast<std::int64_t>(draw.bodies.size() + draw.anchors.size());
  each("links", [&](const Value& v) {
    const bool pair =
        v.kind == Value::Kind::list && v.list.size() == 2 &&
        std::all_of(v.list.begin(), v.list.end(), [&](const Value& end) {
          return end.kind == Value::Kind::number && end.whole && end.number >= 0 && end.number < points;
        });
    if (!pair)
      fail(v, "a link is a pair of bodies and anchors, as in [0, 1]",
           "there are " + std::to_string(points) + ", counted from 0, bodies first");
    else
      draw.links.emplace_back(static_cast<int>(v.list[0].number), static_cast<int>(v.list[1].number));
  });
  if (draw.bodies.empty() && errors_.empty()) fail_key(*root_.find("draw"), "[draw] names no bodies");
  draw.dimension = static_cast<int>(size);
  if (!draw.formulas.empty()) draw.coordinates = model_.coordinates;
  model_.draw = std::move(draw);
}

}  // namespace taut
