// The problems that come with taut, by name.
#pragma once

#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/four_bar.hpp>
#include <taut/problem/ready_made/lennard_jones_chain.hpp>
#include <taut/problem/ready_made/n_link_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/rigid_body.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

#include <string_view>

namespace taut {

// Calls f(name, description, problem, start) once for each problem; each has its own type.
template <class F>
void for_each_ready_made(F&& f) {
  const auto show = [&f](std::string_view name, std::string_view what, const auto& problem) {
    f(name, what, problem, problem.start());
  };
  show("pendulum", "point mass on a rod in the plane, from horizontal at rest", PlanarPendulum<>{});
  show("spherical-pendulum", "point mass on a rod in space", SphericalPendulum<>{});
  show("double-pendulum", "two point masses on two rods in the plane (Jay 1996, Example 2)",
       DoublePendulum<>{});
  show("n-link-pendulum", "ten links in the plane, stretched out horizontally", NLinkPendulum<>(10));
  show("six-node-chain", "six masses on five rods with springs (Leimkuhler-Skeel 1994)", SixNodeChain<>{});
  show("lennard-jones-chain", "seven attracting masses on six rods (Leimkuhler-Skeel 1994)",
       LennardJonesChain<>{});
  show("charged-particle",
       "on a sphere in an electric and a magnetic field, not separable (Jay 1996, Example 1)",
       ChargedParticle<>{});
  show("rigid-body", "free rigid body, nine coordinates and six constraints", RigidBody<>{});
  show("heavy-top", "Lagrange's top, leaning and spinning", heavy_top());
  show("four-bar", "crank, coupler and rocker: a closed loop with one degree of freedom", FourBar<>{});
  show("stiff-pendulum", "a pendulum on a pendulum's end by a stiff spring: V = slow + fast",
       StiffPendulum<>{});
}

}  // namespace taut
