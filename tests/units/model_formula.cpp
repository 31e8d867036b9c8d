// Formula text: what binds tighter, what a number is, and that every error points at its place.

#include <taut/model/text/formula.hpp>
#include <taut/model/text/functions.hpp>
#include <taut/model/text/latex.hpp>
#include <taut/model/text/letters.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace taut;

double value(const std::string& text, const std::map<std::string, double>& names = {}) {
  const ParsedFormula parsed = parse_formula(text, "the formula");
  if (parsed.error) {
    ADD_FAILURE() << text << ": " << parsed.error->sentence;
    return 0;
  }
  return static_cast<double>(evaluate(parsed.formula, [&](std::string_view name) {
                               return Float128(names.at(std::string(name)));
                             }).back());
}

TEST(Formula, OperatorsBindAsInMathematics) {
  EXPECT_EQ(value("1 + 2*3"), 7);
  EXPECT_EQ(value("(1 + 2)*3"), 9);
  EXPECT_EQ(value("7 - 2 - 1"), 4);
  EXPECT_EQ(value("8/4/2"), 1);
  EXPECT_EQ(value("2*3^2"), 18);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("(-2)^2"), 4);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-2^2"), 1.0 / 16);
  EXPECT_EQ(value("1 - -1"), 2);
  EXPECT_EQ(value("--1"), 1);
  EXPECT_EQ(value("+1"), 1);
  EXPECT_EQ(value("-2*3"), -6);
  EXPECT_EQ(value("4/-2"), -2);
  EXPECT_EQ(value("a*b_2 - A", {{"a", 2}, {"b_2", 5}, {"A", 1}}), 9);
  EXPECT_EQ(value(" \t1\n+\r\n2 "), 3);
}

TEST(Formula, Functions) {
  EXPECT_EQ(value("sqrt(16)"), 4);
  EXPECT_DOUBLE_EQ(value("atan2(1, 2)"), std::atan2(1, 2));
  EXPECT_DOUBLE_EQ(value("sin(pi/6)"), 0.5);
  EXPECT_DOUBLE_EQ(value("exp(log(3)) + abs(-2)"), 5);
  EXPECT_DOUBLE_EQ(value("tanh(0.3)"), value("sinh(0.3)/cosh(0.3)"));
  EXPECT_DOUBLE_EQ(value("asin(0.2) + acos(0.2)"), value("pi/2"));
  EXPECT_DOUBLE_EQ(value("tan(atan(0.7))"), 0.7);
  EXPECT_DOUBLE_EQ(value("2^0.5"), std::sqrt(2.0));
  EXPECT_EQ(value("cbrt(-27)"), -3);
  EXPECT_DOUBLE_EQ(value("erf(0.5)"), 0.52049987781304653768);   // Abramowitz and Stegun, table 7.1
  EXPECT_DOUBLE_EQ(value("erfc(2)"), 0.0046777349810472658379);  // 1 - erf(2), of the same table
  EXPECT_EQ(value("erf(0.3) + erfc(0.3)"), 1);
}

TEST(Formula, WholePowersAreExact) {
  EXPECT_EQ(value("3^20"), 3486784401.0);
  EXPECT_EQ(value("(-1.5)^3"), -3.375);
  EXPECT_EQ(value("x^0", {{"x", 0}}), 1);
}

TEST(Formula, NumbersAreReadToTheNearestDouble) {
  for (const char* text :
       {"0.1", "1e22", "1e23", "6.02214076e23", "1.7976931348623157e308", "5e-324", "0.30000000000000004",
        "123456789012345678901234567890", "3.", ".5", "1E+5", "2e-7", "9007199254740993", "1e-320"})
    EXPECT_EQ(static_cast<double>(*decimal(text)), std::strtod(text, nullptr)) << text;
  EXPECT_EQ(*decimal("-1_000.5"), -1000.5);
  EXPECT_EQ(*decimal("0.1") * 10, Float128(1));  // to 113 bits, not a double's 53
  for (const char* text : {"", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "1 2", "--1", "inf", "nan"})
    EXPECT_FALSE(decimal(text)) << text;
}

void refused(const std::string& text, std::size_t begin, std::size_t end, const std::string& sentence) {
  const ParsedFormula parsed = parse_formula(text, "the potential");
  ASSERT_TRUE(parsed.error) << text;
  EXPECT_EQ(parsed.error->sentence, sentence) << text;
  EXPECT_EQ(parsed.error->span.begin, begin) << text;
  EXPECT_EQ(parsed.error->span.end, end) << text;
}

TEST(Formula, ErrorsPointAtTheirPlace) {
  refused("", 0, 0, "the potential is empty");
  refused("x +", 2, 3, "the potential ends after `+`");
  refused("x*(y + 1", 2, 3, "this `(` in the potential is never closed");
  refused("x)", 1, 2, "`)` without a `(` in the potential");
  refused("()", 1, 2, "`)` follows `(` in the potential");
  refused("x**2", 1, 3, "`**` is not an operator in the potential");
  refused("3*2x", 2, 4, "`2x` in the potential is neither a number nor a name");
  refused("x y", 2, 3, "an operator is missing before `y` in the potential");
  refused("x (y)", 0, 1, "unknown function `x` in the potential");
  refused("(x)(y)", 3, 4, "an operator is missing before `(` in the potential");
  refused("3..4", 0, 4, "`3..4` in the potential is not a number");
  refused("x # y", 2, 3, "unexpected character `#` in the potential");
  refused("a = b", 2, 3, "unexpected character `=` in the potential");
  refused("x; system()", 1, 2, "unexpected character `;` in the potential");
  refused("sin", 0, 3, "`sin` in the potential is a function");
  refused("1 + sin()", 4, 9, "`sin` takes one argument, not 0, in the potential");
  refused("atan2(x)", 0, 8, "`atan2` takes two arguments, not 1, in the potential");
  refused("sine(x)", 0, 4, "unknown function `sine` in the potential");
  refused("x, y", 1, 2, "unexpected `,` in the potential");
  refused("* x", 0, 1, "`*` follows nothing in the potential");
  refused("x + * y", 4, 5, "`*` follows `+` in the potential");
}

TEST(Formula, ANearMissOfAFunctionIsNamed) {
  EXPECT_EQ(parse_formula("sqr(x)", "the potential").error->note,
            "functions: sqrt, exp, log, sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, abs, erf, "
            "erfc, cbrt. Did you mean `sqrt`?");
}

TEST(Formula, DepthIsLimitedAndLengthIsNot) {
  const auto nested = [](int depth, const std::string& open, const std::string& close) {
    std::string text;
    for (int k = 0; k < depth; ++k) text += open;
    text += "1";
    for (int k = 0; k < depth; ++k) text += close;
    return parse_formula(text, "the potential");
  };
  EXPECT_FALSE(nested(190, "(", ")").error);
  for (const auto& [open, close] : {std::pair{"(", ")"}, {"-", ""}, {"sin(", ")"}, {"2^", ""}, {"(-", ")"}}) {
    const auto parsed = nested(100000, open, close);
    ASSERT_TRUE(parsed.error) << open;
    EXPECT_EQ(parsed.error->sentence, "the potential is nested too deeply") << open;
  }
  std::string sum = "1";
  for (int k = 1; k < 100000; ++k) sum += "+1";
  EXPECT_EQ(value(sum), 100000);
}

TEST(Formula, GreekLettersAreLetters) {
  EXPECT_EQ(value("2*θ + φ_1^2", {{"θ", 3}, {"φ_1", 5}}), 31);
  EXPECT_EQ(value("Δx*ω0", {{"Δx", 3}, {"ω0", 2}}), 6);
  EXPECT_EQ(value("cos(π)"), -1);
  EXPECT_TRUE(is_name("v_θ") && is_name("θθ") && is_reserved("π"));
  EXPECT_EQ(parse_formula("2θ", "the formula").error->note, "a product is written `2*θ`");
  // What looks like a letter of ours, and is none: Α, ο, the sign of micro, é, half a letter.
  for (const char* other : {"\u0391", "\u03BF", "\u00B5", "\u00E9", "\xCE"})
    EXPECT_FALSE(is_name(other)) << other;
}

TEST(Formula, EveryGreekLetterHasItsCommandOfLatex) {
  int letters = 0;
  for (char32_t c = 0x80; c < 0x800; ++c) {
    const std::string text{static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3F))};
    EXPECT_EQ(letter_at(text, 0) > 0, is_greek(c)) << text;
    letters += is_greek(c);
  }
  EXPECT_EQ(letters, 36);
  EXPECT_EQ(name_to_latex("θ"), "\\theta");
  EXPECT_EQ(name_to_latex("p_φ1"), "p_{\\varphi_{1}}");
  EXPECT_EQ(name_to_latex("Δx"), "\\mathrm{{\\Delta}x}");
}

}  // namespace
