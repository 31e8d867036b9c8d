// A problem that lacks a member does not compile with a method that needs it, and the compiler's message
// names the member. All are compiled at once, since each takes the compiler a second or two.

#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "support/compile.hpp"

namespace {

using taut::test::compiled;
using taut::test::CompilerRun;
using taut::test::OwnFolder;

constexpr const char* includes = R"(
#include <taut/method/composition.hpp>
#include <taut/method/dirac_gauss.hpp>
#include <taut/method/explicit_maps.hpp>
#include <taut/method/implicit_midpoint.hpp>
#include <taut/method/lobatto.hpp>
#include <taut/method/rattle.hpp>
#include <taut/method/stepper.hpp>
#include <taut/problem/check_problem.hpp>
using namespace taut;
struct NeverFits {
  template <class P>
  static constexpr bool fits = false;
};
)";

constexpr const char* with_V = R"(
template <class T> struct ProblemOf : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec, typename Shape<T, 2, 1>::Multiplier, typename Shape<T, 2, 1>::Jacobian;
  ScalarMass<T> mass{};
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& out) const { out[0] = q[0]; }
  void G(const Vec&, Jacobian& out) const { out(0, 0) = 1; }
  T V(const Vec& q) const { return q[0]; }
  void grad_V(const Vec&, Vec& out) const { out[0] = 1; }
  const ScalarMass<T>& W() const { return mass; }
  T V_fast(const Vec& q) const { return q[0]; }
  void grad_V_fast(const Vec&, Vec& out) const { out[0] = 1; }
  void grad_V_slow(const Vec&, Vec& out) const { out[0] = 0; }
  template <class U> ProblemOf<U> cast() const { return {}; }
};
using Problem = ProblemOf<double>;
)";

constexpr const char* with_H = R"(
template <class T> struct ProblemOf : Shape<T, 2, 1> {
  using typename Shape<T, 2, 1>::Vec, typename Shape<T, 2, 1>::Multiplier, typename Shape<T, 2, 1>::Jacobian;
  int coordinates() const { return 2; }
  int constraints() const { return 1; }
  Jacobian make_jacobian() const { return {}; }
  void g(const Vec& q, Multiplier& out) const { out[0] = q[0]; }
  void G(const Vec&, Jacobian& out) const { out(0, 0) = 1; }
  T H(const Vec& q, const Vec& p) const { return q[0] + p[0]; }
  void H_q(const Vec&, const Vec&, Vec& out) const { out[0] = 1; }
  void H_p(const Vec&, const Vec&, Vec& out) const { out[0] = 1; }
  void H_pp_times(const Vec&, const Vec&, const Vec&, Vec& out) const { out[0] = 0; }
  template <class U> ProblemOf<U> cast() const { return {}; }
};
using Problem = ProblemOf<double>;
)";

struct Case {
  std::string problem;
  std::string misspelt;  // the member, which gets another name
  std::string method;
  std::string sentence;  // the beginning of what the compiler says
};

std::string missing(const std::string& member) { return "taut: this problem has no " + member + ". "; }

const std::vector<Case> cases = {
    {with_V, "coordinates", "Rattle", missing("coordinates()")},
    {with_V, "constraints", "Rattle", missing("constraints()")},
    {with_V, "make_jacobian", "Rattle", missing("make_jacobian()")},
    {with_V, "g", "Rattle", missing("g(q, out)")},
    {with_V, "G", "Rattle", missing("G(q, out)")},
    {with_V, "V", "Rattle", missing("V(q)")},
    {with_V, "grad_V", "Rattle", missing("grad_V(q, out)")},
    {with_V, "W", "Rattle", missing("W()")},
    {with_V, "V_fast", "Projected<Impulse>", missing("V_fast(q)")},
    {with_V, "grad_V_fast", "Projected<Impulse>", missing("grad_V_fast(q, out)")},
    {with_V, "grad_V_slow", "Projected<Impulse>", missing("grad_V_slow(q, out)")},
    {with_V, "cast", "Projected<ImplicitMidpoint>", missing("cast<U>()")},
    {with_H, "H", "Lobatto<>", missing("H(q, p)")},
    {with_H, "H_q", "Lobatto<>", missing("H_q(q, p, out)")},
    {with_H, "H_p", "Lobatto<>", missing("H_p(q, p, out)")},
    {with_H, "H_pp_times", "Lobatto<>", missing("H_pp_times(q, p, v, out)")},
    {with_H, "Shape", "Lobatto<>", "taut: this problem does not name its types "},
    {with_V, "", "NeverFits", "taut: this problem has all members that the method needs, but "},
};

std::string without(const std::string& problem, const std::string& member) {
  if (member.empty()) return problem;
  if (member == "Shape") return "struct Problem {};\n";
  return std::regex_replace(problem, std::regex("\\b" + member + "\\("), "another_name(");
}

// One problem in its own namespace, and a call.
std::string text_of(int k, const std::string& problem, const std::string& call) {
  const std::string name = "case_" + std::to_string(k);
  return "namespace " + name + " {" + problem + "inline int f(State<double, 2>& x) {\n" + call + "\n}\n}\n";
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(MissingMembers, AreNamedByTheCompiler) {
  std::string program = includes;
  for (int k = 0; k < static_cast<int>(cases.size()); ++k) {
    const Case& c = cases[static_cast<std::size_t>(k)];
    program += text_of(k, without(c.problem, c.misspelt),
                       "const auto stepper = bind(" + c.method + "{}, Problem{}, x);\n" +
                           "return stepper->step(x, 0.1) ? 0 : 1;");
  }
  const OwnFolder folder;
  const CompilerRun run = compiled(folder, program, "-fsyntax-only");
  EXPECT_FALSE(run.succeeded);
  for (const Case& c : cases)
    EXPECT_EQ(count(run.log, "error: static assertion failed: " + c.sentence), 1) << c.sentence;
  EXPECT_EQ(count(run.log, "error: "), static_cast<int>(cases.size())) << "nothing else is wrong";
  if (HasFailure()) std::cout << run.log.substr(0, 5000);
}

// The same problems, complete, compile with every method that needs them; and those who ask get an answer.
TEST(MissingMembers, AreNotMissedIfTheyAreThere) {
  std::string program = includes;
  program += text_of(0, with_V, R"(
  static_assert(Rattle::fits<Problem> && Projected<Impulse>::fits<Problem>);
  return bind(Rattle{}, Problem{}, x) && bind(Projected<Impulse>{}, Problem{}, x);)");
  program += text_of(1, with_H, R"(
  static_assert(!Rattle::fits<Problem> && Lobatto<>::fits<Problem>);
  return bind(Lobatto<>{}, Problem{}, x) && try_bind(Rattle{}, Problem{}, x) == nullptr;)");
  const OwnFolder folder;
  const CompilerRun run = compiled(folder, program, "-fsyntax-only");
  EXPECT_TRUE(run.succeeded) << run.log.substr(0, 2000);
}

// check_problem names what every problem needs.
TEST(MissingMembers, AreNamedByTheCheckToo) {
  const OwnFolder folder;
  const CompilerRun run = compiled(
      folder, includes + text_of(0, without(with_V, "G"), "return check_problem(Problem{}, x) ? 0 : 1;"),
      "-fsyntax-only");
  EXPECT_FALSE(run.succeeded);
  EXPECT_EQ(count(run.log, "error: "), 1) << run.log.substr(0, 2000);
  EXPECT_EQ(count(run.log, missing("G(q, out)")), 1) << run.log.substr(0, 2000);
}

}  // namespace
