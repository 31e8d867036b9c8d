// check_problem finds nothing wrong with the problems that come with taut, and names the member, the entry
// and the size of every mistake that is made here on purpose.

#include <taut/problem/check_problem.hpp>
#include <taut/problem/ready_made/charged_particle.hpp>
#include <taut/problem/ready_made/six_node_chain.hpp>
#include <taut/problem/ready_made/six_node_chain_dynamic.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include "support/particle_models.hpp"

namespace {

using namespace taut;

enum class Mistake {
  none,
  G_sign,
  G_index,
  G_missing_term,
  grad_V_sign,
  grad_V_missing_term,
  grad_V_index,
  grad_V_unwritten,
  fast_term_missing,
  slow_holds_the_fast_part,
  bend_factor,
  mass_of_another_problem,
  mass_not_symmetric,
  cast_forgets_a_parameter,
  V_without_a_value,
};

// Three coordinates on a sphere and a plane, a stiff spring between two of them and a well: split, of second
// degree, castable.
template <class T = double>
struct Bead : Shape<T, 3, 2> {
  using typename Shape<T, 3, 2>::Vec;
  using typename Shape<T, 3, 2>::Multiplier;
  using typename Shape<T, 3, 2>::Jacobian;
  Mistake mistake = Mistake::none;
  T radius = T(1.25), stiffness = T(100);
  FullMass<T, 3> inverse_mass = mass().template cast<T>();

  static FullMass<double, 3> mass() {
    return *FullMass<double, 3>::from_mass(Eigen::Matrix3d{{2, 0.5, 0}, {0.5, 3, 0.25}, {0, 0.25, 1}});
  }
  bool with(Mistake made) const { return mistake == made; }

  int coordinates() const { return 3; }
  int constraints() const { return 2; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& out) const {
    out[0] = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - radius * radius) / 2;
    out[1] = q[0] - 2 * q[2] + q[1] * q[2];
  }
  void G(const Vec& q, Jacobian& out) const {
    out(0, 0) = q[0];
    out(0, 1) = with(Mistake::G_sign) ? T(-q[1]) : q[1];
    out(0, 2) = q[2];
    out(1, 0) = T(1);
    out(1, with(Mistake::G_index) ? 0 : 1) = q[2];
    out(1, 2) = with(Mistake::G_missing_term) ? T(-2) : T(-2 + q[1]);
  }
  void bend(const Vec& d, Multiplier& out) const {
    out[0] = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / 2;
    out[1] = with(Mistake::bend_factor) ? T(d[1] * d[2] / 2) : T(d[1] * d[2]);
  }

  T V_fast(const Vec& q) const { return stiffness * (q[0] - q[1]) * (q[0] - q[1]) / 2; }
  T V(const Vec& q) const {
    using taut::cos;
    if (with(Mistake::V_without_a_value)) return T(std::numeric_limits<double>::quiet_NaN());
    return V_fast(q) + cos(q[2]) + q[0] * q[1];
  }
  void grad_V_fast(const Vec& q, Vec& out) const {
    out[0] = stiffness * (q[0] - q[1]);
    out[1] = with(Mistake::fast_term_missing) ? T(0) : T(-out[0]);
    out[2] = T(0);
  }
  void grad_V_slow(const Vec& q, Vec& out) const {
    using taut::sin;
    out[0] = with(Mistake::slow_holds_the_fast_part) ? T(q[1] + stiffness * (q[0] - q[1])) : q[1];
    out[1] = q[0];
    out[2] = -sin(q[2]);
  }
  void grad_V(const Vec& q, Vec& out) const {
    using taut::sin;
    const T pull = stiffness * (q[0] - q[1]);
    if (!with(Mistake::grad_V_unwritten)) out[0] = pull + q[1];
    out[1] = with(Mistake::grad_V_missing_term) ? T(-pull) : T(-pull + q[0]);
    out[2] = with(Mistake::grad_V_sign)    ? T(sin(q[2]))
             : with(Mistake::grad_V_index) ? T(-sin(q[1]))
                                           : T(-sin(q[2]));
  }
  FullMass<T, 3> W() const {
    FullMass<T, 3> w = inverse_mass;
    if (with(Mistake::mass_of_another_problem)) w.mass(1, 1) = T(2);
    if (with(Mistake::mass_not_symmetric)) w.inverse(0, 2) = w.inverse(0, 2) + T(0.01);
    return w;
  }
  template <class U>
  Bead<U> cast() const {
    Bead<U> other;
    other.mistake = mistake;
    if (!with(Mistake::cast_forgets_a_parameter)) other.stiffness = convert<U>(stiffness);
    other.radius = convert<U>(radius);
    return other;
  }
};

const StateOf<Bead<>> start{{0.9, 0.4, 0.6}, {0.3, -0.2, 0.1}};

ProblemCheck checked(Mistake mistake) {
  Bead<> bead;
  bead.mistake = mistake;
  bead.stiffness = 90;
  return check_problem(bead, start);
}

// The mistake is found in this member and in no other.
ProblemFault only_fault(Mistake mistake, const std::string& member) {
  const ProblemCheck check = checked(mistake);
  EXPECT_FALSE(check) << member;
  if (check.faults.size() != 1U) {
    ADD_FAILURE() << member << ": " << check.text();
    return {};
  }
  EXPECT_EQ(check.faults[0].member, member) << check.text();
  EXPECT_EQ(check.text(), check.faults[0].sentence);
  EXPECT_EQ(check.faults[0].q.size(), 3U);
  return check.faults[0];
}

// A natural system, one with an H of its own, and one whose size is known at run time; tests/variants has
// all.
TEST(CheckProblem, FindsNothingWrongWithReadyMadeProblems) {
  const auto expect_none = [](const auto& s) {
    const ProblemCheck check = check_problem(s, s.start());
    EXPECT_TRUE(check) << check.text();
    EXPECT_GE(check.compared.size(), 3U);
  };
  expect_none(SixNodeChain<>{});
  expect_none(ChargedParticle<>{});
  expect_none(SixNodeChainDynamic<>(0.3));
}

TEST(CheckProblem, FindsNothingWrongInOtherScalars) {
  const Bead<> bead;
  const auto expect_none = [&]<class T>(T) {
    const auto other = bead.cast<T>();
    StateOf<Bead<T>> x;
    for (int j = 0; j < 3; ++j) x.q[j] = T(start.q[j]), x.p[j] = T(start.p[j]);
    EXPECT_TRUE(check_problem(other, x)) << check_problem(other, x).text();
  };
  expect_none(Float128(0));
  expect_none(static_cast<long double>(0));
  expect_none(Pack<4>(0));
  expect_none(Dual<double, 2>(0));
}

// Rods, springs, bends, torsions, pairs: hundreds of coordinates, and groups of formulas.
TEST(CheckProblem, FindsNothingWrongWithParticles) {
  for (const std::string& text : {test::polymer, test::rings}) {
    const ParticleProblem<double> s(test::particles_of(text));
    EXPECT_GT(s.coordinates(), 64);
    const ProblemCheck check = check_problem(s, s.start());
    EXPECT_TRUE(check) << check.text();
  }
}

TEST(CheckProblem, SaysWhatItCompared) {
  const ProblemCheck check = checked(Mistake::none);
  EXPECT_EQ(check.text(), "G, grad_V, grad_V_fast, grad_V_slow, bend, W, cast agree with differences.");
}

TEST(CheckProblem, NamesAWrongEntryOfG) {
  const ProblemFault sign = only_fault(Mistake::G_sign, "G");
  EXPECT_EQ(sign.entry, "G(0, 1)");
  EXPECT_NEAR(sign.given, -sign.q[1], 1e-12);
  EXPECT_NEAR(sign.expected, sign.q[1], 1e-9);
  EXPECT_LT(sign.error, 1e-9);
  EXPECT_NEAR(sign.apart(), 2 * sign.q[1], 1e-9);
  EXPECT_EQ(sign.sentence.find("G is wrong in constraint 1: G(0, 1) is -0."), 0U) << sign.sentence;
  EXPECT_NE(sign.sentence.find("but differences of g along q[1] give 0."), std::string::npos)
      << sign.sentence;
  EXPECT_NE(sign.sentence.find("At q = ("), std::string::npos) << sign.sentence;

  const ProblemFault index = only_fault(Mistake::G_index, "G");
  EXPECT_TRUE(index.entry == "G(1, 0)" || index.entry == "G(1, 1)") << index.entry;
  const ProblemFault term = only_fault(Mistake::G_missing_term, "G");
  EXPECT_EQ(term.entry, "G(1, 2)");
  EXPECT_NEAR(term.apart(), term.q[1], 1e-9);
}

TEST(CheckProblem, NamesAWrongEntryOfTheGradient) {
  EXPECT_EQ(only_fault(Mistake::grad_V_sign, "grad_V").entry, "out[2]");
  EXPECT_EQ(only_fault(Mistake::grad_V_missing_term, "grad_V").entry, "out[1]");
  EXPECT_EQ(only_fault(Mistake::grad_V_index, "grad_V").entry, "out[2]");
  const ProblemFault unwritten = only_fault(Mistake::grad_V_unwritten, "grad_V");
  EXPECT_EQ(unwritten.entry, "out[0]");
  EXPECT_NE(unwritten.sentence.find("out[0] is not written, or not a number"), std::string::npos);
}

TEST(CheckProblem, NamesAWrongPartOfASplit) {
  EXPECT_EQ(only_fault(Mistake::fast_term_missing, "grad_V_fast").entry, "out[1]");
  EXPECT_EQ(only_fault(Mistake::slow_holds_the_fast_part, "grad_V_slow").entry, "out[0]");
}

TEST(CheckProblem, NamesAWrongBend) {
  const ProblemFault bend = only_fault(Mistake::bend_factor, "bend");
  EXPECT_EQ(bend.entry, "out[1]");
  EXPECT_NEAR(bend.given / bend.expected, 0.5, 1e-6);
}

TEST(CheckProblem, NamesAWrongMass) {
  EXPECT_NE(only_fault(Mistake::mass_of_another_problem, "W").entry.find("mass_times(W u)"),
            std::string::npos);
  EXPECT_NE(checked(Mistake::mass_not_symmetric).faults.at(0).sentence.find("W is wrong"), std::string::npos);
}

TEST(CheckProblem, NamesACastThatForgets) {
  const ProblemFault cast = only_fault(Mistake::cast_forgets_a_parameter, "cast");
  EXPECT_NE(cast.entry.find("cast<"), std::string::npos);
  EXPECT_NE(cast.sentence.find("but that of the problem itself is"), std::string::npos) << cast.sentence;
}

TEST(CheckProblem, NamesAFunctionWithoutAValue) {
  const ProblemCheck check = checked(Mistake::V_without_a_value);
  ASSERT_FALSE(check);
  EXPECT_EQ(check.faults[0].member, "V");
}

// A Hamiltonian of its own, with a mistake.
struct Charged : ChargedParticle<> {
  enum { none, H_q_sign, H_p_missing_term, H_pp_wrong_index } mistake = none;
  void H_q(const Vec& q, const Vec& p, Vec& out) const {
    ChargedParticle<>::H_q(q, p, out);
    if (mistake == H_q_sign) out[0] = -out[0];
  }
  void H_p(const Vec& q, const Vec& p, Vec& out) const {
    ChargedParticle<>::H_p(q, p, out);
    if (mistake == H_p_missing_term) out[1] = p[1];
  }
  void H_pp_times(const Vec& q, const Vec& p, const Vec& v, Vec& out) const {
    ChargedParticle<>::H_pp_times(q, p, v, out);
    if (mistake == H_pp_wrong_index) std::swap(out[1], out[2]);
  }
};

TEST(CheckProblem, NamesAWrongDerivativeOfAHamiltonian) {
  Charged s;
  const auto members = [&] {
    std::vector<std::string> names;
    for (const ProblemFault& fault : check_problem(s, s.start()).faults) names.push_back(fault.member);
    return names;
  };
  s.mistake = Charged::H_q_sign;
  EXPECT_EQ(members().at(0), "H_q");
  s.mistake = Charged::H_pp_wrong_index;
  EXPECT_EQ(members(), (std::vector<std::string>{"H_pp_times"}));
  s.mistake = Charged::H_p_missing_term;
  EXPECT_EQ(members().at(0), "H_p");
  const ProblemFault fault = check_problem(s, s.start()).faults[0];
  EXPECT_EQ(fault.entry, "out[1]");
}

// One wrong entry among thousands is found by halving the directions.
TEST(CheckProblem, FindsOneWrongEntryInALargeGradient) {
  struct Row : Shape<double, dynamic, dynamic> {
    int coordinates() const { return 1000; }
    int constraints() const { return 1; }
    Jacobian make_jacobian() const { return {1, 1000}; }
    void g(const Vec& q, Multiplier& out) const { out[0] = q.squaredNorm() - 1; }
    void G(const Vec& q, Jacobian& out) const {
      for (int j = 0; j < 1000; ++j) out(0, j) = j == 617 ? q[j] : 2 * q[j];
    }
  };
  StateOf<Row> x{Eigen::VectorXd::LinSpaced(1000, -1, 1), Eigen::VectorXd::Zero(1000)};
  const ProblemCheck check = check_problem(Row{}, x);
  ASSERT_EQ(check.faults.size(), 1U);
  EXPECT_EQ(check.faults[0].entry, "G(0, 617)") << check.text();
}

TEST(CheckProblem, FindsAMistakeInOneLane) {
  Bead<Pack<4>> lanes;
  lanes.stiffness.set(2, 7);  // its own number in each lane is no mistake, but cast must keep it
  StateOf<Bead<Pack<4>>> x;
  for (int j = 0; j < 3; ++j) x.q[j] = Pack<4>(start.q[j]), x.p[j] = Pack<4>(start.p[j]);
  EXPECT_TRUE(check_problem(lanes, x)) << check_problem(lanes, x).text();
  lanes.mistake = Mistake::cast_forgets_a_parameter;
  const ProblemCheck check = check_problem(lanes, x);
  ASSERT_EQ(check.faults.size(), 1U) << check.text();
  EXPECT_EQ(check.faults[0].member, "cast");
  EXPECT_NE(check.text().find(", lane 2."), std::string::npos) << check.text();
}

// Half a tier is a mistake in a name: no method would take it, and nothing would have been compared.
TEST(CheckProblem, NamesAMisspeltMember) {
  struct Misspelt : Shape<double, 1, 1> {
    int coordinates() const { return 1; }
    int constraints() const { return 1; }
    Jacobian make_jacobian() const { return {}; }
    void g(const Vec& q, Multiplier& out) const { out[0] = q[0]; }
    void G(const Vec&, Jacobian& out) const { out(0, 0) = 1; }
    double V(const Vec& q) const { return q[0]; }
    void gradient_V(const Vec&, Vec& out) const { out[0] = 1; }
    ScalarMass<double> mass;
    const ScalarMass<double>& W() const { return mass; }
  };
  const ProblemCheck check =
      check_problem(Misspelt{}, StateOf<Misspelt>{Vector<double, 1>(0.5), Vector<double, 1>(0)});
  ASSERT_EQ(check.faults.size(), 1U);
  EXPECT_EQ(check.faults[0].member, "grad_V");
  EXPECT_EQ(check.text(),
            "The problem has V(q), W() but not grad_V(q, out): is a name or an argument misspelt?");
}

TEST(DifferenceQuotient, KnowsItsError) {
  const auto worst = [](double at, double size) {
    const auto found = difference_quotients(
        [&](double t) {
          return std::vector<double>{std::sin(at + t), std::exp(at + t), std::pow(at + t, -12.0),
                                     (at + t) * (at + t) - 3, 1e6 + at + t};
        },
        size);
    const double exact[] = {std::cos(at), std::exp(at), -12 * std::pow(at, -13.0), 2 * at, 1};
    for (int i = 0; i < 5; ++i) {
      const double off = std::abs(found[i].value - exact[i]);
      EXPECT_LE(off, 100 * found[i].error + 1e-8 * std::abs(exact[i])) << i << " at " << at;
      EXPECT_LE(found[i].error, 1e-6 * std::abs(exact[i])) << i << " at " << at;
    }
  };
  worst(1, 1);
  worst(0.3, 0.3);
  worst(1.1, 100);
}

}  // namespace
