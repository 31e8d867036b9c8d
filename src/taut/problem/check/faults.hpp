// What check_problem found: the worst fault of each member, as numbers and as a sentence.
#pragma once

#include <taut/problem/check_bend.hpp>
#include <taut/problem/difference_quotient.hpp>
#include <taut/problem/scattered.hpp>

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

}  // namespace problem_check

}  // namespace taut
