// Systems of particles as model texts, for the tests.
#pragma once

#include <taut/formulation/rod_constraint_solver.hpp>
#include <taut/model/model.hpp>
#include <taut/model/particles/particles.hpp>

#include <gtest/gtest.h>

#include <string>

namespace taut::test {

inline std::shared_ptr<const ParticleModel> particles_of(const std::string& text) {
  const ReadModel read = read_model(text, "test.toml");
  EXPECT_TRUE(read.model) << text_of(read.errors);
  return read.model ? read.model->particles : nullptr;
}

// Returns Σ p, and Σ q × p about the origin (its last component in the plane).
template <class X>
Vector<double, dynamic> total_momentum(const X& x, int dimension) {
  const Eigen::Index n = x.q.size() / dimension;
  Vector<double, dynamic> sum(dimension);
  for (int a = 0; a < dimension; ++a) sum[a] = x.p.segment(a * n, n).sum();
  return sum;
}
template <class X>
Vector<double, dynamic> angular_momentum(const X& x) {
  const Eigen::Index n = x.q.size() / 3;
  Vector<double, dynamic> sum = Vector<double, dynamic>::Zero(3);
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    sum[a] =
        x.q.segment(b * n, n).dot(x.p.segment(c * n, n)) - x.q.segment(c * n, n).dot(x.p.segment(b * n, n));
  }
  return sum;
}

inline const std::string zigzag_chain = R"toml([parameters]
N = 100001
a = 0.6
[particles]
count = "N"
position = ["i*cos(a)", "sin(a)*(1 - cos(pi*i))/2", "0"]
velocity = ["0", "0", "0.3*sin(0.01*i)"]
[[rods]]
between = ["i", "i+1"]
for = "i in 0..N-2"
)toml";

inline const std::string waters = R"toml([parameters]
N = 100000
[particles]
count = "3*N"
mass = "1 + 15*(1 + 2*cos(2*pi*i/3))/3"
position = ["0.3*i + (1 + 2*cos(2*pi*(i-1)/3))/3", "0.8*(1 + 2*cos(2*pi*(i-2)/3))/3", "0"]
velocity = ["0.1*cos(i)", "0.1*sin(2*i)", "0.1*cos(3*i)"]
[[rods]]
between = ["3*i", "3*i+1"]
for = "i in 0..N-1"
[[rods]]
between = ["3*i", "3*i+2"]
for = "i in 0..N-1"
[[rods]]
between = ["3*i+1", "3*i+2"]
for = "i in 0..N-1"
)toml";

inline const std::string net = R"toml([parameters]
n = 40
[particles]
for = "row in 0..n-1, column in 0..n-1"
position = ["row", "column", "0.2*sin(row + 2*column)"]
velocity = ["0.05*sin(i)", "0.05*cos(i)", "0.1*sin(3*i)"]
[[rods]]
between = ["n*row + column", "n*row + column + 1"]
for = "row in 0..n-1, column in 0..n-2"
[[rods]]
between = ["n*row + column", "n*row + n + column"]
for = "row in 0..n-2, column in 0..n-1"
[[field]]
potential = "0.01*z^2"
)toml";

// Three dozen rings of six.
inline const std::string rings = R"toml([parameters]
N = 36
[particles]
for = "ring in 0..N-1, k in 0..5"
position = ["3*ring + cos(pi*k/3)", "sin(pi*k/3)", "0.2*cos(pi*k)"]
velocity = ["0.1*sin(5*i)", "0.1*cos(7*i)", "0.1*sin(2*i)"]
[[rods]]
between = ["6*ring + k", "6*ring + k + 1"]
for = "ring in 0..N-1, k in 0..4"
[[rods]]
between = ["6*ring + 5", "6*ring"]
for = "ring in 0..N-1"
[[springs]]
between = ["6*ring", "6*ring + 3"]
for = "ring in 0..N-1"
stiffness = 2.0
)toml";

// A backbone with one side bead for each of its beads, springs between side beads, bends and torsions along
// the backbone, and repulsion between all.
inline const std::string polymer = R"toml([parameters]
N = 60
[particles]
for = "side in 0..1, k in 0..N-1"
mass = "1 - 0.5*side"
position = ["0.9*k", "0.3*(1 - cos(pi*k))/2 + side*(0.7 + 0.2*sin(k))", "0.35*sin(1.1*k) + 0.4*side"]
velocity = ["0.1*sin(3*i)", "0.1*cos(5*i)", "0.1*sin(7*i)"]
[[rods]]
between = ["k", "k+1"]
for = "k in 0..N-2"
[[rods]]
between = ["k", "N+k"]
for = "k in 0..N-1"
[[springs]]
between = ["N+k", "N+k+1"]
for = "k in 0..N-2"
stiffness = 0.5
[[bends]]
between = ["k", "k+1", "k+2"]
for = "k in 0..N-3"
potential = "2*(costheta + 0.5)^2"
[[torsions]]
between = ["k", "k+1", "k+2", "k+3"]
for = "k in 0..N-4"
potential = "0.3*(1 + cos(3*phi))"
[[pairs]]
potential = "0.1/r^12"
cutoff = 1.5
truncation = "force-shift"
exclude_bonded = 2
)toml";

inline const std::string gyroid = R"toml([particles]
count = 50
position = ["0", "0.35*i", "-atan(sin(0.35*i))"]
velocity = ["0.2*sin(i)", "0.3", "0.1*cos(i)"]
[[surface]]
formula = "sin(x)*cos(y) + sin(y)*cos(z) + sin(z)*cos(x)"
[[pairs]]
potential = "0.01/r"
cutoff = 2.0
truncation = "force-shift"
)toml";

}  // namespace taut::test
