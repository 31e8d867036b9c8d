// The catalogue of methods on the problems that most theorem tests use. It is compiled once, in
// support/steppers/*.cpp, and the tests that include this header link to it. Otherwise they would compile
// each method up to ten times.
#pragma once

#include <taut/measure/symplectic_defect.hpp>
#include <taut/method/catalogue.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/double_pendulum.hpp>
#include <taut/problem/ready_made/pendulum.hpp>
#include <taut/problem/ready_made/stiff_pendulum.hpp>

namespace taut::test {

// Names without commas, for the macros below.
using Radau = DaeRungeKutta<DaeFamily::radau, false>;
using RadauProjected = DaeRungeKutta<DaeFamily::radau, true>;
using GaussPlain = DaeRungeKutta<DaeFamily::gauss, false>;
using GaussProjected = DaeRungeKutta<DaeFamily::gauss, true>;

using PendulumAlongTangents = TangentProblem<PlanarPendulum<>>;
using DoublePendulumAlongTangents = TangentProblem<DoublePendulum<>>;
using StiffPendulumAlongTangents = TangentProblem<StiffPendulum<>>;
using ChargedParticleAlongTangents = TangentProblem<ChargedParticle<>>;

}  // namespace taut::test

// `word` is `extern` in files that use the stepper of a method on a problem, and empty in the file that
// compiles it.
#define TAUT_TEST_STEPPER(word, Method, P)                                          \
  word template std::unique_ptr<taut::Stepper<P, taut::StateOf<P>>> taut::try_bind( \
      const Method& method, const P& problem, const taut::StateOf<P>& x, const taut::SolveOptions& options);

// Every type of method in the catalogue; the test StepperLibrary.HasTheWholeCatalogue sees if one is missing.
#define TAUT_TEST_STEPPERS(word, P)                                                     \
  TAUT_TEST_STEPPER(word, taut::Shake, P)                                               \
  TAUT_TEST_STEPPER(word, taut::ShakeTwoStep, P)                                        \
  TAUT_TEST_STEPPER(word, taut::ShakeVelocity, P)                                       \
  TAUT_TEST_STEPPER(word, taut::Rattle, P)                                              \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::SymplecticEuler>, P)                    \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::Verlet>, P)                             \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::ImplicitMidpoint>, P)                   \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::Impulse>, P)                            \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::MixedMidpoint>, P)                      \
  TAUT_TEST_STEPPER(word, taut::Composition<taut::Projected<taut::SymplecticEuler>>, P) \
  TAUT_TEST_STEPPER(word, taut::Composition<taut::Rattle>, P)                           \
  TAUT_TEST_STEPPER(word, taut::SymmetricMultistep, P)                                  \
  TAUT_TEST_STEPPER(word, taut::Lobatto<>, P)                                           \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::DiracGauss>, P)                         \
  TAUT_TEST_STEPPER(word, taut::test::Radau, P)                                         \
  TAUT_TEST_STEPPER(word, taut::test::RadauProjected, P)                                \
  TAUT_TEST_STEPPER(word, taut::test::GaussPlain, P)                                    \
  TAUT_TEST_STEPPER(word, taut::test::GaussProjected, P)                                \
  TAUT_TEST_STEPPER(word, taut::Bdf, P)                                                 \
  TAUT_TEST_STEPPER(word, taut::BdfVariable, P)

// What more than one test uses of other problems.
#define TAUT_TEST_STEPPERS_OF_STIFF_TANGENTS(word)                                                         \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::ImplicitMidpoint>, taut::test::StiffPendulumAlongTangents) \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::Impulse>, taut::test::StiffPendulumAlongTangents)          \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::MixedMidpoint>, taut::test::StiffPendulumAlongTangents)
#define TAUT_TEST_STEPPERS_OF_CHARGED_PARTICLE(word)                                              \
  TAUT_TEST_STEPPER(word, taut::Projected<taut::ImplicitMidpoint>, taut::ChargedParticle<double>) \
  TAUT_TEST_STEPPER(word, taut::Lobatto<>, taut::ChargedParticle<double>)
#define TAUT_TEST_STEPPERS_OF_CHARGED_TANGENTS(word) \
  TAUT_TEST_STEPPER(word, taut::Lobatto<>, taut::test::ChargedParticleAlongTangents)

TAUT_TEST_STEPPERS(extern, taut::PlanarPendulum<double>)
TAUT_TEST_STEPPERS(extern, taut::PlanarPendulum<taut::Float128>)
TAUT_TEST_STEPPERS(extern, taut::test::PendulumAlongTangents)
TAUT_TEST_STEPPERS(extern, taut::DoublePendulum<double>)
TAUT_TEST_STEPPERS(extern, taut::test::DoublePendulumAlongTangents)
TAUT_TEST_STEPPERS(extern, taut::StiffPendulum<double>)
TAUT_TEST_STEPPERS(extern, taut::StiffPendulum<taut::Float128>)
TAUT_TEST_STEPPERS_OF_STIFF_TANGENTS(extern)
TAUT_TEST_STEPPERS_OF_CHARGED_PARTICLE(extern)
TAUT_TEST_STEPPERS_OF_CHARGED_TANGENTS(extern)
