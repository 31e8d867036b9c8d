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

#include <taut/problem/check_bend.hpp>
#include <taut/problem/difference_quotient.hpp>
#include <taut/problem/missing_member.hpp>
#include <taut/scalar/dual.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taut {

struct ProblemFault {
  std::string member;                  // "grad_V"
  std::string entry;                   // "out[1]"
  double given = 0, expected = 0;      // what the problem gives there, and what the comparison gives
  double error = 0;                    // an estimate of the error of `expected`
  std::vector<double> q = {}, p = {};  // where, in the lane of the fault
  std::string sentence;

  double apart() const { return std::abs(given - expected); }
};

struct ProblemCheck {
  std::vector<std::string> compared;  // the members that were looked at
  std::vector<ProblemFault> faults;   // the worst of each member

  explicit operator bool() const { return faults.empty(); }
  std::string text() const {
    std::string all;
    if (faults.empty()) {
      for (const std::string& member : compared) all += (all.empty() ? "" : ", ") + member;
      return all + (compared.size() == 1 ? " agrees with differences." : " agree with differences.");
    }
    for (const ProblemFault& fault : faults) all += (all.empty() ? "" : "\n") + fault.sentence;
    return all;
  }
};

namespace problem_check {

using Numbers = std::vector<double>;  // entry by entry, and for each entry lane by lane

inline std::string listed(const Numbers& x) {
  constexpr std::size_t most = 8;
  std::string text = "(";
  for (std::size_t i = 0; i < std::min(x.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + to_digits(x[i], 6);
  return text + (x.size() > most ? ", ...)" : ")");
}
inline std::string at(const char* name, int k) { return std::string(name) + "[" + std::to_string(k) + "]"; }

struct Where {
  Numbers q, p;  // in all lanes
};

inline Numbers scattered(std::size_t count, std::uint32_t seed) {
  Numbers x(count);
  Scattered random(seed);
  for (double& entry : x) entry = random.next();
  return x;
}
inline double largest(const Numbers& x) {
  double found = 0;
  for (const double entry : x) found = std::max(found, std::abs(entry));
  return found;
}
// What counts as a change of order 1 of these coordinates.
inline double size_of(const Numbers& x) {
  const double found = largest(x);
  return found > 0 && std::isfinite(found) ? found : 1;
}
inline Numbers moved(const Numbers& x, const Numbers& d, double t, int lanes) {
  Numbers y = x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += t * d[i / static_cast<std::size_t>(lanes)];
  return y;
}

// A member that gives the derivative of a function along the coordinates, or along the momenta.
struct Derivative {
  const char* member;
  const char* function;  // what it should be the derivative of
  bool along_momenta = false;
  std::function<Numbers(const Where&)> value;                  // gives the values of the function
  std::function<Numbers(const Where&, const Numbers&)> along;  // what the member gives for a direction
  std::function<std::string(int row, int column)> entry;       // its name
  std::function<std::string(int row)> part = {};               // what a row is, if that has a name
};

// Collects the worst fault of each member.
class Faults {
 public:
  Faults(ProblemCheck& check, int n, int lanes) : check_(check), n_(n), lanes_(lanes) {}

  void begin(const char* member) { check_.compared.emplace_back(member); }
  // A member that is wrong at one point need not be looked at at the next.
  bool has(std::string_view member) const {
    return std::any_of(check_.faults.begin(), check_.faults.end(),
                       [&](const ProblemFault& f) { return f.member == member; });
  }

  // Notes that the number is off by `times` its tolerance.
  void note(double times, ProblemFault fault, const Where& x, int lane) {
    const auto same = [&](const ProblemFault& f) { return f.member == fault.member; };
    const auto known = std::find_if(check_.faults.begin(), check_.faults.end(), same);
    if (known != check_.faults.end() && times <= worst_[known - check_.faults.begin()]) return;
    fault.q = of_lane(x.q, lane);
    fault.p = of_lane(x.p, lane);
    fault.sentence += " At q = " + listed(fault.q) + ", p = " + listed(fault.p);
    fault.sentence += lanes_ > 1 ? ", lane " + std::to_string(lane) + "." : ".";
    if (known == check_.faults.end()) {
      check_.faults.push_back(std::move(fault));
      worst_.push_back(times);
    } else {
      worst_[known - check_.faults.begin()] = times;
      *known = std::move(fault);
    }
  }

  // Two numbers that are the same up to rounding of terms of this size.
  void compare(const char* member, const std::string& entry, double given, double expected, double terms,
               const std::string& claim, const Where& x, int lane) {
    constexpr double rounding = 1e-10;
    const double times = std::abs(given - expected) / (rounding * std::max(terms, std::abs(expected)));
    if (times <= 1 || given == expected || !std::isfinite(expected)) return;
    note(std::isnan(times) ? std::numeric_limits<double>::infinity() : times,
         {.member = member,
          .entry = entry,
          .given = given,
          .expected = expected,
          .sentence = std::string(member) + " is wrong: " + entry + " is " + to_digits(given, 8) + ", but " +
                      claim + " is " + to_digits(expected, 8) + "."},
         x, lane);
  }

  // Compares the member with differences along the unit vectors; if those are many, along a few directions.
  void compare(const Derivative& d, const Where& x) {
    constexpr int many = 64;
    if (n_ <= many) {
      for (int j = 0; j < n_; ++j) look_along(d, x, unit(j), j);
      return;
    }
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const Numbers direction = scattered(static_cast<std::size_t>(n_), seed);
      if (const int row = wrong_row(d, x, direction); row >= 0) return narrow_down(d, x, direction, row);
    }
  }

 private:
  struct Found {
    double times;  // over its tolerance
    double given;
    DifferenceQuotient expected;
  };

  Numbers unit(int j) const {
    Numbers e(static_cast<std::size_t>(n_), 0);
    e[static_cast<std::size_t>(j)] = 1;
    return e;
  }
  Numbers of_lane(const Numbers& x, int lane) const {
    Numbers y;
    for (std::size_t i = static_cast<std::size_t>(lane); i < x.size(); i += static_cast<std::size_t>(lanes_))
      y.push_back(x[i]);
    return y;
  }

  // Entry by entry: how far what the member gives along this direction is from the difference quotient.
  std::vector<Found> looked(const Derivative& d, const Where& x, const Numbers& direction) const {
    const Numbers& start = d.along_momenta ? x.p : x.q;
    const Numbers given = d.along(x, direction);
    const auto line = [&](double t) {
      Where y = x;
      (d.along_momenta ? y.p : y.q) = moved(start, direction, t, lanes_);
      return d.value(y);
    };
    const auto expected = difference_quotients(line, size_of(start));
    const double all = largest_finite(given);
    std::vector<Found> found;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const DifferenceQuotient& e = expected[i];
      // An estimate may be small by luck, and no derivative is exact to the last digits.
      const double tolerance = 100 * e.error + 1e-8 * std::max(all, std::abs(e.value));
      const double times = std::abs(given[i] - e.value) / tolerance;
      const bool known = std::isfinite(e.value);
      found.push_back({!known                    ? 0
                       : std::isfinite(given[i]) ? times
                                                 : std::numeric_limits<double>::infinity(),
                       given[i], e});
    }
    return found;
  }
  static double largest_finite(const Numbers& x) {
    double found = 0;
    for (const double entry : x)
      if (std::isfinite(entry)) found = std::max(found, std::abs(entry));
    return found;
  }

  void look_along(const Derivative& d, const Where& x, const Numbers& direction, int column) {
    const auto found = looked(d, x, direction);
    for (int i = 0; i < static_cast<int>(found.size()); ++i)
      if (found[static_cast<std::size_t>(i)].times > 1)
        blame(d, x, found[static_cast<std::size_t>(i)], i, d.entry(i / lanes_, column),
              at(d.along_momenta ? "p" : "q", column));
  }
  void blame(const Derivative& d, const Where& x, const Found& found, int i, const std::string& entry,
             const std::string& variable) {
    const std::string part = d.part ? " in " + d.part(i / lanes_) : "";
    const bool written = std::isfinite(found.given);
    note(
        found.times,
        {.member = d.member,
         .entry = entry,
         .given = found.given,
         .expected = found.expected.value,
         .error = found.expected.error,
         .sentence =
             std::string(d.member) + " is wrong" + part + ": " + entry +
             (written ? " is " + to_digits(found.given, 8) : " is not written, or not a number") +
             ", but differences of " + d.function + " along " + variable + " give " +
             to_digits(found.expected.value, 8) + " (error " + to_digits(found.expected.error, 2) + ")" +
             (written ? ", " + to_digits(std::abs(found.given - found.expected.value), 3) + " apart." : ".")},
        x, i % lanes_);
  }

  // A row in which the member is wrong along this direction, with its lane; -1 if there is none.
  int wrong_row(const Derivative& d, const Where& x, const Numbers& direction) const {
    const auto found = looked(d, x, direction);
    const auto worst = std::max_element(found.begin(), found.end(),
                                        [](const Found& a, const Found& b) { return a.times < b.times; });
    return worst != found.end() && worst->times > 1 ? static_cast<int>(worst - found.begin()) : -1;
  }
  // Halves the coordinates that the direction moves until one is left, and keeps the half in which this row
  // is wrong.
  void narrow_down(const Derivative& d, const Where& x, const Numbers& direction, int row) {
    int from = 0, to = n_;
    while (to - from > 1) {
      const int middle = (from + to) / 2;
      const auto wrong_in = [&](int a, int b) {
        Numbers part(direction.size(), 0);
        std::copy(direction.begin() + a, direction.begin() + b, part.begin() + a);
        return looked(d, x, part)[static_cast<std::size_t>(row)].times > 1;
      };
      if (wrong_in(from, middle))
        to = middle;
      else if (wrong_in(middle, to))
        from = middle;
      else
        break;  // each half is right by itself to within its error: what is left is named as a whole
    }
    if (to - from == 1) return look_along(d, x, unit(from), from);
    Numbers part(direction.size(), 0);
    std::copy(direction.begin() + from, direction.begin() + to, part.begin() + from);
    blame(d, x, looked(d, x, part)[static_cast<std::size_t>(row)], row,
          "its product with a direction along q[" + std::to_string(from) + "] to q[" +
              std::to_string(to - 1) + "]",
          "it");
  }

  ProblemCheck& check_;
  std::vector<double> worst_;  // how far each fault is over its tolerance
  int n_, lanes_;
};

// The members of a problem as functions of plain numbers.
template <class P>
class Members {
 public:
  using T = typename P::Scalar;
  using Vec = typename P::Vec;
  static constexpr int lanes = ScalarTraits<T>::lanes;

  explicit Members(const P& s) : s_(s) {}

  Numbers g(const Where& x) const {
    auto out = unwritten(zero_multiplier(s_));
    s_.g(vec(x.q), out);
    return numbers(out);
  }
  Numbers G_times(const Where& x, const Numbers& d) const {
    auto G = s_.make_jacobian();
    s_.G(vec(x.q), G);
    auto out = zero_multiplier(s_);
    G.times(same_in_all_lanes(d), out);
    return numbers(out);
  }
  Numbers bend(const Numbers& d) const {
    auto out = unwritten(zero_multiplier(s_));
    s_.bend(vec(d), out);
    return numbers(out);
  }
  Numbers H(const Where& x) const { return numbers(taut::H(s_, vec(x.q), vec(x.p))); }
  Numbers V(const Where& x) const { return numbers(s_.V(vec(x.q))); }
  Numbers V_fast(const Where& x) const { return numbers(s_.V_fast(vec(x.q))); }
  Numbers V_slow(const Where& x) const { return numbers(T(s_.V(vec(x.q)) - s_.V_fast(vec(x.q)))); }
  Numbers grad_V(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V(vec(x.q), out); });
  }
  Numbers grad_V_fast(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V_fast(vec(x.q), out); });
  }
  Numbers grad_V_slow(const Where& x) const {
    return filled([&](Vec& out) { s_.grad_V_slow(vec(x.q), out); });
  }
  Numbers H_q(const Where& x) const {
    return filled([&](Vec& out) { taut::H_q(s_, vec(x.q), vec(x.p), out); });
  }
  Numbers H_p(const Where& x) const {
    return filled([&](Vec& out) { taut::H_p(s_, vec(x.q), vec(x.p), out); });
  }
  Numbers H_pp_times(const Where& x, const Numbers& d) const {
    return filled([&](Vec& out) { taut::H_pp_times(s_, vec(x.q), vec(x.p), same_in_all_lanes(d), out); });
  }
  Numbers W_times(const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().times(vec(v), out); });
  }
  Numbers W_times(double h, const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().times(T(h), vec(v), out); });
  }
  Numbers mass_times(const Numbers& v) const {
    return filled([&](Vec& out) { s_.W().mass_times(vec(v), out); });
  }

  static Numbers numbers(const Vec& v) { return entries(v); }

 private:
  template <class Vector>
  static Numbers entries(const Vector& v) {
    Numbers x;
    for (Eigen::Index j = 0; j < v.size(); ++j)
      for (int i = 0; i < lanes; ++i) x.push_back(lane(v[j], i));
    return x;
  }
  template <class Value>
  static Numbers numbers(const Value& v) {
    if constexpr (requires { v.size(); })
      return entries(v);
    else
      return entries(Vector<T, 1>(T(v)));
  }
  // A number that shows if the problem does not replace it.
  template <class Vector>
  static Vector unwritten(Vector v) {
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = T(std::numeric_limits<double>::quiet_NaN());
    return v;
  }
  template <class Fill>
  Numbers filled(Fill&& fill) const {
    Vec out = unwritten(zero_vector(s_));
    fill(out);
    return entries(out);
  }
  Vec vec(const Numbers& x) const {
    Vec v = zero_vector(s_);
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = from_lanes(&x[static_cast<std::size_t>(j) * lanes]);
    return v;
  }
  Vec same_in_all_lanes(const Numbers& d) const {
    Vec v = zero_vector(s_);
    for (Eigen::Index j = 0; j < v.size(); ++j) v[j] = T(d[static_cast<std::size_t>(j)]);
    return v;
  }
  static T from_lanes(const double* x) {
    if constexpr (lanes == 1) {
      return T(*x);
    } else {
      Base<T> pack(0);
      for (int i = 0; i < lanes; ++i) pack.set(i, x[i]);
      return T(pack);
    }
  }

  const P& s_;
};

// d·v in each lane; what the direction does not move is not looked at, so that each entry of v answers for
// itself.
inline Numbers dot(const Numbers& d, const Numbers& v, int lanes) {
  Numbers sum(static_cast<std::size_t>(lanes), 0);
  for (std::size_t i = 0; i < v.size(); ++i)
    if (d[i / sum.size()] != 0) sum[i % sum.size()] += d[i / sum.size()] * v[i];
  return sum;
}

// The members of one tier that are there and those that are not: half a tier is a mistake in a name or an
// argument.
inline void note_half_a_tier(ProblemCheck& check, const std::vector<std::pair<const char*, bool>>& members) {
  std::string there, first_missing, missing;
  for (const auto& [name, has] : members) {
    std::string& list = has ? there : missing;
    if (!has && missing.empty()) first_missing = name;
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  if (there.empty() || missing.empty()) return;
  check.faults.push_back({.member = first_missing.substr(0, first_missing.find('(')),
                          .entry = "",
                          .sentence = "The problem has " + there + " but not " + missing +
                                      ": is a name or an argument misspelt?"});
}

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
