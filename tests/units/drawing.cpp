// What is drawn of a mechanism: its bodies by name, its rods by the constraints, and never something
// that is not there.

#include <taut/report/drawing.hpp>

#include <gtest/gtest.h>

#include <cmath>

#include "support/source_files.hpp"

namespace {

using namespace taut;

Model example(const std::string& name) {
  ReadModel read =
      read_model(taut::test::read_text(std::string(TAUT_SOURCE_DIR) + "/examples/" + name + ".toml"), name);
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return std::move(*read.model);
}

std::vector<std::vector<double>> frames(const std::function<std::vector<double>(double)>& at) {
  std::vector<std::vector<double>> all;
  for (int i = 0; i < 50; ++i) all.push_back(at(0.05 * i));
  return all;
}

using Links = std::vector<std::pair<int, int>>;

TEST(Drawing, APendulumIsABodyOnARod) {
  const Drawing d = find_drawing(drawing_hints(example("pendulum")),
                                 frames([](double t) { return std::vector{std::sin(t), -std::cos(t)}; }));
  EXPECT_EQ(d.dimension, 2);
  EXPECT_EQ(d.picture.bodies.size(), 1U);
  EXPECT_EQ(d.picture.anchors, std::vector<Point>{Point{}});
  EXPECT_EQ(d.picture.links, (Links{{0, 1}}));
}

TEST(Drawing, AFourBarLinkageHasItsTwoPivots) {
  // The crank (0,0)-A has length 1, the rocker (3,0)-B length 2. The coupler matters for the rod A-B, not
  // for the pivots.
  const auto at = [](double t) {
    const double ax = std::cos(t), ay = std::sin(t), dx = 3 - ax, dy = -ay, d2 = dx * dx + dy * dy;
    const double along = (d2 + 6.25 - 4) / (2 * d2), across = std::sqrt(6.25 / d2 - along * along);
    return std::vector{ax, ay, ax + along * dx - across * dy, ay + along * dy + across * dx};
  };
  const Drawing d = find_drawing(drawing_hints(example("four-bar")), frames(at));
  EXPECT_EQ(d.picture.links, (Links{{0, 2}, {0, 1}, {1, 3}}));
  ASSERT_EQ(d.picture.anchors.size(), 2U);
  EXPECT_NEAR(d.picture.anchors[1][0], 3, 1e-9);
  EXPECT_NEAR(d.picture.anchors[1][1], 0, 1e-9);
}

TEST(Drawing, AParticleOnASphereHasTheSphereAndNoRod) {
  const Drawing d = find_drawing(drawing_hints(example("charged-particle")), frames([](double t) {
                                   return std::vector{std::sin(t) * std::cos(2 * t),
                                                      std::sin(t) * std::sin(2 * t), std::cos(t)};
                                 }));
  EXPECT_EQ(d.dimension, 3);
  EXPECT_TRUE(d.picture.links.empty());
  ASSERT_EQ(d.picture.spheres.size(), 1U);
  EXPECT_NEAR(d.picture.spheres[0].radius, 1, 1e-12);
}

TEST(Drawing, ABeadOnAWireHasNoRod) {
  const Drawing d = find_drawing(drawing_hints(example("bead-on-wire")),
                                 frames([](double t) { return std::vector{t, std::cos(t) + t * t / 20}; }));
  EXPECT_EQ(d.picture.bodies.size(), 1U);
  EXPECT_TRUE(d.picture.links.empty());
}

TEST(Drawing, ARotationShowsTheAxesOfTheBody) {
  const Drawing d = find_drawing(
      drawing_hints(example("heavy-top")), frames([](double t) {
        return std::vector{std::cos(t), std::sin(t), 0.0, -std::sin(t), std::cos(t), 0.0, 0.0, 0.0, 1.0};
      }));
  EXPECT_EQ(d.dimension, 3);
  EXPECT_EQ(d.picture.links, (Links{{0, 3}, {1, 3}, {2, 3}}));
  EXPECT_EQ(d.picture.bodies[2].name, "c");
}

TEST(Drawing, ParticlesHaveTheirRods) {
  const Model model = example("ring");
  const DrawingHints hints = drawing_hints(model);
  ASSERT_GE(hints.coordinates.size(), 6U);
  EXPECT_EQ(hints.coordinates[0], "x0");
  // Bodies that stay where they are keep all distances: every constraint between two of them is a rod.
  std::vector<double> q;
  for (std::size_t k = 0; k < hints.coordinates.size(); ++k)
    q.push_back(std::sin(1.0 + static_cast<double>(k)));
  const Drawing d = find_drawing(hints, {q, q});
  EXPECT_GE(d.picture.links.size(), d.picture.bodies.size() - 1);
  for (const auto& [a, b] : d.picture.links) EXPECT_NE(a, b);
}

TEST(Drawing, NamesThatTellNothingGiveAPhasePlaneAndSaySo) {
  const DrawingHints hints{.coordinates = {"theta", "phi"}};
  const Drawing d = find_drawing(hints, frames([](double t) { return std::vector{t, 2 * t}; }));
  std::vector<float> out;
  d.put(std::vector{0.5, 1.0}, std::vector{0.25, 2.0}, out);
  EXPECT_EQ(out, (std::vector<float>{0.5F, 0.25F}));
  EXPECT_NE(d.picture.note.find("[draw]"), std::string::npos);
}

TEST(Drawing, AUprightPlaneIsDrawnUpright) {
  const Drawing d =
      find_drawing({.coordinates = {"x", "z"}}, frames([](double t) { return std::vector{t, 2 * t}; }));
  std::vector<float> out;
  d.put(std::vector{0.5, 1.0}, std::vector{0.0, 0.0}, out);
  EXPECT_EQ(out, (std::vector<float>{0.5F, 1.0F}));
}

TEST(Drawing, TheTableOfTheModelFileIsObeyed) {
  const Drawing d = find_drawing(drawing_hints(example("slider-crank")), {{0.5, 0.8, 2.0}});
  EXPECT_EQ(d.picture.links, (Links{{2, 0}, {0, 1}}));
  std::vector<float> out;
  d.put(std::vector{0.5, 0.8, 2.0}, std::vector{0.0, 0.0, 0.0}, out);
  EXPECT_EQ(out, (std::vector<float>{0.5F, 0.8F, 2.0F, 0.0F}));
}

std::string error_of(const std::string& draw) {
  const std::string text =
      "[system]\ncoordinates = [\"x\", \"y\"]\nmass = 1.0\npotential = \"y\"\n[initial]\n[draw]\n" + draw +
      "\n";
  const ReadModel read = read_model(text, "m.toml");
  return text_of(read.errors);
}

TEST(Drawing, AWrongTableIsRefusedWithItsPlace) {
  EXPECT_EQ(error_of("bodies = [[\"x\", \"y\"]]"), "");
  EXPECT_NE(error_of("bodies = [[\"x\", \"w\"]]").find("m.toml:7:18: unknown name `w` in a body"),
            std::string::npos);
  EXPECT_NE(error_of("bodies = [[\"x\"]]").find("two numbers in the plane"), std::string::npos);
  EXPECT_NE(error_of("bodies = [[\"x\", \"y\"]]\nlinks = [[0, 1]]").find("a link is a pair"),
            std::string::npos);
  EXPECT_NE(error_of("bodies = [[\"x\", \"y\"]]\nanchors = [[0, 0, 0]]").find("as many for all"),
            std::string::npos);
  EXPECT_NE(error_of("anchors = [[0, 0]]").find("names no bodies"), std::string::npos);
  EXPECT_NE(error_of("bodie = 3").find("Did you mean `bodies`"), std::string::npos);
}

}  // namespace
