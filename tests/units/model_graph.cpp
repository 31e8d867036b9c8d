// The graph: equal expressions are one node, derivatives on it are the derivatives, and a gradient costs a
// small multiple of its function. The property tests go over random formulas.

#include <taut/model/code/interpreter.hpp>
#include <taut/model/code/system.hpp>
#include <taut/scalar/dual.hpp>
#include <taut/scalar/pack.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

namespace {

using namespace taut;

constexpr int n = 3;  // inputs a, b, c

int add(Graph& graph, const std::string& text) {
  const ParsedFormula parsed = parse_formula(text, "the formula");
  if (parsed.error) ADD_FAILURE() << text << ": " << parsed.error->sentence;
  return graph.add(parsed.formula, [&](std::string_view name) { return graph.input(name[0] - 'a'); });
}

template <class T>
std::vector<T> run(const Graph& graph, const std::vector<int>& nodes, const std::vector<T>& x) {
  const Evaluator<T> evaluator(std::make_shared<const Program>(linearise(graph, nodes, n)));
  std::vector<T> out(nodes.size());
  evaluator(x.data(), x.data(), x.data(), out.data());
  return out;
}

TEST(ModelGraph, EqualExpressionsAreOneNode) {
  Graph graph;
  const int f = add(graph, "(a + b)*c"), size = graph.size();
  EXPECT_EQ(add(graph, "c*(b + a)"), f);
  EXPECT_EQ(graph.size(), size);
  EXPECT_EQ(add(graph, "a - b"), graph.make(Op::negate, add(graph, "b - a")));
}

TEST(ModelGraph, Simplifications) {
  Graph graph;
  const auto same = [&](const std::string& x, const std::string& y) {
    EXPECT_EQ(add(graph, x), add(graph, y)) << x << " and " << y;
  };
  same("a + 0", "a");
  same("0*a + b", "b");
  same("1*a", "a");
  same("-1*a", "-a");
  same("--a", "a");
  same("a - a", "0");
  same("a + a", "2*a");
  same("a*a", "a^2");
  same("a^1", "a");
  same("a^0", "1");
  same("a^3", "a*a*a");
  same("abs(a)^2", "a^2");
  same("3*abs(a - b)^4", "3*(a - b)^4");
  same("a^-1", "1/a");
  same("a^0.5", "sqrt(a)");
  same("a^1.5", "a*sqrt(a)");
  same("a^-0.5", "1/sqrt(a)");
  same("a^-1.5", "(1/a)/sqrt(a)");
  same("sqrt(a^2 + b^2)^2", "a^2 + b^2");
  same("(-a)^2", "a^2");
  same("(-a)*(-b)", "a*b");
  same("a/2", "0.5*a");
  same("exp(a)/exp(a)", "1");
  same("0/(1 + a^2)", "0");
  same("0*sqrt(a^4 + abs(b))", "0");
  same("cosh(a)^0", "1");
  same("2*(3*a)", "6*a");
  same("a + -b", "a - b");
  same("a - -b", "a + b");
  same("2*pi*a", "(2*pi)*a");
  same("sin(pi/6 - pi/6)", "0");
  EXPECT_NE(add(graph, "a/3"), add(graph, "a*(1/3)"));  // rounded differently, so they stay apart
}

// A formula has no value where its author's has none, whatever is simplified.
TEST(ModelGraph, SimplificationsKeepTheDomain) {
  const std::vector<std::string> partial{"sqrt(a)",     "log(a)",      "asin(a + 3)",     "acos(a - 3)",
                                         "a^0.5",       "a^(-1.5)",    "(a - a + a)^1.5", "sqrt(sqrt(a))",
                                         "b^a/sqrt(a)", "log(-exp(b))"};
  for (const std::string& f : partial)
    for (const std::string whole :
         {"0*F",           "F*0",      "F - F",     "F + 1 - F",   "F/F",      "0/F",     "F^0",
          "F*F",           "F^2",      "1^F",       "(2*F)^0",     "0*(3*F)",  "0*(F/7)", "0*(7/F)",
          "b + 0*(F - c)", "-(F - F)", "F^2*0 + c", "(F*F)/(F*F)", "0*sin(F)", "0*b*F",   "exp(0*F)"}) {
      std::string text = whole;
      for (std::size_t at = text.find('F'); at != std::string::npos; at = text.find('F', at + f.size() + 2))
        text.replace(at, 1, "(" + f + ")");
      Graph graph;
      const int node = add(graph, text);
      EXPECT_FALSE(std::isfinite(run<double>(graph, {node}, {-1, 2, 3})[0])) << text;
    }
  for (const std::string text :
       {"a/a", "0/a", "0*(1/a)", "(1/a)^0", "1/a - 1/a", "0*log(abs(a))", "a^(-1)*0", "0/a^2"}) {
    Graph graph;
    const int node = add(graph, text);
    EXPECT_FALSE(std::isfinite(run<double>(graph, {node}, {0, 2, 3})[0])) << text;
    EXPECT_TRUE(std::isfinite(run<double>(graph, {node}, {0.5, 2, 3})[0])) << text;
  }
}

// A derivative is asked for where its function has a value, so it need not be spoilt by terms that are 0.
TEST(ModelGraph, DerivativesOfTermsThatVanishAreZero) {
  Graph graph;
  for (const char* text :
       {"0*sqrt(a)", "0*log(a)", "sqrt(a) - sqrt(a)", "log(a)^0", "sqrt(a)/sqrt(a)", "a/a", "0/a"})
    EXPECT_TRUE(graph.is_constant(graph.gradient(add(graph, text), {0})[0], 0)) << text;
  EXPECT_TRUE(graph.is_constant(graph.gradient(add(graph, "sqrt(a)*sqrt(a)"), {0})[0], 1));
}

TEST(ModelGraph, NumberingDependsOnTheFormulasAlone) {
  const auto listing = [] {
    Graph graph;
    const int f = add(graph, "exp(a*b)/(1 + c^2) + sin(a*b)");
    const auto gradient = graph.gradient(f, {0, 1, 2});
    std::string text;
    for (int k = 0; k < graph.size(); ++k)
      text += std::to_string(static_cast<int>(graph[k].op)) + "," + std::to_string(graph[k].a) + "," +
              std::to_string(graph[k].b) + ";";
    for (const int k : gradient) text += std::to_string(k) + " ";
    return text;
  };
  EXPECT_EQ(listing(), listing());
}

TEST(ModelGraph, DependenciesAreWhatIsLeftAfterSimplification) {
  Graph graph;
  EXPECT_EQ(graph.inputs_of(add(graph, "a*c + 0*b")), (std::vector<int>{0, 2}));
  EXPECT_EQ(graph.inputs_of(add(graph, "b - b + 2")), std::vector<int>{});
}

// Makes random formulas in a, b, c from everything there is. Arguments are kept in the domain of
// the functions.
class RandomFormula {
 public:
  explicit RandomFormula(unsigned seed) : random_(seed) {}
  std::string operator()(int depth) {
    if (depth == 0) return leaf();
    const auto part = [&] { return (*this)(depth - 1 - (draw(3) == 0 && depth > 1 ? 1 : 0)); };
    switch (draw(19)) {
      case 0:
        return "(" + part() + " + " + part() + ")";
      case 1:
        return "(" + part() + " - " + part() + ")";
      case 2:
      case 3:
        return part() + "*" + part();
      case 4:
        return part() + "/(1.5 + (" + part() + ")^2)";
      case 5:
        return "(" + part() + ")^" + std::to_string(draw(5));
      case 6:
        return "(2 + " + bounded(part()) + ")^-" + std::to_string(1 + draw(3));
      case 7:
        return "(2 + " + bounded(part()) + ")^(" + bounded(part()) + ")";
      case 8:
        return "sqrt(2 + " + bounded(part()) + ")";
      case 9:
        return "exp(" + bounded(part()) + ")";
      case 10:
        return "log(3 + " + bounded(part()) + ")";
      case 11:
        return "sin(" + part() + ")";
      case 12:
        return "tan(" + bounded(part()) + ")";
      case 13:
        return "asin(0.8*" + bounded(part()) + ")";
      case 14:
        return "acos(0.8*" + bounded(part()) + ")";
      case 15:
        return "atan2(" + part() + ", 2 + " + bounded(part()) + ")";
      case 16:
        return "sinh(" + bounded(part()) + ")*cosh(" + bounded(part()) + ")";
      case 17:
        return "abs(" + part() + ")";
      default:
        return "-atan(" + part() + ")";
    }
  }
  double point() { return std::uniform_real_distribution<double>(-1.5, 1.5)(random_); }

 private:
  int draw(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string leaf() {
    static const char* const leaves[] = {"a", "b", "c", "a", "b", "c", "2", "0.3", "1", "0", "pi"};
    return leaves[draw(11)];
  }
  static std::string bounded(const std::string& x) { return "tanh(" + x + ")"; }
  std::mt19937 random_;
};

double relative(Float128 x, Float128 y) {
  return static_cast<double>(magnitude(x - y) / (1 + magnitude(x) + magnitude(y)));
}

using Line = Dual<Float128, 1>;

TEST(ModelGraph, DerivativesAreThoseOfDualNumbersAndOfDifferences) {
  // 128-bit numbers carry 34 digits; cancellation in random formulas was measured to cost 6 of them.
  // Differences over 1e-11 are wrong by 1e-22 times a third derivative.
  constexpr double exact = 1e-24, by_differences = 1e-16;
  int checked = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    RandomFormula random(seed);
    const std::string text = random(2 + static_cast<int>(seed % 4));
    Graph graph;
    const int f = add(graph, text);
    const std::vector<int> gradient = graph.gradient(f, {0, 1, 2});
    const std::vector<int> forward = graph.along({f}, [&](int k) { return graph.constant(k + 1); });
    for (int trial = 0; trial < 3; ++trial) {
      const std::vector<Float128> x{random.point(), random.point(), random.point()};
      const auto slope = run(graph, gradient, x);
      Float128 along = 0;
      for (int j = 0; j < n; ++j) {
        std::vector<Line> moving(x.begin(), x.end());
        moving[static_cast<std::size_t>(j)].tangent[0] = 1;
        const Line dual = run<Line>(graph, {f}, moving)[0];
        const auto s = slope[static_cast<std::size_t>(j)];
        if (!(magnitude(dual.tangent[0]) < 1e6)) continue;
        EXPECT_LT(relative(s, dual.tangent[0]), exact) << text << ", input " << j;
        auto left = x, right = x;
        left[static_cast<std::size_t>(j)] -= 1e-11;
        right[static_cast<std::size_t>(j)] += 1e-11;
        const Float128 step = right[static_cast<std::size_t>(j)] - left[static_cast<std::size_t>(j)];
        const Float128 difference =
            (run<Float128>(graph, {f}, right)[0] - run<Float128>(graph, {f}, left)[0]) / step;
        EXPECT_LT(relative(s, difference), by_differences) << text << ", input " << j;
        along += (j + 1) * s;
        ++checked;
      }
      EXPECT_LT(relative(run<Float128>(graph, forward, x)[0], along), exact) << text;
    }
  }
  EXPECT_GT(checked, 3000);
}

TEST(ModelGraph, SecondDerivativesAreSymmetricAndThoseOfDualNumbers) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    RandomFormula random(seed + 5000);
    const std::string text = random(3);
    Graph graph;
    const int f = add(graph, text);
    const std::vector<int> gradient = graph.gradient(f, {0, 1, 2});
    std::vector<int> hessian;
    for (const int g : gradient)
      for (const int h : graph.gradient(g, {0, 1, 2})) hessian.push_back(h);
    const std::vector<Float128> x{random.point(), random.point(), random.point()};
    const auto H = run(graph, hessian, x);
    for (int j = 0; j < n; ++j) {
      std::vector<Line> moving(x.begin(), x.end());
      moving[static_cast<std::size_t>(j)].tangent[0] = 1;
      const auto dual = run<Line>(graph, gradient, moving);
      for (int i = 0; i < n; ++i) {
        const Float128 h =
            H[static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j)];
        if (!(magnitude(h) < 1e8)) continue;
        EXPECT_LT(relative(h, dual[static_cast<std::size_t>(i)].tangent[0]), 1e-22) << text;
        EXPECT_LT(relative(h, H[static_cast<std::size_t>(j * n + i)]), 1e-22) << text;
      }
    }
  }
}

// The companion: a wrong rule would be seen.
TEST(ModelGraph, AWrongDerivativeIsSeen) {
  Graph graph;
  const int f = add(graph, "sin(a)"), wrong = add(graph, "-cos(a)");
  std::vector<Line> moving{Line(0.3), Line(0), Line(0)};
  moving[0].tangent[0] = 1;
  EXPECT_GT(
      relative(run<Float128>(graph, {wrong}, {0.3, 0, 0})[0], run<Line>(graph, {f}, moving)[0].tangent[0]),
      0.1);
}

// Every function is evaluated in every scalar: to the rounding of its own precision, and packs lane by lane
// to the last bit.
TEST(ModelGraph, EveryScalarComputesTheSame) {
  for (const char* text : {"a + b*c", "a - b/c", "-a",      "sqrt(a)", "exp(a)",  "log(a)",       "sin(a)",
                           "cos(a)",  "tan(a)",  "asin(b)", "acos(b)", "atan(a)", "atan2(a, -b)", "sinh(a)",
                           "cosh(a)", "tanh(a)", "abs(-a)", "a^b",     "a^2.7",   "a^7",          "a^-3",
                           "a^-2.5",  "a^3.5",   "erf(a)",  "erfc(a)", "cbrt(a)", "cbrt(-a)"}) {
    Graph graph;
    const int f = add(graph, text), slope = graph.gradient(f, {0})[0];
    const double a = 0.7, b = 0.4, c = 1.9;
    const Float128 fine = run<Float128>(graph, {f}, {a, b, c})[0];
    const double plain = run<double>(graph, {f}, {a, b, c})[0];
    EXPECT_LT(relative(plain, fine), 4 * epsilon<double>()) << text;
    EXPECT_LT(relative(run<long double>(graph, {f}, {a, b, c})[0], fine), 4 * epsilon<long double>()) << text;
    Pack<4> pa(a), pb(b), pc(c);
    pa.set(2, 0.9);
    const auto pack = run<Pack<4>>(graph, {f, slope}, {pa, pb, pc});
    EXPECT_EQ(pack[0][1], plain) << text;
    EXPECT_EQ(pack[0][2], run<double>(graph, {f}, {0.9, b, c})[0]) << text;
    EXPECT_EQ(pack[1][2], run<double>(graph, {slope}, {0.9, b, c})[0]) << text;
    using Twice = Dual<Dual<double, 2>, 1>;
    Twice moving(Dual<double, 2>{a});
    moving.value.tangent[1] = 1;
    moving.tangent[0].value = 1;
    const auto dual = run<Twice>(graph, {f, slope}, {moving, Twice(b), Twice(c)});
    EXPECT_LT(relative(dual[0].value.value, fine), 4 * epsilon<double>()) << text;
    EXPECT_LT(relative(dual[0].tangent[0].value, dual[1].value.value), 16 * epsilon<double>()) << text;
    EXPECT_LT(relative(dual[0].tangent[0].tangent[1], dual[1].value.tangent[1]), 16 * epsilon<double>())
        << text;
    using Lanes = Dual<Pack<4>, 1>;
    Lanes lanes(pa);
    lanes.tangent[0] = Pack<4>(1.0);
    const auto both = run<Lanes>(graph, {f}, {lanes, Lanes(pb), Lanes(pc)});
    EXPECT_LT(relative(both[0].tangent[0][2], pack[1][2]), 16 * epsilon<double>()) << text;
  }
}

TEST(ModelGraph, AGradientCostsASmallMultipleOfItsFunction) {
  std::ifstream file(std::string(TAUT_SOURCE_DIR) + "/examples/lennard-jones-chain.toml");
  std::stringstream text;
  text << file.rdbuf();
  const ReadModel read = read_model(text.str(), "lennard-jones-chain.toml");
  ASSERT_TRUE(read.model) << text_of(read.errors);
  const System s = derive(*read.model);
  std::vector<int> both = s.grad_V;
  both.push_back(s.V);
  const int function = s.graph.operations({s.V}), with_gradient = s.graph.operations(both);
  RecordProperty("function", function);
  RecordProperty("with_gradient", with_gradient);
  EXPECT_LT(function, 340);  // 21 pairs: measured 252
  EXPECT_LT(with_gradient, 3 * function);
}

}  // namespace
