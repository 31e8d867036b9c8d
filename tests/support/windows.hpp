// A row of four-bar windows as a model of formulas: pivots (i, 0), cranks of unit length that carry the
// points (x_i, y_i), and couplers of unit length between neighbours. It has one degree of freedom.
#pragma once

#include <string>
#include <vector>

namespace taut::test {

struct Windows {
  int count = 100;
  bool bars = false;   // the mass lies along the bars, so that M is not diagonal; otherwise in the points
  bool apart = false;  // the constraints of all cranks stand before those of all couplers

  int points() const { return count + 1; }

  std::string text() const {
    const auto number = [](int i) { return std::to_string(i); };
    std::string out = "[parameters]\nsixth = \"1/6\"\nthird = \"1/3\"\n[system]\ncoordinates = [";
    for (int i = 0; i < points(); ++i) out += "\"x" + number(i) + "\", \"y" + number(i) + "\", ";
    out += "]\nmass = " + mass() + "\npotential = \"0";
    for (int i = 0; i < points(); ++i) out += " + y" + number(i);
    out += "\"\nconstraints = [\n";
    std::vector<std::string> cranks, couplers;
    for (int i = 0; i < points(); ++i)
      cranks.push_back("\"((x" + number(i) + " - " + number(i) + ")^2 + y" + number(i) + "^2 - 1)/2\",\n");
    for (int i = 0; i < count; ++i)
      couplers.push_back("\"((x" + number(i + 1) + " - x" + number(i) + ")^2 + (y" + number(i + 1) + " - y" +
                         number(i) + ")^2 - 1)/2\",\n");
    for (int i = 0; i < points(); ++i) {
      out += cranks[static_cast<std::size_t>(i)];
      if (!apart && i < count) out += couplers[static_cast<std::size_t>(i)];
    }
    if (apart)
      for (const std::string& coupler : couplers) out += coupler;
    out += "]\n[initial]\n";
    // All cranks stand upright, and turn at unit rate: p = M v with v = 1 along x.
    for (int i = 0; i < points(); ++i) {
      const int neighbours = i == 0 || i == count ? 1 : 2;
      out += "x" + number(i) + " = " + number(i) + "\ny" + number(i) + " = 1\np_x" + number(i) + " = \"";
      out += bars ? number(1 + neighbours) + "*third + " + number(neighbours) + "*sixth\"\n" : "1\"\n";
    }
    return out + "[run]\nmethod = \"rattle\"\nstep = 0.002\nsteps = 200\n";
  }

 private:
  std::string mass() const {
    if (!bars) return "1.0";
    std::string out = "[\n";
    for (int i = 0; i < points(); ++i)
      for (int a = 0; a < 2; ++a) {
        out += "[";
        for (int j = 0; j < points(); ++j)
          for (int b = 0; b < 2; ++b) {
            const int couplers = i == 0 || i == count ? 1 : 2;
            if (a != b || j < i - 1 || j > i + 1)
              out += "0, ";
            else
              out += i == j ? "\"" + std::to_string(1 + couplers) + "*third\", " : "\"sixth\", ";
          }
        out += "],\n";
      }
    return out + "]";
  }
};

}  // namespace taut::test
