// What the report draws of a mechanism (report/drawing.hpp), in the style of the C interface: the laboratory
// draws the same bodies and rods.
#include <taut/capi/border.hpp>
#include <taut/capi/open_model.hpp>
#include <taut/report/drawing.hpp>

using namespace taut::capi;

struct lab_drawing {
  taut::Drawing drawing;
};

namespace {

taut::Json list_of(const taut::Point& at) { return taut::Json(std::vector<double>(at.begin(), at.end())); }

taut::Json picture_of(const taut::Animation& picture) {
  using taut::Json;
  Json bodies = Json::list(), anchors = Json::list(), links = Json::list(), spheres = Json::list();
  for (const auto& body : picture.bodies)
    bodies.push_back(Json::object({{"name", body.name}, {"disc", body.disc}, {"trail", body.trail}}));
  for (const auto& anchor : picture.anchors) anchors.push_back(list_of(anchor));
  for (const auto& [from, to] : picture.links)
    links.push_back(Json(std::vector<double>{1.0 * from, 1.0 * to}));
  for (const auto& sphere : picture.spheres)
    spheres.push_back(Json::object({{"centre", list_of(sphere.centre)}, {"radius", sphere.radius}}));
  return Json::object({{"dimension", picture.dimension},
                       {"bodies", std::move(bodies)},
                       {"anchors", std::move(anchors)},
                       {"links", std::move(links)},
                       {"spheres", std::move(spheres)},
                       {"note", picture.note}});
}

}  // namespace

extern "C" {

// Finds the drawing from `count` places q along a run, row by row, and describes it.
__attribute__((export_name("lab_drawing_new"))) int lab_drawing_new(taut_model* model, const double* q,
                                                                    std::int64_t count, lab_drawing** drawing,
                                                                    char** json) {
  return guarded([&] {
    need(model, "model");
    const auto reading = model->open->reading();
    const std::size_t n = reading->columns().size() / 2;
    std::vector<std::vector<double>> frames;
    for (std::int64_t k = 0; k < count; ++k)
      frames.emplace_back(q + k * static_cast<std::int64_t>(n), q + (k + 1) * static_cast<std::int64_t>(n));
    auto made = std::make_unique<lab_drawing>(
        lab_drawing{taut::find_drawing(taut::drawing_hints(reading->model), frames)});
    *json = handed_out(picture_of(made->drawing.picture).to_text());
    *drawing = made.release();
    return TAUT_OK;
  });
}

__attribute__((export_name("lab_drawing_free"))) void lab_drawing_free(lab_drawing* drawing) {
  delete drawing;
}

// Writes the places of all bodies at (q, p) to out.
__attribute__((export_name("lab_drawing_put"))) int lab_drawing_put(lab_drawing* drawing, const double* q,
                                                                    const double* p, std::int64_t n,
                                                                    double* out) {
  return guarded([&] {
    std::vector<float> places;
    const auto size = static_cast<std::size_t>(n);
    drawing->drawing.put({q, size}, {p, size}, places);
    for (std::size_t k = 0; k < places.size(); ++k) out[k] = places[k];
    return TAUT_OK;
  });
}

}  // extern "C"
