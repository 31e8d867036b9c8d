// A system of particles as data: which particles there are, and which groups of terms and of pairs act on
// them. The code that evaluates them is in term_group.hpp, pair_potential.hpp and particles.hpp; to read or
// draw a model this header is enough.
#pragma once

#include <taut/scalar/places.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace taut {

struct GroupedRows;  // grouped_jacobian.hpp

inline constexpr int most_term_coordinates = 24;  // eight particles in space
inline constexpr int most_term_numbers = 24;

// `Code` is what a kernel evaluates: f, and its gradient by the coordinates, particle after particle.
template <class Code>
struct TermGroup {
  std::string what;                         // how messages call a term: "rod"
  bool slow = false;                        // a potential that belongs to V_slow
  bool rods = false;                        // f = (|x₁ - x₂|² - L²)/2, number 0 is L: no code needed
  std::vector<Places> particle;             // for each place in a term: its particle in every term
  std::vector<std::vector<double>> number;  // for each number of a term: its value in every term, padded
  std::shared_ptr<const Code> value, gradient;

  int size() const { return particle.front().size(); }
  int places() const { return static_cast<int>(particle.size()); }

  // Names the particles of a term, counted from 0 as in a model file: "4-5".
  std::string particles_of(int k) const {
    std::string text;
    for (const Places& p : particle) text.append(text.empty() ? "" : "-").append(std::to_string(p[k]));
    return text;
  }

  void add_number(std::vector<double> list) {
    if (number.size() == most_term_numbers)
      throw std::length_error("a term has at most " + std::to_string(most_term_numbers) + " numbers");
    list.resize(padded(static_cast<int>(list.size())), list.empty() ? 1 : list.front());
    number.push_back(std::move(list));
  }
};

struct PairRule {
  double cutoff = 0, skin = 0;
  // If there is one set, all its particles act on each other. If there are two, those of the first act on
  // those of the second. Each set is sorted and has no particle twice.
  std::vector<std::vector<int>> sets;
  // For each particle: those with a larger number on which it does not act, sorted.
  std::vector<std::vector<int>> apart;
  std::array<double, 3> box{};  // its edges; 0: not periodic in that direction
};

// How u is brought to 0 at the cutoff. If it is not, the energy jumps when a pair crosses the cutoff. If u is
// continuous but its force is not, the energy still drifts.
enum class Truncation { none, shift, force_shift };

template <class Code>
struct PairGroup : PairRule {
  Truncation truncation = Truncation::shift;
  bool slow = false;                         // it belongs to V_slow
  std::shared_ptr<const Code> value, slope;  // u(r), u'(r)
};

// What all copies and casts of a problem share.
template <class Code>
struct ParticleSystem {
  using Groups = std::vector<std::shared_ptr<const TermGroup<Code>>>;
  int dimension = 3, count = 0;
  std::vector<double> mass;  // one for each particle
  Groups constraints, potentials;
  std::vector<std::shared_ptr<const PairGroup<Code>>> pairs;
  std::vector<double> q, p;                      // the start
  std::shared_ptr<const GroupedRows> rows;       // those of the constraints
  std::shared_ptr<const GroupedRows> slopes[2];  // the same for the potentials: fast, slow

  int coordinates() const { return dimension * count; }

  // To be called when constraints and potentials are complete.
  void make_rows() {
    rows = rows_of(constraints);
    for (const bool slow : {false, true}) slopes[slow] = rows_of(potentials_of(slow));
  }

  Groups potentials_of(bool slow) const {
    Groups some;
    std::copy_if(potentials.begin(), potentials.end(), std::back_inserter(some),
                 [&](const auto& group) { return group->slow == slow; });
    return some;
  }

 private:
  std::shared_ptr<const GroupedRows> rows_of(const Groups& groups) const;  // particles.hpp defines it
};

}  // namespace taut
