// The numbers of the ready-made problems that --set can change, by name.
#pragma once

#include <taut/problem/ready_made.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace taut {

struct Parameter {
  std::string name;
  double value = 0;
  std::function<void(double)> set;
  enum class Range { any, positive, counts } range = Range::any;
};

namespace parameter {

inline Parameter number(std::string name, double& x) {
  return {std::move(name), x, [&x](double value) { x = value; }};
}
inline Parameter length(std::string name, double& x) {
  Parameter made = number(std::move(name), x);
  made.range = Parameter::Range::positive;
  return made;
}
inline Parameter mass(std::string name, ScalarMass<double>& m) {
  return {std::move(name), m.mass, [&m](double value) { m = {1 / value, value}; },
          Parameter::Range::positive};
}

}  // namespace parameter

template <int d>
std::vector<Parameter> parameters_of(Pendulum<double, d>& s) {
  return {parameter::length("length", s.length), parameter::number("gravity", s.gravity),
          parameter::mass("mass", s.inverse_mass)};
}

inline std::vector<Parameter> parameters_of(DoublePendulum<>& s) {
  const auto mass = [&s](const char* name, int first) {
    return Parameter{
        name, 1 / s.inverse_mass.inverse[first],
        [&s, first](double m) { s.inverse_mass.inverse[first] = s.inverse_mass.inverse[first + 1] = 1 / m; },
        Parameter::Range::positive};
  };
  return {parameter::length("length1", s.length1), parameter::length("length2", s.length2), mass("mass1", 0),
          mass("mass2", 2), parameter::number("gravity", s.gravity)};
}

inline std::vector<Parameter> parameters_of(NLinkPendulum<>& s) {
  const auto rebuilt = [&s](int links, double length) {
    const auto mass = s.inverse_mass;
    s = NLinkPendulum<>(links, length, s.gravity);
    s.inverse_mass = mass;
  };
  return {{"links", static_cast<double>(s.particles),
           [&s, rebuilt](double links) { rebuilt(static_cast<int>(links), s.length.front()); },
           Parameter::Range::counts},
          {"length", s.length.front(), [&s, rebuilt](double length) { rebuilt(s.particles, length); },
           Parameter::Range::positive},
          parameter::mass("mass", s.inverse_mass),
          parameter::number("gravity", s.gravity)};
}

inline std::vector<Parameter> parameters_of(SixNodeChain<>& s) {
  return {parameter::number("kappa", s.kappa), parameter::mass("mass", s.inverse_mass)};
}

inline std::vector<Parameter> parameters_of(LennardJonesChain<>& s) {
  return {parameter::number("depth", s.depth), parameter::mass("mass", s.inverse_mass)};
}

inline std::vector<Parameter> parameters_of(ChargedParticle<>& s) {
  return {parameter::length("mass", s.mass), parameter::number("omega", s.omega),
          parameter::length("radius", s.radius), parameter::number("field", s.field)};
}

inline std::vector<Parameter> parameters_of(RigidBody<>& s) {
  return {parameter::number("weight", s.weight), parameter::number("spin1", s.spin[0]),
          parameter::number("spin2", s.spin[1]), parameter::number("spin3", s.spin[2]),
          parameter::number("tilt", s.tilt)};
}

inline std::vector<Parameter> parameters_of(FourBar<>& s) {
  return {parameter::length("base", s.base),       parameter::length("crank", s.crank),
          parameter::length("coupler", s.coupler), parameter::length("rocker", s.rocker),
          parameter::number("gravity", s.gravity), parameter::mass("mass", s.inverse_mass)};
}

inline std::vector<Parameter> parameters_of(StiffPendulum<>& s) {
  return {parameter::length("rod", s.rod), parameter::length("spring", s.spring),
          parameter::number("stiffness", s.stiffness), parameter::number("gravity", s.gravity),
          parameter::mass("mass", s.inverse_mass)};
}

}  // namespace taut
