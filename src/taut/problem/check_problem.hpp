// Is a problem what it says? check_problem(problem, x) compares every derivative that a problem gives with
// differences of the function that it belongs to, at x and at a few points near it, and says which is wrong,
// where and by how much:
//
//   G                          with differences of g
//   grad_V                     with differences of V
//   grad_V_fast, grad_V_slow   with differences of V_fast, V - V_fast
//   H_q, H_p                   with differences of H
//   H_pp_times                 with differences of H_p
//   bend                       with second differences of g
//   W                          with itself: it is symmetric, positive, and the inverse of the mass
//   cast                       with the problem itself
//
// Numbers are compared as doubles, in every lane. The check is for the author of a problem; it is not fast.
#pragma once

#include <taut/problem/check/faults.hpp>
#include <taut/problem/check/members.hpp>
#include <taut/problem/check_bend.hpp>
#include <taut/problem/difference_quotient.hpp>
#include <taut/problem/missing_member.hpp>
#include <taut/scalar/dual.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace taut {

namespace problem_check {

template <class P>
class Checker {
 public:
  Checker(const P& s, ProblemCheck& check)
      : s_(s), of_(s), check_(check), faults_(check, s.coordinates(), lanes) {}

  void look_at_tiers() {
    using namespace member;
    if constexpr (!Natural<P>)
      note_half_a_tier(
          check_,
          {{"V(q)", Potential<P>}, {"grad_V(q, out)", PotentialGradient<P>}, {"W()", InverseMass<P>}});
    if constexpr (!OwnHamiltonian<P>)
      note_half_a_tier(check_, {{"H(q, p)", Energy<P>},
                                {"H_q(q, p, out)", EnergyAlongPositions<P>},
                                {"H_p(q, p, out)", EnergyAlongMomenta<P>},
                                {"H_pp_times(q, p, v, out)", EnergyTwiceAlongMomenta<P>}});
    if constexpr (!Split<P>)
      note_half_a_tier(check_, {{"V_fast(q)", FastPotential<P>},
                                {"grad_V_fast(q, out)", FastGradient<P>},
                                {"grad_V_slow(q, out)", SlowGradient<P>}});
  }

  void look_at(const std::vector<Where>& points) {
    for (const Derivative& d : derivatives()) {
      faults_.begin(d.member);
      if (!is_defined(d, points[0])) continue;
      for (const Where& x : points)
        if (!faults_.has(d.member)) faults_.compare(d, x);
    }
    if constexpr (Quadratic<P>) look_at_bend(points);
    if constexpr (Natural<P>) look_at_W(points[0]);
    if constexpr (Castable<P>) look_at_cast(points);
  }

 private:
  static constexpr int lanes = Members<P>::lanes;

  std::vector<Derivative> derivatives() const {
    std::vector<Derivative> list;
    list.push_back(
        {.member = "G",
         .function = "g",
         .value = [this](const Where& x) { return of_.g(x); },
         .along = [this](const Where& x, const Numbers& d) { return of_.G_times(x, d); },
         .entry = [](int row,
                     int column) { return "G(" + std::to_string(row) + ", " + std::to_string(column) + ")"; },
         .part = [this](int row) { return constraint_name(s_, row); }});
    if constexpr (Natural<P>) list.push_back(gradient("grad_V", "V", &Members<P>::grad_V, &Members<P>::V));
    if constexpr (Split<P>) {
      list.push_back(gradient("grad_V_fast", "V_fast", &Members<P>::grad_V_fast, &Members<P>::V_fast));
      list.push_back(gradient("grad_V_slow", "V - V_fast", &Members<P>::grad_V_slow, &Members<P>::V_slow));
    }
    if constexpr (!Natural<P> && OwnHamiltonian<P>) {
      list.push_back(gradient("H_q", "H", &Members<P>::H_q, &Members<P>::H));
      list.push_back(gradient("H_p", "H", &Members<P>::H_p, &Members<P>::H));
      list.back().along_momenta = true;
      list.push_back({.member = "H_pp_times",
                      .function = "H_p",
                      .along_momenta = true,
                      .value = [this](const Where& x) { return of_.H_p(x); },
                      .along = [this](const Where& x, const Numbers& d) { return of_.H_pp_times(x, d); },
                      .entry =
                          [](int row, int column) {
                            return at("out", row) + " for the unit vector v along " + at("p", column);
                          }});
    }
    return list;
  }
  using Member = Numbers (Members<P>::*)(const Where&) const;
  Derivative gradient(const char* member, const char* function, Member given, Member value) const {
    return {
        .member = member,
        .function = function,
        .value = [this, value](const Where& x) { return (of_.*value)(x); },
        .along = [this, given](const Where& x, const Numbers& d) { return dot(d, (of_.*given)(x), lanes); },
        .entry = [](int, int column) { return at("out", column); }};
  }

  // Has the function a value at the point that the author named?
  bool is_defined(const Derivative& d, const Where& x) {
    const Numbers value = d.value(x);
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (std::isfinite(value[i])) continue;
      const std::string entry = value.size() > lanes ? at("out", static_cast<int>(i) / lanes) : "it";
      faults_.note(0,
                   {.member = d.function,
                    .entry = entry,
                    .given = value[i],
                    .sentence = std::string(d.function) + " has no value: " + entry +
                                " is not written, or not a finite number."},
                   x, static_cast<int>(i) % lanes);
      return false;
    }
    return true;
  }

  // bend(d) = (g(q + d) - 2 g(q) + g(q - d))/2 for every d if g is of second degree. A large d outweighs the
  // constants in g.
  void look_at_bend(const std::vector<Where>& points) {
    faults_.begin("bend");
    for (const Where& x : points)
      for (const double reach : {1.0, 0x1p20}) {
        Numbers d = scattered(x.q.size(), 7);
        for (double& entry : d) entry *= reach * size_of(x.q);
        Where after = x, before = x;
        for (std::size_t i = 0; i < d.size(); ++i) after.q[i] += d[i], before.q[i] -= d[i];
        const Numbers there = of_.g(after), here = of_.g(x), back = of_.g(before), bend = of_.bend(d);
        for (std::size_t i = 0; i < bend.size(); ++i)
          faults_.compare("bend", at("out", static_cast<int>(i) / lanes), bend[i],
                          (there[i] - 2 * here[i] + back[i]) / 2, std::abs(there[i]) + std::abs(back[i]),
                          "(g(q + d) - 2 g(q) + g(q - d))/2", x, static_cast<int>(i) % lanes);
      }
  }

  void look_at_W(const Where& x) {
    faults_.begin("W");
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Numbers u = scattered(x.q.size(), seed), v = scattered(x.q.size(), seed + 100);
      const Numbers Wu = of_.W_times(u), Wv = of_.W_times(v), hWu = of_.W_times(0.5, u);
      Numbers uWv(lanes, 0), vWu = uWv, uWu = uWv, terms = uWv;
      for (std::size_t i = 0; i < u.size(); ++i) {
        uWv[i % lanes] += u[i] * Wv[i];
        vWu[i % lanes] += v[i] * Wu[i];
        uWu[i % lanes] += u[i] * Wu[i];
        terms[i % lanes] += std::abs(u[i] * Wv[i]) + std::abs(v[i] * Wu[i]);
        faults_.compare("W", "times(1/2, u), " + at("entry", static_cast<int>(i) / lanes) + ",", hWu[i],
                        Wu[i] / 2, largest(Wu), "half of times(u)", x, static_cast<int>(i) % lanes);
      }
      for (int i = 0; i < lanes; ++i) {
        faults_.compare("W", "u'W v", uWv[i], vWu[i], terms[i], "v'W u", x, i);
        if (!(uWu[i] > 0))
          faults_.note(1,
                       {.member = "W",
                        .entry = "u'W u",
                        .given = uWu[i],
                        .sentence = "W is wrong: u'W u is " + to_digits(uWu[i], 8) +
                                    " for some u, but a mass matrix is positive definite."},
                       x, i);
      }
      if constexpr (requires(typename P::Vec a) { s_.W().mass_times(a, a); }) {
        const Numbers back = of_.mass_times(Wu);
        for (std::size_t i = 0; i < u.size(); ++i)
          faults_.compare("W", "mass_times(W u), " + at("entry", static_cast<int>(i) / lanes) + ",", back[i],
                          u[i], largest(u), "u", x, static_cast<int>(i) % lanes);
      }
    }
  }

  void look_at_cast(const std::vector<Where>& points) {
    faults_.begin("cast");
    using T = typename P::Scalar;
    const auto same = s_.template cast<T>();
    const auto dual = s_.template cast<Dual<T, 1>>();
    for (const Where& x : points) {
      compare_cast("cast<Scalar>()", Members(same), x);
      compare_cast("cast<Dual<Scalar, 1>>()", Members(dual), x);
    }
  }
  template <class Other>
  void compare_cast(const std::string& cast, const Other& other, const Where& x) {
    const auto same = [&](const char* name, const Numbers& given, const Numbers& expected) {
      for (std::size_t i = 0; i < given.size(); ++i)
        faults_.compare("cast", cast + "." + name + ", " + at("entry", static_cast<int>(i) / lanes) + ",",
                        given[i], expected[i], largest(expected), "that of the problem itself", x,
                        static_cast<int>(i) % lanes);
    };
    same("g", other.g(x), of_.g(x));
    const Numbers direction = scattered(static_cast<std::size_t>(s_.coordinates()), 1);
    same("G", other.G_times(x, direction), of_.G_times(x, direction));
    if constexpr (Natural<P>) {
      same("V", other.V(x), of_.V(x));
      same("W", other.W_times(x.q), of_.W_times(x.q));
    }
    if constexpr (Split<P>) same("V_fast", other.V_fast(x), of_.V_fast(x));
    if constexpr (Hamiltonian<P>) {
      same("H", other.H(x), of_.H(x));
      same(Natural<P> ? "grad_V" : "H_q", other.H_q(x), of_.H_q(x));
      same(Natural<P> ? "W" : "H_p", other.H_p(x), of_.H_p(x));
    }
  }

  const P& s_;
  Members<P> of_;
  ProblemCheck& check_;
  Faults faults_;
};

// x, and three points around it, at which terms that vanish at x by luck do not.
inline std::vector<Where> points_near(const Where& x) {
  std::vector<Where> points{x};
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    const Numbers a = scattered(x.q.size(), seed + 20), b = scattered(x.p.size(), seed + 30);
    points.push_back({moved(x.q, a, 0x1p-6 * size_of(x.q), 1), moved(x.p, b, 0x1p-2 * size_of(x.p), 1)});
  }
  return points;
}

}  // namespace problem_check

// x is a state of the problem: q and p.
template <class P, class X>
[[nodiscard]] ProblemCheck check_problem(const P& problem, const X& x) {
  ProblemCheck check;
  if constexpr (Constrained<P>) {
    problem_check::Checker<P> checker(problem, check);
    using Members = problem_check::Members<P>;
    checker.look_at(problem_check::points_near({Members::numbers(x.q), Members::numbers(x.p)}));
    checker.look_at_tiers();
  } else {
    constexpr bool nothing_missing = name_missing_members<P, Needs{}>();
    static_assert(!nothing_missing);
  }
  return check;
}

}  // namespace taut
